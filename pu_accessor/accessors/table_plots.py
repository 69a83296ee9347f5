"""Plots of tables and curves that stand in a Dataset: methods of ``ds.pu``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Unpack

import xarray as xr

from pu_accessor.accessors.plots import PlotOptions
from pu_accessor.datasets.curves import tables_of
from pu_accessor.datasets.marks import cells_of_tables, mark_tables
from pu_accessor.datasets.schema import read_values
from pu_accessor.datasets.values import values_by_beta
from pu_accessor.inference.estimates.cutoff_spec import At
from pu_accessor.inference.metrics import AnyMetric

if TYPE_CHECKING:
    from pu_accessor.plots import Drawing


class Tables(Protocol):
    """What has tables."""

    @property
    def _dataset(self) -> xr.Dataset: ...


def plot_roc(
    self: Tables, *, mark: At | None = None, baseline: bool = False, **options: Unpack[PlotOptions]
) -> Drawing:
    """Draw ROC curves with their bands, of tables or of what `roc_bounds` returns.

    Parameters
    ----------
    mark : At, optional
        Cutoffs to mark on each curve, with their value beside: a rank, ``{"threshold": 0.5}``, a
        fraction, or several of a kind, ``{"rank": [50, 100]}``.

        The last cutoff of the tables at or before it.
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
        If it lacks a bound, negatives or the baseline.

    See Also
    --------
    roc : The numbers.
    area : What is below them.

    Notes
    -----
    tpr = TP/(TP + FN) against fpr = FP/(FP + TN) ([1]_, equations 1 and 2).

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using Only
       Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

    Examples
    --------
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> tables = pu_accessor.from_arrays(range(9, 0, -1), label).contingency(0.5)
    >>> ax = tables.pu.plot_roc()
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('false positive rate', 'true positive rate')
    """
    from pu_accessor import plots

    checked = plots.Options(baseline=baseline, **options)
    tables = mark_tables(tables_of(read_values(self._dataset)), "roc", mark)
    return plots.plot_roc(tables, checked)


def plot_pr(
    self: Tables, *, mark: At | None = None, baseline: bool = False, **options: Unpack[PlotOptions]
) -> Drawing:
    """Draw precision-recall curves with their bands, of tables or of what `pr_bounds` returns.

    Parameters
    ----------
    mark : At, optional
        Cutoffs to mark on each curve, with their value beside: a rank, ``{"threshold": 0.5}``, a
        fraction, or several of a kind, ``{"rank": [50, 100]}``.

        The last cutoff of the tables at or before it.
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
        If it lacks a bound or the baseline.

    See Also
    --------
    pr : The numbers.
    area : What is below them.

    Notes
    -----
    precision = TP/(TP + FP) against recall = TP/(TP + FN) ([1]_, section 5).

    References
    ----------
    .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using Only
       Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

    Examples
    --------
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> tables = pu_accessor.from_arrays(range(9, 0, -1), label).contingency(0.5)
    >>> ax = tables.pu.plot_pr()
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('recall', 'precision')
    """
    from pu_accessor import plots

    checked = plots.Options(baseline=baseline, **options)
    tables = mark_tables(tables_of(read_values(self._dataset)), "pr", mark)
    return plots.plot_pr(tables, checked)


def plot_metric(
    self: Tables,
    quantity: AnyMetric,
    *,
    x: str = "rank",
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
    x : {"rank", "threshold", "fraction"}, default "rank"
        Where a cutoff stands: the number of examples predicted positive, the lowest score among
        them, or their share of all.
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
        If it lacks a bound, the baseline or cutoffs.

    See Also
    --------
    metric : The numbers.

    Examples
    --------
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> tables = pu_accessor.from_arrays(range(9, 0, -1), label).contingency(0.5)
    >>> ax = tables.pu.plot_metric("precision", x="fraction")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('share of examples predicted positive', 'precision')
    """
    from pu_accessor import plots

    checked = plots.Options(baseline=baseline, **options)
    return plots.plot_metric(read_values(self._dataset), quantity, x, checked)


def plot_against_beta(
    self: Tables, quantity: AnyMetric, *, at: int | None = None, **options: Unpack[PlotOptions]
) -> Drawing:
    """Draw an area, or a metric at a rank, against beta, and where models swap places.

    A cross marks where the estimates of two models swap their order. Shaded, with a
    strip in its hue, are the betas at which both bounds of a model are cut to one value somewhere.
    ``df.pu.plot_against_beta`` says what that means, and when the order can change.

    Parameters
    ----------
    quantity : str or callable
        "auroc", "average_precision" for the area under the PR curve, or a metric as in `metric`.
    at : int, optional
        For a metric: the number of examples predicted positive.

        A rank of the tables.
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
        If it lacks a bound, cutoffs or a second beta.

    See Also
    --------
    area : The areas.
    beta_derivatives : How fast rates change.

    Examples
    --------
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> scores = range(9, 0, -1)
    >>> tables = pu_accessor.from_arrays(scores, label).contingency([0, 0.2, 0.4])
    >>> ax = tables.pu.plot_against_beta("auroc")
    >>> ax.get_ylabel()
    'AUROC'
    """
    from pu_accessor import plots

    checked = plots.Options(**options)
    return plots.plot_against_beta(
        values_by_beta(read_values(self._dataset), quantity, at=at), checked
    )


def plot_table(self: Tables, *, at: At, **options: Unpack[PlotOptions]) -> Drawing:
    r"""Draw the bounded 2 x 2 table at one cutoff, as people print confusion matrices.

    Parameters
    ----------
    at : At
        The cutoff: a number of examples predicted positive, 100 or ``{"rank": 100}``, or their
        share, ``{"fraction": 0.1}``; a score, ``{"threshold": 0.5}``; the last with an estimated
        ``{"fpr": 0.05}`` at most or ``{"precision": 0.9}`` at least, the first with ``{"recall":
        0.9}``, or tpr, at least; "youden" or "maximum", where the estimated informedness, or the
        metric itself, is highest.

        The last cutoff of the tables at or before it.
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
        If the tables lack a bound, or the cutoff.

    See Also
    --------
    at : The numbers.
    plot_metric : A metric at all cutoffs.

    Examples
    --------
    >>> import pu_accessor
    >>> label = [None, 1, 1, None, None, 1, None, None, None]
    >>> tables = pu_accessor.from_arrays(range(9, 0, -1), label).contingency(0.5)
    >>> ax = tables.pu.plot_table(at=4)
    >>> ax.get_xlabel().split(",")[:1], [text.get_text() for text in ax.texts][:2]
    (['predicted'], ['4\n[2, 4]', '0\n[0, 2]'])
    """
    from pu_accessor import plots

    checked = plots.Options(**options)
    return plots.plot_table(cells_of_tables(read_values(self._dataset), at), checked)
