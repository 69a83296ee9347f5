"""Latent positives in the gaps between known ones: exact distributions, enumeration, coverage."""

from typing import TypeAlias

import numpy as np
import pytest
from scipy import special

from pu_accessor.inference.estimates import hidden_positive_limits
from pu_accessor.inference.estimates.hidden_positive_limits import (
    ap_limits,
    gamma_quantile,
    harmonic,
)
from pu_accessor.inference.estimates.known_positives import KnownBlocks
from pu_accessor.ranking import IntArray
from tests.support.oracles import gaps_oracle

Places: TypeAlias = tuple[int, ...]
Blocked: TypeAlias = list[tuple[int, int, int]]

TAILS = [0.005, 0.025, 0.1, 0.9, 0.975, 0.995]


def ones(size: int) -> IntArray:
    return np.ones(size, np.int64)


def blocks(*ranks: int) -> KnownBlocks:
    """Return the blocks of known positives without ties."""
    end = np.array(ranks, np.int64)
    return KnownBlocks(ones(end.size), np.arange(1, end.size + 1), end - 1, end)


# ---------------------------------------------------------------------------------------------
# The distribution of a weighted sum of random shares


@pytest.mark.parametrize("n", [2, 3, 5, 10, 25])
@pytest.mark.parametrize("tail", TAILS)
def test_quantile_is_that_of_the_exact_distribution(n: int, tail: float) -> None:
    rng = np.random.default_rng([n, 1])
    for values in (rng.random(n + 1), rng.lognormal(0, 2, n + 1), np.r_[rng.random(n) / 99, 1]):
        found = gamma_quantile(values, ones(n + 1), 1.0, tail)
        assert gaps_oracle.chance(values.tolist(), found) == pytest.approx(tail, abs=0.006)


@pytest.mark.parametrize("tail", [1e-4, 0.025, 0.3, 0.8, 0.975])
def test_quantiles_are_those_of_a_saddlepoint(tail: float) -> None:
    rng = np.random.default_rng(6)
    times = rng.integers(1, 5, 9)
    for values in (rng.normal(size=9), 1e4 + rng.lognormal(0, 2, 9), np.array([-3.0] * 8 + [2.0])):
        found = gamma_quantile(values, times, 1.0, tail)
        wanted = gaps_oracle.saddlepoint(np.repeat(values, times).tolist(), tail)
        assert found == pytest.approx(wanted, rel=1e-6)
        shape, scale = rng.uniform(0.5, 1, 9), rng.uniform(1, 50, 9)
        found = gamma_quantile(values, shape, scale, tail)
        wanted = gaps_oracle.saddlepoint(values.tolist(), tail, shape.tolist(), scale.tolist())
        assert found == pytest.approx(wanted, rel=1e-6)


def test_beyond_all_tails_there_is_the_end() -> None:
    values = np.array([2.0, 5.0])
    assert gamma_quantile(np.array([3.0, 3.0]), ones(2), 1.0, 0.025) == 3
    assert gamma_quantile(values, ones(2), 1.0, 1e-40) == 2
    assert gamma_quantile(values, ones(2), 1.0, 1 - 2**-53) == 5
    assert gamma_quantile(values, 20 * ones(2), 1.0, 1e-300) > 2
    shape, scale = np.full(2, 0.1), np.ones(2)
    assert gamma_quantile(values, shape, scale, 0.001) == 2
    assert gamma_quantile(values, shape, scale, 0.999) == 5


# ---------------------------------------------------------------------------------------------
# Ranks of latent positives


@pytest.mark.parametrize("n", [1, 2, 9, 599, 600, 817])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_limits_are_those_of_a_saddlepoint(n: int, level: float) -> None:
    rng, size, tails = np.random.default_rng(n), 3000, ((1 - level) / 2, (1 + level) / 2)

    def quantile(values: list[float], tail: float) -> float:
        each, times = gaps_oracle.in_groups(values)
        return gaps_oracle.saddlepoint(each, tail, times)

    for least, most in ((1, size), (1, 2 * n + 3), (size - 2 * n, size), (1400, 1900)):
        ranks = np.sort(rng.choice(np.arange(least, most + 1), min(n, most - least), False))
        ranks = ranks.astype(float)
        found = hidden_positive_limits.mean_rank_limits(ranks, 70.5, size, level)
        wanted = gaps_oracle.limits_of_ranks(ranks.tolist(), 70.5, size, tails, quantile)
        assert found == pytest.approx(wanted, rel=1e-6)


# ---------------------------------------------------------------------------------------------
# Average precision


FEW = [((2, 5, 11), 30, 4), ((1, 2, 9, 20), 60, 3), ((4, 30), 50, 14), ((10, 20, 21, 40), 80, 5)]


@pytest.mark.parametrize(("known", "examples", "latent"), FEW)
def test_precision_limits_by_enumeration(known: Places, examples: int, latent: int) -> None:
    worst, best = gaps_oracle.average_precisions(known, examples, latent, 0.0)
    lower, upper = ap_limits(blocks(*known), latent, examples, 0.9)
    # A thousand draws say which share of all ways lies below to about 0.02.
    low, high = (np.quantile(worst, tail) for tail in (0.03, 0.07))
    assert low - 0.01 <= lower <= high + 0.01
    low, high = (np.quantile(best, tail) for tail in (0.93, 0.97))
    assert min(low, 1) - 0.01 <= upper <= min(high, 1) + 0.01


def checked_limits(places: Blocked, latent: int, examples: int) -> list[tuple[float, float]]:
    """Return limits at the levels 0.5 and 0.95, held against those of each draw in turn."""
    found, start, end = (np.array(column) for column in zip(*places, strict=True))
    known, n = KnownBlocks(found, np.cumsum(found), start, end), int(found.sum())
    following = int(end[0] if found[0] > 1 or end.size == 1 else end[1])
    first = min(end[0] ** 2 / (2 * following), float(start[0])) * max(1 - 10 / n, 0)
    drawn = gaps_oracle.drawn_precisions(places, examples, latent, first, harmonic)
    low, high = (np.sort(side) for side in drawn)
    limits = []
    for level, below in ((0.5, 249), (0.95, 24)):  # a quarter and .025 of 999 steps
        limits.append(ap_limits(known, latent, examples, level))
        assert limits[-1] == pytest.approx((low[below], min(high[999 - below], 1)), rel=1e-9)
    return limits


TIED = [
    [(1, 2, 5), (3, 9, 20), (2, 26, 30), (1, 60, 70)],
    [(4, 0, 10), (1, 30, 31), (5, 40, 60)],
    [(2, 7, 9), (1, 9, 30), (2, 75, 99)],
    [(3, 50, 120)],
    [(1, 30, 31), (12, 60, 80)],
    [(1, 11 * i, 11 * i + 1 + i % 3) for i in range(1, 9)],
    [(2, 20 * i - 1, 20 * i + 3) for i in range(1, 9)],
]


@pytest.mark.parametrize("more", [0, 2, 100])  # examples below the last known positive
@pytest.mark.parametrize("latent", [3, 25, 90])
@pytest.mark.parametrize("places", TIED)
def test_precision_limits_with_ties_are_drawn(places: Blocked, latent: int, more: int) -> None:
    narrow, wide = checked_limits(places, latent, places[-1][2] + more)
    assert wide[0] <= narrow[0] and narrow[1] <= wide[1] <= 1


CROWDED = [(1, start, start + 1) for start in [*range(0, 150, 2), *range(150, 5600, 100)]]


STARTS = np.cumsum(np.r_[np.full(60, 40), np.full(80, 8), np.full(60, 60)]).tolist()
UNEVEN = [(1 + i % 2, start, start + 3) for i, start in enumerate(STARTS)]
REST = [(1, 300 * i, 300 * i + 1) for i in range(1, 20)]
TOPS = [[(1, 99, 100), (1, 100, 101)], [(2, 98, 100)], [(1, 12, 100)]]


MANY = [
    ([(1, 9 * i, 9 * i + 4) for i in range(1, 91)], 300, 2000),
    ([(1, 9 * i, 9 * i + 4) for i in range(1, 92)], 300, 2000),
    ([(3, 9 * i + i * i // 40, 9 * i + i * i // 40 + 4) for i in range(1, 131)], 300, 4000),
    ([(1, 5 * i, 5 * i + 2) for i in range(1, 131)], 150, 1400),
    ([(1, 5 * i, 5 * i + 2) for i in range(1, 131)], 900, 1400),
    (CROWDED, 200, 6000),
    (UNEVEN, 600, 9000),
    (UNEVEN[60:], 40, 5893),
    *((top + REST, 500, 6000) for top in TOPS),
]


@pytest.mark.parametrize(("places", "latent", "examples"), MANY)
def test_precision_limits_of_many_blocks(places: Blocked, latent: int, examples: int) -> None:
    (lower, upper), wide = checked_limits(places, latent, examples)
    assert 0 < wide[0] < lower < upper <= wide[1] <= 1
    assert upper < 0.5 or latent != 500  # these start where known ones at the top say


def test_harmonic_numbers_are_those_of_the_digamma_function() -> None:
    number = np.array([5.0, 8, 20.5, 1e3, 1e9])
    np.testing.assert_allclose(harmonic(number), special.digamma(number + 1), atol=2e-5)
    assert harmonic(np.array([1.0])) == pytest.approx(special.digamma(2.0), abs=1.5e-3)


def test_one_block_has_one_precision() -> None:
    tied = KnownBlocks(np.array([4]), np.array([4]), np.array([0]), np.array([20]))
    assert ap_limits(tied, 6, 20, 0.95) == pytest.approx((0.5, 0.5))


# ---------------------------------------------------------------------------------------------
# Known positives with weights
