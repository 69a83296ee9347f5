"""Fewer vertices for the same picture: what is drawn of a curve with very many points."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pu_accessor.ranking import BoolArray, FloatArray, IntArray

__all__ = ["COLUMNS", "LIMIT", "PIXELS", "WHOLE", "Path", "thin"]

Path: TypeAlias = tuple[FloatArray, FloatArray]
_Numbers: TypeAlias = npt.NDArray[Any]

WHOLE = 4_000  # points that are few enough to be drawn as they are
LIMIT = 8_000  # vertices of what has more
PIXELS = 4_000  # width and height of a picture in which nothing moves by more than half of one
COLUMNS = 500  # whose ends and extremes stay, whatever the rest takes

# Half a pixel: one quarter for a first choice in narrow columns, another for what that leaves out.
_FINE = 4 * PIXELS
_NEAR = 1 / _FINE


def thin(x: _Numbers, y: _Numbers) -> Path:
    """Choose vertices of a polyline that draw the same picture, in vector files as well.

    The first, last, lowest and highest points in each of `COLUMNS` columns stay. More are taken,
    the farthest first, as long as some lie apart from the lines between those taken before [1]_:
    with x on a linear axis, or on a logarithmic one where it may be.

    Notes
    -----
    What is certain depends on which of x and y never falls.

    - x: its extent has `COLUMNS` columns of one width; where it is never negative, so has that of
      its logarithm, from the smallest number above 0. Each keeps its lowest and highest point.
    - y alone, as in most ROC curves: there are rows instead. Each keeps what is farthest to the
      left and to the right.
    - Neither: there are both. Of ways that cross a column and a row again and again, those in
      between may be lost.

    In the first two cases each point is within half a pixel of the line through the vertices
    while the whole curve fills a picture of `PIXELS` by `PIXELS` or less, y being linear, and x
    linear or, where it is never negative, logarithmic. The exception is what takes more than
    `LIMIT`, such as noise: it keeps what is farthest. On a logarithmic y axis, or where a part is
    enlarged beyond such a picture, columns or rows are all that is certain.

    References
    ----------
    .. [1] D. Douglas, T. Peucker, *Algorithms for the reduction of the number of points required
       to represent a digitized line or its caricature*, Cartographica 10(2), 1973.

    Examples
    --------
    >>> x = np.arange(100_001) / 100_000
    >>> some, heights = thin(x, np.where(x == 0.3, 2.0, x**2))
    >>> some.size < 5_000, heights.max().item()
    (True, 2.0)
    """
    if x.size <= WHOLE or not (_is_finite(x) and _is_finite(y)):
        return x, y
    x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)  # read many times
    columns, rows = _columns(x), _edges(y)
    some = _outline(x, y, np.unique(columns), rows)
    x, y = x[some], y[some]
    few = _FINE // COLUMNS
    sure = _outline(x, y, np.unique(columns[:, ::few]), rows[::few])
    views = [_unit(scale(x)) for scale in (np.asarray, _log)[: len(columns)]]
    kept = _add_far(views, _unit(y), sure)
    return x[kept], y[kept]


def _is_finite(values: _Numbers) -> bool:
    """Whether all numbers are finite, and so is their extent."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.max() - values.min()))


def _rises(values: _Numbers) -> bool:
    """Whether numbers never fall."""
    return bool((values[1:] >= values[:-1]).all())


def _unit(values: _Numbers) -> FloatArray:
    """Scale numbers so that they extend from 0 to 1."""
    low = values.min()
    extent = values.max() - low
    scaled: FloatArray = (values - low) / (extent if extent > 0 else 1)
    return scaled


def _log(x: _Numbers) -> FloatArray:
    """Return logarithms; of 0, which is on no such axis, that of the smallest other number."""
    logarithms: FloatArray = np.log(np.maximum(x, x[x > 0].min()))
    return logarithms


def _edges(values: _Numbers) -> FloatArray:
    """Return where columns start that share the extent of numbers evenly."""
    low, high = float(values.min()), float(values.max())
    return low + (high - low) * (np.arange(_FINE) / _FINE)


def _columns(x: _Numbers) -> FloatArray:
    """Return where columns of x start, and those of its logarithm where it may have one."""
    low, high = x.min(), x.max()
    edges = [_edges(x)]
    if low >= 0 and high > 0:
        edges.append(np.exp(_edges(np.log([low or x[x > 0].min(), high]))))
    return np.stack(edges)


def _outline(x: _Numbers, y: _Numbers, columns: FloatArray, rows: FloatArray) -> IntArray:
    """Return the extreme points of columns where x rises, of rows where y does, or of both."""
    if _rises(x):
        return _extremes(x, y, columns)
    found = _extremes(y, x, rows)
    return found if _rises(y) else np.union1d(found, _extremes(x, y, columns))


def _extremes(along: _Numbers, across: _Numbers, edges: FloatArray) -> IntArray:
    """Return the first, last, lowest and highest points of each column, in their order."""
    if not _rises(along):  # what is in a column is not in a row
        column = np.searchsorted(edges, along, side="right").astype(np.uint16)
        order = np.argsort(column, kind="stable")
        found = _extremes(column[order], across[order], np.arange(edges.size + 1.0))
        return np.sort(order[found])
    starts = np.unique(np.searchsorted(along, np.append(along[0], edges)))
    starts = starts[starts < along.size]
    lasts = np.append(starts[1:], along.size) - 1
    kept = [starts, lasts]
    for extreme in (np.minimum, np.maximum):
        ends = extreme.reduceat(across, starts)
        inside = ends != extreme(across[starts], across[lasts])
        kept.append(_first_equal(across, np.where(inside, ends, np.nan), starts))
    return np.unique(np.concatenate(kept))


def _first_equal(values: _Numbers, wanted: FloatArray, starts: IntArray) -> IntArray:
    """Return where each run has the value that is wanted of it first; NaN wants none."""
    if np.isnan(wanted).all():
        return starts[:0]
    sizes = np.diff(starts, append=values.size)
    there = np.flatnonzero(values == np.repeat(wanted, sizes))
    run = np.searchsorted(starts, there, side="right")
    return there[np.diff(run, prepend=0) > 0]


def _add_far(views: list[FloatArray], v: FloatArray, sure: IntArray) -> BoolArray:
    """Add points to some until none is far from the lines between them, or enough are there."""
    kept = np.zeros(v.size, dtype=bool)
    kept[sure] = True
    some = np.arange(v.size)  # without what is known to be near
    while True:
        starts = np.flatnonzero(kept[some])
        far = np.max([_distances(u[some], v[some], starts) for u in views], axis=0)
        worst = np.maximum.reduceat(far, starts)
        wide = worst > _NEAR
        more = _first_equal(far, np.where(wide, worst, np.nan), starts)
        room = LIMIT - np.count_nonzero(kept)
        if not more.size or more.size > room:
            kept[some[more[np.argsort(-far[more])[:room]]]] = True
            return kept
        kept[some[more]] = True
        some = some[kept[some] | np.repeat(wide, np.diff(starts, append=some.size))]


def _distances(u: FloatArray, v: FloatArray, starts: IntArray) -> FloatArray:
    """Return how far each point is from the line between those at the ends of its run."""
    sizes = np.diff(starts, append=u.size)
    ends = np.append(starts[1:], u.size - 1)
    du, dv = u[ends] - u[starts], v[ends] - v[starts]
    square = du**2 + dv**2
    right, up = (along - np.repeat(along[starts], sizes) for along in (u, v))
    du, dv, square = (np.repeat(side, sizes) for side in (du, dv, np.where(square, square, 1)))
    part = np.clip((right * du + up * dv) / square, 0, 1)  # beyond an end, the end is the nearest
    distances: FloatArray = np.hypot(right - part * du, up - part * dv)
    return distances
