"""The simultaneous band: limits that hold at all cutoffs jointly.

They are exact limits at a lower local level. Where the odds of being labeled may differ, that
level holds for the worst selection. In tables the limits are then narrowed: the number of latent
positives in the head never falls from one cutoff to the next, and it grows by at most one for each
unlabeled example. Narrowing loses no coverage, whatever the classifier.

Where scores take few values there are few cutoffs, and the local level need not be that of all
orders of known and latent positives: see `share_among`.
"""

from collections.abc import Callable
from functools import lru_cache
from math import exp, inf, lgamma, log

import numpy as np
import scipy

from pu_accessor.inference.bands.exact import SAME, Bounds, Walk, exact, exact_within
from pu_accessor.inference.search import last_of_power
from pu_accessor.ranking import FloatArray, IntArray, Ranking, sorted_unique

# By paths, and beyond by a power of n*m/(n + m): measured against counted paths up to 200,000
# positives, it is 2 to 11% below the exact one.
COUNTED = 20_000
# Up to which size the local level is counted, how precisely, and how it is scaled beyond: by a
# power, times a factor to be safe.
_RANDOM = (COUNTED, 1e-4, -0.22, 0.93)
# By selections, and beyond by a power of n + m: measured against counted cases up to 12,000
# positives, at odds of 1.3 to 30, it is 6% to 44% too low.
_WITHIN = (1000, 4e-3, -0.3, 0.8)
_GUESSED = 0.11  # of what all may miss, of one pair of positives: within a tenth of it mostly
_UNSCALED = 32  # steps of paths; their numbers grow by a factor of at most m + 1 in each
NEVER = 1e-10  # so improbable is what lies beyond the limits of the side that is not counted


def simultaneous(
    n: int,
    m: int,
    level: float,
    selection_odds: float = 1.0,
    *,
    one_sided: bool = False,
    cutoffs: int | None = None,
) -> Bounds:
    """Exact prediction limits, widened until they hold at all cutoffs jointly.

    These are the limits of the band "exact" at a local level 1 - alpha', with alpha' the largest
    for which the latent positives in the head lie within the limits at *every* cutoff with a
    probability of at least `level`, whichever selection within `selection_odds` the labels came
    about by. When the labels are selected completely at random, all orders of the n known and m
    latent positives are equally likely: each is a lattice path from (0, 0) to (n, m), and those
    that stay within the limits are counted [1]_.

    Takes and returns what `pu_accessor.inference.bands.exact.exact` does; `level` is that of all
    cutoffs jointly. With `one_sided` it is that of the lower limits, and that of the upper ones,
    each by themselves. `cutoffs` are those at which limits can be missed, where they are few. In
    tables these limits are cut to what can hold at all of them, which loses no coverage: see
    `narrow`.

    Notes
    -----
    Of s fixed cutoffs at least one is missed with at most s times the probability of one
    (Bonferroni). So the local level is at least 1 - (1 - level)/s. Cutoffs are fixed where they
    are those of all distinct scores: which examples are labeled has no say in them.

    Up to n + m = 20,000 paths are counted, in time that grows as n*sqrt(n)*m/n for n < m. For more
    positives alpha' is taken from the largest counted case of the same n, or of the same n:m,
    scaled by a power of n*m/(n + m); measured up to 200,000 positives it is 2% to 11% below the
    exact one, so that the band is slightly wider than it must be. The last 16,384 are remembered.

    Where odds differ, labels are independent, and n of them were given: a set of positives is the
    labeled one with a probability proportional to the product of its odds. That the latent ones
    exceed the upper limit somewhere only becomes more probable when a label moves down in the
    ranking. That probability is a ratio of two functions that are straight in the odds of each
    positive, so that it is largest where all odds are at one end or the other; and exchanging
    those of two positives shows that the highest odds are then all below the lowest. So the worst
    selection has odds of 1 down to some place and of `selection_odds` below it. All n + m + 1 of
    these are counted out, for the upper limits; the lower ones are the same, read from the bottom.
    Both together miss with at most the sum of the two probabilities. Nothing of this is simulated.
    Beyond n + m = 1,000 alpha' is scaled by a power of n + m: measured up to 12,000 positives it
    is then below the one counted out.

    References
    ----------
    .. [1] G. P. Steck, *The Smirnov two sample tests as rank tests*, Annals of Mathematical
       Statistics 40 (1969) 1449-1466.

    Examples
    --------
    >>> lower, upper = simultaneous(10, 50, 0.95)
    >>> lower[5], upper[5]
    (np.int64(5), np.int64(45))
    >>> lower, upper = simultaneous(10, 20, 0.95, 2.0)
    >>> lower[5:], upper[:5]
    (array([1, 1, 2, 4, 5, 8]), array([12, 15, 16, 18, 19]))
    """
    alpha = local_alpha(n, m, level, selection_odds, one_sided)
    return _exact(n, m, 1 - share_among(cutoffs, alpha, level, one_sided), selection_odds)


def _exact(n: int, m: int, level: float, selection_odds: float) -> Bounds:
    """Return exact limits within a factor of the odds."""
    if selection_odds == 1:
        return exact(n, m, level)
    lower, upper = exact_within(n, np.array([m]), level, selection_odds)
    return lower[0], upper[0]


def share_among(cutoffs: int | None, alpha: float, level: float, one_sided: bool) -> float:
    """Return the local level of so many fixed cutoffs: at least that of any number, `alpha`.

    Examples
    --------
    >>> share_among(2, 0.01, 0.95, one_sided=False), share_among(None, 0.01, 0.95, one_sided=False)
    (0.025000000000000022, 0.01)
    """
    return max(alpha, allowed(level, one_sided) / cutoffs) if cutoffs else alpha


def allowed(level: float, one_sided: bool) -> float:
    """Return how often limits may miss: one side with half of it, and with a half at most.

    Examples
    --------
    >>> round(allowed(0.95, one_sided=True), 12), allowed(0.25, one_sided=True)
    (0.1, 1.0)
    """
    return min(2 * (1 - level), 1.0) if one_sided else 1 - level


@lru_cache(maxsize=1 << 14)
def local_alpha(
    n: int, m: int, level: float, selection_odds: float = 1.0, one_sided: bool = False
) -> float:
    """Return the largest probability of missing a cutoff at which all of them hold jointly.

    With `one_sided` it is twice that of missing it on one side, at which all limits of that side
    hold jointly.

    Examples
    --------
    >>> round(local_alpha(200, 1800, 0.95), 5)
    0.00197

    Where odds differ, cutoffs far from where they change are safe:

    >>> [round(local_alpha(50, 150, 0.95, odds), 4) for odds in (1, 3)]
    [0.0045, 0.0226]
    """
    fewer, more = sorted((n, m))  # known and latent may trade places
    most, at_random = allowed(level, one_sided), selection_odds == 1
    if not fewer or selection_odds == inf:
        return most
    counted, precision, power, safety = _RANDOM if at_random else _WITHIN
    if n + m > counted:
        small = min(fewer, counted // 2)
        large = counted - small
        size, at = (n * m / (n + m), small * large / (small + large))
        growth = size / at if at_random else (n + m) / counted
        at_size = local_alpha(small, large, level, selection_odds, one_sided)
        return float(safety * at_size * growth**power)

    least = most / (n + m + 1)  # that of Bonferroni always holds
    guess = _GUESSED * most * (n * m / (n + m)) ** _RANDOM[2]
    if at_random:
        excess = _excess_at_random(fewer, more, most / 2 if one_sided else most, one_sided, guess)
    else:

        def excess(alpha: float) -> float:
            upper = _exact(fewer, more, 1 - alpha, selection_odds)[1]
            return _excess(most_missed(fewer, more, upper, selection_odds), most / 2)

    return last_of_power(excess, least, most, precision, min(max(guess, least), most))


def _excess(missed: float, allowed: float) -> float:
    """Return how much more limits miss than they may, as a logarithm that is never infinite."""
    return log(max(missed / (allowed * (1 + SAME)), SAME))


def _excess_at_random(
    n: int, m: int, allowed: float, one_sided: bool, guess: float
) -> Callable[[float], float]:
    """Return by how much limits miss too often at a local level."""
    walk, farthest = Walk(n, m, guess / 2), exact(n, m, 1 - NEVER)[1]
    looked_at: dict[bytes, float] = {}

    def excess(alpha: float) -> float:
        lower = np.append(0, walk.limits(alpha / 2))
        limits = lower.tobytes()  # levels that are near have the same ones
        if limits not in looked_at:
            upper = farthest if one_sided else m - lower[::-1]
            looked_at[limits] = _excess(1 - joint_coverage(n, m, lower, upper), allowed)
        return looked_at[limits]

    return excess


def joint_coverage(n: int, m: int, lower: IntArray, upper: IntArray) -> float:
    """Return the probability that latent positives stay within limits at all cutoffs.

    Examples
    --------
    All but the two orders of known and latent that come first and last:

    >>> round(joint_coverage(2, 2, np.array([0, 0, 1]), np.array([1, 2, 2])), 4)
    0.6667
    """
    # From both ends to the middle. Limits that are the same from the bottom are counted once.
    turned, middle = (m - upper[::-1], m - lower[::-1]), n // 2
    above, below = np.zeros(m + 1), np.zeros(m + 1)
    above[: upper[0] + 1] = below[: turned[1][0] + 1] = 1
    scale = _go_on(below, *(side[1 : n - middle] for side in turned))
    if np.array_equal(lower, turned[0]):
        above, start, scale = below.copy(), n - middle, 2 * scale
    else:
        start = 1
    scale += _go_on(above, lower[start : middle + 1], upper[start : middle + 1])
    low, high = lower[middle], m - turned[0][n - 1 - middle]
    ways = above[low : high + 1] @ below[m - high : m - low + 1][::-1]
    orders = lgamma(n + m + 1) - lgamma(n + 1) - lgamma(m + 1)
    return min(exp(scale + log(ways) - orders), 1.0) if ways > 0 else 0.0


def _go_on(paths: FloatArray, lower: IntArray, upper: IntArray) -> float:
    """Let paths to (k, v), for each v, go on within limits, in place; return their log scale."""
    # Paths to (k, v) are those to (k - 1, v) and to (k, v - 1): a cumulative sum along v. They are
    # scaled to stay in range; the scales are added up as logarithms.
    scale = 0.0
    for row, (low, high) in enumerate(zip(lower.tolist(), upper.tolist(), strict=True)):
        inside = paths[low : high + 1]
        np.add.accumulate(inside, out=inside)
        if row % _UNSCALED == 0:
            if not inside[-1] > 0:
                return -inf
            scale += log(inside[-1])
            inside /= inside[-1]
    return scale


def most_missed(n: int, m: int, upper: IntArray, selection_odds: float) -> float:
    """Return the probability that latent positives exceed limits somewhere, at the worst.

    Examples
    --------
    With one known and one latent positive, the latent one comes first with odds of 3 at most:

    >>> round(most_missed(1, 1, np.array([0, 1]), 3.0), 4)
    0.75
    """
    shares, whole = _worst_shares(n, m, selection_odds), n + m
    known = np.arange(n + 1)
    holds_above = np.empty((whole + 1, n + 1))
    holds_above[0] = known == 0
    for t in range(1, whole + 1):
        before = holds_above[t - 1]
        row = before * (np.maximum(t - known, 0) / t)
        row[1:] += before[:-1] * (known[1:] / t)
        row[t - known > upper] = 0
        holds_above[t] = row
    coverage, holds_below = np.empty(whole + 1), np.where(known == n, 1.0, 0.0)
    coverage[whole] = holds_above[whole] @ shares[whole]
    for t in range(whole - 1, -1, -1):
        left = whole - t
        row = holds_below * (np.maximum(left - (n - known), 0) / left)
        row[:-1] += holds_below[1:] * ((n - known[:-1]) / left)
        row[t - known > upper] = 0
        holds_below = row
        coverage[t] = (holds_above[t] * holds_below) @ shares[t]
    return float(1 - coverage.min())


@lru_cache(maxsize=1)
def _worst_shares(n: int, m: int, odds: float) -> FloatArray:
    """Return P(k known positives among the first t), where only those below t have the odds.

    Shape (n + m + 1, n + 1): for each t, and each k.
    """
    orders = scipy.special.gammaln(np.arange(1.0, n + m + 2))
    head, known = np.arange(n + m + 1)[:, np.newaxis], np.arange(n + 1)
    latent = head - known
    possible = (latent >= 0) & (latent <= m)
    latent = np.clip(latent, 0, m)
    log_ways = -orders[known] - orders[latent] - orders[n - known] - orders[m - latent]
    log_ways = np.where(possible, log_ways - log(odds) * known, -np.inf)
    log_ways -= log_ways.max(axis=1, keepdims=True)
    ways = np.exp(log_ways)
    return np.asarray(ways / ways.sum(axis=1, keepdims=True))


_LOWER, _UPPER = 0, 1


def narrow(head: IntArray, bounds: IntArray) -> IntArray:
    """Narrow bounds at all cutoffs of a ranking to what can hold at all of them.

    `head` has the unlabeled examples at or above each cutoff, `bounds` the shape (cutoffs, side,
    beta).

    Examples
    --------
    Of one unlabeled example at most one is positive: with at least 3 above the second cutoff,
    there are at least 2 above the first.

    >>> head, bounds = np.array([3, 4]), np.array([[0, 3], [3, 4]])[:, :, np.newaxis]
    >>> narrow(head, bounds)[..., 0].tolist()
    [[2, 3], [3, 4]]
    """
    lower, upper = (np.ascontiguousarray(side.T) for side in np.moveaxis(bounds, 1, 0))
    lower = np.maximum.accumulate(lower, axis=1) - head
    lower = np.maximum.accumulate(lower[:, ::-1], axis=1)[:, ::-1] + head
    upper = np.minimum.accumulate(upper[:, ::-1], axis=1)[:, ::-1] - head
    upper = np.minimum.accumulate(upper, axis=1) + head
    return np.stack([lower.T, upper.T], axis=1)


def narrow_between(
    ranking: Ranking, bounds: IntArray, whole: Ranking, narrowed: IntArray
) -> IntArray:
    """Narrow bounds at some cutoffs, given the narrowed ones of the whole ranking."""
    rank = ranking.head
    sides = np.searchsorted(whole.rank, rank, "right") - 1, np.searchsorted(whole.rank, rank)
    back, ahead = (
        np.abs(ranking.unlabeled - whole.unlabeled[side])[:, np.newaxis] for side in sides
    )
    before, after = (narrowed[side] for side in sides)
    lower = np.maximum(bounds[:, _LOWER], before[:, _LOWER])
    lower = np.maximum(lower, after[:, _LOWER] - ahead)
    upper = np.minimum(bounds[:, _UPPER], after[:, _UPPER])
    upper = np.minimum(upper, before[:, _UPPER] + back)
    return np.stack([lower, upper], axis=1)


def find_corners(head: IntArray, narrowed: IntArray) -> IntArray:
    """Return the counts of unlabeled examples, between two cutoffs, at which bounds bend."""
    here, following = (side[:, np.newaxis, np.newaxis] for side in (head[:-1], head[1:]))
    before, after = narrowed[:-1], narrowed[1:]
    # Along these lines each further example is a positive: the line that ends at the next lower
    # bound, and the one that starts at the last upper bound.
    lines = [following - after[:, [_LOWER]], here - before[:, [_UPPER]]]
    corners = [line + value for line in lines for value in (before, after)]
    return inside_steps(corners, here, following)


def inside_steps(corners: list[IntArray], start: IntArray, end: IntArray) -> IntArray:
    """Return the distinct counts that lie strictly between the two cutoffs of their step."""
    inside = [corner[(start < corner) & (corner < end)] for corner in corners]
    return sorted_unique(np.concatenate(inside))
