"""Variables of a Dataset over a dimension of samples -> rankings, one for each other place."""

from collections.abc import Hashable, Mapping
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import xarray as xr

from pu_accessor.errors import PUDataError, PUTypeError, PUValueError, brief, shorten
from pu_accessor.ranking import FloatArray, Keyed, PairedRanks, Rankings, Ranks
from pu_accessor.sources.columns import (
    FEW_ROWS,
    Columns,
    Labels,
    check_name,
    count_columns,
    list_columns,
    read_labels,
    read_others,
    read_values,
)
from pu_accessor.sources.frames import FrameSource, rank_groups
from pu_accessor.sources.groups import Groups
from pu_accessor.sources.pairs import pair_scores
from pu_accessor.sources.sampling import Draw
from pu_accessor.terms import ColumnNames, Terms


class _Variables(NamedTuple):
    """The variables that roles name, the samples last, and their other dimensions."""

    score: xr.DataArray
    label: xr.DataArray
    own: Mapping[str, xr.DataArray]  # propensity, cluster, weight, where there are
    others: list[Hashable]


class SampleSource(FrameSource):
    """Samples in a Dataset: a ranking at each place along the other dimensions.

    The keys of rankings are places along the other dimensions, the last of these fastest, so
    results may give each of them its own dimension again: `template` has these dimensions in the
    order of the keys' names, with their sizes and all their coordinates. Where a variable lacks a
    dimension that another has, it is the same along that. The dataset is not changed.
    """

    def __init__(self, dataset: xr.Dataset, dim: Hashable) -> None:
        super().__init__()
        self.name, self.kind = "ds", "samples"
        self._dataset = dataset
        self._dim = dim

    def rank(self, roles: Terms, ranks: Ranks) -> Rankings:
        """Rank the samples at each place along the other dimensions.

        Keys are the coordinates of these. Labels are read once.
        """
        variables = self._variables(roles)
        scores, labels = self._read(variables, roles)
        dims = variables.others
        coordinates = [_index(self._dataset, dim).tolist() for dim in dims]
        keys = coordinates[0] if len(dims) == 1 else product(*coordinates)
        places: list[Any] = [*np.ndindex(scores.shape[:-1])]
        groups = Groups(tuple(map(str, dims)), tuple(keys), places)
        names = {role: str(name) for role, name in roles.named()}
        return rank_groups([scores], labels, groups, roles, ranks, [names])

    def pair(self, roles: Terms, on: ColumnNames | None) -> Keyed[PairedRanks]:
        """Rank the same samples by the models along the other dimension.

        Labels lie over the samples alone. Raises if there is no such dimension.
        """
        variables = self._variables(roles)
        score, label, own, _ = variables
        others = [dim for dim in score.dims if dim != self._dim]
        if len(others) != 1:
            raise PUValueError(
                "score must have one dimension other than the samples, that of the models to "
                f"compare, but {score.name!r} has {len(others)}: {others}. Select a "
                "place along the others, or put models along one: "
                "ds[['svm', 'forest']].to_dataarray('model')."
            )
        for role, variable in {"label": label, **own}.items():
            if variable.dims != (self._dim,):
                raise PUValueError(
                    f"{role} must be the same for all models, but {variable.name!r} has the "
                    f"dimensions {[*map(str, variable.dims)]}. The {role} of a sample does not "
                    "depend on the model."
                )
        scores, labels = self._read(variables, roles)
        models = _index(self._dataset, others[0])
        if not models.is_unique:
            raise PUValueError(
                f"Coordinates along {others[0]!r} must name each model once, but are "
                f"[{shorten(map(brief, models.tolist()), most=20)}]."
            )
        names = (str(others[0]),)
        paired = pair_scores(names, models.tolist(), scores, labels.take(0), roles)
        return Keyed((), ((),), lambda _: paired)

    def summary(self, roles: Terms) -> dict[str, str]:
        """Count what the variables hold.

        What lies on disk, or is large, is not read: then the dimensions alone are told.
        """
        score, label, own, others = self._variables(roles)
        counts: dict[str, str] = {}
        told = {role: own[role] for role in ("cluster", "weight") if role in own}
        if all(v.chunks is None and v.size <= FEW_ROWS for v in (score, label, *told.values())):
            flat = {role: _flat(variable) for role, variable in told.items()}
            columns = Columns([_flat(score)], _flat(label), flat)
            counts = count_columns(columns, roles, ties=not others)
        sizes = [f"{dim} {self._dataset.sizes[dim]:,}" for dim in (self._dim, *others)]
        return {**counts, "dimensions": list_columns(sizes)}

    def sample(self, roles: Terms, draw: Draw) -> pd.DataFrame:
        """Draw unlabeled samples at random.

        A row for each, with all variables over the samples alone. Raises if labels lie over other
        dimensions, too.
        """
        rows = self._rows("label", roles.label, "fold")
        if draw.is_apart:
            rows = self._rows("score", roles.score, "model")
        roles = roles.update(**dict.fromkeys(roles.others))
        return FrameSource(rows).sample(roles, draw)

    def template(self, roles: Terms) -> xr.Dataset:
        """Return the dimensions whose places are the keys of rankings."""
        others = self._variables(roles).others
        shape = [self._dataset.sizes[other] for other in others]
        place = np.arange(prod(shape)).reshape(shape)
        name = f"place along {', '.join(map(str, others))}"  # longer than that of any dimension
        return self._dataset.coords.to_dataset().assign({name: (others, place)})

    def _rows(self, argument: str, name: Any, other: str) -> pd.DataFrame:
        """Return a row for each sample, of variables over the samples alone, among them one."""
        alone = [name for name, v in self._dataset.data_vars.items() if v.dims == (self._dim,)]
        if name not in alone:
            raise PUValueError(
                f"{argument} must be a variable over {self._dim!r} alone for data in {self.name}, "
                f"but {name!r} is not among {alone}. Select one place along the others: "
                f"ds.isel({other}=0)."
            )
        return self._dataset[alone].to_dataframe()

    def _variables(self, roles: Terms) -> _Variables:
        """Return the variables that roles name, if their dimensions have names and places."""
        names = {"score": roles.score, "label": roles.label, **roles.others}
        variables = {
            role: _variable(self._dataset, role, name, self._dim) for role, name in names.items()
        }
        dims = dict.fromkeys(dim for variable in variables.values() for dim in variable.dims)
        others = [dim for dim in dims if dim != self._dim]
        _check_dims(self._dataset, others)
        return _Variables(variables.pop("score"), variables.pop("label"), variables, others)

    def _read(self, variables: _Variables, roles: Terms) -> tuple[FloatArray, Labels]:
        """Read the values of variables, over all other dimensions, the samples last."""
        score, label, own, others = variables
        known = read_labels(_flat(label), roles)
        read = {
            "score": _like(score, read_values(_flat(score), roles)),
            "positive": _like(label, known.positive),
            "negative": _like(label, known.negative),
        }
        positive = read["positive"]
        if (propensity := own.get("propensity")) is not None:  # where labels are of a place
            spread, positive = xr.broadcast(_like(propensity, propensity.to_numpy()), positive)
            own = {**own, "propensity": spread.rename(propensity.name)}
        columns = {role: _flat(variable) for role, variable in own.items()}
        known_of_each = read_others(columns, positive.to_numpy().ravel())
        clusters = known_of_each.pop("clusters", 0)
        read |= {role: _like(own[role], values) for role, values in known_of_each.items()}
        arrays: dict[str, npt.NDArray[Any]] = {
            name: variable.transpose(*others, self._dim).to_numpy()
            for name, variable in zip(read, xr.broadcast(*read.values()), strict=True)
        }
        return arrays.pop("score"), Labels(**arrays, clusters=clusters)


def _variable(dataset: xr.Dataset, argument: str, name: Any, dim: Hashable) -> xr.DataArray:
    """Return a variable over the samples, or say which there are."""
    check_name(argument, name, dataset.variables.keys(), "variable")
    variable: xr.DataArray = dataset[name]
    is_name = isinstance(dim, Hashable) and dim is not pd.NA  # as an array is not
    if not is_name or dim not in variable.dims:
        raise PUValueError(
            f"dim must be the dimension of the samples, but {brief(dim)} is not among those of "
            f"{name!r}, {list(variable.dims)}. Pass dim=... with the name of yours."
        )
    return variable.transpose(..., dim)


def _check_dims(dataset: xr.Dataset, others: list[Hashable]) -> None:
    """Raise unless the other dimensions have names and places."""
    for other in others:
        if not isinstance(other, str):
            raise PUTypeError(f"Dimensions must have a text as their name, but one is {other!r}.")
        if not dataset.sizes[other]:
            raise PUDataError(f"dimension {other!r} must hold at least one place, but is empty.")
        index = dataset.indexes.get(other)
        if isinstance(index, pd.MultiIndex) and {"rank", "bound", "beta"} & set(index.names):
            raise PUValueError(
                f"The levels of dimension {other!r}, {list(index.names)}, must not be called "
                "rank, bound or beta, the dimensions of the result. Rename them first."
            )


def _index(dataset: xr.Dataset, dim: Hashable) -> pd.Index:
    """Return the coordinate of a dimension, also where it has no index."""
    return dataset[dim].to_index() if dim in dataset.coords else dataset.get_index(dim)


def _flat(variable: xr.DataArray) -> "pd.Series[Any]":
    """Return all values as a Series."""
    return pd.Series(variable.to_numpy().ravel(), name=variable.name)


def _like(variable: xr.DataArray, values: Any) -> xr.DataArray:
    """Return other values over the dimensions of a variable, without coordinates to align."""
    return xr.DataArray(np.reshape(values, variable.shape), dims=variable.dims)
