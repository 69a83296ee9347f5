"""Tables, their curves and areas against slow ones: band, reference, beta, odds and ranks."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, nan
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import pu_accessor
from tests.cases import ORACLES, Case, as_tables, binormal, cases, draw_case, put
from tests.support.oracles import coherent_oracle, completion_oracle, oracle, reference_oracle
from tests.support.oracles.selection_oracle import areas_between
from tests.support.oracles.selection_oracle import band as band_of_odds
from tests.worlds import fuzzed

REFERENCES = ("positives", "negatives", "tightest")
ENDS, COUNTS = ["lower", "upper"], ("tp", "fp", "fn", "tn")
SEEN = ("known_positive", "known_negative")
LEVELS = st.sampled_from([0.5, 0.8, 0.95])


def own_band(n: int, m: int, level: float) -> oracle.Band:
    """Bounds of a user: wide, and not symmetric."""
    lower = [max(k - 1, 0) * m // (n + 1) for k in range(n + 1)]
    return lower, [min(-(-(k + 2) * m // (n + 1)), m) for k in range(n + 1)]


@cache
def within_odds(n: int, m: int, level: float) -> oracle.Band:
    """Return the exact band if some positives are twice as easily labeled as others."""
    return band_of_odds(n, m, oracle.decimal(level), Fraction(2))


BANDS: dict[str, oracle.BandRule] = {**ORACLES, "own": own_band, "odds": within_odds}
Band = st.sampled_from(sorted(BANDS))


@st.composite
def kinds(draw: st.DrawFn, reference: str = "tightest") -> Case:
    """Small rankings in which something of each kind is that a reference needs."""
    case = draw(cases())
    needed = {"positives": [True], "negatives": [False]}.get(reference)
    needed = needed or draw(st.sampled_from([[True], [False]]))  # the tightest is what there is
    kept = draw(st.sampled_from([[True, False], needed]))
    label, more = [one if one in kept else None for one in case.label], [*kept, None]
    score = [float(draw(st.integers(0, 4))) for _ in more]
    return Case([*case.score, *score], [*label, *more], case.beta)


def ask(case: Case, beta: Any = None, band: str = "exact", **how: Any) -> xr.Dataset:
    """Return tables of a case, whose False is a known negative."""
    ranking = pu_accessor.from_arrays(case.score, case.label, negative=False)
    how |= {"selection_odds": 2} if band == "odds" else {}
    how["band"] = {"own": own_band, "odds": "exact"}.get(band, band)
    beta = case.beta if beta is None else beta
    tables: xr.Dataset = put(ranking, "contingency", beta, **{"ranks": "all", **how})
    return tables


def average_precisions(
    found: xr.Dataset, bound: str, scores: Any, labels: Any, m: int, between: Any
) -> list[float]:
    """Return the average precision of a labeling, or what a bound of whole examples allows."""
    exact = between[bound]
    if not exact[-1].tp:
        return [nan]
    middle = completion_oracle.average_precision(scores, labels, between["estimate"])
    if bound == "estimate" or m in (0, labels.count(None)):
        return [middle]
    ends = areas_between(found.isel(beta=0), "average_precision")
    ends = [min(ends[0], middle), max(ends[1], middle)]
    return [ends[bound == "upper"]] if all(step.tp == int(step.tp) for step in exact) else []


@pytest.mark.parametrize("reference", REFERENCES)
@fuzzed(2)
@given(data=st.data(), band=Band, level=LEVELS, most=st.sampled_from([None, 0.1, 0.75]))
def test_tables_are_the_slow_ones(
    reference: str, data: st.DataObject, band: str, level: float, most: float | None
) -> None:
    case = data.draw(kinds(reference))
    betas = [0.4, *({case.beta} - {0.4})]
    how: dict[str, Any] = {"band": band, "level": level, "reference": reference}
    every, few = (ask(case, betas, **how, ranks=ranks) for ranks in ("all", "breakpoints"))
    assert all(every[name].dtype == np.int64 for name in COUNTS)
    steps = oracle.cutoffs(case.score, case.label)
    for name in ("rank", "threshold", *({*SEEN} & {*every.coords})):
        assert every[name].values.tolist() == [getattr(step, name) for step in steps]
    assert ("known_negative" in every.coords) == (reference != "positives")
    for name, kind in zip((*SEEN, "unlabeled"), (True, False, None), strict=True):
        assert every[f"n_{name}"] == case.label.count(kind)
    xr.testing.assert_equal(few, every.sel(rank=few["rank"]))
    asked: list[Any] = [{"metric": "auroc", "max_fpr": most}, {"metric": "average_precision"}]
    whole, same = ([tables.pu.area(**one) for one in asked] for tables in (every, few))
    for one, other in zip(whole, same, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)
    for beta in betas:
        at = (case.score, case.label, beta, level, BANDS[band], reference)
        plain, tightest = reference_oracle.tables(*at)
        bounds = coherent_oracle.cut_if_joint(band, *at[:2], plain, tightest)
        m = oracle.latent_count(beta, case.label.count(None))
        between = [
            completion_oracle.with_estimate(*at[:2], m, bounds, tightest, rounded)
            for rounded in (True, False)
        ]
        found = every.sel(beta=[beta])
        for bound, curve in between[0].items():
            assert as_tables(found, bound) == curve
            there = curve[-1].tp and curve[-1].fp
            want = [float(oracle.roc_area(between[1][bound], most)) if there else nan]
            want += average_precisions(found, bound, *at[:2], m, between[1])
            values = [area.sel(bound=bound, beta=beta).item() for area in whole]
            assert values[: len(want)] == pytest.approx(want, abs=1e-9, nan_ok=True)
        if reference == "tightest":
            assert found["tightest"].values.tolist() == [tightest]
    ranks = [len(case.label), 1, 0, len(case.label) // 2][: len(case.label)]
    some, last = ask(case, betas, **how, ranks=ranks), every.sel(rank=ranks, method="ffill")
    assert some["rank"].values.tolist() == ranks
    for name in (*COUNTS, "clipped", "threshold", *({"tightest"} & {*every.coords})):
        np.testing.assert_array_equal(some[name], last[name])


def test_the_local_level_is_that_of_the_kind_that_is_taken() -> None:
    case = Case([*map(float, range(51))], [*[True] * 2, *[False] * 9, *[None] * 40], 0.4)
    turned = Case(*oracle.turned(case.score, case.label), 0.6)
    found = ask(case, [0.2, 0.4], "simultaneous", reference="negatives")["local_alpha"]
    wanted = ask(turned, [0.8, 0.6], "simultaneous")["local_alpha"]
    np.testing.assert_allclose(found.values, wanted.values, rtol=2e-4)
    few = Case([i % 3 for i in range(240)], [True] * 30 + [None] * 210, 0.4)  # with two cutoffs
    assert ask(few, band="simultaneous")["local_alpha"].item() == pytest.approx(0.05 / 2)


STRAIGHT = dict.fromkeys((14, 17, 62, 209), "positives")
STRAIGHT |= dict.fromkeys((42, 160, 164), "negatives")


@pytest.mark.parametrize("seed", STRAIGHT)
def test_the_estimate_is_straight_between_breakpoints(seed: int) -> None:
    frame, how = binormal(14, 36, 0.5, seed)[0], {"level": 0.5, "target": "examples"}
    pu: Any = frame.assign(label=frame["label"].mask(frame.index >= 44, 0)).pu
    one, ranks = pu.assume(reference=STRAIGHT[seed]), ("breakpoints", "all")
    for band in ("simultaneous", "exact"):
        few, every = (one.roc_bounds(0.6, ranks=r, band=band, **how)["tpr"][..., 0] for r in ranks)
        for low, high in zip(few.T, every.T, strict=True):  # at few ranks, at every rank
            np.testing.assert_allclose(np.interp(every["rank"], few["rank"], low), high, atol=1e-9)
    best, each = (one.metric("f1", 0.6, at=at) for at in ("maximum", {"rank": every["rank"]}))
    assert best["estimate"].item() == pytest.approx(each["estimate"].max(), abs=1e-12)
    found = pu.assume(reference="tightest").rank_cdf(0.6, ranks="all")
    own = pu.assume(reference=found["tightest"].item()).rank_cdf(0.6, ranks="all")
    np.testing.assert_array_equal(found["rank_cdf"], own["rank_cdf"])


def test_breakpoints_are_few() -> None:
    frame, beta, _ = binormal(2000, 10000, 0.05, seed=3)
    assert frame.pu.contingency(beta, ranks="breakpoints").sizes["rank"] < 2.2 * 100
    # Below a lone known negative half of the hidden ones follow at once.
    pu: Any = pu_accessor.from_arrays(range(401), [None] * 200 + [0] + [None] * 200, negative=0)
    pu = pu.assume(reference="negatives")
    few, every = (pu.rank_cdf(0.1, ranks=r)["rank_cdf"][:, 1, 0] for r in ("breakpoints", "all"))
    np.testing.assert_allclose(np.interp(every["rank"], few["rank"], few), every, atol=1e-12)


def test_infinite_scores_are_cutoffs_and_minus_0_is_0() -> None:
    score, label = [np.inf, np.inf, 0.0, -0.0, -np.inf], [True, None, None, None, None]
    tables = pu_accessor.from_arrays(score, label).contingency(0, ranks="all")
    assert tables["rank"].values.tolist() == [0, 2, 4, 5]
    assert str(tables["threshold"].values.tolist()) == "[inf, inf, 0.0, -inf]"


@pytest.mark.parametrize(("policy", "last"), [("omit", []), ("worst", [4])])
def test_missing_scores(policy: Any, last: list[int]) -> None:
    score, label = [np.nan, 3, 1, np.nan], [None, True, None, True]
    tables = pu_accessor.from_arrays(score, label, nan_policy=policy).contingency(0.5)
    assert tables["rank"].values.tolist() == [0, 1, 2, *last]
    np.testing.assert_array_equal(tables["threshold"], [np.inf, 3, 1, *[np.nan] * len(last)])
    assert tables["n_known_positive"] == 1 + len(last)


# beta

THIRD, NEAR, OFF = 1 / 3, 0.3 + 16 * np.spacing(0.3), 0.3 + 20 * np.spacing(0.3)
PASSED: list[tuple[Any, list[float]]] = [
    (np.arange(0, 0.5, 0.1), [0, 0.1, 0.2, 0.3, 0.4]),
    ([THIRD, NEAR, OFF, 1 - NEAR], [THIRD, 0.3, OFF, 0.7]),
    (np.array([Fraction(1, 4), 0.1 + 0.2], object), [0.25, 0.3]),
    (np.array([0.1, 0.3], np.float16), [0.1, 0.3]),
    *((one, [0.5]) for one in (np.float32(0.5), np.array(0.5), Fraction(1, 2), pd.array([0.5]))),
    (pd.Interval(54 / 583, 54 / 583), [54 / 583]),
]


@pytest.mark.parametrize(("passed", "meant"), PASSED)
def test_betas_mean_the_decimal_they_are_next_to(passed: Any, meant: list[float]) -> None:
    pu = pu_accessor.from_arrays([3, 2, 1], [True, None, None])
    assert pu.contingency(passed, ranks="all")["beta"].values.tolist() == meant


def test_latent_positives_are_rounded_half_up_in_decimals() -> None:
    # 0.145 * 100 is 14.5, but 14.499999999999998 in floats.
    pu, betas = pu_accessor.from_arrays(range(101), [True] + [None] * 100), [0.145, 0.144, 0.29]
    assert pu.contingency(betas, ranks="all")["tp"][-1, 0].values.tolist() == [16, 15, 30]


def grid_of(low: str, high: str) -> list[float]:
    """Return the betas of an interval: steps of .01, at least 8, and finer ones near 0."""
    ends = Fraction(low), Fraction(high)
    steps = max(ceil((ends[1] - ends[0]) * 100), 8)
    near = [Fraction(1, 2**k) for k in range(1, 7) if ends[0] < Fraction(1, 100)]
    parts = [*range(steps + 1), *near]
    betas = {ends[0] + (ends[1] - ends[0]) / steps * part for part in parts}
    return sorted({min(float(f"{float(beta):.12g}"), 1 - 1e-6) for beta in betas})


INTERVALS = [("0.2", "0.3"), ("0.2", "0.21"), ("0.2", "0.65"), ("0.2", "0.651"), ("0", "0.9")]
INTERVALS += [("0.0095", "0.5"), ("0.01", "0.5"), ("0.1", "0.1"), ("0", "1"), ("0.84", "1")]


@pytest.mark.parametrize("ends", INTERVALS)
@pytest.mark.parametrize("band", ["exact", "simultaneous"])
def test_an_interval_of_beta_is_a_grid_after_its_middle(band: str, ends: tuple[str, str]) -> None:
    low, high = map(float, ends)
    case = Case(*draw_case(7)[:2], 0.0)
    tables = ask(case, pd.Interval(low, high), band, reference="tightest")
    middle, *betas = tables["beta"].values.tolist()
    assert middle == pytest.approx((low + high) / 2)
    assert betas == sorted({*grid_of(*ends)} - {middle})
    inside = tables["inside"].values.tolist() if betas else [False]
    assert inside == [False] + [True] * len(betas)
    each = ask(case, [middle, *betas], band, reference="tightest")
    for name in each.data_vars:
        np.testing.assert_array_equal(tables[name], each[name])
    metrics = ("precision", ENDS), ("fpr", ENDS[::-1])
    for (name, sides), part in product(metrics, (slice(None), [-1])):
        one, grid = (ds.isel(rank=part).pu.metric(name).sel(bound=ENDS) for ds in (tables, each))
        for bound, pick in zip(sides, ("min", "max"), strict=True):
            wanted = getattr(grid, pick)(["beta", "bound"])
            np.testing.assert_allclose(one.squeeze("beta").sel(bound=bound), wanted, atol=1e-12)


def test_a_pair_of_arrays_is_what_a_function_returns() -> None:
    df = binormal(16, 24, 0.5, seed=3)[0]
    n, rest = int((df["label"] == 1).sum()), int(df["label"].isna().sum())
    pair = own_band(n, oracle.latent_count(0.4, rest), 0.95)
    tables, same = (df.pu.contingency(0.4, band=band) for band in (own_band, pair))
    xr.testing.assert_equal(tables, same)
    rates, same_rates = (df.pu.metric("f1", 0.4, at=12, band=band) for band in (own_band, pair))
    pd.testing.assert_frame_equal(rates, same_rates)
    assert [one.attrs["band"] for one in (rates, same, same_rates)] == ["own_band", "pair", "pair"]
