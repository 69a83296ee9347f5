"""Rank variables of a Dataset over a dimension of samples, for each point of its others."""

from collections.abc import Hashable, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.errors import PUTypeError, PUValueError, brief
from pu_accessor.ranking import IntArray, LazyByKey, PairedRanks, Rankings, Ranks
from pu_accessor.roles_and_assumptions import ColumnNames, Terms
from pu_accessor.sources.columns import check_name, list_columns
from pu_accessor.sources.frames import MAX_ROWS_LOOKED_UP, FrameSource, Named
from pu_accessor.sources.groups import ALL_ROWS, Groups, Rows

_POSITION = "position along the samples"  # which pairs the models


class SampleSource(FrameSource):
    """Samples in a Dataset; keys are the coordinates of the other dimensions, the last fastest."""

    def __init__(self, dataset: xr.Dataset, dim: Hashable) -> None:
        super().__init__()
        self.name, self.kind = "ds", "samples"
        self._dataset, self._dim = dataset, dim
        self.template = dataset

    def rank(self, roles: Terms, ranks: Ranks) -> Rankings:
        """Rank the samples at each point of the other dimensions."""
        return self._points(roles).rank(roles, ranks)

    def pair(self, roles: Terms, on: ColumnNames | None) -> LazyByKey[PairedRanks]:
        """Pair variables of scores or, for one, the samples of all points of other dimensions."""
        points = self._points(roles)
        if roles.is_wide:
            return points.pair(roles, None)
        keys = points.groups(roles).keys
        if len({*keys}) < len(keys):
            raise PUValueError(
                "Coordinates must name each model once, but those along "
                f"{', '.join(points.groups(roles).names)} are {brief(keys)}. Assign others."
            )
        points.frame[_POSITION] = np.arange(len(points.frame)) % self._dataset.sizes[self._dim]
        return points.pair(roles, _POSITION)

    def rows(self, roles: Terms, named: Named) -> FrameSource:
        """Return a frame of samples; raises if a variable has other dimensions."""
        for argument, name in named:
            if name not in self.names:
                raise PUValueError(
                    f"{argument} must be a variable over {self._dim!r} only for data in "
                    f"{self.name}, but {name!r} is not among {self.names}. Select along other "
                    "dimensions: ds.isel(fold=0)."
                )
        return FrameSource(self._dataset[[name for _, name in named]].to_dataframe())

    def take(self, positions: IntArray, **columns: Sequence[Any]) -> pd.DataFrame:
        """Return rows of some samples, with all variables over the samples only."""
        return self._dataset[self.names].to_dataframe().iloc[positions].assign(**columns)

    @property
    def names(self) -> list[Hashable]:
        """The names of the variables over the samples only."""
        return [name for name, v in self._dataset.data_vars.items() if v.dims == (self._dim,)]

    def summary(self, roles: Terms) -> dict[str, str]:
        """Return counts of examples for a repr; of lazy or large data the dimensions only."""
        others = self._others(roles)
        sizes = {dim: self._dataset.sizes[dim] for dim in (self._dim, *others)}
        is_lazy = any(self._dataset[name].chunks is not None for _, name in roles.named())
        is_small = not is_lazy and prod(sizes.values()) <= MAX_ROWS_LOOKED_UP
        counts = self._points(roles).summary(roles) if is_small else {}
        counts["dimensions"] = list_columns([f"{dim} {size:,}" for dim, size in sizes.items()])
        return {name: count for name, count in counts.items() if name != "groups"}

    def _points(self, roles: Terms) -> FrameSource:
        """Return a frame: the samples of each point of the other dimensions, in turn."""
        others, size = self._others(roles), self._dataset.sizes[self._dim]
        named = {
            name: self._dataset[name].variable.to_base_variable() for _, name in roles.named()
        }
        columns = xr.Dataset(named).to_dataframe([*others, self._dim])
        rows: list[Rows] = [slice(at, at + size) for at in range(0, len(columns), max(size, 1))]
        coordinates = [_index(self._dataset, dim).tolist() for dim in others]
        keys = coordinates[0] if len(others) == 1 else product(*coordinates)
        groups = Groups(tuple(map(str, others)), tuple(keys), rows) if others else ALL_ROWS
        return FrameSource(columns.reset_index(drop=True), groups)

    def _others(self, roles: Terms) -> list[str]:
        """Return the dimensions other than the samples, after checks."""
        others: dict[Any, None] = {}
        is_name = isinstance(self._dim, Hashable) and self._dim is not pd.NA
        for role, name in roles.named():
            check_name(role, name, self._dataset.variables.keys(), "variable")
            dims = [*self._dataset[name].dims]
            if not is_name or self._dim not in dims:
                stacked = "example" if "sample" in dims else "sample"
                step = f" Stack several: ds.stack({stacked}={dims})." * (len(dims) > 1)
                raise PUValueError(
                    f"dim must be the dimension of the samples, but {brief(self._dim)} is not "
                    f"among those of {name!r}, {dims}. Pass dim=... with the name of yours.{step}"
                )
            others |= dict.fromkeys(dim for dim in dims if dim != self._dim)
        for other in others:
            if not isinstance(other, str):
                raise PUTypeError(f"Names of dimensions must be texts, but one is {other!r}.")
            taken = {"rank", "bound", "beta"} & {*_index(self._dataset, other).names}
            if taken and other not in taken:
                raise PUValueError(
                    f"The levels of dimension {other!r} must not be called {sorted(taken)}, the "
                    "dimensions of the result. Rename them first."
                )
        return [*others]


def _index(dataset: xr.Dataset, dim: Hashable) -> pd.Index:
    """Return the coordinate of a dimension, or its range."""
    return dataset[dim].to_index() if dim in dataset.coords else dataset.get_index(dim)
