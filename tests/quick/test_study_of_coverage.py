"""A quick version of the coverage study, and its document."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pu_accessor.inference.bands.lookup import BANDS, latent_bounds
from pu_accessor.inference.bands.simultaneous import joint_coverage
from pu_accessor.inference.estimates import latent_gaps as compositions
from pu_accessor.ranking import FloatArray, IntArray
from tests.support.studies import coverage as study
from tests.support.studies.coverage import Cell, Row

DOCS = Path(__file__).parents[2] / "docs"

# 240 draws have a standard error of .014 at a coverage of .95: limits are four of them away.
# The study itself takes thousands.
DRAWS, LOWEST = 240, 0.894


def drawn_once() -> Callable[[IntArray, int], FloatArray]:
    """Return what draws the same as ever from its own seed, but keeps it."""
    kept: dict[tuple[bytes, int], FloatArray] = {}
    draw = compositions._draw

    def drawn(sizes: IntArray, latent: int) -> FloatArray:
        key = sizes.tobytes(), latent
        if key not in kept:
            kept[key] = draw(sizes, latent)
        return kept[key]

    return drawn


def rows_of(cell: Cell, draws: int = DRAWS) -> dict[str, Row]:
    """Simulate a cell; its first draw is checked against the public methods and scikit-learn."""
    return {row.method: row for row in study.cell_rows(cell, draws)}


@pytest.mark.parametrize(
    "cell",
    [
        Cell(20, 0.1),
        *(
            pytest.param(cell, marks=pytest.mark.long)
            for cell in (
                Cell(50, 0.5, shape="wide"),
                Cell(100, 0.3),
                Cell(50, 0.3, prevalence=0.5),
                Cell(50, 0.3, side="negatives"),
            )
        ),
        Cell(50, 0.3, side="ties"),
    ],
)
def test_intervals_hold_the_truth_as_often_as_they_say(
    cell: Cell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compositions, "_draw", drawn_once())
    rows = rows_of(cell)
    assert rows["auroc"].coverage >= LOWEST
    assert rows["partial auroc"].coverage >= LOWEST
    # Of 96 draws.
    assert LOWEST - 0.03 - 0.02 * (cell.known < 50) <= rows["average precision"].coverage
    assert rows["range exact"].coverage >= LOWEST
    assert rows["range simultaneous"].coverage >= rows["range exact"].coverage
    assert rows["auroc"].width < rows["range exact"].width < rows["range simultaneous"].width
    for name in ("rank", "recall", "youden"):
        assert rows[f"precision at {name}"].coverage >= LOWEST - 0.03


def test_a_cutoff_that_was_chosen_needs_the_simultaneous_band() -> None:
    rows = rows_of(Cell(100, 0.1))
    at_best = rows["precision at youden"]
    assert at_best.coverage >= 0.95
    assert rows["precision at youden, exact"].coverage < 0.93


@pytest.mark.parametrize(("n", "m"), [(5, 95), (5, 1), (20, 180), (50, 50), (90, 10), (300, 700)])
def test_bands_hold_at_each_cutoff_and_at_all(n: int, m: int) -> None:
    bounds = [latent_bounds(band, n, m, 0.95) for band in ("exact", "simultaneous")]
    exact, simultaneous = study.cutoff_coverage(n, m, bounds)
    assert exact.min() >= 0.95 - 1e-9
    assert (simultaneous >= exact - 1e-9).all()
    rng = np.random.default_rng(n)
    assert study.curve_coverage(n, m, bounds, 500, rng)[1] >= 0.95 - 4 * (0.05 * 0.95 / 500) ** 0.5


def test_the_bootstrap_covers_less_the_more_is_known() -> None:
    mean = []
    for m in (3800, 200, 22):
        (coverage,) = study.cutoff_coverage(200, m, [latent_bounds("bootstrap", 200, m, 0.95)])
        mean.append(coverage.mean())
    assert mean[0] > 0.9 > mean[1] > mean[2]


@pytest.mark.parametrize("band", sorted(BANDS))
@pytest.mark.parametrize(("n", "m"), [(7, 20), (30, 30)])
def test_simulated_bands_agree_with_counted_ones(band: str, n: int, m: int) -> None:
    draws, rng = 1000, np.random.default_rng(m)
    lower, upper = latent_bounds(band, n, m, 0.95)
    whole = study.curve_coverage(n, m, [(lower, upper)], draws, rng)[0]
    assert abs(whole - joint_coverage(n, m, lower, upper)) < 4 * 0.5 / draws**0.5
    each = study.cutoff_coverage(n, m, [(lower, upper)])[0]
    held = np.zeros(n + m - 1)
    for _ in range(draws):
        known = np.zeros(n + m, dtype=np.int64)
        known[rng.permutation(n + m)[:n]] = 1
        k = np.cumsum(known)[:-1]
        latent = np.arange(1, n + m) - k
        held += (lower[k] <= latent) & (latent <= upper[k])
    assert np.abs(held / draws - each).max() < 4.5 * 0.5 / draws**0.5


def test_draws_are_those_of_the_seed_whatever_else_is_simulated() -> None:
    cells = [Cell(5, 0.5), Cell(5, 0.5, side="ties")]
    both = study.simulate(cells, [(5, 0.5)], 20, jobs=1)
    for cell in cells:
        alone = study.cell_rows(cell, 20)
        assert [row for row in both.rows if row.side == cell.side] == alone
    assert both.bands == study.band_rows(5, 0.5, 80)


# The tables


def test_the_study_writes_tables_and_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "main_grid", lambda: [Cell(50, 0.1, shape=x) for x in study.SHAPES])
    monkeypatch.setattr(study, "side_grid", lambda: [Cell(50, 0.1, side="ties")])
    kept = tmp_path / "kept.json"
    arguments = ["--draws", "10", "--jobs", "1", "--out", str(tmp_path), "--results", str(kept)]
    study.main(arguments)
    written = {path.name: path.read_text() for path in (tmp_path / "measured").iterdir()}
    study.main(arguments)  # from what was kept
    assert all((tmp_path / "measured" / name).read_text() == written[name] for name in written)
    for name, text in written.items():  # the columns of what is downloaded
        assert text.splitlines()[0] == (DOCS / "measured" / name).read_text().splitlines()[0]
    assert "\n10%,50," in written["bands.csv"]
    assert "\nties,10%,50," in written["bands_one_factor_more.csv"]
    assert (tmp_path / "images" / "coverage.png").stat().st_size > 10_000
