"""Limits of means over hidden positives, shared out at random to the gaps between known ones.

Under random labeling all orders of n known and m hidden positives are equally likely: the hidden
ones in the n + 1 gaps are a uniform composition of m, and a mean over them is a weighted sum of
random shares. Quantiles are saddlepoint approximations (Barndorff-Nielsen, Biometrika 73, 1986,
307-322), with errors below .003 in tails of .025. Constants are calibrated by simulation.
"""

from collections.abc import Iterator
from functools import cache, partial
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy

from pu_accessor.inference.bands.weighted import hidden_shares, unseen_weight
from pu_accessor.inference.estimates.known_positives import KnownBlocks
from pu_accessor.ranking import FloatArray, IntArray, Numbers

_END_GAPS, _MIDDLE_GROUPS = 200, 200  # single gaps at each end, groups of those between
_MAX_LOGIT = 60.0  # largest logit of a tilt, or a quantile, in the search
_MIN_DEVIATE = 1e-3  # for smaller deviates the skewness replaces a quotient of rounded numbers
_POLE_MARGIN = 1e-14  # relative distance to a pole of K
_SEED, _DRAWS = 150406837, 1000
_TABULATED_QUANTILES = 129  # all others are interpolated
_CHUNK_SIZE = 128  # variables drawn together
_MIN_LOG_ARGUMENT = 1e-300  # replaces 0 in logarithms
_UNGROUPED_BLOCKS, _BLOCK_GROUPS = 60, 30  # single blocks at the top, groups of those below
_TAIL_FACTOR = 2.5  # times 1/n of the way to the end: the range of hidden beyond known positives
_SMALL_SAMPLE = 10  # known positives up to which the first hidden ones may be at the very top
# Unseen positives at the top count up to 3 times: one time for each 4 times the mean weight,
# calibrated on odds of being labeled that fall 3 and 5 times per standard deviation.
_UNSEEN_UNIT, _MAX_UNSEEN_FACTOR = 4, 3
_MIN_SHARE = 1e-9  # hidden positives per known one
_MIN_SUM = 1e-290  # smaller sums cannot be divided

_Limits: TypeAlias = tuple[float, float]
# The share of the way from the lowest to the highest value, the sign of the tilt, and the ratio of
# the mean of each gamma variable with the tilt to its mean without.
_Saddlepoint: TypeAlias = tuple[float, float, FloatArray]


def gamma_quantile(
    values: FloatArray, shape: Numbers, scale: FloatArray | float, tail: float
) -> float:
    """Return a quantile of a mean of values that is weighted by independent gamma variables."""
    low, width = float(values.min()), float(np.ptp(values))
    if not width:
        return low
    position, deviate = (values - low) / width, float(scipy.special.ndtri(tail))
    tilted = partial(_saddlepoint, position, shape, scale)
    if not np.ptp(scale):
        tilted = partial(_equal_saddlepoint, position, shape)

    def difference(at: float) -> float:
        return _normal_deviate(tilted(at), shape) - deviate

    if not difference(-_MAX_LOGIT) < 0 < difference(_MAX_LOGIT):
        return low + width * (tail > 0.5)
    at = scipy.optimize.brentq(difference, -_MAX_LOGIT, _MAX_LOGIT)
    return low + width * tilted(float(at))[0]


def _equal_saddlepoint(position: FloatArray, shape: Numbers, log_tilt: float) -> _Saddlepoint:
    """Return the saddlepoint at a tilt of equal scales: the value is then a weighted mean."""
    weight = 1 / ((1 - position) + position * np.exp(-log_tilt))
    total = float(shape @ weight)
    share = 1 - float((shape * weight) @ (1 - position)) / total
    return share, float(np.sign(log_tilt)), weight * (shape.sum() / total)


def _saddlepoint(
    position: FloatArray, shape: Numbers, scale: FloatArray | float, logit: float
) -> _Saddlepoint:
    """Return the saddlepoint at a share of the way, given by its logit."""
    share, left = float(scipy.special.expit(logit)), float(scipy.special.expit(-logit))
    c: FloatArray = scale * (position * left - (1 - position) * share)
    low, high = float(c.min()), float(c.max())

    def slope(tilt: float) -> float:
        # K'(tilt), without its poles at 1/low and 1/high
        return float(shape @ (c / (1 - tilt * c)) * (1 - tilt * low) * (1 - tilt * high))

    ends = (1 - _POLE_MARGIN) / low, (1 - _POLE_MARGIN) / high
    tilt = float(scipy.optimize.brentq(slope, *ends))
    return share, float(np.sign(tilt)), 1 / (1 - tilt * c)


def _normal_deviate(saddlepoint: _Saddlepoint, shape: Numbers) -> float:
    """Return the normal deviate of the probability of a smaller mean."""
    _, sign, weight = saddlepoint
    excess = weight - 1
    w = sign * float(np.sqrt(max(-2 * float(shape @ np.log(weight)), 0.0)))
    u = sign * float(np.sqrt(shape @ excess**2))
    if abs(w) < _MIN_DEVIATE:
        return w + (float(shape @ excess**3) / u**3 / 3 if u else 0.0)
    return w + float(np.log(u / w)) / w


def mean_rank_limits(ranks: FloatArray, hidden: float, examples: int, level: float) -> _Limits:
    """Return limits of the mean rank of the hidden positives, in the middle of gaps on average."""
    last = ranks[-1]
    nearest, farthest = outermost_ranks(ranks, examples)
    middles = (ranks[:-1] + ranks[1:]) / 2
    ends = [nearest, (nearest + ranks[0]) / 2], [(last + farthest) / 2, farthest]
    limits = []
    for first, at_end, tail in zip(*ends, ((1 - level) / 2, (1 + level) / 2), strict=True):
        values, counts = _group_gaps(np.concatenate([[first], middles, [at_end]]))
        limits.append(hidden_quantile(values, counts, hidden, tail))
    return limits[0], limits[1]


def hidden_quantile(values: FloatArray, counts: IntArray, hidden: float, tail: float) -> float:
    """Return a quantile of the mean over finitely many hidden positives, shared out to gaps."""
    gaps = int(counts.sum())
    mean, factor = float(counts @ values) / gaps, (1 + gaps / hidden) ** 0.5
    return mean + float(factor * (gamma_quantile(values, counts, 1.0, tail) - mean))


def outermost_ranks(ranks: FloatArray, examples: int) -> _Limits:
    """Return how far hidden positives may lie beyond the known ones, at either end."""
    first, last = float(ranks[0]), float(ranks[-1])
    span, share = last - first, min(_TAIL_FACTOR / ranks.size, 1.0)
    far = min(max(last + span, last + share * (examples - last)), float(examples))
    return max(min(first - span, first - share * (first - 1)), 1.0), far


def _group_gaps(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return values and their multiplicities; many values in the middle are averaged in groups."""
    size = values.size
    if size <= 2 * _END_GAPS + _MIDDLE_GROUPS:
        return values, np.ones(size, np.int64)
    middle = np.linspace(_END_GAPS, size - _END_GAPS, _MIDDLE_GROUPS + 1).astype(np.int64)
    first = np.concatenate([np.arange(_END_GAPS), middle, np.arange(size - _END_GAPS + 1, size)])
    counts = np.diff(np.append(first, size))
    return np.add.reduceat(values, first) / counts, counts


class _GapUnits(NamedTuple):
    """The gaps that hidden positives are shared out to."""

    top: KnownBlocks  # single blocks
    sizes: IntArray  # gaps: before and within each of these in turn, in each group, last
    groups: FloatArray  # known positives; sums of precisions: by known, hidden above, within
    end: int  # examples at or above the last block


def ap_limits(blocks: KnownBlocks, hidden: int, examples: int, level: float) -> _Limits:
    """Return limits of average precision, from a thousand random compositions."""
    # Hidden positives are at the end of their gap for `lower`, and at its start for `upper`; there
    # those of the first gap start at rank r1**2/(2*r2)*(1 - 10/n) at the least.
    n = int(blocks.number.sum())
    units = _divide_blocks(blocks)
    rng = np.random.default_rng(_SEED)
    gammas = rng.standard_gamma(units.sizes.astype(np.float64), (_DRAWS, units.sizes.size))
    shares = gammas / gammas.sum(axis=1, keepdims=True)
    drawn = rng.multinomial(hidden, shares).astype(np.float64)  # shape (draws, units)
    # The lowest rank of hidden positives in the first gap.
    r1 = int(blocks.end[0])
    r2 = r1 if blocks.number[0] > 1 or blocks.end.size == 1 else int(blocks.end[1])
    first = min(r1**2 / (2 * r2), float(blocks.start[0])) * max(1 - _SMALL_SAMPLE / n, 0.0)
    positives, means, tail = n + hidden, [], (1 - level) / 2
    for best in (False, True):
        top = _top_precisions(units, drawn, examples, positives, first, best=best)
        means.append((top + _group_precisions(units, drawn, best=best)) / positives)
    lower = float(np.quantile(means[0], tail, method="lower"))
    return lower, min(float(np.quantile(means[1], 1 - tail, method="higher")), 1.0)


def _divide_blocks(blocks: KnownBlocks) -> _GapUnits:
    """Divide the blocks of known positives into single ones at the top, and groups."""
    size = blocks.number.size
    single = size if size <= _UNGROUPED_BLOCKS + _BLOCK_GROUPS else _UNGROUPED_BLOCKS
    top = KnownBlocks(*(column[:single] for column in blocks))
    sizes = np.stack([np.ones(single, np.int64), top.number - 1], axis=1).ravel()
    if single == size:
        return _GapUnits(top, np.append(sizes, 1), np.empty((4, 0)), int(blocks.end[-1]))
    # Groups grow geometrically, because precision changes fast at the top.
    first = np.unique(np.geomspace(single, size, _BLOCK_GROUPS + 1).round().astype(np.int64))[:-1]
    number, known, _, end = (column[single:] for column in blocks)
    start = first - single
    in_group = np.add.reduceat(number, start)
    before = np.repeat(known[start] - number[start], np.diff(np.append(start, number.size)))
    within = (known - before) / np.repeat(in_group, np.diff(np.append(start, number.size)))
    terms = (number * known / end, number / end, number * within / end)
    sums = [np.add.reduceat(term, start) for term in terms]
    groups = np.stack([in_group.astype(np.float64), *sums])
    return _GapUnits(top, np.concatenate([sizes, in_group, [1]]), groups, int(end[-1]))


def _top_precisions(
    units: _GapUnits, drawn: FloatArray, examples: int, positives: int, first: float, *, best: bool
) -> FloatArray:
    """Return the sum of precisions in the single blocks and the last gap, shape (draws,)."""
    number, known, start, end = units.top
    before, within = drawn[:, 0 : 2 * number.size : 2], drawn[:, 1 : 2 * number.size : 2]
    in_last_gap, grouped = drawn[:, -1:], bool(units.groups.size)
    room = np.maximum(end - start - number - within, 0)
    through = known + np.cumsum(before + within, axis=1)  # positives at or above each block
    if best:
        none = np.zeros_like(in_last_gap)
        after = np.concatenate([before[:, 1:], none if grouped else in_last_gap], axis=1)
        tied = np.minimum(after, room)
        through = through + tied
        total = (number + within + tied) * through / end
        total += _run_precisions(after - tied, through, end)
        crowded = np.maximum(before[:, :1] - start[0], 0)  # no rank above the first
        ends = _run_precisions(before[:, :1] - crowded, none, first + none)
        if grouped:
            ends += _run_precisions(in_last_gap, positives - in_last_gap, units.end + none)
        return np.asarray(total.sum(axis=1) + (ends + crowded * through[:, :1] / end[0])[:, 0])
    tied = np.minimum(before, room)
    free = before - tied
    above = through - number - within - before
    crowded = np.maximum(in_last_gap - (examples - end[-1]), 0) * (not grouped)
    through[:, -1:] += crowded
    precision = np.minimum(through / end, 1)
    tied[:, -1:] += crowded
    total = (number + within + tied) * precision
    total += _run_precisions(free, above, np.maximum(start - free, above))
    rest = in_last_gap - crowded
    above_bottom = positives - rest
    bottom = _run_precisions(rest, above_bottom, np.maximum(examples - rest, above_bottom))
    return np.asarray(total.sum(axis=1) + bottom[:, 0])


def _run_precisions(hidden: FloatArray, above: FloatArray, rank: Numbers) -> FloatArray:
    """Return the sum of (above + j)/(rank + j), the precisions of consecutive hidden positives."""
    return hidden - (rank - above) * (harmonic(rank + hidden) - harmonic(rank))


def harmonic(number: Numbers) -> FloatArray:
    """Return harmonic numbers minus Euler's constant, to 0.001 from 1 on."""
    middle = number + 0.5
    return np.log(middle + 1 / (24 * middle))


def _group_precisions(units: _GapUnits, drawn: FloatArray, *, best: bool) -> FloatArray:
    """Return the sum of precisions over positives in the groups."""
    number, by_known, by_hidden, by_within = units.groups
    if not number.size:
        return np.zeros(len(drawn))
    column = 2 * units.top.number.size
    hidden = drawn[:, column:-1]
    above = drawn[:, :column].sum(axis=1, keepdims=True) + np.cumsum(hidden, axis=1) - hidden
    sums = by_known + above * by_hidden + hidden * by_within
    sums = sums if best else np.minimum(sums, number)
    return np.asarray(((1 + hidden / number) * sums).sum(axis=1))


def weighted_mean_rank_limit(
    ranks: FloatArray, weight: FloatArray, hidden: float, examples: int, level: float, side: int
) -> float:
    """Return a limit of the mean rank of the hidden positives; side 0 is the best, 1 the worst."""
    share, end = hidden_shares(weight, hidden), outermost_ranks(ranks, examples)[side]
    unseen = max(float(unseen_weight((1 + share)[:: 2 * side - 1])[-1]) - 1, 0.0)
    mean = np.maximum(np.append(share, unseen), _MIN_SHARE)
    tail = (1 + (2 * side - 1) * level) / 2
    return gamma_quantile(np.append(ranks, end), mean / (1 + mean), 1 + mean, tail)


def weighted_ap_limits(end: IntArray, weight: FloatArray, hidden: float, level: float) -> _Limits:
    """Return limits of average precision from draws of what each known positive represents."""
    # For `lower` half of these come before it, for `upper` all; unseen ones are at an end.
    first, last = end[0] / 2 * (end[0] / end[1]), np.searchsorted(end, end, side="right")
    first *= max(1 - _SMALL_SAMPLE / end.size, 0.0)
    # Edges of chunks, and the ends of blocks of ties that they divide.
    parts = np.arange(_CHUNK_SIZE, last.size, _CHUNK_SIZE)
    edges = np.unique(np.concatenate([[0], parts, last[parts - 1], last.size + np.arange(2)]))
    share, limits = hidden_shares(weight, hidden), []
    for side in (0, 1):
        gammas, before = _scale_draws(edges, _Gammas.of(share, side), hidden)
        unseen = side * (before[-1] - before[-2])
        sums = unseen - first * (harmonic(first + unseen) - harmonic(first))
        for part, represented, through in _iterate_weights(edges, last, gammas, before):
            through += unseen if side else (1 - represented) / 2
            through /= end[part, np.newaxis]
            if not side:
                np.minimum(through, 1, out=through)
            sums += np.einsum("ij,ij->j", represented, through)
        limits.append(float(np.quantile(sums, abs(side - (1 - level) / 2))))
    lower, upper = (min(limit / (end.size + hidden), 1.0) for limit in limits)
    return lower, upper


class _Gammas(NamedTuple):
    """Gamma variables: one for each known positive, and the last for unseen positives."""

    logs: FloatArray  # of tabulated quantiles, shape (distinct, quantiles)
    which: IntArray  # row of each variable
    shape: FloatArray
    scale: FloatArray
    factor: FloatArray  # of each draw, shape (draws,)
    vanished: IntArray  # draws with a sum too small for a float
    remaining: IntArray  # the only positive variable in each of these

    @classmethod
    def of(cls, share: FloatArray, side: int) -> "_Gammas":
        """Return variables of hidden positives near known ones, and of unseen ones at an end."""
        unseen, factor = float(unseen_weight((1 + share)[:: 1 - 2 * side])[-1]), 1.0
        if side:
            units = unseen / (_UNSEEN_UNIT * (1 + share.mean()))
            factor = float(np.clip(units, 1, _MAX_UNSEEN_FACTOR))
        mean = np.maximum(np.append(share, unseen - 1), _MIN_SHARE)
        shape = mean / (1 + mean)
        shape[-1] *= factor
        distinct, which = np.unique(shape, return_inverse=True)
        tabulated = scipy.special.expit(_quantile_logits()[1])
        quantiles = scipy.special.gammaincinv(distinct[:, np.newaxis], tabulated)
        logs, none = np.log(np.maximum(quantiles, _MIN_LOG_ARGUMENT)), np.empty(0, np.int64)
        return cls(logs, which, shape, 1 + mean, np.ones(_DRAWS), none, none)

    def draw(self, part: slice, order: IntArray) -> FloatArray:
        """Draw the variables of a part, shape (variables, draws)."""
        rows, which = np.unique(self.which[part], return_inverse=True)
        quantiles = np.exp([np.interp(*_quantile_logits(), row) for row in self.logs[rows]])
        drawn = quantiles.take(order + _DRAWS * which[:, np.newaxis])
        drawn *= self.scale[part, np.newaxis]
        if self.vanished.size:
            rows = np.arange(part.start, part.stop)[:, np.newaxis]
            drawn[:, self.vanished] = rows == self.remaining
        drawn *= self.factor
        return drawn


@cache
def _quantile_logits() -> tuple[FloatArray, FloatArray]:
    """Return the logits of all drawn quantiles of a gamma variable, and of those tabulated."""
    drawn: FloatArray = scipy.special.logit((np.arange(_DRAWS) + 0.5) / _DRAWS)
    return drawn, np.linspace(drawn[0], drawn[-1], _TABULATED_QUANTILES)


def _draw_orders(edges: IntArray) -> Iterator[tuple[slice, IntArray]]:
    """Yield the order of draws for each variable: each has every quantile once."""
    rng = np.random.default_rng(_SEED)
    for start, stop in pairwise(edges.tolist()):
        order = np.tile(np.arange(_DRAWS), (stop - start, 1))
        yield slice(start, stop), rng.permuted(order, axis=1, out=order)


def _scale_draws(edges: IntArray, gammas: _Gammas, hidden: float) -> tuple[_Gammas, FloatArray]:
    """Return variables that sum to the hidden positives in each draw, and sums before edges."""
    before = _cumulative_sums(edges, gammas)
    vanished = np.flatnonzero(before[-1] < _MIN_SUM)
    if vanished.size:  # of shapes as small as these one is all that there is
        share, rng = gammas.shape / gammas.shape.sum(), np.random.default_rng(_SEED)
        remaining = rng.choice(share.size, vanished.size, p=share)
        gammas = gammas._replace(vanished=vanished, remaining=remaining)
        before = _cumulative_sums(edges, gammas)
    scale = hidden / before[-1]
    return gammas._replace(factor=scale), before * scale


def _cumulative_sums(edges: IntArray, gammas: _Gammas) -> FloatArray:
    """Return sums over the variables before each edge, shape (edges, draws)."""
    sums = [gammas.draw(part, order).sum(axis=0) for part, order in _draw_orders(edges)]
    return np.cumsum([np.zeros(_DRAWS), *sums], axis=0)


def _iterate_weights(
    edges: IntArray, last: IntArray, gammas: _Gammas, before: FloatArray
) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
    """Yield known positives, what each represents, and the sum through its ties, by draw."""
    for number, (part, order) in enumerate(_draw_orders(edges[:-1])):
        size, end = part.stop - part.start, int(np.searchsorted(edges, last[part.stop - 1]))
        tie_end = np.minimum(last[part] - part.start, size + 1) - 1
        represented = 1 + gammas.draw(part, order)
        through = edges[number] + before[number] + np.cumsum(represented, axis=0)
        yield part, represented, np.concatenate([through, [edges[end] + before[end]]])[tie_end]
