"""Count the known positives above each score (placements), and sum these for several models.

A comparison needs their variances and covariances over all other examples. These are made of
sums, which are added, so scores may be in pieces.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from pu_accessor.counting.score_gaps import distinct_scores
from pu_accessor.counting.score_lookup import Lookup
from pu_accessor.counting.threads import count_threads, in_threads
from pu_accessor.ranking import (
    PLACEMENT_LEVELS,
    BoolArray,
    Counts,
    FloatArray,
    IntArray,
    PairedClusters,
    PairedRanks,
)

_SCORES_AT_ONCE = 1 << 15  # that are looked up together, in the cache
_PARTS_PER_THREAD = 4  # so that no thread waits long for the last part


@dataclass(frozen=True, eq=False)
class PlacementTable:
    """Finds twice the number of known positives above a score; tied ones count once."""

    size: int  # known positives
    lookup: Lookup  # of their scores
    doubled: npt.NDArray[np.int32]  # twice the number above a score of each block, the worst first
    missing: int  # the same above NaN; 0 if no known positive is NaN
    weight_above: FloatArray | None = None  # by twice the number above; the total weight is n

    @classmethod
    def of(cls, scores: FloatArray, weight: FloatArray | None = None) -> PlacementTable:
        """Make the table from the scores, and the weights, of the known positives."""
        values, at = distinct_scores(scores)
        through = np.append(0, np.cumsum(at)).astype(np.int32)
        weight_above = None
        if weight is not None:
            best_first = np.argsort(-scores, kind="stable")  # NaN last
            sums = np.append(0.0, np.cumsum(weight[best_first])) * (weight.size / weight.sum())
            weight_above = np.zeros(2 * weight.size + 1)
            weight_above[2 * through] = sums[through]
            weight_above[through[:-1] + through[1:]] = (sums[through[:-1]] + sums[through[1:]]) / 2
        present = int(np.count_nonzero(~np.isnan(values)))
        doubled = np.empty(2 * present + 1, np.int32)
        doubled[::-2] = 2 * through[: present + 1]
        doubled[-2::-2] = through[:present] + through[1 : present + 1]
        missing = int(through[present:].sum()) if present < values.size else 0
        ascending = values[:present][::-1]
        half = np.nan_to_num(ascending) / 2  # -inf and inf have no middle
        lookup = Lookup.of(ascending, half[1:] + half[:-1])  # as other scores are likely to be
        return cls(scores.size, lookup, doubled, missing, weight_above)

    @cached_property
    def level(self) -> IntArray:
        """The level, from 0 to PLACEMENT_LEVELS - 1, of each doubled number."""
        return np.arange(2 * self.size + 1) * PLACEMENT_LEVELS // (2 * self.size + 1)

    def above(self, scores: FloatArray) -> npt.NDArray[np.int32]:
        """Return twice the number of known positives above each score."""
        doubled = self.doubled.take(self.lookup.blocks(scores))
        if self.missing:
            doubled[np.isnan(scores)] = self.missing
        return doubled

    def center(self, doubled: npt.NDArray[np.integer[Any]]) -> FloatArray:
        """Return twice the weight of known positives above examples, minus n."""
        twice: Any = doubled if self.weight_above is None else 2 * self.weight_above[doubled]
        centered: FloatArray = twice - float(self.size)
        return centered


@dataclass(frozen=True, eq=False)
class PlacementSums:
    """Sums over examples of the known positives above them, for several models."""

    counts: tuple[IntArray, ...]  # (2n + 1,) by model: examples by doubled number
    products: FloatArray  # (models, models): sums of products of doubled numbers minus n
    levels: IntArray  # (pairs, PLACEMENT_LEVELS**2): examples by the levels of two models
    equal: BoolArray  # (pairs,): whether two models have the same score everywhere
    by_cluster: FloatArray  # (1 + models, clusters): examples, and sums of doubled numbers

    def merge(self, other: PlacementSums) -> PlacementSums:
        """Add the sums over two sets of examples."""
        counts = tuple(a + b for a, b in zip(self.counts, other.counts, strict=True))
        by_cluster = self.by_cluster + other.by_cluster
        products, levels = self.products + other.products, self.levels + other.levels
        return PlacementSums(counts, products, levels, self.equal & other.equal, by_cluster)


def sum_placements(
    tables: Sequence[PlacementTable],
    scores: FloatArray,
    cluster: IntArray | None = None,
    clusters: int = 0,
    multiplicity: IntArray | None = None,
) -> PlacementSums:
    """Sum the known positives above examples, over all of them and by cluster."""
    threads = count_threads(scores.size)
    n_parts = 1 if threads == 1 else threads * _PARTS_PER_THREAD
    columns = (
        [None] * n_parts if of_row is None else np.array_split(of_row, n_parts)
        for of_row in (cluster, multiplicity)
    )
    parts = [*zip(np.array_split(scores, n_parts, axis=-1), *columns, strict=True)]
    sums = in_threads(partial(_sum_part, tables, clusters), parts, threads)
    return reduce(PlacementSums.merge, sums)


def _sum_part(
    tables: Sequence[PlacementTable],
    clusters: int,
    part: tuple[FloatArray, IntArray | None, IntArray | None],
) -> PlacementSums:
    """Sum over the examples of one part, a piece at a time."""
    scores, cluster, multiplicity = part
    doubled = np.empty(scores.shape, np.int32)
    pairs = [*combinations(range(len(tables)), 2)]
    products, equal = np.zeros((len(tables), len(tables))), np.ones(len(pairs), np.bool_)
    levels = np.zeros((len(pairs), PLACEMENT_LEVELS**2), np.int64)
    for start in range(0, scores.shape[1], _SCORES_AT_ONCE):
        piece = slice(start, start + _SCORES_AT_ONCE)
        for model, table in enumerate(tables):
            doubled[model, piece] = table.above(scores[model, piece])
        each = None if multiplicity is None else multiplicity[piece]
        more = _sum_pairs(doubled[:, piece], tables, each)
        products += more[0]
        levels += more[1]
        for pair in np.flatnonzero(equal).tolist():
            a, b = pairs[pair]
            equal[pair] = np.array_equal(scores[a, piece], scores[b, piece], equal_nan=True)
    counts = (
        np.bincount(numbers, multiplicity, 2 * table.size + 1).astype(np.int64)
        for numbers, table in zip(doubled, tables, strict=True)
    )
    by_cluster = np.zeros((1 + len(tables), 0))
    if cluster is not None:
        counted = doubled if multiplicity is None else doubled * multiplicity
        sums = [np.bincount(cluster, numbers, clusters) for numbers in counted]
        by_cluster = np.stack([np.bincount(cluster, multiplicity, clusters), *sums])
    return PlacementSums(tuple(counts), products, levels, equal, by_cluster)


def _sum_pairs(
    doubled: npt.NDArray[np.int32],
    tables: Sequence[PlacementTable],
    multiplicity: IntArray | None = None,
) -> tuple[FloatArray, IntArray]:
    """Return the products and the levels of `PlacementSums`, for each pair of models."""
    of_models = [*zip(tables, doubled, strict=True)]
    centered = np.stack([table.center(numbers) for table, numbers in of_models])
    products = (centered if multiplicity is None else centered * multiplicity) @ centered.T
    levels = [table.level.take(numbers) for table, numbers in of_models]
    cells = [a * PLACEMENT_LEVELS + b for a, b in combinations(levels, 2)]
    counts = [np.bincount(both, multiplicity, PLACEMENT_LEVELS**2) for both in cells]
    return products, np.array(counts, np.int64).reshape(len(cells), PLACEMENT_LEVELS**2)


def rank_pairs(
    names: tuple[str, ...],
    models: Sequence[Hashable],
    tables: Sequence[PlacementTable],
    positive: FloatArray,
    above: PlacementSums,
    total: Counts,
    weight: FloatArray | None = None,
) -> PairedRanks:
    """Pair models by the known positives above examples."""
    n = positive.shape[1]
    of_models = zip(tables, positive, strict=True)
    doubled = np.stack([table.above(scores) for table, scores in of_models])
    among_known = [(numbers + 1) / 2 for numbers in doubled]
    ranks, sums, middle, size = [], [], [], 0
    for table, numbers, counts in zip(tables, doubled, above.counts, strict=True):
        others = counts - np.bincount(numbers, minlength=counts.size)
        better, every = np.cumsum(others) - others, np.arange(counts.size)
        ranks.append(better[numbers] + (others[numbers] + numbers + 1) / 2)
        size = int(others.sum())
        sums.append(float(others @ table.center(every)))
        at_level = np.bincount(table.level, others, PLACEMENT_LEVELS)
        middle.append((np.cumsum(at_level) - at_level / 2) / max(size, 1))
    pairs_of = [*combinations(range(len(tables)), 2)]
    moves, equal = np.zeros((2, len(tables), len(tables))), np.eye(len(tables), dtype=np.bool_)
    for (a, b), same in zip(pairs_of, above.equal.tolist(), strict=True):
        equal[a, b] = equal[b, a] = same
    covariance = np.full(equal.shape, np.nan)
    if size > 1 and n:
        of_known, levels_of_known = _sum_pairs(doubled, tables)
        products = above.products - of_known
        covariance = (products - np.outer(sums, sums) / size) / (size - 1) / (2 * n) ** 2
        for cells, (a, b) in zip(above.levels - levels_of_known, pairs_of, strict=True):
            square = np.subtract.outer(middle[a], middle[b]).ravel() ** 2
            moves[:, a, b] = moves[:, b, a] = cells @ square / size, cells @ square**2 / size
    by_model, among = (dict(zip(models, each, strict=True)) for each in (ranks, among_known))
    return PairedRanks(names, by_model, among, total, covariance, moves, equal, weight)


def sum_clusters(
    tables: Sequence[PlacementTable],
    positive: FloatArray,
    above: PlacementSums,
    known_cluster: IntArray,
) -> PairedClusters:
    """Return the contribution of each cluster to the AUROC of each model."""
    rows, *of_models = above.by_cluster
    known = np.bincount(known_cluster, minlength=rows.size)
    sizes = np.stack([known, rows.astype(np.int64) - known])
    totals = np.maximum(sizes.sum(axis=1, keepdims=True), 1)
    sums = []
    by_model = zip(tables, positive, above.counts, of_models, strict=True)
    for table, scores, counts, of_all in by_model:
        doubled = table.above(scores)
        others = counts - np.bincount(doubled, minlength=counts.size)
        below = 2 * others.sum() - 2 * np.cumsum(others) + others  # doubled, too
        of_rest = of_all - np.bincount(known_cluster, doubled, rows.size)
        both = np.stack([np.bincount(known_cluster, below[doubled], rows.size), of_rest])
        mean = both.sum(axis=1, keepdims=True) / totals
        sums.append((both - sizes * mean) / (2 * totals.prod()))
    return PairedClusters(sizes, np.stack(sums))
