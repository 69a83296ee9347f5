"""Ways to estimate beta from a ranking, and what each takes for granted."""

from collections.abc import Callable, Mapping
from math import ceil, sqrt
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from scipy import special, stats

from pu_accessor.checks import check_option
from pu_accessor.errors import PUDataError
from pu_accessor.inference.bands.weighted import latent_shares
from pu_accessor.inference.prior.feasible import limit_from_negatives, limit_from_positives
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import Counts, FloatArray, IntArray, Ranking

__all__ = ["METHODS", "Method", "Prior", "check_method", "estimate_prior"]

_SCAR = "known positives are a simple random sample of all positives"
_KNOWN_ODDS = "positives are labeled independently, with the given propensities"
_NO_INFORMATION, _WIDE, _SEPARATE, _RISING = 0.99, 0.1, 0.01, 0.05
_ALIKE = 1e-12  # what rounding may make of two means that are equal


class Prior(NamedTuple):
    """An estimate of beta with its interval.

    Parameters
    ----------
    beta, lower, upper : float
        Shares of the unlabeled.
    warnings : tuple of str, default ()
        What the data say against the estimate or its assumptions.
    assumptions : str, default ""
        What it takes for granted.
    """

    beta: float
    lower: float
    upper: float
    warnings: tuple[str, ...] = ()
    assumptions: str = ""


class _Moments(NamedTuple):
    """Mean and variance of a score over the latent positives, and how many examples say so."""

    mean: float
    variance: float
    size: float


class Method(NamedTuple):
    """A way to estimate beta.

    Parameters
    ----------
    estimate : callable
        From a ranking and a level to `Prior`.
    assumptions : str
        What it takes for granted.
    """

    estimate: Callable[[Ranking, float], Prior]
    assumptions: str


def check_method(method: str) -> None:
    """Raise unless there is such a method."""
    check_option("method", method, METHODS)


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
    _check_examples(ranking.total)
    told = METHODS[method].assumptions
    if ranking.weight is not None:
        told = told.replace(_SCAR, _KNOWN_ODDS)
    return METHODS[method].estimate(ranking, level)._replace(assumptions=told)


def _check_examples(total: Counts) -> None:
    """Raise where there is nothing to estimate, or nothing to estimate from."""
    check_labels(np.zeros(1), total)
    if not total.unlabeled:
        raise PUDataError(
            f"beta is a share of the unlabeled examples, but none of {sum(total)} is unlabeled. "
            "Mark them: missing in the label column, or unlabeled=..."
        )


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
    """Say what speaks against the assumptions."""
    found, added = np.diff(ranking.known_positive), np.diff(ranking.unlabeled)
    total = ranking.total
    above = (ranking.unlabeled[:-1] + added / 2) / total.unlabeled
    doubts = []
    if float(found @ above) / total.known_positive < _SEPARATE:
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

    The top reaches to the known positive at a quarter. Where all there are positives, known and
    unlabeled ones are ordered by chance.
    """
    quarter = ceil(ranking.total.known_positive / 4)
    last = int(np.argmax(ranking.known_positive >= quarter)) + 1
    found = np.diff(ranking.known_positive[:last])
    added = np.diff(ranking.unlabeled[:last])
    known, others = int(found.sum()), int(added.sum())
    if not known or not others:
        return 1.0
    below = added.sum() - np.cumsum(added) + added / 2
    pairs, size = float(found @ below), known + others
    # What lies between two known positives is one step at breakpoints, and no tie. Floats: cubes
    # of large counts are no int64.
    ties = np.where(found > 0, found + added, 0.0)
    spread = known * others / 12 * (size + 1 - float(ties @ (ties**2 - 1)) / (size * (size - 1)))
    if spread <= 0:
        return 1.0
    return float(special.ndtr(-(pairs - known * others / 2 - 0.5) / sqrt(spread)))


def _two_sided(ranking: Ranking, level: float) -> Prior:
    """Bound beta from both ends of the ranking."""
    _check_negatives(ranking.total)
    half = (1 - level) / 2
    lower, upper = 1 - limit_from_negatives(ranking, half), limit_from_positives(ranking, half)
    middle = (1 - limit_from_negatives(ranking, 0.5) + limit_from_positives(ranking, 0.5)) / 2
    if lower > upper:
        return Prior(middle, lower, upper, (_CONTRADICTION,))
    return Prior(min(max(middle, lower), upper), lower, upper)


def _mean_matching(ranking: Ranking, level: float) -> Prior:
    """Find the unlabeled between known negatives and known positives by a mean."""
    _check_negatives(ranking.total)
    kinds = (ranking.known_positive, ranking.known_negative, ranking.unlabeled)
    counts = [np.diff(kind) for kind in kinds]
    place = (_mid_shares(ranking.known_positive) + _mid_shares(ranking.known_negative)) / 2
    means = [float(count @ place) / count.sum() for count in counts]
    weighted = _weighted_moments(ranking, place) if ranking.unequal_weight is not None else None
    if weighted is not None:
        means[0] = weighted.mean
    apart = means[0] - means[1]
    if abs(apart) < _ALIKE:
        raise PUDataError(
            "Mean matching needs scores that tell known positives from known negatives, but on "
            "average they rank alike. Take method='feasible'."
        )
    beta = (means[2] - means[1]) / apart
    sizes = [float(count.sum()) for count in counts]
    variances = [
        float(count @ (place - mean) ** 2) / (size - 1) if size > 1 else float("nan")
        for count, mean, size in zip(counts[:2], means[:2], sizes[:2], strict=True)
    ]
    if weighted is not None:
        variances[0], sizes[0] = weighted.variance, weighted.size
    lower, upper = _matching_interval(beta, apart, variances, sizes, level)
    inside = min(max(beta, 0.0), 1.0)
    # A beta that is 0 or 1 is estimated below or above it half of the time. Where nothing varies
    # the interval is the estimate.
    beyond = abs(beta - inside) > _ALIKE
    warnings = (_CONTRADICTION,) if beyond and lower == upper else ()
    return Prior(inside, lower, upper, warnings)


def _weighted_moments(ranking: Ranking, place: FloatArray) -> _Moments:
    """Return the moments of places of latent positives, by the known ones that stand for them."""
    weight = np.ones(1) if ranking.weight is None else ranking.weight
    here = np.repeat(place, np.diff(ranking.known_positive))
    stands = latent_shares(weight, 1.0)
    mean = float(stands @ here)
    variance = float(stands @ (here - mean) ** 2)
    n = weight.size
    error = float(stands**2 @ (here - mean) ** 2) * n / max(n - 1, 1)
    return _Moments(mean, variance, variance / error if error and n > 1 else 1.0)


def _matching_interval(
    beta: float, apart: float, variances: list[float], sizes: list[float], level: float
) -> tuple[float, float]:
    """Return the betas in [0, 1] at which the mean over the unlabeled is no surprise.

    Each is held against the variance that it would have itself. The variance at the estimate is
    too small whenever the estimate is too near to an end, where one kind counts for little.
    """
    (positive, negative), (n, against, unlabeled) = variances, sizes
    if min(n, against) <= 1:
        return 0.0, 1.0
    nearest = min(max(beta, 0.0), 1.0)
    reach = _student(nearest, variances, sizes, level)
    # (beta0 - beta)**2 * apart**2 <= reach**2 * variance(beta): a quadratic in beta
    square = apart**2 - reach**2 * (positive / n + negative / against)
    slope = beta * apart**2 + reach**2 * (
        (positive - negative) / unlabeled / 2 - negative / against
    )
    rest = (beta * apart) ** 2 - reach**2 * (negative / unlabeled + negative / against)
    inside = slope**2 - square * rest
    if square <= 0:  # known positives and negatives hardly differ
        return 0.0, 1.0
    if inside < 0:  # no beta at all fits, or the estimate alone and it is rounded
        return nearest, nearest
    ends = (slope - sqrt(inside)) / square, (slope + sqrt(inside)) / square
    lower, upper = (min(max(end, 0.0), 1.0) for end in ends)
    return lower, upper


def _student(beta: float, variances: list[float], sizes: list[float], level: float) -> float:
    """Return Student's quantile for a sum of three variances, with Welch's degrees of freedom."""
    (positive, negative), (n, against, unlabeled) = variances, sizes
    parts = (
        (beta**2 * positive / n, n),
        ((1 - beta) ** 2 * negative / against, against),
        ((beta * positive + (1 - beta) * negative) / unlabeled, unlabeled),
    )
    square = sum(part**2 / (size - 1) for part, size in parts if size > 1)
    if not square:
        return float(stats.norm.ppf((1 + level) / 2))
    df = sum(part for part, _ in parts) ** 2 / square
    return float(stats.t.ppf((1 + level) / 2, df))


def _mid_shares(cumulative: IntArray) -> FloatArray:
    """Return, for each step between cutoffs, the share of a kind that ranks below, ties half."""
    shares: FloatArray = 1 - (cumulative[:-1] + cumulative[1:]) / (2 * cumulative[-1])
    return shares


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

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "feasible": Method(
            _feasible,
            f"{_SCAR}; the estimate is the largest plausible beta, and the true one only if no "
            "negative reaches the top of the ranking",
        ),
        "two_sided": Method(
            _two_sided, f"{_SCAR}; known negatives are a simple random sample of all negatives"
        ),
        "mean_matching": Method(
            _mean_matching, f"{_SCAR}; known negatives are a simple random sample of all negatives"
        ),
    }
)
