"""Questions to rankings: numbers with intervals."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from pu_accessor.accessors.bound import Bound
from pu_accessor.inference.estimates.cutoff_spec import At
from pu_accessor.inference.metrics import AnyMetric
from pu_accessor.inference.settings import Settings
from pu_accessor.questions import estimates
from pu_accessor.questions.betas import Beta, BetaInterval, read_betas
from pu_accessor.questions.macro_average import Average, read_average
from pu_accessor.questions.rank_bands import UserBand, read_settings


def auroc(
    self: Bound,
    beta: Beta,
    *,
    target: str = "population",
    level: float = 0.95,
    beta_interval: BetaInterval | None = None,
    max_fpr: float | None = None,
    reference: str = "positives",
    selection_odds: float = 1.0,
    contamination: float = 0.0,
    average: Average = False,
) -> pd.DataFrame:
    """Estimate the area under the ROC curve, with an interval: on new examples, or on these.

    The estimate is the area under the curve of one possible labeling, that of ``plot_roc``: see
    "One estimate" in the manual. The interval holds it, and lies in [0, 1]. By default it is
    about the classifier: its area on new examples, from where these come from. With
    ``target="examples"`` it is about these examples alone, once all labels were known.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.
    target : Target, default "population"
        What the interval is about: "population", new examples from where these come from; or
        "examples", these alone, once all their labels were known.
    level : float, default 0.95
        Probability with which the interval covers, in (0, 1).
    beta_interval : Interval, optional
        Where beta may lie, around the point that is passed: adds envelope_lower and
        envelope_upper, the lowest and highest limit while it varies. A pair, or by group a
        mapping, a Series, or a frame with columns low and high.
    max_fpr : float, optional
        Take the ROC curve up to this false positive rate, 1e-12 to 1, standardised so that chance
        is 0.5 and perfection 1, as ``sklearn.metrics.roc_auc_score(max_fpr=...)`` does.
    reference : {"positives", "both"}, default "positives"
        From which known examples: known negatives count as some of the rest; or, with "both",
        AUROC against them, which needs no beta, and AUROC by beta are averaged by weights for
        which the variance is smallest. They must be a random sample of the negatives then:
        `check_assumptions` looks whether both agree.
    selection_odds : float, default 1
        Factor by which the odds of being labeled may differ between any two positives: 1 for
        labels at random, infinite for nothing known about them. Above 1 range_lower and
        range_upper are what the estimate can be for such a selection, and the interval holds for
        all of them.
    contamination : float, default 0
        Largest share of the known positives that may be negative, in [0, 0.5). Of n known ones at
        most contamination*n are, rounded down, nobody knows which, and the others are a random
        sample of the positives: the interval holds whichever are wrong.
    average : bool, str or list of str, default False
        Average over groups, such as queries: True over all of `by`, a name over that one. Each
        group counts once, by an unbiased estimate. The interval is over new groups with
        ``target="population"``, over these with ``"examples"``. One known positive is enough (for
        average precision two); groups without any are left out by ``on_error="skip"``. There is a
        row for what is not averaged over, with n_groups, and the mean of betas.

    Returns
    -------
    DataFrame
        A row for each group and beta: the group, beta, standard_error (at that one beta, so not
        where beta varies), estimate, lower, upper; with `selection_odds` also range_lower and
        range_upper. ``.attrs`` has what all rows share: level, target, and selection_odds,
        prevalence, beta_interval or joint where these were passed.

    Raises
    ------
    PUValueError
        If there are no negatives, or `max_fpr` is not 1e-12 to 1; if new examples are asked for
        with propensities, or with `max_fpr` of pooled groups, for which there is no such interval;
        if `selection_odds` is asked for with `max_fpr` or propensities; if `reference` is "both"
        without known negatives, or with anything but the whole area on new examples.

    Warns
    -----
    PUWarning
        If there is one known positive alone, or one other example: there is no standard error,
        and the interval is NaN. If beta exceeds the limit that the known positives set; the
        interval is NaN where the unbiased estimate is also outside [0, 1] by more than its error.

    See Also
    --------
    average_precision : Where positives are rare.
    roc_bounds, plot_roc : The curve.
    compare : Of two models, without beta.

    Notes
    -----
    With R the mid-ranks from the top of the n known positives among N examples, P = n +
    beta*U and M = N - P, the unbiased estimate is 1 - (mean(R) - (P + 1)/2)/M. The interval is
    built around it, and reaches to the possible one; averages over groups, `compare` and `gap`
    take it as it is.

    On new examples the standard error is DeLong's [2]_, with the known positives and the rest as
    two samples: that of the probability that one of the first lies above one of the second, times
    (N - n)/M. Where all is labeled it is DeLong's own. The interval has the values that are not
    too far from the estimate by the variance that they would have, see
    `pu_accessor.inference.estimates.areas_on_new_examples.estimate_population_auroc`. With
    `max_fpr` placements stop at the threshold of that rate, and the interval is Student's t on a
    logit scale; it holds from 50 known positives on.

    With ``reference="both"`` the estimate is that of both statistics, not of one labeling: see
    `pu_accessor.inference.estimates.auroc_of_both.estimate_auroc_of_both`.

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
    .. [2] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, *Comparing the areas under two or more
       correlated receiver operating characteristic curves: a nonparametric approach*, Biometrics
       44 (1988) 837-845.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
    >>> df = pd.DataFrame({"score": range(12, 0, -1), "label": label})
    >>> df.pu.auroc(beta=0.25).round(3)
       beta  standard_error  estimate  lower  upper
    0  0.25           0.212     0.798  0.301    1.0
    >>> df.pu.auroc(beta=0.25, target="examples").round(3)
       beta  standard_error  estimate  lower  upper
    0  0.25           0.132     0.798  0.417  0.917
    """
    settings = Settings(
        level, reference=reference, selection_odds=selection_odds, contamination=contamination
    )
    betas = read_betas(beta, beta_interval)
    over = read_average(average, isinstance(self._roles.score, list))
    return estimates.auroc(self._request(), betas, settings, target, max_fpr=max_fpr, over=over)


def average_precision(
    self: Bound,
    beta: Beta,
    *,
    target: str = "population",
    prevalence: float | None = None,
    level: float = 0.95,
    beta_interval: BetaInterval | None = None,
    selection_odds: float = 1.0,
    contamination: float = 0.0,
    average: Average = False,
) -> pd.DataFrame:
    """Estimate the average precision, with an interval: on new examples, or on these.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.
    target : Target, default "population"
        What the interval is about: "population", new examples from where these come from; or
        "examples", these alone, once all their labels were known.
    prevalence : float, optional
        Share of positives among the new examples, in (0, 1), where that is another one than among
        these: as in case-control and enriched sets. Both rates of the ROC curve stay as they are.
    level : float, default 0.95
        Probability with which the interval covers, in (0, 1).
    beta_interval : Interval, optional
        Where beta may lie, around the point that is passed: adds envelope_lower and
        envelope_upper, the lowest and highest limit while it varies. A pair, or by group a
        mapping, a Series, or a frame with columns low and high.
    selection_odds : float, default 1
        Factor by which the odds of being labeled may differ between any two positives: 1 for
        labels at random, infinite for nothing known about them. Above 1 range_lower and
        range_upper are what the estimate can be for such a selection, and the interval holds for
        all of them.
    contamination : float, default 0
        Largest share of the known positives that may be negative, in [0, 0.5). Of n known ones at
        most contamination*n are, rounded down, nobody knows which, and the others are a random
        sample of the positives: the interval holds whichever are wrong.
    average : bool, str or list of str, default False
        Average over groups, such as queries: True over all of `by`, a name over that one. Each
        group counts once, by an unbiased estimate. The interval is over new groups with
        ``target="population"``, over these with ``"examples"``. One known positive is enough (for
        average precision two); groups without any are left out by ``on_error="skip"``. There is a
        row for what is not averaged over, with n_groups, and the mean of betas.

    Returns
    -------
    DataFrame
        As `auroc`.

    Warns
    -----
    PUWarning
        As `auroc`.

    See Also
    --------
    auroc : The area under the ROC curve.
    pr_bounds, plot_pr : The curve.

    Notes
    -----
    The mean over all positives of the precision at their cutoff, the end of their block of
    ties, as in scikit-learn: of one possible labeling, see "One estimate" in the manual. The
    interval holds it, and lies in [0, 1]. An unbiased statistic is inside the interval, and what
    averages over groups take: for a known positive with k known ones among the r examples at or
    above its cutoff, precision is [1 + (P - 1)/(n - 1)*(k - 1)]/r, and that is averaged.

    New examples are taken to have the prevalence of these, P/N, unless another one is passed. The
    standard error is that of the influence functions of the known positives and of the rest, two
    samples; the interval is Student's t on the logit scale of n/P times average precision. It
    holds from 50 known positives on.

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
       beta  standard_error  estimate  lower  upper
    0  0.25           0.275      0.77  0.204    1.0
    """
    settings = Settings(
        level, selection_odds=selection_odds, prevalence=prevalence, contamination=contamination
    )
    betas = read_betas(beta, beta_interval)
    over = read_average(average, isinstance(self._roles.score, list))
    return estimates.average_precision(self._request(), betas, settings, target, over=over)


def metric(
    self: Bound,
    quantity: AnyMetric | Sequence[AnyMetric],
    beta: Beta,
    *,
    at: At,
    target: str | None = None,
    prevalence: float | None = None,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    contamination: float = 0.0,
    beta_interval: BetaInterval | None = None,
    average: Average = False,
) -> pd.DataFrame:
    """Evaluate metrics at the cutoffs that a person reports, with their intervals.

    Parameters
    ----------
    quantity : Metric
        One of accuracy, balanced_accuracy, f1, fdr, fnr, fpr, informedness, jaccard, kappa, lift,
        mcc, npv, precision, recall, tnr and tpr; `pu_accessor.fbeta(2)` and the like; or a
        function of the arrays tp, fp, fn and tn, in examples, that returns an array of their
        shape.

        Or a list of several.
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.
    at : At
        The cutoff: a number of examples predicted positive, 100 or ``{"rank": 100}``, or their
        share, ``{"fraction": 0.1}``; a score, ``{"threshold": 0.5}``; the last with an estimated
        ``{"fpr": 0.05}`` at most or ``{"precision": 0.9}`` at least, the first with ``{"recall":
        0.9}``, or tpr, at least; "youden" or "maximum", where the estimated informedness, or the
        metric itself, is highest.

        Several of one kind are a list, ``{"rank": [50, 100]}``. At rank 0 precision is NaN.

        A rank or fraction inside a block of tied scores means the expectation over all orders of
        the block. "lift" at a fraction is the enrichment factor of others: the rank is rounded up.
    target : Target, optional
        What the interval is about: new examples, from where these come from, at this threshold;
        or these examples, once all their labels were known. A threshold alone means something
        for new examples, and by default is about them unless a band or reference is chosen; all
        other cutoffs are about these.
    prevalence : float, optional
        Share of positives among the new examples, in (0, 1), where that is another one than among
        these: as in case-control and enriched sets. Both rates of the ROC curve stay as they are.
    level : float, default 0.95
        Probability with which the band covers, in (0, 1): at each cutoff or bin for "exact" and
        "bootstrap", at all of them jointly for "simultaneous" and "dkw".
    band : Band, default "exact"
        Bounds on the latent positives in the head: "exact", "simultaneous", "bootstrap" or "dkw".
        Or a function ``(n, m, level) -> (lower, upper)`` of two integer arrays, for k = 0..n known
        positives in the head. Or a pair ``(lower, upper)`` of their share among the first r = 0,
        1, ... examples: arrays, DataArrays over "rank", or functions of an array of r.
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from: known negatives, if a random sample, bound the
        latent ones below each cutoff. "tightest" takes the kind with the narrower range of AUROC
        at each beta, "both" what two bands at half of 1 - level have in common.
    selection_odds : float, default 1
        Factor by which the odds of being labeled may differ between any two positives (or
        negatives, with known ones): 1 for labels at random, infinite for nothing known about them.
        Above 1 the band is "exact" or "simultaneous", and holds for every such selection.
    contamination : float, default 0
        Largest share of the known positives that may be negative, in [0, 0.5). Of n known ones at
        most contamination*n are, rounded down, nobody knows which, and the others are a random
        sample of the positives: the interval holds whichever are wrong.
    beta_interval : Interval, optional
        Where beta may lie, around the point that is passed: adds envelope_lower and
        envelope_upper, the lowest and highest limit while it varies. A pair, or by group a
        mapping, a Series, or a frame with columns low and high.
    average : bool, str or list of str, default False
        Average over groups, such as queries: True over all of `by`, a name over that one. Each
        group counts once, by an unbiased estimate. The interval is over new groups with
        ``target="population"``, over these with ``"examples"``. One known positive is enough (for
        average precision two); groups without any are left out by ``on_error="skip"``. There is a
        row for what is not averaged over, with n_groups, and the mean of betas.

    Returns
    -------
    DataFrame
        A row for each group, beta, metric and cutoff: the group, beta, metric, rank, threshold,
        clipped, estimate, lower, upper; for a rank or fraction also examples_at_threshold, how
        many score that or more (above the rank inside a block of ties); for a list of cutoffs
        also `at`, the number that was asked. ``.attrs`` are as of `auroc`, and band. A limit is
        `clipped` where the band asks for more, or fewer, latent positives than there can be. The
        estimate is the metric of one possible labeling, between lower and upper; see "One
        estimate" in the manual. Lower is the smaller number, also of an error rate. A cutoff
        chosen by a maximum, or by its precision, looks better than it is: for it the band "exact"
        becomes "simultaneous", which holds at all cutoffs jointly. On new examples the band is
        called "binomial". Each interval holds by itself, also where several are asked for.

    Raises
    ------
    PUValueError
        If `at` is unknown, or outside the curve, or a precision that no cutoff reaches; if new
        examples are asked for at another cutoff than a threshold, with a band or reference, or
        with propensities; if a prevalence is passed that changes nothing, or for these examples.

    See Also
    --------
    cutoff : The cutoff that a metric is guaranteed at.
    plot_metric : At all cutoffs.
    gap : Between groups.

    Notes
    -----
    On new examples the known positives and the rest at or above the threshold, k of n and h of U,
    are two independent binomials. With b the share of positives among the rest, tpr is k/n and
    fpr (h/U - b*tpr)/(1 - b). Both shares have Wilson's interval, and the metric that of Newcombe,
    Zou and Donner [1]_: how far it moves when one of them goes to its limit, squared and added for
    both; it reaches to the estimate. The prevalence of new examples is taken as given, that of
    these unless another one is passed. See
    `pu_accessor.inference.estimates.metric_at.metric_on_new`.

    References
    ----------
    .. [1] G. Y. Zou, A. Donner, *Construction of confidence limits about effect measures: a
       general approach*, Statistics in Medicine 27 (2008) 1693-1702.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
    >>> df = pd.DataFrame({"score": range(12, 0, -1), "label": label})
    >>> df.pu.metric("precision", beta=0.25, at=4)[["estimate", "lower", "upper"]]
       estimate  lower  upper
    0  0.714286    0.5    1.0
    >>> found = df.pu.metric("precision", beta=0.25, at={"threshold": 8.5})
    >>> found[["estimate", "lower", "upper"]].round(3)
       estimate  lower  upper
    0     0.714  0.245    1.0
    >>> found = df.pu.metric(["precision", "recall"], beta=0.25, at={"rank": [2, 4]})
    >>> found[["metric", "at", "rank", "estimate", "lower", "upper"]].round(3)
          metric  at  rank  estimate  lower  upper
    0  precision   2     2     0.714  0.500  1.000
    1  precision   4     4     0.714  0.500  1.000
    2     recall   2     2     0.238  0.167  0.333
    3     recall   4     4     0.476  0.333  0.667
    """
    settings = read_settings(level, band, reference, selection_odds, prevalence, contamination)
    betas = read_betas(beta, beta_interval)
    over = read_average(average, isinstance(self._roles.score, list))
    return estimates.metric(self._request(), quantity, betas, at, settings, target, over=over)


def roc_region(
    self: Bound,
    beta: Beta,
    *,
    at: At,
    level: float = 0.95,
    beta_interval: BetaInterval | None = None,
) -> pd.DataFrame:
    """Bound the point of the ROC curve at a threshold, on new examples: both rates jointly.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.
    at : At
        The cutoff: a number of examples predicted positive, 100 or ``{"rank": 100}``, or their
        share, ``{"fraction": 0.1}``; a score, ``{"threshold": 0.5}``; the last with an estimated
        ``{"fpr": 0.05}`` at most or ``{"precision": 0.9}`` at least, the first with ``{"recall":
        0.9}``, or tpr, at least; "youden" or "maximum", where the estimated informedness, or the
        metric itself, is highest.
    level : float, default 0.95
        Probability with which the interval covers, in (0, 1).
    beta_interval : Interval, optional
        Where beta may lie, around the point that is passed: adds envelope_lower and
        envelope_upper, the lowest and highest limit while it varies. A pair, or by group a
        mapping, a Series, or a frame with columns low and high.

    Returns
    -------
    DataFrame
        A row for each group, beta and threshold: the group, beta, rank, threshold, tpr, tpr_lower,
        tpr_upper, fpr, fpr_lower, fpr_upper; for a list of thresholds also `at`. The point lies in
        the rectangle of both intervals with the probability `level`; several rectangles hold one
        by one.

    Raises
    ------
    PUValueError
        If `at` is no threshold.

    See Also
    --------
    metric : Of one rate alone, and of other metrics.
    plot_roc : The curve; with ``target="population"`` a band that holds at all thresholds.

    Notes
    -----
    The product of two intervals, each at the square root of the level [1]_. That is the level if
    both errors are independent, and at least that where they are correlated, as normal errors
    [2]_.

    References
    ----------
    .. [1] M. S. Pepe, *The Statistical Evaluation of Medical Tests for Classification and
       Prediction*, Oxford University Press, 2003, section 2.2.
    .. [2] Z. Sidak, *Rectangular confidence regions for the means of multivariate normal
       distributions*, Journal of the American Statistical Association 62 (1967) 626-633.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
    >>> df = pd.DataFrame({"score": range(12, 0, -1), "label": label})
    >>> found = df.pu.roc_region(beta=0.25, at={"threshold": 8.5})
    >>> found[["tpr", "tpr_lower", "tpr_upper", "fpr", "fpr_lower", "fpr_upper"]].round(3)
         tpr  tpr_lower  tpr_upper   fpr  fpr_lower  fpr_upper
    0  0.476      0.127      0.873  0.19        0.0       0.69
    """
    betas = read_betas(beta, beta_interval)
    return estimates.roc_region(self._request(), betas, at, Settings(level))
