"""Compare models that ranked the same examples: which has the higher metric, and by how much.

d and e are the differences of two models' influences, times n and times U, of a known positive and
of one of the rest (of AUROC: of placements [1]). The variance of the difference of a metric is

    ((n - 1)*var(d) + D^2)/n^2 + var(e)/U + slope^2*pi*(1 - pi)/N,

with Student's t and n - 1 degrees of freedom. D stands for one known positive that was not seen,
and moves as far as the farthest example that was; at least by the root mean square move of one
that a model ranks as the rest. The last term is the error of the share of positives, pi, where
the metric depends on it. On this sample AUROC has the first term alone, times 1 - n/P.

With P = n + beta*U and mid-ranks R, the difference of two AUROCs is the mean of R_b - R_a over
N - P: sign and test do not depend on beta. With biased selection or wrong labels it is lowest if
known positives with the highest rank differences are wrong and those with the lowest represent
most hidden ones: the coverage is not proven, but simulated (coverage.csv: "`compare`: AUROC,
future data", design "selection odds of 3").

[1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, Biometrics 44 (1988) 837-845.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import scipy

from pu_accessor.errors import PUDataError, PUValueError
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.comparison import (
    adjust_by_holm,
    compare_by_t,
    list_pairs,
    show_estimate,
    subtract,
)
from pu_accessor.inference.contingency import check_labels
from pu_accessor.inference.cutoff_spec import Cutoff
from pu_accessor.inference.hidden_bounds import count_wrong
from pu_accessor.inference.influence import (
    adjust_sums,
    least_placement_square,
    positive_share_of_rest,
)
from pu_accessor.inference.known_positives import count_negatives, count_positives, hidden_shares
from pu_accessor.inference.linearized import linearize
from pu_accessor.inference.metric_entry import Metric
from pu_accessor.inference.worlds import PrevalenceError, add_prevalence_error, prevalence_error
from pu_accessor.ranking import Clusters, Counts, FloatArray, PairedRanks, PairedRows
from pu_accessor.roles_and_assumptions import Terms

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
        factor = (1 - paired.total.known_positive / count_positives(paired.total, betas)) ** 0.5
    error = np.multiply.outer(np.sqrt(variance), factor)
    error[:, factor == 0] = 0.0  # also of a single known positive
    tests = compare_by_t(mean[:, np.newaxis], error, df[:, np.newaxis], level)
    if betas is not None:
        negatives = count_negatives(paired.total, betas)
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
    moves = []  # what each row adds to an error, and about would as a known positive, by beta
    for linear, ranking in zip(models, rankings, strict=True):
        steps = cast("Clusters", ranking.clusters).steps(linear.threshold)
        known, rest, as_known = (each[:, steps] for each in linear[3:6])
        moves.append(np.stack([np.where(rows.clusters.positive, known, rest), as_known]))
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
    n, sizes = total.known_positive, rows.clusters.sizes if rows.has_design else None
    rest = sum(total) - n
    return prevalence_error(n, rest, positive_share_of_rest(total, betas), sizes)


def _difference_variance(
    rows: PairedRows,
    moved: FloatArray,
    least_move: FloatArray,
    slope: FloatArray,
    of_share: PrevalenceError,
) -> tuple[FloatArray, float]:
    """Return the variance of a difference at each beta, from what rows add to it, and its df."""
    (added, as_known), positive = moved, rows.clusters.positive
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


def _design(
    rows: PairedRows, added: FloatArray, plain: FloatArray
) -> tuple[FloatArray, float, FloatArray]:
    """Return by how much clusters enlarge the variance, their df, and what they add, by beta."""
    sizes, sums = rows.clusters.sizes, [*map(rows.clusters.sum_by_cluster, added)]
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


_MAX_ODDS = 1e9  # a larger factor counts as unlimited
_HIDDEN_PER_KNOWN = 1e6  # hidden positives per known one, without a beta


def compare_worst_case(
    paired: PairedRanks, betas: FloatArray | None, terms: Terms, target: str
) -> Answer:
    """Compare the AUROC of models with biased or wrong labels, as far as is assumed."""
    odds, level = terms.selection_odds, terms.level
    if odds > 1 and betas is None and sum(paired.total) == paired.total.known_positive:
        raise PUDataError(
            "selection_odds must be omitted where all examples are known positives: AUROC needs "
            "others to rank them against."
        )
    plain = compare_paired(paired, betas, level, target)
    pairs = [*zip(*list_pairs(len(paired.ranks)), strict=True)]
    each = [None] if betas is None else [*betas[:, np.newaxis]]

    def compare(pair: Pair, beta: FloatArray | None, side: int) -> Answer:
        relabeled = _relabel_for_extreme(paired, pair, beta, terms, side)
        return compare_paired(relabeled, beta, level, target, [pair])

    low, high = ([[compare(pair, b, side) for b in each] for pair in pairs] for side in (-1, 1))

    def stack(name: str) -> FloatArray:
        def of(tests: Answer) -> FloatArray:
            return np.asarray({**tests.columns, **vars(tests)}[name])

        ends = [[[of(tests)[0, 0] for tests in row] for row in end] for end in (low, high)]
        return np.stack([of(plain), *np.array(ends)])

    signs, *tests = map(stack, ("sign", "statistic", "df", "p_value"))
    unlimited = odds > _MAX_ODDS and bool(paired.total.unlabeled)
    is_same_sign = (signs == signs[0]).all(axis=0) & (not unlimited)
    largest = np.argmax(np.nan_to_num(tests[2], nan=np.inf), axis=0)[np.newaxis]
    statistic, df, p_value = (np.take_along_axis(column, largest, axis=0)[0] for column in tests)
    is_undecided = ~is_same_sign & ~np.isnan(p_value)
    p_value = np.where(is_undecided, 1.0, p_value)
    lower, upper = np.fmin.reduce(stack("lower")), np.fmax.reduce(stack("upper"))
    if unlimited:  # hidden positives may have any rank
        lower, upper = np.fmin(lower, -1.0), np.fmax(upper, 1.0)
    return replace(plain, lower=lower, upper=upper).with_columns(
        statistic=np.where(is_undecided, 0.0, statistic),
        df=df,
        p_value=p_value,
        p_adjusted=adjust_by_holm(p_value),
        sign=signs[0] * is_same_sign,
    )


def _relabel_for_extreme(
    paired: PairedRanks, pair: Pair, beta: FloatArray | None, terms: Terms, side: int
) -> PairedRanks:
    """Return models with labels at which the difference of two is lowest (-1), or highest (1)."""
    paired, odds = _remove_wrong_labels(paired, pair, terms, side), terms.selection_odds
    n, hidden = paired.total.known_positive, _HIDDEN_PER_KNOWN * paired.total.known_positive
    if beta is not None:
        hidden = float(count_positives(paired.total, beta)[0]) - n
    if odds == 1 or not hidden:
        return paired
    value = side * _rank_difference(paired, pair)
    order, weight = np.argsort(-value, kind="stable"), np.empty(n)
    weight[order] = _extreme_weights(value[order], min(odds, _MAX_ODDS))
    return paired._replace(known_weight=1 + hidden_shares(1 + weight, hidden))


def _rank_difference(paired: PairedRanks, pair: Pair) -> FloatArray:
    """Return by how many ranks the first of two models is ahead, for each known positive."""
    first, second = ([*paired.ranks.values()][model] for model in pair)
    return second - first


def _extreme_weights(values: FloatArray, odds: float) -> FloatArray:
    """Return the weights, from 1 to `odds`, that maximize the mean of descending values."""
    n = values.size
    through, above = np.concatenate([[0.0], np.cumsum(values)]), np.arange(n + 1)
    mean = (odds * through + through[-1] - through) / (odds * above + n - above)
    return np.where(np.arange(n) < int(np.argmax(mean)), odds, 1.0)


def _remove_wrong_labels(paired: PairedRanks, pair: Pair, terms: Terms, side: int) -> PairedRanks:
    """Return models without the known positives at one end, which become negatives."""
    total = paired.total
    wrong = count_wrong(total.known_positive, terms.contamination)
    if not wrong:
        return paired
    ahead = _rank_difference(paired, pair)
    right = np.sort(np.argsort(side * ahead, kind="stable")[wrong:])
    ranks = {model: of_model[right] for model, of_model in paired.ranks.items()}
    total = Counts(total.known_positive - wrong, total.known_negative + wrong, total.unlabeled)
    farthest = _farthest_move(paired, pair, total, ahead - ahead[right].mean())
    return paired._replace(
        ranks=ranks, total=total, farthest=np.full_like(paired.farthest, farthest)
    )


def _farthest_move(paired: PairedRanks, pair: Pair, total: Counts, moved: FloatArray) -> float:
    """Return how far an example may move, whichever labels are wrong of known positives."""
    if same_order(paired, pair):
        return 0.0
    before, known, rest = paired.total.known_positive, total.known_positive, sum(total[1:])
    wrong, sizes = before - known, [np.abs(moved).max() / rest]
    # An example moves past at most all wrong ones more.
    sizes.append(min((paired.farthest[pair] * before + wrong) / known, 1.0))
    for model in pair:
        ranks = np.sort([*paired.ranks.values()][model])
        for right in (ranks[wrong:], ranks[:known]):
            above = (right.mean() - (known + 1) / 2) / rest
            sizes.append(least_placement_square(above) ** 0.5)
    return float(max(sizes))
