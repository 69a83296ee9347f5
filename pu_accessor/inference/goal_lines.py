"""Limits of a metric on future data where a rate of the true curve is as given.

The rate is a line in the plane of the shares of known positives and of the rest above a threshold.
Its points within z errors of the shares at some cutoff are possible (Neyman, Phil. Trans. A 236,
1937, 333-380), and the limits are the metric's extremes over them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.inference.cutoff_spec import Cutoff
from pu_accessor.inference.metric_entry import Metric
from pu_accessor.inference.worlds import (
    Errors,
    FutureData,
    Labeling,
    Shares,
    combine_with_prevalence,
    lower_precision,
)
from pu_accessor.ranking import BoolArray, FloatArray, Ranking

_TINY = 1e-12  # replaces a standard error of 0
_MOVED_BY_PREVALENCE = ("fraction", "precision")  # goals whose line depends on it
_WAYS = np.append(0, np.geomspace(1e-4, 1, 32))  # from a point of a line to its ends
_FINER = np.linspace(0, 1, 17)
_GRID = np.linspace(0, np.pi / 2, 257)[1:-1]  # of a line on which no cutoff lies
_POINTS = np.linspace(0, 1, 33)  # of what is possible
_ROUNDS = 3  # of a search for its ends
_ANGLES = np.linspace(0, 2 * np.pi, 33)[:-1]
_DIRECTIONS = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)])  # of the errors of both shares


def limits_at_goal(
    world: FutureData, ranking: Ranking, metric: Metric, at: Cutoff, errors: Errors
) -> FloatArray:
    """Return the limits of a metric, and of the rank, where a rate of the true curve is as given.

    By beta; NaN where the goal is impossible.
    """
    level, first = world.terms.level, np.zeros(world.hidden.size, np.int64)
    if at.kind == "precision":
        # Half of 1 - level is spent on where a precision is surely met for the last time.
        level = (1 + level) / 2
        is_met = lower_precision(world.at_level(level), ranking) >= at.value
        first = np.max(np.where(is_met, np.arange(is_met.shape[1]), 0), axis=1)
    segments, spread = Segments.of(ranking), Spread.of(world, errors, level)
    limits = []
    for beta, start in enumerate(first.tolist()):
        one, later = world.at(beta), segments.near(start, None)
        each = [
            _limits_of_labeling(one, metric, at, labeling, errors.at(beta), later, spread)
            for labeling in world.labelings
        ]
        lower, upper, low_rank, high_rank = np.transpose(each)
        lowest = (np.fmin.reduce(end) for end in (lower, low_rank))
        highest = (np.fmax.reduce(end) for end in (upper, high_rank))
        limits.append([end for pair in zip(lowest, highest, strict=True) for end in pair])
    return np.transpose(limits)


def _limits_of_labeling(
    world: FutureData,
    metric: Metric,
    at: Cutoff,
    labeling: Labeling,
    errors: Errors,
    segments: Segments,
    spread: Spread,
) -> tuple[float, ...]:
    """Return the limits of a metric, and of the rank, at one beta."""
    prevalence = world.prevalence(labeling, world.terms.level, errors)[:, 0]
    values: list[list[list[float]]] = []
    ranks: list[tuple[float, float]] = []
    for positive in dict.fromkeys(prevalence[[1, 0, 2]].tolist()):
        line = GoalLine(world, at, labeling, positive)
        if not values or at.kind in _MOVED_BY_PREVALENCE:
            region = line.region(segments, spread)
            region = np.append(region, line.ends_of_blocks(segments, spread), axis=1)
            ranks.append(spread.ranks(segments, region))
        if region.size:
            shares = Shares(region[0], region[1], np.array(positive))
            both = (world.values(metric, shares, labeling, cut=cut) for cut in (True, False))
            values.append([[v[0], np.fmin.reduce(v), np.fmax.reduce(v)] for v in both])
    if not values:
        return (np.nan,) * 4
    lower, upper = combine_with_prevalence(*np.swapaxes(values, 0, 1))
    return float(lower), float(upper), np.min(ranks), np.max(ranks)


class Segments(NamedTuple):
    """Straight lines from each cutoff to the next, or the cutoff alone if one example follows."""

    start: FloatArray  # known positives, and the rest, above: (2, segments)
    end: FloatArray
    tied: BoolArray  # whether it is a block of ties, in which no cutoff lies

    @classmethod
    def of(cls, ranking: Ranking) -> Segments:
        """Return the segments of a ranking."""
        counts = np.stack([ranking.known_positive, ranking.head - ranking.known_positive])
        counts = counts.astype(np.float64)
        following = np.append(counts[:, 1:], counts[:, -1:], axis=1)
        examples = (following - counts).sum(axis=0)
        labeled = np.diff(ranking.known_positive + ranking.known_negative, append=0) > 0
        tied = (examples > 1) & (labeled | (ranking.refiner is None))
        return cls(counts, np.where(examples == 1, counts, following), tied)

    def near(self, first: int, last: int | None) -> Segments:
        """Return some of the segments."""
        return Segments(self.start[:, first:last], self.end[:, first:last], self.tied[first:last])


class Spread(NamedTuple):
    """How far both shares may be from those of a cutoff."""

    size: FloatArray  # of both samples, (2, 1)
    effective_size: FloatArray  # as if rows were independent
    correlation: float
    z: float

    @classmethod
    def of(cls, world: FutureData, errors: Errors, level: float) -> Spread:
        """Return the spread at a level."""
        size = np.array([[world.n], [world.rest]])
        effects = np.array([[errors.known.effect], [errors.rest.effect]])
        z = float(scipy.special.stdtrit(errors.df, (1 + level) / 2))
        return cls(size, size / effects, float(errors.correlation[0, 1, 0]), z)

    def is_possible(self, segments: Segments, points: FloatArray) -> BoolArray:
        """Tell which points, (2, points), are near to some segment."""
        _, squared, _, _ = self._nearest(segments, points)
        return np.asarray((squared <= self.z**2).any(axis=1))

    def ranks(self, segments: Segments, points: FloatArray) -> tuple[float, float]:
        """Return the smallest and the largest rank near to some points."""
        near, squared, nearest, length = self._nearest(segments, points)
        is_near = squared <= self.z**2
        reach = np.sqrt(np.maximum(self.z**2 - squared, 0) / np.where(length > 0, length, 1))
        start, more = near.start.sum(axis=0), (near.end - near.start).sum(axis=0)
        low, high = (start + np.clip(nearest + way, 0, 1) * more for way in (-reach, reach))
        lowest = low.min(initial=np.inf, where=is_near)
        return float(lowest), float(high.max(initial=-np.inf, where=is_near))

    def around(self, counts: FloatArray) -> FloatArray:
        """Return the points around some cutoffs, (2, directions, cutoffs), by Wilson's limits."""
        errors = self.z * _DIRECTIONS[..., np.newaxis]
        share, square = (counts / self.size)[:, np.newaxis], errors**2
        size = self.effective_size[..., np.newaxis]
        half = np.sqrt(size * share * (1 - share) + square / 4)
        return np.asarray((size * share + square / 2 + errors * half) / (size + square))

    def _nearest(
        self, segments: Segments, points: FloatArray
    ) -> tuple[Segments, FloatArray, FloatArray, FloatArray]:
        """Return near segments, squared distances in errors, where these are, squared lengths."""
        segments = self._select(segments, points)
        error = np.maximum(self._error(points), _TINY)[..., np.newaxis]
        start, end = (each[:, np.newaxis] / self.size[..., np.newaxis] for each in segments[:2])
        to_start, along = (start - points[..., np.newaxis]) / error, (end - start) / error
        if self.correlation:
            for each in (to_start, along):
                each[1] -= self.correlation * each[0]
                each[1] /= np.sqrt(1 - self.correlation**2)
        (x, y), (dx, dy) = to_start, along
        length = dx * dx + dy * dy
        nearest = np.clip((x * dx + y * dy) / -np.where(length > 0, length, 1), 0, 1)
        x, y = x + nearest * dx, y + nearest * dy
        return segments, x * x + y * y, nearest, length

    def _error(self, points: FloatArray) -> FloatArray:
        """Return the standard errors of both shares at points."""
        return np.asarray(np.sqrt(np.maximum(points * (1 - points), 0) / self.effective_size))

    def _select(self, segments: Segments, points: FloatArray) -> Segments:
        """Return the segments that can be near to some point: both shares grow from each on."""
        reach = self.z * self._error(points) + _TINY
        low, high = ((points + side * reach) * self.size for side in (-1, 1))
        first = [np.searchsorted(segments.end[of], low[of], "left") for of in range(2)]
        last = [np.searchsorted(segments.start[of], high[of], "right") for of in range(2)]
        start, stop = np.max(first, axis=0), np.min(last, axis=0)
        some = start < stop
        if not some.any():
            return segments.near(0, 0)
        return segments.near(int(start[some].min()), int(stop[some].max()))


class GoalLine(NamedTuple):
    """The pairs of both shares with a rate as given, at one beta."""

    world: FutureData  # at one beta
    at: Cutoff
    labeling: Labeling
    positive: float  # share of all rows

    def points(self, angles: FloatArray) -> FloatArray:
        """Return points, (2, points), by the arcsine of the root of one share."""
        share = np.sin(angles) ** 2
        if self.at.kind == "recall":
            return np.stack([np.full_like(share, self._known_at_recall()), share])
        tpr = self.world.true_above(share, self.labeling) / self.world.positives(self.labeling)
        return np.stack([share, self.world.rest_above(share, self._fpr(tpr), self.labeling)])

    def _fpr(self, tpr: FloatArray) -> FloatArray:
        """Return the false positive rate at a true positive rate."""
        goal = self.at.value
        if self.at.kind == "fpr":
            return np.full_like(tpr, goal)
        if self.at.kind == "fraction":
            return (goal - self.positive * tpr) / (1 - self.positive)
        return self.positive / (1 - self.positive) * tpr * (1 - goal) / max(goal, _TINY)

    def _known_at_recall(self) -> float:
        """Return the share of known positives above the threshold with the recall."""
        odds, wrong, wrong_above = self.labeling
        right, hidden = self.world.n * (1 - wrong), self.world.rest * self.world.hidden.item()
        true = self.at.value * (right + hidden)
        linear = right + hidden * odds - (odds - 1) * true
        root = np.sqrt(linear**2 + 4 * right * (odds - 1) * true)
        share = 2 * true / (linear + root) if true else 0.0
        return float(min(share, 1.0) * (1 - wrong) + wrong_above * wrong)

    def estimate(self, segments: Segments) -> float:
        """Return the angle of the point on the curve of the cutoffs; NaN if there is none."""
        known, rest = segments.start / np.array([[self.world.n], [self.world.rest]])
        excess = self._excess(np.stack([known, rest]))
        if self.at.kind == "recall":  # the first cutoff that has it
            return _angle(rest[np.argmax(excess <= _TINY)])
        if self.at.kind == "precision":
            excess[~segments.start.any(axis=0)] = 1.0
        if not (excess <= _TINY).any():
            return np.nan
        last = int(np.flatnonzero(excess <= _TINY)[-1])
        following = min(last + 1, excess.size - 1)
        step = excess[following] - excess[last]
        way = min(max(-excess[last] / step, 0), 1) if step else 0.0
        return _angle(known[last] + way * (known[following] - known[last]))

    def _excess(self, points: FloatArray) -> FloatArray:
        """Return how far points, (2, ...), are from the goal; at most 0 where it is met."""
        shares = Shares(points[0], points[1], np.array(self.positive))
        tpr, fpr = self.world.rates(shares, self.labeling)
        return self.at.value - tpr if self.at.kind == "recall" else fpr - self._fpr(tpr)

    def ends_of_blocks(self, segments: Segments, spread: Spread) -> FloatArray:
        """Return points where cutoffs meet the goal that a block of ties may pass."""
        if self.at.kind == "fraction" or not segments.tied.any():
            return np.empty((2, 0))
        start, end = (spread.around(each[:, segments.tied]) for each in segments[:2])
        last, beyond = (end, start) if self.at.kind == "recall" else (start, end)
        is_met = self._excess(last) <= 0
        return last[:, is_met & (self._excess(beyond) > 0).any(axis=0)]

    def region(self, segments: Segments, spread: Spread) -> FloatArray:
        """Return the estimate, and points from one end to the other of what is possible."""
        if self.at.kind == "fraction" and self.at.value in (0, 1):  # none, or all
            return np.full((2, 1), self.at.value)

        def is_possible(angles: FloatArray) -> BoolArray:
            points = self.points(angles.ravel())
            inside = np.asarray(((points >= 0) & (points <= 1)).all(axis=0))
            inside[inside] = spread.is_possible(segments, points[:, inside])
            return inside.reshape(angles.shape)

        middle = self.estimate(segments)
        if np.isnan(middle):
            possible = _GRID[is_possible(_GRID)]
            if not possible.size:
                return np.empty((2, 0))
            middle = float(possible[-1])
        sides = middle + np.outer([-middle, np.pi / 2 - middle], _WAYS)
        for _ in range(_ROUNDS):
            last = (is_possible(sides) * np.arange(sides.shape[1])).max(axis=1)
            following = np.minimum(last + 1, sides.shape[1] - 1)
            inside, outside = (sides[[0, 1], each] for each in (last, following))
            sides = inside[:, np.newaxis] + np.outer(outside - inside, _FINER)
        low, high = outside
        angles = np.append(middle, low + (high - low) * _POINTS)
        return np.clip(self.points(angles), 0, 1)


def _angle(share: float) -> float:
    """Return the arcsine of the root of a share."""
    return float(np.arcsin(np.sqrt(min(max(share, 0.0), 1.0))))
