"""The exact band: prediction limits of the latent positives at each cutoff.

Where labels are not quite random, the odds of being labeled differ by a factor at most. Known and
latent positives are then in the head with probabilities whose odds ratio is at most that factor
either way. Given how many positives are in the head, the known ones among them follow Fisher's
noncentral hypergeometric distribution: each probability follows from the one before by a rational
ratio, as without the factor, but the tails of two cutoffs do not follow from each other. So tails
are summed at a few cutoffs, and the limits of the others interpolated.
"""

from math import acosh, ceil, factorial, inf, log
from typing import TypeAlias

import numpy as np
import scipy

from pu_accessor.ranking import BoolArray, FloatArray, IntArray

Bounds: TypeAlias = tuple[IntArray, IntArray]

# Probabilities that differ by less, relatively, are taken as equal. Limits often sit on a
# probability that is alpha/2 to the last digit (1/40 at n = 1, m = 39, level .95).
SAME = 1e-9

_SHORT = 20_000  # up to so many positives a walk is quicker
_EXTREME = 1e-6  # below this tail real counts do not tell the whole ones
_ENDS = 16  # positives of a kind at both ends between which limits are smooth
_FEW = 250  # known positives whose limits are computed one by one
_NODES, _FEWEST_NODES = 8, 16  # for each unit of the logit; between which limits are interpolated
_DEGREE = 7  # of splines between them
_DIGITS = 24.7  # -log of the error of limits between some numbers of latent positives
_NEXT = 1e-4  # limits this near to an integer, in counts, are computed by themselves
_ERROR = 1e-8  # of the interpolation, in counts by m / sqrt(n)
_ROWS, _HELD = 32, 1 << 14  # tails that are summed at once, at least; terms of them, at most
_FAR, _MORE = 7.5, 16  # standard deviations, and terms, after which probabilities vanish
_STEPS, _NEAR = 12, 1e-4  # most steps to a real limit; largest error after the last, in counts
_MOST = 2**40  # latent positives: limits of more are as large a share of these
_TRIED = 8  # secants to an integer limit, after which the interval is halved


def exact(n: int, m: int, level: float) -> Bounds:
    """Exact prediction limits, by inversion of the hypergeometric test.

    When the labels are selected completely at random, all orders of the n known and m latent
    positives are equally likely. The number of latent ones above the k-th known one is then
    BetaBinomial(m, k, n - k + 1), whatever the classifier [1]_. `lower` is the smallest count that
    this distribution does not reject at (1 - level)/2 when exactly k known positives are in the
    head, `upper` the largest. Each cutoff is covered with probability of at least `level`.

    Notes
    -----
    Up to a level of 1 - 1e-8, and 10**12 latent positives, the integers are those of the
    definition in rational arithmetic; beyond, rounding can move a limit by one, or by 1e-12 of
    it. Time and memory grow as n where m is at least n, and as n + m otherwise.

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
    walks = (n + m <= _SHORT) | (m < n) | (tail < _EXTREME)
    lower, _ = exact_within(n, np.where(walks, 0, m), level, 1.0)
    for row in np.flatnonzero(walks):
        lower[row, 1:] = Walk(n, int(m[row]), tail).limits(tail)
    # Read from the bottom of the ranking, the k-th known positive is the (n - k + 1)-th.
    return lower, m[:, np.newaxis] - lower[:, ::-1]


class Walk:
    """Lower limits at any level, from the probabilities along one walk.

    V_k is the number of latent positives above the k-th known one. Most starting values are
    interpolated; each is moved until it is the smallest count with P(V_k <= count) > tail. Limits
    at another level start from the last ones.
    """

    def __init__(self, n: int, m: int, tail: float) -> None:
        self._n, self._m = n, m
        if not (n and m):
            return
        known, nodes = np.arange(1, n + 1), _spread_nodes(n, 1)
        apart = _beta_quantile(n, np.array(m), tail, nodes) - nodes / (n + 1)
        start = m * (known / (n + 1) + np.interp(known, nodes, apart))
        self._count = np.maximum.accumulate(np.clip(np.floor(start), 0, m).astype(np.int64))
        self._below, self._here = _walk(n, m, self._count)

    def limits(self, tail: float) -> IntArray:
        """Return, for k = 1..n, the smallest count that V_k exceeds with less than 1 - tail."""
        n, m = self._n, self._m
        if not (n and m):
            return np.zeros(n, np.int64)
        known, limit = np.arange(1, n + 1), tail * (1 + SAME)
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


def _beta_quantile(n: int, m: IntArray | FloatArray, tail: float, known: IntArray) -> FloatArray:
    """Return the quantiles of the beta with the mean and variance of BetaBinomial(m, k, ...)/m."""
    weight = np.maximum(m * (n + 2) / (n + 1 + m) - 1, 1e-3)
    share = known / (n + 1)
    quantile = scipy.special.betaincinv(weight * share, weight * (1 - share), tail)
    return np.asarray(quantile, np.float64)


def _walk(n: int, m: int, count: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return P(V_k <= count_k) and P(V_k = count_k) for k = 1..n, count non-decreasing.

    Start at k = 1, count = 0, where both are n/(n + m). Each step adds one to the count or to k.
    All ratios of probabilities along the way are rational, so that products and sums of them
    carry rounding errors of a few units in the last place, at any n and m.
    """
    before = np.concatenate([[0], count[:-1]])  # the count on arrival at each k
    steps = 1 + count - before  # at each k: arrive, then raise the count
    ends = np.cumsum(steps) - 1
    arrivals = 1 + ends - steps
    k = np.repeat(np.arange(1, n + 1), steps)
    v = np.arange(k.size) - np.repeat(arrivals - before, steps)
    # P(V_k = v) over P(V_k = v - 1); behind are the examples still to come after this place
    behind = n - k + m - v
    ratio = (m - v + 1) / np.maximum(v, 1) * ((k + v - 1) / (behind + 1))
    # On arrival at the next k: over P(V_{k-1} = v)
    k, v, behind = k[arrivals], before, behind[arrivals]
    ratio[arrivals] = (k + v - 1) / np.maximum(k - 1, 1) * ((n - k + 1) / (behind + 1))
    ratio[0] = n / (n + m)
    here = np.cumprod(ratio)
    # P(V_{k-1} <= v) - P(V_k <= v), over P(V_{k-1} = v)
    lost = (k + v - 1) / np.maximum(k - 1, 1) * ((m - v) / (behind + 1))
    change = here.copy()
    change[arrivals[1:]] = -lost[1:] * here[arrivals[1:] - 1]
    return np.cumsum(change)[ends], here[ends]


def exact_within(n: int, m: IntArray, level: float, selection_odds: float) -> Bounds:
    """Exact prediction limits for every selection within a factor of the odds of being labeled.

    The odds of being labeled differ between any two positives by a factor of at most
    `selection_odds`, G [1]_. Of s positives in the head, k of them known, the number V of latent
    ones is then, at the worst, Fisher's noncentral hypergeometric with an odds ratio of G or 1/G
    [2]_. `upper` is the largest v with P_G(V >= v | s = k + v) > (1 - level)/2, `lower` the
    smallest with P_1/G(V <= v | s = k + v) above that. Each cutoff is covered with probability of
    at least `level`, by whichever of these selections the labels came about.

    Notes
    -----
    The integers are those of the definition in rational arithmetic, as with
    `exact`.

    References
    ----------
    .. [1] P. R. Rosenbaum, *Observational Studies*, 2nd ed., Springer (2002), chapter 4.
    .. [2] A. Fog, *Sampling methods for Wallenius' and Fisher's noncentral hypergeometric
       distributions*, Communications in Statistics: Simulation and Computation 37 (2008) 241-257.

    Examples
    --------
    >>> lower, upper = exact_within(10, np.array([20]), 0.95, 2.0)
    >>> lower[0, 5:], upper[0, :5]
    (array([1, 2, 3, 4, 6, 9]), array([11, 14, 16, 17, 18]))
    """
    lower = np.zeros((m.size, n + 1), np.int64)
    latent, m = m, np.minimum(m, _MOST)
    if selection_odds < inf:
        # Rejected is also what has the tail's probability but for rounding.
        limit = float(scipy.special.ndtri((1 - level) / 2 * (1 + SAME)))
        side = _Side(n, limit, selection_odds)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            for row in np.flatnonzero((m > 0) & (m < n)):
                lower[row, 1:] = side.by_latent(int(m[row]))
            if (m >= n).any():
                lower[m >= n, 1:] = side.limits(m[m >= n])
    if (latent > m).any():
        lower = (lower * (latent / np.maximum(m, 1))[:, np.newaxis]).astype(np.int64)
    # Read from the bottom of the ranking, known positives have the odds against them.
    return lower, latent[:, np.newaxis] - lower[:, ::-1]


class _Side:
    """Lower limits of latent positives, given n known ones with higher odds to be in the head.

    Parameters
    ----------
    n : int
        Known positives.
    limit : float
        The normal deviate of P(V <= count | k + count) above which a count is not rejected.
    odds : float
        Of a known positive to be in the head, over those of a latent one.
    """

    def __init__(self, n: int, limit: float, odds: float) -> None:
        self._n, self._limit, self._odds = n, limit, odds

    def limits(self, m: IntArray) -> IntArray:
        """Return, for k = 1..n, the smallest count that is not rejected."""
        n, root = self._n, np.full((m.size, self._n), np.nan)
        smooth = n > _FEW and m.min() > 2 * _ENDS
        if smooth and (nodes := self._nodes(m)).size > _FEWEST_NODES:
            inner = np.arange(nodes[0], nodes[-1] + 1)
            root[:, inner - 1] = self._interpolate_limits(m, nodes, inner)
        near = np.maximum(_NEXT, _ERROR * m[:, np.newaxis] / np.sqrt(n))
        open_ones = ~(np.abs(root - np.rint(root)) > near)
        root[open_ones & np.isnan(root)] = -1
        count: IntArray = np.floor(root).astype(np.int64) + 1
        for row in np.flatnonzero(open_ones.sum(axis=1) > _FEW):
            self._settle_ends(int(m[row]), count[row], open_ones[row])
        rows, columns = np.nonzero(open_ones)
        known, latent, start = columns + 1, m[rows], root[rows, columns]
        unknown = start < 0
        start[unknown] = self._start(latent[unknown], known[unknown])
        count[rows, columns] = self._fewest(latent, known, start)
        return count

    def by_latent(self, m: int) -> IntArray:
        """Return what `limits` does for an m below n, from the known positives that each takes."""
        known = self._other(m).limits(np.array([self._n]))[0] + 1
        return np.asarray(
            np.searchsorted(known, np.arange(1, self._n + 1), side="right"), np.int64
        )

    def _other(self, m: int) -> "_Side":
        """Return the side of m latent positives, read as known ones.

        V <= v with k known positives in the head, where not V' <= k - 1 with v + 1 latent ones.
        """
        return _Side(m, -self._limit, 1 / self._odds)

    def _nodes(self, m: IntArray) -> IntArray:
        """Return some k, evenly spaced in their logit, with enough positives of each kind."""
        n, counts = self._n, []
        known = _spread_nodes(n, _ENDS)
        logit = scipy.special.logit(known / (n + 1)) - log(self._odds)
        for latent in (float(m.min()), float(m.max())):
            spread = 1 / known + 1 / (n + 1 - known) + 4 / latent
            share = scipy.special.expit(logit + self._limit * np.sqrt(spread))
            counts += [latent * share, latent * (1 - share)]
        return np.asarray(known[np.min(counts, axis=0) >= _ENDS])

    def _start(self, m: IntArray | FloatArray, known: IntArray) -> FloatArray:
        """Return about where limits are: those of random labels, at other odds."""
        n = self._n
        quantile = _beta_quantile(n, m, float(scipy.special.ndtr(self._limit)), known)
        middle = scipy.special.logit(known / (n + 1))
        away = scipy.special.logit(quantile) - middle
        middle -= log(self._odds)
        # Logits scatter more where counts are lower.
        both = 1 / known + 1 / (n + 1 - known)
        at_odds, at_random = (
            1 / (m * share * (1 - share) + 0.5)
            for share in (scipy.special.expit(middle + away), quantile)
        )
        moved = scipy.special.expit(middle + away * np.sqrt((both + at_odds) / (both + at_random)))
        return np.asarray(np.clip(m * moved - 0.5, 0, m), np.float64)

    def _deviates(
        self, m: IntArray | FloatArray, known: IntArray, count: IntArray | FloatArray
    ) -> FloatArray:
        """Return normal deviates of P(V <= count | k + count), and of one count more."""
        n = self._n
        rare = (
            1 / (known + 0.5) + 1 / (n - known + 0.5) + 1 / (count + 0.5) + 1 / (m - count + 0.5)
        )
        spread = rare**-0.5
        order = np.argsort(spread)  # those of one width at once
        deviates = np.empty((2, order.size))
        last = order.size
        while last:
            widest = float(spread[order[last - 1]])
            up, down = (
                int((_FAR + away) * widest) + _MORE for away in (self._limit, -self._limit)
            )
            part = order[max(last - max(_ROWS, _HELD // (up + down)), 0) : last]
            deviates[:, part] = self._sum_tails(m[part], known[part], count[part], up, down)
            last -= part.size
        return deviates

    def _sum_tails(
        self,
        m: IntArray | FloatArray,
        known: IntArray,
        count: IntArray | FloatArray,
        more: int,
        fewer: int,
    ) -> tuple[FloatArray, FloatArray]:
        """Return the deviates of P(V <= count | k + count), and of one count more, at a few k.

        At least k known positives are then in the head. All probabilities follow from that of k
        alone by rational ratios, outward until they vanish. With one more latent positive in the
        head, the same sums count each by the known positives in the tail.
        """
        n, odds, free = self._n, self._odds, m - count
        k, v, rest = known[:, np.newaxis], count[:, np.newaxis], free[:, np.newaxis]
        j = np.arange(float(max(min(n, more), 1)))
        # Between integers, too, there are no fewer than none left: past it terms would grow anew.
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
        # Sums over what is in the tail, for the next positive to come from there.
        behind = (n - known) * above - up @ (j + 1)
        before = (n - known) * below + down @ (high + 1)
        last = (n - known + 1) * down[:, 0]
        left = n - known + free
        more_above = above + ((odds - 1) * behind + odds * last) / left
        fewer_below = below + ((odds - 1) * before - odds * last) / left
        return _deviate(above, below), _deviate(more_above, np.maximum(fewer_below, 0))

    def _fewest(self, m: IntArray, known: IntArray, start: FloatArray) -> IntArray:
        """Return the smallest count that is not rejected, for some m and k."""
        low, high = np.full(m.size, -1), m.copy()
        count = np.clip(np.floor(start), 0, m - 1).astype(np.int64)
        rows = np.arange(m.size)
        for step in range(200):
            if not rows.size:
                break
            here, limit = count[rows], self._limit
            first, second = self._deviates(m[rows], known[rows], here)
            low[rows] = np.where(first <= limit, here, low[rows])
            high[rows] = np.where(first > limit, here, high[rows])
            low[rows] = np.where(second <= limit, here + 1, low[rows])
            high[rows] = np.where((first <= limit) & (second > limit), here + 1, high[rows])
            aimed = here + (limit - first) / (second - first)
            middle = (low[rows] + high[rows]) / 2
            aimed = np.floor(np.where(np.isfinite(aimed) & (step < _TRIED), aimed, middle))
            aimed = np.clip(aimed, np.maximum(low[rows], 0), np.maximum(high[rows] - 1, 0))
            count[rows] = aimed.astype(np.int64)
            rows = rows[high[rows] - low[rows] > 1]
        return high

    def _settle_ends(self, m: int, count: IntArray, open_ones: BoolArray) -> None:
        """Settle counts near 0 and m, from the known positives that each of them takes."""
        n, many = self._n, min(2 * _ENDS, m)
        for first in {0, m - many}:
            below = np.arange(first, first + many)
            latent, other = np.full(many, n), self._other(m)
            known = 1 + other._fewest(latent, below + 1, other._start(latent, below + 1))
            taken = np.searchsorted(known, np.arange(1, n + 1), side="right")
            sure = (
                open_ones & ((taken > 0) | (first == 0)) & ((taken < many) | (first + many == m))
            )
            count[sure] = first + taken[sure]
            open_ones &= ~sure

    def _real_limits(self, m: IntArray | FloatArray, known: IntArray) -> FloatArray:
        """Return the real count at which the tail is reached, by secants."""
        count = self._start(m, known)
        deviates = self._deviates(m, known, count)
        slope = deviates[1] - deviates[0]
        for _ in range(_STEPS):
            moved = np.clip(count + (self._limit - deviates[0]) / slope, 0, m)
            before, deviates = deviates, self._deviates(m, known, moved)
            secant = (deviates[0] - before[0]) / (moved - count)
            far = np.abs(moved - count) > _NEAR
            slope = np.where(far & (secant > 0), secant, deviates[1] - deviates[0])
            count = moved
            if not far.any() or np.abs((self._limit - deviates[0]) / slope).max() < _NEAR:
                break
        return np.asarray(count + (self._limit - deviates[0]) / slope, np.float64)

    def _interpolate_limits(self, m: IntArray, nodes: IntArray, inner: IntArray) -> FloatArray:
        """Return real limits at the known positives `inner`, from those at nodes; a row each m."""
        limits = self._limits_at_nodes(m, nodes)
        turn = scipy.special.logit(nodes / (self._n + 1))
        spline = scipy.interpolate.make_interp_spline(turn, limits, k=_DEGREE)
        # The same in powers, which take a tenth of the time at many places.
        ends = spline.t[_DEGREE:-_DEGREE]
        powers = [spline(ends[:-1], nu) / factorial(nu) for nu in range(_DEGREE, -1, -1)]
        pieces = scipy.interpolate.PPoly(np.stack(powers), ends)
        return np.asarray(pieces(scipy.special.logit(inner / (self._n + 1))).T)

    def _limits_at_nodes(self, m: IntArray, nodes: IntArray) -> FloatArray:
        """Return the real limits at some k, a row each, and each m.

        As a share of m a limit is a smooth function of x = n/m, in (0, 1], down to x = -1/odds:
        for many m it is interpolated between Chebyshev's nodes. With each of these the error falls
        by a factor that the distance of x from there sets.
        """
        n, least, most = self._n, self._n / m.max(), self._n / m.min()
        middle, half = (least + most) / 2, (most - least) / 2
        number = m.size if half == 0 else ceil(_DIGITS / acosh((1 / self._odds + middle) / half))
        few = m.size <= number
        turns = np.cos(np.pi * (np.arange(number) + 0.5) / number)
        latent = m if few else n / (middle + half * turns)
        limits = self._real_limits(np.tile(latent, nodes.size), np.repeat(nodes, latent.size))
        limits = limits.reshape(nodes.size, latent.size)
        if few:
            return limits
        share: FloatArray = scipy.interpolate.barycentric_interpolate(
            n / latent, limits / latent, n / m, axis=1
        )
        return share * m


def _deviate(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return the normal deviate of a share, from its odds: precise in either tail."""
    smaller = scipy.special.ndtri(np.minimum(above, below) / (above + below))
    deviate: FloatArray = np.where(below < above, -smaller, smaller)
    deviate[np.isinf(above)] = np.inf
    return deviate


def _spread_nodes(n: int, ends: int) -> IntArray:
    """Return some k between the ends, evenly spaced in the logit of k/(n + 1)."""
    turn = scipy.special.logit(ends / (n + 1))
    even = scipy.special.expit(np.linspace(turn, -turn, int(-2 * turn * _NODES) + 2))
    return np.unique(np.round((n + 1) * even).astype(np.int64))
