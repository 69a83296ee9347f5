"""The cutoff whose bound meets a goal, among all cutoffs: valid whatever was looked at before."""

from dataclasses import dataclass
from math import floor, inf, isfinite, nan
from numbers import Real
from typing import NamedTuple, TypeAlias

import numpy as np

from pu_accessor.checks import Interval, check_share
from pu_accessor.errors import PUDataError, PUTypeError, PUValueError
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import Tables, make_tables
from pu_accessor.inference.tables.metrics import evaluate
from pu_accessor.ranking import FloatArray, IntArray, Numbers, Ranking

Cost: TypeAlias = tuple[float, float]
_NAMES = ("precision", "recall", "fpr", "cost")
_RISING = ("precision", "recall")


class Goal(NamedTuple):
    """What a cutoff is to reach."""

    name: str  # one of _NAMES
    value: float = nan  # at least this precision or recall, at most this fpr
    cost: Cost = (0.0, 0.0)  # of a false positive and of a false negative


@dataclass(frozen=True)
class Guaranteed:
    """A cutoff that meets a goal, or none."""

    rank: int  # 0 where no cutoff meets the goal
    threshold: float  # +inf at rank 0
    estimate: float
    lower: float
    upper: float
    clipped: bool  # whether a limit is cut to what the unlabeled examples allow
    attainable: float  # the best bound that any cutoff has from rank 1 on


class _Bounded(NamedTuple):
    """A metric at each cutoff: estimate, and the worse and the better bound over all betas."""

    tables: Tables
    low: Numbers  # true positives at the lower bound, shape (cutoffs, all betas)
    positives: IntArray
    estimate: FloatArray
    worse: FloatArray
    better: FloatArray


def read_goal(
    precision: float | None, recall: float | None, fpr: float | None, cost: Cost | None
) -> Goal:
    """Check what a cutoff is to reach."""
    given = dict(zip(_NAMES, (precision, recall, fpr, cost), strict=True))
    asked = {name: value for name, value in given.items() if value is not None}
    if len(asked) != 1:
        raise PUTypeError(
            f"One of {[*_NAMES]} must say what the cutoff is to reach, but {[*asked] or 'none'} "
            "was passed. For example precision=0.9, or cost=(1, 10)."
        )
    ((name, value),) = asked.items()
    if name != "cost":
        check_share(name, value)
        return Goal(name, float(value))  # type: ignore[arg-type]
    if not isinstance(value, tuple | list) or len(value) != 2 or not all(map(_is_number, value)):
        raise PUTypeError(
            "cost must be a pair of numbers, the cost of a false positive and that of a false "
            f"negative, but {value!r} was passed. For example cost=(1, 10)."
        )
    first, second = (float(each) for each in value)
    if min(first, second) < 0 or not first + second or not isfinite(first + second):
        raise PUValueError(
            f"cost must hold two numbers from 0 on, not both 0, but {value!r} was passed."
        )
    return Goal("cost", cost=(first, second))


def check_guarantee(band: object) -> None:
    """Raise unless bounds hold at all cutoffs jointly."""
    if band != "simultaneous":
        raise PUValueError(
            f"band must be 'simultaneous' for a cutoff with a guarantee, but {band!r} was passed: "
            "only bounds that hold at all cutoffs jointly hold at one that was chosen by them. "
            "Leave band out; bounds at a cutoff fixed before are df.pu.metric('recall', 0.3, "
            "at=100).",
            page="cutoffs",
        )


def find_guaranteed(
    ranking: Ranking, beta: float, goal: Goal, rule: Settings, interval: Interval | None = None
) -> Guaranteed:
    """Find the cutoff whose bound meets a goal.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank = np.arange(121)
    >>> known = np.minimum(rank, 60)
    >>> ranking = Ranking(rank, 120.5 - rank, known, 0 * known, rank - known, Counts(60, 0, 60))
    >>> settings = Settings(band="simultaneous")
    >>> found = find_guaranteed(ranking, 0.1, Goal("precision", 0.9), settings)
    >>> found.rank, found.lower
    (72, 0.9027777777777778)
    """
    if ranking.design is not None:
        raise PUValueError(
            "A cutoff with a guarantee needs bounds that hold at all cutoffs jointly, which there "
            "are not with propensity=... or cluster=.... Leave it out, or fix a cutoff: "
            "df.pu.metric('recall', 0.3, at=100).",
            page="biased_labels",
        )
    bounded = _bound(ranking, beta, goal, rule, interval)
    if np.isnan(bounded.worse[1:]).all():
        raise PUDataError(
            f"{goal.name} has no value at this beta: it needs negatives. Pass a smaller beta.",
            page="beta#too-high",
        )
    place = _find_cutoff(bounded, goal)
    if place is not None and (extra := _extra(bounded, goal, place)).size:
        finer = bounded.tables.ranking.refine(extra)
        bounded = _bound(finer, beta, goal, rule, interval)
        place = _find_cutoff(bounded, goal)
    best = np.fmax if goal.name in _RISING else np.fmin
    attainable = float(best.reduce(bounded.worse[1:]))
    if place is None or (goal.name == "fpr" and not bounded.tables.ranking.rank[place]):
        return Guaranteed(0, inf, nan, nan, nan, False, attainable)
    here, ends = bounded.tables.ranking, (bounded.worse[place], bounded.better[place])
    return Guaranteed(
        int(here.rank[place]),
        float(here.threshold[place]),
        float(bounded.estimate[place]),
        float(min(ends)),
        float(max(ends)),
        bool(bounded.tables.clipped[place, ::2].any()),
        attainable,
    )


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _bound(
    ranking: Ranking, beta: float, goal: Goal, rule: Settings, interval: Interval | None
) -> _Bounded:
    """Evaluate the metric on the bounds at each cutoff."""
    tables = make_tables(ranking, np.array([beta]), rule, interval)
    low, middle, high = (tables.tp[:, bound] for bound in range(3))
    positives = tables.positives
    if tables.inner is not None:
        low = np.concatenate([low, tables.inner.tp[:, 0]], axis=1)
        high = np.concatenate([high, tables.inner.tp[:, 1]], axis=1)
        positives = np.concatenate([positives, tables.inner.positives])
    rank, size = tables.ranking.rank[:, np.newaxis], sum(ranking.total)

    def value(tp: Numbers, positives: IntArray) -> FloatArray:
        fp, fn = rank - tp, positives - tp
        if goal.name == "cost":
            return goal.cost[0] * fp + goal.cost[1] * fn
        found = evaluate(goal.name, tp, fp, fn, size - positives - fp).astype(np.float64)
        return np.where(rank > 0, found, nan) if goal.name == "precision" else found

    worst, best = (np.fmin, np.fmax) if goal.name in _RISING else (np.fmax, np.fmin)
    return _Bounded(
        tables,
        low,
        positives,
        value(middle, tables.positives)[:, 0],
        worst.reduce(value(low, positives), axis=1),
        best.reduce(value(high, positives), axis=1),
    )


def _find_cutoff(bounded: _Bounded, goal: Goal) -> int | None:
    """Return the cheapest cutoff, the first with so much recall, or the last that meets a goal."""
    if goal.name == "cost":
        return int(np.nanargmin(bounded.worse))
    below = goal.name == "fpr"
    met = np.flatnonzero(bounded.worse <= goal.value if below else bounded.worse >= goal.value)
    return int(met[0 if goal.name == "recall" else -1]) if met.size else None


def _extra(bounded: _Bounded, goal: Goal, place: int) -> IntArray:
    """Return counts of unlabeled examples between two cutoffs, where the last one may meet it.

    Between two cutoffs with the same known examples the bound on true positives stays, or grows by
    one for each example. The rate of false positives may be lowest at the first cutoff.
    """
    ranking, low, positives = bounded.tables.ranking, bounded.low[place], bounded.positives
    rank = int(ranking.rank[place])
    if goal.name == "precision" and goal.value:
        most = min(float(min(low)) / goal.value, float(sum(ranking.total)))
        start, more = place, floor(most + 1e-9) - rank
    elif goal.name == "fpr":
        most = np.floor(goal.value * (sum(ranking.total) - positives) + 1e-9)
        start, more = place, int((most - (rank - low)).min())
    elif goal.name == "recall":
        least = np.ceil(goal.value * positives - 1e-9)
        start, more = place - 1, -int((low - least).min())
    else:
        return np.empty(0, np.int64)
    first = [1] if goal.name == "fpr" and 1 < ranking.unlabeled[1] == ranking.rank[1] else []
    end = start + 1
    if start < 0 or end >= ranking.rank.size:
        return np.array(first, np.int64)
    kinds = (ranking.known_positive, ranking.known_negative)
    count = int(ranking.unlabeled[place]) + more
    inside = ranking.unlabeled[start] < count < ranking.unlabeled[end]
    alike = all(kind[start] == kind[end] for kind in kinds)
    return np.array([*first, count] if alike and inside else first, np.int64)
