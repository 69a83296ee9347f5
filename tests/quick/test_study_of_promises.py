"""The study of all promises: what is kept, and that its summary hides nothing."""

import shutil
from pathlib import Path

import pytest

from tests.support.studies import store
from tests.support.studies.__main__ import main
from tests.support.studies.cells import PROMISES, Promise
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
