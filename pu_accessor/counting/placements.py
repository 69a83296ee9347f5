"""Count the known positives above each score (placements), and sum these by cluster or model.

A comparison of models needs moments of the differences of their placements. These are made of
sums, which are added, so scores may be in pieces.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from pu_accessor.counting.cells import Blocks, Cells
from pu_accessor.counting.score_gaps import distinct_scores
from pu_accessor.counting.threads import in_pieces
from pu_accessor.ranking import BoolArray, Counts, FloatArray, IntArray, PairedRanks


@dataclass(frozen=True, eq=False)
class PlacementTable:
    """Finds twice the number of known positives above a score; tied ones count once."""

    size: int  # known positives
    cells: Cells  # of their scores
    doubled: npt.NDArray[np.int32]  # twice the number above a score of each block, the worst first
    weight_above: FloatArray | None = None  # by twice the number above; the total weight is n

    @classmethod
    def of(
        cls, scores: FloatArray, others: FloatArray, weight: FloatArray | None = None
    ) -> PlacementTable:
        """Make the table from the scores, and the weights, of the known positives, for others."""
        values, at = distinct_scores(scores)
        through = np.append(0, np.cumsum(at)).astype(np.int32)
        weight_above = None
        if weight is not None:
            best_first = np.argsort(-scores, kind="stable")  # NaN last
            sums = np.append(0.0, np.cumsum(weight[best_first])) * (weight.size / weight.sum())
            weight_above = np.zeros(2 * weight.size + 1)
            weight_above[2 * through] = sums[through]
            weight_above[through[:-1] + through[1:]] = (sums[through[:-1]] + sums[through[1:]]) / 2
        doubled = np.empty(2 * values.size + 1, np.int32)
        doubled[::-2], doubled[-2::-2] = 2 * through, through[:-1] + through[1:]
        return cls(scores.size, Cells.of(values[::-1], others), doubled, weight_above)

    def above(self, scores: FloatArray) -> npt.NDArray[np.int32]:
        """Return twice the number of known positives above each score."""
        return self.doubled.take(self.cells.blocks(scores))

    def center(self, doubled: npt.NDArray[np.integer[Any]]) -> FloatArray:
        """Return twice the weight of known positives above examples, minus n."""
        twice: Any = doubled if self.weight_above is None else 2 * self.weight_above[doubled]
        centered: FloatArray = twice - float(self.size)
        return centered


@dataclass(frozen=True, eq=False)
class PlacementSums:
    """Sums over examples of the known positives above them, for several models.

    A move is the difference of twice that number between the two models of a pair.
    """

    counts: tuple[IntArray, ...]  # (2n + 1,) by model: examples by doubled number
    moments: FloatArray  # (pairs, 2): sums of moves, and of their squares
    farthest: FloatArray  # (pairs,): largest size of a move
    equal: BoolArray  # (pairs,): whether two models have the same score everywhere

    def merge(self, other: PlacementSums) -> PlacementSums:
        """Add the sums over two sets of examples."""
        return PlacementSums(
            tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)),
            self.moments + other.moments,
            np.maximum(self.farthest, other.farthest),
            self.equal & other.equal,
        )


def sum_placements(
    tables: Sequence[PlacementTable], scores: FloatArray, count: IntArray | None = None
) -> PlacementSums:
    """Sum the known positives above examples, of which there are so many identical ones."""
    pairs = [*combinations(range(len(tables)), 2)]

    def add(pieces: Iterable[slice]) -> PlacementSums:
        counts = [np.zeros(2 * table.size + 1, np.int64) for table in tables]
        moments, farthest = np.zeros((len(pairs), 2)), np.zeros(len(pairs))
        equal = np.ones(len(pairs), np.bool_)
        for piece in pieces:
            some, times = scores[:, piece], None if count is None else count[piece]
            doubled = [table.above(one) for table, one in zip(tables, some, strict=True)]
            for sums, numbers in zip(counts, doubled, strict=True):
                sums += np.bincount(numbers, times, sums.size).astype(np.int64)
            centered = _center(tables, doubled)
            for pair, (a, b) in enumerate(pairs):
                move = centered[a] - centered[b]
                moments[pair] += _moments(move, times)
                farthest[pair] = max(farthest[pair], np.abs(move).max(initial=0))
                equal[pair] = equal[pair] and np.array_equal(some[a], some[b], equal_nan=True)
        return PlacementSums(tuple(counts), moments, farthest, equal)

    return reduce(PlacementSums.merge, in_pieces(add, scores.shape[1]))


def _center(
    tables: Sequence[PlacementTable], doubled: Iterable[npt.NDArray[np.int32]]
) -> FloatArray:
    """Return twice the weight of known positives above examples, minus n, by model."""
    return np.stack([table.center(each) for table, each in zip(tables, doubled, strict=True)])


def _moments(move: FloatArray, count: IntArray | None = None) -> FloatArray:
    """Return the sums of moves, and of their squares."""
    counted = move if count is None else move * count
    return np.array([counted.sum(), (counted * move).sum()])  # BLAS would start threads


def pair_ranks(
    names: tuple[str, ...],
    models: Sequence[Hashable],
    tables: Sequence[PlacementTable],
    positive: FloatArray,
    above: PlacementSums,
    total: Counts,
) -> PairedRanks:
    """Pair models by the known positives above examples."""
    size, n = sum(total[1:]), positive.shape[1]
    doubled = np.stack([table.above(one) for table, one in zip(tables, positive, strict=True)])
    centered, ranks = _center(tables, doubled), []
    for numbers, counts in zip(doubled, above.counts, strict=True):
        others = counts - np.bincount(numbers, minlength=counts.size)
        ranks.append((np.cumsum(others) - others / 2)[numbers] + (numbers + 1) / 2)
    equal = np.eye(len(tables), dtype=np.bool_)
    farthest, variance = np.zeros(equal.shape), np.full(equal.shape, np.nan)
    for pair, (a, b) in enumerate(combinations(range(len(tables)), 2)):
        both = [a, b], [b, a]
        equal[both], farthest[both] = above.equal[pair], above.farthest[pair] / max(2 * n, 1)
        if n and size > 1:
            whole, square = above.moments[pair] - _moments(centered[a] - centered[b])
            scatter = (square - whole**2 / size) * (farthest[a, b] > 0)
            variance[both] = max(scatter, 0.0) / (size - 1) / size / (2 * n) ** 2
    paired = dict(zip(models, ranks, strict=True))
    return PairedRanks(names, paired, total, variance, farthest, equal)


def find_steps(scores: FloatArray, threshold: FloatArray) -> tuple[IntArray, Blocks]:
    """Return the step of each block of scores between thresholds, and the block of each score."""
    values = distinct_scores(threshold[1:])[0][::-1]
    step = np.searchsorted(0.0 - threshold[1:], 0.0 - values)
    # At a value, and above it; below the lowest one all are missing, with the last cutoff.
    steps = np.append(threshold.size - 2, np.repeat(step, 2))
    return steps, Cells.of(values, scores).blocks(scores)
