"""Slow reference for clustered errors: Obuchowski's variance, and derivatives by weights.

Every quantity on new examples is written as a functional of the weights of the rows. What a row
contributes to its error is the numerical derivative by the weight of that row, a second opinion
deletes one cluster after the other. Obuchowski's variance is a fraction.

Four patients, two of them with a diseased and a healthy side, one with either alone. By hand:
V10 = 1, 5/6, 1/2 and V01 = 5/6, 1/2, 1, area 7/9; less the area 4, 1, -5 and 1, -5, 4
eighteenths, so S10 = S01 = 1/2 * 42/324 = 7/108 and S11 = 4/3 * (4 - 5)/324 = -1/243.

>>> by_hand = obuchowski([3, 1, 2, 2, 1, 0], [True, False, True, False, True, False], "AABBCD")
>>> print(*by_hand)
7/9 7/108 7/108 -1/243 185/4374
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pu_accessor.ranking import BoolArray, FloatArray
from tests.support.oracles.comparison_oracle import Labels, Scores, negatives, positives

Clusters = Sequence[Hashable]
Functional = Callable[[FloatArray], float]  # of the weights of the rows, all 1 in the data
Metric = Callable[[float, float, float, float], float]  # of tp, fp, fn, tn

STEP = 1e-4  # of a weight: central differences are exact to about its square


# ---------------------------------------------------------------------------------------------
# Fully labeled: Obuchowski


class Obuchowski(NamedTuple):
    """The area, sums of squares of sums by cluster, and the variance of the area."""

    area: Fraction
    s10: Fraction
    s01: Fraction
    s11: Fraction
    variance: Fraction


def obuchowski(scores: Scores, diseased: Sequence[bool], clusters: Clusters) -> Obuchowski:
    """Return the area under a clustered ROC curve, and its variance.

    N. A. Obuchowski, *Nonparametric analysis of clustered ROC curve data*, Biometrics 53 (1997)
    567-578. Cluster i has m_i diseased and n_i healthy units, M and N in all. I10 clusters hold
    diseased units, I01 healthy ones, I either. With V10 and V01 the structural components of
    DeLong, DeLong and Clarke-Pearson, and a dot for a sum over the units of a cluster,

    S10 = I10/((I10 - 1) M) * sum of (V10_i. - m_i A)^2,
    S01 = I01/((I01 - 1) N) * sum of (V01_i. - n_i A)^2,
    S11 = I/(I - 1) * sum of (V10_i. - m_i A)(V01_i. - n_i A),
    variance = S10/M + S01/N + 2 S11/(M N).
    """
    rows = list(zip(scores, diseased, clusters, strict=True))
    x = [(score, cluster) for score, ill, cluster in rows if ill]
    y = [(score, cluster) for score, ill, cluster in rows if not ill]
    v10 = [(_mean(_wins(s, t) for t, _ in y), cluster) for s, cluster in x]
    v01 = [(_mean(_wins(t, s) for t, _ in x), cluster) for s, cluster in y]
    area = _mean(component for component, _ in v10)
    x_sum, y_sum = ({c: _apart(part, area, c) for c in set(clusters)} for part in (v10, v01))
    s10 = _inflated(x) * sum(each**2 for each in x_sum.values()) / len(x)
    s01 = _inflated(y) * sum(each**2 for each in y_sum.values()) / len(y)
    s11 = _inflated(x + y) * sum(x_sum[c] * y_sum[c] for c in set(clusters))
    squared = s10 / len(x) + s01 / len(y) + 2 * s11 / (len(x) * len(y))
    return Obuchowski(area, s10, s01, s11, squared)


def _wins(diseased: float, healthy: float) -> Fraction:
    return Fraction((diseased > healthy) - (diseased < healthy) + 1, 2)


def _mean(values: Iterable[Fraction]) -> Fraction:
    listed = list(values)
    return sum(listed, Fraction(0)) / len(listed)


def _apart(
    components: Sequence[tuple[Fraction, Hashable]], area: Fraction, cluster: Hashable
) -> Fraction:
    """Return the components of a cluster, summed, less as often the area."""
    return sum((v - area for v, own in components if own == cluster), Fraction(0))


def _inflated(units: Sequence[tuple[float, Hashable]]) -> Fraction:
    clusters = len({cluster for _, cluster in units})
    return Fraction(clusters, clusters - 1)


# ---------------------------------------------------------------------------------------------
# Quantities on new examples, as functionals of weights of rows


class Shares(NamedTuple):
    """What is not estimated: how many there are of each kind."""

    known: BoolArray
    hidden: float  # share of positives among all but the known ones
    prevalence: float
    head: float  # share of the known positives among all rows


def shares(labels: Labels, beta: float) -> Shares:
    """Return what the rows' labels and beta say together."""
    known = np.array([label is True for label in labels])
    others, size = int((~known).sum()), known.size
    hidden = 1 - float(negatives(labels, beta)) / others
    return Shares(known, hidden, float(positives(labels, beta)) / size, 1 - others / size)


def auroc_of(scores: Scores, labels: Labels, beta: float) -> Functional:
    """Return AUROC: (P(known above the rest) + half of ties - b/2) / (1 - b)."""
    of, score = shares(labels, beta), np.array(scores, np.float64)
    wins = (np.sign(score[of.known][:, np.newaxis] - score[~of.known]) + 1) / 2

    def area(weight: FloatArray) -> float:
        one, other = _normed(weight, of.known)
        return (float(one @ wins @ other) - of.hidden / 2) / (1 - of.hidden)

    return area


def average_precision_of(scores: Scores, labels: Labels, beta: float) -> Functional:
    """Return average precision: the mean over known positives of prevalence * F / H.

    F is the share of the known positives at or above a score, H that of all rows. The shares of
    both kinds among all rows, and the prevalence, are constants.
    """
    of, score = shares(labels, beta), np.array(scores, np.float64)
    known_above = score[of.known][:, np.newaxis] <= score[of.known]
    others_above = score[of.known][:, np.newaxis] <= score[~of.known]

    def precision(weight: FloatArray) -> float:
        one, other = _normed(weight, of.known)
        f, g = known_above @ one, others_above @ other
        every = of.head * f + (1 - of.head) * g
        kept = one > 0  # a deleted best row has nothing at or above it
        return float(one[kept] @ (of.prevalence * f[kept] / every[kept]))

    return precision


def unbiased_precision_of(scores: Scores, labels: Labels, beta: float) -> Functional:
    """Return average precision by other known positives, as a functional of weights of rows."""
    known, score = np.array(labels) == True, np.array(scores, np.float64)  # noqa: E712
    n, rest = known.sum(), (~known).sum()
    hidden = (n + beta * rest - 1) / (n - 1)

    def precision(weight: FloatArray) -> float:
        times = np.where(known, n / weight[known].sum(), rest / weight[~known].sum()) * weight
        whole = 0.0
        for row in np.flatnonzero(known):
            above = (score >= score[row]) & (np.arange(known.size) != row)
            others = times[above & known].sum()
            rank = 1 + others + times[above & ~known].sum()
            whole += times[row] / n * (1 + hidden * others) / rank
        return float(whole)

    return precision


def metric_of(
    scores: Scores, labels: Labels, beta: float, threshold: float, metric: Metric
) -> Functional:
    """Return a metric of the four shares of all examples at a threshold."""
    of, hit = shares(labels, beta), np.array(scores, np.float64) >= threshold
    p = of.prevalence

    def value(weight: FloatArray) -> float:
        one, other = _normed(weight, of.known)
        true, any_other = float(one @ hit[of.known]), float(other @ hit[~of.known])
        false = (any_other - of.hidden * true) / (1 - of.hidden)
        return metric(p * true, (1 - p) * false, p * (1 - true), (1 - p) * (1 - false))

    return value


METRICS: dict[str, Metric] = {
    "recall": lambda tp, fp, fn, tn: tp / (tp + fn),
    "fpr": lambda tp, fp, fn, tn: fp / (fp + tn),
    "precision": lambda tp, fp, fn, tn: tp / (tp + fp),
    "f1": lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn),
    "accuracy": lambda tp, fp, fn, tn: tp + tn,
}


def _normed(weight: FloatArray, known: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return the weights of known positives and of the rest, each of sum 1."""
    one, other = weight[known], weight[~known]
    return one / one.sum(), other / other.sum()


# ---------------------------------------------------------------------------------------------
# Errors


def contributions(functional: Functional, size: int) -> FloatArray:
    """Return the derivative by the weight of each row: what the row adds to the error."""
    slopes = np.empty(size)
    for row in range(size):
        ends = []
        for step in (STEP, -STEP):
            weight = np.ones(size)
            weight[row] += step
            ends.append(functional(weight))
        slopes[row] = (ends[0] - ends[1]) / (2 * STEP)
    return slopes


def sums(contributed: FloatArray, clusters: Clusters) -> list[float]:
    """Return what each cluster contributes, both kinds of rows together."""
    total: dict[Hashable, float] = {}
    for value, cluster in zip(contributed.tolist(), clusters, strict=True):
        total[cluster] = total.get(cluster, 0.0) + value
    return list(total.values())


def holding(labels: Labels, clusters: Clusters) -> int:
    """Return the number of clusters that hold a known positive."""
    return len({c for label, c in zip(labels, clusters, strict=True) if label is True})


def variance(functional: Functional, labels: Labels, clusters: Clusters) -> float:
    """Return the sum of squares of sums by cluster, each part as though its cluster were left out.

    Of a cluster that holds the share a of a sample, the part of that sample is divided by the root
    of 1 - a. Obuchowski has a factor for each of three terms, and can be below 0.
    """
    contributed, total = contributions(functional, len(labels)), 0.0
    kinds = [label is True for label in labels]
    for cluster in set(clusters):
        together = 0.0
        for kind in (True, False):
            rows = [i for i, each in enumerate(kinds) if each is kind]
            own = [i for i in rows if clusters[i] == cluster]
            if own:
                left = 1 - len(own) / len(rows)
                together += sum(contributed[i] for i in own) / left**0.5
        total += together**2
    return total
