"""Estimate areas on this sample: known positives are a random sample of all P = n + beta*U.

AUROC is 1 - (mean(R) - (P + 1)/2)/M with R the mid-ranks of known positives and M = N - P. Its
limits are those of a bounded mean, the placement of positives among all N rows, whose distances
shrink by sqrt(1 - n/P). With propensities known positive i stands for v_i hidden ones, and errors
are those of a linear statistic of independent labels (Särndal, Swensson and Wretman, *Model
Assisted Survey Sampling*, 1992, ch. 5); without, all v_i are m/n. Errors of average precision: the
jackknife of a U-statistic (Arvesen, Ann. Math. Stat. 40, 1969, 2076-2100). Partial areas: McClish,
Medical Decision Making 9 (1989) 190-195.
"""

from fractions import Fraction
from math import floor

import numpy as np

from pu_accessor.inference.answer import Answer
from pu_accessor.inference.estimates.average_precision_draws import ap_limits
from pu_accessor.inference.estimates.intervals import mean_limits, use_sample_completion
from pu_accessor.inference.estimates.known_positives import (
    FloatPair,
    block_bounds,
    count_negatives,
    count_positives,
    exact_positives,
    hidden_by_known,
    hidden_share,
    linear_errors,
    unrounded_negatives,
)
from pu_accessor.inference.influence import unbiased_auroc
from pu_accessor.inference.tables.contingency import Table, check_labels
from pu_accessor.inference.tables.curves import roc_area
from pu_accessor.ranking import FloatArray, IntArray, Ranking
from pu_accessor.roles_and_assumptions import Terms

_MIN_DIVISOR = 1e-300  # replaces 0
# Above it intervals cover too little in simulations (coverage.csv: "`auroc`, this sample", design
# "propensities").
_MAX_RELATIVE_ERROR = 0.1


def estimate_auroc(
    ranking: Ranking, betas: FloatArray, terms: Terms, max_fpr: float | None = None
) -> Answer:
    """Estimate AUROC, whole or up to `max_fpr`, with its interval."""
    check_labels(betas, ranking.total)
    if max_fpr is None or max_fpr == 1:
        statistic = full_auroc(ranking, betas, terms.level)
    else:
        statistic = _pauc(ranking, betas, terms.level, max_fpr)
    return use_sample_completion(ranking, betas, terms, statistic, "roc", max_fpr)


def full_auroc(ranking: Ranking, betas: FloatArray, level: float = 0.95) -> Answer:
    """Return the unbiased area, which may lie outside [0, 1], with its error and interval."""
    value = unbiased_auroc(ranking, betas)  # first, as it needs negatives
    placement = 1 - np.mean(block_bounds(ranking), axis=0) / sum(ranking.total)
    rows = [mean_limits(placement, hidden, level) for hidden in hidden_by_known(ranking, betas)]
    scale = sum(ranking.total) / unrounded_negatives(ranking.total, betas)
    shift, error, down, up = scale * np.transpose(rows)
    value = value + shift
    ends, untrimmed = _possible_auroc(ranking, betas), (value, value - down, value + up)
    # Where all known positives share a score, the curves of the band replace the limits.
    lower, upper = (np.where(error > 0, np.clip(limit, *ends), np.nan) for limit in untrimmed[1:])
    return Answer(value, lower, upper, error, untrimmed=untrimmed)


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
    positives, number = count_positives(ranking.total, betas), np.diff(ranking.known_positive)
    rows = []
    for hidden, *each in zip(hidden_by_known(ranking, betas), positives, negatives, strict=True):
        value, below, length, relative_error = _pauc_at(ranking, limit, *each)
        placement = np.repeat(below / length, number)
        _, *limits = length * np.array(mean_limits(placement, hidden, level))
        rows.append((value, *limits, relative_error))
    value, error, down, up, relative_error = np.transpose(rows)
    unit = negatives * (2 * (limit - limit**2 / 2))  # ranks in an area of 1
    factor = hidden_share(ranking.total, betas) ** 0.5
    # Elsewhere areas under bounding curves replace the interval.
    is_sure = (error > 0) & (relative_error * factor <= _MAX_RELATIVE_ERROR)
    lower, upper = (np.where(is_sure, value + each / unit, np.nan) for each in (-down, up))
    return Answer(value, np.clip(lower, 0, 1), np.clip(upper, 0, 1), error / unit)


def _pauc_at(
    ranking: Ranking, limit: float, positives: float, negatives: float
) -> tuple[float, FloatArray, float, float]:
    """Return the partial area, ranks below each step, their number, and the relative error."""
    # The relative error is that of the false positives at the limit, before sampling is corrected.
    n, share = ranking.total.known_positive, ranking.known_positive / ranking.total.known_positive
    false, max_false = ranking.rank - positives * share, limit * negatives
    stop = np.minimum(false, max_false)
    width, growth = np.diff(stop), np.diff(false)
    is_flat = growth == 0
    growth[is_flat] = 1
    height = share[:-1] + np.diff(share) / growth * ((stop[:-1] + stop[1:]) / 2 - false[:-1])
    above_chance = float(width @ height) / negatives - limit**2 / 2
    # The share of each step between two cutoffs below the limit; a cut step has it at one end.
    part = np.where(is_flat, false[:-1] < max_false, width / growth)
    length = part * np.diff(ranking.rank)
    length_below = np.cumsum(length[::-1])[::-1] - length
    below = length_below + length * np.where(growth < 0, 1 - part / 2, part / 2)
    tpr = np.clip(share[np.argmax(false >= max_false)], 0.5 / n, 1 - 0.5 / n)
    relative_error = positives / max_false * float(np.sqrt(tpr * (1 - tpr) / n))
    return 0.5 + above_chance / (2 * limit - limit**2), below, float(length.sum()), relative_error


def estimate_ap(ranking: Ranking, betas: FloatArray, terms: Terms) -> Answer:
    """Estimate average precision, a U-statistic, with its interval from draws of gaps."""
    check_labels(betas, ranking.total)
    value, error = ap_and_error(ranking, betas)
    limits, blocks = np.full((2, betas.size), np.nan), ranking.known_blocks
    positives, n = exact_positives(ranking.total, betas), ranking.total.known_positive
    for column, hidden in enumerate(hidden_by_known(ranking, betas)):
        number = floor(positives[column] - n + Fraction(1, 2))
        if number and n > 1:
            limits[:, column] = ap_limits(blocks, hidden, number, sum(ranking.total), terms.level)
    lower, upper = np.minimum(limits[0], value), np.maximum(limits[1], value)
    statistic = Answer(value, lower, upper, error)
    return use_sample_completion(ranking, betas, terms, statistic, "pr")


def ap_and_error(ranking: Ranking, betas: FloatArray) -> FloatPair:
    """Return average precision, which may exceed 1, and its jackknife standard error."""
    end, rows = block_bounds(ranking)[1], []
    for hidden in hidden_by_known(ranking, betas):
        value, pull = _ap_and_pull(end, 1 + hidden)
        is_known = end.size > 2 or not hidden.any()
        rows.append((value, linear_errors(pull, hidden)[0] if is_known else np.nan))
    value, error = np.transpose(rows)
    return value, error


def _ap_and_pull(end: IntArray, w: FloatArray) -> tuple[float, FloatArray]:
    """Return average precision, and its derivatives by what each known positive represents."""
    n, own, positives = w.size, w / end, w.sum()
    if n == 1 < positives:
        return np.nan, np.zeros(1)
    # Ties count up to the end of their block, and from its start.
    first, last = (np.searchsorted(end, end, side) for side in ("left", "right"))
    above = np.cumsum(w)[last - 1] - w
    below = np.cumsum(own[::-1])[::-1][first] - own
    squares = w**2
    single, pairs = own.sum(), own @ above
    value = single / positives
    value += (positives - 1) * pairs / max(positives**2 - squares.sum(), _MIN_DIVISOR)
    if end[0] == end[-1] or n < 3:
        return float(value), np.zeros(n)
    without = (positives - w) ** 2 - (squares.sum() - squares)
    left_out = (positives - 1) / without * (pairs - own * above - w * below)
    left_out += (single - own) / (positives - w)
    return float(value), (value - left_out) * (1 - w / positives) / w
