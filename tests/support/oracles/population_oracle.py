"""Slow reference for numbers on new examples: pair by pair, and by derivatives of functionals.

What the package has in closed form is integrated or differentiated here.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import special, stats

from pu_accessor.ranking import FloatArray
from tests.support.oracles import completion_oracle, selection_oracle
from tests.support.oracles.comparison_oracle import (
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
    seen = float(squares[0] * len(table)), float(squares[1] * len(table[0]))
    ends = mean_limits(float(above), seen, (len(table), len(table[0])), level)
    lower, upper = (min(max((end - share / 2) / (1 - share), 0), 1) for end in ends)
    return Area(value, error, float(lower), float(upper))


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


def mean_limits(
    mean: float, seen: tuple[float, float], sizes: tuple[float, float], level: float
) -> tuple[float, float]:
    """Return limits of a mean from the variances in two samples, half of one more at the end."""
    limits = []
    for end, tail, side in ((0, (1 - level) / 2, -1), (1, (1 + level) / 2, 1)):
        away = []
        for variance, n in zip(seen, sizes, strict=True):
            share = n / (n + 0.5)
            center = share * mean + (1 - share) * end
            second = share * (variance * (n - 1) / n + mean**2) + (1 - share) * end
            square = (second - center**2) / (n + 1.5)
            if mean == end:
                continue
            # Beta variables by their mean and variance.
            first = center * (center * (1 - center) / square - 1)
            away.append(stats.beta.ppf(tail, first, first / center - first) - mean)
        limits.append(mean + side * math.hypot(*away))
    return limits[0], limits[1]


def weighted(
    scores: Scores, labels: Labels, weight: Sequence[float], beta: float, level: float
) -> tuple[float, float]:
    """Return the interval of average precision where latent positives are near known ones.

    They are by weights, best first. It is a function of two distributions, that of the known
    positives and that of the rest, which is differentiated by numbers.
    """
    pairs = list(zip(scores, labels, strict=True))
    known = np.array(sorted((s for s, y in pairs if y is True), reverse=True))
    rest = np.array([s for s, y in pairs if y is not True])
    n, others, whole = known.size, rest.size, float(positives(labels, beta))
    hidden = 1 - n / whole

    def mass(of_known: FloatArray) -> tuple[FloatArray, FloatArray]:
        latent = of_known * np.array(weight)
        latent /= latent.sum()
        return (1 - hidden) * of_known + hidden * latent, latent

    def precision_of(of_known: FloatArray, of_rest: FloatArray) -> float:
        every, _ = mass(of_known)
        total = 0.0
        for x, there in zip(known, every, strict=True):
            head = n * of_known[known >= x].sum() + others * of_rest[rest >= x].sum()
            total += there * whole * every[known >= x].sum() / head
        return total

    same = [np.full(size, 1 / size) for size in (n, others)]
    pulls = pulls_on(precision_of, same)
    every = whole * mass(same[0])[0]
    effective = every.sum() ** 2 / (every**2).sum()
    squares = [float(pull.var(ddof=1)) / pull.size for pull in pulls]
    ends = [int((np.array(scores) >= x).sum()) for x in known]
    value = selection_oracle.average_precision(ends, weight, whole - n)
    parts = []
    for pull, square, size in zip(pulls, squares, (int(effective + 1e-9), others), strict=True):
        if not square:  # all of a kind in one block
            continue
        away = pull - pull.mean()
        kurtosis = float(np.mean(away**4) / np.mean(away**2) ** 2)
        parts.append((square, min(2 * size / max(kurtosis - 1, 2 / size), size - 1)))
    df = sum(square for square, _ in parts) ** 2 / sum(s**2 / free for s, free in parts)
    away = stats.t.ppf((1 + level) / 2, df) * math.sqrt(sum(squares))
    place = n / whole * value
    width = away / (whole / n * place * (1 - place))
    low, high = (
        value + (special.expit(special.logit(place) + side) - place) * whole / n
        for side in (-width, width)
    )
    return min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)


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
    pulls = pulls_on(functional, same)
    return math.sqrt(sum(float(np.var(pull, ddof=1)) / pull.size for pull in pulls))


def average_precision_error_at(
    scores: Scores, labels: Labels, beta: float, prevalence: float
) -> float:
    """Return the standard error of average precision at another prevalence, likewise.

    The odds of each precision are multiplied. How far that moves with precision is taken where the
    completed labeling has it, which is possible.
    """
    latent = completion_oracle.latent_positives(labels, beta)
    tables = {t.rank: t for t in completion_oracle.completed(scores, labels, latent)}
    known = np.array([s for s, y in zip(scores, labels, strict=True) if y is True])
    rest = np.array([s for s, y in zip(scores, labels, strict=True) if y is not True])
    p, m = float(positives(labels, beta)), float(negatives(labels, beta))
    factor = prevalence / (1 - prevalence) * m / p
    head = [tables[sum(s >= x for s in scores)] for x in known.tolist()]

    def precision(of_known: FloatArray, of_rest: FloatArray) -> FloatArray:
        pairs = [(of_known[known >= x].sum(), of_rest[rest >= x].sum()) for x in known.tolist()]
        return np.array([p * f / (known.size * f + rest.size * g) for f, g in pairs])

    same = [np.full(kind.size, 1 / kind.size) for kind in (known, rest)]
    before = precision(*same)
    rank = np.array([t.rank for t in head])
    true = np.array([float(t.tp) for t in head])
    high = rank + (factor - 1) * true
    part = np.minimum(rank / high, 1)
    own = factor * (true + part * (rank * before - true)) / high

    def functional(of_known: FloatArray, of_rest: FloatArray) -> float:
        moved = precision(of_known, of_rest) - before
        return float(of_known @ (own + factor * (rank / high) ** 2 * moved))

    pulls = pulls_on(functional, same)
    return math.sqrt(sum(float(np.var(pull, ddof=1)) / pull.size for pull in pulls))


def pulls_on(
    functional: Callable[[FloatArray, FloatArray], float], same: list[FloatArray]
) -> list[FloatArray]:
    """Return the derivatives by each example of two samples, from small steps either way."""
    pulls, step = [], 1e-5
    for which, weights in enumerate(same):
        found = []
        for place in range(weights.size):
            ends = []
            for size in (step, -step):
                moved = [one.copy() for one in same]
                moved[which] *= 1 - size
                moved[which][place] += size
                ends.append(functional(*moved))
            found.append((ends[0] - ends[1]) / (2 * step))
        pulls.append(np.array(found))
    return pulls


def _shares(
    scores: Scores, labels: Labels, threshold: float, level: float
) -> list[tuple[float, float, float]]:
    """Return the share of known positives at or above a threshold, and of others, with limits."""
    found = []
    for known in (True, False):
        kind = [
            s >= threshold for s, y in zip(scores, labels, strict=True) if (y is True) == known
        ]
        low, high = stats.binomtest(sum(kind), len(kind)).proportion_ci(level, method="wilson")
        found.append((sum(kind) / len(kind), float(low), float(high)))
    return found


def metric(
    scores: Scores,
    labels: Labels,
    beta: float,
    threshold: float,
    level: float,
    function: Callable[..., float],
    prevalence: float | None = None,
) -> tuple[float, float, float]:
    """Return a metric at a threshold with its limits: how far either share moves it, squared."""
    (t, t_low, t_high), (h, h_low, h_high) = _shares(scores, labels, threshold, level)
    b, p, m = (
        float(one)
        for one in (share_of_rest(labels, beta), positives(labels, beta), negatives(labels, beta))
    )
    if prevalence is not None:
        p, m = prevalence * len(labels), (1 - prevalence) * len(labels)

    def at(true: float, others: float) -> float:
        false = min(max((others - b * true) / (1 - b), 0.0), 1.0)
        return float(function(p * true, m * false, p * (1 - true), m * (1 - false)))

    h = min(max(h, b * t), b * t + 1 - b)
    value, own, other = at(t, h), (at(t_low, h), at(t_high, h)), (at(t, h_low), at(t, h_high))
    corners = [value, *(at(one, two) for one in (t_low, t_high) for two in (h_low, h_high))]
    down = math.hypot(*(max(value - np.nanmin(ends), 0.0) for ends in (own, other)))
    up = math.hypot(*(max(np.nanmax(ends) - value, 0.0) for ends in (own, other)))
    return value, max(value - down, np.nanmin(corners)), min(value + up, np.nanmax(corners))


def rates(
    scores: Scores, labels: Labels, beta: float, threshold: float, level: float
) -> dict[str, tuple[float, float, float]]:
    """Return estimate, lower and upper limit of rates at a threshold, as two binomials have it."""
    (t, t_low, t_high), (h, h_low, h_high) = _shares(scores, labels, threshold, level)
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
