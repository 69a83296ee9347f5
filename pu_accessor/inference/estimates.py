"""AUROC and average precision: direct estimates from the known positives, with intervals."""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pandas as pd

from pu_accessor.errors import PUValueError, warn_caller
from pu_accessor.inference.betas import GroupBeta
from pu_accessor.inference.groups import ask_rows
from pu_accessor.inference.metrics import area, check_max_fpr
from pu_accessor.inference.shares import Beta, Interval, as_betas, check_level, interval_betas
from pu_accessor.inference.tables import check_labels, contingency, own_attrs
from pu_accessor.inference.unbiased import (
    Estimate,
    estimate_auroc,
    estimate_partial_auroc,
    estimate_precision,
)
from pu_accessor.ranking import BoolArray, Counts, FloatArray, Ranking, Rankings

__all__ = ["auroc", "average_precision"]


# From a ranking, beta and level to an estimate.
_Estimator = Callable[[Ranking, float, float], Estimate]


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

    def estimate(ranking: Ranking, share: float, level: float) -> Estimate:
        if max_fpr is None or max_fpr == 1:
            return estimate_auroc(ranking, share, level)
        if ranking.weight is not None:
            raise PUValueError(
                f"max_fpr must be None with propensity=..., but {max_fpr!r} was passed. Take the "
                "range between bounding curves: "
                "df.pu.contingency(..., propensity=...).pu.area('roc', max_fpr=...)."
            )
        return estimate_partial_auroc(ranking, share, level, float(max_fpr))

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

    asked = _Asked(check_level(level), beta_interval, estimate_precision, bounds)
    return _with_intervals(rankings, beta, asked, on_error, progress)


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


def _estimate(ranking: Ranking, beta: float, asked: _Asked) -> Estimate:
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


def _areas(
    ranking: Ranking, beta: float, level: float, curve: str, max_fpr: float | None
) -> FloatArray:
    """Return the areas under the bounding curves of the exact band."""
    areas = area(contingency(ranking, beta, level=level), curve, max_fpr=max_fpr)
    bounds: FloatArray = areas.sel(bound=["lower", "upper"]).to_numpy()[:, 0]
    return bounds


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
