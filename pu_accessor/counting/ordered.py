"""Few enough scores are sorted once; counts and order statistics are then binary searches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pu_accessor.counting.gaps import Gaps, Tally, with_missing
from pu_accessor.counting.order_statistics import OrderStatistics
from pu_accessor.ranking import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Ordered:
    """Sorted scores, which answer as `count_gaps` and `order_statistics` do.

    Parameters
    ----------
    ascending : ndarray of float64, shape (scores,)
        The scores that are not NaN.
    missing : int
        Number of scores that are NaN, which is worse than any.
    """

    ascending: FloatArray
    missing: int

    @classmethod
    def of(cls, scores: FloatArray) -> Ordered:
        """Sort some scores."""
        ascending = np.sort(scores)  # NaN comes last
        present = int(np.searchsorted(ascending, np.nan))
        return cls(ascending[:present], scores.size - present)

    def count(self, values: FloatArray) -> Gaps:
        """Count the scores at and between some values, as `count_gaps` does.

        Examples
        --------
        >>> gaps = Ordered.of(np.array([1.5, 1.0, 1.7, 9.0])).count(np.array([2.0, 1.0]))
        >>> gaps.at, gaps.inside, gaps.lowest
        (array([0, 1]), array([1, 2, 0]), array([9. , 1.5, inf]))
        """
        known = values[~np.isnan(values)][::-1]
        tally = Tally(known)
        tally.add_sorted(self.ascending)
        return with_missing(tally.gaps(), self.missing, known.size < values.size)

    def order_statistics(self, targets: IntArray, gaps: Gaps) -> OrderStatistics:
        """Return the n-th best scores for some n, as the function of this name does.

        Examples
        --------
        >>> ordered = Ordered.of(np.array([1.5, 1.0, 1.7, 9.0]))
        >>> gaps = ordered.count(np.array([2.0, 1.0]))
        >>> third = ordered.order_statistics(np.array([3]), gaps)
        >>> third.score, third.through, third.better, third.before
        (array([1.5]), array([3]), array([1.7]), array([2]))
        """
        lowest, through = gaps.blocks()
        block = np.searchsorted(through, targets)  # never an empty block
        before, last = np.append(0, through)[block], through[block]
        score = lowest[block]
        better = np.where(before, lowest[np.searchsorted(through, before)], np.inf)
        inside = np.flatnonzero(block % 2 == 0)
        if self.ascending.size:
            start, end = self._ends(gaps.values, block[inside] // 2)
            index = end - (targets - before)[inside]
            present = index >= start  # further scores are NaN
            wanted = 0.0 + self.ascending[index.clip(min=0)]
            left = np.searchsorted(self.ascending, wanted, side="left")
            right = np.searchsorted(self.ascending, wanted, side="right")
            right = np.where(present, right, start)
            score[inside] = np.where(present, wanted, np.nan)
            last[inside] = np.where(present, before[inside] + end - left, last[inside])
            above = np.flatnonzero(right < end)  # better ones of the same gap
            better[inside[above]] = 0.0 + self.ascending[right[above]]
            before[inside] += end - right
        return OrderStatistics(score, last, better, before)

    def _ends(self, values: FloatArray, numbers: IntArray) -> tuple[IntArray, IntArray]:
        """Return where the scores of some gaps start and end; none of them is below NaN."""
        known = values[~np.isnan(values)]
        edges = np.concatenate([[np.inf], known, [-np.inf]])
        start = np.searchsorted(self.ascending, edges[numbers + 1], side="right")
        end = np.searchsorted(self.ascending, edges[numbers])
        start[numbers >= known.size], end[numbers == 0] = 0, self.ascending.size
        return start, end
