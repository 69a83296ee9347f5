"""Plots: a Dataset -> matplotlib Axes, drawn with seaborn. Imported when something is drawn."""

from pu_accessor.plots.against_beta import plot_against_beta
from pu_accessor.plots.against_odds import plot_robustness
from pu_accessor.plots.artists import Style
from pu_accessor.plots.colors import Palette
from pu_accessor.plots.curves import plot_pr, plot_rank_cdf, plot_roc
from pu_accessor.plots.forest import plot_forest
from pu_accessor.plots.layout import Drawing
from pu_accessor.plots.metrics import check_plot_metric, plot_metric
from pu_accessor.plots.options import Look
from pu_accessor.plots.utility import plot_calibration, plot_decision, plot_gain

__all__ = [
    "Drawing",
    "Look",
    "Palette",
    "Style",
    "check_plot_metric",
    "plot_against_beta",
    "plot_calibration",
    "plot_decision",
    "plot_forest",
    "plot_gain",
    "plot_metric",
    "plot_pr",
    "plot_rank_cdf",
    "plot_robustness",
    "plot_roc",
]
