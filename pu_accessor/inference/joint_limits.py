"""Read future data at all thresholds jointly: bands of curves, and guaranteed cutoffs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from pu_accessor.errors import PUDataError
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.bands import future_data
from pu_accessor.inference.estimates.guaranteed_cutoffs import (
    Goal,
    band_for_goal,
    find_sample_cutoff,
    guaranteed,
)
from pu_accessor.inference.estimates.known_positives import count_negatives
from pu_accessor.inference.metrics import METRICS
from pu_accessor.inference.tables.contingency import (
    BOUNDS,
    ESTIMATE,
    Table,
    check_labels,
    completed_table,
)
from pu_accessor.inference.worlds import FutureData, lower_precision, precision_limit
from pu_accessor.ranking import BoolArray, FloatArray, IntArray, Numbers, Ranking, sorted_unique
from pu_accessor.roles_and_assumptions import Terms

_TINY = 1e-9  # replaces a precision, or true positives, of 0
_LIMITS = slice(None, None, 2)  # lower and upper of `BOUNDS`, as a view


# Bands of curves


def bound_curve_on_future_data(
    curve: str, ranking: Ranking, betas: FloatArray, terms: Terms
) -> tuple[Ranking, Table]:
    """Bound a curve on future data at all thresholds jointly, shape (cutoffs, 3, betas)."""
    # Bounds have the rates of the ROC curve, or precision and recall; their other values are void.
    if ranking.whole is not None:  # joint limits need all cutoffs
        every = ranking.whole.refine(ranking.unlabeled, exact=True)
        every, table = bound_curve_on_future_data(curve, every, betas, terms)
        chosen = np.searchsorted(every.head, ranking.head)
        return ranking, Table(*(count[chosen] for count in table))
    ranking, completed = completed_table(ranking, betas, on_new=True)
    positives, negatives = (part[-1] for part in (completed.tp, completed.fp))
    if not negatives.all():
        raise PUDataError(
            "target must be 'examples' if no example is negative, but 'population' was passed: "
            "there is no false positive rate. Pass a smaller beta, or add unlabeled rows."
        )
    world, level = FutureData.of(ranking, betas, terms), terms.level
    tp = np.repeat(completed.tp[:, np.newaxis].astype(np.float64), len(BOUNDS), axis=1)
    fp = np.repeat(completed.fp[:, np.newaxis].astype(np.float64), len(BOUNDS), axis=1)
    least = _TINY if curve == "pr" else 0
    np.maximum(tp, least, out=tp)
    shares = ((positives - world.n) / max(world.rest, 1)).tolist()
    for column, share in enumerate(shares):
        rates = future_data.bound_rates(ranking, share, level, ranking.monotone)
        true, false = tp[:, ESTIMATE, column].copy(), completed.fp[:, column]
        tp[:, _LIMITS, column] = np.maximum(_include(positives[column] * rates.tpr, true), least)
        if curve == "roc":
            fp[:, _LIMITS, column] = _include(negatives[column] * rates.fpr, false)[:, ::-1]
            continue
        one = world.at(column)
        limits = [
            precision_limit(one, ranking, lift, side, level)[0]
            for lift, side in zip(rates.lift, (-1, 1), strict=True)
        ]
        with np.errstate(invalid="ignore"):
            precision = _include(np.stack(limits), true / (true + false))
        fp[:, _LIMITS, column] = tp[:, _LIMITS, column] * (1 / np.maximum(precision, _TINY) - 1)
    return ranking, Table(tp, fp, positives - tp, negatives - fp)


def _include(limits: FloatArray, estimate: Numbers) -> FloatArray:
    """Return limits widened to include the estimate, (cutoffs, 2), from (2, cutoffs)."""
    return np.stack([np.fmin(limits[0], estimate), np.fmax(limits[1], estimate)], axis=1)


# Guaranteed cutoffs

# A sequence starts where a list with this share of all positives has the precision; the second
# number is its share of 1 - level.
_SEQUENCE_STARTS = {0.5: 0.9, 0.12: 0.1}
_SEQUENCE_STEP = 1.05  # ratio of the sizes of two lists


def find_population_cutoff(
    ranking: Ranking, betas: FloatArray, goal: Goal, terms: Terms
) -> Answer:
    """Find the cutoff that meets a goal on future data at all betas, estimated at the first."""
    check_labels(betas, ranking.total)
    first = float(betas[0])
    rank = min(find_future_rank(ranking, beta, goal, terms, first) for beta in betas.tolist())
    if not rank:
        return guaranteed(np.nan)
    cutoff = ranking.at(np.array([rank]))
    estimate = _estimate_at_cutoffs(cutoff, first, goal).item()
    ends = (0.0, goal.value) if goal.name == "fpr" else (goal.value, 1.0)
    return guaranteed(np.nan, rank, cutoff.threshold.item(), (estimate, *ends))


def find_future_rank(
    ranking: Ranking, beta: float, goal: Goal, terms: Terms, estimated_at: float
) -> int:
    """Return the rank that meets a goal on future data with a probability of the level, or 0."""
    # The goal must be fixed before the data are seen, and several goals are not met jointly.
    # Recall: Wilks, Ann. Math. Stat. 12 (1941) 91-96.
    *_, n, size = future_data.counts_of_samples(ranking)
    if goal.name == "recall" and n:
        bound = future_data.share_limits(ranking.known_positive, n, 2 * (1 - terms.level))[0]
        return _pick_rank(ranking, _meets_goal_at(ranking, bound, goal, estimated_at), 0)
    if not n or not size:
        return 0
    betas = np.array([beta])
    count_negatives(ranking.total, betas)
    world = FutureData.of(ranking, betas, terms)
    if goal.name == "precision" and not ranking.monotone:
        bound = lower_precision(world, ranking)[0]
        return _pick_rank(ranking, _meets_goal_at(ranking, bound, goal, estimated_at), -1)
    ranks = []
    starts = _SEQUENCE_STARTS if goal.name == "precision" else {0.5: 1.0}
    for start, part in starts.items():
        alpha, sizes = (1 - terms.level) * part, _sequence_sizes(start, world, goal)
        ranks.append(_fixed_sequence_test(ranking, world, alpha, sizes, goal, estimated_at))
    return max(ranks)


def _estimate_at_cutoffs(ranking: Ranking, beta: float, goal: Goal) -> FloatArray:
    """Return the estimate at each cutoff."""
    finer, table = completed_table(ranking, np.array([beta]), on_new=True)
    cutoffs = np.searchsorted(finer.rank, ranking.rank)
    return np.asarray(METRICS[goal.name](*table)[cutoffs, 0], np.float64)


def _meets_goal_at(ranking: Ranking, bound: FloatArray, goal: Goal, beta: float) -> BoolArray:
    """Tell at which cutoffs both a limit and the estimate meet a goal."""
    estimate = _estimate_at_cutoffs(ranking, beta, goal)
    if goal.name == "fpr":
        return np.fmax(bound, estimate) <= goal.value
    return np.fmin(bound, estimate) >= goal.value


def _pick_rank(ranking: Ranking, met: BoolArray, end: int) -> int:
    """Return the rank of the first or last cutoff that meets the goal, or 0."""
    cutoffs = np.flatnonzero(met)
    return int(ranking.rank[cutoffs[end]]) if cutoffs.size else 0


def _sequence_sizes(start: float, world: FutureData, goal: Goal) -> IntArray:
    """Return how many of the rest the lists of a sequence have."""
    n, size, b = world.n, world.rest, world.hidden.item()
    if goal.name == "precision":
        others = n * (1 - goal.value) + b * size
        first, last = start, float(others > 0)
        unit = size / max(goal.value * size / (others or 1), 1.0)
    else:
        first, last = start * goal.value * (1 - b), goal.value * (1 - b) + b
        unit = size
    first = max(first, 1 / size)
    if last <= 0:  # no list is certain to have no false positives
        return np.empty(0, np.int64)
    steps = np.arange(np.log(last / first) / np.log(_SEQUENCE_STEP) + 1)
    grid = unit * np.minimum(first * _SEQUENCE_STEP**steps, last)
    return np.unique(np.maximum(grid, 1).astype(np.int64))


def _fixed_sequence_test(
    ranking: Ranking, world: FutureData, alpha: float, grid: IntArray, goal: Goal, beta: float
) -> int:
    """Return the last list before the first that fails; `grid` has their sizes in the rest."""
    last = np.searchsorted(ranking.rank - ranking.known_positive, grid, "right") - 1
    unlabeled = np.clip(grid - ranking.known_negative[last], 1, ranking.total.unlabeled)
    finer = ranking.refine(sorted_unique(unlabeled), exact=True)
    lists = finer.take(np.searchsorted(finer.rank - finer.known_positive, grid, "right") - 1)
    alpha = min(2 * alpha, 1.0)
    if goal.name == "precision":
        bound = lower_precision(world, lists, alpha)[0]
    else:
        bound = _upper_fpr(lists, world.hidden.item(), alpha)
    passes = np.logical_and.accumulate(_meets_goal_at(lists, bound, goal, beta))
    return _pick_rank(lists, passes, -1)


def _upper_fpr(ranking: Ranking, b: float, alpha: float) -> FloatArray:
    """Return the upper limit of the false positive rate at each cutoff, missed with alpha/2."""
    above, rest, n, size = future_data.counts_of_samples(ranking)
    known, low = future_data.median_and_limit(above, n, alpha, 0)
    others, high = future_data.median_and_limit(rest, size, alpha, 1)
    spread = np.hypot(high - others, b * (known - low))
    return np.clip((others - b * known + spread) / (1 - b), 0, 1)


class Guarantee(NamedTuple):
    """How a guaranteed cutoff is found, and the band that gives the guarantee."""

    find: Callable[[Ranking, FloatArray, Goal, Terms], Answer]
    band: Callable[[Goal], str]


GUARANTEES: Mapping[str, Guarantee] = {
    "examples": Guarantee(find_sample_cutoff, band_for_goal),
    "population": Guarantee(find_population_cutoff, lambda _: "two samples"),
}
