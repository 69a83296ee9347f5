"""What a source is, and columns in memory -> rankings, pairs and rows.

A source is what questions are put to. What a kind of source cannot be asked is refused before.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from contextlib import suppress
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.errors import PUTypeError, brief, warn_caller
from pu_accessor.ranking import AnnotatedRanking, IntArray, LazyByKey, PairedRanks, Rankings, Ranks
from pu_accessor.sources.columns import (
    FEW_ROWS,
    count_columns,
    find_columns,
    list_columns,
    name_columns,
    pair_arrays,
    read_column,
    read_columns,
)
from pu_accessor.sources.groups import (
    ALL_ROWS,
    Grouping,
    Groups,
    group_frame,
    rank_groups,
    read_groups,
)
from pu_accessor.sources.pairs import pair_models
from pu_accessor.terms import ColumnNames, Terms

Named: TypeAlias = list[tuple[str, Hashable]]  # columns, each after its argument

# Names of columns: of what rows belong to, of what is ranked, and of what it is ranked by.
_ID = re.compile(r"(.+_)?id|patient|user|site", re.IGNORECASE)
_RANKED = re.compile(rf"{_ID.pattern}|(doc|row|item|example|sample|compound).*", re.IGNORECASE)
_RANKED_BY = re.compile(
    r"(.+_)?(model|method|classifier|algorithm|estimator|query|topic|q)(_?(id|name))?",
    re.IGNORECASE,
)
_MOSTLY = 0.8  # share of rows that hold for all
_MIXED = (
    "Column {0!r} looks like names of models or queries, in which {1!r} repeats, but all rows "
    "are ranked together. Rank each apart: df.pu(by={0!r}). If one model scored all, rows of one "
    "{1!r} belong together: df.pu(cluster={1!r})."
)
_LOOKED_AT = 200_000  # first rows, to see whether examples repeat


class FrameSource:
    """A frame in memory, and what every source has in common: `rank`, `pair` and `rows`."""

    def __init__(self, frame: pd.DataFrame | None = None, grouped: Grouping | None = None) -> None:
        self.frame = pd.DataFrame() if frame is None else frame
        self._grouped = grouped
        self.kind = "frame" if grouped is None else "groupby"
        keys = getattr(grouped, "keys", None)
        shown = repr(keys) if isinstance(keys, str | list) else "..."
        self.name = "df" if grouped is None else f"df.groupby({shown})"

    def rank(self, roles: Terms, ranks: Ranks, *, exact: bool = True) -> Rankings:
        """Rank the rows, of each group, by each column of scores."""
        rows = self.rows(roles, roles.named())
        columns, groups = find_columns(rows.frame, roles.named()), rows.groups(roles)
        return rank_groups(
            *read_columns(columns, roles), groups, roles, ranks, name_columns(columns)
        )

    def pair(self, roles: Terms, on: ColumnNames | None) -> LazyByKey[PairedRanks]:
        """Rank the same examples by columns of scores, or by groups of rows that `on` pairs."""
        identity = on if isinstance(on, list) else [] if on is None else [on]
        rows = self.rows(roles, [*roles.named(), *(("on", name) for name in identity)])
        return pair_models(rows.frame, rows.groups(roles), roles, on)

    def rows(self, roles: Terms, named: Named) -> FrameSource:
        """Return a frame in memory that has the columns that are named, and those of groups."""
        return self

    def groups(self, roles: Terms) -> Groups:
        """Return the rows of each group, of `by` or of the groupby."""
        if self._grouped is None:
            return ALL_ROWS if roles.by is None else group_frame(self.frame, roles.by)
        return read_groups(self._grouped)

    def take(self, positions: IntArray, **columns: Sequence[Any]) -> Any:
        """Return some rows as a user sees them, with more columns."""
        return self.frame.iloc[positions].assign(**columns)

    @property
    def names(self) -> list[Hashable]:
        """The columns of rows, where there are rows."""
        return [*self.frame.columns]

    def summary(self, roles: Terms) -> dict[str, str]:
        """Count what the columns hold, and the groups; raises where they cannot be counted."""
        rows = self.rows(roles, roles.named())
        columns = find_columns(rows.frame, roles.named())
        counts = count_columns(columns, roles)
        groups = rows.groups(roles) if len(rows.frame) <= FEW_ROWS else ALL_ROWS
        if groups.names:
            counts["groups"] = f"{len(groups.keys):,}: {list_columns(groups.names)}"
        return counts

    def repeated(self, roles: Terms) -> list[str]:
        """Return columns of no role that look like ids and repeat within a group."""
        names = [name for name in self.names if _ID.fullmatch(str(name))]
        names = [name for name in names if self.names.count(name) == 1]
        if not names:
            return []
        rows = self.rows(roles, [("cluster", name) for name in names])
        groups = rows.groups(roles)
        taken = [*(name for _, name in roles.named()), *roles.keys, *groups.names]
        numbers = groups.numbers(len(rows.frame)) * (roles.pool is not True)
        repeated = []
        for name in names:
            there = rows.frame[name].notna().to_numpy() & (numbers >= 0)
            ids = rows.frame[name][there].array
            with suppress(TypeError):  # lists and the like are no ids
                again = pd.DataFrame({"group": numbers[there], "id": ids}).duplicated().any()
                if again and len(ids.unique()) > 1 and name not in taken:
                    repeated.append(str(name))
        return repeated

    def warn_of_mixed(self, roles: Terms) -> None:
        """Warn of rows of several models or queries that are ranked together, as one."""
        grouped = roles.keys or roles.is_wide or roles.cluster is not None
        if self.kind != "frame" or grouped or not self.frame.columns.is_unique:
            return
        names = [n for n in self.frame.columns if isinstance(n, str) and n != roles.score]
        ranked, keys = (filter(kind.fullmatch, names) for kind in (_RANKED, _RANKED_BY))
        rows = self.frame[:_LOOKED_AT]
        for name, key in product([*ranked], [*keys]):
            if name != key and _is_text(rows[key].dtype):
                pairs = rows[[key, name]].drop_duplicates()
                is_once_in_each = len(pairs) > _MOSTLY * len(rows)
                if is_once_in_each and pairs[name].nunique() < _MOSTLY * len(pairs):
                    warn_caller(_MIXED.format(key, name), page="many_models")
                    return

    def template(self, roles: Terms) -> xr.Dataset | None:
        """Return the dimensions that keys are the product of, if they are, with coordinates."""
        return None


def _is_text(dtype: Any) -> bool:
    return isinstance(dtype, pd.CategoricalDtype) or pd.api.types.is_string_dtype(dtype)


def source_of_arrays(
    score: Any, label: Any, roles: Terms, **others: Any
) -> tuple[FrameSource, Terms]:
    """Return the source of arrays, paired by position, and the roles with those of `others`."""
    given = {role: values for role, values in others.items() if values is not None}
    source = FrameSource(pair_arrays(score, label, **given))
    source.name = source.kind = "arrays"
    return source, roles.update(**{role: role for role in given})


def rank_annotated(
    source: FrameSource, roles: Terms, wave: Hashable | None, strata: Hashable | None
) -> LazyByKey[AnnotatedRanking]:
    """Rank the rows at breakpoints, with the wave and the stratum of each, if it is in one."""
    named = [(what, of) for what, of in (("wave", wave), ("strata", strata)) if of is not None]
    rows = source.rows(roles, [*roles.named(), *named])
    columns, groups = find_columns(rows.frame, roles.named()), rows.groups(roles)
    scores, labels = read_columns(columns, roles)
    keyed = rank_groups(scores, labels, groups, roles, "breakpoints", name_columns(columns))
    values = {what: read_column(rows.frame, what, name) for what, name in named}
    state = np.where(labels.positive, 0, 2 - labels.negative)  # as in `Counts`

    def make(position: int) -> AnnotatedRanking:
        group, model = divmod(position, len(scores))
        ranked = np.arange(state.size)[groups.rows[group]]
        score = scores[model][ranked]
        ranked = ranked[labels.take(ranked).ranked(score, omits=roles.omits)]
        known = ranked[labels.positive[ranked]]
        known = known[np.argsort(-scores[model][known], kind="stable")]  # NaN last
        known = known.repeat(labels.each[known])
        found: dict[str, Any] = {}
        if wave is not None:
            found["wave"], found["waves"] = _number_values("wave", values["wave"].iloc[known])
            found["cluster"] = None if labels.cluster is None else labels.cluster[known]
        if strata is not None:
            of_rows = values["strata"].iloc[ranked]
            numbers, found["strata"] = _number_values("strata", of_rows)
            there, cell = ranked[numbers >= 0], (3 * numbers + state[ranked])[numbers >= 0]
            cells = np.bincount(cell, labels.each[there], 3 * len(found["strata"]))
            found["counts"] = cells.reshape(-1, 3).astype(np.int64)
        return AnnotatedRanking(keyed.make(position), **found)

    return LazyByKey(keyed.names, keyed.keys, make)


def _number_values(argument: str, column: pd.Series[Any]) -> tuple[IntArray, tuple[Hashable, ...]]:
    """Return the number of each row's value, -1 where it is missing, and the values in order."""
    try:
        numbers, values = pd.factorize(column)
    except TypeError as error:
        raise PUTypeError(
            f"{argument} must name a column of texts or numbers, but {column.name!r} holds what "
            f"cannot be looked up: {brief(str(error))}. Make texts of it: column.astype(str)."
        ) from error
    with suppress(TypeError):  # some values have no order
        numbers, values = pd.factorize(column, sort=True)
    return numbers.astype(np.int64, copy=False), tuple(pd.Index(values).tolist())
