"""How many known positives an interval takes, and how likely a difference is to be seen."""

from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.errors import PUDataError
from pu_accessor.inference.estimates.areas_on_new_examples import auroc_interval
from pu_accessor.inference.influence import Placed, welch_df
from pu_accessor.ranking import FloatArray, PairedRanks, Ranking

_POINTS = 2000  # of a distribution of one score
_NODES = 48  # of a distribution of two scores, along each
_STEP = 1e-4  # of a standard error, for derivatives


class Moments(NamedTuple):
    """Mean of some placements, and their central moments."""

    mean: float
    variance: float
    third: float
    fourth: float


class Scatter(NamedTuple):
    """Placements of known positives among the rest, and of the rest among known positives."""

    known: Moments  # shares of the rest below each known positive
    rest: Moments  # shares of known positives above each of the rest

    @classmethod
    def of(cls, ranking: Ranking) -> "Scatter":
        """Return the placements of a pilot."""
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
    grid = scipy.special.ndtri((np.arange(_POINTS) + 0.5) / _POINTS)
    below, above = _place_normals(grid, auroc, share)
    weight = np.repeat([share, 1 - share], _POINTS)
    return Scatter(_moments(below, np.ones(_POINTS)), _moments(above.ravel(), weight))


def _place_normals(score: FloatArray, auroc: float, share: float) -> tuple[FloatArray, FloatArray]:
    """Return placements at scores: of positives in the rest; and in positives, of the rest.

    The latter are of the positives among the rest first, then of the negatives.
    """
    apart = 2**0.5 * float(scipy.special.ndtri(auroc))
    below = share * scipy.special.ndtr(score) + (1 - share) * scipy.special.ndtr(score + apart)
    return below, np.stack([scipy.special.ndtr(-score), scipy.special.ndtr(apart - score)])


def pair_scatter(paired: PairedRanks) -> tuple[float, float]:
    """Return the variances of the differences between two models' placements."""
    first, second = (
        ranks - among
        for ranks, among in zip(
            paired.ranks.values(), paired.ranks_among_known.values(), strict=True
        )
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
    node, weight = scipy.special.roots_hermitenorm(_NODES)
    weight = weight / weight.sum()
    first = node[:, np.newaxis]
    second = correlation * first + (1 - correlation**2) ** 0.5 * node
    weights = np.multiply.outer(weight, weight)
    scores = [np.broadcast_to(first, second.shape), second]
    (below, above), (other_below, other_above) = (
        _place_normals(score, area, share) for score, area in zip(scores, auroc, strict=True)
    )
    mixed = np.stack([share * weights, (1 - share) * weights])
    return (
        _moments(below - other_below, weights).variance,
        _moments(above - other_above, mixed).variance,
    )


def _moments(values: FloatArray, weight: FloatArray) -> Moments:
    """Return moments of values that count with weights."""
    counted = weight > 0
    values, weight = values[counted], weight[counted] / weight.sum()
    mean = float(weight @ values)
    away = values - mean
    return Moments(mean, *(float(weight @ away**power) for power in (2, 3, 4)))


def chance_of_width(
    width: float, scatter: Scatter, share: float, sizes: tuple[int, int], level: float
) -> float:
    """Return the probability that the interval of AUROC on new examples is narrow enough.

    Notes
    -----
    The width depends on what turns up: on the estimate and on the variances of the placements. It
    is taken as normal, with the variance of its linear part in these three.
    """
    moments = (scatter.known, scatter.rest)
    center = np.array([scatter.known.mean, scatter.known.variance, scatter.rest.variance])
    covariance = np.zeros((3, 3))
    for row, (moment, size) in enumerate(zip(moments, sizes, strict=True), 1):
        covariance[0, 0] += moment.variance / size
        covariance[row, row] = (moment.fourth - moment.variance**2) / size
        covariance[0, row] = covariance[row, 0] = moment.third / size
    steps = np.sqrt(np.diag(covariance))
    shifts = _STEP * np.vstack([np.zeros(3), np.diag(steps), -np.diag(steps)])
    above, *variances = (center + shifts).T
    placed = Placed(
        np.repeat(np.array(sizes, np.float64)[:, np.newaxis], above.size, axis=1),
        np.maximum(np.stack(variances), 0),  # of the sample, not of the distribution
        above,
    )
    found = auroc_interval(np.full(above.size, share), placed, level)
    widths = found.upper - found.lower
    slope = np.divide(
        widths[1:4] - widths[4:], 2 * _STEP * steps, out=np.zeros(3), where=steps > 0
    )
    spread = float(slope @ covariance @ slope) ** 0.5
    if not spread:
        return float(widths[0] <= width)
    return float(scipy.special.ndtr((width - widths[0]) / spread))


def chance_of_difference(
    difference: float,
    variances: tuple[float, float],
    share: float,
    sizes: tuple[int, int],
    level: float,
) -> float:
    """Return the probability that two models' difference is seen: that 0 is out of the interval.

    Examples
    --------
    >>> round(chance_of_difference(0.05, (0.05, 0.05), 0.2, (200, 2000), 0.95), 3)
    0.671
    """
    size = np.array(sizes, np.float64)
    squares = np.array(variances) / size
    if not squares.sum():
        return float(difference != 0)
    df = float(welch_df(squares[:, np.newaxis], (size - 1)[:, np.newaxis])[0])
    apart = abs(difference) * (1 - share) / squares.sum() ** 0.5
    reach = float(scipy.special.stdtrit(df, (1 + level) / 2))
    wrong_side = scipy.stats.nct.cdf(-reach, df, apart)  # less than ndtr(-apart); far out NaN
    return float(scipy.stats.nct.sf(reach, df, apart) + np.nan_to_num(wrong_side))
