"""Slow references for averages over groups, from what groups and their clusters add."""

from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from pu_accessor.ranking import FloatArray


class Term(NamedTuple):
    """What one group adds: its value, the lowest and the highest, and its known positives."""

    value: float
    low: float
    high: float
    n: float


class Average(NamedTuple):
    """An average with its error and its interval."""

    value: float
    error: float
    lower: float
    upper: float


def covariance(values: FloatArray, added: FloatArray, share: FloatArray) -> float:
    """Return the mean covariance of two different groups, 0 where it is estimated below.

    `added` is what each cluster adds to each group's estimate, `share` what it has of the known
    positives there: shape (groups, clusters).
    """
    number, whole = values.size, 0.0
    left = np.maximum(1 - share.mean(axis=0), 1 / number)
    apart = added + (values - values.mean())[:, np.newaxis] * share
    for one, other in permutations(range(number), 2):
        by_chance = share[one] * share[other] * values.var(ddof=1) / number
        whole += float(((apart[one] * apart[other] + by_chance) / left).sum())
    return max(whole, 0.0) / (number * (number - 1))


def average(
    terms: list[Term],
    scatter: float,
    level: float,
    shared: float = 0,
    some: Any = np.inf,
    *,
    rate: bool = False,
) -> Average:
    """Return the mean over groups, its limits on a grid.

    The variance of a `rate` is that of its model at least.
    `shared` is the covariance of groups of which some hold rows of the same clusters; `some` is
    how many of these hold a known positive.
    """
    (value, low, high, n), number = np.array(terms).T, len(terms)
    mean, least, stretch = value.mean(), low.mean(), (high - low).mean()
    center = min(max(mean, 0.0), 1.0)
    model = scatter * float(((high - low) ** 2 / n).sum()) / number**2
    squared, df = value.var(ddof=1) / number + shared, min(number, some) - 1.0
    if squared == model == 0:
        return Average(center, 0.0, center, center)
    place, width = ((center - least) / stretch, stretch) if stretch else (0.5, 1.0)
    inner = (min(max(place, 0.0), 1.0) * n.sum() + 0.5) / (n.sum() + 1)
    variance = (df * squared + 8 * model * inner * (1 - inner)) / (df + 8)
    variance = max(variance, squared)
    if rate:
        variance = max(variance, model * inner * (1 - inner))
    reach = stats.t.ppf((1 + level) / 2, df) * variance**0.5
    # All averages that are not too far, by the variance that they would have.
    share = np.linspace(0, 1, 100_001)
    grid = center + (share - place) * width
    far = reach * (share * (1 - share) / (inner * (1 - inner))) ** 0.5
    near = grid[np.abs(grid - center) <= far + 1e-12]
    so_far = low + min(max(place, 0.0), 1.0) * (high - low)
    away = stats.t.ppf((1 + level) / 2, df) * min(so_far.var(ddof=1) / number, squared) ** 0.5
    lower, upper = near.min(initial=center - away), near.max(initial=center + away)
    return Average(center, squared**0.5, max(lower, 0.0), min(upper, 1.0))
