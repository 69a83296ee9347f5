"""Test pairs of models or groups: differences, intervals, and p values adjusted for all pairs.

Gaps: MOVER, Zou and Donner, Statistics in Medicine 27 (2008) 1693-1702; for proportions Newcombe's
method 10 (1998).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import nan
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy

from pu_accessor.beta import Beta
from pu_accessor.errors import PUValueError
from pu_accessor.inference import influence
from pu_accessor.inference.answer import add_beta_error
from pu_accessor.inference.estimates.areas_on_this_sample import auroc_and_error
from pu_accessor.inference.estimates.known_positives import hidden_share
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.inference.tables.curves import area_of_estimate
from pu_accessor.ranking import FloatArray, IntArray, Ranking

_PRIOR_POSITIVES = 0.5  # known positives added at the other end, where all rank equally
Pairs: TypeAlias = tuple[IntArray, IntArray]


@dataclass(frozen=True, eq=False)
class PairTests:
    """The difference of each pair, the first less the second, and a test whether it is 0."""

    first: IntArray  # positions of the two, shape (pairs,)
    second: IntArray
    difference: FloatArray  # shape (pairs, columns)
    lower: FloatArray  # not cut to possible differences
    upper: FloatArray
    statistic: FloatArray
    df: FloatArray
    p_value: FloatArray  # two-sided; NaN where there is no test
    p_adjusted: FloatArray  # for all pairs of a column


def list_pairs(models: int) -> Pairs:
    """Return the positions of the two models of each pair."""
    if models < 2:
        raise PUValueError(
            f"A comparison needs two or more models, but there is {models or 'none'}. Name two "
            "columns, df.pu(score=['svm', 'forest']), or one with two keys, df.pu(by='model')."
        )
    first, second = np.array(list(combinations(range(models), 2)), dtype=np.int64).T
    return first, second


def compare_by_t(
    pairs: Pairs, difference: FloatArray, error: FloatArray, df: FloatArray, level: float
) -> PairTests:
    """Test by Student's t whether differences are 0; without error the p value is 1 or 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where((error == 0) & (difference == 0), 0.0, difference / error)
    distance = scipy.special.stdtrit(df, (1 + level) / 2) * error
    p_value = np.asarray(2 * scipy.special.stdtr(df, -np.abs(statistic)), np.float64)
    return PairTests(
        *pairs,
        difference=np.broadcast_to(difference, error.shape),
        lower=difference - distance,
        upper=difference + distance,
        statistic=np.where(np.isnan(p_value), np.nan, statistic),
        df=np.broadcast_to(df, error.shape),
        p_value=p_value,
        p_adjusted=adjust_by_holm(p_value),
    )


def show_estimate(tests: PairTests, estimate: FloatArray, span: float) -> PairTests:
    """Return tests with an estimate of the difference, and limits that are possible, around it."""
    lower, upper = (np.clip(end, -span, span) for end in (tests.lower, tests.upper))
    limits = {"lower": np.minimum(lower, estimate), "upper": np.maximum(upper, estimate)}
    return replace(tests, difference=estimate, **limits)


def adjust_by_holm(p_value: FloatArray) -> FloatArray:
    """Adjust p values for the number of pairs without NaN (Holm, Scand. J. Stat. 6, 1979)."""
    order = np.argsort(p_value, axis=0)  # NaN last
    position = np.argsort(order, axis=0)
    pairs_left = np.count_nonzero(~np.isnan(p_value), axis=0) - position
    raised = np.take_along_axis(np.minimum(p_value * pairs_left, 1), order, axis=0)
    return np.take_along_axis(np.maximum.accumulate(raised), position, axis=0)


class GroupValue(NamedTuple):
    """A metric of one group at some betas."""

    n: int  # known positives
    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray
    unbiased: FloatArray | None = None  # AUROC, for tests; it may be outside [0, 1]
    variance: FloatArray | None = None  # of that; NaN for one known positive
    df: float = nan  # of the variance


def recall_of_group(ranking: Ranking, threshold: float, missed: bool, level: float) -> GroupValue:
    """Return the share of positives above a threshold, or below, with Wilson's interval."""
    check_labels(np.zeros(1), ranking.total)
    n = ranking.total.known_positive
    here = ranking.at(ranking.count_at_or_above(np.array([threshold])))
    above = here.known_positive
    counted = (n - above if missed else above).astype(np.float64)
    return GroupValue(
        n,
        counted / n,
        *influence.wilson_interval(counted, n, level, influence.design_effects(here)[0][0]),
    )


def auroc_of_group(ranking: Ranking, betas: FloatArray, target: str) -> GroupValue:
    """Return AUROC of one group with its variance, for `compare_groups`."""
    check_labels(betas, ranking.total)
    n, share = ranking.total.known_positive, influence.positive_share_of_rest(ranking.total, betas)
    hidden_part = np.ones(betas.size)
    if target == "examples":
        (unbiased, error), df = auroc_and_error(ranking, betas), n - 1.0
        hidden_part = hidden_share(ranking.total, betas)
    else:
        influences = influence.placement_influences(ranking)
        placements = influence.placements_of_ranking(influences)
        unbiased = influence.unbiased_auroc(ranking, betas)
        design = influence.design_effect(influences)
        error = np.sqrt(design.effect * placements.squares.sum()) / (1 - share)
        of_samples = influence.welch_df(placements.squares, np.maximum(placements.size - 1, 1))
        df = min(float(of_samples[0]), design.df)
    df = df if np.isfinite(df) else n - 1.0
    error = np.where(error == 0, np.sqrt(_PRIOR_POSITIVES * hidden_part) / n / (1 - share), error)
    if n == 1 or np.isnan(error).any():
        error, df = np.full(betas.size, np.nan), nan
    estimate = area_of_estimate("roc", ranking, betas, on_new=target == "population")
    unknown = np.full(betas.size, np.nan)
    return GroupValue(n, estimate, unknown, unknown, unbiased, error**2, df)


def compare_groups(groups: Sequence[GroupValue], level: float) -> PairTests:
    """Compare the AUROC of groups without common examples by Welch's test (Biometrika, 1947)."""
    pairs = list_pairs(len(groups))
    sides = [(groups[a], groups[b]) for a, b in zip(*pairs, strict=True)]
    shown, difference = (
        np.array([getattr(a, name) - getattr(b, name) for a, b in sides])
        for name in ("estimate", "unbiased")
    )
    variances = np.array([(a.variance, b.variance) for a, b in sides])
    # Without variance the degrees of freedom of a group may be infinite.
    own_df = np.minimum([(a.df, b.df) for a, b in sides], np.finfo(np.float64).max)
    df = np.array([*map(influence.welch_df, variances, own_df[..., np.newaxis])])
    df[np.isnan(own_df).any(axis=1)] = np.nan
    tests = compare_by_t(pairs, difference, np.sqrt(variances.sum(axis=1)), df, level)
    return show_estimate(tests, shown, 1.0)


def estimate_gaps(groups: Sequence[GroupValue]) -> PairTests:
    """Return the gap between each pair of independent groups, with its MOVER interval."""
    first, second = list_pairs(len(groups))
    estimate, lower, upper = (
        np.stack([getattr(group, name) for group in groups])
        for name in ("estimate", "lower", "upper")
    )
    down, up = np.maximum(estimate - lower, 0), np.maximum(upper - estimate, 0)
    difference = estimate[first] - estimate[second]
    low = difference - np.hypot(down[first], up[second])
    high = difference + np.hypot(up[first], down[second])
    no_test = [np.full(difference.shape, np.nan)] * 4
    return PairTests(first, second, difference, low, high, *no_test)


def add_beta_error_to_gaps(gaps: PairTests, beta: Beta) -> PairTests:
    """Combine the error of one estimate of beta, shared by all groups, with that of gaps."""
    lower, upper = add_beta_error(gaps.difference, gaps.lower, gaps.upper, beta)
    return replace(gaps, difference=gaps.difference[:, :1], lower=lower, upper=upper)
