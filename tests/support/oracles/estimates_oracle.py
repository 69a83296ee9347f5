"""Slow reference for point estimates of AUROC and average precision with standard errors.

Everything up to the last square root is a fraction. With nothing hidden the estimates are the
usual ones:

>>> shown = [True, False, True, False, False]
>>> auroc([5, 4, 3, 2, 1], shown, 0).value, average_precision([5, 4, 3, 2, 1], shown, 0).value
(Fraction(5, 6), Fraction(5, 6))
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from statistics import mean, variance
from typing import NamedTuple

from tests.support.oracles import completion_oracle, oracle
from tests.support.oracles.completion_oracle import Labels, Scores

Beta = float | Fraction
HALF = Fraction(1, 2)


class Estimate(NamedTuple):
    """A value, the square of its standard error if there is one, and the known positives."""

    value: Fraction
    squared: Fraction | None
    n: int
    below: Sequence[Fraction] = ()  # shares of the ranks that count, below each known positive
    slope: Fraction = Fraction(0)  # what their mean adds to an area

    @property
    def standard_error(self) -> float:
        """Return the standard error, nan if there is none."""
        return math.nan if self.squared is None else math.sqrt(self.squared)


def positives(labels: Labels, beta: Beta) -> Fraction:
    """Return P, the positives among all examples, not rounded."""
    return [*labels].count(True) + Fraction(str(beta)) * [*labels].count(None)


def negatives(labels: Labels, beta: Beta) -> Fraction:
    """Return M, the examples that are not positive."""
    return len(labels) - positives(labels, beta)


def unseen(labels: Labels, beta: Beta) -> Fraction:
    """Return the share of the positives that are not known: the finite population correction."""
    return 1 - [*labels].count(True) / positives(labels, beta)


def squared_error(values: Sequence[Fraction], hidden: Fraction, unit: Fraction) -> Fraction | None:
    """Return the squared standard error of the mean of known positives, in so large units."""
    if len(values) < 2:
        return None if hidden else Fraction(0)
    return variance(values) / len(values) * hidden / unit**2


def blocks(scores: Scores, labels: Labels) -> list[tuple[int, int]]:
    """Return for each known positive how many examples are above it, and at or above it."""
    known = [score for score, label in zip(scores, labels, strict=True) if label is True]
    return [(sum(s > one for s in scores), sum(s >= one for s in scores)) for one in known]


# Areas under the ROC curve


def auroc(scores: Scores, labels: Labels, beta: Beta) -> Estimate:
    """Return the AUROC if all positives rank, in the mean, as the known ones do."""
    ranks = [Fraction(start + end + 1, 2) for start, end in blocks(scores, labels)]
    size, p, m = len(scores), positives(labels, beta), negatives(labels, beta)
    value, squared = (
        1 - (mean(ranks) - (p + 1) / 2) / m,
        squared_error(ranks, 1 - len(ranks) / p, m),
    )
    below = [1 - (rank - HALF) / size for rank in ranks]
    return Estimate(value, squared, len(ranks), below, size / m)


def curve(scores: Scores, labels: Labels, beta: Beta) -> list[completion_oracle.Completed]:
    """Return the cutoffs if all positives rank as the known ones do."""
    steps = oracle.cutoffs(scores, labels)
    share = positives(labels, beta) / steps[-1].known_positive
    each = [(step.rank, step.known_positive * share) for step in steps]
    return [completion_oracle.Completed(rank, tp, rank - tp) for rank, tp in each]


def partial_auroc(scores: Scores, labels: Labels, beta: Beta, max_fpr: float) -> Estimate:
    """Return the area up to a false positive rate, standardised.

    The area is linear in how many of the ranks, of those at which the curve is within that rate,
    are below a known positive, which is anywhere in its block of ties.
    """
    if max_fpr == 1:
        return auroc(scores, labels, beta)
    f, m = Fraction(str(max_fpr)), negatives(labels, beta)
    corners, parts = curve(scores, labels, beta), []
    for a, b in pairwise(corners):
        if min(a.fp, b.fp) < f * m:
            inside = [Fraction(cut.rank) for cut in (a, b) if cut.fp < f * m]
            there = a.rank + (f * m - a.fp) / (b.fp - a.fp or 1) * (b.rank - a.rank)
            parts.append(sorted([*inside, there][:2]))
    length, below = sum((end - start for start, end in parts), Fraction(0)), []
    for top, bottom in blocks(scores, labels):
        below.append(Fraction(0))
        for start, end in parts:
            height = min(max(((start + end) / 2 - top) / (bottom - top), Fraction(0)), 1)
            below[-1] += height * (end - start)
    room = m * (2 * f - f**2)
    squared = squared_error(below, unseen(labels, beta), room)
    value = completion_oracle.auroc(corners, f)
    return Estimate(value, squared, len(below), [one / length for one in below], length / room)


def doubt(scores: Scores, labels: Labels, beta: Beta, max_fpr: float) -> float:
    """Return the standard error of the number of false positives there, as a share of it."""
    p, n = positives(labels, beta), [*labels].count(True)
    most = Fraction(str(max_fpr)) * negatives(labels, beta)
    share = next(cut.tp / p for cut in curve(scores, labels, beta) if cut.fp >= most)
    share = min(max(share, Fraction(1, 2 * n)), 1 - Fraction(1, 2 * n))
    return float(p / most) * math.sqrt(share * (1 - share) / n * unseen(labels, beta))


# Average precision


def average_precision(scores: Scores, labels: Labels, beta: Beta) -> Estimate:
    """Return the mean of the estimated precisions at known positives, and its jackknifed error."""
    ends, p = [end for _, end in blocks(scores, labels)], positives(labels, beta)

    def value(some: Sequence[int]) -> Fraction:
        scale = (p - 1) / (len(some) - 1) if len(some) > 1 else Fraction(0)
        return mean((1 + scale * (sum(o <= end for o in some) - 1)) / end for end in some)

    n, squared = len(ends), None if unseen(labels, beta) else Fraction(0)
    if n > 2 and squared is None:
        without = [value(ends[:j] + ends[j + 1 :]) for j in range(n)]
        squared = Fraction((n - 1) ** 2, n) * variance(without) * unseen(labels, beta)
    return Estimate(value(ends), squared, n)
