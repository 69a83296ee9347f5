"""How often do weighted bands and areas hold the truth?

Run ``python -m tests.support.studies.weighted``.

Scores are drawn, positives are labeled with known, unequal probabilities, and the weighted bounds
and estimates are asked at the true number of latent positives, beside those that take the labels
for a simple random sample. Nothing is written; the tables are printed as Markdown.
"""

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np
from scipy import optimize, special

from pu_accessor.inference.bands.exact import exact
from pu_accessor.inference.bands.weighted import effective_size, weighted_bounds
from pu_accessor.inference.estimates.areas_on_this_sample import estimate_ap, estimate_auroc
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.settings import Settings
from pu_accessor.ranking import BoolArray, FloatArray, IntArray
from tests.support.studies.coverage import rank_quickly

SEED = 150406837
LEVEL = 0.95
LABELINGS = 10  # of each population
ENDS, SPREAD = 20, 100  # cutoffs that are looked at

# Odds of being labeled: times so much for each standard deviation of the score; of something else
# than the score; and probabilities themselves, cut off at 1.
SELECTIONS = (
    ("equal", 1.0),
    ("rising", 2.0),
    ("rising", 3.0),
    ("rising", 5.0),
    ("falling", 2.0),
    ("falling", 3.0),
    ("falling", 5.0),
    ("independent", 3.0),
    ("independent", 5.0),
    ("exponential", 2.0),
)
# Positives, known ones, examples, and the mean score of the positives.
SIZES = (
    (1000, 50, 6000, 1.0),
    (1000, 200, 11000, 2.0),
    (1000, 200, 6000, 1.0),
    (4000, 200, 14000, 1.0),
    (4000, 1000, 14000, 1.0),
)


class Cell(NamedTuple):
    """A setting of the simulation."""

    selection: str
    ratio: float
    positives: int
    known: int  # expected
    examples: int
    mean: float  # of the scores of the positives; negatives have 0, all a deviation of 1

    def rng(self) -> np.random.Generator:
        """Return what the draws of this cell start from, whatever else is simulated."""
        words = [self.positives, self.known, self.examples, round(10 * self.mean)]
        words += [round(10 * self.ratio), *self.selection.encode()]
        return np.random.default_rng(np.random.SeedSequence([SEED, *words]))


class Row(NamedTuple):
    """How often the intervals of a method held the truth in a cell."""

    method: str
    mean: float  # coverage over cutoffs
    worst: float  # of one cutoff
    where: float  # share of the positives above it
    below: float  # the truth below the interval
    above: float
    width: float


def probabilities(cell: Cell, score: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the probability of being labeled for each positive, best first."""
    slope = np.log(cell.ratio) * (-1 if cell.selection == "falling" else 1)
    odds = slope * (rng.standard_normal(score.size) if cell.selection == "independent" else score)

    def chance(shift: float) -> FloatArray:
        cut_off = cell.selection == "exponential"
        found: FloatArray = (
            np.minimum(np.exp(odds + shift), 1.0) if cut_off else special.expit(odds + shift)
        )
        return found

    shift: float = optimize.brentq(lambda x: float(chance(x).sum()) - cell.known, -40, 40)
    return chance(shift)


def simulate(cell: Cell, draws: int) -> tuple[Cell, float, list[Row]]:
    """Look at the bands, AUROC and average precision of a cell."""
    rng, count = cell.rng(), cell.positives
    ends = np.arange(1, ENDS + 1)
    spread = np.linspace(1, count - 1, SPREAD).round().astype(np.int64)
    top = np.unique(np.concatenate([ends, spread, count - ends]))
    found: dict[str, list[tuple[BoolArray, BoolArray, float]]] = {}
    sizes = []
    for _ in range(max(draws // LABELINGS, 1)):
        score = rng.standard_normal(cell.examples)
        score[:count] += cell.mean
        order = np.argsort(score)[::-1]
        rank = np.flatnonzero(order < count) + 1
        auroc = 1 - (rank.mean() - (count + 1) / 2) / (cell.examples - count)
        precision = float(np.mean(np.arange(1, count + 1) / rank))
        for _ in range(LABELINGS):
            chance = probabilities(cell, score[order[rank - 1]], rng)
            labeled = rng.random(count) < chance
            weight, end, m = 1 / chance[labeled], rank[labeled], count - int(labeled.sum())
            if weight.size < 3:
                continue
            sizes.append(effective_size(weight))
            k = np.cumsum(labeled)[top - 1]
            low, high = weighted_bounds(weight, m, LEVEL)
            bounds = {"band, weighted": (low, high), "band, exact": exact(weight.size, m, LEVEL)}
            for name, (lower, upper) in bounds.items():
                width = float((upper - lower)[k].mean()) / m
                miss = top - k < lower[k], top - k > upper[k], width
                found.setdefault(name, []).append(miss)
            for name, given in (("weighted", weight), ("unweighted", np.ones(weight.size))):
                ranking = replace(rank_quickly(end, cell.examples), inverse_propensity=given)
                betas = np.array([m / (cell.examples - weight.size)])
                areas: tuple[tuple[str, float, Estimates], ...] = (
                    ("AUROC", auroc, estimate_auroc(ranking, betas, Settings(LEVEL))),
                    ("AP", precision, estimate_ap(ranking, betas, Settings(LEVEL))),
                )
                for area, truth, estimate in areas:
                    lowest, highest = estimate.lower.item(), estimate.upper.item()
                    missed = np.array([truth < lowest]), np.array([truth > highest])
                    found.setdefault(f"{area}, {name}", []).append((*missed, highest - lowest))
    return cell, float(np.mean(sizes)), [_row(name, some, top) for name, some in found.items()]


def _row(name: str, some: Sequence[tuple[BoolArray, BoolArray, float]], top: IntArray) -> Row:
    below = np.mean([miss[0] for miss in some], axis=0)
    above = np.mean([miss[1] for miss in some], axis=0)
    held = 1 - below - above
    worst = int(held.argmin())
    return Row(
        name,
        mean=float(held.mean()),
        worst=float(held[worst]),
        where=float(top[worst]) / float(top[-1] + 1),
        below=float(below.mean()),
        above=float(above.mean()),
        width=float(np.mean([miss[2] for miss in some])),
    )


def report(results: Iterable[tuple[Cell, float, list[Row]]]) -> str:
    """Return a table for the bands, and one for both areas."""
    bands, areas = [], []
    for cell, size, rows in results:
        factor = "" if cell.selection == "equal" else f" {cell.ratio:g}"
        name = [f"{cell.selection}{factor}", str(cell.positives), str(cell.known)]
        for row in rows:
            misses = [_number(row.below), _number(row.above), _number(row.width)]
            start = [*name, f"{size:.0f}", row.method, _number(row.mean)]
            if row.method.startswith("band"):
                bands.append([*start, _number(row.worst), _number(row.where), *misses])
            else:
                areas.append([*start[:2], f"{cell.mean:g}", *start[2:], *misses])
    head = ["labeling", "positives", "known", "effective", "method", "coverage"]
    tail = ["below", "above", "width"]
    return "\n".join(
        [
            "Bands: coverage over cutoffs, and at the worst one.\n",
            _markdown([*head, "worst", "at", *tail], bands),
            "Areas; scores of the positives have this mean.\n",
            _markdown([*head[:2], "mean", *head[2:], *tail], areas),
        ]
    )


def _number(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _markdown(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, rule, *body])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--draws", type=int, default=1000, help="in each cell")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    asked = parser.parse_args(arguments)
    cells = [
        Cell(selection, ratio, positives, known, examples, mean)
        for positives, known, examples, mean in SIZES
        for selection, ratio in SELECTIONS
    ]
    run: Callable[[Cell, int], tuple[Cell, float, list[Row]]] = simulate
    draws = [asked.draws] * len(cells)
    with ProcessPoolExecutor(asked.jobs, mp_context=get_context("spawn")) as pool:
        print(report(pool.map(run, cells, draws)))


if __name__ == "__main__":
    main()
