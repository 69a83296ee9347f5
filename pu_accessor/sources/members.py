"""Which clusters a group of rows in pieces has: ids, which merge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pu_accessor.ranking import BoolArray, IntArray


class Members(NamedTuple):
    """The clusters of a group, and which of them hold an example that a model ranks."""

    ids: pd.Index  # each once
    has: BoolArray  # (2, models, clusters): an example that is ranked, a known positive

    @classmethod
    def of(
        cls, ids: pd.Index, numbers: IntArray, positive: BoolArray, ranked: BoolArray
    ) -> Members:
        """Find the clusters of rows, given the number of each among the ids.

        Examples
        --------
        >>> rows = np.array([2, 0, 2]), np.array([True, False, False])
        >>> Members.of(pd.Index(["a", "b", "c"]), *rows, np.array([[True, True, True]])).has
        array([[[ True,  True]],
               [[False,  True]]])
        """
        used, position = np.unique(numbers, return_inverse=True)
        has = np.zeros((2, len(ranked), used.size), np.bool_)
        for model, rows in enumerate(ranked):
            has[0, model, position[rows]] = True
            has[1, model, position[rows & positive]] = True
        return cls(ids[used], has)

    def merge(self, other: Members) -> Members:
        """Put the clusters of two pieces together."""
        numbers, ids = pd.factorize(self.ids.append(other.ids))
        has = np.zeros((*self.has.shape[:2], len(ids)), np.bool_)
        has[..., numbers[: self.ids.size]] = self.has
        has[..., numbers[self.ids.size :]] |= other.has
        return Members(pd.Index(ids), has)
