"""A quick version of the study of new examples."""

import pytest

from tests.support.studies import population as study
from tests.support.studies.population import Design


@pytest.mark.parametrize("shape", ["normal .76", "normal .999", "5 scores"])
def test_intervals_of_auroc_hold(shape: str) -> None:
    row = study.auroc_row(shape, Design(10, 300, 0.1), 400)
    assert 0.92 <= row.coverage <= 1 and row.above + row.below == pytest.approx(1 - row.coverage)


def test_intervals_of_average_precision_hold() -> None:
    row = study.precision_row("normal .76", Design(50, 500, 0.1), 100)
    assert 0.88 <= row.coverage <= 1 and 0.1 < row.width < 0.6


@pytest.mark.parametrize("name", study.METRICS)
def test_intervals_of_metrics_hold(name: str) -> None:
    row = study.rate_row(name, "tpr .8, fpr .2", Design(50, 500, 0.1), 150)
    assert 0.87 <= row.coverage <= 1


@pytest.mark.parametrize("models", study.MODELS)
def test_compare_keeps_its_size(models: str) -> None:
    row = study.size_row(models, Design(20, 200, 0.0), 300)
    assert 0.015 <= row.above <= 0.1


def test_shapes_that_were_looked_at_are_no_others() -> None:
    assert set(study.CHOSEN).isdisjoint(study.CHECKED)
