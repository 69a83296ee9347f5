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
from pu_accessor.checks import interval_betas
from pu_accessor.ranking import FloatArray
from tests.cases import AREAS, draw_case, put
from tests.support.oracles.envelope_oracle import around, height_of

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


@pytest.mark.parametrize("reference", ["positives", "both"])
def test_an_envelope_holds_each_whole_number_of_latent_positives(reference: str) -> None:
    frame = ranked(60, 1000, BAD, negatives=60, seed=7)
    many = frame.pu.assume(reference=reference).contingency(
        np.arange(100, 501) / 1000, ranks=[460]
    )
    how: dict[str, Any] = {"at": 460, "beta_interval": (0.1, 0.5), "reference": reference}
    for name in ("f1", "fpr"):
        row = put(frame.pu, "metric", name, 0.3, **how).iloc[0]
        found = many.pu.metric(name)
        count = float(abs(effect_of(many, name, found)).max())
        assert row["envelope_upper"] == pytest.approx(float(found.max()), abs=1.01 * count)
        assert row["envelope_lower"] == pytest.approx(float(found.min()), abs=1.01 * count)


# The point itself


RECALL_GRID = np.round(np.linspace(0, 1, 1001), 3)


@every_curve
@pytest.mark.parametrize("seed", range(6))
def test_envelopes_of_one_beta_are_its_curves(seed: int, curve: str) -> None:
    score, label, beta = draw_case(seed)
    top = max(score)  # known negatives first, where precision starts at 0 for sure
    score, label = [top + 2, top + 1, *score, -9.0], [False, bool(seed % 2), *label, None]
    ranking = pu_accessor.from_arrays(score, label, negative=False)
    beta = min(beta, 0.6)
    reference = ("positives", "negatives", "both")[seed // 2]  # of the others curves step down
    tables = ranking.assume(reference=reference).contingency(pd.Interval(beta, beta), ranks="all")
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


# Groups, selections, files

PARTS = {"a": SETTINGS["good"].frame, "b": ranked(20, 90, BAD, seed=21)}
GROUPS = pd.concat([part.assign(site=key) for key, part in PARTS.items()])
BY_SITE = GROUPS.pu(by="site")
TOGETHER = BY_SITE.contingency(pd.Interval(0.2, 0.4), ranks="all")
INTERVALS = {"a": (0.1, 0.3), "b": (0.15, 0.45)}


# Of one interval the grid of betas is the same for all, and there are betas on it and off it.
GIVEN: list[Any] = [(0.3, (0.2, 0.4)), ({"a": 0.25, "b": 0.277}, (0.2, 0.4)), (0.2, INTERVALS)]


@pytest.mark.parametrize(("beta", "interval"), GIVEN)
def test_each_group_has_its_own_envelope(beta: Any, interval: Any) -> None:
    tables = BY_SITE.contingency(beta, beta_interval=interval, ranks="all")
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
        alone, here = put(part.pu, "contingency", **how), tables.sel(site=key)
        if interval is not INTERVALS:
            assert alone.indexes["interval_beta"].equals(tables.indexes["interval_beta"])
        for curve, together in curves.items():
            one = envelope_of(alone, curve)
            np.testing.assert_allclose(one, together.sel(site=key), atol=1e-12)
            np.testing.assert_allclose(one, envelope_of(here, curve), atol=1e-12)
        for name in ("fpr", "f1"):
            values = tables.pu.metric(name).sel(site=key, rank=alone["rank"])
            np.testing.assert_array_equal(values, alone.pu.metric(name))
        row = put(part.round({"score": 1}).pu, "metric", "precision", at=30, **how).iloc[0]
        assert at.loc[key].to_dict() == row.to_dict()
        for name, (areas, rows) in of_all.items():
            np.testing.assert_allclose(areas.sel(site=key), alone.pu.area(name))
            mine = rows[rows["site"] == key].drop(columns="site").reset_index(drop=True)
            pd.testing.assert_frame_equal(mine, put(part.pu, name, **how))


def test_all_ways_to_give_intervals_say_the_same() -> None:
    ways = [INTERVALS, pd.Series(INTERVALS), pd.DataFrame(INTERVALS, index=["low", "high"]).T]
    first, *others = (BY_SITE.contingency(0.2, beta_interval=way, ranks=[9, 30]) for way in ways)
    for other in others:
        xr.testing.assert_identical(other, first)


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


# Once wrong, each with its smallest example

SMALL: dict[str, Any] = {"label": [None, 1, 1, None, None, 1, *[None] * 3]}
FRAME = pd.DataFrame({"score": range(9, 0, -1), **SMALL})


@pytest.mark.filterwarnings("ignore:In .* the estimate lies outside")
@pytest.mark.parametrize("target", ["population", "examples"])
def test_auroc_with_an_interval_up_to_one(target: str) -> None:
    row = FRAME.pu.auroc(pd.Interval(0, 1), target=target).iloc[0]
    assert row["envelope_lower"] <= row["lower"] <= row["upper"] <= row["envelope_upper"]
    # Of all betas that leave a part of a negative.
    row = FRAME.pu.auroc(pd.Interval(0.84, 1), target=target).iloc[0]
    betas = FRAME.pu.contingency(pd.Interval(0.84, 1), ranks="all")["beta"].to_numpy()[1:]
    each = FRAME.pu.auroc(betas[betas < 1], target=target)
    assert (betas[-1], row["envelope_upper"]) == (1, each["upper"].max())
    assert row["envelope_lower"] == each["lower"].min()
    none = FRAME.pu.auroc(pd.Interval(1, 1), target=target).iloc[0]
    assert none[["envelope_lower", "envelope_upper"]].isna().all()
    assert 0 <= none["lower"] <= none["upper"] <= 1


# Errors


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
