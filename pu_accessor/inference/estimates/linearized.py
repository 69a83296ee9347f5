"""Linearize any metric on future data: what each cluster, or single row, adds to its error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from pu_accessor.inference.estimates import early_recognition, metric_at_cutoff
from pu_accessor.inference.estimates.areas_on_future_data import unbiased_ap
from pu_accessor.inference.estimates.calibration import check_probability_scores
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.known_positives import count_positives, known_blocks
from pu_accessor.inference.influence import (
    Influence,
    cluster_sums,
    mean_influences,
    placement_influences,
    positive_share_of_rest,
    unbiased_auroc,
)
from pu_accessor.inference.metrics import Metric
from pu_accessor.inference.tables.contingency import completed_table
from pu_accessor.inference.tables.curves import area_of_estimate
from pu_accessor.ranking import PLACEMENT_LEVELS, FloatArray, Ranking

_STEP = 1e-6  # of a share, for numerical derivatives


class Linearized(NamedTuple):
    """A metric at some betas, and what clusters, or single rows, add to its error."""

    value: FloatArray  # unbiased: influences are deviations from it
    estimate: Callable[[], FloatArray]  # of the completed ranking
    influence: FloatArray  # shape (betas, clusters or rows)
    as_known: FloatArray  # of the rest, if its examples were known positives
    max_move: FloatArray  # largest difference of two known positives' influences, by beta


def linearize(
    ranking: Ranking, betas: FloatArray, metric: Metric, cutoff: Cutoff | None
) -> Linearized:
    """Linearize a metric by its derivatives in the shares of both samples above the cutoff."""
    if metric.cutoff == "probability":
        check_probability_scores(ranking, metric.name)
    if cutoff is not None:
        return _linearize_at_cutoff(ranking, betas, metric, cutoff)
    estimate = partial(area_of_estimate, metric.curve or "", ranking, betas, on_new=True)
    if metric.curve == "roc":
        value, influences = unbiased_auroc(ranking, betas), [placement_influences(ranking)]
        slope = 1 / (1 - positive_share_of_rest(ranking.total, betas))[np.newaxis]
        estimate = partial(np.copy, value)  # its order of models is that at all betas
    elif metric.curve == "pr":
        value, influences = unbiased_ap(ranking, betas), _ap_terms(ranking)
        others = ranking.total.known_positive - 1 or 1
        positives = count_positives(ranking.total, betas)
        slope = np.stack([np.ones(betas.size), (positives - 1) / others])
    else:
        value, of_mean, scale = early_recognition.linearize_bedroc(metric, ranking, betas)
        influences, slope = [of_mean], scale[np.newaxis]
        estimate = partial(
            early_recognition.completed_early_recognition, metric, ranking, betas, on_new=True
        )
    if metric.curve == "roc":
        max_move, moved = slope[0] / ranking.total.known_positive, _auroc_moves_by_level(ranking)
        influences = [term._replace(moved=moved) for term in influences]
    else:
        max_move = np.ptp(slope.T @ np.stack([term.known for term in influences]), axis=1)
        influences = [term._replace(moved=term.known) for term in influences]
    return Linearized(value, estimate, *_cluster_influences(influences, slope), max_move)


def _auroc_moves_by_level(ranking: Ranking) -> FloatArray:
    """Return what known positives add to AUROC, in the levels of `PairedRanks`."""
    known, rest = ranking.known_positive, ranking.head - ranking.known_positive
    level = ((known[:-1] + known[1:]) * PLACEMENT_LEVELS // (2 * known[-1] + 1)).astype(np.int64)
    at_level = np.bincount(level, np.diff(rest), PLACEMENT_LEVELS)
    below = 1 - (np.cumsum(at_level) - at_level / 2)[level] / (float(rest[-1]) or 1.0)
    return np.asarray(below / ranking.total.known_positive)


def _cluster_influences(
    influences: Sequence[Influence], slope: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return what clusters add to a sum of terms with slopes of shape (terms, betas)."""
    if len(influences) > slope.shape[1]:  # sum the fewer over rows
        influences = [_combine_influences(influences, of_beta) for of_beta in slope.T]
        slope = np.eye(len(influences))
    known, rest, moved = np.stack([*map(cluster_sums, influences)], axis=1)
    known += rest
    return slope.T @ known, slope.T @ moved


def _combine_influences(terms: Sequence[Influence], slope: FloatArray) -> Influence:
    """Return the sum of several influences of one ranking, times slopes."""
    mixed = (slope @ np.stack(each) for each in zip(*(term[1:] for term in terms), strict=True))
    return Influence(terms[0].ranking, *mixed)


def _linearize_at_cutoff(
    ranking: Ranking, betas: FloatArray, metric: Metric, cutoff: Cutoff
) -> Linearized:
    """Linearize a metric at a cutoff, by what clusters add to both shares above it."""
    metric = metric.at_cutoff(cutoff)
    position = metric_at_cutoff.locate_cutoff(ranking, cutoff)
    ends, weights = position
    n, size = ranking.total.known_positive, sum(ranking.total)
    sizes = np.array([n, max(size - n, 1)])
    known = float(weights @ ends.known_positive)
    above = np.array([known, float(weights @ ends.head) - known]) / sizes
    hidden = betas * ranking.total.unlabeled / sizes[1]
    prevalence = (n + hidden * sizes[1]) / size
    value = metric_at_cutoff.metric_of_shares(metric, prevalence, hidden, size, cut=False)
    shares = np.repeat(above[:, np.newaxis], betas.size, axis=1)
    steps = np.eye(2)[..., np.newaxis] * _STEP
    of_known, of_rest = (
        np.nan_to_num(value(*(shares + step)) - value(*(shares - step))) / (2 * _STEP)
        for step in steps
    )
    if cutoff.kind != "threshold":  # the number of rows above is fixed
        of_known = of_known - of_rest * sizes[0] / sizes[1]
        density = _known_density(ranking, float(weights @ ends.head))
        of_rest = -of_known * density * sizes[1] / size
        of_known = of_known * (1 - density * n / size)

    def estimate() -> FloatArray:
        _, table = completed_table(ends, betas, on_new=True)
        return metric(*(np.tensordot(weights, count, 1) for count in table)).astype(np.float64)

    return Linearized(
        value(*shares),
        estimate,
        *_cluster_influences(_rate_influences(position), np.stack([of_known, of_rest])),
        np.abs(of_known) / max(n, 1),
    )


def _known_density(ranking: Ranking, rank: float) -> float:
    """Return the density of known positives around a rank; 1 is the average."""
    number, _, start, end = known_blocks(ranking)
    size, n = sum(ranking.total), ranking.total.known_positive
    ends = np.array([rank / 2, min(1.5 * rank, size)])
    inside = np.clip((ends[:, np.newaxis] - start) / (end - start), 0, 1) @ number / n
    return float(np.diff(inside)[0]) * size / max(float(np.diff(ends)[0]), 1.0)


def _ap_terms(ranking: Ranking) -> list[Influence]:
    """Return what examples add to the two terms of `unbiased_ap`."""
    known = ranking.known_positive
    rank = ranking.rank[1:].astype(np.float64)  # squares of large counts overflow integers
    others = known[1:] - (np.diff(known) > 0)
    by_known = 1 / rank - others / rank**2
    single = 1 / rank + 1 / rank**2, -1 / rank**2, -1 / rank**2
    pairs = others / rank - by_known, by_known, -others / rank**2
    return [mean_influences(ranking, terms) for terms in (single, pairs)]


def _rate_influences(position: metric_at_cutoff.CutoffPosition) -> list[Influence]:
    """Return what rows add to the shares of known positives, and of the rest, above a cutoff."""
    ends, weights = position
    sizes = ends.total.known_positive, max(sum(ends.total) - ends.total.known_positive, 1)
    inside = np.append(np.cumsum(weights[::-1])[::-1], 0.0)
    counted = ends.known_positive, ends.head - ends.known_positive
    known, rest = ((inside - weights @ c / s) / s for c, s in zip(counted, sizes, strict=True))
    steps = replace(ends, threshold=np.concatenate([[np.inf], ends.threshold, [np.nan]]))
    none = 0 * rest
    return [Influence(steps, known, none, known), Influence(steps, none, rest, none)]
