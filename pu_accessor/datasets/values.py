"""Numbers with their intervals to be drawn: against beta, over selection odds, over models."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.datasets.assemble import key_coordinates
from pu_accessor.datasets.curves import area, metric
from pu_accessor.datasets.schema import BOUND, TOTALS, axis_of
from pu_accessor.datasets.slices import LABELS
from pu_accessor.datasets.tables import contingency
from pu_accessor.errors import PUKeyError, PUTypeError, PUValueError, brief
from pu_accessor.inference.bands.lookup import band_name
from pu_accessor.inference.comparison.dominance import crossings, infeasible
from pu_accessor.inference.estimates.cutoff_spec import no_rank
from pu_accessor.inference.estimates.joint import widen
from pu_accessor.inference.estimates.utility import as_edges
from pu_accessor.inference.metrics import AnyMetric, Metric, read_metric
from pu_accessor.inference.settings import Settings
from pu_accessor.questions.betas import Betas
from pu_accessor.questions.request import Request, Results
from pu_accessor.questions.utility import reliabilities
from pu_accessor.ranking import FloatArray


def ask_quantity(
    request: Request, quantity: AnyMetric, betas: Betas, at: int | None, settings: Settings
) -> xr.Dataset:
    """Ask for an area, or a metric at a rank, at each beta; without a warning of high ones."""
    _read_at_rank(quantity, at)
    whole = contingency(request, betas, settings, "breakpoints", warn=False, rounded=False)
    if at is None:
        return values_by_beta(whole, quantity)
    known, against, unlabeled = (whole[name] for name in TOTALS)
    examples = int((known + against + unlabeled).max())
    if at > examples:
        raise no_rank(f"{examples}, the number of examples", int(at))
    tables = contingency(request, betas, settings, at, warn=False, rounded=False)
    return values_by_beta(tables, quantity, at=at, whole=whole)


def _read_at_rank(quantity: AnyMetric, at: int | None) -> Metric:
    """Read a quantity, and its cutoff, which is a rank."""
    if at is not None and (isinstance(at, bool) or not isinstance(at, int | np.integer)):
        raise PUTypeError(f"at must be an integer, a rank, but {at!r} was passed.")
    return read_metric(quantity, at, "against_beta")


def values_by_beta(
    tables: xr.Dataset,
    quantity: AnyMetric,
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


def order_changes(first: xr.Dataset, second: xr.Dataset) -> tuple[FloatArray, FloatArray]:
    """Return where the estimates of two models cross, on straight lines between betas."""
    betas = first["beta"].to_numpy()
    values, others = (each["value"].sel(bound="estimate").to_numpy() for each in (first, second))
    lead = values - others
    known = np.isfinite(lead)
    x = np.array(crossings(betas[known], lead[known]))
    return x, np.interp(x, betas[known], values[known])


_RANGE = ("range_lower", "estimate", "range_upper")


def over_places(
    found: pd.DataFrame, apart: Sequence[str | None], order: str | Sequence[Hashable] | None
) -> xr.Dataset:
    """Lay numbers out over places, one below the other, and what is told apart otherwise."""
    keys = _keys(found)
    apart_from_places = [key for key in keys if key in apart]
    listed = [key for key in keys if key not in apart_from_places]
    # The key of each row: of one column as it is, of several as a tuple.
    places = found.set_index(listed).index.tolist() if listed else [""] * len(found)
    rows = found.assign(place=pd.Series(places, dtype=object))
    names = _ordered(rows, order, listed)
    rows = rows[rows["place"].isin(names)]
    index = ["place", *apart_from_places]
    own_beta = bool(rows.groupby(index, sort=False).size().max() == 1)
    own_beta = own_beta and not (rows["beta"] == rows["beta"].iloc[0]).all()
    table = rows.set_index(index if own_beta else [*index, "beta"])[[*BOUND]].to_xarray()
    values = _by_bound(table.sel(place=names), tuple(BOUND))
    dataset = values.rename("value").to_dataset().assign_coords(place=np.arange(len(names)))
    if own_beta:
        betas = dict(zip(rows["place"], rows["beta"], strict=True))
        dataset = dataset.assign_coords(beta=("place", [betas[name] for name in names]))
    as_objects = np.empty(len(names), dtype=object)  # some are tuples
    as_objects[:] = names
    named: xr.Dataset = dataset.assign(name=("place", as_objects))
    return named.assign_attrs({name: found.attrs[name] for name in ("level", "target")})


def over_failures(found: pd.DataFrame, label: str) -> xr.Dataset:
    """Lay out what `pu_accessor.questions.robustness.robustness` returns over the failures."""
    keys = _keys(found)
    fails = "contamination" if "contamination" in found else "selection_odds"
    if sides := [key for key in keys if key.endswith(("_a", "_b"))]:
        found = _with_pairs(found, sides)
        keys = [*(key for key in keys if key not in sides), "pair"]
    table = found.set_index([*keys, "beta", fails]).to_xarray()
    last = ("bound", "beta", fails)
    data = {"value": _by_bound(table, tuple(BOUND)).transpose(..., *last)}
    if "range_lower" in table:
        data["range"] = _by_bound(table, _RANGE).transpose(..., *last)
    data["breaking_point"] = table["breaking_point"].isel({fails: 0}, drop=True)
    told = ("level", "band", "target", "above")
    attrs = {name: found.attrs[name] for name in told if name in found.attrs}
    as_they_came = {key: pd.unique(found[key]) for key in keys}
    return xr.Dataset(data, attrs={**attrs, "long_name": label}).sel(as_they_came)


def over_labels(steps: pd.DataFrame, width: float | None) -> xr.Dataset:
    """Lay out what `beta_from_labels` returns with ``sequential=True`` over the labels."""
    table = steps.set_index(LABELS).to_xarray()
    data = {"value": _by_bound(table, ("lower", "beta", "upper")).transpose("bound", LABELS)}
    attrs = {"level": steps["level"].iloc[0]}
    wide = steps["upper"] - steps["lower"]
    if width is not None and wide.min() <= width:
        attrs["narrow"] = int(steps[LABELS][wide <= width].iloc[0])
    return xr.Dataset(data, {"beta": table["beta"]}, attrs)


def _keys(found: pd.DataFrame) -> list[str]:
    """Return the columns of the keys: those before beta."""
    return [str(name) for name in found.columns[: list(found.columns).index("beta")]]


def _by_bound(table: xr.Dataset, names: Sequence[str]) -> xr.DataArray:
    """Put columns along the dimension of bounds, the first one."""
    bounds = pd.Index(BOUND, name="bound")
    return xr.concat([table[name] for name in names], dim=bounds).rename("value")


def _with_pairs(found: pd.DataFrame, sides: Sequence[str]) -> pd.DataFrame:
    """Name pairs of models in one column."""
    half = len(sides) // 2
    first, second = (
        found[[*side]].astype(str).agg(", ".join, axis=1) for side in (sides[:half], sides[half:])
    )
    return found.assign(pair=first + " less " + second)


def _ordered(
    rows: pd.DataFrame, order: str | Sequence[Hashable] | None, listed: Sequence[str]
) -> list[Hashable]:
    """Return keys in the order that was asked for."""
    names: list[Hashable] = [*dict.fromkeys(rows["place"])]
    if isinstance(order, str) and order == "estimate" and order not in names:
        best = rows.drop_duplicates("place").sort_values(order, ascending=False, kind="stable")
        return best["place"].tolist()
    if order is None:
        return names
    try:  # one more than there are is enough to see that some are wrong
        asked: list[Hashable] = (
            [order] if isinstance(order, str) else [*islice(order, len(names) + 1)]
        )
    except TypeError as error:
        raise PUTypeError(
            f"order must be a list of keys of {', '.join(listed) or 'groups'}, but "
            f"{brief(order)} was passed. Leave it out for the order of the rows, or pass "
            "'estimate'."
        ) from error
    known = {*names}
    wrong = [key for key in asked if not pd.api.types.is_hashable(key) or key not in known]
    if wrong or not asked or len({*asked}) < len(asked):
        raise PUValueError(
            f"order must hold keys of {', '.join(listed) or 'groups'}, each once, but "
            f"{brief(wrong or asked)} was passed. There are {brief([*names])}."
        )
    return asked


def calibration_curves(
    request: Request, betas: Betas, bins: int | Sequence[float], settings: Settings
) -> xr.Dataset:
    """Return the share of positives in bins as curves to draw."""
    edges = as_edges(bins)
    results = reliabilities(request, betas, edges, settings)
    curves = lay_out_curves(results, "bin", {"mean_score": ("bin",), "known_positive": ("bin",)})
    return curves.assign_coords(bin=edges[:-1])


def lay_out_curves(
    results: Results[Any], along: str, more: Mapping[str, tuple[str, ...]]
) -> xr.Dataset:
    """Lay what rankings answer side by side, to be drawn."""
    keys = key_coordinates(results)
    by_key, contents = tuple(keys.sizes), [result.content for result in results.each]
    dims = {"value": (along, "bound", "beta"), **more}
    sizes = {result.beta.values.size for result in results.each}
    contents = [_widen(content, size) for content in contents for size in sizes]
    data = _stack(contents, by_key, dims)
    betas = [result.beta for result in results.each]
    values = np.stack([beta.values for beta in betas])
    ends = [end for beta in betas for end in beta.interval or ()]
    coords = {
        **keys,
        "bound": BOUND,
        "beta": ((*by_key, "beta"), values) if results.own_beta else ("beta", values[0]),
        "interval_beta": ("ends", [min(ends), max(ends)] if ends else []),
    }
    level, band = results.settings.level, band_name(results.settings.band)
    curves = xr.Dataset(data, attrs={"level": level, "band": band, "target": "examples"})
    return curves.assign_coords(coords)


def _widen(content: Any, points: int) -> Any:
    """Put the limits of all betas of an interval for those of its point."""
    lower, estimate, upper = np.moveaxis(content.value, 1, 0)
    return content._replace(value=np.stack(widen(lower, estimate, upper, points), 1))


def _stack(
    contents: Sequence[Any], by_key: tuple[Hashable, ...], dims: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[tuple[Hashable, ...], Any]]:
    """Stack what each ranking has of some names, with the dimensions over which it stands."""
    data = {}
    for name, own_dims in dims.items():
        arrays = [getattr(content, name) for content in contents]
        data[name] = ((*by_key, *own_dims), np.stack(arrays) if by_key else arrays[0])
    return data
