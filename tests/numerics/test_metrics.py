"""The table of metrics: each is answered for its purposes and refused for others, by its name."""

import pickle
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.testing as npt
import pandas as pd
import pytest

from pu_accessor import PUValueError, bedroc, fbeta
from pu_accessor.inference.cutoff_spec import Cutoff, rank_of_fraction
from pu_accessor.inference.metric_entry import PURPOSES, Metric
from pu_accessor.inference.metrics import METRICS, metrics_for
from pu_accessor.sklearn import scorer
from tests import worlds
from tests.support.oracles import oracle

RNG, PLACE, BETA = np.random.default_rng(3), np.arange(240), 0.1
ROWS = pd.DataFrame({"score": RNG.random(240), "fair": RNG.random(240), "site": PLACE // 120})
ROWS["label"] = np.where(PLACE % 8 == 0, 1.0, np.nan)
PU, SITES, MODELS = ROWS.pu, ROWS.pu(by="site"), ROWS.pu(score=["score", "fair"])
AVERAGE, OVER = ROWS.pu(by="site", average=True), {"selection_odds": [1, 2]}
TABLES = PU.contingency([0.1, 0.2], ranks="all")
OTHER_TABLES = PU.contingency([0.1, 0.2], ranks=[0, 20])
BY_NAME: dict[str, Callable[..., Any]] = {
    "against_beta": lambda name, **at: PU.plot_metric(name, [0.1, 0.2], x="beta", **at),
    "area": lambda name, **_: TABLES.pu.area(name),
    "average": lambda name, **at: AVERAGE.metric(name, BETA, **at),
    "compare": lambda name, **at: MODELS.compare(name, BETA, **at),
    "forest": lambda name, **at: MODELS.plot_forest(name, BETA, **at),
    "gap": lambda name, **at: SITES.gap(name, BETA, **at),
    "metric": lambda name, **at: PU.metric(name, BETA, **at),
    "robustness": lambda name, **at: MODELS.robustness(name, BETA, over=OVER, **at),
    "score": lambda name, **at: scorer(name, beta=BETA, unlabeled=0, **at),
    "tables": lambda name, **_: OTHER_TABLES.pu.metric(name),
}


def is_averaged(entry: Metric) -> bool:
    """Whether a mean over groups is an estimate: of 40 rows above, values are linear in tp."""
    tp = np.array([0.0, 10.0, 20.0])
    is_formula = entry.estimator is None and entry.cutoff != "probability"
    bend = np.diff(entry(tp, 40 - tp, 20 - tp, 40 + tp), 2) if is_formula else 0
    return entry.name != "boyce" and bool(np.abs(bend) < 1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_what_can_be_asked_by_name_is_answered(name: str) -> None:
    entry = METRICS[name]
    assert entry.name == name and entry.label and "df.pu" in entry.example
    assert pickle.loads(pickle.dumps(entry)) == entry and {entry: 1}[entry]
    assert {*BY_NAME} == {*PURPOSES}
    at: Any = {"threshold": 0.5} if entry.cutoff == "probability" else 40
    for purpose, ask in BY_NAME.items():
        how = {"at": at} if entry.needs_cutoff else {}
        if entry.serves(purpose) and (purpose != "average" or is_averaged(entry)):
            assert ask(name, **how) is not None
        else:
            with pytest.raises(PUValueError, match=f"(?s)'{name}'") as told:
                ask(name, **how)
            assert len(str(told.value)) <= 300


def test_what_functions_depend_on_is_read_from_them() -> None:
    """A metric that has another shape, and any function of a user, needs all cutoffs."""
    tables = {name: METRICS[name] for name in metrics_for("tables")}
    assert {*tables} | {"tpr"} == {*oracle.METRICS} == {*worlds.METRICS}
    by_kind = {"recall": {"recall", "fnr"}, "precision": {"fdr", "lift", "precision"}}
    by_kind |= {"rates": {"balanced_accuracy", "fpr", "informedness", "tnr"}}
    for kind, names in by_kind.items():
        assert {name for name, entry in tables.items() if entry.depends_on == kind} == names
    without = {name for name, entry in tables.items() if not entry.counts_negatives}
    assert without == {"f1", "fdr", "fnr", "jaccard", "precision", "recall"}
    less = {name for name, entry in tables.items() if entry.less_is_better}
    assert less == {"fdr", "fnr", "for", "fpr"}
    assert not tables["mcc"].is_ratio
    product = Metric("product", "product", "tp/(tp + fn)*(fn + tn)")
    maximum = Cutoff("maximum")
    for entry in (product, replace(METRICS["recall"], function=METRICS["recall"])):
        assert not entry.is_ratio and entry.ranks_needed(maximum) == "all"
        assert entry.ranks_needed(Cutoff("youden")) == "breakpoints"
    for entry in [*tables.values(), fbeta(2)]:
        is_searched = not entry.is_ratio and entry.turns is None
        assert entry.ranks_needed(maximum) == ("all" if is_searched else "breakpoints")


@pytest.mark.parametrize("name", [*metrics_for("metric"), "difference"])
def test_help_prints_range_formula_and_source_and_numbers_are_in_the_range(name: str) -> None:
    entry, texts = METRICS[name], " ".join(PU.metric.__doc__.split())
    assert entry.formula and entry.source
    ends = np.nextafter([entry.low, entry.high], [-np.inf, np.inf])
    if entry.serves("metric"):
        row = re.search(
            rf"``{name}``[^`]*, in [\[(](\S+), (\S+)[\])] (.+?)(?= ``\w+``|Refe)", texts
        )
        assert row is not None and [float(row[1]), float(row[2])] == [entry.low, entry.high]
        assert entry.source in row[3] and entry.formula.partition("{")[0] in row[3]
        how = {"at": {"threshold": 0.5} if name == "net_benefit" else 20}
        asked = PU.metric(name, [0.01, BETA, 0.6], **(how if entry.needs_cutoff else {}))
        assert asked["estimate"].between(*ends).all()
    if entry.estimator is None and entry.cutoff is not None:
        one = entry.at_cutoff(Cutoff("threshold", 0.9))
        values = one(*RNG.integers(0, 4, (4, 1000)).astype(float))
        assert np.mean((values >= ends[0]) & (values <= ends[1]) | np.isnan(values)) == 1
        assert np.ptp(values[np.isfinite(values)]) > 0.9


def test_a_fraction_is_rounded_up_but_not_by_errors_of_floats() -> None:
    cases = [(0.1 + 0.2, 10, 3), (7 / 22, 22, 7), (1e-9, 10, 1), (0, 10, 0), (0.29, 100, 29)]
    for fraction, examples, rank in [*cases, (0.5, 2.5, 2), (0.1, 10**9 + 1, 10**8 + 1)]:
        assert rank_of_fraction(fraction, examples) == rank


def test_makers_survive_a_pickle_and_keep_what_they_were_made_with() -> None:
    counts = tuple(np.array([count]) for count in (3, 1, 2, 4))
    npt.assert_array_equal(pickle.loads(pickle.dumps(fbeta(2)))(*counts), fbeta(2)(*counts))
    npt.assert_allclose(fbeta(1)(*counts), METRICS["f1"](*counts))
    assert pickle.loads(pickle.dumps(bedroc(80.5))).alpha == 80.5
