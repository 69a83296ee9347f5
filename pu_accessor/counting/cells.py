"""Find scores among distinct values: scores fall into cells, and few share a cell with a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pu_accessor.counting.threads import in_pieces
from pu_accessor.ranking import FloatArray, IntArray

Scores: TypeAlias = npt.NDArray[np.floating[Any]]
Blocks: TypeAlias = npt.NDArray[np.int32]

_MIN_SCORES = 1 << 11  # fewer are searched for
_CELLS_PER_VALUE, _MAX_CELLS = 16, 1 << 22
_SAMPLE_SIZE, _ACCEPTED_SHARE = 1 << 10, 0.1  # of scores that are searched for
_CENTERS = 0.0, 0.5, 1.0  # of logarithms, where even cells do not suit: shares of values below
_NEAR, _NEAREST = 0.05, 2.0**-40  # share of values, of their range: distances with even cells


class _Scale(NamedTuple):
    """Positions of scores: distances from a center, or logarithms of these."""

    center: float
    least: float = 0.0  # distance from which on positions are logarithms; 0: they are not

    def positions(self, scores: FloatArray) -> FloatArray:
        """Return numbers that never fall as scores rise, despite rounding; NaN is NaN or -inf."""
        distance = scores - self.center
        if not self.least:
            return distance
        # The bits of a float rise with it, about as its logarithm does.
        size = np.abs(np.fmax(distance, -np.inf, out=distance)) + self.least
        bits = size.view(np.int64) - np.float64(self.least).view(np.int64)
        positions: FloatArray = np.copysign(bits, distance)
        return positions


_EVEN = _Scale(0.0)


@dataclass(frozen=True, eq=False)
class Cells:
    """Finds the block of each score: 0 below the lowest value, 1 at it, 2 above it, and so on.

    NaN is lower than all numbers.
    """

    padded: FloatArray  # the values that are numbers, ascending and distinct, and NaN
    table: Blocks  # a cell's block; ~i if value i is its first; empty where values are searched
    scale: _Scale = _EVEN
    width: float = 0.0  # number of cells in a unit of positions
    start: float = 1.0  # the cell of position 0
    has_missing: bool = False  # whether NaN is a value, the lowest

    @classmethod
    def of(cls, values: FloatArray, scores: Scores) -> Cells:
        """Make cells that suit such scores, as few of which as possible are searched for."""
        is_missing = np.isnan(values)
        values = values[~is_missing]
        padded, has_missing = np.append(values, np.nan), bool(is_missing.any())
        best = cls(padded, np.empty(0, np.int32), has_missing=has_missing)
        if scores.size < _MIN_SCORES or not values.size:
            return best
        sample = scores[:: scores.size // _SAMPLE_SIZE + 1].astype(np.float64)
        finite, fewest = values[np.isfinite(values)], sample.size
        if finite.size == 1:  # between the ends of the scores
            finite = np.unique(np.append(finite, sample[np.isfinite(sample)]))
        for scale in _scales(finite):
            cells = best._on_scale(scale, finite[[0, -1]])
            searched = cells._look_up(sample)[1].size
            if searched < fewest:
                best, fewest = cells, searched
            if fewest <= _ACCEPTED_SHARE * sample.size:
                break
        return best

    def _on_scale(self, scale: _Scale, ends: FloatArray) -> Cells:
        """Return cells of equal width in positions."""
        values = self.padded[:-1]
        number = 1 << (min(_CELLS_PER_VALUE * values.size, _MAX_CELLS) - 1).bit_length()
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            first, last = scale.positions(ends)
            width = number / (last - first)
            start = 1 - first * width
        if not (0 < width < np.inf and np.isfinite(start)):  # all are in the first cell
            width, start = 0.0, 0.0
        table = np.empty(number + 2, np.int32)
        cells = replace(self, table=table, scale=scale, width=float(width), start=float(start))
        cell = cells._cells(values)
        own = np.flatnonzero(np.diff(cell, prepend=-1))
        # Cells between two cells with values are in the same gap.
        gaps = np.diff(cell[own] + 1, prepend=0, append=table.size)
        table[:] = np.repeat(2 * np.append(own, values.size), gaps)
        table[cell[own]] = ~own
        return cells

    def blocks(self, scores: Scores) -> Blocks:
        """Return the block of each score."""
        found = np.empty(scores.shape, np.int32)

        def fill(pieces: Iterable[slice]) -> None:
            for piece in pieces:
                found[piece] = self.find(scores[piece])

        in_pieces(fill, scores.size)
        return found

    def find(self, some: Scores) -> npt.NDArray[np.integer[Any]]:
        """Return the blocks of scores that fit into the cache."""
        scores = some.astype(np.float64, copy=False)
        block: npt.NDArray[np.integer[Any]]
        if self.table.size:
            block, searched = self._look_up(scores)
            block[searched] = self._search(scores[searched])
        else:
            block = self._search(scores)
        if self.has_missing:
            block += 2
            block[np.isnan(scores)] = 1
        return block

    def _search(self, scores: FloatArray) -> IntArray:
        """Return the blocks of a few scores."""
        index = self.padded.searchsorted(scores)
        block: IntArray = 2 * index + (self.padded[index] == scores)
        block[np.isnan(scores)] = 0  # which sorts as the highest
        return block

    def _look_up(self, scores: FloatArray) -> tuple[Blocks, IntArray]:
        """Return blocks, and which are to be searched for, as their cell has several values."""
        block = self.table.take(self._cells(scores))
        near = np.flatnonzero(block < 0)
        index, some = ~block[near], scores[near]
        index += some > self.padded[index]
        value = self.padded[index]
        block[near] = 2 * index + (some == value)
        return block, near[some > value]

    def _cells(self, scores: FloatArray) -> Blocks:
        """Return the cell of each score; NaN is in the first."""
        with np.errstate(over="ignore", invalid="ignore"):
            at = self.scale.positions(scores)
            at *= self.width
            at += self.start
        np.fmax(at, 0.0, out=at)
        np.minimum(at, self.table.size - 1, out=at)
        return at.astype(np.int32)


def _scales(values: FloatArray) -> Iterator[_Scale]:
    """Yield the scales to try for finite values."""
    if not values.size:
        return
    yield _Scale(values[0].item())
    with np.errstate(over="ignore"):
        for share in _CENTERS:
            center = values[int(share * (values.size - 1))].item()
            near = np.quantile(np.abs(values - center), _NEAR).item()
            yield _Scale(center, near or _NEAREST * (values[-1] - values[0]).item() or 1.0)
