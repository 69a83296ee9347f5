"""``df.pu``: what a frame holds, its bounds, and pictures of them."""

from collections.abc import Hashable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pu_accessor.accessors.frame_tables import FrameTables
from pu_accessor.errors import PUError, PUKeyError
from pu_accessor.inference import tables
from pu_accessor.inference.bands import Band
from pu_accessor.inference.tables import Beta
from pu_accessor.ranking import Ranks
from pu_accessor.sources.frames import rank_frame
from pu_accessor.sources.labels import Values

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FrameAccessor"]


class FrameAccessor(FrameTables):
    """``df.pu``: bounds on a ranking's performance, from known positives and unlabeled rows.

    Parameters
    ----------
    frame : DataFrame
        A row for each example, with a column of scores and one of labels.
    """

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

    def plot_roc(
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
        ranks : {"breakpoints", "all"} or array-like of int, default "breakpoints"
            As in `contingency`; only these cutoffs are drawn.
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
            ranks=ranks,
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
        ranks: Ranks = "breakpoints",
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
        ranks : {"breakpoints", "all"} or array-like of int, default "breakpoints"
            As in `contingency`; only these cutoffs are drawn.
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
            ranks=ranks,
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
        reference: str = "positives",
        ranks: Ranks = "breakpoints",
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
        score, label, level, band, reference, positive, negative, unlabeled, nan_policy
            As in `contingency`.
        ranks : {"breakpoints", "all"} or array-like of int, default "breakpoints"
            As in `contingency`; only these cutoffs are drawn.
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
            ranks=ranks,
        )
        cdf = tables.rank_cdf(ranking, beta, level=level, band=band, reference=reference)
        return plots.plot_rank_cdf(cdf, ax=ax, line_kws=line_kws, band_kws=band_kws)


def _with_baseline(beta: Beta) -> Beta:
    """Add the naive beta of 0 where it is not there."""
    betas = tables.as_betas(beta)
    return betas if (betas == 0).any() else np.concatenate([[0.0], betas])


def _summary(frame: pd.DataFrame) -> dict[str, str]:
    """Count what the default columns hold, or say what to do first."""
    example = "df.pu.roc_bounds(beta=0.3, score='my_score', label='my_label')"
    try:
        ranking = rank_frame(frame, score="score", label="label", nan_policy="worst")
    except PUKeyError as error:
        return {"not ready": str(error), "other columns": example}
    except PUError as error:
        return {"not ready": str(error)}
    missing = int(frame["score"].isna().sum())
    distinct, scored = ranking.rank.size - 1 - (missing > 0), len(frame) - missing
    ties = "" if distinct == scored else f" in {scored:,} scores (ties share a cutoff)"
    return {
        "known positives": f"{ranking.total.known_positive:,}",
        "known negatives": f"{ranking.total.known_negative:,}",
        "unlabeled": f"{ranking.total.unlabeled:,}",
        "distinct scores": f"{distinct:,}{ties}",
        **({"missing scores": f"{missing:,}: nan_policy='omit' or 'worst'"} if missing else {}),
    }
