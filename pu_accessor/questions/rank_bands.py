"""Bands as a user passes them: bounds by rank for all rankings, or for each."""

import reprlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pandas as pd
import xarray as xr

from pu_accessor.beta import normalize_key, split_key
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.bands.lookup import (
    Band,
    RankBand,
    ShareByRank,
    bound_at_all_ranks,
    bound_at_some_ranks,
)

UserBand: TypeAlias = str | Band | tuple[Any, Any]


def read_band(band: UserBand) -> str | Band | RankBand:
    """Return a valid band: a name, a function, or bounds by rank, as far as keys do not matter."""
    if not isinstance(band, tuple):
        return band
    if len(band) != 2:
        raise PUTypeError(
            f"band must be a pair of bounds by rank, but {len(band)} were passed. Pass "
            "band=(lower, upper)."
        )
    if not any(isinstance(side, xr.DataArray) for side in band):
        return RankBand(bound_at_all_ranks("lower", band[0]), bound_at_all_ranks("upper", band[1]))
    for name, side in zip(("lower", "upper"), band, strict=True):
        if not isinstance(side, xr.DataArray):
            bound_at_all_ranks(name, side)
        elif "rank" not in side.dims:
            raise PUTypeError(
                f"band must have bounds over the dimension 'rank', but its {name} has "
                f"{[str(dim) for dim in side.dims]}. Rename it: array.rename(cutoff='rank')."
            )
    return _KeyedBand(*band)


@dataclass(frozen=True, eq=False)
class _KeyedBand(RankBand):
    """Bounds by rank that can differ between groups, over "rank" and keys."""

    lower: Any
    upper: Any

    def of(self, names: Sequence[str], key: Hashable) -> RankBand:
        """Return the bounds of one ranking."""
        parts = dict(zip(names, split_key(names, key), strict=True))
        return RankBand(_side_of("lower", self.lower, parts), _side_of("upper", self.upper, parts))


def _side_of(name: str, values: Any, parts: Mapping[str, Hashable]) -> ShareByRank:
    """Return one bound of the ranking with these key levels."""
    if not isinstance(values, xr.DataArray):
        return bound_at_all_ranks(name, values)
    dims = {str(dim) for dim in values.dims} - {"rank"}
    if foreign := sorted(dims - set(parts)):
        raise PUTypeError(
            f"band must have bounds over 'rank' and keys, {[*parts]}, but its {name} has "
            f"{foreign}, too. Select one of each: array.sel(...)."
        )
    bounds = _select(name, values, {dim: part for dim, part in parts.items() if dim in dims})
    index = bounds.indexes.get("rank")
    if index is None:
        return bound_at_all_ranks(name, bounds.to_numpy())
    if not (index.is_unique and pd.api.types.is_integer_dtype(index)):
        raise PUValueError(
            f"band must have each rank once, and integers, but the coordinate rank of its {name} "
            f"is {reprlib.repr(index.tolist())}. Set them: array.assign_coords(rank=ranks)."
        )
    return bound_at_some_ranks(name, index.to_numpy(), bounds.to_numpy())


def _select(name: str, values: xr.DataArray, key: Mapping[str, Any]) -> xr.DataArray:
    """Return the bounds of a key."""
    for dim, label in key.items():
        index = values.indexes.get(dim)
        if index is None or normalize_key(label) not in {
            normalize_key(known) for known in index.tolist()
        }:
            labels = "no coordinate" if index is None else f"{index.tolist()[:5]}"
            raise PUValueError(
                f"band must have bounds for {dim}={label!r}, but its {name} has {labels} along "
                f"{dim!r}. Give it those of the keys: array.assign_coords({dim}=...)."
            )
    return values.sel(key)
