"""Pictures: each is a question and the plotter of its answer."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd

from pu_accessor.beta import UserBeta, read_betas
from pu_accessor.checks import check_option
from pu_accessor.errors import PUValueError
from pu_accessor.inference.estimates.cutoff_spec import At
from pu_accessor.inference.metrics import AnyMetric, name_cutoff, read_metric, write_label
from pu_accessor.questions.assumptions import SWEEPS
from pu_accessor.questions.numbers import estimates
from pu_accessor.questions.rank_bands import UserBand
from pu_accessor.questions.tables import bounded_tables
from pu_accessor.ranking import Ranks

if TYPE_CHECKING:
    import xarray as xr

    from pu_accessor.plots import Drawing, Looks
    from pu_accessor.questions.accessor import Accessor

_CURVES = ("rank", "fraction", "threshold")
_AXES = (*_CURVES, "beta", *SWEEPS)


def plot_roc(
    self: Accessor,
    beta: UserBeta,
    *,
    target: str = "examples",
    level: float = 0.95,
    band: UserBand = "exact",
    ranks: Ranks = "breakpoints",
    **looks: Unpack[Looks],
) -> Drawing:
    """Draw the ROC curve with its band.

    Parameters
    ----------
    beta, target, level, band, ranks
        As in `contingency`.
    **looks
        How it looks. hue, col, row: dimension that colours, or panels, tell apart; ax: Axes to
        draw on; line_kws, band_kws: properties of lines and bands; palette: of seaborn; legend:
        "auto", "brief", "full" or False; height: of panels, in inches; baseline: whether the
        curve of beta = 0 is drawn, too. More than six curves have no bands unless band_kws is
        passed.

    Returns
    -------
    Axes or FacetGrid
        What was drawn on.

    Raises
    ------
    PUValueError
        As `contingency`; or for looks that there are not.

    See Also
    --------
    roc_bounds : The numbers.
    auroc : The area below, with an interval.

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using Only
       Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> ax = df.pu.plot_roc(0.17)
    >>> ax.get_xlabel()
    'false positive rate'
    """
    from pu_accessor import plots

    return plots.plot_roc(_draw_tables(self, beta, target, level, band, ranks, looks), looks)


def plot_pr(
    self: Accessor,
    beta: UserBeta,
    *,
    target: str = "examples",
    level: float = 0.95,
    band: UserBand = "exact",
    ranks: Ranks = "breakpoints",
    **looks: Unpack[Looks],
) -> Drawing:
    """Draw the precision-recall curve with its band.

    Parameters
    ----------
    beta, target, level, band, ranks
        As in `contingency`.
    **looks
        How it looks, as in `plot_roc`.

    Returns
    -------
    Axes or FacetGrid
        What was drawn on.

    Raises
    ------
    PUValueError
        As `plot_roc`.

    See Also
    --------
    pr_bounds : The numbers.
    average_precision : One number, with an interval.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> ax = df.pu.plot_pr(0.17, line_kws={"color": "black"})
    >>> ax.get_ylabel()
    'precision'
    """
    from pu_accessor import plots

    tables = _draw_tables(self, beta, target, level, band, ranks, looks, curve="pr")
    return plots.plot_pr(tables, looks)


def plot_rank_cdf(
    self: Accessor,
    beta: UserBeta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    ranks: Ranks = "breakpoints",
    **looks: Unpack[Looks],
) -> Drawing:
    """Draw the rank CDF of the known positives, with the band of the latent ones around it.

    Parameters
    ----------
    beta, level, band, ranks
        As in `rank_cdf`.
    **looks
        How it looks, as in `plot_roc`.

    Returns
    -------
    Axes or FacetGrid
        What was drawn on.

    Raises
    ------
    PUValueError
        As `rank_cdf`.

    See Also
    --------
    rank_cdf : The numbers.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> ax = df.pu.plot_rank_cdf(0.17)
    >>> ax.get_xlabel()
    'examples predicted positive'
    """
    from pu_accessor import plots

    plots.check_looks(looks)
    return plots.plot_rank_cdf(self.rank_cdf(beta, level=level, band=band, ranks=ranks), looks)


def plot_metric(
    self: Accessor,
    metric: AnyMetric,
    beta: UserBeta,
    *,
    x: str = "rank",
    at: At | None = None,
    target: str | None = None,
    level: float = 0.95,
    band: UserBand = "exact",
    **looks: Unpack[Looks],
) -> Drawing:
    """Draw a metric with its band: over cutoffs, over beta, or over how far labels may fail.

    Recall over the fraction is the gains chart, net benefit over the threshold the decision
    curve, with treating all and none; a metric over beta or selection odds is a sensitivity
    analysis.

    Parameters
    ----------
    metric : str, callable or Metric
        As in `metric`.
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled, as in `contingency`; several for ``x="beta"``.
    x : {"rank", "fraction", "threshold", "beta", "selection_odds", "contamination"}
        What stands along the axis; "rank" by default.
    at : int, str or mapping, optional
        The cutoff where `x` is beta or an assumption, as in `metric`; for net benefit the
        thresholds, every hundredth by default.
    target : {"population", "examples"}, optional
        What the band is about: by default this sample over cutoffs, else as in `metric`.
    level, band
        As in `contingency`.
    **looks
        How it looks, as in `plot_roc`.

    Returns
    -------
    Axes or FacetGrid
        What was drawn on.

    Raises
    ------
    PUValueError
        If there is no such axis for the metric, or as `metric`.

    See Also
    --------
    metric : The numbers at some cutoffs.
    robustness : The numbers over selection odds or contamination.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> ax = df.pu.plot_metric("recall", 0.17, x="fraction")
    >>> ax.get_xlabel()
    'share of examples predicted positive'
    >>> ax = df.pu.plot_metric("auroc", [0.05, 0.1, 0.15], x="beta")
    """
    from pu_accessor import plots

    check_option("x", x, _AXES)
    plots.check_looks(looks)
    is_curve = x in _CURVES
    entry = read_metric(metric, None, "tables") if is_curve and metric != "net_benefit" else None
    if entry is not None:
        if at is not None:
            raise PUValueError(
                f"at must be left out with x={x!r}, but {at!r} was passed: it is drawn at all "
                "cutoffs. For numbers at one: df.pu.metric('precision', 0.3, at=100)."
            )
        plots.check_metric(metric, x)
        curve = "pr" if entry.of_head else "roc"
        ranks: Ranks = "all" if x == "threshold" or entry.is_function else "breakpoints"
        tables = _draw_tables(
            self, beta, target or "examples", level, band, ranks, looks, curve=curve
        )
        return plots.plot_metric_curve(tables, metric, x, looks)
    if x == "threshold":
        rows = _decision_curves(self, beta, at, target or "examples", level, band, looks)
        return plots.plot_rows(rows, x, looks, label="net benefit")
    named = read_metric(metric, at, "robustness" if x in SWEEPS else "against_beta")
    label = write_label(named.name) + name_cutoff(named.read_cutoff(at))
    if x in SWEEPS:
        rows = self.robustness(
            metric, beta, over={x: SWEEPS[x]}, at=at, target=target, level=level
        )
        return plots.plot_rows(rows, x, looks, label=label)
    shared = read_betas(beta).shared
    if shared is None or shared.kind != "points" or shared.values.size < 2:
        raise PUValueError(
            "beta must be several numbers with x='beta', but one was passed. For example "
            "beta=[0.1, 0.2, 0.3]."
        )
    rows = estimates(
        self, [named], beta, at=at, target=target, level=level, band=band, limits=False
    )
    if "clipped" in rows:  # nothing is left between the bounds
        rows["infeasible"] = rows["clipped"] & (rows["lower"] == rows["upper"])
    return plots.plot_rows(rows, x, looks, label=label)


def plot_forest(
    self: Accessor,
    metric: AnyMetric,
    beta: UserBeta,
    *,
    at: At | None = None,
    order: str | Sequence[Hashable] | None = None,
    target: str | None = None,
    level: float = 0.95,
    band: UserBand = "exact",
    **looks: Unpack[Looks],
) -> Drawing:
    """Draw a metric of each model or group with its interval, one below the other.

    Parameters
    ----------
    metric, beta, at, target, level, band
        As in `metric`.
    order : "estimate" or list of hashable, optional
        Groups from the top; by default as they come.
    **looks
        How it looks, as in `plot_roc`.

    Returns
    -------
    Axes or FacetGrid
        What was drawn on.

    Raises
    ------
    PUValueError
        As `metric`.

    See Also
    --------
    metric : The numbers.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> df["site"] = ["a", "b"] * 1000
    >>> ax = df.pu(by="site").plot_forest("auroc", 0.17)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['a', 'b']
    """
    from pu_accessor import plots

    looks = plots.check_looks(looks)
    entry = read_metric(metric, at, "forest")
    rows = self.metric(
        metric, _with_baseline(beta, looks), at=at, target=target, level=level, band=band
    )
    label = write_label(entry.name) + name_cutoff(entry.read_cutoff(at))
    return plots.plot_forest(rows, looks, order=order, label=label)


def plot_calibration(
    self: Accessor,
    beta: UserBeta,
    *,
    bins: int | Sequence[float] = 10,
    level: float = 0.95,
    band: str = "exact",
    **looks: Unpack[Looks],
) -> Drawing:
    """Draw a reliability diagram: the share of positives in bins of the scores, with its limits.

    Parameters
    ----------
    beta, bins, level, band
        As in `calibration`.
    **looks
        How it looks, as in `plot_roc`.

    Returns
    -------
    Axes or FacetGrid
        What was drawn on.

    Raises
    ------
    PUValueError
        As `calibration`.

    See Also
    --------
    calibration : The numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> import pu_accessor
    >>> score = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> ax = pd.DataFrame({"score": score, "label": label}).pu.plot_calibration(0.5, bins=2)
    >>> ax.get_xlabel()
    'mean score'
    """
    from pu_accessor import plots

    looks = plots.check_looks(looks)
    rows = self.calibration(_with_baseline(beta, looks), bins=bins, level=level, band=band)
    return plots.plot_calibration(rows, looks)


def _draw_tables(
    self: Accessor,
    beta: UserBeta,
    target: str,
    level: float,
    band: UserBand,
    ranks: Ranks,
    looks: Any,
    *,
    curve: str = "roc",
) -> xr.Dataset:
    """Return the tables that a curve is drawn of."""
    from pu_accessor import plots

    plots.check_looks(looks)
    betas, settings = self._begin("contingency", beta, level=level, band=band, target=target)
    betas = betas.with_baseline() if looks.get("baseline") else betas
    return bounded_tables(self, betas, settings, ranks, target=target, curve=curve, rounded=False)


def _with_baseline(beta: UserBeta, looks: Any) -> Any:
    """Return betas that begin with 0, where the naive baseline is to be drawn."""
    if not looks.get("baseline"):
        return beta
    betas = read_betas(beta)
    if betas.kind != "points":
        raise PUValueError(
            "baseline must be left out with an interval or an estimate of beta, but True was "
            "passed: these have one row. Pass numbers, beta=[0, 0.3]."
        )
    shared = betas.with_baseline().shared
    return beta if shared is None else shared.values


def _decision_curves(
    self: Accessor,
    beta: UserBeta,
    at: At | None,
    target: str,
    level: float,
    band: UserBand,
    looks: Any,
) -> pd.DataFrame:
    """Return net benefit at thresholds, every hundredth unless some are passed."""
    at = {"threshold": (np.arange(1, 100) / 100).tolist()} if at is None else at
    betas = _with_baseline(beta, looks)
    rows = self.metric("net_benefit", betas, at=at, target=target, level=level, band=band)
    return rows.assign(threshold=rows["at"])  # not the score of the cutoff
