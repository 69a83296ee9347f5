"""Pair the ranks that several models give to the same examples, in columns or groups of rows."""

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from pu_accessor.counting import placements
from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.errors import PUDataError, PUValueError
from pu_accessor.ranking import (
    Counts,
    FloatArray,
    IntArray,
    LazyByKey,
    PairedClusters,
    PairedRanks,
    PairedRows,
    Ranking,
)
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
    pool_groups,
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

    if not roles.pool:
        return LazyByKey(groups.names, groups.keys, lambda group: pair(groups.rows[group]))
    pooled, parts = pool_groups(groups, roles.pool, by_model.shape[1])
    return LazyByKey(
        pooled.names, pooled.keys, lambda group: _pool_pairs([*map(pair, parts[group])])
    )


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


def _pool_pairs(parts: Sequence[PairedRanks]) -> PairedRanks:
    """Pool the pairs of several groups, each ranked separately."""
    total = Counts(*map(sum, zip(*(part.total for part in parts), strict=True)))
    n, others = total.known_positive, total.known_negative + total.unlabeled
    shared = [part for part in parts if part.total.known_positive]
    sizes = [part.total.known_negative + part.total.unlabeled for part in shared]
    if not all(sizes):
        raise PUDataError(
            "Each pooled group must contain examples other than known positives, but one does "
            "not. Leave it out, or make other folds."
        )
    ranks, among_known = {}, {}
    covariance = np.zeros(parts[0].covariance.shape)
    moves = np.zeros(parts[0].moves.shape)
    for model in parts[0].ranks:
        within = [part.ranks_among_known[model] for part in shared]
        others_above = [
            (part.ranks[model] - own) * (others / size)
            for part, own, size in zip(shared, within, sizes, strict=True)
        ]
        among_known[model] = np.concatenate([*within, np.empty(0)])
        ranks[model] = among_known[model] + np.concatenate([*others_above, np.empty(0)])
    for part, size in zip(shared, sizes, strict=True):
        share = part.total.known_positive / n
        covariance += part.covariance * (share**2 * (others / size))
        moves += part.moves * (size / others)
    equal, clusters = np.all([p.equal for p in parts], axis=0), _pool_clusters(parts, max(n, 1))
    sums = total, covariance, moves, equal
    return PairedRanks(parts[0].names, ranks, among_known, *sums, clusters=clusters)


def _pool_clusters(parts: Sequence[PairedRanks], n: int) -> PairedClusters | None:
    """Pool the clusters of several groups, whose known positives are one sample of n."""
    pooled = []
    for part in parts:
        if part.clusters is None:
            return None
        known, *rest = part.total
        others_above = [part.ranks[key] - part.ranks_among_known[key] for key in part.ranks]
        ordered = np.array([known - each.sum() / max(sum(rest), 1) for each in others_above])
        pooled.append((known, ordered, *part.clusters))
    auroc = sum(ordered for _, ordered, *_ in pooled) / n  # of all groups, by model
    sums = []
    for known, ordered, sizes, own in pooled:
        deviation = (ordered / max(known, 1) - auroc)[:, np.newaxis] * sizes[0]
        sums.append(known / n * own + np.stack([deviation, 0 * deviation], axis=1) / n)
    return PairedClusters(np.sum([each[2] for each in pooled], axis=0), np.sum(sums, axis=0))
