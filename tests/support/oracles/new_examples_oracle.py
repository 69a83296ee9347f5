"""Joint probabilities of uniform order statistics, and the monotone completion, slowly."""

from fractions import Fraction
from math import factorial
from typing import Any

import numpy as np


def within(lower: list[float], upper: list[float]) -> float:
    """Return P(lower <= order statistics of uniform variables <= upper), by Steck's determinant.

    G. P. Steck, *Rectangle probabilities for uniform order statistics and the probability that
    the empirical distribution function lies between two distribution functions*, Annals of
    Mathematical Statistics 42 (1971) 1-11.
    """
    n = len(lower)
    matrix = np.eye(n, k=-1)
    for i in range(n):
        for j in range(i, n):
            above = max(upper[i] - lower[j], 0.0)
            matrix[i, j] = above ** (j - i + 1) / factorial(j - i + 1)
    return factorial(n) * float(np.linalg.det(matrix))


def monotone_latent(known: list[int], negatives: list[int], unlabeled: list[int], m: float) -> Any:
    """Return expected latent positives of each step, by min-max averages and halving.

    Ratios are Fractions.
    """
    sizes = [sum(each) for each in zip(known, negatives, unlabeled, strict=True)]
    steps = range(len(sizes))
    share = [Fraction(0)] * len(sizes)
    for step in (step for step in steps if sizes[step]):
        parts = [[slice(i, j + 1) for i in range(step + 1)] for j in steps[step:]]
        share[step] = max(
            min(Fraction(sum(known[part]), sum(sizes[part])) for part in some) for some in parts
        )
    odds = np.array([float(q / (1 - q)) if q < 1 else 0.0 for q in share])
    count = np.array(unlabeled, np.float64)
    if m >= count[odds > 0].sum():
        rest = count * (odds == 0)
        spread = (m - count[odds > 0].sum()) / rest.sum() if rest.sum() else 0.0
        return np.where(odds > 0, count, spread * count)
    low, high = 0.0, 1.0
    while (count * np.minimum(high * odds, 1)).sum() < m:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        short = (count * np.minimum(middle * odds, 1)).sum() < m
        low, high = (middle, high) if short else (low, middle)
    return count * np.minimum(high * odds, 1)
