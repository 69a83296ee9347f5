"""The largest share of latent positives, or negatives, that a ranking does not rule out."""

from bisect import bisect
from math import log, sqrt

import numpy as np

from pu_accessor.inference.bands.weighted import latent_shares, unseen_weight
from pu_accessor.ranking import FloatArray, IntArray, Ranking

__all__ = ["limit_from_negatives", "limit_from_positives"]


def limit_from_positives(ranking: Ranking, delta: float) -> float:
    """Return the largest beta that the known positives do not rule out.

    Where the known positives come earlier in the ranking than that many latent ones could, among
    the unlabeled examples there are, it is too high: a one-sided two-sample Kolmogorov-Smirnov
    test [1]_.

    Notes
    -----
    Known positives that were labeled with the probabilities e stand for latent ones in proportion
    to 1/e - 1: their weighted rank CDF, F, takes the place of k/n. The distance may then be
    sqrt(2*ln(1/delta)) times the largest standard error that this has at any cutoff, the square of
    which is F*(1 - F)/M + (1 - F)**2*sum(u**2 above) + F**2*sum(u**2 below), with u the shares
    they stand for, and one more positive that was not seen below all others. With equal weights
    that is the bound of the test, but for this one.

    References
    ----------
    .. [1] N. V. Smirnov, *Table for estimating the goodness of fit of empirical distributions*,
       Annals of Mathematical Statistics 19 (1948) 279-281.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> known = np.array([0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 10, 10])
    >>> unlabeled = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 4, 4, 4, 4, 20])
    >>> rank = known + unlabeled
    >>> ranking = Ranking(rank, 30.5 - rank, known, 0 * known, unlabeled, Counts(10, 0, 20))
    >>> limit_from_positives(ranking, 0.05)
    0.45
    """
    at = np.flatnonzero(np.diff(ranking.known_positive)) + 1
    if (weight := ranking.unequal_weight) is not None:
        return _weighted_limit(ranking, weight, at, delta)
    total = ranking.total.known_positive, ranking.total.unlabeled
    return _limit(ranking.known_positive[at], ranking.unlabeled[at], total, delta)


def limit_from_negatives(ranking: Ranking, delta: float) -> float:
    """Return the largest share of negatives that the known ones do not rule out."""
    at = np.flatnonzero(np.diff(ranking.known_negative))
    n, size = ranking.total.known_negative, ranking.total.unlabeled
    known, unlabeled = n - ranking.known_negative[at], size - ranking.unlabeled[at]
    return _limit(known, unlabeled, (n, size), delta)


def _weighted_limit(ranking: Ranking, weight: FloatArray, at: IntArray, delta: float) -> float:
    """Return the same where the known positives were labeled with unlike probabilities."""
    size, unlabeled = ranking.total.unlabeled, ranking.unlabeled[at]
    stands = latent_shares(weight, 1.0)
    unseen = (float(unseen_weight(weight)[-1]) - 1) / float((weight - 1).sum())
    through, squares = (np.append(0.0, np.cumsum(each)) for each in (stands, stands**2))
    found, square = (each[ranking.known_positive[at]] for each in (through, squares))
    scatter = square * (1 - found) ** 2 + (squares[-1] - square + unseen**2) * found**2
    allowed = sqrt(2 * log(1 / delta))

    def infeasible(latent: int) -> bool:
        distance = np.max(found - np.minimum(unlabeled, latent) / latent)
        variance = np.max(scatter + found * (1 - found) / latent)
        return bool(distance > allowed * sqrt(variance))

    return bisect(range(1, size + 1), False, key=infeasible) / size


def _limit(known: IntArray, unlabeled: IntArray, total: tuple[int, int], delta: float) -> float:
    """Return the largest share of latent examples that the known ones allow."""
    n, size = total
    found = known / n

    def infeasible(latent: int) -> bool:
        distance = np.max(found - np.minimum(unlabeled, latent) / latent)
        return bool(distance > sqrt(log(1 / delta) / 2 * (1 / n + 1 / latent)))

    # The distance grows with the latent examples, and what chance allows shrinks.
    return bisect(range(1, size + 1), False, key=infeasible) / size
