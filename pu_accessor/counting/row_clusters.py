"""Sum by cluster what rows in memory contribute."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from pu_accessor.counting.placements import PlacementTable
from pu_accessor.counting.score_gaps import distinct_scores
from pu_accessor.counting.threads import count_threads, in_threads
from pu_accessor.ranking import Clusters, FloatArray

_ROWS_AT_ONCE = 1 << 16  # that are looked up together, in the cache


class RowClusters(Clusters):
    """Clusters of rows, with sums of what each row contributes."""

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
