"""Do intervals hold what is true of new examples? ``python -m tests.studies.population``.

Run from the root of the project. Known positives and the rest are drawn anew each time, of scores
whose AUROC, average precision and rates are known, and intervals are asked at the true share of
positives among the rest. The tables of ``docs/population.md`` between the two marker lines are
written anew. Shapes that were looked at while the intervals were chosen are kept apart from those
that were not.
"""

import argparse
import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import special

from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.counting.placements import Places, count_above, rank_pairs
from pu_accessor.inference.comparison.paired import compare_paired
from pu_accessor.inference.estimates.binomial import metric_on_new
from pu_accessor.inference.estimates.delong import Placed
from pu_accessor.inference.estimates.population import score_interval
from pu_accessor.inference.estimates.population_precision import estimate_population_precision
from pu_accessor.inference.rule import Rule
from pu_accessor.ranking import Counts, FloatArray, PairedRanks, Ranking
from tests.studies.coverage import markdown

Draw: TypeAlias = Callable[[np.random.Generator, tuple[int, ...]], FloatArray]

SEED, LEVEL = 2026, 0.95
TRUTH = 1_000_000  # scores of each kind that a true value is computed from
BLOCK = 10_000_000  # comparisons at once


class Shape(NamedTuple):
    """How scores of positives and of negatives are drawn."""

    positive: Draw
    negative: Draw


class Design(NamedTuple):
    """Known positives, others, and the share of positives among these."""

    known: int
    rest: int
    share: float


class Row(NamedTuple):
    """How often an interval held the truth, was above and below it, and how wide it was."""

    kind: str
    shape: str
    design: Design
    truth: float
    coverage: float
    above: float
    below: float
    width: float


def normal(mean: float, sd: float = 1.0, decimals: int | None = None) -> Draw:
    """Return normal scores, rounded to multiples of 1/decimals."""

    def draw(rng: np.random.Generator, size: tuple[int, ...]) -> FloatArray:
        score = rng.normal(mean, sd, size)
        return score if decimals is None else np.round(score * decimals) / decimals

    return draw


def binomial(times: int, share: float) -> Draw:
    """Return counts as scores."""
    return lambda rng, size: rng.binomial(times, share, size).astype(np.float64)


def mixed(share: float, one: Draw, other: Draw) -> Draw:
    """Return a mixture of two."""

    def draw(rng: np.random.Generator, size: tuple[int, ...]) -> FloatArray:
        return np.where(rng.random(size) < share, one(rng, size), other(rng, size))

    return draw


CHOSEN: Mapping[str, Shape] = {
    "normal .76": Shape(normal(1), normal(0)),
    "normal .96": Shape(normal(2.5), normal(0)),
    "normal .60": Shape(normal(0.36), normal(0)),
    "normal .99": Shape(normal(3.3), normal(0)),
    "wide": Shape(normal(1.2, 2), normal(0)),
    "narrow": Shape(normal(1.2, 0.5), normal(0)),
    "exponential": Shape(
        lambda r, s: 4 * r.exponential(size=s), lambda r, s: r.exponential(size=s)
    ),
    "tied, 2 per sd": Shape(normal(1.2, 1, 2), normal(0, 1, 2)),
    "10% hard negatives": Shape(normal(2), mixed(0.1, normal(2.5, 0.5), normal(-1))),
}
CHECKED: Mapping[str, Shape] = {
    "lognormal": Shape(lambda r, s: r.lognormal(1.2, 1, s), lambda r, s: r.lognormal(0, 1.5, s)),
    "beta": Shape(lambda r, s: r.beta(4, 1, s), lambda r, s: r.beta(1, 2, s)),
    "5 scores": Shape(binomial(4, 0.75), binomial(4, 0.35)),
    "101 scores": Shape(
        lambda r, s: np.round(r.beta(3, 1, s), 2), lambda r, s: np.round(r.beta(1, 6, s), 2)
    ),
    "3% hard negatives": Shape(normal(2), mixed(0.03, normal(4, 0.3), normal(0))),
    "worse than chance": Shape(normal(-1), normal(0)),
    "normal .999": Shape(normal(4.37), normal(0)),
    "wide .999": Shape(normal(6, 1.6), normal(0)),
    "Student's t": Shape(lambda r, s: 2 + r.standard_t(2, s), lambda r, s: r.standard_t(2, s)),
    "gamma": Shape(lambda r, s: r.gamma(0.5, 1, s), lambda r, s: r.gamma(0.1, 1, s)),
    "20% hidden positives": Shape(mixed(0.2, normal(0), normal(3)), normal(0)),
    "5% hidden positives": Shape(mixed(0.05, normal(0), normal(3)), normal(0)),
}
SHAPES = {**CHOSEN, **CHECKED}
AREAS = [
    *(Design(n, 300, share) for n in (5, 10, 20) for share in (0.1, 0.4)),
    *(Design(n, 2000, 0.01) for n in (5, 10, 20, 50)),
    *(Design(n, 500, 0.1) for n in (50, 200)),
    *(Design(n, n, 0.0) for n in (10, 50, 200)),
]
PRECISIONS = [
    *(Design(50, 500, share) for share in (0.1, 0.4)),
    *(Design(n, 2000, 0.02) for n in (50, 200)),
    *(Design(n, 3 * n, 0.0) for n in (50, 200)),
]
RATES = [
    Design(n, rest, share) for n in (10, 50, 200) for rest, share in ((500, 0.1), (500, 0.4))
] + [Design(50, 100, 0.0)]
CUTOFFS = {
    "tpr .8, fpr .2": (0.8, 0.2),
    "tpr .5, fpr .02": (0.5, 0.02),
    "tpr .95, fpr .4": (0.95, 0.4),
}
METRICS = ("tpr", "fpr", "precision", "f1", "accuracy", "informedness")
PAIRS = [
    Design(n, rest, share) for n in (20, 50, 200) for rest, share in ((200, 0.0), (1000, 0.1))
]
MODELS = ("alike", "correlated", "tied against untied")


# ---------------------------------------------------------------------------------------------
# Draws


def generator(*of: object) -> np.random.Generator:
    """Return the generator of a cell: its draws do not depend on the other cells."""
    return np.random.default_rng([SEED, *"".join(map(str, of)).encode()])


def draw_scores(
    shape: Shape, design: Design, draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return the scores of known positives and of the rest, a row for each draw."""
    known = shape.positive(rng, (draws, design.known))
    size = (draws, design.rest)
    hidden = rng.random(size) < design.share
    return known, np.where(hidden, shape.positive(rng, size), shape.negative(rng, size))


@cache
def true_values(shape: Shape, prevalence: float) -> tuple[float, float]:
    """Return AUROC, and average precision at a prevalence."""
    rng = np.random.default_rng(SEED)
    one, other = (np.sort(draw(rng, (TRUTH,))) for draw in shape)
    left, right = (np.searchsorted(other, one, side=side) for side in ("left", "right"))
    recall = 1 - np.searchsorted(one, one, side="left") / TRUTH
    false = 1 - left / TRUTH
    precision = prevalence * recall / (prevalence * recall + (1 - prevalence) * false)
    return float((left + right).mean()) / 2 / TRUTH, float(precision.mean())


def summarise(
    kind: str, shape: str, design: Design, truth: float, limits: tuple[FloatArray, FloatArray]
) -> Row:
    """Count how often limits hold the truth."""
    above, below = (limits[0] > truth).mean(), (limits[1] < truth).mean()
    width = float(np.mean(limits[1] - limits[0]))
    missing = np.isnan(limits[0]).mean()
    return Row(kind, shape, design, truth, 1 - above - below - missing, above, below, width)


# ---------------------------------------------------------------------------------------------
# Cells


def auroc_row(name: str, design: Design, draws: int) -> Row:
    """Ask for AUROC: placements of all draws at once, and the private function of intervals."""
    rng = generator("auroc", name, design)
    known, rest = draw_scores(SHAPES[name], design, draws, rng)
    first, second = np.empty(known.shape), np.empty(rest.shape)
    step = max(1, BLOCK // (design.known * design.rest))
    for start in range(0, draws, step):
        here = slice(start, start + step)
        apart = known[here, :, np.newaxis] - rest[here, np.newaxis, :]
        wins = (np.sign(apart) + 1) / 2
        first[here], second[here] = wins.mean(axis=2), wins.mean(axis=1)
    placed = Placed(
        np.array([[design.known], [design.rest]], np.float64),
        np.stack([first.var(axis=1, ddof=1), second.var(axis=1, ddof=1)]),
        first.mean(axis=1),
    )
    share = np.full(draws, design.share)
    value = (placed.above - share / 2) / (1 - share)
    truth, _ = true_values(SHAPES[name], 0.5)
    limits = score_interval(value, share, placed, LEVEL)
    return summarise("auroc", name, design, truth, limits)


def beta_of(design: Design) -> FloatArray:
    """Return beta: the rest are unlabeled, or known negatives where none of them is positive."""
    return np.array([design.share])


def precision_row(name: str, design: Design, draws: int) -> Row:
    """Ask for average precision."""
    rng = generator("average precision", name, design)
    known, rest = draw_scores(SHAPES[name], design, draws, rng)
    positive = np.arange(design.known + design.rest) < design.known
    none, rule, limits = np.zeros(positive.size, np.bool_), Rule(LEVEL), np.empty((2, draws))
    for turn in range(draws):
        score = np.concatenate([known[turn], rest[turn]])
        ranking = rank_examples(score, positive, none, ranks="breakpoints")
        found = estimate_population_precision(ranking, beta_of(design), rule)
        limits[:, turn] = found.lower[0], found.upper[0]
    size = design.known + design.rest
    prevalence = (design.known + design.share * design.rest) / size
    _, truth = true_values(SHAPES[name], prevalence)
    return summarise("average precision", name, design, truth, (limits[0], limits[1]))


def rate_row(name: str, cutoff: str, design: Design, draws: int) -> Row:
    """Ask for a metric at a threshold: what lies above it is all that matters."""
    true, false = CUTOFFS[cutoff]
    rng = generator(name, cutoff, design)
    known = rng.binomial(design.known, true, draws)
    hit = design.share * true + (1 - design.share) * false
    others = rng.binomial(design.rest, hit, draws)
    size, total = design.known + design.rest, Counts(design.known, 0, design.rest)
    seen, again = np.unique(np.stack([known, others]), axis=1, return_inverse=True)
    limits = np.empty(seen.shape)
    for turn, (k, h) in enumerate(seen.T.tolist()):
        rank, found = np.array([0, k + h, size]), np.array([0, k, design.known])
        ranking = Ranking(rank, np.array([np.inf, 1, 0]), found, 0 * rank, rank - found, total)
        answer = metric_on_new(ranking, beta_of(design), name, 1, Rule(LEVEL))
        limits[:, turn] = answer.lower[0], answer.upper[0]
    limits = limits[:, again.ravel()]
    positives = (design.known + design.share * design.rest) / size
    tp, fp = positives * true, (1 - positives) * false
    truth = {
        "tpr": true,
        "fpr": false,
        "precision": tp / (tp + fp),
        "f1": 2 * tp / (tp + fp + positives),
        "accuracy": tp + 1 - positives - fp,
        "informedness": true - false,
    }[name]
    return summarise(name, cutoff, design, truth, (limits[0], limits[1]))


def size_row(models: str, design: Design, draws: int) -> Row:
    """Compare two models that are equally good: coverage is how often p is at least .05."""
    rng = generator("compare", models, design)
    rounded = 1.0 if models == "tied against untied" else None
    coarse = Shape(normal(1, 1, 1), normal(0, 1, 1))
    area = true_values(coarse, 0.5)[0] if rounded else 0.76
    mean = 1.0 if rounded else 2**0.5 * float(special.ndtri(area))
    other = 2**0.5 * float(special.ndtri(area))
    shared = 0.9**0.5 if models == "alike" else 0.6**0.5
    positive = np.arange(design.known + design.rest) < design.known
    p_value = np.empty(draws)
    for turn in range(draws):
        truth = positive | (rng.random(positive.size) < design.share)
        joint, own = rng.normal(size=positive.size), rng.normal(size=(2, positive.size))
        scores = shared * joint + (1 - shared**2) ** 0.5 * own
        scores += np.multiply.outer([mean, other], truth)
        if rounded:
            scores[0] = np.round(scores[0])
        known = scores[:, positive]
        places = [Places.of(one) for one in known]
        found = rank_pairs(places, known, count_above(places, scores))
        ranks, among = (
            dict[Hashable, FloatArray](zip("ab", each, strict=True)) for each in found[:2]
        )
        total = Counts(design.known, 0, design.rest)
        paired = PairedRanks(("model",), ranks, among, total, found[2])
        p_value[turn] = compare_paired(paired, None, LEVEL, "population").p_value[0, 0]
    below = float((p_value < 1 - LEVEL).mean())
    return Row("compare", models, design, 0.0, 1 - below, below, 0.0, np.nan)


def cells(draws: int) -> list[Callable[[], Row]]:
    """Return all cells; what takes longer has fewer draws."""
    fewer = max(draws // 4, 1)
    return [
        *(partial(auroc_row, name, design, draws) for name in SHAPES for design in AREAS),
        *(partial(precision_row, name, design, fewer) for name in SHAPES for design in PRECISIONS),
        *(
            partial(rate_row, name, cutoff, design, 2 * draws)
            for name in METRICS
            for cutoff in CUTOFFS
            for design in RATES
        ),
        *(partial(size_row, models, design, draws) for models in MODELS for design in PAIRS),
    ]


def run(cell: Callable[[], Row]) -> Row:
    """Simulate one cell."""
    return cell()


def simulate(draws: int, jobs: int) -> list[Row]:
    """Simulate all cells."""
    if jobs == 1:
        return [run(cell) for cell in cells(draws)]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        return list(pool.map(run, cells(draws), chunksize=4))


# ---------------------------------------------------------------------------------------------
# The page


class Goal(NamedTuple):
    """What is promised of some cells."""

    text: str
    low: float
    high: float
    rows: list[Row]

    @property
    def outside(self) -> list[Row]:
        """The cells that miss it."""
        return [row for row in self.rows if not self.low <= row.coverage <= self.high]


def goals(rows: Sequence[Row]) -> list[Goal]:
    """Return what is promised, of shapes that were looked at and of those that were not."""
    found = []
    for names, told in ((CHOSEN, "chosen on"), (CHECKED, "checked on")):
        areas = [row for row in rows if row.kind == "auroc" and row.shape in names]
        found += [
            Goal(f"AUROC, n = 5, {told}", 0.9, 1.0, [r for r in areas if r.design.known < 10]),
            Goal(
                f"AUROC, n >= 10, {told}", 0.93, 0.97, [r for r in areas if r.design.known >= 10]
            ),
            Goal(
                f"average precision, n >= 50, {told}",
                0.92,
                0.97,
                [r for r in rows if r.kind == "average precision" and r.shape in names],
            ),
        ]
    rates = [row for row in rows if row.kind in METRICS]
    sizes = [row for row in rows if row.kind == "compare"]
    return [
        *found,
        Goal("metric at a threshold", 0.93, 1.0, rates),
        Goal("compare: p below .05 under the null, as 1 - that", 0.94, 0.96, sizes),
    ]


def describe(row: Row) -> str:
    """Name a cell."""
    n, rest, share = row.design
    return f"{row.shape}, n = {n}, {rest} others, {share:g} of them positive"


def report(rows: Sequence[Row], draws: int) -> str:
    """Return the tables."""
    head = ["promise", "cells", "below", "above", "lowest", "median", "highest"]
    body = []
    for goal in goals(rows):
        covered = sorted(row.coverage for row in goal.rows)
        numbers = covered[0], covered[len(covered) // 2], covered[-1]
        low = sum(value < goal.low for value in covered)
        high = sum(value > goal.high for value in covered)
        told = f"{goal.text}: {goal.low:g} to {goal.high:g}"
        body.append([told, str(len(covered)), str(low), str(high), *map(_share, numbers)])
    missed = [
        [row.kind, describe(row), _share(row.coverage), _share(row.above), _share(row.below)]
        for goal in goals(rows)
        for row in sorted(goal.outside, key=lambda row: row.coverage)
        if row.coverage < goal.low
    ]
    columns = ["number", "cell", "covers", "truth below", "truth above"]
    every = [
        [row.kind, describe(row), f"{row.truth:.3f}", *map(_share, row[4:7]), f"{row.width:.3f}"]
        for row in rows
    ]
    return "\n\n".join(
        [
            f"{draws:,} draws in each cell of AUROC and `compare`, {2 * draws:,} for metrics at a "
            f"threshold, {draws // 4:,} for average precision.",
            markdown(head, body),
            "Cells that cover less than promised:",
            markdown(columns, missed),
            "All cells:",
            markdown(["number", "cell", "truth", *columns[2:], "width"], every),
        ]
    )


def _share(value: float) -> str:
    """Write a share."""
    return f"{value:.3f}".removeprefix("0") if value < 1 else "1.000"


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--draws", type=int, default=4000, help="in each cell")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--out", type=Path, default=Path("docs/population.md"), help="the page")
    asked = parser.parse_args(None if arguments is None else list(arguments))
    rows = simulate(asked.draws, asked.jobs)
    text = asked.out.read_text() if asked.out.exists() else f"{BEGIN}\n{END}\n"
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    asked.out.write_text(f"{before}{BEGIN}\n\n{report(rows, asked.draws)}\n\n{END}{after}")


BEGIN = "<!-- begin: python -m tests.studies.population -->"
END = "<!-- end -->"

if __name__ == "__main__":
    main()
