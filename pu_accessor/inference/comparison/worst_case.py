"""Models that ranked the same examples, where labels fail: their difference in AUROC at the worst.

Odds of being labeled differ by up to a factor (`compare_within`), or known positives are wrong
(`compare_contaminated`).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import floor, inf, log

import numpy as np
import scipy

from pu_accessor.errors import PUDataError
from pu_accessor.inference.bands.weighted import effective_size, latent_shares
from pu_accessor.inference.comparison.paired import PairedTests, compare_paired
from pu_accessor.inference.comparison.pairwise import adjust_p_values
from pu_accessor.inference.estimates.known_positives import count_negatives, count_positives
from pu_accessor.inference.estimates.weighted_areas import auroc_influence, weighted_spread
from pu_accessor.inference.influence import kurtosis_df, welch_df
from pu_accessor.inference.settings import count_wrong
from pu_accessor.ranking import BoolArray, Counts, FloatArray, PairedRanks

_EFFECTIVE = 10
_FACTORS = np.array([1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6.5, 8, 10, 13, 17, 22, 30])
_FACTORS = np.append(_FACTORS, 10.0 ** np.arange(2, 10))
_CLOSE = 2.0 ** (np.arange(241) / 8)
_GROWTH = 1.4
_PLACES = 9
_LARGEST_ODDS = 1e9  # a larger factor counts as unlimited
_MANY = 1e6  # latent positives for each known one, where nobody says how many there are
_MANY_KNOWN = 1000  # from which only sets of wrong ones that may be the worst are tried
_SAFE = 1.5  # by which a statistic may be off there


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
    far = scipy.special.stdtrit(own_df, (1 + level) / 2) * error
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
    positives = count_positives(total, betas).tolist()
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
    values only get wider with the factor. The second one has the differences at the factor itself,
    none of them beyond -1 or 1, or beyond the difference with labels at random.
    """
    ranks = list(paired.ranks.values())
    ahead = ranks[models[1]] - ranks[models[0]]
    at_random = float(ahead.mean()) / hidden[1]  # beyond -1 or 1 where beta is refuted
    span = np.array([min(-1.0, at_random), max(1.0, at_random)])
    if hidden[0] and odds > _LARGEST_ODDS:  # nothing is known of where latent positives are
        return np.array([[span, [inf, inf], [inf, inf]]]), span
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
    return ends, np.clip([float((1 + each) @ ahead) / scale for each in latent], *span)


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
        mean = steps @ through / max(rest, 1)
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
    p_value = np.where(none, 1.0, 2 * scipy.special.stdtr(of_end, -np.abs(statistic)))
    tests = np.stack([statistic, of_end, p_value])
    unknown = np.isnan([ends[0], *error]).any(axis=0)
    return np.where(unknown, np.nan, tests)


def compare_contaminated(
    paired: PairedRanks, betas: FloatArray | None, level: float, target: str, contamination: float
) -> PairedTests:
    """Compare the AUROC of models where a share of the known positives may be wrong.

    Notes
    -----
    At most w = floor(contamination * n) of n known positives are negative. The difference, the
    mean of d = R_b - R_a, is lowest where those with the highest d are wrong, and highest where
    those with the lowest are. If it is known which ones are wrong, there is an interval and a
    test; limits and p values are the most extreme of those where none is wrong, or up to w
    that follow each other by d: at both ends, and at places between, where others scatter more.
    """
    random = compare_paired(paired, betas, level, target)
    pairs = zip(random.first.tolist(), random.second.tolist(), strict=True)
    most = count_wrong(paired.total.known_positive, contamination)
    tests = [_tests_of(_of_two(paired, models), betas, level, target, most) for models in pairs]

    def every(name: str) -> FloatArray:
        longest = max(map(len, tests))  # of shorter ones the first once more
        rows = [row + row[:1] * (longest - len(row)) for row in tests]
        found = np.array([[getattr(test, name)[0] for test in row] for row in rows])
        return np.moveaxis(found, 1, 0)

    difference, sign = every("difference"), every("sign")
    same = (sign == sign[0]).all(axis=0)
    names = "statistic", "df", "p_value"
    statistic, df, p_value = _largest([*np.stack([every(name) for name in names], axis=1)])
    found = {"statistic": np.where(same, statistic, 0.0), "df": df}
    found["p_value"] = np.where(same | np.isnan(p_value), p_value, 1.0)
    return replace(
        random,
        sign=random.sign * same,
        lower=np.fmin.reduce(every("lower")),
        upper=np.fmax.reduce(every("upper")),
        p_adjusted=adjust_p_values(found["p_value"]),
        reach=(difference.min(axis=0), difference.max(axis=0)) if random.has_size else None,
        **found,
    )


def _of_two(paired: PairedRanks, models: tuple[int, int]) -> PairedRanks:
    """Return two of the models alone."""
    ranks, among = ([*each.values()] for each in (paired.ranks, paired.among))
    return paired._replace(
        ranks={model: ranks[model] for model in models},
        among={model: among[model] for model in models},
        covariance=paired.covariance[np.ix_(models, models)],
        moves=None if paired.moves is None else paired.moves[:, models][..., models],
    )


def _tests_of(
    both: PairedRanks, betas: FloatArray | None, level: float, target: str, most: int
) -> list[PairedTests]:
    """Test two models with all known positives, and where up to so many are negative.

    Of many known positives only sets are tried that may be the worst.
    """
    (a, b), n = both.ranks.values(), both.total.known_positive
    order = np.argsort(a - b, kind="stable")
    tests, wrong = [compare_paired(both, betas, level, target)], sets_to_try(n, most)
    if n > _MANY_KNOWN and wrong:
        wrong = _may_be_worst((b - a)[order], both.total, betas, tests[0], wrong)
    for number, first in wrong:
        negative = np.zeros(n, np.bool_)
        negative[order[first : first + number]] = True
        tests.append(compare_paired(_turn_negative(both, negative), betas, level, target))
    return tests


def _may_be_worst(
    ahead: FloatArray,
    total: Counts,
    betas: FloatArray | None,
    test: PairedTests,
    wrong: list[tuple[int, int]],
) -> list[tuple[int, int]]:
    """Return the sets of wrong ones that may have the lowest or highest limit, or the largest p.

    Errors are those where none is wrong, times by how much more known positives scatter; that of
    the rest changes less.
    """
    n, (number, first) = ahead.size, np.transpose(wrong)
    away = ahead - ahead.mean()
    through = np.pad(np.cumsum([away, away**2], axis=1), ((0, 0), (1, 0)))
    mean, square = through[:, -1:] - through[:, first + number] + through[:, first]
    mean, square = mean / (n - number), square / (n - number)
    with np.errstate(divide="ignore", invalid="ignore"):
        wider = (square - mean**2) / (n - number) / (through[1, -1] / n**2)
    wider = np.sqrt(np.maximum(np.nan_to_num(wider, nan=1.0), 0))
    mean, negatives = mean + ahead.mean(), np.ones((number.size, 1))
    if betas is not None:
        negatives = number[:, np.newaxis] + [float(each) for each in count_negatives(total, betas)]
    value = mean[:, np.newaxis] / negatives
    far = np.maximum(wider, 1)[:, np.newaxis] * (test.upper - test.lower) / 2
    worst = np.any(may_be_lowest(value, far) | may_be_lowest(-value, far), axis=1)
    with np.errstate(divide="ignore"):
        most = np.append(np.abs(mean) / np.minimum(wider, 1), np.abs(ahead.mean())).min()
    worst |= np.abs(mean) / np.maximum(wider, 1) <= _SAFE * most
    return [wrong[at] for at in np.flatnonzero(worst).tolist()]


def _turn_negative(paired: PairedRanks, wrong: BoolArray) -> PairedRanks:
    """Return models for which some known positives are negative."""
    right, (n, negative, unlabeled) = ~wrong, paired.total
    ranks = {model: of_model[right] for model, of_model in paired.ranks.items()}
    above = [paired.ranks[model] - paired.among[model] for model in ranks]
    rest = negative + unlabeled
    scatter = np.sqrt([_scatter_ratio(each, rest, right.astype(np.float64)) for each in above])
    fewer = int(np.count_nonzero(wrong))
    return paired._replace(
        ranks=ranks,
        among={model: scipy.stats.rankdata(of_model) for model, of_model in ranks.items()},
        covariance=paired.covariance * np.outer(scatter, scatter),
        total=paired.total._replace(known_positive=n - fewer, known_negative=negative + fewer),
        rows=None,
    )


def steps_to(odds: float, factors: FloatArray = _FACTORS) -> tuple[FloatArray, float]:
    """Return factors up to the first that is no smaller, and how far the last step to it goes.

    Examples
    --------
    >>> factors, part = steps_to(1.3)
    >>> factors, round(part, 2)
    (array([1. , 1.2, 1.5]), 0.36)
    """
    last = max(int(np.searchsorted(factors, odds)), 1)
    start, end = np.log(factors[last - 1 : last + 1]).tolist()
    return factors[: last + 1], (log(odds) - start) / (end - start)


def leave_few(n: int, odds: float, worst: Callable[[float], Sequence[FloatArray]]) -> BoolArray:
    """Tell whether weights up to a factor leave too few known positives in effect, at each end.

    `worst` has the weights for the lowest and for the highest value at a factor.
    """
    few, least = np.zeros(2, np.bool_), min(_EFFECTIVE, n / 2)
    factors = _CLOSE[: np.searchsorted(_CLOSE, odds) + 1]
    # At others no place leaves as few.
    for factor in factors[_least_effective(n, factors) < least].tolist():
        few |= [effective_size(weight) < least for weight in worst(factor)]
        if few.all():
            break
    return few


def _least_effective(n: int, odds: FloatArray | float) -> FloatArray | float:
    """Return the fewest known positives in effect by weights that are 1 or a factor."""
    return 4 * n * odds / (1 + odds) ** 2


def sets_to_try(known: int, most: int) -> list[tuple[int, int]]:
    """Return numbers of wrong known positives, from 1 to the most, and of those above them.

    Examples
    --------
    >>> [wrong for wrong, first in sets_to_try(40, 15) if first == 0]
    [1, 2, 3, 4, 5, 7, 9, 12, 15]
    >>> [first for wrong, first in sets_to_try(40, 6) if wrong == 6]
    [0, 1, 2, 4, 8, 12, 17, 21, 25, 29, 33, 34]
    """
    numbers, following = [], 1
    while following < most:
        numbers.append(following)
        following = max(following + 1, floor(following * _GROWTH))
    numbers += [most] if most else []
    return [(wrong, first) for wrong in numbers for first in _places_to_try(known, wrong)]


def _places_to_try(known: int, wrong: int) -> list[int]:
    """Return numbers of known positives above so many wrong ones."""
    most = known - wrong
    every = [*np.linspace(0, most, _PLACES).astype(int).tolist(), 1, 2, most - 1]
    return sorted({place for place in every if 0 <= place <= most})


def may_be_lowest(value: FloatArray, away: FloatArray) -> BoolArray:
    """Tell which limits may be the lowest along the first axis.

    Each is at most its value, and about so far `away` below it: at most twice, to be safe. None is
    left out where that is NaN.

    Examples
    --------
    >>> may_be_lowest(np.array([0.5, 0.6, 0.9]), np.array([0.1, 0.1, 0.1]))
    array([ True,  True, False])
    """
    left_out: BoolArray = value - 2 * away > np.fmin.reduce(value)
    return ~left_out
