"""What the variables of our Datasets are called and mean, and what is wrong with those of a user.

Files, joins and selections change dtypes, lose labels and leave dimensions empty: all questions to
tables come through `read_dataset`.
"""

from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from pu_accessor.errors import PUKeyError, PUTypeError, PUValueError

# The dimension of the cutoffs. It is called "rank" where all rankings have the same ranks.
AXIS = "cutoff"
COUNTS = ("tp", "fp", "fn", "tn")
RATES = ("fpr", "tpr", "recall", "precision", "rank_cdf")
TOTALS = ("n_known_positive", "n_known_negative", "n_unlabeled")
# Data at betas within an interval, where there is one: bounds of the true positives along
# "interval_bound", the lower one first.
INTERVAL = ("interval_tp", "interval_positives", "interval_kinks")
# The rates that a curve is drawn of, and where its envelope stands.
TRACES = {
    "roc": ("fpr", "tpr", "fpr_grid", "tpr_envelope"),
    "pr": ("recall", "precision", "recall_grid", "precision_envelope"),
}
# Bounds that an interval of beta adds to metrics and areas.
ENVELOPE = ("envelope_lower", "envelope_upper")
# Labels of any text length: Zarr stores them.
BOUND = np.array(["lower", "estimate", "upper"], dtype=object)
SIDES = np.array(["lower", "upper"], dtype=object)


class Meaning(NamedTuple):
    """What a variable stands over, its attributes, and the dtype it is made with."""

    dims: tuple[str, ...] = ()
    attrs: Mapping[str, str] = MappingProxyType({})
    dtype: type = np.float64


def _examples(name: str, *dims: str) -> Meaning:
    return Meaning(dims, {"long_name": name, "units": "examples"}, np.int64)


_TABLE = (AXIS, "bound", "beta")

VARIABLES: Mapping[str, Meaning] = {
    "tp": _examples("true positives", *_TABLE),
    "fp": _examples("false positives", *_TABLE),
    "fn": _examples("false negatives", *_TABLE),
    "tn": _examples("true negatives", *_TABLE),
    "clipped": Meaning(
        _TABLE, {"long_name": "band and beta are infeasible at this cutoff"}, np.bool_
    ),
    "fpr": Meaning(_TABLE, {"long_name": "false positive rate"}),
    "tpr": Meaning(_TABLE, {"long_name": "true positive rate"}),
    "recall": Meaning(_TABLE, {"long_name": "recall"}),
    "precision": Meaning(_TABLE, {"long_name": "precision"}),
    "rank_cdf": Meaning(_TABLE, {"long_name": "share of positives at or above the cutoff"}),
    "rank": Meaning((AXIS,), {"long_name": "examples predicted positive"}, np.int64),
    "bound": Meaning(("bound",), dtype=np.str_),
    "beta": Meaning(("beta",), {"long_name": "β̂"}),
    "threshold": Meaning((AXIS,), {"long_name": "lowest score predicted positive"}),
    "known_positive": Meaning((AXIS,), {"units": "examples"}, np.int64),
    "known_negative": Meaning((AXIS,), {"units": "examples"}, np.int64),
    "reference": Meaning(dtype=np.str_),
    "tightest": Meaning(("beta",), dtype=np.str_),
    "local_alpha": Meaning(("beta",)),
    **{name: Meaning(dtype=np.int64) for name in (*TOTALS, "n_cutoffs")},
    "n_effective": Meaning(),
    "beta_limit": Meaning(),
    "all_cutoffs": Meaning(dtype=np.bool_),
    "interval_tp": _examples(
        "true positives at betas within the interval", AXIS, "interval_bound", "interval_beta"
    ),
    "interval_positives": Meaning(("interval_beta",), {"units": "examples"}, np.int64),
    "interval_kinks": _examples(
        "true positives, and positives, where bounds bend between these betas",
        *(AXIS, "interval_bound", "interval_kink", "interval_count"),
    ),
    "interval_beta": Meaning(("interval_beta",)),
    "tpr_envelope": Meaning(("fpr_grid", "envelope"), {"long_name": "tpr, while beta varies"}),
    "precision_envelope": Meaning(
        ("recall_grid", "envelope"), {"long_name": "precision, while beta varies"}
    ),
    "fpr_grid": Meaning(("fpr_grid",)),
    "recall_grid": Meaning(("recall_grid",)),
    "envelope": Meaning(("envelope",), dtype=np.str_),
}


def axis_of(dims: Any) -> str:
    """Return the dimension of the cutoffs."""
    names = list(dims)
    for axis in (AXIS, "rank"):
        if axis in names:
            return axis
    raise PUKeyError(
        "The Dataset must hold tables or curves over the dimension rank or cutoff, but its "
        f"dimensions are {names}. Ask for them first: df.pu.contingency(beta=0.3); and select "
        "with lists, which keep dimensions.",
        page="tables",
    )


def counts_of(tables: xr.Dataset) -> tuple[xr.DataArray, ...]:
    """Return tp, fp, fn and tn, or say that these are no tables."""
    missing = [name for name in COUNTS if name not in tables.data_vars]
    if missing:
        raise PUKeyError(
            f"The Dataset must hold contingency tables, variables {[*COUNTS]}, but {missing} "
            f"are not among its {list(tables.data_vars)}. Ask for them first: "
            "df.pu.contingency(beta=0.3); from samples: ds.pu(score='score', "
            "label='label', dim='sample').contingency(beta=0.3).",
            page="tables",
        )
    return tuple(tables[name] for name in COUNTS)


def is_whole(tables: xr.Dataset) -> bool:
    """Tell whether tables trace curves from end to end: the one place that decides."""
    if not any(tables.sizes.get(axis) for axis in (AXIS, "rank")):
        return False
    axis = axis_of(tables.dims)
    first, last = {axis: 0}, {axis: -1}
    # A place that unstacking left empty has no ends: NaN is not above 0. Without indexes to align.
    tp, fp, fn, tn = (tables[name].variable for name in COUNTS)
    start, end = tp.isel(first) + fp.isel(first), fn.isel(last) + tn.isel(last)
    one = {"bound": 0, "beta": 0}  # a cutoff has as many examples at each
    head = tp.isel(one, missing_dims="ignore") + fp.isel(one, missing_dims="ignore")
    if is_on_new(tables) and {*TOTALS, "rank"} <= {*tables.variables}:  # limits are no table
        head = tables["rank"].variable
        start = head.isel(first)
        end = sum(tables[name].variable for name in TOTALS) - head.isel(last)
    if (start > 0).any() or (end > 0).any():
        return False
    steps = head.isel({axis: slice(1, None)}) - head.isel({axis: slice(None, -1)})
    ranks = tables.indexes.get("rank")
    if (steps < 0).any() or (ranks is not None and not ranks.is_unique):
        return False
    if axis == AXIS:  # repeats stand at the end alone
        still, moving = steps.isel({axis: slice(None, -1)}), steps.isel({axis: slice(1, None)})
        if ((still == 0) & (moving > 0)).any():
            return False
    size = tables.sizes[axis]
    return bool((tables.coords.get("n_cutoffs", np.int64(size)) == size).all())


def check_whole(tables: xr.Dataset) -> None:
    """Raise unless tables trace curves from end to end."""
    if is_whole(tables):
        return
    ranks = np.ravel(tables["rank"].values) if "rank" in tables.coords else np.array([])
    raise PUValueError(
        "Whole curves need the tables of all cutoffs or breakpoints in their order, but these are "
        f"a selection of {ranks.size} ranks ({', '.join(map(str, ranks[:3]))}, ...). Make them "
        "with ranks='breakpoints', and select after taking areas.",
        page="tables",
    )


def check_thresholds(tables: xr.Dataset) -> None:
    """Raise unless the thresholds of all cutoffs are known."""
    every = bool(np.all(tables.coords.get("all_cutoffs", True)))
    if not (every and is_whole(tables) and "threshold" in tables.coords):
        raise PUValueError(
            "x='threshold' needs the tables of all cutoffs and their thresholds, but some are "
            "missing. Make them with ranks='all', and select after drawing."
        )


def check_negatives(tables: xr.Dataset) -> None:
    """Raise where there is no false positive rate."""
    if "beta" not in tables.dims:
        return  # said better by what follows
    first = tables.isel({axis_of(tables.dims): 0})
    dims = [dim for dim in first["fp"].dims if dim != "beta"]
    empty = (first["fp"] + first["tn"] == 0).any(dims)
    if empty.any():
        betas = tables["beta"].to_numpy()[..., empty]
        raise PUValueError(
            f"An ROC curve needs negatives, but at beta = {betas.tolist()} there are none. Pass a "
            "smaller beta, or draw the precision-recall curve: plot_pr.",
            page="beta#too-high",
        )


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
    if not is_on_new(tables):
        _check_coordinates(tables)
    return tables


def is_on_new(tables: xr.Dataset) -> bool:
    """Tell whether tables are of new examples: at a bound each limit is attained, not together."""
    return bool(tables.attrs.get("target") == "population")


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
            page="tables",
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
    if "interval_beta" not in dataset["interval_tp"].dims:
        along = str(dataset["interval_beta"].dims[0])
        raise PUValueError(
            f"interval_beta must not be stacked, but went into {along!r}. Unstack it first: "
            f"ds.unstack({along!r}); or drop the interval: ds.drop_vars({[*INTERVAL]})."
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
    kinds = ((tp, fn, "known_positive"), (fp, tn, "known_negative"))
    # Where some may be wrong, known positives are false positives, too.
    for above, below, kind in kinds[1:] if tables.attrs.get("contamination") else kinds:
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
