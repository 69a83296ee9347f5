"""Bands: bounds on the latent positives in the head, given the known ones there.

When k of the n known positives are in the head, how many of the m latent ones are? A band answers
with a lookup table of n + 1 entries a side, ``band(n, m, level) -> (lower, upper)``.
"""

from collections.abc import Callable, Mapping
from math import log, sqrt
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special, stats

from pu_accessor.errors import PUTypeError, PUValueError, check_option
from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["BANDS", "Band", "band_name", "bootstrap", "central", "dkw", "exact", "latent_bounds"]

Bounds: TypeAlias = tuple[IntArray, IntArray]
Band: TypeAlias = Callable[[int, int, float], tuple[npt.ArrayLike, npt.ArrayLike]]

# Probabilities that differ by less, relatively, are taken as equal. Limits often sit on a
# probability that is alpha/2 to the last digit (1/40 at n = 1, m = 39, level .95).
_SAME = 1e-9


def central(n: int, m: int) -> IntArray:
    """Return the central number of latent positives in the head: k*m/n, rounded half up.

    Parameters
    ----------
    n, m : int
        Numbers of known and of latent positives; n at least 1.

    Returns
    -------
    ndarray of int64, shape (n + 1,)
        One entry for each k = 0..n.

    Examples
    --------
    >>> central(4, 10)
    array([ 0,  3,  5,  8, 10])
    """
    known = np.arange(n + 1, dtype=np.int64)
    return (2 * known * m + n) // (2 * n)


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


def bootstrap(n: int, m: int, level: float) -> Bounds:
    """Percentile bootstrap of the rank CDF, in the limit of infinitely many resamples.

    Of n resampled known positives, Binomial(n, k/n) lie in the head. Its quantiles, as shares of
    n, bound the share of all positives in the head ([1]_, section 4.1). The m latent positives
    are taken as if there were infinitely many, so that the band covers less than it says.

    Parameters
    ----------
    n, m : int
        Numbers of known and of latent positives; n at least 1.
    level : float
        Nominal probability of coverage at each cutoff, in (0, 1).

    Returns
    -------
    lower, upper : ndarray of int64, shape (n + 1,)
        Latent positives in the head for each k = 0..n, in 0..m, non-decreasing.

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
       Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

    Examples
    --------
    >>> lower, upper = bootstrap(10, 50, 0.95)
    >>> lower[5], upper[5]
    (np.int64(10), np.int64(40))
    """
    resampled = stats.binom(n, np.arange(n + 1) / n)
    tail = (1 - level) / 2
    # A quantile that sits exactly on the tail belongs to it, also after rounding.
    fewest, most = (np.asarray(resampled.ppf(q * (1 - _SAME)), np.int64) for q in (tail, 1 - tail))
    return fewest * m // n, -(-most * m // n)


def dkw(n: int, m: int, level: float) -> Bounds:
    """Dvoretzky-Kiefer-Wolfowitz band: one width at all cutoffs, all at once.

    The rank CDF of the known positives is k/n; the one of infinitely many positives lies within
    sqrt(ln(2/(1 - level))/(2n)) of it at all cutoffs jointly, with probability `level` [1]_. Like
    the bootstrap it takes the latent positives as if there were infinitely many.

    Parameters
    ----------
    n, m : int
        Numbers of known and of latent positives; n at least 1.
    level : float
        Probability of coverage of the rank CDF as a whole, in (0, 1).

    Returns
    -------
    lower, upper : ndarray of int64, shape (n + 1,)
        Latent positives in the head for each k = 0..n, in 0..m, non-decreasing.

    References
    ----------
    .. [1] P. Massart, *The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality*, Annals
       of Probability 18 (1990) 1269-1283.

    Examples
    --------
    >>> lower, upper = dkw(10, 50, 0.95)
    >>> lower[5], upper[5]
    (np.int64(3), np.int64(47))
    """
    width = sqrt(log(2 / (1 - level)) / (2 * n))
    share = np.arange(n + 1) / n
    lower = np.floor(np.clip(share - width, 0, 1) * m).astype(np.int64)
    upper = np.ceil(np.clip(share + width, 0, 1) * m).astype(np.int64)
    return lower, upper


BANDS: Mapping[str, Band] = MappingProxyType({"exact": exact, "bootstrap": bootstrap, "dkw": dkw})


def band_name(band: str | Band) -> str:
    """Return a band's name for attributes and legends.

    Parameters
    ----------
    band : str or callable
        One of our bands by name, or a user's own.

    Returns
    -------
    str

    Raises
    ------
    PUValueError
        If no band has that name.
    PUTypeError
        If it is neither.
    """
    if callable(band):
        return str(getattr(band, "__name__", type(band).__name__))
    if not isinstance(band, str):
        raise PUTypeError(
            f"band must be one of {sorted(BANDS)} or a callable (n, m, level) -> (lower, upper), "
            f"but {band!r} was passed."
        )
    check_option("band", band, BANDS)
    return band


def latent_bounds(band: str | Band, n: int, m: int, level: float) -> Bounds:
    """Ask a band, ours or a user's, for its lookup table, and check a user's.

    Parameters
    ----------
    band : str or callable
        One of our bands by name, or a user's own.
    n, m : int
        Numbers of known and of latent positives; n at least 1.
    level : float
        Probability of coverage, in (0, 1).

    Returns
    -------
    lower, upper : ndarray of int64, shape (n + 1,)

    Raises
    ------
    PUValueError
        If no band has that name, or if the tables have another shape, cross, decrease or leave
        0..m.
    PUTypeError
        If the tables are not integers.
    """
    name = band_name(band)
    table = band if callable(band) else BANDS[name]
    answer = table(n, m, level)
    try:
        lower, upper = (np.asarray(side) for side in answer)
    except (TypeError, ValueError) as error:
        raise PUTypeError(
            f"band {name!r} must return two arrays, (lower, upper), but returned a "
            f"{type(answer).__name__}: {error}."
        ) from error
    lower, upper = (_checked_side(name, side, n, m) for side in (lower, upper))
    if (lower > upper).any():
        k = int(np.argmax(lower > upper))
        raise PUValueError(
            f"band {name!r} must have lower <= upper, but at k = {k} of n = {n} it has lower "
            f"{lower[k]} and upper {upper[k]} (m = {m})."
        )
    return lower, upper


def _checked_side(name: str, side: npt.NDArray[Any], n: int, m: int) -> IntArray:
    """Check one side of a band's lookup table."""
    table = side
    if not np.issubdtype(table.dtype, np.integer):
        raise PUTypeError(
            f"band {name!r} must return integers (counts of latent positives), but returned "
            f"{table.dtype}. Round lower down and upper up, then .astype(int)."
        )
    if table.shape != (n + 1,):
        raise PUValueError(
            f"band {name!r} must return arrays of shape ({n + 1},), an entry for each k = 0..n, "
            f"but returned {table.shape}."
        )
    table = table.astype(np.int64)  # differences of unsigned integers would wrap around
    if table.min() < 0 or table.max() > m:
        raise PUValueError(
            f"band {name!r} must stay between 0 and m = {m}, but reaches from {table.min()} to "
            f"{table.max()}."
        )
    if (np.diff(table) < 0).any():
        k = int(np.argmax(np.diff(table) < 0))
        raise PUValueError(
            f"band {name!r} must not decrease with k, but falls from {table[k]} at k = {k} to "
            f"{table[k + 1]} at k = {k + 1}."
        )
    return table


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
    limit = tail * (1 + _SAME)
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
