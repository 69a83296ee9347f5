"""Average a metric over groups such as queries or users, with its interval.

It is of new groups: the variance is s**2/G, with s**2 the variance between groups. The interval is
Wilson's (JASA 22, 1927, 209-212) with this variance and Student's quantile.

At the best threshold precision is averaged over the groups with an example there, recall over all,
and the metric is taken of both means: Fmax (P. Radivojac et al., Nature Methods 10 (2013)
221-227). At a maximum the error of the threshold is of second order, so that the interval is that
at the threshold, by Student's t over groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
import scipy

from pu_accessor.checks import hidden_counts
from pu_accessor.errors import PUDataError, PUValueError
from pu_accessor.inference import known_positives
from pu_accessor.inference.answer import Answer, join_answers
from pu_accessor.inference.calibration import check_probability_scores
from pu_accessor.inference.contingency import check_labels
from pu_accessor.inference.cutoff_spec import FIXED, Cutoff, rank_error, rank_of_fraction
from pu_accessor.inference.known_positives import count_positives, effective_size
from pu_accessor.inference.linearized import linearize
from pu_accessor.inference.metric_entry import Metric
from pu_accessor.ranking import BoolArray, FloatArray, IntArray, KnownBlocks, Ranking

_TOLERANCE = 1e-9
# Groups for which the model of the variance counts, by simulation (coverage.csv: "`metric` at a
# rank: recall").
_MODEL_GROUPS = 8
_MAX_ERRORS = 3  # standard errors beyond its range that chance explains
_AREA_SCATTER = 1 / 3  # variance of a share that can have any value, in p*(1 - p); else 1


class ClusterTerms(NamedTuple):
    """What clusters add to the estimates of their groups."""

    group: IntArray  # of each
    code: IntArray  # number of each among the clusters of all groups
    influence: FloatArray  # shape (clusters, betas)
    share: FloatArray  # of the group's known positives


class GroupTerms(NamedTuple):
    """What groups add to an average, at some betas: arrays of shape (groups, betas)."""

    value: FloatArray  # unbiased, may lie outside [0, 1]; NaN: the group has none
    low: FloatArray  # with all known positives at the worst rank
    high: FloatArray  # with all known positives at the best rank
    floor: FloatArray  # smallest possible value
    ceiling: FloatArray  # largest possible value
    known: FloatArray  # effective number of known positives
    clusters: ClusterTerms | None = None  # of rows that are not independent

    def take(self, rows: Sequence[int]) -> GroupTerms:
        """Return the terms of some groups; clusters are left to those of single groups."""
        value, low, high, floor, ceiling, known = (column[[*rows]] for column in self[:-1])
        return GroupTerms(value, low, high, floor, ceiling, known, self.clusters)


def join_groups(parts: Sequence[GroupTerms]) -> GroupTerms:
    """Return the terms of several groups; those with clusters come one by one."""
    *columns, clusters = zip(*parts, strict=True)
    value, low, high, floor, ceiling, known = map(np.concatenate, columns)
    some = [one._replace(group=one.group + i) for i, one in enumerate(clusters) if one]
    joined = ClusterTerms(*map(np.concatenate, zip(*some, strict=True))) if some else None
    return GroupTerms(value, low, high, floor, ceiling, known, joined)


def group_term(
    ranking: Ranking, betas: FloatArray, metric: Metric, cutoff: Cutoff | None
) -> GroupTerms:
    """Return what one group adds to the average of a metric, or raise."""
    require_known(ranking, betas)
    if metric.cutoff == "probability":
        check_probability_scores(ranking, metric.name)
    if metric.estimator is not None and metric.counts_negatives:
        known_positives.count_negatives(ranking.total, betas)
    blocks = ranking.known_blocks._replace(
        count_at_or_above=lambda score: ranking.count_at_or_above(np.array([score]))
    )
    term = group_terms(blocks, betas[np.newaxis], metric, cutoff)
    if np.isnan(term.value).any() and (metric.estimator is None or metric.curve):
        raise _no_value_error(blocks, metric, cutoff)
    return _add_clusters(term, ranking, betas, metric, cutoff)


def require_known(ranking: Ranking, betas: FloatArray) -> None:
    """Raise unless a group has a known positive, and hidden ones only among the unlabeled."""
    if not ranking.total.known_positive:
        raise PUDataError(
            "An average needs a known positive in each group, but none of "
            f"{sum(ranking.total) - ranking.unranked} examples is one."
        )
    check_labels(betas, ranking.total)


def _no_value_error(blocks: KnownBlocks, metric: Metric, cutoff: Cutoff | None) -> Exception:
    """Return the error that a group has no value."""
    if cutoff is None:
        return PUDataError(
            "average precision needs two known positives where others are hidden: one has no "
            "other known positives above it. Average AUROC, which takes such groups."
        )
    examples = blocks.size.item()
    if cutoff.kind == "rank" and cutoff.value > examples:
        return rank_error(f"{examples}, the number of examples", cutoff.value)
    rank = _cutoff_ranks(blocks, np.zeros((1, 1)), cutoff).item()
    return PUDataError(
        f"{metric.name} has no value at rank {rank:g} of {examples - blocks.unranked} "
        "examples, but an average needs one. Take another cutoff."
    )


def _add_clusters(
    term: GroupTerms, ranking: Ranking, betas: FloatArray, metric: Metric, cutoff: Cutoff | None
) -> GroupTerms:
    """Add the effective number of known positives, and what clusters add to the error."""
    clusters = ranking.clusters
    if clusters is None:
        return term
    sizes = clusters.sizes[0].astype(np.float64)
    term = term._replace(known=0 * term.known + effective_size(sizes))
    if clusters.one_per_row:
        return term
    code = np.flatnonzero(clusters.sizes.any(axis=0))
    linear = linearize(ranking, betas, metric, cutoff)
    of_betas = zip(linear.known, linear.rest, strict=True)
    sums = [clusters.sums(linear.threshold, *of_beta).sum(axis=0) for of_beta in of_betas]
    share = sizes[code] / ranking.total.known_positive
    terms = ClusterTerms(0 * code, code, np.stack(sums, axis=1)[code], share)
    return term._replace(clusters=terms)


def group_terms(
    blocks: KnownBlocks, betas: FloatArray, metric: Metric, cutoff: Cutoff | None
) -> GroupTerms:
    """Return what groups add to the average of a metric at betas, shape (groups, betas)."""
    known, _, unlabeled = blocks.total.T[:, :, np.newaxis]
    is_allowed = (known > 0) & ((betas == 0) | (unlabeled > 0) & ~np.isnan(betas))
    if metric.cutoff == "probability":
        is_allowed &= _are_probabilities(blocks)[:, np.newaxis]
    if metric.estimator is not None and metric.counts_negatives:
        is_allowed &= blocks.count_negatives(betas) >= known_positives.MIN_NEGATIVES
    is_allowed = is_allowed.all(axis=1, keepdims=True)
    metric = metric if cutoff is None else metric.at_cutoff(cutoff)
    betas = np.where(is_allowed, betas, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        if metric.of_known is None:
            parts = _terms_at_cutoff(blocks, betas, metric, cast("Cutoff", cutoff))
        else:
            value, low, high = metric.of_known(metric, blocks, betas)
            parts = value, low, high, 0 * value, 0 * value + 1
    value, low, high, floor, ceiling = parts
    value = np.where(is_allowed & ~np.isnan(low) & ~np.isnan(high), value, np.nan)
    return GroupTerms(value, low, high, floor, ceiling, known.astype(np.float64))


def _are_probabilities(blocks: KnownBlocks) -> BoolArray:
    """Tell which rankings have scores in [0, 1] alone."""
    above, inside, every = map(blocks.count_at_or_above, (np.nextafter(1, 2), 0.0, -np.inf))
    return np.asarray((above == 0) & (inside == every))


def _cutoff_ranks(blocks: KnownBlocks, betas: FloatArray, cutoff: Cutoff) -> FloatArray:
    """Return the rank of a cutoff in each group, shape (groups, betas), or (groups, 1) for all."""
    rank: IntArray = np.full(len(blocks.total), cutoff.value)
    if cutoff.kind == "positives":
        known, _, unlabeled = blocks.total.T[:, :, np.newaxis]
        return np.asarray(known + hidden_counts(betas, unlabeled), np.float64)
    if cutoff.kind == "threshold":
        rank = blocks.count_at_or_above(cutoff.value)
    elif cutoff.kind == "fraction":
        sizes, index = np.unique(blocks.size, return_inverse=True)
        ranks = [rank_of_fraction(cutoff.value, size) for size in sizes.tolist()]
        rank = np.array(ranks)[index]
    return rank[:, np.newaxis].astype(np.float64)


def _terms_at_cutoff(
    blocks: KnownBlocks, betas: FloatArray, metric: Metric, cutoff: Cutoff
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the value, low, high, floor and ceiling of a metric at a cutoff."""
    size, positives = blocks.size[:, np.newaxis], blocks.count_positives(betas)
    rank = _cutoff_ranks(blocks, betas, cutoff)
    above = np.stack([blocks.known_above(column) for column in rank.T], axis=1)
    share = np.where(rank <= size, above / blocks.total[:, :1], np.nan)
    possible = np.maximum(rank + positives - size, 0), np.minimum(rank, positives)
    tp = np.stack([share * positives, 0 * positives, positives / 2, positives, *possible])
    value, least, middle, most, *extremes = metric(
        tp, rank - tp, positives - tp, size - positives - rank + tp
    ).astype(np.float64)
    if (np.abs(middle - (least + most) / 2) > _TOLERANCE * (1 + np.abs(most - least))).any():
        raise PUValueError(
            f"average must be False for {metric.name!r}: it is not linear in the true positives "
            "at a cutoff, so that groups with few known positives are biased. Average "
            "'precision', 'recall' or 'f1'."
        )
    floor, ceiling = np.minimum(0.0, extremes), np.maximum(1.0, extremes)
    ends = np.minimum(least, most), np.maximum(least, most)
    return value, *ends, floor.min(axis=0), ceiling.max(axis=0)


def check_average_cutoff(cutoff: Cutoff) -> None:
    """Raise where each group would choose its cutoff by estimates."""
    if cutoff.kind not in (*FIXED, "first", "positives"):
        raise PUValueError(
            f"at must be one of {[*FIXED]} with average=True, but {cutoff.kind!r} was passed, "
            "which each group would choose by what it estimates. For example at={'rank': 10}."
        )


def average_groups(metric: Metric, terms: GroupTerms, level: float) -> Answer:
    """Average over new groups; `beyond` are averages that are impossible by three errors."""
    # The model variance is `scatter` * p*(1 - p) per known positive, p of the way to the highest
    # possible average. It only raises the variance; for rates it is the minimum.
    value, low, high, floors, ceilings, known, _ = terms
    number = count_groups(value)
    scatter = _AREA_SCATTER if metric.curve else 1.0
    floor, ceiling = floors.mean(axis=0), ceilings.mean(axis=0)
    span = ceiling - floor
    value, low, high = ((part - floor) / span for part in (value, low, high))
    mean, scale = value.mean(axis=0), (high - low).mean(axis=0)
    center = np.clip(mean, 0, 1)
    position = _relative_position(center - low.mean(axis=0), scale)
    inside = np.clip(position, 0, 1)
    model = scatter * (high - low) ** 2 / known / number**2
    squared = value.var(axis=0, ddof=1) + shared_cluster_variance(terms, value, span)
    squared /= number
    df = min(number, count_shared_clusters(terms)) - 1.0
    # The possible values of new groups differ, and so does the same share of the way.
    of_ranges = np.minimum((low + inside * (high - low)).var(axis=0, ddof=1) / number, squared)
    # Half a known positive at each end, because shares of 0 and 1 have errors too.
    inner = (inside * known.sum() + 0.5) / (known.sum() + 1)
    model = model.sum(axis=0) * inner * (1 - inner)
    variance = np.maximum((df * squared + _MODEL_GROUPS * model) / (df + _MODEL_GROUPS), squared)
    if metric.estimator is None:
        variance = np.maximum(variance, model)
    scale = np.where(scale > 0, scale, 1.0)
    quantile = scipy.special.stdtrit(df, 0.5 + level / 2)
    shares = _score_interval(position, quantile**2 * variance / (scale**2 * inner * (1 - inner)))
    lower, upper = (center + (share - position) * scale for share in shares)
    half = quantile * np.sqrt(of_ranges)
    lower = np.clip(np.minimum(lower, center - half), 0, 1)
    upper = np.clip(np.maximum(upper, center + half), 0, 1)
    beyond = np.abs(mean - center) > _MAX_ERRORS * np.sqrt(variance) + _TOLERANCE
    error = np.minimum(np.sqrt(squared) * span, np.maximum(span, 1) / 2)
    center, lower, upper = (floor + part * span for part in (center, lower, upper))
    return Answer(center, lower, upper, error, {"standard_error": error, "beyond": beyond})


def count_groups(groups: Sequence[object] | FloatArray) -> int:
    """Return the number of groups, or raise if it is too small for an error."""
    if (number := len(groups)) < 2:
        raise PUDataError(f"average=True needs 2 groups or more, not {number}. Omit average.")
    return number


def _relative_position(distance: FloatArray, scale: FloatArray) -> FloatArray:
    """Return the share of the way to the highest possible average; 0.5 if only one is possible."""
    position = np.full(distance.size, 0.5)
    np.divide(distance, scale, out=position, where=scale > 0)
    position[(position > 1) & (position <= 1 + _TOLERANCE)] = 1.0
    position[(position < 0) & (position >= -_TOLERANCE)] = 0.0
    return position


def _score_interval(share: FloatArray, ratio: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the p within sqrt(ratio*p*(1 - p)) of a share, or NaN."""
    with np.errstate(invalid="ignore"):
        half = np.sqrt(ratio * share * (1 - share) + ratio**2 / 4)
    middle = share + ratio / 2
    return (middle - half) / (1 + ratio), (middle + half) / (1 + ratio)


def count_shared_clusters(terms: GroupTerms) -> float:
    """Return how many clusters have a known positive; infinite if none is in several groups."""
    pooled = _shared_clusters(terms)
    if pooled is None:
        return np.inf
    number = np.unique(pooled.code[pooled.share > 0]).size
    if number < 2:
        raise PUDataError(
            "cluster must have known positives in 2 clusters or more, but those of all "
            f"{len(terms.value)} groups are in one. Label positives of other clusters."
        )
    return number


def _shared_clusters(terms: GroupTerms) -> ClusterTerms | None:
    """Return the clusters of all groups, unless each is in one group."""
    pooled = terms.clusters
    is_nested = pooled is None or np.unique(pooled.code).size == pooled.code.size
    return None if is_nested else pooled


def shared_cluster_variance(
    terms: GroupTerms, value: FloatArray, span: FloatArray | float
) -> FloatArray:
    """Return by how much clusters in several groups enlarge the variance between groups."""
    # Cameron, Gelbach and Miller, J. Bus. Econ. Stat. 29 (2011) 238-249.
    pooled, number = _shared_clusters(terms), len(value)
    if pooled is None:
        return np.zeros(value.shape[1])
    difference = (value - value.mean(axis=0))[pooled.group] * pooled.share[:, np.newaxis]
    _, cluster = np.unique(pooled.code, return_inverse=True)
    left = np.maximum(1 - np.bincount(cluster, pooled.share) / number, 1 / number)

    def products(parts: FloatArray) -> float:
        """Return the sum of products of two different groups."""
        squares = np.bincount(cluster, parts) ** 2 - np.bincount(cluster, parts**2)
        return float(squares @ (1 / left))

    covariance = np.array([products(parts) for parts in (pooled.influence / span + difference).T])
    covariance += products(pooled.share) * value.var(axis=0, ddof=1) / number
    return np.asarray(np.maximum(covariance, 0.0) / (number - 1))


_STEP = 1e-6  # of means, for the slope of a metric


class GroupCurve(NamedTuple):
    """The precision and recall of a group at each of its scores, best first."""

    threshold: FloatArray
    precision: FloatArray  # shape (thresholds, betas)
    recall: FloatArray


def check_best_average(metric: Metric) -> None:
    """Raise unless a metric depends on precision and recall alone."""
    if metric.estimator is not None or metric.counts_negatives:
        raise PUValueError(
            f"at must not be 'maximum' for the average of {metric.name!r}, no function of "
            "mean precision and recall. Pass 'f1', or at={'threshold': 0.5}."
        )


def group_curve(ranking: Ranking, betas: FloatArray) -> GroupCurve:
    """Return what a group adds to the means at each threshold."""
    require_known(ranking, betas)
    retrieved = sum(ranking.total) - ranking.unranked
    ranked = slice(1, np.searchsorted(ranking.rank, retrieved, side="right"))
    recall = ranking.known_positive[ranked] / ranking.total.known_positive
    head = ranking.rank[ranked, np.newaxis]
    precision = np.multiply.outer(recall, count_positives(ranking.total, betas)) / head
    return GroupCurve(ranking.threshold[ranked], precision, recall)


def best_average(metric: Metric, groups: Sequence[GroupCurve], level: float) -> Answer:
    """Return the highest value of a metric of mean precision and recall, at each beta."""
    count_groups(groups)
    betas = range(groups[0].precision.shape[1])
    each = [[one._replace(precision=one.precision[:, b]) for one in groups] for b in betas]
    return join_answers([_best_at_beta(metric, of_beta, level) for of_beta in each])


def _best_at_beta(metric: Metric, groups: Sequence[GroupCurve], level: float) -> Answer:
    """Return the highest value at one beta, its threshold and its interval."""
    number, sizes = len(groups), [group.threshold.size for group in groups]
    threshold = np.concatenate([group.threshold for group in groups])
    owner = np.repeat(range(number), sizes)
    # What each score adds to its group, whose first has a prediction from there on.
    means = ([getattr(group, name) for group in groups] for name in ("precision", "recall"))
    steps = [np.concatenate([np.diff(each, prepend=0) for each in mean]) for mean in means]
    added = np.stack([*steps, np.diff(owner, prepend=-1) > 0])
    order = np.argsort(-threshold, kind="stable")
    is_last = np.append(threshold[order[1:]] != threshold[order[:-1]], True)
    precision, recall, predicted = np.cumsum(added[:, order], axis=1)[:, is_last]
    values = _of_means(metric, precision / predicted, recall / number)
    if np.isnan(values).all():
        raise PUDataError(f"{metric.name} has no value at any threshold. Pass 'f1'.")
    best = int(np.nanargmax(values))
    chosen = threshold[order][is_last][best]
    own = np.stack([np.bincount(owner, part * (threshold >= chosen), number) for part in added])
    point = np.array([precision[best] / predicted[best], recall[best] / number])
    influence = (own[0] - own[2] * point[0]) * number / predicted[best], own[1] - point[1]
    beside = point + _STEP * np.array([[0, 0], [1, 0], [0, 1]])
    value, *moved = _of_means(metric, *beside.T).tolist()
    slope = (np.array(moved) - value) / _STEP
    error = float(np.std(slope @ np.stack(influence), ddof=1)) / number**0.5
    half = scipy.special.stdtrit(number - 1, 0.5 + level / 2) * error
    parts = np.clip([[value], [value - half], [value + half]], 0, 1)
    columns = {"threshold": chosen, "standard_error": error, "beyond": False}
    return Answer(parts[0], parts[1], parts[2], np.array(error), columns)


def _of_means(metric: Metric, precision: FloatArray, recall: FloatArray) -> FloatArray:
    """Return a metric of precision and recall."""
    with np.errstate(divide="ignore", invalid="ignore"):
        predicted = np.where(recall > 0, recall / precision, 1.0)
        values: FloatArray = metric(recall, predicted - recall, 1 - recall, 0 * recall + np.nan)
    return values
