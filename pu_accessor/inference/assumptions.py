"""Whether the data contradict what is taken for granted: labels at random, and beta.

Each check is a test at any level. None can prove that labels are random: each sees some failures,
and is blind to others.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import exp, inf, sqrt
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.checks import hidden_counts
from pu_accessor.inference.bands.on_new_examples import refute_monotone
from pu_accessor.inference.comparison.pairwise import adjust_p_values
from pu_accessor.inference.influence import find_above, moments, placement_influences, welch_df
from pu_accessor.inference.prior.methods import distance_from_positives
from pu_accessor.inference.search import find_breaking_point
from pu_accessor.ranking import Counts, FloatArray, IntArray, Ranking

_SEED = 20261123  # of permutations: the same rows have the same answer
_SHUFFLED, _FEWEST_DRAWS, _MOST_DRAWS = 10**7, 999, 9_999
_DOUBT = 0.1  # a p value from which on few permutations are enough
_AT_ONCE = 10**6  # ranks that are permuted together
_EQUAL = 1 - 1e-9  # of a statistic, that another is no smaller but for rounding
_ALPHAS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 1e-3, 1e-4, 1e-6)  # p values by a band
_MODELED = 2  # examples that a model of variances counts for: calibrated by simulation


class Outcome(NamedTuple):
    """What a test finds."""

    statistic: float
    p_value: float
    place: float = float("nan")  # where it is found: of each check its own


# Waves


def rest_above(ranking: Ranking) -> FloatArray:
    """Return the share of the rest above each known positive, best first; ties count half."""
    rest = ranking.head - ranking.known_positive
    middle = (rest[:-1] + rest[1:]) / (2 * rest[-1])
    return np.repeat(middle, np.diff(ranking.known_positive))


def waves_test(place: FloatArray, wave: IntArray, cluster: IntArray | None = None) -> Outcome:
    """Test whether known positives of all waves have the same ranks ([1]_, [2]_).

    `place` is any number that falls with the rank of each known positive, `wave` the number of its
    wave from 0, `cluster` that of its cluster.

    Notes
    -----
    The statistic is that of Kruskal and Wallis, with ties. Its p value is that of permutations:
    where labels are random, whoever is in a wave could as well be in another. Clusters that are in
    one wave trade waves as a whole; rows of a cluster that is in several trade among themselves.
    Where 999 permutations give p above 1/10 they are enough; else there are more, up to 9,999.

    References
    ----------
    .. [1] W. H. Kruskal, W. A. Wallis, *Use of ranks in one-criterion variance analysis*, Journal
       of the American Statistical Association 47 (1952) 583-621.
    .. [2] B. Phipson, G. K. Smyth, *Permutation p-values should never be zero*, Statistical
       Applications in Genetics and Molecular Biology 9 (2010) 39.

    Examples
    --------
    >>> found = waves_test(np.array([9.0, 8, 7, 3, 2, 1]), np.array([0, 0, 0, 1, 1, 1]))
    >>> round(found.statistic, 3), round(found.p_value, 1)  # 2 of 20 ways are as far apart
    (3.857, 0.1)
    """
    rank = scipy.stats.rankdata(place)
    away = rank - rank.mean()
    square = float(away @ away)
    if square == 0:
        return Outcome(0.0, 1.0)
    ways = _Ways.of(away, wave, np.arange(wave.size) if cluster is None else cluster)
    observed = float(_between(*ways.sums(np.arange(ways.whole.size), ways.rows))[0])
    most = int(np.clip(_SHUFFLED // wave.size, _FEWEST_DRAWS, _MOST_DRAWS))
    p_value = ways.reach(observed, _FEWEST_DRAWS)
    if p_value <= _DOUBT and most > _FEWEST_DRAWS:
        p_value = ways.reach(observed, most)
    return Outcome((wave.size - 1) / square * observed, p_value)


def _between(sums: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the sum of squares between waves, of each permutation."""
    return np.asarray(np.sum(sums**2 / sizes, axis=-1))


class _Ways(NamedTuple):
    """Ways in which known positives could be in the waves."""

    whole: FloatArray  # sums of the ranks of each cluster in one wave
    sizes: FloatArray
    waves: FloatArray  # its wave: 1 in that column
    rows: FloatArray  # ranks of known positives whose cluster is in several waves
    numbers: IntArray  # their clusters, ascending
    own: FloatArray  # their waves

    @classmethod
    def of(cls, away: FloatArray, wave: IntArray, cluster: IntArray) -> "_Ways":
        """Tell clusters in one wave from those in several.

        All stand in an order that neither that of the rows nor names of clusters have a say in.
        """
        number = np.unique(cluster, return_inverse=True)[1]
        sums = np.bincount(number, away)
        in_waves = np.zeros((sums.size, wave.max() + 1))
        np.add.at(in_waves, (number, wave), 1)
        is_whole = np.count_nonzero(in_waves, axis=1) == 1
        order = np.lexsort((*in_waves.T, sums))
        whole = order[is_whole[order]]
        rows = np.lexsort((wave, away, np.argsort(order)[number]))
        rows = rows[~is_whole[number[rows]]]
        sizes, waves = in_waves[whole].sum(axis=1), (in_waves[whole] > 0).astype(np.float64)
        numbers = np.argsort(order)[number[rows]]
        return cls(
            sums[whole], sizes, waves, away[rows], numbers, np.eye(waves.shape[1])[wave[rows]]
        )

    def sums(self, order: IntArray, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return sums of ranks, and sizes, of waves, with clusters and rows in another order."""
        sums = self.whole[order] @ self.waves + rows @ self.own
        sizes = self.sizes[order] @ self.waves + self.own.sum(axis=0)
        return np.atleast_2d(sums), np.atleast_2d(sizes)

    def reach(self, observed: float, draws: int) -> float:
        """Return the share of permutations that are as far apart, the one there is among them."""
        larger = sum(
            int(np.count_nonzero(_between(*sums) >= observed * _EQUAL))
            for sums in self.draw(draws)
        )
        return (1 + larger) / (1 + draws)

    def draw(self, draws: int) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Draw permutations, some at once."""
        rng, size = np.random.default_rng(_SEED), max(self.whole.size + self.rows.size, 1)
        step = max(_AT_ONCE // size, 1)
        for start in range(0, draws, step):
            count = min(step, draws - start)
            order = np.tile(np.arange(self.whole.size), (count, 1))
            within = np.argsort(self.numbers + rng.random((count, self.rows.size)), axis=1)
            yield self.sums(rng.permuted(order, axis=1), self.rows[within])


# Strata


class Strata(NamedTuple):
    """Known positives of strata, held against how many may be known."""

    p_value: FloatArray  # Holm's, shape (strata,)
    odds_at_least: FloatArray  # factor by which odds of being labeled differ, at least
    most: IntArray  # known positives that chance leaves at most, over all strata jointly
    cap: float  # share of the positives that is known


def strata_test(
    known: IntArray, room: IntArray, n: int, latent: int, level: float = 0.95
) -> Strata:
    """Test whether more positives are known in some stratum than random labels leave.

    `known` has those of all n known positives in each stratum, `room` the examples there that may
    be positive, the known positives among them.

    Notes
    -----
    With n known and m latent positives, and at most s of these in a stratum, the known ones there
    are at most hypergeometric, with s of n + m drawn n times, whatever is positive elsewhere: the
    p value is exact if all of the stratum is positive and conservative otherwise. It is Holm's
    [1]_ over strata. Where odds of being labeled differ between any two positives by at most a
    factor G, the known ones there are at most Fisher's noncentral hypergeometric, with odds of G
    [2]_: `odds_at_least` is the smallest G that is no surprise at 1 - level over the strata.

    References
    ----------
    .. [1] S. Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian Journal
       of Statistics 6 (1979) 65-70.
    .. [2] P. R. Rosenbaum, *Observational Studies*, 2nd ed., Springer (2002), chapter 4.

    Examples
    --------
    >>> found = strata_test(np.array([8, 12]), np.array([10, 400]), 20, 40)
    >>> found.p_value.round(4), found.odds_at_least.round(2), found.most, round(found.cap, 3)
    (array([0.0028, 1.    ]), array([2.03, 1.  ]), array([ 6, 20]), 0.333)
    """
    each = (1 - level) / known.size
    p_values, odds, most = [], [], []
    for count, size in zip(known.tolist(), np.minimum(room, n + latent).tolist(), strict=True):

        def is_surprise(factor: float, count: int = count, size: int = size) -> bool:
            return factor < inf and _tails(size, n, latent, factor)[count] <= each

        tails = _tails(size, n, latent, 1.0)
        p_values.append(tails[count])
        odds.append(find_breaking_point(is_surprise))
        most.append(np.flatnonzero(tails > each)[-1])
    cap = n / (n + latent)
    return Strata(adjust_p_values(np.array(p_values)), np.array(odds), np.array(most), cap)


def _tails(size: int, n: int, latent: int, odds: float) -> FloatArray:
    """Return P(count or more of n known are among so many positives), shape (n + 1,)."""
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


# Known negatives


def _place(ranking: Ranking, kind: str) -> tuple[float, FloatArray, float]:
    """Compare known positives with one other kind of examples alone.

    Return the probability that a known positive lies above one of these, its placement in each
    step, less the mean, and the variance of the placements of the kind.
    """
    known, others = ranking.known_positive, getattr(ranking, kind)
    n, number = ranking.total.known_positive, getattr(ranking.total, kind)
    counts = {"rank": known + others, "unlabeled": others, "known_negative": 0 * others}
    total = Counts(n, 0, number)
    alone = replace(ranking, **counts, total=total, refiner=None, whole=None)
    part = placement_influences(alone)[0]
    seen = moments(number * part.rest, np.diff(others))[0] if number > 1 else 0.0
    return float(find_above(alone)), n * part.known, seen


def _pool(modeled: float, seen: float, size: int) -> float:
    """Draw a variance to that of a model."""
    return (_MODELED * modeled + (size - 1) * seen) / (_MODELED + size - 1)


def _variance_of_negatives(ranking: Ranking, beta: float, area: float, own: float) -> float:
    """Return the variance of placements of negatives, given that by the known ones.

    Few known ones say little of it. The unlabeled say it, too, if beta is right and `area` is
    AUROC: both are averaged, each the less the further it can be off. That of k known ones with a
    variance v can be off by the root of v/k at most.
    """
    n, negatives, unlabeled = ranking.total
    known = ranking.known_positive
    square = ((known[:-1] + known[1:]) / (2 * n)) ** 2
    times = np.stack([np.diff(known) / n, np.diff(ranking.unlabeled) / unlabeled])
    squares, fourth = times @ square, times @ square**2
    scatter = (fourth - squares**2) / [n, unlabeled]
    implied = max(float(squares[1] - beta * squares[0]) / (1 - beta) - area**2, 0.0)
    doubt = float(scatter[1] + beta**2 * scatter[0]) / (1 - beta) ** 2
    part = own / negatives / (own / negatives + doubt)
    return max(part * implied + (1 - part) * own, own / 2)


class Negatives(NamedTuple):
    """AUROC of known positives by beta, and against known negatives."""

    by_beta: float
    against_known: float
    statistic: float
    p_value: float
    agree_at: float  # the beta at which both are the same


def negatives_test(ranking: Ranking, beta: float) -> Negatives:
    """Test whether AUROC by beta is that of known positives against known negatives.

    Notes
    -----
    Known positives lie above an unlabeled example with a probability of T = b/2 + (1 - b)*A, and
    above a known negative with A: no beta, b, is needed there. T - b/2 - (1 - b)*A is 0 if beta is
    right and both kinds of known examples are random samples. Its variance is the sum of what
    known positives, unlabeled examples and known negatives contribute, each by its placements
    [1]_: the known positives are in both, and count with the difference of both.

    Variances are drawn to those of two normal distributions by two examples more of each kind.
    That of known negatives is pooled with what the unlabeled say of it if the assumptions hold.
    The difference of both placements of a known positive is b times a uniform variable then,
    whose variance is the least that counts.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, *Comparing the areas under two or
       more correlated receiver operating characteristic curves: a nonparametric approach*,
       Biometrics 44 (1988) 837-845.
    """
    n, negatives, unlabeled = ranking.total
    kinds = [_place(ranking, kind) for kind in ("unlabeled", "known_negative")]
    (theta, place, seen), (area, place_in_negatives, seen_negative) = kinds
    by_beta, latent = (theta - beta / 2) / (1 - beta), (1 - beta) * unlabeled
    # AUROC by all negatives alike, with a pair more of each order.
    above, pairs = latent * by_beta + negatives * area, n * (latent + negatives)
    likely = min(max(above / (latent + negatives), 0.0), 1.0)
    likely = (likely * pairs + 1) / (pairs + 2)
    model, model_negative = binormal_variances(likely, np.array([beta, 0.0])).tolist()
    apart = moments(place - (1 - beta) * place_in_negatives, np.diff(ranking.known_positive))[0]
    known = max(_pool(beta**2 / 12, apart if n > 1 else 0.0, n), beta**2 / 12)
    own = _pool(model_negative, seen_negative, negatives)
    of_negatives = (1 - beta) ** 2 * _variance_of_negatives(ranking, beta, by_beta, own)
    sizes = np.array([n, unlabeled, negatives])
    squares = np.array([known, _pool(model, seen, unlabeled), of_negatives]) / sizes
    statistic = (theta - beta / 2 - (1 - beta) * area) / sqrt(squares.sum())
    df = welch_df(squares, sizes - 1 + np.array([_MODELED, _MODELED, 2 * _MODELED + 1]))
    agree_at = (theta - area) / (0.5 - area) if area != 0.5 else np.nan
    p_value = 2 * float(scipy.special.stdtr(float(df), -abs(statistic)))
    return Negatives(by_beta, area, statistic, p_value, agree_at)


def binormal_variances(auroc: float, share: FloatArray) -> FloatArray:
    """Return the variances of the rest's placements if scores are normal, of equal variance.

    A positive lies above two negatives with probability A - 2*T(z, 1/sqrt(3)), with A the AUROC, z
    its normal quantile and T Owen's function; above a positive and a negative with A/2 + T.
    """
    turn = scipy.special.owens_t(float(scipy.special.ndtri(auroc)), 3**-0.5)
    left = 1 - share
    alone = max(auroc * (1 - auroc) - 2 * float(turn), 0.0)
    return np.asarray(share / 12 + left * (alone + share * (auroc - 0.5) ** 2))


# The limit on beta, and monotone scores


def limit_test(ranking: Ranking, beta: float) -> Outcome:
    """Test whether known positives rank too high for so many latent ones.

    Notes
    -----
    The p value is the smallest delta at which `limit_from_positives` rules beta out.
    """
    total = ranking.total
    latent = int(hidden_counts(np.array([beta]), total.unlabeled)[0])
    if not latent:
        return Outcome(0.0, 1.0)
    distance, place = distance_from_positives(ranking, latent)
    spread = 1 / total.known_positive + 1 / latent
    return Outcome(distance, exp(-2 * max(distance, 0.0) ** 2 / spread), place)


def monotone_test(ranking: Ranking, level: float = 0.95) -> Outcome:
    """Test whether a higher score never means a smaller probability of being positive.

    Notes
    -----
    The p value is the smallest of some, 1 - level among them, at which no concave curve fits into
    the band of so high a level (`refute_monotone`); 1 where one fits at all of these.
    """
    p_value, place = 1.0, np.nan
    for alpha in sorted({*_ALPHAS, round(1 - level, 12)}, reverse=True):
        found = refute_monotone(ranking, 1 - alpha)
        if np.isnan(found):
            break
        p_value, place = alpha, found
    return Outcome(np.nan, p_value, place)
