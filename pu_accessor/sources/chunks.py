"""Read pieces one after the other: collect labeled scores, and apply functions to their groups."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from pu_accessor.counting.cells import Scores
from pu_accessor.errors import PUDataError, PUKeyError, PUTypeError, PUValueError, brief, shorten
from pu_accessor.ranking import BoolArray, FloatArray, IntArray
from pu_accessor.roles_and_assumptions import Terms
from pu_accessor.sources import column_values
from pu_accessor.sources.columns import join_rows, pair_arrays, read_column
from pu_accessor.sources.groups import (
    ALL_ROWS,
    Groups,
    check_roles,
    columns_to_read,
    first_rows,
    group_frame,
)
from pu_accessor.sources.label_states import Labels, read_labels

Result = TypeVar("Result")
Apply: TypeAlias = Callable[[pd.DataFrame], Result]
Merge: TypeAlias = Callable[[Result, Result], Result]
_REOPENED = "lambda: pd.read_csv(path, chunksize=1_000_000)."
# The rows of one group in one piece: its key, and scores, (models, rows).
Part: TypeAlias = tuple[Hashable, Scores]
FromParts: TypeAlias = Callable[[Sequence[Part]], Iterable[tuple[Any, Any]]]

_MAX_SAMPLED_ROWS = 1 << 12  # of a piece, whose scores are collected, labeled or not
_MAX_SAMPLE = 1 << 14  # of all pieces
_MAX_LABEL_VALUES = 1000  # with more, a message does not need those of other pieces


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


class Labeled(NamedTuple):
    """The labeled examples of a group, a sample of all, and the number of all."""

    positive: FloatArray  # (models, known positives)
    negative: FloatArray  # (models, known negatives)
    propensity: FloatArray  # (known positives,), or empty
    sample: FloatArray  # (models, some examples), labeled or not
    ranked: IntArray  # (models,): examples that are ranked, of all kinds

    def of(self, model: int, omits: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the positive and negative scores of a model, and propensities."""
        positive, negative, propensity = self.positive[model], self.negative[model], self[2]
        if not omits:
            return positive, negative, propensity
        kept = ~np.isnan(positive)
        propensity = propensity[kept] if propensity.size else propensity
        return positive[kept], negative[~np.isnan(negative)], propensity

    def merge(self, other: "Labeled") -> "Labeled":
        """Join the labeled examples of two pieces, in order."""
        joined = [np.concatenate(both, axis=-1) for both in zip(self[:4], other[:4], strict=True)]
        joined[3] = joined[3][:, :: 1 + joined[3].shape[1] // _MAX_SAMPLE]
        return Labeled._make([*joined, self.ranked + other.ranked])


class FirstPass(NamedTuple):
    """The result of a pass over all pieces."""

    rows: int
    missing: IntArray  # (models,): scores
    labels: pd.DataFrame  # the distinct values of labels, a missing one among them
    keys: pd.DataFrame  # the distinct keys
    groups: Mapping[Hashable, Labeled]
    propensity: FloatArray = np.empty(0)  # of all known positives, or empty
    error: PUValueError | None = None  # of the labels of a piece

    def merge(self, other: "FirstPass") -> "FirstPass":
        """Join the results of two pieces, in order."""
        labels = _join_distinct(self.labels, other.labels)
        error = self.error or other.error
        if error is not None and len(labels) > _MAX_LABEL_VALUES:
            raise error
        return FirstPass(
            self.rows + other.rows,
            self.missing + other.missing,
            labels,
            _join_distinct(self.keys, other.keys),
            _merge_by_key(self.groups, other.groups),
            np.concatenate([self.propensity, other.propensity]),
            error,
        )


def _join_distinct(rows: pd.DataFrame, more: pd.DataFrame) -> pd.DataFrame:
    """Join distinct rows; empty frames do not affect the dtype."""
    parts = [part for part in (rows, more) if len(part)]
    return (join_rows(parts) if parts else rows).drop_duplicates()


def _merge_by_key(first: Mapping[Any, Any], other: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Merge the values of each key, in order."""
    merged = dict(first)
    for key, more in other.items():
        merged[key] = merged[key].merge(more) if key in merged else more
    return merged


def read_labeled(pieces: Chunks, roles: Terms, paired: bool = False) -> FirstPass:
    """Collect labeled scores; if models are paired, an example needs the scores of all."""
    columns = columns_to_read(pieces.example(), roles, roles.named())
    first = pieces.fold(partial(_read_piece, roles, paired), FirstPass.merge, columns)
    column_values.check_not_empty(first.rows)
    if roles.nan_policy == "raise":
        for model, missing in zip(roles.models, first.missing.tolist(), strict=True):
            column_values.check_missing(str(model), missing, first.rows)
    labels = first.labels[roles.label]
    if first.error is not None or not labels.hasnans:  # raises if those of all are wrong
        read_labels(labels, roles)
    if first.error is not None:
        raise first.error
    if roles.propensity is not None:
        propensity = pd.Series(first.propensity, name=roles.propensity)
        column_values.read_propensities(propensity, np.ones(propensity.size, np.bool_))
    return first


def _read_piece(roles: Terms, paired: bool, frame: pd.DataFrame) -> FirstPass:
    """Return the labeled scores of one piece."""
    labels, keys = frame[roles.label], frame[roles.keys]
    scores, values = read_models(roles, frame), frame[[roles.label]].drop_duplicates()
    missing, no_keys = _count_by_model(np.isnan(scores)), keys.iloc[:0]
    first = FirstPass(labels.size, missing, values, no_keys, {})
    if frame.empty:  # its dtypes may be any
        return first
    try:
        known = read_labels(labels, roles, whole=False)
    except PUValueError as error:
        if len(first.labels) > _MAX_LABEL_VALUES:
            raise
        return first._replace(error=error)
    if roles.propensity is not None:
        unchecked = np.zeros(labels.size, np.bool_)  # until all pieces are read
        propensity = column_values.read_propensities(frame[roles.propensity], unchecked)
        known = known._replace(propensity=propensity)
        first = first._replace(propensity=propensity[known.positive])
    groups, step = group_piece(roles, frame), 1 + labels.size // _MAX_SAMPLED_ROWS
    kept: BoolArray = np.ones(labels.size, np.bool_)
    if paired and roles.omits:
        kept = ~np.any(np.isnan(scores), axis=0)
    return first._replace(
        groups={
            key: _pick_labeled(scores[:, rows], known.take(rows), kept[rows], roles, step)
            for key, rows in zip(groups.keys, groups.rows, strict=True)
        },
        keys=keys.iloc[first_rows(groups.rows)] if groups.names else no_keys,
    )


def fold_groups(pieces: Chunks, roles: Terms, function: FromParts) -> Mapping[Any, Any]:
    """Apply a function to the groups of each piece, and merge the results by key."""
    columns = list(dict.fromkeys([*roles.models, *roles.keys]))
    of_piece = partial(_apply_to_groups, roles, function)
    return pieces.fold(of_piece, _merge_by_key, columns)


def _apply_to_groups(roles: Terms, function: FromParts, frame: pd.DataFrame) -> Mapping[Any, Any]:
    """Apply a function to the groups of one piece."""
    if frame.empty:
        return {}
    scores, groups = read_models(roles, frame), group_piece(roles, frame)
    rows_by_key = zip(groups.keys, groups.rows, strict=True)
    return dict(function([(key, scores[:, rows]) for key, rows in rows_by_key]))


def read_models(roles: Terms, frame: pd.DataFrame) -> Scores:
    """Read the scores of all models, (models, rows), comparable with those of other pieces."""
    if frame.empty:
        return np.empty((len(roles.models), 0))
    read: list[Scores] = []
    for model in roles.models:
        scores = frame[model]
        if scores.dtype == np.float32:  # half the memory, and sorted in half the time
            read.append(scores.to_numpy())
            continue
        values = column_values.read_scores(scores)
        read.append(values)
        if not column_values.is_lossless(scores, values):
            raise PUValueError(
                f"score column {scores.name!r} contains {scores.dtype} numbers (integers of 2**53 "
                "and more, decimals of 16 digits and more) that float64 may not tell apart. "
                "Pieces cannot be compared by these: pass smaller numbers, or floats."
            )
    return np.stack(read) if len(read) > 1 else read[0][np.newaxis]  # without a copy


def group_piece(roles: Terms, frame: pd.DataFrame) -> Groups:
    """Group the rows of one piece."""
    if roles.by is not None and not frame[roles.keys].notna().all(axis=1).any():
        return Groups((), (), [])
    return ALL_ROWS if roles.by is None else group_frame(frame, roles.by)


def _pick_labeled(
    scores: Scores, known: Labels, kept: BoolArray, roles: Terms, step: int
) -> Labeled:
    """Return the labeled examples of a group in one piece, and a sample of all."""
    positive, negative = (np.flatnonzero(kind & kept) for kind in known[:2])
    picked = positive, negative, slice(None, None, step)
    of_positive, of_negative, sample = (scores[:, rows].astype(np.float64) for rows in picked)
    propensity = np.empty(0) if known.propensity is None else known.propensity[positive]
    ranked = kept & ~np.isnan(scores) if roles.omits else np.broadcast_to(kept, scores.shape)
    return Labeled(of_positive, of_negative, propensity, sample, _count_by_model(ranked))


def _count_by_model(rows: BoolArray) -> IntArray:
    """Count the rows of each model; far faster than along an axis."""
    return np.array([np.count_nonzero(row) for row in rows])


def read_keys(first: FirstPass, roles: Terms) -> Groups:
    """Return the groups in the order of a frame in memory."""
    if roles.by is None:
        return ALL_ROWS
    groups = group_frame(first.keys, roles.by)
    check_roles(groups, roles)
    if set(groups.keys) != set(first.groups):
        raise PUValueError(
            f"by must name columns of one dtype, but keys of {', '.join(groups.names)} differ "
            "between pieces. Cast them first, for example with column.astype('str')."
        )
    return groups
