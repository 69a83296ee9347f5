"""The exact band: prediction limits of the latent positives at each cutoff."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from scipy import interpolate, special

from pu_accessor.ranking import FloatArray, IntArray

Bounds: TypeAlias = tuple[IntArray, IntArray]
# From some m and as many k to the real limits there.
RealLimits: TypeAlias = Callable[[IntArray | FloatArray, IntArray], FloatArray]

# Probabilities that differ by less, relatively, are taken as equal. Limits often sit on a
# probability that is alpha/2 to the last digit (1/40 at n = 1, m = 39, level .95).
SAME = 1e-9

_SHORT = 20_000  # up to so many positives a walk is quicker
_EXTREME = 1e-6  # below this tail real counts do not tell the whole ones
_ENDS = 48  # known positives at both ends, of which each limit is computed by itself
_FIRST = 16  # known positives at both ends, of which each starting value is computed
_NODES = 8  # nodes for each unit of the logit
_STEPS, _NEAR = 8, 1e-5  # most steps of Halley's method; largest error after the last, in counts
_CHEBYSHEV = 14  # numbers of latent positives between which limits are interpolated
_NEXT = 1e-3  # limits this near to an integer, in counts, are computed by themselves
_ERROR = 1e-8  # of the interpolation, in counts by m / sqrt(n): 20 times the measured one
_ROWS = 32  # tails that are summed at once, in the cache
_FAR = 8  # standard deviations beyond which probabilities vanish


def exact(n: int, m: int, level: float) -> Bounds:
    """Exact prediction limits, by inversion of the hypergeometric test.

    When the labels are selected completely at random, all orders of the n known and m latent
    positives are equally likely. The number of latent ones above the k-th known one is then
    BetaBinomial(m, k, n - k + 1), whatever the classifier [1]_. `lower` is the smallest count that
    this distribution does not reject at (1 - level)/2 when exactly k known positives are in the
    head, `upper` the largest. Each cutoff is covered with probability of at least `level`.

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
    lower, upper = exact_each(n, np.array([m]), level)
    return lower[0], upper[0]


def exact_each(n: int, m: IntArray, level: float) -> Bounds:
    """Exact prediction limits for several numbers of latent positives, in less time than singly.

    Examples
    --------
    >>> lower, upper = exact_each(10, np.array([50, 20]), 0.95)
    >>> lower[:, 5], upper[:, 5]
    (array([8, 2]), array([42, 18]))
    """
    tail = (1 - level) / 2
    lower = np.zeros((m.size, n + 1), np.int64)
    walks = (n + m <= _SHORT) | (m < n) | (tail < _EXTREME)
    for row in np.flatnonzero(walks):
        lower[row, 1:] = _by_walk(n, int(m[row]), tail)
    if not walks.all():
        lower[~walks, 1:] = _by_interpolation(n, m[~walks], tail)
    # Read from the bottom of the ranking, the k-th known positive is the (n - k + 1)-th.
    return lower, m[:, np.newaxis] - lower[:, ::-1]


def _by_walk(n: int, m: int, tail: float) -> IntArray:
    """Return, for k = 1..n, the smallest count that V_k exceeds with less than 1 - tail.

    V_k is the number of latent positives above the k-th known one.
    """
    if m == 0:
        return np.zeros(n, np.int64)
    known = np.arange(1, n + 1)
    count = _approximate_quantiles(n, m, tail)
    return _settle(n, m, tail, known, count, *_walk(n, m, count))


def _settle(
    n: int,
    m: int | IntArray,
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
    latent = np.broadcast_to(m, known.shape)
    while (low := np.flatnonzero(below <= limit)).size:
        k, v, m = known[low], count[low], latent[low]
        here[low] *= (m - v) / (v + 1) * ((k + v) / (n - k + m - v))
        below[low] += here[low]
        count[low] += 1
    while (high := np.flatnonzero((count > 0) & (below - here > limit))).size:
        k, v, m = known[high], count[high], latent[high]
        below[high] -= here[high]
        here[high] *= v / (m - v + 1) * ((n - k + m - v + 1) / (k + v - 1))
        count[high] -= 1
    return count


def _approximate_quantiles(n: int, m: int, tail: float) -> IntArray:
    """Return quantiles for k = 1..n, most of them interpolated: good enough for a start."""
    if m == 1:  # the count is 0 or 1
        return np.zeros(n, np.int64)
    known = np.arange(1, n + 1)
    nodes = known[_start_indices(n)]
    apart = _beta_quantile(n, np.array(m), tail, nodes) - nodes / (n + 1)
    quantile = known / (n + 1) + np.interp(known, nodes, apart)
    count: IntArray = np.clip(np.floor(m * quantile), 0, m).astype(np.int64)
    return np.maximum.accumulate(count)


def _beta_quantile(n: int, m: IntArray | FloatArray, tail: float, known: IntArray) -> FloatArray:
    """Return the quantiles of the beta with the mean and variance of BetaBinomial(m, k, ...)/m."""
    weight = m * (n + 2) / (n + 1 + m) - 1
    share = known / (n + 1)
    quantile = special.betaincinv(weight * share, weight * (1 - share), tail)
    return np.asarray(quantile, np.float64)


def _start_indices(size: int) -> IntArray:
    """Return indices of many, dense at both ends, between which a start is interpolated."""
    if size <= 8 * _FIRST:
        return np.arange(size)
    inner = size * _even_logits(_FIRST / size)
    ends = np.arange(_FIRST)
    return np.unique(np.concatenate([ends, inner.astype(np.int64), size - 1 - ends]))


def _by_interpolation(n: int, m: IntArray, tail: float) -> IntArray:
    """Return what `_by_walk` does for several large m, a row for each.

    P(V_k <= v) is a smooth function of real v, too. So is the v at which it is `tail`, as a
    function of k: known at some k, evenly spaced in the logit of k/(n + 1), it is known at all.
    The ends are settled by themselves, and so is what comes out next to an integer.
    """
    root = np.full((m.size, n), np.nan)
    inner = np.arange(_ENDS, n + 1 - _ENDS)
    if inner.size > 2 * _ENDS:
        quantile = partial(_real_quantile, n, tail)
        root[:, inner - 1] = interpolate_limits(n, m, spread_nodes(n, _ENDS), inner, quantile)
    near = np.maximum(_NEXT, _ERROR * m[:, np.newaxis] / np.sqrt(n))
    row, column = np.nonzero(~(np.abs(root - np.rint(root)) > near))
    start, known, latent = root[row, column], column + 1, m[row]
    end = np.isnan(start)
    start[end] = latent[end] * _beta_quantile(n, latent[end], tail, known[end])
    root[row, column] = 0
    count: IntArray = np.floor(root).astype(np.int64) + 1
    first = np.clip(np.floor(start), 0, latent).astype(np.int64)
    below, here = _tails(n, latent, known, first, tail)
    count[row, column] = _settle(n, latent, tail, known, first, below, here)
    return count


def _even_logits(first: float) -> FloatArray:
    """Return shares from the first to one less it, evenly spaced in their logit."""
    turn = special.logit(first)
    return np.asarray(special.expit(np.linspace(turn, -turn, int(-2 * turn * _NODES) + 2)))


def spread_nodes(n: int, ends: int) -> IntArray:
    """Return some k between the ends, evenly spaced in the logit of k/(n + 1)."""
    return np.unique(np.round((n + 1) * _even_logits(ends / (n + 1))).astype(np.int64))


def interpolate_limits(
    n: int, m: IntArray, nodes: IntArray, inner: IntArray, real_limits: RealLimits
) -> FloatArray:
    """Return real limits at the known positives `inner`, from those at nodes; a row for each m."""
    limits = _limits_at_nodes(n, m, nodes, real_limits)
    spline = interpolate.make_interp_spline(special.logit(nodes / (n + 1)), limits, k=7)
    return np.asarray(spline(special.logit(inner / (n + 1))).T)


def _limits_at_nodes(n: int, m: IntArray, nodes: IntArray, real_limits: RealLimits) -> FloatArray:
    """Return the real limits at some k, a row each, and each m.

    As a share of m a limit is a smooth function of n/m, in (0, 1]: for many m it is interpolated
    between Chebyshev's nodes.
    """
    few = m.size <= _CHEBYSHEV
    turns = np.cos(np.pi * (np.arange(_CHEBYSHEV) + 0.5) / _CHEBYSHEV)
    least, most = n / m.max(), n / m.min()
    latent = m if few else n / ((least + most) / 2 + (most - least) / 2 * turns)
    limits = real_limits(np.tile(latent, nodes.size), np.repeat(nodes, latent.size))
    limits = limits.reshape(nodes.size, latent.size)
    if few:
        return limits
    share: FloatArray = interpolate.barycentric_interpolate(
        n / latent, limits / latent, n / m, axis=1
    )
    return share * m


def _real_quantile(n: int, tail: float, m: IntArray | FloatArray, known: IntArray) -> FloatArray:
    """Return the real v with P(V_k <= v) = tail, by Halley's method."""
    limit = tail * (1 + SAME)
    density = np.exp(-(special.ndtri(tail) ** 2) / 2) / np.sqrt(2 * np.pi)
    v: FloatArray = np.clip(m * _beta_quantile(n, m, tail, known) - 0.5, 0, m)
    for _ in range(_STEPS):
        below, here = _tails(n, m, known, v, tail)
        # P(V_k = v) is the slope at v - 1/2; of this at v + 1/2 the mean is that at v.
        growth = (m - v) / (v + 1) * ((known + v) / (n - known + m - v))
        slope = here * np.sqrt(growth)
        step = (below - limit) / slope
        v = np.clip(v - step / (1 - step * np.log(growth) / 2), 0, m)
        if (np.abs(step) ** 3 * (slope / density) ** 2).max() < _NEAR:  # that is what is left
            break
    return v


def _tails(
    n: int, m: IntArray | FloatArray, known: IntArray, v: IntArray | FloatArray, tail: float
) -> tuple[FloatArray, FloatArray]:
    """Return P(V_k <= v) and P(V_k = v) at some k, where the first is about `tail`."""
    head, whole = known + v, n + m
    spread = np.sqrt(head * ((whole - head) / whole) * (n / whole) * (m / whole))
    order = np.argsort(spread)  # those of one width at once
    parts = [order[i : i + _ROWS] for i in range(0, order.size, _ROWS)]
    below, here = np.empty(order.size), np.empty(order.size)
    away = -special.ndtri(tail)
    for part in parts:
        widest = spread[part[-1]]
        up, down = ((_FAR + side) * widest + _ENDS for side in (-away, away))
        below[part], here[part] = _sum_tails(
            n, m[part], known[part], v[part], min(n, int(up)), min(n, int(down))
        )
    return below, here


def _sum_tails(
    n: int,
    m: IntArray | FloatArray,
    known: IntArray,
    count: IntArray | FloatArray,
    more: int,
    fewer: int,
) -> tuple[FloatArray, FloatArray]:
    """Return P(V_k <= v) and P(V_k = v) at a few k.

    V_k <= v where at least k of the n known positives are among the best k + v: a hypergeometric
    tail. All its probabilities follow from that of k alone by rational ratios, outward until they
    vanish, and their sum is 1: `more` of them for more than k, `fewer` for fewer.
    """
    k, v, free = known[:, np.newaxis], count[:, np.newaxis], (m - count)[:, np.newaxis]
    # Each has a 0 after its last term.
    j = np.arange(float(more))
    up = (n - k - j) * (v - j) / ((k + 1 + j) * (free + 1 + j))
    above = 1 + np.cumprod(up, axis=1).sum(axis=1)
    j = np.arange(float(fewer))
    down = (k - j) * (free - j) / ((n - k + 1 + j) * (v + 1 + j))
    total = above + np.cumprod(down, axis=1).sum(axis=1)
    return above / total, known / (known + count) / total


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
