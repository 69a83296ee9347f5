"""Find cutoffs that meet a goal with a given probability, by one-sided limits.

They are the longest list with a precision or a false positive rate, the shortest with a recall, or
the cheapest. Recall and false positive rate only grow with the list: cutoffs are tested in a fixed
sequence, and the last before the first failure is taken. It is wrong only if the first truly wrong
cutoff passes, with a probability of at most 1 - level (Angelopoulos et al., *Learn then test*,
Ann. Appl. Stat. 19, 2025, 1641-1662). Precision and cost rise and fall: limits are simultaneous.
"""

from dataclasses import replace
from math import inf, nan
from typing import NamedTuple, TypeAlias

import numpy as np

from pu_accessor.checks import check_share, is_number
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.known_positives import no_negatives_error
from pu_accessor.inference.estimates.metric_at_rate import crossings, goal_surplus
from pu_accessor.inference.metrics import METRICS
from pu_accessor.inference.tables import contingency
from pu_accessor.ranking import CountArray, FloatArray, Numbers, Ranking
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


class _Bounded(NamedTuple):
    """A metric at each cutoff: the estimate, and the worst bound over all betas."""

    tables: contingency.Tables
    estimate: FloatArray
    worse: FloatArray


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
    bounds = _bound_metric(ranking, betas, goal, terms)
    if np.isnan(bounds.worse[1:]).all():
        raise no_negatives_error(goal.name, float(betas[0]), ranking.total)
    position = _best_guaranteed_cutoff(bounds, goal)
    if position is not None:
        crossings = _counts_at_crossings(bounds.tables, goal)
        finer = bounds.tables.ranking.refine(crossings, exact=True)
        bounds = _bound_metric(finer, betas, goal, terms)
        position = _best_guaranteed_cutoff(bounds, goal)
    # A false positive rate is tested from the shortest list on.
    best = np.fmax if goal.name in _MINIMUM_GOALS else np.fmin
    attainable = float(bounds.worse[1] if goal.name == "fpr" else best.reduce(bounds.worse[1:]))
    if position is None or (goal.name == "fpr" and not bounds.tables.ranking.rank[position]):
        return guaranteed(attainable)
    cutoffs = bounds.tables.ranking
    limit = goal.value if goal.name in _MONOTONE_GOALS else float(bounds.worse[position])
    ends = (limit, 1.0) if goal.name in _MINIMUM_GOALS else (0.0, limit)
    parts, clipped = (bounds.estimate[position], *ends), bounds.tables.clipped[position, 0, 0]
    at = int(cutoffs.rank[position]), float(cutoffs.threshold[position])
    return guaranteed(attainable, *at, parts, bool(clipped))


def _bound_metric(ranking: Ranking, betas: FloatArray, goal: Goal, terms: Terms) -> _Bounded:
    """Evaluate the metric on the bounds at each cutoff."""
    tables = contingency.make_tables(ranking, betas, terms)
    rank, size = tables.ranking.rank[:, np.newaxis], sum(ranking.total)

    def value(tp: Numbers) -> FloatArray:
        table = contingency.Table.of(tp, rank, tables.positives, size)
        if goal.name == "cost":
            return goal.cost[0] * table.fp + goal.cost[1] * table.fn
        rate = METRICS[goal.name](*table).astype(np.float64)
        return np.where(rank > 0, rate, nan) if goal.name == "precision" else rate

    worst = np.fmin if goal.name in _MINIMUM_GOALS else np.fmax
    low, middle = value(tables.tp[:, 0]), value(tables.tp[:, 1])
    return _Bounded(tables, middle[:, 0], worst.reduce(low, axis=1))


def _best_guaranteed_cutoff(bounded: _Bounded, goal: Goal) -> int | None:
    """Return the position of the cheapest cutoff, longest list, or last one before a failure."""
    if goal.name == "cost":
        return int(np.nanargmin(bounded.worse))
    if goal.name == "precision":
        met = np.flatnonzero(bounded.worse >= goal.value)
        return int(met[-1]) if met.size else None
    if goal.name == "recall":  # from the longest list on, with a recall of 1
        failed = np.flatnonzero(~(bounded.worse >= goal.value))
        return int(failed[-1]) + 1 if failed.size else 0
    failed = np.flatnonzero(~(bounded.worse <= goal.value))
    return int(failed[0]) - 1 if failed.size else bounded.worse.size - 1


def _counts_at_crossings(tables: contingency.Tables, goal: Goal) -> CountArray:
    """Return counts of unlabeled examples next to where the goal is met last, between cutoffs."""
    ranking, at = tables.ranking, Cutoff(goal.name, goal.value)
    if goal.name == "cost":
        return ranking.unlabeled[:0]
    head = tables.head[:, np.newaxis]
    surplus = goal_surplus(at, tables.tp[:, 0], head, tables.positives, sum(ranking.total))
    found = crossings(ranking, surplus, at)
    is_inside = goal.name == "fpr" and 1 < ranking.unlabeled[1] == ranking.rank[1]
    return np.append(1, found) if is_inside else found  # false positives are tested from rank 1
