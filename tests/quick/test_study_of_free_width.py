"""A quick version of the study of free width: two-sided limits, ties at the lowest score."""

import pytest

from tests.support.studies import free_width as study


@pytest.mark.parametrize("cell", [study.CHOSEN[1], study.CHECKED[1]])
def test_limits_reach_to_where_positives_hide(cell: study.Cell) -> None:
    row = study.ties_row(cell, 40)
    assert row["covers before"] < 0.93 <= row["covers"]
    assert row["width before"] < row["width"] < 2.5 * row["width before"]
