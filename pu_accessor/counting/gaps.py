"""Counts of scores between labeled scores, in one pass over any pieces.

Bounds need the unlabeled scores only as counts between labeled ones, see `Gaps`. Counts of pieces
merge by addition, so the scores may lie in memory, in files or on a cluster. A piece is sorted by
itself, while it is in the cache: NumPy sorts faster than scores can be looked up among the values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pu_accessor.counting.threads import count_threads, in_threads
from pu_accessor.ranking import BoolArray, FloatArray, IntArray

__all__ = [
    "Best",
    "Gaps",
    "Tally",
    "count_gaps",
    "distinct",
    "nth_best",
    "scores_inside",
    "with_edges",
    "with_missing",
]

Scores: TypeAlias = npt.NDArray[np.floating[Any]]

_PIECE = 1 << 18  # scores that are sorted at once
_PARTS = 4  # that each thread has to do, so that none waits long for the last
_EDGES = 1 << 14  # values by which open gaps are split at once
_COMPARED = 4  # times that scores may be compared, which is quicker than searching for each
_ENOUGH = 1 << 20  # scores in open gaps that are fetched rather than split further

_SIGN, _REST = np.int64(63), np.int64(2**63 - 1)


@dataclass(frozen=True, eq=False)
class Gaps:
    """How many scores lie at some distinct values, and in each gap between them.

    Parameters
    ----------
    values : ndarray of float64, shape (values,)
        Best first; NaN, worse than -inf, may be the last.
    at : ndarray of int64, shape (values,)
        Scores that are equal to each value.
    inside : ndarray of int64, shape (values + 1,)
        Scores in the open gap above each value, and below the last.
    lowest : ndarray of float64, shape (values + 1,)
        The worst score in each gap, +inf where there is none.
    """

    values: FloatArray
    at: IntArray
    inside: IntArray
    lowest: FloatArray

    def merge(self, other: Gaps) -> Gaps:
        """Return the counts of two sets of scores together, about the same values.

        Parameters
        ----------
        other : Gaps
            Counts of other scores.

        Returns
        -------
        Gaps
        """
        return Gaps(
            self.values,
            self.at + other.at,
            self.inside + other.inside,
            np.minimum(self.lowest, other.lowest),  # of NaN and a number it is NaN, the worse
        )

    def without(self, at: IntArray) -> Gaps:
        """Return the counts without some of the scores at the values.

        Where the values are the labeled scores and all scores were counted, labeled ones as well,
        this leaves the unlabeled: no labeled score lies in a gap.

        Parameters
        ----------
        at : ndarray of int64, shape (values,)
            Scores at each value to leave out.

        Returns
        -------
        Gaps
        """
        return replace(self, at=self.at - at)

    def blocks(self) -> tuple[FloatArray, IntArray]:
        """Return gaps and values in turn, best first, as blocks of scores.

        Returns
        -------
        lowest : ndarray of float64, shape (2 * values + 1,)
            The worst score of each block; without meaning where it is empty.
        through : ndarray of int64, shape (2 * values + 1,)
            Scores in the block and in all better ones.
        """
        lowest, counts = np.empty(2 * self.at.size + 1), np.empty(2 * self.at.size + 1, np.int64)
        lowest[::2], lowest[1::2] = self.lowest, self.values
        counts[::2], counts[1::2] = self.inside, self.at
        return lowest, np.cumsum(counts)


class Best(NamedTuple):
    """Some of the best scores, and the nearest strictly better ones.

    Parameters
    ----------
    score : ndarray of float64, shape (targets,)
        The n-th best score for each target n.
    through : ndarray of int64, shape (targets,)
        Scores at or above it.
    better : ndarray of float64, shape (targets,)
        The nearest strictly better score; +inf where there is none.
    before : ndarray of int64, shape (targets,)
        Scores at or above that one: 0 where there is none.
    """

    score: FloatArray
    through: IntArray
    better: FloatArray
    before: IntArray


def distinct(scores: Scores) -> tuple[FloatArray, IntArray]:
    """Return the distinct scores, best first, and how often each occurs.

    Parameters
    ----------
    scores : ndarray of floats, shape (scores,)
        In any order; those that are NaN are equal to each other, and the worst.

    Returns
    -------
    values : ndarray of float64, shape (values,)
    at : ndarray of int64, shape (values,)

    Examples
    --------
    >>> distinct(np.array([1.0, np.nan, 3.0, 1.0]))
    (array([ 3.,  1., nan]), array([1, 2, 1]))
    """
    cost = np.sort(0.0 - np.asarray(scores, np.float64))  # negated: NaN comes last by itself
    new = np.flatnonzero(np.concatenate([[True], cost[1:] > cost[:-1]])[: cost.size])
    missing = int(np.isnan(cost).sum())
    if missing:
        new = np.append(new, cost.size - missing) if missing < cost.size else np.zeros(1, np.intp)
    return 0.0 - cost[new], np.diff(new, append=cost.size).astype(np.int64)


def count_gaps(values: FloatArray, scores: Scores) -> Gaps:
    """Count scores at and between some values.

    Parameters
    ----------
    values : ndarray of float64, shape (values,)
        Distinct, best first; NaN may be the last.
    scores : ndarray of floats, shape (scores,)
        In any order. NaN is worse than -inf.

    Returns
    -------
    Gaps
        That of pieces of scores merges to that of all.

    Examples
    --------
    >>> gaps = count_gaps(np.array([2.0, 1.0]), np.array([1.5, 1.0, 1.7, 9.0]))
    >>> gaps.at, gaps.inside, gaps.lowest
    (array([0, 1]), array([1, 2, 0]), array([9. , 1.5, inf]))
    """
    known = values[~np.isnan(values)][::-1]
    threads = count_threads(scores.size)
    parts = _parts(scores, threads)
    tally = reduce(Tally.merge, in_threads(partial(_tally, known), parts, threads))
    missing = scores.size - int(tally.counts.sum())
    return with_missing(tally.gaps(), missing, known.size < values.size)


def _parts(scores: Scores, threads: int) -> list[Scores]:
    """Divide scores among threads."""
    return [scores] if threads == 1 else np.array_split(scores, threads * _PARTS)


def _tally(known: FloatArray, scores: Scores) -> Tally:
    """Count scores between some values, some at a time."""
    tally = Tally(known)
    # Each piece costs a search for all values: where there are many it is longer.
    size = min(_PIECE if known.size < _PIECE >> 4 else 4 * _PIECE, scores.size)
    room = np.empty(size)
    for start in range(0, scores.size, max(size, 1)):
        piece = room[: scores.size - start]
        np.copyto(piece, scores[start : start + size])
        piece.sort()  # NaN comes last
        tally.add_sorted(piece[: np.searchsorted(piece, np.nan)])
    return tally


class Tally:
    """Counts and lowest scores by place: the gap below the lowest value, the value, the next gap.

    Places are even for gaps and odd for values.
    """

    def __init__(self, known: FloatArray) -> None:
        self.known = known
        self.counts = np.zeros(2 * known.size + 1, np.int64)
        self.lowest = np.full(2 * known.size + 1, np.inf)
        self.lowest[1::2] = -np.inf  # is never undercut

    def add_sorted(self, piece: FloatArray) -> None:
        """Count scores that are in ascending order."""
        ends = np.full(self.counts.size + 1, piece.size)
        ends[0] = 0
        ends[1:-1:2] = left = np.searchsorted(piece, self.known, side="left")
        ends[2:-1:2] = _through(piece, self.known, left)
        counts = np.diff(ends)
        self.counts += counts
        filled = 2 * np.flatnonzero(counts[::2])
        self.lowest[filled] = np.minimum(self.lowest[filled], piece[ends[filled]])

    def merge(self, other: Tally) -> Tally:
        """Add what another has counted about the same values."""
        self.counts += other.counts
        np.minimum(self.lowest, other.lowest, out=self.lowest)
        return self

    def gaps(self) -> Gaps:
        """Return what was counted, best first."""
        counts = self.counts[::-1]
        # 0.0 + x: no threshold shall print as -0.0
        return Gaps(
            self.known[::-1], counts[1::2].copy(), counts[::2].copy(), 0.0 + self.lowest[::-2]
        )


def _through(piece: FloatArray, known: FloatArray, left: npt.NDArray[np.intp]) -> IntArray:
    """Return where values end among ascending scores, given where they start: few are tied."""
    last = piece.size - 1
    if last < 0:
        return left
    ends: IntArray = left + (piece[np.minimum(left, last)] == known)
    tied = np.flatnonzero(piece[np.minimum(ends, last)] == known)
    ends[tied] = np.searchsorted(piece, known[tied], side="right")
    return ends


def with_missing(gaps: Gaps, missing: int, apart: bool) -> Gaps:
    """Add scores that are NaN: at a value of their own, or to the last gap."""
    if apart:
        return Gaps(
            np.append(gaps.values, np.nan),
            np.append(gaps.at, missing),
            np.append(gaps.inside, 0),
            np.append(gaps.lowest, np.inf),
        )
    if missing:
        gaps.inside[-1] += missing
        gaps.lowest[-1] = np.nan
    return gaps


def nth_best(
    targets: IntArray,
    gaps: Gaps,
    count: Callable[[FloatArray], Gaps],
    fetch: Callable[[FloatArray, IntArray], FloatArray],
) -> Best:
    """Return the n-th best scores for some n, and the nearest strictly better ones.

    Only gaps that hold one are looked into: split at ever more values while they hold many
    scores, then fetched. Both are functions of pieces of scores, whose results merge.

    Parameters
    ----------
    targets : ndarray of int64, shape (targets,)
        Which scores: 1 for the best, up to the number of scores.
    gaps : Gaps
        What is known of the scores.
    count : callable
        From distinct values, best first, to the gaps that all scores make between them. At values
        of `gaps` nothing is read of it.
    fetch : callable
        From values and numbers of gaps to all scores in these gaps, as `scores_inside`.

    Returns
    -------
    Best

    Examples
    --------
    >>> scores = np.array([1.5, 1.0, 1.7, 9.0])
    >>> gaps = count_gaps(np.array([2.0, 1.0]), scores)
    >>> best = nth_best(
    ...     np.array([3]),
    ...     gaps,
    ...     lambda values: count_gaps(values, scores),
    ...     lambda values, numbers: scores_inside(values, numbers, scores),
    ... )
    >>> best.score, best.through, best.better, best.before
    (array([1.5]), array([3]), array([1.7]), array([2]))
    """
    while (inside := _gaps_with(targets, gaps)).size:
        if gaps.inside[inside].sum() <= _ENOUGH:
            gaps = _close(gaps, inside, *distinct(fetch(gaps.values, inside)))
        else:
            gaps = _split(gaps, count(with_edges(gaps, inside)))
    lowest, through = gaps.blocks()
    block = np.searchsorted(through, targets, side="left")  # is never an empty one
    before = np.concatenate([[0], through])[block]
    better = np.where(before, lowest[np.searchsorted(through, before, side="left")], np.inf)
    return Best(lowest[block], through[block], better, before)


def scores_inside(values: FloatArray, numbers: IntArray, scores: Scores) -> FloatArray:
    """Return all scores in some gaps.

    Parameters
    ----------
    values : ndarray of float64, shape (values,)
        Distinct, best first; NaN may be the last.
    numbers : ndarray of int64, shape (gaps,)
        Which gaps: 0 for the one above the best value.
    scores : ndarray of floats, shape (scores,)
        In any order.

    Returns
    -------
    ndarray of float64
        Those of pieces of scores, put together, are those of all.
    """
    threads = count_threads(scores.size)
    inside = partial(_some_inside, values, numbers)
    found = in_threads(inside, _parts(scores, threads), threads)
    return np.concatenate([*found, np.empty(0)])


def _some_inside(values: FloatArray, numbers: IntArray, scores: Scores) -> FloatArray:
    """Return all scores of a part in some gaps."""
    there = values[~np.isnan(values)]
    numbers = numbers[numbers <= there.size]  # below NaN nothing lies
    if there.size == values.size and (near := _compare(there, numbers, scores)) is not None:
        return near
    lower, upper = numbers[numbers < there.size], numbers[numbers > 0] - 1
    known = np.unique(there[np.concatenate([lower, upper])])
    wanted = np.zeros(2 * known.size + 1, np.bool_)  # gaps and values in turn, lowest first
    wanted[2 * np.searchsorted(known, there[lower]) + 2] = True
    wanted[0] = last = lower.size < numbers.size
    place = 2 * np.searchsorted(known, scores, side="left")
    place += np.append(known, np.nan)[place // 2] == scores
    found = scores[wanted[place] & ~np.isnan(scores)].astype(np.float64, copy=False)
    if last and there.size == values.size:
        found = np.append(found, np.full(int(np.isnan(scores).sum()), np.nan))
    return found


def _compare(values: FloatArray, numbers: IntArray, scores: Scores) -> FloatArray | None:
    """Return all scores in some gaps by comparison with their ends, unless that takes too long.

    First those among the best or the worst: curves have their corners at both ends of a ranking,
    where few scores are.
    """
    middle = values.size // 2
    top, bottom = numbers[numbers <= middle], numbers[numbers > middle]
    parts: list[tuple[IntArray, Scores]] = []
    if top.size:
        best = scores[scores > values[top.max()]] if top.max() < values.size else scores
        parts.append((top, best))
    if bottom.size:
        parts.append((bottom, scores[~(scores >= values[bottom.min() - 1])]))
    if sum(some.size * near.size for some, near in parts) > _COMPARED * scores.size:
        return None
    found = [_inside(values, int(number), near) for some, near in parts for number in some]
    return np.concatenate([*found, np.empty(0)])


def _inside(values: FloatArray, number: int, scores: Scores) -> Scores:
    """Return the scores in one gap, by comparison with its ends; NaN is below all values."""
    if number == values.size:
        worse = scores < values[-1] if number else np.ones(scores.size, np.bool_)
        return scores[worse | np.isnan(scores)]
    here: BoolArray = scores > values[number]
    if number:
        here &= scores < values[number - 1]
    found: Scores = scores[here]
    return found


def _gaps_with(targets: IntArray, gaps: Gaps) -> IntArray:
    """Return the numbers of the gaps that hold a target between scores that are not known."""
    block = np.unique(np.searchsorted(gaps.blocks()[1], targets, side="left"))
    numbers: IntArray = block[block % 2 == 0].astype(np.int64) // 2
    return numbers[gaps.inside[numbers] > 1]


def _close(gaps: Gaps, inside: IntArray, values: FloatArray, at: IntArray) -> Gaps:
    """Return the gaps when all scores in some of them are known."""
    left, lowest = gaps.inside.copy(), gaps.lowest.copy()
    left[inside], lowest[inside] = 0, np.inf
    where = np.searchsorted(0.0 - gaps.values, 0.0 - values)
    return Gaps(
        np.insert(gaps.values, where, values),
        np.insert(gaps.at, where, at),
        np.insert(left, where, 0),
        np.insert(lowest, where, np.inf),
    )


def _split(gaps: Gaps, finer: Gaps) -> Gaps:
    """Return gaps counted anew between more values; what lies at the old ones is known."""
    at = finer.at.copy()
    at[np.searchsorted(0.0 - finer.values, 0.0 - gaps.values)] = gaps.at
    return replace(finer, at=at)


def with_edges(gaps: Gaps, inside: IntArray) -> FloatArray:
    """Return the values with more of them in some gaps, evenly spread over the floats there.

    The worst score in each gap becomes one, so that ties and wide empty stretches cost nothing.
    Each time a gap that is left spans a small part of the floats that it did before.
    """
    edges = max(_EDGES // inside.size, 4) // 2
    values = [gaps.values]
    for number in inside:
        lowest, above = float(gaps.lowest[number]), float(np.append(gaps.values, 0.0)[number - 1])
        values.append(_spread(order_of(lowest), order_of(above) if number else HIGHEST + 1, edges))
        if number and np.isfinite(above - lowest):  # most likely quicker, where that can be
            values.append(np.linspace(lowest, above, edges, endpoint=False))
    return distinct(np.concatenate(values))[0]


def _spread(low: int, end: int, size: int) -> FloatArray:
    """Return some scores from one on and before another, evenly spread over the floats."""
    step = -(-(end - low) // size)
    steps = np.arange(-(-(end - low) // step))
    # The sums fit in 64 bits, the products may not: both wrap around alike.
    return from_order(np.int64(low) + np.int64(step) * steps)


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
