"""``df.pu`` and ``ds.pu``: what is bound adds up, nothing is read too early, all methods agree."""

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from pu_accessor import PUError, PUKeyError, PUWarning, labeling
from pu_accessor.roles_and_assumptions import ASSUMPTIONS, ROLES, Assumed, Terms
from tests.cases import parameters_of
from tests.sources.test_every_source import ASKED, FRAME, MODELS, check_alike
from tests.worlds import public

FRAMES, DATASETS = type(FRAME.pu), type(xr.Dataset().pu)
ROWS = FRAME.assign(site=np.where(FRAME.index % 2, "a", "b"))
SCORES = ("model", "sample"), FRAME[MODELS].to_numpy().T
SAMPLES = xr.Dataset({"score": SCORES, "label": ("sample", FRAME["label"])}, {"model": MODELS})


# Binding


def test_roles_add_up_and_an_accessor_is_not_changed() -> None:
    renamed = ROWS.rename(columns={"score": "s", "label": "y"})
    first = renamed.pu(label="y")
    bound = first(by="site")(score="s")
    check_alike(bound.auroc(0.3), ROWS.pu(by="site").auroc(0.3), attrs=False)
    again = bound(by=None)  # what is said last counts
    expected = ROWS.pu.auroc(0.3)
    check_alike(again.auroc(0.3), expected, attrs=False)
    negatives = again(unlabeled=[0, None])
    assert negatives.contingency(0.3)["n_known_negative"] == 0
    for unchanged in (again, first(score="s")):
        check_alike(unchanged.auroc(0.3), expected, attrs=False)


def test_nothing_is_read_before_a_question() -> None:
    bound = pd.DataFrame({"x": [1.0]}).pu(score="s", label="y", by="site", propensity="e")
    with pytest.raises(PUKeyError, match="no 's' among"):
        bound(by=None).auroc(0.3, target="examples")
    later = FRAME[["score"]].copy()
    waiting = later.pu(label="known")
    later["known"] = FRAME["label"]
    check_alike(waiting.auroc(0.3), FRAME.pu.auroc(0.3), attrs=False)


def test_samples_say_which_call_they_miss() -> None:
    some: Any = SAMPLES.pu
    for name, arguments in {
        "roc_bounds": [],
        "plot_roc": [],
        "metric": ["f1"],
        "area": ["auroc"],
    }.items():
        with pytest.raises(PUKeyError, match=r"ds\.pu\(score="):
            getattr(some, name)(*arguments)
    for name in ("auroc", "contingency"):
        with pytest.raises(AttributeError, match=rf"ds\.pu\(.*\)\.{name}"):
            getattr(some, name)
    assert not hasattr(some, "nonsense")


# What each method needs at least, and what is wrong with each of its arguments.
AT_BETA = """contingency roc_bounds pr_bounds rank_cdf auroc average_precision dominance
calibration plot_calibration plot_roc plot_pr plot_rank_cdf gap compare robustness plot_forest
plot_metric metric cutoff"""
NEEDED: dict[str, dict[str, Any]] = {name: {"beta": 0.3} for name in AT_BETA.split()}
NEEDED |= {"estimate_beta": {}, "sample_to_label": {"size": 3, "random_state": 0}}
for name in ("gap", "compare", "robustness", "plot_forest"):
    NEEDED[name]["metric"] = "auroc"
NEEDED["plot_metric"] |= {"metric": "f1"}
NEEDED["metric"] |= {"metric": "f1", "at": 3}
NEEDED["cutoff"] |= {"recall": 0.5}
WRONG: dict[str, list[Any]] = {
    "level": [95, "95%"],
    "band": ["exakt", 3],
    "target": ["new"],
    "ranks": ["ALL", "all", 0.5, [1, 1]],
    "beta": [1.3, "0.3", [], pd.Interval(0.5, 1.3)],
    **{"max_fpr": [1.5], "at": ["best"], "metric": ["precison"], "over": [{"depth": [1]}]},
    **{"x": ["depth"], "method": ["elkan"], "recall": [1.5], "legend": ["best"]},
}
EARLY = [
    (method, name, value)
    for method in NEEDED
    for name in {one.name for one in parameters_of(getattr(FRAMES, method))} & {*WRONG}
    for value in WRONG[name]
]


@pytest.mark.parametrize(("method", "name", "value"), sorted(EARLY, key=str))
def test_bad_questions_are_refused_before_a_row_is_read(
    method: str, name: str, value: Any
) -> None:
    opened: list[int] = []

    def chunks() -> Iterator[pd.DataFrame]:
        opened.append(1)
        yield FRAME

    with pytest.raises(PUError, match=name):
        getattr(pu_accessor.from_chunks(chunks), method)(**{**NEEDED[method], name: value})
    assert not opened


SPOILT = pd.concat([FRAME.assign(key="none", label=np.nan), FRAME.assign(key="b"), FRAME])


@pytest.mark.parametrize(("method", "terms"), ASKED, ids=str)
def test_warnings_point_at_the_caller(method: str, terms: dict[str, Any]) -> None:
    terms = {name: term for name, term in terms.items() if name != "score"} | {"by": "key"}
    terms |= {"beta": 0.3} if isinstance(terms.get("beta"), dict) else {}
    keywords = {name: terms[name] for name in terms if name not in [*ROLES, *ASSUMPTIONS]}
    score = {"score": MODELS} if method == "compare" else {"score": "p"}
    asked = SPOILT.pu(by="key", on_error="skip", **score)
    with pytest.warns(PUWarning) as told:
        getattr(asked, method)(**keywords)
    assert {one.filename for one in told} == {__file__}
    assert "groups are left out" in str(told[0].message)


@pytest.mark.parametrize("data", [FRAME, FRAME.groupby("key"), SAMPLES], ids=type)
def test_the_function_is_the_accessor(data: Any) -> None:
    found, expected = pu_accessor.pu(data, unlabeled=[0, None]), data.pu(unlabeled=[0, None])
    assert type(found) is type(expected) and repr(found) == repr(expected)


# What is bound can be read


def test_reprs() -> None:
    frame = pd.DataFrame({"<b>": [3, 2, 2, 1], "y": [1, 0, 0, 0], "site": list("aabb")})
    told = " ".join(repr(frame.pu).split())
    assert "no 'score' among ['<b>', 'y', 'site']" in told and "df.pu(score=" in told
    assert "&lt;b&gt;" in frame.pu._repr_html_()
    bound = repr(frame.pu(score="<b>", label="y", unlabeled=0, by="site"))
    assert bound.startswith("<df.pu(score='<b>', label='y', by='site', unlabeled=0)>\n")
    assert re.search(r"groups +2: site$", bound)
    assumed = frame.pu(unlabeled=None).assume(monotone=True)
    assert repr(assumed).startswith("<df.pu.assume(monotone=True)>\n")
    assert "<pu_accessor.from_chunks(chunks)>" in repr(pu_accessor.from_chunks([FRAME]))
    listed = repr(FRAME.pu.contingency(0.3).pu)
    for name in ("roc", "metric", "beta_derivatives", "at", "to_frame", "plot_metric"):
        assert name in listed


def test_import_is_light_and_registers_once() -> None:
    code = "import sys, pu_accessor; print({'matplotlib', 'seaborn', 'sklearn'} & {*sys.modules})"
    code += "; from importlib import reload; reload(sys.modules['pu_accessor'])"
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


# What all have in common

METHODS: dict[str, Any] = {name: getattr(pu_accessor, name) for name in pu_accessor.__all__}
METHODS |= {name: getattr(labeling, name) for name in labeling.__all__}
METHODS = {name: function for name, function in METHODS.items() if inspect.isfunction(function)}
METHODS |= {f"df.pu.{name}": getattr(FRAMES, name) for name in public(FRAMES)}
METHODS |= {f"ds.pu.{name}": getattr(DATASETS, name) for name in public(DATASETS)}
TERMS = {field.name: field.default for field in fields(Terms)}
RULE: dict[str, Any] = {"level": 0.95, "band": "exact", "baseline": False}
PARTS = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


@pytest.mark.parametrize("name", METHODS)
def test_docstrings_name_all_arguments(name: str) -> None:
    _, *parts = PARTS.split(inspect.getdoc(METHODS[name]) or "")
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    assert ">>> " in sections["Examples"]
    heads = re.findall(r"^(?! )(.+?)(?: : .*)?$", sections.get("Parameters", ""), re.MULTILINE)
    named = {one.lstrip("*") for head in heads for one in head.split(", ")}
    expected = {*inspect.signature(METHODS[name]).parameters} - {"self"}
    assert named == ({*Assumed.__annotations__} if name.endswith(".assume") else expected)


@pytest.mark.parametrize("name", METHODS)
def test_signatures_agree(name: str) -> None:
    """Few arguments, most by name, with the same defaults."""
    found = [*inspect.signature(METHODS[name]).parameters.values()]
    found = [one for one in found if one.name != "self"]
    named = [one for one in found if one.kind is one.KEYWORD_ONLY]
    needed = ("random_state", "pilot", "beta")
    defaults = {one.name: one.default for one in named if one.name not in needed}
    assert inspect.Parameter.empty not in defaults.values()
    assert defaults == defaults | {key: RULE[key] for key in defaults if key in RULE}
    if name[:3] in ("df.", "ds."):
        assert not {*TERMS} & {one.name for one in found} and len(found) <= 9
