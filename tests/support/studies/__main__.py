"""Measure each promise, and write the page and the picture: ``python -m tests.support.studies``.

What was measured is kept in ``docs/measured/coverage.csv``, cell by cell as they come. A cell that
is there with as many draws is not drawn again, unless ``--again`` says so. Each draw has a seed of
its own, of the cell and its number. A cell that falls below what is promised, by more than its
standard error, is drawn five times as often: to tell chance from a fault. ``--draws 0`` only
writes the page and the picture.
"""

import argparse
from collections.abc import Sequence
from contextlib import nullcontext
from multiprocessing import get_context
from pathlib import Path

from tests.support.studies import page, store
from tests.support.studies.promises import Cell

MORE = 5


def measure(path: Path, cells: Sequence[Cell], draws: int, workers: int, again: bool) -> None:
    """Look at some cells, and keep what is found."""
    found, commit = store.read(path), store.package_commit()
    found = {cell: one for cell, one in found.items() if not (again and cell in cells)}
    with get_context("spawn").Pool(workers) if workers else nullcontext() as pool:
        for count in (draws, MORE * draws):
            due = [c for c in cells if count == draws or page.is_below(c, found[c], 1)]
            due = [c for c in due if c not in found or found[c].draws < count]
            jobs = [(cell, count, commit, found.get(cell)) for cell in due]
            each = pool.imap_unordered if pool else map
            for cell, one in each(store.look_at, jobs):
                found[cell] = one
                store.write(path, found)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--draws", type=int, default=500, help="in a cell; 0: only write")
    parser.add_argument("--only", default="", help="cells whose name has these words")
    parser.add_argument("--workers", type=int, default=2, help="processes; 0: this one")
    parser.add_argument("--again", action="store_true", help="measure what was measured, too")
    parser.add_argument("--out", type=Path, default=Path("docs"), help="the folder of the manual")
    asked = parser.parse_args(arguments)
    path = asked.out / "measured" / "coverage.csv"
    if asked.draws:
        some = [cell for cell in store.promise_of() if asked.only in "; ".join(cell)]
        measure(path, some, asked.draws, asked.workers, asked.again)
    page.write(asked.out, store.read(path))


if __name__ == "__main__":
    main()
