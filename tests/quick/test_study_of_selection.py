"""A quick version of the study of labels that are not random."""

import pytest

from tests.support.studies import selection as study
from tests.support.studies.selection import Cell


@pytest.mark.parametrize("name", ["top half more", "falling", "waves"])
def test_bands_hold_within_their_factor_and_not_outside(name: str) -> None:
    within = study.band_coverage(Cell(name, 3.0, 3.0, 80, 16), 120)
    outside = study.band_coverage(Cell(name, 3.0, 1.0, 80, 16), 120)
    assert min(within.values()) >= 0.95 - 0.05  # of 120 draws
    assert outside["exact"] < within["exact"]


def test_the_worst_selection_takes_one_side_of_the_error() -> None:
    assert study.worst_coverage(20, 60, 2.0, 2.0) >= 0.975 - 1e-9
    assert study.worst_coverage(20, 60, 4.0, 2.0) < 0.95
    assert study.worst_coverage(20, 60, 1.0, 1.0) >= 0.95 - 1e-9


@pytest.mark.parametrize("curve", ["roc", "pr"])
def test_areas_hold_within_their_factor(curve: str) -> None:
    cell = Cell("top half less", 3.0, 3.0, 200, 40, 600)
    within, at_random, width = study.area_coverage(cell, 40, curve, "population")
    assert within >= 0.85 and at_random < within and 0 < width < 1
