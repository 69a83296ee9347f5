"""Pictures of weighted bands."""

import numpy as np
import pytest

from tests.arguments.test_propensity import FRAME
from tests.cases import legend
from tests.plots.test_curves import lines


@pytest.mark.parametrize("plot", ["plot_roc", "plot_pr", "plot_metric", "plot_rank_cdf"])
def test_pictures_take_them(plot: str) -> None:
    name = ("f1",) if plot == "plot_metric" else ()
    frames = FRAME, FRAME.assign(propensity=0.5)
    drawn = [getattr(rows.pu(propensity="propensity"), plot)(*name, beta=0.3) for rows in frames]
    one, other = (np.asarray(lines(ax)["β̂ = 0.3"].get_xydata()) for ax in drawn)
    assert one.shape != other.shape or not np.allclose(one, other)
    assert any("95% weighted band" in text for text in legend(drawn[0]))
