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
from scipy import stats

from pu_accessor.checks import check_option
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.bands.by_rank import RankBand
from pu_accessor.inference.bands.exact import SAME, Bounds, exact, exact_each
from pu_accessor.inference.bands.simultaneous import simultaneous
from pu_accessor.inference.bands.simultaneous_within_odds import simultaneous_within
from pu_accessor.inference.bands.within_odds import exact_within
from pu_accessor.ranking import IntArray

__all__ = [
    "BANDS",
    "Band",
    "band_name",
    "bootstrap",
    "central",
    "dkw",
    "latent_bounds",
    "latent_bounds_each",
]

Band: TypeAlias = Callable[[int, int, float], tuple[npt.ArrayLike, npt.ArrayLike]]


def central(n: int, m: int) -> IntArray:
    """Return the central number of latent positives in the head: k*m/n, rounded half up.

    Examples
    --------
    >>> central(4, 10)
    array([ 0,  3,  5,  8, 10])
    """
    known = np.arange(n + 1, dtype=np.int64)
    return (2 * known * m + n) // (2 * n)


def bootstrap(n: int, m: int, level: float) -> Bounds:
    """Percentile bootstrap of the rank CDF, in the limit of infinitely many resamples.

    Of n resampled known positives, Binomial(n, k/n) lie in the head. Its quantiles, as shares of
    n, bound the share of all positives in the head ([1]_, section 4.1). The m latent positives
    are taken as if there were infinitely many, so that the band covers less than it says.

    Takes and returns what `pu_accessor.inference.bands.exact.exact` does; `level` is
    the nominal one at each cutoff.

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
    fewest = np.asarray(resampled.ppf(tail * (1 - SAME)), np.int64)
    most = np.asarray(resampled.isf(tail * (1 + SAME)), np.int64)
    return fewest * m // n, -(-most * m // n)


def dkw(n: int, m: int, level: float) -> Bounds:
    """Dvoretzky-Kiefer-Wolfowitz band: one width at all cutoffs, all at once.

    The rank CDF of the known positives is k/n; the one of infinitely many positives lies within
    sqrt(ln(2/(1 - level))/(2n)) of it at all cutoffs jointly, with probability `level` [1]_. Like
    the bootstrap it takes the latent positives as if there were infinitely many.

    Takes and returns what `pu_accessor.inference.bands.exact.exact` does; `level` is that of the
    rank CDF as a whole.

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
    lower = np.floor(np.maximum(share - width, 0) * m).astype(np.int64)
    upper = np.ceil(np.minimum(share + width, 1) * m).astype(np.int64)
    return lower, upper


BANDS: Mapping[str, Band] = MappingProxyType(
    {"exact": exact, "simultaneous": simultaneous, "bootstrap": bootstrap, "dkw": dkw}
)


def band_name(band: str | Band | RankBand) -> str:
    """Return a band's name for attributes and legends."""
    if isinstance(band, RankBand):
        return "by rank"
    if callable(band):
        return str(getattr(band, "__name__", type(band).__name__))
    if not isinstance(band, str):
        raise PUTypeError(
            f"band must be one of {sorted(BANDS)}, a callable (n, m, level) -> (lower, upper), or "
            f"a pair of bounds by rank, (lower, upper), but {band!r} was passed."
        )
    check_option("band", band, BANDS)
    return band


def latent_bounds(band: str | Band, n: int, m: int, level: float) -> Bounds:
    """Ask a band, ours or a user's, for its lookup table, and check a user's."""
    name = band_name(band)
    table = band if callable(band) else BANDS[name]
    try:
        answer = table(n, m, level)
    except TypeError as error:
        raise PUTypeError(
            f"band {name!r} must be a function (n, m, level) -> (lower, upper), but raised: "
            f"{error}."
        ) from error
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


def latent_bounds_each(
    band: str | Band, n: int, m: tuple[int, ...], level: float, selection_odds: float = 1.0
) -> Bounds:
    """Ask a band for its lookup tables at several numbers of latent positives."""
    if selection_odds > 1 and band == "simultaneous":
        sides = [simultaneous_within(n, latent, level, selection_odds) for latent in m]
        return np.stack([lower for lower, _ in sides]), np.stack([upper for _, upper in sides])
    if selection_odds > 1:
        return exact_within(n, np.array(m, np.int64), level, selection_odds)
    if band == "exact":
        return exact_each(n, np.array(m, np.int64), level)
    lower, upper = zip(*(latent_bounds(band, n, latent, level) for latent in m), strict=True)
    return np.stack(lower), np.stack(upper)


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
