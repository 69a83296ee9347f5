"""Frames in pieces, one after the other, and what a first pass over them brings together."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from pu_accessor.counting.score_gaps import Scores
from pu_accessor.errors import PUDataError, PUKeyError, PUTypeError, PUValueError, brief, shorten
from pu_accessor.ranking import BoolArray, FloatArray, IntArray
from pu_accessor.sources.columns import (
    Labels,
    check_missing,
    check_not_empty,
    is_lossless,
    join_rows,
    pair_arrays,
    read_column,
    read_labels,
    read_propensities,
    read_scores,
)
from pu_accessor.sources.groups import (
    ALL_ROWS,
    Groups,
    check_roles,
    first_rows,
    group_frame,
    key_columns,
)
from pu_accessor.terms import Terms

Result = TypeVar("Result")
Apply: TypeAlias = Callable[[pd.DataFrame], Result]
Merge: TypeAlias = Callable[[Result, Result], Result]


def merge_each(
    join: Callable[[Any, Any], Any], first: Mapping[Any, Any], other: Mapping[Any, Any]
) -> Mapping[Any, Any]:
    """Join what two pieces hold of each key, in order."""
    merged = dict(first)
    for key, more in other.items():
        merged[key] = join(merged[key], more) if key in merged else more
    return merged


class Chunks:
    """Frames, or pairs of scores and labels, that come one after the other, each time anew."""

    name = "chunks"  # in messages

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

    def _frames(self) -> Iterator[pd.DataFrame]:
        """Open the chunks anew."""
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
                    f"a {type(chunk).__name__}.",
                    page="large_data#chunks",
                )
            score, label = chunk
            yield pair_arrays(score, label, " of a chunk")

    def example(self) -> pd.DataFrame:
        """Return a frame with the columns of all chunks, of any length: the first chunk."""
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


def _is_iterable(values: object) -> bool:
    """Tell what can be gone through; an array of no dimensions cannot."""
    return isinstance(values, Iterable) and bool(getattr(values, "ndim", 1))


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


# The rows of one group in one piece: its key, and scores, (models, rows).
Part: TypeAlias = tuple[Hashable, Scores]
FromParts: TypeAlias = Callable[[Sequence[Part]], Iterable[tuple[Any, Any]]]

_SAMPLED = 1 << 12  # rows of a piece whose scores are brought along, labeled or not
_KEPT = 1 << 14  # of them, of all pieces: about as many, or fewer
_MANY = 1000  # values of labels, beyond which those of other pieces do not matter for a message


class Labeled(NamedTuple):
    """The labeled examples of a group, and how many there are in all."""

    positive: FloatArray  # (models, known positives)
    negative: FloatArray  # (models, known negatives)
    propensity: FloatArray  # (known positives,), or none at all
    sample: FloatArray  # (models, some examples), labeled or not
    ranked: IntArray  # (models,): examples that are ranked, of all kinds

    def of(self, model: int, omits: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the scores of a model, all or those that are there, and propensities."""
        positive, negative = self.positive[model], self.negative[model]
        if not omits:
            return positive, negative, self.propensity
        kept = ~np.isnan(positive)
        propensity = self.propensity[kept] if self.propensity.size else self.propensity
        return positive[kept], negative[~np.isnan(negative)], propensity

    def merge(self, other: "Labeled") -> "Labeled":
        """Put the labeled examples of two pieces together, in order."""
        joined = [np.concatenate(both, axis=-1) for both in zip(self[:4], other[:4], strict=True)]
        joined[3] = joined[3][:, :: 1 + joined[3].shape[1] // _KEPT]
        return Labeled._make([*joined, self.ranked + other.ranked])


class FirstPass(NamedTuple):
    """What a first pass brings together."""

    rows: int
    missing: IntArray  # (models,): scores
    labels: pd.DataFrame  # the values of labels, each once
    complete: bool  # whether no label is missing
    keys: pd.DataFrame  # each once
    groups: Mapping[Hashable, Labeled]
    propensity: FloatArray = np.empty(0)  # those of all known positives, or none at all
    wrong: PUValueError | None = None  # what a piece says of its labels, if that is anything

    def merge(self, other: "FirstPass") -> "FirstPass":
        """Put what two pieces hold together, in order."""
        labels = _distinct(self.labels, other.labels)
        wrong = self.wrong or other.wrong
        if wrong is not None and len(labels) > _MANY:
            raise wrong
        return FirstPass(
            self.rows + other.rows,
            self.missing + other.missing,
            labels,
            self.complete and other.complete,
            _distinct(self.keys, other.keys),
            merge_each(Labeled.merge, self.groups, other.groups),
            np.concatenate([self.propensity, other.propensity]),
            wrong,
        )


def _distinct(rows: pd.DataFrame, more: pd.DataFrame) -> pd.DataFrame:
    """Put distinct rows together; those of nothing have no say in the dtype, in any pandas."""
    parts = [part for part in (rows, more) if len(part)]
    return (join_rows(parts) if parts else rows).drop_duplicates()


def read_labeled(pieces: Chunks, roles: Terms, paired: bool = False) -> FirstPass:
    """Bring the labeled scores of all pieces to one place, and check what can be checked."""
    example = pieces.example()
    for argument, name in roles.named():
        read_column(example, argument, name)
    if roles.by is not None:
        key_columns(example, roles.by)
    columns = dict.fromkeys([*roles.keys, *(name for _, name in roles.named())])
    first = pieces.fold(partial(_read_piece, roles, paired), FirstPass.merge, list(columns))
    check_not_empty(first.rows)
    if roles.nan_policy == "raise":
        for model, missing in zip(roles.models, first.missing.tolist(), strict=True):
            check_missing(str(model), missing, first.rows)
    labels = first.labels[roles.label]
    if first.wrong is not None and not first.complete:
        labels = pd.Series([*labels, None], name=labels.name, dtype=object)
    if first.wrong is not None or first.complete:
        read_labels(labels, roles)
    if first.wrong is not None:
        raise first.wrong
    if roles.propensity is not None:
        propensity = pd.Series(first.propensity, name=roles.propensity)
        read_propensities(propensity, np.ones(propensity.size, np.bool_))
    return first


def _read_piece(roles: Terms, paired: bool, frame: pd.DataFrame) -> FirstPass:
    """Return the labeled scores of one piece."""
    labels, keys = frame[roles.label], frame[roles.keys]
    scores, values = read_models(roles, frame), frame[[roles.label]].dropna()
    missing, no_keys = _count_each(np.isnan(scores)), keys.iloc[:0]
    complete = len(values) == labels.size
    first = FirstPass(labels.size, missing, values.drop_duplicates(), complete, no_keys, {})
    if frame.empty:  # of whatever dtypes
        return first
    try:
        known = read_labels(labels, roles, whole=False)
    except PUValueError as error:
        if len(first.labels) > _MANY:
            raise
        return first._replace(wrong=error)
    if roles.propensity is not None:
        unchecked = np.zeros(labels.size, np.bool_)  # before all pieces are there
        propensity = read_propensities(frame[roles.propensity], unchecked)
        known = known._replace(propensity=propensity)
        first = first._replace(propensity=propensity[known.positive])
    groups, step = group_piece(roles, frame), 1 + labels.size // _SAMPLED
    kept: BoolArray = np.ones(labels.size, np.bool_)
    if paired and roles.omits:
        kept = ~np.any(np.isnan(scores), axis=0)
    return first._replace(
        groups={
            key: _pick(scores[:, rows], known.take(rows), kept[rows], roles, step)
            for key, rows in zip(groups.keys, groups.rows, strict=True)
        },
        keys=keys.iloc[first_rows(groups.rows)] if groups.names else no_keys,
    )


def fold_groups(
    pieces: Chunks, roles: Terms, function: FromParts, join: Callable[[Any, Any], Any]
) -> Mapping[Any, Any]:
    """Apply a function to the groups of each piece, and join by key what comes back."""
    columns = list(dict.fromkeys([*roles.models, *roles.keys]))
    return pieces.fold(partial(_fold_piece, roles, function), partial(merge_each, join), columns)


def _fold_piece(roles: Terms, function: FromParts, frame: pd.DataFrame) -> Mapping[Any, Any]:
    """Apply a function to the groups of one piece."""
    if frame.empty:
        return {}
    scores, groups = read_models(roles, frame), group_piece(roles, frame)
    rows_by_key = zip(groups.keys, groups.rows, strict=True)
    return dict(function([(key, scores[:, rows]) for key, rows in rows_by_key]))


def read_models(roles: Terms, frame: pd.DataFrame) -> Scores:
    """Read the scores of all models, a row for each, that compare with those of other pieces."""
    if frame.empty:
        return np.empty((len(roles.models), 0))
    read: list[Scores] = []
    for model in roles.models:
        scores = frame[model]
        if scores.dtype == np.float32:  # half the memory, and sorted in half the time
            read.append(scores.to_numpy())
            continue
        values = read_scores(scores)
        read.append(values)
        if not is_lossless(scores, values):
            raise PUValueError(
                f"score column {scores.name!r} holds {scores.dtype} numbers (integers of 2**53 "
                "and more, decimals of 16 digits and more) that float64 may not tell apart, in "
                "pieces that are not compared. Pass smaller numbers, or floats."
            )
    return np.stack(read) if len(read) > 1 else read[0][np.newaxis]  # without a copy


def group_piece(roles: Terms, frame: pd.DataFrame) -> Groups:
    """Group the rows of one piece."""
    if roles.by is not None and not frame[roles.keys].notna().all(axis=1).any():
        return Groups((), (), [])
    return ALL_ROWS if roles.by is None else group_frame(frame, roles.by)


def _pick(scores: Scores, known: Labels, kept: BoolArray, roles: Terms, step: int) -> Labeled:
    """Return the labeled examples of a group in one piece, and a sample of all."""
    positive, negative = (np.flatnonzero(kind & kept) for kind in known[:2])
    picked = positive, negative, slice(None, None, step)
    of_positive, of_negative, sample = (scores[:, rows].astype(np.float64) for rows in picked)
    ranked = kept & ~np.isnan(scores) if roles.omits else np.broadcast_to(kept, scores.shape)
    return Labeled(
        of_positive,
        of_negative,
        np.empty(0) if known.propensity is None else known.propensity[positive],
        sample,
        _count_each(ranked),
    )


def _count_each(rows: BoolArray) -> IntArray:
    """Count what is true for each model; by rows that is far quicker than along an axis."""
    return np.array([np.count_nonzero(row) for row in rows])


def read_keys(first: FirstPass, roles: Terms) -> Groups:
    """Return the groups in the order that a frame in memory has."""
    if roles.by is None:
        return ALL_ROWS
    groups = group_frame(first.keys, roles.by)
    check_roles(groups, roles)
    if set(groups.keys) != set(first.groups):
        raise PUValueError(
            f"by must name columns of one dtype, but keys of {', '.join(groups.names)} differ "
            "from piece to piece: put together, they are not what they are there. Cast them "
            "first, for example with column.astype('str')."
        )
    return groups
