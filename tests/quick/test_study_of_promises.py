"""The study of all promises: what is kept, and that its summary hides nothing."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.support.studies import store, summary
from tests.support.studies.__main__ import main
from tests.support.studies.cells import PROMISES, Found, Promise
from tests.support.studies.store import Measured

DOCS = Path(__file__).parents[2] / "docs"
ROWS = list(store.read(DOCS / "measured" / "coverage.csv").values())


def measure(name: str, place: int) -> Measured:
    """Measure the first or the last cell of a promise again."""
    promise = next(promise for promise in PROMISES if promise.name == name)
    return store.measure(promise, [*promise.tasks()][place], 4, "0123abc")


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


def test_all_cells_outside_are_counted_and_none_is_hidden() -> None:
    head = [*summary.PROMISED, *summary.SUMMED]
    rows = [dict(zip(head, row, strict=True)) for row in summary.promise_rows(ROWS)]
    assert sum(int(row["cells"]) for row in rows) == len(ROWS)
    for side in ("below", "above"):
        expected, below = 0, side == "below"
        for promise in PROMISES:
            found = np.array([summary.held(promise, row) for row in of(promise)])
            far = found < promise.low - 5e-5 if below else found > promise.high + 5e-5
            expected += int(far.sum())
        assert len(summary.missed_rows(ROWS, below=below)) == expected > 0
        assert sum(int(row[side]) for row in rows) == expected


def test_summaries_are_those_of_what_was_measured(tmp_path: Path) -> None:
    (tmp_path / "measured").mkdir()
    shutil.copy(DOCS / "measured" / "coverage.csv", tmp_path / "measured")
    main(["--draws", "0", "--out", str(tmp_path)])
    for name in ("promises.csv", "outside.csv"):
        written = (tmp_path / "measured" / name).read_text("utf-8")
        assert written == (DOCS / "measured" / name).read_text("utf-8")
    assert (tmp_path / "images" / "promises.png").stat().st_size > 10_000


def test_a_miss_with_a_warning_is_none_where_one_is_promised() -> None:
    named = {promise.name: promise for promise in PROMISES}
    warned, other = named["tightest"], named["curve"]
    row = Measured("", "", "", False, 100, "", Found(0.8, warned=0.9, silent=0.02))
    assert summary.held(warned, row) == pytest.approx(0.98)
    assert summary.held(other, row) == 0.8
    assert summary.outside(warned, [row]) == [] and summary.outside(other, [row]) == [row]


def test_what_is_kept_is_what_was_found(tmp_path: Path) -> None:
    row = measure("tightest", 0)
    assert row.draws == 4 and row.found.covers in (0, 0.25, 0.5, 0.75, 1)
    store.write(tmp_path / "kept" / "cells.csv", [row])
    again = store.read(tmp_path / "kept" / "cells.csv")[row.cell]
    assert again[:-1] == row[:-1]
    np.testing.assert_allclose(again.found, row.found, atol=1e-4)
