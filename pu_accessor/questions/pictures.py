"""The plot methods: each computes its numbers and draws them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd

from pu_accessor.beta import UserBeta, read_betas
from pu_accessor.checks import check_option
from pu_accessor.datasets.tables import unrounded
from pu_accessor.errors import PUValueError
from pu_accessor.inference import metrics
from pu_accessor.inference.cutoff_spec import At
from pu_accessor.inference.metric_entry import AnyMetric, Metric
from pu_accessor.questions.beta_and_assumptions import SWEEPS
from pu_accessor.questions.estimation import estimate_metrics
from pu_accessor.questions.tables import bounded_tables
from pu_accessor.ranking import Ranks
from pu_accessor.roles_and_assumptions import UserBand

if TYPE_CHECKING:
    from pu_accessor.plots import Drawing, Options
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
    **looks: Unpack[Options],
) -> Drawing:
    """Draw the ROC curve with its band, which contains the bounds of `roc_bounds`.

    Parameters
    ----------
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled: numbers, an interval or an estimate, as `auroc` explains.
    target : {"examples", "population"}, default "examples"
        What the band is about: this sample, or future data.
    level : float, default 0.95
        Confidence level of the band, in (0, 1).
    band : str, callable or pair, default "exact"
        Bounds on the hidden positives above a cutoff, as `contingency` explains.
    **looks
        Options of the plot. hue, col: dimension of colours, and of panels; ax: Axes to draw on;
        line_kws, band_kws: properties of lines and bands; palette: as in seaborn; legend: False
        for none; height: of panels, in inches; baseline:
        whether to draw the curve of beta = 0. Up to five curves have their area with its interval
        in the legend. More than six have no bands unless band_kws is passed; of more than eight
        curves over cutoffs the best three have colours.

    Returns
    -------
    Axes or FacetGrid

    Raises
    ------
    PUValueError
        If an argument or an option of the plot is not valid, or an assumption does not fit.

    See Also
    --------
    roc_bounds, auroc : The numbers of the curve, and its area.

    Examples
    --------
    >>> import pu_accessor
    >>> ax = pu_accessor.load_example().pu.plot_roc(0.17)
    >>> ax.get_xlabel()
    'false positive rate'
    """
    return _draw_curves(self, "roc", beta, looks, target=target, level=level, band=band)


def plot_pr(
    self: Accessor,
    beta: UserBeta,
    *,
    target: str = "examples",
    level: float = 0.95,
    band: UserBand = "exact",
    **looks: Unpack[Options],
) -> Drawing:
    """Draw the precision-recall curve with its band, which contains the bounds of `pr_bounds`.

    Parameters
    ----------
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled: numbers, an interval or an estimate, as `auroc` explains.
    target : {"examples", "population"}, default "examples"
        What the band is about: this sample, or future data.
    level : float, default 0.95
        Confidence level of the band, in (0, 1).
    band : str, callable or pair, default "exact"
        Bounds on the hidden positives above a cutoff, as `contingency` explains.
    **looks
        Options of the plot, as `plot_roc` explains.

    Returns
    -------
    Axes or FacetGrid

    Raises
    ------
    PUValueError
        If an argument or an option of the plot is not valid, or an assumption does not fit.

    See Also
    --------
    pr_bounds, average_precision : The numbers of the curve, and its area.

    Examples
    --------
    >>> import pu_accessor
    >>> ax = pu_accessor.load_example().pu.plot_pr(0.17, line_kws={"color": "black"})
    >>> ax.get_ylabel()
    'precision'
    """
    return _draw_curves(self, "pr", beta, looks, target=target, level=level, band=band)


def plot_rank_cdf(
    self: Accessor,
    beta: UserBeta,
    *,
    level: float = 0.95,
    band: UserBand = "exact",
    **looks: Unpack[Options],
) -> Drawing:
    """Draw the rank CDF of the known positives, with a band for the hidden ones.

    Parameters
    ----------
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled: numbers, an interval or an estimate, as `auroc` explains.
    level : float, default 0.95
        Confidence level of the band, in (0, 1).
    band : str, callable or pair, default "exact"
        Bounds on the hidden positives above a cutoff, as `contingency` explains.
    **looks
        Options of the plot, as `plot_roc` explains.

    Returns
    -------
    Axes or FacetGrid

    Raises
    ------
    PUValueError
        If an argument or an option of the plot is not valid, or an assumption does not fit.

    See Also
    --------
    rank_cdf : The numbers of the curve.

    Examples
    --------
    >>> import pu_accessor
    >>> ax = pu_accessor.load_example().pu.plot_rank_cdf(0.17)
    >>> ax.get_xlabel()
    'examples predicted positive'
    """
    return _draw_curves(self, "rank_cdf", beta, looks, level=level, band=band)


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
    **looks: Unpack[Options],
) -> Drawing:
    """Draw a metric with its band: over cutoffs, beta, an assumption or the prevalence.

    Recall over the fraction is the gains chart. Net benefit over the threshold is the decision
    curve, with treating all and none. Over beta or selection odds it is a sensitivity analysis.

    Parameters
    ----------
    metric : str, callable or Metric
        A name of the list in `metric`, or a function of the arrays tp, fp, fn and tn.
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled: numbers, an interval or an estimate, as `auroc` explains.
        Several for ``x="beta"``.
    x : {"rank", "fraction", "threshold", "beta", "selection_odds", "contamination", "prevalence"}
        The x axis; "rank" by default.
    at : int, str or mapping, optional
        The cutoff where `x` is beta or an assumption, as `metric` explains; for net benefit the
        thresholds, every hundredth by default.
    target : {"population", "examples"}, optional
        The target of the band: by default this sample over cutoffs, else that of `metric`.
    level : float, default 0.95
        Confidence level of the band, in (0, 1).
    band : str, callable or pair, default "exact"
        Bounds on the hidden positives above a cutoff, as `contingency` explains.
    **looks
        Options of the plot, as `plot_roc` explains.

    Returns
    -------
    Axes or FacetGrid

    Raises
    ------
    PUValueError
        If there is no such axis for the metric, or an argument is not valid.

    See Also
    --------
    metric, robustness : The numbers.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> df.pu.plot_metric("recall", 0.17, x="fraction").get_xlabel()
    'share of examples predicted positive'
    >>> ax = df.pu.plot_metric("auroc", [0.05, 0.1, 0.15], x="beta")
    """
    check_option("x", x, _AXES)
    default = "population" if self._terms.average else "examples"
    on_these: dict[str, Any] = {"target": target or default, "level": level, "band": band}
    if x in _CURVES and not (isinstance(metric, str) and metric == "net_benefit"):
        entry = metrics.read_metric(metric, "tables")
        if at is not None:
            raise PUValueError(
                f"at must be left out with x={x!r}, but {at!r} was passed: it is drawn at all "
                "cutoffs. For numbers at one: df.pu.metric('precision', 0.3, at=100)."
            )
        ranks: Ranks = "all" if x == "threshold" or entry.is_function else "breakpoints"
        return _draw_curves(self, entry, beta, looks, x=x, ranks=ranks, **on_these)
    if x == "threshold":
        at = {"threshold": [percent / 100 for percent in range(1, 100)]} if at is None else at
        question = partial(self.metric, "net_benefit", at=at, **on_these)
        return _draw_rows(self, question, beta, x, looks, label="net benefit")
    entry = metrics.read_metric(metric, "robustness" if x in SWEEPS else "against_beta")
    asked: dict[str, Any] = {"at": at, "target": target, "level": level}
    question = partial(_against_beta, self, entry, band=band, **asked)
    if x in SWEEPS:
        question = partial(self.robustness, metric, over={x: SWEEPS[x]}, **asked)
    return _draw_rows(self, question, beta, x, looks, label=entry.label_at(at))


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
    **looks: Unpack[Options],
) -> Drawing:
    """Draw a forest plot: a metric of each model or group with its interval.

    Parameters
    ----------
    metric : str, callable or Metric
        A name of the list in `metric`, or a function of the arrays tp, fp, fn and tn.
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled: numbers, an interval or an estimate, as `auroc` explains.
    at : int, str or mapping, optional
        The cutoff, as `metric` explains.
    order : "estimate" or list of hashable, optional
        Groups from the top; by default in the order of the data.
    target : {"population", "examples"}, optional
        Future data, or this sample; the default is that of `metric`.
    level : float, default 0.95
        Confidence level of intervals, in (0, 1).
    band : str, callable or pair, default "exact"
        Bounds on the hidden positives above a cutoff, as `contingency` explains.
    **looks
        Options of the plot, as `plot_roc` explains.

    Returns
    -------
    Axes or FacetGrid

    Raises
    ------
    PUValueError
        If an argument or an option of the plot is not valid.

    See Also
    --------
    metric : The numbers.

    Examples
    --------
    >>> import pu_accessor
    >>> ax = pu_accessor.load_example().pu(by="site").plot_forest("auroc", 0.17)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['east', 'west']
    """
    question = partial(self.metric, metric, at=at, target=target, level=level, band=band)
    label = metrics.read_metric(metric, "forest").label_at(at)
    return _draw_rows(self, question, beta, "estimate", looks, label=label, order=order)


def plot_calibration(
    self: Accessor,
    beta: UserBeta,
    *,
    bins: int | Sequence[float] = 10,
    level: float = 0.95,
    band: str = "exact",
    **looks: Unpack[Options],
) -> Drawing:
    """Draw a reliability diagram: the share of positives in bins of the scores, with intervals.

    Calibrated scores are on the diagonal; bars at the foot are the numbers of examples.

    Parameters
    ----------
    beta : float, array, mapping, Series, DataArray, Interval or DataFrame
        Class prior of the unlabeled: numbers, an interval or an estimate, as `auroc` explains.
    bins : int, or array of float, default 10
        Number of bins of equal width, or their edges, from 0 to 1.
    level : float, default 0.95
        Confidence level of intervals, in (0, 1).
    band : {"exact", "simultaneous"}, default "exact"
        Whether limits cover in each bin, or jointly in all bins.
    **looks
        Options of the plot, as `plot_roc` explains.

    Returns
    -------
    Axes or FacetGrid

    Raises
    ------
    PUValueError
        If scores are not probabilities, or an option of the plot is not valid.

    See Also
    --------
    calibration : The numbers.

    Examples
    --------
    >>> import pu_accessor
    >>> ax = pu_accessor.load_example().pu.plot_calibration(0.17, bins=5)
    >>> ax.get_xlabel()
    'mean predicted probability'
    """
    question = partial(self.calibration, bins=bins, level=level, band=band)
    return _draw_rows(self, question, beta, "mean_score", looks, label="share of positives")


def _draw_curves(
    self: Accessor,
    curve: str | Metric,
    beta: UserBeta,
    looks: Any,
    *,
    ranks: Ranks = "breakpoints",
    x: str = "rank",
    **keywords: Any,
) -> Drawing:
    """Draw curves of bounded tables."""
    from pu_accessor import plots

    looks = plots.check_options(looks)
    if curve == "rank_cdf":
        self._read_arguments("plot_rank_cdf", baseline=looks["baseline"])
        return plots.plot_curves(self.rank_cdf(beta, ranks=ranks, **keywords), curve, looks)
    name = f"plot_{curve}" if isinstance(curve, str) else "plot_metric"
    betas, terms = self._read_arguments(name, beta, **keywords)
    betas = betas.with_baseline() if looks["baseline"] else betas
    of_head = curve == "pr" if isinstance(curve, str) else curve.depends_on == "precision"
    how: dict[str, Any] = {"target": keywords["target"], "curve": "pr" if of_head else "roc"}
    tables = unrounded(bounded_tables(self, betas, terms, ranks, **how))
    tables = tables.assign_attrs(level=keywords["level"])
    asked = {name: keywords[name] for name in ("target", "level")}
    methods = {"roc": self.auroc, "pr": self.average_precision}
    areas = partial(methods[curve], beta, **asked) if curve in methods else None
    return plots.plot_curves(tables, curve, looks, x=x, areas=areas)


def _draw_rows(
    self: Accessor,
    question: Callable[[Any], pd.DataFrame],
    beta: UserBeta,
    x: str,
    looks: Any,
    **drawn: Any,
) -> Drawing:
    """Draw the frame that a method returns."""
    from pu_accessor import plots

    looks, betas = plots.check_options(looks), read_betas(beta)
    if looks["baseline"]:
        if betas.kind != "points":
            raise PUValueError(
                "baseline must be left out with an interval or an estimate of beta, but True was "
                "passed: these have one row. Pass numbers, beta=[0, 0.3]."
            )
        shared = betas.with_baseline().shared
        beta = beta if shared is None else shared.values
    rows = question(beta)
    used = betas.split(rows.attrs["level"])[0]  # an estimate at the level of its joint use
    score = self._terms.models[0] if len(self._terms.models) == 1 else None
    return plots.plot_rows(rows, x, looks, betas=used, score=score, **drawn)


def _against_beta(self: Accessor, entry: Metric, beta: UserBeta, **keywords: Any) -> pd.DataFrame:
    """Return a metric at several betas, and whether the band is impossible."""
    betas = read_betas(beta)
    if betas.shared is None or betas.kind != "points" or betas.shared.values.size < 2:
        raise PUValueError(
            "beta must be several numbers with x='beta', but one was passed. For example "
            "beta=[0.1, 0.2, 0.3]."
        )
    rows = estimate_metrics(self, [entry], beta, warn_limits=False, **keywords)
    if "clipped" in rows:  # both bounds are one value
        rows["infeasible"] = rows["clipped"] & (rows["lower"] == rows["upper"])
    return rows
