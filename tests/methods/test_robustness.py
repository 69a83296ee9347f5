"""Odds of selection at which a conclusion breaks."""

import numpy as np
import pandas as pd
import pytest

from pu_accessor import PUValueError
from tests.cases import binormal


def draw(seed: int = 3) -> tuple[pd.DataFrame, float]:
    """Draw scores of two models, with a quarter of the positives known."""
    frame, beta, truth = binormal(200, 800, 0.25, seed)
    noise = np.random.default_rng(seed).normal(size=truth.size)
    return frame.assign(better=frame["score"] + 0.8 * truth, worse=frame["score"] + noise), beta


FRAME, BETA = draw()

MODELS = ["better", "worse"]


def test_a_conclusion_breaks_where_its_interval_does() -> None:
    pu = FRAME.pu(score=MODELS)
    for quantity, keywords, asked in (
        ("auroc", {"above": 0.6}, {}),
        ("average_precision", {"above": 0.3}, {}),
        ("precision", {"above": 0.3, "at": 60}, {"at": 60}),
    ):
        broken = pu.robustness(quantity, BETA, **keywords, selection_odds=1).set_index("model")
        point = broken.loc["better", "breaking_point"]
        assert 1 < point < np.inf
        ask = getattr(pu, quantity, None)
        for odds, holds in ((point, True), (point * 1.002, False)):
            found = (
                ask(BETA, selection_odds=odds)
                if ask
                else pu.metric(quantity, BETA, selection_odds=odds, **asked)
            )
            assert (found.set_index("model").loc["better", "lower"] > keywords["above"]) == holds


def test_an_order_breaks_where_its_interval_does() -> None:
    pu = FRAME.pu(score=MODELS)
    broken = pu.robustness("difference", [BETA, BETA / 2], selection_odds=1)
    assert broken["beta"].tolist() == [BETA, BETA / 2]
    point = broken["breaking_point"][0]
    assert 1 < point < np.inf
    assert pu.compare(BETA, selection_odds=point)["lower"].item() > 0
    assert pu.compare(BETA, selection_odds=point * 1.002)["lower"].item() <= 0
    turned = FRAME.pu(score=MODELS[::-1]).robustness("difference", BETA, selection_odds=1)
    assert turned["breaking_point"].item() == pytest.approx(point, rel=2e-3)


def test_models_in_rows_are_paired_by_a_column() -> None:
    rows = FRAME.assign(id=range(len(FRAME))).drop(columns="score")
    long = rows.melt(["id", "label"], MODELS, "model", "score").pu(by="model")
    wide = FRAME.pu(score=MODELS)
    found = long.robustness("difference", BETA, on="id", selection_odds=1)
    pd.testing.assert_frame_equal(found, wide.robustness("difference", BETA, selection_odds=1))
    drawn = [
        pu.plot_robustness("difference", BETA, selection_odds=[1, 2], **on).lines[0]
        for pu, on in ((long, {"on": "id"}), (wide, {}))
    ]
    np.testing.assert_array_equal(*(line.get_xydata() for line in drawn))


@pytest.mark.parametrize(
    ("beta", "above", "point"), [(BETA, 0.95, 1), (BETA, -1, np.inf), (0.0, 0.2, np.inf)]
)
def test_conclusions_that_never_hold_and_that_always_do(
    beta: float, above: float, point: float
) -> None:
    found = FRAME.pu.robustness("auroc", beta, above=above, selection_odds=1)
    assert found["breaking_point"].item() == point


def test_what_robustness_cannot_be_asked() -> None:
    pu = FRAME.pu(score=MODELS)
    for arguments, keywords, told in (
        (("aurocc", BETA), {}, r"quantity must be one of .*Did you mean 'auroc'"),
        (("f1", BETA), {}, "at must say the one cutoff of 'f1'"),
        (("auroc", BETA), {"at": 3}, "at must be left out with 'auroc'"),
        (("auroc", BETA), {"band": "simultaneous"}, "band and reference must be left out"),
        (("f1", BETA), {"at": 3, "band": "dkw"}, "band must be 'exact' or 'simultaneous'"),
        (("f1", BETA), {"at": 3, "target": "population"}, "target must be 'examples' with a met"),
        (("difference", BETA), {"above": 0.1}, "above must be left out with 'difference'"),
        (("auroc", BETA), {"on": "id"}, "on must be left out with 'auroc', but 'id' was passed"),
    ):
        with pytest.raises(PUValueError, match=told):
            pu.robustness(*arguments, **keywords, selection_odds=1)
    with pytest.raises(PUValueError, match="max_fpr must be None with selection_odds=2"):
        FRAME.pu.auroc(BETA, max_fpr=0.1, target="examples", selection_odds=2)
    for odds in ([2], [1, np.inf]):
        with pytest.raises(PUValueError, match="selection_odds must hold two or more finite"):
            pu.plot_robustness("auroc", BETA, selection_odds=odds)
    with pytest.raises(PUValueError, match="plot_robustness needs the same betas"):
        pu.plot_robustness("auroc", {"better": 0.1, "worse": 0.2})
    with pytest.raises(PUValueError, match="two or more models"):
        FRAME.pu(score=["better"]).robustness("difference", BETA, selection_odds=1)
