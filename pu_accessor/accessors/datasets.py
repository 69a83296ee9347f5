"""``ds.pu``: tables of samples, and questions put to tables."""

from collections.abc import Hashable

import pandas as pd
import xarray as xr

from pu_accessor.accessors.dataset_plots import DatasetPlots
from pu_accessor.inference import derivatives, dominance, metrics
from pu_accessor.inference.bands import Band
from pu_accessor.inference.betas import GroupBeta
from pu_accessor.inference.groups import ask, spread_groups
from pu_accessor.inference.metrics import Metric
from pu_accessor.inference.shares import Beta, Interval
from pu_accessor.inference.tables import contingency
from pu_accessor.ranking import Ranking, Ranks
from pu_accessor.sources.columns import Coding
from pu_accessor.sources.datasets import rank_dataset
from pu_accessor.sources.labels import Values

__all__ = ["DatasetAccessor"]


class DatasetAccessor(DatasetPlots):
    """``ds.pu``: tables of samples; curves, metrics, areas and pictures of tables.

    Parameters
    ----------
    dataset : Dataset
        Scores and labels over a dimension of samples, for `contingency`; for all else tables, as
        ``df.pu.contingency`` and ``ds.pu.contingency`` return them.
    """

    def __repr__(self) -> str:
        known = [vars(kind) for kind in (DatasetAccessor, DatasetPlots)]
        questions = [name for names in known for name in names if not name.startswith("_")]
        return f"<ds.pu: {', '.join(questions)}>"

    def contingency(
        self,
        beta: GroupBeta,
        *,
        score: Hashable = "score",
        label: Hashable = "label",
        dim: Hashable = "sample",
        propensity: Hashable | None = None,
        level: float = 0.95,
        band: str | Band = "exact",
        reference: str = "positives",
        beta_interval: Interval | None = None,
        ranks: Ranks = "all",
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
        on_error: str = "raise",
        progress: bool = False,
    ) -> xr.Dataset:
        """Bound the contingency tables of samples, at each place along the other dimensions.

        Parameters
        ----------
        beta : float, array-like of float, or DataArray, mapping or Series of float by place
            Fraction of positives among the unlabeled, in [0, 1]. A DataArray has one for each
            place along its dimensions; the keys of a mapping are coordinates, tuples for several
            dimensions.
        score : hashable, default "score"
            Variable of numbers, higher is more positive.
        label : hashable, default "label"
            Variable of labels, as in ``df.pu.contingency``. Where it lacks a dimension of the
            scores, such as the models, it is the same along that.
        dim : hashable, default "sample"
            The dimension of the samples. The others are models, folds, lead times, ...
        propensity : hashable, optional
            Variable of the probabilities with which positives are labeled.
        level, band, reference, beta_interval, ranks
            As in ``df.pu.contingency``.
        positive, negative, unlabeled, nan_policy
            As in ``df.pu.contingency``.
        on_error, progress
            As in ``df.pu.contingency``. Where some places of several dimensions are left out, the
            others stay together along a dimension "group".

        Returns
        -------
        Dataset
            What ``df.pu.contingency`` returns, with the other dimensions first.

        Raises
        ------
        PUKeyError
            If there is no such variable.
        PUValueError, PUTypeError
            As in ``df.pu.contingency``; also if a variable lacks `dim`.

        Examples
        --------
        >>> import pu_accessor
        >>> import xarray as xr
        >>> scores = [[9, 8, 7, 6, 5, 4], [4, 9, 8, 5, 7, 6]]
        >>> ds = xr.Dataset(
        ...     {"score": (("model", "sample"), scores), "label": ("sample", [1, 1, *[None] * 4])},
        ...     coords={"model": ["svm", "forest"]},
        ... )
        >>> tables = ds.pu.contingency(beta=0.25)
        >>> tables["tp"].dims
        ('model', 'rank', 'bound', 'beta')
        >>> tables.pu.area("roc").sel(bound="estimate", beta=0.25).values.round(2)
        array([1.  , 0.67])
        """

        def question(ranking: Ranking, beta: Beta) -> xr.Dataset:
            return contingency(
                ranking,
                beta,
                level=level,
                band=band,
                reference=reference,
                beta_interval=beta_interval,
            )

        rankings = rank_dataset(
            self._dataset,
            score=score,
            label=label,
            dim=dim,
            propensity=propensity,
            coding=Coding(positive, negative, unlabeled, nan_policy),
            ranks=ranks,
        )
        tables = ask(rankings, beta, question, on_error=on_error, progress=progress)
        return spread_groups(tables, rankings.names, self._dataset)

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

    def sensitivity(self) -> xr.Dataset:
        """Return how fast TPR, FPR and precision change with beta ([1]_, Appendix B).

        What the band says is held fixed: the share T of the latent positives in the head at each
        cutoff, or, from known negatives, the share of the latent negatives there.

        Returns
        -------
        Dataset
            `tpr`, `fpr` and `precision` (float64, per unit of beta) over (rank, bound, beta). 0
            where a table is clipped; NaN where a rate has no denominator, and at the bounds where
            nothing is latent.

        Raises
        ------
        PUKeyError
            If the Dataset holds no tables.
        PUValueError
            If their reference is "both".

        Notes
        -----
        With n known positives, k of them and h of the U unlabeled examples in a head of r
        examples, g of N_L known negatives, and P = n + beta*U:

        * dTPR/dbeta = U*(T*n - k)/P**2, which is 0 for the estimate, where T = k/n;
        * dFPR/dbeta = U*(g + h - T*(N_L + U))/(N_L + (1 - beta)*U)**2, where [1]_ lacks a factor:
          without known negatives it is (h/U - T)/(1 - beta)**2;
        * dPrecision/dbeta = T*U/r.

        References
        ----------
        .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
           Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

        Examples
        --------
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> tables = pu_accessor.contingency(range(9, 0, -1), label, beta=0.5)
        >>> slopes = tables.pu.sensitivity().sel(beta=0.5, rank=5, bound="estimate")
        >>> slopes["fpr"].round(3).item(), slopes["precision"].round(3).item()
        (-0.667, 0.8)
        """
        return derivatives.sensitivity(self._dataset)

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
        ['rank', 'bound', 'beta', 'threshold', 'known_positive', 'fpr', 'tpr']
        """
        return metrics.to_frame(self._dataset)

    def dominance(self) -> pd.DataFrame:
        """Compare where the ROC curves of models lie, at each beta ([1]_, section 6.2).

        Returns
        -------
        DataFrame
            As ``df.pu.dominance`` returns it: a row for each pair along the one dimension beside
            rank, bound and beta, and for each beta.

        Raises
        ------
        PUKeyError
            If the Dataset holds no tables.
        PUValueError
            If there are not two or more models along one dimension, if a bound or cutoffs are
            missing, or there are no negatives at some beta.

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
        >>> tables = df.pu.contingency(beta=0.2, score=["svm", "forest"])
        >>> tables.pu.dominance().loc[0, "dominates"]
        'svm'
        """
        return dominance.dominance(self._dataset)
