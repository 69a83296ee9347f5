"""Positives among examples of strata, of which random samples were labeled by hand."""

from math import ceil
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.inference.prior.labeling import hypergeometric_limits

_ROUNDING = 1e-9
# Labels like all others that are added to each stratum where its variance is concerned: a
# stratum of a few equal labels still varies. Calibrated by simulation.
_SHRINKAGE = 1.0


class Stratum(NamedTuple):
    """Examples of which some were drawn at random and labeled by hand."""

    positives: int  # found among those labeled
    labeled: int
    total: int

    @property
    def expected(self) -> float:
        """The estimate of the number of positives."""
        return self.positives * self.total / self.labeled


def sum_limits(strata: list[Stratum], level: float) -> tuple[int, int]:
    """Bound the number of positives in strata together.

    Notes
    -----
    Of one stratum with examples that are not labeled the limits are exact. Of several they are
    those of Clopper and Pearson for a sample of the effective size ([1]_): the quantile of a Beta
    distribution with the mean and the variance of the positives that were not drawn. For the upper
    limit one positive more is found, in the stratum where that makes the limit highest ([2]_); the
    lower limit is the upper one of the negatives. What is drawn without replacement makes the
    positives of a stratum beta-binomial.

    References
    ----------
    .. [1] E. L. Korn, B. I. Graubard, *Confidence intervals for proportions with small expected
       number of positive counts estimated from survey data*, Survey Methodology 24 (1998) 193-201.
    .. [2] M. P. Fay, E. J. Feuer, *Confidence intervals for directly standardized rates: a method
       based on the gamma distribution*, Statistics in Medicine 16 (1997) 791-801.

    Examples
    --------
    >>> sum_limits([Stratum(1, 60, 800), Stratum(25, 40, 200)], 0.95)
    (100, 199)
    >>> sum_limits([Stratum(12, 50, 2000), Stratum(3, 5, 5)], 0.95)
    (267, 763)
    """
    whole = sum(stratum.total for stratum in strata)
    known = sum(stratum.positives for stratum in strata if stratum.labeled == stratum.total)
    sampled = [stratum for stratum in strata if stratum.labeled < stratum.total]
    if not sampled:
        return known, known
    if len(sampled) == 1:
        lower, upper = hypergeometric_limits(*sampled[0], level)
        return known + lower, known + upper
    turned = [s._replace(positives=s.labeled - s.positives) for s in strata]
    return whole - _most(turned, level), _most(strata, level)


def _most(strata: list[Stratum], level: float) -> int:
    """Return the upper limit."""
    found, labeled, total = np.array(strata, np.float64).T
    rest = total - labeled
    one_more = np.eye(len(strata))[rest > 0]
    extended = labeled + one_more
    share = (found + one_more) / extended
    pooled = (found.sum() + 1) / (labeled.sum() + 1)
    shrunk = (found + one_more + _SHRINKAGE * pooled) / (extended + _SHRINKAGE)
    scatter = rest * shrunk * (1 - shrunk) * (extended + rest) / (extended + 1)
    mean = share @ rest / rest.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.maximum(mean * (1 - mean) * rest.sum() ** 2 / scatter.sum(axis=1) - 1, _ROUNDING)
        limit = scipy.special.betaincinv(size * mean, size * (1 - mean), (1 + level) / 2)
    highest = np.max(np.where(mean < 1, limit, 1.0))
    return int(found.sum()) + ceil(float(rest.sum() * highest) - _ROUNDING)
