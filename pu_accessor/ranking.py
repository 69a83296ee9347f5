"""Count the examples of each kind at or above each cutoff: what estimates and bounds are made of.

Sources make rankings; bands, tables, curves and estimates read them. Only numpy is used here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

BoolArray: TypeAlias = npt.NDArray[np.bool_]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
Numbers: TypeAlias = IntArray | FloatArray
CountArray: TypeAlias = npt.NDArray[Any]  # int64; float64 where rows have weights
Value = TypeVar("Value")
Ranks: TypeAlias = Literal["all", "breakpoints"] | int | Sequence[int] | IntArray
_MAX_INT64_PRODUCT = 2**62
_UNRANKED_NEGATIVES = 2**40  # placed above unranked examples: no cutoff lies below them


def sorted_unique(counts: IntArray) -> IntArray:
    """Return the distinct values in order; sorting is faster than `np.unique`, which hashes."""
    ordered = np.sort(counts)
    is_first = np.ones(ordered.size, np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def increments(values: Numbers) -> Any:
    """Return the difference of each value to the next; for few, `np.diff` takes far longer."""
    return values[..., 1:] - values[..., :-1]


class Counts(NamedTuple):
    """Numbers of examples of each kind; floats where rows have weights."""

    known_positive: int
    known_negative: int
    unlabeled: int


class Refiner(Protocol):
    """Adds cutoffs to a ranking."""

    def refine(self, ranking: Ranking, unlabeled: CountArray, *, exact: bool) -> Ranking:
        """Add the cutoffs that enclose some counts of unlabeled examples."""

    def add_ranks(self, ranking: Ranking, ranks: CountArray) -> Ranking:
        """Add the last attained cutoff at or before each of some ranks."""

    def count_at_or_above(self, thresholds: FloatArray) -> CountArray:
        """Return the number of examples at or above each of some scores."""

    def sums_from(self, starts: FloatArray) -> FloatArray:
        """Return the sum of the scores from each of some scores to the next; they ascend."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """Rows that are not independent, such as those of one patient, user or site."""

    score: FloatArray  # NaN is the worst
    positive: BoolArray  # whether a row is a known positive
    code: IntArray  # the cluster of each row, from 0
    size: int  # number of codes, some of which only other groups may have
    # From scores and thresholds: the step of each block of scores, and the block of each score.
    find_steps: Callable[[FloatArray, FloatArray], tuple[IntArray, npt.NDArray[Any]]]
    weight: CountArray | None = None  # how many rows each stands for
    is_sample: bool = False  # whether these are weights of a sample, not counts

    @property
    def one_per_row(self) -> bool:
        """Whether each row is its own cluster, as it has a weight."""
        return self.is_sample and self.n_clusters == self.code.size

    @cached_property
    def n_clusters(self) -> int:
        """The number of clusters with a row."""
        return int(np.count_nonzero(np.bincount(self.code, minlength=1)))

    @cached_property
    def n_with_positive(self) -> int:
        """The number of clusters with a known positive."""
        return int(np.unique(self.code[self._known]).size)

    @cached_property
    def sizes(self) -> CountArray:
        """Known positives, and other rows, in each cluster, shape (2, clusters or more)."""
        sizes = self.sum_by_cluster(self.weight)
        return sizes if self.weight is None else sizes.astype(self.weight.dtype, copy=False)

    def sum_by_cluster(self, values: CountArray | None) -> CountArray:
        """Sum a value of each row by cluster, known positives first; None: all are 1."""
        sums = np.bincount(self._side, values, 2 * self.size)
        return sums.reshape(2, self.size)

    @cached_property
    def _side(self) -> IntArray:
        """The cluster of each row, that of rows other than known positives after all."""
        side = np.where(self.positive, 0, self.size)
        side += self.code
        return side

    @property
    def known_cluster(self) -> IntArray:
        """The cluster of each known positive, best-ranked first."""
        return self.code[self._known][self._order]

    @property
    def known_weight(self) -> CountArray | None:
        """How many rows each known positive stands for, best-ranked first; None: one."""
        return None if self.weight is None else self.weight[self._known][self._order]

    @cached_property
    def _known(self) -> IntArray:
        """The rows of known positives."""
        return np.flatnonzero(self.positive)

    @cached_property
    def _order(self) -> IntArray:
        """The order of known positives, best-ranked first."""
        block = np.unique(0.0 - self.score[self._known], return_inverse=True)[1]  # NaN last
        code = self.code[self._known]
        _, number, size = np.unique(code, return_inverse=True, return_counts=True)
        # Ties are ordered by how many of the cluster rank higher, then by its size, so that
        # neither the order of rows nor names of clusters matter.
        first = number * (block.size + 1)
        keys = np.sort(first + block)
        higher = keys.searchsorted(first + block) - keys.searchsorted(first)
        return np.lexsort((number, size[number], higher, block))

    def steps(self, threshold: FloatArray) -> IntArray:
        """Return the step of each row: from one threshold, best first, to the next."""
        steps, blocks = self.find_steps(self.score, threshold)
        return steps.take(blocks)

    def sums(self, threshold: FloatArray, known: FloatArray, rest: FloatArray) -> FloatArray:
        """Sum contributions by cluster, shape (2, clusters or more), known positives first.

        `known` and `rest` are the contributions of a known positive, and of another example, in
        each step from one threshold, best first, to the next.
        """
        steps, blocks = self.find_steps(self.score, threshold)
        values = rest[steps].take(blocks)
        values[self._known] = known[steps][blocks[self._known]]
        if self.weight is not None:
            values *= self.weight
        return self.sum_by_cluster(values)


@dataclass(frozen=True, eq=False)
class Ranking:
    """Examples of each kind at or above each cutoff, the best score first.

    A cutoff that was selected by a rank between two attained ones keeps that rank, and has the
    counts of the attained cutoff before it.
    """

    rank: CountArray  # examples predicted positive
    # Lowest score predicted positive: +inf at rank 0, NaN for missing ones, or if it is not read.
    threshold: FloatArray
    known_positive: CountArray  # examples of that kind with score >= threshold
    known_negative: CountArray
    unlabeled: CountArray
    total: Counts  # in the whole ranking
    columns: Mapping[str, str] = field(default_factory=dict)  # of "score", "label", "propensity"
    # The cutoffs: all attained, breakpoints of bounds, or a selection.
    extent: Literal["all", "breakpoints", "selected"] = "all"
    inverse_propensity: FloatArray | None = None  # of known positives, best-ranked first
    refiner: Refiner | None = None  # None where no cutoff can be added
    whole: Ranking | None = None  # the ranking of which this one has a selection of cutoffs
    monotone: bool = False  # the probability of being positive never falls with the score
    clusters: Clusters | None = None  # of examples that are not independent
    unranked: int = 0  # negatives that are no examples, above those that were never ranked

    def with_fields(self, **fields: Any) -> Ranking:
        """Return the ranking, and its `whole`, with some fields replaced."""
        return replace(self, whole=self.whole and replace(self.whole, **fields), **fields)

    def put_missing_last(self) -> Ranking:
        """Return the ranking with missing scores below every cutoff."""
        end = self.rank.size - int(np.isnan(self.threshold[-1]))
        counts: dict[str, Any] = {}
        for name in ("rank", "known_positive", "known_negative", "unlabeled"):
            column = getattr(self, name)
            counts[name] = np.insert(column, end, column[end - 1])
        for name in ("rank", "known_negative"):
            counts[name][end:] += _UNRANKED_NEGATIVES
        negatives = self.total.known_negative + _UNRANKED_NEGATIVES
        return replace(
            self,
            **counts,
            threshold=np.insert(self.threshold, end, np.nan),
            total=self.total._replace(known_negative=negatives),
            unranked=_UNRANKED_NEGATIVES,
        )

    @cached_property
    def head(self) -> CountArray:
        """Examples at or above each cutoff; `rank` may be one between two cutoffs."""
        return self.known_positive + self.known_negative + self.unlabeled

    @cached_property
    def concordance(self) -> Fraction:
        """P(a known positive ranks above one of the rest), ties half, without rounding."""
        rest = self.head - self.known_positive
        below = 2 * rest[-1] - rest[:-1] - rest[1:]  # doubled, of the known positives of each step
        pairs = 2 * self.known_positive[-1].item() * rest[-1].item()
        known = increments(self.known_positive)
        known = known.astype(object) if pairs >= _MAX_INT64_PRODUCT else known
        return Fraction(np.asarray(known @ below).item()) / Fraction(pairs)

    @cached_property
    def known_blocks(self) -> KnownBlocks:
        """The tie blocks with known positives."""
        number = np.diff(self.known_positive)
        at = np.flatnonzero(number)
        return KnownBlocks(
            total=np.array([self.total]),
            owner=np.zeros(at.size, np.int64),
            number=number[at],
            known=self.known_positive[at + 1],
            negative_above=self.known_negative[at],
            negative=self.known_negative[at + 1],
            start=self.rank[at],
            end=self.rank[at + 1],
            is_missing=np.isnan(self.threshold[at + 1]),
            unranked=self.unranked,
        )

    @property
    def known_rows(self) -> IntArray:
        """Rows of known positives at or above each cutoff, however many each stands for."""
        weight = None if self.clusters is None else self.clusters.known_weight
        if weight is None:
            return self.known_positive
        return np.searchsorted(np.cumsum(weight), self.known_positive, side="right")

    @property
    def design(self) -> str | None:
        """The band for known positives that are no simple random sample; else None."""
        if self.inverse_propensity is not None:
            return "weighted"
        if self.clusters is None:
            return None
        return "weighted" if self.clusters.one_per_row else "clustered"

    @property
    def unequal_weight(self) -> FloatArray | None:
        """The inverse propensities if they differ."""
        weight = self.inverse_propensity
        return weight if weight is not None and weight.size and np.ptp(weight) else None

    def refine(self, unlabeled: CountArray, *, exact: bool = False) -> Ranking:
        """Return the ranking with the cutoffs at which bounds have their corners.

        Unless `exact`, those of scores in pieces may be between two scores that are tied.
        """
        unlabeled = unlabeled[unlabeled > 0]  # above the first one all cutoffs are there
        if self.refiner is None or not unlabeled.size:
            return self
        return self.refiner.refine(self, unlabeled, exact=exact)

    def take(self, cutoffs: slice | IntArray, rank: CountArray | None = None) -> Ranking:
        """Return the ranking with a selection of its cutoffs."""
        rank = self.rank[cutoffs] if rank is None else rank
        others = ("threshold", "known_positive", "known_negative", "unlabeled")
        taken = {name: getattr(self, name)[cutoffs] for name in others}
        whole = self.whole or self
        return replace(self, rank=rank, **taken, extent="selected", refiner=None, whole=whole)

    def at(self, ranks: CountArray) -> Ranking:
        """Return the ranking at some ranks: the last cutoff at or before each."""
        refined = self
        if self.refiner is not None:
            refined = replace(self.refiner.add_ranks(self, ranks), whole=self)
        return refined.take(np.searchsorted(refined.rank, ranks, side="right") - 1, ranks)

    def count_at_or_above(self, thresholds: FloatArray) -> CountArray:
        """Return the number of examples at or above each of some scores."""
        if self.refiner is not None:
            return self.refiner.count_at_or_above(thresholds)
        cutoffs = [np.count_nonzero(self.threshold >= score) for score in thresholds.tolist()]
        return self.rank[np.array(cutoffs, np.int64) - 1]

    def sums_from(self, starts: FloatArray) -> FloatArray:
        """Return the sum of the scores from each of some scores to the next; they ascend."""
        if self.refiner is not None:
            return self.refiner.sums_from(starts)
        bins = np.searchsorted(starts, self.threshold[1:], side="right") - 1
        sums = np.bincount(bins, self.threshold[1:] * increments(self.rank), starts.size)
        return sums.astype(np.float64)


def _one_by_one(
    function: Callable[[int], Any], positions: Iterable[int]
) -> Iterable[tuple[int, Any]]:
    """Apply a function to positions, in order."""
    return ((position, function(position)) for position in positions)


class KnownBlocks(NamedTuple):
    """The tie blocks with known positives, best first, of one ranking or of a stack of many."""

    total: CountArray  # examples of each kind, as in `Counts`, shape (rankings, 3)
    owner: IntArray  # the ranking of each block, ascending
    number: CountArray  # known positives in the block
    known: CountArray  # known positives at or above it
    negative_above: CountArray  # known negatives above it
    negative: CountArray  # known negatives at or above it
    start: CountArray  # examples above it
    end: CountArray  # examples at or above it
    is_missing: BoolArray  # whether its score is missing
    unranked: int = 0  # as of `Ranking`
    # From a score to the examples of each ranking at or above it; None where none is asked for.
    count_at_or_above: Any = None

    @property
    def size(self) -> CountArray:
        """Examples of each ranking."""
        return np.asarray(self.total.sum(axis=1))

    @property
    def concordance(self) -> FloatArray:
        """As of `Ranking`, rounded."""
        rest = (self.total[:, 1] + self.total[:, 2])[self.owner]
        above = self.start + self.end - 2 * self.known + self.number  # of the rest, doubled
        return self.sums(self.number * (1 - above / (2 * rest))) / self.total[:, 0]

    @property
    def unlabeled(self) -> CountArray:
        """Unlabeled examples at or above each block."""
        return self.end - self.known - self.negative

    def sums(self, values: Numbers) -> FloatArray:
        """Return the sum of the values of each ranking's blocks."""
        return np.bincount(self.owner, values, len(self.total)).astype(np.float64)

    def known_above(self, rank: FloatArray) -> FloatArray:
        """Return the known positives of each ranking above a rank; ties are in random order."""
        share = (rank[self.owner] - self.start) / (self.end - self.start)
        return self.sums(self.number * np.clip(share, 0, 1))

    def count_positives(self, betas: FloatArray) -> FloatArray:
        """Return the positives at betas, shape (rankings, betas)."""
        return self.total[:, :1] + self.total[:, 2:] * betas

    def count_negatives(self, betas: FloatArray) -> FloatArray:
        """Return the negatives at betas, shape (rankings, betas)."""
        return self.total[:, 1:2] + self.total[:, 2:] * (1 - betas)

    def put_missing_last(self) -> KnownBlocks:
        """Return the blocks with missing scores below every cutoff."""
        total, moved = self.total.copy(), self.is_missing * _UNRANKED_NEGATIVES
        total[:, 1] += _UNRANKED_NEGATIVES
        names = "negative_above", "negative", "start", "end"
        counts: dict[str, Any] = {name: getattr(self, name) + moved for name in names}
        return self._replace(total=total, unranked=_UNRANKED_NEGATIVES, **counts)


@dataclass(frozen=True, eq=False)
class LazyByKey(Generic[Value]):
    """Lazy mapping from the keys of groups or models to rankings, which every source returns."""

    names: tuple[str, ...]  # of the key's levels; none for a single value
    keys: tuple[Hashable, ...]  # tuples where there are several levels
    make: Callable[[int], Value]  # from the position of a key
    # Apply a function to positions, and yield them with what it returns, perhaps in other order.
    visit: Callable[..., Iterable[tuple[int, Any]]] = _one_by_one
    stacked: Callable[[], KnownBlocks] | None = None  # many small rankings at once


class AnnotatedRanking(NamedTuple):
    """A ranking with the wave and the stratum of its examples."""

    ranking: Ranking
    waves: tuple[Hashable, ...] = ()  # by name
    wave: IntArray | None = None  # of each known positive, best-ranked first; -1 for none
    cluster: IntArray | None = None  # likewise, where rows are not independent
    strata: tuple[Hashable, ...] = ()
    counts: IntArray | None = None  # examples of each kind, as in `Counts`, shape (strata, 3)

    @property
    def total(self) -> Counts:
        """Examples of each kind in the ranking."""
        return self.ranking.total

    def with_fields(self, **fields: Any) -> AnnotatedRanking:
        """Return this with some fields of the ranking replaced."""
        return self._replace(ranking=self.ranking.with_fields(**fields))


class PairedRows(NamedTuple):
    """The rows of models that ranked the same examples, in memory."""

    scores: FloatArray  # (models, rows)
    rankings: Callable[[], Sequence[Ranking]]  # of each model; each row is its own cluster
    clusters: Clusters  # of rows
    multiplicity: CountArray  # how many rows each stands for
    has_design: bool  # whether rows are no simple random sample, and some no known positives

    def same_order(self, first: int, second: int) -> bool:
        """Tell whether two models put all rows in the same order."""
        one, other = self.scores[[first, second]][:, np.argsort(self.scores[first])]
        rises, falls = other[1:] > other[:-1], other[1:] < other[:-1]
        return bool(np.array_equal(one[1:] > one[:-1], rises) and not falls.any())


class PairedRanks(NamedTuple):
    """Ranks of known positives by several models of the same examples, and sums over the rest.

    The placement of an example is the (weighted) share of known positives above it, ties counting
    half. Matrices are of the differences of placements by two models, shape (models, models).
    """

    names: tuple[str, ...]  # of the levels of a model's key
    ranks: Mapping[Hashable, FloatArray]  # of known positives, 1 is the best, ties averaged
    total: Counts
    variance_of_rest: FloatArray  # of the mean over the rest; NaN for fewer than two
    farthest: FloatArray  # the largest
    equal: BoolArray  # whether two models have the same score everywhere
    known_weight: FloatArray | None = None  # 1 / propensity; None where all are equal
    rows: PairedRows | None = None

    def with_fields(self, **fields: Any) -> PairedRanks:
        """Return this with some fields of each model's ranking replaced."""
        rows = self.rows
        if rows is None:
            return self
        each = rows._replace(rankings=lambda: [r.with_fields(**fields) for r in rows.rankings()])
        return self._replace(rows=each)


Rankings: TypeAlias = LazyByKey[Ranking]
