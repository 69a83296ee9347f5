"""Simultaneous band on future data: known positives and the rest are two random samples.

F is the share of positives, x that of the rest, at or above a threshold; b is the share of
positives among the rest. The false positive rate is (x - b*F)/(1 - b). With limits [F1, F2] and
[x1, x2] it is at most (x2 - b*F1)/(1 - b). If scores are monotone, F is concave in x, with slopes
of at most 1/b, and the band is cut to such curves. Joint limits of both rates are exact; those of
F/x and of F as a function of x are no theorem, but simulated (coverage.csv: "curves of future
data").

[1] C. J. Clopper, E. S. Pearson, Biometrika 26 (1934) 404-413. [2] G. Y. Zou, A. Donner,
Statistics in Medicine 27 (2008) 1693-1702. [3] A. Moscovich, B. Nadler, Statistics & Probability
Letters 123 (2017) 177-182.
"""

from functools import lru_cache, partial
from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.inference.known_positives import FloatPair
from pu_accessor.ranking import FloatArray, IntArray, Numbers, Ranking

_TOLERANCE = 1e-9  # of a share, by which limits may cross
_MAX_COUNTED = 2_000  # examples up to which the local level is computed from paths
# Beyond, it falls as a power of log(n)*log(log(n)): up to 60,000 it is 1% to 5% too low.
_POWER, _SAFETY = -1.15, 0.99
_LEVEL_PRECISION, _MAX_ITERATIONS = 1e-3, 50
_ANGLES = 7  # at which errors of both samples are combined
_MAX_CUTOFFS = 2_000  # of a curve
_NODES = 1_000  # counts between which limits are interpolated
_CONCAVITY_LEVEL = 0.95  # at which a concave curve can be refuted, at any level


class ConcaveBand(NamedTuple):
    """Limits of all concave functions within a band."""

    lower: FloatArray
    upper: FloatArray
    refuted_at: float | None  # where no concave function fits; the limits are then not cut


def cut_to_concave(
    x: FloatArray, lower: FloatArray, upper: FloatArray, slope: float
) -> ConcaveBand:
    """Cut a simultaneous band to the concave functions F inside, in time n*log(n)."""
    # The upper limit is the lowest tangent to the majorant from a point of `upper`.
    distinct_x, first, position = np.unique(x, return_index=True, return_inverse=True)
    low, high = np.maximum.reduceat(lower, first), np.minimum.reduceat(upper, first)
    low[-1], high[0] = 1.0, 0.0
    majorant, ends = concave_majorant(distinct_x, low)
    excess = majorant - np.minimum(high, slope * distinct_x if np.isfinite(slope) else np.inf)
    if excess.max() > _TOLERANCE:
        return ConcaveBand(lower, upper, float(distinct_x[np.argmax(excess)]))
    high = np.minimum(
        _lowest_tangents_from_left(distinct_x, majorant, ends, high, slope),
        _lowest_tangents_from_left(
            1 - distinct_x[::-1], majorant[::-1], distinct_x.size - 1 - ends[::-1], high[::-1], 0.0
        )[::-1],
    )
    return ConcaveBand(majorant[position], np.maximum(high, majorant)[position], None)


def concave_majorant(x: Numbers, values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the least concave majorant at each x, and the indices of its corners."""
    width = np.diff(x)
    slopes = np.diff(values) / width
    ends = scipy.optimize.isotonic_regression(slopes, weights=width, increasing=False).blocks
    return np.maximum(np.interp(x, x[ends], values[ends]), values), ends.astype(np.int64)


def _lowest_tangents_from_left(
    x: FloatArray, majorant: FloatArray, ends: IntArray, upper: FloatArray, slope: float
) -> FloatArray:
    """Return the lower of the upper limit and the tangents to the majorant from the left."""
    corner_x, corner = x[ends], majorant[ends]
    edge = np.diff(corner) / np.diff(corner_x)
    z, limit = x[1:], upper[1:]
    touched, last = np.zeros(z.size, np.int64), np.searchsorted(corner_x, z) - 1
    while (unfinished := touched < last).any():
        middle = (touched + last) // 2
        above = corner[middle] + edge[middle] * (z - corner_x[middle]) > limit
        touched = np.where(unfinished & above, middle + 1, touched)
        last = np.where(unfinished & ~above, middle, last)
    touched = np.append(0, touched)
    steepness = np.full(x.size, slope)
    steepness[1:] = (limit - corner[touched[1:]]) / (z - corner_x[touched[1:]])
    flattest = np.minimum.accumulate(steepness)
    line = np.maximum.accumulate(np.where(steepness <= flattest, np.arange(x.size), 0))[:-1]
    tangent = corner[touched[line]] + steepness[line] * (z - corner_x[touched[line]])
    return np.append(upper[0], np.minimum(limit, tangent))


class Shares(NamedTuple):
    """Limits of the shares at or above each cutoff, shape (2, cutoffs): lower and upper."""

    known: FloatArray  # the true positive rate
    rest: FloatArray


class Rates(NamedTuple):
    """Limits at all thresholds, shape (2, cutoffs): lower and upper."""

    tpr: FloatArray  # jointly with fpr
    fpr: FloatArray
    lift: FloatArray  # true positive rate over the share of the rest: what precision depends on


def bound_rates(ranking: Ranking, b: float, level: float, monotone: bool) -> Rates:
    """Bound the rates on future data at all thresholds jointly; a refuted curve cuts nothing."""
    samples = counts_of_samples(ranking)
    shares, slope = joint_share_limits(*samples, level), 1 / b if b else np.inf
    lift = np.minimum(lift_limits(*samples, level), slope)
    if not monotone or bound_curve(ranking, b, _CONCAVITY_LEVEL).refuted_at is not None:
        return Rates(shares.known, _fpr(shares.known, shares.rest, b), lift)
    lift[0] = np.maximum(np.maximum.accumulate(lift[0, ::-1])[::-1], 1.0)
    lift[1] = np.minimum.accumulate(lift[1])
    x = np.unique(np.concatenate([[0.0, 1.0], *shares.rest]))
    curve = cut_to_concave(x, *_limits_by_x(shares, x), slope)
    if curve.refuted_at is not None:
        no_limits = np.repeat([[1.0], [0.0]], shares.known.shape[1], axis=1)
        return Rates(no_limits, no_limits, lift)
    first, last = np.searchsorted(x, shares.rest)
    lower = np.maximum(shares.known[0], curve.lower[first])
    upper = np.minimum(shares.known[1], curve.upper[last])
    corners = np.stack([curve.lower[last], curve.upper[first]])
    return Rates(np.stack([lower, upper]), _fpr(corners, shares.rest, b), lift)


def bound_curve(ranking: Ranking, b: float, level: float) -> ConcaveBand:
    """Bound F as a function of x at all x jointly, for concave curves."""
    x, lower, upper = curve_limits(*counts_of_samples(ranking), level)
    return cut_to_concave(x, lower, upper, 1 / b if b else np.inf)


def monotone_refuted_at(ranking: Ranking, level: float) -> float:
    """Return the share of the rest where no concave curve fits into the band, else NaN."""
    refuted_at = bound_curve(ranking, 0.0, level).refuted_at
    return np.nan if refuted_at is None else refuted_at


def counts_of_samples(ranking: Ranking) -> tuple[IntArray, IntArray, int, int]:
    """Return known positives and the rest at or above each cutoff, and both totals."""
    known, n = ranking.known_positive, ranking.total.known_positive
    return known, ranking.rank - known, n, sum(ranking.total) - n


def _fpr(known: FloatArray, rest: FloatArray, b: float) -> FloatArray:
    return np.clip((rest - b * known[::-1]) / (1 - b), 0, 1)


def lift_limits(known: IntArray, rest: IntArray, n: int, size: int, level: float) -> FloatArray:
    """Return joint limits of F/x, each side with at least the level, shape (2, cutoffs)."""
    # Lower limits are at the local level of n, upper ones at that of the larger sample.
    if not n or not size:
        return np.repeat([[0.0], [np.inf]], known.size, axis=1)
    local = [local_alpha_of_share(each, level) for each in (n, max(n, size))]
    samples = known, rest, n, size
    return np.stack([ratio_limit(*samples, alpha, side) for side, alpha in enumerate(local)])


def median_and_limit(above: IntArray, size: int, alpha: float, side: int) -> FloatPair:
    """Return the median of a share at each cutoff, and its lower or upper limit."""
    return share_limits(above, size, 1.0)[side], share_limits(above, size, alpha)[side]


def ratio_limit(
    known: IntArray, rest: IntArray, n: int, size: int, alpha: float, side: int
) -> FloatArray:
    """Return a limit of F/x at each cutoff, missed with alpha/2, on the log scale [2]."""
    first, first_limit = median_and_limit(known, n, alpha, side)
    second, second_limit = median_and_limit(rest, size, alpha, 1 - side)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.hypot(np.log(first / first_limit), np.log(second / second_limit))
        way = np.sign(first_limit - first + second - second_limit)
        limit: FloatArray = first / second * np.exp(way * spread)
    limit = np.where(second_limit > 0, limit, np.inf)
    return np.where(first_limit > 0, limit, 0.0)


def curve_limits(
    known: IntArray, rest: IntArray, n: int, size: int, level: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return x, and lower and upper limits of F there, for all x jointly."""
    # At a slope s an error of x counts s times one of F. So the limits contain all curves that are
    # moved by z*sin(t) standard errors of F and z*cos(t) of x, at seven angles t.
    if not n or not size:
        return np.array([0.0, 1.0]), np.zeros(2), np.ones(2)
    some = np.arange(known.size)
    if some.size > 2 * _MAX_CUTOFFS:  # all at both ends, and some evenly between
        ends, even = some[: _MAX_CUTOFFS // 2], np.linspace(0, some[-1], _MAX_CUTOFFS)
        some = np.unique(np.concatenate([ends, even.astype(np.int64), some[-1] - ends]))
    z = scipy.special.ndtri(local_alpha_of_share(n, level) / 2)
    directions = [(np.sin(angle), np.cos(angle)) for angle in np.linspace(0, np.pi / 2, _ANGLES)]
    of_known, of_rest = 2 * scipy.special.ndtr(z * np.transpose(directions))
    known_limits = share_limits_at_levels(known[some], n, of_known)
    rest_limits = share_limits_at_levels(rest[some], size, of_rest)
    moved = [*map(Shares, known_limits, rest_limits)]
    x = np.unique(np.concatenate([[0.0, 1.0], *(side for each in moved for side in each.rest)]))
    lower, upper = zip(*(_limits_by_x(each, x) for each in moved), strict=True)
    return x, np.minimum.reduce(lower), np.maximum.reduce(upper)


def joint_share_limits(known: IntArray, rest: IntArray, n: int, size: int, level: float) -> Shares:
    """Return joint limits of both shares; 1 - level is split by the roots of the sample sizes."""
    if not n or not size:
        return Shares(*(np.repeat([[0.0], [1.0]], known.size, axis=1) for _ in range(2)))
    of_rest = 1 - (1 - level) * sqrt(n) / (sqrt(n) + sqrt(size))
    first = share_limits(known, n, local_alpha_of_share(n, level / of_rest))
    return Shares(first, share_limits(rest, size, local_alpha_of_share(size, of_rest)))


def share_limits(above: IntArray, size: int, alpha: float) -> FloatArray:
    """Return Clopper and Pearson's limits of shares [1], shape (2, cutoffs)."""
    return np.asarray(share_limits_at_levels(above, size, np.array([alpha]))[0])


def share_limits_at_levels(above: IntArray, size: int, alphas: FloatArray) -> FloatArray:
    """Return these limits at each of some levels, shape (levels, 2, cutoffs)."""
    count, position = np.unique(above, return_inverse=True)
    limits = np.repeat([[[0.0], [1.0]]], alphas.size, axis=0).repeat(count.size, axis=2)
    limits[:, 0, count > 0] = _lower_limits(count[count > 0], size, alphas / 2)
    limits[:, 1, count < size] = 1 - _lower_limits(size - count[count < size], size, alphas / 2)
    return limits[..., position]


def _lower_limits(count: IntArray, size: int, tails: FloatArray) -> FloatArray:
    """Return quantiles of Beta(count, size - count + 1), interpolated if there are many."""
    logit = scipy.special.logit((count + 0.5) / (size + 1))
    nodes = np.arange(count.size)
    if count.size > 2 * _NODES:
        order = np.argsort(logit)
        even = np.linspace(logit[order[0]], logit[order[-1]], _NODES)
        nodes = order[np.unique(np.searchsorted(logit, even, sorter=order))]
    known = count[nodes], size - count[nodes] + 1
    limits = scipy.special.betaincinv(*known, tails[:, np.newaxis])
    if nodes.size == count.size:
        return np.asarray(limits, np.float64)
    interpolate = partial(scipy.interpolate.make_interp_spline, logit[nodes])
    logits = [interpolate(each)(logit) for each in scipy.special.logit(limits)]
    return np.asarray(scipy.special.expit(logits), np.float64)


@lru_cache(maxsize=1024)
def local_alpha_of_share(n: int, level: float, both: bool = True) -> float:
    """Return the largest local level at which limits of shares apply to all cutoffs jointly."""
    # With `both` False it is twice that of lower limits only, or of upper limits only.
    allowed = 1 - level
    if n > _MAX_COUNTED:
        growth = log(n) * log(log(n)) / (log(_MAX_COUNTED) * log(log(_MAX_COUNTED)))
        counted = local_alpha_of_share(_MAX_COUNTED, level, both)
        return float(_SAFETY * counted * growth**_POWER)
    alpha = most = allowed if both else 2 * allowed
    for _ in range(_MAX_ITERATIONS):
        lower, upper = share_limits(np.arange(n + 1), n, alpha)
        missed = 1 - probability_within(lower[1:], upper[:-1] if both else np.ones(n))
        is_close = missed >= allowed * (1 - _LEVEL_PRECISION) or alpha == most
        if missed <= allowed * (1 + 1e-9) and is_close:
            break
        alpha = min(alpha * (1 - _LEVEL_PRECISION / 2) * allowed / missed, most)
    return alpha


def probability_within(lower: FloatArray, upper: FloatArray) -> float:
    """Return P(lower[k] <= k-th smallest of n uniform variables <= upper[k] for all k) [3]."""
    n = lower.size
    limit = np.concatenate([lower, upper])
    ascending = np.argsort(limit, kind="stable")
    # The k-th point comes after its lower limit and before its upper limit.
    fewest = np.repeat([0, 1], n) * np.tile(np.arange(1, n + 1), 2)
    most = np.where(fewest > 0, n, np.tile(np.arange(n), 2))
    least = np.maximum.accumulate(fewest[ascending])
    largest = np.minimum.accumulate(most[ascending][::-1])[::-1]
    mean = np.append(np.diff(limit[ascending], prepend=0), 1 - limit[ascending[-1]]) * n
    least, largest = np.append(least, n), np.append(largest, n)
    terms = (mean + 10 * np.sqrt(mean) + 16).astype(np.int64)  # others vanish
    points = np.arange(float(terms.max()))
    log_factorial = scipy.special.gammaln(points + 1)
    probability, first = np.ones(1), 0
    steps = (each.tolist() for each in (mean, least, largest, terms))
    for rate, low, high, count in zip(*steps, strict=True):
        more = np.exp(scipy.special.xlogy(points[:count], rate) - rate - log_factorial[:count])
        probability = np.convolve(probability, more)[low - first : high - first + 1]
        first = low
        if not probability.size:
            return 0.0
    return float(probability[0]) / exp(n * log(n) - n - scipy.special.gammaln(n + 1))


def _limits_by_x(shares: Shares, x: FloatArray) -> FloatPair:
    """Return limits of F at some x, as F never falls."""
    lower = np.append(0.0, shares.known[0])[np.searchsorted(shares.rest[1], x, "right")]
    upper = np.append(shares.known[1], 1.0)[np.searchsorted(shares.rest[0], x, "left")]
    return lower, upper
