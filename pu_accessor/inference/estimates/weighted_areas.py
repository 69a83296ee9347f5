"""Areas of one ranking, when labels were selected with known, unequal probabilities."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pu_accessor.inference.bands.weighted import latent_shares, unseen_weight
from pu_accessor.inference.estimates.hidden_positive_limits import (
    weighted_average_precision_limits,
    weighted_mean_rank_limit,
)
from pu_accessor.inference.estimates.intervals import Estimates, half_width, logit_rank_interval
from pu_accessor.inference.estimates.known_positives import (
    block_bounds,
    count_negatives,
    count_positives,
)
from pu_accessor.inference.influence import kurtosis_df
from pu_accessor.ranking import FloatArray, IntArray, Ranking


class _ErrorTerms(NamedTuple):
    """The standard error at one beta, and what its interval takes."""

    error: float
    kurtosis: float  # of the terms of the squared error
    down: float  # with one more, not seen, at the worst place
    up: float  # the same at the best place


_MIN_DIVISOR = 1e-300  # stands for 0 where something is divided by it
_NO_ERROR = _ErrorTerms(0.0, np.nan, 0.0, 0.0)


def weighted_auroc(
    ranking: Ranking, weight: FloatArray, betas: FloatArray, level: float
) -> Estimates:
    """Estimate AUROC.

    Notes
    -----
    Known positive i stands for itself and for v_i of the latent ones, proportional to w_i - 1. The
    value is 1 - (R - (P + 1)/2)/(N - P), with R the mean of the mid-ranks, known positives
    counting 1 + v_i. The error is that of a linear statistic of independent labels, as the
    jackknife has it: deviations are from the mean over latent positives, and the known ones add
    none [1]_. Equal weights give value and error of the unweighted estimate.

    The interval holds two. One is Student's t on the logit scale of the share of examples that
    rank below a positive. Where a few large weights make up most of the variance it is not known
    well: the degrees of freedom are those of a variance with the kurtosis of its terms. Positives
    with large weights that were not seen pull to one side: the lower limit has the variance of one
    more at the worst rank seen, the upper limit that of one at the best, with what the weight of
    an unseen positive at that end (`pu_accessor.inference.bands.weighted.unseen_weight`) exceeds
    the mean weight by. The other is that of latent positives near the known ones and beyond
    (`pu_accessor.inference.estimates.hidden_positive_limits`). In simulations .95 and more were covered
    where the odds of being labeled rise or fall up to five times per standard deviation, at
    effective sizes from 13 on. Weights that are all equal give the unweighted interval.

    References
    ----------
    .. [1] C.-E. Särndal, B. Swensson, J. Wretman, *Model Assisted Survey Sampling*, Springer
       (1992), chapter 5.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> weight = np.array([1.2, 1.5, 2.0, 3.0])
    >>> found = weighted_auroc(ranking, weight, np.array([0.375]), 0.95)
    >>> np.round([found.value, found.error, found.lower, found.upper], 3).ravel()
    array([0.765, 0.256, 0.   , 1.   ])
    """
    count_negatives(ranking.total, betas)
    examples, n = sum(ranking.total), ranking.total.known_positive
    positives = count_positives(ranking.total, betas)
    start, end = block_bounds(ranking)
    rank = (start + end + 1) / 2
    below, negatives = rank - rank[0], examples - positives  # nothing to round if all are the same
    latent = [latent_shares(weight, hidden) for hidden in (positives - n).tolist()]
    away = np.array([float((1 + each) @ below) for each in latent]) / positives
    mean = rank[0] + away
    value = 1 - (mean - (positives + 1) / 2) / negatives
    scale = positives * negatives
    spreads = [
        _weighted_error((a - below) / s, v) for a, s, v in zip(away, scale, latent, strict=True)
    ]
    error, kurtosis, down, up = np.array(spreads).T
    df, place, stretch = (
        kurtosis_df(kurtosis, n),
        1 - (mean - 0.5) / examples,
        examples / negatives,
    )
    if n < 3:  # the areas under bounding curves stand in
        return Estimates(value, error, np.full(value.size, np.nan), np.full(value.size, np.nan))
    lower, upper = logit_rank_interval(
        value, place, stretch, half_width(down, df, level), half_width(up, df, level)
    )
    ranks = np.array(
        [
            [
                weighted_mean_rank_limit(rank, weight, hidden, examples, level, side)
                if hidden
                else np.nan
                for side in (0, 1)
            ]
            for hidden in (positives - n).tolist()
        ]
    )
    means = (rank.sum() + (positives - n) * np.transpose(ranks)) / positives
    high, low = 1 - (means - (positives + 1) / 2) / negatives
    lower, upper = np.maximum(np.fmin(lower, low), 0), np.minimum(np.fmax(upper, high), 1)
    return Estimates(value, error, lower, upper)


def weighted_average_precision(
    ranking: Ranking, weight: FloatArray, betas: FloatArray, level: float
) -> Estimates:
    """Estimate average precision.

    Notes
    -----
    With W the sum of the weights w = 1 + v_i as in `weighted_auroc`, Q that of their squares, A_i
    the sum of the weights and r_i the number of examples at or above the cutoff of i, the value is
    sum(w/r)/W + (P - 1)*sum(w*(A - w)/r)/(W**2 - Q). Leaving each known positive out in turn gives
    its pull on the value, in closed form. Equal weights give all that the unweighted estimate
    does.

    The error is as in `weighted_auroc`. The interval is that of latent positives near the known
    ones and beyond (`pu_accessor.inference.estimates.hidden_positive_limits`). In simulations .94 and more
    were covered at an effective size of 50, and .90 at 13 where the odds of being labeled fall
    five times per standard deviation: few of the positives at the top are known then.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> weight = np.array([1.2, 1.5, 2.0, 3.0])
    >>> found = weighted_precision(ranking, weight, np.array([0.375]), 0.95)
    >>> np.round([found.value, found.error, found.lower, found.upper], 3).ravel()
    array([0.843, 0.225, 0.426, 1.   ])
    """
    n, positives = ranking.total.known_positive, count_positives(ranking.total, betas)
    (_, end), (value, error) = (
        block_bounds(ranking),
        jackknife_average_precision(ranking, weight, betas),
    )
    limits = [
        weighted_average_precision_limits(end, weight, hidden, level)
        if hidden and n > 2
        else (np.nan, np.nan)
        for hidden in (positives - n).tolist()
    ]
    return estimates_with_limits(value, error, limits)


def estimates_with_limits(
    value: FloatArray, error: FloatArray, limits: FloatArray | Sequence[tuple[float, float]]
) -> Estimates:
    """Return estimates with limits, which reach to them."""
    lower, upper = np.array(limits, np.float64).T
    inside = np.minimum(value, 1)
    return Estimates(value, error, np.minimum(lower, inside), np.maximum(upper, inside))


def jackknife_average_precision(
    ranking: Ranking, weight: FloatArray, betas: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return average precision and its standard error, by leaving out each known positive."""
    n, (_, end), found = ranking.total.known_positive, block_bounds(ranking), []
    every = count_positives(ranking.total, betas).tolist()
    for whole in every:
        latent = latent_shares(weight, whole - n)
        area, pull = _average_precision_and_pull(end, 1 + latent, whole)
        known = n > 2 or whole == n
        found.append((area, _weighted_error(pull, latent).error if known else np.nan))
    value, error = np.transpose(found)
    return value, error


def _average_precision_and_pull(
    end: IntArray, stands: FloatArray, positives: float
) -> tuple[float, FloatArray]:
    """Return average precision, and its derivatives by what each known positive stands for."""
    n, own = stands.size, stands / end
    # Ties count to the end of their block, and from its start.
    first, last = (np.searchsorted(end, end, side) for side in ("left", "right"))
    above = np.cumsum(stands)[last - 1] - stands
    below = np.cumsum(own[::-1])[::-1][first] - own
    total, squares = stands.sum(), stands**2
    alone, pairs = own.sum(), own @ above
    value = alone / total + (positives - 1) * pairs / max(total**2 - squares.sum(), _MIN_DIVISOR)
    if end[0] == end[-1] or n < 3:
        return float(value), np.zeros(n)
    without = (total - stands) ** 2 - (squares.sum() - squares)
    left_out = (alone - own) / (total - stands) + (positives - 1) / without * (
        pairs - own * above - stands * below
    )
    return float(value), (value - left_out) * (1 - stands / total) / stands


def _weighted_error(pull: FloatArray, latent: FloatArray) -> _ErrorTerms:
    """Return the standard error of an estimate, and what its interval takes."""
    n, m = latent.size, latent.sum()
    if not m:
        return _NO_ERROR
    stands = 1 + latent
    apart = pull - latent @ pull / m
    square = (apart * np.sqrt(stands * latent) / (1 - stands / stands.sum())) ** 2
    error = float(np.sqrt((n - 1) / n * square.sum()))
    if not error:
        return _NO_ERROR
    kurtosis = float(np.mean(square**2) / np.mean(square) ** 2)
    more = [max(unseen_weight(way)[-1] - stands.mean(), 0.0) for way in (stands, stands[::-1])]
    down, up = np.hypot(error, more * np.array([apart.min(), apart.max()]))
    return _ErrorTerms(error, kurtosis, float(down), float(up))


def known_share_below(ahead: FloatArray, share: FloatArray) -> FloatArray:
    """Return the shares of the known positives that rank below each; half of those tied."""
    _, block = np.unique(ahead, return_inverse=True)
    tied = np.bincount(block, share)
    return (1 - np.cumsum(tied) + tied / 2)[block]
