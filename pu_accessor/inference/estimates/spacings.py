"""Where latent positives lie: in the gaps between known ones, shared out at random.

Under random labeling all orders of n known and m latent positives are equally likely. The latent
positives in the n + 1 gaps between known ones are then a uniform composition of m: each way to
share them out has the same probability, whatever the classifier. So what is known of a mean over
all positives, given the known ones, is the distribution of a weighted sum of random shares.
"""

from typing import NamedTuple

import numpy as np
from scipy import optimize, special

from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["Steps", "far_ranks", "feasible_ranks", "rank_limits", "spacing_quantile"]

_APART, _MIDDLE = 200, 200  # gaps at each end that stand for themselves, groups of those between
_FARTHEST = 60.0  # of the tilt, on the scale on which it is looked for
_FLAT = 1e-3  # deviates below which the normal one is as good
_BEYOND = 2.5  # of the way to the end, times n, that latent positives may lie beyond known ones


class Steps(NamedTuple):
    """Known positives, best first.

    Parameters
    ----------
    rank : ndarray of float64, shape (n,)
        Mid-ranks from the top.
    above, through : ndarray of int64, shape (n,)
        Other examples above the block of each, and at or above it.
    """

    rank: FloatArray
    above: IntArray
    through: IntArray


def spacing_quantile(values: FloatArray, times: IntArray, tail: float) -> float:
    """Return a quantile of a weighted sum of random shares.

    Parameters
    ----------
    values : ndarray of float64, shape (values,)
        What is weighted.
    times : ndarray of int64, shape (values,)
        How many of the shares weight each: all shares together are 1, and each way to divide it
        is equally likely (the Dirichlet distribution with parameters 1).
    tail : float
        Probability of at most the quantile, in (0, 1).

    Returns
    -------
    float

    Notes
    -----
    With independent exponential variables E the sum is at most x where that of (values - x)*E is
    at most 0. Of that, the saddlepoint approximation has a closed form in a tilt s: x is the mean
    of the values, weighted by 1/(1 - s*value). In tails of 0.025 it
    is out by less than 0.003 in probability, held against the exact distribution.

    Examples
    --------
    The smallest of three random shares of 1, weighted alone, is Beta(1, 2):

    >>> found = spacing_quantile(np.array([0.0, 1.0]), np.array([2, 1]), 0.975)
    >>> bool(abs(found - (1 - 0.025**0.5)) < 0.01)
    True
    """
    low, width = float(values.min()), float(np.ptp(values))
    if not width:
        return low
    scaled = (values - low) / width

    def place(where: float) -> tuple[float, float]:
        """Return the value at a tilt, and its normal deviate."""
        tilt = float(-np.expm1(-where))
        weight = 1 / ((1 - scaled) + scaled * np.exp(-where))
        every = float(times @ weight)
        at = float((times * weight) @ scaled) / every
        growth = float(times @ np.log(weight * (times.sum() / every)))
        slope = tilt * float(times @ ((scaled - at) * weight) ** 2) ** 0.5
        deviate = float(np.sign(tilt)) * max(-2 * growth, 0.0) ** 0.5
        if abs(deviate) < _FLAT:
            return at, deviate
        return at, deviate + np.log(slope / deviate) / deviate

    wanted = float(special.ndtri(tail))
    end = _FARTHEST if place(_FARTHEST)[1] > wanted > place(-_FARTHEST)[1] else 0.0
    if not end:
        return low + width * (tail > 0.5)
    found = optimize.brentq(lambda where: place(where)[1] - wanted, -end, end, xtol=1e-7)
    return low + width * place(float(found))[0]


def rank_limits(
    ranks: FloatArray, latent: float, examples: int, level: float
) -> tuple[float, float]:
    """Bound the mean rank of the latent positives.

    Parameters
    ----------
    ranks : ndarray of float64, shape (n,)
        Mid-ranks of the known positives from the top, ascending.
    latent : float
        Number of latent positives, above 0.
    examples : int
        Number of all examples.
    level : float
        Probability of coverage, in (0, 1).

    Returns
    -------
    best, worst : float

    Notes
    -----
    Between two known positives the latent ones lie in the middle, on average. Beyond the last
    known one they may lie farther than anything known, which is what skewed scores are
    underestimated by: for `worst` they are as far beyond it as the known ones span, and at least
    2.5/n of the way to the end, for n up to 2 at the end itself. For `best` the same holds above
    the first. The variance of the shares is that of a finite number of latent positives.
    """
    n, last = ranks.size, ranks[-1]
    near, far = far_ranks(ranks, examples)
    middles = (ranks[:-1] + ranks[1:]) / 2
    ends = [near, (near + ranks[0]) / 2], [(last + far) / 2, far]
    limits = []
    for first, beyond, tail in zip(*ends, ((1 - level) / 2, (1 + level) / 2), strict=True):
        values, times = _grouped(np.concatenate([[first], middles, [beyond]]))
        mean = float(times @ values) / (n + 1)
        stretch = (1 + (n + 1) / latent) ** 0.5
        limits.append(mean + stretch * (spacing_quantile(values, times, tail) - mean))
    return limits[0], limits[1]


def far_ranks(ranks: FloatArray, examples: int) -> tuple[float, float]:
    """Return how far latent positives may lie beyond the known ones, at either end.

    Parameters
    ----------
    ranks, examples
        As in `rank_limits`.

    Returns
    -------
    near, far : float
        In [1, examples].
    """
    first, last = float(ranks[0]), float(ranks[-1])
    span, way = last - first, min(_BEYOND / ranks.size, 1.0)
    far = min(max(last + span, last + way * (examples - last)), float(examples))
    return max(min(first - span, first - way * (first - 1)), 1.0), far


def feasible_ranks(steps: Steps, latent: float, examples: int) -> tuple[float, float]:
    """Return the mean rank of latent positives that are all at the top, and all at the bottom.

    Parameters
    ----------
    steps : Steps
        The known positives.
    latent : float
        Number of latent positives, above 0.
    examples : int
        Number of all examples.

    Returns
    -------
    best, worst : float
    """
    others = examples - steps.rank.size

    def passed(above: IntArray) -> float:
        """Return the known positives that latent ones at this end have before them."""
        return float(np.maximum(latent - above, 0).sum())

    top = (passed(steps.above) + passed(steps.through)) / 2
    bottom = (passed(others - steps.above) + passed(others - steps.through)) / 2
    best, worst = ((latent + 1) / 2 + crossed / latent for crossed in (top, bottom))
    return best, examples + 1 - worst


def _grouped(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return values, each with how often it is there: in the middle of many, means of groups."""
    size = values.size
    if size <= 2 * _APART + _MIDDLE:
        return values, np.ones(size, np.int64)
    middle = np.linspace(_APART, size - _APART, _MIDDLE + 1).astype(np.int64)
    first = np.concatenate([np.arange(_APART), middle, np.arange(size - _APART + 1, size)])
    times = np.diff(np.append(first, size))
    return np.add.reduceat(values, first) / times, times
