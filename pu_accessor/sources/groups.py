"""The rows of each group of a frame."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.ranking import IntArray
from pu_accessor.sources.columns import read_column

__all__ = [
    "Grouping",
    "Groups",
    "Numbers",
    "check_roles",
    "group_frame",
    "key_columns",
    "number_groups",
    "read_groups",
]

if TYPE_CHECKING:
    Grouping: TypeAlias = pd.api.typing.DataFrameGroupBy[Any, Any]
else:  # generic for type checkers alone
    Grouping = pd.api.typing.DataFrameGroupBy

Numbers: TypeAlias = npt.NDArray[np.int16] | npt.NDArray[np.int32]


class Groups(NamedTuple):
    """The rows of each group, by position, and the groups' keys."""

    names: tuple[str, ...]
    keys: tuple[Hashable, ...]
    rows: list[IntArray | slice]


def group_frame(frame: pd.DataFrame, by: Hashable | list[Hashable]) -> Groups:
    """Group the rows of a frame by columns, as ``frame.groupby(by)`` does."""
    names = key_columns(frame, by)
    # The index plays no role; pandas would stumble over one that has the name of a column.
    columns = [frame[name].reset_index(drop=True) for name in names]
    plain = pd.DataFrame(dict(enumerate(map(_plain, columns))), copy=False)
    rows = _rows(_number(plain.groupby([*plain])))
    first = [some.start if isinstance(some, slice) else some[0] for some in rows]
    keys = [column.iloc[first].tolist() for column in columns]
    levels = keys[0] if len(keys) == 1 else zip(*keys, strict=True)
    return Groups(tuple(map(str, names)), tuple(levels), rows)


def _plain(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return the places of categories, in whose order they are sorted: pandas ranks these."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return column
    return column.cat.codes.where(column.notna())


def key_columns(
    frame: pd.DataFrame, by: Hashable | list[Hashable], argument: str = "by"
) -> list[Hashable]:
    """Return the columns of keys, or say what is wrong with them."""
    columns = by if isinstance(by, list) else [by]
    if not columns:
        raise PUValueError(
            f"{argument} must name one column or a list of them, but [] was passed."
        )
    if any(name in columns[:place] for place, name in enumerate(columns)):
        raise PUValueError(f"{argument} must name different columns, but {columns!r} was passed.")
    if isinstance(by, tuple) and by not in frame.columns and set(by) <= set(frame.columns):
        several = f"pass {argument}={list(by)!r}."
        raise PUTypeError(f"{argument} must be a list for several columns: {several}")
    for name in columns:
        read_column(frame, argument, name)
    return columns


def read_groups(grouped: Grouping) -> Groups:
    """Return the groups of a pandas groupby, in its order."""
    if not (grouped.observed and grouped.as_index):
        # The order of categories that do not occur is not the same for sizes and for numbers.
        grouped = grouped.obj.groupby(
            grouped.keys,
            level=grouped.level,
            sort=grouped.sort,
            dropna=grouped.dropna,
            observed=True,
        )
    rows, sizes = _rows(_number(grouped)), grouped.size()
    index = sizes.index[sizes > 0]  # a frequency has groups that hold nothing
    unnamed = "group" if len(index.names) == 1 else "level_{}"
    names = [
        unnamed.format(place) if name is None else str(name)
        for place, name in enumerate(index.names)
    ]
    return Groups(tuple(names), tuple(index.tolist()), rows)


def _number(grouped: Grouping) -> Numbers:
    """Return the number of each row's group, or say that there is none."""
    try:
        return number_groups(grouped)
    except TypeError as error:
        raise PUTypeError(
            f"by must name columns of keys, but some are not hashable: {error}."
        ) from error


def _rows(numbers: Numbers) -> list[IntArray | slice]:
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


def number_groups(grouped: Grouping) -> Numbers:
    """Return the number of each row's group, -1 where a row has no key."""
    numbers = grouped.ngroup().to_numpy()
    if numbers.dtype.kind == "f":  # some rows have no key
        numbers = np.nan_to_num(numbers, nan=-1)
    narrow = numbers.max(initial=0) < np.iinfo(np.int16).max
    return numbers.astype(np.int16) if narrow else numbers.astype(np.int32)


def check_roles(groups: Groups | None, models: list[Hashable], label: Hashable) -> None:
    """Raise if a column of keys is also one of scores or labels."""
    for name in groups.names if groups else ():
        if name in [str(role) for role in (*models, label)]:
            role = "label" if name == str(label) else "score"
            raise PUValueError(
                f"by must name other columns than score and label, but {name!r} is the column of "
                f"{role}s, too. Pass another column as {role}=... or as by=..."
            )
