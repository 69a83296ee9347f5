"""Questions to rankings: which model or group is better, and what could overturn that."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import pandas as pd

from pu_accessor.accessors.bound import Bound
from pu_accessor.checks import refuse_odds
from pu_accessor.datasets import curves, tables
from pu_accessor.errors import PUValueError, brief
from pu_accessor.inference.bands.lookup import Band
from pu_accessor.inference.estimates.cutoff_spec import At
from pu_accessor.inference.metrics import AnyMetric
from pu_accessor.inference.settings import Settings
from pu_accessor.questions import comparison
from pu_accessor.questions.betas import Beta, read_betas
from pu_accessor.questions.rank_bands import UserBand, read_settings
from pu_accessor.questions.robustness import read_conclusion
from pu_accessor.questions.robustness import robustness as ask


def compare(
    self: Bound,
    beta: Beta | None = None,
    *,
    quantity: AnyMetric = "auroc",
    at: At | None = None,
    on: Hashable | list[Hashable] | None = None,
    target: str = "population",
    level: float = 0.95,
    selection_odds: float = 1.0,
    contamination: float = 0.0,
    adjust: str = "holm",
    alpha: float | None = None,
) -> pd.DataFrame:
    """Compare models that ranked the same examples: by AUROC no beta is needed.

    The difference in AUROC is the mean difference of the ranks of the known
    positives, divided by the number of negatives. Its sign, and whether it can be chance on new
    examples, do not depend on beta. Its size does: for that, pass `beta`. Other quantities are
    compared on new examples, with a beta, row by row.

    Models are columns of scores, ``df.pu(score=["svm", "forest"])``, in each group where there are
    groups, too; or rows, where a row is an example and a model: ``df.pu(by="model")``, with `on`.
    ``nan_policy="omit"`` drops an example that any model has no score for.

    Parameters
    ----------
    beta : Beta, optional
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.

        Without it there is no size.
    quantity : Metric, default "auroc"
        "auroc", "average_precision", "bedroc", or a metric, by name or as a function, at a cutoff;
        "net_benefit" of probabilities, at a threshold.
    at : At, optional
        The cutoff: a number of examples predicted positive, 100 or ``{"rank": 100}``, or their
        share, ``{"fraction": 0.1}``; a score, ``{"threshold": 0.5}``; the last with an estimated
        ``{"fpr": 0.05}`` at most or ``{"precision": 0.9}`` at least, the first with ``{"recall":
        0.9}``, or tpr, at least; "youden" or "maximum", where the estimated informedness, or the
        metric itself, is highest.

        A rank, a share or a threshold, of each model; areas have none.
    on : hashable or list of hashable, optional
        Columns that identify an example, to pair the rows of models in rows.
    target : Target, default "population"
        What the interval is about: "population", new examples from where these come from; or
        "examples", these alone, once all their labels were known.
    level : float, default 0.95
        Probability with which the interval covers, in (0, 1).
    selection_odds : float, default 1
        By which factor the odds of being labeled may differ between any two positives, in any
        way. Above 1 a sign of 0 says that it can change for such a selection, p values are the
        largest for any, and with `beta` the columns range_lower and range_upper are what the
        difference can be, with an interval that holds for all.
    contamination : float, default 0
        Largest share of the known positives that may be negative, in [0, 0.5). Of n known ones at
        most contamination*n are, rounded down, nobody knows which, and the others are a random
        sample of the positives: the interval holds whichever are wrong.
    adjust : {"holm", "max_t"}, default "holm"
        How p values are adjusted for the number of pairs [1]_: "max_t" counts with how the
        statistics of pairs vary together [3]_, and is never larger.
    alpha : float, optional
        How early is early, above 0: the rank r of N counts exp(-alpha*r/N). At 20 the first 8% of
        the examples make 80% of the score.

        Of "bedroc" alone, where it is 20 if it is left out.

    Returns
    -------
    DataFrame
        A row for each pair of models, a before b; with `beta` for each pair and beta.

        * model_a, model_b (after the name of `by`) : the two models.
        * n : known positives.
        * statistic, df, p_value : Student's t, its degrees of freedom, two-sided p value.
        * p_adjusted : the p value adjusted for all pairs (of a group).
        * sign : 1 where a has the higher one, -1 where b has, 0 where neither has.
        * difference, lower, upper (only with `beta`) : the quantity of a minus that of b, and its
          interval.

        ``.attrs`` are as of `auroc`, and quantity and adjust.

        ``.attrs["adjust"]`` says how p values were adjusted; without `beta`, ``.attrs["size"]``
        what the size of the difference needs.

    Raises
    ------
    PUValueError
        If there are fewer than two models; if examples are not in every group of rows, are
        there twice, or have different labels (the message counts them); if an argument or a
        column has a value that is not allowed.

    Warns
    -----
    PUWarning
        If the examples do not say how far the difference can be off: there is one known positive
        alone, or one other example.

    See Also
    --------
    gap : For groups that share no examples, of any quantity.

    Notes
    -----
    With R the mid-ranks from the top of the n known positives among N examples, P = n +
    beta*U, and d = R_b - R_a, the difference is mean(d)/(N - P).

    On new examples t = mean(d)/s has DeLong's variance [2]_ of two models, s**2 = var(d)/n +
    (N - n)*var(V_a - V_b), with d of ranks among the other examples alone, and V the shares of
    known positives above each of these; its degrees of freedom are Welch's. P value and interval
    agree: at level .95 the interval leaves out 0 exactly where p < .05, whatever beta.

    Where models differ in few examples, the known ones among these say little. At least three
    known positives are taken to differ, by as much as is typical for them and for the rest.

    For these examples the others are given, and s**2 = var(d)/n * (1 - n/P) with n - 1 degrees of
    freedom. Without beta the last factor is left out, so that p is conservative where many of the
    positives are known. Where all are known the interval is the difference.

    With propensities e all means are weighted by 1/e, and the degrees of freedom those of a
    variance with the kurtosis of its terms. Neither sign nor p value contain beta then either. For
    these examples the terms of the variance have the factor 1 - e, with or without beta.

    The difference of another quantity is off by what each row adds to the error of a less what it
    adds to that of b; its variance is the sum of squares, of the known positives and of the rest.
    The interval is around a statistic that need not lie in [0, 1], and reaches to the difference
    of the estimates, those of `average_precision`, `metric`, `bedroc` and `net_benefit`.

    Of clustered rows, with `cluster`, the variance is that of sums by cluster, or of independent
    rows if that is larger, and the degrees of freedom are at most one less than clusters that hold
    a known positive.

    References
    ----------
    .. [1] S. Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian
       Journal of Statistics 6 (1979) 65-70.
    .. [2] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, *Comparing the areas under two or more
       correlated receiver operating characteristic curves: a nonparametric approach*, Biometrics
       44 (1988) 837-845.
    .. [3] T. Hothorn, F. Bretz, P. Westfall, *Simultaneous inference in general parametric
       models*, Biometrical Journal 50 (2008) 346-363.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> df = pd.DataFrame({"label": [1, None, 1, None, 1, None, None, None]})
    >>> df["svm"], df["forest"] = [8, 2, 7, 1, 6, 5, 4, 3], [3, 8, 7, 6, 5, 4, 2, 1]
    >>> compared = df.pu(score=["svm", "forest"]).compare()
    >>> compared[["model_a", "model_b", "sign", "p_value"]].round(3)
      model_a model_b  sign  p_value
    0     svm  forest     1     0.28
    >>> sized = df.pu(score=["svm", "forest"]).compare(beta=0.2)
    >>> sized[["model_a", "model_b", "beta", "difference", "lower", "upper"]].round(2)
      model_a model_b  beta  difference  lower  upper
    0     svm  forest   0.2         0.5   -0.6    1.6
    """
    settings = Settings(level, selection_odds=selection_odds, contamination=contamination)
    betas = None if beta is None else read_betas(beta)
    refuse_odds(settings.selection_odds, pooled=bool(self._roles.pool))
    asked = quantity, at, on
    return comparison.compare(self._request(), betas, *asked, settings, target, adjust, alpha)


def dominance(
    self: Bound,
    beta: Beta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
) -> pd.DataFrame:
    """Compare where the ROC curves of models lie, at each beta ([1]_, section 6.2).

    With both groups and a list of scores each model of each group is compared with all others.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group.
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

    Returns
    -------
    DataFrame
        A row for each pair of models, a before b, and beta.

        * model_a, model_b (after the name of `by`) : the two models.
        * beta, or beta_a and beta_b where it is given by group.
        * dominates : the model whose estimated curve is nowhere below and somewhere above the
          other's, or None.
        * equal : bool, whether the estimated curves coincide.
        * disjoint : bool, whether the lower curve of one model lies above the upper curve of
          the other at each false positive rate, save where both are at an end.
        * crossings : tuple of float, the false positive rates at which the lead passes from
          one estimated curve to the other.

    Raises
    ------
    PUValueError
        If there are fewer than two models, or no negatives.

    See Also
    --------
    compare : Which has the higher AUROC, as a test.
    plot_roc : The curves.

    Notes
    -----
    A curve counts as high as it gets at or left of a false positive rate: it never falls.

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using Only
       Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> df = pd.DataFrame({"label": [1, None, 1, None, 1, None, None, None]})
    >>> df["svm"], df["forest"] = [8, 2, 7, 1, 6, 5, 4, 3], [3, 8, 7, 6, 5, 4, 2, 1]
    >>> df.pu(score=["svm", "forest"]).dominance(beta=0.2).loc[0, "dominates"]
    'svm'
    """
    settings = read_settings(level, band, reference, selection_odds)
    betas = read_betas(beta)
    bounded = tables.contingency(self._request(), betas, settings, "breakpoints", rounded=False)
    return curves.dominance(bounded)


def gap(
    self: Bound,
    quantity: AnyMetric,
    beta: Beta | None = None,
    *,
    at: At | None = None,
    target: str | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Compare a quantity of groups that share no examples, such as recall of women and of men.

    Parameters
    ----------
    quantity : Metric
        "auroc", "average_precision", or a metric by name or as a function, as `metric` takes it.
    beta : Beta, optional
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.

        The gap of recall, tpr or fnr on new examples needs none: known positives alone say it.
        Estimates for each group have independent errors; one for all is off by the same in each.
    at : At, optional
        The cutoff: a number of examples predicted positive, 100 or ``{"rank": 100}``, or their
        share, ``{"fraction": 0.1}``; a score, ``{"threshold": 0.5}``; the last with an estimated
        ``{"fpr": 0.05}`` at most or ``{"precision": 0.9}`` at least, the first with ``{"recall":
        0.9}``, or tpr, at least; "youden" or "maximum", where the estimated informedness, or the
        metric itself, is highest.

        Of a metric, in each group: mostly a threshold that all share.
    target : Target, optional
        What the interval is about: new examples, from where these come from, by default of an
        area, or at a threshold; or these examples, once all their labels were known.
    level : float, default 0.95
        Probability with which the interval covers, in (0, 1).

    Returns
    -------
    DataFrame
        A row for each pair of groups, a before b, and beta, where there is one: the two groups,
        beta (beta_a and beta_b where it is given by group), n_a and n_b, the known positives; of
        AUROC also statistic, df, p_value and p_adjusted, which is adjusted for all pairs at a
        beta; estimate_a, estimate_b, difference, which is that of a minus that of b, lower,
        upper. With estimates of beta there is no test. ``.attrs`` are as of `auroc`, and
        quantity. Intervals are not adjusted for the number of pairs.

    Raises
    ------
    PUValueError
        If there are fewer than two groups, no negatives for an area, or beta or a cutoff is
        missing where it is needed.

    Warns
    -----
    PUWarning
        If AUROC is asked of a group with one known positive alone, or one other example: its
        statistics are NaN.

    See Also
    --------
    compare : For models that ranked the same examples: sharper, and without beta.

    Notes
    -----
    AUROC has Welch's test [3]_, with the standard errors of `auroc` for the same target, as long
    as beta is a number. It is of unbiased estimates, which can lie outside [0, 1] and differ from
    those of `auroc`.

    Else each group has its estimate and interval, those of `metric` or `average_precision`. The
    gap can be off by what the two can be off by, squared and added for both [1]_. For recall on
    new examples these are Wilson's intervals, and that of the gap is Newcombe's [2]_.

    Known positives are taken as a random sample
    of the positives *in each group*: labels that are easier to come by in one group do no harm.

    References
    ----------
    .. [1] G. Y. Zou, A. Donner, *Construction of confidence limits about effect measures: a
       general approach*, Statistics in Medicine 27 (2008) 1693-1702.
    .. [2] R. G. Newcombe, *Interval estimation for the difference between independent
       proportions: comparison of eleven methods*, Statistics in Medicine 17 (1998) 873-890.
    .. [3] B. L. Welch, *The generalization of 'Student's' problem when several different
       population variances are involved*, Biometrika 34 (1947) 28-35.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [1, None, 1, None, None, 1, None, None, None, 1, None, 1, 1, None]
    >>> df = pd.DataFrame({"sex": list("fm" * 7), "score": range(14), "label": label})
    >>> found = df.pu(by="sex").gap("recall", at={"threshold": 4.5})
    >>> found[["sex_a", "sex_b", "estimate_a", "estimate_b", "difference"]].round(3)
      sex_a sex_b  estimate_a  estimate_b  difference
    0     f     m       0.333         1.0      -0.667
    >>> found[["n_a", "n_b", "lower", "upper"]].round(3)
       n_a  n_b  lower  upper
    0    3    3 -0.939  0.059
    >>> found = df.pu(by="sex").gap("auroc", beta={"f": 0.3, "m": 0.1})
    >>> found[["sex_a", "sex_b", "difference", "lower", "upper"]].round(2)
      sex_a sex_b  difference  lower  upper
    0     f     m       -0.42  -2.07   1.22
    """
    if isinstance(self._roles.score, list):
        raise PUValueError(
            f"score must name one column for gap, but {brief(self._roles.score)} was passed: "
            "models of the same rows are not independent. Ask for each, "
            "df.pu.metric('recall', 0.3, at=100), or compare their AUROC: df.pu(score=['svm', "
            "'forest']).compare()."
        )
    betas = None if beta is None else read_betas(beta)
    return comparison.gap(self._request(), quantity, betas, at, Settings(level), target)


def robustness(
    self: Bound,
    quantity: AnyMetric,
    beta: Beta,
    *,
    selection_odds: float | Sequence[float] = (1, 1.25, 1.5, 2, 2.5, 3, 4, 5),
    contamination: float | Sequence[float] | None = None,
    above: float | None = None,
    at: At | None = None,
    on: Hashable | list[Hashable] | None = None,
    target: str | None = None,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
) -> pd.DataFrame:
    """Return a quantity for several factors of the odds of being labeled, and which one breaks it.

    Labels are seldom a random sample of the positives. This says what a quantity can be where the
    odds differ by some factor, and how far they may differ before its interval reaches the value
    that it was to exceed: the breaking point.

    Parameters
    ----------
    quantity : Metric
        "auroc", "average_precision", or a metric, whose conclusion is that it is above a value; or
        "difference", of the AUROC of models that ranked the same examples, whose conclusion is
        that one is better than the other.
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group.

        Not an estimate with its interval: that takes labels to be selected at random, and what is
        asked here is how far from that they may be. Pass its point, and its ends.
    selection_odds : float or array-like of float, default (1, 1.25, 1.5, 2, 2.5, 3, 4, 5)
        The factors, from 1 on. For the breaking point alone pass 1.
    contamination : float, optional
        Largest share of the known positives that may be negative, in [0, 0.5). Of n known ones at
        most contamination*n are, rounded down, nobody knows which, and the others are a random
        sample of the positives: the interval holds whichever are wrong.
    above : float, default 0.5
        The conclusion is that the lower limit is above this. Not for a difference, which is to be
        other than 0.
    at : At, optional
        The cutoff: a number of examples predicted positive, 100 or ``{"rank": 100}``, or their
        share, ``{"fraction": 0.1}``; a score, ``{"threshold": 0.5}``; the last with an estimated
        ``{"fpr": 0.05}`` at most or ``{"precision": 0.9}`` at least, the first with ``{"recall":
        0.9}``, or tpr, at least; "youden" or "maximum", where the estimated informedness, or the
        metric itself, is highest.

        Not for an area.
    on : hashable or list of hashable, optional
        Columns that identify an example, to pair the rows of models in rows.

        For a difference.
    target : Target, optional
        What the numbers are about: "population", new examples, which is the default but for a
        metric; or "examples", these alone.
    level : float, default 0.95
        Probability with which the band covers, in (0, 1): at each cutoff or bin for "exact" and
        "bootstrap", at all of them jointly for "simultaneous" and "dkw".
    band : Band, default "exact"
        Bounds on the latent positives in the head: "exact", "simultaneous", "bootstrap" or "dkw".
        Or a function ``(n, m, level) -> (lower, upper)`` of two integer arrays, for k = 0..n known
        positives in the head. Or a pair ``(lower, upper)`` of their share among the first r = 0,
        1, ... examples: arrays, DataArrays over "rank", or functions of an array of r.

        For a metric alone: "exact" or "simultaneous".
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from: known negatives, if a random sample, bound the
        latent ones below each cutoff. "tightest" takes the kind with the narrower range of AUROC
        at each beta, "both" what two bands at half of 1 - level have in common.

    Returns
    -------
    DataFrame
        A row for each group, or pair of models, beta and factor.

        * The group, or the two models; beta; selection_odds, the factor, or contamination.
        * range_lower, range_upper (not of a metric) : what it can be for a selection within the
          factor.
        * estimate : that for labels at random.
        * lower, upper : the interval, or the bounds of a band, that hold for all of these.
        * breaking_point : the factor from which on the conclusion does not hold for every
          selection, the same in all rows of a group and beta. 1 where it does not hold at random
          labels, infinite where it holds for every selection. Of shares of wrong known positives
          the least with which it does not hold; infinite where it holds with all below one half.

        ``.attrs`` are as of `auroc`, and quantity, above, and band of a metric.

    Raises
    ------
    PUValueError
        If a number has no cutoff, or a metric lacks one; if the columns have propensities.

    See Also
    --------
    plot_robustness : The picture of this.
    auroc : Has `selection_odds`, too: the interval at one factor.

    Notes
    -----
    The breaking point is found by halving, to a thousandth. At such a factor the conclusion *may*
    be wrong: that takes a selection that depends on the score as unfavourably as it can.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(4000) < 1000
    >>> score = np.random.default_rng(0).normal(truth)
    >>> label = np.where(np.arange(4000) < 300, 1, np.nan)
    >>> df = pd.DataFrame({"score": score, "label": label})
    >>> found = df.pu.robustness("auroc", beta=700 / 3700, selection_odds=[1, 2])
    >>> found[["selection_odds", "estimate", "lower", "upper", "breaking_point"]].round(2)
       selection_odds  estimate  lower  upper  breaking_point
    0             1.0      0.75   0.71   0.79            7.42
    1             2.0      0.75   0.64   0.85            7.42
    """
    refuse_design(self, contamination)
    settings = Settings(level, band, reference)
    conclusion = read_conclusion(quantity, at, above, target, settings, on)
    return ask(self._request(), conclusion, read_betas(beta), selection_odds, contamination)


def refuse_design(bound: Bound, contamination: object) -> None:
    """Raise if columns say what the odds of being labeled are, or groups are pooled."""
    if contamination is None:
        refuse_odds(2.0, pooled=bool(bound._roles.pool))
    if bound._held.propensity is not None:
        raise PUValueError(
            f"propensity must not be bound, but {bound._held.propensity!r} is: it says what the "
            "odds of being labeled are, and robustness is asked where they are not known. Leave "
            "one of the two out."
        )
