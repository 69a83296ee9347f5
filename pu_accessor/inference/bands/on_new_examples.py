"""The simultaneous band on new examples: known positives and the rest are two random samples."""

from functools import lru_cache, partial
from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.ranking import FloatArray, IntArray, Ranking

_ROUNDING = 1e-9  # a band is contradicted by more than this alone


class ConcaveBand(NamedTuple):
    """Limits of all concave functions within a band."""

    lower: FloatArray
    upper: FloatArray
    refuted_at: float | None  # where no concave function fits; the limits are then not cut


def cut_to_concave(
    x: FloatArray, lower: FloatArray, upper: FloatArray, slope: float
) -> ConcaveBand:
    """Cut a simultaneous band to the concave functions in it.

    `x` ascends from 0 to 1. The functions F never fall, with F(0) = 0 and F(1) = 1; F(x[i]) lies
    in [lower[i], upper[i]] and no slope exceeds `slope`. At equal `x` all limits hold. A function
    that is known between these places only by never falling needs nothing more: limits at other
    places are those of two further entries, (last lower, next upper).

    Notes
    -----
    The lower limit is the least concave majorant C of `lower`, itself such a function. A function
    through (x, y) exists where the majorant of C and (x, y) stays below `upper`. So the upper
    limit at x is the smallest of upper(x) and of all lines through a point of C and one of `upper`
    that lies between it and x. For one point (z, upper(z)) the lowest of these lines is the
    tangent of C. Tangents of a concave function do not cross beyond the places they touch it at:
    the lowest at x is the least steep of all from z < x. The line through (0, 0) with `slope` is
    one of them. The same is done from the right. At each x both limits are attained.

    A band that holds the true function with a probability of `level` is refuted, although that is
    concave, with a probability of at most 1 - `level`. Time grows as n*log(n).

    Examples
    --------
    A lower limit at .2 raises that at .4, up to the chord to (1, 1):

    >>> x = np.array([0, 0.2, 0.4, 1])
    >>> band = cut_to_concave(x, np.array([0, 0.4, 0.4, 1]), np.array([0, 0.5, 1, 1]), 4.0)
    >>> band.lower, band.upper.round(3)
    (array([0.  , 0.4 , 0.55, 1.  ]), array([0. , 0.5, 1. , 1. ]))
    """
    places, first, position = np.unique(x, return_index=True, return_inverse=True)
    low, high = np.maximum.reduceat(lower, first), np.minimum.reduceat(upper, first)
    low[-1], high[0] = 1.0, 0.0
    majorant, ends = concave_majorant(places, low)
    excess = majorant - np.minimum(high, slope * places if np.isfinite(slope) else np.inf)
    if excess.max() > _ROUNDING:
        return ConcaveBand(lower, upper, float(places[np.argmax(excess)]))
    high = np.minimum(
        _limit_from_left(places, majorant, ends, high, slope),
        _limit_from_left(
            1 - places[::-1], majorant[::-1], places.size - 1 - ends[::-1], high[::-1], 0.0
        )[::-1],
    )
    return ConcaveBand(majorant[position], np.maximum(high, majorant)[position], None)


def concave_majorant(x: FloatArray, values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the least concave majorant at each x, and the indices of its corners.

    Its slopes are the isotonic regression of the slopes between neighbours.
    """
    width = np.diff(x)
    slopes = np.diff(values) / width
    ends = scipy.optimize.isotonic_regression(slopes, weights=width, increasing=False).blocks
    return np.maximum(np.interp(x, x[ends], values[ends]), values), ends.astype(np.int64)


def _limit_from_left(
    x: FloatArray, majorant: FloatArray, ends: IntArray, upper: FloatArray, slope: float
) -> FloatArray:
    """Return the lowest of the upper limit at each x and of the tangents from the left of it.

    A tangent from (z, upper(z)) touches the corner up to which the edges of the majorant, drawn on
    to z, pass above that point: they pass lower and lower from corner to corner.
    """
    corner_x, corner = x[ends], majorant[ends]
    edge = np.diff(corner) / np.diff(corner_x)
    z, limit = x[1:], upper[1:]
    touched, last = np.zeros(z.size, np.int64), np.searchsorted(corner_x, z) - 1
    while (open_ := touched < last).any():
        middle = (touched + last) // 2
        above = corner[middle] + edge[middle] * (z - corner_x[middle]) > limit
        touched = np.where(open_ & above, middle + 1, touched)
        last = np.where(open_ & ~above, middle, last)
    touched = np.append(0, touched)
    steepness = np.full(x.size, slope)
    steepness[1:] = (limit - corner[touched[1:]]) / (z - corner_x[touched[1:]])
    flattest = np.minimum.accumulate(steepness)
    line = np.maximum.accumulate(np.where(steepness <= flattest, np.arange(x.size), 0))[:-1]
    tangent = corner[touched[line]] + steepness[line] * (z - corner_x[touched[line]])
    return np.append(upper[0], np.minimum(limit, tangent))


_COUNTED = 2_000  # examples up to which the local level is computed from paths
# Beyond, it falls as a power of log(n)*log(log(n)).
_POWER, _SAFETY = -1.15, 0.99
_MET = 1e-3  # how near to the level, relative, the probability of a miss comes from below
_ROUNDS = 50
_ANGLES = 7  # at which errors of both samples are combined
_KEPT = 2_000  # cutoffs that a curve is drawn through
_NODES = 1_000  # counts between which limits are interpolated
_TESTED = 0.95  # level at which a concave curve can be refuted, whatever is asked for


class Shares(NamedTuple):
    """Limits of the shares at or above each cutoff, shape (2, cutoffs): lower and upper."""

    known: FloatArray  # of positives: the true positive rate
    rest: FloatArray  # of the rest


class Rates(NamedTuple):
    """Limits at all thresholds, shape (2, cutoffs): lower and upper."""

    tpr: FloatArray  # holds jointly with fpr
    fpr: FloatArray
    lift: FloatArray  # true positive rate over the share of the rest: what precision depends on


class Curve(NamedTuple):
    """Limits of the true positive rate as a function of the share of the rest."""

    x: FloatArray  # shares of the rest at or above a threshold
    band: ConcaveBand


def bound_on_new(ranking: Ranking, b: float, level: float, monotone: bool) -> Rates:
    """Bound the rates on new examples at all thresholds jointly, with so much probability.

    `b` is the share of positives among the rest: unlabeled examples and known negatives. The
    rates at a threshold are those of new examples at this score: that the share of the rest above
    it is only estimated counts. With `monotone` a higher score never means a smaller probability
    of being positive; where the curve is refuted, nothing is cut.

    Notes
    -----
    Let F be the share of positives, and x that of the rest, at or above a threshold. Both have
    limits at all thresholds: see `limit_both`. Let F lie in [F1, F2] and x in [x1, x2]. The false
    positive rate is (x - b*F)/(1 - b), at most (x2 - b*F1)/(1 - b).

    As a function of x, F is at least F1 from x2 on, and at most F2 up to x1. Where it is concave,
    its slope at most 1/b, this band [L, H] is cut by `cut_to_concave`, and x - b*F never falls
    with x: fpr <= (x2 - b*L(x2))/(1 - b); and so from the other side. These limits of both rates
    hold jointly, without approximation.

    Limits of one quantity alone are narrower, and hold by themselves: see `limit_lift` and
    `limit_curve`. Where F is concave, the lift F/x never rises with the list. Without known
    positives, or without a rest, nothing bounds a rate but this.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank = np.arange(401)
    >>> known = np.minimum(rank // 2, 100)
    >>> ranking = Ranking(rank, 0.0 - rank, known, 0 * known, rank - known, Counts(100, 0, 300))
    >>> for monotone in (False, True):
    ...     rates = bound_on_new(ranking, 0.3, 0.95, monotone)
    ...     rates.lift[:, [20, 100]].round(2).tolist()
    [[0.68, 1.77], [3.33, 3.33]]
    [[2.34, 2.34], [3.33, 3.33]]
    """
    samples = both_samples(ranking)
    shares, slope = limit_both(*samples, level), 1 / b if b else np.inf
    lift = np.minimum(limit_lift(*samples, level), slope)
    if not monotone or bound_curve(ranking, b, _TESTED, True).band.refuted_at is not None:
        return Rates(shares.known, _fpr(shares.known, shares.rest, b), lift)
    lift[0] = np.maximum(np.maximum.accumulate(lift[0, ::-1])[::-1], 1.0)
    lift[1] = np.minimum.accumulate(lift[1])
    x = np.unique(np.concatenate([[0.0, 1.0], *shares.rest]))
    curve = cut_to_concave(x, *_as_curve(shares, x), slope)
    if curve.refuted_at is not None:
        nothing = np.repeat([[1.0], [0.0]], shares.known.shape[1], axis=1)
        return Rates(nothing, nothing, lift)
    first, last = np.searchsorted(x, shares.rest)
    lower = np.maximum(shares.known[0], curve.lower[first])
    upper = np.minimum(shares.known[1], curve.upper[last])
    corners = np.stack([curve.lower[last], curve.upper[first]])
    return Rates(np.stack([lower, upper]), _fpr(corners, shares.rest, b), lift)


def bound_curve(ranking: Ranking, b: float, level: float, monotone: bool) -> Curve:
    """Bound F as a function of x at all x jointly; cut to concave curves where `monotone`."""
    x, lower, upper = limit_curve(*both_samples(ranking), level)
    if not monotone:
        return Curve(x, ConcaveBand(lower, upper, None))
    return Curve(x, cut_to_concave(x, lower, upper, 1 / b if b else np.inf))


def refute_monotone(ranking: Ranking, level: float) -> float:
    """Return the share of the rest where no concave curve fits into the band; NaN: one fits.

    Where scores are monotone, none fits with a probability of at most 1 - level, at any beta.
    """
    refuted_at = bound_curve(ranking, 0.0, level, True).band.refuted_at
    return np.nan if refuted_at is None else refuted_at


def both_samples(ranking: Ranking) -> tuple[IntArray, IntArray, int, int]:
    """Return known positives and the rest at or above each cutoff, and how many there are."""
    n = ranking.total.known_positive
    rest = ranking.rank - ranking.known_positive
    return ranking.known_positive, rest, n, sum(ranking.total) - n


def _fpr(known: FloatArray, rest: FloatArray, b: float) -> FloatArray:
    """Return limits of the false positive rate, from those of F and of x."""
    return np.clip((rest - b * known[::-1]) / (1 - b), 0, 1)


def limit_lift(known: IntArray, rest: IntArray, n: int, size: int, level: float) -> FloatArray:
    """Limit F/x at all thresholds jointly, each of both with so much probability.

    Notes
    -----
    At each threshold the limits of F and of x are combined as for a ratio of two independent
    shares ([1]_, on the log scale), about the medians of the exact distributions that the limits
    are quantiles of. Known positives are what limits jump at: the lower ones are at the local
    level of n, the upper ones at that of the larger sample. This is no theorem; in the study
    "monotone" all thresholds are covered as promised.

    References
    ----------
    .. [1] G. Y. Zou, A. Donner, *Construction of confidence limits about effect measures: a
       general approach*, Statistics in Medicine 27 (2008) 1693-1702.

    Examples
    --------
    >>> limit_lift(np.array([0, 9, 12]), np.array([0, 5, 900]), 12, 900, 0.95).round(2).tolist()
    [[0.0, 32.84, 0.62], [inf, 1103.99, 1.01]]
    """
    if not n or not size:
        return np.repeat([[0.0], [np.inf]], known.size, axis=1)
    local = [local_alpha_of_share(each, level) for each in (n, max(n, size))]
    samples = known, rest, n, size
    return np.stack([ratio_limit(*samples, alpha, side) for side, alpha in enumerate(local)])


def median_and_limit(
    above: IntArray, size: int, alpha: float, side: int
) -> tuple[FloatArray, FloatArray]:
    """Return the median of a share at each cutoff, and its lower or upper limit."""
    return limit_shares(above, size, 1.0)[side], limit_shares(above, size, alpha)[side]


def ratio_limit(
    known: IntArray, rest: IntArray, n: int, size: int, alpha: float, side: int
) -> FloatArray:
    """Return the lower or the upper limit of F/x at each cutoff, missed with alpha/2."""
    first, first_limit = median_and_limit(known, n, alpha, side)
    second, second_limit = median_and_limit(rest, size, alpha, 1 - side)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.hypot(np.log(first / first_limit), np.log(second / second_limit))
        way = np.sign(first_limit - first + second - second_limit)
        limit: FloatArray = first / second * np.exp(way * spread)
    limit = np.where(second_limit > 0, limit, np.inf)
    return np.where(first_limit > 0, limit, 0.0)


def to_precision(lift: FloatArray, n: int, size: int, b: float) -> FloatArray:
    """Return the precision of new examples with the prevalence of these.

    Examples
    --------
    >>> to_precision(np.array([0.0, 1.0, 2.0, np.inf]), 20, 80, 0.0).round(3)
    array([0.   , 0.2  , 0.333, 1.   ])
    """
    with np.errstate(divide="ignore"):  # none above of one kind, or of the other
        return (n + b * size) / (n + size / lift)


def limit_curve(
    known: IntArray, rest: IntArray, n: int, size: int, level: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Limit F as a function of x: shares of the rest, lower and upper limits of F there.

    Notes
    -----
    Where the curve has the slope s, an error of x counts s times one of F. So both errors together
    are as far off as the root of their sum of squares, whatever the slope: the curve lies between
    all curves that are moved by z*sin(t) standard errors of F and z*cos(t) of x, with z that of
    the local level of n. Seven angles t stand for all; the shares take their exact quantiles. This
    is no theorem where a curve bends within its error; in the study "monotone" whole curves are
    covered more often than promised. Of very many cutoffs some are left out: the band between is
    wider by what F can grow there.

    Examples
    --------
    >>> x, lower, upper = limit_curve(np.array([0, 9, 12]), np.array([0, 5, 900]), 12, 900, 0.95)
    >>> place = np.searchsorted(x, 0.2)
    >>> lower[place].round(2), upper[place].round(2)
    (np.float64(0.33), np.float64(1.0))
    """
    if not n or not size:
        return np.array([0.0, 1.0]), np.zeros(2), np.ones(2)
    some = _thin(known.size)
    z = scipy.special.ndtri(local_alpha_of_share(n, level) / 2)
    ways = [(np.sin(angle), np.cos(angle)) for angle in np.linspace(0, np.pi / 2, _ANGLES)]
    of_known, of_rest = 2 * scipy.special.ndtr(z * np.transpose(ways))
    both = limit_at_each(known[some], n, of_known), limit_at_each(rest[some], size, of_rest)
    moved = [*map(Shares, *both)]
    x = np.unique(np.concatenate([[0.0, 1.0], *(side for each in moved for side in each.rest)]))
    lower, upper = zip(*(_as_curve(each, x) for each in moved), strict=True)
    return x, np.minimum.reduce(lower), np.maximum.reduce(upper)


def _thin(cutoffs: int) -> IntArray:
    """Return some of many cutoffs: all at both ends, and others evenly between."""
    if cutoffs <= 2 * _KEPT:
        return np.arange(cutoffs)
    ends, between = np.arange(_KEPT // 2), np.linspace(0, cutoffs - 1, _KEPT)
    return np.unique(np.concatenate([ends, between.astype(np.int64), cutoffs - 1 - ends]))


def limit_both(known: IntArray, rest: IntArray, n: int, size: int, level: float) -> Shares:
    """Limit the shares of both samples at all cutoffs jointly.

    Notes
    -----
    The samples are independent: their levels multiply to `level`. Of what may be missed, the rest
    gets sqrt(n)/(sqrt(n) + sqrt(size)), about where the sum of both half widths is smallest.

    Examples
    --------
    >>> shares = limit_both(np.array([0, 9, 12]), np.array([0, 5, 900]), 12, 900, 0.95)
    >>> shares.known.round(2).tolist(), shares.rest.round(3).tolist()
    ([[0.0, 0.32, 0.61], [0.39, 0.97, 1.0]], [[0.0, 0.0, 0.989], [0.011, 0.023, 1.0]])
    """
    if not n or not size:
        return Shares(*(np.repeat([[0.0], [1.0]], known.size, axis=1) for _ in range(2)))
    of_rest = 1 - (1 - level) * sqrt(n) / (sqrt(n) + sqrt(size))
    first = limit_shares(known, n, local_alpha_of_share(n, level / of_rest))
    return Shares(first, limit_shares(rest, size, local_alpha_of_share(size, of_rest)))


def limit_shares(above: IntArray, size: int, alpha: float) -> FloatArray:
    """Return exact limits of shares, of which so many of a sample are above; shape (2, cutoffs).

    Notes
    -----
    The share above the k-th best of n examples is Beta(k, n - k + 1) [1]_; each side misses with
    alpha/2.

    References
    ----------
    .. [1] C. J. Clopper, E. S. Pearson, *The use of confidence or fiducial limits illustrated in
       the case of the binomial*, Biometrika 26 (1934) 404-413.

    Examples
    --------
    >>> limit_shares(np.array([0, 5, 10]), 10, 0.05).round(3)
    array([[0.   , 0.187, 0.692],
           [0.308, 0.813, 1.   ]])
    """
    return np.asarray(limit_at_each(above, size, np.array([alpha]))[0])


def limit_at_each(above: IntArray, size: int, alphas: FloatArray) -> FloatArray:
    """Return what `limit_shares` does at each of some levels, shape (levels, 2, cutoffs)."""
    count, place = np.unique(above, return_inverse=True)
    limits = np.repeat([[[0.0], [1.0]]], alphas.size, axis=0).repeat(count.size, axis=2)
    limits[:, 0, count > 0] = _lower_limits(count[count > 0], size, alphas / 2)
    limits[:, 1, count < size] = 1 - _lower_limits(size - count[count < size], size, alphas / 2)
    return limits[..., place]


def _lower_limits(count: IntArray, size: int, tails: FloatArray) -> FloatArray:
    """Return quantiles of Beta(count, size - count + 1) at distinct counts, in order: by tail.

    Those of many are interpolated: on the logit scale they are a smooth function of the count.
    """
    turn = scipy.special.logit((count + 0.5) / (size + 1))
    nodes = np.arange(count.size)
    if count.size > 2 * _NODES:
        order = np.argsort(turn)
        even = np.linspace(turn[order[0]], turn[order[-1]], _NODES)
        nodes = order[np.unique(np.searchsorted(turn, even, sorter=order))]
    known = count[nodes], size - count[nodes] + 1
    limits = scipy.special.betaincinv(*known, tails[:, np.newaxis])
    if nodes.size == count.size:
        return np.asarray(limits, np.float64)
    interpolate = partial(scipy.interpolate.make_interp_spline, turn[nodes])
    smooth = [interpolate(each)(turn) for each in scipy.special.logit(limits)]
    return np.asarray(scipy.special.expit(smooth), np.float64)


@lru_cache(maxsize=1024)
def local_alpha_of_share(n: int, level: float, both: bool = True) -> float:
    """Return the largest local level at which limits of shares hold at all cutoffs jointly.

    `both` False is that of twice one side: of lower limits alone, or of upper ones.

    Notes
    -----
    This is the band "simultaneous" of n known positives with infinitely many latent ones. Beyond
    2,000 examples the local level falls as (log(n)*log(log(n)))**-1.15; measured up to 60,000 it
    is then 1 to 5% below the computed one.

    Examples
    --------
    >>> [round(local_alpha_of_share(n, 0.95), 5) for n in (1, 10, 1000, 10**6)]
    [0.05, 0.00738, 0.00107, 0.00034]
    """
    allowed = 1 - level
    if n > _COUNTED:
        growth = log(n) * log(log(n)) / (log(_COUNTED) * log(log(_COUNTED)))
        counted = local_alpha_of_share(_COUNTED, level, both)
        return float(_SAFETY * counted * growth**_POWER)
    sides = 1 if both else 2
    alpha = most = allowed * sides
    for _ in range(_ROUNDS):
        lower, upper = limit_shares(np.arange(n + 1), n, alpha)
        missed = 1 - stays_within(lower[1:], upper[:-1] if both else np.ones(n))
        if missed <= allowed * (1 + 1e-9) and (missed >= allowed * (1 - _MET) or alpha == most):
            break
        alpha = min(alpha * (1 - _MET / 2) * allowed / missed, most)
    return alpha


def stays_within(lower: FloatArray, upper: FloatArray) -> float:
    """Return P(lower[k] <= the k-th smallest of n uniform variables <= upper[k], at all k).

    Notes
    -----
    Given that it has n points, a Poisson process of rate n has them where n uniform variables are
    [1]_. At each limit in turn, the numbers of points so far that are still allowed have their
    probabilities; the points up to the next limit are a convolution. Time grows as n*sqrt(n).

    References
    ----------
    .. [1] A. Moscovich, B. Nadler, *Fast calculation of boundary crossing probabilities for
       Poisson processes*, Statistics & Probability Letters 123 (2017) 177-182.

    Examples
    --------
    >>> stays_within(np.array([0.0, 0.5]), np.array([0.5, 1.0]))
    0.5
    """
    n = lower.size
    place = np.concatenate([lower, upper])
    order = np.argsort(place, kind="stable")
    # Before its lower limit the k-th point has not come; from its upper limit on it has.
    fewest = np.repeat([0, 1], n) * np.tile(np.arange(1, n + 1), 2)
    most = np.where(fewest > 0, n, np.tile(np.arange(n), 2))
    least = np.maximum.accumulate(fewest[order])
    largest = np.minimum.accumulate(most[order][::-1])[::-1]
    mean = np.append(np.diff(place[order], prepend=0), 1 - place[order[-1]]) * n
    least, largest = np.append(least, n), np.append(largest, n)
    terms = (mean + 10 * np.sqrt(mean) + 16).astype(np.int64)  # others vanish
    points = np.arange(float(terms.max()))
    log_factorial = scipy.special.gammaln(points + 1)
    probability, first = np.ones(1), 0
    for rate, low, high, count in zip(
        *(each.tolist() for each in (mean, least, largest, terms)), strict=True
    ):
        more = np.exp(scipy.special.xlogy(points[:count], rate) - rate - log_factorial[:count])
        probability = np.convolve(probability, more)[low - first : high - first + 1]
        first = low
        if not probability.size:
            return 0.0
    return float(probability[0]) / exp(n * log(n) - n - scipy.special.gammaln(n + 1))


def _as_curve(shares: Shares, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return limits of F as a function of x at some places.

    The limits at all thresholds, best first, never fall. Nor does F: its lower limit is that of
    the last upper limit of x at or before a place, its upper one that of the next lower one.
    """
    lower = np.append(0.0, shares.known[0])[np.searchsorted(shares.rest[1], x, "right")]
    upper = np.append(shares.known[1], 1.0)[np.searchsorted(shares.rest[0], x, "left")]
    return lower, upper
