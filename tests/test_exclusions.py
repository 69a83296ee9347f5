"""What excludes what: each row of both tables, asked in public, before a row is read."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr

import pu_accessor
import pu_accessor.polars
from pu_accessor import PUTypeError, PUValueError
from pu_accessor import roles_and_assumptions as rules
from tests.cases import put

# Sources without the columns that are read: whoever looks into them raises another error.
EMPTY = pd.DataFrame({"nothing": [1, 2]})
SOURCES: dict[str, Any] = {
    "a groupby": lambda: pu_accessor.pu(EMPTY.groupby("nothing")),
    "data in arrays": lambda: pu_accessor.from_arrays(["no score"], ["no label"]),
    "data in a Dataset": lambda: xr.Dataset({"nothing": ("sample", [1])}).pu(),
    "data in chunks": lambda: pu_accessor.from_chunks([EMPTY]),
    "data in a LazyFrame": lambda: pu_accessor.pu(pl.LazyFrame({"nothing": [1, 2]})),
}
ESTIMATE = pu_accessor.beta_from_labels(10, 30, n_unlabeled=900)
FACTS: dict[str, dict[str, Any]] = {
    **{name: {name: "nothing"} for name in ("by", "score", "label", *rules.OTHERS)},
    "average": {"by": "nothing", "average": True},
    "a list of scores": {"score": ["svm", "forest"]},
    **{fact: {"beta": ESTIMATE} for fact in ("beta=an estimate", "one estimate for all groups")},
    "beta=an interval": {"beta": pd.Interval(0.1, 0.3)},
    "band": {"band": "simultaneous"},
    "band=one for labels selected at random": {"band": "dkw"},
    "at=a cutoff chosen from the data": {"metric": "f1", "at": "maximum"},
    "at=a cutoff with the maximum of any function": {"metric": max, "at": "maximum"},
    "at=a cutoff that depends on beta": {"metric": "f1", "at": {"fpr": 0.1}},
    "at=a cutoff that only this sample has": {"metric": "f1", "at": 100},
    "at=a share or rate of all examples": {"metric": "f1", "at": {"fraction": 0.1}},
    "a metric that counts negatives": {"metric": "npv"},
    "at=the first positive": {"metric": "reciprocal_rank"},
    "at=a metric's own cutoff": {"metric": "r_precision"},
    "a metric other than AUROC": {"metric": "average_precision"},
    "a difference": {"metric": "difference"},
    "over=a prevalence": {"over": {"prevalence": [0.1]}},
    "no wave": {},
}
VALUES = {"reference": "tightest", "selection_odds": 2, "contamination": 0.1, "monotone": True}
VALUES |= {"prevalence": 0.2, "max_fpr": 0.1, "cost": (1, 2), "on": "id", "wave": "hand"}
VALUES |= {"strata": "site", "below": 0.5, "above": 0.5, "baseline": True}
FACTS |= {name: {name: value} for name, value in VALUES.items()}
AT = {"beta": 0.3, "at": {"threshold": 0.5}}
# Questions, as the tables call them: the method, and what it is asked at least.
QUESTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {"beta": 0.3}) for name in ("contingency", "rank_cdf", "dominance", "auroc")},
    **{name: (name, {"beta": 0.3}) for name in ("compare", "calibration", "check_assumptions")},
    "plot_rank_cdf": ("plot_rank_cdf", {"beta": 0.3}),
    **{
        name: ("metric", {"metric": name, "beta": 0.3}) for name in ("average_precision", "bedroc")
    },
    **{name: ("metric", {"metric": name}) for name in ("boyce", "bpref")},
    "without a cutoff": ("metric", {"beta": 0.3}),
    "ndcg": ("metric", {"metric": "ndcg", "beta": 0.3, "at": 10}),
    "at a cutoff": ("metric", {"metric": "f1", **AT}),
    "cutoff": ("cutoff", {"beta": 0.3, "recall": 0.9}),
    "gap": ("gap", {"metric": "average_precision", "beta": 0.3}),
    "robustness": ("robustness", {"metric": "auroc", "beta": 0.3}),
    "estimate_beta": ("estimate_beta", {}),
    "sample_to_label": ("sample_to_label", {"size": 3, "random_state": 0}),
}
# The question that a fact is about, where none is named.
ASKED = {"one estimate for all groups": "gap", "max_fpr": "auroc", "wave": "check_assumptions"}
ASKED |= {"on": "compare"}
ASKED |= dict.fromkeys(("band", "band=one for labels selected at random"), "contingency")
ASKED |= {"ranks='all'": "contingency"} | {
    fact: "at a cutoff" for fact in FACTS if " cutoff " in fact
}
ASKED |= dict.fromkeys(("at=the first positive", "at=a metric's own cutoff"), "without a cutoff")
ASKED |= dict.fromkeys(
    ("at=a share or rate of all examples", "nan_policy='unretrieved'"), "at a cutoff"
)
ASKED |= {"a metric that counts negatives": "at a cutoff"}


def ask(facts: tuple[str, ...]) -> None:
    """Ask what the facts say, of a source that has no rows."""
    named = [fact for fact in facts if fact in QUESTIONS]
    named = named or [ASKED[fact] for fact in reversed(facts) if fact in ASKED]
    method, keywords = QUESTIONS[(named or ["auroc"])[0]]
    passed: dict[str, Any] = {}
    for fact in facts:
        name, quoted, value = fact.partition("='")
        passed |= {name: value[:-1]} if quoted else FACTS.get(fact, {})
    if facts[1:] == ("gap", "auroc") or (method == "auroc" and "band" in passed):
        method, passed["metric"] = facts[1] if "gap" in facts else "metric", "auroc"
    about_rows = "propensity" in passed and method in ("auroc", "metric")
    if about_rows or (method == "metric" and "at" in passed | keywords):
        passed = {"target": "examples", **passed}
    keywords = {"beta": 0.3} if "cost" in passed else keywords
    source = next((SOURCES[fact]() for fact in facts if fact in SOURCES), EMPTY.pu)
    put(source, method, **{**keywords, **passed})


def message_of(facts: tuple[str, ...]) -> str:
    with pytest.raises(PUValueError) as told:
        ask(facts)
    message = str(told.value)
    assert len(message) <= 300 and " ... " not in message
    return message


@pytest.mark.parametrize("row", rules.EXCLUSIONS, ids=lambda row: " + ".join(row.facts))
def test_facts_that_exclude_each_other_are_refused(row: rules.Exclusion) -> None:
    message = message_of(row.facts)
    first, *others = row.facts
    name, equals, _ = first.partition("=")
    came = "is not available" if first in QUESTIONS else "must be left"
    assert message.startswith(f"{name} {'must not be' if equals else came}")
    assert row.why in message and row.step in message
    for fact in others:
        is_keyword = fact in (*rules.ROLES, *rules.ASSUMPTIONS)
        shown = fact if "='" in fact else fact.rpartition("=")[2]
        assert (f"{fact}=" if is_keyword else shown) in message


NOT_SUPPORTED = [
    (assumption, question)
    for question, supported in rules.SUPPORTED_ASSUMPTIONS.items()
    for assumption in rules.ASSUMPTIONS
    if assumption not in supported and assumption != "monotone"
]


@pytest.mark.parametrize(("assumption", "question"), NOT_SUPPORTED)
def test_assumptions_without_a_method_are_refused(assumption: str, question: str) -> None:
    message = message_of((assumption, question))
    words = "a metric at a cutoff" if question == "at a cutoff" else question
    assert message.startswith(f"{assumption} must be left out with {words}, but ")
    of_prior = assumption == "prevalence" and ".beta_from_prevalence(0.25, n_positive=" in message
    assert message.endswith(f"Leave {assumption} out.") or of_prior


RNG, SIZE = np.random.default_rng(3), 400
SCORED = pd.DataFrame(
    {"score": RNG.random(SIZE), "forest": RNG.random(SIZE), "cluster": range(SIZE)}
)
SCORED["label"] = np.select([SCORED["score"] > 0.9, SCORED["score"] < 0.1], [1, 0], np.nan)
SCORED = SCORED.assign(
    svm=SCORED["score"], site=SCORED.index % 2, weight=2, count=3, propensity=0.5
)
ADDED = {**{name: VALUES.get(name, name) for name in (*rules.OTHERS, *rules.ASSUMPTIONS)}}
ADDED |= {"by": "site", "score": ["svm", "forest"], "nan_policy": "worst", "reference": "tightest"}
ASKING: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("auroc", "average_precision", "contingency", "roc_bounds"), (0.1,)),
    **dict.fromkeys(("rank_cdf", "dominance", "calibration", "check_assumptions"), (0.1,)),
    **dict.fromkeys(("compare", "gap", "robustness", "plot_forest", "metric"), ("auroc", 0.1)),
    **{"plot_pr": (0.1,), "plot_metric": ("f1", 0.1), "estimate_beta": ()},
}
NEEDED = {name: {"score": ADDED["score"]} for name in ("compare", "dominance")}
NEEDED |= {"gap": {"by": "site"}}


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize("term", ADDED)
@pytest.mark.parametrize("method", ASKING)
def test_a_term_among_arguments_is_advised_where_it_is_allowed(method: str, term: str) -> None:
    pu, keyword = SCORED.pu(**NEEDED.get(method, {})), {term: ADDED[term]}
    with pytest.raises(PUTypeError) as told:
        getattr(pu, method)(*ASKING[method], **keyword)
    line = str(told.value).partition(" Write ")[2].removesuffix(".")
    if line.startswith("df"):
        assert eval(line, {"df": SCORED, "pu_accessor": pu_accessor}) is not None
        plt.close("all")
        return
    with pytest.raises(PUValueError) as refused:  # it quotes why that is refused
        put(pu, method, *ASKING[method], **keyword)
    assert str(told.value).endswith(str(refused.value))


def test_no_row_is_hidden_behind_one_before_it() -> None:
    rows = [{*row.facts} for row in rules.EXCLUSIONS]
    assert not [row for i, row in enumerate(rows) if any(one <= row for one in rows[:i])]
