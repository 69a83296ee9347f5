"""The largest number up to which a statement holds, by halving an interval on the log scale."""

from collections.abc import Callable
from math import inf

_PRECISION = 1e-3  # of a breaking point, relative
_FARTHEST = 1e9  # a larger factor counts as unlimited


def last_that_holds(
    holds: Callable[[float], bool], low: float, high: float, precision: float
) -> float:
    """Return the largest number that holds, given one that holds and one that does not.

    Examples
    --------
    >>> last_that_holds(lambda number: number <= 3, 1.0, 8.0, 1e-3) // 0.01 / 100
    2.99
    """
    while high > low * (1 + precision):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def find_breaking_point(holds: Callable[[float], bool]) -> float:
    """Return the largest factor of the odds of being labeled up to which a conclusion holds.

    Examples
    --------
    >>> find_breaking_point(lambda odds: odds < 3) // 0.01 / 100
    2.99
    >>> find_breaking_point(lambda odds: False), find_breaking_point(lambda odds: True)
    (1.0, inf)
    """
    if not holds(1.0):
        return 1.0
    if holds(inf):
        return inf
    low, high = 1.0, 2.0
    while high < _FARTHEST and holds(high):
        low, high = high, high**2
    return last_that_holds(holds, low, high, _PRECISION)
