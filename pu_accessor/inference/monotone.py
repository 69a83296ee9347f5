"""Expected latent positives, where a higher score never means a smaller probability of one."""

import numpy as np
from scipy import optimize

from pu_accessor.ranking import FloatArray, IntArray


def monotone_latent(
    known: IntArray, negatives: IntArray, unlabeled: IntArray, m: float
) -> FloatArray:
    """Return how many of the unlabeled examples of each step are expected to be positive.

    A step holds the examples between two cutoffs, the best first: known positives, known
    negatives, unlabeled. `m` of the unlabeled are positive, all in all.

    Notes
    -----
    Labels are a random sample: of the examples of one score the share q that is known as positive
    is proportional to that of the positives, and never rises from the best score down. The
    isotonic regression of "is a known positive" on the rank estimates it [1]_. Of the unlabeled
    ones there the share that is positive is then proportional to q/(1 - q), and at most 1: a
    factor makes the shares sum to `m`. They fall from step to step, so that they are 1 up to some
    step, and the factor is (m - unlabeled up to there)/(sum of q/(1 - q) beyond). What no step
    with q > 0 can hold is spread evenly over the others; a completion puts it right after the last
    known positive.

    References
    ----------
    .. [1] R. E. Barlow, D. J. Bartholomew, J. M. Bremner, H. D. Brunk, *Statistical Inference
       under Order Restrictions*, Wiley (1972).

    Examples
    --------
    >>> known, unlabeled = np.array([3, 1, 0]), np.array([2, 9, 10])
    >>> monotone_latent(known, 0 * known, unlabeled, 4.0)
    array([2., 2., 0.])
    >>> monotone_latent(known, 0 * known, unlabeled, 13.0)
    array([2., 9., 2.])
    """
    odds = _odds(known, known + negatives + unlabeled)
    weighted = unlabeled * odds
    full = np.cumsum(unlabeled) - unlabeled  # above each step
    left = np.cumsum(weighted[::-1])[::-1]
    # From the first step on that is not full. Steps without an example between scale nothing.
    open_ = (weighted > 0) & ((m - full) * odds <= left)
    if not open_.any():
        held = np.where(odds > 0, unlabeled, 0).astype(np.float64)
        others: FloatArray = unlabeled - held
        share = max(m - float(held.sum()), 0.0) / max(float(others.sum()), 1.0)
        return held + share * others
    first = int(np.argmax(open_))
    factor = max(m - full[first], 0.0) / left[first]
    return np.where(np.arange(known.size) < first, unlabeled, factor * weighted)


def _odds(known: IntArray, size: IntArray) -> FloatArray:
    """Return the odds of being known as positive in each step, never rising; 0 where all are."""
    odds = np.zeros(size.size)
    held = np.flatnonzero(size)
    if held.size:
        share, weight = known[held] / size[held], size[held].astype(np.float64)
        blocks = optimize.isotonic_regression(share, weights=weight, increasing=False).blocks
        positive, all_ = (np.add.reduceat(each[held], blocks[:-1]) for each in (known, size))
        odds[held] = np.repeat(positive / np.maximum(all_ - positive, 1), np.diff(blocks))
        odds[held] *= np.repeat(positive < all_, np.diff(blocks))
    return odds
