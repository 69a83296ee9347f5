"""Curves that step back, as functions: the highest place at each one."""

from typing import NamedTuple

import numpy as np

from pu_accessor.ranking import FloatArray

__all__ = ["StepFree", "limit", "step_free"]


class StepFree(NamedTuple):
    """A curve that never steps back: corners, straight between them; it may jump."""

    fpr: FloatArray
    tpr: FloatArray


def step_free(fpr: FloatArray, tpr: FloatArray) -> StepFree:
    """Return the highest true positive rate at or left of each false positive rate.

    The rate at which each height is reached for good is the lowest from there on. Where a straight
    piece runs past what is reached again later, it ends there, and the curve jumps.
    """
    fpr, tpr = _hold(fpr, tpr)
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


def _hold(fpr: FloatArray, tpr: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Hold a curve at what it has reached until it gets there again."""
    held = np.maximum.accumulate(tpr)
    start, end, height = tpr[:-1], tpr[1:], held[:-1]
    below = (start < height) & (height < end)
    if below.any():
        share = (height[below] - start[below]) / (end[below] - start[below])
        again = fpr[:-1][below] + share * (fpr[1:][below] - fpr[:-1][below])
        place = np.flatnonzero(below) + 1
        fpr, held = np.insert(fpr, place, again), np.insert(held, place, height[below])
    return fpr, held


def limit(curve: StepFree, at: FloatArray, side: str) -> FloatArray:
    """Return a curve's limit from the left or right at some false positive rates."""
    if side == "left":
        here = np.searchsorted(curve.fpr, at, side="left")
        here = here.clip(max=curve.fpr.size - 1)
    else:
        here = np.searchsorted(curve.fpr, at, side="right") - 1
    between = np.interp(at, curve.fpr, curve.tpr)
    return np.where(curve.fpr[here] == at, curve.tpr[here], between)
