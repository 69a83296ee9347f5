"""Estimate any metric at betas, over an interval of beta, or jointly with an estimate of beta."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy

from pu_accessor.beta import Beta
from pu_accessor.checks import hidden_counts
from pu_accessor.errors import PUValueError
from pu_accessor.inference.answer import Answer, bounding_areas, join_betas, search_extremes
from pu_accessor.inference.assumption_tests import is_single
from pu_accessor.inference.calibration import check_probability_scores
from pu_accessor.inference.contingency import check_labels
from pu_accessor.inference.cutoff_spec import FIXED, OPTIMIZED, RATES, Cutoff
from pu_accessor.inference.metric_at_cutoff import (
    add_location,
    evaluate_at_position,
    future_metric_at_threshold,
    join_tables_over_beta,
    locate_chosen_cutoff,
    locate_cutoff,
    metric_at_cutoff,
)
from pu_accessor.inference.metric_at_rate import future_metric_at_goal, metric_at_goal
from pu_accessor.inference.metric_entry import Metric
from pu_accessor.ranking import Counts, FloatArray, Ranking
from pu_accessor.roles_and_assumptions import Terms

_SHIFT_LEVEL = 0.95  # of the bounds by which limits move: the same for all levels, so they nest
_MAX_COUNTS, _MAX_TABLE_SIZE = 1000, 4_000_000  # numbers of hidden positives; times known ones


# Readings of the possible tables, by target and kind of cutoff.
Reading: TypeAlias = Callable[[Ranking, FloatArray, Metric, Cutoff, Terms], Answer]
READINGS: Mapping[str, Mapping[str, Reading]] = {
    "examples": {
        **dict.fromkeys((*FIXED, *OPTIMIZED, "first", "positives"), metric_at_cutoff),
        **dict.fromkeys(RATES, metric_at_goal),
    },
    "population": {
        **dict.fromkeys(("rank", "fraction", *RATES), future_metric_at_goal),
        "threshold": future_metric_at_threshold,
    },
}


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


def estimate_metric(asked: Asked, ranking: Ranking, beta: Beta, terms: Terms) -> Answer:
    """Estimate a metric of one ranking at betas, over an interval, or with an estimated beta."""
    metric, at, target = asked
    if metric.cutoff == "probability":
        check_probability_scores(ranking, metric.name)
    if at is not None:
        metric = metric.at_cutoff(at)
        # Optimized cutoffs need simultaneous limits.
        is_optimum = at.kind in OPTIMIZED and terms.band == "exact"
        terms = replace(terms, band="simultaneous") if is_optimum else terms

    def evaluate(betas: FloatArray) -> Answer:
        optimum_at = None if beta.interval is None else beta.point
        return _estimate_at_betas(asked._replace(metric=metric), ranking, betas, terms, optimum_at)

    if not metric.takes_beta or beta.interval is None:
        return evaluate(beta.values)
    is_of_table = at is not None and at.kind in (*FIXED, *OPTIMIZED) and metric.estimator is None
    if at is not None and beta.is_estimate and target == "examples" and is_of_table:
        return join_tables_over_beta(metric, ranking, beta, terms, at)
    betas = beta.grid(terms.level)
    if beta.is_estimate:
        return join_betas(evaluate(betas), beta)
    if at is not None and target == "examples":
        betas = _add_all_counts(betas, ranking.total)
    else:  # keep the first beta, and all with negatives
        negatives = ranking.total.known_negative + ranking.total.unlabeled * (1 - betas)
        betas = betas[(negatives > 0) | (np.arange(betas.size) == 0)]
    return join_betas(search_extremes(evaluate, betas, evaluate(betas)), beta)


def _estimate_at_betas(
    asked: Asked, ranking: Ranking, betas: FloatArray, terms: Terms, optimum_at: float | None
) -> Answer:
    """Estimate a metric at some betas; `optimum_at` is the beta of an optimized cutoff."""
    metric, cutoff, target = asked
    if metric.takes_beta and metric.estimator is not None:
        check_labels(betas, ranking.total)
    if cutoff is None:
        return _estimate_ranking_metric(metric, ranking, betas, terms, target)
    if metric.estimator is not None:
        estimates = metric.estimator[target](metric, ranking, betas, terms)
        if metric.depth is None:
            return estimates
        return add_location(estimates, locate_cutoff(ranking, cutoff))
    if cutoff.kind in OPTIMIZED and optimum_at is not None:
        position = locate_chosen_cutoff(ranking, optimum_at, metric, cutoff, terms)
        return evaluate_at_position(position, betas, metric, terms)
    return READINGS[target][cutoff.kind](ranking, betas, metric, cutoff, terms)


def _estimate_ranking_metric(
    metric: Metric, ranking: Ranking, betas: FloatArray, terms: Terms, target: str
) -> Answer:
    """Estimate a metric of a whole ranking, with biased or wrong labels as is assumed."""
    # Limits for random labels move by as much as bounding areas do. The coverage is
    # simulated, not proven (coverage.csv: "`auroc`, future data", design "selection odds of 3").
    # No beta is refuted.
    if metric.estimator is None:
        raise PUValueError(f"{metric.name} is not a metric of one ranking.")
    estimates = metric.estimator[target](metric, ranking, betas, terms.at_random)
    if terms.is_random:
        return estimates
    both = terms, terms.at_random
    biased, _ = shift = [bounding_areas(metric, ranking, betas, one) for one in both]
    if terms.level != _SHIFT_LEVEL:
        fixed = [one.at_level(_SHIFT_LEVEL) for one in both]
        shift = [bounding_areas(metric, ranking, betas, one) for one in fixed]
    limits = np.stack([estimates.lower, estimates.upper])
    if estimates.untrimmed:  # also where beta was refuted
        limits = np.where(np.isnan(limits), np.clip(estimates.untrimmed[1:], 0, 1), limits)
    default = biased if target == "examples" else np.array([[0.0], [1.0]])
    if target == "population" and is_single(ranking.total):
        default = np.full((2, 1), np.nan)
    moved = np.where(np.isnan(limits), default, _shift_limits(limits, *shift))
    if metric.curve == "pr":
        lower, upper = np.where(shift[0] == shift[1], moved, biased)
        own = limits if target == "examples" else moved
        moved = np.stack([np.fmin(own[0], lower), np.fmax(own[1], upper)])
    return estimates.with_limits(*moved)


def _shift_limits(limits: FloatArray, biased: FloatArray, at_random: FloatArray) -> FloatArray:
    """Move limits of an area, shape (2, betas), by as much as bounds move, on the logit scale."""
    with np.errstate(invalid="ignore", divide="ignore"):
        limit, start, end = (
            scipy.special.logit(np.clip(each, 0, 1)) for each in (limits, at_random, biased)
        )
        moved = scipy.special.expit(limit + (end - start))
    ends = np.array([[0.0], [1.0]])
    moved = np.where(np.isinf(start) | np.isinf(end) | np.isinf(limit), ends, moved)
    return np.where(biased == at_random, limits, moved)


def _add_all_counts(betas: FloatArray, total: Counts) -> FloatArray:
    """Add the betas of all numbers of hidden positives in between, if they are not many."""
    low, high = hidden_counts(np.sort(betas)[[0, -1]], total.unlabeled).tolist()
    if high - low > min(_MAX_COUNTS, _MAX_TABLE_SIZE // max(total.known_positive, 1)):
        return betas
    counts = np.arange(low, high) / total.unlabeled
    return np.append(betas, np.setdiff1d(counts[counts > betas.min()], betas))
