"""Bands against rational arithmetic, counted lattice paths and enumerated selections."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import stats

from pu_accessor.inference import bands
from pu_accessor.inference.bands import joint_coverage, local_alpha, simultaneous
from pu_accessor.inference.exact_band import exact, exact_each
from pu_accessor.inference.known_positives import weighted_bounds
from pu_accessor.ranking import FloatArray
from tests.cases import ORACLES
from tests.support.oracles import oracle, selection_oracle

LEVELS, FEW = st.sampled_from([0.2, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999999]), st.integers(1, 12)


def coverage(n: int, m: int, limits: oracle.Band) -> Fraction:
    """Return the probability that all prefixes lie within a band."""
    return Fraction(oracle.covered_arrangements(m, limits), math.comb(n + m, n))


@pytest.mark.parametrize("band", sorted(bands.BANDS))
@given(n=st.integers(1, 40), m=st.integers(0, 120), level=LEVELS)
@example(1, 19, 0.9)  # 1/(1 + m) is half of what is allowed itself: it is rejected
@example(1, 39, 0.95)
@example(2, 5, 0.5)
def test_band_agrees_with_rational_arithmetic(band: str, n: int, m: int, level: float) -> None:
    lower, upper = (side.tolist() for side in bands.hidden_bounds(bands.BANDS[band], n, m, level))
    if band == "simultaneous":
        assert coverage(n, m, (lower, upper)) >= oracle.decimal(level)
        # The local level is searched for, and may end just before a limit changes.
        assume(not oracle.is_at_the_edge(n, m, level))
        found, best = local_alpha(n, m, level), float(oracle.simultaneous(n, m, level).alpha)
        assert best * (1 - 1e-4) <= found <= best * (1 + 1e-9)
    assert (lower, upper) == ORACLES[band](n, m, level)


def test_the_slow_exact_band_is_that_of_all_arrangements() -> None:
    for one in ((1, 5, 0.8), (3, 4, 0.5), (5, 4, 0.95)):
        assert oracle.exact_band(*one) == oracle.exact_band_by_enumeration(*one)


@pytest.mark.parametrize("m", [2**31 + 11, 2**45 + 7])
def test_products_of_counts_that_no_float_holds(m: int) -> None:
    n = 40_001
    fewest, most = bands.hidden_bounds(bands.bootstrap, n, m, 0.95)
    for k in (1, 2, 7, 20_000, 33_333, 40_000):
        # Shares of n that resampled known positives have: whole numbers of them, times m over n.
        assert any(fewest[k] == j * m // n for j in range(k + 1))
        assert any(most[k] == -(-j * m // n) for j in range(k, n + 1))


# The exact band of many

SIZES = [(1, 1_000_000), (60, 300_000), (150, 25_000), (145, 20_000), (5_000, 3_000_000)]
SIZES += [(20_000, 20_000), (20_000, 19_999), (30_000, 100), (50_000, 1_000_000)]


@pytest.mark.parametrize("level", [0.5, 0.95, 1 - 1e-7])
@pytest.mark.parametrize(("n", "m"), SIZES)
def test_limits_are_exact(n: int, m: int, level: float) -> None:
    lower, upper = exact(n, m, level)
    # Both ends, the places where the ways of computing meet, and some at random.
    ends = [1, 2, 47, 48, 49, 50, n // 2, n - 49, n - 48, n - 47, n - 1, n]
    drawn = np.random.default_rng(m).integers(1, n + 1, 6).tolist()
    for k in sorted({k for k in [*ends, *drawn] if 1 <= k <= n}):
        # V_k <= v where k + v positives hold k known ones or more.
        before, through = stats.hypergeom.sf(k - 1, n + m, n, k + lower[k] - np.array([1, 0]))
        assert before <= (1 - level) / 2 * (1 + 1e-9) and (1 - level) / 2 < through * (1 + 1e-9)
    assert (upper == m - lower[::-1]).all() and (np.diff(lower) >= 0).all()


def test_limits_of_as_many_as_a_float_tells_apart() -> None:
    n, m = 300, 10**12
    lower = exact(n, m, 0.95)[0].tolist()
    for k, missed in product((76, 104, 188, 230), (1, 0)):
        head = k + lower[k] - missed
        ways = sum(math.comb(head, j) * math.comb(n + m - head, n - j) for j in range(k, n + 1))
        assert (40 * 10**9 * ways <= (10**9 + 1) * math.comb(n + m, n)) == missed


# The simultaneous band


@pytest.mark.parametrize(("n", "m", "level"), [(10, 2, 0.5), (1, 19, 0.9), (1, 39, 0.95)])
def test_coverage_that_is_exactly_the_level(n: int, m: int, level: float) -> None:
    best = oracle.simultaneous(n, m, level)
    assert coverage(n, m, best.band) == oracle.decimal(level)
    lower, upper = simultaneous(n, m, level)
    assert (lower.tolist(), upper.tolist()) == best.band


@given(data=st.data(), n=st.integers(1, 9), m=st.integers(0, 9))
def test_coverage_of_any_limits_is_counted(data: st.DataObject, n: int, m: int) -> None:
    """Also of limits that are not the same from the bottom."""
    drawn = st.lists(st.integers(0, m), min_size=n + 1, max_size=n + 1)
    first, second = (np.array(sorted(data.draw(drawn))) for _ in range(2))
    lower, upper = np.minimum(first, second), np.maximum(first, second)
    lower[0], upper[-1] = 0, m
    counted = coverage(n, m, (lower.tolist(), upper.tolist()))
    assert joint_coverage(n, m, lower, upper) == pytest.approx(float(counted), abs=1e-12)


LARGE = [(1, 20_000, 0.5), (2, 21_000, 0.99), (30, 21_000, 0.8), (3, 400, 0.95)]
LARGE += [(20_000, 2, 0.9), (20_000, 6, 0.99), (20_000, 300, 0.95), (1000, 21_000, 0.95)]
LARGE += [(200, 1800, 0.95), (700, 300, 0.95), (9000, 12_000, 0.95), (9000, 10**5, 0.95)]


@pytest.mark.parametrize("one_sided", [False, True])
@pytest.mark.parametrize(("n", "m", "level"), LARGE)
def test_little_is_wasted(n: int, m: int, level: float, one_sided: bool) -> None:
    sides = bands.hidden_bounds_of_many("simultaneous", n, (m,), level, one_sided=one_sided)
    lower, upper = (side[0] for side in sides)
    if one_sided:
        upper = exact(n, m, 1 - 1e-10)[1]
    few, exactly = min(n, m) < 100, (n, m) in ((200, 1800), (700, 300))
    waste = 0.001 if exactly else 0.0055 if not few else 0.01 if level >= 0.9 else 0.04
    assert level - 1e-9 <= joint_coverage(n, m, lower, upper) <= level + waste


@given(n=FEW, m=FEW, level=LEVELS, cutoffs=st.integers(1, 4))
def test_one_side_and_few_cutoffs(n: int, m: int, level: float, cutoffs: int) -> None:
    best = oracle.one_sided(n, m, level)
    lower, upper = (side.tolist() for side in simultaneous(n, m, level, one_sided=True))
    allowed = min(1 - oracle.decimal(level), Fraction(1, 2))
    assert 1 - coverage(n, m, (lower, [m] * (n + 1))) <= allowed
    assert upper == [m - count for count in reversed(lower)]
    alpha = Fraction(local_alpha(n, m, level, 1.0, one_sided=True)) / 2 * math.comb(n + m, n)
    wider = oracle.band_at(n, m, alpha * Fraction(1.0003))[0]
    assert wider != lower or lower == best[0]  # the local level is searched for
    few = bands.hidden_bounds_of_many("simultaneous", n, (m,), level, cutoffs=cutoffs)
    if not oracle.is_at_the_edge(n, m, level):
        shared = oracle.at_scores(oracle.simultaneous_band, range(cutoffs + 1))
        assert (few[0][0].tolist(), few[1][0].tolist()) == shared(n, m, level)
    at_each = exact_each(n, np.array([m]), 1 - (1 - level) / cutoffs, 2.0)
    for_all = bands.hidden_bounds_of_many("simultaneous", n, (m,), level, 2.0)
    within = bands.hidden_bounds_of_many("simultaneous", n, (m,), level, 2.0, cutoffs=cutoffs)
    for side, choose in ((0, np.maximum), (1, np.minimum)):  # the narrower one
        np.testing.assert_array_equal(within[side], choose(at_each[side], for_all[side]))
    how: dict[str, Any] = {"cutoffs": 1, "one_sided": True}
    one = bands.hidden_bounds_of_many("simultaneous", n, (m,), level, **how)[0][0].tolist()
    assert one == oracle.band_at(n, m, allowed * math.comb(n + m, n))[0]


# Within a factor of odds


def test_numbers_at_once_have_the_limits_of_each() -> None:
    m = np.arange(500, 1000, 30)
    each = [exact_each(400, m[[place]], 0.95, 2.0) for place in range(m.size)]
    found, alone = exact_each(400, m, 0.95, 2.0), map(np.concatenate, zip(*each, strict=True))
    assert all(map(np.array_equal, found, alone))


@pytest.mark.parametrize("odds", [1.5, 4.0])
def test_the_simultaneous_band_holds_for_every_selection(odds: float) -> None:
    n, m, level = 4, 5, 0.8
    lower, upper = (side.tolist() for side in simultaneous(n, m, level, odds))
    rng = np.random.default_rng(1)
    for each in [*rng.uniform(1, odds, (5, n + m)), *odds ** rng.integers(0, 2, (10, n + m))]:
        weights = [Fraction(float(weight)) for weight in each]
        below, above = selection_oracle.missed(weights, n, (lower, upper))
        assert float(below + above) <= 1 - level


def test_limits_within_odds_are_those_of_all_counts() -> None:
    for n, m in product(range(1, 9), range(2, 8)):
        wanted = selection_oracle.band(n, m, Fraction(1, 2), Fraction(3, 2))
        assert tuple(x[0].tolist() for x in exact_each(n, np.array([m]), 0.5, 1.5)) == wanted


# In the last case what is missed is .02501 over many levels.
WITHIN = [(40, 120, 2.0), (30, 200, 8.0), (80, 80, 1.1), (3, 60, 1.2), (15, 173, 3.0)]


@pytest.mark.parametrize(("n", "m", "odds"), WITHIN)
def test_the_local_level_is_the_largest(n: int, m: int, odds: float) -> None:
    alpha, missed = local_alpha(n, m, 0.95, odds), []
    for local in (alpha, 1.004 * alpha):
        upper = exact_each(n, np.array([m]), 1 - local, odds)[1][0]
        missed.append(bands.max_miss_probability(n, m, upper, odds))
    assert missed[0] <= 0.025 * (1 + 1e-9) < missed[1]


def test_the_local_level_may_be_the_joint_one() -> None:
    # One known positive comes after 38 latent ones with a probability of 2/(2 + 38) at most.
    assert local_alpha(1, 38, 0.9, 2.0) == pytest.approx(0.1, rel=1e-12)
    assert simultaneous(1, 38, 0.9, 2.0)[1].tolist() == [37, 38]
    assert local_alpha(20, 12, 0.95, 30.0) == 1 - 0.95
    # The only latent one comes after 199 of 200 with a probability of 2 * 2/(2 * 2 + 199).
    assert exact_each(200, np.array([1]), 0.95, 2.0)[0].tolist() == [[0] * 199 + [1, 1]]


@pytest.mark.parametrize(("n", "m"), [(400, 1600), (1600, 400)])
def test_the_local_level_of_many_positives_is_scaled_from_fewer(n: int, m: int) -> None:
    fewer = min(n, m, 500)
    counted = local_alpha(fewer, 1000 - fewer, 0.95, 3.0)
    scaled = 0.8 * counted * ((n + m) / 1000) ** -0.3
    assert local_alpha(n, m, 0.95, 3.0) == pytest.approx(scaled, rel=1e-12)


def slow_bounds(weight: FloatArray, m: int, level: float) -> list[list[int]]:
    """Return the limits of the docstring, cutoff by cutoff: lower and upper."""
    n, hidden = weight.size, weight - 1 if (weight > 1).any() else np.ones(weight.size)
    v = m * hidden / hidden.sum()

    def fewest(v: FloatArray) -> list[int]:
        """Return the lower limits of a ranking, best-ranked first."""
        shares, logs, half = [], np.log(1 + v), min(10, n // 2)
        for k in range(1, n + 1):
            unseen = (1 + v)[max(k - 10, 0) :].max()
            if half:
                first = max(k - 2 * half, 0)
                before, next_to = logs[first : first + half], logs[first + half : first + 2 * half]
                unseen *= max(float(np.exp(next_to.mean() - before.mean())), 1.0)
            sides = v[:k], np.append(v[k:], unseen - 1)
            mean, other = (side.sum() for side in sides)
            variance, scatter = ((side * (1 + side)).sum() for side in sides)
            if mean < 1e-12 or other < 1e-12:  # nothing in the head, or all of it
                shares.append(float(mean > 1e-12))
                continue
            share = stats.beta.ppf((1 - level) / 2, mean**2 / variance, other**2 / scatter)
            odds = variance / mean * share
            shares.append(odds / (odds + scatter / other * (1 - share)))
        return [0, *(int(m * min(shares[k:])) for k in range(n))]

    sums = [0.0, *np.cumsum(v)]
    middle = [int(min(each, m) + 0.5) for each in sums]
    ends = fewest(v), [m - few for few in fewest(v[::-1])[::-1]]
    most = [max(many, near) for many, near in zip(ends[1], middle, strict=True)]
    return [[min(few, near) for few, near in zip(ends[0], middle, strict=True)], most]


@pytest.mark.parametrize("n", [1, 2, 3, 10, 11, 21, 35])
@pytest.mark.parametrize("seed", range(2))
def test_bounds_are_those_of_gamma_variables(seed: int, n: int) -> None:
    rng = np.random.default_rng([seed, n])
    weight = np.exp(rng.normal(0.5, 1, n) + (seed - 1) * np.linspace(-2, 2, n)) + 1
    weight[rng.random(n) < 0.1] = 1  # certain to be labeled
    for m, level in ((1, 0.2), (7, 0.5), (60, 0.95), (100_003, 0.9)):
        found = weighted_bounds(weight, m, level)
        assert [side.tolist() for side in found] == slow_bounds(weight, m, level)
