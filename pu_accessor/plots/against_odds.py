"""A number against the factor of the odds, and where a conclusion breaks."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from pu_accessor.plots.artists import Curve, Trace, band_label, draw_band, draw_line
from pu_accessor.plots.layout import Drawing, draw_panels
from pu_accessor.plots.marks import draw_break, draw_chance
from pu_accessor.plots.names import tell_quantity
from pu_accessor.plots.options import Look
from pu_accessor.plots.simplify import Path
from pu_accessor.ranking import FloatArray

__all__ = ["plot_robustness"]

_APART = 0.12  # of the axis, for labels of ticks


def plot_robustness(values: xr.Dataset, look: Look) -> Drawing:
    """Draw a number against the factor by which odds of being labeled may differ.

    The inner band has what the estimate can be, the outer one its interval. A cross marks the
    factor from which on the conclusion does not hold for every selection.
    """
    look.check()
    above = float(values.attrs["above"])
    label = band_label(values)
    if "band" not in values.attrs:
        label = f"{100 * values.attrs['level']:.12g}% interval"
    odds = values["selection_odds"].to_numpy()

    def draw(ax: Axes, some: list[Curve]) -> None:
        ax.set(xlabel="factor by which odds of being labeled differ, at most")
        ax.set(ylabel=tell_quantity(str(values.attrs["long_name"])))
        for curve in some:
            draw_band(ax, curve, _trace("value"), look.band_kws, label)
            if "range" in values:
                draw_band(ax, curve, _trace("range"), look.band_kws, "range of the estimate")
            draw_line(ax, curve, _trace("value"), look.line_kws)
        draw_chance(ax, [odds[0], odds[-1]], [above, above], label=f"{above:g}")
        for curve in some:
            place = float(curve.data["breaking_point"])
            draw_break(ax, place, above, curve.color)
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(FixedLocator(_ticks(odds)))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:.3g}"))
        ax.xaxis.set_minor_locator(NullLocator())

    return draw_panels(values, draw, look, along="selection_odds", legend="outside")


def _ticks(odds: FloatArray) -> list[float]:
    """Return factors from the highest down that stand apart on a logarithmic axis."""
    kept = [float(odds[-1])]
    least = (odds[-1] / odds[0]) ** _APART
    for one in odds[::-1].tolist():
        if kept[-1] / one >= least:
            kept.append(one)
    return kept[::-1]


def _trace(name: str) -> Trace:
    """Return how to get from one bound of a curve to x and y."""

    def trace(curve: xr.Dataset) -> Path:
        values = curve[name].to_numpy()
        there = np.isfinite(values)
        return curve["selection_odds"].to_numpy()[there], values[there]

    return trace
