"""Where studies write their tables, as CSV files.

Tables that a page of the manual links are in ``docs/measured``. All others are details: a study
writes them to ``build/measured`` when it runs.
"""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[3]
MEASURED = ROOT / "docs" / "measured"
DETAILS = ROOT / "build" / "measured"
PUBLISHED = {
    *("bands", "benchmarks", "benchmarks_costs", "clusters", "coverage", "joint"),
    *("monotone_summary", "outside", "planning", "practice", "promises", "selection"),
}


def table_path(name: str) -> Path:
    """Return the file of a table; its folder may not exist yet."""
    return (MEASURED if name in PUBLISHED else DETAILS) / f"{name}.csv"


def write_table(
    name: str, head: Sequence[str], body: Iterable[Sequence[object]], folder: Path | None = None
) -> None:
    """Write a table with distinct names of columns, to another folder if one is given."""
    if len(set(head)) < len(head):
        raise ValueError(f"columns of the same name: {head}")
    path = folder / f"{name}.csv" if folder else table_path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *body])
