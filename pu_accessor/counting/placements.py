"""How many known positives lie above each score, and sums over the rows of clusters.

A comparison needs the variance of these numbers over all other examples, and the covariance of two
models. Both are sums, which merge, so that scores may lie in pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pu_accessor.counting.gaps import distinct
from pu_accessor.counting.score_lookup import Lookup
from pu_accessor.counting.threads import count_threads, in_threads
from pu_accessor.ranking import (
    MOVE_LEVELS,
    BoolArray,
    CountArray,
    FloatArray,
    IntArray,
    PairedClusters,
)

_PIECE = 1 << 15  # scores that are looked up together, in the cache
_PARTS = 4  # for each thread, so that no thread waits long for the last part


@dataclass(frozen=True, eq=False)
class PlacementTable:
    """Finds how many known positives lie above a score."""

    size: int  # known positives
    lookup: Lookup  # of their scores
    doubled: npt.NDArray[np.int32]  # twice the number above a score of each block, the worst first
    missing: int  # twice the number above NaN; 0 where NaN is below all known positives
    weight_above: FloatArray | None = None  # by twice the number above; all weigh n

    @classmethod
    def of(cls, scores: FloatArray, weight: FloatArray | None = None) -> PlacementTable:
        """Make the table from the scores of the known positives.

        Examples
        --------
        >>> PlacementTable.of(np.array([2.0, 1.0])).above(np.array([3.0, 2.0, 1.5, np.nan]))
        array([0, 1, 2, 4], dtype=int32)
        """
        values, at = distinct(scores)
        through = np.append(0, np.cumsum(at)).astype(np.int32)
        weight_above = None
        if weight is not None:
            best_first = np.argsort(-scores, kind="stable")  # NaN last
            sums = np.append(0.0, np.cumsum(weight[best_first])) * (weight.size / weight.sum())
            weight_above = np.zeros(2 * weight.size + 1)
            weight_above[2 * through] = sums[through]
            middle = (sums[through[:-1]] + sums[through[1:]]) / 2
            weight_above[through[:-1] + through[1:]] = middle
        present = int(np.count_nonzero(~np.isnan(values)))
        doubled = np.empty(2 * present + 1, np.int32)
        doubled[::-2] = 2 * through[: present + 1]
        doubled[-2::-2] = through[:present] + through[1 : present + 1]
        missing = int(through[present:].sum()) if present < values.size else 0
        ascending = values[:present][::-1]
        half = np.nan_to_num(ascending) / 2  # -inf and inf have no middle
        between = half[1:] + half[:-1]  # much as other scores will be
        lookup = Lookup.of(ascending, between)
        return cls(scores.size, lookup, doubled, missing, weight_above)

    @cached_property
    def level(self) -> IntArray:
        """The level of each number above: as many known positives belong to each."""
        return np.arange(2 * self.size + 1) * MOVE_LEVELS // (2 * self.size + 1)

    def above(self, scores: FloatArray) -> npt.NDArray[np.int32]:
        """Return twice the number of known positives above each score, ties counting once."""
        doubled = self.doubled.take(self.lookup.blocks(scores))
        if self.missing:
            doubled[np.isnan(scores)] = self.missing
        return doubled

    def center(self, doubled: npt.NDArray[np.integer[Any]]) -> FloatArray:
        """Return twice the weight of known positives above examples, less n."""
        if self.weight_above is None:
            return np.asarray(doubled - float(self.size), np.float64)
        centered: FloatArray = 2 * self.weight_above[doubled] - self.size
        return centered


@dataclass(frozen=True, eq=False)
class Above:
    """Sums, over examples, of the known positives above them; for several models."""

    counts: tuple[IntArray, ...]  # (2n + 1,) by model: examples by twice the number above
    products: FloatArray  # (models, models): sums of products of doubled numbers less n
    # Examples by the levels of two models, a level being some of the numbers above; and whether
    # both models have the same score everywhere.
    levels: IntArray  # (pairs, MOVE_LEVELS**2)
    equal: BoolArray  # (pairs,)
    # By cluster the examples, and the sum of their doubled numbers by each model, which is exact.
    by_cluster: FloatArray  # (1 + models, clusters); no column where there are none

    def merge(self, other: Above) -> Above:
        """Return the sums over two sets of examples together."""
        counts = tuple(a + b for a, b in zip(self.counts, other.counts, strict=True))
        by_cluster = self.by_cluster + other.by_cluster
        products, levels = self.products + other.products, self.levels + other.levels
        return Above(counts, products, levels, self.equal & other.equal, by_cluster)


def count_above(
    tables: Sequence[PlacementTable],
    scores: FloatArray,
    cluster: IntArray | None = None,
    clusters: int = 0,
    times: IntArray | None = None,
) -> Above:
    """Sum how many known positives lie above examples, all of them and those of each cluster."""
    threads = count_threads(scores.size)
    number = 1 if threads == 1 else threads * _PARTS
    parts = np.array_split(scores, number, axis=-1)
    none = [None] * number
    of_rows = (none if of is None else np.array_split(of, number) for of in (cluster, times))
    count = partial(_count_part, tables, clusters)
    return reduce(Above.merge, in_threads(count, [*zip(parts, *of_rows, strict=True)], threads))


def _count_part(
    tables: Sequence[PlacementTable],
    clusters: int,
    part: tuple[FloatArray, IntArray | None, IntArray | None],
) -> Above:
    """Sum over the examples of one thread, a piece at a time."""
    scores, cluster, times = part
    doubled = np.empty(scores.shape, np.int32)
    products = np.zeros((len(tables), len(tables)))
    pairs = [*combinations(range(len(tables)), 2)]
    levels, equal = np.zeros((len(pairs), MOVE_LEVELS**2), np.int64), np.ones(len(pairs), np.bool_)
    for start in range(0, scores.shape[1], _PIECE):
        piece = slice(start, start + _PIECE)
        for model, table in enumerate(tables):
            doubled[model, piece] = table.above(scores[model, piece])
        each = None if times is None else times[piece]
        products += _products(doubled[:, piece], tables, each)
        levels += _levels(doubled[:, piece], tables, each)
        for pair in np.flatnonzero(equal).tolist():
            a, b = pairs[pair]
            equal[pair] = np.array_equal(scores[a, piece], scores[b, piece], equal_nan=True)
    counts = (
        np.bincount(numbers, times, 2 * table.size + 1).astype(np.int64)
        for numbers, table in zip(doubled, tables, strict=True)
    )
    by_cluster = np.zeros((1 + len(tables), 0))
    if cluster is not None:
        counted = doubled if times is None else doubled * times
        sums = [np.bincount(cluster, numbers, clusters) for numbers in counted]
        by_cluster = np.stack([np.bincount(cluster, times, clusters), *sums])
    return Above(tuple(counts), products, levels, equal, by_cluster)


def _products(
    doubled: npt.NDArray[np.int32], tables: Sequence[PlacementTable], times: IntArray | None = None
) -> FloatArray:
    """Return the sums of products of two models' numbers less n."""
    pairs = zip(tables, doubled, strict=True)
    centered = np.stack([table.center(numbers) for table, numbers in pairs])
    return (centered if times is None else centered * times) @ centered.T


def _levels(
    doubled: npt.NDArray[np.int32], tables: Sequence[PlacementTable], times: IntArray | None = None
) -> IntArray:
    """Count examples by the levels of two models, for each pair of models."""
    level = [table.level.take(numbers) for table, numbers in zip(tables, doubled, strict=True)]
    cells = [a * MOVE_LEVELS + b for a, b in combinations(level, 2)]
    counts = [np.bincount(both, times, MOVE_LEVELS**2) for both in cells]
    return np.array(counts, np.int64).reshape(len(cells), MOVE_LEVELS**2)


class PairCounts(NamedTuple):
    """What known positives and the rest say of several models, see `PairedRanks`."""

    ranks: list[FloatArray]  # of the known positives
    among: list[FloatArray]
    covariance: FloatArray
    moves: FloatArray
    equal: BoolArray


def rank_pairs(tables: Sequence[PlacementTable], positive: FloatArray, above: Above) -> PairCounts:
    """Return ranks of known positives, a covariance of placements of the rest, and moves.

    Examples
    --------
    >>> scores = np.array([[3.0, 1.0, 2.0, 2.0], [4.0, 3.0, 2.0, 1.0]])
    >>> positive = scores[:, [0, 2]]
    >>> tables = [PlacementTable.of(model) for model in positive]
    >>> counts = rank_pairs(tables, positive, count_above(tables, scores))
    >>> counts.ranks, counts.covariance.tolist(), counts.moves[:, 0, 1].tolist()
    ([array([1. , 2.5]), array([1., 3.])], [[0.03125, -0.0625], [-0.0625, 0.125]], [0.25, 0.0625])
    """
    n = positive.shape[1]
    pairs = zip(tables, positive, strict=True)
    doubled = np.stack([table.above(scores) for table, scores in pairs])
    among = [(numbers + 1) / 2 for numbers in doubled]
    ranks, sums, middle, size = [], [], [], 0
    for table, numbers, counts in zip(tables, doubled, above.counts, strict=True):
        others = counts - np.bincount(numbers, minlength=counts.size)
        better, every = np.cumsum(others) - others, np.arange(counts.size)
        ranks.append(better[numbers] + (others[numbers] + numbers + 1) / 2)
        size = int(others.sum())
        sums.append(float(others @ table.center(every)))
        at_level = np.bincount(table.level, others, MOVE_LEVELS)
        middle.append((np.cumsum(at_level) - at_level / 2) / max(size, 1))
    pairs_of = [*combinations(range(len(tables)), 2)]
    moves, equal = np.zeros((2, len(tables), len(tables))), np.eye(len(tables), dtype=np.bool_)
    for (a, b), same in zip(pairs_of, above.equal.tolist(), strict=True):
        equal[a, b] = equal[b, a] = same
    if size < 2 or not n:
        return PairCounts(ranks, among, np.full(equal.shape, np.nan), moves, equal)
    products = above.products - _products(doubled, tables)
    covariance = (products - np.outer(sums, sums) / size) / (size - 1) / (2 * n) ** 2
    levels = above.levels - _levels(doubled, tables)
    for cells, (a, b) in zip(levels, pairs_of, strict=True):
        square = np.subtract.outer(middle[a], middle[b]).ravel() ** 2
        moves[:, a, b] = moves[:, b, a] = cells @ square / size, cells @ square**2 / size
    return PairCounts(ranks, among, covariance, moves, equal)


def sum_clusters(
    tables: Sequence[PlacementTable], positive: FloatArray, above: Above, of_known: IntArray
) -> PairedClusters:
    """Return what clusters add to the share of pairs that each model has in order.

    Examples
    --------
    >>> scores, cluster = np.array([[3.0, 1.0, 2.0, 2.0]]), np.array([0, 0, 1, 1])
    >>> tables = [PlacementTable.of(scores[0, [0, 2]])]
    >>> above = count_above(tables, scores, cluster, 2)
    >>> sum_clusters(tables, scores[:, [0, 2]], above, cluster[[0, 2]])
    PairedClusters(sizes=array([[1, 1],
           [1, 1]]), sums=array([[[ 0.0625, -0.0625],
            [ 0.0625, -0.0625]]]))
    """
    rows, *of_models = above.by_cluster
    known = np.bincount(of_known, minlength=rows.size)
    sizes = np.stack([known, rows.astype(np.int64) - known])
    totals = np.maximum(sizes.sum(axis=1, keepdims=True), 1)
    sums = []
    for table, scores, counts, of_all in zip(
        tables, positive, above.counts, of_models, strict=True
    ):
        doubled = table.above(scores)
        others = counts - np.bincount(doubled, minlength=counts.size)
        below = 2 * others.sum() - 2 * np.cumsum(others) + others  # doubled, too
        of_rest = of_all - np.bincount(of_known, doubled, rows.size)
        both = np.stack([np.bincount(of_known, below[doubled], rows.size), of_rest])
        mean = both.sum(axis=1, keepdims=True) / totals
        sums.append((both - sizes * mean) / (2 * totals.prod()))
    return PairedClusters(sizes, np.stack(sums))


_ROWS = 1 << 16  # rows that are looked up together, in the cache


@dataclass(frozen=True, eq=False)
class RowClusters:
    """Rows in memory that belong together: those of one patient, user or site.

    Of rows with weights these are all that each row stands for, and those of its cluster.
    """

    score: FloatArray  # NaN is the worst
    positive: BoolArray  # whether a row is a known positive
    code: IntArray  # the cluster of each row, from 0
    size: int  # codes there may be: those of other groups among them
    weight: CountArray | None = None  # how many rows each stands for
    drawn: bool = False  # whether these are weights of a sample, and no counts

    @property
    def alone(self) -> bool:
        """Whether each row is a cluster of its own, as it has a weight."""
        return self.drawn and self.number == self.code.size

    @cached_property
    def number(self) -> int:
        """Clusters that hold a row."""
        return int(np.count_nonzero(np.bincount(self.code, minlength=1)))

    @cached_property
    def with_positive(self) -> int:
        """Clusters that hold a known positive."""
        return int(np.unique(self.code[self._known]).size)

    @cached_property
    def sizes(self) -> CountArray:
        """Known positives, and other rows, in each cluster, shape (2, clusters or more)."""
        every = np.bincount(self.code, self.weight, self.size)
        known = np.bincount(self.code[self._known], self._known_weight, self.size)
        sizes = np.stack([known, every - known])
        return sizes if self.weight is None else sizes.astype(self.weight.dtype)

    @property
    def of_known(self) -> IntArray:
        """The cluster of each known positive, best-ranked first."""
        cluster: IntArray = self.code[self._known][self._order]
        return cluster

    @property
    def known_weight(self) -> CountArray | None:
        """How many rows each known positive stands for, best-ranked first; None: one."""
        return None if self.weight is None else self.weight[self._known][self._order]

    @cached_property
    def _order(self) -> IntArray:
        """The order of known positives, best-ranked first.

        Tied ones stand in an order that neither that of the rows nor names of clusters have a say
        in: those of whose cluster fewer rank higher come first, then those of smaller clusters.

        Examples
        --------
        >>> cluster = np.array([7, 7, 5, 7])
        >>> rows = np.array([1.0, 2.0, 1.0, 1.0]), np.ones(4, np.bool_), cluster, 8
        >>> RowClusters(*rows).of_known
        array([7, 5, 7, 7])
        """
        block = np.unique(0.0 - self.score[self._known], return_inverse=True)[1]  # NaN last
        code = self.code[self._known]
        _, number, size = np.unique(code, return_inverse=True, return_counts=True)
        first = number * (block.size + 1)
        keys = np.sort(first + block)
        higher = keys.searchsorted(first + block) - keys.searchsorted(first)
        return np.lexsort((number, size[number], higher, block))

    @property
    def _known_weight(self) -> CountArray | None:
        """How many rows each known positive stands for."""
        return None if self.weight is None else self.weight[self._known]

    @cached_property
    def _known(self) -> IntArray:
        """The rows of known positives."""
        return np.flatnonzero(self.positive)

    def sums(self, threshold: FloatArray, known: FloatArray, *rest: FloatArray) -> FloatArray:
        """Sum by cluster what rows contribute: see `pu_accessor.ranking.Clusters`.

        Examples
        --------
        >>> rows = np.array([3.0, 2.0, 1.0]), np.array([True, False, False]), np.array([0, 1, 0])
        >>> steps = np.array([np.inf, 2.0, 1.0])
        >>> RowClusters(*rows, size=2).sums(steps, np.array([5.0, 0.0]), np.array([-1.0, -2.0]))
        array([[ 5.,  0.],
               [-2., -1.]])
        """
        values, _ = distinct(threshold[1:])
        # Subtracted from 0.0, as thresholds are: NaN comes last, with the last cutoff.
        step = np.searchsorted(0.0 - threshold[1:], 0.0 - values)
        # Above a value, and at it; below the last one there is no row.
        steps = np.append(np.repeat(step, 2), step[-1])
        table = PlacementTable.of(values)
        of_known = known[steps][table.above(self.score[self._known])]
        of_known = of_known if self.weight is None else of_known * self._known_weight
        together = np.bincount(self.code[self._known], of_known, self.size)
        threads = count_threads(self.score.size)
        edges = np.linspace(0, self.score.size, threads + 1).astype(np.int64).tolist()
        add = partial(self._sum_rest, table, [each[steps] for each in rest])
        parts = in_threads(add, [slice(*ends) for ends in pairwise(edges)], threads)
        return np.stack([together, *np.sum(parts, axis=0)])

    def _sum_rest(
        self, table: PlacementTable, rest: Sequence[FloatArray], rows: slice
    ) -> FloatArray:
        """Sum what some rows contribute that are no known positives, a piece at a time."""
        sums = np.zeros((len(rest), self.size))
        step = max(_ROWS, self.size)
        for start in range(rows.start, rows.stop, step):
            piece = slice(start, min(start + step, rows.stop))
            block = table.above(self.score[piece])
            among = self._known.searchsorted([piece.start, piece.stop])
            known = self._known[slice(*among)] - start
            for total, each in zip(sums, rest, strict=True):
                values = each.take(block)
                values[known] = 0.0
                values = values if self.weight is None else values * self.weight[piece]
                total += np.bincount(self.code[piece], values, self.size)
        return sums
