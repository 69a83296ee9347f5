"""Odds of selection at which a conclusion breaks."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.cases import binormal

FRAME, BETA, TRUTH = binormal(200, 800, 0.25, seed=3)  # a quarter of the positives is known
FRAME["better"] = FRAME["score"] + 0.8 * TRUTH
FRAME["worse"] = FRAME["score"] + np.random.default_rng(3).normal(size=TRUTH.size)


MODELS = ["better", "worse"]


@pytest.mark.parametrize(
    ("metric", "above", "at"),
    [
        ("auroc", 0.6, {}),
        ("average_precision", 0.3, {}),
        ("precision", 0.3, {"at": 60, "target": "examples"}),
    ],
)
def test_a_conclusion_breaks_where_its_interval_does(metric: str, above: float, at: Any) -> None:
    pu = FRAME.pu(score=MODELS)
    broken = pu.robustness(metric, BETA, above=above, **at, over={"selection_odds": 1})
    point = broken.set_index("model").loc["better", "breaking_point"]
    assert 1 < point < np.inf
    for odds, holds in ((point, True), (point * 1.002, False)):
        found = pu.assume(selection_odds=odds).metric(metric, BETA, **at).set_index("model")
        assert (found.loc["better", "lower"] > above) == holds


def test_an_order_breaks_where_its_interval_does() -> None:
    pu = FRAME.pu(score=MODELS)
    broken = pu.robustness("difference", [BETA, BETA / 2], over={"selection_odds": 1})
    assert broken["beta"].tolist() == [BETA, BETA / 2]
    point = broken["breaking_point"][0]
    assert 1 < point < np.inf
    assert pu.assume(selection_odds=point).compare("auroc", BETA)["lower"].item() > 0
    assert pu.assume(selection_odds=point * 1.002).compare("auroc", BETA)["lower"].item() <= 0
    turned = FRAME.pu(score=MODELS[::-1]).robustness(
        "difference", BETA, over={"selection_odds": 1}
    )
    assert turned["breaking_point"].item() == pytest.approx(point, rel=2e-3)


def test_models_in_rows_are_paired_by_a_column() -> None:
    rows = FRAME.assign(id=range(len(FRAME))).drop(columns="score")
    long = rows.melt(["id", "label"], MODELS, "model", "score").pu(by="model")
    wide = FRAME.pu(score=MODELS)
    found = long.robustness("difference", BETA, on="id", over={"selection_odds": 1})
    pd.testing.assert_frame_equal(
        found, wide.robustness("difference", BETA, over={"selection_odds": 1})
    )


@pytest.mark.parametrize(
    ("beta", "above", "point"), [(BETA, 0.95, 1), (BETA, -1, np.inf), (0.0, 0.2, np.inf)]
)
def test_conclusions_that_never_or_always_hold(beta: float, above: float, point: float) -> None:
    found = FRAME.pu.robustness("auroc", beta, above=above, over={"selection_odds": 1})
    assert found["breaking_point"].item() == point
