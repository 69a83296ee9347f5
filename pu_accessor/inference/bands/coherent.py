"""Bounds that hold at all cutoffs at once, narrowed to what can hold at all of them.

The number of latent positives in the head never falls from one cutoff to the next, and grows by at
most one for each unlabeled example. So what a bound says at one cutoff bounds all others: where
the truth lies within some bounds at every cutoff, it lies within these, narrowed, and the other
way round. Nothing is lost, whatever the classifier.
"""

import numpy as np

from pu_accessor.ranking import BoolArray, IntArray

__all__ = ["bends", "narrow", "narrow_between", "settle"]

_LOWER, _ESTIMATE, _UPPER = 0, 1, 2


def narrow(head: IntArray, found: IntArray) -> IntArray:
    """Narrow bounds at all cutoffs of a ranking to what can hold at all of them.

    Examples
    --------
    Of one unlabeled example at most one is positive: with at least 3 above the second cutoff,
    there are at least 2 above the first.

    >>> head, found = np.array([3, 4]), np.array([[0, 1, 3], [3, 3, 4]])[:, :, np.newaxis]
    >>> narrow(head, found)[..., 0].tolist()
    [[2, 1, 3], [3, 3, 4]]
    """
    column = head[:, np.newaxis]
    lower = np.maximum.accumulate(found[:, _LOWER], axis=0)
    lower = column + np.maximum.accumulate((lower - column)[::-1], axis=0)[::-1]
    upper = np.minimum.accumulate(found[::-1, _UPPER], axis=0)[::-1]
    upper = column + np.minimum.accumulate(upper - column, axis=0)
    return np.stack([lower, found[:, _ESTIMATE], upper], axis=1)


def narrow_between(
    head: IntArray, found: IntArray, others: IntArray, cutoffs: IntArray, rank: IntArray
) -> IntArray:
    """Narrow bounds at some cutoffs of a ranking, given those at others from end to end."""
    sides = np.searchsorted(cutoffs[0], rank, "right") - 1, np.searchsorted(cutoffs[0], rank)
    back, ahead = (np.abs(head - cutoffs[1][side])[:, np.newaxis] for side in sides)
    before, after = (others[side] for side in sides)
    lower = np.maximum(found[:, _LOWER], before[:, _LOWER])
    lower = np.maximum(lower, after[:, _LOWER] - ahead)
    upper = np.minimum(found[:, _UPPER], after[:, _UPPER])
    upper = np.minimum(upper, before[:, _UPPER] + back)
    return np.stack([lower, found[:, _ESTIMATE], upper], axis=1)


def bends(head: IntArray, narrowed: IntArray) -> IntArray:
    """Return the counts of unlabeled examples, between two cutoffs, at which bounds bend."""
    here, following = (side[:, np.newaxis, np.newaxis] for side in (head[:-1], head[1:]))
    before, after = narrowed[:-1], narrowed[1:]
    middle = [_ESTIMATE]
    grows = after[:, middle] - before[:, middle] == following - here
    # The lines along which each further example is a positive: up to the next lower bound, from
    # the last upper one on, and the estimate where it is such a line.
    lines = [
        following - after[:, [_LOWER]],
        here - before[:, [_UPPER]],
        np.where(grows, here - before[:, middle], following),
    ]
    corners = [line + value for line in lines for value in (before, after)]
    inside = [each[(here < each) & (each < following)] for each in corners]
    return np.unique(np.concatenate(inside))


def settle(narrowed: IntArray) -> tuple[IntArray, BoolArray]:
    """Put estimates between their bounds, and these in order."""
    lower, middle, upper = (narrowed[:, bound] for bound in (_LOWER, _ESTIMATE, _UPPER))
    contradict = lower > upper
    lower, upper = np.minimum(lower, upper), np.maximum(lower, upper)
    middle = np.maximum(np.minimum(middle, upper), lower)
    return np.stack([lower, middle, upper], axis=1), contradict[:, np.newaxis]
