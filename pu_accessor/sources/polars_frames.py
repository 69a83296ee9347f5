"""A polars frame, or its groups -> rankings and pairs: the columns that are named, as pandas'."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from pu_accessor.errors import PUTypeError
from pu_accessor.ranking import Keyed, PairedRanks, Rankings, Ranks
from pu_accessor.sources.columns import as_models, read_column
from pu_accessor.sources.frames import FrameSource
from pu_accessor.sources.groups import key_columns
from pu_accessor.sources.roles import Roles
from pu_accessor.sources.source import check_no_keys
from pu_accessor.sources.summary import or_reason

__all__ = ["PolarsSource", "as_pandas", "read_keys"]

_WIDE = {"Int128", "UInt128"}  # which numpy has not, nor have older polars


class PolarsSource:
    """A polars frame in memory.

    Parameters
    ----------
    frame : polars DataFrame
        A row for each example. It is not changed, and columns that are not asked for are not read.
    keys : list of str, optional
        Columns of a group_by. Rows without a key are a group of their own.
    sort : bool, default True
        Whether groups of a group_by are sorted, or stand as they come.
    """

    def __init__(
        self, frame: pl.DataFrame, keys: list[str] | None = None, sort: bool = True
    ) -> None:
        self._frame = frame
        self._keys = keys
        self._sort = sort
        self.name = "df" if keys is None else "df.group_by(...)"

    def rank(self, roles: Roles, ranks: Ranks) -> Rankings:
        """Rank the rows, of each group, by each column of scores: see `Source`.

        Raises as `pu_accessor.sources.frames.FrameSource.rank`.
        """
        return self._read(roles, _ranked(roles)).rank(roles, ranks)

    def pair(self, roles: Roles, on: Hashable | list[Hashable] | None) -> Keyed[PairedRanks]:
        """Rank the same examples by columns of scores, or by groups of rows: see `Source`.

        Raises as `pu_accessor.sources.frames.FrameSource.pair`.
        """
        identity = on if isinstance(on, list) else [] if on is None else [on]
        named = [*_ranked(roles), *(("on", name) for name in identity)]
        return self._read(roles, named).pair(roles, on)

    def summary(self, roles: Roles) -> dict[str, str]:
        """Count what the columns hold, and the groups: see `Source`."""
        return or_reason(lambda: self._read(roles, _scored(roles)).summary(roles))

    def sample(self, roles: Roles, size: int, random_state: int | np.random.Generator) -> Any:
        """Draw unlabeled rows at random, the same as of a pandas frame: see `Source`.

        Returns rows of the polars frame.
        """
        source = self._read(roles, [("label", roles.label)])
        return self._frame[source.sample(roles, size, random_state).index.tolist()]

    def best(self, roles: Roles, sizes: Sequence[int]) -> Any:
        """Return the rows with the best scores, of the polars frame: see `Source`."""
        source = self._read(roles, _scored(roles))
        return self._frame[source.best(roles, sizes).index.tolist()]

    def _read(self, roles: Roles, named: list[tuple[str, Hashable]]) -> FrameSource:
        """Return the columns that are named, and those of keys, as a frame of pandas."""
        example = pd.DataFrame(columns=self._frame.columns)
        keys: list[Hashable] = []
        if self._keys is not None:
            check_no_keys(roles.by, "df.group_by(['site', 'model']).pu")
            keys = key_columns(example, [*self._keys])
        elif roles.by is not None:
            keys = key_columns(example, roles.by)
        for argument, name in named:
            read_column(example, argument, name)
        arguments = {str(name): argument for argument, name in named}
        names = dict.fromkeys([*map(str, keys), *arguments])
        columns = {}
        for name in names:
            column = self._frame.get_column(name)
            if column.dtype == pl.String and arguments.get(name) != "score":
                column = column.cast(pl.Categorical)  # each text is looked at once
            columns[name] = as_pandas(column)
        frame = pd.DataFrame(columns, copy=False)
        if self._keys is None:
            return FrameSource(frame)
        grouped = frame.groupby(keys, sort=self._sort, dropna=False, observed=True)
        return FrameSource(frame, grouped)


def read_keys(by: tuple[Any, ...], named: dict[str, Any]) -> list[str]:
    """Return the columns that a polars group_by groups by."""
    keys = [key for one in by for key in (one if isinstance(one, list | tuple) else [one])]
    odd = [key for key in [*keys, *named.values()] if not isinstance(key, str)]
    if odd or named:
        raise PUTypeError(
            "A group_by must name columns, but it groups by an expression. Make it a column "
            "first: df.with_columns(key=pl.col('score') > 0).group_by('key').pu."
        )
    return keys


def as_pandas(column: pl.Series) -> "pd.Series[Any]":
    """Return a column as pandas has it: what is null is missing, of each dtype."""
    dtype = column.dtype
    values: Any
    if str(dtype) in _WIDE:
        values = pd.Series(column.to_list(), dtype=object)
    elif dtype.is_integer() or dtype == pl.Boolean:
        values = _counted(column)
    elif dtype.is_float():
        values = column.to_numpy()
    elif isinstance(dtype, pl.Date | pl.Datetime | pl.Duration):
        values = _timed(column)
    elif isinstance(dtype, pl.Categorical | pl.Enum):
        values = _categories(column)
    elif dtype == pl.String:
        values = column.to_list()
    else:
        values = pd.Series(column.to_list(), dtype=object)
    return pd.Series(values, name=column.name, copy=False)


def _scored(roles: Roles) -> list[tuple[str, Hashable]]:
    """Return the columns of scores and labels, and the arguments that name them."""
    scores = [("score", name) for name in as_models(roles.score)]
    return [*scores, ("label", roles.label)]


def _ranked(roles: Roles) -> list[tuple[str, Hashable]]:
    """Return the columns that a ranking is made of, and the arguments that name them."""
    odds = [] if roles.propensity is None else [("propensity", roles.propensity)]
    return [*_scored(roles), *odds]


def _counted(column: pl.Series) -> Any:
    """Return integers or bools; nullable ones where some are null."""
    if not column.null_count():
        return column.to_numpy()
    missing = column.is_null().to_numpy()
    if column.dtype == pl.Boolean:
        return pd.arrays.BooleanArray(column.fill_null(False).to_numpy(), missing)
    return pd.arrays.IntegerArray(column.fill_null(0).to_numpy(), missing)


def _timed(column: pl.Series) -> "pd.Series[Any]":
    """Return times, in their zone where they have one."""
    values: pd.Series[Any] = pd.Series(column.to_numpy())
    zone = getattr(column.dtype, "time_zone", None)
    return values if zone is None else values.dt.tz_localize("UTC").dt.tz_convert(zone)


def _categories(column: pl.Series) -> pd.Categorical:
    """Return categories, those of an Enum in its order, others in that of the alphabet."""
    codes = column.to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
    texts: Any
    if isinstance(column.dtype, pl.Enum):
        texts = column.dtype.categories.to_list()
        return pd.Categorical.from_codes(codes, categories=texts)
    used = column.unique().drop_nulls()  # of categories that other columns may share
    texts = np.array(used.cast(pl.String).to_list(), dtype=object)
    order = np.argsort(texts)
    place = np.full(codes.max(initial=-1) + 2, -1, np.int32)  # the last is that of null
    place[used.to_physical().to_numpy()[order]] = np.arange(order.size)
    return pd.Categorical.from_codes(place[codes], categories=texts[order])
