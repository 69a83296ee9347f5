"""Bounds on the hidden positives above a cutoff, by band name, function or rank.

A band is a function ``band(n, m, level) -> (lower, upper)``: of m hidden positives so many are
above a cutoff with k of n known ones, for k = 0..n. Bounds by rank use the number of examples
above the cutoff instead: Theorem 1 of [C15] takes any bounds on the rank CDF.

[1] [C15], section 4.1 (bootstrap). [2] P. Massart, Annals of Probability 18 (1990) 1269-1283
(dkw).
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import log, sqrt
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

from pu_accessor.checks import as_array, check_option
from pu_accessor.errors import PUTypeError, PUValueError, name_function
from pu_accessor.inference.bands.exact import TOLERANCE, Bounds, exact, exact_each, exact_with_odds
from pu_accessor.inference.bands.simultaneous import error_probability, simultaneous
from pu_accessor.ranking import FloatArray, IntArray

# From the number of examples to shares of the hidden positives at ranks 0, 1, ..., examples.
ShareByRank: TypeAlias = Callable[[int], FloatArray]

_MAX_ULPS = 4  # rounding error of the product of a share and a count


@dataclass(frozen=True, eq=False)
class RankBand:
    """Bounds on the share of the hidden positives among the first examples, at each rank."""

    lower: ShareByRank
    upper: ShareByRank

    def of(self, names: Sequence[str], key: Hashable) -> "RankBand":
        """Return the bounds of one ranking: here the same for all."""
        return self

    def latent(self, rank: IntArray, examples: int, latent: IntArray) -> tuple[IntArray, IntArray]:
        """Return bounds on the number of hidden positives at some ranks, (ranks, numbers)."""
        lower = _check_shares(self.lower(examples), "lower")
        upper = _check_shares(self.upper(examples), "upper")
        if (lower > upper).any():
            first = int(np.argmax(lower > upper))
            raise PUValueError(
                f"band must have lower <= upper, but at rank {first} it has lower "
                f"{lower[first]:g} and upper {upper[first]:g}. Pass it as (lower, upper)."
            )
        lower = np.minimum.accumulate(lower[::-1])[::-1]
        upper = np.maximum.accumulate(upper)
        fewest = _rounded_counts(lower[rank], latent, np.floor)
        return fewest, _rounded_counts(upper[rank], latent, np.ceil)


def bound_at_all_ranks(name: str, values: Any) -> ShareByRank:
    """Return one bound as a function of the number of examples."""
    if callable(values):
        return lambda size: _at_all_ranks(name, values(np.arange(size + 1)), size, True)
    array = _as_array(name, values)
    return lambda size: _at_all_ranks(name, array, size, False)


def bound_at_some_ranks(name: str, ranks: IntArray, values: Any) -> ShareByRank:
    """Return one bound given at some ranks: between these the rank CDF never falls."""
    order = np.argsort(ranks)
    known, array = np.asarray(ranks)[order], _as_array(name, values)[order]

    def side(examples: int) -> FloatArray:
        outside = known[(known < 0) | (known > examples)]
        if outside.size:
            raise PUValueError(
                f"band must have ranks from 0 to {examples}, the number of examples, but its "
                f"{name} has {outside.tolist()[:5]}."
            )
        every = np.arange(examples + 1)
        if name == "lower":
            return np.append(0.0, array)[np.searchsorted(known, every, side="right")]
        return np.append(array, 1.0)[np.searchsorted(known, every, side="left")]

    return side


def _as_array(name: str, values: Any) -> FloatArray:
    array = as_array(values)
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        raise PUTypeError(
            "band must have one-dimensional arrays of shares, or functions of the rank, but its "
            f"{name} is {type(values).__name__} of shape {array.shape}. Pass (lower, upper), each "
            "with a share for every rank from 0 on; or a name, for example band='exact'."
        )
    return array.astype(np.float64)


def _at_all_ranks(name: str, values: Any, examples: int, returned: bool) -> FloatArray:
    """Return shares at all ranks; raise if there are more or fewer."""
    array = _as_array(name, values)
    if array.size != examples + 1:
        came = "returned" if returned else "has"
        raise PUValueError(
            f"band must have a share for each rank from 0 to {examples}, the number of examples: "
            f"{examples + 1} in all, but its {name} {came} {array.size}. Pass more or fewer, or a "
            "DataArray with a coordinate rank and some of the ranks."
        )
    return array


def _check_shares(shares: FloatArray, name: str) -> FloatArray:
    outside = ~((shares >= 0) & (shares <= 1))
    if outside.any():
        rank = int(np.argmax(outside))
        raise PUValueError(
            f"band must lie in [0, 1], but its {name} is {shares[rank]:g} at rank {rank}: it "
            "bounds the share of the hidden positives above the cutoff, not their number."
        )
    return shares


def _rounded_counts(
    shares: FloatArray, latent: IntArray, rounded: Callable[[FloatArray], npt.NDArray[Any]]
) -> IntArray:
    """Return shares of counts, rounded except for what is an integer within rounding error."""
    product = np.multiply.outer(shares, latent.astype(np.float64))
    nearest = np.rint(product)
    same = np.abs(product - nearest) <= _MAX_ULPS * np.spacing(product)
    return np.where(same, nearest, rounded(product)).astype(np.int64)


Band: TypeAlias = Callable[[int, int, float], tuple[npt.ArrayLike, npt.ArrayLike]]


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
    """Return the checked limits of a named or a user's band, for k = 0..n."""
    name = band_name(band)
    table = band if callable(band) else BANDS[name]
    named = f"band {name!r} must be a function (n, m, level) -> (lower, upper)"
    with name_function(named, f"band({n}, {m}, {level})"):
        answer = table(n, m, level)
    try:
        lower, upper = (np.asarray(side) for side in answer)
    except (TypeError, ValueError) as error:
        raise PUTypeError(
            f"band {name!r} must return two arrays, (lower, upper), but returned a "
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
            f"band {name!r} must return counts of the m = {m} hidden positives, but none is above "
            "1. Multiply shares by m before you round them."
        )
    return lower, upper


def latent_bounds_of_many(
    band: str | Band | RankBand,
    n: int,
    m: tuple[int, ...],
    level: float,
    *options: Any,
    **named: Any,
) -> Bounds:
    """Return the limits of a band for several numbers of hidden positives, one row each."""
    if isinstance(band, RankBand):
        raise TypeError("Bounds by rank have no table.")
    if isinstance(band, str):
        return _bounds_by_name(band, n, m, level, *options, **named)
    return stack_bounds(lambda latent: latent_bounds(band, n, latent, level), m)


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
        return stack_bounds(lambda latent: sides(n, latent, level, selection_odds), m)
    if one_sided:
        level = 1 - error_probability(level, one_sided)
    if selection_odds > 1:
        return exact_with_odds(n, np.array(m, np.int64), level, selection_odds)
    if band == "exact":
        return exact_each(n, np.array(m, np.int64), level)
    return stack_bounds(lambda latent: latent_bounds(band, n, latent, level), m)


def stack_bounds(bounds: Callable[[int], Bounds], m: Iterable[int]) -> Bounds:
    """Return the bounds for each number of hidden positives, shape (numbers, known + 1)."""
    lower, upper = zip(*map(bounds, m), strict=True)
    return np.stack(lower), np.stack(upper)


def _check_counts(name: str, side: npt.NDArray[Any], n: int, m: int) -> IntArray:
    """Return one side of a user's band as int64, or raise."""
    if not np.issubdtype(side.dtype, np.integer):
        raise PUTypeError(
            f"band {name!r} must return integers, counts of the m = {m} hidden positives, but "
            f"returned {side.dtype}. For shares write np.floor(lower * m).astype(int) and "
            "np.ceil(upper * m).astype(int)."
        )
    if side.shape != (n + 1,):
        raise PUValueError(
            f"band {name!r} must return arrays of shape ({n + 1},), an entry for each k = 0..n, "
            f"but returned {side.shape}."
        )
    table = side.astype(np.int64)  # differences of unsigned integers would wrap around
    if table.min() < 0 or table.max() > m:
        raise PUValueError(
            f"band {name!r} must return counts from 0 to m = {m}, but returned {table.min()} to "
            f"{table.max()}."
        )
    if (np.diff(table) < 0).any():
        k = int(np.argmax(np.diff(table) < 0))
        raise PUValueError(
            f"band {name!r} must not decrease with k, but falls from {table[k]} at k = {k} to "
            f"{table[k + 1]} at k = {k + 1}."
        )
    return table
