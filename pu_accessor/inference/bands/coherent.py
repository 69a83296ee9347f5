"""Bounds that hold at all cutoffs at once, cut to what can hold at all of them.

The number of latent positives in the head never falls from one cutoff to the next, and grows by at
most one for each unlabeled example. So what a bound says at one cutoff bounds all others: where
the truth lies within some bounds at every cutoff, it lies within these, cut, and the other way
round. Nothing is lost, whatever the classifier.
"""

import numpy as np

from pu_accessor.ranking import BoolArray, IntArray

__all__ = ["bends", "cut", "cut_between"]

_LOWER, _UPPER = 0, 2


def cut(head: IntArray, found: IntArray) -> tuple[IntArray, BoolArray]:
    """Cut bounds at all cutoffs of a ranking to what can hold at all of them.

    Parameters
    ----------
    head : ndarray of int64, shape (cutoffs,)
        Unlabeled examples at or above each cutoff, from end to end of a ranking.
    found : ndarray of int64, shape (cutoffs, 3, betas)
        Latent positives in the head: the bounds lower, estimate and upper.

    Returns
    -------
    found : ndarray of int64, shape (cutoffs, 3, betas)
        The highest lower and the lowest upper bound that any cutoff makes of its own; the
        estimate is moved between them.
    contradict : ndarray of bool, shape (cutoffs, 1, betas)
        Where nothing lies between the bounds; the gap between them stands.

    Examples
    --------
    Of one unlabeled example at most one is positive: with at least 3 above the second cutoff,
    there are at least 2 above the first.

    >>> head, found = np.array([3, 4]), np.array([[0, 1, 3], [3, 3, 4]])[:, :, np.newaxis]
    >>> cut(head, found)[0][..., 0].tolist()
    [[2, 2, 3], [3, 3, 4]]
    """
    column = head[:, np.newaxis]
    lower = np.maximum.accumulate(found[:, _LOWER], axis=0)
    lower = column + np.maximum.accumulate((lower - column)[::-1], axis=0)[::-1]
    upper = np.minimum.accumulate(found[::-1, _UPPER], axis=0)[::-1]
    upper = column + np.minimum.accumulate(upper - column, axis=0)
    return _between(lower, found[:, 1], upper)


def cut_between(
    head: IntArray, found: IntArray, others: IntArray, cutoffs: IntArray, rank: IntArray
) -> tuple[IntArray, BoolArray]:
    """Cut bounds at some cutoffs of a ranking, given those at others from end to end.

    Parameters
    ----------
    head, found
        As in `cut`, at some cutoffs.
    others : ndarray of int64, shape (others, 3, betas)
        Bounds as `cut` returns them, at cutoffs from end to end; in between bounds are straight.
    cutoffs : ndarray of int64, shape (2, others)
        Rank and unlabeled examples at these.
    rank : ndarray of int64, shape (cutoffs,)
        That of the cutoffs.

    Returns
    -------
    found, contradict
        As from `cut`.
    """
    sides = np.searchsorted(cutoffs[0], rank, "right") - 1, np.searchsorted(cutoffs[0], rank)
    back, ahead = (np.abs(head - cutoffs[1][side])[:, np.newaxis] for side in sides)
    before, after = (others[side] for side in sides)
    lower = np.maximum(np.maximum(found[:, 0], before[:, 0]), after[:, 0] - ahead)
    upper = np.minimum(np.minimum(found[:, 2], after[:, 2]), before[:, 2] + back)
    return _between(lower, found[:, 1], upper)


def bends(head: IntArray, found: IntArray, cut_found: IntArray) -> IntArray:
    """Return the counts of unlabeled examples, between two cutoffs, at which cut bounds bend.

    Parameters
    ----------
    head : ndarray of int64, shape (cutoffs,)
        As in `cut`; between two of these bounds are straight before they are cut.
    found, cut_found : ndarray of int64, shape (cutoffs, 3, betas)
        What `cut` took and returned.

    Returns
    -------
    ndarray of int64, shape (corners,)
    """
    here, following = (side[:, np.newaxis, np.newaxis] for side in (head[:-1], head[1:]))
    values = [found[:-1], found[1:], cut_found[:-1], cut_found[1:]]
    # The lines along which each further example is a positive: up to the next lower bound, and
    # from the last upper one on.
    rising = following - cut_found[1:, [_LOWER]], here - cut_found[:-1, [_UPPER]]
    corners = [line + value for line in rising for value in values]
    inside = [each[(here < each) & (each < following)] for each in corners]
    return np.unique(np.concatenate(inside))


def _between(lower: IntArray, middle: IntArray, upper: IntArray) -> tuple[IntArray, BoolArray]:
    """Put an estimate between its bounds, and these in order."""
    contradict = lower > upper
    lower, upper = np.minimum(lower, upper), np.maximum(lower, upper)
    middle = np.maximum(np.minimum(middle, upper), lower)
    return np.stack([lower, middle, upper], axis=1), contradict[:, np.newaxis]
