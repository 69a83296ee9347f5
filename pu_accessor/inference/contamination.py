"""Known positives that are not all positive: rankings in which some are known negatives instead.

Of n known positives at most w are negative, and nobody knows which. A wrong one is worst for a
ranking at its top: it counts as a false positive there, and says of the true ones that they lie
lower. It is best at the bottom. In between it can make others scatter more.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np

from pu_accessor.ranking import CountArray, FloatArray, IntArray, Ranking, Refiner

_GROWTH = 1.4  # of numbers of wrong ones that are tried
_PLACES = 9  # of wrong ones among the known positives


def count_wrong(known: int, contamination: float) -> int:
    """Return how many known positives may be wrong.

    Examples
    --------
    >>> count_wrong(100, 0.29), count_wrong(9, 0.1)
    (29, 0)
    """
    return floor(Fraction(str(contamination)) * known)


def sets_to_try(known: int, most: int) -> list[tuple[int, int]]:
    """Return numbers of wrong known positives, from 1 to the most, and of those above them.

    Examples
    --------
    >>> [wrong for wrong, first in sets_to_try(40, 15) if first == 0]
    [1, 2, 3, 4, 5, 7, 9, 12, 15]
    >>> [first for wrong, first in sets_to_try(40, 6) if wrong == 6]
    [0, 1, 2, 4, 8, 12, 17, 21, 25, 29, 33, 34]
    """
    numbers, following = [], 1
    while following < most:
        numbers.append(following)
        following = max(following + 1, floor(following * _GROWTH))
    numbers += [most] if most else []
    return [(wrong, first) for wrong in numbers for first in _places_to_try(known, wrong)]


def missing_positives(above: Any, known: Any, wrong: Any) -> tuple[Any, Any, Any]:
    """Return how many known positives are none at the lower, at no, and at the upper bound.

    At the lower one as many above the cutoff as can be, at the upper one below it: each further
    wrong one above makes any metric worse, and each further one below makes it better.

    Examples
    --------
    >>> missing_positives(np.array([0, 1, 5]), 5, 2)
    (array([0, 1, 2]), array([0, 0, 0]), array([2, 2, 0]))
    """
    return np.minimum(above, wrong), 0 * above, np.minimum(known - above, wrong)


@dataclass(frozen=True, eq=False)
class _Relabeled:
    """Adds cutoffs to a ranking in which some known positives are negative."""

    refiner: Refiner
    wrong: int
    first: int  # known positives above these

    def refine(self, ranking: Ranking, unlabeled: CountArray) -> Ranking:
        """Add the cutoffs that enclose some counts of unlabeled examples."""
        return self._relabel_new(ranking, self.refiner.refine(ranking, unlabeled))

    def reach(self, ranking: Ranking, ranks: CountArray) -> Ranking:
        """Add the last attained cutoff at or before each of some ranks."""
        return self._relabel_new(ranking, self.refiner.reach(ranking, ranks))

    def above_each(self, thresholds: FloatArray) -> CountArray:
        """Return the number of examples at or above each of some scores."""
        return self.refiner.above_each(thresholds)

    def _relabel_new(self, ranking: Ranking, finer: Ranking) -> Ranking:
        """Relabel the cutoffs that were added, whose counts are those of the labels."""
        if finer is ranking:  # by which it is seen that none was
            return ranking
        known = finer.known_positive
        right = _right(known, self.wrong, self.first)
        return _put(finer, np.where(np.isin(finer.rank, ranking.rank), known, right))


def _right(known: IntArray, wrong: int, first: int) -> IntArray:
    """Return how many of the known positives at or above each cutoff are positive."""
    right: IntArray = known - np.clip(known - first, 0, wrong)
    return right


def _put(ranking: Ranking, right: IntArray) -> Ranking:
    """Return a ranking in which the other known positives are negative."""
    negative = ranking.known_negative + ranking.known_positive - right
    return replace(ranking, known_positive=right, known_negative=negative)


def _places_to_try(known: int, wrong: int) -> list[int]:
    """Return numbers of known positives above so many wrong ones."""
    most = known - wrong
    every = [*np.linspace(0, most, _PLACES).astype(int).tolist(), 1, 2, most - 1]
    return sorted({place for place in every if 0 <= place <= most})


def relabel(ranking: Ranking, wrong: int, first: int) -> Ranking:
    """Return a ranking in which so many known positives are negative, with `first` above them.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(5), np.array([0, 1, 1, 2, 3])
    >>> ranking = Ranking(rank, 4.5 - rank, known, 0 * known, rank - known, Counts(3, 0, 1))
    >>> for first in (0, 2):
    ...     print(relabel(ranking, 1, first).known_positive)
    [0 0 0 1 2]
    [0 1 1 2 2]
    """
    n, negative, _ = ranking.total
    turned = _put(ranking, _right(ranking.known_positive, wrong, first))
    refiner, whole = ranking.refiner, ranking.whole
    return replace(
        turned,
        total=ranking.total._replace(known_positive=n - wrong, known_negative=negative + wrong),
        refiner=None if refiner is None else _Relabeled(refiner, wrong, first),
        whole=None if whole is None else relabel(whole, wrong, first),
    )
