"""Each question of ``df.pu`` in three spellings, and what all public methods share."""

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.axes import Axes

import pu_accessor
from pu_accessor import PUValueError, PUWarning, labeling
from tests.cases import legend_of, parameters_of

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
    "metric": call("f1", [0.3, 0.1], at={"fpr": 0.2}),
    "roc_region": call(BY_MODEL, at={"threshold": 0.5}, level=0.8),
    "estimate_beta": call(method="mean_matching", level=0.8),
    "check_assumptions": call(BY_MODEL, wave="hand", strata="hand", level=0.8),
    "plot_check_assumptions": call(BY_MODEL, strata="hand"),
    "cutoff": call([0.3, 0.1], recall=0.5, level=0.8),
    "compare": call([0.3, 0.1], level=0.8, on="example"),
    "dominance": call(BY_MODEL, band="bootstrap"),
    "gap": call("f1", BY_MODEL, at={"threshold": 0.5}),
    "boyce": call(windows=31, roles={"positive": 1}),
    "plot_boyce": call(width=0.2),
    "calibration": call(BY_MODEL, bins=4, band="simultaneous"),
    "plot_calibration": call(0.3, baseline=True, bins=4),
    "bedroc": call([0.3, 0.1], alpha=5),
    "net_benefit": call(BY_MODEL, thresholds=[0.2, 0.5]),
    "robustness": call("average_precision", BY_MODEL, above=0.4, selection_odds=[1, 2]),
    "gain": call(BY_MODEL, band="dkw"),
    "plot_roc": call(BY_MODEL, ranks="all"),
    "plot_pr": call([0.1, 0.3], baseline=True, band="dkw", col="beta"),
    "plot_rank_cdf": call(0.3),
    "plot_metric": call("f1", BY_MODEL, x="fraction"),
    "plot_against_beta": call("precision", [0, 0.2, 0.4], at=20),
    "plot_forest": call("precision", 0.3, at=20, baseline=True),
    "plot_gain": call(BY_MODEL, band="dkw"),
    "plot_table": call(BY_MODEL, at={"fraction": 0.2}),
    "plot_net_benefit": call(0.3, baseline=True, band="simultaneous"),
    "plot_robustness": call("f1", 0.3, at=20, selection_odds=[1, 2]),
}
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
    asked = {*CALLS, "sample_to_label", "select", "report"}  # which return rows, or a file
    assert set(public(FRAMES)) == set(public(type(GROUPED.pu))) == asked


@pytest.mark.parametrize("name", CALLS)
def test_three_spellings(name: str) -> None:
    args, keywords, roles, rows = CALLS[name]
    by = getattr(LONG.pu(by="model", **roles), name)(*args, **keywords, **rows)
    check_same(by, getattr(GROUPED.pu(**roles), name)(*args, **keywords, **rows))
    with pytest.raises(PUValueError, match="by must not be passed on a groupby, but 'model'"):
        getattr(GROUPED.pu(by="model", **roles), name)(*args, **keywords, **rows)
    wide = WIDE.pu(score=MODELS, **roles)
    if name in UNPAIRED:
        with pytest.raises(PUValueError, match=r"df\.pu\(score=\[.*\]\)\.compare\("):
            getattr(wide, name)(*args, **keywords)
    else:
        check_same(by, getattr(wide, name)(*args, **keywords))


@pytest.mark.parametrize("name", [name for name in CALLS if not name.startswith("compare")])
def test_warnings_point_at_the_caller(name: str) -> None:
    args, keywords, roles, _ = CALLS[name]
    spoilt = pd.concat([LONG, LONG.assign(model="none", label=np.nan)])
    args = tuple(0.3 if arg is BY_MODEL else arg for arg in args)
    with pytest.warns(PUWarning, match="1 of 3 groups .*model='none'") as told:
        getattr(spoilt.pu(by="model", on_error="skip", **roles), name)(*args, **keywords)
    assert told[0].filename == __file__


# What all have in common

METHODS: dict[str, Any] = {name: getattr(pu_accessor, name) for name in pu_accessor.__all__}
METHODS |= {name: getattr(labeling, name) for name in labeling.__all__}
METHODS = {name: function for name, function in METHODS.items() if inspect.isfunction(function)}
METHODS |= {f"df.pu.{name}": method for name, method in public(FRAMES).items()}
METHODS |= {f"ds.pu.{name}": method for name, method in public(DATASETS).items()}
ROLES: dict[str, Any] = {"score": "score", "label": "label", "by": None, "propensity": None}
ROLES |= {"cluster": None, "weight": None}
ROLES |= {"positive": None, "negative": None, "unlabeled": None, "nan_policy": "raise"}
ROLES |= {"on_error": "raise", "progress": False, "pool": False, "monotone": False}
RULE: dict[str, Any] = {"level": 0.95, "band": "exact", "reference": "positives"}
RULE |= {"beta_interval": None, "selection_odds": 1.0}
LOOKS: dict[str, Any] = {"hue": None, "col": None, "row": None, "ax": None}
LOOKS |= {"line_kws": None, "band_kws": None, "palette": None, "legend": "auto", "height": None}
# Which of the rule a method does not take.
ALL_RULE, NO_VARIED, NO_ODDS = {*RULE}, {"beta_interval"}, {"selection_odds"}
DIRECT, ALL_AT_ONCE = {"band", "reference"}, {"band", "beta_interval", "selection_odds"}
WITHOUT: dict[str, set[str]] = {
    **dict.fromkeys(["sample_to_label", "boyce", "plot_boyce"], ALL_RULE),
    **dict.fromkeys(["check_assumptions", "plot_check_assumptions"], ALL_RULE - {"level"}),
    **dict.fromkeys(["rank_cdf", "plot_rank_cdf", "plot_against_beta"], NO_VARIED),
    **dict.fromkeys(["dominance", "plot_forest", "plot_table"], NO_VARIED),
    **dict.fromkeys(["robustness", "plot_robustness"], NO_VARIED | NO_ODDS),
    **dict.fromkeys(["cutoff", "select"], ALL_AT_ONCE),  # their band is another by default
    **dict.fromkeys(["calibration", "plot_calibration"], {"reference"} | NO_ODDS),
    **dict.fromkeys(["estimate_beta", "gap"], DIRECT | NO_VARIED | NO_ODDS),
    **dict.fromkeys(["bedroc", "roc_region"], DIRECT | NO_ODDS),
    "compare": DIRECT | NO_VARIED,
    "average_precision": DIRECT,
    "auroc": {"band"},
    "report": ALL_RULE - {"level", "band"},
}
FIRST = """
beta; quantity; quantity beta; score label; size; weight; chunks; data; label found; found listed;
found n_unlabeled
"""
PARTS = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


@pytest.mark.parametrize("name", METHODS)
def test_docstrings_have_their_sections(name: str) -> None:
    summary, *parts = PARTS.split(inspect.getdoc(METHODS[name]) or "")
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    assert summary.split("\n")[0].endswith(".")
    assert {"Returns", "Examples"} <= set(sections) and ">>> " in sections["Examples"]
    heads = re.findall(r"^(?! )(.+?)(?: : .*)?$", sections.get("Parameters", ""), re.MULTILINE)
    named = [one.lstrip("*") for head in heads for one in head.split(", ")]
    assert sorted(named) == sorted(parameter.name for parameter in parameters_of(METHODS[name]))


@pytest.mark.parametrize("name", METHODS)
def test_signatures_agree(name: str) -> None:
    found = parameters_of(METHODS[name])
    first = [one.name for one in found if one.kind is one.POSITIONAL_OR_KEYWORD]
    counts = ("beta_from", "labels_needed", "positives_needed", "power")  # numbers, in order
    assert first in [[], *map(str.split, FIRST.split(";"))] or name.startswith(counts)
    named = [one for one in found if one.kind is one.KEYWORD_ONLY]
    needed = ("at", "random_state", "pilot", "beta", "path")
    defaults = {one.name: one.default for one in named if one.name not in needed}
    if name.endswith("robustness"):
        defaults.pop("selection_odds")  # several
    assert inspect.Parameter.empty not in defaults.values()
    if name.startswith("df.pu."):
        method = name.removeprefix("df.pu.")
        assert not {*ROLES} & {one.name for one in found}
        if method in ("cutoff", "select"):
            assert defaults.pop("band") == "simultaneous"  # no other holds at all cutoffs
        assert {*RULE} & {*defaults} == {*RULE} - WITHOUT.get(method, set())
    shared = {**ROLES, **RULE, **LOOKS, "baseline": False}
    assert defaults == defaults | {key: shared[key] for key in defaults if key in shared}


@pytest.mark.parametrize("name", [name for name in METHODS if ".plot_" in name])
def test_looks_come_last_and_are_the_same_in_all_plots(name: str) -> None:
    named = [one.name for one in parameters_of(METHODS[name])]
    assert named[-len(LOOKS) :] == [*LOOKS]
    without = ("plot_rank_cdf", "plot_against_beta", "plot_robustness", "plot_table")
    has_none = name.endswith((*without, "plot_check_assumptions", "plot_boyce"))
    assert ("baseline" in named) == (not has_none)


def test_calls_take_roles_and_nothing_else() -> None:
    samples = {*ROLES} - {"by", "pool"} | {"dim"}  # groups are dimensions there
    for kind, roles in ((FRAMES, {*ROLES}), (type(GROUPED.pu), {*ROLES}), (DATASETS, samples)):
        found = list(inspect.signature(kind.__call__).parameters.values())[1:]
        assert {one.kind for one in found} == {inspect.Parameter.KEYWORD_ONLY}
        assert {one.name for one in found} == roles
