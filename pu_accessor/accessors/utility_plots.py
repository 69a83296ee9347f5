"""Questions to rankings: the pictures of what practice asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pu_accessor.accessors.bound import Bound
from pu_accessor.datasets import tables
from pu_accessor.inference.bands.lookup import Band
from pu_accessor.questions import utility as practice
from pu_accessor.questions.betas import Beta, BetaInterval, read_betas
from pu_accessor.questions.rank_bands import read_settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pu_accessor.plots import Drawing, Palette, Style

__all__ = ["plot_calibration", "plot_decision", "plot_gain"]


def plot_decision(
    self: Bound,
    beta: Beta,
    *,
    thresholds: practice.Thresholds = None,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    beta_interval: BetaInterval | None = None,
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
    """Draw decision curves: net benefit at each threshold with its band, and that of treating all.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: of a higher level than `level`, it gives
        an envelope over its interval.
    thresholds : float or array-like of float, optional
        Probabilities in (0, 1) from which on somebody would act; every hundredth if not given.
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

        Also if scores are no probabilities, or a dimension has no hue, column or row.

    See Also
    --------
    net_benefit : The numbers.

    Notes
    -----
    Net benefit at the threshold t is TP/N - FP/N * t/(1 - t) [1]_.

    References
    ----------
    .. [1] A. J. Vickers, E. B. Elkin, *Decision curve analysis: a novel method for evaluating
       prediction models*, Medical Decision Making 26 (2006) 565-574.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> score = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
    >>> df = pd.DataFrame({"score": score, "label": label})
    >>> ax = df.pu.plot_decision(beta=0.5)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('threshold probability', 'net benefit')
    """
    from pu_accessor import plots

    look = plots.Look(hue, col, row, baseline, ax, line_kws, band_kws, palette, legend, height)
    settings = read_settings(level, band, reference, selection_odds)
    betas = read_betas(beta, beta_interval)
    betas = betas.with_baseline() if baseline else betas
    curves = practice.decision_curves(self._request(), betas, thresholds, settings)
    return plots.plot_decision(curves, look)


def plot_gain(
    self: Bound,
    beta: Beta,
    *,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    beta_interval: BetaInterval | None = None,
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
    """Draw cumulative gains: how many of the positives the best-ranked examples hold.

    The share of positives found, which is recall, against the share of examples looked at, with
    what chance finds and what a ranking finds that has all positives first.

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
    metric : "lift", gains over chance as numbers.

    Notes
    -----
    TP/(TP + FN) against (TP + FP)/N, of the tables of `contingency`.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
    >>> ax = df.pu.plot_gain(beta=0.5)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('share of examples predicted positive', 'share of positives found')
    """
    from pu_accessor import plots

    look = plots.Look(hue, col, row, baseline, ax, line_kws, band_kws, palette, legend, height)
    settings = read_settings(level, band, reference, selection_odds)
    betas = read_betas(beta, beta_interval)
    betas = betas.with_baseline() if baseline else betas
    return plots.plot_gain(
        tables.contingency(self._request(), betas, settings, "breakpoints"), look
    )


def plot_calibration(
    self: Bound,
    beta: Beta,
    *,
    bins: int | Sequence[float] = 10,
    level: float = 0.95,
    band: str = "exact",
    beta_interval: BetaInterval | None = None,
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
    """Draw a reliability diagram: the share of positives in bins of the scores, with its limits.

    A point stands at the mean score of its bin, and the limits over all of the bin.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: of a higher level than `level`, it gives
        an envelope over its interval.
    bins : int, or array-like of float, default 10
        How many bins of one width, or their edges, from 0 to 1. An edge belongs to the bin above
        it, 1 to the last.
    level : float, default 0.95
        Probability with which the limits cover, in (0, 1): in each bin for "exact", in all of them
        jointly for "simultaneous".
    band : {"exact", "simultaneous"}, default "exact"
        Whether limits hold for each bin, or for all jointly.
    beta_interval : Interval, optional
        Where beta may lie, around the point that is passed: the envelope of the bands is drawn
        hatched. A pair, or by group a mapping, a Series, or a frame with columns low and high.
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

        Also if scores are no probabilities, or a dimension has no hue, column or row.

    See Also
    --------
    calibration : The numbers.

    Notes
    -----
    In a bin of e examples with k of the n known positives, where U are unlabeled in all, the
    estimate is k/n * (n + beta*U)/e; the limits are those of `calibration`.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> score = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
    >>> df = pd.DataFrame({"score": score, "label": label})
    >>> ax = df.pu.plot_calibration(beta=0.5, bins=3)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('mean score', 'share of positives')
    """
    from pu_accessor import plots

    look = plots.Look(hue, col, row, baseline, ax, line_kws, band_kws, palette, legend, height)
    settings = read_settings(level, band)
    betas = read_betas(beta, beta_interval)
    betas = betas.with_baseline() if baseline else betas
    curves = practice.calibration_curves(self._request(), betas, bins, settings)
    return plots.plot_calibration(curves, look)
