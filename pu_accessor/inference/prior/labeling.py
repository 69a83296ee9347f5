"""Positives among examples that are drawn at random and labeled by hand: limits and plans."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.inference.bands.exact import exact
from pu_accessor.ranking import BoolArray, FloatArray, IntArray

SAME = 1e-12  # relative difference of probabilities that are taken as equal
_SAME_RATIO = 1e-9  # that of probabilities under a prior
_FEW_LABELS = 65_536  # up to which the intervals of all counts of positives are computed
_TRIED = 2  # runs of numbers of labels that are tried beyond the last that falls short
_FAR, _FEW = 16, 48  # standard deviations and counts, beyond which probabilities vanish


def hypergeometric_limits(x: int, size: int, total: int, level: float) -> tuple[int, int]:
    """Return the fewest and the most positives that neither tail of the hypergeometric rejects.

    Examples
    --------
    >>> hypergeometric_limits(12, 50, 2000, 0.95)
    (264, 760)
    """
    tail = (1 - level) / 2 * (1 + SAME)  # a probability that is exactly the tail is rejected
    possible = range(x, total - (size - x) + 1)  # size - x negatives have been seen

    def at_least(positives: int) -> float:  # grows with the positives
        return _tails(x, size, total, positives)[0]

    def more(positives: int) -> float:  # grows, too
        return -_tails(x, size, total, positives)[1]

    lower = x + bisect_right(possible[:-1], tail, key=at_least)
    return lower, x + bisect_left(possible, -tail, key=more) - 1


def _tails(x: int, size: int, total: int, positives: int) -> tuple[float, float]:
    """Return P(X >= x) and P(X <= x), X the positives among `size` drawn from `total`.

    All probabilities follow from that of x by rational ratios, outward until they vanish; their
    sum is 1. So the cost does not grow with the total.
    """
    hidden, others = positives - x, total - size - (positives - x)  # not drawn, of either kind
    share = positives / total
    spread = sqrt(size * share * (1 - share) * (1 - size / total))
    far = int(_FAR * spread) + _FEW
    up = np.arange(float(min(size - x, hidden, far)))
    down = np.arange(float(min(x, others, far)))
    with np.errstate(over="ignore"):  # then the other tail is 0
        above = np.cumprod((size - x - up) / (x + up + 1) * ((hidden - up) / (others + up + 1)))
        below = np.cumprod(
            (x - down) / (size - x + down + 1) * ((others - down) / (hidden + down + 1))
        )
        high, low = float(above.sum()), float(below.sum())
    return 1 / (1 + low / (1 + high)), 1 / (1 + high / (1 + low))


def highest_density(
    x: int, size: int, level: float, prior: tuple[float, float]
) -> tuple[float, float]:
    """Return the interval of highest density of the posterior under a Beta prior."""
    first, second = prior[0] + x, prior[1] + size - x
    posterior = scipy.stats.beta(first, second)
    if first <= 1:  # the density falls from 0 on
        return 0.0, float(posterior.ppf(level))
    if second <= 1:
        return float(posterior.ppf(1 - level)), 1.0

    def difference(below: float) -> float:  # of log densities, 0 for the interval
        ends = posterior.ppf([below, below + level])
        return float(np.subtract(*posterior.logpdf(ends)))

    edge = 1e-12 * sqrt(1 - level)
    below = scipy.optimize.brentq(difference, edge, 1 - level - edge, xtol=edge)
    lower, upper = posterior.ppf([below, below + level])
    return float(lower), float(upper)


# While labels come in


def confidence_sequence(
    positive: BoolArray, total: int, level: float, prior: tuple[float, float] = (1, 1)
) -> FloatArray:
    """Bound the positives among examples that are drawn at random and labeled one by one.

    All limits hold at once with a probability of `level`, whatever the Beta prior of the share of
    positives. They are the lowest and the highest number after each label, shape (2, labels),
    never move apart, and are NaN from the label on that leaves no number.

    Notes
    -----
    Under a beta-binomial prior on the number m of positives, prior over posterior of the true m is
    a martingale that starts at 1. With a probability of `level` it never exceeds 1/(1 - level)
    [1]_. After t labels, x of them positive, the ratio is Q(x)/P(x): P is the probability of x
    among t that are drawn of all, m of them positive, and Q that under the prior. The limits are
    the lowest and highest m that no label so far has ruled out.

    References
    ----------
    .. [1] I. Waudby-Smith, A. Ramdas, *Confidence sequences for sampling without replacement*,
       Advances in Neural Information Processing Systems 33 (2020).

    Examples
    --------
    >>> confidence_sequence(np.array([True, False, True, True]), 5, 0.8)
    array([[1., 1., 2., 3.],
           [5., 4., 4., 4.]])
    """
    size = np.arange(1, positive.size + 1)
    found = np.cumsum(positive, dtype=np.int64)
    expected = _log_choose(size, found) - scipy.special.betaln(*prior)
    expected += scipy.special.betaln(found + prior[0], size - found + prior[1])
    limit = np.log(1 - level) + expected - _SAME_RATIO
    lower = np.maximum.accumulate(_lowest(found, size, total, limit))
    upper = np.minimum.accumulate(total - _lowest(size - found, size, total, limit))
    return np.where(lower <= upper, [lower, upper], np.nan)


def _lowest(found: IntArray, size: IntArray, total: int, limit: FloatArray) -> IntArray:
    """Return the lowest number of positives that makes those found likely enough, at each label.

    The logarithm of their probability is at least the limit, as it is for the likeliest number.
    """
    below, likeliest = found - 1, (found / size * (total + 1)).astype(np.int64)
    lowest = np.clip(likeliest, found, total - size + found)
    every = _log_choose(np.array(total), size)
    while (lowest - below > 1).any():
        middle = np.maximum((below + lowest) // 2, found)
        drawn, others = _log_choose(middle, found), _log_choose(total - middle, size - found)
        holds = drawn + others - every >= limit
        lowest, below = np.where(holds, middle, lowest), np.where(holds, below, middle)
    return lowest


def _log_choose(whole: IntArray, part: IntArray) -> FloatArray:
    chosen: FloatArray = scipy.special.betaln(whole - part + 1.0, part + 1.0) + np.log1p(whole)
    return -chosen


# Before labels come in


class LabelPlan(NamedTuple):
    """Labels that are drawn from unlabeled examples, until their interval is narrow enough."""

    counts: float  # an interval that is narrow enough holds so many more positives than one
    total: int
    positives: int
    level: float
    probability: float  # that the interval is narrow enough

    def fewest(self) -> int:
        """Return from how many labels on the interval is narrow enough with that probability.

        Over the numbers of labels at which as many positives are narrow enough, the probability
        falls; then one more is. A number that is enough is followed by few such runs.
        """
        most = 1
        while most < self.total and self._falls_short(most):
            most *= 2
        most = min(2 * most, self.total)
        size = most - bisect_right(range(most - 1, 0, -1), False, key=self._falls_short)
        last, end = size - 1, self._tried_after(size - 1)  # `last` falls short
        while size <= end:
            if self._falls_short(size):
                last, end = size, self._tried_after(size)
                size += 1
            else:
                size = self._next(size, end)
        return last + 1

    def _falls_short(self, size: int) -> bool:
        """Tell if too few counts of positives have intervals that are narrow enough."""
        if size <= _FEW_LABELS:
            return self._chance(size, self._narrow(size, self.counts)) < self.probability
        half = range(1, size // 2 + 2)  # the nearer to it the positives, the wider
        enough = bisect_left(
            half, self.probability, key=lambda x: self._chance(size, _outside(x, size))
        )
        lower, upper = hypergeometric_limits(half[enough] - 1, size, self.total, self.level)
        return upper - lower > self.counts

    def _narrow(self, size: int, counts: float) -> IntArray:
        """Return the counts of positives where narrow intervals begin and end, in turn."""
        narrow = _widths(size, self.total, self.level) <= counts
        return np.flatnonzero(np.diff(np.pad(narrow.astype(np.int8), 1)))

    def _chance(self, size: int, narrow: Sequence[int] | IntArray) -> float:
        """Return the probability of counts of positives whose intervals are narrow enough."""
        below = [self._at_most(int(x) - 1, size) for x in narrow]
        return sum(below[1::2]) - sum(below[::2])

    def _at_most(self, x: int, size: int) -> float:
        """Return P(X <= x), X the positives that are drawn, for any x."""
        if x >= min(size, self.positives):
            return 1.0
        fewest = max(size - (self.total - self.positives), 0)
        return _tails(x, size, self.total, self.positives)[1] if x >= fewest else 0.0

    def _next(self, size: int, end: int) -> int:
        """Return the next number of labels that may fall short, after one that is enough.

        With more labels and as many positives, real limits are nearer to each other, and whole
        ones are at most two counts nearer than real ones. So the few positives, or negatives, that
        are narrow by two counts stay so, and they turn up with a probability that falls.
        """
        narrow = self._narrow(size, self.counts - 2)
        sure = min(int(narrow[1]), size // 2) if narrow.size and not narrow[0] else 0

        def may_fall_short(more: int) -> bool:
            return self._chance(more, _outside(sure, more)) < self.probability

        later = range(size + 1, end + 1)
        return size + 1 + bisect_left(later, True, key=may_fall_short)

    def _tried_after(self, last: int) -> int:
        """Return the last number of labels that is tried: several runs, and what counts blur."""
        size = last + 1
        if size > _FEW_LABELS:
            return last
        narrow = self._narrow(size, self.counts)
        first = int(narrow[1]) if narrow.size and not narrow[0] else 1
        run = _TRIED * (1 + size / first + (1 - size / self.total) * size / self.counts)
        return int(min(last + run, self.total, _FEW_LABELS))


@lru_cache(maxsize=2)  # one number of labels is asked about several times, one after the other
def _widths(size: int, total: int, level: float) -> IntArray:
    """Return the widths of the intervals of 0..size positives, in counts."""
    lower, upper = exact(size, total - size, level)
    return upper - lower


def _outside(x: int, size: int) -> list[int]:
    """Return where counts of fewer than x positives, or than x negatives, begin and end."""
    return [0, x, size + 1 - x, size + 1]
