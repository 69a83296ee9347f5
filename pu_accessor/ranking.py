"""The waist of the design: how many examples of each kind lie at or above each cutoff.

Everything upstream (frames, arrays, chunks) only makes rankings; everything downstream (bands,
tables, curves, estimates) only reads them. Nothing here knows of pandas or xarray.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from pu_accessor.errors import PUTypeError, PUValueError, check_option

__all__ = [
    "BoolArray",
    "Counts",
    "FloatArray",
    "IntArray",
    "Keyed",
    "Kind",
    "PairedRanks",
    "Ranking",
    "Rankings",
    "Ranks",
    "mid_ranks",
    "rank_examples",
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
    locate : callable, optional
        From counts of unlabeled examples to this ranking with the cutoffs added that enclose
        them. None where all attained cutoffs are there, or only those asked for.
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
    locate: Callable[[IntArray], Ranking] | None = None
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
        return self if self.locate is None or not unlabeled.size else self.locate(unlabeled)

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
        last = np.searchsorted(self.rank, ranks, side="right") - 1
        return replace(
            self,
            rank=ranks,
            threshold=self.threshold[last],
            known_positive=self.known_positive[last],
            known_negative=self.known_negative[last],
            unlabeled=self.unlabeled[last],
            locate=None,
            whole=self.whole or self,
        )


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


class _Costs(NamedTuple):
    """Negated scores of each kind, ascending: sorted by numpy, NaN comes last by itself."""

    known_positive: FloatArray
    known_negative: FloatArray
    unlabeled: FloatArray

    def labeled(self) -> FloatArray:
        return np.concatenate([self.known_positive, self.known_negative])


def rank_examples(
    score: FloatArray,
    positive: BoolArray,
    negative: BoolArray,
    *,
    ranks: Ranks = "all",
    highest: int | None = None,
    propensity: FloatArray | None = None,
    source: Mapping[str, str] | None = None,
) -> Ranking:
    """Rank examples by score and count each kind at each cutoff.

    Parameters
    ----------
    score : ndarray of float64, shape (examples,)
        Higher is more positive. Tied scores share a cutoff; NaN ranks last.
    positive, negative : ndarray of bool, shape (examples,)
        Which examples are known positives and known negatives; the others are unlabeled.
    ranks : {"all", "breakpoints"}, int or array-like of int, default "all"
        Every attained cutoff; those between which all bounds are straight; or the last attained
        cutoff at or before each of these ranks, from 0 to the number of examples.
    highest : int, optional
        The highest rank that may be asked for, where it is not the number of examples: a smaller
        one of several rankings ends earlier.
    propensity : ndarray of float64, shape (examples,), optional
        Probability with which each positive is labeled, in (0, 1]; only that of the known
        positives is read.
    source : mapping of str to str, optional
        Where the scores and labels come from.

    Returns
    -------
    Ranking

    Raises
    ------
    PUValueError
        If `ranks` is another word, or holds a rank that the ranking does not have.
    PUTypeError
        If `ranks` holds anything but integers.
    """
    selected = not isinstance(ranks, str)
    source = {**(source or {}), "ranks": "selected" if selected else str(ranks)}
    cost = 0.0 - score  # not -score: no threshold shall print as -0.0
    weight = None if propensity is None else _weights(cost[positive], propensity[positive])
    costs = _Costs(
        np.sort(cost[positive]), np.sort(cost[negative]), np.sort(cost[~(positive | negative)])
    )
    if isinstance(ranks, str):
        check_option("ranks", ranks, ["all", "breakpoints"])
        if ranks == "breakpoints":
            return _with_corners(costs, _breakpoints(costs), source, weight, np.empty(0, np.int64))
    whole = _count(costs, np.unique(cost), source, weight)
    return whole if isinstance(ranks, str) else whole.at(_requested(ranks, highest or cost.size))


def _weights(cost: FloatArray, propensity: FloatArray) -> FloatArray:
    """Return one over the propensities, best-ranked first."""
    weight: FloatArray = 1 / propensity[np.argsort(cost, kind="stable")]
    return weight


def mid_ranks(score: FloatArray, among: BoolArray) -> FloatArray:
    """Return the ranks of some examples among all, from the top, ties averaged.

    Parameters
    ----------
    score : ndarray of float64, shape (examples,)
        Higher is more positive; NaN ranks last.
    among : ndarray of bool, shape (examples,)
        Whose ranks to return.

    Returns
    -------
    ndarray of float64, shape (wanted,)
        1 for the best alone; in the order of the examples.

    Examples
    --------
    >>> mid_ranks(np.array([3.0, 1.0, 2.0, 2.0]), np.array([True, True, True, False]))
    array([1. , 4. , 2.5])
    """
    cost = 0.0 - score
    ordered = np.sort(cost)
    better, through = (np.searchsorted(ordered, cost[among], side) for side in ("left", "right"))
    return (better + through + 1) / 2


def _requested(ranks: int | Sequence[int] | IntArray, examples: int) -> IntArray:
    """Check the ranks that a user asks for."""
    wanted = np.atleast_1d(np.asarray(ranks))
    if wanted.ndim > 1 or (wanted.size and not np.issubdtype(wanted.dtype, np.integer)):
        raise PUTypeError(
            "ranks must be 'all', 'breakpoints', an integer or a one-dimensional array of "
            f"integers, but {ranks!r} was passed. For shares of the {examples} examples, "
            f"multiply and round: (share * {examples}).astype(int)."
        )
    if np.unique(wanted).size < max(wanted.size, 1):
        raise PUValueError(
            f"ranks must hold at least one rank and each once, but {wanted.tolist()[:20]} was "
            "passed. np.unique(ranks) has each once."
        )
    outside = wanted[(wanted < 0) | (wanted > examples)]
    if outside.size:
        raise PUValueError(
            f"ranks must lie between 0 and {examples}, the number of examples, but "
            f"{outside.tolist()[:5]} was passed."
        )
    return wanted.astype(np.int64)


def _count(
    costs: _Costs, values: FloatArray, source: Mapping[str, str], weight: FloatArray | None
) -> Ranking:
    """Count each kind at rank 0 and at or above each of some attained scores, best first."""
    counts = [np.searchsorted(kind, values, side="right").astype(np.int64) for kind in costs]
    positive, negative, unlabeled = (np.concatenate([[0], count]) for count in counts)
    return Ranking(
        rank=positive + negative + unlabeled,
        threshold=np.concatenate([[np.inf], 0.0 - values]),
        known_positive=positive,
        known_negative=negative,
        unlabeled=unlabeled,
        total=Counts(*(kind.size for kind in costs)),
        source=source,
        weight=weight,
    )


def _breakpoints(costs: _Costs) -> FloatArray:
    """Return the scores between which the bounds on the latent positives do not change.

    These are the labeled scores, the unlabeled score just above each, and the last score.
    """
    labeled = np.unique(costs.labeled())
    return np.unique(np.concatenate([labeled, _just_above(costs, labeled), costs.unlabeled[-1:]]))


def _just_above(costs: _Costs, values: FloatArray) -> FloatArray:
    """Return the nearest better unlabeled score of each value that has one."""
    better = np.searchsorted(costs.unlabeled, values, side="left")
    return costs.unlabeled[better[better > 0] - 1]


def _with_corners(
    costs: _Costs,
    values: FloatArray,
    source: Mapping[str, str],
    weight: FloatArray | None,
    unlabeled: IntArray,
) -> Ranking:
    """Count at some scores and at both edges of the tie blocks that hold the corners."""
    blocks = costs.unlabeled[unlabeled - 1]
    found = np.unique(np.concatenate([values, blocks, _just_above(costs, blocks)]))
    return replace(
        _count(costs, found, source, weight),
        locate=partial(_with_corners, costs, found, source, weight),
    )
