"""Questions to rankings: numbers of many models in one picture."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from pu_accessor.accessors.bound import Bound
from pu_accessor.datasets.forest import over_places
from pu_accessor.inference.estimates.cutoff_spec import At
from pu_accessor.inference.quantities import name_cutoff, read_quantity, refuse_band
from pu_accessor.inference.tables.rates import Metric
from pu_accessor.questions import estimates
from pu_accessor.questions.betas import Beta, read_betas
from pu_accessor.questions.rank_bands import UserBand, read_settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pu_accessor.plots import Drawing, Palette, Style

__all__ = ["plot_forest"]


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
    """Draw a number of each model or group with its interval, one below the other.

    Parameters
    ----------
    quantity : str or callable
        "auroc", "average_precision", or a metric.
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1]; 0 takes them as negative. A number,
        several, a mapping, Series or DataArray by group, or an estimate, the frame of
        `estimate_beta` or `pu_accessor.beta_from_labels`: intervals then hold jointly with it.
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

        Also if a metric has no cutoff, an area has one, or `order` holds other keys.

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

    entry = read_quantity(quantity, at, "forest")
    refuse_band(entry, band, reference)
    look = plots.Look(hue, col, row, baseline, ax, line_kws, band_kws, palette, legend, height)
    settings = read_settings(level, band, reference, selection_odds)
    betas = read_betas(beta, joint=joint)
    if baseline:
        betas.refuse_estimates()
        betas = betas.with_baseline()
    found = estimates.estimate(self._request(), entry, betas, at, settings, target)
    values = over_places(found, (hue, col, row), order)
    return plots.plot_forest(values, (entry.label, name_cutoff(entry.read_cutoff(at))), look)
