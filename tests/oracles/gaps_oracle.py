"""Slow references for latent positives that are shared out at random to gaps between known ones.

Random shares of 1 have a weighted sum whose distribution is a divided difference, in rational
arithmetic; ways to share out a few latent positives are enumerated and put in place one by one.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import NamedTuple

from tests.oracles import estimates_oracle
from tests.oracles.oracle import Label

NUDGE = Fraction(1, 10**9)


def chance(values: Sequence[float | Fraction], most: float | Fraction) -> float:
    """Return the probability that the sum of values times random shares is at most a number."""
    apart = [Fraction(value) + i * NUDGE for i, value in enumerate(sorted(values))]
    x, n, above = Fraction(most), len(apart) - 1, Fraction(0)
    for i, one in enumerate(apart):
        if one > x:
            others = [one - other for j, other in enumerate(apart) if j != i]
            above += (one - x) ** n / math.prod(others, start=Fraction(1))
    return float(1 - above)


def quantile(values: Sequence[float | Fraction], tail: float) -> float:
    """Return the number that the sum is at most with a probability, by bisection."""
    low, high = float(min(values)), float(max(values))
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(values, middle) < tail else (low, middle)
    return high


class Ends(NamedTuple):
    """Limits of AUROC: by gaps, at a lower and at a higher tail, and by what is feasible."""

    gaps: tuple[float, float]
    feasible: tuple[float, float]


def auroc(scores: Sequence[float], labels: Sequence[Label], beta: float, tail: float) -> Ends:
    """Return what latent positives make of AUROC; beta above 0."""
    size, n = len(scores), list(labels).count(True)
    p, q = (
        float(side(list(labels), beta))
        for side in (estimates_oracle.positives, estimates_oracle.negatives)
    )
    m = p - n
    ranks, top, through = [], [], []
    for score, label in zip(scores, labels, strict=True):
        if label is True:
            better = sum(other > score for other in scores)
            least = sum(other >= score for other in scores)
            ranks.append((better + least + 1) / 2)
            top.append(_others(scores, labels, score, tied=False))
            through.append(_others(scores, labels, score, tied=True))
    ranks.sort()
    way = min(2.5 / n, 1)
    far = min(max(2 * ranks[-1] - ranks[0], ranks[-1] + way * (size - ranks[-1])), size)
    near = max(min(2 * ranks[0] - ranks[-1], ranks[0] - way * (ranks[0] - 1)), 1)
    middles = [(a + b) / 2 for a, b in pairwise(ranks)]

    def area(latent: float) -> float:
        return 1 - ((sum(ranks) + m * latent) / p - (p + 1) / 2) / q

    def limit(values: list[float], at: float) -> float:
        mean = sum(values) / (n + 1)
        return area(mean + math.sqrt(1 + (n + 1) / m) * (quantile(values, at) - mean))

    gaps = (
        limit([(near + ranks[0]) / 2, *middles, far], 1 - tail),
        limit([near, *middles, (ranks[-1] + far) / 2], tail),
    )
    crossed = sum(max(m - k, 0) for k in [*top, *through]) / 2
    rest = [size - n - k for k in [*top, *through]]
    passed = sum(max(m - k, 0) for k in rest) / 2
    best = (m + 1) / 2 + crossed / m
    worst = size + 1 - (m + 1) / 2 - passed / m
    return Ends(gaps, (area(worst), area(best)))


def _others(scores: Sequence[float], labels: Sequence[Label], score: float, *, tied: bool) -> int:
    """Count the examples above a score, or at it too, that are not known to be positive."""
    return sum(
        label is not True and (other > score or (tied and other == score))
        for other, label in zip(scores, labels, strict=True)
    )


def compositions(m: int, parts: int) -> Iterator[list[int]]:
    """Return all ways to share out m things."""
    for bars in combinations(range(m + parts - 1), parts - 1):
        places = [-1, *bars, m + parts - 1]
        yield [b - a - 1 for a, b in pairwise(places)]


def average_precisions(
    known: Sequence[int], examples: int, m: int, first: float
) -> tuple[list[float], list[float]]:
    """Return average precision for all ways to share out m, at the worst and the best places.

    Parameters
    ----------
    known : sequence of int
        Ranks of the known positives, from 1, without ties.
    examples, m : int
        Numbers of all examples and of latent positives.
    first : float
        The place after which those of the first gap come at best.
    """
    worst, best = [], []
    for shares in compositions(m, len(known) + 1):
        low, high, found = 0.0, 0.0, 0
        for gap, count in enumerate(shares):
            end = known[gap] - 1 if gap < len(known) else examples
            if gap == len(known):
                end = max(end, found + count)
            start = max(end - count, found)
            low += sum((found + j) / (start + j) for j in range(1, count + 1))
            begin = known[gap - 1] if gap else first
            high += sum((found + j) / (begin + j) for j in range(1, count + 1))
            found += count
            if gap < len(known):
                found += 1
                low += min(found / known[gap], 1)
                high += found / known[gap]
        worst.append(low / (len(known) + m))
        best.append(high / (len(known) + m))
    return sorted(worst), sorted(best)
