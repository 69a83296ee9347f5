"""A quick version of the study of new examples."""

import pytest

from tests.support.studies import population as study
from tests.support.studies.population import Design


@pytest.mark.parametrize("shape", ["normal .76", "normal .999", "5 scores"])
def test_intervals_of_auroc_hold(shape: str) -> None:
    row = study.auroc_row(shape, Design(10, 300, 0.1), 400)
    assert 0.92 <= row.coverage <= 1 and row.above + row.below == pytest.approx(1 - row.coverage)


def test_intervals_of_average_precision_and_metrics_hold() -> None:
    row = study.precision_row("normal .76", Design(50, 500, 0.1), 100)
    assert 0.88 <= row.coverage <= 1 and 0.1 < row.width < 0.6
    for name in study.METRICS:
        row = study.rate_row(name, "tpr .8, fpr .2", Design(50, 500, 0.1), 150)
        assert 0.87 <= row.coverage <= 1, name


QUICK = ("correlated", "tied against untied")
SIZES = [pytest.param(one, marks=[] if one in QUICK else pytest.mark.long) for one in study.MODELS]


@pytest.mark.parametrize("models", SIZES)
def test_compare_keeps_its_size(models: str) -> None:
    row = study.size_row(models, Design(20, 200, 0.0), 300)
    assert 0.015 <= row.above <= 0.1
    assert set(study.CHOSEN).isdisjoint(study.CHECKED)
