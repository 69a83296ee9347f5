"""AUROC and average precision of one ranking at one beta, from the known positives alone."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import special

from pu_accessor.errors import PUDataError
from pu_accessor.inference.weighted import weighted_auroc, weighted_average_precision
from pu_accessor.ranking import Counts, IntArray, Ranking

__all__ = [
    "Estimate",
    "auroc_and_error",
    "count_negatives",
    "estimate_auroc",
    "estimate_partial_auroc",
    "estimate_precision",
]


class Estimate(NamedTuple):
    """An estimate, its standard error and interval.

    Parameters
    ----------
    value, error, lower, upper : float
        NaN where there is none.
    """

    value: float
    error: float
    lower: float = float("nan")
    upper: float = float("nan")


class _Blocks(NamedTuple):
    """The blocks of tied scores that hold known positives, best first."""

    found: IntArray  # known positives in the block
    known: IntArray  # known positives at or above it
    start: IntArray  # examples above it
    end: IntArray  # examples at or above it


def auroc_and_error(ranking: Ranking, beta: float) -> tuple[Fraction, float]:
    """Return the estimate of AUROC and its standard error at one beta.

    Parameters
    ----------
    ranking : Ranking
        At the breakpoints or at all cutoffs; with a known positive.
    beta : float
        Fraction of positives among the unlabeled.

    Returns
    -------
    value : Fraction
        Exact: ranks are halves.
    error : float
        0 where all positives are known, otherwise NaN for one known positive.

    Raises
    ------
    PUDataError
        If there are no negatives.
    """
    negatives = count_negatives(ranking.total, beta)
    positives, factor = _hidden(ranking.total, beta)
    mean, variance = _rank_moments(ranking)
    value = 1 - (mean - (positives + 1) / 2) / negatives
    error = (variance / ranking.total.known_positive) ** 0.5 * factor / float(negatives)
    return value, error if factor else 0.0


def count_negatives(total: Counts, beta: float) -> Fraction:
    """Return the number of negatives, or raise where there are none.

    Parameters
    ----------
    total : Counts
        Examples of each kind.
    beta : float
        Fraction of positives among the unlabeled, taken as it prints.

    Returns
    -------
    Fraction

    Raises
    ------
    PUDataError
        If it is 0.
    """
    negatives = total.known_negative + total.unlabeled * (1 - Fraction(str(beta)))
    if not negatives:
        raise PUDataError(
            f"AUROC needs negatives, but at beta = {beta:g} there are none among the "
            f"{sum(total)} examples. Pass a smaller beta."
        )
    return negatives


def _blocks(ranking: Ranking) -> _Blocks:
    """Return the blocks of tied scores that hold known positives."""
    found = np.diff(ranking.known_positive)
    there = found > 0
    return _Blocks(
        found[there],
        ranking.known_positive[1:][there],
        ranking.rank[:-1][there],
        ranking.rank[1:][there],
    )


def _hidden(total: Counts, beta: float) -> tuple[Fraction, float]:
    """Return the number of positives, and the factor of a standard error as some are hidden."""
    positives = total.known_positive + total.unlabeled * Fraction(str(beta))
    return positives, float(1 - total.known_positive / positives) ** 0.5


def _rank_moments(ranking: Ranking) -> tuple[Fraction, float]:
    """Return the mean and the variance of the mid-ranks of the known positives."""
    blocks, n = _blocks(ranking), ranking.total.known_positive
    doubled = blocks.start + blocks.end + 1
    mean = Fraction(int(blocks.found @ doubled), 2 * n)
    spread = blocks.found @ (doubled / 2 - float(mean)) ** 2
    return mean, float(spread) / (n - 1) if n > 1 else float("nan")


def estimate_auroc(ranking: Ranking, beta: float, level: float) -> Estimate:
    """Estimate AUROC from the mid-ranks of the known positives.

    Parameters
    ----------
    ranking : Ranking
        At the breakpoints or at all cutoffs; with a known positive.
    beta : float
        Fraction of positives among the unlabeled.
    level : float
        Probability of coverage, in (0, 1).

    Returns
    -------
    Estimate
    """
    if ranking.weight is not None:
        count_negatives(ranking.total, beta)
        examples, positives = sum(ranking.total), float(_hidden(ranking.total, beta)[0])
        start, end = _places(ranking)
        return Estimate(*weighted_auroc(start, end, ranking.weight, examples, positives, level))
    value, error = auroc_and_error(ranking, beta)
    n, examples = ranking.total.known_positive, sum(ranking.total)
    mean, _ = _rank_moments(ranking)
    place = float(1 - (mean - Fraction(1, 2)) / examples)
    stretch = float(examples / count_negatives(ranking.total, beta))
    limits = _rank_interval(float(value), error, place, stretch, _reach(n, level))
    return Estimate(float(value), error, *limits)


def _places(ranking: Ranking) -> tuple[IntArray, IntArray]:
    """Return the examples above, and at or above, the cutoff of each known positive."""
    blocks = _blocks(ranking)
    return np.repeat(blocks.start, blocks.found), np.repeat(blocks.end, blocks.found)


def estimate_partial_auroc(ranking: Ranking, beta: float, level: float, limit: float) -> Estimate:
    """Estimate the standardised area up to a false positive rate.

    Parameters
    ----------
    ranking : Ranking
        At the breakpoints or at all cutoffs; with a known positive.
    beta : float
        Fraction of positives among the unlabeled.
    level : float
        Probability of coverage, in (0, 1).
    limit : float
        The false positive rate, in (0, 1).

    Returns
    -------
    Estimate

    Notes
    -----
    False positives at rank r are r - P*F(r), with F the rank CDF of the known positives. Where
    they are fewer than the limit, the area grows by F times their growth. By a change of F it
    changes by that change, summed over this part of the ranking: all other terms cancel.
    """
    negatives = float(count_negatives(ranking.total, beta))
    positives, factor = _hidden(ranking.total, beta)
    n, most = ranking.total.known_positive, limit * negatives
    share = ranking.known_positive / n
    false = ranking.rank - float(positives) * share
    stop = np.minimum(false, most)
    width, growth = np.diff(stop), np.diff(false)
    level_step = growth == 0
    growth[level_step] = 1
    height = share[:-1] + np.diff(share) / growth * ((stop[:-1] + stop[1:]) / 2 - false[:-1])
    scale = 2 * (limit - limit**2 / 2)
    value = 0.5 + (float(width @ height) / negatives - limit**2 / 2) / scale
    # How much of each step between two cutoffs is below the limit, and how much of that lies after
    # a place in the step, on average: a step that the limit cuts is below it at one end.
    part = np.where(level_step, false[:-1] < most, width / growth)
    length = part * np.diff(ranking.rank)
    later = np.cumsum(length[::-1])[::-1] - length
    after = later + length * np.where(growth < 0, 1 - part / 2, part / 2)
    found = np.diff(ranking.known_positive)
    mean = float(found @ after) / n
    spread = float(found @ (after - mean) ** 2) / (n - 1) if n > 1 else float("nan")
    stretch = float(length.sum()) / negatives / scale
    error = (spread / n) ** 0.5 * factor / negatives / scale if factor else 0.0
    place = mean / float(length.sum())
    return Estimate(value, error, *_rank_interval(value, error, place, stretch, _reach(n, level)))


def estimate_precision(ranking: Ranking, beta: float, level: float) -> Estimate:
    """Estimate average precision and jackknife it.

    Parameters
    ----------
    ranking : Ranking
        At the breakpoints or at all cutoffs; with a known positive.
    beta : float
        Fraction of positives among the unlabeled.
    level : float
        Probability of coverage, in (0, 1).

    Returns
    -------
    Estimate
    """
    if ranking.weight is not None:
        _, end = _places(ranking)
        whole = float(_hidden(ranking.total, beta)[0])
        return Estimate(*weighted_average_precision(end, ranking.weight, whole, level))
    n, (positives, factor) = ranking.total.known_positive, _hidden(ranking.total, beta)
    if n == 1 and factor:
        return Estimate(float("nan"), float("nan"))
    blocks = _blocks(ranking)
    weight = 1 / blocks.end
    alone = float(blocks.found @ weight)
    pairs = float(blocks.found @ ((blocks.known - 1) * weight))
    others = float(positives - 1)
    value = alone / n + (others / (n * (n - 1)) * pairs if n > 1 else 0.0)
    if not factor:
        return Estimate(value, 0.0)
    if n == 2:
        return Estimate(value, float("nan"))
    # Without one known positive its own terms go, and its part in those of the others below it.
    below = np.cumsum((blocks.found * weight)[::-1])[::-1] - weight
    rest = pairs - (blocks.known - 1) * weight - below
    left_out = (alone - weight) / (n - 1) + others / ((n - 1) * (n - 2)) * rest
    apart = left_out - float(blocks.found @ left_out) / n
    second, fourth = (float(blocks.found @ apart**power) / n for power in (2, 4))
    error = ((n - 1) * second) ** 0.5 * factor
    if not error:
        return Estimate(value, 0.0)
    df = min(2 * n / max(fourth / second**2 - 1, 2 / n), n - 1)
    reach = _t_quantile(df, level) * (1 + 2 / n)
    return Estimate(value, error, *_reciprocal_interval(value, error, reach))


def _reciprocal_interval(value: float, error: float, reach: float) -> tuple[float, float]:
    """Return the interval on the scale of 1/value, at most 1."""
    center, width = 1 / value, reach * error / value**2
    upper = 1 / (center - width) if center - width > 1 else 1.0
    return min(1 / (center + width), 1.0), upper


def _reach(n: int, level: float) -> float:
    """Return Student's quantile for a mean of n."""
    return _t_quantile(n - 1, level) if n > 1 else float("nan")


def _t_quantile(df: float, level: float) -> float:
    return float(special.stdtrit(df, (1 + level) / 2))


def _rank_interval(
    value: float, error: float, place: float, stretch: float, reach: float
) -> tuple[float, float]:
    """Return the interval of a mean share of ranks, in (0, 1), mapped to what is linear in it."""
    if not error > 0:
        return float("nan"), float("nan")
    width = reach * error / stretch / (place * (1 - place))
    ends = special.expit(special.logit(place) + np.array([-width, width]))
    lower, upper = np.clip(value + (ends - place) * stretch, 0, 1)
    return float(lower), float(upper)
