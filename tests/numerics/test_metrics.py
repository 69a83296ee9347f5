"""The table of metrics by itself, and the one entrance to estimates of any of them."""

import pickle
from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import numpy.testing as npt
import pandas as pd
import pytest

import pu_accessor.sklearn
from pu_accessor import PUError, PUValueError
from pu_accessor.inference.estimates.estimate_metric import extend_over_betas
from pu_accessor.inference.metrics import METRICS, PURPOSES, Metric, bedroc, fbeta
from pu_accessor.labeling import positives_needed
from tests.cases import put


@pytest.mark.parametrize("name", METRICS)
def test_entries_name_themselves_and_survive_a_pickle(name: str) -> None:
    metric = METRICS[name]
    assert metric.name == name and metric.label and "df.pu" in metric.example and metric.purposes
    assert {*metric.purposes} <= {
        *(*PURPOSES, "no interval", "pairs", "retrieval", "test", "without_beta")
    }
    assert pickle.loads(pickle.dumps(metric)) == metric


def test_makers_survive_a_pickle_and_keep_what_they_were_made_with() -> None:
    counts = tuple(np.array([count]) for count in (3, 1, 2, 4))
    again = pickle.loads(pickle.dumps(fbeta(2)))
    npt.assert_array_equal(again(*counts), fbeta(2)(*counts))
    npt.assert_allclose(fbeta(1)(*counts), METRICS["f1"](*counts))
    assert pickle.loads(pickle.dumps(bedroc(80.5))).alpha == 80.5


def test_points_keep_their_own_limits() -> None:
    three = np.array([[0.3, 0.2, 0.5]])
    same = extend_over_betas(three - 0.1, three, three + 0.1, 3)
    npt.assert_array_equal(same[0], three - 0.1)
    low, middle, high = extend_over_betas(three - 0.1, three, three + 0.1, 2)
    npt.assert_allclose(low, [[0.1, 0.1]])
    npt.assert_allclose([middle, high], [[[0.3, 0.2]], [[0.6, 0.6]]])


BETA, AT = 0.1, 40


def draw_rows() -> pd.DataFrame:
    """Draw scores of two models, probabilities, for groups of the same examples."""
    rng = np.random.default_rng(3)
    truth = np.arange(240) % 4 == 0
    good, fair = (1 / (1 + np.exp(-rng.normal(shift * truth))) for shift in (2, 1))
    label = np.where(truth & (np.arange(240) % 8 == 0), 1.0, np.nan)
    site = np.where(np.arange(240) < 120, "a", "b")
    return pd.DataFrame({"score": good, "fair": fair, "label": label, "site": site})


ROWS = draw_rows()
PU, SITES = ROWS.pu, ROWS.pu(by="site")
MODELS = ROWS.pu(score=["score", "fair"])
TABLES = PU.contingency([0.1, 0.2], ranks=[*range(0, 241, 20)])
WHOLE = PU.contingency([0.1, 0.2], ranks="all")
BY_NAME: dict[str, Callable[[str, Any], Any]] = {
    "against_beta": lambda name, at: PU.plot_metric(name, [0.1, 0.2], x="beta", at=at),
    "area": lambda name, at: WHOLE.pu.area(name),
    "compare": lambda name, at: MODELS.compare(name, BETA, at=at),
    "forest": lambda name, at: MODELS.plot_forest(name, BETA, at=at),
    "gap": lambda name, at: SITES.gap(name, BETA, at=at),
    "metric": lambda name, at: PU.metric(name, BETA, at=at),
    "plan": lambda name, at: positives_needed(0.2, pilot=ROWS, beta=BETA, metric=name),
    "robustness": lambda name, at: MODELS.robustness(
        name, BETA, at=at, over={"selection_odds": [1, 2]}
    ),
    "score": lambda name, at: pu_accessor.sklearn.scorer(name, beta=BETA, at=at, unlabeled=0),
    "tables": lambda name, at: TABLES.pu.metric(name),
}


def ask(entry: Metric, pu: Any, **how: Any) -> pd.DataFrame:
    """Ask for a metric, at a cutoff where it needs one."""
    at = {"threshold": 0.5} if entry.of_probabilities else AT
    how = {"at": at, **how} if entry.needs_cutoff else how
    found: pd.DataFrame = put(pu, "metric", entry, BETA, **how)
    return found


THESE = {"target": "examples"}


WEIGHED = ROWS.assign(e=np.where(ROWS["score"] > 0.6, 0.9, 0.4)).pu(propensity="e")
BY_ARGUMENT: dict[str, Callable[[Metric], Any]] = {
    "average": lambda entry: ask(entry, ROWS.pu(by="site", average=True)),
    "examples": lambda entry: ask(entry, PU, **THESE),
    "population": lambda entry: ask(
        entry,
        PU,
        target="population",
        **({"at": {"threshold": 0.5}} if entry.needs_cutoff else {}),
    ),
    "propensity": lambda entry: ask(entry, WEIGHED, **THESE),
    "selection_odds": lambda entry: ask(entry, PU, selection_odds=1.5, **THESE),
}


REFUSED = {
    *(("bedroc", "propensity"), ("bedroc", "selection_odds"), ("boyce", "selection_odds")),
    *(("boyce", "average"), ("jaccard", "average"), ("bpref", "propensity")),
    *(("bpref", "selection_odds"), ("ndcg", "propensity"), ("ndcg", "selection_odds")),
    *((name, "population") for name in ("ndcg", "reciprocal_rank", "r_precision")),
}


def test_every_metric_and_purpose_is_there() -> None:
    assert {*PURPOSES} == {*BY_NAME, "average"}


@pytest.mark.parametrize("purpose", BY_NAME)
@pytest.mark.parametrize("name", METRICS)
def test_what_can_be_asked_by_name_is_answered(name: str, purpose: str) -> None:
    entry = METRICS[name]
    at: Any = AT if entry.needs_cutoff else None
    at = {"threshold": 0.5} if entry.of_probabilities else at
    if purpose in entry.purposes:
        assert BY_NAME[purpose](name, at) is not None
    else:
        with pytest.raises(PUValueError, match="metric must be ") as told:
            BY_NAME[purpose](name, at)
        assert repr(name) in str(told.value) and len(str(told.value)) <= 300
    plt.close("all")


@pytest.mark.parametrize("how", BY_ARGUMENT)
@pytest.mark.parametrize("name", [name for name in METRICS if name != "difference"])
def test_what_can_be_said_of_a_metric_is(name: str, how: str) -> None:
    entry = METRICS[name]
    if (name, how) not in REFUSED:
        assert np.isfinite(BY_ARGUMENT[how](entry)["estimate"]).all()
    else:
        with pytest.raises(PUError):
            BY_ARGUMENT[how](entry)
