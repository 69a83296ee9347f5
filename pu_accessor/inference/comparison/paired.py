"""Models that ranked the same examples: which has the higher AUROC, and by how much.

Labels are random (`compare_paired`), or random but for a factor of the odds of being labeled
(`compare_within`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf

import numpy as np
from scipy import special

from pu_accessor.errors import PUDataError
from pu_accessor.inference.bands.weighted import effective_size, latent_shares
from pu_accessor.inference.comparison.pairwise import (
    PairTests,
    adjust_p_values,
    compare_by_t,
    find_pairs,
)
from pu_accessor.inference.comparison.scatter import design_of, sum_squares
from pu_accessor.inference.estimates.joint import join_limits
from pu_accessor.inference.estimates.known_positives import count_negatives, count_positives
from pu_accessor.inference.estimates.weighted_areas import (
    auroc_influence,
    share_below,
    weighted_spread,
)
from pu_accessor.inference.estimates.within_odds import leave_few, steps_to
from pu_accessor.inference.influence import kurtosis_df, welch_df
from pu_accessor.inference.settings import BetaRange
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import FloatArray, IntArray, PairedRanks

_ROUNDING = 1e-12  # relative size of a variance that may be none
_LARGEST_ODDS = 1e9  # a larger factor counts as unlimited
_MANY = 1e6  # latent positives for each known one, where nobody says how many there are


@dataclass(frozen=True, eq=False)
class PairedTests(PairTests):
    """Tests of each pair of models: a column for each beta, or a single one without betas."""

    sign: IntArray  # of the first less the second; one column where no beta changes it
    n: int  # known positives
    has_size: bool  # differences of AUROC; without betas of ranks
    covariance: FloatArray  # of the errors of models, but a factor: (1 or columns, models, models)
    reach: tuple[FloatArray, FloatArray] | None = None  # lowest and highest within selection_odds


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
        factor = count_positives(paired.total, betas).factor
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
    return float(np.var(ahead, ddof=1)) / n / others**2 + rest / others if n > 1 else np.nan


def _covariance(paired: PairedRanks, target: str) -> FloatArray:
    """Return how the errors of models vary together, shape (1, models, models); but a factor."""
    n = paired.total.known_positive
    if paired.clusters is not None:
        whole = paired.clusters.sums.sum(axis=1)
        together: FloatArray = (whole @ whole.T)[np.newaxis]
        return together
    share = np.full(n, 1 / n) if paired.weight is None else paired.weight / paired.weight.sum()
    ranks = np.stack([*paired.ranks.values()])
    if target == "population":
        ranks = ranks - np.stack([*paired.among.values()])
    away = share * (ranks - ranks @ share[:, np.newaxis])
    of_rest = (sum(paired.total) - n) * paired.covariance if target == "population" else 0.0
    covariance: FloatArray = (away @ away.T + of_rest)[np.newaxis]
    return covariance


def join_pairs(tests: PairedTests, beta: BetaRange, joint: str) -> PairedTests:
    """Put the error of an estimated beta together with that of the ranking."""
    if not tests.has_size:
        return tests
    lower, upper = join_limits(tests.difference, tests.lower, tests.upper, beta, joint)
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


def compare_within(
    paired: PairedRanks, betas: FloatArray | None, level: float, target: str, odds: float
) -> PairedTests:
    """Compare the AUROC of models for every selection within a factor of the odds.

    Notes
    -----
    The difference is the mean of d = R_b - R_a over all positives, over the number of negatives. A
    known positive stands for itself and for latent ones, in number as one over its odds. So
    the lowest difference is that where the known positives with the lowest d count up to
    `odds` times those with the highest, split where that makes it lowest. Without betas
    the latent positives are taken to be many: then selection can do most.

    At the weights of either end, as if these were known, there is an interval: for these examples
    that of propensities, on new ones DeLong's of two models with each known positive's weight.
    Limits and p values are the most extreme of all factors up to `odds`.
    Where these weights leave fewer than 10 known positives in effect, or half of all, nothing
    is concluded: the interval is all from -1 to 1. The correlation of the two models among the
    other examples is taken as that for equal weights.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> ranks = {"svm": np.array([1.0, 2.0, 4.0]), "forest": np.array([3.0, 3.0, 8.0])}
    >>> among = dict.fromkeys(ranks, np.array([1.0, 2.0, 3.0]))
    >>> paired = PairedRanks(("model",), ranks, among, Counts(3, 0, 10), np.eye(2) / 50)
    >>> tests = compare_within(paired, np.array([0.2]), 0.95, "population", 2.0)
    >>> tests.sign, [end.round(3).tolist() for end in tests.reach]
    (array([[1]]), [[[0.275]], [[0.312]]])
    """
    random = compare_paired(paired, betas, level, target)
    hidden = _hidden(paired, betas)
    found = [
        [_ends_within(paired, models, each, target, odds) for each in hidden]
        for models in zip(random.first.tolist(), random.second.tolist(), strict=True)
    ]
    # Values, errors and degrees of freedom of both ends, shape (3, 2, factors, pairs, betas).
    every = np.moveaxis(
        np.array([[each for each, _ in row] for row in found]), (3, 4, 2), (0, 1, 2)
    )
    ends = np.moveaxis(np.array([[reach for _, reach in row] for row in found]), 2, 0)
    value, error, own_df = every
    far = special.stdtrit(own_df, (1 + level) / 2) * error
    lowest, highest = (value[0] - far[0]).min(axis=0), (value[1] + far[1]).max(axis=0)
    limits = np.clip([np.minimum(lowest, ends[0]), np.maximum(highest, ends[1])], -1.0, 1.0)
    tests = [_least_tests(*each) for each in np.moveaxis(every, 2, 0)]
    statistic, df, p_value = _largest(
        [np.stack([random.statistic, random.df, random.p_value]), *tests]
    )
    signs = np.sign(ends)
    holds = (signs == signs[:1, :, :1]).all(axis=(0, 2))
    within = replace(
        random,
        sign=random.sign * holds[:, np.newaxis],
        statistic=statistic,
        df=df,
        p_value=p_value,
        p_adjusted=adjust_p_values(p_value),
    )
    if not random.has_size:
        return within
    is_known = random.lower == random.upper  # nothing is hidden
    lower = np.where(is_known, random.lower, np.fmin(limits[0], random.lower))
    upper = np.where(is_known, random.upper, np.fmax(limits[1], random.upper))
    return replace(within, lower=lower, upper=upper, reach=(ends[0], ends[1]))


def _largest(tests: Sequence[FloatArray]) -> FloatArray:
    """Return statistic, df and p value of the tests with the largest p values."""
    every = np.stack(tests)
    largest = np.argmax(np.nan_to_num(every[:, 2], nan=inf), axis=0)
    chosen: FloatArray = np.take_along_axis(every, largest[np.newaxis, np.newaxis], axis=0)[0]
    return chosen


def _hidden(paired: PairedRanks, betas: FloatArray | None) -> list[tuple[float, float]]:
    """Return how many latent positives, and negatives, there are at each beta."""
    n, total = paired.total.known_positive, paired.total
    if betas is None and sum(total) == n:
        raise PUDataError(
            "selection_odds must be left out where all examples are known positives: nothing is "
            "there to rank them against."
        )
    if betas is None:
        return [(_MANY * n, float(sum(total) - n))]
    negatives = [float(number) for number in count_negatives(total, betas)]
    positives = count_positives(total, betas).as_floats().tolist()
    return [(p - n, q) for p, q in zip(positives, negatives, strict=True)]


def _ends_within(
    paired: PairedRanks,
    models: tuple[int, int],
    hidden: tuple[float, float],
    target: str,
    odds: float,
) -> tuple[FloatArray, FloatArray]:
    """Return differences at their lowest and highest, errors away from the other, and their df.

    The first array has them at all factors up to one, shape (factors, 3, 2). Between two factors
    values and errors are straight in the logarithm, with the lower df of both: so limits and p
    values only get wider with the factor. The second one has the differences at the factor itself.
    """
    ranks = list(paired.ranks.values())
    ahead = ranks[models[1]] - ranks[models[0]]
    if hidden[0] and odds > _LARGEST_ODDS:  # nothing is known of where latent positives are
        return np.array([[[-1.0, 1.0], [inf, inf], [inf, inf]]]), np.array([-1.0, 1.0])
    worst, scale = partial(_worst_weights, ahead), (ahead.size + hidden[0]) * hidden[1]

    def ends_at(factor: float) -> list[tuple[float, float, float]]:
        return [
            _end_at(paired, models, hidden, target, weight, side)
            for side, weight in enumerate(worst(factor))
        ]

    factors, part = steps_to(min(odds, _LARGEST_ODDS))
    ends = np.array([ends_at(factor) for factor in factors.tolist()]).transpose(0, 2, 1)
    ends[-1, :2] = (1 - part) * ends[-2, :2] + part * ends[-1, :2]
    lowest_df = np.minimum.accumulate(ends[:, 2])
    ends[:, 2] = np.append(lowest_df[1:], lowest_df[-1:], axis=0)
    if hidden[0]:
        ends[-1, 1, leave_few(ahead.size, odds, worst)] = inf
    latent = [latent_shares(1 + weight, hidden[0]) for weight in worst(min(odds, _LARGEST_ODDS))]
    return ends, np.array([float((1 + each) @ ahead) / scale for each in latent])


def _worst_weights(ahead: FloatArray, odds: float) -> list[FloatArray]:
    """Return the weights, up to a factor, that make the mean lowest, and highest."""
    order, weights = np.argsort(-ahead, kind="stable"), np.empty((2, ahead.size))
    for weight, sign in zip(weights, (-1, 1), strict=True):
        weight[order] = _split(sign * ahead[order][::sign], odds)[::sign]
    return [*weights]


def _end_at(
    paired: PairedRanks,
    models: tuple[int, int],
    hidden: tuple[float, float],
    target: str,
    weight: FloatArray,
    side: int,
) -> tuple[float, float, float]:
    """Return a difference by some weights, how far it can be off to one side, and the df."""
    ranks, (latent_positives, negatives) = list(paired.ranks.values()), hidden
    ahead = ranks[models[1]] - ranks[models[0]]
    latent = latent_shares(1 + weight, latent_positives)
    scale = (ahead.size + latent_positives) * negatives
    value = float((1 + latent) @ ahead) / scale
    if target == "population":
        down, up, df = _errors_on_new(paired, models, weight, latent, hidden)
    else:
        order = np.argsort(-ahead, kind="stable")
        down, up, df = _errors_of_these(ahead[order] / scale, latent[order])
    return value, (down, up)[side], df


def _split(values: FloatArray, odds: float) -> FloatArray:
    """Return the weights, from 1 to `odds`, that make the mean of descending values largest."""
    n = values.size
    through, above = np.concatenate([[0.0], np.cumsum(values)]), np.arange(n + 1)
    mean = (odds * through + through[-1] - through) / (odds * above + n - above)
    return np.where(np.arange(n) < int(np.argmax(mean)), odds, 1.0)


def _errors_of_these(share: FloatArray, latent: FloatArray) -> tuple[float, float, float]:
    """Return standard errors and their degrees of freedom, where the other examples are given.

    What each known positive adds to the difference is in descending order.
    """
    n = share.size
    if n == 1:
        return np.nan, np.nan, np.nan
    spread = weighted_spread(share, latent)
    df = kurtosis_df(np.array(spread.kurtosis), n)
    return spread.down, spread.up, float(np.nan_to_num(df, nan=n - 1))


def _errors_on_new(
    paired: PairedRanks,
    models: tuple[int, int],
    weight: FloatArray,
    latent: FloatArray,
    hidden: tuple[float, float],
) -> tuple[float, float, float]:
    """Return standard errors and their degrees of freedom on new examples."""
    n, (latent_positives, negatives) = weight.size, hidden
    rest = sum(paired.total) - n
    if min(n, rest) < 2:
        return np.nan, np.nan, np.nan
    among, ranks = list(paired.among.values()), list(paired.ranks.values())
    above = {model: ranks[model] - among[model] for model in models}
    turn, seen, share = weight / weight.mean(), n / (n + latent_positives), latent_positives / rest
    influences = [
        auroc_influence(1 - above[model] / rest, among[model] / n, turn, seen, share)
        for model in models
    ]
    scatter = [_scatter_ratio(above[model], rest, 1 + latent) for model in models]
    a, b = models
    deviation = np.sqrt(np.array([paired.covariance[a, a], paired.covariance[b, b]]))
    correlation = paired.covariance[a, b] / max(deviation[0] * deviation[1], 1e-300)
    deviation = deviation * np.sqrt(scatter)
    of_rest = float(deviation @ deviation - 2 * correlation * deviation[0] * deviation[1])
    of_known = float((influences[0] - influences[1]).var(ddof=1))
    squares = np.array([of_known / n, max(of_rest, 0.0) / rest])
    error = float(squares.sum()) ** 0.5 * rest / negatives
    df = welch_df(squares, np.array([max(effective_size(1 + latent) - 1, 1), rest - 1.0]))
    return error, error, float(df)


def _scatter_ratio(above: FloatArray, rest: int, stands_for: FloatArray) -> float:
    """Return by how much weights change the variance over the others of what is above them."""
    order = np.argsort(above)
    steps = np.diff(np.concatenate([[0.0], above[order], [float(rest)]]))

    def variance(weight: FloatArray) -> float:
        through = np.concatenate([[0.0], np.cumsum(weight[order])]) / weight.sum()
        mean = steps @ through / rest
        return float(steps @ (through - mean) ** 2)

    equal = variance(np.ones(stands_for.size))
    return variance(stands_for) / equal if equal else 1.0


def _least_tests(ends: FloatArray, error: FloatArray, df: FloatArray) -> FloatArray:
    """Return statistic, df and p value of the end that is nearer to no difference."""
    side = np.where(ends[0] > 0, 0, 1)[np.newaxis]
    value, off, of_end = (np.take_along_axis(each, side, 0)[0] for each in (ends, error, df))
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = value / off
    none = ((ends[0] <= 0) & (ends[1] >= 0)) | np.isinf(off)
    statistic = np.where(none, 0.0, statistic)
    p_value = np.where(none, 1.0, 2 * special.stdtr(of_end, -np.abs(statistic)))
    tests = np.stack([statistic, of_end, p_value])
    unknown = np.isnan([ends[0], *error]).any(axis=0)
    return np.where(unknown, np.nan, tests)
