"""Where bounds bend between two betas of an interval, at each cutoff.

As beta grows a bound grows with it, until it is cut off at the unlabeled examples in the head,
or starts to be pushed up by those that are too few in the tail: there it bends. A metric at equal
rank can be lowest or highest at such a beta, which lies anywhere between two inner ones.
"""

import numpy as np

from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["MOST_BENDS", "beyond", "find_bends"]

MOST_BENDS = 4  # of one bound at one cutoff, the sharpest
_SHARP = 1.0  # counts that a bound must be off a straight line
_HELD = 1 << 17  # numbers that are looked at together


def beyond(latent: IntArray, unlabeled: int) -> IntArray:
    """Return numbers of latent positives just beyond the ends of an interval."""
    ends = 2 * latent[0] - latent[min(1, latent.size - 1)], 2 * latent[-1] - latent[-2:][0]
    return np.clip(np.array(ends, np.int64), 0, unlabeled)


def find_bends(found: IntArray, latent: IntArray, head: IntArray) -> tuple[IntArray, IntArray]:
    """Return where bounds bend between two betas.

    A bend lies where straight lines through the two betas before and the two after meet.
    """
    shape = (*found.shape[:2], MOST_BENDS)
    at, there = np.empty(shape, np.int64), np.empty(shape, np.int64)
    at[:], there[:] = found[..., 1:2], latent[1]
    rows = max(_HELD // (2 * latent.size), 1)
    for start in range(0, found.shape[0] if latent.size > 3 else 0, rows):
        here = slice(start, start + rows)
        _find_some(found[here], latent, head[here], at[here], there[here])
    return at, there


def _find_some(
    found: IntArray, latent: IntArray, head: IntArray, at: IntArray, there: IntArray
) -> None:
    """Put the bends at some cutoffs into their places."""
    step = np.diff(latent)
    slope = np.diff(found, axis=-1) / np.maximum(step, 1)
    # From each beta to the next: along the line before and the line after.
    width, before, here, after = step[1:-1], slope[..., :-2], slope[..., 1:-1], slope[..., 2:]
    with np.errstate(divide="ignore", invalid="ignore"):
        away = (after - here) * width / (after - before)  # from the one to where lines meet
        off = np.abs(before - here) * away
    off[~((away > 0) & (away < width) & (off > _SHARP))] = 0
    bent = off.max(axis=-1) > 0
    row, side = np.nonzero(bent)
    size = min(MOST_BENDS, width.size)
    sharpest = np.argpartition(off[bent], width.size - size, axis=-1)[:, -size:]
    for order, place in enumerate(sharpest.T):
        is_one = off[row, side, place] > 0
        one = row[is_one], side[is_one], place[is_one]
        _put(found, latent, head, (before[one], after[one], away[one]), one, order, at, there)


def _put(
    found: IntArray,
    latent: IntArray,
    head: IntArray,
    lines: tuple[FloatArray, FloatArray, FloatArray],
    one: tuple[IntArray, IntArray, IntArray],
    order: int,
    at: IntArray,
    there: IntArray,
) -> None:
    """Put one bend of each of some bounds into its place, at whole numbers."""
    (before, after, away), (row, side, place) = lines, one
    first, last = latent[place + 1], latent[place + 2]
    meet = np.rint(first + away).astype(np.int64)
    level = found[row, side, place + 1] + before * (meet - first)
    other = found[row, side, place + 2] - after * (last - meet)
    level = np.where(after < before, np.minimum(level, other), np.maximum(level, other))
    most = np.minimum(head[row], meet)
    at[row, side, order] = np.clip(np.rint(level), 0, most)
    there[row, side, order] = meet
