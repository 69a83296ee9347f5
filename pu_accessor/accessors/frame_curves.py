"""A part of ``df.pu``: pictures of a frame's curves."""

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import xarray as xr

from pu_accessor.accessors.frame_tables import FrameTables
from pu_accessor.errors import PUValueError
from pu_accessor.inference import tables
from pu_accessor.inference.bands import Band
from pu_accessor.inference.betas import GroupBeta, is_by_key
from pu_accessor.inference.groups import ask
from pu_accessor.inference.shares import Beta, Interval, as_betas
from pu_accessor.ranking import Ranking, Ranks
from pu_accessor.sources.columns import Coding
from pu_accessor.sources.labels import Values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from seaborn import FacetGrid

__all__ = ["FrameCurves", "with_baseline"]


class FrameCurves(FrameTables):
    """Pictures of the curves of a frame, or of each of its groups."""

    def plot_roc(
        self,
        beta: GroupBeta,
        *,
        score: Hashable | list[Hashable] = "score",
        label: Hashable = "label",
        by: Hashable | list[Hashable] | None = None,
        propensity: Hashable | None = None,
        level: float = 0.95,
        band: str | Band = "exact",
        reference: str = "positives",
        beta_interval: Interval | None = None,
        ranks: Ranks = "breakpoints",
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
        on_error: str = "raise",
        progress: bool = False,
        hue: str | None = None,
        col: str | None = None,
        row: str | None = None,
        baseline: bool = False,
        ax: "Axes | None" = None,
        line_kws: Mapping[str, Any] | None = None,
        band_kws: Mapping[str, Any] | None = None,
    ) -> "Axes | FacetGrid":
        """Draw the ROC curve with its band.

        Parameters
        ----------
        beta : float, array-like of float, or mapping or Series of float by group
            Fraction of positives among the unlabeled, in [0, 1].
        score, label, by, propensity, level, band, reference, beta_interval
            As in `contingency`.
        positive, negative, unlabeled, nan_policy
            As in `contingency`.
        ranks : {"breakpoints", "all"} or array-like of int, default "breakpoints"
            As in `contingency`; only these cutoffs are drawn.
        on_error, progress
            As in `contingency`.
        hue, col, row : str, optional
            What colours, columns and rows of panels tell apart: "beta", "model" for a list of
            scores, or names of `by`. Where one is left, it gets the hues.
        baseline : bool, default False
            Add the dashed curve of beta = 0, which treats the unlabeled as negative.
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
        PUKeyError, PUValueError, PUTypeError
            As in `contingency`; also if beta = 1 leaves no negatives, or if a dimension has no
            hue, column or row.

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
            with_baseline(beta) if baseline else beta,
            score=score,
            label=label,
            by=by,
            propensity=propensity,
            level=level,
            band=band,
            reference=reference,
            beta_interval=beta_interval,
            ranks=ranks,
            positive=positive,
            negative=negative,
            unlabeled=unlabeled,
            nan_policy=nan_policy,
            on_error=on_error,
            progress=progress,
        )
        return plots.plot_roc(
            table, hue=hue, col=col, row=row, ax=ax, line_kws=line_kws, band_kws=band_kws
        )

    def plot_pr(
        self,
        beta: GroupBeta,
        *,
        score: Hashable | list[Hashable] = "score",
        label: Hashable = "label",
        by: Hashable | list[Hashable] | None = None,
        propensity: Hashable | None = None,
        level: float = 0.95,
        band: str | Band = "exact",
        reference: str = "positives",
        beta_interval: Interval | None = None,
        ranks: Ranks = "breakpoints",
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
        on_error: str = "raise",
        progress: bool = False,
        hue: str | None = None,
        col: str | None = None,
        row: str | None = None,
        baseline: bool = False,
        ax: "Axes | None" = None,
        line_kws: Mapping[str, Any] | None = None,
        band_kws: Mapping[str, Any] | None = None,
    ) -> "Axes | FacetGrid":
        """Draw the precision-recall curve with its band.

        Parameters
        ----------
        beta : float, array-like of float, or mapping or Series of float by group
            Fraction of positives among the unlabeled, in [0, 1].
        score, label, by, propensity, level, band, reference, beta_interval
            As in `contingency`.
        positive, negative, unlabeled, nan_policy
            As in `contingency`.
        ranks : {"breakpoints", "all"} or array-like of int, default "breakpoints"
            As in `contingency`; only these cutoffs are drawn.
        on_error, progress
            As in `contingency`.
        hue, col, row : str, optional
            What colours, columns and rows of panels tell apart: "beta", "model" for a list of
            scores, or names of `by`. Where one is left, it gets the hues.
        baseline : bool, default False
            Add the dashed curve of beta = 0, which treats the unlabeled as negative.
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
        PUKeyError, PUValueError, PUTypeError
            As in `contingency`; also if a dimension has no hue, column or row.

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
            with_baseline(beta) if baseline else beta,
            score=score,
            label=label,
            by=by,
            propensity=propensity,
            level=level,
            band=band,
            reference=reference,
            beta_interval=beta_interval,
            ranks=ranks,
            positive=positive,
            negative=negative,
            unlabeled=unlabeled,
            nan_policy=nan_policy,
            on_error=on_error,
            progress=progress,
        )
        return plots.plot_pr(
            table, hue=hue, col=col, row=row, ax=ax, line_kws=line_kws, band_kws=band_kws
        )

    def plot_rank_cdf(
        self,
        beta: GroupBeta,
        *,
        score: Hashable | list[Hashable] = "score",
        label: Hashable = "label",
        by: Hashable | list[Hashable] | None = None,
        propensity: Hashable | None = None,
        level: float = 0.95,
        band: str | Band = "exact",
        reference: str = "positives",
        ranks: Ranks = "breakpoints",
        positive: Values = None,
        negative: Values = None,
        unlabeled: Values = None,
        nan_policy: str = "raise",
        on_error: str = "raise",
        progress: bool = False,
        hue: str | None = None,
        col: str | None = None,
        row: str | None = None,
        ax: "Axes | None" = None,
        line_kws: Mapping[str, Any] | None = None,
        band_kws: Mapping[str, Any] | None = None,
    ) -> "Axes | FacetGrid":
        """Draw the rank CDF of the known positives, with the band of the latent ones around it.

        Parameters
        ----------
        beta : float, array-like of float, or mapping or Series of float by group
            Fraction of positives among the unlabeled, in [0, 1].
        score, label, by, propensity, level, band, reference
            As in `contingency`.
        positive, negative, unlabeled, nan_policy
            As in `contingency`.
        ranks : {"breakpoints", "all"} or array-like of int, default "breakpoints"
            As in `contingency`; only these cutoffs are drawn.
        on_error, progress
            As in `contingency`.
        hue, col, row : str, optional
            What colours, columns and rows of panels tell apart: "beta", "model" for a list of
            scores, or names of `by`. Where one is left, it gets the hues.
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
        PUKeyError, PUValueError, PUTypeError
            As in `contingency`; also if a dimension has no hue, column or row.

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

        def question(ranking: Ranking, beta: Beta) -> xr.Dataset:
            return tables.rank_cdf(ranking, beta, level=level, band=band, reference=reference)

        coding = Coding(positive, negative, unlabeled, nan_policy)
        rankings = self._rank(score, label, by, coding, ranks, propensity)
        cdf = ask(rankings, beta, question, on_error=on_error, progress=progress)
        return plots.plot_rank_cdf(
            cdf, hue=hue, col=col, row=row, ax=ax, line_kws=line_kws, band_kws=band_kws
        )


def with_baseline(beta: GroupBeta) -> GroupBeta:
    """Add the naive beta of 0 where it is not there.

    Parameters
    ----------
    beta : float or array-like of float
        Fractions of positives among the unlabeled.

    Returns
    -------
    float or array-like of float

    Raises
    ------
    PUValueError
        If each group has a beta of its own.
    """
    if is_by_key(beta):
        raise PUValueError(
            "baseline=True needs the same betas for all groups, but each has its own. Draw one "
            "group after the other: df[df['site'] == 'a'].pu.plot_roc(0.3, baseline=True, ax=ax)."
        )
    betas = as_betas(cast("Beta", beta))
    return betas if (betas == 0).any() else np.concatenate([[0.0], betas])
