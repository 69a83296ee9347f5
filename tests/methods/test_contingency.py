"""Contingency tables against enumerated surrogate sets, and what must hold of any table."""

from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from pu_accessor import PUTypeError, PUValueError
from pu_accessor.checks import as_betas
from pu_accessor.inference.bands.lookup import BANDS
from tests.cases import AREAS, ORACLES, as_frame, as_tables, binormal, draw_case
from tests.support.oracles import coherent_oracle, completion_oracle, oracle
from tests.support.oracles.reference_oracle import BOUNDS

SEEDS = range(12)


@pytest.mark.parametrize("band", sorted(BANDS))
@pytest.mark.parametrize("seed", SEEDS)
def test_tables_are_those_of_enumerated_surrogate_sets(seed: int, band: str) -> None:
    score, label, beta = draw_case(seed)
    level = (0.5, 0.8, 0.95)[seed % 3]
    plain = oracle.tables(score, label, beta, level, ORACLES[band])
    m = oracle.latent_count(beta, label.count(None))
    bounds = coherent_oracle.cut_if_joint(band, score, label, plain)
    expected = completion_oracle.with_estimate(score, label, m, bounds)
    actual = pu_accessor.from_arrays(score, label).contingency(
        beta, level=level, band=band, ranks="all"
    )
    for bound in BOUNDS:
        assert as_tables(actual, bound) == expected[bound]


def test_schema() -> None:
    frame = pd.DataFrame({"s": [3, 2, 1], "y": [True, None, None]})
    tables = frame.pu(score="s", label="y").contingency(
        [0.5, 1], level=0.9, band="dkw", ranks="all"
    )
    assert dict(tables.sizes) == {"rank": 4, "bound": 3, "beta": 2}
    types = {name: (str(one.dtype), one.dims) for name, one in tables.data_vars.items()}
    kinds = {"tp": "int64", "fp": "int64", "fn": "int64", "tn": "int64", "clipped": "bool"}
    assert types == {name: (kind, ("rank", "bound", "beta")) for name, kind in kinds.items()}
    counts = {"n_known_positive": 1, "n_known_negative": 0, "n_unlabeled": 2}
    facts = {**counts, "beta_limit": 1.0, "reference": "positives"}
    assert {*tables.coords} == {"rank", "bound", "beta", "threshold", "known_positive", *facts}
    assert {name: tables[name].item() for name in facts} == facts
    assert all(tables[name].dims == () for name in facts)
    integers = {*counts, "rank", "known_positive"}
    assert {tables[name].dtype for name in integers} == {np.dtype(np.int64)}
    assert {"cutoffs": "all", "n_cutoffs": 4}.items() <= tables["rank"].attrs.items()
    assert tables["bound"].values.tolist() == ["lower", "estimate", "upper"]
    assert tables["beta"].values.tolist() == [0.5, 1.0]
    assert tables["beta"].attrs["long_name"] == "β̂"
    assert tables["known_positive"].values.tolist() == [0, 1, 1, 1]
    asked = {"level": 0.9, "band": "dkw", "target": "examples", "score": "s", "label": "y"}
    assert tables.attrs == asked


def test_names_that_are_no_texts_survive_storage(tmp_path: Path) -> None:
    frame = as_frame(draw_case(1)).rename(columns={"score": ("model", 1), "label": 0})
    tables = frame.pu(score=("model", 1), label=0).contingency([0, 0.3], ranks="all")
    tables.to_netcdf(tmp_path / "tables.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "tables.nc", engine="h5netcdf") as read:
        xr.testing.assert_identical(read.load().transpose(*tables.dims), tables)


# What must hold of any table


@pytest.mark.parametrize("band", [*sorted(BANDS), "negatives"])
def test_the_estimate_is_a_labeling_inside_the_band_where_that_holds_one(band: str) -> None:
    outside = 0
    for seed in range(12):
        frame, beta, truth = binormal(40, 160, 0.3, seed, shift=3.0)
        hard = ~truth & (np.random.default_rng(seed).random(truth.size) < 0.1)
        frame = frame.assign(score=frame["score"] + 3 * hard).replace({"label": {0: np.nan}})
        frame.loc[np.flatnonzero(~truth)[:20], "label"] = 0
        pu = frame.pu(negative=0)
        if band == "negatives":
            tables = pu.assume(reference="negatives").contingency(beta)
        else:
            tables = pu.contingency(beta, band=band)
        middle = tables.sel(bound="estimate").isel(beta=0)
        assert (middle["tp"].diff("rank") >= 0).all() and (middle["fp"].diff("rank") >= 0).all()
        lower, upper = (tables["tp"].sel(bound=side).isel(beta=0) for side in ENDS)
        free = (middle["tp"] < lower) | (middle["tp"] > upper)
        assert middle["clipped"].where(free, True).all()
        outside += bool(free.any())
    assert outside == 0 or band == "bootstrap"


ENDS = ["lower", "upper"]


def check_traced(every: xr.Dataset, few: xr.Dataset) -> None:
    """Check that breakpoints lose nothing: between them bounds are straight.

    The estimate in whole examples is half an example off at each end, and half one in between.
    """
    for name in ("tp", "fp"):
        between = few[name].astype(float).interp(rank=every["rank"])
        off = np.abs(between.values - every[name].values)
        assert off.max() <= 1 + 1e-9
        assert off[:, ::2].max() <= 1e-9
    for curve in AREAS.values():
        one, other = (tables.pu.area(curve).sel(bound=ENDS) for tables in (few, every))
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


def check_rounded(tables: xr.Dataset, curve: xr.Dataset) -> None:
    """Check that tables are the curve, in whole examples by the estimate."""
    tp = curve["tpr"] * (tables["tp"] + tables["fn"])
    off = np.abs((tp - tables["tp"]).transpose(*tables["tp"].dims).values)
    if not np.isnan(off).all():  # without positives there is no curve
        assert np.nanmax(off) <= 0.5 + 1e-5
        assert np.nanmax(off[:, ::2]) <= 1e-9


def test_breakpoints_are_few() -> None:
    frame, beta, _ = binormal(2000, 10000, 0.05, seed=3)
    tables = frame.pu.contingency(beta, ranks="breakpoints")
    assert frame.pu.contingency(beta, ranks="all").sizes["rank"] == 12001
    assert tables.sizes["rank"] < 2.2 * 100


# Cutoffs


@pytest.mark.parametrize(
    ("score", "label", "rank", "last"),
    [
        ([1.0, 0.5, 0.5, 0.5, 0.0, -0.0], [True, True, None, None, None, False], [0, 1, 4, 6], 0),
        ([np.inf, np.inf, 1.0, -np.inf], [True, None, None, None], [0, 2, 3, 4], -np.inf),
    ],
)
def test_tied_scores_share_a_cutoff(score: Any, label: Any, rank: list[int], last: float) -> None:
    tables = pu_accessor.from_arrays(score, label).contingency(0, ranks="all")
    assert tables["rank"].values.tolist() == rank
    assert tables["threshold"].values.tolist() == [np.inf, score[0], score[2], last]
    assert last or not np.signbit(tables["threshold"].values).any()


def test_asked_ranks_take_the_last_cutoff_at_or_before() -> None:
    label = [True, True, None, None, None, None]
    pu = pu_accessor.from_arrays([9, 8, 8, 8, 7, 6], label)
    every, some = (pu.contingency(0.5, ranks=r) for r in ("all", np.array([5, 3, 1, 0, 6])))
    assert every["rank"].values.tolist() == [0, 1, 4, 5, 6]
    assert some["rank"].values.tolist() == [5, 3, 1, 0, 6]
    attained = every.sel(rank=[5, 1, 1, 0, 6])
    for name in ("tp", "fp", "fn", "tn", "clipped", "threshold"):
        np.testing.assert_array_equal(some[name], attained[name])
    assert dict(pu.contingency(0.5, ranks=4).sizes) == {"rank": 1, "bound": 3, "beta": 1}


@pytest.mark.parametrize("policy", ["omit", "worst"])
@pytest.mark.parametrize("which", ["all", "breakpoints"])
def test_missing_scores(policy: Any, which: Literal["all", "breakpoints"]) -> None:
    score, label = [np.nan, 3, 1, np.nan], [None, True, None, True]
    tables = pu_accessor.from_arrays(score, label, nan_policy=policy).contingency(0.5, ranks=which)
    worst = policy == "worst"
    assert tables["rank"].values.tolist() == [0, 1, 2, *[4] * worst]
    np.testing.assert_array_equal(tables["threshold"], [np.inf, 3, 1, *[np.nan] * worst])
    assert tables["n_known_positive"] == 1 + worst


# beta


@pytest.mark.parametrize("ranks", ["all", [0, 3, 5]])
def test_several_betas_are_each_beta_alone(ranks: Any) -> None:
    pu, betas = as_frame(draw_case(5)).pu, [0.5, 0, 1, 0.25]
    together = pu.contingency(betas, ranks=ranks)
    recall = together["tp"] / (together["tp"] + together["fn"])
    np.testing.assert_allclose(together.pu.metric("recall").transpose(*recall.dims), recall)
    for beta in betas:
        alone = pu.contingency(beta, ranks=ranks)
        xr.testing.assert_identical(together.sel(beta=[beta]), alone)


def test_latent_positives_are_rounded_half_up_in_decimals() -> None:
    # 0.145 * 100 is 14.5, but 14.499999999999998 in floats.
    pu = pu_accessor.from_arrays(range(101), [True] + [None] * 100)
    tables = pu.contingency([0.145, 0.144, 0.29], ranks="all")
    assert tables["tp"].isel(rank=-1, bound=0).values.tolist() == [16, 15, 30]


def test_a_beta_is_found_as_it_was_passed() -> None:
    pu, beta = pu_accessor.from_arrays([3, 2, 1], [True, None, None]), 54 / 583
    passed: list[Any] = [beta, [0.0, beta], pd.Interval(beta, beta), pd.Interval(beta, 0.3)]
    for one in passed:
        assert beta in pu.contingency(one, ranks="all")["beta"].to_numpy()
    assert pu.contingency(pd.Interval(beta, beta), ranks="all").sizes["beta"] == 1


def test_betas_that_were_computed_mean_the_decimal_they_are_next_to() -> None:
    third, near, off = 1 / 3, 0.3 + 16 * np.spacing(0.3), 0.3 + 20 * np.spacing(0.3)
    passed: Any
    for passed, meant in (
        (np.arange(0, 0.5, 0.1), [0, 0.1, 0.2, 0.3, 0.4]),
        ([third, near, off, 1 - near], [third, 0.3, off, 0.7]),
        (np.array([Fraction(1, 4), 0.1 + 0.2], object), [0.25, 0.3]),
        (np.array([0.1, 0.3], np.float16), [0.1, 0.3]),
        *((one, [0.5]) for one in (0.5, np.float32(0.5), np.array(0.5), (0.5,), Fraction(1, 2))),
        *((pd.array([0.5]), [0.5]), (pd.Index([0.5]), [0.5])),
    ):
        assert as_betas(passed).tolist() == meant
        tables = pu_accessor.from_arrays([3, 2, 1], [True, None, None]).contingency(
            passed, ranks="all"
        )
        assert tables["beta"].values.tolist() == meant
    for far in (np.inf, -np.inf, np.nan, np.finfo(float).max, -np.finfo(float).max, 1.0 + 1e-9):
        with pytest.raises(PUValueError, match=r"beta must lie in \[0, 1\]"):
            as_betas([0.5, far])
    wrong: list[Any] = [np.ma.array([0.5]), [True], ["0.5"], [None], [[0.5]], [0.5j], [0.1, pd.NA]]
    wrong += [10**400, Fraction(10**400)]  # which are no floats
    for none in wrong:
        with pytest.raises(PUTypeError, match="beta must be a number or a one-dimensional array"):
            as_betas(none)
