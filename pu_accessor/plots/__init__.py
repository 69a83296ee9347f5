"""Plots of Datasets and tidy frames, on Axes or a seaborn grid. Imported at the first plot."""

from pu_accessor.plots.curves import plot_curves
from pu_accessor.plots.legends import shared_legend
from pu_accessor.plots.options import Options, Palette, Style, check_options
from pu_accessor.plots.panels import Drawing
from pu_accessor.plots.tidy_frames import plot_rows

__all__ = [
    "Drawing",
    "Options",
    "Palette",
    "Style",
    "check_options",
    "plot_curves",
    "plot_rows",
    "shared_legend",
]
