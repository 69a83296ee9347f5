"""A Dataset from anywhere -> tables and curves as they were made, or what is wrong with them.

Files, joins and selections change dtypes, lose labels and leave dimensions empty. This is the one
place that says so: all questions to tables come through it.
"""

from collections.abc import Hashable

import numpy as np
import xarray as xr

from pu_accessor.datasets.schema import (
    AXIS,
    BOUND,
    COUNTS,
    ENVELOPE,
    INTERVAL,
    RATES,
    SIDES,
    VARIABLES,
)
from pu_accessor.errors import PUTypeError, PUValueError

_LABELED = ("bound", "beta", "fpr_grid", "recall_grid", "envelope")
_LABELS = {"bound": [*BOUND, *ENVELOPE], "envelope": [*SIDES]}
# From which dtypes each is cast; text is left as it is.
_CAST = {np.int64: "iufb", np.float64: "iufb", np.bool_: "iufbO"}


def read_dataset(dataset: xr.Dataset) -> xr.Dataset:
    """Read tables or curves that a user holds."""
    names = {*dataset.variables, *dataset.dims}
    counts = names & {*COUNTS}
    if 0 < len(counts) < len(COUNTS) or not names & {*COUNTS, *RATES, AXIS, "rank"}:
        return dataset
    _check_dims(dataset)
    _check_counts(dataset)
    if "interval_tp" in dataset.variables:
        _check_interval(dataset)
    changed: dict[Hashable, xr.Variable] = {}
    for name, variable in dataset.variables.items():
        if name in VARIABLES and (as_made := _read(str(name), variable)) is not None:
            changed[name] = as_made
    data = {name: variable for name, variable in changed.items() if name in dataset.data_vars}
    coords = {name: variable for name, variable in changed.items() if name not in data}
    tables = dataset.assign(data).assign_coords(coords) if changed else dataset
    _check_coordinates(tables)
    return tables


def read_values(dataset: xr.Dataset) -> xr.Dataset:
    """Read tables or curves for what needs all of their values, also where these are in chunks."""
    return read_dataset(dataset).compute()


def _read(name: str, variable: xr.Variable) -> xr.Variable | None:
    """Return a variable as it is made, or nothing where it is that already."""
    made = VARIABLES[name].dtype
    if made in _CAST and variable.dtype.kind not in _CAST[made]:
        raise PUTypeError(
            f"{name!r} must hold numbers, but its dtype is {variable.dtype}. Cast it first: "
            f"ds.assign({name}=ds[{name!r}].astype('float64'))."
        )
    wanted = variable.dtype
    if made is np.int64:
        wanted = np.dtype(np.float64 if variable.dtype.kind == "f" else np.int64)
    elif made is np.float64:
        wanted = np.dtype(np.float64)
    # Tables and curves stay in chunks, not what stands beside them.
    lazy = variable.chunks is not None and len(VARIABLES[name].dims) <= 1
    if variable.dtype == wanted and not lazy:
        return None
    as_made = variable.astype(wanted, copy=False)
    return as_made.compute() if lazy else as_made


def _check_dims(dataset: xr.Dataset) -> None:
    """Raise where a dimension is empty, or has lost its labels."""
    dims = dict.fromkeys(dim for array in dataset.data_vars.values() for dim in array.dims)
    if empty := [dim for dim in dims if not dataset.sizes[dim]]:
        raise PUValueError(
            f"The Dataset must hold a table or more, but its dimension {empty[0]!r} is empty. "
            "Look at what was selected along it.",
            page="results",
        )
    if lost := [dim for dim in dims if dim in _LABELED and dim not in dataset.coords]:
        raise PUValueError(
            f"The dimension {lost[0]!r} must have its labels, but they were dropped. Keep the "
            f"coordinate: ds.drop_vars({lost[0]!r}) takes it away."
        )
    for dim, labels in _LABELS.items():
        present = dataset[dim].values.tolist() if dim in dims else []
        if not {*present} <= {*labels} or len({*present}) < len(present):
            raise PUValueError(
                f"The labels of {dim!r} must be some of {labels}, each once, but are {present}."
            )


def _check_counts(dataset: xr.Dataset) -> None:
    """Raise where the counts do not stand over the same dimensions."""
    dims = {name: dataset[name].dims for name in COUNTS if name in dataset.data_vars}
    if len({frozenset(own) for own in dims.values()}) > 1:
        raise PUValueError(
            f"The counts must stand over the same dimensions, but stand over {dims}. Select from "
            "the whole Dataset, not from a variable."
        )


def _check_interval(dataset: xr.Dataset) -> None:
    """Raise where a part of the tables at betas within the interval is gone, or was changed."""
    parts = [*INTERVAL, "interval_beta"]
    if lost := [name for name in parts if name not in dataset.variables]:
        raise PUValueError(
            f"The tables at betas within the interval are not whole: {lost[0]!r} is missing. Keep "
            f"all of {parts}, or drop them: ds.drop_vars({[*INTERVAL]})."
        )
    sides = dataset.sizes.get("interval_bound", 1)
    if sides != len(SIDES):
        raise PUValueError(
            f"'interval_bound' must have {len(SIDES)} places, the lower and the upper bound, but "
            f"has {sides}. Keep both, or drop the interval: ds.drop_vars({[*INTERVAL]})."
        )
    came = sorted({"bound", "beta"} & {*dataset["interval_tp"].dims})
    if came or "beta" not in dataset.coords:
        raise PUValueError(
            "The tables at betas within the interval stand over interval_bound and "
            f"interval_beta, and the points over beta, but {came or ['beta']} "
            f"{'came' if came else 'went'}. Change the points alone, or drop the interval: "
            f"ds.drop_vars({[*INTERVAL]})."
        )


def _check_coordinates(tables: xr.Dataset) -> None:
    """Raise where cutoffs or known examples are those of other tables.

    Some ways to join keep the coordinates of the first table alone. Thresholds cannot be told from
    counts; but they go with the known examples at each cutoff, and these mostly can.
    """
    variables = tables.variables
    if not {*COUNTS} <= {*variables} or any(variables[n].chunks is not None for n in COUNTS):
        return
    tp, fp, fn, tn = (variables[name] for name in COUNTS)
    dims = {*tp.dims}
    wrong = []
    if "rank" not in tables.dims and "rank" in variables and {*variables["rank"].dims} <= dims:
        wrong.append(tp + fp != variables["rank"])
    for above, below, kind in ((tp, fn, "known_positive"), (fp, tn, "known_negative")):
        names = kind, f"n_{kind}"
        if all(name in variables and {*variables[name].dims} <= dims for name in names):
            known, known_in_all = (variables[name] for name in names)
            wrong += [above < known, below < known_in_all - known]
    empty = (tp + fp).isnull()
    if any((differ & ~empty).any() for differ in wrong):
        raise PUValueError(
            "Cutoffs, thresholds or known examples are not those of the tables: joining may have "
            "kept those of the first alone. Join them with "
            "xr.concat([ds, ds], 'model', coords='different', compat='equals')."
        )
