"""Beta while labels by hand come in: limits that hold after all numbers of labels at once."""

import numpy as np
import scipy

from pu_accessor.ranking import BoolArray, FloatArray, IntArray

_SAME = 1e-9  # relative difference of probabilities that are taken as equal


def confidence_sequence(
    positive: BoolArray, total: int, level: float, prior: tuple[float, float] = (1, 1)
) -> FloatArray:
    """Bound the positives among examples that are drawn at random and labeled one by one.

    Parameters
    ----------
    positive : array of bool, shape (labels,)
        What the examples are, in the order in which they were labeled.
    total : int
        Examples that they are drawn from.
    level : float
        Probability with which all limits hold at once, in (0, 1).
    prior : (float, float), default (1, 1)
        Of a Beta distribution of the share of positives: where the limits will be narrowest. They
        hold whatever it is.

    Returns
    -------
    array of float, shape (2, labels)
        The lowest and the highest number of positives after each label. They never move apart, and
        are NaN from the label on that leaves no number.

    Notes
    -----
    Under a beta-binomial prior on the number m of positives, prior over posterior of the true m is
    a martingale that starts at 1. With a probability of `level` it never exceeds 1/(1 - level)
    [1]_. After t labels, x of them positive, the ratio is Q(x)/P(x): P is the probability of x
    among t that are drawn of all, m of them positive, and Q that under the prior. The limits are
    the lowest and highest m that no label so far has ruled out.

    References
    ----------
    .. [1] I. Waudby-Smith, A. Ramdas, *Confidence sequences for sampling without replacement*,
       Advances in Neural Information Processing Systems 33 (2020).

    Examples
    --------
    >>> confidence_sequence(np.array([True, False, True, True]), 5, 0.8)
    array([[1., 1., 2., 3.],
           [5., 4., 4., 4.]])
    """
    size = np.arange(1, positive.size + 1)
    found = np.cumsum(positive, dtype=np.int64)
    limit = np.log(1 - level) + _log_expected(found, size, prior) - _SAME
    lower = _lowest(found, size, total, limit)
    upper = total - _lowest(size - found, size, total, limit)
    lower, upper = np.maximum.accumulate(lower), np.minimum.accumulate(upper)
    return np.where(lower <= upper, [lower, upper], np.nan)


def _log_expected(found: IntArray, size: IntArray, prior: tuple[float, float]) -> FloatArray:
    """Return the logarithm of the probability of so many positives under the prior."""
    expected: FloatArray = _log_choose(size, found) - scipy.special.betaln(*prior)
    return expected + scipy.special.betaln(found + prior[0], size - found + prior[1])


def _lowest(found: IntArray, size: IntArray, total: int, limit: FloatArray) -> IntArray:
    """Return the lowest number of positives that makes those found likely enough, at each label.

    The logarithm of their probability is at least the limit, as it is for the likeliest number.
    """
    below, likeliest = found - 1, (found / size * (total + 1)).astype(np.int64)
    lowest = np.clip(likeliest, found, total - size + found)
    while (lowest - below > 1).any():
        middle = np.maximum((below + lowest) // 2, found)
        holds = log_probability(found, size, total, middle) >= limit
        lowest = np.where(holds, middle, lowest)
        below = np.where(holds, below, middle)
    return lowest


def log_probability(
    found: IntArray, size: IntArray, total: int, positives: IntArray
) -> FloatArray:
    """Return the logarithm of the probability of so many positives among those drawn."""
    drawn, others = _log_choose(positives, found), _log_choose(total - positives, size - found)
    probability: FloatArray = drawn + others - _log_choose(np.array(total), size)
    return probability


def _log_choose(whole: IntArray, part: IntArray) -> FloatArray:
    chosen: FloatArray = scipy.special.betaln(whole - part + 1.0, part + 1.0) + np.log1p(whole)
    return -chosen
