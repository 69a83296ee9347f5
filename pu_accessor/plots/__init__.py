"""Plots: a Dataset -> matplotlib Axes, drawn with seaborn. Imported when something is drawn."""

from pu_accessor.plots.curves import plot_pr, plot_rank_cdf, plot_roc

__all__ = ["plot_pr", "plot_rank_cdf", "plot_roc"]
