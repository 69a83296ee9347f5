"""Tables or curves in a Dataset -> long frames, and the cutoffs at some ranks or thresholds."""

from collections.abc import Hashable, Mapping
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.checks import as_array, check_share
from pu_accessor.datasets.schema import AXIS, TOTALS, VARIABLES, axis_of
from pu_accessor.errors import PUKeyError, PUTypeError, PUValueError, brief
from pu_accessor.ranking import FloatArray

__all__ = ["at_cutoffs", "to_frame"]


def to_frame(dataset: xr.Dataset) -> pd.DataFrame:
    """Return tables or curves as a long frame."""
    axis = axis_of(dataset.dims)
    dims = next(
        (variable.dims for variable in dataset.data_vars.values() if axis in variable.dims), None
    )
    if dims is None:
        raise PUKeyError(
            f"The Dataset must hold tables or curves over {axis}, but its variables are "
            f"{list(dataset.data_vars)}.",
            page="results",
        )
    if axis not in (AXIS, *dataset.coords):
        raise PUKeyError(_NO_COORDINATE.format(axis))
    aside = [name for name in dataset.variables if _is_aside(dataset, name, dims)]
    kept = dataset.drop_vars(aside)
    if "beta" in kept.dims and "beta" not in kept.indexes:  # one for each group: a column
        kept = kept.rename_dims(beta=_BETA)
    order = [_BETA if dim == "beta" and dim not in kept.dims else dim for dim in dims]
    flat = kept.assign_coords({_NEW: _is_new(dataset, axis)}).to_dataframe(order)
    twice = [name for name in flat.columns if name in flat.index.names]  # before xarray 2025.10
    flat = flat.drop(columns=twice).reset_index()
    flat = flat[flat[_NEW]].reset_index(drop=True)
    left_out = [_NEW, _BETA, AXIS]
    where = [name for name in flat.columns if name not in [*kept.data_vars, *left_out]]
    if axis == AXIS and "rank" in where:  # where the dimension would stand
        where.remove("rank")
        where.insert(where.index("bound") if "bound" in where else 0, "rank")
    return flat[[*where, *kept.data_vars]]


_NO_COORDINATE = "The Dataset must have the coordinate {!r}, but has none."
# No column or dimension of a user's is called so.
_NEW, _BETA, _WANTED = "__pu_new__", "__pu_beta__", "__pu_wanted__"


def _is_aside(dataset: xr.Dataset, name: Hashable, dims: tuple[Hashable, ...]) -> bool:
    """Tell whether a variable stands on axes of its own, or is a number of the whole ranking."""
    number = name in VARIABLES and not VARIABLES[str(name)].dims
    return bool(set(dataset[name].dims) - set(dims)) or (number and not dataset[name].dims)


def _is_new(dataset: xr.Dataset, axis: str) -> xr.DataArray:
    """Tell which cutoffs are no repeats of the one before, with which shorter rankings end."""
    everywhere = xr.ones_like(dataset[axis], dtype=bool)
    if axis == "rank" or "rank" not in dataset.coords or not dataset.coords.get("n_cutoffs", 1):
        return everywhere.drop_vars(list(everywhere.coords))
    rank = dataset["rank"]
    before = rank.shift({axis: 1}, fill_value=-1)
    return ((rank != before) & rank.notnull()).drop_vars(list(rank.coords))  # noqa: PD004


def at_cutoffs(dataset: xr.Dataset, wanted: Mapping[str, Any]) -> xr.Dataset:
    """Return the last cutoffs at or before some ranks, thresholds or fractions."""
    axis = axis_of(dataset.dims)
    given = {name: value for name, value in wanted.items() if value is not None}
    if len(given) != 1:
        raise PUTypeError(
            f"at takes one of rank, threshold and fraction, but {sorted(given) or 'none'} was "
            "passed. For example ds.pu.at(rank=100)."
        )
    ((name, value),) = given.items()
    numbers = _numbers(name, value)
    coordinate = "threshold" if name == "threshold" else "rank"
    if missing := [key for key in ("rank", coordinate) if key not in dataset.coords]:
        raise PUKeyError(_NO_COORDINATE.format(missing[0]))
    goal = xr.DataArray(numbers, dims=_WANTED)
    if name == "fraction":
        with np.errstate(invalid="ignore"):  # an empty place has no size
            goal = xr.apply_ufunc(_part, goal, _sizes(dataset, axis), vectorize=True)
    places = _last_reached(dataset, axis, coordinate, goal)
    numbered = dataset if axis == AXIS else _unindexed(dataset)
    found = numbered.isel({AXIS: places.variable})
    found = found.assign_coords(n_cutoffs=np.int64(0), all_cutoffs=np.bool_(False))
    if axis == "rank" and {"tp", "fp"} <= set(found.data_vars):  # of shared ranks, not its own
        own = (found["tp"] + found["fp"]).isel(bound=0, beta=0, missing_dims="ignore")
        found = found.assign_coords(rank=own.variable.compute())
    if np.ndim(value) == 0:
        return found.isel({_WANTED: 0})
    return found.rename_dims({_WANTED: AXIS})


def _last_reached(
    dataset: xr.Dataset, axis: str, coordinate: str, goal: xr.DataArray
) -> xr.DataArray:
    """Return the position of the last cutoff that a rank or threshold reaches, of each group."""
    bare = {name: dataset[name].variable for name in {"rank", coordinate}}
    points, rank = (xr.DataArray(bare[name]) for name in (coordinate, "rank"))
    reached = points >= goal if coordinate == "threshold" else points <= goal
    there = rank.notnull().any(axis)  # noqa: PD004 -- a place that unstacking left empty has none
    if bool((there & ~reached.any(axis)).any()):
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
    return rank.where(reached, -1).fillna(-1).argmax(axis)


def _part(share: float, size: float) -> float:
    """Return a share of some examples, in decimals as printed, rounded down."""
    return float(floor(Fraction(str(share)) * int(size))) if size == size else np.nan


def _sizes(dataset: xr.Dataset, axis: str) -> xr.DataArray:
    """Return the number of examples of each ranking."""
    if all(name in dataset.coords for name in TOTALS):
        known, against, unlabeled = (dataset[name] for name in TOTALS)
        total = known + against + unlabeled
    else:
        total = dataset["rank"].max(axis)
    return total.drop_vars(list(total.coords))


def _unindexed(dataset: xr.Dataset) -> xr.Dataset:
    """Return a Dataset over shared ranks as one over cutoffs."""
    return dataset.reset_index("rank").rename_dims(rank=AXIS)


def _numbers(name: str, value: Any) -> FloatArray:
    """Return what is wanted as numbers."""
    numbers = np.atleast_1d(as_array(value))
    if numbers.dtype.kind not in "iuf" or numbers.ndim > 1 or np.isnan(numbers).any():
        raise PUTypeError(
            f"{name} must be a number or a one-dimensional array of numbers, but "
            f"{brief(value)} was passed."
        )
    if not numbers.size:
        raise PUValueError(f"{name} must hold one number or more, but nothing was passed.")
    if name == "fraction":
        for share in numbers.tolist():
            check_share("fraction", share)
    return numbers
