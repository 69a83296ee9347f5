"""AUROC and average precision where labels are not quite random, or some of them are wrong.

A known positive stands for itself and for latent ones near it, in number as one over its odds of
being labeled. Where these odds differ by at most a factor of G, in a way that nobody knows, each
of the n known positives may stand for G times as many as another. The highest and the lowest of
what the estimate then is are reached where those above some place count G times those below, or
the other way round; those of average precision are searched for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from math import inf, log
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

from pu_accessor.inference.bands.weighted import effective_size
from pu_accessor.inference.contamination import count_wrong, relabel, sets_to_try
from pu_accessor.inference.diagnostics import has_one
from pu_accessor.inference.estimates.areas_on_new_examples import (
    estimate_population_auroc,
    estimate_population_precision,
)
from pu_accessor.inference.estimates.auroc import estimate_auroc, estimate_precision
from pu_accessor.inference.estimates.intervals import Estimates, bounding_areas
from pu_accessor.inference.estimates.known_positives import Blocks, count_positives, find_blocks
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
from pu_accessor.ranking import BoolArray, FloatArray, IntArray, Ranking

Search: TypeAlias = Literal["place", "near", "any"]
_SEARCHES: tuple[Search, ...] = ("place", "near")
_FEWEST = 5  # known positives for which weighted estimates have an interval
_EFFECTIVE = 10  # known positives in effect, below which their intervals are not believed
# The same for average precision where they lie in few blocks: then none may be in the best one.
_FEW_BLOCKS, _EFFECTIVE_IN_BLOCKS, _SHARE_IN_BLOCKS = 5, 40, 0.95
# Factors at which limits are computed: at others they are straight in the logarithm. And those at
# which it is asked whether weights leave few known positives in effect.
_FACTORS = np.array([1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6.5, 8, 10, 13, 17, 22, 30])
_FACTORS = np.append(_FACTORS, 10.0 ** np.arange(2, 10))
_MANY, _FEW = 3000, 100  # cutoffs
_CLOSE = 2.0 ** (np.arange(241) / 8)


def estimate_within(
    ranking: Ranking, betas: FloatArray, rule: Settings, curve: str, target: str
) -> Estimates:
    """Estimate an area for every selection within a factor of the odds, with an interval.

    Notes
    -----
    With v_i the latent positives that known positive i stands for, proportional to one over its
    odds, so that any two differ by a factor of at most G and their sum is m, both areas are
    those of positives that count 1 + v_i. AUROC is straight in v, so its extremes are where
    weights change by G at one place. Average precision sums the products of weights of two
    positives, over the examples at or above the lower one: see
    `pu_accessor.inference.estimates.within_odds`.

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
    the interval reaches to what the bounding curves of the band "exact" allow at G. So does
    that of average precision where known positives have 2 to 5 scores, and may be fewer than 40
    or 95% of all in effect: the best score may lack them. These stand alone where nothing is known
    of the odds, an infinite G.
    """
    check_labels(betas, ranking.total)
    base = estimate_any(ranking, betas, Settings(rule.level), curve, target)
    possible = bounding_areas(ranking, betas, Settings(rule.level, selection_odds=inf), curve)
    span, ends = possible, _moved(possible, base, target)
    limits = ends
    if ranking.total.unlabeled and rule.selection_odds <= _FACTORS[-1]:
        span, limits, few = _at_worst(ranking, betas, rule, curve, target)
        span = np.clip(span, *possible)  # positives that stand for others are in no labeling
        if few.any():
            exact = Settings(rule.level, selection_odds=rule.selection_odds)
            bounds = _moved(bounding_areas(ranking, betas, exact, curve), base, target)
            low, high = np.fmin(limits[0], bounds[0]), np.fmax(limits[1], bounds[1])
            limits = np.where(few, [low, high], limits)
        limits = np.stack([np.fmin(limits[0], span[0]), np.fmax(limits[1], span[1])])
    if ranking.total.known_positive < 2:  # nobody knows how far the one can be off
        limits = np.stack([base.lower, base.upper])
    there = (betas * ranking.total.unlabeled > 0) & ~np.isnan(base.value)
    # Labels at random can rule beta out, and then have no limits; within odds nothing does.
    ruled_out = np.isnan(base.lower) & (not has_one(ranking.total))
    low, high = (np.where(ruled_out, base.value, end) for end in (base.lower, base.upper))
    lower = np.maximum(np.minimum(limits[0], low), np.minimum(ends[0], low))
    upper = np.minimum(np.maximum(limits[1], high), np.maximum(ends[1], high))
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

        def ask(ranking: Ranking, rule: Settings) -> Estimates:
            return estimate_any(ranking, betas, rule, curve, target)

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
    """The lowest and the highest area within a factor, and what known positives weigh there."""

    area: FloatArray  # shape (2,)
    heavier: FloatArray  # 0 where one weighs 1, 1 where it weighs the factor, (2, known positives)

    def weights(self, odds: float) -> FloatArray:
        """Return the weights, shape (2, known positives)."""
        return 1 + (odds - 1) * self.heavier


def _find_worst(ranking: Ranking, beta: float, odds: float, curve: str, search: Search) -> _Worst:
    """Return the lowest and the highest area within a factor; AUROC has them at a place."""
    blocks, n = find_blocks(ranking), ranking.total.known_positive
    positives = float(count_positives(ranking.total, np.array([beta]))[0])
    if curve == "roc":
        return _worst_place(blocks, positives, sum(ranking.total), odds)
    if n == 1:  # no pair of known positives, no estimate where others are hidden
        return _Worst(np.full(2, np.nan), np.zeros((2, 1)))
    weighed = WeighedPrecision(blocks, positives, odds)
    areas, numbers = zip(*(weighed.find(side, search) for side in (False, True)), strict=True)
    within = np.arange(n) - np.repeat(blocks.known - blocks.found, blocks.found)
    heavier = [np.clip(np.repeat(each, blocks.found) - within, 0, 1) for each in numbers]
    return _Worst(np.array(areas), np.array(heavier))


def _worst_place(blocks: Blocks, positives: float, examples: int, odds: float) -> _Worst:
    """Return the lowest and the highest AUROC where weights change by a factor at one place."""
    n = blocks.known[-1]
    above = np.append(0, blocks.known)
    there = np.append(0.0, np.cumsum(blocks.found * (blocks.start + blocks.end + 1) / 2))
    rest, areas = there[-1] - there, []
    for weight, weight_below in ((1.0, odds), (odds, 1.0)):
        latent = (positives - n) / (weight * above + weight_below * (n - above))
        mean = ((1 + weight * latent) * there + (1 + weight_below * latent) * rest) / positives
        areas.append(1 - (mean - (positives + 1) / 2) / (examples - positives))
    places = [int(np.argmin(areas[0])), int(np.argmax(areas[1]))]
    on_top = np.arange(n) < above[places, np.newaxis]
    heavier = np.where([[False], [True]], on_top, ~on_top).astype(np.float64)
    return _Worst(np.array([area[at] for area, at in zip(areas, places, strict=True)]), heavier)


def _worst_weights(ranking: Ranking, beta: float, curve: str, odds: float) -> list[FloatArray]:
    """Return the weights for the lowest and for the highest area, that change at one place."""
    return [*_find_worst(ranking, beta, odds, curve, "place").weights(odds)]


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


def _leave_few_in_blocks(ranking: Ranking, odds: float) -> bool:
    """Tell whether known positives lie in so few blocks that those that lack matter most."""
    blocks, n = find_blocks(ranking).found.size, ranking.total.known_positive
    least = min(_EFFECTIVE_IN_BLOCKS, _SHARE_IN_BLOCKS * n)
    return 1 < blocks <= _FEW_BLOCKS and bool(_least_effective(n, odds) < least)


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
        values[:, place] = _find_worst(ranking, beta, odds, curve, "any").area
        if ranking.total.known_positive >= _FEWEST:
            limits[:, place] = _limits_within(ranking, beta, rule, curve, target)
            worst = partial(_worst_weights, ranking, beta, curve)
            few[:, place] = leave_few(ranking.total.known_positive, odds, worst)
            few[:, place] |= curve == "pr" and _leave_few_in_blocks(ranking, odds)
    return values, limits, few | np.isnan(limits)


def _limits_within(
    ranking: Ranking, beta: float, rule: Settings, curve: str, target: str
) -> FloatArray:
    """Return the lowest and the highest limit of all factors up to one.

    They are computed at some factors, at the worst weights of each and of the next ones, as limits
    jump where these change: at those that change at one place, too. NaN where one has none.
    """
    factors, part = steps_to(rule.selection_odds)
    last = factors.size
    every = _FACTORS[: last + 1].tolist()
    shapes, number = _worst_shapes(ranking, beta, curve, every)
    near = np.clip(np.arange(last)[:, np.newaxis] + [-1, 0, 1], 1, len(every) - 1)
    numbers = number[:, near].reshape(2, last, -1)
    grid = np.broadcast_arrays([[[0]], [[1]]], factors[:, np.newaxis], numbers)
    rows, which = np.unique(np.reshape(grid, (3, -1)), axis=1, return_inverse=True)
    (sides, of_each), each = rows[::2].astype(np.int64), rows[1]
    weight, turn = 2 + (each[:, np.newaxis] - 1) * shapes[of_each], 1 - 2 * sides
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
    lowest = np.minimum.accumulate(found[which].reshape(numbers.shape).min(axis=2), axis=1)
    return np.array([1, -1]) * ((1 - part) * lowest[:, -2] + part * lowest[:, -1])


def _worst_shapes(
    ranking: Ranking, beta: float, curve: str, factors: list[float]
) -> tuple[FloatArray, IntArray]:
    """Return how much heavier known positives are at worst, and where that is for each factor.

    Shapes (different ones, known positives) and (sides, factors, searches).
    """
    place: dict[int, int] = {}  # by a hash, as each may hold millions
    shapes: list[FloatArray] = []
    number: list[int] = []
    searches = _SEARCHES if curve == "pr" else _SEARCHES[:1]  # AUROC is at its worst at a place
    for factor, search in product(factors, searches):
        for heavier in _find_worst(ranking, beta, factor, curve, search).heavier:
            key = hash(heavier.tobytes())
            if key not in place:
                place[key] = len(shapes)
                shapes.append(heavier)
            number.append(place[key])
    by_side = np.reshape(number, (len(factors), len(searches), 2))
    return np.stack(shapes), np.moveaxis(by_side, 2, 0)


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


def estimate_contaminated(
    ranking: Ranking, rule: Settings, ask: Callable[[Ranking, Settings], Estimates]
) -> Estimates:
    """Estimate an area where a share of the known positives may be wrong.

    Notes
    -----
    At most w = floor(contamination * n) of n known positives are negative [1]_. AUROC is lowest
    where the best-ranked ones are, and highest where the worst-ranked are. If it is known which
    ones are wrong, there is an interval; the limits are the lowest and the highest of those where
    none is, or up to w that follow each other among the known ones: at the top, at the bottom, and
    at places between, where the others scatter more.

    References
    ----------
    .. [1] J. L. Horowitz, C. F. Manski, *Identification and robustness with contaminated and
       corrupted data*, Econometrica 63 (1995) 281-302.
    """
    plain = replace(rule, contamination=0.0)
    base, n = ask(ranking, plain), ranking.total.known_positive
    most = count_wrong(n, rule.contamination)
    wrong = sets_to_try(n, most)
    if ranking.rank.size > _MANY:
        few = _few_cutoffs(ranking)
        wrong = _worst([ask(relabel(few, *each), plain) for each in wrong], wrong)
    found = [base, *(ask(relabel(ranking, *each), plain) for each in wrong)]
    values = np.stack([each.value for each in found])
    lower, upper = (
        np.stack([getattr(each, name) for each in found]) for name in ("lower", "upper")
    )
    reach = values.min(axis=0), values.max(axis=0)
    if n - most < 2:  # one alone has no interval
        ends = lower.min(axis=0), upper.max(axis=0)
    else:
        ends = np.fmin.reduce(lower), np.fmax.reduce(upper)
    # Of some there may be a value alone, as where nothing else is negative.
    low, high = np.minimum(ends[0], reach[0]), np.maximum(ends[1], reach[1])
    return replace(base, lower=low, upper=high, reach=reach)


def _few_cutoffs(ranking: Ranking) -> Ranking:
    """Return the ranking with a few of its cutoffs as if there were no others: the rest are ties.

    There are all at both ends, where each wrong one can matter.
    """
    last, ends = ranking.rank.size - 1, np.arange(_FEW)
    between = np.linspace(0, last, 4 * _FEW).astype(np.int64)
    few = ranking.take(np.unique(np.concatenate([ends, between, last - ends])))
    return replace(few, whole=None)


def _worst(found: Sequence[Estimates], wrong: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the sets of wrong ones that may have the lowest or the highest limit, or value."""
    if not wrong:
        return []
    value, lower, upper = np.stack([each.parts for each in found], axis=1)
    worst = may_be_lowest(value, value - lower) | may_be_lowest(-value, upper - value)
    return [wrong[at] for at in np.unique(np.nonzero(worst)[0]).tolist()]


# The lowest and the highest average precision, where known positives may weigh a factor more


_PARTS = 2.0 ** np.arange(-6, 0)  # of a known positive, which may be in between
_LARGEST = 100  # blocks, in which other numbers are tried
_MOVES = 1000
_EQUAL = 1e-10


class _Sums(NamedTuple):
    """What average precision depends on, over the known positives that weigh more."""

    number: FloatArray
    alone: FloatArray  # the sum of 1 by the examples at or above each
    mixed: FloatArray  # the same over pairs of one of them and any
    pairs: FloatArray  # and over pairs of two of them
    between: FloatArray  # the sum of f(1 - f), where a part f of one weighs more
    between_alone: FloatArray  # the same by the examples at or above it


@dataclass(frozen=True, eq=False)
class WeighedPrecision:
    """Average precision where some known positives of each block weigh more than others.

    As those of a block are tied, their number is all that matters. One of each block may be in
    between: a number of 2.25 stands for two that weigh G, and one that weighs 1 + (G - 1)/4.

    Examples
    --------
    >>> found, end = np.array([1, 1, 1, 2]), np.array([12, 16, 18, 22])
    >>> weighed = WeighedPrecision(Blocks(found, found.cumsum(), end - found, end), 12.6, 3.0)
    >>> for search in ("place", "any"):  # below which all weigh more, and wherever they do
    ...     lowest, heavier = weighed.find(False, search)
    ...     print(round(lowest, 5), heavier)
    0.36952 [0. 1. 1. 2.]
    0.36407 [0. 0. 1. 0.]

    Notes
    -----
    In all cases tried, where no scores are tied the heaviest are at the top for the highest value,
    and at the bottom for the lowest, with one in between. Where scores are tied the two of a pair
    each count the other, so that a large block may be worth more weight than a better place. The
    search reaches what a general minimizer does from many starts within .0002, for factors up to
    30, and within .004 above: in 2,000 draws of each, with up to 100 known positives.
    """

    blocks: Blocks
    positives: float  # known and latent ones
    odds: float  # the factor G

    def find(self, highest: bool, search: Search) -> tuple[float, FloatArray]:
        """Return the lowest or the highest value, and how many of each block weigh more there.

        That of the best "place" is where all above it weigh more, or all below it. From there it
        is followed to one "near", each time to the number in one block that makes it most extreme.
        As this may end too early where scores are tied, a search for "any" starts from none, too.
        """
        found, sign = self.blocks.found, -1.0 if highest else 1.0
        place = self._best_place(sign)
        if search == "place":
            return float(self._value(self._sums(place))), place
        ends = [self._follow(place, sign)]
        if search == "any" and found.size <= _LARGEST and found.max() > 1:
            ends.append(self._follow(np.zeros(found.size), sign))
        return min(ends, key=lambda end: sign * end[0])

    def _best_place(self, sign: float) -> FloatArray:
        """Return the most extreme numbers if all above a place weigh more, or all below it."""
        known, alone, pairs = self._all
        number, alone_above, pairs_above = (
            np.append(0.0, np.cumsum(each)) for each in (self.blocks.found, alone, pairs)
        )
        mixed = 2 * pairs_above + number * (alone.sum() - alone_above)
        if sign > 0:
            pairs_above = pairs.sum() - mixed + pairs_above
            number, alone_above = known - number, alone.sum() - alone_above
            mixed = 2 * pairs.sum() - mixed
        none = np.zeros(number.size)
        sums = _Sums(number, alone_above, mixed, pairs_above, none, none)
        place = int(np.argmin(sign * self._value(sums)))
        above = np.arange(self.blocks.found.size) < place
        return np.where(above == (sign < 0), self.blocks.found, 0.0)

    def _follow(self, heavier: FloatArray, sign: float) -> tuple[float, FloatArray]:
        """Return the most extreme value that such steps lead to, and the numbers there."""
        found = self.blocks.found
        rows = np.argsort(-found, kind="stable")[:_LARGEST]
        sizes = np.concatenate([_PARTS, 2.0 ** np.arange(np.log2(found.max()) + 1), [np.inf]])
        sizes = np.append(sizes, -sizes)
        value = float(self._value(self._sums(heavier)))
        for _ in range(_MOVES):
            now = heavier[rows, np.newaxis]
            moves = np.clip(now + sizes, 0, found[rows, np.newaxis]) - now
            values = self._value(self._moved(heavier, rows, moves))
            row, move = np.unravel_index(np.argmin(sign * values), values.shape)
            moved = heavier.copy()
            moved[rows[row]] += moves[row, move]
            reached = float(self._value(self._sums(moved)))  # without the rounding of differences
            if not sign * reached < sign * value - _EQUAL:
                break
            value, heavier = reached, moved
        return value, heavier

    @cached_property
    def _all(self) -> tuple[float, FloatArray, FloatArray]:
        """The known positives, and what those of each block add, alone and in pairs."""
        found, known, _, end = self.blocks
        return float(known[-1]), found / end, found * known / end

    def _sums(self, heavier: FloatArray) -> _Sums:
        """Sum over the heavier known positives."""
        found, known, _, end = self.blocks
        above, part = np.cumsum(heavier), _part(heavier)
        terms = heavier, heavier / end, (found * above + heavier * known) / end
        return _Sums(*(each.sum() for each in (*terms, heavier * above / end, part, part / end)))

    def _moved(self, heavier: FloatArray, rows: IntArray, moves: FloatArray) -> _Sums:
        """Return the sums with other numbers in one block, shape (rows, moves)."""
        found, known, _, end = self.blocks
        by_end = 1 / end[rows, np.newaxis]

        def with_rest(terms: NDArray[Any], above: NDArray[Any]) -> FloatArray:
            below = np.cumsum((terms / end)[::-1])[::-1]  # and itself
            joined: FloatArray = below[rows, np.newaxis] + above[rows, np.newaxis] * by_end
            return moves * joined

        now = heavier[rows, np.newaxis]
        part = _part(now + moves) - _part(now)
        pairs = with_rest(heavier, np.cumsum(heavier)) + moves**2 * by_end
        added = moves, moves * by_end, with_rest(found, known), pairs, part, part * by_end
        return _Sums(*(one + more for one, more in zip(self._sums(heavier), added, strict=True)))

    def _value(self, sums: _Sums) -> FloatArray:
        """Return average precision, by pairs of known positives."""
        known, alone, pairs = self._all[0], *(each.sum() for each in self._all[1:])
        latent = (self.positives - known) / (known + (self.odds - 1) * sums.number)
        light, more = 1 + latent, (self.odds - 1) * latent
        more_squared = more * (2 * light + more)
        itself = light**2 * alone + more_squared * sums.alone - more**2 * sums.between_alone
        others = light * (light * pairs + more * sums.mixed) + more**2 * sums.pairs - itself
        squares = light**2 * known + more_squared * sums.number - more**2 * sums.between
        scale = (self.positives - 1) / (self.positives**2 - squares)
        value: FloatArray = (light * alone + more * sums.alone) / self.positives + scale * others
        return value


def _part(heavier: FloatArray) -> FloatArray:
    """Return f(1 - f) of the part f by which one weighs more."""
    part: FloatArray = heavier % 1 * (1 - heavier % 1)
    return part
