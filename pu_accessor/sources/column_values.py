"""Read columns of numbers: scores as float64 without loss, propensities, clusters, weights."""

from __future__ import annotations

from decimal import Decimal
from math import inf
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.checks import is_number
from pu_accessor.errors import PUDataError, PUTypeError, PUValueError
from pu_accessor.ranking import BoolArray, CountArray, FloatArray, IntArray
from pu_accessor.roles_and_assumptions import Terms
from pu_accessor.sources.columns import Columns, look_up_values
from pu_accessor.sources.label_states import Labels, is_missing, read_labels

_FIRST_INEXACT_INTEGER = 2**53  # as a float
_NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal", "empty"}
_MIN_PROPENSITY = 1e-12
_MAX_WEIGHT = 1e12  # where the least is 1


def read_columns(columns: Columns, roles: Terms) -> tuple[list[FloatArray], Labels]:
    """Read the scores of each model, and labels with propensities, clusters and weights."""
    scores = [read_values(column, roles) for role, column in columns if role == "score"]
    (_, label), *others = columns[len(scores) :]
    labels = read_labels(label, roles)
    for role, column in others:
        if role == "propensity":
            labels = labels._replace(propensity=read_propensities(column, labels.positive))
        elif role == "cluster":
            cluster, clusters = number_clusters(column)
            labels = labels._replace(cluster=cluster, clusters=clusters)
        else:
            counted: dict[str, Any] = {role: read_multiplicity(role, column)}
            labels = labels._replace(**counted)
    return scores, labels


def read_values(scores: pd.Series[Any], roles: Terms) -> FloatArray:
    """Read scores, and raise if some are missing that may not."""
    check_not_empty(scores.size)
    values = read_scores(scores)
    if roles.nan_policy == "raise":
        check_missing(str(scores.name), int(np.count_nonzero(np.isnan(values))), values.size)
    return values


def number_clusters(column: pd.Series[Any]) -> tuple[IntArray, int]:
    """Return the number of each row's cluster, and how many numbers there may be."""
    max_numbers = 2 * column.size
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu" and column.size:
        low, high = int(column.min()), int(column.max())
        if high - low < max_numbers and high < np.iinfo(np.int64).max:
            start = 0 if low >= 0 and high < max_numbers else low
            numbers = column.to_numpy().astype(np.int64, copy=False)
            return numbers - start if start else numbers, high + 1 - start
    numbers, ids = look_up_values("cluster", column)
    if missing := int(np.count_nonzero(numbers < 0)):
        raise PUValueError(
            f"cluster column {column.name!r} must have a value in each row, but {missing} of "
            f"{column.size} are missing. Drop these rows, or give each its own id if it belongs "
            "to no other."
        )
    return numbers, len(ids)


def read_scores(score: pd.Series[Any]) -> FloatArray:
    """Read scores of any real dtype as float64, without a copy of float64."""
    if score.dtype in (np.float64, np.float32):
        return score.to_numpy().astype(np.float64, copy=False)
    check_real(score)
    with np.errstate(over="ignore"):
        try:
            values = score.to_numpy(dtype=np.float64, na_value=np.nan)
        except OverflowError:
            values = np.full(score.size, np.inf)
    if is_lossless(score, values):
        return values
    if np.unique(score.dropna().to_numpy()).size != np.unique(values[~np.isnan(values)]).size:
        raise PUValueError(
            f"score column {score.name!r} contains {score.dtype} numbers that float64 cannot "
            "tell apart, so that different scores would be tied. Pass their order instead: "
            "column.rank()."
        )
    return values


def check_real(score: pd.Series[Any]) -> None:
    """Raise unless scores are real numbers."""
    if not is_real(score):
        present = [value for value in score if value is pd.NaT or not is_missing(value)]
        odd = next((value for value in present if not is_number(value)), (*present, None)[0])
        raise PUTypeError(
            f"score column {score.name!r} must contain real numbers, but is {score.dtype} (for "
            f"example {odd!r}). Pass what the model ranks by, a probability or decision value, "
            "as numbers: for example column.astype(float)."
        )


def check_not_empty(size: int) -> None:
    """Raise if there is no row."""
    if not size:
        raise PUValueError("score and label must contain at least one example, but are empty.")


def check_scored(name: str, size: int) -> None:
    """Raise if no row to rank has a score."""
    if not size:
        raise PUDataError(
            f"score column {name!r} must contain at least one score, but there is none in the "
            "rows to rank."
        )


def check_missing(name: str, missing: int, size: int) -> None:
    """Raise if scores are missing."""
    if missing:
        raise PUValueError(
            f"score column {name!r} contains NaN in {missing} of {size} rows. Pass "
            "nan_policy='worst' to rank these rows last, 'unretrieved' for documents that a "
            "search did not return, or 'omit' to drop them, known positives among them."
        )


def is_lossless(score: pd.Series[Any], values: FloatArray) -> bool:
    """Tell whether no other number has the same float64 as one of the scores."""
    kinds = pd.api.types
    if kinds.is_integer_dtype(score.dtype):
        return not (np.abs(values) >= _FIRST_INEXACT_INTEGER).any()
    if kinds.is_float_dtype(score.dtype):
        is_long = score.dtype == np.longdouble
        return not is_long or not ((score.to_numpy() != values) & ~np.isnan(values)).any()

    def is_exact(value: Any, number: float) -> bool:
        if isinstance(value, Decimal):
            return value == Decimal(repr(number))
        if isinstance(value, Integral):
            return abs(number) < _FIRST_INEXACT_INTEGER
        return bool(value == number)

    pairs = zip(score, values.tolist(), strict=True)
    return all(is_exact(value, number) for value, number in pairs if number == number)


def is_real(score: pd.Series[Any]) -> bool:
    """Tell whether a column contains real numbers; bool does not count."""
    kinds = pd.api.types
    if score.dtype == object:
        return kinds.infer_dtype(score, skipna=True) in _NUMBERS
    is_other = kinds.is_bool_dtype(score.dtype) or kinds.is_complex_dtype(score.dtype)
    return bool(kinds.is_numeric_dtype(score.dtype) and not is_other)


def _read_floats(column: pd.Series[Any], requirement: str) -> FloatArray:
    """Read numbers as float64, or raise with the requirement."""
    if not is_real(column):
        raise PUTypeError(f"{requirement}, but its dtype is {column.dtype}.")
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def read_propensities(column: pd.Series[Any], positive: BoolArray) -> FloatArray:
    """Read the probabilities of positives to be labeled."""
    name = f"propensity column {column.name!r}"
    values = _read_floats(column, f"{name} must contain numbers in (0, 1]")
    known = values[positive]
    if missing := int(np.isnan(known).sum()):
        raise PUValueError(
            f"{name} must have a value for each known positive, but {missing} of {known.size} are "
            "missing. Fill them in, or make these rows unlabeled."
        )
    outside = known[~((known >= _MIN_PROPENSITY) & (known <= 1))]
    if outside.size:
        raise PUValueError(
            f"{name} must lie in (0, 1], but {outside.tolist()[:5]} came (the least is "
            f"{_MIN_PROPENSITY:g}). Pass the probability that such a positive is labeled: not "
            "its odds, weight or inverse."
        )
    return values


def read_multiplicity(role: str, column: pd.Series[Any]) -> CountArray:
    """Read how many rows each row stands for; weights are scaled where they are ranked."""
    name, is_count = repr(column.name), role == "count"
    passed = values = _read_floats(column, f"{role} column {name} must contain numbers")
    if not is_count:
        with np.errstate(over="ignore"):
            values = passed / passed.min(initial=inf, where=passed > 0)
    is_whole = values == np.rint(values)
    most = _FIRST_INEXACT_INTEGER if is_count else _MAX_WEIGHT
    allowed = (values >= 0) & (values <= most) & (is_whole | (not is_count))
    outside = passed[~allowed]
    total = 0.0 if outside.size else float(values.sum())
    if not 0 < total <= (most if is_count else inf):
        span = "in whole numbers up to 2**53 in all" if is_count else "0 to 1e12 times the least"
        came = f"{outside.tolist()[:5]} came in {outside.size} of {values.size} rows"
        is_sample = is_count and (outside > 0).any()
        step = f" Of a sample: df.pu(weight={name})." if is_sample else ""
        raise PUValueError(
            f"{role} column {name} must be the number of rows that each stands for, {span}, but "
            f"{came if outside.size else f'their sum is {total:g}'}. A row stands for itself and "
            f"others like it; 0 leaves it out.{step}"
        )
    return values.astype(np.int64) if is_count else passed
