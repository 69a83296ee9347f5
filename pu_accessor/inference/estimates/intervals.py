"""Answers with intervals, and their correction by the completed ranking."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import scipy

from pu_accessor.inference.answer import Answer
from pu_accessor.inference.bands.weighted import effective_size, weight_beyond
from pu_accessor.inference.estimates.known_positives import FloatPair, linear_errors
from pu_accessor.inference.prior import limit_from_positives
from pu_accessor.inference.tables import curves
from pu_accessor.inference.tables.contingency import make_tables
from pu_accessor.ranking import FloatArray, Numbers, Ranking
from pu_accessor.roles_and_assumptions import Terms

_PRIOR_SIZE = 0.5  # values added to a sample at either end, as in Jeffreys' prior
_TOLERANCE = 1e-9
_REFUTING_ERRORS = 3  # standard errors beyond [0, 1] at which a statistic contradicts beta


def half_width(error: FloatArray, df: FloatArray | float, level: float) -> FloatArray:
    """Return Student's quantile times the standard error; NaN where that is 0."""
    return np.where(error > 0, scipy.special.stdtrit(df, (1 + level) / 2) * error, np.nan)


def logit_interval(
    value: FloatArray, p: FloatArray | float, scale: FloatArray, down: FloatArray, up: FloatArray
) -> FloatPair:
    """Return the interval of what is linear in a mean share of ranks, on that share's logits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        slope, middle = scale * (p * (1 - p)), scipy.special.logit(p)
        ends = scipy.special.expit(middle - down / slope), scipy.special.expit(middle + up / slope)
    lower, upper = (np.clip(value + (end - p) * scale, 0, 1) for end in ends)
    return lower, upper


def bounded_mean_distances(
    mean: FloatArray,
    variance: FloatArray,
    size: Numbers | float,
    level: float,
    unseen: Sequence[Numbers | float] = (1.0, 1.0),
) -> FloatPair:
    """Return how far below and above the mean of a sample in [0, 1] its limits lie."""
    # `unseen` tells how many values of the sample one at 0, or at 1, counts.
    tail, distances = (1 - level) / 2, []
    for end, times in enumerate(unseen):
        added = _PRIOR_SIZE * times
        total = size + added
        center = (size * mean + added * end) / total
        scatter = size * (added / total) * (mean - end) ** 2 + (size - 1) * variance
        with np.errstate(divide="ignore", invalid="ignore"):
            k = center * (1 - center) * total * (total + 1) / scatter - 1
        quantile = scipy.special.betaincinv(center * k, (1 - center) * k, abs(end - tail))
        distances.append(np.where(center == end, 0 * variance, np.abs(quantile - mean)))
    return distances[0], distances[1]


def mean_limits(
    values: FloatArray, hidden: FloatArray, level: float, unseen: float = 1.0
) -> tuple[float, float, float, float]:
    """Return the mean over positives less that of known ones, its error and its limits' distances.

    Known positives, best first, have values in [0, 1] and stand for some hidden ones each.
    """
    weight, size = 1 + hidden, effective_size(1 + hidden)
    share, difference = weight / weight.sum(), values - values[0]  # exactly 0 if all are equal
    error, of_many = linear_errors(difference / weight.sum(), hidden)
    ends = [unseen * weight_beyond(side) / weight.mean() for side in (weight, weight[::-1])]
    mean, variance = np.array(share @ values), np.array(of_many**2 * size)
    down, up = bounded_mean_distances(mean, variance, size, level, ends)
    # Of the distances from the mean a part is left, as the positives are not many.
    left = error / of_many if of_many else float(hidden.sum() / weight.sum()) ** 0.5
    shift = float((share - share.mean()) @ difference)
    return shift, error, left * float(down), left * float(up)


def use_sample_completion(
    ranking: Ranking,
    betas: FloatArray,
    terms: Terms,
    statistic: Answer,
    curve: str,
    max_fpr: float | None = None,
) -> Answer:
    """Use the completed area, with bounding areas of the band "exact" where there is no error."""
    completed = curves.area_of_estimate(curve, ranking, betas, max_fpr)
    statistic = fix_where_known(ranking, betas, statistic, completed)
    _, lower, upper = statistic.parts
    is_undefined = np.isnan(lower) & (ranking.total.known_positive > 1)
    if is_undefined.any():
        lower[is_undefined], upper[is_undefined] = bounding_curve_areas(
            ranking, betas[is_undefined], Terms(level=terms.level), curve, max_fpr
        )
    statistic = replace(statistic, lower=lower, upper=upper)
    return use_completed(ranking, betas, terms.level, statistic, completed)


def fix_where_known(
    ranking: Ranking, betas: FloatArray, statistic: Answer, completed: FloatArray
) -> Answer:
    """Use the completed value, with error 0, where all or none of the unlabeled are positive."""
    is_uncertain = (betas * ranking.total.unlabeled > 0) & (betas < 1)
    value, lower, upper = (np.where(is_uncertain, part, completed) for part in statistic.parts)
    error = np.where(is_uncertain, statistic.error, 0.0)
    return replace(statistic, value=value, error=error, lower=lower, upper=upper)


def bounding_curve_areas(
    ranking: Ranking, betas: FloatArray, terms: Terms, curve: str, max_fpr: float | None = None
) -> FloatArray:
    """Return the areas under the bounding curves of a band, shape (2, betas)."""

    def areas(betas: FloatArray) -> FloatArray:
        table = make_tables(ranking, betas, terms).table
        if curve == "pr":
            sides = [np.moveaxis(count, 0, -1) for count in table[:3]]
            extreme = curves.extreme_average_precision
            return np.stack([extreme(side, *(c[side + 1] for c in sides)) for side in (-1, 1)])
        return curves.roc_area(
            *(np.moveaxis(count[:, ::2], 0, -1) for count in table), max_fpr=max_fpr
        )

    return curves.in_batches_of_betas(areas, ranking, betas)


def use_completed(
    ranking: Ranking, betas: FloatArray, level: float, statistic: Answer, completed: FloatArray
) -> Answer:
    """Use the completed estimate in an interval widened to it; also keep both untrimmed."""
    possible = statistic
    if ranking.clusters is None:  # which have no limit on beta
        slack = 0.5 / max(ranking.total.unlabeled, 1)
        possible = drop_refuted_betas(
            statistic, betas, lambda: limit_from_positives(ranking, 1 - level) + slack
        )
    trimmed = include_estimate(possible, completed)
    margin = scipy.special.ndtri((1 + level) / 2) * statistic.error
    is_outside = (statistic.value < 0) | (statistic.value > 1)
    _, lower, upper = statistic.untrimmed or trimmed.parts
    lower = np.fmin(trimmed.lower, np.where(lower < 1, lower, np.nan))
    upper = np.fmax(trimmed.upper, np.where(upper > 0, upper, np.nan))
    value = np.where(is_outside, statistic.value, trimmed.value)
    lower = np.where(is_outside | (lower <= 0), np.fmin(lower, statistic.value - margin), lower)
    upper = np.where(is_outside | (upper >= 1), np.fmax(upper, statistic.value + margin), upper)
    return replace(trimmed, untrimmed=(value, lower, upper))


def include_estimate(statistic: Answer, completed: FloatArray) -> Answer:
    """Use the completed value in place of an unbiased one, in an interval widened to it."""
    completed = np.clip(completed, 0, 1)  # removes rounding errors
    lower = np.clip(np.minimum(statistic.lower, completed), 0, 1)
    upper = np.clip(np.maximum(statistic.upper, completed), 0, 1)
    return replace(statistic, value=completed, lower=lower, upper=upper)


def drop_refuted_betas(
    statistic: Answer, betas: FloatArray, highest: Callable[[], FloatArray | float]
) -> Answer:
    """Set limits to NaN where a statistic is far from possible and beta above the highest."""
    excess = np.maximum(statistic.value - 1, -statistic.value)
    error = np.where(np.isnan(statistic.error), 1, _REFUTING_ERRORS * statistic.error)
    impossible = excess > error + _TOLERANCE
    if not impossible.any():
        return statistic
    too_high = impossible & (betas > highest())
    lower, upper = (np.where(too_high, np.nan, end) for end in (statistic.lower, statistic.upper))
    return replace(statistic, lower=lower, upper=upper)
