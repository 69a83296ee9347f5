"""Positives among examples of strata, of which random samples were labeled by hand."""

from typing import NamedTuple

import numpy as np

from pu_accessor.inference.prior.compositions import Axis, lowest_sum
from pu_accessor.inference.prior.labeling import hypergeometric_limits
from pu_accessor.ranking import FloatArray, IntArray

_SPARED = 0.1  # of 1 - level, for the numbers of positives of each stratum by itself
_ENTRIES, _CELLS = 400_000, 500  # probabilities of each stratum, about; cells at least
_ERRORS = 2.0  # standard errors that the statistic takes off
_SAME = 1e-6  # relative difference of probabilities that are taken as equal


class Stratum(NamedTuple):
    """Examples of which some were drawn at random and labeled by hand."""

    positives: int  # found among those labeled
    labeled: int
    total: int

    @property
    def weight(self) -> float:
        """How many examples each labeled one stands for."""
        return self.total / self.labeled

    @property
    def expected(self) -> float:
        """The estimate of the number of positives."""
        return self.positives * self.weight

    def limits(self, level: float) -> tuple[int, int]:
        """Return the lowest and the highest number of positives, exactly."""
        return hypergeometric_limits(*self, level)

    def turned(self) -> "Stratum":
        """Return the stratum with negatives for positives."""
        return self._replace(positives=self.labeled - self.positives)


def sum_limits(strata: list[Stratum], level: float) -> tuple[int, int]:
    """Bound the number of positives in strata together.

    Notes
    -----
    A sum is ruled out if a statistic would be as far off, in that direction, with a small
    probability, however the sum is made up of numbers that the limits of each stratum allow
    ([1]_). Those limits hold jointly with a probability of 1 - g, and the tails are
    (1 - level - g)/2 each, g a tenth of 1 - level. So both limits together hold with a probability
    of at least `level`, whatever the statistic.

    That of the lower limit is the sum over S strata of N x/s - 2 e/sqrt(S): the estimate ([2]_)
    less standard errors e. With the estimate alone numbers near 1/2 in each stratum, which make it
    vary most, would make intervals longer. It is the same at each level, so that limits of a
    higher one hold those of a lower.

    References
    ----------
    .. [1] R. L. Berger, D. D. Boos, *P values maximized over a confidence set for the nuisance
       parameter*, Journal of the American Statistical Association 89 (1994) 1012-1016.
    .. [2] J. P. Wendell, J. Schmee, *Exact inference for proportions from a stratified finite
       population*, Journal of the American Statistical Association 91 (1996) 825-830.

    Examples
    --------
    >>> sum_limits([Stratum(1, 60, 800), Stratum(25, 40, 200)], 0.95)
    (100, 195)
    >>> sum_limits([Stratum(0, 30, 700), Stratum(5, 30, 200), Stratum(25, 40, 100)], 0.95)
    (67, 175)
    >>> sum_limits([Stratum(12, 50, 2000)], 0.95)
    (264, 760)
    """
    if len(strata) == 1:
        return strata[0].limits(level)
    turned = [stratum.turned() for stratum in strata]
    return _lowest(strata, level), sum(s.total for s in strata) - _lowest(turned, level)


def _lowest(strata: list[Stratum], level: float) -> int:
    """Return the lowest sum that is not ruled out."""
    spared = _SPARED * (1 - level)
    tail = (1 - level - spared) / 2 * (1 - _SAME)
    errors = _ERRORS / len(strata) ** 0.5
    axes = [_axis(stratum, (1 - spared) ** (1 / len(strata)), errors) for stratum in strata]
    observed = sum(axis.value[s.positives] for axis, s in zip(axes, strata, strict=True))
    return lowest_sum(axes, observed, tail, round(sum(s.expected for s in strata)))


def _axis(stratum: Stratum, level: float, errors: float) -> Axis:
    """Return the numbers that the limits of a stratum allow, in cells."""
    low, high = stratum.limits(level)
    most = max(_ENTRIES // (stratum.labeled + 1), _CELLS)
    highest = np.unique(np.linspace(low, high, min(most, high - low + 1)).astype(np.int64))
    lowest = np.append(low, highest[:-1] + 1)
    return Axis(lowest, highest, _probabilities(stratum, highest), _values(stratum, errors))


def _values(stratum: Stratum, errors: float) -> FloatArray:
    """Return the estimate for each count of positives less some standard errors, never falling."""
    count = np.arange(stratum.labeled + 1)
    share = (count + 0.5) / (stratum.labeled + 1)
    drawn = stratum.labeled / stratum.total
    error = np.sqrt(stratum.labeled * share * (1 - share) * (1 - drawn))
    values: FloatArray = np.maximum.accumulate(stratum.weight * (count - errors * error))
    return values


def _probabilities(stratum: Stratum, positives: IntArray) -> FloatArray:
    """Return the probability of each count among those labeled, for some numbers of positives.

    All follow from that of the count that was found by rational ratios, and their sum is 1.
    """
    found, labeled, total = map(float, stratum)
    hidden = positives[:, np.newaxis] - found
    others = total - labeled - hidden  # not drawn, of either kind
    up, down = np.arange(labeled - found), np.arange(found)
    with np.errstate(divide="ignore"):  # the logarithm of what is impossible
        above = np.log((labeled - found - up) / (found + up + 1))
        above = above + np.log(np.maximum(hidden - up, 0) / (others + up + 1))
        below = np.log((found - down) / (labeled - found + down + 1))
        below = below + np.log(np.maximum(others - down, 0) / (hidden + down + 1))
    above, below = np.cumsum(above, axis=1), np.cumsum(below, axis=1)
    logs = np.hstack([below[:, ::-1], np.zeros_like(hidden), above])
    ratio = np.exp(logs - logs.max(axis=1, keepdims=True))
    probability: FloatArray = ratio / ratio.sum(axis=1, keepdims=True)
    return probability
