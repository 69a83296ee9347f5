"""A quick version of the study of practice."""

import numpy as np
import pytest

from tests.support.studies import practice as study
from tests.support.studies.practice import Held


@pytest.mark.parametrize(
    ("name", "shape", "least"),
    [
        ("precision", "exponential", 0.9),
        ("early", "hard negatives", 0.9),
        ("early", "5 scores", 0.9),
        ("reliable", "twentieth of positives hidden", 0.9),
        ("gap", "normal, AUROC .80", 0.8),
    ],
)
def test_intervals_hold(name: str, shape: str, least: float) -> None:
    cells = study.run(name, shape, 10, 0.5, 40)
    assert len(cells) >= 4
    for cell in cells.values():
        assert least <= cell.coverage <= 1 and cell.width > 0


def test_what_is_missed_is_counted() -> None:
    truth = np.array([0.1, 0.5, 0.9, 0.95])
    found = Held.of(truth, np.full(4, 0.2), np.full(4, 0.8))
    assert (found.below, found.above, found.coverage, found.draws) == (0.25, 0.5, 0.25, 4)
    assert found.width == pytest.approx(0.6)
    lower, upper = np.array([0.2, np.nan, np.nan, 0.2]), np.array([0.9, np.nan, np.nan, 0.9])
    missing = Held.of(truth, lower, upper)
    assert missing.coverage == 0 and missing.width == pytest.approx(0.7)
