"""Writes tables of measurements as CSV files, those of the manual in ``docs/measured``."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[3]
MEASURED = ROOT / "docs" / "measured"


def write_table(
    name: str, head: Sequence[str], body: Iterable[Sequence[object]], folder: Path | None = None
) -> None:
    """Write a table with distinct names of columns, to another folder if one is given."""
    if len(set(head)) < len(head):
        raise ValueError(f"columns of the same name: {head}")
    path = (folder or MEASURED) / f"{name}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *body])
