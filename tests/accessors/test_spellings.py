"""Each question of ``df.pu`` in three spellings, and what all public methods share."""

import inspect
import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.axes import Axes

import pu_accessor
from pu_accessor import PUValueError, PUWarning, labeling
from pu_accessor.roles_and_assumptions import (
    ASSUMPTIONS,
    ROLES,
    Assumed,
    FrameRoles,
    RowRoles,
    SampleRoles,
    Terms,
)
from tests.cases import legend_of

MODELS = ["forest", "svm"]  # sorted, as groups are


def draw_wide() -> pd.DataFrame:
    """Draw tied scores of two models, probabilities, for the same examples."""
    rng = np.random.default_rng(5)
    truth = rng.random(60) < 0.5
    label = np.where(rng.random(60) < 0.5, truth, np.nan)
    odds = {model: np.round(rng.normal(shift * truth), 1) for shift, model in enumerate(MODELS)}
    scores = {model: 1 / (1 + np.exp(-some)) for model, some in odds.items()}
    names = {"example": rng.permutation(60), "hand": np.resize(["ann", "bob"], 60)}
    return pd.DataFrame({**names, "label": label, **scores})


WIDE = draw_wide()
NAMED = ["example", "hand", "label"]
LONG = WIDE.melt(NAMED, MODELS, "model", "score").sample(frac=1, random_state=0)
GROUPED: Any = LONG.groupby("model")
BY_MODEL = {"svm": 0.2, "forest": 0.4}


Call = tuple[tuple[Any, ...], dict[str, Any], dict[str, Any], dict[str, Any]]


def call(*arguments: Any, roles: Any = None, on: str | None = None, **keywords: Any) -> Call:
    """Return what to ask, how, what to bind, and keywords for rows alone, not for columns."""
    return arguments, keywords, roles or {}, {"on": on} if on else {}


CALLS = {
    "contingency": call([0.3, 0.1], ranks=[30, 4], roles={"nan_policy": "omit"}),
    "roc_bounds": call([0.3, 0.1], level=0.8, roles={"positive": 1}),
    "pr_bounds": call(BY_MODEL, band="dkw"),
    "rank_cdf": call(BY_MODEL, level=0.8),
    "auroc": call([0.3, 0.1], max_fpr=0.5, target="examples"),
    "average_precision": call(BY_MODEL, level=0.8),
    "metric": call(["f1", "recall"], [0.3, 0.1], at={"fpr": [0.2, 0.4]}),
    "estimate_beta": call(method="mean_matching", level=0.8),
    "check_assumptions": call(BY_MODEL, wave="hand", strata="hand", level=0.8),
    "cutoff": call([0.3, 0.1], recall=0.5, level=0.8),
    "compare": call("auroc", [0.3, 0.1], level=0.8, on="example"),
    "dominance": call(BY_MODEL, band="bootstrap"),
    "gap": call("f1", BY_MODEL, at={"threshold": 0.5}),
    "calibration": call(BY_MODEL, bins=4, band="simultaneous"),
    "robustness": call("average_precision", BY_MODEL, above=0.4, over={"selection_odds": [1, 2]}),
    "plot_roc": call(BY_MODEL, ranks="all"),
    "plot_pr": call([0.1, 0.3], baseline=True, band="dkw", col="beta"),
    "plot_rank_cdf": call(0.3),
    "plot_metric": call("f1", BY_MODEL, x="fraction"),
    "plot_forest": call("precision", 0.3, at=20, baseline=True),
    "plot_calibration": call(0.3, baseline=True, bins=4),
}
# The same methods of other metrics, and along other axes.
MORE = {
    "boyce": ("metric", call("boyce", roles={"positive": 1})),
    "bedroc": ("metric", call(pu_accessor.bedroc(alpha=5), [0.3, 0.1], target="examples")),
    "net benefit": ("metric", call("net_benefit", BY_MODEL, at={"threshold": [0.2, 0.5]})),
    "over beta": ("plot_metric", call("precision", [0, 0.2, 0.4], x="beta", at=20)),
    "decision curve": ("plot_metric", call("net_benefit", 0.3, x="threshold", baseline=True)),
    "over odds": ("plot_metric", call("f1", 0.3, x="selection_odds", at=20)),
}
ASKED: dict[str, tuple[str, Call]] = {name: (name, asked) for name, asked in CALLS.items()} | MORE
UNPAIRED = {"gap"}  # groups that share no examples
FRAMES, DATASETS = type(WIDE.pu), type(xr.Dataset().pu)


def public(kind: type) -> dict[str, Callable[..., Any]]:
    return {name: getattr(kind, name) for name in dir(kind) if not name.startswith("_")}


def check_same(one: Any, other: Any) -> None:
    """Compare two answers: Datasets, frames, or what two Axes show."""
    if isinstance(one, xr.Dataset):
        same = other.assign_attrs(score=one.attrs["score"]) if "score" in one.attrs else other
        xr.testing.assert_identical(one, same)
    elif isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other)
        assert one.attrs == other.attrs and len(one)
    else:
        panels = ([x] if isinstance(x, Axes) else [*x.axes.flat] for x in (one, other))
        drawn, expected = ([show(ax) for ax in axes] for axes in panels)
        assert drawn == expected


def show(ax: Axes) -> list[Any]:
    """Return what can be seen on Axes."""
    box = legend_of(ax)
    shown: list[Any] = [*ax.lines, *ax.patches]
    assert shown and ((box is not None and ax.lines) or ax.texts)
    ways = [(x.get_path().vertices.tolist(), x.get_linestyle(), x.get_zorder()) for x in shown]
    colors = [[x.get_color() for x in ax.lines], [x.get_facecolor() for x in ax.patches]]
    told = (box.get_title(), *box.get_texts()) if box is not None else ax.texts
    texts = [ax.get_title(), *(text.get_text() for text in told)]
    return [ways, colors, texts, ax.get_xlabel(), ax.get_ylabel(), ax.get_xlim(), ax.get_ylim()]


def test_every_method_is_asked() -> None:
    asked = {*CALLS, "sample_to_label", "report", "assume"}  # which return something else
    assert set(public(FRAMES)) == set(public(type(GROUPED.pu))) == asked


@pytest.mark.parametrize("name", ASKED)
def test_three_spellings(name: str) -> None:
    method, (args, keywords, roles, rows) = ASKED[name]
    by = getattr(LONG.pu(by="model", **roles), method)(*args, **keywords, **rows)
    check_same(by, getattr(GROUPED.pu(**roles), method)(*args, **keywords, **rows))
    wide = WIDE.pu(score=MODELS, **roles)
    if method in UNPAIRED:
        with pytest.raises(PUValueError, match=r"df\.pu\(score=\[.*\]\)\.compare\("):
            getattr(wide, method)(*args, **keywords)
    else:
        check_same(by, getattr(wide, method)(*args, **keywords))


@pytest.mark.parametrize("name", [name for name in ASKED if not name.startswith("compare")])
def test_warnings_point_at_the_caller(name: str) -> None:
    method, (args, keywords, roles, _) = ASKED[name]
    spoilt = pd.concat([LONG, LONG.assign(model="none", label=np.nan)])
    args = tuple(0.3 if arg is BY_MODEL else arg for arg in args)
    with pytest.warns(PUWarning, match="1 of 3 groups .*model='none'") as told:
        getattr(spoilt.pu(by="model", on_error="skip", **roles), method)(*args, **keywords)
    assert told[0].filename == __file__


# What all have in common

METHODS: dict[str, Any] = {name: getattr(pu_accessor, name) for name in pu_accessor.__all__}
METHODS |= {name: getattr(labeling, name) for name in labeling.__all__}
METHODS = {name: function for name, function in METHODS.items() if inspect.isfunction(function)}
METHODS |= {f"df.pu.{name}": method for name, method in public(FRAMES).items()}
METHODS |= {f"ds.pu.{name}": method for name, method in public(DATASETS).items()}
TERMS = {field.name: field.default for field in fields(Terms)}
RULE: dict[str, Any] = {"level": 0.95, "band": "exact", "baseline": False}
# Which questions have no level, or no beta, or a band.
NO_LEVEL, NO_BETA = {"sample_to_label", "assume"}, {"estimate_beta", "sample_to_label", "assume"}
BANDS = {"contingency", "roc_bounds", "pr_bounds", "rank_cdf", "metric", "dominance", "report"}
BANDS |= {"calibration"}
FIRST = """
alpha; beta; metric; metric beta; score label; size; chunks; data; label found; found listed;
weight
"""
PARTS = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


@pytest.mark.parametrize("name", METHODS)
def test_docstrings_have_their_sections(name: str) -> None:
    summary, *parts = PARTS.split(inspect.getdoc(METHODS[name]) or "")
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    assert summary.split("\n")[0].endswith(".")
    assert {"Returns", "Examples"} <= set(sections) and ">>> " in sections["Examples"]
    heads = re.findall(r"^(?! )(.+?)(?: : .*)?$", sections.get("Parameters", ""), re.MULTILINE)
    named = {one.lstrip("*") for head in heads for one in head.split(", ")}
    expected = {*inspect.signature(METHODS[name]).parameters} - {"self"}
    assert named == ({*Assumed.__annotations__} if name.endswith(".assume") else expected)


@pytest.mark.parametrize("name", METHODS)
def test_signatures_agree(name: str) -> None:
    found = [*inspect.signature(METHODS[name]).parameters.values()]
    found = [one for one in found if one.name != "self"]
    first = [one.name for one in found if one.kind is one.POSITIONAL_OR_KEYWORD]
    counts = ("beta_from", "labels_needed", "positives_needed", "power")  # numbers, in order
    assert first in [[], *map(str.split, FIRST.split(";"))] or name.startswith(counts)
    named = [one for one in found if one.kind is one.KEYWORD_ONLY]
    needed = ("random_state", "pilot", "beta")
    defaults = {one.name: one.default for one in named if one.name not in needed}
    assert inspect.Parameter.empty not in defaults.values()
    if name.startswith("df.pu."):
        method, takes = name.removeprefix("df.pu."), {one.name for one in found}
        assert not {*TERMS} & takes
        assert ("level" in takes) == (method not in NO_LEVEL)
        assert ("beta" in takes) == (method not in NO_BETA)
        assert ("band" in takes) == (method in BANDS or method.startswith("plot_"))
    assert defaults == defaults | {key: RULE[key] for key in defaults if key in RULE}
    assert [one.name for one in found if one.kind is one.VAR_KEYWORD] in (
        [["looks"]] if ".plot_" in name else [[], ["roles"], ["assumed"]]
    )


def test_calls_take_what_is_bound_and_what_is_assumed() -> None:
    of_samples = {*SampleRoles.__annotations__, *RowRoles.__annotations__}
    assert {*ROLES} | {*ASSUMPTIONS} == {*TERMS} and not {*ROLES} & {*ASSUMPTIONS}
    assert {*FrameRoles.__annotations__} | of_samples == {*ROLES, "dim"}
    for kind, named in ((FRAMES, "roles"), (DATASETS, "roles")):
        assert [*inspect.signature(kind.__call__).parameters] == ["self", named]
    for name in (*ROLES, *ASSUMPTIONS):
        passed: dict[str, Any] = {name: TERMS[name]}
        accessor = WIDE.pu(**passed) if name in ROLES else WIDE.pu.assume(**passed)
        assert repr(accessor).startswith("<df.pu>")
