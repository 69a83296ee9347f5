"""``import pu_accessor.polars`` puts ``pu`` on polars DataFrames, LazyFrames and group-bys.

Methods and results are those of ``df.pu``. Only the named columns are read; those of a LazyFrame
are collected once for each method. They are converted by Arrow, and numbers without nulls are not
copied.

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
from pu_accessor.roles_and_assumptions import Terms
from pu_accessor.sources.columns import list_columns
from pu_accessor.sources.frames import FrameSource, Named
from pu_accessor.sources.groups import columns_to_read

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
    """A polars frame, in memory or lazy, or a group_by of it; rows without a key are a group."""

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
                "A group_by must have all rows, but having(...) leaves groups out. Filter the "
                "rows first: df.filter(pl.col('score') > 0).group_by('key').pu."
            )

    def rows(self, roles: Terms, named: Named) -> FrameSource:
        """Return the named columns as a pandas frame; a lazy frame is collected once."""
        names: Any = columns_to_read(pd.DataFrame(columns=self.names), roles, named)
        columns = self._polars.select(names)
        frame = _as_frame(columns.collect() if isinstance(columns, pl.LazyFrame) else columns)
        if self._by is None:
            return FrameSource(frame)
        exprs, aliased = self._by.by, self._by.named_by
        names = self._by.df.select(*exprs, **aliased).columns
        keys = _as_frame(self._by.df.with_columns(*exprs, **aliased).select(names))
        sort = not self._by.maintain_order
        return FrameSource(frame, keys.groupby(names, sort=sort, dropna=False, observed=True))

    def take(self, positions: IntArray, **columns: Sequence[Any]) -> pl.DataFrame:
        """Return some rows, with more columns."""
        added = {name: pl.Series([*values]) for name, values in columns.items()}
        return cast("pl.DataFrame", self._polars)[positions].with_columns(**added)

    @property
    def names(self) -> list[Hashable]:
        """The names of columns."""
        return [*self._polars.collect_schema().names()]

    def summary(self, roles: Terms) -> dict[str, str]:
        """Return counts of examples for a repr; of a lazy frame the names of columns only."""
        if self.kind == "lazy":
            return {"columns": list_columns(self.names)}
        return super().summary(roles)


def _as_frame(columns: pl.DataFrame) -> pd.DataFrame:
    """Return columns as a pandas frame, without a copy of numbers."""
    return pd.DataFrame({column.name: as_pandas(column) for column in columns}, copy=False)


def as_pandas(column: pl.Series) -> "pd.Series[Any]":
    """Return a column as a pandas Series; nulls are missing in each dtype."""
    dtype = column.dtype
    if str(dtype) in ("Int128", "UInt128"):  # missing in Arrow, and in older polars
        return pd.Series(column.to_list(), dtype=object)
    is_nullable = bool(column.null_count()) and (dtype.is_integer() or dtype == pl.Boolean)
    values = column.to_pandas(use_pyarrow_extension_array=is_nullable)
    if dtype == pl.Categorical:
        return values.cat.set_categories(sorted(values.cat.categories))
    return values


def _refuse(lazy: LazyGroupBy) -> NoReturn:
    """Raise for the group_by of a LazyFrame."""
    raise PUTypeError(
        "The group_by of a LazyFrame has no pu, as its columns are not known. Name them: "
        "lf.pu(by='key')."
    )


def _register() -> None:
    """Add ``pu`` to polars' classes."""
    # A namespace of polars would keep the frame in memory after its use.
    properties: dict[type, Any] = {
        pl.DataFrame: lambda frame: Accessor(PolarsSource(frame)),
        pl.LazyFrame: lambda frame: Accessor(PolarsSource(frame)),
        GroupBy: lambda grouped: Accessor(PolarsSource(grouped.df, grouped)),
        LazyGroupBy: _refuse,
    }
    for kind, make in properties.items():
        kind.pu = property(make)  # type: ignore[attr-defined]


_register()
