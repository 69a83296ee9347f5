"""Average a metric over groups such as queries or users, with its interval.

It is of new groups: the variance is s**2/G, with s**2 the variance between groups. The interval is
Wilson's (JASA 22, 1927, 209-212) with this variance and Student's quantile.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy

from pu_accessor.errors import PUDataError, PUValueError
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.bands.weighted import effective_size
from pu_accessor.inference.estimates import known_positives
from pu_accessor.inference.estimates.areas_on_future_data import unbiased_ap
from pu_accessor.inference.estimates.calibration import check_probability_scores
from pu_accessor.inference.estimates.cutoff_spec import FIXED, Cutoff
from pu_accessor.inference.estimates.linearized import linearize
from pu_accessor.inference.estimates.metric_at_cutoff import cutoff_at_positives, locate_cutoff
from pu_accessor.inference.influence import (
    placements_of_stack,
    positive_share_of_rest,
    unbiased_auroc,
)
from pu_accessor.inference.metrics import Metric
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import FloatArray, IntArray, Ranking, TieBlocks

_TOLERANCE = 1e-9
_MODEL_GROUPS = 8  # for which the model of the variance counts; calibrated by simulation
_MAX_ERRORS = 3  # standard errors beyond its range that chance explains
# The variance of a share, in p*(1 - p): 1 if it is 0 or 1, a third if it can have any value.
_AREA_SCATTER, _RATE_SCATTER = 1 / 3, 1.0


class ClusterTerms(NamedTuple):
    """What the clusters of a group add to its estimate."""

    code: IntArray  # number of each among the clusters of all groups
    influence: FloatArray  # shape (betas, clusters)
    share: FloatArray  # of the group's known positives


class GroupTerm(NamedTuple):
    """What one group adds to an average, at some betas."""

    value: FloatArray  # unbiased, may lie outside [0, 1]
    low: FloatArray  # with all known positives at the worst rank
    high: FloatArray  # with all known positives at the best rank
    known: float  # effective number of known positives
    floor: FloatArray | float = 0.0  # smallest possible value
    ceiling: FloatArray | float = 1.0  # largest possible value
    clusters: ClusterTerms | None = None  # of rows that are not independent


def group_term(
    ranking: Ranking, betas: FloatArray, metric: Metric, cutoff: Cutoff | None
) -> GroupTerm:
    """Return what a group adds to the average of a metric."""
    if not ranking.total.known_positive:
        raise PUDataError(
            "An average needs a known positive in each group, but none of "
            f"{sum(ranking.total) - ranking.unranked} examples is one."
        )
    check_labels(betas, ranking.total)
    n = ranking.total.known_positive
    if metric.cutoff == "probability":
        check_probability_scores(ranking, metric.name)
    metric = metric if cutoff is None else metric.at_cutoff(cutoff)
    if metric.of_known is not None:
        value, low, high = metric.of_known(metric, ranking, betas)
        term = GroupTerm(value, low, high, n)
    elif cutoff is not None:
        term = _cutoff_term(ranking, betas, metric, cutoff)
    elif metric.curve == "roc":
        share = positive_share_of_rest(ranking.total, betas)  # raises without negatives
        term = GroupTerm(unbiased_auroc(ranking, betas), *_auroc_range(share), n)
    else:
        term = _ap_term(ranking, betas)
    clusters = ranking.clusters
    if clusters is None:
        return term
    sizes = clusters.sizes
    term = term._replace(known=effective_size(sizes[0].astype(np.float64)))
    if clusters.one_per_row:
        return term
    code, linear = np.flatnonzero(sizes.any(axis=0)), linearize(ranking, betas, metric, cutoff)
    of_betas = zip(linear.known, linear.rest, strict=True)
    sums = [clusters.sums(linear.threshold, *of_beta).sum(axis=0) for of_beta in of_betas]
    influence = np.stack(sums)[:, code]
    share = sizes[0, code] / ranking.total.known_positive
    return term._replace(clusters=ClusterTerms(code, influence, share))


def _auroc_range(share: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return AUROC with all known positives below the rest, a share of it positive, and above."""
    return -share / (2 * (1 - share)), (1 - share / 2) / (1 - share)


def auroc_group_terms(stack: TieBlocks, betas: FloatArray) -> list[list[GroupTerm] | None]:
    """Return what many groups add to the average AUROC."""
    known, negative, unlabeled = stack.total.T[:, :, np.newaxis]
    is_simple = (known > 0) & (negative + unlabeled * (1 - betas) >= known_positives.MIN_NEGATIVES)
    is_simple = (is_simple & ((unlabeled > 0) | (betas == 0))).all(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = _auroc_range(unlabeled * betas / (negative + unlabeled))
        value = low + placements_of_stack(stack).above[:, np.newaxis] * (high - low)
    parts = zip(value, low, high, known[:, 0].tolist(), strict=True)
    return [
        [GroupTerm(at_value, lowest, highest, n)] if is_kept else None
        for is_kept, (at_value, lowest, highest, n) in zip(is_simple.tolist(), parts, strict=True)
    ]


def _ap_term(ranking: Ranking, betas: FloatArray) -> GroupTerm:
    """Return what a group adds to the mean of average precision."""
    value = unbiased_ap(ranking, betas)
    if np.isnan(value).any():
        raise PUDataError(
            "average precision needs two known positives where others are hidden: one has no "
            "other known positives above it. Average AUROC, which takes such groups."
        )
    hidden = known_positives.hidden_share(ranking.total, betas)
    return GroupTerm(value, 0 * value, 1 / (1 - hidden), ranking.total.known_positive)


def _cutoff_term(ranking: Ranking, betas: FloatArray, metric: Metric, cutoff: Cutoff) -> GroupTerm:
    """Return what a group adds to the average of a metric at a cutoff."""
    if cutoff.kind == "positives":
        terms = [
            _cutoff_term(ranking, one_beta, metric, cutoff_at_positives(ranking.total, beta))
            for beta, one_beta in zip(betas.tolist(), betas[:, np.newaxis], strict=True)
        ]
        parts: dict[str, Any] = {
            name: np.concatenate([getattr(term, name) for term in terms])
            for name in GroupTerm._fields[:3]
        }
        return terms[0]._replace(**parts)
    n, examples = ranking.total.known_positive, sum(ranking.total)
    position = locate_cutoff(ranking, cutoff)
    positives = known_positives.count_positives(ranking.total, betas)
    share = float(position.weights @ position.ends.known_positive) / n
    predicted = float(position.rank)
    tp = np.multiply.outer(np.array([share, 0.0, 0.5, 1.0]), positives)
    possible = np.maximum(predicted + positives - examples, 0), np.minimum(predicted, positives)
    tp = np.concatenate([tp, possible])
    value, least, middle, most, *extremes = metric(
        tp, predicted - tp, positives - tp, examples - positives - predicted + tp
    ).astype(np.float64)
    if np.isnan([least, most]).any():
        raise PUDataError(
            f"{metric.name} has no value at rank {predicted:g} of {examples - ranking.unranked} "
            "examples, but an average needs one. Take another cutoff."
        )
    if (np.abs(middle - (least + most) / 2) > _TOLERANCE * (1 + np.abs(most - least))).any():
        raise PUValueError(
            f"average must be False for {metric.name!r}: it is not linear in the true positives "
            "at a cutoff, so that groups with few known positives are biased. Average "
            "'precision', 'recall' or 'f1'."
        )
    ends = np.minimum(least, most), np.maximum(least, most)
    floor, ceiling = np.minimum(0.0, extremes), np.maximum(1.0, extremes)
    return GroupTerm(*(value, *ends, n), floor=floor.min(axis=0), ceiling=ceiling.max(axis=0))


def check_average_cutoff(cutoff: Cutoff) -> None:
    """Raise where each group would choose its cutoff by estimates."""
    if cutoff.kind not in (*FIXED, "first", "positives"):
        raise PUValueError(
            f"at must be one of {[*FIXED]} with average=True, but {cutoff.kind!r} was passed, "
            "which each group would choose by what it estimates. For example at={'rank': 10}."
        )


def average_groups(metric: Metric, terms: Sequence[GroupTerm], level: float) -> Answer:
    """Average over new groups; `beyond` are averages that are impossible by three errors."""
    # The model variance is `scatter` * p*(1 - p) per known positive, p of the way to the highest
    # possible average. It only raises the variance; for rates it is the minimum.
    if len(terms) < 2:
        raise PUDataError(f"average=True needs 2 groups or more, not {len(terms)}. Omit average.")
    value, low, high = (
        np.stack([getattr(term, name) for term in terms]) for name in GroupTerm._fields[:3]
    )
    known, number = np.array([[term.known] for term in terms]), len(terms)
    scatter = _RATE_SCATTER if metric.estimator is None else _AREA_SCATTER
    floors, ceilings = zip(*((term.floor, term.ceiling) for term in terms), strict=True)
    floor, ceiling = np.mean(floors, axis=0), np.mean(ceilings, axis=0)
    span = ceiling - floor
    value, low, high = ((part - floor) / span for part in (value, low, high))
    mean, scale = value.mean(axis=0), (high - low).mean(axis=0)
    center = np.clip(mean, 0, 1)
    position = _relative_position(center - low.mean(axis=0), scale)
    inside = np.clip(position, 0, 1)
    model = scatter * (high - low) ** 2 / known / number**2
    squared = value.var(axis=0, ddof=1) + _shared_cluster_variance(terms, value, span)
    squared /= number
    df = min(number, count_shared_clusters(terms)) - 1.0
    # The possible values of new groups differ, and so does the same share of the way.
    of_ranges = np.minimum((low + inside * (high - low)).var(axis=0, ddof=1) / number, squared)
    # Half a known positive at each end, because shares of 0 and 1 have errors too.
    inner = (inside * known.sum() + 0.5) / (known.sum() + 1)
    model = model.sum(axis=0) * inner * (1 - inner)
    variance = np.maximum((df * squared + _MODEL_GROUPS * model) / (df + _MODEL_GROUPS), squared)
    if scatter == _RATE_SCATTER:
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


def count_shared_clusters(terms: Sequence[GroupTerm]) -> float:
    """Return how many clusters have a known positive; infinite if none is in several groups."""
    pooled = _pool_clusters(terms)
    if pooled is None:
        return np.inf
    number = np.unique(pooled.code[pooled.share > 0]).size
    if number < 2:
        raise PUDataError(
            "cluster must have known positives in 2 clusters or more, but those of all "
            f"{len(terms)} groups are in one. Label positives of other clusters."
        )
    return number


def _pool_clusters(terms: Sequence[GroupTerm]) -> ClusterTerms | None:
    """Return the clusters of all groups, unless each is in one group."""
    parts = [term.clusters for term in terms if term.clusters is not None]
    if not parts:
        return None
    code = np.concatenate([part.code for part in parts])
    if np.unique(code).size == code.size:
        return None
    influence = np.concatenate([part.influence for part in parts], axis=1)
    return ClusterTerms(code, influence, np.concatenate([part.share for part in parts]))


def _shared_cluster_variance(
    terms: Sequence[GroupTerm], value: FloatArray, span: FloatArray | float
) -> FloatArray:
    """Return by how much clusters in several groups enlarge the variance between groups."""
    # Cameron, Gelbach and Miller, J. Bus. Econ. Stat. 29 (2011) 238-249.
    pooled, number = _pool_clusters(terms), len(terms)
    if pooled is None:
        return np.zeros(value.shape[1])
    each = [term.clusters.code.size if term.clusters else 0 for term in terms]
    difference = np.repeat((value - value.mean(axis=0)).T, each, axis=1)
    added = pooled.influence / np.reshape(span, (-1, 1)) + difference * pooled.share
    _, cluster = np.unique(pooled.code, return_inverse=True)
    left = np.maximum(1 - np.bincount(cluster, pooled.share) / number, 1 / number)

    def products(parts: FloatArray) -> float:
        """Return the sum of products of two different groups."""
        squares = np.bincount(cluster, parts) ** 2 - np.bincount(cluster, parts**2)
        return float(squares @ (1 / left))

    covariance = np.array([products(parts) for parts in added])
    covariance += products(pooled.share) * value.var(axis=0, ddof=1) / number
    return np.asarray(np.maximum(covariance, 0.0) / (number - 1))
