"""Limits and plans for positives in random samples that are labeled by hand.

Strata have the limits of Clopper and Pearson at the effective sample size [1], with one more
positive in the stratum where it counts most [2]. A confidence sequence [3] contains all m whose
likelihood ratio to a mixture of all numbers, Q(x)/P(x), has never exceeded 1/(1 - level).

[1] E. L. Korn, B. I. Graubard, Survey Methodology 24 (1998) 193-201. [2] M. P. Fay, E. J. Feuer,
Statistics in Medicine 16 (1997) 791-801. [3] I. Waudby-Smith, A. Ramdas, NeurIPS 33 (2020).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache, partial
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.inference.exact_band import exact
from pu_accessor.ranking import BoolArray, FloatArray, IntArray

TOLERANCE = 1e-12  # of probabilities
_RATIO_TOLERANCE = 1e-9  # of the logarithm of a ratio of probabilities
_MAX_INTERVALS = 65_536  # labels up to which the intervals of all counts are computed
_EXTRA_RUNS = 2  # of sizes with one narrow count, tried beyond the last insufficient size
_ROUNDING = 1e-9  # of counts
# Labels at the pooled share that are added to each stratum's variance, by simulation
# (coverage.csv: "`beta_from_labels`: strata").
_PSEUDO_LABELS = 1.0
_MAX_DEVIATIONS, _EXTRA_COUNTS = 16, 48  # beyond, probabilities vanish


def hypergeometric_limits(x: int, size: int, total: int, level: float) -> tuple[int, int]:
    """Return the fewest and most positives that neither tail of the hypergeometric rejects."""
    tail = (1 - level) / 2 * (1 + TOLERANCE)
    possible = range(x, total - (size - x) + 1)
    tails = partial(_tails, x, size, total)
    lower = x + bisect_right(possible[:-1], tail, key=lambda positives: tails(positives)[0])
    return lower, x + bisect_left(possible, -tail, key=lambda positives: -tails(positives)[1]) - 1


def _tails(x: int, size: int, total: int, positives: int) -> tuple[float, float]:
    """Return P(X >= x) and P(X <= x), X hypergeometric, by rational ratios outward from x."""
    hidden, others = positives - x, total - size - (positives - x)  # not drawn
    share = positives / total
    spread = sqrt(size * share * (1 - share) * (1 - size / total))
    far = int(_MAX_DEVIATIONS * spread) + _EXTRA_COUNTS
    up = np.arange(float(min(size - x, hidden, far)))
    down = np.arange(float(min(x, others, far)))
    with np.errstate(over="ignore"):
        above = np.cumprod((size - x - up) / (x + up + 1) * ((hidden - up) / (others + up + 1)))
        below = np.cumprod(
            (x - down) / (size - x + down + 1) * ((others - down) / (hidden + down + 1))
        )
        high, low = float(above.sum()), float(below.sum())
    return 1 / (1 + low / (1 + high)), 1 / (1 + high / (1 + low))


class Stratum(NamedTuple):
    """Examples of which some were drawn at random and labeled by hand."""

    positives: int  # found among those labeled
    labeled: int
    total: int  # without the known ones
    n: int = 0  # known positives
    n_negative: int = 0

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.n + self.n_negative + self.total

    @property
    def expected(self) -> float:
        """The estimate of the number of positives."""
        return self.positives * self.total / self.labeled


def stratified_limits(strata: list[Stratum], level: float) -> tuple[int, int]:
    """Return limits of the number of positives in strata together."""
    # For one incomplete stratum they are exact.
    whole = sum(stratum.total for stratum in strata)
    known = sum(stratum.positives for stratum in strata if stratum.labeled == stratum.total)
    sampled = [stratum for stratum in strata if stratum.labeled < stratum.total]
    if not sampled:
        return known, known
    if len(sampled) == 1:
        lower, upper = hypergeometric_limits(*sampled[0][:3], level)
        return known + lower, known + upper
    exchanged = [s._replace(positives=s.labeled - s.positives) for s in strata]
    return whole - _upper_limit(exchanged, level), _upper_limit(strata, level)


def _upper_limit(strata: list[Stratum], level: float) -> int:
    """Return the upper limit, with beta-binomial positives in each stratum."""
    positives, labeled, total = np.array([stratum[:3] for stratum in strata], np.float64).T
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


def confidence_sequence(positive: BoolArray, total: int, level: float) -> FloatArray:
    """Return joint limits of the number of positives after each label, (2, labels)."""
    # They never move apart, and are NaN once no number is left.
    size = np.arange(1, positive.size + 1)
    found = np.cumsum(positive, dtype=np.int64)
    # If all numbers are equally likely, so are all counts of positives among the labeled.
    limit = np.log(1 - level) - np.log1p(size) - _RATIO_TOLERANCE
    lower = np.maximum.accumulate(_lowest_likely(found, size, total, limit))
    upper = np.minimum.accumulate(total - _lowest_likely(size - found, size, total, limit))
    return np.where(lower <= upper, [lower, upper], np.nan)


def _lowest_likely(found: IntArray, size: IntArray, total: int, limit: FloatArray) -> IntArray:
    """Return the lowest number of positives whose log likelihood is at least the limit."""
    below, likeliest = found - 1, (found / size * (total + 1)).astype(np.int64)
    lowest = np.clip(likeliest, found, total - size + found)
    all_ways = _log_choose(np.array(total), size)
    while (lowest - below > 1).any():
        middle = np.maximum((below + lowest) // 2, found)
        drawn, others = _log_choose(middle, found), _log_choose(total - middle, size - found)
        is_likely = drawn + others - all_ways >= limit
        lowest, below = np.where(is_likely, middle, lowest), np.where(is_likely, below, middle)
    return lowest


def _log_choose(whole: IntArray, part: IntArray) -> FloatArray:
    chosen: FloatArray = scipy.special.betaln(whole - part + 1.0, part + 1.0) + np.log1p(whole)
    return -chosen


class LabelPlan(NamedTuple):
    """How many labels are needed for an interval that is narrow enough."""

    counts: float  # largest width that is narrow enough
    total: int
    positives: int
    level: float
    probability: float  # that the interval is narrow enough

    def smallest_size(self) -> int:
        """Return the number of labels from which on the interval is narrow enough."""
        # The probability is not monotone: it falls while narrow counts stay the same.
        most = 1
        while most < self.total and self._falls_short(most):
            most *= 2
        most = min(2 * most, self.total)
        size = most - bisect_right(range(most - 1, 0, -1), False, key=self._falls_short)
        last, end = size - 1, self._tried_after(size - 1)
        while size <= end:
            if self._falls_short(size):
                last, end = size, self._tried_after(size)
            size += 1
        return last + 1

    def _falls_short(self, size: int) -> bool:
        """Return whether too few counts of positives have narrow intervals."""
        if size <= _MAX_INTERVALS:
            return self._chance(size, self._narrow(size)) < self.probability
        half = range(1, size // 2 + 2)  # the middle has the widest interval
        enough = bisect_left(
            half, self.probability, key=lambda x: self._chance(size, _counts_outside(x, size))
        )
        lower, upper = hypergeometric_limits(half[enough] - 1, size, self.total, self.level)
        return upper - lower > self.counts

    def _narrow(self, size: int) -> IntArray:
        """Return the counts of positives where narrow intervals begin and end, in turn."""
        narrow = _widths(size, self.total, self.level) <= self.counts
        return np.flatnonzero(np.diff(np.pad(narrow.astype(np.int8), 1)))

    def _chance(self, size: int, narrow: Sequence[int] | IntArray) -> float:
        """Return the probability of counts of positives with narrow intervals."""
        below = [self._at_most(int(x) - 1, size) for x in narrow]
        return sum(below[1::2]) - sum(below[::2])

    def _at_most(self, x: int, size: int) -> float:
        """Return P(X <= x) for any x, X the positives drawn."""
        if x >= min(size, self.positives):
            return 1.0
        least = max(size - (self.total - self.positives), 0)
        return _tails(x, size, self.total, self.positives)[1] if x >= least else 0.0

    def _tried_after(self, last: int) -> int:
        """Return the last number of labels to try: several runs later."""
        size = last + 1
        if size > _MAX_INTERVALS:
            return last
        narrow = self._narrow(size)
        first = int(narrow[1]) if narrow.size and not narrow[0] else 1
        run = _EXTRA_RUNS * (1 + size / first + (1 - size / self.total) * size / self.counts)
        return int(min(last + run, self.total, _MAX_INTERVALS))


@lru_cache(maxsize=2)
def _widths(size: int, total: int, level: float) -> IntArray:
    lower, upper = exact(size, total - size, level)
    return upper - lower


def _counts_outside(x: int, size: int) -> list[int]:
    """Return where counts of fewer than x positives, or than x negatives, begin and end."""
    return [0, x, size + 1 - x, size + 1]
