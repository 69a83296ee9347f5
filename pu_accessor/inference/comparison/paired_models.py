"""Compare models that ranked the same examples: which has the higher metric, and by how much.

With n known positives among N examples, P = n + beta*U and mid-ranks R, the difference of two
AUROCs is the mean of d = R_b - R_a over N - P: sign and test do not depend on beta. On future data
its variance in ranks is DeLong's (Biometrics 44, 1988), var(d)/n + (N - n)*var(V_a - V_b), with
Welch's degrees of freedom. On this sample it is var(d)/n * (1 - n/P), with n - 1.
"""

from dataclasses import dataclass, replace

import numpy as np

from pu_accessor.beta import Beta
from pu_accessor.errors import PUDataError, PUValueError
from pu_accessor.inference.answer import add_beta_error
from pu_accessor.inference.comparison.pair_tests import PairTests, compare_by_t, list_pairs
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.known_positives import count_negatives, hidden_share
from pu_accessor.inference.estimates.linearized import linearize
from pu_accessor.inference.estimates.weighted_areas import known_share_below
from pu_accessor.inference.influence import (
    Design,
    design_effect_of_sums,
    kurtosis_df,
    positive_share_of_rest,
    welch_df,
)
from pu_accessor.inference.metrics import Metric
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import CountArray, FloatArray, IntArray, PairedRanks, PairedRows

_RELATIVE_TOLERANCE = 1e-12
# Calibrated by simulation, in tests/support/studies.
_PRIOR_DF = 3.0  # of the variance of known positives by the moves of the rest
_MAX_PRIOR_DF = 30.0  # known positives with more degrees of freedom need no prior
_MIN_MOVE_KURTOSIS = 17.0  # of moves in rank; above it few rows move
_UNSEEN_MOVES = 1  # rows added that move from one end to the other


@dataclass(frozen=True, eq=False)
class PairedTests(PairTests):
    """Tests of each pair of models: a column for each beta, or a single one without betas."""

    sign: IntArray  # of the difference; one column where it does not depend on beta
    n: int  # known positives
    has_size: bool  # differences of AUROC, not of ranks


def compare_paired(
    paired: PairedRanks, betas: FloatArray | None, level: float, target: str
) -> PairedTests:
    """Compare the AUROC of models that ranked the same examples."""
    first, second = list_pairs(len(paired.ranks))
    check_labels(np.zeros(1) if betas is None else betas, paired.total)
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    differences = [_mean_rank_difference(paired, pair, target == "population") for pair in pairs]
    mean, variance, df = np.transpose(differences)
    factor = np.ones(1 if betas is None else betas.size)
    if target == "examples" and betas is not None and paired.known_weight is None:
        factor = hidden_share(paired.total, betas) ** 0.5
    error = np.multiply.outer(np.sqrt(variance), factor)
    error[:, factor == 0] = 0.0  # also of a single known positive
    in_ranks = compare_by_t((first, second), mean[:, np.newaxis], error, df[:, np.newaxis], level)
    negatives = np.ones(1)
    if betas is not None:
        negatives = np.array([float(number) for number in count_negatives(paired.total, betas)])
    sized = {key: getattr(in_ranks, key) / negatives for key in ("difference", "lower", "upper")}
    return PairedTests(
        **vars(in_ranks) | sized,
        sign=np.sign(mean).astype(np.int64)[:, np.newaxis],
        n=paired.total.known_positive,
        has_size=betas is not None,
    )


def add_beta_error_to_tests(tests: PairedTests, beta: Beta) -> PairedTests:
    """Combine the error of an estimated beta with that of the ranking."""
    if not tests.has_size:
        return tests
    lower, upper = add_beta_error(tests.difference, tests.lower, tests.upper, beta)
    names = ("difference", "statistic", "df", "p_value", "p_adjusted", "sign")
    at_estimate = {name: getattr(tests, name)[:, :1] for name in names}
    return replace(tests, **at_estimate, lower=lower, upper=upper)


def _mean_rank_difference(
    paired: PairedRanks, models: tuple[int, int], on_new: bool
) -> tuple[float, float, float]:
    """Return by how many ranks the first is ahead on average, its variance and its df."""
    (a, b), weight, n = models, paired.known_weight, paired.total.known_positive
    ranks, among = ([*each.values()] for each in (paired.ranks, paired.ranks_among_known))
    share = np.full(n, 1 / n) if weight is None else weight / weight.sum()
    ahead = ranks[b] - ranks[a]
    if on_new and weight is None:
        ahead = (ranks[b] - among[b]) - (ranks[a] - among[a])
    mean = float(ahead.mean() if weight is None else share @ ahead)
    deviation = ahead - mean
    deviation[np.abs(deviation) <= _RELATIVE_TOLERANCE * np.abs(ahead).max()] = 0.0
    influence = share * deviation
    if on_new and weight is not None:
        below = known_share_below(among[b], share) - known_share_below(among[a], share)
        influence += below - below.mean()
    factor = np.ones(n) if on_new or weight is None else 1 - 1 / weight
    influence *= np.sqrt(factor)
    others = sum(paired.total) - n
    unit = float(np.mean(share**2 * factor)) * others**2
    move_moments = paired.moves[:, a, b]
    differ = bool(ahead.any() or move_moments.any())
    if differ or not (paired.equal[a, b] or (paired.rows and paired.rows.same_order(a, b))):
        move_moments = move_moments + _UNSEEN_MOVES / max(others, 1)
    variance_of_known, df = known_positive_variance(influence, move_moments * [unit, unit**2])
    if not on_new:
        return mean, variance_of_known, df
    variance, df = _add_rest_variance(paired, models, variance_of_known, df)
    if paired.clusters is None or np.isnan(variance):
        return mean, variance, df
    sums = paired.clusters.sums
    plain = known_positive_variance(influence, np.zeros(2))[0] + variance - variance_of_known
    effect, max_df = _cluster_design(sums[a] - sums[b], paired.clusters.sizes, plain / others**2)
    return mean, variance * effect, min(df, max_df)


def _add_rest_variance(
    paired: PairedRanks, models: tuple[int, int], variance_of_known: float, df: float
) -> tuple[float, float]:
    """Add the variance from the rest to that of a mean in ranks; also return its df."""
    n = paired.total.known_positive
    others = sum(paired.total) - n
    if min(n, others) < 2:
        return np.nan, np.nan
    of_two = paired.covariance[np.ix_(models, models)]
    total = float(np.trace(of_two))
    difference = total - 2 * float(of_two[0, 1])
    difference *= abs(difference) > _RELATIVE_TOLERANCE * total
    squares = np.array([variance_of_known, others * difference])
    return float(squares.sum()), float(welch_df(squares, np.array([df, others - 1.0])))


def require_rows(paired: PairedRanks) -> PairedRows:
    """Return the rows of models, or raise where they are not in memory."""
    if paired.rows is None:
        raise PUValueError(
            "metric must be 'auroc' where rows are not in memory, or models have propensities: "
            "other metrics need each row. Put the scores of all models into one frame: "
            "df.pu(score=['svm', 'forest'])."
        )
    return paired.rows


def known_positive_variance(
    terms: FloatArray, moves: FloatArray, times: CountArray | None = None
) -> tuple[float, float]:
    """Return the squared error that known positives add to a difference, and its df."""
    # The variance by moves of the rest, if larger, is averaged with their own, weighted by degrees
    # of freedom (Smyth, Stat. Appl. Genet. Mol. Biol. 3, 2004).
    times = np.ones(terms.size) if times is None else times.astype(np.float64)
    n, squares = float(times.sum()), terms**2
    if n < 2:
        return np.nan, np.nan
    own, fourth, by_rest = float(times @ squares), float(times @ squares**2), n * float(moves[0])
    df = float(kurtosis_df(np.array(n * fourth / own**2 if own else 1.0), n))
    own *= n / (n - 1)
    if by_rest <= own:
        return own, df
    own_df = min(df, float(kurtosis_df(moves[1] / moves[0] ** 2, n))) if own else 0.0
    if own_df >= _MAX_PRIOR_DF:
        return own, df
    total_df = own_df + _PRIOR_DF
    return (own_df * own + _PRIOR_DF * by_rest) / total_df, min(total_df, n - 1.0)


def _difference_variance(
    terms: FloatArray,
    moved: FloatArray,
    max_move: float,
    rows: PairedRows,
    counted: CountArray | None = None,
) -> tuple[float, float]:
    """Return the variance of a sum over rows, by clusters if there are any, and its df."""
    times, is_known = rows.multiplicity, rows.positive
    size_of_rest = times[~is_known].sum().item()
    if times[is_known].sum() < 2 or size_of_rest < 2:
        return np.nan, np.nan
    number = (times[~is_known] if counted is None else counted).astype(np.float64)
    own, square = terms / times, (moved / times[~is_known]) ** 2 * (size_of_rest / number.sum())
    moves = np.array([number @ square, number @ square**2])
    moves += _UNSEEN_MOVES * max_move ** np.array([2, 4])
    parts = (
        known_positive_variance(own[is_known], moves / size_of_rest, times[is_known]),
        known_positive_variance(own[~is_known], np.zeros(2), times[~is_known]),
    )
    squares, df = np.transpose(parts)
    effect, max_df = _row_design(terms, rows)
    return effect * float(squares.sum()), min(float(welch_df(squares, df)), max_df)


def _count_likely_positives(best: FloatArray, rows: PairedRows, share: float) -> CountArray:
    """Return how often rows of the rest count as positives: as many as there are, best first."""
    times = rows.multiplicity[~rows.positive]
    order, counted = np.argsort(-best / times, kind="stable"), np.zeros(best.size)
    before = np.cumsum(times[order]) - times[order]
    left = np.ceil(max(share * times.sum(), 1.0) - before)
    counted[order] = np.clip(left, 0, times[order])
    return counted


def _row_design(terms: FloatArray, rows: PairedRows) -> Design:
    """Return by how much clusters enlarge the variance of a sum over rows, and the maximal df."""
    if not rows.has_design:
        return Design()
    cluster = np.arange(terms.size) if rows.cluster is None else rows.cluster
    size, times = int(cluster.max()) + 1, rows.multiplicity
    bins = cluster + size * ~rows.positive
    sums = np.bincount(bins, terms, 2 * size).reshape(2, size).astype(np.float64)
    sizes = np.bincount(bins, times, 2 * size).reshape(2, size)
    number, squares = sizes.sum(axis=1), terms**2 / times
    several = number > 1
    by_kind = np.bincount(~rows.positive, squares, 2)
    plain = float(np.sum((by_kind * number / np.maximum(number - 1, 1))[several]))
    return _cluster_design(sums, sizes, plain)


def _cluster_design(sums: FloatArray, sizes: CountArray, plain: float) -> Design:
    """Return by how much clusters enlarge the variance of independent rows, and the maximal df."""
    with_positive = int(np.count_nonzero(sizes[0]))
    if with_positive < 2:
        raise PUDataError(
            f"cluster must leave known positives in two or more, but they are in {with_positive}: "
            "the variance between clusters is unknown. Omit cluster=... if rows are "
            "independent."
        )
    mean_size = float(sizes[0].sum()) / with_positive
    return design_effect_of_sums(sums, sizes, with_positive, plain, mean_size)


def compare_rows(
    paired: PairedRanks, betas: FloatArray | None, level: float, metric: Metric, at: Cutoff | None
) -> PairedTests:
    """Compare any metric of models of the same rows on future data; without betas AUROC."""
    # The test is of unbiased statistics, which may be outside [0, 1].
    rows, has_size = require_rows(paired), betas is not None
    betas = np.zeros(1) if betas is None else betas
    check_labels(betas, paired.total)
    count_negatives(paired.total, betas)
    models = [linearize(ranking, betas, metric, at) for ranking in rows.rankings()]
    first, second = list_pairs(len(models))
    completed = [model.estimate() for model in models]
    as_known = [model.as_known[:, ~rows.positive] for model in models]
    # Average precision and BEDROC depend most on the top, where positives are.
    early = at is None and metric.curve != "roc"
    shares = positive_share_of_rest(paired.total, betas)
    by_order, shape = at is None or at.kind != "threshold", (first.size, betas.size)
    difference, estimate, error, df = (np.empty(shape) for _ in range(4))
    for pair, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        difference[pair] = models[a].value - models[b].value
        estimate[pair] = completed[a] - completed[b]
        all_terms, moved = models[a].influence - models[b].influence, as_known[a] - as_known[b]
        differ = all_terms.any() or moved.any()
        are_equal = not differ and (paired.equal[a, b] or (by_order and rows.same_order(a, b)))
        few_move = paired.moves[1, a, b] > _MIN_MOVE_KURTOSIS * paired.moves[0, a, b] ** 2
        max_move = np.maximum(models[a].max_move, models[b].max_move) * (not are_equal)
        for column, terms in enumerate(all_terms):
            counted = None
            if early and few_move:
                best = np.maximum(as_known[a][column], as_known[b][column])
                counted = _count_likely_positives(best, rows, shares[column])
            sizes = moved[column], max_move[column], rows, counted
            variance, df[pair, column] = _difference_variance(terms, *sizes)
            error[pair, column] = variance**0.5
    tests = compare_by_t((first, second), difference, error, df, level)
    lower, upper = (np.clip(end, -metric.span, metric.span) for end in (tests.lower, tests.upper))
    limits = {"lower": np.minimum(lower, estimate), "upper": np.maximum(upper, estimate)}
    return PairedTests(
        **vars(tests) | limits | {"difference": estimate},
        sign=np.sign(np.nan_to_num(difference)).astype(np.int64),
        n=paired.total.known_positive,
        has_size=has_size,
    )
