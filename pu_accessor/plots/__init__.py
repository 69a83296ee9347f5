"""Plots: a Dataset, or a tidy frame -> Axes, or a grid of seaborn. Imported when one is drawn."""

from pu_accessor.plots.curves import (
    check_metric,
    plot_metric_curve,
    plot_pr,
    plot_rank_cdf,
    plot_roc,
)
from pu_accessor.plots.looks import Looks, Palette, Style, check_looks
from pu_accessor.plots.panels import Drawing, shared_legend
from pu_accessor.plots.rows import plot_calibration, plot_forest, plot_rows

__all__ = [
    "Drawing",
    "Looks",
    "Palette",
    "Style",
    "check_looks",
    "check_metric",
    "plot_calibration",
    "plot_forest",
    "plot_metric_curve",
    "plot_pr",
    "plot_rank_cdf",
    "plot_roc",
    "plot_rows",
    "shared_legend",
]
