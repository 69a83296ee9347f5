"""Models that ranked the same examples: which has the higher AUROC, and by how much."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pu_accessor.inference.comparison.pairwise import adjust_p_values, find_pairs, t_test
from pu_accessor.inference.estimates.delong import welch_df
from pu_accessor.inference.estimates.intervals import kurtosis_df
from pu_accessor.inference.estimates.joint import join_limits
from pu_accessor.inference.estimates.known_positives import count_negatives, count_positives
from pu_accessor.inference.settings import BetaRange
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import BoolArray, FloatArray, IntArray, PairedRanks

__all__ = ["Difference", "PairTests", "compare_paired", "join_pairs"]

_ROUNDING = 1e-12  # relative size of a variance that may be none


@dataclass(frozen=True, eq=False)
class Difference:
    """AUROC of the first model of each pair less that of the second.

    Parameters
    ----------
    difference, lower, upper : ndarray of float64, shape (pairs, betas)
        A share in [-1, 1], and its interval, which is not cut off at the ends.
    reach : (ndarray, ndarray) of float64, shape (pairs, betas), optional
        The lowest and the highest difference for every selection within a factor of the odds.
    """

    difference: FloatArray
    lower: FloatArray
    upper: FloatArray
    reach: tuple[FloatArray, FloatArray] | None = None


@dataclass(frozen=True, eq=False)
class PairTests:
    """Tests of each pair of models: a column for each beta, or a single one without betas.

    Parameters
    ----------
    first, second : ndarray of int64, shape (pairs,)
        Positions of the models.
    sign : ndarray of int64, shape (pairs,)
        1 where the first has the higher AUROC, -1 where the second has, 0 where neither has.
    statistic, df, p_value, p_holm : ndarray of float64, shape (pairs, columns)
        Student's t, its degrees of freedom, the two-sided p value, and that adjusted for all
        pairs.
    stuck : ndarray of bool, shape (pairs,)
        Whether the examples differ by the same number of ranks, but by some: then the statistic
        is infinite.
    n : int
        Known positives.
    size : Difference, optional
        Where there are betas.
    """

    first: IntArray
    second: IntArray
    sign: IntArray
    statistic: FloatArray
    df: FloatArray
    p_value: FloatArray
    p_holm: FloatArray
    stuck: BoolArray
    n: int
    size: Difference | None = None


class _Shifts(NamedTuple):
    """How many ranks the first of each pair is ahead, on average: arrays of shape (pairs,).

    Parameters
    ----------
    mean : ndarray of float64
        That number.
    known, rest : ndarray of float64
        Squared errors that the known positives and all others add to it.
    df : ndarray of float64
        Degrees of freedom of the first.
    """

    mean: FloatArray
    known: FloatArray
    rest: FloatArray
    df: FloatArray


def compare_paired(
    paired: PairedRanks, betas: FloatArray | None, level: float, target: str
) -> PairTests:
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
    >>> found = compare_paired(paired, np.array([0.2, 0.4]), 0.95, "population")
    >>> found.sign, found.p_value.round(3), found.size.difference.round(3)
    (array([1]), array([[0.093, 0.093]]), array([[0.292, 0.389]]))
    """
    first, second = find_pairs(len(paired.ranks))
    check_labels(np.zeros(1) if betas is None else betas, paired.total)
    n, shifts = paired.total.known_positive, _shifts(paired, first, second, target)
    if target == "population":
        squares = np.stack([shifts.known, shifts.rest])
        spread, df = squares.sum(axis=0), _welch(squares, shifts.df, paired)
        factor = np.ones(1)
    else:
        spread, df = shifts.known, shifts.df
        factor = np.ones(1)
        if betas is not None and paired.weight is None:
            factor = count_positives(paired.total, betas).factor
    if betas is not None:
        factor = np.broadcast_to(factor, betas.shape)
    error = np.multiply.outer(np.sqrt(spread), factor)
    error[:, factor == 0] = 0.0  # also of one known positive, if there is no other
    test = t_test(shifts.mean[:, np.newaxis], error, df[:, np.newaxis], level)
    size = None
    if betas is not None:
        negatives = np.array([float(number) for number in count_negatives(paired.total, betas)])
        ends = (np.broadcast_to(shifts.mean[:, np.newaxis], error.shape), test.lower, test.upper)
        size = Difference(*(ranks / negatives for ranks in ends))
    return PairTests(
        first,
        second,
        sign=np.sign(shifts.mean).astype(np.int64),
        statistic=test.statistic,
        df=np.broadcast_to(df[:, np.newaxis], error.shape),
        p_value=test.p_value,
        p_holm=adjust_p_values(test.p_value),
        stuck=(spread == 0) & (shifts.mean != 0),
        n=n,
        size=size,
    )


def join_pairs(found: PairTests, beta: BetaRange, joint: str) -> PairTests:
    """Put the error of an estimated beta together with that of the ranking."""
    if found.size is None:
        return found
    first = (slice(None), slice(1))
    limits = join_limits(found.size.difference, found.size.lower, found.size.upper, beta, joint)
    return replace(
        found,
        statistic=found.statistic[first],
        df=found.df[first],
        p_value=found.p_value[first],
        p_holm=found.p_holm[first],
        size=Difference(found.size.difference[first], *limits),
    )


def _shifts(paired: PairedRanks, first: IntArray, second: IntArray, target: str) -> _Shifts:
    """Return by how many ranks the first of each pair is ahead, and what scatters in it."""
    own, joint = np.diag(paired.covariance), paired.covariance[first, second]
    both = own[first] + own[second]
    apart = both - 2 * joint
    apart[np.abs(apart) <= _ROUNDING * both] = 0.0
    rest = (sum(paired.total) - paired.total.known_positive) * apart
    if paired.weight is not None:
        return _weighted_shifts(paired, paired.weight, first, second, target, rest)
    ranks, n = list(paired.ranks.values()), paired.total.known_positive
    if target == "population":  # among the rest; places among each other are no scatter of theirs
        ranks = [some - own for some, own in zip(ranks, paired.among.values(), strict=True)]
    mean, known = np.empty(first.size), np.full(first.size, np.nan)
    for pair, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        apart = ranks[b] - ranks[a]
        mean[pair] = apart.mean()
        if n > 1:
            known[pair] = apart.var(ddof=1) / n
    return _Shifts(mean, known, rest, np.full(first.size, n - 1.0))


def _weighted_shifts(
    paired: PairedRanks,
    weight: FloatArray,
    first: IntArray,
    second: IntArray,
    target: str,
    rest: FloatArray,
) -> _Shifts:
    """Return the same where known positives count for unlike weights.

    A known positive is among the examples above others, too: where new examples are asked for,
    that counts as well. With equal weights what it adds takes away its rank among the known ones.
    """
    share, n = weight / weight.sum(), weight.size  # two or more: weights differ
    ranks = list(paired.ranks.values())
    below = [_weight_below(among, share) for among in paired.among.values()]
    mean, known, df = (np.full(first.size, np.nan) for _ in range(3))
    for pair, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        apart = ranks[b] - ranks[a]
        mean[pair] = share @ apart
        pull = share * (apart - mean[pair])
        if target == "population":
            also = below[b] - below[a]
            square = (pull + also - also.mean()) ** 2
        else:
            square = pull**2 * (1 - 1 / weight)
        known[pair] = square.sum() * n / (n - 1)
        flat = not np.mean(square)
        kurtosis = 1.0 if flat else np.mean(square**2) / np.mean(square) ** 2
        df[pair] = kurtosis_df(np.array([kurtosis]), n)[0]
    return _Shifts(mean, known, rest, df)


def _weight_below(among: FloatArray, share: FloatArray) -> FloatArray:
    """Return the share of the known positives below each, ties and itself counting half."""
    order = np.argsort(among)
    _, place = np.unique(among, return_inverse=True)
    tied = np.bincount(place, share)
    through = np.cumsum(share[order])[np.cumsum(np.bincount(place)) - 1]
    below: FloatArray = (1 - through + tied / 2)[place]
    return below


def _welch(squares: FloatArray, df: FloatArray, paired: PairedRanks) -> FloatArray:
    """Return the degrees of freedom of each pair on new examples."""
    others = sum(paired.total) - paired.total.known_positive - 1.0
    if others < 1 or paired.total.known_positive < 2:
        return np.full(squares.shape[1], np.nan)
    return welch_df(squares, np.stack([df, np.full(df.size, others)]))
