"""A quick version of the study of clusters, and what it found at length."""

import csv

import numpy as np
import pytest

from tests.support.studies import clusters as study

CELLS = list(study.cells())


def test_the_table_has_all_cells_and_clusters_hold_where_rows_do_not() -> None:
    measured = study.read(study.TABLE)
    assert list(measured) == CELLS
    metric = study.HEAD.index("metric")
    for lines in measured.values():
        assert tuple(line[metric] for line in lines) == study.METRIC_NAMES
    rows = [*csv.DictReader(study.TABLE.read_text(encoding="utf-8").splitlines())]
    assert [*rows[0]] == list(study.HEAD)
    coverage, alone = (
        [float(row[name]) for row in rows] for name in ("coverage", "rows_coverage")
    )
    for row, held in zip(rows, coverage, strict=True):
        usual = row["group"] == "sizes"
        assert held >= (0.9 if row["rows"] == "heavy tail" else 0.935 if usual else 0.92), row
        # Of 30 clusters fewer than two may hold a known positive; the limit on beta, above which
        # AUROC may have no interval, takes rows as independent.
        assert float(row["missing"]) <= (0.05 if row["group"].startswith("few") else 0.005), row
    assert np.mean(coverage) == pytest.approx(0.955, abs=0.01)
    assert min(alone) < 0.6 and np.mean(alone) < 0.9
