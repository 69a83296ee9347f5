"""The rows of each group of a frame -> rankings; groups that are pooled."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from pu_accessor.checks import check_ranks_within
from pu_accessor.counting.cutoffs import find_tie_blocks, rank_examples
from pu_accessor.errors import PUTypeError, PUValueError, brief
from pu_accessor.ranking import CountArray, FloatArray, IntArray, Ranking, Rankings, Ranks
from pu_accessor.sources.columns import Labels, check_scored, read_column
from pu_accessor.terms import ColumnNames, Over, Terms

if TYPE_CHECKING:
    Grouping: TypeAlias = pd.api.typing.DataFrameGroupBy[Any, Any]
else:  # generic for type checkers alone
    Grouping = pd.api.typing.DataFrameGroupBy

Numbers: TypeAlias = npt.NDArray[np.int16] | npt.NDArray[np.int32]
Rows: TypeAlias = IntArray | slice


class Groups(NamedTuple):
    """The rows of each group, by position, and the groups' keys."""

    names: tuple[str, ...]
    keys: tuple[Hashable, ...]
    rows: list[Rows]

    @property
    def levels(self) -> list[tuple[Hashable, ...]]:
        """The keys as tuples, also of a single level."""
        keys: Any = self.keys
        return [(key,) if len(self.names) == 1 else key for key in keys]

    def numbers(self, size: int) -> IntArray:
        """Return the number of each row's group, -1 where a row is in none."""
        numbers = np.full(size, -1, np.int64)
        for number, rows in enumerate(self.rows):
            numbers[rows] = number
        return numbers


ALL_ROWS = Groups((), ((),), [slice(None)])


def group_frame(frame: pd.DataFrame, by: ColumnNames) -> Groups:
    """Group the rows of a frame by columns, as ``frame.groupby(by)`` does."""
    names = key_columns(frame, by)
    # The index plays no role; pandas would stumble over one that has the name of a column.
    columns = [frame[name].reset_index(drop=True) for name in names]
    plain = pd.DataFrame(dict(enumerate(map(_plain, columns))), copy=False)
    rows = _rows(number_groups(plain.groupby([*plain])))
    keys = [column.iloc[first_rows(rows)].tolist() for column in columns]
    levels = keys[0] if len(keys) == 1 else zip(*keys, strict=True)
    return Groups(tuple(map(str, names)), tuple(levels), rows)


def first_rows(groups: list[Rows]) -> list[int]:
    """Return the first row of each group."""
    return [rows.start if isinstance(rows, slice) else int(rows[0]) for rows in groups]


def _plain(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return the codes of categories, in whose order they are sorted: pandas ranks these."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return column
    return column.cat.codes.where(column.notna())


def key_columns(frame: pd.DataFrame, by: ColumnNames, argument: str = "by") -> list[Hashable]:
    """Return the columns of keys, or say what is wrong with them."""
    columns = by if isinstance(by, list) else [by]
    if not columns:
        raise PUValueError(
            f"{argument} must name one column or a list of them, but [] was passed."
        )
    if any(name in columns[:position] for position, name in enumerate(columns)):
        raise PUValueError(f"{argument} must name different columns, but {columns!r} was passed.")
    if isinstance(by, tuple) and by not in frame.columns and set(by) <= set(frame.columns):
        several = f"pass {argument}={list(by)!r}."
        raise PUTypeError(f"{argument} must be a list for several columns: {several}")
    for name in columns:
        read_column(frame, argument, name)
    return columns


def read_groups(grouped: Grouping) -> Groups:
    """Return the groups of a pandas groupby, in its order."""
    how: dict[str, Any] = {name: getattr(grouped, name) for name in ("level", "sort", "dropna")}
    in_order = grouped
    if not (grouped.observed and grouped.as_index):
        # The order of categories that do not occur is not the same for sizes and for numbers.
        in_order = grouped.obj.groupby(grouped.keys, observed=grouped.observed, **how)
        grouped = grouped.obj.groupby(grouped.keys, observed=True, **how)
    rows, index = _rows(number_groups(grouped)), _held(grouped)
    if not (in_order.observed or in_order.sort):  # there categories come in another order
        wanted = _held(in_order)
        rows, index = [rows[place] for place in index.get_indexer(wanted)], wanted
    unnamed = "group" if len(index.names) == 1 else "level_{}"
    names = [
        unnamed.format(level) if name is None else str(name)
        for level, name in enumerate(index.names)
    ]
    return Groups(tuple(names), tuple(index.tolist()), rows)


def _held(grouped: Grouping) -> pd.Index:
    """Return the keys of groups that hold rows: a frequency has groups that hold nothing."""
    sizes = grouped.size()
    return sizes.index[sizes > 0]


def _rows(numbers: Numbers) -> list[Rows]:
    """Return the rows of each group that has some, in the order of their numbers."""
    counts = np.bincount(numbers + 1)  # the first is that of rows without a key
    ends = np.cumsum(counts)
    parts = [
        slice(int(end - count), int(end))
        for count, end in zip(counts[1:], ends[1:], strict=True)
        if count
    ]
    if not parts:
        raise PUValueError("by must leave rows to rank, but no row has a key.")
    if (numbers[1:] >= numbers[:-1]).all():  # rows of a group stand together: no copies
        return [*parts]
    order = np.argsort(numbers, kind="stable")
    return [order[part] for part in parts]


def number_groups(grouped: Grouping, argument: str = "by") -> Numbers:
    """Return the number of each row's group, -1 where a row has no key."""
    try:
        numbers = grouped.ngroup().to_numpy()
    except TypeError as error:
        raise PUTypeError(
            f"{argument} must name columns of keys, but some are not hashable: {error}."
        ) from error
    if numbers.dtype.kind == "f":  # some rows have no key
        numbers = np.nan_to_num(numbers, nan=-1)
    narrow = numbers.max(initial=0) < np.iinfo(np.int16).max
    return numbers.astype(np.int16) if narrow else numbers.astype(np.int32)


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
    keys = tuple((*key, model) for key in groups.levels for model in roles.models)
    return (*groups.names, "model"), keys


def pool_groups(groups: Groups, pool: Over, size: int) -> tuple[Groups, list[list[Rows]]]:
    """Over groups over some of their keys."""
    over = list(groups.names) if pool is True else [pool] if isinstance(pool, str) else pool
    if not over or any(name not in groups.names for name in over):
        raise PUValueError(
            f"pool must be True, or name some of the columns of by, {list(groups.names)}, but "
            f"{brief(pool)} was passed. For example df.pu(by='fold', pool=True)."
        )
    levels = [level for level, name in enumerate(groups.names) if name not in over]
    positions = np.arange(size)
    parts: dict[tuple[Hashable, ...], list[Rows]] = {}
    for key, rows in zip(groups.levels, groups.rows, strict=True):
        parts.setdefault(tuple(key[level] for level in levels), []).append(rows)
    keys = [key[0] if len(levels) == 1 else key for key in parts]
    together: list[Rows] = [
        np.concatenate([positions[rows] for rows in pooled]) for pooled in parts.values()
    ]
    names = tuple(groups.names[level] for level in levels)
    return Groups(names, tuple(keys), together), list(parts.values())


def shares_below(
    score: FloatArray, times: CountArray, parts: Sequence[Rows], nan_policy: str
) -> FloatArray:
    """Return the share of its group that ranks below each row."""
    shares = np.full(score.size, np.nan)
    for rows in parts:
        scores, each = score[rows], times[rows]
        missing = np.isnan(scores)
        worst = each[missing].sum() if nan_policy == "worst" else 0
        order = np.argsort(scores)[: np.count_nonzero(~missing)]
        through = worst + np.append(0, np.cumsum(each[order]))
        below = through[np.searchsorted(scores[order], scores)] / max(through[-1], 1)
        below[missing] = 0.0 if worst else np.nan
        shares[rows] = below
    return shares


_SMALL = 5_000  # examples of a ranking, on average, up to which all together take less time


def rank_groups(
    scores: Sequence[FloatArray],
    labels: Labels,
    groups: Groups,
    roles: Terms,
    ranks: Ranks,
    names: Sequence[Mapping[str, str]],
) -> Rankings:
    """Rank the rows of each group by the scores of each model; `names` are those of columns."""
    check_roles(groups, roles)
    number, size = len(groups.rows), labels.positive.size
    together = None
    plain = len(scores) == 1 and not (roles.pool or roles.omits)
    if number > 1 and size <= _SMALL * number and plain and not roles.others:
        together = partial(find_tie_blocks, scores[0], *labels[:2], groups.rows)
    parts: list[Any] = []
    if roles.pool:
        groups, parts = pool_groups(groups, roles.pool, size)
    if not isinstance(ranks, str):
        each = ((labels.each[rows], score[rows]) for score in scores for rows in groups.rows)
        sizes = (of_rows.sum(where=~(roles.omits & np.isnan(score))) for of_rows, score in each)
        check_ranks_within(ranks, max(sizes).item())

    def rank(score: FloatArray, labels: Labels, model: int, rows: Any, ranks: Ranks) -> Ranking:
        score, labels = score[rows], labels.take(rows)
        if roles.omits or labels.times is not None:
            kept = labels.ranked(score, omits=roles.omits)
            score, labels = score[kept], labels.take(kept)
            labels = labels if roles.pool else labels.without_ones()
        check_scored(names[model]["score"], score.size)
        facts: dict[str, Any] = {"columns": names[model]}
        if labels.cluster is not None or labels.propensity is not None:
            written, labels = labels.each_known()
            score = score[written]
        if labels.cluster is not None or labels.weight is not None:
            facts["clusters"] = labels.cluster_rows(score)
        known, shares, weight = labels[:2], labels.propensity, labels.times
        ranking = rank_examples(score, *known, ranks=ranks, propensity=shares, weight=weight)
        return ranking.with_fields(**facts)

    def make(position: int) -> Ranking:
        group, model = divmod(position, len(scores))
        score, rows = scores[model], groups.rows[group]
        if not roles.pool:
            return rank(score, labels, model, rows, ranks)
        own = labels.without_ones(rows).with_clusters()  # which strata share
        strata = tuple(rank(score, own, model, part, "breakpoints") for part in parts[group])
        shares = shares_below(score, own.each, parts[group], roles.nan_policy)
        return replace(rank(shares, own, model, rows, ranks), strata=strata)

    return Rankings(*name_keys(groups, roles), make, together=together)
