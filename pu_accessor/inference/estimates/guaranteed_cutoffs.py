"""Cutoffs that are guaranteed to meet a goal: guarantees are one-sided, and so are the bounds.

They make the longest list with a precision or a false positive rate, the shortest with a recall.
"""

from dataclasses import dataclass, replace
from math import floor, inf, isfinite, nan
from typing import NamedTuple, TypeAlias

import numpy as np

from pu_accessor.checks import check_share, is_number
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.bands.on_new_examples import (
    both_samples,
    limit_shares,
    local_alpha_of_share,
    median_and_limit,
    ratio_limit,
    to_precision,
)
from pu_accessor.inference.estimates.known_positives import no_negatives
from pu_accessor.inference.influence import rest_share
from pu_accessor.inference.metrics import METRICS
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import (
    Table,
    Tables,
    check_labels,
    completed_table,
    make_tables,
)
from pu_accessor.ranking import BoolArray, FloatArray, IntArray, Numbers, Ranking, sorted_unique

Cost: TypeAlias = tuple[float, float]
_NAMES = ("precision", "recall", "fpr", "cost")
_RISING = ("precision", "recall")
_IN_TURN = ("recall", "fpr")  # that only grow with the list: cutoffs are tested one by one


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
    """A metric at each cutoff: the estimate, and the worst bound over all betas."""

    tables: Tables
    estimate: FloatArray
    worse: FloatArray


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
        return Goal(name, check_share(name, value))
    if not isinstance(value, tuple | list) or len(value) != 2 or not all(map(is_number, value)):
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


def band_of(goal: Goal) -> str:
    """Return the band whose lower side a guarantee takes."""
    return "exact" if goal.name in _IN_TURN else "simultaneous"


def find_guaranteed(ranking: Ranking, betas: FloatArray, goal: Goal, rule: Settings) -> Guaranteed:
    """Find the cutoff whose bound meets a goal at all of the betas; the estimate is at the first.

    Notes
    -----
    The more true positives, the better each goal is met, so that lower limits of these are
    needed, and no upper ones. All limits are those of all betas at once.

    Where labels are random the scores are fixed, and so is the order of cutoffs. Recall and the
    false positive rate only grow with the list. So they are tested at one cutoff after the other,
    by the exact limit of one side at 1 - level: recall from the longest list on, the false
    positive rate from the shortest on. The last list before the first that fails is taken. Let r
    be the first cutoff in this order at which the goal is not met in truth. It depends on no
    label. A wrong list is taken only if r, too, passes its test, as r comes before all wrong
    lists, or is the one: with a probability of 1 - level or less ([1]_, fixed sequence testing).
    This holds for one goal that was fixed before. It holds for each band that covers each cutoff,
    also within odds.

    Precision and cost rise and fall along the ranking. There limits hold at all cutoffs jointly:
    those of the lower side of the band "simultaneous", at 1 - level for this side alone.

    References
    ----------
    .. [1] A. N. Angelopoulos, S. Bates, E. J. Candès, M. I. Jordan, L. Lei, *Learn then test*,
       Annals of Applied Statistics 19 (2025) 1641-1662.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank = np.arange(121)
    >>> known = np.minimum(rank, 60)
    >>> ranking = Ranking(rank, 120.5 - rank, known, 0 * known, rank - known, Counts(60, 0, 60))
    >>> settings = Settings(band="simultaneous")
    >>> found = find_guaranteed(ranking, np.array([0.1]), Goal("precision", 0.9), settings)
    >>> found.rank, found.lower
    (72, 0.9027777777777778)
    """
    rule = replace(rule, band=band_of(goal), one_sided=True)
    bounded = _bound(ranking, betas, goal, rule)
    if np.isnan(bounded.worse[1:]).all():
        raise no_negatives(goal.name, float(betas[0]), ranking.total)
    place = _find_cutoff(bounded, goal)
    if place is not None and (extra := _extra(bounded, goal, place)).size:
        finer = bounded.tables.ranking.refine(extra)
        bounded = _bound(finer, betas, goal, rule)
        place = _find_cutoff(bounded, goal)
    # Lists are tested from the shortest on where they are not to be too long.
    best = np.fmax if goal.name in _RISING else np.fmin
    attainable = float(bounded.worse[1] if goal.name == "fpr" else best.reduce(bounded.worse[1:]))
    if place is None or (goal.name == "fpr" and not bounded.tables.ranking.rank[place]):
        return Guaranteed(0, inf, nan, nan, nan, False, attainable)
    here = bounded.tables.ranking
    limit = goal.value if goal.name in _IN_TURN else float(bounded.worse[place])
    return Guaranteed(
        int(here.rank[place]),
        float(here.threshold[place]),
        float(bounded.estimate[place]),
        *((limit, 1.0) if goal.name in _RISING else (0.0, limit)),
        bool(bounded.tables.clipped[place, 0, 0]),
        attainable,
    )


def _bound(ranking: Ranking, betas: FloatArray, goal: Goal, rule: Settings) -> _Bounded:
    """Evaluate the metric on the bounds at each cutoff."""
    tables = make_tables(ranking, betas, rule)
    rank, size = tables.ranking.rank[:, np.newaxis], sum(ranking.total)

    def value(tp: Numbers) -> FloatArray:
        table = Table.of(tp, rank, tables.positives, size)
        if goal.name == "cost":
            return goal.cost[0] * table.fp + goal.cost[1] * table.fn
        found = METRICS[goal.name](*table).astype(np.float64)
        return np.where(rank > 0, found, nan) if goal.name == "precision" else found

    worst = np.fmin if goal.name in _RISING else np.fmax
    low, middle = value(tables.tp[:, 0]), value(tables.tp[:, 1])
    return _Bounded(tables, middle[:, 0], worst.reduce(low, axis=1))


def _find_cutoff(bounded: _Bounded, goal: Goal) -> int | None:
    """Return the cheapest cutoff, the longest list, or the last before the first that fails."""
    if goal.name == "cost":
        return int(np.nanargmin(bounded.worse))
    if goal.name == "precision":
        met = np.flatnonzero(bounded.worse >= goal.value)
        return int(met[-1]) if met.size else None
    if goal.name == "recall":  # from the longest list on, where all is found
        failed = np.flatnonzero(~(bounded.worse >= goal.value))
        return int(failed[-1]) + 1 if failed.size else 0
    failed = np.flatnonzero(~(bounded.worse <= goal.value))
    return int(failed[0]) - 1 if failed.size else bounded.worse.size - 1


def _extra(bounded: _Bounded, goal: Goal, place: int) -> IntArray:
    """Return counts of unlabeled examples between two cutoffs, where the last one may meet it.

    Between two cutoffs with the same known examples the bound on true positives stays, or grows by
    one for each example. Rates of false positives are tested from the first cutoff on.
    """
    tables, ranking = bounded.tables, bounded.tables.ranking
    low, positives, rank = tables.tp[place, 0], tables.positives, int(ranking.rank[place])
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


# Where a walk starts, as the share of all positives that the list must hold there to reach the
# precision, and which part of what may be missed it spends.
_STARTS = {0.5: 0.9, 0.12: 0.1}
_STEP = 1.05  # from one list to the next


class GuaranteedList(NamedTuple):
    """A cutoff whose rate on new examples meets a goal with so much probability."""

    rank: int  # 0 where no cutoff meets the goal
    threshold: float  # +inf at rank 0
    bound: float  # of the goal's metric at this threshold


def find_on_new(ranking: Ranking, betas: FloatArray, goal: Goal, level: float) -> Guaranteed:
    """Find the cutoff that meets a goal on new examples at all betas, the estimate at the first.

    Of an interval these are its point and its ends.
    """
    check_labels(betas, ranking.total)
    beta, *others = betas.tolist()
    monotone = ranking.monotone
    lists = [find_list(ranking, each, goal, level, monotone, beta) for each in (beta, *others)]
    worst = min(lists)
    reached = ranking.at(np.array([worst.rank]))
    estimate = float(_estimate(reached, beta, goal)[0]) if worst.rank else nan
    ends = (0.0, goal.value) if goal.name == "fpr" else (goal.value, 1.0)
    lower, upper = ends if worst.rank else (nan, nan)
    return Guaranteed(worst.rank, worst.threshold, estimate, lower, upper, False, nan)


def _estimate(ranking: Ranking, beta: float, goal: Goal) -> FloatArray:
    """Return the estimate at each cutoff; where it bends between them there are others."""
    finer, table = completed_table(ranking, np.array([beta]), on_new=True)
    cutoffs = np.searchsorted(finer.rank, ranking.rank)
    return np.asarray(METRICS[goal.name](*table)[cutoffs, 0], np.float64)


def _met(ranking: Ranking, bound: FloatArray, goal: Goal, beta: float) -> BoolArray:
    """Return at which cutoffs both a limit and the estimate meet a goal."""
    estimate = _estimate(ranking, beta, goal)
    if goal.name == "fpr":
        return np.fmax(bound, estimate) <= goal.value
    return np.fmin(bound, estimate) >= goal.value


def find_list(
    ranking: Ranking,
    beta: float,
    goal: Goal,
    level: float,
    monotone: bool,
    estimated_at: float | None = None,
) -> GuaranteedList:
    """Find the threshold that meets one goal on new examples, with a probability of `level`.

    The goal is fixed before the data are seen: of several goals that were tried, each holds with
    `level`, not all of them. For all goals at once, read the limits of `bound_on_new`. The
    estimate must meet the goal, too, as at a low level the limit may be better than that. It is
    the estimate at the beta `estimated_at`, by default at `beta`.

    Notes
    -----
    Recall only grows with the list. So the list down to the k-th known positive, the first whose
    lower limit is the goal, misses it with the probability that this limit, at the threshold with
    exactly that recall, is too high: 1 - level; no other threshold counts [1]_.

    The false positive rate only grows, too: lists are tested from a short one on, each longer by a
    twentieth, and the last before the first that fails is taken. It is too long only where the
    first list that is too long passes its own test [2]_. Sizes are those of the rest, fixed
    beforehand. The tests combine the exact limits of both shares as [3]_ do: the limit of
    x - b*F is off by the root of the sum of squares of what both are off.

    Precision falls with the list where scores are `monotone`, and lists are walked in the same
    way. A short list of few examples passes no test, so the walk starts where half of the
    positives must be found to reach the goal, with .9 of what may be missed; another starts where
    12% must, for a goal that is near what the best-ranked examples have. The longer list counts.
    Limits of the lift F/x are combined on the log scale. Where scores are not monotone, all
    thresholds are tested at once, at the local level of one side.

    References
    ----------
    .. [1] S. S. Wilks, *Determination of sample sizes for setting tolerance limits*, Annals of
       Mathematical Statistics 12 (1941) 91-96.
    .. [2] A. N. Angelopoulos, S. Bates, E. J. Candès, M. I. Jordan, L. Lei, *Learn then test*,
       Annals of Applied Statistics 19 (2025) 1641-1662.
    .. [3] G. Y. Zou, A. Donner, *Construction of confidence limits about effect measures: a
       general approach*, Statistics in Medicine 27 (2008) 1693-1702.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank = np.arange(401)
    >>> known = np.minimum(rank // 2, 100)
    >>> ranking = Ranking(rank, 0.0 - rank, known, 0 * known, rank - known, Counts(100, 0, 300))
    >>> [
    ...     find_list(ranking, 0.3, Goal("precision", 0.8), 0.95, monotone).rank
    ...     for monotone in (False, True)
    ... ]
    [211, 217]
    """
    asked = goal, beta if estimated_at is None else estimated_at
    *_, n, size = both_samples(ranking)
    if goal.name == "recall" and n:  # the shortest
        bound = limit_shares(ranking.known_positive, n, 2 * (1 - level))[0]
        return _at(ranking, np.flatnonzero(_met(ranking, bound, *asked)), bound, 0)
    if not n or not size:
        return GuaranteedList(0, inf, nan)
    b = float(rest_share(ranking.total, np.array([beta]))[0])
    if goal.name == "precision" and not monotone:  # the last of all
        bound = _lower_precision(ranking, b, local_alpha_of_share(n, level, both=False))
        return _at(ranking, np.flatnonzero(_met(ranking, bound, *asked)), bound, -1)
    starts = _STARTS if goal.name == "precision" else {0.5: 1.0}
    lists = [
        _walk(ranking, b, 1 - (1 - level) * part, _grid(start, size, n, b, goal), *asked)
        for start, part in starts.items()
    ]
    return max(lists)


def _at(ranking: Ranking, cutoffs: IntArray, bound: FloatArray, end: int) -> GuaranteedList:
    """Return the first or the last of some cutoffs, with its bound; none where there are none."""
    if not cutoffs.size or not ranking.rank[cutoffs[end]]:
        return GuaranteedList(0, inf, nan)
    cutoff = cutoffs[end]
    return GuaranteedList(
        int(ranking.rank[cutoff]), float(ranking.threshold[cutoff]), float(bound[cutoff])
    )


def _lower_precision(ranking: Ranking, b: float, alpha: float) -> FloatArray:
    """Return the lower limit of precision at each cutoff, missed with alpha/2."""
    samples = both_samples(ranking)
    return to_precision(ratio_limit(*samples, alpha, 0), *samples[2:], b)


def _grid(start: float, size: int, n: int, b: float, goal: Goal) -> IntArray:
    """Return numbers of the rest at or above the thresholds of a walk.

    At x = share/lift a list reaches the lift that the precision needs where it holds this share
    of the positives. The false positive rate is at most x/(1 - b), and at least (x - b)/(1 - b).
    """
    if goal.name == "precision":
        others = n * (1 - goal.value) + b * size
        first, last = start, float(others > 0)
        unit = size / max(goal.value * size / (others or 1), 1.0)
    else:
        first, last = start * goal.value * (1 - b), goal.value * (1 - b) + b
        unit = size
    first = max(first, 1 / size)
    if last <= 0:  # no false positive at all: no list is sure of that
        return np.empty(0, np.int64)
    steps = np.arange(np.log(last / first) / np.log(_STEP) + 1)
    grid = unit * np.minimum(first * _STEP**steps, last)
    return np.unique(np.maximum(grid, 1).astype(np.int64))


def _walk(
    ranking: Ranking, b: float, level: float, grid: IntArray, goal: Goal, beta: float
) -> GuaranteedList:
    """Return the last list before the first that fails."""
    lists, alpha = _take(ranking, grid), min(2 * (1 - level), 1.0)
    limit = _lower_precision if goal.name == "precision" else _upper_fpr
    bound = limit(lists, b, alpha)
    passes = np.logical_and.accumulate(_met(lists, bound, goal, beta))
    return _at(lists, np.flatnonzero(passes), bound, -1)


def _upper_fpr(ranking: Ranking, b: float, alpha: float) -> FloatArray:
    """Return the upper limit of the false positive rate at each cutoff, missed with alpha/2."""
    above, rest, n, size = both_samples(ranking)
    known, low = median_and_limit(above, n, alpha, 0)
    others, high = median_and_limit(rest, size, alpha, 1)
    spread = np.hypot(high - others, b * (known - low))
    return np.clip((others - b * known + spread) / (1 - b), 0, 1)


def _take(ranking: Ranking, grid: IntArray) -> Ranking:
    """Return the last cutoffs with at most so many of the rest at or above them."""
    rest = ranking.rank - ranking.known_positive
    last = np.searchsorted(rest, grid, "right") - 1
    unlabeled = np.clip(grid - ranking.known_negative[last], 1, ranking.total.unlabeled)
    finer = ranking.refine(sorted_unique(unlabeled))
    return finer.take(np.searchsorted(finer.rank - finer.known_positive, grid, "right") - 1)
