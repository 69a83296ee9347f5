"""Slow reference for numbers on new examples: intervals from errors that are differentiated."""

import math
from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
from scipy import special, stats

from pu_accessor.ranking import FloatArray
from tests.support.oracles import cluster_oracle, completion_oracle
from tests.support.oracles.averages_oracle import Average as Area
from tests.support.oracles.cluster_oracle import Label, Shares

GRID = np.linspace(-22, 22, 4401)  # rules of equal steps are exact for what is so smooth
Scores: TypeAlias = Sequence[float]
Labels: TypeAlias = Sequence[Label]
Clusters: TypeAlias = Sequence[Hashable] | None


def expect(values: FloatArray, mean: float) -> float:
    """Return the expected value of what a normal variable of variance 1 has at `GRID`."""
    return float(np.trapezoid(values * stats.norm.pdf(GRID - mean), GRID))


def binormal(auroc: float, share: float) -> tuple[float, float]:
    """Return the variances of placements of scores N(mu, 1) among (1-b)*N(0, 1) + b*N(mu, 1)."""
    mu = math.sqrt(2) * float(special.ndtri(auroc))
    below = (1 - share) * special.ndtr(GRID) + share * special.ndtr(GRID - mu)
    above = special.ndtr(mu - GRID)
    first = [expect(below**k, mu) for k in (1, 2)]
    rest = [(1 - share) * expect(above**k, 0.0) + share * expect(above**k, mu) for k in (1, 2)]
    return first[1] - first[0] ** 2, rest[1] - rest[0] ** 2


def auroc(scores: Scores, of: Shares, level: float, clusters: Clusters = None) -> Area:
    """Return AUROC with DeLong's standard error and its interval."""
    functional = cluster_oracle.auroc_of(scores, of)
    found = cluster_oracle.errors(functional, of, clusters or range(of.known.size))
    effect, df = (found.effect, found.df) if clusters else (1.0, math.inf)
    value, kept = functional(np.ones(of.known.size)), 1 - of.hidden
    above, sizes = value * kept + of.hidden / 2, np.array([of.n, of.rest])
    stretch = student(level, df) / student(level, math.inf)
    ends = mean_limits(above, found.plain * kept**2 * sizes, sizes / effect, level, stretch)
    lower, upper = (min(max((end - of.hidden / 2) / kept, 0), 1) for end in ends)
    return Area(value, math.sqrt(effect * found.plain.sum()), float(lower), float(upper))


def mean_limits(mean: float, seen: Any, sizes: Any, level: float, stretch: float) -> list[float]:
    """Return limits of a mean from the variances in two samples, half of one more at the end."""
    limits = []
    for end, tail, side in ((0, (1 - level) / 2, -1), (1, (1 + level) / 2, 1)):
        away = []
        for variance, n in zip(seen.tolist(), sizes.tolist(), strict=True):
            share = n / (n + 0.5)
            center = share * mean + (1 - share) * end
            second = share * (variance * (n - 1) / n + mean**2) + (1 - share) * end
            square = (second - center**2) / (n + 1.5)
            if abs(mean - end) > 1e-12:
                # Beta variables by their mean and variance.
                first = center * (center * (1 - center) / square - 1)
                away.append(stats.beta.ppf(tail, first, first / center - first) - mean)
        limits.append(mean + side * stretch * math.hypot(*away))
    return limits


def average_precision(scores: Scores, of: Shares, level: float, clusters: Clusters = None) -> Area:
    """Return average precision with its error, and its interval on logits of its known share."""
    functional = cluster_oracle.average_precision_of(scores, of)
    found = cluster_oracle.errors(functional, of, clusters or range(of.known.size))
    effect, df = (found.effect, found.df) if clusters else (1.0, math.inf)
    value = cluster_oracle.unbiased_precision_of(scores, of)(np.ones(of.known.size))
    error, known = math.sqrt(effect * found.plain.sum()), of.n / of.positives
    place = known * value
    away = student(level, min(found.plain_df, df)) * error
    width = away * known / max(place * (1 - place), 1e-99)
    moved = special.expit(special.logit(place) + np.array([-width, width])) - place
    return Area(value, error, *np.clip(value + moved / known, 0, 1).tolist())


def precision_error_at(scores: Scores, labels: Labels, beta: float, prevalence: float) -> float:
    """Return the standard error of average precision at another prevalence.

    The odds of each precision are multiplied. How far that moves with precision is taken where the
    completed labeling has it, which is possible.
    """
    latent = completion_oracle.latent_positives(labels, beta)
    tables = {t.rank: t for t in completion_oracle.completed(scores, labels, latent)}
    of = cluster_oracle.shares(labels, beta)
    factor = prevalence / (1 - prevalence) * (of.n + of.rest - of.positives) / of.positives
    score: Any = np.array(scores)
    heads = cluster_oracle.heads_of(scores, of)
    rank = (score[of.known][:, np.newaxis] <= score).sum(axis=1)
    true = np.array([float(tables[one].tp) for one in rank.tolist()])

    def precision(weight: FloatArray) -> FloatArray:
        known, others = heads(weight)
        return of.positives / of.n * known / (known + others)

    before, high = precision(np.ones(score.size)), rank + (factor - 1) * true
    own = factor * (true + np.minimum(rank / high, 1) * (rank * before - true)) / high

    def functional(weight: FloatArray) -> float:
        moved = precision(weight) - before
        return float(of.normed(weight)[0] @ (own + factor * (rank / high) ** 2 * moved))

    return math.sqrt(cluster_oracle.errors(functional, of, range(score.size)).plain.sum())


def student(level: float, df: float) -> float:
    """Return the quantile of Student's t that a two-sided level has."""
    return float(stats.t.ppf((1 + level) / 2, df))


def wilson(share: float, size: float, quantile: float) -> list[float]:
    """Return the shares that are no more errors off than a quantile, the lowest and highest."""
    ratio = quantile**2 / size
    return sorted(np.roots([1 + ratio, -2 * share - ratio, share**2]).real.clip(0, 1).tolist())


def _shares(scores: Any, of: Any, cut: float, clusters: Any) -> tuple[list[Any], Any, Any, Any]:
    """Return both shares at a threshold, their effective sizes, degrees of freedom and parts."""
    effects, dfs, added = [1.0, 1.0], [math.inf] * 2, [np.eye(3)[kind] for kind in (0, 1)]
    shares = []
    for kind, (number, here) in enumerate(((of.n, of.known), (of.rest, ~of.known))):
        functional = cluster_oracle.share_of(scores, of, cut, kind)
        shares.append(share := functional(np.ones(of.known.size)))
        if clusters is not None:
            found = cluster_oracle.errors(functional, of, clusters)
            held = np.unique(np.array(clusters)[here]).size
            plain, square = share * (1 - share) / number, found.added @ found.added
            effects[kind] = max(square / plain if plain > 1e-12 else number / held, 1)
            dfs[kind], added[kind] = found.df, found.added
    return shares, np.array([of.n, of.rest]) / effects, dfs, added


def metric(
    scores: Any, of: Any, cut: float, level: float, rate: Any, p: Any = None, clusters: Any = None
) -> tuple[float, float]:
    """Return the limits of a metric at a threshold: how far each share moves it, squared.

    The third share is the prevalence, unless it is given. Errors of shares correlate within
    clusters; that of the prevalence is then known only where nothing is hidden.
    """
    shares, sizes, dfs, added = _shares(scores, of, cut, clusters)
    size = of.n + of.rest
    own = of.positives / size
    own_parts = of.base * (of.known - own) / size
    if clusters is None:
        added = [*np.eye(3)]
    elif of.free:
        added.append(np.bincount(np.unique(clusters, return_inverse=True)[1], own_parts))

    def prevalences(level: float) -> list[float]:
        """Return both limits of the prevalence."""
        if p or not (of.free or clusters is None):
            return [p or own] * 2
        if clusters is None:
            return wilson(own, size, student(level, math.inf))
        off = float(np.linalg.norm(added[2])) * student(level, min(dfs))
        return [max(own - off, 0.0), min(own + off, 1.0)]

    t, h = shares
    h = min(max(h, of.hidden * t), of.hidden * t + 1 - of.hidden)

    def at(true: float, others: float, p: float) -> float:
        false = min(max((others - of.hidden * true) / (1 - of.hidden), 0.0), 1.0)
        return float(rate(p * true, (1 - p) * false, p * (1 - true), (1 - p) * (1 - false)))

    middle = p or own
    value = at(t, h, middle)

    def moves(level: float) -> tuple[list[list[float]], list[float]]:
        """Return the metric with one share at its limits, and with all."""
        parts = zip(shares, sizes, dfs, strict=True)
        known, others = (wilson(share, size, student(level, df)) for share, size, df in parts)
        sides = prevalences(level)
        one = [[at(a, h, middle) for a in known], [at(t, b, middle) for b in others]]
        every = [at(a, b, side) for a in known for b in others for side in sides]
        return [*one, [at(t, h, side) for side in sides]][: len(added)], [value, *every]

    (one, corners), (typical, _), limits = moves(level), moves(0.95), []
    # Correlations count at one level, so that intervals grow with the level.
    unit = np.array([each / (np.linalg.norm(each) or 1) for each in added])
    between = unit @ unit.T - np.diag((unit**2).sum(axis=1))
    rises = np.sign([ends[1] - ends[0] for ends in typical])
    for side in (-1, 1):
        away, usual = (
            np.array([max(np.nanmax(side * (np.array(ends) - value)), 0.0) for ends in each])
            for each in (one, typical)
        )
        shared = (rises * usual) @ between @ (rises * usual) / (usual @ usual or 1)
        limits.append(math.sqrt(away @ away * max(1 + shared, 0)))
    low, high = np.nanmin(corners), np.nanmax(corners)
    return max(value - limits[0], low), min(value + limits[1], high)
