"""Slow reference for point estimates of AUROC and average precision with standard errors.

Everything up to the last square root is a fraction. With nothing hidden the estimates are the
usual ones:

>>> shown = [True, False, True, False, False]
>>> auroc([5, 4, 3, 2, 1], shown, 0).value, average_precision([5, 4, 3, 2, 1], shown, 0).value
(Fraction(5, 6), Fraction(5, 6))
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import NamedTuple

from tests.support.oracles.comparison_oracle import (
    Label,
    Labels,
    Scores,
    known_ranks,
    mean,
    t_quantile,
    variance,
)

Beta = float | Fraction


class Estimate(NamedTuple):
    """A value, the square of its standard error if there is one, and the known positives."""

    value: Fraction
    squared: Fraction | None
    n: int
    share: Fraction = Fraction(0)  # of the examples down to the last that count, how many rank
    slope: Fraction = Fraction(0)  # below a known positive; what it adds to an area

    @property
    def standard_error(self) -> float:
        """Return the standard error, nan if there is none."""
        return math.nan if self.squared is None else math.sqrt(self.squared)


class Cutoff(NamedTuple):
    """The end of a tie block: its rank and the share of the known positives down to there."""

    rank: Fraction
    share: Fraction


def total(values: Iterable[Fraction]) -> Fraction:
    """Return the sum."""
    return sum(values, Fraction(0))


def exact(number: Beta) -> Fraction:
    """Return the decimal that a number prints as, exactly."""
    return Fraction(str(number))


def positives(labels: Labels, beta: Beta) -> Fraction:
    """Return P, the positives among all examples, not rounded."""
    return labels.count(True) + exact(beta) * labels.count(None)


def negatives(labels: Labels, beta: Beta) -> Fraction:
    """Return M, the examples that are not positive; none is an error."""
    rest = len(labels) - positives(labels, beta)
    if rest <= 0:
        raise ValueError("no negatives")
    return rest


def unseen(labels: Labels, beta: Beta) -> Fraction:
    """Return the share of the positives that are not known: the finite population correction."""
    return 1 - labels.count(True) / positives(labels, beta)


# ---------------------------------------------------------------------------------------------
# Areas under the ROC curve


def squared_error(ranks: Sequence[Fraction], labels: Labels, beta: Beta) -> Fraction | None:
    """Return the squared standard error of the mean of ranks, in units of the negatives."""
    if unseen(labels, beta) == 0:
        return Fraction(0)
    if len(ranks) < 2:
        return None
    drawn = unseen(labels, beta) / negatives(labels, beta) ** 2
    return variance(ranks) / len(ranks) * drawn


def auroc(scores: Scores, labels: Labels, beta: Beta) -> Estimate:
    """Return the AUROC if all positives rank, in the mean, as the known ones do."""
    ranks, size, m = known_ranks(scores, labels), len(scores), negatives(labels, beta)
    value = 1 - (mean(ranks) - (positives(labels, beta) + 1) / 2) / m
    share = 1 - (mean(ranks) - Fraction(1, 2)) / size
    return Estimate(value, squared_error(ranks, labels, beta), len(ranks), share, size / m)


def cutoffs(scores: Scores, labels: Labels) -> list[Cutoff]:
    """Return the corners of the rank CDF of the known positives."""
    corners = [Cutoff(Fraction(0), Fraction(0))]
    for threshold in sorted(set(scores), reverse=True):
        head = [lab for score, lab in zip(scores, labels, strict=True) if score >= threshold]
        share = Fraction(head.count(True), labels.count(True))
        corners.append(Cutoff(Fraction(len(head)), share))
    return corners


def between(a: Cutoff, b: Cutoff, t: Fraction) -> Cutoff:
    """Return the point a share of the way through a tie block."""
    return Cutoff(a.rank + t * (b.rank - a.rank), a.share + t * (b.share - a.share))


def crossing(a: Cutoff, b: Cutoff, p: Fraction, limit: Fraction) -> Fraction:
    """Return how far through a tie block the estimated false positives meet a limit."""
    first, last = (cut.rank - p * cut.share for cut in (a, b))
    return (limit - first) / (last - first)


def last_below(corners: Sequence[Cutoff], p: Fraction, limit: Fraction) -> int:
    """Return the cutoff after which the false positives reach a limit and stay there."""
    return max(i for i, (rank, share) in enumerate(corners) if rank - p * share < limit)


def area_under(corners: Sequence[Cutoff], p: Fraction) -> Fraction:
    """Return the sum of trapezoids of the share over the false positives."""
    steps = pairwise(corners)
    return total((f0 + f1) / 2 * ((r1 - p * f1) - (r0 - p * f0)) for (r0, f0), (r1, f1) in steps)


def partial_auroc(scores: Scores, labels: Labels, beta: Beta, max_fpr: float) -> Estimate:
    """Return the area up to where a false positive rate is reached for good, standardised."""
    if max_fpr == 1:  # also where the estimated false positives were more than M in between
        return auroc(scores, labels, beta)
    f, p, m = exact(max_fpr), positives(labels, beta), negatives(labels, beta)
    corners = cutoffs(scores, labels)
    i = last_below(corners, p, f * m)
    a, b = corners[i : i + 2]
    end = between(a, b, crossing(a, b, p, f * m))
    head = [*corners[: i + 1], end]
    room = f - f**2 / 2
    # The place of an example among the corners, which are the ends of blocks, is half a rank up.
    ranks = [min(rank - Fraction(1, 2), end.rank) for rank in known_ranks(scores, labels)]
    squared = squared_error(ranks, labels, beta)
    scaled = None if squared is None else squared / (2 * room) ** 2
    value = (1 + (area_under(head, p) / m - f**2 / 2) / room) / 2
    below = total((a.share + b.share) / 2 * (b.rank - a.rank) for a, b in pairwise(head))
    slope = end.rank / (2 * room * m)
    return Estimate(value, scaled, len(ranks), below / end.rank, slope)


def doubt(scores: Scores, labels: Labels, beta: Beta, max_fpr: float) -> float:
    """Return the standard error of the number of false positives there, as a share of it."""
    f, p, m = exact(max_fpr), positives(labels, beta), negatives(labels, beta)
    n, corners = sum(label is True for label in labels), cutoffs(scores, labels)
    share = corners[last_below(corners, p, f * m)].share
    share = min(max(share, Fraction(1, 2 * n)), 1 - Fraction(1, 2 * n))
    square = p**2 * share * (1 - share) / n * (1 - n / p)
    return math.sqrt(square) / float(f * m)


def is_plain(scores: Scores, labels: Labels, beta: Beta, max_fpr: float) -> bool:
    """Tell if a false positive rate is reached once, and in a block without known positives."""
    p, limit = positives(labels, beta), exact(max_fpr) * negatives(labels, beta)
    corners = cutoffs(scores, labels)
    i = last_below(corners, p, limit)
    once = all(rank - p * share < limit for rank, share in corners[:i])
    return max_fpr == 1 or (once and corners[i].share == corners[i + 1].share)


def clipped_auroc(scores: Scores, labels: Labels, beta: Beta, max_fpr: float) -> Estimate:
    """Return the area of all parts of the curve up to a false positive rate, standardised.

    The standard error is that of the mean over known positives of the length of these parts,
    each times the share of the known positive that ranks above.
    """
    f, p, m = exact(max_fpr), positives(labels, beta), negatives(labels, beta)
    limit, room = f * m, f - f**2 / 2
    parts: list[tuple[Cutoff, Cutoff]] = []
    for a, b in pairwise(cutoffs(scores, labels)):
        inside = [cut.rank - p * cut.share <= limit for cut in (a, b)]
        middle = a if inside[0] == inside[1] else between(a, b, crossing(a, b, p, limit))
        if any(inside):
            parts.append((a if inside[0] else middle, b if inside[1] else middle))
    value = (1 + (total(area_under(part, p) for part in parts) / m - f**2 / 2) / room) / 2
    lengths: list[Fraction] = []
    for score, label in zip(scores, labels, strict=True):
        if label is True:
            top = sum(1 for other in scores if other > score)
            size = sum(1 for other in scores if other == score)
            heights = [
                [min(max((cut.rank - top) / size, Fraction(0)), Fraction(1)) for cut in part]
                for part in parts
            ]
            both = zip(heights, parts, strict=True)
            lengths.append(total((x + y) / 2 * (b.rank - a.rank) for (x, y), (a, b) in both))
    squared = squared_error(lengths, labels, beta)
    return Estimate(value, None if squared is None else squared / (2 * room) ** 2, len(lengths))


# ---------------------------------------------------------------------------------------------
# Average precision


def precisions(scores: Scores, known: Sequence[float], p: Fraction) -> list[Fraction]:
    """Return the estimated precision at the end of the tie block of each known positive."""
    scale = Fraction(0) if len(known) == 1 else (p - 1) / (len(known) - 1)
    return [
        (1 + scale * (sum(1 for other in known if other >= score) - 1))
        / sum(1 for other in scores if other >= score)
        for score in known
    ]


def average_precision(scores: Scores, labels: Labels, beta: Beta) -> Estimate:
    """Return the mean of the estimated precisions, and its jackknifed error."""
    known = [score for score, label in zip(scores, labels, strict=True) if label is True]
    p, n = positives(labels, beta), len(known)
    value = mean(precisions(scores, known, p))
    if unseen(labels, beta) == 0:
        return Estimate(value, Fraction(0), n)
    if n < 3:
        return Estimate(value, None, n)
    without = [mean(precisions(scores, known[:j] + known[j + 1 :], p)) for j in range(n)]
    spread = total((one - mean(without)) ** 2 for one in without)
    return Estimate(value, Fraction(n - 1, n) * spread * unseen(labels, beta), n)


# ---------------------------------------------------------------------------------------------
# Intervals, and truths


def interval(estimate: Estimate, level: float) -> tuple[float, float]:
    """Return the limits of an area from Student's t on the logit scale of a share."""
    b, k = float(estimate.share), float(estimate.slope)
    width = t_quantile(level, estimate.n - 1) * estimate.standard_error / k / (b * (1 - b))
    middle = math.log(b / (1 - b))
    shares = (1 / (1 + math.exp(-width - middle)), 1 / (1 + math.exp(width - middle)))
    high, low = (float(estimate.value) + (share - b) * k for share in shares)
    return min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)


def true_average_precision(scores: Scores, truth: Sequence[bool]) -> Fraction:
    """Return the sum of precisions, each times the recall that its tie block adds."""
    result = Fraction(0)
    for threshold in set(scores):
        head = [yes for score, yes in zip(scores, truth, strict=True) if score >= threshold]
        both = zip(scores, truth, strict=True)
        added = sum(1 for score, yes in both if yes and score == threshold)
        result += Fraction(added, sum(truth)) * Fraction(sum(head), len(head))
    return result


def all_labels(truth: Sequence[bool], n: int, known_negatives: Sequence[int]) -> list[list[Label]]:
    """Return the labels of all ways to know n of the positives, and some of the negatives."""
    places = [i for i, yes in enumerate(truth) if yes]
    result: list[list[Label]] = []
    for known in combinations(places, n):
        labels: list[Label] = [None] * len(truth)
        for i in known:
            labels[i] = True
        for i in known_negatives:
            labels[i] = False
        result.append(labels)
    return result
