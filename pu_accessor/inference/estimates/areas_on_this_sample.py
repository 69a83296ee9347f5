"""Estimate areas on this sample: known positives are a random sample of all P = n + beta*U.

AUROC is 1 - (mean(R) - (P + 1)/2)/M with R the mid-ranks of known positives and M = N - P; its
standard error is sd(R)/sqrt(n) * sqrt(1 - n/P)/M. Partial areas: McClish, Medical Decision Making
9 (1989) 190-195. Errors of average precision: the jackknife of a U-statistic (Arvesen, Ann. Math.
Stat. 40, 1969, 2076-2100).
"""

from fractions import Fraction
from math import floor

import numpy as np

from pu_accessor.inference.answer import Answer
from pu_accessor.inference.estimates import weighted_areas
from pu_accessor.inference.estimates.areas_on_future_data import unbiased_ap
from pu_accessor.inference.estimates.hidden_positive_limits import ap_limits, mean_rank_limits
from pu_accessor.inference.estimates.intervals import (
    half_width,
    logit_interval,
    use_sample_completion,
)
from pu_accessor.inference.estimates.known_positives import (
    FloatPair,
    count_negatives,
    count_positives,
    exact_positives,
    hidden_share,
    known_blocks,
    mid_ranks,
)
from pu_accessor.inference.influence import mean_and_variance, unbiased_auroc
from pu_accessor.inference.tables.contingency import Table, check_labels
from pu_accessor.inference.tables.curves import roc_area
from pu_accessor.ranking import FloatArray, Ranking
from pu_accessor.roles_and_assumptions import Terms

_MAX_RELATIVE_ERROR = 0.1  # above it Student's interval covers .83 to .95 in simulations


def estimate_auroc(
    ranking: Ranking, betas: FloatArray, rule: Terms, max_fpr: float | None = None
) -> Answer:
    """Estimate AUROC, whole or up to `max_fpr`, with its interval."""
    check_labels(betas, ranking.total)
    if (weight := ranking.unequal_weight) is not None:
        statistic = weighted_areas.weighted_auroc(ranking, weight, betas, rule.level)
    elif max_fpr is None or max_fpr == 1:
        statistic = _full_auroc(ranking, betas, rule.level)
    else:
        statistic = _pauc(ranking, betas, rule.level, max_fpr)
    return use_sample_completion(ranking, betas, rule, statistic, "roc", max_fpr)


def auroc_and_error(ranking: Ranking, betas: FloatArray) -> FloatPair:
    """Return AUROC, which may lie outside [0, 1], and its standard error."""
    return _auroc_from_ranks(ranking, betas)[:2]


def _auroc_from_ranks(
    ranking: Ranking, betas: FloatArray
) -> tuple[FloatArray, FloatArray, Fraction, tuple[Fraction, ...]]:
    """Return areas, errors, and as fractions the mean mid-rank and the numbers of negatives."""
    negatives = count_negatives(ranking.total, betas)
    factor, n = hidden_share(ranking.total, betas) ** 0.5, ranking.total.known_positive
    mean = Fraction(n + 1, 2) + (1 - ranking.concordance) * (sum(ranking.total) - n)
    square = float(np.square(mid_ranks(ranking) - float(mean)).sum())
    standard_error = (square / (n - 1) / n) ** 0.5 if n > 1 else np.nan
    error = np.array([standard_error / float(each) for each in negatives]) * factor
    return unbiased_auroc(ranking, betas), np.where(factor > 0, error, 0.0), mean, negatives


def _full_auroc(ranking: Ranking, betas: FloatArray, level: float) -> Answer:
    """Estimate the whole area, with its interval."""
    value, error, mean, negatives = _auroc_from_ranks(ranking, betas)
    examples, n = sum(ranking.total), ranking.total.known_positive
    position = float(1 - (mean - Fraction(1, 2)) / examples)
    scale = np.array([float(examples / each) for each in negatives])
    half = half_width(error, n - 1, level) if n > 2 else np.full(value.size, np.nan)
    student = logit_interval(value, position, scale, half, half)
    if n == 1:  # one known positive has no error
        return Answer(value, *student, error)
    gaps, ends = _auroc_of_hidden_ranks(ranking, betas, level), _possible_auroc(ranking, betas)
    untrimmed = value, np.fmin(gaps[0], student[0]), np.fmax(gaps[1], student[1])
    # Where all known positives share a score, the curves of the band replace the gaps.
    lower, upper = (np.where(error > 0, np.clip(limit, *ends), np.nan) for limit in untrimmed[1:])
    return Answer(value, lower, upper, error, untrimmed=untrimmed)


def _auroc_of_hidden_ranks(ranking: Ranking, betas: FloatArray, level: float) -> FloatArray:
    """Return the lowest and highest areas from limits of the mean rank of hidden positives."""
    examples, n = sum(ranking.total), ranking.total.known_positive
    rank, ranks = mid_ranks(ranking), np.full((betas.size, 2), np.nan)
    positives = count_positives(ranking.total, betas)
    for limits, number in zip(ranks, positives.tolist(), strict=True):
        if number > n:
            limits[:] = mean_rank_limits(rank, number - n, examples, level)
    mean = (float(rank.sum()) + (positives - n) * ranks.T[::-1]) / positives
    return np.asarray(1 - (mean - (positives + 1) / 2) / (examples - positives))


def _possible_auroc(ranking: Ranking, betas: FloatArray) -> FloatArray:
    """Return the areas with all hidden positives at the bottom, and at the top."""
    known, unlabeled, total = ranking.known_positive, ranking.unlabeled, ranking.total
    no_known = np.diff(known + ranking.known_negative) == 0
    areas = np.empty((2, betas.size))
    for column, positives in enumerate(count_positives(total, betas).tolist()):
        hidden = positives - total.known_positive
        hidden_at_bottom = np.maximum(unlabeled - (total.unlabeled - hidden), 0)
        sides = (hidden_at_bottom, -1), (np.minimum(unlabeled, hidden), 1)
        for row, (added, sign) in enumerate(sides):
            table = Table.of(known + added, ranking.rank, positives, sum(total))
            triangles = (np.diff(table.fp) * np.diff(table.tp)) @ no_known / 2
            negatives = sum(total) - positives
            areas[row, column] = roc_area(*table) + sign * triangles / (positives * negatives)
    return areas


def _pauc(ranking: Ranking, betas: FloatArray, level: float, limit: float) -> Answer:
    """Estimate the standardized area up to a false positive rate."""
    negatives = np.array([float(each) for each in count_negatives(ranking.total, betas)])
    factor, n = hidden_share(ranking.total, betas) ** 0.5, ranking.total.known_positive
    pairs = zip(count_positives(ranking.total, betas).tolist(), negatives.tolist(), strict=True)
    rows = [_pauc_at(ranking, limit, *numbers) for numbers in pairs]
    value, mean, variance, length, relative_error = np.array(rows).T
    unit = negatives * (2 * (limit - limit**2 / 2))  # ranks in an area of 1
    error = np.where(factor > 0, (variance / n) ** 0.5 * factor / unit, 0.0)
    position, half = mean / length, half_width(error, n - 1, level)
    # Elsewhere areas under bounding curves replace the interval.
    half = np.where((relative_error * factor <= _MAX_RELATIVE_ERROR) & (n > 2), half, np.nan)
    return Answer(value, *logit_interval(value, position, length / unit, half, half), error)


def _pauc_at(
    ranking: Ranking, limit: float, positives: float, negatives: float
) -> tuple[float, float, float, float, float]:
    """Return the partial area, mean and variance of ranks below, their number, relative error."""
    # The relative error is that of the false positives at the limit, before sampling is corrected.
    n, number = ranking.total.known_positive, np.diff(ranking.known_positive)
    share, ranks = ranking.known_positive / n, np.diff(ranking.rank)
    rise, has_known = np.diff(share), number > 0
    false, max_false = ranking.rank - positives * share, limit * negatives
    stop = np.minimum(false, max_false)
    width, growth = np.diff(stop), np.diff(false)
    is_flat = growth == 0
    growth[is_flat] = 1
    height = share[:-1] + rise / growth * ((stop[:-1] + stop[1:]) / 2 - false[:-1])
    above_chance = float(width @ height) / negatives - limit**2 / 2
    # The share of each step between two cutoffs below the limit; a cut step has it at one end.
    part = np.where(is_flat, false[:-1] < max_false, width / growth)
    length = part * ranks
    length_below = np.cumsum(length[::-1])[::-1] - length
    ranks_below = length_below + length * np.where(growth < 0, 1 - part / 2, part / 2)
    mean, variance = mean_and_variance(ranks_below[has_known], number[has_known])
    tpr = np.clip(share[np.argmax(false >= max_false)], 0.5 / n, 1 - 0.5 / n)
    relative_error = positives / max_false * float(np.sqrt(tpr * (1 - tpr) / n))
    value = 0.5 + above_chance / (2 * limit - limit**2)
    return value, mean, variance, float(length.sum()), relative_error


def estimate_ap(ranking: Ranking, betas: FloatArray, rule: Terms) -> Answer:
    """Estimate average precision, a U-statistic, with its interval from random gaps."""
    check_labels(betas, ranking.total)
    if (weight := ranking.unequal_weight) is not None:
        statistic = weighted_areas.weighted_ap(ranking, weight, betas, rule.level)
    else:
        value, error = ap_and_error(ranking, betas)
        limits, n = np.full((betas.size, 2), np.nan), ranking.total.known_positive
        for row, positives in zip(limits, exact_positives(ranking.total, betas), strict=True):
            hidden = floor(positives - n + Fraction(1, 2))
            if hidden and n > 1:
                row[:] = ap_limits(known_blocks(ranking), hidden, sum(ranking.total), rule.level)
        statistic = weighted_areas.estimates_with_limits(value, error, limits)
    return use_sample_completion(ranking, betas, rule, statistic, "pr")


def ap_and_error(ranking: Ranking, betas: FloatArray) -> FloatPair:
    """Return average precision, which may exceed 1, and its standard error."""
    equal = np.full(ranking.total.known_positive, 2.0)
    error = weighted_areas.jackknife_ap(ranking, equal, betas)[1]
    return unbiased_ap(ranking, betas), error
