"""Placements: where known positives lie among the rest, and the rest among known positives."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pu_accessor.errors import PUValueError
from pu_accessor.inference.estimates.sample import count_negatives
from pu_accessor.ranking import Counts, FloatArray, IntArray, Ranking

__all__ = ["DeLong", "check_unweighted", "find_placements", "rest_share", "welch_df"]


class DeLong(NamedTuple):
    """Placements of two samples, the known positives and the rest, and how far they scatter.

    Parameters
    ----------
    known, rest : int
        How many there are.
    above : Fraction
        The probability that a known positive lies above one of the rest, ties counting half.
    known_variance : float
        Of the shares of the rest below each known positive; NaN for one alone.
    rest_variance : float
        Of the shares of known positives above each of the rest; NaN for one alone.
    """

    known: int
    rest: int
    above: Fraction
    known_variance: float
    rest_variance: float

    @property
    def squares(self) -> tuple[float, float]:
        """The squared standard errors that the two samples add."""
        return self.known_variance / self.known, self.rest_variance / self.rest


def find_placements(ranking: Ranking) -> DeLong:
    """Return the placements of both samples, from counts alone ([1]_, [2]_).

    Parameters
    ----------
    ranking : Ranking
        At the breakpoints or at all cutoffs; with a known positive and another example.

    Returns
    -------
    DeLong

    Notes
    -----
    The rest between two neighbouring known positives share one placement, so that counts at
    breakpoints say all.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, *Comparing the areas under two or
       more correlated receiver operating characteristic curves: a nonparametric approach*,
       Biometrics 44 (1988) 837-845.
    .. [2] X. Sun, W. Xu, *Fast implementation of DeLong's algorithm for comparing the areas under
       correlated receiver operating characteristic curves*, IEEE Signal Processing Letters 21
       (2014) 1389-1393.

    Examples
    --------
    >>> rank, known = np.arange(5), np.array([0, 1, 1, 2, 2])
    >>> found = find_placements(
    ...     Ranking(rank, 4.5 - rank, known, 0 * known, rank - known, Counts(2, 0, 2))
    ... )
    >>> found.above, found.known_variance, found.rest_variance
    (Fraction(3, 4), 0.125, 0.125)
    """
    known, rest = ranking.known_positive, ranking.rank - ranking.known_positive
    n, others = int(known[-1]), int(rest[-1])
    found, free = np.diff(known), np.diff(rest)
    below = 2 * others - rest[:-1] - rest[1:]  # doubled, of the known positives of each step
    above = known[:-1] + known[1:]
    return DeLong(
        n,
        others,
        Fraction(int(found @ below), 2 * n * others),
        _variance(below, found) / (2 * others) ** 2,
        _variance(above, free) / (2 * n) ** 2,
    )


def _variance(values: IntArray, times: IntArray) -> float:
    """Return the variance of values that are there several times each, NaN for one alone."""
    size = int(times.sum())
    if size < 2:
        return float("nan")
    away = values - float(values @ times) / size
    # The rounding of the mean is no spread.
    return float(times @ away**2) / (size - 1) if np.ptp(values[times > 0]) else 0.0


def rest_share(total: Counts, betas: FloatArray) -> FloatArray:
    """Return the share of positives among all but the known ones.

    Parameters
    ----------
    total : Counts
        Examples of each kind.
    betas : ndarray of float64, shape (betas,)
        Fractions of positives among the unlabeled.

    Returns
    -------
    ndarray of float64, shape (betas,)

    Raises
    ------
    PUDataError
        If there are no negatives at some beta.

    Examples
    --------
    >>> rest_share(Counts(3, 5, 15), np.array([0.4]))
    array([0.3])
    """
    rest = total.known_negative + total.unlabeled
    return np.array([float(1 - number / rest) for number in count_negatives(total, betas)])


def welch_df(squares: FloatArray, df: FloatArray) -> FloatArray:
    """Return the degrees of freedom of a sum of estimated variances ([1]_).

    Parameters
    ----------
    squares : ndarray of float64, shape (terms, ...)
        Their estimates.
    df : ndarray of float64, shape (terms, ...)
        The degrees of freedom of each.

    Returns
    -------
    ndarray of float64, shape (...)
        Infinite where all are 0.

    References
    ----------
    .. [1] B. L. Welch, *The generalization of 'Student's' problem when several different
       population variances are involved*, Biometrika 34 (1947) 28-35.

    Examples
    --------
    >>> float(welch_df(np.array([0.01, 0.01]), np.array([4, 4])))
    8.0
    """
    whole, parts = np.sum(squares, axis=0), np.sum(squares**2 / df, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = np.where(parts == 0, np.inf, whole**2 / parts)
    return found


def check_unweighted(ranking: Ranking, method: str) -> None:
    """Raise if known positives have propensities, for which new examples are not spoken of.

    Parameters
    ----------
    ranking : Ranking
        Counts at each cutoff.
    method : str
        What was asked.

    Raises
    ------
    PUValueError
        If they have.
    """
    if ranking.weight is not None:
        raise PUValueError(
            f"target must be 'examples' with propensity=..., but {method} was asked for "
            "'population', the default: where labels were selected with unequal probabilities it "
            "has no interval for new examples. Pass target='examples'."
        )
