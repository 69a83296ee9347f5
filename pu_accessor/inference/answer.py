"""An answer: a number at some betas with its limits, corrected by the completed ranking.

Over an interval of beta the limits are the extremes of those at its betas. With an estimate of
beta, its error and that of the ranking are independent: a beta at a share t of its error leaves
sqrt(1 - t**2) of the error of the ranking (Zou and Donner, Statistics in Medicine 27, 2008,
1693-1702; Murphy and van der Vaart, JASA 95, 2000, 449-465).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import scipy

from pu_accessor.beta import Beta
from pu_accessor.inference import curves
from pu_accessor.inference.contingency import make_tables
from pu_accessor.inference.known_positives import (
    FloatPair,
    effective_size,
    linear_errors,
    weight_beyond,
)
from pu_accessor.inference.prior import limit_from_positives
from pu_accessor.ranking import FloatArray, Numbers, Ranking
from pu_accessor.roles_and_assumptions import Terms

Parts: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
# Columns that are extremes over betas; others are those at the first.
_EXTREMES: Mapping[str, np.ufunc] = {
    "clipped": np.logical_or,
    "rank_lower": np.minimum,
    "rank_upper": np.maximum,
}
_SEARCH_ROUNDS, _POINTS_PER_ROUND, _MINIMA_PER_ROUND = 3, 6, 3  # of a search between betas
_ERROR_ANGLES = np.linspace(0, np.pi / 2, 33)
_BETA_SHARES, _RANKING_SHARES = np.sin(_ERROR_ANGLES), np.cos(_ERROR_ANGLES)  # of both errors
_POINT, _LOWER, _UPPER = range(3)  # positions in `Beta.grid`
_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Answer:
    """A number with its limits; the last axis of each array is that of betas."""

    value: FloatArray
    lower: FloatArray  # NaN without a usable error, or where beta is refuted
    upper: FloatArray
    # The standard error, of numbers that have one.
    error: FloatArray = field(default_factory=partial(np.array, np.nan))
    columns: Mapping[str, Any] = field(default_factory=dict)  # what rows show, too
    band: str | None = None  # name of the band
    untrimmed: Parts | None = None  # before value and limits are cut to [0, 1]

    def __post_init__(self) -> None:
        """Give the error and all columns the shape of the value."""
        shape = self.value.shape
        if self.error.shape != shape:
            object.__setattr__(self, "error", np.full(shape, self.error))
        columns = {
            name: column if np.shape(column) == shape else np.full(shape, column)
            for name, column in self.columns.items()
        }
        object.__setattr__(self, "columns", columns)

    @property
    def parts(self) -> Parts:
        """Value and limits."""
        return self.value, self.lower, self.upper

    def with_limits(self, lower: FloatArray, upper: FloatArray) -> Answer:
        """Return the same value with other limits, widened to it."""
        lower, upper = np.minimum(lower, self.value), np.maximum(upper, self.value)
        return replace(self, lower=lower, upper=upper, untrimmed=None)

    def with_columns(self, **columns: Any) -> Answer:
        """Return the answer with more columns."""
        return replace(self, columns={**self.columns, **columns})


def join_answers(answers: Sequence[Answer]) -> Answer:
    """Return answers at some betas each as one."""
    first, join = answers[0], partial(np.concatenate, axis=-1)
    each = zip(*((*one.parts, one.error) for one in answers), strict=True)
    value, lower, upper, error = map(join, each)
    columns = {name: join([one.columns[name] for one in answers]) for name in first.columns}
    untrimmed: Any = None
    if first.untrimmed:
        both = zip(*(one.untrimmed or one.parts for one in answers), strict=True)
        untrimmed = tuple(map(join, both))
    return Answer(value, lower, upper, error, columns, first.band, untrimmed)


def join_betas(answer: Answer, beta: Beta) -> Answer:
    """Return an answer at `Beta.grid` as one at its first beta: over an interval, or jointly."""
    if beta.interval is None:
        return answer
    if beta.is_estimate:
        lower, upper = _joint_limits(answer, beta)
    else:
        lower = np.fmin.reduce(answer.lower, axis=-1, keepdims=True)
        upper = np.fmax.reduce(answer.upper, axis=-1, keepdims=True)
    columns = {
        name: _EXTREMES[name].reduce(column, axis=-1, keepdims=True)
        if name in _EXTREMES
        else column[..., :1]
        for name, column in answer.columns.items()
    }
    first = answer.value[..., :1], lower, upper, answer.error[..., :1]
    return Answer(*first, columns, answer.band)


def search_extremes(
    evaluate: Callable[[FloatArray], Answer], betas: FloatArray, answer: Answer
) -> Answer:
    """Add the betas near the lowest lower and the highest upper limit to an answer."""
    for _ in range(_SEARCH_ROUNDS):
        order = np.argsort(betas)
        ends = np.stack([answer.lower, -answer.upper])[:, order]
        lowest = np.argsort(ends, axis=1)[:, :_MINIMA_PER_ROUND].ravel()
        start, end = betas[order[np.clip([lowest - 1, lowest + 1], 0, betas.size - 1)]]
        more = np.setdiff1d(np.linspace(start, end, _POINTS_PER_ROUND + 1), betas)
        if not more.size:
            break
        betas, answer = np.append(betas, more), join_answers([answer, evaluate(more)])
    return answer


def _joint_limits(answer: Answer, beta: Beta) -> FloatPair:
    """Return the limits by both errors; trimmed and untrimmed ones where there are both."""
    lower, upper = add_beta_error(*answer.parts, beta)
    if answer.untrimmed is None:
        return lower, upper
    low, high = add_beta_error(*answer.untrimmed, beta)
    lower, upper = np.fmin(lower, low), np.fmax(upper, high)
    is_possible = (lower <= 1 + _TOLERANCE) & (upper >= -_TOLERANCE)
    lower, upper = (np.where(is_possible, np.clip(end, 0, 1), np.nan) for end in (lower, upper))
    return lower, upper


def add_beta_error(
    value: FloatArray, lower: FloatArray, upper: FloatArray, beta: Beta
) -> FloatPair:
    """Return the extremes of A(t) +- sqrt(1 - t**2)*d(t) on the way to the limits of beta."""
    is_undefined = np.isnan(lower[..., :1]) | np.isnan(upper[..., :1])
    value = _fill_impossible_betas(value)
    # Unknown errors are those at the estimate.
    lower_error, upper_error = (
        np.maximum(np.where(np.isnan(error), error[..., :1], error), 0.0)
        for error in (value - lower, upper - value)
    )
    low = _extreme_limit(np.fmin, value, -lower_error, beta)
    high = _extreme_limit(np.fmax, value, upper_error, beta)
    if beta.is_upper_limit:  # all betas below are as likely, and keep the limits of the ranking
        free_betas = [_LOWER, *range(_UPPER + 1, value.shape[-1])]
        low = np.fmin(low, np.fmin.reduce(lower[..., free_betas], axis=-1))
        high = np.fmax(high, np.fmax.reduce(upper[..., free_betas], axis=-1))
    low, high = (np.where(is_undefined, np.nan, end[..., np.newaxis]) for end in (low, high))
    return low, high


def _fill_impossible_betas(value: FloatArray) -> FloatArray:
    """Replace values at impossible limits of beta by 1 or 0, the end they tend to."""
    point, lower, upper = (value[..., index] for index in (_POINT, _LOWER, _UPPER))
    ends = np.where(point < lower, 0.0, 1.0), np.where(point < upper, 0.0, 1.0)
    lower = np.where(np.isnan(lower), ends[1], lower)
    upper = np.where(np.isnan(upper), ends[0], upper)
    return np.stack([point, lower, upper, *np.moveaxis(value[..., _UPPER + 1 :], -1, 0)], axis=-1)


def _extreme_limit(pick: np.ufunc, value: FloatArray, error: FloatArray, beta: Beta) -> FloatArray:
    """Return the lowest or highest limit on the way to the limits of beta."""
    extremes = []
    for end in (_UPPER,) if beta.is_upper_limit else (_LOWER, _UPPER):
        middle, width = (
            np.multiply.outer(side[..., _POINT], 1 - _BETA_SHARES)
            + np.multiply.outer(side[..., end], _BETA_SHARES)
            for side in (value, error)
        )
        extremes.append(pick.reduce(middle + width * _RANKING_SHARES, axis=-1))
    return np.asarray(pick.reduce(extremes))


_PRIOR_SIZE = 0.5  # values added to a sample at either end, as in Jeffreys' prior
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
    metric: Any, ranking: Ranking, betas: FloatArray, terms: Terms, statistic: Answer
) -> Answer:
    """Use the completed area, with bounding areas of the band "exact" where there is no error."""
    completed = curves.area_of_estimate(metric, ranking, betas)
    statistic = fix_where_known(ranking, betas, statistic, completed)
    unknown = np.isnan(statistic.lower) & (ranking.total.known_positive > 1)
    if unknown.any():
        ends = bounding_areas(metric, ranking, betas[unknown], Terms(level=terms.level))
        statistic.lower[unknown], statistic.upper[unknown] = ends
    return use_completed(ranking, betas, terms.level, statistic, completed)


def fix_where_known(
    ranking: Ranking, betas: FloatArray, statistic: Answer, completed: FloatArray
) -> Answer:
    """Use the completed value, with error 0, where all or none of the unlabeled are positive."""
    is_uncertain = (betas * ranking.total.unlabeled > 0) & (betas < 1)
    value, lower, upper = (np.where(is_uncertain, part, completed) for part in statistic.parts)
    error = np.where(is_uncertain, statistic.error, 0.0)
    return replace(statistic, value=value, error=error, lower=lower, upper=upper)


def bounding_areas(metric: Any, ranking: Ranking, betas: FloatArray, terms: Terms) -> FloatArray:
    """Return the areas under the bounding curves of a band, shape (2, betas)."""

    def areas(betas: FloatArray) -> FloatArray:
        table = make_tables(ranking, betas, terms).table
        if metric.curve == "pr":
            sides = [np.moveaxis(count, 0, -1) for count in table[:3]]
            extreme = curves.extreme_average_precision
            return np.stack([extreme(side, *(c[side + 1] for c in sides)) for side in (-1, 1)])
        sides = [np.moveaxis(count[:, ::2], 0, -1) for count in table]
        return curves.roc_area(*sides, max_fpr=metric.max_fpr)

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
