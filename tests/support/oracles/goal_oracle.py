"""Slow reference for a point of a curve of future data: a dense line, and every cutoff."""

import math
from typing import Any

import numpy as np

from pu_accessor.ranking import FloatArray
from tests.support.oracles.cluster_oracle import Metric, Shares
from tests.support.oracles.population_oracle import student, wilson

STEPS = 40_001


def limits(
    scores: Any, of: Shares, at: tuple[str, float], level: float, metric: Metric
) -> list[float]:
    """Return limits of a metric where a rate is as given; scores are without ties.

    A pair of shares on the line of the rate is possible if some cutoff has shares that are no more
    than z standard errors off. The share of positives is at its estimate, and at both limits.
    """
    kind, z = at[0], student(level, math.inf)
    size, share = of.n + of.rest, of.positives / (of.n + of.rest)
    order = np.argsort(-np.array(scores))
    known = np.append(0, np.cumsum(of.known[order])) / of.n
    rest = np.append(0, np.cumsum(~of.known[order])) / of.rest
    pairs = [[share, *wilson(share, size, z)][of_pair] for of_pair in range(3)]
    each = []
    for p in pairs if kind == "fraction" else pairs[:1]:
        point = point_of_curve(known, rest, of, at, p)
        points = np.array([point, *line(of, at, p)]).T
        near = np.array([is_near(one, known, rest, of, z) for one in points.T])
        near[0] = True
        each.append((p, points[:, near]))
    each += [(p, each[0][1]) for p in pairs[len(each) :]]
    values = [[values_at(points, p, of, metric, cut) for p, points in each] for cut in (0, 1)]
    uncut, ends = values[0], np.concatenate(values[1])
    found = []
    for side, end in ((-1, np.min), (1, np.max)):
        away = side * (end(uncut[0]) - uncut[0][0])
        moved = [side * (one[0] - uncut[0][0]) for one in uncut]
        moved += [side * (end(one) - end(uncut[0])) for one in uncut]
        found.append(uncut[0][0] + side * math.hypot(away, max(*moved, 0.0)))
    return [max(found[0], ends.min()), min(found[1], ends.max())]


def line(of: Shares, at: tuple[str, float], p: float) -> FloatArray:
    """Return pairs of both shares that have the rate, (pairs, 2)."""
    kind, goal = at
    first = np.sin(np.linspace(0, np.pi / 2, STEPS)) ** 2  # denser at both ends
    if kind == "recall":
        return np.stack([np.full(STEPS, goal), first], axis=1)
    fpr = np.full(STEPS, goal) if kind == "fpr" else (goal - p * first) / (1 - p)
    other = of.hidden * first + (1 - of.hidden) * fpr
    return np.stack([first, other], axis=1)[(other >= 0) & (other <= 1)]


def point_of_curve(known: Any, rest: Any, of: Shares, at: tuple[str, float], p: float) -> Any:
    """Return both shares where the curve of the cutoffs has the rate: the estimate."""
    kind, goal = at
    if kind == "recall":
        first = np.flatnonzero(known >= goal - 1e-12)[0]
        return [goal, rest[first]]
    fpr = (rest - of.hidden * known) / (1 - of.hidden)
    rate = fpr if kind == "fpr" else p * known + (1 - p) * fpr
    last = np.flatnonzero(rate <= goal + 1e-12)[-1]
    way = (goal - rate[last]) / (rate[last + 1] - rate[last])
    t = known[last] + min(max(way, 0), 1) * (known[last + 1] - known[last])
    fpr = goal if kind == "fpr" else (goal - p * t) / (1 - p)
    return [t, of.hidden * t + (1 - of.hidden) * fpr]


def is_near(point: Any, known: Any, rest: Any, of: Shares, z: float) -> bool:
    """Tell whether some cutoff has shares no more than z errors off, as these would have."""
    t, o = point
    squares = t * (1 - t) / of.n, o * (1 - o) / of.rest
    away = [
        np.where(off == 0, 0, off**2 / max(square, 1e-99))
        for off, square in zip((known - t, rest - o), squares, strict=True)
    ]
    return bool((away[0] + away[1] <= z**2).any())


def values_at(points: FloatArray, p: float, of: Shares, metric: Metric, cut: int) -> FloatArray:
    """Return the metric at pairs of shares; unless `cut`, also of impossible false positives."""
    values = []
    for t, o in points.T.tolist():
        fpr = (o - of.hidden * t) / (1 - of.hidden)
        fpr = min(max(fpr, 0.0), 1.0) if cut else fpr
        values.append(metric(p * t, (1 - p) * fpr, p * (1 - t), (1 - p) * (1 - fpr)))
    return np.array(values)
