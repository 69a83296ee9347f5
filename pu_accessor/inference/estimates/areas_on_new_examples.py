"""Areas on new examples: those of the classifier, not of one test set."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import scipy

from pu_accessor.inference.bands.weighted import effective_size
from pu_accessor.inference.estimates.intervals import (
    Estimates,
    around,
    at_completed,
    rank_interval,
    reach,
)
from pu_accessor.inference.estimates.known_positives import check_negatives, count_positives
from pu_accessor.inference.influence import (
    Influence,
    Placed,
    auroc_on_new,
    center,
    estimates_prevalence,
    find_design,
    find_placements,
    find_spread,
    place_stack,
    placement_influences,
    precision_influences,
    rest_share,
    sum_by_cluster,
    wilson,
    with_prevalence,
)
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import check_labels, completed_table
from pu_accessor.inference.tables.curves import completed_area, completed_aurocs, odds_factor
from pu_accessor.ranking import BoolArray, FloatArray, Ranking, TieBlocks

_LEAST = 1e-9  # of a share that stands for none: logits are logarithms there
_UNSEEN = 0.5  # examples of a sample that may lie at an end, though none was seen: a convention


def estimate_population_auroc(ranking: Ranking, betas: FloatArray, rule: Settings) -> Estimates:
    """Estimate the area under the ROC curve on new examples, with an interval.

    Notes
    -----
    The n known positives and the rest, U unlabeled examples and known negatives, are two
    independent samples. With b the share of positives among the rest, the probability that a known
    positive lies above one of the rest is b/2 + (1 - b)*AUROC. Its variance is that of DeLong
    [1]_, var(V10)/n + var(V01)/U with the placements of both samples. Where all is labeled b is 0,
    and the standard error is DeLong's. Known positives that are pooled from several strata are
    one sample, each held against the rest of its own; the rest is a sample in each.

    The interval adds what random weights of each sample, with half an example more at the end,
    make of the mean placement: see `mean_limits`.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, *Comparing the areas under two or
       more correlated receiver operating characteristic curves: a nonparametric approach*,
       Biometrics 44 (1988) 837-845.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = estimate_population_auroc(ranking, np.array([0.0, 0.25]), Settings())
    >>> found.value.round(3), found.error.round(3), found.lower.round(3), found.upper.round(3)
    (array([0.719, 0.798]), array([0.159, 0.212]), array([0.281, 0.209]), array([0.975, 1.   ]))
    """
    check_labels(betas, ranking.total)
    share, placed = rest_share(ranking.total, betas), find_placements(ranking)
    design = find_design(ranking.clusters, partial(placement_influences, ranking))
    placed = placed._replace(size=placed.size / design.effect)
    statistic = replace(
        auroc_interval(share, placed, rule.level, design.df), value=auroc_on_new(ranking, betas)
    )
    statistic = _above_chance(ranking, statistic, 0.5)
    completed = completed_area("roc", ranking, betas, on_new=True)
    return at_completed(ranking, betas, rule.level, statistic, completed)


def auroc_interval(
    share: FloatArray, placed: Placed, level: float, df: float = np.inf
) -> Estimates:
    """Return the unbiased AUROC with its error and interval, of one ranking or of many."""
    value, lower, upper = (
        (above - share / 2) / (1 - share)
        for above in (placed.above, *mean_limits(placed, level, df))
    )
    error = np.sqrt(np.sum(placed.squares, axis=0)) / (1 - share)
    return Estimates(value, error, np.clip(lower, 0, 1), np.clip(upper, 0, 1))


def _above_chance(ranking: Ranking, found: Estimates, chance: FloatArray | float) -> Estimates:
    """Return limits that are not below an area by chance, where scores are monotone."""
    if not ranking.monotone:
        return found
    lower, upper = (np.maximum(end, chance) for end in (found.lower, found.upper))
    return replace(found, lower=lower, upper=upper)


def mean_limits(placed: Placed, level: float, df: float = np.inf) -> tuple[FloatArray, FloatArray]:
    """Return limits of a mean from 0 to 1 to which two samples add.

    Notes
    -----
    Of n values that are weighted by random shares of 1 the mean is nearly a beta variable, and is
    one where all values are 0 or 1: the Bayesian bootstrap [1]_. Half a value more is at 0 for the
    lower limit and at 1 for the upper one, as in Jeffreys' prior: so a sample without scatter has
    limits, too. With a whole one the limits are Gaffke's [2]_, which hold whatever the
    distribution, and are wider. The distances that both samples make are added by their squares.

    References
    ----------
    .. [1] D. B. Rubin, *The Bayesian bootstrap*, Annals of Statistics 9 (1981) 130-134.
    .. [2] E. Learned-Miller, P. S. Thomas, *A new confidence interval for the mean of a bounded
       random variable*, arXiv:1905.06208, 2019.

    Examples
    --------
    >>> placed = Placed(np.array([[10.0], [900.0]]), np.array([[0.0], [0.0]]), np.ones(1))
    >>> lower, upper = mean_limits(placed, 0.95)
    >>> lower.round(3), upper
    (array([0.773]), array([1.]))
    """
    size, tail = placed.size, (1 - level) / 2
    mean = np.clip(placed.above, 0, 1)  # but for rounding
    # Few clusters do not tell their variance well.
    wider = scipy.special.stdtrit(df, tail) / scipy.special.ndtri(tail)
    whole, limits = size + _UNSEEN, []
    for end, sign in ((0, -1), (1, 1)):
        center = (size * mean + _UNSEEN * end) / whole
        scatter = (size - 1) * placed.variance + size * (_UNSEEN / whole) * (mean - end) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            times = center * (1 - center) * whole * (whole + 1) / scatter - 1
        found = scipy.special.betaincinv(center * times, (1 - center) * times, abs(end - tail))
        away = np.where(center == end, 0 * placed.variance, found - mean)
        limits.append(mean + sign * wider * np.hypot(*away))
    return limits[0], limits[1]


def estimate_population_aurocs(
    stack: TieBlocks, betas: FloatArray, level: float
) -> list[Estimates | None]:
    """Estimate the area under the ROC curve of each ranking on new examples, with an interval."""
    known, negative, unlabeled = stack.total.T
    plain = (known > 0) & (unlabeled > 0) & (negative == 0) & (betas < 1).all(axis=1)
    completed = completed_aurocs(stack, betas)
    plain &= ~_exceed(stack, betas, level).any(axis=1) & ~np.isnan(completed).any(axis=1)
    placed = place_stack(stack)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = betas * (unlabeled / (negative + unlabeled))[:, np.newaxis]
    some = np.repeat(np.flatnonzero(plain), betas.shape[1])
    chosen = Placed(*(side[..., some] for side in placed))
    statistic = auroc_interval(shares[plain].ravel(), chosen, level)
    estimates = around(statistic, completed[plain].ravel())
    columns = (estimates.value, estimates.error, estimates.lower, estimates.upper)
    rows = zip(*(column.reshape(-1, betas.shape[1]) for column in columns), strict=True)
    return [Estimates(*next(rows)) if is_plain else None for is_plain in plain.tolist()]


def _exceed(stack: TieBlocks, betas: FloatArray, level: float) -> BoolArray:
    """Tell which betas may exceed the limit of their ranking: see `limit_from_positives`."""
    known, unlabeled, owner = stack.total[:, :1], stack.total[:, 2:], stack.ranking_index
    # Rounded up, so that none is missed.
    latent = np.minimum(np.ceil(betas * unlabeled + 0.5), unlabeled).clip(min=1)
    share = np.minimum(stack.unlabeled[:, np.newaxis], latent[owner]) / latent[owner]
    with np.errstate(divide="ignore"):
        ahead = stack.known_through[:, np.newaxis] / known[owner] - share
        allowed = np.sqrt(np.log(1 / (1 - level)) / 2 * (1 / known + 1 / latent))
    distance = np.zeros(betas.shape)
    np.maximum.at(distance, owner, ahead)
    return np.asarray(distance > allowed)


def estimate_population_precision(
    ranking: Ranking, betas: FloatArray, rule: Settings
) -> Estimates:
    """Estimate average precision on new examples, with an interval.

    Notes
    -----
    New examples have the prevalence of these, or `rule.prevalence`; see `_at_prevalence`. It is
    taken as given, but of rows with weights that are all labeled. With that of these, of N
    examples P = n + beta*U are positive. Average precision is then the mean, over positives x,
    of (P/N)*S(x)/D(x), with S the share of positives at or above the score of x and D = (n/N)*S
    + (1 - n/N)*H that of all examples; H is that of the rest, of which a new sample is drawn,
    too. S and H are those of two independent samples, and the variance is the sum of those of
    their influence functions [1]_: that of a known positive has its own precision, and what it
    adds to S at all known positives below; that of one of the rest, what it takes from these
    through H.

    The interval is Student's t on the logit scale of n/P times average precision, which is that
    with all of the rest taken as negative and lies in (0, 1) even where the value does not. Where
    a few examples make up most of the variance it is not known well: the degrees of freedom of
    each sample's are those of a variance with the kurtosis of its terms. In simulations it covers
    .93 to .98 from 50 known positives on, and up to .99 where known positives are a small part of
    all, few of them rank high and the estimate is skewed. Below 20 nothing is promised.

    Where all known positives rank above all others nothing scatters. The lower limit is then the
    precision of Wilson's lowest true positive rate at his highest false positive rate, times that
    true positive rate.

    References
    ----------
    .. [1] F. R. Hampel, *The influence curve and its role in robust estimation*, Journal of the
       American Statistical Association 69 (1974) 383-393.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = estimate_population_precision(ranking, np.array([0.0, 0.25]), Settings())
    >>> found.value.round(3), found.error.round(3), found.lower.round(3), found.upper.round(3)
    (array([0.542, 0.77 ]), array([0.183, 0.275]), array([0.168, 0.204]), array([0.874, 1.   ]))
    """
    check_labels(betas, ranking.total)
    if rule.prevalence is None:
        value, influences = precision_values(ranking, betas), precision_influences(ranking)
        statistic = _precision_around(ranking, betas, value, influences, rule.level)
    else:
        check_negatives(ranking.total, betas, "average_precision")
        statistic = _at_prevalence(ranking, betas, rule.prevalence, rule.level)
    completed = completed_area("pr", ranking, betas, on_new=True, prevalence=rule.prevalence)
    return at_completed(ranking, betas, rule.level, statistic, completed)


def _precision_around(
    ranking: Ranking,
    betas: FloatArray,
    value: FloatArray,
    influences: Sequence[Influence],
    level: float,
    prevalence: float | None = None,
) -> Estimates:
    """Put an interval around average precision."""
    n, size = ranking.total.known_positive, sum(ranking.total)
    positives = count_positives(ranking.total, betas)
    factor = odds_factor(prevalence, positives, size - positives)
    (squares, df), all_parts = find_spread(influences), influences
    if prevalence is None and estimates_prevalence(ranking):
        # How much average precision grows with the share of positives.
        known, rank = ranking.known_positive, ranking.rank
        slopes = known[1:] * (rank - known)[1:] / np.square(rank[1:].astype(np.float64))
        slope = float(np.diff(known) @ slopes / n * size**2 / (n * (size - n or 1)))
        all_parts = with_prevalence(influences, slope / n)
    design = find_design(ranking.clusters, lambda: all_parts)
    unit = float(design.effect * squares.sum()) ** 0.5
    share = np.clip(1 - (1 - n / positives) / factor, _LEAST, n / positives)
    error = unit * factor * positives
    away = reach(error, min(df, design.df), level)
    limits = rank_interval(value, share * value, 1 / share, away, away)
    if unit == 0:
        sizes = n / design.effect, (size - n) / design.effect
        limits = without_scatter(value, *sizes, level, factor)
    chance = positives / size if prevalence is None else prevalence
    return _above_chance(ranking, Estimates(value, error, *limits), chance)


def effective_rest(ranking: Ranking) -> float:
    """Return how many rows of the rest, in effect, make up their part of the error.

    That is the error of average precision; NaN without weights, and where no row adds to it.
    """
    if ranking.clusters is None or not ranking.clusters.one_per_row:
        return np.nan
    added = np.abs(sum_by_cluster(precision_influences(ranking))[1])
    return effective_size(added) if added.any() else np.nan


def _at_prevalence(
    ranking: Ranking, betas: FloatArray, prevalence: float, level: float
) -> Estimates:
    """Estimate average precision where another share of new examples is positive.

    Notes
    -----
    Let each positive count w times, so that their odds are those of the prevalence. Of
    A = w*T + r - T examples at rank r then w*T are positive, with T true positives. The completed
    labeling has possible T and A; the unbiased T differs by d, which changes precision by
    w*d/A * r/A to first order. Where w < 1 and nearly all are positive that is more than w*d/A,
    and would be mere noise: so it is that at most. At the prevalence of these examples w is 1, A
    is r, and nothing changes. Limits are straight on the logit scale of a
    share of average precision, as there; that tends to a scale of logarithms where so few are
    positive that there is no such share.
    """
    finer, table = completed_table(ranking, betas, on_new=True)
    positives = count_positives(ranking.total, betas)
    factor = odds_factor(prevalence, positives, sum(ranking.total) - positives)
    found, each = np.diff(finer.known_positive), []
    for beta, times, true, number in zip(betas, factor, table.tp.T, positives, strict=True):
        size = np.where(finer.rank > 0, finer.rank - true + times * true, 1)
        scale = size * np.maximum(size / np.maximum(finer.rank, 1), 1)
        given = true * (1 / size - 1 / scale) / number
        own, more = np.array([beta]), number * float(found @ given[1:]) / found.sum()
        value = times * (precision_values(finer, own, scale) + more)
        influences = precision_influences(finer, (size, scale, given))
        each.append(_precision_around(finer, own, value, influences, level, prevalence))
    parts = [(one.value, one.error, one.lower, one.upper) for one in each]
    value, error, lower, upper = np.concatenate(parts, axis=1)
    return Estimates(value, error, lower, upper)


def precision_values(
    ranking: Ranking, betas: FloatArray, heads: FloatArray | None = None
) -> FloatArray:
    """Return the estimates of average precision, wherever they lie; of other heads likewise."""
    n, alone, pairs = ranking.total.known_positive, 0.0, 0.0
    for part in ranking.strata or (ranking,):
        known, found = part.known_positive, np.diff(part.known_positive)
        head = part.rank if heads is None else heads
        weight = found[found > 0] / head[1:][found > 0]
        alone += float(weight.sum())
        pairs += float(weight @ (known[1:][found > 0] - 1))
    positives = count_positives(ranking.total, betas)
    value: FloatArray = alone / n + (positives - 1) * (pairs / (n * (n - 1 or 1)))
    return np.where((n == 1) & (positives > 1), np.nan, value)


def without_scatter(
    value: FloatArray, n: float, rest: float, level: float, factor: FloatArray | float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Return limits where all known positives rank above all others.

    Each positive counts so many times as its odds are to be multiplied by.
    """
    true = float(wilson(np.array([float(n)]), n, level)[0][0])
    false = float(wilson(np.array([0.0]), rest, level)[1][0])
    above = factor * n * true
    lower = true * above / (above + rest * false)
    return np.minimum(value, lower), np.ones(value.size)


def estimate_population_partial(
    ranking: Ranking, betas: FloatArray, rule: Settings, max_fpr: float
) -> Estimates:
    """Estimate the standardised area up to a false positive rate on new examples.

    Notes
    -----
    With F and G the shares of known positives and of the rest above a score, b the share of
    positives among the rest, and f = (G - b*F)/(1 - b), the area up to f0 is that of F over f. As
    F and G change by dF and dG, it changes by the integral of dF over G less that of dG over F,
    over 1 - b, both from the top to where f is f0: what moves the threshold cancels. So what an
    example adds are placements that stop there: for a known positive the rest between it and that
    threshold, for one of the rest the known positives between ([1]_, here with b). The threshold
    is that of the completed labeling. Limits are Student's t on the logit scale of the area over
    f0. Where nothing scatters they are those of a curve that rises to Wilson's lowest true
    positive rate at his highest false positive rate.

    References
    ----------
    .. [1] L. E. Dodd, M. S. Pepe, *Partial AUC estimation and regression*, Biometrics 59 (2003)
       614-623.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = estimate_population_partial(ranking, np.array([0.25]), Settings(), 0.5)
    >>> [float(part[0].round(3)) for part in (*found.parts, found.error)]
    [0.73, 0.352, 0.991, 0.283]
    """
    check_labels(betas, ranking.total)
    check_negatives(ranking.total, betas, "auroc")
    value = completed_area("roc", ranking, betas, max_fpr, on_new=True)
    finer, table = completed_table(ranking, betas, on_new=True)
    shares = rest_share(ranking.total, betas).tolist()
    with np.errstate(invalid="ignore"):  # in whole numbers no example may be negative
        rates = table.fp.T / table.fp[-1:].T
    limits = [
        _limit_part(stop_at(finer, fpr, max_fpr), area, share, max_fpr, rule.level)
        for fpr, area, share in zip(rates, value.tolist(), shares, strict=True)
    ]
    statistic = Estimates(value, *np.transpose(limits))
    return at_completed(ranking, betas, rule.level, statistic, value)


def stop_at(ranking: Ranking, fpr: FloatArray, max_fpr: float) -> Influence:
    """Return what examples add to the area, times 1 - b, up to a false positive rate."""
    known, others = ranking.known_positive, ranking.rank - ranking.known_positive
    n, rest = int(known[-1]), max(int(others[-1]), 1)
    width = np.diff(fpr)
    part = np.where(width > 0, (max_fpr - fpr[:-1]) / np.where(width > 0, width, 1), np.inf)
    part = np.clip(np.where(fpr[:-1] < max_fpr, part, 0), 0, 1)
    values = []
    for size, count in ((rest, others), (n, known)):
        step = np.diff(count) * part / size
        through = np.append(0.0, np.cumsum(step))
        values.append(part * (through[-1] - (through[:-1] + through[1:]) / 2))
    return center([(ranking, values[0], -values[1] / rest)])[0]


def _limit_part(
    influence: Influence, value: float, share: float, max_fpr: float, level: float
) -> tuple[float, float, float]:
    """Return the standard error of a standardised area, and its limits."""
    squares, df = find_spread([influence])
    design = find_design(influence.ranking.clusters, lambda: [influence])
    chance = max_fpr**2 / 2
    scale = 2 * (max_fpr - chance)
    error = float(np.sqrt(design.effect * squares.sum())) / (1 - share) / scale
    place = ((2 * value - 1) * (max_fpr - chance) + chance) / max_fpr
    if error == 0:
        total = influence.ranking.total
        n, rest = total.known_positive, sum(total) - total.known_positive
        true = float(wilson(np.array([float(n)]), n, level, design)[0][0])
        false = float(wilson(np.array([0.0]), rest, level, design)[1][0])
        area = true * max(max_fpr - false / (1 - share), 0.0)
        return error, (1 + (area - chance) / (max_fpr - chance)) / 2, 1.0
    one = np.array([1.0])
    away = reach(error * one, min(df, design.df), level)
    lower, upper = rank_interval(value * one, place, max_fpr / scale * one, away, away)
    return error, float(lower[0]), float(upper[0])
