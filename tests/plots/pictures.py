"""Rows to draw, and what pictures of them hold, read back from their artists."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from tests.cases import binormal

RNG = np.random.default_rng(6)
FRAME, _, TRUTH = binormal(60, 180, 0.5, seed=5)
for number in range(12):
    noisy = FRAME["score"] + (0.1 + number / 4) * RNG.normal(size=len(FRAME))
    FRAME[f"model {number}"] = 1 / (1 + np.exp(1 - noisy))
MODELS = [name for name in FRAME.columns if name.startswith("model")]
FRAME["score"] = (1 / (1 + np.exp(1 - FRAME["score"]))).round(2)  # of which some are tied
FRAME["p"] = np.where(FRAME["label"] == 1, RNG.uniform(0.3, 1, len(FRAME)), np.nan)
FRAME["kinds"] = FRAME["label"].mask(~TRUTH & (np.arange(len(FRAME)) % 5 == 0), 0)
FRAME["site"] = np.where(RNG.random(len(FRAME)) < 0.6, "a", "b")
BAND, NAIVE = "95% band, pointwise", "β = 0 (unlabeled as negative)"


CALLS: dict[str, dict[str, Any]] = {
    "plot_roc": {"baseline": True},
    "plot_pr": {"baseline": True},
    "plot_rank_cdf": {},
    "plot_metric": {"metric": "npv"},
    "over beta": {"metric": "average_precision", "x": "beta", "beta": [0.0, 0.2, 0.4, 0.6]},
    "over odds": {"metric": "precision", "x": "selection_odds", "at": 40},
    "gains": {"metric": "recall", "x": "fraction"},
    "net benefit": {"metric": "net_benefit", "x": "threshold"},
    "plot_calibration": {"bins": 4},
    "plot_forest": {"metric": "auroc", "baseline": True},
}


def draw(plot: str, models: int = 1, rows: pd.DataFrame = FRAME, **keywords: Any) -> Any:
    """Draw one of these for some models."""
    score = MODELS[3] if models == 1 else [*rows.filter(like="model")][:models]
    method = plot if plot.startswith("plot_") else "plot_metric"
    return getattr(rows.pu(score=score), method)(**{"beta": 0.2, **CALLS[plot], **keywords})


def of_kind(ax: Axes, kind: str) -> list[Any]:
    """Return the artists of a kind, by their group ids."""
    gid = f"pu_accessor {kind}"
    return [one for one in (*ax.lines, *ax.patches) if str(one.get_gid()).startswith(gid)]


def curves(ax: Axes) -> list[Line2D]:
    return of_kind(ax, "curve")


def bands(ax: Axes) -> list[Polygon]:
    return of_kind(ax, "band")


def lines(ax: Axes, label: str) -> list[Line2D]:
    return [line for line in ax.lines if line.get_label() == label]


def path(line: Line2D) -> Any:
    """Return the vertices of a line."""
    return np.asarray(line.get_xydata(), dtype=np.float64)


def at(ax: Axes, label: str) -> Any:
    """Return the vertices of the one line of a label."""
    (line,) = lines(ax, label)
    return path(line)


def extent(ax: Axes, patch: Any) -> Any:
    """Return left, right, bottom and top of a patch, as data."""
    box = patch.get_extents().transformed(ax.transData.inverted())
    return np.array([box.x0, box.x1, box.y0, box.y1])


def colors(ax: Axes) -> list[str]:
    return [to_hex(line.get_color()) for line in curves(ax)]


def texts(legend: Any) -> list[str]:
    """Return what a legend says, its title first."""
    return [legend.get_title().get_text(), *(text.get_text() for text in legend.get_texts())]


def placed(**ranks: Any) -> pd.DataFrame:
    """Return 220 rows and models that put 20 known positives at some ranks, from 1."""
    frame = pd.DataFrame({"label": np.where(np.arange(220) < 20, 1, np.nan)})
    for model, places in ranks.items():
        rest = np.setdiff1d(np.arange(1, 221), places)
        frame[model] = -np.concatenate([places, rest])
    return frame
