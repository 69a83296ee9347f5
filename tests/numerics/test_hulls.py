"""Edges of bands without teeth contain the bounds, turn at most once, and add least area."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pu_accessor.plots import curves
from pu_accessor.plots.drawing import Curve
from tests.cases import binormal
from tests.plots.pictures import bands

STEPS = st.lists(st.tuples(st.integers(0, 9), st.integers(-3, 9)), min_size=2, max_size=140)


def edge(x: Any, y: Any) -> Any:
    """Return the edge above a path."""
    path = np.asarray(x, float), np.asarray(y, float)
    new = curves.without_teeth(Curve({}, 0.3, path, path, path, {}), "pr")
    turned = path[0], -path[1]
    below = curves.without_teeth(Curve({}, 0.3, turned, turned, turned, {}), "pr").lower
    np.testing.assert_array_equal(below, [path[0], -new.upper[1]])
    np.testing.assert_array_equal(new.upper[0], path[0])
    return new.upper[1]


@given(STEPS)
def test_the_edge_above_turns_once_and_adds_least_area(steps: list[Any]) -> None:
    along, y = np.array(steps, dtype=float).T
    x = np.cumsum(along)
    found = edge(x, y)
    least = min(np.trapezoid(each, x) for each in candidates(y))
    assert (found >= y).all() and np.trapezoid(found, x) >= least - 1e-9
    if len(x) <= 50:  # else not each turn is tried
        assert np.trapezoid(found, x) == pytest.approx(least)
    signs = np.sign(np.diff(found))
    assert (np.diff(signs[signs != 0]) != 0).sum() <= 1


def candidates(y: Any) -> list[Any]:
    """Return the lowest edges above heights that rise, then fall, or fall, then rise."""
    size = range(len(y))
    found = [np.array([min(y[: i + 1].max(), y[i:].max()) for i in size])]
    for turn in size:
        found.append(
            np.array([(y[i : turn + 1] if i < turn else y[turn : i + 1]).max() for i in size])
        )
    return found


def test_a_lower_edge_that_starts_high_by_chance_does_not_collapse() -> None:
    x, y = [0, 0, 0.01, 0.2, 0.5, 1], -np.array([1, 1, 0.3, 0.6, 0.8, 0.3])
    assert (-edge(x, y)).tolist() == [0.3, 0.3, 0.3, 0.6, 0.8, 0.3]


@pytest.mark.parametrize("plot", ["plot_roc", "plot_pr"])
def test_the_band_over_an_interval_holds_those_of_all_betas_and_nothing_else(
    plot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(curves, "without_teeth", lambda curve, _: curve)
    frame = binormal(20, 60, 0.4, seed=8)[0]
    tables = frame.pu.contingency([0.2, 0.1, 0.3]).assign_coords(
        inside=("beta", [False, True, True])
    )
    (band,) = bands(getattr(tables.pu, plot)())
    corners = band.get_xy()
    size = len(corners) // 2  # the first is repeated only where it is not the last one
    for drawn, choose in ((corners[:size], np.nanmax), (corners[size : 2 * size], np.nanmin)):
        found = []
        for beta in tables["beta"].values:
            (alone,) = bands(getattr(tables.sel(beta=[beta]).drop_vars("inside").pu, plot)())
            found.append(choose(heights(alone.get_xy(), drawn[:, 0]), axis=1))
        clear = ~np.isnan(found).any(axis=0)
        assert clear.mean() > 0.95
        np.testing.assert_allclose(drawn[clear, 1], choose(found, axis=0)[clear], atol=1e-9)


def heights(path: Any, places: Any) -> Any:
    """Return the heights at which a path passes places, NaN where it nearly turns."""
    (x0, y0), (x1, y1), x = path[:-1].T, path[1:].T, places[:, np.newaxis]
    level = x0 == x1
    rising = y0 + (x - x0) / np.where(level, 1, x1 - x0) * (y1 - y0)
    there = (np.minimum(x0, x1) <= x) & (x <= np.maximum(x0, x1))
    ends = [
        np.where(there, each, np.nan)
        for each in (np.where(level, y0, rising), np.where(level, y1, rising))
    ]
    near = ((np.abs(x - path[:, 0]) < 1e-9) & (x != path[:, 0])).any(axis=1, keepdims=True)
    return np.where(near, np.nan, np.concatenate(ends, axis=1))
