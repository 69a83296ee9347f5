"""The value of any quantity for one ranking, with its interval, at betas or at an estimate."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import ceil

import numpy as np

from pu_accessor.inference.estimates.binomial import metric_on_new
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.intervals import Estimates, over_interval
from pu_accessor.inference.estimates.joint import (
    at_estimate,
    join_estimates,
    join_limits,
    join_metric_at,
)
from pu_accessor.inference.estimates.metric_at import AtCutoff, metric_at
from pu_accessor.inference.estimates.within_odds import estimate_any
from pu_accessor.inference.quantities import Quantity
from pu_accessor.inference.settings import BetaRange, Settings, ranking_level
from pu_accessor.ranking import Counts, FloatArray, Ranking


def value_of(
    quantity: Quantity,
    ranking: Ranking,
    beta: BetaRange,
    settings: Settings,
    target: str,
    cutoff: Cutoff | None,
    joint: str = "approximate",
) -> Estimates:
    """Return the value of a quantity, whichever it is."""
    if cutoff is None:
        ask = partial(estimate_any, ranking, curve=str(quantity.curve), target=target)
        return area_over(ask, ranking.total, beta, settings, joint)
    metric = metric_value(quantity, ranking, beta, settings, target, cutoff, joint)
    unknown = np.full(metric.estimate.size, np.nan)
    return Estimates(metric.estimate, unknown, metric.lower, metric.upper, band=metric.band)


def area_over(
    estimate: Callable[[FloatArray, Settings], Estimates],
    total: Counts,
    beta: BetaRange,
    settings: Settings,
    joint: str,
) -> Estimates:
    """Return an area at betas, within an interval of them, or jointly with an estimate of one."""
    if beta.is_estimate:
        return join_estimates(estimate(*_on_grid(beta, settings, joint)), beta, joint)
    points, interval = beta.values, beta.interval
    return over_interval(lambda betas: estimate(betas, settings), total, points, interval)


def metric_value(
    quantity: Quantity,
    ranking: Ranking,
    beta: BetaRange,
    settings: Settings,
    target: str,
    cutoff: Cutoff,
    joint: str,
) -> AtCutoff:
    """Return a metric at a cutoff."""
    metric = quantity.metric
    if target == "population":
        if not beta.is_estimate:
            return metric_on_new(ranking, beta, metric, cutoff.value, settings)
        betas, settings = _on_grid(beta, settings, joint)
        on_grid = metric_on_new(ranking, BetaRange(betas), metric, cutoff.value, settings)
        limits = join_limits(on_grid.estimate, on_grid.lower, on_grid.upper, beta, joint)
        return at_estimate(on_grid, *limits)
    if quantity.rounds_up and cutoff.kind == "fraction":
        examples = Fraction(str(cutoff.value)) * sum(ranking.total)
        cutoff = Cutoff("rank", ceil(examples))
    if beta.is_estimate:
        return join_metric_at(ranking, beta, metric, cutoff, settings, joint)
    return metric_at(ranking, beta, metric, cutoff, settings)


def _on_grid(beta: BetaRange, settings: Settings, joint: str) -> tuple[FloatArray, Settings]:
    """Return the betas at which a ranking is asked for an estimate of beta, and its settings."""
    level = ranking_level(settings.level, beta.level) if joint == "guaranteed" else settings.level
    return beta.grid(settings.level, joint), settings.at_level(level)
