"""The largest share of latent positives, or negatives, that a ranking does not rule out."""

from bisect import bisect
from math import log, sqrt

import numpy as np

from pu_accessor.ranking import IntArray, Ranking

__all__ = ["limit_from_negatives", "limit_from_positives"]


def limit_from_positives(ranking: Ranking, delta: float) -> float:
    """Return the largest beta that the known positives do not rule out.

    Where the known positives come earlier in the ranking than that many latent ones could, among
    the unlabeled examples there are, it is too high: a one-sided two-sample Kolmogorov-Smirnov
    test [1]_.

    Parameters
    ----------
    ranking : Ranking
        At the breakpoints or at all cutoffs; with a known positive and an unlabeled example.
    delta : float
        Probability with which the test may reject the true beta, in (0, 1).

    Returns
    -------
    float
        In [0, 1].

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
    total = ranking.total.known_positive, ranking.total.unlabeled
    return _limit(ranking.known_positive[at], ranking.unlabeled[at], total, delta)


def limit_from_negatives(ranking: Ranking, delta: float) -> float:
    """Return the largest share of negatives that the known ones do not rule out.

    Parameters
    ----------
    ranking : Ranking
        At the breakpoints or at all cutoffs; with a known negative and an unlabeled example.
    delta : float
        As in `limit_from_positives`, which this is for the ranking read from its end.

    Returns
    -------
    float
        Of the unlabeled, in [0, 1]: one less that is a lower limit on beta.
    """
    at = np.flatnonzero(np.diff(ranking.known_negative))
    n, size = ranking.total.known_negative, ranking.total.unlabeled
    known, unlabeled = n - ranking.known_negative[at], size - ranking.unlabeled[at]
    return _limit(known, unlabeled, (n, size), delta)


def _limit(known: IntArray, unlabeled: IntArray, total: tuple[int, int], delta: float) -> float:
    """Return the largest share of latent examples that the known ones allow."""
    n, size = total
    found = known / n

    def infeasible(latent: int) -> bool:
        distance = np.max(found - np.minimum(unlabeled, latent) / latent)
        return bool(distance > sqrt(log(1 / delta) / 2 * (1 / n + 1 / latent)))

    # The distance grows with the latent examples, and what chance allows shrinks.
    return bisect(range(1, size + 1), False, key=infeasible) / size
