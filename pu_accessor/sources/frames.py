"""What a source is, and columns in memory -> rankings, pairs and rows.

A source is what questions are put to. What a kind of source cannot be asked is refused before.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.errors import PUTypeError, brief
from pu_accessor.ranking import Annotated, IntArray, Keyed, PairedRanks, Rankings, Ranks
from pu_accessor.sources.columns import (
    FEW_ROWS,
    Column,
    Columns,
    count_columns,
    find_columns,
    list_columns,
    name_columns,
    pair_arrays,
    read_column,
    read_columns,
    read_labels,
    read_values,
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
from pu_accessor.sources.sampling import Draw, sample_strata, sample_unlabeled
from pu_accessor.terms import ColumnNames, Terms

_ID = re.compile(r"(.+_)?id|patient|user|site", re.IGNORECASE)  # a column's name


class FrameSource:
    """A frame in memory, and what every source has in common.

    `name` is what it is called in messages, `kind` one of "frame", "groupby", "arrays", "samples"
    and "pieces". The frame is not changed, and its index plays no role. `sort`, `dropna` and
    `observed` of a groupby are honoured; a selection of columns is not needed.
    """

    def __init__(self, frame: pd.DataFrame | None = None, grouped: Grouping | None = None) -> None:
        self._frame = pd.DataFrame() if frame is None else frame
        self._grouped = grouped
        self.kind = "frame" if grouped is None else "groupby"
        keys = getattr(grouped, "keys", None)
        shown = repr(keys) if isinstance(keys, str | list) else "..."
        self.name = "df" if grouped is None else f"df.groupby({shown})"

    def rank(self, roles: Terms, ranks: Ranks) -> Rankings:
        """Rank the rows, of each group, by each column of scores.

        Keys have the names of the groups, and "model" for a list of columns.
        """
        columns, groups = self._columns(roles), self._groups(roles)
        names = name_columns(columns)
        return rank_groups(*read_columns(columns, roles), groups, roles, ranks, names)

    def pair(self, roles: Terms, on: ColumnNames | None) -> Keyed[PairedRanks]:
        """Rank the same examples by columns of scores, or by groups of rows that `on` pairs."""
        identity = on if isinstance(on, list) else [] if on is None else [on]
        frame = self._table([*roles.named(), *(("on", name) for name in identity)])
        return pair_models(frame, self._groups(roles), roles, on)

    def annotate(
        self, roles: Terms, wave: Hashable | None, strata: Hashable | None
    ) -> Keyed[Annotated]:
        """Rank the rows at breakpoints, with the wave and the stratum of each, if it is in one."""
        named = [(what, of) for what, of in (("wave", wave), ("strata", strata)) if of is not None]
        of_roles = roles.named()
        frame = self._table([*of_roles, *named])
        columns = find_columns(frame, of_roles)
        (scores, labels), groups = read_columns(columns, roles), self._groups(roles)
        keyed = rank_groups(scores, labels, groups, roles, "breakpoints", name_columns(columns))
        values = {what: read_column(frame, what, name) for what, name in named}

        def make(position: int) -> Annotated:
            group, model = divmod(position, len(scores))
            written, own = labels.take(groups.rows[group]).each_known()
            score = scores[model][groups.rows[group]][written]
            every = np.arange(labels.positive.size)[groups.rows[group]][written]
            rows = np.arange(score.size)[own.ranked(score, omits=roles.omits)]
            known = rows[own.positive[rows]]
            known = known[np.argsort(0.0 - score[known], kind="stable")]  # NaN last
            found: dict[str, Any] = {}
            if wave is not None:
                of_known = values["wave"].iloc[every[known]]
                found["wave"], found["waves"] = _number_values("wave", of_known)
                found["cluster"] = None if own.cluster is None else own.cluster[known]
            if strata is not None:
                of_rows = values["strata"].iloc[every[rows]]
                numbers, found["strata"] = _number_values("strata", of_rows)
                kinds = own.positive[rows], own.negative[rows]
                each = [kind & (numbers >= 0) for kind in (*kinds, ~(kinds[0] | kinds[1]))]
                size = len(found["strata"])
                counts = [np.bincount(numbers[one], own.each[rows][one], size) for one in each]
                found["counts"] = np.stack(counts, axis=1).astype(np.int64)
            return Annotated(keyed.make(position), **found)

        return Keyed(keyed.names, keyed.keys, make)

    def summary(self, roles: Terms) -> dict[str, str]:
        """Count what the columns hold, and the groups; raises where they cannot be counted."""
        columns = self._columns(roles)
        counts = count_columns(columns, roles)
        groups = self._groups(roles) if columns[0][1].size <= FEW_ROWS else ALL_ROWS
        if groups.names:
            counts["groups"] = f"{len(groups.keys):,}: {list_columns(groups.names)}"
        return counts

    def sample(self, roles: Terms, draw: Draw) -> pd.DataFrame:
        """Draw unlabeled rows at random, without replacement, with their index."""
        rows, groups, held = self._rows(roles), self._groups(roles), self.held(roles)
        known = read_labels(read_column(rows, "label", held.label), held)
        if not draw.is_apart:
            return sample_unlabeled(rows, known, groups, held.label, draw)
        (_, score), *_ = self._columns(roles)
        column = None
        if draw.column is not None:
            column = read_column(self._table([("strata", draw.column)]), "strata", draw.column)
        return sample_strata(rows, known, read_values(score, held), column, held, draw)

    def repeated(self, roles: Terms) -> list[str]:
        """Return columns of no role that look like ids and repeat within a group."""
        unique = self._frame.columns[~self._frame.columns.duplicated(keep=False)]
        names = [name for name in unique if _ID.fullmatch(str(name))]
        if not names:
            return []
        groups = self._groups(roles)
        taken = [*(name for _, name in roles.named()), *roles.keys, *groups.names]
        names = [name for name in names if name not in taken]
        columns = self._table([("cluster", name) for name in names])
        numbers = groups.numbers(len(columns)) * (roles.pool is not True)
        repeated = []
        for name in names:
            there = columns[name].notna().to_numpy() & (numbers >= 0)
            pairs = pd.DataFrame({"group": numbers[there], "id": columns[name][there].array})
            with suppress(TypeError):  # lists and the like are no ids
                if pairs.duplicated().any() and len(pairs["id"].unique()) > 1:
                    repeated.append(str(name))
        return repeated

    def held(self, roles: Terms) -> Terms:
        """Return the roles, with those of values that the source has without a column."""
        return roles

    def template(self, roles: Terms) -> xr.Dataset | None:
        """Return the dimensions that keys are the product of, if they are, with coordinates."""
        return None

    def _columns(self, roles: Terms) -> Columns:
        """Return the columns that roles name."""
        named = roles.named()
        return find_columns(self._table(named), named)

    def _table(self, named: list[tuple[str, Hashable]]) -> pd.DataFrame:
        """Return a frame with the columns that are named, each after its argument."""
        return self._frame

    def _rows(self, roles: Terms) -> pd.DataFrame:
        """Return the rows as a user sees them."""
        return self._frame

    def _groups(self, roles: Terms) -> Groups:
        """Return the rows of each group, of `by` or of the groupby."""
        if self._grouped is None:
            return ALL_ROWS if roles.by is None else group_frame(self._frame, roles.by)
        return read_groups(self._grouped)


class ArraySource(FrameSource):
    """Scores and labels of the same examples, paired by position: a frame of two columns."""

    def __init__(self, score: Column, label: Column, **others: Column | None) -> None:
        super().__init__()
        self.name = self.kind = "arrays"
        self._score = score
        self._label = label
        self._others: dict[str, Any] = {role: v for role, v in others.items() if v is not None}

    def held(self, roles: Terms) -> Terms:
        """Return the roles, with those of further arrays under the names of the arguments."""
        names: dict[str, Any] = {role: role for role in self._others}
        return roles.update(**names)

    def _columns(self, roles: Terms) -> Columns:
        """Return the arrays as columns, each under its name where it has one."""
        return pair_arrays(self._score, self._label, "", **self._others)

    def _rows(self, roles: Terms) -> pd.DataFrame:
        """Return a frame whose columns have the names of the arguments."""
        return pd.DataFrame({role: column.array for role, column in self._columns(roles)})


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
