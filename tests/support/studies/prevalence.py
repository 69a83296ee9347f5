"""Prevalences from elsewhere: ``python -m tests.support.studies.prevalence``.

Do intervals on new examples hold where beta follows from the prevalence of a population, of which
the examples are a sample? And do they where the model will be used at another prevalence than that
of the examples? Prints the coverage of each cell. What is NaN
counts as a miss.
"""

import argparse
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

import pu_accessor
from pu_accessor.errors import PUWarning
from tests.cases import put
from tests.support.studies.shapes import CHOSEN, OTHERS, Shape

SEED, TRUTH, AT = 20261123, 200_000, 0.9  # the threshold is that share of negatives
SHAPES: Mapping[str, Shape] = {**CHOSEN, **OTHERS}
NAMES = ("normal, AUROC .80", "beta, skewed", "hard negatives", "normal, AUROC .96", "101 scores")
_LIMITS = ["lower", "upper"]


class Design(NamedTuple):
    """How many examples there are, and the share of positives among the unlabeled."""

    known: int
    unlabeled: int
    beta: float

    @property
    def prevalence(self) -> float:
        return (self.known + self.beta * self.unlabeled) / (self.known + self.unlabeled)


class Truth(NamedTuple):
    """What is true of new examples."""

    threshold: float
    auroc: float
    average_precision: float
    precision: float


@cache
def truth(shape: str, prevalence: float) -> Truth:
    """Return numbers of new examples."""
    good, bad = map(np.sort, SHAPES[shape].draw(np.random.default_rng(SEED), TRUTH, TRUTH))
    tpr, fpr = (1 - np.searchsorted(kind, good, "left") / TRUTH for kind in (good, bad))
    tied = 1 - np.searchsorted(bad, good, "right") / TRUTH
    threshold = float(np.quantile(bad, AT))
    high, false = ((kind >= threshold).mean() for kind in (good, bad))

    def precision(true: float, false: float) -> float:
        return prevalence * true / (prevalence * true + (1 - prevalence) * false)

    auroc = float(1 - (fpr + tied).mean() / 2)
    mean = float(np.vectorize(precision)(tpr, fpr).mean())
    return Truth(threshold, auroc, mean, float(precision(high, false)))


def draw(shape: str, design: Design, positives: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw examples of which some positives are known."""
    size = design.known + design.unlabeled
    score = np.concatenate(SHAPES[shape].draw(rng, positives, size - positives))
    return pd.DataFrame(
        {"score": score, "label": np.where(np.arange(size) < design.known, 1, np.nan)}
    )


def _covers(found: pd.DataFrame, value: float) -> tuple[bool, float]:
    """Tell if an interval holds a value, and how wide it is."""
    lower, upper = found[_LIMITS].iloc[0]
    return bool(lower - 1e-9 <= value <= upper + 1e-9), float(upper - lower)


def of_population(
    shape: str, design: Design, draws: int
) -> Iterator[tuple[str, str, float, float]]:
    """Yield coverage and width by what is asked, with beta as if of these rows, and jointly."""
    rng = np.random.default_rng([SEED, *shape.encode()])
    share, size = design.prevalence, design.known + design.unlabeled
    goal, counts = truth(shape, share), (design.known, design.unlabeled)
    rows: dict[tuple[str, str], list[tuple[bool, float]]] = {}
    for _ in range(draws):
        pu = draw(shape, design, int(rng.binomial(size, share)), rng).pu
        at = {"at": {"threshold": goal.threshold}}
        for of in ("rows", "population"):
            beta = pu_accessor.beta_from_prevalence(share, *counts, of=of)
            metric = pu.metric("precision", beta, **at)
            known = pu.assume(prevalence=share).metric("precision", beta, **at)
            for name, found, value in (
                ("AUROC", pu.auroc(beta), goal.auroc),
                ("AP", pu.average_precision(beta), goal.average_precision),
                ("AP, prevalence=", pu.assume(prevalence=share).average_precision(beta), goal[2]),
                ("precision", metric, goal.precision),
                ("precision, prevalence=", known, goal.precision),
            ):
                rows.setdefault((name, of), []).append(_covers(found, value))
    for (name, of), each in rows.items():
        coverage, width = np.nanmean(np.array(each, float), axis=0).tolist()
        yield name, of, coverage, width


def elsewhere(
    shape: str, design: Design, prevalence: float, draws: int
) -> Iterator[tuple[str, float, float]]:
    """Yield coverage and width at another prevalence than that of the examples."""
    rng = np.random.default_rng([SEED, *shape.encode()])
    goal = truth(shape, prevalence)
    latent = round(design.beta * design.unlabeled)
    rows: dict[str, list[tuple[bool, float]]] = {"AP": [], "precision": []}
    for _ in range(draws):
        pu = draw(shape, design, design.known + latent, rng).pu
        options = {"beta": latent / design.unlabeled, "prevalence": prevalence}
        at = {"at": {"threshold": goal.threshold}}
        rows["AP"].append(_covers(put(pu, "average_precision", **options), goal.average_precision))
        rows["precision"].append(
            _covers(put(pu, "metric", "precision", **options, **at), goal.precision)
        )
    for name, each in rows.items():
        coverage, width = np.nanmean(np.array(each, float), axis=0).tolist()
        yield name, coverage, width


def main() -> None:
    """Simulate, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--shapes", nargs="*", default=NAMES)
    options = parser.parse_args()
    warnings.simplefilter("ignore", PUWarning)
    print("| scores | quantity | beta of | covers | width |\n|---|---|---|---|---|")
    for shape in options.shapes:
        for name, of, coverage, width in of_population(
            shape, Design(200, 1000, 0.05), options.draws
        ):
            print(f"| {shape} | {name} | {of} | {coverage:.3f} | {width:.3f} |", flush=True)
    print("| scores | n, unlabeled, beta | prevalence | quantity | covers | width |")
    print("|---|---|---|---|---|---|")
    for shape in options.shapes:
        for design in (Design(100, 500, 0.2), Design(200, 1000, 0.4)):
            for prevalence in (0.01, 0.1, 0.7):
                for name, coverage, width in elsewhere(shape, design, prevalence, options.draws):
                    cell = ", ".join(f"{number:g}" for number in design)
                    told = f"{prevalence} | {name} | {coverage:.3f} | {width:.3f}"
                    print(f"| {shape} | {cell} | {told} |", flush=True)


if __name__ == "__main__":
    main()
