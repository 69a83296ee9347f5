"""The waist of the design: how many examples of each kind lie at or above each cutoff.

Everything upstream (frames, arrays, chunks) only makes rankings; everything downstream (bands,
tables, curves, estimates) only reads them. Nothing here knows of pandas or xarray.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from pu_accessor.errors import PUTypeError, PUValueError, check_option

__all__ = [
    "BoolArray",
    "Counts",
    "Extent",
    "Finder",
    "FloatArray",
    "IntArray",
    "Keyed",
    "Kind",
    "PairedRanks",
    "PendingError",
    "Ranking",
    "Rankings",
    "Ranks",
    "Stack",
    "as_array",
    "check_ranks",
    "check_within",
]

BoolArray: TypeAlias = npt.NDArray[np.bool_]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
Places: TypeAlias = slice | IntArray
Kind = TypeVar("Kind")
Ranks: TypeAlias = Literal["all", "breakpoints"] | int | Sequence[int] | IntArray
Extent: TypeAlias = Literal["all", "breakpoints", "selected"]


class PendingError(Exception):
    """Says that an answer takes a look at all rows, and has to wait for it: see `Keyed.look`."""


class Counts(NamedTuple):
    """Numbers of examples of each of the three kinds."""

    known_positive: int
    known_negative: int
    unlabeled: int


class Finder(Protocol):
    """Finds further cutoffs of a ranking that has some, or raises `PendingError`."""

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
    finder : Finder, optional
        Where to look for further cutoffs. None where all attained ones are there, or only some
        that were taken out.
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
    finder: Finder | None = None
    whole: Ranking | None = None
    strata: tuple[Ranking, ...] = ()

    @property
    def unequal_weight(self) -> FloatArray | None:
        """The weights where they differ: of equal ones any size says the same."""
        weight = self.weight
        return weight if weight is not None and weight.size and np.ptp(weight) else None

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

    def take(self, places: Places, rank: IntArray | None = None) -> Ranking:
        """Return the ranking with some of its cutoffs alone.

        Parameters
        ----------
        places : slice, or ndarray of int64, shape (cutoffs,)
            Their positions.
        rank : ndarray of int64, shape (cutoffs,), optional
            What they were asked for by; the ranks that they attain, if None.

        Returns
        -------
        Ranking
            It cannot be refined; its `whole` has all cutoffs.
        """
        return replace(
            self,
            rank=self.rank[places] if rank is None else rank,
            threshold=self.threshold[places],
            known_positive=self.known_positive[places],
            known_negative=self.known_negative[places],
            unlabeled=self.unlabeled[places],
            extent="selected",
            finder=None,
            whole=self.whole or self,
        )

    def at(self, ranks: IntArray) -> Ranking:
        """Return the ranking at some ranks: the last cutoff at or before each.

        Parameters
        ----------
        ranks : ndarray of int64, shape (cutoffs,)
            Numbers of examples predicted positive, each at least 0. Beyond the end stands the
            last cutoff.

        Returns
        -------
        Ranking
            With these as its `rank`; it cannot be refined.
        """
        reached = self
        if self.finder is not None:
            reached = replace(self.finder.reach(self, ranks), whole=self)
        return reached.take(np.searchsorted(reached.rank, ranks, side="right") - 1, ranks)

    def above(self, threshold: float) -> int:
        """Return the number of examples at or above a score.

        Parameters
        ----------
        threshold : float
            Any score, attained or not.

        Returns
        -------
        int

        Raises
        ------
        PUValueError
            If strata were pooled, whose scores are on no common scale.
        """
        self._check_scale()
        if self.finder is not None:
            return self.finder.above(threshold)
        return int(self.rank[np.count_nonzero(self.threshold >= threshold) - 1])

    def above_each(self, thresholds: FloatArray) -> IntArray:
        """Return the number of examples at or above each of some scores: one look for all.

        Parameters
        ----------
        thresholds : ndarray of float64, shape (thresholds,)
            Any scores, attained or not, in any order.

        Returns
        -------
        ndarray of int64, shape (thresholds,)

        Raises
        ------
        PUValueError
            As `above`.
        """
        self._check_scale()
        if self.finder is not None:
            some, place = np.unique(thresholds, return_inverse=True)
            return self.finder.above_each(some[::-1])[::-1][place]
        reached = [np.count_nonzero(self.threshold >= each) for each in thresholds.tolist()]
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
    look : callable, optional
        Where things, or what they are asked, may raise `PendingError`: looks up once what all of
        them wait for. Then they are to be made and asked anew.
    together : callable, optional
        Where there are many small rankings, all of them at once, for questions that can take them.
    """

    names: tuple[str, ...]
    keys: tuple[Hashable, ...]
    make: Callable[[int], Kind]
    look: Callable[[], None] | None = None
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


def as_array(values: Any) -> npt.NDArray[Any]:
    """Return what was passed for numbers as an array: of two dimensions where it is none.

    Parameters
    ----------
    values : object
        Numbers, or anything else.

    Returns
    -------
    ndarray
        Of any dtype and shape, for what comes next to check.

    Examples
    --------
    >>> as_array([1, 2]), as_array([[1, 2], [3]]).ndim
    (array([1, 2]), 2)
    """
    try:
        return np.asarray(values)
    except (TypeError, ValueError, OverflowError, MemoryError):  # ragged, a Dataset, without end
        return np.zeros((1, 1))


def check_ranks(ranks: Ranks) -> None:
    """Raise unless these are ranks that some ranking may have: before any row is read.

    Parameters
    ----------
    ranks : {"all", "breakpoints"}, int or array-like of int
        Every attained cutoff; those between which bounds run straight; or numbers of examples
        predicted positive.

    Raises
    ------
    PUValueError
        If it is another word, there is no rank, one twice, or a negative one.
    PUTypeError
        If it holds anything but integers.
    """
    if isinstance(ranks, str):
        return check_option("ranks", ranks, ["all", "breakpoints"])
    wanted = np.atleast_1d(as_array(ranks))
    if wanted.ndim > 1 or (wanted.size and not np.issubdtype(wanted.dtype, np.integer)):
        raise PUTypeError(
            "ranks must be 'all', 'breakpoints', an integer or a one-dimensional array of "
            f"integers, but {ranks!r} was passed. For shares of the examples, multiply by their "
            "number and round: (share * len(df)).astype(int)."
        )
    if np.unique(wanted).size < max(wanted.size, 1):
        raise PUValueError(
            f"ranks must hold at least one rank and each once, but {wanted.tolist()[:20]} was "
            "passed. np.unique(ranks) has each once."
        )
    return _check_between(wanted, wanted < 0, "the number of examples")


def check_within(ranks: Ranks, examples: int) -> None:
    """Raise if ranks lie beyond the number of examples.

    Parameters
    ----------
    ranks : {"all", "breakpoints"}, int or array-like of int
        What `check_ranks` lets pass.
    examples : int
        The number of examples; the largest one, of several rankings. That there are none is said
        elsewhere.

    Raises
    ------
    PUValueError
        If a rank is higher.
    """
    if examples and not isinstance(ranks, str):
        wanted = np.atleast_1d(np.asarray(ranks))
        _check_between(wanted, wanted > examples, f"{examples}, the number of examples")


def _check_between(ranks: npt.NDArray[np.integer[Any]], outside: BoolArray, end: str) -> None:
    """Raise if there are ranks outside what is allowed."""
    if outside.any():
        raise PUValueError(
            f"ranks must lie between 0 and {end}, but {ranks[outside].tolist()[:5]} was passed."
        )
