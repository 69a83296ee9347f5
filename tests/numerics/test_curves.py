"""Which of two ROC curves is above, in fractions; edges of bands without teeth, one by one."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pu_accessor.inference.comparison import compare_curves
from pu_accessor.plots.drawing import Curve, without_teeth
from tests.support.oracles import comparison_oracle as oracle
from tests.support.oracles.reference_oracle import BOUNDS

PATHS = st.lists(st.tuples(st.integers(0, 9), st.integers(-3, 9)), min_size=2, max_size=140)
# Rates of a curve, which may come back to the left, or fall, but not both.
STEPS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=4)


@st.composite
def curves(draw: st.DrawFn) -> list[oracle.Point]:
    """Draw a curve from (0, 0) to (1, 1), in sixths."""
    middle, falls = draw(STEPS), draw(st.booleans())
    x, y = ([step[side] for step in middle] for side in (0, 1))
    rates = zip(sorted(x) if falls else x, y if falls else sorted(y), strict=True)
    return [(Fraction(x, 6), Fraction(y, 6)) for x, y in ((0, 0), *rates, (6, 6))]


@given(st.lists(st.tuples(curves(), curves(), curves()), min_size=8, max_size=8))
def test_dominance_is_that_of_curves_in_fractions(
    drawn: list[tuple[list[oracle.Point], ...]],
) -> None:
    models = {str(place): dict(zip(BOUNDS, of, strict=True)) for place, of in enumerate(drawn)}
    cutoffs = max(len(curve) for of in drawn for curve in of)
    rates = np.ones((len(drawn), 3, 2, cutoffs))
    for place, of in enumerate(drawn):
        for bound, curve in enumerate(of):
            rates[place, bound, :, : len(curve)] = np.array(curve, float).T
    for a, b, winner, equal, disjoint, crossings in oracle.dominance(models):
        found = compare_curves(rates[int(a)], rates[int(b)])
        assert (found.ahead > found.behind, found.ahead < found.behind) == (
            winner == a,
            winner == b,
        )
        assert (not (found.ahead or found.behind), found.disjoint) == (equal, disjoint)
        assert found.crossings == pytest.approx(crossings, abs=1e-12)


def edge(x: Any, y: Any) -> Any:
    """Return the edge above a path."""
    path = np.asarray(x, float), np.asarray(y, float)
    new = without_teeth(Curve({}, 0.3, path, path, path, {}), "pr")
    turned = path[0], -path[1]
    below = without_teeth(Curve({}, 0.3, turned, turned, turned, {}), "pr").lower
    np.testing.assert_array_equal(below, [path[0], -new.upper[1]])
    np.testing.assert_array_equal(new.upper[0], path[0])
    return new.upper[1]


@given(PATHS)
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
