"""Compute curves, metrics, areas and slopes of contingency tables in a Dataset."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.datasets.schema import (
    COUNTS,
    CURVE_RATES,
    CUTOFF_DIM,
    INCONSISTENT,
    TOTALS,
    VARIABLES,
    cutoff_dim,
    read_dataset,
)
from pu_accessor.errors import PUKeyError, PUValueError
from pu_accessor.inference.curves import (
    average_precision_of_table,
    check_max_fpr,
    curve_rates,
    roc_area,
)
from pu_accessor.inference.metric_entry import AnyMetric
from pu_accessor.inference.metrics import read_metric

_AREAS = {"roc": "AUROC", "pr": "average precision"}
_PROMISE = {  # of bounds of an area, by whether the band is simultaneous
    True: "the true area lies between the bounds with a probability of at least level",
    False: "none: bounds hold at each cutoff; for the area between them: band='simultaneous'",
}


def curve(tables: xr.Dataset, name: str) -> xr.Dataset:
    """Return tables with the ROC or the precision-recall curve of each bound and beta."""
    tables = read_dataset(tables, "tables")
    counts = [unrounded(tables)[count].variable for count in COUNTS]
    both = _apply(partial(curve_rates, name), counts, outputs=2)
    rates = {}
    for rate, values in zip(CURVE_RATES[name], both, strict=True):
        rates[rate] = values.transpose(*tables["tp"].dims)
        rates[rate].attrs = dict(VARIABLES[rate].attrs)
    return tables.assign(rates)[[*rates, *tables.data_vars]]


def unrounded(tables: xr.Dataset) -> xr.Dataset:
    """Return tables with the counts that were rounded to whole examples."""
    if "rounding" not in tables:
        return tables
    signs = zip(COUNTS, (1, -1, -1, 1), strict=True)
    rounding = tables["rounding"].variable
    counts = {name: tables[name].variable + sign * rounding for name, sign in signs}
    return tables.assign(counts).drop_vars("rounding")


def metric(tables: xr.Dataset, metric: AnyMetric) -> xr.DataArray:
    """Return a metric of each contingency table; a function of a user is applied in memory."""
    tables = read_dataset(tables, "tables")
    entry = read_metric(metric, "tables")
    counts = [tables[name].variable for name in COUNTS]
    if entry.is_function:  # it may return any dtype
        computed = xr.apply_ufunc(entry, *(count.compute() for count in counts))
    else:
        computed = _apply(entry, counts)
    values = _replace_values(tables["tp"], computed).rename(entry.name)
    values.attrs = {**tables.attrs, "long_name": entry.name}
    return bound_over_interval(values)


def area(tables: xr.Dataset, metric: str, *, max_fpr: float | None = None) -> xr.DataArray:
    """Return the area under the curve of each bound and beta."""
    name = str(read_metric(metric, "area").curve)
    if max_fpr is not None and name != "roc":
        raise PUValueError(
            f"max_fpr must be None with {metric!r}, but {max_fpr!r} was passed. Only the ROC "
            "curve has a partial area: ds.pu.area('auroc', max_fpr=0.1)."
        )
    limit = check_max_fpr(max_fpr)
    tables = unrounded(read_dataset(tables, "whole"))
    axis = cutoff_dim(tables.dims)
    counts = [tables[count].variable for count in COUNTS]
    if name == "roc":
        areas = _apply(partial(roc_area, max_fpr=limit), counts, [[axis]] * len(counts))
    else:
        areas = _average_precision(tables, counts, axis)
    values = _replace_values(tables["tp"].isel({axis: 0}), areas).rename("area")
    of_cutoffs = [name for name, coord in tables.coords.items() if axis in coord.dims]
    values = bound_over_interval(values).drop_vars(of_cutoffs)
    values.attrs = {
        **tables.attrs,
        "long_name": _AREAS[name],
        "promise": _PROMISE[tables.attrs.get("band") == "simultaneous"],
        **({} if limit is None else {"max_fpr": limit}),
    }
    return values


def _average_precision(
    tables: xr.Dataset, counts: Sequence[xr.Variable], axis: str
) -> xr.Variable:
    """Return average precision: of labelings, and the extremes that bounds allow."""
    known = ("known_positive", "unlabeled")
    if missing := [name for name in known if name not in tables.coords]:
        raise PUKeyError(
            f"Average precision needs the coordinates {[*known]}, but {missing} are missing. Keep "
            "those of df.pu.contingency(0.3)."
        )
    bound = tables.coords.get("bound", xr.DataArray("estimate"))
    side = (bound == "upper").astype(np.int64) - (bound == "lower")
    arrays = [side, *counts[:3], *(tables[name] for name in known)]
    core = [[], *[[axis]] * (len(arrays) - 1)]
    averages: xr.Variable = _apply(average_precision_of_table, arrays, core, vectorize=True)
    if bound.ndim and "estimate" in bound:
        # It can lie outside, as it takes unlabeled ties in any order.
        middle = averages.isel(bound=bound.to_numpy().tolist().index("estimate"))
        ends = np.minimum(averages, middle), np.maximum(averages, middle)
        for sign, end in zip((-1, 1), ends, strict=True):
            averages = averages.where(side.variable != sign, end)  # type: ignore[no-untyped-call]
    return averages


def bound_over_interval(values: xr.DataArray) -> xr.DataArray:
    """Return values with bounds for all betas of an interval, if there is one."""
    inside = np.atleast_1d(values.coords.get("inside", False))
    bounds = np.ravel(values.coords.get("bound", [])).tolist()
    is_grid = {"bound", "beta"} <= {*values.dims} and {"lower", "upper"} <= {*bounds}
    if not is_grid or not inside.any() or inside.all():
        return values
    points = values.isel(beta=~inside).drop_vars("inside")
    # The naive beta is drawn in addition, and is not in the interval.
    is_naive = (values["beta"] == 0) & ~values["inside"] & (points.sizes["beta"] > 1)
    in_interval = values.where(~is_naive)
    ends = in_interval.sel(bound=["lower", "upper"])
    low, high = ends.min(["bound", "beta"]), ends.max(["bound", "beta"])
    # Of an error rate the lower bound on performance is the larger number.
    is_error = (in_interval.sel(bound="upper") - in_interval.sel(bound="lower")).sum() < 0
    limits = {"lower": high.where(is_error, low), "upper": low.where(is_error, high)}
    keeps_own = is_naive.isel(beta=~inside).drop_vars("inside")
    for side, limit in limits.items():
        points = points.where((points["bound"] != side) | keeps_own, limit)
    return points.transpose(*values.dims)


def _replace_values(array: xr.DataArray, values: xr.Variable) -> xr.DataArray:
    """Return an array with other values of the same dimensions."""
    return array.copy(data=values.transpose(*array.dims).data)


def _apply(
    function: Callable[..., Any],
    arrays: Sequence[xr.Variable],
    core: Sequence[Sequence[str]] | None = None,
    outputs: int = 1,
    **options: Any,
) -> Any:
    """Apply a function that returns floats to variables of one Dataset, or to their chunks."""
    return xr.apply_ufunc(
        function,
        *arrays,
        input_core_dims=core,
        output_core_dims=[[]] * outputs,
        dask="parallelized",
        output_dtypes=[np.float64] * outputs,
        dask_gufunc_kwargs={"allow_rechunk": True},
        **options,
    )


_MAX_ROUNDING = 1  # beta * unlabeled may be rounded up or down
_NEEDED = (*COUNTS, "beta", "bound", "clipped", "reference", "known_positive", *TOTALS)


def beta_derivatives(tables: xr.Dataset) -> xr.Dataset:
    """Return the derivatives of rates and counts by beta at each cutoff."""
    tables = read_dataset(tables)
    _check_derivable(tables)
    tp, fp, fn, tn = (tables[name].astype(np.float64) for name in COUNTS)
    positives, negatives, reference = tp + fn, fp + tn, tables["reference"]
    chosen = reference.where(reference != "tightest", tables.coords.get("tightest", reference))
    is_of = chosen == "positives"
    # [C15], Appendix B, corrected: the share of hidden examples above the cutoff is fixed, so all
    # counts are linear in beta.
    count, whole = tp.where(is_of, fp), positives.where(is_of, negatives)
    above = tables["known_positive"].where(is_of, tables.coords.get("known_negative", 0))
    known = tables["n_known_positive"].where(is_of, tables["n_known_negative"])
    share = (count - above) / (whole - known).where(whole > known)
    # If nothing is hidden, the estimate is the share of known examples above, unless these have
    # weights and are no simple random sample.
    is_of_known = (tables["bound"] == "estimate") & ("n_effective" not in tables.coords)
    share = share.where(~is_of_known | (whole != known), above / known.where(known > 0))
    slopes = {
        "tpr": (share * positives - tp) / positives.where(positives > 0) ** 2,
        "fpr": (fp - share * negatives) / negatives.where(negatives > 0) ** 2,
        "precision": (share / (tp + fp)).where(tp + fp > 0, 0),
        **{"tp": share, "fp": -share, "fn": 1 - share, "tn": share - 1},
    }
    is_fixed = tables["clipped"] == True  # noqa: E712 -- or missing
    variables = {}
    for name, slope in slopes.items():
        by_beta = (slope * tables["n_unlabeled"]).where(~is_fixed, 0).variable
        variables[name] = by_beta.transpose(*tables["tp"].dims)
        variables[name].attrs = {"long_name": f"derivative of {name} by β̂"}
    return tables.drop_vars([*tables.data_vars]).assign(variables)


def _check_derivable(tables: xr.Dataset) -> None:
    """Raise unless tables have all variables and numbers that derivatives need."""
    if missing := [name for name in _NEEDED if name not in tables.variables]:
        raise PUKeyError(
            f"The Dataset must contain unchanged contingency tables, {[*_NEEDED]}, but {missing} "
            "are not among its variables. Make them first: "
            "df.pu.contingency(beta=0.3).pu.beta_derivatives()."
        )
    if contamination := tables.attrs.get("contamination", 0):
        raise PUValueError(
            "beta_derivatives needs bounds of one number of positives, but tables have "
            f"contamination={contamination:g}. Make them without it."
        )
    # Joining may keep the numbers of examples of other tables.
    known, known_negative, unlabeled = (tables[name] for name in TOTALS)
    hidden = np.floor(tables["beta"] * unlabeled + 0.5)
    positives, negatives = known + hidden, known_negative + unlabeled - hidden
    tp, fp, fn, tn = (tables[name] for name in COUNTS)
    if abs(tp + fn - positives).max() + abs(fp + tn - negatives).max() > _MAX_ROUNDING:
        raise PUValueError(INCONSISTENT)


_BETA_DIM = "__pu_beta__"  # a name that no dimension of a user has
_OF_RANKING = [name for name, spec in VARIABLES.items() if not spec.dims]


def to_frame(dataset: xr.Dataset) -> pd.DataFrame:
    """Return tables or curves as a long frame."""
    dataset = read_dataset(dataset, "cutoffs").compute()
    axis = cutoff_dim(dataset.dims)
    if axis not in (CUTOFF_DIM, *dataset.coords):
        raise PUKeyError(f"The Dataset must have the coordinate {axis!r}, but has none.")
    dims = next(array.dims for array in dataset.data_vars.values() if axis in array.dims)
    others = {name for name, one in dataset.variables.items() if not {*one.dims} <= {*dims}}
    others |= {name for name in _OF_RANKING if name in dataset and not dataset[name].dims}
    kept = dataset.drop_vars(others)
    if "beta" in dims and "beta" not in kept.indexes:  # one for each group: a column
        kept = kept.rename_dims(beta=_BETA_DIM)
    rows = kept.to_dataframe([dim if dim in kept.dims else _BETA_DIM for dim in dims])
    repeated = {*rows.columns} & {*rows.index.names}  # xarray < 2025.10
    rows = rows.drop(columns=repeated).reset_index()
    if axis == CUTOFF_DIM and "rank" in rows:  # it replaces the dimension
        rows = rows.assign(cutoff=rows.pop("rank")).rename(columns={CUTOFF_DIM: "rank"})
        # Shorter rankings repeat their last cutoff; unstacking fills in NaN.
        rows = rows.dropna(subset="rank").drop_duplicates(ignore_index=True)
    coords = [name for name in rows if name not in (*kept.data_vars, CUTOFF_DIM, _BETA_DIM)]
    return rows[[*coords, *kept.data_vars]]
