"""Any quantity of one ranking on new examples, and what its clusters of rows add to its error.

Rows that are independent are clusters of one row each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from pu_accessor.inference.estimates.areas_on_new_examples import precision_values
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.early_recognition import completed_early, linear_bedroc
from pu_accessor.inference.estimates.known_positives import count_positives, find_blocks
from pu_accessor.inference.estimates.metric_at import Head, fixed_head, of_shares
from pu_accessor.inference.estimates.utility import check_probabilities
from pu_accessor.inference.influence import (
    Influence,
    auroc_on_new,
    mean_influences,
    placement_influences,
    rest_share,
    sum_by_cluster,
)
from pu_accessor.inference.metrics import Metric
from pu_accessor.inference.tables.contingency import completed_table
from pu_accessor.inference.tables.curves import completed_area
from pu_accessor.ranking import PLACEMENT_LEVELS, FloatArray, Ranking

_STEP = 1e-6  # of a share, to see how a metric changes with it


class Linearized(NamedTuple):
    """Some quantity at some betas, and what clusters, or single rows, add to its error."""

    value: FloatArray  # which errors are around
    estimate: Callable[[], FloatArray]  # of the completed ranking
    influence: FloatArray  # (betas, clusters or more)
    moved: FloatArray  # likewise of the rest, were it known positives at its places
    reach: FloatArray  # by how much two known positives' influences can differ, by beta


def linearize(
    ranking: Ranking, betas: FloatArray, metric: Metric, cutoff: Cutoff | None
) -> Linearized:
    """Return a quantity of a clustered ranking, with what its clusters contribute.

    Notes
    -----
    A metric has its derivatives in the shares of known positives and of the rest above the
    cutoff. At a rank, or a share of the rows, each row also moves the score of that rank, and
    with it as many known positives as lie there. Average precision is the unbiased one, linear in
    P: a known positive adds nothing to the number at or above itself.
    """
    if metric.of_probabilities:
        check_probabilities(ranking, metric.name)
    if cutoff is not None:
        return _linearize_metric(ranking, betas, metric, cutoff)
    estimate = partial(completed_area, metric.curve or "", ranking, betas, on_new=True)
    if metric.curve == "roc":
        value, influences = auroc_on_new(ranking, betas), [placement_influences(ranking)]
        slope = 1 / (1 - rest_share(ranking.total, betas))[np.newaxis]
        estimate = partial(np.copy, value)  # whose order no beta changes
    elif metric.curve == "pr":
        value, influences = precision_values(ranking, betas), _precision_influences(ranking)
        others = ranking.total.known_positive - 1 or 1
        positives = count_positives(ranking.total, betas)
        slope = np.stack([np.ones(betas.size), (positives - 1) / others])
    else:
        value, of_mean, scale = linear_bedroc(metric, ranking, betas)
        influences, slope = [of_mean], scale[np.newaxis]
        estimate = partial(completed_early, metric, ranking, betas, on_new=True)
    of_known = [np.concatenate([part.known for part in parts]) for parts in influences]
    reach = np.ptp(slope.T @ np.stack(of_known), axis=1)
    if metric.curve == "roc":
        reach = slope[0] / ranking.total.known_positive
    moved = _in_levels(ranking) if metric.curve == "roc" else None
    influences = [
        [part._replace(moved=part.known if moved is None else moved) for part in parts]
        for parts in influences
    ]
    return Linearized(value, estimate, *_sum_terms(influences, slope), reach)


def _in_levels(ranking: Ranking) -> FloatArray:
    """Return what known positives add to AUROC, in the levels of `PairedRanks`."""
    known, rest = ranking.known_positive, ranking.head - ranking.known_positive
    level = ((known[:-1] + known[1:]) * PLACEMENT_LEVELS // (2 * known[-1] + 1)).astype(np.int64)
    at_level = np.bincount(level, np.diff(rest), PLACEMENT_LEVELS)
    below = 1 - (np.cumsum(at_level) - at_level / 2)[level] / (float(rest[-1]) or 1.0)
    return np.asarray(below / ranking.total.known_positive)


def _sum_terms(
    influences: Sequence[Sequence[Influence]], slope: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return what clusters add to a sum of terms with slopes of shape (terms, betas)."""
    if len(influences) > slope.shape[1]:  # the fewer are summed over rows
        influences = [
            [_mix(parts, of_beta) for parts in zip(*influences, strict=True)]
            for of_beta in slope.T
        ]
        slope = np.eye(len(influences))
    known, rest, moved = np.stack([sum_by_cluster(parts) for parts in influences], axis=1)
    known += rest
    return slope.T @ known, slope.T @ moved


def _mix(parts: Sequence[Influence], slope: FloatArray) -> Influence:
    """Return the sum of several influences of one ranking, times slopes."""
    mixed = (slope @ np.stack(each) for each in zip(*(part[1:] for part in parts), strict=True))
    return Influence(parts[0].ranking, *mixed)


def _linearize_metric(
    ranking: Ranking, betas: FloatArray, metric: Metric, cutoff: Cutoff
) -> Linearized:
    """Return a metric at a cutoff, with what clusters add to both shares above it."""
    metric = metric.at_cutoff(cutoff)
    head = fixed_head(ranking, metric.at_whole(cutoff, sum(ranking.total)))
    ends, part = head.ends, head.part
    n, size = ranking.total.known_positive, sum(ranking.total)
    sizes = np.array([n, max(size - n, 1)])
    known = float(part @ ends.known_positive)
    above = np.array([known, float(part @ ends.head) - known]) / sizes
    hidden = betas * ranking.total.unlabeled / sizes[1]
    whole = (n + hidden * sizes[1]) / size
    value = of_shares(metric, whole, hidden, size, cut=False)
    shares = np.repeat(above[:, np.newaxis], betas.size, axis=1)
    steps = np.eye(2)[..., np.newaxis] * _STEP
    of_known, of_rest = (
        np.nan_to_num(value(*(shares + step)) - value(*(shares - step))) / (2 * _STEP)
        for step in steps
    )
    if cutoff.kind != "threshold":  # as many rows are above whatever the sample
        of_known = of_known - of_rest * sizes[0] / sizes[1]
        density = _density(ranking, float(part @ ends.head))
        of_rest = -of_known * density * sizes[1] / size
        of_known = of_known * (1 - density * n / size)

    def estimate() -> FloatArray:
        _, table = completed_table(ends, betas, on_new=True)
        mixed = (np.tensordot(part, count, 1) for count in table)
        return metric(*mixed).astype(np.float64)

    return Linearized(
        value(*shares),
        estimate,
        *_sum_terms(_above(head), np.stack([of_known, of_rest])),
        np.abs(of_known) / max(n, 1),
    )


def _density(ranking: Ranking, rank: float) -> float:
    """Return how densely known positives lie around a rank, 1 where as densely as everywhere."""
    found, _, start, end = find_blocks(ranking)
    size, n = sum(ranking.total), ranking.total.known_positive
    ends = np.array([rank / 2, min(1.5 * rank, size)])
    inside = np.clip((ends[:, np.newaxis] - start) / (end - start), 0, 1) @ found / n
    share = float(np.diff(inside)[0])
    return share * size / max(float(np.diff(ends)[0]), 1.0)


def _precision_influences(ranking: Ranking) -> list[list[Influence]]:
    """Return what examples add to the two terms of average precision, see `precision_values`.

    A known positive has all others at or above it; between two there is none to leave out.
    """
    whole, known = replace(ranking, strata=()), ranking.known_positive
    rank = ranking.rank[1:].astype(np.float64)  # of large counts the squares are beyond integers
    others = known[1:] - (np.diff(known) > 0)
    by_known = 1 / rank - others / rank**2
    alone = 1 / rank + 1 / rank**2, -1 / rank**2, -1 / rank**2
    pairs = others / rank - by_known, by_known, -others / rank**2
    return [mean_influences(whole, lambda _: alone), mean_influences(whole, lambda _: pairs)]


def _above(head: Head) -> list[list[Influence]]:
    """Return what rows add to the shares of known positives, and of the rest, in a head.

    The second part of the head is of a block of ties.
    """
    ends, part = head
    sizes = ends.total.known_positive, max(sum(ends.total) - ends.total.known_positive, 1)
    inside = np.append(np.cumsum(part[::-1])[::-1], 0.0)
    counted = ends.known_positive, ends.head - ends.known_positive
    known, rest = (
        (inside - part @ count / size) / size for count, size in zip(counted, sizes, strict=True)
    )
    steps = replace(ends, threshold=np.concatenate([[np.inf], ends.threshold, [np.nan]]))
    none = 0 * rest
    return [[Influence(steps, known, none, known)], [Influence(steps, none, rest, none)]]
