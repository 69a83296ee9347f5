"""Pictures of weighted bands."""

import numpy as np
import pytest

from tests.arguments.test_propensity import FRAME
from tests.cases import legend


@pytest.mark.parametrize("plot", ["plot_roc", "plot_pr", "plot_metric", "plot_rank_cdf"])
def test_pictures_take_them(plot: str) -> None:
    name = ("f1",) if plot == "plot_metric" else ()
    drawings = [
        getattr(frame.pu(propensity="propensity"), plot)(*name, beta=0.3)
        for frame in (FRAME, FRAME.assign(propensity=0.5))
    ]
    lines = [
        np.asarray(next(one for one in ax.lines if one.get_label() == "β̂ = 0.3").get_xydata())
        for ax in drawings
    ]
    assert lines[0].shape != lines[1].shape or not np.allclose(lines[0], lines[1])
    texts = legend(drawings[0])
    assert any("95% weighted band" in text for text in texts)
