"""``df.pu`` and ``ds.pu``: what is bound adds up, nothing is read too early, all methods agree."""

import inspect
import re
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import PUError, PUWarning, from_chunks, labeling
from tests.cases import ASSUMED, ROLES, put
from tests.sources.test_every_source import ASKED, FRAME, MODELS, check_alike
from tests.worlds import FRAMES, TABLES, parameters, public

ROWS = FRAME.assign(site=np.where(FRAME.index % 2, "a", "b"))


def test_roles_add_up_and_an_accessor_is_not_changed() -> None:
    renamed = ROWS.rename(columns={"score": "s", "label": "y"})
    first = renamed.pu(label="y")
    bound = first(by="site")(score="s")
    check_alike(bound.auroc(0.3), ROWS.pu(by="site").auroc(0.3), attrs=False)
    again, expected = bound(by=None), ROWS.pu.auroc(0.3)  # what is said last counts
    assert again(unlabeled=[0, None]).contingency(0.3)["n_known_negative"] == 0
    for unchanged in (again, first(score="s")):
        check_alike(unchanged.auroc(0.3), expected, attrs=False)


def test_nothing_is_read_before_a_question() -> None:
    later = FRAME[["score"]].copy()
    waiting = later.pu(label="known")
    later["known"] = FRAME["label"]
    check_alike(waiting.auroc(0.3), FRAME.pu.auroc(0.3), attrs=False)


# What a method needs beside beta, and what is wrong with each of its arguments.
NEEDED: dict[str, dict[str, Any]] = {"sample_to_label": {"size": 3, "random_state": 0}}
NEEDED |= {one: {"metric": "auroc"} for one in ("gap", "compare", "robustness", "plot_forest")}
NEEDED |= {"plot_metric": {"metric": "f1"}, "metric": {"metric": "f1", "at": 3}}
NEEDED |= {"cutoff": {"recall": 0.5}}
WRONG: dict[str, list[Any]] = {
    **{"level": [95], "band": ["exakt", 3], "target": ["new"], "at": ["best"], "max_fpr": [1.5]},
    **{"ranks": ["ALL", 0.5, [1, 1]], "beta": [1.3, "0.3", [], pd.Interval(0.5, 1.3)]},
    **{"metric": ["precison"], "over": [{"depth": [1]}], "recall": [1.5], "x": ["depth"]},
    **{"method": ["elkan"], "legend": ["best"]},
}
EARLY = [
    (method, name, value)
    for method in public(FRAMES)
    for name in WRONG
    for value in WRONG[name] * (name in parameters(getattr(FRAMES, method)))
    if method != "report"  # which asks much before beta is looked at
]


@pytest.mark.parametrize(("method", "name", "value"), EARLY)
def test_bad_questions_are_refused_before_a_row_is_read(
    method: str, name: str, value: Any
) -> None:
    chunks = Mock()
    asked = {"beta": 0.3} if "beta" in parameters(getattr(FRAMES, method)) else {}
    with pytest.raises(PUError, match=name):
        put(from_chunks(chunks), method, **{**asked, **NEEDED.get(method, {}), name: value})
    assert not chunks.called


SPOILT = pd.concat([FRAME.assign(key="none", label=np.nan), FRAME.assign(key="b"), FRAME])


@pytest.mark.parametrize(("method", "terms"), ASKED, ids=str)
def test_warnings_point_at_the_caller(method: str, terms: dict[str, Any]) -> None:
    terms = terms | {"by": "key", "score": MODELS if method == "compare" else "p"}
    terms |= {"beta": 0.3} if isinstance(terms.get("beta"), dict) else {}
    keywords = {name: terms[name] for name in terms if name not in [*ROLES, *ASSUMED]}
    asked = SPOILT.pu(by="key", on_error="skip", score=terms["score"])
    with pytest.warns(PUWarning) as told:
        getattr(asked, method)(**keywords)
    assert {one.filename for one in told} == {__file__}
    assert "groups are left out" in str(told[0].message)


# What all have in common

METHODS: dict[str, Any] = {one: getattr(pu_accessor, one) for one in pu_accessor.__all__}
METHODS |= {name: getattr(labeling, name) for name in labeling.__all__}
METHODS = {name: function for name, function in METHODS.items() if inspect.isfunction(function)}
METHODS |= {f"df.pu.{name}": getattr(FRAMES, name) for name in public(FRAMES)}
METHODS |= {f"ds.pu.{name}": getattr(TABLES, name) for name in public(TABLES)}
PARTS = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


@pytest.mark.parametrize("name", METHODS)
def test_docstrings_name_all_arguments(name: str) -> None:
    _, *parts = PARTS.split(inspect.getdoc(METHODS[name]) or "")
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    assert ">>> " in sections["Examples"]
    heads = re.findall(r"^(?! )(.+?)(?: : .*)?$", sections.get("Parameters", ""), re.MULTILINE)
    named = {one.lstrip("*") for head in heads for one in head.split(", ")}
    assert "As in" not in sections.get("Parameters", "")  # each is described in its place
    assert named == {*inspect.signature(METHODS[name]).parameters} - {"self"}
