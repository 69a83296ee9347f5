"""Bands cut to what concave functions can do.

Where a higher score never means a smaller probability of being positive, the share of the
positives among the best-ranked examples is a concave function of the share of these examples.
"""

from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.ranking import FloatArray, IntArray

_ROUNDING = 1e-9  # a band is contradicted by more than this alone


class ConcaveBand(NamedTuple):
    """Limits of all concave functions within a band."""

    lower: FloatArray
    upper: FloatArray
    refuted_at: float | None  # where no concave function fits; the limits are then not cut


def cut_to_concave(
    x: FloatArray, lower: FloatArray, upper: FloatArray, slope: float
) -> ConcaveBand:
    """Cut a simultaneous band to the concave functions in it.

    `x` ascends from 0 to 1. The functions F never fall, with F(0) = 0 and F(1) = 1; F(x[i]) lies
    in [lower[i], upper[i]] and no slope exceeds `slope`. At equal `x` all limits hold. A function
    that is known between these places only by never falling needs nothing more: limits at other
    places are those of two further entries, (last lower, next upper).

    Notes
    -----
    The lower limit is the least concave majorant C of `lower`, itself such a function. A function
    through (x, y) exists where the majorant of C and (x, y) stays below `upper`. So the upper
    limit at x is the smallest of upper(x) and of all lines through a point of C and one of `upper`
    that lies between it and x. For one point (z, upper(z)) the lowest of these lines is the
    tangent of C. Tangents of a concave function do not cross beyond the places they touch it at:
    the lowest at x is the least steep of all from z < x. The line through (0, 0) with `slope` is
    one of them. The same is done from the right. At each x both limits are attained.

    A band that holds the true function with a probability of `level` is refuted, although that is
    concave, with a probability of at most 1 - `level`. Time grows as n*log(n).

    Examples
    --------
    A lower limit at .2 raises that at .4, up to the chord to (1, 1):

    >>> x = np.array([0, 0.2, 0.4, 1])
    >>> band = cut_to_concave(x, np.array([0, 0.4, 0.4, 1]), np.array([0, 0.5, 1, 1]), 4.0)
    >>> band.lower, band.upper.round(3)
    (array([0.  , 0.4 , 0.55, 1.  ]), array([0. , 0.5, 1. , 1. ]))
    """
    places, first, position = np.unique(x, return_index=True, return_inverse=True)
    low, high = np.maximum.reduceat(lower, first), np.minimum.reduceat(upper, first)
    low[-1], high[0] = 1.0, 0.0
    majorant, ends = concave_majorant(places, low)
    excess = majorant - np.minimum(high, slope * places if np.isfinite(slope) else np.inf)
    if excess.max() > _ROUNDING:
        return ConcaveBand(lower, upper, float(places[np.argmax(excess)]))
    high = np.minimum(
        _limit_from_left(places, majorant, ends, high, slope),
        _limit_from_left(
            1 - places[::-1], majorant[::-1], places.size - 1 - ends[::-1], high[::-1], 0.0
        )[::-1],
    )
    return ConcaveBand(majorant[position], np.maximum(high, majorant)[position], None)


def concave_majorant(x: FloatArray, values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the least concave majorant at each x, and the indices of its corners.

    Its slopes are the isotonic regression of the slopes between neighbours.
    """
    width = np.diff(x)
    slopes = np.diff(values) / width
    ends = scipy.optimize.isotonic_regression(slopes, weights=width, increasing=False).blocks
    return np.maximum(np.interp(x, x[ends], values[ends]), values), ends.astype(np.int64)


def _limit_from_left(
    x: FloatArray, majorant: FloatArray, ends: IntArray, upper: FloatArray, slope: float
) -> FloatArray:
    """Return the lowest of the upper limit at each x and of the tangents from the left of it.

    A tangent from (z, upper(z)) touches the corner up to which the edges of the majorant, drawn on
    to z, pass above that point: they pass lower and lower from corner to corner.
    """
    corner_x, corner = x[ends], majorant[ends]
    edge = np.diff(corner) / np.diff(corner_x)
    z, limit = x[1:], upper[1:]
    touched, last = np.zeros(z.size, np.int64), np.searchsorted(corner_x, z) - 1
    while (open_ := touched < last).any():
        middle = (touched + last) // 2
        above = corner[middle] + edge[middle] * (z - corner_x[middle]) > limit
        touched = np.where(open_ & above, middle + 1, touched)
        last = np.where(open_ & ~above, middle, last)
    touched = np.append(0, touched)
    steepness = np.full(x.size, slope)
    steepness[1:] = (limit - corner[touched[1:]]) / (z - corner_x[touched[1:]])
    flattest = np.minimum.accumulate(steepness)
    line = np.maximum.accumulate(np.where(steepness <= flattest, np.arange(x.size), 0))[:-1]
    tangent = corner[touched[line]] + steepness[line] * (z - corner_x[touched[line]])
    return np.append(upper[0], np.minimum(limit, tangent))
