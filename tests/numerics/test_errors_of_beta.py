"""Errors of beta and of the ranking, where some of them are unknown."""

import numpy as np
import numpy.testing as npt
import pytest

from pu_accessor.beta import Beta
from pu_accessor.inference.estimates.estimate_metric import add_beta_error
from tests.support.oracles.joint_oracle import disc_limits


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("rises", [True, False])
def test_betas_too_high_for_the_ranking_stand_for_an_end(place: int, rises: bool) -> None:
    value = np.array([0.5, 0.42, 0.58] if rises else [0.5, 0.58, 0.42])
    value[place], off = np.nan, np.array([0.05, 0.03, 0.08])
    found = add_beta_error(
        value, value - off, value + off, Beta(np.array([0.3]), (0.2, 0.4), 0.95)
    )
    off[place] = off[0]  # as at the estimate
    value[place] = 1.0 if rises == (place == 2) else 0.0
    first, second = (tuple(some.tolist()) for some in (value, off))
    npt.assert_allclose(np.ravel(found), disc_limits(first, second, second), atol=1e-3)


@pytest.mark.parametrize("limits", ["none", "upper", "both"])
@pytest.mark.parametrize("side", [0, 1])
def test_without_limits_at_the_estimate_there_are_none(side: int, limits: str) -> None:
    value = np.array([0.5, 0.45, 0.55, 0.46])
    low, high = value - 0.1, value + 0.1
    (low, high)[side][0] = np.nan
    beta = Beta(np.array([0.3]), (0.2, 0.4), 0.95, limits)
    assert np.isnan(add_beta_error(value, low, high, beta)).all()
