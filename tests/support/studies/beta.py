"""How often do the limits on beta hold it? ``python -m tests.support.studies.beta --draws 2000``.

Run from the root of the project. Scores are drawn, labels are hidden, and `estimate_beta` is asked
what beta is, cell by cell, each from a seed of its own. The cells that come out worst are drawn
again, from other seeds and more often, so that the worst of many is not taken for a finding.
Writes ``build/measured/beta_feasible.csv``, ``beta_again.csv`` and ``beta_goals.csv``. Mean
matching is measured by ``python -m tests.support.studies``, with the other promises.

Frames are not made: arrays are ranked and the functions behind the public method answer. The
first draw of each cell goes through ``df.pu.estimate_beta``, too: they must agree.
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from scipy import stats

import pu_accessor  # noqa: F401  registers df.pu
from pu_accessor import PUWarning
from pu_accessor.inference.prior.estimators import METHODS
from pu_accessor.ranking import FloatArray
from pu_accessor.roles_and_assumptions import Terms
from pu_accessor.sources.frames import source_of_arrays
from tests.support.studies.tables import write_table

Table: TypeAlias = tuple[list[str], list[list[str]]]
SEED = 20151207
LEVEL = 0.95
SHAPES = ((1.0, 1.0), (2.0, 1.0), (3.0, 1.0), (2.0, 2.0))  # of the positives: mean, deviation
BETAS = (0.05, 0.1, 0.3, 0.5, 0.8)
LEVELS = 20  # of rounded scores
WORST, MORE = 12, 5  # cells of each method that are drawn again, and how many times as often
FEWEST = 30  # known negatives
REPEATS = 20  # of which the fastest is timed


class Cell(NamedTuple):
    """What is asked, and of which data."""

    method: str
    mean: float
    deviation: float
    beta: float
    known: int
    negatives: int  # known ones
    unlabeled: int
    tied: bool

    @property
    def latent(self) -> int:
        """Positives among the unlabeled."""
        return round(self.beta * self.unlabeled)

    @property
    def name(self) -> str:
        """The shape, as in the tables."""
        return f"N({self.mean:g}, {self.deviation:g}²)"


class Row(NamedTuple):
    """How often the intervals of a cell held beta."""

    cell: Cell
    again: bool
    draws: int
    below: int  # draws with beta below the interval
    above: int
    bias: float  # of the point
    rmse: float
    width: float  # mean distance from beta to the upper limit, or between two limits

    @property
    def held(self) -> int:
        """Draws whose interval held beta."""
        return self.draws - self.below - self.above

    @property
    def coverage(self) -> float:
        """Share of such draws."""
        return self.held / self.draws


class Results(NamedTuple):
    """All that was simulated and timed."""

    draws: int
    rows: list[Row]
    milliseconds: dict[str, float]

    @classmethod
    def read(cls, path: Path) -> "Results":
        """Read what `write` wrote."""
        draws, rows, milliseconds = json.loads(path.read_text())
        return cls(draws, [Row(Cell(*row[0]), *row[1:]) for row in rows], milliseconds)

    def write(self, path: Path) -> None:
        """Write numbers, not tables, to look at them again."""
        path.write_text(json.dumps(self))


# ---------------------------------------------------------------------------------------------
# Cells


def feasible_grid() -> list[Cell]:
    """Return the cells of the upper limit: every combination."""
    grid = product(SHAPES, BETAS, (100, 500, 2000), (2000, 20_000), (False, True))
    return [
        Cell("feasible", *shape, beta, n, 0, size, ties) for shape, beta, n, size, ties in grid
    ]


def matching_grid() -> list[Cell]:
    """Return the cells of mean matching: nearly every combination, some with more unlabeled."""
    betas, counts = BETAS[::2], (100, 500)
    grid = [*product(SHAPES, betas, counts, (FEWEST, 100), (2000,), (False, True))]
    grid += product(SHAPES, betas, (500,), (500,), (2000,), (False,))
    grid += product(SHAPES[:1], betas, (100,), (FEWEST, 100), (20_000,), (False,))
    return [
        Cell("mean_matching", mean, deviation, beta, n, negatives, size, ties)
        for (mean, deviation), beta, n, negatives, size, ties in grid
    ]


def two_sided_grid() -> list[Cell]:
    """Return a few cells of the two limits, and those where mean matching has it hardest."""
    grid = [*product((SHAPES[0], SHAPES[2]), (0.1, 0.5), (100, 500), (100,), (False, True))]
    grid += product(SHAPES[:1], (0.05, 0.1), (100, 500), (FEWEST,), (False,))
    return [
        Cell("two_sided", *shape, beta, n, negatives, 2000, ties)
        for shape, beta, n, negatives, ties in grid
    ]


# ---------------------------------------------------------------------------------------------
# Draws


def draw(cell: Cell, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Draw scores with their labels: known and latent positives, then the negatives."""
    positives = cell.known + cell.latent
    score = rng.standard_normal(cell.known + cell.negatives + cell.unlabeled)
    score[:positives] = cell.mean + cell.deviation * score[:positives]
    label = np.full(score.size, np.nan)
    label[: cell.known] = 1
    label[positives : positives + cell.negatives] = 0
    return (to_levels(score, cell) if cell.tied else score), label


def to_levels(score: FloatArray, cell: Cell) -> FloatArray:
    """Round to equally spaced values, three deviations around either mean."""
    low = min(-3.0, cell.mean - 3 * cell.deviation)
    high = max(3.0, cell.mean + 3 * cell.deviation)
    rounded = np.round((score - low) / (high - low) * (LEVELS - 1))
    return np.clip(rounded, 0, LEVELS - 1)


def estimate(cell: Cell, score: FloatArray, label: FloatArray) -> tuple[float, float, float]:
    """Return the point and both limits without a frame."""
    ranking = source_of_arrays(score, label, Terms())[0].rank(Terms(), "breakpoints").make(0)
    found = METHODS[cell.method][0](ranking, LEVEL)
    return found.beta, found.lower, found.upper


def ask_frame(cell: Cell, score: FloatArray, label: FloatArray) -> tuple[float, float, float]:
    """Return the same from the public method."""
    df = pd.DataFrame({"score": score, "label": label})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)
        found = df.pu.estimate_beta(method=cell.method, level=LEVEL)
    point, lower, upper = found[["beta", "lower", "upper"]].to_numpy()[0]
    return float(point), float(lower), float(upper)


def simulate(cell: Cell, draws: int, *, again: bool = False) -> Row:
    """Draw a cell, and compare the first draw with the public method."""
    digits = [round(1000 * float(x)) for x in cell[1:]]
    seed = [SEED, int(again), [*METHODS].index(cell.method), *digits]
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    found = np.empty((draws, 3))
    for i in range(draws):
        data = draw(cell, rng)
        found[i] = estimate(cell, *data)
        if not i and ask_frame(cell, *data) != tuple(found[0]):
            raise AssertionError(f"not what the public method says: {cell}")
    point, lower, upper = found.T
    truth = cell.latent / cell.unlabeled
    from_where = truth if cell.method == "feasible" else lower
    return Row(
        cell,
        again,
        draws,
        int((truth < lower).sum()),
        int((upper < truth).sum()),
        float(np.mean(point - truth)),
        float(np.sqrt(np.mean((point - truth) ** 2))),
        float(np.mean(upper - from_where)),
    )


def study(cells: Sequence[Cell], draws: int) -> list[Row]:
    """Draw all cells of a method, and the worst ones again."""
    start = time.perf_counter()
    rows = [simulate(cell, draws) for cell in cells]
    worst = sorted(rows, key=badness)[-WORST:]
    rows += [simulate(row.cell, MORE * draws, again=True) for row in worst]
    print(f"{cells[0].method}: {time.perf_counter() - start:.0f} s", flush=True)
    return rows


def badness(row: Row) -> float:
    """Return by how much too little is covered."""
    return LEVEL - row.coverage


def time_public() -> dict[str, float]:
    """Return the milliseconds of a public call, at 20,000 unlabeled and 1,000 known examples."""
    milliseconds = {}
    for method in METHODS:
        known = 1000 if method == "feasible" else 500
        cell = Cell(method, 2.0, 1.0, 0.3, known, 1000 - known, 20_000, False)
        score, label = draw(cell, np.random.default_rng(SEED))
        df = pd.DataFrame({"score": score, "label": label})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PUWarning)
            milliseconds[method] = 1000 * _fastest(df, method)
    return milliseconds


def _fastest(df: pd.DataFrame, method: str) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        df.pu.estimate_beta(method=method, level=LEVEL)
        best = min(best, time.perf_counter() - start)
    return best


# ---------------------------------------------------------------------------------------------
# Tables


def report(results: Results) -> None:
    """Write the tables."""
    write_table("beta_feasible", *_by_shape(results.rows))
    write_table("beta_again", *_worst(results.rows))
    write_table("beta_goals", *_goals(results))


def first_rows(rows: Iterable[Row], method: str) -> list[Row]:
    """Return the rows that were not picked for what came out."""
    return [row for row in rows if row.cell.method == method and not row.again]


def pooled(rows: Sequence[Row]) -> float:
    """Return the coverage over all draws."""
    return sum(row.held for row in rows) / sum(row.draws for row in rows)


def p_less(row: Row, least: float = LEVEL) -> float:
    """Return the p value of a coverage of at least so much."""
    return float(stats.binomtest(row.held, row.draws, least, alternative="less").pvalue)


def _by_shape(rows: Iterable[Row]) -> Table:
    found = first_rows(rows, "feasible")
    head = ["positives", "coverage", "worst cell", "bias of beta", "its RMSE"]
    head += [f"RMSE, β = {beta:g}" for beta in BETAS] + ["upper - β"]
    body = []
    for shape in SHAPES:
        some = [row for row in found if row.cell[1:3] == shape]
        by_beta = [_rmse([row for row in some if row.cell.beta == beta]) for beta in BETAS]
        body.append(
            [
                some[0].cell.name,
                _number(pooled(some)),
                _number(min(row.coverage for row in some)),
                _number(float(np.mean([row.bias for row in some]))),
                _number(_rmse(some)),
                *map(_number, by_beta),
                _number(float(np.mean([row.width for row in some]))),
            ]
        )
    return head, body


def _worst(rows: Sequence[Row], most: int = 4) -> Table:
    first = {row.cell: row for row in rows if not row.again}
    head = ["method", "positives", "β", "known", "negatives", "unlabeled", "tied"]
    head += ["coverage", "again", "β below it", "β above it", "p of .95"]
    body = []
    for method in METHODS:
        again = [row for row in rows if row.again and row.cell.method == method]
        for row in sorted(again, key=badness)[: -most - 1 : -1]:
            cell = row.cell
            body.append(
                [method, cell.name, f"{cell.beta:g}", str(cell.known)]
                + [str(cell.negatives), str(cell.unlabeled), "yes" if cell.tied else ""]
                + [_number(x) for x in (first[cell].coverage, row.coverage)]
                + [_number(x / row.draws) for x in (row.below, row.above)]
                + [_p_value(p_less(row))]
            )
    return head, body


def _goals(results: Results) -> Table:
    body: list[list[str]] = []
    for method in ("feasible", "two_sided"):
        found = first_rows(results.rows, method)
        smallest = min(map(p_less, found))
        worst = min(row.coverage for row in found)
        text = f"{_number(pooled(found))} in all, {_number(worst)} in the worst of {len(found)}"
        text += f" cells (p = {_p_value(min(1.0, smallest * len(found)))} after Bonferroni)"
        body.append(
            [f"{method} covers .95 in each cell", text, _yes(smallest * len(found) >= 0.05)]
        )
    spent = results.milliseconds["feasible"]
    body.append(["the limit takes less than 10 ms", f"{spent:.1f} ms", _yes(spent < 10)])
    return ["goal", "measured", "met"], body


def _yes(met: bool) -> str:
    return "yes" if met else "no"


def _rmse(rows: Sequence[Row]) -> float:
    return float(np.sqrt(np.mean([row.rmse**2 for row in rows])))


def _p_value(value: float) -> str:
    return "<0.001" if value < 0.001 else _number(value)


def _number(value: float) -> str:
    return f"{value:.3f}"


# ---------------------------------------------------------------------------------------------
# The command

GRIDS: tuple[Callable[[], list[Cell]], ...] = (feasible_grid, two_sided_grid)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--draws", type=int, default=50, help="in each cell (2000 for the page)")
    parser.add_argument("--results", type=Path, help="JSON to read; written where it is not there")
    asked = parser.parse_args(arguments)
    if asked.results and asked.results.exists():
        results = Results.read(asked.results)
    else:
        milliseconds = time_public()
        rows = [row for grid in GRIDS for row in study(grid(), asked.draws)]
        results = Results(asked.draws, rows, milliseconds)
        if asked.results:
            results.write(asked.results)
    report(results)


if __name__ == "__main__":
    main()
