"""The bounded 2 x 2 table at one cutoff, as people print confusion matrices."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from pu_accessor.datasets.schema import COUNTS
from pu_accessor.datasets.slices import PLACE
from pu_accessor.plots.artists import Curve, Kind, band_label
from pu_accessor.plots.colors import ground, luminance
from pu_accessor.plots.layout import Drawing, draw_panels
from pu_accessor.plots.options import Options

_CELLS: Mapping[str, tuple[int, int]] = {"tp": (0, 0), "fn": (1, 0), "fp": (0, 1), "tn": (1, 1)}
_BETA = "β̂"  # the dimension of tables at several betas
_DENSEST = 0.85  # of a hue, in a cell that has all of its row


def plot_table(cells: xr.Dataset, options: Options) -> Drawing:
    """Draw the four counts at one cutoff with their limits; a panel for each table."""

    def draw(ax: Axes, curves: list[Curve]) -> None:
        limits = band_label(cells).replace("\n", " ")
        ax.set(xlabel=f"predicted,{cells.attrs['cutoff']}\n[{limits}]", ylabel="true")
        for curve in curves:
            _draw_cells(ax, curve, options.band)
        ax.set(xticks=(0, 1), yticks=(0, 1), xlim=(-0.5, 1.5), ylim=(1.5, -0.5))
        ax.set_xticklabels(["positive", "negative"])
        ax.set_yticklabels(["positive", "negative"], rotation="vertical", va="center")
        ax.tick_params(length=0)

    if cells["beta"].ndim == 1:  # a table of beta = 0 is no baseline of the others
        names = [f"{beta:.4g}" for beta in cells["beta"].to_numpy().tolist()]
        cells = cells.assign_coords({_BETA: ("beta", names)}).swap_dims(beta=_BETA)
    return draw_panels(cells, draw, _apart(cells, options), along=PLACE)


def _apart(cells: xr.Dataset, options: Options) -> Options:
    """Give each dimension along which there are several tables columns, or rows, of panels."""
    named = {name: _BETA if dim == "beta" else dim for name, dim in options.dimensions.items()}
    several = [str(dim) for dim, size in cells["value"].sizes.items() if size > 1]
    left = [dim for dim in several if dim not in (PLACE, "bound", *named.values())]
    free = [name for name in ("col", "row") if name not in named]
    panels: dict[str, Any] = {**named, **dict(zip(free, left, strict=False))}
    return replace(options, **panels)


def _draw_cells(ax: Axes, curve: Curve, style: Mapping[str, Any]) -> None:
    """Draw a cell for each count, denser the larger its share of its row."""
    counts = curve.data["value"].transpose("place", "bound").to_numpy()
    estimates = dict(zip(COUNTS, counts[:, 1].tolist(), strict=True))
    for name, (low, estimate, high) in zip(COUNTS, counts.tolist(), strict=True):
        x, y = _CELLS[name]
        row = sum(estimates[other] for other, place in _CELLS.items() if place[1] == y)
        density = _DENSEST * estimate / row if row else 0.0
        face = (1 - density) * np.array(ground(ax)) + density * np.array(to_rgb(curve.color))
        properties = {"facecolor": face, "edgecolor": "none", "gid": Kind.CELL, **style}
        ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, **properties))
        limits = f"[{min(low, high):,.0f}, {max(low, high):,.0f}]"
        color = "white" if luminance(face) < 0.5 else "black"
        ax.text(x, y, f"{estimate:,.0f}\n{limits}", ha="center", va="center", color=color)
