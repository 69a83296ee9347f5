"""A quick version of the study of prevalences from elsewhere."""

import pytest

from tests.support.studies import prevalence as study
from tests.support.studies.prevalence import Design

pytestmark = pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")


def test_intervals_hold_with_the_prevalence_of_a_population() -> None:
    rows = study.of_population("normal, AUROC .96", Design(200, 1000, 0.05), 40)
    covers = {(name, of): coverage for name, of, coverage, _ in rows}
    for name in ("AUROC", "AP, prevalence=", "precision, prevalence="):
        assert covers[name, "population"] >= 0.9
        assert covers[name, "population"] > covers[name, "rows"]


@pytest.mark.parametrize("prevalence", [pytest.param(0.1, marks=pytest.mark.long), 0.7])
def test_intervals_hold_at_another_prevalence(prevalence: float) -> None:
    rows = study.elsewhere("normal, AUROC .80", Design(100, 500, 0.2), prevalence, 50)
    assert all(coverage >= 0.88 for _, coverage, _ in rows)
