"""Test whether the data contradict the assumptions: labels at random, beta, monotone scores.

No test can prove that labels are random: each detects some violations and misses others.

[1] W. H. Kruskal, W. A. Wallis, J. Am. Stat. Assoc. 47 (1952) 583-621. [2] B. Phipson, G. K.
Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) 39. [3] S. Holm, Scandinavian Journal of Statistics 6
(1979) 65-70. [4] P. R. Rosenbaum, Observational Studies, 2nd ed., Springer (2002), chapter 4. [5]
E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, Biometrics 44 (1988) 837-845.
"""

from dataclasses import replace
from math import exp, inf, sqrt
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.checks import hidden_counts
from pu_accessor.inference.bands.future_data import monotone_refuted_at
from pu_accessor.inference.comparison.pair_tests import adjust_by_holm
from pu_accessor.inference.influence import (
    concordance,
    placement_influences,
    share_above,
    variance_and_kurtosis,
    welch_df,
)
from pu_accessor.inference.prior import distance_from_positives
from pu_accessor.inference.root_search import breaking_point
from pu_accessor.ranking import Counts, FloatArray, IntArray, Ranking

_SEED = 20261123  # of permutations, so that results are reproducible
_MAX_RANKS, _MIN_PERMUTATIONS, _MAX_PERMUTATIONS = 10**7, 999, 9_999
_FEW_PERMUTATIONS_ABOVE = 0.1  # p value
_BATCH_RANKS = 10**6
_ROUNDING = 1 - 1e-9  # factor of a statistic
_ALPHAS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 1e-3, 1e-4, 1e-6)  # p values of `monotone_test`
_MODEL_SIZE = 2  # examples that the normal model counts for, calibrated by simulation


class Outcome(NamedTuple):
    """Result of a test."""

    statistic: float
    p_value: float
    above: float = float("nan")  # share of the unlabeled, or the rest, at the deviation


def share_of_rest_above(ranking: Ranking) -> FloatArray:
    """Return the share of the rest above each known positive, best first; ties count half."""
    rest = ranking.head - ranking.known_positive
    return np.repeat(share_above(rest), np.diff(ranking.known_positive))


def waves_test(above: FloatArray, wave: IntArray, cluster: IntArray | None = None) -> Outcome:
    """Test whether known positives of all waves have the same ranks, by permutation [1, 2]."""
    rank = scipy.stats.rankdata(above)
    centered = rank - rank.mean()
    square = float(centered @ centered)
    if square == 0:
        return Outcome(0.0, 1.0)
    clusters = np.arange(wave.size) if cluster is None else cluster
    assignment = _WaveAssignment.of(centered, wave, clusters)
    observed = float(assignment.squares(np.arange(assignment.whole.size), assignment.rows)[0])
    most = int(np.clip(_MAX_RANKS // wave.size, _MIN_PERMUTATIONS, _MAX_PERMUTATIONS))
    p_value = assignment.p_value(observed, _MIN_PERMUTATIONS)
    if p_value <= _FEW_PERMUTATIONS_ABOVE and most > _MIN_PERMUTATIONS:
        p_value = assignment.p_value(observed, most)
    return Outcome((wave.size - 1) / square * observed, p_value)


class _WaveAssignment(NamedTuple):
    """Assignments of known positives to waves."""

    whole: FloatArray  # sums of ranks of clusters in one wave
    sizes: FloatArray
    waves: FloatArray  # their waves, one-hot
    rows: FloatArray  # ranks of known positives in clusters of several waves
    numbers: IntArray  # their clusters, ascending
    own: FloatArray  # their waves, one-hot

    @classmethod
    def of(cls, centered: FloatArray, wave: IntArray, cluster: IntArray) -> "_WaveAssignment":
        """Separate clusters in one wave from others, in an order independent of rows and names."""
        number = np.unique(cluster, return_inverse=True)[1]
        sums = np.bincount(number, centered)
        in_waves = np.zeros((sums.size, wave.max() + 1))
        np.add.at(in_waves, (number, wave), 1)
        is_whole = np.count_nonzero(in_waves, axis=1) == 1
        order = np.lexsort((*in_waves.T, sums))
        whole = order[is_whole[order]]
        rows = np.lexsort((wave, centered, np.argsort(order)[number]))
        rows = rows[~is_whole[number[rows]]]
        sizes, waves = in_waves[whole].sum(axis=1), (in_waves[whole] > 0).astype(np.float64)
        numbers = np.argsort(order)[number[rows]]
        own = np.eye(waves.shape[1])[wave[rows]]
        return cls(sums[whole], sizes, waves, centered[rows], numbers, own)

    def squares(self, order: IntArray, rows: FloatArray) -> FloatArray:
        """Return the sum of squares between waves, for permuted clusters and rows."""
        sums = self.whole[order] @ self.waves + rows @ self.own
        sizes = self.sizes[order] @ self.waves + self.own.sum(axis=0)
        return np.asarray(np.atleast_2d(sums**2 / sizes).sum(axis=-1))

    def p_value(self, observed: float, permutations: int) -> float:
        """Return the share of permutations, with the observed one, that differ as much."""
        rng, size = np.random.default_rng(_SEED), max(self.whole.size + self.rows.size, 1)
        batch, larger = max(_BATCH_RANKS // size, 1), 0
        for start in range(0, permutations, batch):
            count = min(batch, permutations - start)
            order = np.tile(np.arange(self.whole.size), (count, 1))
            within = np.argsort(self.numbers + rng.random((count, self.rows.size)), axis=1)
            squares = self.squares(rng.permuted(order, axis=1), self.rows[within])
            larger += int(np.count_nonzero(squares >= observed * _ROUNDING))
        return (1 + larger) / (1 + permutations)


class Strata(NamedTuple):
    """Known positives of strata compared with how many may be known."""

    p_value: FloatArray  # Holm's, shape (strata,)
    odds_at_least: FloatArray  # smallest factor of the odds of being labeled not rejected
    most: IntArray  # most known positives by chance, over all strata jointly
    cap: float  # label frequency


def strata_test(known: IntArray, room: IntArray, n: int, latent: int, level: float) -> Strata:
    """Test whether more positives are known in some stratum than random labels allow."""
    # With at most `room` of the positives there, known ones are at most hypergeometric [3, 4].
    each = (1 - level) / known.size
    p_values, odds, most = [], [], []
    for count, size in zip(known.tolist(), np.minimum(room, n + latent).tolist(), strict=True):

        def is_surprise(factor: float, count: int = count, size: int = size) -> bool:
            return factor < inf and _tails(size, n, latent, factor)[count] <= each

        tails = _tails(size, n, latent, 1.0)
        p_values.append(tails[count])
        odds.append(breaking_point(is_surprise))
        most.append(np.flatnonzero(tails > each)[-1])
    cap = n / (n + latent)
    return Strata(adjust_by_holm(np.array(p_values)), np.array(odds), np.array(most), cap)


def _tails(size: int, n: int, latent: int, odds: float) -> FloatArray:
    """Return P(count or more of n known are among `size` positives), shape (n + 1,)."""
    count = np.arange(n + 1)
    others = n + latent - size
    possible = (count <= size) & (n - count <= others)
    x = count[possible]
    log_ways = -scipy.special.gammaln(x + 1) - scipy.special.gammaln(size - x + 1)
    log_ways -= scipy.special.gammaln(n - x + 1) + scipy.special.gammaln(others - (n - x) + 1)
    log_ways += x * np.log(odds)
    ways = np.zeros(n + 1)
    ways[possible] = np.exp(log_ways - log_ways.max())
    tails = np.cumsum(ways[::-1])[::-1]
    return np.asarray(tails / tails[0])


def _concordance_with(ranking: Ranking, kind: str) -> tuple[float, FloatArray, float]:
    """Return concordance with one other kind, centered placements, and variance of the kind."""
    known, others = ranking.known_positive, getattr(ranking, kind)
    n, number = ranking.total.known_positive, getattr(ranking.total, kind)
    counts = {"rank": known + others, "unlabeled": others, "known_negative": 0 * others}
    pair = replace(ranking, **counts, total=Counts(n, 0, number), refiner=None, whole=None)
    part = placement_influences(pair)
    variance = variance_and_kurtosis(number * part.rest, np.diff(others))[0] if number > 1 else 0.0
    return float(concordance(pair)), n * part.known, variance


def _pool(modeled: float, observed: float, size: int) -> float:
    """Return the mean of a modeled and an observed variance, weighted by size."""
    return (_MODEL_SIZE * modeled + (size - 1) * observed) / (_MODEL_SIZE + size - 1)


def _variance_of_negatives(ranking: Ranking, beta: float, area: float, own: float) -> float:
    """Return the variance of placements of negatives, given `own` by the known ones."""
    # Averaged with that of the unlabeled by beta; the larger an error, the smaller its weight.
    n, negatives, unlabeled = ranking.total
    known = ranking.known_positive
    square = share_above(known) ** 2
    times = np.stack([np.diff(known) / n, np.diff(ranking.unlabeled) / unlabeled])
    squares, fourth = times @ square, times @ square**2
    scatter = (fourth - squares**2) / [n, unlabeled]
    implied = max(float(squares[1] - beta * squares[0]) / (1 - beta) - area**2, 0.0)
    error = float(scatter[1] + beta**2 * scatter[0]) / (1 - beta) ** 2
    weight = own / negatives / (own / negatives + error)
    return max(weight * implied + (1 - weight) * own, own / 2)


class Negatives(NamedTuple):
    """AUROC of known positives by beta, and against known negatives."""

    by_beta: float
    against_known: float
    statistic: float
    p_value: float
    agree_at: float  # the beta at which both are equal


def negatives_test(ranking: Ranking, beta: float) -> Negatives:
    """Test whether AUROC by beta is that of known positives against known negatives."""
    # T = b/2 + (1 - b)*A, T the concordance with unlabeled examples, A that with known negatives.
    # The variance of T - b/2 - (1 - b)*A is the sum over three samples [5].
    n, negatives, unlabeled = ranking.total
    kinds = [_concordance_with(ranking, kind) for kind in ("unlabeled", "known_negative")]
    (theta, placements, variance), (area, placements_in_negatives, variance_in_negatives) = kinds
    by_beta, latent = (theta - beta / 2) / (1 - beta), (1 - beta) * unlabeled
    # AUROC by all negatives, with one more pair of each order.
    above, pairs = latent * by_beta + negatives * area, n * (latent + negatives)
    likely = min(max(above / (latent + negatives), 0.0), 1.0)
    likely = (likely * pairs + 1) / (pairs + 2)
    model, model_negative = binormal_variances(likely, np.array([beta, 0.0])).tolist()
    moved = placements - (1 - beta) * placements_in_negatives
    apart = variance_and_kurtosis(moved, np.diff(ranking.known_positive))[0]
    # At least the variance of beta times a uniform variable.
    known = max(_pool(beta**2 / 12, apart if n > 1 else 0.0, n), beta**2 / 12)
    own = _pool(model_negative, variance_in_negatives, negatives)
    of_negatives = (1 - beta) ** 2 * _variance_of_negatives(ranking, beta, by_beta, own)
    sizes = np.array([n, unlabeled, negatives])
    squares = np.array([known, _pool(model, variance, unlabeled), of_negatives]) / sizes
    statistic = (theta - beta / 2 - (1 - beta) * area) / sqrt(squares.sum())
    df = welch_df(squares, sizes - 1 + np.array([_MODEL_SIZE, _MODEL_SIZE, 2 * _MODEL_SIZE + 1]))
    agree_at = (theta - area) / (0.5 - area) if area != 0.5 else np.nan
    p_value = 2 * float(scipy.special.stdtr(float(df), -abs(statistic)))
    return Negatives(by_beta, area, statistic, p_value, agree_at)


def binormal_variances(auroc: float, share: FloatArray) -> FloatArray:
    """Return the variances of placements of the rest for normal scores of equal variance."""
    # P(a positive above two negatives) = A - 2*T(z, 1/sqrt(3)), A = Phi(z), T Owen's function.
    owen = scipy.special.owens_t(float(scipy.special.ndtri(auroc)), 3**-0.5)
    negative_share = 1 - share
    negatives_only = max(auroc * (1 - auroc) - 2 * float(owen), 0.0)
    return np.asarray(share / 12 + negative_share * (negatives_only + share * (auroc - 0.5) ** 2))


def limit_test(ranking: Ranking, beta: float) -> Outcome:
    """Test beta against its limit from known positives; p is the smallest delta that rejects."""
    total = ranking.total
    latent = int(hidden_counts(np.array([beta]), total.unlabeled)[0])
    if not latent:
        return Outcome(0.0, 1.0)
    distance, share_above = distance_from_positives(ranking, latent)
    spread = 1 / total.known_positive + 1 / latent
    return Outcome(distance, exp(-2 * max(distance, 0.0) ** 2 / spread), share_above)


def monotone_test(ranking: Ranking, level: float) -> Outcome:
    """Test whether scores are monotone; p is the smallest of some alphas that rejects it."""
    p_value, share_above = 1.0, np.nan
    for alpha in sorted({*_ALPHAS, round(1 - level, 12)}, reverse=True):
        refuted_at = monotone_refuted_at(ranking, 1 - alpha)
        if np.isnan(refuted_at):
            break
        p_value, share_above = alpha, refuted_at
    return Outcome(np.nan, p_value, share_above)
