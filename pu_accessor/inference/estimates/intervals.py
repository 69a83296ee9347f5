"""Intervals of an area: Student's t on the scale of ranks.

Each takes how far the estimate can be off downwards and upwards. The two are the same where known
positives are a simple random sample; where they have propensities, those with large weights that
were not seen pull to one side.
"""

import numpy as np
from scipy import special

from pu_accessor.ranking import FloatArray

__all__ = ["kurtosis_df", "rank_interval", "reach"]


def reach(error: FloatArray, df: FloatArray | float, level: float) -> FloatArray:
    """Return how far an estimate can be off: Student's quantile times its standard error.

    Examples
    --------
    >>> reach(np.array([0.1, 0.0]), 9, 0.95).round(4)
    array([0.2262,    nan])
    """
    return np.where(error > 0, special.stdtrit(df, (1 + level) / 2) * error, np.nan)


def kurtosis_df(kurtosis: FloatArray, n: int) -> FloatArray:
    """Return the degrees of freedom of a variance with the kurtosis of its terms."""
    df: FloatArray = np.minimum(2 * n / np.maximum(kurtosis - 1, 2 / n), n - 1)
    return df


def rank_interval(
    value: FloatArray,
    place: FloatArray | float,
    stretch: FloatArray,
    down: FloatArray,
    up: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of what is linear in a mean share of ranks, on the logit scale of that.

    Notes
    -----
    The share lies in (0, 1) even where the value does not. With the logit z of the share, the
    value changes by stretch*share*(1 - share) dz.

    Examples
    --------
    >>> one = np.array([1.0])
    >>> rank_interval(0.9 * one, 0.8, 1.25 * one, 0.15 * one, 0.15 * one)
    (array([0.71739415]), array([1.]))
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        slope, middle = stretch * (place * (1 - place)), special.logit(place)
        ends = special.expit(middle - down / slope), special.expit(middle + up / slope)
    lower, upper = (np.clip(value + (end - place) * stretch, 0, 1) for end in ends)
    return lower, upper
