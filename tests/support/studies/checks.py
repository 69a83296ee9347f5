"""Do checks of the assumptions reject too often, and what do they see?

Run ``python -m tests.support.studies.checks --draws 2000``, from the project's root; an hour.
Writes ``build/measured/checks_size.csv``, how often a check has p <= .05 where labels are random
and beta is right; and ``checks_power.csv``, the same for labels and betas that are wrong in one
way each, with an eighth of the draws. Scores of two classifiers are among the shapes. These and
exponential scores were looked at while weights were chosen. Waves are permuted 199 times, which
takes nothing from what is promised.
"""

import argparse
from collections.abc import Callable, Mapping
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from pu_accessor.inference import assumption_tests as assumptions
from pu_accessor.ranking import BoolArray, FloatArray
from tests.support.studies.completions import pool
from tests.support.studies.shapes import OTHERS
from tests.support.studies.tables import write_table

SEED, ALPHA = 20261123, 0.05
NAMES = ["exponential", "gamma, skewed down", "Student, 2 df", "5 scores"]
NAMES += ["harder negatives, rare"]
REAL = ("cancer", "forest")
CHECKS = ("waves", "strata", "negatives", "limit", "monotone")
Rng = np.random.Generator


class Design(NamedTuple):
    """Known positives and negatives, latent positives, and unlabeled negatives."""

    known: int
    negative: int
    latent: int
    others: int

    @property
    def beta(self) -> float:
        """The share of positives among the unlabeled."""
        return self.latent / (self.latent + self.others)


DESIGNS = (Design(10, 10, 40, 360), Design(50, 10, 50, 950), Design(100, 50, 300, 700))
POWER = (Design(50, 50, 150, 650), Design(200, 200, 600, 2_600))


class Rows(NamedTuple):
    """Scores, which rows are positive, and what they have in common."""

    score: FloatArray
    truth: BoolArray
    dense: BoolArray  # where nearly all rows are positive
    site: BoolArray  # one of two, at random


def draw_scores(rng: Rng, shape: str, positive: int, negative: int) -> tuple[FloatArray, ...]:
    """Draw scores of both kinds."""
    if shape in REAL:
        return tuple(
            rng.choice(kind, size, replace=True)
            for kind, size in zip(pool(shape), (positive, negative), strict=True)
        )
    return OTHERS[shape].draw(rng, positive, negative)


def draw_rows(rng: Rng, shape: str, design: Design) -> Rows:
    """Draw rows: the positives first."""
    positive, negative = design.known + design.latent, design.negative + design.others
    score = np.concatenate(draw_scores(rng, shape, positive, negative))
    truth = np.arange(score.size) < positive
    dense = rng.random(score.size) < np.where(truth, 0.4, 0.04 * positive / negative)
    return Rows(score, truth, dense, rng.random(score.size) < 0.5)


def pick(rng: Rng, among: BoolArray, number: int, odds: FloatArray | None = None) -> BoolArray:
    """Draw rows without replacement, one after the other with such odds."""
    rows = np.flatnonzero(among)
    key = rng.exponential(size=rows.size) / (1.0 if odds is None else odds[rows])
    picked = np.zeros(among.size, np.bool_)
    picked[rows[np.argsort(key)[:number]]] = True
    return picked


def label(rows: Rows, positive: BoolArray, negative: BoolArray) -> pd.DataFrame:
    """Return a frame with those labels."""
    known = np.where(positive, 1.0, np.where(negative, 0.0, np.nan))
    return pd.DataFrame(
        {"score": rows.score, "label": known, "site": rows.site, "dense": rows.dense}
    )


def at_random(rng: Rng, rows: Rows, design: Design) -> pd.DataFrame:
    """Label at random."""
    negative = pick(rng, ~rows.truth, design.negative)
    return label(rows, pick(rng, rows.truth, design.known), negative)


def steep(rows: Rows, factor: float) -> FloatArray:
    """Return odds that rise by a factor with each standard deviation of the positives' rank."""
    rank = pd.Series(rows.score).rank().to_numpy()
    of_positives = rank[rows.truth]
    odds: FloatArray = factor ** ((rank - of_positives.mean()) / of_positives.std())
    return odds


def for_the_top(rng: Rng, rows: Rows, design: Design) -> pd.DataFrame:
    """Label positives at the top with higher odds, threefold with each standard deviation."""
    negative = pick(rng, ~rows.truth, design.negative)
    return label(rows, pick(rng, rows.truth, design.known, steep(rows, 3.0)), negative)


def by_a_site(rng: Rng, rows: Rows, design: Design) -> pd.DataFrame:
    """Label so at one of two sites alone."""
    negative = pick(rng, ~rows.truth, design.negative)
    odds = np.where(rows.site, steep(rows, 3.0), 1.0)
    return label(rows, pick(rng, rows.truth, design.known, odds), negative)


def never(rng: Rng, rows: Rows, design: Design) -> pd.DataFrame:
    """Never label the third of the positives that rank lowest, as in a stratum that is hidden."""
    seen = rows.score > np.quantile(rows.score[rows.truth], 1 / 3)
    negative = pick(rng, ~rows.truth, design.negative)
    return label(rows, pick(rng, rows.truth & seen, design.known), negative)


def wrong(rng: Rng, rows: Rows, design: Design) -> pd.DataFrame:
    """Label negatives as positive at one site: a fifth of all known positives."""
    fifth = design.known // 5
    false = pick(rng, ~rows.truth & rows.site, fifth)
    positive = pick(rng, rows.truth, design.known - fifth) | false
    return label(rows, positive, pick(rng, ~rows.truth & ~false, design.negative))


def for_a_stratum(rng: Rng, rows: Rows, design: Design) -> pd.DataFrame:
    """Label the positives of a stratum, nearly all of which is positive, with fivefold odds."""
    odds = np.where(rows.dense, 5.0, 1.0)
    negative = pick(rng, ~rows.truth, design.negative)
    return label(rows, pick(rng, rows.truth, design.known, odds), negative)


def easy_negatives(rng: Rng, rows: Rows, design: Design) -> pd.DataFrame:
    """Label negatives at the bottom with higher odds."""
    negative = pick(rng, ~rows.truth, design.negative, 1 / steep(rows, 3.0))
    return label(rows, pick(rng, rows.truth, design.known), negative)


Label = Callable[[Rng, Rows, Design], pd.DataFrame]
# How labels come about, and the factor by which beta is wrong.
FAILURES: Mapping[str, tuple[Label, float]] = {
    "none": (at_random, 1.0),
    "labels favour the top": (for_the_top, 1.0),
    "labels of one of two sites favour the top": (by_a_site, 1.0),
    "a third of the positives, the lowest, is never labeled": (never, 1.0),
    "a fifth of the known positives is negative, at one of two sites": (wrong, 1.0),
    "labels favour a stratum": (for_a_stratum, 1.0),
    "labels of negatives favour the bottom": (easy_negatives, 1.0),
    "beta is too high by half": (at_random, 1.5),
    "beta is too low by half": (at_random, 0.5),
}


def look(rng: Rng, shape: str, design: Design, failure: str, draws: int) -> dict[str, float]:
    """Return how often each check has a p value of .05 or less."""
    labeled, times = FAILURES[failure]
    beta, rejected = min(times * design.beta, 0.99), dict.fromkeys(CHECKS, 0)
    for _ in range(draws):
        df = pd.DataFrame()
        while not (df.size and (df.groupby("site")["label"].sum() >= 2).all()):
            df = labeled(rng, draw_rows(rng, shape, design), design)
        found = df.pu.check_assumptions(beta, wave="site", strata="dense")
        for check, p_value in zip(found["check"], found["p_value"], strict=True):
            rejected[check] += p_value <= ALPHA
    return {check: round(count / draws, 4) for check, count in rejected.items()}


def cell_seed(*words: object) -> Rng:
    """Return the random numbers of a cell."""
    return np.random.default_rng([SEED, *repr(words).encode()])


def main() -> None:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    draws = parser.parse_args().draws
    assumptions._MIN_PERMUTATIONS = assumptions._MAX_PERMUTATIONS = 199
    head, cells = ["shape", *Design._fields, "draws"], [*product((*NAMES, *REAL), DESIGNS)]
    body: list[list[object]] = []
    some = max(draws // 8, 1)
    for failure, shape, design in product(FAILURES, ("exponential", REAL[0]), POWER):
        found = look(cell_seed(shape, design, failure), shape, design, failure, some)
        body.append([failure, shape, *design, some, *found.values()])
    write_table("checks_power", ["failure", *head, *CHECKS], body)
    body = []
    for shape, design in cells:
        found = look(cell_seed(shape, design), shape, design, "none", draws)
        body.append([shape, *design, draws, *found.values()])
    write_table("checks_size", [*head, *CHECKS], body)


if __name__ == "__main__":
    main()
