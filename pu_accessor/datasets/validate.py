"""A Dataset from anywhere -> tables and curves as they were made, or what is wrong with them.

Files, joins and selections change dtypes, lose labels and leave dimensions empty. This is the one
place that says so: all questions to tables come through it.
"""

from collections.abc import Hashable

import numpy as np
import xarray as xr

from pu_accessor.datasets.beside import check_beside
from pu_accessor.datasets.beta_envelope import ENVELOPE
from pu_accessor.datasets.schema import AXIS, BOUND, COUNTS, INTERVAL, SIDES, VARIABLES
from pu_accessor.errors import PUTypeError, PUValueError

__all__ = ["read_dataset", "read_values"]

_RATES = ("fpr", "tpr", "recall", "precision", "rank_cdf")
_LABELED = ("bound", "beta", "fpr_grid", "recall_grid", "envelope")
_INTERVAL = (*INTERVAL, "interval_bound", "interval_beta")
_LABELS = {"bound": [*BOUND, *ENVELOPE], "interval_bound": [*SIDES], "envelope": [*SIDES]}
# From which dtypes each is cast; text is left as it is.
_CAST = {np.int64: "iufb", np.float64: "iufb", np.bool_: "iufbO"}


def read_dataset(dataset: xr.Dataset) -> xr.Dataset:
    """Read tables or curves that a user holds."""
    there = {*dataset.variables, *dataset.dims}
    counts = there & {*COUNTS}
    if 0 < len(counts) < len(COUNTS) or not there & {*COUNTS, *_RATES, AXIS, "rank"}:
        return dataset
    _check_dims(dataset)
    _check_together(dataset)
    changed: dict[Hashable, xr.Variable] = {}
    for name, variable in dataset.variables.items():
        if name in VARIABLES and (read := _read(str(name), variable)) is not None:
            changed[name] = read
    beside = {name: read for name, read in changed.items() if name in dataset.coords}
    counted = {name: read for name, read in changed.items() if name not in beside}
    tables = dataset.assign(counted).assign_coords(beside) if changed else dataset
    check_beside(tables)
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
    lazy = variable.chunks is not None and not _is_data(name)
    if variable.dtype == wanted and not lazy:
        return None
    found = variable.astype(wanted, copy=False)
    return found.compute() if lazy else found


def _is_data(name: str) -> bool:
    """Tell a table or a curve from what stands beside it."""
    return len(VARIABLES[name].dims) > 1


def _check_dims(dataset: xr.Dataset) -> None:
    """Raise where a dimension is empty, or has lost its labels."""
    dims: dict[Hashable, None] = {}
    for variable in dataset.data_vars.values():
        dims |= dict.fromkeys(variable.dims)
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
        there = dataset[dim].values.tolist() if dim in dims and dim in dataset.coords else []
        if not set(there) <= {*labels} or len(set(there)) < len(there):
            raise PUValueError(
                f"The labels of {dim!r} must be some of {labels}, each once, but are {there}."
            )


def _check_together(dataset: xr.Dataset) -> None:
    """Raise where variables that make a table together do not."""
    dims = {name: dataset[name].dims for name in COUNTS if name in dataset.data_vars}
    if len({frozenset(some) for some in dims.values()}) > 1:
        raise PUValueError(
            f"The counts must stand over the same dimensions, but stand over {dims}. Select from "
            "the whole Dataset, not from a variable."
        )
    there = [name for name in _INTERVAL if name in dataset.variables]
    if "interval_tp" in there and len(there) < len(_INTERVAL):
        lost = [name for name in _INTERVAL if name not in there]
        raise PUValueError(
            f"The tables at betas within the interval are not whole: {lost[0]!r} is missing. Keep "
            f"all of {[*_INTERVAL]}, or drop them: ds.drop_vars({there})."
        )
    if "interval_tp" in there:
        twice = {"bound", "beta"} & {*dataset["interval_tp"].dims}
        if twice or "beta" not in dataset.coords:
            raise PUValueError(
                "The tables at betas within the interval stand over interval_bound and "
                f"interval_beta, and the points over beta, but {sorted(twice) or ['beta']} "
                f"{'came' if twice else 'went'}. Change the points alone, or drop the interval: "
                f"ds.drop_vars({there})."
            )
