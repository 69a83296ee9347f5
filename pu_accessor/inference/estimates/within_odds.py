"""AUROC and average precision where labels are not quite random: all weights within a factor.

A known positive stands for itself and for latent ones near it, in number as one over its odds of
being labeled. Where these odds differ by at most a factor of G, in a way that nobody knows, each
of the n known positives may stand for G times as many as another. The highest and the lowest of
what the estimate then is are reached where those above some place count G times those below, or
the other way round; where known positives are tied, average precision can lie a little beyond.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import inf, log
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.errors import PUValueError
from pu_accessor.inference.bands.weighted import effective_size
from pu_accessor.inference.estimates.areas_on_new_examples import (
    estimate_population_auroc,
    estimate_population_precision,
)
from pu_accessor.inference.estimates.auroc import estimate_auroc
from pu_accessor.inference.estimates.average_precision import estimate_precision
from pu_accessor.inference.estimates.contaminated import estimate_contaminated
from pu_accessor.inference.estimates.intervals import Estimates, bounding_areas
from pu_accessor.inference.estimates.known_positives import count_positives, find_blocks
from pu_accessor.inference.estimates.weighted_areas import (
    jackknife,
    weighted_auroc,
    weighted_population_auroc,
    weighted_population_precision,
    weighted_precision,
)
from pu_accessor.inference.search import may_be_lowest
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.inference.tables.latent_bounds import check_selection
from pu_accessor.ranking import BoolArray, FloatArray, IntArray, Ranking

_FEWEST = 5  # known positives for which weighted estimates have an interval
_EFFECTIVE = 10  # known positives in effect, below which their intervals are not believed
# Factors at which limits are computed: at others they are straight in the logarithm. And those at
# which it is asked whether weights leave few known positives in effect.
_FACTORS = np.array([1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6.5, 8, 10, 13, 17, 22, 30])
_FACTORS = np.append(_FACTORS, 10.0 ** np.arange(2, 10))
_CLOSE = 2.0 ** (np.arange(241) / 8)
_THIRDS, _NUDGE = 60, 1e-6  # of an interval of factors, in which a lowest area is searched


def check_whole_area(rule: Settings, max_fpr: float | None) -> None:
    """Raise if a part of the ROC curve is asked for where labels are not taken to be random."""
    if rule.contamination and max_fpr is not None and max_fpr < 1:
        raise PUValueError(
            f"max_fpr must be None with contamination={rule.contamination:g}, but {max_fpr!r} was "
            "passed: for wrong known positives there is the whole area alone. Leave one out."
        )
    if rule.selection_odds > 1 and max_fpr is not None and max_fpr < 1:
        raise PUValueError(
            f"max_fpr must be None with selection_odds={rule.selection_odds:g}, but {max_fpr!r} "
            "was passed. Take the range between bounding curves: "
            "df.pu.contingency(0.3, selection_odds=2).pu.area('auroc', max_fpr=0.1).",
            page="selection_odds",
        )


def estimate_within(
    ranking: Ranking, betas: FloatArray, rule: Settings, curve: str, target: str
) -> Estimates:
    """Estimate an area for every selection within a factor of the odds, with an interval.

    Notes
    -----
    With v_i the latent positives that known positive i stands for, proportional to one over its
    odds, so that any two differ by a factor of at most G and their sum is m, both areas are
    those of positives that count 1 + v_i. AUROC is straight in v. Average precision sums the
    products of weights of two positives, over the examples at or above the lower one. As that
    is less the lower it lies, exchanging two weights shows that the heaviest are best at the
    top and worst at the bottom, and as it is convex in v, the highest is where weights have
    but two sizes. The lowest is looked for among these, too, for all factors up to G: at the
    very top, with a large G, a smaller factor can be lower.

    At the weights of the lowest value, as if these were known, there is an interval: for these
    examples that of propensities (`pu_accessor.inference.estimates.weighted_areas`); on new ones
    that of known positives and the rest as two samples, with what each known positive adds by
    its weight and by that of all others. Its lower limit is the lower limit for all
    selections, as the level holds at the true weights, whatever these are; that of the highest
    value is the upper limit. As wider factors contain narrower ones, limits are the most extreme
    of all factors up to G. They are computed at fixed factors, at the worst places of each and of
    the ones beside it, and are straight in log G between them: so no limit shrinks as G grows.

    Where weights up to G leave few known positives in effect, fewer
    than 10 or half of all, or fewer than 5 are known, those that were not seen matter most: then
    the interval reaches to the areas under the bounding curves of the band "exact" at G. These
    stand alone where nothing is known of the odds, an infinite G.
    """
    check_selection(ranking, rule)
    check_labels(betas, ranking.total)
    base = estimate_any(ranking, betas, Settings(rule.level), curve, target)
    span = bounding_areas(ranking, betas, Settings(rule.level, selection_odds=inf), curve)
    limits = ends = _moved(span, base, target)
    if ranking.total.unlabeled and rule.selection_odds <= _FACTORS[-1]:
        span, limits, few = _at_worst(ranking, betas, rule, curve, target)
        if few.any():
            exact = Settings(rule.level, selection_odds=rule.selection_odds)
            bounds = _moved(bounding_areas(ranking, betas, exact, curve), base, target)
            low, high = np.fmin(limits[0], bounds[0]), np.fmax(limits[1], bounds[1])
            limits = np.where(few, [low, high], limits)
        limits = np.stack([np.fmin(limits[0], span[0]), np.fmax(limits[1], span[1])])
    if ranking.total.known_positive < 2:  # nobody knows how far the one can be off
        limits = np.stack([base.lower, base.upper])
    there = (betas * ranking.total.unlabeled > 0) & ~np.isnan(base.value)
    lower = np.maximum(np.minimum(limits[0], base.lower), np.minimum(ends[0], base.lower))
    upper = np.minimum(np.maximum(limits[1], base.upper), np.maximum(ends[1], base.upper))
    reach = np.fmin(span[0], base.value), np.fmax(span[1], base.value)
    first, last = (np.where(there, np.clip(end, 0, 1), base.value) for end in reach)
    return replace(
        base,
        lower=np.where(there, lower, base.lower),
        upper=np.where(there, upper, base.upper),
        reach=(first, last),
    )


def estimate_any(
    ranking: Ranking, betas: FloatArray, rule: Settings, curve: str, target: str
) -> Estimates:
    """Estimate an area, for labels at random where the factor is 1."""
    if rule.contamination:
        ask = partial(_ask_any, betas=betas, curve=curve, target=target)
        return estimate_contaminated(ranking, rule, ask)
    if rule.selection_odds > 1:
        return estimate_within(ranking, betas, rule, curve, target)
    estimates: dict[tuple[str, str], Callable[..., Estimates]] = {
        ("roc", "population"): estimate_population_auroc,
        ("roc", "examples"): estimate_auroc,
        ("pr", "population"): estimate_population_precision,
        ("pr", "examples"): estimate_precision,
    }
    return estimates[curve, target](ranking, betas, rule)


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


class _Worst(NamedTuple):
    """Where weights that change by a factor at one place make an area lowest, and highest."""

    area: FloatArray  # shape (2,)
    above: IntArray  # known positives above the place, shape (2,)


def _find_worst(ranking: Ranking, beta: float, odds: float, curve: str) -> _Worst:
    """Return the lowest and the highest area where weights change by a factor at one place."""
    above = np.append(0, find_blocks(ranking).known)
    low = _areas(ranking, curve, beta, 1.0, odds)
    high = _areas(ranking, curve, beta, odds, 1.0)
    places = [int(np.argmin(low)), int(np.argmax(high))]
    return _Worst(np.array([low[places[0]], high[places[1]]]), above[places])


def _weights(
    n: int, above: IntArray | int, side: IntArray | int, odds: FloatArray | float
) -> FloatArray:
    """Return weights of known positives: those below a place count more, or those above it."""
    on_top = np.equal(side, 1)[..., np.newaxis]
    heavier = (np.arange(n) < np.asarray(above)[..., np.newaxis]) == on_top
    weights: FloatArray = np.where(heavier, np.asarray(odds)[..., np.newaxis], 1.0)
    return weights


def _ask_any(
    ranking: Ranking, rule: Settings, betas: FloatArray, curve: str, target: str
) -> Estimates:
    """Return what `estimate_any` does."""
    return estimate_any(ranking, betas, rule, curve, target)


def _worst_weights(ranking: Ranking, beta: float, curve: str, odds: float) -> list[FloatArray]:
    """Return the weights for the lowest and for the highest area."""
    above = _find_worst(ranking, beta, odds, curve).above
    return [_weights(ranking.total.known_positive, above[side], side, odds) for side in (0, 1)]


def _lowest_within(ranking: Ranking, beta: float, odds: float, curve: str) -> float:
    """Return the lowest area by all factors up to one.

    At each place average precision falls with the factor, or falls and then rises.
    """
    areas = partial(_areas, ranking, curve, beta, 1.0)
    lowest = areas(odds)
    if curve == "pr" and (areas(odds * (1 - _NUDGE)) < lowest).any():
        start, end = np.zeros(lowest.size), np.full(lowest.size, np.log(odds))
        for _ in range(_THIRDS):
            third = (end - start) / 3
            falls = areas(np.exp(start + third)) > areas(np.exp(end - third))
            start, end = np.where(falls, start + third, start), np.where(falls, end, end - third)
        lowest = np.fmin(lowest, areas(np.exp(start)))
    return float(np.fmin.reduce(lowest))


def leave_few(n: int, odds: float, worst: Callable[[float], Sequence[FloatArray]]) -> BoolArray:
    """Tell whether weights up to a factor leave too few known positives in effect, at each end.

    `worst` has the weights for the lowest and for the highest value at a factor.
    """
    few, least = np.zeros(2, np.bool_), min(_EFFECTIVE, n / 2)
    factors = _CLOSE[: np.searchsorted(_CLOSE, odds) + 1]
    # At others no place leaves as few.
    for factor in factors[4 * n * factors / (1 + factors) ** 2 < least].tolist():
        few |= [effective_size(weight) < least for weight in worst(factor)]
        if few.all():
            break
    return few


def _areas(
    ranking: Ranking,
    curve: str,
    beta: float,
    weight_above: float,
    weight_below: FloatArray | float,
) -> FloatArray:
    """Return an area for each place at which weights change, shape (places,)."""
    blocks, n = find_blocks(ranking), ranking.total.known_positive
    positives = float(count_positives(ranking.total, np.array([beta])).as_floats()[0])
    above = np.concatenate([[0], blocks.known])
    latent = (positives - n) / (weight_above * above + weight_below * (n - above))
    first, second = 1 + weight_above * latent, 1 + weight_below * latent

    def sums(terms: FloatArray) -> tuple[FloatArray, FloatArray]:
        through = np.concatenate([[0.0], np.cumsum(terms)])
        return through, through[-1] - through

    if curve == "roc":
        there, rest = sums(blocks.found * (blocks.start + blocks.end + 1) / 2)
        mean = (first * there + second * rest) / positives
        auroc: FloatArray = 1 - (mean - (positives + 1) / 2) / (sum(ranking.total) - positives)
        return auroc
    alone, alone_below = sums(blocks.found / blocks.end)
    pairs, pairs_below = sums(blocks.found * (blocks.known - 1) / blocks.end)
    own = first * alone + second * alone_below
    others = first**2 * pairs + second**2 * pairs_below
    others += second * (first - second) * above * alone_below
    squares = first**2 * above + second**2 * (n - above)
    if n == 1:  # no pair of known positives, no estimate where others are hidden
        return np.full(own.size, np.nan)
    value: FloatArray = own / positives + (positives - 1) * others / (positives**2 - squares)
    return value


def _moved(span: FloatArray, base: Estimates, target: str) -> FloatArray:
    """Return how far areas under bounding curves may be off: on new examples as estimates are."""
    if target == "examples":
        return span
    down, up = base.value - base.lower, base.upper - base.value
    return np.stack([np.fmax(span[0] - down, 0), np.fmin(span[1] + up, 1)])


def _at_worst(
    ranking: Ranking, betas: FloatArray, rule: Settings, curve: str, target: str
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the lowest and the highest value at each beta, limits around them, where they fail.

    The interval is that of an area, if latent positives are near known ones by these weights.
    """
    odds, shape = rule.selection_odds, (2, betas.size)
    values, limits, few = np.empty(shape), np.full(shape, np.nan), np.ones(shape, np.bool_)
    for place, beta in enumerate(betas.tolist()):
        values[0, place] = _lowest_within(ranking, beta, odds, curve)
        values[1, place] = _find_worst(ranking, beta, odds, curve).area[1]
        if ranking.total.known_positive >= _FEWEST:
            limits[:, place] = _limits_within(ranking, beta, rule, curve, target)
            worst = partial(_worst_weights, ranking, beta, curve)
            few[:, place] = leave_few(ranking.total.known_positive, odds, worst)
    return values, limits, few | np.isnan(limits)


def _limits_within(
    ranking: Ranking, beta: float, rule: Settings, curve: str, target: str
) -> FloatArray:
    """Return the lowest and the highest limit of all factors up to one.

    They are computed at some factors, at the worst places of each and of the next ones, as limits
    jump where the worst place changes. NaN where one has none.
    """
    factors, part = steps_to(rule.selection_odds)
    n, last = ranking.total.known_positive, factors.size
    every = _FACTORS[: last + 1].tolist()
    above = np.transpose([_find_worst(ranking, beta, each, curve).above for each in every])
    near = np.clip(np.arange(last)[:, np.newaxis] + [-1, 0, 1], 1, len(every) - 1)
    grid = np.broadcast_arrays([[[0]], [[1]]], factors[:, np.newaxis], above[:, near])
    rows, which = np.unique(np.reshape(grid, (3, -1)), axis=1, return_inverse=True)
    (sides, places), each = rows[::2].astype(np.int64), rows[1]
    weight, turn = 1 + _weights(n, places, sides, each), 1 - 2 * sides
    found, needed = np.full(sides.size, np.nan), sides >= 0
    if (curve, target) == ("pr", "examples"):  # each takes a thousand draws
        value, error = jackknife(ranking, weight, np.full(sides.size, beta))
        away = scipy.special.ndtri((1 + rule.level) / 2) * error
        found, needed = turn * value, sides < 0
        for side, up_to in product((0, 1), factors[-2 + (part == 1) :]):
            group = (sides == side) & (each <= up_to)
            needed[group] |= may_be_lowest(found[group], away[group])
    asked = curve, target
    found[needed] = turn[needed] * _limit_at(
        ranking, weight[needed], beta, rule.level, asked, sides[needed]
    )
    lowest = np.minimum.accumulate(found[which].reshape(2, last, 3).min(axis=2), axis=1)
    return np.array([1, -1]) * ((1 - part) * lowest[:, -2] + part * lowest[:, -1])


def _limit_at(
    ranking: Ranking,
    weight: FloatArray,
    beta: float,
    level: float,
    asked: tuple[str, str],
    sides: IntArray,
) -> FloatArray:
    """Return the lower or the upper limit at some weights, as sides say, shape (weights,)."""
    at_weights: dict[tuple[str, str], Callable[..., Estimates]] = {
        ("roc", "population"): weighted_population_auroc,
        ("roc", "examples"): partial(weighted_auroc, sides=sides),
        ("pr", "population"): weighted_population_precision,
        ("pr", "examples"): partial(weighted_precision, sides=sides),
    }
    found = at_weights[asked](ranking, weight, np.full(len(weight), beta), level)
    return np.where(sides, found.upper, found.lower)
