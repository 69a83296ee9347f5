"""Metrics of one query: where the first positive is, and which judged ones are in order."""

from functools import lru_cache

import numpy as np
import scipy

from pu_accessor.errors import PUDataError
from pu_accessor.inference.estimates.intervals import Estimates
from pu_accessor.inference.estimates.known_positives import count_positives
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import make_tables
from pu_accessor.ranking import FloatArray, IntArray, Ranking

_MAX_RANK_FOR_AVERAGE = (
    30  # ranks down to which an average looks for the first positive; below is 3% of it
)
_MAX_RANK = 1_000_000  # ranks below which 1/r is nothing
# Of so many queries a mean has the least squared error. Calibrated by simulation: with 100 the
# bias is up to a third of the error of 40 queries, and intervals cover .89.
_ASSUMED_QUERIES = 1000


def estimate_reciprocal_rank(
    _: object, ranking: Ranking, betas: FloatArray, settings: Settings, __: str
) -> Estimates:
    """Estimate 1/r, with r the rank of the first positive.

    Notes
    -----
    The limits are those of the band: where at most no latent positive is above a rank, the first
    one is not there. The true labels fix r, and the band covers at r. So the lower limit is 1 over
    the rank of the first known positive, whatever is relevant besides.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> asked = ranking, np.array([0.0, 0.25]), Settings(), "examples"
    >>> found = estimate_reciprocal_rank("reciprocal_rank", *asked)
    >>> found.value.round(3), found.lower, found.upper
    (array([0.5  , 0.714]), array([0.5, 0.5]), array([0.5, 1. ]))
    """
    tables = make_tables(ranking, betas, settings)
    found = np.diff(tables.table.tp, axis=0).reshape(tables.ranking.rank.size - 1, -1)
    each = [_mean_reciprocal_rank(tables.ranking, column) for column in found.T]
    bounds, unknown = np.reshape(each, (-1, betas.size)), np.full(betas.size, np.nan)
    return Estimates(bounds[1], unknown, bounds.min(axis=0), bounds.max(axis=0))


def _mean_reciprocal_rank(ranking: Ranking, positives: FloatArray, depth: int = 0) -> float:
    """Return the mean of 1/r, r > depth the rank of the first positive in random orders of blocks.

    Where it is at the depth or above, that is 1/(depth + 1).
    """
    reached = ranking.rank[1:] <= sum(ranking.total) - ranking.unranked
    ends, positives = ranking.rank[1:][reached], positives[reached]
    last = int(np.argmax(np.append(positives, 1) >= 1))
    above = np.arange(min(int(ends[min(last, ends.size - 1)]) if ends.size else 0, _MAX_RANK))
    block = np.searchsorted(ends, above, side="right")
    here = np.minimum(positives[block] / (ends[block] - above), 1)
    none_above = np.cumprod(np.append(1.0, 1 - here[:-1]))[: here.size]
    return float(here * none_above @ (1 / np.maximum(above + 1, depth + 1)))


def reciprocal_rank_of_known(
    _: object, ranking: Ranking, betas: FloatArray
) -> tuple[FloatArray, ...]:
    """Estimate 1/r from known positives, nearly without bias; see `OfKnown`.

    Notes
    -----
    It is the sum over ranks s of P(a positive is among the first s)/(s*(s + 1)). Of K positives
    there X are known: hypergeometric, as the n known ones are a random sample of P. A function
    f(X) estimates whether K > 0. The mean of f is a polynomial in K of degree n at most, so that
    few known positives leave a bias, and one without a bias varies much. f has the least squared
    error, as in a mean over many queries, summed over all K that there can be. With all known
    it is whether X > 0. In a block of ties X is that of random orders.
    """
    n, found = ranking.total.known_positive, np.diff(ranking.known_positive)
    depth = min(_MAX_RANK_FOR_AVERAGE, sum(ranking.total) - ranking.unranked)
    ranks = np.arange(1, depth + 1)
    block = np.searchsorted(ranking.rank[1:], ranks)
    draws = ranks - ranking.rank[block]
    drawn = np.arange(min(n, depth) + 1) - ranking.known_positive[block][:, np.newaxis]
    of_block = np.stack([np.diff(ranking.rank)[block], found[block], draws])[..., np.newaxis]
    chance = _hypergeometric(drawn, *of_block)
    below, values = _mean_reciprocal_rank(ranking, found.astype(np.float64), depth), []
    weight = 1 / (ranks * (ranks + 1))
    for positives in count_positives(ranking.total, betas).tolist():
        low, part = int(positives), positives % 1
        function = (1 - part) * _any_positive_estimator(n, low, depth)
        if part:
            function = function + part * _any_positive_estimator(n, low + 1, depth)
        each = (chance * function).sum(axis=1), function.min(axis=1), function.max(axis=1)
        values.append(np.stack(each) @ weight)
    value, least, most = np.transpose(values)
    unknown = np.where(betas * ranking.total.unlabeled > 0, np.nan, 0.0)
    return value + below, least, most + 1 / (depth + 1), unknown


def _hypergeometric(
    drawn: IntArray, size: IntArray, marked: IntArray, draws: IntArray
) -> FloatArray:
    """Return the probability to draw so many marked ones: fast for any size, unlike SciPy's."""
    inside = np.clip(drawn, np.maximum(0, draws + marked - size), np.minimum(marked, draws))

    def choose(some: IntArray, every: IntArray) -> FloatArray:
        return np.asarray(-np.log1p(every) - scipy.special.betaln(some + 1, every - some + 1))

    chance = choose(inside, marked) + choose(draws - inside, size - marked) - choose(draws, size)
    return np.where(inside == drawn, np.exp(chance), 0.0)


@lru_cache(1000)
def _any_positive_estimator(n: int, positives: int, depth: int) -> FloatArray:
    """Return f for each rank down to a depth, shape (ranks, known positives)."""
    there, known = np.arange(min(positives, depth) + 1)[:, None], np.arange(min(n, depth) + 1)
    chance = _hypergeometric(known, np.array(positives), there, np.array(n))
    function = np.zeros((depth, known.size))
    for rank in range(1, depth + 1):
        these = chance[: rank + 1, : rank + 1]
        square = these.T @ these  # of means, beside what one query varies
        error = square + (np.diag(these.sum(axis=0)) - square) / _ASSUMED_QUERIES
        function[rank - 1, : rank + 1] = np.linalg.solve(error, these[1:].sum(axis=0))
    return function


def estimate_bpref(
    _: object, ranking: Ranking, betas: FloatArray, *__: Settings | str
) -> Estimates:
    """Return bpref: how few known negatives are above known positives, of the judged alone ([1]_).

    A known positive adds 1 - min(x, n)/min(n, N), with n known positives and x of N known
    negatives above it; in a block of ties this is the mean over random orders.

    References
    ----------
    .. [1] C. Buckley, E. M. Voorhees, *Retrieval evaluation with incomplete information*, SIGIR
       (2004) 25-32; as trec_eval has it.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(5), np.array([0, 0, 1, 1, 2])
    >>> ranking = Ranking(rank, -rank, known, rank - known, 0 * rank, Counts(2, 2, 0))
    >>> estimate_bpref("bpref", ranking, np.zeros(1)).value
    array([0.25])
    """
    n, every = ranking.total.known_positive, ranking.total.known_negative - ranking.unranked
    if not n:
        raise PUDataError("bpref needs a known positive, but there is none.")
    reached = ranking.known_negative[1:] <= every
    found, above = np.diff(ranking.known_positive)[reached], ranking.known_negative[:-1][reached]
    through = ranking.known_negative[1:][reached]
    in_order = 1 - np.minimum(np.arange(every + 1), n) / max(min(n, every), 1)
    sums = np.append(0.0, np.cumsum(in_order))
    mean = found @ ((sums[through + 1] - sums[above]) / (through + 1 - above)) / n
    unknown = np.full(betas.size, np.nan)
    return Estimates(np.full(betas.size, mean), unknown, unknown, unknown)


def bpref_of_known(_: object, ranking: Ranking, betas: FloatArray) -> tuple[FloatArray, ...]:
    """Return bpref; see `OfKnown`."""
    none = np.zeros(betas.size)
    return estimate_bpref(_, ranking, betas).value, none, none + 1, none
