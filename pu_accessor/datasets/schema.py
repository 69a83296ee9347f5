"""What the variables of our Datasets are called, what they stand over, and what they mean."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from pu_accessor.errors import PUKeyError, PUValueError

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

VARIABLES: Mapping[str, Meaning] = MappingProxyType(
    {
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
        "n_known_positive": Meaning(dtype=np.int64),
        "n_known_negative": Meaning(dtype=np.int64),
        "n_unlabeled": Meaning(dtype=np.int64),
        "n_effective": Meaning(),
        "beta_limit": Meaning(),
        "n_cutoffs": Meaning(dtype=np.int64),
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
)


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
        page="results",
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
            page="results",
        )
    return tuple(tables[name] for name in COUNTS)


def is_whole(tables: xr.Dataset) -> bool:
    """Tell whether tables trace curves from end to end: the one place that decides."""
    if not any(tables.sizes.get(axis) for axis in (AXIS, "rank")):
        return False
    axis = axis_of(tables.dims)
    tp, fp, fn, tn = (tables[name].variable for name in COUNTS)  # without indexes to align
    first, last = {axis: 0}, {axis: -1}
    # A place that unstacking left empty has no ends: NaN is not above 0.
    if (tp.isel(first) + fp.isel(first) > 0).any() or (fn.isel(last) + tn.isel(last) > 0).any():
        return False
    head = tp + fp
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
        page="results",
    )
