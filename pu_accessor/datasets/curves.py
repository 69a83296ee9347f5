"""Curves, metrics and areas of contingency tables that stand in a Dataset."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from pu_accessor.datasets.beta_envelope import inner_tables, widen
from pu_accessor.datasets.lift import lift
from pu_accessor.datasets.schema import (
    COUNTS,
    SIDES,
    VARIABLES,
    axis_of,
    check_whole,
    counts_of,
    is_whole,
)
from pu_accessor.datasets.tables import TRACES
from pu_accessor.errors import PUValueError
from pu_accessor.inference.tables.areas import area as area_under
from pu_accessor.inference.tables.areas import check_curve
from pu_accessor.inference.tables.contingency import Table
from pu_accessor.inference.tables.envelopes import GRID, curve_envelope
from pu_accessor.inference.tables.rates import (
    Metric,
    check_metric,
    curve_rates,
    evaluate,
    metric_name,
)

__all__ = ["area", "curve", "gain", "metric"]

# What bounds of an area are worth: whether each cutoff is bounded, or all of them jointly.
_PROMISE = {
    True: "the true area lies between the bounds with a probability of at least level",
    False: "none: bounds hold at each cutoff; for the area between them: band='simultaneous'",
}


def curve(tables: xr.Dataset, name: str) -> xr.Dataset:
    """Return the ROC or the precision-recall curve of each bound and beta."""
    x, y, grid, envelope = TRACES[name]
    rates = dict(zip((x, y), _rates(name, tables), strict=True))
    for rate, values in rates.items():
        _labeled(values, VARIABLES[rate].attrs)
    aside = [key for key in ("interval_bound", "interval_beta") if key in tables.coords]
    curves = xr.Dataset(rates, tables.drop_vars(aside).coords, tables.attrs)
    if "interval_tp" not in tables or not is_whole(tables):
        return curves
    found = xr.apply_ufunc(
        lambda *counts: _envelopes(name, counts),
        *_in_order(inner_tables(tables)),
        input_core_dims=[["bound", "beta", axis_of(tables.dims)]] * len(COUNTS),
        output_core_dims=[[grid, "envelope"]],
        keep_attrs=False,
    )
    return curves.assign({envelope: _labeled(found, VARIABLES[envelope].attrs)}).assign_coords(
        {grid: (grid, GRID), "envelope": ("envelope", SIDES)}
    )


def metric(tables: xr.Dataset, name: str | Metric) -> xr.DataArray:
    """Evaluate a metric on each contingency table."""
    check_metric(name)
    values = widen(
        _evaluate(name, tables), tables, lambda inner: _evaluate(name, inner), bends=True
    )
    label = metric_name(name)
    return _labeled(values.rename(label), {**tables.attrs, "long_name": label})


def area(tables: xr.Dataset, curve: str, *, max_fpr: float | None = None) -> xr.DataArray:
    """Return the area under the curve of each bound and beta."""
    counts_of(tables)
    check_curve(curve, max_fpr)
    check_whole(tables)
    reduce = partial(_area, curve=curve, max_fpr=max_fpr)
    values = widen(reduce(tables), tables, reduce, bends=False)
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


def _envelopes(curve: str, counts: Any) -> Any:
    """Return the envelopes of several groups."""
    groups = counts[0].shape[:-3]
    found = np.empty((*groups, GRID.size, SIDES.size))
    for place in np.ndindex(*groups):
        found[place] = curve_envelope(curve, Table(*(count[place] for count in counts)))
    return found


def _in_order(tables: xr.Dataset | None) -> list[xr.DataArray]:
    """Return the four counts."""
    if tables is None:
        raise PUValueError("Envelopes need tables at betas within an interval: beta_interval=...")
    return [tables[name] for name in COUNTS]


def _labeled(values: xr.DataArray, attrs: Mapping[str, Any]) -> xr.DataArray:
    """Replace the attributes: those of counts, such as their units, are not those of a share."""
    values.attrs = dict(attrs)
    return values


def gain(tables: xr.Dataset) -> xr.Dataset:
    """Return cumulative gains: recall against the fraction of examples predicted positive."""
    tp, fp, fn, tn = counts_of(tables)
    examples = tp + fp + fn + tn
    fraction = ((tp + fp) / examples).isel(bound=0, beta=0, drop=True)
    prevalence = ((tp + fn) / examples).isel({"bound": 0, axis_of(tables.dims): 0}, drop=True)
    gains = metric(tables, "recall").rename("gain").to_dataset().assign_attrs(tables.attrs)
    gains["gain"].attrs = {"long_name": "share of positives found"}
    aside = {"fraction": fraction.variable, "prevalence": prevalence.variable}
    if "interval_beta" in tables.coords:
        aside["interval_beta"] = tables["interval_beta"].variable
    return gains.assign_coords(aside)
