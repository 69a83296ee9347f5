"""Any column of scores -> float64, without loss, and what to do where a score is missing."""

from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.ranking import FloatArray

__all__ = [
    "check_missing",
    "check_real",
    "is_real",
    "is_told_alone",
    "read_scores",
    "say_missing",
]

_EXACT = 2**53  # integers below are floats, each its own
_NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal", "empty"}


def read_scores(score: "pd.Series[Any]") -> FloatArray:
    """Read scores of any real dtype."""
    check_real(score)
    if score.dtype == np.float64:
        return score.to_numpy()  # as it is, uncopied
    if score.dtype == np.float32:
        return score.to_numpy().astype(np.float64)
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


def check_missing(name: str, score: FloatArray, nan_policy: str) -> None:
    """Raise where scores are missing and the policy is to raise."""
    if nan_policy == "raise":
        say_missing(name, int(np.isnan(score).sum()), score.size)


def say_missing(name: str, missing: int, size: int) -> None:
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


def is_told_alone(score: "pd.Series[Any]", values: FloatArray) -> bool:
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
