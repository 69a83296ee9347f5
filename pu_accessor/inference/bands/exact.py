"""The exact band: prediction limits of the latent positives at each cutoff."""

from math import sqrt
from typing import TypeAlias

import numpy as np
from scipy import interpolate, special

from pu_accessor.ranking import BoolArray, FloatArray, IntArray

__all__ = ["SAME", "Bounds", "exact"]

Bounds: TypeAlias = tuple[IntArray, IntArray]

# Probabilities that differ by less, relatively, are taken as equal. Limits often sit on a
# probability that is alpha/2 to the last digit (1/40 at n = 1, m = 39, level .95).
SAME = 1e-9

_SHORT = 20_000  # positives along which a walk is quicker
_EXTREME = 1e-6  # tails below which real counts are no guide to whole ones
_ENDS = 48  # known positives at both ends that are settled by themselves
_FIRST = 16  # known positives at both ends that a start is looked up for
_NODES = 8  # nodes for each unit of the logit
_STEPS, _NEAR = 8, 0.01  # of Newton's method, at most; one after which it ends, in counts
_NEXT = 1e-3  # distance to an integer, in counts, within which a count is settled by itself
_ERROR = 1e-8  # of the interpolation, in counts by m / sqrt(n): 20 times what it was measured
_ROWS = 32  # tails that are summed at once, in the cache
_FAR = 16  # standard deviations, from either limit to beyond the other end


def exact(n: int, m: int, level: float) -> Bounds:
    """Exact prediction limits, by inversion of the hypergeometric test.

    When the labels are selected completely at random, all orders of the n known and m latent
    positives are equally likely. The number of latent ones above the k-th known one is then
    BetaBinomial(m, k, n - k + 1), whatever the classifier [1]_. `lower` is the smallest count that
    this distribution does not reject at (1 - level)/2 when exactly k known positives are in the
    head, `upper` the largest. Each cutoff is covered with probability of at least `level`.

    Parameters
    ----------
    n, m : int
        Numbers of known and of latent positives; n at least 1.
    level : float
        Probability of coverage at each cutoff, in (0, 1).

    Returns
    -------
    lower, upper : ndarray of int64, shape (n + 1,)
        Latent positives in the head for each k = 0..n, in 0..m, non-decreasing.

    Notes
    -----
    Up to a level of 1 - 1e-8 the integers are those of the definition in rational arithmetic;
    beyond, rounding can move a limit by one. Time and memory grow as n where m is at least n, and
    as n + m otherwise.

    References
    ----------
    .. [1] S. Chakraborti, P. van der Laan, *Precedence probability and prediction intervals*,
       Journal of the Royal Statistical Society D 49 (2000) 219-228.

    Examples
    --------
    >>> lower, upper = exact(10, 50, 0.95)
    >>> lower[5], upper[5]
    (np.int64(8), np.int64(42))
    """
    lower = np.concatenate([[0], _smallest_not_rejected(n, m, (1 - level) / 2)])
    # Read from the bottom of the ranking, the k-th known positive is the (n - k + 1)-th.
    return lower, m - lower[::-1]


def _smallest_not_rejected(n: int, m: int, tail: float) -> IntArray:
    """Return, for k = 1..n, the smallest count that V_k exceeds with less than 1 - tail.

    V_k is the number of latent positives above the k-th known one.
    """
    if m == 0:
        return np.zeros(n, np.int64)
    known = np.arange(1, n + 1)
    if n + m <= _SHORT or m < n or tail < _EXTREME:
        count = _approximate_quantile(n, m, tail, known)
        return _settle(n, m, tail, known, count, *_walk(n, m, count))
    count, sure = _interpolate(n, m, tail)
    # Few are left: the ends, and those that are next to an integer.
    k = known[~sure]
    start = np.where(count[~sure] < 0, _approximate_quantile(n, m, tail, k), count[~sure])
    count[~sure] = _settle(n, m, tail, k, start, *_tails(n, m, k, start))
    return count


def _settle(
    n: int,
    m: int,
    tail: float,
    known: IntArray,
    count: IntArray,
    below: FloatArray,
    here: FloatArray,
) -> IntArray:
    """Move each count until it is the smallest with P(V_k <= count) > tail.

    `below` and `here` are P(V_k <= count) and P(V_k = count) at the start.
    """
    limit = tail * (1 + SAME)
    while (low := np.flatnonzero(below <= limit)).size:
        k, v = known[low], count[low]
        here[low] *= (m - v) / (v + 1) * ((k + v) / (n - k + m - v))
        below[low] += here[low]
        count[low] += 1
    while (high := np.flatnonzero((count > 0) & (below - here > limit))).size:
        k, v = known[high], count[high]
        below[high] -= here[high]
        here[high] *= v / (m - v + 1) * ((n - k + m - v + 1) / (k + v - 1))
        count[high] -= 1
    return count


def _approximate_quantile(n: int, m: int, tail: float, known: IntArray) -> IntArray:
    """Return the quantiles of the beta with the mean and variance of BetaBinomial(m, k, ...)."""
    weight = m * (n + 2) / (n + 1 + m) - 1
    if weight <= 0:  # m = 1: the count is 0 or 1
        return np.zeros(known.size, np.int64)
    some = known[_spread(known.size)]
    share = some / (n + 1)
    apart = special.betaincinv(weight * share, weight * (1 - share), tail) - share
    quantile = known / (n + 1) + np.interp(known, some, apart)
    count: IntArray = np.clip(np.floor(m * quantile), 0, m).astype(np.int64)
    return np.maximum.accumulate(count)


def _spread(size: int) -> IntArray:
    """Return some places of many, most of them at both ends: enough for a start between them."""
    if size <= 8 * _FIRST:
        return np.arange(size)
    turn = special.logit(_FIRST / size)
    inner = size * special.expit(np.linspace(turn, -turn, int(-2 * turn * _NODES) + 2))
    ends = np.arange(_FIRST)
    return np.unique(np.concatenate([ends, inner.astype(np.int64), size - 1 - ends]))


def _interpolate(n: int, m: int, tail: float) -> tuple[IntArray, BoolArray]:
    """Return the count for k = 1..n, and where it is sure; -1 where it is not even near.

    P(V_k <= v) is a smooth function of real v, too. So is the v at which it is `tail`, as a
    function of k: known at some k, evenly spaced in the logit of k/(n + 1), it is known at all.
    """
    count, sure = np.full(n, -1), np.zeros(n, np.bool_)
    inner = np.arange(_ENDS, n + 1 - _ENDS)
    if inner.size <= 2 * _ENDS:
        return count, sure
    turn = special.logit(_ENDS / (n + 1))
    evenly = special.expit(np.linspace(turn, -turn, int(-2 * turn * _NODES) + 2))
    nodes = np.unique(np.round((n + 1) * evenly).astype(np.int64))
    root = interpolate.make_interp_spline(
        special.logit(nodes / (n + 1)), _real_quantile(n, m, tail, nodes), k=7
    )(special.logit(inner / (n + 1)))
    count[inner - 1] = np.floor(root) + 1
    sure[inner - 1] = np.abs(root - np.round(root)) > max(_NEXT, _ERROR * m / sqrt(n))
    return count, sure


def _real_quantile(n: int, m: int, tail: float, known: IntArray) -> FloatArray:
    """Return the real v with P(V_k <= v) = tail, by Newton's method."""
    limit = tail * (1 + SAME)
    v: FloatArray = np.clip(_approximate_quantile(n, m, tail, known) - 0.5, 0, m)
    for _ in range(_STEPS):
        below, here = _tails(n, m, known, v)
        # P(V_k = v) is the slope at v - 1/2; of this at v + 1/2 the mean is that at v.
        slope = here * np.sqrt((m - v) / (v + 1) * ((known + v) / (n - known + m - v)))
        step = (below - limit) / slope
        v = np.clip(v - step, 0, m)
        if np.abs(step).max() < _NEAR:  # the next would be far smaller
            break
    return v


def _tails(
    n: int, m: int, known: IntArray, v: IntArray | FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return P(V_k <= v) and P(V_k = v) at some ascending k, each by itself."""
    starts = range(0, known.size, _ROWS)
    parts = [_some_tails(n, m, known[i : i + _ROWS], v[i : i + _ROWS]) for i in starts]
    below, here = zip(*parts, strict=True)
    return np.concatenate(below), np.concatenate(here)


def _some_tails(
    n: int, m: int, known: IntArray, count: IntArray | FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return P(V_k <= v) and P(V_k = v) at a few k.

    V_k <= v where at least k of the n known positives are among the best k + v: a hypergeometric
    tail. All its probabilities follow from that of k alone by rational ratios, outward until they
    vanish, and their sum is 1.
    """
    head, whole = known + count.astype(np.float64), n + m
    spread = np.sqrt(head * (whole - head) * (n / whole) * (m / whole) / whole).max()
    j = np.arange(float(min(n, int(_FAR * spread) + _ENDS)))
    k, v = known[:, np.newaxis], count[:, np.newaxis]
    # Each has a 0 after its last term.
    up = (n - k - j) * (v - j) / ((k + j + 1) * (m - v + j + 1))
    down = (k - j) * (m - v - j) / ((n - k + j + 1) * (v + j + 1))
    above = 1 + np.cumprod(up, axis=1).sum(axis=1)
    total = above + np.cumprod(down, axis=1).sum(axis=1)
    return above / total, known / head / total


def _walk(n: int, m: int, count: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return P(V_k <= count_k) and P(V_k = count_k) for k = 1..n, count non-decreasing.

    Start at k = 1, count = 0, where both are n/(n + m). Each step adds one to the count or to k.
    All ratios of probabilities along the way are rational, so that products and sums of them
    carry rounding errors of a few units in the last place, at any n and m.
    """
    before = np.concatenate([[0], count[:-1]])  # the count on arrival at each k
    steps = 1 + count - before  # at each k: arrive, then raise the count
    k = np.repeat(np.arange(1, n + 1), steps)
    raised = np.arange(k.size) - np.repeat(np.cumsum(steps) - steps, steps)
    v = np.repeat(before, steps) + raised
    arrive = raised == 0
    behind = n - k + m - v  # examples still to come after this place
    # P(V_k = v) over P(V_k = v - 1), or over P(V_{k-1} = v) on arrival at the next k
    upward = (m - v + 1) / np.maximum(v, 1) * ((k + v - 1) / (behind + 1))
    onward = (k + v - 1) / np.maximum(k - 1, 1) * ((n - k + 1) / (behind + 1))
    ratio = np.where(arrive, onward, upward)
    ratio[0] = n / (n + m)
    here = np.cumprod(ratio)
    # P(V_{k-1} <= v) - P(V_k <= v), over P(V_{k-1} = v)
    lost = (k + v - 1) / np.maximum(k - 1, 1) * ((m - v) / (behind + 1))
    change = np.where(arrive, -lost * np.concatenate([[0.0], here[:-1]]), here)
    change[0] = here[0]
    ends = np.cumsum(steps) - 1
    return np.cumsum(change)[ends], here[ends]
