"""``ds.pu``: curves, metrics, areas and pictures of tables; called, the questions of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Unpack

import pandas as pd
import xarray as xr

from pu_accessor.checks import check_option
from pu_accessor.datasets import schema, tables
from pu_accessor.datasets.schema import COUNTS, RATES
from pu_accessor.errors import PUTypeError, PUValueError, nearest
from pu_accessor.inference.estimates.cutoff_spec import At
from pu_accessor.inference.metrics import METRICS, AnyMetric, Metric, read_metric
from pu_accessor.questions.accessor import Accessor, fold, public_names
from pu_accessor.questions.advice import advises, example_of
from pu_accessor.questions.pictures import label_of, refuse_cutoff
from pu_accessor.sources.samples import SampleSource
from pu_accessor.terms import SampleRoles, Terms, check_known

if TYPE_CHECKING:
    from pu_accessor.plots import Drawing, Options

_OF_CURVES = ("area", "at", "to_frame", "plot_roc", "plot_pr")  # what curves answer
_AXES = ("rank", "fraction", "threshold", "beta")
_OF_SAMPLES = "ds.pu(score='score', label='label', dim='sample')"


@advises
class TablesAccessor:
    """``ds.pu``: curves, metrics, areas and pictures of tables; called, the methods of ``df.pu``.

    Parameters
    ----------
    dataset : Dataset
        Contingency tables, or curves; or samples, for ``ds.pu(score=..., label=..., dim=...)``.

    Raises
    ------
    PUKeyError
        By each question: if the Dataset holds no tables, or for a picture no tables or curves.
    PUTypeError, PUValueError
        If an argument is of a kind, or has a value, that is not allowed.
    """

    def __init__(self, dataset: xr.Dataset) -> None:
        self._dataset = dataset

    def __call__(self, **roles: Unpack[SampleRoles]) -> Accessor:
        """Say what the variables of samples mean: an accessor with the methods of ``df.pu``.

        Parameters
        ----------
        dim : hashable, default "sample"
            Dimension of the samples; each other dimension makes groups.
        score, label, propensity, cluster, weight, count
            Names of variables, as in ``df.pu``.
        positive, negative, unlabeled, nan_policy, on_error, progress
            As in ``df.pu``.

        Returns
        -------
        Accessor
            The questions of ``df.pu``.

        Raises
        ------
        PUTypeError
            If the Dataset holds tables, which have no samples.

        Examples
        --------
        >>> import xarray as xr
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, 1, None, None, None, None]
        >>> values = {"score": ("sample", range(12, 0, -1)), "label": ("sample", label)}
        >>> xr.Dataset(values).pu(dim="sample").auroc(0.25)["estimate"].round(3).item()
        0.798
        """
        if counts := [name for name in (*COUNTS, *RATES) if name in self._dataset.data_vars]:
            raise PUTypeError(
                f"The Dataset holds tables or curves ({', '.join(counts)}), which have no samples "
                "with score and label. Ask the tables: ds.pu.metric('f1'), ds.pu.area('auroc')."
            )
        check_known("ds.pu", roles, SampleRoles.__annotations__)
        dim = roles.pop("dim", "sample")
        return Accessor(SampleSource(self._dataset, dim), Terms().update(**roles))

    def roc_bounds(self) -> xr.Dataset:
        """Return the ROC curve of each bound and beta.

        Returns
        -------
        Dataset
            `fpr` and `tpr` (float64) over (rank, bound, beta); NaN without negatives.

        Notes
        -----
        tpr = TP/(TP + FN) and fpr = FP/(FP + TN) ([1]_, equations 1 and 2).

        References
        ----------
        .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
           Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> tables = pu_accessor.from_arrays(range(9, 0, -1), label).contingency(0.5)
        >>> tables.pu.roc_bounds()["tpr"].sel(beta=0.5, rank=3).to_series().round(3).to_dict()
        {'lower': 0.333, 'estimate': 0.5, 'upper': 0.5}
        """
        return tables.curve(self._dataset, "roc")

    def pr_bounds(self) -> xr.Dataset:
        """Return the precision-recall curve of each bound and beta.

        Returns
        -------
        Dataset
            `recall` and `precision` (float64) over (rank, bound, beta); precision at rank 0 is 1,
            where the curve starts. As a metric it is NaN there.

        Notes
        -----
        precision = TP/(TP + FP) and recall = TP/(TP + FN) ([1]_, section 5).

        References
        ----------
        .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
           Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> tables = pu_accessor.from_arrays(range(9, 0, -1), label).contingency(0.5)
        >>> tables.pu.pr_bounds()["precision"].sel(beta=0.5, rank=3).to_series().round(3).to_dict()
        {'lower': 0.667, 'estimate': 1.0, 'upper': 1.0}
        """
        return tables.curve(self._dataset, "pr")

    def metric(self, metric: AnyMetric) -> xr.DataArray:
        """Evaluate a metric on each table.

        Parameters
        ----------
        metric : str, callable or Metric
            A metric at a cutoff by name, ``pu_accessor.fbeta(2)``, or a function of the arrays
            tp, fp, fn and tn, in examples, that returns an array of their shape.

        Returns
        -------
        DataArray
            Over (rank, bound, beta). At each cutoff its values at the bounds "lower" and "upper"
            bound the metric; of an error rate such as fpr "upper" has the smaller. Of an interval
            of beta its middle is left, with the lowest and the highest bound within it.

        Raises
        ------
        PUValueError
            If no metric has that name.
        PUTypeError
            If the function returns something else than an array of that shape.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> tables = pu_accessor.from_arrays(range(9, 0, -1), label).contingency(0.5)
        >>> tables.pu.metric("f1").sel(beta=0.5, rank=3).to_series().round(3).to_dict()
        {'lower': 0.444, 'estimate': 0.667, 'upper': 0.667}
        """
        return tables.metric(self._dataset, metric)

    def area(self, metric: str, *, max_fpr: float | None = None) -> xr.DataArray:
        """Return the area under the curve of each bound and beta.

        Parameters
        ----------
        metric : {"auroc", "average_precision"}
            The area under the ROC curve, or under the precision-recall curve.
        max_fpr : float, optional
            Take the ROC curve up to this false positive rate, 1e-12 to 1: the partial AUC,
            standardised so that chance is 0.5 and perfection 1.

        Returns
        -------
        DataArray
            float64 over (bound, beta). The attribute `promise` says what the bounds are worth:
            of the band "simultaneous" they hold the true area with a probability of at least
            `level`; other bands bound each cutoff, and make no such promise.

        Raises
        ------
        PUValueError
            If it holds a part of the cutoffs, or an argument has a value that is not allowed.

        Notes
        -----
        Trapezes below the ROC curve. Below the precision-recall curve each piece between two
        cutoffs has a closed form, as fp grows in a straight line with tp there [1]_.

        References
        ----------
        .. [1] J. Davis, M. Goadrich, *The relationship between precision-recall and ROC curves*,
           Proceedings of ICML (2006) 233-240.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> tables = pu_accessor.from_arrays(range(9, 0, -1), label).contingency(0.5)
        >>> tables.pu.area("auroc").sel(beta=0.5).to_series().round(3).to_dict()
        {'lower': 0.222, 'estimate': 1.0, 'upper': 1.0}
        """
        return tables.area(self._dataset, metric, max_fpr=max_fpr)

    def at(self, *, rank: Any = None, threshold: Any = None, fraction: Any = None) -> xr.Dataset:
        """Return the tables or curves at some cutoffs: the last one at or before each.

        Parameters
        ----------
        rank : int or array of int, optional
            Numbers of examples predicted positive.
        threshold : float or array of float, optional
            Scores: what is at or above one is predicted positive.
        fraction : float or array of float, optional
            Shares of the examples that are predicted positive, in [0, 1].

        Returns
        -------
        Dataset
            Without a dimension of cutoffs for a number, over "cutoff" for several. The coordinate
            `rank` says which cutoff it is, of each group.

        Raises
        ------
        PUKeyError
            If the Dataset has no cutoffs, or its coordinates are gone.
        PUValueError, PUTypeError
            If not one of the three is passed, or what lies outside the curve.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> curves = pu_accessor.from_arrays(range(9, 0, -1), label).roc_bounds(0.5)
        >>> curves.pu.at(threshold=6.5)["tpr"].sel(beta=0.5).to_series().round(3).to_dict()
        {'lower': 0.333, 'estimate': 0.5, 'upper': 0.5}
        """
        return tables.at(self._dataset, rank=rank, threshold=threshold, fraction=fraction)

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
        >>> tables = pu_accessor.from_arrays(range(9, 0, -1), label).contingency(0.5)
        >>> list(tables.pu.roc_bounds().pu.to_frame().columns)
        ['rank', 'bound', 'beta', 'threshold', 'known_positive', 'fpr', 'tpr']
        """
        return tables.to_frame(self._dataset)

    def beta_derivatives(self) -> xr.Dataset:
        """Return how fast rates and counts change with beta ([1]_, Appendix B).

        What the band says is held fixed: the share T of the latent positives above each cutoff,
        or, from known negatives, the share of the latent negatives there.

        Returns
        -------
        Dataset
            `tpr`, `fpr`, `precision`, `tp`, `fp`, `fn` and `tn` (float64, per unit of beta) over
            (rank, bound, beta). 0 where a table is clipped; NaN where a rate has no denominator,
            and at the bounds where nothing is latent.

        Raises
        ------
        PUValueError
            If their reference is "both".

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
        .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
           Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> tables = pu_accessor.from_arrays(range(9, 0, -1), label).contingency(0.5)
        >>> slopes = tables.pu.beta_derivatives().sel(beta=0.5, rank=5, bound="estimate")
        >>> slopes["fpr"].round(3).item(), slopes["precision"].round(3).item()
        (-2.0, 1.2)
        """
        return tables.beta_derivatives(self._dataset)

    def plot_roc(self, **looks: Unpack[Options]) -> Drawing:
        """Draw ROC curves with their bands, of tables or of what `roc_bounds` returns.

        Parameters
        ----------
        **looks
            How it looks, as in ``df.pu.plot_roc``.

        Returns
        -------
        Axes or FacetGrid
            What was drawn on.

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
            How it looks, as in ``df.pu.plot_roc``.

        Returns
        -------
        Axes or FacetGrid
            What was drawn on.

        Examples
        --------
        >>> import pu_accessor
        >>> tables = pu_accessor.load_example().pu.contingency(0.17, ranks="breakpoints")
        >>> ax = tables.pu.plot_pr()
        """
        return _draw(self._dataset, "pr", looks)

    def plot_metric(
        self, metric: AnyMetric, *, x: str = "rank", at: At | None = None, **looks: Unpack[Options]
    ) -> Drawing:
        """Draw a metric of tables with its band: at each cutoff, or at one over beta.

        Parameters
        ----------
        metric : str, callable or Metric
            As in `metric`; for ``x="beta"`` also an area, as in `area`.
        x : {"rank", "fraction", "threshold", "beta"}, default "rank"
            What stands along the axis.
        at : int or mapping, optional
            The cutoff of a metric where `x` is beta: a rank, or a rank, threshold or fraction by
            name, as in the method `at`.
        **looks
            How it looks, as in ``df.pu.plot_roc``.

        Returns
        -------
        Axes or FacetGrid
            What was drawn on.

        Examples
        --------
        >>> import pu_accessor
        >>> tables = pu_accessor.load_example().pu.contingency(0.17, ranks="breakpoints")
        >>> ax = tables.pu.plot_metric("precision")
        >>> tables = pu_accessor.load_example().pu.contingency([0.1, 0.15], ranks="breakpoints")
        >>> ax = tables.pu.plot_metric("precision", x="beta", at={"fraction": 0.1})
        """
        return _draw_metric(self._dataset, metric, looks, x, at)

    def __dir__(self) -> list[str]:
        return public_names(type(self))

    def __repr__(self) -> str:
        questions = public_names(type(self))
        if "tp" not in self._dataset and {*RATES} & {*self._dataset.data_vars}:
            questions = [*_OF_CURVES]
        return fold(f"<ds.pu: {', '.join(questions)}; of samples: {_OF_SAMPLES}>", {})

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(_explain_attribute(name, "tp" in self.__dict__.get("_dataset", ())))


def _draw(dataset: xr.Dataset, curve: str | Metric, looks: Any, x: str = "rank") -> Drawing:
    """Draw curves of tables, or of what curves are of."""
    from pu_accessor import plots

    return plots.plot_curves(tables.tables_of(dataset), curve, looks, x=x)


def _draw_metric(
    dataset: xr.Dataset, metric: AnyMetric, looks: Any, x: str, at: At | None
) -> Drawing:
    """Draw a metric at each cutoff, or at one against beta."""
    from pu_accessor import plots

    check_option("x", x, _AXES, {"head": "rank", "score": "threshold", "share": "fraction"})
    plots.check_options(looks)
    if x != "beta":
        refuse_cutoff(at, x)
        return _draw(dataset, read_metric(metric, None, "tables"), looks, x)
    held = schema.read_dataset(tables.tables_of(schema.read_dataset(dataset)), "tables")
    entry = read_metric(metric, at, "against_beta")
    cutoff = entry.read_cutoff(at)
    if cutoff is None:
        values = tables.area(held, entry.name)
    elif cutoff.kind in _AXES:
        values = tables.metric(tables.at(held, **{cutoff.kind: cutoff.value}), metric)
    else:
        raise PUValueError(
            f"at must be a rank, a fraction or a threshold of tables, but {at!r} was passed. "
            "Ask the rows: df.pu.plot_metric('f1', [0.1, 0.2], x='beta', at='maximum')."
        )
    if values["beta"].ndim != 1 or not {"bound", "beta"} <= {*values.dims}:
        raise PUValueError(
            "A plot against beta needs the dimensions bound and beta, the same betas for all "
            "groups. Make tables for several: df.pu.contingency(beta=[0.1, 0.2, 0.3])."
        )
    columns = values.to_dataset("bound").assign(infeasible=plots.impossible(held))
    rows = columns.to_dataframe().reset_index()
    rows.attrs = dict(dataset.attrs)
    return plots.plot_rows(rows, x, looks, label=label_of(entry, at))


def _explain_attribute(name: str, counted: bool) -> str:
    """Say what somebody meant by a method that tables do not have."""
    at_cutoffs = [metric for metric, entry in METRICS.items() if "tables" in entry.can]
    calls = {metric: f"ds.pu.metric({metric!r})" for metric in at_cutoffs}
    calls |= {"roc": "ds.pu.roc_bounds()", "pr": "ds.pu.pr_bounds()"}
    calls["confusion_matrix"] = "ds.pu.to_frame()"
    calls |= {
        "auroc": "ds.pu.area('auroc')",
        "average_precision": "ds.pu.area('average_precision')",
    }
    own = {method: getattr(TablesAccessor, method) for method in public_names(TablesAccessor)}
    calls |= {method: example_of(function) for method, function in own.items()}
    meant = None if name.startswith("_") else nearest(name, calls)
    write = f" Write {calls[meant]}." if meant else ""
    if name not in public_names(Accessor):
        return f"ds.pu has no attribute {name!r}.{write}"
    call = example_of(getattr(Accessor, name))
    if counted:
        return (
            f"{name} needs examples, and tables hold counts. Ask what they were made of: {call}."
            f"{write.replace('Write', 'Of tables:')}"
        )
    line = call.replace("df.pu", _OF_SAMPLES)
    return f"{name} needs samples. Say first what their variables mean: {line}."
