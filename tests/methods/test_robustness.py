"""Breaking points: a conclusion breaks where its interval does."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.cases import binormal, put

FRAME, BETA, TRUTH = binormal(200, 800, 0.25, seed=3)  # a quarter of the positives is known
FRAME["better"] = FRAME["score"] + 0.4 * TRUTH
FRAME["worse"] = FRAME["score"] + 0.6 * np.random.default_rng(5).normal(size=TRUTH.size)
MODELS = ["better", "worse"]
PU: Any = FRAME.pu(score="better")
OVER = {"selection_odds": 1}
THESE: dict[str, Any] = {"at": 60, "target": "examples"}
QUESTIONS: list[Any] = [("auroc", 0.65, {}), ("average_precision", 0.3, {})]
QUESTIONS += [("precision", 0.3, THESE), ("difference", 0.0, {})]


@pytest.mark.parametrize(("quantity", "above", "how"), QUESTIONS)
@pytest.mark.parametrize("assumption", ["selection_odds", "contamination"])
def test_where_conclusions_break(quantity: str, above: float, how: Any, assumption: str) -> None:
    paired = quantity == "difference"
    pu, limit = (FRAME.pu(score=MODELS), {}) if paired else (PU, {"above": above})
    ask = partial(put, pu, *(("compare", "auroc") if paired else ("metric", quantity)), **how)
    ends = [1.5, 1] if assumption == "selection_odds" else [0.1, 0]
    found = pu.robustness(quantity, BETA, **limit, **how, over={assumption: ends})
    assert found[assumption].tolist() == ends[::-1]
    point = found["breaking_point"].iloc[0]
    tries: list[tuple[float, bool]] = [(point, True), (point * 1.002, False)]
    if assumption == "contamination":  # of 50 known positives
        tries = [((round(point * 50) + one) / 50, one < 0) for one in (-0.9, 0.1)]
    assert min(ends) < point < (np.inf if assumption == "selection_odds" else 0.5)
    for assumed, holds in tries:
        row = ask(beta=BETA, **{assumption: assumed}).iloc[0]
        assert (row["lower"] > above) == holds == (row.get("p_value", 1 - holds) < 0.05)


CERTAIN: list[Any] = [("auroc", {}, BETA, 0.95, 1), ("auroc", {}, BETA, -1, np.inf)]
CERTAIN += [("precision", THESE, BETA, 2, 0), ("precision", THESE, BETA, -2, np.inf)]
CERTAIN += [("auroc", {}, 0, 0.2, np.inf)]


@pytest.mark.parametrize(("name", "how", "beta", "above", "point"), CERTAIN)
def test_certain_conclusions(name: str, how: Any, beta: float, above: float, point: float) -> None:
    over = {"contamination": 0} if how else OVER  # it goes through all shares
    found = FRAME.pu.robustness(name, beta, above=above, over=over, **how)
    assert found["breaking_point"].tolist() == [point]


def test_each_beta_has_a_point_and_an_interval_that_of_its_first() -> None:
    betas: list[Any] = [[0.05, 0.2], pd.Interval(0.05, 0.2)]
    each, one = (FRAME.pu.robustness("auroc", b, over=OVER)["breaking_point"] for b in betas)
    assert len(each) == 2 and one.item() <= each.min() * 1.002


def test_models_in_rows_are_paired_by_a_column_and_may_be_turned() -> None:
    rows = FRAME.assign(id=range(len(FRAME))).drop(columns="score")
    long = rows.melt(["id", "label"], MODELS, "model", "score").pu(by="model")
    asked: dict[str, Any] = {"metric": "difference", "beta": BETA, "over": OVER}
    found, turned = (FRAME.pu(score=MODELS[::way]).robustness(**asked) for way in (1, -1))
    pd.testing.assert_frame_equal(long.robustness(**asked, on="id"), found)
    points = [each["breaking_point"].item() for each in (found, turned)]
    assert points[0] == pytest.approx(points[1], rel=2e-3)
