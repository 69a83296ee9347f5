"""Evaluate a metric where the true curve has a given recall, false positive rate or precision.

True labels fix that cutoff, so limits valid at each fixed cutoff are valid there. The cutoffs at
which they allow the goal are candidates, and at each the goal gives the contingency table. On
future data both shares above a threshold have Wilson's intervals, at z*cos(t) and z*sin(t) errors;
limits are the extremes over t (Zou and Donner, Statistics in Medicine 27, 2008, 1693-1702).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import chain, product
from math import ceil
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy

from pu_accessor.checks import hidden_counts
from pu_accessor.errors import PUDataError
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.bands import future_data
from pu_accessor.inference.bands.lookup import band_name
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.known_positives import count_negatives, unrounded_negatives
from pu_accessor.inference.influence import wilson_interval
from pu_accessor.inference.metrics import METRICS, Metric
from pu_accessor.inference.tables.contingency import Table, Tables, completed_table, make_tables
from pu_accessor.inference.tables.hidden_bounds import count_wrong
from pu_accessor.ranking import BoolArray, CountArray, FloatArray, IntArray, Numbers, Ranking
from pu_accessor.roles_and_assumptions import Terms

_RATE_TOLERANCE = 1e-12  # for counts that are not whole numbers
_COUNT_TOLERANCE = 1e-6
_SEARCH_ROUNDS = 5  # where limits are straight lines, one round is enough
_BLOCKS_BETWEEN = 1 << 10  # blocks of ties examined between the first and the last crossing
_MAX_CROSSING_WIDTH = 1 << 10  # counts next to a crossing
_ANGLES = np.linspace(0, np.pi / 2, 9)
_ERROR_DIRECTIONS = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)])  # shares of both samples

# Positions of blocks and of betas, and values of the metric.
AllowedValues: TypeAlias = tuple[IntArray, IntArray, FloatArray]


class GoalBlocks(NamedTuple):
    """Blocks of tied scores in which a true curve may pass its goal."""

    here: IntArray  # position of the cutoff of the point
    beyond: IntArray  # of the cutoff at the other side of the block, or -1
    known: CountArray  # known positives in the block
    free: CountArray  # known positives and unlabeled examples
    size: CountArray  # examples


def metric_at_rate(
    ranking: Ranking, betas: FloatArray, metric: Metric, at: Cutoff, rule: Terms, target: str
) -> Answer:
    """Evaluate a metric where a rate of the true curve is as given, with its interval."""
    settings, joint_settings = _split_error(at, rule)
    kind = _FutureBounds if target == "population" else _SampleBounds
    make_bounds: Callable[[Ranking], _Bounds] = partial(kind, betas=betas, rule=settings, at=at)
    ranking, unlabeled = _add_cutoffs(ranking, at, make_bounds)
    bounds = make_bounds(ranking)
    blocks = _complete_blocks(bounds.ranking, at, unlabeled)
    low, _, high = np.moveaxis(bounds.surplus, 1, 0) >= -_COUNT_TOLERANCE
    if not high.any(axis=0).all():
        highest = np.fmax.reduce(METRICS["precision"](*bounds.estimate)).min()
        raise PUDataError(
            f"No cutoff has a precision of {at.value:g}, not even by its upper limit: the highest "
            f"estimate is {highest:.4g}. Pass a smaller at={{'precision': ...}}, or at='maximum'."
        )
    if joint_settings is not None:  # a precision is surely met here or later
        finer, surplus = bounds.fewest_jointly(joint_settings)
        later = np.logical_or.accumulate(surplus[::-1] >= -_COUNT_TOLERANCE)[::-1]
        low |= later[np.searchsorted(finer.head, bounds.ranking.head)]
    low = np.append(low, np.zeros_like(low[:1]), axis=0)  # position -1: no cutoff
    allowed = high[blocks.here] & ~low[blocks.beyond]
    block, beta, values = bounds.values(metric, blocks, allowed)
    answer = _estimate_at_goal(bounds, metric, at)
    ends, ranks = np.stack([answer.value] * 2), np.stack([answer.columns["rank"]] * 2)
    for side, extreme in enumerate((np.fmin, np.fmax)):
        extreme.at(ends[side], beta, values)
        extreme.at(ranks[side], beta, bounds.ranking.head[blocks.here[block]])
    clipped = (bounds.clipped[blocks.here] & allowed).any(axis=0)
    answer = answer.with_columns(clipped=clipped, rank_lower=ranks[0], rank_upper=ranks[1])
    return replace(answer, lower=ends[0], upper=ends[1])


def _split_error(at: Cutoff, rule: Terms) -> tuple[Terms, Terms | None]:
    """Return settings for each cutoff, and those for all cutoffs if a precision is the goal."""
    if at.kind != "precision":
        return rule, None
    if rule.band != "exact":  # a simultaneous band needs no correction
        return rule, rule
    rule = rule.at_level((1 + rule.level) / 2)
    return rule, replace(rule, band="simultaneous", one_sided=True)


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


def _estimate_at_goal(bounds: "_Bounds", metric: Metric, at: Cutoff) -> Answer:
    """Evaluate the metric at the cutoff where the estimated rate is as given, or nearest."""
    ranking, table = bounds.ranking, bounds.estimate
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
    return Answer(value, value, value, columns=columns, band=bounds.band)


def _add_cutoffs(
    ranking: Ranking, at: Cutoff, make_bounds: "Callable[[Ranking], _Bounds]"
) -> tuple[Ranking, CountArray]:
    """Add cutoffs next to those where bounds pass the goal; also return their unlabeled counts."""
    added = np.empty(0, ranking.unlabeled.dtype)
    if ranking.refiner is None:
        return ranking, added
    for _ in range(_SEARCH_ROUNDS):
        bounds = make_bounds(ranking)
        passed = crossings(bounds.ranking, bounds.surplus, at)
        low, high = passed.min(initial=ranking.total.unlabeled), passed.max(initial=0)
        between = np.linspace(max(low, 1), high, _BLOCKS_BETWEEN).astype(added.dtype)
        added = np.unique(np.concatenate([added, passed, between[between <= high]]))
        ranking = bounds.ranking.refine(added)
        if ranking is bounds.ranking or bounds.straight:
            break
    return ranking, added


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

    straight = True  # whether limits are straight lines between cutoffs

    def __init__(self, ranking: Ranking, *, betas: FloatArray, rule: Terms, at: Cutoff) -> None:
        self.betas, self.rule, self.at = betas, rule, at
        tables = make_tables(ranking, betas, rule)
        self.ranking = tables.ranking
        self.hidden = hidden_counts(betas, ranking.total.unlabeled)
        self.most = tables.tp[:, 2]
        self.surplus = self._goal_surplus(tables)
        positives = ranking.total.known_positive + self.hidden
        head, size = tables.head[:, np.newaxis], sum(ranking.total)
        self.estimate = Table.of(tables.tp[:, 1], head, positives, size)
        self.clipped = np.asarray(tables.clipped[:, ::2].any(axis=1))
        self.band = ranking.design or band_name(rule.band)

    def _goal_surplus(self, tables: Tables) -> FloatArray:
        """Return by how much all bounds meet the goal, shape (cutoffs, 3, betas)."""
        head, size = tables.head[:, np.newaxis, np.newaxis], sum(self.ranking.total)
        return goal_surplus(self.at, tables.tp, head, tables.positives, size)

    def fewest_jointly(self, rule: Terms) -> tuple[Ranking, FloatArray]:
        """Return the smallest surplus, at all cutoffs simultaneously."""
        tables = make_tables(self.ranking, self.betas, rule)
        return tables.ranking, self._goal_surplus(tables)[:, 0]

    def values(self, metric: Metric, blocks: GoalBlocks, allowed: BoolArray) -> AllowedValues:
        """Return the metric with the fewest and the most true positives that the goal allows."""
        ranking, n = self.ranking, self.ranking.total.known_positive
        recall, (block, beta), parts = self.at.kind == "recall", np.nonzero(allowed), []
        here, beyond = blocks.here[block], blocks.beyond[block]
        below = ranking.total.unlabeled - ranking.unlabeled[here]
        known = ranking.known_positive[here] + np.maximum(self.hidden[beta] - below, 0)
        for wrong in {0, count_wrong(n, self.rule.contamination)}:
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


class _FutureBounds:
    """Bounds on future data: two samples, each with limits of its share above a threshold."""

    straight, band = False, "binomial"

    def __init__(self, ranking: Ranking, *, betas: FloatArray, rule: Terms, at: Cutoff) -> None:
        count_negatives(ranking.total, betas, "metric on future data")
        self.rule, self.at = rule, at
        self.ranking, table = completed_table(ranking, betas, on_new=True)
        self.estimate = table.at_prevalence(rule.prevalence)
        size, n = sum(ranking.total), ranking.total.known_positive
        self.share = 1 - unrounded_negatives(ranking.total, betas) / max(size - n, 1)
        own = (n + self.share * (size - n)) / size
        self.prevalence = own if rule.prevalence is None else np.full(betas.size, rule.prevalence)
        self.z = scipy.special.ndtri((1 + rule.level) / 2)
        self.radius = np.sqrt(-2 * np.log1p(-rule.level))  # both errors lie within it
        wide = np.full((2, 1), self.radius)
        (low, high), (few, many) = self._limits(wide)[..., 0, :, np.newaxis]
        ends = [self._goal_surplus(np.array(each)) for each in ((low, many), (high, few))]
        tp, fp, fn, _ = self.estimate
        middle = goal_surplus(at, tp, tp + fp, tp + fn, size)
        self.surplus = np.stack([ends[0], middle, ends[1]], axis=1)
        self.clipped = np.zeros(tp.shape, np.bool_)

    def fewest_jointly(self, rule: Terms) -> tuple[Ranking, FloatArray]:
        """Return the smallest surplus, at all cutoffs simultaneously."""
        samples = future_data.counts_of_samples(self.ranking)
        alpha = future_data.local_alpha_of_share(samples[2], rule.level, both=False)
        lift = future_data.ratio_limit(*samples, alpha, 0)[:, np.newaxis]
        return self.ranking, self._goal_surplus(np.stack([lift, np.ones_like(lift)]))

    def _limits(self, errors: FloatArray, cutoffs: slice | IntArray = slice(None)) -> FloatArray:
        """Return limits of both shares at given errors, shape (2, side, errors, cutoffs)."""
        *counts_above, n, size = future_data.counts_of_samples(self.ranking)
        limits = []
        for above, number, of_sample in zip(counts_above, (n, size), errors, strict=True):
            levels = (2 * scipy.special.ndtr(of_sample) - 1).tolist()
            counts = above[cutoffs].astype(np.float64)
            each = [wilson_interval(counts, max(number, 1), level) for level in levels]
            limits.append(np.stack(each, axis=1))
        both = np.stack(limits)
        both[..., self.ranking.head[cutoffs] == n + size] = 1.0  # whatever the threshold
        return both

    def _table(self, shares: FloatArray, beta: slice | int = slice(None)) -> Table:
        """Return tables from the shares of positives, and of all others, above a threshold."""
        known, others = shares
        false = (others - self.share[beta] * known) / (1 - self.share[beta])
        return Table.of_rates(known, false, self.prevalence[beta], sum(self.ranking.total))

    def _goal_surplus(self, shares: FloatArray, beta: slice | int = slice(None)) -> FloatArray:
        """Return by how much shares meet the goal."""
        tp, fp, fn, _ = self._table(shares, beta)
        return goal_surplus(self.at, tp, tp + fp, tp + fn, sum(self.ranking.total))

    def values(self, metric: Metric, blocks: GoalBlocks, allowed: BoolArray) -> AllowedValues:
        """Return the metric where the goal is met, with the error split between the samples."""
        parts = []
        for beta, is_tied in product(range(self.share.size), (False, True)):
            candidates = np.flatnonzero(allowed[:, beta] & ((blocks.size > 1) == is_tied))
            here = blocks.here[candidates]
            outside = np.where(blocks.beyond[candidates] < 0, here, blocks.beyond[candidates])
            errors = (self.radius if is_tied else self.z) * _ERROR_DIRECTIONS
            limits, outer = (self._limits(errors, of) for of in (here, outside))
            surely = self._goal_surplus(outer[[0, 1], [0, 1]], beta) >= 0
            possible = self._goal_surplus(limits[[0, 1], [1, 0]], beta) >= 0
            if not is_tied:  # the point lies between both cutoffs
                limits[0, 0] = np.fmin(limits[0, 0], outer[0, 0])
                limits[1, 1] = np.fmax(limits[1, 1], outer[1, 1])
            error, block = np.nonzero(possible & ~(surely & (outside != here)))
            limits, excess = limits[:, :, error, block], [np.zeros(block.size)]
            excess += [self._excess(blocks, candidates[block], beta)] if is_tied else []
            for point in chain(*(self._points(limits, beta, by) for by in excess)):
                values = metric(*np.maximum(self._table(point, beta), 0)).astype(np.float64)
                parts.append((candidates[block], np.full(block.size, beta), values))
        positions, columns, values = (np.concatenate(part) for part in zip(*parts, strict=True))
        return positions, columns, values

    def _excess(self, blocks: GoalBlocks, candidates: IntArray, beta: int) -> FloatArray:
        """Return by how much a goal can be exceeded where a block of ties passes it."""
        *_, n, size = future_data.counts_of_samples(self.ranking)
        recall = self.at.kind == "recall"
        counts, number = (blocks.known, n) if recall else (blocks.size - blocks.known, size)
        counts = counts[candidates].astype(np.float64)
        share = wilson_interval(counts, max(number, 1), self.rule.level)[1]
        inside = np.array([np.ones(candidates.size), np.zeros(candidates.size)])
        outside = inside + np.array([-share * recall, share * (not recall)])
        return self._goal_surplus(inside, beta) - self._goal_surplus(outside, beta)

    def _points(self, limits: FloatArray, beta: int, excess: FloatArray) -> list[FloatArray]:
        """Return shares with a surplus of `excess`, on both ways from best to worst limits."""
        (low, high), (few, many) = limits
        best, worst = np.array([high, few]), np.array([low, many])
        points = []
        for middle in (np.array([low, few]), np.array([high, many])):
            corners = best, middle, worst
            first, second, third = (self._goal_surplus(c, beta) - excess for c in corners)
            point = best + _zero_crossing(first, second) * (middle - best)
            points.append(point + _zero_crossing(second, third) * (worst - middle))
        return points


def _zero_crossing(start: FloatArray, end: FloatArray) -> FloatArray:
    """Return at which share of its way a falling line passes 0, from 0 to 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.clip(np.nan_to_num(start / (start - end), nan=1.0), 0, 1)


_Bounds: TypeAlias = _SampleBounds | _FutureBounds
