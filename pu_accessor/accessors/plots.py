"""Questions to rankings: plots of curves and metrics.

Each plot draws what a question returns. What draws is imported when something is drawn, and its
options are checked before a row is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from pu_accessor.accessors.bound import Bound
from pu_accessor.datasets import tables
from pu_accessor.datasets.values import ask_by_beta
from pu_accessor.inference.quantities import read_quantity
from pu_accessor.inference.tables.metrics import Metric
from pu_accessor.questions.betas import Beta, read_betas
from pu_accessor.questions.rank_bands import UserBand, read_settings
from pu_accessor.ranking import Ranks

if TYPE_CHECKING:
    from pu_accessor.plots import Drawing, Looks


def plot_roc(
    self: Bound,
    beta: Beta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    contamination: float = 0.0,
    ranks: Ranks = "breakpoints",
    target: str = "examples",
    **looks: Unpack[Looks],
) -> Drawing:
    """Draw the ROC curve with its band.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.
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
    ranks : Ranks, default "breakpoints"
        Which cutoffs: "all" that are attained; the few "breakpoints" between which curves are
        straight in (fp, tp); or the last attained one at or before each of these numbers of
        examples.
    target : {"examples", "population"}, default "examples"
        What bounds are about: these examples once all labels were known, or new ones. For new ones
        they hold at all thresholds jointly, and ``df.pu(monotone=True)`` makes the band far
        narrower.
    hue, col, row, ax, line_kws, band_kws, palette, legend, height, baseline : optional
        What colours and panels tell apart, where to draw, and how it looks, in the same way in all
        plots: `pu_accessor.plots.Looks` has each.

    Returns
    -------
    Axes or FacetGrid
        Of matplotlib; with `col` or `row` a grid of seaborn's.

    Raises
    ------
    PUValueError
        If beta = 1 leaves no negatives.

    See Also
    --------
    roc_bounds : The numbers.
    auroc : The area, with an interval.
    plot_pr : Where positives are rare.

    Notes
    -----
    tpr = TP/(TP + FN) against fpr = FP/(FP + TN) ([1]_, equations 1 and 2), at the estimate and at
    both bounds of each cutoff.

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using Only
       Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
    >>> ax = df.pu.plot_roc(beta=0.5, baseline=True)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('false positive rate', 'true positive rate')
    """
    from pu_accessor import plots

    checked = plots.check_looks(looks)
    baseline = checked["baseline"]
    settings = read_settings(level, band, reference, selection_odds, contamination=contamination)
    betas = read_betas(beta)
    asked = self._request(ranks), betas, settings, ranks
    bounded = tables.contingency(*asked, baseline=baseline, rounded=False, target=target)
    return plots.plot_roc(bounded, checked)


def plot_pr(
    self: Bound,
    beta: Beta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    contamination: float = 0.0,
    ranks: Ranks = "breakpoints",
    target: str = "examples",
    **looks: Unpack[Looks],
) -> Drawing:
    """Draw the precision-recall curve with its band.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.
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
    ranks : Ranks, default "breakpoints"
        Which cutoffs: "all" that are attained; the few "breakpoints" between which curves are
        straight in (fp, tp); or the last attained one at or before each of these numbers of
        examples.
    target : {"examples", "population"}, default "examples"
        What bounds are about: these examples once all labels were known, or new ones. For new ones
        they hold at all thresholds jointly, and ``df.pu(monotone=True)`` makes the band far
        narrower.
    hue, col, row, ax, line_kws, band_kws, palette, legend, height, baseline : optional
        What colours and panels tell apart, where to draw, and how it looks, in the same way in all
        plots: `pu_accessor.plots.Looks` has each.

    Returns
    -------
    Axes or FacetGrid
        Of matplotlib; with `col` or `row` a grid of seaborn's.

    See Also
    --------
    pr_bounds : The numbers.
    average_precision : One number, with an interval.
    plot_roc : The ROC curve.

    Notes
    -----
    precision = TP/(TP + FP) against recall = TP/(TP + FN) ([1]_, section 5), at the estimate and
    at both bounds of each cutoff.

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using Only
       Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
    >>> ax = df.pu.plot_pr(beta=0.5, baseline=True)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('recall', 'precision')
    """
    from pu_accessor import plots

    checked = plots.check_looks(looks)
    baseline = checked["baseline"]
    settings = read_settings(level, band, reference, selection_odds, contamination=contamination)
    betas = read_betas(beta)
    asked = self._request(ranks), betas, settings, ranks
    bounded = tables.contingency(
        *asked, baseline=baseline, rounded=False, target=target, curve="pr"
    )
    return plots.plot_pr(bounded, checked)


def plot_rank_cdf(
    self: Bound,
    beta: Beta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    ranks: Ranks = "breakpoints",
    **looks: Unpack[Looks],
) -> Drawing:
    """Draw the rank CDF of the known positives, with the band of the latent ones around it.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group.

        Not an estimate with its interval: the known positives are drawn as they are, and what lies
        around them is the band at one beta. Pass its point, or several betas.
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
    ranks : Ranks, default "breakpoints"
        Which cutoffs: "all" that are attained; the few "breakpoints" between which curves are
        straight in (fp, tp); or the last attained one at or before each of these numbers of
        examples.
    hue, col, row, ax, line_kws, band_kws, palette, legend, height, baseline : optional
        What colours and panels tell apart, where to draw, and how it looks, in the same way in all
        plots: `pu_accessor.plots.Looks` has each.

    Returns
    -------
    Axes or FacetGrid
        Of matplotlib; with `col` or `row` a grid of seaborn's.

    See Also
    --------
    rank_cdf : The numbers.
    contingency : The tables that the band makes.

    Notes
    -----
    The share of the known positives that are among the first r examples, which is their tpr at the
    rank r ([1]_, equation 6); the band is what the share of the latent positives can be.

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using Only
       Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
    >>> ax = df.pu.plot_rank_cdf(beta=0.5)
    >>> ax.get_xlabel()
    'examples predicted positive'
    """
    from pu_accessor import plots

    checked = plots.check_looks(looks)
    settings = read_settings(level, band, reference, selection_odds)
    cdf = tables.rank_cdf(self._request(ranks), read_betas(beta), settings, ranks)
    return plots.plot_rank_cdf(cdf, checked)


def plot_metric(
    self: Bound,
    quantity: str | Metric,
    beta: Beta,
    *,
    x: str = "rank",
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    target: str = "examples",
    **looks: Unpack[Looks],
) -> Drawing:
    """Draw a metric at each cutoff with its band, such as precision among the top k.

    Parameters
    ----------
    quantity : Metric
        One of accuracy, balanced_accuracy, f1, fdr, fnr, fpr, informedness, jaccard, kappa, lift,
        mcc, npv, precision, recall, tnr and tpr; `pu_accessor.fbeta(2)` and the like; or a
        function of the arrays tp, fp, fn and tn, in examples, that returns an array of their
        shape.
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.
    x : {"rank", "threshold", "fraction"}, default "rank"
        Where a cutoff stands: the number of examples predicted positive, the lowest score among
        them, or their share of all.
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
    target : Target, default "examples"
        What the interval is about: "population", new examples from where these come from; or
        "examples", these alone, once all their labels were known.
    hue, col, row, ax, line_kws, band_kws, palette, legend, height, baseline : optional
        What colours and panels tell apart, where to draw, and how it looks, in the same way in all
        plots: `pu_accessor.plots.Looks` has each.

    Returns
    -------
    Axes or FacetGrid
        Of matplotlib; with `col` or `row` a grid of seaborn's.

    See Also
    --------
    metric : At one cutoff, with its interval.
    plot_gain : Recall by share, with chance and the best there is.

    Notes
    -----
    The metric of the tables of `contingency`, at the estimate and at both bounds: at one cutoff
    and beta each metric grows with TP, an error rate falls, so that these bound it. Hatched at the
    foot: cutoffs at which both bounds are cut to one value, where band and beta are infeasible.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
    >>> ax = df.pu.plot_metric("precision", beta=0.5)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('examples predicted positive', 'precision')
    """
    from pu_accessor import plots

    checked = plots.check_looks(looks)
    baseline = checked["baseline"]
    plots.check_metric(quantity, x)
    settings = read_settings(level, band, reference, selection_odds)
    betas = read_betas(beta)
    ranks: Ranks = "all" if x == "threshold" or callable(quantity) else "breakpoints"
    asked = self._request(ranks), betas, settings, ranks
    curve = "pr" if read_quantity(quantity, None, "tables").of_head else "roc"
    bounded = tables.contingency(
        *asked, baseline=baseline, rounded=False, target=target, curve=curve
    )
    return plots.plot_metric_curve(bounded, quantity, x, checked)


def plot_against_beta(
    self: Bound,
    quantity: str | Metric,
    beta: Beta,
    *,
    at: int | None = None,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    **looks: Unpack[Looks],
) -> Drawing:
    """Draw an area, or a metric at a rank, against beta, and where models swap places.

    A cross marks where the estimates of two models swap their order. Shaded, with a
    strip in its hue, are the betas at which both bounds of a model are cut to one value: at some
    cutoff even the most favourable one asks for more latent positives than there is room for. The
    band
    holds at each cutoff, not at all at once: now and then that happens at the true beta, too.
    A vertical line marks the upper limit on beta that `estimate_beta` sets at this level; no
    warning says that some of the betas are above.

    Parameters
    ----------
    quantity : str or callable
        "auroc", "average_precision" for the area under the PR curve, or a metric as in
        ``ds.pu.metric``.
    beta : array-like of float
        Fractions of positives among the unlabeled, in [0, 1]: a grid of two or more. Not an
        estimate with its interval: beta is the axis. Pass betas between both ends.
    at : int, optional
        For a metric: the number of examples predicted positive.
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
    hue, col, row, ax, line_kws, band_kws, palette, legend, height, baseline : optional
        What colours and panels tell apart, where to draw, and how it looks, in the same way in all
        plots: `pu_accessor.plots.Looks` has each.

    Returns
    -------
    Axes or FacetGrid
        Of matplotlib; with `col` or `row` a grid of seaborn's.

    See Also
    --------
    estimate_beta : What beta can be.
    compare : Which model has the higher AUROC, without beta.

    Notes
    -----
    Beta does not change the order of two models by the unbiased AUROC, unlike [1]_ says. With AUC
    the area that takes all unlabeled examples as negative, that is (AUC - b/2)/(1 - b), where b is
    the share of latent positives among all that are not known to be positive: it grows with AUC at
    every beta. What is drawn is of one possible labeling of each model; two of these can change
    places where they are close, or where the bounds of one are cut to one value. `compare` says
    which model is better, without beta.

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using Only
       Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
    >>> ax = df.pu.plot_against_beta("auroc", beta=[0, 0.2, 0.4])
    >>> ax.get_ylabel()
    'AUROC'
    """
    from pu_accessor import plots

    checked = plots.check_looks(looks)
    settings = read_settings(level, band, reference, selection_odds)
    values = ask_by_beta(self._request(), quantity, read_betas(beta), at, settings)
    return plots.plot_rows(values, "beta", checked, values.attrs["label"])
