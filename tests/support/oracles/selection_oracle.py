"""Limits where the odds of being labeled differ, from the definition alone: by enumeration.

Written without sight of the package. P positives, n of which are labeled: each set S of n of them
has a probability proportional to the product of the odds of its members. In the worst case for
those in the head they are all `odds`, and 1 for those in the tail, or the other way round.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb, nan, prod
from typing import Any

import numpy as np
from scipy.optimize import minimize

Band = tuple[list[int], list[int]]


def known_in_head(n: int, m: int, size: int, odds: Fraction) -> list[Fraction]:
    """Return P(j known positives in a head of `size`), each with `odds` there, 1 below."""
    ways = [
        comb(size, j) * comb(n + m - size, n - j) * odds**j if j <= min(n, size) else Fraction(0)
        for j in range(n + 1)
    ]
    return [way / sum(ways) for way in ways]


def band(n: int, m: int, level: Fraction, odds: Fraction) -> Band:
    """Return the limits of latent positives in the head for k = 0..n known ones there."""
    tail = (1 - level) / 2
    favoured = [known_in_head(n, m, size, odds) for size in range(n + m + 1)]
    against = [known_in_head(n, m, size, 1 / odds) for size in range(n + m + 1)]
    lower, upper = [], []
    for k in range(n + 1):
        # few latent ones, k or more known: the known ones have the odds; and against them
        few = [sum(favoured[k + v][k:], Fraction(0)) > tail for v in range(m + 1)]
        many = [sum(against[k + v][: k + 1], Fraction(0)) > tail for v in range(m + 1)]
        lower.append(few.index(True))
        upper.append(m - many[::-1].index(True))
    return lower, upper


def missed(odds: Sequence[Fraction], n: int, band: Band) -> tuple[Fraction, Fraction]:
    """Return the probabilities to be below a band somewhere, and above it, by all labels."""
    total = below = above = Fraction(0)
    lower, upper = band
    for labeled in combinations(range(len(odds)), n):
        weight = prod((odds[i] for i in labeled), start=Fraction(1))
        known = [sum(i < size for i in labeled) for size in range(len(odds) + 1)]
        latent = [size - k for size, k in enumerate(known)]
        total += weight
        below += weight * any(v < lower[k] for k, v in zip(known, latent, strict=True))
        above += weight * any(v > upper[k] for k, v in zip(known, latent, strict=True))
    return below / total, above / total


def most_missed(n: int, m: int, band: Band, odds: Fraction) -> tuple[Fraction, Fraction]:
    """Return the largest of these probabilities over all odds that are 1 or `odds`."""
    every = [missed(some, n, band) for some in product((Fraction(1), odds), repeat=n + m)]
    return max(below for below, _ in every), max(above for _, above in every)


def auroc(ranks: Sequence[float], weights: Sequence[float], latent: float, examples: int) -> float:
    """Return AUROC, with `latent` positives at the known ones' ranks, in proportion to weights."""
    stands = [1 + latent * weight / sum(weights) for weight in weights]
    positives = len(ranks) + latent
    mean = sum(s * r for s, r in zip(stands, ranks, strict=True)) / positives
    return 1 - (mean - (positives + 1) / 2) / (examples - positives)


def average_precision(ends: Sequence[int], weights: Sequence[float], latent: float) -> float:
    """Return average precision the same way: pairs of known positives stand for all pairs.

    NaN if there is no pair of them.
    """
    if len(ends) < 2 and latent:
        return nan
    stands = [1 + latent * weight / sum(weights) for weight in weights]
    positives, n = len(ends) + latent, len(ends)
    alone = sum(stands[i] / ends[i] for i in range(n))
    pairs = sum(
        stands[i] * stands[j] / ends[i]
        for i in range(n)
        for j in range(n)
        if i != j and ends[j] <= ends[i]
    )
    square = sum(stands) ** 2 - sum(s**2 for s in stands)
    return alone / positives + (positives - 1) * pairs / square


def extreme_precision(
    ends: Sequence[int], odds: float, latent: float, highest: bool, random_state: int = 0
) -> float:
    """Return the lowest or the highest average precision of all weights between 1 and `odds`.

    By a general minimizer in the logarithms of weights, from those that change at one place, and
    from others: of few known positives from all that are 1 or `odds`.
    """
    end, n = np.asarray(ends, float), len(ends)
    if n < 2 and latent:
        return nan
    total, sign = n + latent, -1 if highest else 1
    pair = np.where(end <= end[:, np.newaxis], 1 / end[:, np.newaxis], 0) * (1 - np.eye(n))

    def ask(log_weights: np.ndarray) -> tuple[float, np.ndarray]:
        share = np.exp(log_weights) / np.exp(log_weights).sum()
        stands = 1 + latent * share
        pairs, square = stands @ pair @ stands, total**2 - stands @ stands
        value = (stands / end).sum() / total + (total - 1) * pairs / square
        by_stand = 1 / end / total + (total - 1) * (
            (pair + pair.T) @ stands / square + 2 * pairs * stands / square**2
        )
        return sign * value, sign * latent * share * (by_stand - by_stand @ share)

    rng, places = np.random.default_rng(random_state), np.arange(n)
    starts = [(places < place) == side for place in range(n + 1) for side in (False, True)]
    some = rng.random((20, n)) < rng.random((20, 1))
    starts += [*np.array([*product((False, True), repeat=n)] if n < 6 else some)]
    bounds = [(0, np.log(odds))] * n
    found = [
        minimize(ask, np.log(odds) * start, jac=True, bounds=bounds, method="L-BFGS-B").fun
        for start in starts
    ]
    return float(sign * min(found))


def areas_between(tables: Any, quantity: str, **limit: float) -> list[float]:
    """Return the lowest and the highest area that bounds at breakpoints allow, at one beta.

    Those of average precision positive by positive: the j-th one has a precision of j/(j + F) or
    more, F the false ones where the lower bound reaches j, and at most the highest of the upper
    bound from where that reaches j.
    """
    if quantity != "average_precision":
        areas = tables.pu.area(quantity, **limit)
        return [float(areas.sel(bound=bound)) for bound in ("lower", "upper")]
    rank = tables["rank"].values.tolist()
    low, high = (tables["tp"].sel(bound=bound).values.tolist() for bound in ("lower", "upper"))
    lowest, highest = [], []
    for j in range(1, low[-1] + 1):
        at = next(k for k, tp in enumerate(low) if tp >= j)
        lowest.append(j / (j + rank[at] - low[at]))
    for j in range(1, high[-1] + 1):  # of which there are more where known ones may be wrong
        at = next(k for k, tp in enumerate(high) if tp >= j)
        highest.append(max(tp / r for tp, r in zip(high[at:], rank[at:], strict=True)))
    return [sum(lowest) / low[-1], min(sum(highest) / low[-1], 1)]
