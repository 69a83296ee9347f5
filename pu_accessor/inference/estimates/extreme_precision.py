"""The lowest and the highest average precision, where known positives may weigh a factor more."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pu_accessor.inference.estimates.known_positives import Blocks
from pu_accessor.ranking import FloatArray, IntArray

Search: TypeAlias = Literal["place", "near", "any"]

_PARTS = 2.0 ** np.arange(-6, 0)  # of a known positive, which may be in between
_LARGEST = 100  # blocks, in which other numbers are tried
_MOVES = 1000
_EQUAL = 1e-10


class _Sums(NamedTuple):
    """What average precision depends on, over the known positives that weigh more."""

    number: FloatArray
    alone: FloatArray  # the sum of 1 by the examples at or above each
    mixed: FloatArray  # the same over pairs of one of them and any
    pairs: FloatArray  # and over pairs of two of them
    between: FloatArray  # the sum of f(1 - f), where a part f of one weighs more
    between_alone: FloatArray  # the same by the examples at or above it


@dataclass(frozen=True, eq=False)
class WeighedPrecision:
    """Average precision where some known positives of each block weigh more than others.

    As those of a block are tied, their number is all that matters. One of each block may be in
    between: a number of 2.25 stands for two that weigh G, and one that weighs 1 + (G - 1)/4.

    Examples
    --------
    >>> found, end = np.array([1, 1, 1, 2]), np.array([12, 16, 18, 22])
    >>> weighed = WeighedPrecision(Blocks(found, found.cumsum(), end - found, end), 12.6, 3.0)
    >>> for search in ("place", "any"):  # below which all weigh more, and wherever they do
    ...     lowest, heavier = weighed.find(False, search)
    ...     print(round(lowest, 5), heavier)
    0.36952 [0. 1. 1. 2.]
    0.36407 [0. 0. 1. 0.]

    Notes
    -----
    In all cases tried, where no scores are tied the heaviest are at the top for the highest value,
    and at the bottom for the lowest, with one in between. Where scores are tied the two of a pair
    each count the other, so that a large block may be worth more weight than a better place. The
    search reaches what a general minimizer does from many starts within .0002, for factors up to
    30, and within .004 above: in 2,000 draws of each, with up to 100 known positives.
    """

    blocks: Blocks
    positives: float  # known and latent ones
    odds: float  # the factor G

    def find(self, highest: bool, search: Search) -> tuple[float, FloatArray]:
        """Return the lowest or the highest value, and how many of each block weigh more there.

        That of the best "place" is where all above it weigh more, or all below it. From there it
        is followed to one "near", each time to the number in one block that makes it most extreme.
        As this may end too early where scores are tied, a search for "any" starts from none, too.
        """
        found, sign = self.blocks.found, -1.0 if highest else 1.0
        place = self._best_place(sign)
        if search == "place":
            return float(self._value(self._sums(place))), place
        ends = [self._follow(place, sign)]
        if search == "any" and found.size <= _LARGEST and found.max() > 1:
            ends.append(self._follow(np.zeros(found.size), sign))
        return min(ends, key=lambda end: sign * end[0])

    def _best_place(self, sign: float) -> FloatArray:
        """Return the most extreme numbers if all above a place weigh more, or all below it."""
        known, alone, pairs = self._all
        number, alone_above, pairs_above = (
            np.append(0.0, np.cumsum(each)) for each in (self.blocks.found, alone, pairs)
        )
        mixed = 2 * pairs_above + number * (alone.sum() - alone_above)
        if sign > 0:
            pairs_above = pairs.sum() - mixed + pairs_above
            number, alone_above = known - number, alone.sum() - alone_above
            mixed = 2 * pairs.sum() - mixed
        none = np.zeros(number.size)
        sums = _Sums(number, alone_above, mixed, pairs_above, none, none)
        place = int(np.argmin(sign * self._value(sums)))
        above = np.arange(self.blocks.found.size) < place
        return np.where(above == (sign < 0), self.blocks.found, 0.0)

    def _follow(self, heavier: FloatArray, sign: float) -> tuple[float, FloatArray]:
        """Return the most extreme value that such steps lead to, and the numbers there."""
        found = self.blocks.found
        rows = np.argsort(-found, kind="stable")[:_LARGEST]
        sizes = np.concatenate([_PARTS, 2.0 ** np.arange(np.log2(found.max()) + 1), [np.inf]])
        sizes = np.append(sizes, -sizes)
        value = float(self._value(self._sums(heavier)))
        for _ in range(_MOVES):
            now = heavier[rows, np.newaxis]
            moves = np.clip(now + sizes, 0, found[rows, np.newaxis]) - now
            values = self._value(self._moved(heavier, rows, moves))
            row, move = np.unravel_index(np.argmin(sign * values), values.shape)
            moved = heavier.copy()
            moved[rows[row]] += moves[row, move]
            reached = float(self._value(self._sums(moved)))  # without the rounding of differences
            if not sign * reached < sign * value - _EQUAL:
                break
            value, heavier = reached, moved
        return value, heavier

    @cached_property
    def _all(self) -> tuple[float, FloatArray, FloatArray]:
        """The known positives, and what those of each block add, alone and in pairs."""
        found, known, _, end = self.blocks
        return float(known[-1]), found / end, found * known / end

    def _sums(self, heavier: FloatArray) -> _Sums:
        """Sum over the heavier known positives."""
        found, known, _, end = self.blocks
        above, part = np.cumsum(heavier), _part(heavier)
        terms = heavier, heavier / end, (found * above + heavier * known) / end
        return _Sums(*(each.sum() for each in (*terms, heavier * above / end, part, part / end)))

    def _moved(self, heavier: FloatArray, rows: IntArray, moves: FloatArray) -> _Sums:
        """Return the sums with other numbers in one block, shape (rows, moves)."""
        found, known, _, end = self.blocks
        by_end = 1 / end[rows, np.newaxis]

        def with_rest(terms: NDArray[Any], above: NDArray[Any]) -> FloatArray:
            below = np.cumsum((terms / end)[::-1])[::-1]  # and itself
            joined: FloatArray = below[rows, np.newaxis] + above[rows, np.newaxis] * by_end
            return moves * joined

        now = heavier[rows, np.newaxis]
        part = _part(now + moves) - _part(now)
        pairs = with_rest(heavier, np.cumsum(heavier)) + moves**2 * by_end
        added = moves, moves * by_end, with_rest(found, known), pairs, part, part * by_end
        return _Sums(*(one + more for one, more in zip(self._sums(heavier), added, strict=True)))

    def _value(self, sums: _Sums) -> FloatArray:
        """Return average precision, by pairs of known positives."""
        known, alone, pairs = self._all[0], *(each.sum() for each in self._all[1:])
        latent = (self.positives - known) / (known + (self.odds - 1) * sums.number)
        light, more = 1 + latent, (self.odds - 1) * latent
        more_squared = more * (2 * light + more)
        itself = light**2 * alone + more_squared * sums.alone - more**2 * sums.between_alone
        others = light * (light * pairs + more * sums.mixed) + more**2 * sums.pairs - itself
        squares = light**2 * known + more_squared * sums.number - more**2 * sums.between
        scale = (self.positives - 1) / (self.positives**2 - squares)
        value: FloatArray = (light * alone + more * sums.alone) / self.positives + scale * others
        return value


def _part(heavier: FloatArray) -> FloatArray:
    """Return f(1 - f) of the part f by which one weighs more."""
    part: FloatArray = heavier % 1 * (1 - heavier % 1)
    return part
