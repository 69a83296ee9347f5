"""A quick version of the coverage study, and its document."""

import numpy as np
import pytest

from pu_accessor.inference.bands.lookup import latent_bounds
from tests.support.studies import coverage as study
from tests.support.studies.coverage import Cell

# 240 draws have a standard error of .014 at a coverage of .95: limits are four of them away.
# The study itself takes thousands.
DRAWS, LOWEST = 240, 0.894


LONG = [Cell(50, 0.5, shape="wide"), Cell(100, 0.3), Cell(50, 0.3, side="ties")]
LONG += [Cell(50, 0.3, prevalence=0.5), Cell(50, 0.3, side="negatives")]


@pytest.mark.parametrize(
    "cell", [Cell(20, 0.1), *(pytest.param(cell, marks=pytest.mark.long) for cell in LONG)]
)
def test_intervals_hold_the_truth_as_often_as_they_say(cell: Cell) -> None:
    # The first draw is checked against the public methods and scikit-learn.
    rows = {row.method: row for row in study.cell_rows(cell, DRAWS)}
    for name in ("auroc", "partial auroc", "range exact"):
        assert rows[name].coverage >= LOWEST
    # Of 96 draws.
    assert LOWEST - 0.03 - 0.02 * (cell.known < 50) <= rows["average precision"].coverage
    assert rows["range simultaneous"].coverage >= rows["range exact"].coverage
    assert rows["auroc"].width < rows["range exact"].width < rows["range simultaneous"].width
    for name in ("rank", "recall", "youden"):
        assert rows[f"precision at {name}"].coverage >= LOWEST - 0.03


@pytest.mark.parametrize(("n", "m"), [(5, 95), (5, 1), (50, 50), (90, 10)])
def test_bands_hold_at_each_cutoff_and_at_all(n: int, m: int) -> None:
    bounds = [latent_bounds(band, n, m, 0.95) for band in ("exact", "simultaneous")]
    exact, simultaneous = study.cutoff_coverage(n, m, bounds)
    assert exact.min() >= 0.95 - 1e-9
    assert (simultaneous >= exact - 1e-9).all()
    rng = np.random.default_rng(n)
    assert study.curve_coverage(n, m, bounds, 500, rng)[1] >= 0.95 - 4 * (0.05 * 0.95 / 500) ** 0.5


# The tables
