"""Compare models that ranked the same examples: which has the higher metric, and by how much.

d and e are the differences of two models' influences, times n and times U, of a known positive and
of one of the rest (of AUROC: of placements [1]). The variance of the difference of a metric is

    ((n - 1)*var(d) + D^2)/n^2 + var(e)/U + slope^2*pi*(1 - pi)/N,

with Student's t and n - 1 degrees of freedom. D stands for one known positive that was not seen,
and moves as far as the farthest example that was; at least by the root mean square move of one
that a model ranks as the rest. The last term is the error of the share of positives, pi, where
the metric depends on it. On this sample AUROC has the first term alone, times 1 - n/P.

With P = n + beta*U and mid-ranks R, the difference of two AUROCs is the mean of R_b - R_a over
N - P: sign and test do not depend on beta.

[1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, Biometrics 44 (1988) 837-845.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import scipy

from pu_accessor.errors import PUDataError, PUValueError
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.comparison.pair_tests import (
    compare_by_t,
    list_pairs,
    show_estimate,
    subtract,
)
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.known_positives import count_negatives, hidden_share
from pu_accessor.inference.estimates.linearized import Linearized, linearize
from pu_accessor.inference.influence import (
    adjust_sums,
    least_placement_square,
    positive_share_of_rest,
)
from pu_accessor.inference.metrics import Metric
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.inference.worlds import PrevalenceError, add_prevalence_error, prevalence_error
from pu_accessor.ranking import (
    BoolArray,
    Clusters,
    CountArray,
    Counts,
    FloatArray,
    PairedRanks,
    PairedRows,
    Ranking,
)

_RELATIVE_TOLERANCE = 1e-12
Pair = tuple[int, int]


def compare_paired(
    paired: PairedRanks,
    betas: FloatArray | None,
    level: float,
    target: str,
    pairs: Sequence[Pair] | None = None,
) -> Answer:
    """Compare the AUROC of models that ranked the same examples: all pairs, or some."""
    pairs = [*zip(*list_pairs(len(paired.ranks)), strict=True)] if pairs is None else pairs
    check_labels(np.zeros(1) if betas is None else betas, paired.total)
    differences = [_mean_rank_difference(paired, pair, target == "population") for pair in pairs]
    mean, variance, df = np.transpose(differences)
    df[np.isnan(variance)] = np.nan
    factor = np.ones(1 if betas is None else betas.size)
    if target == "examples" and betas is not None and paired.known_weight is None:
        factor = hidden_share(paired.total, betas) ** 0.5
    error = np.multiply.outer(np.sqrt(variance), factor)
    error[:, factor == 0] = 0.0  # also of a single known positive
    tests = compare_by_t(mean[:, np.newaxis], error, df[:, np.newaxis], level)
    if betas is not None:
        negatives = np.array([float(number) for number in count_negatives(paired.total, betas)])
        value, lower, upper = (part / negatives for part in tests.parts)
        tests = show_estimate(replace(tests, lower=lower, upper=upper), value, 1.0)
    return _add_counts(tests, paired, mean[:, np.newaxis])


def _add_counts(tests: Answer, paired: PairedRanks, difference: FloatArray) -> Answer:
    """Add the number of known positives, and which of two models is ahead."""
    sign = np.sign(np.nan_to_num(difference)).astype(np.int64)
    n = paired.total.known_positive
    return replace(tests, columns={"n": n, **tests.columns, "sign": sign})


def _mean_rank_difference(
    paired: PairedRanks, models: Pair, on_new: bool
) -> tuple[float, float, float]:
    """Return by how many ranks the first is ahead on average, its variance and its df."""
    ranks = np.stack([*paired.ranks.values()])[[*models]]
    among, n, weight = scipy.stats.rankdata(ranks, axis=1), ranks.shape[1], paired.known_weight
    share = np.full(n, 1 / n) if weight is None else weight / weight.sum()
    ahead = np.diff(ranks - among if on_new and weight is None else ranks, axis=0)[0]
    mean = float(ahead.mean() if weight is None else share @ ahead)
    if n < 2:
        return mean, np.nan, np.nan
    others, moved, factor = sum(paired.total[1:]), ahead - mean, np.ones(n)
    moved[np.abs(moved) <= _RELATIVE_TOLERANCE * np.abs(ahead).max()] = 0.0
    influence = share * moved
    if weight is not None and on_new:
        below = np.diff([_known_share_below(each, share) for each in among], axis=0)[0]
        influence += below - below.mean()
    elif weight is not None:
        factor = 1 - 1 / weight
    seen, farthest = np.square(moved).max(), float(paired.farthest[models])
    placed = 1 - (ranks - among) @ share / (others or 1.0)
    least = max(map(least_placement_square, placed.tolist()))
    unseen = max(seen, others**2 * max(farthest**2, least))
    if not (ahead.any() or farthest) and same_order(paired, models):
        unseen = 0.0
    variance = influence**2 @ factor + unseen * (share**2 @ factor / n)
    if on_new:
        variance += others**2 * paired.variance_of_rest[models]
    return mean, float(variance), n - 1.0


def same_order(paired: PairedRanks, models: Pair, by_order: bool = True) -> bool:
    """Tell whether no example can move between two models, as far as is known."""
    same_order = by_order and paired.rows is not None and paired.rows.same_order(*models)
    return bool(paired.equal[models] or same_order)


def require_rows(paired: PairedRanks) -> PairedRows:
    """Return the rows of models, or raise where they are not in memory."""
    if paired.rows is None:
        raise PUValueError(
            "metric must be 'auroc' where rows are not in memory: other metrics need "
            "each row. Put the scores of all models into one frame: "
            "df.pu(score=['svm', 'forest'])."
        )
    return paired.rows


def compare_rows(
    paired: PairedRanks, betas: FloatArray | None, level: float, metric: Metric, at: Cutoff | None
) -> Answer:
    """Compare any metric of models of the same rows on future data; without betas AUROC."""
    # The test is of unbiased statistics, which may be outside [0, 1].
    rows = require_rows(paired)
    betas = np.zeros(1) if betas is None else betas
    check_labels(betas, paired.total)
    count_negatives(paired.total, betas)
    rankings = [*rows.rankings()]
    models = [linearize(ranking, betas, metric, at) for ranking in rankings]
    moves = [_moves_of_rows(*each, rows.positive) for each in zip(models, rankings, strict=True)]
    pairs = list_pairs(len(models))
    difference = estimate = subtract(np.stack([model.value for model in models]), pairs)
    if metric.curve != "roc":
        estimate = subtract(np.stack([model.estimate() for model in models]), pairs)
    error, df = np.empty(difference.shape), np.empty((len(difference), 1))
    of_share = _prevalence_error(rows, paired.total, betas)
    for pair, (a, b) in enumerate(zip(*pairs, strict=True)):
        moved, least = moves[a] - moves[b], np.maximum(models[a].least_move, models[b].least_move)
        by_order = at is None or at.kind != "threshold"
        if not moved.any() and same_order(paired, (a, b), by_order):
            least = np.zeros(betas.size)
        slope = models[a].share_slope - models[b].share_slope
        variance, df[pair] = _difference_variance(rows, moved, least, slope, of_share)
        error[pair] = variance**0.5
    tests = compare_by_t(difference, error, df, level)
    return _add_counts(show_estimate(tests, estimate, metric.span), paired, difference)


def _prevalence_error(rows: PairedRows, total: Counts, betas: FloatArray) -> PrevalenceError:
    """Return the error of the share of positives."""
    n, sizes = total.known_positive, None
    if rows.has_design:
        (sizes,) = _sum_by_cluster(rows, [rows.multiplicity])
    rest = sum(total) - n
    return prevalence_error(n, rest, positive_share_of_rest(total, betas), sizes)


def _moves_of_rows(linear: Linearized, ranking: Ranking, positive: BoolArray) -> FloatArray:
    """Return what each row adds to an error, and about would as a known positive, by beta."""
    steps = cast("Clusters", ranking.clusters).steps(linear.threshold)
    known, rest, as_known = (each[:, steps] for each in linear[3:6])
    return np.stack([np.where(positive, known, rest), as_known])


def _difference_variance(
    rows: PairedRows,
    moved: FloatArray,
    least_move: FloatArray,
    slope: FloatArray,
    of_share: PrevalenceError,
) -> tuple[FloatArray, float]:
    """Return the variance of a difference at each beta, from what rows add to it, and its df."""
    (added, as_known), positive = moved, rows.positive
    times = rows.multiplicity.astype(np.float64)
    sizes = np.array([times[positive].sum(), times[~positive].sum()])
    if sizes.min() < 2:
        return np.full(least_move.size, np.nan), np.nan
    squares = added**2 * times
    of_rest = squares[:, ~positive].sum(axis=1) * sizes[1] / (sizes[1] - 1)
    plain = squares[:, positive].sum(axis=1) + of_rest
    farthest = [np.abs(each).max(axis=1) for each in (added[:, positive], as_known)]
    unseen = np.maximum.reduce([*farthest, least_move])
    variance, df, sums = plain + unseen**2, float(sizes[0]) - 1, np.empty((0, 0))
    if rows.has_design:
        effect, df, sums = _design(rows, added * times, plain)
        variance = variance * effect
    return add_prevalence_error(variance, slope, of_share, sums), df


def _sum_by_cluster(rows: PairedRows, each: Iterable[CountArray]) -> list[Any]:
    """Return sums of known positives, and of the rest, by cluster, (2, clusters) each."""
    cluster = np.arange(rows.positive.size) if rows.cluster is None else rows.cluster
    number = int(cluster.max()) + 1
    of_row = cluster + number * ~rows.positive
    return [np.bincount(of_row, one, 2 * number).reshape(2, number) for one in each]


def _design(
    rows: PairedRows, added: FloatArray, plain: FloatArray
) -> tuple[FloatArray, float, FloatArray]:
    """Return by how much clusters enlarge the variance, their df, and what they add, by beta."""
    sizes, *sums = _sum_by_cluster(rows, [rows.multiplicity, *added])
    with_positive = int(np.count_nonzero(sizes[0]))
    if with_positive < 2:
        raise PUDataError(
            f"cluster must leave known positives in two or more, but they are in {with_positive}: "
            "the variance between clusters is unknown. Omit cluster=... if rows are "
            "independent."
        )
    by_cluster = (np.stack(sums) * adjust_sums(np.ones(sizes.shape), sizes)).sum(axis=1)
    squares = np.square(by_cluster).sum(axis=1)
    mean_size = sizes[0].sum() / with_positive  # rows of one cluster are taken as equal
    effect = np.divide(squares, plain, out=np.full(plain.shape, mean_size), where=plain > 0)
    return np.maximum(effect, 1.0), with_positive - 1.0, by_cluster


def _known_share_below(ahead: FloatArray, share: FloatArray) -> FloatArray:
    """Return the shares of the known positives that rank below each; half of those tied."""
    _, block = np.unique(ahead, return_inverse=True)
    tied = np.bincount(block, share)
    return (1 - np.cumsum(tied) + tied / 2)[block]
