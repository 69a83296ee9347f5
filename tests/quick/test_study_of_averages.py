"""A quick version of the study of averages, and that it asks what the package answers."""

import pytest

from tests.support.studies import averages as study

ALONE = pytest.param("1 known", marks=pytest.mark.long)


@pytest.mark.parametrize(
    "shape", [pytest.param("normal .76", marks=pytest.mark.long), "5 scores", "normal .999"]
)
@pytest.mark.parametrize("design", [ALONE, "1 to 8 known, sizes differ"])
def test_averages_of_auroc_hold(shape: str, design: str) -> None:
    for cell in study.auroc_cells(shape, study.DESIGNS[design], 20, 160).values():
        assert 0.87 <= cell.coverage <= 1 and 0 < cell.width < 0.5
