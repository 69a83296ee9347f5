"""A quick version of the study of clusters, and what it found at length."""

import csv

import numpy as np
import pytest

from tests.support.studies import clusters as study

CELLS = list(study.cells())


def test_cells_differ_and_are_of_shapes_that_there_are() -> None:
    assert len(set(CELLS)) == len(CELLS)
    assert {cell.labels for cell in CELLS} == set(study.LABELS)
    assert {cell.shape for cell in CELLS} == {*study.SHAPES, study.JITTERED}


@pytest.mark.parametrize("cell", CELLS[1::7], ids=str)
def test_draws_have_the_correlation_and_the_rates_of_their_cell(cell: study.Cell) -> None:
    rng, of = np.random.default_rng(1), study.LABELS[cell.labels]
    samples = [study.draw(cell, rng) for _ in range(30 if cell.clusters > 99 else 150)]
    known = np.mean([sample.known.mean() for sample in samples])
    if of.known != "few":
        assert known == pytest.approx(of.prevalence * of.share, abs=0.02)
    true = study.true_rates(cell.shape)[0]
    known_scores = np.concatenate([sample.score[sample.known] for sample in samples])
    above = known_scores >= study.scores(cell.shape).threshold
    assert above.mean() == pytest.approx(true, abs=0.04)


def test_a_quick_look_finds_that_rows_are_no_patients() -> None:
    cell = next(cell for cell in CELLS if cell.rows == "10" and cell.labels == "by cluster")
    rows = {row.metric: row for row in study.look(cell, 12)}
    assert list(rows) == list(study.METRIC_NAMES)
    assert all(row.rows_width < 0.7 * row.width and row.missing == 0 for row in rows.values())
    assert rows["auroc"].coverage > 0.75


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
