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

from pu_accessor.errors import PUValueError

BoolArray: TypeAlias = npt.NDArray[np.bool_]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
Kind = TypeVar("Kind")
Ranks: TypeAlias = Literal["all", "breakpoints"] | int | Sequence[int] | IntArray
Extent: TypeAlias = Literal["all", "breakpoints", "selected"]


class NeedsRefinementError(Exception):
    """Says that an answer takes a further pass over all rows, and waits for it: `Keyed.refine`."""


class Counts(NamedTuple):
    """Numbers of examples of each of the three kinds."""

    known_positive: int
    known_negative: int
    unlabeled: int


class Refiner(Protocol):
    """Adds cutoffs to a ranking that has some of them, or raises `NeedsRefinementError`."""

    def refine(self, ranking: Ranking, unlabeled: IntArray) -> Ranking:
        """Add the cutoffs that enclose some counts of unlabeled examples; see `Ranking.refine`."""

    def reach(self, ranking: Ranking, ranks: IntArray) -> Ranking:
        """Add the last attained cutoff at or before each of some ranks; see `Ranking.at`."""

    def above(self, threshold: float) -> int:
        """Return the number of examples at or above a score."""

    def above_each(self, thresholds: FloatArray) -> IntArray:
        """Return the number of examples at or above each of some distinct scores, best first."""


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
    columns : mapping of str to str
        Names of the columns of "score", "label" and, where there is one, "propensity".
    extent : {"all", "breakpoints", "selected"}
        Which cutoffs are there: every attained one; at least those between which bounds run
        straight; or some that were taken out, which trace no curve.
    weight : ndarray of float64, shape (known positives,), optional
        What each known positive counts for, best-ranked first: one over its probability of being
        labeled. None where they are a simple random sample of the positives.
    refiner : Refiner, optional
        What adds further cutoffs. None where all attained ones are there, or only some that were
        taken out.
    whole : Ranking, optional
        The ranking from end to end, where this one has some of its cutoffs alone.
    strata : tuple of Ranking
        Those of groups that were ranked apart, where this one has them by the share of its group
        that ranks below each example; its thresholds are such shares.
    """

    rank: IntArray
    threshold: FloatArray
    known_positive: IntArray
    known_negative: IntArray
    unlabeled: IntArray
    total: Counts
    columns: Mapping[str, str] = field(default_factory=dict)
    extent: Extent = "all"
    weight: FloatArray | None = None
    refiner: Refiner | None = None
    whole: Ranking | None = None
    strata: tuple[Ranking, ...] = ()

    @property
    def unequal_weight(self) -> FloatArray | None:
        """The weights where they differ: of equal ones any size says the same."""
        weight = self.weight
        return weight if weight is not None and weight.size and np.ptp(weight) else None

    def refine(self, unlabeled: IntArray) -> Ranking:
        """Return the ranking with more cutoffs where its bounds have their corners."""
        if self.refiner is None or not unlabeled.size:
            return self
        return self.refiner.refine(self, unlabeled)

    def take(self, cutoffs: slice | IntArray, rank: IntArray | None = None) -> Ranking:
        """Return the ranking with some of its cutoffs alone."""
        return replace(
            self,
            rank=self.rank[cutoffs] if rank is None else rank,
            threshold=self.threshold[cutoffs],
            known_positive=self.known_positive[cutoffs],
            known_negative=self.known_negative[cutoffs],
            unlabeled=self.unlabeled[cutoffs],
            extent="selected",
            refiner=None,
            whole=self.whole or self,
        )

    def at(self, ranks: IntArray) -> Ranking:
        """Return the ranking at some ranks: the last cutoff at or before each."""
        reached = self
        if self.refiner is not None:
            reached = replace(self.refiner.reach(self, ranks), whole=self)
        return reached.take(np.searchsorted(reached.rank, ranks, side="right") - 1, ranks)

    def above(self, threshold: float) -> int:
        """Return the number of examples at or above a score."""
        self._check_scale()
        if self.refiner is not None:
            return self.refiner.above(threshold)
        return int(self.rank[np.count_nonzero(self.threshold >= threshold) - 1])

    def above_each(self, thresholds: FloatArray) -> IntArray:
        """Return the number of examples at or above each of some scores, in one pass for all."""
        self._check_scale()
        if self.refiner is not None:
            distinct, position = np.unique(thresholds, return_inverse=True)
            return self.refiner.above_each(distinct[::-1])[::-1][position]
        reached = [np.count_nonzero(self.threshold >= score) for score in thresholds.tolist()]
        return self.rank[np.array(reached, np.int64) - 1]

    def _check_scale(self) -> None:
        """Raise if a score means nothing, as those of several strata were pooled."""
        if self.strata:
            raise PUValueError(
                "pool must be False where scores themselves count, as thresholds or "
                "probabilities: those of groups that are pooled are on no common scale. Take a "
                "share of the examples, at={'fraction': 0.1}, or each group apart: "
                "df.pu(by='fold')."
            )


class Stack(NamedTuple):
    """Where the known positives of many rankings lie: blocks of tied scores that hold some.

    Parameters
    ----------
    total : ndarray of int64, shape (rankings, 3)
        Examples of each kind in each, as in `Counts`.
    owner : ndarray of int64, shape (blocks,)
        The ranking of each block, ascending; within it the best block comes first.
    found, known : ndarray of int64, shape (blocks,)
        Known positives in the block, and at or above it.
    start, end : ndarray of int64, shape (blocks,)
        Examples above the block, and at or above it.
    unlabeled : ndarray of int64, shape (blocks,)
        Unlabeled examples at or above it.
    """

    total: IntArray
    owner: IntArray
    found: IntArray
    known: IntArray
    start: IntArray
    end: IntArray
    unlabeled: IntArray


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
    refine : callable, optional
        Where things, or answers about them, may raise `NeedsRefinementError`: one pass over all
        rows that finds what they wait for. Then they are to be made and asked anew.
    together : callable, optional
        Where there are many small rankings, all of them at once, for questions that can take them.
    """

    names: tuple[str, ...]
    keys: tuple[Hashable, ...]
    make: Callable[[int], Kind]
    refine: Callable[[], None] | None = None
    together: Callable[[], Stack] | None = None


class PairedRanks(NamedTuple):
    """What several models make of the same examples: ranks of the known positives, and the rest.

    Parameters
    ----------
    names : tuple of str
        Names of the levels of a model's key.
    ranks : mapping of hashable to ndarray of float64, shape (known positives,)
        By model, from the top (1 is the best, ties averaged): the same examples in the same order.
    among : mapping of hashable to ndarray of float64, shape (known positives,)
        By model, the same among the known positives alone.
    total : Counts
        Examples of each kind.
    covariance : ndarray of float64, shape (models, models)
        Over all examples but the known positives: of the shares of these, weighted where they have
        weights, that two models rank above an example, ties counting half. NaN where there are
        fewer than two.
    weight : ndarray of float64, shape (known positives,), optional
        What each known positive counts for: one over its probability of being labeled. None where
        they are a simple random sample of the positives.
    """

    names: tuple[str, ...]
    ranks: Mapping[Hashable, FloatArray]
    among: Mapping[Hashable, FloatArray]
    total: Counts
    covariance: FloatArray
    weight: FloatArray | None = None


Rankings: TypeAlias = Keyed[Ranking]
