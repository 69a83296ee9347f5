"""The study of shared clusters draws what it says, and its truth is the truth."""

import numpy as np
import pytest

from tests.support.studies import shared_clusters as study


@pytest.mark.parametrize("cell", study.QUERIES, ids=lambda cell: f"{cell.kind} {cell.groups}")
def test_queries_hold_patients_as_they_say(cell: study.Queries) -> None:
    df = study.draw_queries(np.random.default_rng(0), cell)
    of_each = df.groupby("query")[["truth", "label"]].agg({"truth": "sum", "label": "count"})
    assert (of_each == [cell.positive, cell.known]).all(axis=None)
    queries = df.groupby("patient")["query"].nunique()
    shared = {"nested": queries.eq(1).all(), "full": queries.eq(cell.groups).all()}
    assert shared.get(cell.kind, queries.max() > 1)


def test_models_that_are_alike_differ_by_nothing() -> None:
    for name in study.COMPARED:
        assert study.true_difference(name, 0.0) == pytest.approx(0, abs=1e-3)
        assert study.true_difference(name, 0.5) < -0.03
