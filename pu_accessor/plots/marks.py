"""Marks beside the curves: chance, limits on beta, and where something changes or breaks."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from pu_accessor.plots.artist_ids import Kind
from pu_accessor.plots.colors import ground, ink
from pu_accessor.ranking import FloatArray

__all__ = ["draw_break", "draw_chance", "draw_change", "draw_infeasible", "draw_limit"]


def draw_chance(ax: Axes, x: list[float], y: list[float], **style: Any) -> None:
    """Draw what a ranking by chance does, dotted."""
    ours = {
        "color": ink(ax, 0.6),
        "label": "chance",
        "linestyle": ":",
        "linewidth": 1,
        "zorder": 1,
    }
    ax.plot(x, y, gid=Kind.CHANCE, **{**ours, **style})


def draw_limit(ax: Axes, beta: float, color: Any, label: str) -> None:
    """Mark the limit on beta that a model's known positives set, if it is within the picture."""
    if ax.dataLim.x0 <= beta <= ax.dataLim.x1:
        look: dict[str, Any] = {"color": color, "linestyle": "-.", "linewidth": 1.1, "zorder": 2.5}
        top: dict[str, Any] = {"marker": "v", "markevery": [1], "markersize": 7, "clip_on": False}
        ax.axvline(beta, label=label, gid=Kind.LIMIT, **look, **top)


def draw_change(ax: Axes, x: FloatArray, y: FloatArray) -> None:
    """Mark where two models swap their order."""
    if x.size:
        look: dict[str, Any] = {"color": ink(ax), "marker": "X", "markeredgecolor": ground(ax)}
        place: dict[str, Any] = {"linestyle": "none", "markersize": 8, "zorder": 4}
        ax.plot(x, y, label="order changes", gid=Kind.CHANGE, **look, **place)


def draw_break(ax: Axes, odds: float, above: float, color: Any) -> None:
    """Mark the factor at which a conclusion breaks, where it is within the picture."""
    if np.isfinite(odds) and odds <= ax.dataLim.x1:
        look: dict[str, Any] = {"color": color, "marker": "X", "markeredgecolor": ground(ax)}
        place: dict[str, Any] = {"linestyle": "none", "markersize": 9, "zorder": 4}
        ax.plot([odds], [above], label="conclusion breaks", gid=Kind.BREAK, **look, **place)
        style: dict[str, Any] = {
            "textcoords": "offset points",
            "ha": "center",
            "fontsize": "small",
        }
        ax.annotate(f"{odds:.3g}", (odds, above), (0, 7), color=color, **style)


def draw_infeasible(ax: Axes, start: FloatArray, end: FloatArray, color: Any) -> None:
    """Shade the betas at which a model's band is impossible; a strip at the foot says whose."""
    strips = sum(patch.get_gid() == Kind.BEYOND for patch in ax.patches)
    for left, right in zip(start.tolist(), end.tolist(), strict=True):
        faint = (*to_rgb(color), 0.06)
        ax.axvspan(left, right, facecolor=faint, linewidth=0, zorder=0, gid=Kind.SHADE)
        strip: dict[str, Any] = {"facecolor": (*to_rgb(color), 0.4), "edgecolor": color}
        foot = ax.axvspan(left, right, 0.03 * strips, 0.03 * (strips + 1), hatch="///", **strip)
        foot.set(label="β̂ too high for the band", gid=Kind.BEYOND, linewidth=0, zorder=1)
