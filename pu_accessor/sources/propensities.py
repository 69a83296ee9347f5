"""A column of propensities -> numbers: how probably each positive is labeled."""

from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.ranking import BoolArray, FloatArray
from pu_accessor.sources.scores import is_real

__all__ = ["read_propensities"]

_LEAST = 1e-12  # an example that was labeled with less stands for more than anyone has


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
