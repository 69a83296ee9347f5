"""Estimate BEDROC and NDCG: means over positives of a weight that falls with rank.

BEDROC has the weights exp(-alpha*r/N), scaled to 0 with all positives at the bottom (Truchon and
Bayly, J. Chem. Inf. Model. 47, 2007, 488-508); NDCG has 1/log2(1 + r) to a depth (Järvelin and
Kekäläinen, ACM TOIS 20, 2002, 422-446). Both are 1 with all positives at the top. Tied examples
have the mean of their ranks' weights.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pu_accessor.checks import is_number
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference import influence
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.estimates import intervals, known_positives
from pu_accessor.inference.tables.contingency import check_labels, completed_table
from pu_accessor.ranking import FloatArray, KnownBlocks, Numbers, Ranking
from pu_accessor.roles_and_assumptions import Terms

# Smaller alphas lose differences of weights to rounding; larger ones count only the first ranks.
_MIN_ALPHA, _MAX_ALPHA = 1e-4, 1e9
_UNSEEN = 2  # known positives that an unseen one at either end counts
_STEP = 1e-4  # of a number of positives, for a derivative


def check_alpha(alpha: float) -> float:
    """Raise unless alpha of BEDROC is a number in its range."""
    if not is_number(alpha):
        raise PUTypeError(f"alpha must be a number above 0, but {alpha!r} was passed.")
    if not _MIN_ALPHA <= float(alpha) <= _MAX_ALPHA:
        raise PUValueError(
            f"alpha must be in [{_MIN_ALPHA:g}, {_MAX_ALPHA:g}], but {alpha!r} was passed. At 20, "
            "the default, the top 8% make 80% of the score; near 0 all ranks count equally, as in "
            "AUROC: df.pu.auroc."
        )
    return float(alpha)


class RankWeights(NamedTuple):
    """Weights of positives by rank; of several rankings, numbers of examples broadcast."""

    mean: Callable[..., FloatArray]  # mean weight of `length` ranks after `start` others
    examples: Any  # a number, or those of several rankings
    decay: Any = 0.0  # relative loss of the weights of BEDROC by rank; 0 for NDCG

    def of_steps(self, ranking: Ranking) -> FloatArray:
        """Return the mean weight from each cutoff to the next."""
        return self.mean(ranking.rank[:-1], np.diff(ranking.rank))

    def ends(self, positives: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean weight of positives at the top, and that of the score 0."""
        bottom = 0.0 * positives
        if np.any(self.decay):
            bottom = self.mean(self.examples - positives, positives)
        return self.mean(np.array(0.0), positives), bottom

    def scale(self, positives: FloatArray, *weights: FloatArray | float) -> tuple[FloatArray, ...]:
        """Return mean weights of the positives on the scale from 0 to 1."""
        top, bottom = self.ends(positives)
        # If all examples are positive, no rank is better than another.
        distance = np.where(top > bottom, top - bottom, np.nan)
        return tuple((weight - bottom) / distance for weight in weights)

    def count_positives(self, ranking: Ranking, betas: FloatArray) -> FloatArray:
        """Return the number of positives; raise without negatives where the score 0 needs some."""
        if self.decay:
            known_positives.count_negatives(ranking.total, betas)
        return known_positives.count_positives(ranking.total, betas)


def rank_weights(metric: Any, examples: Any, unranked: int) -> RankWeights:
    """Return the weights of BEDROC, exp(-alpha*rank/N), or NDCG, 1/log2(1 + rank) to a depth."""
    if metric.depth is None:
        decay = metric.alpha / examples

        def exponential(start: Numbers, length: Numbers) -> FloatArray:  # up to a factor
            return np.asarray(-np.exp(-decay * start) * np.expm1(-decay * length) / length)

        return RankWeights(exponential, examples, decay)
    depth = np.minimum(metric.depth, examples - unranked)
    ranks = np.arange(np.max(depth) + 1)
    through = np.append(0.0, np.cumsum(1 / np.log2(1 + ranks[1:])))

    def weight(start: Numbers, length: Numbers) -> FloatArray:
        ends = (np.minimum(rank, depth) for rank in (start, start + length))
        first, last = (np.interp(end, ranks, through) for end in ends)
        return np.asarray((last - first) / length)

    return RankWeights(weight, examples)


def estimate_on_this_sample(
    metric: Any, ranking: Ranking, betas: FloatArray, terms: Terms
) -> Answer:
    """Estimate BEDROC or NDCG of this sample."""
    statistic, completed = _statistic(metric, ranking, betas, terms, _mean_on_this_sample)
    statistic = intervals.fix_where_known(ranking, betas, statistic, completed)
    return intervals.use_completed(ranking, betas, terms.level, statistic, completed)


def estimate_on_future_data(
    metric: Any, ranking: Ranking, betas: FloatArray, terms: Terms
) -> Answer:
    """Estimate BEDROC or NDCG of future data, on a logit scale."""
    statistic, completed = _statistic(metric, ranking, betas, terms, _mean_on_future_data)
    return intervals.use_completed(ranking, betas, terms.level, statistic, completed)


def _statistic(
    metric: Any,
    ranking: Ranking,
    betas: FloatArray,
    terms: Terms,
    estimate_mean: Callable[..., Answer],
) -> tuple[Answer, FloatArray]:
    """Return a metric by the mean weight of positives, and that of the completed ranking."""
    weights = rank_weights(metric, sum(ranking.total), ranking.unranked)
    check_labels(betas, ranking.total)
    positives = weights.count_positives(ranking, betas)
    mean = estimate_mean(ranking, betas, weights, terms.level)
    value, lower, upper = weights.scale(positives, *mean.parts)
    top, bottom = weights.ends(positives)
    on_new = estimate_mean is _mean_on_future_data
    completed = completed_early_recognition(metric, ranking, betas, on_new=on_new)
    return Answer(value, lower, upper, mean.error / (top - bottom)), completed


def _mean_on_this_sample(
    ranking: Ranking, betas: FloatArray, weights: RankWeights, level: float
) -> Answer:
    """Estimate the mean weight of the positives of this sample."""
    start, end = known_positives.block_bounds(ranking)
    weight, positives = weights.mean(start, end - start), weights.count_positives(ranking, betas)
    best, worst = weights.mean(np.array([0.0, weights.examples - 1]), np.ones(2)).tolist()
    mean, position = np.full(betas.size, weight.mean()), (weight - worst) / (best - worst)
    of_known = known_positives.hidden_by_known(ranking, betas)
    limits = [intervals.mean_limits(position, each, level, _UNSEEN) for each in of_known]
    _, error, down, up = (best - worst) * np.transpose(limits)
    hidden = positives - start.size
    first = np.stack([weights.examples - hidden, 0 * hidden])
    ends = weights.mean(first, np.where(hidden > 0, hidden, 1))
    lowest, highest = (weight.sum() + hidden * ends) / positives
    return Answer(mean, np.maximum(mean - down, lowest), np.minimum(mean + up, highest), error)


def _mean_on_future_data(
    ranking: Ranking, betas: FloatArray, weights: RankWeights, level: float
) -> Answer:
    """Estimate the mean weight of the positives of future data."""
    mean, influences = _known_mean(ranking, weights)
    squares, df = influence.squared_errors_and_df(influences)
    design = influence.design_effect(influences)
    best, worst = weights.mean(np.array([0.0, weights.examples - 1]), np.ones(2)).tolist()
    one = np.ones(betas.size)
    error = float(design.effect * squares.sum()) ** 0.5 * one
    half = intervals.half_width(error, min(df, design.df), level)
    position, scale = (mean - worst) / (best - worst), (best - worst) * one
    limits = intervals.logit_interval(mean * one, position, scale, half, half)
    if not error.any():  # all known positives are tied, so there is no information on others
        limits = worst * one, best * one
    return Answer(mean * one, *limits, error)


def _known_mean(ranking: Ranking, weights: RankWeights) -> tuple[float, influence.Influence]:
    """Return the mean weight of known positives, and what examples add to it."""
    weight = weights.of_steps(ranking)
    terms = weight, -weights.decay * weight, -weights.decay * weight
    influences = influence.mean_influences(ranking, terms)
    mean = float(np.diff(ranking.known_positive) @ weight) / ranking.total.known_positive
    return mean, influences


def linearize_bedroc(
    metric: Any, ranking: Ranking, betas: FloatArray
) -> tuple[FloatArray, influence.Influence, FloatArray, FloatArray]:
    """Return BEDROC, what examples add to a mean weight, and its slopes by that and prevalence."""
    size, n = sum(ranking.total), ranking.total.known_positive
    weights = rank_weights(metric, size, ranking.unranked)
    positives = weights.count_positives(ranking, betas)
    mean, influences = _known_mean(ranking, weights)
    value, none = weights.scale(positives, mean, mean - 1)
    (more,) = weights.scale(positives + _STEP, mean)
    # One more positive in place of a negative raises the rank of each known one by the difference
    # of both rates.
    weight = weights.of_steps(ranking) * np.diff(ranking.known_positive)
    above = (ranking.known_positive / n - ranking.head / size)[1:]
    falls = -weights.decay * float(weight @ above) / n / (1 - positives / size)
    slope = ((more - value) / _STEP + falls * (value - none)) * size
    return value, influences, value - none, slope


def early_recognition_of_known(
    metric: Any, blocks: KnownBlocks, betas: FloatArray
) -> tuple[FloatArray, ...]:
    """Return the metric if all positives had the known ones' mean, and its range."""
    size, n = blocks.size, blocks.total[:, :1].astype(np.float64)
    of_blocks = rank_weights(metric, size[blocks.owner], blocks.unranked)
    weight = of_blocks.mean(blocks.start, blocks.end - blocks.start)
    mean = blocks.sums(blocks.number * weight)[:, np.newaxis] / n
    weights = rank_weights(metric, size[:, np.newaxis], blocks.unranked)
    best, worst = weights.ends(n)
    return weights.scale(blocks.count_positives(betas), mean, worst, best)


def completed_early_recognition(
    metric: Any, ranking: Ranking, betas: FloatArray, *, on_new: bool
) -> FloatArray:
    """Return the metric of the completed ranking."""
    weights = rank_weights(metric, sum(ranking.total), ranking.unranked)
    finer, table = completed_table(ranking, betas, on_new=on_new)
    positives = table.tp[-1]
    mean = weights.of_steps(finer) @ np.diff(table.tp, axis=0) / positives
    (value,) = weights.scale(positives, mean)
    return np.asarray(np.clip(value, 0, 1))  # removes rounding errors
