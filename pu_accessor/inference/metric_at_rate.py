"""Evaluate a metric where the true curve has a given recall, false positive rate or precision.

True labels fix that cutoff, so limits valid at each fixed cutoff are valid there. The cutoffs at
which they allow the goal are candidates, and at each the goal gives the contingency table.
"""

from dataclasses import replace
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from pu_accessor.checks import hidden_counts
from pu_accessor.errors import PUDataError
from pu_accessor.inference.answer import Answer, join_answers
from pu_accessor.inference.bands import band_name
from pu_accessor.inference.contingency import Table, Tables, completed_table, make_tables
from pu_accessor.inference.cutoff_spec import Cutoff, rank_of_fraction
from pu_accessor.inference.goal_lines import limits_at_goal
from pu_accessor.inference.hidden_bounds import count_wrong
from pu_accessor.inference.known_positives import count_negatives
from pu_accessor.inference.metric_at_cutoff import evaluate_completed, locate_cutoff
from pu_accessor.inference.metric_entry import Metric
from pu_accessor.inference.metrics import METRICS
from pu_accessor.inference.worlds import FutureData, Selected, errors_at
from pu_accessor.ranking import BoolArray, CountArray, FloatArray, IntArray, Ranking
from pu_accessor.roles_and_assumptions import Terms

_RATE_TOLERANCE = 1e-12  # for counts that are not whole numbers
_COUNT_TOLERANCE = 1e-6
_BLOCKS_BETWEEN = 1 << 10  # blocks of ties examined between the first and the last crossing
_MAX_CROSSING_WIDTH = 1 << 10  # counts next to a crossing


class GoalBlocks(NamedTuple):
    """Blocks of tied scores in which a true curve may pass its goal."""

    here: IntArray  # position of the cutoff of the point
    beyond: IntArray  # of the cutoff at the other side of the block, or -1
    known: CountArray  # known positives in the block
    free: CountArray  # known positives and unlabeled examples


def metric_at_goal(
    ranking: Ranking, betas: FloatArray, metric: Metric, at: Cutoff, terms: Terms
) -> Answer:
    """Evaluate a metric of this sample where a rate of the true curve is as given."""
    terms, joint_terms = _split_error(at, terms)
    tables, unlabeled = make_tables(ranking, betas, terms), ranking.unlabeled[:0]
    if ranking.refiner is not None:
        unlabeled = _counts_near_goal(tables, at)
        tables = make_tables(tables.ranking.refine(unlabeled, exact=True), betas, terms)
    ranking, estimate = tables.ranking, Table(*(count[:, 1] for count in tables.table))
    blocks = _complete_blocks(ranking, at, unlabeled)
    low, _, high = np.moveaxis(goal_surplus(at, tables.table), 1, 0) >= -_COUNT_TOLERANCE
    if not high.any(axis=0).all():
        raise _impossible_precision(estimate, at)
    if joint_terms is not None:  # a precision is surely met here or later
        joint = make_tables(ranking, betas, joint_terms)
        is_met = goal_surplus(at, joint.table)[:, 0] >= -_COUNT_TOLERANCE
        later = np.logical_or.accumulate(is_met[::-1])[::-1]
        low |= later[np.searchsorted(joint.ranking.head, ranking.head)]
    low = np.append(low, np.zeros_like(low[:1]), axis=0)  # position -1: no cutoff
    allowed = high[blocks.here] & ~low[blocks.beyond]
    block, beta, values = _allowed_values(tables, metric, at, blocks, allowed, terms.contamination)
    band = ranking.design or band_name(terms.band)
    answer = _estimate_at_goal(ranking, estimate, metric, at, band)
    ends, ranks = np.stack([answer.value] * 2), np.stack([answer.columns["rank"]] * 2)
    for side, extreme in enumerate((np.fmin, np.fmax)):
        extreme.at(ends[side], beta, values)
        extreme.at(ranks[side], beta, ranking.head[blocks.here[block]])
    clipped = (tables.clipped[blocks.here, ::2].any(axis=1) & allowed).any(axis=0)
    answer = answer.with_columns(clipped=clipped, rank_lower=ranks[0], rank_upper=ranks[1])
    return replace(answer, lower=ends[0], upper=ends[1])


def _allowed_values(
    tables: Tables,
    metric: Metric,
    at: Cutoff,
    blocks: GoalBlocks,
    allowed: BoolArray,
    contamination: float,
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the metric with the fewest and the most true positives that the goal allows.

    It comes after the positions of its block and its beta.
    """
    ranking, total, (block, beta) = tables.ranking, tables.ranking.total, np.nonzero(allowed)
    here, beyond = blocks.here[block], blocks.beyond[block]
    hidden = hidden_counts(tables.betas, total.unlabeled)[beta]
    below, n = total.unlabeled - ranking.unlabeled[here], total.known_positive
    known = ranking.known_positive[here] + np.maximum(hidden - below, 0)
    is_whole, most, parts = ranking.head.dtype.kind == "i", tables.tp[here, 2, beta], []
    for wrong in {0, count_wrong(n, contamination)}:
        gained = blocks.free if at.kind == "recall" else -np.maximum(blocks.known - wrong, 0)
        needed, outside = (  # the fewest true positives that meet the goal
            -goal_surplus(at, Table.of(0 * head, head, n + hidden - wrong, sum(total)))
            for head in (ranking.head[here], ranking.head[beyond])
        )
        if is_whole:
            needed, outside = (np.ceil(each - _COUNT_TOLERANCE) for each in (needed, outside))
        limit = outside - is_whole + gained[block]
        if at.kind != "recall":
            limit[beyond < 0] = np.inf
        fewest = np.clip(needed, known - wrong, most)
        is_possible = limit >= fewest
        for tp in (fewest, np.clip(limit, fewest, most)):
            table = Table.of(tp, ranking.head[here], n + hidden - wrong, sum(total))
            values = metric(*(count[is_possible] for count in table)).astype(np.float64)
            parts.append((block[is_possible], beta[is_possible], values))
    positions, betas, each_value = (np.concatenate(part) for part in zip(*parts, strict=True))
    return positions, betas, each_value


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
    errors = errors_at(world, selected)
    lower, upper, low, high = limits_at_goal(world, ranking, metric, at, errors)
    if np.isnan(lower).any() and at.kind == "precision":
        raise _impossible_precision(table, at)
    if not errors.df:  # a single sampled row, of any weight, has no known error
        lower = upper = np.full(betas.size, np.nan)
    low = np.clip(np.floor(low + _COUNT_TOLERANCE), 0, rank).astype(finer.head.dtype)
    high = np.clip(np.ceil(high - _COUNT_TOLERANCE), rank, finer.head[-1])
    high = high.astype(finer.head.dtype)
    answer = answer.with_columns(clipped=False, rank_lower=low, rank_upper=high)
    return answer.with_limits(lower, upper)


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
        near = crossings(ranking, goal_surplus(at, table), at)
        ranking = ranking.refine(near, exact=True)
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


def goal_surplus(at: Cutoff, table: Table) -> FloatArray:
    """Return how many true positives can be missing from a goal; negative if it is not met."""
    tp, fp, fn, tn = table
    if at.kind == "recall":
        return np.asarray(tp - at.value * (tp + fn))
    if at.kind == "fpr":
        return np.asarray(at.value * (fp + tn) - fp)
    return np.where(tp + fp == 0, -1.0, tp - at.value * (tp + fp))  # no precision at rank 0


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


def _counts_near_goal(tables: Tables, at: Cutoff) -> CountArray:
    """Return unlabeled counts next to where bounds pass the goal, and some between these."""
    passed = crossings(tables.ranking, goal_surplus(at, tables.table), at)
    low = passed.min(initial=tables.ranking.total.unlabeled)
    high = passed.max(initial=0)
    between = np.linspace(max(low, 1), high, _BLOCKS_BETWEEN).astype(passed.dtype)
    return np.unique(np.concatenate([passed, between[between <= high]]))


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
    sizes = (np.append(count[start], 0) for count in (positive, positive + unlabeled))
    if at.kind == "recall":
        return GoalBlocks(np.append(start + 1, 0), np.append(start, -1), *sizes)
    return GoalBlocks(np.append(start, is_complete.size), np.append(start + 1, -1), *sizes)
