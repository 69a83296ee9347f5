"""Questions to rankings: the pictures of what practice asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pu_accessor.accessors.bound import Bound
from pu_accessor.inference.bands.lookup import Band
from pu_accessor.inference.shares import Interval
from pu_accessor.results import practice, tables
from pu_accessor.results.betas import GroupBeta, with_baseline
from pu_accessor.results.rules import Rules

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pu_accessor.plots import Drawing, Palette, Style

__all__ = ["plot_calibration", "plot_decision", "plot_gain"]


def plot_decision(
    self: Bound,
    beta: GroupBeta,
    *,
    thresholds: practice.Thresholds = None,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    beta_interval: Interval | None = None,
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
    {beta}
    thresholds : float or array-like of float, optional
        Probabilities in (0, 1), two or more; every hundredth if not given.
    {band}
    {interval}
    {look}

    Returns
    -------
    {drawing}

    Raises
    ------
    {errors}
        Also if scores are no probabilities, or a dimension has no hue, column or row.

    See Also
    --------
    net_benefit : The numbers.

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
    rule = Rules(level, band, reference, beta_interval, selection_odds)
    betas = with_baseline(beta) if baseline else beta
    curves = practice.decision_curves(self._asked(), betas, thresholds, rule)
    return plots.plot_decision(curves, look)


def plot_gain(
    self: Bound,
    beta: GroupBeta,
    *,
    level: float = 0.95,
    band: str | Band = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    beta_interval: Interval | None = None,
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
    {beta}
    {band}
    {interval}
    {look}

    Returns
    -------
    {drawing}

    Raises
    ------
    {errors}
        Also if a dimension has no hue, column or row.

    See Also
    --------
    enrichment_factor : Gains over chance, as numbers.

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
    rule = Rules(level, band, reference, beta_interval, selection_odds)
    betas = with_baseline(beta) if baseline else beta
    return plots.plot_gain(tables.contingency(self._asked(), betas, rule, "breakpoints"), look)


def plot_calibration(
    self: Bound,
    beta: GroupBeta,
    *,
    bins: int | Sequence[float] = 10,
    level: float = 0.95,
    band: str = "exact",
    beta_interval: Interval | None = None,
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
    {beta}
    bins : int, or array-like of float, default 10
        How many bins of one width, two or more, or their edges, from 0 to 1.
    level : float, default 0.95
        Probability with which the limits cover, in (0, 1).
    band : {"exact", "simultaneous"}, default "exact"
        Whether limits hold for each bin, or for all jointly.
    {interval}
    {look}

    Returns
    -------
    {drawing}

    Raises
    ------
    {errors}
        Also if scores are no probabilities, or a dimension has no hue, column or row.

    See Also
    --------
    calibration : The numbers.

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
    rule = Rules(level, band, beta_interval=beta_interval)
    betas = with_baseline(beta) if baseline else beta
    curves = practice.calibration_curves(self._asked(), betas, bins, rule)
    return plots.plot_calibration(curves, look)
