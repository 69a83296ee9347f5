"""How many labels by hand it takes."""

import numpy as np
import pytest
from scipy import stats

from pu_accessor.labeling import labels_needed


def test_labels_needed_at_the_ends() -> None:
    assert labels_needed(1e-6, 50) == 50
    # At half positive no other count is wider.
    assert len({labels_needed(0.2, 1000, probability=p) for p in (0.9, 0.999)}) == 1
    assert len({labels_needed(0.1, 10**12, beta=b) for b in (1e-11, 1 - 1e-11, 1)}) == 1
    # One of 4 is positive. Of 2 labels none is with a probability of a half, and then the interval
    # is 0 to 1 positives, where it is 1 to 3 otherwise; of 1 label it is 0 to 2, or 2 to 4.
    assert labels_needed(0.3, 4, beta=0.25, level=0.5) == 2
    # By the definition at every number of labels that is tried, one after the other.
    assert labels_needed(0.0055, 5918, beta=0.01, probability=0.8) == 2987
    assert labels_needed(0.0125, 5426, beta=0.01) == 981


def chances(total: int, width: float, beta: float, level: float) -> list[float]:
    """Return the probability of narrow intervals for each number of labels, from all counts."""
    m, found = np.arange(total + 1)[:, np.newaxis], []
    for size in range(1, total + 1):
        x = np.arange(size + 1)
        drawn = stats.hypergeom(total, m, size)
        kept = np.minimum(drawn.sf(x - 1), drawn.cdf(x)) > (1 - level) / 2 * (1 + 1e-12)
        kept &= (m >= x) & (total - m >= size - x)
        narrow = (kept.sum(axis=0) - 1) / total <= width * (1 + 1e-12)
        found.append(float(stats.hypergeom.pmf(x, total, round(beta * total), size) @ narrow))
    return found


PLANS: list[tuple[float, ...]] = [  # 64: by halving 53, which is enough in .469 of all cases
    *((24, 0.3, 0.5, 0.95, 0.5), (24, 0.3, 0.1, 0.9, 0.8), (24, 0.4, 0.0, 0.8, 0.3)),
    *((24, 0.2, 1.0, 0.8, 0.9), (24, 0.7, 0.8, 0.9, 0.2), (64, 0.1, 0.3, 0.95, 0.95)),
    *((80, 0.06, 0.05, 0.8, 0.6), (90, 0.12, 0.1, 0.9, 0.2), (100, 0.2, 0.01, 0.95, 0.8)),
    *((24, 0.5, 0.3, 0.99, 0.95), (24, 0.999, 0.5, 0.5, 0.5)),
]
# Betas, levels and probabilities.
RNG, SOME = np.random.default_rng(7), [[0, 0.02, 0.1, 0.3, 0.9], [0.8, 0.95], [0.3, 0.8, 0.95]]
for _ in range(15):
    total, width = int(RNG.integers(2, 50)), float(RNG.uniform(0.05, 0.6))
    PLANS.append((total, width, *(float(RNG.choice(values)) for values in SOME)))


@pytest.mark.parametrize(("total", "width", "beta", "level", "probability"), PLANS)
def test_labels_needed_are_enough_and_so_are_more(
    total: int, width: float, beta: float, level: float, probability: float
) -> None:
    size = labels_needed(width, total, beta=beta, level=level, probability=probability)
    short = np.array(chances(total, width, beta, level)) < probability * (1 - 1e-12)
    assert size == np.flatnonzero(np.append(True, short))[-1] + 1
