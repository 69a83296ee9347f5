"""Many small rankings in one pass: where the known positives of each of them lie."""

from collections.abc import Sequence

import numpy as np

from pu_accessor.ranking import BoolArray, FloatArray, IntArray, Stack

__all__ = ["stack_examples"]

_PIECE = 1 << 16  # examples that are ranked at once


def stack_examples(
    score: FloatArray,
    positive: BoolArray,
    negative: BoolArray,
    rows: Sequence[IntArray | slice],
) -> Stack:
    """Rank each of some sets of examples by score, and find their known positives.

    Examples
    --------
    >>> score, positive = np.array([1.0, 3.0, 2.0, 7.0, 8.0]), np.array([1, 0, 1, 1, 0], bool)
    >>> stack = stack_examples(score, positive, ~positive & False, [slice(0, 3), slice(3, 5)])
    >>> stack.owner, stack.known, stack.start, stack.end
    (array([0, 0, 1]), array([1, 2, 1]), array([1, 2, 1]), array([2, 3, 2]))
    """
    cost, few = 0.0 - score, -(-_PIECE * len(rows) // score.size)
    parts = [
        _stack(cost, positive, negative, rows[begin : begin + few])
        for begin in range(0, len(rows), few)
    ]
    owners = [part.owner + few * place for place, part in enumerate(parts)]
    joined = [np.concatenate(some) for some in zip(*parts, strict=True)]
    return Stack(*joined)._replace(owner=np.concatenate(owners))


def _stack(
    cost: FloatArray, positive: BoolArray, negative: BoolArray, rows: Sequence[IntArray | slice]
) -> Stack:
    """Stack a few rankings, while they are in the cache."""
    order, first = _order(cost, rows)
    cost, positive, negative = cost[order], positive[order], negative[order]
    apart = ~((cost[1:] == cost[:-1]) | (np.isnan(cost[1:]) & np.isnan(cost[:-1])))
    apart[first[1:-1] - 1] = True
    edges = np.concatenate([[0], np.flatnonzero(apart) + 1, [cost.size]])  # of blocks of ties
    marks = [np.append(0, np.cumsum(kind)) for kind in (positive, negative)]
    found = np.diff(marks[0][edges])
    there = np.flatnonzero(found)
    start, end = edges[there], edges[there + 1]
    owner = np.searchsorted(first, start, side="right") - 1
    begin = first[owner]
    known, negatives = (mark[end] - mark[begin] for mark in marks)
    totals, size = [np.diff(mark[first]) for mark in marks], np.diff(first)
    return Stack(
        total=np.stack([*totals, size - totals[0] - totals[1]], axis=1),
        owner=owner,
        found=found[there],
        known=known,
        start=start - begin,
        end=end - begin,
        unlabeled=end - begin - known - negatives,
    )


def _order(cost: FloatArray, rows: Sequence[IntArray | slice]) -> tuple[IntArray, IntArray]:
    """Return examples ranking by ranking, best first, and where each begins and the last ends."""
    parts = [
        cost[some].argsort() + some.start
        if isinstance(some, slice)
        else some[cost[some].argsort()]
        for some in rows
    ]
    return np.concatenate(parts), np.append(0, np.cumsum([part.size for part in parts]))
