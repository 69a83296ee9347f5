"""Where latent positives lie that were labeled with known, unequal probabilities.

A known positive with the weight 1/e stands for v latent ones near it; how many there are is up to
chance, with the mean v and the variance v(1 + v) of independent labels: a gamma variable. Beyond
the known positives at either end lie some that were not seen, as many as the weights next to it
say. See `pu_accessor.inference.estimates.spacings` for known positives of equal weights.
"""

import numpy as np
from scipy import optimize, special

from pu_accessor.inference.bands.weighted import latent_shares, unseen_weight
from pu_accessor.inference.estimates.compositions import harmonic
from pu_accessor.inference.estimates.spacings import far_ranks
from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["gamma_quantile", "weighted_precision_limits", "weighted_rank_limits"]

_SEED, _DRAWS = 150406837, 1000
_FEW = 10  # known positives up to which those that were not seen may be at the very top
# Of positives above the best that stand for so many times the mean there may be up to so many:
# chosen on odds of being labeled that fall 3 and 5 times per standard deviation.
_STEEP, _MOST = 4, 3
_LEAST = 1e-9  # latent positives that any known one stands for
_VANISHED = 1e-290  # of a sum, below which no share of it is left
_EDGE = 1e-10  # of the way to where a sum has no moments
_FLAT = 1e-3  # deviates below which the normal one is as good


def gamma_quantile(values: FloatArray, shape: FloatArray, scale: FloatArray, tail: float) -> float:
    """Return a quantile of a mean of values that is weighted by independent gamma variables.

    Parameters
    ----------
    values, shape, scale : ndarray of float64, shape (values,)
        What is weighted, and by what.
    tail : float
        Probability of at most the quantile, in (0, 1).

    Returns
    -------
    float

    Notes
    -----
    The mean is at most x where the sum of (values - x)*G is at most 0; of that, by a saddlepoint.

    Examples
    --------
    One of two equal exponential weights is uniform as a share:

    >>> found = gamma_quantile(np.array([0.0, 1.0]), np.ones(2), np.ones(2), 0.975)
    >>> bool(abs(found - 0.975) < 0.01)
    True
    """
    low, width = float(values.min()), float(np.ptp(values))
    if not width:
        return low
    scaled, wanted = (values - low) / width, float(special.ndtri(tail))

    def deviate(at: float) -> float:
        """Return the normal deviate of a value."""
        apart: FloatArray = scale * (scaled - at)
        ends = 1 / float(apart.min()), 1 / float(apart.max())

        def slope(tilt: float) -> float:
            return float(shape @ (apart / (1 - tilt * apart)))

        start, stop = (end * (1 - _EDGE) for end in ends)
        tilt = float(optimize.brentq(slope, start, stop, rtol=1e-9))
        growth = -float(shape @ np.log1p(-tilt * apart))
        away = float(np.sign(tilt) * np.sqrt(max(-2 * growth, 0.0)))
        if abs(away) < _FLAT:
            return away
        square = float(shape @ (apart / (1 - tilt * apart)) ** 2)
        return away + float(np.log(tilt * np.sqrt(square) / away)) / away

    edge = 1e-7
    if not deviate(edge) < wanted < deviate(1 - edge):
        return low + width * (tail > 0.5)
    found = optimize.brentq(lambda at: deviate(at) - wanted, edge, 1 - edge)
    return low + width * float(found)


def weighted_rank_limits(
    ranks: FloatArray, weight: FloatArray, latent: float, examples: int, level: float
) -> tuple[float, float]:
    """Bound the mean rank of the latent positives.

    Parameters
    ----------
    ranks : ndarray of float64, shape (n,)
        Mid-ranks of the known positives from the top, ascending.
    weight : ndarray of float64, shape (n,)
        One over the probability of being labeled, for each of them.
    latent : float
        Number of latent positives, above 0.
    examples : int
        Number of all examples.
    level : float
        Probability of coverage, in (0, 1).

    Returns
    -------
    best, worst : float
    """
    share, ends = latent_shares(weight, latent), far_ranks(ranks, examples)
    tails = (1 - level) / 2, (1 + level) / 2
    limits = []
    for place, stands, tail in zip(ends, (1 + share[::-1], 1 + share), tails, strict=True):
        unseen = max(float(unseen_weight(stands)[-1]) - 1, 0.0)
        mean = np.maximum(np.append(share, unseen), _LEAST)
        values = np.append(ranks, place)
        limits.append(gamma_quantile(values, mean / (1 + mean), 1 + mean, tail))
    return limits[0], limits[1]


def weighted_precision_limits(
    end: IntArray, last: IntArray, weight: FloatArray, latent: float, level: float
) -> tuple[float, float]:
    """Bound average precision.

    Parameters
    ----------
    end, last : ndarray of int64, shape (n,)
        Examples, and known positives, at or above the cutoff of each known positive, best first.
    weight, latent, level
        As in `weighted_rank_limits`; n at least 2.

    Returns
    -------
    lower, upper : float

    Notes
    -----
    A thousand draws from a fixed seed of how many latent positives each known one stands for. For
    `lower` half of them come before it, and some that were not seen at the very end; for `upper`
    all, and some that were not seen above the best: more where weights grow upwards, as most of
    the average precision is made there, and few of these positives are known.
    """
    n, share = end.size, latent_shares(weight, latent)
    rng, tail = np.random.default_rng(_SEED), (1 - level) / 2
    first = end[0] ** 2 / (2 * end[1]) * max(1 - _FEW / n, 0.0)
    unseen = float(unseen_weight((1 + share)[::-1])[-1])
    most = np.clip(unseen / (_STEEP * (1 + share.mean())), 1, _MOST)
    above = _draw(rng, share, unseen - 1, latent, float(most))
    through = above[:, -1:] + np.cumsum(1 + above[:, :-1], axis=1)[:, last - 1]
    top = above[:, -1] - first * (harmonic(first + above[:, -1]) - harmonic(first))
    high = ((1 + above[:, :-1]) * through / end).sum(axis=1) + top
    below = _draw(rng, share, float(unseen_weight(1 + share)[-1]) - 1, latent)[:, :-1]
    through = np.cumsum(1 + below, axis=1)[:, last - 1] - below / 2
    low = ((1 + below) * np.minimum(through / end, 1)).sum(axis=1)
    whole = n + latent
    return (
        float(np.quantile(low, tail)) / whole,
        min(float(np.quantile(high, 1 - tail)) / whole, 1.0),
    )


def _draw(
    rng: np.random.Generator, share: FloatArray, unseen: float, latent: float, times: float = 1.0
) -> FloatArray:
    """Draw how many latent positives there are near each known one, and unseen ones last.

    These are so many `times` what one that was not seen stands for.
    """
    mean = np.maximum(np.append(share, unseen), _LEAST)
    shape = mean / (1 + mean)
    shape[-1] *= times
    drawn = rng.standard_gamma(shape, (_DRAWS, mean.size)) * (1 + mean)
    lost = drawn.sum(axis=1) < _VANISHED
    if lost.any():  # of shapes as small as these one is all that there is
        place = rng.choice(mean.size, np.count_nonzero(lost), p=shape / shape.sum())
        drawn[lost] = np.arange(mean.size) == place[:, np.newaxis]
    found: FloatArray = drawn * (latent / drawn.sum(axis=1, keepdims=True))
    return found
