"""Do the intervals of practice hold what they promise? ``python -m tests.studies.practice``.

Scores of the shapes of `tests.studies.shapes` are drawn, a simple random sample of the positives
is known, and the metrics that practice asks for get the true beta. Shapes on which nothing was
chosen say so. Prints the tables of ``docs/practice.md``: a name chooses one, ``--draws`` says
how many populations are drawn for each row.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.inference.estimates.cutoff import metric_at, read_at
from pu_accessor.inference.rule import Rule
from pu_accessor.ranking import BoolArray, FloatArray, Ranking
from tests.studies.shapes import CHOSEN, OTHERS, Rng, Shape

SEED, LEVEL = 20261122, 0.95
MOST = 60_000  # examples
SHAPES: Mapping[str, Shape] = {**CHOSEN, **OTHERS}


class Sample(NamedTuple):
    """Scores, the truth, a ranking by what is known of it, and beta."""

    score: FloatArray
    truth: BoolArray
    ranking: Ranking
    beta: float


class Held(NamedTuple):
    """How often an interval held the truth, and its mean width."""

    below: float  # share of draws with the truth below the interval
    above: float
    width: float
    draws: int

    @property
    def coverage(self) -> float:
        return 1 - self.below - self.above

    @classmethod
    def of(cls, truth: FloatArray, lower: FloatArray, upper: FloatArray) -> "Held":
        """Hold intervals against the truth."""
        below, above = truth < lower - 1e-9, truth > upper + 1e-9
        width = float((upper - lower).mean())
        return cls(float(below.mean()), float(above.mean()), width, truth.size)


Found = list[tuple[float, float, float]]  # truth, lower, upper of each draw
# From a shape, a number of known positives, their share, draws and a generator to what each of
# some intervals found.
Study = Callable[[Shape, int, float, int, Rng], dict[str, Held]]


def samples(shape: Shape, known: int, share: float, draws: int, rng: Rng) -> Iterator[Sample]:
    """Draw populations, and the known positives of each."""
    positives = max(round(known / share), known + 1)
    examples = min(round(positives / shape.prevalence), MOST)
    truth, label = np.arange(examples) < positives, np.arange(examples) < known
    for _ in range(draws):
        score = np.concatenate(shape.draw(rng, positives, examples - positives))
        yield Sample(score, truth, rank(score, label), (positives - known) / (examples - known))


def rank(score: FloatArray, label: BoolArray) -> Ranking:
    """Rank examples of which some are known to be positive."""
    return rank_examples(score, label, np.zeros(label.size, np.bool_))


def held(found: Mapping[str, Found]) -> dict[str, Held]:
    """Sum up what each interval found."""
    return {name: Held.of(*np.array(rows, np.float64).T) for name, rows in found.items() if rows}


def at_precision(shape: Shape, known: int, share: float, draws: int, rng: Rng) -> dict[str, Held]:
    """Precision and recall where the estimated precision is last at least 0.5."""
    found: dict[str, Found] = {}
    for one in samples(shape, known, share, draws, rng):
        betas, at = np.array([one.beta]), read_at({"precision": 0.5})
        for name in ("precision", "recall"):
            try:
                got = metric_at(one.ranking, betas, name, at, Rule(LEVEL))
            except ValueError:  # is reached by no cutoff
                continue
            head = one.score >= got.threshold[0]
            true = one.truth[head].sum() / (head if name == "precision" else one.truth).sum()
            exact = metric_at(one.ranking, betas, name, read_at(int(got.rank[0])), Rule(LEVEL))
            for band, each in (("simultaneous", got), ("exact", exact)):
                rows = found.setdefault(f"{name} at precision .5, {band}", [])
                rows.append((true, each.lower[0], each.upper[0]))
    return held(found)


STUDIES: Mapping[str, tuple[Study, Sequence[tuple[int, float]]]] = {
    "precision": (at_precision, [(10, 0.5), (50, 0.1), (50, 0.5)]),
}


def run(name: str, shape: str, known: int, share: float, draws: int) -> dict[str, Held]:
    """Simulate a row."""
    study, _ = STUDIES[name]
    words: list[int] = [SEED, known, round(1000 * share), *f"{name} {shape}".encode()]
    return study(SHAPES[shape], known, share, draws, np.random.default_rng(words))


def main() -> None:
    """Simulate, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*STUDIES, []], default=[*STUDIES])
    parser.add_argument("--draws", type=int, default=200)
    options = parser.parse_args()
    for name in options.names:
        print("| interval | known | shape | truth below | truth above | coverage | width |")
        print("|---|---|---|---|---|---|---|")
        for known, share in STUDIES[name][1]:
            for shape in SHAPES:
                if known / share / SHAPES[shape].prevalence > MOST:
                    continue
                new = " (not chosen on)" if shape in OTHERS else ""
                for what, cell in run(name, shape, known, share, options.draws).items():
                    shown = " | ".join(f"{x:.3f}" for x in (cell.below, cell.above, cell.coverage))
                    print(
                        f"| {what} | {known} of {round(known / share)} | {shape}{new} | {shown} | "
                        f"{cell.width:.3f} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
