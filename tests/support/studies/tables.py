"""Tables of studies, as files that anybody can read: ``docs/measured/NAME.csv``."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

MEASURED = Path(__file__).parents[3] / "docs" / "measured"


def write_table(
    name: str, head: Sequence[str], body: Iterable[Sequence[object]], folder: Path = MEASURED
) -> None:
    """Write a table, with one name for each column."""
    if len(set(head)) < len(head):
        raise ValueError(f"columns of the same name: {head}")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *body])
