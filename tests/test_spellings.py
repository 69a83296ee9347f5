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
from pu_accessor import PUValueError, PUWarning

MODELS = ["forest", "svm"]  # sorted, as groups are


def draw_wide() -> pd.DataFrame:
    """Draw tied scores of two models for the same examples."""
    rng = np.random.default_rng(5)
    truth = rng.random(60) < 0.5
    label = np.where(rng.random(60) < 0.5, truth, np.nan)
    scores = {model: np.round(rng.normal(shift * truth), 1) for shift, model in enumerate(MODELS)}
    return pd.DataFrame({"example": rng.permutation(60), "label": label, **scores})


WIDE = draw_wide()
LONG = WIDE.melt(["example", "label"], MODELS, "model", "score").sample(frac=1, random_state=0)
BY_MODEL = {"svm": 0.2, "forest": 0.4}
# What to ask of each method; the last one is for rows alone, which models in columns need not.
CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any], dict[str, Any]]] = {
    "contingency": (([0.3, 0.1],), {"ranks": [30, 4], "nan_policy": "omit"}, {}),
    "roc_bounds": (([0.3, 0.1],), {"level": 0.8, "positive": 1}, {}),
    "pr_bounds": ((BY_MODEL,), {"band": "dkw"}, {}),
    "auroc": (([0.3, 0.1],), {"max_fpr": 0.5}, {}),
    "average_precision": ((BY_MODEL,), {"level": 0.8}, {}),
    "metric": (("f1", [0.3, 0.1]), {"at": {"fpr": 0.2}}, {}),
    "estimate_beta": ((), {"method": "mean_matching", "level": 0.8}, {}),
    "compare": (([0.3, 0.1],), {"level": 0.8}, {"on": "example"}),
    "compare_unpaired": (([0.3, 0.1],), {"level": 0.8}, {}),
    "dominance": ((BY_MODEL,), {"band": "bootstrap"}, {}),
    "plot_roc": ((BY_MODEL,), {"ranks": "all"}, {}),
    "plot_pr": ((0.3,), {"baseline": True, "band": "dkw"}, {}),
    "plot_rank_cdf": ((0.3,), {}, {}),
    "plot_metric": (("f1", BY_MODEL), {"x": "fraction"}, {}),
    "plot_sensitivity": (("precision", [0, 0.2, 0.4]), {"at": 20}, {}),
}
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
        assert isinstance(one, Axes) and show(one) == show(other)


def show(ax: Axes) -> list[Any]:
    """Return what can be seen on Axes."""
    box = ax.get_legend()
    shown: list[Any] = [*ax.lines, *ax.patches]
    assert box is not None and ax.lines and ax.patches
    ways = [(x.get_path().vertices.tolist(), x.get_linestyle(), x.get_zorder()) for x in shown]
    colors = [[x.get_color() for x in ax.lines], [x.get_facecolor() for x in ax.patches]]
    texts = [text.get_text() for text in (box.get_title(), *box.get_texts())]
    return [ways, colors, texts, ax.get_xlabel(), ax.get_ylabel(), ax.get_xlim(), ax.get_ylim()]


def test_every_method_is_asked() -> None:
    grouped: Any = LONG.groupby("model")
    asked = {*CALLS, "sample_to_label"}  # which has no scores to spell
    assert set(public(FRAMES)) == set(public(type(grouped.pu))) == asked


@pytest.mark.parametrize("name", CALLS)
def test_three_spellings(name: str) -> None:
    args, keywords, rows = CALLS[name]
    grouped: Any = LONG.groupby("model")
    by = getattr(LONG.pu, name)(*args, by="model", **keywords, **rows)
    check_same(by, getattr(grouped.pu, name)(*args, **keywords, **rows))
    with pytest.raises(PUValueError, match="by must not be passed on a groupby, but 'model'"):
        getattr(grouped.pu, name)(*args, by="model", **keywords, **rows)
    if name == "compare_unpaired":
        with pytest.raises(PUValueError, match=r"df\.pu\.compare\(score=\["):
            WIDE.pu.compare_unpaired(*args, score=MODELS, **keywords)
    else:
        check_same(by, getattr(WIDE.pu, name)(*args, score=MODELS, **keywords))


@pytest.mark.parametrize("name", [name for name in CALLS if not name.startswith("compare")])
def test_warnings_point_at_the_caller(name: str) -> None:
    args, keywords, _ = CALLS[name]
    spoilt = pd.concat([LONG, LONG.assign(model="none", label=np.nan)])
    args = tuple(0.3 if arg is BY_MODEL else arg for arg in args)
    with pytest.warns(PUWarning, match=r"1 of 3 groups .*\n.*model='none'") as told:
        getattr(spoilt.pu, name)(*args, by="model", on_error="skip", **keywords)
    assert told[0].filename == __file__


# What all have in common

_OF_LABELS = ("label", "by", "positive", "negative", "unlabeled")
METHODS: dict[str, Any] = {name: getattr(pu_accessor, name) for name in pu_accessor.__all__}
METHODS = {name: function for name, function in METHODS.items() if inspect.isfunction(function)}
METHODS |= {f"df.pu.{name}": method for name, method in public(FRAMES).items()}
METHODS |= {f"ds.pu.{name}": method for name, method in public(DATASETS).items()}
COMMON: dict[str, Any] = {"score": "score", "label": "label", "by": None, "level": 0.95}
COMMON |= {"positive": None, "negative": None, "unlabeled": None, "nan_policy": "raise"}
COMMON |= {"band": "exact", "reference": "positives", "on_error": "raise", "progress": False}
PARTS = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def parameters(name: str) -> list[inspect.Parameter]:
    found = inspect.signature(METHODS[name]).parameters.values()
    return [parameter for parameter in found if parameter.name != "self"]


@pytest.mark.parametrize("name", METHODS)
def test_docstrings_have_their_sections(name: str) -> None:
    summary, *parts = PARTS.split(inspect.getdoc(METHODS[name]) or "")
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    assert summary.split("\n")[0].endswith(".")
    assert {"Returns", "Examples"} <= set(sections) and ">>> " in sections["Examples"]
    heads = re.findall(r"^(?! )(.+?)(?: : .*)?$", sections.get("Parameters", ""), re.MULTILINE)
    named = [one for head in heads for one in head.split(", ")]
    assert sorted(named) == sorted(parameter.name for parameter in parameters(name))


@pytest.mark.parametrize("name", METHODS)
def test_signatures_agree(name: str) -> None:
    found = parameters(name)
    first = [one.name for one in found if one.kind is not one.KEYWORD_ONLY]
    allowed: tuple[list[str], ...] = (
        [],
        ["beta"],
        ["name"],
        ["name", "beta"],
        ["curve"],
        ["score", "label"],
        ["size"],
        ["chunks"],
    )
    assert first in allowed or name.startswith(("beta_from", "labels_needed"))  # counts, in order
    defaults = {
        one.name: one.default
        for one in found
        if one.name not in [*first, "beta", "at", "random_state"]
    }
    assert inspect.Parameter.empty not in defaults.values()
    shared = {key: COMMON[key] for key in COMMON if key in defaults}
    assert {key: defaults[key] for key in shared} == shared
    if name.startswith("df.pu."):
        direct = ("compare", "compare_unpaired", "auroc", "average_precision", "estimate_beta")
        lacking = {f"df.pu.{method}": {"band", "reference"} for method in direct}
        lacking["df.pu.sample_to_label"] = {*COMMON} - set(_OF_LABELS)
        assert set(COMMON) - set(defaults) == lacking.get(name, set())
