"""The study of all promises: what is kept, and that pages hide nothing of it."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.support.studies import pages, store
from tests.support.studies.__main__ import main
from tests.support.studies.cells import PROMISES, Found, Promise
from tests.support.studies.store import Measured

DOCS = Path(__file__).parents[2] / "docs"
ROWS = list(store.read(DOCS / "measured" / "coverage.csv").values())


def of(promise: Promise) -> list[Measured]:
    return [row for row in ROWS if row.promise == promise.name]


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.name)
def test_each_cell_was_measured(promise: Promise) -> None:
    cells = [(task.shape, task.design, task.chosen) for task in promise.tasks()]
    assert len(set(cells)) == len(cells)
    assert {(row.shape, row.design, row.chosen) for row in of(promise)} == set(cells)
    assert any(not chosen for *_, chosen in cells)  # that nobody looked at before
    assert all(len(row.commit) >= 7 for row in of(promise))


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.name)
def test_what_was_not_looked_at_is_not_what_was(promise: Promise) -> None:
    looked_at = {(row.shape, row.design) for row in of(promise) if row.chosen}
    assert looked_at.isdisjoint((row.shape, row.design) for row in of(promise) if not row.chosen)


def test_no_cell_outside_is_hidden() -> None:
    for below in (True, False):
        table = pages.missed_table(ROWS, below=below)
        expected = 0
        for promise in PROMISES:
            found = np.array([pages.held(promise, row) for row in of(promise)])
            far = found < promise.low - 5e-5 if below else found > promise.high + 5e-5
            expected += int(far.sum())
        assert table.count("\n| ") - 1 == expected > 0


def test_pages_are_written_from_what_was_measured(tmp_path: Path) -> None:
    for page in pages.PAGES:
        shutil.copy(DOCS / page, tmp_path / page)
    shutil.copytree(DOCS / "measured", tmp_path / "measured")
    main(["--draws", "0", "--out", str(tmp_path)])
    for page in pages.PAGES:
        assert (tmp_path / page).read_text("utf-8") == (DOCS / page).read_text("utf-8")
    assert (tmp_path / "images" / "promises.png").stat().st_size > 10_000


def test_a_miss_with_a_warning_is_none_where_one_is_promised() -> None:
    (warned,) = (promise for promise in PROMISES if promise.name == "tightest")
    (other,) = (promise for promise in PROMISES if promise.name == "curve")
    row = Measured("", "", "", False, 100, "", Found(0.8, warned=0.9, silent=0.02))
    assert pages.held(warned, row) == pytest.approx(0.98)
    assert pages.held(other, row) == 0.8
    assert pages.outside(warned, [row]) == [] and pages.outside(other, [row]) == [row]


def test_what_is_kept_is_what_was_found(tmp_path: Path) -> None:
    promise = next(promise for promise in PROMISES if promise.name == "tightest")
    task = next(promise.tasks())
    row = store.measure(promise, task, 4, "0123abc")
    assert row.draws == 4 and row.found.covers in (0, 0.25, 0.5, 0.75, 1)
    store.write(tmp_path / "kept" / "cells.csv", [row])
    again = store.read(tmp_path / "kept" / "cells.csv")[row.cell]
    assert again[:-1] == row[:-1]
    np.testing.assert_allclose(again.found, row.found, atol=1e-4)


@pytest.mark.parametrize("name", ["weighted auroc", "mean matching", "auroc, these", "cutoff"])
def test_a_cell_can_be_measured_again(name: str) -> None:
    promise = next(promise for promise in PROMISES if promise.name == name)
    *_, task = promise.tasks()
    row = store.measure(promise, task, 4, "0123abc")
    assert 0 <= row.found.covers <= 1
