"""Questions to rankings: pictures. What draws is imported when something is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pu_accessor.accessors.bound import Bound
from pu_accessor.inference.tables.rates import Metric
from pu_accessor.ranking import Ranks
from pu_accessor.results import tables
from pu_accessor.results.against_beta import ask_quantity
from pu_accessor.results.betas import GroupBeta
from pu_accessor.results.rules import GroupInterval, Rules, UserBand

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pu_accessor.plots import Drawing, Palette, Style

__all__ = ["plot_against_beta", "plot_metric", "plot_pr", "plot_rank_cdf", "plot_roc"]


def plot_roc(
    self: Bound,
    beta: GroupBeta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    beta_interval: GroupInterval | None = None,
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
    {beta}
    {band}
    {interval}
    {ranks}
    {look}

    Returns
    -------
    {drawing}

    Raises
    ------
    {errors}
        Also if beta = 1 leaves no negatives, or if a dimension has no hue, column or row.

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
    rule = Rules(level, band, reference, beta_interval, selection_odds)
    found = tables.contingency(self._asked(ranks), beta, rule, ranks, baseline=baseline)
    return plots.plot_roc(found, look)


def plot_pr(
    self: Bound,
    beta: GroupBeta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    beta_interval: GroupInterval | None = None,
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
    {beta}
    {band}
    {interval}
    {ranks}
    {look}

    Returns
    -------
    {drawing}

    Raises
    ------
    {errors}
        Also if a dimension has no hue, column or row.

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
    rule = Rules(level, band, reference, beta_interval, selection_odds)
    found = tables.contingency(self._asked(ranks), beta, rule, ranks, baseline=baseline)
    return plots.plot_pr(found, look)


def plot_rank_cdf(
    self: Bound,
    beta: GroupBeta,
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
    {beta}
    {band}
    {ranks}
    {look}

    Returns
    -------
    {drawing}

    Raises
    ------
    {errors}
        Also if a dimension has no hue, column or row.

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
    rule = Rules(level, band, reference, selection_odds=selection_odds)
    return plots.plot_rank_cdf(tables.rank_cdf(self._asked(ranks), beta, rule, ranks), look)


def plot_metric(
    self: Bound,
    name: str | Metric,
    beta: GroupBeta,
    *,
    x: str = "rank",
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
    beta_interval: GroupInterval | None = None,
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
    """Draw a metric at each cutoff with its band, such as precision among the top k.

    Parameters
    ----------
    {metric}
    {beta}
    x : {"rank", "threshold", "fraction"}, default "rank"
        Where a cutoff stands: the number of examples predicted positive, the lowest score
        among them, or their share of all.
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

    look = plots.Look(hue, col, row, baseline, ax, line_kws, band_kws, palette, legend, height)
    plots.check_plot_metric(name, x)
    rule = Rules(level, band, reference, beta_interval, selection_odds)
    ranks: Ranks = "all" if x == "threshold" or callable(name) else "breakpoints"
    table = tables.contingency(self._asked(ranks), beta, rule, ranks, baseline=baseline)
    return plots.plot_metric(table, name, x, look)


def plot_against_beta(
    self: Bound,
    name: str | Metric,
    beta: GroupBeta,
    *,
    at: int | None = None,
    level: float = 0.95,
    band: UserBand = "exact",
    reference: str = "positives",
    selection_odds: float = 1.0,
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
    """Draw an area, or a metric at a rank, against beta, and where models swap places.

    A cross marks where the central estimates of two models swap their order. Shaded, with a
    strip in its hue, are the betas that are too high for a model: at some cutoff even the most
    favourable bound asks for more latent positives than there are unlabeled examples. The band
    holds at each cutoff, not at all at once: now and then that happens at the true beta, too.
    A vertical line marks the upper limit on beta that `estimate_beta` sets at this level; no
    warning says that some of the betas are above.

    Parameters
    ----------
    name : str or callable
        "roc" or "pr" for the area under that curve, or a metric as in ``ds.pu.metric``.
    beta : array-like of float
        Fractions of positives among the unlabeled, in [0, 1]: a grid of two or more.
    at : int, optional
        For a metric: the number of examples predicted positive.
    {band}
    {look}

    Returns
    -------
    {drawing}

    Raises
    ------
    {errors}
        Also if a dimension has no hue, column or row.

    Notes
    -----
    As long as no cutoff of the central estimate is clipped, beta does not change the order of
    two models, unlike [1]_ says. With AUC the area that takes all unlabeled examples as
    negative, the central AUROC is (AUC - b/2)/(1 - b), where b is the share of latent
    positives among all that are not known to be positive: it grows with AUC at every beta.
    Precision at each cutoff is P/n times that at beta = 0, for n of P positives known, at the
    same recall: without known negatives the area under the precision-recall curve is so, too.
    Orders change where beta is so high that cutoffs are clipped, first at the top of the
    ranking and long before the band itself is impossible; that under the precision-recall
    curve, which is made there, changes first.

    References
    ----------
    {claesen}

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
    >>> ax = df.pu.plot_against_beta("roc", beta=[0, 0.2, 0.4])
    >>> ax.get_ylabel()
    'AUROC'
    """
    from pu_accessor import plots

    look = plots.Look(hue, col, row, False, ax, line_kws, band_kws, palette, legend, height)
    rule = Rules(level, band, reference, selection_odds=selection_odds)
    return plots.plot_against_beta(ask_quantity(self._asked(), name, beta, at, rule), look)
