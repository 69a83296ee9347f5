"""What a first pass over pieces brings together: labeled scores, keys, and what to check."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from pu_accessor.errors import PUValueError
from pu_accessor.ranking import BoolArray, FloatArray, IntArray
from pu_accessor.sources.chunks import Pieces
from pu_accessor.sources.columns import as_models, read_column, read_states
from pu_accessor.sources.groups import Groups, check_roles, group_frame, key_columns
from pu_accessor.sources.labels import States
from pu_accessor.sources.propensities import read_propensities
from pu_accessor.sources.roles import Roles
from pu_accessor.sources.scores import is_told_alone, read_scores, say_missing

__all__ = [
    "Labeled",
    "Plan",
    "Survey",
    "group_piece",
    "kept_rows",
    "read_keys",
    "read_models",
    "survey_pieces",
]

Rows: TypeAlias = IntArray | slice

_MANY = 1000  # values of labels, beyond which those of other pieces do not matter for a message


@dataclass(frozen=True)
class Plan:
    """What to read of each piece.

    Parameters
    ----------
    roles : Roles
        What each column means; the keys of a groupby are there, too.
    paired : bool, default False
        Whether an example counts only if all models have a score for it.
    """

    roles: Roles
    paired: bool = False

    @property
    def models(self) -> list[Hashable]:
        """Columns of scores, one for each model."""
        return as_models(self.roles.score)

    @property
    def keys(self) -> list[Hashable]:
        """Columns of keys."""
        by = self.roles.by
        return [] if by is None else by if isinstance(by, list) else [by]

    @property
    def omits(self) -> bool:
        """Whether examples without a score are dropped."""
        return self.roles.nan_policy == "omit"

    def counted(self) -> list[Hashable]:
        """Return the columns that are read to count."""
        return list(dict.fromkeys([*self.models, *self.keys]))

    def columns(self) -> list[Hashable]:
        """Return all columns that are read."""
        odds = [] if self.roles.propensity is None else [self.roles.propensity]
        return list(dict.fromkeys([*self.counted(), self.roles.label, *odds]))


class Labeled(NamedTuple):
    """The labeled examples of a group, and how many there are in all."""

    positive: FloatArray  # (models, known positives)
    negative: FloatArray  # (models, known negatives)
    propensity: FloatArray  # (known positives,), or none at all
    missing: IntArray  # (models,): examples without a score
    size: int


class Survey(NamedTuple):
    """What a first pass brings together."""

    groups: Mapping[Hashable, Labeled]
    keys: pd.DataFrame  # each once
    rows: int
    missing: IntArray  # (models,): scores
    odds: FloatArray  # propensities of all known positives, or none at all
    labels: "pd.Series[Any]"  # the values of labels, each once
    complete: bool  # whether no label is missing
    wrong: PUValueError | None  # what a piece says of its labels, if that is anything


def survey_pieces(pieces: Pieces, plan: Plan) -> Survey:
    """Bring the labeled scores of all pieces to one place, and check what can be checked."""
    _check_columns(pieces.example(), plan)
    surveyed = pieces.fold(partial(_survey, plan), _merge_surveys, plan.columns())
    if not surveyed.rows:
        raise PUValueError("score and label must hold at least one example, but are empty.")
    if plan.roles.nan_policy == "raise":
        for model, missing in zip(plan.models, surveyed.missing.tolist(), strict=True):
            say_missing(str(model), missing, surveyed.rows)
    _check_labels(surveyed, plan.roles)
    if plan.roles.propensity is not None:
        odds = pd.Series(surveyed.odds, name=plan.roles.propensity)
        read_propensities(odds, np.ones(odds.size, np.bool_))
    return surveyed


def _check_labels(surveyed: Survey, roles: Roles) -> None:
    """Raise if the labels of all pieces are ambiguous, or of a value that stands for no state."""
    labels = surveyed.labels
    if surveyed.wrong is not None and not surveyed.complete:
        labels = pd.Series([*labels, None], name=labels.name, dtype=object)
    if surveyed.wrong is not None or surveyed.complete:
        read_states(labels, roles)
    if surveyed.wrong is not None:
        raise surveyed.wrong


def _check_columns(example: pd.DataFrame, plan: Plan) -> None:
    """Raise unless all columns are there."""
    for model in plan.models:
        read_column(example, "score", model)
    read_column(example, "label", plan.roles.label)
    if plan.roles.propensity is not None:
        read_column(example, "propensity", plan.roles.propensity)
    if plan.roles.by is not None:
        key_columns(example, plan.roles.by)


def _survey(plan: Plan, frame: pd.DataFrame) -> Survey:
    """Return the labeled scores of one piece."""
    if frame.empty:  # of whatever dtypes
        none = np.zeros(len(plan.models), np.int64)
        nobody = np.empty(0)
        return Survey({}, frame[plan.keys], 0, none, nobody, frame[plan.roles.label], True, None)
    scores = read_models(plan, frame)
    labels = frame[plan.roles.label]
    there = labels.dropna()
    whole = Survey(
        {},
        frame[plan.keys].iloc[:0],
        labels.size,
        np.isnan(scores).sum(axis=1),
        np.empty(0),
        there.drop_duplicates(),
        there.size == labels.size,
        None,
    )
    try:
        states = _read_states(labels, plan.roles)
    except PUValueError as error:
        if whole.labels.size > _MANY:
            raise
        return whole._replace(wrong=error)
    odds = None
    if plan.roles.propensity is not None:
        unchecked = np.zeros(labels.size, np.bool_)  # before all pieces are there
        odds = read_propensities(frame[plan.roles.propensity], unchecked)
    groups, keys = group_piece(plan, frame)
    return whole._replace(
        groups={key: _pick(plan, scores, states, odds, rows) for key, rows in groups.items()},
        keys=keys,
        odds=np.empty(0) if odds is None else odds[states.positive],
    )


def _read_states(labels: "pd.Series[Any]", roles: Roles) -> States:
    """Read the labels of one piece: others may have what makes them unambiguous."""
    try:
        return read_states(labels, roles)
    except PUValueError:
        if labels.isna().any():
            raise
        explicit = replace(
            roles,
            positive=True if roles.positive is None else roles.positive,
            negative=False if roles.negative is None else roles.negative,
        )
        try:
            return read_states(labels, explicit)
        except PUValueError:
            pass
        raise


def read_models(plan: Plan, frame: pd.DataFrame) -> FloatArray:
    """Read the scores of all models."""
    return np.stack([_read_column(frame[model]) for model in plan.models])


def _read_column(scores: "pd.Series[Any]") -> FloatArray:
    """Read scores that compare with those of other pieces."""
    values = read_scores(scores)
    if not is_told_alone(scores, values):
        raise PUValueError(
            f"score column {scores.name!r} holds {scores.dtype} numbers (integers of 2**53 and "
            "more, decimals of 16 digits and more) that float64 may not tell apart, in pieces "
            "that are not compared. Pass smaller numbers, or floats."
        )
    return values


def group_piece(plan: Plan, frame: pd.DataFrame) -> tuple[dict[Hashable, Rows], pd.DataFrame]:
    """Group the rows of one piece."""
    keys = frame[plan.keys]
    if plan.roles.by is None:
        return {(): slice(None)}, keys.iloc[:0]
    if not keys.notna().all(axis=1).any():
        return {}, keys.iloc[:0]
    groups = group_frame(frame, plan.roles.by)
    first = [rows.start if isinstance(rows, slice) else rows[0] for rows in groups.rows]
    return dict(zip(groups.keys, groups.rows, strict=True)), keys.iloc[first]


def _pick(
    plan: Plan, scores: FloatArray, states: States, odds: FloatArray | None, rows: Rows
) -> Labeled:
    """Return the labeled examples among some rows."""
    some, positive, negative = scores[:, rows], states.positive[rows], states.negative[rows]
    kept = kept_rows(plan, some)
    positive, negative = positive & kept, negative & kept
    return Labeled(
        some[:, positive],
        some[:, negative],
        np.empty(0) if odds is None else odds[rows][positive],
        np.isnan(some[:, kept]).sum(axis=1),
        int(kept.sum()),
    )


def kept_rows(plan: Plan, scores: FloatArray) -> BoolArray:
    """Tell which rows count at all."""
    if plan.paired:
        return np.asarray(~np.isnan(scores).any(axis=0))
    return np.ones(scores.shape[1], np.bool_)


def _together(one: Any, other: Any) -> Any:
    """Put distinct rows together; those of nothing have no say in the dtype, in any pandas."""
    some = [rows for rows in (one, other) if len(rows)]
    return pd.concat(some or [one]).drop_duplicates()


def _merge_surveys(one: Survey, other: Survey) -> Survey:
    """Put the labeled scores of two pieces together, in order."""
    groups = dict(one.groups)
    for key, group in other.groups.items():
        groups[key] = _join(groups[key], group) if key in groups else group
    labels = _together(one.labels, other.labels)
    wrong = one.wrong or other.wrong
    if wrong is not None and labels.size > _MANY:
        raise wrong
    return Survey(
        groups,
        _together(one.keys, other.keys),
        one.rows + other.rows,
        one.missing + other.missing,
        np.concatenate([one.odds, other.odds]),
        labels,
        one.complete and other.complete,
        wrong,
    )


def _join(one: Labeled, other: Labeled) -> Labeled:
    """Put the labeled examples of two pieces together."""
    return Labeled(
        np.concatenate([one.positive, other.positive], axis=1),
        np.concatenate([one.negative, other.negative], axis=1),
        np.concatenate([one.propensity, other.propensity]),
        one.missing + other.missing,
        one.size + other.size,
    )


def read_keys(surveyed: Survey, plan: Plan) -> Groups | None:
    """Return the groups in the order that a frame in memory has."""
    if plan.roles.by is None:
        return None
    groups = group_frame(surveyed.keys, plan.roles.by)
    check_roles(groups, plan.models, plan.roles.label)
    if set(groups.keys) != set(surveyed.groups):
        raise PUValueError(
            f"by must name columns of one dtype, but keys of {', '.join(groups.names)} differ "
            "from piece to piece: put together, they are not what they are there. Cast them "
            "first, for example with column.astype('str')."
        )
    return groups
