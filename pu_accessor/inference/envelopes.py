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
from typing import Any

import numpy as np
import xarray as xr

from pu_accessor.inference.shares import Interval, latent_counts
from pu_accessor.inference.steps import highest_at, lowest_at
from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["ENVELOPE", "add_interval", "inner_tables", "pr_envelope", "roc_envelope", "widen"]

ENVELOPE = ("envelope_lower", "envelope_upper")

_SIDES = ("lower", "upper")
# Where the envelopes of curves stand: in steps of a thousandth, with more near 0.
_GRID = np.union1d(np.geomspace(1e-6, 1e-3, 31), np.round(np.linspace(0, 1, 1001), 3))
_Trace = Callable[[FloatArray, FloatArray], FloatArray]


def add_interval(
    tables: xr.Dataset, interval: Interval, betas: FloatArray, tp: IntArray
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

    Returns
    -------
    Dataset
        With `interval_tp` over (rank, interval_bound, interval_beta). All other counts follow.
    """
    about = {"long_name": "true positives at betas within the interval", "units": "examples"}
    dims = ("rank", "interval_bound", "interval_beta")
    return (
        tables.assign(interval_tp=(dims, tp[:, [0, 2]], about))
        .assign_coords(
            interval_bound=("interval_bound", np.array(_SIDES, dtype=object)),
            interval_beta=("interval_beta", betas),
        )
        .assign_attrs(beta_interval=[float(end) for end in interval])
    )


def inner_tables(tables: xr.Dataset) -> xr.Dataset | None:
    """Return the tables at betas within the interval.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn`, and `interval_tp` where there is an interval.

    Returns
    -------
    Dataset or None
        The four counts over (..., rank, bound, beta), the bounds lower and upper.
    """
    if "interval_tp" not in tables:
        return None
    names = {"interval_bound": "bound", "interval_beta": "beta"}
    # Without what belongs to the betas of the points: those within the interval take their place.
    bare = tables.drop_vars(["bound", "beta", "tightest", "local_alpha"], errors="ignore")
    some = bare.isel({dim: 0 for dim in ("bound", "beta") if dim in tables.dims}, drop=True)
    head = some["tp"] + some["fp"]
    tp = bare["interval_tp"].rename(names)
    positives = _positives(tables, tp["beta"].to_numpy())
    examples = head + some["fn"] + some["tn"]
    fp, fn = head - tp, positives - tp
    counts = {"tp": tp, "fp": fp, "fn": fn, "tn": examples - tp - fp - fn}
    return xr.Dataset(
        {name: count.transpose(*tp.dims) for name, count in counts.items()}, attrs=tables.attrs
    )


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
    found = evaluate(inner)
    low, high = found.min(["bound", "beta"]), found.max(["bound", "beta"])
    # Of an error rate the lower bound on performance is the larger number.
    if float((found.sel(bound="upper") - found.sel(bound="lower")).sum()) < 0:
        low, high = high, low
    shape = {dim: values.sizes[dim] for dim in ("bound", "beta") if dim in values.dims}
    ends = [end.expand_dims({**shape, "bound": 1}).transpose(*values.dims) for end in (low, high)]
    return _stack(values, *ends)


def _stack(values: xr.DataArray, low: xr.DataArray, high: xr.DataArray) -> xr.DataArray:
    """Put an envelope around values, along their bounds."""
    axis = values.get_axis_num("bound")
    data = np.concatenate([low.to_numpy(), values.to_numpy(), high.to_numpy()], axis=axis)
    bounds = np.array([ENVELOPE[0], *values["bound"].to_numpy(), ENVELOPE[1]], dtype=object)
    coords = {name: coord for name, coord in values.coords.items() if "bound" not in coord.dims}
    return xr.DataArray(
        data,
        dims=values.dims,
        coords={**coords, "bound": bounds},
        name=values.name,
        attrs=values.attrs,
    )


def roc_envelope(tables: xr.Dataset) -> xr.DataArray | None:
    """Return the lowest and highest true positive rate at each false positive rate.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn`, and `interval_tp` where there is an interval.

    Returns
    -------
    DataArray or None
        float64 over (..., fpr_grid, envelope); the latter is "lower" or "upper".
    """

    def lowest(tp: FloatArray, fp: FloatArray) -> FloatArray:
        return lowest_at(fp / fp[-1], tp / tp[-1], _GRID)

    def highest(tp: FloatArray, fp: FloatArray) -> FloatArray:
        return highest_at(fp / fp[-1], tp / tp[-1], _GRID)

    return _envelope(tables, lowest, highest, "fpr_grid", "tpr_envelope", "true positive rate")


def pr_envelope(tables: xr.Dataset) -> xr.DataArray | None:
    """Return the lowest and highest precision at each recall.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn`, and `interval_tp` where there is an interval.

    Returns
    -------
    DataArray or None
        float64 over (..., recall_grid, envelope); the latter is "lower" or "upper".
    """
    return _envelope(
        tables,
        _lowest_precision,
        _highest_precision,
        "recall_grid",
        "precision_envelope",
        "precision",
    )


def _envelope(
    tables: xr.Dataset, lowest: _Trace, highest: _Trace, grid: str, name: str, label: str
) -> xr.DataArray | None:
    """Return the lowest lower and the highest upper curve within the interval."""
    inner = inner_tables(tables)
    if inner is None:
        return None
    inner = inner.transpose(..., "bound", "beta", "rank")
    tp, fp = (inner[count].to_numpy().astype(np.float64) for count in ("tp", "fp"))
    groups = tp.shape[:-3]
    values = np.empty((*groups, _GRID.size, 2))
    for place in np.ndindex(*groups):
        curves = zip(tp[place], fp[place], strict=True)
        for side, (trace, reduce) in enumerate(((lowest, np.min), (highest, np.max))):
            one, other = next(curves)
            values[(*place, slice(None), side)] = reduce(
                [trace(*curve) for curve in zip(one, other, strict=True)], axis=0
            )
    dims = [dim for dim in inner["tp"].dims if dim not in ("bound", "beta", "rank")]
    coords: dict[Any, Any] = {
        key: coord for key, coord in inner.coords.items() if set(coord.dims) <= set(dims)
    }
    coords[grid], coords["envelope"] = _GRID, np.array(_SIDES, dtype=object)
    attrs = {"long_name": f"{label}, while beta varies"}
    return xr.DataArray(values, coords, (*dims, grid, "envelope"), name, attrs)


def _highest_precision(tp: FloatArray, fp: FloatArray) -> FloatArray:
    """Return the precision where each recall is first reached."""
    wanted, head = _GRID * tp[-1], tp + fp
    after = np.searchsorted(tp, wanted, side="left").clip(min=1)
    return _precision(tp, head, after - 1, wanted)


def _lowest_precision(tp: FloatArray, fp: FloatArray) -> FloatArray:
    """Return the precision where each recall is last held."""
    wanted, head = _GRID * tp[-1], tp + fp
    before = np.searchsorted(tp, wanted, side="right") - 1
    return _precision(tp, head, before.clip(max=tp.size - 2), wanted)


def _precision(
    tp: FloatArray, head: FloatArray, start: IntArray, wanted: FloatArray
) -> FloatArray:
    """Return the precision at some numbers of true positives, on straight pieces of a path."""
    gain, added = tp[start + 1] - tp[start], head[start + 1] - head[start]
    part = (wanted - tp[start]) / np.where(gain > 0, gain, 1)
    place = head[start] + np.where(gain > 0, part, 1) * added
    # At recall 0 from rank 0 on, precision is that of the first piece.
    fresh = place == 0
    first = gain / np.where(added > 0, added, 1)
    return np.where(fresh, first, wanted / np.where(fresh, 1, place))


def _positives(tables: xr.Dataset, betas: FloatArray) -> xr.DataArray:
    """Return the number of positives at each beta, by group where there are groups."""
    known, unlabeled = (
        tables[name] if name in tables.coords else xr.DataArray(tables.attrs[name])
        for name in ("n_known_positive", "n_unlabeled")
    )
    latent = np.stack([latent_counts(betas, int(size)) for size in np.ravel(unlabeled)])
    shape = (*unlabeled.shape, betas.size)
    return known + xr.DataArray(latent.reshape(shape), dims=(*unlabeled.dims, "beta"))
