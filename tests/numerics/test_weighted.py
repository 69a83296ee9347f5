"""Bounds and spreads of weighted known positives, against their definitions."""

import numpy as np
import pytest
from scipy import stats

from pu_accessor.inference.bands.weighted import weighted_bounds
from pu_accessor.ranking import FloatArray


def slow_bounds(weight: FloatArray, m: int, level: float) -> list[list[int]]:
    """Return the limits of the docstring, cutoff by cutoff: lower and upper."""
    n, hidden = weight.size, weight - 1 if (weight > 1).any() else np.ones(weight.size)
    v = m * hidden / hidden.sum()

    def fewest(v: FloatArray) -> list[int]:
        """Return the lower limits of a ranking, best-ranked first."""
        shares, logs, half = [], np.log(1 + v), min(10, n // 2)
        for k in range(1, n + 1):
            unseen = (1 + v)[max(k - 10, 0) :].max()
            if half:
                first = max(k - 2 * half, 0)
                before, next_to = logs[first : first + half], logs[first + half : first + 2 * half]
                unseen *= max(float(np.exp(next_to.mean() - before.mean())), 1.0)
            sides = v[:k], np.append(v[k:], unseen - 1)
            mean, other = (side.sum() for side in sides)
            variance, scatter = ((side * (1 + side)).sum() for side in sides)
            if mean < 1e-12 or other < 1e-12:  # nothing in the head, or all of it
                shares.append(float(mean > 1e-12))
                continue
            share = stats.beta.ppf((1 - level) / 2, mean**2 / variance, other**2 / scatter)
            odds = variance / mean * share
            shares.append(odds / (odds + scatter / other * (1 - share)))
        return [0, *(int(m * min(shares[k:])) for k in range(n))]

    sums = [0.0, *np.cumsum(v)]
    middle = [int(min(each, m) + 0.5) for each in sums]
    ends = fewest(v), [m - few for few in fewest(v[::-1])[::-1]]
    return [
        [min(few, most) for few, most in zip(ends[0], middle, strict=True)],
        [max(few, most) for few, most in zip(ends[1], middle, strict=True)],
    ]


@pytest.mark.parametrize("n", [1, 2, 3, 10, 11, 21, 35])
@pytest.mark.parametrize("seed", range(2))
def test_bounds_are_those_of_gamma_variables(seed: int, n: int) -> None:
    rng = np.random.default_rng([seed, n])
    weight = np.exp(rng.normal(0.5, 1, n) + (seed - 1) * np.linspace(-2, 2, n)) + 1
    weight[rng.random(n) < 0.1] = 1  # certain to be labeled
    for m, level in ((1, 0.2), (7, 0.5), (60, 0.95), (100_003, 0.9)):
        found = weighted_bounds(weight, m, level)
        assert [side.tolist() for side in found] == slow_bounds(weight, m, level)
