"""Ways to estimate beta from a ranking, and what each takes for granted."""

from bisect import bisect
from collections.abc import Callable, Mapping
from math import ceil, log, sqrt
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.errors import PUDataError
from pu_accessor.inference.bands.weighted import latent_shares, unseen_weight
from pu_accessor.inference.completion import turn
from pu_accessor.inference.influence import mean_and_variance, welch_df
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import Counts, FloatArray, IntArray, Ranking

_SCAR = "known positives are a simple random sample of all positives"
_KNOWN_ODDS = "positives are labeled independently, with the given propensities"
_NO_INFORMATION, _WIDE, _SEPARATE, _RISING = 0.99, 0.1, 0.01, 0.05
_ALIKE = 1e-12  # what rounding may make of two means that are equal


class Prior(NamedTuple):
    """An estimate of beta with its interval."""

    beta: float
    lower: float
    upper: float
    warnings: tuple[str, ...] = ()  # what speaks against it
    assumptions: str = ""  # what it takes for granted


class _Moments(NamedTuple):
    """Mean and variance of a score over the latent positives, and how many examples say so."""

    mean: float
    variance: float
    size: float


def estimate_prior(ranking: Ranking, method: str, level: float) -> Prior:
    """Estimate the fraction of positives among the unlabeled, as far as the data allow.

    Notes
    -----
    With M latent positives, k known positives and h unlabeled examples at or above a cutoff, at
    most min(h, M) of the M are there. M is feasible at delta if the one-sided two-sample
    Kolmogorov-Smirnov distance max(k/n - min(h, M)/M) is at most sqrt(ln(1/delta)/2 * (1/n +
    1/M)) [1]_. "feasible" takes the largest feasible M: at delta = 1 - level for the upper limit,
    at 0.5 for beta, the largest that is still plausible, and for limits at levels below 0.5. It
    is the true one only where negatives never reach the top of the ranking. "two_sided" does the
    same from both ends, at half of 1 - level each.

    "mean_matching" scores each example by the mean of its mid-ranks among the known positives and
    among the known negatives, as shares: beta is where the mean over the unlabeled lies between
    the means over the known negatives and the known positives, or the nearer end of [0, 1]. Its
    interval holds all betas whose own variance makes that mean no surprise [2]_, by Student's
    distribution with the degrees of freedom of a sum of variances. It is [0, 1] where known
    positives and negatives hardly differ, or one alone is known of a kind.

    Known positives with propensities e stand for latent ones in proportion to 1/e - 1: their
    weighted rank CDF, mean and variance take the place of the others, see `limit_from_positives`.

    References
    ----------
    .. [1] N. V. Smirnov, *Table for estimating the goodness of fit of empirical distributions*,
       Annals of Mathematical Statistics 19 (1948) 279-281.
    .. [2] E. C. Fieller, *Some problems in interval estimation*, Journal of the Royal Statistical
       Society B 16 (1954) 175-185.

    Examples
    --------
    >>> truth = np.arange(4000) < 1000  # 500 of them known: beta is 500/3500
    >>> order = np.argsort(-np.random.default_rng(0).normal(3 * truth))
    >>> known = np.append(0, np.cumsum(order < 500))
    >>> rank = np.arange(4001)
    >>> ranking = Ranking(rank, -rank, known, 0 * known, rank - known, Counts(500, 0, 3500))
    >>> np.round(estimate_prior(ranking, "feasible", 0.95)[:3], 3)
    array([0.126, 0.   , 0.155])
    """
    check_labels(np.zeros(1), ranking.total)
    if not ranking.total.unlabeled:
        raise PUDataError(
            f"beta is a share of the unlabeled examples, but none of {sum(ranking.total)} is "
            "unlabeled. Mark them: missing in the label column, or unlabeled=..."
        )
    ask, assumptions = METHODS[method]
    if ranking.inverse_propensity is not None:
        assumptions = assumptions.replace(_SCAR, _KNOWN_ODDS)
    return ask(ranking, level)._replace(assumptions=assumptions)


def _feasible(ranking: Ranking, level: float) -> Prior:
    """Estimate the largest beta that is plausible, and an upper limit."""
    point = limit_from_positives(ranking, 0.5)
    upper = limit_from_positives(ranking, min(1 - level, 0.5))  # not below the estimate
    warnings = []
    if upper >= _NO_INFORMATION:
        warnings.append(
            "The data say nothing about beta: its upper limit is near 1. Label a random sample of "
            "the unlabeled (df.pu.sample_to_label), or know more positives."
        )
    elif upper - point > _WIDE:
        warnings.append(
            f"beta is not known well: its upper limit is more than {_WIDE} above the estimate. "
            "Know more positives, or label a random sample of the unlabeled: "
            "df.pu.sample_to_label."
        )
    doubts = [] if ranking.unequal_weight is not None else _doubts(ranking)
    return Prior(point, 0.0, upper, (*warnings, *doubts))


def _doubts(ranking: Ranking) -> list[str]:
    """Return warnings where the data speak against the assumptions."""
    known, unlabeled = np.diff(ranking.known_positive), np.diff(ranking.unlabeled)
    total = ranking.total
    above = (ranking.unlabeled[:-1] + unlabeled / 2) / total.unlabeled
    doubts = []
    if float(known @ above) / total.known_positive < _SEPARATE:
        doubts.append(
            "Known positives rank above nearly all unlabeled examples: beta is about 0, or scores "
            "are those of rows that the model was trained on, or labels are no random sample of "
            "the positives. Score rows that the model has not seen."
        )
    if _top_rises(ranking) < _RISING:
        doubts.append(
            "Known positives rank above the unlabeled even among the best: negatives are there, "
            "too, so that the estimate is too high. Take the upper limit as a limit only, or "
            "label a random sample of the unlabeled: df.pu.sample_to_label."
        )
    return doubts


def _top_rises(ranking: Ranking) -> float:
    """Return the p value of known positives being above the unlabeled within the top.

    The top ends at the known positive at a quarter. If all examples of the top are positives,
    known and unlabeled ones are ordered by chance.
    """
    quarter = ceil(ranking.total.known_positive / 4)
    last = int(np.argmax(ranking.known_positive >= quarter)) + 1
    known_at = np.diff(ranking.known_positive[:last])
    others_at = np.diff(ranking.unlabeled[:last])
    known, others = int(known_at.sum()), int(others_at.sum())
    if not known or not others:
        return 1.0
    below = others_at.sum() - np.cumsum(others_at) + others_at / 2
    pairs, size = float(known_at @ below), known + others
    # At breakpoints, all examples between two known positives are one step without being tied.
    # Floats: cubes of large counts do not fit into int64.
    ties = np.where(known_at > 0, known_at + others_at, 0.0)
    spread = known * others / 12 * (size + 1 - float(ties @ (ties**2 - 1)) / (size * (size - 1)))
    if spread <= 0:
        return 1.0
    return float(scipy.special.ndtr(-(pairs - known * others / 2 - 0.5) / sqrt(spread)))


def _two_sided(ranking: Ranking, level: float) -> Prior:
    """Bound beta from both ends of the ranking."""
    _check_negatives(ranking.total)
    half, turned = (1 - level) / 2, turn(ranking)
    lower, upper = 1 - limit_from_positives(turned, half), limit_from_positives(ranking, half)
    middle = (1 - limit_from_positives(turned, 0.5) + limit_from_positives(ranking, 0.5)) / 2
    if lower > upper:
        return Prior(middle, lower, upper, (_CONTRADICTION,))
    return Prior(min(max(middle, lower), upper), lower, upper)


def _mean_matching(ranking: Ranking, level: float) -> Prior:
    """Match the mean score of the unlabeled to those of known negatives and known positives."""
    _check_negatives(ranking.total)
    # The share of known positives, and of known negatives, below each step; ties count half.
    both = ranking.known_positive, ranking.known_negative
    score = sum(1 - (known[:-1] + known[1:]) / (2 * known[-1]) for known in both) / 2
    kinds = (ranking.known_positive, ranking.known_negative, ranking.unlabeled)
    positive, negative, unlabeled = (
        _Moments(*mean_and_variance(score, np.diff(kind)), float(kind[-1])) for kind in kinds
    )
    if ranking.unequal_weight is not None:
        positive = _weighted_moments(ranking, score)
    apart = positive.mean - negative.mean
    if abs(apart) < _ALIKE:
        raise PUDataError(
            "Mean matching needs scores that tell known positives from known negatives, but on "
            "average they rank alike. Take method='feasible'."
        )
    beta = (unlabeled.mean - negative.mean) / apart
    lower, upper = _matching_interval(beta, positive, negative, unlabeled.size, level)
    inside = min(max(beta, 0.0), 1.0)
    # Where the true beta is 0 or 1, half of the estimates lie beyond it: that is no contradiction.
    # Where nothing varies the interval is the estimate.
    beyond = abs(beta - inside) > _ALIKE
    warnings = (_CONTRADICTION,) if beyond and lower == upper else ()
    return Prior(inside, lower, upper, warnings)


def _weighted_moments(ranking: Ranking, score: FloatArray) -> _Moments:
    """Return the moments of scores of latent positives, by the known ones that stand for them."""
    weight = np.ones(1) if ranking.inverse_propensity is None else ranking.inverse_propensity
    known_score = np.repeat(score, np.diff(ranking.known_positive))
    share, n = latent_shares(weight, 1.0), weight.size
    mean = float(share @ known_score)
    variance = float(share @ (known_score - mean) ** 2)
    error = float(share**2 @ (known_score - mean) ** 2) * n / max(n - 1, 1)
    return _Moments(mean, variance, variance / error if error and n > 1 else 1.0)


def _matching_interval(
    beta: float, positive: _Moments, negative: _Moments, unlabeled: float, level: float
) -> tuple[float, float]:
    """Return the betas in [0, 1] at which the mean over the unlabeled is no surprise.

    Each beta is tested with its own variance. The variance at the estimate would be too small
    where the estimate is too near to 0 or 1, where one kind counts for little.
    """
    if min(positive.size, negative.size) <= 1:
        return 0.0, 1.0
    one, other = positive.variance, negative.variance
    first, second = one / positive.size, other / negative.size
    nearest = min(max(beta, 0.0), 1.0)
    mixed = (nearest * one + (1 - nearest) * other) / unlabeled
    squares = np.array([nearest**2 * first, (1 - nearest) ** 2 * second, mixed])
    df = np.array([positive.size, negative.size, unlabeled if unlabeled > 1 else np.inf]) - 1
    reach = float(scipy.stats.t.ppf((1 + level) / 2, welch_df(squares, df)))
    # (beta0 - beta)**2 * apart**2 <= reach**2 * variance(beta): a*beta0**2 - 2*b*beta0 + c <= 0
    apart = positive.mean - negative.mean
    a = apart**2 - reach**2 * (first + second)
    b = beta * apart**2 + reach**2 * ((one - other) / unlabeled / 2 - second)
    c = (beta * apart) ** 2 - reach**2 * (other / unlabeled + second)
    discriminant = b**2 - a * c
    if a <= 0:  # known positives and negatives hardly differ
        return 0.0, 1.0
    if discriminant < 0:  # no beta at all fits, or the estimate alone and it is rounded
        return nearest, nearest
    ends = np.clip((b + np.array([-1, 1]) * sqrt(discriminant)) / a, 0, 1)
    return float(ends[0]), float(ends[1])


def _check_negatives(total: Counts) -> None:
    """Raise where a method has no known negatives."""
    if not total.known_negative:
        raise PUDataError(
            "This method needs known negatives that are a random sample of the negatives, but "
            "there are none. Take method='feasible', which gives an upper limit.",
            page="known_negatives",
        )


_CONTRADICTION = (
    "Known positives, known negatives and unlabeled examples contradict each other: no beta in "
    "[0, 1] fits. One of the two is no random sample, or scores are those of rows that the model "
    "was trained on. Score other rows, or take method='feasible'."
)

_LARGEST = (
    f"{_SCAR}; the estimate is the largest plausible beta, and the true one only if no negative "
    "reaches the top of the ranking"
)
_BOTH = f"{_SCAR}; known negatives are a simple random sample of all negatives"
# How each estimates beta, and what it takes for granted.
METHODS: Mapping[str, tuple[Callable[[Ranking, float], Prior], str]] = {
    "feasible": (_feasible, _LARGEST),
    "two_sided": (_two_sided, _BOTH),
    "mean_matching": (_mean_matching, _BOTH),
}


def limit_from_positives(ranking: Ranking, delta: float) -> float:
    """Return the largest beta that the known positives do not rule out.

    A beta is too high if the known positives come earlier in the ranking than so many latent ones
    could among the unlabeled examples: a one-sided two-sample Kolmogorov-Smirnov test [1]_.

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
    steps = np.flatnonzero(np.diff(ranking.known_positive)) + 1
    if (weight := ranking.unequal_weight) is not None:
        return _weighted_limit(ranking, weight, steps, delta)
    n, _, size = ranking.total

    def allowed(latent: int) -> float:
        return sqrt(log(1 / delta) / 2 * (1 / n + 1 / latent))

    cdf = ranking.known_positive[steps] / n
    return _largest_feasible(cdf, ranking.unlabeled[steps], size, allowed)


def distance_from_positives(ranking: Ranking, latent: int) -> tuple[float, float]:
    """Return by how much known positives are ahead of so many latent ones, and where.

    That is the largest lead of their share above a cutoff over that of the latent ones at most;
    and the share of the unlabeled above that cutoff.
    """
    unlabeled = ranking.unlabeled
    lead = ranking.known_positive / ranking.total.known_positive
    lead = lead - np.minimum(unlabeled, latent) / latent
    place = int(np.argmax(lead))
    return float(lead[place]), float(unlabeled[place]) / ranking.total.unlabeled


def _weighted_limit(ranking: Ranking, weight: FloatArray, steps: IntArray, delta: float) -> float:
    """Return the limit from known positives that were labeled with unequal probabilities."""
    unlabeled, known = ranking.unlabeled[steps], ranking.known_positive[steps]
    u = latent_shares(weight, 1.0)
    unseen = (float(unseen_weight(weight)[-1]) - 1) / float((weight - 1).sum())
    cdf, squares = (np.append(0.0, np.cumsum(shares)) for shares in (u, u**2))
    f, square = np.minimum(cdf[known], 1), squares[known]  # all shares may add up to a bit more
    scatter = square * (1 - f) ** 2 + (squares[-1] - square + unseen**2) * f**2

    def allowed(latent: int) -> float:
        return sqrt(2 * log(1 / delta)) * sqrt(np.max(scatter + f * (1 - f) / latent))

    return _largest_feasible(f, unlabeled, ranking.total.unlabeled, allowed)


def _largest_feasible(
    cdf: FloatArray, unlabeled: IntArray, size: int, allowed: Callable[[int], float]
) -> float:
    """Return the largest share of latent examples whose distance is allowed."""

    def infeasible(latent: int) -> bool:
        return bool(np.max(cdf - np.minimum(unlabeled, latent) / latent) > allowed(latent))

    # The distance grows with the latent examples, and the allowed one shrinks.
    return bisect(range(1, size + 1), False, key=infeasible) / size
