"""Do comparisons hold where two models differ in few rows?

Run ``python -m tests.support.studies.few_rows``. One model is another with 1% or 5% of its scores
changed. Counted is how often the interval at the true beta holds the difference of the areas, and
how often p < .05 with the wrong sign; for models that differ in all rows also how often p < .05
where they are equally good, and how wide intervals are against those of the plain variance.
Writes ``build/measured/few_rows.csv``.
"""

import argparse
import csv
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from scipy import special
from scipy.stats import rankdata

from pu_accessor.inference.comparison.paired_models import compare_paired
from pu_accessor.ranking import BoolArray, FloatArray
from pu_accessor.roles_and_assumptions import Terms
from pu_accessor.sources.label_states import Labels
from pu_accessor.sources.pairs import pair_scores
from tests.support.studies.tables import table_path

SEED, LEVEL = 20261123, 0.95
TABLE = table_path("few_rows")
KNOWN, SHARES, LARGE = (10, 20, 50, 200), (0.01, 0.05), 400_000

Rng = np.random.Generator
# From the truth to two models' scores, the second with a share of its rows changed.
Pair = Callable[[Rng, BoolArray, float], FloatArray]


def rescored(start: Callable[[Rng, BoolArray], FloatArray], change: str) -> Pair:
    """Return a model, and the same with some rows changed."""

    def draw(rng: Rng, truth: BoolArray, share: float) -> FloatArray:
        score = start(rng, truth)
        picked, other = rng.random(truth.size) < share, score.copy()
        size, kind = int(picked.sum()), truth[picked]
        if change == "at random":
            other[picked] = rng.choice(score, size)
        elif change == "drawn again":
            other[picked] = start(rng, kind)
        elif change == "improved":
            other[picked] += np.where(kind, 2, -2)
        elif change == "a little noise":
            other[picked] += 0.3 * rng.normal(size=size)
        elif change == "much noise":
            other[picked] += 3 * rng.normal(size=size)
        elif change == "lost":  # no score, which ranks last
            other[picked] = score.min() - rng.random(size)
        return np.stack([score, other])

    return draw


def normal(apart: float, digits: int = 12) -> Callable[[Rng, BoolArray], FloatArray]:
    """Return normal scores, rounded."""
    return lambda rng, truth: np.round(rng.normal(apart * truth), digits)


def exponential(rng: Rng, truth: BoolArray) -> FloatArray:
    """Return skewed scores."""
    scores: FloatArray = rng.exponential(np.where(truth, 3, 1))
    return scores


def hidden(rng: Rng, truth: BoolArray) -> FloatArray:
    """Return scores by which a fifth of the positives look like negatives."""
    scores: FloatArray = rng.normal(2.5 * (truth & (rng.random(truth.size) < 0.8)))
    return scores


def twins(apart: float, digits: int = 12) -> Pair:
    """Return two models that are equally good, and differ in all rows."""

    def draw(rng: Rng, truth: BoolArray, share: float) -> FloatArray:
        common, own = rng.normal(size=truth.size), rng.normal(size=(2, truth.size))
        scores: FloatArray = np.round(apart * truth + 0.8 * common + 0.6 * own, digits)
        return scores

    return draw


CHANGES = ("at random", "drawn again", "improved", "a little noise")
CHOSEN: Mapping[str, Pair] = {
    f"normal {apart:g}, {change}": rescored(normal(apart), change)
    for apart in (1.0, 2.5)
    for change in CHANGES
}
OTHERS: Mapping[str, Pair] = {
    "9 scores, at random": rescored(normal(1, 0), "at random"),
    "exponential, at random": rescored(exponential, "at random"),
    "exponential, much noise": rescored(exponential, "much noise"),
    "a fifth hidden, improved": rescored(hidden, "improved"),
    "a fifth hidden, much noise": rescored(hidden, "much noise"),
    "normal 1.7, lost": rescored(normal(1.7), "lost"),
    "normal 3.5, at random": rescored(normal(3.5), "at random"),
    "normal 0, drawn again": rescored(normal(0), "drawn again"),
}
TWINS: Mapping[str, Pair] = {
    "twins 1": twins(1),
    "twins 2.5": twins(2.5),
    "twins 1.7, 9 scores": twins(1.7, 0),
}


class Design(NamedTuple):
    """How many rows are known positives, how many others, and how many of these are positives."""

    known: int
    rest: int = 1000
    beta: float = 0.2


class Row(NamedTuple):
    """What was counted."""

    shape: str
    chosen: bool
    share: float
    known: int
    rest: int
    beta: float
    target: str
    draws: int
    covers: float
    wrong: float  # p < .05, with the other sign than the truth
    size: float  # p < .05
    width: float
    ratio: float  # of the mean width to that of the plain variance


def area(score: FloatArray, truth: BoolArray) -> float:
    """Return AUROC."""
    p = int(truth.sum())
    ranks = float(rankdata(score)[truth].mean())
    return (ranks - (p + 1) / 2) / (truth.size - p)


def look(
    name: str, pair: Pair, chosen: bool, share: float, design: Design, draws: int
) -> list[Row]:
    """Count how often comparisons of both targets hold."""
    rng = np.random.default_rng([SEED, *design[:2], round(1000 * share), *name.encode()])
    truth = np.arange(LARGE) < LARGE // 2
    means = [np.diff([area(s, truth) for s in pair(rng, truth, share)])[0] for _ in range(4)]
    equal = name.startswith("twins") or "drawn again" in name
    difference = 0.0 if equal else -float(np.mean(means))
    n, size = design.known, design.known + design.rest
    positives = n + round(design.beta * design.rest)
    truth, known = np.arange(size) < positives, np.arange(size) < n
    labels = Labels(known, np.zeros(size, np.bool_))
    found: dict[str, list[tuple[float, ...]]] = {"population": [], "examples": []}
    for _ in range(draws):
        scores = pair(rng, truth, share)
        paired = pair_scores(("model",), ("a", "b"), scores, labels, Terms())
        here = area(scores[0], truth) - area(scores[1], truth)
        for target, rows in found.items():
            goal = difference if target == "population" else here
            sized = compare_paired(paired, np.array([design.beta]), LEVEL, target)
            p = float(compare_paired(paired, None, LEVEL, target).p_value[0, 0])
            lower, upper = sized.lower[0, 0], sized.upper[0, 0]
            holds = lower - 1e-12 <= goal <= upper + 1e-12
            wrong = p < 1 - LEVEL and sized.sign[0, 0] * goal < 0
            plain = plain_width(scores, design, target)
            rows.append((holds, wrong, p < 1 - LEVEL, upper - lower, plain))
    answers = []
    for target, rows in found.items():
        covers, wrong, below, width, plain = np.mean(rows, axis=0).tolist()
        told = (name, chosen, share, *design, target, draws)
        answers.append(Row(*told, covers, wrong, below, width, width / plain if plain else np.nan))
    return answers


def plain_width(scores: FloatArray, design: Design, target: str) -> float:
    """Return the width by DeLong's variance, or by that of a mean without replacement."""
    n, rest = design.known, design.rest
    negatives = rest - round(design.beta * rest)
    known = [
        rankdata(-s)[:n] - (rankdata(-s[:n]) if target == "population" else 0) for s in scores
    ]
    square, df = float((known[1] - known[0]).var(ddof=1)) / n, n - 1.0
    if target == "examples":
        square *= 1 - n / (n + rest - negatives)
    else:
        placed = [np.searchsorted(np.sort(s[:n]), s[n:]) / n for s in scores]
        other = rest * float((placed[1] - placed[0]).var(ddof=1))
        below = square**2 / (n - 1) + other**2 / (rest - 1)
        df = (square + other) ** 2 / below if below else np.inf
        square += other
    return float(2 * special.stdtrit(df, (1 + LEVEL) / 2) * square**0.5 / negatives)


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--draws", type=int, default=1000, help="in a cell")
    draws = parser.parse_args().draws
    cells = [
        (name, pair, shapes is not OTHERS, share, Design(n))
        for shapes in (CHOSEN, OTHERS, TWINS)
        for name, pair in shapes.items()
        for share in (SHARES if shapes is not TWINS else (1.0,))
        for n in KNOWN
    ]
    cells += [
        ("normal 1, at random", CHOSEN["normal 1, at random"], False, 0.01, Design(50, 2000, 0.1)),
        ("normal 1, at random", CHOSEN["normal 1, at random"], False, 0.05, Design(50, 300, 0.3)),
    ]
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(Row._fields)
        for name, pair, chosen, share, design in cells:
            for row in look(name, pair, chosen, share, design, draws):
                table.writerow([f"{x:.4f}" if isinstance(x, float) else x for x in row])
                print(*row, flush=True)


if __name__ == "__main__":
    main()
