"""Estimate areas on this sample with known, unequal label probabilities.

Known positive i represents itself and v_i hidden positives, proportional to w_i - 1. Errors are
those of a linear statistic of independent labels (Särndal, Swensson and Wretman, *Model Assisted
Survey Sampling*, 1992, ch. 5). Equal weights give the unweighted estimates.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from pu_accessor.inference.answer import Answer
from pu_accessor.inference.bands.weighted import hidden_shares, unseen_weight
from pu_accessor.inference.estimates.hidden_positive_limits import (
    weighted_ap_limits,
    weighted_mean_rank_limit,
)
from pu_accessor.inference.estimates.intervals import half_width, logit_interval
from pu_accessor.inference.estimates.known_positives import (
    FloatPair,
    block_bounds,
    count_negatives,
    count_positives,
    mid_ranks,
)
from pu_accessor.inference.influence import kurtosis_df
from pu_accessor.ranking import FloatArray, IntArray, Ranking

_MIN_DIVISOR = 1e-300  # replaces 0


def weighted_auroc(
    ranking: Ranking, weight: FloatArray, betas: FloatArray, level: float
) -> Answer:
    """Estimate AUROC, with an interval that covers Student's t and the limits of random gaps."""
    # Simulated coverage is .95 and more where odds of being labeled change up to five times per
    # standard deviation, from an effective size of 13 on.
    count_negatives(ranking.total, betas)
    examples, n = sum(ranking.total), ranking.total.known_positive
    positives = count_positives(ranking.total, betas)
    rank = mid_ranks(ranking)
    below, negatives = rank - rank[0], examples - positives  # exactly 0 if all ranks are equal
    hidden = (positives - n).tolist()
    shares = [hidden_shares(weight, number) for number in hidden]
    mean_below = np.array([float((1 + v) @ below) for v in shares]) / positives
    mean = rank[0] + mean_below
    value = 1 - (mean - (positives + 1) / 2) / negatives
    rows = zip(mean_below, positives * negatives, shares, strict=True)
    spreads = [_weighted_error((a - below) / s, v) for a, s, v in rows]
    error, kurtosis, down, up = np.array(spreads).T
    if n < 3:  # areas under bounding curves replace the interval
        return Answer(value, value + np.nan, value + np.nan, error)
    df = kurtosis_df(kurtosis, n)
    half_widths = half_width(down, df, level), half_width(up, df, level)
    position, ratio = 1 - (mean - 0.5) / examples, examples / negatives
    lower, upper = logit_interval(value, position, ratio, *half_widths)
    limit = partial(weighted_mean_rank_limit, rank, weight, examples=examples, level=level)
    ranks = [[limit(m, side=side) if m else np.nan for m in hidden] for side in (0, 1)]
    means = (rank.sum() + (positives - n) * np.array(ranks)) / positives
    high, low = 1 - (means - (positives + 1) / 2) / negatives
    return Answer(value, np.fmin(lower, low), np.fmax(upper, high), error)


def weighted_ap(ranking: Ranking, weight: FloatArray, betas: FloatArray, level: float) -> Answer:
    """Estimate average precision, with the interval of random gaps."""
    # Simulated coverage is .94 and more at an effective size of 50, and .90 at 13 where the odds
    # fall five times per standard deviation.
    n, positives = ranking.total.known_positive, count_positives(ranking.total, betas)
    _, end = block_bounds(ranking)
    value, error = jackknife_ap(ranking, weight, betas)
    limits = np.full((value.size, 2), np.nan)
    for row, hidden in zip(limits, (positives - n).tolist(), strict=True):
        if hidden and n > 2:
            row[:] = weighted_ap_limits(end, weight, hidden, level)
    return estimates_with_limits(value, error, limits)


def estimates_with_limits(
    value: FloatArray, error: FloatArray, limits: FloatArray | Sequence[tuple[float, float]]
) -> Answer:
    """Return estimates with limits, widened to the value."""
    lower, upper = np.array(limits, np.float64).T
    return Answer(value, np.minimum(lower, value), np.maximum(upper, value), error)


def jackknife_ap(ranking: Ranking, weight: FloatArray, betas: FloatArray) -> FloatPair:
    """Return average precision and its jackknife standard error."""
    n, (_, end), rows = ranking.total.known_positive, block_bounds(ranking), []
    for number in count_positives(ranking.total, betas).tolist():
        hidden = hidden_shares(weight, number - n)
        area, pull = _ap_and_pull(end, 1 + hidden, number)
        has_error = n > 2 or number == n
        rows.append((area, _weighted_error(pull, hidden)[0] if has_error else np.nan))
    value, error = np.transpose(rows)
    return value, error


def _ap_and_pull(end: IntArray, w: FloatArray, positives: float) -> tuple[float, FloatArray]:
    """Return average precision, and its derivatives by what each known positive represents."""
    n, own = w.size, w / end
    # Ties count up to the end of their block, and from its start.
    first, last = (np.searchsorted(end, end, side) for side in ("left", "right"))
    above = np.cumsum(w)[last - 1] - w
    below = np.cumsum(own[::-1])[::-1][first] - own
    total, squares = w.sum(), w**2
    single, pairs = own.sum(), own @ above
    value = single / total + (positives - 1) * pairs / max(total**2 - squares.sum(), _MIN_DIVISOR)
    if end[0] == end[-1] or n < 3:
        return float(value), np.zeros(n)
    without = (total - w) ** 2 - (squares.sum() - squares)
    left_out = (positives - 1) / without * (pairs - own * above - w * below)
    left_out += (single - own) / (total - w)
    return float(value), (value - left_out) * (1 - w / total) / w


def _weighted_error(pull: FloatArray, v: FloatArray) -> tuple[float, float, float, float]:
    """Return an error, the kurtosis of its terms, and errors with an unseen positive at an end."""
    n, m = v.size, v.sum()
    if not m:
        return 0.0, np.nan, 0.0, 0.0
    w = 1 + v
    d = pull - v @ pull / m
    square = (d * np.sqrt(w * v) / (1 - w / w.sum())) ** 2
    error = float(np.sqrt((n - 1) / n * square.sum()))
    if not error:
        return 0.0, np.nan, 0.0, 0.0
    kurtosis = float(np.mean(square**2) / np.mean(square) ** 2)
    more = [max(unseen_weight(ordered)[-1] - w.mean(), 0.0) for ordered in (w, w[::-1])]
    down, up = np.hypot(error, more * np.array([d.min(), d.max()]))
    return error, kurtosis, float(down), float(up)


def known_share_below(ahead: FloatArray, share: FloatArray) -> FloatArray:
    """Return the shares of the known positives that rank below each; half of those tied."""
    _, block = np.unique(ahead, return_inverse=True)
    tied = np.bincount(block, share)
    return (1 - np.cumsum(tied) + tied / 2)[block]
