"""A metric at a point of the true curve: at a recall, a false positive rate, or a precision.

Given the true labels the cutoff of that point is fixed, so that limits which hold at each fixed
cutoff hold there. The cutoffs at which they allow the goal are those where the point may be, and
at each of them the goal itself gives the contingency table.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from math import nan
from typing import NamedTuple

import numpy as np
import scipy

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
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import Table, completed_table, make_tables
from pu_accessor.ranking import BoolArray, CountArray, FloatArray, IntArray, Numbers, Ranking

_SAME = 1e-12  # rates that are as near are equal where counts are no whole numbers
_ROUNDS = 5  # of a search between cutoffs; where bounds are straight lines the first one finds all
_BETWEEN = 1 << 10  # blocks of ties that are looked at between the first cutoff and the last
_NEXT = np.arange(-1, 3)  # counts around a crossing
_AT_ALL = 0.2  # of what may be missed, left to the band that holds at all cutoffs
_ANGLES = np.linspace(0, np.pi / 2, 9)  # at which errors of both samples are combined


class Blocks(NamedTuple):
    """Blocks of tied scores in which a true curve may pass its goal, in positions of cutoffs.

    A recall is reached at the end of its block, another rate left behind at the start.
    """

    here: IntArray  # the cutoff of the point
    beyond: IntArray  # that on the other side of the block; -1: there is none
    known: CountArray  # known positives in the block
    size: CountArray  # examples in it
    free: CountArray  # known positives and unlabeled examples in it


class _Bounds(ABC):
    """What the data allow at each cutoff; subclasses know of which examples."""

    ranking: Ranking
    ends: Table  # with the fewest and the most true positives, shape (2, cutoffs, betas)
    clipped: BoolArray  # shape (cutoffs, betas)

    @abstractmethod
    def fewest_jointly(self, rule: Settings) -> tuple[Ranking, Table]:
        """Return tables with the fewest true positives, at all cutoffs jointly."""

    @abstractmethod
    def values(
        self, metric: Metric, at: Cutoff, blocks: Blocks, allowed: BoolArray
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return blocks, betas, and values of the metric there that the goal allows."""


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
    tables at the last cutoff with a false positive rate of at most f, with f*M false positives.
    In a block of tied scores the true positives can be more, up to their limit.

    A precision goes up and down: its last cutoff is where it is reached for the last time, and the
    band has to hold at all cutoffs jointly.

    On new examples both shares above a threshold have an interval: of positives and of the rest.
    As errors that are independent add by their squares, each interval is taken at z*sin(t) and
    z*cos(t) standard errors, and the extremes are those over all t ([1]_).

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
    >>> found.rank, found.value.round(3), found.lower, found.upper
    (array([6]), array([0.714]), array([0.375]), array([1.]))
    >>> found.rank_lower, found.rank_upper
    (array([3]), array([8]))
    """
    own, joint = _share_error(at, rule, target)
    ranking, asked = _add_cutoffs(ranking, betas, at, own, target)
    bounds = _bound(ranking, betas, at, own, target)
    blocks = _find_blocks(bounds.ranking, at, asked)
    low, high = _is_met(bounds.ends, at)
    if joint is not None:
        low |= _is_met_later(bounds, at, joint)
    low = np.append(low, np.zeros_like(low[:1]), axis=0)  # beyond all cutoffs
    allowed = high[blocks.here] & ~low[blocks.beyond]
    place, beta, values = bounds.values(metric, at, blocks, allowed)
    head = bounds.ranking.head
    ranks = head[blocks.here[place]]
    found = _estimate(bounds, betas, metric, at, rule, target)
    lower, upper = found.value.copy(), found.value.copy()
    first, last = found.rank.copy(), found.rank.copy()
    for ends, reduce, each in (
        (lower, np.fmin, values),
        (upper, np.fmax, values),
        (first, np.fmin, ranks),
        (last, np.fmax, ranks),
    ):
        reduce.at(ends, beta, each)
    clipped = (bounds.clipped[blocks.here] & allowed).any(axis=0)
    return replace(
        found, lower=lower, upper=upper, rank_lower=first, rank_upper=last, clipped=clipped
    )


def _bound(
    ranking: Ranking, betas: FloatArray, at: Cutoff, rule: Settings, target: str
) -> _Bounds:
    kind = _OnNew if target == "population" else _OfThese
    return kind(ranking, betas, at, rule)


def _completed(
    ranking: Ranking, betas: FloatArray, rule: Settings, target: str
) -> tuple[Ranking, Table]:
    """Return the tables of the estimate, at the prevalence of new examples if it is theirs."""
    ranking, table = completed_table(ranking, betas, rule, on_new=target == "population")
    return ranking, table.at_prevalence(rule.prevalence)


def _estimate(
    bounds: _Bounds, betas: FloatArray, metric: Metric, at: Cutoff, rule: Settings, target: str
) -> Estimates:
    """Evaluate the metric at the cutoff where the estimated rate is as asked."""
    ranking, table = _completed(bounds.ranking, betas, rule, target)
    _check_rates(table, betas, at)
    met = _is_met(table, at)
    place = met.argmax(axis=0) if at.kind == "recall" else len(met) - 1 - met[::-1].argmax(axis=0)
    counts = (np.take_along_axis(count, place[np.newaxis], axis=0)[0] for count in table)
    unknown = np.full(betas.size, nan)
    rank = ranking.head[place]
    rank = rank if rank.dtype.kind == "i" else rank.astype(np.float64)
    return Estimates(
        metric(*counts).astype(np.float64),
        *(unknown,) * 3,
        band="binomial" if target == "population" else ranking.design or band_name(rule.band),
        rank=rank,
        threshold=ranking.threshold[place],
        examples_at_threshold=rank,
    )


# Where a goal is met


def _is_met(table: Table, at: Cutoff) -> BoolArray:
    """Tell at which cutoffs an fpr is at most what is asked for, or another rate at least that."""
    rates = METRICS[at.kind](*table)
    rounding = np.where(table.tp % 1 > 0, _SAME, 0.0)  # whole counts have the nearest float
    if at.kind == "fpr":
        return np.asarray(rates <= at.value + rounding)
    return np.asarray(rates >= at.value - rounding)


def _surplus(table: Table, at: Cutoff) -> FloatArray:
    """Return by how many examples a goal is met; straight lines where counts are."""
    tp, fp, fn, tn = table
    if at.kind == "recall":
        return tp - at.value * (tp + fn)
    if at.kind == "fpr":
        return at.value * (fp + tn) - fp
    return tp - at.value * (tp + fp)


def _share_error(at: Cutoff, rule: Settings, target: str) -> tuple[Settings, Settings | None]:
    """Return the rule for each cutoff, and that for all at once where a rate goes up and down."""
    if at.kind != "precision":
        return rule, None
    if rule.band != "exact":  # it has to hold at all cutoffs by itself
        return rule, rule
    missed = 1 - rule.level
    joint = replace(rule, band="simultaneous", one_sided=True, level=1 - _AT_ALL * missed)
    return rule.at_level(1 - (1 - _AT_ALL) * missed), joint


def _is_met_later(bounds: _Bounds, at: Cutoff, rule: Settings) -> BoolArray:
    """Tell at which cutoffs a precision is surely reached, there or further on."""
    ranking, table = bounds.fewest_jointly(rule)
    met = _is_met(table, at)
    later = np.logical_or.accumulate(met[::-1])[::-1]
    return np.asarray(later[np.searchsorted(ranking.head, bounds.ranking.head)])


def _check_rates(table: Table, betas: FloatArray, at: Cutoff) -> None:
    """Raise unless a rate has values, and a precision is reached."""
    rates = METRICS[at.kind](*table)
    if at.kind != "precision" and np.isnan(rates).any():
        kind, change = ("negatives", "smaller") if at.kind == "fpr" else ("positives", "larger")
        raise PUDataError(
            f"at={{{at.kind!r}: ...}} needs {kind}, but at this beta there are none. Pass a "
            f"{change} beta, or a rank.",
            page="beta#too-high",
        )
    unmet = ~_is_met(table, at).any(axis=0)
    if unmet.any():
        highest = max(rates[1:, unmet][:, 0].tolist(), default=nan)
        raise PUDataError(
            f"at={{'precision': {at.value:g}}} is reached by no cutoff: at beta = "
            f"{betas[unmet][0]:g} the highest estimated precision is {highest:.4g}. Ask for less, "
            "or at='maximum'."
        )


# The cutoffs around which limits pass a goal


def _add_cutoffs(
    ranking: Ranking, betas: FloatArray, at: Cutoff, rule: Settings, target: str
) -> tuple[Ranking, CountArray]:
    """Add the cutoffs around which the estimate, or a limit, passes the goal, and some between.

    Also return counts of unlabeled examples, whose blocks of ties are there from end to end.
    """
    asked = np.empty(0, ranking.unlabeled.dtype)
    if ranking.refiner is None:
        return ranking, asked
    for _ in range(_ROUNDS):
        finer, table = _completed(ranking, betas, rule, target)
        bounds = _bound(finer, betas, at, rule, target)
        crossings = _crossings(finer, _surplus(table, at))
        for end in _surplus(bounds.ends, at):
            crossings = np.append(crossings, _crossings(bounds.ranking, end))
        asked, size = np.union1d(asked, crossings), bounds.ranking.rank.size
        ranking = bounds.ranking.refine(asked)
        if ranking.rank.size == size:
            break
    low, high = asked.min(initial=0), asked.max(initial=0)
    between = np.linspace(low, high, _BETWEEN).astype(asked.dtype)
    asked = np.union1d(asked, between[between > 0])
    return ranking.refine(asked), asked


def _crossings(ranking: Ranking, surplus: FloatArray) -> CountArray:
    """Return counts of unlabeled examples around those where lines between cutoffs pass 0."""
    unlabeled, met = ranking.unlabeled, surplus >= 0
    step, column = np.nonzero(met[:-1] != met[1:])
    start, end = surplus[step, column], surplus[step + 1, column]
    share = np.divide(start, start - end, out=np.zeros_like(start), where=start != end)
    first, last = unlabeled[step], unlabeled[step + 1]
    places = np.floor(first + (last - first) * share)[:, np.newaxis] + _NEXT
    inside = np.clip(places, first[:, np.newaxis], last[:, np.newaxis]).astype(unlabeled.dtype)
    return np.unique(inside[inside > 0])


def _find_blocks(ranking: Ranking, at: Cutoff, asked: CountArray) -> Blocks:
    """Return the blocks of ties that are there from end to end, and those at the very end."""
    positive, negative, unlabeled = (
        np.diff(count)
        for count in (ranking.known_positive, ranking.known_negative, ranking.unlabeled)
    )
    whole = positive + negative > 0
    whole |= ranking.refiner is None
    whole[np.searchsorted(ranking.unlabeled, asked) - 1] = True
    left = np.flatnonzero(whole)
    ends = left + 1, left
    outside = 0
    if at.kind != "recall":
        ends, outside = (left, left + 1), ranking.rank.size - 1
    here, beyond = (np.append(*pair) for pair in zip(ends, (outside, -1), strict=True))
    sizes = positive, positive + negative + unlabeled, positive + unlabeled
    return Blocks(here, beyond, *(np.append(size[left], 0) for size in sizes))


# What is possible there: of these examples


class _OfThese(_Bounds):
    """The band: bounding tables."""

    def __init__(self, ranking: Ranking, betas: FloatArray, at: Cutoff, rule: Settings) -> None:
        tables = make_tables(ranking, betas, rule)
        self.ranking = tables.ranking
        self.ends = Table(*(count[:, ::2].swapaxes(0, 1) for count in tables.table))
        self.clipped = tables.clipped[:, ::2].any(axis=1)
        self.betas = betas
        self.latent = tables.positives - tables.ranking.total.known_positive

    def fewest_jointly(self, rule: Settings) -> tuple[Ranking, Table]:
        """Return tables with the fewest true positives, at all cutoffs jointly."""
        tables = make_tables(self.ranking, self.betas, rule)
        return tables.ranking, Table(*(count[:, 0] for count in tables.table))

    def values(
        self, metric: Metric, at: Cutoff, blocks: Blocks, allowed: BoolArray
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return blocks, betas, and values of the metric there that the goal allows.

        The fewest true positives are those that meet the goal, the most those with which the other
        side of the block still fails it.
        """
        total, ranking = self.ranking.total, self.ranking
        place, beta = np.nonzero(allowed)
        here, beyond = blocks.here[place], blocks.beyond[place]
        positives, most = total.known_positive + self.latent[beta], self.ends.tp[1, here, beta]
        size, one = sum(total), 1 if ranking.head.dtype.kind == "i" else 0
        fewest, fewest_beyond = (
            _fewest(at, ranking.head[cutoff], positives, size) for cutoff in (here, beyond)
        )
        moved = blocks.free[place] if at.kind == "recall" else -blocks.known[place]
        limit = fewest_beyond - one + moved
        if at.kind != "recall":  # beyond all examples there is nothing
            limit = np.where(beyond < 0, most, limit)
        below = total.unlabeled - ranking.unlabeled[here]
        least = ranking.known_positive[here] + np.maximum(self.latent[beta] - below, 0)
        low = np.clip(fewest, least, most)
        found = [
            metric(*Table.of(tp, ranking.head[here], positives, size)).astype(np.float64)
            for tp in (low, np.clip(limit, low, most))
        ]
        return np.tile(place, 2), np.tile(beta, 2), np.concatenate(found)


def _fewest(at: Cutoff, head: CountArray, positives: IntArray, size: float) -> Numbers:
    """Return the fewest true positives in a head with which a goal is met."""
    whole = head.dtype.kind == "i"
    if at.kind == "fpr":
        return head - _most(at.value, size - positives, whole)
    return _least(at.value, positives if at.kind == "recall" else head, whole)


def _least(share: float, counts: CountArray, whole: bool) -> Numbers:
    """Return the fewest of some counts whose share, the nearest float, is at least that."""
    found = share * counts
    if not whole:
        return found
    found, size = np.ceil(found), np.maximum(counts, 1)
    found -= (found - 1) / size >= share
    return found + (found / size < share)


def _most(share: float, counts: CountArray, whole: bool) -> Numbers:
    """Return the most of some counts whose share, the nearest float, is at most that."""
    found = share * counts
    if not whole:
        return found
    found, size = np.floor(found), np.maximum(counts, 1)
    found += (found + 1) / size <= share
    return found - (found / size > share)


# Of new examples


class _OnNew(_Bounds):
    """Two samples, each with limits of its share above a threshold."""

    def __init__(self, ranking: Ranking, betas: FloatArray, at: Cutoff, rule: Settings) -> None:
        check_negatives(ranking.total, betas, "metric")
        self.ranking, self.level = ranking, rule.level
        self.size, n = sum(ranking.total), ranking.total.known_positive
        rest = max(self.size - n, 1)
        self.share = 1 - unrounded_negatives(ranking.total, betas) / rest
        own = (n + self.share * (self.size - n)) / self.size
        self.prevalence = own if rule.prevalence is None else np.full(betas.size, rule.prevalence)
        wide = self._limits(np.ones(1), np.ones(1), slice(None))[:, :, 0]
        (low, high), (few, many) = wide[..., np.newaxis]
        corners = np.stack([low, high]), np.stack([many, few])
        self.ends = self._table(*corners, np.arange(betas.size))
        self.clipped = np.zeros((ranking.rank.size, betas.size), np.bool_)

    def fewest_jointly(self, rule: Settings) -> tuple[Ranking, Table]:
        """Return tables with the fewest true positives, at all cutoffs jointly."""
        samples = both_samples(self.ranking)
        alpha = local_alpha_of_share(samples[2], rule.level, both=False)
        lift = ratio_limit(*samples, alpha, 0)[:, np.newaxis]
        return self.ranking, self._table(lift, np.ones(1), np.arange(self.share.size))

    def _limits(
        self, of_known: FloatArray, of_rest: FloatArray, cutoffs: slice | IntArray
    ) -> FloatArray:
        """Return limits of both shares at so many errors, shape (2, side, errors, cutoffs)."""
        *above, n, size = both_samples(self.ranking)
        limits, z = [], scipy.special.ndtri((1 + self.level) / 2)
        for found, whole, ways in zip(above, (n, size), (of_known, of_rest), strict=True):
            levels = (2 * scipy.special.ndtr(z * ways) - 1).tolist()
            counts = found[cutoffs].astype(np.float64)
            each = [wilson(counts, max(whole, 1), level) for level in levels]
            limits.append(np.stack(each, axis=1))
        both, head = np.stack(limits), self.ranking.head[cutoffs]
        both[..., head == 0], both[..., head == self.size] = 0.0, 1.0
        return both

    def _table(self, known: FloatArray, others: FloatArray, beta: IntArray) -> Table:
        """Return tables from the shares of positives, and of all others, above a threshold."""
        share, prevalence = self.share[beta], self.prevalence[beta]
        false = np.clip((others - share * known) / (1 - share), 0, 1)
        positives, negatives = prevalence * self.size, (1 - prevalence) * self.size
        return Table(
            positives * known, negatives * false, positives * (1 - known), negatives * (1 - false)
        )

    def values(
        self, metric: Metric, at: Cutoff, blocks: Blocks, allowed: BoolArray
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return blocks, betas, and values of the metric there that the goal allows."""
        found = []
        for beta in range(self.share.size):
            near = np.flatnonzero(allowed[:, beta])
            sides = blocks.here[near], blocks.beyond[near]
            here, beyond = (self._limits(np.cos(_ANGLES), np.sin(_ANGLES), of) for of in sides)
            column = np.array([beta])
            most = self._table(here[0, 1], here[1, 0], column)
            least = self._table(beyond[0, 0], beyond[1, 1], column)
            possible = _is_met(most, at) & ~(_is_met(least, at) & (sides[1] >= 0))
            way, place = np.nonzero(possible)
            tied = blocks.size[near[place]] > 1
            for known, others in self._at_goal(at, here[:, :, way, place], beta, tied):
                values = metric(*self._table(known, others, column)).astype(np.float64)
                found.append((near[place], np.full(place.size, beta), values))
        blocks_of, betas, values = (np.concatenate(part) for part in zip(*found, strict=True))
        return blocks_of, betas, values

    def _at_goal(
        self, at: Cutoff, limits: FloatArray, beta: int, tied: BoolArray
    ) -> Sequence[tuple[FloatArray, FloatArray]]:
        """Return both shares at the ends of what the goal allows within limits.

        In a block of ties the goal can be exceeded: at the most by the best of both limits.
        """
        (low, high), (few, many) = limits
        if at.kind == "recall":
            known = np.full(low.size, at.value)
            line = [(known, few), (known, many)]
            best = [(np.fmax(high, known), few), (np.fmax(high, known), many)]
        else:
            slope, start = self._goal_line(at, beta)
            with np.errstate(divide="ignore", invalid="ignore"):
                first, last = (few - start) / slope, (many - start) / slope
            ends = np.clip(np.fmax(low, first), low, high), np.clip(np.fmin(high, last), low, high)
            line = [(known, start + slope * known) for known in ends]
            best = [(high, few)]
        only_tied = [
            (np.where(tied, known, line[0][0]), np.where(tied, others, line[0][1]))
            for known, others in best
        ]
        return [*line, *only_tied]

    def _goal_line(self, at: Cutoff, beta: int) -> tuple[float, float]:
        """Return how the share of all others depends on that of positives where a goal is met."""
        share, prevalence = self.share[beta], self.prevalence[beta]
        if at.kind == "fpr":
            return share, (1 - share) * at.value
        odds = prevalence / max(1 - prevalence, 1e-300) * (1 / max(at.value, 1e-12) - 1)
        return share + (1 - share) * odds, 0.0
