"""Where bounds bend between two betas of an interval, at each cutoff.

As beta grows a bound grows with it, until it is cut off at the unlabeled examples in the head,
or starts to be pushed up by those that are too few in the tail: there it bends. A metric at equal
rank can be lowest or highest at such a beta, which lies anywhere between two inner ones.
"""

import numpy as np

from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["MOST_KINKS", "beyond", "find_kinks"]

MOST_KINKS = 4  # of one bound at one cutoff, the sharpest
_SHARP = 1.0  # counts that a bound must be off a straight line
_HELD = 1 << 17  # numbers that are looked at together


def beyond(latent: IntArray, unlabeled: int) -> IntArray:
    """Return numbers of latent positives just beyond the ends of an interval."""
    ends = 2 * latent[0] - latent[min(1, latent.size - 1)], 2 * latent[-1] - latent[-2:][0]
    return np.clip(np.array(ends, np.int64), 0, unlabeled)


def find_kinks(found: IntArray, latent: IntArray, head: IntArray) -> IntArray:
    """Return where bounds bend between two betas, as pairs: in the head, and latent in all.

    A kink lies where straight lines through the two betas before and the two after meet. Bounds
    with fewer kinks repeat their first beta. Shape (cutoffs, 2, `MOST_KINKS`, 2).
    """
    kinks = np.empty((*found.shape[:2], MOST_KINKS, 2), np.int64)
    kinks[..., 0], kinks[..., 1] = found[..., 1:2], latent[1]
    rows = max(_HELD // (2 * latent.size), 1)
    for start in range(0, found.shape[0] if latent.size > 3 else 0, rows):
        here = slice(start, start + rows)
        _find_some(found[here], latent, head[here], kinks[here])
    return kinks


def _find_some(found: IntArray, latent: IntArray, head: IntArray, kinks: IntArray) -> None:
    """Put the kinks at some cutoffs into their places."""
    step = np.diff(latent)
    slope = np.diff(found, axis=-1) / np.maximum(step, 1)
    # From each beta to the next: along the line before and the line after.
    width, before, here, after = step[1:-1], slope[..., :-2], slope[..., 1:-1], slope[..., 2:]
    with np.errstate(divide="ignore", invalid="ignore"):
        away = (after - here) * width / (after - before)  # from the one to where lines meet
        off = np.abs(before - here) * away
    off[~((away > 0) & (away < width) & (off > _SHARP))] = 0
    has_kink = off.max(axis=-1) > 0
    row, side = np.nonzero(has_kink)
    size = min(MOST_KINKS, width.size)
    sharpest = np.argpartition(off[has_kink], width.size - size, axis=-1)[:, -size:]
    for order, place in enumerate(sharpest.T):
        is_kink = off[row, side, place] > 0
        at = row[is_kink], side[is_kink], place[is_kink]
        meeting = _meeting(found, latent, head, (before[at], after[at], away[at]), at)
        kinks[row[is_kink], side[is_kink], order] = np.stack(meeting, axis=-1)


def _meeting(
    found: IntArray,
    latent: IntArray,
    head: IntArray,
    lines: tuple[FloatArray, FloatArray, FloatArray],
    at: tuple[IntArray, IntArray, IntArray],
) -> tuple[IntArray, IntArray]:
    """Return where two lines meet, at whole numbers: in the head, and latent in all."""
    (before, after, away), (row, side, place) = lines, at
    first, last = latent[place + 1], latent[place + 2]
    meet = np.rint(first + away).astype(np.int64)
    level = found[row, side, place + 1] + before * (meet - first)
    other = found[row, side, place + 2] - after * (last - meet)
    level = np.where(after < before, np.minimum(level, other), np.maximum(level, other))
    return np.clip(np.rint(level), 0, np.minimum(head[row], meet)).astype(np.int64), meet
