"""Examples that belong together: sums over the rows of one patient, user or site."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np

from pu_accessor.counting.gaps import distinct
from pu_accessor.counting.placements import PlacementTable
from pu_accessor.counting.threads import count_threads, in_threads
from pu_accessor.ranking import BoolArray, CountArray, FloatArray, IntArray

_PIECE = 1 << 16  # rows that are looked up together, in the cache


@dataclass(frozen=True, eq=False)
class RowClusters:
    """The clusters of rows in memory."""

    score: FloatArray  # NaN is the worst
    positive: BoolArray  # whether a row is a known positive
    code: IntArray  # the cluster of each row, from 0
    size: int  # codes there may be: those of other groups among them
    weight: CountArray | None = None  # how many rows each stands for

    @property
    def alone(self) -> bool:
        """Whether each row is a cluster of its own, as it has a weight."""
        return self.weight is not None and self.number == self.code.size

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
        """Known positives, and other rows, in each cluster."""
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
        """How many rows each known positive stands for, best-ranked first."""
        return None if self.weight is None else self.weight[self._known][self._order]

    @cached_property
    def _order(self) -> IntArray:
        """The order of known positives, best-ranked first."""
        return order_known(self.score[self._known], self.code[self._known])

    @property
    def _known_weight(self) -> CountArray | None:
        """How many rows each known positive stands for."""
        return None if self.weight is None else self.weight[self._known]

    @cached_property
    def _known(self) -> IntArray:
        """The rows of known positives."""
        return np.flatnonzero(self.positive)

    def sums(self, threshold: FloatArray, known: FloatArray, rest: FloatArray) -> FloatArray:
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
        add = partial(self._sum_rest, table, rest[steps])
        parts = in_threads(add, [slice(*ends) for ends in pairwise(edges)], threads)
        return np.stack([together, np.sum(parts, axis=0)])

    def _sum_rest(self, table: PlacementTable, rest: FloatArray, rows: slice) -> FloatArray:
        """Sum what some rows contribute that are no known positives, a piece at a time."""
        sums = np.zeros(self.size)
        step = max(_PIECE, self.size)
        for start in range(rows.start, rows.stop, step):
            piece = slice(start, min(start + step, rows.stop))
            values = rest.take(table.above(self.score[piece]))
            among = self._known.searchsorted([piece.start, piece.stop])
            values[self._known[slice(*among)] - start] = 0.0
            values = values if self.weight is None else values * self.weight[piece]
            sums += np.bincount(self.code[piece], values, self.size)
        return sums


def order_known(score: FloatArray, code: IntArray) -> IntArray:
    """Return the order of known positives with some clusters, best-ranked first.

    Tied ones stand in an order that neither that of the rows nor names of clusters have a say in:
    those of whose cluster fewer rank higher come first, then those of smaller clusters.

    Examples
    --------
    >>> cluster = np.array([7, 7, 5, 7])
    >>> cluster[order_known(np.array([1.0, 2.0, 1.0, 1.0]), cluster)]
    array([7, 5, 7, 7])
    """
    block = np.unique(0.0 - score, return_inverse=True)[1]  # NaN last
    _, number, size = np.unique(code, return_inverse=True, return_counts=True)
    first = number * (block.size + 1)
    keys = np.sort(first + block)
    higher = keys.searchsorted(first + block) - keys.searchsorted(first)
    order: IntArray = np.lexsort((number, size[number], higher, block))
    return order
