"""Are planned widths reached, and differences seen? ``python -m tests.support.studies.planning``.

Numbers of known positives are planned, data sets of that size are drawn, and their intervals and
tests are counted. Writes ``docs/measured/planning.csv`` and
``build/measured/planning_two_models.csv``.
"""

import argparse
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from pu_accessor import from_arrays
from pu_accessor.counting.cutoffs import rank_examples
from pu_accessor.inference.estimates.areas_on_future_data import estimate_population_auroc
from pu_accessor.inference.settings import Settings
from pu_accessor.labeling import positives_needed, power
from pu_accessor.ranking import FloatArray
from tests.support.studies.shapes import CHOSEN, OTHERS, Shape, normal
from tests.support.studies.tables import write_table

SEED, LEVEL = 20261121, 0.95
PILOT = 4_000  # known positives of a pilot that is large: what is tested is the plan
SHAPES = {**CHOSEN, **OTHERS}
WIDTHS = (
    ("normal .70", 0.15, 0.1),
    ("normal .80", 0.1, 0.1),
    ("normal .80", 0.1, 0.4),
    ("normal .95", 0.05, 0.02),
    ("exponential", 0.12, 0.1),
    ("hard negatives", 0.08, 0.05),
    ("5 scores", 0.15, 0.2),
    ("worse than chance, skewed", 0.12, 0.1),
    ("tenth of positives hidden", 0.1, 0.02),
)
POWERS = ((0.8, 0.05, 0.6, 0.1), (0.7, 0.08, 0.3, 0.3), (0.9, 0.03, 0.8, 0.02))

Rng = np.random.Generator


class Plan(NamedTuple):
    """What was planned, and how often it was reached."""

    n: int
    unlabeled: int
    stated: float
    reached: float


def _shape(name: str) -> Shape:
    if name.startswith("normal ."):
        return Shape(normal(2**0.5 * float(special.ndtri(float(name.split()[1])))))
    return SHAPES[name]


def _draw(shape: Shape, n: int, rest: int, beta: float, rng: Rng) -> FloatArray:
    """Draw known positives, and others of which each is a positive with a probability."""
    hidden = int(rng.binomial(rest, beta))
    return np.concatenate(shape.draw(rng, n + hidden, rest - hidden))


def _width(score: FloatArray, n: int, beta: float) -> float:
    known = np.arange(score.size) < n
    ranking = rank_examples(score, known, np.zeros(score.size, np.bool_), ranks="breakpoints")
    found = estimate_population_auroc(ranking, np.array([beta]), Settings(LEVEL))
    return float(found.upper[0] - found.lower[0])


def width_reached(
    name: str, width: float, beta: float, probability: float, draws: int, rest: int = 2000
) -> Plan:
    """Plan a width, and count how often it is reached."""
    rng = np.random.default_rng([SEED, round(100 * probability), *name.encode()])
    shape = _shape(name)
    if name.startswith("normal ."):
        pilot: object = {"auroc": float(name.split()[1])}
    else:
        score = _draw(shape, PILOT, PILOT, beta, rng)
        pilot = from_arrays(score, np.where(np.arange(score.size) < PILOT, 1, np.nan))
    plan = positives_needed(
        width,
        pilot=pilot,  # type: ignore[arg-type]
        beta=beta,
        n_unlabeled=rest,
        probability=probability,
    )
    n = int(plan["n"].item())
    found = [_width(_draw(shape, n, rest, beta, rng), n, beta) for _ in range(draws)]
    return Plan(n, rest, probability, float(np.mean(np.array(found) <= width)))


def differences_seen(
    auroc: float, difference: float, correlation: float, beta: float, n: int, draws: int
) -> Plan:
    """Count how often two models' difference is seen."""
    rng, rest = np.random.default_rng([SEED, n, round(1000 * auroc)]), 1000
    stated = power(
        difference, n, rest, pilot={"auroc": auroc, "correlation": correlation}, beta=beta
    )
    apart = [2**0.5 * float(special.ndtri(auroc + side * difference / 2)) for side in (1, -1)]
    seen = 0
    for _ in range(draws):
        hidden = int(rng.binomial(rest, beta))
        positive = np.arange(n + rest) < n + hidden
        shared = rng.normal(size=n + rest)
        frame = pd.DataFrame({"label": np.where(np.arange(n + rest) < n, 1, np.nan)})
        for model, shift in zip(("a", "b"), apart, strict=True):
            own = rng.normal(size=n + rest)
            frame[model] = correlation**0.5 * shared + (1 - correlation) ** 0.5 * own
            frame[model] += shift * positive
        compared = frame.pu(score=["a", "b"]).compare()
        seen += bool(compared["p_value"].item() < 1 - LEVEL)
    return Plan(n, rest, stated, seen / draws)


def main() -> None:
    """Simulate, and write both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    options = parser.parse_args()
    chances, body = (0.5, 0.9), []
    for name, width, beta in WIDTHS:
        plans = [width_reached(name, width, beta, p, options.draws) for p in chances]
        held = [f"{plan.reached:.3f}" for plan in plans]
        body.append((name, width, beta, *(plan.n for plan in plans), *held))
    told = [f"{what}, {p:g}" for what in ("n", "reached") for p in chances]
    write_table("planning", ["scores", "width", "beta", *told], body)
    body = []
    for setting in POWERS:
        for n in (50, 200):
            plan = differences_seen(*setting, n, options.draws)
            body.append((*setting, n, f"{plan.stated:.3f}", f"{plan.reached:.3f}"))
    head = ["AUROC", "difference", "correlation", "beta", "n", "power", "seen"]
    write_table("planning_two_models", head, body)


if __name__ == "__main__":
    main()
