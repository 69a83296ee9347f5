"""How placements scatter: of a pilot's examples, or of two normal distributions."""

from typing import NamedTuple

import numpy as np
from scipy import special

from pu_accessor.errors import PUDataError
from pu_accessor.inference.estimates.delong import check_unweighted
from pu_accessor.ranking import FloatArray, PairedRanks, Ranking

__all__ = ["Moments", "Scatter", "pair_scatter", "pair_scatter_of_normals", "scatter_of_normals"]

_POINTS = 2000  # of a distribution in one dimension
_NODES = 48  # of one in two, along each


class Moments(NamedTuple):
    """Mean of some placements, and their central moments."""

    mean: float
    variance: float
    third: float
    fourth: float


class Scatter(NamedTuple):
    """Placements of known positives among the rest, and of the rest among known positives.

    Parameters
    ----------
    known, rest : Moments
        Of the shares of the rest below each known positive, and of the shares of known positives
        above each of the rest.
    """

    known: Moments
    rest: Moments

    @classmethod
    def of(cls, ranking: Ranking) -> "Scatter":
        """Return the placements of a pilot."""
        check_unweighted(ranking, "positives_needed")
        known, rest = ranking.known_positive, ranking.rank - ranking.known_positive
        n, others = int(known[-1]), int(rest[-1])
        if min(n, others) < 2:
            raise PUDataError(
                f"pilot must have two known positives and two others, or more, but has {n} and "
                f"{others}. Pass what you expect: pilot={{'auroc': 0.8}}."
            )
        below = 1 - (rest[:-1] + rest[1:]) / (2 * others)
        above = (known[:-1] + known[1:]) / (2 * n)
        return cls(_moments(below, np.diff(known)), _moments(above, np.diff(rest)))


def scatter_of_normals(auroc: float, share: float) -> Scatter:
    """Return the placements of normal scores of equal variance.

    Examples
    --------
    >>> scatter_of_normals(0.8, 0.0).known.mean.__round__(3)
    0.8
    """
    apart = 2**0.5 * float(special.ndtri(auroc))
    grid = special.ndtri((np.arange(_POINTS) + 0.5) / _POINTS)
    below = share * special.ndtr(grid) + (1 - share) * special.ndtr(grid + apart)
    above = np.concatenate([special.ndtr(-grid), special.ndtr(apart - grid)])
    weight = np.repeat([share, 1 - share], _POINTS)
    return Scatter(_moments(below, np.ones(_POINTS)), _moments(above, weight))


def pair_scatter(paired: PairedRanks) -> tuple[float, float]:
    """Return the variances of the differences between two models' placements."""
    first, second = (
        ranks - among
        for ranks, among in zip(paired.ranks.values(), paired.among.values(), strict=True)
    )
    rest = sum(paired.total) - paired.total.known_positive
    apart = paired.covariance
    return (
        float((first - second).var(ddof=1)) / rest**2,
        float(apart[0, 0] + apart[1, 1] - 2 * apart[0, 1]),
    )


def pair_scatter_of_normals(
    auroc: tuple[float, float], correlation: float, share: float
) -> tuple[float, float]:
    """Return the variances of those differences, for normal scores of two models."""
    apart = [2**0.5 * float(special.ndtri(one)) for one in auroc]
    node, weight = special.roots_hermitenorm(_NODES)
    weight = weight / weight.sum()
    first = node[:, np.newaxis]
    second = correlation * first + (1 - correlation**2) ** 0.5 * node
    weights = np.multiply.outer(weight, weight)
    scores = [np.broadcast_to(first, second.shape), second]
    below = [
        share * special.ndtr(x) + (1 - share) * special.ndtr(x + d)
        for x, d in zip(scores, apart, strict=True)
    ]
    above = [
        np.stack([special.ndtr(-x), special.ndtr(d - x)])
        for x, d in zip(scores, apart, strict=True)
    ]
    mixed = np.stack([share * weights, (1 - share) * weights])
    return (
        _moments(below[0] - below[1], weights).variance,
        _moments(above[0] - above[1], mixed).variance,
    )


def _moments(values: FloatArray, weight: FloatArray) -> Moments:
    """Return moments of values that count with weights."""
    there = weight > 0
    values, weight = values[there], weight[there] / weight.sum()
    mean = float(weight @ values)
    away = values - mean
    return Moments(mean, *(float(weight @ away**power) for power in (2, 3, 4)))
