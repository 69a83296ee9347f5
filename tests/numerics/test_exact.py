"""The exact band at large counts, against tails in rational ratios, summed without rounding."""

from fractions import Fraction

import numpy as np
import pytest

from pu_accessor.inference.bands.exact import exact

DIGITS = 10**60


def tail_limits(n: int, m: int, k: int, count: int) -> tuple[Fraction, Fraction]:
    """Return P(V_k <= count - 1) and P(V_k <= count), truncated at 60 digits.

    V_k <= v where k + v positives hold k known ones or more: a hypergeometric tail, from its term
    at k by ratios of integers. Terms under the last digit are left out.
    """

    def tail(v: int) -> Fraction:
        if v < 0:
            return Fraction(0)
        above = term = DIGITS
        for j in range(k, min(n, k + v)):
            term = term * (n - j) * (k + v - j) // ((j + 1) * (m - v - k + j + 1))
            above += term
            if not term:
                break
        below, term = 0, DIGITS
        for j in range(k, max(0, k + v - m), -1):
            term = term * j * (m - v - k + j) // ((n - j + 1) * (k + v - j + 1))
            below += term
            if not term:
                break
        return Fraction(above, above + below)

    return tail(count - 1), tail(count)


def test_tail_by_hand() -> None:
    # Of 2 known and 2 latent positives in any order, none is above the first known one in 1/2,
    # at most one in 5/6.
    before, through = tail_limits(2, 2, 1, 1)
    assert abs(before - Fraction(1, 2)) < Fraction(1, 10**50)
    assert abs(through - Fraction(5, 6)) < Fraction(1, 10**50)


def some_known(n: int, seed: int) -> list[int]:
    """Return both ends, the places where the ways of computing meet, and some at random."""
    ends = [1, 2, 47, 48, 49, 50, n - 49, n - 48, n - 47, n - 1, n]
    drawn = np.random.default_rng(seed).integers(1, n + 1, 12)
    return sorted({k for k in [*ends, n // 2, *drawn.tolist()] if 1 <= k <= n})


SIZES = [(1, 1_000_000), (60, 300_000), (150, 25_000), (145, 20_000), (5_000, 3_000_000)]
SIZES += [(20_000, 20_000), (20_000, 19_999), (30_000, 100), (50_000, 1_000_000)]


@pytest.mark.parametrize("level", [0.5, 0.95, 1 - 1e-7])
@pytest.mark.parametrize(("n", "m"), SIZES)
def test_limits_are_exact(n: int, m: int, level: float) -> None:
    lower, upper = exact(n, m, level)
    tail = Fraction((1 - level) / 2)
    for k in some_known(n, seed=m):
        before, through = tail_limits(n, m, k, int(lower[k]))
        assert before <= tail < through
    assert (upper == m - lower[::-1]).all()
    assert (np.diff(lower) >= 0).all()
