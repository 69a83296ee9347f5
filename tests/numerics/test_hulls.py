"""Edges of bands without teeth contain the bounds, turn at most once, and add least area."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pu_accessor.plots import curves
from pu_accessor.plots.drawing import Curve

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
    found = [[min(y[: i + 1].max(), y[i:].max()) for i in size]]
    found += [[y[min(i, turn) : max(i, turn) + 1].max() for i in size] for turn in size]
    return found
