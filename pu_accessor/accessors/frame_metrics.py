"""A part of ``df.pu``: pictures of metrics and areas, at each cutoff and against beta."""

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import xarray as xr

from pu_accessor.accessors.frame_curves import with_baseline
from pu_accessor.accessors.frame_tables import FrameTables
from pu_accessor.inference.bands import Band
from pu_accessor.inference.betas import GroupBeta
from pu_accessor.inference.groups import ask
from pu_accessor.inference.metrics import Metric
from pu_accessor.inference.shares import Beta, Interval
from pu_accessor.inference.tables import contingency
from pu_accessor.ranking import Ranking, Ranks
from pu_accessor.sources.columns import Coding
from pu_accessor.sources.labels import Values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from seaborn import FacetGrid

__all__ = ["FrameMetrics"]


class FrameMetrics(FrameTables):
    """Pictures of the metrics and areas of a frame, or of each of its groups."""

    def plot_metric(
        self,
        name: str | Metric,
        beta: GroupBeta,
        *,
        x: str = "rank",
        score: Hashable | list[Hashable] = "score",
        label: Hashable = "label",
        by: Hashable | list[Hashable] | None = None,
        propensity: Hashable | None = None,
        level: float = 0.95,
        band: str | Band = "exact",
        reference: str = "positives",
        beta_interval: Interval | None = None,
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
        """Draw a metric at each cutoff with its band, such as precision among the top k.

        Parameters
        ----------
        name : str or callable
            As in ``ds.pu.metric``: "precision", "f1", ..., or a function of tp, fp, fn, tn.
        beta : float, array-like of float, or mapping or Series of float by group
            Fraction of positives among the unlabeled, in [0, 1].
        x : {"rank", "threshold", "fraction"}, default "rank"
            Where a cutoff stands: the number of examples predicted positive, the lowest score
            among them, or their share of all.
        score, label, by, propensity, level, band, reference, beta_interval
            As in `contingency`.
        positive, negative, unlabeled, nan_policy
            As in `contingency`.
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
        >>> ax = df.pu.plot_metric("precision", beta=0.5)
        >>> ax.get_xlabel(), ax.get_ylabel()
        ('examples predicted positive', 'precision')
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
            ranks="all" if x == "threshold" or callable(name) else "breakpoints",
            positive=positive,
            negative=negative,
            unlabeled=unlabeled,
            nan_policy=nan_policy,
            on_error=on_error,
            progress=progress,
        )
        return plots.plot_metric(
            table,
            name,
            x=x,
            hue=hue,
            col=col,
            row=row,
            ax=ax,
            line_kws=line_kws,
            band_kws=band_kws,
        )

    def plot_sensitivity(
        self,
        name: str | Metric,
        beta: Beta,
        *,
        at: int | None = None,
        score: Hashable | list[Hashable] = "score",
        label: Hashable = "label",
        by: Hashable | list[Hashable] | None = None,
        propensity: Hashable | None = None,
        level: float = 0.95,
        band: str | Band = "exact",
        reference: str = "positives",
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
        """Draw an area, or a metric at a rank, against beta, and where models swap places.

        A cross marks where the central estimates of two models swap their order. Shaded, with a
        strip in its hue, are the betas that are too high for a model: at some cutoff even the most
        favourable bound asks for more latent positives than there are unlabeled examples. The band
        holds at each cutoff, not at all at once: now and then that happens at the true beta, too.
        A vertical line marks the upper limit on beta that `estimate_beta` sets at this level; no
        warning says that some of the betas are above.

        Parameters
        ----------
        name : str or callable
            "roc" or "pr" for the area under that curve, or a metric as in ``ds.pu.metric``.
        beta : array-like of float
            Fractions of positives among the unlabeled, in [0, 1]: a grid of two or more.
        at : int, optional
            For a metric: the number of examples predicted positive.
        score, label, by, propensity, level, band, reference
            As in `contingency`.
        positive, negative, unlabeled, nan_policy
            As in `contingency`.
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

        Notes
        -----
        As long as no cutoff of the central estimate is clipped, beta does not change the order of
        two models, unlike [1]_ says. With AUC the area that takes all unlabeled examples as
        negative, the central AUROC is (AUC - b/2)/(1 - b), where b is the share of latent
        positives among all that are not known to be positive: it grows with AUC at every beta.
        Precision at each cutoff is P/n times that at beta = 0, for n of P positives known, at the
        same recall: without known negatives the area under the precision-recall curve is so, too.
        Orders change where beta is so high that cutoffs are clipped, first at the top of the
        ranking and long before the band itself is impossible; that under the precision-recall
        curve, which is made there, changes first.

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
        >>> ax = df.pu.plot_sensitivity("roc", beta=[0, 0.2, 0.4])
        >>> ax.get_ylabel()
        'AUROC'
        """
        from pu_accessor import plots

        coding = Coding(positive, negative, unlabeled, nan_policy)

        def question(ranking: Ranking, beta: Beta) -> xr.Dataset:
            return contingency(ranking, beta, level=level, band=band, reference=reference)

        def tables(ranks: Ranks) -> xr.Dataset:
            rankings = self._rank(score, label, by, coding, ranks, propensity)
            return ask(rankings, beta, question, on_error=on_error, progress=progress, warn=False)

        whole = tables("breakpoints")
        return plots.plot_sensitivity(
            whole if at is None else tables(at),
            name,
            at=at,
            whole=whole,
            hue=hue,
            col=col,
            row=row,
            ax=ax,
            line_kws=line_kws,
            band_kws=band_kws,
        )
