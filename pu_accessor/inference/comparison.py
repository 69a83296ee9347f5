"""Compare pairs of models or groups: differences with p values for all pairs, averages, curves.

Gaps: MOVER, Zou and Donner, Statistics in Medicine 27 (2008) 1693-1702; for proportions Newcombe's
method 10 (1998).
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from math import nan
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy

from pu_accessor.errors import PUValueError
from pu_accessor.inference import influence
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.areas_on_this_sample import full_auroc
from pu_accessor.inference.averages import (
    GroupTerms,
    count_groups,
    count_shared_clusters,
    shared_cluster_variance,
)
from pu_accessor.inference.contingency import check_labels
from pu_accessor.inference.curves import area_of_estimate
from pu_accessor.inference.known_positives import count_positives
from pu_accessor.inference.metric_entry import Metric
from pu_accessor.inference.metrics import METRICS
from pu_accessor.inference.worlds import FutureData, Selected, errors_at
from pu_accessor.ranking import BoolArray, FloatArray, IntArray, Ranking
from pu_accessor.roles_and_assumptions import Terms

_PRIOR_POSITIVES = 0.5  # known positives added at the other end, where all rank equally
Pairs: TypeAlias = tuple[IntArray, IntArray]


def list_pairs(models: int) -> Pairs:
    """Return the positions of the two models of each pair."""
    if models < 2:
        raise PUValueError(
            f"A comparison needs two or more models, but there is {models or 'none'}. Name two "
            "columns, df.pu(score=['svm', 'forest']), or one with two keys, df.pu(by='model'); "
            "for averages df.pu(by=['model', 'query'], average='query')."
        )
    first, second = np.array(list(combinations(range(models), 2)), dtype=np.int64).T
    return first, second


def subtract(values: FloatArray, pairs: Pairs) -> FloatArray:
    """Return the value of the first of each pair less that of the second."""
    first, second = pairs
    return values[first] - values[second]


def compare_by_t(
    difference: FloatArray, error: FloatArray, df: FloatArray, level: float
) -> Answer:
    """Test by Student's t whether differences are 0; without error the p value is 1 or 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where((error == 0) & (difference == 0), 0.0, difference / error)
    distance = scipy.special.stdtrit(df, (1 + level) / 2) * error
    p_value = np.asarray(2 * scipy.special.stdtr(df, -np.abs(statistic)), np.float64)
    statistic = np.where(np.isnan(p_value), np.nan, statistic)
    columns = {"statistic": statistic, "df": df, "p_value": p_value}
    value = np.broadcast_to(difference, error.shape)
    answer = Answer(value, difference - distance, difference + distance, error, columns)
    return answer.with_columns(p_adjusted=adjust_by_holm(p_value))


def show_estimate(tests: Answer, estimate: FloatArray, span: float) -> Answer:
    """Return tests with an estimate of the difference, and limits that are possible, around it."""
    lower, upper = (np.clip(end, -span, span) for end in (tests.lower, tests.upper))
    return replace(tests, value=estimate).with_limits(lower, upper)


def adjust_by_holm(p_value: FloatArray) -> FloatArray:
    """Adjust p values for the number of pairs without NaN (Holm, Scand. J. Stat. 6, 1979)."""
    order = np.argsort(p_value, axis=0)  # NaN last
    position = np.argsort(order, axis=0)
    pairs_left = np.count_nonzero(~np.isnan(p_value), axis=0) - position
    raised = np.take_along_axis(np.minimum(p_value * pairs_left, 1), order, axis=0)
    return np.take_along_axis(np.maximum.accumulate(raised), position, axis=0)


def recall_of_group(ranking: Ranking, threshold: float, missed: bool, level: float) -> Answer:
    """Return the share of positives above a threshold, or below, with Wilson's interval."""
    check_labels(np.zeros(1), ranking.total)
    n = ranking.total.known_positive
    here = ranking.at(ranking.count_at_or_above(np.array([threshold])))
    above = here.known_positive
    counted = (n - above if missed else above).astype(np.float64)
    world = FutureData.of(ranking, np.zeros(1), Terms())
    design = errors_at(world, Selected.above(here)).known
    return Answer(counted / n, *influence.wilson_interval(counted, n, level, design))


def auroc_of_group(ranking: Ranking, betas: FloatArray, target: str) -> Answer:
    """Return AUROC of one group with its error, for `compare_groups`."""
    check_labels(betas, ranking.total)
    n, share = ranking.total.known_positive, influence.positive_share_of_rest(ranking.total, betas)
    hidden_part = np.ones(betas.size)
    if target == "examples":
        area, df = full_auroc(ranking, betas), n - 1.0
        unbiased, error = area.value, area.error
        hidden_part = 1 - n / count_positives(ranking.total, betas)
    else:
        placements = influence.placements_of(ranking.known_blocks)
        unbiased = influence.unbiased_auroc(ranking, betas)
        design = influence.design_effect_of_auroc(ranking)
        error = np.sqrt(design.effect * placements.squares.sum()) / (1 - share)
        of_samples = influence.welch_df(placements.squares, np.maximum(placements.size - 1, 1))
        df = min(float(of_samples[0]), design.df)
    df = df if np.isfinite(df) else n - 1.0
    error = np.where(error == 0, np.sqrt(_PRIOR_POSITIVES * hidden_part) / n / (1 - share), error)
    if n == 1 or np.isnan(error).any():
        error, df = np.full(betas.size, np.nan), nan
    estimate = area_of_estimate(METRICS["auroc"], ranking, betas, on_new=target == "population")
    unknown = np.full(betas.size, np.nan)
    return Answer(estimate, unknown, unknown, error, {"unbiased": unbiased, "df": df})


def compare_groups(groups: Sequence[Answer], level: float) -> Answer:
    """Compare the AUROC of groups without common examples by Welch's test (Biometrika, 1947)."""
    pairs = list_pairs(len(groups))
    unbiased, own_df = (
        np.stack([group.columns[name] for group in groups]) for name in ("unbiased", "df")
    )
    variances = np.stack([group.error for group in groups])[[*pairs]] ** 2
    # Without variance the degrees of freedom of a group may be infinite.
    df = influence.welch_df(variances, np.minimum(own_df, np.finfo(np.float64).max)[[*pairs]])
    df = np.where(np.isnan(variances).any(axis=0), np.nan, df)
    tests = compare_by_t(subtract(unbiased, pairs), np.sqrt(variances.sum(axis=0)), df, level)
    return show_estimate(tests, subtract(np.stack([group.value for group in groups]), pairs), 1.0)


def estimate_gaps(groups: Sequence[Answer], lowest: float, highest: float) -> Answer:
    """Return the gap between each pair of independent groups, with its MOVER interval."""
    first, second = pairs = list_pairs(len(groups))
    value, lower, upper = map(np.stack, zip(*(group.parts for group in groups), strict=True))
    down, up = np.maximum(value - lower, 0), np.maximum(upper - value, 0)
    is_cut, difference = (lower <= lowest, upper >= highest), subtract(value, pairs)

    def combine(one: FloatArray, other: FloatArray, cut: BoolArray) -> FloatArray:
        """Return the root of the sum of squares; the sum where one ends at what is possible."""
        return np.where(cut, one + other, np.hypot(one, other))

    below = combine(down[first], up[second], is_cut[0][first] | is_cut[1][second])
    above = combine(up[first], down[second], is_cut[1][first] | is_cut[0][second])
    return Answer(difference, difference - below, difference + above)


def compare_averages(metric: Metric, models: Sequence[GroupTerms], level: float) -> Answer:
    """Compare the averages of models over the same groups by Student's t: all pairs."""
    # One group that was not seen moves as far as the farthest that was or, where models may differ
    # without a move of a group, as one known positive moves it.
    pairs, number = list_pairs(len(models)), count_groups(models[0].value)
    moved = subtract(np.stack([one.value for one in models]), pairs)
    difference = moved.mean(axis=1)
    farthest = np.abs(moved - difference[:, np.newaxis]).max(axis=1)
    if metric.estimator is None or metric.own_cutoff is not None:
        steps = [((one.high - one.low) / one.known).mean(axis=0) for one in models]
        farthest = np.maximum(farthest, np.max(steps, axis=0))
    variance, df = moved.var(axis=1) / number + farthest**2 / number**2, number - 1.0
    for pair, (a, b) in enumerate(zip(*pairs, strict=True)):
        added = shared_cluster_variance(_subtract_clusters(models[a], models[b]), moved[pair], 1.0)
        variance[pair] += added / number
    df = min(df, min(map(count_shared_clusters, models)) - 1.0)
    span = max(float((one.ceiling - one.floor).mean(axis=0).max()) for one in models)
    tests = compare_by_t(difference, np.sqrt(variance), np.full((1, 1), df), level)
    return show_estimate(tests, difference, span)


def _subtract_clusters(one: GroupTerms, other: GroupTerms) -> GroupTerms:
    """Return the terms of one model, whose clusters add differences from another."""
    if one.clusters is None or other.clusters is None:
        return one
    influence = one.clusters.influence - other.clusters.influence
    return one._replace(clusters=one.clusters._replace(influence=influence))


# Rates are ratios of counts, and interpolations of them.
_RATE_TOLERANCE = 1e-12


class Verdict(NamedTuple):
    """How the ROC curve of a model lies to that of another."""

    ahead: bool  # the estimated curve is somewhere above the other
    behind: bool  # somewhere below
    disjoint: bool  # a lower curve is strictly above the other upper one
    crossings: tuple[float, ...]  # false positive rates at which the lead changes


def compare_curves(first: FloatArray, second: FloatArray) -> Verdict:
    """Compare curves, (3 bounds, 2 rates, points), without their dips ([C15], section 6.2)."""
    # Of each curve the highest true positive rate at or left of each false positive rate.
    one, other = (
        [without_steps_back(*_fill_dips(*curve)) for curve in each] for each in (first, second)
    )
    fpr, lead = _corners(one[1], other[1])
    disjoint = _is_above(one[0], other[2]) or _is_above(other[0], one[2])
    difference = lead[0] - lead[1]
    ahead, behind = bool((difference > 0).any()), bool((difference < 0).any())
    return Verdict(ahead, behind, disjoint, crossings(fpr, difference))


def _is_above(first: FloatArray, second: FloatArray) -> bool:
    """Tell if the first curve is strictly above the second, where they are not both at an end."""
    _, (a, b) = _corners(first, second)
    is_ahead, at_end = a > b, (a == b) & np.isin(a, [0, 1])
    return bool((is_ahead | at_end).all() and is_ahead.any())


def _corners(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return all corners, and both limits of two curves there, from within, left to right."""
    corners, limits = np.union1d(first[0], second[0]), []
    for fpr, tpr in (first, second):
        between = np.interp(corners, fpr, tpr)
        left = np.searchsorted(fpr, corners, side="left").clip(max=fpr.size - 1)
        right = np.searchsorted(fpr, corners, side="right") - 1
        sides = [np.where(fpr[at] == corners, tpr[at], between) for at in (left, right)]
        limits.append(np.stack(sides, axis=1).ravel()[1:-1])
    a, b = limits
    heights = np.stack([a, np.where(np.abs(a - b) <= _RATE_TOLERANCE, a, b)])
    return np.repeat(corners, 2)[1:-1], heights


def without_steps_back(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return a path from where it passes each x for the last time."""
    # Seen from its end, a path that steps back to the left has a dip.
    return -_fill_dips(-y[::-1], -x[::-1])[::-1, ::-1]


def _fill_dips(x: FloatArray, y: FloatArray) -> FloatArray:
    """Keep a curve at its highest value until it is higher again."""
    highest = np.maximum.accumulate(y)
    start, end, height = y[:-1], y[1:], highest[:-1]
    below = (start < height) & (height < end)
    share = (height[below] - start[below]) / (end[below] - start[below])
    returns = x[:-1][below] + share * (x[1:][below] - x[:-1][below])
    position = np.flatnonzero(below) + 1
    return np.stack([np.insert(x, position, returns), np.insert(highest, position, height[below])])


def crossings(x: FloatArray, lead: FloatArray) -> tuple[float, ...]:
    """Return where the lead passes from one curve to the other."""
    crossed_at = []
    for before, after in pairwise(np.flatnonzero(lead).tolist()):
        if (lead[before] > 0) == (lead[after] > 0):
            continue
        if after > before + 1:  # equal from the next point on
            crossed_at.append(float(x[before + 1]))
        else:
            share = lead[before] / (lead[before] - lead[after])
            crossed_at.append(float(x[before] + share * (x[after] - x[before])))
    return tuple(crossed_at)
