"""A metric at a threshold on new examples: from two rates, each of them a binomial's."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
import scipy

from pu_accessor.inference.bands.on_new_examples import bound_on_new, to_precision
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.estimates.known_positives import check_negatives, unrounded_negatives
from pu_accessor.inference.influence import RateDesigns, rate_designs, wilson
from pu_accessor.inference.metrics import Metric
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import check_labels, completed_table
from pu_accessor.ranking import FloatArray, Ranking

_HEAD = 1e-9  # of all examples: a head of any size has its precision
_OF_CURVE = 0.2  # of what may be missed, left to the band of concave curves
_TYPICAL = 0.95  # level at which two errors say how much a correlation adds to both
# From the shares of known positives and of all others above a threshold to a metric.
_OfShares: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]


def metric_on_new(
    ranking: Ranking, betas: FloatArray, metric: Metric, threshold: float, rule: Settings
) -> Estimates:
    """Evaluate a metric of new examples at a threshold, with its interval.

    Notes
    -----
    Of n known positives k lie at or above the threshold, of U others h: two independent
    binomials. With b the share of positives among the others, the true positive rate is t = k/n
    and the false positive rate (h/U - b*t)/(1 - b), cut off at 0 and 1. New examples have the
    prevalence of these, (n + b*U)/(n + U), or that of `rule`; it is taken as given. That of rows
    with weights that are all labeled is an estimate, whose error is added, too.

    Each of the two shares has its interval by Wilson's score [1]_. How far the metric moves when
    one of them goes to its limit, squared and added for both, is how far it can be off ([2]_,
    [3]_). So the interval of a rate that depends on one share alone is Wilson's: the true
    positive rate always, the false positive rate at b = 0; informedness then has Newcombe's.

    Of monotone scores the interval has what it shares with the limits of all concave curves that
    are not too far off: a fifth of what may be missed goes to these. So it is at most 5% wider
    than without, and far narrower near the top.

    Of clustered examples each share has the size of as many independent ones as say as much, with
    Student's t of the clusters, and both errors are correlated: clusters have examples in both.

    References
    ----------
    .. [1] E. B. Wilson, *Probable inference, the law of succession, and statistical inference*,
       Journal of the American Statistical Association 22 (1927) 209-212.
    .. [2] R. G. Newcombe, *Interval estimation for the difference between independent
       proportions: comparison of eleven methods*, Statistics in Medicine 17 (1998) 873-890.
    .. [3] G. Y. Zou, A. Donner, *Construction of confidence limits about effect measures: a
       general approach*, Statistics in Medicine 27 (2008) 1693-1702.

    Examples
    --------
    >>> from pu_accessor.inference.metrics import METRICS
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = metric_on_new(ranking, np.array([0.25]), METRICS["recall"], 8.5, Settings())
    >>> found.value, found.lower.round(3), found.upper.round(3)
    (array([0.47619048]), array([0.15]), array([0.85]))
    """
    check_labels(betas, ranking.total)
    check_negatives(ranking.total, betas, "metric")
    here = ranking.at(ranking.above(threshold))
    lower, upper = _limits_on_new(ranking, here, betas, metric, rule)
    _, table = completed_table(here, betas, on_new=True)
    estimate = metric(*table.at_prevalence(rule.prevalence))[0].astype(np.float64)
    one = np.ones(betas.size, np.int64)
    return Estimates(
        estimate,
        np.full(betas.size, np.nan),
        np.minimum(lower, estimate),
        np.maximum(upper, estimate),
        band="binomial",
        rank=one * here.rank,
        threshold=one * here.threshold,
        examples_at_threshold=one * here.rank,
        clipped=one == 0,
    )


def _limits_on_new(
    ranking: Ranking, here: Ranking, betas: FloatArray, metric: Metric, rule: Settings
) -> tuple[FloatArray, FloatArray]:
    """Return the limits of the metric at one cutoff, of concave curves where scores are so."""
    missed = 1 - rule.level
    if not ranking.monotone or ranking.clusters is not None:
        return _limits(here, betas, metric, rule)
    lower, upper = _limits(here, betas, metric, rule.at_level(1 - (1 - _OF_CURVE) * missed))
    of_curves = rule.at_level(1 - _OF_CURVE * missed)
    low, high = _limits_of_concave(ranking, here, betas, metric, of_curves)
    return np.fmax(lower, low), np.fmin(upper, high)


def _limits(
    here: Ranking, betas: FloatArray, metric: Metric, rule: Settings
) -> tuple[FloatArray, FloatArray]:
    """Return the limits of the metric at one cutoff."""
    n, size = here.total.known_positive, sum(here.total)
    rest = size - n
    known, others = here.known_positive / n, (here.rank - here.known_positive) / rest
    share = 1 - unrounded_negatives(here.total, betas) / rest
    # Beta may ask for more positives above the threshold, or below it, than there are examples.
    others = np.clip(np.repeat(others, betas.size), share * known, share * known + 1 - share)
    known = np.repeat(known, betas.size)
    prevalence = (n + share * rest) / size if rule.prevalence is None else rule.prevalence
    value = partial(of_shares, metric, share=share, size=size)
    designs, plain = rate_designs(here), value(prevalence)
    estimate = plain(known, others)

    def move(level: float) -> tuple[FloatArray, FloatArray]:
        """Return the metric with all shares at limits, and with one: (shares, 2, betas)."""
        first, second = _share_limits(here, betas.size, designs, level)
        df, error = min(each.df for each in designs[:2]), designs.prevalence
        reach = 0.0 if rule.prevalence else error * scipy.special.stdtrit(df, (1 + level) / 2)
        sides = [value(np.clip(prevalence + side * reach, 0, 1)) for side in (-1, 1)]
        one = [plain(end, others) for end in first], [plain(known, end) for end in second]
        corners = [estimate, *(each(a, b) for a in first for b in second for each in sides)]
        return np.stack(corners), np.array([*one, [each(known, others) for each in sides]])

    corners, moved = move(rule.level)
    typical = move(_TYPICAL)[1]
    rises = np.sign(typical[:, 1] - typical[:, 0])
    down, up = (
        _add(
            _beyond(side * (moved - estimate)),
            rises * _beyond(side * (typical - estimate)),
            designs.correlation,
        )
        for side in (-1, 1)
    )
    low, high = np.fmin.reduce(corners), np.fmax.reduce(corners)
    return np.maximum(estimate - down, low), np.minimum(estimate + up, high)


def _share_limits(
    here: Ranking, times: int, designs: RateDesigns, level: float
) -> list[FloatArray]:
    """Return the limits of both shares above a threshold, each of shape (2, times)."""
    n = here.total.known_positive
    sizes, found = (n, sum(here.total) - n), (here.known_positive, here.head - here.known_positive)
    return [
        np.repeat(np.stack(wilson(of.astype(np.float64), size, level, design)), times, axis=1)
        for of, size, design in zip(found, sizes, designs[:2], strict=True)
    ]


def _add(distances: FloatArray, typical: FloatArray, correlation: FloatArray) -> FloatArray:
    """Return how far errors with correlations reach together, shape (betas,).

    What correlations add or take is that at one level, of signed distances: else less could reach
    as errors grow.
    """
    squares, usual = np.sum(distances**2, axis=0), np.sum(typical**2, axis=0)
    shared = np.einsum("ib,ij,jb->b", typical, correlation - np.eye(len(typical)), typical)
    ratio = 1 + shared / np.where(usual > 0, usual, 1)
    together: FloatArray = np.sqrt(squares * np.maximum(ratio, 0))
    return together


def _limits_of_concave(
    ranking: Ranking, here: Ranking, betas: FloatArray, metric: Metric, rule: Settings
) -> tuple[FloatArray, FloatArray]:
    """Return limits of a metric at one cutoff of concave curves within their band."""
    finer = ranking.refine(here.unlabeled)
    place = int(np.searchsorted(finer.rank, here.rank[0]))
    n, size = ranking.total.known_positive, sum(ranking.total)
    ends = []
    for share in (1 - unrounded_negatives(ranking.total, betas) / (size - n)).tolist():
        rates = bound_on_new(finer, share, rule.level, monotone=True)
        own = (n + share * (size - n)) / size
        prevalence = own if rule.prevalence is None else rule.prevalence
        if metric.of_head:
            precision = to_precision(rates.lift[:, place], n, size - n, share)
            more, fewer = prevalence / own * precision, (1 - prevalence) / (1 - own)
            true = more / (more + fewer * (1 - precision)) * _HEAD
            false = _HEAD - true
            value = metric(true, false, prevalence - true, 1 - prevalence - false)
        else:
            known, false = (each[:, place].repeat(2) for each in rates[:2])
            false = false.reshape(2, 2).T.ravel()
            of_rest = share * known + (1 - share) * false
            value = of_shares(metric, prevalence, share, size)(known, of_rest)
        limits = rates.lift[np.newaxis] if metric.of_head else np.stack(rates[:2])
        crossed = (limits[:, 0, place] > limits[:, 1, place]).any()  # no curve fits
        nearest = (np.inf, -np.inf) if crossed else (np.fmin.reduce(value), np.fmax.reduce(value))
        ends.append(np.array(nearest))
    lower, upper = np.transpose(ends)
    return lower, upper


def _beyond(distances: FloatArray) -> FloatArray:
    """Return how far each share moves the metric on one side; NaN where the metric is."""
    farthest: FloatArray = np.maximum(np.fmax.reduce(distances, axis=1), 0)
    return farthest


def of_shares(
    metric: Metric,
    prevalence: FloatArray | float,
    share: FloatArray | float,
    size: int,
    *,
    cut: bool = True,
) -> _OfShares:
    """Return a metric as a function of the shares above a threshold."""

    def value(known: FloatArray, others: FloatArray) -> FloatArray:
        false = (others - share * known) / np.where(np.equal(share, 1), 1, np.subtract(1, share))
        false = np.clip(false, 0, 1) if cut else false
        positives, negatives = prevalence * size, (1 - prevalence) * size
        return metric(
            positives * known, negatives * false, positives * (1 - known), negatives * (1 - false)
        ).astype(np.float64)

    return value
