"""A frame, its groups or several of its columns, or two array-likes -> rankings."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.errors import PUDataError, PUTypeError, PUValueError
from pu_accessor.ranking import FloatArray, Ranking, Rankings, Ranks
from pu_accessor.sources.columns import (
    CANONICAL,
    Coding,
    Column,
    as_models,
    as_series,
    read_column,
    read_states,
    read_values,
)
from pu_accessor.sources.groups import Groups, check_roles
from pu_accessor.sources.labels import States
from pu_accessor.sources.propensities import read_propensities

__all__ = ["name_keys", "rank_arrays", "rank_frame", "rank_rows", "sample_unlabeled"]


def rank_frame(
    frame: pd.DataFrame,
    *,
    score: Hashable | list[Hashable],
    label: Hashable,
    propensity: Hashable | None = None,
    groups: Groups | None = None,
    coding: Coding = CANONICAL,
    ranks: Ranks = "all",
) -> Rankings:
    """Rank the rows of a frame, of each of its groups, by each of its columns of scores.

    Parameters
    ----------
    frame : DataFrame
        A row for each example. It is not changed; its index plays no role.
    score : hashable or list of hashable
        Column of scores, or one for each model.
    label : hashable
        Column of labels. They are read once, however many rankings there are.
    propensity : hashable, optional
        Column of the probabilities with which positives are labeled.
    groups : Groups, optional
        Rows to rank apart.
    coding : Coding, optional
        How to read labels and missing scores.
    ranks : {"all", "breakpoints"}, int or array-like of int, default "all"
        Which cutoffs, as in `pu_accessor.counting.cutoffs.rank_examples`.

    Returns
    -------
    Rankings
        With the names of the groups, and "model" for several columns of scores.

    Raises
    ------
    PUKeyError
        If there is no such column.
    PUTypeError, PUValueError
        As in `rank_arrays`, or if several columns have one name.
    """
    models = as_models(score)
    columns = [as_series("score", read_column(frame, "score", model)) for model in models]
    labels = as_series("label", read_column(frame, "label", label))
    check_roles(groups, models, label)
    values = [read_values(column, coding) for column in columns]
    states = read_states(labels, coding)
    propensities = None
    if propensity is not None:
        odds = as_series("propensity", read_column(frame, "propensity", propensity))
        propensities = read_propensities(odds, states.positive)
    rows = [slice(None)] if groups is None else groups.rows
    highest = (
        None
        if isinstance(ranks, str)
        else max(_scored(one[some], coding) for one in values for some in rows)
    )

    def make(position: int) -> Ranking:
        group, model = divmod(position, len(models))
        return rank_rows(
            values[model][rows[group]],
            States(*(state[rows[group]] for state in states)),
            coding,
            ranks,
            highest,
            _source(columns[model], labels, propensity),
            None if propensities is None else propensities[rows[group]],
        )

    several = isinstance(score, list)
    names, keys = name_keys(groups, models if several else None)
    return Rankings(names, keys, make)


def rank_arrays(
    score: Column,
    label: Column,
    *,
    propensity: Column | None = None,
    coding: Coding = CANONICAL,
    ranks: Ranks = "all",
) -> Rankings:
    """Rank examples given as two array-likes, paired by position.

    Parameters
    ----------
    score : array-like of numbers, shape (examples,)
        Higher is more positive.
    label : array-like, shape (examples,)
        True or 1 for a known positive, False or 0 for a known negative, missing for unlabeled.
    propensity : array-like of numbers, shape (examples,), optional
        Probability with which each positive is labeled, in (0, 1]. That of others is not read.
    coding : Coding, optional
        `positive`, `negative`, `unlabeled`: a value or list of values that stand for each state
        in another coding. `nan_policy`: examples without a score raise ("raise"), are dropped
        ("omit"), or rank last ("worst").
    ranks : {"all", "breakpoints"}, int or array-like of int, default "all"
        Which cutoffs, as in `pu_accessor.counting.cutoffs.rank_examples`.

    Returns
    -------
    Rankings
        A single one.

    Raises
    ------
    PUTypeError
        If scores are not real numbers.
    PUValueError
        If there are no examples, the two differ in length, scores are missing, or labels are
        ambiguous or of an unknown value.
    """
    scores, labels = as_series("score", score), as_series("label", label)
    if scores.size != labels.size:
        raise PUValueError(
            f"score and label must have the same length, but have {scores.size} and "
            f"{labels.size}. They are paired by position."
        )
    values, states = read_values(scores, coding), read_states(labels, coding)
    odds = None if propensity is None else as_series("propensity", propensity)
    if odds is not None and odds.size != labels.size:
        raise PUValueError(
            f"propensity must have a value for each of the {labels.size} examples, but has "
            f"{odds.size}. It is paired with them by position."
        )
    known = None if odds is None else read_propensities(odds, states.positive)
    source = _source(scores, labels, None if odds is None else odds.name)

    def make(position: int) -> Ranking:
        return rank_rows(values, states, coding, ranks, None, source, known)

    return Rankings((), ((),), make)


def rank_rows(
    values: FloatArray,
    states: States,
    coding: Coding,
    ranks: Ranks,
    highest: int | None,
    source: dict[str, str],
    propensity: FloatArray | None = None,
) -> Ranking:
    """Rank examples by scores and labels that have been read.

    Parameters
    ----------
    values : ndarray of float64, shape (examples,)
        Scores.
    states : States
        Labels.
    coding : Coding
        Whether examples without a score are dropped.
    ranks, highest, source, propensity
        As in `pu_accessor.counting.cutoffs.rank_examples`.

    Returns
    -------
    Ranking

    Raises
    ------
    PUDataError
        If no example has a score.
    """
    if coding.nan_policy == "omit":
        kept = ~np.isnan(values)
        values, states = values[kept], States(*(state[kept] for state in states))
        propensity = None if propensity is None else propensity[kept]
    if not values.size:
        raise PUDataError(
            f"score column {source['score']!r} must hold at least one score, but there is none in "
            "the rows to rank."
        )
    return rank_examples(
        values, *states, ranks=ranks, highest=highest, propensity=propensity, source=source
    )


def _source(
    scores: "pd.Series[Any]", labels: "pd.Series[Any]", propensity: Hashable | None
) -> dict[str, str]:
    """Name the columns, for the attributes of results."""
    names = {"score": str(scores.name), "label": str(labels.name)}
    return names if propensity is None else {**names, "propensity": str(propensity)}


def _scored(values: FloatArray, coding: Coding) -> int:
    """Count the examples that are ranked."""
    return values.size - int(np.isnan(values).sum() if coding.nan_policy == "omit" else 0)


def name_keys(
    groups: Groups | None, models: list[Hashable] | None
) -> tuple[tuple[str, ...], tuple[Hashable, ...]]:
    """Combine the keys of groups and of models, groups first.

    Parameters
    ----------
    groups : Groups or None
        Of rows.
    models : list of hashable or None
        Columns of scores, where there may be several.

    Returns
    -------
    names : tuple of str
    keys : tuple of hashable
    """
    if groups is None:
        return (("model",), tuple(models)) if models is not None else ((), ((),))
    if models is None:
        return groups.names, groups.keys
    keys = [
        (*(key if len(groups.names) > 1 and isinstance(key, tuple) else (key,)), model)
        for key in groups.keys
        for model in models
    ]
    return (*groups.names, "model"), tuple(keys)


def sample_unlabeled(
    frame: pd.DataFrame,
    size: int,
    *,
    label: Hashable,
    random_state: int | np.random.Generator,
    groups: Groups | None = None,
    coding: Coding = CANONICAL,
) -> pd.DataFrame:
    """Draw unlabeled rows at random, without replacement.

    Parameters
    ----------
    frame : DataFrame
        A row for each example.
    size : int
        How many rows to draw, of each group.
    label : hashable
        Column of labels.
    random_state : int or numpy Generator
        Seed.
    groups : Groups, optional
        Rows to draw from apart.
    coding : Coding, optional
        How to read labels.

    Returns
    -------
    DataFrame
        The rows drawn.

    Raises
    ------
    PUTypeError, PUValueError
        If `size` is no number of rows that there are.
    """
    if isinstance(size, bool) or not isinstance(size, int | np.integer):
        raise PUTypeError(f"size must be an integer, but {size!r} was passed.")
    states = read_states(as_series("label", read_column(frame, "label", label)), coding)
    free = ~(states.positive | states.negative)
    rng = np.random.default_rng(random_state)
    drawn = []
    for place, rows in enumerate([slice(None)] if groups is None else groups.rows):
        there = np.arange(free.size)[rows]
        there = there[free[there]]
        if not 0 < size <= there.size:
            raise PUDataError(
                f"size must lie between 1 and the number of unlabeled rows, {there.size}"
                f"{f' in group {groups.keys[place]!r}' if groups else ''}, but {size} was passed."
            )
        drawn.append(rng.choice(there, size, replace=False))
    return frame.iloc[np.concatenate(drawn)]
