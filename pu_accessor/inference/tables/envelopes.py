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
from typing import NamedTuple, TypeAlias

import numpy as np

from pu_accessor.inference.tables.contingency import Inner, Table
from pu_accessor.ranking import BoolArray, FloatArray, IntArray

__all__ = ["GRID", "curve_envelope", "inner_table", "with_bends"]

# Where the envelopes of curves stand: in steps of a thousandth, with more near 0.
GRID = np.union1d(np.geomspace(1e-6, 1e-3, 31), np.round(np.linspace(0, 1, 1001), 3))


class _Path(NamedTuple):
    """A curve: x at each cutoff, and y as a function of places between cutoffs."""

    x: FloatArray
    height: Callable[[FloatArray], FloatArray]


_MakePath: TypeAlias = Callable[[FloatArray, FloatArray, float, float], _Path]


def inner_table(ends: Table, betas: FloatArray, inner: Inner) -> Table:
    """Return the tables at betas within the interval, those of the points among them."""
    head, tail = ((ends[one] + ends[other])[..., :1] for one, other in ((0, 1), (2, 3)))
    missed = inner.positives - inner.tp
    within = Table(inner.tp, head - inner.tp, missed, tail - missed)
    inside: BoolArray = (betas >= inner.betas[0]) & (betas <= inner.betas[-1])
    return Table(
        *(
            np.concatenate([some, np.where(inside, own, some[..., :1])], axis=-1)
            for own, some in zip(ends, within, strict=True)
        )
    )


def with_bends(inner: Inner) -> Inner:
    """Return what bounds get to within an interval, where they bend among it."""
    shape = inner.tp.shape
    positives = np.broadcast_to(inner.positives, shape)
    return inner._replace(
        betas=np.append(inner.betas, np.repeat(inner.betas[-1:], inner.bend_tp.shape[-1])),
        tp=np.concatenate([inner.tp, inner.bend_tp], axis=-1),
        positives=np.concatenate([positives, inner.bend_positives], axis=-1),
    )


def curve_envelope(curve: str, table: Table) -> FloatArray:
    """Return the lowest lower and the highest upper curve at each place of the grid."""
    path = _roc_path if curve == "roc" else _pr_path
    sides = zip(*table, strict=True)
    return np.stack(
        [
            _reduce(Table(*side), path, reduce)
            for side, reduce in zip(sides, (np.fmin, np.fmax), strict=True)
        ],
        axis=1,
    )


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


def _reduce(table: Table, path: _MakePath, reduce: np.ufunc) -> FloatArray:
    """Return the lowest, or the highest, that some curves get to at each place of the grid."""
    found = np.full(GRID.size, np.nan)
    for tp, fp, fn, tn in zip(*(count.astype(np.float64) for count in table), strict=True):
        positives, negatives = float(tp[0] + fn[0]), float(fp[0] + tn[0])
        if positives > 0 and negatives > 0:  # neither none, nor an empty place
            curve = path(tp, fp, positives, negatives)
            at, place = _meet(curve.x)
            reduce.at(found, at, curve.height(place))
    return found


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
