"""Do averages over groups hold? ``python -m tests.studies.averages``, from the project's root.

Each group has its own number of examples, of positives and of known ones among them, and positives
of some groups score higher than those of others. AUROC, average precision and the precision of the
first five are asked at the true share of positives of each group. The truth over new groups is the
mean over many, the truth over these is what all their labels would say. Writes the table of
``docs/averages.md`` anew. Shapes like the first, and like that with hard negatives, were used to
choose the interval.
"""

import argparse
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from pu_accessor import PUWarning
from pu_accessor.ranking import BoolArray, FloatArray
from tests.studies.coverage import markdown
from tests.studies.population import SHAPES

SEED, TOP = 20261122, 5
PAGE = Path(__file__).parents[2] / "docs" / "averages.md"
BEGIN, END = "<!-- study of averages -->\n", "<!-- end of study of averages -->"
DRAWN = (
    "normal .76",
    "5 scores",
    "20% hidden positives",
    "3% hard negatives",
    "worse than chance",
    "normal .999",
)
GROUPS = {5: 150, 20: 80, 100: 40}  # and draws


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
            found = pu.metric(quantity, beta, at=TOP, target=target, average=True)
        else:
            found = getattr(pu, quantity)(beta, target=target, average=True)
        goal = truth(quantity, shape, design)
        if target == "examples":
            goal = float(np.mean([true_value(quantity, group) for group in each]))
        rows.append((goal, *found[["estimate", "lower", "upper"]].iloc[0]))
    goal, estimate, lower, upper = np.array(rows).T
    above, below = lower > goal + 1e-9, upper < goal - 1e-9
    held = ~above & ~below & ~np.isnan(lower)
    means = (np.nanmean(one) for one in (goal, estimate, held, above, below, upper - lower))
    return Cell(*map(float, means))


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the draws")
    share = parser.parse_args().share
    warnings.simplefilter("ignore", PUWarning)
    plan = [("auroc", shape, *design) for shape in DRAWN for design in DESIGNS.items()]
    plan += [
        (quantity, shape, "2 to 6 known", WITH_TWO)
        for quantity in ("average_precision", "precision")
        for shape in DRAWN[2:]
    ]
    rows = []
    for quantity, shape, name, design in plan:
        for groups, draws in GROUPS.items():
            for target in ("population", "examples"):
                found = cell(quantity, target, shape, design, groups, max(int(draws * share), 2))
                over = "new" if target == "population" else "these"
                numbers = [f"{value:.3f}" for value in found]
                rows.append((quantity, shape, name, f"{groups} {over}", *numbers))
                print(*rows[-1], flush=True)
    names = ["truth", "mean estimate", "covered", "above", "below", "width"]
    table = markdown(["", "shape", "in each", "groups", *names], rows)
    told = f"150 draws for 5 groups, 80 for 20 and 40 for 100.\n\n{table}\n"
    head, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(f"{head}{BEGIN}\n{told}\n{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
