"""Upper limits on beta: one warning for each call, and an attribute."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import PUWarning
from tests.cases import binormal, put

FRAME = binormal(200, 600, 0.3, seed=1)[0]
SHARP = FRAME.assign(score=lambda d: d["score"] + 0.3 * (d["label"] == 1))
FLAT = binormal(20, 60, 0.5, seed=3)[0]
PARTS = {"a": FRAME, "b": SHARP, "c": FLAT, "d": FLAT}
GROUPS = pd.concat([rows.assign(g=key) for key, rows in PARTS.items()])


def upper(frame: pd.DataFrame, level: float = 0.95, **more: Any) -> float:
    with warnings.catch_warnings(action="ignore", category=PUWarning):
        found: float = put(frame.pu, "estimate_beta", level=level, **more)["upper"].item()
    return found


LIMIT, HALF = upper(FRAME), upper(FRAME, 0.5)
HIGH, LOW = 0.48, 0.43  # about the limit at level .5; there estimates are in [0, 1]
PUT: dict[str, tuple[str, dict[str, Any]]] = {
    "breakpoints": ("contingency", {"ranks": "breakpoints"}),
    "ranks": ("contingency", {"ranks": [3, 7]}),
    "pr_bounds": ("pr_bounds", {"ranks": 9}),
    "auroc, partial": ("auroc", {"max_fpr": 0.5, "target": "examples"}),
    "metric": ("metric", {"metric": "f1", "at": 40}),
    "youden": ("metric", {"metric": "f1", "at": "youden"}),
    "plot_roc, baseline": ("plot_roc", {"baseline": True}),
    "plot_metric": ("plot_metric", {"metric": "f1"}),
}
PLAIN = ["contingency", "roc_bounds", "auroc", "average_precision"]
PLAIN += ["plot_roc", "plot_pr", "plot_rank_cdf"]
PUT |= {name: (name, {}) for name in PLAIN}
every_call = pytest.mark.parametrize("name", PUT)


def told(call: Callable[[], Any]) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True, action="always") as caught:
        call()
    return caught


def told_by(name: str, pu: Any, beta: Any, **more: Any) -> list[warnings.WarningMessage]:
    """Return what one of the calls tells of a beta."""
    method, how = PUT[name]
    return told(lambda: getattr(pu, method)(beta=beta, **how, **more))


@every_call
def test_a_beta_above_the_limit_gives_one_warning_at_the_callers_line(name: str) -> None:
    (one,) = told_by(name, FRAME.pu, HIGH, level=0.5)
    assert one.category is PUWarning and one.filename == __file__
    assert "beta exceeds the upper limit" in str(one.message)
    assert f"({HIGH:g} > {HALF:.4g})" in str(one.message)
    assert not told_by(name, FRAME.pu, LOW, level=0.5)


@every_call
def test_a_warning_names_the_groups_and_betas(name: str) -> None:
    limits = {key: upper(rows, 0.5) for key, rows in GROUPS.groupby("g")}
    assert limits["b"] < 0.27 < 0.28 < min(limits["a"], limits["c"])
    more: dict[str, Any] = {"col": "g"} if name.startswith("plot") else {}
    rows = GROUPS[GROUPS["g"] != "d"]
    told = told_by(name, rows.pu(by="g"), [0.0, 0.01, 0.27, 0.28], level=0.5, **more)
    (one,) = (each for each in told if "beta exceeds" in str(each.message))
    text = str(one.message)
    assert one.category is PUWarning and one.filename == __file__
    assert f"group g='b': 0.27, 0.28 > {limits['b']:.4g}" in text
    assert "'a'" not in text and "'c'" not in text


def test_a_beta_that_is_rounded_to_the_limit_is_not_above_it() -> None:
    one = 1 / FRAME["label"].isna().sum()
    for part, above in ((0.45, False), (0.55, True)):
        caught = told(partial(FRAME.pu.contingency, HALF + part * one, level=0.5, ranks=3))
        assert len(caught) == above


@pytest.mark.parametrize("level", [0.5, 0.9, 0.999])
def test_the_limit_is_that_of_estimate_beta_at_the_same_level(level: float) -> None:
    limit = upper(FRAME, level)
    for ranks in ("all", "breakpoints", [3, 9]):
        found = FRAME.pu.contingency(0.01, level=level, ranks=ranks)
        assert found["beta_limit"].item() == limit
    assert not told(lambda: FRAME.pu.pr_bounds(round(limit, 4) - 0.002, level=level))
    assert len(told(lambda: FRAME.pu.pr_bounds(round(limit, 4) + 0.002, level=level))) == 1
    roc = FRAME.pu.roc_bounds(0.01, level=level)
    assert roc["beta_limit"].item() == limit


def test_the_limit_of_each_group_is_a_coordinate() -> None:
    tables = GROUPS.pu(by="g").contingency(0.01, level=0.8, ranks="all")
    for key, rows in GROUPS.groupby("g"):
        assert tables["beta_limit"].sel(g=key) == upper(rows, 0.8)
    assert "beta_limit" not in tables.attrs
    turned = FRAME.assign(other=-FRAME["score"])
    models = turned.pu(score=["score", "other"]).contingency(0.01, ranks="all")["beta_limit"]
    limits = {model: upper(turned.assign(score=turned[model])) for model in ("score", "other")}
    assert models.to_series().to_dict() == limits


@pytest.mark.parametrize("name", ["auroc", "average_precision", "metric"])
def test_frames_have_the_limit_in_their_attributes(name: str) -> None:
    method, how = PUT[name]
    found = getattr(FRAME.pu, method)(beta=LOW, **how)
    assert found.attrs["beta_limit"] == LIMIT
    assert (found.attrs["n_known_positive"], found.attrs["n_unlabeled"]) == (60, 740)
    # Limits of several rankings are not those of a row: the frame has none.
    assert "beta_limit" not in getattr(GROUPS.pu(by="g"), method)(beta=0.0, **how).attrs


# Where there is none


def test_no_limit_without_unlabeled_or_known_positives() -> None:
    whole, negatives = FRAME.fillna({"label": 0}), FRAME.replace({"label": {1.0: 0.0}})
    assert "beta_limit" not in whole.pu(negative=0).contingency(0, ranks="all").coords
    assert not told(lambda: whole.pu(negative=0).auroc(0))
    ask = partial(negatives.pu.assume(reference="negatives").contingency, 0.9)
    assert not told(ask) and "beta_limit" not in ask().coords
    both = pd.concat([whole.assign(g="a"), FRAME.assign(g="b")])
    limits = both.pu(by="g").contingency(0, ranks="all")["beta_limit"]
    assert np.isnan(limits.sel(g="a")) and limits.sel(g="b") == LIMIT


def test_no_limit_with_propensities() -> None:
    pu = FRAME.assign(propensity=0.4).pu(propensity="propensity")
    for name in ("contingency", "metric", "plot_pr", "plot_rank_cdf"):
        assert not told_by(name, pu, HIGH, level=0.5)
    assert not told_by("auroc", pu, HIGH, level=0.5, target="examples")
    assert "beta_limit" not in pu.contingency(0.7, ranks="all").coords


def test_an_envelope_a_beta_of_zero_and_tables_that_are_there_do_not_warn() -> None:
    around = pd.Interval(LOW - 0.42, LOW + 0.42)
    assert not told(lambda: FRAME.pu.contingency(around, ranks="all"))
    assert not told(lambda: SHARP.pu.contingency(0, ranks="all"))
    with pytest.warns(PUWarning, match="beta exceeds"):
        tables = FRAME.pu.contingency([0, 0.7], ranks="all")
    assert not told(lambda: tables.pu.area("auroc"))
    assert not told(lambda: tables.pu.plot_roc())


def test_an_estimate_whose_interval_reaches_below_the_limit_contradicts_nothing() -> None:
    df = pu_accessor.load_example()
    limit, unlabeled = df.pu.estimate_beta()["upper"].item(), int(df["label"].isna().sum())
    found, high = (pu_accessor.beta_from_labels(hits, 120, unlabeled) for hits in (33, 60))
    assert found["lower"].item() < limit < found["beta"].item()
    df.pu.auroc(found)  # warns of nothing
    df.pu.contingency(found, ranks="all")
    with pytest.warns(PUWarning, match="beta exceeds"):
        df.pu.auroc(high)
