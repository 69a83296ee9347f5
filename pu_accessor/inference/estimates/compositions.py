"""Average precision, with the latent positives shared out at random between the known ones.

See `pu_accessor.inference.estimates.spacings`. As precision is no mean of the positives alone, the
ways to share them out are drawn: the same ones each time, from a seed that is part of the method.
"""

from typing import NamedTuple

import numpy as np

from pu_accessor.inference.estimates.sample import Blocks
from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["harmonic", "precision_limits"]

_SEED, _DRAWS = 150406837, 1000
_APART, _GROUPS = 60, 30  # blocks at the top that stand for themselves, groups of those below
_FEW = 10  # known positives up to which the first latent ones may be at the very top


class _Units(NamedTuple):
    """The gaps that latent positives are shared out to.

    Parameters
    ----------
    top : Blocks
        The blocks of known positives that stand for themselves; one gap before each of them, one
        gap less than there are known positives within it.
    sizes : ndarray of int64, shape (units,)
        Numbers of gaps: before and within each of these blocks in turn, in each group, at the end.
    groups : ndarray of float64, shape (4, groups)
        Known positives in each group, and what they add to the sum of precisions: by themselves,
        by each latent positive above the group, by each in the group.
    end : int
        Examples at or above the last block of all.
    """

    top: Blocks
    sizes: IntArray
    groups: FloatArray
    end: int


def precision_limits(
    blocks: Blocks, latent: int, examples: int, level: float
) -> tuple[float, float]:
    """Bound average precision.

    Parameters
    ----------
    blocks : Blocks
        Of n known positives; n at least 1.
    latent : int
        Number of latent positives, at least 1.
    examples : int
        Number of all examples.
    level : float
        Probability of coverage, in (0, 1).

    Returns
    -------
    lower, upper : float

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
    first = _first_place(blocks) * max(1 - _FEW / n, 0.0)
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
    shares = rng.standard_gamma(sizes.astype(np.float64), (_DRAWS, sizes.size))
    return rng.multinomial(latent, shares / shares.sum(axis=1, keepdims=True)).astype(np.float64)


def _first_place(blocks: Blocks) -> float:
    """Return the rank above which the first latent positives are not looked for."""
    best = int(blocks.end[0])
    following = best if blocks.found[0] > 1 or blocks.end.size == 1 else int(blocks.end[1])
    return min(best**2 / (2 * following), float(blocks.start[0]))


def _units(blocks: Blocks) -> _Units:
    """Divide the blocks of known positives into those that stand for themselves, and groups."""
    size = blocks.found.size
    apart = size if size <= _APART + _GROUPS else _APART
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
    """Return harmonic numbers less Euler's constant, to 0.001 from 1 on.

    Parameters
    ----------
    number : ndarray of int64 or float64
        From 0 on, also between whole numbers.

    Returns
    -------
    ndarray of float64
    """
    middle = number + 0.5
    found: FloatArray = np.log(middle + 1 / (24 * middle))
    return found


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
