"""What was measured, cell by cell: ``docs/measured/coverage.csv``."""

import csv
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests.support.studies.cells import Found, Promise, Task

ROOT = Path(__file__).parents[3]
DIGITS = 4


class Measured(NamedTuple):
    """A cell with what was found in it."""

    promise: str
    shape: str
    design: str
    chosen: bool
    draws: int  # 0: computed
    commit: str  # the last that changed the package
    found: Found

    @property
    def cell(self) -> tuple[str, str, str]:
        """What nothing else has."""
        return self[:3]

    @property
    def error(self) -> float:
        """Standard error of the coverage."""
        covers = self.found.covers
        return float(np.sqrt(covers * (1 - covers) / self.draws)) if self.draws else 0.0


HEAD = (*Measured._fields[:-1], *Found._fields)


def package_commit() -> str:
    """Return the last commit that changed the package, short."""
    command = ["git", "log", "-1", "--format=%h", "--", "pu_accessor"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def measure(promise: Promise, task: Task, draws: int, commit: str) -> Measured:
    """Look at a cell."""
    count = round(draws * task.times)
    found = Found(*map(float, task.look(count)))
    return Measured(promise.name, task.shape, task.design, task.chosen, count, commit, found)


def read(path: Path) -> dict[tuple[str, str, str], Measured]:
    """Return what was measured, by cell."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    found = map(_parse, rows)
    return {one.cell: one for one in found}


def _parse(row: list[str]) -> Measured:
    promise, shape, design, chosen, draws, commit, *texts = row
    found = Found(*(float(text or "nan") for text in texts))
    return Measured(promise, shape, design, chosen == "True", int(draws), commit, found)


def write(path: Path, rows: Iterable[Measured]) -> None:
    """Write all that was measured."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(HEAD)
        for row in rows:
            numbers = ["" if np.isnan(x) else f"{x:.{DIGITS}f}" for x in row.found]
            table.writerow([*row[:-1], *numbers])
