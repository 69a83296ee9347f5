"""Bounds from known positives, from known negatives, from the tightest kind and from both."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import pu_accessor
from pu_accessor.inference.bands.lookup import BANDS
from tests.cases import Case, Labels, as_tables, cases, draw_case, put
from tests.methods.test_contingency import check_traced
from tests.support.oracles import coherent_oracle, completion_oracle, oracle, reference_oracle
from tests.support.oracles.reference_oracle import BOUNDS, FLIP

REFERENCES = ("positives", "negatives", "tightest", "both")

COUNTS = ("tp", "fp", "fn", "tn")


def own_band(n: int, m: int, level: float) -> tuple[list[int], list[int]]:
    """Bounds of a user: wide, and not symmetric."""
    margin = 1 if level < 0.9 else 2
    lower = [max(k - margin, 0) * m // (n + 1) for k in range(n + 1)]
    upper = [min(-(-(k + margin + 1) * m // (n + 1)), m) for k in range(n + 1)]
    return lower, upper


ORACLES: dict[str, oracle.BandRule] = {
    "exact": oracle.exact_band,
    "bootstrap": oracle.bootstrap_band,
    "dkw": oracle.dkw_band,
    "simultaneous": oracle.simultaneous_band,
    "own": own_band,
}


def ask(case: Case, **how: Any) -> xr.Dataset:
    """Return tables of a case, whose False is a known negative."""
    beta, negative = how.pop("beta", case.beta), how.pop("negative", False)
    ranking = pu_accessor.from_arrays(case.score, case.label, negative=negative)
    tables: xr.Dataset = put(ranking, "contingency", beta, **how)
    return tables


def band_of(name: str) -> str | Callable[[int, int, float], tuple[list[int], list[int]]]:
    return own_band if name == "own" else name


@st.composite
def both_kinds(draw: st.DrawFn) -> Case:
    """Small rankings in which something of each kind is."""
    case = draw(cases())
    score = float(draw(st.integers(0, 4)))
    return Case([*case.score, score], [*case.label, False], case.beta)


# Against the slow reference


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("band", sorted(ORACLES))
@pytest.mark.parametrize("seed", [0, 1, 2, 4])
def test_tables_are_those_of_rankings_turned_over(seed: int, band: str, reference: Any) -> None:
    score, label, beta = draw_case(seed)
    score, label = [*score[:24], 0.0, 1.0], [*label[:24], False, None]
    if seed == 4:  # few cutoffs have a narrower band
        score = [float(one > 0) for one in score]
    level, rule = (0.5, 0.8, 0.95)[seed % 3], ORACLES[band]
    for share in {beta, (0.0, 1.0)[seed % 2]}:
        plain, tightest = reference_oracle.tables(score, label, share, level, rule, reference)
        bounds = coherent_oracle.cut_if_joint(band, score, label, plain, tightest)
        m = oracle.latent_count(share, label.count(None))
        expected = completion_oracle.with_estimate(score, label, m, bounds, tightest)
        for ranks in ("all", "breakpoints"):
            how = {"level": level, "band": band_of(band), "reference": reference, "ranks": ranks}
            actual = ask(Case(score, label, share), **how)
            ranked = set(actual["rank"].values.tolist())
            for bound in BOUNDS:
                there = [table for table in expected[bound] if table.rank in ranked]
                assert as_tables(actual, bound) == there
            if reference in ("tightest", "both"):
                assert actual["tightest"].values.tolist() == [tightest]
            assert actual["reference"].item() == reference


def test_the_local_level_is_that_of_the_kind_that_is_taken() -> None:
    label: Labels = [*[True] * 2, *[False] * 9, *[None] * 40]
    case = Case([float(place) for place in range(51)], label, 0.4)
    turned = Case([-score for score in case.score], [FLIP[one] for one in label], 0.6)
    ways = [(case, "negatives"), (turned, "positives"), (case, "positives")]
    tables = [ask(each, band="simultaneous", reference=kind) for each, kind in ways]
    found = [one["local_alpha"].item() for one in tables]
    assert found[0] == pytest.approx(found[1], rel=2e-4)
    assert found[0] != pytest.approx(found[2], rel=0.01)


# What must hold


@settings(max_examples=4)
@given(
    case=both_kinds(),
    band=st.sampled_from([*sorted(BANDS), "own"]),
    betas=st.lists(st.sampled_from([0, 0.2, 0.5, 0.85, 1]), min_size=1, max_size=3, unique=True),
)
def test_what_must_hold_of_any_table(case: Case, band: str, betas: list[float]) -> None:
    for reference in REFERENCES:
        how: dict[str, Any] = {"beta": betas, "band": band_of(band), "reference": reference}
        every, few = ask(case, **how), ask(case, **how, ranks="breakpoints")
        for name in COUNTS:
            assert every[name].dtype == np.int64 and (every[name] >= 0).all()
        # The breakpoints are some of the cutoffs, and counts are straight in between.
        xr.testing.assert_equal(few, every.sel(rank=few["rank"]))
        check_traced(every, few)
        # Some ranks say what all do, the kind included.
        ranks = sorted({0, 1, len(case.label) // 2, len(case.label)})
        some = ask(case, **how, ranks=ranks)
        last = every.sel(rank=ranks, method="ffill")
        np.testing.assert_array_equal(some["tp"].values, last["tp"].values)
        if reference in ("tightest", "both"):
            assert every["tightest"].values.tolist() == some["tightest"].values.tolist()


# Where it comes from


@pytest.mark.parametrize("reference", REFERENCES)
def test_attributes_and_coordinates(reference: Any, tmp_path: Path) -> None:
    case = Case([5, 4, 4, 3, 2, 1], [True, None, False, None, False, None], 0.5)
    tables = ask(case, beta=[0.2, 0.5], reference=reference)
    assert tables["reference"].item() == reference
    assert (tables["n_known_positive"].item(), tables["n_known_negative"].item()) == (1, 2)
    assert tables["known_positive"].values.tolist() == [0, 1, 1, 1, 1, 1]
    assert ("known_negative" in tables.coords) == (reference != "positives")
    assert ("tightest" in tables.coords) == (reference in ("tightest", "both"))
    if reference != "positives":
        assert tables["known_negative"].values.tolist() == [0, 0, 1, 1, 2, 2]
        assert tables["known_negative"].dtype == np.int64
    tables.to_netcdf(tmp_path / "t.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "t.nc", engine="h5netcdf") as read:
        xr.testing.assert_identical(read.load(), tables)


def test_the_tightest_is_the_kind_that_is_there() -> None:
    score, no_positive = [4.0, 3.0, 2.0, 1.0], [None, False, None, False]
    no_negative = [True, None, True, None]
    for label, kind in ((no_positive, "negatives"), (no_negative, "positives")):
        pu = pu_accessor.from_arrays(score, label)
        one, other = (put(pu, "contingency", 0.5, reference=each) for each in ("tightest", kind))
        assert one["tightest"].values.tolist() == [kind]
        for name in (*COUNTS, "clipped"):
            np.testing.assert_array_equal(one[name], other[name])


def sites() -> pd.DataFrame:
    """Two sites: in one there are more known positives, in the other more known negatives."""
    rng = np.random.default_rng(4)
    parts: list[pd.DataFrame] = []
    for site, shown in (("a", (0.8, 0.1)), ("b", (0.1, 0.9))):
        truth = rng.random(120) < 0.4
        known = rng.random(120) < np.where(truth, *shown)
        label = np.where(known, truth, np.nan)
        noise = rng.normal(truth, 1, size=(2, 120)).round(1)
        parts.append(pd.DataFrame({"site": site, "label": label, "m": noise[0], "n": noise[1]}))
    return pd.concat(parts, ignore_index=True)


# Validity


# Curves that step down
