"""Bands against rational arithmetic, a literal bootstrap, and simulated coverage."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pu_accessor.inference.bands.exact import exact
from pu_accessor.inference.bands.lookup import BANDS, latent_bounds
from tests.cases import binormal
from tests.support.oracles import oracle

LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999999])

ORACLES = {
    "exact": oracle.exact_band,
    "bootstrap": oracle.bootstrap_band,
    "dkw": oracle.dkw_band,
    "simultaneous": oracle.simultaneous_band,
}


@pytest.mark.parametrize("band", sorted(BANDS))
@given(n=st.integers(1, 40), m=st.integers(0, 120), level=LEVELS)
@example(1, 19, 0.9)  # 1/(1 + m) is half of what is allowed itself: it is rejected
@example(1, 39, 0.95)
@example(2, 5, 0.5)
def test_band_agrees_with_rational_arithmetic(band: str, n: int, m: int, level: float) -> None:
    # The local level is searched for, and may end just before a limit changes.
    assume(band != "simultaneous" or not oracle.is_at_the_edge(n, m, level))
    lower, upper = latent_bounds(band, n, m, level)
    assert (lower.tolist(), upper.tolist()) == ORACLES[band](n, m, level)


@pytest.mark.parametrize(("known", "width"), [(0.05, 0.147), (0.3, 0.046), (0.9, 0.004)])
def test_bootstrap_widths_on_the_setting_of_the_paper(known: float, width: float) -> None:
    # 2,000 positives N(1, 1), 10,000 negatives N(0, 1); widths of the AUROC range measured with
    # an independent implementation, to three digits; the mean of five draws.
    areas = []
    for seed in range(5):
        frame, beta, _ = binormal(2000, 10000, known, seed)
        tables = frame.pu.contingency(beta, band="bootstrap", ranks="breakpoints")
        areas.append(tables.pu.area("auroc").isel(beta=0).values)
    lower, _, upper = np.mean(areas, axis=0)
    assert upper - lower == pytest.approx(width, rel=0.05, abs=0.001)


@pytest.mark.parametrize("m", [2**31 + 11, 2**45 + 7])
def test_products_of_counts_that_no_float_holds(m: int) -> None:
    n = 40_001
    fewest, most = latent_bounds("bootstrap", n, m, 0.95)
    for k in (1, 2, 7, 20_000, 33_333, 40_000):
        # Shares of n that resampled known positives have: whole numbers of them, times m over n.
        assert any(fewest[k] == j * m // n for j in range(k + 1))
        assert any(most[k] == -(-j * m // n) for j in range(k, n + 1))


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
