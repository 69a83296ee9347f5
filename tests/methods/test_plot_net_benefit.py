"""Decision curves: what is drawn is what the numbers say."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from pu_accessor import PUValueError
from tests.cases import binormal, legend

FRAME, BETA, TRUTH = binormal(100, 300, 0.4, seed=3)

FRAME["score"] = 1 / (1 + np.exp(-(FRAME["score"] - 1)))

MODELS = pd.concat([FRAME.assign(m="a"), FRAME.assign(m="b", score=FRAME["score"].round(1))])


def line(ax: Axes, label: str) -> Any:
    """Return the corners of the line of a label."""
    (found,) = (one for one in ax.lines if one.get_label() == label)
    return np.asarray(found.get_xydata())


def test_decision_curves_draw_net_benefit() -> None:
    ax = FRAME.pu.plot_metric("net_benefit", 0.15, x="threshold", band="simultaneous")
    found = FRAME.pu.metric("net_benefit", 0.15, band="simultaneous", target="examples")
    x = found["threshold"].to_numpy()
    np.testing.assert_allclose(line(ax, "β̂ = 0.15").T, [x, found["estimate"]])
    np.testing.assert_allclose(line(ax, "treat all").T, [x, found["treat_all"]])
    assert line(ax, "treat none").tolist() == [[0.01, 0], [0.99, 0]]
    (band,) = ax.patches
    corners = band.get_xy()
    np.testing.assert_allclose(corners[: x.size].T, [x, found["upper"]])
    np.testing.assert_allclose(corners[x.size : 2 * x.size].T, [x[::-1], found["lower"][::-1]])
    assert legend(ax)[1:] == ["95% simultaneous band,\nthese examples", "treat all", "treat none"]
    top = found[["upper", "treat_all"]].to_numpy().max()
    assert ax.get_ylim() == pytest.approx((-0.2 * top, 1.05 * top))


def test_decision_curves_of_models_and_betas() -> None:
    ax = MODELS.pu(by="m").plot_metric("net_benefit", 0.15, x="threshold", baseline=True)
    assert legend(ax)[:2] == ["a", "b"] and "treat all" in legend(ax)
    assert sum(one.get_label() == "treat all" for one in ax.lines) == 1
    ax = FRAME.pu.plot_metric("net_benefit", [0.1, 0.2], x="threshold")
    assert sum(one.get_label() == "treat all" for one in ax.lines) == 2
    grid = MODELS.pu(by="m").plot_metric(
        "net_benefit", {"a": 0.1, "b": 0.2}, x="threshold", at={"threshold": [0.1, 0.3]}, col="m"
    )
    assert grid.axes.size == 2
    with pytest.raises(PUValueError, match="two or more increasing thresholds"):
        FRAME.pu.plot_metric("net_benefit", 0.2, x="threshold", at={"threshold": 0.5})
