"""A metric at a point of the true curve: at a recall, a false positive rate, or a precision.

Given the true labels the cutoff of that point is fixed, so that limits which hold at each fixed
cutoff hold there. The cutoffs at which they allow the goal are those where the point may be, and
at each of them the goal itself gives the contingency table.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import chain, product
from math import ceil, nan
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy

from pu_accessor.checks import hidden_counts
from pu_accessor.errors import PUDataError
from pu_accessor.inference.bands.lookup import band_name
from pu_accessor.inference.bands.on_new_examples import (
    both_samples,
    local_alpha_of_share,
    ratio_limit,
)
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.estimates.known_positives import check_negatives, unrounded_negatives
from pu_accessor.inference.influence import wilson
from pu_accessor.inference.metrics import METRICS, Metric
from pu_accessor.inference.settings import Settings, count_wrong
from pu_accessor.inference.tables.contingency import Table, Tables, completed_table, make_tables
from pu_accessor.ranking import BoolArray, CountArray, FloatArray, IntArray, Numbers, Ranking

_SAME = 1e-12  # rates that are as near are equal where counts are no whole numbers
_ROUNDING = 1e-6  # of counts
_ROUNDS = 5  # of a search between cutoffs; where limits are straight lines the first one finds all
_BETWEEN = 1 << 10  # blocks of ties that are looked at between the first cutoff and the last
_NEAR = 1 << 10  # counts around a crossing, at the most
_ANGLES = np.linspace(0, np.pi / 2, 9)
_WAYS = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)])  # to share an error between both samples

# Positions of blocks and of betas, and the values of a metric there.
Values: TypeAlias = tuple[IntArray, IntArray, FloatArray]


class Blocks(NamedTuple):
    """Blocks of tied scores in which a true curve may pass its goal.

    A recall is reached at the end of its block; another rate is as asked before it.
    """

    here: IntArray  # position of the cutoff of the point
    beyond: IntArray  # of that on the other side of the block; -1: there is none
    known: CountArray  # known positives in the block
    free: CountArray  # known positives and unlabeled examples
    size: CountArray  # examples


def metric_at_point(
    ranking: Ranking, betas: FloatArray, metric: Metric, at: Cutoff, rule: Settings, target: str
) -> Estimates:
    """Evaluate a metric where a rate of the true curve is as asked, with its interval.

    Notes
    -----
    Let R be the first cutoff with a recall of at least r. The true labels fix it, so that an upper
    limit of the true positives at R, and a lower one at the cutoff before, hold as they do at any
    other: R is one of the cutoffs where the upper limit reaches the goal, and the lower one before
    does not. There r*P positives are found, rounded up, and the rest of the table follows. So do
    the tables of the last cutoff with a false positive rate of at most f: f*M false positives,
    rounded down. Each limit is missed with half of 1 - level. Within a block of tied scores the
    goal can be exceeded.

    A precision rises and falls. Its last cutoff lies beyond each cutoff at which it is surely
    reached, by limits that hold at all of them jointly: these have half of what may be missed.

    On new examples the shares above a threshold, of positives and of the rest, have Wilson's
    intervals. As errors that are independent add by their squares, one interval is taken at
    z*cos(t) standard errors and the other at z*sin(t); limits are the extremes over t ([1]_).

    References
    ----------
    .. [1] G. Y. Zou, A. Donner, *Construction of confidence limits about effect measures: a
       general approach*, Statistics in Medicine 27 (2008) 1693-1702.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> asked = np.array([0.25]), METRICS["precision"], Cutoff("recall", 0.5), Settings()
    >>> found = metric_at_point(ranking, *asked, "examples")
    >>> found.rank, found.value.round(3), found.lower.round(3), found.upper
    (array([5]), array([0.657]), array([0.5]), array([1.]))
    >>> found.rank_lower, found.rank_upper
    (array([3]), array([6]))
    """
    own, joint = _share_error(at, rule)
    kind = _OnNew if target == "population" else _OfThese
    bound: Callable[[Ranking], _Bounds] = partial(kind, betas=betas, rule=own, at=at)
    ranking, asked = _add_cutoffs(ranking, at, bound)
    bounds = bound(ranking)
    blocks = _find_blocks(bounds.ranking, at, asked)
    low, _, high = np.moveaxis(bounds.surplus, 1, 0) >= -_ROUNDING
    if not high.any(axis=0).all():
        raise _no_cutoff(bounds, at)
    if joint is not None:
        low |= _is_met_later(bounds, joint)
    low = np.append(low, np.zeros_like(low[:1]), axis=0)  # there is no cutoff beyond all
    allowed = high[blocks.here] & ~low[blocks.beyond]
    place, beta, values = bounds.values(metric, blocks, allowed)
    found = _estimate(bounds, metric, at)
    names = {"lower": np.fmin, "upper": np.fmax, "rank_lower": np.fmin, "rank_upper": np.fmax}
    ends = {name: getattr(found, name).copy() for name in names}
    for name, of in names.items():
        new = bounds.ranking.head[blocks.here[place]] if name.startswith("rank") else values
        of.at(ends[name], beta, new)
    clipped = (bounds.clipped[blocks.here] & allowed).any(axis=0)
    return replace(found, clipped=clipped, **ends)


def _share_error(at: Cutoff, rule: Settings) -> tuple[Settings, Settings | None]:
    """Return the rule for each cutoff, and that for all of them where a rate rises and falls."""
    if at.kind != "precision":
        return rule, None
    if rule.band != "exact":  # it is to hold at all cutoffs by itself
        return rule, rule
    rule = rule.at_level((1 + rule.level) / 2)
    return rule, replace(rule, band="simultaneous", one_sided=True)


# Where a goal is met


def _is_met(table: Table, at: Cutoff) -> BoolArray:
    """Tell at which cutoffs an fpr is at most what is asked for, or another rate at least that."""
    rates = METRICS[at.kind](*table)
    rounding = np.where(table.tp % 1 > 0, _SAME, 0.0)  # whole counts have the nearest float
    if at.kind == "fpr":
        return np.asarray(rates <= at.value + rounding)
    return np.asarray(rates >= at.value - rounding)


def _surplus(
    at: Cutoff, tp: Numbers, head: Numbers, positives: Numbers, size: float
) -> FloatArray:
    """Return how many true positives fewer would still meet a goal; less than 0: it is not met."""
    if at.kind == "recall":
        return np.asarray(tp - at.value * positives)
    if at.kind == "fpr":
        return np.asarray(at.value * (size - positives) - head + tp)
    return np.where(head == 0, -1.0, tp - at.value * head)  # nothing has no precision


def _is_met_later(bounds: "_Bounds", rule: Settings) -> BoolArray:
    """Tell at which cutoffs a precision is surely reached, there or further on."""
    ranking, surplus = bounds.fewest_jointly(rule)
    met = surplus >= -_ROUNDING
    later = np.logical_or.accumulate(met[::-1])[::-1]
    return np.asarray(later[np.searchsorted(ranking.head, bounds.ranking.head)])


def _estimate(bounds: "_Bounds", metric: Metric, at: Cutoff) -> Estimates:
    """Evaluate the metric at the cutoff where the estimated rate is as asked, or the nearest."""
    ranking, table = bounds.ranking, bounds.estimate
    rates, met = METRICS[at.kind](*table), _is_met(table, at)
    if at.kind != "precision" and np.isnan(rates).any():
        kind, change = ("negatives", "smaller") if at.kind == "fpr" else ("positives", "larger")
        raise PUDataError(
            f"at={{{at.kind!r}: ...}} needs {kind}, but at this beta there are none. Pass a "
            f"{change} beta, or a rank.",
            page="beta#too-high",
        )
    met |= ~met.any(axis=0) & (rates == np.fmax.reduce(rates))
    place = met.argmax(axis=0) if at.kind == "recall" else len(met) - 1 - met[::-1].argmax(axis=0)
    value = metric(*(count[place, np.arange(place.size)] for count in table)).astype(np.float64)
    rank, unknown = ranking.head[place], np.full(value.size, nan)
    located = {"rank": rank, "threshold": ranking.threshold[place], "examples_at_threshold": rank}
    ends = {"lower": value, "upper": value, "rank_lower": rank, "rank_upper": rank}
    return Estimates(value, unknown, **ends, **located, band=bounds.band)


def _no_cutoff(bounds: "_Bounds", at: Cutoff) -> PUDataError:
    """Return the error that no cutoff has a precision."""
    highest = np.fmax.reduce(METRICS["precision"](*bounds.estimate)).min()
    return PUDataError(
        f"at={{'precision': {at.value:g}}} is reached by no cutoff, not even by upper limits: the "
        f"highest estimated precision is {highest:.4g}. Ask for less, or at='maximum'."
    )


# The cutoffs around which limits pass a goal


def _add_cutoffs(
    ranking: Ranking, at: Cutoff, bound: "Callable[[Ranking], _Bounds]"
) -> tuple[Ranking, CountArray]:
    """Add the cutoffs around which the estimate, or a limit, passes the goal, and some between.

    Also return counts of unlabeled examples, whose blocks of ties are there from end to end.
    """
    asked = np.empty(0, ranking.unlabeled.dtype)
    if ranking.refiner is None:
        return ranking, asked
    for _ in range(_ROUNDS):
        bounds = bound(ranking)
        found = _crossings(bounds.ranking, bounds.surplus, at)
        low, high = found.min(initial=ranking.total.unlabeled), found.max(initial=0)
        between = np.linspace(max(low, 1), high, _BETWEEN).astype(asked.dtype)
        asked = np.unique(np.concatenate([asked, found, between[between <= high]]))
        ranking = bounds.ranking.refine(asked)
        if ranking is bounds.ranking or bounds.straight:
            break
    return ranking, asked


def _crossings(ranking: Ranking, surplus: FloatArray, at: Cutoff) -> CountArray:
    """Return counts of unlabeled examples around those where lines between cutoffs pass 0.

    Of whole numbers of true positives a precision is left behind at every 1/p cutoffs alone.
    """
    unlabeled, met = ranking.unlabeled, surplus >= 0
    step, *columns = np.nonzero(met[:-1] != met[1:])
    start, end = surplus[step, *columns], surplus[step + 1, *columns]
    first, last = (unlabeled[of, np.newaxis] for of in (step, step + 1))
    near = min(ceil(1 / max(at.value, 1 / _NEAR)), _NEAR) if at.kind == "precision" else 1
    places = np.floor(first[:, 0] + (last - first)[:, 0] * start / (start - end))
    around = np.clip(places[:, np.newaxis] + np.arange(-near, near + 2), first, last)
    return np.unique(around[around > 0].astype(unlabeled.dtype))


def _find_blocks(ranking: Ranking, at: Cutoff, asked: CountArray) -> Blocks:
    """Return the blocks of ties that are there from end to end, and that outside of all."""
    kinds = ranking.known_positive, ranking.known_negative, ranking.unlabeled
    positive, negative, unlabeled = (np.diff(count) for count in kinds)
    whole = (positive + negative > 0) | (ranking.refiner is None)
    whole[np.searchsorted(ranking.unlabeled, asked) - 1] = True
    left = np.flatnonzero(whole)
    counts = positive, positive + unlabeled, positive + unlabeled + negative
    sizes = (np.append(count[left], 0) for count in counts)
    if at.kind == "recall":
        return Blocks(np.append(left + 1, 0), np.append(left, -1), *sizes)
    return Blocks(np.append(left, whole.size), np.append(left + 1, -1), *sizes)


# What is possible there


class _OfThese:
    """These examples: a band, and its bounding tables."""

    straight = True  # whether limits are straight lines between cutoffs

    def __init__(self, ranking: Ranking, *, betas: FloatArray, rule: Settings, at: Cutoff) -> None:
        self.betas, self.rule, self.at = betas, rule, at
        tables = make_tables(ranking, betas, rule)
        self.ranking = tables.ranking
        self.latent = hidden_counts(betas, ranking.total.unlabeled)
        self.most = tables.tp[:, 2]
        self.surplus = self._surplus(tables)
        positives = ranking.total.known_positive + self.latent
        head, size = tables.head[:, np.newaxis], sum(ranking.total)
        self.estimate = Table.of(tables.tp[:, 1], head, positives, size)
        self.clipped = np.asarray(tables.clipped[:, ::2].any(axis=1))
        self.band = ranking.design or band_name(rule.band)

    def _surplus(self, tables: Tables) -> FloatArray:
        """Return by how much the goal is met at all bounds, shape (cutoffs, 3, betas)."""
        head, size = tables.head[:, np.newaxis, np.newaxis], sum(self.ranking.total)
        return _surplus(self.at, tables.tp, head, tables.positives, size)

    def fewest_jointly(self, rule: Settings) -> tuple[Ranking, FloatArray]:
        """Return by how much the goal is met at the least, at all cutoffs jointly."""
        tables = make_tables(self.ranking, self.betas, rule)
        return tables.ranking, self._surplus(tables)[:, 0]

    def values(self, metric: Metric, blocks: Blocks, allowed: BoolArray) -> Values:
        """Return what the goal allows: with the fewest true positives that meet it, and the most.

        These are as many as leave it unmet on the other side of the block. All known positives
        are positive, or as many are wrong as can be.
        """
        ranking, n = self.ranking, self.ranking.total.known_positive
        recall, (place, beta), found = self.at.kind == "recall", np.nonzero(allowed), []
        here, beyond = blocks.here[place], blocks.beyond[place]
        below = ranking.total.unlabeled - ranking.unlabeled[here]
        known = ranking.known_positive[here] + np.maximum(self.latent[beta] - below, 0)
        for wrong in {0, count_wrong(n, self.rule.contamination)}:
            positives = n + self.latent[beta] - wrong
            needed, outside = (
                self._needed(ranking.head[cutoff], positives) for cutoff in (here, beyond)
            )
            gained = blocks.free if recall else -np.maximum(blocks.known - wrong, 0)
            limit = outside - (ranking.head.dtype.kind == "i") + gained[place]
            if not recall:
                limit[beyond < 0] = np.inf
            most = self.most[here, beta]
            fewest = np.clip(needed, known - wrong, most)
            there = limit >= fewest
            for tp in (fewest, np.clip(limit, fewest, most)):
                table = Table.of(tp, ranking.head[here], positives, sum(ranking.total))
                values = metric(*(count[there] for count in table)).astype(np.float64)
                found.append((place[there], beta[there], values))
        places, betas, values = (np.concatenate(part) for part in zip(*found, strict=True))
        return places, betas, values

    def _needed(self, head: CountArray, positives: IntArray) -> FloatArray:
        """Return the fewest true positives with which the goal is met."""
        none = np.zeros(head.size)
        needed = -_surplus(self.at, none, head, positives, sum(self.ranking.total))
        return np.ceil(needed - _ROUNDING) if head.dtype.kind == "i" else needed


class _OnNew:
    """New examples: two samples, each with limits of its share above a threshold."""

    straight, band = False, "binomial"

    def __init__(self, ranking: Ranking, *, betas: FloatArray, rule: Settings, at: Cutoff) -> None:
        check_negatives(ranking.total, betas, "metric")
        self.rule, self.at = rule, at
        self.ranking, table = completed_table(ranking, betas, on_new=True)
        self.estimate = table.at_prevalence(rule.prevalence)
        size, n = sum(ranking.total), ranking.total.known_positive
        self.share = 1 - unrounded_negatives(ranking.total, betas) / max(size - n, 1)
        own = (n + self.share * (size - n)) / size
        self.prevalence = own if rule.prevalence is None else np.full(betas.size, rule.prevalence)
        self.z = scipy.special.ndtri((1 + rule.level) / 2)
        self.radius = np.sqrt(-2 * np.log1p(-rule.level))  # within which both errors lie
        wide = np.full((2, 1), self.radius)
        (low, high), (few, many) = self._limits(wide)[..., 0, :, np.newaxis]
        ends = [self._surplus(np.array(each)) for each in ((low, many), (high, few))]
        tp, fp, fn, _ = self.estimate
        middle = _surplus(at, tp, tp + fp, tp + fn, size)
        self.surplus = np.stack([ends[0], middle, ends[1]], axis=1)
        self.clipped = np.zeros(tp.shape, np.bool_)

    def fewest_jointly(self, rule: Settings) -> tuple[Ranking, FloatArray]:
        """Return by how much the goal is met at the least, at all cutoffs jointly."""
        samples = both_samples(self.ranking)
        alpha = local_alpha_of_share(samples[2], rule.level, both=False)
        lift = ratio_limit(*samples, alpha, 0)[:, np.newaxis]
        return self.ranking, self._surplus(np.stack([lift, np.ones_like(lift)]))

    def _limits(self, errors: FloatArray, cutoffs: slice | IntArray = slice(None)) -> FloatArray:
        """Return limits of both shares at so many errors, shape (2, side, errors, cutoffs)."""
        *above, n, size = both_samples(self.ranking)
        limits = []
        for found, whole, of_sample in zip(above, (n, size), errors, strict=True):
            levels = (2 * scipy.special.ndtr(of_sample) - 1).tolist()
            counts = found[cutoffs].astype(np.float64)
            each = [wilson(counts, max(whole, 1), level) for level in levels]
            limits.append(np.stack(each, axis=1))
        both = np.stack(limits)
        both[..., self.ranking.head[cutoffs] == n + size] = 1.0  # whatever the threshold
        return both

    def _table(self, shares: FloatArray, beta: slice | int = slice(None)) -> Table:
        """Return tables from the shares of positives, and of all others, above a threshold."""
        known, others = shares
        share, prevalence = self.share[beta], self.prevalence[beta]
        false, size = (others - share * known) / (1 - share), sum(self.ranking.total)
        positives, negatives = prevalence * size, (1 - prevalence) * size
        return Table(
            positives * known, negatives * false, positives * (1 - known), negatives * (1 - false)
        )

    def _surplus(self, shares: FloatArray, beta: slice | int = slice(None)) -> FloatArray:
        """Return by how much shares meet the goal."""
        tp, fp, fn, _ = self._table(shares, beta)
        return _surplus(self.at, tp, tp + fp, tp + fn, sum(self.ranking.total))

    def values(self, metric: Metric, blocks: Blocks, allowed: BoolArray) -> Values:
        """Return what the goal allows, at a few ways to share the error between both samples.

        In a block of ties the goal does not tie the two shares together: both limits have to hold.
        """
        found = []
        for beta, tied in product(range(self.share.size), (False, True)):
            near = np.flatnonzero(allowed[:, beta] & ((blocks.size > 1) == tied))
            here = blocks.here[near]
            beyond = np.where(blocks.beyond[near] < 0, here, blocks.beyond[near])
            errors = (self.radius if tied else self.z) * _WAYS
            limits, outer = (self._limits(errors, of) for of in (here, beyond))
            surely = self._surplus(outer[[0, 1], [0, 1]], beta) >= 0
            possible = self._surplus(limits[[0, 1], [1, 0]], beta) >= 0
            if not tied:  # the point lies between both cutoffs
                limits[0, 0] = np.fmin(limits[0, 0], outer[0, 0])
                limits[1, 1] = np.fmax(limits[1, 1], outer[1, 1])
            error, place = np.nonzero(possible & ~(surely & (beyond != here)))
            limits, excess = limits[:, :, error, place], [np.zeros(place.size)]
            excess += [self._excess(blocks, near[place], beta)] if tied else []
            for point in chain(*(self._points(limits, beta, by) for by in excess)):
                counts = np.maximum(self._table(point, beta), 0)
                values = metric(*counts).astype(np.float64)
                found.append((near[place], np.full(place.size, beta), values))
        places, columns, values = (np.concatenate(part) for part in zip(*found, strict=True))
        return places, columns, values

    def _excess(self, blocks: Blocks, near: IntArray, beta: int) -> FloatArray:
        """Return by how much a goal can be exceeded where a block of ties passes it."""
        *_, n, size = both_samples(self.ranking)
        recall = self.at.kind == "recall"
        counts, whole = (blocks.known, n) if recall else (blocks.size - blocks.known, size)
        share = wilson(counts[near].astype(np.float64), max(whole, 1), self.rule.level)[1]
        inside = np.array([np.ones(near.size), np.zeros(near.size)])
        outside = inside + np.array([-share * recall, share * (not recall)])
        ends = (self._surplus(each, beta) for each in (inside, outside))
        return np.subtract(*ends)

    def _points(self, limits: FloatArray, beta: int, excess: FloatArray) -> list[FloatArray]:
        """Return both shares where a goal is met, or exceeded by so much, between limits.

        They lie on both ways from the best limits to the worst, by one share and then the other.
        """
        (low, high), (few, many) = limits
        best, worst = np.array([high, few]), np.array([low, many])
        points = []
        for middle in (np.array([low, few]), np.array([high, many])):
            first, second, third = (
                self._surplus(each, beta) - excess for each in (best, middle, worst)
            )
            way = _share_of_way(first, second), _share_of_way(second, third)
            points.append(best + way[0] * (middle - best) + way[1] * (worst - middle))
        return points


def _share_of_way(start: FloatArray, end: FloatArray) -> FloatArray:
    """Return after which share of the way a falling line passes 0, from 0 to 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.clip(np.nan_to_num(start / (start - end), nan=1.0), 0, 1)


_Bounds: TypeAlias = _OfThese | _OnNew
