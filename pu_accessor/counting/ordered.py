"""Scores that are sorted once, where there are few enough: all else is a search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pu_accessor.counting.gaps import Gaps, Tally, with_missing
from pu_accessor.ranking import FloatArray, IntArray

__all__ = ["Ordered"]


@dataclass(frozen=True, eq=False)
class Ordered:
    """Scores in order: what `count_gaps` and `scores_inside` find, by binary search.

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
        """Sort some scores.

        Parameters
        ----------
        scores : ndarray of float64, shape (scores,)
            In any order.

        Returns
        -------
        Ordered
        """
        ascending = np.sort(scores)  # NaN comes last
        there = int(np.searchsorted(ascending, np.nan))
        return cls(ascending[:there], scores.size - there)

    def count(self, values: FloatArray) -> Gaps:
        """Count the scores at and between some values, as `count_gaps` does.

        Parameters
        ----------
        values : ndarray of float64, shape (values,)
            Distinct, best first; NaN may be the last.

        Returns
        -------
        Gaps

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

    def fetch(self, values: FloatArray, numbers: IntArray) -> FloatArray:
        """Return all scores in some gaps, as `scores_inside` does.

        Parameters
        ----------
        values : ndarray of float64, shape (values,)
            Distinct, best first; NaN may be the last.
        numbers : ndarray of int64, shape (gaps,)
            Which gaps: 0 for the one above the best value.

        Returns
        -------
        ndarray of float64
        """
        known = values[~np.isnan(values)]
        some = numbers[numbers <= known.size]  # below NaN nothing lies
        edges = np.concatenate([[np.inf], known, [-np.inf]])
        start = np.searchsorted(self.ascending, edges[some + 1], side="right")
        end = np.searchsorted(self.ascending, edges[some], side="left")
        start[some == known.size], end[some == 0] = 0, self.ascending.size
        pairs = zip(start.tolist(), end.tolist(), strict=True)
        inside = [self.ascending[first:last] for first, last in pairs]
        if known.size == values.size and known.size in numbers:
            inside.append(np.full(self.missing, np.nan))
        return np.concatenate([*inside, np.empty(0)])
