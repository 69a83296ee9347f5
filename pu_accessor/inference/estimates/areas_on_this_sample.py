"""The area under the ROC curve of one ranking, whole or up to a false positive rate."""

from dataclasses import replace
from fractions import Fraction
from math import floor

import numpy as np

from pu_accessor.inference.estimates.areas_on_future_data import unbiased_average_precision
from pu_accessor.inference.estimates.hidden_positive_limits import (
    average_precision_limits,
    mean_rank_limits,
)
from pu_accessor.inference.estimates.intervals import (
    Estimates,
    half_width,
    logit_rank_interval,
    use_sample_completion,
)
from pu_accessor.inference.estimates.known_positives import (
    block_bounds,
    count_negatives,
    count_positives,
    exact_positives,
    hidden_share,
    known_blocks,
)
from pu_accessor.inference.estimates.weighted_areas import (
    estimates_with_limits,
    jackknife_average_precision,
    weighted_auroc,
    weighted_average_precision,
)
from pu_accessor.inference.influence import mean_and_variance
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import Table, check_labels
from pu_accessor.inference.tables.curves import area
from pu_accessor.ranking import FloatArray, Ranking

_DIGIT_BASE = 2**32  # of the digits of an integer
_MAX_RELATIVE_ERROR = 0.1  # beyond, Student's interval covers .83 to .95: calibrated by simulation


def estimate_auroc(
    ranking: Ranking, betas: FloatArray, rule: Settings, max_fpr: float | None = None
) -> Estimates:
    """Estimate the area under the ROC curve, with an interval.

    Notes
    -----
    The known positives are a simple random sample of the P = n + beta*U positives. With R their
    mid-ranks from the top, AUROC = 1 - (mean(R) - (P + 1)/2)/M, where M = N - P. This is unbiased,
    and its standard error that of a mean under sampling without replacement, sd(R)/sqrt(n) *
    sqrt(1 - n/P)/M. The estimate is the area of a completed ranking, and the interval reaches to
    it (`pu_accessor.inference.completion`). Up to a false positive rate f the same holds for the
    part of the ranking with fewer than f*M estimated false positives: the standard error is that
    of the number of ranks that each known positive has below it there.

    The interval holds two: Student's t with n - 1 degrees of freedom on the logit scale of the
    share of all examples that rank below a known positive, on average, in which AUROC is linear;
    and the one that latent positives make that are shared out to the gaps between known ones
    (`pu_accessor.inference.estimates.hidden_positive_limits`). The first is too optimistic where scores are
    skewed and few positives are known, the second where all rank near one end. Both are cut to
    what AUROC is with all latent positives at the bottom or at the top. For two known positives
    the second stands alone. Where all have the same score though others are hidden, neither says
    anything of positives below: the areas under the bounding curves of the band "exact" stand,
    which bend at one cutoff alone and so hold for the area.
    Up to a false positive rate it is the first alone, unless the number of false positives there,
    ranks less estimated positives, has a standard error of more than a tenth: where positives are
    many the estimate is then biased, and its error no guide. The areas under the bounding curves
    of the band "exact" stand there, as they do where Student's t says nothing.

    References
    ----------
    .. [1] D. K. McClish, *Analyzing a portion of the ROC curve*, Medical Decision Making 9
       (1989) 190-195.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = estimate_auroc(ranking, np.array([0.25, 0.5]), Settings())
    >>> found.value.round(3), found.error.round(3), found.lower.round(3), found.upper.round(3)
    (array([0.798, 1.   ]), array([0.132, 0.243]), array([0.417, 0.219]), array([0.917, 1.   ]))
    """
    check_labels(betas, ranking.total)
    if (weight := ranking.unequal_weight) is not None:
        statistic = weighted_auroc(ranking, weight, betas, rule.level)
    elif max_fpr is None or max_fpr == 1:
        statistic = _full_auroc(ranking, betas, rule.level)
    else:
        statistic = _partial_auroc(ranking, betas, rule.level, max_fpr)
    return use_sample_completion(ranking, betas, rule, statistic, "roc", max_fpr)


def auroc_and_error(ranking: Ranking, betas: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the estimates of AUROC and their standard errors."""
    return _auroc_from_ranks(ranking, betas)[:2]


def _auroc_from_ranks(
    ranking: Ranking, betas: FloatArray
) -> tuple[FloatArray, FloatArray, Fraction, tuple[Fraction, ...]]:
    """Return areas, their errors, the mean mid-rank of known positives and numbers of negatives.

    These two are not rounded, as ranks are halves, and areas once: so equal ones do not differ.
    """
    negatives = count_negatives(ranking.total, betas)
    positives = exact_positives(ranking.total, betas)
    factor = hidden_share(ranking.total, betas) ** 0.5
    (start, end), n = block_bounds(ranking), ranking.total.known_positive
    doubled = start + end + 1
    high, low = (
        int(part.sum()) for part in np.divmod(doubled, _DIGIT_BASE)
    )  # the sum may be beyond
    mean = Fraction(high * _DIGIT_BASE + low, 2 * n)
    square = float(np.square(doubled / 2 - float(mean)).sum())
    spread = (square / (n - 1) / n) ** 0.5 if n > 1 else np.nan
    pairs = zip(positives, negatives, strict=True)
    value = np.array([float(1 - (mean - (p + 1) / 2) / q) for p, q in pairs])
    error = np.array([spread / float(each) for each in negatives]) * factor
    return value, np.where(factor > 0, error, 0.0), mean, negatives


def _full_auroc(ranking: Ranking, betas: FloatArray, level: float) -> Estimates:
    """Estimate the whole area, with intervals."""
    value, error, mean, negatives = _auroc_from_ranks(ranking, betas)
    examples, n = sum(ranking.total), ranking.total.known_positive
    place = float(1 - (mean - Fraction(1, 2)) / examples)
    stretch = np.array([float(examples / each) for each in negatives])
    away = half_width(error, n - 1, level) if n > 2 else np.full(value.size, np.nan)
    student = logit_rank_interval(value, place, stretch, away, away)
    if n == 1:  # nobody knows how far the one can be off
        return Estimates(value, error, *student)
    gaps, ends = _auroc_of_hidden_ranks(ranking, betas, level), _possible_auroc(ranking, betas)
    untrimmed = value, np.fmin(gaps[0], student[0]), np.fmax(gaps[1], student[1])
    # Where all known positives share a score, gaps say nothing of those below it: curves do.
    lower, upper = (np.where(error > 0, np.clip(limit, *ends), np.nan) for limit in untrimmed[1:])
    return Estimates(value, error, lower, upper, untrimmed=untrimmed)


def _auroc_of_hidden_ranks(ranking: Ranking, betas: FloatArray, level: float) -> FloatArray:
    """Return the areas, lowest and highest, that ranks of the latent positives make."""
    examples, n = sum(ranking.total), ranking.total.known_positive
    start, end = block_bounds(ranking)
    rank, ranks = (start + end + 1) / 2, np.full((betas.size, 2), np.nan)
    positives = count_positives(ranking.total, betas)
    for each, whole in zip(ranks, positives.tolist(), strict=True):
        if whole > n:
            each[:] = mean_rank_limits(rank, whole - n, examples, level)
    mean = (float(rank.sum()) + (positives - n) * ranks.T[::-1]) / positives
    return np.asarray(1 - (mean - (positives + 1) / 2) / (examples - positives))


def _possible_auroc(ranking: Ranking, betas: FloatArray) -> FloatArray:
    """Return the areas with all latent positives at the bottom, and with all at the top.

    Unlabeled examples between known ones may have any scores there, so that their curve goes along
    two sides of a rectangle, and not along its diagonal.
    """
    known, unlabeled, total = ranking.known_positive, ranking.unlabeled, ranking.total
    apart = np.diff(known + ranking.known_negative) == 0
    areas = np.empty((2, betas.size))
    for column, positives in enumerate(count_positives(total, betas).tolist()):
        hidden = positives - total.known_positive
        at_bottom = np.maximum(unlabeled - (total.unlabeled - hidden), 0)
        sides = (at_bottom, -1), (np.minimum(unlabeled, hidden), 1)
        for row, (latent, turn) in enumerate(sides):
            table = Table.of(known + latent, ranking.rank, positives, sum(total))
            triangles = (np.diff(table.fp) * np.diff(table.tp)) @ apart / 2
            negatives = sum(total) - positives
            areas[row, column] = area("roc", *table) + turn * triangles / (positives * negatives)
    return areas


def _partial_auroc(ranking: Ranking, betas: FloatArray, level: float, limit: float) -> Estimates:
    """Estimate the standardised area up to a false positive rate."""
    negatives = np.array([float(each) for each in count_negatives(ranking.total, betas)])
    factor, n = hidden_share(ranking.total, betas) ** 0.5, ranking.total.known_positive
    pairs = zip(count_positives(ranking.total, betas).tolist(), negatives.tolist(), strict=True)
    parts = [_partial_auroc_at(ranking, limit, *numbers) for numbers in pairs]
    value, mean, spread, length, doubt = np.array(parts).T
    scale = negatives * (2 * (limit - limit**2 / 2))  # ranks in an area of 1
    error = np.where(factor > 0, (spread / n) ** 0.5 * factor / scale, 0.0)
    place, away = mean / length, half_width(error, n - 1, level)
    # Otherwise areas under bounding curves stand.
    away = np.where((doubt * factor <= _MAX_RELATIVE_ERROR) & (n > 2), away, np.nan)
    return Estimates(value, error, *logit_rank_interval(value, place, length / scale, away, away))


def _partial_auroc_at(
    ranking: Ranking, limit: float, positives: float, negatives: float
) -> tuple[float, float, float, float, float]:
    """Return the standardised area up to a false positive rate, and what its error takes.

    That is the mean and the variance of the ranks that each known positive has below it there,
    the ranks there, and the standard error of the number of false positives there, as a share of
    it, but for the factor of sampling without replacement.

    False positives at rank r are r - P*F(r), with F the rank CDF of the known positives. Where
    they are fewer than the limit, the area grows by F times their growth. By a change of F it
    changes by that change, summed over this part of the ranking: all other terms cancel.
    """
    n, found = ranking.total.known_positive, np.diff(ranking.known_positive)
    share, ranks = ranking.known_positive / n, np.diff(ranking.rank)
    rise, there = np.diff(share), found > 0
    false, most = ranking.rank - positives * share, limit * negatives
    stop = np.minimum(false, most)
    width, growth = np.diff(stop), np.diff(false)
    straight = growth == 0
    growth[straight] = 1
    height = share[:-1] + rise / growth * ((stop[:-1] + stop[1:]) / 2 - false[:-1])
    covered = float(width @ height) / negatives - limit**2 / 2
    # How much of each step between two cutoffs is below the limit, and how much of that lies
    # after a place in the step, on average: one that the limit cuts is below it at one end.
    part = np.where(straight, false[:-1] < most, width / growth)
    length = part * ranks
    later = np.cumsum(length[::-1])[::-1] - length
    after = later + length * np.where(growth < 0, 1 - part / 2, part / 2)
    mean, spread = mean_and_variance(after[there], found[there])
    reached = np.clip(share[np.argmax(false >= most)], 0.5 / n, 1 - 0.5 / n)
    doubt = positives / most * float(np.sqrt(reached * (1 - reached) / n))
    value = 0.5 + covered / (2 * limit - limit**2)
    return value, mean, spread, float(length.sum()), doubt


# Average precision


def estimate_average_precision(ranking: Ranking, betas: FloatArray, rule: Settings) -> Estimates:
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
    (`pu_accessor.inference.estimates.hidden_positive_limits`). The limits are quantiles of a thousand draws
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
        statistic = weighted_average_precision(ranking, weight, betas, rule.level)
    else:
        statistic = _unweighted_average_precision(ranking, betas, rule.level)
    return use_sample_completion(ranking, betas, rule, statistic, "pr")


def average_precision_and_error(
    ranking: Ranking, betas: FloatArray
) -> tuple[FloatArray, FloatArray]:
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
    _, error = jackknife_average_precision(
        ranking, np.full(ranking.total.known_positive, 2.0), betas
    )
    return unbiased_average_precision(replace(ranking, strata=()), betas), error


def _unweighted_average_precision(ranking: Ranking, betas: FloatArray, level: float) -> Estimates:
    """Estimate from a simple random sample of the positives."""
    n, blocks = ranking.total.known_positive, known_blocks(ranking)
    value, error = average_precision_and_error(ranking, betas)
    if n == 1:
        return Estimates(value, error, value + np.nan, value + np.nan)
    positives = exact_positives(ranking.total, betas)
    latent = [floor(number - n + Fraction(1, 2)) for number in positives]
    examples = sum(ranking.total)
    limits = [
        average_precision_limits(blocks, each, examples, level) if each else (np.nan, np.nan)
        for each in latent
    ]
    return estimates_with_limits(value, error, limits)
