"""``ds.pu``: questions put to contingency tables."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
import xarray as xr

from pu_accessor.inference import metrics
from pu_accessor.inference.metrics import Metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DatasetAccessor"]


class DatasetAccessor:
    """``ds.pu``: curves, metrics, areas and pictures of contingency tables.

    Parameters
    ----------
    dataset : Dataset
        Tables, as ``df.pu.contingency`` returns them.
    """

    def __init__(self, dataset: xr.Dataset) -> None:
        self._dataset = dataset

    def __repr__(self) -> str:
        questions = [name for name in vars(type(self)) if not name.startswith("_")]
        return f"<ds.pu: {', '.join(questions)}>"

    def roc(self) -> xr.Dataset:
        """Return the ROC curve of each bound and beta.

        Returns
        -------
        Dataset
            `fpr` and `tpr` (float64) over (rank, bound, beta); NaN without negatives.

        Raises
        ------
        PUKeyError
            If the Dataset holds no tables.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> tables = pu_accessor.contingency(range(9, 0, -1), label, beta=0.5)
        >>> tables.pu.roc()["tpr"].sel(beta=0.5, rank=3).to_series().round(3).to_dict()
        {'lower': 0.333, 'estimate': 0.5, 'upper': 0.5}
        """
        return metrics.roc(self._dataset)

    def pr(self) -> xr.Dataset:
        """Return the precision-recall curve of each bound and beta.

        Returns
        -------
        Dataset
            `recall` and `precision` (float64) over (rank, bound, beta); precision at rank 0 is 1.

        Raises
        ------
        PUKeyError
            If the Dataset holds no tables.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> tables = pu_accessor.contingency(range(9, 0, -1), label, beta=0.5)
        >>> tables.pu.pr()["precision"].sel(beta=0.5, rank=3).to_series().round(3).to_dict()
        {'lower': 0.667, 'estimate': 1.0, 'upper': 1.0}
        """
        return metrics.pr(self._dataset)

    def metric(self, name: str | Metric) -> xr.DataArray:
        """Evaluate a metric on each table.

        Parameters
        ----------
        name : str or callable
            One of tpr, fpr, tnr, fnr, precision, npv, accuracy, balanced_accuracy, f1, mcc,
            informedness, kappa, jaccard, lift; or a function of tp, fp, fn, tn (DataArrays of
            int64) that returns a DataArray.

        Returns
        -------
        DataArray
            Over (rank, bound, beta). At each cutoff its values at the bounds "lower" and "upper"
            bound the metric; of an error rate such as fpr "upper" has the smaller.

        Raises
        ------
        PUKeyError
            If the Dataset holds no tables.
        PUValueError
            If no metric has that name.
        PUTypeError
            If the function returns something else than a DataArray.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> tables = pu_accessor.contingency(range(9, 0, -1), label, beta=0.5)
        >>> tables.pu.metric("f1").sel(beta=0.5, rank=3).to_series().round(3).to_dict()
        {'lower': 0.444, 'estimate': 0.667, 'upper': 0.667}
        >>> cost = tables.pu.metric(lambda tp, fp, fn, tn: 5 * fn + fp)
        >>> cost.sel(beta=0.5, rank=3).to_series().to_dict()
        {'lower': 21, 'estimate': 15, 'upper': 15}
        """
        return metrics.metric(self._dataset, name)

    def area(self, curve: str, *, max_fpr: float | None = None) -> xr.DataArray:
        """Return the area under the curve of each bound and beta.

        Parameters
        ----------
        curve : {"roc", "pr"}
            Which curve.
        max_fpr : float in (0, 1], optional
            Take the ROC curve up to this false positive rate, standardised so that chance is 0.5
            and perfection 1, as ``sklearn.metrics.roc_auc_score(max_fpr=...)`` does.

        Returns
        -------
        DataArray
            float64 over (bound, beta).

        Raises
        ------
        PUKeyError
            If the Dataset holds no tables.
        PUValueError
            If it holds a part of the cutoffs, or an argument has a value that is not allowed.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> tables = pu_accessor.contingency(range(9, 0, -1), label, beta=0.5)
        >>> tables.pu.area("roc").sel(beta=0.5).to_series().round(3).to_dict()
        {'lower': 0.222, 'estimate': 0.889, 'upper': 1.0}
        """
        return metrics.area(self._dataset, curve, max_fpr=max_fpr)

    def to_frame(self) -> pd.DataFrame:
        """Return tables or curves as a long frame, ready for seaborn.

        Returns
        -------
        DataFrame
            A row for each rank, bound and beta, with a RangeIndex.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> tables = pu_accessor.contingency(range(9, 0, -1), label, beta=0.5)
        >>> list(tables.pu.roc().pu.to_frame().columns)
        ['rank', 'bound', 'beta', 'threshold', 'fpr', 'tpr']
        """
        return metrics.to_frame(self._dataset)

    def plot_roc(
        self,
        *,
        baseline: bool = False,
        ax: "Axes | None" = None,
        line_kws: Mapping[str, Any] | None = None,
        band_kws: Mapping[str, Any] | None = None,
    ) -> "Axes":
        """Draw the ROC curve of each beta with its band.

        Parameters
        ----------
        baseline : bool, default False
            Insist on the dashed curve of beta = 0, which is drawn where the tables hold it.
        ax : matplotlib Axes, optional
            Where to draw; new if not given.
        line_kws, band_kws : mapping, optional
            Properties of the estimates' Line2D and of the bands' Polygon.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        PUKeyError
            If the Dataset holds no tables.
        PUValueError
            If it lacks a dimension, a bound, negatives or the baseline asked for.

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
            self._dataset, baseline=baseline, ax=ax, line_kws=line_kws, band_kws=band_kws
        )

    def plot_pr(
        self,
        *,
        baseline: bool = False,
        ax: "Axes | None" = None,
        line_kws: Mapping[str, Any] | None = None,
        band_kws: Mapping[str, Any] | None = None,
    ) -> "Axes":
        """Draw the precision-recall curve of each beta with its band.

        Parameters
        ----------
        baseline : bool, default False
            Insist on the dashed curve of beta = 0, which is drawn where the tables hold it.
        ax : matplotlib Axes, optional
            Where to draw; new if not given.
        line_kws, band_kws : mapping, optional
            Properties of the estimates' Line2D and of the bands' Polygon.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        PUKeyError
            If the Dataset holds no tables.
        PUValueError
            If it lacks a dimension, a bound or the baseline asked for.

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
            self._dataset, baseline=baseline, ax=ax, line_kws=line_kws, band_kws=band_kws
        )
