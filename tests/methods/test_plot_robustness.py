"""Pictures of robustness, read back from their artists."""

import numpy as np
import pytest

from tests.cases import legend, legend_of
from tests.methods.test_robustness import BETA, FRAME, MODELS


def test_models_come_as_they_were_named_and_ticks_stand_apart() -> None:
    models = FRAME.rename(columns={"better": "model 10", "worse": "model 2"})
    pu = models.pu(score=["model 2", "model 10"])
    ax = pu.plot_robustness("auroc", BETA, selection_odds=[1, 1.25, 1.5123, 2, 5])
    texts = legend(ax)
    assert [text for text in texts if text.startswith("model")] == ["model 2", "model 10"]
    assert ax.get_xticks().tolist() == [1, 1.5123, 2, 5] and not ax.get_xticks(minor=True).size
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "1.51", "2", "5"]


def test_a_picture_of_robustness() -> None:
    ax = FRAME.pu.plot_robustness("auroc", BETA, selection_odds=[3, 1, 2], above=0.6)
    curve = next(line for line in ax.lines if line.get_gid() == "pu_accessor curve")
    assert curve.get_xdata().tolist() == [1, 2, 3]
    interval, spread = (patch.get_xy() for patch in ax.patches)
    found = FRAME.pu.auroc(BETA, selection_odds=3).iloc[0]
    for corners, kind in ((interval, ""), (spread, "range_")):
        names = [f"{kind}upper", f"{kind}lower"]
        np.testing.assert_allclose(corners[2:4], [[3, found[name]] for name in names])
    cross = next(line for line in ax.lines if line.get_gid() == "pu_accessor break")
    broken = FRAME.pu.robustness("auroc", BETA, above=0.6, selection_odds=1)
    np.testing.assert_allclose(cross.get_xydata(), [[broken["breaking_point"].item(), 0.6]])
    assert ax.get_xscale() == "log" and ax.get_ylabel() == "AUROC"
    told = {"95% interval", "range of the estimate", "conclusion breaks", "0.6"}
    assert told <= {*legend(ax)}


def test_pictures_of_models_and_metrics() -> None:
    pu = FRAME.pu(score=MODELS)
    three = FRAME.pu(score=["score", *MODELS])
    ax = three.plot_robustness("difference", BETA, selection_odds=[1, 1.5])
    assert ax.get_ylabel() == "difference in AUROC"
    pairs = {"score less better", "score less worse", "better less worse"}
    assert pairs <= {*legend(ax)}
    how = {"at": 50, "selection_odds": [1, 2], "col": "model"}
    grid = pu.plot_robustness("precision", [BETA, BETA / 2], **how)
    assert grid.axes.shape == (1, 2)
    assert "95% exact band,\nthese examples" in legend(grid)
    texts = legend(FRAME.pu.plot_roc(BETA, selection_odds=2))
    assert "95% exact band,\nodds within 2,\nthese examples" in texts


@pytest.mark.parametrize("models", [["score"], MODELS])
def test_swatches_differ_and_no_half_of_the_axis_is_empty(models: list[str]) -> None:
    pu = FRAME.pu(score=models)
    ax = pu.plot_robustness("auroc", BETA, selection_odds=[1, 1.2], above=0.05)
    handles = dict(zip(legend(ax), legend_of(ax).legend_handles, strict=True))
    inner, outer = handles["range of the estimate"], handles["95% interval"]
    assert inner.get_facecolor() != outer.get_facecolor()
    bands = np.concatenate([band.get_xy()[:, 1] for band in ax.patches])
    low, high = ax.get_ylim()
    assert bands.max() - bands.min() > 0.6 * (high - low)
    told = [(text.get_text(), getattr(text, "xycoords", None)) for text in ax.texts]
    assert told == [("above 0.05 throughout", "axes fraction")]
    near = pu.plot_robustness("auroc", BETA, selection_odds=[1, 1.2], above=bands.min() - 0.01)
    assert not near.texts and near.get_ylim()[0] < bands.min() - 0.01
