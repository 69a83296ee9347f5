"""Slow reference for the one estimate: a possible labeling, in fractions, row by row.

Written from the words of docs, not from the package: limits are taken over all pairs of edges,
and areas by going through all examples.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tests.support.oracles import oracle
from tests.support.oracles.oracle import Label, Table

QUARTER, HALF = Fraction(1, 4), Fraction(1, 2)
Scores = Sequence[float]
Labels = Sequence[Label]
Stands = Sequence[Fraction] | None
Bounds = dict[str, list[Table]]
Corner = tuple[Fraction, Fraction]  # unlabeled examples above, and latent positives among them


class Completed(NamedTuple):
    """A cutoff with its counts."""

    rank: int
    tp: Fraction
    fp: Fraction


def edges(scores: Scores, labels: Labels, stands: Stands) -> list[Corner]:
    """Return the unlabeled and the known positives above both edges of each block with known ones.

    A known positive that is tied with no unlabeled one counts by half. `stands` says for how many
    each one counts, n in all, best first.
    """
    each, places = stands or [Fraction(1)] * oracle.count_label(labels, True), []
    for before, after in pairwise(oracle.cutoffs(scores, labels)):
        known = [sum(each[: step.known_positive], Fraction(0)) for step in (before, after)]
        if before.unlabeled == after.unlabeled:
            known = [sum(known, Fraction(0)) / 2] * 2
        if before.known_positive < after.known_positive:
            heads = Fraction(before.unlabeled), Fraction(after.unlabeled)
            places += [*zip(heads, known, strict=True)]
    return places


def find_corners(scores: Scores, labels: Labels, m: int, stands: Stands = None) -> list[Corner]:
    """Return the corners of the estimate."""
    unlabeled, n = (oracle.count_label(labels, kind) for kind in (None, True))
    places = edges(scores, labels, stands)
    share = [min(max((known - QUARTER) / (n - HALF), Fraction(0)), 1) for _, known in places]
    raw = [head - m * part for (head, _), part in zip(places, share, strict=True)]
    last, corners = places[-1][0], [(Fraction(0), Fraction(0))]
    for i, (head, _) in enumerate(places):
        false = (min(raw[i:]) + max(raw[: i + 1])) / 2
        false = min(max(false, head - m, Fraction(0)), head, Fraction(unlabeled - m))
        false = false if n == 1 else min(false, max(last - m, Fraction(0)))
        corners.append((head, head - false))
    end = min(math.ceil(last + m - corners[-1][1]), unlabeled)
    return [*corners, (Fraction(end), Fraction(m)), (Fraction(unlabeled), Fraction(m))]


def latent_above(
    scores: Scores, labels: Labels, m: int, heads: Sequence[int], stands: Stands = None
) -> list[Fraction]:
    """Return the latent positives among the first unlabeled examples, for each of some heads.

    They are on straight lines through the corners; of a jump the last.
    """
    steps, found = [*pairwise(find_corners(scores, labels, m, stands))], []
    for x in heads:
        (left, low), (right, high) = [step for step in steps if step[0][0] <= x <= step[1][0]][-1]
        part = (x - left) / (right - left) if left < right else 1
        found.append(low + (high - low) * part)
    return found


def completed(
    scores: Scores, labels: Labels, m: int, reference: str = "positives", stands: Stands = None
) -> list[Completed]:
    """Return the table of the estimate at each cutoff."""
    steps, unlabeled = oracle.cutoffs(scores, labels), oracle.count_label(labels, None)
    heads = [step.unlabeled for step in steps]
    if reference == "negatives":
        below = latent_above(
            *oracle.turned(scores, labels), unlabeled - m, [unlabeled - head for head in heads]
        )
        latent = [head - (unlabeled - m - tail) for head, tail in zip(heads, below, strict=True)]
    else:
        latent = latent_above(scores, labels, m, heads, stands)
    tp = [step.known_positive + v for step, v in zip(steps, latent, strict=True)]
    return [Completed(s.rank, true, s.rank - true) for s, true in zip(steps, tp, strict=True)]


# Tables


def estimates(
    scores: Scores, labels: Labels, m: int, ends: Any = None, rounded: bool = False, **how: Any
) -> list[Table]:
    """Return the tables of the estimate, cut to the labelings between two bounds.

    From one cutoff to another true positives grow by the known positives there, and by no more
    than the unlabeled examples between.
    """
    steps, found = oracle.cutoffs(scores, labels), []
    positives, size = oracle.count_label(labels, True) + m, len(labels)
    for i, here in enumerate(completed(scores, labels, m, **how)):
        tp, clipped = here.tp, False
        if ends is not None:
            least, most = [], []
            for step, low, high in zip(steps, *ends, strict=True):
                free = steps[i].unlabeled - step.unlabeled
                known = steps[i].known_positive - step.known_positive
                least.append(low.tp + known + min(free, 0))
                most.append(high.tp + known + max(free, 0))
            _, tp, _ = sorted([max(least), here.tp, min(most)])
            clipped = tp != here.tp or not ends[0][i].tp <= tp <= ends[1][i].tp
        tp = Fraction(math.floor(tp + HALF)) if rounded else tp
        found.append(oracle.table_of(here.rank, tp, positives, size, clipped))
    return found


def with_estimate(
    scores: Scores,
    labels: Labels,
    m: int,
    bounds: Bounds,
    reference: str = "positives",
    rounded: bool = True,
) -> Bounds:
    """Put the estimate between the tables of both bounds, in whole examples, rounded half up.

    Where no labeling is between the bounds, they are widened to the estimate.
    """
    ends, found = (bounds["lower"], bounds["upper"]), {}
    each = (estimates(scores, labels, m, ends, r, reference=reference) for r in (rounded, False))
    found["estimate"], exact = each
    for bound, sign in (("lower", 1), ("upper", -1)):
        found[bound] = [
            middle if sign * own.tp > sign * whole.tp else own
            for own, middle, whole in zip(bounds[bound], found["estimate"], exact, strict=True)
        ]
    return found


# Areas


def auroc(tables: Sequence[Completed], max_fpr: Fraction = Fraction(1)) -> Fraction:
    """Return the area under straight lines."""
    p, q = Fraction(tables[-1].tp), Fraction(tables[-1].fp)
    return oracle.area_under([(cut.fp / q, cut.tp / p) for cut in tables], max_fpr)


def average_precision(
    scores: Scores, labels: Labels, tables: Sequence[Completed], factor: Fraction = Fraction(1)
) -> float:
    """Return the mean precision of positives; those between labeled scores are at random places.

    Each positive counts `factor` times among the examples above it.

    The unlabeled examples between two labeled scores are one stretch, whatever ties there are,
    but for a corner of the estimate among them.
    """

    def slope(a: Completed, b: Completed) -> Fraction:
        return (b.tp - a.tp) / (b.rank - a.rank)

    labeled = [s.known_positive + s.known_negative for s in oracle.cutoffs(scores, labels)]
    total, i = 0.0, 0
    while i + 1 < len(tables):
        end = i + 1
        while labeled[end] == labeled[i] and end + 1 < len(tables):
            a, b, c = tables[i], tables[end], tables[end + 1]
            if labeled[end + 1] > labeled[i] or slope(b, c) != slope(a, b):
                break
            end += 1
        a, b = tables[i], tables[end]
        if labeled[end] > labeled[i]:
            total += float((b.tp - a.tp) * factor * b.tp / (b.fp + factor * b.tp))
        else:
            total += _at_random(a, b, factor)
        i = end
    return total / float(tables[-1].tp)


def _at_random(before: Completed, after: Completed, factor: Fraction) -> float:
    """Return the sum of precisions of expected tables, over places of one or two whole numbers."""
    size, gained = after.rank - before.rank, after.tp - before.tp
    whole, total = math.floor(gained), Fraction(0)
    parts = [(whole, 1 - (gained - whole)), (whole + 1, gained - whole)]
    for r in range(1, size + 1 if gained else 1):
        expected = Fraction(0)  # true positives, where there is a positive at this rank
        for number, share in parts:
            others = Fraction((r - 1) * (number - 1), max(size - 1, 1))
            expected += share * number / gained * (before.tp + 1 + others)
        false = before.rank + r - expected
        total += gained / size * factor * expected / (false + factor * expected)
    return float(total)


def area(
    method: str, scores: Scores, labels: Labels, beta: float | Fraction, max_fpr: float = 1
) -> float:
    """Return AUROC or average precision of the completed labeling."""
    tables = completed(scores, labels, oracle.latent_count(beta, labels.count(None)))
    if method == "average_precision":
        return average_precision(scores, labels, tables)
    return float(auroc(tables, Fraction(str(max_fpr))))


def weights(metric: str, size: float, how: float) -> Callable[[Any, Any], Any]:
    """Return the mean weight of so many ranks after some others: of BEDROC, or NDCG to a depth."""

    def exponential(start: Any, length: Any) -> Any:
        return -np.exp(-how * start / size) * np.expm1(-how * length / size) / length

    def discount(start: float, length: float) -> float:
        total = 0.0
        for rank in range(1, min(int(how), int(size)) + 1):
            part = min(start + length, rank) - max(start, rank - 1)
            total += max(part, 0) / math.log2(1 + rank)
        return total / length

    return exponential if metric == "bedroc" else discount


def early(
    metric: str, scores: Scores, labels: Labels, beta: float | Fraction, how: float
) -> float:
    """Return BEDROC or NDCG of the completed labeling, on the scale from worst to best."""
    tables = completed(scores, labels, oracle.latent_count(beta, labels.count(None)))
    size = len(labels)
    positives, weight, mean = int(tables[-1].tp), weights(metric, size, how), 0.0
    for a, b in pairwise(tables):
        mean += float(b.tp - a.tp) / positives * weight(a.rank, b.rank - a.rank)
    worst = weight(size - positives, positives) if metric == "bedroc" else 0.0
    return float((mean - worst) / (weight(0, positives) - worst))
