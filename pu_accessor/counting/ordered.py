"""Scores that are sorted once, where there are few enough: all else is a search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pu_accessor.counting.gaps import Gaps, Tally, with_missing
from pu_accessor.counting.order_statistics import Best
from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["Ordered"]


@dataclass(frozen=True, eq=False)
class Ordered:
    """Scores in order: what `count_gaps` and `nth_best` find, by binary search.

    Parameters
    ----------
    ascending : ndarray of float64, shape (scores,)
        Those that there are.
    missing : int
        How many are NaN, which is worse than any.
    """

    ascending: FloatArray
    missing: int

    @classmethod
    def of(cls, scores: FloatArray) -> Ordered:
        """Sort some scores."""
        ascending = np.sort(scores)  # NaN comes last
        there = int(np.searchsorted(ascending, np.nan))
        return cls(ascending[:there], scores.size - there)

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

    def best(self, targets: IntArray, gaps: Gaps) -> Best:
        """Return the n-th best scores for some n, as `nth_best` does.

        Examples
        --------
        >>> ordered = Ordered.of(np.array([1.5, 1.0, 1.7, 9.0]))
        >>> best = ordered.best(np.array([3]), ordered.count(np.array([2.0, 1.0])))
        >>> best.score, best.through, best.better, best.before
        (array([1.5]), array([3]), array([1.7]), array([2]))
        """
        lowest, through = gaps.blocks()
        block = np.searchsorted(through, targets)  # is never an empty one
        before, last = np.append(0, through)[block], through[block]
        score = lowest[block]
        better = np.where(before, lowest[np.searchsorted(through, before)], np.inf)
        inside = np.flatnonzero(block % 2 == 0)
        if self.ascending.size:
            start, end = self._ends(gaps.values, block[inside] // 2)
            place = end - (targets - before)[inside]
            there = place >= start  # further ones are missing
            found = 0.0 + self.ascending[place.clip(min=0)]
            left, right = (
                np.searchsorted(self.ascending, found, side=s) for s in ("left", "right")
            )
            right = np.where(there, right, start)
            score[inside] = np.where(there, found, np.nan)
            last[inside] = np.where(there, before[inside] + end - left, last[inside])
            above = np.flatnonzero(right < end)  # better ones of the same gap
            better[inside[above]] = 0.0 + self.ascending[right[above]]
            before[inside] += end - right
        return Best(score, last, better, before)

    def _ends(self, values: FloatArray, numbers: IntArray) -> tuple[IntArray, IntArray]:
        """Return where the scores of some gaps start and end; none of them is below NaN."""
        known = values[~np.isnan(values)]
        edges = np.concatenate([[np.inf], known, [-np.inf]])
        start = np.searchsorted(self.ascending, edges[numbers + 1], side="right")
        end = np.searchsorted(self.ascending, edges[numbers])
        start[numbers >= known.size], end[numbers == 0] = 0, self.ascending.size
        return start, end
