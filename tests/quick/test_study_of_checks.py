"""The study of checks labels as it says, and counts what each check rejects."""

import numpy as np
import pandas as pd
import pytest

from tests.support.studies import checks as study

DESIGN = study.Design(50, 50, 150, 650)


def labeled(failure: str) -> tuple[study.Rows, pd.DataFrame]:
    """Draw rows and label them."""
    rng = np.random.default_rng(0)
    rows = study.draw_rows(rng, "exponential", DESIGN)
    return rows, study.FAILURES[failure][0](rng, rows, DESIGN)


@pytest.mark.parametrize("failure", study.FAILURES)
def test_as_many_are_known_as_it_says(failure: str) -> None:
    rows, df = labeled(failure)
    assert df["label"].value_counts().to_dict() == {1.0: DESIGN.known, 0.0: DESIGN.negative}
    wrong = (df["label"] == 1) & ~rows.truth
    assert wrong.sum() == (DESIGN.known // 5 if "negative, at" in failure else 0)
    assert not ((df["label"] == 0) & rows.truth).any()


def test_shares_of_rejections_are_counted() -> None:
    rng = study.cell_seed("a test")
    found = study.look(rng, "exponential", DESIGN, "labels of negatives favour the bottom", 5)
    assert set(found) == {*study.CHECKS} and found["negatives"] > 0.5 >= found["waves"]
