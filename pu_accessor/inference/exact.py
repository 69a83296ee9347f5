"""The exact band: prediction limits of the latent positives at each cutoff."""

from typing import TypeAlias

import numpy as np
from scipy import special

from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["SAME", "Bounds", "exact"]

Bounds: TypeAlias = tuple[IntArray, IntArray]

# Probabilities that differ by less, relatively, are taken as equal. Limits often sit on a
# probability that is alpha/2 to the last digit (1/40 at n = 1, m = 39, level .95).
SAME = 1e-9


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
    beyond, rounding can move a limit by one. Time and memory grow as n + m.

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

    V_k is the number of latent positives above the k-th known one. An approximate quantile comes
    first; the exact probability of V_k <= count along these starts comes from a walk, and each
    count then moves until it is the smallest with P(V_k <= count) > tail.
    """
    if m == 0:
        return np.zeros(n, np.int64)
    count = _approximate_quantile(n, m, tail)
    below, here = _walk(n, m, count)
    limit = tail * (1 + SAME)
    while (low := np.flatnonzero(below <= limit)).size:
        k, v = low + 1, count[low]
        here[low] *= (m - v) / (v + 1) * ((k + v) / (n - k + m - v))
        below[low] += here[low]
        count[low] += 1
    while (high := np.flatnonzero((count > 0) & (below - here > limit))).size:
        k, v = high + 1, count[high]
        below[high] -= here[high]
        here[high] *= v / (m - v + 1) * ((n - k + m - v + 1) / (k + v - 1))
        count[high] -= 1
    return count


def _approximate_quantile(n: int, m: int, tail: float) -> IntArray:
    """Return the quantiles of the beta with the mean and variance of BetaBinomial(m, k, ...)."""
    share = np.arange(1, n + 1) / (n + 1)
    weight = m * (n + 2) / (n + 1 + m) - 1
    if weight <= 0:  # m = 1: the count is 0 or 1
        return np.zeros(n, np.int64)
    quantile = special.betaincinv(weight * share, weight * (1 - share), tail)
    count = np.clip(np.floor(m * quantile), 0, m).astype(np.int64)
    return np.maximum.accumulate(count)


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
