"""Variables of a Dataset over a dimension of samples -> rankings, one for each other place."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.checks import check_within
from pu_accessor.errors import (
    PUDataError,
    PUKeyError,
    PUTypeError,
    PUValueError,
    brief,
    shorten,
    suggestion,
)
from pu_accessor.ranking import Keyed, PairedRanks, Ranking, Rankings, Ranks
from pu_accessor.sources.columns import read_states, read_values
from pu_accessor.sources.in_memory import rank_rows, scored
from pu_accessor.sources.labels import States
from pu_accessor.sources.pairs import pair_scores
from pu_accessor.sources.propensities import read_propensities
from pu_accessor.sources.roles import Roles
from pu_accessor.sources.sampling import sample_unlabeled
from pu_accessor.sources.source import check_not_pooled, refuse
from pu_accessor.sources.summary import FEW_ROWS, count_columns, list_columns, or_reason
from pu_accessor.sources.top_rows import take_best

__all__ = ["SampleSource"]


class _Read(NamedTuple):
    """What the variables of samples hold, the samples last."""

    score: xr.DataArray
    positive: xr.DataArray
    negative: xr.DataArray
    propensity: xr.DataArray | None


class SampleSource:
    """Samples in a Dataset: a ranking at each place along the other dimensions.

    The keys of rankings are places along the other dimensions, the last of these fastest, so
    results may give each of them its own dimension again: `template` has these dimensions in the
    order of the keys' names, with their sizes and all their coordinates.

    Parameters
    ----------
    dataset : Dataset
        Variables of scores and labels over `dim` and any other dimensions. Where one lacks a
        dimension that the other has, it is the same along that. It is not changed.
    dim : hashable
        The dimension of the samples.
    """

    name = "ds"

    def __init__(self, dataset: xr.Dataset, dim: Hashable) -> None:
        self._dataset = dataset
        self._dim = dim

    def rank(self, roles: Roles, ranks: Ranks) -> Rankings:
        """Rank the samples at each place along the other dimensions: see `Source`.

        Keys are the coordinates of these. Labels are read once. Raises if `by` is passed.
        """
        asked = self._variables(roles)
        others = self._others(asked.values())
        read = self._read(asked, roles)
        if not isinstance(ranks, str):
            ends = (scored(row, roles) for row in read.score.to_numpy().reshape(-1, self._size()))
            check_within(ranks, max(ends))
        columns = {role: str(variable.name) for role, variable in asked.items()}
        shape = [self._dataset.sizes[other] for other in others]

        def make(position: int) -> Ranking:
            place = dict(zip(others, np.unravel_index(position, shape), strict=True))

            def here(variable: xr.DataArray) -> Any:
                own = {dim: int(i) for dim, i in place.items() if dim in variable.dims}
                return variable.isel(own).to_numpy()

            return rank_rows(
                here(read.score),
                States(here(read.positive), here(read.negative)),
                None if read.propensity is None else here(read.propensity),
                roles,
                ranks,
                columns,
            )

        along = [_index(self._dataset, other).tolist() for other in others]
        keys = along[0] if len(others) == 1 else product(*along)
        return Rankings(tuple(map(str, others)), tuple(keys), make)

    def pair(self, roles: Roles, on: Hashable | list[Hashable] | None) -> Keyed[PairedRanks]:
        """Rank the same samples by the models along the other dimension: see `Source`.

        Labels lie over the samples alone. Raises if `on` is passed, or there is no such dimension.
        """
        if on is not None:
            raise refuse(
                self.name,
                "on must not be passed",
                "Samples are paired along their dimension. Leave it out.",
                f"{on!r} was",
            )
        asked = self._variables(roles)
        others = self._others([asked["score"]])
        if len(others) != 1:
            raise PUValueError(
                "score must have one dimension other than the samples, that of the models to "
                f"compare, but {asked['score'].name!r} has {len(others)}: {others}. Select a "
                "place along the others, or put models along one: "
                "ds[['svm', 'forest']].to_dataarray('model')."
            )
        if more := [dim for dim in asked["label"].dims if dim != self._dim]:
            raise PUValueError(
                f"label must be the same for all models, but {asked['label'].name!r} has {more}, "
                "too. What is known about a sample does not depend on the model."
            )
        if "propensity" in asked and [*asked["propensity"].dims] != [self._dim]:
            raise PUValueError(
                "propensity must be the same for all models, but "
                f"{asked['propensity'].name!r} has {[*map(str, asked['propensity'].dims)]}. How "
                "probably a sample is labeled does not depend on the model."
            )
        read = self._read(asked, roles)
        models = _index(self._dataset, others[0])
        if not models.is_unique:
            raise PUValueError(
                f"Coordinates along {others[0]!r} must name each model once, but are "
                f"[{shorten(map(brief, models.tolist()), most=20)}]."
            )
        states = States(read.positive.to_numpy(), read.negative.to_numpy())
        odds = None if read.propensity is None else read.propensity.to_numpy()
        paired = pair_scores(
            (str(others[0]),), models.tolist(), read.score.to_numpy(), states, roles, odds
        )
        return Keyed((), ((),), lambda _: paired)

    def summary(self, roles: Roles) -> dict[str, str]:
        """Count what the variables hold: see `Source`.

        What lies on disk, or is large, is not read: then the dimensions alone are told.
        """

        def count() -> dict[str, str]:
            asked = self._variables(roles)
            others = self._others(asked.values())
            pair = [asked["score"], asked["label"]]
            counts = {}
            if all(one.chunks is None and one.size <= FEW_ROWS for one in pair):
                counts = count_columns([_flat(pair[0])], _flat(pair[1]), roles, ties=not others)
            sizes = {dim: self._dataset.sizes[dim] for dim in (self._dim, *others)}
            told = list_columns([f"{dim} {size:,}" for dim, size in sizes.items()])
            return {**counts, "dimensions": told}

        return or_reason(count)

    def sample(
        self, roles: Roles, size: int, random_state: int | np.random.Generator
    ) -> pd.DataFrame:
        """Draw unlabeled samples at random: see `Source`.

        A row for each, with all variables over the samples alone. Raises if labels lie over other
        dimensions, too.
        """
        alone = [name for name, v in self._dataset.data_vars.items() if v.dims == (self._dim,)]
        if roles.label not in alone:
            raise refuse(
                self.name,
                f"label must be a variable over {self._dim!r} alone",
                "Select one place along the others: ds.isel(fold=0).",
                f"{roles.label!r} is not among {alone}",
            )
        frame = self._dataset[alone].to_dataframe()
        return sample_unlabeled(frame, frame[roles.label], None, roles, size, random_state)

    def best(self, roles: Roles, sizes: Sequence[int]) -> pd.DataFrame:
        """Return the samples with the best scores: see `Source`.

        Raises if scores lie over other dimensions, too.
        """
        alone = [name for name, v in self._dataset.data_vars.items() if v.dims == (self._dim,)]
        if roles.score not in alone:
            raise refuse(
                self.name,
                f"score must be a variable over {self._dim!r} alone",
                "Select one place along the others: ds.isel(model=0).",
                f"{roles.score!r} is not among {alone}",
            )
        frame = self._dataset[alone].to_dataframe()
        return take_best(frame, frame[roles.score], None, sizes)

    def template(self, roles: Roles) -> xr.Dataset:
        """Return the dimensions whose places are the keys of rankings."""
        others = self._others(self._variables(roles).values())
        shape = [self._dataset.sizes[other] for other in others]
        place = np.arange(prod(shape)).reshape(shape)
        name = f"place along {', '.join(map(str, others))}"  # longer than that of any dimension
        return self._dataset.coords.to_dataset().assign({name: (others, place)})

    def _variables(self, roles: Roles) -> dict[str, xr.DataArray]:
        """Return the variables that roles name, the samples last."""
        check_not_pooled(self.name, roles)
        if roles.by is not None:
            raise refuse(
                self.name,
                "by must not be passed",
                "Each other dimension makes groups by itself: leave it out, or make a frame: "
                "ds.to_dataframe().reset_index().pu(by='model').",
                f"{roles.by!r} was",
            )
        asked = {"score": roles.score, "label": roles.label}
        if roles.propensity is not None:
            asked["propensity"] = roles.propensity
        return {role: _variable(self._dataset, role, n, self._dim) for role, n in asked.items()}

    def _others(self, variables: Iterable[xr.DataArray]) -> list[Hashable]:
        """Return the dimensions other than the samples, if they have names and places."""
        every = dict.fromkeys(dim for variable in variables for dim in variable.dims)
        others = [dim for dim in every if dim != self._dim]
        _check_dims(self._dataset, others)
        return others

    def _read(self, asked: dict[str, xr.DataArray], roles: Roles) -> _Read:
        """Read the values of variables."""
        scores, labels = asked["score"], asked["label"]
        values = read_values(_flat(scores), roles).reshape(scores.shape)
        states = read_states(_flat(labels), roles)
        positive, negative = (labels.copy(data=state.reshape(labels.shape)) for state in states)
        odds = None
        if "propensity" in asked:
            odds = _propensities(asked["propensity"], positive)
        return _Read(scores.copy(data=values), positive, negative, odds)

    def _size(self) -> int:
        return self._dataset.sizes[self._dim]


def _variable(
    dataset: xr.Dataset, argument: str, name: Hashable | list[Hashable], dim: Hashable
) -> xr.DataArray:
    """Return a variable over the samples, or say which there are."""
    if isinstance(name, list):
        raise PUTypeError(
            f"{argument} must name one variable, but {name!r} was passed. Put them along a "
            "dimension first: ds[['svm', 'forest']].to_dataarray('model')."
        )
    try:
        hash(name)
    except TypeError:
        raise PUTypeError(
            f"{argument} must be the name of a variable, but a {type(name).__name__} was passed."
        ) from None
    if name not in dataset.variables:
        there = list(dataset.variables)
        raise PUKeyError(
            f"{argument} must name a variable, but there is no {brief(name)} among "
            f"[{shorten(map(brief, there), most=20)}]."
            f"{suggestion(name, there)} Pass {argument}=... with the name of yours."
        )
    variable = dataset[name]
    if not any(_same(dim, one) for one in variable.dims):
        raise PUValueError(
            f"dim must be the dimension of the samples, but {brief(dim)} is not among those of "
            f"{name!r}, {list(variable.dims)}. Pass dim=... with the name of yours."
        )
    return variable.transpose(..., dim)


def _same(dim: Any, other: Hashable) -> bool:
    """Compare what may be no name at all, an array or NA, with a dimension."""
    return isinstance(dim, Hashable) and dim is not pd.NA and dim == other


def _propensities(variable: xr.DataArray, positive: xr.DataArray) -> xr.DataArray:
    """Read propensities, of each place that has labels of its own."""
    spread, known = xr.broadcast(variable, positive)
    values = read_propensities(_flat(spread), known.to_numpy().ravel())
    return spread.copy(data=values.reshape(spread.shape))


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
