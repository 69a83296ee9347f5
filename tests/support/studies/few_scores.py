"""How wide is the band "simultaneous" on few scores?

``python -m tests.support.studies.few_scores`` writes ``build/measured/few_scores.csv``.

Positives lie in blocks of tied scores. The coverage at all cutoffs jointly, and the mean width of
the band at the cutoffs between the ends, are computed over all ways to label, not drawn. That
is done with 1 - level shared out among these cutoffs, and as for any number of cutoffs.
"""

from itertools import product
from typing import NamedTuple

import numpy as np
from scipy import stats

from pu_accessor.inference.bands.exact import Bounds
from pu_accessor.inference.bands.lookup import latent_bounds_of_many
from pu_accessor.ranking import IntArray
from tests.support.studies.tables import write_table

LEVEL = 0.95
SCORES = (2, 3, 5, 8, 15, 30)
COUNTS = ((20, 100), (50, 450), (200, 1800), (200, 200))
SHARES = {"even": 1.0, "few at the top": 1.4}  # from each block to the one below


class Band(NamedTuple):
    """What a band does on some blocks."""

    coverage: float  # of all cutoffs jointly
    width: float  # mean over cutoffs, as a share of the latent positives


def blocks(scores: int, positives: int, growth: float) -> IntArray:
    """Return the positives at or above each cutoff, the last of all."""
    share = np.cumsum(growth ** np.arange(scores))
    heads: IntArray = np.rint(positives * share / share[-1]).astype(np.int64)
    return heads


def measure(heads: IntArray, n: int, limits: Bounds) -> Band:
    """Follow the known positives from one cutoff to the next, and count where limits hold."""
    positives, known = int(heads[-1]), np.arange(n + 1)
    lower, upper = limits
    inside, before, widths = np.eye(1, n + 1)[0], 0, []
    for head in heads[:-1].tolist():
        left = n - known  # known positives that are still to come, among those left
        more = known[np.newaxis] - known[:, np.newaxis]
        step = stats.hypergeom.pmf(more, positives - before, left[:, np.newaxis], head - before)
        inside = inside @ np.nan_to_num(step)  # NaN where that many known are impossible
        latent = head - known
        inside[(latent < lower) | (latent > upper)] = 0
        at_head = stats.hypergeom.pmf(known, positives, n, head)
        widths.append(float(at_head @ (upper - lower)) / (positives - n))
        before = head
    return Band(float(inside.sum()), float(np.mean(widths)))


def main() -> None:
    """Compute, and write ``build/measured/few_scores.csv``."""
    body = []
    for (n, m), scores, (name, growth) in product(COUNTS, SCORES, SHARES.items()):
        heads = blocks(scores, n + m, growth)
        found = []
        for cutoffs in (None, scores - 1):
            lower, upper = latent_bounds_of_many("simultaneous", n, (m,), LEVEL, cutoffs=cutoffs)
            found.append(measure(heads, n, (lower[0], upper[0])))
        for_any, few = found
        told = [f"{value:.4f}" for band in found for value in band]
        body.append((n, m, scores, name, *told, f"{few.width / for_any.width:.3f}"))
        print(*body[-1], flush=True)
    head = ["known", "latent", "scores", "positives", "coverage for any number", "its width"]
    write_table("few_scores", [*head, "coverage", "width", "ratio"], body)


if __name__ == "__main__":
    main()
