"""The waist of the design: how many examples of each kind lie at or above each cutoff.

Everything upstream (frames, arrays, chunks) only makes rankings; everything downstream (bands,
tables, curves, estimates) only reads them. Nothing here knows of pandas or xarray.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = [
    "BoolArray",
    "Counts",
    "Finder",
    "FloatArray",
    "IntArray",
    "Keyed",
    "Kind",
    "PairedRanks",
    "Ranking",
    "Rankings",
    "Ranks",
]

BoolArray: TypeAlias = npt.NDArray[np.bool_]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
Kind = TypeVar("Kind")
Ranks: TypeAlias = Literal["all", "breakpoints"] | int | Sequence[int] | IntArray


class Counts(NamedTuple):
    """Numbers of examples of each of the three kinds."""

    known_positive: int
    known_negative: int
    unlabeled: int


class Finder(Protocol):
    """Finds further cutoffs of a ranking that has some."""

    def refine(self, ranking: Ranking, unlabeled: IntArray) -> Ranking:
        """Add the cutoffs that enclose some counts of unlabeled examples; see `Ranking.refine`."""

    def at(self, ranking: Ranking, ranks: IntArray) -> Ranking:
        """Return the last attained cutoff at or before each of some ranks."""

    def above(self, threshold: float) -> int:
        """Return the number of examples at or above a score."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """Examples of each kind at or above each cutoff, from the best score down.

    Parameters
    ----------
    rank : ndarray of int64, shape (cutoffs,)
        Examples predicted positive. A cutoff that was asked for by a rank between two attained
        ones keeps that rank here and has the counts of the last attained one before it.
    threshold : ndarray of float64, shape (cutoffs,)
        Lowest score that is predicted positive; +inf at rank 0, NaN where examples without a
        score are included.
    known_positive, known_negative, unlabeled : ndarray of int64, shape (cutoffs,)
        Examples of that kind with ``score >= threshold``.
    total : Counts
        Examples of each kind in the whole ranking.
    source : mapping of str to str
        Where the scores and labels come from, for the attributes of results.
    weight : ndarray of float64, shape (known positives,), optional
        What each known positive counts for, best-ranked first: one over its probability of being
        labeled. None where they are a simple random sample of the positives.
    finder : Finder, optional
        Where to look for further cutoffs. None where all attained ones are there, or only those
        asked for.
    whole : Ranking, optional
        The ranking from end to end, where this one has the cutoffs asked for alone.
    """

    rank: IntArray
    threshold: FloatArray
    known_positive: IntArray
    known_negative: IntArray
    unlabeled: IntArray
    total: Counts
    source: Mapping[str, str] = field(default_factory=dict)
    weight: FloatArray | None = None
    finder: Finder | None = None
    whole: Ranking | None = None

    def refine(self, unlabeled: IntArray) -> Ranking:
        """Return the ranking with more cutoffs where its bounds have their corners.

        Parameters
        ----------
        unlabeled : ndarray of int64, shape (corners,)
            Counts of unlabeled examples. Both edges of the block of tied scores in which the
            count is reached become cutoffs.

        Returns
        -------
        Ranking
            Itself where nothing is to be added.
        """
        if self.finder is None or not unlabeled.size:
            return self
        return self.finder.refine(self, unlabeled)

    def at(self, ranks: IntArray) -> Ranking:
        """Return the ranking at some ranks: the last cutoff at or before each.

        Parameters
        ----------
        ranks : ndarray of int64, shape (cutoffs,)
            Numbers of examples predicted positive, each at least 0.

        Returns
        -------
        Ranking
            With these as its `rank`; it cannot be refined.
        """
        if self.finder is not None:
            return self.finder.at(self, ranks)
        last = np.searchsorted(self.rank, ranks, side="right") - 1
        return replace(
            self,
            rank=ranks,
            threshold=self.threshold[last],
            known_positive=self.known_positive[last],
            known_negative=self.known_negative[last],
            unlabeled=self.unlabeled[last],
            whole=self.whole or self,
        )

    def above(self, threshold: float) -> int:
        """Return the number of examples at or above a score.

        Parameters
        ----------
        threshold : float
            Any score, attained or not.

        Returns
        -------
        int
        """
        if self.finder is not None:
            return self.finder.above(threshold)
        return int(self.rank[np.count_nonzero(self.threshold >= threshold) - 1])


@dataclass(frozen=True, eq=False)
class Keyed(Generic[Kind]):
    """Things by key, each made when it is asked for: what every source makes.

    Parameters
    ----------
    names : tuple of str
        Names of the key's levels; none where there is a single thing.
    keys : tuple of hashable
        A key for each, with several levels a tuple.
    make : callable
        From the position of a key to what it stands for.
    """

    names: tuple[str, ...]
    keys: tuple[Hashable, ...]
    make: Callable[[int], Kind]


class PairedRanks(NamedTuple):
    """What several models make of the same examples: the mid-ranks of the known positives.

    Parameters
    ----------
    names : tuple of str
        Names of the levels of a model's key.
    ranks : mapping of hashable to ndarray of float64, shape (known positives,)
        By model, from the top (1 is the best, ties averaged): the same examples in the same order.
    total : Counts
        Examples of each kind.
    """

    names: tuple[str, ...]
    ranks: Mapping[Hashable, FloatArray]
    total: Counts


Rankings: TypeAlias = Keyed[Ranking]
