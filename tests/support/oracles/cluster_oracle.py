"""The one slow reference of errors on new examples: quantities as functions of rows' weights.

What a row adds to an error is the derivative by its weight; what a cluster adds is the sum over
its rows. `base` says how many rows each stands for.
"""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pu_accessor.ranking import BoolArray, FloatArray
from tests.support.oracles import oracle
from tests.support.oracles.completion_oracle import weights

Label = bool | None
Functional = Callable[[FloatArray], float]  # of the weights of the rows, all 1 in the data
Metric = Callable[[float, float, float, float], float]  # of tp, fp, fn, tn

STEP = 1e-4  # of a weight: central differences are exact to about its square


class Shares(NamedTuple):
    """What is not estimated: how many there are of each kind."""

    known: BoolArray
    base: FloatArray
    n: float
    rest: float
    hidden: float  # share of positives among all but the known ones

    @property
    def positives(self) -> float:
        """All of them, the hidden ones too."""
        return self.n + self.hidden * self.rest

    def normed(self, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the weights of known positives and of the rest, each of sum 1."""
        one, other = ((weight * self.base)[kind] for kind in (self.known, ~self.known))
        return one / one.sum(), other / other.sum()


def shares(labels: Sequence[Label], beta: float, base: FloatArray | None = None) -> Shares:
    """Return what the rows' labels and beta say together."""
    known = np.array([label is True for label in labels])
    unlabeled = np.array([label is None for label in labels])
    weight = np.ones(known.size) if base is None else base
    n, rest, open_ = (float(weight[kind].sum()) for kind in (known, ~known, unlabeled))
    return Shares(known, weight, n, rest, beta * open_ / rest)


def auroc_of(scores: Sequence[float], of: Shares) -> Functional:
    """Return AUROC: (P(known above the rest) + half of ties - b/2) / (1 - b)."""
    score = np.array(scores, np.float64)
    wins = (np.sign(score[of.known][:, np.newaxis] - score[~of.known]) + 1) / 2

    def area(weight: FloatArray) -> float:
        one, other = of.normed(weight)
        return (float(one @ wins @ other) - of.hidden / 2) / (1 - of.hidden)

    return area


def heads_of(scores: Sequence[float], of: Shares) -> Callable[[FloatArray], list[FloatArray]]:
    """Return, at the score of each known positive, the known and the other rows above."""
    score = np.array(scores, np.float64)
    above = score[of.known][:, np.newaxis] <= score

    def heads(weight: FloatArray) -> list[FloatArray]:
        one, other = of.normed(weight)
        return [of.n * (above[:, of.known] @ one), of.rest * (above[:, ~of.known] @ other)]

    return heads


def average_precision_of(scores: Sequence[float], of: Shares) -> Functional:
    """Return average precision: the mean over known positives of positives * F / H.

    F is the share of the known positives at or above a score, H the number of all rows there. The
    numbers of both kinds of rows are constants.
    """
    heads = heads_of(scores, of)

    def precision(weight: FloatArray) -> float:
        true, others = heads(weight)
        return float(of.normed(weight)[0] @ (of.positives / of.n * true / (true + others)))

    return precision


def unbiased_precision_of(scores: Sequence[float], of: Shares) -> Functional:
    """Return average precision by other known positives."""
    heads, hidden = heads_of(scores, of), (of.positives - 1) / (of.n - 1)

    def precision(weight: FloatArray) -> float:
        one = of.normed(weight)[0]
        true, others = heads(weight)
        more = true - of.n * one / of.base[of.known]
        return float(one @ ((1 + hidden * more) / (1 + more + others)))

    return precision


def bedroc_of(scores: Sequence[float], of: Shares, alpha: float) -> Functional:
    """Return BEDROC where hidden positives have the mean weight of the known ones."""
    score, size, heads = np.array(scores), of.n + of.rest, heads_of(scores, of)
    tied = (score[of.known][:, np.newaxis] == score) @ of.base
    mean = weights("bedroc", size, alpha)
    top, bottom = (mean(at, of.positives) for at in (0.0, size - of.positives))

    def early(weight: FloatArray) -> float:
        each = mean(sum(heads(weight)) - tied, tied)
        return float((of.normed(weight)[0] @ each - bottom) / (top - bottom))

    return early


def share_of(scores: Sequence[float], of: Shares, threshold: float, kind: int) -> Functional:
    """Return the share above a threshold, of known positives (0) or of the rest (1)."""
    hit = (np.array(scores, np.float64) >= threshold)[of.known if kind == 0 else ~of.known]
    return lambda weight: float(of.normed(weight)[kind] @ hit)


def metric_of(scores: Sequence[float], of: Shares, threshold: float, metric: Metric) -> Functional:
    """Return a metric of the four shares of all examples at a threshold."""
    above = [share_of(scores, of, threshold, kind) for kind in (0, 1)]

    def value(weight: FloatArray) -> float:
        p = of.positives / (of.n + of.rest)
        true, any_other = (share(weight) for share in above)
        false = (any_other - of.hidden * true) / (1 - of.hidden)
        return metric(p * true, (1 - p) * false, p * (1 - true), (1 - p) * (1 - false))

    return value


def of_counts(name: str, *counts: float) -> float:
    """Return a metric of four counts, nan where it has no denominator."""
    table: Any = (0, *(Fraction(float(one)) for one in counts), False)
    return float(oracle.metric(name, oracle.Table(*table)))


METRICS: dict[str, Metric] = {name: partial(of_counts, name) for name in oracle.METRICS}


# ---------------------------------------------------------------------------------------------
# Errors


def contributions(functional: Functional, size: int) -> FloatArray:
    """Return the derivative by the weight of each row: what the row adds to the error."""
    steps = STEP * np.eye(size)
    ends = [(functional(1 + step), functional(1 - step)) for step in steps]
    return np.array([more - less for more, less in ends]) / (2 * STEP)


class Errors(NamedTuple):
    """Squared errors: by clusters, and of independent rows, for each sample and as a sum."""

    added: FloatArray  # by each cluster, with the factor of each sample
    plain: FloatArray  # of known positives, and of the rest
    df: float  # of the sum by clusters
    plain_df: float

    @property
    def effect(self) -> float:
        """The design effect: by clusters it is the sum of squares of what these add."""
        return max(float(self.added @ self.added / self.plain.sum()), 1.0)


def errors(functional: Functional, of: Shares, clusters: Sequence[Hashable]) -> Errors:
    """Return squared errors of a quantity.

    Of a cluster that holds the share a of a sample, the part of that sample is divided by the root
    of 1 - a. Obuchowski (1997) has a factor for each of three terms, and can be below 0.
    """
    slopes = contributions(functional, of.known.size)
    slopes[np.abs(slopes) < 1e-11] = 0.0
    _, code = np.unique(np.array(clusters), return_inverse=True)
    added = whole = np.zeros(code.max() + 1)
    plain, dfs = [], []
    for kind in (of.known, ~of.known):
        sums, held = (np.bincount(code, each * kind) for each in (slopes, of.base))
        added = added + sums / np.sqrt(np.maximum(1 - held / held.sum(), 1e-12))
        whole = whole + sums
        size = of.base[kind].sum()
        each = slopes[kind] / of.base[kind]
        each -= of.base[kind] @ each / size
        plain.append(float(of.base[kind] @ each**2) * size / (size - 1))
        dfs.append(kurtosis_df(each, of.base[kind]))
    holding = np.unique(code[of.known]).size
    moved = whole[np.abs(whole) > 1e-11]
    df = min(kurtosis_df(moved, np.ones(moved.size), 0.0) if moved.size else np.inf, holding - 1)
    squares = np.array(plain)
    parts = float((squares**2 / dfs).sum())
    return Errors(added, squares, df, squares.sum() ** 2 / parts if parts else np.inf)


def kurtosis_df(values: FloatArray, times: FloatArray, mean: float | None = None) -> float:
    """Return the degrees of freedom of a variance, by the kurtosis of its terms."""
    n = times.sum()
    away = values - (values @ times / n if mean is None else mean)
    if not np.any(np.abs(away) > 1e-12):
        return float(n - 1)
    kurtosis = float(times @ away**4 / n / (times @ away**2 / n) ** 2)
    return float(min(2 * n / max(kurtosis - 1, 2 / n), n - 1))
