"""Reliability diagrams: what is drawn is what the numbers say."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from pu_accessor import PUValueError
from tests.cases import legend
from tests.methods.test_plot_metric import FRAME, MODELS, line


def test_reliability_diagrams_draw_bins() -> None:
    gap = FRAME[(FRAME["score"] < 0.4) | (FRAME["score"] > 0.6)]
    ax = gap.pu.plot_calibration(0.2, bins=5, band="simultaneous")
    found = gap.pu.calibration(0.2, bins=5, band="simultaneous").dropna()
    wanted = found[["mean_score", "estimate"]].to_numpy()
    np.testing.assert_allclose(line(ax, "β̂ = 0.2"), wanted)
    assert len(found) == len(ax.patches) == 4  # the bin between is empty
    for (_, row), bar in zip(found.iterrows(), ax.patches, strict=True):
        box = bar.get_extents().transformed(ax.transData.inverted())
        np.testing.assert_allclose([box.y0, box.y1], [row["lower"], row["upper"]])
        np.testing.assert_allclose([box.x0, box.x1], row["mean_score"] + np.array([-6, 6]) / 1000)
    dots = next(one for one in ax.lines if one.get_label() == "β̂ = 0.2")
    assert (dots.get_linestyle(), dots.get_marker()) == ("None", "o")
    assert legend(ax)[1:] == ["95% simultaneous band,\nthese examples", "calibrated"]
    ax = MODELS.pu(by="m").plot_calibration(0.2, baseline=True, line_kws={"marker": "s"})
    assert {one.get_marker() for one in ax.lines} >= {"s"}
    with pytest.raises(PUValueError, match="two or more increasing bins"):
        FRAME.pu.plot_calibration(0.2, bins=1)


def test_bins_without_known_positives_are_hollow() -> None:
    ax = FRAME.pu.plot_calibration(0.2, bins=20)
    found = FRAME.pu.calibration(0.2, bins=20).dropna()
    unknown = found[found["known_positive"] == 0]
    assert 0 < len(unknown) < len(found)
    (hollow,) = (one for one in ax.lines if one.get_label() == "no known positive")
    np.testing.assert_allclose(hollow.get_xydata(), unknown[["mean_score", "estimate"]])
    assert to_rgb(hollow.get_markerfacecolor()) == to_rgb(ax.get_facecolor())
    filled = FRAME.pu.plot_calibration(0.2, bins=[0, 0.5, 1])
    assert "no known positive" not in legend(filled)


def test_curves_stand_side_by_side() -> None:
    ax = FRAME.pu.plot_calibration([0.1, 0.2], bins=4)
    mean = FRAME.pu.calibration(0.1, bins=4)["mean_score"]
    for beta, shift in ((0.1, -0.008), (0.2, 0.008)):
        np.testing.assert_allclose(line(ax, f"β̂ = {beta}")[:, 0], mean + shift)
    assert len(ax.patches) == 8
