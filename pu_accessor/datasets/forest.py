"""Frames of numbers with intervals -> Datasets to be drawn: over models, or over odds."""

from collections.abc import Hashable, Sequence
from itertools import islice

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.datasets.schema import BOUND
from pu_accessor.errors import PUTypeError, PUValueError, brief

_RANGE = ("range_lower", "estimate", "range_upper")


def over_places(
    found: pd.DataFrame, apart: Sequence[str | None], order: Sequence[Hashable] | None
) -> xr.Dataset:
    """Lay numbers out over places, one below the other, and what is told apart otherwise."""
    keys = _keys(found)
    apart_from_places = [key for key in keys if key in apart]
    listed = [key for key in keys if key not in apart_from_places]
    rows = found.assign(place=pd.Series(_tell_places(found, listed), found.index, dtype=object))
    names = _ordered(list(dict.fromkeys(rows["place"])), order, listed)
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
    level, target = rows["level"].iloc[0], rows["target"].iloc[0]
    named: xr.Dataset = dataset.assign(name=("place", as_objects))
    return named.assign_attrs(level=level, target=target)


def over_odds(found: pd.DataFrame, label: str) -> xr.Dataset:
    """Lay out what `pu_accessor.questions.robustness.robustness` returns over the factors."""
    keys = _keys(found)
    if sides := [key for key in keys if key[-2:] in ("_a", "_b")]:
        found = _with_pairs(found, sides)
        keys = [*(key for key in keys if key not in sides), "pair"]
    table = found.set_index([*keys, "beta", "selection_odds"]).to_xarray()
    last = ("bound", "beta", "selection_odds")
    data = {"value": _by_bound(table, tuple(BOUND)).transpose(..., *last)}
    if "range_lower" in table:
        data["range"] = _by_bound(table, _RANGE).transpose(..., *last)
    data["breaking_point"] = table["breaking_point"].isel(selection_odds=0, drop=True)
    attrs = {
        name: found[name].iloc[0] for name in ("level", "band", "target", "above") if name in found
    }
    as_they_came = {key: pd.unique(found[key]) for key in keys}
    return xr.Dataset(data, attrs={**attrs, "long_name": label}).sel(as_they_came)


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


def _tell_places(found: pd.DataFrame, listed: Sequence[str]) -> list[Hashable]:
    """Return the key of each row: of one column as it is, of several as a tuple."""
    if not listed:
        return [""] * len(found)
    if len(listed) == 1:
        return list(found[listed[0]])
    return list(zip(*(found[name] for name in listed), strict=True))


def _ordered(
    names: Sequence[Hashable], order: Sequence[Hashable] | None, listed: Sequence[str]
) -> list[Hashable]:
    """Return keys in the order that was asked for."""
    if order is None:
        return [*names]
    try:  # one more than there are is enough to see that some are wrong
        asked: list[Hashable] = (
            [order] if isinstance(order, str) else [*islice(order, len(names) + 1)]
        )
    except TypeError as error:
        raise PUTypeError(
            f"order must be a list of keys of {', '.join(listed) or 'groups'}, but "
            f"{brief(order)} was passed. Leave it out for the order of the rows."
        ) from error
    known = {*names}
    wrong = [key for key in asked if not pd.api.types.is_hashable(key) or key not in known]
    if wrong or not asked or len({*asked}) < len(asked):
        raise PUValueError(
            f"order must hold keys of {', '.join(listed) or 'groups'}, each once, but "
            f"{brief(wrong or asked)} was passed. There are {brief([*names])}."
        )
    return asked
