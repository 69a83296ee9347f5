"""``ds.pu``: curves, metrics, areas and plots of tables; called, the methods of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Unpack

import pandas as pd
import xarray as xr

from pu_accessor.checks import check_option
from pu_accessor.datasets import tables
from pu_accessor.datasets.schema import COUNTS, RATES
from pu_accessor.errors import PUTypeError
from pu_accessor.inference.metric_entry import AnyMetric, Metric
from pu_accessor.inference.metrics import metrics_for, read_metric
from pu_accessor.questions.accessor import Accessor, fold
from pu_accessor.questions.call_errors import example_of, explain_call_errors, public_names
from pu_accessor.roles_and_assumptions import SampleRoles, Terms, check_known
from pu_accessor.sources.samples import SampleSource
from pu_accessor.words import suggest

if TYPE_CHECKING:
    from pu_accessor.plots import Drawing, Options

_METHODS_OF_CURVES = ("area", "to_frame", "plot_roc", "plot_pr")
_CALL_OF_SAMPLES = "ds.pu(score='score', label='label', dim='sample')"


@explain_call_errors
class TablesAccessor:
    """``ds.pu``: curves, metrics, areas and plots of tables; called, the methods of ``df.pu``.

    Parameters
    ----------
    dataset : Dataset
        Contingency tables, or curves; or samples, for ``ds.pu(score=..., label=..., dim=...)``.
    """

    def __init__(self, dataset: xr.Dataset) -> None:
        self._dataset = dataset

    def __call__(self, **roles: Unpack[SampleRoles]) -> Accessor:
        """Set the roles of the variables of samples, for the methods of ``df.pu``.

        Parameters
        ----------
        dim : hashable, default "sample"
            Dimension of the samples; each other dimension makes groups.
        score, label, propensity, cluster, weight, count : hashable, optional
            Names of the variables with these roles.
        positive, negative, unlabeled, nan_policy, on_error, progress : optional
            The coding of labels, and what to do where scores or results are missing, as in a call
            of ``df.pu``.

        Returns
        -------
        Accessor

        Raises
        ------
        PUTypeError
            If the Dataset has tables, which have no samples.

        Examples
        --------
        >>> import xarray as xr
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
        >>> values = {"score": ("sample", range(12, 0, -1)), "label": ("sample", label)}
        >>> xr.Dataset(values).pu(dim="sample").auroc(0.25)["estimate"].round(3).item()
        0.798
        """
        if names := [name for name in (*COUNTS, *RATES) if name in self._dataset.data_vars]:
            raise PUTypeError(
                f"The Dataset has tables or curves ({', '.join(names)}), which have no samples "
                "with score and label. Of tables: ds.pu.metric('f1'), ds.pu.area('auroc')."
            )
        check_known("ds.pu", roles, SampleRoles.__annotations__)
        dim = roles.pop("dim", "sample")
        return Accessor(SampleSource(self._dataset, dim), Terms().update(**roles))

    def roc_bounds(self) -> xr.Dataset:
        """Return the tables with the ROC curve of each bound and beta.

        Returns
        -------
        Dataset
            `fpr` = FP/(FP + TN) and `tpr` = TP/(TP + FN) (float64) over (rank, bound, beta); NaN
            without negatives.

        Raises
        ------
        PUKeyError
            If the Dataset lacks tables.

        See Also
        --------
        plot_roc : The curve with its band.

        Examples
        --------
        >>> import pu_accessor
        >>> tables = pu_accessor.load_example().pu.contingency(0.17, ranks=[200])
        >>> tables.pu.roc_bounds()["tpr"].sel(beta=0.17, rank=200).to_series().round(3).to_dict()
        {'lower': 0.329, 'estimate': 0.371, 'upper': 0.394}
        """
        return tables.curve(self._dataset, "roc")

    def pr_bounds(self) -> xr.Dataset:
        """Return the tables with the precision-recall curve of each bound and beta.

        Returns
        -------
        Dataset
            `recall` = TP/(TP + FN) and `precision` = TP/(TP + FP) (float64) over (rank, bound,
            beta). At rank 0 the curve starts with precision 1, which as a metric is NaN.

        Raises
        ------
        PUKeyError
            If the Dataset lacks tables.

        See Also
        --------
        plot_pr : The curve with its band.

        Examples
        --------
        >>> import pu_accessor
        >>> tables = pu_accessor.load_example().pu.contingency(0.17, ranks=[200])
        >>> precision = tables.pu.pr_bounds()["precision"]
        >>> precision.sel(beta=0.17, rank=200).to_series().round(3).to_dict()
        {'lower': 0.835, 'estimate': 0.943, 'upper': 1.0}
        """
        return tables.curve(self._dataset, "pr")

    def metric(self, metric: AnyMetric) -> xr.DataArray:
        """Evaluate a metric on each table.

        Parameters
        ----------
        metric : str, callable or Metric
            A metric at a cutoff that ``df.pu.metric`` lists, ``pu_accessor.fbeta(2)``, or a
            function of the arrays tp, fp, fn and tn, in examples, that returns such an array.

        Returns
        -------
        DataArray
            Over (rank, bound, beta). The values at "lower" and "upper" bound the metric at each
            cutoff; for an error rate such as fpr "upper" is the smaller. An interval of beta is
            reduced to its middle, with the lowest and highest bound within it.

        Raises
        ------
        PUValueError, PUTypeError
            If no metric has that name, or the function does not return an array of that shape.

        See Also
        --------
        plot_metric : The metric with its band.

        Examples
        --------
        >>> import pu_accessor
        >>> tables = pu_accessor.load_example().pu.contingency(0.17, ranks=[200])
        >>> tables.pu.metric("f1").sel(beta=0.17, rank=200).to_series().round(3).to_dict()
        {'lower': 0.472, 'estimate': 0.534, 'upper': 0.565}
        """
        return tables.metric(self._dataset, metric)

    def area(self, metric: str, *, max_fpr: float | None = None) -> xr.DataArray:
        """Return AUROC or average precision of the estimate, and the extremes within the bounds.

        Parameters
        ----------
        metric : {"auroc", "average_precision"}
            The area under the ROC curve, or the mean precision at the positives.
        max_fpr : float, optional
            Partial AUC up to this false positive rate, standardised so that chance is 0.5.

        Returns
        -------
        DataArray
            float64 over (bound, beta). The estimate is that of ``df.pu.auroc`` on this sample,
            unless the band cuts it (`clipped`). The attribute `promise` states the coverage: with
            the band "simultaneous" the bounds contain the true area with a probability of at
            least `level`; other bands cover at each cutoff, and guarantee nothing for the area.

        Raises
        ------
        PUValueError
            If some cutoffs are missing, or an argument is not allowed.

        See Also
        --------
        plot_roc, plot_pr : The curves with their bands.

        Examples
        --------
        >>> import pu_accessor
        >>> tables = pu_accessor.load_example().pu.contingency(0.17, ranks="breakpoints")
        >>> tables.pu.area("auroc").sel(beta=0.17).to_series().round(3).to_dict()
        {'lower': 0.842, 'estimate': 0.889, 'upper': 0.92}
        """
        return tables.area(self._dataset, metric, max_fpr=max_fpr)

    def to_frame(self) -> pd.DataFrame:
        """Return tables or curves as a long frame, ready for seaborn.

        Returns
        -------
        DataFrame
            A row for each rank, bound and beta, with a RangeIndex.

        Raises
        ------
        PUKeyError
            If the Dataset lacks tables and curves.

        Examples
        --------
        >>> import pu_accessor
        >>> curves = pu_accessor.load_example().pu.roc_bounds(0.17)
        >>> list(curves.pu.to_frame().columns)[:8]
        ['rank', 'bound', 'beta', 'threshold', 'known_positive', 'unlabeled', 'fpr', 'tpr']
        """
        return tables.to_frame(self._dataset)

    def beta_derivatives(self) -> xr.Dataset:
        """Return the derivatives of rates and counts with respect to beta ([1]_, Appendix B).

        The band is kept fixed: the share T of the hidden positives above each cutoff or, with
        known negatives as reference, the share of the hidden negatives.

        Returns
        -------
        Dataset
            `tpr`, `fpr`, `precision`, `tp`, `fp`, `fn` and `tn` (float64, per unit of beta) over
            (rank, bound, beta). 0 where a table is clipped. NaN where a rate has no denominator,
            and at bounds without hidden examples.

        Raises
        ------
        PUValueError
            If tables have contamination.

        Notes
        -----
        With n known positives, k of them and h of the U unlabeled examples above a cutoff of r
        examples, g of N_L known negatives, and P = n + beta*U:

        * dTPR/dbeta = U*(T*n - k)/P**2, which is near 0 for the estimate, as T is near k/n there;
        * dFPR/dbeta = U*(g + h - T*(N_L + U))/(N_L + (1 - beta)*U)**2, where [1]_ lacks the factor
          1/U: without known negatives it is (h/U - T)/(1 - beta)**2;
        * dPrecision/dbeta = T*U/r;
        * dTP/dbeta = T*U = -dFP/dbeta, and dFN/dbeta = (1 - T)*U = -dTN/dbeta.

        References
        ----------
        .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, arXiv:1504.06837 (2015).

        Examples
        --------
        >>> import pu_accessor
        >>> tables = pu_accessor.load_example().pu.contingency(0.17, ranks=[200])
        >>> slopes = tables.pu.beta_derivatives().sel(beta=0.17, rank=200, bound="estimate")
        >>> slopes["fpr"].round(3).item(), slopes["precision"].round(3).item()
        (-0.432, 3.29)
        """
        return tables.beta_derivatives(self._dataset)

    def plot_roc(self, **looks: Unpack[Options]) -> Drawing:
        """Draw ROC curves with their bands, of tables or of what `roc_bounds` returns.

        Parameters
        ----------
        **looks
            Options of the plot, as ``df.pu.plot_roc`` explains.

        Returns
        -------
        Axes or FacetGrid

        Raises
        ------
        PUKeyError
            If the Dataset lacks tables and curves.

        See Also
        --------
        roc_bounds : The numbers of the curve.

        Examples
        --------
        >>> import pu_accessor
        >>> tables = pu_accessor.load_example().pu.contingency(0.17, ranks="breakpoints")
        >>> ax = tables.pu.plot_roc()
        """
        return _draw(self._dataset, "roc", looks)

    def plot_pr(self, **looks: Unpack[Options]) -> Drawing:
        """Draw precision-recall curves with their bands, of tables or of what `pr_bounds` returns.

        Parameters
        ----------
        **looks
            Options of the plot, as ``df.pu.plot_roc`` explains.

        Returns
        -------
        Axes or FacetGrid

        Raises
        ------
        PUKeyError
            If the Dataset lacks tables and curves.

        See Also
        --------
        pr_bounds : The numbers of the curve.

        Examples
        --------
        >>> import pu_accessor
        >>> tables = pu_accessor.load_example().pu.contingency(0.17, ranks="breakpoints")
        >>> ax = tables.pu.plot_pr()
        """
        return _draw(self._dataset, "pr", looks)

    def plot_metric(
        self, metric: AnyMetric, *, x: str = "rank", **looks: Unpack[Options]
    ) -> Drawing:
        """Draw a metric of tables with its band, at each cutoff.

        Parameters
        ----------
        metric : str, callable or Metric
            A metric at a cutoff, as `metric` explains.
        x : {"rank", "fraction", "threshold"}, default "rank"
            The horizontal axis.
        **looks
            Options of the plot, as ``df.pu.plot_roc`` explains.

        Returns
        -------
        Axes or FacetGrid

        Raises
        ------
        PUValueError
            If there is no such axis for the metric, or an argument is not valid.

        See Also
        --------
        metric, area : The numbers.

        Examples
        --------
        >>> import pu_accessor
        >>> tables = pu_accessor.load_example().pu.contingency([0.1, 0.15], ranks="breakpoints")
        >>> ax = tables.pu.plot_metric("precision", x="fraction")
        """
        check_option("x", x, ("rank", "fraction", "threshold"))
        return _draw(self._dataset, read_metric(metric, "tables"), looks, x)

    def __dir__(self) -> list[str]:
        return public_names(type(self))

    def __repr__(self) -> str:
        methods = public_names(type(self))
        if {*RATES} & {*self._dataset.data_vars}:
            methods = [*_METHODS_OF_CURVES]
        return fold(f"<ds.pu: {', '.join(methods)}; of samples: {_CALL_OF_SAMPLES}>", {})

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(_explain_attribute(name, "tp" in self.__dict__.get("_dataset", ())))


def _draw(dataset: xr.Dataset, curve: str | Metric, looks: Any, x: str = "rank") -> Drawing:
    """Draw curves of tables, or the tables' curves."""
    from pu_accessor import plots

    return plots.plot_curves(dataset, curve, plots.check_options(looks), x=x)


def _explain_attribute(name: str, has_tables: bool) -> str:
    """Return the error of an unknown method of tables, with what to write."""
    calls = {metric: f"ds.pu.metric({metric!r})" for metric in metrics_for("tables")}
    calls |= {"roc": "ds.pu.roc_bounds()", "pr": "ds.pu.pr_bounds()"}
    calls |= {area: f"ds.pu.area({area!r})" for area in metrics_for("area")}
    calls["confusion_matrix"] = "ds.pu.to_frame()"
    own = {method: getattr(TablesAccessor, method) for method in public_names(TablesAccessor)}
    calls |= {method: example_of(function) for method, function in own.items()}
    write = "" if name.startswith("_") else suggest(name, lines=calls, places=["ds."])
    if name not in public_names(Accessor):
        return f"ds.pu has no attribute {name!r}.{write}"
    call = example_of(getattr(Accessor, name))
    if has_tables:
        return (
            f"{name} needs examples, and tables have counts. Of the frame: {call}."
            f"{write.replace('Write', 'Of tables:')}"
        )
    line = call.replace("df.pu", _CALL_OF_SAMPLES)
    return f"{name} needs samples. Set the roles of their variables: {line}."
