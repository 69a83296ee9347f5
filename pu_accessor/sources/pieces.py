"""Frames in pieces that no memory holds together -> rankings.

A first pass brings the labeled scores to one place, a second counts all scores between them, for
all groups and models at once. The curves' corners take a further look at the few gaps that they
lie in: a pass or two for each group and model. Nothing but labeled scores, counts and the scores
of these gaps leaves a piece.
"""

from collections.abc import Hashable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from pu_accessor.counting.cutoffs import Examples, rank_counted
from pu_accessor.counting.gaps import Gaps, count_gaps, distinct, scores_inside
from pu_accessor.errors import PUDataError, PUValueError, check_option
from pu_accessor.ranking import (
    BoolArray,
    Counts,
    FloatArray,
    IntArray,
    Keyed,
    PairedRanks,
    Ranking,
    Rankings,
    Ranks,
)
from pu_accessor.sources.chunks import Pieces
from pu_accessor.sources.columns import Coding, as_models, as_series, read_column, read_states
from pu_accessor.sources.frames import name_keys
from pu_accessor.sources.groups import Groups, check_roles, group_frame, key_columns
from pu_accessor.sources.labels import States
from pu_accessor.sources.propensities import read_propensities
from pu_accessor.sources.scores import NAN_POLICIES, read_scores, say_missing

__all__ = ["Plan", "pair_pieces", "rank_pieces"]

Rows: TypeAlias = IntArray | slice
Place: TypeAlias = tuple[Hashable, int]  # the key of a group, and the position of a model


class Plan(NamedTuple):
    """What to read of each piece.

    Parameters
    ----------
    models : tuple of hashable
        Columns of scores.
    label : hashable
        Column of labels.
    by : hashable, list of hashable or None
        Columns of keys.
    propensity : hashable or None
        Column of propensities.
    coding : Coding
        How to read labels and missing scores.
    paired : bool, default False
        Whether an example counts only if all models have a score for it.
    """

    models: tuple[Hashable, ...]
    label: Hashable
    by: Any
    propensity: Hashable | None
    coding: Coding
    paired: bool = False

    def counted(self) -> list[Hashable]:
        """Return the columns that are read to count."""
        keys = [] if self.by is None else self.by if isinstance(self.by, list) else [self.by]
        return list(dict.fromkeys([*self.models, *keys]))

    def columns(self) -> list[Hashable]:
        """Return all columns that are read."""
        odds = [] if self.propensity is None else [self.propensity]
        return list(dict.fromkeys([*self.counted(), self.label, *odds]))


class _Group(NamedTuple):
    """The labeled examples of a group, and how many there are in all."""

    positive: FloatArray  # (models, known positives)
    negative: FloatArray  # (models, known negatives)
    propensity: FloatArray  # (known positives,), or none at all
    missing: IntArray  # (models,): examples without a score
    size: int


class _Survey(NamedTuple):
    """What a first pass brings together."""

    groups: Mapping[Hashable, _Group]
    keys: pd.DataFrame  # each once
    rows: int
    missing: IntArray  # (models,): scores
    labels: "pd.Series[Any]"  # the values of labels, each once, as far as none is missing
    complete: bool  # whether no label is missing


def rank_pieces(
    pieces: Pieces,
    *,
    score: Hashable | list[Hashable],
    label: Hashable,
    by: Any = None,
    propensity: Hashable | None = None,
    coding: Coding,
    ranks: Ranks,
) -> Rankings:
    """Rank the rows of a frame in pieces, of each of its groups, by each column of scores.

    Parameters
    ----------
    pieces : Pieces
        The frame.
    score, label, propensity, coding
        As in `pu_accessor.sources.frames.rank_frame`.
    by : hashable or list of hashable, optional
        Columns whose values make groups.
    ranks : "breakpoints", int or array-like of int
        Which cutoffs. All of them would take all scores in one place.

    Returns
    -------
    Rankings
        Those that `rank_frame` makes of the same rows.

    Raises
    ------
    PUKeyError
        If there is no such column.
    PUTypeError, PUValueError
        As in `rank_frame`; if `ranks` is "all".
    """
    if isinstance(ranks, str) and ranks == "all":
        raise PUValueError(
            "ranks must be 'breakpoints' or numbers for data in pieces, but 'all' was passed: all "
            "cutoffs take all scores in one place. Curves and areas are the same at "
            "ranks='breakpoints'."
        )
    plan = Plan(tuple(as_models(score)), label, by, propensity, coding)
    surveyed = _survey_all(pieces, plan)
    groups = _groups(surveyed, plan)
    gaps = _count_all(pieces, plan, surveyed)
    odds = {} if propensity is None else {"propensity": str(propensity)}
    highest = max(_size(surveyed, plan, place) for place in gaps)

    def make(position: int) -> Ranking:
        group, model = divmod(position, len(plan.models))
        place = ((), model) if groups is None else (groups.keys[group], model)
        return rank_counted(
            _examples(pieces, plan, surveyed, place),
            gaps=gaps[place],
            ranks=ranks,
            highest=None if isinstance(ranks, str) else highest,
            source={"score": str(plan.models[model]), "label": str(label), **odds},
        )

    models = list(plan.models) if isinstance(score, list) else None
    return Rankings(*name_keys(groups, models), make)


def pair_pieces(
    pieces: Pieces,
    *,
    score: Hashable | list[Hashable],
    label: Hashable,
    by: Any,
    on: object,
    coding: Coding,
) -> Keyed[PairedRanks]:
    """Rank the same examples by several models: columns of a frame in pieces.

    Parameters
    ----------
    pieces, score, label, by, coding
        As in `rank_pieces`; `score` is a list.
    on : object
        Must be None: rows of pieces are not joined.

    Returns
    -------
    Keyed of PairedRanks
        By group.

    Raises
    ------
    PUKeyError, PUTypeError, PUValueError
        As in `rank_pieces`; if models are in rows.
    """
    if not isinstance(score, list) or on is not None:
        raise PUValueError(
            "score must be a list of columns, one for each model, for data in pieces, but "
            f"{score!r} was passed{'' if on is None else f' with on={on!r}'}. Rows of several "
            "pieces are not joined: pivot them first, or take them into memory."
        )
    plan = Plan(
        tuple(as_models(score)), label, by, None, coding, paired=coding.nan_policy == "omit"
    )
    surveyed = _survey_all(pieces, plan)
    groups = _groups(surveyed, plan)
    gaps = _count_all(pieces, plan, surveyed)

    def make(position: int) -> PairedRanks:
        key = () if groups is None else groups.keys[position]
        group = surveyed.groups[key]
        ranks = {
            model: _mid_ranks(group.positive[number], gaps[key, number])
            for number, model in enumerate(plan.models)
        }
        known = group.positive.shape[1], group.negative.shape[1]
        return PairedRanks(("model",), ranks, Counts(*known, group.size - sum(known)))

    return Keyed(*(((), ((),)) if groups is None else (groups.names, groups.keys)), make)


def _mid_ranks(scores: FloatArray, gaps: Gaps) -> FloatArray:
    """Return the ranks of labeled scores among all, ties averaged."""
    through = np.append(0, gaps.blocks()[1])
    value = np.searchsorted(0.0 - gaps.values, 0.0 - scores)
    ranks: FloatArray = (through[2 * value + 1] + through[2 * value + 2] + 1) / 2
    return ranks


def _survey_all(pieces: Pieces, plan: Plan) -> _Survey:
    """Bring the labeled scores of all pieces to one place, and check what can be checked."""
    check_option("nan_policy", plan.coding.nan_policy, NAN_POLICIES)
    example = pieces.example()
    for model in plan.models:
        read_column(example, "score", model)
    read_column(example, "label", plan.label)
    if plan.propensity is not None:
        read_column(example, "propensity", plan.propensity)
    if plan.by is not None:
        key_columns(example, plan.by)
    surveyed = pieces.fold(partial(_survey, plan), _merge_surveys, plan.columns())
    if not surveyed.rows:
        raise PUValueError("score and label must hold at least one example, but are empty.")
    if surveyed.complete and len(surveyed.labels):
        read_states(surveyed.labels, plan.coding)  # says if they are ambiguous
    if plan.coding.nan_policy == "raise":
        for model, missing in zip(plan.models, surveyed.missing.tolist(), strict=True):
            say_missing(str(model), missing, surveyed.rows)
    return surveyed


def _survey(plan: Plan, frame: pd.DataFrame) -> _Survey:
    """Return the labeled scores of one piece."""
    if frame.empty:  # of whatever dtypes
        none = np.zeros(len(plan.models), np.int64)
        return _Survey({}, frame.iloc[:0, :0], 0, none, frame[plan.label], True)
    labels = as_series("label", frame[plan.label])
    states = _read_states(labels, plan.coding)
    scores = _read_scores(plan, frame)
    odds = None
    if plan.propensity is not None:
        odds = read_propensities(frame[plan.propensity], states.positive)
    groups, keys = _group(plan, frame)
    complete = not labels.isna().any()
    return _Survey(
        {key: _pick(plan, scores, states, odds, rows) for key, rows in groups.items()},
        keys,
        labels.size,
        np.isnan(scores).sum(axis=1),
        labels.drop_duplicates() if complete else labels.iloc[:0],
        complete,
    )


def _read_states(labels: "pd.Series[Any]", coding: Coding) -> States:
    """Read the labels of one piece: others may have what makes them unambiguous."""
    try:
        return read_states(labels, coding)
    except PUValueError:
        if labels.isna().any():
            raise
        explicit = coding._replace(
            positive=True if coding.positive is None else coding.positive,
            negative=False if coding.negative is None else coding.negative,
        )
        try:
            return read_states(labels, explicit)
        except PUValueError:
            pass
        raise


def _read_scores(plan: Plan, frame: pd.DataFrame) -> FloatArray:
    """Read the scores of all models, shape (models, rows)."""
    return np.stack([_read_column(frame[model]) for model in plan.models])


def _read_column(scores: "pd.Series[Any]") -> FloatArray:
    """Read scores that compare with those of other pieces."""
    values = read_scores(scores)
    if pd.api.types.is_integer_dtype(scores.dtype) and (np.abs(values) >= 2**53).any():
        raise PUValueError(
            f"score column {scores.name!r} holds integers of 2**53 and more, that float64 may not "
            "tell apart, in pieces that are not compared. Pass smaller numbers, or floats."
        )
    return values


def _group(plan: Plan, frame: pd.DataFrame) -> tuple[dict[Hashable, Rows], pd.DataFrame]:
    """Return the rows of each group of one piece, and their keys as a frame."""
    if plan.by is None:
        return {(): slice(None)}, frame.iloc[:0, :0]
    columns = plan.by if isinstance(plan.by, list) else [plan.by]
    keys = frame[columns].dropna()
    if keys.empty:
        return {}, keys
    groups = group_frame(frame, plan.by)
    return dict(zip(groups.keys, groups.rows, strict=True)), keys.drop_duplicates()


def _pick(
    plan: Plan, scores: FloatArray, states: States, odds: FloatArray | None, rows: Rows
) -> _Group:
    """Return the labeled examples among some rows."""
    some, positive, negative = scores[:, rows], states.positive[rows], states.negative[rows]
    kept = _kept(plan, some)
    positive, negative = positive & kept, negative & kept
    return _Group(
        some[:, positive],
        some[:, negative],
        np.empty(0) if odds is None else odds[rows][positive],
        np.isnan(some[:, kept]).sum(axis=1),
        int(kept.sum()),
    )


def _kept(plan: Plan, scores: FloatArray) -> BoolArray:
    """Tell which rows count at all."""
    if plan.paired:
        return np.asarray(~np.isnan(scores).any(axis=0))
    return np.ones(scores.shape[1], np.bool_)


def _merge_surveys(one: _Survey, other: _Survey) -> _Survey:
    """Put the labeled scores of two pieces together, in order."""
    groups = dict(one.groups)
    for key, group in other.groups.items():
        groups[key] = _join(groups[key], group) if key in groups else group
    complete = one.complete and other.complete
    labels = pd.concat([one.labels, other.labels]).drop_duplicates()
    return _Survey(
        groups,
        pd.concat([one.keys, other.keys]).drop_duplicates(),
        one.rows + other.rows,
        one.missing + other.missing,
        labels if complete else labels.iloc[:0],
        complete,
    )


def _join(one: _Group, other: _Group) -> _Group:
    """Put the labeled examples of two pieces together."""
    return _Group(
        np.concatenate([one.positive, other.positive], axis=1),
        np.concatenate([one.negative, other.negative], axis=1),
        np.concatenate([one.propensity, other.propensity]),
        one.missing + other.missing,
        one.size + other.size,
    )


def _groups(surveyed: _Survey, plan: Plan) -> Groups | None:
    """Return the groups in the order that a frame in memory has."""
    if plan.by is None:
        return None
    groups = group_frame(surveyed.keys, plan.by)
    check_roles(groups, list(plan.models), plan.label)
    return groups


def _examples(pieces: Pieces, plan: Plan, surveyed: _Survey, place: Place) -> Examples:
    """Return the examples of a group, ranked by a model."""
    key, model = place
    group = surveyed.groups[key]
    positive, negative = group.positive[model], group.negative[model]
    omit = plan.coding.nan_policy == "omit"
    kept = ~np.isnan(positive) if omit else np.ones(positive.size, np.bool_)
    size = _size(surveyed, plan, place)
    if not size:
        raise PUDataError(
            f"score column {str(plan.models[model])!r} must hold at least one score, but there is "
            "none in the rows to rank."
        )
    return Examples(
        positive[kept],
        negative[~np.isnan(negative)] if omit else negative,
        size,
        partial(_count_one, pieces, plan, place),
        partial(_fetch_one, pieces, plan, place),
        None if plan.propensity is None else group.propensity[kept],
    )


def _size(surveyed: _Survey, plan: Plan, place: Place) -> int:
    """Return the number of examples that are ranked."""
    group = surveyed.groups[place[0]]
    return group.size - int(group.missing[place[1]] if plan.coding.nan_policy == "omit" else 0)


def _count_all(pieces: Pieces, plan: Plan, surveyed: _Survey) -> dict[Place, Gaps]:
    """Count all scores between the labeled ones: of all groups and models, in one pass."""
    values = {
        (key, model): distinct(_labeled(plan, group, model))[0]
        for key, group in surveyed.groups.items()
        for model in range(len(plan.models))
    }
    return pieces.fold(partial(_count, plan, values), _merge_gaps, plan.counted())


def _labeled(plan: Plan, group: _Group, model: int) -> FloatArray:
    """Return the labeled scores of a model that count."""
    labeled = np.concatenate([group.positive[model], group.negative[model]])
    return labeled[~np.isnan(labeled)] if plan.coding.nan_policy == "omit" else labeled


def _count(
    plan: Plan, values: Mapping[Place, FloatArray], frame: pd.DataFrame
) -> dict[Place, Gaps]:
    """Count the scores of one piece between some values, for each group and model."""
    return {
        place: count_gaps(values[place], scores) for place, scores in _scores(plan, values, frame)
    }


def _scores(
    plan: Plan, wanted: Iterable[Place], frame: pd.DataFrame
) -> Iterable[tuple[Place, FloatArray]]:
    """Return the scores of one piece, of each wanted group and model."""
    if frame.empty:
        return
    scores = _read_scores(plan, frame)
    groups, _ = _group(plan, frame)
    for key, model in wanted:
        if key in groups:
            some = scores[:, groups[key]]
            one = some[model][_kept(plan, some)]
            yield (key, model), one[~np.isnan(one)] if plan.coding.nan_policy == "omit" else one


def _merge_gaps(one: dict[Place, Gaps], other: dict[Place, Gaps]) -> dict[Place, Gaps]:
    """Add the counts of two pieces."""
    merged = dict(one)
    for place, gaps in other.items():
        merged[place] = merged[place].merge(gaps) if place in merged else gaps
    return merged


def _count_one(pieces: Pieces, plan: Plan, place: Place, values: FloatArray) -> Gaps:
    """Count the scores of a group and model between some values."""
    return pieces.fold(partial(_count, plan, {place: values}), _merge_gaps, plan.counted())[place]


def _fetch_one(
    pieces: Pieces, plan: Plan, place: Place, values: FloatArray, numbers: IntArray
) -> FloatArray:
    """Return all scores of a group and model in some gaps."""
    return pieces.fold(partial(_fetch, plan, place, values, numbers), _concatenate, plan.counted())


def _fetch(
    plan: Plan, place: Place, values: FloatArray, numbers: IntArray, frame: pd.DataFrame
) -> FloatArray:
    """Return the scores of one piece, of a group and model, in some gaps."""
    found = [scores_inside(values, numbers, some) for _, some in _scores(plan, [place], frame)]
    return np.concatenate([*found, np.empty(0)])


def _concatenate(one: FloatArray, other: FloatArray) -> FloatArray:
    return np.concatenate([one, other])
