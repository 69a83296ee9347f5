"""AUROC and average precision: direct estimates from the known positives, with intervals."""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from pu_accessor.errors import PUDataError, PUValueError, warn_caller
from pu_accessor.inference.betas import GroupBeta
from pu_accessor.inference.groups import ask_rows
from pu_accessor.inference.metrics import area, check_max_fpr
from pu_accessor.inference.shares import Beta, Interval, as_betas, check_level, interval_betas
from pu_accessor.inference.tables import check_labels, contingency, own_attrs
from pu_accessor.inference.weighted import weighted_auroc, weighted_average_precision
from pu_accessor.ranking import BoolArray, Counts, FloatArray, IntArray, Ranking, Rankings

__all__ = ["auroc", "auroc_and_error", "average_precision", "count_negatives"]


class _Estimate(NamedTuple):
    """An estimate, its standard error and interval; NaN where it has none."""

    value: float
    error: float
    lower: float = float("nan")
    upper: float = float("nan")


class _Blocks(NamedTuple):
    """The blocks of tied scores that hold known positives, best first."""

    found: IntArray  # known positives in the block
    known: IntArray  # known positives at or above it
    start: IntArray  # examples above it
    end: IntArray  # examples at or above it


# From a ranking, beta and level to an estimate.
_Estimator = Callable[[Ranking, float, float], _Estimate]


class _Asked(NamedTuple):
    """What is estimated, and how."""

    level: float
    interval: Interval | None
    estimate: _Estimator
    bounds: Callable[[Ranking, float], FloatArray]


def auroc(
    rankings: Rankings,
    beta: GroupBeta,
    *,
    level: float = 0.95,
    beta_interval: Interval | None = None,
    max_fpr: float | None = None,
    on_error: str = "raise",
    progress: bool = False,
) -> pd.DataFrame:
    """Estimate the area under the ROC curve, with an interval.

    Parameters
    ----------
    rankings : Rankings
        At the breakpoints or at all cutoffs.
    beta : float, array-like of float, or mapping, Series or DataArray of float by key
        Fraction of positives among the unlabeled, in [0, 1).
    level : float, default 0.95
        Probability of coverage, in (0, 1).
    beta_interval : (float, float), optional
        Where beta may lie: adds the lowest lower and the highest upper limit while it varies.
    max_fpr : float in (0, 1], optional
        Take the curve up to this false positive rate, standardised [1]_ so that chance is 0.5 and
        perfection 1.
    on_error, progress
        As in `pu_accessor.inference.groups.ask`.

    Returns
    -------
    DataFrame
        A row for each group and beta: the key, beta, estimate, standard_error, lower, upper,
        level. A RangeIndex. With an interval of beta also envelope_lower, envelope_upper.

    Raises
    ------
    PUDataError
        If nothing is known to be positive, or nothing is negative.
    PUValueError, PUTypeError
        If an argument has a value that is not allowed.

    Warns
    -----
    PUWarning
        If there is one known positive alone, which has no standard error; if an estimate lies
        outside [0, 1]: beta is infeasible; as in `pu_accessor.inference.groups.warn_of_limits`.

    Notes
    -----
    The known positives are a simple random sample of the P = n + beta*U positives. With R their
    mid-ranks from the top, AUROC = 1 - (mean(R) - (P + 1)/2)/M, where M = N - P. This is unbiased,
    and its standard error that of a mean under sampling without replacement, sd(R)/sqrt(n) *
    sqrt(1 - n/P)/M. Up to a false positive rate f the same holds for the part of the ranking with
    fewer than f*M estimated false positives: the standard error is that of the number of ranks
    that each known positive has below it there.

    The interval is Student's t with n - 1 degrees of freedom on the logit scale of the share of
    all examples that rank below a known positive, on average: it lies in (0, 1) even where the
    estimate does not, and AUROC is linear in it. The interval is cut off at 0 and 1.
    For two known positives, or where all have the same rank though others are hidden, the areas
    under the bounding curves of the band "exact" stand instead.

    References
    ----------
    .. [1] D. K. McClish, *Analyzing a portion of the ROC curve*, Medical Decision Making 9
       (1989) 190-195.

    Examples
    --------
    >>> from pu_accessor.sources.frames import rank_arrays
    >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
    >>> rankings = rank_arrays(range(12, 0, -1), label, ranks="breakpoints")
    >>> auroc(rankings, [0.25, 0.5]).round(3)
       beta  estimate  standard_error  lower  upper  level
    0  0.25     0.792           0.132  0.341    1.0   0.95
    1  0.50     0.938           0.243  0.113    1.0   0.95
    """
    if max_fpr is not None:
        check_max_fpr("roc", max_fpr)

    def estimate(ranking: Ranking, share: float, level: float) -> _Estimate:
        if max_fpr is None or max_fpr == 1:
            return _estimate_auroc(ranking, share, level)
        if ranking.weight is not None:
            raise PUValueError(
                f"max_fpr must be None with propensity=..., but {max_fpr!r} was passed. Take the "
                "range between bounding curves: "
                "df.pu.contingency(..., propensity=...).pu.area('roc', max_fpr=...)."
            )
        return _estimate_partial(ranking, share, level, float(max_fpr))

    def bounds(ranking: Ranking, share: float) -> FloatArray:
        return _areas(ranking, share, level, "roc", max_fpr)

    asked = _Asked(check_level(level), beta_interval, estimate, bounds)
    return _with_intervals(rankings, beta, asked, on_error, progress)


def average_precision(
    rankings: Rankings,
    beta: GroupBeta,
    *,
    level: float = 0.95,
    beta_interval: Interval | None = None,
    on_error: str = "raise",
    progress: bool = False,
) -> pd.DataFrame:
    """Estimate the average precision, with an interval.

    Parameters
    ----------
    rankings, beta, level, beta_interval, on_error, progress
        As in `auroc`; beta may be 1.

    Returns
    -------
    DataFrame
        As `auroc`.

    Raises
    ------
    PUDataError
        If nothing is known to be positive.
    PUValueError, PUTypeError
        If an argument has a value that is not allowed.

    Warns
    -----
    PUWarning
        As `auroc`; for one known positive alone there is no estimate at all.

    Notes
    -----
    Average precision is the mean over all positives of the precision at their cutoff, the end of
    their block of ties, as in scikit-learn. Of a known positive with k known ones among the r
    examples at or above its cutoff, it is estimated by [1 + (P - 1)/(n - 1)*(k - 1)]/r: the
    other known positives are a random sample of the other positives. The mean over the known ones
    is a U-statistic of second order, and unbiased. Its standard error is that of the jackknife
    [1]_, times sqrt(1 - n/P).

    The interval is Student's t on the scale of 1/AP, where misses on both sides were the most
    even in simulations, and at most 1. Where a few known positives at the top make up most of the
    variance it is not known well: the degrees of freedom are those of a variance with the
    kurtosis K of the jackknife's pseudo-values, 2n/(K - 1), and at most n - 1; and the interval
    reaches 1 + 2/n times as far, which simulations say it takes. For two known positives the areas
    under the bounding curves of the band "exact" stand instead.

    References
    ----------
    .. [1] J. N. Arvesen, *Jackknifing U-statistics*, Annals of Mathematical Statistics 40 (1969)
       2076-2100.

    Examples
    --------
    >>> from pu_accessor.sources.frames import rank_arrays
    >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
    >>> rankings = rank_arrays(range(12, 0, -1), label, ranks="breakpoints")
    >>> average_precision(rankings, [0.25, 0.5]).round(3)
       beta  estimate  standard_error  lower  upper  level
    0  0.25     0.715           0.137  0.374    1.0   0.95
    1  0.50     0.889           0.211  0.417    1.0   0.95
    """

    def bounds(ranking: Ranking, share: float) -> FloatArray:
        return _areas(ranking, share, level, "pr", None)

    asked = _Asked(check_level(level), beta_interval, _estimate_precision, bounds)
    return _with_intervals(rankings, beta, asked, on_error, progress)


def auroc_and_error(ranking: Ranking, beta: float) -> tuple[Fraction, float]:
    """Return the estimate of AUROC and its standard error at one beta.

    Parameters
    ----------
    ranking : Ranking
        At the breakpoints or at all cutoffs; with a known positive.
    beta : float
        Fraction of positives among the unlabeled.

    Returns
    -------
    value : Fraction
        Exact: ranks are halves.
    error : float
        0 where all positives are known, otherwise NaN for one known positive.

    Raises
    ------
    PUDataError
        If there are no negatives.
    """
    negatives = count_negatives(ranking.total, beta)
    positives, factor = _hidden(ranking.total, beta)
    mean, variance = _rank_moments(ranking)
    value = 1 - (mean - (positives + 1) / 2) / negatives
    error = (variance / ranking.total.known_positive) ** 0.5 * factor / float(negatives)
    return value, error if factor else 0.0


def count_negatives(total: Counts, beta: float) -> Fraction:
    """Return the number of negatives, or raise where there are none.

    Parameters
    ----------
    total : Counts
        Examples of each kind.
    beta : float
        Fraction of positives among the unlabeled, taken as it prints.

    Returns
    -------
    Fraction

    Raises
    ------
    PUDataError
        If it is 0.
    """
    negatives = total.known_negative + total.unlabeled * (1 - Fraction(str(beta)))
    if not negatives:
        raise PUDataError(
            f"AUROC needs negatives, but at beta = {beta:g} there are none among the "
            f"{sum(total)} examples. Pass a smaller beta."
        )
    return negatives


def _with_intervals(
    rankings: Rankings, beta: GroupBeta, asked: _Asked, on_error: str, progress: bool
) -> pd.DataFrame:
    """Estimate for each ranking and beta."""

    def question(ranking: Ranking, beta: Beta) -> pd.DataFrame:
        betas = as_betas(beta)
        check_labels(betas, ranking.total)
        inner = interval_betas(asked.interval, betas)
        found = [_estimate(ranking, share, asked) for share in betas.tolist()]
        rows = pd.DataFrame(found, columns=["estimate", "standard_error", "lower", "upper"])
        rows.insert(0, "beta", betas)
        rows["level"] = asked.level
        if asked.interval is not None:
            low, high = asked.interval
            inside = betas[(betas >= low) & (betas <= high)].tolist()
            with_both = [share for share in inner.tolist() if _has_both(ranking.total, share)]
            around = [_estimate(ranking, share, asked) for share in [*with_both, *inside]]
            rows["envelope_lower"] = np.fmin.reduce([one.lower for one in around])
            rows["envelope_upper"] = np.fmax.reduce([one.upper for one in around])
        rows.attrs.update(own_attrs(ranking, asked.level))
        told.extend(betas > rows.attrs.get("beta_limit", np.inf))
        return rows

    told: list[bool] = []  # for each row, whether beta exceeds its limit: that is said already
    found = ask_rows(rankings, beta, question, on_error=on_error, progress=progress)
    _warn_of(found, list(rankings.names), np.array(told))
    return found


def _has_both(total: Counts, beta: float) -> bool:
    """Tell whether there are negatives left at a beta within an interval."""
    return bool(total.known_negative + total.unlabeled * (1 - Fraction(str(beta))))


def _estimate(ranking: Ranking, beta: float, asked: _Asked) -> _Estimate:
    """Estimate at one beta."""
    found = asked.estimate(ranking, beta, asked.level)
    n, hidden = ranking.total.known_positive, Fraction(str(beta)) * ranking.total.unlabeled
    if not hidden:
        return found._replace(lower=found.value, upper=found.value)
    if n != 2 and found.error != 0:
        return found
    low, high = (float(bound) for bound in asked.bounds(ranking, beta))
    inside = min(max(found.value, 0.0), 1.0)  # bands are of counts, which are rounded
    return found._replace(lower=min(low, inside), upper=max(high, inside))


def _rank_interval(
    value: float, error: float, place: float, stretch: float, reach: float
) -> tuple[float, float]:
    """Return the interval of a mean share of ranks, in (0, 1), mapped to what is linear in it."""
    if not error > 0:
        return float("nan"), float("nan")
    width = reach * error / stretch / (place * (1 - place))
    ends = special.expit(special.logit(place) + np.array([-width, width]))
    lower, upper = np.clip(value + (ends - place) * stretch, 0, 1)
    return float(lower), float(upper)


def _areas(
    ranking: Ranking, beta: float, level: float, curve: str, max_fpr: float | None
) -> FloatArray:
    """Return the areas under the bounding curves of the exact band."""
    areas = area(contingency(ranking, beta, level=level), curve, max_fpr=max_fpr)
    bounds: FloatArray = areas.sel(bound=["lower", "upper"]).to_numpy()[:, 0]
    return bounds


def _blocks(ranking: Ranking) -> _Blocks:
    """Return the blocks of tied scores that hold known positives."""
    found = np.diff(ranking.known_positive)
    there = found > 0
    return _Blocks(
        found[there],
        ranking.known_positive[1:][there],
        ranking.rank[:-1][there],
        ranking.rank[1:][there],
    )


def _hidden(total: Counts, beta: float) -> tuple[Fraction, float]:
    """Return the number of positives, and the factor of a standard error as some are hidden."""
    positives = total.known_positive + total.unlabeled * Fraction(str(beta))
    return positives, float(1 - total.known_positive / positives) ** 0.5


def _rank_moments(ranking: Ranking) -> tuple[Fraction, float]:
    """Return the mean and the variance of the mid-ranks of the known positives."""
    blocks, n = _blocks(ranking), ranking.total.known_positive
    doubled = blocks.start + blocks.end + 1
    mean = Fraction(int(blocks.found @ doubled), 2 * n)
    spread = blocks.found @ (doubled / 2 - float(mean)) ** 2
    return mean, float(spread) / (n - 1) if n > 1 else float("nan")


def _estimate_auroc(ranking: Ranking, beta: float, level: float) -> _Estimate:
    """Estimate AUROC from the mid-ranks of the known positives."""
    if ranking.weight is not None:
        count_negatives(ranking.total, beta)
        examples, positives = sum(ranking.total), float(_hidden(ranking.total, beta)[0])
        start, end = _places(ranking)
        return _Estimate(*weighted_auroc(start, end, ranking.weight, examples, positives, level))
    value, error = auroc_and_error(ranking, beta)
    n, examples = ranking.total.known_positive, sum(ranking.total)
    mean, _ = _rank_moments(ranking)
    place = float(1 - (mean - Fraction(1, 2)) / examples)
    stretch = float(examples / count_negatives(ranking.total, beta))
    limits = _rank_interval(float(value), error, place, stretch, _reach(n, level))
    return _Estimate(float(value), error, *limits)


def _places(ranking: Ranking) -> tuple[IntArray, IntArray]:
    """Return the examples above, and at or above, the cutoff of each known positive."""
    blocks = _blocks(ranking)
    return np.repeat(blocks.start, blocks.found), np.repeat(blocks.end, blocks.found)


def _estimate_partial(ranking: Ranking, beta: float, level: float, limit: float) -> _Estimate:
    """Estimate the standardised area up to a false positive rate.

    False positives at rank r are r - P*F(r), with F the rank CDF of the known positives. Where
    they are fewer than the limit, the area grows by F times their growth. By a change of F it
    changes by that change, summed over this part of the ranking: all other terms cancel.
    """
    negatives = float(count_negatives(ranking.total, beta))
    positives, factor = _hidden(ranking.total, beta)
    n, most = ranking.total.known_positive, limit * negatives
    share = ranking.known_positive / n
    false = ranking.rank - float(positives) * share
    stop = np.minimum(false, most)
    width, growth = np.diff(stop), np.diff(false)
    level_step = growth == 0
    growth[level_step] = 1
    height = share[:-1] + np.diff(share) / growth * ((stop[:-1] + stop[1:]) / 2 - false[:-1])
    scale = 2 * (limit - limit**2 / 2)
    value = 0.5 + (float(width @ height) / negatives - limit**2 / 2) / scale
    # How much of each step between two cutoffs is below the limit, and how much of that lies after
    # a place in the step, on average: a step that the limit cuts is below it at one end.
    part = np.where(level_step, false[:-1] < most, width / growth)
    length = part * np.diff(ranking.rank)
    later = np.cumsum(length[::-1])[::-1] - length
    after = later + length * np.where(growth < 0, 1 - part / 2, part / 2)
    found = np.diff(ranking.known_positive)
    mean = float(found @ after) / n
    spread = float(found @ (after - mean) ** 2) / (n - 1) if n > 1 else float("nan")
    stretch = float(length.sum()) / negatives / scale
    error = (spread / n) ** 0.5 * factor / negatives / scale if factor else 0.0
    place = mean / float(length.sum())
    return _Estimate(value, error, *_rank_interval(value, error, place, stretch, _reach(n, level)))


def _estimate_precision(ranking: Ranking, beta: float, level: float) -> _Estimate:
    """Estimate average precision and jackknife it."""
    if ranking.weight is not None:
        _, end = _places(ranking)
        whole = float(_hidden(ranking.total, beta)[0])
        return _Estimate(*weighted_average_precision(end, ranking.weight, whole, level))
    n, (positives, factor) = ranking.total.known_positive, _hidden(ranking.total, beta)
    if n == 1 and factor:
        return _Estimate(float("nan"), float("nan"))
    blocks = _blocks(ranking)
    weight = 1 / blocks.end
    alone = float(blocks.found @ weight)
    pairs = float(blocks.found @ ((blocks.known - 1) * weight))
    others = float(positives - 1)
    value = alone / n + (others / (n * (n - 1)) * pairs if n > 1 else 0.0)
    if not factor:
        return _Estimate(value, 0.0)
    if n == 2:
        return _Estimate(value, float("nan"))
    # Without one known positive its own terms go, and its part in those of the others below it.
    below = np.cumsum((blocks.found * weight)[::-1])[::-1] - weight
    rest = pairs - (blocks.known - 1) * weight - below
    left_out = (alone - weight) / (n - 1) + others / ((n - 1) * (n - 2)) * rest
    apart = left_out - float(blocks.found @ left_out) / n
    second, fourth = (float(blocks.found @ apart**power) / n for power in (2, 4))
    error = ((n - 1) * second) ** 0.5 * factor
    if not error:
        return _Estimate(value, 0.0)
    df = min(2 * n / max(fourth / second**2 - 1, 2 / n), n - 1)
    reach = _t_quantile(df, level) * (1 + 2 / n)
    return _Estimate(value, error, *_reciprocal_interval(value, error, reach))


def _reciprocal_interval(value: float, error: float, reach: float) -> tuple[float, float]:
    """Return the interval on the scale of 1/value, at most 1."""
    center, width = 1 / value, reach * error / value**2
    upper = 1 / (center - width) if center - width > 1 else 1.0
    return min(1 / (center + width), 1.0), upper


def _reach(n: int, level: float) -> float:
    """Return Student's quantile for a mean of n."""
    return _t_quantile(n - 1, level) if n > 1 else float("nan")


def _t_quantile(df: float, level: float) -> float:
    return float(special.stdtrit(df, (1 + level) / 2))


def _warn_of(found: pd.DataFrame, names: list[str], known: BoolArray) -> None:
    """Warn of estimates that have no standard error, or that no table can have."""
    for which, told in (
        (
            found["lower"].isna(),
            "there is one known positive alone, which has no standard error: the interval is NaN. "
            "Label more, or take the areas under bounding curves: df.pu.contingency(...).pu.area",
        ),
        (
            ((found["estimate"] < 0) | (found["estimate"] > 1)) & ~known,
            "the estimate lies outside [0, 1]: beta is too high for this ranking, or the labels "
            "are no random sample of the positives. Pass a smaller beta",
        ),
    ):
        if which.any():
            where = found.loc[which, [*names, "beta"]].head(5).to_dict("records")
            warn_caller(f"In {which.sum()} of {len(found)} rows {told}. They are at {where}.")
