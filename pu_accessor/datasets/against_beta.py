"""An area, or a metric at a rank, of contingency tables at each beta."""

import numpy as np
import xarray as xr

from pu_accessor.datasets.curves import area, metric
from pu_accessor.datasets.schema import TOTALS, axis_of
from pu_accessor.datasets.tables import contingency
from pu_accessor.errors import PUKeyError, PUTypeError, PUValueError, brief, suggestion
from pu_accessor.inference.comparison.crossings import infeasible
from pu_accessor.inference.estimates.cutoff_spec import no_rank
from pu_accessor.inference.tables.areas import CURVES
from pu_accessor.inference.tables.rates import METRICS, Metric
from pu_accessor.questions.betas import GroupBeta
from pu_accessor.questions.request import Asked
from pu_accessor.questions.rules import Rules

__all__ = ["ask_quantity", "values_by_beta"]


def ask_quantity(
    asked: Asked, name: str | Metric, beta: GroupBeta, at: int | None, rules: Rules
) -> xr.Dataset:
    """Ask for an area, or a metric at a rank, at each beta; without a warning of high ones."""
    _check_quantity(name, at)
    whole = contingency(asked, beta, rules, "breakpoints", warn=False)
    if at is None:
        return values_by_beta(whole, name)
    known, against, unlabeled = (whole[name] for name in TOTALS)
    examples = int((known + against + unlabeled).max())
    if at > examples:
        raise no_rank(f"{examples}, the number of examples", int(at))
    tables = contingency(asked, beta, rules, at, warn=False)
    return values_by_beta(tables, name, at=at, whole=whole)


def _check_quantity(name: str | Metric, at: int | None) -> None:
    """Raise unless there is such a quantity, and a rank where it needs one."""
    if isinstance(name, str) and name in CURVES:
        if at is not None:
            raise PUValueError(
                f"at must not be passed with the area under a curve, {name!r}, but {at!r} was: an "
                "area has no rank. Pass a metric, for example 'precision', or leave it out."
            )
        return
    if not callable(name) and not (isinstance(name, str) and name in METRICS):
        near = suggestion(name, [*METRICS, *CURVES])
        ranked = at is None and not any(f"{curve!r}?" in near for curve in CURVES)
        rank = " A metric takes a rank, too: at=100." if ranked else ""
        raise PUValueError(
            f"metric must be one of {sorted(METRICS)}, or of {[*CURVES]} for the area under that "
            f"curve, but {brief(name)} was passed.{near}{rank}"
        )
    if at is None:
        raise PUValueError(
            f"at must be the rank of the metric {name!r}, a number of examples predicted "
            "positive, but None was passed. Pass for example at=100."
        )
    if isinstance(at, bool) or not isinstance(at, int | np.integer):
        raise PUTypeError(f"at must be an integer, a rank, but {at!r} was passed.")
    if at < 0:
        raise no_rank("the number of examples", int(at))


def values_by_beta(
    tables: xr.Dataset,
    name: str | Metric,
    *,
    at: int | None = None,
    whole: xr.Dataset | None = None,
) -> xr.Dataset:
    """Evaluate an area, or a metric at a rank, at each beta of some tables."""
    _check_quantity(name, at)
    value = area(tables, str(name)) if at is None else _at_rank(tables, metric(tables, name), at)
    beyond = _infeasible(tables if whole is None else whole)
    result = xr.Dataset(
        {"value": value.variable, "infeasible": beyond.variable},
        beyond.coords,
        {**value.attrs, **({} if at is None else {"at": int(at)})},
    )
    result = result.assign_coords(bound=value["bound"])
    return result.sortby("beta") if result["beta"].ndim == 1 else result


def _at_rank(tables: xr.Dataset, values: xr.DataArray, at: int) -> xr.DataArray:
    """Select a rank that all tables have."""
    axis = axis_of(tables.dims)
    if "rank" not in tables.coords:
        raise PUKeyError("The Dataset must have the coordinate 'rank', but has none.")
    there = tables["rank"] == at
    if not bool(there.any(axis).all()):
        raise PUValueError(
            f"at must be a rank of the tables, but {at!r} is none. Make them there: "
            f"df.pu.contingency(0.3, ranks={at!r})."
        )
    return values.drop_vars("rank").isel({axis: there.argmax(axis).variable})


def _infeasible(tables: xr.Dataset) -> xr.DataArray:
    """Say at which betas the band itself is impossible at some cutoff: beta is too high."""
    needed = ("beta", "clipped", "n_known_negative")
    if missing := [name for name in needed if name not in tables.variables]:
        raise PUKeyError(
            "Tables must say their beta, where they are clipped and how many negatives are known, "
            f"but there is no {missing[0]!r} among {list(tables.variables)}. Make them with "
            "df.pu.contingency."
        )
    if "bound" not in tables.dims:
        raise PUValueError(
            "A plot against beta needs the dimension bound. Select with a list, which keeps it: "
            "ds.sel(bound=['estimate'])."
        )
    known = tables["n_known_negative"]
    core = [axis_of(tables.dims), "bound"]
    found: xr.DataArray = xr.apply_ufunc(
        infeasible,
        *(tables[name] for name in ("tp", "fp", "tn", "clipped")),
        known,
        input_core_dims=[core] * 4 + [[]],
        keep_attrs=False,
    )
    return found
