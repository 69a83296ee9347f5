"""Do chosen cutoffs keep their guarantee? ``python -m tests.support.studies.cutoffs``.

Scores of many shapes are drawn, a simple random sample of the positives is known, and the cutoff
is asked that is guaranteed to reach a precision, recall or false positive rate. Of twenty models,
whose scores are those of one with noise, the one with the longest list is taken. Writes
``docs/measured/cutoffs.csv``: how often what was guaranteed is true.
"""

import argparse
from typing import NamedTuple

import numpy as np

from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.inference.bands.exact import exact
from pu_accessor.inference.estimates.guaranteed_cutoffs import Goal, Guaranteed, find_guaranteed
from pu_accessor.inference.settings import Settings
from pu_accessor.ranking import BoolArray, FloatArray
from tests.support.studies.shapes import CHOSEN, OTHERS
from tests.support.studies.tables import write_table

SEED, LEVEL, MODELS = 20261121, 0.95, 20
SHAPES = {**CHOSEN, **OTHERS}
DESIGNS = (
    ("normal, AUROC .96", 100, 500, 2000),
    ("exponential", 50, 400, 1600),
    ("beta, skewed", 100, 600, 1400),
    ("101 scores", 200, 1000, 1000),
    ("hard negatives", 100, 800, 1200),
    ("worse than chance, skewed", 100, 1500, 500),
    ("normal, AUROC .999, rare", 30, 60, 2940),
)
GOALS = (Goal("precision", 0.8), Goal("recall", 0.7), Goal("fpr", 0.1))


class Kept(NamedTuple):
    """How often a cutoff was found, and how often what it promised was true."""

    found: float
    kept: float
    pointwise: float  # by bounds that hold at each cutoff


def _true(score: FloatArray, positives: int, found: Guaranteed, goal: Goal) -> bool:
    """Tell whether the guarantee is true; an empty list breaks none."""
    if not found.rank:
        return True
    above = score >= found.threshold
    tp = int(above[:positives].sum())
    value = {
        "precision": tp / found.rank,
        "recall": tp / positives,
        "fpr": (found.rank - tp) / (score.size - positives),
    }[goal.name]
    return value <= goal.value if goal.name == "fpr" else value >= goal.value


def simulate(design: tuple[str, int, int, int], goal: Goal, models: int, draws: int) -> Kept:
    """Choose a cutoff in each draw, by the model with the longest list, and look at the truth."""
    name, known, positives, negatives = design
    rng = np.random.default_rng([SEED, known, models, *name.encode()])
    size, shape = positives + negatives, SHAPES[name]
    beta = (positives - known) / (size - known)
    label = np.arange(size) < known
    rules = Settings(1 - (1 - LEVEL) / models, "simultaneous"), Settings(LEVEL, exact)
    rows = []
    for _ in range(draws):
        base = np.concatenate(shape.draw(rng, positives, negatives))
        noise = 0.5 * base.std() * (models > 1)
        scores = [base + noise * rng.normal(size=size) for _ in range(models)]
        kept = []
        for rule in rules:
            found = [_find(score, label, beta, goal, rule) for score in scores]
            best = max(range(models), key=lambda place: found[place].rank)
            kept.append(_true(scores[best], positives, found[best], goal))
        rows.append((found[best].rank > 0, *kept))
    return Kept(*np.mean(rows, axis=0).tolist())


def _find(
    score: FloatArray, label: BoolArray, beta: float, goal: Goal, rule: Settings
) -> Guaranteed:
    none = np.zeros(score.size, np.bool_)
    ranking = rank_examples(score, label, none, ranks="breakpoints")
    return find_guaranteed(ranking, beta, goal, rule)


def main() -> None:
    """Simulate, and write ``docs/measured/cutoffs.csv``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    options = parser.parse_args()
    body = []
    for models, goals in ((1, GOALS), (MODELS, GOALS[:1])):
        for design in DESIGNS:
            for goal in goals:
                kept = simulate(design, goal, models, options.draws // (2 if models > 1 else 1))
                told = f"{kept.found:.2f}", f"{kept.kept:.3f}", f"{kept.pointwise:.3f}"
                body.append((models, design[0], f"{goal.name} {goal.value:g}", *told))
                print(*body[-1], flush=True)
    write_table("cutoffs", ["models", "scores", "goal", "found", "kept", "by exact"], body)


if __name__ == "__main__":
    main()
