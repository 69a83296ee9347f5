"""Latent positives: concave cuts, falling shares, and errors of beta."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pu_accessor.beta import Beta
from pu_accessor.inference.answer import add_beta_error
from pu_accessor.inference.completion import monotone_hidden
from pu_accessor.inference.future_bands import cut_to_concave
from tests.support.oracles import new_examples_oracle
from tests.support.oracles.concave_oracle import by_linear_programs
from tests.support.oracles.joint_oracle import disc_limits
from tests.worlds import fuzzed

# Bands around curves that are concave, or nearly


@fuzzed(2)
@given(seed=st.integers(0, 10**6))
def test_limits_are_those_of_linear_programs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 13))
    x = np.concatenate([[0], np.sort(rng.random(size)), [1]])
    curve, wide = x ** rng.choice([0.3, 0.6, 1.0, 1.1]), rng.choice([0.0, 0.02, 0.1, 0.4])
    lower = np.clip(curve - wide * rng.random(x.size), 0, 1)
    upper = np.clip(curve + wide * rng.random(x.size), 0, 1)
    if rng.random() < 0.4:
        lower, upper = np.floor(lower * 8) / 8, np.ceil(upper * 8) / 8
    lower, upper = np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]
    lower[0], upper[-1] = 0, 1
    slope = float(rng.choice([1.5, 4.0, 20.0, np.inf]))
    limits = by_linear_programs(x, lower, upper, slope)
    band = cut_to_concave(x, lower, upper, slope)
    assert (band.refuted_at is not None) == (limits is None)
    wanted = (lower, upper) if limits is None else limits
    np.testing.assert_allclose(np.stack(band[:2]), np.stack(wanted), atol=1e-7)


def test_ties_hold_all_limits() -> None:
    x = np.array([0, 0.2, 0.2, 0.5, 1, 1])
    lower, upper = np.array([0, 0.1, 0.3, 0.4, 0.9, 1]), np.array([0.1, 0.5, 0.6, 0.8, 1, 1])
    once = cut_to_concave(x[[0, 1, 3, 4]], lower[[0, 2, 3, 5]], upper[[0, 1, 3, 4]], 3.0)
    band = cut_to_concave(x, lower, upper, 3.0)
    for tied, alone in zip(band[:2], once[:2], strict=True):
        np.testing.assert_allclose(tied, alone[[0, 1, 1, 2, 3, 3]])


REFUTED = [
    ([0, 0.4, 0.8, 1], [0, 1, 1, 1], 1.9, 0.4),  # more than every example positive
    ([0, 0.1, 0.6, 1], [0, 0.2, 1, 1], 9.0, 0.2),  # a chord above the band: a bend upwards
    ([0, 0.1, 0.2, 1], [0, 1, 0.3, 1], 9.0, 0.4),  # below the diagonal: worse than chance
    ([0.1, 0.3, 0.6, 1], [0.2, 1, 1, 1], 9.0, 0.0),  # positives before the first example
]


@pytest.mark.parametrize(("lower", "upper", "slope", "place"), REFUTED)
def test_refuted(lower: list[float], upper: list[float], slope: float, place: float) -> None:
    band = cut_to_concave(np.array([0, 0.2, 0.4, 1]), np.array(lower), np.array(upper), slope)
    assert band.refuted_at == place
    np.testing.assert_array_equal(np.stack(band[:2]), [lower, upper])


COUNTS = st.tuples(*(st.integers(0, most) for most in (3, 2, 4)))


@given(steps=st.lists(COUNTS, min_size=1, max_size=12), share=st.floats(0, 1))
@example([(0, 0, 2), (1, 0, 0), (0, 0, 10)], 1 / 12)  # a third of the best are known positives
@example([(0, 0, 2), (1, 0, 0), (0, 0, 10)], 7 / 12)
@example([(0, 0, 1), (0, 0, 2), (0, 0, 1)], 0.5)
@example([(1, 0, 1), (1, 0, 4)], 0.3)  # one row that is not known alone
@example([(1, 1, 0), (2, 2, 0)], 0)
def test_latent_positives_of_the_oracle(steps: list[tuple[int, int, int]], share: float) -> None:
    known, negatives, unlabeled = np.array(steps).T
    m = round(share * int(unlabeled.sum()), 6)
    latent = monotone_hidden(known, negatives, unlabeled, m)
    first, second, third = (column.tolist() for column in (known, negatives, unlabeled))
    slow = new_examples_oracle.monotone_latent(first, second, third, m)
    np.testing.assert_allclose(latent, slow, atol=1e-6)
    assert latent.sum() == pytest.approx(m, abs=1e-9)


# Errors of beta and of the ranking, where some of them are unknown


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
    np.testing.assert_allclose(np.ravel(found), disc_limits(first, second, second), atol=1e-3)


@pytest.mark.parametrize("only_upper", [False, True])
@pytest.mark.parametrize("side", [0, 1])
def test_without_limits_at_the_estimate_there_are_none(side: int, only_upper: bool) -> None:
    value = np.array([0.5, 0.45, 0.55, 0.46])
    low, high = value - 0.1, value + 0.1
    (low, high)[side][0] = np.nan
    beta = Beta(np.array([0.3]), (0.2, 0.4), 0.95, only_upper)
    assert np.isnan(add_beta_error(value, low, high, beta)).all()
