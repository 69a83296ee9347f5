"""Models that ranked the same examples: which has the higher AUROC, and by how much."""

from dataclasses import dataclass, replace

import numpy as np

from pu_accessor.beta import Beta
from pu_accessor.errors import PUDataError, PUValueError
from pu_accessor.inference.comparison.pairwise import PairTests, compare_by_t, find_pairs
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.joint import join_limits
from pu_accessor.inference.estimates.known_positives import count_negatives, hidden_share
from pu_accessor.inference.estimates.linearized import linearize
from pu_accessor.inference.estimates.weighted_areas import share_below
from pu_accessor.inference.influence import (
    Design,
    hold_clusters,
    kurtosis_df,
    rest_share,
    welch_df,
)
from pu_accessor.inference.metrics import Metric
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import CountArray, FloatArray, IntArray, PairedRanks, PairedRows

_ROUNDING = 1e-12  # relative size of a variance that may be none


@dataclass(frozen=True, eq=False)
class PairedTests(PairTests):
    """Tests of each pair of models: a column for each beta, or a single one without betas."""

    sign: IntArray  # of the first less the second; one column where no beta changes it
    n: int  # known positives
    has_size: bool  # differences of AUROC; without betas of ranks
    covariance: FloatArray  # of the errors of models, but a factor: (1 or columns, models, models)


def compare_paired(
    paired: PairedRanks, betas: FloatArray | None, level: float, target: str
) -> PairedTests:
    """Compare the AUROC of models that ranked the same examples.

    Which of two models has the higher AUROC does not depend on beta, nor does, on new examples,
    whether that can be chance: the difference is the mean difference of the ranks of the known
    positives, divided by the number of negatives. Its size needs betas.

    Notes
    -----
    With n known positives among N examples, U of them unlabeled, P = n + beta*U and mid-ranks R,
    AUROC is 1 - (mean(R) - (P + 1)/2)/(N - P). For two models the term in P cancels; what remains
    is the mean of d = R_b - R_a over N - P.

    On new examples its variance is that of DeLong [1]_ for two models: the N - n others are a
    sample, too. With d of ranks among these alone, which have the same mean difference, and V the
    shares of known positives above each of them, it is var(d)/n + (N - n)*var(V_a - V_b), in
    ranks, and Student's t has Welch's degrees of freedom. Neither
    contains beta, so that p value and interval agree: at level .95 the interval leaves out 0
    exactly where p < .05, whatever beta.

    For these examples the others are given, and the known positives a sample of all positives:
    t = mean(d)/(sd(d)/sqrt(n)) with n - 1 degrees of freedom, and with betas times the factor
    sqrt(1 - n/P) of sampling without replacement. Without betas that is left out, and p is
    conservative. Where all positives are known nothing is left to chance.

    Where models differ in few examples, the known ones among these may be too few to show it, or
    none: see `known_error`, where the rest says how far known positives would move.

    Known positives with the weights w = 1/e, of which e is the probability that they were labeled,
    make weighted means. The variance for these examples is the sum of (1 - e)*(w*(d - mean))**2
    over sum(w)**2, that of independent labels; on new examples it is without the factor, and V
    are weighted shares. Sign and p value do not contain beta.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, *Comparing the areas under two or
       more correlated receiver operating characteristic curves: a nonparametric approach*,
       Biometrics 44 (1988) 837-845.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> ranks = {"svm": np.array([1.0, 2.0, 4.0]), "forest": np.array([3.0, 3.0, 8.0])}
    >>> among = dict.fromkeys(ranks, np.array([1.0, 2.0, 3.0]))
    >>> of_rest = np.eye(2) / 50, np.full((2, 2, 2), 0.01), np.eye(2, dtype=bool)
    >>> paired = PairedRanks(("model",), ranks, among, Counts(3, 0, 10), *of_rest)
    >>> tests = compare_paired(paired, np.array([0.2, 0.4]), 0.95, "population")
    >>> tests.sign, tests.p_value.round(3), tests.difference.round(3)
    (array([[1]]), array([[0.315, 0.315]]), array([[0.292, 0.389]]))
    """
    first, second = find_pairs(len(paired.ranks))
    check_labels(np.zeros(1) if betas is None else betas, paired.total)
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    each = [_shift(paired, pair, target == "population") for pair in pairs]
    mean, variance, df = np.transpose(each)
    factor = np.ones(1 if betas is None else betas.size)
    if target == "examples" and betas is not None and paired.known_weight is None:
        factor = hidden_share(paired.total, betas) ** 0.5
    error = np.multiply.outer(np.sqrt(variance), factor)
    error[:, factor == 0] = 0.0  # also of one known positive, if there is no other
    in_ranks = compare_by_t((first, second), mean[:, np.newaxis], error, df[:, np.newaxis], level)
    negatives = np.ones(1)
    if betas is not None:
        negatives = np.array([float(number) for number in count_negatives(paired.total, betas)])
    sized = {
        name: getattr(in_ranks, name) / negatives for name in ("difference", "lower", "upper")
    }
    return PairedTests(
        **vars(in_ranks) | sized,
        sign=np.sign(mean).astype(np.int64)[:, np.newaxis],
        n=paired.total.known_positive,
        has_size=betas is not None,
        covariance=_covariance(paired, target),
    )


def _covariance(paired: PairedRanks, target: str) -> FloatArray:
    """Return how the errors of models vary together, shape (1, models, models); but a factor."""
    n = paired.total.known_positive
    if paired.clusters is not None:
        whole = paired.clusters.sums.sum(axis=1)
        return np.asarray((whole @ whole.T)[np.newaxis])
    share = (
        np.full(n, 1 / n)
        if paired.known_weight is None
        else paired.known_weight / paired.known_weight.sum()
    )
    ranks = np.stack([*paired.ranks.values()])
    if target == "population":
        ranks = ranks - np.stack([*paired.ranks_among_known.values()])
    away = share * (ranks - ranks @ share[:, np.newaxis])
    of_rest = (sum(paired.total) - n) * paired.covariance if target == "population" else 0.0
    return np.asarray((away @ away.T + of_rest)[np.newaxis])


def join_pairs(tests: PairedTests, beta: Beta) -> PairedTests:
    """Put the error of an estimated beta together with that of the ranking."""
    if not tests.has_size:
        return tests
    lower, upper = join_limits(tests.difference, tests.lower, tests.upper, beta)
    names = ("difference", "statistic", "df", "p_value", "p_adjusted", "sign")
    at_estimate = {name: getattr(tests, name)[:, :1] for name in names}
    return replace(tests, **at_estimate, lower=lower, upper=upper)


def _shift(
    paired: PairedRanks, models: tuple[int, int], on_new: bool
) -> tuple[float, float, float]:
    """Return by how many ranks the first is ahead on average, the variance of that, and its df.

    A known positive is among the examples above others, too: where new examples are asked for and
    weights differ, that counts as well. With equal weights what it adds takes away its rank among
    the known ones.
    """
    (a, b), weight, n = models, paired.known_weight, paired.total.known_positive
    ranks, among = ([*each.values()] for each in (paired.ranks, paired.ranks_among_known))
    share = np.full(n, 1 / n) if weight is None else weight / weight.sum()
    ahead = ranks[b] - ranks[a]
    if on_new and weight is None:
        ahead = (ranks[b] - among[b]) - (ranks[a] - among[a])
    mean = float(ahead.mean() if weight is None else share @ ahead)
    away = ahead - mean
    away[np.abs(away) <= _ROUNDING * np.abs(ahead).max()] = 0.0
    influence = share * away
    if on_new and weight is not None:
        below = share_below(among[b], share) - share_below(among[a], share)
        influence += below - below.mean()
    drawn = np.ones(n) if on_new or weight is None else 1 - 1 / weight
    influence *= np.sqrt(drawn)
    others = sum(paired.total) - n
    unit = float(np.mean(share**2 * drawn)) * others**2
    moves = paired.moves[:, a, b]
    seen = bool(ahead.any() or moves.any())
    if seen or not (paired.equal[a, b] or (paired.rows and paired.rows.same_order(a, b))):
        moves = moves + _UNSEEN / max(others, 1)
    known, df = known_error(influence, moves * [unit, unit**2])
    if not on_new:
        return mean, known, df
    variance, df = _with_rest(paired, models, known, df)
    if paired.clusters is None or np.isnan(variance):
        return mean, variance, df
    sums, plain = paired.clusters.sums, known_error(influence, np.zeros(2))[0] + variance - known
    effect, most = design_of(sums[a] - sums[b], paired.clusters.sizes, plain / others**2)
    return mean, variance * effect, min(df, most)


def _with_rest(
    paired: PairedRanks, models: tuple[int, int], known: float, df: float
) -> tuple[float, float]:
    """Return a variance of a mean in ranks, with what the rest adds, and its df."""
    n = paired.total.known_positive
    others = sum(paired.total) - n
    of_two = paired.covariance[np.ix_(models, models)]
    both = float(np.trace(of_two))
    apart = both - 2 * float(of_two[0, 1])
    squares = np.array([known, others * (apart if abs(apart) > _ROUNDING * both else 0.0)])
    if min(n, others) < 2:
        return np.nan, np.nan
    return float(squares.sum()), float(welch_df(squares, np.array([df, others - 1.0])))


# Sums over rows


# Calibrated by simulation, in tests/support/studies/few_rows.py.
_PRIOR_DF = 3.0  # degrees of freedom of what the rest says of the known positives' variance
_ENOUGH_DF = 30.0  # from which on the known positives need no help
_FEW_MOVE = 17.0  # kurtosis of moves in rank, from which on few rows move
_UNSEEN = 1  # rows that may move from one end to the other, though none was drawn that does


def rows_of(paired: PairedRanks) -> PairedRows:
    """Return the rows of models, where they are in memory."""
    if paired.rows is None:
        raise PUValueError(
            "metric must be 'auroc' where rows are not in memory, or groups are pooled, and "
            "for models with propensities: what each row adds to another is not kept. Put the "
            "scores of all models into one frame: df.pu(score=['svm', 'forest'])."
        )
    return paired.rows


def known_error(
    terms: FloatArray, moves: FloatArray, times: CountArray | None = None
) -> tuple[float, float]:
    """Return the squared error that known positives add to a difference, and its df.

    Terms are what each adds, and may be there several times each; moves are the mean square and
    the mean fourth power of what one would add that is placed as the rest is.

    Notes
    -----
    Where models differ in few rows, known positives may hold none of these, and their own
    variance is too small. The rest says how often rows differ, and by how much. Where that is
    more, the variance is a mean of both, weighted by degrees of freedom ([1]_): those of the known
    positives are of a variance with the kurtosis of its terms, or of those of the rest. From 30 of
    these on nothing is added: it is the plain variance.

    References
    ----------
    .. [1] G. K. Smyth, *Linear models and empirical Bayes methods for assessing differential
       expression in microarray experiments*, Statistical Applications in Genetics and Molecular
       Biology 3 (2004).

    Examples
    --------
    >>> terms = np.array([1.0, -1.0, 1.0, -1.0, 0.0, 0.0, 0.0])
    >>> known_error(terms, np.zeros(2)), known_error(0 * terms, np.array([0.5, 1.0]))
    ((4.666666666666667, 6.0), (3.5, 3.0))
    """
    times = np.ones(terms.size) if times is None else times.astype(np.float64)
    n, squares = float(times.sum()), terms**2
    if n < 2:
        return np.nan, np.nan
    own, fourth, by_rest = float(times @ squares), float(times @ squares**2), n * float(moves[0])
    df = float(kurtosis_df(np.array(n * fourth / own**2 if own else 1.0), n))
    own *= n / (n - 1)
    if by_rest <= own:
        return own, df
    seen = min(df, float(kurtosis_df(moves[1] / moves[0] ** 2, n))) if own else 0.0
    if seen >= _ENOUGH_DF:
        return own, df
    whole = seen + _PRIOR_DF
    return (seen * own + _PRIOR_DF * by_rest) / whole, min(whole, n - 1.0)


def scatter(
    terms: FloatArray,
    moved: FloatArray,
    reach: float,
    rows: PairedRows,
    counted: CountArray | None = None,
) -> tuple[float, float]:
    """Return the variance of a sum over rows, of rows in clusters likewise, and its df.

    `moved` is what the rest would add as known positives, of which some are counted for all, and
    `reach` the most that one may.
    """
    times, known = rows.multiplicity, rows.positive
    rest = times[~known].sum().item()
    if times[known].sum() < 2 or rest < 2:
        return np.nan, np.nan
    number = (times[~known] if counted is None else counted).astype(np.float64)
    own, square = terms / times, (moved / times[~known]) ** 2 * (rest / number.sum())
    moves = np.array([number @ square, number @ square**2]) + _UNSEEN * reach ** np.array([2, 4])
    parts = (
        known_error(own[known], moves / rest, times[known]),
        known_error(own[~known], np.zeros(2), times[~known]),
    )
    squares, df = np.transpose(parts)
    together, most = design(terms, rows)
    return together * float(squares.sum()), min(float(welch_df(squares, df)), most)


def _likely(best: FloatArray, rows: PairedRows, share: float) -> CountArray:
    """Return how often the rest's rows count as known positives: the best-ranked ones alone.

    As many count as are positive; a row that moves is where either model ranks it best.
    """
    times = rows.multiplicity[~rows.positive]
    order, counted = np.argsort(-best / times, kind="stable"), np.zeros(best.size)
    before = np.cumsum(times[order]) - times[order]
    left = np.ceil(max(share * times.sum(), 1.0) - before)
    counted[order] = np.clip(left, 0, times[order])
    return counted


def design(terms: FloatArray, rows: PairedRows) -> Design:
    """Return by how much clusters enlarge the variance of a sum over rows, and the most df."""
    if not rows.has_design:
        return Design()
    cluster = np.arange(terms.size) if rows.cluster is None else rows.cluster
    size, times = int(cluster.max()) + 1, rows.multiplicity
    places = cluster + size * ~rows.positive
    sums = np.bincount(places, terms, 2 * size).reshape(2, size).astype(np.float64)
    sizes = np.bincount(places, times, 2 * size).reshape(2, size)
    number, squares = sizes.sum(axis=1), terms**2 / times
    several = number > 1
    each = np.bincount(~rows.positive, squares, 2)
    plain = float(np.sum((each * number / np.maximum(number - 1, 1))[several]))
    return design_of(sums, sizes, plain)


def design_of(sums: FloatArray, sizes: CountArray, plain: float) -> Design:
    """Return by how much clusters enlarge the variance of independent rows, and the most df."""
    with_positive = int(np.count_nonzero(sizes[0]))
    if with_positive < 2:
        raise PUDataError(
            f"cluster must leave known positives in two or more, but they are in {with_positive}: "
            "nothing says by how much clusters differ. Leave cluster=... out if rows are "
            "independent.",
            page="clusters",
        )
    alike = float(sizes[0].sum()) / with_positive
    return hold_clusters(sums, sizes, with_positive, plain, alike)


def covary(terms: FloatArray, rows: PairedRows) -> FloatArray:
    """Return the covariance of the errors of models, from what rows add to each."""
    if rows.cluster is not None:
        terms = np.stack([np.bincount(rows.cluster, of_model) for of_model in terms])
    elif not rows.is_sample:
        terms = terms / np.sqrt(rows.multiplicity)
    return terms @ terms.T


# Any metric, by what each row adds to its error


def compare_rows(
    paired: PairedRanks,
    betas: FloatArray | None,
    level: float,
    metric: Metric,
    cutoff: Cutoff | None,
) -> PairedTests:
    """Compare any quantity of models that ranked the same rows, on new examples.

    Without betas it is AUROC, and the test alone counts: no beta changes it.

    Notes
    -----
    A quantity is off by the sum of what its rows contribute, those of the known positives and
    those of the rest. So is a difference of two models, by what a row contributes to the one less
    what it contributes to the other ([1]_ for AUROC). Its variance is the sum of both samples',
    that of the known positives with what the rest says of it, see `known_error`. Where few rows
    move, the best-ranked of the rest stand for the positives in average precision and BEDROC, of
    which these make most: as many as are positive by beta. Of clustered rows
    the variance is that of the sums by cluster, but never less. Student's t has Welch's degrees of
    freedom, of variances with the kurtosis of their terms, and with clusters at most one less than
    clusters hold a known positive.

    The test is of statistics that need not lie in [0, 1], and the interval is around these. The
    difference is that of the estimates, of one completed ranking each, and the interval reaches
    to it.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, *Comparing the areas under two or
       more correlated receiver operating characteristic curves: a nonparametric approach*,
       Biometrics 44 (1988) 837-845.
    """
    rows, has_size = rows_of(paired), betas is not None
    betas = np.zeros(1) if betas is None else betas
    check_labels(betas, paired.total)
    count_negatives(paired.total, betas)
    models = [linearize(ranking, betas, metric, cutoff) for ranking in rows.rankings()]
    first, second = find_pairs(len(models))
    completed = [model.estimate() for model in models]
    as_known = [model.moved[:, ~rows.positive] for model in models]
    # Of average precision and BEDROC the top makes most, where positives lie.
    early, shares = cutoff is None and metric.curve != "roc", rest_share(paired.total, betas)
    shape = first.size, betas.size
    difference, estimate, error, df = (np.empty(shape) for _ in range(4))
    for pair, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        difference[pair] = models[a].value - models[b].value
        estimate[pair] = completed[a] - completed[b]
        apart, moved = models[a].influence - models[b].influence, as_known[a] - as_known[b]
        seen, by_order = apart.any() or moved.any(), cutoff is None or cutoff.kind != "threshold"
        alike = not seen and (paired.equal[a, b] or (by_order and rows.same_order(a, b)))
        few = paired.moves[1, a, b] > _FEW_MOVE * paired.moves[0, a, b] ** 2
        reach = np.zeros(betas.size) if alike else np.maximum(models[a].reach, models[b].reach)
        for column, terms in enumerate(apart):
            best = np.maximum(as_known[a][column], as_known[b][column])
            counted = _likely(best, rows, shares[column]) if early and few else None
            found = scatter(terms, moved[column], reach[column], rows, counted)
            error[pair, column], df[pair, column] = found[0] ** 0.5, found[1]
    tests = compare_by_t((first, second), difference, error, df, level)
    lower, upper = (np.clip(end, -metric.span, metric.span) for end in (tests.lower, tests.upper))
    named = {"difference": estimate}
    named |= {"lower": np.minimum(lower, estimate), "upper": np.maximum(upper, estimate)}
    by_beta = np.stack(
        [model.influence for model in models], axis=1
    )  # shape (betas, models, rows)
    return PairedTests(
        **vars(tests) | named,
        sign=np.sign(np.nan_to_num(difference)).astype(np.int64),
        n=paired.total.known_positive,
        has_size=has_size,
        covariance=np.stack([covary(terms, rows) for terms in by_beta]),
    )
