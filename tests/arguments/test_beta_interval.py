"""An interval of beta: tables on a grid within it, and limits that hold at all betas inside."""

from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pu_accessor.beta import betas_within
from tests.cases import AREAS, put

SIDES = ["lower", "upper"]
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
METRICS = ("precision", "fpr", "f1", "mcc")


def inside(interval: tuple[float, float], many: int = 4) -> list[float]:
    """Return random betas of an interval, most of them between those of the package."""
    rng = np.random.default_rng(42)
    low, high = interval
    return sorted({low, high, *np.round(rng.uniform(low, high, many), 7).tolist()})


@cache
def ask(which: str) -> xr.Dataset:
    """Return tables at all cutoffs, with an interval."""
    frame, interval, options = SETTINGS[which]
    found: xr.Dataset = put(frame.pu, "contingency", pd.Interval(*interval), **options)
    return found


@cache
def at_many(which: str) -> xr.Dataset:
    """Return tables at betas all over the interval."""
    frame, interval, options = SETTINGS[which]
    found: xr.Dataset = put(frame.pu, "contingency", inside(interval), **options)
    return found


def effect_of(many: xr.Dataset, name: str, found: xr.DataArray) -> xr.DataArray:
    """Return what one more true positive, and one less false one, adds to a metric."""
    counts = {"tp": 1, "fp": -1, "fn": -1, "tn": 1}
    one_more = many.assign({count: many[count] + more for count, more in counts.items()})
    one_more = one_more.drop_vars(SEEN, errors="ignore")  # it is also where it cannot be
    effect: xr.DataArray = one_more.pu.metric(name) - found
    return effect


# Tables


@every_setting
def test_tables_are_those_of_each_beta_on_a_grid_after_the_middle(which: str) -> None:
    frame, (low, high), options = SETTINGS[which]
    tables = ask(which)
    middle, *betas = tables["beta"].values.tolist()
    assert middle == pytest.approx((low + high) / 2)
    # At 1 nothing would be negative.
    wanted = {min(beta, 1 - 1e-6) for beta in betas_within((low, high)).tolist()} - {middle}
    assert betas == sorted(wanted)
    inside = tables["inside"].values.tolist() if betas else [False]
    assert inside == [False] + [True] * len(betas)
    each = put(frame.pu, "contingency", [middle, *betas], **options)
    for name in each.data_vars:
        np.testing.assert_array_equal(tables[name], each[name])


@every_setting
@pytest.mark.parametrize("name", METRICS)
def test_metrics_of_tables_hold_at_any_beta_inside(which: str, name: str) -> None:
    values, many = ask(which).pu.metric(name).squeeze("beta"), at_many(which)
    one, two = (values.sel(bound=side, drop=True) for side in SIDES)
    low, high = np.fmin(one, two), np.fmax(one, two)
    found = many.pu.metric(name)
    effect = abs(effect_of(many, name, found))
    excess = (np.fmax(found - high, low - found) / effect.where(effect > 1e-12)).fillna(0)
    assert float(excess.sel(bound=SIDES).max()) <= TOLERANCE
    # And no further than the bounds of some beta on the grid.
    frame, _, options = SETTINGS[which]
    grid = put(frame.pu, "contingency", ask(which)["beta"].values, **options).pu.metric(name)
    np.testing.assert_allclose(low, grid.sel(bound=SIDES).min(["beta", "bound"]), atol=1e-12)
    np.testing.assert_allclose(high, grid.sel(bound=SIDES).max(["beta", "bound"]), atol=1e-12)
    middle = grid.sel(bound="estimate").isel(beta=0)
    np.testing.assert_allclose(values.sel(bound="estimate"), middle, atol=1e-12)


# Numbers


@pytest.mark.filterwarnings("ignore:In .* the estimate lies outside")
@pytest.mark.parametrize("name", AREAS.values())
@pytest.mark.parametrize("which", ["good", "mixed, wide", "bad", "propensity"])
def test_intervals_at_any_beta_lie_within_that_of_the_interval(which: str, name: str) -> None:
    frame, interval, options = SETTINGS[which]
    target = "population" if which in ("good", "mixed, wide") else "examples"
    options = {**options, "target": target}
    row = put(frame.pu, name, pd.Interval(*interval), **options).iloc[0]
    many = put(frame.pu, name, inside(interval), **options)
    ends = many[many["beta"].isin(interval)]
    for some, off in ((many, 0.005), (ends, 1e-12)):
        assert some["lower"].min() >= row["lower"] - off
        assert some["upper"].max() <= row["upper"] + off
    middle = put(frame.pu, name, sum(interval) / 2, **options).iloc[0]
    assert row["estimate"] == pytest.approx(middle["estimate"], rel=1e-12)
    assert row["lower"] <= middle["lower"] <= middle["upper"] <= row["upper"]


@pytest.mark.parametrize("target", ["population", "examples"])
def test_an_interval_of_no_width_is_a_number(target: str) -> None:
    frame, at = SETTINGS["good"].frame, {"threshold": 0.5}
    cutoffs: dict[str, Any] = {"auroc": None, "average_precision": None, "f1": at}
    for name, cutoff in cutoffs.items():
        how: dict[str, Any] = {"at": cutoff, "target": target}
        same, one = (frame.pu.metric(name, beta, **how) for beta in (pd.Interval(0.3, 0.3), 0.3))
        names = ["beta", "estimate", "lower", "upper"]
        pd.testing.assert_frame_equal(same[names], one[names])


# Groups, selections, files

PARTS = {"a": SETTINGS["good"].frame, "b": ranked(20, 90, BAD, seed=21)}
GROUPS = pd.concat([part.assign(site=key) for key, part in PARTS.items()])
BY_SITE = GROUPS.pu(by="site")
INTERVALS = {"a": pd.Interval(0.1, 0.3), "b": pd.Interval(0.15, 0.45)}


def test_all_ways_to_give_intervals_say_the_same() -> None:
    first, other = (BY_SITE.contingency(i, ranks=[9]) for i in (INTERVALS, pd.Series(INTERVALS)))
    xr.testing.assert_identical(other, first)


# Once wrong, each with its smallest example

SMALL: dict[str, Any] = {"label": [None, 1, 1, None, None, 1, *[None] * 3]}
FRAME = pd.DataFrame({"score": range(9, 0, -1), **SMALL})


@pytest.mark.filterwarnings("ignore:In .* the estimate lies outside")
@pytest.mark.parametrize("target", ["population", "examples"])
def test_auroc_with_an_interval_up_to_one(target: str) -> None:
    row = FRAME.pu.auroc(pd.Interval(0, 1), target=target).iloc[0]
    assert 0 <= row["lower"] <= row["estimate"] <= row["upper"] <= 1
    # Of all betas that leave a part of a negative.
    row = FRAME.pu.auroc(pd.Interval(0.84, 1), target=target).iloc[0]
    betas = betas_within((0.84, 1))
    each = FRAME.pu.auroc(betas[betas < 1], target=target)
    assert row["upper"] >= each["upper"].max() - 1e-12
    assert row["lower"] <= each["lower"].min() + 1e-12


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
    found = betas_within((float(low), float(high)))
    assert found.tolist() == [float(f"{float(beta):.12g}") for beta in wanted]
