"""``import pu_accessor.polars`` puts ``pu`` on polars DataFrames, LazyFrames and group-bys.

The methods are those of ``df.pu``, and so are the answers. The columns that are named are read, as
those of a pandas frame, and nothing else: of a LazyFrame they alone are collected, once for each
question. They come by Arrow, and numbers without nulls are not copied.

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

from collections.abc import Hashable, Sequence
from typing import Any, NoReturn, cast

import pandas as pd

from pu_accessor.errors import PUImportError, PUTypeError
from pu_accessor.questions.accessor import Accessor
from pu_accessor.ranking import IntArray
from pu_accessor.sources.columns import list_columns, read_column
from pu_accessor.sources.frames import FrameSource, Named
from pu_accessor.sources.groups import key_columns
from pu_accessor.terms import Terms

try:
    import polars as pl
    import pyarrow  # noqa: F401  # polars needs it for pandas
    from polars.dataframe.group_by import GroupBy
    from polars.lazyframe.group_by import LazyGroupBy
except ImportError as error:
    raise PUImportError(
        f"pu_accessor.polars needs {error.name}, which is not installed: "
        "pip install 'pu_accessor[polars]'."
    ) from error

__all__ = ["PolarsSource", "as_pandas"]


class PolarsSource(FrameSource):
    """A polars frame, in memory or lazy, and a group_by of it."""

    def __init__(self, frame: pl.DataFrame | pl.LazyFrame, grouped: GroupBy | None = None) -> None:
        super().__init__()
        self._polars = frame
        self._by = grouped
        if isinstance(frame, pl.LazyFrame):
            self.name, self.kind = "lf", "lazy"
        elif grouped is not None:
            self.name, self.kind = "df.group_by(...)", "groupby"
        if getattr(grouped, "predicates", None):
            raise PUTypeError(
                "A group_by must be one of all rows, but having(...) leaves groups out. Filter "
                "the rows first: df.filter(pl.col('score') > 0).group_by('key').pu."
            )

    def rows(self, roles: Terms, named: Named) -> FrameSource:
        """Return the columns that are named as a frame of pandas; a plan is carried out once."""
        example = pd.DataFrame(columns=self.names)
        by = [] if roles.by is None else key_columns(example, roles.by)
        for argument, name in named:
            read_column(example, argument, name)
        read = self._polars.select([*dict.fromkeys([*by, *(name for _, name in named)])])
        frame = _as_frame(read.collect() if isinstance(read, pl.LazyFrame) else read)
        if self._by is None:
            return FrameSource(frame)
        exprs, aliased = self._by.by, self._by.named_by
        names = self._by.df.select(*exprs, **aliased).columns
        keys = _as_frame(self._by.df.with_columns(*exprs, **aliased).select(names))
        in_order = self._by.maintain_order
        grouped = keys.groupby(names, sort=not in_order, dropna=False, observed=True)
        return FrameSource(frame, grouped)

    def take(self, positions: IntArray, **columns: Sequence[Any]) -> pl.DataFrame:
        """Return some rows, with more columns."""
        added = {name: pl.Series([*values]) for name, values in columns.items()}
        return cast("pl.DataFrame", self._polars)[positions].with_columns(**added)

    @property
    def names(self) -> list[Hashable]:
        """The names of columns, in memory or not."""
        return [*self._polars.collect_schema().names()]

    def summary(self, roles: Terms) -> dict[str, str]:
        """Count what the columns hold; of a plan, which is not carried out, name the columns."""
        if self.kind == "lazy":
            return {"columns": list_columns(self.names)}
        return super().summary(roles)


def _as_frame(columns: pl.DataFrame) -> pd.DataFrame:
    """Return columns as pandas has them, without a copy of numbers."""
    return pd.DataFrame({column.name: as_pandas(column) for column in columns}, copy=False)


def as_pandas(column: pl.Series) -> "pd.Series[Any]":
    """Return a column as pandas has it: what is null is missing, of each dtype."""
    dtype = column.dtype
    if str(dtype) in ("Int128", "UInt128"):  # which Arrow has not, nor have older polars
        return pd.Series(column.to_list(), dtype=object)
    is_nullable = bool(column.null_count()) and (dtype.is_integer() or dtype == pl.Boolean)
    values = column.to_pandas(use_pyarrow_extension_array=is_nullable)
    if dtype == pl.Categorical:
        return values.cat.set_categories(sorted(values.cat.categories))
    return values


def _refuse(lazy: LazyGroupBy) -> NoReturn:
    """Say how the groups of a LazyFrame are named."""
    raise PUTypeError(
        "pu must be asked of a LazyFrame, as its group_by does not tell its columns. Name them: "
        "lf.pu(by='key')."
    )


def _register() -> None:
    """Put ``pu`` on polars' classes."""
    properties: dict[type, Any] = {
        pl.DataFrame: lambda frame: Accessor(PolarsSource(frame)),
        pl.LazyFrame: lambda frame: Accessor(PolarsSource(frame)),
        GroupBy: lambda grouped: Accessor(PolarsSource(grouped.df, grouped)),
        LazyGroupBy: _refuse,
    }
    for kind, make in properties.items():
        kind.pu = property(make)  # type: ignore[attr-defined]


_register()
