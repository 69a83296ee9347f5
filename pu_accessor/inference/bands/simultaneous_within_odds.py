"""The simultaneous band where labels are not quite random: held against the worst selection."""

from functools import lru_cache
from math import inf, log

import numpy as np
from scipy import special

from pu_accessor.inference.bands.exact import SAME, Bounds
from pu_accessor.inference.bands.simultaneous import local_alpha
from pu_accessor.inference.bands.within_odds import exact_within
from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["local_alpha_within", "most_missed", "simultaneous_within"]

_COUNTED = 1000  # positives up to which the worst selection is counted out
_PRECISION = 4e-3  # of the local level, relative
# Beyond, the local level of the nearest counted case is scaled by a power of n + m. Measured
# against counted cases up to 12,000 positives, at odds of 1.3 to 30, it is 6% to 44% too low.
_POWER, _SAFETY = -0.3, 0.8


def simultaneous_within(n: int, m: int, level: float, selection_odds: float) -> Bounds:
    """Exact prediction limits within a factor of the odds, that hold at all cutoffs jointly.

    These are the limits of `pu_accessor.inference.bands.within_odds.exact_within` at a local level
    1 - alpha', with alpha' the largest for which the latent positives leave the limits at *any*
    cutoff with a probability of at most 1 - `level`, whichever selection within `selection_odds`
    the labels came about by.

    Notes
    -----
    Labels are independent, and n of them were given: a set of positives is the labeled one with a
    probability proportional to the product of its odds. That the latent ones exceed the upper
    limit somewhere only becomes more probable when a label moves down in the ranking. That
    probability is a ratio of two functions that are straight in the odds of each positive, so that
    it is largest where all odds are at one end or the other; and exchanging those of two positives
    shows that the highest odds are then all below the lowest. So the worst selection has odds of 1
    down to some place and of `selection_odds` below it. All n + m + 1 of these are counted out,
    for the upper limits; the lower ones are the same, read from the bottom. Both together miss
    with at most the sum of the two probabilities. Nothing of this is simulated.

    Beyond n + m = 1,000 alpha' is scaled from the largest counted case of the same n, or of as
    many of both, by a power of n + m: measured up to 12,000 positives it is then below the one
    counted out.

    Examples
    --------
    >>> lower, upper = simultaneous_within(10, 20, 0.95, 2.0)
    >>> lower[5:], upper[:5]
    (array([1, 1, 2, 4, 5, 8]), array([12, 15, 16, 18, 19]))
    """
    local = 1 - local_alpha_within(n, m, level, selection_odds)
    lower, upper = exact_within(n, np.array([m]), local, selection_odds)
    return lower[0], upper[0]


@lru_cache(maxsize=1024)
def local_alpha_within(n: int, m: int, level: float, selection_odds: float) -> float:
    """Return the largest probability of missing a cutoff at which all of them hold jointly.

    Examples
    --------
    Where odds differ, cutoffs far from where they change are safe:

    >>> [round(local_alpha_within(50, 150, 0.95, odds), 4) for odds in (1, 3)]
    [0.0045, 0.0226]
    """
    if selection_odds == 1:
        return local_alpha(n, m, level)
    fewer, more = sorted((n, m))  # known and latent may trade places
    if not fewer or selection_odds == inf:
        return 1 - level
    if n + m <= _COUNTED:
        return _largest_alpha(fewer, more, level, selection_odds)
    small = min(fewer, _COUNTED // 2)
    large = _COUNTED - small
    counted = local_alpha_within(small, large, level, selection_odds)
    return float(_SAFETY * counted * ((n + m) / _COUNTED) ** _POWER)


def most_missed(n: int, m: int, upper: IntArray, selection_odds: float) -> float:
    """Return the probability that latent positives exceed limits somewhere, at the worst.

    Examples
    --------
    With one known and one latent positive, the latent one comes first with odds of 3 at most:

    >>> round(most_missed(1, 1, np.array([0, 1]), 3.0), 4)
    0.75
    """
    return _most_missed(_worst_shares(n, m, selection_odds), upper)


def _largest_alpha(n: int, m: int, level: float, odds: float) -> float:
    """Bisect for the local level; Bonferroni's is safe at any rate."""
    shares, allowed = _worst_shares(n, m, odds), (1 - level) / 2 * (1 + SAME)

    def holds(alpha: float) -> bool:
        upper = exact_within(n, np.array([m]), 1 - alpha, odds)[1][0]
        return _most_missed(shares, upper) <= allowed

    safe, above = (1 - level) / (n + m + 1), 1 - level
    if holds(above):
        return above
    while above > safe * (1 + _PRECISION):
        middle = (safe * above) ** 0.5
        safe, above = (middle, above) if holds(middle) else (safe, middle)
    return safe


def _worst_shares(n: int, m: int, odds: float) -> FloatArray:
    """Return P(k known positives among the first t), where only those below t have the odds.

    Shape (n + m + 1, n + 1): for each place t, and each k.
    """
    whole = n + m
    orders = special.gammaln(np.arange(1.0, whole + 2))
    place, known = np.arange(whole + 1)[:, np.newaxis], np.arange(n + 1)
    latent = place - known
    there = (latent >= 0) & (latent <= m)
    latent = np.clip(latent, 0, m)
    ways = -orders[known] - orders[latent] - orders[n - known] - orders[m - latent]
    ways = np.where(there, ways - log(odds) * known, -np.inf)
    ways -= ways.max(axis=1, keepdims=True)
    shares = np.exp(ways)
    found: FloatArray = shares / shares.sum(axis=1, keepdims=True)
    return found


def _most_missed(shares: FloatArray, upper: IntArray) -> float:
    """Return the largest probability of exceeding limits, over the places where odds change.

    Above and below such a place all orders are equally likely. So what is kept is, for each place
    and each number of known positives above it, the probability that limits hold on the way there,
    and on the way from there.
    """
    whole, n = shares.shape[0] - 1, shares.shape[1] - 1
    known = np.arange(n + 1)
    kept = np.empty((whole + 1, n + 1))
    kept[0] = known == 0
    for place in range(1, whole + 1):
        before = kept[place - 1]
        row = before * (np.maximum(place - known, 0) / place)
        row[1:] += before[:-1] * (known[1:] / place)
        row[place - known > upper] = 0
        kept[place] = row
    held, ahead = np.empty(whole + 1), np.where(known == n, 1.0, 0.0)
    held[whole] = kept[whole] @ shares[whole]
    for place in range(whole - 1, -1, -1):
        left = whole - place
        moved = ahead * (np.maximum(left - (n - known), 0) / left)
        moved[:-1] += ahead[1:] * ((n - known[:-1]) / left)
        moved[place - known > upper] = 0
        ahead = moved
        held[place] = (kept[place] * ahead) @ shares[place]
    return float(1 - held.min())
