"""Limits where the odds of being labeled differ, from the definition alone: by enumeration.

Written without sight of the package. P positives, n of which are labeled: each set S of n of them
has a probability proportional to the product of the odds of its members. In the worst case for
those in the head they are all `odds`, and 1 for those in the tail, or the other way round.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, combinations
from math import comb, prod
from typing import Any

import numpy as np

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


def auroc(ranks: Any, stands: Any, positives: float, size: int) -> float:
    """Return AUROC where known positives stand for others at their ranks."""
    mean = (stands * ranks).sum() / stands.sum()
    return float(1 - (mean - (positives + 1) / 2) / (size - positives))


def average_precision(ends: Any, stands: Any, positives: float, size: int) -> float:
    """Return average precision the same way: pairs of known positives stand for all pairs."""
    pairs = np.outer(stands / ends, stands) * (ends <= ends[:, np.newaxis])
    square = stands.sum() ** 2 - (stands**2).sum()
    alone = (stands / ends).sum() / stands.sum()
    return float(alone + (positives - 1) * (pairs.sum() - pairs.trace()) / square)


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
    low, high = [*accumulate(low, max)], [*accumulate(high[::-1], min)][::-1]  # they never fall
    lowest, highest = [], []
    for j in range(1, low[-1] + 1):
        at = next(k for k, tp in enumerate(low) if tp >= j)
        lowest.append(j / (j + rank[at] - low[at]))
    for j in range(1, high[-1] + 1):  # of which there are more where known ones may be wrong
        at = next(k for k, tp in enumerate(high) if tp >= j)
        highest.append(max(tp / r for tp, r in zip(high[at:], rank[at:], strict=True)))
    return [sum(lowest) / low[-1], min(sum(highest) / low[-1], 1)]
