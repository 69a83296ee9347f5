"""Which of two ROC curves is above, and where they cross, against curves in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pu_accessor.inference.comparison.dominance import compare_roc_curves
from tests.support.oracles import comparison_oracle as oracle
from tests.support.oracles.reference_oracle import BOUNDS

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
    rates = np.ones((2, len(drawn), 1, 3, cutoffs))
    for place, of in enumerate(drawn):
        for bound, curve in enumerate(of):
            rates[:, place, 0, bound, : len(curve)] = np.array(curve, float).T
    found = compare_roc_curves(*rates)
    for pair, (a, b, winner, equal, disjoint, crossings) in enumerate(oracle.dominance(models)):
        assert (found.first[pair], found.second[pair]) == (int(a), int(b))
        assert found.dominates[pair, 0] == int(winner or -1)
        assert (found.equal[pair, 0], found.disjoint[pair, 0]) == (equal, disjoint)
        assert found.crossings[pair][0] == pytest.approx(crossings, abs=1e-12)
