"""Writes the tables of ``docs/coverage.md`` and draws ``docs/images/coverage.png``."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import matplotlib.pyplot as plt
import numpy as np

from tests.support.studies.promises import Cell
from tests.support.studies.shapes import CHOSEN
from tests.support.studies.store import Found, promise_of

SURE, LOWEST = 2.0, 0.83  # standard errors; the left edge of the picture
OWN = ("beta ", "monotone,")  # promises that have a line of their own
PLAIN = ("plain", "negatives known", "two sites", "probabilities")
NEW, OLD, EDGE = "#0072B2", "#AAAAAA", "#009E73"
Measured: TypeAlias = Mapping[Cell, Found]


class Line(NamedTuple):
    """A line of a table: its cells, and what is promised of them."""

    name: str
    low: float
    cells: dict[Cell, float]


def held(cell: Cell, found: Found) -> float:
    """Return the share that counts: a miss with a warning is none where one is promised."""
    return 1 - found.silent if promise_of()[cell].unless_warned else found.covers


def is_below(cell: Cell, found: Found, errors: float = 0) -> bool:
    """Tell whether a cell holds less than is promised, by so many standard errors."""
    return held(cell, found) + errors * found.error < promise_of()[cell].low - 1e-9


def lines(measured: Measured) -> dict[str, list[Line]]:
    """Return a line for each question of plain rows, and for each other design."""
    found: dict[str, dict[str, Line]] = {"plain": {}, "designs": {}, "fails": {}}
    for cell, promise in promise_of().items():
        key = cell.promise.split(": ")[0]
        own, simple = key.startswith(OWN), cell.design in PLAIN or key == "`weigh_labels`"
        kind = "fails" if np.isnan(promise.low) else "plain" if simple and not own else "designs"
        name = key if simple or own else cell.design
        if cell in measured:
            line = found[kind].setdefault(name, Line(name, promise.low, {}))
            line.cells[cell] = held(cell, measured[cell])
            found[kind][name] = line._replace(low=min(line.low, promise.low))
    return {kind: [*each.values()] for kind, each in found.items()}


def told(share: float) -> str:
    """Write a share."""
    return f"{share:.3f}".removeprefix("0")


def name_of(cell: Cell, line: str = "") -> str:
    """Name a cell; what the line says is left out."""
    size = cell.size.split(", ")[0]
    parts = [cell.promise.removeprefix(f"{line}: "), cell.design, cell.shape, size]
    kept = [part for part in parts if part not in (line, *PLAIN)]
    return ", ".join(kept)


def table(some: Iterable[Line], measured: Measured) -> str:
    """Return a table: mean, lowest and highest share of each line."""
    rows = [["answer", "promise", "cells", "mean", "lowest", "highest", "the lowest cell"]]
    rows.append(["---"] * len(rows[0]))
    for line in some:
        worst = min(line.cells, key=lambda cell: line.cells[cell])
        shares, low = [*line.cells.values()], "none" if np.isnan(line.low) else told(line.low)
        numbers = [told(float(x)) for x in (np.mean(shares), min(shares), max(shares))]
        numbers[1] += f"±{told(measured[worst].error)}"
        rows.append([line.name, low, str(len(shares)), *numbers, name_of(worst, line.name)])
    return "".join(f"|{'|'.join(row)}|\n" for row in rows)


def below(measured: Measured) -> str:
    """Return the cells that hold less than is promised, by more than chance."""
    some = [(cell, found) for cell, found in measured.items() if is_below(cell, found, SURE)]
    some.sort(key=lambda one: held(*one))
    names = [f"* {told(held(c, f))} ± {told(f.error)}: {name_of(c)}\n" for c, f in some]
    return "".join(names) or "No cell.\n"


def summary(measured: Measured) -> str:
    """Say how much was measured."""
    draws = np.array([found.draws for found in measured.values()])
    most, error = int(np.median(draws)), told((0.0475 / np.median(draws)) ** 0.5)
    text = f"{draws.size:,} cells, {draws.min():,} to {draws.max():,} draws in each, {most:,} in "
    return f"{text}most: the standard error of a coverage of .95 is then {error}.\n"


def write(folder: Path, measured: Measured) -> None:
    """Write tables into the page, and draw the picture."""
    path, found = folder / "coverage.md", lines(measured)
    parts = {"summary": summary(measured), "below": below(measured)}
    parts |= {kind: table(some, measured) for kind, some in found.items()}
    text = path.read_text(encoding="utf-8")
    for name, part in parts.items():
        before, mark, rest = text.partition(f"<!-- {name} -->\n")
        if mark:
            text = f"{before}{mark}{part}<!-- end -->{rest.partition('<!-- end -->')[2]}"
    path.write_text(text, encoding="utf-8")
    draw(folder / "images" / "coverage.png", found["plain"] + found["designs"])


def draw(path: Path, some: Sequence[Line]) -> None:
    """Draw a dot for each cell."""
    figure, ax = plt.subplots(figsize=(6.5, 0.27 * len(some) + 1), layout="constrained")
    rng = np.random.default_rng(0)
    for place, line in enumerate(some):
        ax.barh(place, 1 - line.low, left=line.low, color=EDGE, alpha=0.15)
        share = np.maximum(np.array([*line.cells.values()]), LOWEST + 0.001)
        colors = [OLD if cell.shape in CHOSEN else NEW for cell in line.cells]
        height = place + rng.uniform(-0.3, 0.3, share.size)
        ax.scatter(share, height, s=6, color=colors, alpha=0.8, linewidths=0, clip_on=False)
    for color, text in ((NEW, "other distribution"), (OLD, "distribution used to choose methods")):
        ax.plot([], [], "o", color=color, markersize=4, label=text)
    ax.plot([], [], color=EDGE, linewidth=7, alpha=0.25, label="promise")
    ax.axvline(0.95, color="0.3", linewidth=0.8, zorder=1)
    ax.set(ylim=(len(some) - 0.4, -0.6), xlim=(LOWEST, 1.002))
    ax.set_yticks(range(len(some)), [line.name.replace("`", "") for line in some], fontsize=8)
    ax.set_xlabel("coverage of 95% intervals (dots at the left edge: lower)")
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, frameon=False, fontsize=8)
    ax.spines[["top", "right", "left"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=144)
    plt.close(figure)
