"""Average precision on new examples: the classifier's, not that of one test set."""

from typing import NamedTuple

import numpy as np

from pu_accessor.checks import Interval
from pu_accessor.inference.estimates.binomial import wilson
from pu_accessor.inference.estimates.delong import check_unweighted, welch_df
from pu_accessor.inference.estimates.intervals import (
    Estimates,
    kurtosis_df,
    over_betas,
    rank_interval,
    reach,
)
from pu_accessor.inference.estimates.known_positives import count_positives
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import FloatArray, IntArray, Ranking

_ROUNDING = 1e-14  # relative size of a spread that may be none


class _Scatter(NamedTuple):
    """How average precision, over the number of positives, scatters."""

    error: float  # standard error
    df: float  # of the error


class _Influence(NamedTuple):
    """What examples add to average precision, and how many add that."""

    value: FloatArray
    times: IntArray


def estimate_population_precision(
    ranking: Ranking, betas: FloatArray, rule: Settings, interval: Interval | None = None
) -> Estimates:
    """Estimate average precision on new examples, with an interval.

    Notes
    -----
    New examples have the prevalence of these, which is taken as given: of N examples P = n +
    beta*U are positive. Average precision is then the mean, over positives x, of (P/N)*S(x)/D(x),
    with S the share of positives at or above the score of x and D = (n/N)*S + (1 - n/N)*H that of
    all examples; H is that of the rest, of which a new sample is drawn, too. S and H are those of
    two independent samples, and the variance is the sum of those of their influence functions
    [1]_: that of a known positive has its own precision, and what it adds to S at all known
    positives below; that of one of the rest, what it takes from these through H.

    The interval is Student's t on the logit scale of n/P times average precision, which is that
    with all of the rest taken as negative and lies in (0, 1) even where the value does not. Where
    a few examples make up most of the variance it is not known well: the degrees of freedom of
    each sample's are those of a variance with the kurtosis of its terms. In simulations it covers
    .93 to .98 from 50 known positives on, and up to .99 where known positives are a small part of
    all, few of them rank high and the estimate is skewed. Below 20 nothing is promised.

    Where all known positives rank above all others nothing scatters. The lower limit is then the
    precision of Wilson's lowest true positive rate at his highest false positive rate, times that
    true positive rate.

    References
    ----------
    .. [1] F. R. Hampel, *The influence curve and its role in robust estimation*, Journal of the
       American Statistical Association 69 (1974) 383-393.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = estimate_population_precision(ranking, np.array([0.0, 0.25]), Settings())
    >>> found.value.round(3), found.error.round(3), found.lower.round(3), found.upper.round(3)
    (array([0.542, 0.715]), array([0.183, 0.275]), array([0.168, 0.204]), array([0.874, 1.   ]))
    """
    check_unweighted(ranking, "average_precision")
    check_labels(betas, ranking.total)
    n, rest = ranking.total.known_positive, sum(ranking.total) - ranking.total.known_positive
    scatter = _Scatter(np.nan, np.nan) if min(n, rest) < 2 else _scatter(ranking)

    def estimate(betas: FloatArray) -> Estimates:
        positives = count_positives(ranking.total, betas).as_floats()
        value = precision_values(ranking, betas)
        share, error = n / positives, scatter.error * positives
        away = reach(error, scatter.df, rule.level)
        limits = rank_interval(value, share * value, 1 / share, away, away)
        if scatter.error == 0:
            limits = without_scatter(value, n, rest, rule.level)
        return Estimates(value, error, *limits)

    return over_betas(ranking.total, betas, interval, estimate)


def precision_values(ranking: Ranking, betas: FloatArray) -> FloatArray:
    """Return the estimates of average precision, wherever they lie."""
    alone, pairs = _terms(ranking)
    positives = count_positives(ranking.total, betas).as_floats()
    value: FloatArray = alone + (positives - 1) * pairs
    unknown = (ranking.total.known_positive == 1) & (positives > 1)
    return np.where(unknown, np.nan, value)


def _terms(ranking: Ranking) -> tuple[float, float]:
    """Return the two terms of average precision: ``alone + (P - 1)*pairs``."""
    n, alone, pairs = ranking.total.known_positive, 0.0, 0.0
    for one in ranking.strata or (ranking,):
        known, found = one.known_positive, np.diff(one.known_positive)
        weight = found[found > 0] / one.rank[1:][found > 0]
        alone += float(weight.sum())
        pairs += float(weight @ (known[1:][found > 0] - 1))
    return alone / n, pairs / (n * max(n - 1, 1))


def _scatter(ranking: Ranking) -> _Scatter:
    """Return how average precision scatters: from influence functions over P."""
    n = ranking.total.known_positive
    rest = sum(ranking.total) - n
    parts = [_influences(one, n, rest) for one in ranking.strata or (ranking,)]
    if ranking.strata:
        parts = [(known, _centered(others)) for known, others in parts]
    known, others = (
        _Influence(*map(np.concatenate, zip(*side, strict=True)))
        for side in zip(*parts, strict=True)
    )
    variance, kurtosis = np.array([moments(*known), moments(*others)]).T
    sizes = np.array([n, rest])
    df = [kurtosis_df(each, size) for each, size in zip(kurtosis, sizes.tolist(), strict=True)]
    squares = variance / sizes
    return _Scatter(float(squares.sum()) ** 0.5, float(welch_df(squares, np.array(df))))


def _influences(ranking: Ranking, n: int, rest: int) -> tuple[_Influence, _Influence]:
    """Return what each known positive of n, and each of the rest, adds to average precision."""
    known, rank = ranking.known_positive, ranking.rank
    found, free = np.diff(known), np.diff(rank - known)
    high, head = known[1:], rank[1:].astype(np.float64)
    own = high / (n * head)
    more = _from_below(found * (head - high) / head**2) / n
    less = _from_below(found * high / head**2) * rest / n**2
    return _Influence(own + more, found), _Influence(less, free)


def _centered(influence: _Influence) -> _Influence:
    """Return influences less their mean: of several strata the rest of each is a sample."""
    value, times = influence
    away = value - float(value @ times) / max(int(times.sum()), 1)
    away[np.abs(away) <= _ROUNDING * np.abs(value).max()] = 0.0
    return _Influence(away, times)


def _from_below(terms: FloatArray) -> FloatArray:
    """Return the sums over each step and all below it."""
    sums: FloatArray = np.cumsum(terms[::-1])[::-1]
    return sums


def moments(values: FloatArray, times: IntArray) -> tuple[float, float]:
    """Return the variance and the kurtosis of values that are there several times each."""
    there = times > 0
    values, times = values[there], times[there]
    size = int(times.sum())
    away = values - float(values @ times) / size
    square = away * away
    second = float(times @ square) / size
    # The rounding of what is the same for all is no spread.
    if np.ptp(values) <= _ROUNDING * np.abs(values).max():
        return 0.0, 1.0
    return second * size / (size - 1), float(times @ square**2) / size / second**2


def without_scatter(
    value: FloatArray, n: int, rest: int, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return limits where all known positives rank above all others."""
    true = float(wilson(np.array([float(n)]), n, level)[0][0])
    false = float(wilson(np.array([0.0]), rest, level)[1][0])
    lower = true * n * true / (n * true + rest * false)
    return np.minimum(value, lower), np.ones(value.size)
