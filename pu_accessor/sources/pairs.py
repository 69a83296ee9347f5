"""Several models of the same examples, as columns or as groups of rows -> paired ranks."""

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from pu_accessor.counting.placements import Places, count_above, rank_pairs
from pu_accessor.errors import PUValueError
from pu_accessor.ranking import Counts, FloatArray, IntArray, Keyed, PairedRanks
from pu_accessor.sources.columns import (
    as_models,
    read_column,
    read_states,
    read_values,
)
from pu_accessor.sources.groups import Groups, Numbers, check_roles, key_columns, number_groups
from pu_accessor.sources.labels import States
from pu_accessor.sources.pooled import pool_groups, pool_pairs
from pu_accessor.sources.propensities import read_propensities
from pu_accessor.sources.roles import Roles

__all__ = ["check_same_odds", "pair_models", "pair_scores", "pair_weight"]


def pair_models(
    frame: pd.DataFrame,
    groups: Groups | None,
    roles: Roles,
    on: Hashable | list[Hashable] | None,
) -> Keyed[PairedRanks]:
    """Rank the same examples by several models."""
    if isinstance(roles.score, list):
        return _pair_columns(frame, roles.score, groups, roles, on)
    if groups is None:
        raise PUValueError(
            "score must name two or more columns, one for each model, but "
            f"{roles.score!r} was passed. For models in rows, name their column and that of the "
            "examples: df.pu(by='model').compare(on='example_id')."
        )
    if roles.pool:
        raise PUValueError(
            f"pool must be False for models in rows, but {roles.pool!r} was passed. Put a column "
            "of scores for each model: df.pivot(index=['id', 'fold', 'label'], columns='model', "
            "values='score').reset_index().pu(score=[...], by='fold', pool=True)."
        )
    if on is None:
        raise PUValueError(
            f"on must name the column that pairs the rows of {', '.join(groups.names)}, but None "
            "was passed. For groups that share no examples: gap."
        )
    return _pair_groups(frame, roles.score, groups, roles, on)


def pair_scores(
    names: tuple[str, ...],
    models: Sequence[Hashable],
    values: FloatArray,
    states: States,
    roles: Roles,
    propensity: FloatArray | None = None,
) -> PairedRanks:
    """Rank the same examples by the scores of several models."""
    if roles.nan_policy == "omit":
        kept = ~np.isnan(values).any(axis=0)
        values, states = values[:, kept], States(*(state[kept] for state in states))
        propensity = None if propensity is None else propensity[kept]
    known = values[:, states.positive]
    weight = pair_weight(None if propensity is None else propensity[states.positive])
    places = [Places.of(one, weight) for one in known]
    ranks, among, covariance = rank_pairs(places, known, count_above(places, values))
    positive, negative = (int(np.count_nonzero(state)) for state in states)
    total = Counts(positive, negative, states.positive.size - positive - negative)
    by_model, alone = (dict(zip(models, each, strict=True)) for each in (ranks, among))
    return PairedRanks(names, by_model, alone, total, covariance, weight)


def pair_weight(propensity: FloatArray | None) -> FloatArray | None:
    """Return what known positives count for."""
    if propensity is None or not propensity.size or not np.ptp(propensity):
        return None
    return 1 / propensity


def _propensities(frame: pd.DataFrame, roles: Roles, states: States) -> FloatArray | None:
    """Read the propensities of rows, where there are any."""
    if roles.propensity is None:
        return None
    odds = read_column(frame, "propensity", roles.propensity)
    return read_propensities(odds, states.positive)


def _pair_columns(
    frame: pd.DataFrame,
    score: list[Hashable],
    groups: Groups | None,
    roles: Roles,
    on: object,
) -> Keyed[PairedRanks]:
    """Pair columns, whose rows are paired as they are."""
    if on is not None:
        raise PUValueError(
            f"on must not be passed with a list of scores, but {on!r} was: a row pairs its own "
            "scores. Leave it out."
        )
    models = as_models(score)
    columns = [read_column(frame, "score", model) for model in models]
    check_roles(groups, models, roles.label)
    values = np.stack([read_values(column, roles) for column in columns])
    states = read_states(read_column(frame, "label", roles.label), roles)

    odds = _propensities(frame, roles, states)

    def pair(rows: IntArray | slice) -> PairedRanks:
        kinds = States(*(state[rows] for state in states))
        own = None if odds is None else odds[rows]
        return pair_scores(("model",), models, values[:, rows], kinds, roles, own)

    if roles.pool:
        pooled = pool_groups(groups, roles.pool, values.shape[1])
        names, keys = pooled.groups.names, pooled.groups.keys
        return Keyed(names, keys, lambda each: pool_pairs([pair(p) for p in pooled.parts[each]]))
    if groups is None:
        return Keyed((), ((),), lambda _: pair(slice(None)))
    rows = groups.rows
    return Keyed(groups.names, groups.keys, lambda each: pair(rows[each]))


def _pair_groups(
    frame: pd.DataFrame,
    score: Hashable,
    groups: Groups,
    roles: Roles,
    on: Hashable | list[Hashable],
) -> Keyed[PairedRanks]:
    """Pair groups of rows by what identifies an example."""
    identity = key_columns(frame, on, "on")
    check_roles(groups, [score], roles.label)
    taken = [*groups.names, str(score), str(roles.label)]
    examples = _number_examples(frame, identity, taken)
    values = read_values(read_column(frame, "score", score), roles)
    states = read_states(read_column(frame, "label", roles.label), roles)
    rows = _align(groups, examples, states, identity)
    kinds = States(*(state[rows[0]] for state in states))
    odds, own = _propensities(frame, roles, states), None
    if odds is not None:
        own = odds[rows[0]]
        check_same_odds(odds[rows[:, kinds.positive]])
    paired = pair_scores(groups.names, groups.keys, values[rows], kinds, roles, own)
    return Keyed((), ((),), lambda _: paired)


def check_same_odds(odds: FloatArray) -> None:
    """Raise unless known positives have the same propensities whatever the model."""
    if count := np.count_nonzero((odds != odds[0]).any(axis=0)):
        raise PUValueError(
            f"propensity must be the same in all groups, but {count} of {odds.shape[1]} known "
            "positives have different ones. How probably an example is labeled does not depend "
            "on the model."
        )


def _number_examples(frame: pd.DataFrame, identity: list[Hashable], taken: list[str]) -> Numbers:
    """Return a number for each row that stands for its example."""
    missing = 0
    for name in identity:
        missing = max(missing, int(read_column(frame, "on", name).isna().sum()))
        if str(name) in taken:
            raise PUValueError(
                f"on must name other columns than score, label and by, but {name!r} is one of "
                "them. Name the column that identifies an example."
            )
    if missing:
        raise PUValueError(
            f"on must identify each row's example, but {missing} of {len(frame)} rows have no "
            f"{', '.join(map(repr, identity))}. Drop them: df.dropna(subset={identity!r})."
        )
    return number_groups(frame.groupby(identity, sort=False, observed=True))


def _align(
    groups: Groups, examples: Numbers, states: States, identity: list[Hashable]
) -> IntArray:
    """Return the rows of each group (first axis), in the same order of examples."""
    rows = [np.arange(examples.size)[some] for some in groups.rows]
    rows = [some[np.argsort(examples[some], kind="stable")] for some in rows]
    numbers = [examples[some] for some in rows]
    said = f"on={identity[0]!r}" if len(identity) == 1 else f"on={identity!r}"
    twice = [some[1:][some[1:] == some[:-1]] for some in numbers]
    if again := np.unique(np.concatenate(twice)).size:
        raise PUValueError(
            f"{said} must name each example once in each group, but {again} examples stand in a "
            "group twice or more. Aggregate them first, or name more columns: on=[...]."
        )
    seen = np.bincount(np.concatenate(numbers))
    if unpaired := np.count_nonzero((seen > 0) & (seen < len(rows))):
        raise PUValueError(
            f"{said} must pair the rows of all groups, but {unpaired} of "
            f"{np.count_nonzero(seen)} examples are not in every group. Keep those that are, or "
            "compare groups that share no examples: gap."
        )
    aligned = np.stack(rows)
    differing = np.zeros(aligned.shape[1], dtype=bool)
    for state in states:
        differing |= (state[aligned] != state[aligned[0]]).any(axis=0)
    if count := np.count_nonzero(differing):
        raise PUValueError(
            f"label must be the same in all groups, but {count} of {differing.size} examples have "
            "different ones. What is known about an example does not depend on the model."
        )
    return aligned
