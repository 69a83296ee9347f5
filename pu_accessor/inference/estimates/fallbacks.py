"""Estimates at some betas: where areas under bounding curves stand in, and while beta varies."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from scipy import special

from pu_accessor.checks import Interval, interval_betas
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.areas import area
from pu_accessor.inference.tables.contingency import check_labels, make_tables
from pu_accessor.ranking import BoolArray, Counts, FloatArray, Ranking

__all__ = ["Estimates", "Estimator", "complete", "over_betas"]

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Estimates:
    """An area of one ranking at some betas.

    Parameters
    ----------
    value, error, lower, upper : ndarray of float64, shape (betas,)
        Estimates, standard errors and intervals; NaN where there is none.
    envelope : (float, float), optional
        The lowest lower and the highest upper limit while beta varies within an interval.
    reach : (ndarray, ndarray) of float64, shape (betas,), optional
        The lowest and the highest estimate for every selection within a factor of the odds.
    """

    value: FloatArray
    error: FloatArray
    lower: FloatArray
    upper: FloatArray
    envelope: tuple[float, float] | None = None
    reach: tuple[FloatArray, FloatArray] | None = None


# From betas to estimates from the known positives alone, intervals NaN where there is no error.
Estimator: TypeAlias = Callable[[FloatArray], Estimates]


def complete(
    ranking: Ranking,
    betas: FloatArray,
    rule: Settings,
    estimate: Estimator,
    curve: str,
    max_fpr: float | None = None,
    interval: Interval | None = None,
) -> Estimates:
    """Estimate an area at some betas, and at those within an interval where there is one."""
    check_labels(betas, ranking.total)
    bounds = Settings(level=rule.level)

    def completed(every: FloatArray) -> Estimates:
        found = _without_hidden(estimate(every), every * ranking.total.unlabeled > 0)
        return _between_curves(found, ranking, every, bounds, curve, max_fpr)

    return over_betas(ranking.total, betas, interval, completed)


def over_betas(
    total: Counts, betas: FloatArray, interval: Interval | None, estimate: Estimator
) -> Estimates:
    """Estimate at some betas, and an envelope over an interval of them where there is one."""
    inner = interval_betas(interval, betas)
    every = np.concatenate([betas, inner[_leaves_negatives(total, inner)]])
    return _split(_possible(estimate(every), total.known_positive), every, betas.size, interval)


def _leaves_negatives(total: Counts, betas: FloatArray) -> BoolArray:
    """Tell at which betas within an interval there are negatives left."""
    left: BoolArray = total.known_negative + total.unlabeled * (1 - betas) > 0
    return left


def _without_hidden(found: Estimates, hidden: BoolArray) -> Estimates:
    """Put the value for the interval where all positives are known."""
    lower, upper = (np.where(hidden, limit, found.value) for limit in (found.lower, found.upper))
    return replace(found, lower=lower, upper=upper)


def _between_curves(
    found: Estimates,
    ranking: Ranking,
    betas: FloatArray,
    rule: Settings,
    curve: str,
    max_fpr: float | None,
) -> Estimates:
    """Put the areas under bounding curves for the interval where a standard error says nothing."""
    stuck = np.isnan(found.lower) & (ranking.total.known_positive > 1)
    if not stuck.any():
        return found
    counts = make_tables(ranking, betas[stuck], rule).table
    tp, fp, fn, _ = (np.moveaxis(count[:, ::2], 0, -1) for count in counts)
    low, high = area(curve, tp, fp, fn, max_fpr)
    inside = np.clip(found.value[stuck], 0, 1)  # bands are of counts, which are rounded
    lower, upper = found.lower.copy(), found.upper.copy()
    lower[stuck], upper[stuck] = np.minimum(low, inside), np.maximum(high, inside)
    return replace(found, lower=lower, upper=upper)


def _possible(found: Estimates, known: int) -> Estimates:
    """Put NaN where an estimate is outside [0, 1] by more than its error, at 95%."""
    beyond = np.maximum(found.value - 1, -found.value)
    error = special.stdtrit(max(known - 1, 1), 0.975) * found.error
    nowhere = beyond > np.where(np.isnan(error), 1, error) + _ROUNDING

    def possible(field: FloatArray) -> FloatArray:
        return np.where(nowhere, np.nan, field)

    return Estimates(
        possible(found.value),
        possible(found.error),
        possible(found.lower),
        possible(found.upper),
        reach=found.reach,
    )


def _split(
    found: Estimates, betas: FloatArray, points: int, interval: Interval | None
) -> Estimates:
    """Make an envelope of what was estimated within the interval, and leave the points."""
    envelope = None
    if interval is not None:
        inside = (betas >= interval[0]) & (betas <= interval[1])
        envelope = (
            float(np.fmin.reduce(found.lower[inside], initial=np.nan)),
            float(np.fmax.reduce(found.upper[inside], initial=np.nan)),
        )
    reach = found.reach and (found.reach[0][:points], found.reach[1][:points])
    return Estimates(
        found.value[:points],
        found.error[:points],
        found.lower[:points],
        found.upper[:points],
        envelope,
        reach,
    )
