"""Scores and labels -> rankings: the cutoffs, and the examples of each kind at or above them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from pu_accessor.counting.gaps import Gaps, count_gaps, distinct, insert_at, sorts_slowly
from pu_accessor.counting.order_statistics import (
    Ordered,
    OrderStatistics,
    Runs,
    order_statistics,
    scores_inside,
)
from pu_accessor.ranking import (
    BoolArray,
    CountArray,
    Counts,
    FloatArray,
    IntArray,
    Ranking,
    Ranks,
    Stack,
)

# Up to so many scores are sorted and kept, which is quicker than to pass over them again.
_SORTED = 1 << 24
_MANY = 16  # scores at most, for each that is looked for: then they are sorted, too


def rank_examples(
    score: FloatArray,
    positive: BoolArray,
    negative: BoolArray,
    *,
    ranks: Ranks = "all",
    propensity: FloatArray | None = None,
    weight: CountArray | None = None,
) -> Ranking:
    """Rank examples by score and count each kind at each cutoff, each example by its weight."""
    known = score[positive], score[negative]
    known_propensity = None if propensity is None else propensity[positive]
    if isinstance(ranks, str) and ranks == "all":
        ranking = _rank_all(score, positive, negative, weight)
        return replace(ranking, weight=_weights(known[0], known_propensity))
    size: float = score.size
    known_weight: Any = (None, None)
    count: Callable[[FloatArray], Gaps] = partial(count_gaps, scores=score)
    nth_best: Callable[[CountArray, Gaps], OrderStatistics] = partial(_nth_best, score)
    if weight is not None or score.size < (_SORTED >> 10 if sorts_slowly() else _SORTED):
        runs = Runs.of(score, weight)
        count, nth_best = runs.count, runs.order_statistics
    if weight is not None:
        size, known_weight = weight.sum().item(), (weight[positive], weight[negative])

    def above(values: FloatArray) -> CountArray:
        """Return the number of scores at or above each value, from the gaps between them."""
        return count(values).blocks()[1][1::2]

    gaps = count(distinct(np.concatenate(known))[0])
    return rank_counted(known, gaps, size, above, nth_best, ranks, known_propensity, known_weight)


def _rank_all(
    score: FloatArray, positive: BoolArray, negative: BoolArray, weight: CountArray | None
) -> Ranking:
    """Count each kind at rank 0 and at or above each score."""
    # Subtracted from 0.0: a sign would make -0.0 of a threshold. NaN comes last.
    cost, at = np.unique(0.0 - score, return_counts=True)
    threshold = np.append(np.inf, 0.0 - cost)
    if weight is None:
        known = (np.sort(0.0 - score[kind]) for kind in (positive, negative))
        at_each = (np.bincount(np.searchsorted(cost, one), minlength=cost.size) for one in known)
        above, below = (np.append(0, np.cumsum(one)) for one in at_each)
        rest = np.append(0, np.cumsum(at)) - above - below
    else:
        kinds = positive, negative, ~(positive | negative)
        above, below, rest = (_above(cost, score[kind], weight[kind]) for kind in kinds)
    return _rank_counts(threshold, above, below, rest)


def _nth_best(scores: FloatArray, targets: CountArray, gaps: Gaps) -> OrderStatistics:
    """Return the n-th best scores for some n; many of them from a sort, which takes memory."""
    if _MANY * targets.size > scores.size:
        return Ordered.of(scores).order_statistics(targets, gaps)
    count, fetch = partial(count_gaps, scores=scores), partial(scores_inside, scores=scores)
    return order_statistics(targets, gaps.closed(), count, fetch)


def rank_counted(
    known: Sequence[FloatArray],
    gaps: Gaps,
    size: float,
    above: Callable[[FloatArray], CountArray],
    nth_best: Callable[[CountArray, Gaps], OrderStatistics],
    ranks: Ranks,
    propensity: FloatArray | None = None,
    weights: tuple[CountArray, CountArray] | tuple[None, None] = (None, None),
) -> Ranking:
    """Rank examples, wherever they are, by counting their scores between the labeled ones.

    `known` are the scores of known positives and negatives, NaN the worst, `size` is the number of
    all examples. `above` counts them at or above distinct values, best first, and `nth_best` finds
    some of them, as `order_statistics`.
    """
    cost = 0.0 - gaps.values
    positive, negative = _above(cost, known[0], weights[0]), _above(cost, known[1], weights[1])
    free = replace(gaps, at=gaps.at - np.diff(positive + negative))
    # A cutoff is made of each labeled score and of the worst unlabeled one in each gap.
    lowest, through = free.blocks()
    filled = np.ones(lowest.size, np.bool_)
    filled[::2] = free.inside > 0
    at = np.append(0, (np.arange(lowest.size, dtype=np.int64) + 1)[filled] // 2)
    unlabeled, threshold = np.append(0, through[filled]), np.append(np.inf, lowest[filled])
    ranking = replace(
        _rank_counts(threshold, positive[at], negative[at], unlabeled),
        extent="breakpoints",
        weight=_weights(known[0], propensity),
        refiner=_Refiner(positive, negative, gaps, free, size, above, nth_best),
    )
    if isinstance(ranks, str):
        return ranking
    return ranking.at(np.atleast_1d(np.asarray(ranks, np.int64)))


def _above(cost: FloatArray, scores: FloatArray, weight: CountArray | None) -> CountArray:
    """Count scores at or above some values: first none, then by each of these."""
    of_scores = 0.0 - scores
    order = None if weight is None else np.argsort(of_scores)
    ordered = np.sort(of_scores) if order is None else of_scores[order]
    above = np.append(0, np.searchsorted(ordered, cost, side="right").astype(np.int64))
    return above if weight is None else np.append(0, np.cumsum(weight[order]))[above]


def _weights(positive: FloatArray, propensity: FloatArray | None) -> FloatArray | None:
    """Return one over the propensities, best-ranked first."""
    if propensity is None:
        return None
    # Ties are ordered by weight, so that the order of rows does not matter.
    weight: FloatArray = 1 / propensity[np.lexsort((propensity, -positive))]
    return weight


def _rank_counts(
    threshold: FloatArray, positive: CountArray, negative: CountArray, unlabeled: CountArray
) -> Ranking:
    """Make a ranking of the examples of each kind at or above its thresholds."""
    total = Counts(positive[-1].item(), negative[-1].item(), unlabeled[-1].item())
    return Ranking(
        positive + negative + unlabeled, threshold, positive, negative, unlabeled, total
    )


@dataclass(frozen=True, eq=False)
class _Refiner:
    """Adds cutoffs that a further pass over the scores finds."""

    positive: CountArray  # known positives at or above the best 0, 1, ... labeled scores
    negative: CountArray
    gaps: Gaps  # of all scores
    free: Gaps  # of the unlabeled
    size: float  # of labeled and unlabeled examples
    above_each: Callable[[FloatArray], CountArray]  # of distinct values, best first
    nth_best: Callable[[CountArray, Gaps], OrderStatistics]

    def refine(self, ranking: Ranking, unlabeled: CountArray) -> Ranking:
        """Add the cutoffs at both edges of the tie blocks in which unlabeled examples lie."""
        return self._insert(ranking, self.nth_best(unlabeled, self.free))

    def reach(self, ranking: Ranking, ranks: CountArray) -> Ranking:
        """Add the last attained cutoff at or before each rank."""
        ranks = ranks.clip(1, self.size)
        return self._insert(ranking, self.nth_best(ranks, self.gaps), among_all=True)

    def _insert(self, ranking: Ranking, nth: OrderStatistics, among_all: bool = False) -> Ranking:
        """Add the cutoffs at both edges of blocks of scores: of all, or of the unlabeled."""
        has_better = nth.before > 0
        threshold = np.concatenate([nth.score, nth.better[has_better]])
        through = np.concatenate([nth.through, nth.before[has_better]])
        above = np.searchsorted(0.0 - self.gaps.values, 0.0 - threshold, side="right")
        positive, negative = self.positive[above], self.negative[above]
        unlabeled = through - positive - negative if among_all else through
        every: CountArray = positive + negative + unlabeled
        rank, first = np.unique(every, return_index=True)
        before = np.searchsorted(ranking.rank, rank)  # the last rank, of all examples, is in it
        new = ranking.rank[before] != rank
        if not new.any():
            return ranking
        first = first[new]
        insert = partial(insert_at, before[new] + np.arange(first.size))
        return replace(
            ranking,
            rank=insert(ranking.rank, rank[new]),
            threshold=insert(ranking.threshold, threshold[first]),
            known_positive=insert(ranking.known_positive, positive[first]),
            known_negative=insert(ranking.known_negative, negative[first]),
            unlabeled=insert(ranking.unlabeled, unlabeled[first]),
        )


_PIECE = 1 << 16  # examples that are ranked together


def stack_examples(
    score: FloatArray, positive: BoolArray, negative: BoolArray, rows: Sequence[IntArray | slice]
) -> Stack:
    """Rank several sets of examples by score, and find the known positives of each.

    Examples
    --------
    >>> score, positive = np.array([1.0, 3.0, 2.0, 7.0, 8.0]), np.array([1, 0, 1, 1, 0], bool)
    >>> stack = stack_examples(score, positive, ~positive & False, [slice(0, 3), slice(3, 5)])
    >>> stack.owner, stack.known, stack.start, stack.end
    (array([0, 0, 1]), array([1, 2, 1]), array([1, 2, 1]), array([2, 3, 2]))
    """
    cost, sets = 0.0 - score, -(-_PIECE * len(rows) // score.size)
    starts = range(0, len(rows), sets)
    parts = [_stack(cost, positive, negative, rows[start : start + sets]) for start in starts]
    owners = [part.owner + start for part, start in zip(parts, starts, strict=True)]
    joined = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    return Stack(*joined)._replace(owner=np.concatenate(owners))


def _stack(
    cost: FloatArray, positive: BoolArray, negative: BoolArray, rows: Sequence[IntArray | slice]
) -> Stack:
    """Stack a few rankings, while they are in the cache."""
    parts = [
        cost[index].argsort() + index.start
        if isinstance(index, slice)
        else index[cost[index].argsort()]
        for index in rows
    ]
    order, first = np.concatenate(parts), np.append(0, np.cumsum([*map(len, parts)]))
    cost, positive, negative = cost[order], positive[order], negative[order]
    untied = ~((cost[1:] == cost[:-1]) | (np.isnan(cost[1:]) & np.isnan(cost[:-1])))
    untied[first[1:-1] - 1] = True
    edges = np.concatenate([[0], np.flatnonzero(untied) + 1, [cost.size]])  # of blocks of ties
    sums = [np.append(0, np.cumsum(kind)) for kind in (positive, negative)]
    found = np.diff(sums[0][edges])
    blocks = np.flatnonzero(found)
    start, end = edges[blocks], edges[blocks + 1]
    owner = np.searchsorted(first, start, side="right") - 1
    begin = first[owner]
    known, negatives = (kind[end] - kind[begin] for kind in sums)
    totals, size = [np.diff(kind[first]) for kind in sums], np.diff(first)
    total = np.stack([*totals, size - totals[0] - totals[1]], axis=1)
    start, end = start - begin, end - begin
    others = np.arange(cost.size + 1) - sums[0]
    last = others[first[1:]] - others[edges[np.searchsorted(edges, first[1:]) - 1]]
    best = others[edges[np.searchsorted(edges, first[:-1], "right")]] - others[first[:-1]]
    ties = np.stack([last, best], axis=1)
    ties[ties == 1] = 0
    return Stack(total, owner, found[blocks], known, start, end, end - known - negatives, ties)
