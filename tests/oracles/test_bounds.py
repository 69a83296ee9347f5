"""Tables, their curves and areas against slow ones: band, reference, beta, odds and ranks."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, floor, nan
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import pu_accessor
from tests.cases import ORACLES, Case, as_frame, as_tables, binormal, cases, draw_case, put
from tests.support.oracles import coherent_oracle, completion_oracle, oracle, reference_oracle
from tests.support.oracles.reference_oracle import FLIP
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
        np.testing.assert_allclose(one.sel(bound=ENDS), other.sel(bound=ENDS), rtol=0, atol=1e-12)
    for beta in betas:
        at = (case.score, case.label, beta, level, BANDS[band], reference)
        plain, tightest = reference_oracle.tables(*at)
        bounds = coherent_oracle.cut_if_joint(band, *at[:2], plain, tightest)
        m = oracle.latent_count(beta, case.label.count(None))
        expected = completion_oracle.with_estimate(*at[:2], m, bounds, tightest)
        found = every.sel(beta=[beta])
        for bound, curve in expected.items():
            assert as_tables(found, bound) == curve
            there = curve[-1].tp and curve[-1].fp
            want = [float(oracle.roc_area(curve, most)) if there else nan]
            want += [oracle.pr_area(curve) if curve[-1].tp else nan]
            values = [area.sel(bound=bound, beta=beta).item() for area in whole]
            assert values == pytest.approx(want, abs=1e-9, nan_ok=True)
        if reference == "tightest":
            assert found["tightest"].values.tolist() == [tightest]
    ranks = [len(case.label), 1, 0, len(case.label) // 2][: len(case.label)]
    some, last = ask(case, betas, **how, ranks=ranks), every.sel(rank=ranks, method="ffill")
    assert some["rank"].values.tolist() == ranks
    for name in (*COUNTS, "clipped", "threshold", *({"tightest"} & {*every.coords})):
        np.testing.assert_array_equal(some[name], last[name])


def test_the_local_level_is_that_of_the_kind_that_is_taken() -> None:
    case = Case([*map(float, range(51))], [*[True] * 2, *[False] * 9, *[None] * 40], 0.4)
    turned = Case([-score for score in case.score], [FLIP[one] for one in case.label], 0.6)
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


# Bounds by rank: Theorem 1 of the paper, cutoff by cutoff

SIZE = 40
RANKS = np.arange(SIZE + 1)
LOWER, UPPER = np.round(RANKS / SIZE * 0.7, 3), np.round(np.minimum(RANKS / SIZE + 0.25, 1), 3)


def mixed(seed: int, decimals: int = 6) -> pd.DataFrame:
    """Draw scores, some of them tied, and labels of all three kinds."""
    drawn = binormal(16, SIZE - 16, 0.5, seed)[0].round(decimals)
    return drawn.assign(label=drawn["label"].mask(drawn.index >= SIZE - 4, 0.0))


@given(seed=st.integers(0, 10**6), decimals=st.integers(0, 3), beta=st.floats(0, 1))
def test_tables_by_rank_are_those_of_theorem_1(seed: int, decimals: int, beta: float) -> None:
    df = mixed(seed, decimals)
    labels = [None if np.isnan(one) else bool(one) for one in df["label"]]
    found = df.pu(negative=0).contingency(beta, band=(LOWER, UPPER), ranks="all")
    assert found.attrs["band"] == "by rank"
    totals = oracle.Totals(8, 4, 28, int(found["tp"][-1, 0, 0]) - 8)
    sides: list[tuple[Any, Any]] = [(LOWER, floor), (UPPER, ceil)]
    wanted = {
        bound: [
            oracle.table_at(step, totals, rounded(oracle.decimal(side[step.rank]) * totals.latent))
            for step in oracle.cutoffs(df["score"].tolist(), labels)
        ]
        for bound, (side, rounded) in zip(ENDS, sides, strict=True)
    }
    assert {bound: as_tables(found, bound) for bound in ENDS} == wanted


def test_all_ways_to_give_bounds_say_the_same() -> None:
    pu, sides = mixed(3).pu(negative=0), [xr.DataArray(s, dims="rank") for s in (LOWER, UPPER)]
    expected = pu.contingency(0.4, band=(LOWER, UPPER), ranks="all")
    turned = tuple(side.assign_coords(rank=RANKS)[::-1] for side in sides)
    mixture = lambda r: LOWER[r], pd.Series(UPPER)
    for way in (mixture, (LOWER.tolist(), sides[1]), turned):
        xr.testing.assert_identical(pu.contingency(0.4, band=way, ranks="all"), expected)
    row = pu.metric("precision", 0.4, at=12, band=(LOWER, UPPER)).iloc[0]
    value = expected.pu.metric("precision").sel(rank=12, bound=ENDS, beta=0.4).values
    assert row[ENDS].tolist() == pytest.approx(value) and row.attrs["band"] == "by rank"


def test_each_model_has_bounds_of_its_own() -> None:
    df, models = mixed(2).assign(other=mixed(4)["score"]), {"score": LOWER, "other": LOWER / 2}
    lower = xr.DataArray([*models.values()], {"model": [*models]}, ("model", "rank"))
    both = df.pu(score=[*models], negative=0).contingency(0.3, band=(lower, UPPER), ranks="all")
    for model, own in models.items():
        alone = df.pu(score=model, negative=0).contingency(0.3, band=(own, UPPER), ranks="all")
        np.testing.assert_array_equal(both["tp"].sel(model=model), alone["tp"])


# What tables are asked


def test_areas_whose_products_need_more_than_53_bits() -> None:
    """A curve of three cutoffs of a billion examples, drawn by hand."""
    half = 500_000_001
    tp, fp = np.array([0, half, 2 * half]), np.array([0, 1, 2 * half])
    counts = {"tp": tp, "fp": fp, "fn": 2 * half - tp, "tn": 2 * half - fp}
    tables = xr.Dataset({name: ("rank", values) for name, values in counts.items()})
    tables = tables.assign_coords(rank=[0, half + 1, 4 * half])
    # Twice the area, in pairs of examples: 1 * half, then (2 * half - 1) * (3 * half).
    twice = Fraction(half + (2 * half - 1) * 3 * half, (2 * half) ** 2)
    area = tables.reset_index("rank").rename_dims(rank="cutoff").pu.area("auroc")
    assert area.item() == pytest.approx(float(twice / 2), rel=1e-15)


FRAME = as_frame(draw_case(8))


def test_a_fraction_is_the_decimal_that_it_is_written_as() -> None:
    # In floats .29 * 100 is below 29.
    pu = pu_accessor.from_arrays(np.arange(100.0), [None, True] * 50)
    assert pu.metric("f1", 0.2, at={"fraction": 0.29})["rank"].item() == 29


def test_to_frame_is_long_and_leaves_repeated_cutoffs_out() -> None:
    models = as_frame(draw_case(3))
    models = models.assign(other=1.0 * (models["score"] > models["score"].median()))
    asked, names = {"beta": pd.Interval(0.4, 0.6), "ranks": "breakpoints"}, ["score", "other"]
    both, *each = (models.pu(score=one).contingency(**asked) for one in (names, *names))
    assert (both["rank"].diff("cutoff") == 0).any()  # the shorter one has repeats
    for name, alone in zip(names, each, strict=True):
        rows, same = both.sel(model=[name]).pu.to_frame(), alone.pu.to_frame()
        keys = ["rank", "bound", "beta"]
        rows, same = (one.sort_values(keys, ignore_index=True) for one in (rows, same))
        pd.testing.assert_frame_equal(rows[same.columns], same)


@pytest.mark.parametrize("ranks", ["breakpoints", "all", 5])
def test_estimates_of_tables_are_those_of_curves_in_whole_examples(ranks: str | int) -> None:
    how: dict[str, Any] = {"beta": [0.4, 0.2], "ranks": ranks, "band": "dkw", "level": 0.9}
    methods = ("contingency", "roc_bounds", "pr_bounds")
    tables, roc, pr = (getattr(FRAME.pu, name)(**how) for name in methods)
    tp = roc["tpr"] * (tables["tp"] + tables["fn"])
    assert np.abs((tp - tables["tp"]).transpose(*tp.dims).values).max() <= 0.5 + 1e-5
    np.testing.assert_allclose(pr["recall"], roc["tpr"])
    found = (pr["precision"] * (tables["tp"] + tables["fp"])).where(pr["rank"] > 0, 0)
    np.testing.assert_allclose(found, tp.transpose(*found.dims), atol=1e-9)


@fuzzed(2)
@given(case=kinds(), band=Band, reference=st.sampled_from(REFERENCES[:3]))
def test_derivatives_by_beta_are_those_in_fractions(case: Case, band: str, reference: str) -> None:
    case = Case([*case.score, 2.0, 1.0], [*case.label, False, True], case.beta)
    tables = ask(case, [case.beta, 0.4], band, reference=reference)
    slopes = tables.pu.beta_derivatives()
    n, against, u = (case.label.count(kind) for kind in (True, False, None))
    of_kind = tables["tightest"].values if "tightest" in tables else [reference] * 2
    steps = oracle.cutoffs(case.score, case.label)
    for (i, step), bound, j in product(enumerate(steps), range(3), range(2)):
        tp, fp, fn, tn = (Fraction(int(tables[name].values[i, bound, j])) for name in COUNTS)
        part, latent, seen = tp - step.known_positive, tp + fn - n, (step.known_positive, n)
        if of_kind[j] == "negatives":
            part, latent = fp - step.known_negative, u - latent
            seen = step.known_negative, against
        if bound == 1 and not latent:
            part, latent = map(Fraction, seen)
        wanted: dict[str, Any] = dict.fromkeys((*COUNTS, "tpr", "fpr", "precision"), nan)
        if tables["clipped"].values[i, bound, j]:
            wanted = dict.fromkeys(wanted, 0)
        elif latent:
            up = part * u / latent
            wanted |= {"tp": up, "fp": -up, "fn": u - up, "tn": up - u}
            wanted["tpr"] = (up * (tp + fn) - tp * u) / (tp + fn) ** 2 if tp + fn else nan
            wanted["fpr"] = (fp * u - up * (fp + tn)) / (fp + tn) ** 2 if fp + tn else nan
            wanted["precision"] = up / (tp + fp) if tp + fp else 0
        wanted["precision"] = wanted["precision"] if tp + fp else 0
        wanted = {name: float(value) for name, value in wanted.items()}
        grown = {name: float(one.values[i, bound, j]) for name, one in slopes.items()}
        assert grown == pytest.approx(wanted, rel=1e-9, abs=1e-9, nan_ok=True)


def test_bootstrap_band_by_hand() -> None:
    # n = 2, m = 4, quantiles 1/4 and 3/4. k = 1: Binomial(2, 1/2) has the CDF 1/4, 3/4, 1, so
    # the quantiles are 0 (1/4 >= 1/4) and 1 (3/4 >= 3/4): T = 0 and 1/2, heads 0 and 2.
    # k = 0 and k = 2 are degenerate: T = 0 and T = 1.
    assert oracle.bootstrap_band(2, 4, 0.5) == ([0, 0, 4], [0, 2, 4])
    # Quantiles .05 and .95 move k = 1 to j = 0 and j = 2.
    assert oracle.bootstrap_band(2, 4, 0.9) == ([0, 0, 4], [0, 4, 4])


def test_the_exact_band_is_that_of_all_arrangements() -> None:
    for one in ((1, 5, 0.8), (3, 4, 0.5), (5, 4, 0.95)):
        assert oracle.exact_band(*one) == oracle.exact_band_by_enumeration(*one)


def test_tables_by_hand() -> None:
    # n = 2, one known negative, |U| = 3, and beta = .4 gives m = floor(.4 * 3 + .5) = 1. The band
    # at level .5 is lower 0 0 0, upper 1 1 1. One of the three unlabeled is in P*, so that with
    # h = 0 above the cutoff the head is 0, with h = 2 it is 0 or 1, with h = 3 it is 1. By the
    # estimate all of it is above the last known positive, where there is room.
    #
    # rank  k q h  heads  lower  estimate  upper
    #  0    0 0 0  0      0      0         1 -> 0
    #  1    1 0 0  0      0      0         1 -> 0
    #  3    1 0 2  0 1    0      1         1
    #  4    1 1 2  0 1    0      1         1
    #  5    2 1 2  0 1    0      1         1
    #  6    2 1 3  1      0 -> 1 1         1
    #
    # and tp = k + TP_U, fp = q + h - TP_U, fn = (2 - k) + (1 - TP_U),
    # tn = (1 - q) + (3 - h) - (1 - TP_U).
    scores, labels = [9.0, 8.0, 8.0, 7.0, 6.0, 5.0], [True, None, None, False, True, None]
    bounds = oracle.tables(scores, labels, 0.4, 0.5, oracle.exact_band)
    found = completion_oracle.with_estimate(scores, labels, 1, bounds)
    best = [(0, 0, 0, 3, 3), (1, 1, 0, 2, 3), (3, 2, 1, 1, 2), (4, 2, 2, 1, 1), (5, 3, 2, 0, 1)]
    least = [*best[:2], (3, 1, 2, 2, 1), (4, 1, 3, 2, 0), (5, 2, 3, 1, 0)]
    cuts = {"lower": {6}, "estimate": {}, "upper": {0, 1}}
    for bound, wanted in (("lower", least), ("estimate", best), ("upper", best)):
        counts = [*wanted, (6, 3, 3, 0, 0)]
        assert found[bound] == [
            oracle.Table(*row, clipped=row[0] in cuts[bound]) for row in counts
        ]
