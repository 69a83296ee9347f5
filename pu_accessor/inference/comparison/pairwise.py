"""Pairs of models: which there are, Student's test of each, and p values for all of them."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy import special

from pu_accessor.errors import PUValueError
from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["StudentTest", "adjust_p_values", "find_pairs", "t_test"]


class StudentTest(NamedTuple):
    """A t test and its interval, arrays of float64 of one shape."""

    statistic: FloatArray
    p_value: FloatArray
    lower: FloatArray
    upper: FloatArray


def find_pairs(models: int) -> tuple[IntArray, IntArray]:
    """Return the positions of the two models of each pair."""
    if models < 2:
        raise PUValueError(
            f"A comparison needs two or more models, but there is {models or 'none'}. Name two "
            "columns, df.pu(score=['svm', 'forest']), or one with two keys, df.pu(by='model').",
            page="many_models#which-model-is-better",
        )
    first, second = np.array(list(combinations(range(models), 2)), dtype=np.int64).T
    return first, second


def t_test(
    mean: FloatArray, error: FloatArray, df: FloatArray | float, level: float
) -> StudentTest:
    """Test whether a mean is 0; without spread it is so for certain, or certainly not.

    Examples
    --------
    >>> t_test(np.array([0.5, 0.0]), np.array([0.25, 0.0]), 9, 0.95).p_value.round(3)
    array([0.077, 1.   ])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where((error == 0) & (mean == 0), 0.0, mean / error)
    reach = special.stdtrit(df, (1 + level) / 2) * error
    p_value = np.asarray(2 * special.stdtr(df, -np.abs(statistic)), np.float64)
    return StudentTest(
        statistic=statistic, p_value=p_value, lower=mean - reach, upper=mean + reach
    )


def adjust_p_values(p_value: FloatArray) -> FloatArray:
    """Adjust p values for the number of pairs, NaN apart, by Holm's method [1]_.

    References
    ----------
    .. [1] S. Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian
       Journal of Statistics 6 (1979) 65-70.

    Examples
    --------
    >>> adjust_p_values(np.array([0.04, np.nan, 0.01, 0.03]))
    array([0.06,  nan, 0.03, 0.06])
    """
    order = np.argsort(p_value, axis=0)  # NaN last
    place = np.argsort(order, axis=0)
    left = np.count_nonzero(~np.isnan(p_value), axis=0) - place
    raised = np.take_along_axis(np.minimum(p_value * left, 1), order, axis=0)
    adjusted: FloatArray = np.take_along_axis(np.maximum.accumulate(raised), place, axis=0)
    return adjusted
