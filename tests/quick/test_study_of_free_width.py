"""A quick version of the study of free width: two-sided limits, ties at the lowest score."""

from itertools import pairwise

import numpy as np
import pytest

from pu_accessor.inference.bands.exact import exact
from tests.support.studies import free_width as study


@pytest.mark.parametrize(("n", "m"), [(1, 39), (6, 6), (10, 50), (25, 9)])
def test_two_sided_limits_lie_within_those_of_the_band(n: int, m: int) -> None:
    central, narrower, missed = study.two_sided(n, m, 0.95)
    np.testing.assert_array_equal(central, exact(n, m, 0.95))
    assert missed["central"] <= missed["two-sided"] <= 0.05 + 1e-9
    assert (narrower[0] == m - narrower[1, ::-1]).all()
    assert (np.diff(narrower, axis=1) >= 0).all() and (narrower[0] <= narrower[1]).all()
    each = [study.two_sided(n, m, level)[1] for level in (0.5, 0.8, 0.95, 0.99)]
    for one, other in pairwise(each):
        assert (other[0] <= one[0]).all() and (one[1] <= other[1]).all()


@pytest.mark.parametrize("cell", [study.CHOSEN[1], study.CHECKED[1]])
def test_limits_reach_to_where_positives_hide(cell: study.Cell) -> None:
    row = study.ties_row(cell, 40)
    assert row["covers before"] < 0.93 <= row["covers"]
    assert row["width before"] < row["width"] < 2.5 * row["width before"]
