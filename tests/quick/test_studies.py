"""Quick versions of the studies, and what those found at length."""

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest

from pu_accessor.inference.bands.lookup import latent_bounds
from pu_accessor.inference.estimates.guaranteed_cutoffs import Goal
from tests.support.studies import (
    averages,
    clusters,
    coverage,
    few_rows,
    free_width,
    hand_labels,
    monotone,
    population,
    practice,
    prevalence,
    selection,
    store,
    together,
)
from tests.support.studies.__main__ import main
from tests.support.studies.cells import PROMISES, Promise
from tests.support.studies.store import Measured

pytestmark = pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
ALONE = pytest.param("1 known", marks=pytest.mark.long)


@pytest.mark.parametrize(
    "shape", [pytest.param("normal .76", marks=pytest.mark.long), "5 scores", "normal .999"]
)
@pytest.mark.parametrize("design", [ALONE, "1 to 8 known, sizes differ"])
def test_averages_of_auroc_hold(shape: str, design: str) -> None:
    for cell in averages.auroc_cells(shape, averages.DESIGNS[design], 20, 160).values():
        assert 0.87 <= cell.coverage <= 1 and 0 < cell.width < 0.5


# The study of clusters


CELLS = list(clusters.cells())


def test_clusters_cover_in_all_cells_of_the_table_and_rows_do_not() -> None:
    measured = clusters.read(clusters.TABLE)
    assert list(measured) == CELLS
    metric = clusters.HEAD.index("metric")
    for lines in measured.values():
        assert tuple(line[metric] for line in lines) == clusters.METRIC_NAMES
    rows = [*csv.DictReader(clusters.TABLE.read_text(encoding="utf-8").splitlines())]
    assert [*rows[0]] == list(clusters.HEAD)
    by_clusters, by_rows = (
        [float(row[name]) for row in rows] for name in ("coverage", "rows_coverage")
    )
    for row, covered in zip(rows, by_clusters, strict=True):
        usual = row["group"] == "sizes"
        assert covered >= (0.9 if row["rows"] == "heavy tail" else 0.935 if usual else 0.92), row
        # Of 30 clusters fewer than two may contain a known positive. The limit on beta takes rows
        # as independent; above it AUROC may have no interval.
        assert float(row["missing"]) <= (0.05 if row["group"].startswith("few") else 0.005), row
    assert np.mean(by_clusters) == pytest.approx(0.955, abs=0.01)
    assert min(by_rows) < 0.6 and np.mean(by_rows) < 0.9


# The study of coverage


# 240 draws have a standard error of .014 at a coverage of .95: limits are four of them away.
# The study itself takes thousands.
DRAWS, LOWEST = 240, 0.894


LONG = [
    coverage.Cell(50, 0.5, shape="wide"),
    coverage.Cell(100, 0.3),
    coverage.Cell(50, 0.3, side="ties"),
]
LONG += [coverage.Cell(50, 0.3, prevalence=0.5), coverage.Cell(50, 0.3, side="negatives")]


@pytest.mark.parametrize(
    "cell",
    [coverage.Cell(20, 0.1), *(pytest.param(cell, marks=pytest.mark.long) for cell in LONG)],
)
def test_intervals_hold_the_truth_as_often_as_they_say(cell: coverage.Cell) -> None:
    # The first draw is checked against the public methods and scikit-learn.
    rows = {row.method: row for row in coverage.cell_rows(cell, DRAWS)}
    for name in ("auroc", "partial auroc", "range exact"):
        assert rows[name].coverage >= LOWEST
    # Of 96 draws.
    assert LOWEST - 0.03 - 0.02 * (cell.known < 50) <= rows["average precision"].coverage
    assert rows["range simultaneous"].coverage >= rows["range exact"].coverage
    assert rows["auroc"].width < rows["range exact"].width < rows["range simultaneous"].width
    for name in ("rank", "recall", "youden"):
        assert rows[f"precision at {name}"].coverage >= LOWEST - 0.03


@pytest.mark.parametrize(("n", "m"), [(5, 95), (5, 1), (50, 50), (90, 10)])
def test_bands_hold_at_each_cutoff_and_at_all(n: int, m: int) -> None:
    bounds = [latent_bounds(band, n, m, 0.95) for band in ("exact", "simultaneous")]
    exact, simultaneous = coverage.cutoff_coverage(n, m, bounds)
    assert exact.min() >= 0.95 - 1e-9
    assert (simultaneous >= exact - 1e-9).all()
    rng = np.random.default_rng(n)
    assert (
        coverage.curve_coverage(n, m, bounds, 500, rng)[1] >= 0.95 - 4 * (0.05 * 0.95 / 500) ** 0.5
    )


# The study of few rows


AGAIN = pytest.param("normal 2.5, drawn again", marks=pytest.mark.long)


@pytest.mark.parametrize("name", ["normal 1, at random", AGAIN])
def test_comparisons_hold_where_few_rows_differ(name: str) -> None:
    for share in few_rows.SHARES:
        for row in few_rows.look(
            name, few_rows.CHOSEN[name], True, share, few_rows.Design(20), 40
        ):
            assert row.covers >= 0.9 and row.wrong <= 0.04 and row.ratio > 1


def test_ordinary_comparisons_are_as_wide_as_ever() -> None:
    for row in few_rows.look(
        "twins 1", few_rows.TWINS["twins 1"], False, 1.0, few_rows.Design(200), 40
    ):
        assert 1 <= row.ratio < 1.03 and row.size <= 0.2


def test_max_t_finds_more() -> None:
    found = together.look("normal", 0.9, 200, 0.3, 6)
    assert np.isfinite(found).all() and found[3] >= found[1] > 0.5 and found[2] >= found[0]


# The study of free width


def test_limits_hold_where_positives_hide() -> None:
    row = free_width.ties_row(free_width.CELLS[1], 40)
    assert row["covers"] >= 0.93 and 0 < row["width"] < 0.3


# The study of hand labels


def test_intervals_hold_while_labels_come_in() -> None:
    found = hand_labels.sequential(300, 0.1, 0.2, None, 60, np.random.default_rng(1))
    assert found["held at all times"] >= 0.86
    assert found["planned, beta known"] < found["labels, median"]
    sooner = hand_labels.sequential(300, 0.1, 0.2, 0.1, 60, np.random.default_rng(1))
    assert sooner["labels, median"] < found["labels, median"]


def test_weights_hold_where_known_positives_are_no_random_sample() -> None:
    found = hand_labels.weights("normal, AUROC .80", 0.15, 150, True, 12, np.random.default_rng(3))
    rows = {(row["metric"], row["way"]): row["covers"] for row in found}
    assert rows["AUROC", "weights"] >= 0.7 > 0.5 >= rows["AUROC", "beta"]


# The study of monotone


DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("shape", ["normal, shift 2", "5 scores", "breast cancer"])
def test_bands_hold(shape: str) -> None:
    found = monotone.look_at_bands(shape, monotone.Design(40, 400), 30)
    assert found["cut: curve held"] >= 0.8 and found["cut: lift held"] >= 0.8
    assert found["cut: width of precision, top 0.1"] < found["uncut: width of precision, top 0.1"]


def test_hooks_are_refuted_and_lists_keep_their_word() -> None:
    assert (
        monotone.look_at_bands("a hook at the end", monotone.Design(300, 2000), 5)["refuted"] > 0.8
    )
    found = monotone.look_at_lists(
        "normal, shift 2", monotone.Design(200, 2000), Goal("recall", 0.8), 20
    )
    assert found["kept"] >= 0.8 and found["given"] == 1
    assert found["oracle's rows"] < found["median rows"] < 1.5 * found["oracle's rows"]


def test_monotone_estimates_are_nearer() -> None:
    found = monotone.look_at_estimates("normal, shift 3", monotone.Design(64, 505), 10)
    for quantity in ("average precision", "precision at 50"):
        assert found[f"monotone: RMSE of {quantity}"] < found[f"unbiased: RMSE of {quantity}"]


# The study of population


@pytest.mark.parametrize("shape", ["normal .76", "normal .999", "5 scores"])
def test_intervals_of_auroc_hold(shape: str) -> None:
    row = population.auroc_row(shape, population.Design(10, 300, 0.1), 400)
    assert 0.92 <= row.coverage <= 1 and row.above + row.below == pytest.approx(1 - row.coverage)


def test_intervals_of_average_precision_and_metrics_hold() -> None:
    row = population.precision_row("normal .76", population.Design(50, 500, 0.1), 100)
    assert 0.88 <= row.coverage <= 1 and 0.1 < row.width < 0.6
    for name in population.METRICS:
        row = population.rate_row(name, "tpr .8, fpr .2", population.Design(50, 500, 0.1), 150)
        assert 0.87 <= row.coverage <= 1, name


QUICK = ("correlated", "tied against untied")
SIZES = [
    pytest.param(one, marks=[] if one in QUICK else pytest.mark.long) for one in population.MODELS
]


@pytest.mark.parametrize("models", SIZES)
def test_compare_keeps_its_size(models: str) -> None:
    row = population.size_row(models, population.Design(20, 200, 0.0), 300)
    assert 0.015 <= row.above <= 0.1
    assert set(population.CHOSEN).isdisjoint(population.CHECKED)


# The study of practice


@pytest.mark.parametrize(
    ("name", "shape", "least"),
    [
        ("points", "exponential", 0.9),
        ("early", "hard negatives", 0.9),
        ("early", "5 scores", 0.9),
        ("reliable", "twentieth of positives hidden", 0.9),
        ("gap", "normal, AUROC .80", 0.8),
    ],
)
def test_intervals_hold(name: str, shape: str, least: float) -> None:
    cells = practice.run(name, shape, 10, 0.5, 40)
    assert len(cells) >= 4
    for cell in cells.values():
        assert least <= cell.coverage <= 1 and cell.width > 0


# The study of prevalence


def test_intervals_hold_with_the_prevalence_of_a_population() -> None:
    rows = prevalence.of_population("normal, AUROC .96", prevalence.Design(200, 1000, 0.05), 40)
    covers = {(name, of): coverage for name, of, coverage, _ in rows}
    for name in ("AUROC", "AP, prevalence=", "precision, prevalence="):
        assert covers[name, "population"] >= 0.9
        assert covers[name, "population"] > covers[name, "rows"]


@pytest.mark.parametrize("share", [pytest.param(0.1, marks=pytest.mark.long), 0.7])
def test_intervals_hold_at_another_prevalence(share: float) -> None:
    rows = prevalence.elsewhere("normal, AUROC .80", prevalence.Design(100, 500, 0.2), share, 50)
    assert all(coverage >= 0.88 for _, coverage, _ in rows)


# The study of promises


ROWS = list(store.read(DOCS / "measured" / "coverage.csv").values())


def of(promise: Promise) -> list[Measured]:
    return [row for row in ROWS if row.promise == promise.name]


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.name)
def test_each_cell_was_measured(promise: Promise) -> None:
    cells = [(task.shape, task.design, task.chosen) for task in promise.tasks()]
    assert len(set(cells)) == len(cells)
    assert {(row.shape, row.design, row.chosen) for row in of(promise)} == set(cells)
    assert all(len(row.commit) >= 7 for row in of(promise))
    looked_at, fresh = ({cell[:2] for cell in cells if cell[2] == way} for way in (True, False))
    assert fresh and looked_at.isdisjoint(fresh)  # that nobody looked at before


def test_summaries_are_those_of_what_was_measured(tmp_path: Path) -> None:
    (tmp_path / "measured").mkdir()
    shutil.copy(DOCS / "measured" / "coverage.csv", tmp_path / "measured")
    main(["--draws", "0", "--out", str(tmp_path)])
    for name in ("promises.csv", "outside.csv"):
        written = (tmp_path / "measured" / name).read_text("utf-8")
        assert written == (DOCS / "measured" / name).read_text("utf-8")
    assert (tmp_path / "images" / "promises.png").stat().st_size > 10_000


# The study of selection


@pytest.mark.parametrize("name", ["top half more", "falling", "waves"])
def test_bands_hold_within_their_factor_and_not_outside(name: str) -> None:
    within = selection.band_coverage(selection.Cell(name, 3.0, 3.0, 80, 16), 120)
    outside = selection.band_coverage(selection.Cell(name, 3.0, 1.0, 80, 16), 120)
    assert min(within.values()) >= 0.95 - 0.05  # of 120 draws
    assert outside["exact"] < within["exact"]


def test_the_worst_selection_takes_one_side_of_the_error() -> None:
    assert selection.worst_coverage(20, 60, 2.0, 2.0) >= 0.975 - 1e-9
    assert selection.worst_coverage(20, 60, 4.0, 2.0) < 0.95
    assert selection.worst_coverage(20, 60, 1.0, 1.0) >= 0.95 - 1e-9


@pytest.mark.parametrize("curve", ["roc", "pr"])
def test_areas_hold_within_their_factor(curve: str) -> None:
    cell = selection.Cell("top half less", 3.0, 3.0, 200, 40, 600)
    within, at_random, width = selection.area_coverage(cell, 40, curve, "population")
    assert within >= 0.85 and at_random < within and 0 < width < 1
