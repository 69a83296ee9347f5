"""Beta from a ranking: the limit that known positives set, estimators, and their assumptions.

"feasible": with M hidden positives and h unlabeled examples above a cutoff, at most min(h, M) of
the M are there. M is feasible at delta if max(k/n - min(h, M)/M) is at most sqrt(ln(1/delta)/2 *
(1/n + 1/M)), by a one-sided two-sample Kolmogorov-Smirnov test [1]. For propensities e, weights
1/e - 1 give the rank CDF F in place of k/n. The distance is then at most sqrt(2*ln(1/delta)) times
the largest standard error of F, with one unseen positive below all.

"mean_matching": beta is where the mean score of the unlabeled is between those of known negatives
and known positives; its interval inverts a test at each beta [2], with Student's distribution and
Welch's degrees of freedom.

[1] N. V. Smirnov, Annals of Mathematical Statistics 19 (1948) 279-281. [2] E. C. Fieller, Journal
of the Royal Statistical Society B 16 (1954) 175-185.
"""

from bisect import bisect
from collections.abc import Callable, Mapping
from math import ceil, log, sqrt
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.errors import PUDataError
from pu_accessor.inference.contingency import check_labels
from pu_accessor.inference.influence import share_above, variance_and_kurtosis, welch_df
from pu_accessor.inference.known_positives import hidden_shares, weight_beyond
from pu_accessor.ranking import FloatArray, KnownBlocks, Ranking

_SCAR = "known positives are a simple random sample of all positives"
_KNOWN_ODDS = "positives are labeled independently, with the given propensities"
_UNINFORMATIVE_LIMIT, _MAX_WIDTH = 0.99, 0.1  # of beta, without a warning
_MIN_SHARE_ABOVE, _MIN_PLATEAU_P_VALUE = 0.01, 0.05  # without a warning
_TOLERANCE = 1e-12  # of equal means


def limits_from_positives(blocks: KnownBlocks, delta: float) -> FloatArray:
    """Return the largest beta of each ranking that its known positives do not reject at delta."""
    # M is infeasible if its inverse is below the smaller root x of (F - h*x)**2 = c*(1/n + x).
    known, size = blocks.total[:, 0], blocks.total[:, 2]
    n, h, c = known[blocks.owner], blocks.unlabeled.astype(np.float64), log(1 / delta) / 2
    cdf = blocks.known / n
    square_root = np.sqrt(c**2 + 4 * c * h * (cdf + h / n))
    largest = np.zeros(known.size)
    np.maximum.at(largest, blocks.owner, 2 * (cdf**2 - c / n) / (2 * cdf * h + c + square_root))
    with np.errstate(divide="ignore", invalid="ignore"):
        limits = np.floor(np.minimum(1 / largest, size)) / size
    return np.where(largest > 0, limits, 1.0)


def limit_from_positives(ranking: Ranking, delta: float) -> float:
    """Return the largest beta that the known positives do not reject at delta."""
    blocks = ranking.known_blocks
    if (weight := ranking.unequal_weight) is None:
        return limits_from_positives(blocks, delta).item()
    known, unlabeled, size = blocks.known, blocks.unlabeled, ranking.total.unlabeled
    shares = hidden_shares(weight, 1.0)
    unseen = (weight_beyond(weight) - 1) / float((weight - 1).sum())
    sums, squares = (np.append(0.0, np.cumsum(each)) for each in (shares, shares**2))
    cdf, square = np.minimum(sums[known], 1), squares[known]
    scatter = square * (1 - cdf) ** 2 + (squares[-1] - square + unseen**2) * cdf**2

    def infeasible(hidden: int) -> bool:
        allowed = sqrt(2 * log(1 / delta)) * sqrt(np.max(scatter + cdf * (1 - cdf) / hidden))
        return bool(np.max(cdf - np.minimum(unlabeled, hidden) / hidden) > allowed)

    # The distance grows with the hidden positives, and the allowed one shrinks.
    return bisect(range(1, size + 1), False, key=infeasible) / size


def distance_from_positives(ranking: Ranking, hidden: int) -> tuple[float, float]:
    """Return the largest lead of known positives, and the share of the unlabeled above."""
    unlabeled = ranking.unlabeled
    lead = ranking.known_positive / ranking.total.known_positive
    lead = lead - np.minimum(unlabeled, hidden) / hidden
    cutoff = int(np.argmax(lead))
    return float(lead[cutoff]), float(unlabeled[cutoff]) / ranking.total.unlabeled


class Prior(NamedTuple):
    """An estimate of beta with its interval."""

    beta: float
    lower: float
    upper: float
    warnings: tuple[str, ...] = ()
    assumptions: str = ""


class _Moments(NamedTuple):
    """Mean and variance of a score over the hidden positives, and the effective sample size."""

    mean: float
    variance: float
    size: float


def estimate_prior(ranking: Ranking, method: str, level: float) -> Prior:
    """Estimate the share of positives among the unlabeled."""
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
    """Return the largest plausible beta, at delta 0.5, and an upper limit."""
    point = limit_from_positives(ranking, 0.5)
    upper = limit_from_positives(ranking, min(1 - level, 0.5))  # not below the estimate
    warnings = []
    if upper >= _UNINFORMATIVE_LIMIT:
        warnings.append(
            "The data say nothing about beta: its upper limit is near 1. Label a random sample of "
            "the unlabeled (df.pu.sample_to_label), or add known positives."
        )
    elif upper - point > _MAX_WIDTH:
        warnings.append(
            f"beta is not known well: its upper limit is more than {_MAX_WIDTH} above the "
            "estimate. Add known positives, or label a random sample of the unlabeled: "
            "df.pu.sample_to_label."
        )
    if ranking.unequal_weight is not None:
        return Prior(point, 0.0, upper, (*warnings,))
    above = np.repeat(share_above(ranking.unlabeled), np.diff(ranking.known_positive)).mean()
    if above < _MIN_SHARE_ABOVE:
        warnings.append(
            "Known positives rank above nearly all unlabeled examples: beta is about 0, or the "
            "model was trained on these rows, or labels are not a random sample of the positives. "
            "Score rows that the model has not seen."
        )
    if _plateau_p_value(ranking) < _MIN_PLATEAU_P_VALUE:
        warnings.append(
            "Known positives rank above the unlabeled even among the best: negatives rank there, "
            "too, so the estimate is too high. Use only the upper limit, or label a random sample "
            "of the unlabeled: df.pu.sample_to_label."
        )
    return Prior(point, 0.0, upper, (*warnings,))


def _plateau_p_value(ranking: Ranking) -> float:
    """Return the p value that known positives rank higher within the top, by Mann and Whitney."""
    end = int(np.argmax(ranking.known_positive >= ceil(ranking.total.known_positive / 4))) + 1
    known_at = np.diff(ranking.known_positive[:end])
    others_at = np.diff(ranking.unlabeled[:end])
    known, others = int(known_at.sum()), int(others_at.sum())
    if not known or not others:
        return 1.0
    below = 1 - share_above(ranking.unlabeled[:end])
    pairs, size = others * float(known_at @ below), known + others
    # Examples between two known positives are one step, not ties; floats, as cubes overflow int64.
    ties = np.where(known_at > 0, known_at + others_at, 0.0)
    spread = known * others / 12 * (size + 1 - float(ties @ (ties**2 - 1)) / (size * (size - 1)))
    if spread <= 0:
        return 1.0
    return float(scipy.special.ndtr(-(pairs - known * others / 2 - 0.5) / sqrt(spread)))


def _mean_matching(ranking: Ranking, level: float) -> Prior:
    """Match the mean score of the unlabeled to those of known negatives and positives."""
    if not ranking.total.known_negative:
        raise PUDataError(
            "This method needs known negatives that are a random sample of the negatives, but "
            "there are none. Use method='feasible', which gives an upper limit."
        )
    # Mean of the shares of known positives and of known negatives below each step, ties half.
    score = 1 - (share_above(ranking.known_positive) + share_above(ranking.known_negative)) / 2
    kinds = (ranking.known_positive, ranking.known_negative, ranking.unlabeled)
    positive, negative, unlabeled = (
        _Moments(score @ times / times.sum(), variance_and_kurtosis(score, times)[0], times.sum())
        for times in map(np.diff, kinds)
    )
    if ranking.unequal_weight is not None:
        positive = _weighted_moments(ranking, score)
    gap = positive.mean - negative.mean
    if abs(gap) < _TOLERANCE:
        raise PUDataError(
            "Mean matching needs scores that separate known positives from known negatives, but "
            "their mean ranks are equal. Use method='feasible'."
        )
    beta = (unlabeled.mean - negative.mean) / gap
    lower, upper = _matching_interval(beta, positive, negative, unlabeled.size, level)
    inside = min(max(beta, 0.0), 1.0)
    # For a true beta of 0 or 1, half of the estimates are outside of [0, 1].
    beyond = abs(beta - inside) > _TOLERANCE
    return Prior(inside, lower, upper, (_CONTRADICTION,) if beyond and lower == upper else ())


def _weighted_moments(ranking: Ranking, score: FloatArray) -> _Moments:
    """Return moments of scores of hidden positives, by the known ones that represent them."""
    weight = np.ones(1) if ranking.inverse_propensity is None else ranking.inverse_propensity
    known_score = np.repeat(score, np.diff(ranking.known_positive))
    share, n = hidden_shares(weight, 1.0), weight.size
    mean = float(share @ known_score)
    variance = float(share @ (known_score - mean) ** 2)
    error = float(share**2 @ (known_score - mean) ** 2) * n / max(n - 1, 1)
    return _Moments(mean, variance, variance / error if error and n > 1 else 1.0)


def _matching_interval(
    beta: float, positive: _Moments, negative: _Moments, unlabeled: float, level: float
) -> tuple[float, float]:
    """Return the betas in [0, 1] that are not rejected, each with its own variance."""
    # The variance at the estimate would be too small near 0 or 1.
    if min(positive.size, negative.size) <= 1:
        return 0.0, 1.0
    first_variance, second_variance = positive.variance, negative.variance
    first, second = first_variance / positive.size, second_variance / negative.size
    nearest = min(max(beta, 0.0), 1.0)
    mixed = (nearest * first_variance + (1 - nearest) * second_variance) / unlabeled
    squares = np.array([nearest**2 * first, (1 - nearest) ** 2 * second, mixed])
    df = np.array([positive.size, negative.size, unlabeled if unlabeled > 1 else np.inf]) - 1
    t = float(scipy.stats.t.ppf((1 + level) / 2, welch_df(squares, df)))
    # (beta0 - beta)**2 * gap**2 <= t**2 * variance(beta): a*beta0**2 - 2*b*beta0 + c <= 0
    gap = positive.mean - negative.mean
    a = gap**2 - t**2 * (first + second)
    b = beta * gap**2 + t**2 * ((first_variance - second_variance) / unlabeled / 2 - second)
    c = (beta * gap) ** 2 - t**2 * (second_variance / unlabeled + second)
    discriminant = b**2 - a * c
    if a <= 0:  # known positives and negatives hardly differ
        return 0.0, 1.0
    if discriminant < 0:  # no beta fits, or only the estimate
        return nearest, nearest
    ends = np.clip((b + np.array([-1, 1]) * sqrt(discriminant)) / a, 0, 1)
    return float(ends[0]), float(ends[1])


_CONTRADICTION = (
    "Known positives, known negatives and unlabeled examples contradict each other: no beta in "
    "[0, 1] fits. One kind of labels is not a random sample, or the model was trained on these "
    "rows. Score other rows, or use method='feasible'."
)

_LARGEST = (
    f"{_SCAR}; the estimate is the largest plausible beta: too high, unless no negative reaches "
    "the top of the ranking"
)
_BOTH = f"{_SCAR}; known negatives are a simple random sample of all negatives"
# Estimator and assumptions of each method.
METHODS: Mapping[str, tuple[Callable[[Ranking, float], Prior], str]] = {
    "feasible": (_feasible, _LARGEST),
    "mean_matching": (_mean_matching, _BOTH),
}
