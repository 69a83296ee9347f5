"""Areas on new examples, where known positives stand for different numbers of latent ones."""

from typing import NamedTuple

import numpy as np

from pu_accessor.inference.bands.weighted import effective_size, latent_shares
from pu_accessor.inference.estimates.delong import Placed, rest_share, welch_df
from pu_accessor.inference.estimates.intervals import kurtosis_df, rank_interval, reach
from pu_accessor.inference.estimates.known_positives import count_positives, find_blocks, places
from pu_accessor.inference.estimates.population_auroc import score_interval
from pu_accessor.inference.estimates.population_average_precision import moments, without_scatter
from pu_accessor.ranking import FloatArray, Ranking

__all__ = ["weighted_population_auroc", "weighted_population_precision"]

_ROUNDING = 1e-20  # variances that small are none


class _Positives(NamedTuple):
    """What known positives stand for at one beta.

    Parameters
    ----------
    stands : ndarray of float64, shape (n,)
        Positives in number.
    through : ndarray of float64, shape (cutoffs,)
        Their sum at or above each cutoff.
    hidden : float
        The share of latent ones among the positives.
    turn : ndarray of float64, shape (n,)
        What each weighs among the latent ones, 1 on average.
    size : float
        That of a simple random sample that says as much.
    """

    stands: FloatArray
    through: FloatArray
    hidden: float
    turn: FloatArray
    size: float


def _stand(ranking: Ranking, weight: FloatArray, beta: float) -> _Positives:
    """Return what known positives stand for."""
    n = weight.size
    positives = float(count_positives(ranking.total, np.array([beta])).as_floats()[0])
    stands = 1 + latent_shares(1 + weight, positives - n)
    through = np.concatenate([[0.0], np.cumsum(stands)])[ranking.known_positive]
    turn = weight / weight.mean()
    return _Positives(stands, through, 1 - n / positives, turn, effective_size(stands))


def weighted_population_auroc(
    ranking: Ranking, weight: FloatArray, betas: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of AUROC on new examples, at known weights.

    Notes
    -----
    Positives are known and latent ones; with F the distribution of the first, that of the latter
    is F by the weights, and negatives are what is left of the rest. AUROC is a function of F and
    of the distribution of the rest alone: its derivatives by both [1]_ have the variances that two
    samples add. Equal weights give DeLong's. The interval is that of
    `population_auroc.score_interval`, for as many known positives as
    weigh alike.

    References
    ----------
    .. [1] F. R. Hampel, *The influence curve and its role in robust estimation*, Journal of the
       American Statistical Association 69 (1974) 383-393.
    """
    share = rest_share(ranking.total, betas)
    known, rest = ranking.known_positive, ranking.rank - ranking.known_positive
    n, others, found = int(known[-1]), int(rest[-1]), np.diff(known)
    below = np.repeat(1 - (rest[:-1] + rest[1:]) / (2 * others), found)
    ahead = np.repeat((known[:-1] + known[1:]) / (2 * n), found)  # known positives above
    columns = []
    for beta, b in zip(betas.tolist(), share.tolist(), strict=True):
        at = _stand(ranking, weight, beta)
        latent = at.turn / n
        through = np.concatenate([[0.0], np.cumsum(latent)])[known]
        behind = np.repeat(1 - (through[:-1] + through[1:]) / 2, found)  # latent ones below
        own = (1 - at.hidden) * (below - b * behind)
        moved = at.hidden * below - b * (1 - at.hidden) * ahead
        pull = own + at.turn * (moved - latent @ moved)
        above = (at.through[:-1] + at.through[1:]) / 2 / at.through[-1]
        free = np.diff(rest)
        mean = float(free @ above) / others
        spread = float(free @ (above - mean) ** 2) / max(others - 1, 1)
        theta = float(at.stands @ below) / at.through[-1]
        latent_above = float(at.stands @ behind) / at.through[-1]
        value = (theta - b * latent_above) / (1 - b)
        columns.append((value, pull.var(ddof=1) * at.size / n, spread, at.size))
    value, known_variance, rest_variance, size = np.array(columns).T
    known_variance[known_variance < _ROUNDING] = 0.0
    placed = Placed(
        np.stack([size, np.full(size.size, float(others))]),
        np.stack([known_variance, rest_variance]),
        value * (1 - share) + share / 2,
    )
    return score_interval(value, share, placed, level)


def weighted_population_precision(
    ranking: Ranking, weight: FloatArray, betas: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of average precision on new examples, at known weights.

    Notes
    -----
    As for AUROC; the interval is Student's t on the logit scale of n/P times average precision, as
    without weights (`pu_accessor.inference.estimates.population_average_precision`).
    """
    n, limits = weight.size, []
    for beta in betas.tolist():
        at = _stand(ranking, weight, beta)
        split = _precision_at(ranking, at)
        error, df = _precision_scatter(ranking, at)
        value, share = np.array([split]), n / float(at.through[-1])
        away = reach(np.array([error]), df, level)
        found = rank_interval(
            value, np.minimum(share * value, 1), 1 / np.array([share]), away, away
        )
        if error == 0:
            rest = sum(ranking.total) - n
            found = without_scatter(value, int(at.size), rest, level)
        limits.append((float(found[0][0]), float(found[1][0])))
    lower, upper = np.array(limits).T
    return lower, upper


def _precision_at(ranking: Ranking, at: _Positives) -> float:
    """Return average precision at some weights."""
    _, end = places(find_blocks(ranking))
    last = np.searchsorted(end, end, side="right")
    through, whole = np.cumsum(at.stands)[last - 1], at.stands.sum()
    others = at.stands @ ((through - at.stands) / end)
    alone = at.stands @ (1 / end)
    return float(alone / whole + (whole - 1) * others / (whole**2 - at.stands @ at.stands))


def _precision_scatter(ranking: Ranking, at: _Positives) -> tuple[float, FloatArray]:
    """Return the standard error of average precision, and its degrees of freedom."""
    head, found = ranking.rank[1:].astype(np.float64), np.diff(ranking.known_positive)
    free = np.diff(ranking.rank - ranking.known_positive)
    n, others, step = int(found.sum()), int(free.sum()), np.diff(at.through)
    whole, high = at.through[-1], at.through[1:]
    gained = high / head + _from_below(step / head)
    lost = _from_below(step * high / head**2) / whole
    each, crowd = np.repeat(gained, found), np.repeat(lost, found)
    latent = at.turn / n
    pull = (1 - at.hidden) * each + at.hidden * at.turn * (each - latent @ each) - n * crowd
    known_variance, known_kurtosis = moments(pull, np.ones(n, np.int64))
    rest_variance, rest_kurtosis = moments(others * lost, free)
    squares = np.array([known_variance / n, rest_variance / others])
    df = [
        kurtosis_df(np.array(kurtosis), max(int(size), 2))
        for kurtosis, size in ((known_kurtosis, at.size), (rest_kurtosis, others))
    ]
    return float(squares.sum()) ** 0.5, welch_df(squares, np.array(df))


def _from_below(terms: FloatArray) -> FloatArray:
    """Return the sums over each step and all below it."""
    sums: FloatArray = np.cumsum(terms[::-1])[::-1]
    return sums
