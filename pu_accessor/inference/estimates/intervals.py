"""Estimates of an area at some betas, and their intervals.

An interval is Student's t on the scale of ranks, with one distance downwards and one upwards. The
two are equal where known positives are a simple random sample. With propensities they differ:
unseen positives with large weights pull to one side. Where a standard error says nothing, the
areas under bounding curves replace the interval.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from pu_accessor.inference.prior.methods import limit_from_positives
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import make_tables
from pu_accessor.inference.tables.curves import (
    area,
    average_precision_bounds,
    completed_area,
    of_few_betas,
)
from pu_accessor.ranking import BoolArray, FloatArray, IntArray, Ranking


def half_width(error: FloatArray, df: FloatArray | float, level: float) -> FloatArray:
    """Return how far an estimate can be off: Student's quantile times its standard error.

    Examples
    --------
    >>> reach(np.array([0.1, 0.0]), 9, 0.95).round(4)
    array([0.2262,    nan])
    """
    return np.where(error > 0, scipy.special.stdtrit(df, (1 + level) / 2) * error, np.nan)


def logit_rank_interval(
    value: FloatArray,
    place: FloatArray | float,
    stretch: FloatArray,
    down: FloatArray,
    up: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of what is linear in a mean share of ranks, on the logit scale of that.

    Notes
    -----
    The share lies in (0, 1) even where the value does not. With the logit z of the share, the
    value changes by stretch*share*(1 - share) dz.

    Examples
    --------
    >>> one = np.array([1.0])
    >>> rank_interval(0.9 * one, 0.8, 1.25 * one, 0.15 * one, 0.15 * one)
    (array([0.71739415]), array([1.]))
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        slope, middle = stretch * (place * (1 - place)), scipy.special.logit(place)
        ends = scipy.special.expit(middle - down / slope), scipy.special.expit(middle + up / slope)
    lower, upper = (np.clip(value + (end - place) * stretch, 0, 1) for end in ends)
    return lower, upper


_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Estimates:
    """A metric of one ranking at some betas; all arrays have the shape (betas,)."""

    value: FloatArray
    error: FloatArray  # standard errors; NaN of a metric at a cutoff
    lower: FloatArray  # the smaller number; NaN where an error says nothing, or beta is refuted
    upper: FloatArray
    # Value and limits before they are cut to [0, 1], for errors that are still to be added.
    untrimmed: tuple[FloatArray, FloatArray, FloatArray] | None = None
    # Of a metric at a cutoff.
    band: str | None = None  # its name
    rank: IntArray | None = None  # examples predicted positive
    threshold: FloatArray | None = None  # lowest score that is
    examples_at_threshold: IntArray | None = None  # at or above it: more in a block of ties
    clipped: BoolArray | None = None  # whether a limit is cut to what the unlabeled allow
    rank_lower: IntArray | None = None  # between which ranks a point of the true curve lies
    rank_upper: IntArray | None = None

    @property
    def parts(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Value and limits."""
        return self.value, self.lower, self.upper


def use_sample_completion(
    ranking: Ranking,
    betas: FloatArray,
    rule: Settings,
    statistic: Estimates,
    curve: str,
    max_fpr: float | None = None,
) -> Estimates:
    """Put the area of these examples' completed ranking for an unbiased statistic.

    Where a standard error says nothing the interval is that between areas under bounding curves.
    """
    completed = completed_area(curve, ranking, betas, max_fpr)
    statistic = fix_where_known(ranking, betas, statistic, completed)
    _, lower, upper = statistic.parts
    stuck = np.isnan(lower) & (ranking.total.known_positive > 1)
    if stuck.any():
        lower[stuck], upper[stuck] = bounding_curve_areas(
            ranking, betas[stuck], Settings(rule.level), curve, max_fpr
        )
    statistic = replace(statistic, lower=lower, upper=upper)
    return use_completed_estimate(ranking, betas, rule.level, statistic, completed)


def fix_where_known(
    ranking: Ranking, betas: FloatArray, statistic: Estimates, completed: FloatArray
) -> Estimates:
    """Put the value, without an error, where it is known which unlabeled examples are positive.

    These are none of them, or all.
    """
    unsure = (betas * ranking.total.unlabeled > 0) & (betas < 1)
    value, lower, upper = (np.where(unsure, part, completed) for part in statistic.parts)
    error = np.where(unsure, statistic.error, 0.0)
    return replace(statistic, value=value, error=error, lower=lower, upper=upper)


def bounding_curve_areas(
    ranking: Ranking, betas: FloatArray, rule: Settings, curve: str, max_fpr: float | None = None
) -> FloatArray:
    """Return the areas that the bounding curves of a band allow, the lower ones first."""

    def areas(betas: FloatArray) -> FloatArray:
        tables = make_tables(ranking, betas, rule)
        if curve == "pr":
            lower, _, upper = np.moveaxis(tables.tp, 0, -1)
            return average_precision_bounds(lower, upper, tables.ranking.rank)
        ends = [np.moveaxis(count[:, ::2], 0, -1) for count in tables.table]
        return area(curve, *ends, max_fpr=max_fpr)

    return of_few_betas(areas, ranking, betas)


def use_completed_estimate(
    ranking: Ranking, betas: FloatArray, level: float, statistic: Estimates, completed: FloatArray
) -> Estimates:
    """Put the one estimate for a statistic, whose interval is kept untrimmed beside, or refuted.

    Value and limits are kept as they were before they were cut, or refuted: at both ends.
    """
    cut = include_estimate(_drop_refuted_betas(statistic, ranking, betas, level), completed)
    off = scipy.special.ndtri((1 + level) / 2) * statistic.error
    beyond = (statistic.value < 0) | (statistic.value > 1)
    _, lower, upper = statistic.untrimmed or cut.parts
    lower = np.fmin(cut.lower, np.where(lower < 1, lower, np.nan))  # cut at the wrong end
    upper = np.fmax(cut.upper, np.where(upper > 0, upper, np.nan))
    value = np.where(beyond, statistic.value, cut.value)
    lower = np.where(beyond | (lower <= 0), np.fmin(lower, statistic.value - off), lower)
    upper = np.where(beyond | (upper >= 1), np.fmax(upper, statistic.value + off), upper)
    return replace(cut, untrimmed=(value, lower, upper))


def include_estimate(statistic: Estimates, completed: FloatArray) -> Estimates:
    """Put the one estimate for an unbiased statistic; the interval reaches to it.

    Examples
    --------
    >>> one = np.ones(1)
    >>> found = around(Estimates(1.1 * one, 0.1 * one, 0.9 * one, one), 0.95 * one)
    >>> [part.tolist() for part in found.parts]
    [[0.95], [0.9], [1.0]]
    """
    completed = np.clip(completed, 0, 1)  # but for rounding
    lower = np.clip(np.minimum(statistic.lower, completed), 0, 1)
    upper = np.clip(np.maximum(statistic.upper, completed), 0, 1)
    return replace(statistic, value=completed, lower=lower, upper=upper)


def _drop_refuted_betas(
    statistic: Estimates, ranking: Ranking, betas: FloatArray, level: float
) -> Estimates:
    """Leave no interval where a statistic is impossible and beta exceeds its limit."""
    beyond = np.maximum(statistic.value - 1, -statistic.value)
    df = max(ranking.total.known_positive - 1, 1)
    error = scipy.special.stdtrit(df, 0.975) * statistic.error
    impossible = beyond > np.where(np.isnan(error), 1, error) + _TOLERANCE
    if not impossible.any() or ranking.clusters is not None:  # which have no limit on beta
        return statistic
    slack = 0.5 / max(ranking.total.unlabeled, 1)
    too_high = impossible & (betas > limit_from_positives(ranking, 1 - level) + slack)
    lower, upper = (np.where(too_high, np.nan, end) for end in (statistic.lower, statistic.upper))
    return replace(statistic, lower=lower, upper=upper)
