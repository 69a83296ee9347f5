"""A frame, or two array-likes -> a ranking."""

import reprlib
from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from pu_accessor.errors import PUKeyError, PUTypeError, PUValueError, suggestion
from pu_accessor.ranking import Ranking, Ranks, rank_examples
from pu_accessor.sources.labels import Values, read_labels
from pu_accessor.sources.scores import check_missing, read_scores

__all__ = ["Column", "rank_arrays", "rank_frame"]

Column: TypeAlias = npt.ArrayLike | Sequence[Any] | pd.Series | pd.api.extensions.ExtensionArray


def rank_frame(
    frame: pd.DataFrame,
    *,
    score: Hashable,
    label: Hashable,
    positive: Values = None,
    negative: Values = None,
    unlabeled: Values = None,
    nan_policy: str = "raise",
    ranks: Ranks = "all",
) -> Ranking:
    """Rank the rows of a frame.

    Parameters
    ----------
    frame : DataFrame
        A row for each example. It is not changed; its index plays no role.
    score, label : hashable
        Names of the columns that hold scores and labels.
    positive, negative, unlabeled, nan_policy, ranks
        As in `rank_arrays`.

    Returns
    -------
    Ranking

    Raises
    ------
    PUKeyError
        If there is no such column.
    PUTypeError, PUValueError
        As in `rank_arrays`, or if several columns have that name.
    """
    return rank_arrays(
        _column(frame, "score", score),
        _column(frame, "label", label),
        positive=positive,
        negative=negative,
        unlabeled=unlabeled,
        nan_policy=nan_policy,
        ranks=ranks,
    )


def rank_arrays(
    score: Column,
    label: Column,
    *,
    positive: Values = None,
    negative: Values = None,
    unlabeled: Values = None,
    nan_policy: str = "raise",
    ranks: Ranks = "all",
) -> Ranking:
    """Rank examples given as two array-likes, paired by position.

    Parameters
    ----------
    score : array-like of numbers, shape (examples,)
        Higher is more positive.
    label : array-like, shape (examples,)
        True or 1 for a known positive, False or 0 for a known negative, missing for unlabeled.
    positive, negative, unlabeled : value or list of values, optional
        What stands for each state in another coding.
    nan_policy : {"raise", "omit", "worst"}, default "raise"
        Examples without a score raise, are dropped, or rank last (one shared cutoff).
    ranks : {"all", "breakpoints"}, int or array-like of int, default "all"
        Which cutoffs, as in `pu_accessor.ranking.rank_examples`.

    Returns
    -------
    Ranking

    Raises
    ------
    PUTypeError
        If scores are not real numbers.
    PUValueError
        If there are no examples, the two differ in length, scores are missing, or labels are
        ambiguous or of an unknown value.
    """
    scores, labels = _series("score", score), _series("label", label)
    if scores.size != labels.size:
        raise PUValueError(
            f"score and label must have the same length, but have {scores.size} and "
            f"{labels.size}. They are paired by position."
        )
    if not scores.size:
        raise PUValueError("score and label must hold at least one example, but are empty.")
    values = read_scores(scores)
    check_missing(str(scores.name), values, nan_policy)
    states = read_labels(labels, positive=positive, negative=negative, unlabeled=unlabeled)
    if nan_policy == "omit":
        kept = ~np.isnan(values)
        if not kept.any():
            raise PUValueError(
                f"score column {str(scores.name)!r} holds no score at all, so that "
                "nan_policy='omit' drops each row."
            )
        values, states = values[kept], type(states)(*(state[kept] for state in states))
    source = {"score": str(scores.name), "label": str(labels.name)}
    return rank_examples(values, *states, ranks=ranks, source=source)


def _series(argument: str, values: Any) -> "pd.Series[Any]":
    """Return an array-like as a Series with a name."""
    if isinstance(values, pd.Series):
        return values if values.name is not None else values.rename(argument)
    try:
        dimensions = np.ndim(values)
    except ValueError:  # ragged
        dimensions = 2
    if isinstance(values, str) or dimensions != 1 or isinstance(values, pd.MultiIndex):
        raise PUTypeError(
            f"{argument} must be one-dimensional, but a {type(values).__name__} of "
            f"{dimensions} dimensions was passed."
        )
    return pd.Series(values, name=argument)


def _column(frame: pd.DataFrame, argument: str, name: Hashable) -> "pd.Series[Any]":
    """Return a column by name, or say which there are."""
    try:
        there = name in frame.columns
    except TypeError:
        raise PUTypeError(
            f"{argument} must be the name of a column, but a {type(name).__name__} was passed: "
            f"{reprlib.repr(name)}."
        ) from None
    if not there:
        columns = list(frame.columns)
        shown = f"{columns[:20]}{' and more' if len(columns) > 20 else ''}"
        raise PUKeyError(
            f"{argument} must name a column, but there is no {name!r} among {shown}."
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
