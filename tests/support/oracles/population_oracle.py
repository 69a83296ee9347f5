"""Slow reference for numbers on new examples: intervals from errors that are differentiated."""

import math
from collections.abc import Hashable, Sequence
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from scipy import special, stats

from pu_accessor.ranking import FloatArray
from tests.support.oracles import cluster_oracle, completion_oracle, oracle
from tests.support.oracles.averages_oracle import Average as Area
from tests.support.oracles.cluster_oracle import Label, Shares
from tests.support.oracles.gaps_oracle import quantile_of_mean

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
    for side in (-1, 1):
        away = [
            quantile_of_mean(mean, variance * (n - 1), n, 0.5, (1 + side * level) / 2) - mean
            for variance, n in zip(seen.tolist(), sizes.tolist(), strict=True)
        ]
        limits.append(mean + side * stretch * math.hypot(*away))
    return limits


def average_precision(scores: Scores, of: Shares, level: float, clusters: Clusters = None) -> Area:
    """Return average precision with its error, and its interval on logits of its known share."""
    functional = cluster_oracle.average_precision_of(scores, of)
    found = cluster_oracle.errors(functional, of, clusters or range(of.known.size))
    effect, df = (found.effect, found.df) if clusters else (1.0, math.inf)
    value = cluster_oracle.unbiased_precision_of(scores, of)(np.ones(of.known.size))
    slope, (squared, added) = share_slope(scores, of), prevalence_error(of, clusters)
    shared = 2 * slope * (found.added @ added) if clusters else 0.0
    squared = effect * found.plain.sum() + slope**2 * squared + shared
    error, known = math.sqrt(max(squared, 0)), of.n / of.positives
    place = known * value
    away = student(level, min(found.plain_df, df)) * error
    width = away * known / max(place * (1 - place), 1e-99)
    moved = special.expit(special.logit(place) + np.array([-width, width])) - place
    return Area(value, error, *np.clip(value + moved / known, 0, 1).tolist())


def share_slope(scores: Scores, of: Shares) -> float:
    """Return the slope of average precision by the share of positives, at the rates found."""
    true, others = cluster_oracle.heads_of(scores, of)(np.ones(of.known.size))
    true, step = true / of.n, 1e-6
    false = np.maximum(others / of.rest - of.hidden * true, 0) / (1 - of.hidden)

    def value(p: float) -> float:
        precision = p * true / (p * true + (1 - p) * false)
        return float(of.normed(np.ones(of.known.size))[0] @ precision)

    share = of.positives / (of.n + of.rest)
    return (value(share + step) - value(share - step)) / (2 * step)


def precision_error_at(scores: Scores, labels: Labels, beta: float, prevalence: float) -> float:
    """Return the standard error of average precision at another prevalence.

    The odds of each precision are multiplied. How far that moves with precision is taken where the
    completed labeling has it, which is possible.
    """
    latent = oracle.latent_count(beta, labels.count(None))
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


def prevalence_error(of: Any, clusters: Any) -> tuple[float, Any]:
    """Return the squared error of the share of positives, and what clusters add to it.

    Of each two rows of a cluster the product of (positive - share) is expected, where positives
    are labeled one by one. Rows are repeated by their weights.
    """
    size = of.n + of.rest
    own, c = of.positives / size, of.n / of.positives
    if clusters is None:
        return own * (1 - own) / size, np.eye(3)[2]
    _, code = np.unique(np.array(clusters), return_inverse=True)
    known, base, repeated = of.known, of.base, of.base
    if not (code[known][:, np.newaxis] == code[~known]).any():  # each cluster is one row
        base = np.array([of.base[(code == one)].sum() for one in range(code.max() + 1)])
        known = np.array([known[code == one].any() for one in range(code.max() + 1)])
        code, repeated = np.arange(base.size), base**2
    positive = known / c
    pairs = np.outer(positive, positive) - own * np.add.outer(positive, positive) + own**2
    times = np.outer(base, base) * (code[:, np.newaxis] == code) - np.diag(repeated)
    chance = np.where(known, 1, of.hidden)
    rows = (repeated * (chance * (1 - own) ** 2 + (1 - chance) * own**2)).sum()
    held = np.unique(code).size
    squared = (rows + max((pairs * times).sum(), 0)) * held / max(held - 1, 1) / size**2
    _, code = np.unique(np.array(clusters), return_inverse=True)
    return squared, np.bincount(code, of.base * (of.known / c - own)) / size


def metric(
    *args: Any, clusters: Any = None, odds: float = 1, wrong: float = 0
) -> tuple[float, float]:
    """Return the limits of a metric at a threshold, with labels that may be biased or wrong.

    Positional are scores, shares, the threshold, the level, the metric and perhaps a prevalence.
    """
    kinds = product([1, odds, 1 / odds], [(0, 0), (wrong, 0), (wrong, 1)])
    each = [metric_of_labels(*args, clusters=clusters, failure=(o, *w)) for o, w in kinds]
    return np.fmin.reduce([low for low, _ in each]), np.fmax.reduce([high for _, high in each])


def metric_of_labels(
    scores: Any,
    of: Any,
    cut: float,
    level: float,
    rate: Any,
    p: Any = None,
    *,
    clusters: Any,
    failure: Any,
) -> tuple[float, float]:
    """Return the limits of a metric at a threshold: how far each share moves it, squared.

    The shares are those above it of known positives and of the rest, and that of positives. Errors
    of all correlate within clusters. `failure` is the odds of hidden positives to be above, the
    share of known ones that are wrong, and of these the share above.
    """
    odds, wrong, wrong_above = failure
    shares, sizes, dfs, added = _shares(scores, of, cut, clusters)
    size = of.n + of.rest
    of_cluster, own = of.positives / size, (of.positives - wrong * of.n) / size
    squared, of_share = prevalence_error(of, clusters)
    binomial = of_cluster * (1 - of_cluster) / size
    effect = max(squared / binomial, 1) if binomial else 1
    t, h = shares

    def found(known: float) -> float:
        """Return how many positives are above the threshold, by the share of known ones."""
        right = min(max((known - wrong * wrong_above) / (1 - wrong), 0.0), 1.0)
        hidden = odds * right / (1 - right + odds * right)
        return float(of.n * (1 - wrong) * right + of.rest * of.hidden * hidden)

    def others_at(false: float) -> float:
        """Return the share of the rest above the threshold at a false positive rate."""
        return float((found(t) + false * (1 - own) * size - of.n * t) / of.rest)

    h = min(max(h, others_at(0)), others_at(1))

    def at(known: float, others: float, p: float, cut: bool = True) -> float:
        false = (of.n * known + of.rest * others - found(known)) / ((1 - own) * size)
        rates = found(known) / (own * size), false
        true, false = (min(max(round(rate, 13), 0.0), 1.0) if cut else rate for rate in rates)
        table = p * true, (1 - p) * false, p * (1 - true), (1 - p) * (1 - false)
        try:
            value = float(rate(*table))
        except (ValueError, ZeroDivisionError):  # of what is impossible
            value = math.nan
        return value

    fixed, p = p, p or own
    value = at(t, h, p)

    def beyond(known: float, others: float, p: float) -> float:
        """Return the metric; where it is cut, as far as impossible false positives move it."""
        inside, outside = at(known, others, p), at(known, others, p, False)
        away = inside - value, outside - value
        return outside if away[0] * away[1] > away[0] ** 2 else inside

    def moves(level: float) -> tuple[list[list[float]], list[float]]:
        """Return the metric with one share at its limits, and with all."""
        parts = zip(shares, sizes, dfs, strict=True)
        known, others = (wilson(share, size, student(level, df)) for share, size, df in parts)
        sides = [p, p] if fixed else wilson(p, size / effect, student(level, min(dfs)))
        one = [[beyond(a, h, p) for a in known], [beyond(t, b, p) for b in others]]
        every = [at(a, b, side) for a in known for b in others for side in sides]
        # Impossible false positives count, too: limits are cut last.
        return [*one, [beyond(t, h, side) for side in sides]], [value, *every]

    (one, corners), (typical, _), limits = moves(level), moves(0.95), []
    # Correlations count at one level, so that intervals grow with the level.
    unit = np.array([each / (np.linalg.norm(each) or 1) for each in added])
    between = np.zeros((3, 3))
    between[0, 1] = unit[0] @ unit[1]
    between[:2, 2] = np.clip(unit @ of_share / (math.sqrt(squared) or 1), -1, 1)
    between += between.T
    rises = np.sign([ends[1] - ends[0] for ends in typical])
    for side in (-1, 1):
        away, usual = (
            np.array([max(np.fmax.reduce(side * (np.array(ends) - value)), 0.0) for ends in each])
            for each in (one, typical)
        )
        shared = (rises * usual) @ between @ (rises * usual) / (usual @ usual or 1)
        limits.append(math.sqrt(away @ away * max(1 + shared, 0)))
    low, high = np.fmin.reduce(corners), np.fmax.reduce(corners)
    return max(value - limits[0], low), min(value + limits[1], high)
