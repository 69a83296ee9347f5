"""Bounds at all cutoffs at once, cut: paths that are walked, corners, draws, gains."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import example, given, settings
from hypothesis import strategies as st

import pu_accessor
from pu_accessor.inference.bands.future_data import cut_to_concave
from pu_accessor.inference.completion import monotone_hidden
from pu_accessor.ranking import FloatArray, Ranks
from tests.cases import Case, cases, draw_case
from tests.methods.test_contingency import check_traced
from tests.support.oracles import coherent_oracle, new_examples_oracle, oracle
from tests.support.oracles.concave_oracle import by_linear_programs

REFERENCES = ["positives", "negatives", "tightest", "both"]
LEVEL = 0.6  # of few examples much is within 95%


def ask(
    case: Case, ranks: Ranks = "all", reference: Any = "positives", level: float = LEVEL
) -> xr.Dataset:
    """Return the tables of the simultaneous band."""
    return (
        pu_accessor.from_arrays(case.score, case.label, negative=False)
        .assume(reference=reference)
        .contingency(case.beta, level=level, band="simultaneous", ranks=ranks)
    )


@st.composite
def mixed(draw: st.DrawFn) -> Case:
    """Small rankings in which something of each kind is."""
    case = draw(cases())
    score = [float(draw(st.integers(0, 4))) for _ in range(2)]
    return Case([*case.score, *score], [*case.label, False, None], case.beta)


@pytest.mark.parametrize("seed", range(12))
def test_what_survives_of_all_surrogate_sets(seed: int) -> None:
    """Of all sets of latent positives, those within the plain bounds span the cut ones."""
    score, label, _ = draw_case(seed, known_negatives=False)
    score, label = [*score[:12], 0.0, 1.0], [*label[:12], None, True]
    steps = oracle.cutoffs(score, label)
    hidden = [s for s, known in zip(score, label, strict=True) if known is None]
    beta = 0.5
    m = oracle.latent_count(beta, len(hidden))
    plain = oracle.tables(score, label, beta, LEVEL, oracle.simultaneous_band)
    sets = np.array([*combinations(hidden, m)])
    counts = np.stack([(sets >= step.threshold).sum(axis=1) for step in steps], axis=1)
    low, high = (
        np.array([t.tp - s.known_positive for t, s in zip(plain[bound], steps, strict=True)])
        for bound in ("lower", "upper")
    )
    inside = ((counts >= low) & (counts <= high)).all(axis=1)
    found = ask(Case(score, label, beta))
    known = found["known_positive"].values
    lower, upper = (found["tp"].sel(bound=b).values[:, 0] - known for b in ("lower", "upper"))
    if not inside.any():
        return
    around = coherent_oracle.around_estimate(steps, m, score, label, "positives")
    low, high = counts[inside].min(axis=0), counts[inside].max(axis=0)
    np.testing.assert_array_equal(lower, np.minimum(low, around[0]))
    np.testing.assert_array_equal(upper, np.maximum(high, around[1]))
    within = ((counts >= low) & (counts <= high)).all(axis=1)
    np.testing.assert_array_equal(within, inside)


@settings(max_examples=15)
@given(case=mixed(), reference=st.sampled_from(REFERENCES))
def test_breakpoints_trace_what_all_cutoffs_do(case: Case, reference: str) -> None:
    every, some = (ask(case, ranks, reference) for ranks in ("all", "breakpoints"))
    check_traced(every, some)


Band = tuple[FloatArray, FloatArray, FloatArray, float]


def draw_band(seed: int) -> Band:
    """Return a band around a curve that is concave, or nearly: wide, narrow, with flat parts."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 13))
    x = np.concatenate([[0], np.sort(rng.random(size)), [1]])
    curve = x ** rng.choice([0.3, 0.6, 1.0, 1.1])
    wide = rng.choice([0.0, 0.02, 0.1, 0.4])
    lower = np.clip(curve - wide * rng.random(x.size), 0, 1)
    upper = np.clip(curve + wide * rng.random(x.size), 0, 1)
    if rng.random() < 0.4:
        lower, upper = np.floor(lower * 8) / 8, np.ceil(upper * 8) / 8
    lower, upper = np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]
    lower[0], upper[-1] = 0, 1
    return x, lower, upper, float(rng.choice([1.5, 4.0, 20.0, np.inf]))


@pytest.mark.parametrize("block", range(4))
def test_limits_are_those_of_linear_programs(block: int) -> None:
    seen = set()
    for seed in range(15 * block, 15 * block + 15):
        x, lower, upper, slope = draw_band(seed)
        limits = by_linear_programs(x, lower, upper, slope)
        band = cut_to_concave(x, lower, upper, slope)
        seen.add(limits is None)
        assert (band.refuted_at is not None) == (limits is None), seed
        if limits is None:
            np.testing.assert_array_equal(np.stack(band[:2]), [lower, upper])
        else:
            np.testing.assert_allclose(np.stack(band[:2]), np.stack(limits), atol=1e-7)
    assert seen == {True, False}


def test_ties_hold_all_limits() -> None:
    x = np.array([0, 0.2, 0.2, 0.5, 1, 1])
    lower, upper = np.array([0, 0.1, 0.3, 0.4, 0.9, 1]), np.array([0.1, 0.5, 0.6, 0.8, 1, 1])
    once = cut_to_concave(x[[0, 1, 3, 4]], lower[[0, 2, 3, 5]], upper[[0, 1, 3, 4]], 3.0)
    band = cut_to_concave(x, lower, upper, 3.0)
    for tied, alone in zip(band[:2], once[:2], strict=True):
        np.testing.assert_allclose(tied, alone[[0, 1, 1, 2, 3, 3]])


REFUTED = [
    ([0, 0.4, 0.8, 1], [0, 1, 1, 1], 1.9, 0.4),  # more than every example positive
    ([0, 0.1, 0.6, 1], [0, 0.2, 1, 1], 9.0, 0.2),  # a chord above the band: a bend upwards
    ([0, 0.1, 0.2, 1], [0, 1, 0.3, 1], 9.0, 0.4),  # below the diagonal: worse than chance
    ([0.1, 0.3, 0.6, 1], [0.2, 1, 1, 1], 9.0, 0.0),  # positives before the first example
]


@pytest.mark.parametrize(("lower", "upper", "slope", "place"), REFUTED)
def test_refuted(lower: list[float], upper: list[float], slope: float, place: float) -> None:
    x = np.array([0, 0.2, 0.4, 1])
    band = cut_to_concave(x, np.array(lower), np.array(upper), slope)
    assert band.refuted_at == place
    np.testing.assert_array_equal(np.stack(band[:2]), [lower, upper])


def test_large_bands_take_no_time_of_squares() -> None:
    rng = np.random.default_rng(5)
    x = np.append(np.sort(rng.random(100_000)), 1)
    x[0] = 0
    noise = rng.random((2, x.size)) * 0.02
    lower = np.maximum.accumulate(np.maximum(x**0.4 - noise[0], 0))
    upper = np.minimum.accumulate(np.minimum(x**0.4 + noise[1], 1)[::-1])[::-1]
    band = cut_to_concave(x, lower, upper, np.inf)
    assert band.refuted_at is None
    assert (band.lower <= x**0.4 + 1e-12).all() and (band.upper >= x**0.4 - 1e-12).all()


COUNTS = st.tuples(*(st.integers(0, most) for most in (3, 2, 4)))


@given(steps=st.lists(COUNTS, min_size=1, max_size=12), share=st.floats(0, 1))
@example([(0, 0, 2), (1, 0, 0), (0, 0, 10)], 1 / 12)  # a third of the best are known positives
@example([(0, 0, 2), (1, 0, 0), (0, 0, 10)], 7 / 12)
def test_latent_positives_of_the_oracle(steps: list[tuple[int, int, int]], share: float) -> None:
    known, negatives, unlabeled = np.array(steps).T
    m = round(share * int(unlabeled.sum()), 6)
    latent = monotone_hidden(known, negatives, unlabeled, m)
    first, second, third = (column.tolist() for column in (known, negatives, unlabeled))
    slow = new_examples_oracle.monotone_latent(first, second, third, m)
    np.testing.assert_allclose(latent, slow, atol=1e-6)
    assert latent.sum() == pytest.approx(m, abs=1e-9)
    assert (latent >= 0).all() and (latent <= unlabeled + 1e-9).all()
    shares = latent[unlabeled > 0] / unlabeled[unlabeled > 0]
    assert (np.diff(shares) <= 1e-9).all()


def test_nothing_known_or_nothing_unlabeled() -> None:
    none, some = np.zeros(3, np.int64), np.array([1, 2, 1])
    assert monotone_hidden(none, none, some, 2).tolist() == [0.5, 1, 0.5]
    assert monotone_hidden(some, some, none, 0).tolist() == [0, 0, 0]
    assert monotone_hidden(none, none, none, 0).tolist() == [0, 0, 0]
