"""Plan the number of labels: widths of intervals of AUROC and power of comparisons."""

from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.errors import PUDataError
from pu_accessor.inference.estimates.areas_on_future_data import auroc_interval
from pu_accessor.inference.influence import Placements, welch_df
from pu_accessor.ranking import FloatArray, PairedRanks, Ranking

_QUANTILES = 2000  # of one normal score
_QUADRATURE_NODES = 48  # of each of two normal scores
_DERIVATIVE_STEP = 1e-4  # of a standard error


class Moments(NamedTuple):
    """Mean and central moments of placements."""

    mean: float
    variance: float
    third: float
    fourth: float


class PlacementMoments(NamedTuple):
    """Moments of the placements of known positives and of the rest."""

    known: Moments  # of the shares of the rest below each known positive
    rest: Moments  # of the shares of known positives above each of the rest

    @classmethod
    def of(cls, ranking: Ranking) -> "PlacementMoments":
        """Return the moments of a pilot ranking."""
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


def moments_of_normals(auroc: float, share: float) -> PlacementMoments:
    """Return the moments for normal scores of equal variance."""
    grid = scipy.special.ndtri((np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    below, above = _normal_placements(grid, auroc, share)
    weight = np.repeat([share, 1 - share], _QUANTILES)
    return PlacementMoments(_moments(below, np.ones(_QUANTILES)), _moments(above.ravel(), weight))


def _normal_placements(
    score: FloatArray, auroc: float, share: float
) -> tuple[FloatArray, FloatArray]:
    """Return placements of positives, and of the rest (positives first), at scores."""
    apart = 2**0.5 * float(scipy.special.ndtri(auroc))
    below = share * scipy.special.ndtr(score) + (1 - share) * scipy.special.ndtr(score + apart)
    return below, np.stack([scipy.special.ndtr(-score), scipy.special.ndtr(apart - score)])


def paired_variances(paired: PairedRanks) -> tuple[float, float]:
    """Return the variances of the differences between two models' placements."""
    models = zip(paired.ranks.values(), paired.ranks_among_known.values(), strict=True)
    first, second = (ranks - among for ranks, among in models)
    rest, covariance = sum(paired.total) - paired.total.known_positive, paired.covariance
    of_rest = float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    return float((first - second).var(ddof=1)) / rest**2, of_rest


def paired_variances_of_normals(
    auroc: tuple[float, float], correlation: float, share: float
) -> tuple[float, float]:
    """Return these variances for normal scores of two models."""
    node, weight = scipy.special.roots_hermitenorm(_QUADRATURE_NODES)
    weight = weight / weight.sum()
    first = node[:, np.newaxis]
    second = correlation * first + (1 - correlation**2) ** 0.5 * node
    weights = np.multiply.outer(weight, weight)
    scores = [np.broadcast_to(first, second.shape), second]
    (below, above), (other_below, other_above) = (
        _normal_placements(score, area, share) for score, area in zip(scores, auroc, strict=True)
    )
    mixed = np.stack([share * weights, (1 - share) * weights])
    of_known = _moments(below - other_below, weights).variance
    return of_known, _moments(above - other_above, mixed).variance


def _moments(values: FloatArray, weight: FloatArray) -> Moments:
    positive_weight = weight > 0
    values, weight = values[positive_weight], weight[positive_weight] / weight.sum()
    mean = float(weight @ values)
    centered = values - mean
    return Moments(mean, *(float(weight @ centered**power) for power in (2, 3, 4)))


def probability_of_width(
    width: float, pilot: PlacementMoments, share: float, sizes: tuple[int, int], level: float
) -> float:
    """Return the probability that the interval of AUROC on future data is narrow enough."""
    # The width is taken as normal, with the variance of its linear part.
    center = np.array([pilot.known.mean, pilot.known.variance, pilot.rest.variance])
    covariance = np.zeros((3, 3))
    for row, (moment, size) in enumerate(zip(pilot, sizes, strict=True), 1):
        covariance[0, 0] += moment.variance / size
        covariance[row, row] = max(moment.fourth - moment.variance**2, 0) / size
        covariance[0, row] = covariance[row, 0] = moment.third / size
    steps = np.sqrt(np.diag(covariance))
    shifts = _DERIVATIVE_STEP * np.vstack([np.zeros(3), np.diag(steps), -np.diag(steps)])
    above, *variances = (center + shifts).T
    placements = Placements(
        np.repeat(np.array(sizes, np.float64)[:, np.newaxis], above.size, axis=1),
        np.maximum(np.stack(variances), 0),
        above,
    )
    interval = auroc_interval(np.full(above.size, share), placements, level)
    widths = interval.upper - interval.lower
    slope = np.divide(
        widths[1:4] - widths[4:], 2 * _DERIVATIVE_STEP * steps, out=np.zeros(3), where=steps > 0
    )
    spread = float(slope @ covariance @ slope) ** 0.5
    if not spread:
        return float(widths[0] <= width)
    return float(scipy.special.ndtr((width - widths[0]) / spread))


def power_of_difference(
    difference: float,
    variances: tuple[float, float],
    share: float,
    sizes: tuple[int, int],
    level: float,
) -> float:
    """Return the power: the probability that the interval of the difference excludes 0."""
    size = np.array(sizes, np.float64)
    squares = np.array(variances) / size
    if not squares.sum():
        return float(difference != 0)
    df = float(welch_df(squares[:, np.newaxis], (size - 1)[:, np.newaxis])[0])
    noncentrality = abs(difference) * (1 - share) / squares.sum() ** 0.5
    critical = float(scipy.special.stdtrit(df, (1 + level) / 2))
    wrong_side = scipy.stats.nct.cdf(
        -critical, df, noncentrality
    )  # NaN far out, where it is about 0
    return float(scipy.stats.nct.sf(critical, df, noncentrality) + np.nan_to_num(wrong_side))
