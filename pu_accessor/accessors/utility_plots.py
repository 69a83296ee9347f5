"""Questions to rankings: plots of what practice asks for, and of many models' numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Unpack

from pu_accessor.accessors.bound import Bound
from pu_accessor.accessors.comparison import refuse_design
from pu_accessor.accessors.plots import PlotOptions
from pu_accessor.datasets import curves, tables
from pu_accessor.datasets.values import calibration_curves, over_failures, over_places
from pu_accessor.inference.bands.lookup import Band
from pu_accessor.inference.estimates.cutoff_spec import At
from pu_accessor.inference.metrics import AnyMetric, name_cutoff, read_metric
from pu_accessor.inference.settings import Settings
from pu_accessor.questions import estimates
from pu_accessor.questions.betas import Beta, BetaInterval, read_betas
from pu_accessor.questions.rank_bands import UserBand, read_settings
from pu_accessor.questions.robustness import check_drawn, read_conclusion
from pu_accessor.questions.robustness import robustness as ask_robustness

if TYPE_CHECKING:
    from pu_accessor.plots import Drawing


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
    beta_interval : Interval, optional
        Where beta may lie, around the point that is passed: the envelope of the bands is drawn
        hatched. A pair, or by group a mapping, a Series, or a frame with columns low and high.
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
    bounded = tables.contingency(self._request(), betas, settings, "breakpoints", rounded=False)
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

    A dot stands at the mean score of its bin, with its limits as a bar. It is hollow where the bin
    has no known positive. Dots of several curves stand side by side.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.
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
        If scores are no probabilities.

    See Also
    --------
    calibration : The numbers.

    Notes
    -----
    The estimate and the limits are those of `calibration`.

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
    shares = calibration_curves(self._request(), betas, bins, settings)
    return plots.plot_calibration(shares, checked)


def plot_forest(
    self: Bound,
    quantity: AnyMetric,
    beta: Beta,
    *,
    at: At | None = None,
    order: str | Sequence[Hashable] | None = None,
    target: str | None = None,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
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
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it, and
        bands get an envelope for which 1 - level is split.
    at : At, optional
        The cutoff: a number of examples predicted positive, 100 or ``{"rank": 100}``, or their
        share, ``{"fraction": 0.1}``; a score, ``{"threshold": 0.5}``; the last with an estimated
        ``{"fpr": 0.05}`` at most or ``{"precision": 0.9}`` at least, the first with ``{"recall":
        0.9}``, or tpr, at least; "youden" or "maximum", where the estimated informedness, or the
        metric itself, is highest.

        For a metric alone: one cutoff.
    order : "estimate" or list of hashable, optional
        Models or groups from the top: those with the largest estimate, or some or all of their
        keys, tuples where several columns make them. As they come if not given.
    target : Target, optional
        What the numbers are about: new examples by default, but for a metric, which is as in
        `metric`.
    level : float, default 0.95
        Probability with which each interval covers, in (0, 1).
    band : Band, default "exact"
        Bounds on the latent positives in the head: "exact", "simultaneous", "bootstrap" or "dkw".
        Or a function ``(n, m, level) -> (lower, upper)`` of two integer arrays, for k = 0..n known
        positives in the head. Or a pair ``(lower, upper)`` of their share among the first r = 0,
        1, ... examples: arrays, DataArrays over "rank", or functions of an array of r.

        For a metric alone.
    reference : {"positives", "negatives", "tightest", "both"}, default "positives"
        Which known examples the band starts from: known negatives, if a random sample, bound the
        latent ones below each cutoff. "tightest" takes the kind with the narrower range of AUROC
        at each beta, "both" what two bands at half of 1 - level have in common.
    selection_odds : float, default 1
        Factor by which the odds of being labeled may differ between any two positives (or
        negatives, with known ones): 1 for labels at random, infinite for nothing known about them.
        Above 1 the band is "exact" or "simultaneous", and holds for every such selection.
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
    entry = read_metric(quantity, at, "forest")
    settings = read_settings(level, band, reference, selection_odds)
    betas = read_betas(beta)
    if baseline:
        betas.refuse_estimates()
        betas = betas.with_baseline()
    rows = estimates.estimate(self._request(), entry, betas, at, settings, target)
    values = over_places(rows, (checked.hue, checked.col, checked.row), order)
    return plots.plot_forest(values, (entry.label, name_cutoff(entry.read_cutoff(at))), checked)


def plot_robustness(
    self: Bound,
    quantity: AnyMetric,
    beta: Beta,
    *,
    selection_odds: Sequence[float] = (1, 1.25, 1.5, 2, 2.5, 3, 4, 5),
    contamination: Sequence[float] | None = None,
    above: float | None = None,
    at: At | None = None,
    on: Hashable | list[Hashable] | None = None,
    target: str | None = None,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
    **options: Unpack[PlotOptions],
) -> Drawing:
    """Draw a number against how far labels may fail: by a factor of the odds, or a wrong share.

    The inner band has what the estimate can be for a selection within the factor, the outer one
    the interval that holds for all of them. A cross marks where the conclusion breaks.

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
    selection_odds : array-like of float, default (1, 1.25, 1.5, 2, 2.5, 3, 4, 5)
        The factors: two or more, from 1 on.
    contamination : array-like of float, optional
        Shares of the known positives that may be negative, in [0, 0.5), two or more: drawn in the
        place of factors.
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
        If a number has no cutoff, or a metric lacks one; if the columns have propensities.

    See Also
    --------
    robustness : The numbers, and where the cross is.

    Notes
    -----
    At each factor G the interval is that of ``selection_odds=G``: the odds that two positives are
    labeled have a ratio of at most G [1]_.

    References
    ----------
    .. [1] P. R. Rosenbaum, *Observational studies*, 2nd edition, Springer, 2002, chapter 4.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(400) < 100
    >>> score = np.random.default_rng(0).normal(truth)
    >>> df = pd.DataFrame({"score": score, "label": np.where(np.arange(400) < 50, 1, np.nan)})
    >>> ax = df.pu.plot_robustness("auroc", beta=1 / 7, selection_odds=[1, 2, 4])
    >>> ax.get_ylabel()
    'AUROC'
    """
    from pu_accessor import plots

    refuse_design(self, contamination)
    checked = plots.Options(**options)
    settings, betas = Settings(level, band, reference), read_betas(beta)
    conclusion = read_conclusion(quantity, at, above, target, settings, on)
    check_drawn(betas, selection_odds, contamination)
    found = ask_robustness(self._request(), conclusion, betas, selection_odds, contamination)
    return plots.plot_robustness(over_failures(found, conclusion.quantity.label), checked)
