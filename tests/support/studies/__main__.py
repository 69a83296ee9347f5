"""Measure each promise, and sum up what was found.

Run ``python -m tests.support.studies``, from the project's root.

What was measured is kept in ``docs/measured/coverage.csv``, cell by cell as they come; cells that
are there already, with as many draws, are not drawn again, unless ``--again`` says so. Draws of a
cell do not depend on the other cells. ``promises.csv``, ``outside.csv`` and the picture are
written from that file, and from it alone with ``--draws 0``.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from tests.support.studies import picture, store, summary
from tests.support.studies.cells import PROMISES, Promise


def measure(path: Path, promises: Sequence[Promise], draws: int, again: bool) -> None:
    """Look at all cells of some promises, and keep what is found."""
    found, commit = store.read(path), store.package_commit()
    known = {(one.name, task.shape, task.design) for one in PROMISES for task in one.tasks()}
    found = {cell: row for cell, row in found.items() if cell in known}
    for promise in promises:
        for task in promise.tasks():
            cell = (promise.name, task.shape, task.design)
            least = 0 if again else round(draws * task.times)
            if again or cell not in found or found[cell].draws < least:
                found[cell] = store.measure(promise, task, draws, commit)
                store.write(path, found.values())
        print(promise.name, flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    names = [promise.name for promise in PROMISES]
    parser.add_argument("--draws", type=int, default=1000, help="in a cell; 0: only sum up")
    parser.add_argument("--only", nargs="*", choices=names, default=names, help="promises")
    parser.add_argument("--again", action="store_true", help="measure what was measured, too")
    parser.add_argument("--out", type=Path, default=Path("docs"), help="the folder of the manual")
    asked = parser.parse_args(arguments)
    path = asked.out / "measured" / "coverage.csv"
    if asked.draws:
        chosen = [promise for promise in PROMISES if promise.name in asked.only]
        measure(path, chosen, asked.draws, asked.again)
    rows = list(store.read(path).values())
    summary.write(path.parent, rows)
    picture.draw(asked.out / "images" / "promises.png", rows)


if __name__ == "__main__":
    main()
