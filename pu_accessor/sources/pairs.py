"""Pair the ranks that several models give to the same examples, in columns or groups of rows."""

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.counting.placements import PlacementTable, pair_ranks, sum_placements
from pu_accessor.errors import PUValueError
from pu_accessor.ranking import FloatArray, IntArray, LazyByKey, PairedRanks, PairedRows, Ranking
from pu_accessor.roles_and_assumptions import OTHERS, ColumnNames, Terms
from pu_accessor.sources.column_values import read_columns
from pu_accessor.sources.columns import find_columns, read_column
from pu_accessor.sources.groups import Groups, Rows, check_roles, key_columns, number_groups
from pu_accessor.sources.label_states import Labels


def pair_models(
    frame: pd.DataFrame, groups: Groups, roles: Terms, on: ColumnNames | None
) -> LazyByKey[PairedRanks]:
    """Pair models in columns or, with `on`, in groups of rows."""
    columns = find_columns(frame, roles.named())
    check_roles(groups, roles)
    if on is not None:
        rows = _pivot(frame, groups, roles, on)
        (score,), labels = read_columns(columns, roles)
        _check_alike(labels, rows)
        own = labels.take(rows[0])
        paired = pair_scores(groups.names, groups.keys, score[rows], own, roles)
        return LazyByKey((), ((),), lambda _: paired)
    scores, labels = read_columns(columns, roles)
    by_model = np.stack(scores)

    def pair(rows: Rows) -> PairedRanks:
        return pair_scores(("model",), roles.models, by_model[:, rows], labels.take(rows), roles)

    return LazyByKey(groups.names, groups.keys, lambda group: pair(groups.rows[group]))


def pair_scores(
    names: tuple[str, ...],
    models: Sequence[Hashable],
    scores: FloatArray,
    labels: Labels,
    roles: Terms,
) -> PairedRanks:
    """Pair the scores of several models, a row for each."""
    kept = labels.rows_to_rank(scores, omits=roles.omits)
    repeated, labels = labels.take(kept).scale_weights().repeat_known()
    scores, positive = scores[:, kept][:, repeated], labels.positive
    weight, known = pair_weight(labels.take(positive).propensity), scores[:, positive]
    tables = [PlacementTable.of(*of, weight) for of in zip(known, scores, strict=True)]
    above = sum_placements(tables, scores, labels.count)
    paired = pair_ranks(names, models, tables, known, above, labels.sizes())
    paired = paired._replace(known_weight=weight)
    if labels.propensity is not None:
        return paired

    def rank(score: FloatArray) -> Ranking:
        weight = labels.multiplicity
        ranking = rank_examples(score, *labels[:2], ranks="breakpoints", weight=weight)
        return replace(ranking, clusters=labels.cluster_rows(score, one_per_row=True))

    has_design = not ((labels.cluster is None and labels.weight is None) or positive.all())
    of_rows = labels.cluster_rows(scores[0]), labels.multiplicities, has_design
    return paired._replace(rows=PairedRows(scores, lambda: [*map(rank, scores)], *of_rows))


def pair_weight(propensity: FloatArray | None) -> FloatArray | None:
    """Return the weights of known positives; None if all are equal."""
    if propensity is None or not propensity.size or not np.ptp(propensity):
        return None
    return 1 / propensity


def _pivot(frame: pd.DataFrame, groups: Groups, roles: Terms, on: ColumnNames) -> IntArray:
    """Return the rows of each group (first axis), in the same order of examples."""
    identity, taken = key_columns(frame, on, "on"), (*groups.names, roles.score, roles.label)
    columns = [read_column(frame, "on", name) for name in identity]
    if shared := [name for name in identity if str(name) in map(str, taken)]:
        raise PUValueError(
            f"on must name other columns than score, label and by, but {shared[0]!r} is one of "
            "them. Name the column that identifies an example."
        )
    if missing := max(int(column.isna().sum()) for column in columns):
        raise PUValueError(
            f"on must identify each row's example, but {missing} of {len(frame)} rows have no "
            f"{', '.join(map(repr, identity))}. Drop them: df.dropna(subset={identity!r})."
        )
    example = number_groups(frame.groupby(identity, sort=False, observed=True), "on")
    group = groups.numbers(len(frame))
    long = pd.DataFrame({"example": example, "group": group, "row": range(len(frame))})
    long = long[long["group"] >= 0]
    shown = f"on={(identity[0] if len(identity) == 1 else identity)!r}"
    if repeated := long["example"][long.duplicated(["example", "group"])].nunique():
        raise PUValueError(
            f"{shown} must name each example once in each group, but {repeated} examples occur in "
            "a group twice or more. Aggregate them first, or name more columns: on=[...]."
        )
    wide = long.pivot_table("row", "group", "example", "first")
    if unpaired := int(wide.isna().any().sum()):
        raise PUValueError(
            f"{shown} must pair the rows of all groups, but {unpaired} of {wide.shape[1]} "
            "examples are not in every group. Keep those that are, or compare groups that share "
            "no examples: gap."
        )
    return wide.to_numpy(np.int64)


def _check_alike(labels: Labels, rows: IntArray) -> None:
    """Raise unless the rows of an example, one in each group, differ in their scores alone."""
    columns = {role: getattr(labels, role) for role in OTHERS}
    columns["label"] = labels.positive.astype(np.int8) - labels.negative
    if labels.propensity is not None:  # defined for known positives only
        columns["propensity"] = np.where(labels.positive, labels.propensity, 0.0)
    for role, column in columns.items():
        differ = 0 if column is None else (column[rows] != column[rows[0]]).any(axis=0)
        if count := np.count_nonzero(differ):
            raise PUValueError(
                f"{role} must be the same in all groups, but {count} of {rows.shape[1]} examples "
                f"have different ones. The {role} of an example does not depend on the model."
            )
