"""Read frames, or pairs of scores and labels, one chunk after the other."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import reduce
from typing import Any, TypeAlias, TypeVar

import pandas as pd

from pu_accessor.errors import PUDataError, PUKeyError, PUTypeError, brief, shorten
from pu_accessor.sources.columns import pair_arrays, read_column

Result = TypeVar("Result")
Apply: TypeAlias = Callable[[pd.DataFrame], Result]
Merge: TypeAlias = Callable[[Result, Result], Result]
_REOPENED = "lambda: pd.read_csv(path, chunksize=1_000_000)."


class Chunks:
    """Chunks that are read again in each pass."""

    name = "chunks"  # in messages

    def __init__(self, chunks: Iterable[Any] | Callable[[], Iterable[Any]]) -> None:
        if not callable(chunks) and not _is_iterable(chunks):
            raise PUTypeError(
                "chunks must be an iterable of DataFrames or (score, label) pairs, but a "
                f"{type(chunks).__name__} was passed."
            )
        if not callable(chunks) and iter(chunks) is chunks:
            raise PUTypeError(
                "chunks must be an iterable that can be read more than once, but a "
                f"{type(chunks).__name__} was passed. Pass a list, or a function that opens it: "
                f"{_REOPENED}"
            )
        self._chunks = chunks

    def _frames(self) -> Iterator[pd.DataFrame]:
        """Open the chunks again."""
        try:
            opened = self._chunks() if callable(self._chunks) else self._chunks
        except TypeError as error:
            raise PUTypeError(
                f"chunks must be a function that is called without arguments, but raised: {error}."
            ) from error
        if not _is_iterable(opened):
            raise PUTypeError(
                "chunks must be a function that returns an iterable of DataFrames or (score, "
                f"label) pairs, but it returned a {type(opened).__name__}."
            )
        for chunk in opened:
            if isinstance(chunk, pd.DataFrame):
                yield chunk
                continue
            if not isinstance(chunk, tuple | list) or len(chunk) != 2:
                raise PUTypeError(
                    "Each of the chunks must be a DataFrame or a pair (score, label), but one is "
                    f"a {type(chunk).__name__}."
                )
            score, label = chunk
            yield pair_arrays(score, label, " of a chunk")

    def example(self) -> pd.DataFrame:
        """Return the first chunk, which has the columns of all."""
        for frame in self._frames():
            return frame
        raise PUDataError("chunks must contain at least one chunk, but there is none.")

    def fold(
        self, function: Apply[Result], merge: Merge[Result], columns: list[Hashable]
    ) -> Result:
        """Apply a function to some columns of each chunk, and merge the results in order."""
        results = (function(_select(frame, columns)) for frame in self._frames())
        first = next(results, None)
        if first is None:
            raise PUTypeError(
                "chunks must be the same each time they are read, but the second time there were "
                f"none. Pass a function that opens them: {_REOPENED}"
            )
        return reduce(merge, results, first)


def _is_iterable(values: object) -> bool:
    """Tell whether values can be iterated over, as an array without dimensions cannot."""
    return isinstance(values, Iterable) and bool(getattr(values, "ndim", 1))


def _select(frame: pd.DataFrame, columns: list[Hashable]) -> pd.DataFrame:
    """Return some columns, or raise if one is missing."""
    for name in columns:
        if name not in frame.columns:
            names = shorten(map(brief, frame.columns), most=20)
            raise PUKeyError(
                f"chunks must all have the same columns, but in one there is no {brief(name)} "
                f"among [{names}]."
            )
        read_column(frame, "Each chunk", name)
    return frame[columns]
