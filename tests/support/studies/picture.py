"""Draws each cell of each promise: ``docs/images/promises.png``."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from tests.support.studies.cells import PROMISES, Promise
from tests.support.studies.store import Measured
from tests.support.studies.summary import held

LOWEST = 0.83
NEW, OLD, EDGE = "#0072B2", "#BBBBBB", "#009E73"
_CLOSE = {"handlelength": 1.2, "columnspacing": 1.0, "handletextpad": 0.4, "fontsize": 10}


def draw(path: Path, rows: Sequence[Measured]) -> None:
    """Draw a dot for each cell; cells used to choose the method are grey, above the others."""
    shown = [promise for promise in PROMISES if any(row.promise == promise.name for row in rows)]
    figure, ax = plt.subplots(figsize=(6, 0.47 * len(shown) + 1), layout="constrained")
    for place, promise in enumerate(shown):
        _line(ax, place, promise, [row for row in rows if row.promise == promise.name])
    for color, text in ((NEW, "fresh cell"), (OLD, "cell used to choose the method")):
        ax.plot([], [], "o", color=color, markersize=4, label=text)
    ax.plot([], [], color=EDGE, linewidth=7, alpha=0.25, label="stated range")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, frameon=False, **_CLOSE)
    for place, promise in enumerate(shown):  # above its dots, legible on a phone
        ax.text(LOWEST, place - 0.44, promise.text.replace("`", ""), va="center", fontsize=9.5)
    ax.set(ylim=(len(shown) - 0.4, -0.8), xlim=(LOWEST, 1.002), yticks=[])
    ax.set_xlabel("coverage of 95% intervals (dots at the left edge: lower)")
    ax.spines[["top", "right", "left"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=144)
    plt.close(figure)


def _line(ax: Axes, place: int, promise: Promise, rows: Sequence[Measured]) -> None:
    low, high = promise.low, min(promise.high, 1.0)
    ax.fill_between([low, high], place - 0.25, place + 0.25, color=EDGE, alpha=0.18, linewidth=0)
    ax.plot([0.95, 0.95], [place - 0.25, place + 0.25], color="0.3", zorder=1)
    rng = np.random.default_rng(place)
    for chosen, middle, color in ((True, -0.12, OLD), (False, 0.12, NEW)):
        covers = np.array([held(promise, row) for row in rows if row.chosen is chosen])
        height = place + middle + rng.uniform(-0.1, 0.1, covers.size)
        inside = np.maximum(covers, LOWEST + 0.001)
        ax.scatter(inside, height, s=7, color=color, alpha=0.8, linewidths=0, clip_on=False)
