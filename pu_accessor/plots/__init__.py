"""Plots: a Dataset, or a tidy frame -> Axes, or a grid of seaborn. Imported when one is drawn."""

from pu_accessor.plots.curves import impossible, plot_curves
from pu_accessor.plots.looks import Looks, Palette, Style, check_looks
from pu_accessor.plots.panels import Drawing, shared_legend
from pu_accessor.plots.rows import plot_rows

__all__ = [
    "Drawing",
    "Looks",
    "Palette",
    "Style",
    "check_looks",
    "impossible",
    "plot_curves",
    "plot_rows",
    "shared_legend",
]
