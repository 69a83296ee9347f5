"""Draws each cell of each promise: ``docs/images/promises.png``."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from tests.studies.cells import PROMISES, Promise
from tests.studies.pages import held
from tests.studies.store import Measured

LOWEST = 0.83
NEW, OLD, EDGE = "#0072B2", "#BBBBBB", "#009E73"


def draw(path: Path, rows: Sequence[Measured]) -> None:
    """Draw dots for each promise: what was looked at before in grey, above the others."""
    shown = [promise for promise in PROMISES if any(row.promise == promise.name for row in rows)]
    figure, ax = plt.subplots(figsize=(9.6, 0.42 * len(shown) + 1.1), layout="constrained")
    for place, promise in enumerate(shown):
        _line(ax, place, promise, [row for row in rows if row.promise == promise.name])
    for color, text in ((NEW, "not looked at before"), (OLD, "the method was chosen on")):
        ax.plot([], [], "o", color=color, markersize=4, label=text)
    ax.plot([], [], color=EDGE, linewidth=7, alpha=0.25, label="promised")
    ax.legend(loc="lower center", bbox_to_anchor=(0.4, 1), ncols=3, frameon=False, fontsize=9)
    ax.axvline(0.95, color="0.3", linewidth=0.8, zorder=0)
    ax.set_yticks(range(len(shown)), [promise.text.replace("`", "") for promise in shown])
    ax.set(ylim=(len(shown) - 0.5, -0.5), xlim=(LOWEST, 1.002))
    ax.set_xlabel("coverage of a cell; at the left edge: lower still")
    ax.tick_params(axis="y", length=0, labelsize=9)
    ax.spines[["top", "right", "left"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _line(ax: Axes, place: int, promise: Promise, rows: Sequence[Measured]) -> None:
    low, high = promise.low, min(promise.high, 1.0)
    ax.fill_between([low, high], place - 0.4, place + 0.4, color=EDGE, alpha=0.18, linewidth=0)
    rng = np.random.default_rng(place)
    for chosen, middle, color in ((True, -0.2, OLD), (False, 0.2, NEW)):
        covers = np.array([held(promise, row) for row in rows if row.chosen is chosen])
        height = place + middle + rng.uniform(-0.13, 0.13, covers.size)
        inside = np.maximum(covers, LOWEST + 0.001)
        ax.scatter(inside, height, s=7, color=color, alpha=0.8, linewidths=0, clip_on=False)
