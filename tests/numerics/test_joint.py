"""Errors of beta and of the ranking, joined: what limits add up to."""

import numpy as np
import numpy.testing as npt
import pytest

from pu_accessor.beta import Beta
from pu_accessor.inference.estimates.estimate_metric import add_beta_error
from tests.support.oracles.joint_oracle import disc_limits

LEVEL = 0.95


@pytest.mark.parametrize("seed", range(5))
def test_squares_add_like_the_disc(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, downs, ups = rng.uniform(0.4, 0.6, 3), *rng.uniform(0.01, 0.2, (2, 3))
    beta = Beta(np.array([0.3]), (0.2, 0.5), LEVEL)
    found = add_beta_error(values, values - downs, values + ups, beta)
    first, second, third = (tuple(some.tolist()) for some in (values, downs, ups))
    expected = disc_limits(first, second, third)
    npt.assert_allclose(np.ravel(found), expected, atol=3e-4)


@pytest.mark.parametrize("seed", range(5))
def test_below_a_limit_any_beta_counts_as_it_is(seed: int) -> None:
    # At the estimate, at both limits, and between the lower one and the estimate.
    rng = np.random.default_rng(seed)
    values, downs, ups = rng.uniform(0.4, 0.6, 6), *rng.uniform(0.01, 0.2, (2, 6))
    beta = Beta(np.array([0.3]), (0.2, 0.5), LEVEL, "upper")
    found = add_beta_error(values, values - downs, values + ups, beta)
    first, second, third = (tuple(some[[0, 2, 2]].tolist()) for some in (values, downs, ups))
    low, high = disc_limits(first, second, third)
    free = [1, 3, 4, 5]
    expected = min(low, *(values - downs)[free]), max(high, *(values + ups)[free])
    npt.assert_allclose(np.ravel(found), expected, atol=3e-4)


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("rises", [True, False])
def test_betas_too_high_for_the_ranking_stand_for_an_end(place: int, rises: bool) -> None:
    value = np.array([0.5, 0.42, 0.58] if rises else [0.5, 0.58, 0.42])
    value[place] = np.nan
    off = np.array([0.05, 0.03, 0.08])
    beta = Beta(np.array([0.3]), (0.2, 0.4), LEVEL)
    found = add_beta_error(value, value - off, value + off, beta)
    off[place] = off[0]  # as at the estimate
    value[place] = 1.0 if rises == (place == 2) else 0.0
    first, second = (tuple(some.tolist()) for some in (value, off))
    wanted = disc_limits(first, second, second)
    npt.assert_allclose(np.ravel(found), wanted, atol=1e-3)


@pytest.mark.parametrize("limits", ["none", "upper", "both"])
@pytest.mark.parametrize("side", [0, 1])
def test_without_limits_at_the_estimate_there_are_none(side: int, limits: str) -> None:
    value = np.array([0.5, 0.45, 0.55, 0.46])
    low, high = value - 0.1, value + 0.1
    (low, high)[side][0] = np.nan
    beta = Beta(np.array([0.3]), (0.2, 0.4), LEVEL, limits)
    assert np.isnan(add_beta_error(value, low, high, beta)).all()
