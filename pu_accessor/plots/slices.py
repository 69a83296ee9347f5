"""A Dataset of many dimensions -> the curves it holds, and where each stands."""

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.datasets.schema import AXIS, BOUND
from pu_accessor.errors import PUValueError, shorten
from pu_accessor.plots.artists import kept
from pu_accessor.ranking import BoolArray

__all__ = ["PLACE", "Slice", "Values", "take_apart", "values_along"]

Values: TypeAlias = Mapping[str, Sequence[Hashable]]

PLACE = "place"  # along which categories stand side by side


class Slice(NamedTuple):
    """One curve of a Dataset: where it stands along each dimension, and its values."""

    where: Mapping[str, Hashable]
    data: xr.Dataset

    @property
    def beta(self) -> float | None:
        """The one beta of the curve; none where it runs along beta."""
        return float(self.data["beta"]) if self.data["beta"].ndim == 0 else None


def _cutoffs(dataset: xr.Dataset) -> str:
    """Return the dimension of the cutoffs; that of a single ranking where there is none."""
    return AXIS if AXIS in dataset.dims else "rank"


def _check(dataset: xr.Dataset, along: str) -> None:
    """Raise unless there are curves and a band for each."""
    dims = dict.fromkeys([along, "bound", *(["beta"] if along != PLACE else [])])
    named = [dim for dim in dims if dim == AXIS or dim in dataset.coords]
    lacking = [dim for dim in dims if dim not in dataset.dims or dim not in named]
    bounds = [] if lacking else [b for b in BOUND if b not in dataset["bound"].to_numpy()]
    if lacking or bounds:
        raise PUValueError(
            f"A plot needs the dimensions {', '.join(dims)} with the bounds {[*BOUND]}, "
            f"but {lacking or bounds} is missing. {_keep(dataset, lacking)}"
        )
    betas = dataset["beta"].to_numpy()
    if along == PLACE:
        return  # categories come in any order, and one alone is enough
    if betas.ndim == 1 and not 0 < betas.size == np.unique(betas).size:
        raise PUValueError(f"A plot needs each beta once, but there are {betas.tolist()}.")
    points = dataset["rank" if along == AXIS and "rank" in dataset.coords else along]
    steps = np.diff(points.transpose(..., along).to_numpy())
    # Rankings with cutoffs of their own repeat their last one.
    if points.sizes[along] < 2 or (steps < 0 if along == AXIS else steps <= 0).any():
        name = "rank" if along == AXIS else along
        advice = {
            "rank": "Make tables with ranks='breakpoints', or ds.sortby('rank').",
            "beta": "Pass several: beta=[0.1, 0.2, 0.3].",
            "threshold": "Pass several: thresholds=[0.1, 0.2, 0.3].",
            "bin": "Pass a larger number: bins=10.",
        }
        raise PUValueError(
            f"A plot needs two or more increasing {name}s, but there are {points.sizes[along]}: "
            f"{np.ravel(points)[:5].tolist()}. {advice[name]}"
        )


def _keep(dataset: xr.Dataset, lacking: list[str]) -> str:
    """Say how a dimension is kept, or comes back."""
    if lacking and lacking[0] in dataset.coords and lacking[0] != "bound":
        return f"Put it back: ds.expand_dims({lacking[0]!r})."
    return "Select with a list, which keeps the dimension."


def take_apart(dataset: xr.Dataset, along: str | None = None) -> list[Slice]:
    """Take a Dataset apart into curves, without what has no value."""
    along = _cutoffs(dataset) if along is None else along
    _check(dataset, along)
    drawn = next(name for name, variable in dataset.data_vars.items() if along in variable.dims)
    dims = [str(dim) for dim in dataset[drawn].dims if dim not in (along, "bound")]
    dims.sort(key=lambda dim: dim == "beta")  # models first
    slices = []
    for position in np.ndindex(*(dataset.sizes[dim] for dim in dims)):
        place = dict(zip(dims, position, strict=True))
        data = dataset.isel(place)
        there = _have_value(data[drawn].transpose("bound", along))
        if along == AXIS and "rank" in data.coords:  # without the repeats of the last cutoff
            there &= np.diff(data["rank"].to_numpy(), prepend=-1) > 0
        if there.any():
            slices.append(Slice(_where(dataset, place), data.isel({along: kept(there)})))
    if not slices:
        betas = np.unique(dataset["beta"]).tolist() if "beta" in dataset.coords else []
        at = f" at beta = {shorten(f'{beta:g}' for beta in betas)}. Try another" if betas else ""
        raise PUValueError(f"There is nothing to draw: {drawn!r} has no value at all{at}.")
    return slices


def _have_value(values: xr.DataArray) -> BoolArray:
    """Tell which points of a curve have a value at any bound."""
    there = np.zeros(values.shape[1], dtype=bool)
    for bound in values.to_numpy():
        there |= ~np.isnan(bound)
        if there.all():
            break
    return there


def _where(dataset: xr.Dataset, place: Mapping[str, int]) -> dict[str, Hashable]:
    """Return the value of each dimension, and of each level of a MultiIndex, at a place."""
    where: dict[str, Hashable] = {}
    for dim, position in place.items():
        if dim == "beta" and dataset["beta"].ndim > 1:  # each group has its own
            continue
        index = dataset.get_index(dim)
        where[dim] = index[position]
        if isinstance(index, pd.MultiIndex):
            where.update(zip(map(str, index.names), index[position], strict=True))
    # A missing key does not equal itself.
    return {name: "missing" if _is_missing(value) else value for name, value in where.items()}


def _is_missing(value: Hashable) -> bool:
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))  # type: ignore[call-overload]


def values_along(slices: Sequence[Slice]) -> dict[str, list[Hashable]]:
    """Return the values that curves have along each dimension; the naive beta is none of them."""
    several = len({one.beta for one in slices}) > 1
    values: dict[str, dict[Hashable, None]] = {}
    for one in slices:
        for name, value in one.where.items():
            found = values.setdefault(name, {})
            if not (name == "beta" and value == 0 and several):
                found[value] = None
    return {name: list(found) for name, found in values.items()}
