"""Define the variables of our Datasets, and check those of a user.

Files, joins and selections change dtypes, lose labels and leave dimensions empty, so every method
of a Dataset calls `read_dataset`.
"""

from collections.abc import Hashable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from pu_accessor.errors import PUError, PUKeyError, PUTypeError, PUValueError

CUTOFF_DIM = "cutoff"  # the dimension is called "rank" if all rankings have the same ranks
COUNTS = ("tp", "fp", "fn", "tn")
CURVE_RATES = {"roc": ("fpr", "tpr"), "pr": ("recall", "precision")}  # along x, along y
RATES = (*CURVE_RATES["roc"], *CURVE_RATES["pr"], "rank_cdf")
TOTALS = ("n_known_positive", "n_known_negative", "n_unlabeled")
BOUND = np.array(["lower", "estimate", "upper"], dtype=object)  # which Zarr can store


class VariableSpec(NamedTuple):
    """The dimensions, attributes and dtype of a variable."""

    dims: tuple[str, ...] = ()
    attrs: Mapping[str, str] = MappingProxyType({})
    dtype: type = np.float64


TABLE_DIMS = (CUTOFF_DIM, "bound", "beta")


def _of_tables(name: str, dtype: type = np.float64, **attrs: str) -> VariableSpec:
    return VariableSpec(TABLE_DIMS, {"long_name": name, **attrs}, dtype)


VARIABLES: Mapping[str, VariableSpec] = {
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
    "rank": VariableSpec((CUTOFF_DIM,), {"long_name": "examples predicted positive"}, np.int64),
    "bound": VariableSpec(("bound",), dtype=np.str_),
    "beta": VariableSpec(("beta",), {"long_name": "β̂"}),
    "inside": VariableSpec(
        ("beta",), {"long_name": "beta is used only for the limits of its interval"}, np.bool_
    ),
    "threshold": VariableSpec((CUTOFF_DIM,), {"long_name": "lowest score predicted positive"}),
    "known_positive": VariableSpec((CUTOFF_DIM,), {"units": "examples"}, np.int64),
    "known_negative": VariableSpec((CUTOFF_DIM,), {"units": "examples"}, np.int64),
    "unlabeled": VariableSpec((CUTOFF_DIM,), {"units": "examples"}, np.int64),
    "rounding": _of_tables("true positives before they were rounded, less those after"),
    "reference": VariableSpec(dtype=np.str_),
    "tightest": VariableSpec(("beta",), dtype=np.str_),
    "local_alpha": VariableSpec(("beta",)),
    **{name: VariableSpec(dtype=np.int64) for name in TOTALS},
    "n_effective": VariableSpec(),
    "beta_limit": VariableSpec(),
}


def cutoff_dim(dims: Any) -> str:
    """Return the dimension of the cutoffs."""
    return CUTOFF_DIM if CUTOFF_DIM in dims else "rank"


def is_on_future_data(tables: xr.Dataset) -> bool:
    """Tell whether tables are of future data, where the limits of counts are no single table."""
    return bool(tables.attrs.get("target") == "population")


def has_all_cutoffs(tables: xr.Dataset) -> bool:
    """Tell whether tables or curves have all cutoffs, from none to all examples, in order."""
    axis = cutoff_dim(tables.dims)
    if not tables.sizes.get(axis):
        return False
    first, last = {axis: 0}, {axis: -1}
    has_ranks = {*TOTALS, "rank"} <= {*tables.variables}
    if has_ranks and (is_on_future_data(tables) or COUNTS[0] not in tables):
        above = tables["rank"].variable.to_base_variable()
        below = sum(tables[name].variable for name in TOTALS) - above.isel(last)
    else:
        one = {"bound": 0, "beta": 0}  # all have the same number of examples at a cutoff
        counts = (tables[name].variable for name in COUNTS)
        tp, fp, fn, tn = (count.isel(one, missing_dims="ignore") for count in counts)
        above, below = tp + fp, (fn + tn).isel(last)
    # Comparisons with NaN, which unstacking fills in, are false.
    steps = above.isel({axis: slice(1, None)}) - above.isel({axis: slice(None, -1)})
    wrong = [above.isel(first) > 0, below > 0, steps < 0]
    if axis == CUTOFF_DIM:  # shorter rankings repeat their last cutoff
        step, following = steps.isel({axis: slice(None, -1)}), steps.isel({axis: slice(1, None)})
        wrong.append((step == 0) & (following > 0))
    elif axis in tables.indexes and not tables.indexes[axis].is_unique:
        return False
    size = tables.sizes[axis]
    is_selection = "rank" in tables and tables["rank"].attrs.get("n_cutoffs", size) != size
    return not is_selection and not any(bool(each.any()) for each in wrong)


def read_dataset(dataset: xr.Dataset, needs: str = "") -> xr.Dataset:
    """Return a user's Dataset, checked for "tables", "counts", "cutoffs" or "whole" curves."""
    changed: dict[Hashable, xr.Variable] = {}
    for name, variable in dataset.variables.items():
        spec = VARIABLES[str(name)] if name in VARIABLES else VariableSpec(dtype=np.str_)
        if spec.dtype is np.str_:
            continue
        kind = variable.dtype.kind
        if kind not in ("iufbO" if spec.dtype is np.bool_ else "iufb"):
            raise PUTypeError(
                f"{name!r} must contain numbers, but its dtype is {variable.dtype}. Cast it "
                f"first: ds.assign({name}=ds[{name!r}].astype('float64'))."
            )
        dtypes = {np.int64: np.float64 if kind == "f" else np.int64, np.bool_: variable.dtype}
        dtype = np.dtype(dtypes.get(spec.dtype, np.float64))
        # Tables and curves stay in chunks, other variables are computed.
        is_lazy = variable.chunks is not None and len(spec.dims) <= 1
        if is_lazy or variable.dtype != dtype:
            cast = variable.astype(dtype, copy=False)
            changed[name] = cast.compute() if is_lazy else cast
    data = {name: variable for name, variable in changed.items() if name in dataset.data_vars}
    coords = {name: variable for name, variable in changed.items() if name not in data}
    tables = dataset.assign(data).assign_coords(coords) if changed else dataset
    if "inside" in tables.coords and tables["inside"].ndim > 1:  # unstacked
        own = tables["inside"].any({*tables["inside"].dims} - {"beta"})
        tables = tables.assign_coords(inside=own)
    for error in _find_errors(tables, needs):
        raise error
    return tables


def _find_errors(tables: xr.Dataset, needs: str) -> Iterator[PUError]:
    """Yield the errors of tables or curves."""
    dims = dict.fromkeys(dim for array in tables.data_vars.values() for dim in array.dims)
    counts = {name: tables[name].dims for name in COUNTS if name in tables.data_vars}
    has_tables = len(counts) == len(COUNTS)
    is_curve = bool({*RATES} & {*tables.data_vars})
    lacks_tables = not has_tables or (is_curve and needs == "tables")
    if lacks_tables and needs in ("tables", "counts", "whole"):
        yield PUKeyError(_NO_TABLES.format([*tables.data_vars]))
    if needs == "cutoffs" and not {CUTOFF_DIM, "rank"} & {*dims}:
        yield PUKeyError(_NO_CUTOFFS.format([*dims]))
    if empty := [dim for dim in dims if not tables.sizes[dim]]:
        yield PUValueError(_EMPTY.format(empty[0]))
    if lost := [dim for dim in ("bound", "beta") if dim in dims and dim not in tables.coords]:
        yield PUValueError(_UNLABELED.format(lost[0]))
    labels = tables["bound"].values.tolist() if "bound" in dims else []
    if not {*labels} <= {*BOUND} or len({*labels}) < len(labels):
        yield PUValueError(_LABELS.format([*BOUND], labels))
    if len({frozenset(own) for own in counts.values()}) > 1:
        yield PUValueError(_SHAPES.format(counts))
    if has_tables and not is_on_future_data(tables) and _is_inconsistent(tables):
        yield PUValueError(INCONSISTENT)
    if needs == "whole" and not has_all_cutoffs(tables):
        ranks = np.ravel(tables["rank"]) if "rank" in tables.coords else np.array([])
        yield PUValueError(_PARTIAL.format(ranks.size, ", ".join(map(str, ranks[:3]))))


def _is_inconsistent(tables: xr.Dataset) -> bool:
    """Tell whether joining kept the cutoffs or the known examples of other tables."""
    variables = tables.variables
    tp, fp, fn, tn = (variables[name] for name in COUNTS)
    if tp.chunks is not None:
        return False

    def fits(*names: str) -> bool:
        return all(name in variables and {*variables[name].dims} <= {*tp.dims} for name in names)

    # Wrong known positives may be false positives; with them a ROC curve has no unique counts.
    wrong, may_be_wrong = [], bool(tables.attrs.get("contamination"))
    is_whole = all(count.dtype.kind == "i" for count in (tp, fp, fn, tn))
    tolerance = 0 if is_whole else _COUNT_TOLERANCE
    if "rank" not in tables.dims and fits("rank") and not (may_be_wrong and "tpr" in variables):
        wrong.append(abs(tp + fp - variables["rank"]) > tolerance)
    kinds = ((tp, fn, "known_positive"), (fp, tn, "known_negative"))
    for above, below, kind in kinds[may_be_wrong:]:
        if fits(kind, f"n_{kind}"):
            known, total = variables[kind], variables[f"n_{kind}"]
            wrong += [above < known - tolerance, below < total - known - tolerance]
    found = [each for each in wrong if each.any()]
    return bool(found) and any(bool((each & (tp + fp).notnull()).any()) for each in found)


_COUNT_TOLERANCE = 1e-6  # of counts that are computed from rates
_NO_TABLES = (
    f"The Dataset must contain contingency tables, {[*COUNTS]}, and no rates, but its variables "
    "are {}. Make tables first: df.pu.contingency(beta=0.3); from samples: "
    "ds.pu(score='score', label='label', dim='sample').contingency(beta=0.3)."
)
_NO_CUTOFFS = (
    "The Dataset must contain tables or curves over the dimension rank or cutoff, but its "
    "dimensions are {}. Make them first: df.pu.contingency(beta=0.3); and select with lists, "
    "which keep dimensions."
)
_EMPTY = (
    "The Dataset must contain at least one table, but its dimension {!r} is empty. Change the "
    "selection along it."
)
_UNLABELED = (
    "The dimension {0!r} must have its labels, but they were dropped, as ds.drop_vars({0!r}) "
    "does. Keep the coordinate."
)
_LABELS = "The labels of 'bound' must be some of {}, each once, but are {}."
_SHAPES = (
    "The counts must have the same dimensions, but have {}. Select from the whole Dataset, not "
    "from a variable."
)
INCONSISTENT = (
    "Cutoffs, thresholds or numbers of examples are not those of the tables: joining may have "
    "kept only those of the first. Join them with "
    "xr.concat([ds, ds], 'model', coords='different', compat='equals')."
)
_PARTIAL = (
    "Whole curves need the tables of all cutoffs or breakpoints in their order, but these are a "
    "selection of {} ranks ({}, ...). Make them with ranks='breakpoints', and select after "
    "computing areas."
)
