"""How the order of models depends on beta: where they trade places, and where beta is too high."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from pu_accessor.ranking import BoolArray, FloatArray, IntArray


def infeasible(
    tp: npt.NDArray[Any],
    fp: npt.NDArray[Any],
    tn: npt.NDArray[Any],
    clipped: npt.NDArray[Any],
    known_negative: IntArray | int,
) -> BoolArray:
    """Say where the band itself is impossible at some cutoff: beta is too high.

    There all three bounds are clipped to the same table: even the lower bound has more latent
    positives in the head than there are unlabeled examples, or even the upper one fewer than must
    be there, as the tail is too small for the others. Either beta is too high, or labels are not a
    random sample of the positives.

    Examples
    --------
    >>> tp, clipped = np.array([[3, 3, 3], [4, 5, 6]]), np.ones((2, 3), bool)
    >>> infeasible(tp, 6 - tp, 4 + 0 * tp, clipped, 0)
    np.True_
    """
    bounds_meet = tp.max(axis=-1) <= tp.min(axis=-1)
    all_clipped = (clipped == True).all(axis=-1)  # noqa: E712 -- or missing
    has_latent_negatives = fp[..., 0] + tn[..., 0] > np.expand_dims(known_negative, -1)
    is_too_high: BoolArray = (all_clipped & bounds_meet & has_latent_negatives).any(axis=-1)
    return is_too_high


def crossings(x: FloatArray, lead: FloatArray) -> tuple[float, ...]:
    """Return where the lead passes from one to the other: where the one that has it loses it.

    Examples
    --------
    >>> crossings(np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, -1.0, 0.0, 2.0]))
    (0.5, 2.0)
    """
    crossed_at = []
    for before, after in pairwise(np.flatnonzero(lead).tolist()):
        if (lead[before] > 0) == (lead[after] > 0):
            continue
        if after > before + 1:  # level from the next point on
            crossed_at.append(float(x[before + 1]))
        else:
            share = lead[before] / (lead[before] - lead[after])
            crossed_at.append(float(x[before] + share * (x[after] - x[before])))
    return tuple(crossed_at)
