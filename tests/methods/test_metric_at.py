"""Which cutoff `df.pu.metric` reports; test_metric.py holds its numbers against an oracle."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from tests.cases import binormal, estimates_of
from tests.support.oracles import oracle

FRAME, BETA, TRUTH = binormal(200, 600, 0.3, seed=5)


def values_of(name: str, tables: list[oracle.Table]) -> np.ndarray:
    """Return a metric at all cutoffs."""
    return np.array([oracle.metric(name, table) for table in tables])


def metric(name: Any, beta: Any = 0.2, frame: pd.DataFrame = FRAME, **options: Any) -> pd.Series:
    answer: pd.DataFrame = frame.pu.metric(name, beta, target="examples", **options)
    assert len(answer) == 1
    return answer.iloc[0]


@pytest.mark.parametrize("decimals", [6, 0])
@pytest.mark.parametrize("goal", ["fpr", "recall", "precision"])
def test_each_rate_and_what_is_next_to_it_finds_its_cutoff(goal: str, decimals: int) -> None:
    # 49 positives and 49 negatives by the estimate.
    label = np.repeat([1.0, 0.0, np.nan], [7, 7, 84])
    score = np.random.default_rng(8).normal(label == 1, 1.0).round(decimals)
    frame = pd.DataFrame({"score": score, "label": label})
    tables, place = estimates_of(frame, 0.5), 0 if goal == "recall" else -1
    rates, rank = values_of(goal, tables), [table.rank for table in tables]
    there = np.unique(rates[np.isfinite(rates)])
    there = there[:: there.size // 30 + 1]
    values = np.unique(np.concatenate([there - 1e-9, there + 1e-9]))
    values = values[(values >= 0) & (values <= np.nanmax(rates))]
    with np.errstate(invalid="ignore"):
        met = [np.flatnonzero(rates <= v if goal == "fpr" else rates >= v) for v in values]
    how: dict[str, Any] = {"target": "examples"}
    ask = frame.pu(negative=0).metric
    found = ask("lift", 0.5, at={goal: values.tolist()}, **how)
    assert found["rank"].tolist() == [rank[some[place]] for some in met]
    # What is reported there, to the last digit, finds it, too: by no more or no fewer examples.
    told = ask(goal, 0.5, at={"rank": rank[1:]}, band="simultaneous", **how)["estimate"]
    told = told.drop_duplicates(keep="last" if place else "first")
    if goal == "precision":  # of the last with as much
        told = told[told == told[::-1].cummax()[::-1]]
    again = ask(goal, 0.5, at={goal: told.tolist()}, **how)
    assert len(told) > 1 and again["estimate"].tolist() == told.tolist()


def test_an_empty_prediction_has_no_precision() -> None:
    for at in (0, {"threshold": 99}, {"fraction": 0}):
        got = metric("precision", 0.2, at=at)
        assert (got["rank"], got["threshold"]) == (0, np.inf)
        assert got[["estimate", "lower", "upper"]].isna().all()


@pytest.mark.parametrize("known", [7, 16])
def test_a_precision_that_floats_divide_askew_finds_its_rank(known: int) -> None:
    # 7/25 goes 24.999... times into 7 in floats, and what is next to 16/33 33 times into 16.
    ranks, label = np.arange(known, 56), np.where(np.arange(55) < known, 1.0, np.nan)
    pu = pd.DataFrame({"score": -np.arange(55), "label": label}).pu
    exact = known / ranks  # nothing is hidden
    for values, wanted in ((exact, ranks), (np.nextafter(exact, 2)[1:], ranks[:-1])):
        found = pu.metric("lift", 0, at={"precision": values.tolist()}, target="examples")
        assert found["rank"].tolist() == wanted.tolist()


@pytest.mark.parametrize("positives", [25, 41])
def test_a_recall_that_floats_multiply_askew_finds_its_rank(positives: int) -> None:
    # 7/25*25 is more than 7 in floats.
    label, beta = [*[None] * 3, 1, *[None] * 90], (positives - 1) / 93
    pu = pd.DataFrame({"score": -np.arange(94), "label": label}).pu
    tables = pu.contingency(beta, ranks="all").isel(beta=0).sel(bound="estimate")
    tpr = tables.pu.metric("tpr").to_numpy()
    values = np.arange(1, positives + 1) / positives
    found = pu.metric("lift", beta, at={"recall": values.tolist()}, target="examples")
    assert found["rank"].tolist() == [int(np.flatnonzero(tpr >= value)[0]) for value in values]


@pytest.mark.parametrize("name", ["precision", "accuracy", "fpr", "tnr"])
def test_a_best_cutoff_predicts_something(name: str) -> None:
    values, got = values_of(name, estimates_of(FRAME, 0.2))[1:], metric(name, 0.2, at="maximum")
    assert got["rank"] == 1 + values.argmax()
    assert got["estimate"] == pytest.approx(values.max()) and values.max() > 0
    assert metric(name, 0.2, FRAME.assign(score=1.0), at="maximum")["rank"] == len(FRAME)


@pytest.mark.parametrize("kind", ["fpr", "recall", "precision"])
def test_a_rate_is_found_within_a_gap_of_many_rows(kind: str) -> None:
    label, start = np.full(300_000, np.nan), 0 if kind == "recall" else 100_000
    label[[0, 1, 50_000, 100_000, 100_001] if start else [0, 150_000, 150_001]] = 1
    pu = pd.DataFrame({"score": -np.arange(label.size), "label": label}).pu
    first, last = (start + 9_000, start + 149_995) if start else (40_000, 80_000)  # uncut
    ranks = np.array([first, *range(start + 70_000, start + 70_004), *range(last, last + 5)])
    rates = pu.metric(kind, 0.3, at={"rank": ranks})["estimate"].tolist()
    assert [pu.metric(kind, 0.3, at={kind: r})["rank"].item() for r in rates] == ranks.tolist()


@pytest.mark.parametrize("at", [{"rank": [20, 60]}, {"threshold": np.array([0.5, 1.5])}])
@pytest.mark.parametrize("beta", [0.2, [0.2, 0.1], pd.Interval(0.1, 0.2)], ids=str)
def test_several_are_each_of_them(at: Any, beta: Any) -> None:
    ((kind, values),) = at.items()
    names = ["precision", pu_accessor.fbeta(2)]
    found = FRAME.pu.metric(names, beta, at=at)
    parts = [FRAME.pu.metric(name, beta, at={kind: one}) for name, one in product(names, values)]
    wanted = pd.concat(parts).sort_values("beta", kind="stable", ascending=False)
    pd.testing.assert_frame_equal(found, wanted[[*found.columns]].reset_index(drop=True))
    assert found["metric"].unique().tolist() == ["precision", "f2"]
    assert [*found.columns][:4] == ["metric", "at", "beta", "rank"]
