"""``import pu_accessor.polars`` puts ``pu`` on polars DataFrames and their group-bys.

The methods are those of ``df.pu``, and so are the answers. Of a frame the columns that are named
are read, and nothing else; numbers without nulls are not copied.
"""

from typing import Any, NoReturn

from pu_accessor.accessors.accessor import Accessor
from pu_accessor.errors import PUImportError, PUTypeError

try:
    import polars as pl
    from polars.dataframe.group_by import GroupBy
    from polars.lazyframe.group_by import LazyGroupBy
except ImportError as error:
    raise PUImportError(
        "pu_accessor.polars needs polars, which is not installed: "
        "pip install 'pu_accessor[polars]'."
    ) from error

from pu_accessor.sources.polars_frames import PolarsSource, read_keys

__all__ = ["PolarsAccessor", "PolarsGroupByAccessor"]


class PolarsAccessor(Accessor):
    """``df.pu``: the methods of ``df.pu`` of pandas, for a polars DataFrame.

    Parameters
    ----------
    frame : polars DataFrame
        A row for each example, with a column of scores and one of labels.

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

    def __init__(self, frame: pl.DataFrame) -> None:
        super().__init__(PolarsSource(frame))


class PolarsGroupByAccessor(Accessor):
    """``df.group_by(...).pu``: the methods of ``df.pu``, for each group, without ``by``.

    Parameters
    ----------
    grouped : polars GroupBy
        By columns of the frame. With ``maintain_order=True`` groups stand as they come, otherwise
        they are sorted; rows without a key are a group of their own.

    Raises
    ------
    PUTypeError
        If it groups by expressions, or some of its groups are filtered out.
    """

    def __init__(self, grouped: GroupBy) -> None:
        if getattr(grouped, "predicates", None):
            raise PUTypeError(
                "A group_by must be one of all rows, but having(...) leaves groups out. Filter "
                "the rows first: df.filter(pl.col('score') > 0).group_by('key').pu."
            )
        keys = read_keys(grouped.by, grouped.named_by)
        super().__init__(PolarsSource(grouped.df, keys, not grouped.maintain_order))


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
    setattr(pl.DataFrame, "pu", property(PolarsAccessor))  # noqa: B010
    setattr(GroupBy, "pu", property(PolarsGroupByAccessor))  # noqa: B010
    for lazy in (pl.LazyFrame, LazyGroupBy):
        setattr(lazy, "pu", property(_refuse))  # noqa: B010


_register()
