"""Bands against rational arithmetic, a literal bootstrap, and simulated coverage."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pu_accessor.inference.bands.exact import exact_within
from pu_accessor.inference.bands.lookup import (
    BANDS,
    latent_bounds,
    latent_bounds_each,
)
from pu_accessor.inference.bands.simultaneous import simultaneous
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
def test_band_agrees_with_rational_arithmetic(band: str, n: int, m: int, level: float) -> None:
    lower, upper = latent_bounds(band, n, m, level)
    assert (lower.tolist(), upper.tolist()) == ORACLES[band](n, m, level)


def test_bootstrap_at_a_high_level() -> None:
    _, upper = latent_bounds("bootstrap", 40, 27, 0.999999)
    assert upper.tolist() == oracle.bootstrap_band(40, 27, 0.999999)[1]


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("m", [0, 1, 2, 5, 19, 39])
def test_exact_band_takes_probabilities_on_the_limit_as_rejected(n: int, m: int) -> None:
    # 1/(1 + m) is alpha/2 itself at n = 1, m = 19, level .9 and n = 1, m = 39, level .95.
    for level in (0.5, 0.8, 0.9, 0.95, 0.99):
        lower, upper = latent_bounds("exact", n, m, level)
        assert (lower.tolist(), upper.tolist()) == oracle.exact_band(n, m, level)


def test_exact_band_by_hand() -> None:
    # One known positive among m = 3: the latent ones above it are 0, 1, 2 or 3, each with
    # probability 1/4. At level .4 the tail is .3: P(V <= 0) = .25, P(V <= 1) = .5.
    lower, upper = latent_bounds("exact", 1, 3, 0.4)
    assert lower.tolist() == [0, 1]
    assert upper.tolist() == [2, 3]


@pytest.mark.parametrize(
    ("n", "m", "known"),
    [(300, 4000, [1, 2, 37, 150, 299, 300]), (300, 40, [1, 150, 300]), (3, 9000, [1, 2, 3])],
)
def test_exact_band_on_large_counts(n: int, m: int, known: list[int]) -> None:
    lower, upper = latent_bounds("exact", n, m, 0.95)
    for k in known:
        assert lower[k] == oracle.exact_lower(n, m, k, Fraction(1, 40))
        assert upper[n - k] == m - lower[k]


def test_exact_band_on_millions() -> None:
    # The beta-binomial tail in 40 digits, by ratios of neighbouring probabilities outward from
    # the count; too slow for each k, so a few.
    n, m = 50_000, 1_000_000
    lower, _ = latent_bounds("exact", n, m, 0.95)
    for k in (1, 10, 5_000, 25_000, 49_999, 50_000):
        count = int(lower[k])
        with localcontext() as context:
            context.prec = 40
            # All terms relative to the one at `count`; the sum over all counts normalises them.
            total_below, term = Decimal(1), Decimal(1)
            for v in range(count, max(count - 40_000, 0), -1):
                term *= Decimal(v * (n - k + m - v + 1)) / Decimal((m - v + 1) * (k + v - 1))
                total_below += term
            total_above, term = Decimal(0), Decimal(1)
            for v in range(count, min(count + 60_000, m)):
                term *= Decimal((m - v) * (k + v)) / Decimal((v + 1) * (n - k + m - v))
                total_above += term
            whole = total_below + total_above
            assert total_below / whole > Decimal("0.025")
            assert (total_below - 1) / whole <= Decimal("0.025") or count == 0


def test_exact_band_keeps_the_order_of_its_arguments() -> None:
    lower, upper = latent_bounds("exact", 20, 200, 0.95)
    assert lower[0] == 0
    assert upper[20] == 200
    wider_lower, wider_upper = latent_bounds("exact", 20, 200, 0.99)
    assert (wider_lower <= lower).all()
    assert (wider_upper >= upper).all()
    assert (wider_lower < lower).any()


@pytest.mark.parametrize("band", sorted(BANDS))
@pytest.mark.parametrize("level", [0.2, 0.5, 0.95, 1 - 1e-12])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 1000), (1000, 1), (50, 7), (7, 50), (300, 300)])
def test_bounds_enclose_the_share_of_the_known_positives(
    band: str, level: float, n: int, m: int
) -> None:
    lower, upper = latent_bounds(band, n, m, level)
    share = np.arange(n + 1) * m / n
    assert (lower <= share + 0.5).all()
    assert (share - 0.5 <= upper).all()
    assert (np.diff(lower) >= 0).all()
    assert (np.diff(upper) >= 0).all()


def test_bootstrap_is_the_limit_of_a_literal_bootstrap() -> None:
    # The n known positives stand at ranks 1..n; resampled 20,000 times.
    n, m, resamples = 40, 4000, 20_000
    rng = np.random.default_rng(2015)
    cut = list(range(n + 1))
    low, high = oracle.resampled_rank_cdf(list(range(1, n + 1)), cut, 0.95, resamples, rng)
    lower, upper = latent_bounds("bootstrap", n, m, 0.95)
    # A percentile of 20,000 draws is that of the limit, or its neighbour where the CDF passes
    # near the percentile: one known positive is m/n = 100 latent ones.
    assert np.abs(lower - np.array(low) * m).max() <= m / n
    assert np.abs(upper - np.array(high) * m).max() <= m / n
    assert np.mean(lower == np.round(np.array(low) * m)) > 0.9
    assert np.mean(upper == np.round(np.array(high) * m)) > 0.9


def test_exact_band_covers_at_each_cutoff_where_the_bootstrap_does_not() -> None:
    # Half of the 400 positives are known: positions of the known ones among all are a random
    # sample. Coverage at a cutoff: the latent ones above it lie within the band.
    n, m, draws = 200, 200, 400
    rng = np.random.default_rng(7)
    inside = {"exact": np.zeros(n + m + 1), "bootstrap": np.zeros(n + m + 1)}
    tables = {band: latent_bounds(band, n, m, 0.95) for band in inside}
    for _ in range(draws):
        known = np.zeros(n + m + 1, dtype=np.int64)
        known[1 + rng.choice(n + m, n, replace=False)] = 1
        k = np.cumsum(known)
        latent = np.arange(n + m + 1) - k
        for band, (lower, upper) in tables.items():
            inside[band] += (lower[k] <= latent) & (latent <= upper[k])
    covered = {band: count / draws for band, count in inside.items()}
    assert covered["exact"].min() > 0.95 - 4 * (0.05 * 0.95 / draws) ** 0.5
    assert covered["bootstrap"].mean() < 0.90


@pytest.mark.parametrize(
    ("known", "width"), [(0.05, 0.147), (0.1, 0.099), (0.3, 0.046), (0.5, 0.025), (0.9, 0.004)]
)
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


@pytest.mark.parametrize("odds", [1.0, 1.5])
def test_tables_for_several_numbers_are_those_for_each(odds: float) -> None:
    m = 5, 0, 20
    for band in sorted(BANDS) if odds == 1 else ("exact", "simultaneous"):
        lower, upper = latent_bounds_each(band, 12, m, 0.9, odds)
        for row, latent in enumerate(m):
            alone = latent_bounds(band, 12, latent, 0.9)
            if odds > 1 and band == "exact":
                within = exact_within(12, np.array([latent]), 0.9, odds)
                alone = within[0][0], within[1][0]
            elif odds > 1:
                alone = simultaneous(12, latent, 0.9, odds)
            np.testing.assert_array_equal((lower[row], upper[row]), alone)


@pytest.mark.parametrize("m", [2**31 + 11, 2**45 + 7])
def test_products_of_counts_that_no_float_holds(m: int) -> None:
    n = 40_001
    fewest, most = latent_bounds("bootstrap", n, m, 0.95)
    for k in (1, 2, 7, 20_000, 33_333, 40_000):
        # Shares of n that resampled known positives have: whole numbers of them, times m over n.
        assert any(fewest[k] == j * m // n for j in range(k + 1))
        assert any(most[k] == -(-j * m // n) for j in range(k, n + 1))
