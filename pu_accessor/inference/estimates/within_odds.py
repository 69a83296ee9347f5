"""AUROC and average precision where labels are not quite random: all weights within a factor.

A known positive stands for itself and for latent ones near it, in number as one over its odds of
being labeled. Where these odds differ by at most a factor of G, in a way that nobody knows, each
of the n known positives may stand for G times as many as another. The highest and the lowest of
what the estimate then is are reached where those above some place count G times those below, or
the other way round.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf, isinf

import numpy as np

from pu_accessor.errors import PUValueError
from pu_accessor.inference.bands.weighted import effective_size
from pu_accessor.inference.estimates.areas_on_new_examples import (
    estimate_population_auroc,
    estimate_population_precision,
)
from pu_accessor.inference.estimates.auroc import estimate_auroc
from pu_accessor.inference.estimates.average_precision import estimate_precision
from pu_accessor.inference.estimates.intervals import Estimates, bounding_areas
from pu_accessor.inference.estimates.known_positives import count_positives, find_blocks
from pu_accessor.inference.estimates.weighted_areas import (
    weighted_auroc,
    weighted_population_auroc,
    weighted_population_precision,
    weighted_precision,
)
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.inference.tables.latent_bounds import check_selection
from pu_accessor.ranking import BoolArray, FloatArray, IntArray, Ranking

_FEWEST = 3  # known positives for which weighted estimates have an interval
_EFFECTIVE = 10  # known positives in effect, below which their intervals are not believed


def check_whole_area(rule: Settings, max_fpr: float | None) -> None:
    """Raise if a part of the ROC curve is asked for where labels are not taken to be random."""
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
    but two sizes. The lowest is so wherever the next known positive does not more than make up
    in weight for what it lies lower: at the very top, with a large G, weights between the two
    can be lower by a trifle.

    At the weights of the lowest value, as if these were known, there is an interval: for these
    examples that of propensities (`pu_accessor.inference.estimates.weighted_areas`); on new ones
    that of known positives and the rest as two samples, with what each known positive adds by
    its weight and by that of all others. Its lower limit is the lower limit for all
    selections, as the level holds at the true weights, whatever these are; that of the highest
    value is the upper limit. Where these weights leave few known positives in effect, fewer
    than 10 or half of all, those that were not seen matter most: then the interval reaches to
    the areas under the bounding curves of the band "exact" at G. These stand alone where
    nothing is known of the odds, an infinite G.
    """
    check_selection(ranking, rule)
    check_labels(betas, ranking.total)
    base = estimate_any(ranking, betas, Settings(rule.level), curve, target)
    span = bounding_areas(ranking, betas, Settings(rule.level, selection_odds=inf), curve)
    limits = ends = _moved(span, base, target)
    if ranking.total.unlabeled and not isinf(rule.selection_odds):
        span, limits, few = _at_worst(ranking, betas, rule, curve, target)
        if few.any():
            exact = Settings(rule.level, selection_odds=rule.selection_odds)
            bounds = _moved(bounding_areas(ranking, betas, exact, curve), base, target)
            low, high = np.fmin(limits[0], bounds[0]), np.fmax(limits[1], bounds[1])
            limits = np.where(few, [low, high], limits)
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
    if rule.selection_odds > 1:
        return estimate_within(ranking, betas, rule, curve, target)
    estimates: dict[tuple[str, str], Callable[..., Estimates]] = {
        ("roc", "population"): estimate_population_auroc,
        ("roc", "examples"): estimate_auroc,
        ("pr", "population"): estimate_population_precision,
        ("pr", "examples"): estimate_precision,
    }
    return estimates[curve, target](ranking, betas, rule)


def _worst_weights(
    ranking: Ranking, beta: float, odds: float, curve: str
) -> Iterator[tuple[float, FloatArray]]:
    """Yield the lowest area and the weights of known positives there, then the highest."""
    blocks, n = find_blocks(ranking), ranking.total.known_positive
    positives = float(count_positives(ranking.total, np.array([beta])).as_floats()[0])
    above = np.concatenate([[0], blocks.known])
    for best, first, second in ((np.argmin, 1.0, odds), (np.argmax, odds, 1.0)):
        latent = (positives - n) / (first * above + second * (n - above))
        stands = 1 + first * latent, 1 + second * latent
        areas = _areas(ranking, curve, stands, above, positives)
        at = int(best(areas))
        yield float(areas[at]), np.where(np.arange(n) < above[at], first, second)


def says_little(weight: FloatArray) -> bool:
    """Tell whether weights leave too few known positives in effect."""
    return effective_size(weight) < min(_EFFECTIVE, weight.size / 2)


def _areas(
    ranking: Ranking,
    curve: str,
    stands: tuple[FloatArray, FloatArray],
    above: IntArray,
    positives: float,
) -> FloatArray:
    """Return an area for each place at which weights change, shape (places,).

    `stands` are what known positives above and below each place count.
    """
    blocks, n = find_blocks(ranking), ranking.total.known_positive
    first, second = stands

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
    at_weights: dict[tuple[str, str], Callable[..., Estimates]] = {
        ("roc", "population"): weighted_population_auroc,
        ("roc", "examples"): weighted_auroc,
        ("pr", "population"): weighted_population_precision,
        ("pr", "examples"): weighted_precision,
    }
    values, limits = np.empty((2, betas.size)), np.full((2, betas.size), np.nan)
    few = np.zeros((2, betas.size), np.bool_)
    for place, beta in enumerate(betas.tolist()):
        worst = _worst_weights(ranking, beta, rule.selection_odds, curve)
        for side, (value, weight) in enumerate(worst):
            values[side, place], few[side, place] = value, says_little(weight)
            if ranking.total.known_positive >= _FEWEST:
                ask = at_weights[curve, target]
                found = ask(ranking, 1 + weight, np.array([beta]), rule.level)
                limits[side, place] = (found.lower, found.upper)[side][0]
    return values, limits, few | np.isnan(limits)
