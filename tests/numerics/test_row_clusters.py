"""Sums of influences by cluster, against a sum over rows: in any pieces, by any threads."""

from typing import Any

import numpy as np
import pytest

from pu_accessor.counting.row_clusters import RowClusters


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_sums_are_those_of_rows(threads: str, missing: float, monkeypatch: Any) -> None:
    monkeypatch.setenv("PU_ACCESSOR_MAX_THREADS", threads)
    monkeypatch.setattr("pu_accessor.counting.threads._MIN_SCORES_FOR_THREADS", 1)
    monkeypatch.setattr("pu_accessor.counting.placements._SCORES_AT_ONCE", 7)
    rng = np.random.default_rng(5)
    score = np.round(rng.normal(size=200), 1)
    score[rng.random(200) < missing] = np.nan
    score[:4] = np.inf, -np.inf, 0.0, -0.0
    positive, code = rng.random(200) < 0.3, rng.integers(0, 12, 200)
    values = np.unique(score[~np.isnan(score)])[::-1]
    for threshold in (values, values[::5], *np.array([[0.25], [np.inf], [np.nan]])):
        edges = np.concatenate([[np.inf], threshold, [np.nan]])
        known, rest = rng.normal(size=(2, edges.size - 1))
        low: Any = {"nan": -np.inf, "posinf": np.inf, "neginf": -1e9}
        cost, worst = np.nan_to_num(score, **low), np.nan_to_num(edges[1:], **low)
        step = np.array([np.argmax(worst <= one) for one in cost])
        moved, expected = np.where(positive, known[step], rest[step]), np.zeros((2, 15))
        np.add.at(expected, (1 - positive, code), moved)
        sums = RowClusters(score, positive, code, 15).sums(edges, known, rest)
        np.testing.assert_allclose(sums, expected, atol=1e-12)
