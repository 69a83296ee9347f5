"""Estimate areas on this sample: known positives are a random sample of all P = n + beta*U.

AUROC is 1 - (mean(R) - (P + 1)/2)/M with R the mid-ranks of known positives and M = N - P. Its
limits are those of a bounded mean, the placement of positives among all N rows, whose distances
shrink by sqrt(1 - n/P). With propensities known positive i stands for v_i hidden ones, and errors
are those of a linear statistic of independent labels (Särndal, Swensson and Wretman, *Model
Assisted Survey Sampling*, 1992, ch. 5); without, all v_i are m/n. Errors of average precision: the
jackknife of a U-statistic (Arvesen, Ann. Math. Stat. 40, 1969, 2076-2100). Partial areas: McClish,
Medical Decision Making 9 (1989) 190-195.

Limits of average precision are from draws of where the hidden positives rank. Under random
labeling all orders of n known and m hidden positives are equally likely: the hidden ones in the
n + 1 gaps between known ones are a uniform composition of m, whole numbers in proportion to
exponential variables. With propensities the variable of a gap has the mean that its known positive
stands for. The constants are chosen by simulation (coverage.csv: "`average_precision`, this
sample").
"""

from typing import Any, NamedTuple

import numpy as np

from pu_accessor.checks import hidden_counts
from pu_accessor.inference.answer import Answer, mean_limits, use_sample_completion
from pu_accessor.inference.contingency import Table
from pu_accessor.inference.curves import roc_area
from pu_accessor.inference.influence import unbiased_auroc
from pu_accessor.inference.known_positives import (
    FloatPair,
    block_bounds,
    count_negatives,
    count_positives,
    hidden_by_known,
    linear_errors,
    weight_beyond,
)
from pu_accessor.ranking import CountArray, FloatArray, IntArray, KnownBlocks, Numbers, Ranking
from pu_accessor.roles_and_assumptions import Terms

_MIN_DIVISOR = 1e-300  # replaces 0
# Above it intervals cover too little in simulations (coverage.csv: "`auroc`, this sample", design
# "propensities").
_MAX_RELATIVE_ERROR = 0.1


def estimate_auroc(metric: Any, ranking: Ranking, betas: FloatArray, terms: Terms) -> Answer:
    """Estimate AUROC, whole or up to a false positive rate, with its interval."""
    max_fpr = metric.max_fpr
    if max_fpr is None or max_fpr == 1:
        statistic = full_auroc(ranking, betas, terms.level)
    else:
        statistic = _pauc(ranking, betas, terms.level, max_fpr)
    return use_sample_completion(metric, ranking, betas, terms, statistic)


def full_auroc(ranking: Ranking, betas: FloatArray, level: float = 0.95) -> Answer:
    """Return the unbiased area, which may lie outside [0, 1], with its error and interval."""
    value = unbiased_auroc(ranking, betas)  # first, as it needs negatives
    placement = 1 - np.mean(block_bounds(ranking), axis=0) / sum(ranking.total)
    rows = [mean_limits(placement, hidden, level) for hidden in hidden_by_known(ranking, betas)]
    scale = sum(ranking.total) / count_negatives(ranking.total, betas)
    shift, error, down, up = scale * np.transpose(rows)
    value = value + shift
    ends, untrimmed = _possible_auroc(ranking, betas), (value, value - down, value + up)
    # Where all known positives share a score, the curves of the band replace the limits.
    lower, upper = (np.where(error > 0, np.clip(limit, *ends), np.nan) for limit in untrimmed[1:])
    return Answer(value, lower, upper, error, untrimmed=untrimmed)


def _possible_auroc(ranking: Ranking, betas: FloatArray) -> FloatArray:
    """Return the areas with all hidden positives at the bottom, and at the top."""
    known, unlabeled, total = ranking.known_positive, ranking.unlabeled, ranking.total
    no_known = np.diff(known + ranking.known_negative) == 0
    areas = np.empty((2, betas.size))
    for column, positives in enumerate(count_positives(total, betas).tolist()):
        hidden = positives - total.known_positive
        hidden_at_bottom = np.maximum(unlabeled - (total.unlabeled - hidden), 0)
        sides = (hidden_at_bottom, -1), (np.minimum(unlabeled, hidden), 1)
        for row, (added, sign) in enumerate(sides):
            table = Table.of(known + added, ranking.rank, positives, sum(total))
            triangles = (np.diff(table.fp) * np.diff(table.tp)) @ no_known / 2
            negatives = sum(total) - positives
            areas[row, column] = roc_area(*table) + sign * triangles / (positives * negatives)
    return areas


def _pauc(ranking: Ranking, betas: FloatArray, level: float, limit: float) -> Answer:
    """Estimate the standardized area up to a false positive rate."""
    negatives = count_negatives(ranking.total, betas)
    positives, number = count_positives(ranking.total, betas), np.diff(ranking.known_positive)
    rows = []
    for hidden, *each in zip(hidden_by_known(ranking, betas), positives, negatives, strict=True):
        value, below, length, relative_error = _pauc_at(ranking, limit, *each)
        placement = np.repeat(below / length, number)
        _, *limits = length * np.array(mean_limits(placement, hidden, level))
        rows.append((value, *limits, relative_error))
    value, error, down, up, relative_error = np.transpose(rows)
    unit = negatives * (2 * (limit - limit**2 / 2))  # ranks in an area of 1
    factor = (1 - ranking.total.known_positive / positives) ** 0.5
    # Elsewhere areas under bounding curves replace the interval.
    is_sure = (error > 0) & (relative_error * factor <= _MAX_RELATIVE_ERROR)
    lower, upper = (np.where(is_sure, value + each / unit, np.nan) for each in (-down, up))
    return Answer(value, np.clip(lower, 0, 1), np.clip(upper, 0, 1), error / unit)


def _pauc_at(
    ranking: Ranking, limit: float, positives: float, negatives: float
) -> tuple[float, FloatArray, float, float]:
    """Return the partial area, ranks below each step, their number, and the relative error."""
    # The relative error is that of the false positives at the limit, before sampling is corrected.
    n, share = ranking.total.known_positive, ranking.known_positive / ranking.total.known_positive
    false, max_false = ranking.rank - positives * share, limit * negatives
    stop = np.minimum(false, max_false)
    width, growth = np.diff(stop), np.diff(false)
    is_flat = growth == 0
    growth[is_flat] = 1
    height = share[:-1] + np.diff(share) / growth * ((stop[:-1] + stop[1:]) / 2 - false[:-1])
    above_chance = float(width @ height) / negatives - limit**2 / 2
    # The share of each step between two cutoffs below the limit; a cut step has it at one end.
    part = np.where(is_flat, false[:-1] < max_false, width / growth)
    length = part * np.diff(ranking.rank)
    length_below = np.cumsum(length[::-1])[::-1] - length
    below = length_below + length * np.where(growth < 0, 1 - part / 2, part / 2)
    tpr = np.clip(share[np.argmax(false >= max_false)], 0.5 / n, 1 - 0.5 / n)
    relative_error = positives / max_false * float(np.sqrt(tpr * (1 - tpr) / n))
    return 0.5 + above_chance / (2 * limit - limit**2), below, float(length.sum()), relative_error


def estimate_ap(metric: Any, ranking: Ranking, betas: FloatArray, terms: Terms) -> Answer:
    """Estimate average precision, a U-statistic, with its interval from draws of gaps."""
    value, error = ap_and_error(ranking, betas)
    limits, blocks = np.full((2, betas.size), np.nan), ranking.known_blocks
    n, numbers = ranking.total.known_positive, hidden_counts(betas, ranking.total.unlabeled)
    for column, hidden in enumerate(hidden_by_known(ranking, betas)):
        number = int(numbers[column])
        if number and n > 1:
            limits[:, column] = ap_limits(blocks, hidden, number, sum(ranking.total), terms.level)
    lower, upper = np.minimum(limits[0], value), np.maximum(limits[1], value)
    statistic = Answer(value, lower, upper, error)
    return use_sample_completion(metric, ranking, betas, terms, statistic)


def ap_and_error(ranking: Ranking, betas: FloatArray) -> FloatPair:
    """Return average precision, which may exceed 1, and its jackknife standard error."""
    end, rows = block_bounds(ranking)[1], []
    for hidden in hidden_by_known(ranking, betas):
        value, pull = _ap_and_pull(end, 1 + hidden)
        is_known = end.size > 2 or not hidden.any()
        rows.append((value, linear_errors(pull, hidden)[0] if is_known else np.nan))
    value, error = np.transpose(rows)
    return value, error


def _ap_and_pull(end: IntArray, w: FloatArray) -> tuple[float, FloatArray]:
    """Return average precision, and its derivatives by what each known positive represents."""
    n, own, positives = w.size, w / end, w.sum()
    if n == 1 < positives:
        return np.nan, np.zeros(1)
    # Ties count up to the end of their block, and from its start.
    first, last = (np.searchsorted(end, end, side) for side in ("left", "right"))
    above = np.cumsum(w)[last - 1] - w
    below = np.cumsum(own[::-1])[::-1][first] - own
    squares = w**2
    single, pairs = own.sum(), own @ above
    value = single / positives
    value += (positives - 1) * pairs / max(positives**2 - squares.sum(), _MIN_DIVISOR)
    if end[0] == end[-1] or n < 3:
        return float(value), np.zeros(n)
    without = (positives - w) ** 2 - (squares.sum() - squares)
    left_out = (positives - 1) / without * (pairs - own * above - w * below)
    left_out += (single - own) / (positives - w)
    return float(value), (value - left_out) * (1 - w / positives) / w


_SEED, _DRAWS = 150406837, 1000
_UNGROUPED_BLOCKS, _BLOCK_GROUPS = 60, 30  # single blocks at the top, groups of those below
_SMALL_SAMPLE = 10  # known positives up to which the first hidden ones may be at the very top
_DECIMALS = 6  # of a shape and a mean, so that rounding errors change no draws


class _Gaps(NamedTuple):
    """The gaps that hidden positives are shared out to."""

    top: CountArray  # single blocks: `number`, `known`, `start` and `end`, shape (4, blocks)
    end: int  # examples at or above the last block
    groups: FloatArray  # of the others: known positives; sums of precisions, by what is above
    mean: FloatArray  # hidden positives next to and within single blocks, and in groups
    shape: FloatArray  # of the gamma variables with these means


def ap_limits(
    blocks: KnownBlocks, hidden: FloatArray, number: int, examples: int, level: float
) -> tuple[float, float]:
    """Return limits of average precision, given how many hidden ones a known one stands for."""
    # Hidden positives are at the end of their gap for `lower`, and at its start for `upper`; there
    # unseen ones start at rank r1**2/(2*r2)*(1 - 10/n) at the least.
    gaps, n = _divide_blocks(blocks, hidden), hidden.size
    r1 = int(blocks.end[0])
    r2 = r1 if blocks.number[0] > 1 or blocks.end.size == 1 else int(blocks.end[1])
    first = min(r1**2 / (2 * r2), float(blocks.start[0])) * max(1 - _SMALL_SAMPLE / n, 0.0)
    below, above = (_hidden_beyond(side) for side in (hidden, hidden[::-1]))
    drawn = {unseen: _draw_hidden(gaps, unseen, number) for unseen in {below, above}}
    lowest = _lowest_precisions(gaps, drawn[below], n + number, examples)
    highest = _highest_precisions(gaps, drawn[above], first)
    tail = (1 - level) / 2
    lower = float(np.quantile(lowest, tail, method="lower")) / (n + number)
    upper = float(np.quantile(highest, 1 - tail, method="higher")) / (n + number)
    return lower, min(upper, 1.0)


def _hidden_beyond(hidden: FloatArray) -> float:
    """Return how many hidden positives rank below the last known one, in the mean."""
    # A weight above the mean is a sign that those beyond may be larger yet.
    weight = weight_beyond(1 + hidden)
    growth = float(np.sqrt(max(weight / (1 + hidden.mean()), 1.0)))
    return round((weight - 1) * growth, _DECIMALS)


def _divide_blocks(blocks: KnownBlocks, hidden: FloatArray) -> _Gaps:
    """Divide the blocks of known positives into single ones at the top, and groups."""
    number, known, end = blocks.number, blocks.known, blocks.end
    size = number.size
    single = size if size <= _UNGROUPED_BLOCKS + _BLOCK_GROUPS else _UNGROUPED_BLOCKS
    top = np.stack([number, known, blocks.start, end])[:, :single]
    moments = np.add.reduceat(np.stack([hidden, hidden**2]), known - number, axis=1) / number
    of_top, groups = moments[:, :single], np.empty((4, 0))
    moments_by_gap = [of_top, of_top * (top[0] - 1)]
    if single < size:
        # Groups grow geometrically, because precision changes fast at the top.
        first = np.geomspace(single, size, _BLOCK_GROUPS + 1).round().astype(np.int64)
        first = np.unique(first)[:-1]
        in_group, times = np.add.reduceat(number, first), np.diff(np.append(first, size))
        before = np.repeat(known[first] - number[first], times)
        within = (known[single:] - before) / np.repeat(in_group, times)
        each = (
            number[single:]
            / end[single:]
            * np.stack([known[single:], np.ones(within.size), within])
        )
        groups = np.vstack([in_group, np.add.reduceat(each, first - single, axis=1)])
        moments_by_gap.append(np.add.reduceat(number * moments, first, axis=1))
    mean, square = np.hstack(moments_by_gap)
    shape = np.divide(mean**2, square, out=np.zeros(mean.size), where=square > 0)
    return _Gaps(top, int(end[-1]), groups, mean, shape.round(_DECIMALS))


def _draw_hidden(gaps: _Gaps, unseen: float, number: int) -> FloatArray:
    """Draw the hidden positives of all gaps, and last the unseen, shape (draws, gaps + 1)."""
    rng, shape = np.random.default_rng(_SEED), np.append(gaps.shape, 1.0)
    gammas = rng.standard_gamma(shape, (_DRAWS, shape.size))
    gammas *= np.append(gaps.mean, unseen) / np.where(shape > 0, shape, 1)
    shares = gammas / gammas.sum(axis=1, keepdims=True)
    return rng.multinomial(number, shares).astype(np.float64)


def _lowest_precisions(
    gaps: _Gaps, drawn: FloatArray, positives: int, examples: int
) -> FloatArray:
    """Return sums of precisions with hidden positives at the ends of gaps, unseen ones last."""
    number, known, start, end = gaps.top
    before, within, grouped, unseen = _split(drawn, number.size, examples - gaps.end, -2)
    through = known + np.cumsum(before + within, axis=1)  # positives at or above each block
    tied = np.minimum(before, np.maximum(end - start - number - within, 0))
    free, above = before - tied, through - number - within - before
    total = (number + within + tied) * np.minimum(through / end, 1)
    total += _run_precisions(free, above, np.maximum(start - free, above))
    above = positives - unseen
    bottom = _run_precisions(unseen, above, np.maximum(examples - unseen, above))
    by_group = np.minimum(_group_precisions(gaps, grouped, through), gaps.groups[0])
    groups = by_group * (1 + grouped / gaps.groups[0])
    return np.asarray(np.hstack([total, bottom, groups]).sum(axis=1))


def _highest_precisions(gaps: _Gaps, drawn: FloatArray, first: float) -> FloatArray:
    """Return sums of precisions with hidden positives at the starts of gaps, unseen ones first."""
    number, known, start, end = gaps.top
    after, within, grouped, unseen = _split(drawn, number.size, int(start[0]), number.size)
    through = known + unseen + np.cumsum(after + within, axis=1) - after
    tied = np.minimum(after, np.maximum(end - start - number - within, 0))
    through += tied
    total = (number + within + tied) * through / end
    total += _run_precisions(after - tied, through, end)
    top = _run_precisions(unseen, np.zeros(1), np.full(1, first))
    by_group = _group_precisions(gaps, grouped, through + after - tied)
    groups = by_group * (1 + grouped / gaps.groups[0])
    return np.asarray(np.hstack([total, top, groups]).sum(axis=1))


def _split(drawn: FloatArray, single: int, room: int, crowded: int) -> list[FloatArray]:
    """Return hidden positives next to and within single blocks, in groups, and unseen ones."""
    # Unseen ones that do not fit beyond the known positives are tied with the nearest of these.
    drawn = drawn.copy()
    drawn[:, crowded] += np.maximum(drawn[:, -1] - room, 0)
    drawn[:, -1] = np.minimum(drawn[:, -1], room)
    return np.split(drawn, [single, 2 * single, drawn.shape[1] - 1], axis=1)


def _group_precisions(gaps: _Gaps, hidden: FloatArray, through: Numbers) -> FloatArray:
    """Return the sums of precisions over the known positives of each group."""
    _, by_known, by_hidden, by_within = gaps.groups
    above = through[:, -1:] - float(gaps.top[1, -1]) + np.cumsum(hidden, axis=1) - hidden
    return np.asarray(by_known + above * by_hidden + hidden * by_within)


def _run_precisions(hidden: FloatArray, above: FloatArray, rank: Numbers) -> FloatArray:
    """Return the sum of (above + j)/(rank + j), the precisions of consecutive hidden positives."""
    return hidden - (rank - above) * (harmonic(rank + hidden) - harmonic(rank))


def harmonic(number: Numbers) -> FloatArray:
    """Return harmonic numbers minus Euler's constant, to 0.001 from 1 on."""
    middle = number + 0.5
    return np.log(middle + 1 / (24 * middle))
