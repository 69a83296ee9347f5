"""Early recognition: BEDROC and lift at a share, means over positives of a function of rank."""

from fractions import Fraction
from math import ceil, inf
from numbers import Real

import numpy as np

from pu_accessor.checks import Interval
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.bands.lookup import band_name
from pu_accessor.inference.estimates.delong import refuse_weights
from pu_accessor.inference.estimates.intervals import Estimates, over_betas
from pu_accessor.inference.estimates.known_positives import (
    count_negatives,
    count_positives,
    find_blocks,
    places,
)
from pu_accessor.inference.estimates.latent_gaps import gamma_quantile
from pu_accessor.inference.estimates.metric_at import AtCutoff, envelope_at
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import check_labels, make_tables
from pu_accessor.ranking import FloatArray, IntArray, Ranking

_LEAST = 1e-6  # of alpha: below, differences of weights are lost in rounding


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


def estimate_bedroc(
    ranking: Ranking,
    betas: FloatArray,
    alpha: float,
    rule: Settings,
    interval: Interval | None = None,
) -> Estimates:
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
    >>> found = estimate_bedroc(ranking, np.array([0.25]), 5.0, Settings())
    >>> found.value.round(3), found.lower.round(3), found.upper.round(3)
    (array([0.683]), array([0.436]), array([1.]))
    """
    refuse_weights(ranking, "bedroc")
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

    return over_betas(ranking.total, betas, interval, estimate)


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
        limits.append(mean + stretch * (gamma_quantile(each, times, 1.0, tail) - mean))
    low, high = np.clip(limits, worst, best).tolist()
    return low, high


def lift_at(
    ranking: Ranking,
    betas: FloatArray,
    fraction: float,
    settings: Settings,
    interval: Interval | None = None,
) -> AtCutoff:
    """Estimate lift among exactly a share of these examples: what others call enrichment factor.

    Notes
    -----
    The share of the positives among the first K of N examples, over K/N; K is rounded up. Where K
    falls into a block of ties, its positives count in part, as over random orders. The limits are
    those of the band at K, or, within a block, at both of its ends, each at half of 1 - level:
    they cover with probability of at least `level`.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> lift = lift_at(ranking, np.array([0.25]), 0.25, Settings())
    >>> lift.rank, lift.estimate, lift.lower.round(3), lift.upper.round(3)
    (array([3]), array([2.]), array([1.333]), array([2.]))
    """
    check_labels(betas, ranking.total)
    examples, n = sum(ranking.total), ranking.total.known_positive
    rank = ceil(Fraction(str(fraction)) * examples)
    around, inside = _around(ranking, rank)
    is_cutoff = around.rank.size == 1
    part = np.array([1.0] if is_cutoff else [1 - inside, inside])
    at_level = settings if is_cutoff else settings.at_level((1 + settings.level) / 2)
    tables = make_tables(around, betas, at_level, interval)
    positives = count_positives(ranking.total, betas).as_floats()
    low, high = np.tensordot(part, tables.tp[:, [0, 2]], 1) / tables.positives
    recall = np.minimum(part @ around.known_positive / n, rank / positives)  # no more places
    recalls = [recall, np.minimum(low, recall), np.maximum(high, recall)]
    ends = [envelope_at(tables, "recall", cutoff) for cutoff in range(part.size)]
    if tables.inner is not None:
        lowest, highest = np.tensordot(part, np.array(ends, np.float64), 1)
        recalls += [np.minimum(lowest, recalls[1]), np.maximum(highest, recalls[2])]
    estimate, lower, upper, *envelope = (share * examples / rank for share in recalls)
    return AtCutoff(
        rank=np.full(betas.size, rank),
        threshold=np.full(betas.size, around.threshold[-1]),
        estimate=estimate,
        lower=lower,
        upper=upper,
        envelope_lower=envelope[0] if envelope else None,
        envelope_upper=envelope[1] if envelope else None,
        band=band_name(settings.band),
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
