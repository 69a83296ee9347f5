"""Columns by name, and what they hold: scores as float64 without loss, labels, propensities."""

from collections.abc import Collection, Hashable, Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from pu_accessor.errors import PUKeyError, PUTypeError, PUValueError, brief, shorten, suggestion
from pu_accessor.ranking import BoolArray, FloatArray
from pu_accessor.sources.labels import Labels, read_labels
from pu_accessor.sources.roles import Roles

Column: TypeAlias = npt.ArrayLike | Sequence[Any] | pd.Series | pd.api.extensions.ExtensionArray

_EXACT = 2**53  # integers below are floats, each its own
_NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal", "empty"}
_LEAST = 1e-12  # an example that was labeled with less stands for more than anyone has


class Columns(NamedTuple):
    """The columns that roles name."""

    scores: "list[pd.Series[Any]]"
    labels: "pd.Series[Any]"
    propensity: "pd.Series[Any] | None" = None

    def as_frame(self) -> pd.DataFrame:
        """Return a frame whose columns have the names of their roles, of a single model."""
        columns = {"score": self.scores[0], "label": self.labels, "propensity": self.propensity}
        arrays = {role: column.array for role, column in columns.items() if column is not None}
        return pd.DataFrame(arrays)


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
    if roles.propensity is None:
        return Columns(scores, labels)
    return Columns(scores, labels, read_column(frame, "propensity", roles.propensity))


def read_values(scores: "pd.Series[Any]", roles: Roles) -> FloatArray:
    """Read scores, and check that none is missing where none may be."""
    if not scores.size:
        raise PUValueError("score and label must hold at least one example, but are empty.")
    values = read_scores(scores)
    if roles.nan_policy == "raise":
        check_missing(str(scores.name), int(np.isnan(values).sum()), values.size)
    return values


def read_states(labels: "pd.Series[Any]", roles: Roles) -> Labels:
    """Read labels in their coding."""
    return read_labels(
        labels,
        positive=roles.positive,
        negative=roles.negative,
        unlabeled=roles.unlabeled,
    )


def read_columns(columns: Columns, roles: Roles) -> tuple[list[FloatArray], Labels]:
    """Read the scores of each model, and the labels with their propensities."""
    scores = [read_values(column, roles) for column in columns.scores]
    labels = read_states(columns.labels, roles)
    if columns.propensity is not None:
        propensity = read_propensities(columns.propensity, labels.positive)
        labels = labels._replace(propensity=propensity)
    return scores, labels


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
    if not _fits(score, values):
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


def check_missing(name: str, missing: int, size: int) -> None:
    """Raise where scores are missing."""
    if missing:
        raise PUValueError(
            f"score column {name!r} holds NaN in {missing} of {size} rows. Pass "
            "nan_policy='omit' to drop these rows, or 'worst' to rank them last."
        )


def _fits(score: "pd.Series[Any]", values: FloatArray) -> bool:
    """Tell whether scores that differ still differ as float64."""
    kinds = pd.api.types
    narrow = kinds.is_float_dtype(score.dtype) and score.dtype != np.longdouble
    if narrow:
        return True
    if kinds.is_integer_dtype(score.dtype):
        low, high = (extreme.reduce(values) for extreme in (np.fmin, np.fmax))
        if max(-low, high) < _EXACT:
            return True
    distinct = np.unique(score.dropna().to_numpy()).size
    return distinct == np.unique(values[~np.isnan(values)]).size


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
    odd = (value for value in present if isinstance(value, bool) or not isinstance(value, Real))
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
