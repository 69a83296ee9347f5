"""Do chosen cutoffs keep their guarantee? ``python -m tests.support.studies.cutoffs``.

Scores of many shapes are drawn, or are those of real classifiers, a simple random sample of the
positives is known, and the cutoff is asked that is guaranteed to reach a precision, recall or
false positive rate. Of twenty models, whose scores are those of one with noise, the one with the
longest list is taken. Writes ``build/measured/cutoffs.csv``: how often the guarantee is true, and
how long lists are, over those of who knows all labels. Beside it stand the lists of bounds
that hold on both sides at all cutoffs, which is more than a guarantee needs, and how often it is
true of bounds that hold at each cutoff.
"""

import argparse
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.inference.bands.exact import exact
from pu_accessor.inference.estimates.guaranteed_cutoffs import Goal, find_sample_cutoff
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import make_tables
from pu_accessor.ranking import BoolArray, FloatArray, Numbers, Ranking
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
# In these one model alone is looked at.
MORE = (
    ("normal, AUROC .80", 300, 1000, 4000),
    ("normal, AUROC .96", 10, 50, 450),
    ("tenth of positives hidden", 20, 100, 900),
    ("5 scores", 100, 500, 1500),
    ("wide positives", 60, 300, 1500),
    ("two kinds of positives", 50, 300, 2700),
    ("half positive", 400, 1000, 1000),
    ("breast cancer", 63, 212, 357),
    ("digits, eights", 50, 174, 1623),
)
GOALS = (Goal("precision", 0.8), Goal("recall", 0.7), Goal("fpr", 0.1))
HARDER = (Goal("precision", 0.5), Goal("recall", 0.9), Goal("fpr", 0.02))

Design = tuple[str, int, int, int]
Scores = Callable[[np.random.Generator], FloatArray]


class Kept(NamedTuple):
    """How often a cutoff was found, and what it promised was true, and how long its list is."""

    found: float
    kept: float
    both_sides: float  # kept by bounds that hold on both sides at all cutoffs
    pointwise: float  # kept by bounds that hold at each cutoff
    length: float  # of the list, over that of who knows all labels
    length_both_sides: float


class Sample(NamedTuple):
    """Scores, the positives first, and the first of these known."""

    score: FloatArray
    positives: int
    ranking: Ranking

    def value(self, goal: Goal, rank: int) -> float:
        """Return the true value of the goal's metric in the list."""
        order = np.argsort(-self.score, kind="stable")
        tp = int((order[:rank] < self.positives).sum())
        return {
            "precision": tp / max(rank, 1),
            "recall": tp / self.positives,
            "fpr": (rank - tp) / (self.score.size - self.positives),
        }[goal.name]

    def true(self, goal: Goal, rank: int) -> bool:
        """Tell whether the guarantee is true; an empty list breaks none."""
        return not rank or bool(_meets(goal, np.array(self.value(goal, rank))))

    def longest(self, goal: Goal) -> int:
        """Return the list of who knows all labels: for recall the shortest."""
        ranks = self.ranking.rank[1:]
        order = np.argsort(-self.score, kind="stable")
        tp = np.append(0, np.cumsum(order < self.positives))[ranks]
        return _first_or_last(goal, ranks, tp, (self.positives, self.score.size))


def _meets(goal: Goal, value: FloatArray) -> BoolArray:
    met: BoolArray = value <= goal.value if goal.name == "fpr" else value >= goal.value
    return met


def _first_or_last(goal: Goal, ranks: Numbers, tp: Numbers, sizes: tuple[int, int]) -> int:
    """Return the list that meets a goal by these true positives, whatever comes before it."""
    positives, size = sizes
    value = {
        "precision": tp / ranks,
        "recall": tp / positives,
        "fpr": (ranks - tp) / (size - positives),
    }[goal.name]
    met = np.flatnonzero(_meets(goal, value))
    return int(ranks[met[0 if goal.name == "recall" else -1]]) if met.size else 0


def by_bounds(sample: Sample, beta: float, goal: Goal, rule: Settings) -> int:
    """Return the list by the lower bounds of a rule, taken as if they held wherever one looks."""
    tables = make_tables(sample.ranking, np.array([beta]), rule)
    ranks, tp = tables.head[1:], tables.tp[1:, 0, 0]
    return _first_or_last(goal, ranks, tp, (sample.positives, sample.score.size))


def simulate(design: Design, goal: Goal, models: int, draws: int) -> Kept:
    """Choose a cutoff in each draw, by the model with the longest list, and look at the truth."""
    name, known, positives, negatives = design
    rng = np.random.default_rng([SEED, known, models, *name.encode()])
    beta = (positives - known) / (positives + negatives - known)
    level = 1 - (1 - LEVEL) / models
    ours, both_sides = (Settings(level, "simultaneous") for _ in range(2))
    pointwise = Settings(2 * LEVEL - 1, exact)  # the level of one side
    rows = []
    for samples in _draw(design, models, draws, rng):
        lists = [
            [
                find_sample_cutoff(one.ranking, np.array([beta]), goal, ours).rank,
                by_bounds(one, beta, goal, both_sides),
                by_bounds(one, beta, goal, pointwise),
            ]
            for one in samples
        ]
        kept, lengths = [], []
        for ranks in zip(*lists, strict=True):
            best = max(range(models), key=ranks.__getitem__)
            kept.append(samples[best].true(goal, ranks[best]))
            oracle = samples[best].longest(goal)
            lengths.append(ranks[best] / oracle if oracle else np.nan)
        rows.append((max(ranks for ranks, *_ in lists) > 0, *kept, *lengths[:2]))
    table = np.array(rows, np.float64)
    there = np.isfinite(table).all(axis=1)
    length = table[there, 4:].mean(axis=0) if there.any() else np.full(2, np.nan)
    return Kept(*table[:, :4].mean(axis=0).tolist(), *length.tolist())


def _draw(
    design: Design, models: int, draws: int, rng: np.random.Generator
) -> Iterator[list[Sample]]:
    """Draw scores by some models, and labels; those of real classifiers are there already."""
    name, known, positives, negatives = design
    size = positives + negatives
    label, none = np.arange(size) < known, np.zeros(size, np.bool_)
    for _ in range(draws):
        if name in SHAPES:
            base = np.concatenate(SHAPES[name].draw(rng, positives, negatives))
        else:
            first, second = _real_scores()[name]
            base = np.concatenate([rng.permutation(first), second])
        noise = 0.5 * base.std() * (models > 1)
        scores = [base + noise * rng.normal(size=size) for _ in range(models)]
        yield [Sample(one, positives, rank_examples(one, label, none)) for one in scores]


@cache
def _real_scores() -> dict[str, tuple[FloatArray, FloatArray]]:
    """Return the scores of positives and negatives by real classifiers, out of sample."""
    from sklearn.datasets import load_breast_cancer, load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    found = {}
    for name, load, kind in (
        ("breast cancer", load_breast_cancer, 0),
        ("digits, eights", load_digits, 8),
    ):
        features, target = load(return_X_y=True)
        model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000))
        score = cross_val_predict(model, features, target == kind, method="decision_function")
        found[name] = score[target == kind], score[target != kind]
    return found


def main() -> None:
    """Simulate, and write ``build/measured/cutoffs.csv``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    options = parser.parse_args()
    body = []
    for models, designs, goals in (
        (1, DESIGNS + MORE, GOALS + HARDER),
        (MODELS, DESIGNS, GOALS[:1]),
    ):
        for design in designs:
            for goal in goals:
                draws = options.draws // (4 if models > 1 else 1)
                name, known, *_ = design
                told = [f"{share:.3f}" for share in simulate(design, goal, models, draws)]
                body.append((models, name, known, f"{goal.name} {goal.value:g}", *told))
                print(*body[-1], flush=True)
    head = ["models", "scores", "known", "goal", "found", "kept", "kept by both sides"]
    head += ["kept by exact", "list over the oracle's", "that by both sides"]
    write_table("cutoffs", head, body)


if __name__ == "__main__":
    main()
