"""Numbers to be drawn: of tables at each of their betas, and of the Boyce index."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.datasets.assemble import key_coordinates, name_skipped, refuse_names, spread
from pu_accessor.datasets.curves import area, metric
from pu_accessor.datasets.schema import BOUND, TOTALS, axis_of
from pu_accessor.datasets.tables import contingency
from pu_accessor.errors import PUKeyError, PUTypeError, PUValueError
from pu_accessor.inference.comparison.dominance import infeasible
from pu_accessor.inference.estimates.cutoff_spec import no_rank
from pu_accessor.inference.quantities import Quantity, read_quantity, write_label
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.metrics import Metric
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.request import Request
from pu_accessor.questions.utility import boyce_indices

WINDOW = "window"  # of scores, for which there is no beta


def ask_by_beta(
    request: Request, quantity: str | Metric, betas: Betas, at: int | None, settings: Settings
) -> pd.DataFrame:
    """Ask for an area, or a metric at a rank, at each beta; without a warning of high ones."""
    _read_at_rank(quantity, at)
    whole = contingency(request, betas, settings, "breakpoints", warn=False, rounded=False)
    if at is None:
        return rows_by_beta(whole, quantity)
    known, against, unlabeled = (whole[name] for name in TOTALS)
    examples = int((known + against + unlabeled).max())
    if at > examples:
        raise no_rank(f"{examples}, the number of examples", int(at))
    tables = contingency(request, betas, settings, at, warn=False, rounded=False)
    return rows_by_beta(tables, quantity, at=at, whole=whole)


def _read_at_rank(quantity: str | Metric, at: int | None) -> Quantity:
    """Read a quantity, and its cutoff, which is a rank."""
    if at is not None and (isinstance(at, bool) or not isinstance(at, int | np.integer)):
        raise PUTypeError(f"at must be an integer, a rank, but {at!r} was passed.")
    return read_quantity(quantity, at, "against_beta")


def rows_by_beta(
    tables: xr.Dataset,
    quantity: str | Metric,
    *,
    at: int | None = None,
    whole: xr.Dataset | None = None,
) -> pd.DataFrame:
    """Evaluate an area, or a metric at a rank, at each beta of some tables."""
    entry = _read_at_rank(quantity, at)
    if at is None:
        value = area(tables, entry.name)
    else:
        value = _at_rank(tables, metric(tables, quantity), at)
    value = value.sel(bound=BOUND).reset_coords(drop=True)
    ends = {str(bound): value.sel(bound=bound, drop=True) for bound in BOUND}
    ends["infeasible"] = _infeasible(tables if whole is None else whole).reset_coords(drop=True)
    if "beta_limit" in tables:
        ends["beta_limit"] = tables["beta_limit"]
    dims = [dim for dim in value.dims if dim not in ("bound", "beta")]
    found = xr.Dataset(ends).to_dataframe([*dims, "beta"]).reset_index()
    keys = [name for dim in dims for name in tables.indexes[str(dim)].names]
    rows = found[[*keys, "beta", *ends]].dropna(subset=["estimate"])
    name = str(value.attrs["long_name"])
    label = name if name.startswith("area") else write_label(name)
    rows.attrs = {
        **tables.attrs,
        "label": label if at is None else f"{label} among the top {at:,}",
    }
    return rows


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
    """Say at which betas the band itself is impossible at some cutoff."""
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
    arrays = [tables[name] for name in ("tp", "fp", "tn", "clipped", "n_known_negative")]
    core = [[axis_of(tables.dims), "bound"]] * 4 + [[]]
    is_too_high: xr.DataArray = xr.apply_ufunc(infeasible, *arrays, input_core_dims=core)
    return is_too_high


def _stack(
    contents: Sequence[Any], by_key: tuple[Hashable, ...], dims: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[tuple[Hashable, ...], Any]]:
    """Stack what each ranking has of some names, with the dimensions over which it stands."""
    data = {}
    for name, own_dims in dims.items():
        arrays = [getattr(content, name) for content in contents]
        data[name] = ((*by_key, *own_dims), np.stack(arrays) if by_key else arrays[0])
    return data


_BOYCE: Mapping[str, tuple[str, ...]] = {"ratio": (WINDOW,), "boyce": (), "score": (WINDOW,)}


def boyce(request: Request, windows: int, width: float) -> xr.Dataset:
    """Return the continuous Boyce index of each ranking, and the ratio in each window."""
    results = boyce_indices(request, windows, width)
    refuse_names(results.names, [*_BOYCE, WINDOW])
    keys = key_coordinates(results)
    data = _stack([each.content for each in results.each], tuple(keys.sizes), _BOYCE)
    attrs = {"width": float(width), **name_skipped(results)}
    found = xr.Dataset(data, attrs=attrs).assign_coords(keys).set_coords("score")
    found["ratio"].attrs["long_name"] = "predicted-to-expected ratio"
    found["boyce"].attrs["long_name"] = "continuous Boyce index"
    found["score"].attrs["long_name"] = "score in the middle of the window"
    numbered = found.assign_coords({WINDOW: np.arange(windows)})
    return spread(numbered, results.names, request)
