"""Variables of a Dataset over a dimension of samples -> rankings, one for each other place."""

from collections.abc import Hashable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.errors import PUDataError, PUKeyError, PUTypeError, PUValueError, suggestion
from pu_accessor.ranking import Ranking, Rankings, Ranks
from pu_accessor.sources.columns import CANONICAL, Coding, read_states, read_values
from pu_accessor.sources.frames import rank_rows
from pu_accessor.sources.labels import States
from pu_accessor.sources.propensities import read_propensities

__all__ = ["rank_dataset"]


def rank_dataset(
    dataset: xr.Dataset,
    *,
    score: Hashable,
    label: Hashable,
    dim: Hashable,
    propensity: Hashable | None = None,
    coding: Coding = CANONICAL,
    ranks: Ranks = "all",
) -> Rankings:
    """Rank the samples at each place along the other dimensions.

    Parameters
    ----------
    dataset : Dataset
        It is not changed.
    score, label : hashable
        Variables over `dim` and any other dimensions. Where one lacks a dimension that the other
        has, it is the same along that; labels are read once.
    dim : hashable
        The dimension of the samples.
    propensity : hashable, optional
        Variable of the probabilities with which positives are labeled.
    coding : Coding, optional
        How to read labels and missing scores.
    ranks : {"all", "breakpoints"}, int or array-like of int, default "all"
        Which cutoffs, as in `pu_accessor.counting.cutoffs.rank_examples`.

    Returns
    -------
    Rankings
        By the coordinates of the other dimensions, their names as those of the key.

    Raises
    ------
    PUKeyError
        If there is no such variable or dimension.
    PUTypeError, PUValueError
        As in `pu_accessor.sources.frames.rank_arrays`.
    """
    asked = {"score": score, "label": label}
    if propensity is not None:
        asked["propensity"] = propensity
    variables = [_variable(dataset, argument, name, dim) for argument, name in asked.items()]
    scores, labels = variables[:2]
    every = dict.fromkeys(other for variable in variables for other in variable.dims)
    others = [other for other in every if other != dim]
    _check_dims(dataset, others)
    values = scores.copy(
        data=read_values(_flat(scores), coding).reshape(scores.shape),
    )
    read = read_states(_flat(labels), coding)
    states = [labels.copy(data=state.reshape(labels.shape)) for state in read]
    odds = [_propensities(variable, states[0]) for variable in variables[2:]]
    shape = [dataset.sizes[other] for other in others]

    def make(position: int) -> Ranking:
        place = dict(zip(others, np.unravel_index(position, shape), strict=True))
        here = [
            variable.isel({other: int(i) for other, i in place.items() if other in variable.dims})
            for variable in (values, *states, *odds)
        ]
        return rank_rows(
            here[0].to_numpy(),
            States(*(state.to_numpy() for state in here[1:3])),
            coding,
            ranks,
            None if coding.nan_policy == "omit" else dataset.sizes[dim],
            {argument: str(name) for argument, name in asked.items()},
            here[3].to_numpy() if odds else None,
        )

    along = [_index(dataset, other).tolist() for other in others]
    keys = along[0] if len(others) == 1 else product(*along)
    return Rankings(tuple(map(str, others)), tuple(keys), make)


def _variable(dataset: xr.Dataset, argument: str, name: Hashable, dim: Hashable) -> xr.DataArray:
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
            f"{argument} must name a variable, but there is no {name!r} among {there[:20]}."
            f"{suggestion(name, there)} Pass {argument}=... with the name of yours."
        )
    variable = dataset[name]
    if dim not in variable.dims:
        raise PUValueError(
            f"dim must be the dimension of the samples, but {dim!r} is not among those of "
            f"{name!r}, {list(variable.dims)}. Pass dim=... with the name of yours."
        )
    return variable.transpose(..., dim)


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
