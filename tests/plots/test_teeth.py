"""Bands of ROC and PR plots have no teeth, contain the bounds, and add little area."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pu_accessor.plots import curves
from pu_accessor.plots.drawing import Curve
from tests.cases import binormal
from tests.plots.test_beta_interval import at_equal_x

STEPS = st.lists(st.tuples(st.integers(-3, 9), st.integers(-3, 9)), min_size=2, max_size=40)
RANKINGS = {
    "good": binormal(64, 500, 0.3, seed=1),
    "few": binormal(10, 100, 0.2, seed=2),
    "strong": binormal(100, 1_900, 0.15, seed=3),
}


def as_curve(lower: Any, upper: Any) -> Curve:
    return Curve({}, 0.3, upper, lower, upper, {})


def turns(values: Any) -> int:
    """Return how often an edge changes its direction."""
    signs = np.sign(np.diff(values))
    signs = signs[signs != 0]
    return int((np.diff(signs) != 0).sum())


def check_contained(old: Curve, new: Curve) -> None:
    """Check that vertices and middles of the old edges are inside the new ones."""
    for side, choose, sign in (("lower", min, 1), ("upper", max, -1)):
        x, y = getattr(old, side)
        x, y = np.append(x, (x[1:] + x[:-1]) / 2), np.append(y, (y[1:] + y[:-1]) / 2)
        edge = at_equal_x(x, getattr(new, side), choose)
        assert (sign * (y - np.array(edge)) >= -1e-9).all()


@given(STEPS)
def test_the_edges_of_a_roc_band_never_fall_and_contain_any_path(steps: list[Any]) -> None:
    path = tuple(np.cumsum(steps, axis=0).astype(float).T)
    old = as_curve(path, path)
    new = curves.without_teeth(old, "roc")
    for x, y in (new.lower, new.upper):
        assert (np.diff(x) >= 0).all() and (np.diff(y) >= 0).all()
    ends = {"lower": (path[0].max(), path[1].min()), "upper": (path[0].min(), path[1].max())}
    assert (new.lower[0][-1], new.lower[1][0]) == ends["lower"]
    assert (new.upper[0][0], new.upper[1][-1]) == ends["upper"]
    for side, x_sign, y_sign in (("lower", 1, -1), ("upper", -1, 1)):
        x, y = getattr(new, side)
        assert (x_sign * (x - path[0]) >= 0).all() and (y_sign * (y - path[1]) >= 0).all()


@given(STEPS)
def test_the_edges_of_a_pr_band_turn_once_and_contain_any_path(steps: list[Any]) -> None:
    along, heights = np.array(steps, dtype=float).T
    old = as_curve((np.cumsum(abs(along)), heights), (np.cumsum(abs(along)), heights))
    new = curves.without_teeth(old, "pr")
    assert turns(new.lower[1]) <= 1 and turns(new.upper[1]) <= 1
    assert (new.lower[1] <= heights).all() and (new.upper[1] >= heights).all()
    check_contained(old, new)


@pytest.mark.parametrize("plot", ["plot_roc", "plot_pr"])
@pytest.mark.parametrize("band", ["exact", "simultaneous", "bootstrap"])
@pytest.mark.parametrize("name", RANKINGS)
def test_bands_contain_the_bounds_and_add_little(
    plot: str, band: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, beta, _ = RANKINGS[name]
    seen: list[tuple[Curve, Curve]] = []

    def spy(curve: Curve, kind: Any) -> Curve:
        seen.append((curve, without(curve, kind)))
        return seen[-1][1]

    without = curves.without_teeth
    monkeypatch.setattr(curves, "without_teeth", spy)
    getattr(frame.pu, plot)(beta, band=band)
    plt.close("all")
    ((old, new),) = seen
    assert (np.diff(old.estimate[0]) >= 0).all() or plot == "plot_roc"
    check_contained(old, new)
    areas = [
        np.trapezoid(curve.upper[1], curve.upper[0]) - np.trapezoid(curve.lower[1], curve.lower[0])
        for curve in (old, new)
    ]
    assert areas[0] <= areas[1] < (1.5 if name == "few" else 1.2) * areas[0]


def test_a_lower_edge_that_starts_high_by_chance_does_not_collapse() -> None:
    x, y = np.array([0, 0, 0.01, 0.2, 0.5, 1]), np.array([1, 1, 0.3, 0.6, 0.8, 0.3])
    new = curves.without_teeth(as_curve((x, y), (x, y)), "pr")
    assert new.lower[1].tolist() == [0.3, 0.3, 0.3, 0.6, 0.8, 0.3]


def test_a_curve_of_a_metric_stays_as_it_is() -> None:
    frame: pd.DataFrame = RANKINGS["good"][0]
    path = np.arange(3.0), frame["score"].to_numpy()[:3]
    old = as_curve(path, path)
    assert curves.without_teeth(old, "rank_cdf") is old
