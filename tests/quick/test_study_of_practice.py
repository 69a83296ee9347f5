"""A quick version of the study of practice."""

import pytest

from tests.support.studies import practice as study


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
