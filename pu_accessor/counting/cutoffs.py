"""Rank examples by score and count each kind at each cutoff."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from pu_accessor.counting import score_gaps
from pu_accessor.ranking import (
    BoolArray,
    CountArray,
    Counts,
    FloatArray,
    IntArray,
    KnownBlocks,
    Ranking,
    Ranks,
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
        return replace(ranking, inverse_propensity=_invert(known[0], known_propensity))
    labeled = score_gaps.distinct_scores(np.concatenate(known))[0]
    gaps = score_gaps.Gaps.of(labeled, score)
    blocks = np.empty(score.size, np.int32)
    counts = gaps.count(score, weight, blocks=blocks)

    def ask(other: score_gaps.Gaps, numbers: IntArray | None) -> Any:
        if numbers is None:
            return other.count(score, weight, with_sums=True)
        return gaps.fetch(numbers, score, weight, blocks)

    weights = (None, None) if weight is None else (weight[positive], weight[negative])
    counted = Counted(gaps, labeled, counts, ask)
    return rank_counted(known, counted, ranks, known_propensity, weights)


def _rank_all(
    score: FloatArray, positive: BoolArray, negative: BoolArray, weight: CountArray | None
) -> Ranking:
    """Count each kind at rank 0 and at or above each score."""
    # Subtracted from 0.0: a sign would turn a threshold of 0 into -0.0. NaN comes last.
    cost, size = np.unique(0.0 - score, return_counts=True)
    threshold = np.append(np.inf, 0.0 - cost)
    if weight is not None:
        kinds = positive, negative, ~(positive | negative)
        counts = (_count_above(cost, score[kind], weight[kind]) for kind in kinds)
        return _make_ranking(threshold, *counts)
    known = (np.sort(0.0 - score[kind]) for kind in (positive, negative))
    tied = (np.bincount(np.searchsorted(cost, one), minlength=cost.size) for one in known)
    above, below = (np.append(0, np.cumsum(one)) for one in tied)
    return _make_ranking(threshold, above, below, np.append(0, np.cumsum(size)) - above - below)


# Counts and sums scores at and between values or, with numbers of gaps, returns those inside.
Ask: TypeAlias = Callable[[score_gaps.Gaps, IntArray | None], Any]


@dataclass(frozen=True, eq=False)
class Counted:
    """Scores that were counted at and between values, among which cutoffs are found."""

    gaps: score_gaps.Gaps
    labeled: FloatArray  # those of the values that are labeled scores, best first
    counts: score_gaps.GapCounts
    ask: Ask
    in_memory: bool = True  # scores in pieces are asked for where cutoffs must be exact
    unlabeled: score_gaps.GapCounts | None = None

    def refine(self, ranking: Ranking, unlabeled: CountArray, *, exact: bool) -> Ranking:
        """Add the cutoffs at both ends of the tie blocks with the n-th unlabeled examples."""
        fetch = self._fetch if exact or self.in_memory else None
        counts = self.counts if self.unlabeled is None else self.unlabeled
        nth = score_gaps.order_statistics(unlabeled, counts, fetch)
        return _insert_cutoffs(ranking, "unlabeled", nth)

    def add_ranks(self, ranking: Ranking, ranks: CountArray) -> Ranking:
        """Add the last attained cutoff at or before each rank."""
        targets = ranks.clip(1, sum(ranking.total))
        nth = score_gaps.order_statistics(targets, self.counts, self._fetch)
        return _insert_cutoffs(ranking, "rank", nth)

    def count_at_or_above(self, thresholds: FloatArray) -> CountArray:
        """Return the number of examples at or above each of some scores."""
        cost, index = np.unique(0.0 - thresholds, return_inverse=True)  # best first
        return self._count(0.0 - cost).blocks()[1][1::2][index]

    def sums_from(self, starts: FloatArray) -> FloatArray:
        """Return the sum of the scores from each start to the next; starts ascend."""
        sums = np.asarray(self._count(starts[::-1]).sums, np.float64)
        return (sums[1::2] + sums[:-1:2])[::-1]

    def _count(self, values: FloatArray) -> score_gaps.GapCounts:
        """Count and sum the scores at and between other values."""
        counts: score_gaps.GapCounts = self.ask(
            score_gaps.Gaps.of(values, self.counts.values), None
        )
        return counts

    def _fetch(self, numbers: IntArray) -> score_gaps.Fetched:
        """Return the scores in some gaps."""
        fetched: score_gaps.Fetched = self.ask(self.gaps, numbers)
        return fetched


def rank_counted(
    known: Sequence[FloatArray],
    counted: Counted,
    ranks: Ranks,
    propensity: FloatArray | None = None,
    weights: Sequence[CountArray | None] = (None, None),
) -> Ranking:
    """Rank examples by counts of scores between labeled ones."""
    cost = 0.0 - counted.gaps.values
    positive, negative = map(partial(_count_above, cost), known, weights)
    labeled_at = np.diff(positive + negative)
    unlabeled_gaps = replace(counted.counts, at=counted.counts.at - labeled_at)
    # Cutoffs are the labeled scores, and the worst unlabeled score in each gap.
    values, between = counted.labeled, unlabeled_gaps
    places = np.arange(values.size + 1)
    if values.size < cost.size:
        between = unlabeled_gaps.at_values(values)
        places[1:] = np.searchsorted(cost, 0.0 - values) + 1
    lowest, through = between.blocks()
    filled = np.ones(lowest.size, np.bool_)
    filled[::2] = between.inside > 0
    index = places[np.append(0, (np.arange(lowest.size) + 1)[filled] // 2)]
    unlabeled, threshold = np.append(0, through[filled]), np.append(np.inf, lowest[filled])
    ranking = replace(
        _make_ranking(threshold, positive[index], negative[index], unlabeled),
        extent="breakpoints",
        inverse_propensity=_invert(known[0], propensity),
        refiner=replace(counted, unlabeled=unlabeled_gaps),
    )
    if isinstance(ranks, str):
        return ranking
    return ranking.at(np.atleast_1d(np.asarray(ranks, np.int64)))


def _count_above(cost: FloatArray, scores: FloatArray, weight: CountArray | None) -> CountArray:
    """Count the scores at or above each of some values, after a first 0."""
    order = np.argsort(0.0 - scores) if weight is not None else None
    ordered = np.sort(0.0 - scores) if order is None else 0.0 - scores[order]
    above = np.append(0, np.searchsorted(ordered, cost, side="right").astype(np.int64))
    return above if weight is None else np.append(0, np.cumsum(weight[order]))[above]


def _invert(positive: FloatArray, propensity: FloatArray | None) -> FloatArray | None:
    """Return the inverse propensities of known positives, best-ranked first."""
    if propensity is None:
        return None
    # Ties are ordered by propensity, so that the order of rows does not matter.
    return 1 / propensity[np.lexsort((propensity, -positive))]


def _make_ranking(
    threshold: FloatArray, positive: CountArray, negative: CountArray, unlabeled: CountArray
) -> Ranking:
    """Make a ranking of the examples of each kind at or above each threshold."""
    total = Counts(positive[-1].item(), negative[-1].item(), unlabeled[-1].item())
    rank = positive + negative + unlabeled
    return Ranking(rank, threshold, positive, negative, unlabeled, total)


def _insert_cutoffs(ranking: Ranking, counted: str, nth: score_gaps.OrderStatistics) -> Ranking:
    """Add cutoffs at both ends of tie blocks: of all scores ("rank"), or of the unlabeled."""
    threshold, through = np.append(nth.score, nth.better), np.append(nth.through, nth.before)
    through, first = np.unique(through, return_index=True)  # maybe with 0, which is there
    index = np.searchsorted(getattr(ranking, counted), through)
    new = getattr(ranking, counted)[index] != through
    if not new.any():
        return ranking
    through, index = through[new], index[new]
    # Each new cutoff has the labeled examples of the one before.
    before = np.insert(np.arange(ranking.rank.size), index, index - 1)
    place = index + np.arange(index.size)
    names = "rank", "threshold", "known_positive", "known_negative", "unlabeled"
    columns = {name: getattr(ranking, name)[before] for name in names}
    labeled = columns["known_positive"][place] + columns["known_negative"][place]
    columns["rank"][place] = through if counted == "rank" else through + labeled
    columns["unlabeled"][place] = through - labeled if counted == "rank" else through
    columns["threshold"][place] = threshold[first[new]]
    return replace(ranking, **columns)


def find_known_blocks(
    score: FloatArray, positive: BoolArray, negative: BoolArray, rows: Sequence[IntArray | slice]
) -> KnownBlocks:
    """Rank many groups of rows by score, and find the tie blocks with known positives."""
    cost = 0.0 - score
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
    edges = np.concatenate([[0], np.flatnonzero(untied) + 1, [cost.size]])  # of tie blocks
    above = [np.append(0, np.cumsum(kind)) for kind in (positive, negative)]
    blocks = np.flatnonzero(np.diff(above[0][edges]))
    start, end = edges[blocks], edges[blocks + 1]
    owner = np.searchsorted(first, start, side="right") - 1
    begin = first[owner]
    known, negatives = ([kind[at] - kind[begin] for at in (start, end)] for kind in above)
    totals, size = [np.diff(kind[first]) for kind in above], np.diff(first)

    def count_at_or_above(threshold: float) -> IntArray:
        return np.add.reduceat(cost <= 0.0 - threshold, first[:-1], dtype=np.int64)

    return KnownBlocks(
        total=np.stack([*totals, size - totals[0] - totals[1]], axis=1),
        owner=owner,
        number=known[1] - known[0],
        known=known[1],
        negative_above=negatives[0],
        negative=negatives[1],
        start=start - begin,
        end=end - begin,
        is_missing=np.isnan(cost[start]),
        count_at_or_above=count_at_or_above,
    )
