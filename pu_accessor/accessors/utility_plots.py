"""Questions to rankings: plots of what practice asks for, and of many models' numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Unpack

from pu_accessor.accessors.bound import Bound
from pu_accessor.accessors.plots import PlotOptions
from pu_accessor.datasets import curves, tables
from pu_accessor.datasets.values import over_places
from pu_accessor.inference.bands.lookup import Band
from pu_accessor.inference.estimates.cutoff_spec import At
from pu_accessor.inference.quantities import name_cutoff, read_quantity, refuse_band
from pu_accessor.inference.tables.rates import Metric
from pu_accessor.questions import estimates
from pu_accessor.questions import utility as practice
from pu_accessor.questions.betas import Beta, BetaInterval, read_betas
from pu_accessor.questions.rank_bands import UserBand, read_settings

if TYPE_CHECKING:
    from pu_accessor.plots import Drawing


def plot_net_benefit(
    self: Bound,
    beta: Beta,
    *,
    thresholds: practice.Thresholds = None,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    beta_interval: BetaInterval | None = None,
    baseline: bool = False,
    **options: Unpack[PlotOptions],
) -> Drawing:
    """Draw decision curves: net benefit at each threshold with its band, and that of treating all.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it;
        bands, whose level is to be lower than its own, get an envelope over its interval.
    thresholds : float or array-like of float, optional
        Probabilities in (0, 1) from which on somebody would act; every hundredth if not given.
    level : float, default 0.95
        Probability with which the band covers, in (0, 1): at each cutoff or bin for "exact" and
        "bootstrap", at all of them jointly for "simultaneous" and "dkw".
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
    legend : {"auto", "brief", "full"} or False, default "auto"
        What is named: beside a figure of ours, or within Axes of yours. "auto" leaves out some of
        more than six betas, "full" none; "brief" names curves alone; False nothing.
    height : float, optional
        Height of each panel of a grid, in inches.

    Returns
    -------
    Axes or FacetGrid
        Of matplotlib; with `col` or `row` a grid of seaborn's.

    Raises
    ------
    PUValueError
        If scores are no probabilities, or a dimension has no hue, column or row.

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
    >>> ax = df.pu.plot_net_benefit(beta=0.5)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('threshold probability', 'net benefit')
    """
    from pu_accessor import plots

    checked = plots.Options(baseline=baseline, **options)
    settings = read_settings(level, band, reference, selection_odds)
    betas = read_betas(beta, beta_interval)
    betas = betas.with_baseline() if baseline else betas
    benefits = practice.decision_curves(self._request(), betas, thresholds, settings)
    return plots.plot_net_benefit(benefits, checked)


def plot_gain(
    self: Bound,
    beta: Beta,
    *,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    beta_interval: BetaInterval | None = None,
    baseline: bool = False,
    **options: Unpack[PlotOptions],
) -> Drawing:
    """Draw cumulative gains: how many of the positives the best-ranked examples hold.

    The share of positives found, which is recall, against the share of examples looked at, with
    what chance finds and what a ranking finds that has all positives first.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it;
        bands, whose level is to be lower than its own, get an envelope over its interval.
    level : float, default 0.95
        Probability with which the band covers, in (0, 1): at each cutoff or bin for "exact" and
        "bootstrap", at all of them jointly for "simultaneous" and "dkw".
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
    legend : {"auto", "brief", "full"} or False, default "auto"
        What is named: beside a figure of ours, or within Axes of yours. "auto" leaves out some of
        more than six betas, "full" none; "brief" names curves alone; False nothing.
    height : float, optional
        Height of each panel of a grid, in inches.

    Returns
    -------
    Axes or FacetGrid
        Of matplotlib; with `col` or `row` a grid of seaborn's.

    Raises
    ------
    PUValueError
        If a dimension has no hue, column or row.

    See Also
    --------
    gain : The numbers.
    enrichment_factor : Gains over chance, at a few fractions.

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

    checked = plots.Options(baseline=baseline, **options)
    settings = read_settings(level, band, reference, selection_odds)
    betas = read_betas(beta, beta_interval)
    betas = betas.with_baseline() if baseline else betas
    bounded = tables.contingency(self._request(), betas, settings, "breakpoints")
    return plots.plot_gain(curves.gain(bounded), checked)


def plot_calibration(
    self: Bound,
    beta: Beta,
    *,
    bins: int | Sequence[float] = 10,
    level: float = 0.95,
    band: str = "exact",
    beta_interval: BetaInterval | None = None,
    baseline: bool = False,
    **options: Unpack[PlotOptions],
) -> Drawing:
    """Draw a reliability diagram: the share of positives in bins of the scores, with its limits.

    A point stands at the mean score of its bin, and the limits over all of the bin.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it;
        bands, whose level is to be lower than its own, get an envelope over its interval.
    bins : int, or array-like of float, default 10
        How many bins of one width, or their edges, from 0 to 1. An edge belongs to the bin above
        it, 1 to the last.
    level : float, default 0.95
        Probability with which the band covers, in (0, 1): at each cutoff or bin for "exact" and
        "bootstrap", at all of them jointly for "simultaneous" and "dkw".
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
    legend : {"auto", "brief", "full"} or False, default "auto"
        What is named: beside a figure of ours, or within Axes of yours. "auto" leaves out some of
        more than six betas, "full" none; "brief" names curves alone; False nothing.
    height : float, optional
        Height of each panel of a grid, in inches.

    Returns
    -------
    Axes or FacetGrid
        Of matplotlib; with `col` or `row` a grid of seaborn's.

    Raises
    ------
    PUValueError
        If scores are no probabilities, or a dimension has no hue, column or row.

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

    checked = plots.Options(baseline=baseline, **options)
    settings, betas = read_settings(level, band), read_betas(beta, beta_interval)
    betas = betas.with_baseline() if baseline else betas
    shares = practice.calibration_curves(self._request(), betas, bins, settings)
    return plots.plot_calibration(shares, checked)


def plot_forest(
    self: Bound,
    quantity: str | Metric,
    beta: Beta,
    *,
    at: At | None = None,
    order: Sequence[Hashable] | None = None,
    target: str | None = None,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    joint: str = "approximate",
    baseline: bool = False,
    **options: Unpack[PlotOptions],
) -> Drawing:
    """Draw a number of each model or group with its interval, one below the other.

    Parameters
    ----------
    quantity : str or callable
        "auroc", "average_precision", or a metric.
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it;
        bands, whose level is to be lower than its own, get an envelope over its interval.
    at : At, optional
        The cutoff: a number of examples predicted positive, 100 or ``{"rank": 100}``, or their
        share, ``{"fraction": 0.1}``; a score, ``{"threshold": 0.5}``; the last cutoff with an
        estimated ``{"fpr": 0.05}`` at most or ``{"precision": 0.9}`` at least, the first with
        ``{"recall": 0.9}``, or tpr, at least; "youden" and "maximum", where the estimated
        informedness, or the metric itself, is highest.

        For a metric alone: one cutoff.
    order : list of hashable, optional
        Models or groups from the top: some or all of their keys, tuples where several columns
        make them. As they come if not given.
    target : Target, optional
        What the numbers are about: new examples by default, but for a metric, which is as in
        `metric`.
    level : float, default 0.95
        Probability with which each interval covers, in (0, 1).
    band : Band, default "exact"
        Bounds on the latent positives in the head: "exact", "simultaneous", "bootstrap" or "dkw".
        Or a function ``(n, m, level) -> (lower, upper)`` that returns two integer arrays with an
        entry for each k = 0..n known positives in the head. Or a pair ``(lower, upper)``, bounds
        on their share among the first r = 0, 1, ... examples: two arrays, DataArrays over "rank",
        or functions of an array of r.

        For a metric alone.
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
    joint : {"approximate", "guaranteed"}, default "approximate"
        How an estimate of beta counts: by the squares of both errors, which holds about as often
        as `level` says if they are independent; or by its whole interval, which holds at least so
        often, asks for an estimate of a higher level, and is wider.
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
    legend : {"auto", "brief", "full"} or False, default "auto"
        What is named: beside a figure of ours, or within Axes of yours. "auto" leaves out some of
        more than six betas, "full" none; "brief" names curves alone; False nothing.
    height : float, optional
        Height of each panel of a grid, in inches.

    Returns
    -------
    Axes or FacetGrid
        Of matplotlib; with `col` or `row` a grid of seaborn's.

    Raises
    ------
    PUValueError
        If a metric has no cutoff, an area has one, or `order` holds other keys.

    See Also
    --------
    auroc, average_precision, metric : The numbers.
    compare : Which of two models is better.

    Notes
    -----
    Each interval holds by itself. Two that overlap say little about a difference, as the same
    known positives count for both: `compare` tests it.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(400) < 100
    >>> score = np.random.default_rng(0).normal(truth)
    >>> df = pd.DataFrame({"good": score, "bad": score[::-1], "label": np.arange(400) < 50})
    >>> df["label"] = df["label"].where(df["label"])
    >>> ax = df.pu(score=["good", "bad"]).plot_forest("auroc", beta=1 / 7)
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_yticklabels()]
    ('AUROC', ['good', 'bad'])
    """
    from pu_accessor import plots

    checked = plots.Options(baseline=baseline, **options)
    entry = read_quantity(quantity, at, "forest")
    refuse_band(entry, band, reference)
    settings = read_settings(level, band, reference, selection_odds)
    betas = read_betas(beta, joint=joint)
    if baseline:
        betas.refuse_estimates()
        betas = betas.with_baseline()
    rows = estimates.estimate(self._request(), entry, betas, at, settings, target)
    values = over_places(rows, (checked.hue, checked.col, checked.row), order)
    return plots.plot_forest(values, (entry.label, name_cutoff(entry.read_cutoff(at))), checked)
