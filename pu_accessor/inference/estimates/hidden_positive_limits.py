"""Where latent positives lie: in the gaps between known ones, shared out at random.

Under random labeling all orders of n known and m latent positives are equally likely. The latent
positives in the n + 1 gaps between known ones are then a uniform composition of m: each way to
share them out has the same probability, whatever the classifier. So what is known of a mean over
all positives, given the known ones, is the distribution of a weighted sum of random shares.
"""

from collections.abc import Iterator
from functools import cache, partial
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy

from pu_accessor.inference.bands.weighted import latent_shares, unseen_weight
from pu_accessor.inference.estimates.known_positives import KnownBlocks
from pu_accessor.ranking import FloatArray, IntArray

_UNGROUPED_GAPS, _MIDDLE_GROUPS = (
    200,
    200,
)  # gaps at each end that stand for themselves, groups of those between
_MAX_LOGIT = 60.0  # logits of the tilt, or of the quantile, between which it is searched
_MIN_DEVIATE = 1e-3  # deviates below which the skewness replaces a quotient of rounded numbers
_POLE_MARGIN = 1e-14  # of the way to where a sum has no moments
_SEED, _DRAWS = 150406837, 1000
_TABULATED_QUANTILES = 129  # between which those that are drawn are interpolated
_CHUNK_SIZE = 128  # variables that are drawn at a time
_MIN_LOG_ARGUMENT = 1e-300  # stands for 0 in logarithms
_UNGROUPED_BLOCKS, _BLOCK_GROUPS = (
    60,
    30,
)  # blocks at the top that stand for themselves, groups of those below
# Calibrated by simulation, as are _FEW, _STEEP and _MOST.
_TAIL_FACTOR = (
    2.5  # of the way to the end, times n, that latent positives may lie beyond known ones
)
_SMALL_SAMPLE = 10  # known positives up to which the first latent ones may be at the very top
# Of positives above the best that stand for so many times the mean there may be up to so many:
# chosen on odds of being labeled that fall 3 and 5 times per standard deviation.
_UNSEEN_WEIGHT_UNIT, _MAX_UNSEEN_FACTOR = 4, 3
_MIN_SHARE = 1e-9  # latent positives that any known one stands for
_MIN_SUM = 1e-290  # of a sum, below which no share of it is left


# The saddlepoint of a weighted mean at some value: the share of the way from the lowest to the
# highest value, the sign of the tilt, and the mean of each gamma variable with the tilt, over that
# without.
_Saddlepoint: TypeAlias = tuple[float, float, FloatArray]


def gamma_quantile(
    values: FloatArray, shape: FloatArray | IntArray, scale: FloatArray | float, tail: float
) -> float:
    """Return a quantile of a mean of values that is weighted by independent gamma variables.

    Notes
    -----
    The mean is at most x where S, the sum of (values - x)*G, is at most 0. With K the cumulant
    generating function of S and K'(t) = 0, that probability is Phi(w + log(u/w)/w), where w is
    sign(t)*sqrt(-2*K(t)) and u is t*sqrt(K''(t)) [1]_; near w = 0 the second term is a sixth of
    the skewness. In tails of 0.025 the quantile is out by less than 0.003 in probability, held
    against the exact distribution of sums of random shares, which have shape and scale 1.

    References
    ----------
    .. [1] O. E. Barndorff-Nielsen, *Inference on full or partial parameters based on the
       standardized signed log likelihood ratio*, Biometrika 73 (1986) 307-322.

    Examples
    --------
    The smallest of three random shares of 1, weighted alone, is Beta(1, 2):

    >>> quantile = gamma_quantile(np.array([0.0, 1.0]), np.array([2, 1]), 1.0, 0.975)
    >>> bool(abs(quantile - (1 - 0.025**0.5)) < 0.01)
    True
    """
    low, width = float(values.min()), float(np.ptp(values))
    if not width:
        return low
    place, wanted = (values - low) / width, float(scipy.special.ndtri(tail))
    tilted = partial(_saddlepoint, place, shape, scale)
    if not np.ptp(scale):
        tilted = partial(_saddlepoint_equal_scales, place, shape)

    def excess(at: float) -> float:
        return _normal_deviate(tilted(at), shape) - wanted

    if not excess(-_MAX_LOGIT) < 0 < excess(_MAX_LOGIT):
        return low + width * (tail > 0.5)
    at = scipy.optimize.brentq(excess, -_MAX_LOGIT, _MAX_LOGIT)
    return low + width * tilted(float(at))[0]


def _saddlepoint_equal_scales(
    place: FloatArray, shape: FloatArray | IntArray, log_tilt: float
) -> _Saddlepoint:
    """Return the saddlepoint at a tilt of equal scales: the value is then a weighted mean."""
    weight = 1 / ((1 - place) + place * np.exp(-log_tilt))
    whole = float(shape @ weight)
    share = 1 - float((shape * weight) @ (1 - place)) / whole
    return share, float(np.sign(log_tilt)), weight * (shape.sum() / whole)


def _saddlepoint(
    place: FloatArray, shape: FloatArray | IntArray, scale: FloatArray | float, logit: float
) -> _Saddlepoint:
    """Return the saddlepoint at a share of the way, given by its logit."""
    share, left = float(scipy.special.expit(logit)), float(scipy.special.expit(-logit))
    apart: FloatArray = scale * (place * left - (1 - place) * share)
    least, most = float(apart.min()), float(apart.max())

    def slope(tilt: float) -> float:
        # K'(tilt), without its poles at 1/least and 1/most
        return float(shape @ (apart / (1 - tilt * apart)) * (1 - tilt * least) * (1 - tilt * most))

    tilt = float(
        scipy.optimize.brentq(slope, (1 - _POLE_MARGIN) / least, (1 - _POLE_MARGIN) / most)
    )
    return share, float(np.sign(tilt)), 1 / (1 - tilt * apart)


def _normal_deviate(tilted: _Saddlepoint, shape: FloatArray | IntArray) -> float:
    """Return the normal deviate of the probability to be at most as large."""
    _, sign, weight = tilted
    pull = weight - 1
    away = sign * float(np.sqrt(max(-2 * float(shape @ np.log(weight)), 0.0)))
    spread = sign * float(np.sqrt(shape @ pull**2))
    if abs(away) < _MIN_DEVIATE:
        return away + (float(shape @ pull**3) / spread**3 / 3 if spread else 0.0)
    return away + float(np.log(spread / away)) / away


def mean_rank_limits(
    ranks: FloatArray, latent: float, examples: int, level: float
) -> tuple[float, float]:
    """Bound the mean rank of the latent positives.

    Notes
    -----
    Between two known positives the latent ones lie in the middle, on average. Beyond the last
    known one they may lie farther than anything known, which is what skewed scores are
    underestimated by: for `worst` they are as far beyond it as the known ones span, and at least
    2.5/n of the way to the end, for n up to 2 at the end itself. For `best` the same holds above
    the first. The variance of the shares is that of a finite number of latent positives.
    """
    last = ranks[-1]
    near, far = outermost_ranks(ranks, examples)
    middles = (ranks[:-1] + ranks[1:]) / 2
    ends = [near, (near + ranks[0]) / 2], [(last + far) / 2, far]
    limits = []
    for first, beyond, tail in zip(*ends, ((1 - level) / 2, (1 + level) / 2), strict=True):
        values, times = _group_gaps(np.concatenate([[first], middles, [beyond]]))
        limits.append(hidden_mean_quantile(values, times, latent, tail))
    return limits[0], limits[1]


def hidden_mean_quantile(values: FloatArray, times: IntArray, latent: float, tail: float) -> float:
    """Return a quantile of the mean over latent positives, which are shared out to gaps."""
    gaps = int(times.sum())
    mean, stretch = float(times @ values) / gaps, (1 + gaps / latent) ** 0.5
    return mean + float(stretch * (gamma_quantile(values, times, 1.0, tail) - mean))


def outermost_ranks(ranks: FloatArray, examples: int) -> tuple[float, float]:
    """Return how far latent positives may lie beyond the known ones, at either end."""
    first, last = float(ranks[0]), float(ranks[-1])
    span, way = last - first, min(_TAIL_FACTOR / ranks.size, 1.0)
    far = min(max(last + span, last + way * (examples - last)), float(examples))
    return max(min(first - span, first - way * (first - 1)), 1.0), far


def _group_gaps(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return values, each with how often it is there: in the middle of many, means of groups."""
    size = values.size
    if size <= 2 * _UNGROUPED_GAPS + _MIDDLE_GROUPS:
        return values, np.ones(size, np.int64)
    middle = np.linspace(_UNGROUPED_GAPS, size - _UNGROUPED_GAPS, _MIDDLE_GROUPS + 1).astype(
        np.int64
    )
    first = np.concatenate(
        [np.arange(_UNGROUPED_GAPS), middle, np.arange(size - _UNGROUPED_GAPS + 1, size)]
    )
    times = np.diff(np.append(first, size))
    return np.add.reduceat(values, first) / times, times


class _GapUnits(NamedTuple):
    """The gaps that latent positives are shared out to."""

    top: KnownBlocks  # that stand for themselves
    sizes: IntArray  # gaps: before and within each of these in turn, in each group, last
    groups: FloatArray  # known positives; sums of precisions: alone, by latent above, within
    end: int  # examples at or above the last block


def average_precision_limits(
    blocks: KnownBlocks, latent: int, examples: int, level: float
) -> tuple[float, float]:
    """Bound average precision.

    Notes
    -----
    A thousand ways to share the latent positives out are drawn. For `lower` those of each gap lie
    at its end, tied with the known positive there as far as there is room; for `upper` at its
    start. Those of the first gap may lie anywhere above the best known positive: for `upper`, from
    10 known positives on, they start at a place that the first two known ones say, r1**2/(2*r2)
    times 1 - 10/n. The limits are quantiles of what average precision then is. Precision at a
    cutoff is at most 1 for `lower`, but not for `upper`: where a draw has more latent positives
    than there is room for, others have fewer. Beyond 90 blocks of tied known positives, those
    from the 61st on are taken together in groups, in which the latent ones are spread like the
    known ones.
    """
    n = int(blocks.found.sum())
    units = _divide_blocks(blocks)
    drawn = _draw_hidden_counts(units.sizes, latent)
    # The rank above which the first latent positives are not looked for.
    best = int(blocks.end[0])
    following = best if blocks.found[0] > 1 or blocks.end.size == 1 else int(blocks.end[1])
    first = min(best**2 / (2 * following), float(blocks.start[0])) * max(
        1 - _SMALL_SAMPLE / n, 0.0
    )
    whole = n + latent
    low, high = (
        (
            _sum_top_precisions(units, drawn, examples, whole, first, best=best)
            + _sum_group_precisions(units, drawn, best=best)
        )
        / whole
        for best in (False, True)
    )
    tail = (1 - level) / 2
    lower = float(np.quantile(low, tail, method="lower"))
    return lower, min(float(np.quantile(high, 1 - tail, method="higher")), 1.0)


def _draw_hidden_counts(sizes: IntArray, latent: int) -> FloatArray:
    """Draw how many latent positives each unit gets, shape (draws, units)."""
    rng = np.random.default_rng(_SEED)
    drawn = rng.standard_gamma(sizes.astype(np.float64), (_DRAWS, sizes.size))
    shares = drawn / drawn.sum(axis=1, keepdims=True)
    return rng.multinomial(latent, shares).astype(np.float64)


def _divide_blocks(blocks: KnownBlocks) -> _GapUnits:
    """Divide the blocks of known positives into those that stand for themselves, and groups."""
    size = blocks.found.size
    apart = size if size <= _UNGROUPED_BLOCKS + _BLOCK_GROUPS else _UNGROUPED_BLOCKS
    top = KnownBlocks(*(column[:apart] for column in blocks))
    own = np.stack([np.ones(apart, np.int64), top.found - 1], axis=1).ravel()
    if apart == size:
        return _GapUnits(top, np.append(own, 1), np.empty((4, 0)), int(blocks.end[-1]))
    # As many blocks in each group as keep their ratio: precision changes fast at the top.
    first = np.unique(np.geomspace(apart, size, _BLOCK_GROUPS + 1).round().astype(np.int64))[:-1]
    found, known, _, end = (column[apart:] for column in blocks)
    at = first - apart
    number = np.add.reduceat(found, at)
    before = np.repeat(known[at] - found[at], np.diff(np.append(at, found.size)))
    within = (known - before) / np.repeat(number, np.diff(np.append(at, found.size)))
    terms = (found * known / end, found / end, found * within / end)
    groups = np.stack([number.astype(np.float64), *(np.add.reduceat(term, at) for term in terms)])
    return _GapUnits(top, np.concatenate([own, number, [1]]), groups, int(end[-1]))


def _sum_top_precisions(
    units: _GapUnits, drawn: FloatArray, examples: int, whole: int, first: float, *, best: bool
) -> FloatArray:
    """Return the sum of precisions at the top and in the last gap, shape (draws,)."""
    found, known, start, end = units.top
    before, within = drawn[:, 0 : 2 * found.size : 2], drawn[:, 1 : 2 * found.size : 2]
    last, grouped = drawn[:, -1:], bool(units.groups.size)
    room = np.maximum(end - start - found - within, 0)
    through = known + np.cumsum(before + within, axis=1)  # positives at or above each block
    if best:
        none = np.zeros_like(last)
        after = np.concatenate([before[:, 1:], none if grouped else last], axis=1)
        tied = np.minimum(after, room)
        through = through + tied
        total = (found + within + tied) * through / end + _sum_consecutive_precisions(
            after - tied, through, end
        )
        crowded = np.maximum(before[:, :1] - start[0], 0)  # there is no place above the first
        ends = _sum_consecutive_precisions(before[:, :1] - crowded, none, first + none)
        if grouped:
            ends += _sum_consecutive_precisions(last, whole - last, units.end + none)
        return np.asarray(total.sum(axis=1) + (ends + crowded * through[:, :1] / end[0])[:, 0])
    tied = np.minimum(before, room)
    free = before - tied
    above = through - found - within - before
    crowded = np.maximum(last - (examples - end[-1]), 0) * (not grouped)  # nor below the last
    through[:, -1:] += crowded
    precision = np.minimum(through / end, 1)
    tied[:, -1:] += crowded
    total = (found + within + tied) * precision
    total += _sum_consecutive_precisions(free, above, np.maximum(start - free, above))
    rest = last - crowded
    positives = whole - rest
    bottom = _sum_consecutive_precisions(rest, positives, np.maximum(examples - rest, positives))
    return np.asarray(total.sum(axis=1) + bottom[:, 0])


def _sum_consecutive_precisions(
    latent: FloatArray, above: FloatArray, place: FloatArray | IntArray
) -> FloatArray:
    """Return the sum of precisions over latent positives at the ranks right after a place.

    With P positives above rank r, that of the j-th is (P + j)/(r + j); those sum to the number of
    latent ones, less r - P times a difference of harmonic numbers.
    """
    return latent - (place - above) * (harmonic(place + latent) - harmonic(place))


def harmonic(number: FloatArray | IntArray) -> FloatArray:
    """Return harmonic numbers less Euler's constant, to 0.001 from 1 on."""
    middle = number + 0.5
    return np.log(middle + 1 / (24 * middle))


def _sum_group_precisions(units: _GapUnits, drawn: FloatArray, *, best: bool) -> FloatArray:
    """Return the sum of precisions over positives in the groups, latent ones spread like known."""
    number, alone, each, own = units.groups
    if not number.size:
        return np.zeros(len(drawn))
    at = 2 * units.top.found.size
    latent = drawn[:, at:-1]
    above = drawn[:, :at].sum(axis=1, keepdims=True) + np.cumsum(latent, axis=1) - latent
    sums = alone + above * each + latent * own
    sums = sums if best else np.minimum(sums, number)
    return np.asarray(((1 + latent / number) * sums).sum(axis=1))


def weighted_mean_rank_limit(
    ranks: FloatArray, weight: FloatArray, latent: float, examples: int, level: float, side: int
) -> float:
    """Bound the mean rank of the latent positives: 0 is `best`, 1 `worst`."""
    share, end = latent_shares(weight, latent), outermost_ranks(ranks, examples)[side]
    unseen = max(float(unseen_weight((1 + share)[:: 2 * side - 1])[-1]) - 1, 0.0)
    mean = np.maximum(np.append(share, unseen), _MIN_SHARE)
    tail = (1 + (2 * side - 1) * level) / 2
    return gamma_quantile(np.append(ranks, end), mean / (1 + mean), 1 + mean, tail)


def weighted_average_precision_limits(
    end: IntArray, weight: FloatArray, latent: float, level: float
) -> tuple[float, float]:
    """Bound average precision, by the weight of each known positive.

    Notes
    -----
    A thousand draws of how many latent positives each known one stands for. For
    `lower` half of them come before it, and some that were not seen at the very end; for `upper`
    all, and some that were not seen above the best: more where weights grow upwards, as most of
    the average precision is made there, and few of these positives are known.
    """
    first, last = end[0] / 2 * (end[0] / end[1]), np.searchsorted(end, end, side="right")
    first *= max(1 - _SMALL_SAMPLE / end.size, 0.0)
    # Variables in parts, and at the end of each block of ties that an edge divides.
    parts = np.arange(_CHUNK_SIZE, last.size, _CHUNK_SIZE)
    edges = np.unique(np.concatenate([[0], parts, last[parts - 1], last.size + np.arange(2)]))
    share, limits = latent_shares(weight, latent), []
    for side in (0, 1):
        gammas, before = _normalize_draws(edges, _GammaVariables.of(share, side), latent)
        unseen = side * (before[-1] - before[-2])
        sums = unseen - first * (harmonic(first + unseen) - harmonic(first))
        for part, stands, through in _iterate_weights(edges, last, gammas, before):
            through += unseen if side else (1 - stands) / 2
            through /= end[part, np.newaxis]
            if not side:
                np.minimum(through, 1, out=through)
            sums += np.einsum("ij,ij->j", stands, through)
        limits.append(float(np.quantile(sums, abs(side - (1 - level) / 2))))
    lower, upper = (min(limit / (end.size + latent), 1.0) for limit in limits)
    return lower, upper


class _GammaVariables(NamedTuple):
    """Gamma variables: one for each known positive, and the last for positives not seen."""

    logs: FloatArray  # of some quantiles, shape (distinct, quantiles)
    which: IntArray  # of these are each variable's
    shape: FloatArray
    scale: FloatArray
    times: FloatArray  # that a draw is multiplied with, shape (draws,)
    lost: IntArray  # draws in which all are too small for a number
    alone: IntArray  # the one that is all there is in each of these

    @classmethod
    def of(cls, share: FloatArray, side: int) -> "_GammaVariables":
        """Return variables of latent positives near known ones, and of unseen ones at an end."""
        unseen, times = float(unseen_weight((1 + share)[:: 1 - 2 * side])[-1]), 1.0
        if side:
            times = float(
                np.clip(unseen / (_UNSEEN_WEIGHT_UNIT * (1 + share.mean())), 1, _MAX_UNSEEN_FACTOR)
            )
        mean = np.maximum(np.append(share, unseen - 1), _MIN_SHARE)
        shape = mean / (1 + mean)
        shape[-1] *= times
        each, which = np.unique(shape, return_inverse=True)
        quantiles = scipy.special.gammaincinv(
            each[:, np.newaxis], scipy.special.expit(_quantile_logits()[1])
        )
        logs, none = np.log(np.maximum(quantiles, _MIN_LOG_ARGUMENT)), np.empty(0, np.int64)
        return cls(logs, which, shape, 1 + mean, np.ones(_DRAWS), none, none)

    def draw(self, part: slice, order: IntArray) -> FloatArray:
        """Draw the variables of a part, shape (variables, draws)."""
        there, which = np.unique(self.which[part], return_inverse=True)
        quantiles = np.exp([np.interp(*_quantile_logits(), row) for row in self.logs[there]])
        drawn = quantiles.take(order + _DRAWS * which[:, np.newaxis])
        drawn *= self.scale[part, np.newaxis]
        if self.lost.size:
            drawn[:, self.lost] = np.arange(part.start, part.stop)[:, np.newaxis] == self.alone
        drawn *= self.times
        return drawn


@cache
def _quantile_logits() -> tuple[FloatArray, FloatArray]:
    """Return the logits of the quantiles of a gamma variable that are drawn, and of some."""
    drawn: FloatArray = scipy.special.logit((np.arange(_DRAWS) + 0.5) / _DRAWS)
    return drawn, np.linspace(drawn[0], drawn[-1], _TABULATED_QUANTILES)


def _iterate_stratified_orders(edges: IntArray) -> Iterator[tuple[slice, IntArray]]:
    """Yield the order of draws for each of some variables, shape (variables, draws).

    Of evenly spread quantiles each variable has every one once, whatever its distribution: where
    that changes a little, so do the draws.
    """
    rng = np.random.default_rng(_SEED)
    for start, stop in pairwise(edges.tolist()):
        order = np.tile(np.arange(_DRAWS), (stop - start, 1))
        yield slice(start, stop), rng.permuted(order, axis=1, out=order)


def _normalize_draws(
    edges: IntArray, gammas: _GammaVariables, latent: float
) -> tuple[_GammaVariables, FloatArray]:
    """Return variables that sum to the latent positives in each draw, and sums before each edge.

    These have the shape (edges, draws).
    """
    before = _cumulative_sums(edges, gammas)
    lost = np.flatnonzero(before[-1] < _MIN_SUM)
    if lost.size:  # of shapes as small as these one is all that there is
        share, rng = gammas.shape / gammas.shape.sum(), np.random.default_rng(_SEED)
        gammas = gammas._replace(lost=lost, alone=rng.choice(share.size, lost.size, p=share))
        before = _cumulative_sums(edges, gammas)
    times = latent / before[-1]
    return gammas._replace(times=times), before * times


def _cumulative_sums(edges: IntArray, gammas: _GammaVariables) -> FloatArray:
    """Return sums over the variables before each edge, shape (edges, draws)."""
    sums = [
        gammas.draw(part, order).sum(axis=0) for part, order in _iterate_stratified_orders(edges)
    ]
    return np.cumsum([np.zeros(_DRAWS), *sums], axis=0)


def _iterate_weights(
    edges: IntArray, last: IntArray, gammas: _GammaVariables, before: FloatArray
) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
    """Yield known positives, what each stands for and all through its ties.

    The last two have the shape (known positives, draws).
    """
    for at, (part, order) in enumerate(_iterate_stratified_orders(edges[:-1])):
        size, end = part.stop - part.start, int(np.searchsorted(edges, last[part.stop - 1]))
        place = np.minimum(last[part] - part.start, size + 1) - 1
        stands = 1 + gammas.draw(part, order)
        through = edges[at] + before[at] + np.cumsum(stands, axis=0)
        yield part, stands, np.concatenate([through, [edges[end] + before[end]]])[place]
