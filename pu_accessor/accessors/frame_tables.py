"""The first half of ``df.pu``: a frame's columns -> bounded tables and curves."""

from collections.abc import Hashable

import pandas as pd
import xarray as xr

from pu_accessor.inference import metrics, tables
from pu_accessor.inference.bands import Band
from pu_accessor.inference.tables import Beta
from pu_accessor.ranking import Ranks
from pu_accessor.sources.frames import rank_frame
from pu_accessor.sources.labels import Values

__all__ = ["FrameTables"]


class FrameTables:
    """Bounded tables and curves of a frame.

    Parameters
    ----------
    frame : DataFrame
        A row for each example, with a column of scores and one of labels.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def contingency(
        self,
        beta: Beta,
        *,
        score: Hashable = "score",
        label: Hashable = "label",
        level: float = 0.95,
        band: str | Band = "exact",
        reference: str = "positives",
        ranks: Ranks = "all",
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
    ) -> xr.Dataset:
        """Bound the contingency table at each cutoff ([1]_, Theorem 1 and section 4).

        Parameters
        ----------
        beta : float or array-like of float
            Fraction of positives among the unlabeled, in [0, 1]. 0 treats them as negative.
        score : hashable, default "score"
            Column of numbers, higher is more positive. Tied scores share a cutoff.
        label : hashable, default "label"
            Column of labels: True or 1 for a known positive, False or 0 for a known negative,
            missing for unlabeled.
        level : float, default 0.95
            Probability with which a band covers, in (0, 1): at each cutoff for "exact" and
            "bootstrap", at all cutoffs jointly for "dkw".
        band : {"exact", "bootstrap", "dkw"} or callable, default "exact"
            Bounds on the latent positives in the head; a callable as in
            `pu_accessor.contingency`.
        reference : {"positives"}, default "positives"
            Which labeled examples the band starts from.
        ranks : {"all", "breakpoints"}, int or array-like of int, default "all"
            Every attained cutoff; the few between which all curves are straight in (fp, tp); or
            the last attained cutoff at or before each of these numbers of examples.
        positive, negative, unlabeled : value or list of values, optional
            What stands for each state in another coding of the labels.
        nan_policy : {"raise", "omit", "worst"}, default "raise"
            Rows without a score raise, are dropped, or rank last (one shared cutoff).

        Returns
        -------
        Dataset
            `tp`, `fp`, `fn`, `tn` (int64, examples) and `clipped` (bool) over
            (rank, bound, beta), with the coordinate `threshold` (float64).

        Raises
        ------
        PUKeyError
            If there is no such column.
        PUValueError
            If an argument or a column has a value that is not allowed, labels are ambiguous, or
            no row is a known positive.
        PUTypeError
            If an argument or a column is of a kind that is not allowed.

        References
        ----------
        .. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using
           Only Positive and Unlabeled Data*, arXiv:1504.06837, 2015.

        Examples
        --------
        >>> import pandas as pd
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
        >>> tables = df.pu.contingency(beta=0.5, ranks=[3, 6])
        >>> tables["tp"].sel(beta=0.5).to_series().unstack("bound")
        bound  lower  estimate  upper
        rank
        3          2         3      3
        6          3         6      6
        """
        ranking = rank_frame(
            self._frame,
            score=score,
            label=label,
            positive=positive,
            negative=negative,
            unlabeled=unlabeled,
            nan_policy=nan_policy,
            ranks=ranks,
        )
        return tables.contingency(ranking, beta, level=level, band=band, reference=reference)

    def roc_bounds(
        self,
        beta: Beta,
        *,
        score: Hashable = "score",
        label: Hashable = "label",
        level: float = 0.95,
        band: str | Band = "exact",
        reference: str = "positives",
        ranks: Ranks = "breakpoints",
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
    ) -> xr.Dataset:
        """Bound the ROC curve.

        Parameters
        ----------
        beta, score, label, level, band, reference, positive, negative, unlabeled, nan_policy
            As in `contingency`.
        ranks : {"breakpoints", "all"}, int or array-like of int, default "breakpoints"
            As in `contingency`. Between breakpoints the curve is straight.

        Returns
        -------
        Dataset
            `fpr` and `tpr` (float64) over (rank, bound, beta). At each cutoff ``bound="upper"``
            has the highest tpr and the lowest fpr.

        Raises
        ------
        PUKeyError, PUValueError, PUTypeError
            As in `contingency`.

        Examples
        --------
        >>> import pandas as pd
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
        >>> curves = df.pu.roc_bounds(beta=0.5)
        >>> curves["tpr"].sel(beta=0.5, rank=3).to_series().round(3).to_dict()
        {'lower': 0.333, 'estimate': 0.5, 'upper': 0.5}
        """
        table = self.contingency(
            beta,
            score=score,
            label=label,
            level=level,
            band=band,
            reference=reference,
            ranks=ranks,
            positive=positive,
            negative=negative,
            unlabeled=unlabeled,
            nan_policy=nan_policy,
        )
        return metrics.roc(table)

    def pr_bounds(
        self,
        beta: Beta,
        *,
        score: Hashable = "score",
        label: Hashable = "label",
        level: float = 0.95,
        band: str | Band = "exact",
        reference: str = "positives",
        ranks: Ranks = "breakpoints",
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
    ) -> xr.Dataset:
        """Bound the precision-recall curve.

        Parameters
        ----------
        beta, score, label, level, band, reference, positive, negative, unlabeled, nan_policy
            As in `contingency`.
        ranks : {"breakpoints", "all"}, int or array-like of int, default "breakpoints"
            As in `contingency`. Between breakpoints tp and fp run straight, precision does not.

        Returns
        -------
        Dataset
            `recall` and `precision` (float64) over (rank, bound, beta); precision at rank 0 is 1.

        Raises
        ------
        PUKeyError, PUValueError, PUTypeError
            As in `contingency`.

        Examples
        --------
        >>> import pandas as pd
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
        >>> curves = df.pu.pr_bounds(beta=0.5)
        >>> curves["precision"].sel(beta=0.5, rank=3).to_series().round(3).to_dict()
        {'lower': 0.667, 'estimate': 1.0, 'upper': 1.0}
        """
        table = self.contingency(
            beta,
            score=score,
            label=label,
            level=level,
            band=band,
            reference=reference,
            ranks=ranks,
            positive=positive,
            negative=negative,
            unlabeled=unlabeled,
            nan_policy=nan_policy,
        )
        return metrics.pr(table)
