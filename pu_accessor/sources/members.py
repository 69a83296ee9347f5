"""Which clusters a group of rows in pieces has: ids, which merge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pu_accessor.ranking import BoolArray, IntArray


class Members(NamedTuple):
    """The clusters of a group."""

    ids: pd.Index  # each once
    ranked: BoolArray  # (models, clusters): whether a model ranks an example of it
    known: IntArray  # where that of each known positive is among the ids

    @classmethod
    def of(
        cls, ids: pd.Index, numbers: IntArray, positive: BoolArray, ranked: BoolArray
    ) -> Members:
        """Find the clusters of rows, given the number of each among the ids.

        Examples
        --------
        >>> rows = np.array([2, 0, 2]), np.array([True, False, False])
        >>> members = Members.of(pd.Index(["a", "b", "c"]), *rows, np.array([[True, True, False]]))
        >>> members.ids.to_list(), members.ranked, members.known
        (['a', 'c'], array([[ True,  True]]), array([1]))
        """
        if numbers.size < ids.size:
            used, position = np.unique(numbers, return_inverse=True)
        else:  # quicker where most are there
            there = np.bincount(numbers, minlength=ids.size) > 0
            used, position = np.flatnonzero(there), (np.cumsum(there) - 1)[numbers]
        has = np.zeros((len(ranked), used.size), np.bool_)
        for model, rows in enumerate(ranked):
            has[model, position if rows.all() else position[rows]] = True
        return cls(ids[used], has, position[positive])

    def merge(self, other: Members) -> Members:
        """Put the clusters of two pieces together."""
        numbers, ids = pd.factorize(self.ids.append(other.ids))
        here, there = numbers[: self.ids.size], numbers[self.ids.size :]
        ranked = np.zeros((len(self.ranked), len(ids)), np.bool_)
        ranked[:, here] = self.ranked
        ranked[:, there] |= other.ranked
        return Members(pd.Index(ids), ranked, np.append(here[self.known], there[other.known]))
