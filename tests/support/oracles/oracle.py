"""Slow reference for bounds on rankings with unlabeled examples: enumeration and exact sums.

Nothing here is meant to be fast. Every quantity is written the way it is defined, in plain
loops over integers and fractions, so that a faster implementation can be compared with it.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, combinations, pairwise
from typing import NamedTuple

from scipy.integrate import quad

Label = bool | None
Band = tuple[list[int], list[int]]
BandRule = Callable[[int, int, float], Band]
Point = tuple[Fraction, Fraction]

HALF = Fraction(1, 2)
ENUMERATED_UNLABELED = 10  # up to this many unlabeled, surrogate sets are really enumerated
DKW_DIGITS = 60


class Cutoff(NamedTuple):
    """What lies at or above one threshold."""

    rank: int
    threshold: float
    known_positive: int
    known_negative: int
    unlabeled: int


class Totals(NamedTuple):
    """What lies in the whole ranking, with the number of latent positives."""

    known_positive: int
    known_negative: int
    unlabeled: int
    latent: int


class Table(NamedTuple):
    """The contingency table of one bound at one cutoff."""

    rank: int
    tp: int
    fp: int
    fn: int
    tn: int
    clipped: bool


# ---------------------------------------------------------------------------------------------
# Cutoffs and counts


def decimal(value: float) -> Fraction:
    """Return the decimal that a number prints as, exactly."""
    return Fraction(str(value))


def half_alpha(level: float) -> Fraction:
    """Return alpha / 2 for a confidence level strictly between 0 and 1."""
    exact = decimal(level)
    if not 0 < exact < 1:
        raise ValueError("level must lie strictly between 0 and 1")
    return (1 - exact) / 2


def latent_count(beta: float, unlabeled: int) -> int:
    """Return m, the number of latent positives: beta * |U|, rounded half up."""
    share = decimal(beta)
    if not 0 <= share <= 1:
        raise ValueError("beta must lie in [0, 1]")
    return math.floor(share * unlabeled + HALF)


def check_examples(scores: Sequence[float], labels: Sequence[Label]) -> None:
    """Refuse scores that cannot be ranked and labels that are not True, False or None."""
    if len(scores) != len(labels):
        raise ValueError("scores and labels must have the same length")
    if any(math.isnan(score) for score in scores):
        raise ValueError("a score is nan")
    if any(label is not True and label is not False and label is not None for label in labels):
        raise TypeError("a label is not True, False or None")


def count_label(labels: Sequence[Label], wanted: Label) -> int:
    """Count the labels that are the wanted one."""
    return sum(1 for label in labels if label is wanted)


def cutoffs(scores: Sequence[float], labels: Sequence[Label]) -> list[Cutoff]:
    """List all cutoffs from rank 0 to rank N, one after each block of tied scores."""
    check_examples(scores, labels)
    result = [Cutoff(0, math.inf, 0, 0, 0)]
    for threshold in sorted(set(scores), reverse=True):
        head = [lab for score, lab in zip(scores, labels, strict=True) if score >= threshold]
        k, q, h = (count_label(head, wanted) for wanted in (True, False, None))
        result.append(Cutoff(k + q + h, threshold, k, q, h))
    return result


# ---------------------------------------------------------------------------------------------
# The exact band, from all arrangements


def latents_before(known_places: tuple[int, ...], k: int) -> int:
    """Count the places before that of the k-th known positive that hold a latent positive."""
    return sum(1 for place in range(known_places[k - 1]) if place not in known_places)


def latents_before_in_all_arrangements(n: int, m: int, k: int) -> list[int]:
    """List, over all C(n+m, n) arrangements, the latent positives above the k-th known one."""
    return [latents_before(known, k) for known in combinations(range(n + m), n)]


def smallest_head(values: list[int], m: int, tail: Fraction) -> int:
    """Return the smallest theta that is not exceeded with a probability above the tail."""
    for theta in range(m):
        if Fraction(sum(1 for v in values if v <= theta), len(values)) > tail:
            return theta
    return m


def largest_head(values: list[int], m: int, tail: Fraction) -> int:
    """Return the largest theta that is reached with a probability above the tail."""
    for theta in range(m, 0, -1):
        if Fraction(sum(1 for v in values if v >= theta), len(values)) > tail:
            return theta
    return 0


def exact_band_by_enumeration(n: int, m: int, level: float) -> Band:
    """Return the exact band by looking at every arrangement of known and latent positives."""
    tail = half_alpha(level)
    above = [latents_before_in_all_arrangements(n, m, k) for k in range(1, n + 1)]
    lower = [0] + [smallest_head(values, m, tail) for values in above]
    upper = [largest_head(values, m, tail) for values in above] + [m]
    return lower, upper


# ---------------------------------------------------------------------------------------------
# The exact band, from sums of exact probabilities


def arrangement_counts(n: int, m: int, k: int) -> list[int]:
    """Count, for v = 0..m, the arrangements with v latent positives above the k-th known one."""
    # Above it stand k-1 known and v latent positives in any order, below it n-k known and m-v
    # latent ones in any order.
    return [math.comb(k - 1 + v, v) * math.comb(n - k + m - v, m - v) for v in range(m + 1)]


def exact_lower(n: int, m: int, k: int, tail: Fraction) -> int:
    """Return the smallest theta with P(V <= theta) > tail."""
    limit = tail * math.comb(n + m, n)
    at_most = list(accumulate(arrangement_counts(n, m, k)))
    return min(theta for theta in range(m + 1) if at_most[theta] > limit)


def exact_upper(n: int, m: int, k: int, tail: Fraction) -> int:
    """Return the largest theta with P(W >= theta) > tail."""
    limit = tail * math.comb(n + m, n)
    at_least = list(accumulate(reversed(arrangement_counts(n, m, k + 1))))
    at_least.reverse()
    return max(theta for theta in range(m + 1) if at_least[theta] > limit)


def exact_band(n: int, m: int, level: float) -> Band:
    """Return the exact band by summing exact (negative hypergeometric) probabilities."""
    tail = half_alpha(level)
    lower = [0] + [exact_lower(n, m, k, tail) for k in range(1, n + 1)]
    upper = [exact_upper(n, m, k, tail) for k in range(n)] + [m]
    return lower, upper


# ---------------------------------------------------------------------------------------------
# The exact band at a local level such that it covers all cutoffs at once


class Simultaneous(NamedTuple):
    """The supremum of the local alpha, from where on the band is the same, and the band."""

    alpha: Fraction
    since: Fraction
    band: Band


def covered_arrangements(m: int, band: Band) -> int:
    """Count the arrangements whose every prefix lies within a band."""
    before = {0: 1}  # the latent positives that can have passed when the next known one comes
    for low, high in zip(*band, strict=True):
        ways = accumulate(before.get(v, 0) for v in range(low, high + 1))
        before = dict(zip(range(low, high + 1), ways, strict=True))
    return before.get(m, 0)


@lru_cache(maxsize=1)
def tail_counts(n: int, m: int) -> tuple[list[list[int]], list[list[int]]]:
    """Count the arrangements with V <= 0..m for k = 1..n, and with W >= m..0 for k = 0..n-1."""
    at_most = [list(accumulate(arrangement_counts(n, m, k))) for k in range(1, n + 1)]
    at_least = [list(accumulate(reversed(arrangement_counts(n, m, k + 1)))) for k in range(n)]
    return at_most, at_least


def band_at(n: int, m: int, limit: int) -> Band:
    """Return the exact band that rejects tails of no more arrangements than the limit."""
    at_most, at_least = tail_counts(n, m)
    lower = [0] + [bisect_right(counts, limit) for counts in at_most]
    upper = [m - bisect_right(counts, limit) for counts in at_least] + [m]
    return lower, upper


def simultaneous(n: int, m: int, level: float) -> Simultaneous:
    """Return the simultaneous band by counting lattice paths for a bisected local alpha."""
    whole = math.comb(n + m, n)
    cap = half_alpha(level) * whole
    limits = {0}
    for counts in (one for both in tail_counts(n, m) for one in both):
        limits.update(count for count in counts if count <= cap)
    # The band is the same from one limit up to the next, and the wider the lower the limit.
    steps = sorted(limits)
    good, bad = 0, len(steps)
    while bad - good > 1:
        middle = (good + bad) // 2
        if covered_arrangements(m, band_at(n, m, steps[middle])) >= decimal(level) * whole:
            good = middle
        else:
            bad = middle
    alpha = Fraction(2 * (steps[bad] if bad < len(steps) else cap)) / whole
    return Simultaneous(alpha, Fraction(2 * steps[good], whole), band_at(n, m, steps[good]))


def is_at_the_edge(n: int, m: int, level: float) -> bool:
    """Tell if a relative 1e-4 off the local alpha, or rounding of the coverage, moves the band."""
    best = simultaneous(n, m, level)
    tie = covered_arrangements(m, best.band) == decimal(level) * math.comb(n + m, n)
    return tie or best.since > best.alpha * (1 - Fraction(1, 10_000))


def simultaneous_band(n: int, m: int, level: float) -> Band:
    """Return the exact band at the largest local alpha that covers all cutoffs at once."""
    return simultaneous(n, m, level).band


def one_sided(n: int, m: int, level: float) -> Band:
    """Return the widest lower limits that no arrangement but 1 - level of them is ever below."""
    whole = math.comb(n + m, n)
    cap = min(1 - decimal(level), HALF) * whole
    steps = sorted({0, *(count for counts in tail_counts(n, m)[0] for count in counts)})
    sides = [(band_at(n, m, step)[0], [m] * (n + 1)) for step in steps if step <= cap]
    return [side for side in sides if whole - covered_arrangements(m, side) <= cap][-1]


def at_scores(band: BandRule, scores: Sequence[float]) -> BandRule:
    """Return the band at the cutoffs of some scores: few of them need not share 1 - level much."""
    cutoffs = max(len(set(scores)) - 1, 1)

    def shared(n: int, m: int, level: float) -> Band:
        share = (1 - decimal(level)) / cutoffs
        best = simultaneous(n, m, level)
        if share < best.alpha:  # which need not be reached itself
            return best.band
        lower = [0] + [exact_lower(n, m, k, share / 2) for k in range(1, n + 1)]
        return lower, [m - count for count in reversed(lower)]

    return shared if band is simultaneous_band else band


# ---------------------------------------------------------------------------------------------
# The other bands


def require_known(n: int) -> None:
    """Refuse a ranking without known positives."""
    if n < 1:
        raise ValueError("at least one known positive is needed")


def binomial_quantile(n: int, share: Fraction, probability: Fraction) -> int:
    """Return the smallest j at which the CDF of Binomial(n, share) reaches the probability."""
    cdf = Fraction(0)
    for j in range(n):
        cdf += math.comb(n, j) * share**j * (1 - share) ** (n - j)
        if cdf >= probability:
            return j
    return n


def bootstrap_band(n: int, m: int, level: float) -> Band:
    """Return the band from the binomial quantiles to which a percentile bootstrap converges."""
    require_known(n)
    tail = half_alpha(level)
    low = [binomial_quantile(n, Fraction(k, n), tail) for k in range(n + 1)]
    high = [binomial_quantile(n, Fraction(k, n), 1 - tail) for k in range(n + 1)]
    lower = [math.floor(Fraction(j, n) * m) for j in low]
    upper = [math.ceil(Fraction(j, n) * m) for j in high]
    return lower, upper


def dkw_band(n: int, m: int, level: float) -> Band:
    """Return the Dvoretzky-Kiefer-Wolfowitz band, in decimals of many digits."""
    # The half width is irrational, so that no share that is not clipped gives a whole number,
    # and rounding errors in the last digits do not matter.
    require_known(n)
    inverse = 1 / half_alpha(level)
    lower: list[int] = []
    upper: list[int] = []
    with localcontext() as context:
        context.prec = DKW_DIGITS
        ratio = Decimal(inverse.numerator) / Decimal(inverse.denominator)
        width = (ratio.ln() / (2 * n)).sqrt()
        for k in range(n + 1):
            share = Decimal(k) / Decimal(n)
            lower.append(math.floor(max(share - width, Decimal(0)) * m))
            upper.append(math.ceil(min(share + width, Decimal(1)) * m))
    return lower, upper


# ---------------------------------------------------------------------------------------------
# Tables from surrogate sets


def attainable_by_enumeration(above: Sequence[bool], m: int) -> set[int]:
    """Return the heads of all m-subsets of U, given which members of U lie above the cutoff."""
    return {sum(subset) for subset in combinations(above, m)}


def attainable_by_loop(h: int, unlabeled: int, m: int) -> set[int]:
    """Return every j such that j members fit among the h above and m - j among those below."""
    heads: set[int] = set()
    for j in range(m + 1):
        if j <= h and m - j <= unlabeled - h:
            heads.add(j)
    return heads


def attainable(h: int, unlabeled: int, m: int) -> set[int]:
    """Return the attainable heads, by enumeration as long as U is small."""
    if unlabeled <= ENUMERATED_UNLABELED:
        return attainable_by_enumeration([True] * h + [False] * (unlabeled - h), m)
    return attainable_by_loop(h, unlabeled, m)


def nearest(heads: set[int], theta: int) -> int:
    """Return the attainable head nearest to theta, which must be a single one."""
    distance = min(abs(head - theta) for head in heads)
    (head,) = (head for head in heads if abs(head - theta) == distance)
    return head


def table_at(cutoff: Cutoff, totals: Totals, theta: int) -> Table:
    """Return the table at a cutoff when theta latent positives are wanted in the head."""
    k, q, h = cutoff.known_positive, cutoff.known_negative, cutoff.unlabeled
    heads = attainable(h, totals.unlabeled, totals.latent)
    head = nearest(heads, theta)
    below = totals.latent - head
    return Table(
        rank=cutoff.rank,
        tp=k + head,
        fp=q + h - head,
        fn=(totals.known_positive - k) + below,
        tn=(totals.known_negative - q) + (totals.unlabeled - h) - below,
        clipped=theta not in heads,
    )


def tables(
    scores: Sequence[float], labels: Sequence[Label], beta: float, level: float, band: BandRule
) -> dict[str, list[Table]]:
    """Return the tables of both bounds at all cutoffs."""
    u = count_label(labels, None)
    m = latent_count(beta, u)
    totals = Totals(count_label(labels, True), count_label(labels, False), u, m)
    require_known(totals.known_positive)
    lower, upper = at_scores(band, scores)(totals.known_positive, m, level)
    thetas = {"lower": lower, "upper": upper}
    steps = cutoffs(scores, labels)
    return {
        bound: [table_at(step, totals, theta[step.known_positive]) for step in steps]
        for bound, theta in thetas.items()
    }


# ---------------------------------------------------------------------------------------------
# Curves and areas


def roc_points(tables: Sequence[Table]) -> list[Point]:
    """Return the points (fpr, tpr)."""
    return [(false_positive_rate(table), true_positive_rate(table)) for table in tables]


def height_at(start: Point, end: Point, x: Fraction) -> Fraction:
    """Return the height at x of the straight line through two points."""
    return start[1] + (end[1] - start[1]) * (x - start[0]) / (end[0] - start[0])


def area_left_of(start: Point, end: Point, limit: Fraction) -> Fraction:
    """Return the signed area under the part of a segment that lies at x <= limit."""
    left = min(start[0], limit)
    right = min(end[0], limit)
    if left == right:
        return Fraction(0)
    heights = height_at(start, end, left) + height_at(start, end, right)
    return (right - left) * heights / 2


def roc_area(tables: Sequence[Table], max_fpr: float | None = None) -> Fraction:
    """Return the ROC area, or its part up to max_fpr, standardised after McClish."""
    # The fpr of a bound can step back from one cutoff to the next: such a step counts negatively.
    limit = Fraction(1) if max_fpr is None else decimal(max_fpr)
    if not 0 < limit <= 1:
        raise ValueError("max_fpr must lie in (0, 1]")
    steps = pairwise(roc_points(tables))
    area = sum((area_left_of(start, end, limit) for start, end in steps), Fraction(0))
    if limit == 1:
        return area
    chance = limit**2 / 2
    return HALF * (1 + (area - chance) / (limit - chance))


def precision_between(start: Table, end: Table, t: float) -> float:
    """Return the precision a share t of the way from one table to the next, in counts."""
    tp = start.tp + t * (end.tp - start.tp)
    fp = start.fp + t * (end.fp - start.fp)
    if tp + fp == 0:  # a line that leaves the origin has one precision all along
        return end.tp / (end.tp + end.fp)
    return tp / (tp + fp)


def mean_precision(start: Table, end: Table) -> float:
    """Return the mean of the precision over the straight line between two tables."""
    found = quad(lambda t: precision_between(start, end, t), 0, 1, epsabs=1e-12, epsrel=1e-12)
    return float(found[0])


def pr_area(tables: Sequence[Table]) -> float:
    """Return the area under the precision-recall curve, interpolated in counts."""
    positives = tables[0].tp + tables[0].fn
    pieces = [
        (end.tp - start.tp) / positives * mean_precision(start, end)
        for start, end in pairwise(tables)
        if end.tp != start.tp
    ]
    return math.fsum(pieces)


# ---------------------------------------------------------------------------------------------
# Metrics: a missing denominator raises ZeroDivisionError, which `metric` reports as nan


def true_positive_rate(t: Table) -> Fraction:
    """Return the share of the positives that is predicted positive."""
    return Fraction(t.tp, t.tp + t.fn)


def false_positive_rate(t: Table) -> Fraction:
    """Return the share of the negatives that is predicted positive."""
    return Fraction(t.fp, t.fp + t.tn)


def true_negative_rate(t: Table) -> Fraction:
    """Return the share of the negatives that is predicted negative."""
    return Fraction(t.tn, t.fp + t.tn)


def false_negative_rate(t: Table) -> Fraction:
    """Return the share of the positives that is predicted negative."""
    return Fraction(t.fn, t.tp + t.fn)


def precision(t: Table) -> Fraction:
    """Return the share of the predicted positives that is positive."""
    return Fraction(t.tp, t.tp + t.fp)


def negative_predictive_value(t: Table) -> Fraction:
    """Return the share of the predicted negatives that is negative."""
    return Fraction(t.tn, t.tn + t.fn)


def accuracy(t: Table) -> Fraction:
    """Return the share of the predictions that is right."""
    return Fraction(t.tp + t.tn, t.tp + t.fp + t.fn + t.tn)


def balanced_accuracy(t: Table) -> Fraction:
    """Return the mean of the true positive rate and the true negative rate."""
    return (true_positive_rate(t) + true_negative_rate(t)) / 2


def f1(t: Table) -> Fraction:
    """Return the harmonic mean of precision and recall."""
    return Fraction(2 * t.tp, 2 * t.tp + t.fp + t.fn)


def mcc(t: Table) -> float:
    """Return the Matthews correlation coefficient."""
    product = (t.tp + t.fp) * (t.tp + t.fn) * (t.tn + t.fp) * (t.tn + t.fn)
    return (t.tp * t.tn - t.fp * t.fn) / math.sqrt(product)


def informedness(t: Table) -> Fraction:
    """Return the true positive rate plus the true negative rate less one."""
    return true_positive_rate(t) + true_negative_rate(t) - 1


def kappa(t: Table) -> Fraction:
    """Return Cohen's kappa: the agreement beyond chance as a share of what is possible."""
    total = t.tp + t.fp + t.fn + t.tn
    both_positive = Fraction(t.tp + t.fp, total) * Fraction(t.tp + t.fn, total)
    both_negative = Fraction(t.tn + t.fn, total) * Fraction(t.tn + t.fp, total)
    chance = both_positive + both_negative
    return (accuracy(t) - chance) / (1 - chance)


def jaccard(t: Table) -> Fraction:
    """Return true positives as a share of all that is positive or predicted so."""
    return Fraction(t.tp, t.tp + t.fp + t.fn)


def lift(t: Table) -> Fraction:
    """Return precision over prevalence; undefined if nothing is predicted positive."""
    prevalence = Fraction(t.tp + t.fn, t.tp + t.fp + t.fn + t.tn)
    return Fraction(t.tp, t.tp + t.fp) / prevalence


METRICS: dict[str, Callable[[Table], Fraction | float]] = {
    "tpr": true_positive_rate,
    "recall": true_positive_rate,
    "fpr": false_positive_rate,
    "tnr": true_negative_rate,
    "fnr": false_negative_rate,
    "precision": precision,
    "fdr": lambda table: 1 - precision(table),
    "npv": negative_predictive_value,
    "for": lambda table: 1 - negative_predictive_value(table),
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "f1": f1,
    "mcc": mcc,
    "informedness": informedness,
    "kappa": kappa,
    "jaccard": jaccard,
    "lift": lift,
}


def metric(name: str, table: Table) -> float:
    """Return a metric of one table, nan where it has no denominator."""
    try:
        return float(METRICS[name](table))
    except ZeroDivisionError:
        return math.nan
