"""``ds.pu``: questions put to contingency tables and curves that stand in a Dataset."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NoReturn

import pandas as pd
import xarray as xr

from pu_accessor.accessors import table_plots as table_pictures
from pu_accessor.accessors.accessor import Accessor
from pu_accessor.accessors.advice import explains_keywords, refuse_roles, tell_of_samples
from pu_accessor.accessors.bound import fold
from pu_accessor.datasets import curves, tables
from pu_accessor.datasets.schema import COUNTS, RATES, read_dataset, read_values
from pu_accessor.inference.metrics import AnyMetric
from pu_accessor.sources.roles import Roles, Values
from pu_accessor.sources.samples import SampleSource

_OF_CURVES = ("area", "at", "to_frame", "plot_roc", "plot_pr")  # what curves alone answer


@explains_keywords
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

    _answers = Accessor  # what a call returns

    def __init__(self, dataset: xr.Dataset) -> None:
        self._dataset = dataset

    def __call__(
        self,
        *,
        score: Hashable = "score",
        label: Hashable = "label",
        dim: Hashable = "sample",
        propensity: Hashable | None = None,
        cluster: Hashable | None = None,
        weight: Hashable | None = None,
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
        on_error: str = "raise",
        progress: bool = False,
        monotone: bool = False,
    ) -> Accessor:
        """Say what the variables of samples mean, once for all questions that follow.

        Nothing is read, and nothing changes. The samples at each place along the other dimensions
        are ranked apart.

        Parameters
        ----------
        score : hashable, default "score"
            Variable of numbers, higher is more positive.
        label : hashable, default "label"
            Variable of labels: True or 1 for a known positive, False or 0 for a known negative,
            missing for unlabeled. Where it lacks a dimension of the scores, such as the models, it
            is the same along that.
        dim : hashable, default "sample"
            The dimension of the samples. The others are models, folds, lead times, ...
        propensity : hashable, optional
            Variable of the probabilities in (0, 1] with which positives are labeled, where the
            known ones are no simple random sample.
        cluster : hashable, optional
            Variable that says which samples belong together: several of one patient, user or site.
            Intervals on new examples then count clusters, not samples.
        weight : hashable, optional
            Variable that says for how many samples each stands, 1 or more. Beta is then the
            weighted share.
        positive, negative, unlabeled : value or list of values, optional
            What stands for each state in another coding of the labels.
        nan_policy : {"raise", "omit", "worst"}, default "raise"
            Examples without a score raise, are dropped, or rank last (one shared cutoff).
        on_error : {"raise", "skip"}, default "raise"
            A place that cannot be bounded is named in an error, or left out with a warning. Where
            some of several dimensions are left out, the others stay together along a dimension
            "group".
        progress : bool, default False
            Show a bar while going through the places (needs tqdm).
        monotone : bool, default False
            Take for granted that a higher score never means a smaller probability of being
            positive.

        Returns
        -------
        Accessor
            With the methods of ``df.pu``. Results have the other dimensions first; a beta by place
            is a DataArray over them, or a mapping whose keys are their coordinates, tuples for
            several dimensions.

        Raises
        ------
        PUTypeError
            If the Dataset holds tables.
        PUValueError
            If an option has another value.

        Examples
        --------
        >>> import pu_accessor
        >>> import xarray as xr
        >>> scores = [[9, 8, 7, 6, 5, 4], [4, 9, 8, 5, 7, 6]]
        >>> ds = xr.Dataset(
        ...     {"score": (("model", "sample"), scores), "label": ("sample", [1, 1, *[None] * 4])},
        ...     coords={"model": ["svm", "forest"]},
        ... )
        >>> pu = ds.pu(dim="sample")
        >>> tables = pu.contingency(beta=0.25)
        >>> tables["tp"].dims
        ('model', 'rank', 'bound', 'beta')
        >>> tables.pu.area("auroc").sel(bound="estimate", beta=0.25).values.round(2)
        array([1.  , 0.56])
        """
        if counts := [name for name in (*COUNTS, *RATES) if name in self._dataset.data_vars]:
            refuse_roles(counts)
        return Accessor(SampleSource(self._dataset, dim), Roles().told(locals()))

    def __repr__(self) -> str:
        questions = [name for name in vars(TablesAccessor) if not name.startswith("_")]
        if "tp" not in self._dataset and {*RATES} & {*self._dataset.data_vars}:
            questions = [*_OF_CURVES]
        of_samples = "ds.pu(score='score', label='label', dim='sample')"
        return fold(f"<ds.pu: {', '.join(questions)}; of samples: {of_samples}>", {})

    def __getattr__(self, name: str) -> NoReturn:
        tell_of_samples(name, self, "tp" in self.__dict__.get("_dataset", ()))

    def roc_bounds(self) -> xr.Dataset:
        """Return the ROC curve of each bound and beta.

        Returns
        -------
        Dataset
            `fpr` and `tpr` (float64) over (rank, bound, beta); NaN without negatives.

        See Also
        --------
        pr_bounds : The precision-recall curve.
        plot_roc : The picture.
        area : What is below it.

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
        return curves.curve(read_dataset(self._dataset), "roc")

    def pr_bounds(self) -> xr.Dataset:
        """Return the precision-recall curve of each bound and beta.

        Returns
        -------
        Dataset
            `recall` and `precision` (float64) over (rank, bound, beta); precision at rank 0 is 1,
            where the curve starts. As a metric it is NaN there.

        See Also
        --------
        roc_bounds : The ROC curve.
        plot_pr : The picture.
        area : What is below it.

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
        return curves.curve(read_dataset(self._dataset), "pr")

    def metric(self, quantity: AnyMetric) -> xr.DataArray:
        """Evaluate a metric on each table.

        Parameters
        ----------
        quantity : Metric
            One of accuracy, balanced_accuracy, f1, fdr, fnr, fpr, informedness, jaccard, kappa,
            lift, mcc, npv, precision, recall, tnr and tpr; `pu_accessor.fbeta(2)` and the like; or
            a function of the arrays tp, fp, fn and tn, in examples, that returns an array of their
            shape.

        Returns
        -------
        DataArray
            Over (rank, bound, beta). At each cutoff its values at the bounds "lower" and "upper"
            bound the metric; of an error rate such as fpr "upper" has the smaller.

        Raises
        ------
        PUValueError
            If no metric has that name.
        PUTypeError
            If the function returns something else than an array of that shape.

        See Also
        --------
        at : Some cutoffs alone.
        plot_metric : The picture.
        pandas.DataFrame.pu.metric : With the interval for new examples.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> tables = pu_accessor.from_arrays(range(9, 0, -1), label).contingency(0.5)
        >>> tables.pu.metric("f1").sel(beta=0.5, rank=3).to_series().round(3).to_dict()
        {'lower': 0.444, 'estimate': 0.667, 'upper': 0.667}
        >>> cost = tables.pu.metric(lambda tp, fp, fn, tn: 5 * fn + fp)
        >>> cost.sel(beta=0.5, rank=3).to_series().to_dict()
        {'lower': 21, 'estimate': 15, 'upper': 15}
        """
        return curves.metric(read_dataset(self._dataset), quantity)

    def area(self, quantity: str, *, max_fpr: float | None = None) -> xr.DataArray:
        """Return the area under the curve of each bound and beta.

        Parameters
        ----------
        quantity : {"auroc", "average_precision"}
            The area under the ROC curve, or under the precision-recall curve.
        max_fpr : float, optional
            Take the ROC curve up to this false positive rate, 1e-12 to 1, standardised so that
            chance is 0.5 and perfection 1, as ``sklearn.metrics.roc_auc_score(max_fpr=...)`` does.

        Returns
        -------
        DataArray
            float64 over (bound, beta). The attribute `promise` says what the bounds are worth: of
            the band "simultaneous" they hold the true area with a probability of at least
            `level`; all other bands bound each cutoff, and make no such promise.

        Raises
        ------
        PUValueError
            If it holds a part of the cutoffs, or an argument has a value that is not allowed.

        See Also
        --------
        roc_bounds, pr_bounds : The curves.
        pandas.DataFrame.pu.auroc : The area with an interval of its own, which is narrower.

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
        tables = curves.tables_of(read_dataset(self._dataset))
        return curves.area(tables, quantity, max_fpr=max_fpr)

    def beta_derivatives(self) -> xr.Dataset:
        """Return how fast rates and counts change with beta ([1]_, Appendix B).

        What the band says is held fixed: the share T of the latent positives in the head at each
        cutoff, or, from known negatives, the share of the latent negatives there.

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

        See Also
        --------
        plot_against_beta : Areas and metrics against beta.

        Notes
        -----
        With n known positives, k of them and h of the U unlabeled examples in a head of r
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
        return curves.beta_derivatives(read_dataset(self._dataset))

    def at(self, *, rank: Any = None, threshold: Any = None, fraction: Any = None) -> xr.Dataset:
        """Return the tables or curves at some cutoffs: the last one at or before each.

        Parameters
        ----------
        rank : int or array-like of int, optional
            Numbers of examples predicted positive.
        threshold : float or array-like of float, optional
            Scores: what is at or above one is predicted positive.
        fraction : float or array-like of float, optional
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

        See Also
        --------
        metric : Metrics of the tables.
        to_frame : The rows of a frame.

        Examples
        --------
        >>> import pandas as pd
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
        >>> curves = df.pu.roc_bounds(beta=0.5)
        >>> curves.pu.at(threshold=6.5)["tpr"].sel(beta=0.5).to_series().round(3).to_dict()
        {'lower': 0.333, 'estimate': 0.5, 'upper': 0.5}
        """
        return tables.at_cutoffs(
            read_dataset(self._dataset), rank=rank, threshold=threshold, fraction=fraction
        )

    def to_frame(self) -> pd.DataFrame:
        """Return tables or curves as a long frame, ready for seaborn.

        Returns
        -------
        DataFrame
            A row for each rank, bound and beta, with a RangeIndex.

        See Also
        --------
        at : Some cutoffs alone.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> tables = pu_accessor.from_arrays(range(9, 0, -1), label).contingency(0.5)
        >>> list(tables.pu.roc_bounds().pu.to_frame().columns)
        ['rank', 'bound', 'beta', 'threshold', 'known_positive', 'fpr', 'tpr']
        """
        return tables.to_frame(read_values(self._dataset))

    def dominance(self) -> pd.DataFrame:
        """Compare where the ROC curves of models lie, at each beta ([1]_, section 6.2).

        Returns
        -------
        DataFrame
            As ``df.pu.dominance`` returns it: a row for each pair along the one dimension beside
            rank, bound and beta, and for each beta.

        Raises
        ------
        PUValueError
            If there are not two or more models along one dimension, if a bound or cutoffs are
            missing, or there are no negatives at some beta.

        See Also
        --------
        pandas.DataFrame.pu.compare : Which has the higher AUROC, as a test.
        plot_roc : The curves.

        Notes
        -----
        A curve counts as high as it gets at or left of a false positive rate: it never falls.

        References
        ----------
        .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
           Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

        Examples
        --------
        >>> import pandas as pd
        >>> import pu_accessor
        >>> df = pd.DataFrame({"label": [1, None, 1, None, 1, None, None, None]})
        >>> df["svm"], df["forest"] = [8, 2, 7, 1, 6, 5, 4, 3], [3, 8, 7, 6, 5, 4, 2, 1]
        >>> tables = df.pu(score=["svm", "forest"]).contingency(beta=0.2)
        >>> tables.pu.dominance().loc[0, "dominates"]
        'svm'
        """
        return curves.dominance(read_values(self._dataset))

    plot_roc = table_pictures.plot_roc
    plot_pr = table_pictures.plot_pr
    plot_table = table_pictures.plot_table
    plot_metric = table_pictures.plot_metric
    plot_against_beta = table_pictures.plot_against_beta
