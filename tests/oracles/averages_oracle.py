"""Slow references for averages over groups: all samples of known positives are drawn."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from scipy import stats

__all__ = ["every_label", "limit", "true_auroc", "true_average_precision", "true_precision"]


def every_label(truth: Sequence[int], known: int) -> Iterator[list[float | None]]:
    """Go through all labels that name so many of the positives."""
    positives = [place for place, one in enumerate(truth) if one]
    for some in combinations(positives, known):
        yield [1.0 if place in some else None for place in range(len(truth))]


def true_auroc(score: Sequence[float], truth: Sequence[int]) -> float:
    """Return the share of pairs of a positive and a negative that are in order."""
    pairs = [
        (score[i] > score[j]) + 0.5 * (score[i] == score[j])
        for i, one in enumerate(truth)
        for j, other in enumerate(truth)
        if one and not other
    ]
    return sum(pairs) / len(pairs)


def true_average_precision(score: Sequence[float], truth: Sequence[int]) -> float:
    """Return the mean over positives of precision at the end of their block of ties."""
    heads = [
        [bool(t) for s, t in zip(score, truth, strict=True) if s >= own]
        for own, one in zip(score, truth, strict=True)
        if one
    ]
    return sum(sum(head) / len(head) for head in heads) / len(heads)


def true_precision(score: Sequence[float], truth: Sequence[int], rank: int) -> float:
    """Return the share of positives among the first; scores are not tied."""
    order = sorted(range(len(score)), key=lambda place: -score[place])
    return sum(bool(truth[place]) for place in order[:rank]) / rank


def limit(
    mean: float, low: float, stretch: float, squared: float, df: float, model: float, *, new: bool
) -> tuple[float, float]:
    """Return the lowest and highest average that is not too far from the mean, at 95%: a grid."""
    quantile = float(stats.t.ppf(0.975, df if new else df + 2))

    def scatter(average: float) -> float:
        share = min(max((average - low) / stretch, 0.0), 1.0)
        return model * share * (1 - share)

    modeled = scatter(low + stretch * min(max((mean - low) / stretch, 1e-6), 1 - 1e-6))
    ratio = (2 + df * squared / modeled) / (2 + df)

    def near(average: float) -> bool:
        would = scatter(average)
        scaled = (max(ratio, squared / modeled) if new else ratio) * would
        seen = (2 * would + df * squared * max(1.0, would / modeled)) / (2 + df)
        variance = (scaled + (max(seen, squared) if new else seen)) / 2
        return bool(abs(mean - average) <= quantile * variance**0.5)

    grid = np.linspace(0, 1, 20_001)
    inside = [average for average in grid.tolist() if near(average)]
    return min(inside), max(inside)
