"""The known positives of many small rankings, found in one pass."""

from collections.abc import Sequence

import numpy as np

from pu_accessor.ranking import BoolArray, FloatArray, IntArray, Stack

_PIECE = 1 << 16  # examples that are ranked together


def stack_examples(
    score: FloatArray, positive: BoolArray, negative: BoolArray, rows: Sequence[IntArray | slice]
) -> Stack:
    """Rank several sets of examples by score, and find the known positives of each.

    Examples
    --------
    >>> score, positive = np.array([1.0, 3.0, 2.0, 7.0, 8.0]), np.array([1, 0, 1, 1, 0], bool)
    >>> stack = stack_examples(score, positive, ~positive & False, [slice(0, 3), slice(3, 5)])
    >>> stack.owner, stack.known, stack.start, stack.end
    (array([0, 0, 1]), array([1, 2, 1]), array([1, 2, 1]), array([2, 3, 2]))
    """
    cost, sets = 0.0 - score, -(-_PIECE * len(rows) // score.size)
    starts = range(0, len(rows), sets)
    parts = [_stack(cost, positive, negative, rows[start : start + sets]) for start in starts]
    owners = [part.owner + start for part, start in zip(parts, starts, strict=True)]
    joined = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    return Stack(*joined)._replace(owner=np.concatenate(owners))


def _stack(
    cost: FloatArray, positive: BoolArray, negative: BoolArray, rows: Sequence[IntArray | slice]
) -> Stack:
    """Stack a few rankings, while they are in the cache."""
    order, first = _order(cost, rows)
    cost, positive, negative = cost[order], positive[order], negative[order]
    untied = ~((cost[1:] == cost[:-1]) | (np.isnan(cost[1:]) & np.isnan(cost[:-1])))
    untied[first[1:-1] - 1] = True
    edges = np.concatenate([[0], np.flatnonzero(untied) + 1, [cost.size]])  # of blocks of ties
    sums = [np.append(0, np.cumsum(kind)) for kind in (positive, negative)]
    found = np.diff(sums[0][edges])
    blocks = np.flatnonzero(found)
    start, end = edges[blocks], edges[blocks + 1]
    owner = np.searchsorted(first, start, side="right") - 1
    begin = first[owner]
    known, negatives = (kind[end] - kind[begin] for kind in sums)
    totals, size = [np.diff(kind[first]) for kind in sums], np.diff(first)
    total = np.stack([*totals, size - totals[0] - totals[1]], axis=1)
    start, end = start - begin, end - begin
    others = np.arange(cost.size + 1) - sums[0]
    last = others[first[1:]] - others[edges[np.searchsorted(edges, first[1:]) - 1]]
    best = others[edges[np.searchsorted(edges, first[:-1], "right")]] - others[first[:-1]]
    ties = np.stack([last, best], axis=1)
    ties[ties == 1] = 0
    return Stack(total, owner, found[blocks], known, start, end, end - known - negatives, ties)


def _order(cost: FloatArray, rows: Sequence[IntArray | slice]) -> tuple[IntArray, IntArray]:
    """Return examples ranking by ranking, best first, and the edges of the rankings."""
    parts = [
        cost[index].argsort() + index.start
        if isinstance(index, slice)
        else index[cost[index].argsort()]
        for index in rows
    ]
    return np.concatenate(parts), np.append(0, np.cumsum([part.size for part in parts]))
