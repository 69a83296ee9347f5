"""Bounds on the hidden positives above a cutoff, by a band's name, a function or a pair of arrays.

A band is a function ``band(n, m, level) -> (lower, upper)``: of m hidden positives so many are
above a cutoff with k of n known ones, for k = 0..n. The pair itself is a band, too.

The simultaneous band has exact limits at a lower local level that apply to all cutoffs jointly.
With labels at random, each order of the n known and m hidden positives is a lattice path; those
inside the limits are counted [1]. With unequal odds, the probability of a miss is a ratio of two
functions linear in the odds of each positive. So the worst selection has odds of 1 down to some
rank and `selection_odds` below; all n + m + 1 of these are computed. Misses of both sides add up.

[1] G. P. Steck, Annals of Mathematical Statistics 40 (1969) 1449-1466. [2] [C15], section 4.1
(bootstrap). [3] P. Massart, Annals of Probability 18 (1990) 1269-1283 (dkw).
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from math import exp, inf, lgamma, log, sqrt
from operator import ge
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from pu_accessor.checks import as_array, check_option
from pu_accessor.errors import PUTypeError, PUValueError, brief, name_function
from pu_accessor.inference.exact_band import TOLERANCE, Bounds, PathLimits, exact, exact_each
from pu_accessor.ranking import FloatArray, IntArray
from pu_accessor.roles_and_assumptions import Band, Pair, UserBand

# Largest size whose paths are counted. Beyond, alpha' is scaled by a power of n*m/(n + m): up to
# 200,000 positives it is 2% to 11% below the counted one.
MAX_COUNTED = 20_000
# Largest counted size, relative precision, power and safety factor of the scaling beyond.
_AT_RANDOM = (MAX_COUNTED, 1e-4, -0.22, 0.93)
# By a power of n + m: up to 12,000 positives and odds of 1.3 to 30 it is 6% to 44% too low.
_WITH_ODDS = (1000, 4e-3, -0.3, 0.8)
_FIRST_GUESS = 0.11  # of alpha', for one pair of positives, relative to the error probability
_STEPS_PER_SCALING = 32  # path counts grow by a factor of at most m + 1 in each
_SLOPE = 0.87  # of the log of the miss probability, by the log of the local level
NEGLIGIBLE = 1e-10  # probability of exceeding the limits of the side that is not counted


def simultaneous(
    n: int,
    m: int,
    level: float,
    selection_odds: float = 1.0,
    *,
    one_sided: bool = False,
    cutoffs: int | None = None,
) -> Bounds:
    """Return exact limits at the largest alpha' that misses any cutoff with at most 1 - level."""
    alpha = local_alpha(n, m, level, selection_odds, one_sided)
    alpha = alpha_of_cutoffs(cutoffs, alpha, level, one_sided)
    return exact(n, m, 1 - alpha, selection_odds)


def alpha_of_cutoffs(cutoffs: int | None, alpha: float, level: float, one_sided: bool) -> float:
    """Return the larger of `alpha` and the Bonferroni level of so many fixed cutoffs."""
    return max(alpha, error_probability(level, one_sided) / cutoffs) if cutoffs else alpha


def error_probability(level: float, one_sided: bool) -> float:
    """Return 1 - level; with `one_sided` twice that, as a side misses with half of it."""
    return min(2 * (1 - level), 1.0) if one_sided else 1 - level


@lru_cache(maxsize=1 << 14)
def local_alpha(
    n: int, m: int, level: float, selection_odds: float = 1.0, one_sided: bool = False
) -> float:
    """Return the largest probability of missing a cutoff at which all are covered jointly."""
    # With `one_sided` it is twice that of missing it on one side.
    fewer, more = sorted((n, m))  # alpha' is symmetric in n and m
    most, at_random = error_probability(level, one_sided), selection_odds == 1
    if not fewer or selection_odds == inf:
        return most
    counted, precision, power, safety = _AT_RANDOM if at_random else _WITH_ODDS
    if n + m > counted:
        small = min(fewer, counted // 2)
        large = counted - small
        size, at = (n * m / (n + m), small * large / (small + large))
        growth = size / at if at_random else (n + m) / counted
        at_size = local_alpha(small, large, level, selection_odds, one_sided)
        return float(safety * at_size * growth**power)

    least = most / (n + m + 1)  # Bonferroni
    guess = _FIRST_GUESS * most * (n * m / (n + m)) ** _AT_RANDOM[2]
    if at_random:
        excess = _excess_at_random(fewer, more, most / 2 if one_sided else most, one_sided, guess)
    else:

        def excess(alpha: float) -> float:
            upper = exact(fewer, more, 1 - alpha, selection_odds)[1]
            return _log_excess(max_miss_probability(fewer, more, upper, selection_odds), most / 2)

    return _largest_without_excess(excess, least, most, precision, min(max(guess, least), most))


def _log_excess(missed: float, allowed: float) -> float:
    """Return the logarithm of missed/allowed, never infinite."""
    return log(max(missed / (allowed * (1 + TOLERANCE)), TOLERANCE))


def _excess_at_random(
    n: int, m: int, allowed: float, one_sided: bool, guess: float
) -> Callable[[float], float]:
    """Return the excess of random labels as a function of the local level."""
    path, outer_upper = PathLimits(n, m, guess / 2), exact(n, m, 1 - NEGLIGIBLE)[1]
    excess_by_limits: dict[bytes, float] = {}

    def excess(alpha: float) -> float:
        lower = np.append(0, path.limits(alpha / 2))
        limits = lower.tobytes()  # nearby levels have the same limits
        if limits not in excess_by_limits:
            upper = outer_upper if one_sided else m - lower[::-1]
            excess_by_limits[limits] = _log_excess(1 - joint_coverage(n, m, lower, upper), allowed)
        return excess_by_limits[limits]

    return excess


def joint_coverage(n: int, m: int, lower: IntArray, upper: IntArray) -> float:
    """Return the probability that hidden positives stay within limits at all cutoffs."""
    # Count from both ends to the middle; symmetric limits are counted once.
    reversed_limits, middle = (m - upper[::-1], m - lower[::-1]), n // 2
    above, below = np.zeros(m + 1), np.zeros(m + 1)
    above[: upper[0] + 1] = below[: reversed_limits[1][0] + 1] = 1
    scale = _extend_paths(below, *(side[1 : n - middle] for side in reversed_limits))
    if np.array_equal(lower, reversed_limits[0]):
        above, start, scale = below.copy(), n - middle, 2 * scale
    else:
        start = 1
    scale += _extend_paths(above, lower[start : middle + 1], upper[start : middle + 1])
    low, high = lower[middle], m - reversed_limits[0][n - 1 - middle]
    ways = above[low : high + 1] @ below[m - high : m - low + 1][::-1]
    orders = lgamma(n + m + 1) - lgamma(n + 1) - lgamma(m + 1)
    return min(exp(scale + log(ways) - orders), 1.0) if ways > 0 else 0.0


def _extend_paths(paths: FloatArray, lower: IntArray, upper: IntArray) -> float:
    """Extend path counts by one row of limits after another, in place; return their log scale."""
    scale = 0.0
    for row, (low, high) in enumerate(zip(lower.tolist(), upper.tolist(), strict=True)):
        inside = paths[low : high + 1]
        np.add.accumulate(inside, out=inside)
        if row % _STEPS_PER_SCALING == 0:
            if not inside[-1] > 0:
                return -inf
            scale += log(inside[-1])
            inside /= inside[-1]
    return scale


def max_miss_probability(n: int, m: int, upper: IntArray, selection_odds: float) -> float:
    """Return the largest probability, over selections, that hidden positives exceed limits."""
    shares, whole = _worst_shares(n, m, selection_odds), n + m
    known = np.arange(n + 1)
    covered_above = np.empty((whole + 1, n + 1))
    covered_above[0] = known == 0
    for t in range(1, whole + 1):
        before = covered_above[t - 1]
        row = before * (np.maximum(t - known, 0) / t)
        row[1:] += before[:-1] * (known[1:] / t)
        row[t - known > upper] = 0
        covered_above[t] = row
    coverage, covered_below = np.empty(whole + 1), np.where(known == n, 1.0, 0.0)
    coverage[whole] = covered_above[whole] @ shares[whole]
    for t in range(whole - 1, -1, -1):
        left = whole - t
        row = covered_below * (np.maximum(left - (n - known), 0) / left)
        row[:-1] += covered_below[1:] * ((n - known[:-1]) / left)
        row[t - known > upper] = 0
        covered_below = row
        coverage[t] = (covered_above[t] * covered_below) @ shares[t]
    return float(1 - coverage.min())


@lru_cache(maxsize=1)
def _worst_shares(n: int, m: int, odds: float) -> FloatArray:
    """Return P(k known among the first t) if only those below t have the odds, by t and k."""
    orders = scipy.special.gammaln(np.arange(1.0, n + m + 2))
    head, known = np.arange(n + m + 1)[:, np.newaxis], np.arange(n + 1)
    hidden = head - known
    possible = (hidden >= 0) & (hidden <= m)
    hidden = np.clip(hidden, 0, m)
    log_ways = -orders[known] - orders[hidden] - orders[n - known] - orders[m - hidden]
    log_ways = np.where(possible, log_ways - log(odds) * known, -np.inf)
    log_ways -= log_ways.max(axis=1, keepdims=True)
    ways = np.exp(log_ways)
    return np.asarray(ways / ways.sum(axis=1, keepdims=True))


def bisect_factor(
    is_true: Callable[[float], bool], low: float, high: float, precision: float
) -> tuple[float, float]:
    """Return a number that satisfies the condition and one that does not, within the precision."""
    while high > low * (1 + precision):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if is_true(middle) else (low, middle)
    return low, high


def _largest_without_excess(
    excess: Callable[[float], float], low: float, high: float, precision: float, guess: float
) -> float:
    """Return the number bisection gives for `excess` <= 0, or `high`, by fewer evaluations."""
    # Steps double while they go one way; only numbers that bisection can return are evaluated.
    largest_good, smallest_bad, factor, number = low, inf, 1.0, guess
    was_good: bool | None = None
    while largest_good < high:
        start, end = bisect_factor(partial(ge, number), low, high, precision)
        candidate = start if start > largest_good else end
        if candidate >= smallest_bad:
            break
        here = excess(candidate)
        good = here <= 0
        if good:
            largest_good = candidate
        else:
            smallest_bad = candidate
        factor, was_good = 2 * factor if good is was_good else 1.0, good
        step = factor * max(abs(here), precision) / _SLOPE
        number = candidate * exp(step if good else -step)
        if not largest_good < number < smallest_bad:
            number = (largest_good * smallest_bad) ** 0.5
    return largest_good


def bootstrap(n: int, m: int, level: float) -> Bounds:
    """Return quantiles of Binomial(n, k/n)/n times m: the percentile bootstrap [2]."""
    # It takes the hidden positives as infinitely many, so that its coverage is below the level.
    resampled = scipy.stats.binom(n, np.arange(n + 1) / n)
    tail = (1 - level) / 2
    # A quantile exactly on the tail belongs to it, also after rounding.
    fewest = np.asarray(resampled.ppf(tail * (1 - TOLERANCE)), np.int64)
    most = np.asarray(resampled.isf(tail * (1 + TOLERANCE)), np.int64)
    return fewest * m // n, -(-most * m // n)


def dkw(n: int, m: int, level: float) -> Bounds:
    """Return the rank CDF plus and minus sqrt(ln(2/(1 - level))/(2n)), times m [3]."""
    # It takes the hidden positives as infinitely many.
    width = sqrt(log(2 / (1 - level)) / (2 * n))
    share = np.arange(n + 1) / n
    lower = np.floor(np.maximum(share - width, 0) * m).astype(np.int64)
    upper = np.ceil(np.minimum(share + width, 1) * m).astype(np.int64)
    return lower, upper


BANDS: Mapping[str, Band] = {
    "exact": exact,
    "simultaneous": simultaneous,
    "bootstrap": bootstrap,
    "dkw": dkw,
}


def band_name(band: UserBand) -> str:
    """Return a band's name for attributes and legends."""
    if isinstance(band, tuple):
        return "pair"
    if callable(band):
        return str(getattr(band, "__name__", type(band).__name__))
    if not isinstance(band, str):
        hidden = " To draw none: band_kws={'alpha': 0}." * (band is None)
        raise PUTypeError(
            f"band must be one of {sorted(BANDS)}, a callable (n, m, level) -> (lower, upper), or "
            f"such a pair of arrays with n + 1 entries, but {brief(band)} was passed.{hidden}"
        )
    check_option("band", band, BANDS)
    return band


def hidden_bounds(band: Band | Pair, n: int, m: int, level: float) -> Bounds:
    """Return the checked limits of a function or a pair, for k = 0..n."""
    name = band_name(band)
    named = f"band {name!r} must be a function (n, m, level) -> (lower, upper)"
    with name_function(named, f"band({n}, {m}, {level})"):
        answer = band(n, m, level) if callable(band) else band
    try:
        lower, upper = map(as_array, answer)
    except (TypeError, ValueError) as error:
        raise PUTypeError(
            f"band {name!r} must have two arrays, (lower, upper), but is a "
            f"{type(answer).__name__}: {error}."
        ) from error
    lower, upper = (_check_counts(name, side, n, m) for side in (lower, upper))
    if (lower > upper).any():
        k = int(np.argmax(lower > upper))
        raise PUValueError(
            f"band {name!r} must have lower <= upper, but at k = {k} of n = {n} it has lower "
            f"{lower[k]} and upper {upper[k]} (m = {m})."
        )
    if m > 1 and upper.max() == 1:
        raise PUValueError(
            f"band {name!r} must have counts of the m = {m} hidden positives, but none is above "
            "1. Multiply shares by m before you round them."
        )
    return lower, upper


def hidden_bounds_of_many(
    band: UserBand, n: int, m: tuple[int, ...], level: float, *options: Any, **named: Any
) -> Bounds:
    """Return the limits of a band for several numbers of hidden positives, one row each."""
    if isinstance(band, str):
        return _bounds_by_name(band, n, m, level, *options, **named)
    return stack_bounds(lambda hidden: hidden_bounds(band, n, hidden, level), m)


@lru_cache(maxsize=8)  # models of the same examples need the same ones
def _bounds_by_name(
    band: str,
    n: int,
    m: tuple[int, ...],
    level: float,
    selection_odds: float = 1.0,
    one_sided: bool = False,
    cutoffs: int | None = None,
) -> Bounds:
    """Return the limits of a named band for several numbers of hidden positives."""
    if band == "simultaneous":
        sides = partial(simultaneous, one_sided=one_sided, cutoffs=cutoffs)
        return stack_bounds(lambda hidden: sides(n, hidden, level, selection_odds), m)
    if one_sided:
        level = 1 - error_probability(level, one_sided)
    if band == "exact" or selection_odds > 1:
        return exact_each(n, np.array(m, np.int64), level, selection_odds)
    return stack_bounds(lambda hidden: hidden_bounds(BANDS[band], n, hidden, level), m)


def stack_bounds(bounds: Callable[[int], Bounds], m: Iterable[int]) -> Bounds:
    """Return the bounds for each number of hidden positives, shape (numbers, known + 1)."""
    lower, upper = zip(*map(bounds, m), strict=True)
    return np.stack(lower), np.stack(upper)


def _check_counts(name: str, side: npt.NDArray[Any], n: int, m: int) -> IntArray:
    """Return one side of a user's band as int64, or raise."""
    if side.shape != (n + 1,):
        raise PUValueError(
            f"band {name!r} must have n + 1 = {n + 1} entries, one for each number of known "
            f"positives k = 0..n above the cutoff, but its shape is {side.shape}."
        )
    if not np.issubdtype(side.dtype, np.integer):
        raise PUTypeError(
            f"band {name!r} must have integers, counts of the m = {m} hidden positives, but "
            f"has {side.dtype}. For shares write np.floor(lower * m).astype(int) and "
            "np.ceil(upper * m).astype(int)."
        )
    table = side.astype(np.int64)  # differences of unsigned integers would wrap around
    if table.min() < 0 or table.max() > m:
        raise PUValueError(
            f"band {name!r} must have counts from 0 to m = {m}, but has {table.min()} to "
            f"{table.max()}."
        )
    if (np.diff(table) < 0).any():
        k = int(np.argmax(np.diff(table) < 0))
        raise PUValueError(
            f"band {name!r} must not decrease with k, but falls from {table[k]} at k = {k} to "
            f"{table[k + 1]} at k = {k + 1}."
        )
    return table
