"""Early recognition: BEDROC and lift at a share, means over positives of a function of rank."""

from dataclasses import replace
from functools import partial
from math import inf
from numbers import Real
from typing import NamedTuple

import numpy as np

from pu_accessor.checks import Interval
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.estimates.intervals import (
    Estimates,
    over_betas,
    rank_interval,
    reach,
)
from pu_accessor.inference.estimates.known_positives import (
    count_negatives,
    count_positives,
    find_blocks,
    places,
)
from pu_accessor.inference.estimates.latent_gaps import gamma_quantile
from pu_accessor.inference.influence import (
    Influence,
    Terms,
    check_unweighted,
    find_design,
    find_spread,
    mean_influences,
    refuse_weights,
)
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import (
    check_labels,
    completed_table,
)
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
    over random orders. The positives are those of a completed ranking
    (`pu_accessor.inference.completion`).

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
    (array([0.705]), array([0.436]), array([1.]))
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
        spread = weight.std(ddof=1) / n**0.5 if n > 1 else np.nan
        error = np.where(factor > 0, spread * factor, 0.0) / (top - bottom)
        limits = [
            _limits(weight, p - n, (first, last), pace, examples, rule.level)
            for p in every.tolist()
        ]
        means = (weight.sum() + (every - n) * np.transpose(limits)) / every
        value = (weight.mean() - bottom) / (top - bottom)
        return Estimates(value, error, *np.clip((means - bottom) / (top - bottom), 0, 1))

    complete = partial(_completed, ranking, pace)
    return over_betas(ranking, betas, rule.level, interval, estimate, complete)


def _completed(
    ranking: Ranking, pace: float, betas: FloatArray, *, on_new: bool = False
) -> FloatArray:
    """Return BEDROC of the one estimate."""
    completed, table = completed_table(ranking, betas, on_new=on_new)
    start, size = completed.rank[:-1], np.diff(completed.rank)
    positives = table.tp[-1]
    mean = _mean_weight(start, size, pace) @ np.diff(table.tp, axis=0) / positives
    top = _mean_weight(np.array(0.0), positives, pace)
    bottom = _mean_weight(sum(ranking.total) - positives, positives, pace)
    bedroc: FloatArray = np.clip((mean - bottom) / (top - bottom), 0, 1)  # but for rounding
    return bedroc


def estimate_population_bedroc(
    ranking: Ranking,
    betas: FloatArray,
    alpha: float,
    rule: Settings,
    interval: Interval | None = None,
) -> Estimates:
    """Estimate BEDROC of new examples, with an interval.

    Notes
    -----
    The mean of w(r) = exp(-alpha*r/N) over known positives is that over all positives, of which
    they are a sample; the rest is another, as it moves ranks. With r = nF + (N - n)G at a score,
    and w' = -alpha/N*w, a known positive adds (w(r) + the sum of w' over the known positives at or
    below it)/n, one of the rest that sum over n, each less its mean. The interval is Student's t
    on the logit scale of where the mean lies between the weights of the first and the last rank.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = estimate_population_bedroc(ranking, np.array([0.25]), 5.0, Settings())
    >>> found.value.round(3), found.lower.round(3), found.upper.round(3)
    (array([0.705]), array([0.106]), array([1.]))
    """
    check_unweighted(ranking, "bedroc")
    check_labels(betas, ranking.total)
    early = early_mean(ranking, alpha)
    spread = find_spread(early.influences)
    design = find_design(ranking.clusters, lambda: early.influences)
    unit = float(design.effect * spread.squares.sum()) ** 0.5
    ends = np.array([0.0, sum(ranking.total) - 1])
    best, worst = _mean_weight(ends, np.ones(2), early.pace).tolist()

    def estimate(betas: FloatArray) -> Estimates:
        count_negatives(ranking.total, betas)
        value, scale = early.scaled(betas)
        error = unit * scale
        away = reach(error, min(spread.df, design.df), rule.level)
        place = np.full(betas.size, (early.mean - worst) / (best - worst))
        limits = rank_interval(value, place, (best - worst) * scale, away, away)
        return Estimates(value, error, *limits)

    return over_betas(ranking, betas, rule.level, interval, estimate, early.completed)


class EarlyMean(NamedTuple):
    """The mean weight of known positives, which makes BEDROC on new examples."""

    ranking: Ranking
    pace: float
    mean: float
    influences: list[Influence]  # on the mean

    def scaled(self, betas: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return BEDROC, and how fast it grows with the mean, at some betas."""
        positives = count_positives(self.ranking.total, betas).as_floats()
        top = _mean_weight(np.array(0.0), positives, self.pace)
        bottom = _mean_weight(sum(self.ranking.total) - positives, positives, self.pace)
        scale = 1 / (top - bottom)
        return (self.mean - bottom) * scale, scale

    def completed(self, betas: FloatArray) -> FloatArray:
        """Return BEDROC of the one estimate."""
        return _completed(self.ranking, self.pace, betas, on_new=True)


def early_mean(ranking: Ranking, alpha: float) -> EarlyMean:
    """Return the mean weight of known positives, with what examples add to it."""
    pace = alpha / sum(ranking.total)
    weight = _mean_weight(ranking.rank[:-1], np.diff(ranking.rank), pace)
    terms = Terms(weight, -pace * weight, -pace * weight)
    influences = mean_influences(replace(ranking, strata=()), lambda _: terms)
    mean = float(np.diff(ranking.known_positive) @ weight) / ranking.total.known_positive
    return EarlyMean(ranking, pace, mean, influences)


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
