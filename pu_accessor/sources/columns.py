"""Find columns by name, and make columns of array-likes."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from pu_accessor.errors import PUKeyError, PUTypeError, PUValueError, brief, shorten
from pu_accessor.ranking import IntArray
from pu_accessor.words import suggest

Column: TypeAlias = npt.ArrayLike | Sequence[Any] | pd.Series | pd.api.extensions.ExtensionArray
# Columns after their roles: those of scores first, then that of labels.
Columns: TypeAlias = "list[tuple[str, pd.Series[Any]]]"

_MAX_NAMES = 20  # that a repr lists
_FROM_TWO = (
    "Of presence and background: pd.concat([pd.DataFrame({'score': presence, 'label': 1}), "
    "pd.DataFrame({'score': background})]).pu."
)
_FROM_WIDE = (
    "Make it long: pd.DataFrame({'score': np.ravel(score), 'label': np.ravel(label), 'user': "
    "np.repeat(np.arange(len(score)), score.shape[1])}).pu(by='user')."
)
FROM_SPARSE = (
    "Make it long: m = matrix.tocoo(); pd.DataFrame({'user': m.row, 'item': m.col, 'score': "
    "m.data}), and label the pairs."
)


def name_columns(columns: Columns) -> list[dict[str, str]]:
    """Return the names of the columns of each model, by role."""
    named = [(role, str(column.name)) for role, column in columns]
    return [{**dict(named), role: name} for role, name in named if role == "score"]


def as_series(argument: str, values: Any) -> pd.Series[Any]:
    """Return an array-like as a Series."""
    if isinstance(values, pd.Series):
        return values
    try:
        shape = np.shape(values)
    except (TypeError, ValueError, MemoryError):  # a Dataset, ragged, infinite
        shape = (0, 0)
    if isinstance(values, str) or len(shape) != 1 or isinstance(values, pd.MultiIndex):
        raise PUTypeError(
            f"{argument} must be one-dimensional, but a {type(values).__name__} of "
            f"{len(shape)} dimensions was passed.{_flatten(argument, values, shape)}"
        )
    if not pd.api.types.is_list_like(values):  # a tensor
        values = np.asarray(values)
    try:
        return pd.Series(values, copy=False)
    except OverflowError:  # integers beyond float64, before pandas 3
        return pd.Series(values, dtype=object)


def _flatten(argument: str, values: Any, shape: tuple[int, ...]) -> str:
    """Return the line that makes one dimension of two."""
    if hasattr(values, "tocoo"):
        return f" {FROM_SPARSE}"
    steps = {
        0: "",
        1: f" Pass np.ravel({argument}).",
        2: f" Of two classes pass the positive one: np.asarray({argument})[:, 1].",
    }
    return steps.get(shape[1] if len(shape) == 2 else 0, f" {_FROM_WIDE}")


def pair_arrays(score: Any, label: Any, where: str = "", **others: Any) -> pd.DataFrame:
    """Return array-likes of the same length as the columns of a frame."""
    given = {"score": score, "label": label, **others}
    columns = {role: as_series(role, values).copy(deep=False) for role, values in given.items()}
    size = columns["score"].size
    for role, column in columns.items():
        if column.size != size:
            step = f" {_FROM_TWO}" if role == "label" else ""
            raise PUValueError(
                f"score and {role}{where} must have the same length, but have {size} and "
                f"{column.size}. They are paired by position.{step}"
            )
    indexes = {role: of.index for role, of in given.items() if isinstance(of, pd.Series)}
    for role, index in indexes.items():
        first = next(iter(indexes))
        if not index.equals(indexes[first]):
            raise PUValueError(
                f"{first} and {role}{where} must have the same index, as they are paired by "
                f"position, but their indexes differ. Align them, {role}.loc[{first}.index], or "
                f"pass {role}.to_numpy() if the order is right."
            )
    for column in columns.values():
        column.index = pd.RangeIndex(size)
    return pd.DataFrame(columns, copy=False)


def join_rows(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Concatenate frames with the same columns, without a loss of integers."""
    columns = {}
    for position in range(parts[0].columns.size):
        each = [part.iloc[:, position] for part in parts]
        column = pd.concat(each, ignore_index=True)
        if column.dtype.kind == "f" and all(part.dtype.kind in "iu" for part in each):
            exact = pd.concat([part.astype(object) for part in each], ignore_index=True)
            column = exact.infer_objects()
        columns[position] = column
    return pd.DataFrame(columns).set_axis(parts[0].columns, axis=1)


def check_name(
    argument: str,
    name: Hashable,
    names: Collection[Hashable] | pd.Index,
    kind: str,
    index_names: Sequence[Hashable] = (),
) -> None:
    """Raise unless there is a column or variable of that name."""
    try:
        is_known = name in names
    except TypeError:
        raise PUTypeError(
            f"{argument} must be the name of a {kind}, but a {type(name).__name__} was passed: "
            f"{brief(name)}. Pass the name of the {kind}: {argument}='{argument}'."
        ) from None
    if is_known:
        return
    if name is not None and name in index_names:
        raise PUKeyError(
            f"{argument} must name a column, but {name!r} is a level of the index. Make it one: "
            "df.reset_index()."
        )
    if isinstance(name, str) and name[:1] == "-" and name[1:] in names:
        raise PUKeyError(
            f"{argument} must name a {kind}, but {name!r} has a sign. Where lower is more "
            f"positive: df.assign(score=-df[{name[1:]!r}]).pu."
        )
    raise PUKeyError(
        f"{argument} must name a {kind}, but there is no {brief(name)} among "
        f"[{shorten(map(brief, names), most=20)}].{suggest(name, names, places=())} Pass "
        f"{argument}=... with the name of yours."
    )


def read_column(frame: pd.DataFrame, argument: str, name: Hashable) -> pd.Series[Any]:
    """Return a column by name."""
    if not isinstance(name, str) or name not in frame.columns:
        check_name(argument, name, frame.columns, "column", frame.index.names)
    column = frame[name]
    if isinstance(column, pd.DataFrame):
        step = "Rename them, or keep one: frame.loc[:, ~frame.columns.duplicated()]."
        if frame.columns.nlevels > 1:
            full = next(full for full in frame.columns if full == name or name in full)
            step = f"Pass the whole name, for example {argument}={full!r}."
        raise PUValueError(
            f"{argument} must name one column, but there are {column.shape[1]} columns {name!r}. "
            f"{step}"
        )
    return column if name is not None else column.rename(argument)


def find_columns(frame: pd.DataFrame, named: list[tuple[str, Hashable]]) -> Columns:
    """Return the named columns, each after its role."""
    return [(role, read_column(frame, role, name)) for role, name in named]


def look_up_values(argument: str, column: pd.Series[Any]) -> tuple[IntArray, Any]:
    """Return the number of each row's value, -1 if it is missing, and the values."""
    try:
        numbers, values = pd.factorize(column)
    except TypeError as error:
        raise PUTypeError(
            f"{argument} column {column.name!r} must contain values that can be looked up, texts "
            f"or numbers, but: {brief(str(error))}. Make texts of it: column.astype(str)."
        ) from error
    return numbers.astype(np.int64, copy=False), values


def list_columns(names: Sequence[object]) -> str:
    """Return the first names on one line, for a repr."""
    texts = (str(name) for name in names[:_MAX_NAMES])
    more = ", ..." if len(names) > _MAX_NAMES else ""
    return ", ".join(text if text.isprintable() else repr(text) for text in texts) + more
