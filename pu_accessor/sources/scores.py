"""Any column of scores -> float64, without loss, and what to do where a score is missing."""

from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.errors import PUTypeError, PUValueError, check_option
from pu_accessor.ranking import FloatArray

__all__ = ["NAN_POLICIES", "check_missing", "read_scores"]

NAN_POLICIES = ("omit", "raise", "worst")
_NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal", "empty"}


def read_scores(score: "pd.Series[Any]") -> FloatArray:
    """Read scores of any real dtype.

    Parameters
    ----------
    score : Series, shape (examples,)
        Integers or floats of numpy, nullable, Arrow-backed or object dtype.

    Returns
    -------
    ndarray of float64, shape (examples,)
        NaN where a score is missing.

    Raises
    ------
    PUTypeError
        If the scores are not real numbers, or bool.
    PUValueError
        If float64 cannot hold them, so that distinct scores would become ties.
    """
    if not _is_real(score):
        raise PUTypeError(
            f"score column {score.name!r} must hold real numbers, but is {score.dtype} (first "
            f"value {score.iloc[0]!r}). Pass what the model ranks by, a probability or decision "
            "value, as numbers: for example pd.to_numeric(column)."
        )
    values = score.to_numpy(dtype=np.float64, na_value=np.nan)
    if _are_integers(score) and (np.abs(values) >= 2**53).any():
        raise PUValueError(
            f"score column {score.name!r} holds integers of 2**53 or more, where float64 merges "
            f"neighbours ({int(values[np.abs(values).argmax()])} for one). Pass their order "
            "instead: column.rank()."
        )
    return values


def check_missing(name: str, score: FloatArray, nan_policy: str) -> None:
    """Raise where scores are missing and the policy is to raise.

    Parameters
    ----------
    name : str
        The column's name, for the message.
    score : ndarray of float64, shape (examples,)
        NaN where a score is missing.
    nan_policy : {"raise", "omit", "worst"}
        What to do with missing scores.

    Raises
    ------
    PUValueError
        If there are some and `nan_policy` is "raise", or no policy has that name.
    """
    check_option("nan_policy", nan_policy, NAN_POLICIES)
    missing = int(np.isnan(score).sum())
    if missing and nan_policy == "raise":
        raise PUValueError(
            f"score column {name!r} holds NaN in {missing} of {score.size} rows. Pass "
            "nan_policy='omit' to drop these rows, or 'worst' to rank them last."
        )


def _are_integers(score: "pd.Series[Any]") -> bool:
    """Tell whether a column holds integers."""
    if score.dtype == object:
        return pd.api.types.infer_dtype(score, skipna=True) == "integer"
    return pd.api.types.is_integer_dtype(score.dtype)


def _is_real(score: "pd.Series[Any]") -> bool:
    """Tell whether a column holds real numbers; bool does not count."""
    if score.dtype == object:
        return pd.api.types.infer_dtype(score, skipna=True) in _NUMBERS
    kinds = pd.api.types
    return bool(
        kinds.is_numeric_dtype(score.dtype)
        and not kinds.is_bool_dtype(score.dtype)
        and not kinds.is_complex_dtype(score.dtype)
    )
