"""Linearize any metric on future data: what each example adds to its error."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from pu_accessor.inference import metric_at_cutoff, retrieval
from pu_accessor.inference.areas_on_future_data import ap_share_slope, unbiased_ap
from pu_accessor.inference.calibration import check_probability_scores
from pu_accessor.inference.curves import area_of_estimate
from pu_accessor.inference.cutoff_spec import Cutoff
from pu_accessor.inference.influence import (
    Influence,
    least_placement_square,
    mean_influences,
    placement_influences,
    positive_share_of_rest,
    unbiased_auroc,
)
from pu_accessor.inference.known_positives import count_positives
from pu_accessor.inference.metric_entry import Metric
from pu_accessor.inference.worlds import RANDOM, FutureData, Shares
from pu_accessor.ranking import FloatArray, Ranking
from pu_accessor.roles_and_assumptions import Terms

_STEP = 1e-6  # of a share, for numerical derivatives


class Linearized(NamedTuple):
    """A metric at some betas, and what examples in each step of thresholds add to its error."""

    value: FloatArray  # unbiased: influences are deviations from it
    estimate: Callable[[], FloatArray]  # of the completed ranking
    threshold: FloatArray  # from +inf to NaN, shape (1 + steps,)
    known: FloatArray  # what a known positive adds, shape (betas, steps)
    rest: FloatArray  # what one of the rest adds
    as_known: FloatArray  # what it would add about as a known positive
    least_move: FloatArray  # of an unseen known positive that one of two models ranks otherwise
    share_slope: FloatArray  # derivative by the share of positives among all rows


def linearize(
    ranking: Ranking, betas: FloatArray, metric: Metric, cutoff: Cutoff | None
) -> Linearized:
    """Linearize a metric by its derivatives in the shares of both samples above the cutoff."""
    if metric.cutoff == "probability":
        check_probability_scores(ranking, metric.name)
    if cutoff is not None:
        return _linearize_at_cutoff(ranking, betas, metric, cutoff)
    estimate = partial(area_of_estimate, metric, ranking, betas, on_new=True)
    share_slope = np.zeros(betas.size)
    if metric.curve == "roc":
        value, influences = unbiased_auroc(ranking, betas), [placement_influences(ranking)]
        slope = 1 / (1 - positive_share_of_rest(ranking.total, betas))[np.newaxis]
    elif metric.curve == "pr":
        value, influences = unbiased_ap(ranking, betas), _ap_terms(ranking)
        others = ranking.total.known_positive - 1 or 1
        positives = count_positives(ranking.total, betas)
        slope = np.stack([np.ones(betas.size), (positives - 1) / others])
        share_slope = ap_share_slope(ranking, FutureData.of(ranking, betas, Terms()))
    else:
        value, of_mean, scale, share_slope = retrieval.linearize_bedroc(metric, ranking, betas)
        influences, slope = [of_mean], scale[np.newaxis]
        estimate = partial(
            retrieval.completed_early_recognition, metric, ranking, betas, on_new=True
        )
    known, rest = (slope.T @ np.stack(terms) for terms in list(zip(*influences, strict=True))[1:])
    n, through = ranking.total.known_positive, ranking.known_positive
    number, as_known = np.diff(ranking.head - through), known
    least_move = np.sqrt(np.square(known) @ number / (number.sum() or 1))
    if metric.curve == "roc":  # placements have one scale, and ranks among the rest are not needed
        as_known = slope.T * (through[:-1] + through[1:]) / (2 * n**2)
        least_move = slope[0] * least_placement_square(ranking.concordance) ** 0.5 / n
    moves = known, rest, as_known, least_move
    return Linearized(value, estimate, ranking.threshold, *moves, share_slope)


def _linearize_at_cutoff(
    ranking: Ranking, betas: FloatArray, metric: Metric, cutoff: Cutoff
) -> Linearized:
    """Linearize a metric at a cutoff, by what examples add to both shares above it."""
    metric = metric.at_cutoff(cutoff)
    ends, weights = position = metric_at_cutoff.locate_cutoff(ranking, cutoff)
    world = FutureData.of(ranking, betas, Terms())
    n, size, hidden = world.n, world.size, world.hidden
    sizes = np.array([n, max(world.rest, 1)])
    counts = np.stack([ends.known_positive, ends.head - ends.known_positive])
    above = counts @ weights / sizes
    prevalence = world.positives(RANDOM) / size

    def value(step: FloatArray) -> FloatArray:
        known, rest = above + step[:2]
        shares = Shares(known, rest, prevalence + step[2])
        return world.values(metric, shares, RANDOM, cut=False)

    of_known, of_rest, share_slope = (
        np.nan_to_num(value(step) - value(-step)) / (2 * _STEP) for step in np.eye(3) * _STEP
    )
    if cutoff.kind != "threshold":  # the number of rows above is fixed
        density = _known_density(ranking, float(weights @ ends.head))
        # With more positives more rows are above a threshold, so it rises.
        false = (above[1] - hidden * above[0]) / np.where(hidden < 1, 1 - hidden, 1)
        rows, moved = (above[0] - false) * size, density * (false - above[0])
        share_slope += of_known * moved - of_rest * (rows + n * moved) / sizes[1]
        of_known = of_known - of_rest * sizes[0] / sizes[1]
        of_rest = -of_known * density * sizes[1] / size
        of_known = of_known * (1 - density * n / size)

    def estimate() -> FloatArray:
        return metric_at_cutoff.evaluate_completed(position, betas, metric, None).value

    inside = np.append(np.cumsum(weights[::-1])[::-1], 0.0) - above[:, np.newaxis]
    known, rest = map(np.multiply.outer, (of_known, of_rest), inside / sizes[:, np.newaxis])
    # One crosses the cutoff, and one is as the rest: with one alone .90 is covered, not .93.
    unseen = 1 + above[1] * (1 - above[0]) ** 2 + (1 - above[1]) * above[0] ** 2
    least_move = np.abs(of_known) / max(n, 1) * unseen**0.5
    threshold = np.concatenate([[np.inf], ends.threshold, [np.nan]])
    moves = known, rest, known, least_move
    return Linearized(value(np.zeros(3)), estimate, threshold, *moves, share_slope)


def _known_density(ranking: Ranking, rank: float) -> float:
    """Return the density of known positives around a rank; 1 is the average."""
    blocks, size, n = ranking.known_blocks, sum(ranking.total), ranking.total.known_positive
    ends = np.array([rank / 2, min(1.5 * rank, size)])
    inside = [blocks.known_above(end).item() / n for end in ends[:, np.newaxis]]
    return (inside[1] - inside[0]) * size / max(float(np.diff(ends)[0]), 1.0)


def _ap_terms(ranking: Ranking) -> list[Influence]:
    """Return what examples add to the two terms of `unbiased_ap`."""
    known = ranking.known_positive
    rank = ranking.rank[1:].astype(np.float64)  # squares of large counts overflow integers
    is_known = np.diff(known) > 0  # where each is among those that it is compared with
    others = known[1:] - is_known
    by_known = 1 / rank - others / rank**2
    single = 1 / rank + is_known / rank**2, -1 / rank**2, -1 / rank**2
    pairs = others / rank - is_known * by_known, by_known, -others / rank**2
    return [mean_influences(ranking, terms) for terms in (single, pairs)]
