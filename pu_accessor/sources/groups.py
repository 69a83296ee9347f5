"""Find the rows of each group, and rank them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from pu_accessor.beta import split_key
from pu_accessor.checks import check_ranks_within
from pu_accessor.counting.cutoffs import find_known_blocks, rank_examples
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.ranking import FloatArray, IntArray, KnownBlocks, Ranking, Rankings, Ranks
from pu_accessor.roles_and_assumptions import ColumnNames, Terms
from pu_accessor.sources.column_values import check_scored
from pu_accessor.sources.columns import read_column
from pu_accessor.sources.label_states import Labels

if TYPE_CHECKING:
    Grouping: TypeAlias = pd.api.typing.DataFrameGroupBy[Any, Any]
else:  # not generic at run time
    Grouping = pd.api.typing.DataFrameGroupBy

GroupNumbers: TypeAlias = npt.NDArray[np.int16] | npt.NDArray[np.int32]
Rows: TypeAlias = IntArray | slice
_MAX_MEAN_STACKED = 5_000  # examples of a group, up to which ranking all together is faster


class Groups(NamedTuple):
    """The keys of groups, and the positions of their rows."""

    names: tuple[str, ...]
    keys: tuple[Hashable, ...]
    rows: list[Rows]

    def numbers(self, size: int) -> IntArray:
        """Return the number of each row's group, -1 if it is in none."""
        numbers = np.full(size, -1, np.int64)
        for number, rows in enumerate(self.rows):
            numbers[rows] = number
        return numbers


ALL_ROWS = Groups((), ((),), [slice(None)])


def group_frame(frame: pd.DataFrame, by: ColumnNames) -> Groups:
    """Group the rows of a frame by columns, as ``frame.groupby(by)`` does."""
    names = key_columns(frame, by)
    # pandas does not accept an index that has the name of a column.
    return read_groups(frame[names].reset_index(drop=True).groupby(names, observed=True))


def first_rows(groups: list[Rows]) -> list[int]:
    """Return the first row of each group."""
    return [rows.start if isinstance(rows, slice) else int(rows[0]) for rows in groups]


def columns_to_read(
    example: pd.DataFrame, roles: Terms, named: Sequence[tuple[str, Hashable]]
) -> list[Hashable]:
    """Return the names of the columns of keys and of those named, after checks."""
    for argument, name in named:
        read_column(example, argument, name)
    keys = [] if roles.by is None else key_columns(example, roles.by)
    return [*dict.fromkeys([*keys, *(name for _, name in named)])]


def key_columns(frame: pd.DataFrame, by: ColumnNames, argument: str = "by") -> list[Hashable]:
    """Return the names of the columns of keys, after checks."""
    columns = by if isinstance(by, list) else [by]
    if not columns or any(name in columns[:place] for place, name in enumerate(columns)):
        raise PUValueError(
            f"{argument} must name one or several different columns, but {columns!r} was passed."
        )
    if isinstance(by, tuple) and by not in frame.columns and set(by) <= set(frame.columns):
        raise PUTypeError(
            f"{argument} must be a list for several columns: pass {argument}={list(by)!r}."
        )
    for name in columns:
        read_column(frame, argument, name)
    return columns


def read_groups(grouped: Grouping) -> Groups:
    """Return the groups of a pandas groupby, in its order."""
    options = ("level", "sort", "dropna")
    settings: dict[str, Any] = {name: getattr(grouped, name) for name in options}
    in_order = grouped
    if not (grouped.observed and grouped.as_index):
        # Sizes and numbers of groups differ in the order of categories that do not occur.
        in_order = grouped.obj.groupby(grouped.keys, observed=grouped.observed, **settings)
        grouped = grouped.obj.groupby(grouped.keys, observed=True, **settings)
    rows, index = _rows_of_groups(number_groups(grouped)), _keys_with_rows(grouped)
    if not (in_order.observed or in_order.sort):  # categories come in another order
        keys = _keys_with_rows(in_order)
        rows, index = [rows[number] for number in index.get_indexer(keys)], keys
    unnamed = "group" if len(index.names) == 1 else "level_{}"
    names = [
        unnamed.format(level) if name is None else str(name)
        for level, name in enumerate(index.names)
    ]
    return Groups(tuple(names), tuple(index.tolist()), rows)


def _keys_with_rows(grouped: Grouping) -> pd.Index:
    """Return the keys of groups that are not empty, as some of a frequency are."""
    sizes = grouped.size()
    return sizes.index[sizes > 0]


def _rows_of_groups(numbers: GroupNumbers) -> list[Rows]:
    """Return the rows of each group that is not empty, in the order of their numbers."""
    counts = np.bincount(numbers + 1).tolist()  # the first is that of rows without a key
    ends = zip(accumulate(counts), counts[1:], strict=False)
    parts = [slice(start, start + count) for start, count in ends if count]
    if not parts:
        raise PUValueError("by must leave rows to rank, but no row has a key.")
    if (numbers[1:] >= numbers[:-1]).all():  # groups are contiguous: no copies
        return [*parts]
    order = np.argsort(numbers, kind="stable")
    return [order[part] for part in parts]


def number_groups(grouped: Grouping, argument: str = "by") -> GroupNumbers:
    """Return the number of each row's group, -1 if it has no key."""
    try:
        numbers = grouped.ngroup().to_numpy()
    except TypeError as error:
        raise PUTypeError(
            f"{argument} must name columns of keys, but some are not hashable: {error}."
        ) from error
    if numbers.dtype.kind == "f":  # some rows have no key
        numbers = np.nan_to_num(numbers, nan=-1)
    is_small = numbers.max(initial=0) < np.iinfo(np.int16).max
    return numbers.astype(np.int16) if is_small else numbers.astype(np.int32)


def check_roles(groups: Groups, roles: Terms) -> None:
    """Raise if a column of keys is also one of scores or labels."""
    for name in groups.names:
        if name in map(str, (*roles.models, roles.label)):
            role = "label" if name == str(roles.label) else "score"
            raise PUValueError(
                f"by must name other columns than score and label, but {name!r} is the column of "
                f"{role}s, too. Pass another column as {role}=... or as by=..."
            )


def name_keys(groups: Groups, roles: Terms) -> tuple[tuple[str, ...], tuple[Hashable, ...]]:
    """Combine the keys of groups and of models, groups first."""
    if not roles.is_wide:
        return groups.names, groups.keys
    if not groups.names:
        return ("model",), tuple(roles.models)
    levels = (split_key(groups.names, key) for key in groups.keys)
    keys = tuple((*key, model) for key in levels for model in roles.models)
    return (*groups.names, "model"), keys


def rank_groups(
    scores: Sequence[FloatArray],
    labels: Labels,
    groups: Groups,
    roles: Terms,
    ranks: Ranks,
    names: Sequence[Mapping[str, str]],
) -> Rankings:
    """Rank the rows of each group by the scores of each model, from columns of these names."""
    check_roles(groups, roles)
    number, size = len(groups.rows), labels.positive.size
    stacked = None
    is_small = number > 1 and size <= _MAX_MEAN_STACKED * number
    if is_small and not roles.omits and not roles.others:
        stacked = partial(_stack, scores, labels, groups.rows)
    if not isinstance(ranks, str):
        sizes = [
            _keep_rows(roles, score, labels, rows)[1].multiplicities.sum()
            for score in scores
            for rows in groups.rows
        ]
        check_ranks_within(ranks, max(sizes).item())

    def make(position: int) -> Ranking:
        group, model = divmod(position, len(scores))
        return _rank_rows(roles, names[model], scores[model], labels, groups.rows[group], ranks)

    return Rankings(*name_keys(groups, roles), make, stacked=stacked)


def _stack(scores: Sequence[FloatArray], labels: Labels, rows: Sequence[Rows]) -> KnownBlocks:
    """Rank the rows of all groups by each model, the model last."""
    positive, negative = (np.tile(kind, len(scores)) for kind in labels[:2])
    starts = range(0, len(scores) * labels.positive.size, labels.positive.size)
    each = [
        slice(own.start + start, own.stop + start) if isinstance(own, slice) else own + start
        for own in rows
        for start in starts
    ]
    return find_known_blocks(np.concatenate(scores), positive, negative, each)


def _keep_rows(
    roles: Terms, score: FloatArray, labels: Labels, rows: Rows
) -> tuple[FloatArray, Labels]:
    """Return some rows, without those that have no weight or an omitted score."""
    score, labels = score[rows], labels.take(rows)
    if roles.omits or labels.multiplicity is not None:
        kept = labels.rows_to_rank(score, omits=roles.omits)
        score, labels = score[kept], labels.take(kept).scale_weights()
    return score, labels


def _rank_rows(
    roles: Terms,
    columns: Mapping[str, str],
    score: FloatArray,
    labels: Labels,
    rows: Rows,
    ranks: Ranks,
) -> Ranking:
    """Rank the rows of a group."""
    score, labels = _keep_rows(roles, score, labels, rows)
    check_scored(columns["score"], score.size)
    clusters = None
    if labels.cluster is not None or labels.propensity is not None:
        repeated, labels = labels.repeat_known()
        score = score[repeated]
    if labels.cluster is not None or labels.weight is not None:
        clusters = labels.cluster_rows(score)
    known, propensity, weight = labels[:2], labels.propensity, labels.multiplicity
    ranking = rank_examples(score, *known, ranks=ranks, propensity=propensity, weight=weight)
    return ranking.with_fields(columns=columns, clusters=clusters)
