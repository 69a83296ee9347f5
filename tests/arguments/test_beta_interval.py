"""Envelopes over an interval of beta: against curves at many betas inside it."""

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from pu_accessor import PUKeyError, PUTypeError, PUValueError
from pu_accessor.checks import interval_betas
from pu_accessor.ranking import FloatArray
from tests.cases import AREAS, draw_case, estimates_of, put
from tests.support.oracles.envelope_oracle import around, height_of, precision_at

SIDES = ("lower", "upper")
SEEN = ["known_positive", "known_negative"]
TOLERANCE = 0.51  # counts; the worst at 45 betas each was .5: a quarter of .01 of 200 unlabeled


def ranked(
    known: int, unlabeled: int, shift: float, *, negatives: int = 0, decimals: int = 6, seed: int
) -> pd.DataFrame:
    """Draw scores of which 30 % of the unlabeled are positives, `shift` better than the rest."""
    rng = np.random.default_rng(seed)
    size = known + unlabeled + negatives
    place = np.arange(size)
    truth = place < known + 0.3 * unlabeled
    label = np.where(place < known, 1.0, np.where(place < size - negatives, np.nan, 0.0))
    good = rng.normal(shift * truth)
    if not shift:  # half of the positives at the top, half at the bottom
        good = np.where(truth, rng.normal(np.where(place % 2, 2, -2)), good)
    return pd.DataFrame({"score": np.round(good, decimals), "label": label})


class Setting(NamedTuple):
    frame: pd.DataFrame
    interval: tuple[float, float]
    options: dict[str, Any]


GOOD, BAD, MIXED = 1.5, -1.0, 0.0
SETTINGS = {
    "good": Setting(ranked(30, 200, GOOD, seed=1), (0.2, 0.4), {}),
    "bad": Setting(ranked(30, 200, BAD, seed=3), (0.1, 0.5), {}),
    "mixed, wide": Setting(ranked(30, 200, MIXED, seed=5), (0.05, 0.95), {}),
    "ties": Setting(ranked(30, 200, GOOD, decimals=0, seed=6), (0.1, 0.6), {}),
    "one point": Setting(ranked(30, 200, MIXED, seed=7), (0.3, 0.3), {}),
    "few known": Setting(ranked(3, 150, GOOD, seed=8), (0, 0.9), {}),
    "known negatives": Setting(ranked(25, 150, BAD, negatives=30, seed=9), (0, 1), {}),
    "bootstrap": Setting(ranked(30, 200, GOOD, seed=10), (0.1, 0.7), {"band": "bootstrap"}),
    "simultaneous": Setting(ranked(30, 200, MIXED, seed=11), (0, 0.5), {"band": "simultaneous"}),
    "negatives": Setting(
        ranked(20, 150, GOOD, negatives=40, seed=12), (0.1, 1), {"reference": "negatives"}
    ),
    "both": Setting(ranked(20, 150, BAD, negatives=40, seed=13), (0, 0.9), {"reference": "both"}),
    "propensity": Setting(
        ranked(30, 200, GOOD, seed=14).assign(
            propensity=lambda d: 1 / (1 + np.exp(0.5 - d["score"].clip(-2, 2)))
        ),
        (0.1, 0.8),
        {"propensity": "propensity"},
    ),
}
every_setting = pytest.mark.parametrize("which", SETTINGS)
CURVES = {"roc": "tpr_envelope", "pr": "precision_envelope"}
every_curve = pytest.mark.parametrize("curve", CURVES)


def inside(interval: tuple[float, float], many: int = 4) -> list[float]:
    """Return random betas of an interval, most of them between those of the package."""
    rng = np.random.default_rng(42)
    low, high = interval
    return sorted({low, high, *np.round(rng.uniform(low, high, many), 7).tolist()})


@cache
def ask(which: str) -> xr.Dataset:
    """Return tables at all cutoffs, with an interval, at a point of its grid or off it."""
    frame, interval, options = SETTINGS[which]
    share = 0.5 if which in ("good", "bad", "mixed, wide") else 0.517
    point = round(interval[0] + share * (interval[1] - interval[0]), 7)
    found: xr.Dataset = put(frame.pu, "contingency", point, beta_interval=interval, **options)
    return found


@cache
def at_many(which: str) -> xr.Dataset:
    """Return tables at betas all over the interval."""
    frame, interval, options = SETTINGS[which]
    found: xr.Dataset = put(frame.pu, "contingency", inside(interval), **options)
    return found


def envelope_of(tables: xr.Dataset, curve: str) -> xr.DataArray:
    """Return the envelope of a curve."""
    found: xr.DataArray = getattr(tables.pu, f"{curve}_bounds")()[CURVES[curve]]
    return found


def counts_of(tables: xr.Dataset, side: str) -> tuple[FloatArray, FloatArray]:
    """Return true and false positives of a bound at one beta, by rank."""
    one = tables.squeeze().sel(bound=side)
    return one["tp"].to_numpy().astype(float), one["fp"].to_numpy().astype(float)


def curve_excess(which: str, curve: str) -> float:
    """Return by how many counts a curve leaves the envelope, one count aside allowed."""
    envelope, many = envelope_of(ask(which), curve), at_many(which)
    grid, worst = envelope[envelope.dims[0]].to_numpy(), -np.inf
    for beta in many["beta"].to_numpy():
        for side in SIDES:
            tp, fp = counts_of(many.sel(beta=beta), side)
            if curve == "roc" and not fp[-1]:
                continue
            height = height_of(curve, tp, fp, grid, side)
            step, counts = 1.01 / tp[-1], grid * tp[-1] / np.where(height > 0, height, 1)
            if curve == "roc":  # curves may be steep
                step, counts = 1 / fp[-1], np.full(grid.size, tp[-1])
            near = around(envelope.sel(envelope=side).to_numpy(), grid, step, side)
            excess = height - near if side == "upper" else near - height
            worst = max(worst, float((excess * np.maximum(counts, 1)).max()))
    return worst


def effect_of(many: xr.Dataset, name: str, found: xr.DataArray) -> xr.DataArray:
    """Return what one more true positive, and one less false one, adds to a metric."""
    counts = {"tp": 1, "fp": -1, "fn": -1, "tn": 1}
    one_more = many.assign({count: many[count] + more for count, more in counts.items()})
    one_more = one_more.drop_vars(SEEN, errors="ignore")  # it is also where it cannot be
    effect: xr.DataArray = one_more.pu.metric(name) - found
    return effect


def excess_of(values: xr.DataArray, many: xr.Dataset, name: str) -> float:
    """Return by how many counts a metric leaves the envelope at equal rank."""
    one, two = (values.sel(bound=f"envelope_{side}", drop=True) for side in SIDES)
    low, high = np.fmin(one, two), np.fmax(one, two)
    found = many.pu.metric(name)
    effect = abs(effect_of(many, name, found))
    excess = (np.fmax(found - high, low - found) / effect.where(effect > 1e-12)).fillna(0)
    return float(excess.sel(bound=list(SIDES)).max())


# Betas inside the interval


@every_curve
@every_setting
def test_curves_at_any_beta_lie_within_the_envelope(which: str, curve: str) -> None:
    assert curve_excess(which, curve) <= TOLERANCE


@every_setting
def test_metrics_and_areas_at_any_beta_lie_within_the_envelope(which: str) -> None:
    tables, many = ask(which), at_many(which)
    for name in ("fpr", "precision", "f1", "accuracy"):
        values = tables.pu.metric(name).isel(beta=0)
        assert excess_of(values, many, name) <= TOLERANCE
        ends = [values.sel(bound=f"envelope_{side}", drop=True) for side in SIDES]
        low, high = ends[::-1] if name == "fpr" else ends  # by performance
        assert not ((values < low) | (values > high)).any()
    for name in AREAS.values():
        area = tables.pu.area(name).isel(beta=0)
        found = many.pu.area(name).sel(bound=list(SIDES))
        assert float(found.max()) <= float(area.sel(bound="envelope_upper")) + 0.01
        assert float(found.min()) >= float(area.sel(bound="envelope_lower")) - 0.01


@pytest.mark.filterwarnings("ignore:In .* the estimate lies outside")
@pytest.mark.parametrize("name", AREAS.values())
@pytest.mark.parametrize("which", ["good", "mixed, wide", "bad", "propensity"])
def test_intervals_at_any_beta_lie_within_the_envelope(which: str, name: str) -> None:
    frame, interval, options = SETTINGS[which]
    target = "population" if which in ("good", "mixed, wide") else "examples"
    options, point = {**options, "target": target}, float(ask(which)["beta"][0])
    row = put(frame.pu, name, point, beta_interval=interval, **options).iloc[0]
    many = put(frame.pu, name, inside(interval), **options)
    ends = many[many["beta"].isin(interval)]
    for some, off in ((many, 0.005), (ends, 0)):
        assert some["lower"].min() >= row["envelope_lower"] - off
        assert some["upper"].max() <= row["envelope_upper"] + off
    assert row["envelope_lower"] <= row["lower"] <= row["upper"] <= row["envelope_upper"]


BENDS = [(3000, GOOD, "exact"), (30_000, GOOD, "exact"), (30_000, BAD, "dkw")]


@pytest.mark.parametrize(("unlabeled", "shift", "band"), BENDS)
def test_envelopes_are_within_a_count_at_bends(unlabeled: int, shift: float, band: str) -> None:
    # Where a bound starts to be clipped at a beta in the middle of two inner ones, .01 apart, a
    # metric at equal rank would be out by a quarter of .01 of the unlabeled: 7.5 and 75 counts.
    frame = ranked(50, unlabeled, shift, seed=1)
    how: dict[str, Any] = {"ranks": np.linspace(0, len(frame), 60).astype(int), "band": band}
    tables = frame.pu.contingency(0.2, beta_interval=(0, 0.9), **how)
    many = frame.pu.contingency(np.round(np.linspace(0, 0.9, 181), 3), **how)
    for name in ("accuracy", "f1", "fpr"):
        assert excess_of(tables.pu.metric(name).isel(beta=0), many, name) <= 1.01


@pytest.mark.parametrize("reference", ["positives", "both"])
def test_an_envelope_holds_each_whole_number_of_latent_positives(reference: str) -> None:
    frame = ranked(60, 1000, BAD, negatives=60, seed=7)
    many = frame.pu.contingency(np.arange(100, 501) / 1000, ranks=[460], reference=reference)
    how: dict[str, Any] = {"at": 460, "beta_interval": (0.1, 0.5), "reference": reference}
    for name in ("f1", "fpr"):
        row = frame.pu.metric(name, 0.3, **how).iloc[0]
        found = many.pu.metric(name)
        count = float(abs(effect_of(many, name, found)).max())
        assert row["envelope_upper"] == pytest.approx(float(found.max()), abs=1.01 * count)
        assert row["envelope_lower"] == pytest.approx(float(found.min()), abs=1.01 * count)


# The point itself


@every_setting
def test_the_envelope_contains_the_band_of_the_point(which: str) -> None:
    tables = ask(which)
    envelope = envelope_of(tables, "roc")
    for side in SIDES:
        height = height_of("roc", *counts_of(tables, side), envelope["fpr_grid"].values, side)
        limit = envelope.sel(envelope=side).to_numpy()
        assert ((height - limit if side == "upper" else limit - height) < 1e-12).all()
    on_grid = tables["beta"].item() in tables["interval_beta"]
    assert on_grid == (which in ("good", "bad", "mixed, wide", "one point"))
    assert (tables.pu.area("average_precision").isel(beta=0).diff("bound") >= 0).all()


RECALL_GRID = np.round(np.linspace(0, 1, 1001), 3)


@pytest.mark.parametrize("side", SIDES)
def test_pr_envelope_has_all_corners(side: str) -> None:
    known, unlabeled, beta = (50, 250, 0.2) if side == "lower" else (70, 300, 0.1)
    # 100 positives. Precision falls where recall is level: at one recall it has many values.
    frame = ranked(known, unlabeled, GOOD, seed=3)
    tables = frame.pu.contingency(beta, beta_interval=(beta, beta))
    tp, fp = counts_of(tables, side)
    assert tp[-1] == 100
    value = precision_at(tp, tp + fp, np.arange(1.0, 100), side)
    found = envelope_of(tables, "pr").sel(envelope=side, recall_grid=RECALL_GRID[10:1000:10])
    np.testing.assert_allclose(found, value, atol=1e-9)


@every_curve
@pytest.mark.parametrize("seed", range(6))
def test_envelopes_of_one_beta_are_its_curves(seed: int, curve: str) -> None:
    score, label, beta = draw_case(seed)
    top = max(score)  # known negatives first, where precision starts at 0 for sure
    score, label = [top + 2, top + 1, *score, -9.0], [False, bool(seed % 2), *label, None]
    ranking = pu_accessor.from_arrays(score, label, negative=False)
    beta = min(beta, 0.6)
    reference = ("positives", "negatives", "both")[seed // 2]  # of the others curves step down
    tables = ranking.contingency(beta, beta_interval=(beta, beta), reference=reference)
    envelope = envelope_of(tables, curve)
    grid = envelope[envelope.dims[0]].to_numpy()
    for side in SIDES:
        tp, fp = counts_of(tables, side)
        place = grid * (fp if curve == "roc" else tp)[-1]
        sure = (abs(place % 1 - 0.5) < 0.49) | (grid == 0)  # no corner
        wanted = height_of(curve, tp, fp, grid, side)[sure]
        np.testing.assert_allclose(envelope.sel(envelope=side)[sure], wanted, atol=1e-12)


def test_grids_are_steps_of_a_thousandth_with_more_near_0() -> None:
    tables = ask("good")
    expected = [0, *np.geomspace(1e-6, 1e-3, 31), *(step / 1000 for step in range(2, 1001))]
    for grid in (tables.pu.roc_bounds()["fpr_grid"], tables.pu.pr_bounds()["recall_grid"]):
        assert grid.values.tolist() == pytest.approx(expected, rel=1e-12)
        assert set(RECALL_GRID.tolist()) <= set(grid.values.tolist())  # to be selected by


# Tables, metrics and areas


SOME = ["good", "few known", "known negatives", "bootstrap", "both", "propensity"]


@pytest.mark.parametrize("which", SOME)
def test_inner_tables_are_those_of_their_betas(which: str) -> None:
    frame, interval, options = SETTINGS[which]
    tables = ask(which)
    betas = tables["interval_beta"].to_numpy()
    assert (betas[0], betas[-1]) == interval
    assert (np.diff(betas) > 0).all() and np.diff(betas).max() < 0.01 + 1e-9
    # The point is none of them, but envelopes contain it.
    alone = put(frame.pu, "contingency", np.union1d(betas, tables["beta"]), **options)
    alone = alone.sel(bound=list(SIDES))
    grid = alone.sel(beta=betas)
    assert tables["interval_tp"].dims == ("rank", "interval_bound", "interval_beta")
    np.testing.assert_array_equal(tables["interval_tp"], grid["tp"])
    assert tables["interval_positives"].dims == ("interval_beta",)
    positives = (grid["tp"] + grid["fn"]).isel(rank=0, bound=0)
    np.testing.assert_array_equal(tables["interval_positives"], positives)
    straight = tables.copy(deep=True)  # the first beta in the place of kinks
    straight["interval_kinks"][..., 0] = tables["interval_tp"].isel(interval_beta=[0]).to_numpy()
    straight["interval_kinks"][..., 1] = int(tables["interval_positives"][0])
    for name in ("precision", "fnr", "mcc"):
        values, inner = straight.pu.metric(name).isel(beta=0), alone.pu.metric(name)
        ends = [inner.min(["bound", "beta"]), inner.max(["bound", "beta"])]
        for side, end in zip(SIDES, ends[::-1] if name == "fnr" else ends, strict=True):
            np.testing.assert_array_equal(values.sel(bound=f"envelope_{side}"), end)
    for name in AREAS.values():
        area, inner = tables.pu.area(name).isel(beta=0), alone.pu.area(name)
        bounds = ["envelope_lower", "lower", "estimate", "upper", "envelope_upper"]
        assert area["bound"].values.tolist() == bounds
        ends = [float(inner.min()), float(inner.max())]
        np.testing.assert_allclose(area.values[[0, -1]], ends, rtol=1e-12)


def test_a_cost_gets_an_envelope_by_performance() -> None:
    cost = ask("good").pu.metric(lambda tp, fp, fn, tn: 5 * fn + fp).isel(beta=0)
    ends = cost.sel(bound=["envelope_lower", "lower", "upper", "envelope_upper"])
    assert (ends.diff("bound") <= 0).all() and (ends.diff("bound") < 0).any()


def test_without_an_interval_nothing_is_added() -> None:
    tables, with_interval = SETTINGS["good"].frame.pu.contingency(0.3), ask("good")
    assert with_interval.attrs["beta_interval"] == [0.2, 0.4]
    added = [name for name in with_interval.variables if "interval" in str(name)]
    assert len(added) == 4
    without = with_interval.drop_vars(added)
    del without.attrs["beta_interval"]
    xr.testing.assert_identical(without, tables)
    assert tables.pu.metric("f1").sizes["bound"] == tables.pu.area("auroc").sizes["bound"] == 3
    for found, plain in (
        (with_interval.pu.to_frame(), tables.pu.to_frame()),
        (with_interval.pu.pr_bounds().pu.to_frame(), tables.pu.pr_bounds().pu.to_frame()),
    ):
        pd.testing.assert_frame_equal(found, plain)  # a row for each rank, bound and beta


def test_frames_get_two_columns() -> None:
    frame, interval, _ = SETTINGS["bad"]
    tables, ends = ask("bad"), ["envelope_lower", "envelope_upper"]
    every = frame.pu.average_precision([0.2, 0, 0.4], beta_interval=interval)
    grid = frame.pu.average_precision(np.union1d(tables["interval_beta"].to_numpy(), [0.2, 0.4]))
    assert (every[ends[0]] == grid["lower"].min()).all()
    assert (every[ends[1]] == grid["upper"].max()).all()


@every_curve
def test_bounds_of_frames_are_those_of_tables(curve: str) -> None:
    frame, interval, _ = SETTINGS["mixed, wide"]
    curves = getattr(frame.pu, f"{curve}_bounds")(0.3, beta_interval=interval)
    tables = frame.pu.contingency(0.3, beta_interval=interval, ranks="breakpoints")
    read = getattr(tables.pu, f"{curve}_bounds")()
    xr.testing.assert_identical(curves.sel(bound=list(SIDES)), read.sel(bound=list(SIDES)))
    # Of the estimate tables are in whole examples, but curves are not.
    every = estimates_of(frame, 0.3)
    at, positives = {one.rank: one for one in every}, every[0].tp + every[0].fn
    tpr = [float(at[rank].tp) / positives for rank in curves["rank"].values]
    recall = {"roc": "tpr", "pr": "recall"}[curve]
    middle = curves[recall].sel(bound="estimate", beta=0.3)
    np.testing.assert_allclose(middle, tpr, atol=1e-12)
    off = abs(read[recall].sel(bound="estimate", beta=0.3) - middle).max()
    assert 0 < off * positives <= 0.5 + 1e-9
    again = envelope_of(frame.pu.contingency(0.3, beta_interval=interval), curve)
    np.testing.assert_allclose(curves[CURVES[curve]], again, atol=1e-12)  # straight in between


# Groups, selections, files

PARTS = {"a": SETTINGS["good"].frame, "b": ranked(20, 90, BAD, seed=21)}
GROUPS = pd.concat([part.assign(site=key) for key, part in PARTS.items()])
BY_SITE = GROUPS.pu(by="site")
TOGETHER = BY_SITE.contingency(0.3, beta_interval=(0.2, 0.4))
INTERVALS = {"a": (0.1, 0.3), "b": (0.15, 0.45)}


# Of one interval the grid of betas is the same for all, and there are betas on it and off it.
GIVEN: list[Any] = [(0.3, (0.2, 0.4)), ({"a": 0.25, "b": 0.277}, (0.2, 0.4)), (0.2, INTERVALS)]


@pytest.mark.parametrize(("beta", "interval"), GIVEN)
def test_each_group_has_its_own_envelope(beta: Any, interval: Any) -> None:
    tables = BY_SITE.contingency(beta, beta_interval=interval)
    of_all = {
        name: (tables.pu.area(name), getattr(BY_SITE, name)(beta, beta_interval=interval))
        for name in AREAS.values()
    }
    tied = GROUPS.round({"score": 1}).pu(by="site")
    at = tied.metric("precision", beta, at=30, beta_interval=interval).set_index("site")
    curves = {curve: envelope_of(tables, curve) for curve in CURVES}
    for key, part in PARTS.items():
        own = beta[key] if isinstance(beta, dict) else beta
        one = INTERVALS[key] if interval is INTERVALS else interval
        how = {"beta": own, "beta_interval": one}
        alone, here = part.pu.contingency(**how), tables.sel(site=key)
        if interval is not INTERVALS:
            assert alone.indexes["interval_beta"].equals(tables.indexes["interval_beta"])
        for curve, together in curves.items():
            one = envelope_of(alone, curve)
            np.testing.assert_allclose(one, together.sel(site=key), atol=1e-12)
            np.testing.assert_allclose(one, envelope_of(here, curve), atol=1e-12)
        for name in ("fpr", "f1"):
            values = tables.pu.metric(name).sel(site=key, rank=alone["rank"])
            np.testing.assert_array_equal(values, alone.pu.metric(name))
        row = part.round({"score": 1}).pu.metric("precision", at=30, **how).iloc[0]
        assert at.loc[key].to_dict() == row.to_dict()
        for name, (areas, rows) in of_all.items():
            np.testing.assert_allclose(areas.sel(site=key), alone.pu.area(name))
            mine = rows[rows["site"] == key].drop(columns="site").reset_index(drop=True)
            pd.testing.assert_frame_equal(mine, getattr(part.pu, name)(**how))


def test_all_ways_to_give_intervals_say_the_same() -> None:
    ways = [INTERVALS, pd.Series(INTERVALS), pd.DataFrame(INTERVALS, index=["low", "high"]).T]
    first, *others = (BY_SITE.contingency(0.2, beta_interval=way, ranks=[9, 30]) for way in ways)
    for other in others:
        xr.testing.assert_identical(other, first)


@pytest.mark.parametrize("interval", [(0.2, 0.4), INTERVALS])
def test_a_baseline_outside_the_interval_does_not_widen_the_envelope(interval: Any) -> None:
    one, two = (BY_SITE.contingency(b, beta_interval=interval) for b in (0.2, [0, 0.2]))
    for name in ("accuracy", "fpr"):
        values = [t.pu.metric(name).sel(beta=0.2).isel(bound=[0, -1]) for t in (one, two)]
        np.testing.assert_array_equal(*values)
    for curve in CURVES:
        np.testing.assert_array_equal(envelope_of(one, curve), envelope_of(two, curve))


def test_intervals_survive_storage(tmp_path: Path) -> None:
    for name, thing in (("t", TOGETHER), ("r", TOGETHER.pu.roc_bounds())):
        thing.to_netcdf(tmp_path / name, engine="h5netcdf")
        thing.to_zarr(tmp_path / f"{name}.zarr", consolidated=False)
        for read in (
            xr.load_dataset(tmp_path / name, engine="h5netcdf"),
            xr.open_zarr(tmp_path / f"{name}.zarr", chunks=None, consolidated=False).load(),
        ):
            xr.testing.assert_identical(read.transpose(*thing.dims), thing.transpose(*thing.dims))
            if name == "t":
                xr.testing.assert_equal(read.pu.area("auroc"), TOGETHER.pu.area("auroc"))


@pytest.mark.parametrize("betas", [0.3, [0.4, 0]])
def test_betas_can_be_selected(betas: Any) -> None:
    tables = PARTS["a"].pu.contingency([0, 0.2, 0.3, 0.4], beta_interval=(0.2, 0.4))
    some = tables.sel(beta=betas)
    for name in ("f1", "fpr"):
        xr.testing.assert_identical(some.pu.metric(name), tables.pu.metric(name).sel(beta=betas))
    for curve, name in AREAS.items():
        xr.testing.assert_allclose(some.pu.area(name), tables.pu.area(name).sel(beta=betas))
        one, other = (getattr(thing.pu, f"{curve}_bounds")() for thing in (some, tables))
        xr.testing.assert_identical(one, other.sel(beta=betas))


# Once wrong, each with its smallest example

SMALL: dict[str, Any] = {"label": [None, 1, 1, None, None, 1, *[None] * 3]}
FRAME = pd.DataFrame({"score": range(9, 0, -1), **SMALL})


def test_an_interval_up_to_one_is_of_the_betas_with_negatives() -> None:
    FRAME.pu.plot_roc(0.5, beta_interval=(0, 1))
    curves = [FRAME.pu.roc_bounds(0.5, beta_interval=(0, end)) for end in (1, 0.99)]
    found, smaller = (curve["tpr_envelope"] for curve in curves)
    assert found.notnull().all()
    np.testing.assert_allclose(found, smaller, atol=1e-12)
    none = FRAME.pu.contingency(1, beta_interval=(1, 1))
    assert envelope_of(none, "roc").isnull().all() and none.pu.area("auroc").isnull().all()
    assert none.pu.area("average_precision").notnull().all()


@pytest.mark.filterwarnings("ignore:In .* the estimate lies outside")
@pytest.mark.parametrize("target", ["population", "examples"])
def test_auroc_with_an_interval_up_to_one(target: str) -> None:
    row = FRAME.pu.auroc(0.5, beta_interval=(0, 1), target=target).iloc[0]
    assert row["envelope_lower"] <= row["lower"] <= row["upper"] <= row["envelope_upper"]
    # Of all betas that leave a part of a negative.
    row = FRAME.pu.auroc(0.9, beta_interval=(0.84, 1), target=target).iloc[0]
    betas = FRAME.pu.contingency(0.9, beta_interval=(0.84, 1))["interval_beta"].to_numpy()
    each = FRAME.pu.auroc(betas[betas < 1], target=target)
    assert (betas[-1], row["envelope_upper"]) == (1, each["upper"].max())
    assert row["envelope_lower"] == each["lower"].min()
    none = FRAME.pu.auroc(0, beta_interval=(1, 1), target=target).iloc[0]
    assert none[["envelope_lower", "envelope_upper"]].isna().all()
    assert 0 <= none["lower"] <= none["upper"] <= 1


@pytest.mark.parametrize("more", [{"beta": 0.5, "beta_interval": (0, 0.5)}, {"beta": [0, 0.5]}])
def test_an_interval_from_zero_with_known_negatives_alone(more: dict[str, Any]) -> None:
    frame = pd.DataFrame({"score": range(6, 0, -1), "label": [None, None, 0, None, 0, None]})
    tables = frame.pu.contingency(reference="negatives", **more)
    for curve, name in AREAS.items():
        area = tables.pu.area(name)
        assert area.sel(beta=0.5).notnull().all()
        assert area.where(area["beta"] == 0, drop=True).isnull().all()
        assert "beta_interval" not in more or envelope_of(tables, curve).notnull().all()


def test_an_envelope_of_groups_of_two_columns() -> None:
    two = pd.concat([FRAME.assign(g="a", f=0), FRAME.assign(g="a", f=1), FRAME.assign(g="b", f=0)])
    tables = two.pu(by=["g", "f"]).contingency(0.5, beta_interval=(0.2, 0.6))
    here = tables.unstack("group").pu.metric("f1").sel(g="b", f=0)
    np.testing.assert_array_equal(here, tables.pu.metric("f1").sel(group=("b", 0)))
    for curve in CURVES:
        assert envelope_of(tables, curve).sizes["group"] == 3


@every_curve
def test_an_envelope_of_some_ranks(curve: str) -> None:
    # Not that of a curve that ends at rank 4.
    bounds, interval = f"{curve}_bounds", {"beta_interval": (0.2, 0.6)}
    part = getattr(FRAME.pu, bounds)(0.5, ranks=[0, 2, 4], **interval)
    assert CURVES[curve] not in part and "envelope" not in part.dims
    tables, say = FRAME.pu.contingency(0.5, **interval), ["n_cutoffs", "all_cutoffs"]
    again = getattr(tables.isel(rank=[0, 2, 4]).pu, bounds)()
    xr.testing.assert_equal(again.drop_vars(say), part.drop_vars(say))
    point, whole = (getattr(some.pu, bounds)() for some in (tables.isel(rank=4), tables))
    name = {"roc": "tpr", "pr": "recall"}[curve]
    np.testing.assert_array_equal(point[name], whole[name].isel(rank=4))
    assert "envelope" not in point.dims


# Errors


PAIR, ORDER = "beta_interval must be a pair", "0 <= low <= high <= 1, but "


@pytest.mark.parametrize(
    ("interval", "error", "message"),
    [
        (0.3, PUTypeError, f"{PAIR} of numbers, .* but 0.3 was passed"),
        *((no, PUTypeError, PAIR) for no in ((0.1, 0.2, 0.6), "ab", (0.1, None), (True, False))),
        ((0.6, 0.2), PUValueError, rf"{ORDER}\(0.6, 0.2\) was"),
        *((none, PUValueError, ORDER) for none in ((-0.1, 0.6), (0.1, 1.5), (np.nan, 0.6))),
        ((0.6, 0.7), PUValueError, r"beta must lie in beta_interval, .* but \[0.5\] was"),
        (INTERVALS, PUTypeError, f"{PAIR} .*by='site'"),
    ],
)
def test_intervals_that_are_none(interval: Any, error: Any, message: str) -> None:
    how: dict[str, Any] = {"beta": [0, 0.5], "beta_interval": interval}
    curves = ("contingency", "roc_bounds", "pr_bounds", "plot_roc", "plot_pr")
    about: Any = {"plot_metric": {"quantity": "f1"}, "metric": {"quantity": "f1", "at": 3}}
    for name in (*curves, *AREAS.values(), *about):
        with pytest.raises(error, match=message):
            getattr(FRAME.pu, name)(**how, **about.get(name, {}))


@pytest.mark.parametrize(
    ("intervals", "error", "told"),
    [
        ({"a": (0.1, 0.3)}, PUKeyError, r"beta_interval must .* none for \['b'\]"),
        (INTERVALS | {"b": 0.2}, PUTypeError, f"site='b': {PAIR}"),
        (INTERVALS | {"b": (0.5, 0.2)}, PUValueError, "site='b': .* low <= high"),
        (pd.DataFrame({"l": [0.1], "h": [0.2]}), PUValueError, r"columns \['low', 'high'\]"),
        (pd.Series([(0.1, 0.3)] * 2, index=["a", "a"]), PUValueError, "each key once"),
        (INTERVALS | {"b": (0.3, 0.45)}, PUValueError, "beta must lie in beta_interval"),
    ],
)
def test_intervals_by_key_that_do_not_fit(intervals: Any, error: Any, told: str) -> None:
    with pytest.raises(error, match=told):
        BY_SITE.contingency(0.2, beta_interval=intervals)


@pytest.mark.parametrize("ranks", ["all", "breakpoints"])
def test_precision_at_recall_0_where_groups_start_at_other_cutoffs(ranks: str) -> None:
    tied = {"a": [5, 4, 3, 2, 1, 0], "b": [3, 3, 3, 2, 1, 0], "c": [1, 1, 1, 1, 0, 0]}
    frame = pd.DataFrame({**tied, "label": [1, None, 1, None, None, None]})
    groups, asked = frame.pu(score=[*tied]), {"beta_interval": (0.25, 0.5), "ranks": ranks}
    together = [groups.pr_bounds(0.25, **asked), groups.contingency(0.25, **asked).pu.pr_bounds()]
    for key in tied:
        alone = frame.pu(score=key).pr_bounds(0.25, **asked)["precision_envelope"]
        assert alone.notnull().all()
        for curves in together:
            found = curves["precision_envelope"].sel(model=key)
            np.testing.assert_allclose(found, alone, rtol=1e-12)


@pytest.mark.parametrize(
    ("low", "high", "steps"),
    [
        *(("0.2", "0.3", 10), ("0.2", "0.21", 8), ("0.2", "0.65", 45), ("0.2", "0.651", 46)),
        *(("0", "0.9", 90), ("0.0095", "0.5", 50), ("0.01", "0.5", 49), ("0.1", "0.1", 8)),
    ],
)
def test_betas_within_an_interval_are_near_each_other(low: str, high: str, steps: int) -> None:
    step = (Fraction(high) - Fraction(low)) / steps
    parts = [*range(steps + 1), *(Fraction(1, 2**k) for k in range(1, 7) if float(low) < 0.01)]
    wanted = sorted({Fraction(low) + step * part for part in parts})
    found = interval_betas((float(low), float(high)), np.array([0.0, float(high)]))
    assert found.tolist() == [float(f"{float(beta):.12g}") for beta in wanted]
