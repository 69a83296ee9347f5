"""Counts of scores between labeled scores, and the n-th best scores.

Bounds need only counts of unlabeled scores between labeled ones, see `Gaps`. Counts of pieces are
added, so the scores may lie in memory, in files or on a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pu_accessor.counting.threads import count_threads, in_threads
from pu_accessor.ranking import CountArray, FloatArray, IntArray, each_once

Scores: TypeAlias = npt.NDArray[np.floating[Any]]

_RUN = 1 << 20  # scores that are sorted together, at most: more take longer


@dataclass(frozen=True, eq=False)
class Gaps:
    """Numbers of scores at distinct values, and in the gaps between them."""

    values: FloatArray  # best first; NaN, worse than -inf, may be the last
    at: CountArray  # scores that are equal to each value
    inside: CountArray  # scores in the open gap above each value, and below the last
    lowest: FloatArray  # the worst score in each gap, +inf where there is none

    def merge(self, other: Gaps) -> Gaps:
        """Return the counts of two sets of scores together, with the same values."""
        return Gaps(
            self.values,
            self.at + other.at,
            self.inside + other.inside,
            np.minimum(self.lowest, other.lowest),  # of NaN and a number it is NaN, the worse
        )

    def about(self, values: FloatArray) -> Gaps:
        """Return the counts at and between some of the values alone.

        Examples
        --------
        >>> gaps = count_gaps(np.array([2.0, 1.0]), sort_scores(np.array([1.5, 1.0, 1.7, 9.0])))
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
        """Return the worst score of gaps and values in turn, best first, and scores through it."""
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


@dataclass(frozen=True, eq=False)
class Ordered:
    """Sorted scores."""

    ascending: FloatArray  # without NaN
    missing: Any  # how much scores count that are NaN, worse than any
    weight: CountArray | None = None  # of the first 0, 1, ... scores; None: as many

    @classmethod
    def of(cls, scores: Scores, weight: CountArray | None = None) -> Ordered:
        """Sort some scores, each of which may count several times."""
        if weight is None:
            ordered = np.sort(scores)  # float32 in half the time
            present = int(np.searchsorted(ordered, np.nan))
            ascending = ordered[:present].astype(np.float64, copy=False)
            return cls(ascending, scores.size - present)
        order = np.argsort(scores)
        ordered, through = scores[order], np.append(0, np.cumsum(weight[order]))
        present = int(np.searchsorted(ordered, np.nan))
        missing = (through[-1] - through[present]).item()
        ascending = ordered[:present].astype(np.float64, copy=False)
        return cls(ascending, missing, through[: present + 1])

    def counted(self, scores: IntArray) -> CountArray:
        """Return what the first so many scores count."""
        return scores if self.weight is None else self.weight[scores]

    def count(self, values: FloatArray) -> Gaps:
        """Count the scores at and between some values, as `count_gaps` does."""
        scores, known = self.ascending, values[~np.isnan(values)][::-1]
        ends = np.full(2 * known.size + 2, scores.size)
        ends[0] = 0
        ends[1:-1:2] = right = np.searchsorted(scores, known)
        if scores.size:  # few are tied: values end with the first, or are searched for
            right = right + (scores.take(right, mode="clip") == known)
            tied = np.flatnonzero(scores.take(right, mode="clip") == known)
            right[tied] = np.searchsorted(scores, known[tied], side="right")
        ends[2:-1:2] = right
        counts = np.diff(self.counted(ends))[::-1]
        at, inside = counts[1::2].copy(), counts[::2].copy()
        lowest, filled = np.full(inside.size, np.inf), inside > 0
        lowest[filled] = 0.0 + scores[ends[-2::-2][filled]]  # -0.0 becomes 0.0
        if known.size < values.size:
            at, inside = np.append(at, self.missing), np.append(inside, 0)
            lowest = np.append(lowest, np.inf)
        elif self.missing:
            inside[-1] += self.missing
            lowest[-1] = np.nan
        return Gaps(values, at, inside, lowest)

    def ends(self, values: FloatArray, numbers: IntArray) -> tuple[IntArray, IntArray]:
        """Return where the scores of some gaps start and end; none of them is below NaN."""
        known = values[~np.isnan(values)]
        edges = np.concatenate([[np.inf], known, [-np.inf, -np.inf]])
        start = np.searchsorted(self.ascending, edges[numbers + 1], side="right")
        end = np.searchsorted(self.ascending, edges[numbers])
        start[numbers >= known.size], end[numbers == 0] = 0, self.ascending.size
        return start, end

    def inside(self, values: FloatArray, numbers: IntArray) -> FloatArray:
        """Return the scores in some gaps; those that are NaN are below the last value.

        Examples
        --------
        >>> ordered = Ordered.of(np.array([1.5, 1.0, np.nan, 1.7, 9.0]))
        >>> ordered.inside(np.array([2.0, 1.0]), np.array([1, 2]))
        array([1.5, 1.7, nan])
        """
        start, end = self.ends(values, numbers)
        sizes = np.maximum(end - start, 0)
        before = np.cumsum(sizes) - sizes
        places = np.arange(sizes.sum()) + np.repeat(start - before, sizes)
        below = (numbers == values.size).any() and not np.isnan(values).any()
        return np.append(self.ascending[places], np.full(self.missing * below, np.nan))


def sort_scores(scores: Scores, weight: CountArray | None = None) -> list[Ordered]:
    """Sort scores in parts, by several threads; with weights in one part."""
    threads = count_threads(scores.size)
    parts = threads * (1 + scores.size // (threads * _RUN))
    if weight is not None or parts == 1:
        return [Ordered.of(scores, weight)]
    return in_threads(Ordered.of, np.array_split(scores, parts), threads)


def count_gaps(values: FloatArray, parts: Sequence[Ordered]) -> Gaps:
    """Count sorted scores at and between some values.

    Examples
    --------
    >>> gaps = count_gaps(np.array([2.0, 1.0]), sort_scores(np.array([1.5, 1.0, 1.7, 9.0])))
    >>> gaps.at, gaps.inside, gaps.lowest
    (array([0, 1]), array([1, 2, 0]), array([9. , 1.5, inf]))
    """
    return reduce(Gaps.merge, [part.count(values) for part in parts])


def scores_inside(values: FloatArray, numbers: IntArray, parts: Sequence[Ordered]) -> FloatArray:
    """Return the scores of all parts in some gaps between values."""
    return np.concatenate([part.inside(values, numbers) for part in parts])


# The scores of some gaps, in order: those of other gaps may be among them.
Fetch: TypeAlias = Callable[[IntArray], Ordered]


class OrderStatistics(NamedTuple):
    """Some of the best scores, and the nearest strictly better ones."""

    score: FloatArray  # the n-th best one for each target n
    through: CountArray  # scores at or above it
    better: FloatArray  # the nearest strictly better score; +inf where there is none
    before: CountArray  # scores at or above that one; 0 where there is none


def order_statistics(targets: CountArray, gaps: Gaps, fetch: Fetch | None) -> OrderStatistics:
    """Return the n-th best scores for some n, and the nearest strictly better ones.

    Only the gaps are fetched that hold one of them. If none can be, no scores in a gap count as
    tied, and those that are wanted are NaN.

    Examples
    --------
    >>> ordered = Ordered.of(np.array([1.5, 1.0, 1.7, 9.0]))
    >>> third = order_statistics(np.array([3]), ordered.count(np.array([2.0])), lambda _: ordered)
    >>> third.score, third.through, third.better, third.before
    (array([1.5]), array([3]), array([1.7]), array([2]))
    """
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
    ordered = fetch(each_once(block[inside] // 2))
    if ordered.ascending.size:
        _look_inside(nth, inside, block, targets, gaps, ordered)
    return nth


def _look_inside(
    nth: OrderStatistics,
    inside: IntArray,
    block: IntArray,
    targets: CountArray,
    gaps: Gaps,
    ordered: Ordered,
) -> None:
    """Change order statistics of some blocks, gaps as of one block of ties, to those within."""
    scores, before = ordered.ascending, nth.before[inside]
    start, end = ordered.ends(gaps.values, block[inside] // 2)
    index = ordered.counted(end) - (targets[inside] - before)
    if ordered.weight is not None:
        index = np.searchsorted(ordered.weight, index, side="right") - 1
    present = index >= start  # further scores are NaN
    wanted = 0.0 + scores[index.clip(min=0)]
    left = np.searchsorted(scores, wanted, side="left")
    right = np.where(present, np.searchsorted(scores, wanted, side="right"), start)
    nth.score[inside] = np.where(present, wanted, np.nan)
    through = before + ordered.counted(end) - ordered.counted(left)
    nth.through[inside] = np.where(present, through, nth.through[inside])
    above = np.flatnonzero(right < end)  # better ones of the same gap
    nth.better[inside[above]] = 0.0 + scores[right[above]]
    nth.before[inside] = before + ordered.counted(end) - ordered.counted(right)


def insert_at(index: IntArray, array: npt.NDArray[Any], new: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Insert values so that they get these indices; in a third of the time of np.insert."""
    longer = np.empty(array.size + new.size, array.dtype)
    old = np.ones(longer.size, np.bool_)
    old[index] = False
    longer[index], longer[old] = new, array
    return longer
