"""How many labels by hand it takes."""

import numpy as np
import pytest
from scipy import stats

import pu_accessor


def test_labels_needed_where_nearly_all_are_positive() -> None:
    wanted = pu_accessor.labels_needed(0.1, 10**13, beta=1)
    for beta in (1 - 1e-11, 1e-11):
        assert pu_accessor.labels_needed(0.1, 10**13, beta=beta) == wanted


@pytest.mark.parametrize(
    ("width", "beta", "level", "probability"),
    [
        (0.3, 0.5, 0.95, 0.5),
        (0.3, 0.1, 0.9, 0.8),
        (0.4, 0.0, 0.8, 0.3),
        (0.2, 1.0, 0.8, 0.9),
        (0.5, 0.3, 0.99, 0.95),
        (0.7, 0.8, 0.9, 0.2),
        (0.999, 0.5, 0.5, 0.5),
    ],
)
def test_labels_needed_of_few_examples(
    width: float, beta: float, level: float, probability: float
) -> None:
    total = 24
    m, x = np.arange(total + 1)[:, np.newaxis], np.arange(total + 1)

    def chance(size: int) -> float:
        """Return the probability of the counts of positives whose interval is narrow enough."""
        more, fewer = (
            stats.hypergeom.sf(x - 1, total, m, size),
            stats.hypergeom.cdf(x, total, m, size),
        )
        kept = (
            (np.minimum(more, fewer) > (1 - level) / 2 * (1 + 1e-12))
            & (m >= x)
            & (total - m >= size - x)
        )
        narrow = (kept.sum(axis=0) - 1) / total <= width
        return float(stats.hypergeom.pmf(x, total, round(beta * total), size) @ narrow)

    size = pu_accessor.labels_needed(width, total, beta=beta, level=level, probability=probability)
    assert size == 1 or chance(size - 1) < probability
    assert all(chance(larger) >= probability - 1e-12 for larger in range(size, total + 1))


@pytest.mark.parametrize("probability", [0.5, 0.9])
def test_labels_needed_is_the_first_that_is_narrow(probability: float) -> None:
    size = pu_accessor.labels_needed(0.2, 1000, beta=0.3, probability=probability)

    def chance(size: int) -> float:
        """Return the probability of each count of positives whose interval is narrow."""
        found = [pu_accessor.beta_from_labels(x, size, 1000).iloc[0] for x in range(size + 1)]
        narrow = [x for x, row in enumerate(found) if row["upper"] - row["lower"] <= 0.2]
        return float(np.sum(stats.hypergeom.pmf(narrow, 1000, 300, size)))

    assert chance(size) >= probability > chance(size - 1)


def test_labels_needed_with_exactly_that_probability() -> None:
    # One of 4 is positive. Of 2 labels none is with a probability of a half, and then the interval
    # is 0 to 1 positives, where it is 1 to 3 otherwise; of 1 label it is 0 to 2, or 2 to 4.
    assert pu_accessor.labels_needed(0.3, 4, beta=0.25, level=0.5) == 2


def test_labels_needed_at_the_ends() -> None:
    assert pu_accessor.labels_needed(1e-6, 50) == 50
    assert pu_accessor.labels_needed(0.2, 1000, probability=0.9) == pu_accessor.labels_needed(
        0.2, 1000, probability=0.999
    )  # at half positive no other count is wider
