"""All pairs of models or groups: the difference of each, Student's test, p values for all."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import special

from pu_accessor.errors import PUValueError
from pu_accessor.ranking import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class PairTests:
    """The difference of each pair, the first less the second, and a test whether it is 0."""

    first: IntArray  # positions of the two, shape (pairs,)
    second: IntArray
    difference: FloatArray  # shape (pairs, columns)
    lower: FloatArray  # not cut off where no difference can be
    upper: FloatArray
    statistic: FloatArray
    df: FloatArray
    p_value: FloatArray  # two-sided; NaN where there is no test
    p_holm: FloatArray  # adjusted for all pairs of a column


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


def compare_by_t(
    pairs: tuple[IntArray, IntArray],
    difference: FloatArray,
    error: FloatArray,
    df: FloatArray,
    level: float,
) -> PairTests:
    """Test whether differences are 0; without spread that is so for certain, or certainly not.

    Examples
    --------
    >>> pairs = np.array([0, 0]), np.array([1, 2])
    >>> difference, error = np.array([[0.5], [0.0]]), np.array([[0.25], [0.0]])
    >>> compare_by_t(pairs, difference, error, np.array([[9.0]]), 0.95).p_value.round(3)
    array([[0.077],
           [1.   ]])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where((error == 0) & (difference == 0), 0.0, difference / error)
    distance = special.stdtrit(df, (1 + level) / 2) * error
    p_value = np.asarray(2 * special.stdtr(df, -np.abs(statistic)), np.float64)
    return PairTests(
        *pairs,
        difference=np.broadcast_to(difference, error.shape),
        lower=difference - distance,
        upper=difference + distance,
        statistic=statistic,
        df=np.broadcast_to(df, error.shape),
        p_value=p_value,
        p_holm=adjust_p_values(p_value),
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
    position = np.argsort(order, axis=0)
    pairs_left = np.count_nonzero(~np.isnan(p_value), axis=0) - position
    raised = np.take_along_axis(np.minimum(p_value * pairs_left, 1), order, axis=0)
    adjusted: FloatArray = np.take_along_axis(np.maximum.accumulate(raised), position, axis=0)
    return adjusted
