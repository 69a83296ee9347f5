"""Early recognition: BEDROC and lift at a share, means over positives of a function of rank."""

from dataclasses import replace

import numpy as np

from pu_accessor.checks import is_number
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.estimates.intervals import (
    Estimates,
    at_completed,
    rank_interval,
    reach,
    settle,
)
from pu_accessor.inference.estimates.known_positives import (
    count_negatives,
    count_positives,
    hidden_share,
    places,
)
from pu_accessor.inference.estimates.latent_gaps import latent_quantile
from pu_accessor.inference.influence import Influence, find_design, find_spread, mean_influences
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import check_labels, completed_table
from pu_accessor.ranking import FloatArray, IntArray, Ranking

# Of alpha: below, differences of weights are lost in rounding; above, only the very top counts.
_LEAST, _MOST = 1e-4, 1e9


def check_alpha(alpha: float) -> float:
    """Raise unless this says how early is early."""
    if not is_number(alpha):
        raise PUTypeError(f"alpha must be a number above 0, but {alpha!r} was passed.")
    if not _LEAST <= float(alpha) <= _MOST:
        raise PUValueError(
            f"alpha must be in [{_LEAST:g}, {_MOST:g}], but {alpha!r} was passed. At 20, the "
            "default, the top 8% make 80% of the score; near 0 all ranks count alike, which is "
            "AUROC: df.pu.auroc."
        )
    return float(alpha)


def estimate_bedroc(
    ranking: Ranking, betas: FloatArray, rule: Settings, alpha: float, target: str
) -> Estimates:
    """Estimate BEDROC, with an interval.

    Notes
    -----
    The mean over all positives of w(r) = exp(-alpha*r/N), scaled so that it is 0 with all of them
    at the bottom and 1 with all at the top [1]_. In a block of ties each has the mean of its
    ranks, as over random orders. The positives are those of a completed ranking
    (`pu_accessor.inference.completion`).

    The interval for these examples is what latent positives make that are shared out at random to
    the gaps between known ones (`pu_accessor.inference.estimates.latent_gaps`): those of each gap
    at the known one after it for the lower limit, at the one before for the upper. Nothing is
    taken for granted of where in a gap they lie, as the weights fall fast there.

    On new examples the known positives are a sample of all; the rest is another, as it moves
    ranks. With r = nF + (N - n)G at a score, and w' = -alpha/N*w, a known positive adds (w(r) +
    the sum of w' over the known positives at or below it)/n, one of the rest that sum over n, each
    less its mean. The interval is Student's t on the logit scale of where the mean lies between
    the weights of the first and the last rank.

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
    >>> for target in ("examples", "population"):
    ...     found = estimate_bedroc(ranking, np.array([0.25]), Settings(), 5.0, target)
    ...     print(found.value.round(3), found.lower.round(3), found.upper.round(3))
    [0.705] [0.436] [1.]
    [0.705] [0.106] [1.]
    """
    on_new = target == "population"
    check_labels(betas, ranking.total)
    count_negatives(ranking.total, betas)
    pace = alpha / sum(ranking.total)
    top, bottom = _ends(sum(ranking.total), count_positives(ranking.total, betas), pace)
    mean = (_on_new if on_new else _of_these)(ranking, betas, pace, rule.level)
    value, lower, upper = ((part - bottom) / (top - bottom) for part in mean.parts)
    limits = np.clip([lower, upper], 0, 1)
    statistic = Estimates(value, mean.error / (top - bottom), *limits)
    completed = completed_bedroc(ranking, alpha, betas, on_new=on_new)
    if not on_new:
        statistic = settle(ranking, betas, statistic, completed)
    return at_completed(ranking, betas, rule.level, statistic, completed)


def _of_these(ranking: Ranking, betas: FloatArray, pace: float, level: float) -> Estimates:
    """Estimate the mean weight of the positives of these examples."""
    start, end = places(ranking)
    weight, n, examples = _mean_weight(start, end - start, pace), start.size, sum(ranking.total)
    every = count_positives(ranking.total, betas)
    first, last = _mean_weight(np.array([0.0, examples - 1]), np.ones(2), pace)
    spread = weight.std(ddof=1) / n**0.5 if n > 1 else np.nan
    factor = hidden_share(ranking.total, betas) ** 0.5
    error = np.where(factor > 0, spread * factor, 0.0)
    limits = [_limits(weight, p - n, (first, last), pace, examples, level) for p in every.tolist()]
    means = (weight.sum() + (every - n) * np.transpose(limits)) / every
    return Estimates(np.full(every.size, weight.mean()), error, *means)


def _on_new(ranking: Ranking, betas: FloatArray, pace: float, level: float) -> Estimates:
    """Estimate the mean weight of the positives of new examples."""
    mean, influences = _mean_of_known(ranking, pace)
    squares, df = find_spread(influences)
    design = find_design(ranking.clusters, lambda: influences)
    ends = np.array([0.0, sum(ranking.total) - 1])
    best, worst = _mean_weight(ends, np.ones(2), pace).tolist()
    one = np.ones(betas.size)
    error = float(design.effect * squares.sum()) ** 0.5 * one
    away = reach(error, min(df, design.df), level)
    place, stretch = (mean - worst) / (best - worst), (best - worst) * one
    limits = rank_interval(mean * one, place, stretch, away, away)
    if not error.any():  # all are tied: nothing is known of how far others lie from there
        limits = worst * one, best * one
    return Estimates(mean * one, error, *limits)


def _mean_of_known(ranking: Ranking, pace: float) -> tuple[float, list[Influence]]:
    """Return the mean weight of known positives, and what examples add to it."""
    weight = _mean_weight(ranking.rank[:-1], np.diff(ranking.rank), pace)
    terms = weight, -pace * weight, -pace * weight
    influences = mean_influences(replace(ranking, strata=()), lambda _: terms)
    mean = float(np.diff(ranking.known_positive) @ weight) / ranking.total.known_positive
    return mean, influences


def linear_bedroc(
    ranking: Ranking, betas: FloatArray, alpha: float
) -> tuple[FloatArray, list[Influence], FloatArray]:
    """Return BEDROC, what examples add to a mean weight, and by how much it grows with that."""
    pace, positives = alpha / sum(ranking.total), count_positives(ranking.total, betas)
    top, bottom = _ends(sum(ranking.total), positives, pace)
    mean, influences = _mean_of_known(ranking, pace)
    return (mean - bottom) / (top - bottom), influences, 1 / (top - bottom)


def bedroc_of_known(
    ranking: Ranking, betas: FloatArray, alpha: float
) -> tuple[FloatArray, FloatArray, tuple[FloatArray, FloatArray]]:
    """Return BEDROC of the known positives, its variance, and its least and most.

    That is what it would be if all positives lay like those, and with these at one end.
    """
    examples, n = sum(ranking.total), ranking.total.known_positive
    pace, positives = alpha / examples, count_positives(ranking.total, betas)
    top, bottom = _ends(examples, positives, pace)
    weight = _mean_weight(ranking.rank[:-1], np.diff(ranking.rank), pace)
    known = np.diff(ranking.known_positive)
    mean = float(known @ weight) / n
    square = float(known @ (weight - mean) ** 2) / n / (n - 1) if n > 1 else np.nan
    best, worst = _ends(examples, np.array(float(n)), pace)
    value, low, high = ((part - bottom) / (top - bottom) for part in (mean, worst, best))
    return value, square / (top - bottom) ** 2, (low, high)


def _ends(examples: float, positives: FloatArray, pace: float) -> tuple[FloatArray, FloatArray]:
    """Return the mean weight of positives that are all at the top, and all at the bottom."""
    at_top = _mean_weight(np.array(0.0), positives, pace)
    return at_top, _mean_weight(examples - positives, positives, pace)


def completed_bedroc(
    ranking: Ranking, alpha: float, betas: FloatArray, *, on_new: bool
) -> FloatArray:
    """Return BEDROC of the completed ranking."""
    pace = alpha / sum(ranking.total)
    completed, table = completed_table(ranking, betas, on_new=on_new)
    start, size = completed.rank[:-1], np.diff(completed.rank)
    positives = table.tp[-1]
    mean = _mean_weight(start, size, pace) @ np.diff(table.tp, axis=0) / positives
    top, bottom = _ends(sum(ranking.total), positives, pace)
    # Where all are positive no rank is better than another.
    apart = np.where(top > bottom, top - bottom, np.nan)
    return np.asarray(np.clip((mean - bottom) / apart, 0, 1))  # but for rounding


def _mean_weight(
    start: FloatArray | IntArray, length: FloatArray | IntArray, pace: float
) -> FloatArray:
    """Return the mean of exp(-pace*rank) over some ranks from a place on, but a factor.

    It is the same factor for all, and cancels.
    """
    return np.asarray(-np.exp(-pace * start) * np.expm1(-pace * length) / length)


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
    best = float(_mean_weight(np.array(0.0), np.array(latent), pace))
    worst = float(_mean_weight(np.array(examples - latent), np.array(latent), pace))
    limits = []
    for end, tail in zip(ends[::-1], ((1 - level) / 2, (1 + level) / 2), strict=True):
        each, times = np.unique(np.append(weight, end), return_counts=True)
        limits.append(latent_quantile(each, times, latent, tail))
    low, high = np.clip(limits, worst, best).tolist()
    return low, high
