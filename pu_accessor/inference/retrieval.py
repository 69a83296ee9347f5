"""Estimate BEDROC, NDCG, reciprocal rank and bpref.

BEDROC and NDCG are means over positives of a weight that falls with rank: exp(-alpha*r/N), scaled
to 0 with all positives at the bottom (Truchon and Bayly, J. Chem. Inf. Model. 47, 2007, 488-508),
or 1/log2(1 + r) to a depth (Järvelin and Kekäläinen, ACM TOIS 20, 2002, 422-446). Both are 1 with
all positives at the top. Tied examples have the mean of their ranks' weights.

Reciprocal rank, 1/r, is the sum over ranks s of P(a positive is among the first s)/(s*(s + 1)). Of
K positives there X are known, a hypergeometric number. f(X) estimates K > 0 with the least squared
error of a mean over many queries, summed over all K; its remaining bias is small.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import scipy

from pu_accessor.checks import is_number
from pu_accessor.errors import PUDataError, PUTypeError, PUValueError
from pu_accessor.inference import answer, influence, known_positives
from pu_accessor.inference.answer import Answer
from pu_accessor.inference.contingency import completed_table, make_tables
from pu_accessor.inference.known_positives import FloatPair
from pu_accessor.ranking import FloatArray, IntArray, KnownBlocks, Numbers, Ranking
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

    def ends(self, positives: FloatArray) -> FloatPair:
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
    ranks = np.arange(np.max(depth, initial=0) + 1)
    through = np.append(0.0, np.cumsum(1 / np.log2(1 + ranks[1:])))

    def weight(start: Numbers, length: Numbers) -> FloatArray:
        ends = (np.minimum(rank, depth) for rank in (start, start + length))
        first, last = (np.interp(end, ranks, through) for end in ends)
        return np.asarray((last - first) / length)

    return RankWeights(weight, examples)


def estimate_on_sample(metric: Any, ranking: Ranking, betas: FloatArray, terms: Terms) -> Answer:
    """Estimate BEDROC or NDCG of this sample."""
    statistic, completed = _statistic(metric, ranking, betas, terms, _mean_on_this_sample)
    statistic = answer.fix_where_known(ranking, betas, statistic, completed)
    return answer.use_completed(ranking, betas, terms.level, statistic, completed)


def estimate_on_future(metric: Any, ranking: Ranking, betas: FloatArray, terms: Terms) -> Answer:
    """Estimate BEDROC or NDCG of future data, on a logit scale."""
    statistic, completed = _statistic(metric, ranking, betas, terms, _mean_on_future_data)
    return answer.use_completed(ranking, betas, terms.level, statistic, completed)


def _statistic(
    metric: Any,
    ranking: Ranking,
    betas: FloatArray,
    terms: Terms,
    estimate_mean: Callable[..., Answer],
) -> tuple[Answer, FloatArray]:
    """Return a metric by the mean weight of positives, and that of the completed ranking."""
    weights = rank_weights(metric, sum(ranking.total), ranking.unranked)
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
    limits = [answer.mean_limits(position, each, level, _UNSEEN) for each in of_known]
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
    half = answer.half_width(error, min(df, design.df), level)
    position, scale = (mean - worst) / (best - worst), (best - worst) * one
    limits = answer.logit_interval(mean * one, position, scale, half, half)
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


_AVERAGE_DEPTH = 30  # an average looks for the first positive down to this rank
_MAX_RANK = 1_000_000  # 1/r is negligible below
# Queries of the mean with the least squared error, by simulation (coverage.csv: "reciprocal
# rank"): with 100 the bias is up to a third of the error of 40 queries, and intervals cover .89.
_ASSUMED_QUERIES = 1000


def estimate_reciprocal_rank(_: Any, ranking: Ranking, betas: FloatArray, terms: Terms) -> Answer:
    """Estimate 1/r, with r the rank of the first positive, and limits of the band."""
    tables = make_tables(ranking, betas, terms)
    increments = np.diff(tables.table.tp, axis=0).reshape(tables.ranking.rank.size - 1, -1)
    values = [_mean_reciprocal_rank(tables.ranking, column) for column in increments.T]
    bounds = np.reshape(values, (-1, betas.size))
    return Answer(bounds[1], bounds.min(axis=0), bounds.max(axis=0))


def _mean_reciprocal_rank(ranking: Ranking, positives: FloatArray) -> float:
    """Return the mean of 1/r over random orders of blocks."""
    is_ranked = ranking.rank[1:] <= sum(ranking.total) - ranking.unranked
    ends, positives = ranking.rank[1:][is_ranked], positives[is_ranked]
    last = int(np.argmax(np.append(positives, 1) >= 1))
    above = np.arange(min(int(ends[min(last, ends.size - 1)]) if ends.size else 0, _MAX_RANK))
    block = np.searchsorted(ends, above, side="right")
    probability = np.minimum(positives[block] / (ends[block] - above), 1)
    none_above = np.cumprod(np.append(1.0, 1 - probability[:-1]))[: probability.size]
    return float(probability * none_above @ (1 / (above + 1)))


class _KnownAbove(NamedTuple):
    """The possible numbers of known positives among the first of each ranking."""

    owner: IntArray  # the ranking of each
    rank: IntArray
    known: IntArray  # above the rank
    chance: FloatArray


def reciprocal_rank_of_known(
    _: object, blocks: KnownBlocks, betas: FloatArray
) -> tuple[FloatArray, ...]:
    """Estimate 1/r from known positives, nearly without bias; see `OfKnown`."""
    depth = np.minimum(_AVERAGE_DEPTH, blocks.size - blocks.unranked)
    above, positives = _known_above(blocks, depth), blocks.count_positives(betas)
    parts = [_any_positive_means(blocks, depth, above, column) for column in positives.T]
    value, lowest, highest = np.stack(parts, axis=-1)
    below = np.stack([_mean_below(blocks, depth), 1 / (depth + 1)])[..., np.newaxis]
    return value + below[0], lowest, highest + below[1]


def _known_above(blocks: KnownBlocks, depth: IntArray) -> _KnownAbove:
    """Return the numbers of known positives above each rank to a depth, ties in random order."""
    owner, rank = np.repeat(np.arange(depth.size), depth), _count_up(depth) + 1
    stride = _AVERAGE_DEPTH + 1
    starts = blocks.owner * stride + np.minimum(blocks.start, _AVERAGE_DEPTH)
    last = np.searchsorted(starts, owner * stride + rank)  # block that starts above; 0: none
    last[np.append(-1, blocks.owner)[last] != owner] = 0
    columns = np.stack([blocks.number, blocks.known, blocks.start, blocks.end])
    number, known, start, end = np.pad(columns, ((0, 0), (1, 0)))[:, last]
    draws = np.minimum(rank, end) - start
    fewest = np.maximum(draws + number - (end - start), 0)
    drawn = np.minimum(number, draws) - fewest + 1
    each, drawn = np.repeat(np.arange(rank.size), drawn), _count_up(drawn)
    drawn += fewest[each]
    chance = _hypergeom(drawn, (end - start)[each], number[each], draws[each])
    return _KnownAbove(owner[each], rank[each], (known - number)[each] + drawn, chance)


def _count_up(lengths: IntArray) -> IntArray:
    """Return the numbers from 0 to below each length, one after the other."""
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _any_positive_means(
    blocks: KnownBlocks, depth: IntArray, above: _KnownAbove, positives: FloatArray
) -> FloatArray:
    """Return the means of the estimator for each ranking, the lowest and the highest possible."""
    alike = np.stack([blocks.total[:, 0], depth, positives])
    kinds, kind = np.unique(alike, axis=1, return_inverse=True)
    kind_above, weight = kind[above.owner], 1 / (above.rank * (above.rank + 1))
    order = np.argsort(kind_above, kind="stable")
    ends = np.searchsorted(kind_above[order], np.arange(kinds.shape[1] + 1))
    values, extremes = np.empty(order.size), np.empty((2, kinds.shape[1]))
    for number, (n, to_depth, count) in enumerate(kinds.T.tolist()):
        low, part = int(count), count % 1
        function = (1 - part) * _any_positive_estimator(int(n), low, int(to_depth))
        if part:
            function = function + part * _any_positive_estimator(int(n), low + 1, int(to_depth))
        these = order[ends[number] : ends[number + 1]]
        values[these] = function[above.rank[these] - 1, above.known[these]]
        ranks = np.arange(1, int(to_depth) + 1)
        sides = np.stack([function.min(axis=1), function.max(axis=1)])
        extremes[:, number] = sides @ (1 / (ranks * (ranks + 1)))
    means = np.bincount(above.owner, weight * above.chance * values, depth.size)
    return np.stack([means, *extremes[:, kind]])


def _mean_below(blocks: KnownBlocks, depth: IntArray) -> FloatArray:
    """Return the mean of 1/max(r, depth + 1), with r the rank of the first known positive."""
    is_first = np.diff(blocks.owner, prepend=-1) > 0
    first = np.flatnonzero(is_first & (blocks.end <= blocks.size[blocks.owner] - blocks.unranked))
    start, number = blocks.start[first], blocks.number[first]
    size = blocks.end[first] - start
    ranks = np.clip(np.minimum(size - number + 1, _MAX_RANK - start), 0, None)
    at, above = np.repeat(np.arange(first.size), ranks), _count_up(ranks)
    none_above = _hypergeom(np.zeros(1, np.int64), size[at], number[at], above)
    chance, owner = none_above * number[at] / (size[at] - above), blocks.owner[first][at]
    rank = np.maximum(start[at] + above, depth[owner]) + 1
    return np.asarray(np.bincount(owner, chance / rank, depth.size), np.float64)


def _hypergeom(drawn: IntArray, size: IntArray, marked: IntArray, draws: IntArray) -> FloatArray:
    """Return hypergeometric probabilities, fast for any size."""
    inside = np.clip(drawn, np.maximum(0, draws + marked - size), np.minimum(marked, draws))

    def choose(some: IntArray, every: IntArray) -> FloatArray:
        return np.asarray(-np.log1p(every) - scipy.special.betaln(some + 1, every - some + 1))

    chance = choose(inside, marked) + choose(draws - inside, size - marked) - choose(draws, size)
    return np.where(inside == drawn, np.exp(chance), 0.0)


@lru_cache(1000)
def _any_positive_estimator(n: int, positives: int, depth: int) -> FloatArray:
    """Return f for each rank down to a depth, shape (ranks, known positives)."""
    there, known = np.arange(min(positives, depth) + 1)[:, None], np.arange(min(n, depth) + 1)
    chance = _hypergeom(known, np.array(positives), there, np.array(n))
    function = np.zeros((depth, known.size))
    for rank in range(1, depth + 1):
        these = chance[: rank + 1, : rank + 1]
        square = these.T @ these  # squared means; the rest is variance
        error = square + (np.diag(these.sum(axis=0)) - square) / _ASSUMED_QUERIES
        function[rank - 1, : rank + 1] = np.linalg.solve(error, these[1:].sum(axis=0))
    return function


def estimate_bpref(_: object, ranking: Ranking, betas: FloatArray, *__: object) -> Answer:
    """Return bpref as trec_eval does (Buckley and Voorhees, SIGIR 2004, 25-32), without limits."""
    if not ranking.total.known_positive:
        raise PUDataError("bpref needs a known positive, but there is none.")
    unknown = np.full(betas.size, np.nan)
    return Answer(np.full(betas.size, _bpref(ranking.known_blocks)[0]), unknown, unknown)


def bpref_of_known(_: object, blocks: KnownBlocks, betas: FloatArray) -> tuple[FloatArray, ...]:
    """Return bpref; see `OfKnown`."""
    none = np.zeros(betas.shape)
    return none + _bpref(blocks)[:, np.newaxis], none, none + 1


def _bpref(blocks: KnownBlocks) -> FloatArray:
    """Return bpref of each ranking."""
    n, negatives = blocks.total[:, 0], blocks.total[:, 1] - blocks.unranked
    most, scale = (each[blocks.owner] for each in (n, np.clip(negatives, 1, np.maximum(n, 1))))

    def weights_through(above: IntArray) -> FloatArray:
        """Return the sum of 1 - min(j, n)/scale over j below a number."""
        few = np.minimum(above, most)
        return np.asarray(above - (few * (few - 1) / 2 + (above - few) * most) / scale)

    above, through = blocks.negative_above, blocks.negative + 1
    mean = (weights_through(through) - weights_through(above)) / (through - above)
    is_ranked = blocks.negative <= negatives[blocks.owner]
    return blocks.sums(blocks.number * mean * is_ranked) / n
