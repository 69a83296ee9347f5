"""Frames in pieces, one after the other: what a pass over them is."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, Protocol, Self, TypeAlias, TypeVar

import pandas as pd

from pu_accessor.errors import PUDataError, PUKeyError, PUTypeError, brief, shorten
from pu_accessor.sources.columns import pair_arrays, read_column


class Mergeable(Protocol):
    """What is found in one piece, and can be put together with what is found in the next."""

    def merge(self, other: Self, /) -> Self:
        """Return what both pieces hold."""


Result = TypeVar("Result")
Key = TypeVar("Key", bound=Hashable)
Merged = TypeVar("Merged", bound=Mergeable)
Apply: TypeAlias = Callable[[pd.DataFrame], Result]
Merge: TypeAlias = Callable[[Result, Result], Result]


class Pieces(Protocol):
    """A frame in pieces."""

    @property
    def name(self) -> str:
        """What it is called in messages."""

    def example(self) -> pd.DataFrame:
        """Return a frame with the columns of all pieces, of any length."""

    def fold(
        self, function: Apply[Result], merge: Merge[Result], columns: list[Hashable]
    ) -> Result:
        """Apply a function to some columns of each piece and merge what comes back, in order."""

    def join(
        self, keys: Sequence[Mapping[Hashable, Hashable]], on: list[Hashable], columns: list[Any]
    ) -> "Pieces | None":
        """Put rows of several keys beside each other, where they agree in some columns.

        Column c of the rows of the i-th key is called `beside`(c, i). None where pieces cannot be
        joined.
        """


def beside(name: Hashable, number: int) -> str:
    """Return what a column of the rows of a key is called among those of others."""
    return f"{name!r} of {number}"


def merge_each(first: Mapping[Key, Merged], other: Mapping[Key, Merged]) -> Mapping[Key, Merged]:
    """Merge what two pieces hold of each key, in order."""
    merged = dict(first)
    for key, more in other.items():
        merged[key] = merged[key].merge(more) if key in merged else more
    return merged


class Chunks:
    """Frames, or pairs of scores and labels, that come one after the other, each time anew."""

    name = "chunks"

    def __init__(self, chunks: Iterable[Any] | Callable[[], Iterable[Any]]) -> None:
        if not callable(chunks) and not _is_iterable(chunks):
            raise PUTypeError(
                "chunks must be an iterable of DataFrames or (score, label) pairs, but a "
                f"{type(chunks).__name__} was passed."
            )
        if not callable(chunks) and iter(chunks) is chunks:
            raise PUTypeError(
                "chunks must be an iterable that can be gone through more than once, but a "
                f"{type(chunks).__name__} was passed. Pass a list, or a function that opens it: "
                "lambda: pd.read_csv(path, chunksize=1_000_000)."
            )
        self._chunks = chunks

    def _frames(self) -> Iterable[pd.DataFrame]:
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
        return map(_as_frame, opened)

    def example(self) -> pd.DataFrame:
        """Return the first chunk."""
        for frame in self._frames():
            return frame
        raise PUDataError("chunks must hold at least one chunk, but there is none.")

    def fold(
        self, function: Apply[Result], merge: Merge[Result], columns: list[Hashable]
    ) -> Result:
        """Apply a function to some columns of each chunk and merge what comes back, in order."""
        results = (function(_select(frame, columns)) for frame in self._frames())
        first = next(results, None)
        if first is None:
            raise PUTypeError(
                "chunks must come anew each time, but there were none at a second time. Pass a "
                "function that opens them: lambda: pd.read_csv(path, chunksize=1_000_000)."
            )
        return reduce(merge, results, first)

    def join(
        self, keys: Sequence[Mapping[Hashable, Hashable]], on: list[Hashable], columns: list[Any]
    ) -> None:
        """Chunks are not joined: rows that belong together may be anywhere."""


def _is_iterable(values: object) -> bool:
    """Tell what can be gone through; an array of no dimensions cannot."""
    return isinstance(values, Iterable) and bool(getattr(values, "ndim", 1))


def _as_frame(chunk: Any) -> pd.DataFrame:
    """Return a chunk as a frame."""
    if isinstance(chunk, pd.DataFrame):
        return chunk
    if not isinstance(chunk, tuple | list) or len(chunk) != 2:
        raise PUTypeError(
            "Each of the chunks must be a DataFrame or a pair (score, label), but one is a "
            f"{type(chunk).__name__}.",
            page="large_data#chunks",
        )
    score, label = chunk
    return pair_arrays(score, label, " of a chunk").as_frame()


def _select(frame: pd.DataFrame, columns: list[Hashable]) -> pd.DataFrame:
    """Return some columns, or say which is missing."""
    for name in columns:
        if name not in frame.columns:
            names = shorten(map(brief, frame.columns), most=20)
            raise PUKeyError(
                f"chunks must all have the same columns, but in one there is no {brief(name)} "
                f"among [{names}]."
            )
        read_column(frame, "Each chunk", name)
    return frame[columns]
