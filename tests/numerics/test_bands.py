"""Bands against rational arithmetic, a literal bootstrap, and simulated coverage."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

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
