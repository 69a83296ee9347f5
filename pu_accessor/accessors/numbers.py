"""Questions to rankings: numbers with intervals, and what beta can be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pu_accessor.accessors.bound import Bound
from pu_accessor.inference.estimates.at import At
from pu_accessor.inference.tables.rates import Metric
from pu_accessor.results import estimates, prior
from pu_accessor.results.averages import Average, read_average
from pu_accessor.results.betas import GroupBeta
from pu_accessor.results.rules import GroupInterval, Rules, UserBand

__all__ = ["auroc", "average_precision", "estimate_beta", "metric", "sample_to_label"]


def auroc(
    self: Bound,
    beta: GroupBeta,
    *,
    target: str = "population",
    level: float = 0.95,
    beta_interval: GroupInterval | None = None,
    max_fpr: float | None = None,
    selection_odds: float = 1.0,
    joint: str = "approximate",
    average: Average = False,
) -> pd.DataFrame:
    """Estimate the area under the ROC curve, with an interval: on new examples, or on these.

    The estimate comes from the ranks of the known positives and is unbiased at any beta. By
    default the interval is about the classifier: its area on new examples, from where these come
    from. With ``target="examples"`` it is about these examples alone, once all labels were known.

    Parameters
    ----------
    beta : float, array-like of float; mapping, Series or DataArray of float by group; or DataFrame
        Fraction of positives among the unlabeled, in [0, 1). Or an estimate of it, as
        `estimate_beta` and `pu_accessor.beta_from_labels` return it: one row, or one for each
        group. Intervals then hold jointly, for the ranking and for beta.
    {target}
    level : float, default 0.95
        Probability with which the interval covers, in (0, 1).
    beta_interval : (float, float), or mapping, Series or DataFrame of them by group, optional
        Where beta may lie, around the point that is passed: adds the columns envelope_lower
        and envelope_upper, the lowest lower and the highest upper limit while beta varies.
    max_fpr : float in (0, 1], optional
        Take the curve up to this false positive rate, standardised [1]_ so that chance is 0.5
        and perfection 1, as ``sklearn.metrics.roc_auc_score(max_fpr=...)`` does.
    {odds}
    {joint}
    {average}

    Returns
    -------
    DataFrame
        A row for each group and beta: the group, beta, estimate, standard_error, lower,
        upper, level, target; with `selection_odds` also range_lower, range_upper and the factor,
        with an estimate of beta beta_lower, beta_upper and joint.

    Raises
    ------
    {errors}
        Also if there are no negatives, or `max_fpr` is not in (0, 1]; if new examples are asked
        for with `max_fpr` or propensities, for which there is no such interval; if
        `selection_odds` is asked for with `max_fpr` or propensities.

    Warns
    -----
    PUWarning
        If there is one known positive alone, or one other example (no standard error: the interval
        is NaN), or an estimate lies outside [0, 1]: beta is infeasible. By more than its error,
        and all is NaN.

    Notes
    -----
    With R the mid-ranks from the top of the n known positives among N examples, P = n +
    beta*U and M = N - P, the estimate is 1 - (mean(R) - (P + 1)/2)/M.

    On new examples the standard error is DeLong's [2]_, with the known positives and the rest as
    two samples: that of the probability that one of the first lies above one of the second, times
    (N - n)/M. Where all is labeled it is DeLong's own. The interval has the values that are not
    too far from the estimate by the variance that they would have, see
    `pu_accessor.inference.estimates.population.estimate_population_auroc`.

    For these examples the standard error is sd(R)/sqrt(n) * sqrt(1 - n/P)/M: the known positives
    are a sample of the P positives that are there, and nothing else is left to chance. So it is 0,
    and the interval the value, where all positives are known. The interval
    holds that of Student's t, on the logit scale of the share of examples that rank below a known
    positive, and the one that latent positives make that are shared out at random to the gaps
    between known ones; it is cut to what AUROC is with all of them at the bottom or at the top.
    The first is too optimistic with few known positives and skewed scores. With `max_fpr` it is
    the first alone, or, where the number of false positives up to there is not known to a tenth,
    the areas under the bounding curves of the band "exact".

    References
    ----------
    .. [1] D. K. McClish, *Analyzing a portion of the ROC curve*, Medical Decision Making 9
       (1989) 190-195.
    .. [2] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, *Comparing the areas under two or
       more correlated receiver operating characteristic curves: a nonparametric approach*,
       Biometrics 44 (1988) 837-845.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
    >>> df = pd.DataFrame({"score": range(12, 0, -1), "label": label})
    >>> df.pu.auroc(beta=0.25).round(3)
       beta  estimate  standard_error  lower  upper  level      target
    0  0.25     0.792           0.212  0.301    1.0   0.95  population
    >>> df.pu.auroc(beta=0.25, target="examples").round(3)
       beta  estimate  standard_error  lower  upper  level    target
    0  0.25     0.792           0.132  0.417  0.917   0.95  examples
    """
    rule = Rules(level, beta_interval=beta_interval, selection_odds=selection_odds)
    over = read_average(average, isinstance(self._roles.score, list))
    return estimates.auroc(
        self._asked(), beta, rule, target, max_fpr=max_fpr, joint=joint, over=over
    )


def average_precision(
    self: Bound,
    beta: GroupBeta,
    *,
    target: str = "population",
    level: float = 0.95,
    beta_interval: GroupInterval | None = None,
    selection_odds: float = 1.0,
    joint: str = "approximate",
    average: Average = False,
) -> pd.DataFrame:
    """Estimate the average precision, with an interval: on new examples, or on these.

    Parameters
    ----------
    {beta}
    {target}
    level : float, default 0.95
        Probability with which the interval covers, in (0, 1).
    beta_interval : (float, float), or mapping, Series or DataFrame of them by group, optional
        Where beta may lie, around the point that is passed: adds the columns envelope_lower
        and envelope_upper, the lowest lower and the highest upper limit while beta varies.
    {odds}
    {joint}
    {average}

    Returns
    -------
    DataFrame
        As `auroc`.

    Raises
    ------
    {errors}

    Warns
    -----
    PUWarning
        As `auroc`; for one known positive alone there is no estimate at all.

    Notes
    -----
    The mean over all positives of the precision at their cutoff, the end of their block of
    ties, as in scikit-learn. For a known positive with k known ones among the r examples at or
    above that, precision is estimated by [1 + (P - 1)/(n - 1)*(k - 1)]/r. Their mean is
    unbiased.

    New examples are taken to have the prevalence of these, P/N. The standard error is that of the
    influence functions of the known positives and of the rest, two samples; the interval is
    Student's t on the logit scale of n/P times average precision. It holds from 50 known positives
    on, see `pu_accessor.inference.estimates.population_precision.estimate_population_precision`.

    For these examples the standard error is that of the jackknife [1]_ times sqrt(1 - n/P), and
    NaN for two known positives. The interval is what latent positives make that are shared out at
    random to the gaps between known ones, at the worst and at the best place of each, by a
    thousand draws from a fixed seed. Where all positives are known it is the value.

    References
    ----------
    .. [1] J. N. Arvesen, *Jackknifing U-statistics*, Annals of Mathematical Statistics 40
       (1969) 2076-2100.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
    >>> df = pd.DataFrame({"score": range(12, 0, -1), "label": label})
    >>> df.pu.average_precision(beta=0.25).round(3)
       beta  estimate  standard_error  lower  upper  level      target
    0  0.25     0.715           0.275  0.204    1.0   0.95  population
    """
    rule = Rules(level, beta_interval=beta_interval, selection_odds=selection_odds)
    over = read_average(average, isinstance(self._roles.score, list))
    return estimates.average_precision(self._asked(), beta, rule, target, joint=joint, over=over)


def metric(
    self: Bound,
    name: str | Metric | Sequence[str | Metric],
    beta: GroupBeta,
    *,
    at: At,
    target: str | None = None,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    beta_interval: GroupInterval | None = None,
    joint: str = "approximate",
    average: Average = False,
) -> pd.DataFrame:
    """Evaluate metrics at the cutoffs that a person reports, with their intervals.

    Parameters
    ----------
    name : str, callable, or list of these
        One of accuracy, balanced_accuracy, f1, fdr, fnr, fpr, informedness, jaccard, kappa, lift,
        mcc, npv, precision, recall, tnr and tpr; `pu_accessor.fbeta(2)` and the like; or a
        function of the arrays tp, fp, fn and tn, in examples, that returns an array of their
        shape. Or a list of several.
    {beta}
    at : int, mapping of str to float or list of float, or {"youden", "maximum"}
        The cutoff: a rank, which is a number of examples predicted positive, or one of
        ``{"rank": 100}``; ``{"threshold": 0.5}``; ``{"fraction": 0.1}``; ``{"fpr": 0.05}``,
        the last cutoff whose estimated false positive rate is at most that;
        ``{"recall": 0.9}`` or ``{"tpr": 0.9}``, the first whose estimated recall is at least
        that; ``{"precision": 0.9}``, the last whose estimated precision is at least that. Several
        of one kind are a list, ``{"rank": [50, 100]}``. "youden" is where the estimated
        informedness is highest, "maximum" where that of the metric is, from rank 1 on. At rank 0
        nothing is predicted positive: precision is NaN.
    target : {"population", "examples"}, optional
        What the interval is about: new examples, from where these come from, at this threshold;
        or these examples, once all their labels were known. A threshold alone means something
        for new examples, and by default is about them unless a band or reference is chosen; all
        other cutoffs are about these.
    {band}
    beta_interval : (float, float), or mapping, Series or DataFrame of them by group, optional
        Where beta may lie: adds the columns envelope_lower and envelope_upper, the lowest and
        highest that the bounds get at this cutoff while beta varies.
    {joint}
    {average}

    Returns
    -------
    DataFrame
        A row for each group, beta, metric and cutoff: the group, beta, metric, rank, threshold,
        estimate, lower, upper, level, band, target; for a list of cutoffs also `at`, the number
        that was asked. Lower is the smaller number, also of an error rate. A cutoff chosen by a
        maximum, or by its precision, looks better than it is: for it the band "exact" becomes
        "simultaneous", which holds at all cutoffs jointly. On new examples the band is called
        "binomial". Each interval holds by itself, also where several are asked for.

    Raises
    ------
    {errors}
        Also if `at` is unknown, or outside the curve, or a precision that no cutoff reaches;
        if new examples are asked for at another cutoff than a threshold, with a band or
        reference, or with propensities.

    Notes
    -----
    On new examples the known positives and the rest at or above the threshold, k of n and h of U,
    are two independent binomials. With b the share of positives among the rest, tpr is k/n and
    fpr (h/U - b*tpr)/(1 - b). Both shares have Wilson's interval, and the metric that of Newcombe,
    Zou and Donner: how far it moves when one of them goes to its limit, squared and added for
    both. The prevalence of new examples is taken as given, as that of these. See
    `pu_accessor.inference.estimates.binomial.metric_on_new`.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
    >>> df = pd.DataFrame({"score": range(12, 0, -1), "label": label})
    >>> df.pu.metric("precision", beta=0.25, at=4)[["estimate", "lower", "upper"]]
       estimate  lower  upper
    0      0.75    0.5    1.0
    >>> found = df.pu.metric("precision", beta=0.25, at={"threshold": 8.5})
    >>> found[["estimate", "lower", "upper", "target"]].round(3)
       estimate  lower  upper      target
    0      0.75  0.245    1.0  population
    >>> found = df.pu.metric(["precision", "recall"], beta=0.25, at={"rank": [2, 4]})
    >>> found[["metric", "at", "rank", "estimate", "lower", "upper"]].round(3)
          metric  at  rank  estimate  lower  upper
    0  precision   2     2     1.000  0.500  1.000
    1  precision   4     4     0.750  0.500  1.000
    2     recall   2     2     0.333  0.167  0.333
    3     recall   4     4     0.500  0.333  0.667
    """
    rule = Rules(level, band, reference, beta_interval, selection_odds)
    over = read_average(average, isinstance(self._roles.score, list))
    return estimates.metric(self._asked(), name, beta, at, rule, target, joint=joint, over=over)


def estimate_beta(self: Bound, *, method: str = "feasible", level: float = 0.95) -> pd.DataFrame:
    """Estimate the fraction of positives among the unlabeled, as far as the data allow.

    Parameters
    ----------
    method : {"feasible", "two_sided", "mean_matching"}, default "feasible"
        From known positives and unlabeled rows alone there is an *upper limit* only, and the
        largest beta that is still plausible: "feasible". The other two need known negatives
        that are a random sample of the negatives; choosing one says that they are.
    level : float, default 0.95
        Probability of coverage, in (0, 1).

    Returns
    -------
    DataFrame
        A row for each group: the group, beta, lower, upper, level, method; n, the known
        positives, and n_unlabeled, which it is about. It goes into ``beta=`` of other questions
        as it is. ``.attrs["assumptions"]`` says what the method takes for granted.

    Raises
    ------
    {errors}
        Also if nothing is unlabeled, or a method lacks known negatives.

    Warns
    -----
    PUWarning
        If the data say little or nothing about beta, or speak against the assumptions: known
        positives above nearly all unlabeled rows, or above them even at the very top.

    Notes
    -----
    With M latent positives, k of n known positives and h unlabeled rows at or above a cutoff,
    M is feasible at delta if max(k/n - min(h, M)/M) is at most sqrt(ln(1/delta)/2 * (1/n +
    1/M)). "feasible" takes the largest such M, at delta = 1 - level for the upper limit and
    0.5 for beta, which equals the true one only where negatives never reach the top of the
    ranking. In-sample scores and labels that are no random sample break every method, unless they
    were selected with propensities that are known: then known positives stand for latent ones in
    proportion to 1/e - 1.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(4000) < 1000  # 500 of them known: beta is 500/3500
    >>> score = np.random.default_rng(0).normal(3 * truth)
    >>> label = np.where(np.arange(4000) < 500, 1, np.nan)
    >>> df = pd.DataFrame({"score": score, "label": label})
    >>> df.pu.estimate_beta()[["beta", "lower", "upper", "method"]].round(3)
        beta  lower  upper    method
    0  0.126    0.0  0.155  feasible
    """
    return prior.estimate_beta(self._asked(), method, level)


def sample_to_label(
    self: Bound, size: int, *, random_state: int | np.random.Generator
) -> pd.DataFrame:
    """Draw unlabeled rows at random, to label by hand.

    Their labels give beta with an interval that needs no assumption at all:
    `pu_accessor.beta_from_labels`. `pu_accessor.labels_needed` says how many it takes.

    Parameters
    ----------
    size : int
        How many rows to draw, of each group.
    random_state : int or numpy Generator
        Seed, so that the same rows are drawn again.

    Returns
    -------
    DataFrame
        Rows of the frame with their index, in the order drawn.

    Raises
    ------
    {errors}
        Also if there are not as many unlabeled rows.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> df = pd.DataFrame({"score": range(6), "label": [None, 1, None, None, 1, None]})
    >>> sorted(df.pu.sample_to_label(2, random_state=0).index)
    [3, 5]
    """
    return self._source.sample(self._roles, size, random_state)
