"""Compare the ROC curves of two models: which is above the other, and where they cross."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pu_accessor.ranking import FloatArray

# Rates are ratios of counts, and interpolations of them.
_RATE_TOLERANCE = 1e-12


class Verdict(NamedTuple):
    """How the ROC curve of a model lies to that of another."""

    ahead: bool  # the estimated curve is somewhere above the other
    behind: bool  # somewhere below
    disjoint: bool  # a lower curve is strictly above the other upper one
    crossings: tuple[float, ...]  # false positive rates at which the lead changes


def compare_curves(first: FloatArray, second: FloatArray) -> Verdict:
    """Compare curves, (3 bounds, 2 rates, points), without their dips ([C15], section 6.2)."""
    # Of each curve the highest true positive rate at or left of each false positive rate.
    one, other = (
        [without_steps_back(*_fill_dips(*curve)) for curve in each] for each in (first, second)
    )
    fpr, lead = _corners(one[1], other[1])
    disjoint = _is_above(one[0], other[2]) or _is_above(other[0], one[2])
    difference = lead[0] - lead[1]
    ahead, behind = bool((difference > 0).any()), bool((difference < 0).any())
    return Verdict(ahead, behind, disjoint, crossings(fpr, difference))


def _is_above(first: FloatArray, second: FloatArray) -> bool:
    """Tell if the first curve is strictly above the second, where they are not both at an end."""
    _, (a, b) = _corners(first, second)
    is_ahead, at_end = a > b, (a == b) & np.isin(a, [0, 1])
    return bool((is_ahead | at_end).all() and is_ahead.any())


def _corners(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return all corners, and both limits of two curves there, from within, left to right."""
    corners, limits = np.union1d(first[0], second[0]), []
    for fpr, tpr in (first, second):
        between = np.interp(corners, fpr, tpr)
        left = np.searchsorted(fpr, corners, side="left").clip(max=fpr.size - 1)
        right = np.searchsorted(fpr, corners, side="right") - 1
        sides = [np.where(fpr[at] == corners, tpr[at], between) for at in (left, right)]
        limits.append(np.stack(sides, axis=1).ravel()[1:-1])
    a, b = limits
    heights = np.stack([a, np.where(np.abs(a - b) <= _RATE_TOLERANCE, a, b)])
    return np.repeat(corners, 2)[1:-1], heights


def without_steps_back(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return a path from where it passes each x for the last time."""
    # Seen from its end, a path that steps back to the left has a dip.
    return -_fill_dips(-y[::-1], -x[::-1])[::-1, ::-1]


def _fill_dips(x: FloatArray, y: FloatArray) -> FloatArray:
    """Keep a curve at its highest value until it is higher again."""
    highest = np.maximum.accumulate(y)
    start, end, height = y[:-1], y[1:], highest[:-1]
    below = (start < height) & (height < end)
    share = (height[below] - start[below]) / (end[below] - start[below])
    returns = x[:-1][below] + share * (x[1:][below] - x[:-1][below])
    position = np.flatnonzero(below) + 1
    return np.stack([np.insert(x, position, returns), np.insert(highest, position, height[below])])


def crossings(x: FloatArray, lead: FloatArray) -> tuple[float, ...]:
    """Return where the lead passes from one curve to the other."""
    crossed_at = []
    for before, after in pairwise(np.flatnonzero(lead).tolist()):
        if (lead[before] > 0) == (lead[after] > 0):
            continue
        if after > before + 1:  # equal from the next point on
            crossed_at.append(float(x[before + 1]))
        else:
            share = lead[before] / (lead[before] - lead[after])
            crossed_at.append(float(x[before] + share * (x[after] - x[before])))
    return tuple(crossed_at)
