"""Count scores between labeled scores, and find the n-th best scores.

Bounds need only these counts. Those of pieces are added, so scores may be in memory, in files or
on a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain
from typing import NamedTuple, TypeAlias

import numpy as np

from pu_accessor.counting.cells import Blocks, Cells, Scores
from pu_accessor.counting.threads import in_pieces
from pu_accessor.ranking import CountArray, FloatArray, IntArray, sorted_unique


@dataclass(frozen=True, eq=False)
class GapCounts:
    """Numbers of scores at distinct values, and in the gaps between them."""

    values: FloatArray  # best first; NaN, worse than -inf, may be the last
    at: CountArray  # scores that are equal to each value
    inside: CountArray  # scores in the open gap above each value, and below the last
    lowest: FloatArray  # the worst score in each gap, +inf where there is none
    sums: FloatArray | None = None  # of scores in each gap and at each value in turn

    @property
    def size(self) -> int:
        """The number of scores, or their weight."""
        size: int = (self.at.sum() + self.inside.sum()).item()
        return size

    def merge(self, other: GapCounts) -> GapCounts:
        """Add the counts of two sets of scores at the same values."""
        at, inside = self.at + other.at, self.inside + other.inside
        sums = self.sums + other.sums if self.sums is not None and other.sums is not None else None
        return GapCounts(self.values, at, inside, np.minimum(self.lowest, other.lowest), sums)

    def at_values(self, values: FloatArray) -> GapCounts:
        """Return the counts at and between a subset of the values."""
        lowest, through = self.blocks()
        above = 2 * np.searchsorted(0.0 - self.values, 0.0 - values)  # the gaps above them
        before = np.append(through[above], through[-1])
        inside = before - np.append(0, through[above + 1])
        worst = lowest[np.searchsorted(through, before)]  # never of an empty block
        return GapCounts(values, self.at[above // 2], inside, np.where(inside > 0, worst, np.inf))

    def with_scores(self, scores: FloatArray, weight: CountArray | None) -> GapCounts:
        """Return the counts at and between further values: all scores in some of the gaps."""
        cost, index = np.unique(0.0 - scores[~np.isnan(scores)], return_inverse=True)
        of_scores = None if weight is None else weight[~np.isnan(scores)]
        at = np.bincount(index, of_scores, cost.size).astype(self.at.dtype)
        place = np.searchsorted(0.0 - self.values, cost)
        inside = self.inside - np.bincount(place, at, self.inside.size).astype(self.at.dtype)
        return GapCounts(
            np.insert(self.values, place, 0.0 - cost),
            np.insert(self.at, place, at),
            np.insert(inside, place, 0),
            np.insert(np.where(inside > 0, self.lowest, np.inf), place, np.inf),
        )

    def blocks(self) -> tuple[FloatArray, CountArray]:
        """Return the worst score in each gap and value in turn, and the cumulated counts."""
        lowest = np.empty(2 * self.at.size + 1)
        counts = np.empty(lowest.size, self.at.dtype)
        lowest[::2], lowest[1::2] = self.lowest, self.values
        counts[::2], counts[1::2] = self.inside, self.at
        return lowest, np.cumsum(counts)


def distinct_scores(scores: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the distinct scores, best first, and how often each occurs."""
    cost = np.sort(0.0 - scores)  # NaN last
    is_new = np.ones(cost.size, np.bool_)
    np.not_equal(cost[1:], cost[:-1], out=is_new[1:])
    if cost.size and np.isnan(cost[-1]):  # which differs from itself
        is_new[np.searchsorted(cost, np.nan) + 1 :] = False
    new = np.flatnonzero(is_new)
    return 0.0 - cost[new], np.diff(np.append(new, cost.size))


@dataclass(frozen=True, eq=False)
class Gaps:
    """The gaps between distinct values, by number: 0 above the best, and so on."""

    values: FloatArray  # best first; NaN, worse than -inf, may be the last
    cells: Cells

    @classmethod
    def of(cls, values: FloatArray, scores: Scores) -> Gaps:
        """Make the gaps between values, in which such scores are looked up."""
        return cls(values, Cells.of(values[::-1], scores))

    def count(
        self,
        scores: Scores,
        weight: CountArray | None = None,
        *,
        blocks: Blocks | None = None,
        with_sums: bool = False,
    ) -> GapCounts:
        """Count scores at and between the values, each by its weight; also fill in `blocks`."""
        add = partial(self._count, scores, weight, blocks, with_sums)
        return reduce(GapCounts.merge, in_pieces(add, scores.size))

    def _count(
        self,
        scores: Scores,
        weight: CountArray | None,
        blocks: Blocks | None,
        with_sums: bool,
        pieces: Iterable[slice],
    ) -> GapCounts:
        """Count the scores of some pieces."""
        size = 2 * self.values.size + 1
        dtype = np.dtype(np.int64) if weight is None else weight.dtype
        counts, sums, lowest = np.zeros(size, dtype), np.zeros(size), np.full(size, np.inf)
        for piece in pieces:
            some = scores[piece].astype(np.float64, copy=False)
            times = None if weight is None else weight[piece]
            block = self.cells.find(some)
            if blocks is not None:
                blocks[piece] = block
            counts += np.bincount(block, times, size).astype(dtype, copy=False)
            lower = np.flatnonzero(some < lowest.take(block))
            np.minimum.at(lowest, block[lower], some[lower])
            is_missing = np.isnan(some)
            if is_missing.any():
                lowest[block[is_missing]] = np.nan
                some = np.where(is_missing, 0.0, some)
            if with_sums:
                sums += np.bincount(block, some if times is None else some * times, size)
        at, inside, lowest = counts[-2::-2], counts[::-2], 0.0 + lowest[::-2]
        return GapCounts(self.values, at, inside, lowest, sums[::-1] if with_sums else None)

    def fetch(
        self,
        numbers: IntArray,
        scores: Scores,
        weight: CountArray | None = None,
        blocks: Blocks | None = None,
    ) -> Fetched:
        """Return the scores in some gaps."""
        last = 2 * self.values.size
        wanted = np.zeros(last + 1, np.bool_)
        wanted[last - 2 * numbers] = True

        def find(pieces: Iterable[slice]) -> list[IntArray]:
            found = []
            for piece in pieces:
                block = self.cells.find(scores[piece]) if blocks is None else blocks[piece]
                found.append(np.flatnonzero(wanted.take(block)) + piece.start)
            return found

        rows = np.concatenate([np.empty(0, np.int64), *chain(*in_pieces(find, scores.size))])
        return Fetched(scores[rows].astype(np.float64), None if weight is None else weight[rows])


class Fetched(NamedTuple):
    """Scores, and their weights."""

    scores: FloatArray
    weight: CountArray | None

    @property
    def size(self) -> int:
        """The number of scores."""
        return self.scores.size

    def merge(self, other: Fetched) -> Fetched:
        """Join scores without weights."""
        return Fetched(np.append(self.scores, other.scores), None)


Fetch: TypeAlias = Callable[[IntArray], Fetched]  # from numbers of gaps


class OrderStatistics(NamedTuple):
    """The n-th best scores, and the nearest better ones."""

    score: FloatArray  # the n-th best one for each target n
    through: CountArray  # scores at or above it
    better: FloatArray  # the nearest strictly better score; +inf where there is none
    before: CountArray  # scores at or above that one; 0 where there is none


def order_statistics(targets: CountArray, gaps: GapCounts, fetch: Fetch | None) -> OrderStatistics:
    """Return the n-th best scores; without `fetch` ties in a gap are ignored, its scores NaN."""
    nth, block = _find_blocks(targets, gaps)
    several = (block % 2 == 0) & (nth.through - nth.before > 1)
    if fetch is not None and several.any():
        return _find_blocks(targets, gaps.with_scores(*fetch(sorted_unique(block[several] // 2))))[
            0
        ]
    between, further = several & (targets < nth.through), several & (targets - 1 > nth.before)
    nth.score[between], nth.through[between] = np.nan, targets[between]
    nth.better[further], nth.before[further] = np.nan, targets[further] - 1
    return nth


def _find_blocks(targets: CountArray, gaps: GapCounts) -> tuple[OrderStatistics, IntArray]:
    """Return the n-th best scores as if those in a gap were tied, and their blocks."""
    lowest, through = gaps.blocks()
    block = np.searchsorted(through, targets)  # never an empty block
    before = np.append(0, through)[block]
    better = np.where(before, lowest[np.searchsorted(through, before)], np.inf)
    return OrderStatistics(lowest[block], through[block], better, before), block
