"""Estimate any metric at betas, over an interval of beta, or jointly with an estimate of beta.

All other modules take arrays of betas. The errors of beta and of the ranking are independent: a
beta at a share t of its error leaves sqrt(1 - t**2) of the error of the ranking (Zou and Donner,
Statistics in Medicine 27, 2008, 1693-1702; Murphy and van der Vaart, JASA 95, 2000, 449-465).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.beta import Beta
from pu_accessor.checks import hidden_counts
from pu_accessor.errors import PUValueError
from pu_accessor.inference.diagnostics import is_single
from pu_accessor.inference.estimates.calibration import check_probability_scores
from pu_accessor.inference.estimates.cutoff_spec import FIXED, OPTIMIZED, RATES, Cutoff
from pu_accessor.inference.estimates.intervals import Estimates, bounding_curve_areas
from pu_accessor.inference.estimates.known_positives import FloatPair, unrounded_negatives
from pu_accessor.inference.estimates.metric_at_cutoff import (
    add_location,
    evaluate_at_position,
    future_metric_at_threshold,
    locate_chosen_cutoff,
    locate_cutoff,
    metric_at_cutoff,
)
from pu_accessor.inference.estimates.metric_at_rate import metric_at_rate
from pu_accessor.inference.metrics import Metric
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import Table, check_labels, mean_of_ends
from pu_accessor.inference.tables.latent_bounds import (
    bound_latent,
    complete_at_bends,
    make_bands,
    references_used,
)
from pu_accessor.ranking import Counts, FloatArray, IntArray, Ranking

_ERROR_ANGLES = np.linspace(0, np.pi / 2, 33)
_BETA_SHARES, _RANKING_SHARES = np.sin(_ERROR_ANGLES), np.cos(_ERROR_ANGLES)  # of both errors
_TABLE_BETA_SHARES = np.sin(np.linspace(0, np.pi / 2, 5))[1:]  # of the error of beta
_POINT, _LOWER, _UPPER = range(3)  # positions in the grid of betas
_TOLERANCE = 1e-9
_MAX_COUNTS, _MAX_TABLE_SIZE = 1000, 4_000_000  # numbers of hidden positives; times known ones
_SEARCH_ROUNDS, _POINTS_PER_ROUND, _MINIMA_PER_ROUND = 3, 6, 3  # of a search between betas


class Asked(NamedTuple):
    """A metric, at a cutoff, of a target."""

    metric: Metric
    cutoff: Cutoff | None
    target: str


def targets_of(asked: Sequence[Asked]) -> str:
    """Return the targets of all that is asked."""
    return ", ".join(sorted({one.target for one in asked}))


def is_auroc_of_future(asked: Sequence[Asked]) -> bool:
    """Tell whether all that is asked is the whole AUROC of future data."""
    each = [(one.metric.curve, one.metric.max_fpr, one.target) for one in asked]
    return each == [("roc", None, "population")]


def estimate_metric(
    metric: Metric, ranking: Ranking, beta: Beta, rule: Settings, target: str, at: Cutoff | None
) -> Estimates:
    """Estimate a metric of one ranking at betas, over an interval, or with an estimated beta."""
    if metric.cutoff == "probability":
        check_probability_scores(ranking, metric.name)
    if at is not None:
        metric = metric.at_cutoff(at)
        # Optimized cutoffs need simultaneous limits.
        is_optimum = at.kind in OPTIMIZED and rule.band == "exact"
        rule = replace(rule, band="simultaneous") if is_optimum else rule
        is_of_table = at.kind in (*FIXED, *OPTIMIZED) and metric.estimator is None
        if beta.is_estimate and target == "examples" and is_of_table:
            return _add_beta_error_to_table(metric, ranking, beta, rule, at)
    if not metric.takes_beta or beta.interval is None:
        return _estimate_at_betas(metric, ranking, beta.values, rule, target, at)
    betas = beta.grid(rule.level)
    if not beta.is_estimate:
        if at is not None and target == "examples":
            betas = _add_all_counts(betas, ranking.total)
        else:  # keep the first beta, and all with negatives
            has_negatives = unrounded_negatives(ranking.total, betas) > 0
            betas = betas[has_negatives | (np.arange(betas.size) == 0)]

    def evaluate(betas: FloatArray) -> Estimates:
        return _estimate_at_betas(metric, ranking, betas, rule, target, at, beta.point)

    estimates = evaluate(betas)
    if not beta.is_estimate:
        return _keep_first_beta(estimates, *_extreme_limits(evaluate, betas, estimates))
    if at is None:
        return add_beta_error_to_estimates(estimates, beta)
    return _keep_first_beta(estimates, *add_beta_error(*estimates.parts, beta))


def _estimate_at_betas(
    metric: Metric,
    ranking: Ranking,
    betas: FloatArray,
    settings: Settings,
    target: str,
    cutoff: Cutoff | None,
    optimum_at: float | None = None,
) -> Estimates:
    """Estimate a metric at some betas; `optimum_at` is the beta of an optimized cutoff."""
    if cutoff is None:
        return _estimate_ranking_metric(metric, ranking, betas, settings, target)
    if metric.estimator is not None:
        estimates = metric.estimator(metric, ranking, betas, settings, target)
        if metric.depth is None:
            return estimates
        return add_location(estimates, locate_cutoff(ranking, cutoff))
    if cutoff.kind in RATES:
        return metric_at_rate(ranking, betas, metric, cutoff, settings, target)
    if target == "population":
        return _estimate_future_metric(metric, ranking, betas, settings, cutoff)
    return metric_at_cutoff(ranking, betas, metric, cutoff, settings, optimum_at)


def _estimate_ranking_metric(
    metric: Metric, ranking: Ranking, betas: FloatArray, settings: Settings, target: str
) -> Estimates:
    """Estimate a metric of a whole ranking, with biased or wrong labels as the settings assume."""
    # Limits for random labels move by as much as bounding areas do. The coverage is not proven; it
    # was simulated with adversarial labels. No beta is refuted.
    if metric.estimator is None:
        raise PUValueError(f"{metric.name} is not a metric of one ranking.")
    estimates = metric.estimator(metric, ranking, betas, settings.at_random, target)
    if not settings.failure:
        return estimates
    biased, at_random = (
        bounding_curve_areas(ranking, betas, each, metric.curve or "", metric.max_fpr)
        for each in (settings, settings.at_random)
    )
    limits = np.stack([estimates.lower, estimates.upper])
    if estimates.untrimmed:  # also where beta was refuted
        limits = np.where(np.isnan(limits), np.clip(estimates.untrimmed[1:], 0, 1), limits)
    default = biased if target == "examples" else np.array([[0.0], [1.0]])
    if target == "population" and is_single(ranking.total):
        default = np.full((2, 1), np.nan)
    moved = np.where(np.isnan(limits), default, _shift_limits(metric, limits, at_random, biased))
    if metric.curve == "pr":
        lower, upper = np.where(biased == at_random, moved, biased)
        own = limits if target == "examples" else moved
        moved = np.stack([np.fmin(own[0], lower), np.fmax(own[1], upper)])
    return _replace_limits(estimates, moved)


def _estimate_future_metric(
    metric: Metric, ranking: Ranking, betas: FloatArray, settings: Settings, cutoff: Cutoff
) -> Estimates:
    """Estimate a metric of future data at a threshold, with biased or wrong labels."""
    random = settings.at_random
    estimates = future_metric_at_threshold(ranking, betas, metric, cutoff.value, random)
    if not settings.failure:
        return estimates
    both = random, settings
    on_sample = [metric_at_cutoff(ranking, betas, metric, cutoff, rule) for rule in both]
    limits = (np.stack([each.lower, each.upper]) for each in (estimates, *on_sample))
    return _replace_limits(estimates, _shift_limits(metric, *limits))


def _shift_limits(
    metric: Metric, limits: FloatArray, at_random: FloatArray, biased: FloatArray
) -> FloatArray:
    """Move limits, shape (2, betas), by as much as bounds move, on the logit scale if bounded."""
    if metric.span == np.inf:
        moved = limits + (biased - at_random)
        return np.stack([np.fmin(moved[0], biased[0]), np.fmax(moved[1], biased[1])])
    with np.errstate(invalid="ignore", divide="ignore"):
        limit, start, end = (
            scipy.special.logit(np.clip((each - metric.low) / metric.span, 0, 1))
            for each in (limits, at_random, biased)
        )
        moved = scipy.special.expit(limit + (end - start))
    ends = np.array([[0.0], [1.0]])
    moved = np.where(np.isinf(start) | np.isinf(end) | np.isinf(limit), ends, moved)
    return np.where(biased == at_random, limits, metric.low + metric.span * moved)


def _replace_limits(estimates: Estimates, limits: FloatArray) -> Estimates:
    """Replace limits, widened to the estimate."""
    lower, upper = np.minimum(limits[0], estimates.value), np.maximum(limits[1], estimates.value)
    return replace(estimates, lower=lower, upper=upper, untrimmed=None)


def _add_all_counts(betas: FloatArray, total: Counts) -> FloatArray:
    """Add the betas of all numbers of hidden positives in between, if they are not many."""
    low, high = hidden_counts(np.sort(betas)[[0, -1]], total.unlabeled).tolist()
    if high - low > min(_MAX_COUNTS, _MAX_TABLE_SIZE // max(total.known_positive, 1)):
        return betas
    counts = np.arange(low, high) / total.unlabeled
    return np.append(betas, np.setdiff1d(counts[counts > betas.min()], betas))


def _extreme_limits(
    evaluate: Callable[[FloatArray], Estimates], betas: FloatArray, estimates: Estimates
) -> FloatPair:
    """Return the lowest lower and the highest upper limit; search again near their betas."""
    betas, order = np.unique(betas, return_index=True)
    ends = np.stack([estimates.lower, -estimates.upper])[:, order]
    for _ in range(_SEARCH_ROUNDS):
        lowest = np.argsort(ends, axis=1)[:, :_MINIMA_PER_ROUND].ravel()
        start, end = betas[np.clip([lowest - 1, lowest + 1], 0, betas.size - 1)]
        more = np.setdiff1d(np.linspace(start, end, _POINTS_PER_ROUND + 1), betas)
        if not more.size:
            break
        finer = evaluate(more)
        betas = np.append(betas, more)
        ends = np.append(ends, np.stack([finer.lower, -finer.upper]), axis=1)
        order = np.argsort(betas)
        betas, ends = betas[order], ends[:, order]
    low, high = np.fmin.reduce(ends, axis=1)
    return np.array([low]), np.array([-high])


def _keep_first_beta(estimates: Estimates, lower: FloatArray, upper: FloatArray) -> Estimates:
    """Return the estimates at the first beta, with other limits."""
    names = ("value", "error", "rank", "threshold", "examples_at_threshold")
    first = {name: array[:1] for name in names if (array := getattr(estimates, name)) is not None}
    clipped = None if estimates.clipped is None else np.atleast_1d(estimates.clipped.any())
    if estimates.rank_lower is not None and estimates.rank_upper is not None:
        first["rank_lower"] = estimates.rank_lower.min(keepdims=True)
        first["rank_upper"] = estimates.rank_upper.max(keepdims=True)
    return replace(estimates, **first, lower=lower, upper=upper, clipped=clipped, untrimmed=None)


def extend_over_betas(
    lower: FloatArray, estimate: FloatArray, upper: FloatArray, points: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return estimates at the first betas (last axis), with limits over all betas."""
    if lower.shape[-1] == points:
        return lower, estimate, upper
    low, high = np.fmin.reduce(lower, -1, keepdims=True), np.fmax.reduce(upper, -1, keepdims=True)
    middle = estimate[..., :points]
    return low + 0 * middle, middle, high + 0 * middle


def add_beta_error_to_estimates(
    estimates: Estimates, beta: Beta, span: tuple[float, float] = (0.0, 1.0)
) -> Estimates:
    """Combine the errors of beta and of the ranking, in trimmed and untrimmed limits."""
    floor, width = span[0], span[1] - span[0]
    limits = []
    for each in (estimates.parts, estimates.untrimmed or estimates.parts):
        value, lower, upper = ((part - floor) / width for part in each)
        limits.append(add_beta_error(value, lower, upper, beta))
    lowers, uppers = zip(*limits, strict=True)
    lower, upper = np.fmin(*lowers), np.fmax(*uppers)
    is_possible = (lower <= 1 + _TOLERANCE) & (upper >= -_TOLERANCE)
    trimmed = (floor + width * np.clip(limit, 0, 1) for limit in (lower, upper))
    lower, upper = (np.where(is_possible, limit, np.nan) for limit in trimmed)
    return Estimates(estimates.value[:1], estimates.error[:1], lower, upper)


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


def _add_beta_error_to_table(
    metric: Metric, ranking: Ranking, beta: Beta, rule: Settings, at: Cutoff
) -> Estimates:
    """Evaluate a metric of this sample at one cutoff, over all betas of an estimate."""
    # A bound that is cut to what the unlabeled examples allow is kept whole at all betas.
    check_labels(np.array([beta.upper]), ranking.total, references_used(rule.reference, ranking))
    position = locate_chosen_cutoff(ranking, beta.point, metric, at, rule)
    betas, band_share = _betas_and_band_share(beta, rule.level)
    at_point = evaluate_at_position(position, betas[:1], metric, rule)
    (cutoffs, weights), rule = position, position.split_error(rule)
    hidden = hidden_counts(betas, cutoffs.total.unlabeled)
    single_cutoffs = [cutoffs.take(np.array([index])) for index in range(weights.size)]
    bounds = np.stack([_tight_bounds(c, hidden, band_share, rule) for c in single_cutoffs])
    tp = mean_of_ends(weights, cutoffs.known_positive[:, np.newaxis, np.newaxis] + bounds)
    positives, rank = (cutoffs.total.known_positive + hidden, mean_of_ends(weights, cutoffs.head))
    values = metric(*Table.of(tp, rank, positives, sum(cutoffs.total))).astype(np.float64)
    ends = np.append(values.ravel(), [at_point.lower, at_point.upper])
    lower, upper = np.fmin.reduce(ends, keepdims=True), np.fmax.reduce(ends, keepdims=True)
    return _keep_first_beta(at_point, lower, upper)


def _betas_and_band_share(beta: Beta, level: float) -> FloatPair:
    """Return betas from the estimate to its limits, and the share of the band kept at each."""
    grid = beta.grid(level)
    point, lower, upper = grid[[_POINT, _LOWER, _UPPER]]
    kept = np.sqrt(1 - _TABLE_BETA_SHARES**2)
    up = point + _TABLE_BETA_SHARES * (upper - point)
    if beta.is_upper_limit:
        free = np.delete(grid, _UPPER)
        return np.concatenate([free, up]), np.concatenate([np.ones(free.size), kept])
    down = point - _TABLE_BETA_SHARES * (point - lower)
    return np.concatenate([[point], down, up]), np.concatenate([[1.0], kept, kept])


def _tight_bounds(cutoff: Ranking, hidden: IntArray, kept: FloatArray, rule: Settings) -> IntArray:
    """Return both bounds on the hidden positives at a cutoff, moved towards the estimate."""
    unlabeled, predicted = cutoff.total.unlabeled, int(cutoff.unlabeled[0])
    bounds = bound_latent(make_bands(cutoff, hidden, rule), cutoff, rule)
    low, high = bounds.claimed[0]
    completed = complete_at_bends(cutoff, hidden, bounds.tightest)[1]
    fewest, most = np.maximum(hidden - (unlabeled - predicted), 0), np.minimum(hidden, predicted)
    middle = np.clip(completed[0], low, high)
    below = 1.0 if (low < fewest).any() else kept
    above = 1.0 if (high > most).any() else kept
    lower = np.floor(middle - below * (middle - low))
    upper = np.ceil(middle + above * (high - middle))
    return np.clip(np.stack([lower, upper]).astype(np.int64), fewest, most)
