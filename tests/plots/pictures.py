"""Rows to draw, and what pictures of them hold, read back from their artists."""

import re
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from tests.cases import binormal, legend_of

RNG = np.random.default_rng(6)
FRAME, _, TRUTH = binormal(60, 180, 0.5, seed=5)
for number in range(12):
    noisy = FRAME["score"] + (0.1 + number / 4) * RNG.normal(size=len(FRAME))
    FRAME[f"model {number}"] = 1 / (1 + np.exp(1 - noisy))
MODELS = [name for name in FRAME.columns if name.startswith("model")]
FRAME["score"] = (1 / (1 + np.exp(1 - FRAME["score"]))).round(2)  # of which some are tied
FRAME["p"] = np.where(FRAME["label"] == 1, RNG.uniform(0.3, 1, len(FRAME)), np.nan)
FRAME["kinds"] = FRAME["label"].mask(~TRUTH & (np.arange(len(FRAME)) % 5 == 0), False)
FRAME["site"] = np.where(RNG.random(len(FRAME)) < 0.6, "a", "b")
BOUNDS, KINDS = ("estimate", "lower", "upper"), ("positives", "negatives", "tightest")
BAND, NAIVE = "95% band, pointwise", "β = 0 (unlabeled as negative)"


CALLS: dict[str, dict[str, Any]] = {
    "plot_roc": {"baseline": True},
    "plot_pr": {"baseline": True},
    "plot_rank_cdf": {},
    "over beta": {"metric": "average_precision", "x": "beta", "beta": [0.0, 0.2, 0.4, 0.6]},
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


def path(line: Line2D) -> Any:
    """Return the vertices of a line."""
    return np.asarray(line.get_xydata(), dtype=np.float64)


def at(ax: Axes, label: str) -> Any:
    """Return the vertices of the one line of a label."""
    said = ((line, str(line.get_label()).split("  ")[0]) for line in ax.lines)  # without areas
    (line,) = (line for line, name in said if name == label or name.endswith(f", {label}"))
    return path(line)


def extent(ax: Axes, patch: Any) -> Any:
    """Return left, right, bottom and top of a patch, as data."""
    box = patch.get_extents().transformed(ax.transData.inverted())
    return np.array([box.x0, box.x1, box.y0, box.y1])


def texts(legend: Any) -> list[str]:
    """Return what a legend says without areas, its title first."""
    each = [legend.get_title(), *legend.get_texts()]
    return [text.get_text().split("  ")[0] for text in each]


def written(*values: Any) -> str:
    """Write numbers with three digits, and all else as it is."""
    return " ".join(
        f"{round(x, 9) + 0.0:.3g}" if isinstance(x, int | float) else str(x) for x in values
    )


def look(ax: Axes, one: Any) -> str:
    """Describe a line or an area: its kind, colours, layer and style, and where it is."""
    if isinstance(one, Line2D):
        style: list[Any] = [to_hex(one.get_color()), one.get_linestyle(), one.get_linewidth()]
        if (marker := one.get_marker()) != "None":
            inks = to_hex(one.get_markerfacecolor()), to_hex(one.get_markeredgecolor())
            style += [marker, one.get_markersize(), one.get_markeredgewidth(), *inks]
        where = [*path(one)[0].tolist(), "to", *path(one)[-1].tolist()]
    else:
        style = [to_hex(one.get_facecolor(), True), to_hex(one.get_edgecolor(), True)]
        style += [one.get_linewidth()]
        where = extent(ax, one).tolist()
    kind = str(one.get_gid()).removeprefix("pu_accessor ")
    return f"{kind} {one.get_label()!r} {written(*style)} at {written(*where)}, {one.get_zorder()}"


def describe(drawing: Any) -> list[str]:
    """Describe a picture line by line: axes, what is drawn on them, and the legend."""
    told = []
    for ax in getattr(drawing, "axes_dict", {"": drawing}).values():
        limits = [*ax.get_xlim(), ax.get_xscale(), *ax.get_ylim(), ax.get_yscale()]
        says = [ax.get_title(), ax.get_xlabel(), ax.get_ylabel()]
        says += [text.get_text() for text in ax.get_yticklabels() if text.get_text()[:1].isalpha()]
        told.append(f"axes {says} {written(*limits, ax.get_box_aspect())}")
        drawn = [one for one in (*ax.lines, *ax.patches) if str(one.get_label())[:2] != "_9"]
        looks = dict.fromkeys(look(ax, one) for one in drawn)  # without more bars of a curve
        for _, alike in groupby(looks, lambda text: re.split("[: ]", text)[0]):
            first, *more = alike
            told += [first, *more[-1:]]  # the legend has the colours of those between
        for text in ax.texts:
            place = *text.get_position(), text.get_fontsize(), text.get_ha(), text.get_va()
            told.append(f"text {text.get_text()!r} {written(*place, to_hex(text.get_color()))}")
    size = written(*drawing.figure.get_size_inches().tolist())
    if (box := legend_of(drawing)) is None:
        return [f"figure {size}, no legend", *told]
    title, *names = [text.get_text() for text in (box.get_title(), *box.get_texts())]
    face = to_hex(box.get_frame().get_facecolor(), True)
    sizes = {text.get_fontsize() for text in (box.get_title(), *box.get_texts())}
    legend = f"figure {size}, legend {title!r} {written(*sizes, face, box.get_gid() or box._loc)}:"
    for name, handle in zip(names, box.legend_handles, strict=True):
        ink = handle.get_color() if isinstance(handle, Line2D) else handle.get_facecolor()
        legend += f" {name!r} {to_hex(ink, True)}"
    return [legend, *told]
