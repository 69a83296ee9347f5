"""``df.pu``: what a frame holds, its bounds, and pictures of them."""

from html import escape

import pandas as pd

from pu_accessor.accessors.frame_comparison import FrameComparison
from pu_accessor.accessors.frame_curves import FrameCurves
from pu_accessor.accessors.frame_estimates import FrameEstimates
from pu_accessor.accessors.frame_metrics import FrameMetrics
from pu_accessor.accessors.frame_prior import FramePrior
from pu_accessor.errors import PUError, PUKeyError
from pu_accessor.sources.columns import Coding
from pu_accessor.sources.frames import rank_frame

__all__ = ["FrameAccessor"]


class FrameAccessor(FrameEstimates, FrameCurves, FrameMetrics, FrameComparison, FramePrior):
    """``df.pu``: bounds on a ranking's performance, from known positives and unlabeled rows.

    Parameters
    ----------
    frame : DataFrame
        A row for each example, with a column of scores and one of labels.
    """

    def __repr__(self) -> str:
        summary = self._summary()
        width = max(len(name) for name in summary)
        lines = (f"{name:<{width}}  {text}" for name, text in summary.items())
        return "\n".join(["<df.pu>", *lines])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align: left'>{escape(name)}</th><td>{escape(text)}</td></tr>"
            for name, text in self._summary().items()
        )
        return f"<table><caption>df.pu</caption>{rows}</table>"

    def _summary(self) -> dict[str, str]:
        """Count what the default columns hold, and the groups."""
        groups = self._groups(None)
        of = (
            {}
            if groups is None
            else {"groups": f"{len(groups.keys):,}: {', '.join(groups.names)}"}
        )
        return {**_summary(self._frame), **of}


def _summary(frame: pd.DataFrame) -> dict[str, str]:
    """Count what the default columns hold, or say what to do first."""
    example = "df.pu.roc_bounds(beta=0.3, score='my_score', label='my_label')"
    try:
        coding = Coding(nan_policy="worst")
        ranking = rank_frame(frame, score="score", label="label", coding=coding).make(0)
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
