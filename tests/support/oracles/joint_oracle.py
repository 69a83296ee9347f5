"""Joint limits and chosen cutoffs, by brute force: written without sight of the package."""

from fractions import Fraction
from itertools import product
from math import cos, pi, sin

__all__ = ["deepest", "disc_limits"]


def disc_limits(
    values: tuple[float, float, float],
    downs: tuple[float, float, float],
    ups: tuple[float, float, float],
    steps: int = 400,
) -> tuple[float, float]:
    """Return the lowest and highest of a value while two errors stay in the unit disc.

    Each argument is at the estimate of beta, at its lower and at its upper limit. The first error
    moves beta towards one of these, the second moves the value at that beta.
    """
    lowest, highest = values[0], values[0]
    for step, end in product(range(4 * steps), (1, 2)):
        angle = pi * step / (8 * steps - 2)
        off, left = sin(angle), cos(angle)
        value, down, up = (some[0] + off * (some[end] - some[0]) for some in (values, downs, ups))
        lowest, highest = min(lowest, value - left * down), max(highest, value + left * up)
    return lowest, highest


def deepest(tables: list[tuple[int, int, int, int]], goal: str, value: float) -> int:
    """Return the rank that meets a goal, of the least favourable tables tp, fp, fn, tn.

    Precision is met by any table. The others are looked at one by one, recall from the last on,
    the false positive rate from the first on, until one fails.
    """
    share = Fraction(value).limit_denominator(10**6)
    found = 0
    for tp, fp, fn, tn in tables if goal != "recall" else reversed(tables):
        rank = tp + fp
        if goal == "precision":
            found = rank if rank and Fraction(tp, rank) >= share else found
            continue
        met = Fraction(fp, fp + tn) <= share if goal == "fpr" else Fraction(tp, tp + fn) >= share
        if not met:
            break
        found = rank
    return found
