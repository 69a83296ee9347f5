"""Any quantity of one ranking, at betas, within an interval, or jointly with an estimate of beta.

A value A(beta) with limits for each beta comes from the ranking, an interval of beta from
elsewhere. Where the two errors are independent, a beta that is off by a share t of how far it can
be off leaves the ranking sqrt(1 - t**2) of what that can be off by itself.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from pu_accessor.checks import latent_counts
from pu_accessor.inference.estimates.binomial import metric_on_new
from pu_accessor.inference.estimates.contaminated import contaminated_metric
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.intervals import Estimates, over_interval
from pu_accessor.inference.estimates.metric_at import (
    AtCutoff,
    Head,
    evaluate_at,
    find_head,
    metric_at,
    rule_at,
)
from pu_accessor.inference.estimates.within_odds import estimate_any
from pu_accessor.inference.quantities import Quantity
from pu_accessor.inference.settings import BetaRange, Settings
from pu_accessor.inference.tables.contingency import Table, check_labels, mean_of_ends
from pu_accessor.inference.tables.latent_bounds import bound_latent, complete_at, references_used
from pu_accessor.inference.tables.metrics import Metric, evaluate
from pu_accessor.ranking import Counts, FloatArray, IntArray, Ranking

_TURN = np.linspace(0, np.pi / 2, 33)
_OFF, _LEFT = np.sin(_TURN), np.cos(_TURN)  # of beta, and what that leaves of the ranking
_POINT, _LOWER, _UPPER = range(3)
_ROUNDING = 1e-9


def join_estimates(
    found: Estimates, beta: BetaRange, span: tuple[float, float] = (0.0, 1.0)
) -> Estimates:
    """Put the errors of beta and of the ranking together, for an area or an average.

    Both are added before anything is cut to [0, 1]: at an estimate that is too high by chance, or
    at its limit, an area can be beyond 1 though the true one is not. Nothing is known only where
    all of the interval is.
    """
    floor, width = span[0], span[1] - span[0]
    limits = []
    for each in (found.parts, found.uncut or found.parts):
        value, lower, upper = ((part - floor) / width for part in each)
        limits.append(join_limits(value, lower, upper, beta))
    lower, upper = (
        pick(*ends)
        for pick, ends in zip((np.fmin, np.fmax), zip(*limits, strict=True), strict=True)
    )
    possible = (lower <= 1 + _ROUNDING) & (upper >= -_ROUNDING)
    lower, upper = (
        np.where(possible, floor + width * np.clip(limit, 0, 1), np.nan)
        for limit in (lower, upper)
    )
    return Estimates(found.value[:1], found.error[:1], lower, upper)


def join_limits(
    value: FloatArray, lower: FloatArray, upper: FloatArray, beta: BetaRange
) -> tuple[FloatArray, FloatArray]:
    """Return limits that hold whatever beta is, as far as its interval holds.

    Notes
    -----
    Let beta be off by a share t of the distance to one of its limits. There the value is A(t),
    and can be off by d(t) at the level of the answer; both are taken as straight in t. As errors
    that are independent add by their squares, the ranking is then off by at most sqrt(1 - t**2) of
    that: the lower limit is the lowest of A(t) - sqrt(1 - t**2)*d(t) over t in [0, 1] and both
    limits of beta. Where d does not change this is A(0) less the root of the sum of both squared
    distances ([1]_, [2]_).

    Where there is no more than an upper limit on beta, any beta down to the lower end may be the
    true one and none is more likely: there the ranking's limits stand as they are. Where there are
    limits on both sides, that holds for all betas between them.

    References
    ----------
    .. [1] G. Y. Zou, A. Donner, *Construction of confidence limits about effect measures: a
       general approach*, Statistics in Medicine 27 (2008) 1693-1702.
    .. [2] S. A. Murphy, A. W. van der Vaart, *On profile likelihood*, Journal of the American
       Statistical Association 95 (2000) 449-465.

    Examples
    --------
    >>> beta = BetaRange(np.array([0.3]), (0.2, 0.4), 0.95)
    >>> value = np.array([0.8, 0.76, 0.84])
    >>> lower, upper = join_limits(value, value - 0.03, value + 0.03, beta)
    >>> lower.round(3), upper.round(3)
    (array([0.75]), array([0.85]))
    """
    none = np.isnan(lower[..., :1]) | np.isnan(upper[..., :1])
    if beta.limits == "both":
        low, high = np.fmin.reduce(lower, axis=-1), np.fmax.reduce(upper, axis=-1)
    else:
        value = _with_ends(value)
        down, up = _off(value, value - lower), _off(value, upper - value)
        low, high = _extreme(np.fmin, value, -down, beta), _extreme(np.fmax, value, up, beta)
        if beta.limits == "upper":
            free = [_LOWER, *range(_UPPER + 1, value.shape[-1])]
            low = np.fmin(low, np.fmin.reduce(lower[..., free], axis=-1))
            high = np.fmax(high, np.fmax.reduce(upper[..., free], axis=-1))
    return np.where(none, np.nan, low[..., np.newaxis]), np.where(
        none, np.nan, high[..., np.newaxis]
    )


def _with_ends(value: FloatArray) -> FloatArray:
    """Put 1 or 0 for values that are beyond: a beta at a limit may be too high for the ranking."""
    point, lower, upper = (value[..., place] for place in (_POINT, _LOWER, _UPPER))
    ends = np.where(point < lower, 0.0, 1.0), np.where(point < upper, 0.0, 1.0)
    lower = np.where(np.isnan(lower), ends[1], lower)
    upper = np.where(np.isnan(upper), ends[0], upper)
    return np.stack([point, lower, upper, *np.moveaxis(value[..., _UPPER + 1 :], -1, 0)], axis=-1)


def _off(value: FloatArray, distance: FloatArray) -> FloatArray:
    """Return how far values can be off at each beta; as at the estimate where not known."""
    known = np.where(np.isnan(distance), distance[..., :1], distance)
    return np.maximum(known, 0.0)


def _extreme(pick: np.ufunc, value: FloatArray, off: FloatArray, beta: BetaRange) -> FloatArray:
    """Return the lowest or highest on the way to the limits of beta."""
    found = []
    for end in (_UPPER,) if beta.limits == "upper" else (_LOWER, _UPPER):
        middle, width = (
            np.multiply.outer(side[..., _POINT], 1 - _OFF)
            + np.multiply.outer(side[..., end], _OFF)
            for side in (value, off)
        )
        found.append(pick.reduce(middle + width * _LEFT, axis=-1))
    extreme: FloatArray = pick.reduce(found)
    return extreme


_TABLES_OFF = np.sin(np.linspace(0, np.pi / 2, 5))[1:]  # how far beta is off, of how far it can be


def join_metric_at(
    ranking: Ranking, beta: BetaRange, name: str | Metric, at: Cutoff, rule: Settings
) -> AtCutoff:
    """Evaluate a metric of these examples at one cutoff, whatever beta is within its interval.

    Notes
    -----
    Where beta is off by a share t of the distance to its limit, the band counts sqrt(1 - t**2) of
    its distance from the estimated number of latent positives in the head. Where that is cut to
    what the unlabeled examples there allow, errors no longer add by squares: a metric then depends
    on the nearer of two ends. Such a bound counts as a whole at all betas.
    """
    check_labels(np.array([beta.upper]), ranking.total, references_used(rule.reference, ranking))
    rule = rule_at(ranking, at, rule)
    head = find_head(ranking, beta.point, name, at, rule)
    betas, share = _walk(beta, rule.level)
    point = evaluate_at(head, BetaRange(betas[:1]), name, rule)
    values = evaluate(name, *_tables(head, betas, share, rule)).astype(np.float64)
    ends = np.append(values.ravel(), [point.lower, point.upper])
    return at_estimate(
        point, np.fmin.reduce(ends, keepdims=True), np.fmax.reduce(ends, keepdims=True)
    )


def _walk(beta: BetaRange, level: float) -> tuple[FloatArray, FloatArray]:
    """Return betas from the estimate to its limits, and what each leaves of the band."""
    point, lower, upper, *between = beta.grid(level).tolist()
    left = np.sqrt(1 - _TABLES_OFF**2)
    up = point + _TABLES_OFF * (upper - point)
    if beta.limits == "both":
        return (every := beta.grid(level)), np.ones(every.size)
    if beta.limits == "upper":
        free = [point, lower, *between]
        return np.concatenate([free, up]), np.concatenate([np.ones(len(free)), left])
    down = point - _TABLES_OFF * (point - lower)
    return np.concatenate([[point], down, up]), np.concatenate([[1.0], left, left])


def _tables(head: Head, betas: FloatArray, share: FloatArray, rule: Settings) -> Table:
    """Return the tables of both bounds, each with a share of its distance from the estimate."""
    ends, rule = head.ends, head.share_error(rule)
    latent = latent_counts(betas, ends.total.unlabeled)
    cutoffs = [ends.take(np.array([cutoff])) for cutoff in range(head.part.size)]
    in_head = np.stack([_between(cutoff, latent, share, rule) for cutoff in cutoffs])
    tp = mean_of_ends(head.part, ends.known_positive[:, np.newaxis, np.newaxis] + in_head)
    positives = ends.total.known_positive + latent
    return Table.of(tp, mean_of_ends(head.part, ends.head), positives, sum(ends.total))


def _between(here: Ranking, latent: IntArray, share: FloatArray, rule: Settings) -> IntArray:
    """Return both bounds on the latent positives at a cutoff, moved towards the estimate."""
    unlabeled, head = here.total.unlabeled, int(here.unlabeled[0])
    bounds = bound_latent(here, latent, rule, refine=False)
    (low, high), (_, completed) = bounds.claimed[0], complete_at(here, latent, bounds.tightest)
    least, most = np.maximum(latent - (unlabeled - head), 0), np.minimum(latent, head)
    middle = np.clip(completed[0], low, high)
    one = np.ones(share.size)
    below, above = one if (low < least).any() else share, one if (high > most).any() else share
    ends = np.stack(
        [np.floor(middle - below * (middle - low)), np.ceil(middle + above * (high - middle))]
    )
    return np.clip(ends.astype(np.int64), least, most)


def at_estimate(found: AtCutoff, lower: FloatArray, upper: FloatArray) -> AtCutoff:
    """Return what was found at the first beta, with other limits."""
    names = ("rank", "threshold", "examples_at_threshold", "estimate", "clipped")
    first = {name: getattr(found, name)[:1] for name in names}
    return replace(found, **first, lower=lower, upper=upper)


def value_of(
    quantity: Quantity,
    ranking: Ranking,
    beta: BetaRange,
    settings: Settings,
    target: str,
    cutoff: Cutoff | None,
) -> Estimates:
    """Return the value of a quantity, whichever it is."""
    if cutoff is None:
        ask = partial(estimate_any, ranking, curve=str(quantity.curve), target=target)
        return area_over(ask, ranking.total, beta, settings)
    metric = metric_value(quantity, ranking, beta, settings, target, cutoff)
    unknown = np.full(metric.estimate.size, np.nan)
    return Estimates(metric.estimate, unknown, metric.lower, metric.upper, band=metric.band)


def area_over(
    estimate: Callable[[FloatArray, Settings], Estimates],
    total: Counts,
    beta: BetaRange,
    settings: Settings,
) -> Estimates:
    """Return an area at betas, within an interval of them, or jointly with an estimate of one."""
    if beta.is_estimate:
        return join_estimates(estimate(beta.grid(settings.level), settings), beta)
    points, interval = beta.values, beta.interval
    return over_interval(lambda betas: estimate(betas, settings), total, points, interval)


def metric_value(
    quantity: Quantity,
    ranking: Ranking,
    beta: BetaRange,
    settings: Settings,
    target: str,
    cutoff: Cutoff,
) -> AtCutoff:
    """Return a metric at a cutoff."""
    metric = quantity.metric
    if target == "population":
        on_new = partial(metric_on_new, beta=beta, name=metric, threshold=cutoff.value)
        if not beta.is_estimate:
            return _ask_about(ranking, cutoff, settings, on_new)
        betas = BetaRange(beta.grid(settings.level))
        on_grid = metric_on_new(ranking, betas, metric, cutoff.value, settings)
        limits = join_limits(on_grid.estimate, on_grid.lower, on_grid.upper, beta)
        return at_estimate(on_grid, *limits)
    cutoff = quantity.at_whole(cutoff, sum(ranking.total))
    if beta.is_estimate:
        return join_metric_at(ranking, beta, metric, cutoff, settings)
    at_cutoff = partial(metric_at, beta=beta, name=metric, at=cutoff)
    return _ask_about(ranking, cutoff, settings, at_cutoff)


def _ask_about(
    ranking: Ranking, cutoff: Cutoff, settings: Settings, ask: Callable[..., AtCutoff]
) -> AtCutoff:
    """Ask a ranking about a metric, where some known positives may be wrong at the worst."""

    def answer(ranking: Ranking, rule: Settings) -> AtCutoff:
        return ask(ranking, rule=rule)

    if settings.contamination:
        return contaminated_metric(ranking, cutoff, settings, answer)
    return answer(ranking, settings)
