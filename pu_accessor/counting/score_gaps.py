"""Count scores between labeled scores, and find the n-th best scores.

Bounds need only these counts. Those of pieces are added, so scores may be in memory, in files or
on a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pu_accessor.counting.threads import count_threads, in_threads
from pu_accessor.ranking import CountArray, FloatArray, IntArray, sorted_unique

Scores: TypeAlias = npt.NDArray[np.floating[Any]]

_MAX_SORTED_TOGETHER = 1 << 20  # sorting more scores at once takes longer for each


@dataclass(frozen=True, eq=False)
class GapCounts:
    """Numbers of scores at distinct values, and in the gaps between them."""

    values: FloatArray  # best first; NaN, worse than -inf, may be the last
    at: CountArray  # scores that are equal to each value
    inside: CountArray  # scores in the open gap above each value, and below the last
    lowest: FloatArray  # the worst score in each gap, +inf where there is none
    sums: FloatArray | None = None  # of scores in each gap and at each value in turn

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
    new = np.flatnonzero(np.concatenate([[True], cost[1:] > cost[:-1]])[: cost.size])
    missing = int(np.isnan(cost).sum())
    if missing:
        new = np.append(new, cost.size - missing) if missing < cost.size else np.zeros(1, np.intp)
    return 0.0 - cost[new], np.diff(new, append=cost.size).astype(np.int64)


@dataclass(frozen=True, eq=False)
class SortedScores:
    """Sorted scores."""

    ascending: FloatArray  # without NaN
    missing: Any  # number, or weight, of scores that are NaN
    cumulated: CountArray | None = None  # weight of the first 0, 1, ... scores; None: their number

    @classmethod
    def of(cls, scores: Scores, weight: CountArray | None = None) -> SortedScores:
        """Sort scores, each with its weight."""
        order = None if weight is None else np.argsort(scores)
        ordered = np.sort(scores) if order is None else scores[order]  # float32 in half the time
        present = int(np.searchsorted(ordered, np.nan))
        ascending = ordered[:present].astype(np.float64, copy=False)
        if weight is None:
            return cls(ascending, scores.size - present)
        through = np.append(0, np.cumsum(weight[order]))
        return cls(ascending, (through[-1] - through[present]).item(), through[: present + 1])

    def cumulate(self, numbers: IntArray) -> CountArray:
        """Return the weight of the first so many scores."""
        return numbers if self.cumulated is None else self.cumulated[numbers]

    def sum(self, ends: IntArray) -> FloatArray:
        """Return the sum of the scores from each of some positions to the next."""
        weight = 1 if self.cumulated is None else np.diff(self.cumulated)
        with np.errstate(invalid="ignore", over="ignore"):  # of infinite and huge scores
            sums = np.add.reduceat(np.append(weight * self.ascending, 0.0), ends[:-1])
        return np.where(np.diff(ends) > 0, sums, 0.0)

    def count(self, values: FloatArray, with_sums: bool = False) -> GapCounts:
        """Count the scores at and between some values."""
        scores, known = self.ascending, values[~np.isnan(values)][::-1]
        ends = np.full(2 * known.size + 2, scores.size)
        ends[0] = 0
        ends[1:-1:2] = right = np.searchsorted(scores, known)
        if scores.size:  # few values are tied: search for the end of these only
            right = right + (scores.take(right, mode="clip") == known)
            tied = np.flatnonzero(scores.take(right, mode="clip") == known)
            right[tied] = np.searchsorted(scores, known[tied], side="right")
        ends[2:-1:2] = right
        counts = np.diff(self.cumulate(ends))[::-1]
        at, inside = counts[1::2].copy(), counts[::2].copy()
        lowest, filled = np.full(inside.size, np.inf), inside > 0
        lowest[filled] = 0.0 + scores[ends[-2::-2][filled]]  # -0.0 becomes 0.0
        if known.size < values.size:
            at, inside = np.append(at, self.missing), np.append(inside, 0)
            lowest = np.append(lowest, np.inf)
        elif self.missing:
            inside[-1] += self.missing
            lowest[-1] = np.nan
        return GapCounts(values, at, inside, lowest, self.sum(ends)[::-1] if with_sums else None)

    def ends(self, values: FloatArray, numbers: IntArray) -> tuple[IntArray, IntArray]:
        """Return where the scores of some gaps start and end."""
        known = values[~np.isnan(values)]
        edges = np.concatenate([[np.inf], known, [-np.inf, -np.inf]])
        start = np.searchsorted(self.ascending, edges[numbers + 1], side="right")
        end = np.searchsorted(self.ascending, edges[numbers])
        start[numbers >= known.size], end[numbers == 0] = 0, self.ascending.size
        return start, end

    def inside(self, values: FloatArray, numbers: IntArray) -> FloatArray:
        """Return the scores in some gaps; NaN is in the gap below the last value."""
        start, end = self.ends(values, numbers)
        sizes = np.maximum(end - start, 0)
        before = np.cumsum(sizes) - sizes
        index = np.arange(sizes.sum()) + np.repeat(start - before, sizes)
        has_missing = (numbers == values.size).any() and not np.isnan(values).any()
        return np.append(self.ascending[index], np.full(self.missing * has_missing, np.nan))


def sort_scores(scores: Scores, weight: CountArray | None = None) -> list[SortedScores]:
    """Sort scores in parts, in several threads; with weights in one part."""
    threads = count_threads(scores.size)
    parts = threads * (1 + scores.size // (threads * _MAX_SORTED_TOGETHER))
    if weight is not None or parts == 1:
        return [SortedScores.of(scores, weight)]
    return in_threads(SortedScores.of, np.array_split(scores, parts), threads)


def count_gaps(
    values: FloatArray, parts: Sequence[SortedScores], *, with_sums: bool = False
) -> GapCounts:
    """Count sorted scores at and between some values."""
    return reduce(GapCounts.merge, [part.count(values, with_sums) for part in parts])


def scores_inside(
    values: FloatArray, numbers: IntArray, parts: Sequence[SortedScores]
) -> FloatArray:
    """Return the scores of all parts in some gaps."""
    return np.concatenate([part.inside(values, numbers) for part in parts])


# From numbers of gaps to their scores, maybe with those of other gaps.
FetchScores: TypeAlias = Callable[[IntArray], SortedScores]


class OrderStatistics(NamedTuple):
    """The n-th best scores, and the nearest better ones."""

    score: FloatArray  # the n-th best one for each target n
    through: CountArray  # scores at or above it
    better: FloatArray  # the nearest strictly better score; +inf where there is none
    before: CountArray  # scores at or above that one; 0 where there is none


def order_statistics(
    targets: CountArray, gaps: GapCounts, fetch: FetchScores | None
) -> OrderStatistics:
    """Return the n-th best scores; without `fetch` ties in a gap are ignored, its scores NaN."""
    lowest, through = gaps.blocks()
    block = np.searchsorted(through, targets)  # never an empty block
    before = np.append(0, through)[block]
    better = np.where(before, lowest[np.searchsorted(through, before)], np.inf)
    nth = OrderStatistics(lowest[block], through[block], better, before)
    inside = np.flatnonzero((block % 2 == 0) & (through[block] - before > 1))
    if not inside.size:
        return nth
    if fetch is None:
        between = inside[targets[inside] < nth.through[inside]]
        nth.score[between], nth.through[between] = np.nan, targets[between]
        further = inside[targets[inside] - 1 > before[inside]]
        nth.better[further], nth.before[further] = np.nan, targets[further] - 1
        return nth
    ordered = fetch(sorted_unique(block[inside] // 2))
    scores, before = ordered.ascending, before[inside]
    if not scores.size:
        return nth
    # So far a gap is one tie: replace that by the order of its scores.
    start, end = ordered.ends(gaps.values, block[inside] // 2)
    index = ordered.cumulate(end) - (targets[inside] - before)
    if ordered.cumulated is not None:
        index = np.searchsorted(ordered.cumulated, index, side="right") - 1
    present = index >= start  # further scores are NaN
    score = 0.0 + scores[index.clip(min=0)]
    left = np.searchsorted(scores, score, side="left")
    right = np.where(present, np.searchsorted(scores, score, side="right"), start)
    nth.score[inside] = np.where(present, score, np.nan)
    through = before + ordered.cumulate(end) - ordered.cumulate(left)
    nth.through[inside] = np.where(present, through, nth.through[inside])
    above = np.flatnonzero(right < end)  # better scores in the same gap
    nth.better[inside[above]] = 0.0 + scores[right[above]]
    nth.before[inside] = before + ordered.cumulate(end) - ordered.cumulate(right)
    return nth
