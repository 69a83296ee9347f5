"""By which factor the odds of being labeled may differ before a conclusion breaks."""

from collections.abc import Callable
from math import inf

__all__ = ["find_breaking_point"]

_PRECISION = 1e-3  # relative
_FARTHEST = 1e9  # beyond which a factor is as good as none


def find_breaking_point(holds: Callable[[float], bool]) -> float:
    """Return the largest factor up to which a conclusion holds.

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
    while high > low * (1 + _PRECISION):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
