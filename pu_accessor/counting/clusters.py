"""Examples that belong together: sums over the rows of one patient, user or site."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pu_accessor.ranking import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class RowClusters:
    """The clusters of rows in memory."""

    score: FloatArray  # NaN is the worst
    positive: BoolArray  # whether a row is a known positive
    code: IntArray  # the cluster of each row, from 0
    size: int  # codes there may be: those of other strata among them

    @property
    def number(self) -> int:
        """Clusters that hold a row."""
        return int(np.unique(self.code).size)

    @property
    def with_positive(self) -> int:
        """Clusters that hold a known positive."""
        return int(np.unique(self.code[self.positive]).size)

    @property
    def of_known(self) -> IntArray:
        """The cluster of each known positive, best-ranked first."""
        best_first = np.argsort(0.0 - self.score[self.positive], kind="stable")  # NaN last
        return self.code[self.positive][best_first]

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
        # Subtracted from 0.0, as thresholds are: NaN comes last, with the last cutoff.
        step = np.searchsorted(0.0 - threshold[1:], 0.0 - self.score)
        values = np.where(self.positive, known[step], rest[step])
        return np.stack(
            [
                np.bincount(self.code[kind], values[kind], minlength=self.size)
                for kind in (self.positive, ~self.positive)
            ]
        )
