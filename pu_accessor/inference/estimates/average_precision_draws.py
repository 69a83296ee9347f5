"""Limits of average precision on this sample, from draws of where the hidden positives rank.

Under random labeling all orders of n known and m hidden positives are equally likely: the hidden
ones in the n + 1 gaps between known ones are a uniform composition of m, whole numbers in
proportion to exponential variables. With propensities the variable of a gap has the mean that its
known positive stands for. The constants are chosen by simulation (coverage.csv:
"`average_precision`, this sample").
"""

from typing import NamedTuple

import numpy as np

from pu_accessor.inference.bands.weighted import weight_beyond
from pu_accessor.ranking import CountArray, FloatArray, KnownBlocks, Numbers

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
