"""Diagnose a ranking, and test whether data contradict the assumptions.

What is assumed: labels at random, beta, monotone scores.
No test can prove that labels are random: each detects some violations and misses others.

[1] W. H. Kruskal, W. A. Wallis, J. Am. Stat. Assoc. 47 (1952) 583-621. [2] B. Phipson, G. K.
Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) 39. [3] S. Holm, Scandinavian Journal of Statistics 6
(1979) 65-70. [4] P. R. Rosenbaum, Observational Studies, 2nd ed., Springer (2002), chapter 4. [5]
E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, Biometrics 44 (1988) 837-845.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import exp, inf, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
import scipy

from pu_accessor.checks import hidden_counts
from pu_accessor.errors import PUDataError, brief
from pu_accessor.inference.bands import bisect_factor
from pu_accessor.inference.comparison import adjust_by_holm
from pu_accessor.inference.future_bands import monotone_refuted_at
from pu_accessor.inference.influence import (
    all_in_one_cluster,
    placement_influences,
    share_above,
    variance_and_kurtosis,
    welch_df,
)
from pu_accessor.inference.known_positives import effective_size
from pu_accessor.inference.prior import (
    distance_from_positives,
    limit_from_positives,
    limits_from_positives,
)
from pu_accessor.ranking import (
    AnnotatedRanking,
    Counts,
    FloatArray,
    IntArray,
    KnownBlocks,
    Ranking,
)

_MIN_CLUSTERS = 2


class Diagnostics(NamedTuple):
    """What every result reports about its ranking."""

    total: Counts
    n_effective: float = nan  # effective sample size; NaN without propensities
    beta_limit: float = nan  # from known positives; NaN: none
    refuted_at: float = nan  # share of the rest above which monotone scores are refuted; NaN: none
    clusters: float = nan  # with a known positive; NaN: rows are independent
    heaviest: float = 0.0  # largest share of a row in the integer weights of its kind
    above: float = nan  # share of the rest that scores below a known positive, ties half
    above_error: float = nan  # its standard error for scores at random
    single: bool = False  # one known positive, or at most one other example

    def beyond(self, betas: FloatArray) -> FloatArray:
        """Return the betas above the limit, up to the rounding of hidden positives."""
        return betas[betas > self.beta_limit + 0.5 / max(self.total.unlabeled, 1)]


def is_single(total: Counts) -> bool:
    """Return whether there is a single known positive, or at most one other example."""
    return total.known_positive == 1 or total.known_negative + total.unlabeled < 2


def diagnose(ranking: Ranking, level: float, *, random: bool = True) -> Diagnostics:
    """Return the diagnostics of a ranking."""
    total, clusters = ranking.total, ranking.clusters
    diagnostics = Diagnostics(total, single=is_single(total))
    if not (clusters is not None and clusters.one_per_row) and total.known_positive < sum(total):
        diagnostics = diagnostics._replace(**_concordance_of_known(ranking))
    if ranking.inverse_propensity is not None:  # the limit needs a simple random sample
        return diagnostics._replace(n_effective=effective_size(ranking.inverse_propensity))
    if clusters is not None and clusters.one_per_row:  # the limit, and the test, count rows
        single = diagnostics.single or all_in_one_cluster(clusters)
        most = clusters.sizes.max(axis=1)
        is_count = (most > 1) & (clusters.sizes.dtype.kind == "i")
        shares = most / np.maximum(clusters.sizes.sum(axis=1), 1)
        heaviest = float(np.max(shares, where=is_count, initial=0.0))
        return diagnostics._replace(single=single, heaviest=heaviest)
    if clusters is not None:
        return diagnostics._replace(clusters=clusters.n_with_positive)
    if not (total.known_positive and total.unlabeled and random):
        return diagnostics
    whole = ranking.whole or ranking
    refuted_at = monotone_refuted_at(whole, level) if ranking.monotone else diagnostics.refuted_at
    limit = limit_from_positives(whole, 1 - level)
    return diagnostics._replace(beta_limit=limit, refuted_at=refuted_at)


def _concordance_of_known(ranking: Ranking) -> dict[str, Any]:
    """Return how known positives rank among the rest; each cluster counts once in the error."""
    whole = ranking.whole or ranking
    if whole.extent == "all" and np.isnan(whole.threshold[-1]):  # missing scores have no rank
        whole = whole.take(slice(-1))
    known = whole.known_positive[-1]
    rest = float(whole.head[-1] - known)
    if not known or not rest:
        return {}
    independent = 1.0 if ranking.clusters is None else ranking.clusters.n_with_positive / known
    error = sqrt((known + rest) / (12 * known * rest * independent))
    return {"above": float(whole.concordance), "above_error": error}


def diagnose_stack(stack: KnownBlocks, level: float, *, random: bool = True) -> list[Diagnostics]:
    """Return the diagnostics of many rankings of independent rows."""
    known, rest = stack.total[:, 0], stack.total[:, 1:].sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        above = stack.concordance
    error = np.sqrt((known + rest) / np.maximum(12 * known * rest, 1))
    has_limit = random & (known > 0) & (stack.total[:, 2] > 0)
    limit = np.where(has_limit, limits_from_positives(stack, 1 - level), nan)
    each = zip(map(Counts._make, stack.total.tolist()), limit.tolist(), above, error, strict=True)
    return [
        Diagnostics(total, beta_limit=b, above=a, above_error=e, single=is_single(total))
        for total, b, a, e in each
    ]


def check_clusters(ranking: Ranking) -> None:
    """Raise if all known positives are in one cluster."""
    clusters, known = ranking.clusters, ranking.total.known_positive
    if clusters is None or clusters.one_per_row or not known:
        return
    if clusters.n_with_positive < _MIN_CLUSTERS:
        raise PUDataError(
            f"cluster must have known positives in {_MIN_CLUSTERS} clusters or more, but all "
            f"{known} are in one. Label positives of other clusters; or "
            "leave cluster out, for a statement about this cluster only."
        )


_MIN_WAVES = _MIN_KNOWN_IN_WAVE = 2
_SEED = 20261123  # of permutations, so that results are reproducible
_MAX_RANKS, _MIN_PERMUTATIONS, _MAX_PERMUTATIONS = 10**7, 999, 9_999
_FEW_PERMUTATIONS_ABOVE = 0.1  # p value
_BATCH_RANKS = 10**6
_ROUNDING = 1 - 1e-9  # factor of a statistic
_ALPHAS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 1e-3, 1e-4, 1e-6)  # p values of monotone scores
_MAX_FACTOR, _PRECISION = 1e9, 1e-3  # of odds: larger ones are unlimited; relative
# Examples that the normal model counts for, by simulation (coverage.csv: "`check_assumptions`:
# negatives").
_MODEL_SIZE = 2


class Check(NamedTuple):
    """A row of the result of `check_assumptions`."""

    check: str
    beta: float
    statistic: float
    odds_at_least: float
    p_value: float
    finding: str


def run_checks(rows: AnnotatedRanking, betas: list[float], alpha: float) -> Iterator[Check]:
    """Yield the checks that the data of one ranking allow."""
    ranking, total = rows.ranking, rows.total
    if rows.wave is not None:
        yield _test_waves(rows, rows.wave, alpha)
    if ranking.clusters is not None:
        return
    if rows.counts is not None:
        yield from (_test_strata(rows, rows.counts, beta, alpha) for beta in betas)
    if total.known_negative and total.unlabeled:
        yield from (_test_negatives(ranking, beta, alpha) for beta in betas if beta < 1)
    if total.unlabeled:
        yield from (_test_limit(ranking, beta, alpha) for beta in betas)
    yield _test_monotone(ranking, alpha)


def _test_waves(rows: AnnotatedRanking, wave: IntArray, alpha: float) -> Check:
    """Test whether known positives of all waves have the same ranks, by permutation [1, 2]."""
    in_wave = wave >= 0
    wave = wave[in_wave]
    _check_waves(rows, wave)
    known = rows.ranking.known_positive
    above = np.repeat(share_above(rows.ranking.head - known), np.diff(known))[in_wave]
    rank = scipy.stats.rankdata(-above)
    centered = rank - rank.mean()
    cluster = np.arange(wave.size) if rows.cluster is None else rows.cluster[in_wave]
    statistic, p_value, square = 0.0, 1.0, float(centered @ centered)
    if square:
        observed, p_value = _permute_waves(centered, wave, cluster)
        statistic = (wave.size - 1) / square * observed
    means = np.bincount(wave, above) / np.bincount(wave)
    first, last = int(np.argmin(means)), int(np.argmax(means))
    differ = "differ" if p_value <= alpha else "do not differ by more than chance"
    text = (
        f"Ranks of the waves {differ}: on average {means[first]:.1%} of the rest rank above those "
        f"of {brief(rows.waves[first])}, and {means[last]:.1%} above those of "
        f"{brief(rows.waves[last])}."
    )
    return Check("waves", nan, statistic, nan, p_value, text)


def _check_waves(rows: AnnotatedRanking, wave: IntArray) -> None:
    """Raise if the waves of known positives are too few or small."""
    sizes = np.bincount(wave, minlength=len(rows.waves)).tolist()
    for name, size in zip(rows.waves, sizes, strict=True):
        if size < _MIN_KNOWN_IN_WAVE:
            raise PUDataError(
                f"wave must have {_MIN_KNOWN_IN_WAVE} known positives or more of each value, but "
                f"{brief(name)} has {size}, which cannot be compared. Merge it with another wave, "
                "or make it missing."
            )
    if rows.total.known_positive == sum(rows.total):
        raise PUDataError(
            "label must have unlabeled rows or negatives with wave=..., but all "
            f"{sum(rows.total):,} rows are known positives: waves are compared by the rest that "
            "ranks above them. Add unlabeled rows."
        )
    if len(sizes) < _MIN_WAVES:
        raise PUDataError(
            f"wave must have {_MIN_WAVES} values or more among known positives, but has "
            f"{brief([*rows.waves])}. Name a column of when, where or by whom they were labeled."
        )


def _permute_waves(centered: FloatArray, wave: IntArray, cluster: IntArray) -> tuple[float, float]:
    """Return the sum of squares between waves of centered ranks, and its p value.

    Clusters in one wave trade waves, and the rows of each other cluster among themselves.
    """
    number = np.unique(cluster, return_inverse=True)[1]
    sums = np.bincount(number, centered)
    in_waves = np.zeros((sums.size, wave.max() + 1))
    np.add.at(in_waves, (number, wave), 1)
    is_whole = np.count_nonzero(in_waves, axis=1) == 1
    order = np.lexsort((*in_waves.T, sums))  # independent of rows and names
    whole, place = order[is_whole[order]], np.argsort(order)[number]
    rows = np.lexsort((wave, centered, place))
    rows = rows[~is_whole[number[rows]]]
    whole_sums, sizes, waves = sums[whole], in_waves[whole].sum(axis=1), in_waves[whole] > 0
    own = np.eye(waves.shape[1])[wave[rows]]

    def squares(order: IntArray, ranks: FloatArray) -> FloatArray:
        between = whole_sums[order] @ waves + ranks @ own
        squared: FloatArray = between**2 / (sizes[order] @ waves + own.sum(axis=0))
        return np.asarray(squared.sum(axis=-1))

    def p_value(permutations: int) -> float:
        rng, larger = np.random.default_rng(_SEED), 0
        batch = max(_BATCH_RANKS // max(whole.size + rows.size, 1), 1)
        for start in range(0, permutations, batch):
            count = min(batch, permutations - start)
            within = np.argsort(place[rows] + rng.random((count, rows.size)), axis=1)
            orders = rng.permuted(np.tile(np.arange(whole.size), (count, 1)), axis=1)
            found = squares(orders, centered[rows][within])
            larger += int(np.count_nonzero(found >= observed * _ROUNDING))
        return (1 + larger) / (1 + permutations)

    observed = float(squares(np.arange(whole.size), centered[rows]))
    most = int(np.clip(_MAX_RANKS // wave.size, _MIN_PERMUTATIONS, _MAX_PERMUTATIONS))
    p = p_value(_MIN_PERMUTATIONS)
    if p <= _FEW_PERMUTATIONS_ABOVE and most > _MIN_PERMUTATIONS:
        p = p_value(most)
    return observed, p


def _test_strata(rows: AnnotatedRanking, counts: IntArray, beta: float, alpha: float) -> Check:
    """Test whether more positives are known in some stratum than random labels allow."""
    if not len(counts):
        raise PUDataError(
            "strata must have a value for some rows, but all are missing. Name a column of a "
            "property of rows, such as their site or year."
        )
    # With at most `room` of the positives there, known ones are at most hypergeometric [3, 4].
    n, known, room = rows.total.known_positive, counts[:, 0], counts[:, 0] + counts[:, 2]
    hidden = int(hidden_counts(np.array([beta]), rows.total.unlabeled)[0])
    each, p_values, odds = alpha / known.size, [], []
    for count, size in zip(known.tolist(), np.minimum(room, n + hidden).tolist(), strict=True):

        def is_surprise(factor: float, count: int = count, size: int = size) -> bool:
            return factor < inf and _tails(size, n, hidden, factor)[count] <= each

        p_values.append(_tails(size, n, hidden, 1.0)[count])
        odds.append(breaking_point(is_surprise))  # smallest factor that is not rejected
    adjusted = adjust_by_holm(np.array(p_values))
    share = known / np.maximum(room, 1)  # of the rows that may be positive
    worst = np.lexsort((-share, adjusted))[0]
    name, counted = brief(rows.strata[worst]), f"{known[worst]:,} of {room[worst]:,} rows"
    than = "more known positives than expected by chance"
    text = f"No stratum has {than}; the closest is {name}, with {counted}."
    if adjusted[worst] <= alpha:
        text = (
            f"Stratum {name} has {than}: {counted}, where {n / (n + hidden):.1%} of all positives "
            "are known. Labels favour it, or beta is too high."
        )
    return Check("strata", beta, float(share[worst]), max(odds), float(adjusted[worst]), text)


def _tails(size: int, n: int, hidden: int, odds: float) -> FloatArray:
    """Return P(count or more of n known are among `size` positives), shape (n + 1,)."""
    count = np.arange(n + 1)
    others = n + hidden - size
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
    return float(pair.concordance), n * part.known, variance


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


def _test_negatives(ranking: Ranking, beta: float, alpha: float) -> Check:
    """Test whether AUROC by beta is that of known positives against known negatives."""
    # T = b/2 + (1 - b)*A, T the concordance with unlabeled examples, A that with known negatives.
    # The variance of T - b/2 - (1 - b)*A is the sum over three samples [5].
    n, negatives, unlabeled = ranking.total
    kinds = [_concordance_with(ranking, kind) for kind in ("unlabeled", "known_negative")]
    (theta, placements, variance), (area, placements_in_negatives, variance_in_negatives) = kinds
    by_beta, hidden = (theta - beta / 2) / (1 - beta), (1 - beta) * unlabeled
    # AUROC by all negatives, with one more pair of each order.
    above, pairs = hidden * by_beta + negatives * area, n * (hidden + negatives)
    likely = min(max(above / (hidden + negatives), 0.0), 1.0)
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
    p_value = 2 * float(scipy.special.stdtr(float(df), -abs(statistic)))
    pair = f"AUROC is {min(max(by_beta, 0.0), 1.0):.3f} by beta, and {area:.3f} against known"
    text = f"{pair} negatives: the difference is within chance."
    if p_value <= alpha:
        agree_at = (theta - area) / (0.5 - area) if area != 0.5 else nan
        agree = f" Both agree at beta = {agree_at:.3g}." * (0 <= agree_at <= 1)
        off = "high" if statistic > 0 else "low"
        text = f"{pair} negatives: beta is too {off}, or a kind is no random sample.{agree}"
    return Check("negatives", beta, statistic, nan, p_value, text)


def binormal_variances(auroc: float, share: FloatArray) -> FloatArray:
    """Return the variances of placements of the rest for normal scores of equal variance."""
    # P(a positive above two negatives) = A - 2*T(z, 1/sqrt(3)), A = Phi(z), T Owen's function.
    owen = scipy.special.owens_t(float(scipy.special.ndtri(auroc)), 3**-0.5)
    negative_share = 1 - share
    negatives_only = max(auroc * (1 - auroc) - 2 * float(owen), 0.0)
    return np.asarray(share / 12 + negative_share * (negatives_only + share * (auroc - 0.5) ** 2))


def _test_limit(ranking: Ranking, beta: float, alpha: float) -> Check:
    """Test beta against its limit from known positives; p is the smallest delta that rejects."""
    total, statistic, p_value, above = ranking.total, 0.0, 1.0, nan
    if hidden := int(hidden_counts(np.array([beta]), total.unlabeled)[0]):
        statistic, above = distance_from_positives(ranking, hidden)
        p_value = exp(-2 * max(statistic, 0.0) ** 2 / (1 / total.known_positive + 1 / hidden))
    text = "The known positives leave room for the hidden positives."
    if p_value <= alpha:
        text = (
            f"The best {above:.1%} of the unlabeled leave no room for so many hidden positives: "
            "beta is too high, or labels favour the top."
        )
    return Check("limit", beta, statistic, nan, p_value, text)


def _test_monotone(ranking: Ranking, alpha: float) -> Check:
    """Test whether scores can be monotone; p is the smallest of some alphas that rejects it."""
    p_value, above = 1.0, nan
    for each in sorted({*_ALPHAS, round(alpha, 12)}, reverse=True):
        refuted_at = monotone_refuted_at(ranking, 1 - each)
        if np.isnan(refuted_at):
            break
        p_value, above = each, refuted_at
    text = "A higher score may never mean a smaller probability of being positive."
    if p_value <= alpha:
        text = (
            f"Scores are not monotone: no concave curve fits near the top {above:.1%} of the "
            "rest. Leave monotone=True out; other results do not need it."
        )
    return Check("monotone", nan, nan, nan, p_value, text)


def breaking_point(is_true: Callable[[float], bool]) -> float:
    """Return the largest factor of the odds of being labeled for which a conclusion is true."""
    if not is_true(1.0):
        return 1.0
    if is_true(inf):
        return inf
    low, high = 1.0, 2.0
    while high < _MAX_FACTOR and is_true(high):
        low, high = high, high**2
    return bisect_factor(is_true, low, high, _PRECISION)[0]
