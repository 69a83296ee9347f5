"""Does mean matching hold beta on shapes that it was not chosen on?

Known positives and known negatives are random samples of their kinds; a draw of which the point or
a limit lies outside [0, 1] counts as missed.
"""

from typing import NamedTuple

import numpy as np

from pu_accessor.errors import PUDataError
from pu_accessor.inference.prior.estimators import METHODS
from pu_accessor.roles_and_assumptions import Terms
from pu_accessor.sources.frames import source_of_arrays
from tests.support.studies import shapes
from tests.support.studies.beta import LEVEL
from tests.support.studies.shapes import normal

SEED = 20261121


class Design(NamedTuple):
    """So many known of each kind, and so many latent positives among the unlabeled."""

    known: int
    negatives: int
    latent: int
    unlabeled: int


SHAPES = {
    "N(.5, 1)": normal(0.5),
    "N(1, .5)": normal(1, 0.5),
    "exponential": shapes.OTHERS["exponential"].draw,
    "beta, skewed": shapes.OTHERS["beta, skewed"].draw,
    "Student, 2 df": shapes.OTHERS["Student, 2 df"].draw,
    "two kinds of positives": shapes.OTHERS["two kinds of positives"].draw,
    "worse than chance": normal(-1),
    "hard negatives": shapes.hard_negatives(0.1, 3),
    "5 scores": shapes.OTHERS["5 scores"].draw,
}
DESIGNS = [
    *(Design(100, 100, latent, 1000) for latent in (20, 150, 600, 950)),
    *(Design(20, 60, latent, 1000) for latent in (20, 400)),
    *(Design(60, 20, latent, 1000) for latent in (20, 400)),
    Design(300, 50, 100, 5000),
]


class Found(NamedTuple):
    """How often beta was held, was below and above the interval, and how wide it was."""

    covers: float
    below: float
    above: float
    width: float


def look(name: str, design: Design, draws: int) -> Found:
    """Simulate a design."""
    rng = np.random.default_rng([SEED, *design, *name.encode()])
    known, negatives, latent, unlabeled = design
    label = np.full(known + negatives + unlabeled, np.nan)
    label[:known], label[known + latent : known + latent + negatives] = 1, 0
    truth, rows = latent / unlabeled, np.empty((draws, 4))
    for turn in range(draws):
        score = np.concatenate(SHAPES[name](rng, known + latent, negatives + unlabeled - latent))
        ranking = source_of_arrays(score, label, Terms())[0].rank(Terms(), "breakpoints").make(0)
        try:
            found = METHODS["mean_matching"][0](ranking, LEVEL)
        except PUDataError:  # both kinds rank alike in this draw: no interval is a miss
            rows[turn] = 0, 0, 0, 1
            continue
        outside = not 0 <= found.lower <= found.beta <= found.upper <= 1
        below, above = truth < found.lower, truth > found.upper
        rows[turn] = not (below or above or outside), below, above, found.upper - found.lower
    return Found(*rows.mean(axis=0).tolist())
