"""The area under the ROC curve on new examples: the classifier's, not that of one test set."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import special

from pu_accessor.inference.estimates.auroc import auroc_and_error
from pu_accessor.inference.estimates.complete import Estimates, over_betas
from pu_accessor.inference.estimates.delong import (
    DeLong,
    check_unweighted,
    find_placements,
    rest_share,
    welch_df,
)
from pu_accessor.inference.rule import Rule
from pu_accessor.inference.tables.contingency import check_labels
from pu_accessor.ranking import FloatArray, Ranking

__all__ = ["estimate_population_auroc", "score_interval"]

_MODELED = 2  # examples that the model of the variances counts for
_STEPS, _CLOSE = 60, 1e-13  # to a limit
_EDGE = 1e-6  # nearest to 0 and 1 at which the model is asked for the shape of the data


class _Samples(NamedTuple):
    """Known positives and the rest, first and second along each array's first axis.

    Parameters
    ----------
    size : ndarray of int64, shape (2, 1)
        How many there are.
    variance : ndarray of float64, shape (2, 1)
        Of their placements.
    share : ndarray of float64, shape (betas,)
        Of positives among the rest.
    model : ndarray of float64, shape (2, betas)
        What two normal distributions with this AUROC would have for variance.
    ratio : ndarray of float64, shape (2, betas)
        The variance over that, drawn to 1.
    """

    size: FloatArray
    variance: FloatArray
    share: FloatArray
    model: FloatArray
    ratio: FloatArray


def estimate_population_auroc(ranking: Ranking, betas: FloatArray, rule: Rule) -> Estimates:
    """Estimate the area under the ROC curve on new examples, with an interval.

    Parameters
    ----------
    ranking : Ranking
        At the breakpoints or at all cutoffs.
    betas : ndarray of float64, shape (betas,)
        Fractions of positives among the unlabeled, in [0, 1).
    rule : Rule
        Its level; its interval of beta makes an envelope.

    Returns
    -------
    Estimates
        The value is that of `pu_accessor.inference.estimates.auroc.estimate_auroc`. Error and
        interval are NaN for one known positive alone, or one other example.

    Raises
    ------
    PUDataError
        If nothing is known to be positive, or nothing is negative at some beta.
    PUValueError
        If a beta lies outside the interval, or known positives have propensities.

    Notes
    -----
    The n known positives and the rest, U unlabeled examples and known negatives, are two
    independent samples. With b the share of positives among the rest, the probability that a known
    positive lies above one of the rest is b/2 + (1 - b)*AUROC. Its variance is that of DeLong
    [1]_, var(V10)/n + var(V01)/U with the placements of both samples. Where all is labeled b is 0,
    and the standard error is DeLong's.

    The interval has all values of AUROC that are not too far from the estimate, given the
    variance *that they would have*, as Wilson's for a proportion does: Student's t with Welch's
    degrees of freedom, times a standard error that changes with the value as that of two normal
    distributions of equal variance does [2]_, multiplied by what the data scatter more or less.
    That ratio is drawn to 1 by as much as two more examples in each sample weigh; towards the
    middle the interval takes half of the scatter as it is. So it is never empty, lopsided towards
    1/2, and covers at few known positives, too, where an interval on the logit scale, or of
    Wald's kind, is too short: near 1 the known positives that lie far down are seldom seen.

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
    >>> found = estimate_population_auroc(ranking, np.array([0.0, 0.25]), Rule())
    >>> found.value.round(3), found.error.round(3), found.lower.round(3), found.upper.round(3)
    (array([0.719, 0.792]), array([0.159, 0.212]), array([0.346, 0.301]), array([0.951, 1.   ]))
    """
    check_unweighted(ranking, "auroc")
    check_labels(betas, ranking.total)

    def estimate(betas: FloatArray) -> Estimates:
        share = rest_share(ranking.total, betas)
        exact, _ = auroc_and_error(ranking, betas)
        value, placed = np.array([float(each) for each in exact]), find_placements(ranking)
        error = np.sqrt(sum(placed.squares)) / (1 - share)
        return Estimates(value, error, *score_interval(value, share, placed, rule.level))

    return over_betas(ranking.total, betas, rule.beta_interval, estimate)


def score_interval(
    value: FloatArray, share: FloatArray, placed: DeLong, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the values of AUROC that are not too far from the estimate.

    Parameters
    ----------
    value : ndarray of float64, shape (betas,)
        Estimates, which may lie outside [0, 1].
    share : ndarray of float64, shape (betas,)
        Of positives among the rest, below 1.
    placed : DeLong
        Placements of both samples.
    level : float
        Probability of coverage, in (0, 1).

    Returns
    -------
    lower, upper : ndarray of float64, shape (betas,)
        In [0, 1]. NaN where a sample has one example alone.
    """
    if min(placed.known, placed.rest) < 2:
        nothing = np.full(value.size, np.nan)
        return nothing, nothing
    samples = _sample(share, placed)
    squares = samples.ratio * samples.model / samples.size
    reach = special.stdtrit(welch_df(squares, samples.size - 1 + _MODELED), (1 + level) / 2)

    def excess(auroc: FloatArray) -> FloatArray:
        spread = np.sum(_variance_at(auroc, samples) / samples.size[:, np.newaxis], axis=0)
        beyond: FloatArray = (1 - share) * np.abs(value - auroc) - reach * np.sqrt(spread)
        return beyond

    ends = np.repeat([[0.0], [1.0]], value.size, axis=1)
    lower, upper = _last_inside(excess, np.clip([value, value], 0, 1), ends)
    return lower, upper


def _last_inside(
    excess: Callable[[FloatArray], FloatArray], inside: FloatArray, ends: FloatArray
) -> FloatArray:
    """Return how far one gets from inside towards the ends before an excess is above 0.

    By linear interpolation; an end that stays for a second time has its excess halved (Illinois).
    """
    out, over, under = ends.copy(), excess(ends), excess(inside)
    under = np.where(under == 0, -np.abs(over), under)  # at 0 and 1 nothing may scatter
    within = np.where((under < 0) & (over <= 0), ends, inside)
    before = np.zeros(within.shape, np.int64)
    for _ in range(_STEPS):
        open_ = (over > 0) & (under < 0) & (np.abs(out - within) > _CLOSE)
        if not open_.any():
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            middle = within - under * (out - within) / (over - under)
        middle = np.where(open_, middle, within)
        found = excess(middle)
        beyond, short = open_ & (found > 0), open_ & (found <= 0)
        under[beyond & (before > 0)] /= 2
        over[short & (before < 0)] /= 2
        out, over = np.where(beyond, middle, out), np.where(beyond, found, over)
        within, under = np.where(short, middle, within), np.where(short, found, under)
        before = beyond.astype(np.int64) - short
    return within


def _sample(share: FloatArray, placed: DeLong) -> _Samples:
    """Hold the variances of placements against those of two normal distributions."""
    size = np.array([[float(placed.known)], [float(placed.rest)]])
    variance = np.reshape([placed.known_variance, placed.rest_variance], (2, -1))
    # Half a pair more of each order: all pairs in one order say nothing of the shape.
    pairs = placed.known * placed.rest
    above = (np.asarray(placed.above, np.float64) * pairs + 0.5) / (pairs + 1)
    model = _binormal(np.clip((above - share / 2) / (1 - share), _EDGE, 1 - _EDGE), share)
    drawn = (_MODELED + (size - 1) * variance / model) / (_MODELED + size - 1)
    return _Samples(size, variance, share, model, np.where(variance > 0, drawn, 1.0))


def _variance_at(auroc: FloatArray, samples: _Samples) -> FloatArray:
    """Return the variances of placements at other AUROCs, shape (2, ends, betas)."""
    there = _binormal(auroc, samples.share)
    size, variance, model, ratio = (
        each[:, np.newaxis]
        for each in (samples.size, samples.variance, samples.model, samples.ratio)
    )
    # Towards 0 and 1 the model has less of it. What was seen can come from elsewhere.
    seen = (size - 1) * variance * np.maximum(1, there / model)
    kept = np.where(variance > 0, (_MODELED * there + seen) / (_MODELED + size - 1), there)
    scaled: FloatArray = ratio * there
    return (scaled + kept) / 2


def _binormal(auroc: FloatArray, share: FloatArray) -> FloatArray:
    """Return the variances of placements if scores of both kinds are normal, of equal variance.

    That a positive lies above two negatives has the probability A - 2*T(z, 1/sqrt(3)), with A the
    AUROC, z its normal quantile and T Owen's function; that it lies above a positive and a
    negative A/2 + T(z, 1/sqrt(3)).
    """
    turn = special.owens_t(special.ndtri(auroc), 3**-0.5)
    alone = auroc * (1 - auroc) - 2 * turn
    known = share**2 / 12 + (1 - share) ** 2 * alone + 2 * share * (1 - share) * turn
    rest = share / 12 + (1 - share) * alone + share * (1 - share) * (auroc - 0.5) ** 2
    return np.stack([known, rest])
