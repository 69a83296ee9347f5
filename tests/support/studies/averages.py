"""Do averages over groups hold?

Run ``python -m tests.support.studies.averages``, from the project's root.

Each group has its own number of examples, of positives and of known ones among them, and positives
of some groups score higher than those of others. AUROC, average precision and the precision of the
first five are asked at the true share of positives of each group. The truth over new groups is the
mean over many, the truth over these is what all their labels would say. Writes
``build/measured/averages.csv``. Shapes like the first, and like that with hard negatives, were
used to choose the interval.
"""

import argparse
import warnings
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from pu_accessor import PUWarning
from pu_accessor.inference.estimates.macro_average import AREA_SCATTER, GroupTerm, average_groups
from pu_accessor.ranking import BoolArray, FloatArray
from tests.support.studies.population import SHAPES
from tests.support.studies.tables import write_table

SEED, TOP = 20261122, 5
DRAWN = (
    "normal .76",
    "5 scores",
    "20% hidden positives",
    "3% hard negatives",
    "worse than chance",
    "normal .999",
)
GROUPS = {5: 400, 20: 400, 100: 400}  # and draws


FEWER = ("20% hidden positives", "worse than chance")  # for what takes longer


class Design(NamedTuple):
    """Known positives of a group, hidden ones and negatives, from and to; how groups differ."""

    known: tuple[int, int]
    hidden: tuple[int, int]
    negative: tuple[int, int]
    spread: float


DESIGNS: Mapping[str, Design] = {
    "1 known": Design((1, 1), (0, 4), (15, 45), 0.3),
    "1 to 8 known, sizes differ": Design((1, 8), (1, 8), (8, 100), 0.6),
    "15 to 25 known, groups differ": Design((15, 25), (10, 30), (60, 60), 1.0),
}
WITH_TWO = Design((2, 6), (1, 6), (15, 60), 0.5)


class Group(NamedTuple):
    """Scores, the truth, and which are known."""

    score: FloatArray
    truth: BoolArray
    label: FloatArray


class Cell(NamedTuple):
    """How often an interval held the truth."""

    truth: float
    estimate: float
    coverage: float
    above: float
    below: float
    width: float


def draw_group(rng: np.random.Generator, shape: str, design: Design) -> Group:
    """Draw one group."""
    known, hidden, negative = (int(rng.integers(low, high + 1)) for low, high in design[:3])
    positive = SHAPES[shape].positive(rng, (known + hidden,)) + design.spread * rng.normal()
    score = np.concatenate([positive, SHAPES[shape].negative(rng, (negative,))])
    place = np.arange(score.size)
    return Group(score, place < known + hidden, np.where(place < known, 1.0, np.nan))


def true_value(quantity: str, group: Group) -> float:
    """Return what all labels of a group say."""
    positive, negative = group.score[group.truth, np.newaxis], group.score[~group.truth]
    if quantity == "auroc":
        return float(((positive > negative) + 0.5 * (positive == negative)).mean())
    if quantity == "average_precision":
        head = group.score >= positive
        return float((head[:, group.truth].sum(axis=1) / head.sum(axis=1)).mean())
    first = np.argsort(-group.score, kind="stable")[:TOP]
    return float(group.truth[first].mean())


@cache
def truth(quantity: str, shape: str, design: Design, groups: int = 10_000) -> float:
    """Return the mean over many groups."""
    rng = np.random.default_rng(1)
    drawn = (draw_group(rng, shape, design) for _ in range(groups))
    return float(np.mean([true_value(quantity, group) for group in drawn]))


def auroc_terms(
    rng: np.random.Generator, shape: str, design: Design, groups: int, draws: int
) -> tuple[dict[str, list[GroupTerm]], FloatArray]:
    """Draw groups, each of one size in all draws: what they add, and their true AUROC."""
    terms: dict[str, list[GroupTerm]] = {"population": [], "examples": []}
    truths = []
    for _ in range(groups):
        known, hidden, negative = (int(rng.integers(low, high + 1)) for low, high in design[:3])
        positive = SHAPES[shape].positive(rng, (draws, known + hidden))
        positive = positive + design.spread * rng.normal(size=(draws, 1))
        others = SHAPES[shape].negative(rng, (draws, negative))
        below = _below(positive, others)
        truths.append(below.mean(axis=1) / negative)
        first = positive[:, :known]
        among = below[:, :known] + _below(first, positive[:, known:])
        rest, share = negative + hidden, hidden / (negative + hidden)
        value = (among.mean(axis=1) / rest - share / 2) / (1 - share)
        ranks = among + _below(first, first)
        alone = np.full(draws, np.nan)
        square = ranks.var(axis=1, ddof=1) / known if known > 1 else alone
        square = square * (hidden / (known + hidden)) / negative**2
        low, stretch = np.full(draws, -share / 2 / (1 - share)), 1 / (1 - share)
        part = np.full(draws, hidden / (known + hidden))
        square = square if hidden else np.zeros(draws)
        terms["examples"].append(GroupTerm(value, low, low + stretch, square, part, known))
        terms["population"].append(GroupTerm(value, low, low + stretch, alone, part, known))
    return terms, np.mean(truths, axis=0)


def _below(some: FloatArray, others: FloatArray) -> FloatArray:
    """Return how many of the others lie below each, ties counting half."""
    one, other = some[:, :, np.newaxis], others[:, np.newaxis, :]
    found: FloatArray = (one > other).sum(axis=2) + 0.5 * (one == other).sum(axis=2)
    return found


def auroc_cells(shape: str, design: Design, groups: int, draws: int) -> dict[str, Cell]:
    """Simulate AUROC over new groups and over these, of the same draws."""
    rng = np.random.default_rng([SEED, *shape.encode(), groups])
    batches = [auroc_terms(rng, shape, design, groups, draws // 8) for _ in range(8)]
    found = {}
    for target in ("population", "examples"):
        each = [average_groups(terms[target], target, AREA_SCATTER, 0.95) for terms, _ in batches]
        estimate, lower, upper = (
            np.concatenate([getattr(one, name) for one in each])
            for name in ("value", "lower", "upper")
        )
        these = np.concatenate([goal for _, goal in batches])
        goal = (
            these if target == "examples" else np.full(these.size, truth("auroc", shape, design))
        )
        found[target] = tally(goal, estimate, lower, upper)
    return found


def tally(goal: FloatArray, estimate: FloatArray, lower: FloatArray, upper: FloatArray) -> Cell:
    """Count what intervals hold; one that is not there holds nothing."""
    above, below = lower > goal + 1e-9, upper < goal - 1e-9
    held = ~above & ~below & ~np.isnan(lower)
    means = (np.nanmean(one) for one in (goal, estimate, held, above, below, upper - lower))
    return Cell(*map(float, means))


def cell(quantity: str, target: str, shape: str, design: Design, groups: int, draws: int) -> Cell:
    """Simulate one cell."""
    rng = np.random.default_rng([SEED, *"".join((quantity, target, shape)).encode(), groups])
    rows = []
    for _ in range(draws):
        each = [draw_group(rng, shape, design) for _ in range(groups)]
        number = np.repeat(np.arange(groups), [group.score.size for group in each])
        score, positive, label = (np.concatenate(part) for part in zip(*each, strict=True))
        frame = pd.DataFrame({"group": number, "score": score, "label": label})
        hidden = np.isnan(label)
        beta = dict(
            enumerate(np.bincount(number[hidden], positive[hidden]) / np.bincount(number[hidden]))
        )
        pu = frame.pu(by="group")
        if quantity == "precision":
            found = pu(average=True).metric(quantity, beta, at=TOP, target=target)
        else:
            found = getattr(pu(average=True), quantity)(beta, target=target)
        goal = truth(quantity, shape, design)
        if target == "examples":
            goal = float(np.mean([true_value(quantity, group) for group in each]))
        rows.append((goal, *found[["estimate", "lower", "upper"]].iloc[0]))
    goal, estimate, lower, upper = np.array(rows).T
    return tally(goal, estimate, lower, upper)


def _row(
    quantity: str, shape: str, name: str, groups: int, target: str, found: Cell
) -> tuple[str, ...]:
    """Return a row of the table, and show it."""
    over = "new" if target == "population" else "these"
    row = (quantity, shape, name, f"{groups} {over}", *(f"{value:.3f}" for value in found))
    print(*row, flush=True)
    return row


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the draws")
    share = parser.parse_args().share
    warnings.simplefilter("ignore", PUWarning)
    rows = []
    for shape in DRAWN:
        for name, design in DESIGNS.items():
            for groups, draws in GROUPS.items():
                both = auroc_cells(shape, design, groups, max(int(draws * share), 16))
                for target, found in both.items():
                    rows.append(_row("auroc", shape, name, groups, target, found))
    for quantity in ("average_precision", "precision"):
        for shape in FEWER:
            for groups, draws in ((5, 150), (20, 60)):
                for target in ("population", "examples"):
                    found = cell(
                        quantity, target, shape, WITH_TWO, groups, max(int(draws * share), 2)
                    )
                    rows.append(_row(quantity, shape, "2 to 6 known", groups, target, found))
    names = ["truth", "mean estimate", "covers", "above", "below", "width"]
    write_table("averages", ["metric", "shape", "in each", "groups", *names], rows)


if __name__ == "__main__":
    main()
