"""Do pooled intervals hold?

Run ``python -m tests.support.studies.pooled``, from the root of the project.

Each fold has a model of its own, whose scores are on a scale of their own. A random sample of the
positives of all folds is known; AUROC and average precision are asked at the true share of
positives, and precision at a share of the examples. The truth is the mean over the folds' models.
Writes ``build/measured/folds.csv``. None of these designs was used to choose anything.
"""

import argparse
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata

import pu_accessor  # noqa: F401 (registers df.pu)
from pu_accessor.ranking import BoolArray, FloatArray
from tests.support.studies.population import SHAPES, Shape
from tests.support.studies.tables import write_table

SEED, LEVEL = 20261121, 0.95
QUANTITIES = ("auroc", "average_precision", "precision")
TOP = 0.1  # of the examples, at which precision is asked
DRAWN = ("normal .96", "5 scores", "3% hard negatives")


class Design(NamedTuple):
    """How many folds there are, what is in each on average, and how far models differ."""

    folds: int
    positives: int
    negatives: int
    known: float
    spread: float


DESIGNS: Mapping[str, Design] = {
    "5 folds, 40 of 80 known": Design(5, 80, 320, 0.5, 0.0),
    "5 folds, 40 of 80 known, models differ": Design(5, 80, 320, 0.5, 0.4),
    "10 folds, 20 of 40 known": Design(10, 40, 160, 0.5, 0.2),
    "10 folds, 3 of 10 known": Design(10, 10, 90, 0.3, 0.2),
    "10 folds, 1 of 3 known": Design(10, 3, 47, 0.34, 0.2),
}


class Cell(NamedTuple):
    """How often a pooled interval held the truth."""

    quantity: str
    shape: str
    design: str
    truth: float
    estimate: float
    coverage: float
    above: float
    below: float
    width: float


def draw_fold(
    rng: np.random.Generator, shape: Shape, fold: int, design: Design
) -> tuple[BoolArray, FloatArray]:
    """Draw the truth and the scores of a fold: of a scale of its own."""
    size = design.positives + design.negatives
    positives = rng.binomial(size, design.positives / size)
    better = design.spread * (fold / (design.folds - 1) - 0.5)
    score = np.concatenate(
        [shape.positive(rng, (positives,)) + better, shape.negative(rng, (size - positives,))]
    )
    return np.arange(size) < positives, (score + 7.0 * fold) * (1 + fold)


@cache
def truth(quantity: str, name: str, design: Design, draws: int = 400) -> float:
    """Return the mean of what all labels would say, over folds and draws."""
    rng, found = np.random.default_rng(1), []
    for _ in range(draws):
        for fold in range(design.folds):
            positive, score = draw_fold(rng, SHAPES[name], fold, design)
            if positive.any() and not positive.all():
                found.append((_true(quantity, positive, score), positive.sum()))
    values, weights = np.array(found).T
    return float(np.average(values, weights=weights))


def _true(quantity: str, positive: BoolArray, score: FloatArray) -> float:
    """Return what all labels of a fold say."""
    above = rankdata(-score, method="max")
    if quantity == "average_precision":
        high = rankdata(-score[positive], method="max")
        return float(np.mean(high / above[positive]))
    if quantity == "auroc":
        n = positive.sum()
        ranks = rankdata(score)[positive].sum() - n * (n + 1) / 2
        return float(ranks / n / (positive.size - n))
    raise AssertionError(quantity)


def cell(quantity: str, name: str, design_name: str, draws: int) -> Cell:
    """Simulate one cell."""
    design, shape = DESIGNS[design_name], SHAPES[name]
    rng = np.random.default_rng([SEED, QUANTITIES.index(quantity), design.folds, draws])
    rows = []
    for _ in range(draws):
        folds = [draw_fold(rng, shape, fold, design) for fold in range(design.folds)]
        positive = np.concatenate([one for one, _ in folds])
        sizes = [one.size for one, _ in folds]
        frame = pd.DataFrame(
            {
                "fold": np.repeat(np.arange(design.folds), sizes),
                "score": np.concatenate([score for _, score in folds]),
            }
        )
        known = positive & (rng.random(positive.size) < design.known)
        if known.sum() < 2:
            continue
        frame["label"] = np.where(known, 1.0, np.nan)
        beta = float((positive & ~known).sum() / (~known).sum())
        pu = frame.pu(by="fold", pool=True)
        if quantity == "precision":
            # These examples: what all labels say of the tenth of each fold.
            found = pu.metric("precision", beta, at={"fraction": TOP})
            place = frame.groupby("fold")["score"].rank(method="min").to_numpy()
            head = (place - 1) / np.repeat(sizes, sizes) >= 1 - TOP
            goal = float(positive[head].mean()) if head.any() else np.nan
        else:
            found = getattr(pu, quantity)(beta)
            goal = truth(quantity, name, design)
        row = found.iloc[0]
        rows.append((goal, row["estimate"], row["lower"], row["upper"]))
    goal, estimate, lower, upper = np.array(rows).T
    held = (lower <= goal + 1e-12) & (goal <= upper + 1e-12)
    return Cell(
        quantity,
        name,
        design_name,
        float(np.nanmean(goal)),
        float(np.nanmean(estimate)),
        float(held.mean()),
        float((lower > goal + 1e-12).mean()),
        float((upper < goal - 1e-12).mean()),
        float(np.nanmean(upper - lower)),
    )


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=300)
    draws = parser.parse_args().draws
    cells = [
        cell(quantity, shape, design, draws)
        for quantity in QUANTITIES
        for shape in DRAWN
        for design in DESIGNS
    ]
    names = ["truth", "mean estimate", "covers", "above", "below", "width"]
    body = [(*row[:3], *(f"{value:.3f}" for value in row[3:])) for row in cells]
    write_table("folds", ["metric", "shape", "folds", *names], body)


if __name__ == "__main__":
    main()
