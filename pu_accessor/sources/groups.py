"""The rows of each group of a frame."""

from collections.abc import Hashable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.ranking import IntArray
from pu_accessor.sources.columns import read_column

__all__ = [
    "Grouping",
    "Groups",
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


class Groups(NamedTuple):
    """The rows of each group, by position, and the groups' keys."""

    names: tuple[str, ...]
    keys: tuple[Hashable, ...]
    rows: list[IntArray | slice]


def group_frame(frame: pd.DataFrame, by: Hashable | list[Hashable]) -> Groups:
    """Group the rows of a frame by columns, as ``frame.groupby(by)`` does.

    Parameters
    ----------
    frame : DataFrame
        A row for each example.
    by : hashable or list of hashable
        Columns of keys. Rows without a key are left out, keys are sorted, categories that do not
        occur are left out.

    Returns
    -------
    Groups

    Raises
    ------
    PUKeyError
        If there is no such column.
    PUValueError
        If no row has a key.
    """
    columns = key_columns(frame, by)
    # The index plays no role; pandas would stumble over one that has the name of a column.
    keys = frame[columns].reset_index(drop=True)
    return read_groups(keys.groupby(cast("Any", by), observed=True))


def key_columns(frame: pd.DataFrame, by: Hashable | list[Hashable]) -> list[Hashable]:
    """Return the columns of keys, or say what is wrong with them.

    Parameters
    ----------
    frame : DataFrame
        With these columns.
    by : hashable or list of hashable
        Their names.

    Returns
    -------
    list of hashable

    Raises
    ------
    PUKeyError
        If there is no such column.
    PUTypeError, PUValueError
        If there is none, one twice, or something else was passed.
    """
    columns = by if isinstance(by, list) else [by]
    if not columns:
        raise PUValueError("by must name one column or a list of them, but [] was passed.")
    if any(name in columns[:place] for place, name in enumerate(columns)):
        raise PUValueError(f"by must name different columns, but {columns!r} was passed.")
    if isinstance(by, tuple) and by not in frame.columns and set(by) <= set(frame.columns):
        raise PUTypeError(f"by must be a list for several columns: pass by={list(by)!r}.")
    for name in columns:
        read_column(frame, "by", name)
    return columns


def read_groups(grouped: Grouping) -> Groups:
    """Return the groups of a pandas groupby, in its order.

    Parameters
    ----------
    grouped : DataFrameGroupBy
        Its `sort`, `dropna` and `observed` are honoured.

    Returns
    -------
    Groups
    """
    index, numbers = _observed(grouped)
    if not len(index):
        raise PUValueError("by must leave rows to rank, but no row has a key.")
    wanted = np.arange(len(index) + 1)
    if (numbers[1:] >= numbers[:-1]).all():  # rows of a group stand together: no copies
        edges = np.searchsorted(numbers, wanted)
        rows: list[IntArray | slice] = [slice(start, end) for start, end in pairwise(edges)]
    else:
        order = np.argsort(numbers, kind="stable")
        edges = np.searchsorted(numbers[order], wanted)
        rows = [order[start:end] for start, end in pairwise(edges)]
    unnamed = "group" if len(index.names) == 1 else "level_{}"
    names = [
        unnamed.format(place) if name is None else str(name)
        for place, name in enumerate(index.names)
    ]
    return Groups(tuple(names), tuple(index), rows)


def _observed(grouped: Grouping) -> tuple[pd.Index, npt.NDArray[np.int32]]:
    """Return the keys that occur, and the number of each row's key, -1 where it has none.

    The sizes have all categories, and groups of a frequency that hold nothing; the numbers may
    leave these out or not, but come in the same order.
    """
    try:
        sizes, numbers = grouped.size(), number_groups(grouped)
    except TypeError as error:
        raise PUTypeError(
            f"by must name columns of keys, but some are not hashable: {error}."
        ) from error
    if isinstance(sizes, pd.DataFrame):  # as_index=False
        sizes = sizes.set_index(list(sizes.columns[:-1]))["size"]
    present = np.bincount(numbers[numbers >= 0]) > 0
    dense = np.append(np.cumsum(present) - 1, -1)[numbers]
    return sizes.index[sizes.to_numpy() > 0], dense.astype(np.int32)


def number_groups(grouped: Grouping) -> npt.NDArray[np.int32]:
    """Return the number of each row's group, -1 where a row has no key.

    Parameters
    ----------
    grouped : DataFrameGroupBy
        Its `sort`, `dropna` and `observed` are honoured.

    Returns
    -------
    ndarray of int32, shape (rows,)
    """
    numbers = grouped.ngroup().to_numpy()
    return np.where(np.isnan(numbers), -1, numbers).astype(np.int32)


def check_roles(groups: Groups | None, models: list[Hashable], label: Hashable) -> None:
    """Raise if a column of keys is also one of scores or labels.

    Parameters
    ----------
    groups : Groups, optional
        With the names of the keys.
    models : list of hashable
        Columns of scores.
    label : hashable
        Column of labels.

    Raises
    ------
    PUValueError
        If a name is among both.
    """
    for name in groups.names if groups else ():
        if name in [str(role) for role in (*models, label)]:
            role = "label" if name == str(label) else "score"
            raise PUValueError(
                f"by must name other columns than score and label, but {name!r} is the column of "
                f"{role}s, too. Pass another column as {role}=... or as by=..."
            )
