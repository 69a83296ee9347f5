"""Curves, metrics and areas of contingency tables that stand in a Dataset."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from pu_accessor.datasets.lift import lift
from pu_accessor.datasets.schema import (
    COUNTS,
    ENVELOPE,
    SIDES,
    TRACES,
    VARIABLES,
    axis_of,
    check_whole,
    counts_of,
    is_whole,
)
from pu_accessor.inference.tables.areas import area as area_under
from pu_accessor.inference.tables.areas import check_curve
from pu_accessor.inference.tables.envelopes import GRID, curve_envelope, table_within
from pu_accessor.inference.tables.rates import (
    Metric,
    check_metric,
    curve_rates,
    evaluate,
    metric_name,
)

__all__ = ["area", "curve", "interval_tables", "metric"]

# What bounds of an area are worth: whether each cutoff is bounded, or all of them jointly.
_PROMISE = {
    True: "the true area lies between the bounds with a probability of at least level",
    False: "none: bounds hold at each cutoff; for the area between them: band='simultaneous'",
}


def curve(tables: xr.Dataset, name: str) -> xr.Dataset:
    """Return the ROC or the precision-recall curve of each bound and beta."""
    x, y, grid, envelope = TRACES[name]
    rates = dict(zip((x, y), _rates(name, tables), strict=True))
    if "interval_tp" in tables and is_whole(tables):
        rates[envelope] = _curve_envelope(name, tables)
    elif envelope in tables:
        rates[envelope] = tables[envelope]
    for rate, values in rates.items():
        values.attrs = dict(VARIABLES[rate].attrs)
    coords = tables.drop_vars("interval_beta", errors="ignore").coords
    curves = xr.Dataset(rates, coords, tables.attrs)
    if envelope not in rates:
        return curves
    return curves.assign_coords({grid: (grid, GRID), "envelope": ("envelope", SIDES)})


def metric(tables: xr.Dataset, name: str | Metric) -> xr.DataArray:
    """Evaluate a metric on each contingency table."""
    check_metric(name)
    values = _widen(_evaluate(name, tables), tables, partial(_evaluate, name), kinks=True)
    label = metric_name(name)
    return _labeled(values.rename(label), {**tables.attrs, "long_name": label})


def area(tables: xr.Dataset, curve: str, *, max_fpr: float | None = None) -> xr.DataArray:
    """Return the area under the curve of each bound and beta."""
    counts_of(tables)
    check_curve(curve, max_fpr)
    check_whole(tables)
    reduce = partial(_area, curve=curve, max_fpr=max_fpr)
    values = _widen(reduce(tables), tables, reduce, kinks=False)
    axis = axis_of(tables.dims)
    at_cutoffs = [key for key, coord in tables.coords.items() if axis in coord.dims]
    values = values.drop_vars([*at_cutoffs, "n_cutoffs", "all_cutoffs"], errors="ignore")
    name = {"roc": "AUROC", "pr": "area under the PR curve"}[curve]
    limit = {} if max_fpr is None else {"max_fpr": float(max_fpr)}
    told = {"promise": _PROMISE[tables.attrs.get("band") == "simultaneous"]}
    return _labeled(values.rename("area"), {**tables.attrs, "long_name": name, **told, **limit})


def _area(tables: xr.Dataset, curve: str, max_fpr: float | None) -> xr.DataArray:
    """Return the area under each curve."""
    *counts, _ = counts_of(tables)
    axis = axis_of(tables.dims)
    under = partial(area_under, curve, max_fpr=max_fpr)
    whole = counts[0].isel({axis: 0}, drop=True)
    return _put(lift(under, counts, [[axis]] * len(counts)), whole)


def _rates(curve: str, tables: xr.Dataset) -> list[xr.DataArray]:
    """Return where a curve passes at each table."""
    counts = counts_of(tables)
    tp, fp, fn, tn = (count.variable for count in counts)
    found = lift(partial(curve_rates, curve), (tp, fp, tp + fn, fp + tn), outputs=2)
    return [_put(values, counts[0]) for values in found]


def _evaluate(name: str | Metric, tables: xr.Dataset) -> xr.DataArray:
    """Evaluate a metric on each table; a function of a user's only on tables that there are."""
    counts = counts_of(tables)
    if not callable(name):
        return _put(lift(partial(evaluate, name), counts), counts[0])
    there = [count.variable.compute() for count in counts]  # it may return any dtype
    return _put(xr.apply_ufunc(partial(evaluate, name), *there, keep_attrs=False), counts[0])


def _put(values: xr.Variable, place: xr.DataArray) -> xr.DataArray:
    """Put values in the place of others."""
    return place.copy(data=values.transpose(*place.dims).data)


def interval_tables(tables: xr.Dataset, *, kinks: bool) -> xr.Dataset | None:
    """Return the tables at betas within the interval, over bound and beta; None without one."""
    if "interval_tp" not in tables:
        return None
    arrays = [*_within(tables), *([tables["interval_kinks"].variable] if kinks else [])]
    core = ["interval_bound", "interval_kink", "interval_count"]
    counts = xr.apply_ufunc(
        table_within,
        *(array.compute() for array in arrays),
        input_core_dims=[*_CORE, core][: len(arrays)],
        output_core_dims=[["bound", "beta"]] * len(COUNTS),
        exclude_dims={"bound", "beta"},
        keep_attrs=False,
    )
    return xr.Dataset(dict(zip(COUNTS, counts, strict=True)), attrs=tables.attrs)


# Over what the arrays stand that the tables of an interval follow from: see `table_within`.
_CORE: list[list[str]] = [
    *([], [], ["bound", "beta"], ["beta"]),
    *(["interval_bound", "interval_beta"], ["interval_beta"]),
]


def _within(tables: xr.Dataset) -> list[xr.Variable]:
    """Return the arrays that the tables of an interval follow from.

    Points count among them where both bounds are there, to be compared.
    """
    tp, fp, fn, tn = (tables[name].variable for name in COUNTS)
    missing = [dim for dim in ("bound", "beta") if dim not in tp.dims]
    tp, fp, fn, tn = (count.set_dims([*missing, *count.dims]) for count in (tp, fp, fn, tn))
    head, tail = ((one + other).isel(bound=0, beta=0) for one, other in ((tp, fp), (fn, tn)))
    positives = (tp + fn).isel(bound=0)
    bounds = np.ravel(tables["bound"]).tolist()
    if {*SIDES} <= {*bounds}:
        tp = tp.isel(bound=[bounds.index(side) for side in SIDES])
    else:
        tp, positives = tp.isel(bound=[0, 0], beta=[]), positives.isel(beta=[])
    inner = (tables[name].variable for name in ("interval_tp", "interval_positives"))
    return [head, head + tail, tp, positives, *inner]


def _curve_envelope(name: str, tables: xr.Dataset) -> xr.DataArray:
    """Return the lowest and the highest curve while beta varies, of each ranking."""
    _, _, grid, _ = TRACES[name]
    axis = axis_of(tables.dims)
    head, size, tp, positives, *inner = (array.compute() for array in _within(tables))
    first = {axis: 0}
    core = [[axis], [], [axis, "bound", "beta"], ["beta"], [axis, *_CORE[-2]], _CORE[-1]]
    envelope: xr.Variable = xr.apply_ufunc(
        partial(curve_envelope, name),
        *(head, size.isel(first), tp, positives.isel(first), *inner),
        input_core_dims=core,
        output_core_dims=[[grid, "envelope"]],
        vectorize=True,
        keep_attrs=False,
    )
    return xr.DataArray(envelope)


def _widen(
    values: xr.DataArray,
    tables: xr.Dataset,
    evaluate: Callable[[xr.Dataset], xr.DataArray],
    *,
    kinks: bool,
) -> xr.DataArray:
    """Add the envelope to what has been evaluated for each table."""
    inner = interval_tables(tables, kinks=kinks)
    if inner is None or "bound" not in values.dims:
        return values
    within = evaluate(inner)
    low, high = within.min(["bound", "beta"]), within.max(["bound", "beta"])
    # Of an error rate the lower bound on performance is the larger number.
    if float((within.isel(bound=1) - within.isel(bound=0)).sum()) < 0:
        low, high = high, low
    plain = values.isel(bound=[0]).variable
    ends = [end.variable.set_dims(dict(plain.sizes)).transpose(*plain.dims) for end in (low, high)]
    widened = xr.Variable.concat([ends[0], values.variable, ends[1]], "bound")
    bounds = np.array([ENVELOPE[0], *values["bound"].to_numpy(), ENVELOPE[1]], dtype=object)
    repeated = values.drop_vars("bound").isel(bound=[0] * bounds.size)
    return repeated.copy(data=widened.transpose(*values.dims).data).assign_coords(
        bound=("bound", bounds)
    )


def _labeled(values: xr.DataArray, attrs: Mapping[str, Any]) -> xr.DataArray:
    """Replace the attributes: those of counts, such as their units, are not those of a share."""
    values.attrs = dict(attrs)
    return values
