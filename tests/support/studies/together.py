"""What does max-t gain over Holm's method? ``python -m tests.support.studies.together``.

Ten models rank the same rows, equally good but for one; all pairs are compared. Counted is how
often any pair of equally good models has an adjusted p < .05, and which share of the other pairs
has. Writes ``docs/measured/together.csv``.
"""

import argparse
import csv
from pathlib import Path

import numpy as np

from pu_accessor.inference.comparison.paired import compare_paired
from pu_accessor.inference.comparison.pairwise import adjust_together
from pu_accessor.ranking import FloatArray
from pu_accessor.sources.labels import Labels
from pu_accessor.sources.pairs import pair_scores
from pu_accessor.sources.roles import Roles

SEED, LEVEL, MODELS = 20261123, 0.95, 10
PAGE = Path(__file__).parents[3] / "docs" / "measured" / "together.csv"
# Shared part of the noise, known positives, and how much better one model is.
CELLS = [(c, n, b) for c in (0.0, 0.5, 0.9) for n in (50, 200) for b in (0.0, 0.3)]


def look(shared: float, known: int, better: float, draws: int) -> FloatArray:
    """Return the two shares by Holm's method, then by max-t."""
    rng = np.random.default_rng([SEED, known, round(100 * shared), round(100 * better)])
    size, truth = known + 1000, np.arange(known + 1000) < known + 200
    labels = Labels(np.arange(size) < known, np.zeros(size, np.bool_))
    apart = np.full(MODELS, 1.0)
    apart[0] += better
    rows = []
    for _ in range(draws):
        noise = shared**0.5 * rng.normal(size=size)
        noise = noise + (1 - shared) ** 0.5 * rng.normal(size=(MODELS, size))
        scores = np.multiply.outer(apart, truth) + noise
        paired = pair_scores(("model",), range(MODELS), scores, labels, Roles())
        tests = compare_paired(paired, None, LEVEL, "population")
        pairs = tests.first, tests.second
        equal = apart[tests.first] == apart[tests.second]
        together = adjust_together(tests.p_value, tests.covariance, pairs)
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
    with PAGE.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        names = [f"{name}_{by}" for by in ("holm", "max_t") for name in ("size", "power")]
        table.writerow(["shared", "known", "better", "draws", *names])
        for cell in CELLS:
            found = [f"{x:.4f}" if x == x else "" for x in look(*cell, draws).tolist()]
            table.writerow([*cell, draws, *found])
            print(*cell, *found, flush=True)


if __name__ == "__main__":
    main()
