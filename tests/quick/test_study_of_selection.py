"""A quick version of the study of labels that are not random, and its document."""

from pathlib import Path

import pytest

from tests.support.studies import selection as study
from tests.support.studies.selection import Cell

DOCS = Path(__file__).parents[2] / "docs"


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


@pytest.mark.parametrize("table", ["selection_bands", "selection_numbers"])
def test_every_selection_is_in_the_tables(table: str) -> None:
    lines = (DOCS / "measured" / f"{table}.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == [*study.SELECTIONS]
