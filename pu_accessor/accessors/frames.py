"""``df.pu``: a frame's columns -> bounds and pictures of them."""

from collections.abc import Hashable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.errors import PUError
from pu_accessor.inference import metrics, tables
from pu_accessor.inference.bands import Band
from pu_accessor.inference.tables import Beta
from pu_accessor.ranking import Ranks
from pu_accessor.sources.frames import rank_frame
from pu_accessor.sources.labels import Values

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FrameAccessor"]


class FrameAccessor:
    """``df.pu``: bounds on a ranking's performance, from known positives and unlabeled rows.

    Parameters
    ----------
    frame : DataFrame
        A row for each example, with a column of scores and one of labels.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def __repr__(self) -> str:
        summary = _summary(self._frame)
        width = max(len(name) for name in summary)
        lines = (f"{name:<{width}}  {text}" for name, text in summary.items())
        return "\n".join(["<df.pu>", *lines])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align: left'>{escape(name)}</th><td>{escape(text)}</td></tr>"
            for name, text in _summary(self._frame).items()
        )
        return f"<table><caption>df.pu</caption>{rows}</table>"

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

    def plot_roc(
        self,
        beta: Beta,
        *,
        score: Hashable = "score",
        label: Hashable = "label",
        level: float = 0.95,
        band: str | Band = "exact",
        reference: str = "positives",
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
        baseline: bool = False,
        ax: "Axes | None" = None,
        line_kws: Mapping[str, Any] | None = None,
        band_kws: Mapping[str, Any] | None = None,
    ) -> "Axes":
        """Draw the ROC curve with its band.

        Parameters
        ----------
        beta : float or array-like of float
            Fraction of positives among the unlabeled, in [0, 1]; a hue each.
        score, label, level, band, reference, positive, negative, unlabeled, nan_policy
            As in `contingency`.
        baseline : bool, default False
            Add the dashed curve of beta = 0, which treats the unlabeled as negative.
        ax : matplotlib Axes, optional
            Where to draw; new if not given.
        line_kws, band_kws : mapping, optional
            Properties of the estimates' Line2D and of the bands' Polygon.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        PUKeyError, PUValueError, PUTypeError
            As in `contingency`; also if beta = 1 leaves no negatives.

        Examples
        --------
        >>> import pandas as pd
        >>> import pu_accessor
        >>> label = [None, 1, 1, None, None, 1, None, None, None]
        >>> df = pd.DataFrame({"score": range(9, 0, -1), "label": label})
        >>> ax = df.pu.plot_roc(beta=0.5, baseline=True)
        >>> ax.get_xlabel(), ax.get_ylabel()
        ('false positive rate', 'true positive rate')
        """
        from pu_accessor import plots

        table = self.contingency(
            _with_baseline(beta) if baseline else beta,
            score=score,
            label=label,
            level=level,
            band=band,
            reference=reference,
            ranks="breakpoints",
            positive=positive,
            negative=negative,
            unlabeled=unlabeled,
            nan_policy=nan_policy,
        )
        return plots.plot_roc(table, ax=ax, line_kws=line_kws, band_kws=band_kws)

    def plot_pr(
        self,
        beta: Beta,
        *,
        score: Hashable = "score",
        label: Hashable = "label",
        level: float = 0.95,
        band: str | Band = "exact",
        reference: str = "positives",
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
        baseline: bool = False,
        ax: "Axes | None" = None,
        line_kws: Mapping[str, Any] | None = None,
        band_kws: Mapping[str, Any] | None = None,
    ) -> "Axes":
        """Draw the precision-recall curve with its band.

        Parameters
        ----------
        beta : float or array-like of float
            Fraction of positives among the unlabeled, in [0, 1]; a hue each.
        score, label, level, band, reference, positive, negative, unlabeled, nan_policy
            As in `contingency`.
        baseline : bool, default False
            Add the dashed curve of beta = 0, which treats the unlabeled as negative.
        ax : matplotlib Axes, optional
            Where to draw; new if not given.
        line_kws, band_kws : mapping, optional
            Properties of the estimates' Line2D and of the bands' Polygon.

        Returns
        -------
        matplotlib Axes

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
        >>> ax = df.pu.plot_pr(beta=0.5, baseline=True)
        >>> ax.get_xlabel(), ax.get_ylabel()
        ('recall', 'precision')
        """
        from pu_accessor import plots

        table = self.contingency(
            _with_baseline(beta) if baseline else beta,
            score=score,
            label=label,
            level=level,
            band=band,
            reference=reference,
            ranks="breakpoints",
            positive=positive,
            negative=negative,
            unlabeled=unlabeled,
            nan_policy=nan_policy,
        )
        return plots.plot_pr(table, ax=ax, line_kws=line_kws, band_kws=band_kws)

    def plot_rank_cdf(
        self,
        beta: Beta,
        *,
        score: Hashable = "score",
        label: Hashable = "label",
        level: float = 0.95,
        band: str | Band = "exact",
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
        ax: "Axes | None" = None,
        line_kws: Mapping[str, Any] | None = None,
        band_kws: Mapping[str, Any] | None = None,
    ) -> "Axes":
        """Draw the rank CDF of the known positives, with the band of the latent ones around it.

        Parameters
        ----------
        beta : float or array-like of float
            Fraction of positives among the unlabeled, in [0, 1]; a hue each.
        score, label, level, band, positive, negative, unlabeled, nan_policy
            As in `contingency`.
        ax, line_kws, band_kws
            As in `plot_roc`.

        Returns
        -------
        matplotlib Axes

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
        >>> ax = df.pu.plot_rank_cdf(beta=0.5)
        >>> ax.get_xlabel()
        'examples predicted positive'
        """
        from pu_accessor import plots

        ranking = rank_frame(
            self._frame,
            score=score,
            label=label,
            positive=positive,
            negative=negative,
            unlabeled=unlabeled,
            nan_policy=nan_policy,
            ranks="breakpoints",
        )
        cdf = tables.rank_cdf(ranking, beta, level=level, band=band)
        return plots.plot_rank_cdf(cdf, ax=ax, line_kws=line_kws, band_kws=band_kws)


def _with_baseline(beta: Beta) -> Beta:
    """Add the naive beta of 0 where it is not there."""
    betas = np.atleast_1d(np.asarray(beta))
    return beta if (betas == 0).any() else [0.0, *betas.tolist()]


def _summary(frame: pd.DataFrame) -> dict[str, str]:
    """Count what the default columns hold, or say how to name others."""
    try:
        ranking = rank_frame(frame, score="score", label="label", nan_policy="worst")
    except PUError as error:
        return {
            "not ready": str(error),
            "other columns": "df.pu.roc_bounds(beta=0.3, score='my_score', label='my_label')",
        }
    distinct, examples = ranking.rank.size - 1, sum(ranking.total)
    ties = "" if distinct == examples else f" in {examples:,} examples (ties share a cutoff)"
    return {
        "known positives": f"{ranking.total.known_positive:,}",
        "known negatives": f"{ranking.total.known_negative:,}",
        "unlabeled": f"{ranking.total.unlabeled:,}",
        "distinct scores": f"{distinct:,}{ties}",
    }
