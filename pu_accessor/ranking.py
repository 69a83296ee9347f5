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

from pu_accessor.errors import PUValueError

BoolArray: TypeAlias = npt.NDArray[np.bool_]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
Numbers: TypeAlias = IntArray | FloatArray
# Examples that are counted: of int64, or of float64 where rows have weights.
CountArray: TypeAlias = npt.NDArray[Any]
Kind = TypeVar("Kind")
Ranks: TypeAlias = Literal["all", "breakpoints"] | int | Sequence[int] | IntArray
Extent: TypeAlias = Literal["all", "breakpoints", "selected"]
_UNRANKED = 2**40  # negatives above what was never ranked: no cutoff lies below them


class NeedsRefinementError(Exception):
    """Says that an answer takes a further pass over all rows, and waits for it: `Keyed.refine`."""


def each_once(counts: IntArray) -> IntArray:
    """Return distinct counts in order, as `np.unique` does: by a sort, as its hashes are slow.

    Examples
    --------
    >>> each_once(np.array([3, 1, 3]))
    array([1, 3])
    """
    ordered = np.sort(counts)
    is_first = np.ones(ordered.size, np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    once: IntArray = ordered[is_first]
    return once


class Counts(NamedTuple):
    """Numbers of examples of each of the three kinds: floats where rows have weights."""

    known_positive: int
    known_negative: int
    unlabeled: int


class Refiner(Protocol):
    """Adds cutoffs to a ranking that has some of them, or raises `NeedsRefinementError`."""

    def refine(self, ranking: Ranking, unlabeled: CountArray) -> Ranking:
        """Add the cutoffs that enclose some counts of unlabeled examples; see `Ranking.refine`."""

    def reach(self, ranking: Ranking, ranks: CountArray) -> Ranking:
        """Add the last attained cutoff at or before each of some ranks; see `Ranking.at`."""

    def above_each(self, thresholds: FloatArray) -> CountArray:
        """Return the number of examples at or above each of some scores."""


class Clusters(Protocol):
    """Examples that belong together: the rows of one patient, user or site.

    Of rows with weights these are all that each row stands for, and those of its cluster.
    """

    @property
    def alone(self) -> bool:
        """Whether each row is a cluster of its own, as it has a weight."""

    @property
    def number(self) -> int:
        """Clusters that hold an example."""

    @property
    def with_positive(self) -> int:
        """Clusters that hold a known positive."""

    @property
    def sizes(self) -> CountArray:
        """Known positives, and other examples, in each cluster, shape (2, clusters or more)."""

    @property
    def of_known(self) -> IntArray:
        """The number of each known positive's cluster, best-ranked first."""

    @property
    def known_weight(self) -> CountArray | None:
        """How many rows each known positive stands for, best-ranked first; None: one."""

    def sums(self, threshold: FloatArray, known: FloatArray, *rest: FloatArray) -> FloatArray:
        """Sum by cluster what examples contribute, shape (2, clusters or more): first the known.

        `known` and `rest` say what a known positive, and one of the rest, adds in each step from
        one of the thresholds, best first, to the next.
        """


@dataclass(frozen=True, eq=False)
class Ranking:
    """Examples of each kind at or above each cutoff, from the best score down.

    A cutoff that was asked for by a rank between two attained ones keeps that rank, and has the
    counts of the last attained one before it.
    """

    rank: CountArray  # examples predicted positive
    # Lowest score predicted positive: +inf at rank 0, NaN for missing ones, or if it is not read.
    threshold: FloatArray
    known_positive: CountArray  # examples of that kind with score >= threshold
    known_negative: CountArray
    unlabeled: CountArray
    total: Counts  # in the whole ranking
    columns: Mapping[str, str] = field(default_factory=dict)  # of "score", "label", "propensity"
    extent: Extent = "all"  # cutoffs: all attained, breakpoints of bounds, or some
    weight: FloatArray | None = None  # 1 / propensity, best-ranked first
    refiner: Refiner | None = None  # None where no further cutoff can be added
    whole: Ranking | None = None  # from end to end, where this one has some cutoffs alone
    strata: tuple[Ranking, ...] = ()  # groups ranked apart; thresholds are then shares
    # Whether a higher score is taken never to mean a smaller probability of being positive.
    monotone: bool = False
    clusters: Clusters | None = None  # of examples that are not independent
    unranked: int = 0  # negatives that are no examples, above those that were never ranked

    def with_facts(self, **facts: Any) -> Ranking:
        """Return the ranking with more said of it, as of the one from end to end."""
        whole = self.whole and replace(self.whole, **facts)
        return replace(self, whole=whole, **facts)

    def sink_missing(self) -> Ranking:
        """Return the ranking with the missing scores below any cutoff that can be asked for."""
        place = self.rank.size - int(np.isnan(self.threshold[-1]))
        names = ("rank", "known_positive", "known_negative", "unlabeled")
        given = {name: getattr(self, name) for name in names}
        counts: dict[str, Any] = {n: np.insert(c, place, c[place - 1]) for n, c in given.items()}
        for name in ("rank", "known_negative"):
            counts[name][place:] += _UNRANKED
        total = self.total._replace(known_negative=self.total.known_negative + _UNRANKED)
        threshold = np.insert(self.threshold, place, np.nan)
        return replace(self, **counts, threshold=threshold, total=total, unranked=_UNRANKED)

    @property
    def head(self) -> CountArray:
        """Examples at or above each cutoff; `rank` may be one between two cutoffs."""
        return self.known_positive + self.known_negative + self.unlabeled

    @property
    def known_rows(self) -> IntArray:
        """Rows of known positives at or above each cutoff, however many each stands for."""
        weight = None if self.clusters is None else self.clusters.known_weight
        if weight is None:
            return self.known_positive
        return np.searchsorted(np.cumsum(weight), self.known_positive, side="right")

    @property
    def design(self) -> str | None:
        """The band of known positives that are no simple random sample, if they are none."""
        if self.weight is None and self.clusters is None:
            return None
        is_weighted = self.weight is not None or (self.clusters and self.clusters.alone)
        return "weighted" if is_weighted else "clustered"

    @property
    def unequal_weight(self) -> FloatArray | None:
        """The weights where they differ: of equal ones any size says the same."""
        weight = self.weight
        return weight if weight is not None and weight.size and np.ptp(weight) else None

    def refine(self, unlabeled: CountArray) -> Ranking:
        """Return the ranking with more cutoffs where its bounds have their corners."""
        wanted = unlabeled[unlabeled > 0]  # above the first one all cutoffs are there
        if self.refiner is None or not wanted.size:
            return self
        return self.refiner.refine(self, wanted)

    def take(self, cutoffs: slice | IntArray, rank: CountArray | None = None) -> Ranking:
        """Return the ranking with some of its cutoffs alone."""
        rank = self.rank[cutoffs] if rank is None else rank
        others = ("threshold", "known_positive", "known_negative", "unlabeled")
        taken = {name: getattr(self, name)[cutoffs] for name in others}
        whole = self.whole or self
        return replace(self, rank=rank, **taken, extent="selected", refiner=None, whole=whole)

    def at(self, ranks: CountArray) -> Ranking:
        """Return the ranking at some ranks: the last cutoff at or before each."""
        reached = self
        if self.refiner is not None:
            reached = replace(self.refiner.reach(self, ranks), whole=self)
        return reached.take(np.searchsorted(reached.rank, ranks, side="right") - 1, ranks)

    def above(self, threshold: float) -> CountArray:
        """Return the number of examples at or above a score, shape (1,)."""
        return self.above_each(np.array([threshold]))

    def above_each(self, thresholds: FloatArray) -> CountArray:
        """Return the number of examples at or above each of some scores, in one pass for all."""
        if self.strata:
            raise PUValueError(
                "pool must be False where scores themselves count, as thresholds or "
                "probabilities: those of groups that are pooled are on no common scale. Take a "
                "share of the examples, at={'fraction': 0.1}, or each group apart: "
                "df.pu(by='fold')."
            )
        if self.refiner is not None:
            return self.refiner.above_each(thresholds)
        reached = [np.count_nonzero(self.threshold >= score) for score in thresholds.tolist()]
        return self.rank[np.array(reached, np.int64) - 1]


class Stack(NamedTuple):
    """Where the known positives of many rankings lie: blocks of tied scores that hold some."""

    total: IntArray  # (rankings, 3): examples of each kind, as in Counts
    owner: IntArray  # the ranking of each block, ascending; its best block first
    found: IntArray  # known positives in the block
    known: IntArray  # known positives at or above it
    start: IntArray  # examples above the block
    end: IntArray  # examples at or above it
    unlabeled: IntArray  # unlabeled examples at or above it


@dataclass(frozen=True, eq=False)
class Keyed(Generic[Kind]):
    """Things by key, each made when it is asked for: what every source makes."""

    names: tuple[str, ...]  # of the key's levels; none for a single thing
    keys: tuple[Hashable, ...]  # tuples where there are several levels
    make: Callable[[int], Kind]  # from the position of a key
    refine: Callable[[], None] | None = None  # what `NeedsRefinementError` waits for
    together: Callable[[], Stack] | None = None  # many small rankings at once


class Annotated(NamedTuple):
    """A ranking, and what two columns say of its examples: the wave, and the stratum, of each."""

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

    def with_facts(self, **facts: Any) -> Annotated:
        """Return these with more said of the ranking."""
        return self._replace(ranking=self.ranking.with_facts(**facts))


class PairedRows(NamedTuple):
    """The rows of models that ranked the same examples, in memory."""

    scores: FloatArray  # (models, rows)
    rankings: Callable[[], Sequence[Ranking]]  # of each model; each row is a cluster of its own
    positive: BoolArray  # whether a row is a known positive
    cluster: IntArray | None  # the number of each row's cluster, where rows are not independent
    times: CountArray  # how many rows each stands for
    drawn: bool = False  # whether these are weights of a sample, and no counts

    @property
    def designed(self) -> bool:
        """Whether rows are no simple random sample."""
        return self.cluster is not None or self.drawn

    def alike(self, first: int, second: int) -> bool:
        """Tell whether two models put all rows in the same order."""
        order = np.argsort(self.scores[first])
        one, other = self.scores[[first, second]][:, order]
        steps = other[1:] > other[:-1]
        return bool(
            np.array_equal(one[1:] > one[:-1], steps) and not (other[1:] < other[:-1]).any()
        )


class PairedClusters(NamedTuple):
    """Clusters of the rows of models that ranked the same examples."""

    sizes: IntArray  # known positives, and others, in each, shape (2, clusters or more)
    # What both add to the share of pairs that a model has in order, (models, 2, clusters or more).
    sums: FloatArray


MOVE_LEVELS = 32  # of the places among known positives, as moves of the rest are counted


class PairedRanks(NamedTuple):
    """What several models make of the same examples: ranks of the known positives, and the rest.

    The covariance is that, over all examples but the known positives, of the (weighted) shares of
    known positives that two models rank above an example, ties counting half. Moves say how far
    apart two models place an example among these, as the share of them in between: the mean square
    and the mean fourth power. Places are of `MOVE_LEVELS` levels.
    """

    names: tuple[str, ...]  # of the levels of a model's key
    ranks: Mapping[Hashable, FloatArray]  # from the top, 1 is the best, ties averaged
    among: Mapping[Hashable, FloatArray]  # the same among the known positives alone
    total: Counts
    covariance: FloatArray  # (models, models); NaN for fewer than two examples
    moves: FloatArray  # (2, models, models)
    equal: BoolArray  # (models, models): whether two models have the same score everywhere
    weight: FloatArray | None = None  # 1 / propensity; None where all are alike
    rows: PairedRows | None = None
    clusters: PairedClusters | None = None  # where rows are not independent

    def with_facts(self, **facts: Any) -> PairedRanks:
        """Return these with more said of the ranking of each model."""
        rows = self.rows
        if rows is None:
            return self
        each = rows._replace(rankings=lambda: [one.with_facts(**facts) for one in rows.rankings()])
        return self._replace(rows=each)

    @property
    def designed(self) -> bool:
        """Whether rows have clusters or weights."""
        return self.clusters is not None or (self.rows is not None and self.rows.designed)


Rankings: TypeAlias = Keyed[Ranking]
