"""Slow references for averages over groups: all samples of known positives are drawn."""

from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
from scipy import stats

__all__ = [
    "Average",
    "Clustered",
    "Term",
    "average",
    "covariance",
    "every_label",
    "true_auroc",
    "true_average_precision",
    "true_precision",
]


def every_label(truth: Sequence[int], known: int) -> Iterator[list[float | None]]:
    """Go through all labels that name so many of the positives."""
    positives = [place for place, one in enumerate(truth) if one]
    for some in combinations(positives, known):
        yield [1.0 if place in some else None for place in range(len(truth))]


def true_auroc(score: Sequence[float], truth: Sequence[int]) -> float:
    """Return the share of pairs of a positive and a negative that are in order."""
    pairs = [
        (score[i] > score[j]) + 0.5 * (score[i] == score[j])
        for i, one in enumerate(truth)
        for j, other in enumerate(truth)
        if one and not other
    ]
    return sum(pairs) / len(pairs)


def true_average_precision(score: Sequence[float], truth: Sequence[int]) -> float:
    """Return the mean over positives of precision at the end of their block of ties."""
    heads = [
        [bool(t) for s, t in zip(score, truth, strict=True) if s >= own]
        for own, one in zip(score, truth, strict=True)
        if one
    ]
    return sum(sum(head) / len(head) for head in heads) / len(heads)


def true_precision(score: Sequence[float], truth: Sequence[int], rank: int) -> float:
    """Return the share of positives among the first; scores are not tied."""
    order = sorted(range(len(score)), key=lambda place: -score[place])
    return sum(bool(truth[place]) for place in order[:rank]) / rank


class Term(NamedTuple):
    """What one group adds: its value, the lowest and highest it may be, and its squared error."""

    value: float
    low: float
    high: float
    square: float  # NaN where one positive is known
    n: float
    positives: float


class Average(NamedTuple):
    """An average with its error and its interval."""

    value: float
    error: float
    lower: float
    upper: float


class Clustered(NamedTuple):
    """What the rows of one group add to its estimate, and the cluster of each."""

    value: float
    added: Sequence[float]
    known: Sequence[bool]
    cluster: Sequence[Hashable]

    def of(self, cluster: Hashable, mean: float) -> float:
        """Return what a cluster adds to the group's difference from the mean of all groups."""
        whole = 0.0
        for added, known, own in zip(self.added, self.known, self.cluster, strict=True):
            if own == cluster:
                whole += added + known * (self.value - mean) / sum(self.known)
        return whole

    def share(self, cluster: Hashable) -> float:
        """Return the share of the known positives that a cluster has."""
        own = [known for known, c in zip(self.known, self.cluster, strict=True) if c == cluster]
        return sum(own) / sum(self.known)


def covariance(groups: Sequence[Clustered]) -> float:
    """Return the mean covariance of two different groups, 0 where it is estimated below."""
    number, values = len(groups), [group.value for group in groups]
    mean, variance, whole = sum(values) / number, float(np.var(values, ddof=1)), 0.0
    for cluster in {each for group in groups for each in group.cluster}:
        shares = [group.share(cluster) for group in groups]
        left = max(1 - sum(shares) / number, 1 / number)
        added = [group.of(cluster, mean) for group in groups]
        for one, other in permutations(range(number), 2):
            by_chance = shares[one] * shares[other] * variance / number
            whole += (added[one] * added[other] + by_chance) / left
    return max(whole, 0.0) / (number * (number - 1))


def average(
    terms: Sequence[Term],
    scatter: float,
    level: float,
    *,
    new: bool,
    shared: float = 0.0,
    clusters: float = np.inf,
) -> Average:
    """Return the mean over groups, its limits on a grid.

    `shared` is the covariance of groups of which some hold rows of the same clusters; `clusters`
    is how many of these hold a known positive.
    """
    value, low, high, square, n, positives = np.array(terms).T
    number, hidden = len(terms), 1 - n / positives
    mean, least, stretch = value.mean(), low.mean(), (high - low).mean()
    model = scatter * float(((high - low) ** 2 / n * (1 if new else hidden)).sum()) / number**2
    if new:
        squared, df = value.var(ddof=1) / number + shared, min(number, clusters) - 1.0
    else:
        alone = np.isnan(square)
        among = (((value - mean) * number / (number - 1)) ** 2)[alone].sum()
        parts = np.append(square[~alone], among) / number**2
        free = np.append(n[~alone] - 1, max(alone.sum() - 1, 1))
        squared, there = parts.sum(), parts > 0
        df = squared**2 / (parts[there] ** 2 / free[there]).sum() if there.any() else 1.0
    if squared == model == 0:
        return Average(mean, 0.0, mean, mean)
    place, width = ((mean - least) / stretch, stretch) if stretch else (0.5, 1.0)
    inner = (min(max(place, 0.0), 1.0) * n.sum() + 0.5) / (n.sum() + 1)
    variance = (df * squared + 8 * model * inner * (1 - inner)) / (df + 8)
    variance = max(variance, squared) if new else variance
    if new and scatter == 1:
        variance = max(variance, model * inner * (1 - inner))
    reach = stats.t.ppf((1 + level) / 2, df if new else df + 2) * variance**0.5
    # All averages that are not too far, by the variance that they would have.
    share = np.linspace(0, 1, 200_001)
    grid = mean + (share - place) * width
    far = reach * (share * (1 - share) / (inner * (1 - inner))) ** 0.5
    near = grid[np.abs(grid - mean) <= far + 1e-12]
    if not near.size:
        return Average(np.nan, np.nan, np.nan, np.nan)
    so_far = low + min(max(place, 0.0), 1.0) * (high - low)
    away = min(so_far.var(ddof=1) / number, squared) if new else 0.0
    away = stats.t.ppf((1 + level) / 2, df) * away**0.5
    lower, upper = min(near.min(), mean - away), max(near.max(), mean + away)
    if lower > 1 or upper < 0:
        return Average(np.nan, np.nan, np.nan, np.nan)
    return Average(mean, squared**0.5, max(lower, 0.0), min(upper, 1.0))
