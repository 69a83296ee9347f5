"""Pair the ranks that several models give to the same examples, in columns or groups of rows."""

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from pu_accessor.counting import placements
from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.errors import PUValueError
from pu_accessor.ranking import FloatArray, IntArray, LazyByKey, PairedRanks, PairedRows, Ranking
from pu_accessor.roles_and_assumptions import ColumnNames, Terms
from pu_accessor.sources.column_values import read_columns
from pu_accessor.sources.columns import find_columns, read_column
from pu_accessor.sources.groups import (
    GroupNumbers,
    Groups,
    Rows,
    check_roles,
    key_columns,
    number_groups,
)
from pu_accessor.sources.label_states import Labels


def pair_models(
    frame: pd.DataFrame, groups: Groups, roles: Terms, on: ColumnNames | None
) -> LazyByKey[PairedRanks]:
    """Pair models in columns or, with `on`, in groups of rows."""
    if on is not None:
        return _pair_groups(frame, groups, roles, on)
    columns = find_columns(frame, roles.named())
    check_roles(groups, roles)
    scores, labels = read_columns(columns, roles)
    by_model = np.stack(scores)

    def pair(rows: Rows) -> PairedRanks:
        return pair_scores(("model",), roles.models, by_model[:, rows], labels.take(rows), roles)

    return LazyByKey(groups.names, groups.keys, lambda group: pair(groups.rows[group]))


def _pair_groups(
    frame: pd.DataFrame, groups: Groups, roles: Terms, on: ColumnNames
) -> LazyByKey[PairedRanks]:
    """Pair groups of rows by the columns that identify an example."""
    identity = key_columns(frame, on, "on")
    check_roles(groups, roles)
    taken = [*groups.names, str(roles.score), str(roles.label)]
    examples = _number_examples(frame, identity, taken)
    (scores,), labels = read_columns(find_columns(frame, roles.named()), roles)
    rows = _align(groups, examples, identity)
    propensity = labels.propensity  # defined for known positives only
    columns = {
        "label": labels.positive.astype(np.int8) - labels.negative,
        "propensity": None if propensity is None else np.where(labels.positive, propensity, 0.0),
        "cluster": labels.cluster,
        "weight": labels.weight,
        "count": labels.count,
    }
    for role, column in columns.items():
        differ = 0 if column is None else (column[rows] != column[rows[0]]).any(axis=0)
        if count := np.count_nonzero(differ):
            raise PUValueError(
                f"{role} must be the same in all groups, but {count} of {rows.shape[1]} examples "
                f"have different ones. The {role} of an example does not depend on the model."
            )
    paired = pair_scores(groups.names, groups.keys, scores[rows], labels.take(rows[0]), roles)
    return LazyByKey((), ((),), lambda _: paired)


def pair_scores(
    names: tuple[str, ...],
    models: Sequence[Hashable],
    scores: FloatArray,
    labels: Labels,
    roles: Terms,
) -> PairedRanks:
    """Pair the scores of several models, a row for each."""
    kept = labels.rows_to_rank(scores, omits=roles.omits)
    repeated, labels = labels.take(kept).drop_unit_weights().repeat_known()
    scores = scores[:, kept][:, repeated]
    known = scores[:, labels.positive]
    propensity = None if labels.propensity is None else labels.propensity[labels.positive]
    weight = pair_weight(propensity)
    tables = [placements.PlacementTable.of(by_model, weight) for by_model in known]
    columns = labels.cluster, labels.clusters, labels.count
    above = placements.sum_placements(tables, scores, *columns)
    paired = placements.rank_pairs(names, models, tables, known, above, labels.sizes(), weight)
    if labels.cluster is not None:
        clusters = placements.sum_clusters(tables, known, above, labels.cluster[labels.positive])
        paired = paired._replace(clusters=clusters)
    if propensity is not None:
        return paired

    def rank(score: FloatArray) -> Ranking:
        weight = labels.multiplicity
        ranking = rank_examples(score, *labels[:2], ranks="breakpoints", weight=weight)
        return replace(ranking, clusters=labels.cluster_rows(score, one_per_row=True))

    of_rows = labels.positive, labels.cluster, labels.multiplicities, labels.weight is not None
    return paired._replace(rows=PairedRows(scores, lambda: [*map(rank, scores)], *of_rows))


def pair_weight(propensity: FloatArray | None) -> FloatArray | None:
    """Return the weights of known positives; None if all are equal."""
    if propensity is None or not propensity.size or not np.ptp(propensity):
        return None
    return 1 / propensity


def _number_examples(
    frame: pd.DataFrame, identity: list[Hashable], taken: list[str]
) -> GroupNumbers:
    """Return the number of each row's example."""
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
    return number_groups(frame.groupby(identity, sort=False, observed=True), "on")


def _align(groups: Groups, examples: GroupNumbers, identity: list[Hashable]) -> IntArray:
    """Return the rows of each group (first axis), in the same order of examples."""
    positions = np.arange(examples.size)
    by_group = [positions[rows] for rows in groups.rows]
    by_group = [rows[np.argsort(examples[rows], kind="stable")] for rows in by_group]
    numbers = [examples[rows] for rows in by_group]
    on = f"on={identity[0]!r}" if len(identity) == 1 else f"on={identity!r}"
    repeated = [number[1:][number[1:] == number[:-1]] for number in numbers]
    if again := np.unique(np.concatenate(repeated)).size:
        raise PUValueError(
            f"{on} must name each example once in each group, but {again} examples occur in a "
            "group twice or more. Aggregate them first, or name more columns: on=[...]."
        )
    groups_with = np.bincount(np.concatenate(numbers))
    if unpaired := np.count_nonzero((groups_with > 0) & (groups_with < len(by_group))):
        raise PUValueError(
            f"{on} must pair the rows of all groups, but {unpaired} of "
            f"{np.count_nonzero(groups_with)} examples are not in every group. Keep those that "
            "are, or compare groups that share no examples: gap."
        )
    return np.stack(by_group)
