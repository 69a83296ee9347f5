"""Questions to rankings: pictures of curves. What draws is imported when something is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pu_accessor.accessors.bound import Bound
from pu_accessor.datasets import tables
from pu_accessor.questions.betas import Beta, BetaInterval, read_betas
from pu_accessor.questions.rank_bands import UserBand, read_settings
from pu_accessor.ranking import Ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pu_accessor.plots import Drawing, Palette, Style

__all__ = ["plot_pr", "plot_rank_cdf", "plot_roc"]


def plot_roc(
    self: Bound,
    beta: Beta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    beta_interval: BetaInterval | None = None,
    ranks: Ranks = "breakpoints",
    hue: str | None = None,
    col: str | None = None,
    row: str | None = None,
    baseline: bool = False,
    ax: Axes | None = None,
    line_kws: Style = None,
    band_kws: Style = None,
    palette: Palette = None,
    legend: str | bool = "auto",
    height: float | None = None,
) -> Drawing:
    """Draw the ROC curve with its band.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: of a higher level than `level`, it gives
        an envelope over its interval.
    level : float, default 0.95
        Probability with which the band covers, in (0, 1): at each cutoff for "exact" and
        "bootstrap", at all cutoffs jointly for "simultaneous" and "dkw".
    band : Band, default "exact"
        Bounds on the latent positives in the head: "exact", "simultaneous", "bootstrap" or "dkw".
        Or a function ``(n, m, level) -> (lower, upper)`` that returns two integer arrays with an
        entry for each k = 0..n known positives in the head. Or a pair ``(lower, upper)``, bounds
        on their share among the first r = 0, 1, ... examples: two arrays, DataArrays over "rank",
        or functions of an array of r.
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from. Known negatives, a random sample of the
        negatives, bound the latent ones below each cutoff. "tightest" takes the kind with the
        narrower range of AUROC at each beta, "both" what two bands at half of 1 - level have in
        common.
    selection_odds : float, default 1
        By which factor the odds of being labeled may differ between any two positives (of
        negatives, with known ones), in any way: 1 for labels at random, infinite for nothing known
        about them. Above 1 the band is "exact" or "simultaneous", and holds for every such
        selection.
    beta_interval : Interval, optional
        Where beta may lie, around the point that is passed: the envelope of the bands is drawn
        hatched. A pair, or by group a mapping, a Series, or a frame with columns low and high.
    ranks : Ranks, default "breakpoints"
        Which cutoffs: "all" that are attained; the few "breakpoints" between which curves are
        straight in (fp, tp); or the last attained one at or before each of these numbers of
        examples.
    hue, col, row : str, optional
        What colours, columns and rows of panels tell apart: "beta", "model" for a list of scores,
        or names of `by` or dimensions. Where one is left, it gets the hues.
    baseline : bool, default False
        Insist on the dashed curve of beta = 0, which takes the unlabeled as negative.
    ax : Axes, optional
        Where to draw; new if not given.
    line_kws, band_kws : mapping, optional
        Properties of the estimates' Line2D and of the bands' Polygon; a band has its line's
        colour.
    palette : Palette, optional
        Colours of the hues, as in seaborn: a name, such as "deep" or "viridis", colours in order,
        or that of each key. By default the next ones of your colour cycle that are not on the
        Axes.
    legend : {"auto", "brief", "full", "direct"} or False, default "auto"
        What is named, where it covers no data. "auto" leaves out some of more than six betas,
        "full" none; "brief" names curves alone; "direct" writes names at the ends of curves; False
        nothing.
    height : float, optional
        Height of each panel of a grid, in inches.

    Returns
    -------
    Axes or FacetGrid
        Of matplotlib; with `col` or `row` a grid of seaborn's.

    Raises
    ------
    PUKeyError
        If there is no such column, or beta lacks a group.
    PUTypeError
        If an argument or a column is of a kind that is not allowed.
    PUValueError
        If one has a value that is not allowed, labels are ambiguous, or no row is a known
        positive. In a group, the error names it.

        Also if beta = 1 leaves no negatives, or if a dimension has no hue, column or row.

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

    look = plots.Look(hue, col, row, baseline, ax, line_kws, band_kws, palette, legend, height)
    settings = read_settings(level, band, reference, selection_odds)
    betas = read_betas(beta, beta_interval)
    found = tables.contingency(self._request(ranks), betas, settings, ranks, baseline=baseline)
    return plots.plot_roc(found, look)


def plot_pr(
    self: Bound,
    beta: Beta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    beta_interval: BetaInterval | None = None,
    ranks: Ranks = "breakpoints",
    hue: str | None = None,
    col: str | None = None,
    row: str | None = None,
    baseline: bool = False,
    ax: Axes | None = None,
    line_kws: Style = None,
    band_kws: Style = None,
    palette: Palette = None,
    legend: str | bool = "auto",
    height: float | None = None,
) -> Drawing:
    """Draw the precision-recall curve with its band.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: of a higher level than `level`, it gives
        an envelope over its interval.
    level : float, default 0.95
        Probability with which the band covers, in (0, 1): at each cutoff for "exact" and
        "bootstrap", at all cutoffs jointly for "simultaneous" and "dkw".
    band : Band, default "exact"
        Bounds on the latent positives in the head: "exact", "simultaneous", "bootstrap" or "dkw".
        Or a function ``(n, m, level) -> (lower, upper)`` that returns two integer arrays with an
        entry for each k = 0..n known positives in the head. Or a pair ``(lower, upper)``, bounds
        on their share among the first r = 0, 1, ... examples: two arrays, DataArrays over "rank",
        or functions of an array of r.
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from. Known negatives, a random sample of the
        negatives, bound the latent ones below each cutoff. "tightest" takes the kind with the
        narrower range of AUROC at each beta, "both" what two bands at half of 1 - level have in
        common.
    selection_odds : float, default 1
        By which factor the odds of being labeled may differ between any two positives (of
        negatives, with known ones), in any way: 1 for labels at random, infinite for nothing known
        about them. Above 1 the band is "exact" or "simultaneous", and holds for every such
        selection.
    beta_interval : Interval, optional
        Where beta may lie, around the point that is passed: the envelope of the bands is drawn
        hatched. A pair, or by group a mapping, a Series, or a frame with columns low and high.
    ranks : Ranks, default "breakpoints"
        Which cutoffs: "all" that are attained; the few "breakpoints" between which curves are
        straight in (fp, tp); or the last attained one at or before each of these numbers of
        examples.
    hue, col, row : str, optional
        What colours, columns and rows of panels tell apart: "beta", "model" for a list of scores,
        or names of `by` or dimensions. Where one is left, it gets the hues.
    baseline : bool, default False
        Insist on the dashed curve of beta = 0, which takes the unlabeled as negative.
    ax : Axes, optional
        Where to draw; new if not given.
    line_kws, band_kws : mapping, optional
        Properties of the estimates' Line2D and of the bands' Polygon; a band has its line's
        colour.
    palette : Palette, optional
        Colours of the hues, as in seaborn: a name, such as "deep" or "viridis", colours in order,
        or that of each key. By default the next ones of your colour cycle that are not on the
        Axes.
    legend : {"auto", "brief", "full", "direct"} or False, default "auto"
        What is named, where it covers no data. "auto" leaves out some of more than six betas,
        "full" none; "brief" names curves alone; "direct" writes names at the ends of curves; False
        nothing.
    height : float, optional
        Height of each panel of a grid, in inches.

    Returns
    -------
    Axes or FacetGrid
        Of matplotlib; with `col` or `row` a grid of seaborn's.

    Raises
    ------
    PUKeyError
        If there is no such column, or beta lacks a group.
    PUTypeError
        If an argument or a column is of a kind that is not allowed.
    PUValueError
        If one has a value that is not allowed, labels are ambiguous, or no row is a known
        positive. In a group, the error names it.

        Also if a dimension has no hue, column or row.

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

    look = plots.Look(hue, col, row, baseline, ax, line_kws, band_kws, palette, legend, height)
    settings = read_settings(level, band, reference, selection_odds)
    betas = read_betas(beta, beta_interval)
    found = tables.contingency(self._request(ranks), betas, settings, ranks, baseline=baseline)
    return plots.plot_pr(found, look)


def plot_rank_cdf(
    self: Bound,
    beta: Beta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    ranks: Ranks = "breakpoints",
    hue: str | None = None,
    col: str | None = None,
    row: str | None = None,
    ax: Axes | None = None,
    line_kws: Style = None,
    band_kws: Style = None,
    palette: Palette = None,
    legend: str | bool = "auto",
    height: float | None = None,
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
        Probability with which the band covers, in (0, 1): at each cutoff for "exact" and
        "bootstrap", at all cutoffs jointly for "simultaneous" and "dkw".
    band : Band, default "exact"
        Bounds on the latent positives in the head: "exact", "simultaneous", "bootstrap" or "dkw".
        Or a function ``(n, m, level) -> (lower, upper)`` that returns two integer arrays with an
        entry for each k = 0..n known positives in the head. Or a pair ``(lower, upper)``, bounds
        on their share among the first r = 0, 1, ... examples: two arrays, DataArrays over "rank",
        or functions of an array of r.
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from. Known negatives, a random sample of the
        negatives, bound the latent ones below each cutoff. "tightest" takes the kind with the
        narrower range of AUROC at each beta, "both" what two bands at half of 1 - level have in
        common.
    selection_odds : float, default 1
        By which factor the odds of being labeled may differ between any two positives (of
        negatives, with known ones), in any way: 1 for labels at random, infinite for nothing known
        about them. Above 1 the band is "exact" or "simultaneous", and holds for every such
        selection.
    ranks : Ranks, default "breakpoints"
        Which cutoffs: "all" that are attained; the few "breakpoints" between which curves are
        straight in (fp, tp); or the last attained one at or before each of these numbers of
        examples.
    hue, col, row : str, optional
        What colours, columns and rows of panels tell apart: "beta", "model" for a list of scores,
        or names of `by` or dimensions. Where one is left, it gets the hues.
    ax : Axes, optional
        Where to draw; new if not given.
    line_kws, band_kws : mapping, optional
        Properties of the estimates' Line2D and of the bands' Polygon; a band has its line's
        colour.
    palette : Palette, optional
        Colours of the hues, as in seaborn: a name, such as "deep" or "viridis", colours in order,
        or that of each key. By default the next ones of your colour cycle that are not on the
        Axes.
    legend : {"auto", "brief", "full", "direct"} or False, default "auto"
        What is named, where it covers no data. "auto" leaves out some of more than six betas,
        "full" none; "brief" names curves alone; "direct" writes names at the ends of curves; False
        nothing.
    height : float, optional
        Height of each panel of a grid, in inches.

    Returns
    -------
    Axes or FacetGrid
        Of matplotlib; with `col` or `row` a grid of seaborn's.

    Raises
    ------
    PUKeyError
        If there is no such column, or beta lacks a group.
    PUTypeError
        If an argument or a column is of a kind that is not allowed.
    PUValueError
        If one has a value that is not allowed, labels are ambiguous, or no row is a known
        positive. In a group, the error names it.

        Also if a dimension has no hue, column or row.

    See Also
    --------
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

    look = plots.Look(hue, col, row, False, ax, line_kws, band_kws, palette, legend, height)
    settings = read_settings(level, band, reference, selection_odds)
    cdf = tables.rank_cdf(self._request(ranks), read_betas(beta), settings, ranks)
    return plots.plot_rank_cdf(cdf, look)
