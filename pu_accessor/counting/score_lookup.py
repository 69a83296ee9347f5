"""Where scores lie among some values, each looked up in a table of cells of equal width."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pu_accessor.ranking import FloatArray, IntArray

_CELLS, _FEWEST, _MOST = 16, 1 << 12, 1 << 22  # for each value; fewest, most
_COMPARED = 4  # values that a score is compared with before it is searched for
_SHAPES = 1.0, 2.0**-8, 2.0**-40  # see `Lookup`
_LEAST = np.finfo(np.float64).tiny  # the bits of 0.0 and of -0.0 differ
_SAMPLE, _FEW = 1 << 10, 0.4  # scores that are tried, and a share of them to be content with


@dataclass(frozen=True, eq=False)
class Lookup:
    """Finds the block of each score: the gap below the lowest value, that value, and so on.

    Gaps have even numbers and values odd ones. Cells are of equal width in the bits of what a
    score is above `low`, which rise with it: if `low` is as far below the values as they are
    apart, that is as even as scores, if it is close to them, as logarithms.
    """

    values: FloatArray  # ascending, distinct, without NaN
    low: float
    first: np.int64  # the bits at which cell 0 starts
    width: np.int64  # of a cell: bits are shifted by it
    table: npt.NDArray[np.int32]  # the block of cells without a value; of others ~ the first value

    @classmethod
    def of(cls, values: FloatArray, scores: npt.NDArray[np.floating]) -> Lookup:
        """Make the table that suits such scores.

        Examples
        --------
        >>> scores = np.array([0.5, 1.0, 1.5, 2.0, np.inf, np.nan])
        >>> Lookup.of(np.array([1.0, 2.0]), scores).blocks(scores)
        array([0, 1, 2, 3, 4, 0])
        """
        sample = scores[:: scores.size // _SAMPLE + 1].astype(np.float64, copy=False)
        best, fewest = cls._with(values, _SHAPES[0]), sample.size + 1
        for shape in _SHAPES:
            lookup = cls._with(values, shape)
            near = int(np.count_nonzero(lookup._look(sample) < 0))
            if near < fewest:
                best, fewest = lookup, near
            if near <= _FEW * sample.size:
                break
        return best

    @classmethod
    def _with(cls, values: FloatArray, shape: float) -> Lookup:
        """Make the table with `low` below the values by a share of what they are apart."""
        finite = values[np.isfinite(values)]
        lowest, highest = (finite[0], finite[-1]) if finite.size else (0.0, 0.0)
        cells = (min(max(_CELLS * values.size, _FEWEST), _MOST) - 1).bit_length()
        with np.errstate(over="ignore", invalid="ignore"):
            low = lowest - shape * ((highest - lowest) or abs(highest) or 1.0)
            start, end = (np.array([lowest, highest]) - low).view(np.int64)
        width = np.int64(max(int(end - start).bit_length() - cells, 0))
        table = np.zeros((1 << cells) + 3, np.int32)
        lookup = cls(values, float(low), start - (np.int64(1) << width), width, table)
        cell = lookup._cells(values)
        place = np.flatnonzero(np.diff(cell, prepend=-1))
        # Between two cells with values it is the same gap.
        gaps = np.diff(cell[place] + 1, prepend=0, append=table.size)
        table[:] = np.repeat(2 * np.append(place, values.size), gaps)
        table[cell[place]] = ~place
        return lookup

    def blocks(self, scores: FloatArray) -> IntArray:
        """Return the block of each score; NaN is in the gap below the lowest value."""
        block = self._look(scores).astype(np.int64)
        near = np.flatnonzero(block < 0)
        if near.size:
            block[near] = self._search(scores[near], ~block[near])
        return block

    def _look(self, scores: FloatArray) -> npt.NDArray[np.int32]:
        """Return what the table says of each score."""
        return self.table.take(self._cells(scores))

    def _cells(self, scores: FloatArray) -> IntArray:
        """Return the cell of each score; it never falls as scores rise, despite rounding."""
        with np.errstate(over="ignore", invalid="ignore"):
            way = scores - self.low
        cell: IntArray = np.fmax(way, _LEAST, out=way).view(np.int64)  # also of NaN
        cell -= self.first
        cell >>= self.width
        return cell.clip(0, self.table.size - 1, out=cell)

    def _search(self, scores: FloatArray, first: IntArray) -> IntArray:
        """Return the block of each score, from the first value that it can equal."""
        last = self.values.size - 1
        place, far = first + (self.values[first] < scores), np.arange(scores.size)
        for _ in range(_COMPARED):
            far = far[self.values[np.minimum(place[far], last)] < scores[far]]
            place[far] += 1
        place[far] = self.values.searchsorted(scores[far])
        block: IntArray = 2 * place + (self.values[np.minimum(place, last)] == scores)
        return block
