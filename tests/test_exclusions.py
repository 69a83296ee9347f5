"""What excludes what: each row of both tables, asked in public, before a row is read."""

from typing import Any

import pandas as pd
import polars as pl
import pytest
import xarray as xr

import pu_accessor
import pu_accessor.polars
from pu_accessor import PUValueError
from pu_accessor.roles_and_assumptions import (
    _WORDS,
    ASSUMPTIONS,
    EXCLUSIONS,
    OTHERS,
    ROLES,
    SUPPORTED_ASSUMPTIONS,
    Exclusion,
)

# Sources without the columns that are read: whoever looks into them raises another error.
EMPTY = pd.DataFrame({"nothing": [1, 2]})
SOURCES: dict[str, Any] = {
    "a groupby": lambda: pu_accessor.pu(EMPTY.groupby("nothing")),
    "data in arrays": lambda: pu_accessor.from_arrays(["no score"], ["no label"]),
    "data in a Dataset": lambda: xr.Dataset({"nothing": ("sample", [1])}).pu(),
    "data in chunks": lambda: pu_accessor.from_chunks([EMPTY]),
    "data in a LazyFrame": lambda: pu_accessor.pu(pl.LazyFrame({"nothing": [1, 2]})),
}
BOUND: dict[str, dict[str, Any]] = {
    **{role: {role: "nothing"} for role in ("by", "score", *OTHERS)},
    **{role: {"by": "nothing", role: True} for role in ("pool", "average")},
    "label": {"label": "nothing"},
    "nan_policy='unretrieved'": {"nan_policy": "unretrieved"},
    "on_error='nan'": {"on_error": "nan"},
    "a list of scores": {"score": ["svm", "forest"]},
}
ASSUMED: dict[str, Any] = {"reference": "both", "selection_odds": 2, "contamination": 0.1}
ASSUMED |= {"monotone": True, "prevalence": 0.2}
ESTIMATE = pu_accessor.beta_from_labels(10, 30, n_unlabeled=900)
KEYWORDS: dict[str, dict[str, Any]] = {
    "target='population'": {"target": "population"},
    "target='examples'": {"target": "examples"},
    "beta=estimate": {"beta": ESTIMATE},
    "beta=interval": {"beta": pd.Interval(0.1, 0.3)},
    "band": {"band": "simultaneous"},
    "band=at random": {"band": "dkw"},
    "band=by rank": {"band": (lambda rank: 0 * rank, lambda rank: 0 * rank + 1)},
    "at=chosen": {"at": "maximum"},
    "at=estimated": {"at": {"fpr": 0.1}},
    "at=cutoff of this sample": {"at": 100},
    "at=of all examples": {"at": {"fraction": 0.1}},
    "negatives count": {"metric": "npv"},
    "at=first": {"metric": "reciprocal_rank"},
    "at=its own": {"metric": "r_precision"},
    "ranks='all'": {"ranks": "all"},
    "adjust='max_t'": {"adjust": "max_t"},
    "no test": {"metric": "average_precision"},
    "a difference": {"metric": "difference"},
    "one estimate for all groups": {"beta": ESTIMATE},
    "max_fpr": {"max_fpr": 0.1},
    "cost": {"cost": (1, 2)},
    "on": {"on": "id"},
    "wave": {"wave": "hand"},
    "strata": {"strata": "site"},
    "below": {"below": 0.5},
    "above": {"above": 0.5},
}
# Questions, as the tables call them: the method, and what it is asked at least.
QUESTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {"beta": 0.3}) for name in ("contingency", "rank_cdf", "dominance", "auroc")},
    "average_precision": ("metric", {"metric": "average_precision", "beta": 0.3}),
    "bedroc": ("metric", {"metric": "bedroc", "beta": 0.3}),
    "boyce": ("metric", {"metric": "boyce"}),
    "without a cutoff": ("metric", {"beta": 0.3}),
    "bpref": ("metric", {"metric": "bpref"}),
    "early": ("metric", {"metric": "ndcg", "beta": 0.3, "at": 10}),
    "net_benefit": ("metric", {"metric": "net_benefit", "beta": 0.3, "at": {"threshold": 0.5}}),
    "at a cutoff": ("metric", {"metric": "f1", "beta": 0.3, "at": {"threshold": 0.5}}),
    "calibration": ("calibration", {"beta": 0.3}),
    "cutoff": ("cutoff", {"beta": 0.3, "recall": 0.9}),
    "compare": ("compare", {"beta": 0.3}),
    "gap": ("gap", {"metric": "average_precision", "beta": 0.3}),
    "robustness": ("robustness", {"metric": "auroc", "beta": 0.3}),
    "estimate_beta": ("estimate_beta", {}),
    "check_assumptions": ("check_assumptions", {"beta": 0.3}),
    "sample_to_label": ("sample_to_label", {"size": 3, "random_state": 0}),
}
# The question that a fact is about, where none is named.
ASKED = {
    "one estimate for all groups": "gap",
    "on": "compare",
    "adjust='max_t'": "compare",
    "max_fpr": "auroc",
}
ASKED |= {"wave": "check_assumptions", "band": "contingency", "ranks='all'": "contingency"}
ASKED |= dict.fromkeys(("band=at random", "band=by rank"), "contingency")
ASKED |= dict.fromkeys(("at=chosen", "at=estimated", "at=cutoff of this sample"), "at a cutoff")
ASKED |= dict.fromkeys(("at=of all examples", "negatives count"), "at a cutoff")
ASKED |= dict.fromkeys(("at=first", "at=its own"), "without a cutoff")
ASKED |= {"nan_policy='unretrieved'": "at a cutoff"}


def ask(facts: tuple[str, ...]) -> None:
    """Ask what the facts say, of a source that has no rows."""
    named = [fact for fact in facts if fact in QUESTIONS]
    named = named or [ASKED[fact] for fact in reversed(facts) if fact in ASKED]
    method, keywords = QUESTIONS[(named or ["auroc"])[0]]
    if facts[1:] == ("gap", "auroc"):
        keywords = {**keywords, "metric": "auroc"}
    source = next((SOURCES[fact]() for fact in facts if fact in SOURCES), EMPTY.pu)
    roles = {key: value for fact in facts for key, value in BOUND.get(fact, {}).items()}
    assumed = {fact: ASSUMED[fact] for fact in facts if fact in ASSUMED}
    passed = {key: value for fact in facts for key, value in KEYWORDS.get(fact, {}).items()}
    if method in ("compare", "gap") and "at" in passed:
        keywords = {"metric": "f1", "beta": 0.3}
    if method == "auroc" and "band" in passed:  # which the method itself does not have
        method, keywords = "metric", {"metric": "auroc", "beta": 0.3}
    about_rows = "propensity" in roles and method in ("auroc", "metric")
    if "target" not in passed and (
        about_rows or (method == "metric" and "at" in passed | keywords)
    ):
        passed["target"] = "examples"
    if "cost" in passed:
        keywords = {"beta": 0.3}
    getattr(source(**roles).assume(**assumed), method)(**{**keywords, **passed})


def message_of(facts: tuple[str, ...]) -> str:
    with pytest.raises(PUValueError) as told:
        ask(facts)
    message = str(told.value)
    assert len(message) <= 300 and " ... " not in message
    return message


@pytest.mark.parametrize("row", EXCLUSIONS, ids=lambda row: " + ".join(row.facts))
def test_facts_that_exclude_each_other_are_refused(row: Exclusion) -> None:
    message = message_of(row.facts)
    first, *others = row.facts
    name, equals, _ = first.partition("=")
    came = (
        "must not be" if equals else "is not available" if first in QUESTIONS else "must be left"
    )
    assert message.startswith(f"{name} {came}")
    assert row.why in message and row.step in message
    for fact in others:
        word = f"{fact}=" if fact in (*ROLES, *ASSUMPTIONS) else _WORDS.get(fact, fact)
        assert word in message


NOT_SUPPORTED = [
    (assumption, question)
    for question, supported in SUPPORTED_ASSUMPTIONS.items()
    for assumption in ASSUMPTIONS
    if assumption not in supported and assumption != "monotone"
]


@pytest.mark.parametrize(("assumption", "question"), NOT_SUPPORTED)
def test_assumptions_without_a_method_are_refused(assumption: str, question: str) -> None:
    message = message_of((assumption, question))
    words = _WORDS.get(question, question)
    assert message.startswith(f"{assumption} must be left out with {words}, but ")
    assert message.endswith(f"Leave {assumption} out.")


def test_no_row_is_hidden_behind_one_before_it() -> None:
    rows = [{*row.facts} for row in EXCLUSIONS]
    assert not [row for i, row in enumerate(rows) if any(one <= row for one in rows[:i])]
