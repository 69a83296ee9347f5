"""Columns of examples that are in memory -> rankings."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pu_accessor.checks import check_within
from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.counting.stack import stack_examples
from pu_accessor.errors import PUDataError
from pu_accessor.ranking import FloatArray, IntArray, Ranking, Rankings, Ranks
from pu_accessor.sources.columns import as_models, read_states, read_values
from pu_accessor.sources.groups import Groups
from pu_accessor.sources.labels import States
from pu_accessor.sources.pooled import pool_groups, shares_below
from pu_accessor.sources.propensities import read_propensities
from pu_accessor.sources.roles import Roles

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["name_keys", "rank_columns", "rank_rows", "scored"]

# Rankings from which on, and examples in each up to which, all together take less time.
_MANY, _SMALL = 100, 5_000


def rank_columns(
    scores: Sequence[pd.Series[Any]],
    labels: pd.Series[Any],
    odds: pd.Series[Any] | None,
    groups: Groups | None,
    roles: Roles,
    ranks: Ranks,
) -> Rankings:
    """Rank examples by each column of scores, each group apart."""
    values = [read_values(column, roles) for column in scores]
    states = read_states(labels, roles)
    known = None if odds is None else read_propensities(odds, states.positive)
    pooled = pool_groups(groups, roles.pool, len(labels)) if roles.pool else None
    groups = groups if pooled is None else pooled.groups
    rows = [slice(None)] if groups is None else groups.rows
    if not isinstance(ranks, str):
        check_within(ranks, max(scored(one[some], roles) for one in values for some in rows))
    shared = {"label": str(labels.name)}
    if odds is not None:
        shared["propensity"] = str(odds.name)

    def rank(score: FloatArray, model: int, here: IntArray | slice, ranks: Ranks) -> Ranking:
        return rank_rows(
            score[here],
            States(*(state[here] for state in states)),
            None if known is None else known[here],
            roles,
            ranks,
            {"score": str(scores[model].name), **shared},
        )

    def make(position: int) -> Ranking:
        group, model = divmod(position, len(values))
        if pooled is None:
            return rank(values[model], model, rows[group], ranks)
        parts = pooled.parts[group]
        below = shares_below(values[model], parts, roles.nan_policy)
        strata = (rank(values[model], model, part, "breakpoints") for part in parts)
        return replace(rank(below, model, rows[group], ranks), strata=tuple(strata))

    plain = known is None and pooled is None and roles.nan_policy != "omit"
    together = None
    if plain and len(values) == 1 and len(rows) >= _MANY and len(labels) <= _SMALL * len(rows):
        together = partial(stack_examples, values[0], *states, rows)
    return Rankings(*name_keys(groups, roles), make, together=together)


def rank_rows(
    score: FloatArray,
    states: States,
    propensity: FloatArray | None,
    roles: Roles,
    ranks: Ranks,
    columns: dict[str, str],
) -> Ranking:
    """Rank examples by scores and labels that have been read."""
    if roles.nan_policy == "omit":
        kept = ~np.isnan(score)
        score, states = score[kept], States(*(state[kept] for state in states))
        propensity = None if propensity is None else propensity[kept]
    if not score.size:
        raise PUDataError(
            f"score column {columns['score']!r} must hold at least one score, but there is none "
            "in the rows to rank."
        )
    return rank_examples(score, *states, ranks=ranks, propensity=propensity, columns=columns)


def scored(score: FloatArray, roles: Roles) -> int:
    """Count the examples that are ranked."""
    return score.size - int(np.isnan(score).sum() if roles.nan_policy == "omit" else 0)


def name_keys(groups: Groups | None, roles: Roles) -> tuple[tuple[str, ...], tuple[Hashable, ...]]:
    """Combine the keys of groups and of models, groups first."""
    models = as_models(roles.score) if isinstance(roles.score, list) else None
    if groups is None:
        return (("model",), tuple(models)) if models is not None else ((), ((),))
    if models is None:
        return groups.names, groups.keys
    each: Any = groups.keys if len(groups.names) != 1 else [(key,) for key in groups.keys]
    keys = tuple((*key, model) for key in each for model in models)
    return (*groups.names, "model"), keys
