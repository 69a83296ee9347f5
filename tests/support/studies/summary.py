"""Sums up what was measured: a row for each promise, and all cells outside of what is promised."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from tests.support.studies.cells import PROMISES, Promise
from tests.support.studies.store import Measured
from tests.support.studies.tables import write_table

Rows: TypeAlias = Sequence[Measured]
SURE = 2.5  # standard errors: of so many cells, that many come out outside by chance


def held(promise: Promise, row: Measured) -> float:
    """Return the coverage that counts: a miss with a warning is none where one is promised."""
    return 1 - row.found.silent if promise.unless_warned else row.found.covers


def off(promise: Promise, row: Measured) -> float:
    """Return by how much a cell misses the promise; not positive where it does not."""
    return max(promise.low - held(promise, row), held(promise, row) - promise.high)


def outside(promise: Promise, rows: Iterable[Measured]) -> list[Measured]:
    """Return the cells outside, the worst first."""
    missed = [row for row in rows if off(promise, row) > 5e-5]
    return sorted(missed, key=lambda row: held(promise, row))


def share(value: float) -> str:
    """Write a share."""
    return "" if np.isnan(value) else f"{value:.3f}"


PROMISED = ("promise", "text", "least", "most", "chosen on")
SUMMED = ("cells", "lowest", "mean", "highest", "below", "above", "largest error", "lowest cell")


def promise_rows(rows: Rows) -> list[list[str]]:
    """Return two rows for each promise: of cells that were not looked at before, and of others."""
    body = []
    for promise in PROMISES:
        for chosen in (False, True):
            mine = [row for row in rows if (row.promise, row.chosen) == (promise.name, chosen)]
            if mine:
                most = share(min(promise.high, 1.0))
                told = [promise.name, promise.text, share(promise.low), most, str(chosen)]
                body.append([*told, *_numbers(promise, mine)])
    return body


def _numbers(promise: Promise, rows: Rows) -> list[str]:
    covers = [held(promise, row) for row in rows]
    low = sum(x < promise.low - 5e-5 for x in covers)
    high = sum(x > promise.high + 5e-5 for x in covers)
    lowest = rows[int(np.argmin(covers))]
    extremes = [min(covers), float(np.mean(covers)), max(covers)]
    error = share(max(row.error for row in rows))
    cell = f"{lowest.shape}, {lowest.design}"
    return [str(len(covers)), *map(share, extremes), str(low), str(high), error, cell]


MISSED = ("promise", "side", "shape", "design", "chosen on", "draws")
FOUND = ("covers", "error", "truth below", "truth above", "warned", "by more than its error")


def missed_rows(rows: Rows, *, below: bool) -> list[list[str]]:
    """Return all cells below, or above, what is promised."""
    body = []
    for promise in PROMISES:
        for row in outside(promise, [row for row in rows if row.promise == promise.name]):
            if (held(promise, row) < promise.low) is below:
                side = "below" if below else "above"
                named = [promise.name, side, row.shape, row.design, str(row.chosen)]
                numbers = row.found.covers, row.error, *row.found[1:3], row.found.warned
                sure = str(off(promise, row) > SURE * row.error)
                body.append([*named, str(row.draws), *map(share, numbers), sure])
    return body


def write(folder: Path, rows: Rows) -> None:
    """Write both tables."""
    write_table("promises", [*PROMISED, *SUMMED], promise_rows(rows), folder)
    missed = [row for below in (True, False) for row in missed_rows(rows, below=below)]
    write_table("outside", [*MISSED, *FOUND], missed, folder)
