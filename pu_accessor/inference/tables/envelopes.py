"""Envelopes: the lowest and the highest that curves get while beta varies.

Lower and upper bounds need not come from the ends of an interval of beta: where a ranking does
worse than random they trade places ([1]_, Lemma 4), and in between they can bend. Hence bounds at
betas all over the interval: vertically for curves, at the same cutoff for metrics.

References
----------
.. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
   Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pu_accessor.inference.tables.contingency import Inner, Table, Tables
from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["GRID", "curve_envelope", "point_envelopes", "table_within"]

# Where the envelopes of curves stand: in steps of a thousandth, with more near 0.
GRID = np.union1d(np.geomspace(1e-6, 1e-3, 31), np.round(np.linspace(0, 1, 1001), 3))


class _Path(NamedTuple):
    """A curve: x at each cutoff, and y as a function of places between cutoffs."""

    x: FloatArray
    height: Callable[[FloatArray], FloatArray]


def table_within(
    head: IntArray,
    size: IntArray | int,
    tp: IntArray,
    positives: IntArray,
    inner_tp: IntArray,
    inner_positives: IntArray,
    kinks: IntArray | None = None,
) -> Table:
    """Return the tables at betas within an interval: inner ones, kinks, and points among them.

    Points outside give way to the first inner beta. A table follows from its true positives and
    its positives, as both the head and all examples are the same at each beta.

    Parameters
    ----------
    head, size : ndarray of int64, shape (..., )
        Examples at or above each cutoff, and in all.
    tp, positives : ndarray of int64, shapes (..., 2, points) and (..., points)
        At both bounds of the points.
    inner_tp, inner_positives : ndarray of int64, shapes (..., 2, inner betas), (..., inner betas)
        See `Inner`.
    kinks : ndarray of int64, shape (..., 2, kinks, 2), optional
    """
    head, size = (np.asarray(count)[..., np.newaxis, np.newaxis] for count in (head, size))
    positives, inner_positives = (
        count[..., np.newaxis, :] for count in (positives, inner_positives)
    )
    inside = (inner_positives[..., :1] <= positives) & (positives <= inner_positives[..., -1:])
    tp = np.where(inside, tp, inner_tp[..., :1])
    positives = np.where(inside, positives, inner_positives[..., :1])
    pairs = [(inner_tp, inner_positives), (tp, positives)]
    if kinks is not None:
        pairs.insert(1, (kinks[..., 0], kinks[..., 1]))
    tables = [
        Table(true, head - true, every - true, size - head - (every - true))
        for true, every in pairs
    ]
    return Table(*(np.concatenate(counts, axis=-1) for counts in zip(*tables, strict=True)))


def point_envelopes(
    tables: Tables, inner: Inner, evaluate: Callable[[Table], FloatArray], *, kinks: bool
) -> list[FloatArray]:
    """Return the lowest and the highest while beta varies, at each cutoff with each point."""
    head, size = (tables.tp + tables.fp)[:, 0, 0], tables.positives[0] + tables.negatives[0]
    points = tables.tp[:, ::2], tables.positives
    bends = inner.kinks if kinks else None
    values = evaluate(table_within(head, size, *points, inner.tp, inner.positives, bends))
    within, at_points = np.split(values, [values.shape[-1] - tables.betas.size], axis=-1)
    return [
        extreme(
            extreme.reduce(within, axis=(-2, -1))[..., np.newaxis],
            extreme.reduce(at_points, axis=-2),
        )
        for extreme in (np.fmin, np.fmax)
    ]


def curve_envelope(
    curve: str,
    head: IntArray,
    size: IntArray | int,
    tp: IntArray,
    positives: IntArray,
    inner_tp: IntArray,
    inner_positives: IntArray,
) -> FloatArray:
    """Return the lowest lower and the highest upper curve at each place of the grid.

    Of one ranking, the other shapes are those of `table_within`. One curve is traced at a time, as
    the tables at all betas of an interval take much memory.
    """
    path = _roc_path if curve == "roc" else _pr_path
    inside = (inner_positives[0] <= positives) & (positives <= inner_positives[-1])
    envelope = np.full((GRID.size, 2), np.nan)
    for counts, totals in ((inner_tp, inner_positives), (tp[..., inside], positives[inside])):
        for column, true in enumerate(totals.tolist()):
            if not (0 < true < size):  # no positives, no negatives, or an empty place
                continue
            for side, extreme in enumerate((np.fmin, np.fmax)):
                found = counts[:, side, column].astype(np.float64)
                traced = path(found, head - found, float(true), float(size - true))
                points, place = _meet(traced.x)
                extreme.at(envelope[:, side], points, traced.height(place))
    return envelope


def _roc_path(tp: FloatArray, fp: FloatArray, positives: float, negatives: float) -> _Path:
    """Return the true positive rate over the false positive rate."""
    cutoffs, tpr = np.arange(tp.size), tp / positives
    return _Path(fp / negatives, lambda place: np.interp(place, cutoffs, tpr))


def _pr_path(tp: FloatArray, fp: FloatArray, positives: float, negatives: float) -> _Path:
    """Return precision over recall."""
    head, cutoffs = tp + fp, np.arange(tp.size)

    def precision(place: FloatArray) -> FloatArray:
        true, size = (np.interp(place, cutoffs, count) for count in (tp, head))
        # At rank 0, precision is that of the first cutoff, wherever other groups have more before.
        start = int(np.argmax(head > 0))
        first = tp[start] / head[start]
        share: FloatArray = np.divide(true, size, out=np.full(size.size, first), where=size > 0)
        return share

    return _Path(tp / positives, precision)


def _meet(x: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return where a path, straight between points, meets the grid: points of the grid, places.

    A place is the number of a point of the path, and the part of the way to the next. The path may
    turn back; where it stands on the grid, both ends of the piece are there.
    """
    start, end = x[:-1], x[1:]
    first = np.searchsorted(GRID, np.minimum(start, end), side="left")
    last = np.searchsorted(GRID, np.maximum(start, end), side="right")
    number = last - first
    piece = np.repeat(np.arange(start.size), number)
    at = np.arange(piece.size) - np.repeat(np.cumsum(number) - number, number) + first[piece]
    step = (end - start)[piece]
    part = (GRID[at] - start[piece]) / np.where(step == 0, 1, step)
    level = step == 0
    return np.append(at, at[level]), np.append(piece + part, piece[level] + 1.0)
