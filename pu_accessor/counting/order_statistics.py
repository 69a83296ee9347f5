"""The n-th best of scores that are only counted, wherever they are.

Gaps between known values that hold a wanted score are counted again between more values, or their
scores are fetched: see `order_statistics`. Few enough scores are sorted once: see `Runs`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import NamedTuple

import numpy as np

from pu_accessor.counting.gaps import Gaps, Scores, Tally, close, distinct, in_parts, in_pieces
from pu_accessor.counting.threads import count_threads, in_threads
from pu_accessor.ranking import BoolArray, CountArray, FloatArray, IntArray, each_once

_EDGES = 1 << 14  # values by which open gaps are split at once
_COMPARED = 4  # gaps, with whose ends each score is compared; for more of them a sort is quicker
_FEW = 8  # scores are copied, rather than compared again, if they are one of so many or fewer
_TRIED = 1 << 10  # scores that tell where the better half ends
_CACHED = 1 << 17  # scores that are compared at once
_RUN = 1 << 20  # scores in a part, at most: a larger one takes longer to sort
_ENOUGH = 1 << 20  # so many scores in open gaps are fetched; more are split further

_SIGN, _REST = np.int64(63), np.int64(2**63 - 1)


class OrderStatistics(NamedTuple):
    """Some of the best scores, and the nearest strictly better ones."""

    score: FloatArray  # the n-th best one for each target n
    through: CountArray  # scores at or above it
    better: FloatArray  # the nearest strictly better score; +inf where there is none
    before: CountArray  # scores at or above that one; 0 where there is none


def order_statistics(
    targets: IntArray,
    gaps: Gaps,
    count: Callable[[FloatArray], Gaps],
    fetch: Callable[[FloatArray, IntArray], FloatArray],
) -> OrderStatistics:
    """Return the n-th best scores for some n, and the nearest strictly better ones.

    Only gaps that hold one of them are refined: split at more and more values while they hold many
    scores, then fetched. `count` and `fetch` may work on pieces of scores and merge the results.

    Examples
    --------
    >>> from pu_accessor.counting.gaps import count_gaps
    >>> scores = np.array([1.5, 1.0, 1.7, 9.0])
    >>> gaps = count_gaps(np.array([2.0, 1.0]), scores)
    >>> third = order_statistics(
    ...     np.array([3]),
    ...     gaps,
    ...     lambda values: count_gaps(values, scores),
    ...     lambda values, numbers: scores_inside(values, numbers, scores),
    ... )
    >>> third.score, third.through, third.better, third.before
    (array([1.5]), array([3]), array([1.7]), array([2]))
    """
    while (open_gaps := _open_gaps_with(targets, gaps)).size:
        if gaps.inside[open_gaps].sum() <= _ENOUGH:
            gaps = close(gaps, open_gaps, fetch(gaps.values, open_gaps))
        else:
            gaps = split(gaps, count(with_edges(gaps, open_gaps)))
    return _find_blocks(targets, gaps)[1]


def _find_blocks(targets: IntArray, gaps: Gaps) -> tuple[IntArray, OrderStatistics]:
    """Return the block that holds each target, and order statistics as of blocks of ties."""
    lowest, through = gaps.blocks()
    block = np.searchsorted(through, targets)  # never an empty block
    before = np.append(0, through)[block]
    better = np.where(before, lowest[np.searchsorted(through, before)], np.inf)
    return block, OrderStatistics(lowest[block], through[block], better, before)


def scores_inside(values: FloatArray, numbers: IntArray, scores: Scores) -> FloatArray:
    """Return all scores in some gaps."""
    threads = count_threads(scores.size)
    of_part = partial(_part_inside, values, numbers)
    inside = in_threads(of_part, in_parts(scores, threads), threads)
    return np.concatenate([*inside, np.empty(0)])


def _part_inside(values: FloatArray, numbers: IntArray, scores: Scores) -> Scores:
    """Return all scores of one thread's part in some gaps, a piece at a time."""
    present = values[~np.isnan(values)]
    numbers = numbers[numbers <= present.size]  # no score is below NaN
    if present.size < values.size or not scores.size:
        inside = [_sort_and_find(values, numbers, piece) for piece in in_pieces(scores, _CACHED)]
        return np.concatenate([*inside, np.empty(0)])
    best, worst = _ends_inside(values, numbers, scores)
    near = [scores[:0]]
    for piece in in_pieces(scores, _CACHED):
        is_near = (piece >= best) | ~(piece > worst)
        few = _FEW * np.count_nonzero(is_near) <= piece.size
        # To select by a mask takes longer.
        near.append(piece[np.flatnonzero(is_near)] if few else _among(values, numbers, piece))
    return _among(values, numbers, np.concatenate(near))


def _ends_inside(values: FloatArray, numbers: IntArray, scores: Scores) -> Scores:
    """Return what scores reach that are in gaps of the better half, and what those of the other.

    Curves have their corners at both ends of a ranking, where few scores are.
    """
    edges = np.concatenate([[np.inf], values, [-np.inf]])
    upper, lower = edges[numbers], edges[numbers + 1]
    tried = np.sort(scores[:: 1 + scores.size // _TRIED])
    better = lower >= tried[tried.size // 2]
    ends = np.array([lower[better].min(initial=np.inf), upper[~better].max(initial=-np.inf)])
    with np.errstate(over="ignore"):  # beyond float32 all compare alike with infinity
        return ends.astype(scores.dtype)  # of two dtypes, scores take longer to compare


def _among(values: FloatArray, numbers: IntArray, scores: Scores) -> Scores:
    """Return those of some scores that are in some gaps."""
    if numbers.size > _COMPARED:
        return _sort_and_find(values, numbers, scores)
    inside = [_inside(values, int(number), scores) for number in numbers]
    return np.concatenate([*inside, scores[:0]])


def _sort_and_find(values: FloatArray, numbers: IntArray, scores: Scores) -> FloatArray:
    """Return those of some scores that are in some gaps, of which there are many."""
    ascending = np.sort(scores).astype(np.float64, copy=False)  # float32 in half the time
    return Ordered.of_ascending(ascending).inside(values, numbers)


def _inside(values: FloatArray, number: int, scores: Scores) -> Scores:
    """Return the scores in one gap, by comparison with its ends; NaN is below all values."""
    if number == values.size:
        worse = scores < values[-1] if number else np.ones(scores.size, np.bool_)
        return scores[worse | np.isnan(scores)]
    is_inside: BoolArray = scores > values[number]
    if number:
        is_inside &= scores < values[number - 1]
    inside: Scores = scores[np.flatnonzero(is_inside)]
    return inside


def _gaps_with(targets: CountArray, gaps: Gaps) -> IntArray:
    """Return the numbers of the gaps that hold a target."""
    block = each_once(np.searchsorted(gaps.blocks()[1], targets))
    numbers: IntArray = block[block % 2 == 0].astype(np.int64) // 2
    return numbers


def _open_gaps_with(targets: IntArray, gaps: Gaps) -> IntArray:
    """Return the numbers of the gaps that hold a target and several scores."""
    numbers = _gaps_with(targets, gaps)
    return numbers[gaps.inside[numbers] > 1]


def split(gaps: Gaps, finer: Gaps) -> Gaps:
    """Return gaps counted again between more values; counts at the old values are kept."""
    at = finer.at.copy()
    at[np.searchsorted(0.0 - finer.values, 0.0 - gaps.values)] = gaps.at
    return replace(finer, at=at)


def with_edges(gaps: Gaps, inside: IntArray) -> FloatArray:
    """Return the values with more of them in some gaps, evenly spread over the floats there.

    The worst score in each gap becomes a value, so that ties and wide empty ranges cost nothing.
    Each time an open gap gets to a small part of the floats that it spanned before.
    """
    edges = max(_EDGES // inside.size, 4) // 2
    lowest, above = gaps.lowest[inside], np.append(gaps.values, 0.0)[inside - 1]
    end = np.where(inside > 0, _order_all(above), HIGHEST + 1)
    values = [gaps.values, _spread(_order_all(lowest), end, edges)]
    with np.errstate(invalid="ignore"):
        width = above - lowest
    even = (inside > 0) & np.isfinite(width)  # which usually splits faster
    values.append((lowest[even] + np.outer(np.arange(edges) / edges, width[even])).ravel())
    return distinct(np.concatenate(values))[0]


def _spread(low: IntArray, end: IntArray, size: int) -> FloatArray:
    """Return scores from each `low` on and before each `end`, evenly spread over the floats."""
    # Differences fit in 64 bits without a sign; sums and products wrap around alike.
    way, pieces = end.view(np.uint64) - low.view(np.uint64), np.uint64(size)
    steps = np.arange(size, dtype=np.uint64)[:, np.newaxis] * (way // pieces + (way % pieces > 0))
    places = (low.view(np.uint64) + steps)[steps < way]
    return from_order(places.view(np.int64))


def _order_all(scores: FloatArray) -> IntArray:
    """Return the integers of scores; NaN comes just below -inf."""
    return np.where(np.isnan(scores), LOWEST - 1, _order(scores))


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


@dataclass(frozen=True, eq=False)
class Ordered:
    """Sorted scores, which answer as `count_gaps` and `order_statistics` do."""

    ascending: FloatArray  # without NaN
    missing: float  # scores that are NaN, worse than any
    weight: CountArray | None = None  # of the first 0, 1, ... scores; None: as many

    @classmethod
    def of(cls, scores: FloatArray, weight: CountArray | None = None) -> Ordered:
        """Sort some scores, each of which may count several times."""
        if weight is None:
            return cls.of_ascending(np.sort(scores))
        order = np.argsort(scores)
        ascending, through = scores[order], np.append(0, np.cumsum(weight[order]))
        present = int(np.searchsorted(ascending, np.nan))
        missing = (through[-1] - through[present]).item()
        return cls(ascending[:present], missing, through[: present + 1])

    @classmethod
    def of_ascending(cls, scores: FloatArray) -> Ordered:
        """Take sorted scores as they are; NaN comes last."""
        present = int(np.searchsorted(scores, np.nan))
        return cls(scores[:present], scores.size - present)

    def _counted(self, scores: IntArray) -> CountArray:
        """Return what the first so many scores count."""
        return scores if self.weight is None else self.weight[scores]

    def count(self, values: FloatArray) -> Gaps:
        """Count the scores at and between some values, as `count_gaps` does.

        Examples
        --------
        >>> gaps = Ordered.of(np.array([1.5, 1.0, 1.7, 9.0])).count(np.array([2.0, 1.0]))
        >>> gaps.at, gaps.inside, gaps.lowest
        (array([0, 1]), array([1, 2, 0]), array([9. , 1.5, inf]))
        """
        tally = Tally(values)
        tally.add_sorted(self.ascending, self.weight)
        return tally.gaps(self.missing)

    def inside(self, values: FloatArray, numbers: IntArray) -> FloatArray:
        """Return the scores in some gaps; those that are NaN are below the last value.

        Examples
        --------
        >>> ordered = Ordered.of(np.array([1.5, 1.0, np.nan, 1.7, 9.0]))
        >>> ordered.inside(np.array([2.0, 1.0]), np.array([1, 2]))
        array([1.5, 1.7, nan])
        """
        start, end = self._ends(values, numbers)
        sizes = np.maximum(end - start, 0)
        before = np.cumsum(sizes) - sizes
        places = np.arange(sizes.sum()) + np.repeat(start - before, sizes)
        below = (numbers == values.size).any() and not np.isnan(values).any()
        missing = np.full(int(self.missing) if below else 0, np.nan)
        return np.append(self.ascending[places], missing)

    def order_statistics(self, targets: CountArray, gaps: Gaps) -> OrderStatistics:
        """Return the n-th best scores for some n, as the function of this name does.

        Examples
        --------
        >>> ordered = Ordered.of(np.array([1.5, 1.0, 1.7, 9.0]))
        >>> gaps = ordered.count(np.array([2.0, 1.0]))
        >>> third = ordered.order_statistics(np.array([3]), gaps)
        >>> third.score, third.through, third.better, third.before
        (array([1.5]), array([3]), array([1.7]), array([2]))
        """
        block, nth = _find_blocks(targets, gaps)
        score, last, better, before = nth
        inside = np.flatnonzero(block % 2 == 0)
        if self.ascending.size:
            start, end = self._ends(gaps.values, block[inside] // 2)
            index = self._counted(end) - (targets - before)[inside]
            if self.weight is not None:
                index = np.searchsorted(self.weight, index, side="right") - 1
            present = index >= start  # further scores are NaN
            wanted = 0.0 + self.ascending[index.clip(min=0)]
            left = np.searchsorted(self.ascending, wanted, side="left")
            right = np.searchsorted(self.ascending, wanted, side="right")
            right = np.where(present, right, start)
            score[inside] = np.where(present, wanted, np.nan)
            through = before[inside] + self._counted(end) - self._counted(left)
            last[inside] = np.where(present, through, last[inside])
            above = np.flatnonzero(right < end)  # better ones of the same gap
            better[inside[above]] = 0.0 + self.ascending[right[above]]
            before[inside] += self._counted(end) - self._counted(right)
        return nth  # its arrays were changed in place

    def _ends(self, values: FloatArray, numbers: IntArray) -> tuple[IntArray, IntArray]:
        """Return where the scores of some gaps start and end; none of them is below NaN."""
        known = values[~np.isnan(values)]
        edges = np.concatenate([[np.inf], known, [-np.inf]])
        start = np.searchsorted(self.ascending, edges[numbers + 1], side="right")
        end = np.searchsorted(self.ascending, edges[numbers])
        start[numbers >= known.size], end[numbers == 0] = 0, self.ascending.size
        return start, end


@dataclass(frozen=True, eq=False)
class Runs:
    """Scores that are sorted in parts, by several threads; they answer as if sorted at once."""

    parts: list[Ordered]

    @classmethod
    def of(cls, scores: FloatArray, weight: CountArray | None = None) -> Runs | Ordered:
        """Sort some scores, each of which may count several times: these in one part."""
        threads = count_threads(scores.size)
        parts = threads * (1 + scores.size // (threads * _RUN))
        if weight is not None or parts == 1:
            return Ordered.of(scores, weight)
        return cls(in_threads(Ordered.of, np.array_split(scores, parts), threads))

    def count(self, values: FloatArray) -> Gaps:
        """Count the scores at and between some values, as `count_gaps` does."""
        return reduce(Gaps.merge, [part.count(values) for part in self.parts])

    def order_statistics(self, targets: CountArray, gaps: Gaps) -> OrderStatistics:
        """Return the n-th best scores for some n, as the function of this name does."""
        numbers = _gaps_with(targets, gaps)
        inside = [part.inside(gaps.values, numbers) for part in self.parts]
        # A place within a gap is the same where the scores of other gaps are left out.
        return Ordered.of(np.concatenate(inside)).order_statistics(targets, gaps)
