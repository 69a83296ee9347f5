"""Find the largest number for which a condition is true, by bisection on a log scale."""

from collections.abc import Callable
from functools import partial
from math import exp, inf
from operator import ge

_SLOPE = 0.87  # of the log of the miss probability, by the log of the local level
_PRECISION = 1e-3  # of a breaking point, relative
_MAX_FACTOR = 1e9  # larger factors count as unlimited


def _bisect(
    is_true: Callable[[float], bool], low: float, high: float, precision: float
) -> tuple[float, float]:
    """Return a number that satisfies the condition and one that does not, within the precision."""
    while high > low * (1 + precision):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if is_true(middle) else (low, middle)
    return low, high


def largest_without_excess(
    excess: Callable[[float], float], low: float, high: float, precision: float, guess: float
) -> float:
    """Return the number bisection gives for `excess` <= 0, or `high`, by fewer evaluations."""
    # Steps double while they go one way; only numbers that bisection can return are evaluated.
    largest_good, smallest_bad, factor, number = low, inf, 1.0, guess
    was_good: bool | None = None
    while largest_good < high:
        start, end = _bisect(partial(ge, number), low, high, precision)
        candidate = start if start > largest_good else end
        if candidate >= smallest_bad:
            break
        here = excess(candidate)
        good = here <= 0
        if good:
            largest_good = candidate
        else:
            smallest_bad = candidate
        factor, was_good = 2 * factor if good is was_good else 1.0, good
        step = factor * max(abs(here), precision) / _SLOPE
        number = candidate * exp(step if good else -step)
        if not largest_good < number < smallest_bad:
            number = (largest_good * smallest_bad) ** 0.5
    return largest_good


def breaking_point(is_true: Callable[[float], bool]) -> float:
    """Return the largest factor of the odds of being labeled for which a conclusion is true."""
    if not is_true(1.0):
        return 1.0
    if is_true(inf):
        return inf
    low, high = 1.0, 2.0
    while high < _MAX_FACTOR and is_true(high):
        low, high = high, high**2
    return _bisect(is_true, low, high, _PRECISION)[0]
