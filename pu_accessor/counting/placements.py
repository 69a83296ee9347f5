"""Count the known positives above each score (placements), and sum these by cluster or model.

A comparison of models needs moments of the differences of their placements. These are made of
sums, which are added, so scores may be in pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import combinations, pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pu_accessor.counting.score_gaps import distinct_scores
from pu_accessor.counting.threads import count_threads, in_threads
from pu_accessor.ranking import BoolArray, Clusters, Counts, FloatArray, IntArray, PairedRanks

FindSteps: TypeAlias = Callable[[FloatArray], IntArray]
_SCORES_AT_ONCE = 1 << 15  # that are looked up together, in the cache
_ROWS_AT_ONCE = 1 << 16  # whose contributions are looked up together
_PARTS_PER_THREAD = 4  # so that no thread waits long for the last part
_CELLS_PER_VALUE, _MIN_CELLS, _MAX_CELLS = 16, 1 << 12, 1 << 22
# Distances of `low` below the values, as shares of their range: from even cells to logarithms.
_OFFSETS = 1.0, 2.0**-8, 2.0**-40
_SMALLEST_POSITIVE = np.finfo(np.float64).tiny  # as the bits of 0.0 and -0.0 differ
_SAMPLE_SIZE, _ACCEPTED_SHARE = 1 << 10, 0.4  # of scores that share a cell with a value


@dataclass(frozen=True, eq=False)
class Lookup:
    """Finds the block of each score: 0 below the lowest value, 1 at it, 2 above it, and so on.

    Cells are of equal width in the bits of a score's distance above `low`, which rise with it.
    """

    values: FloatArray  # ascending, distinct, without NaN
    low: float
    first: np.int64  # the bits at which cell 0 starts
    width: np.int64  # of a cell: bits are shifted by it
    table: npt.NDArray[np.int32]  # a cell's block; -1 if it has values

    @classmethod
    def of(cls, values: FloatArray, scores: npt.NDArray[np.floating]) -> Lookup:
        """Make the table in which the fewest of such scores share a cell with a value."""
        sample = scores[:: scores.size // _SAMPLE_SIZE + 1].astype(np.float64)
        fewest = sample.size + 1
        for offset in _OFFSETS:
            lookup = cls._with_offset(values, offset)
            shared = int(np.count_nonzero(lookup.table.take(lookup._cells(sample)) < 0))
            if shared < fewest:
                best, fewest = lookup, shared
            if shared <= _ACCEPTED_SHARE * sample.size:
                break
        return best

    @classmethod
    def _with_offset(cls, values: FloatArray, offset: float) -> Lookup:
        """Make the table with `low` below the values by a share of their range."""
        finite = values[np.isfinite(values)]
        lowest, highest = (finite[0], finite[-1]) if finite.size else (0.0, 0.0)
        cells = min(max(_CELLS_PER_VALUE * values.size, _MIN_CELLS), _MAX_CELLS)
        cells = (cells - 1).bit_length()
        with np.errstate(over="ignore", invalid="ignore"):
            low = lowest - offset * ((highest - lowest) or abs(highest) or 1.0)
            start, end = (np.array([lowest, highest]) - low).view(np.int64)
        width = np.int64(max(int(end - start).bit_length() - cells, 0))
        table = np.zeros((1 << cells) + 3, np.int32)
        lookup = cls(values, float(low), start - (np.int64(1) << width), width, table)
        cell = lookup._cells(values)
        first = np.flatnonzero(np.diff(cell, prepend=-1))
        # Cells between two cells with values are in the same gap.
        gaps = np.diff(cell[first] + 1, prepend=0, append=table.size)
        table[:] = np.repeat(2 * np.append(first, values.size), gaps)
        table[cell[first]] = -1
        return lookup

    def blocks(self, scores: FloatArray) -> IntArray:
        """Return the block of each score; NaN is in the gap below the lowest value."""
        block = self.table.take(self._cells(scores)).astype(np.int64)
        shared = np.flatnonzero(block < 0)
        if shared.size:
            rest = scores[shared]
            index = self.values.searchsorted(rest)
            block[shared] = 2 * index + (self.values.take(index, mode="clip") == rest)
            block[shared[np.isnan(rest)]] = 0
        return block

    def _cells(self, scores: FloatArray) -> IntArray:
        """Return the cell of each score; it never falls as scores rise, despite rounding."""
        with np.errstate(over="ignore", invalid="ignore"):
            distance = scores - self.low
        distance = np.fmax(distance, _SMALLEST_POSITIVE, out=distance)  # also of NaN
        cell: IntArray = distance.view(np.int64)
        cell -= self.first
        cell >>= self.width
        return cell.clip(0, self.table.size - 1, out=cell)


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
    threads = count_threads(scores.size)
    n_parts = 1 if threads == 1 else threads * _PARTS_PER_THREAD
    counts = [None] * n_parts if count is None else np.array_split(count, n_parts)
    parts = [*zip(np.array_split(scores, n_parts, axis=-1), counts, strict=True)]
    return reduce(PlacementSums.merge, in_threads(partial(_sum_part, tables), parts, threads))


def _sum_part(
    tables: Sequence[PlacementTable], part: tuple[FloatArray, IntArray | None]
) -> PlacementSums:
    """Sum over the examples of one part, a piece at a time."""
    scores, count = part
    doubled = np.empty(scores.shape, np.int32)
    pairs = [*combinations(range(len(tables)), 2)]
    moments, farthest = np.zeros((len(pairs), 2)), np.zeros(len(pairs))
    equal = np.ones(len(pairs), np.bool_)
    for start in range(0, scores.shape[1], _SCORES_AT_ONCE):
        piece = slice(start, start + _SCORES_AT_ONCE)
        for model, table in enumerate(tables):
            doubled[model, piece] = table.above(scores[model, piece])
        centered = _center(tables, doubled[:, piece])
        for pair, (a, b) in enumerate(pairs):
            move = centered[a] - centered[b]
            moments[pair] += _moments(move, None if count is None else count[piece])
            farthest[pair] = max(farthest[pair], np.abs(move).max())
            if equal[pair]:
                equal[pair] = np.array_equal(scores[a, piece], scores[b, piece], equal_nan=True)
    counts = tuple(
        np.bincount(numbers, count, 2 * table.size + 1).astype(np.int64)
        for numbers, table in zip(doubled, tables, strict=True)
    )
    return PlacementSums(counts, moments, farthest, equal)


def _center(tables: Sequence[PlacementTable], doubled: npt.NDArray[np.int32]) -> FloatArray:
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


class RowClusters(Clusters):
    """Clusters of rows, with sums of what each row contributes."""

    def steps(self, threshold: FloatArray) -> IntArray:
        """Return the step of each row: from one threshold, best first, to the next."""
        return _step_finder(threshold)(self.score)

    def sums(self, threshold: FloatArray, known: FloatArray, rest: FloatArray) -> FloatArray:
        """Sum contributions of rows by cluster, shape (2, clusters or more)."""
        find = _step_finder(threshold)
        of_known = known[find(self.score[self._known])]
        if self.weight is not None:
            of_known = of_known * self.weight[self._known]
        threads = count_threads(self.score.size)
        edges = np.linspace(0, self.score.size, threads + 1).astype(np.int64).tolist()
        add = partial(self._sum_rest, find, rest)
        parts = in_threads(add, [slice(*ends) for ends in pairwise(edges)], threads)
        sums = np.bincount(self.code[self._known], of_known, self.size)
        return np.stack([sums, np.sum(parts, axis=0)])

    def _sum_rest(self, find: FindSteps, rest: FloatArray, rows: slice) -> FloatArray:
        """Sum contributions by cluster of some rows that are no known positives."""
        total = np.zeros(self.size)
        step = max(_ROWS_AT_ONCE, self.size)
        for start in range(rows.start, rows.stop, step):
            piece = slice(start, min(start + step, rows.stop))
            values = rest.take(find(self.score[piece]))
            values[self.positive[piece]] = 0.0
            values = values if self.weight is None else values * self.weight[piece]
            total += np.bincount(self.code[piece], values, self.size)
        return total


def _step_finder(threshold: FloatArray) -> FindSteps:
    """Return a function that finds the step of each score between thresholds."""
    values, _ = distinct_scores(threshold[1:])
    # Subtracted from 0.0, as thresholds are: NaN comes last, with the last cutoff.
    step = np.searchsorted(0.0 - threshold[1:], 0.0 - values)
    # Above a value, and at it; below the last one there is no row.
    steps, table = np.append(np.repeat(step, 2), step[-1]), PlacementTable.of(values)
    return lambda score: steps[table.above(score)]
