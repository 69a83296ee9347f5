"""Rank variables of a Dataset over a dimension of samples, for each point of its others."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.errors import PUTypeError, PUValueError, brief, shorten
from pu_accessor.ranking import FloatArray, IntArray, LazyByKey, PairedRanks, Rankings, Ranks
from pu_accessor.roles_and_assumptions import ColumnNames, Terms
from pu_accessor.sources.column_summary import MAX_ROWS_LOOKED_UP, count_columns
from pu_accessor.sources.column_values import read_columns
from pu_accessor.sources.columns import check_name, list_columns
from pu_accessor.sources.frames import FrameSource, Named
from pu_accessor.sources.groups import Groups, Rows, rank_groups
from pu_accessor.sources.label_states import Labels
from pu_accessor.sources.pairs import pair_scores


class SampleSource(FrameSource):
    """Samples in a Dataset; keys are the coordinates of the other dimensions, the last fastest."""

    def __init__(self, dataset: xr.Dataset, dim: Hashable) -> None:
        super().__init__()
        self.name, self.kind = "ds", "samples"
        self._dataset = dataset
        self._dim = dim

    def rank(self, roles: Terms, ranks: Ranks, *, exact: bool = True) -> Rankings:
        """Rank the samples at each point of the other dimensions."""
        variables, dims = self._variables(roles)
        score, labels = self._read(variables, dims, roles)
        coordinates = [_index(self._dataset, dim).tolist() for dim in dims]
        keys = coordinates[0] if len(dims) == 1 else product(*coordinates)
        size = self._dataset.sizes[self._dim]
        rows: list[Rows] = [slice(start, start + size) for start in range(0, score.size, size)]
        groups = Groups(tuple(map(str, dims)), tuple(keys), rows)
        names = {role: str(name) for role, name in roles.named()}
        return rank_groups([score], labels, groups, roles, ranks, [names])

    def pair(self, roles: Terms, on: ColumnNames | None) -> LazyByKey[PairedRanks]:
        """Pair the models along the other dimension."""
        variables, dims = self._variables(roles)
        score = variables["score"]
        others = [dim for dim in score.dims if dim != self._dim]
        if len(others) != 1:
            raise PUValueError(
                "score must have one dimension other than the samples, that of the models to "
                f"compare, but {score.name!r} has {len(others)}: {others}. Select along the "
                "others, or make one of variables: ds[['svm', 'forest']].to_dataarray('model')."
            )
        for role, variable in variables.items():
            if role != "score" and variable.dims != (self._dim,):
                raise PUValueError(
                    f"{role} must be the same for all models, but {variable.name!r} has the "
                    f"dimensions {[*map(str, variable.dims)]}. The {role} of a sample does not "
                    "depend on the model."
                )
        values, labels = self._read(variables, dims, roles)
        scores = values.reshape(-1, self._dataset.sizes[self._dim])
        models = _index(self._dataset, others[0])
        if not models.is_unique:
            raise PUValueError(
                f"Coordinates along {others[0]!r} must name each model once, but are "
                f"[{shorten(map(brief, models.tolist()), most=20)}]."
            )
        names, own = (str(others[0]),), labels.take(slice(scores.shape[1]))
        paired = pair_scores(names, models.tolist(), scores, own, roles)
        return LazyByKey((), ((),), lambda _: paired)

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
        variables, others = self._variables(roles)
        variables.pop("propensity", None)
        counts: dict[str, str] = {}
        if all(v.chunks is None and v.size <= MAX_ROWS_LOOKED_UP for v in variables.values()):
            columns = [(role, _broadcast(v, v.sizes)) for role, v in variables.items()]
            counts = count_columns(columns, roles, ties=not others)
        sizes = [f"{dim} {self._dataset.sizes[dim]:,}" for dim in (self._dim, *others)]
        return {**counts, "dimensions": list_columns(sizes)}

    def template(self, roles: Terms) -> xr.Dataset:
        """Return the dimensions whose product the keys are, with all coordinates."""
        _, others = self._variables(roles)
        shape = [self._dataset.sizes[other] for other in others]
        index = np.arange(prod(shape)).reshape(shape)
        name = f"index of {', '.join(map(str, others))}"  # longer than that of any dimension
        return self._dataset.coords.to_dataset().assign({name: (others, index)})

    def _variables(self, roles: Terms) -> tuple[dict[str, xr.DataArray], list[Hashable]]:
        """Return the variables by role, and their other dimensions, after checks."""
        variables: dict[str, xr.DataArray] = {}
        is_name = isinstance(self._dim, Hashable) and self._dim is not pd.NA
        names: dict[str, Any] = {"score": roles.score, "label": roles.label, **roles.others}
        for role, name in names.items():
            check_name(role, name, self._dataset.variables.keys(), "variable")
            variables[role] = self._dataset[name]
            dims = [*variables[role].dims]
            if not is_name or self._dim not in dims:
                step = f" Stack several: ds.stack(sample={dims})." * (len(dims) > 1)
                raise PUValueError(
                    f"dim must be the dimension of the samples, but {brief(self._dim)} is not "
                    f"among those of {name!r}, {dims}. Pass dim=... with the name of yours.{step}"
                )
        every = dict.fromkeys(dim for variable in variables.values() for dim in variable.dims)
        others = [dim for dim in every if dim != self._dim]
        for other in others:
            if not isinstance(other, str):
                raise PUTypeError(f"Names of dimensions must be texts, but one is {other!r}.")
            index = self._dataset.indexes.get(other)
            if isinstance(index, pd.MultiIndex) and {"rank", "bound", "beta"} & set(index.names):
                raise PUValueError(
                    f"The levels of dimension {other!r}, {list(index.names)}, must not be called "
                    "rank, bound or beta, the dimensions of the result. Rename them first."
                )
        return variables, others

    def _read(
        self, variables: dict[str, xr.DataArray], dims: list[Hashable], roles: Terms
    ) -> tuple[FloatArray, Labels]:
        """Read the scores and labels of all points, one after the other."""
        all_sizes = {dim: self._dataset.sizes[dim] for dim in (*dims, self._dim)}
        of_labels = {dim for role, v in variables.items() if role != "score" for dim in v.dims}
        sizes = {dim: size for dim, size in all_sizes.items() if dim in of_labels}
        columns = [
            (role, _broadcast(variable, all_sizes if role == "score" else sizes))
            for role, variable in variables.items()
        ]
        (score,), labels = read_columns(columns, roles)
        arrays: dict[str, Any] = {}
        for name, values in labels._asdict().items():
            if isinstance(values, np.ndarray):
                over_labels = xr.DataArray(values.reshape([*sizes.values()]), dims=[*sizes])
                arrays[name] = _broadcast(over_labels, all_sizes).to_numpy()
        return score, labels._replace(**arrays)


def _index(dataset: xr.Dataset, dim: Hashable) -> pd.Index:
    """Return the coordinate of a dimension, or its range."""
    return dataset[dim].to_index() if dim in dataset.coords else dataset.get_index(dim)


def _broadcast(variable: xr.DataArray, sizes: Mapping[Hashable, int]) -> "pd.Series[Any]":
    """Return the values along some dimensions, the last fastest, as a Series."""
    plain: Any = xr.Variable(variable.dims, variable.to_numpy())  # without coordinates to align
    return pd.Series(plain.set_dims(sizes).to_numpy().ravel(), name=variable.name, copy=False)
