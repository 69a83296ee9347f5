"""Plots: a Dataset -> Axes, or a grid of seaborn. Imported when something is drawn."""

from pu_accessor.plots.colors import Palette
from pu_accessor.plots.curves import (
    plot_calibration,
    plot_gain,
    plot_pr,
    plot_rank_cdf,
    plot_roc,
    plot_waves,
)
from pu_accessor.plots.layout import Drawing
from pu_accessor.plots.legends import shared_legend
from pu_accessor.plots.metrics import check_plot_metric, plot_metric
from pu_accessor.plots.options import Options, Style
from pu_accessor.plots.tables import plot_table
from pu_accessor.plots.values import (
    plot_against_beta,
    plot_beta_from_labels,
    plot_forest,
    plot_robustness,
    plot_strata,
)

__all__ = [
    "Drawing",
    "Options",
    "Palette",
    "Style",
    "check_plot_metric",
    "plot_against_beta",
    "plot_beta_from_labels",
    "plot_calibration",
    "plot_forest",
    "plot_gain",
    "plot_metric",
    "plot_pr",
    "plot_rank_cdf",
    "plot_robustness",
    "plot_roc",
    "plot_strata",
    "plot_table",
    "plot_waves",
    "shared_legend",
]
