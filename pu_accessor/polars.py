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
0   0.3     0.855
"""

from collections.abc import Hashable
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from pu_accessor.errors import PUImportError, PUTypeError
from pu_accessor.questions.accessor import Accessor
from pu_accessor.sources.columns import read_column
from pu_accessor.sources.frames import FrameSource
from pu_accessor.sources.groups import ALL_ROWS, Groups, group_frame, key_columns, read_groups
from pu_accessor.sources.sampling import ADDED, Draw, check_free
from pu_accessor.terms import Terms

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


class PolarsSource(FrameSource):
    """A polars frame in memory.

    The frame is not changed, and columns that are not named are not read. With `keys`, those of a
    group_by, rows without a key are a group of their own, and `sort` says whether groups are
    sorted, or stand as they come.
    """

    def __init__(
        self, frame: pl.DataFrame, keys: list[str] | None = None, sort: bool = True
    ) -> None:
        self._polars = frame
        self._example = pd.DataFrame(columns=frame.columns)
        super().__init__(self._example)
        self._keys = keys
        self._sort = sort
        self.name, self.kind = ("df", "frame") if keys is None else ("df.group_by(...)", "groupby")

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

    def sample(self, roles: Terms, draw: Draw) -> Any:
        """Draw unlabeled rows of the polars frame, the same as of a pandas frame."""
        found = super().sample(roles, draw)
        rows = self._polars[found.index.tolist()]
        if not draw.is_apart:
            return rows
        check_free(rows.columns)
        return rows.with_columns(**{name: pl.Series(found[name].tolist()) for name in ADDED})

    def _table(self, named: list[tuple[str, Hashable]]) -> pd.DataFrame:
        """Return the columns that are named as a frame of pandas."""
        for argument, name in named:
            read_column(self._example, argument, name)
        columns: dict[Hashable, pd.Series[Any]] = {}
        for argument, name in named:
            column = self._polars.get_column(str(name))
            if column.dtype == pl.String and argument != "score":
                column = column.cast(pl.Categorical)  # each text is looked at once
            columns.setdefault(name, as_pandas(column))
        return pd.DataFrame(columns, copy=False)

    def _rows(self, roles: Terms) -> pd.DataFrame:
        """Return labels alone: what is wanted of rows is their position."""
        return self._table([("label", roles.label)])

    def _groups(self, roles: Terms) -> Groups:
        """Return the rows of each group, of `by` or of the group_by."""
        keys: Any = roles.by
        if self._keys is not None:
            keys = [*self._keys]
        if keys is None:
            return ALL_ROWS
        frame = self._table([("by", name) for name in key_columns(self._example, keys)])
        if self._keys is None:
            return group_frame(frame, keys)
        return read_groups(frame.groupby(keys, sort=self._sort, dropna=False, observed=True))


def as_pandas(column: pl.Series) -> "pd.Series[Any]":
    """Return a column as pandas has it: what is null is missing, of each dtype."""
    dtype = column.dtype
    values: Any
    if dtype == pl.Boolean or (dtype.is_integer() and str(dtype) not in _WIDE):
        if not column.null_count():
            values = column.to_numpy()
        else:  # nullable ones
            is_bool, missing = dtype == pl.Boolean, column.is_null().to_numpy()
            make = pd.arrays.BooleanArray if is_bool else pd.arrays.IntegerArray
            values = make(column.fill_null(False if is_bool else 0).to_numpy(), missing)
    elif dtype.is_float():
        values = column.to_numpy()
    elif isinstance(dtype, pl.Date | pl.Datetime | pl.Duration):
        values, zone = pd.Series(column.to_numpy()), getattr(dtype, "time_zone", None)
        values = values if zone is None else values.dt.tz_localize("UTC").dt.tz_convert(zone)
    elif isinstance(dtype, pl.Categorical | pl.Enum):
        values = _categories(column)
    elif dtype == pl.String:
        values = column.to_list()
    else:
        values = pd.Series(column.to_list(), dtype=object)
    return pd.Series(values, name=column.name, copy=False)


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
