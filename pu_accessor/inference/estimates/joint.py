"""Intervals that hold jointly with an estimate of beta: its error and that of the ranking.

A value A(beta) with limits for each beta comes from the ranking, an interval of beta from
elsewhere. Where the two errors are independent, a beta that is off by a share t of how far it can
be off leaves the ranking sqrt(1 - t**2) of what that can be off by itself.
"""

from typing import NamedTuple

import numpy as np
from scipy import special

from pu_accessor.errors import PUValueError, check_option
from pu_accessor.inference.estimates.complete import Estimates
from pu_accessor.inference.shares import interval_betas
from pu_accessor.ranking import Counts, FloatArray

__all__ = ["JOINT", "BetaRange", "check_joint", "join_estimates", "join_limits", "ranking_level"]

JOINT = ("approximate", "guaranteed")
_HIGHEST = 1 - 1e-6  # of a limit on beta: at 1 nothing is negative, and little has a value
_TURN = np.linspace(0, np.pi / 2, 33)
_OFF, _LEFT = np.sin(_TURN), np.cos(_TURN)  # of beta, and what that leaves of the ranking
_BETWEEN = np.array([0.25, 0.5, 0.75])  # of the way where any beta may be the true one
_POINT, _LOWER, _UPPER = range(3)


class BetaRange(NamedTuple):
    """An estimate of beta with its interval.

    Parameters
    ----------
    beta, lower, upper : float
        Shares of the unlabeled, lower <= beta <= upper.
    level : float
        Probability of coverage of the interval, in (0, 1).
    limits : {"none", "upper", "both"}, default "none"
        Which ends are limits on what is feasible, not errors of the estimate: nothing speaks for
        any beta from the other end on, or between them.
    n, unlabeled : int, optional
        Known positives and unlabeled examples that it is about.
    """

    beta: float
    lower: float
    upper: float
    level: float
    limits: str = "none"
    n: int | None = None
    unlabeled: int | None = None

    def betas(self, level: float, joint: str) -> FloatArray:
        """Return the betas at which the ranking is asked, the estimate first.

        Parameters
        ----------
        level : float
            That at which the answer is to hold, in (0, 1).
        joint : {"approximate", "guaranteed"}
            How the errors are put together.

        Returns
        -------
        ndarray of float64
            Of beta, and of both limits or all betas between them; where there is a limit alone, of
            some betas below the estimate.
        """
        if joint == "guaranteed":
            inner = interval_betas((self.lower, self.upper), np.array([self.beta]))
            return np.append(self.beta, np.minimum(inner, max(self.beta, _HIGHEST)))
        upper_alone = self.limits == "upper"
        own = self.level if upper_alone else (1 + self.level) / 2
        scale = special.ndtri((1 + level) / 2) / max(special.ndtri(own), 1e-9)
        down = 1.0 if upper_alone else scale
        lower = max(self.beta - down * (self.beta - self.lower), 0.0)
        upper = min(self.beta + scale * (self.upper - self.beta), max(self.beta, _HIGHEST))
        last = {"none": lower, "upper": self.beta, "both": upper}[self.limits]
        between = lower + _BETWEEN * (last - lower) if last > lower else np.empty(0)
        return np.concatenate([[self.beta, lower, upper], between])

    def is_about(self, total: Counts) -> bool:
        """Tell whether the estimate is of such examples, as far as it says.

        Parameters
        ----------
        total : Counts
            Examples that the ranking has.

        Returns
        -------
        bool
        """
        n, unlabeled = total.known_positive, total.unlabeled
        return self.n in (None, n) and self.unlabeled in (None, unlabeled)

    def check_counts(self, total: Counts) -> None:
        """Raise if the estimate is of other examples.

        Parameters
        ----------
        total : Counts
            Examples that the ranking has.

        Raises
        ------
        PUValueError
            If the numbers of known positives or of unlabeled examples differ.
        """
        for name, own, there in (
            ("known positives", self.n, total.known_positive),
            ("unlabeled examples", self.unlabeled, total.unlabeled),
        ):
            if own is not None and own != there:
                raise PUValueError(
                    f"beta must be an estimate for these examples, which have {there} {name}, but "
                    f"it is for {own}. Estimate it from the same rows: df.pu.estimate_beta(), or "
                    "beta_from_labels with their n_unlabeled."
                )


def check_joint(joint: str) -> None:
    """Raise unless errors can be put together like that.

    Parameters
    ----------
    joint : {"approximate", "guaranteed"}
        What came.

    Raises
    ------
    PUValueError
        If it is neither.
    """
    check_option("joint", joint, JOINT, {"delta": "approximate", "envelope": "guaranteed"})


def ranking_level(level: float, beta_level: float) -> float:
    """Return the level that is left to the ranking, so that both statements hold at a level.

    Parameters
    ----------
    level : float
        That of both together, in (0, 1).
    beta_level : float
        That of the interval of beta.

    Returns
    -------
    float

    Raises
    ------
    PUValueError
        If beta takes all of it.

    Examples
    --------
    >>> ranking_level(0.95, 0.98)
    0.97
    """
    left = round(1 - (beta_level - level), 12)
    if left >= 1:
        half = round((1 + level) / 2, 12)
        raise PUValueError(
            f"beta must hold at a higher level than the {level:g} of the answer, but it holds at "
            f"{beta_level:g}: 1 - level is shared between beta and the ranking. Pass level={half} "
            "to estimate_beta or beta_from_labels, or a lower level here."
        )
    return left


def join_estimates(
    found: Estimates, beta: BetaRange, joint: str, span: tuple[float, float] = (0.0, 1.0)
) -> Estimates:
    """Put the errors of beta and of the ranking together, for an area or an average.

    Parameters
    ----------
    found : Estimates
        At the betas of `BetaRange.betas`.
    beta : BetaRange
        The estimate of beta.
    joint : {"approximate", "guaranteed"}
        How.
    span : (float, float), default (0.0, 1.0)
        The least and the most that there can be.

    Returns
    -------
    Estimates
        At the estimate of beta alone.
    """
    floor, width = span[0], span[1] - span[0]
    value, lower, upper = (
        (part - floor) / width for part in (found.value, found.lower, found.upper)
    )
    lower, upper = join_limits(value, lower, upper, beta, joint)
    first = slice(1)
    return Estimates(
        found.value[first],
        found.error[first],
        floor + width * np.maximum(lower, 0),
        floor + width * np.minimum(upper, 1),
    )


def join_limits(
    value: FloatArray, lower: FloatArray, upper: FloatArray, beta: BetaRange, joint: str
) -> tuple[FloatArray, FloatArray]:
    """Return limits that hold whatever beta is, as far as its interval holds.

    Parameters
    ----------
    value, lower, upper : ndarray of float64, shape (..., betas)
        At the betas of `BetaRange.betas`.
    beta : BetaRange
        The estimate of beta.
    joint : {"approximate", "guaranteed"}
        Independent errors; or the lowest and the highest limit at any beta, which holds however
        the errors depend on each other, as both statements do.

    Returns
    -------
    lower, upper : ndarray of float64, shape (..., 1)
        NaN where there are none at the estimate.

    Notes
    -----
    Let beta be off by a share t of the distance to one of its limits. There the value is A(t),
    and can be off by d(t) at the level of the answer; both are taken as straight in t. As errors
    that are independent add by their squares, the ranking is then off by at most sqrt(1 - t**2) of
    that: the lower limit is the lowest of A(t) - sqrt(1 - t**2)*d(t) over t in [0, 1] and both
    limits of beta. Where d does not change this is A(0) less the root of the sum of both squared
    distances ([1]_, [2]_).

    Where there is no more than an upper limit on beta, any beta down to the lower end may be the
    true one and none is more likely: there the ranking's limits stand as they are. Where there are
    limits on both sides, that holds for all betas between them.

    References
    ----------
    .. [1] G. Y. Zou, A. Donner, *Construction of confidence limits about effect measures: a
       general approach*, Statistics in Medicine 27 (2008) 1693-1702.
    .. [2] S. A. Murphy, A. W. van der Vaart, *On profile likelihood*, Journal of the American
       Statistical Association 95 (2000) 449-465.

    Examples
    --------
    >>> beta = BetaRange(0.3, 0.2, 0.4, 0.95)
    >>> value = np.array([0.8, 0.76, 0.84])
    >>> lower, upper = join_limits(value, value - 0.03, value + 0.03, beta, "approximate")
    >>> lower.round(3), upper.round(3)
    (array([0.75]), array([0.85]))
    """
    none = np.isnan(lower[..., :1]) | np.isnan(upper[..., :1])
    if joint == "guaranteed" or beta.limits == "both":
        low, high = np.fmin.reduce(lower, axis=-1), np.fmax.reduce(upper, axis=-1)
    else:
        value = _with_ends(value)
        down, up = _off(value, value - lower), _off(value, upper - value)
        low, high = _extreme(np.fmin, value, -down, beta), _extreme(np.fmax, value, up, beta)
        if beta.limits == "upper":
            free = [_LOWER, *range(_UPPER + 1, value.shape[-1])]
            low = np.fmin(low, np.fmin.reduce(lower[..., free], axis=-1))
            high = np.fmax(high, np.fmax.reduce(upper[..., free], axis=-1))
    return np.where(none, np.nan, low[..., np.newaxis]), np.where(
        none, np.nan, high[..., np.newaxis]
    )


def _with_ends(value: FloatArray) -> FloatArray:
    """Put 1 or 0 for values that are beyond: a beta at a limit may be too high for the ranking."""
    point, lower, upper = (value[..., place] for place in (_POINT, _LOWER, _UPPER))
    ends = np.where(point < lower, 0.0, 1.0), np.where(point < upper, 0.0, 1.0)
    lower = np.where(np.isnan(lower), ends[1], lower)
    upper = np.where(np.isnan(upper), ends[0], upper)
    return np.stack([point, lower, upper, *np.moveaxis(value[..., _UPPER + 1 :], -1, 0)], axis=-1)


def _off(value: FloatArray, distance: FloatArray) -> FloatArray:
    """Return how far values can be off at each beta; as at the estimate where not known."""
    known = np.where(np.isnan(distance), distance[..., :1], distance)
    return np.maximum(known, 0.0)


def _extreme(pick: np.ufunc, value: FloatArray, off: FloatArray, beta: BetaRange) -> FloatArray:
    """Return the lowest or highest on the way to the limits of beta."""
    found = []
    for end in (_UPPER,) if beta.limits == "upper" else (_LOWER, _UPPER):
        middle, width = (
            np.multiply.outer(side[..., _POINT], 1 - _OFF)
            + np.multiply.outer(side[..., end], _OFF)
            for side in (value, off)
        )
        found.append(pick.reduce(middle + width * _LEFT, axis=-1))
    extreme: FloatArray = pick.reduce(found)
    return extreme
