"""Reliability diagrams: what is drawn is what the numbers say."""

import numpy as np
import pytest

from pu_accessor import PUValueError
from tests.methods.test_plot_net_benefit import FRAME, MODELS, legend, line


def test_reliability_diagrams_draw_bins() -> None:
    gap = FRAME[(FRAME["score"] < 0.4) | (FRAME["score"] > 0.6)]
    ax = gap.pu.plot_calibration(0.2, bins=5, band="simultaneous")
    found = gap.pu.calibration(0.2, bins=5, band="simultaneous").dropna()
    wanted = found[["mean_score", "estimate"]].to_numpy()
    np.testing.assert_allclose(line(ax, "β̂ = 0.2"), wanted)
    assert len(found) == 4 and len(ax.patches) == 2  # the bin between is empty
    corners = np.concatenate([x.get_xy()[:-1] for x in ax.patches])
    for _, row in found.iterrows():
        for x in (row["left"], row["right"]):
            for y in (row["lower"], row["upper"]):
                assert (np.abs(corners - [x, y]).sum(axis=1) < 1e-12).any()
    assert legend(ax)[1:] == ["95% simultaneous band,\nthese examples", "calibrated"]
    ax = MODELS.pu(by="m").plot_calibration(0.2, baseline=True, line_kws={"marker": "s"})
    assert {one.get_marker() for one in ax.lines} >= {"s"}
    ax = FRAME.pu.plot_calibration([0.1, 0.2], bins=3, beta_interval=(0.1, 0.2))
    assert [text for text in legend(ax) if text.startswith("envelope")]
    with pytest.raises(PUValueError, match="two or more increasing bins"):
        FRAME.pu.plot_calibration(0.2, bins=1)
