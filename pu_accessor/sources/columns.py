"""Columns by name, and what they hold: scores, labels."""

from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from pu_accessor.errors import PUKeyError, PUTypeError, PUValueError, brief, shorten, suggestion
from pu_accessor.ranking import FloatArray
from pu_accessor.sources.labels import States, read_labels
from pu_accessor.sources.roles import Roles
from pu_accessor.sources.scores import check_missing, read_scores

__all__ = [
    "Column",
    "as_models",
    "as_series",
    "read_column",
    "read_states",
    "read_values",
]

Column: TypeAlias = npt.ArrayLike | Sequence[Any] | pd.Series | pd.api.extensions.ExtensionArray


def as_series(argument: str, values: Any) -> "pd.Series[Any]":
    """Return an array-like as a Series with a name."""
    if isinstance(values, pd.Series):
        return values if values.name is not None else values.rename(argument)
    try:
        dimensions = np.ndim(values)
    except (TypeError, ValueError, MemoryError):  # a Dataset, ragged, without end
        dimensions = 2
    if isinstance(values, str) or dimensions != 1 or isinstance(values, pd.MultiIndex):
        raise PUTypeError(
            f"{argument} must be one-dimensional, but a {type(values).__name__} of "
            f"{dimensions} dimensions was passed."
        )
    try:
        return pd.Series(values, name=argument)
    except OverflowError:  # before pandas 3 integers beyond float64 have no dtype of their own
        return pd.Series(values, name=argument, dtype=object)


def read_column(frame: pd.DataFrame, argument: str, name: Hashable) -> "pd.Series[Any]":
    """Return a column by name, or say which there are."""
    try:
        there = name in frame.columns
    except TypeError:
        raise PUTypeError(
            f"{argument} must be the name of a column, but a {type(name).__name__} was passed: "
            f"{brief(name)}. Name the column that holds it: {argument}='{argument}'."
        ) from None
    if not there:
        columns = list(frame.columns)
        if name is not None and name in frame.index.names:
            raise PUKeyError(
                f"{argument} must name a column, but {name!r} is a level of the index. Make it "
                "one: df.reset_index()."
            )
        shown = shorten(map(brief, columns), most=20)
        raise PUKeyError(
            f"{argument} must name a column, but there is no {brief(name)} among [{shown}]."
            f"{suggestion(name, columns)} Pass {argument}=... with the name of yours."
        )
    column = frame[name]
    if isinstance(column, pd.DataFrame):
        whole = next(full for full in frame.columns if full == name or name in np.atleast_1d(full))
        next_step = (
            f"Pass the whole name, for example {argument}={whole!r}."
            if frame.columns.nlevels > 1
            else "Rename them, or keep one: frame.loc[:, ~frame.columns.duplicated()]."
        )
        raise PUValueError(
            f"{argument} must name one column, but {name!r} stands for {column.shape[1]} columns. "
            f"{next_step}"
        )
    return column


def read_values(scores: "pd.Series[Any]", roles: Roles) -> FloatArray:
    """Read scores, and check that none is missing where none may be."""
    if not scores.size:
        raise PUValueError("score and label must hold at least one example, but are empty.")
    values = read_scores(scores)
    check_missing(str(scores.name), values, roles.nan_policy)
    return values


def read_states(labels: "pd.Series[Any]", roles: Roles) -> States:
    """Read labels in their coding."""
    return read_labels(
        labels,
        positive=roles.positive,
        negative=roles.negative,
        unlabeled=roles.unlabeled,
    )


def as_models(score: Hashable | list[Hashable]) -> list[Hashable]:
    """Return the columns of scores, one for each model."""
    models = score if isinstance(score, list) else [score]
    if not models or len(set(map(str, models))) < len(models):
        raise PUValueError(
            f"score must name one column or a list of different ones, but {models!r} was passed."
        )
    return models
