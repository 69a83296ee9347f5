"""Bounds at all cutoffs at once, cut: paths that are walked, corners, draws, gains."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import example, given, settings
from hypothesis import strategies as st

import pu_accessor
from pu_accessor.ranking import Ranks
from tests.cases import Case, cases, draw_case, put
from tests.methods.test_contingency import check_curves, check_rounded, check_traced
from tests.support.oracles import coherent_oracle, oracle

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


def sparse(seed: int) -> Case:
    """Draw a ranking of which few are known: many unlabeled examples lie between two cutoffs."""
    rng = np.random.default_rng(seed)
    size, known = int(rng.integers(20, 60)), rng.integers(1, 6, 2)
    truth = np.repeat([True, False], known)
    label = [*truth.tolist(), *[None] * (size - truth.size)]
    side = np.repeat([1, -1, 0], [*known, size - truth.size])
    score = rng.normal(size=size) + rng.uniform(-1, 2) * side
    return Case(score.round(2).tolist(), label, round(rng.uniform(0.05, 0.95), 2))


@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1), reference=st.sampled_from(REFERENCES))
@example(4, "both")
@example(28, "negatives")
@example(55, "negatives")
def test_breakpoints_trace_what_all_cutoffs_of_few_known_examples_do(
    seed: int, reference: str
) -> None:
    case = sparse(seed)
    every, some = (ask(case, ranks, reference, 0.2) for ranks in ("all", "breakpoints"))
    check_traced(every, some)
    pu = pu_accessor.from_arrays(case.score, case.label, negative=False)
    how: Any = {"level": 0.2, "band": "simultaneous", "reference": reference}
    curves = [put(pu, "roc_bounds", case.beta, ranks=r, **how) for r in ("all", "breakpoints")]
    check_curves(*curves)
    check_rounded(every, curves[0])


@given(
    case=mixed() | st.integers(0, 99).map(sparse),
    reference=st.sampled_from(REFERENCES),
    at=st.integers(0, 12),
)
def test_one_rank_is_that_of_all(case: Case, reference: str, at: int) -> None:
    every = ask(case, "all", reference, 0.3)
    rank = min(at, len(case.score))
    one = ask(case, [rank], reference, 0.3)
    last = every.isel(rank=int(np.flatnonzero(every["rank"].values <= rank)[-1]))
    for name in ("tp", "fp", "fn", "tn", "clipped"):
        np.testing.assert_array_equal(one[name].isel(rank=0), last[name])


def test_some_ranks_are_those_of_all_where_cutoffs_contradict() -> None:
    # Of one latent positive the band has it that none is above the block of known ones, and one is
    # at its end. But nothing that is unlabeled is in between.
    case = Case([2.0, *[1.0] * 6, 0.0, 0.0], [None, *[True] * 6, False, None], 0.25)
    every = ask(case)
    np.testing.assert_array_equal(every["rank"], [0, 1, 7, 9])
    np.testing.assert_array_equal(every["clipped"].values[:, 0, 0], [False, True, True, False])
    np.testing.assert_array_equal(every["tp"].values[..., 0], [[0] * 3, [1] * 3, [7] * 3, [7] * 3])
    for ranks in ([1], [7], [0, 1], [1, 9], [0, 1, 7, 9]):
        for name in ("tp", "clipped"):
            np.testing.assert_array_equal(ask(case, ranks)[name], every[name].sel(rank=ranks))
