"""Curves that step back, as functions: the highest, or the lowest, place at each one."""

from typing import NamedTuple

import numpy as np

from pu_accessor.ranking import FloatArray

__all__ = ["StepFree", "highest_at", "limit", "lowest_at", "step_free"]


class StepFree(NamedTuple):
    """A curve that never steps back: corners, straight between them; it may jump."""

    fpr: FloatArray
    tpr: FloatArray


def step_free(fpr: FloatArray, tpr: FloatArray) -> StepFree:
    """Return the highest true positive rate at or left of each false positive rate.

    The rate at which each height is reached for good is the lowest from there on. Where a straight
    piece runs past what is reached again later, it ends there, and the curve jumps.

    Parameters
    ----------
    fpr, tpr : ndarray of float64, shape (cutoffs,)
        A curve; the latter never falls.

    Returns
    -------
    StepFree
    """
    lowest = np.minimum.accumulate(fpr[::-1])[::-1]
    # A piece from i to i + 1 is cut where it gets to the lowest rate from i + 1 on.
    start, end, stop = fpr[:-1], fpr[1:], lowest[1:]
    cut = (start < stop) & (stop < end)
    share = (stop[cut] - start[cut]) / (end[cut] - start[cut])
    height = tpr[:-1][cut] + share * (tpr[1:][cut] - tpr[:-1][cut])
    place = np.flatnonzero(cut) + 1
    fpr, tpr = np.insert(lowest, place, stop[cut]), np.insert(tpr, place, height)
    new = np.append(True, (np.diff(fpr) > 0) | (np.diff(tpr) > 0))
    return StepFree(fpr[new], tpr[new])


def limit(curve: StepFree, at: FloatArray, side: str) -> FloatArray:
    """Return a curve's limit from the left or right at some false positive rates.

    Parameters
    ----------
    curve : StepFree
        Whose limit.
    at : ndarray of float64, shape (points,)
        Where, in [0, 1].
    side : {"left", "right"}
        From which side.

    Returns
    -------
    ndarray of float64, shape (points,)
    """
    if side == "left":
        here = np.searchsorted(curve.fpr, at, side="left")
        here = here.clip(max=curve.fpr.size - 1)
    else:
        here = np.searchsorted(curve.fpr, at, side="right") - 1
    between = np.interp(at, curve.fpr, curve.tpr)
    return np.where(curve.fpr[here] == at, curve.tpr[here], between)


def highest_at(fpr: FloatArray, tpr: FloatArray, at: FloatArray) -> FloatArray:
    """Return the highest true positive rate at or left of some false positive rates.

    Parameters
    ----------
    fpr, tpr : ndarray of float64, shape (cutoffs,)
        A curve from (0, 0) to (1, 1); the latter never falls.
    at : ndarray of float64, shape (points,)
        In [0, 1].

    Returns
    -------
    ndarray of float64, shape (points,)

    Examples
    --------
    >>> fpr, tpr = np.array([0, 0.6, 0.5, 1]), np.array([0, 0.2, 0.6, 1])
    >>> highest_at(fpr, tpr, np.array([0.3, 0.5, 0.75])).round(3)
    array([0.1, 0.6, 0.8])
    """
    return limit(step_free(fpr, tpr), at, "right")


def lowest_at(fpr: FloatArray, tpr: FloatArray, at: FloatArray) -> FloatArray:
    """Return the lowest true positive rate at or right of some false positive rates.

    Parameters
    ----------
    fpr, tpr, at
        As in `highest_at`.

    Returns
    -------
    ndarray of float64, shape (points,)

    Examples
    --------
    >>> fpr, tpr = np.array([0, 0.6, 0.5, 1]), np.array([0, 0.2, 0.6, 1])
    >>> lowest_at(fpr, tpr, np.array([0.3, 0.6, 0.75])).round(3)
    array([0.1, 0.2, 0.8])
    """
    # Turned by half a turn the curve is one from (0, 0) to (1, 1) again.
    return 1 - highest_at(1 - fpr[::-1], 1 - tpr[::-1], 1 - at)
