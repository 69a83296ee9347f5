"""Influences: what each example adds to the error of a quantity on future data.

Known positives and the rest are two samples. An estimate is off by the sum of the influences of
its examples [1]; standard errors, clusters and comparisons follow from these. Those of AUROC are
placements [2, 3]. Clusters are independent: the variance is the sum of squares of their sums [4].

[1] F. R. Hampel, J. Am. Stat. Assoc. 69 (1974) 383-393. [2] E. R. DeLong, D. M. DeLong, D. L.
Clarke-Pearson, Biometrics 44 (1988) 837-845. [3] X. Sun, W. Xu, IEEE Signal Processing Letters 21
(2014) 1389-1393. [4] N. A. Obuchowski, Biometrics 53 (1997) 567-578. [5] B. L. Welch, Biometrika
34 (1947) 28-35.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple, TypeAlias, cast

import numpy as np
import scipy

from pu_accessor.inference.known_positives import count_negatives
from pu_accessor.ranking import (
    Clusters,
    CountArray,
    Counts,
    FloatArray,
    KnownBlocks,
    Ranking,
    increments,
)

_MIN_VARIANCE = 1e-20  # smaller variances of placements are rounding errors
_MIN_REMAINDER = 1e-12  # share of a sample outside of one cluster
_MIN_SUM = 1e-12  # of a cluster, relative to the largest; smaller ones are rounding errors
_RELATIVE_ROUNDING = 1e-14  # smaller spreads, relative to the values, are none


class Influence(NamedTuple):
    """Influences of a known positive and of one of the rest, in each step between two cutoffs."""

    ranking: Ranking
    known: FloatArray  # of a known positive, shape (steps,)
    rest: FloatArray  # of one of the rest


class Design(NamedTuple):
    """Variance of clustered examples relative to that of independent ones."""

    effect: float = 1.0  # the design effect: factor of the variance
    df: float = np.inf  # degrees of freedom at most


def wilson_interval(
    successes: FloatArray, size: FloatArray | float, level: float, design: Design | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's score interval of a binomial probability; clustered with a design."""
    effect, df = design or Design()
    successes, size = successes / effect, size / effect
    square = scipy.special.stdtrit(df, (1 + level) / 2) ** 2
    middle = successes + square / 2
    half_width = np.sqrt(square * (successes * (size - successes) / size + square / 4))
    # Avoid rounding errors at 0 and 1.
    lower = np.where(successes > 0, (middle - half_width) / (size + square), 0.0)
    upper = np.where(successes < size, (middle + half_width) / (size + square), 1.0)
    return lower, upper


def adjust_sums(sums: FloatArray, sizes: CountArray) -> FloatArray:
    """Return sums of clusters, (2, clusters), divided by sqrt(1 - share of the sample)."""
    # With C clusters of one size, the sum of squares grows by C/(C - 1).
    share: FloatArray = sizes / np.maximum(sizes.sum(axis=1, keepdims=True), 1)
    left = np.subtract(1, share, out=share)  # in place: there can be as many clusters as rows
    np.sqrt(np.maximum(left, _MIN_REMAINDER, out=left), out=left)
    return np.divide(sums, left, out=left)


def design_effect_of_sums(
    sums: FloatArray, sizes: CountArray, with_positive: int, variance: float, if_constant: float
) -> Design:
    """Return the design effect of sums by cluster, relative to `variance`, at least 1."""
    # The df account for the kurtosis of the sums; they are below the clusters with positives.
    # Not by ufuncs along the short axis: there can be as many clusters as rows.
    total = np.add(*adjust_sums(sums, sizes))
    effect = float(total @ total) / variance if variance else if_constant
    squares, df = np.add(*sums) ** 2, with_positive - 1.0
    largest = max(sums.max(initial=0), -sums.min(initial=0))
    squares = squares[squares > (_MIN_SUM * largest) ** 2]
    if squares.size:
        kurtosis = (squares @ squares / squares.size) / np.mean(squares) ** 2
        df = min(df, float(kurtosis_df(kurtosis, squares.size)))
    return Design(max(float(effect), 1.0), df)


def cluster_sums(influences: Influence) -> FloatArray:
    """Return the sums of influences by cluster, (2, clusters)."""
    ranking, known, rest = influences
    return cast("Clusters", ranking.clusters).sums(ranking.threshold, known, rest)


def all_in_one_cluster(clusters: Clusters) -> bool:
    """Return whether one cluster has all known positives, or all of the rest."""
    return bool((np.count_nonzero(clusters.sizes, axis=1) == 1).any())


def design_effect(influences: Influence) -> Design:
    """Return the design effect of clustered examples [4]; NaN for a single cluster."""
    # If nothing varies, examples of one cluster are taken as equal.
    ranking, clusters = influences.ranking, influences.ranking.clusters
    if clusters is None:
        return Design()
    total = clusters.n_with_positive
    variance = float(squared_errors_and_df(influences)[0].sum())
    mean_size = ranking.total.known_positive / total
    sums = cluster_sums(influences)
    design = design_effect_of_sums(sums, clusters.sizes, total, variance, mean_size)
    return Design(np.nan) if all_in_one_cluster(clusters) else design


def unbiased_auroc(ranking: Ranking, betas: FloatArray) -> FloatArray:
    """Return AUROC, which may lie outside [0, 1]; rounded once, so that equal areas stay equal."""
    total = ranking.total
    count_negatives(total, betas)
    of_beta = Fraction(total.unlabeled) / Fraction(total.known_negative + total.unlabeled)
    shares = [Fraction(str(beta)) * of_beta for beta in betas.tolist()]
    return np.array([float((ranking.concordance - s / 2) / (1 - s)) for s in shares])


class Placements(NamedTuple):
    """Placements of some rankings: known positives first, then the rest."""

    size: FloatArray  # shape (2, rankings)
    variance: FloatArray  # NaN for a single one
    above: FloatArray  # P(a known positive lies above one of the rest), ties half: (rankings,)

    @property
    def squares(self) -> FloatArray:
        """The squared standard errors that both samples add."""
        return self.variance / self.size


def placements_of(blocks: KnownBlocks) -> Placements:
    """Return the placements of each ranking."""
    known, rest = size = np.stack([blocks.total[:, 0], blocks.total[:, 1:].sum(axis=1)])
    owner = blocks.owner
    through = blocks.end - blocks.known  # of the rest, at or above each block
    before = blocks.start - (blocks.known - blocks.number)
    last = np.diff(owner, append=known.size) > 0
    gap = np.where(last, rest[owner], np.append(before[1:], 0)) - through
    first = np.roll(last, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        above = blocks.concordance
        mean = above[owner]
        below = 1 - (before + through) / (2 * rest[owner])
        inside = (2 * blocks.known - blocks.number) / (2 * known[owner])  # above the middle
        beyond = blocks.known / known[owner]  # known positives above what follows the block
        known_squares = blocks.sums(blocks.number * (below - mean) ** 2)
        rest_squares = blocks.sums(
            (through - before) * (inside - mean) ** 2
            + gap * (beyond - mean) ** 2
            + first * before * mean**2
        )
        variance = np.stack([known_squares, rest_squares]) / (size - 1)
    variance[variance < _MIN_VARIANCE] = 0.0
    return Placements(size.astype(np.float64), variance, above)


def design_effect_of_auroc(ranking: Ranking) -> Design:
    """Return the design effect of AUROC."""
    return Design() if ranking.clusters is None else design_effect(placement_influences(ranking))


def placement_influences(ranking: Ranking) -> Influence:
    """Return the influences on P(a known positive ranks above one of the rest)."""
    known, rest = ranking.known_positive, ranking.head - ranking.known_positive
    return center_influences(ranking, 1 - share_above(rest), share_above(known) / float(rest[-1]))


def share_above(count: CountArray) -> FloatArray:
    """Return the share of one kind that ranks above each step between cutoffs; ties count half."""
    return np.asarray((count[:-1] + count[1:]) / (2 * count[-1]))


def least_placement_square(above: float | Fraction) -> float:
    """Return the mean square move of a known positive that a model ranks as one of the rest."""
    return float(1 / 12 + (float(above) - 0.5) ** 2)  # it may be anywhere among these


def positive_share_of_rest(total: Counts, betas: FloatArray) -> FloatArray:
    """Return the share of positives among all but the known ones."""
    count_negatives(total, betas)
    return np.asarray(betas * total.unlabeled / (total.known_negative + total.unlabeled))


def welch_df(squares: FloatArray, df: FloatArray) -> FloatArray:
    """Return the degrees of freedom of a sum of estimated variances [5]."""
    whole, parts = np.sum(squares, axis=0), np.sum(squares**2 / df, axis=0)
    return np.where(parts == 0, np.inf, whole**2 / np.where(parts == 0, 1, parts))


# A function of the rank of each known positive, and its derivatives by the number of known
# positives, and of the rest, at or above.
Terms: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
# At another prevalence, at each cutoff: examples above, with weighted positives; the denominator
# of known positives; what the completed labeling adds, over the number of positives.
Heads: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]


def mean_influences(ranking: Ranking, terms: Terms) -> Influence:
    """Return the influences on the mean of `terms` over known positives."""
    (value, by_known, by_rest), count = terms, increments(ranking.known_positive)
    own = value + sum_from_below(count * by_known)
    of_rest = sum_from_below(count * by_rest) / ranking.total.known_positive
    return center_influences(ranking, own, of_rest)


def center_influences(ranking: Ranking, known: FloatArray, rest: FloatArray) -> Influence:
    """Return influences less their means, from values of both samples."""
    n, free = ranking.total.known_positive, increments(ranking.head - ranking.known_positive)
    mean = float(increments(ranking.known_positive) @ known) / n
    average = float(free @ rest) / (float(free.sum()) or 1.0)
    return Influence(ranking, _centered(known, mean) / n, _centered(rest, average))


def precision_influences(ranking: Ranking, heads: Heads | None = None) -> Influence:
    """Return the influences on average precision over the number of positives."""
    n, known, rank = ranking.total.known_positive, ranking.known_positive, ranking.rank
    rank = rank.astype(np.float64)  # squares of large counts overflow integers
    size, scale, given = heads or (rank, rank, np.zeros(rank.size))
    high, others, head = known[1:], (rank - known)[1:], size[1:]
    own = high / (n * scale[1:]) + given[1:]
    return mean_influences(ranking, (own, others / head**2 / n, -high / head**2 / n))


def _centered(values: FloatArray, mean: float) -> FloatArray:
    """Return values less their mean, 0 within rounding error."""
    centered = values - mean
    centered[np.abs(centered) <= _RELATIVE_ROUNDING * np.abs(values).max()] = 0.0
    return centered


def sum_from_below(terms: FloatArray) -> FloatArray:
    """Return the sums over each step and all below it."""
    return np.cumsum(terms[::-1])[::-1]


def squared_errors_and_df(influences: Influence) -> tuple[FloatArray, float]:
    """Return the squared standard errors of both samples, and the df of their sum."""
    squares, df = np.full(2, np.nan), np.full(2, np.nan)
    ranking, *samples = influences[:3]
    counts = ranking.known_positive, ranking.head - ranking.known_positive
    for sample, (values, count) in enumerate(zip(samples, counts, strict=True)):
        times = increments(count)
        size = times.sum()
        if size > 1:
            variance, kurtosis = variance_and_kurtosis(values, times)
            squares[sample] = variance * size
            df[sample] = kurtosis_df(np.array(kurtosis), size)
    return squares, float(welch_df(squares, df))


def variance_and_kurtosis(values: FloatArray, times: CountArray) -> tuple[float, float]:
    """Return the variance and the kurtosis of repeated values."""
    present = times > 0
    values, times = values[present], times[present]
    size = times.sum().item()
    centered = values - float(values @ times) / size
    square = centered * centered
    second = float(times @ square) / size
    if not second or np.ptp(values) <= _RELATIVE_ROUNDING * np.abs(values).max():  # only rounding
        return 0.0, 1.0
    return second * size / (size - 1), float(times @ (square / second) ** 2) / size


def kurtosis_df(kurtosis: FloatArray, n: float) -> FloatArray:
    """Return the degrees of freedom of a variance with the kurtosis of its terms."""
    return np.minimum(2 * n / np.maximum(kurtosis - 1, 2 / max(n, 1)), n - 1)
