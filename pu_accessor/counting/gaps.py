"""Counts of scores between labeled scores, in one pass over any pieces.

Bounds need only counts of unlabeled scores between labeled ones, see `Gaps`. Counts of pieces are
added, so the scores may lie in memory, in files or on a cluster.
"""

from __future__ import annotations

import timeit
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial, reduce
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from pu_accessor.counting.threads import count_threads, in_threads
from pu_accessor.ranking import CountArray, FloatArray, IntArray

_CELLS, _FEWEST, _MOST = 16, 1 << 12, 1 << 22  # for each value; fewest, most
_COMPARED = 4  # values that a score is compared with before it is searched for
_SHAPES = 1.0, 2.0**-8, 2.0**-40  # see `Lookup`
_LEAST = np.finfo(np.float64).tiny  # the bits of 0.0 and of -0.0 differ
_SAMPLE, _FEW = 1 << 10, 0.4  # scores that are tried, and a share of them to be content with


@dataclass(frozen=True, eq=False)
class Lookup:
    """Finds the block of each score: the gap below the lowest value, that value, and so on.

    Gaps have even numbers and values odd ones. Cells are of equal width in the bits of what a
    score is above `low`, which rise with it: if `low` is as far below the values as they are
    apart, that is as even as scores, if it is close to them, as logarithms.
    """

    values: FloatArray  # ascending, distinct, without NaN
    low: float
    first: np.int64  # the bits at which cell 0 starts
    width: np.int64  # of a cell: bits are shifted by it
    table: npt.NDArray[np.int32]  # the block of cells without a value; of others ~ the first value

    @classmethod
    def of(cls, values: FloatArray, scores: npt.NDArray[np.floating]) -> Lookup:
        """Make the table that suits such scores.

        Examples
        --------
        >>> scores = np.array([0.5, 1.0, 1.5, 2.0, np.inf, np.nan])
        >>> Lookup.of(np.array([1.0, 2.0]), scores).blocks(scores)
        array([0, 1, 2, 3, 4, 0])
        """
        sample = scores[:: scores.size // _SAMPLE + 1].astype(np.float64, copy=False)
        best, fewest = cls._with(values, _SHAPES[0]), sample.size + 1
        for shape in _SHAPES:
            lookup = cls._with(values, shape)
            near = int(np.count_nonzero(lookup._look(sample) < 0))
            if near < fewest:
                best, fewest = lookup, near
            if near <= _FEW * sample.size:
                break
        return best

    @classmethod
    def _with(cls, values: FloatArray, shape: float) -> Lookup:
        """Make the table with `low` below the values by a share of what they are apart."""
        finite = values[np.isfinite(values)]
        lowest, highest = (finite[0], finite[-1]) if finite.size else (0.0, 0.0)
        cells = (min(max(_CELLS * values.size, _FEWEST), _MOST) - 1).bit_length()
        with np.errstate(over="ignore", invalid="ignore"):
            low = lowest - shape * ((highest - lowest) or abs(highest) or 1.0)
            start, end = (np.array([lowest, highest]) - low).view(np.int64)
        width = np.int64(max(int(end - start).bit_length() - cells, 0))
        table = np.zeros((1 << cells) + 3, np.int32)
        lookup = cls(values, float(low), start - (np.int64(1) << width), width, table)
        cell = lookup._cells(values)
        place = np.flatnonzero(np.diff(cell, prepend=-1))
        # Between two cells with values it is the same gap.
        gaps = np.diff(cell[place] + 1, prepend=0, append=table.size)
        table[:] = np.repeat(2 * np.append(place, values.size), gaps)
        table[cell[place]] = ~place
        return lookup

    def blocks(self, scores: FloatArray) -> IntArray:
        """Return the block of each score; NaN is in the gap below the lowest value."""
        block = self._look(scores).astype(np.int64)
        near = np.flatnonzero(block < 0)
        if near.size:
            block[near] = self._search(scores[near], ~block[near])
        return block

    def _look(self, scores: FloatArray) -> npt.NDArray[np.int32]:
        """Return what the table says of each score."""
        return self.table.take(self._cells(scores))

    def _cells(self, scores: FloatArray) -> IntArray:
        """Return the cell of each score; it never falls as scores rise, despite rounding."""
        with np.errstate(over="ignore", invalid="ignore"):
            way = scores - self.low
        cell: IntArray = np.fmax(way, _LEAST, out=way).view(np.int64)  # also of NaN
        cell -= self.first
        cell >>= self.width
        return cell.clip(0, self.table.size - 1, out=cell)

    def _search(self, scores: FloatArray, first: IntArray) -> IntArray:
        """Return the block of each score, from the first value that it can equal."""
        last = self.values.size - 1
        place, far = first + (self.values[first] < scores), np.arange(scores.size)
        for _ in range(_COMPARED):
            far = far[self.values[np.minimum(place[far], last)] < scores[far]]
            place[far] += 1
        place[far] = self.values.searchsorted(scores[far])
        block: IntArray = 2 * place + (self.values[np.minimum(place, last)] == scores)
        return block


Number = TypeVar("Number", bound=np.number[Any])
Scores: TypeAlias = npt.NDArray[np.floating[Any]]

_PIECE = 1 << 18  # scores that are sorted at once
_LOOKED_UP = 1 << 16  # scores that are looked up at once, in the cache
_TRIED = 1 << 14  # scores that are looked up and sorted, to see what is quicker
_STEPS = 2  # times that counting takes as long as looking up
_PARTS = 4  # for each thread, so that no thread waits long for the last part
_KEPT = 1 << 16  # scores in the two outer gaps that are kept, at most


@dataclass(frozen=True, eq=False)
class Gaps:
    """Numbers of scores at distinct values, and in the gaps between them."""

    values: FloatArray  # best first; NaN, worse than -inf, may be the last
    at: CountArray  # scores that are equal to each value
    inside: CountArray  # scores in the open gap above each value, and below the last
    lowest: FloatArray  # the worst score in each gap, +inf where there is none
    ends: FloatArray | None = None  # all scores in the outer gaps, where they are few

    def merge(self, other: Gaps) -> Gaps:
        """Return the counts of two sets of scores together, with the same values."""
        return Gaps(
            self.values,
            self.at + other.at,
            self.inside + other.inside,
            np.minimum(self.lowest, other.lowest),  # of NaN and a number it is NaN, the worse
            _join(self.ends, other.ends),
        )

    def closed(self) -> Gaps:
        """Return the counts after the scores of the outer gaps have become values, if few."""
        if self.ends is None:
            return self
        outer = np.array([0, self.values.size - np.isnan(self.values[-1])])
        return close(replace(self, ends=None), outer, self.ends)

    def about(self, values: FloatArray) -> Gaps:
        """Return the counts at and between some of the values alone.

        Examples
        --------
        >>> gaps = count_gaps(np.array([2.0, 1.0]), np.array([1.5, 1.0, 1.7, 9.0]))
        >>> gaps.about(np.array([2.0])).inside
        array([1, 3])
        """
        lowest, through = self.blocks()
        above = 2 * np.searchsorted(0.0 - self.values, 0.0 - values)  # the gaps above them
        before = np.append(through[above], through[-1])
        inside = before - np.append(0, through[above + 1])
        worst = lowest[np.searchsorted(through, before)]  # never of an empty block
        return Gaps(values, self.at[above // 2], inside, np.where(inside > 0, worst, np.inf))

    def blocks(self) -> tuple[FloatArray, CountArray]:
        """Return gaps and values in turn, best first, as blocks of scores."""
        lowest = np.empty(2 * self.at.size + 1)
        counts = np.empty(lowest.size, self.at.dtype)
        lowest[::2], lowest[1::2] = self.lowest, self.values
        counts[::2], counts[1::2] = self.inside, self.at
        return lowest, np.cumsum(counts)


def distinct(scores: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the distinct scores, best first, and how often each occurs.

    Examples
    --------
    >>> distinct(np.array([1.0, np.nan, 3.0, 1.0]))
    (array([ 3.,  1., nan]), array([1, 2, 1]))
    """
    cost = np.sort(0.0 - scores)  # negated: NaN comes last by itself
    new = np.flatnonzero(np.concatenate([[True], cost[1:] > cost[:-1]])[: cost.size])
    missing = int(np.isnan(cost).sum())
    if missing:
        new = np.append(new, cost.size - missing) if missing < cost.size else np.zeros(1, np.intp)
    return 0.0 - cost[new], np.diff(new, append=cost.size).astype(np.int64)


def close(gaps: Gaps, inside: IntArray, scores: FloatArray) -> Gaps:
    """Return the gaps after all scores in some of them have become values."""
    values, at = distinct(scores)
    remaining, lowest = gaps.inside.copy(), gaps.lowest.copy()
    remaining[inside], lowest[inside] = 0, np.inf
    before = np.searchsorted(0.0 - gaps.values, 0.0 - values)
    index = before + np.arange(values.size)
    return Gaps(
        insert_at(index, gaps.values, values),
        insert_at(index, gaps.at, at),
        insert_at(index, remaining, np.zeros_like(at)),
        insert_at(index, lowest, np.full(values.size, np.inf)),
    )


def insert_at(index: IntArray, array: npt.NDArray[Any], new: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Insert values so that they get these indices; in a third of the time of np.insert."""
    longer = np.empty(array.size + new.size, array.dtype)
    old = np.ones(longer.size, np.bool_)
    old[index] = False
    longer[index], longer[old] = new, array
    return longer


def _join(*parts: FloatArray | None) -> FloatArray | None:
    """Put what is kept of scores together, unless it is too much."""
    kept = [part for part in parts if part is not None]
    if len(kept) < len(parts) or sum(map(len, kept)) > _KEPT:
        return None
    return np.concatenate(kept)


def count_gaps(values: FloatArray, scores: Scores) -> Gaps:
    """Count scores at and between some values.

    Examples
    --------
    >>> gaps = count_gaps(np.array([2.0, 1.0]), np.array([1.5, 1.0, 1.7, 9.0]))
    >>> gaps.at, gaps.inside, gaps.lowest
    (array([0, 1]), array([1, 2, 0]), array([9. , 1.5, inf]))
    """
    if sorts_slowly():
        return _look_up(values, scores)
    threads = count_threads(scores.size)
    parts = in_parts(scores, threads)
    return reduce(Gaps.merge, in_threads(partial(_sort, values), parts, threads))


@cache
def sorts_slowly() -> bool:
    """Tell whether NumPy takes longer to sort scores here than to look them up.

    Some processors take five times as long as others. A sort leaves more to other threads.
    """
    scores = np.random.default_rng(0).normal(size=_TRIED)
    lookup = Lookup.of(np.sort(scores[: _TRIED >> 4]), scores)
    look_up, sort = partial(lookup.blocks, scores), partial(np.sort, scores)
    quickest = [min(timeit.repeat(way, number=1)) for way in (look_up, sort)]
    return _STEPS * quickest[0] < quickest[1]


def _look_up(values: FloatArray, scores: Scores) -> Gaps:
    """Count scores between some values, some at a time, by looking each up."""
    tally = Tally(values)
    lookup = Lookup.of(tally.known, scores)
    for piece in in_pieces(scores, max(_LOOKED_UP, 2 * values.size)):
        tally.add(lookup, np.asarray(piece, np.float64))
    return tally.gaps(scores.size - int(tally.counts.sum()))


def _sort(values: FloatArray, scores: Scores) -> Gaps:
    """Count scores between some values, some at a time, by sorting them."""
    tally = Tally(values)
    # Each piece costs a search for all values: where there are many it is longer.
    size = _PIECE if values.size < _PIECE >> 4 else 4 * _PIECE
    most = min(size, scores.size)
    wide = np.empty(most)  # each piece takes the place of the one before
    buffer: Scores = wide if scores.dtype == wide.dtype else np.empty(most, scores.dtype)
    for part in in_pieces(scores, most):
        piece, ascending = buffer[: part.size], wide[: part.size]
        np.copyto(piece, part)
        piece.sort()  # float32 in half the time
        np.copyto(ascending, piece)
        tally.add_sorted(ascending[: np.searchsorted(ascending, np.nan)])
    return tally.gaps(scores.size - int(tally.counts.sum()))


def in_parts(scores: npt.NDArray[Number], threads: int) -> list[npt.NDArray[Number]]:
    """Divide scores, or what else there is of each row, among threads."""
    return [scores] if threads == 1 else np.array_split(scores, threads * _PARTS, axis=-1)


def in_pieces(scores: Scores, size: int) -> Iterator[Scores]:
    """Go through scores some at a time."""
    step = max(size, 1)
    return (scores[start : start + step] for start in range(0, scores.size, step))


class Tally:
    """Counts and lowest scores of blocks: the gap below the lowest value, that value, and so on.

    Gaps have even indices and values odd ones. No lowest score is kept of values.
    """

    def __init__(self, values: FloatArray) -> None:
        self.known = values[~np.isnan(values)][::-1]
        self.apart = self.known.size < values.size  # whether NaN is among the values
        self.counts: CountArray = np.zeros(2 * self.known.size + 1, np.int64)
        self.lowest = np.full(2 * self.known.size + 1, np.inf)
        self.ends: FloatArray | None = np.empty(0) if self.known.size else None

    def add(self, lookup: Lookup, piece: FloatArray) -> None:
        """Count scores in any order, by where they are."""
        if np.isnan(piece.min()):
            piece = piece[~np.isnan(piece)]
        block, last = lookup.blocks(piece), self.counts.size - 1
        self.counts += np.bincount(block, minlength=last + 1)
        lower = np.flatnonzero(piece < self.lowest[block])
        np.minimum.at(self.lowest, block[lower], piece[lower])
        if self.ends is not None:
            self.ends = _join(self.ends, piece[np.flatnonzero((block == 0) | (block == last))])

    def add_sorted(self, piece: FloatArray, through: CountArray | None = None) -> None:
        """Count scores that are in ascending order; `through` so many of them weigh so much."""
        ends = np.full(self.counts.size + 1, piece.size)
        ends[0] = 0
        ends[1:-1:2] = right = np.searchsorted(piece, self.known)
        if piece.size:  # few are tied: values end with the first, or are searched for
            right = right + (piece.take(right, mode="clip") == self.known)
            tied = np.flatnonzero(piece.take(right, mode="clip") == self.known)
            right[tied] = np.searchsorted(piece, self.known[tied], side="right")
        ends[2:-1:2] = right
        counts = np.diff(ends if through is None else through[ends])
        self.counts = self.counts + counts
        beyond = [None] if through is not None else [piece[: ends[1]], piece[ends[-2] :]]
        self.ends = _join(self.ends, *beyond)
        filled = 2 * np.flatnonzero(counts[::2])
        self.lowest[filled] = np.minimum(self.lowest[filled], piece[ends[filled]])

    def gaps(self, missing: float) -> Gaps:
        """Return the counts, best first; others are NaN, at a value apart or in a gap."""
        counts = self.counts[::-1]
        values, at, inside = self.known[::-1], counts[1::2].copy(), counts[::2].copy()
        lowest = 0.0 + self.lowest[::-2]  # -0.0 becomes 0.0
        ends = self.ends
        if self.apart:
            values, at = np.append(values, np.nan), np.append(at, missing)
            inside, lowest = np.append(inside, 0), np.append(lowest, np.inf)
        elif missing:
            inside[-1] += missing
            lowest[-1] = np.nan
            ends = None if missing > _KEPT else _join(ends, np.full(int(missing), np.nan))
        return Gaps(values, at, inside, lowest, ends)
