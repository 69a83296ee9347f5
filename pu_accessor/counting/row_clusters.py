"""Rows in memory that are not independent: their clusters, and sums by cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np

from pu_accessor.counting.placements import PlacementTable
from pu_accessor.counting.score_gaps import distinct_scores
from pu_accessor.counting.threads import count_threads, in_threads
from pu_accessor.ranking import BoolArray, CountArray, FloatArray, IntArray

_ROWS_AT_ONCE = 1 << 16  # that are looked up together, in the cache


@dataclass(frozen=True, eq=False)
class RowClusters:
    """Implements `pu_accessor.ranking.Clusters` for rows in memory."""

    score: FloatArray  # NaN is the worst
    positive: BoolArray  # whether a row is a known positive
    code: IntArray  # the cluster of each row, from 0
    size: int  # number of codes, some of which only other groups may have
    weight: CountArray | None = None  # how many rows each stands for
    is_sample: bool = False  # whether these are weights of a sample, not counts

    @property
    def one_per_row(self) -> bool:
        """Whether each row is its own cluster, as it has a weight."""
        return self.is_sample and self.n_clusters == self.code.size

    @cached_property
    def n_clusters(self) -> int:
        """The number of clusters with a row."""
        return int(np.count_nonzero(np.bincount(self.code, minlength=1)))

    @cached_property
    def n_with_positive(self) -> int:
        """The number of clusters with a known positive."""
        return int(np.unique(self.code[self._known]).size)

    @cached_property
    def sizes(self) -> CountArray:
        """Known positives, and other rows, in each cluster, shape (2, clusters or more)."""
        every = np.bincount(self.code, self.weight, self.size)
        weight = None if self.weight is None else self.weight[self._known]
        known = np.bincount(self.code[self._known], weight, self.size)
        sizes = np.stack([known, every - known])
        return sizes if self.weight is None else sizes.astype(self.weight.dtype)

    @property
    def known_cluster(self) -> IntArray:
        """The cluster of each known positive, best-ranked first."""
        cluster: IntArray = self.code[self._known][self._order]
        return cluster

    @property
    def known_weight(self) -> CountArray | None:
        """How many rows each known positive stands for, best-ranked first; None: one."""
        return None if self.weight is None else self.weight[self._known][self._order]

    @cached_property
    def _known(self) -> IntArray:
        """The rows of known positives."""
        return np.flatnonzero(self.positive)

    @cached_property
    def _order(self) -> IntArray:
        """The order of known positives, best-ranked first."""
        block = np.unique(0.0 - self.score[self._known], return_inverse=True)[1]  # NaN last
        code = self.code[self._known]
        _, number, size = np.unique(code, return_inverse=True, return_counts=True)
        # Ties are ordered by how many of the cluster rank higher, then by its size, so that
        # neither the order of rows nor names of clusters matter.
        first = number * (block.size + 1)
        keys = np.sort(first + block)
        higher = keys.searchsorted(first + block) - keys.searchsorted(first)
        return np.lexsort((number, size[number], higher, block))

    def sums(self, threshold: FloatArray, known: FloatArray, *rest: FloatArray) -> FloatArray:
        """Sum contributions of rows by cluster, shape (2, clusters or more)."""
        values, _ = distinct_scores(threshold[1:])
        # Subtracted from 0.0, as thresholds are: NaN comes last, with the last cutoff.
        step = np.searchsorted(0.0 - threshold[1:], 0.0 - values)
        # Above a value, and at it; below the last one there is no row.
        steps = np.append(np.repeat(step, 2), step[-1])
        table = PlacementTable.of(values)
        of_known = known[steps][table.above(self.score[self._known])]
        if self.weight is not None:
            of_known = of_known * self.weight[self._known]
        sums = np.bincount(self.code[self._known], of_known, self.size)
        threads = count_threads(self.score.size)
        edges = np.linspace(0, self.score.size, threads + 1).astype(np.int64).tolist()
        add = partial(self._sum_rest, table, [each[steps] for each in rest])
        parts = in_threads(add, [slice(*ends) for ends in pairwise(edges)], threads)
        return np.stack([sums, *np.sum(parts, axis=0)])

    def _sum_rest(
        self, table: PlacementTable, rest: Sequence[FloatArray], rows: slice
    ) -> FloatArray:
        """Sum contributions by cluster of some rows that are no known positives."""
        sums = np.zeros((len(rest), self.size))
        step = max(_ROWS_AT_ONCE, self.size)
        for start in range(rows.start, rows.stop, step):
            piece = slice(start, min(start + step, rows.stop))
            block = table.above(self.score[piece])
            ends = self._known.searchsorted([piece.start, piece.stop])
            known = self._known[slice(*ends)] - start
            for total, each in zip(sums, rest, strict=True):
                values = each.take(block)
                values[known] = 0.0
                values = values if self.weight is None else values * self.weight[piece]
                total += np.bincount(self.code[piece], values, self.size)
        return sums
