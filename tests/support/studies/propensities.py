"""Do AUROC and AP hold where labels were selected with known, unequal probabilities?

Positives are labeled one by one, each with its own probability, and `df.pu(propensity=...)` is
asked at the true share of latent positives. What `weighted.py` looks at is kept apart
from what nobody looked at while these intervals were chosen.
"""

import warnings
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import optimize, special
from scipy.stats import rankdata

import pu_accessor  # noqa: F401  registers df.pu
from pu_accessor.ranking import FloatArray
from tests.support.studies import shapes
from tests.support.studies.references import Found, own, summarise
from tests.support.studies.shapes import Rng, normal

SEED = 20261121
Select = Callable[[Rng, FloatArray, int], FloatArray]


class Design(NamedTuple):
    """How positives and negatives are drawn, and how likely each positive is labeled."""

    draw: shapes.Draw
    select: Select
    known: int = 200  # expected
    positives: int = 1000
    negatives: int = 4000


def odds(factor: float) -> Select:
    """Odds that grow by a factor for each standard deviation of the score."""
    return lambda rng, score, known: _chances(np.log(factor) * _standard(score), known)


def other_odds(factor: float) -> Select:
    """Odds that have nothing to do with the score."""
    return lambda rng, score, known: _chances(np.log(factor) * rng.normal(size=score.size), known)


def strata(agreement: float, chances: tuple[float, float, float]) -> Select:
    """Three groups of equal size, that agree with the score more or less."""

    def select(rng: Rng, score: FloatArray, known: int) -> FloatArray:
        noisy = agreement * _standard(score) + rng.normal(size=score.size)
        group = (rankdata(noisy) - 1) * 3 // score.size
        found: FloatArray = np.array(chances)[group.astype(np.int64)]
        return found

    return select


def _standard(score: FloatArray) -> FloatArray:
    scaled: FloatArray = (score - score.mean()) / score.std()
    return scaled


def _chances(slope: FloatArray, known: int) -> FloatArray:
    shift = optimize.brentq(lambda x: float(special.expit(slope + x).sum()) - known, -40, 40)
    found: FloatArray = special.expit(slope + shift)
    return found


GROUPS = (0.05, 0.2, 0.6)
CHOSEN: Mapping[str, Design] = {
    "equal": Design(normal(1), odds(1)),
    "rising 3": Design(normal(1), odds(3)),
    "rising 5": Design(normal(1), odds(5)),
    "rising 5, AUROC .92": Design(normal(2), odds(5)),
    "falling 3": Design(normal(1), odds(1 / 3)),
    "falling 5": Design(normal(1), odds(1 / 5)),
    "falling 5, 50 known": Design(normal(1), odds(1 / 5), 50),
    "5, independent of the score": Design(normal(1), other_odds(5)),
}
CHECKED: Mapping[str, Design] = {
    "strata .05, .2, .6, near the score": Design(normal(1), strata(2, GROUPS), 0, 150, 1500),
    "strata .6, .2, .05, near the score": Design(normal(1), strata(2, GROUPS[::-1]), 0, 150, 1500),
    "strata .05, .2, .6, at random": Design(normal(1), strata(0, GROUPS), 0, 150, 1500),
    "rising 4, exponential": Design(shapes.OTHERS["exponential"].draw, odds(4)),
    "falling 4, exponential": Design(shapes.OTHERS["exponential"].draw, odds(1 / 4)),
    "rising 3, tenth hidden": Design(shapes.hidden(0.1), odds(3)),
    "falling 3, hard negatives": Design(shapes.hard_negatives(0.05, 3), odds(1 / 3)),
    "falling 2, worse than chance": Design(normal(-0.8), odds(1 / 2)),
    "rising 3, 30 known of 100": Design(normal(1.2), odds(3), 30, 100, 900),
    "falling 3, 30 known of 100": Design(normal(1.2), odds(1 / 3), 30, 100, 900),
}
DESIGNS = {**CHOSEN, **CHECKED}
# Average precision takes five times as long: not where labels say little of the scores.
_LEFT_OUT = (
    "equal",
    "rising 3",
    "rising 5",
    "5, independent of the score",
    "rising 4, exponential",
)
ASKED: Mapping[str, tuple[str, ...]] = {
    "auroc": tuple(DESIGNS),
    "average_precision": tuple(name for name in DESIGNS if name not in _LEFT_OUT),
}


def look(area: str, name: str, draws: int) -> Found:
    """Ask a method of `df.pu`, "auroc" or "average_precision", in one design."""
    design = DESIGNS[name]
    rng = np.random.default_rng([SEED, *name.encode()])
    rows: list[tuple[float, ...]] = []
    while len(rows) < draws:
        positive, negative = design.draw(rng, design.positives, design.negatives)
        chance = design.select(rng, positive, design.known)
        labeled = rng.random(positive.size) < chance
        if labeled.sum() < 3:
            continue
        score = np.concatenate([positive, negative])
        chances = np.append(chance, np.full(negative.size, 1.0))
        label = np.append(np.where(labeled, 1, np.nan), np.full(negative.size, np.nan))
        frame = pd.DataFrame({"score": score, "label": label, "chance": chances})
        beta = float((~labeled).sum() / (score.size - labeled.sum()))
        rows.append(_ask(frame, area, beta, _TRUTHS[area](score, positive.size)))
    return summarise(*np.array(rows, dtype=np.float64).T)


def _ask(frame: pd.DataFrame, area: str, beta: float, truth: float) -> tuple[float, ...]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = getattr(frame.pu(propensity="chance"), area)(beta, target="examples").iloc[0]
    lower, upper = found["lower"], found["upper"]
    held = bool(lower - 1e-9 <= truth <= upper + 1e-9)
    below, above = bool(truth < lower - 1e-9), bool(truth > upper + 1e-9)
    return held, below, above, upper - lower, own(caught)


def _auroc(score: FloatArray, positives: int) -> float:
    mean = float(rankdata(-score)[:positives].mean())
    return 1 - (mean - (positives + 1) / 2) / (score.size - positives)


def _precision(score: FloatArray, positives: int) -> float:
    found = np.argsort(-score, kind="stable") < positives
    return float((np.cumsum(found) / np.arange(1, score.size + 1))[found].mean())


_TRUTHS = {"auroc": _auroc, "average_precision": _precision}
