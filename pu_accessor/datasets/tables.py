"""What is asked of contingency tables that stand in a Dataset: curves, metrics, areas, slopes."""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import partial
from math import floor
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.checks import as_array, check_share
from pu_accessor.datasets.schema import (
    COUNTS,
    CURVE_RATES,
    CUTOFF_DIM,
    TOTALS,
    VARIABLES,
    cutoff_dim,
    read_dataset,
    traces_in,
)
from pu_accessor.errors import PUKeyError, PUTypeError, PUValueError, brief
from pu_accessor.inference.metrics import AnyMetric, curve_rates, read_metric
from pu_accessor.inference.tables.contingency import Table
from pu_accessor.inference.tables.curves import Derivatives, Known, check_max_fpr
from pu_accessor.inference.tables.curves import area as area_under
from pu_accessor.inference.tables.curves import beta_derivatives as differentiate
from pu_accessor.ranking import FloatArray

_AREAS = {"roc": "AUROC", "pr": "area under the PR curve"}
# What bounds of an area are worth: whether each cutoff is bounded, or all of them jointly.
_PROMISE = {
    True: "the true area lies between the bounds with a probability of at least level",
    False: "none: bounds hold at each cutoff; for the area between them: band='simultaneous'",
}


def curve(tables: xr.Dataset, name: str) -> xr.Dataset:
    """Return the ROC or the precision-recall curve of each bound and beta."""
    if {*CURVE_RATES[name], *COUNTS} <= {*tables.data_vars}:  # as `tables_of` returns curves
        return tables[[*CURVE_RATES[name]]]
    tables = read_dataset(tables, "tables")
    tp, fp, fn, tn = (tables[count].variable for count in COUNTS)
    both = _lift(partial(curve_rates, name), (tp, fp, tp + fn, fp + tn), outputs=2)
    rates = {
        rate: values.transpose(*tp.dims)
        for rate, values in zip(CURVE_RATES[name], both, strict=True)
    }
    for rate, values in rates.items():
        values.attrs = dict(VARIABLES[rate].attrs)
    return xr.Dataset(rates, tables.coords, tables.attrs)


def tables_of(curves: xr.Dataset) -> xr.Dataset:
    """Return curves, as `curve` returns them, with the tables that they are of; tables as are."""
    names = traces_in(curves)
    if COUNTS[0] in curves or not names:
        return curves
    known, against, unlabeled = (curves[name] for name in TOTALS)
    positives = known + np.floor(curves["beta"] * unlabeled + 0.5)
    negatives = known + against + unlabeled - positives
    if names[0] == "roc":
        tp, fp = curves["tpr"] * positives, curves["fpr"] * negatives
    elif curves.attrs.get("contamination"):
        tp = curves["precision"] * curves["rank"]
        fp = curves["rank"] - tp
        positives = (tp / curves["recall"]).where(tp > 0, positives)
    else:
        tp = curves["recall"] * positives
        fp = (tp * (1 / curves["precision"] - 1)).where(tp > 0, curves["rank"])
    counts = dict(zip(COUNTS, (tp, fp, positives - tp, negatives - fp), strict=True))
    dims = curves[CURVE_RATES[names[0]][1]].dims
    return curves.assign(
        {name: (dims, count.transpose(*dims).data) for name, count in counts.items()}
    )


def metric(tables: xr.Dataset, metric: AnyMetric) -> xr.DataArray:
    """Evaluate a metric on each contingency table; a function of a user's in memory."""
    tables = read_dataset(tables, "tables")
    entry = read_metric(metric, None, "tables")
    counts = [tables[name].variable for name in COUNTS]
    if entry.is_function:  # it may return any dtype
        values = xr.apply_ufunc(entry, *(count.compute() for count in counts))
    else:
        values = _lift(entry, counts)
    placed = _put(values, tables["tp"]).rename(entry.name)
    placed.attrs = {**tables.attrs, "long_name": entry.name}
    return over_interval(placed)


def area(tables: xr.Dataset, metric: str, *, max_fpr: float | None = None) -> xr.DataArray:
    """Return the area under the curve of each bound and beta."""
    name = str(read_metric(metric, None, "area").curve)
    if max_fpr is not None and name != "roc":
        raise PUValueError(
            f"max_fpr must be None with {metric!r}, but {max_fpr!r} was passed. Only the ROC "
            "curve has a partial area: ds.pu.area('auroc', max_fpr=0.1)."
        )
    limit = check_max_fpr(max_fpr)
    tables = tables_of(read_dataset(tables, "whole"))
    axis = cutoff_dim(tables.dims)
    counts = [tables[count].variable for count in COUNTS]
    areas = _lift(partial(area_under, name, max_fpr=limit), counts, [[axis]] * len(counts))
    values = over_interval(_put(areas, tables["tp"].isel({axis: 0}))).rename("area")
    of_cutoffs = [name for name, coord in tables.coords.items() if axis in coord.dims]
    values = values.drop_vars(of_cutoffs)
    values.attrs = {
        **tables.attrs,
        "long_name": _AREAS[name],
        "promise": _PROMISE[tables.attrs.get("band") == "simultaneous"],
        **({} if limit is None else {"max_fpr": limit}),
    }
    return values


def over_interval(values: xr.DataArray) -> xr.DataArray:
    """Return values at the betas asked for, with bounds that hold all over the interval of beta."""
    inside = np.atleast_1d(values.coords.get("inside", False))
    bounds = np.ravel(values.coords.get("bound", [])).tolist()
    is_grid = {"bound", "beta"} <= {*values.dims} and {"lower", "upper"} <= {*bounds}
    if not is_grid or not inside.any() or inside.all():
        return values
    points = values.isel(beta=~inside).drop_vars("inside")
    # The naive beta, which is drawn beside the point, is none of the interval.
    is_naive = (values["beta"] == 0) & ~values["inside"] & (points.sizes["beta"] > 1)
    within = values.where(~is_naive)
    ends = within.sel(bound=["lower", "upper"])
    low, high = ends.min(["bound", "beta"]), ends.max(["bound", "beta"])
    # Of an error rate the lower bound on performance is the larger number.
    is_error = (within.sel(bound="upper") - within.sel(bound="lower")).sum() < 0
    limits = {"lower": high.where(is_error, low), "upper": low.where(is_error, high)}
    own = is_naive.isel(beta=~inside).drop_vars("inside")
    for side, end in limits.items():
        points = points.where((points["bound"] != side) | own, end)
    return points.transpose(*values.dims)


def _put(values: xr.Variable, place: xr.DataArray) -> xr.DataArray:
    """Put values in the place of others."""
    return place.copy(data=values.transpose(*place.dims).data)


def _lift(
    function: Callable[..., Any],
    arrays: Sequence[xr.Variable | xr.DataArray],
    core: Sequence[Sequence[str]] | None = None,
    outputs: int = 1,
) -> Any:
    """Apply a function of arrays that returns floats to Variables, or to each of their chunks."""
    return xr.apply_ufunc(
        function,
        *(array.variable if isinstance(array, xr.DataArray) else array for array in arrays),
        input_core_dims=core,
        output_core_dims=[[]] * outputs,
        dask="parallelized",
        output_dtypes=[np.float64] * outputs,
        dask_gufunc_kwargs={"allow_rechunk": True},
    )


# Slopes

_ROUNDED = 1  # by a half of an example, beta * unlabeled may be rounded otherwise
_NEEDED = (*COUNTS, "beta", "clipped", "reference", "known_positive", *TOTALS)


def beta_derivatives(tables: xr.Dataset) -> xr.Dataset:
    """Return the derivatives of rates and counts by beta at each cutoff."""
    tables = read_dataset(tables)
    _check_derivable(tables)
    above = tables["known_positive"]
    below = tables.coords.get("known_negative", above)  # unread where these were not asked for
    from_positives = tables["reference"] == "positives"
    if "tightest" in tables.coords:
        chosen = (tables["reference"] == "tightest") & (tables["tightest"] == "positives")
        from_positives = from_positives | chosen
    # Known examples with weights are no simple random sample.
    shared = (tables["bound"] == "estimate") & ("n_effective" not in tables.coords)
    clipped = tables["clipped"] == True  # noqa: E712 -- or missing
    known = [above, below, *(tables[name] for name in TOTALS), from_positives, shared]
    slopes = _lift(
        lambda *arrays: tuple(differentiate(Table(*arrays[:4]), arrays[4], Known(*arrays[5:]))),
        [*(tables[name] for name in COUNTS), clipped, *known],
        outputs=len(Derivatives._fields),
    )
    variables = {}
    for name, slope in zip(Derivatives._fields, slopes, strict=True):
        variables[name] = slope.transpose(*tables["tp"].dims)
        variables[name].attrs = {"long_name": f"derivative of {name} by β̂"}
    return tables.drop_vars([*tables.data_vars]).assign(variables)


def _check_derivable(tables: xr.Dataset) -> None:
    """Raise unless these are tables that say where they come from."""
    if missing := [name for name in _NEEDED if name not in tables.variables]:
        raise PUKeyError(
            f"The Dataset must hold contingency tables as they were made, {[*_NEEDED]}, but "
            f"{missing} are not among its variables. Ask for them first: "
            "df.pu.contingency(beta=0.3).pu.beta_derivatives().",
            page="tables",
        )
    wrong = tables.attrs.get("contamination", 0)
    if wrong or (tables["reference"] == "both").any():
        which = f"contamination={wrong:g}" if wrong else "reference='both'"
        raise PUValueError(
            "beta_derivatives needs bounds of one number of positives, from one kind of known "
            f"examples, but tables have {which}. Make them without it, or with "
            "reference='tightest'."
        )
    if np.ndim(tables["bound"]) != 1:
        raise PUValueError(
            "beta_derivatives needs the dimension bound. Select with a list, which keeps it: "
            "ds.sel(bound=['estimate'])."
        )
    # Each beta says how many positives there are; some ways to join keep the numbers of others.
    known, against, unlabeled = (tables[name] for name in TOTALS)
    latent = np.floor(tables["beta"] * unlabeled + 0.5)
    positives, negatives = known + latent, against + unlabeled - latent
    tp, fp, fn, tn = (tables[name] for name in COUNTS)
    if abs(tp + fn - positives).max() + abs(fp + tn - negatives).max() > _ROUNDED:
        raise PUValueError(
            f"The numbers of examples, {[*TOTALS]}, are not those of the tables: joining may "
            "have kept those of the first alone. Join them with "
            "xr.concat([ds, ds], 'model', coords='different', compat='equals')."
        )


# Rows

# No column or dimension of a user's is called so.
_NEW, _BETA, _WANTED = "__pu_new__", "__pu_beta__", "__pu_wanted__"
_NO_COORDINATE = "The Dataset must have the coordinate {!r}, but has none."


def to_frame(dataset: xr.Dataset) -> pd.DataFrame:
    """Return tables or curves as a long frame."""
    dataset = read_dataset(dataset, "cutoffs").compute()
    axis = cutoff_dim(dataset.dims)
    dims = next((v.dims for v in dataset.data_vars.values() if axis in v.dims), ())
    if axis not in (CUTOFF_DIM, *dataset.coords):
        raise PUKeyError(_NO_COORDINATE.format(axis))

    def is_aside(name: Hashable) -> bool:  # on axes of its own, or a number of the whole ranking
        number = name in VARIABLES and not VARIABLES[str(name)].dims
        return bool({*dataset[name].dims} - {*dims}) or (number and not dataset[name].dims)

    kept = dataset.drop_vars([name for name in dataset.variables if is_aside(name)])
    if "beta" in kept.dims and "beta" not in kept.indexes:  # one for each group: a column
        kept = kept.rename_dims(beta=_BETA)
    order = [_BETA if dim == "beta" and dim not in kept.dims else dim for dim in dims]
    flat = kept.assign_coords({_NEW: _is_new(dataset, axis)}).to_dataframe(order)
    twice = [name for name in flat.columns if name in flat.index.names]  # before xarray 2025.10
    flat = flat.drop(columns=twice).reset_index()
    flat = flat[flat[_NEW]].reset_index(drop=True)
    coords = [name for name in flat.columns if name not in (*kept.data_vars, _NEW, _BETA)]
    if axis == CUTOFF_DIM and "rank" in coords:  # stands where the dimension would
        coords.remove("rank")
        coords[coords.index(CUTOFF_DIM)] = "rank"
    return flat[[*(name for name in coords if name != CUTOFF_DIM), *kept.data_vars]]


def _is_new(dataset: xr.Dataset, axis: str) -> xr.DataArray:
    """Tell which cutoffs are no repeats of another, with which shorter rankings end."""
    if (
        axis == "rank"
        or "rank" not in dataset.variables
        or not dataset["rank"].attrs.get("n_cutoffs", 1)
    ):
        return xr.DataArray(np.ones(dataset.sizes[axis], dtype=bool), dims=axis)
    new: xr.DataArray = xr.apply_ufunc(
        lambda ranks: ~(pd.Series(ranks).duplicated() | np.isnan(ranks)).to_numpy(),
        xr.DataArray(dataset["rank"].variable),
        input_core_dims=[[axis]],
        output_core_dims=[[axis]],
        vectorize=True,
    )
    return new


# Cutoffs


def at(dataset: xr.Dataset, **wanted: Any) -> xr.Dataset:
    """Return the last cutoffs at or before some ranks, thresholds or fractions."""
    dataset = read_dataset(dataset, "cutoffs")
    axis = cutoff_dim(dataset.dims)
    passed = {name: value for name, value in wanted.items() if value is not None}
    if len(passed) != 1:
        raise PUTypeError(
            f"at takes one of rank, threshold and fraction, but {sorted(passed) or 'none'} was "
            "passed. For example ds.pu.at(rank=100)."
        )
    ((name, value),) = passed.items()
    goal = xr.Variable(_WANTED, _numbers(name, value))
    coordinate = "threshold" if name == "threshold" else "rank"
    if missing := [key for key in ("rank", coordinate) if key not in dataset.coords]:
        raise PUKeyError(_NO_COORDINATE.format(missing[0]))
    if name == "fraction":
        with np.errstate(invalid="ignore"):  # an empty place has no size
            goal = xr.apply_ufunc(_part, goal, _sizes(dataset, axis), vectorize=True)
    cutoffs = _last_reached(dataset, axis, coordinate, goal)
    plain = dataset.reset_index([name for name in ("rank",) if name in dataset.indexes])
    numbered = dataset if axis == CUTOFF_DIM else plain.rename_dims(rank=CUTOFF_DIM)
    selected = numbered.isel({CUTOFF_DIM: cutoffs})
    if axis == "rank" and {"tp", "fp"} <= {*selected.data_vars}:  # of shared ranks, not its own
        head = selected["tp"].variable + selected["fp"].variable
        own = head.isel(bound=0, beta=0, missing_dims="ignore").compute()  # the same of all
        whole = dataset["rank"].dtype.kind != "f" or not (dataset["rank"] % 1).any()
        selected = selected.assign_coords(rank=own.round() if whole else own)
    selected["rank"].attrs = {**dataset["rank"].attrs, "cutoffs": "selected", "n_cutoffs": 0}
    if np.ndim(value) == 0:
        return selected.isel({_WANTED: 0})
    return selected.rename_dims({_WANTED: CUTOFF_DIM})


def _last_reached(
    dataset: xr.Dataset, axis: str, coordinate: str, goal: xr.Variable
) -> xr.Variable:
    """Return the position of the last cutoff that a rank or threshold reaches, of each group."""
    points, rank = (dataset[name].variable.to_base_variable() for name in (coordinate, "rank"))
    reached = points >= goal if coordinate == "threshold" else points <= goal
    filled = rank.notnull().any(axis)  # noqa: PD004 -- a place that unstacking left empty is not
    if bool((filled & ~reached.any(axis)).any()):
        raise PUValueError(
            f"at must not lie before the first cutoff, but {goal.values.ravel()[:5].tolist()} was "
            f"passed for {coordinate}s from {points.values.ravel()[0]:g} on. Make tables from "
            "rank 0 on: ranks='breakpoints'."
        )
    if coordinate == "rank" and bool((goal > rank.max()).any()):
        raise PUValueError(
            f"at must not lie beyond the last rank, {int(rank.max())}, but "
            f"{goal.values.ravel()[:5].tolist()} was passed."
        )
    return xr.DataArray(rank).where(xr.DataArray(reached), -1).fillna(-1).argmax(axis).variable


def _part(share: float, size: float) -> float:
    """Return a share of some examples, in decimals as printed, rounded down."""
    return float(floor(Fraction(str(share)) * int(size))) if size == size else np.nan


def _sizes(dataset: xr.Dataset, axis: str) -> xr.Variable:
    """Return the number of examples of each ranking."""
    if all(name in dataset.coords for name in TOTALS):
        known, against, unlabeled = (dataset[name].variable for name in TOTALS)
        return known + against + unlabeled
    return dataset["rank"].variable.to_base_variable().max(axis)


def _numbers(name: str, value: Any) -> FloatArray:
    """Return what is wanted as numbers."""
    numbers = np.atleast_1d(as_array(value))
    if numbers.dtype.kind not in "iuf" or numbers.ndim > 1 or np.isnan(numbers).any():
        raise PUTypeError(
            f"at must be one {name} or an array of them, numbers below 2**64, but "
            f"{brief(value)} was passed."
        )
    if not numbers.size:
        raise PUValueError(f"at must hold one {name} or more, but nothing was passed.")
    for share in numbers.tolist() if name == "fraction" else ():
        check_share("fraction", share)
    return numbers
