"""``import pu_accessor.polars`` puts ``pu`` on polars DataFrames and their group-bys.

The methods are those of ``df.pu``, and so are the answers. Of a frame the columns that are named
are read, as those of a pandas frame, and nothing else; numbers without nulls are not copied.

Examples
--------
>>> import polars as pl
>>> import pu_accessor.polars
>>> label = [None, 1, 1, None, None, 1, None, None, None]
>>> df = pl.DataFrame({"score": range(9, 0, -1), "label": label})
>>> df.pu.auroc(beta=0.3)[["beta", "estimate"]].round(3)
   beta  estimate
0   0.3     0.817
"""

from collections.abc import Hashable, Sequence
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from pu_accessor.accessors.accessor import Accessor
from pu_accessor.errors import PUImportError, PUTypeError
from pu_accessor.ranking import Keyed, PairedRanks, Rankings, Ranks
from pu_accessor.sources.columns import read_column
from pu_accessor.sources.frames import FrameSource
from pu_accessor.sources.groups import key_columns
from pu_accessor.sources.roles import ColumnNames, Roles, Seed
from pu_accessor.sources.source import Source, check_no_keys

try:
    import polars as pl
    from polars.dataframe.group_by import GroupBy
    from polars.lazyframe.group_by import LazyGroupBy
except ImportError as error:
    raise PUImportError(
        "pu_accessor.polars needs polars, which is not installed: "
        "pip install 'pu_accessor[polars]'."
    ) from error

__all__ = ["PolarsSource", "as_pandas"]

_WIDE = {"Int128", "UInt128"}  # which numpy has not, nor have older polars


class PolarsSource(Source):
    """A polars frame in memory.

    The frame is not changed, and columns that are not named are not read. With `keys`, those of a
    group_by, rows without a key are a group of their own, and `sort` says whether groups are
    sorted, or stand as they come.
    """

    def __init__(
        self, frame: pl.DataFrame, keys: list[str] | None = None, sort: bool = True
    ) -> None:
        self._frame = frame
        self._keys = keys
        self._sort = sort
        self.name = "df" if keys is None else "df.group_by(...)"

    @classmethod
    def of_groups(cls, grouped: GroupBy) -> "PolarsSource":
        """Make the source of a group_by of columns, with all its rows.

        With ``maintain_order=True`` groups stand as they come, otherwise they are sorted.
        """
        if getattr(grouped, "predicates", None):
            raise PUTypeError(
                "A group_by must be one of all rows, but having(...) leaves groups out. Filter "
                "the rows first: df.filter(pl.col('score') > 0).group_by('key').pu."
            )
        keys: list[Any] = [
            key
            for names in grouped.by
            for key in (names if isinstance(names, list | tuple) else [names])
        ]
        if grouped.named_by or not all(isinstance(key, str) for key in keys):
            raise PUTypeError(
                "A group_by must name columns, but it groups by an expression. Make it a column "
                "first: df.with_columns(key=pl.col('score') > 0).group_by('key').pu."
            )
        return cls(grouped.df, keys, not grouped.maintain_order)

    def rank(self, roles: Roles, ranks: Ranks) -> Rankings:
        """Rank the rows, of each group, by each column of scores: see `Source`."""
        return self._read(roles, roles.named()).rank(roles, ranks)

    def pair(self, roles: Roles, on: ColumnNames | None) -> Keyed[PairedRanks]:
        """Rank the same examples by columns of scores, or by groups of rows: see `Source`."""
        identity = on if isinstance(on, list) else [] if on is None else [on]
        named = [*roles.named(), *(("on", name) for name in identity)]
        return self._read(roles, named).pair(roles, on)

    def summary(self, roles: Roles) -> dict[str, str]:
        """Count what the columns hold, and the groups: see `Source`."""
        return self._read(roles, roles.named()).summary(roles)

    def sample(self, roles: Roles, size: int, random_state: Seed) -> Any:
        """Draw unlabeled rows of the polars frame, the same as of a pandas frame: see `Source`."""
        source = self._read(roles, [("label", roles.label)])
        return self._frame[source.sample(roles, size, random_state).index.tolist()]

    def best(self, roles: Roles, sizes: Sequence[int]) -> Any:
        """Return the rows with the best scores, of the polars frame: see `Source`."""
        source = self._read(roles, roles.named())
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
        columns = {}
        for name in dict.fromkeys([*map(str, keys), *arguments]):
            column = self._frame.get_column(name)
            if column.dtype == pl.String and arguments.get(name) != "score":
                column = column.cast(pl.Categorical)  # each text is looked at once
            columns[name] = as_pandas(column)
        frame = pd.DataFrame(columns, copy=False)
        if self._keys is None:
            return FrameSource(frame)
        return FrameSource(
            frame, frame.groupby(keys, sort=self._sort, dropna=False, observed=True)
        )


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
    sorted_codes = np.full(codes.max(initial=-1) + 2, -1, np.int32)  # the last is that of null
    sorted_codes[used.to_physical().to_numpy()[order]] = np.arange(order.size)
    return pd.Categorical.from_codes(sorted_codes[codes], categories=texts[order])


def _refuse(lazy: Any) -> NoReturn:
    """Say that what is lazy has to be collected."""
    grouped = ".group_by('key')" if isinstance(lazy, LazyGroupBy) else ""
    raise PUTypeError(
        f"pu must be asked of rows that are there, but a {type(lazy).__name__} is a plan for "
        f"some. Collect it first: lf.collect(){grouped}.pu."
    )


def _register() -> None:
    """Put ``pu`` on polars' classes.

    A namespace of polars' own would be kept by its frame, and keep this: memory that is not free
    when the frame is gone.
    """
    properties = {
        pl.DataFrame: lambda frame: Accessor(PolarsSource(frame)),
        GroupBy: lambda grouped: Accessor(PolarsSource.of_groups(grouped)),
        pl.LazyFrame: _refuse,
        LazyGroupBy: _refuse,
    }
    for kind, make in properties.items():
        kind.pu = property(make)  # type: ignore[attr-defined]


_register()
