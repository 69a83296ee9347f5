"""Envelopes: the lowest and the highest that curves, metrics and areas get while beta varies.

Lower and upper bounds need not come from the ends of an interval of beta: where a ranking does
worse than random they trade places ([1]_, Lemma 3b), and in between they can bend. Hence bounds at
betas all over the interval: vertically for curves, at the same cutoff for metrics.

References
----------
.. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
   Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import xarray as xr

from pu_accessor.inference.shares import Interval
from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["ENVELOPE", "add_interval", "inner_tables", "pr_envelope", "roc_envelope", "widen"]

ENVELOPE = ("envelope_lower", "envelope_upper")

_SIDES = ("lower", "upper")
# Where the envelopes of curves stand: in steps of a thousandth, with more near 0.
_GRID = np.union1d(np.geomspace(1e-6, 1e-3, 31), np.round(np.linspace(0, 1, 1001), 3))
# A curve: x at each cutoff, and y as a function of places, which may lie between two cutoffs.
_Path: TypeAlias = tuple[FloatArray, Callable[[FloatArray], FloatArray]]


def add_interval(
    tables: xr.Dataset,
    interval: Interval,
    betas: FloatArray,
    tp: IntArray,
    positives: IntArray,
) -> xr.Dataset:
    """Add what envelopes are made from to contingency tables.

    Parameters
    ----------
    tables : Dataset
        Over (rank, bound, beta).
    interval : (float, float)
        Lowest and highest beta.
    betas : ndarray of float64, shape (inner betas,)
        Within the interval.
    tp : ndarray of int64, shape (cutoffs, 3, inner betas)
        True positives at these, for all bounds.
    positives : ndarray of int64, shape (inner betas,)
        Positives in all.

    Returns
    -------
    Dataset
        With `interval_tp` over (rank, interval_bound, interval_beta) and `interval_positives` over
        the last. All other counts follow.
    """
    about = {"long_name": "true positives at betas within the interval", "units": "examples"}
    dims = ("rank", "interval_bound", "interval_beta")
    variables = {
        "interval_tp": (dims, tp[:, [0, 2]], about),
        "interval_positives": ("interval_beta", positives, {"units": "examples"}),
    }
    return (
        tables.assign(variables)
        .assign_coords(
            interval_bound=("interval_bound", np.array(_SIDES, dtype=object)),
            interval_beta=("interval_beta", betas),
        )
        .assign_attrs(beta_interval=[float(end) for end in interval])
    )


def inner_tables(tables: xr.Dataset) -> xr.Dataset | None:
    """Return the tables at betas within the interval, those of the points among them.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn`, and `interval_tp` where there is an interval.

    Returns
    -------
    Dataset or None
        The four counts over (..., rank, bound, beta), the bounds lower and upper. Only dimensions
        of groups have coordinates, and these alone.
    """
    if "interval_tp" not in tables:
        return None
    inner = _bare(tables["interval_tp"]).rename(interval_bound="bound", interval_beta="beta")
    positives = _bare(tables["interval_positives"]).rename(interval_beta="beta")
    points = {name: _points(tables[name], tables) for name in ("tp", "fp", "fn", "tn")}
    head, tail = (
        (points[one] + points[other]).isel(bound=0, beta=0)
        for one, other in (("tp", "fp"), ("fn", "tn"))
    )
    counts = {"tp": inner, "fp": head - inner, "fn": positives - inner}
    counts["tn"] = tail - counts["fn"]
    within = _are_within(tables)
    groups = [dim for dim in inner.dims if dim not in ("rank", "bound", "beta")]
    dims = [*groups, *(["rank"] if "rank" in inner.dims else []), "bound", "beta"]
    found = {}
    for name, count in counts.items():
        parts = [count.transpose(*dims)]
        if within is not None:  # a point outside gives way to any within
            own = points[name].where(within, parts[0].isel(beta=0))
            parts.append(own.transpose(*dims).astype(count.dtype))
        found[name] = (dims, np.concatenate([part.to_numpy() for part in parts], axis=-1))
    sides = ("bound", np.array(_SIDES, dtype=object))
    return xr.Dataset(found, coords={"bound": sides}, attrs=tables.attrs)


def _bare(array: xr.DataArray) -> xr.DataArray:
    """Return an array without coordinates: there is nothing to align."""
    return xr.DataArray(array.data, dims=array.dims)


def _points(counts: xr.DataArray, tables: xr.Dataset) -> xr.DataArray:
    """Return counts of the points at both bounds, with dimensions for bound and beta."""
    counts = _bare(counts)
    if "bound" in counts.dims:
        bounds = tables["bound"].to_numpy().tolist()
        there = [bounds.index(side) for side in _SIDES if side in bounds]
        counts = counts.isel(bound=there if len(there) == len(_SIDES) else [0])
    return counts.expand_dims([dim for dim in ("bound", "beta") if dim not in counts.dims])


def _are_within(tables: xr.Dataset) -> xr.DataArray | None:
    """Tell which points lie within the interval; None where bounds are not there."""
    if not set(_SIDES) <= set(np.ravel(tables["bound"]).tolist()) or "beta" not in tables.coords:
        return None
    low, high = tables.attrs["beta_interval"]
    betas = _bare(tables["beta"])
    betas = betas if "beta" in betas.dims else betas.expand_dims("beta")
    within: xr.DataArray = (betas >= low) & (betas <= high)
    return within


def widen(
    values: xr.DataArray,
    tables: xr.Dataset,
    evaluate: Callable[[xr.Dataset], xr.DataArray],
) -> xr.DataArray:
    """Add the envelope to what has been evaluated for each table.

    Parameters
    ----------
    values : DataArray
        Over bound, beta and others.
    tables : Dataset
        What it was evaluated for.
    evaluate : callable
        Does the same for other tables.

    Returns
    -------
    DataArray
        As it was where there is no interval. Otherwise with the further bounds "envelope_lower",
        first, and "envelope_upper", last. They are the same at each beta.
    """
    inner = inner_tables(tables)
    if inner is None or "bound" not in values.dims:
        return values
    found = _bare(evaluate(inner))
    low, high = found.min(["bound", "beta"]), found.max(["bound", "beta"])
    # Of an error rate the lower bound on performance is the larger number.
    if float((found.isel(bound=1) - found.isel(bound=0)).sum()) < 0:
        low, high = high, low
    one = {"bound": 1, **({"beta": values.sizes["beta"]} if "beta" in values.dims else {})}
    ends = [end.expand_dims(one).transpose(*values.dims).to_numpy() for end in (low, high)]
    axis = values.get_axis_num("bound")
    data = np.concatenate([ends[0], values.to_numpy(), ends[1]], axis=axis)
    bounds = np.array([ENVELOPE[0], *values["bound"].to_numpy(), ENVELOPE[1]], dtype=object)
    kept = values.drop_vars("bound").isel(bound=[0] * bounds.size)
    return kept.copy(data=data).assign_coords(bound=("bound", bounds))


def roc_envelope(tables: xr.Dataset) -> dict[str, Any] | None:
    """Return the lowest and highest true positive rate at each false positive rate.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn`, and `interval_tp` where there is an interval.

    Returns
    -------
    dict or None
        `tpr_envelope` over (..., fpr_grid, envelope), and these two coordinates, as a Dataset
        takes them. The latter is "lower" or "upper".
    """

    def path(tp: FloatArray, fp: FloatArray, positives: float, negatives: float) -> _Path:
        tpr = tp / positives
        return fp / negatives, lambda place: np.interp(place, np.arange(tpr.size), tpr)

    return _envelope(tables, path, "fpr_grid", "tpr_envelope")


def pr_envelope(tables: xr.Dataset) -> dict[str, Any] | None:
    """Return the lowest and highest precision at each recall.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn`, and `interval_tp` where there is an interval.

    Returns
    -------
    dict or None
        `precision_envelope` over (..., recall_grid, envelope), and these two coordinates.
    """

    def path(tp: FloatArray, fp: FloatArray, positives: float, negatives: float) -> _Path:
        head, cutoffs = tp + fp, np.arange(tp.size)

        def precision(place: FloatArray) -> FloatArray:
            true, size = (np.interp(place, cutoffs, count) for count in (tp, head))
            # At rank 0, precision is that of the first cutoff.
            first = tp[1] / head[1] if tp.size > 1 else 1.0
            return np.where(size > 0, true / np.where(size > 0, size, 1), first)

        return tp / positives, precision

    return _envelope(tables, path, "recall_grid", "precision_envelope")


def _envelope(
    tables: xr.Dataset,
    path: Callable[[FloatArray, FloatArray, float, float], _Path],
    grid: str,
    name: str,
) -> dict[str, Any] | None:
    """Return the lowest lower and the highest upper curve within the interval."""
    inner = inner_tables(tables)
    if inner is None:
        return None
    inner = inner.transpose(..., "bound", "beta", "rank")
    counts = [inner[key].to_numpy().astype(np.float64) for key in ("tp", "fp", "fn", "tn")]
    groups = counts[0].shape[:-3]
    values = np.full((*groups, _GRID.size, 2), np.nan)
    for place in np.ndindex(*groups):
        for side, reduce in enumerate((np.fmin, np.fmax)):
            curves = zip(*(count[place][side] for count in counts), strict=True)
            values[(*place, slice(None), side)] = _reduce(curves, path, reduce)
    dims = (*inner["tp"].dims[:-3], grid, "envelope")
    return {
        name: (dims, values, {"long_name": f"{name.split('_')[0]}, while beta varies"}),
        grid: (grid, _GRID),
        "envelope": ("envelope", np.array(_SIDES, dtype=object)),
    }


def _reduce(
    curves: Any,
    path: Callable[[FloatArray, FloatArray, float, float], _Path],
    reduce: np.ufunc,
) -> FloatArray:
    """Return the lowest, or the highest, that some curves get to at each place of the grid."""
    found = np.full(_GRID.size, np.nan)
    for tp, fp, fn, tn in curves:
        positives, negatives = float(tp[0] + fn[0]), float(fp[0] + tn[0])
        if positives > 0 and negatives > 0:  # neither none, nor an empty place
            x, y = path(tp, fp, positives, negatives)
            at, place = _meet(x)
            reduce.at(found, at, y(place))
    return found


def _meet(x: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return where a path, straight between points, meets the grid: points of the grid, places.

    A place is the number of a point of the path, and the part of the way to the next. The path may
    turn back; where it stands on the grid, both ends of the piece are there.
    """
    start, end = x[:-1], x[1:]
    first = np.searchsorted(_GRID, np.minimum(start, end), side="left")
    last = np.searchsorted(_GRID, np.maximum(start, end), side="right")
    number = last - first
    piece = np.repeat(np.arange(start.size), number)
    at = np.arange(piece.size) - np.repeat(np.cumsum(number) - number, number) + first[piece]
    step = (end - start)[piece]
    part = (_GRID[at] - start[piece]) / np.where(step == 0, 1, step)
    level = step == 0
    return np.append(at, at[level]), np.append(piece + part, piece[level] + 1.0)
