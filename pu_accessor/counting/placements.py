"""How many known positives lie above each score: what models make of the same examples.

A comparison takes the variance of such numbers over all other examples, and the covariance of two
models. That needs sums alone, which merge, so that scores may lie in pieces. Most scores are not
near that of any known positive and are looked up in a table, which is quicker than to search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial, reduce

import numpy as np
import numpy.typing as npt

from pu_accessor.counting.gaps import distinct, in_parts
from pu_accessor.counting.threads import count_threads, in_threads
from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["Above", "Places", "count_above", "rank_pairs"]

_PIECE = 1 << 15  # scores that are looked up at once, while they are in the cache
_BINS, _FEWEST, _MOST = 32, 1 << 12, 1 << 21  # of the table, for each known positive


@dataclass(frozen=True, eq=False)
class Places:
    """Finds how many known positives lie above a score.

    Parameters
    ----------
    cost : ndarray of float64, shape (values,)
        Their distinct scores, negated and ascending; NaN is the worst.
    through : ndarray of int32, shape (values + 1,)
        How many lie above each of these values, and above none.
    low, scale : float
        Score x is in bin ``1 + (x - low) * scale`` of the table, cut off at both ends.
    table : ndarray of int32, shape (bins,)
        Twice the number above, of each bin without a known positive; of others ``-1 - value``,
        with the best value that is not above the bin.
    counted : ndarray of float64, shape (2n + 1,), optional
        Where known positives count for unlike weights, what those above an example count for, out
        of n, by twice their number.
    """

    cost: FloatArray
    through: npt.NDArray[np.int32]
    low: float
    scale: float
    table: npt.NDArray[np.int32]
    counted: FloatArray | None = None

    @classmethod
    def of(cls, scores: FloatArray, weight: FloatArray | None = None) -> Places:
        """Make it of the scores of the known positives.

        Examples
        --------
        >>> Places.of(np.array([2.0, 1.0])).above(np.array([3.0, 2.0, 1.5, np.nan]))
        array([0, 1, 2, 4], dtype=int32)
        """
        values, at = distinct(scores)
        through = np.append(0, np.cumsum(at)).astype(np.int32)
        finite = values[np.isfinite(values)]
        bins = min(max(_FEWEST, _BINS * values.size), _MOST)
        low = float(finite[-1]) if finite.size else 0.0
        with np.errstate(all="ignore"):
            scale = float(bins / (finite[0] - low)) if finite.size else 0.0
        if not 0 < scale < np.inf:
            scale = 1.0
        counted = None if weight is None else _counted(scores, through, weight)
        places = cls(0.0 - values, through, low, scale, np.empty(bins + 3, np.int32), counted)
        taken, above = np.unique(np.append(places._bins(values), 0), return_index=True)
        # From a bin with values to the next one up all that lies above is the same.
        length = np.diff(taken, append=bins + 3)
        places.table[:] = np.repeat(2 * through[above], length)
        places.table[taken] = -1 - above  # the first one, too: a missing score is there
        return places

    def above(self, scores: FloatArray) -> npt.NDArray[np.int32]:
        """Return twice the number of known positives above each score, ties counting once."""
        if not self.cost.size:
            return np.zeros(scores.size, np.int32)
        found = self.table[self._bins(scores)]
        near = np.flatnonzero(found < 0)
        found[near] = self._search(0.0 - scores[near], -1 - found[near])
        return found

    def away(self, found: npt.NDArray[np.int32]) -> FloatArray:
        """Return what known positives above examples count for, less the half of all."""
        n = self.through[-1]
        return found - np.float64(n) if self.counted is None else 2 * self.counted[found] - n

    def _search(self, cost: FloatArray, start: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Find costs among the values, from the first that each can be."""
        last = self.cost.size - 1
        value = start + (self.cost[np.minimum(start, last)] < cost)
        here = self.cost[np.minimum(value, last)]
        far = np.flatnonzero(~(here >= cost))  # or one of them is missing
        value[far] = self.cost.searchsorted(cost[far])
        here = self.cost[np.minimum(value, last)]
        tied = (here == cost) | (np.isnan(here) & np.isnan(cost))
        tied &= value <= last
        found: npt.NDArray[np.int32] = self.through[value] + self.through[value + tied]
        return found

    def _bins(self, scores: FloatArray) -> npt.NDArray[np.int32]:
        """Return the bin of each score; it never falls as scores rise, whatever is rounded."""
        with np.errstate(over="ignore"):
            place = scores - self.low
            place *= self.scale
        place += 1
        np.fmax(place, 0, out=place)  # of NaN, too
        np.fmin(place, self.table.size - 1, out=place)
        return place.astype(np.int32)


def _counted(scores: FloatArray, through: npt.NDArray[np.int32], weight: FloatArray) -> FloatArray:
    """Return what the known positives above an example count for, by twice their number."""
    best_first = np.argsort(-scores, kind="stable")  # NaN last
    sums = np.append(0.0, np.cumsum(weight[best_first])) * (weight.size / weight.sum())
    counted = np.zeros(2 * weight.size + 1)
    counted[2 * through] = sums[through]
    counted[through[:-1] + through[1:]] = (sums[through[:-1]] + sums[through[1:]]) / 2
    return counted


@dataclass(frozen=True, eq=False)
class Above:
    """How many known positives lie above examples, summed; by several models.

    Parameters
    ----------
    counts : tuple of ndarray of int64, shape (2n + 1,)
        For each model: examples with each doubled number of known positives above.
    products : ndarray of float64, shape (models, models)
        Sums over examples of the product of two models' numbers less n.
    """

    counts: tuple[IntArray, ...]
    products: FloatArray

    def merge(self, other: Above) -> Above:
        """Return the sums over two sets of examples together."""
        counts = tuple(a + b for a, b in zip(self.counts, other.counts, strict=True))
        return Above(counts, self.products + other.products)


def count_above(places: Sequence[Places], scores: FloatArray) -> Above:
    """Sum how many known positives lie above examples."""
    threads = count_threads(scores.size)
    parts = in_parts(scores, threads)
    return reduce(Above.merge, in_threads(partial(_count_part, places), parts, threads))


def _count_part(places: Sequence[Places], scores: FloatArray) -> Above:
    """Sum over the examples of one thread, some at a time."""
    found = np.empty(scores.shape, np.int32)
    products = np.zeros((len(places), len(places)))
    for start in range(0, scores.shape[1], _PIECE):
        here = slice(start, start + _PIECE)
        for model, place in enumerate(places):
            found[model, here] = place.above(scores[model, here])
        products += _products(found[:, here], places)
    return Above(
        tuple(
            np.bincount(some, minlength=2 * place.through[-1] + 1).astype(np.int64)
            for some, place in zip(found, places, strict=True)
        ),
        products,
    )


def _products(found: npt.NDArray[np.int32], places: Sequence[Places]) -> FloatArray:
    """Return the sums of products of two models' numbers less n."""
    if all(place.counted is None for place in places):
        away = found - np.float64(places[0].through[-1])
    else:
        away = np.stack([place.away(some) for place, some in zip(places, found, strict=True)])
    products: FloatArray = away @ away.T
    return products


def rank_pairs(
    places: Sequence[Places], positive: FloatArray, above: Above
) -> tuple[list[FloatArray], list[FloatArray], FloatArray]:
    """Return the ranks of known positives, and how the placements of all others vary together.

    Examples
    --------
    >>> scores = np.array([[3.0, 1.0, 2.0, 2.0], [4.0, 3.0, 2.0, 1.0]])
    >>> positive = scores[:, [0, 2]]
    >>> places = [Places.of(one) for one in positive]
    >>> ranks, among, covariance = rank_pairs(places, positive, count_above(places, scores))
    >>> ranks, covariance.tolist()
    ([array([1. , 2.5]), array([1., 3.])], [[0.03125, -0.0625], [-0.0625, 0.125]])
    """
    n = positive.shape[1]
    own = np.stack([place.above(some) for place, some in zip(places, positive, strict=True)])
    among = [(some + 1) / 2 for some in own]
    ranks, sums, size = [], [], 0
    for place, some, counts in zip(places, own, above.counts, strict=True):
        others = counts - np.bincount(some, minlength=counts.size)
        better = np.cumsum(others) - others
        ranks.append(better[some] + (others[some] + some + 1) / 2)
        size = int(others.sum())
        sums.append(float(others @ place.away(np.arange(counts.size, dtype=np.int32))))
    if size < 2 or not n:
        return ranks, among, np.full(above.products.shape, np.nan)
    products = above.products - _products(own, places)
    covariance = (products - np.outer(sums, sums) / size) / (size - 1) / (2 * n) ** 2
    return ranks, among, covariance
