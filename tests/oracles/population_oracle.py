"""Slow reference for numbers on new examples: pair by pair, and by derivatives of functionals.

What the package has in closed form is integrated or differentiated here.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import optimize, special, stats

from pu_accessor.ranking import FloatArray
from tests.oracles.comparison_oracle import (
    Labels,
    Scores,
    negatives,
    positives,
    two_samples,
    won,
)

GRID = np.linspace(-22, 22, 4401)  # rules of equal steps are exact for what is so smooth


class Area(NamedTuple):
    """AUROC on new examples, its standard error and its interval."""

    value: float
    error: float
    lower: float
    upper: float


def share_of_rest(labels: Labels, beta: float) -> Fraction:
    """Return the share of positives among all but the known ones."""
    return 1 - negatives(labels, beta) / sum(label is not True for label in labels)


def auroc(scores: Scores, labels: Labels, beta: float, level: float) -> Area:
    """Return AUROC with DeLong's standard error and its interval."""
    table, share = won(scores, labels), share_of_rest(labels, beta)
    above, *squares = two_samples(table)
    value = float((above - share / 2) / (1 - share))
    error = math.sqrt(sum(squares)) / float(1 - share)
    return Area(value, error, *interval(table, float(share), value, level))


def expect(values: FloatArray, mean: float) -> float:
    """Return the expected value of what a normal variable of variance 1 has at `GRID`."""
    return float(np.trapezoid(values * np.exp(-((GRID - mean) ** 2) / 2), GRID)) / math.sqrt(
        2 * math.pi
    )


def binormal(auroc: float, share: float) -> tuple[float, float]:
    """Return the variances of placements of scores N(mu, 1) among (1-b)*N(0, 1) + b*N(mu, 1)."""
    mu = math.sqrt(2) * float(special.ndtri(auroc))
    below = (1 - share) * special.ndtr(GRID) + share * special.ndtr(GRID - mu)
    above = special.ndtr(mu - GRID)
    first = [expect(below**k, mu) for k in (1, 2)]
    rest = [(1 - share) * expect(above**k, 0.0) + share * expect(above**k, mu) for k in (1, 2)]
    return first[1] - first[0] ** 2, rest[1] - rest[0] ** 2


def interval(
    table: Sequence[Sequence[Fraction]], share: float, value: float, level: float
) -> tuple[float, float]:
    """Return the lowest and the highest AUROC that Student's t does not reject."""
    n, rest = len(table), len(table[0])
    above, *squares = two_samples(table)
    seen = [float(squares[0] * n), float(squares[1] * rest)]
    half = (float(above) * n * rest + 0.5) / (n * rest + 1)
    model = binormal(min(max((half - share / 2) / (1 - share), 1e-6), 1 - 1e-6), share)
    ratio = [
        (2 + (size - 1) * s / m) / (size + 1) if s else 1.0
        for s, m, size in zip(seen, model, (n, rest), strict=True)
    ]
    parts = [r * m / size for r, m, size in zip(ratio, model, (n, rest), strict=True)]
    df = sum(parts) ** 2 / sum(p**2 / (size + 1) for p, size in zip(parts, (n, rest), strict=True))
    quantile = stats.t.ppf((1 + level) / 2, df)

    def excess(area: float) -> float:
        spread = 0.0
        for s, m, r, there, size in zip(
            seen, model, ratio, binormal(area, share), (n, rest), strict=True
        ):
            kept = (2 * there + (size - 1) * s * max(1.0, there / m)) / (size + 1) if s else there
            spread += (r * there + kept) / 2 / size
        return float((1 - share) * abs(value - area) - quantile * math.sqrt(spread))

    limits = []
    for end in (1e-12, 1 - 1e-12):
        nearest = min(max(value, 1e-12), 1 - 1e-12)
        if excess(nearest) > 0 or excess(end) <= 0:
            limits.append(nearest if excess(nearest) > 0 else end)
        else:
            limits.append(float(optimize.brentq(excess, end, nearest, xtol=1e-13)))
    return limits[0], limits[1]


def average_precision_error(scores: Scores, labels: Labels, beta: float) -> float:
    """Return the standard error of average precision, by numerical influence functions."""
    known = np.array([s for s, y in zip(scores, labels, strict=True) if y is True])
    rest = np.array([s for s, y in zip(scores, labels, strict=True) if y is not True])
    number = float(positives(labels, beta)) / len(labels)
    head = known.size / len(labels)

    def functional(of_known: FloatArray, of_rest: FloatArray) -> float:
        total = 0.0
        for x, weight in zip(known, of_known, strict=True):
            share, others = of_known[known >= x].sum(), of_rest[rest >= x].sum()
            total += weight * number * share / (head * share + (1 - head) * others)
        return total

    same = [np.full(kind.size, 1 / kind.size) for kind in (known, rest)]
    squared, step = 0.0, 1e-5
    for which, kind in enumerate((known, rest)):
        pulls = []
        for place in range(kind.size):
            ends = []
            for size in (step, -step):
                moved = [weights.copy() for weights in same]
                moved[which] *= 1 - size
                moved[which][place] += size
                ends.append(functional(*moved))
            pulls.append((ends[0] - ends[1]) / (2 * step))
        squared += float(np.var(pulls, ddof=1)) / kind.size
    return math.sqrt(squared)


def rates(
    scores: Scores, labels: Labels, beta: float, threshold: float, level: float
) -> dict[str, tuple[float, float, float]]:
    """Return estimate, lower and upper limit of rates at a threshold, as two binomials have it."""
    kinds = [
        [s >= threshold for s, y in zip(scores, labels, strict=True) if (y is True) == known]
        for known in (True, False)
    ]
    (t, t_low, t_high), (h, h_low, h_high) = (
        (
            sum(kind) / len(kind),
            *stats.binomtest(sum(kind), len(kind)).proportion_ci(level, method="wilson"),
        )
        for kind in kinds
    )
    b = float(share_of_rest(labels, beta))
    low = (h - b * t - math.hypot(h - h_low, b * (t_high - t))) / (1 - b)
    high = (h - b * t + math.hypot(h_high - h, b * (t - t_low))) / (1 - b)
    youden = [
        (t - h + s * math.hypot(*ends)) / (1 - b)
        for s, ends in ((-1, (t - t_low, h_high - h)), (1, (t_high - t, h - h_low)))
    ]
    return {
        "tpr": (t, t_low, t_high),
        "fpr": ((h - b * t) / (1 - b), low, high),
        "informedness": ((t - h) / (1 - b), youden[0], youden[1]),
    }
