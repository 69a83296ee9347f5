"""A quick version of the study of monotone scores, and what its table has."""

import csv
from pathlib import Path

import numpy as np
import pytest

from pu_accessor.inference.estimates.guaranteed_cutoffs import Goal
from tests.support.studies import monotone as study
from tests.support.studies.monotone import Design, Row

TABLE = Path(__file__).parents[2] / "docs" / "measured" / "monotone.csv"


LINES = list(csv.reader(TABLE.read_text(encoding="utf-8").splitlines()))[1:]
ROWS = [
    Row(question, shape, m == "True", int(n), int(u), float(b), measure, float(v), int(draws))
    for question, shape, m, n, u, b, measure, v, draws in LINES
]


def test_bands_and_lists_keep_their_word_where_scores_are_monotone() -> None:
    assert min(row.value for row in ROWS if row.measure == "kept" and row.monotone) > 0.935
    bands = [row for row in ROWS if row.question == "bands" and row.monotone]
    held = [row.value for row in bands if row.measure.endswith("held")]
    assert min(held) > 0.925 and np.mean(held) > 0.95
    assert max(row.value for row in bands if row.measure == "refuted") <= 0.03
    for row in bands:  # the same draws
        if row.measure == "cut: curve held":
            other = row._replace(measure="uncut: curve held", value=0)
            (uncut,) = (each for each in bands if each._replace(value=0) == other)
            assert row.value == pytest.approx(uncut.value, abs=0.005)


@pytest.mark.parametrize("shape", ["normal, shift 2", "5 scores", "breast cancer"])
def test_bands_hold(shape: str) -> None:
    found = study.look_at_bands(shape, Design(40, 400), 30)
    assert found["cut: curve held"] >= 0.8 and found["cut: lift held"] >= 0.8
    assert found["cut: width of precision, top 0.1"] < found["uncut: width of precision, top 0.1"]


def test_hooks_are_refuted_and_lists_keep_their_word() -> None:
    assert study.look_at_bands("a hook at the end", Design(300, 2000), 5)["refuted"] > 0.8
    found = study.look_at_lists("normal, shift 2", Design(200, 2000), Goal("recall", 0.8), 20)
    assert found["kept"] >= 0.8 and found["given"] == 1
    assert found["oracle's rows"] < found["median rows"] < 1.5 * found["oracle's rows"]


def test_monotone_estimates_are_nearer() -> None:
    found = study.look_at_estimates("normal, shift 3", Design(64, 505), 10)
    for quantity in ("average precision", "precision at 50"):
        assert found[f"monotone: RMSE of {quantity}"] < found[f"unbiased: RMSE of {quantity}"]
