"""The limit on beta that known positives set: a one-sided two-sample Kolmogorov-Smirnov test [1].

With M hidden positives and h unlabeled examples above a cutoff, at most min(h, M) of the M are
there. M is feasible at delta if max(k/n - min(h, M)/M) <= sqrt(ln(1/delta)/2 * (1/n + 1/M)). For
propensities e, weights 1/e - 1 give the rank CDF F in place of k/n. The distance is then at most
sqrt(2*ln(1/delta)) times the largest standard error of F, with one unseen positive below all.

[1] N. V. Smirnov, Annals of Mathematical Statistics 19 (1948) 279-281.
"""

from bisect import bisect
from math import log, sqrt

import numpy as np

from pu_accessor.inference.bands.weighted import latent_shares, unseen_weight
from pu_accessor.ranking import FloatArray, Ranking


def limit_from_positives(ranking: Ranking, delta: float) -> float:
    """Return the largest beta that the known positives do not reject at delta."""
    steps = np.flatnonzero(np.diff(ranking.known_positive)) + 1
    known, unlabeled = ranking.known_positive[steps], ranking.unlabeled[steps]
    n, _, size = ranking.total
    cdf: FloatArray = known / n
    scatter: FloatArray | None = None
    if (weight := ranking.unequal_weight) is not None:
        shares = latent_shares(weight, 1.0)
        unseen = (float(unseen_weight(weight)[-1]) - 1) / float((weight - 1).sum())
        sums, squares = (np.append(0.0, np.cumsum(each)) for each in (shares, shares**2))
        cdf, square = np.minimum(sums[known], 1), squares[known]
        scatter = square * (1 - cdf) ** 2 + (squares[-1] - square + unseen**2) * cdf**2

    def infeasible(latent: int) -> bool:
        if scatter is None:
            allowed = sqrt(log(1 / delta) / 2 * (1 / n + 1 / latent))
        else:
            allowed = sqrt(2 * log(1 / delta)) * sqrt(np.max(scatter + cdf * (1 - cdf) / latent))
        return bool(np.max(cdf - np.minimum(unlabeled, latent) / latent) > allowed)

    # The distance grows with the hidden positives, and the allowed one shrinks.
    return bisect(range(1, size + 1), False, key=infeasible) / size


def distance_from_positives(ranking: Ranking, latent: int) -> tuple[float, float]:
    """Return the largest lead of known positives, and the share of the unlabeled above."""
    unlabeled = ranking.unlabeled
    lead = ranking.known_positive / ranking.total.known_positive
    lead = lead - np.minimum(unlabeled, latent) / latent
    cutoff = int(np.argmax(lead))
    return float(lead[cutoff]), float(unlabeled[cutoff]) / ranking.total.unlabeled
