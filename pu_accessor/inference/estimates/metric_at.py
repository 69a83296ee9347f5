"""A metric at the one cutoff that a person reports, with its interval."""

from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from functools import partial
from math import floor, nan
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy

from pu_accessor.checks import hidden_counts
from pu_accessor.errors import PUDataError
from pu_accessor.inference.bands.lookup import band_name
from pu_accessor.inference.bands.on_new_examples import bound_on_new, to_precision
from pu_accessor.inference.estimates.cutoff_spec import CHOSEN, FIXED, Cutoff, no_rank
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.estimates.known_positives import check_negatives, unrounded_negatives
from pu_accessor.inference.influence import rate_designs, wilson
from pu_accessor.inference.metrics import METRICS, Metric
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import (
    Table,
    check_labels,
    completed_table,
    make_tables,
    mix,
)
from pu_accessor.ranking import Counts, FloatArray, IntArray, Ranking


class Head(NamedTuple):
    """The examples predicted positive: down to a cutoff, or into a block of tied scores."""

    ends: Ranking  # the cutoff, or the two around the block
    part: FloatArray  # weight of each: where between them the head ends

    @property
    def rank(self) -> float:
        """Examples predicted positive."""
        rank = float(self.part @ self.ends.head)
        return round(rank) if self.ends.head.dtype.kind == "i" else rank

    def share_error(self, rule: Settings) -> Settings:
        """Return the rule at which limits at two ends share what is left to error."""
        if self.part.size == 1 or rule.band == "simultaneous":
            return rule
        return rule.at_level((1 + rule.level) / 2)


def metric_at(
    ranking: Ranking,
    betas: FloatArray,
    metric: Metric,
    at: Cutoff,
    rule: Settings,
    head_at: float | None = None,
) -> Estimates:
    """Evaluate a metric at one cutoff, with its interval; at that of the beta `head_at`, if any.

    Notes
    -----
    Where a rank falls into a block of tied scores, its counts are the expectation over all orders
    of the block. The limits are between those of the band at both ends of the block, each at half
    of 1 - level: they cover with a probability of at least `level`.

    Examples
    --------
    >>> from pu_accessor.inference.estimates.cutoff_spec import read_at
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = metric_at(
    ...     ranking, np.array([0.25]), METRICS["precision"], read_at(4), Settings()
    ... )
    >>> found.threshold, found.value.round(3), found.lower, found.upper, found.band
    (array([8.5]), array([0.714]), array([0.5]), array([1.]), 'exact')
    """
    if at.kind in FIXED or (head_at is not None and at.kind in CHOSEN):
        return evaluate_at(
            find_head(ranking, head_at or 0.0, metric, at, rule), betas, metric, rule
        )
    each = [
        evaluate_at(find_head(ranking, beta, metric, at, rule), np.array([beta]), metric, rule)
        for beta in betas.tolist()
    ]
    names = [field.name for field in fields(Estimates)]
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(one, name) for one in each])
        for name in names
        if isinstance(getattr(each[0], name), np.ndarray)
    }
    return replace(each[0], **joined)


def fixed_head(ranking: Ranking, at: Cutoff) -> Head:
    """Find a head that no beta moves."""
    examples, rank = sum(ranking.total), at.value
    if at.kind == "threshold":
        rank = ranking.count_at_or_above(np.array([at.value])).item()
    elif at.kind == "fraction":
        rank = floor(Fraction(str(at.value)) * examples)
    if rank > examples:
        raise no_rank(f"{examples}, the number of examples", rank)
    here = ranking.at(np.array([rank]))
    start = here.head[0].item()
    if start == rank:
        return Head(here, np.ones(1))
    reached = here.unlabeled + (rank - start)  # in a block without labels; others have both ends
    finer = ranking.refine(reached[reached <= ranking.total.unlabeled])
    end = int(np.searchsorted(finer.rank, rank))
    inside = (rank - start) / (finer.rank[end].item() - start)
    return Head(finer.take(np.array([end - 1, end])), np.array([1 - inside, inside]))


def at_positives(total: Counts, beta: float) -> Cutoff:
    """Return the rank that is the number of positives."""
    hidden = hidden_counts(np.array([beta]), total.unlabeled).item()
    return Cutoff("rank", total.known_positive + hidden)


def find_head(ranking: Ranking, beta: float, metric: Metric, at: Cutoff, rule: Settings) -> Head:
    """Find the head that a person reports."""
    if at.kind in FIXED:
        return fixed_head(ranking, at)
    if at.kind == "positives":
        return fixed_head(ranking, at_positives(ranking.total, beta))
    metric = METRICS["informedness"] if at.kind == "youden" else metric
    return Head(_at_best(ranking, beta, metric, rule), np.ones(1))


def evaluate_at(head: Head, betas: FloatArray, metric: Metric, rule: Settings) -> Estimates:
    """Evaluate a metric of one head."""
    ends, size = head.ends, betas.size
    tables = mix(make_tables(ends, betas, head.share_error(rule)), head.part)
    values = metric(*tables.table)[0].astype(np.float64)
    lower, upper = values.min(axis=0), values.max(axis=0)  # which reach to the estimate
    found = Estimates(values[1], np.full(size, nan), lower, upper)
    clipped = np.asarray(tables.clipped[0, ::2].any(axis=0))
    return replace(located(found, head), band=ends.design or band_name(rule.band), clipped=clipped)


def located(found: Estimates, head: Head) -> Estimates:
    """Return estimates with where they are."""
    size = found.value.size
    return replace(
        found,
        rank=np.full(size, head.rank),
        threshold=np.full(size, head.ends.threshold[-1]),
        examples_at_threshold=np.full(size, head.ends.head[-1]),
        clipped=np.zeros(size, np.bool_),
    )


def _at_best(ranking: Ranking, beta: float, metric: Metric, rule: Settings) -> Ranking:
    """Find the cutoff at which the estimate of a metric is highest.

    It is one at which curves bend; or next to no examples or to all, where a metric may have no
    value; or, of MCC, between two where it is negative at each.
    """
    unlabeled = ranking.total.unlabeled
    ends = np.unique([1, max(unlabeled - 1, 1)])[:unlabeled]
    finer, table = _complete(ranking.refine(ends), beta, rule)
    if metric.peaks_between and (turns := _turns_of_mcc(finer, table)).size:
        finer, table = _complete(finer.refine(turns), beta, rule)
    values = np.where(finer.rank > 0, metric(*table), np.nan)  # a cutoff, not none
    if np.isnan(values).all():
        raise PUDataError("at needs a cutoff at which the metric has a value, but there is none.")
    return finer.take(np.array([np.nanargmax(values)]))


def _turns_of_mcc(ranking: Ranking, table: Table) -> IntArray:
    """Return counts of unlabeled examples next to a maximum of MCC, where that is negative.

    Among N examples, P of them positive, N*tp - P*h is a + b*h between two cutoffs, and MCC is in
    proportion to (a + b*h)/sqrt(h*(N - h)). That turns at h = a*N/(2*a + b*N) alone, where a
    negative one is highest, and a positive one lowest: none counts if one cutoff has 0 or more.
    """
    head, size = ranking.head.astype(np.float64), sum(ranking.total)
    level = size * table.tp - (table.tp + table.fn) * head
    if (level[1:-1] >= 0).any():
        return np.empty(0, np.int64)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.diff(level) / np.diff(head)
        start = level[:-1] - slope * head[:-1]
        turn = start * size / (2 * start + slope * size)
    inside = (turn > head[:-1]) & (turn < head[1:])
    inside &= np.diff(ranking.known_positive + ranking.known_negative) == 0
    unlabeled = (turn - head[:-1] + ranking.unlabeled[:-1])[inside].astype(np.int64)
    return np.unique([unlabeled, unlabeled + 1])


def _complete(ranking: Ranking, beta: float, rule: Settings) -> tuple[Ranking, Table]:
    """Return the table of the estimate at each cutoff."""
    ranking, table = completed_table(ranking, np.array([beta]), rule)
    return ranking, Table(*(count[:, 0] for count in table))


# On new examples: from two rates, each of them a binomial's


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
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = metric_on_new(ranking, np.array([0.25]), METRICS["recall"], 8.5, Settings())
    >>> found.value, found.lower.round(3), found.upper.round(3)
    (array([0.47619048]), array([0.15]), array([0.85]))
    """
    check_labels(betas, ranking.total)
    check_negatives(ranking.total, betas, "metric")
    here = ranking.at(ranking.count_at_or_above(np.array([threshold])))
    if not ranking.monotone or ranking.clusters is not None:
        lower, upper = _limits(here, betas, metric, rule)
    else:
        missed = 1 - rule.level
        lower, upper = _limits(here, betas, metric, rule.at_level(1 - (1 - _OF_CURVE) * missed))
        of_curves = rule.at_level(1 - _OF_CURVE * missed)
        low, high = _limits_of_concave(ranking, here, betas, metric, of_curves)
        lower, upper = np.fmax(lower, low), np.fmin(upper, high)
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


def _limits(
    here: Ranking, betas: FloatArray, metric: Metric, rule: Settings
) -> tuple[FloatArray, FloatArray]:
    """Return the limits of the metric at one cutoff."""
    n, size = here.total.known_positive, sum(here.total)
    rest = size - n
    found = here.known_positive, here.head - here.known_positive
    known, others = here.known_positive / n, (here.rank - here.known_positive) / rest
    share = 1 - unrounded_negatives(here.total, betas) / rest
    # Beta may ask for more positives above the threshold, or below it, than there are examples.
    others = np.clip(np.repeat(others, betas.size), share * known, share * known + 1 - share)
    known = np.repeat(known, betas.size)
    prevalence = (n + share * rest) / size if rule.prevalence is None else rule.prevalence
    value = partial(of_shares, metric, share=share, size=size)
    (designs, correlation, error), plain = rate_designs(here), value(prevalence)
    estimate = plain(known, others)

    def move(level: float) -> tuple[FloatArray, FloatArray]:
        """Return the metric with all shares at limits, and with one: (shares, 2, betas)."""
        first, second = (
            np.stack(wilson(of.astype(np.float64), whole, level, design)).repeat(
                betas.size, axis=1
            )
            for of, whole, design in zip(found, (n, rest), designs, strict=True)
        )
        df = min(each.df for each in designs)
        reach = 0.0 if rule.prevalence else error * scipy.special.stdtrit(df, (1 + level) / 2)
        sides = [value(np.clip(prevalence + side * reach, 0, 1)) for side in (-1, 1)]
        one = [plain(end, others) for end in first], [plain(known, end) for end in second]
        corners = [estimate, *(each(a, b) for a in first for b in second for each in sides)]
        return np.stack(corners), np.array([*one, [each(known, others) for each in sides]])

    corners, moved = move(rule.level)
    typical = move(_TYPICAL)[1]
    rises = np.sign(typical[:, 1] - typical[:, 0])
    correlated, away = correlation - np.eye(len(rises)), []
    for side in (-1, 1):
        far, usual = (
            np.maximum(np.fmax.reduce(side * (each - estimate), axis=1), 0)
            for each in (moved, typical)
        )
        # What correlations add or take is that at one level, of signed distances: else less could
        # reach as errors grow.
        shared = np.einsum("ib,ij,jb->b", rises * usual, correlated, rises * usual)
        whole = np.sum(usual**2, axis=0)
        ratio = np.maximum(1 + shared / np.where(whole > 0, whole, 1), 0)
        away.append(np.sqrt(np.sum(far**2, axis=0) * ratio))
    low, high = np.fmin.reduce(corners), np.fmax.reduce(corners)
    return np.maximum(estimate - away[0], low), np.minimum(estimate + away[1], high)


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
