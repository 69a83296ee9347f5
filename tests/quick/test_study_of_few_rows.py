"""A quick version of the studies of comparisons: few rows that differ, many pairs at once."""

import numpy as np
import pytest

from tests.support.studies import few_rows as study
from tests.support.studies import together

AGAIN = pytest.param("normal 2.5, drawn again", marks=pytest.mark.long)


@pytest.mark.parametrize("name", ["normal 1, at random", AGAIN])
def test_comparisons_hold_where_few_rows_differ(name: str) -> None:
    for share in study.SHARES:
        for row in study.look(name, study.CHOSEN[name], True, share, study.Design(20), 40):
            assert row.covers >= 0.9 and row.wrong <= 0.04 and row.ratio > 1


def test_ordinary_comparisons_are_as_wide_as_ever() -> None:
    for row in study.look("twins 1", study.TWINS["twins 1"], False, 1.0, study.Design(200), 40):
        assert 1 <= row.ratio < 1.03 and row.size <= 0.2


def test_max_t_finds_more() -> None:
    found = together.look("normal", 0.9, 200, 0.3, 6)
    assert np.isfinite(found).all() and found[3] >= found[1] > 0.5 and found[2] >= found[0]
