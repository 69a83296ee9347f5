"""Standard errors and intervals of clustered examples, against oracles that know nothing of them.

The package takes the larger of the variance by clusters and that of independent rows.
"""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pu_accessor.errors import PUDataError, PUWarning
from tests.support.oracles import cluster_oracle as oracle
from tests.support.oracles.cluster_oracle import Functional

BETA = 0.25
KINDS = ("plain", "ties", "known negatives", "unlike sizes", "one kind each", "strings", "by row")
AREAS = {"auroc": oracle.auroc_of, "average_precision": oracle.average_precision_of}


def frame(kind: str, seed: int, clusters: int = 40, size: int = 4) -> pd.DataFrame:
    """Draw rows of clusters: scores of one cluster correlate, and so do its labels."""
    rng = np.random.default_rng([seed, *kind.encode()])
    sizes = rng.geometric(1 / size, clusters) if kind == "unlike sizes" else size
    patient = np.repeat(np.arange(clusters), sizes)
    tendency, common = rng.random(clusters), 1.0
    if kind == "one kind each":
        tendency = np.round(tendency)
    if kind == "by row":  # all clusters are alike: the rows of each are held against each other
        tendency[:], common = 0.5, 3.0
    positive = rng.random(patient.size) < tendency[patient]
    noise = common * rng.normal(size=clusters)[patient] + rng.normal(size=patient.size)
    score = noise + 1.5 * positive
    asked = rng.random(clusters)[patient] if kind != "by row" else rng.random(patient.size)
    label = np.where(positive & (asked < 0.6), 1.0, np.nan)
    if kind == "known negatives":
        label[~positive & (rng.random(patient.size) < 0.3)] = 0
    score = np.round(score) if kind == "ties" else score
    rows = pd.DataFrame({"score": score, "label": label, "patient": patient})
    if kind == "strings":
        rows["patient"] = "p" + rows["patient"].astype(str)
    return rows.sample(frac=1, random_state=seed)


def read(rows: pd.DataFrame) -> tuple[list[float], list[bool | None], list[Any]]:
    """Return scores, labels and clusters as lists."""
    labels = [None if math.isnan(x) else x == 1 for x in rows["label"].tolist()]
    return rows["score"].tolist(), labels, rows["patient"].tolist()


def ask(rows: pd.DataFrame, quantity: str, **roles: Any) -> "pd.Series[Any]":
    """Return the package's answer on new examples, of clusters unless roles say otherwise."""
    roles = {"cluster": "patient"} | roles
    answer: pd.Series[Any] = getattr(rows.pu(**roles), quantity)(BETA).iloc[0]
    return answer


def width(answer: "pd.Series[Any]") -> float:
    return float(answer["upper"] - answer["lower"])


def expected_variance(functional: Functional, rows: pd.DataFrame) -> tuple[float, float]:
    """Return the variance by clusters, and that of independent rows of two samples."""
    _, labels, clusters = read(rows)
    slopes = oracle.contributions(functional, len(labels))
    known = np.array([label is True for label in labels])
    parts = slopes[known], slopes[~known]
    plain = sum(part.size / (part.size - 1) * float(part @ part) for part in parts)
    return oracle.variance(functional, labels, clusters), plain


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("quantity", AREAS)
def test_errors_are_sums_by_cluster(quantity: str, kind: str, seed: int) -> None:
    rows = frame(kind, seed)
    scores, labels, _ = read(rows)
    by_cluster, plain = expected_variance(AREAS[quantity](scores, labels, BETA), rows)
    error = ask(rows, quantity)["standard_error"]
    assert error == pytest.approx(max(by_cluster, plain) ** 0.5, rel=1e-6)
    alone = ask(rows, quantity, cluster=None)["standard_error"]
    assert alone == pytest.approx(plain**0.5, rel=1e-6)


@pytest.mark.parametrize(
    ("kind", "metrics"),
    [
        *(("plain", ["recall", "f1"]), ("unlike sizes", ["fpr", "f1"])),
        *(("one kind each", ["precision", "fpr"]), ("ties", ["recall", "accuracy"])),
    ],
)
def test_intervals_are_those_of_the_delta_method(kind: str, metrics: list[str]) -> None:
    rows = frame(kind, 3, clusters=500)
    scores, labels, clusters = read(rows)
    pu: Any = rows.pu(cluster="patient")
    found = pu.metric(metrics, BETA, at={"threshold": 1.0}, target="population")
    quantile = stats.t.ppf(0.975, oracle.holding(labels, clusters) - 1)
    for _, row in found.iterrows():
        of = oracle.metric_of(scores, labels, BETA, 1.0, oracle.METRICS[row["metric"]])
        by_cluster = oracle.variance(of, labels, clusters)
        assert row["estimate"] == pytest.approx(of(np.ones(len(rows))), abs=1e-3)
        assert width(row) == pytest.approx(2 * quantile * by_cluster**0.5, rel=0.04)


def test_two_known_clusters_have_an_interval_and_one_is_refused() -> None:
    rows = frame("one kind each", 4)
    holding = rows.loc[rows["label"] == 1, "patient"].unique()
    some = [rows["patient"].isin(holding[:kept]) for kept in (2, 1)]
    two, alone = (rows.assign(label=rows["label"].where(inside)) for inside in some)
    with pytest.warns(PUWarning, match=r"Fewer than 10 clusters .* \(2\)"):
        answer = ask(two, "auroc")
    assert answer["lower"] <= answer["estimate"] <= answer["upper"]
    with pytest.raises(PUDataError, match="in 2 clusters or more, but all"):
        ask(alone, "auroc")
