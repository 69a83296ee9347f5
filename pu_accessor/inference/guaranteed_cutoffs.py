"""Find cutoffs that meet a goal with a given probability, by one-sided limits.

They are the longest list with a precision or a false positive rate, the shortest with a recall, or
the cheapest. Recall and false positive rate only grow with the list: cutoffs are tested in a fixed
sequence, and the last before the first failure is taken. It is wrong only if the first truly wrong
cutoff passes, with a probability of at most 1 - level (Angelopoulos et al., *Learn then test*,
Ann. Appl. Stat. 19, 2025, 1641-1662). Precision and cost rise and fall: limits are simultaneous.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan
from typing import NamedTuple, TypeAlias

import numpy as np

from pu_accessor.checks import check_share, is_number
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference import future_bands
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.contingency import (
    Table,
    Tables,
    check_labels,
    completed_table,
    make_tables,
)
from pu_accessor.inference.cutoff_spec import Cutoff
from pu_accessor.inference.known_positives import count_negatives, no_negatives_error
from pu_accessor.inference.metric_at_rate import crossings, goal_surplus
from pu_accessor.inference.metrics import METRICS
from pu_accessor.inference.worlds import FutureData, lower_precision
from pu_accessor.ranking import CountArray, FloatArray, IntArray, Ranking, sorted_unique
from pu_accessor.roles_and_assumptions import Terms

Cost: TypeAlias = tuple[float, float]
_GOALS = ("precision", "recall", "fpr", "cost")
_MINIMUM_GOALS = ("precision", "recall")
_MONOTONE_GOALS = ("recall", "fpr")  # they only grow with the list


class Goal(NamedTuple):
    """The goal of a cutoff."""

    name: str  # one of _GOALS
    value: float = nan  # at least this precision or recall, at most this fpr
    cost: Cost = (0.0, 0.0)  # of a false positive and of a false negative

    @property
    def worst(self) -> np.ufunc:
        """Which of several values is the worst."""
        return np.fmin if self.name in _MINIMUM_GOALS else np.fmax

    def values(self, table: Table) -> FloatArray:
        """Return the metric on tables."""
        if self.name == "cost":
            return np.asarray(self.cost[0] * table.fp + self.cost[1] * table.fn)
        return METRICS[self.name](*table).astype(np.float64)

    def pick(self, values: FloatArray, *, in_sequence: bool = False) -> int | None:
        """Return the cheapest cutoff, the longest list meeting a goal, or of recall the shortest.

        A false positive rate, and a recall from the end, are tested up to the first failure.
        """
        if self.name == "cost":
            return int(np.nanargmin(values))
        met = values <= self.value if self.name == "fpr" else values >= self.value
        if self.name == "fpr" or in_sequence:
            met = np.logical_and.accumulate(met)
        if self.name == "recall":
            return int(np.argmax(np.logical_and.accumulate(met[::-1])[::-1])) if met[-1] else None
        return int(np.flatnonzero(met)[-1]) if met.any() else None


def guaranteed(
    attainable: float,
    rank: int = 0,
    threshold: float = inf,
    parts: tuple[float, ...] = (nan, nan, nan),
    clipped: bool = False,
) -> Answer:
    """Return the best limit of any cutoff, and estimate and limits at the one found, or none."""
    columns = {"rank": rank, "threshold": threshold, "clipped": clipped, "attainable": attainable}
    value, lower, upper = np.array(parts)[:, np.newaxis]
    return Answer(value, lower, upper, columns=columns)


def read_goal(
    precision: float | None, recall: float | None, fpr: float | None, cost: Cost | None
) -> Goal:
    """Check the goal of a cutoff."""
    given = dict(zip(_GOALS, (precision, recall, fpr, cost), strict=True))
    goals = {name: value for name, value in given.items() if value is not None}
    if len(goals) != 1:
        step = "For example precision=0.9, or cost=(1, 10)."
        if len(goals) == 2 and "cost" not in goals:
            one, other = goals
            at = {one: goals[one]}
            step = f"For one at the other: df.pu.metric({other!r}, 0.3, at={at})."
        raise PUTypeError(
            f"The goal must be one of {[*_GOALS]}, but {[*goals] or 'none'} was passed. {step}"
        )
    ((name, value),) = goals.items()
    if name != "cost":
        return Goal(name, check_share(name, value))
    if not isinstance(value, tuple | list) or len(value) != 2 or not all(map(is_number, value)):
        raise PUTypeError(
            "cost must be a pair of numbers, the cost of a false positive and that of a false "
            f"negative, but {value!r} was passed. For example cost=(1, 10)."
        )
    first, second = (float(each) for each in value)
    if min(first, second) < 0 or not 0 < first + second < inf:
        raise PUValueError(f"cost must be numbers from 0, not both 0, but {value!r} was passed.")
    return Goal("cost", cost=(first, second))


def band_for_goal(goal: Goal) -> str:
    """Return the band whose lower side gives the guarantee."""
    return "exact" if goal.name in _MONOTONE_GOALS else "simultaneous"


def find_sample_cutoff(ranking: Ranking, betas: FloatArray, goal: Goal, terms: Terms) -> Answer:
    """Find the cutoff of this sample that meets a goal at all betas, estimated at the first."""
    terms = replace(terms, band=band_for_goal(goal), one_sided=True)
    tables, worse = _bound_metric(ranking, betas, goal, terms)
    if np.isnan(worse[1:]).all():
        raise no_negatives_error(goal.name, float(betas[0]), ranking.total)
    position = goal.pick(worse)
    if position is not None:
        finer = tables.ranking.refine(_counts_at_crossings(tables, goal), exact=True)
        tables, worse = _bound_metric(finer, betas, goal, terms)
        position = goal.pick(worse)
    # A false positive rate is tested from the shortest list on.
    is_minimum = goal.name in _MINIMUM_GOALS
    best = np.fmax if is_minimum else np.fmin
    attainable = float(worse[1] if goal.name == "fpr" else best.reduce(worse[1:]))
    cutoffs = tables.ranking
    if position is None or (goal.name == "fpr" and not cutoffs.rank[position]):
        return guaranteed(attainable)
    limit = goal.value if goal.name in _MONOTONE_GOALS else float(worse[position])
    estimate = goal.values(Table(*(count[position, 1, :1] for count in tables.table))).item()
    parts = (estimate, limit, 1.0) if is_minimum else (estimate, 0.0, limit)
    at = int(cutoffs.rank[position]), float(cutoffs.threshold[position])
    return guaranteed(attainable, *at, parts, bool(tables.clipped[position, 0, 0]))


def _bound_metric(
    ranking: Ranking, betas: FloatArray, goal: Goal, terms: Terms
) -> tuple[Tables, FloatArray]:
    """Return tables, and the metric on the worst bound over all betas at each cutoff."""
    tables = make_tables(ranking, betas, terms)
    lower = goal.values(Table(*(count[:, 0] for count in tables.table)))
    return tables, goal.worst.reduce(lower, axis=1)


def _counts_at_crossings(tables: Tables, goal: Goal) -> CountArray:
    """Return counts of unlabeled examples next to where the goal is met last, between cutoffs."""
    ranking, at = tables.ranking, Cutoff(goal.name, goal.value)
    if goal.name == "cost":
        return ranking.unlabeled[:0]
    found = crossings(ranking, goal_surplus(at, tables.table)[:, 0], at)
    is_inside = goal.name == "fpr" and 1 < ranking.unlabeled[1] == ranking.rank[1]
    return np.append(1, found) if is_inside else found  # false positives are tested from rank 1


# On future data

# A sequence starts where a list with this share of all positives has the precision; the second
# number is its share of 1 - level.
_SEQUENCE_STARTS = {0.5: 0.9, 0.12: 0.1}
_SEQUENCE_STEP = 1.05  # ratio of the sizes of two lists


def find_future_cutoff(ranking: Ranking, betas: FloatArray, goal: Goal, terms: Terms) -> Answer:
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
    *_, n, size = future_bands.counts_of_samples(ranking)
    if goal.name == "recall" and n:
        bound = future_bands.share_limits(ranking.known_positive, n, 2 * (1 - terms.level))[0]
        return _rank_with_limit(ranking, bound, goal, estimated_at)
    if not n or not size:
        return 0
    betas = np.array([beta])
    count_negatives(ranking.total, betas)
    world = FutureData.of(ranking, betas, terms)
    if goal.name == "precision" and not ranking.monotone:
        bound = lower_precision(world, ranking)[0]
        return _rank_with_limit(ranking, bound, goal, estimated_at)
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
    return np.asarray(goal.values(table)[cutoffs, 0])


def _rank_with_limit(
    ranking: Ranking, bound: FloatArray, goal: Goal, beta: float, *, in_sequence: bool = False
) -> int:
    """Return the rank of the cutoff where both a limit and the estimate meet a goal, or 0."""
    worse = goal.worst(bound, _estimate_at_cutoffs(ranking, beta, goal))
    position = goal.pick(worse, in_sequence=in_sequence)
    return 0 if position is None else int(ranking.rank[position])


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
    return _rank_with_limit(lists, bound, goal, beta, in_sequence=True)


def _upper_fpr(ranking: Ranking, b: float, alpha: float) -> FloatArray:
    """Return the upper limit of the false positive rate at each cutoff, missed with alpha/2."""
    above, rest, n, size = future_bands.counts_of_samples(ranking)
    known, low = future_bands.median_and_limit(above, n, alpha, 0)
    others, high = future_bands.median_and_limit(rest, size, alpha, 1)
    spread = np.hypot(high - others, b * (known - low))
    return np.clip((others - b * known + spread) / (1 - b), 0, 1)
