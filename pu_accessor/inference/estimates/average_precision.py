"""Average precision of one ranking."""

from dataclasses import replace
from fractions import Fraction
from math import floor

import numpy as np

from pu_accessor.inference.estimates.areas_on_new_examples import precision_values
from pu_accessor.inference.estimates.intervals import Estimates, complete_these
from pu_accessor.inference.estimates.known_positives import count_positives, find_blocks
from pu_accessor.inference.estimates.latent_gaps import precision_limits
from pu_accessor.inference.estimates.weighted_areas import jackknife, reach_to, weighted_precision
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import FloatArray, Ranking


def estimate_precision(ranking: Ranking, betas: FloatArray, rule: Settings) -> Estimates:
    """Estimate average precision, with an interval.

    Notes
    -----
    Average precision is the mean over all positives of the precision at their cutoff, the end of
    their block of ties, as in scikit-learn. Of a known positive with k known ones among the r
    examples at or above its cutoff, it is estimated by [1 + (P - 1)/(n - 1)*(k - 1)]/r: the
    other known positives are a random sample of the other positives. The mean over the known ones
    is a U-statistic of second order, and unbiased. Its standard error is that of the jackknife
    [1]_, times sqrt(1 - n/P). The estimate is that of a completed ranking, and the interval
    reaches to it (`pu_accessor.inference.completion`).

    The interval is what latent positives make that are shared out at random to the gaps between
    known ones, at the worst and at the best place of each
    (`pu_accessor.inference.estimates.latent_gaps`). The limits are quantiles of a thousand draws
    from a seed that is part of the method: asked twice, they are the same.

    References
    ----------
    .. [1] J. N. Arvesen, *Jackknifing U-statistics*, Annals of Mathematical Statistics 40 (1969)
       2076-2100.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = estimate_precision(ranking, np.array([0.25, 0.5]), Settings())
    >>> found.value.round(3), found.error.round(3), found.lower.round(3), found.upper.round(3)
    (array([0.77, 1.  ]), array([0.137, 0.211]), array([0.52 , 0.596]), array([1., 1.]))
    """
    check_labels(betas, ranking.total)
    if (weight := ranking.unequal_weight) is not None:
        statistic = weighted_precision(ranking, weight, betas, rule.level)
    else:
        statistic = _unweighted(ranking, betas, rule.level)
    return complete_these(ranking, betas, rule, statistic, "pr")


def precision_and_error(ranking: Ranking, betas: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the estimates of average precision and their standard errors.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> value, error = precision_and_error(ranking, np.array([0.0, 0.25]))
    >>> value.round(3), error.round(3)
    (array([0.542, 0.715]), array([0.   , 0.137]))
    """
    _, error = jackknife(ranking, np.full(ranking.total.known_positive, 2.0), betas)
    return precision_values(replace(ranking, strata=()), betas), error


def _unweighted(ranking: Ranking, betas: FloatArray, level: float) -> Estimates:
    """Estimate from a simple random sample of the positives."""
    n, blocks = ranking.total.known_positive, find_blocks(ranking)
    value, error = precision_and_error(ranking, betas)
    if n == 1:
        return Estimates(value, error, value + np.nan, value + np.nan)
    positives = count_positives(ranking.total, betas).number
    latent = [floor(number - n + Fraction(1, 2)) for number in positives]
    examples = sum(ranking.total)
    limits = [
        precision_limits(blocks, each, examples, level) if each else (np.nan, np.nan)
        for each in latent
    ]
    return reach_to(value, error, limits)
