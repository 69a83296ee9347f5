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
from pu_accessor.inference.estimates.known_positives import Blocks
from pu_accessor.ranking import FloatArray, IntArray

_APART, _MIDDLE = 200, 200  # gaps at each end that stand for themselves, groups of those between
_FARTHEST = 60.0  # logits of the tilt, or of the quantile, between which it is searched
_FLAT = 1e-3  # deviates below which the skewness replaces a quotient of rounded numbers
_EDGE = 1e-14  # of the way to where a sum has no moments
_SEED, _DRAWS = 150406837, 1000
_QUANTILES = 129  # between which those that are drawn are interpolated
_PART = 128  # variables that are drawn at a time
_TINY = 1e-300  # stands for 0 in logarithms
_TOP, _GROUPS = 60, 30  # blocks at the top that stand for themselves, groups of those below
# Calibrated by simulation, as are _FEW, _STEEP and _MOST.
_BEYOND = 2.5  # of the way to the end, times n, that latent positives may lie beyond known ones
_FEW = 10  # known positives up to which the first latent ones may be at the very top
# Of positives above the best that stand for so many times the mean there may be up to so many:
# chosen on odds of being labeled that fall 3 and 5 times per standard deviation.
_STEEP, _MOST = 4, 3
_LEAST = 1e-9  # latent positives that any known one stands for
_VANISHED = 1e-290  # of a sum, below which no share of it is left


# The saddlepoint of a weighted mean at some value: the share of the way from the lowest to the
# highest value, the sign of the tilt, and the mean of each gamma variable with the tilt, over that
# without.
_Tilted: TypeAlias = tuple[float, float, FloatArray]


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
    tilted = partial(_tilt_at, place, shape, scale)
    if not np.ptp(scale):
        tilted = partial(_tilt_equal, place, shape)

    def excess(at: float) -> float:
        return _deviate(tilted(at), shape) - wanted

    if not excess(-_FARTHEST) < 0 < excess(_FARTHEST):
        return low + width * (tail > 0.5)
    at = scipy.optimize.brentq(excess, -_FARTHEST, _FARTHEST)
    return low + width * tilted(float(at))[0]


def _tilt_equal(place: FloatArray, shape: FloatArray | IntArray, log_tilt: float) -> _Tilted:
    """Return the saddlepoint at a tilt of equal scales: the value is then a weighted mean."""
    weight = 1 / ((1 - place) + place * np.exp(-log_tilt))
    whole = float(shape @ weight)
    share = 1 - float((shape * weight) @ (1 - place)) / whole
    return share, float(np.sign(log_tilt)), weight * (shape.sum() / whole)


def _tilt_at(
    place: FloatArray, shape: FloatArray | IntArray, scale: FloatArray | float, logit: float
) -> _Tilted:
    """Return the saddlepoint at a share of the way, given by its logit."""
    share, left = float(scipy.special.expit(logit)), float(scipy.special.expit(-logit))
    apart: FloatArray = scale * (place * left - (1 - place) * share)
    least, most = float(apart.min()), float(apart.max())

    def slope(tilt: float) -> float:
        # K'(tilt), without its poles at 1/least and 1/most
        return float(shape @ (apart / (1 - tilt * apart)) * (1 - tilt * least) * (1 - tilt * most))

    tilt = float(scipy.optimize.brentq(slope, (1 - _EDGE) / least, (1 - _EDGE) / most))
    return share, float(np.sign(tilt)), 1 / (1 - tilt * apart)


def _deviate(tilted: _Tilted, shape: FloatArray | IntArray) -> float:
    """Return the normal deviate of the probability to be at most as large."""
    _, sign, weight = tilted
    pull = weight - 1
    away = sign * float(np.sqrt(max(-2 * float(shape @ np.log(weight)), 0.0)))
    spread = sign * float(np.sqrt(shape @ pull**2))
    if abs(away) < _FLAT:
        return away + (float(shape @ pull**3) / spread**3 / 3 if spread else 0.0)
    return away + float(np.log(spread / away)) / away


def rank_limits(
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
    near, far = far_ranks(ranks, examples)
    middles = (ranks[:-1] + ranks[1:]) / 2
    ends = [near, (near + ranks[0]) / 2], [(last + far) / 2, far]
    limits = []
    for first, beyond, tail in zip(*ends, ((1 - level) / 2, (1 + level) / 2), strict=True):
        values, times = _grouped(np.concatenate([[first], middles, [beyond]]))
        limits.append(latent_quantile(values, times, latent, tail))
    return limits[0], limits[1]


def latent_quantile(values: FloatArray, times: IntArray, latent: float, tail: float) -> float:
    """Return a quantile of the mean over latent positives, which are shared out to gaps."""
    gaps = int(times.sum())
    mean, stretch = float(times @ values) / gaps, (1 + gaps / latent) ** 0.5
    return mean + float(stretch * (gamma_quantile(values, times, 1.0, tail) - mean))


def far_ranks(ranks: FloatArray, examples: int) -> tuple[float, float]:
    """Return how far latent positives may lie beyond the known ones, at either end."""
    first, last = float(ranks[0]), float(ranks[-1])
    span, way = last - first, min(_BEYOND / ranks.size, 1.0)
    far = min(max(last + span, last + way * (examples - last)), float(examples))
    return max(min(first - span, first - way * (first - 1)), 1.0), far


def _grouped(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return values, each with how often it is there: in the middle of many, means of groups."""
    size = values.size
    if size <= 2 * _APART + _MIDDLE:
        return values, np.ones(size, np.int64)
    middle = np.linspace(_APART, size - _APART, _MIDDLE + 1).astype(np.int64)
    first = np.concatenate([np.arange(_APART), middle, np.arange(size - _APART + 1, size)])
    times = np.diff(np.append(first, size))
    return np.add.reduceat(values, first) / times, times


class _Units(NamedTuple):
    """The gaps that latent positives are shared out to."""

    top: Blocks  # that stand for themselves
    sizes: IntArray  # gaps: before and within each of these in turn, in each group, last
    groups: FloatArray  # known positives; sums of precisions: alone, by latent above, within
    end: int  # examples at or above the last block


def precision_limits(
    blocks: Blocks, latent: int, examples: int, level: float
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
    units = _units(blocks)
    drawn = _draw(units.sizes, latent)
    # The rank above which the first latent positives are not looked for.
    best = int(blocks.end[0])
    following = best if blocks.found[0] > 1 or blocks.end.size == 1 else int(blocks.end[1])
    first = min(best**2 / (2 * following), float(blocks.start[0])) * max(1 - _FEW / n, 0.0)
    whole = n + latent
    low, high = (
        (_top(units, drawn, examples, whole, first, best=best) + _below(units, drawn, best=best))
        / whole
        for best in (False, True)
    )
    tail = (1 - level) / 2
    lower = float(np.quantile(low, tail, method="lower"))
    return lower, min(float(np.quantile(high, 1 - tail, method="higher")), 1.0)


def _draw(sizes: IntArray, latent: int) -> FloatArray:
    """Draw how many latent positives each unit gets, shape (draws, units)."""
    rng = np.random.default_rng(_SEED)
    drawn = rng.standard_gamma(sizes.astype(np.float64), (_DRAWS, sizes.size))
    shares = drawn / drawn.sum(axis=1, keepdims=True)
    return rng.multinomial(latent, shares).astype(np.float64)


def _units(blocks: Blocks) -> _Units:
    """Divide the blocks of known positives into those that stand for themselves, and groups."""
    size = blocks.found.size
    apart = size if size <= _TOP + _GROUPS else _TOP
    top = Blocks(*(column[:apart] for column in blocks))
    own = np.stack([np.ones(apart, np.int64), top.found - 1], axis=1).ravel()
    if apart == size:
        return _Units(top, np.append(own, 1), np.empty((4, 0)), int(blocks.end[-1]))
    # As many blocks in each group as keep their ratio: precision changes fast at the top.
    first = np.unique(np.geomspace(apart, size, _GROUPS + 1).round().astype(np.int64))[:-1]
    found, known, _, end = (column[apart:] for column in blocks)
    at = first - apart
    number = np.add.reduceat(found, at)
    before = np.repeat(known[at] - found[at], np.diff(np.append(at, found.size)))
    within = (known - before) / np.repeat(number, np.diff(np.append(at, found.size)))
    terms = (found * known / end, found / end, found * within / end)
    groups = np.stack([number.astype(np.float64), *(np.add.reduceat(term, at) for term in terms)])
    return _Units(top, np.concatenate([own, number, [1]]), groups, int(end[-1]))


def _top(
    units: _Units, drawn: FloatArray, examples: int, whole: int, first: float, *, best: bool
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
        total = (found + within + tied) * through / end + _spread(after - tied, through, end)
        crowded = np.maximum(before[:, :1] - start[0], 0)  # there is no place above the first
        ends = _spread(before[:, :1] - crowded, none, first + none)
        if grouped:
            ends += _spread(last, whole - last, units.end + none)
        return np.asarray(total.sum(axis=1) + (ends + crowded * through[:, :1] / end[0])[:, 0])
    tied = np.minimum(before, room)
    free = before - tied
    above = through - found - within - before
    crowded = np.maximum(last - (examples - end[-1]), 0) * (not grouped)  # nor below the last
    through[:, -1:] += crowded
    precision = np.minimum(through / end, 1)
    tied[:, -1:] += crowded
    total = (found + within + tied) * precision
    total += _spread(free, above, np.maximum(start - free, above))
    rest = last - crowded
    positives = whole - rest
    bottom = _spread(rest, positives, np.maximum(examples - rest, positives))
    return np.asarray(total.sum(axis=1) + bottom[:, 0])


def _spread(latent: FloatArray, above: FloatArray, place: FloatArray | IntArray) -> FloatArray:
    """Return the sum of precisions over latent positives at the ranks right after a place.

    With P positives above rank r, that of the j-th is (P + j)/(r + j); those sum to the number of
    latent ones, less r - P times a difference of harmonic numbers.
    """
    return latent - (place - above) * (harmonic(place + latent) - harmonic(place))


def harmonic(number: FloatArray | IntArray) -> FloatArray:
    """Return harmonic numbers less Euler's constant, to 0.001 from 1 on."""
    middle = number + 0.5
    return np.log(middle + 1 / (24 * middle))


def _below(units: _Units, drawn: FloatArray, *, best: bool) -> FloatArray:
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


def weighted_rank_limit(
    ranks: FloatArray, weight: FloatArray, latent: float, examples: int, level: float, side: int
) -> float:
    """Bound the mean rank of the latent positives: 0 is `best`, 1 `worst`."""
    share, end = latent_shares(weight, latent), far_ranks(ranks, examples)[side]
    unseen = max(float(unseen_weight((1 + share)[:: 2 * side - 1])[-1]) - 1, 0.0)
    mean = np.maximum(np.append(share, unseen), _LEAST)
    tail = (1 + (2 * side - 1) * level) / 2
    return gamma_quantile(np.append(ranks, end), mean / (1 + mean), 1 + mean, tail)


def weighted_precision_limits(
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
    first *= max(1 - _FEW / end.size, 0.0)
    # Variables in parts, and at the end of each block of ties that an edge divides.
    parts = np.arange(_PART, last.size, _PART)
    edges = np.unique(np.concatenate([[0], parts, last[parts - 1], last.size + np.arange(2)]))
    share, limits = latent_shares(weight, latent), []
    for side in (0, 1):
        gammas, before = _share_out(edges, _Gammas.of(share, side), latent)
        unseen = side * (before[-1] - before[-2])
        sums = unseen - first * (harmonic(first + unseen) - harmonic(first))
        for part, stands, through in _stands(edges, last, gammas, before):
            through += unseen if side else (1 - stands) / 2
            through /= end[part, np.newaxis]
            if not side:
                np.minimum(through, 1, out=through)
            sums += np.einsum("ij,ij->j", stands, through)
        limits.append(float(np.quantile(sums, abs(side - (1 - level) / 2))))
    lower, upper = (min(limit / (end.size + latent), 1.0) for limit in limits)
    return lower, upper


class _Gammas(NamedTuple):
    """Gamma variables: one for each known positive, and the last for positives not seen."""

    logs: FloatArray  # of some quantiles, shape (distinct, quantiles)
    which: IntArray  # of these are each variable's
    shape: FloatArray
    scale: FloatArray
    times: FloatArray  # that a draw is multiplied with, shape (draws,)
    lost: IntArray  # draws in which all are too small for a number
    alone: IntArray  # the one that is all there is in each of these

    @classmethod
    def of(cls, share: FloatArray, side: int) -> "_Gammas":
        """Return variables of latent positives near known ones, and of unseen ones at an end."""
        unseen, times = float(unseen_weight((1 + share)[:: 1 - 2 * side])[-1]), 1.0
        if side:
            times = float(np.clip(unseen / (_STEEP * (1 + share.mean())), 1, _MOST))
        mean = np.maximum(np.append(share, unseen - 1), _LEAST)
        shape = mean / (1 + mean)
        shape[-1] *= times
        each, which = np.unique(shape, return_inverse=True)
        quantiles = scipy.special.gammaincinv(
            each[:, np.newaxis], scipy.special.expit(_logits()[1])
        )
        logs, none = np.log(np.maximum(quantiles, _TINY)), np.empty(0, np.int64)
        return cls(logs, which, shape, 1 + mean, np.ones(_DRAWS), none, none)

    def draw(self, part: slice, order: IntArray) -> FloatArray:
        """Draw the variables of a part, shape (variables, draws)."""
        there, which = np.unique(self.which[part], return_inverse=True)
        quantiles = np.exp([np.interp(*_logits(), row) for row in self.logs[there]])
        drawn = quantiles.take(order + _DRAWS * which[:, np.newaxis])
        drawn *= self.scale[part, np.newaxis]
        if self.lost.size:
            drawn[:, self.lost] = np.arange(part.start, part.stop)[:, np.newaxis] == self.alone
        drawn *= self.times
        return drawn


@cache
def _logits() -> tuple[FloatArray, FloatArray]:
    """Return the logits of the quantiles of a gamma variable that are drawn, and of some."""
    drawn: FloatArray = scipy.special.logit((np.arange(_DRAWS) + 0.5) / _DRAWS)
    return drawn, np.linspace(drawn[0], drawn[-1], _QUANTILES)


def _spread_evenly(edges: IntArray) -> Iterator[tuple[slice, IntArray]]:
    """Yield the order of draws for each of some variables, shape (variables, draws).

    Of evenly spread quantiles each variable has every one once, whatever its distribution: where
    that changes a little, so do the draws.
    """
    rng = np.random.default_rng(_SEED)
    for start, stop in pairwise(edges.tolist()):
        order = np.tile(np.arange(_DRAWS), (stop - start, 1))
        yield slice(start, stop), rng.permuted(order, axis=1, out=order)


def _share_out(edges: IntArray, gammas: _Gammas, latent: float) -> tuple[_Gammas, FloatArray]:
    """Return variables that sum to the latent positives in each draw, and sums before each edge.

    These have the shape (edges, draws).
    """
    before = _sum_before(edges, gammas)
    lost = np.flatnonzero(before[-1] < _VANISHED)
    if lost.size:  # of shapes as small as these one is all that there is
        share, rng = gammas.shape / gammas.shape.sum(), np.random.default_rng(_SEED)
        gammas = gammas._replace(lost=lost, alone=rng.choice(share.size, lost.size, p=share))
        before = _sum_before(edges, gammas)
    times = latent / before[-1]
    return gammas._replace(times=times), before * times


def _sum_before(edges: IntArray, gammas: _Gammas) -> FloatArray:
    """Return sums over the variables before each edge, shape (edges, draws)."""
    sums = [gammas.draw(part, order).sum(axis=0) for part, order in _spread_evenly(edges)]
    return np.cumsum([np.zeros(_DRAWS), *sums], axis=0)


def _stands(
    edges: IntArray, last: IntArray, gammas: _Gammas, before: FloatArray
) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
    """Yield known positives, what each stands for and all through its ties.

    The last two have the shape (known positives, draws).
    """
    for at, (part, order) in enumerate(_spread_evenly(edges[:-1])):
        size, end = part.stop - part.start, int(np.searchsorted(edges, last[part.stop - 1]))
        place = np.minimum(last[part] - part.start, size + 1) - 1
        stands = 1 + gammas.draw(part, order)
        through = edges[at] + before[at] + np.cumsum(stands, axis=0)
        yield part, stands, np.concatenate([through, [edges[end] + before[end]]])[place]
