"""Early recognition, BEDROC and NDCG: means over positives of a weight that falls with rank."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pu_accessor.checks import is_number
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.estimates.hidden_positive_limits import hidden_mean_quantile
from pu_accessor.inference.estimates.intervals import (
    Estimates,
    fix_where_known,
    half_width,
    logit_rank_interval,
    use_completed_estimate,
)
from pu_accessor.inference.estimates.known_positives import (
    block_bounds,
    count_negatives,
    count_positives,
    hidden_share,
)
from pu_accessor.inference.influence import Influence, find_design, find_spread, mean_influences
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import check_labels, completed_table
from pu_accessor.ranking import FloatArray, IntArray, Ranking

# Of alpha: below, differences of weights are lost in rounding; above, only the very top counts.
_MIN_ALPHA, _MAX_ALPHA = 1e-4, 1e9


def check_alpha(alpha: float) -> float:
    """Raise unless this says how early is early."""
    if not is_number(alpha):
        raise PUTypeError(f"alpha must be a number above 0, but {alpha!r} was passed.")
    if not _MIN_ALPHA <= float(alpha) <= _MAX_ALPHA:
        raise PUValueError(
            f"alpha must be in [{_MIN_ALPHA:g}, {_MAX_ALPHA:g}], but {alpha!r} was passed. At 20, the "
            "default, the top 8% make 80% of the score; near 0 all ranks count alike, which is "
            "AUROC: df.pu.auroc."
        )
    return float(alpha)


class RankWeights(NamedTuple):
    """What a positive counts by its rank, and where that is 0."""

    weight: Callable[..., FloatArray]  # mean of so many ranks, after a number of others
    pace: float = 0.0  # share by which BEDROC's falls with each rank; 0 for NDCG

    def ends(self, examples: float, positives: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean weight of positives at the top, and that of the score 0."""
        bottom = self.weight(examples - positives, positives) if self.pace else 0.0 * positives
        return self.weight(np.array(0.0), positives), bottom

    def scale(
        self, examples: float, positives: FloatArray, *weights: FloatArray | float
    ) -> tuple[FloatArray, ...]:
        """Return mean weights of the positives on the scale from 0 to 1."""
        top, bottom = self.ends(examples, positives)
        # Where all are positive no rank is better than another.
        apart = np.where(top > bottom, top - bottom, np.nan)
        return tuple((weight - bottom) / apart for weight in weights)


def rank_weights(metric: Any, ranking: Ranking) -> RankWeights:
    """Return the weights of BEDROC, exp(-alpha*rank/N), or NDCG, 1/log2(1 + rank) to a depth."""
    examples = sum(ranking.total) - ranking.unranked
    if metric.depth is None:
        pace = metric.alpha / examples
        return RankWeights(partial(_mean_exponential_weight, pace), pace)
    ranks = np.arange(min(metric.depth, examples) + 1)
    through = np.append(0.0, np.cumsum(1 / np.log2(1 + ranks[1:])))

    def weight(start: FloatArray | IntArray, length: FloatArray | IntArray) -> FloatArray:
        first, last = (np.interp(rank, ranks, through) for rank in (start, start + length))
        return np.asarray((last - first) / length)

    return RankWeights(weight)


def estimate_early_recognition(
    metric: Any, ranking: Ranking, betas: FloatArray, rule: Settings, target: str
) -> Estimates:
    """Estimate BEDROC or NDCG, with an interval.

    Notes
    -----
    The mean over all positives of a weight of their ranks, scaled so that it is 1 with all of them
    at the top. For BEDROC it is exp(-alpha*r/N), and 0 is for all of them at the bottom [1]_. For
    NDCG at k of binary relevance it is 1/log2(1 + r) down to rank k, and 0 below it [2]_. In a
    block of ties each has the mean of its ranks, as over random orders. The positives are those
    of a completed ranking (`pu_accessor.inference.completion`).

    The interval for these examples is what latent positives make that are shared out at random to
    the gaps between known ones (`pu_accessor.inference.estimates.hidden_positive_limits`): those of each gap
    at the known one after it for the lower limit, at the one before for the upper. Nothing is
    taken for granted of where in a gap they lie, as the weights fall fast there.

    On new examples known positives are a sample of all; the rest is another, as it moves ranks.
    With r = nF + (N - n)G at a score, and w' = -alpha/N*w, a known positive adds (w(r) +
    the sum of w' over the known positives at or below it)/n, one of the rest that sum over n, each
    less its mean. The interval is Student's t on the logit scale of where the mean lies between
    the weights of the first and the last rank.

    References
    ----------
    .. [1] J.-F. Truchon, C. I. Bayly, *Evaluating virtual screening methods: good and bad metrics
       for the "early recognition" problem*, Journal of Chemical Information and Modeling 47
       (2007) 488-508.
    .. [2] K. Järvelin, J. Kekäläinen, *Cumulated gain-based evaluation of IR techniques*, ACM
       Transactions on Information Systems 20 (2002) 422-446.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> from pu_accessor.inference.metrics import bedroc
    >>> for target in ("examples", "population"):
    ...     found = estimate_early(bedroc(5.0), ranking, np.array([0.25]), Settings(), target)
    ...     print(found.value.round(3), found.lower.round(3), found.upper.round(3))
    [0.705] [0.436] [1.]
    [0.705] [0.106] [1.]
    """
    on_new, early = target == "population", rank_weights(metric, ranking)
    check_labels(betas, ranking.total)
    if early.pace:  # at the bottom there must be others
        count_negatives(ranking.total, betas)
    mean = (_mean_on_future_data if on_new else _mean_on_this_sample)(
        ranking, betas, early, rule.level
    )
    examples, positives = sum(ranking.total), count_positives(ranking.total, betas)
    top, bottom = early.ends(examples, positives)
    value, *limits = early.scale(examples, positives, *mean.parts)
    statistic = Estimates(value, mean.error / (top - bottom), *np.clip(limits, 0, 1))
    completed = completed_early_recognition(metric, ranking, betas, on_new=on_new)
    if not on_new:
        statistic = fix_where_known(ranking, betas, statistic, completed)
    return use_completed_estimate(ranking, betas, rule.level, statistic, completed)


def _mean_on_this_sample(
    ranking: Ranking, betas: FloatArray, early: RankWeights, level: float
) -> Estimates:
    """Estimate the mean weight of the positives of these examples."""
    start, end = block_bounds(ranking)
    weight, n, examples = early.weight(start, end - start), start.size, sum(ranking.total)
    every = count_positives(ranking.total, betas)
    spread = weight.std(ddof=1) / n**0.5 if n > 1 else np.nan
    factor = hidden_share(ranking.total, betas) ** 0.5
    error = np.where(factor > 0, spread * factor, 0.0)
    limits = [_hidden_weight_limits(weight, p - n, early, examples, level) for p in every.tolist()]
    means = (weight.sum() + (every - n) * np.transpose(limits)) / every
    return Estimates(np.full(every.size, weight.mean()), error, *means)


def _mean_on_future_data(
    ranking: Ranking, betas: FloatArray, early: RankWeights, level: float
) -> Estimates:
    """Estimate the mean weight of the positives of new examples."""
    mean, influences = _known_mean_and_influences(ranking, early)
    squares, df = find_spread(influences)
    design = find_design(ranking.clusters, lambda: influences)
    ends = np.array([0.0, sum(ranking.total) - 1])
    best, worst = early.weight(ends, np.ones(2)).tolist()
    one = np.ones(betas.size)
    error = float(design.effect * squares.sum()) ** 0.5 * one
    away = half_width(error, min(df, design.df), level)
    place, stretch = (mean - worst) / (best - worst), (best - worst) * one
    limits = logit_rank_interval(mean * one, place, stretch, away, away)
    if not error.any():  # all are tied: nothing is known of how far others lie from there
        limits = worst * one, best * one
    return Estimates(mean * one, error, *limits)


def _known_mean_and_influences(
    ranking: Ranking, early: RankWeights
) -> tuple[float, list[Influence]]:
    """Return the mean weight of known positives, and what examples add to it."""
    weight = early.weight(ranking.rank[:-1], np.diff(ranking.rank))
    terms = weight, -early.pace * weight, -early.pace * weight
    influences = mean_influences(replace(ranking, strata=()), lambda _: terms)
    mean = float(np.diff(ranking.known_positive) @ weight) / ranking.total.known_positive
    return mean, influences


def linearize_bedroc(
    metric: Any, ranking: Ranking, betas: FloatArray
) -> tuple[FloatArray, list[Influence], FloatArray]:
    """Return BEDROC, what examples add to a mean weight, and by how much it grows with that."""
    early, positives = rank_weights(metric, ranking), count_positives(ranking.total, betas)
    mean, influences = _known_mean_and_influences(ranking, early)
    value, none = early.scale(sum(ranking.total), positives, mean, mean - 1)
    return value, influences, value - none


def early_recognition_of_known(
    metric: Any, ranking: Ranking, betas: FloatArray
) -> tuple[FloatArray, ...]:
    """Return a metric of the known positives, its least and most, and its variance.

    That is what it would be if all positives lay like those, and with these at one end.
    """
    early = rank_weights(metric, ranking)
    if early.pace:  # at the bottom there must be others
        count_negatives(ranking.total, betas)
    examples, n = sum(ranking.total), ranking.total.known_positive
    positives = count_positives(ranking.total, betas)
    weight = early.weight(ranking.rank[:-1], np.diff(ranking.rank))
    known = np.diff(ranking.known_positive)
    mean = float(known @ weight) / n
    square = float(known @ (weight - mean) ** 2) / n / (n - 1) if n > 1 else np.nan
    best, worst = early.ends(examples, np.array(float(n)))
    parts = early.scale(examples, positives, mean, worst, best, mean - square**0.5)
    value, low, high, one_off = parts
    return value, low, high, (value - one_off) ** 2


def completed_early_recognition(
    metric: Any, ranking: Ranking, betas: FloatArray, *, on_new: bool
) -> FloatArray:
    """Return a metric of the completed ranking."""
    early = rank_weights(metric, ranking)
    completed, table = completed_table(ranking, betas, on_new=on_new)
    weight = early.weight(completed.rank[:-1], np.diff(completed.rank))
    positives = table.tp[-1]
    mean = weight @ np.diff(table.tp, axis=0) / positives
    (value,) = early.scale(sum(ranking.total), positives, mean)
    return np.asarray(np.clip(value, 0, 1))  # but for rounding


def _hidden_weight_limits(
    weight: FloatArray, latent: float, early: RankWeights, examples: int, level: float
) -> tuple[float, float]:
    """Bound the mean weight of the latent positives."""
    if latent <= 0:
        return 0.0, 0.0
    first, last = early.weight(np.array([0.0, examples - 1]), np.ones(2))
    best = early.weight(np.array(0.0), np.array(latent))
    worst = early.weight(np.array(examples - latent), np.array(latent))
    limits = []
    for end, tail in ((last, (1 - level) / 2), (first, (1 + level) / 2)):
        each, times = np.unique(np.append(weight, end), return_counts=True)
        limits.append(hidden_mean_quantile(each, times, latent, tail))
    low, high = np.clip(limits, worst, best).tolist()
    return low, high


def _mean_exponential_weight(
    pace: float, start: FloatArray | IntArray, length: FloatArray | IntArray
) -> FloatArray:
    """Return the mean of exp(-pace*rank) over some ranks from a place on, but a factor.

    It is the same factor for all, and cancels.
    """
    return np.asarray(-np.exp(-pace * start) * np.expm1(-pace * length) / length)
