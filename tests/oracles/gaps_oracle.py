"""Slow references for latent positives that are shared out at random to gaps between known ones.

Random shares of 1 have a weighted sum whose distribution is a divided difference, in rational
arithmetic; ways to share out a few latent positives are enumerated and put in place one by one.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

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


Draws = npt.NDArray[np.float64]


def drawn_precisions(
    blocks: Sequence[tuple[int, int, int]],
    examples: int,
    latent: int,
    first: float,
    draws: int,
    seed: int,
) -> tuple[Draws, Draws]:
    """Draw what `average_precisions` enumerates, for blocks of ties.

    Parameters
    ----------
    blocks : sequence of (int, int, int)
        Known positives in each, examples above it, and at or above its end.
    """
    rng = np.random.default_rng(seed)
    n = sum(found for found, _, _ in blocks)
    each = rng.multinomial(latent, rng.dirichlet(np.ones(n + 1), draws)).astype(float)
    low, high, place = np.zeros(draws), np.zeros(draws), 0
    known, before = 0, each[:, 0]
    passed = np.zeros(draws)  # latent ones above the gap before the block
    crowded = np.maximum(before - blocks[0][1], 0)
    high += _sum_right_after(before - crowded, 0 * before, first + 0 * before)
    for number, (found, start, end) in enumerate(blocks):
        is_last = number == len(blocks) - 1
        within = each[:, place + 1 : place + found].sum(axis=1)
        place += found
        after = each[:, place]
        room = np.maximum(end - start - found - within, 0)
        lost = np.maximum(after - (examples - end), 0) if is_last else 0 * after
        # At worst latent ones are at the end of their gap, tied with what follows.
        tied = np.minimum(before, room)
        above = known + passed
        free = before - tied
        low += _sum_right_after(free, above, np.maximum(start - free, above))
        through = known + found + passed + before + within + lost
        low += (found + within + tied + lost) * np.minimum(through / end, 1)
        if is_last:
            rest = after - lost
            low += _sum_right_after(rest, through, np.maximum(examples - rest, through))
        # At best at its start, tied with what precedes.
        tied = np.minimum(after, room)
        through = known + found + passed + before + within + tied
        high += (found + within + tied) * through / end
        high += crowded * through / end if number == 0 else 0
        high += _sum_right_after(after - tied, through, end + 0 * through)
        known, passed, before = known + found, passed + before + within, after
    return low / (n + latent), high / (n + latent)


def _sum_right_after(number: Draws, positives: Draws, rank: Draws) -> Draws:
    """Return the sum of (P + j)/(r + j) over j = 1..number."""
    found: Draws = number - (rank - positives) * (
        special.digamma(rank + number + 1) - special.digamma(rank + 1)
    )
    return found


def drawn_weighted(
    end: Sequence[int],
    last: Sequence[int],
    weight: Sequence[float],
    latent: float,
    draws: int,
    seed: int,
) -> tuple[Draws, Draws]:
    """Draw average precision where known positives stand for gamma variables, at both ends."""
    rng, n = np.random.default_rng(seed), len(end)
    hidden = np.array(weight) - 1
    share = latent * hidden / hidden.sum()
    ends, through_of = np.array(end), np.array(last)

    def draw(unseen: float, times: float) -> Draws:
        mean = np.append(share, max(unseen - 1, 0) + 1e-12)
        shape = mean / (1 + mean) * np.append(np.ones(n), times)
        found: Draws = rng.gamma(shape, 1 + mean, (draws, n + 1))
        found *= latent / found.sum(axis=1, keepdims=True)
        return found

    def unseen(stands: Draws) -> float:
        """Return the weight of one below all of them."""
        half = min(10, n // 2)
        logs = np.log(stands)
        growth = logs[n - half :].mean() - logs[n - 2 * half : n - half].mean()
        return float(stands[max(n - 10, 0) :].max() * math.exp(max(growth, 0)))

    found = draw(unseen(1 + share), 1.0)[:, :n]
    through = np.stack([(1 + found[:, :k]).sum(axis=1) for k in through_of], axis=1) - found / 2
    low = ((1 + found) * np.minimum(through / ends, 1)).sum(axis=1)
    beyond = unseen(1 + share[::-1])
    most = min(max(beyond / (4 * (1 + share.mean())), 1.0), 3.0)
    found = draw(beyond, most)
    top, found = found[:, n], found[:, :n]
    first = end[0] ** 2 / (2 * end[1]) * max(1 - 10 / n, 0)
    through = np.stack([top + (1 + found[:, :k]).sum(axis=1) for k in through_of], axis=1)
    high = ((1 + found) * through / ends).sum(axis=1)
    high += _sum_right_after(top, 0 * top, first + 0 * top)
    return low / (n + latent), high / (n + latent)
