"""Writes what was measured into the pages: a table of promises, then all cells.

Each table stands between two marker lines of its page; what is around them stays.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from tests.support.studies import shapes
from tests.support.studies.cells import PROMISES, Promise
from tests.support.studies.coverage import markdown
from tests.support.studies.store import Measured

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
    if np.isnan(value):
        return ""
    return f"{value:.3f}".removeprefix("0")


def wanted(promise: Promise) -> str:
    """Write the range that is promised."""
    if promise.high > 1:
        return f"{share(promise.low)} and more"
    return f"{share(promise.low)} to {share(promise.high)}"


def promise_table(rows: Rows) -> str:
    """Return a row for each promise: cells that were not looked at before, and those that were."""
    body = []
    for promise in PROMISES:
        mine = [row for row in rows if row.promise == promise.name]
        if not mine:
            continue
        parts = [[row for row in mine if row.chosen is chosen] for chosen in (False, True)]
        numbers = [_numbers(promise, part) for part in parts]
        pairs = [" · ".join(pair) for pair in zip(*numbers, strict=True)]
        error = max(row.error for row in mine)
        told = share(error) if error else "none"
        body.append([promise.text, wanted(promise), *pairs, told, _where(promise, mine)])
    head = ["promise", "wanted", "cells", "lowest", "mean", "highest", "below", "above"]
    return markdown([*head, "error, at most", "where it fails most"], body)


def _where(promise: Promise, rows: Rows) -> str:
    missed = [row for row in outside(promise, rows) if held(promise, row) < promise.low]
    return f"{missed[0].shape}, {missed[0].design}" if missed else "–"


def _numbers(promise: Promise, rows: Rows) -> list[str]:
    if not rows:
        return ["–"] * 6
    covers = [held(promise, row) for row in rows]
    low = sum(x < promise.low - 5e-5 for x in covers)
    high = sum(x > promise.high + 5e-5 for x in covers)
    extremes = [min(covers), float(np.mean(covers)), max(covers)]
    return [str(len(covers)), *map(share, extremes), str(low), str(high)]


def missed_table(rows: Rows, *, below: bool) -> str:
    """Return all cells below, or above, what is promised."""
    body = []
    for promise in PROMISES:
        mine = outside(promise, [row for row in rows if row.promise == promise.name])
        for row in mine:
            if (held(promise, row) < promise.low) is below:
                body.append([*_named(promise, row), *_found(row), _sure(promise, row)])
    head = ["promise", "shape", "design", "chosen on", *COLUMNS, "by more than its error"]
    return markdown(head, body) if body else "None.\n"


COLUMNS = ("draws", "covers", "error", "truth below", "truth above", "warned")


def _named(promise: Promise, row: Measured) -> list[str]:
    return [promise.text, row.shape, row.design, "yes" if row.chosen else ""]


def _found(row: Measured) -> list[str]:
    numbers = row.found.covers, row.error, row.found.below, row.found.above, row.found.warned
    return [f"{row.draws:,}" if row.draws else "computed", *map(share, numbers)]


def _sure(promise: Promise, row: Measured) -> str:
    return "yes" if off(promise, row) > SURE * row.error else ""


def cell_tables(rows: Rows) -> str:
    """Return a table of all cells for each promise."""
    parts = []
    for promise in PROMISES:
        mine = [row for row in rows if row.promise == promise.name]
        head = ["shape", "design", "chosen on", *COLUMNS, "width"]
        body = [[*_named(promise, row)[1:], *_found(row), share(row.found.width)] for row in mine]
        title = f"## {promise.text}, {wanted(promise)}"
        parts += [f"{title}\n", f"Measured at {_commits(mine)}.\n", markdown(head, body)]
    return "\n".join(parts)


def _commits(rows: Rows) -> str:
    return ", ".join(sorted({row.commit for row in rows}))


def new_table(rows: Rows) -> str:
    """Return the cells of what speaks of new examples."""
    names = {
        "auroc, new, n = 5": "auroc",
        "auroc, new": "auroc",
        "average precision, new": "average precision",
        "threshold": "metric",
        "compare": "compare",
    }
    body = []
    for row in (row for row in rows if row.promise in names):
        cell = [names[row.promise], f"{row.shape}, {row.design}", share(row.found.truth)]
        body.append([*cell, *_found(row)[:-1], share(row.found.width)])
    return markdown(["number", "cell", "truth", *COLUMNS[:-1], "width"], body)


def shape_tables(rows: Rows) -> str:
    """Return a row for each shape and a column for each design, of these examples."""
    parts = []
    for names, title in ((shapes.OTHERS, "not chosen on"), (shapes.CHOSEN, "chosen on")):
        for area, kinds in _THESE.items():
            mine = [row for row in rows if row.promise in kinds]
            designs = list(dict.fromkeys(row.design for row in mine if row.shape in names))
            found = {(row.shape, row.design): share(row.found.covers) for row in mine}
            body = [[name, *(found.get((name, each), "–") for each in designs)] for name in names]
            parts += [f"### {area}, shapes the intervals were {title}\n"]
            parts += [markdown(["shape", *designs], body)]
    return "\n".join(parts)


_THESE = {
    "AUROC": ("auroc, these, n = 5", "auroc, these"),
    "Average precision": ("average precision, these",),
}


def matching_tables(rows: Rows) -> str:
    """Return the cells of mean matching: a row for each shape, its lowest and highest coverage."""
    mine = [row for row in rows if row.promise == "mean matching"]
    body = []
    for shape in dict.fromkeys(row.shape for row in mine):
        some = sorted(
            (row for row in mine if row.shape == shape), key=lambda row: row.found.covers
        )
        covers = [row.found.covers for row in some]
        extremes = [f"{share(row.found.covers)} ({row.design})" for row in (some[0], some[-1])]
        numbers = [str(len(some)), share(float(np.mean(covers))), *extremes]
        body.append([shape, "yes" if some[0].chosen else "", *numbers])
    return markdown(["positives", "chosen on", "cells", "mean", "lowest", "highest"], body)


PAGES: Mapping[str, Mapping[str, Callable[[Rows], str]]] = {
    "coverage_promises.md": {
        "promises": promise_table,
        "cells below": lambda rows: missed_table(rows, below=True),
    },
    "coverage_cells.md": {
        "cells above": lambda rows: missed_table(rows, below=False),
        "all cells": cell_tables,
    },
    "population.md": {"new examples": new_table},
    "shapes.md": {"shapes": shape_tables},
    "beta_coverage.md": {"mean matching": matching_tables},
}


def insert(text: str, name: str, generated: str) -> str:
    """Replace what stands between the marker lines of a table."""
    begin, end = (
        f"<!-- begin: python -m tests.support.studies, {name} -->",
        f"<!-- end: {name} -->",
    )
    before, rest = text.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n\n{generated}\n{end}{after}"


def write(folder: Path, rows: Rows) -> None:
    """Write all tables anew."""
    order = {promise.name: place for place, promise in enumerate(PROMISES)}
    ordered = sorted(rows, key=lambda row: order[row.promise])
    for page, tables in PAGES.items():
        text = (folder / page).read_text(encoding="utf-8")
        for name, table in tables.items():
            text = insert(text, name, table(ordered))
        (folder / page).write_text(text, encoding="utf-8")
