"""Scores and labels -> rankings: the cutoffs, and the examples of each kind at or above them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from pu_accessor.counting.gaps import (
    Fetch,
    Gaps,
    Ordered,
    OrderStatistics,
    count_gaps,
    distinct,
    insert_at,
    order_statistics,
    scores_inside,
    sort_scores,
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
    parts = sort_scores(score, weight)
    gaps = count_gaps(distinct(np.concatenate(known))[0], parts)

    def fetch(numbers: IntArray) -> Ordered:
        """Return scores of which those of some gaps are a part."""
        if len(parts) == 1:
            return parts[0]
        return Ordered.of(scores_inside(gaps.values, numbers, parts))

    weights = (None, None) if weight is None else (weight[positive], weight[negative])
    count = partial(count_gaps, parts=parts)
    return rank_counted(known, gaps, count, fetch, ranks, known_propensity, weights)


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


def rank_counted(
    known: Sequence[FloatArray],
    gaps: Gaps,
    count: Callable[[FloatArray], Gaps],
    fetch: Fetch,
    ranks: Ranks,
    propensity: FloatArray | None = None,
    weights: Sequence[CountArray | None] = (None, None),
    exact: bool = True,
) -> Ranking:
    """Rank examples, wherever they are, by counting their scores between the labeled ones.

    `known` are the scores of known positives and negatives, NaN the worst. `gaps` are of all
    scores, between the labeled ones and maybe others. Unless `exact`, no scores in one of these
    gaps count as tied where bounds bend.
    """
    cost = 0.0 - gaps.values
    positive, negative = (_above(cost, *each) for each in zip(known, weights, strict=True))
    free = replace(gaps, at=gaps.at - np.diff(positive + negative))
    # A cutoff is made of each labeled score and of the worst unlabeled one in each gap.
    values = distinct(np.concatenate(known))[0]
    between = free if values.size == cost.size else free.about(values)
    labeled = np.append(0, np.searchsorted(cost, 0.0 - values) + 1)
    lowest, through = between.blocks()
    filled = np.ones(lowest.size, np.bool_)
    filled[::2] = between.inside > 0
    at = np.append(0, (np.arange(lowest.size, dtype=np.int64) + 1)[filled] // 2)
    unlabeled, threshold = np.append(0, through[filled]), np.append(np.inf, lowest[filled])
    ranking = replace(
        _rank_counts(threshold, positive[labeled][at], negative[labeled][at], unlabeled),
        extent="breakpoints",
        weight=_weights(known[0], propensity),
        refiner=_Refiner(gaps, free, count, fetch, exact),
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
    """Adds cutoffs that lie between labeled scores."""

    gaps: Gaps  # of all scores
    free: Gaps  # of the unlabeled
    count: Callable[[FloatArray], Gaps]  # of all scores, between other values
    fetch: Fetch
    exact: bool

    def refine(self, ranking: Ranking, unlabeled: CountArray) -> Ranking:
        """Add the cutoffs at both edges of the tie blocks in which unlabeled examples lie."""
        fetch = self.fetch if self.exact else None
        nth = order_statistics(unlabeled, self.free, fetch)
        return _insert(ranking, "unlabeled", nth)

    def reach(self, ranking: Ranking, ranks: CountArray) -> Ranking:
        """Add the last attained cutoff at or before each rank."""
        ranks = ranks.clip(1, sum(ranking.total))
        return _insert(ranking, "rank", order_statistics(ranks, self.gaps, self.fetch))

    def above_each(self, thresholds: FloatArray) -> CountArray:
        """Return the number of examples at or above each of some scores."""
        cost, place = np.unique(0.0 - thresholds, return_inverse=True)  # best first
        above: CountArray = self.count(0.0 - cost).blocks()[1][1::2][place]
        return above


def _insert(ranking: Ranking, counted: str, nth: OrderStatistics) -> Ranking:
    """Add the cutoffs at both edges of blocks of scores: of all (rank), or of the unlabeled."""
    threshold, through = np.append(nth.score, nth.better), np.append(nth.through, nth.before)
    through, first = np.unique(through, return_index=True)  # 0, too, is there
    place = np.searchsorted(getattr(ranking, counted), through)
    new = getattr(ranking, counted)[place] != through
    if not new.any():
        return ranking
    threshold, through, place = threshold[first[new]], through[new], place[new]
    positive, negative = ranking.known_positive[place - 1], ranking.known_negative[place - 1]
    unlabeled = through - (positive + negative if counted == "rank" else 0)
    insert = partial(insert_at, place + np.arange(place.size))
    return replace(
        ranking,
        rank=insert(ranking.rank, positive + negative + unlabeled),
        threshold=insert(ranking.threshold, threshold),
        known_positive=insert(ranking.known_positive, positive),
        known_negative=insert(ranking.known_negative, negative),
        unlabeled=insert(ranking.unlabeled, unlabeled),
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
        cost[index].argsort() + (index.start or 0)
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
    return Stack(total, owner, found[blocks], known, start, end, end - known - negatives)
