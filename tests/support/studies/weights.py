"""Do intervals of rows that stand for several hold what is true of new examples?

Run ``python -m tests.support.studies.weights --draws 400``, from the root. Writes
``build/measured/weights.csv``: a row for each cell and metric.

Rows of a population are kept with some probability, and stand for one over it. A draw without an
interval is a miss. New examples have the prevalence of the draw, which the package takes as given;
beta is the share of positives in the population.
"""

import argparse
import csv
import warnings
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from pu_accessor import from_arrays
from pu_accessor.errors import PUError, PUWarning
from pu_accessor.ranking import BoolArray, FloatArray
from tests.support.studies.clusters import (
    DIGITS,
    FINE,
    FIRST,
    METRIC_NAMES,
    METRICS,
    SHAPES,
    digits,
    scores,
    truths,
)
from tests.support.studies.tables import table_path

SEED, PREVALENCE = 20261124, 0.2
TABLE = table_path("weights")

Rng = np.random.Generator
Weigh = Callable[[FloatArray, BoolArray, Rng], FloatArray]


class Cell(NamedTuple):
    """A shape of scores, how rows were kept, and how many known positives are, on average."""

    shape: str
    kept: str
    known: int


class Row(NamedTuple):
    """How often an interval held the truth, with weights and without."""

    cell: Cell
    metric: str
    draws: int
    truth: float
    coverage: float
    below: float  # share of draws with the truth below the interval
    above: float
    missing: float
    width: float
    unweighted_coverage: float
    unweighted_width: float


HEAD = (*Cell._fields, *Row._fields[1:])


def by_score(score: FloatArray, known: BoolArray, _: Rng) -> FloatArray:
    """One in twenty of the worse half that is not known."""
    return np.where(known | (score > np.median(score)), 1.0, 20.0)


def by_site(score: FloatArray, _: BoolArray, rng: Rng) -> FloatArray:
    """One in five of a half, labels or no labels."""
    return np.where(rng.random(score.size) < 0.5, 5.0, 1.0)


def uneven(score: FloatArray, _: BoolArray, rng: Rng) -> FloatArray:
    """Between all and one in thirty of any rows."""
    return np.exp(rng.uniform(0, np.log(30), score.size))


def one_in_ten(_: FloatArray, known: BoolArray, __: Rng) -> FloatArray:
    """One in ten of all that is not known."""
    return np.where(known, 1.0, 10.0)


class Kept(NamedTuple):
    """How rows are kept, the share of positives that is known, and which part of it is kept."""

    weigh: Weigh
    known: float = 0.4
    left: float = 1.0


KEPT: Mapping[str, Kept] = {
    "one in ten": Kept(one_in_ten, 0.1),
    "one in ten of few": Kept(one_in_ten),  # 57 rows are left of the rest, of 50 known
    "by score": Kept(by_score),
    "by site": Kept(by_site, left=0.6),
    "uneven": Kept(uneven, left=0.284),
}


def draw(cell: Cell, rng: Rng) -> pd.DataFrame:
    """Draw the rows of a cell."""
    kept = KEPT[cell.kept]
    size = int(cell.known / (PREVALENCE * kept.known * kept.left))
    positive = rng.random(size) < PREVALENCE
    if cell.shape == DIGITS:
        kinds = (rng.choice(pool, size) for pool in digits())
    else:
        rows = rng.integers(FINE, size=size)
        kinds = (kind[rows] for kind in scores(cell.shape)[:2])
    score = np.where(positive, *kinds)
    known = positive & (rng.random(size) < kept.known)
    weight = kept.weigh(score, known, rng)
    rows_kept = rng.random(size) < 1 / weight
    frame = pd.DataFrame({"score": score, "known": known, "weight": weight})
    return frame[rows_kept]


def answers(
    sample: pd.DataFrame, threshold: float, share: float, weighted: bool
) -> list[tuple[float, float]]:
    """Return the package's limits; NaN where it has none."""
    label = np.where(sample["known"], 1.0, np.nan)
    weight = sample["weight"].to_numpy() if weighted else None
    pu = from_arrays(sample["score"].to_numpy(), label, weight=weight)
    asked: list[Callable[[], pd.DataFrame]] = [
        lambda: pu.auroc(share),
        lambda: pu.average_precision(share),
        *(
            lambda metric=metric: pu.metric(
                metric, share, at={"threshold": threshold}, target="population"
            )
            for metric in METRICS
        ),
    ]
    limits = []
    for question in asked:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PUWarning)
                row = question().iloc[0]
            limits.append((float(row["lower"]), float(row["upper"])))
        except PUError:
            limits.append((np.nan, np.nan))
    return limits


def look(cell: Cell, draws: int) -> list[Row]:
    """Simulate a cell."""
    rng = np.random.default_rng([SEED, *"".join(map(str, cell)).encode()])
    seen = PREVALENCE * KEPT[cell.kept].known
    share = (PREVALENCE - seen) / (1 - seen)
    threshold = scores(cell.shape).threshold
    held = np.empty((2, len(METRIC_NAMES), draws, 2))
    truth = np.empty((len(METRIC_NAMES), draws))
    for turn in range(draws):
        sample = draw(cell, rng)
        for arm, weighted in enumerate((True, False)):
            held[arm, :, turn] = answers(sample, threshold, share, weighted)
        known = float(np.average(sample["known"], weights=sample["weight"]))
        true = truths(cell.shape, known + share * (1 - known))
        truth[:, turn] = [true[metric] for metric in METRIC_NAMES]
    return [_row(cell, name, truth[k], held[:, k]) for k, name in enumerate(METRIC_NAMES)]


def _row(cell: Cell, name: str, truth: FloatArray, limits: FloatArray) -> Row:
    """Count how often limits hold the truth; shape (2, draws, 2)."""
    lower, upper = np.moveaxis(limits, 2, 0)
    missing = np.isnan(upper - lower)
    below, above = truth < lower - 1e-9, truth > upper + 1e-9
    covers = (~(missing | below | above)).mean(axis=1)
    width = np.nanmean(upper - lower, axis=1)
    rates = [float(each[0].mean()) for each in (below, above, missing)]
    mine = float(truth.mean()), float(covers[0]), *rates, float(width[0])
    return Row(cell, name, truth.size, *mine, float(covers[1]), float(width[1]))  # type: ignore[call-arg]


def cells() -> Iterator[Cell]:
    """Return all cells."""
    for kept, known in product(KEPT, (20, 50, 200)):
        yield Cell(FIRST, kept, known)
    for shape, kept in product((*(*SHAPES,)[1:], DIGITS), KEPT):
        if kept != "one in ten of few":
            yield Cell(shape, kept, 50)


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--draws", type=int, default=400, help="in a cell")
    parser.add_argument("--only", nargs="*", help="parts of names of cells")
    parser.add_argument("--out", type=Path, default=TABLE)
    asked = parser.parse_args()
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    lines: list[list[str]] = []
    for cell in cells():
        name = ", ".join(map(str, cell))
        if asked.only and not any(part in name for part in asked.only):
            continue
        rows = look(cell, asked.draws)
        for row in rows:
            parts = (*row.cell, *row[1:])
            lines.append(
                [f"{part:.4g}" if isinstance(part, float) else str(part) for part in parts]
            )
        told = (f"{row.coverage:.3f}|{row.unweighted_coverage:.3f}" for row in rows)
        print(*cell, *told, sep="  ", flush=True)
        with asked.out.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([HEAD, *lines])


if __name__ == "__main__":
    main()
