"""Do intervals of clustered rows hold what is true of new examples?

Run ``python -m tests.support.studies.clusters --draws 400``, from the root. Writes
``docs/measured/clusters.csv``: a row for each cell and metric, as they come. Cells that are
there with as many draws are not drawn again. ``--only`` takes parts of what names a cell, such as
"few clusters" or "heavy tail": what covers least was measured with ``--draws 1000``.

Rows of one cluster have scores with a normal copula, of any distributions of positives and of
negatives. A draw without an interval is a miss. New examples have the prevalence of the draw,
which the package takes as given; beta is the share of positives in the population.
"""

import argparse
import csv
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from pu_accessor import from_arrays
from pu_accessor.errors import PUError, PUWarning
from pu_accessor.ranking import BoolArray, FloatArray, IntArray
from tests.support.studies.tables import table_path

SEED, LEVEL = 20261123, 0.95
FINE = 1_000_000  # scores of each kind that a true value is computed from
RECALL = 0.7  # at the threshold
METRICS = ("recall", "precision", "f1")
METRIC_NAMES = ("auroc", "average_precision", *METRICS)
TABLE = table_path("clusters")

Rng = np.random.Generator
GRID = (np.arange(FINE) + 0.5) / FINE


class Scores(NamedTuple):
    """Scores of positives and of negatives at `GRID`, ascending; a threshold; jitter of rows."""

    positive: FloatArray
    negative: FloatArray
    threshold: float
    levels: bool = False


class Labels(NamedTuple):
    """Which rows are positive, and which of these are known: whole clusters, or row by row."""

    positive: str = "cluster"
    known: str = "cluster"
    prevalence: float = 0.4
    share: float = 0.4  # of the positives that is known


class Cell(NamedTuple):
    """A group of cells, a shape of scores, and how rows are clustered and labeled."""

    group: str
    shape: str
    clusters: int
    rows: str  # of a cluster: a number, "geometric" or "heavy tail", 5 on average
    correlation: float
    labels: str


class Row(NamedTuple):
    """How often an interval held the truth, by clusters and with rows as independent."""

    cell: Cell
    metric: str
    draws: int
    known_clusters: float  # that hold a known positive, on average
    truth: float
    coverage: float
    below: float  # share of draws with the truth below the interval
    above: float
    missing: float
    width: float
    rows_coverage: float
    rows_width: float


HEAD = (*Cell._fields, *Row._fields[1:])
LABELS: Mapping[str, Labels] = {
    "by cluster": Labels(),
    "by row": Labels("row", "row"),
    "clusters reviewed": Labels("row", "cluster"),
    "rows reviewed": Labels("cluster", "row"),
    "by cluster, many": Labels("cluster", "cluster", 0.5, 0.7),
    "20 in 10 clusters": Labels("cluster", "few"),
}


# ---------------------------------------------------------------------------------------------
# Scores


def normal(shift: float) -> tuple[FloatArray, FloatArray]:
    return stats.norm.ppf(GRID) + shift, stats.norm.ppf(GRID)


def log_normal() -> tuple[FloatArray, FloatArray]:
    return np.exp(1.2 + stats.norm.ppf(GRID)), np.exp(1.5 * stats.norm.ppf(GRID))


def five_levels() -> tuple[FloatArray, FloatArray]:
    positive, negative = normal(1)
    return np.clip(np.round(positive), -1, 3), np.clip(np.round(negative), -1, 3)


def hard_negatives() -> tuple[FloatArray, FloatArray]:
    """A twentieth of the negatives lies above most positives."""
    few = stats.norm.ppf((np.arange(FINE // 20) + 0.5) / (FINE // 20))
    many = stats.norm.ppf((np.arange(FINE - few.size) + 0.5) / (FINE - few.size))
    return 2 + 0.7 * stats.norm.ppf(GRID), np.sort(np.concatenate([many, 3 + 0.5 * few]))


@cache
def digits() -> tuple[FloatArray, FloatArray]:
    """Return a logistic regression's scores of eights and of other digits."""
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    features, target = load_digits(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000))
    score = cross_val_predict(model, features, target == 8, method="decision_function")
    return score[target == 8], score[target != 8]


SHAPES: Mapping[str, Callable[[], tuple[FloatArray, FloatArray]]] = {
    "normal, shift 1": lambda: normal(1),
    "normal, shift 2": lambda: normal(2),
    "log-normal": log_normal,
    "5 levels": five_levels,
    "hard negatives": hard_negatives,
    "worse than chance": lambda: normal(-0.5),
}
FIRST, JITTERED, DIGITS = "normal, shift 1", "digits, jittered", "digits"


@cache
def scores(shape: str) -> Scores:
    """Return a shape's scores at `GRID`."""
    if shape == JITTERED:
        jitter, rng = stats.norm.ppf(GRID), np.random.default_rng(SEED)
        positive, negative = (
            np.sort(np.resize(rng.permutation(pool), FINE) + jitter_sd() * rng.permutation(jitter))
            for pool in digits()
        )
    elif shape == DIGITS:
        positive, negative = (np.sort(np.resize(pool, FINE)) for pool in digits())
    else:
        positive, negative = SHAPES[shape]()
    threshold = float(np.quantile(positive, 1 - RECALL))
    return Scores(positive, negative, threshold, shape == "5 levels")


@cache
def jitter_sd() -> float:
    """Return how far rows of one image are apart: half as far as images of one kind."""
    return 0.5 * float(np.mean([pool.std() for pool in digits()]))


@cache
def average_precisions(shape: str) -> tuple[FloatArray, FloatArray]:
    """Return prevalences, and average precision at each."""
    positive, negative = scores(shape)[:2]
    prevalences = np.linspace(0.02, 0.98, 97)
    recall = 1 - np.searchsorted(positive, positive) / FINE
    false = 1 - np.searchsorted(negative, positive) / FINE
    value = [float(np.mean(p * recall / (p * recall + (1 - p) * false))) for p in prevalences]
    return prevalences, np.array(value)


@cache
def true_auroc(shape: str) -> float:
    positive, negative = scores(shape)[:2]
    sides = [np.searchsorted(negative, positive, side).mean() for side in ("left", "right")]
    return float(sum(sides)) / 2 / FINE


@cache
def true_rates(shape: str) -> tuple[float, float]:
    """Return the true and the false positive rate at the threshold."""
    of = scores(shape)
    true, false = (1 - np.searchsorted(kind, of.threshold) / FINE for kind in of[:2])
    return float(true), float(false)


def truths(shape: str, prevalence: float) -> dict[str, float]:
    """Return what is true of new examples of a prevalence."""
    true, false = true_rates(shape)
    tp, fp = prevalence * true, (1 - prevalence) * false
    return {
        "auroc": true_auroc(shape),
        "average_precision": float(np.interp(prevalence, *average_precisions(shape))),
        "recall": true,
        "precision": tp / (tp + fp),
        "f1": 2 * tp / (tp + fp + prevalence),
    }


# ---------------------------------------------------------------------------------------------
# Draws


class Sample(NamedTuple):
    """Rows of clusters, and the share of positives among those that are not known."""

    score: FloatArray
    known: BoolArray
    cluster: IntArray
    share: float


def draw(cell: Cell, rng: Rng) -> Sample:
    """Draw the rows of a cell."""
    labels = LABELS[cell.labels]
    cluster = np.repeat(np.arange(cell.clusters), sizes(cell, rng))

    def happens(by: str, probability: float) -> BoolArray:
        if by == "cluster":
            return (rng.random(cell.clusters) < probability)[cluster]
        return rng.random(cluster.size) < probability

    positive = happens(labels.positive, labels.prevalence)
    score = draw_scores(cell, cluster, positive, rng)
    if labels.known == "few":
        known = few(cluster, positive, rng)
        rest = cluster.size - known.sum()
        return Sample(
            score, known, cluster, labels.prevalence - (1 - labels.prevalence) * 20 / rest
        )
    known = positive & happens(labels.known, labels.share)
    hidden = labels.prevalence * (1 - labels.share)
    return Sample(score, known, cluster, hidden / (1 - labels.prevalence * labels.share))


def sizes(cell: Cell, rng: Rng) -> IntArray:
    """Draw how many rows each cluster has."""
    if cell.rows == "geometric":
        return rng.geometric(1 / 5, cell.clusters)
    if cell.rows == "heavy tail":
        return np.ceil(rng.lognormal(0.8, 1.2, cell.clusters)).astype(np.int64)
    return np.full(cell.clusters, int(cell.rows))


def draw_scores(cell: Cell, cluster: IntArray, positive: BoolArray, rng: Rng) -> FloatArray:
    """Draw scores that correlate within clusters; of digits, all rows of one are one image."""
    if cell.shape == JITTERED:
        images = (rng.choice(pool, cell.clusters)[cluster] for pool in digits())
        jittered: FloatArray = np.where(positive, *images)
        return jittered + jitter_sd() * rng.normal(size=cluster.size)
    shared = rng.normal(size=cell.clusters)[cluster]
    own = rng.normal(size=cluster.size)
    noise = cell.correlation**0.5 * shared + (1 - cell.correlation) ** 0.5 * own
    of, place = scores(cell.shape), stats.norm.cdf(noise)
    if of.levels:
        rows = np.minimum((place * FINE).astype(np.int64), FINE - 1)
        levels: FloatArray = np.where(positive, of.positive[rows], of.negative[rows])
        return levels
    both = (np.interp(place, GRID, kind) for kind in (of.positive, of.negative))
    drawn: FloatArray = np.where(positive, *both)
    return drawn


def few(cluster: IntArray, positive: BoolArray, rng: Rng) -> BoolArray:
    """Choose 10 positive clusters, and 2 rows of each."""
    known = np.zeros(cluster.size, np.bool_)
    for name in rng.choice(np.unique(cluster[positive]), 10, replace=False):
        known[rng.choice(np.flatnonzero(cluster == name), 2, replace=False)] = True
    return known


def answers(sample: Sample, threshold: float, clustered: bool) -> dict[str, tuple[float, float]]:
    """Return the package's limits; NaN where it has none."""
    label = np.where(sample.known, 1.0, np.nan)
    cluster = sample.cluster if clustered else None
    pu, limits = from_arrays(sample.score, label, cluster=cluster), {}
    asked: dict[str, Callable[[], pd.DataFrame]] = {
        "auroc": lambda: pu.auroc(sample.share),
        "average_precision": lambda: pu.average_precision(sample.share),
    }
    for metric in METRICS:
        asked[metric] = lambda metric=metric: pu.metric(  # type: ignore[misc]
            metric, sample.share, at={"threshold": threshold}, target="population"
        )
    for metric, question in asked.items():
        try:
            with warnings.catch_warnings():  # the limit on beta takes rows as independent
                warnings.simplefilter("ignore", PUWarning)
                row = question().iloc[0]
            limits[metric] = float(row["lower"]), float(row["upper"])
        except PUError:
            limits[metric] = np.nan, np.nan
    return limits


def look(cell: Cell, draws: int) -> list[Row]:
    """Simulate a cell."""
    rng = np.random.default_rng([SEED, *"".join(map(str, cell[1:])).encode()])
    threshold, held = scores(cell.shape).threshold, np.empty((2, len(METRIC_NAMES), draws, 2))
    truth, holding = np.empty((len(METRIC_NAMES), draws)), np.empty(draws)
    for turn in range(draws):
        sample = draw(cell, rng)
        known = float(sample.known.mean())
        true = truths(cell.shape, known + sample.share * (1 - known))
        truth[:, turn] = [true[metric] for metric in METRIC_NAMES]
        holding[turn] = np.unique(sample.cluster[sample.known]).size
        for arm, clustered in enumerate((True, False)):
            found = answers(sample, threshold, clustered)
            held[arm, :, turn] = [found[metric] for metric in METRIC_NAMES]
    return [
        _row(cell, name, truth[k], held[:, k], float(holding.mean()))
        for k, name in enumerate(METRIC_NAMES)
    ]


def _row(cell: Cell, name: str, truth: FloatArray, limits: FloatArray, holding: float) -> Row:
    """Count how often limits hold the truth; shape (2, draws, 2)."""
    lower, upper = np.moveaxis(limits, 2, 0)
    missing = np.isnan(upper - lower)
    below, above = truth < lower - 1e-9, truth > upper + 1e-9
    covers = (~(missing | below | above)).mean(axis=1)
    width = np.nanmean(upper - lower, axis=1)
    rates = (float(each[0].mean()) for each in (below, above, missing))
    mine = (float(truth.mean()), float(covers[0]), *rates, float(width[0]))
    return Row(cell, name, truth.size, holding, *mine, float(covers[1]), float(width[1]))  # type: ignore[call-arg]


def cells() -> Iterator[Cell]:
    """Return all cells."""
    usual, both, reviewed = FIRST, ("by cluster", "by row"), ("clusters reviewed", "rows reviewed")
    yield Cell("sizes", usual, 400, "1", 0.5, "by row")
    for rows, correlation, labels in product(("5", "10"), (0.5, 0.8), both):
        yield Cell("sizes", usual, 400, rows, correlation, labels)
    yield from (Cell("sizes", usual, 400, "5", 0.5, labels) for labels in reviewed)
    for clusters, labels in product((30, 100), ("by cluster, many", *both, reviewed[0])):
        yield Cell("few clusters", usual, clusters, "5", 0.5, labels)
    for rows, labels in product(("geometric", "heavy tail"), both):
        yield Cell("unlike sizes", usual, 400, rows, 0.5, labels)
    for shape, labels in product((*SHAPES,)[1:], both):
        yield Cell("shapes", shape, 400, "5", 0.5, labels)
    for shape in (usual, "log-normal", "normal, shift 2"):
        yield Cell("few known", shape, 400, "5", 0.5, "20 in 10 clusters")
    for rows, labels in (("5", "by cluster"), ("10", "by cluster"), ("5", "rows reviewed")):
        yield Cell("real", JITTERED, 400, rows, 0.8, labels)


# ---------------------------------------------------------------------------------------------
# The table


def read(path: Path) -> dict[Cell, list[list[str]]]:
    """Return the rows that were measured, by cell."""
    measured: dict[Cell, list[list[str]]] = {}
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            for line in list(csv.reader(file))[1:]:
                group, shape, clusters, rows, correlation, labels = line[: len(Cell._fields)]
                cell = Cell(group, shape, int(clusters), rows, float(correlation), labels)
                measured.setdefault(cell, []).append(line)
    return measured


def write(path: Path, measured: Mapping[Cell, list[list[str]]]) -> None:
    """Write all that was measured."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(HEAD)
        table.writerows(line for lines in measured.values() for line in lines)


def text(row: Row) -> list[str]:
    """Return a row of the table."""
    parts = (*row.cell, *row[1:])
    return [f"{part:.4g}" if isinstance(part, float) else str(part) for part in parts]


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--draws", type=int, default=400, help="in a cell")
    parser.add_argument("--only", nargs="*", help="parts of names of cells")
    parser.add_argument("--out", type=Path, default=TABLE)
    asked = parser.parse_args()
    measured, column = read(asked.out), HEAD.index("draws")
    for cell in cells():
        before = measured.get(cell)
        enough = before is not None and int(before[0][column]) >= asked.draws
        name = ", ".join(map(str, cell))
        if enough or (asked.only and not any(part in name for part in asked.only)):
            continue
        rows = look(cell, asked.draws)
        measured[cell] = [text(row) for row in rows]
        write(asked.out, measured)
        told = (f"{row.coverage:.3f}|{row.rows_coverage:.3f}" for row in rows)
        print(*cell, *told, sep="  ", flush=True)


if __name__ == "__main__":
    main()
