"""What concave functions in a band can do: by linear programs, and by all triples of places."""

from itertools import product

import numpy as np
from scipy import optimize

from pu_accessor.ranking import FloatArray

Limits = tuple[FloatArray, FloatArray]


def by_linear_programs(
    x: FloatArray, lower: FloatArray, upper: FloatArray, slope: float
) -> Limits | None:
    """Return the least and the largest value at each place, or None where no function fits.

    Values at distinct places are those of a concave function that never falls where the slopes
    between neighbours fall, the last of them not below 0.
    """
    size = x.size
    slopes = np.diff(np.eye(size), axis=0) / np.diff(x)[:, np.newaxis]
    limits, most = np.vstack([np.diff(slopes, axis=0), -slopes[-1:]]), np.zeros(size - 1)
    if np.isfinite(slope):
        limits, most = np.vstack([limits, slopes[:1]]), np.append(most, slope)
    boxes = [(low, high) for low, high in zip(lower, upper, strict=True)]
    boxes[0], boxes[-1] = (max(lower[0], 0), min(upper[0], 0)), (max(lower[-1], 1), 1)
    if any(low > high for low, high in boxes):
        return None
    ends = np.empty((2, size))
    for place, (side, sign) in product(range(size), ((0, 1), (1, -1))):
        goal = sign * np.eye(size)[place]
        answer = optimize.linprog(goal, limits, most, bounds=boxes, method="highs")
        if answer.status == 2:
            return None
        assert answer.status == 0, answer.message
        ends[side, place] = sign * answer.fun
    return ends[0], ends[1]
