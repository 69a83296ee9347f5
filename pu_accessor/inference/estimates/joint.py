"""Any metric of one ranking, at betas, within an interval, or jointly with an estimate of beta.

This is the one place that knows how beta is said; all else takes arrays of betas. A value A(beta)
with limits for each beta comes from the ranking, an interval of beta from elsewhere. Where the two
errors are independent, a beta that is off by a share t of how far it can be off leaves the ranking
sqrt(1 - t**2) of what that can be off by itself.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import scipy

from pu_accessor.beta import Beta
from pu_accessor.checks import hidden_counts
from pu_accessor.errors import PUValueError
from pu_accessor.inference.diagnostics import has_one
from pu_accessor.inference.estimates.curve_points import metric_at_point
from pu_accessor.inference.estimates.cutoff_spec import CHOSEN, FIXED, RATES, Cutoff
from pu_accessor.inference.estimates.intervals import Estimates, bounding_areas
from pu_accessor.inference.estimates.known_positives import unrounded_negatives
from pu_accessor.inference.estimates.metric_at import (
    evaluate_at,
    find_head,
    fixed_head,
    located,
    metric_at,
    metric_on_new,
)
from pu_accessor.inference.estimates.utility import check_probabilities
from pu_accessor.inference.metrics import Metric
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import Table, check_labels, mean_of_ends
from pu_accessor.inference.tables.latent_bounds import (
    bound_by,
    complete_at,
    make_bands,
    references_used,
)
from pu_accessor.ranking import Counts, FloatArray, IntArray, Ranking

_TURN = np.linspace(0, np.pi / 2, 33)
_OFF, _LEFT = np.sin(_TURN), np.cos(_TURN)  # of beta, and what that leaves of the ranking
_POINT, _LOWER, _UPPER = range(3)
_ROUNDING = 1e-9
_MOST_COUNTS, _MOST_ENTRIES = 1000, 4_000_000  # that are looked at; times known positives
_ROUNDS, _PARTS, _LOWEST = 3, 6, 3  # of a search between betas


def estimate(
    metric: Metric,
    ranking: Ranking,
    beta: Beta,
    settings: Settings,
    target: str,
    cutoff: Cutoff | None,
) -> Estimates:
    """Estimate a metric of one ranking, whichever it is and however beta is said.

    Where beta varies within an interval the limits are the lowest and the highest of all betas
    within it, and the estimate is that at its point.

    Examples
    --------
    >>> from pu_accessor.inference.metrics import METRICS
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> beta = Beta(np.array([0.25]), (0.2, 0.3))
    >>> found = estimate(METRICS["auroc"], ranking, beta, Settings(), "population", None)
    >>> found.value.round(3), found.lower.round(3), found.upper
    (array([0.798]), array([0.188]), array([1.]))
    """
    if metric.of_probabilities:
        check_probabilities(ranking, metric.name)
    if cutoff is not None:
        cutoff = metric.at_whole(cutoff, sum(ranking.total))
        metric, settings = metric.at_cutoff(cutoff), _rule_at(cutoff, settings)
        is_of_table = cutoff.kind in (*FIXED, *CHOSEN) and metric.estimator is None
        if beta.is_estimate and target == "examples" and is_of_table:
            return _join_tables(metric, ranking, beta, settings, cutoff)
    if not metric.takes_beta or beta.interval is None:
        return _ask(metric, ranking, beta.values, settings, target, cutoff)
    betas = beta.grid(settings.level)
    if not beta.is_estimate:
        if cutoff is not None and target == "examples":
            betas = _every_count(betas, ranking.total)
        else:  # without betas, but for the first, at which nothing is negative
            possible = unrounded_negatives(ranking.total, betas) > 0
            betas = betas[possible | (np.arange(betas.size) == 0)]

    def ask(betas: FloatArray) -> Estimates:
        return _ask(metric, ranking, betas, settings, target, cutoff, beta.point)

    found = ask(betas)
    if not beta.is_estimate:
        return _at_point(found, *_find_ends(ask, betas, found))
    if cutoff is None:
        return join_estimates(found, beta)
    return _at_point(found, *join_limits(found.value, found.lower, found.upper, beta))


def _rule_at(cutoff: Cutoff, rule: Settings) -> Settings:
    """Return the rule for a cutoff: one that estimates choose takes limits of all cutoffs."""
    chosen = cutoff.kind in CHOSEN and rule.band == "exact"
    return replace(rule, band="simultaneous") if chosen else rule


def _ask(
    metric: Metric,
    ranking: Ranking,
    betas: FloatArray,
    settings: Settings,
    target: str,
    cutoff: Cutoff | None,
    head_at: float | None = None,
) -> Estimates:
    """Estimate a metric at some betas; at a cutoff that is found at one of them, if need be."""
    if cutoff is None:
        return _estimate_area(metric, ranking, betas, settings, target)
    if metric.estimator is not None:
        found = metric.estimator(metric, ranking, betas, settings, target)
        return found if metric.depth is None else located(found, fixed_head(ranking, cutoff))
    if cutoff.kind in RATES:
        return metric_at_point(ranking, betas, metric, cutoff, settings, target)
    if target == "population":
        return _estimate_on_new(metric, ranking, betas, settings, cutoff)
    return metric_at(ranking, betas, metric, cutoff, settings, head_at)


def _estimate_area(
    metric: Metric, ranking: Ranking, betas: FloatArray, settings: Settings, target: str
) -> Estimates:
    """Estimate a metric of a whole ranking, for whichever labels may fail.

    Notes
    -----
    The estimate is that of random labels. Each limit of their interval moves by as much as the
    area under the bounding curve of the band "exact" does when the assumption is made, both on
    the logit scale: where that is 1 already nothing is known. Those of average precision reach to
    the bounding areas, and no farther for these examples. No beta is ruled out then. Where random
    labels leave no interval, the bounding areas stand for these examples, and nothing is known of
    new ones. That this covers is measured, with labels that were chosen against it.
    """
    if metric.estimator is None:
        raise PUValueError(f"{metric.name} is no metric of one ranking.")
    found = metric.estimator(metric, ranking, betas, settings.at_random, target)
    if not settings.failure:
        return found
    within, at_random = (
        bounding_areas(ranking, betas, each, metric.curve or "", metric.max_fpr)
        for each in (settings, settings.at_random)
    )
    limits = np.stack([found.lower, found.upper])
    if found.uncut:  # also where beta was ruled out
        limits = np.where(np.isnan(limits), found.uncut[1:], limits)
    nothing = within if target == "examples" else np.array([[0.0], [1.0]])
    if target == "population" and has_one(ranking.total):
        nothing = np.full((2, 1), np.nan)
    moved = np.where(np.isnan(limits), nothing, _move(metric, limits, at_random, within))
    if metric.curve == "pr":
        lower, upper = np.where(within == at_random, moved, within)
        own = limits if target == "examples" else moved
        moved = np.stack([np.fmin(own[0], lower), np.fmax(own[1], upper)])
    return _reach(found, moved)


def _estimate_on_new(
    metric: Metric, ranking: Ranking, betas: FloatArray, settings: Settings, cutoff: Cutoff
) -> Estimates:
    """Estimate a metric of new examples at a threshold, for whichever labels may fail.

    The limits for random labels move by as much as those of these examples do.
    """
    found = metric_on_new(ranking, betas, metric, cutoff.value, settings.at_random)
    if not settings.failure:
        return found
    ends = [
        np.stack([these.lower, these.upper])
        for each in (settings.at_random, settings)
        for these in [metric_at(ranking, betas, metric, cutoff, each)]
    ]
    return _reach(found, _move(metric, np.stack([found.lower, found.upper]), *ends))


def _move(
    metric: Metric, limits: FloatArray, at_random: FloatArray, within: FloatArray
) -> FloatArray:
    """Move limits, shape (2, betas), by as much as bounds move from one place to another.

    Of a metric from 0 to 1, or -1 to 1, this is on the logit scale. Others have no such scale:
    their limits also reach to the bounds.
    """
    if metric.span == np.inf:
        moved = limits + (within - at_random)
        return np.stack([np.fmin(moved[0], within[0]), np.fmax(moved[1], within[1])])
    with np.errstate(invalid="ignore", divide="ignore"):
        limit, start, end = (
            scipy.special.logit(np.clip((each - metric.low) / metric.span, 0, 1))
            for each in (limits, at_random, within)
        )
        moved = scipy.special.expit(limit + (end - start))
    ends = np.array([[0.0], [1.0]])
    moved = np.where(np.isinf(start) | np.isinf(end) | np.isinf(limit), ends, moved)
    return np.where(within == at_random, limits, metric.low + metric.span * moved)


def _reach(found: Estimates, limits: FloatArray) -> Estimates:
    """Put limits that reach to the estimate."""
    lower, upper = np.minimum(limits[0], found.value), np.maximum(limits[1], found.value)
    return replace(found, lower=lower, upper=upper, uncut=None)


def _every_count(betas: FloatArray, total: Counts) -> FloatArray:
    """Add the betas of all numbers of latent positives in between, if they are not many.

    The bounds of these examples move by whole examples, up and down.
    """
    low, high = hidden_counts(np.sort(betas)[[0, -1]], total.unlabeled).tolist()
    if high - low > min(_MOST_COUNTS, _MOST_ENTRIES // max(total.known_positive, 1)):
        return betas
    counts = np.arange(low, high) / total.unlabeled
    return np.append(betas, np.setdiff1d(counts[counts > betas.min()], betas))


def _find_ends(
    ask: Callable[[FloatArray], Estimates], betas: FloatArray, found: Estimates
) -> tuple[FloatArray, FloatArray]:
    """Return the lowest lower limit and the highest upper one, given those at some betas.

    Limits have a kink where a bound is cut off, or beta is refuted: so they are looked at again
    and again on both sides of the betas that have the lowest, or the highest, of all so far.
    """
    betas, order = np.unique(betas, return_index=True)
    ends = np.stack([found.lower, -found.upper])[:, order]
    for _ in range(_ROUNDS):
        lowest = np.argsort(ends, axis=1)[:, :_LOWEST].ravel()
        start, end = betas[np.clip([lowest - 1, lowest + 1], 0, betas.size - 1)]
        more = np.setdiff1d(np.linspace(start, end, _PARTS + 1), betas)
        if not more.size:
            break
        finer = ask(more)
        betas = np.append(betas, more)
        ends = np.append(ends, np.stack([finer.lower, -finer.upper]), axis=1)
        order = np.argsort(betas)
        betas, ends = betas[order], ends[:, order]
    low, high = np.fmin.reduce(ends, axis=1)
    return np.array([low]), np.array([-high])


def _at_point(found: Estimates, lower: FloatArray, upper: FloatArray) -> Estimates:
    """Return what was found at the first beta, with other limits."""
    names = ("value", "error", "rank", "threshold", "examples_at_threshold")
    first = {name: array[:1] for name in names if (array := getattr(found, name)) is not None}
    clipped = None if found.clipped is None else np.atleast_1d(found.clipped.any())
    if found.rank_lower is not None and found.rank_upper is not None:
        first["rank_lower"] = found.rank_lower.min(keepdims=True)
        first["rank_upper"] = found.rank_upper.max(keepdims=True)
    return replace(found, **first, lower=lower, upper=upper, clipped=clipped, uncut=None)


def widen(
    lower: FloatArray, estimate: FloatArray, upper: FloatArray, points: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return estimates of the points, and limits of these and of all betas after them.

    Betas lie along the last axis.

    Examples
    --------
    >>> three = np.array([0.3, 0.2, 0.5])
    >>> widen(three - 0.1, three, three + 0.1, 1)
    (array([0.1]), array([0.3]), array([0.6]))
    """
    if lower.shape[-1] == points:
        return lower, estimate, upper
    low, high = np.fmin.reduce(lower, -1, keepdims=True), np.fmax.reduce(upper, -1, keepdims=True)
    middle = estimate[..., :points]
    return low + 0 * middle, middle, high + 0 * middle


def join_estimates(
    found: Estimates, beta: Beta, span: tuple[float, float] = (0.0, 1.0)
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
    value: FloatArray, lower: FloatArray, upper: FloatArray, beta: Beta
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
    >>> beta = Beta(np.array([0.3]), (0.2, 0.4), 0.95)
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
        # As far off as at the estimate where that is not known.
        down, up = (
            np.maximum(np.where(np.isnan(off), off[..., :1], off), 0.0)
            for off in (value - lower, upper - value)
        )
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


def _extreme(pick: np.ufunc, value: FloatArray, off: FloatArray, beta: Beta) -> FloatArray:
    """Return the lowest or highest on the way to the limits of beta."""
    found = []
    for end in (_UPPER,) if beta.limits == "upper" else (_LOWER, _UPPER):
        middle, width = (
            np.multiply.outer(side[..., _POINT], 1 - _OFF)
            + np.multiply.outer(side[..., end], _OFF)
            for side in (value, off)
        )
        found.append(pick.reduce(middle + width * _LEFT, axis=-1))
    return np.asarray(pick.reduce(found))


_TABLES_OFF = np.sin(np.linspace(0, np.pi / 2, 5))[1:]  # how far beta is off, of how far it can be


def _join_tables(
    metric: Metric, ranking: Ranking, beta: Beta, rule: Settings, at: Cutoff
) -> Estimates:
    """Evaluate a metric of these examples at one cutoff, whatever beta is within its interval.

    Notes
    -----
    Where beta is off by a share t of the distance to its limit, the band counts sqrt(1 - t**2) of
    its distance from the estimated number of latent positives in the head. Where that is cut to
    what the unlabeled examples there allow, errors no longer add by squares: a metric then depends
    on the nearer of two ends. Such a bound counts as a whole at all betas.
    """
    check_labels(np.array([beta.upper]), ranking.total, references_used(rule.reference, ranking))
    head = find_head(ranking, beta.point, metric, at, rule)
    betas, share = _walk(beta, rule.level)
    point = evaluate_at(head, betas[:1], metric, rule)
    here, rule = head.ends, head.share_error(rule)
    latent = hidden_counts(betas, here.total.unlabeled)
    cutoffs = [here.take(np.array([cutoff])) for cutoff in range(head.part.size)]
    in_head = np.stack([_between(cutoff, latent, share, rule) for cutoff in cutoffs])
    tp = mean_of_ends(head.part, here.known_positive[:, np.newaxis, np.newaxis] + in_head)
    positives, rank = here.total.known_positive + latent, mean_of_ends(head.part, here.head)
    # At both bounds, each with a share of its distance from the estimate.
    values = metric(*Table.of(tp, rank, positives, sum(here.total))).astype(np.float64)
    ends = np.append(values.ravel(), [point.lower, point.upper])
    return _at_point(
        point, np.fmin.reduce(ends, keepdims=True), np.fmax.reduce(ends, keepdims=True)
    )


def _walk(beta: Beta, level: float) -> tuple[FloatArray, FloatArray]:
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


def _between(here: Ranking, latent: IntArray, share: FloatArray, rule: Settings) -> IntArray:
    """Return both bounds on the latent positives at a cutoff, moved towards the estimate."""
    unlabeled, head = here.total.unlabeled, int(here.unlabeled[0])
    bounds = bound_by(make_bands(here, latent, rule), here, rule)
    (low, high), (_, completed) = bounds.claimed[0], complete_at(here, latent, bounds.tightest)
    least, most = np.maximum(latent - (unlabeled - head), 0), np.minimum(latent, head)
    middle = np.clip(completed[0], low, high)
    one = np.ones(share.size)
    below, above = one if (low < least).any() else share, one if (high > most).any() else share
    ends = np.stack(
        [np.floor(middle - below * (middle - low)), np.ceil(middle + above * (high - middle))]
    )
    return np.clip(ends.astype(np.int64), least, most)
