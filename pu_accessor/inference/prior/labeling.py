"""beta from labels made by hand, from a prevalence, or from how often positives are labeled."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
import scipy

from pu_accessor.checks import check_count, check_flag, check_level, check_option, check_share
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.bands.exact import exact
from pu_accessor.ranking import BoolArray, Counts, FloatArray, IntArray

_SAME = 1e-12  # relative difference of probabilities that are taken as equal
_FEW_LABELS = 65_536  # up to which the intervals of all counts of positives are computed
_TRIED = 2  # runs of numbers of labels that are tried beyond the last that falls short
_FAR, _FEW = 16, 48  # standard deviations and counts, beyond which probabilities vanish


class LabeledBeta(NamedTuple):
    """An estimate of beta with its interval, as shares of the unlabeled."""

    beta: float
    lower: float
    upper: float


def beta_from_labels(
    n_positive: int,
    n_labeled: int,
    n_unlabeled: int,
    *,
    method: str = "exact",
    level: float = 0.95,
    prior: tuple[float, float] = (1, 1),
    rest: bool = False,
) -> LabeledBeta:
    """Estimate beta from unlabeled examples that were drawn at random and labeled by hand.

    See `pu_accessor.beta_from_labels`, which puts the answer into a frame.

    Examples
    --------
    >>> beta_from_labels(12, 50, 2000)
    LabeledBeta(beta=0.24, lower=0.132, upper=0.38)
    """
    x = check_count("n_positive", n_positive)
    size, total = check_count("n_labeled", n_labeled), check_count("n_unlabeled", n_unlabeled)
    if not x <= size <= total or not size:
        raise PUValueError(
            "There must be 0 <= n_positive <= n_labeled <= n_unlabeled, and something labeled, "
            f"but {x}, {size} and {total} were passed."
        )
    level = check_level(level)
    check_option("method", method, ["exact", "hpd"])
    check_flag("rest", rest)
    before = as_prior(prior, method)
    if method == "exact":
        lower, upper = hypergeometric_limits(x, size, total, level)
        limits = lower / total, upper / total
    else:
        limits = _highest_density(x, size, level, before)
    shares = np.array([x / size, *limits])
    if rest:
        shares = shares_of_rest(shares, x, size, total)
    return LabeledBeta(*shares.tolist())


def labels_needed(
    width: float,
    n_unlabeled: int,
    *,
    beta: float = 0.5,
    level: float = 0.95,
    probability: float = 0.5,
) -> int:
    """Return how many unlabeled examples to label for an interval of some width.

    Parameters
    ----------
    width : float
        Of the interval of `beta_from_labels`, in (0, 1).
    n_unlabeled : int
        Unlabeled examples to draw from.
    beta : float, default 0.5
        What it is expected to be, in [0, 1]; 0.5 needs most.
    level : float, default 0.95
        Probability with which the interval covers, in (0, 1).
    probability : float, default 0.5
        That with which the interval is to be so narrow, in (0, 1), if beta is what is expected.
        How many positives turn up is up to chance: 0.9 is on the safe side.

    Returns
    -------
    int
        With so many labels, and with every larger number of them, the interval is that narrow with
        that probability; with one fewer it is not. At most `n_unlabeled`. Counts are whole, so
        that widths fall unevenly: some smaller numbers may do by luck.

    Raises
    ------
    PUValueError, PUTypeError
        If an argument has a value that is not allowed.

    See Also
    --------
    pu_accessor.beta_from_labels : What labels say.
    pu_accessor.positives_needed : How many known positives an interval of AUROC takes.

    Notes
    -----
    The positives among s examples that are drawn of the unlabeled are hypergeometric. For each s
    the intervals of all counts of positives are computed, and the probabilities of those that are
    narrow enough are added: neither widths nor these sums are monotone. The last s that falls
    short is found by halving, and by trying each of those that follow and may fall short. Above
    65,536 labels it is found by halving alone.

    Examples
    --------
    >>> labels_needed(0.1, 20_000, beta=0.2)
    261
    >>> labels_needed(0.1, 20_000, beta=0.2, probability=0.9)
    287
    """
    total = check_count("n_unlabeled", n_unlabeled, 1)
    width, beta = check_share("width", width, "(0, 1)"), check_share("beta", beta)
    level, probability = check_level(level), check_share("probability", probability, "(0, 1)")
    plan = _Plan(width * total * (1 + _SAME), total, round(beta * total), level)
    return plan.fewest(probability * (1 - _SAME))


def beta_of_rows(prevalence: float, n_positive: int, n_unlabeled: int, n_negative: int) -> float:
    """Convert the share of positives among all of some examples.

    See `pu_accessor.beta_from_prevalence`, as the next one.
    """
    total = _as_counts(n_positive, n_unlabeled, n_negative)
    hidden = check_share("prevalence", prevalence) * sum(total) - total.known_positive
    return _as_beta(hidden, total.unlabeled, f"a prevalence of {prevalence!r}")


def beta_of_population(
    prevalence: float, n_positive: int, n_unlabeled: int, n_negative: int, level: float
) -> LabeledBeta:
    """Estimate beta of examples that were drawn from a population.

    Notes
    -----
    Of N examples a binomial number is positive. Its quantiles are the limits, less the known
    positives, cut to what there is room for.

    Examples
    --------
    >>> beta_of_population(0.25, 200, 1000, 0, 0.95)
    LabeledBeta(beta=0.1, lower=0.071, upper=0.13)
    """
    total = _as_counts(n_positive, n_unlabeled, n_negative)
    share, tail = check_share("prevalence", prevalence), (1 - check_level(level)) / 2
    ends = scipy.stats.binom.ppf([tail, 1 - tail], sum(total), share)
    expected, lower, upper = np.append(share * sum(total), ends) - total.known_positive
    if not total.unlabeled or upper < 0 or lower > total.unlabeled:
        _as_beta(expected, total.unlabeled, f"a prevalence of {prevalence!r}")  # raises
    shares = np.clip([expected, lower, upper], 0, total.unlabeled) / total.unlabeled
    return LabeledBeta(*shares.tolist())


def beta_from_label_frequency(label_frequency: float, n_positive: int, n_unlabeled: int) -> float:
    """Convert the share of positives that are labeled, often called c, to beta.

    Parameters
    ----------
    label_frequency : float
        Known positives among all positives, as a share in (0, 1].
    n_positive, n_unlabeled : int
        Known positives and unlabeled examples.

    Returns
    -------
    float
        beta.

    Raises
    ------
    PUValueError
        If that share is impossible with these counts, or an argument is not allowed.
    PUTypeError
        If an argument is no number.

    See Also
    --------
    pu_accessor.beta_from_prevalence : From the share of positives among all examples.

    Notes
    -----
    With n known positives and U unlabeled examples it is (n/c - n)/U.

    Examples
    --------
    >>> beta_from_label_frequency(0.25, n_positive=100, n_unlabeled=900)
    0.3333333333333333
    """
    total = _as_counts(n_positive, n_unlabeled, 0)
    known, share = total.known_positive, check_share("label_frequency", label_frequency, "(0, 1]")
    return _as_beta(
        known / share - known, total.unlabeled, f"a label frequency of {label_frequency!r}"
    )


def _as_counts(n_positive: int, n_unlabeled: int, n_negative: int) -> Counts:
    """Check numbers of known positives, unlabeled examples and known negatives."""
    return Counts(
        check_count("n_positive", n_positive),
        check_count("n_negative", n_negative),
        check_count("n_unlabeled", n_unlabeled),
    )


class _Plan(NamedTuple):
    """What intervals come of labels that are drawn from unlabeled examples."""

    counts: float  # an interval that is narrow enough holds so many more positives than one
    total: int
    positives: int
    level: float

    def fewest(self, probability: float) -> int:
        """Return from how many labels on the interval is narrow enough with that probability.

        Over the numbers of labels at which as many positives are narrow enough, the probability
        falls; then one more is. A number that is enough is followed by few such runs.
        """

        def falls_short(size: int) -> bool:
            return self._falls_short(size, probability)

        most = 1
        while most < self.total and falls_short(most):
            most *= 2
        most = min(2 * most, self.total)
        size = most - bisect_right(range(most - 1, 0, -1), False, key=falls_short)
        last, end = size - 1, self._tried_after(size - 1)  # `last` falls short
        while size <= end:
            if falls_short(size):
                last, end = size, self._tried_after(size)
                size += 1
            else:
                size = self._next(size, end, probability)
        return last + 1

    def _falls_short(self, size: int, probability: float) -> bool:
        """Tell if too few counts of positives have intervals that are narrow enough."""
        if size <= _FEW_LABELS:
            return self._chance(size, self._narrow(size, self.counts)) < probability
        half = range(1, size // 2 + 2)  # the nearer to it the positives, the wider
        enough = bisect_left(
            half, probability, key=lambda x: self._chance(size, _outside(x, size))
        )
        return self._is_wide(half[enough] - 1, size)

    def _narrow(self, size: int, counts: float) -> IntArray:
        """Return the counts of positives where narrow intervals begin and end, in turn."""
        narrow = np.concatenate(
            [[False], _widths(size, self.total, self.level) <= counts, [False]]
        )
        return np.flatnonzero(np.diff(narrow.astype(np.int8)))

    def _is_wide(self, x: int, size: int) -> bool:
        lower, upper = hypergeometric_limits(x, size, self.total, self.level)
        return upper - lower > self.counts

    def _chance(self, size: int, narrow: Sequence[int] | IntArray) -> float:
        """Return the probability of counts of positives whose intervals are narrow enough."""
        below = [_at_most(int(x) - 1, size, self.total, self.positives) for x in narrow]
        return sum(below[1::2]) - sum(below[::2])

    def _next(self, size: int, end: int, probability: float) -> int:
        """Return the next number of labels that may fall short, after one that is enough.

        With more labels and as many positives, real limits are nearer to each other, and whole
        ones are at most two counts nearer than real ones. So the few positives, or negatives, that
        are narrow by two counts stay so, and they turn up with a probability that falls.
        """
        narrow = self._narrow(size, self.counts - 2)
        sure = min(int(narrow[1]), size // 2) if narrow.size and not narrow[0] else 0

        def may_fall_short(more: int) -> bool:
            return self._chance(more, _outside(sure, more)) < probability

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


def _at_most(x: int, size: int, total: int, positives: int) -> float:
    """Return P(X <= x), X the positives among `size` drawn from `total`, for any x."""
    if x >= min(size, positives):
        return 1.0
    fewest = max(size - (total - positives), 0)
    return _tails(x, size, total, positives)[1] if x >= fewest else 0.0


def shares_of_rest(
    shares: FloatArray, positives: IntArray | int, labeled: IntArray | int, total: int
) -> FloatArray:
    """Turn an estimate and its limits, shares of all, into shares of those that were not labeled.

    Examples
    --------
    >>> shares_of_rest(np.array([0.24, 0.145, 0.36]), 12, 50, 200)
    array([0.24      , 0.11333333, 0.4       ])
    """
    not_labeled = total - np.asarray(labeled)
    if not not_labeled.all():
        raise PUValueError(
            f"rest=True needs examples that were not labeled, but all {total} were."
        )
    beta, lower, upper = np.clip((shares * total - positives) / not_labeled, 0, 1)
    return np.array([np.clip(beta, lower, upper), lower, upper])


def as_prior(prior: tuple[float, float], method: str) -> tuple[float, float]:
    """Check the parameters of a Beta distribution."""
    try:
        first, second = (float(value) for value in prior)
    except (TypeError, ValueError, OverflowError):
        raise PUTypeError(f"prior must be a pair of numbers, but {prior!r} was passed.") from None
    if not (0 < first < inf and 0 < second < inf):
        raise PUValueError(f"prior must hold two numbers above 0, but {prior!r} was passed.")
    if method != "hpd" and (first, second) != (1, 1):
        raise PUValueError(
            f"prior must be left out for method={method!r}, but {prior!r} was passed: only "
            "method='hpd' and sequential=True have one."
        )
    return first, second


def _as_beta(hidden: float, n_unlabeled: int, source: str) -> float:
    """Return hidden positives as a share of the unlabeled, or raise."""
    if n_unlabeled and -1e-9 * n_unlabeled <= hidden <= n_unlabeled * (1 + 1e-9):
        return min(max(hidden / n_unlabeled, 0.0), 1.0)
    raise PUValueError(
        f"{source} leaves {hidden:g} positives for {n_unlabeled} unlabeled examples, which is no "
        "share in [0, 1]. Check the counts: they are those of this set."
    )


def hypergeometric_limits(x: int, size: int, total: int, level: float) -> tuple[int, int]:
    """Return the fewest and the most positives that neither tail of the hypergeometric rejects.

    Examples
    --------
    >>> hypergeometric_limits(12, 50, 2000, 0.95)
    (264, 760)
    """
    tail = (1 - level) / 2 * (1 + _SAME)  # a probability that is exactly the tail is rejected
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


def _highest_density(
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


# Limits that hold after all numbers of labels at once


_SAME_LOG = 1e-9  # relative difference of probabilities that are taken as equal


def confidence_sequence(
    positive: BoolArray, total: int, level: float, prior: tuple[float, float] = (1, 1)
) -> FloatArray:
    """Bound the positives among examples that are drawn at random and labeled one by one.

    Parameters
    ----------
    positive : array of bool, shape (labels,)
        What the examples are, in the order in which they were labeled.
    total : int
        Examples that they are drawn from.
    level : float
        Probability with which all limits hold at once, in (0, 1).
    prior : (float, float), default (1, 1)
        Of a Beta distribution of the share of positives: where the limits will be narrowest. They
        hold whatever it is.

    Returns
    -------
    array of float, shape (2, labels)
        The lowest and the highest number of positives after each label. They never move apart, and
        are NaN from the label on that leaves no number.

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
    limit = np.log(1 - level) + _log_expected(found, size, prior) - _SAME_LOG
    lower = _lowest(found, size, total, limit)
    upper = total - _lowest(size - found, size, total, limit)
    lower, upper = np.maximum.accumulate(lower), np.minimum.accumulate(upper)
    return np.where(lower <= upper, [lower, upper], np.nan)


def _log_expected(found: IntArray, size: IntArray, prior: tuple[float, float]) -> FloatArray:
    """Return the logarithm of the probability of so many positives under the prior."""
    expected: FloatArray = _log_choose(size, found) - scipy.special.betaln(*prior)
    return expected + scipy.special.betaln(found + prior[0], size - found + prior[1])


def _lowest(found: IntArray, size: IntArray, total: int, limit: FloatArray) -> IntArray:
    """Return the lowest number of positives that makes those found likely enough, at each label.

    The logarithm of their probability is at least the limit, as it is for the likeliest number.
    """
    below, likeliest = found - 1, (found / size * (total + 1)).astype(np.int64)
    lowest = np.clip(likeliest, found, total - size + found)
    while (lowest - below > 1).any():
        middle = np.maximum((below + lowest) // 2, found)
        holds = log_probability(found, size, total, middle) >= limit
        lowest = np.where(holds, middle, lowest)
        below = np.where(holds, below, middle)
    return lowest


def log_probability(
    found: IntArray, size: IntArray, total: int, positives: IntArray
) -> FloatArray:
    """Return the logarithm of the probability of so many positives among those drawn."""
    drawn, others = _log_choose(positives, found), _log_choose(total - positives, size - found)
    probability: FloatArray = drawn + others - _log_choose(np.array(total), size)
    return probability


def _log_choose(whole: IntArray, part: IntArray) -> FloatArray:
    chosen: FloatArray = scipy.special.betaln(whole - part + 1.0, part + 1.0) + np.log1p(whole)
    return -chosen
