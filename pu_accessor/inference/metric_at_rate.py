"""Evaluate a metric where the true curve has a given recall, false positive rate or precision.

True labels fix that cutoff, so limits valid at each fixed cutoff are valid there. The cutoffs at
which they allow the goal are candidates, and at each the goal gives the contingency table.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import ceil, floor
from typing import NamedTuple, TypeAlias

import numpy as np

from pu_accessor.checks import hidden_counts
from pu_accessor.errors import PUDataError
from pu_accessor.inference.answer import Answer, join_answers
from pu_accessor.inference.bands import band_name
from pu_accessor.inference.contingency import (
    Table,
    Tables,
    check_labels,
    completed_table,
    make_tables,
)
from pu_accessor.inference.cutoff_spec import Cutoff, rank_of_fraction
from pu_accessor.inference.goal_lines import limits_at_goal
from pu_accessor.inference.hidden_bounds import count_wrong
from pu_accessor.inference.known_positives import count_negatives
from pu_accessor.inference.metric_at_cutoff import evaluate_completed, locate_cutoff
from pu_accessor.inference.metric_entry import Metric
from pu_accessor.inference.metrics import METRICS
from pu_accessor.inference.worlds import FutureData, Selected, errors_at
from pu_accessor.ranking import BoolArray, CountArray, FloatArray, IntArray, Numbers, Ranking
from pu_accessor.roles_and_assumptions import Terms

_RATE_TOLERANCE = 1e-12  # for counts that are not whole numbers
_COUNT_TOLERANCE = 1e-6
_BLOCKS_BETWEEN = 1 << 10  # blocks of ties examined between the first and the last crossing
_MAX_CROSSING_WIDTH = 1 << 10  # counts next to a crossing

# Positions of blocks and of betas, and values of the metric.
AllowedValues: TypeAlias = tuple[IntArray, IntArray, FloatArray]


class GoalBlocks(NamedTuple):
    """Blocks of tied scores in which a true curve may pass its goal."""

    here: IntArray  # position of the cutoff of the point
    beyond: IntArray  # of the cutoff at the other side of the block, or -1
    known: CountArray  # known positives in the block
    free: CountArray  # known positives and unlabeled examples
    size: CountArray  # examples


def metric_at_goal(
    ranking: Ranking, betas: FloatArray, metric: Metric, at: Cutoff, terms: Terms
) -> Answer:
    """Evaluate a metric of this sample where a rate of the true curve is as given."""
    terms, joint_terms = _split_error(at, terms)
    make_bounds = partial(_SampleBounds, betas=betas, terms=terms, at=at)
    ranking, unlabeled = _add_cutoffs(ranking, at, make_bounds)
    bounds = make_bounds(ranking)
    blocks = _complete_blocks(bounds.ranking, at, unlabeled)
    low, _, high = np.moveaxis(bounds.surplus, 1, 0) >= -_COUNT_TOLERANCE
    if not high.any(axis=0).all():
        raise _impossible_precision(bounds.estimate, at)
    if joint_terms is not None:  # a precision is surely met here or later
        finer, surplus = bounds.fewest_jointly(joint_terms)
        later = np.logical_or.accumulate(surplus[::-1] >= -_COUNT_TOLERANCE)[::-1]
        low |= later[np.searchsorted(finer.head, bounds.ranking.head)]
    low = np.append(low, np.zeros_like(low[:1]), axis=0)  # position -1: no cutoff
    allowed = high[blocks.here] & ~low[blocks.beyond]
    block, beta, values = bounds.values(metric, blocks, allowed)
    answer = _estimate_at_goal(bounds.ranking, bounds.estimate, metric, at, bounds.band)
    ends, ranks = np.stack([answer.value] * 2), np.stack([answer.columns["rank"]] * 2)
    for side, extreme in enumerate((np.fmin, np.fmax)):
        extreme.at(ends[side], beta, values)
        extreme.at(ranks[side], beta, bounds.ranking.head[blocks.here[block]])
    clipped = (bounds.clipped[blocks.here] & allowed).any(axis=0)
    answer = answer.with_columns(clipped=clipped, rank_lower=ranks[0], rank_upper=ranks[1])
    return replace(answer, lower=ends[0], upper=ends[1])


def _impossible_precision(estimate: Table, at: Cutoff) -> PUDataError:
    """Return the error that no cutoff has a precision."""
    highest = np.fmax.reduce(METRICS["precision"](*estimate)).min()
    return PUDataError(
        f"No cutoff has a precision of {at.value:g}, not even by its upper limit: the highest "
        f"estimate is {highest:.4g}. Pass a smaller at={{'precision': ...}}, or at='maximum'."
    )


def future_metric_at_goal(
    ranking: Ranking, betas: FloatArray, metric: Metric, at: Cutoff, terms: Terms
) -> Answer:
    """Evaluate a metric of future data where a rate, or a fraction, of the curve is as given."""
    if at.kind == "rank":  # of weighted rows
        at = Cutoff("fraction", at.value / sum(ranking.total))
    check_labels(betas, ranking.total)
    count_negatives(ranking.total, betas, "metric on future data")
    finer, table = _complete_near_goal(ranking, betas, at, terms)
    if at.kind == "fraction":
        answer = _estimate_at_fraction(finer, table, betas, metric, at, terms)
    else:
        answer = _estimate_at_goal(finer, table, metric, at, "binomial")
    rank = answer.columns["rank"]
    through = answer.columns.get("examples_at_threshold", rank)[:1]
    selected = Selected.above(finer.take(np.searchsorted(finer.head, through)))
    world = FutureData.of(ranking, betas, terms)
    limits = limits_at_goal(world, ranking, metric, at, errors_at(world, selected))
    if np.isnan(limits.lower).any() and at.kind == "precision":
        raise _impossible_precision(table, at)
    low = np.fmin(np.floor(limits.rank_lower + _COUNT_TOLERANCE), rank)
    high = np.fmax(np.ceil(limits.rank_upper - _COUNT_TOLERANCE), rank)
    ranks = {"rank_lower": low, "rank_upper": high}
    ranks = {name: each.astype(finer.head.dtype) for name, each in ranks.items()}
    return answer.with_limits(limits.lower, limits.upper).with_columns(clipped=False, **ranks)


def _estimate_at_fraction(
    ranking: Ranking, table: Table, betas: FloatArray, metric: Metric, at: Cutoff, terms: Terms
) -> Answer:
    """Estimate a metric in the top fraction of future data, of at least one example."""
    size, each = sum(ranking.total), []
    for column, beta in enumerate(betas[:, np.newaxis]):
        cutoff = at if size % 1 else Cutoff("rank", rank_of_fraction(at.value, size))
        if terms.prevalence is not None:  # at which the examples above are another fraction
            head = (table.tp + table.fp)[:, column]
            rank = np.interp(at.value * size, head, ranking.head)
            cutoff = Cutoff("rank", floor(rank + _COUNT_TOLERANCE))
        position = locate_cutoff(ranking, cutoff)
        if at.value and position.rank < 1:
            position = locate_cutoff(ranking, Cutoff("rank", 1))
        each.append(evaluate_completed(position, beta, metric, terms.prevalence))
    return join_answers(each)


def _complete_near_goal(
    ranking: Ranking, betas: FloatArray, at: Cutoff, terms: Terms
) -> tuple[Ranking, Table]:
    """Return the tables of the estimate, also next to where it passes the goal."""
    ranking, table = completed_table(ranking, betas, on_new=True)
    table = table.at_prevalence(terms.prevalence)
    if at.kind != "fraction":
        tp, fp, fn, _ = table
        surplus = goal_surplus(at, tp, tp + fp, tp + fn, sum(ranking.total))
        ranking = ranking.refine(crossings(ranking, surplus, at), exact=True)
        ranking, table = completed_table(ranking, betas, on_new=True)
        table = table.at_prevalence(terms.prevalence)
    return ranking, table


def _split_error(at: Cutoff, terms: Terms) -> tuple[Terms, Terms | None]:
    """Return terms for each cutoff, and those for all cutoffs if a precision is the goal."""
    if at.kind != "precision":
        return terms, None
    if terms.band != "exact":  # a simultaneous band needs no correction
        return terms, terms
    terms = terms.at_level((1 + terms.level) / 2)
    return terms, replace(terms, band="simultaneous", one_sided=True)


def _meets_goal(table: Table, at: Cutoff) -> BoolArray:
    """Tell at which cutoffs fpr is at most its goal, or another rate at least its goal."""
    rates = METRICS[at.kind](*table)
    rounding = np.where(table.tp % 1 > 0, _RATE_TOLERANCE, 0.0)  # ratios of whole counts are exact
    if at.kind == "fpr":
        return np.asarray(rates <= at.value + rounding)
    return np.asarray(rates >= at.value - rounding)


def goal_surplus(at: Cutoff, tp: Numbers, head: Numbers, p: Numbers, size: float) -> FloatArray:
    """Return how many true positives can be missing from a goal; negative if it is not met."""
    if at.kind == "recall":
        return np.asarray(tp - at.value * p)
    if at.kind == "fpr":
        return np.asarray(at.value * (size - p) - head + tp)
    return np.where(head == 0, -1.0, tp - at.value * head)  # no precision at rank 0


def _estimate_at_goal(
    ranking: Ranking, table: Table, metric: Metric, at: Cutoff, band: str
) -> Answer:
    """Evaluate the metric at the cutoff where the estimated rate is as given, or nearest."""
    rates, is_met = METRICS[at.kind](*table), _meets_goal(table, at)
    if at.kind != "precision" and np.isnan(rates).any():
        kind, change = ("negatives", "smaller") if at.kind == "fpr" else ("positives", "larger")
        raise PUDataError(
            f"at={{{at.kind!r}: ...}} needs {kind}, but at this beta there are none. Pass a "
            f"{change} beta, or a rank."
        )
    is_met |= ~is_met.any(axis=0) & (rates == np.fmax.reduce(rates))
    last = len(is_met) - 1 - is_met[::-1].argmax(axis=0)
    cutoff = is_met.argmax(axis=0) if at.kind == "recall" else last
    value = metric(*(count[cutoff, np.arange(cutoff.size)] for count in table)).astype(np.float64)
    columns = {"rank": ranking.head[cutoff], "threshold": ranking.threshold[cutoff]}
    return Answer(value, value, value, columns=columns, band=band)


def _add_cutoffs(
    ranking: Ranking, at: Cutoff, make_bounds: "Callable[[Ranking], _SampleBounds]"
) -> tuple[Ranking, CountArray]:
    """Add cutoffs next to those where bounds pass the goal; also return their unlabeled counts."""
    added = np.empty(0, ranking.unlabeled.dtype)
    if ranking.refiner is None:
        return ranking, added
    bounds = make_bounds(ranking)
    passed = crossings(bounds.ranking, bounds.surplus, at)
    low, high = passed.min(initial=ranking.total.unlabeled), passed.max(initial=0)
    between = np.linspace(max(low, 1), high, _BLOCKS_BETWEEN).astype(added.dtype)
    added = np.unique(np.concatenate([passed, between[between <= high]]))
    return bounds.ranking.refine(added, exact=True), added


def crossings(ranking: Ranking, surplus: FloatArray, at: Cutoff) -> CountArray:
    """Return counts of unlabeled examples next to those where lines between cutoffs pass 0."""
    unlabeled, is_met = ranking.unlabeled, surplus >= 0
    step, *columns = np.nonzero(is_met[:-1] != is_met[1:])
    start, end = surplus[step, *columns], surplus[step + 1, *columns]
    first, last = (unlabeled[of, np.newaxis] for of in (step, step + 1))
    width = 1
    if at.kind == "precision":  # whole numbers of true positives change it every 1/p cutoffs
        width = ceil(1 / max(at.value, 1 / _MAX_CROSSING_WIDTH))
    crossing = np.floor(first[:, 0] + (last - first)[:, 0] * start / (start - end))
    counts = np.clip(crossing[:, np.newaxis] + np.arange(-width, width + 2), first, last)
    return np.unique(counts[counts > 0].astype(unlabeled.dtype))


def _complete_blocks(ranking: Ranking, at: Cutoff, added: CountArray) -> GoalBlocks:
    """Return the blocks of ties with both ends in the ranking, and the one outside of all."""
    kinds = ranking.known_positive, ranking.known_negative, ranking.unlabeled
    positive, negative, unlabeled = (np.diff(count) for count in kinds)
    is_complete = (positive + negative > 0) | (ranking.refiner is None)
    is_complete[np.searchsorted(ranking.unlabeled, added) - 1] = True
    start = np.flatnonzero(is_complete)
    counts = positive, positive + unlabeled, positive + unlabeled + negative
    sizes = (np.append(count[start], 0) for count in counts)
    if at.kind == "recall":
        return GoalBlocks(np.append(start + 1, 0), np.append(start, -1), *sizes)
    return GoalBlocks(np.append(start, is_complete.size), np.append(start + 1, -1), *sizes)


class _SampleBounds:
    """Bounds on this sample: a band and its bounding tables."""

    def __init__(self, ranking: Ranking, *, betas: FloatArray, terms: Terms, at: Cutoff) -> None:
        self.betas, self.terms, self.at = betas, terms, at
        tables = make_tables(ranking, betas, terms)
        self.ranking = tables.ranking
        self.hidden = hidden_counts(betas, ranking.total.unlabeled)
        self.most = tables.tp[:, 2]
        self.surplus = self._goal_surplus(tables)
        positives = ranking.total.known_positive + self.hidden
        head, size = tables.head[:, np.newaxis], sum(ranking.total)
        self.estimate = Table.of(tables.tp[:, 1], head, positives, size)
        self.clipped = np.asarray(tables.clipped[:, ::2].any(axis=1))
        self.band = ranking.design or band_name(terms.band)

    def _goal_surplus(self, tables: Tables) -> FloatArray:
        """Return by how much all bounds meet the goal, shape (cutoffs, 3, betas)."""
        head, size = tables.head[:, np.newaxis, np.newaxis], sum(self.ranking.total)
        return goal_surplus(self.at, tables.tp, head, tables.positives, size)

    def fewest_jointly(self, terms: Terms) -> tuple[Ranking, FloatArray]:
        """Return the smallest surplus, at all cutoffs simultaneously."""
        tables = make_tables(self.ranking, self.betas, terms)
        return tables.ranking, self._goal_surplus(tables)[:, 0]

    def values(self, metric: Metric, blocks: GoalBlocks, allowed: BoolArray) -> AllowedValues:
        """Return the metric with the fewest and the most true positives that the goal allows."""
        ranking, n = self.ranking, self.ranking.total.known_positive
        recall, (block, beta), parts = self.at.kind == "recall", np.nonzero(allowed), []
        here, beyond = blocks.here[block], blocks.beyond[block]
        below = ranking.total.unlabeled - ranking.unlabeled[here]
        known = ranking.known_positive[here] + np.maximum(self.hidden[beta] - below, 0)
        for wrong in {0, count_wrong(n, self.terms.contamination)}:
            positives = n + self.hidden[beta] - wrong
            needed, outside = (self._needed(ranking.head[c], positives) for c in (here, beyond))
            gained = blocks.free if recall else -np.maximum(blocks.known - wrong, 0)
            limit = outside - (ranking.head.dtype.kind == "i") + gained[block]
            if not recall:
                limit[beyond < 0] = np.inf
            most = self.most[here, beta]
            fewest = np.clip(needed, known - wrong, most)
            is_possible = limit >= fewest
            for tp in (fewest, np.clip(limit, fewest, most)):
                table = Table.of(tp, ranking.head[here], positives, sum(ranking.total))
                values = metric(*(count[is_possible] for count in table)).astype(np.float64)
                parts.append((block[is_possible], beta[is_possible], values))
        positions, betas, values = (np.concatenate(part) for part in zip(*parts, strict=True))
        return positions, betas, values

    def _needed(self, head: CountArray, positives: IntArray) -> FloatArray:
        """Return the fewest true positives that meet the goal."""
        none = np.zeros(head.size)
        needed = -goal_surplus(self.at, none, head, positives, sum(self.ranking.total))
        return np.ceil(needed - _COUNT_TOLERANCE) if head.dtype.kind == "i" else needed
