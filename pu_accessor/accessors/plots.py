"""Questions to rankings: plots of curves and metrics.

Each plot draws what a question returns. What draws is imported when something is drawn, and its
options are checked before a row is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, Unpack

from pu_accessor.accessors.bound import Bound
from pu_accessor.datasets import tables
from pu_accessor.datasets.marks import ask_cells, ask_marks
from pu_accessor.datasets.values import ask_quantity
from pu_accessor.inference.estimates.cutoff_spec import At
from pu_accessor.inference.metrics import AnyMetric, read_metric
from pu_accessor.questions.betas import Beta, BetaInterval, read_betas
from pu_accessor.questions.rank_bands import UserBand, read_settings
from pu_accessor.ranking import Ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pu_accessor.plots import Drawing, Palette, Style


class PlotOptions(TypedDict, total=False):
    """What all plots take as keywords: `pu_accessor.plots.Options` checks it."""

    hue: str | None
    col: str | None
    row: str | None
    ax: Axes | None
    line_kws: Style
    band_kws: Style
    palette: Palette
    legend: str | bool
    height: float | None


def plot_roc(
    self: Bound,
    beta: Beta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    contamination: float = 0.0,
    beta_interval: BetaInterval | None = None,
    ranks: Ranks = "breakpoints",
    target: str = "examples",
    mark: At | None = None,
    baseline: bool = False,
    **options: Unpack[PlotOptions],
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
    beta_interval : Interval, optional
        Where beta may lie, around the point that is passed: the envelope of the bands is drawn
        hatched. A pair, or by group a mapping, a Series, or a frame with columns low and high.
    ranks : Ranks, default "breakpoints"
        Which cutoffs: "all" that are attained; the few "breakpoints" between which curves are
        straight in (fp, tp); or the last attained one at or before each of these numbers of
        examples.
    target : {"examples", "population"}, default "examples"
        What bounds are about: these examples once all labels were known, or new ones. For new ones
        they hold at all thresholds jointly, and ``df.pu(monotone=True)`` makes the band far
        narrower.
    mark : At, optional
        Cutoffs to mark on each curve, with their value beside: a rank, ``{"threshold": 0.5}``, a
        fraction, or several of a kind, ``{"rank": [50, 100]}``.

        All that `at` of `metric` takes: "youden", or ``{"recall": 0.9}``, too. On new examples a
        threshold, framed by its `roc_region`: both rates lie in it with a probability of `level`.
    baseline : bool, default False
        Insist on the dashed curve of beta = 0, which takes the unlabeled as negative.
    hue, col, row, ax, line_kws, band_kws, palette, legend, height : optional
        What colours and panels tell apart, where to draw, and how it looks, in the same way in all
        plots: `pu_accessor.plots.Options` has each.

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

    checked = plots.Options(baseline=baseline, **options)
    settings = read_settings(level, band, reference, selection_odds, contamination=contamination)
    betas = read_betas(beta, beta_interval)
    asked = self._request(ranks), betas, settings, ranks
    bounded = tables.contingency(*asked, baseline=baseline, rounded=False, target=target)
    betas = betas.with_baseline() if baseline else betas
    marked = ask_marks(bounded, self._request(ranks), "roc", mark, betas, settings, target)
    return plots.plot_roc(marked, checked)


def plot_pr(
    self: Bound,
    beta: Beta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    contamination: float = 0.0,
    beta_interval: BetaInterval | None = None,
    ranks: Ranks = "breakpoints",
    target: str = "examples",
    mark: At | None = None,
    baseline: bool = False,
    **options: Unpack[PlotOptions],
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
    beta_interval : Interval, optional
        Where beta may lie, around the point that is passed: the envelope of the bands is drawn
        hatched. A pair, or by group a mapping, a Series, or a frame with columns low and high.
    ranks : Ranks, default "breakpoints"
        Which cutoffs: "all" that are attained; the few "breakpoints" between which curves are
        straight in (fp, tp); or the last attained one at or before each of these numbers of
        examples.
    target : {"examples", "population"}, default "examples"
        What bounds are about: these examples once all labels were known, or new ones. For new ones
        they hold at all thresholds jointly, and ``df.pu(monotone=True)`` makes the band far
        narrower.
    mark : At, optional
        Cutoffs to mark on each curve, with their value beside: a rank, ``{"threshold": 0.5}``, a
        fraction, or several of a kind, ``{"rank": [50, 100]}``.

        All that `at` of `metric` takes: "youden", or ``{"recall": 0.9}``, too.
    baseline : bool, default False
        Insist on the dashed curve of beta = 0, which takes the unlabeled as negative.
    hue, col, row, ax, line_kws, band_kws, palette, legend, height : optional
        What colours and panels tell apart, where to draw, and how it looks, in the same way in all
        plots: `pu_accessor.plots.Options` has each.

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

    checked = plots.Options(baseline=baseline, **options)
    settings = read_settings(level, band, reference, selection_odds, contamination=contamination)
    betas = read_betas(beta, beta_interval)
    asked = self._request(ranks), betas, settings, ranks
    bounded = tables.contingency(
        *asked, baseline=baseline, rounded=False, target=target, curve="pr"
    )
    betas = betas.with_baseline() if baseline else betas
    marked = ask_marks(bounded, self._request(ranks), "pr", mark, betas, settings, target)
    return plots.plot_pr(marked, checked)


def plot_rank_cdf(
    self: Bound,
    beta: Beta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    ranks: Ranks = "breakpoints",
    **options: Unpack[PlotOptions],
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
    hue, col, row, ax, line_kws, band_kws, palette, legend, height : optional
        What colours and panels tell apart, where to draw, and how it looks, in the same way in all
        plots: `pu_accessor.plots.Options` has each.

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

    checked = plots.Options(**options)
    settings = read_settings(level, band, reference, selection_odds)
    cdf = tables.rank_cdf(self._request(ranks), read_betas(beta), settings, ranks)
    return plots.plot_rank_cdf(cdf, checked)


def plot_metric(
    self: Bound,
    quantity: AnyMetric,
    beta: Beta,
    *,
    x: str = "rank",
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    beta_interval: BetaInterval | None = None,
    target: str = "examples",
    baseline: bool = False,
    **options: Unpack[PlotOptions],
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
    beta_interval : Interval, optional
        Where beta may lie, around the point that is passed: the envelope of the bands is drawn
        hatched. A pair, or by group a mapping, a Series, or a frame with columns low and high.
    target : Target, default "examples"
        What the interval is about: "population", new examples from where these come from; or
        "examples", these alone, once all their labels were known.
    baseline : bool, default False
        Insist on the dashed curve of beta = 0, which takes the unlabeled as negative.
    hue, col, row, ax, line_kws, band_kws, palette, legend, height : optional
        What colours and panels tell apart, where to draw, and how it looks, in the same way in all
        plots: `pu_accessor.plots.Options` has each.

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

    checked = plots.Options(baseline=baseline, **options)
    plots.check_plot_metric(quantity, x)
    settings = read_settings(level, band, reference, selection_odds)
    betas = read_betas(beta, beta_interval)
    ranks: Ranks = "all" if x == "threshold" or callable(quantity) else "breakpoints"
    asked = self._request(ranks), betas, settings, ranks
    curve = "pr" if read_metric(quantity, None, "tables").of_head else "roc"
    bounded = tables.contingency(
        *asked, baseline=baseline, rounded=False, target=target, curve=curve
    )
    return plots.plot_metric(bounded, quantity, x, checked)


def plot_table(
    self: Bound,
    beta: Beta,
    *,
    at: At,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    **options: Unpack[PlotOptions],
) -> Drawing:
    r"""Draw the bounded 2 x 2 table at one cutoff, as people print confusion matrices.

    Each cell has the estimated number of examples with its limits below. It is the darker, the
    larger its share of its row: the positives above, the negatives below.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group.
    at : At
        The cutoff: a number of examples predicted positive, 100 or ``{"rank": 100}``, or their
        share, ``{"fraction": 0.1}``; a score, ``{"threshold": 0.5}``; the last with an estimated
        ``{"fpr": 0.05}`` at most or ``{"precision": 0.9}`` at least, the first with ``{"recall":
        0.9}``, or tpr, at least; "youden" or "maximum", where the estimated informedness, or the
        metric itself, is highest.

        Not "maximum": a table has no one value that could be highest.
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
    hue, col, row, ax, line_kws, band_kws, palette, legend, height : optional
        What colours and panels tell apart, where to draw, and how it looks, in the same way in all
        plots: `pu_accessor.plots.Options` has each.

    Returns
    -------
    Axes or FacetGrid
        Of matplotlib; with `col` or `row` a grid of seaborn's.

    See Also
    --------
    metric : A number of such a table, with its interval.
    contingency : The tables of all cutoffs.

    Notes
    -----
    The four limits hold together: where true positives are at their lowest, false positives are
    at their highest.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
    >>> ax = df.pu.plot_table(beta=0.5, at={"threshold": 6})
    >>> ax.get_xlabel().split(",")[:1], [text.get_text() for text in ax.texts][:2]
    (['predicted'], ['4\n[2, 4]', '0\n[0, 2]'])
    """
    from pu_accessor import plots

    checked = plots.Options(**options)
    settings = read_settings(level, band, reference, selection_odds)
    return plots.plot_table(ask_cells(self._request(), read_betas(beta), at, settings), checked)


def plot_against_beta(
    self: Bound,
    quantity: AnyMetric,
    beta: Beta,
    *,
    at: int | None = None,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    **options: Unpack[PlotOptions],
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
    hue, col, row, ax, line_kws, band_kws, palette, legend, height : optional
        What colours and panels tell apart, where to draw, and how it looks, in the same way in all
        plots: `pu_accessor.plots.Options` has each.

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

    checked = plots.Options(**options)
    settings = read_settings(level, band, reference, selection_odds)
    values = ask_quantity(self._request(), quantity, read_betas(beta), at, settings)
    return plots.plot_against_beta(values, checked)
