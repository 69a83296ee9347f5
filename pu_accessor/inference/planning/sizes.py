"""How many known positives an interval takes, and how likely a difference is to be seen."""

from collections.abc import Callable
from math import ceil

import numpy as np
from scipy import special, stats

from pu_accessor.errors import PUDataError
from pu_accessor.inference.estimates.delong import Placed, welch_df
from pu_accessor.inference.estimates.population_auroc import score_interval
from pu_accessor.inference.planning.scatter import Scatter
from pu_accessor.ranking import FloatArray

__all__ = ["chance_of_difference", "chance_of_width", "smallest"]

_MOST = 10**9  # known positives
_STEP = 1e-4  # of a standard error, for derivatives


def chance_of_width(
    width: float, scatter: Scatter, share: float, sizes: tuple[int, int], level: float
) -> float:
    """Return the probability that the interval of AUROC on new examples is narrow enough.

    Notes
    -----
    The width depends on what turns up: on the estimate and on the variances of the placements. It
    is taken as normal, with the variance of its linear part in these three.
    """
    moments = (scatter.known, scatter.rest)
    center = np.array([scatter.known.mean, scatter.known.variance, scatter.rest.variance])
    covariance = np.zeros((3, 3))
    for place, (moment, size) in enumerate(zip(moments, sizes, strict=True), 1):
        covariance[0, 0] += moment.variance / size
        covariance[place, place] = (moment.fourth - moment.variance**2) / size
        covariance[0, place] = covariance[place, 0] = moment.third / size
    steps = np.sqrt(np.diag(covariance))
    shifts = _STEP * np.vstack([np.zeros(3), np.diag(steps), -np.diag(steps)])
    # A mean below half at one side turns the third moments of the rest the same way.
    widths = _widths(center + shifts, share, sizes, level)
    slope = np.divide(
        widths[1:4] - widths[4:], 2 * _STEP * steps, out=np.zeros(3), where=steps > 0
    )
    spread = float(slope @ covariance @ slope) ** 0.5
    if not spread:
        return float(widths[0] <= width)
    return float(special.ndtr((width - widths[0]) / spread))


def _widths(
    expected: FloatArray, share: float, sizes: tuple[int, int], level: float
) -> FloatArray:
    """Return the widths of intervals for some estimates and variances."""
    size = np.repeat(np.array(sizes, np.float64)[:, np.newaxis], len(expected), axis=1)
    above, *variances = expected.T
    # Of the sample, not of the distribution.
    variance = np.maximum(np.stack(variances), 0)
    lower, upper = score_interval(
        (above - share / 2) / (1 - share),
        np.full(above.size, share),
        Placed(size, variance, above),
        level,
    )
    widths: FloatArray = upper - lower
    return widths


def chance_of_difference(
    difference: float,
    variances: tuple[float, float],
    share: float,
    sizes: tuple[int, int],
    level: float,
) -> float:
    """Return the probability that two models' difference is seen: that 0 is out of the interval.

    Examples
    --------
    >>> round(chance_of_difference(0.05, (0.05, 0.05), 0.2, (200, 2000), 0.95), 3)
    0.671
    """
    size = np.array(sizes, np.float64)
    squares = np.array(variances) / size
    if not squares.sum():
        return float(difference != 0)
    df = float(welch_df(squares[:, np.newaxis], (size - 1)[:, np.newaxis])[0])
    apart = abs(difference) * (1 - share) / squares.sum() ** 0.5
    reach = float(special.stdtrit(df, (1 + level) / 2))
    return float(stats.nct.sf(reach, df, apart) + stats.nct.cdf(-reach, df, apart))


def smallest(enough: Callable[[int], bool], least: int = 2) -> int:
    """Return the smallest number that is enough."""
    low = high = least
    while not enough(high):
        if high > _MOST:
            raise PUDataError(
                "width cannot be reached with so many unlabeled examples, however many positives "
                "are known. Pass a larger n_unlabeled or a larger width.",
                page="planning",
            )
        low, high = high, 2 * high
    while high - low > 1:
        middle = ceil((low + high) / 2)
        if enough(middle):
            high = middle
        else:
            low = middle
    return high
