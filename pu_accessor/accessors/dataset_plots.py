"""A part of ``ds.pu``: pictures of contingency tables."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import xarray as xr

from pu_accessor.inference.metrics import Metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from seaborn import FacetGrid

__all__ = ["DatasetPlots"]


class DatasetPlots:
    """Pictures of contingency tables.

    Parameters
    ----------
    dataset : Dataset
        Tables, as ``df.pu.contingency`` returns them.
    """

    def __init__(self, dataset: xr.Dataset) -> None:
        self._dataset = dataset

    def plot_roc(
        self,
        *,
        hue: str | None = None,
        col: str | None = None,
        row: str | None = None,
        baseline: bool = False,
        ax: "Axes | None" = None,
        line_kws: Mapping[str, Any] | None = None,
        band_kws: Mapping[str, Any] | None = None,
    ) -> "Axes | FacetGrid":
        """Draw ROC curves with their bands.

        Parameters
        ----------
        hue, col, row : str, optional
            The dimensions that colours, columns and rows of panels tell apart. Where one is left,
            it gets the hues.
        baseline : bool, default False
            Insist on the dashed curve of beta = 0, which is drawn where the tables hold it.
        ax : matplotlib Axes, optional
            Where to draw; new if not given.
        line_kws, band_kws : mapping, optional
            Properties of the estimates' Line2D and of the bands' Polygon.

        Returns
        -------
        matplotlib Axes or seaborn FacetGrid
            A grid with `col` or `row`.

        Raises
        ------
        PUKeyError
            If the Dataset holds no tables.
        PUValueError
            If it lacks a bound, negatives or the baseline asked for, or a dimension
            has no hue, column or row.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> tables = pu_accessor.contingency(range(9, 0, -1), label, beta=0.5)
        >>> ax = tables.pu.plot_roc()
        >>> ax.get_xlabel(), ax.get_ylabel()
        ('false positive rate', 'true positive rate')
        """
        from pu_accessor import plots

        return plots.plot_roc(
            self._dataset,
            hue=hue,
            col=col,
            row=row,
            baseline=baseline,
            ax=ax,
            line_kws=line_kws,
            band_kws=band_kws,
        )

    def plot_pr(
        self,
        *,
        hue: str | None = None,
        col: str | None = None,
        row: str | None = None,
        baseline: bool = False,
        ax: "Axes | None" = None,
        line_kws: Mapping[str, Any] | None = None,
        band_kws: Mapping[str, Any] | None = None,
    ) -> "Axes | FacetGrid":
        """Draw precision-recall curves with their bands.

        Parameters
        ----------
        hue, col, row : str, optional
            The dimensions that colours, columns and rows of panels tell apart. Where one is left,
            it gets the hues.
        baseline : bool, default False
            Insist on the dashed curve of beta = 0, which is drawn where the tables hold it.
        ax : matplotlib Axes, optional
            Where to draw; new if not given.
        line_kws, band_kws : mapping, optional
            Properties of the estimates' Line2D and of the bands' Polygon.

        Returns
        -------
        matplotlib Axes or seaborn FacetGrid
            A grid with `col` or `row`.

        Raises
        ------
        PUKeyError
            If the Dataset holds no tables.
        PUValueError
            If it lacks a bound or the baseline asked for, or a dimension
            has no hue, column or row.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> tables = pu_accessor.contingency(range(9, 0, -1), label, beta=0.5)
        >>> ax = tables.pu.plot_pr()
        >>> ax.get_xlabel(), ax.get_ylabel()
        ('recall', 'precision')
        """
        from pu_accessor import plots

        return plots.plot_pr(
            self._dataset,
            hue=hue,
            col=col,
            row=row,
            baseline=baseline,
            ax=ax,
            line_kws=line_kws,
            band_kws=band_kws,
        )

    def plot_metric(
        self,
        name: str | Metric,
        *,
        x: str = "rank",
        hue: str | None = None,
        col: str | None = None,
        row: str | None = None,
        baseline: bool = False,
        ax: "Axes | None" = None,
        line_kws: Mapping[str, Any] | None = None,
        band_kws: Mapping[str, Any] | None = None,
    ) -> "Axes | FacetGrid":
        """Draw a metric at each cutoff with its band, such as precision among the top k.

        Parameters
        ----------
        name : str or callable
            As in `metric`.
        x : {"rank", "threshold", "fraction"}, default "rank"
            Where a cutoff stands: the number of examples predicted positive, the lowest score
            among them, or their share of all.
        hue, col, row : str, optional
            The dimensions that colours, columns and rows of panels tell apart. Where one is left,
            it gets the hues.
        baseline : bool, default False
            Insist on the dashed curve of beta = 0, which is drawn where the tables hold it.
        ax : matplotlib Axes, optional
            Where to draw; new if not given.
        line_kws, band_kws : mapping, optional
            Properties of the estimates' Line2D and of the bands' Polygon.

        Returns
        -------
        matplotlib Axes or seaborn FacetGrid
            A grid with `col` or `row`.

        Raises
        ------
        PUKeyError
            If the Dataset holds no tables.
        PUValueError
            If it lacks a bound, the baseline asked for, or cutoffs, or a dimension
            has no hue, column or row.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> tables = pu_accessor.contingency(range(9, 0, -1), label, beta=0.5)
        >>> ax = tables.pu.plot_metric("precision", x="fraction")
        >>> ax.get_xlabel(), ax.get_ylabel()
        ('share of examples predicted positive', 'precision')
        """
        from pu_accessor import plots

        return plots.plot_metric(
            self._dataset,
            name,
            x=x,
            hue=hue,
            col=col,
            row=row,
            baseline=baseline,
            ax=ax,
            line_kws=line_kws,
            band_kws=band_kws,
        )

    def plot_sensitivity(
        self,
        name: str | Metric,
        *,
        at: int | None = None,
        hue: str | None = None,
        col: str | None = None,
        row: str | None = None,
        ax: "Axes | None" = None,
        line_kws: Mapping[str, Any] | None = None,
        band_kws: Mapping[str, Any] | None = None,
    ) -> "Axes | FacetGrid":
        """Draw an area, or a metric at a rank, against beta, and where models swap places.

        A cross marks where the central estimates of two models swap their order. Shaded, with a
        strip in its hue, are the betas that are too high for a model at some cutoff.
        ``df.pu.plot_sensitivity`` says what that means, and why the order by AUROC cannot change.

        Parameters
        ----------
        name : str or callable
            "roc" or "pr" for the area under that curve, or a metric as in `metric`.
        at : int, optional
            For a metric: the number of examples predicted positive, a rank of the tables.
        hue, col, row : str, optional
            The dimensions that colours, columns and rows of panels tell apart. Where one is left,
            it gets the hues.
        ax : matplotlib Axes, optional
            Where to draw; new if not given.
        line_kws, band_kws : mapping, optional
            Properties of the estimates' Line2D and of the bands' Polygon.

        Returns
        -------
        matplotlib Axes or seaborn FacetGrid
            A grid with `col` or `row`.

        Raises
        ------
        PUKeyError
            If the Dataset holds no tables.
        PUValueError
            If it lacks a bound, cutoffs or a second beta, or a dimension
            has no hue, column or row.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> scores = range(9, 0, -1)
        >>> tables = pu_accessor.contingency(scores, label, beta=[0, 0.2, 0.4])
        >>> ax = tables.pu.plot_sensitivity("roc")
        >>> ax.get_ylabel()
        'AUROC'
        """
        from pu_accessor import plots

        return plots.plot_sensitivity(
            self._dataset,
            name,
            at=at,
            hue=hue,
            col=col,
            row=row,
            ax=ax,
            line_kws=line_kws,
            band_kws=band_kws,
        )
