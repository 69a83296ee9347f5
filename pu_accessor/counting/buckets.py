"""Monotone maps from scores to buckets: where among some values a score lies, without a search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pu_accessor.ranking import BoolArray, FloatArray, IntArray

__all__ = [
    "HIGHEST",
    "Index",
    "Places",
    "Scores",
    "choose_index",
    "from_order",
    "is_crowded",
    "order_of",
    "place",
    "place_by_search",
]

Places: TypeAlias = npt.NDArray[np.intp]
Scores: TypeAlias = npt.NDArray[np.floating[Any]]

_SAMPLE = 1 << 12  # scores that are tried to choose a map
_FEW = 0.05  # a map that leaves so few to a binary search is taken as it is
_MANY = 0.3  # where each leaves more, sorting is quicker
_SIGN, _REST = np.int64(63), np.int64(2**63 - 1)

Bucket: TypeAlias = Callable[[FloatArray], Places]


class Index(NamedTuple):
    """A monotone map from scores to buckets, and the values about each bucket.

    Parameters
    ----------
    bucket : callable
        From scores to numbers of buckets.
    before : ndarray of int64, shape (buckets,)
        Values in all lower buckets.
    only : ndarray of float64, shape (buckets,)
        The value in the bucket or, where there is none, the next; NaN after the last.
    hard : ndarray of bool, shape (buckets,)
        Whether the table does not settle what is asked of scores in the bucket.
    finer : Index, optional
        What to ask about scores in hard buckets; a binary search, if None.
    """

    bucket: Bucket
    before: IntArray
    only: FloatArray
    hard: BoolArray
    finer: Index | None = None


IsHard: TypeAlias = Callable[[IntArray, IntArray], BoolArray]


def is_crowded(here: IntArray, before: IntArray) -> BoolArray:
    """Tell for each bucket whether several values lie in it."""
    crowded: BoolArray = here > 1
    return crowded


def place(known: FloatArray, index: Index, piece: FloatArray) -> Places:
    """Return the place of each score, see `pu_accessor.counting.gaps.Tally`."""
    bucket = index.bucket(piece)
    places: Places = 2 * index.before.take(bucket)
    only = index.only.take(bucket)
    places += piece >= only
    places += piece > only
    hard = np.flatnonzero(index.hard.take(bucket))
    if hard.size and index.finer:
        places[hard] = place(known, index.finer, piece[hard])
    elif hard.size:
        places[hard] = place_by_search(known, piece[hard])
    return places


def place_by_search(known: FloatArray, piece: FloatArray) -> Places:
    """Return the place of each score by binary search."""
    lower = np.searchsorted(known, piece, side="left")
    places: Places = 2 * lower + (np.append(known, np.nan)[lower] == piece)
    return places


def choose_index(
    known: FloatArray, scores: Scores, is_hard: IsHard, levels: int = 1
) -> Index | None:
    """Return the index that settles most scores; None where it would settle few."""
    if scores.size < max(4 * known.size, _SAMPLE):
        return None
    sample = scores[:: scores.size // _SAMPLE].astype(np.float64)
    sample = sample[~np.isnan(sample)]
    index, left = _levels(known, known, sample, is_hard, levels)
    return index if left <= _MANY * sample.size else None


def _levels(
    known: FloatArray, among: FloatArray, sample: FloatArray, is_hard: IsHard, levels: int
) -> tuple[Index, int]:
    """Return the index that settles most of a sample, and how many of it are left.

    Its map is fine among some of the values. Finer ones follow, among those in hard buckets.
    """
    few = _FEW * sample.size
    tried = (
        (index, int(np.count_nonzero(index.hard[index.bucket(sample)])))
        for index in _indices(known, among, is_hard)
    )
    index, left = next(tried)
    while left > few and (other := next(tried, None)):
        index, left = min((index, left), other, key=itemgetter(1))
    if levels == 1 or left <= few:
        return index, left
    among, sample = (some[index.hard[index.bucket(some)]] for some in (among, sample))
    finer, left = _levels(known, among, sample, is_hard, levels - 1)
    return index._replace(finer=finer), left


def _indices(known: FloatArray, among: FloatArray, is_hard: IsHard) -> Iterator[Index]:
    """Return indices of all values, of different maps that are fine among some."""
    buckets = 1 << min(max((8 * known.size).bit_length(), 12), 20)
    for bucket in _maps(among, buckets):
        here = np.bincount(bucket(known), minlength=buckets)
        before = np.cumsum(here) - here
        only = np.append(known, np.nan)[before]
        yield Index(bucket, before, only, is_hard(here, before))


def _maps(among: FloatArray, buckets: int) -> Iterator[Bucket]:
    """Return monotone maps: a linear one where the values are finite and apart, and by bits."""
    finite = among[np.isfinite(among)]
    low, high = (float(finite[0]), float(finite[-1])) if finite.size else (0.0, 0.0)
    scale = (buckets - 3) / (high - low) if high > low else 0.0
    if 0 < scale < np.inf:
        yield partial(_linear_bucket, low, scale, buckets - 1)
    for origin in (0.0, high):  # near which probabilities crowd
        ends = _order(_minus(among[[0, -1]], origin)) if among.size else np.zeros(2, np.int64)
        span = int(ends[1]) - int(ends[0])
        shift = max(span.bit_length() - (buckets - 2).bit_length() + 1, 0)
        yield partial(_bits_bucket, origin, ends[0], shift, buckets - 1)


def _minus(scores: FloatArray, origin: float) -> FloatArray:
    with np.errstate(over="ignore"):
        return scores - origin


def _linear_bucket(low: float, scale: float, last: int, scores: FloatArray) -> Places:
    """Return buckets of equal width; the first and last are for what lies outside."""
    place = _minus(scores, low)
    with np.errstate(over="ignore"):
        place *= scale
    place += 1.0
    np.clip(place, 0.0, last, out=place)
    return place.astype(np.intp)


def _bits_bucket(
    origin: float, low: np.int64, shift: int, last: int, scores: FloatArray
) -> Places:
    """Return buckets that are the finer the nearer they are to the origin, as floats are."""
    order = _order(_minus(scores, origin))
    outside = order < low
    # Differences of two such integers need all 64 bits, without a sign.
    place = (order - low).view(np.uint64) >> np.uint64(shift)
    place += np.uint64(1)
    np.minimum(place, np.uint64(last), out=place)
    place[outside] = 0
    return place.astype(np.intp)


def _order(scores: FloatArray) -> IntArray:
    """Return integers in the order of scores, neighbours for neighbours; not for NaN."""
    bits = (scores + 0.0).view(np.int64)  # -0.0 + 0.0 is 0.0
    return bits ^ ((bits >> _SIGN) & _REST)


def from_order(order: IntArray) -> FloatArray:
    """Return the scores of integers that `_order` made, and NaN for those below -inf."""
    scores = (order ^ ((order >> _SIGN) & _REST)).view(np.float64)
    scores[order < LOWEST] = np.nan
    return scores


LOWEST, HIGHEST = (int(bits) for bits in _order(np.array([-np.inf, np.inf])))


def order_of(score: float) -> int:
    """Return the integer of one score; NaN comes just below -inf."""
    return LOWEST - 1 if np.isnan(score) else int(_order(np.array([score]))[0])
