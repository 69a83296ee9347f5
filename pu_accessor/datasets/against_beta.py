"""An area, or a metric at a rank, of contingency tables at each beta."""

import numpy as np
import xarray as xr

from pu_accessor.datasets.curves import area, metric
from pu_accessor.datasets.schema import TOTALS, axis_of
from pu_accessor.datasets.tables import contingency
from pu_accessor.errors import PUKeyError, PUTypeError, PUValueError
from pu_accessor.inference.comparison.dominance import infeasible
from pu_accessor.inference.estimates.cutoff_spec import no_rank
from pu_accessor.inference.quantities import Quantity, read_quantity
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.rates import Metric
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.request import Request


def ask_quantity(
    request: Request,
    quantity: str | Metric,
    betas: Betas,
    at: int | None,
    settings: Settings,
) -> xr.Dataset:
    """Ask for an area, or a metric at a rank, at each beta; without a warning of high ones."""
    _read_at_rank(quantity, at)
    whole = contingency(request, betas, settings, "breakpoints", warn=False)
    if at is None:
        return values_by_beta(whole, quantity)
    known, against, unlabeled = (whole[name] for name in TOTALS)
    examples = int((known + against + unlabeled).max())
    if at > examples:
        raise no_rank(f"{examples}, the number of examples", int(at))
    tables = contingency(request, betas, settings, at, warn=False)
    return values_by_beta(tables, quantity, at=at, whole=whole)


def _read_at_rank(quantity: str | Metric, at: int | None) -> Quantity:
    """Read a quantity, and its cutoff, which is a rank."""
    if at is not None and (isinstance(at, bool) or not isinstance(at, int | np.integer)):
        raise PUTypeError(f"at must be an integer, a rank, but {at!r} was passed.")
    return read_quantity(quantity, at, "against_beta")


def values_by_beta(
    tables: xr.Dataset,
    quantity: str | Metric,
    *,
    at: int | None = None,
    whole: xr.Dataset | None = None,
) -> xr.Dataset:
    """Evaluate an area, or a metric at a rank, at each beta of some tables."""
    entry = _read_at_rank(quantity, at)
    if at is None:
        value = area(tables, entry.name)
    else:
        value = _at_rank(tables, metric(tables, quantity), at)
    is_too_high = _infeasible(tables if whole is None else whole)
    result = xr.Dataset(
        {"value": value.variable, "infeasible": is_too_high.variable},
        is_too_high.coords,
        {**value.attrs, **({} if at is None else {"at": int(at)})},
    )
    result = result.assign_coords(bound=value["bound"])
    return result.sortby("beta") if result["beta"].ndim == 1 else result


def _at_rank(tables: xr.Dataset, values: xr.DataArray, at: int) -> xr.DataArray:
    """Select a rank that all tables have."""
    axis = axis_of(tables.dims)
    if "rank" not in tables.coords:
        raise PUKeyError("The Dataset must have the coordinate 'rank', but has none.")
    is_rank = tables["rank"] == at
    if not bool(is_rank.any(axis).all()):
        raise PUValueError(
            f"at must be a rank of the tables, but {at!r} is none. Make them there: "
            f"df.pu.contingency(0.3, ranks={at!r})."
        )
    return values.drop_vars("rank").isel({axis: is_rank.argmax(axis).variable})


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
    is_too_high: xr.DataArray = xr.apply_ufunc(
        infeasible,
        *(tables[name] for name in ("tp", "fp", "tn", "clipped")),
        known,
        input_core_dims=[core] * 4 + [[]],
        keep_attrs=False,
    )
    return is_too_high
