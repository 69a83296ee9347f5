"""A frame, its groups or several of its columns of scores -> rankings and pairs."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pu_accessor.ranking import Keyed, PairedRanks, Rankings, Ranks
from pu_accessor.sources.columns import as_models, as_series, read_column, read_values
from pu_accessor.sources.groups import Grouping, Groups, check_roles, group_frame, read_groups
from pu_accessor.sources.in_memory import rank_columns
from pu_accessor.sources.pairs import pair_models
from pu_accessor.sources.pooled import pool_groups, shares_below
from pu_accessor.sources.roles import Roles
from pu_accessor.sources.sampling import sample_unlabeled
from pu_accessor.sources.source import check_no_keys
from pu_accessor.sources.summary import FEW_ROWS, count_columns, list_columns, or_reason
from pu_accessor.sources.top_rows import take_best

__all__ = ["FrameSource"]


class _Columns(NamedTuple):
    """The columns that roles name."""

    scores: "list[pd.Series[Any]]"
    labels: "pd.Series[Any]"


class FrameSource:
    """A frame in memory.

    Parameters
    ----------
    frame : DataFrame
        A row for each example. It is not changed; its index plays no role.
    grouped : DataFrameGroupBy, optional
        Groups of its rows. Its `sort`, `dropna` and `observed` are honoured; a selection of
        columns is not needed.
    """

    def __init__(self, frame: pd.DataFrame, grouped: Grouping | None = None) -> None:
        self._frame = frame
        self._grouped = grouped
        keys = getattr(grouped, "keys", None)
        shown = repr(keys) if isinstance(keys, str | list) else "..."
        self.name = "df" if grouped is None else f"df.groupby({shown})"

    def rank(self, roles: Roles, ranks: Ranks) -> Rankings:
        """Rank the rows, of each group, by each column of scores: see `Source`.

        Keys have the names of the groups, and "model" for a list of columns. Raises as
        `pu_accessor.sources.in_memory.rank_columns`, and if `by` is passed on a groupby.
        """
        groups = self._groups(roles)
        columns = self._columns(roles)
        check_roles(groups, as_models(roles.score), roles.label)
        odds = None
        if roles.propensity is not None:
            odds = read_column(self._frame, "propensity", roles.propensity)
        return rank_columns(*columns, odds, groups, roles, ranks)

    def pair(self, roles: Roles, on: Hashable | list[Hashable] | None) -> Keyed[PairedRanks]:
        """Rank the same examples by columns of scores, or by groups of rows: see `Source`.

        Raises as `pu_accessor.sources.pairs.pair_models`.
        """
        return pair_models(self._frame, self._groups(roles), roles, on)

    def summary(self, roles: Roles) -> dict[str, str]:
        """Count what the columns hold, and the groups: see `Source`."""

        def count() -> dict[str, str]:
            counts = count_columns(*self._columns(roles), roles)
            groups = self._groups(roles) if len(self._frame) <= FEW_ROWS else None
            if groups is not None:
                counts["groups"] = f"{len(groups.keys):,}: {list_columns(groups.names)}"
            return counts

        return or_reason(count)

    def sample(
        self, roles: Roles, size: int, random_state: int | np.random.Generator
    ) -> pd.DataFrame:
        """Draw unlabeled rows at random, with their index: see `Source`.

        Raises as `pu_accessor.sources.sampling.sample_unlabeled`.
        """
        groups = self._groups(roles)
        labels = as_series("label", read_column(self._frame, "label", roles.label))
        return sample_unlabeled(self._frame, labels, groups, roles, size, random_state)

    def best(self, roles: Roles, sizes: Sequence[int]) -> pd.DataFrame:
        """Return the rows with the best scores, of groups that are pooled the best shares."""
        score, groups = self._columns(roles).scores[0], self._groups(roles)
        if groups is not None and roles.pool:
            below = shares_below(read_values(score, roles), groups.rows, roles.nan_policy)
            score, groups = pd.Series(below), pool_groups(groups, roles.pool, len(score)).groups
        return take_best(self._frame, score, groups, sizes)

    def _columns(self, roles: Roles) -> _Columns:
        """Return the columns of scores and labels."""
        models = as_models(roles.score)
        scores = [as_series("score", read_column(self._frame, "score", one)) for one in models]
        return _Columns(scores, as_series("label", read_column(self._frame, "label", roles.label)))

    def _groups(self, roles: Roles) -> Groups | None:
        """Return the rows of each group, of `by` or of the groupby."""
        if self._grouped is None:
            return None if roles.by is None else group_frame(self._frame, roles.by)
        check_no_keys(roles.by)
        return read_groups(self._grouped)
