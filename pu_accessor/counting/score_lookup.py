"""Find scores among sorted values by a table of cells of equal width, faster than by bisection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pu_accessor.ranking import FloatArray, IntArray

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
