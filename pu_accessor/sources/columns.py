"""Columns by name, and what they hold: scores as float64 without loss, labels, propensities.

For a repr they are counted, and nothing is sorted.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from decimal import Decimal
from numbers import Integral
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from pu_accessor.checks import is_number
from pu_accessor.errors import (
    PUDataError,
    PUKeyError,
    PUTypeError,
    PUValueError,
    brief,
    shorten,
    suggestion,
)
from pu_accessor.ranking import BoolArray, CountArray, FloatArray, IntArray
from pu_accessor.sources.labels import Labels, read_labels
from pu_accessor.sources.roles import Roles

Column: TypeAlias = npt.ArrayLike | Sequence[Any] | pd.Series | pd.api.extensions.ExtensionArray

_EXACT = 2**53  # integers below are floats, each its own
_NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal", "empty"}
_LEAST = 1e-12  # an example that was labeled with less stands for more than anyone has
_DIGITS = 52  # of a float
_SQUARED = 2**31  # counts below have products that are int64
_HEAVIEST = 1e12  # what a row may stand for
FEW_ROWS = 1 << 20  # more are not looked up by value: a repr shall come at once
_SHOWN = 20
_MISSING = {"raise": "nan_policy='omit' or 'worst'", "omit": "dropped", "worst": "ranked last"}


class Columns(NamedTuple):
    """The columns that roles name."""

    scores: "list[pd.Series[Any]]"
    labels: "pd.Series[Any]"
    others: "Mapping[str, pd.Series[Any]]" = MappingProxyType({})  # by role: `Roles.others`

    def as_frame(self) -> pd.DataFrame:
        """Return a frame whose columns have the names of their roles, of a single model."""
        columns = {"score": self.scores[0], "label": self.labels, **self.others}
        return pd.DataFrame({role: column.array for role, column in columns.items()})


def as_series(argument: str, values: Any) -> "pd.Series[Any]":
    """Return an array-like as a Series with a name."""
    if isinstance(values, pd.Series):
        return values if values.name is not None else values.rename(argument)
    try:
        dimensions = np.ndim(values)
    except (TypeError, ValueError, MemoryError):  # a Dataset, ragged, without end
        dimensions = 2
    if isinstance(values, str) or dimensions != 1 or isinstance(values, pd.MultiIndex):
        raise PUTypeError(
            f"{argument} must be one-dimensional, but a {type(values).__name__} of "
            f"{dimensions} dimensions was passed."
        )
    try:
        return pd.Series(values, name=argument)
    except OverflowError:  # before pandas 3 integers beyond float64 have no dtype of their own
        return pd.Series(values, name=argument, dtype=object)


def pair_arrays(score: Any, label: Any, where: str = "") -> Columns:
    """Return array-likes of scores and labels as columns, each under its name if it has one."""
    scores, labels = as_series("score", score), as_series("label", label)
    if scores.size != labels.size:
        raise PUValueError(
            f"score and label{where} must have the same length, but have {scores.size} and "
            f"{labels.size}. They are paired by position."
        )
    return Columns([scores], labels)


def join_column(parts: "Sequence[pd.Series[Any]]") -> "pd.Series[Any]":
    """Put a column of pieces together; of integers of several dtypes pandas would make floats.

    Examples
    --------
    >>> parts = pd.Series([2**60 + 1], dtype="int64"), pd.Series([2**60 + 2], dtype="uint64")
    >>> join_column(parts).tolist() == [2**60 + 1, 2**60 + 2]
    True
    """
    joined = pd.concat(parts, ignore_index=True)
    if joined.dtype.kind == "f" and all(part.dtype.kind in "iu" for part in parts):
        each = [part.astype(object) for part in parts]
        joined = pd.concat(each, ignore_index=True).infer_objects()
    return joined


def join_rows(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Put the rows of pieces together, which have the same columns."""
    columns = [
        join_column([part.iloc[:, at] for part in parts]) for at in range(parts[0].shape[1])
    ]
    return pd.DataFrame(dict(enumerate(columns))).set_axis(parts[0].columns, axis=1)


def check_name(
    argument: str,
    name: Hashable,
    names: Collection[Hashable] | pd.Index,
    kind: str,
    index_names: Sequence[Hashable] = (),
) -> None:
    """Raise unless a column or variable of that name is there, and say which are."""
    try:
        is_known = name in names
    except TypeError:
        raise PUTypeError(
            f"{argument} must be the name of a {kind}, but a {type(name).__name__} was passed: "
            f"{brief(name)}. Name the {kind} that holds it: {argument}='{argument}'."
        ) from None
    if is_known:
        return
    if name is not None and name in index_names:
        raise PUKeyError(
            f"{argument} must name a column, but {name!r} is a level of the index. Make it one: "
            "df.reset_index()."
        )
    raise PUKeyError(
        f"{argument} must name a {kind}, but there is no {brief(name)} among "
        f"[{shorten(map(brief, names), most=20)}].{suggestion(name, names)} Pass {argument}=... "
        "with the name of yours."
    )


def read_column(frame: pd.DataFrame, argument: str, name: Hashable) -> "pd.Series[Any]":
    """Return a column by name, or say which there are."""
    check_name(argument, name, frame.columns, "column", frame.index.names)
    column = frame[name]
    if isinstance(column, pd.DataFrame):
        whole = next(full for full in frame.columns if full == name or name in np.atleast_1d(full))
        next_step = (
            f"Pass the whole name, for example {argument}={whole!r}."
            if frame.columns.nlevels > 1
            else "Rename them, or keep one: frame.loc[:, ~frame.columns.duplicated()]."
        )
        raise PUValueError(
            f"{argument} must name one column, but {name!r} stands for {column.shape[1]} columns. "
            f"{next_step}"
        )
    return column


def find_columns(frame: pd.DataFrame, roles: Roles) -> Columns:
    """Return the columns that roles name, or say which is not there."""
    scores = [as_series("score", read_column(frame, "score", model)) for model in roles.models]
    labels = as_series("label", read_column(frame, "label", roles.label))
    others = {role: read_column(frame, role, name) for role, name in roles.others.items()}
    return Columns(scores, labels, others)


def read_values(scores: "pd.Series[Any]", roles: Roles) -> FloatArray:
    """Read scores, and check that none is missing where none may be."""
    check_not_empty(scores.size)
    values = read_scores(scores)
    if roles.nan_policy == "raise":
        check_missing(str(scores.name), int(np.count_nonzero(np.isnan(values))), values.size)
    return values


def read_columns(columns: Columns, roles: Roles) -> tuple[list[FloatArray], Labels]:
    """Read the scores of each model, and the labels with what else is known of examples."""
    scores = [read_values(column, roles) for column in columns.scores]
    labels = read_labels(columns.labels, roles)
    return scores, labels._replace(**read_others(columns.others, labels.positive))


def read_others(columns: "Mapping[str, pd.Series[Any]]", positive: BoolArray) -> dict[str, Any]:
    """Read the columns beside scores and labels, for `Labels`."""
    read: dict[str, Any] = {}
    for role, column in columns.items():
        if role == "propensity":
            read[role] = read_propensities(column, positive)
        elif role == "cluster":
            read[role], read["clusters"] = number_clusters(column)
        else:
            read[role] = read_weights(column)
    return read


def number_clusters(column: "pd.Series[Any]") -> tuple[IntArray, int]:
    """Return the number of each example's cluster, and how many there may be.

    Examples
    --------
    >>> number_clusters(pd.Series(["ann", "bob", "ann"]))
    (array([0, 1, 0]), 2)
    """
    numbers, ids = find_ids(column)
    check_clustered(column.name, int(np.count_nonzero(numbers < 0)), column.size)
    return numbers, ids.size


def find_ids(column: "pd.Series[Any]") -> tuple[IntArray, pd.Index]:
    """Return the position of each example's cluster among ids, -1 where it is missing.

    There may be ids that no example has, where they need no look-up: numbers, categories.
    """
    room = 2 * column.size
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu" and column.size:
        least, most = int(column.min()), int(column.max())
        if most - least < room and most < np.iinfo(np.int64).max:
            start = 0 if least >= 0 and most < room else least
            numbers = column.to_numpy().astype(np.int64, copy=False)
            return numbers - start if start else numbers, pd.RangeIndex(start, most + 1)
    if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.categories.size < room:
        return column.cat.codes.to_numpy().astype(np.int64), _plain_ids(column.cat.categories)
    try:
        numbers, ids = pd.factorize(column)
    except TypeError as error:
        raise PUTypeError(
            f"cluster column {column.name!r} must hold ids that can be looked up, texts or "
            f"numbers, but: {brief(str(error))}. Make one id of each: column.astype(str)."
        ) from error
    ids = pd.Index(ids)
    if isinstance(ids, pd.CategoricalIndex):  # other pieces may have other categories
        ids = ids.categories.take(ids.codes)
    return numbers.astype(np.int64, copy=False), _plain_ids(ids)


def _plain_ids(ids: pd.Index) -> pd.Index:
    """Return integers as those of NumPy, which compare with those of other pieces."""
    if ids.dtype.kind not in "iu":
        return ids
    return ids.astype(np.int64 if ids.empty or ids.max() <= np.iinfo(np.int64).max else np.uint64)


def check_clustered(name: Hashable, missing: int, size: int) -> None:
    """Raise where rows are of no cluster."""
    if missing:
        raise PUValueError(
            f"cluster column {name!r} must have a value in each row, but {missing} of {size} are "
            "missing. Drop these rows, or give each an id of its own if it belongs to no other.",
            page="clusters",
        )


def read_scores(score: "pd.Series[Any]") -> FloatArray:
    """Read scores of any real dtype."""
    check_real(score)
    if score.dtype in (np.float64, np.float32):
        return score.to_numpy().astype(np.float64, copy=False)  # float64 as it is
    with np.errstate(over="ignore"):
        try:
            values = score.to_numpy(dtype=np.float64, na_value=np.nan)
        except OverflowError:
            values = np.full(score.size, np.inf)
    # Numbers that differ have to differ as float64.
    present, lossless = values[~np.isnan(values)], is_lossless(score, values)
    if not lossless and np.unique(score.dropna().to_numpy()).size != np.unique(present).size:
        raise PUValueError(
            f"score column {score.name!r} holds {score.dtype} numbers that float64 cannot tell "
            "apart, so that different scores would be tied. Pass their order instead: "
            "column.rank()."
        )
    return values


def check_real(score: "pd.Series[Any]") -> None:
    """Raise unless scores are real numbers."""
    if not is_real(score):
        raise PUTypeError(
            f"score column {score.name!r} must hold real numbers, but is {score.dtype} (it holds "
            f"{_first_odd(score)!r}). Pass what the model ranks by, a probability or decision "
            "value, as numbers: for example column.astype(float)."
        )


def check_not_empty(size: int) -> None:
    """Raise where there is nothing to rank."""
    if not size:
        raise PUValueError("score and label must hold at least one example, but are empty.")


def check_scored(name: str, size: int) -> None:
    """Raise where no example has a score."""
    if not size:
        raise PUDataError(
            f"score column {name!r} must hold at least one score, but there is none in the rows "
            "to rank."
        )


def check_missing(name: str, missing: int, size: int) -> None:
    """Raise where scores are missing."""
    if missing:
        raise PUValueError(
            f"score column {name!r} holds NaN in {missing} of {size} rows. Pass "
            "nan_policy='omit' to drop these rows, or 'worst' to rank them last."
        )


def is_lossless(score: "pd.Series[Any]", values: FloatArray) -> bool:
    """Tell whether each score is the only one that becomes its float64.

    Then scores can be compared with others that are not there, as those of other pieces.
    """
    kinds = pd.api.types
    if kinds.is_integer_dtype(score.dtype):
        return not (np.abs(values) >= _EXACT).any()
    if kinds.is_float_dtype(score.dtype):
        long = score.dtype == np.longdouble
        return not long or not ((score.to_numpy() != values) & ~np.isnan(values)).any()
    pairs = zip(score, values.tolist(), strict=True)
    return all(_is_only(value, number) for value, number in pairs if number == number)


def _is_only(value: Any, number: float) -> bool:
    """Tell whether no other value of its kind becomes the same float64."""
    if isinstance(value, Decimal):
        return value == Decimal(repr(number))
    if isinstance(value, Integral):
        return abs(number) < _EXACT
    return bool(value == number)


def _first_odd(score: "pd.Series[Any]") -> object:
    """Return the first value that is no number, for a message."""
    present = [value for value in score if value is pd.NaT or not pd.isna(value)]
    odd = (value for value in present if not is_number(value))
    return next(odd, present[0] if present else None)


def is_real(score: "pd.Series[Any]") -> bool:
    """Tell whether a column holds real numbers; bool does not count."""
    if score.dtype == object:
        return pd.api.types.infer_dtype(score, skipna=True) in _NUMBERS
    kinds = pd.api.types
    return bool(
        kinds.is_numeric_dtype(score.dtype)
        and not kinds.is_bool_dtype(score.dtype)
        and not kinds.is_complex_dtype(score.dtype)
    )


def read_propensities(column: "pd.Series[Any]", positive: BoolArray) -> FloatArray:
    """Read the probabilities with which positives are labeled."""
    name = f"propensity column {column.name!r}"
    if not is_real(column):
        raise PUTypeError(f"{name} must hold numbers in (0, 1], but its dtype is {column.dtype}.")
    values: FloatArray = column.to_numpy(dtype=np.float64, na_value=np.nan)
    known = values[positive]
    if missing := int(np.isnan(known).sum()):
        raise PUValueError(
            f"{name} must have a value for each known positive, but {missing} of {known.size} are "
            "missing. Fill them in, or make these rows unlabeled."
        )
    outside = known[~((known >= _LEAST) & (known <= 1))]
    if outside.size:
        raise PUValueError(
            f"{name} must lie in (0, 1], but {outside.tolist()[:5]} came (the least is "
            f"{_LEAST:g}). It is the probability with which a positive like this is labeled: not "
            "its odds, weight or inverse."
        )
    return values


def read_weights(column: "pd.Series[Any]") -> CountArray:
    """Read how many rows each example stands for: of whole numbers as int64, sums are exact.

    Examples
    --------
    >>> read_weights(pd.Series([1.0, 2.5, 0.0])), read_weights(pd.Series([1.0, 10.0]))
    (array([1. , 2.5, 0. ]), array([ 1, 10]))
    """
    name = f"weight column {column.name!r}"
    if not is_real(column):
        raise PUTypeError(f"{name} must hold numbers, but its dtype is {column.dtype}.")
    values: FloatArray = column.to_numpy(dtype=np.float64, na_value=np.nan)
    fewest = "A row stands for itself and others like it; 0 leaves it out."
    outside = values[~((values == 0) | ((values >= 1) & (values <= _HEAVIEST)))]
    if outside.size:
        least = outside.min(initial=1, where=(outside > 0))
        step = f" Divide by the least: df[{column.name!r}] / {least:g}." if least < 1 else ""
        raise PUValueError(
            f"{name} must say for how many rows each stands, 1 to {_HEAVIEST:g}, but "
            f"{outside.tolist()[:5]} came in {outside.size} of {values.size} rows. {fewest}{step}",
            page="clusters#weights",
        )
    total = float(values.sum())
    if not total:
        raise PUValueError(
            f"{name} must be above 0 in some rows, but is 0 in all {values.size}. {fewest}",
            page="clusters#weights",
        )
    if total < _SQUARED and (values == np.rint(values)).all():
        return values.astype(np.int64)
    # Multiples of such a unit have exact sums, so that counts are equal where they should be.
    unit = 2.0 ** (int(np.frexp(total)[1]) - _DIGITS)
    exact: FloatArray = np.rint(values / unit) * unit
    return exact


def count_columns(columns: Columns, roles: Roles, ties: bool = True) -> dict[str, str]:
    """Count what columns of scores and labels hold."""
    scores, labels = columns.scores, columns.labels
    check_not_empty(labels.size)
    for column in scores:
        check_real(column)
    known = read_labels(labels, roles)
    positive, negative = (int(np.count_nonzero(kind)) for kind in known[:2])
    counts = {
        "known positives": f"{positive:,}",
        "known negatives": f"{negative:,}",
        "unlabeled": f"{labels.size - positive - negative:,}",
    }
    for role, count in (("cluster", _count_clusters), ("weight", _count_weights)):
        if role in columns.others and labels.size <= FEW_ROWS:
            counts[f"{role}s"] = count(columns.others[role], known.positive)
    missing = sum(int(column.isna().sum()) for column in scores)
    if len(scores) > 1:
        counts["models"] = f"{len(scores):,}: {list_columns([column.name for column in scores])}"
    elif ties and labels.size <= FEW_ROWS:
        distinct, scored = scores[0].nunique(), scores[0].size - missing
        ties_of = "" if distinct == scored else f" in {scored:,} scores (ties share a cutoff)"
        counts["distinct scores"] = f"{distinct:,}{ties_of}"
    if missing:
        counts["missing scores"] = f"{missing:,}: {_MISSING[roles.nan_policy]}"
    return counts


def _count_clusters(cluster: "pd.Series[Any]", positive: BoolArray) -> str:
    """Say how many clusters there are, with how many rows each."""
    numbers, _ = number_clusters(cluster)
    rows = np.bincount(numbers)
    rows = rows[rows > 0]
    least, most = rows.min(), rows.max()
    each = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    text = f"{rows.size:,} of {each} rows"
    if positive.size != numbers.size:  # of samples, over other dimensions
        return text
    return f"{text}, {np.unique(numbers[positive]).size:,} with a known positive"


def _count_weights(column: "pd.Series[Any]", positive: BoolArray) -> str:
    """Say how many rows each stands for, and all together."""
    weight = read_weights(column)
    text = f"{weight.min():,g} to {weight.max():,g}, {weight.sum():,g} in all"
    if positive.size != weight.size:  # of samples, over other dimensions
        return text
    return f"{text}, {weight[positive].sum():,g} of known positives"


def list_columns(names: Sequence[object]) -> str:
    r"""Return the first names, for a repr: on one line, whatever they are.

    Examples
    --------
    >>> list_columns(["svm", 7, "two\nlines"])
    "svm, 7, 'two\\nlines'"
    """
    texts = (str(name) for name in names[:_SHOWN])
    more = ", ..." if len(names) > _SHOWN else ""
    return ", ".join(text if text.isprintable() else repr(text) for text in texts) + more
