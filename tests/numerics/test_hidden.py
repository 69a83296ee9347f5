"""Latent positives: concave cuts, falling shares, gaps by saddlepoints, and errors of beta."""

from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import special

from pu_accessor.beta import Beta
from pu_accessor.inference.answer import add_beta_error
from pu_accessor.inference.bands.future_data import cut_to_concave
from pu_accessor.inference.completion import monotone_hidden
from pu_accessor.inference.estimates import hidden_positive_limits as hidden
from pu_accessor.inference.estimates.known_positives import KnownBlocks
from tests.support.oracles import gaps_oracle, new_examples_oracle
from tests.support.oracles.concave_oracle import by_linear_programs
from tests.support.oracles.joint_oracle import disc_limits
from tests.worlds import fuzzed

Blocked: TypeAlias = list[tuple[int, int, int]]

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


# Gaps between known positives: weighted sums of random shares


@pytest.mark.parametrize("tail", [1e-4, 0.025, 0.3, 0.8, 0.975])
@pytest.mark.parametrize("start", [0.0, 1e4])
def test_quantiles_are_those_of_a_saddlepoint(start: float, tail: float) -> None:
    rng = np.random.default_rng(6)
    values, times, ones = start + rng.lognormal(0, 2, 9), rng.integers(1, 5, 9), np.ones(9)
    for shape, scale in ((times * ones, ones), (rng.uniform(0.5, 1, 9), rng.uniform(1, 50, 9))):
        found = hidden.gamma_quantile(values, shape, scale, tail)
        wanted = gaps_oracle.saddlepoint(values.tolist(), tail, shape.tolist(), scale.tolist())
        assert found == pytest.approx(wanted, rel=1e-6)


def test_beyond_all_tails_there_is_the_end() -> None:
    values, ones = np.array([2.0, 5.0]), np.ones(2, np.int64)
    assert hidden.gamma_quantile(np.array([3.0, 3.0]), ones, 1.0, 0.025) == 3
    assert hidden.gamma_quantile(values, ones, 1.0, 1e-40) == 2
    assert hidden.gamma_quantile(values, ones, 1.0, 1 - 2**-53) == 5
    assert hidden.gamma_quantile(values, 20 * ones, 1.0, 1e-300) > 2
    assert hidden.gamma_quantile(values, ones / 10, np.ones(2), 0.001) == 2
    assert hidden.gamma_quantile(values, ones / 10, np.ones(2), 0.999) == 5


@pytest.mark.parametrize("n", [1, 2, 9, 599, 600, 817])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_limits_are_those_of_a_saddlepoint(n: int, level: float) -> None:
    rng, size, tails = np.random.default_rng(n), 3000, ((1 - level) / 2, (1 + level) / 2)

    def quantile(values: list[float], tail: float) -> float:
        each, times = gaps_oracle.in_groups(values)
        return gaps_oracle.saddlepoint(each, tail, times)

    for least, most in ((1, size), (1, 2 * n + 3), (size - 2 * n, size), (1400, 1900)):
        ranks = np.sort(rng.choice(np.arange(least, most + 1), min(n, most - least), False)) * 1.0
        found = hidden.mean_rank_limits(ranks, 70.5, size, level)
        wanted = gaps_oracle.limits_of_ranks(ranks.tolist(), 70.5, size, tails, quantile)
        assert found == pytest.approx(wanted, rel=1e-6)


TIED = [[(1, 2, 5), (3, 9, 20), (2, 26, 30), (1, 60, 70)], [(4, 0, 10), (1, 30, 31), (5, 40, 60)]]
TIED += [[(3, 50, 120)], [(1, 11 * i, 11 * i + 1 + i % 3) for i in range(1, 9)]]
CROWDED = [(1, start, start + 1) for start in [*range(0, 150, 2), *range(150, 5600, 100)]]
STARTS = np.cumsum(np.r_[np.full(60, 40), np.full(80, 8), np.full(60, 60)]).tolist()
UNEVEN = [(1 + i % 2, start, start + 3) for i, start in enumerate(STARTS)]
REST = [(1, 300 * i, 300 * i + 1) for i in range(1, 20)]
BLOCKS: list[tuple[Blocked, int, int]] = [
    *((some, m, some[-1][2] + below) for some in TIED for m in (3, 90) for below in (0, 2, 100)),
    *(([(1, 9 * i, 9 * i + 4) for i in range(1, last)], 300, 2000) for last in (91, 92)),
    ([(3, 9 * i + i * i // 40, 9 * i + i * i // 40 + 4) for i in range(1, 131)], 300, 4000),
    *(([(1, 5 * i, 5 * i + 2) for i in range(1, 131)], m, 1400) for m in (150, 900)),
    *((CROWDED, 200, 6000), (UNEVEN, 600, 9000), (UNEVEN[60:], 40, 5893)),
    # These start where known ones at the top say.
    *((top + REST, 500, 6000) for top in ([(1, 99, 100), (1, 100, 101)], [(2, 98, 100)])),
    ([(1, 12, 100), *REST], 500, 6000),
]


@pytest.mark.parametrize(("places", "latent", "examples"), BLOCKS)
def test_precision_limits_are_drawn(places: Blocked, latent: int, examples: int) -> None:
    """They are held against those of each draw in turn."""
    found, start, end = (np.array(column) for column in zip(*places, strict=True))
    known, n = KnownBlocks(found, np.cumsum(found), start, end), int(found.sum())
    following = int(end[0] if found[0] > 1 or end.size == 1 else end[1])
    first = min(end[0] ** 2 / (2 * following), float(start[0])) * max(1 - 10 / n, 0)
    drawn = gaps_oracle.drawn_precisions(places, examples, latent, first, hidden.harmonic)
    low, high = (np.sort(side) for side in drawn)
    for level, below in ((0.5, 249), (0.95, 24)):  # a quarter and .025 of 999 steps
        limits = hidden.ap_limits(known, latent, examples, level)
        assert limits == pytest.approx((low[below], min(high[999 - below], 1)), rel=1e-9)


def test_harmonic_numbers_are_those_of_the_digamma_function() -> None:
    number = np.array([5.0, 8, 20.5, 1e3, 1e9])
    np.testing.assert_allclose(hidden.harmonic(number), special.digamma(number + 1), atol=2e-5)
    tied = KnownBlocks(np.array([4]), np.array([4]), np.array([0]), np.array([20]))
    # One block has one precision.
    assert hidden.ap_limits(tied, 6, 20, 0.95) == pytest.approx((0.5, 0.5))


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
