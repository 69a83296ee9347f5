"""Any quantity of one ranking on new examples, and what its clusters of rows add to its error.

Rows that are independent are clusters of one row each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np

from pu_accessor.inference.estimates.areas_on_new_examples import precision_values
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.early_recognition import completed_bedroc, linear_bedroc
from pu_accessor.inference.estimates.known_positives import count_positives, find_blocks
from pu_accessor.inference.estimates.metric_at import Head, fixed_head, of_shares
from pu_accessor.inference.estimates.utility import check_probabilities
from pu_accessor.inference.influence import (
    Influence,
    auroc_on_new,
    mean_influences,
    placement_influences,
    precision_influences,
    rest_share,
    sum_by_cluster,
)
from pu_accessor.inference.metrics import Metric
from pu_accessor.inference.tables.contingency import completed_table
from pu_accessor.inference.tables.curves import completed_area
from pu_accessor.ranking import FloatArray, Ranking

_STEP = 1e-6  # of a share, to see how a metric changes with it


# Some quantity at some betas: the value that errors are around, what gives that of the completed
# ranking, and what each cluster adds to the error, shape (betas, clusters or more).
Linearized: TypeAlias = tuple[FloatArray, Callable[[], FloatArray], FloatArray]


def linearize(
    ranking: Ranking,
    betas: FloatArray,
    metric: Metric,
    cutoff: Cutoff | None,
    *,
    small: bool = False,
) -> Linearized:
    """Return a quantity of a clustered ranking, with what its clusters contribute.

    `small`: of a ranking that need not say much itself, as it is one of many.

    Notes
    -----
    A metric has its derivatives in the shares of known positives and of the rest above the
    cutoff. At a rank, or a share of the rows, as many are above in each sample, so that known
    positives alone count; of a small ranking also by how much each row moves the score of that
    rank, and how densely known positives lie there. Its average precision is the unbiased one,
    linear in P: a known positive adds nothing to the number at or above itself.
    """
    if metric.of_probabilities:
        check_probabilities(ranking, metric.name)
    if cutoff is not None:
        return _linearize_metric(ranking, betas, metric, cutoff, small)
    positives = count_positives(ranking.total, betas)
    estimate = partial(completed_area, metric.curve or "", ranking, betas, on_new=True)
    if metric.curve == "roc":
        value, influences = auroc_on_new(ranking, betas), [placement_influences(ranking)]
        slope = 1 / (1 - rest_share(ranking.total, betas))[np.newaxis]
        estimate = partial(np.copy, value)  # whose order no beta changes
    elif metric.curve == "pr" and small:
        value, influences = precision_values(ranking, betas), _unbiased_precision(ranking)
        others = ranking.total.known_positive - 1 or 1
        slope = np.stack([np.ones(betas.size), (positives - 1) / others])
    elif metric.curve == "pr":
        value, influences = precision_values(ranking, betas), [precision_influences(ranking)]
        slope = positives[np.newaxis]
    else:
        value, of_mean, scale = linear_bedroc(ranking, betas, metric.alpha or 0.0)
        influences, slope = [of_mean], scale[np.newaxis]
        estimate = partial(completed_bedroc, ranking, metric.alpha or 0.0, betas, on_new=True)
    sums = np.stack([sum_by_cluster(each).sum(axis=0) for each in influences])
    return value, estimate, slope.T @ sums


def _linearize_metric(
    ranking: Ranking, betas: FloatArray, metric: Metric, cutoff: Cutoff, small: bool
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
        density = _density(ranking, float(part @ ends.head)) if small else 0.0
        of_rest = -of_known * density * sizes[1] / size
        of_known = of_known * (1 - density * n / size)

    def estimate() -> FloatArray:
        _, table = completed_table(ends, betas, on_new=True)
        mixed = (np.tensordot(part, count, 1) for count in table)
        return metric(*mixed).astype(np.float64)

    slope = np.stack([of_known, of_rest])
    return value(*shares), estimate, slope.T @ _sum_above(head)


def _density(ranking: Ranking, rank: float) -> float:
    """Return how densely known positives lie around a rank, 1 where as densely as everywhere."""
    found, _, start, end = find_blocks(ranking)
    size, n = sum(ranking.total), ranking.total.known_positive
    ends = np.array([rank / 2, min(1.5 * rank, size)])
    inside = np.clip((ends[:, np.newaxis] - start) / (end - start), 0, 1) @ found / n
    share = float(np.diff(inside)[0])
    return share * size / max(float(np.diff(ends)[0]), 1.0)


def _unbiased_precision(ranking: Ranking) -> list[list[Influence]]:
    """Return what examples add to the two terms of average precision, see `precision_values`."""
    whole, rank, others = replace(ranking, strata=()), ranking.rank[1:], ranking.known_positive[1:]
    others = others - 1
    by_known = 1 / rank - others / rank**2
    alone = 1 / rank + 1 / rank**2, -1 / rank**2, -1 / rank**2
    pairs = others / rank - by_known, by_known, -others / rank**2
    return [mean_influences(whole, lambda _: alone), mean_influences(whole, lambda _: pairs)]


def _sum_above(head: Head) -> FloatArray:
    """Return what each cluster adds to the shares of known positives, and of the rest, in a head.

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
    return sum_by_cluster([Influence(steps, known, rest)])
