"""Pairs of models or of groups: the difference of each, tests, and p values for all of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import nan
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.beta import Beta
from pu_accessor.errors import PUValueError
from pu_accessor.inference.estimates.auroc import auroc_and_error
from pu_accessor.inference.estimates.joint import join_limits
from pu_accessor.inference.estimates.known_positives import hidden_share
from pu_accessor.inference.influence import (
    auroc_on_new,
    find_design,
    find_placements,
    placement_influences,
    rate_designs,
    rest_share,
    welch_df,
    wilson,
)
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import FloatArray, IntArray, Ranking

_SAME = 1e-7  # of a standard error, that rounding leaves of a difference that is none
_UNSEEN = 0.5  # known positives that may lie at the other end, where none scatters: a convention
_DRAWS, _AT_ONCE, _SEED = 100_000, 2_000, 2008  # of statistics, for `adjust_together`


@dataclass(frozen=True, eq=False)
class PairTests:
    """The difference of each pair, the first less the second, and a test whether it is 0."""

    first: IntArray  # positions of the two, shape (pairs,)
    second: IntArray
    difference: FloatArray  # shape (pairs, columns)
    lower: FloatArray  # not cut off where no difference can be
    upper: FloatArray
    statistic: FloatArray
    df: FloatArray
    p_value: FloatArray  # two-sided; NaN where there is no test
    p_adjusted: FloatArray  # for all pairs of a column


def find_pairs(models: int) -> tuple[IntArray, IntArray]:
    """Return the positions of the two models of each pair."""
    if models < 2:
        raise PUValueError(
            f"A comparison needs two or more models, but there is {models or 'none'}. Name two "
            "columns, df.pu(score=['svm', 'forest']), or one with two keys, df.pu(by='model').",
            page="many_models#which-model-is-better",
        )
    first, second = np.array(list(combinations(range(models), 2)), dtype=np.int64).T
    return first, second


def compare_by_t(
    pairs: tuple[IntArray, IntArray],
    difference: FloatArray,
    error: FloatArray,
    df: FloatArray,
    level: float,
) -> PairTests:
    """Test whether differences are 0; without spread that is so for certain, or certainly not.

    Examples
    --------
    >>> pairs = np.array([0, 0]), np.array([1, 2])
    >>> difference, error = np.array([[0.5], [0.0]]), np.array([[0.25], [0.0]])
    >>> compare_by_t(pairs, difference, error, np.array([[9.0]]), 0.95).p_value.round(3)
    array([[0.077],
           [1.   ]])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where((error == 0) & (difference == 0), 0.0, difference / error)
    distance = scipy.special.stdtrit(df, (1 + level) / 2) * error
    p_value = np.asarray(2 * scipy.special.stdtr(df, -np.abs(statistic)), np.float64)
    return PairTests(
        *pairs,
        difference=np.broadcast_to(difference, error.shape),
        lower=difference - distance,
        upper=difference + distance,
        statistic=statistic,
        df=np.broadcast_to(df, error.shape),
        p_value=p_value,
        p_adjusted=adjust_p_values(p_value),
    )


def adjust_p_values(p_value: FloatArray) -> FloatArray:
    """Adjust p values for the number of pairs, NaN apart, by Holm's method [1]_.

    References
    ----------
    .. [1] S. Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian
       Journal of Statistics 6 (1979) 65-70.

    Examples
    --------
    >>> adjust_p_values(np.array([0.04, np.nan, 0.01, 0.03]))
    array([0.06,  nan, 0.03, 0.06])
    """
    order = np.argsort(p_value, axis=0)  # NaN last
    position = np.argsort(order, axis=0)
    pairs_left = np.count_nonzero(~np.isnan(p_value), axis=0) - position
    raised = np.take_along_axis(np.minimum(p_value * pairs_left, 1), order, axis=0)
    return np.take_along_axis(np.maximum.accumulate(raised), position, axis=0)


def adjust_together(
    p_value: FloatArray, covariance: FloatArray, pairs: tuple[IntArray, IntArray]
) -> FloatArray:
    """Adjust p values for the number of pairs, whose statistics vary together, by max-t [1]_.

    Notes
    -----
    Where no model is better, the statistics of pairs are normal with the correlations of the
    differences, and how small the least p value of several pairs gets by chance is counted in
    100,000 draws with one seed. A pair stands against those alone whose p values are no smaller,
    as with Holm's method, whose p values are never smaller than these.

    References
    ----------
    .. [1] T. Hothorn, F. Bretz, P. Westfall, *Simultaneous inference in general parametric
       models*, Biometrical Journal 50 (2008) 346-363.

    Examples
    --------
    >>> pairs, same = find_pairs(3), np.array([[[1, 0.9, 0.9], [0.9, 1, 0.9], [0.9, 0.9, 1]]])
    >>> p_value = np.array([[0.02], [0.03], [0.9]])
    >>> adjust_together(p_value, same, pairs).round(2).T, adjust_p_values(p_value).T
    (array([[0.05, 0.05, 0.9 ]]), array([[0.06, 0.06, 0.9 ]]))
    """
    by_holm = adjust_p_values(p_value)
    adjusted = by_holm.copy()
    for column, p in enumerate(p_value.T):
        tested = np.flatnonzero(~np.isnan(p))
        tested = tested[np.argsort(p[tested], kind="stable")]
        shared = covariance[min(column, len(covariance) - 1)]
        first, second = (side[tested] for side in pairs)
        by_chance = _least_by_chance(p[tested], shared, first, second)
        together = np.maximum.accumulate(np.maximum(by_chance, p[tested]))
        adjusted[tested, column] = np.minimum(together, by_holm[tested, column])
    return adjusted


def _least_by_chance(
    p_value: FloatArray, covariance: FloatArray, first: IntArray, second: IntArray
) -> FloatArray:
    """Return how probably a pair, or one with a larger p value, gets as small a one by chance."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0))
    contrast = root[first] - root[second]
    size = np.sqrt(np.sum(contrast**2, axis=1, keepdims=True))
    # Models that do not differ, but for rounding, never get a small p value.
    differ = size > _SAME * np.sqrt(np.diag(covariance).max(initial=0))
    contrast = np.divide(contrast, size, out=np.zeros_like(contrast), where=differ)
    far, rng = -scipy.special.ndtri(p_value / 2), np.random.default_rng(_SEED)
    exceed = np.zeros(p_value.size)
    for _ in range(_DRAWS // _AT_ONCE):
        drawn = np.abs(rng.standard_normal((_AT_ONCE, len(covariance))) @ contrast.T)
        largest = np.maximum.accumulate(drawn[:, ::-1], axis=1)[:, ::-1]
        exceed += (largest >= far).sum(axis=0)
    return (exceed + 1) / (_DRAWS + 1)


class GroupValue(NamedTuple):
    """A quantity of one group at some betas."""

    n: int  # known positives
    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray
    # Of the estimate, for Welch's test; NaN for one known positive.
    variance: FloatArray | None = None
    df: float = nan  # of the variance


def recall_of_group(ranking: Ranking, threshold: float, missed: bool, level: float) -> GroupValue:
    """Return the share of positives above a threshold, or below, with Wilson's interval."""
    check_labels(np.zeros(1), ranking.total)
    n = ranking.total.known_positive
    here = ranking.at(ranking.count_at_or_above(np.array([threshold])))
    above = here.known_positive
    counted = (n - above if missed else above).astype(np.float64)
    return GroupValue(n, counted / n, *wilson(counted, n, level, rate_designs(here)[0][0]))


def auroc_of_group(ranking: Ranking, betas: FloatArray, target: str) -> GroupValue:
    """Return AUROC of one group with its variance, for `compare_groups`."""
    check_labels(betas, ranking.total)
    n, share = ranking.total.known_positive, rest_share(ranking.total, betas)
    hidden = np.ones(betas.size)
    if target == "examples":
        (estimate, error), df = auroc_and_error(ranking, betas), n - 1.0
        hidden = hidden_share(ranking.total, betas)
    else:
        placed = find_placements(ranking)
        estimate = auroc_on_new(ranking, betas)
        design = find_design(ranking.clusters, lambda: placement_influences(ranking))
        error = np.sqrt(design.effect * placed.squares.sum()) / (1 - share)
        df = min(float(welch_df(placed.squares, np.maximum(placed.size - 1, 1))[0]), design.df)
    df = df if np.isfinite(df) else n - 1.0
    error = np.where(error == 0, np.sqrt(_UNSEEN * hidden) / n / (1 - share), error)
    if n == 1 or np.isnan(error).any():
        error, df = np.full(betas.size, np.nan), nan
    unknown = np.full(betas.size, np.nan)
    return GroupValue(n, estimate, unknown, unknown, error**2, df)


def compare_groups(groups: Sequence[GroupValue], level: float) -> PairTests:
    """Compare the AUROC of groups that share no examples: Welch's two-sample test.

    Where all groups ranked the same examples,
    `pu_accessor.inference.comparison.paired.compare_paired` sees smaller differences, and needs no
    beta to do so.

    Notes
    -----
    On new examples the variance of each area is DeLong's
    (`pu_accessor.inference.estimates.areas_on_new_examples.estimate_population_auroc`), times the
    design effect of clusters, which limits its degrees of freedom.

    For these examples, with n known positives among N examples, U of them unlabeled, P = n +
    beta*U and mid-ranks R, AUROC is 1 - (mean(R) - (P + 1)/2)/(N - P), its standard error
    sd(R)/sqrt(n) * sqrt(1 - n/P)/(N - P): of a mean under sampling without replacement. It treats
    the negatives as given. It is 0 where all positives are known, as with a beta of 0; where it is
    0 in both groups, so is the width of the interval, df [1]_ is infinite, and the p value is 1 if
    the areas are equal and 0 if not.

    Where all known positives of a group rank alike in the rest, its error is as though half a
    known positive were at the other end.

    References
    ----------
    .. [1] B. L. Welch, *The generalization of 'Student's' problem when several different
       population variances are involved*, Biometrika 34 (1947) 28-35.

    Examples
    --------
    >>> none, variance = np.array([np.nan]), np.array([0.0025])
    >>> a, b = (GroupValue(9, np.array([x]), none, none, variance, 8.0) for x in (0.75, 0.5))
    >>> tests = compare_groups([a, b], 0.95)
    >>> tests.difference, tests.df, tests.p_value.round(4)
    (array([[0.25]]), array([[16.]]), array([[0.0027]]))
    """
    pairs = find_pairs(len(groups))
    sides = [(groups[a], groups[b]) for a, b in zip(*pairs, strict=True)]
    difference = np.array([a.estimate - b.estimate for a, b in sides])
    variances = np.array([(a.variance, b.variance) for a, b in sides])
    df = np.array(
        [_welch(np.array([a.df, b.df]), v) for (a, b), v in zip(sides, variances, strict=True)]
    )
    return compare_by_t(pairs, difference, np.sqrt(variances.sum(axis=1)), df, level)


def _welch(df: FloatArray, variances: FloatArray) -> FloatArray:
    """Return Welch's degrees of freedom of two groups for each beta, infinite without spread."""
    if np.isnan(df).any():
        return np.full(variances.shape[1], np.nan)
    # Without spread the degrees of freedom of a group may be infinite, too.
    return welch_df(variances, np.minimum(df, np.finfo(np.float64).max)[:, np.newaxis])


def find_gaps(groups: Sequence[GroupValue]) -> PairTests:
    """Return the gap between each pair of groups, with its interval and without a test.

    Notes
    -----
    The groups are independent. How far the gap can be off on one side is how far the one estimate
    can be off on that side and the other on its other side, squared and added: the MOVER [1]_.
    With Wilson's intervals of two proportions that is Newcombe's method 10 [2]_.

    References
    ----------
    .. [1] G. Y. Zou, A. Donner, *Construction of confidence limits about effect measures: a
       general approach*, Statistics in Medicine 27 (2008) 1693-1702.
    .. [2] R. G. Newcombe, *Interval estimation for the difference between independent
       proportions: comparison of eleven methods*, Statistics in Medicine 17 (1998) 873-890.

    Examples
    --------
    >>> groups = [
    ...     GroupValue(n, np.array([k / n]), *wilson(np.array([float(k)]), n, 0.95))
    ...     for k, n in ((56, 70), (48, 80))
    ... ]
    >>> gaps = find_gaps(groups)
    >>> gaps.difference.round(4), gaps.lower.round(4), gaps.upper.round(4)
    (array([[0.2]]), array([[0.0524]]), array([[0.3339]]))
    """
    first, second = find_pairs(len(groups))
    estimate, lower, upper = (
        np.stack([getattr(group, name) for group in groups])
        for name in ("estimate", "lower", "upper")
    )
    down, up = np.maximum(estimate - lower, 0), np.maximum(upper - estimate, 0)
    difference = estimate[first] - estimate[second]
    return PairTests(
        first,
        second,
        difference,
        difference - np.hypot(down[first], up[second]),
        difference + np.hypot(up[first], down[second]),
        *[np.full(difference.shape, np.nan)] * 4,
    )


def join_gaps(gaps: PairTests, beta: Beta) -> PairTests:
    """Put the error of one estimate of beta, which all groups share, together with that of gaps.

    All groups are off by the same in beta: the gap is known at each beta, and is joined as one
    number is (`pu_accessor.inference.estimates.joint.join_limits`).
    """
    lower, upper = join_limits(gaps.difference, gaps.lower, gaps.upper, beta)
    return replace(gaps, difference=gaps.difference[:, :1], lower=lower, upper=upper)
