"""Exact prediction limits of the hidden positives above each cutoff.

With labels at random, all orders of the n known and m hidden positives are equally likely: the
number V_k of hidden ones above the k-th known one is BetaBinomial(m, k, n - k + 1) [1]. If the
odds of being labeled differ by a factor of at most G, the known ones above a cutoff follow, at
worst, Fisher's noncentral hypergeometric distribution with odds G or 1/G [2, 3].

[1] S. Chakraborti, P. van der Laan, J. R. Stat. Soc. D 49 (2000) 219-228. [2] P. R. Rosenbaum,
Observational Studies, 2nd ed., Springer (2002), chapter 4. [3] A. Fog, Communications in
Statistics: Simulation and Computation 37 (2008) 241-257.
"""

from math import acosh, ceil, factorial, inf, log
from typing import TypeAlias

import numpy as np
import scipy

from pu_accessor.ranking import FloatArray, IntArray, Numbers

Bounds: TypeAlias = tuple[IntArray, IntArray]

# Probabilities that differ by less count as equal: limits often sit exactly on alpha/2.
TOLERANCE = 1e-9

_MAX_PATH_POSITIVES = 20_000  # up to which paths are faster than interpolation
_MIN_INTERPOLATED_TAIL = 1e-6  # a smaller tail needs integer counts
_MIN_SMOOTH_COUNT = 16  # positives of each kind on both sides where limits are smooth
_MAX_SOLVED = 250  # of so few known positives each limit is computed
_NODES_PER_LOGIT, _MIN_NODES = 8, 16
_SPLINE_DEGREE = 7
_LOG_ERROR = 24.7  # minus the logarithm of the error between Chebyshev nodes
_INTEGER_DISTANCE = 1e-4  # nearer limits are computed exactly
_SPLINE_ERROR = 1e-8  # in counts, times m / sqrt(n)
_MIN_ROWS, _MAX_TERMS = 32, 1 << 14
_MAX_DEVIATIONS, _EXTRA_TERMS = 7.5, 16  # beyond, probabilities vanish
_MAX_ROUNDS, _MAX_ERROR = 12, 1e-4
_MAX_HIDDEN = 2**40  # limits of more hidden positives are scaled from here
_MAX_STEPS = 8


def exact(n: int, m: int, level: float, odds: float = 1.0) -> Bounds:
    """Return the counts that neither tail of BetaBinomial(m, k, n - k + 1) rejects, k = 0..n."""
    lower, upper = exact_each(n, np.array([m]), level, odds)
    return lower[0], upper[0]


def exact_each(n: int, m: IntArray, level: float, odds: float = 1.0) -> Bounds:
    """Return the limits of `exact` for several numbers of hidden positives, one row each.

    They apply to every selection within a factor of the odds of being labeled.
    """
    tail = (1 - level) / 2
    use_path = (n + m <= _MAX_PATH_POSITIVES) | (m < n) | (tail < _MIN_INTERPOLATED_TAIL)
    use_path &= odds == 1
    lower = _limits_within_odds(n, np.where(use_path, 0, m), tail, odds)
    for row in np.flatnonzero(use_path & (m > 0)):
        lower[row, 1:] = PathLimits(n, int(m[row]), tail).limits(tail)
    # Read from the bottom of the ranking, the k-th known positive is the (n - k + 1)-th, and known
    # positives have the odds against them.
    return lower, m[:, np.newaxis] - lower[:, ::-1]


class PathLimits:
    """Lower limits at any level, from the probabilities along one path of (k, count)."""

    def __init__(self, n: int, m: int, tail: float) -> None:
        self._n, self._m = n, m
        known, nodes = np.arange(1, n + 1), _spread_nodes(n, 1)
        apart = _beta_quantile(n, np.array(m), tail, nodes) - nodes / (n + 1)
        start = m * (known / (n + 1) + np.interp(known, nodes, apart))
        self._count = np.maximum.accumulate(np.clip(np.floor(start), 0, m).astype(np.int64))
        self._below, self._here = _path_probabilities(n, m, self._count)

    def limits(self, tail: float) -> IntArray:
        """Return the smallest counts with P(V_k <= count) > tail, for k = 1..n."""
        n, m = self._n, self._m
        known, limit = np.arange(1, n + 1), tail * (1 + TOLERANCE)
        count, below, here = self._count, self._below, self._here
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
        return count.copy()


def _beta_quantile(n: int, m: Numbers, tail: float, known: IntArray) -> FloatArray:
    """Return quantiles of the beta with the mean and variance of BetaBinomial(m, k, ...)/m."""
    weight = np.maximum(m * (n + 2) / (n + 1 + m) - 1, 1e-3)
    share = known / (n + 1)
    quantile = scipy.special.betaincinv(weight * share, weight * (1 - share), tail)
    return np.asarray(quantile, np.float64)


def _path_probabilities(n: int, m: int, count: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return P(V_k <= count_k) and P(V_k = count_k) for k = 1..n, count non-decreasing."""
    before = np.concatenate([[0], count[:-1]])
    steps = 1 + count - before  # at each k: arrive, then raise the count
    ends = np.cumsum(steps) - 1
    arrivals = 1 + ends - steps
    k = np.repeat(np.arange(1, n + 1), steps)
    v = np.arange(k.size) - np.repeat(arrivals - before, steps)
    # P(V_k = v) / P(V_k = v - 1)
    remaining = n - k + m - v
    ratio = (m - v + 1) / np.maximum(v, 1) * ((k + v - 1) / (remaining + 1))
    # P(V_k = v) / P(V_{k-1} = v)
    k, v, remaining = k[arrivals], before, remaining[arrivals]
    ratio[arrivals] = (k + v - 1) / np.maximum(k - 1, 1) * ((n - k + 1) / (remaining + 1))
    ratio[0] = n / (n + m)
    here = np.cumprod(ratio)
    # (P(V_{k-1} <= v) - P(V_k <= v)) / P(V_{k-1} = v)
    decrease = (k + v - 1) / np.maximum(k - 1, 1) * ((m - v) / (remaining + 1))
    change = here.copy()
    change[arrivals[1:]] = -decrease[1:] * here[arrivals[1:] - 1]
    return np.cumsum(change)[ends], here[ends]


def _limits_within_odds(n: int, m: IntArray, tail: float, odds: float) -> IntArray:
    """Return lower limits for every selection within a factor of the odds of being labeled."""
    # The upper one is the largest v with P_G(V >= v | s = k + v) > tail, with s positives above
    # the cutoff; the lower one is the smallest with P_1/G(V <= v | s = k + v) above that.
    lower = np.zeros((m.size, n + 1), np.int64)
    all_hidden, m = m, np.minimum(m, _MAX_HIDDEN)
    if odds < inf:
        limit = float(scipy.special.ndtri(tail * (1 + TOLERANCE)))
        side, known = _LowerLimits(n, limit, odds), np.arange(1, n + 1)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            for row in np.flatnonzero((m > 0) & (m < n)):
                exchanged = _LowerLimits(int(m[row]), -limit, 1 / odds)
                by_hidden = exchanged.limits(np.array([n]))[0] + 1
                lower[row, 1:] = np.searchsorted(by_hidden, known, side="right")
            if (m >= n).any():
                lower[m >= n, 1:] = side.limits(m[m >= n])
    if (all_hidden > m).any():
        lower = (lower * (all_hidden / np.maximum(m, 1))[:, np.newaxis]).astype(np.int64)
    return lower


class _LowerLimits:
    """Lower limits with `odds` of a known over a hidden positive to be above the cutoff."""

    def __init__(self, n: int, limit: float, odds: float) -> None:
        self._n, self._limit, self._odds = n, limit, odds

    def limits(self, m: IntArray) -> IntArray:
        """Return, for k = 1..n, the smallest count whose normal deviate exceeds the limit."""
        n, root = self._n, np.full((m.size, self._n), np.nan)
        smooth = n > _MAX_SOLVED and m.min() > 2 * _MIN_SMOOTH_COUNT
        if smooth and (nodes := self._logit_nodes(m)).size > _MIN_NODES:
            inner = np.arange(nodes[0], nodes[-1] + 1)
            root[:, inner - 1] = self._interpolate_limits(m, nodes, inner)
        tolerance = np.maximum(_INTEGER_DISTANCE, _SPLINE_ERROR * m[:, np.newaxis] / np.sqrt(n))
        unsolved = ~(np.abs(root - np.rint(root)) > tolerance)
        root[unsolved & np.isnan(root)] = -1
        count: IntArray = np.floor(root).astype(np.int64) + 1
        rows, columns = np.nonzero(unsolved)
        known, hidden, start = columns + 1, m[rows], root[rows, columns]
        unknown = start < 0
        start[unknown] = self._first_guess(hidden[unknown], known[unknown])
        count[rows, columns] = self._smallest_counts(hidden, known, start)
        return count

    def _logit_nodes(self, m: IntArray) -> IntArray:
        """Return k evenly spaced in their logit, with enough positives of each kind."""
        n, counts = self._n, []
        known = _spread_nodes(n, _MIN_SMOOTH_COUNT)
        logit = scipy.special.logit(known / (n + 1)) - log(self._odds)
        for hidden in (float(m.min()), float(m.max())):
            spread = 1 / known + 1 / (n + 1 - known) + 4 / hidden
            share = scipy.special.expit(logit + self._limit * np.sqrt(spread))
            counts += [hidden * share, hidden * (1 - share)]
        return np.asarray(known[np.min(counts, axis=0) >= _MIN_SMOOTH_COUNT])

    def _first_guess(self, m: Numbers, known: IntArray) -> FloatArray:
        """Return approximate limits: those of random labels, moved by the odds."""
        quantile = _beta_quantile(self._n, m, float(scipy.special.ndtr(self._limit)), known)
        share = scipy.special.expit(scipy.special.logit(quantile) - log(self._odds))
        return np.asarray(np.clip(m * share - 0.5, 0, m), np.float64)

    def _normal_deviates(self, m: Numbers, known: IntArray, count: Numbers) -> FloatArray:
        """Return normal deviates of P(V <= count | k + count), and of one count more."""
        counts = known, self._n - known, count, m - count
        first, second, third, fourth = (1 / (each + 0.5) for each in counts)
        spread = (first + second + third + fourth) ** -0.5
        order = np.argsort(spread)
        deviates = np.empty((2, order.size))
        last = order.size
        while last:
            widest = float(spread[order[last - 1]])
            up, down = (
                int((_MAX_DEVIATIONS + deviate) * widest) + _EXTRA_TERMS
                for deviate in (self._limit, -self._limit)
            )
            part = order[max(last - max(_MIN_ROWS, _MAX_TERMS // (up + down)), 0) : last]
            deviates[:, part] = self._sum_tails(m[part], known[part], count[part], up, down)
            last -= part.size
        return deviates

    def _sum_tails(
        self, m: Numbers, known: IntArray, count: Numbers, more: int, fewer: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return both deviates at a few k, by sums of rational ratios outward from k."""
        n, odds, free = self._n, self._odds, m - count
        k, v, rest = known[:, np.newaxis], count[:, np.newaxis], free[:, np.newaxis]
        j = np.arange(float(max(min(n, more), 1)))
        # For counts between integers, negative numbers left would make terms grow.
        up = (n - k) - j
        up *= np.maximum(v - j, 0) * odds
        up /= ((k + 1) + j) * ((rest + 1) + j)
        high = np.arange(float(max(min(n, fewer), 1)))
        down = k - high
        down *= np.maximum(rest - high, 0)
        down /= ((n - k + 1) + high) * ((v + 1) + high) * odds
        np.cumprod(up, axis=1, out=up)
        np.cumprod(down, axis=1, out=down)
        above, below = 1 + up.sum(axis=1), down.sum(axis=1)
        # Sums over the tail, from which the next positive comes.
        behind = (n - known) * above - up @ (j + 1)
        before = (n - known) * below + down @ (high + 1)
        last = (n - known + 1) * down[:, 0]
        left = n - known + free
        more_above = above + ((odds - 1) * behind + odds * last) / left
        fewer_below = below + ((odds - 1) * before - odds * last) / left
        return _deviate(above, below), _deviate(more_above, np.maximum(fewer_below, 0))

    def _smallest_counts(self, m: IntArray, known: IntArray, start: FloatArray) -> IntArray:
        """Return the smallest count that is not rejected, for each m and k."""
        low, high = np.full(m.size, -1), m.copy()
        count = np.clip(np.floor(start), 0, m - 1).astype(np.int64)
        rows = np.arange(m.size)
        for step in range(200):
            if not rows.size:
                break
            here, limit = count[rows], self._limit
            first, second = self._normal_deviates(m[rows], known[rows], here)
            low[rows] = np.where(first <= limit, here, low[rows])
            high[rows] = np.where(first > limit, here, high[rows])
            low[rows] = np.where(second <= limit, here + 1, low[rows])
            high[rows] = np.where((first <= limit) & (second > limit), here + 1, high[rows])
            aimed = here + (limit - first) / (second - first)
            middle = (low[rows] + high[rows]) / 2
            aimed = np.floor(np.where(np.isfinite(aimed) & (step < _MAX_STEPS), aimed, middle))
            aimed = np.clip(aimed, np.maximum(low[rows], 0), np.maximum(high[rows] - 1, 0))
            count[rows] = aimed.astype(np.int64)
            rows = rows[high[rows] - low[rows] > 1]
        return high

    def _real_limits(self, m: Numbers, known: IntArray) -> FloatArray:
        """Return the real count at which the tail probability is attained, by Newton's method."""
        count = self._first_guess(m, known)
        for _ in range(_MAX_ROUNDS):
            here, above = self._normal_deviates(m, known, count)
            step = (self._limit - here) / (above - here)
            count = np.clip(count + step, 0, m)
            if np.abs(step).max() < _MAX_ERROR:
                break
        return count

    def _interpolate_limits(self, m: IntArray, nodes: IntArray, inner: IntArray) -> FloatArray:
        """Return real limits at `inner` from those at nodes; one row for each m."""
        # Limits as shares of m are smooth in n/m: many are interpolated between Chebyshev nodes.
        n, least, most = self._n, self._n / m.max(), self._n / m.min()
        middle, half = (least + most) / 2, (most - least) / 2
        number = m.size
        if half:
            number = ceil(_LOG_ERROR / acosh((1 / self._odds + middle) / half))
        is_exact = m.size <= number
        chebyshev = np.cos(np.pi * (np.arange(number) + 0.5) / number)
        hidden = m if is_exact else n / (middle + half * chebyshev)
        limits = self._real_limits(np.tile(hidden, nodes.size), np.repeat(nodes, hidden.size))
        limits = limits.reshape(nodes.size, hidden.size)
        if not is_exact:
            share: FloatArray = scipy.interpolate.barycentric_interpolate(
                n / hidden, limits / hidden, n / m, axis=1
            )
            limits = share * m
        logit = scipy.special.logit(nodes / (n + 1))
        spline = scipy.interpolate.make_interp_spline(logit, limits, k=_SPLINE_DEGREE)
        # A piecewise polynomial is ten times as fast.
        ends = spline.t[_SPLINE_DEGREE:-_SPLINE_DEGREE]
        powers = [spline(ends[:-1], nu) / factorial(nu) for nu in range(_SPLINE_DEGREE, -1, -1)]
        pieces = scipy.interpolate.PPoly(np.stack(powers), ends)
        return np.asarray(pieces(scipy.special.logit(inner / (n + 1))).T)


def _deviate(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return the normal deviate of above/(above + below), precise in either tail."""
    smaller = scipy.special.ndtri(np.minimum(above, below) / (above + below))
    deviate: FloatArray = np.where(below < above, -smaller, smaller)
    deviate[np.isinf(above)] = np.inf
    return deviate


def _spread_nodes(n: int, ends: int) -> IntArray:
    """Return k between `ends` and n + 1 - `ends`, evenly spaced in the logit of k/(n + 1)."""
    first = scipy.special.logit(ends / (n + 1))
    logits = np.linspace(first, -first, int(-2 * first * _NODES_PER_LOGIT) + 2)
    return np.unique(np.round((n + 1) * scipy.special.expit(logits)).astype(np.int64))
