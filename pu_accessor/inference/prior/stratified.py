"""Positives among examples of two strata, of which random samples were labeled by hand."""

from typing import NamedTuple

import numpy as np

from pu_accessor.inference.prior.labeling import hypergeometric_limits
from pu_accessor.inference.prior.sequential import log_probability
from pu_accessor.ranking import FloatArray, IntArray

_SPARED = 0.2  # of 1 - level, for the numbers of positives of each stratum by itself
_CELLS = 200  # pairs of such numbers that are tried for each sum
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
    """Bound the number of positives in one or two strata together.

    Notes
    -----
    For two strata a sum is ruled out if the estimate of it would be as far off, in that direction,
    with a small probability, however the sum is made up of two numbers that the limits of each
    stratum allow ([1]_; the statistic is that of [2]_). Those limits hold jointly with a
    probability of 1 - g, and the tails are (1 - level - g)/2 each, g a fifth of 1 - level. So
    both limits together hold with a probability of at least `level`. The largest tail over
    neighbouring pairs is bounded by that of their larger numbers, as it grows with both.

    References
    ----------
    .. [1] R. L. Berger, D. D. Boos, *P values maximized over a confidence set for the nuisance
       parameter*, Journal of the American Statistical Association 89 (1994) 1012-1016.
    .. [2] J. P. Wendell, J. Schmee, *Exact inference for proportions from a stratified finite
       population*, Journal of the American Statistical Association 91 (1996) 825-830.

    Examples
    --------
    >>> sum_limits([Stratum(1, 60, 800), Stratum(25, 40, 200)], 0.95)
    (97, 208)
    >>> sum_limits([Stratum(12, 50, 2000)], 0.95)
    (264, 760)
    """
    if len(strata) == 1:
        return strata[0].limits(level)
    turned = [stratum.turned() for stratum in strata]
    return _lowest(strata, level), sum(s.total for s in strata) - _lowest(turned, level)


def _lowest(strata: list[Stratum], level: float) -> int:
    """Return the lowest sum that is not ruled out, of two strata."""
    spared = _SPARED * (1 - level)
    (low, high), (other_low, other_high) = (s.limits((1 - spared) ** 0.5) for s in strata)
    tail = (1 - level - spared) / 2 * (1 - _SAME)
    ruled_out, lowest = low + other_low - 1, round(sum(s.expected for s in strata))
    while lowest - ruled_out > 1:
        whole = (ruled_out + lowest) // 2
        ends = max(low, whole - other_high), min(high, whole - other_low)
        if _largest_tail(strata, whole, ends) > tail:
            lowest = whole
        else:
            ruled_out = whole
    return lowest


def _largest_tail(strata: list[Stratum], whole: int, ends: tuple[int, int]) -> float:
    """Return the largest probability of as high an estimate, the first stratum's within ends."""
    edges = np.unique(np.linspace(*ends, min(_CELLS, ends[1] - ends[0] + 1)).astype(np.int64))
    last = np.append(edges[1:] - 1, edges[-1])  # of each cell
    first, second = strata
    counts = np.arange(first.labeled + 1)
    needed = (first.expected + second.expected - first.weight * counts) / second.weight
    fewest = np.clip(np.ceil(needed - _SAME), 0, second.labeled + 1).astype(np.int64)
    others = _probabilities(second, whole - edges)
    at_least = np.cumsum(others[:, ::-1], axis=1)[:, ::-1]
    at_least = np.pad(at_least, ((0, 0), (0, 1)))
    tails: FloatArray = (_probabilities(first, last) * at_least[:, fewest]).sum(axis=1)
    return float(tails.max())


def _probabilities(stratum: Stratum, positives: IntArray) -> FloatArray:
    """Return the probability of each count among those labeled, for some numbers of positives."""
    count, number = np.arange(stratum.labeled + 1), positives[:, np.newaxis]
    left = stratum.total - stratum.labeled + count  # the most positives with such a count
    possible = (count <= number) & (number <= left)
    number = np.clip(number, count, left)
    logs = log_probability(count, np.array(stratum.labeled), stratum.total, number)
    return np.where(possible, np.exp(logs), 0.0)
