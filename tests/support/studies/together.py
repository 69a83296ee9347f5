"""What does max-t gain over Holm's method? ``python -m tests.support.studies.together``.

Ten models rank the same rows, equally good but for one; all pairs are compared. Counted is how
often any pair of equally good models has an adjusted p < .05, and which share of the other pairs
has. Writes ``build/measured/together.csv``.
"""

import argparse
import csv
from itertools import product

import numpy as np

from pu_accessor.inference.comparison.pair_tests import adjust_by_max_t
from pu_accessor.inference.comparison.paired_models import compare_paired
from pu_accessor.ranking import FloatArray
from pu_accessor.roles_and_assumptions import Terms
from pu_accessor.sources.label_states import Labels
from pu_accessor.sources.pairs import pair_scores
from tests.support.studies.tables import table_path

SEED, LEVEL, MODELS = 20261123, 0.95, 10
TABLE = table_path("together")
# The noise, the part of it that models share, known positives, how much better one model is.
CELLS = [
    *product(["normal"], (0.0, 0.5, 0.9), (50, 200), (0.0, 0.3)),
    *product(["5 levels", "heavy tails", "5 rows a cluster"], (0.5, 0.9), (50, 200), (0.0,)),
]


def draw_noise(noise: str, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    """Draw the noise of rows; those of a cluster share half of it."""
    if noise == "heavy tails":
        return rng.standard_t(2, size=shape)
    own = rng.normal(size=shape)
    if noise != "5 rows a cluster":
        return own
    clusters = rng.normal(size=(*shape[:-1], shape[-1] // 5)).repeat(5, axis=-1)
    return (own + clusters) / 2**0.5


def look(noise: str, shared: float, known: int, better: float, draws: int) -> FloatArray:
    """Return the two shares by Holm's method, then by max-t."""
    name = [] if noise == "normal" else [*noise.encode()]
    rng = np.random.default_rng([SEED, known, round(100 * shared), round(100 * better), *name])
    size, truth = known + 1000, np.arange(known + 1000) < known + 200
    labels = Labels(np.arange(size) < known, np.zeros(size, np.bool_))
    if noise == "5 rows a cluster":
        labels = labels._replace(cluster=np.arange(size) // 5, clusters=size // 5)
    apart = np.full(MODELS, 1.0)
    apart[0] += better
    rows = []
    for _ in range(draws):
        common = shared**0.5 * draw_noise(noise, rng, (size,))
        own = (1 - shared) ** 0.5 * draw_noise(noise, rng, (MODELS, size))
        scores = np.multiply.outer(apart, truth) + common + own
        if noise == "5 levels":
            scores = np.clip(np.round(scores), -1, 3)
        paired = pair_scores(("model",), range(MODELS), scores, labels, Terms())
        tests = compare_paired(paired, None, LEVEL, "population")
        pairs = tests.first, tests.second
        equal = apart[tests.first] == apart[tests.second]
        together = adjust_by_max_t(tests.p_value, tests.covariance, pairs)
        row: list[float] = []
        for p in (tests.p_adjusted, together):
            below = p[:, 0] < 1 - LEVEL
            row += [below[equal].any(), below[~equal].mean() if better else np.nan]
        rows.append(row)
    shares: FloatArray = np.mean(rows, axis=0)
    return shares


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--draws", type=int, default=1000, help="in a cell")
    draws = parser.parse_args().draws
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        names = [f"{name}_{by}" for by in ("holm", "max_t") for name in ("size", "power")]
        table.writerow(["noise", "shared", "known", "better", "draws", *names])
        for cell in CELLS:
            found = [f"{x:.4f}" if x == x else "" for x in look(*cell, draws).tolist()]
            table.writerow([*cell, draws, *found])
            print(*cell, *found, flush=True)


if __name__ == "__main__":
    main()
