"""Limits where the odds of being labeled differ, from the definition alone: by enumeration.

Written without sight of the package. P positives, n of which are labeled: each set S of n of them
has a probability proportional to the product of the odds of its members. In the worst case for
those in the head they are all `odds`, and 1 for those in the tail, or the other way round.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb, prod

Band = tuple[list[int], list[int]]


def known_in_head(n: int, m: int, size: int, odds: Fraction) -> list[Fraction]:
    """Return P(j known positives in a head of `size` positives), each with `odds` there, 1 below."""
    ways = [
        comb(size, j) * comb(n + m - size, n - j) * odds**j if n >= j else Fraction(0)
        for j in range(min(n, size) + 1)
    ]
    return [way / sum(ways) for way in ways]


def band(n: int, m: int, level: Fraction, odds: Fraction) -> Band:
    """Return the limits of latent positives in the head for k = 0..n known ones there."""
    tail = (1 - level) / 2
    lower, upper = [], []
    for k in range(n + 1):
        few, many = [], []
        for v in range(m + 1):
            # few latent ones, k or more known: the known ones have the odds; and against them
            favoured = known_in_head(n, m, k + v, odds)
            against = known_in_head(n, m, k + v, 1 / odds)
            few.append(sum(favoured[k:], Fraction(0)))
            many.append(sum(against[: k + 1], Fraction(0)))
        lower.append(min(v for v in range(m + 1) if few[v] > tail))
        upper.append(max(v for v in range(m + 1) if many[v] > tail))
    return lower, upper


def path_probability(odds: Sequence[Fraction], n: int, inside: list[set[int]]) -> Fraction:
    """Return the probability that known counts in all heads are inside, by all sets of labels."""
    total = covered = Fraction(0)
    for labeled in combinations(range(len(odds)), n):
        weight = prod((odds[i] for i in labeled), start=Fraction(1))
        total += weight
        counts = [sum(i < size for i in labeled) for size in range(len(odds) + 1)]
        if all(k in allowed for k, allowed in zip(counts, inside, strict=True)):
            covered += weight
    return covered / total
