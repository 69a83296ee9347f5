"""Models that ranked the same examples: which has the higher AUROC, and by how much."""

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from pu_accessor.beta import Beta
from pu_accessor.errors import PUDataError, PUValueError
from pu_accessor.inference.comparison.pairwise import PairTests, compare_by_t, find_pairs
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.joint import join_limits
from pu_accessor.inference.estimates.known_positives import count_negatives, hidden_share
from pu_accessor.inference.estimates.linearized import linearize
from pu_accessor.inference.estimates.weighted_areas import share_below
from pu_accessor.inference.influence import Design, hold_clusters, kurtosis_df, welch_df
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
    reach: tuple[FloatArray, FloatArray] | None = None  # lowest and highest where labels fail


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
    none. So no fewer than three known positives are taken to differ, by as much as is typical:
    the mean of d**4 over that of d**2, to which the rest adds as much as two known positives. By
    how many ranks a known positive would move, had it moved as the rest does, is the typical
    difference of V, as places among the known positives, up or down from each of them. Few that
    differ make few degrees of freedom: those of a variance with the kurtosis of its terms.

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
    >>> paired = PairedRanks(("model",), ranks, among, Counts(3, 0, 10), np.eye(2) / 50)
    >>> tests = compare_paired(paired, np.array([0.2, 0.4]), 0.95, "population")
    >>> tests.sign, tests.p_value.round(3), tests.difference.round(3)
    (array([[1]]), array([[0.093, 0.093]]), array([[0.292, 0.389]]))
    """
    first, second = find_pairs(len(paired.ranks))
    check_labels(np.zeros(1) if betas is None else betas, paired.total)
    mean, known, rest, df = _shifts(paired, first, second, target)
    variance = known
    factor = np.ones(1 if betas is None else betas.size)
    if target == "population":
        squares = np.stack([known, rest])
        variance, df = squares.sum(axis=0), _welch(squares, df, paired)
        effect, most = _designs(paired, (first, second))
        variance, df = variance * effect, np.minimum(df, most)
    elif betas is not None and paired.weight is None:
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


def _designs(
    paired: PairedRanks, pairs: tuple[IntArray, IntArray]
) -> tuple[FloatArray, FloatArray]:
    """Return by how much clusters enlarge the variance of each pair, and the most df."""
    clusters = paired.clusters
    if clusters is None:
        return np.ones(pairs[0].size), np.full(pairs[0].size, inf)
    designs = [
        design_of(clusters.sums[a] - clusters.sums[b], clusters.sizes, _of_rows(paired, a, b))
        for a, b in zip(*pairs, strict=True)
    ]
    effect, most = np.transpose(designs)
    return effect, most


def _of_rows(paired: PairedRanks, first: int, second: int) -> float:
    """Return the variance that a difference of shares of pairs has of independent rows."""
    ranks, among = ([*each.values()] for each in (paired.ranks, paired.among))
    n, both = paired.total.known_positive, paired.covariance[[first, second], [first, second]]
    others = sum(paired.total) - n
    ahead = (ranks[first] - among[first]) - (ranks[second] - among[second])
    rest = float(both.sum() - 2 * paired.covariance[first, second])
    rest = 0.0 if abs(rest) <= _ROUNDING * both.sum() else rest
    if n < 2 or not others:
        return np.nan
    return float(np.var(ahead, ddof=1)) / n / others**2 + rest / others


def _covariance(paired: PairedRanks, target: str) -> FloatArray:
    """Return how the errors of models vary together, shape (1, models, models); but a factor."""
    n = paired.total.known_positive
    if paired.clusters is not None:
        whole = paired.clusters.sums.sum(axis=1)
        return np.asarray((whole @ whole.T)[np.newaxis])
    share = np.full(n, 1 / n) if paired.weight is None else paired.weight / paired.weight.sum()
    ranks = np.stack([*paired.ranks.values()])
    if target == "population":
        ranks = ranks - np.stack([*paired.among.values()])
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


def _shifts(
    paired: PairedRanks, first: IntArray, second: IntArray, target: str
) -> tuple[FloatArray, ...]:
    """Return by how many ranks the first of each pair is ahead on average, and what scatters.

    That is the squared errors that known positives, and all others, add to this mean, and the
    degrees of freedom of the first of these.
    """
    variance, covariance = np.diag(paired.covariance), paired.covariance[first, second]
    both = variance[first] + variance[second]
    of_difference = both - 2 * covariance
    of_difference[np.abs(of_difference) <= _ROUNDING * both] = 0.0
    rest = (sum(paired.total) - paired.total.known_positive) * of_difference
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    shifts = [_shift(paired, pair, target) for pair in pairs]
    mean, known, df = (np.array(each) for each in zip(*shifts, strict=True))
    return mean, known, rest, df


def _shift(
    paired: PairedRanks, models: tuple[int, int], target: str
) -> tuple[float, float, float]:
    """Return a mean difference in ranks, its squared error by known positives, and the df of that.

    A known positive is among the examples above others, too: where new examples are asked for and
    weights differ, that counts as well. With equal weights what it adds takes away its rank among
    the known ones.
    """
    ranks, among = ([*each.values()] for each in (paired.ranks, paired.among))
    n, weight, on_new = paired.total.known_positive, paired.weight, target == "population"
    share = np.full(n, 1 / n) if weight is None else weight / weight.sum()
    last = sum(paired.total)
    if on_new and weight is None:
        last -= n
        ranks = [of_all - of_known for of_all, of_known in zip(ranks, among, strict=True)]
    a, b = models
    ahead = ranks[b] - ranks[a]
    mean = float(ahead.mean() if weight is None else share @ ahead)
    if n == 1:
        return mean, np.nan, 0.0
    drawn = np.ones(n) if on_new or weight is None else 1 - 1 / weight
    away = ahead - mean
    away[np.abs(away) <= _ROUNDING * np.abs(ahead).max()] = 0.0
    influence = share * away
    if on_new and weight is not None:
        below = [share_below(among[model], share) for model in models]
        as_other = below[1] - below[0]
        influence += as_other - as_other.mean()
    influence *= np.sqrt(drawn)
    unit = float(np.mean(share**2 * drawn))
    often, move = _moves_of_rest(paired, models, (ranks[a], ranks[b]), last)
    squares, df = sum_squares(influence, often, unit * move)
    return mean, squares * n / (n - 1), df


def _moves_of_rest(
    paired: PairedRanks, models: tuple[int, int], ranks: tuple[FloatArray, FloatArray], last: int
) -> tuple[float, float]:
    """Return the share of the rest that moves, and by which square of ranks a positive would.

    Notes
    -----
    Of the rest the difference of V is known, a share of the known positives. One that moves by it
    from its place is then at the rank of another known positive, or beyond the last of them.
    """
    square, fourth = (0.0, 0.0) if paired.moves is None else paired.moves[:, *models].tolist()
    n, rest = ranks[0].size, sum(paired.total) - paired.total.known_positive
    if not square and (not rest or (ranks[0] == ranks[1]).all()):
        return 0.0, 0.0
    places = max(np.sqrt(fourth / square) * n if square else 0.0, 0.5)  # half of one is not seen
    often = square * n**2 / places**2 if square else 1 / rest
    place, reached = np.arange(n), []
    for each in ranks:
        at = np.concatenate([[0.0], np.sort(each), [(each.max() + last) / 2]])
        moved = [np.interp(place + 1 + step, np.arange(n + 2), at) for step in (-places, places)]
        reached += [float(np.mean((to - at[1:-1]) ** 2)) for to in moved]
    return often, sum(reached) / len(ranks)


def _welch(squares: FloatArray, df: FloatArray, paired: PairedRanks) -> FloatArray:
    """Return the degrees of freedom of each pair on new examples."""
    others = sum(paired.total) - paired.total.known_positive - 1.0
    if others < 1 or paired.total.known_positive < 2:
        return np.full(squares.shape[1], np.nan)
    return welch_df(squares, np.stack([df, np.full(df.size, others)]))


# Sums over rows


_FEWEST = 3.0  # known positives that differ are taken to be so many at least
_AS_REST = 2.0  # known positives more that are taken to move as the rest does


def rows_of(paired: PairedRanks) -> PairedRows:
    """Return the rows of models, where they are in memory."""
    if paired.rows is None:
        raise PUValueError(
            "metric must be 'auroc' where rows are not in memory, or groups are pooled, and "
            "for models with propensities: what each row adds to another is not kept. Put the "
            "scores of all models into one frame: df.pu(score=['svm', 'forest'])."
        )
    return paired.rows


def sum_squares(
    terms: FloatArray, often: float, move: float, times: CountArray | None = None
) -> tuple[float, float]:
    """Return a sum of squares that few terms may make up, and its degrees of freedom.

    Terms may be there several times each.

    Notes
    -----
    As many terms as differ are counted by (sum of squares)**2 / sum of fourth powers. Fewer than
    three are taken as three of the typical size.

    Examples
    --------
    >>> sum_squares(np.array([1.0, -1.0, 1.0, -1.0, 0.0, 0.0, 0.0]), 0.0, 0.0)
    (4.0, 6.0)
    >>> sum_squares(np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 0.0, 0.0)
    (3.0, 6.0)
    """
    times = np.ones(terms.size, np.int64) if times is None else times
    n, squares = times.sum().item(), terms**2
    own, rest = float(times @ squares), _AS_REST * often * move
    if own + rest == 0:
        return 0.0, n - 1.0
    typical = (float(times @ squares**2) + rest * move) / (own + rest)
    differ = max(own / typical, min(_FEWEST, n - 1.0))
    return differ * typical, float(kurtosis_df(np.array(n / differ), n))


def scatter(terms: FloatArray, rows: PairedRows) -> tuple[float, float]:
    """Return the variance of a sum over rows, of rows in clusters likewise, and its df."""
    times = rows.times
    kinds = rows.positive, ~rows.positive
    sizes = np.array([times[kind].sum() for kind in kinds], np.float64)
    if sizes.min() < 2:
        return np.nan, np.nan
    own = terms / times
    parts = [sum_squares(own[kind], 0.0, 0.0, times[kind]) for kind in kinds]
    squares, df = np.transpose(parts)
    squares *= sizes / (sizes - 1)
    together, most = design(terms, rows)
    return together * float(squares.sum()), min(float(welch_df(squares, df)), most)


def design(terms: FloatArray, rows: PairedRows) -> Design:
    """Return by how much clusters enlarge the variance of a sum over rows, and the most df."""
    if not rows.designed:
        return Design()
    cluster = np.arange(terms.size) if rows.cluster is None else rows.cluster
    size, times = int(cluster.max()) + 1, rows.times
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
    what it contributes to the other ([1]_ for AUROC). Its variance is the sum of both samples', a
    metric's by its derivatives in the shares of both samples above the cutoff. At a rank, or a
    share of the rows, as many are above in each sample, so that known positives alone count; the
    error of the score where that is has no term, which in simulations makes intervals rather too
    wide. Of clustered rows the variance is that of the sums by cluster, but never less. Student's
    t has Welch's degrees of freedom, of variances with the kurtosis of their terms, and with
    clusters at most one less than clusters hold a known positive.

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
    values, estimates, influences = zip(*models, strict=True)
    completed = [estimate() for estimate in estimates]
    shape = first.size, betas.size
    difference, estimate, error, df = (np.empty(shape) for _ in range(4))
    for pair, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        difference[pair] = values[a] - values[b]
        estimate[pair] = completed[a] - completed[b]
        for column, terms in enumerate(influences[a] - influences[b]):
            variance, df[pair, column] = scatter(terms, rows)
            error[pair, column] = variance**0.5
    tests = compare_by_t((first, second), difference, error, df, level)
    lower, upper = (np.clip(end, -metric.span, metric.span) for end in (tests.lower, tests.upper))
    named = {"difference": estimate}
    named |= {"lower": np.minimum(lower, estimate), "upper": np.maximum(upper, estimate)}
    by_beta = np.stack(influences, axis=1)  # shape (betas, models, rows)
    return PairedTests(
        **vars(tests) | named,
        sign=np.sign(np.nan_to_num(difference)).astype(np.int64),
        n=paired.total.known_positive,
        has_size=has_size,
        covariance=np.stack([covary(terms, rows) for terms in by_beta]),
    )
