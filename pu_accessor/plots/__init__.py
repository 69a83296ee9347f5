"""Plots: a Dataset -> matplotlib Axes, drawn with seaborn. Imported when something is drawn."""

from pu_accessor.plots.curves import plot_pr, plot_rank_cdf, plot_roc
from pu_accessor.plots.metrics import plot_metric
from pu_accessor.plots.sensitivity import plot_sensitivity

__all__ = ["plot_metric", "plot_pr", "plot_rank_cdf", "plot_roc", "plot_sensitivity"]
