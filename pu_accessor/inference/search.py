"""Searches for the largest number up to which a statement holds, and for the lowest limit."""

from collections.abc import Callable
from functools import partial
from math import exp, inf
from operator import ge

_POWER = 0.87  # of a local level, that the probability of missing a cutoff grows with
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
    return _halve(holds, low, high, precision)[0]


def _halve(
    holds: Callable[[float], bool], low: float, high: float, precision: float
) -> tuple[float, float]:
    """Return a number that holds and one that does not, as near as the precision says."""
    while high > low * (1 + precision):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high


def last_of_power(
    excess: Callable[[float], float], low: float, high: float, precision: float, number: float
) -> float:
    """Return what `last_that_holds` does where `excess` is at most 0, after fewer looks.

    Or `high`, if that holds. `excess` is a logarithm, and grows about as a multiple of that of the
    number: the next number is as far away as that says, then twice as far, four times. Only places
    are tried where `last_that_holds` can end. `number` is a first guess.

    Examples
    --------
    >>> from math import log
    >>> looks = []
    >>> def excess(number):
    ...     looks.append(number)
    ...     return 0.9 * log(number / 3)
    >>> last_of_power(excess, 1.0, 8.0, 1e-3, 2.0) // 0.01 / 100, len(looks)
    (2.99, 5)
    """
    holds, fails, reach = low, inf, 1.0
    before: bool | None = None
    while holds < high:
        start, end = _halve(partial(ge, number), low, high, precision)
        tried = start if start > holds else end
        if tried >= fails:
            break
        here = excess(tried)
        now = here <= 0
        holds, fails = (tried, fails) if now else (holds, tried)
        reach, before = 2 * reach if now is before else 1.0, now
        step = reach * max(abs(here), precision) / _POWER
        number = tried * exp(step if now else -step)
        if not holds < number < fails:
            number = (holds * fails) ** 0.5
    return holds


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
