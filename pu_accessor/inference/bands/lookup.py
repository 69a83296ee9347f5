"""Bounds on the hidden positives above a cutoff, by a band's name, a function or a pair of arrays.

A band is a function ``band(n, m, level) -> (lower, upper)``: of m hidden positives so many are
above a cutoff with k of n known ones, for k = 0..n. The pair itself is a band, too.

[1] [C15], section 4.1 (bootstrap). [2] P. Massart, Annals of Probability 18 (1990) 1269-1283
(dkw).
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from math import log, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from pu_accessor.checks import as_array, check_option
from pu_accessor.errors import PUTypeError, PUValueError, brief, name_function
from pu_accessor.inference.bands.exact import TOLERANCE, Bounds, exact, exact_each, exact_with_odds
from pu_accessor.inference.bands.simultaneous import error_probability, simultaneous
from pu_accessor.ranking import IntArray
from pu_accessor.roles_and_assumptions import Band, Pair, UserBand


def bootstrap(n: int, m: int, level: float) -> Bounds:
    """Return quantiles of Binomial(n, k/n)/n times m: the percentile bootstrap of [C15]."""
    # It takes the hidden positives as infinitely many, so that its coverage is below the level.
    resampled = scipy.stats.binom(n, np.arange(n + 1) / n)
    tail = (1 - level) / 2
    # A quantile exactly on the tail belongs to it, also after rounding.
    fewest = np.asarray(resampled.ppf(tail * (1 - TOLERANCE)), np.int64)
    most = np.asarray(resampled.isf(tail * (1 + TOLERANCE)), np.int64)
    return fewest * m // n, -(-most * m // n)


def dkw(n: int, m: int, level: float) -> Bounds:
    """Return the rank CDF plus and minus sqrt(ln(2/(1 - level))/(2n)), times m [2]."""
    # It takes the hidden positives as infinitely many.
    width = sqrt(log(2 / (1 - level)) / (2 * n))
    share = np.arange(n + 1) / n
    lower = np.floor(np.maximum(share - width, 0) * m).astype(np.int64)
    upper = np.ceil(np.minimum(share + width, 1) * m).astype(np.int64)
    return lower, upper


BANDS: Mapping[str, Band] = {
    "exact": exact,
    "simultaneous": simultaneous,
    "bootstrap": bootstrap,
    "dkw": dkw,
}


def band_name(band: UserBand) -> str:
    """Return a band's name for attributes and legends."""
    if isinstance(band, tuple):
        return "pair"
    if callable(band):
        return str(getattr(band, "__name__", type(band).__name__))
    if not isinstance(band, str):
        hidden = " To draw none: band_kws={'alpha': 0}." * (band is None)
        raise PUTypeError(
            f"band must be one of {sorted(BANDS)}, a callable (n, m, level) -> (lower, upper), or "
            f"such a pair of arrays with n + 1 entries, but {brief(band)} was passed.{hidden}"
        )
    check_option("band", band, BANDS)
    return band


def hidden_bounds(band: Band | Pair, n: int, m: int, level: float) -> Bounds:
    """Return the checked limits of a function or a pair, for k = 0..n."""
    name = band_name(band)
    named = f"band {name!r} must be a function (n, m, level) -> (lower, upper)"
    with name_function(named, f"band({n}, {m}, {level})"):
        answer = band(n, m, level) if callable(band) else band
    try:
        lower, upper = map(as_array, answer)
    except (TypeError, ValueError) as error:
        raise PUTypeError(
            f"band {name!r} must have two arrays, (lower, upper), but is a "
            f"{type(answer).__name__}: {error}."
        ) from error
    lower, upper = (_check_counts(name, side, n, m) for side in (lower, upper))
    if (lower > upper).any():
        k = int(np.argmax(lower > upper))
        raise PUValueError(
            f"band {name!r} must have lower <= upper, but at k = {k} of n = {n} it has lower "
            f"{lower[k]} and upper {upper[k]} (m = {m})."
        )
    if m > 1 and upper.max() == 1:
        raise PUValueError(
            f"band {name!r} must have counts of the m = {m} hidden positives, but none is above "
            "1. Multiply shares by m before you round them."
        )
    return lower, upper


def hidden_bounds_of_many(
    band: UserBand, n: int, m: tuple[int, ...], level: float, *options: Any, **named: Any
) -> Bounds:
    """Return the limits of a band for several numbers of hidden positives, one row each."""
    if isinstance(band, str):
        return _bounds_by_name(band, n, m, level, *options, **named)
    return stack_bounds(lambda hidden: hidden_bounds(band, n, hidden, level), m)


@lru_cache(maxsize=8)  # models of the same examples need the same ones
def _bounds_by_name(
    band: str,
    n: int,
    m: tuple[int, ...],
    level: float,
    selection_odds: float = 1.0,
    one_sided: bool = False,
    cutoffs: int | None = None,
) -> Bounds:
    """Return the limits of a named band for several numbers of hidden positives."""
    if band == "simultaneous":
        sides = partial(simultaneous, one_sided=one_sided, cutoffs=cutoffs)
        return stack_bounds(lambda hidden: sides(n, hidden, level, selection_odds), m)
    if one_sided:
        level = 1 - error_probability(level, one_sided)
    if selection_odds > 1:
        return exact_with_odds(n, np.array(m, np.int64), level, selection_odds)
    if band == "exact":
        return exact_each(n, np.array(m, np.int64), level)
    return stack_bounds(lambda hidden: hidden_bounds(BANDS[band], n, hidden, level), m)


def stack_bounds(bounds: Callable[[int], Bounds], m: Iterable[int]) -> Bounds:
    """Return the bounds for each number of hidden positives, shape (numbers, known + 1)."""
    lower, upper = zip(*map(bounds, m), strict=True)
    return np.stack(lower), np.stack(upper)


def _check_counts(name: str, side: npt.NDArray[Any], n: int, m: int) -> IntArray:
    """Return one side of a user's band as int64, or raise."""
    if side.shape != (n + 1,):
        raise PUValueError(
            f"band {name!r} must have n + 1 = {n + 1} entries, one for each number of known "
            f"positives k = 0..n above the cutoff, but its shape is {side.shape}."
        )
    if not np.issubdtype(side.dtype, np.integer):
        raise PUTypeError(
            f"band {name!r} must have integers, counts of the m = {m} hidden positives, but "
            f"has {side.dtype}. For shares write np.floor(lower * m).astype(int) and "
            "np.ceil(upper * m).astype(int)."
        )
    table = side.astype(np.int64)  # differences of unsigned integers would wrap around
    if table.min() < 0 or table.max() > m:
        raise PUValueError(
            f"band {name!r} must have counts from 0 to m = {m}, but has {table.min()} to "
            f"{table.max()}."
        )
    if (np.diff(table) < 0).any():
        k = int(np.argmax(np.diff(table) < 0))
        raise PUValueError(
            f"band {name!r} must not decrease with k, but falls from {table[k]} at k = {k} to "
            f"{table[k + 1]} at k = {k + 1}."
        )
    return table
