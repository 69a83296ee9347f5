"""Bound the positives in strata of which random samples were labeled by hand.

[1] E. L. Korn, B. I. Graubard, Survey Methodology 24 (1998) 193-201. [2] M. P. Fay, E. J. Feuer,
Statistics in Medicine 16 (1997) 791-801.
"""

from math import ceil
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.inference.prior.hand_labeled import hypergeometric_limits

_ROUNDING = 1e-9
_PSEUDO_LABELS = 1.0  # at the pooled share, added to each stratum's variance; by simulation


class Stratum(NamedTuple):
    """Examples of which some were drawn at random and labeled by hand."""

    positives: int  # found among those labeled
    labeled: int
    total: int

    @property
    def expected(self) -> float:
        """The estimate of the number of positives."""
        return self.positives * self.total / self.labeled


def stratified_limits(strata: list[Stratum], level: float) -> tuple[int, int]:
    """Return limits of the number of positives in strata together."""
    # For one incomplete stratum they are exact. For several they are Clopper and Pearson's at the
    # effective sample size [1], with one more positive in the stratum where it counts most [2].
    whole = sum(stratum.total for stratum in strata)
    known = sum(stratum.positives for stratum in strata if stratum.labeled == stratum.total)
    sampled = [stratum for stratum in strata if stratum.labeled < stratum.total]
    if not sampled:
        return known, known
    if len(sampled) == 1:
        lower, upper = hypergeometric_limits(*sampled[0], level)
        return known + lower, known + upper
    exchanged = [s._replace(positives=s.labeled - s.positives) for s in strata]
    return whole - _upper_limit(exchanged, level), _upper_limit(strata, level)


def _upper_limit(strata: list[Stratum], level: float) -> int:
    """Return the upper limit, with beta-binomial positives in each stratum."""
    positives, labeled, total = np.array(strata, np.float64).T
    rest = total - labeled
    one_more = np.eye(len(strata))[rest > 0]
    extended = labeled + one_more
    share = (positives + one_more) / extended
    pooled = (positives.sum() + 1) / (labeled.sum() + 1)
    pooled_share = (positives + one_more + _PSEUDO_LABELS * pooled) / (extended + _PSEUDO_LABELS)
    scatter = rest * pooled_share * (1 - pooled_share) * (extended + rest) / (extended + 1)
    mean = share @ rest / rest.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.maximum(mean * (1 - mean) * rest.sum() ** 2 / scatter.sum(axis=1) - 1, _ROUNDING)
        limit = scipy.special.betaincinv(size * mean, size * (1 - mean), (1 + level) / 2)
    highest = np.max(np.where(mean < 1, limit, 1.0))
    return int(positives.sum()) + ceil(float(rest.sum() * highest) - _ROUNDING)
