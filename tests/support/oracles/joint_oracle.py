"""Joint limits and chosen cutoffs, by brute force: written without sight of the package."""

from fractions import Fraction
from itertools import product
from math import cos, pi, sin

Three = tuple[float, float, float]


def disc_limits(values: Three, downs: Three, ups: Three) -> tuple[float, float]:
    """Return the lowest and highest of a value while two errors stay in the unit disc.

    Each argument is at the estimate of beta, at its lower and at its upper limit. The first error
    moves beta towards one of these, the second moves the value at that beta.
    """
    lowest, highest, steps = values[0], values[0], 400
    for step, end in product(range(4 * steps), (1, 2)):
        angle = pi * step / (8 * steps - 2)
        value, down, up = (x[0] + sin(angle) * (x[end] - x[0]) for x in (values, downs, ups))
        lowest = min(lowest, value - cos(angle) * down)
        highest = max(highest, value + cos(angle) * up)
    return lowest, highest


def deepest(tables: list[tuple[int, int, int, int]], goal: str, value: float) -> int:
    """Return the rank that meets a goal, of the least favourable tables tp, fp, fn, tn.

    Precision is met by any table. The others are looked at one by one, recall from the last on,
    the false positive rate from the first on, until one fails.
    """
    share, found = Fraction(value).limit_denominator(10**6), 0
    for tp, fp, fn, tn in tables if goal != "recall" else reversed(tables):
        if goal == "precision":
            found = tp + fp if tp + fp and Fraction(tp, tp + fp) >= share else found
        elif Fraction(fp, fp + tn) <= share if goal == "fpr" else Fraction(tp, tp + fn) >= share:
            found = tp + fp
        else:
            break
    return found
