"""Numbers of many models with their intervals, one below the other."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.cbook import normalize_kwargs
from matplotlib.lines import Line2D

from pu_accessor.plots.artist_ids import Kind
from pu_accessor.plots.artists import Curve, Trace, draw_band, draw_line
from pu_accessor.plots.layout import Drawing, draw_panels
from pu_accessor.plots.marks import draw_chance
from pu_accessor.plots.names import tell_key, tell_quantity
from pu_accessor.plots.options import Look
from pu_accessor.plots.simplify import Path
from pu_accessor.plots.slices import PLACE

__all__ = ["plot_forest"]

_SHARE = 0.8  # of the height of a place, for all its hues
_THICK, _THIN = 0.06, 0.28  # half of an interval's bar, at most: in inches, and of its hue's part
_ROW = 0.24  # inches that a place takes, and ...
_HUE = 0.1  # ... each further hue in it
_EDGES = 1.2  # inches for labels above and below


def plot_forest(values: xr.Dataset, number: tuple[str, str], look: Look) -> Drawing:
    """Draw numbers as dots and their intervals as bars, a place below the other for each model."""
    look.check()
    dots = {"marker": "o", "linestyle": "none", "markersize": 6}
    dots |= normalize_kwargs(dict(look.line_kws or {}), Line2D)
    names = _write_names(values)
    about = {"population": "new examples", "examples": "these examples"}[values.attrs["target"]]
    interval = f"{100 * values.attrs['level']:.12g}% interval,\n{about}"

    def draw(ax: Axes, some: list[Curve]) -> None:
        hues = [curve for curve in some if not curve.is_baseline]
        step = _SHARE / max(len(hues), 1)
        if look.ax is None and not look.has_panels:
            _make_room(ax, len(names), len(hues))
        ax.set(xlabel=tell_quantity(number[0]) + number[1], ylabel="")
        half = min(_THIN * step, _THICK * len(names) / _inches(ax))
        for place, curve in enumerate(hues):
            shift = (place - (len(hues) - 1) / 2) * step
            bar = _bar(shift, half)
            alone = curve._replace(among=1)  # no bar lies over another
            for at in range(curve.data.sizes[PLACE]):
                row = curve.data.isel({PLACE: slice(at, at + 1)})
                label = f"{'_' * (at > 0)}{interval}"  # one bar stands for all in a legend
                draw_band(ax, alone._replace(data=row), bar, look.band_kws, label)
            draw_line(ax, curve, _dots(shift), dots)
        for curve in some:
            if curve.is_baseline:
                _draw_naive(ax, curve)
        if number[0] == "AUROC":
            draw_chance(ax, [0.5, 0.5], [-0.5, len(names) - 0.5])
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.tick_params(axis="y", length=0)

    return draw_panels(values, draw, look, along=PLACE)


def _write_names(values: xr.Dataset) -> list[str]:
    """Write the key of each place, and its beta where it has one of its own."""
    names = [tell_key(name) for name in values["name"].to_numpy().tolist()]
    if values["beta"].dims != (PLACE,):
        return names
    betas = values["beta"].to_numpy().tolist()
    return [f"{name}\nβ̂ = {beta:.3g}" for name, beta in zip(names, betas, strict=True)]


def _inches(ax: Axes) -> float:
    return float(ax.get_window_extent().height / ax.figure.dpi)


def _bar(shift: float, half: float) -> Trace:
    """Return how to get from a bound of one place to a side of its bar."""

    def trace(row: xr.Dataset) -> Path:
        y = row[PLACE].to_numpy() + shift
        return np.repeat(row["value"].to_numpy(), 2), np.concatenate([y - half, y + half])

    return trace


def _dots(shift: float) -> Trace:
    """Return how to get from a bound to its places."""

    def trace(curve: xr.Dataset) -> Path:
        return curve["value"].to_numpy(), curve[PLACE].to_numpy() + shift

    return trace


def _draw_naive(ax: Axes, curve: Curve) -> None:
    """Draw a cross where unlabeled examples are taken as negative."""
    x, y = _dots(0)(curve.data.sel(bound="estimate"))
    look: dict[str, Any] = {"color": curve.color, "marker": "x", "linestyle": "none"}
    ax.plot(x, y, label=curve.label, gid=Kind.BASELINE, zorder=3, **look)


def _make_room(ax: Axes, places: int, hues: int) -> None:
    """Make our figure higher where there are many places."""
    figure: Any = ax.get_figure(root=True)
    needed = places * (_ROW + _HUE * (hues - 1)) + _EDGES
    figure.set_figheight(max(figure.get_figheight(), needed))
