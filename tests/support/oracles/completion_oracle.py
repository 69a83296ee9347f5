"""Slow reference for the one estimate: a possible labeling, in fractions, row by row.

Written from the words of docs, not from the package: limits are taken over all pairs of edges,
and areas by going through all examples.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from tests.support.oracles import oracle
from tests.support.oracles.oracle import Label

QUARTER, HALF = Fraction(1, 4), Fraction(1, 2)


class Place(NamedTuple):
    """An edge of a block of tied scores that holds known positives."""

    head: int  # unlabeled examples above it
    known: Fraction  # known positives above it, an untied one by half


def edges(
    scores: Sequence[float], labels: Sequence[Label], stands: Sequence[Fraction] | None = None
) -> list[Place]:
    """Return both edges of each block; `stands` counts known positives, n in all, best first."""
    steps = oracle.cutoffs(scores, labels)
    n = oracle.count_label(labels, True)
    each = [Fraction(1)] * n if stands is None else list(stands)
    places = []
    for before, after in pairwise(steps):
        if before.known_positive == after.known_positive:
            continue
        counts = [sum(each[: step.known_positive], Fraction(0)) for step in (before, after)]
        if before.unlabeled == after.unlabeled:
            counts = [sum(counts, Fraction(0)) / 2] * 2
        places += [Place(before.unlabeled, counts[0]), Place(after.unlabeled, counts[1])]
    return places


def false_positives(places: Sequence[Place], n: int, unlabeled: int, m: int) -> list[Fraction]:
    """Return the false positives among the unlabeled examples above each edge."""
    share = [min(max((place.known - QUARTER) / (n - HALF), Fraction(0)), 1) for place in places]
    raw = [place.head - m * part for place, part in zip(places, share, strict=True)]
    last = places[-1].head
    completed = []
    for i, place in enumerate(places):
        false = (min(raw[i:]) + max(raw[: i + 1])) / 2
        false = min(max(false, max(place.head - m, 0)), min(place.head, unlabeled - m))
        completed.append(false if n == 1 else min(false, max(last - m, 0)))
    return [Fraction(false) for false in completed]


def latent_above(
    scores: Sequence[float],
    labels: Sequence[Label],
    m: int,
    heads: Sequence[int],
    stands: Sequence[Fraction] | None = None,
) -> list[Fraction]:
    """Return the latent positives among the first unlabeled examples, for each of some heads."""
    corners = find_corners(scores, labels, m, stands)
    return [_between(corners, Fraction(head)) for head in heads]


def find_corners(
    scores: Sequence[float],
    labels: Sequence[Label],
    m: int,
    stands: Sequence[Fraction] | None = None,
) -> list[tuple[Fraction, Fraction]]:
    """Return the corners of the estimate: unlabeled examples above, and latent positives."""
    unlabeled, n = (oracle.count_label(labels, kind) for kind in (None, True))
    places = edges(scores, labels, stands)
    false = false_positives(places, n, unlabeled, m)
    corners = [(Fraction(0), Fraction(0))]
    corners += [(Fraction(p.head), p.head - f) for p, f in zip(places, false, strict=True)]
    end = min(math.ceil(corners[-1][0] + m - corners[-1][1]), unlabeled)
    corners += [(Fraction(end), Fraction(m)), (Fraction(unlabeled), Fraction(m))]
    return corners


def _between(corners: Sequence[tuple[Fraction, Fraction]], x: Fraction) -> Fraction:
    """Return the height at x of straight lines through corners; of a jump the last."""
    height = Fraction(0)
    for (left, low), (right, high) in pairwise(corners):
        if left <= x <= right:
            height = high if left == right else low + (high - low) * (x - left) / (right - left)
    return height


class Completed(NamedTuple):
    """A cutoff with its counts."""

    rank: int
    tp: Fraction
    fp: Fraction


def completed(
    scores: Sequence[float],
    labels: Sequence[Label],
    m: int,
    reference: str = "positives",
    stands: Sequence[Fraction] | None = None,
) -> list[Completed]:
    """Return the table of the estimate at each cutoff."""
    steps = oracle.cutoffs(scores, labels)
    heads = [step.unlabeled for step in steps]
    if reference == "negatives":
        unlabeled = oracle.count_label(labels, None)
        turned = [-score for score in scores], [None if x is None else not x for x in labels]
        below = latent_above(*turned, unlabeled - m, [unlabeled - head for head in heads])
        latent = [head - (unlabeled - m - tail) for head, tail in zip(heads, below, strict=True)]
    else:
        latent = latent_above(scores, labels, m, heads, stands)
    return [
        Completed(s.rank, s.known_positive + v, s.known_negative + s.unlabeled - v)
        for s, v in zip(steps, latent, strict=True)
    ]


def auroc(tables: Sequence[Completed], max_fpr: Fraction = Fraction(1)) -> Fraction:
    """Return the area under straight lines, standardised after McClish."""
    p, q = tables[-1].tp, tables[-1].fp
    area = Fraction(0)
    for before, after in pairwise(tables):
        x0, x1 = before.fp / q, after.fp / q
        y0, y1 = before.tp / p, after.tp / p
        if x0 >= max_fpr or x0 == x1:
            continue
        end = min(x1, max_fpr)
        top = y0 + (y1 - y0) * (end - x0) / (x1 - x0)
        area += (end - x0) * (y0 + top) / 2
    chance = max_fpr**2 / 2
    return area if max_fpr == 1 else HALF * (1 + (area - chance) / (max_fpr - chance))


def average_precision(
    scores: Sequence[float],
    labels: Sequence[Label],
    tables: Sequence[Completed],
    factor: Fraction = Fraction(1),
) -> float:
    """Return the mean precision of positives; those between labeled scores are at random places.

    Each positive counts `factor` times among the examples above it.

    The unlabeled examples between two labeled scores are one stretch, whatever ties there are,
    but for a corner of the estimate among them.
    """
    steps = oracle.cutoffs(scores, labels)
    labeled = [step.known_positive + step.known_negative for step in steps]
    total, i = 0.0, 0
    while i + 1 < len(tables):
        end = i + 1
        if labeled[end] > labeled[i]:
            gained = tables[end].tp - tables[i].tp
            total += float(gained * _precision(tables[end].tp, tables[end].rank, factor))
        else:
            while end + 1 < len(tables) and labeled[end + 1] == labeled[i]:
                if _slope(tables[end], tables[end + 1]) != _slope(tables[i], tables[end]):
                    break
                end += 1
            total += _at_random(tables[i], tables[end], factor)
        i = end
    return total / float(tables[-1].tp)


def _slope(before: Completed, after: Completed) -> Fraction:
    """Return the share of positives between two cutoffs."""
    return (after.tp - before.tp) / (after.rank - before.rank)


def _precision(tp: Fraction, rank: int, factor: Fraction) -> Fraction:
    """Return the precision where each positive counts so many times."""
    return factor * tp / (rank - tp + factor * tp)


def _at_random(before: Completed, after: Completed, factor: Fraction) -> float:
    """Return the sum of precisions of expected tables, over places of one or two whole numbers."""
    size, gained = after.rank - before.rank, after.tp - before.tp
    whole = math.floor(gained)
    parts = [(whole, 1 - (gained - whole)), (whole + 1, gained - whole)]
    total = Fraction(0)
    for r in range(1, size + 1):
        expected = sum(
            share * Fraction(number, size) * (before.tp + 1 + others)
            for number, share in parts
            if number and share
            for others in [Fraction((r - 1) * (number - 1), max(size - 1, 1))]
        )
        if gained:  # true positives where there is a positive at this rank
            true = Fraction(expected * size, gained)
            total += Fraction(gained, size) * _precision(true, before.rank + r, factor)
    return float(total)


def estimates(
    scores: Sequence[float],
    labels: Sequence[Label],
    m: int,
    bounds: tuple[Sequence[oracle.Table], Sequence[oracle.Table]] | None = None,
    reference: str = "positives",
    stands: Sequence[Fraction] | None = None,
) -> list[oracle.Table]:
    """Return the tables of the estimate, not rounded, cut to the labelings between two bounds."""
    found = []
    for i, step in enumerate(completed(scores, labels, m, reference, stands)):
        tp: Any = step.tp
        clipped = False
        if bounds is not None:
            ends = running_limits(scores, labels, bounds, i)
            tp = min(max(tp, min(ends)), max(ends))
            clipped = tp != step.tp or not bounds[0][i].tp <= tp <= bounds[1][i].tp
        positives = oracle.count_label(labels, True) + m
        fp = step.rank - tp
        fn, tn = positives - tp, len(labels) - positives - fp
        found.append(oracle.Table(step.rank, tp, fp, fn, tn, clipped))
    return found


def running_limits(
    scores: Sequence[float],
    labels: Sequence[Label],
    bounds: tuple[Sequence[oracle.Table], Sequence[oracle.Table]],
    place: int,
) -> tuple[Fraction, Fraction]:
    """Return the fewest and the most true positives of all labelings between two bounds.

    From one cutoff to another they grow by no more than the unlabeled examples between, and by
    the known positives there.
    """
    steps = oracle.cutoffs(scores, labels)
    here, least, most = steps[place], [], []
    for step, low, high in zip(steps, *bounds, strict=True):
        known = here.known_positive - step.known_positive
        free = here.unlabeled - step.unlabeled
        least.append(low.tp + known + min(free, 0))
        most.append(high.tp + known + max(free, 0))
    return Fraction(max(least)), Fraction(min(most))


def with_estimate(
    scores: Sequence[float],
    labels: Sequence[Label],
    m: int,
    bounds: dict[str, list[oracle.Table]],
    reference: str = "positives",
) -> dict[str, list[oracle.Table]]:
    """Put the estimate in whole examples, rounded half up, between the tables of both bounds."""
    lower, upper = bounds["lower"], bounds["upper"]
    middle = [
        oracle.Table(
            t.rank, tp, t.rank - tp, t.tp + t.fn - tp, t.tn + t.fp - t.rank + tp, t.clipped
        )
        for t in estimates(scores, labels, m, (lower, upper), reference)
        for tp in [math.floor(t.tp + HALF)]
    ]
    return {"lower": lower, "estimate": middle, "upper": upper}


def latent_positives(labels: Sequence[Label], beta: float | Fraction) -> int:
    """Return the number of latent positives, a half up."""
    return math.floor(Fraction(str(beta)) * oracle.count_label(labels, None) + HALF)


def area(
    method: str,
    scores: Sequence[float],
    labels: Sequence[Label],
    beta: float | Fraction,
    max_fpr: float = 1,
) -> float:
    """Return AUROC or average precision of the completed labeling."""
    tables = completed(scores, labels, latent_positives(labels, beta))
    if method == "average_precision":
        return average_precision(scores, labels, tables)
    return float(auroc(tables, Fraction(str(max_fpr))))


def bedroc(
    scores: Sequence[float], labels: Sequence[Label], beta: float | Fraction, alpha: float
) -> float:
    """Return BEDROC of the completed labeling: each positive has the mean weight of its block."""
    tables, size = completed(scores, labels, latent_positives(labels, beta)), len(labels)
    positives = int(tables[-1].tp)

    def weight(first: int, last: int) -> float:
        return sum(math.exp(-alpha * r / size) for r in range(first, last + 1)) / (
            last + 1 - first
        )

    mean = sum(
        float(after.tp - before.tp) * weight(before.rank + 1, after.rank)
        for before, after in pairwise(tables)
    )
    best, worst = weight(1, positives), weight(size - positives + 1, size)
    return (mean / positives - worst) / (best - worst)
