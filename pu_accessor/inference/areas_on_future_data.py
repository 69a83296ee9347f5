"""Estimate areas on future data: known positives and the rest are two independent samples.

b is the share of positives in the rest; the placement AUC is b/2 + (1 - b)*AUROC, and its variance
is DeLong's, var(V10)/n + var(V01)/U (Biometrics 44, 1988, 837-845). A limit of a bounded mean is a
quantile of the Bayesian bootstrap with half a value added at that end (Rubin, Ann. Stat. 9, 1981;
with a whole value it is Gaffke's limit, arXiv:1905.06208, which is valid for any distribution).
Errors of average precision come from influence functions (Hampel, JASA 69, 1974, 383-393).
"""

from dataclasses import replace
from typing import Any

import numpy as np
import scipy

from pu_accessor.inference import influence
from pu_accessor.inference.answer import (
    Answer,
    bounded_mean_distances,
    drop_refuted_betas,
    half_width,
    include_estimate,
    join_answers,
    logit_interval,
    use_completed,
)
from pu_accessor.inference.contingency import completed_table
from pu_accessor.inference.curves import area_of_estimate, aurocs_of_estimates, odds_factor
from pu_accessor.inference.known_positives import (
    FloatPair,
    count_negatives,
    count_positives,
    effective_size,
)
from pu_accessor.inference.prior import limits_from_positives
from pu_accessor.inference.worlds import RANDOM, FutureData, add_prevalence_error
from pu_accessor.ranking import FloatArray, KnownBlocks, Ranking
from pu_accessor.roles_and_assumptions import Terms

_MIN_SHARE = 1e-9  # replaces a share of 0, which has no logit


def estimate_auroc(metric: Any, ranking: Ranking, betas: FloatArray, terms: Terms) -> Answer:
    """Estimate AUROC on future data, whole or up to a false positive rate, with its interval."""
    if metric.max_fpr is not None:
        return _estimate_pauc(metric, ranking, betas, terms)
    share = influence.positive_share_of_rest(ranking.total, betas)
    value = influence.unbiased_auroc(ranking, betas)
    design = influence.design_effect_of_auroc(ranking)
    placements = influence.placements_of(ranking.known_blocks)
    placements = placements._replace(size=placements.size / design.effect)
    statistic = auroc_interval(share, placements, terms.level, design.df)
    statistic = _trim_chance(ranking, replace(statistic, value=value), 0.5)
    completed = area_of_estimate(metric, ranking, betas, on_new=True)
    return use_completed(ranking, betas, terms.level, statistic, completed)


def auroc_interval(
    share: FloatArray, placements: influence.Placements, level: float, df: float = np.inf
) -> Answer:
    """Return the unbiased AUROC with its error and interval, of one ranking or of many."""
    value, lower, upper = (
        (above - share / 2) / (1 - share)
        for above in (placements.above, *bounded_mean_limits(placements, level, df))
    )
    error = np.sqrt(np.sum(placements.squares, axis=0)) / (1 - share)
    return Answer(value, np.clip(lower, 0, 1), np.clip(upper, 0, 1), error)


def _trim_chance(ranking: Ranking, area: Answer, chance: FloatArray | float) -> Answer:
    """Raise limits to the area by chance, where scores are monotone."""
    if not ranking.monotone:
        return area
    lower, upper = (np.maximum(end, chance) for end in (area.lower, area.upper))
    return replace(area, lower=lower, upper=upper)


def bounded_mean_limits(
    placements: influence.Placements, level: float, df: float = np.inf
) -> FloatPair:
    """Return limits of a mean in [0, 1] that two samples add to, by squared distances."""
    mean, tail = np.clip(placements.above, 0, 1), (1 - level) / 2  # removes rounding errors
    # With few clusters the variance is uncertain, so Student's t replaces the normal quantile.
    normal = scipy.special.ndtri(tail)
    t_over_normal = scipy.special.stdtrit(df, tail) / normal if normal else 1.0
    down, up = bounded_mean_distances(mean, placements.variance, placements.size, level)
    return mean - t_over_normal * np.hypot(*down), mean + t_over_normal * np.hypot(*up)


def estimate_aurocs(stack: KnownBlocks, betas: FloatArray, level: float) -> list[Answer | None]:
    """Estimate AUROC on future data of each ranking; None where the stack does not allow it."""
    known, negative, unlabeled = stack.total.T
    completed = aurocs_of_estimates(stack, betas)
    plain = (known > 0) & (unlabeled > 0) & (negative == 0)
    plain &= ((betas < 1) & ~np.isnan(completed)).all(axis=1)
    placements = influence.placements_of(stack)
    chosen = influence.Placements(*(side[..., plain, np.newaxis] for side in placements))
    statistic = auroc_interval(betas[plain], chosen, level)
    highest = limits_from_positives(stack, 1 - level) + 0.5 / np.maximum(unlabeled, 1)
    statistic = drop_refuted_betas(statistic, betas[plain], lambda: highest[plain, np.newaxis])
    estimates = include_estimate(statistic, completed[plain])
    rows = zip(*estimates.parts, statistic.error, strict=True)
    return [Answer(*next(rows)) if is_plain else None for is_plain in plain.tolist()]


def estimate_ap(metric: Any, ranking: Ranking, betas: FloatArray, terms: Terms) -> Answer:
    """Estimate average precision on future data, with an interval on the logit scale of n/P*AP."""
    # Coverage is simulated (coverage.csv: "`average_precision`, future data"): as stated from 50
    # known positives on, not assured below 20.
    if terms.prevalence is None:
        value = unbiased_ap(ranking, betas)
        influences = influence.precision_influences(ranking)
        statistic = _ap_interval(influences, betas, value, terms)
    else:
        count_negatives(ranking.total, betas, "average_precision on future data")
        statistic = _ap_at_prevalence(ranking, betas, terms)
    completed = area_of_estimate(metric, ranking, betas, on_new=True, prevalence=terms.prevalence)
    return use_completed(ranking, betas, terms.level, statistic, completed)


def _ap_interval(
    influences: influence.Influence, betas: FloatArray, value: FloatArray, terms: Terms
) -> Answer:
    """Add an interval to average precision, on the logit scale of its labeled share."""
    ranking = influences.ranking
    n, size = ranking.total.known_positive, sum(ranking.total)
    positives = count_positives(ranking.total, betas)
    factor = odds_factor(terms.prevalence, positives, size - positives)
    squares, df = influence.squared_errors_and_df(influences)
    design = influence.design_effect(influences)
    unscaled_error = float(design.effect * squares.sum()) ** 0.5
    share = np.clip(1 - (1 - n / positives) / factor, _MIN_SHARE, n / positives)
    error = unscaled_error * factor * positives
    if terms.prevalence is None:
        error = _with_prevalence_error(influences, betas, error, terms)
    half = half_width(error, min(df, design.df), terms.level)
    limits = logit_interval(value, share * value, 1 / share, half, half)
    if unscaled_error == 0:
        # All known positives rank above all others: limits are those at Wilson's extreme rates.
        tpr, fpr = _extreme_rates(n / design.effect, (size - n) / design.effect, terms.level)
        tp = factor * (n / design.effect) * tpr
        lower = tpr * tp / (tp + (size - n) / design.effect * fpr)
        limits = np.minimum(value, lower), np.ones(value.size)
    chance = positives / size if terms.prevalence is None else terms.prevalence
    return _trim_chance(ranking, Answer(value, *limits, error), chance)


def _with_prevalence_error(
    influences: influence.Influence, betas: FloatArray, error: FloatArray, terms: Terms
) -> FloatArray:
    """Add the error of the share of positives to the error of average precision."""
    ranking = influences.ranking
    clusters, sums = ranking.clusters, np.empty((0, 0))
    if clusters is not None:
        by_cluster = influence.adjust_sums(influence.cluster_sums(influences), clusters.sizes)
        positives = count_positives(ranking.total, betas)
        sums = np.multiply.outer(positives, by_cluster.sum(axis=0))
    world = FutureData.of(ranking, betas, terms)
    slope = ap_share_slope(ranking, world)
    return np.sqrt(add_prevalence_error(error**2, slope, world.prevalence_error, sums))


def ap_share_slope(ranking: Ranking, world: FutureData) -> FloatArray:
    """Return the derivative of average precision by the share of positives, with rates fixed."""
    blocks = ranking.known_blocks
    known, rest = blocks.known / world.n, (blocks.end - blocks.known) / max(world.rest, 1)
    share = world.hidden[:, np.newaxis]
    prevalence = (world.positives(RANDOM) / world.size)[:, np.newaxis]
    false = np.maximum(rest - share * known, 0) / np.where(share < 1, 1 - share, 1)
    above = prevalence * known + (1 - prevalence) * false
    return np.asarray((known * false / above**2) @ blocks.number / world.n)


def effective_size_of_rest(ranking: Ranking) -> float:
    """Return the effective size of the rest for average precision; NaN without row weights."""
    if ranking.clusters is None or not ranking.clusters.one_per_row:
        return np.nan
    added = np.abs(influence.cluster_sums(influence.precision_influences(ranking))[1])
    return effective_size(added) if added.any() else np.nan


def _ap_at_prevalence(ranking: Ranking, betas: FloatArray, terms: Terms) -> Answer:
    """Estimate average precision where each positive counts w times, to match a prevalence."""
    # An error d in T changes precision T*w/A, A = r - T + w*T, by w*d/A * min(r/A, 1).
    finer, table = completed_table(ranking, betas, on_new=True)
    positives = count_positives(ranking.total, betas)
    factor = odds_factor(terms.prevalence, positives, sum(ranking.total) - positives)
    known, estimates = np.diff(finer.known_positive), []
    for beta, w, tp, number in zip(betas, factor, table.tp.T, positives, strict=True):
        size = np.where(finer.rank > 0, finer.rank - tp + w * tp, 1)
        scale = size * np.maximum(size / np.maximum(finer.rank, 1), 1)
        given = tp * (1 / size - 1 / scale) / number
        one_beta, added = np.array([beta]), number * float(known @ given[1:]) / known.sum()
        value = w * (unbiased_ap(finer, one_beta, scale) + added)
        influences = influence.precision_influences(finer, (size, scale, given))
        estimates.append(_ap_interval(influences, one_beta, value, terms))
    return join_answers(estimates)


def unbiased_ap(ranking: Ranking, betas: FloatArray, rank: FloatArray | None = None) -> FloatArray:
    """Return unbiased average precision, which may exceed 1; `rank` replaces its ranks."""
    ranking = ranking if rank is None else replace(ranking, rank=rank)
    positives = count_positives(ranking.total, betas)
    return np.asarray(_unbiased_aps(ranking.known_blocks, positives)[0])


def _unbiased_aps(blocks: KnownBlocks, positives: FloatArray) -> FloatArray:
    """Return unbiased average precision of some rankings, shape (rankings, betas)."""
    n, weight = blocks.total[:, :1], blocks.number / blocks.end
    single, pairs = (
        blocks.sums(each)[:, np.newaxis] for each in (weight, weight * (blocks.known - 1))
    )
    value: FloatArray = single / n + (positives - 1) * (pairs / (n * np.where(n == 1, 1, n - 1)))
    return np.where((n == 1) & (positives > 1), np.nan, value)


def ap_of_known(_: object, blocks: KnownBlocks, betas: FloatArray) -> tuple[FloatArray, ...]:
    """Return average precision, NaN if the only known positive hides others; see `OfKnown`."""
    positives = blocks.count_positives(betas)
    return _unbiased_aps(blocks, positives), 0 * positives, positives / blocks.total[:, :1]


def auroc_of_known(_: object, blocks: KnownBlocks, betas: FloatArray) -> tuple[FloatArray, ...]:
    """Return AUROC, and that with all known positives below and above the rest; see `OfKnown`."""
    _, negative, unlabeled = blocks.total.T[:, :, np.newaxis]
    share = unlabeled * betas / (negative + unlabeled)  # of positives among the rest
    low, high = -share / (2 * (1 - share)), (1 - share / 2) / (1 - share)
    value: FloatArray = low + blocks.concordance[:, np.newaxis] * (high - low)
    return value, low, high


def _extreme_rates(
    n: float, rest: float, level: float, *design: influence.Design
) -> tuple[float, float]:
    """Return the lowest true and the highest false positive rate where samples are separated."""
    tpr = influence.wilson_interval(np.array([float(n)]), n, level, *design)[0]
    fpr = influence.wilson_interval(np.array([0.0]), rest, level, *design)[1]
    return float(tpr[0]), float(fpr[0])


def _estimate_pauc(metric: Any, ranking: Ranking, betas: FloatArray, terms: Terms) -> Answer:
    """Estimate the standardized partial area on future data (Dodd and Pepe, Biometrics, 2003)."""
    count_negatives(ranking.total, betas, "auroc on future data")
    max_fpr = metric.max_fpr
    value = area_of_estimate(metric, ranking, betas, on_new=True)
    finer, table = completed_table(ranking, betas, on_new=True)
    shares = influence.positive_share_of_rest(ranking.total, betas).tolist()
    with np.errstate(invalid="ignore"):  # whole counts may leave no negatives
        rates = table.fp.T / table.fp[-1:].T
    limits = [
        _pauc_limits(_pauc_influence(finer, fpr, max_fpr), area, share, max_fpr, terms.level)
        for fpr, area, share in zip(rates, value.tolist(), shares, strict=True)
    ]
    error, lower, upper = np.transpose(limits)
    statistic = Answer(value, lower, upper, error)
    return use_completed(ranking, betas, terms.level, statistic, value)


def _pauc_influence(ranking: Ranking, fpr: FloatArray, max_fpr: float) -> influence.Influence:
    """Return what examples add to (1 - b) times the area up to a false positive rate."""
    known, others = ranking.known_positive, ranking.rank - ranking.known_positive
    n, rest = int(known[-1]), max(int(others[-1]), 1)
    width = np.diff(fpr)
    part = np.where(width > 0, (max_fpr - fpr[:-1]) / np.where(width > 0, width, 1), np.inf)
    part = np.clip(np.where(fpr[:-1] < max_fpr, part, 0), 0, 1)
    values = []
    for size, count in ((rest, others), (n, known)):
        through = np.append(0.0, np.cumsum(np.diff(count) * part / size))
        values.append(part * (through[-1] - (through[:-1] + through[1:]) / 2))
    return influence.center_influences(ranking, values[0], -values[1] / rest)


def _pauc_limits(
    influences: influence.Influence, value: float, share: float, max_fpr: float, level: float
) -> tuple[float, float, float]:
    """Return the standard error and the limits of a standardized partial area."""
    squares, df = influence.squared_errors_and_df(influences)
    design = influence.design_effect(influences)
    chance = max_fpr**2 / 2
    scale = 2 * (max_fpr - chance)
    error = float(np.sqrt(design.effect * squares.sum())) / (1 - share) / scale
    position = ((2 * value - 1) * (max_fpr - chance) + chance) / max_fpr
    one = np.array([1.0])
    half = half_width(error * one, min(df, design.df), level)
    if error == 0 or position >= 1:  # the samples are separated, or were without an error
        total = influences.ranking.total
        n, rest = total.known_positive, sum(total) - total.known_positive
        tpr, fpr = _extreme_rates(n, rest, level, design)
        area = tpr * max(max_fpr - fpr / (1 - share), 0.0)
        separated = (1 + (area - chance) / (max_fpr - chance)) / 2
        return error, min(separated, value - float(half[0])) if error else separated, 1.0
    lower, upper = logit_interval(value * one, position, max_fpr / scale * one, half, half)
    return error, float(lower[0]), float(upper[0])
