"""Metrics at a point of the true curve: by brute force, against the truth, and where it is odd."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pu_accessor import PUDataError, PUTypeError
from tests.cases import ORACLES, Case, as_frame, binormal, draw_case
from tests.support.oracles import oracle, point_oracle

FRAME, BETA, TRUTH = binormal(200, 600, 0.3, seed=5)
GOALS: list[dict[str, float]] = [
    {kind: goal} for kind in ("recall", "fpr", "precision") for goal in (0, 0.07, 0.4, 0.95, 1)
]
NAMES = ["precision", "recall", "fpr", "f1", "mcc", "npv"]


@pytest.mark.parametrize("band", ["exact", "dkw"])
@pytest.mark.parametrize("seed", range(6))
def test_limits_are_those_of_all_tables_that_the_goal_allows(seed: int, band: str) -> None:
    score, label, beta = draw_case(seed)
    score, label = [*score, 0.5, -0.25], [*label, False, None]
    tables = oracle.tables(score, label, beta, 0.95, ORACLES[band])
    pu = as_frame(Case(score, label, beta)).pu
    for goal in GOALS:
        ((kind, value),) = goal.items()
        if kind == "precision" and band == "exact":
            continue  # of which a part of the error goes to all cutoffs
        points = point_oracle.possible_points(kind, value, score, label, tables)
        asked: Any = {"at": goal, "target": "examples", "band": band}
        if not points:
            with pytest.raises(PUDataError, match="No cutoff has a precision of"):
                pu.metric("recall", beta, **asked)
            continue
        found = pu.metric(NAMES, beta, **asked).set_index("metric")
        ranks = [*(point.rank for point in points), found["rank"].iloc[0]]
        assert (found["rank_lower"] == min(ranks)).all() and (
            found["rank_upper"] == max(ranks)
        ).all()
        for name, row in found.iterrows():
            values = [oracle.metric(str(name), point) for point in points] + [row["estimate"]]
            values = [one for one in values if not math.isnan(one)] or [math.nan]
            wanted = pytest.approx([min(values), max(values)], nan_ok=True, abs=1e-9)
            assert row[["lower", "upper"]].tolist() == wanted, (goal, name)


def truth_at(score: np.ndarray, truth: np.ndarray, goal: dict[str, float]) -> dict[str, float]:
    """Return rank and metrics at the point of the curve of true labels."""
    ((kind, value),) = goal.items()
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)
    tp = np.append(0, np.cumsum(truth[order])[last])
    rank = np.append(0, 1 + np.flatnonzero(last))
    positives, negatives = float(truth.sum()), float((~truth).sum())
    met = tp >= value * positives if kind == "recall" else rank - tp <= value * negatives
    place = met.argmax() if kind == "recall" else np.flatnonzero(met)[-1]
    found, head = float(tp[place]), float(rank[place])
    return {
        "rank": head,
        "precision": found / head,
        "recall": found / positives,
        "fpr": (head - found) / negatives,
        "work_saved": 1 - head / truth.size,
    }


def work_saved(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (fn + tn) / (tp + fp + fn + tn)


@pytest.mark.parametrize("decimals", [9, 0])
@pytest.mark.parametrize("target", ["examples", "population"])
def test_limits_hold_the_point_of_the_true_curve(target: str, decimals: int) -> None:
    rng, covered = np.random.default_rng(20261127), []
    truth = rng.random(200_000) < 0.3
    score, these = rng.normal(1.5 * truth).round(decimals), target == "examples"
    for _ in range(20):
        chosen = rng.integers(0, truth.size, 600)
        known = rng.choice(np.flatnonzero(truth[chosen]), 50, replace=False)
        label = np.where(np.isin(np.arange(600), known), 1, np.nan)
        pu = pd.DataFrame({"score": score[chosen], "label": label}).pu
        beta = (truth[chosen].sum() - 50) / 550
        for goal, name in (({"recall": 0.8}, "fpr"), ({"fpr": 0.1}, "recall")):
            names: list[Any] = ["precision", name, work_saved] if these else [name]
            rows = pu.metric(names, beta, at=goal, target=target).set_index("metric")
            about = chosen if these else slice(None)
            true = pd.Series(truth_at(score[about], truth[about], goal))
            wanted = true[rows.index]
            covered += (
                (rows["lower"] - 1e-3 <= wanted) & (wanted <= rows["upper"] + 1e-3)
            ).tolist()
            if these:
                covered += (true["rank"] - rows["rank_lower"] >= 0).tolist()
                covered += (rows["rank_upper"] - true["rank"] >= 0).tolist()
    assert np.mean(covered) >= 0.9


def test_everything_labeled_is_the_curve_itself() -> None:
    score = FRAME["score"].to_numpy()
    pu = FRAME.assign(label=TRUTH).pu(negative=False)
    for goal in ({"recall": 0.8}, {"fpr": 0.1}):
        true = truth_at(score, np.asarray(TRUTH, bool), goal)
        found = pu.metric(["precision", "recall", "fpr"], 0, at=goal, target="examples")
        wanted = [true[name] for name in found["metric"]]
        for end in ("estimate", "lower", "upper"):
            assert found[end].tolist() == pytest.approx(wanted)
        assert {*found[["rank", "rank_lower", "rank_upper"]].to_numpy().ravel()} == {true["rank"]}


@pytest.mark.parametrize("target", ["examples", "population"])
def test_the_limits_hold_the_estimate_and_ranks_are_whole(target: str) -> None:
    one = FRAME.assign(label=np.where(np.arange(len(FRAME)) == FRAME["label"].idxmax(), 1, np.nan))
    for frame, beta in ((FRAME, [BETA, 0.3]), (FRAME.round(0), BETA), (one, 0.1)):
        for goal in GOALS[:12:2]:  # beyond, no cutoff may have a precision
            found = frame.pu.metric(NAMES, beta, at=goal, target=target)
            there = found.dropna(subset=["estimate"])
            assert (there["lower"] <= there["estimate"]).all()
            assert (there["estimate"] <= there["upper"]).all()
            assert (found["rank_lower"] <= found["rank"]).all()
            assert (found["rank"] <= found["rank_upper"]).all()
            assert (found.dtypes[["rank", "rank_lower", "rank_upper"]] == np.int64).all()


def test_an_interval_of_beta_holds_what_each_beta_gives() -> None:
    ask: Any = {"at": {"recall": 0.8}, "target": "examples"}
    wide = FRAME.pu.metric("precision", pd.Interval(0.15, 0.25), **ask).iloc[0]
    each = FRAME.pu.metric("precision", [0.15, 0.18, 0.2, 0.25], **ask)
    assert wide["lower"] <= each["lower"].min() and wide["upper"] >= each["upper"].max()
    assert wide["rank_lower"] <= each["rank_lower"].min()
    assert wide["rank_upper"] >= each["rank_upper"].max()


def test_recall_at_a_threshold_needs_no_beta() -> None:
    found = FRAME.pu.metric(["recall", "fnr"], at={"threshold": 0.5})
    assert "beta" not in found
    known = FRAME.loc[FRAME["label"] == 1, "score"]
    above, n, z2 = int((known >= 0.5).sum()), known.size, 1.959963984540054**2
    half = math.sqrt(z2 * (above * (n - above) / n + z2 / 4)) / (n + z2)
    middle = (above + z2 / 2) / (n + z2)
    wanted = [[above / n, middle - half, middle + half]]
    wanted += [[1 - above / n, 1 - middle - half, 1 - middle + half]]
    np.testing.assert_allclose(found[["estimate", "lower", "upper"]], wanted)
    with pytest.raises(PUTypeError, match="beta must be passed for 'recall'"):
        FRAME.pu.metric("recall", at={"threshold": 0.5}, target="examples")
