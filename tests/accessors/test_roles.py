"""What columns mean is said once, in the call; what is asked, in the method; never both."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from pu_accessor import PUError, PUKeyError, PUTypeError, PUValueError
from tests.accessors.test_spellings import ASKED, GROUPED, LONG, MODELS, UNPAIRED, WIDE, check_same
from tests.cases import parameters_of

FRAME = WIDE.rename(columns={"svm": "score"}).assign(propensity=0.5)
FRAME["site"] = np.where(WIDE["example"] % 2, "a", "b")
# What each method needs at least.
AT_BETA = """contingency roc_bounds pr_bounds rank_cdf auroc average_precision dominance
calibration plot_calibration plot_roc plot_pr plot_rank_cdf"""
QUESTIONS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(AT_BETA.split(), (0.3,)),
    **dict.fromkeys(["metric", "plot_metric"], ("f1", 0.3)),
    **dict.fromkeys(["gap", "compare", "robustness", "plot_forest"], ("auroc", 0.3)),
    "cutoff": (0.3,),
    "estimate_beta": (),
    "sample_to_label": (3,),
}
MORE: dict[str, dict[str, Any]] = {
    "metric": {"at": 3},
    "cutoff": {"recall": 0.5},
    "sample_to_label": {"random_state": 0},
}


# Binding


def test_roles_add_up() -> None:
    renamed = FRAME.rename(columns={"score": "s", "label": "y"})
    bound = renamed.pu(label="y")(by="site")(score="s")
    check_same(bound.auroc(0.3), renamed.pu(score="s", label="y", by="site").auroc(0.3))
    check_same(bound.auroc(0.3), FRAME.pu(by="site").auroc(0.3))
    assert bound.auroc(0.3)["site"].tolist() == ["a", "b"]
    again = bound(by=None)  # what is said last counts
    check_same(again.auroc(0.3), FRAME.pu.auroc(0.3))


def test_an_accessor_is_not_changed_by_a_call() -> None:
    first = FRAME.pu
    before = first.roc_bounds(0.3)
    by_site, negatives = first(by="site"), first(unlabeled=[0, None])
    for unchanged in (first, FRAME.pu):
        xr.testing.assert_identical(unchanged.roc_bounds(0.3), before)
    assert by_site.roc_bounds(0.3)["n_unlabeled"].dims == ("site",)
    assert negatives.roc_bounds(0.3)["n_known_negative"] == 0 < before["n_known_negative"]


def test_nothing_is_read_before_a_question() -> None:
    frame = pd.DataFrame({"x": [1.0]})
    bound = frame.pu(score="s", label="y", by="site", propensity="propensity", unlabeled=0)
    with pytest.raises(PUKeyError, match="no 's' among"):
        bound(by=None).auroc(0.3, target="examples")
    later = FRAME[["score"]].copy()
    waiting = later.pu(label="known")
    later["known"] = FRAME["label"]
    check_same(waiting.average_precision(0.3), FRAME.pu.average_precision(0.3))


# Samples in xarray

SCORES = ("model", "sample"), WIDE[MODELS].to_numpy().T
SAMPLES = xr.Dataset({"score": SCORES, "label": ("sample", WIDE["label"])}, {"model": MODELS})


@pytest.mark.parametrize("name", ASKED)
def test_samples_have_all_methods_of_a_frame(name: str) -> None:
    method, (args, keywords, roles, _) = ASKED[name]
    if name == "check_assumptions":  # columns of rows, which samples have none of
        keywords = {"level": keywords["level"]}
    wide, samples = WIDE.pu(score=MODELS, **roles), SAMPLES.pu(**roles)
    # Groups in rows, where a method wants those that share no examples.
    rows = LONG.pu(by="model") if name in UNPAIRED else wide
    answers = (getattr(pu, method)(*args, **keywords) for pu in (samples, rows))
    check_same(*answers)


# Tables


def test_samples_say_which_call_they_miss() -> None:
    some: Any = SAMPLES.pu
    asked: dict[str, list[str]] = {"roc_bounds": [], "plot_roc": []}
    asked |= {"metric": ["f1"], "area": ["average_precision"]}
    for name, arguments in asked.items():
        with pytest.raises(PUKeyError, match=r"ds\.pu\(score="):
            getattr(some, name)(*arguments)
    for name in ("auroc", "contingency"):
        with pytest.raises(AttributeError, match=rf"ds\.pu\(.*\)\.{name}"):
            getattr(some, name)
    assert not hasattr(some, "nonsense")


# What is wrong is said before anything is read


@pytest.fixture
def pieces() -> Iterator[Any]:
    """Chunks that must not be opened when they are asked."""
    opened = []

    def chunks() -> Iterator[pd.DataFrame]:
        opened.append(FRAME)
        yield FRAME

    accessor = pu_accessor.from_chunks(chunks)
    opened.clear()
    yield accessor
    assert opened == []


RULES: list[tuple[dict[str, Any], type[PUError], str]] = [
    ({"level": 95}, PUValueError, r"level must lie in .* 95 was passed\. .* pass 0\.95"),
    ({"level": "95%"}, PUTypeError, "level must be a number"),
    ({"band": "exakt"}, PUValueError, "band must be one of .* Did you mean 'exact'"),
    ({"band": 3}, PUTypeError, "band must be one of .* a callable .* but 3 was passed"),
    ({"target": "new"}, PUValueError, "target must be one of .* Did you mean 'population'"),
    ({"ranks": "ALL"}, PUValueError, r"one of \['all', 'breakpoints'\].* mean 'all'\?"),
    ({"ranks": "all"}, PUValueError, "ranks='breakpoints'"),
    ({"ranks": 0.5}, PUTypeError, "ranks must be 'all'"),
    ({"ranks": [1, 1]}, PUValueError, r"each once, but \[1, 1\] was passed. Pass np.unique"),
    ({"beta": 1.3}, PUValueError, "beta must lie in"),
    ({"beta": "0.3"}, PUTypeError, "beta must be a number"),
    ({"beta": []}, PUValueError, r"beta must lie in \[0, 1\], but nothing was passed"),
    ({"beta": pd.Interval(0.5, 1.3)}, PUValueError, "beta must"),
    ({"max_fpr": 1.5}, PUValueError, "max_fpr must lie in"),
    ({"at": "best"}, PUError, "at must"),
    ({"metric": "precison"}, PUValueError, "metric must be .*'precison' was passed.*precision"),
    ({"over": {"depth": [1]}}, PUValueError, "over must be one of"),
    ({"x": "depth"}, PUValueError, "x must be one of"),
    ({"method": "elkan"}, PUValueError, "method must be one of"),
    ({"recall": 1.5}, PUValueError, "recall must lie in"),
    ({"legend": "best"}, PUValueError, "legend must be one of"),
]


EARLY = [
    pytest.param(name, *rule, id=f"{name}, {rule[0]}")
    for name in QUESTIONS
    for rule in RULES
    if {*rule[0]} <= {one.name for one in parameters_of(getattr(type(FRAME.pu), name))}
]


@pytest.mark.parametrize(("name", "wrong", "error", "message"), EARLY)
def test_bad_questions_are_refused_before_a_row_is_read(
    name: str, wrong: dict[str, Any], error: type[PUError], message: str, pieces: Any
) -> None:
    names = ("metric", "beta") if len(QUESTIONS[name]) == 2 else ("beta",)
    first = dict(zip(names, QUESTIONS[name], strict=False))
    with pytest.raises(error, match=message):
        getattr(pieces, name)(**{**first, **MORE.get(name, {}), **wrong})


# What is bound can be read


def test_repr_names_roles_and_counts() -> None:
    frame = pd.DataFrame({"p": [3, 2, 2, 1], "y": [1, 0, 0, 0], "site": list("aabb")})
    shown = repr(frame.pu(score="p", label="y", unlabeled=0, by="site"))
    for role, value in (("score", "'p'"), ("label", "'y'"), ("unlabeled", "0"), ("by", "'site'")):
        assert f"{role}={value}" in shown.split("\n")[0]
    assert "site" in shown.splitlines()[-1] and "2" in shown.splitlines()[-1]
    default = repr(frame.rename(columns={"p": "score", "y": "label"}).pu(unlabeled=0))
    assert "nan_policy" not in default and "by=" not in default
    assert "chunks" in repr(pu_accessor.from_chunks([FRAME]))
    others: list[Any] = [pu_accessor.from_arrays([2, 1], [1, None]), SAMPLES.pu()]
    assert all("known positives" in repr(other) for other in others)


# Functions


@pytest.mark.parametrize("data", [FRAME, GROUPED, SAMPLES], ids=type)
def test_the_function_is_the_accessor(data: Any) -> None:
    named: Any = {"unlabeled": [0, None]}
    found, expected = pu_accessor.pu(data, **named), data.pu(**named)
    assert type(found) is type(expected) and repr(found) == repr(expected)
    pd.testing.assert_frame_equal(found.auroc(0.3), expected.auroc(0.3))
