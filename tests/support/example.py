"""``python -m tests.support.example`` draws the rows of ``pu_accessor.load_example()`` anew.

Patients of two hospitals are simulated, and nobody's data are in it. A quarter are ill. The score
of a new model separates them better than that of an old one, in the east better than in the west.
Both scores are probabilities: for all patients together they are right, but for a small error.
A random four in ten of those who are ill have a diagnosis; the label of all others is missing.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit, logit

import pu_accessor

SEED, ROWS = 5, 2_000
SICK, DIAGNOSED = 0.25, 0.4
APART = {"east": 1.9, "west": 1.4}  # means of the new marker, in standard deviations
APART_OLD = 1.1
PATH = Path(pu_accessor.__file__).parent / "example.csv"


def probability(marker: np.ndarray, apart: float) -> np.ndarray:
    """Return the probability of being ill, for a marker whose normal means lie so far apart."""
    return np.round(expit(logit(SICK) + apart * (marker - apart / 2)), 6)


def draw() -> pd.DataFrame:
    """Draw the patients."""
    rng = np.random.default_rng(SEED)
    ill = rng.random(ROWS) < SICK
    site = np.where(rng.random(ROWS) < 0.6, "east", "west")
    shared, own, own_old = rng.normal(size=(3, ROWS))  # what both markers see, and each alone
    apart = pd.Series(site).map(APART).to_numpy()
    new, old = (np.sqrt(0.5) * (shared + noise) for noise in (own, own_old))
    diagnosed = ill & (rng.random(ROWS) < DIAGNOSED)
    return pd.DataFrame(
        {
            "site": site,
            "score": probability(new + apart * ill, 1.7),
            "old_score": probability(old + APART_OLD * ill, APART_OLD),
            "label": pd.Series(diagnosed.astype(int)).astype("Int64").where(diagnosed),
            "truth": ill.astype(int),
        }
    )


if __name__ == "__main__":
    # Without zeros that no reader needs.
    PATH.write_text(draw().to_csv(index=False).replace(",0.", ",."), encoding="utf-8")
