"""The n-th best of scores that are only counted, wherever they are.

Gaps between known values that hold a wanted score are counted anew between more values, or what
is left in them is fetched: see `nth_best`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from pu_accessor.counting.gaps import Gaps, Scores, distinct, in_parts
from pu_accessor.counting.threads import count_threads, in_threads
from pu_accessor.ranking import BoolArray, FloatArray, IntArray

__all__ = ["Best", "nth_best", "scores_inside", "with_edges"]

_EDGES = 1 << 14  # values by which open gaps are split at once
_COMPARED = 4  # times that scores may be compared, which is quicker than searching for each
_ENOUGH = 1 << 20  # scores in open gaps that are fetched rather than split further

_SIGN, _REST = np.int64(63), np.int64(2**63 - 1)


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


def nth_best(
    targets: IntArray,
    gaps: Gaps,
    count: Callable[[FloatArray], Gaps],
    fetch: Callable[[FloatArray, IntArray], FloatArray],
) -> Best:
    """Return the n-th best scores for some n, and the nearest strictly better ones.

    Only gaps that hold one are looked into: split at ever more values while they hold many
    scores, then fetched. Both are functions of pieces of scores, whose results merge.

    Examples
    --------
    >>> from pu_accessor.counting.gaps import count_gaps
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
    block = np.searchsorted(through, targets)  # is never an empty one
    before = np.concatenate([[0], through])[block]
    better = np.where(before, lowest[np.searchsorted(through, before)], np.inf)
    return Best(lowest[block], through[block], better, before)


def scores_inside(values: FloatArray, numbers: IntArray, scores: Scores) -> FloatArray:
    """Return all scores in some gaps."""
    threads = count_threads(scores.size)
    inside = partial(_some_inside, values, numbers)
    found = in_threads(inside, in_parts(scores, threads), threads)
    return np.concatenate([*found, np.empty(0)])


def _some_inside(values: FloatArray, numbers: IntArray, scores: Scores) -> Scores:
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
    place = 2 * np.searchsorted(known, scores)
    place += np.append(known, np.nan)[place // 2] == scores
    found: Scores = scores[wanted[place] & ~np.isnan(scores)]
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
    block = np.unique(np.searchsorted(gaps.blocks()[1], targets))
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
