"""Draws a cell, and keeps what was found: ``docs/measured/coverage.csv``."""

import csv
import subprocess
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from pu_accessor.errors import PUError, PUWarning
from tests.support.studies.designs import world
from tests.support.studies.promises import PROMISES, Cell, Promise

ROOT = Path(__file__).parents[3]
SEED, NEAR = 20261128, 1e-9


class Found(NamedTuple):
    """What was found in a cell: shares of draws, and the mean width where it is finite."""

    draws: int
    covers: float
    below: float  # some truth below its interval
    above: float
    missing: float  # without an answer: a miss
    silent: float  # missed without a warning
    warned: float
    width: float
    commit: str  # the last that changed the package

    @property
    def error(self) -> float:
        """Standard error of the coverage."""
        return float(np.sqrt(self.covers * (1 - self.covers) / self.draws))


def package_commit() -> str:
    """Return the last commit that changed the package, short."""
    command = ["git", "log", "-1", "--format=%h", "--abbrev=8", "--", "pu_accessor"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()


Job: TypeAlias = tuple[Cell, int, str, Found | None]


@cache
def promise_of() -> dict[Cell, Promise]:
    """Return the promise of each cell."""
    return {cell: promise for promise in PROMISES for cell in promise.cells()}


def look(cell: Cell, draws: int, commit: str, before: Found | None = None) -> Found:
    """Draw a cell; draws of before, by the same package, are kept."""
    kept = before if before and before.commit == commit else None
    words, promise = "; ".join(cell).encode(), promise_of()[cell]
    rows = [
        _draw(promise, cell, np.random.default_rng([SEED, turn, *words]))
        for turn in range(kept.draws if kept else 0, draws)
    ]
    if kept:
        rows += [kept[1:-1]] * kept.draws
    with warnings.catch_warnings():  # of means of nothing
        warnings.simplefilter("ignore", RuntimeWarning)
        means = np.nanmean(np.array(rows, np.float64), axis=0).tolist()
    return Found._make([draws, *means, commit])


def look_at(job: Job) -> tuple[Cell, Found]:
    """Look at a cell, here or in another process."""
    return job[0], look(*job)


def _draw(promise: Promise, cell: Cell, rng: np.random.Generator) -> tuple[float, ...]:
    """Return what a draw adds to each share."""
    one = world(cell.design, cell.shape, promise.cells()[cell], rng)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            lower, upper, truth, jointly = promise.ask(one)
        except PUError:
            return 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, np.nan
    warned = any(issubclass(each.category, PUWarning) for each in caught)
    below, above = truth < lower - NEAR, truth > upper + NEAR
    none = np.isnan(upper - lower) & ~np.isnan(truth)  # no miss where there is no truth
    held = np.asarray(~(below | above | none), float)
    covers = float(held.all() if jointly else held.mean())
    width = np.asarray(upper - lower, float)
    mean = float(width[np.isfinite(width)].mean()) if np.isfinite(width).any() else np.nan
    sides = (float(np.mean(side)) for side in (below, above, none))
    return covers, *sides, (1 - covers) * (not warned), float(warned), mean


def read(path: Path) -> dict[Cell, Found]:
    """Return what was measured, by cell; cells that nothing promises any more are left out."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        rows = [(Cell(*row[:4]), row[4:]) for row in list(csv.reader(file))[1:]]
    return {
        cell: Found._make([int(draws), *(float(x or "nan") for x in shares), commit])
        for cell, (draws, *shares, commit) in rows
        if cell in promise_of()
    }


def write(path: Path, found: Mapping[Cell, Found]) -> None:
    """Write all that was measured."""
    body = []
    for cell in filter(found.__contains__, promise_of()):
        draws, *shares, commit = found[cell]
        numbers = ["" if np.isnan(x) else f"{x:.4f}" for x in map(float, shares)]
        body.append([*cell, draws, *numbers, commit])
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        head = [*Cell._fields, *Found._fields]
        csv.writer(file, lineterminator="\n").writerows([head, *body])
