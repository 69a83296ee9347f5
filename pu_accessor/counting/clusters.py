"""Examples that belong together: sums over the rows of one patient, user or site."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np

from pu_accessor.counting.gaps import distinct
from pu_accessor.counting.placements import PlacementTable
from pu_accessor.counting.threads import count_threads, in_threads
from pu_accessor.ranking import BoolArray, FloatArray, IntArray

_PIECE = 1 << 15  # rows that are looked up together, in the cache
_PARTS = 2  # for each thread


@dataclass(frozen=True, eq=False)
class RowClusters:
    """The clusters of rows in memory."""

    score: FloatArray  # NaN is the worst
    positive: BoolArray  # whether a row is a known positive
    code: IntArray  # the cluster of each row, from 0
    size: int  # codes there may be: those of other groups among them

    @cached_property
    def number(self) -> int:
        """Clusters that hold a row."""
        return int(np.count_nonzero(np.bincount(self.code, minlength=1)))

    @cached_property
    def with_positive(self) -> int:
        """Clusters that hold a known positive."""
        return int(np.unique(self.code[self.positive]).size)

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
        threads = count_threads(self.score.size)
        parts = threads * _PARTS if threads > 1 else 1
        edges = np.linspace(0, self.score.size, parts + 1).astype(np.int64).tolist()
        rows = [slice(*ends) for ends in pairwise(edges)]
        add = partial(self._sum_part, table, known[steps], rest[steps])
        sums: FloatArray = np.sum(in_threads(add, rows, threads), axis=0)
        return sums

    def _sum_part(
        self, table: PlacementTable, known: FloatArray, rest: FloatArray, rows: slice
    ) -> FloatArray:
        """Sum by cluster what some rows contribute, by twice the number of thresholds above."""
        score, code = self.score[rows], self.code[rows]
        positive = np.flatnonzero(self.positive[rows])
        values = np.empty(score.size)
        for start in range(0, score.size, _PIECE):
            piece = slice(start, start + _PIECE)
            np.take(rest, table.above(score[piece]), out=values[piece])
        values[positive] = 0.0
        of_known = known[table.above(score[positive])]
        return np.stack(
            [
                np.bincount(code[positive], of_known, self.size),
                np.bincount(code, values, self.size),
            ]
        )
