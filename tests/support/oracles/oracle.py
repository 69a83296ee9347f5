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
from typing import Any, NamedTuple

Label = bool | None
Band = tuple[list[int], list[int]]
BandRule = Callable[[int, int, float], Band]
Point = tuple[Fraction, Fraction]

HALF = Fraction(1, 2)


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


def decimal(value: float | Fraction) -> Fraction:
    """Return the decimal that a number prints as, exactly."""
    return Fraction(str(value))


def half_alpha(level: float) -> Fraction:
    """Return alpha / 2 for a confidence level."""
    return (1 - decimal(level)) / 2


def latent_count(beta: float | Fraction, unlabeled: int) -> int:
    """Return m, the number of latent positives: beta * |U|, rounded half up."""
    return math.floor(decimal(beta) * unlabeled + HALF)


def count_label(labels: Sequence[Label], wanted: Label) -> int:
    """Count the labels that are the wanted one."""
    return sum(1 for label in labels if label is wanted)


def totals(labels: Sequence[Label], beta: float) -> Totals:
    """Count each kind of example, and the latent positives."""
    p, q, u = (count_label(labels, kind) for kind in (True, False, None))
    return Totals(p, q, u, latent_count(beta, u))


def turned(scores: Sequence[float], labels: Sequence[Label]) -> tuple[list[float], list[Label]]:
    """Turn a ranking over: scores negated, both kinds of labels swapped."""
    return [-score for score in scores], [None if x is None else not x for x in labels]


def cutoffs(scores: Sequence[float], labels: Sequence[Label]) -> list[Cutoff]:
    """List all cutoffs from rank 0 to rank N, one after each block of tied scores."""
    result = [Cutoff(0, math.inf, 0, 0, 0)]
    for threshold in sorted(set(scores), reverse=True):
        head = [lab for score, lab in zip(scores, labels, strict=True) if score >= threshold]
        k, q, h = (count_label(head, wanted) for wanted in (True, False, None))
        result.append(Cutoff(k + q + h, threshold, k, q, h))
    return result


# ---------------------------------------------------------------------------------------------
# The exact band, from all arrangements


def exact_band_by_enumeration(n: int, m: int, level: float) -> Band:
    """Return the exact band by looking at every arrangement of known and latent positives."""
    ways = [*combinations(range(n + m), n)]  # places of known positives, best first
    tail, rows = half_alpha(level) * len(ways), range(m + 1)
    above = [[places[k] - k for places in ways] for k in range(n)]
    lower = [min(t for t in rows if sum(v <= t for v in some) > tail) for some in above]
    upper = [max(t for t in rows if sum(v >= t for v in some) > tail) for some in above]
    return [0, *lower], [*upper, m]


# ---------------------------------------------------------------------------------------------
# The exact band, from sums of exact probabilities


def arrangement_counts(n: int, m: int, k: int) -> list[int]:
    """Count, for v = 0..m, the arrangements with v latent positives above the k-th known one."""
    # Above it stand k-1 known and v latent positives in any order, below it n-k known and m-v
    # latent ones in any order.
    return [math.comb(k - 1 + v, v) * math.comb(n - k + m - v, m - v) for v in range(m + 1)]


@lru_cache(maxsize=1)
def tail_counts(n: int, m: int) -> tuple[list[list[int]], list[list[int]]]:
    """Count the arrangements with V <= 0..m for k = 1..n, and with W >= m..0 for k = 0..n-1."""
    at_most = [list(accumulate(arrangement_counts(n, m, k))) for k in range(1, n + 1)]
    at_least = [list(accumulate(reversed(arrangement_counts(n, m, k + 1)))) for k in range(n)]
    return at_most, at_least


def band_at(n: int, m: int, limit: Fraction) -> Band:
    """Return the exact band that rejects tails of no more arrangements than the limit."""
    at_most, at_least = tail_counts(n, m)
    lower = [0] + [bisect_right(counts, limit) for counts in at_most]
    upper = [m - bisect_right(counts, limit) for counts in at_least] + [m]
    return lower, upper


def exact_band(n: int, m: int, level: float) -> Band:
    """Return the band by exact (negative hypergeometric) probabilities."""
    return band_at(n, m, half_alpha(level) * math.comb(n + m, n))


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


def simultaneous(n: int, m: int, level: float) -> Simultaneous:
    """Return the simultaneous band by counting lattice paths for a bisected local alpha."""
    whole = math.comb(n + m, n)
    cap = half_alpha(level) * whole
    # The band is the same from one limit up to the next, and the wider the lower the limit.
    every = (count for side in tail_counts(n, m) for counts in side for count in counts)
    steps = sorted({Fraction(0), *(Fraction(count) for count in every if count <= cap)})
    good, bad = 0, len(steps)
    while bad - good > 1:
        middle = (good + bad) // 2
        if covered_arrangements(m, band_at(n, m, steps[middle])) >= decimal(level) * whole:
            good = middle
        else:
            bad = middle
    alpha = 2 * (steps[bad] if bad < len(steps) else cap) / whole
    return Simultaneous(alpha, 2 * steps[good] / whole, band_at(n, m, steps[good]))


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
    limits = [Fraction(step) for step in steps if step <= cap]
    sides = [(band_at(n, m, limit)[0], [m] * (n + 1)) for limit in limits]
    return [side for side in sides if whole - covered_arrangements(m, side) <= cap][-1]


def at_scores(band: BandRule, scores: Sequence[float]) -> BandRule:
    """Return the band at the cutoffs of some scores: few of them need not share 1 - level much."""
    cutoffs = max(len(set(scores)) - 1, 1)

    def shared(n: int, m: int, level: float) -> Band:
        share = (1 - decimal(level)) / cutoffs
        best = simultaneous(n, m, level)
        if share < best.alpha:  # which need not be reached itself
            return best.band
        return band_at(n, m, share / 2 * math.comb(n + m, n))

    return shared if band is simultaneous_band else band


# ---------------------------------------------------------------------------------------------
# The other bands


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
    inverse = 1 / half_alpha(level)
    with localcontext() as context:
        context.prec = 60
        ratio = Decimal(inverse.numerator) / Decimal(inverse.denominator)
        width = (ratio.ln() / (2 * n)).sqrt()
        shares = [Decimal(k) / Decimal(n) for k in range(n + 1)]
        lower = [math.floor(max(share - width, Decimal(0)) * m) for share in shares]
        upper = [math.ceil(min(share + width, Decimal(1)) * m) for share in shares]
    return lower, upper


# ---------------------------------------------------------------------------------------------
# Tables from surrogate sets


def table_at(cutoff: Cutoff, totals: Totals, theta: int) -> Table:
    """Return the table at a cutoff when theta latent positives are wanted in the head."""
    k, h = cutoff.known_positive, cutoff.unlabeled
    head = min(max(theta, totals.latent - (totals.unlabeled - h), 0), h, totals.latent)
    positives, size = totals.known_positive + totals.latent, sum(totals[:3])
    return table_of(cutoff.rank, k + head, positives, size, head != theta)


def table_of(rank: int, tp: Any, positives: int, size: int, clipped: bool = False) -> Table:
    """Return the table with so many true positives at a rank."""
    return Table(rank, tp, rank - tp, positives - tp, size - positives - rank + tp, clipped)


def tables(
    scores: Sequence[float], labels: Sequence[Label], beta: float, level: float, band: BandRule
) -> dict[str, list[Table]]:
    """Return the tables of both bounds at all cutoffs."""
    whole, steps = totals(labels, beta), cutoffs(scores, labels)
    thetas = at_scores(band, scores)(whole.known_positive, whole.latent, level)
    return {
        bound: [table_at(step, whole, theta[step.known_positive]) for step in steps]
        for bound, theta in zip(("lower", "upper"), thetas, strict=True)
    }


# ---------------------------------------------------------------------------------------------
# Curves and areas


def roc_area(tables: Sequence[Table], max_fpr: float | None = None) -> Fraction:
    """Return the ROC area, or its part up to max_fpr, standardised after McClish."""
    points = [(1 - of_negatives(t), of_positives(t)) for t in tables]
    return area_under(points, Fraction(1) if max_fpr is None else decimal(max_fpr))


def area_under(points: Sequence[Point], limit: Fraction) -> Fraction:
    """Return the area under straight lines between points, up to a false positive rate.

    That of a bound can step back from one cutoff to the next: such a step counts negatively.
    """
    area = Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(points):
        left, right = min(x0, limit), min(x1, limit)
        if left != right:
            middle = (left + right) / 2
            area += (right - left) * (y0 + (y1 - y0) * (middle - x0) / (x1 - x0))
    chance = limit**2 / 2
    return area if limit == 1 else HALF * (1 + (area - chance) / (limit - chance))


# ---------------------------------------------------------------------------------------------
# Metrics: a missing denominator raises ZeroDivisionError, which `metric` reports as nan


def of_predicted(t: Table) -> Fraction:
    """Return precision."""
    return Fraction(t.tp, t.tp + t.fp)


def of_positives(t: Table) -> Fraction:
    """Return recall."""
    return Fraction(t.tp, t.tp + t.fn)


def of_negatives(t: Table) -> Fraction:
    """Return the share of the negatives that is predicted negative."""
    return Fraction(t.tn, t.tn + t.fp)


def mcc(t: Table) -> float:
    """Return the Matthews correlation coefficient."""
    product = (t.tp + t.fp) * (t.tp + t.fn) * (t.tn + t.fp) * (t.tn + t.fn)
    return (t.tp * t.tn - t.fp * t.fn) / math.sqrt(product)


def kappa(t: Table) -> Fraction:
    """Return Cohen's kappa: the agreement beyond chance as a share of what is possible."""
    size = t.tp + t.fp + t.fn + t.tn
    pairs = (t.tp + t.fp) * (t.tp + t.fn) + (t.tn + t.fn) * (t.tn + t.fp)
    chance = Fraction(pairs, size**2)
    return (Fraction(t.tp + t.tn, size) - chance) / (1 - chance)


METRICS: dict[str, Callable[[Table], Fraction | float]] = {
    **{"tpr": of_positives, "recall": of_positives, "tnr": of_negatives},
    **{"precision": of_predicted, "mcc": mcc, "kappa": kappa},
    "fpr": lambda t: 1 - of_negatives(t),
    "fnr": lambda t: 1 - of_positives(t),
    "fdr": lambda t: 1 - of_predicted(t),
    "npv": lambda t: Fraction(t.tn, t.tn + t.fn),
    "for": lambda t: Fraction(t.fn, t.tn + t.fn),
    "accuracy": lambda t: Fraction(t.tp + t.tn, t.tp + t.fp + t.fn + t.tn),
    "balanced_accuracy": lambda t: (of_positives(t) + of_negatives(t)) / 2,
    "f1": lambda t: Fraction(2 * t.tp, 2 * t.tp + t.fp + t.fn),
    "informedness": lambda t: of_positives(t) + of_negatives(t) - 1,
    "jaccard": lambda t: Fraction(t.tp, t.tp + t.fp + t.fn),
    "lift": lambda t: of_predicted(t) * (t.tp + t.fp + t.fn + t.tn) / (t.tp + t.fn),
}


def metric(name: str, table: Table) -> float:
    """Return a metric of one table, nan where it has no denominator."""
    try:
        return float(METRICS[name](table))
    except ZeroDivisionError:
        return math.nan
