"""A Dataset of many dimensions -> the curves in it, each with its cutoffs that can be seen."""

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.datasets.schema import AXIS, BOUND
from pu_accessor.errors import PUValueError, shorten
from pu_accessor.ranking import BoolArray, FloatArray

PLACE = "place"  # along which categories stand side by side
LABELS = "n_labeled"  # labels by hand, as they come in
WINDOW = "window"  # of scores, for which there is no beta
# Along these each value has a beta of its own, is one, or needs none.
_ESTIMATES = (PLACE, LABELS, WINDOW)
_INCREASING = {
    "rank": "Make tables with ranks='breakpoints', or ds.sortby('rank').",
    "beta": "Pass several: beta=[0.1, 0.2, 0.3].",
    "threshold": "Pass several: thresholds=[0.1, 0.2, 0.3].",
    "bin": "Pass a larger number: bins=10.",
}
_WHOLE = 4_000  # cutoffs that are few enough to be drawn as they are
_CELLS = 1_500  # pixels along an axis


class Slice(NamedTuple):
    """One curve of a Dataset: where it stands along each dimension, and its values."""

    where: Mapping[str, Hashable]
    data: xr.Dataset

    @property
    def beta(self) -> float | None:
        """The one beta of the curve; none where it runs along beta."""
        beta = self.data.get("beta")
        return float(beta) if beta is not None and beta.ndim == 0 else None


def _cutoffs(dataset: xr.Dataset) -> str:
    """Return the dimension of the cutoffs; that of a single ranking where there is none."""
    return AXIS if AXIS in dataset.dims else "rank"


def _check(dataset: xr.Dataset, along: str) -> None:
    """Raise unless there are curves and a band for each."""
    dims = dict.fromkeys([along, "bound", *(["beta"] if along not in _ESTIMATES else [])])
    named = [dim for dim in dims if dim == AXIS or dim in dataset.coords]
    lacking = [dim for dim in dims if dim not in dataset.dims or dim not in named]
    bounds = [] if lacking else [b for b in BOUND if b not in dataset["bound"].to_numpy()]
    if lacking or bounds:
        raise PUValueError(
            f"A plot needs the dimensions {', '.join(dims)} with the bounds {[*BOUND]}, "
            f"but {lacking or bounds} is missing. {_keep(dataset, lacking)}"
        )
    if along in _ESTIMATES:
        return  # categories come in any order, and one alone is enough
    betas = dataset["beta"].to_numpy()
    if betas.ndim == 1 and not 0 < betas.size == np.unique(betas).size:
        raise PUValueError(f"A plot needs each beta once, but there are {betas.tolist()}.")
    points = dataset["rank" if along == AXIS and "rank" in dataset.coords else along]
    steps = np.diff(points.transpose(..., along).to_numpy())
    # Rankings with cutoffs of their own repeat their last one.
    if points.sizes[along] < 2 or (steps < 0 if along == AXIS else steps <= 0).any():
        name = "rank" if along == AXIS else along
        raise PUValueError(
            f"A plot needs two or more increasing {name}s, but there are {points.sizes[along]}: "
            f"{np.ravel(points)[:5].tolist()}. {_INCREASING[name]}"
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
        indices = dict(zip(dims, position, strict=True))
        data = dataset.isel(indices)
        values = data[drawn].transpose("bound", along).to_numpy()
        known: BoolArray = ~np.isnan(values).all(axis=0)
        if along == AXIS and "rank" in data.coords:  # without the repeats of the last cutoff
            known &= np.diff(data["rank"].to_numpy(), prepend=-1) > 0
        if known.any():
            data = data if known.all() else data.isel({along: known})
            slices.append(Slice(_where(dataset, indices), data))
    if not slices:
        betas = np.unique(dataset["beta"]).tolist() if "beta" in dataset.coords else []
        at = f" at beta = {shorten(f'{beta:g}' for beta in betas)}. Try another" if betas else ""
        raise PUValueError(f"There is nothing to draw: {drawn!r} has no value at all{at}.")
    return slices


def _where(dataset: xr.Dataset, indices: Mapping[str, int]) -> dict[str, Hashable]:
    """Return the value of each dimension, and of each level of a MultiIndex, at some indices."""
    where: dict[str, Hashable] = {}
    for dim, position in indices.items():
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
    several = len({item.beta for item in slices}) > 1
    values: dict[str, dict[Hashable, None]] = {}
    for item in slices:
        for name, value in item.where.items():
            keys = values.setdefault(name, {})
            if not (name == "beta" and value == 0 and several):
                keys[value] = None
    return {name: list(keys) for name, keys in values.items()}


def settled_names(dataset: xr.Dataset, named: set[str]) -> set[str]:
    """Return the names that need no hue any more: levels stand for their index, or it for them."""
    settled = set(named)
    for dim in dataset.dims:
        index = dataset.indexes.get(dim)
        if isinstance(index, pd.MultiIndex):
            levels = {str(name) for name in index.names}
            if levels & named:
                settled.add(str(dim))
            if str(dim) in named or not levels & named:
                settled |= levels
    return settled


# Cutoffs


def visible(curves: xr.Dataset) -> xr.Dataset:
    """Leave out cutoffs that nobody sees, before anything is computed for them.

    Those around each of many ranks stay, spread evenly and ever closer to both ends, and so for
    thresholds. No count moves by more between two that stay than the rank does.
    """
    axis = AXIS if AXIS in curves.dims else "rank"
    size = curves.sizes.get(axis, 0)
    if size <= _WHOLE or "rank" not in curves.coords:
        return curves
    kept = np.zeros(size + 1, dtype=bool)
    kept[[0, size - 1]] = True
    for name, sign in (("rank", 1), ("threshold", -1)):
        if name not in curves.coords:
            continue
        for ascending in sign * np.atleast_2d(curves[name].transpose(..., axis).to_numpy()):
            places = np.searchsorted(ascending, sign * _spread(sign * ascending))
            kept[places] = kept[np.maximum(places - 1, 0)] = True
    return curves.isel({axis: np.flatnonzero(kept[:size])})


def _spread(values: FloatArray) -> FloatArray:
    """Return numbers as many as can be seen, from the lowest of some values to the highest."""
    known = values[np.isfinite(values)]
    if not known.size:
        return known
    low, high = float(known.min()), float(known.max())
    even = np.linspace(low, high, _CELLS)
    if low < 0 or high == 0:
        return even
    least = low or float(known[known > 0].min())
    logarithmic = np.geomspace(least, high, 2 * _CELLS)
    return np.concatenate([even, logarithmic, low + high - logarithmic])
