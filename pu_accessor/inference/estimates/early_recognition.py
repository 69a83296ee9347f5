"""Early recognition: BEDROC and enrichment factors, means over positives of a function of rank."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, inf
from numbers import Real
from typing import NamedTuple

import numpy as np

from pu_accessor.checks import as_array
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.estimates.delong import check_unweighted
from pu_accessor.inference.estimates.fallbacks import Estimates, over_betas
from pu_accessor.inference.estimates.known_positives import (
    count_negatives,
    count_positives,
    find_blocks,
    places,
)
from pu_accessor.inference.estimates.latent_gaps import spacing_quantile
from pu_accessor.inference.settings import Rule
from pu_accessor.inference.tables.contingency import check_labels, make_tables
from pu_accessor.ranking import FloatArray, IntArray, Ranking

__all__ = ["Enrichment", "as_fractions", "check_alpha", "enrichment_at", "estimate_bedroc"]

_LEAST = 1e-6  # of alpha: below, differences of weights are lost in rounding


class Enrichment(NamedTuple):
    """Enrichment factors of one ranking.

    Parameters
    ----------
    rank : ndarray of int64, shape (fractions,)
        Examples in the top.
    value, error, lower, upper : ndarray of float64, shape (fractions, betas)
        Estimates, standard errors and intervals.
    """

    rank: IntArray
    value: FloatArray
    error: FloatArray
    lower: FloatArray
    upper: FloatArray


def check_alpha(alpha: float) -> float:
    """Raise unless this says how early is early."""
    if isinstance(alpha, bool) or not isinstance(alpha, Real):
        raise PUTypeError(f"alpha must be a number above 0, but {alpha!r} was passed.")
    if not _LEAST <= alpha < inf:
        raise PUValueError(
            f"alpha must be {_LEAST:g} or more and finite, but {alpha!r} was passed. At 20, the "
            "default, the top 8% make 80% of the score; near 0 all ranks count alike, which is "
            "AUROC: df.pu.auroc."
        )
    return float(alpha)


def as_fractions(fraction: float | Sequence[float] | FloatArray) -> FloatArray:
    """Check shares of the examples and return them as an array."""
    found = as_array(fraction)
    if found.ndim > 1 or (found.size and found.dtype.kind not in "iuf"):
        raise PUTypeError(
            "fraction must be a number or a one-dimensional array of numbers, but "
            f"{fraction!r} was passed. For example fraction=[0.01, 0.05]."
        )
    found = np.atleast_1d(found).astype(np.float64)
    if not ((found > 0) & (found <= 1)).all() or not found.size:
        raise PUValueError(
            f"fraction must be above 0 and at most 1, but {fraction!r} was passed. For the top k "
            "examples, ask for their precision or lift: df.pu.metric('lift', 0.3, at=100)."
        )
    if np.unique(found).size < found.size:
        raise PUValueError(f"fraction must have each value once, but {fraction!r} was passed.")
    return found


def estimate_bedroc(ranking: Ranking, betas: FloatArray, alpha: float, rule: Rule) -> Estimates:
    """Estimate BEDROC of these examples, with an interval.

    Notes
    -----
    The mean over all positives of exp(-alpha*r/N), scaled so that it is 0 with all of them at the
    bottom and 1 with all at the top [1]_. In a block of ties each has the mean of its ranks, as
    over random orders. The known positives are a simple random sample of the positives, so that
    their mean is unbiased.

    The interval is what latent positives make that are shared out at random to the gaps between
    known ones (`pu_accessor.inference.estimates.latent_gaps`): those of each gap at the known one
    after it for the lower limit, at the one before for the upper. Nothing is taken for granted of
    where in a gap they lie, as the weights fall fast there.

    References
    ----------
    .. [1] J.-F. Truchon, C. I. Bayly, *Evaluating virtual screening methods: good and bad metrics
       for the "early recognition" problem*, Journal of Chemical Information and Modeling 47
       (2007) 488-508.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = estimate_bedroc(ranking, np.array([0.25]), 5.0, Rule())
    >>> found.value.round(3), found.lower.round(3), found.upper.round(3)
    (array([0.683]), array([0.436]), array([1.]))
    """
    check_unweighted(ranking, "bedroc")
    check_labels(betas, ranking.total)
    examples, n = sum(ranking.total), ranking.total.known_positive
    pace = alpha / examples
    start, end = places(find_blocks(ranking))
    weight = _mean_weight(start, end - start, pace)
    first, last = _mean_weight(np.array([0.0, examples - 1]), np.ones(2), pace)

    def estimate(betas: FloatArray) -> Estimates:
        count_negatives(ranking.total, betas)
        positives, factor = count_positives(ranking.total, betas)
        every = np.array([float(each) for each in positives])
        top = _mean_weight(np.array(0.0), every, pace)
        bottom = _mean_weight(examples - every, every, pace)
        value = (weight.mean() - bottom) / (top - bottom)
        spread = weight.std(ddof=1) / n**0.5 if n > 1 else np.nan
        error = np.where(factor > 0, spread * factor, 0.0) / (top - bottom)
        limits = [
            _limits(weight, p - n, (first, last), pace, examples, rule.level)
            for p in every.tolist()
        ]
        means = (weight.sum() + (every - n) * np.transpose(limits)) / every
        ends = np.clip((means - bottom) / (top - bottom), 0, 1)
        inside = np.clip(value, 0, 1)
        return Estimates(value, error, np.minimum(ends[0], inside), np.maximum(ends[1], inside))

    return over_betas(ranking.total, betas, rule.beta_interval, estimate)


def _mean_weight(
    start: FloatArray | IntArray, length: FloatArray | IntArray, pace: float
) -> FloatArray:
    """Return the mean of exp(-pace*rank) over some ranks from a place on, but a factor.

    It is the same factor for all, and cancels.
    """
    mean: FloatArray = -np.exp(-pace * start) * np.expm1(-pace * length) / length
    return mean


def _limits(
    weight: FloatArray,
    latent: float,
    ends: tuple[float, float],
    pace: float,
    examples: int,
    level: float,
) -> tuple[float, float]:
    """Bound the mean weight of the latent positives."""
    if latent <= 0:
        return 0.0, 0.0
    stretch = (1 + (weight.size + 1) / latent) ** 0.5
    best = float(_mean_weight(np.array(0.0), np.array(latent), pace))
    worst = float(_mean_weight(np.array(examples - latent), np.array(latent), pace))
    limits = []
    for end, tail in zip(ends[::-1], ((1 - level) / 2, (1 + level) / 2), strict=True):
        values = np.append(weight, end)
        each, times = np.unique(values, return_counts=True)
        mean = float(values.mean())
        limits.append(mean + stretch * (spacing_quantile(each, times, tail) - mean))
    low, high = np.clip(limits, worst, best).tolist()
    return low, high


def enrichment_at(
    ranking: Ranking, betas: FloatArray, fractions: FloatArray, rule: Rule
) -> Enrichment:
    """Estimate enrichment factors of these examples, with intervals.

    Notes
    -----
    The share of the positives among the first K of N examples, over K/N. Where K falls into a
    block of ties, its positives count in part, as over random orders. The limits are those of the
    band "exact" at K, or, within a block, at both of its ends, each at half of 1 - level: they
    cover with probability of at least `level`.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = enrichment_at(ranking, np.array([0.25]), np.array([0.25]), Rule())
    >>> found.rank, found.value, found.lower.round(3), found.upper.round(3)
    (array([3]), array([[2.]]), array([[1.333]]), array([[2.]]))
    """
    check_unweighted(ranking, "enrichment_factor")
    check_labels(betas, ranking.total)
    examples = sum(ranking.total)
    ranks = np.array([ceil(Fraction(str(share)) * examples) for share in fractions.tolist()])
    found = [_enrichment(ranking, betas, rank, rule) for rank in ranks.tolist()]
    return Enrichment(ranks, *(np.stack(side) for side in zip(*found, strict=True)))


def _enrichment(
    ranking: Ranking, betas: FloatArray, rank: int, rule: Rule
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the estimate at a rank, its error and its limits."""
    examples, n = sum(ranking.total), ranking.total.known_positive
    around, inside = _around(ranking, rank)
    level = rule.level if around.rank.size == 1 else (1 + rule.level) / 2
    tables = make_tables(around, betas, Rule(level))
    parts = np.array([1.0] if around.rank.size == 1 else [1 - inside, inside])
    every = np.array([float(each) for each in count_positives(ranking.total, betas).number])
    low, high = np.tensordot(parts, tables.tp[:, [0, 2]], 1) / tables.positives
    known = np.diff(around.known_positive, prepend=0, append=n)
    seen = np.append(np.append(1, [inside] if around.rank.size > 1 else []), 0)
    share = known @ seen / n
    spread = known @ (seen - share) ** 2
    error = (spread / (n - 1) / n) ** 0.5 if n > 1 else np.nan
    factor = count_positives(ranking.total, betas).factor
    value = np.minimum(share, rank / every)  # there are no more places
    scale = examples / rank
    return (
        value * scale,
        np.where(factor > 0, error * factor, 0.0) * scale,
        np.minimum(low, value) * scale,
        np.maximum(high, value) * scale,
    )


def _around(ranking: Ranking, rank: int) -> tuple[Ranking, float]:
    """Return the cutoff at a rank, or both ends of the ties around it, and where it is between."""
    here = ranking.at(np.array([rank], np.int64))
    start = int(here.known_positive[0] + here.known_negative[0] + here.unlabeled[0])
    if start == rank:
        return here, 0.0
    reached = here.unlabeled + (rank - start)  # in a block without labels; others have both ends
    finer = ranking.refine(reached[reached <= ranking.total.unlabeled])
    place = int(np.searchsorted(finer.rank, rank))
    end = int(finer.rank[place])
    return finer.take(np.array([place - 1, place])), (rank - start) / (end - start)
