"""Areas on new examples: those of the classifier, not of one test set."""

from collections.abc import Callable, Sequence
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
    welch_df,
    wilson,
    with_prevalence,
)
from pu_accessor.inference.settings import Settings
from pu_accessor.inference.tables.contingency import check_labels, completed_table
from pu_accessor.inference.tables.curves import completed_area, completed_aurocs, odds_factor
from pu_accessor.ranking import BoolArray, FloatArray, Ranking, Stack, each_once

# Calibrated by simulation, as are _TIED and _UNSEEN.
_MODELED = 2  # examples that the model of the variances counts for
_HALVES = 8  # of the way to a limit that are tried first
_STEPS, _NEAR = 60, 1e-13  # of a search for limits, at most; what may be left of an excess
_LEAST = 1e-9  # of a share that stands for none: logits are logarithms there
_TIED = 0.05  # share of the rest at the lowest score, from which positives may hide there
_UNSEEN = 0.5  # known positives that stand for those
_EDGE = 1e-6  # nearest to 0 and 1 at which the model is asked for the shape of the data


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

    The interval has all values of AUROC that are not too far from the estimate, given the
    variance *that they would have*, as Wilson's for a proportion does: Student's t with Welch's
    degrees of freedom, times a standard error that changes with the value as that of two normal
    distributions of equal variance does [2]_, multiplied by what the data scatter more or less.
    That ratio is drawn to 1 by as much as two more examples in each sample weigh; towards the
    middle the interval takes half of the scatter as it is. So it is never empty, lopsided towards
    1/2, and covers at few known positives, too, where an interval on the logit scale, or of
    Wald's kind, is too short: near 1 the known positives that lie far down are seldom seen.

    Where more than 5% of the rest are tied at the lowest score, as probabilities of 0 are, a few
    positives can hide there: see `reach_ends`.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, *Comparing the areas under two or
       more correlated receiver operating characteristic curves: a nonparametric approach*,
       Biometrics 44 (1988) 837-845.
    .. [2] R. G. Newcombe, *Confidence intervals for an effect size measure based on the
       Mann-Whitney statistic. Part 2: asymptotic methods and evaluation*, Statistics in Medicine
       25 (2006) 559-573.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.arange(13), np.cumsum([0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0])
    >>> ranking = Ranking(rank, 12.5 - rank, known, 0 * known, rank - known, Counts(4, 0, 8))
    >>> found = estimate_population_auroc(ranking, np.array([0.0, 0.25]), Settings())
    >>> found.value.round(3), found.error.round(3), found.lower.round(3), found.upper.round(3)
    (array([0.719, 0.798]), array([0.159, 0.212]), array([0.346, 0.301]), array([0.951, 1.   ]))
    """
    check_labels(betas, ranking.total)
    share, placed = rest_share(ranking.total, betas), find_placements(ranking)
    design = find_design(ranking.clusters, partial(placement_influences, ranking))
    placed = placed._replace(size=placed.size / design.effect)
    value, ties = auroc_on_new(ranking, betas), end_ties(ranking)
    statistic = _statistic(value, share, placed, ties, rule.level, design.df)
    statistic = _above_chance(ranking, statistic, 0.5)
    completed = completed_area("roc", ranking, betas, on_new=True)
    return at_completed(ranking, betas, rule.level, statistic, completed)


def _statistic(
    value: FloatArray,
    share: FloatArray,
    placed: Placed,
    ties: FloatArray,
    level: float,
    most_df: float = np.inf,
) -> Estimates:
    """Return the unbiased AUROC with its error and interval, of one ranking or of many."""
    error = np.sqrt(np.sum(placed.squares, axis=0)) / (1 - share)
    limits = score_interval(value, share, placed, level, most_df)
    return Estimates(value, error, *reach_ends(limits, value, share, placed, ties, level))


def _above_chance(ranking: Ranking, found: Estimates, chance: FloatArray | float) -> Estimates:
    """Return limits that are not below an area by chance, where scores are monotone."""
    if not ranking.monotone:
        return found
    lower, upper = (np.maximum(end, chance) for end in (found.lower, found.upper))
    return replace(found, lower=lower, upper=upper)


def score_interval(
    value: FloatArray, share: FloatArray, placed: Placed, level: float, most_df: float = np.inf
) -> tuple[FloatArray, FloatArray]:
    """Return the values of AUROC that are not too far from the estimate."""
    size, seen = placed.size[:, np.newaxis], placed.variance[:, np.newaxis]  # for both limits
    # Half a pair more of each order: all pairs in one order say nothing of the shape.
    pairs, others = size[0] * size[1], np.maximum(size - 1, 0)
    above = (placed.above * pairs + 0.5) / (pairs + 1)
    model = binormal_variances(np.clip((above - share / 2) / (1 - share), _EDGE, 1 - _EDGE), share)
    whole, scatters = _MODELED + others, seen > 0
    ratio = np.where(scatters, (_MODELED + others * seen / model) / whole, 1.0)  # drawn to 1
    df = np.minimum(welch_df(ratio * model / size, whole), most_df)
    far = scipy.special.stdtrit(df, (1 + level) / 2) / (1 - share)
    # Half is the model times that ratio, half what was seen: towards 0 and 1 the model has less
    # of it, but what was seen can come from elsewhere.
    modeled = np.where(scatters, ratio + _MODELED / whole, 2.0) / (2 * size)
    kept = np.where(scatters, others * seen / whole, 0.0) / (2 * size)

    def excess(auroc: FloatArray) -> FloatArray:
        there = binormal_variances(auroc, share)
        squares = there * modeled + np.maximum(1, there / model) * kept
        return np.asarray(np.abs(value - auroc) - far * np.sqrt(squares[0] + squares[1]))

    out, inside = np.broadcast_arrays([[0.0], [1.0]], np.clip(value, 0, 1))
    alone = np.isnan(placed.variance).any(axis=0)
    lower, upper = np.where(alone, np.nan, crossing(excess, out, inside))
    return lower, upper


def end_ties(ranking: Ranking) -> FloatArray:
    """Return the shares of the rest that are tied at the lowest and at the highest score.

    Shape (2, 1). Of strata, and of weighted examples, nothing is said.

    Examples
    --------
    >>> from pu_accessor.ranking import Counts
    >>> rank, known = np.array([0, 1, 3, 7]), np.array([0, 1, 2, 2])
    >>> ranking = Ranking(rank, 3.0 - rank, known, 0 * known, rank - known, Counts(2, 0, 5))
    >>> end_ties(ranking)
    array([[0.8],
           [0. ]])
    """
    if ranking.strata or ranking.head.dtype.kind != "i":
        return np.zeros((2, 1))
    unlabeled = ranking.total.unlabeled
    finer = ranking.refine(each_once(np.array([min(1, unlabeled), max(unlabeled - 1, 0)])))
    steps = np.diff(finer.head - finer.known_positive)
    ends = steps[[-1, 0], np.newaxis]  # a single one is not tied
    return np.asarray(np.where(ends > 1, ends, 0) / max(steps.sum(), 1))


def reach_ends(
    limits: tuple[FloatArray, FloatArray],
    value: FloatArray,
    share: FloatArray,
    placed: Placed,
    ties: FloatArray,
    level: float,
) -> tuple[FloatArray, FloatArray]:
    """Return limits of AUROC that reach to where positives can hide in a block of ties.

    Notes
    -----
    Gaffke's limits [1]_ weigh the placements of n known positives, and one more at the end, by
    random shares of 1, and cover whatever the distribution. They are 1.2 to 6 times as wide as
    limits without the one more. Here half a known positive is at the end: its share is
    Beta(1/2, n), and the upper quantile of that is how much of the mean can be there. Squared, and
    added to the squared error of what was seen, it is how far the limit reaches at least. Half a
    positive was chosen on 21 cells of classifiers, and covers .949 and more in 11 others, where
    limits that see no ties cover .78 to .98; it makes these 1.0 to 1.3 times as wide.

    References
    ----------
    .. [1] E. Learned-Miller, P. S. Thomas, *A new confidence interval for the mean of a bounded
       random variable*, arXiv:1905.06208, 2019.

    Examples
    --------
    >>> placed = Placed(np.array([[20.0], [900.0]]), np.array([[0.0], [0.0]]), np.array([0.99]))
    >>> one, ties = np.array([0.99]), np.array([[0.6], [0.0]])
    >>> lower, upper = reach_ends((one - 0.03, one), one, np.zeros(1), placed, ties, 0.95)
    >>> lower.round(3), upper
    (array([0.908]), array([0.99]))
    """
    tail = (1 + level) / 2
    scatter = scipy.special.ndtri(tail) ** 2 * np.sum(placed.squares, axis=0)
    hidden = scipy.special.betaincinv(_UNSEEN, placed.size[0], tail)
    ends = ties[0] / 2, 1 - ties[1] / 2  # placements in the middle of either block
    apart = np.maximum(placed.above - ends[0], 0), np.maximum(ends[1] - placed.above, 0)
    down, up = (np.sqrt(scatter + (hidden * gap) ** 2) / (1 - share) for gap in apart)
    lower, upper = limits
    return (
        np.where(ties[0] > _TIED, np.minimum(lower, value - down), lower),
        np.where(ties[1] > _TIED, np.maximum(upper, value + up), upper),
    )


def crossing(
    excess: Callable[[FloatArray], FloatArray], out: FloatArray, within: FloatArray
) -> FloatArray:
    """Return where an excess turns positive on the way out: by halves, then by Illinois' method.

    It may be positive within, too, as the variance is 0 at the ends; halves find what is between.

    Examples
    --------
    >>> crossing(lambda values: values - 0.3, np.ones(1), np.zeros(1)).round(6)
    array([0.3])
    """
    too_far, enough = excess(out), excess(within)
    limit = np.where(too_far <= 0, out, within)
    done = limit == out
    for _ in range(_HALVES):
        middle = (out + within) / 2
        found = excess(middle)
        beyond = found > 0
        out, too_far = np.where(beyond, (middle, found), (out, too_far))
        within, enough = np.where(beyond, (within, enough), (middle, found))
    done |= enough > 0
    enough = np.where(enough == 0, -np.abs(too_far), enough)  # at 0 and 1 nothing scatters
    last = np.zeros(limit.shape)
    for _ in range(_STEPS):
        with np.errstate(divide="ignore", invalid="ignore"):
            middle = within - (within - out) * enough / (enough - too_far)
        limit = np.where(done, limit, middle)
        found = excess(limit)
        done |= (np.abs(found) < _NEAR) | (np.abs(within - out) < _NEAR)
        if done.all():
            break
        # An end that stays a second time counts half: else it would stay for ever.
        side = np.sign(found)
        again, beyond = np.where(side == last, 0.5, 1.0), side > 0
        too_far = np.where(beyond, found, too_far * again)
        enough = np.where(beyond, enough * again, found)
        out, within = np.where(beyond, middle, out), np.where(beyond, within, middle)
        last = side
    return limit


def binormal_variances(auroc: FloatArray, share: FloatArray) -> FloatArray:
    """Return the variances of placements if scores of both kinds are normal, of equal variance.

    That a positive lies above two negatives has the probability A - 2*T(z, 1/sqrt(3)), with A the
    AUROC, z its normal quantile and T Owen's function; that it lies above a positive and a
    negative A/2 + T(z, 1/sqrt(3)).
    """
    turn, left = scipy.special.owens_t(scipy.special.ndtri(auroc), 3**-0.5), 1 - share
    alone = np.maximum(auroc * (1 - auroc) - 2 * turn, 0)
    known = share * share / 12 + left * (left * alone + 2 * share * turn)
    rest = share / 12 + left * (alone + share * (auroc - 0.5) ** 2)
    return np.array([known, rest])


def estimate_population_aurocs(
    stack: Stack, betas: FloatArray, level: float
) -> list[Estimates | None]:
    """Estimate the area under the ROC curve of each ranking on new examples, with an interval."""
    known, negative, unlabeled = stack.total.T
    plain = (known > 0) & (unlabeled > 0) & (negative == 0) & (betas < 1).all(axis=1)
    completed = completed_aurocs(stack, betas)
    plain &= ~_exceed(stack, betas, level).any(axis=1) & ~np.isnan(completed).any(axis=1)
    placed = place_stack(stack)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = betas * (unlabeled / (negative + unlabeled))[:, np.newaxis]
        values = (placed.above[:, np.newaxis] - shares / 2) / (1 - shares)
    some = np.repeat(np.flatnonzero(plain), betas.shape[1])
    chosen = Placed(*(side[..., some] for side in placed))
    value, share = values[plain].ravel(), shares[plain].ravel()
    ties = (stack.ties / np.maximum(negative + unlabeled, 1)[:, np.newaxis])[some].T
    statistic = _statistic(value, share, chosen, ties, level)
    estimates = around(statistic, completed[plain].ravel())
    columns = (estimates.value, estimates.error, estimates.lower, estimates.upper)
    rows = zip(*(column.reshape(-1, betas.shape[1]) for column in columns), strict=True)
    return [Estimates(*next(rows)) if is_plain else None for is_plain in plain.tolist()]


def _exceed(stack: Stack, betas: FloatArray, level: float) -> BoolArray:
    """Tell which betas may exceed the limit of their ranking: see `limit_from_positives`."""
    known, unlabeled, owner = stack.total[:, :1], stack.total[:, 2:], stack.owner
    # Rounded up, so that none is missed.
    latent = np.minimum(np.ceil(betas * unlabeled + 0.5), unlabeled).clip(min=1)
    share = np.minimum(stack.unlabeled[:, np.newaxis], latent[owner]) / latent[owner]
    with np.errstate(divide="ignore"):
        ahead = stack.known[:, np.newaxis] / known[owner] - share
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
    if ranking.clusters is None or not ranking.clusters.alone:
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
