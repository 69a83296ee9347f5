"""Averages over groups, such as queries or users, and what each group adds to them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy

from pu_accessor.errors import PUDataError, PUValueError
from pu_accessor.inference.bands.weighted import effective_size
from pu_accessor.inference.estimates.areas_on_new_examples import precision_values
from pu_accessor.inference.estimates.auroc import auroc_and_error, precision_and_error
from pu_accessor.inference.estimates.cutoff_spec import FIXED, Cutoff
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.estimates.known_positives import (
    FEWEST_NEGATIVES,
    count_positives,
    hidden_share,
)
from pu_accessor.inference.estimates.linearized import linearize
from pu_accessor.inference.estimates.metric_at import at_positives, fixed_head
from pu_accessor.inference.estimates.utility import check_probabilities
from pu_accessor.inference.influence import auroc_on_new, place_stack, rest_share, welch_df
from pu_accessor.inference.metrics import Metric
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import FloatArray, IntArray, Ranking, TieBlocks

_ROUNDING = 1e-9


class ClusterTerms(NamedTuple):
    """What the clusters of a group add to its estimate."""

    code: IntArray  # the number of each, among those of all groups
    influence: FloatArray  # shape (betas, clusters)
    share: FloatArray  # of the group's known positives


class GroupTerm(NamedTuple):
    """What one group adds to an average, at some betas."""

    value: FloatArray  # unbiased, may lie outside [0, 1]
    low: FloatArray  # with all known positives at the worst place
    high: FloatArray  # and at the best place
    square: FloatArray  # of the standard error; NaN: the group cannot tell
    hidden: FloatArray  # share of its positives
    known: float  # positives, in effect
    floor: FloatArray | float = 0.0  # least that there can be
    ceiling: FloatArray | float = 1.0  # most that there can be
    clusters: ClusterTerms | None = None  # of rows that are not independent


def group_term(
    ranking: Ranking, betas: FloatArray, metric: Metric, cutoff: Cutoff | None, target: str
) -> GroupTerm:
    """Return what a group adds to the average of a metric."""
    if not ranking.total.known_positive:
        raise PUDataError(
            f"An average needs a known positive in each group, but none of {sum(ranking.total)} "
            "examples is one. Leave such groups out, df.pu(by='query', on_error='skip'): the "
            "average is then over groups with a known positive."
        )
    check_labels(betas, ranking.total)
    n, hidden = ranking.total.known_positive, hidden_share(ranking.total, betas)
    if metric.of_probabilities:
        check_probabilities(ranking, metric.name)
    metric = metric if cutoff is None else metric.at_cutoff(cutoff)
    if metric.of_known is not None:
        value, low, high, square = metric.of_known(metric, ranking, betas)
        square = np.where(hidden > 0, square * hidden, 0.0)
        term = GroupTerm(value, low, high, square, hidden, n)
    elif cutoff is not None:
        cutoff = metric.at_whole(cutoff, sum(ranking.total))
        term = _rate_at(ranking, betas, metric, cutoff)
    elif metric.curve == "roc":
        ends = _ends_of_roc(rest_share(ranking.total, betas))  # raises where nothing is negative
        if target == "population":  # where groups are pooled each is among its own
            value, error = auroc_on_new(ranking, betas), np.nan * betas
        else:
            value, error = auroc_and_error(ranking, betas)
        term = GroupTerm(value, *ends, error**2, hidden, n)
    else:
        term = _area_under_pr(ranking, betas, target)
    if ranking.clusters is None:
        return term
    sizes = ranking.clusters.sizes
    term = term._replace(known=effective_size(sizes[0].astype(np.float64)))
    if ranking.clusters.one_per_row:
        return term
    code = np.flatnonzero(sizes.any(axis=0))
    influence = linearize(ranking, betas, metric, cutoff).influence[:, code]
    share = sizes[0, code] / ranking.total.known_positive
    return term._replace(clusters=ClusterTerms(code, influence, share))


def _ends_of_roc(share: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return AUROC with all known positives below the rest, part of which is positive; above."""
    return -share / (2 * (1 - share)), (1 - share / 2) / (1 - share)


def areas_under_roc(stack: TieBlocks, betas: FloatArray) -> list[list[GroupTerm] | None]:
    """Return what many groups add to the average AUROC on new groups."""
    known, negative, unlabeled = stack.total.T[:, :, np.newaxis]
    plain = (known > 0) & (negative + unlabeled * (1 - betas) >= FEWEST_NEGATIVES)
    plain = (plain & ((unlabeled > 0) | (betas == 0))).all(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = _ends_of_roc(unlabeled * betas / (negative + unlabeled))
        value = low + place_stack(stack).above[:, np.newaxis] * (high - low)
    unknown = np.full(betas.shape[1], np.nan)  # of new groups neither is asked for
    parts = zip(value, low, high, known[:, 0].tolist(), strict=True)
    return [
        [GroupTerm(one, least, most, unknown, unknown, n)] if there else None
        for there, (one, least, most, n) in zip(plain.tolist(), parts, strict=True)
    ]


def _area_under_pr(ranking: Ranking, betas: FloatArray, target: str) -> GroupTerm:
    """Return the average precision of a group."""
    if target == "population":
        value, error = precision_values(replace(ranking, strata=()), betas), np.nan * betas
    else:
        value, error = precision_and_error(ranking, betas)
    if np.isnan(value).any():
        raise PUDataError(
            "average precision needs two known positives where others are hidden: one says "
            "nothing of how many lie above it. Leave such groups out, "
            "df.pu(by='query', on_error='skip'), or average AUROC, which takes them."
        )
    n, hidden = ranking.total.known_positive, hidden_share(ranking.total, betas)
    return GroupTerm(value, 0 * value, 1 / (1 - hidden), error**2, hidden, n)


def _rate_at(ranking: Ranking, betas: FloatArray, metric: Metric, cutoff: Cutoff) -> GroupTerm:
    """Return a metric of a group at a cutoff."""
    if cutoff.kind == "positives":
        each = [
            _rate_at(ranking, np.array([beta]), metric, at_positives(ranking.total, beta))
            for beta in betas.tolist()
        ]
        names = ("value", "low", "high", "square", "hidden")
        parts: dict[str, Any] = {
            name: np.concatenate([getattr(one, name) for one in each]) for name in names
        }
        return each[0]._replace(**parts)
    n, examples = ranking.total.known_positive, sum(ranking.total)
    head = fixed_head(ranking, cutoff)
    positives = count_positives(ranking.total, betas)
    share = float(head.part @ head.ends.known_positive) / n
    predicted = float(head.rank)
    found = np.multiply.outer(np.array([share, 0.0, 0.5, 1.0]), positives)
    possible = np.maximum(predicted + positives - examples, 0), np.minimum(predicted, positives)
    found = np.concatenate([found, possible])
    value, least, middle, most, *extremes = metric(
        found, predicted - found, positives - found, examples - positives - predicted + found
    ).astype(np.float64)
    if np.isnan([least, most]).any():
        raise PUDataError(
            f"{metric.name} has no value at rank {predicted:g} of {examples} examples, but "
            "an average needs one. Take another cutoff, or leave such groups out: "
            "df.pu(by='query', on_error='skip')."
        )
    if (np.abs(middle - (least + most) / 2) > _ROUNDING * (1 + np.abs(most - least))).any():
        raise PUValueError(
            f"average must be False for {metric.name!r}, which does not grow evenly "
            "with the true positives at a cutoff: with few of them known the value of each group "
            "is off to one side. Average 'precision', 'recall' or 'f1'."
        )
    hidden = hidden_share(ranking.total, betas)
    spread = share * (1 - share) / (n - 1) * hidden if n > 1 else np.where(hidden, np.nan, 0.0)
    ends = np.minimum(least, most), np.maximum(least, most)
    floor, ceiling = np.minimum(0.0, extremes), np.maximum(1.0, extremes)
    return GroupTerm(
        *(value, *ends, spread * (most - least) ** 2, hidden, n),
        floor=floor.min(axis=0),
        ceiling=ceiling.max(axis=0),
    )


def check_fixed(cutoff: Cutoff) -> None:
    """Raise where groups choose a cutoff each by what they estimate."""
    if cutoff.kind not in (*FIXED, "first", "positives"):
        raise PUValueError(
            f"at must be one of {[*FIXED]} with average=True, but {cutoff.kind!r} was passed, "
            "which each group would choose by what it estimates. For example at={'rank': 10}."
        )


# Groups that the model of the variance counts for, and degrees of freedom that it adds for these
# groups. Both are calibrated by simulation.
_MODELED, _MORE_DF = 8, 2
# How much of p*(1 - p) a share scatters: all of it if it is 0 or 1, a third if it is any.
AREA, RATE = 1 / 3, 1.0


def average_groups(
    terms: Sequence[GroupTerm], target: str, scatter: float, level: float
) -> Estimates:
    """Average over groups, with an interval: over new ones, or over these.

    Notes
    -----
    Each group adds an estimate that is unbiased, however few of its positives are known. That of
    the mean over G groups is their mean.

    Over *new groups* the variance is s**2/G, with s**2 that of the estimates between the groups:
    it holds what differs between groups, and what is not known in each, as with clusters that are
    drawn ([1]_). Over *these* it is the sum of what each is off by, over G**2. A group of one
    known positive cannot say that; it counts (value - mean)**2 * (G/(G - 1))**2, as where strata
    are collapsed ([1]_): on average that is no less than its variance, and more by how far groups
    differ.

    Clusters that are each in one group change no standard error: new groups bring new ones, and
    s**2 holds how these differ. Where a cluster is in several groups, their estimates vary
    together, by what it adds to each of them, see `_shared`; that is not in s**2.

    Few groups have one correction. A share p of the way from the lowest to the highest possible
    average scatters by `scatter` * p*(1 - p) for each known positive. The variance is drawn to
    that of the model as though so many more groups had been seen; of new groups only where they
    scatter less, and of a rate at least to it. The interval is Wilson's for a share of that
    variance ([2]_), with Student's quantile: G - 1 degrees of freedom for new groups, Welch's and
    some more for these. What is possible differs between new groups: over them it also holds
    Student's interval of the values at the same share of the way in each group. It is empty, NaN,
    where the average is impossible by more than its error.

    References
    ----------
    .. [1] W. G. Cochran, *Sampling Techniques*, 3rd edition, Wiley, 1977.
    .. [2] E. B. Wilson, *Probable inference, the law of succession, and statistical inference*,
       Journal of the American Statistical Association 22 (1927) 209-212.

    Examples
    --------
    >>> def one(value):  # the known positive of a group that hides none
    ...     at = np.array([value])
    ...     return GroupTerm(at, 0 * at, 0 * at + 1, 0 * at, 0 * at, 1)
    >>> found = average_groups([one(0.9), one(0.7), one(1.0)], "population", AREA, 0.95)
    >>> found.value.round(3), found.error.round(3), found.lower.round(3), found.upper.round(3)
    (array([0.867]), array([0.088]), array([0.27]), array([0.991]))
    """
    if len(terms) < 2:
        raise PUDataError(
            f"average=True needs two groups or more, but there is {len(terms)}. Ask without it."
        )
    value, low, high, square, hidden = (
        np.stack([getattr(term, name) for term in terms]) for name in GroupTerm._fields[:5]
    )
    known, number = np.array([[term.known] for term in terms]), len(terms)
    floor, ceiling = find_span(terms)
    span = ceiling - floor
    value, low, high = ((part - floor) / span for part in (value, low, high))
    mean, stretch = value.mean(axis=0), (high - low).mean(axis=0)
    place = _place(mean - low.mean(axis=0), stretch)
    inside = np.clip(place, 0, 1)
    model = scatter * (high - low) ** 2 / known / number**2
    if target == "population":
        squared = (value.var(axis=0, ddof=1) + _shared(terms, value, span)) / number
        df = more = np.full(squared.size, min(number, count_clusters(terms)) - 1.0)
        # New groups have other ends, between which a share of the way is elsewhere.
        ends = (low + inside * (high - low)).var(axis=0, ddof=1) / number
        least, ends = squared, np.minimum(ends, squared)
    else:
        squared, df = _of_these(value, square / span**2, known)
        model, more, least = model * hidden, df + _MORE_DF, 0.0 * squared
        ends = least
    # Short of both ends by half a known positive: something scatters there, too.
    inner = (inside * known.sum() + 0.5) / (known.sum() + 1)
    model = model.sum(axis=0) * inner * (1 - inner)
    variance = np.maximum((df * squared + _MODELED * model) / (df + _MODELED), least)
    if target == "population" and scatter == RATE:  # shares of 0 and 1 scatter no less
        variance = np.maximum(variance, model)
    stretch, quantile = (
        np.where(stretch > 0, stretch, 1.0),
        scipy.special.stdtrit(more, 0.5 + level / 2),
    )
    ratio = quantile**2 * variance / (stretch**2 * inner * (1 - inner))
    lower, upper = (mean + (share - place) * stretch for share in _score_interval(place, ratio))
    away = quantile * np.sqrt(ends)
    lower, upper = np.minimum(lower, mean - away), np.maximum(upper, mean + away)
    possible = (lower <= 1 + _ROUNDING) & (upper >= -_ROUNDING)
    parts = mean, np.sqrt(squared), np.clip(lower, 0, 1), np.clip(upper, 0, 1)
    mean, error, lower, upper = (np.where(possible, part, np.nan) for part in parts)
    mean, lower, upper = (floor + part * span for part in (mean, lower, upper))
    return Estimates(mean, error * span, lower, upper)


def _place(above: FloatArray, stretch: FloatArray) -> FloatArray:
    """Return how far of the way an average is; in the middle where none is possible but one."""
    place = np.full(above.size, 0.5)
    np.divide(above, stretch, out=place, where=stretch > 0)
    place[(place > 1) & (place <= 1 + _ROUNDING)] = 1.0
    place[(place < 0) & (place >= -_ROUNDING)] = 0.0
    return place


def _score_interval(share: FloatArray, ratio: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the p that are no further than sqrt(ratio*p*(1 - p)) from a share, or NaN."""
    with np.errstate(invalid="ignore"):
        half = np.sqrt(ratio * share * (1 - share) + ratio**2 / 4)
    middle = share + ratio / 2
    return (middle - half) / (1 + ratio), (middle + half) / (1 + ratio)


def count_clusters(terms: Sequence[GroupTerm]) -> float:
    """Return how many clusters hold a known positive, where some are in several groups."""
    holding = _pool(terms)
    if holding is None:
        return np.inf
    number = np.unique(holding.code[holding.share > 0]).size
    if number < 2:
        raise PUDataError(
            "cluster must have known positives in 2 clusters or more, but those of all "
            f"{len(terms)} groups are in one. Label positives of other clusters.",
            page="clusters",
        )
    return number


def _pool(terms: Sequence[GroupTerm]) -> ClusterTerms | None:
    """Return the clusters of all groups, unless each is in one group."""
    parts = [term.clusters for term in terms if term.clusters is not None]
    if not parts:
        return None
    code = np.concatenate([part.code for part in parts])
    if np.unique(code).size == code.size:
        return None
    influence = np.concatenate([part.influence for part in parts], axis=1)
    return ClusterTerms(code, influence, np.concatenate([part.share for part in parts]))


def _shared(terms: Sequence[GroupTerm], value: FloatArray, span: FloatArray | float) -> FloatArray:
    """Return by how much shared clusters enlarge the variance between groups.

    Notes
    -----
    A cluster adds a_gc to the difference of the estimate of a group and the mean: its influence,
    and as much of the difference as it has of the known positives. The covariance of groups is the
    sum over clusters of the products of a_gc and a_hc, of which independent groups have
    -s**2/G times those of the shares, as they are held against their own mean. So variances that
    are clustered in two ways are put together ([1]_): by group, and by cluster, less what is in
    both. Below 0 it is taken as 0. A mean takes its part of each cluster, see
    `pu_accessor.inference.influence.adjust_sums`.

    References
    ----------
    .. [1] A. C. Cameron, J. B. Gelbach, D. L. Miller, *Robust inference with multiway
       clustering*, Journal of Business & Economic Statistics 29 (2011) 238-249.
    """
    pooled, number = _pool(terms), len(terms)
    if pooled is None:
        return np.zeros(value.shape[1])
    each = [term.clusters.code.size if term.clusters else 0 for term in terms]
    away = np.repeat((value - value.mean(axis=0)).T, each, axis=1)
    added = pooled.influence / np.reshape(span, (-1, 1)) + away * pooled.share
    _, cluster = np.unique(pooled.code, return_inverse=True)
    together = np.bincount(cluster, pooled.share)
    left = np.maximum(1 - together / number, 1 / number)

    def products(parts: FloatArray) -> float:
        """Return the sum of products of two different groups."""
        squares = np.bincount(cluster, parts) ** 2 - np.bincount(cluster, parts**2)
        return float(squares @ (1 / left))

    covariance = np.array([products(parts) for parts in added])
    covariance += products(pooled.share) * value.var(axis=0, ddof=1) / number
    return np.asarray(np.maximum(covariance, 0.0) / (number - 1))


def find_span(terms: Sequence[GroupTerm]) -> tuple[FloatArray, FloatArray]:
    """Return the least and the most that the average over groups can be."""
    floor, ceiling = (
        np.mean([getattr(term, name) for term in terms], axis=0) for name in ("floor", "ceiling")
    )
    return floor, ceiling


def _of_these(
    value: FloatArray, square: FloatArray, known: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the squared error of the mean over these groups, and its degrees of freedom."""
    number = value.shape[0]
    alone = np.isnan(square)
    apart = ((value - value.mean(axis=0)) * (number / (number - 1))) ** 2
    among = np.where(alone, apart, 0.0).sum(axis=0, keepdims=True)
    terms = np.concatenate([np.where(alone, 0.0, square), among]) / number**2
    own = np.maximum(known - 1, 1) + 0 * value
    shared = np.maximum(alone.sum(axis=0, keepdims=True) - 1, 1)
    df = welch_df(terms, np.concatenate([own, shared]).astype(np.float64))
    # Where nothing scatters, nothing says how much.
    return terms.sum(axis=0), np.where(np.isfinite(df), df, 1.0)
