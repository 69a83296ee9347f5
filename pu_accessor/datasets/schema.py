"""What the variables of our Datasets are called and mean, and what is wrong with those of a user.

Files, joins and selections change dtypes, lose labels and leave dimensions empty: all questions to
tables come through `read_dataset`.
"""

from collections.abc import Hashable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from pu_accessor.errors import PUError, PUKeyError, PUTypeError, PUValueError

# The dimension of the cutoffs. It is called "rank" where all rankings have the same ranks.
CUTOFF_DIM = "cutoff"
COUNTS = ("tp", "fp", "fn", "tn")
CURVE_RATES = {"roc": ("fpr", "tpr"), "pr": ("recall", "precision")}  # of which a curve is drawn
RATES = (*CURVE_RATES["roc"], *CURVE_RATES["pr"], "rank_cdf")
TOTALS = ("n_known_positive", "n_known_negative", "n_unlabeled")
# Labels of any text length: Zarr stores them.
BOUND = np.array(["lower", "estimate", "upper"], dtype=object)


class Meaning(NamedTuple):
    """What a variable stands over, its attributes, and the dtype it is made with."""

    dims: tuple[str, ...] = ()
    attrs: Mapping[str, str] = MappingProxyType({})
    dtype: type = np.float64


TABLE = (CUTOFF_DIM, "bound", "beta")


def _of_tables(name: str, dtype: type = np.float64, **attrs: str) -> Meaning:
    return Meaning(TABLE, {"long_name": name, **attrs}, dtype)


VARIABLES: Mapping[str, Meaning] = {
    "tp": _of_tables("true positives", np.int64, units="examples"),
    "fp": _of_tables("false positives", np.int64, units="examples"),
    "fn": _of_tables("false negatives", np.int64, units="examples"),
    "tn": _of_tables("true negatives", np.int64, units="examples"),
    "clipped": _of_tables("band and beta are infeasible at this cutoff", np.bool_),
    "fpr": _of_tables("false positive rate"),
    "tpr": _of_tables("true positive rate"),
    "recall": _of_tables("recall"),
    "precision": _of_tables("precision"),
    "rank_cdf": _of_tables("share of positives at or above the cutoff"),
    "rank": Meaning((CUTOFF_DIM,), {"long_name": "examples predicted positive"}, np.int64),
    "bound": Meaning(("bound",), dtype=np.str_),
    "beta": Meaning(("beta",), {"long_name": "β̂"}),
    "inside": Meaning(
        ("beta",), {"long_name": "beta is asked for the ends of its interval alone"}, np.bool_
    ),
    "threshold": Meaning((CUTOFF_DIM,), {"long_name": "lowest score predicted positive"}),
    "known_positive": Meaning((CUTOFF_DIM,), {"units": "examples"}, np.int64),
    "known_negative": Meaning((CUTOFF_DIM,), {"units": "examples"}, np.int64),
    "reference": Meaning(dtype=np.str_),
    "tightest": Meaning(("beta",), dtype=np.str_),
    "local_alpha": Meaning(("beta",)),
    **{name: Meaning(dtype=np.int64) for name in TOTALS},
    "n_effective": Meaning(),
    "beta_limit": Meaning(),
}


def cutoff_dim(dims: Any) -> str:
    """Return the dimension of the cutoffs."""
    return CUTOFF_DIM if CUTOFF_DIM in dims else "rank"


def is_future_data(tables: xr.Dataset) -> bool:
    """Tell whether tables are of new examples: at a bound each limit is attained, not together."""
    return bool(tables.attrs.get("target") == "population")


def is_whole(tables: xr.Dataset) -> bool:
    """Tell whether tables, or curves, go from end to end: all cutoffs in their order, once."""
    axis = cutoff_dim(tables.dims)
    if not tables.sizes.get(axis):
        return False
    first, last = {axis: 0}, {axis: -1}
    of_rows = {*TOTALS, "rank"} <= {*tables.variables}
    if of_rows and (is_future_data(tables) or COUNTS[0] not in tables):  # limits are no table
        head = tables["rank"].variable.to_base_variable()
        tail = sum(tables[name].variable for name in TOTALS) - head.isel(last)
    else:
        one = {"bound": 0, "beta": 0}  # a cutoff has as many examples at each
        tp, fp, fn, tn = (
            tables[name].variable.isel(one, missing_dims="ignore") for name in COUNTS
        )
        head, tail = tp + fp, (fn + tn).isel(last)
    # A place that unstacking left empty has no ends: NaN is not above 0.
    steps = head.isel({axis: slice(1, None)}) - head.isel({axis: slice(None, -1)})
    wrong = [head.isel(first) > 0, tail > 0, steps < 0]
    if axis == CUTOFF_DIM:  # shorter rankings repeat their last cutoff
        still, moving = steps.isel({axis: slice(None, -1)}), steps.isel({axis: slice(1, None)})
        wrong.append((still == 0) & (moving > 0))
    elif axis in tables.indexes and not tables.indexes[axis].is_unique:
        return False
    size = tables.sizes[axis]
    is_selection = "rank" in tables and tables["rank"].attrs.get("n_cutoffs", size) != size
    return not is_selection and not any(bool(each.any()) for each in wrong)


def read_dataset(dataset: xr.Dataset, needs: str = "") -> xr.Dataset:
    """Read tables or curves of a user, with the dtypes they are made with."""
    changed: dict[Hashable, xr.Variable] = {}
    for name, variable in dataset.variables.items():
        made = VARIABLES[str(name)] if name in VARIABLES else Meaning(dtype=np.str_)
        if made.dtype is np.str_:
            continue
        kind = variable.dtype.kind
        if kind not in ("iufbO" if made.dtype is np.bool_ else "iufb"):
            raise PUTypeError(
                f"{name!r} must hold numbers, but its dtype is {variable.dtype}. Cast it first: "
                f"ds.assign({name}=ds[{name!r}].astype('float64'))."
            )
        dtype = {np.int64: np.float64 if kind == "f" else np.int64, np.bool_: variable.dtype}
        wanted = np.dtype(dtype.get(made.dtype, np.float64))
        # Tables and curves stay in chunks, not what stands beside them.
        lazy = variable.chunks is not None and len(made.dims) <= 1
        if lazy or variable.dtype != wanted:
            cast = variable.astype(wanted, copy=False)
            changed[name] = cast.compute() if lazy else cast
    data = {name: variable for name, variable in changed.items() if name in dataset.data_vars}
    coords = {name: variable for name, variable in changed.items() if name not in data}
    tables = dataset.assign(data).assign_coords(coords) if changed else dataset
    for fault in _faults(tables, needs):
        raise fault
    return tables


def _faults(tables: xr.Dataset, needs: str) -> Iterator[PUError]:
    """Return what is wrong with tables or curves, the first thing first."""
    dims = dict.fromkeys(dim for array in tables.data_vars.values() for dim in array.dims)
    counts = {name: tables[name].dims for name in COUNTS if name in tables.data_vars}
    have_tables = len(counts) == len(COUNTS)
    follow = have_tables or bool(traces_in(tables))
    if not {"tables": have_tables, "whole": follow}.get(needs, True):
        yield PUKeyError(_NO_TABLES.format([*tables.data_vars]), page="tables")
    if needs == "cutoffs" and not {CUTOFF_DIM, "rank"} & {*dims}:
        yield PUKeyError(_NO_CUTOFFS.format([*dims]), page="tables")
    if empty := [dim for dim in dims if not tables.sizes[dim]]:
        yield PUValueError(_EMPTY.format(empty[0]), page="tables")
    if lost := [dim for dim in ("bound", "beta") if dim in dims and dim not in tables.coords]:
        yield PUValueError(_UNLABELED.format(lost[0]))
    labels = tables["bound"].values.tolist() if "bound" in dims else []
    if not {*labels} <= {*BOUND} or len({*labels}) < len(labels):
        yield PUValueError(_LABELS.format([*BOUND], labels))
    if len({frozenset(own) for own in counts.values()}) > 1:
        yield PUValueError(_SHAPES.format(counts))
    if have_tables and not is_future_data(tables) and _are_of_others(tables):
        yield PUValueError(_OTHERS)
    if needs == "whole" and not is_whole(tables):
        ranks = np.ravel(tables["rank"]) if "rank" in tables.coords else np.array([])
        first = ", ".join(map(str, ranks[:3]))
        yield PUValueError(_PARTIAL.format(ranks.size, first), page="tables")


def traces_in(curves: xr.Dataset) -> list[str]:
    """Return which curves a Dataset holds, with what the counts that they are of follow from."""
    needed, names = {"beta", "rank", *TOTALS}, {*curves.variables}
    return [trace for trace, rates in CURVE_RATES.items() if needed | {*rates} <= names]


_ROUNDING = 1e-6  # of counts that follow from rates


def _are_of_others(tables: xr.Dataset) -> bool:
    """Tell whether cutoffs or known examples are those of other tables."""
    variables = tables.variables
    tp, fp, fn, tn = (variables[name] for name in COUNTS)
    if tp.chunks is not None:
        return False

    def fits(*names: str) -> bool:
        return all(name in variables and {*variables[name].dims} <= {*tp.dims} for name in names)

    wrong, uncertain = [], bool(tables.attrs.get("contamination"))
    # Where some may be wrong, known positives are false positives, too; and a ROC curve does not
    # say how many positives there are.
    if "rank" not in tables.dims and fits("rank") and not (uncertain and "tpr" in variables):
        wrong.append(abs(tp + fp - variables["rank"]) > _ROUNDING)
    kinds = ((tp, fn, "known_positive"), (fp, tn, "known_negative"))
    for above, below, kind in kinds[uncertain:]:
        if fits(kind, f"n_{kind}"):
            known, known_in_all = variables[kind], variables[f"n_{kind}"]
            wrong += [above < known - _ROUNDING, below < known_in_all - known - _ROUNDING]
    filled = ~(tp + fp).isnull()
    return any(bool((differ & filled).any()) for differ in wrong)


_NO_TABLES = (
    f"The Dataset must hold contingency tables, variables {[*COUNTS]}, but its variables are "
    "{}. Ask for tables first: df.pu.contingency(beta=0.3); from samples: "
    "ds.pu(score='score', label='label', dim='sample').contingency(beta=0.3)."
)
_NO_CUTOFFS = (
    "The Dataset must hold tables or curves over the dimension rank or cutoff, but its "
    "dimensions are {}. Ask for them first: df.pu.contingency(beta=0.3); and select with lists, "
    "which keep dimensions."
)
_EMPTY = (
    "The Dataset must hold a table or more, but its dimension {!r} is empty. Look at what was "
    "selected along it."
)
_UNLABELED = (
    "The dimension {0!r} must have its labels, but they were dropped. Keep the coordinate: "
    "ds.drop_vars({0!r}) takes it away."
)
_LABELS = "The labels of 'bound' must be some of {}, each once, but are {}."
_SHAPES = (
    "The counts must stand over the same dimensions, but stand over {}. Select from the whole "
    "Dataset, not from a variable."
)
_OTHERS = (
    "Cutoffs, thresholds or known examples are not those of the tables: joining may have kept "
    "those of the first alone. Join them with "
    "xr.concat([ds, ds], 'model', coords='different', compat='equals')."
)
_PARTIAL = (
    "Whole curves need the tables of all cutoffs or breakpoints in their order, but these are a "
    "selection of {} ranks ({}, ...). Make them with ranks='breakpoints', and select after taking "
    "areas."
)
