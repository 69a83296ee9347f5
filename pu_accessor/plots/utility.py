"""Pictures that practice asks for: decision curves, cumulative gains, reliability diagrams."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.cbook import normalize_kwargs
from matplotlib.lines import Line2D

from pu_accessor.datasets.schema import COUNTS
from pu_accessor.plots.artists import (
    Curve,
    band_label,
    check_baseline,
    draw_band,
    draw_envelope,
    draw_line,
)
from pu_accessor.plots.layout import Drawing, draw_panels
from pu_accessor.plots.marks import draw_chance
from pu_accessor.plots.metrics import plot_metric
from pu_accessor.plots.options import Look
from pu_accessor.plots.simplify import Path
from pu_accessor.ranking import FloatArray

__all__ = ["plot_calibration", "plot_decision", "plot_gain"]

_BELOW = 0.2  # how far a decision curve is followed below 0, by the highest point


def plot_decision(curves: xr.Dataset, look: Look) -> Drawing:
    """Draw decision curves: net benefit with its band, of treating all, and of treating none."""
    look.check()
    check_baseline(curves, look.baseline)

    def draw(ax: Axes, some: list[Curve]) -> None:
        ax.set(xlabel="threshold probability", ylabel="net benefit")
        for curve in some:
            if "envelope" in curve.data:
                x = curve.data["threshold"].to_numpy()
                low, high = curve.data["envelope"].transpose("side", "threshold").to_numpy()
                draw_envelope(ax, curve, x, (low, high), curves["interval_beta"].to_numpy())
            draw_band(ax, curve, _trace, look.band_kws, band_label(curves))
            draw_line(ax, curve, _trace, look.line_kws)
        _draw_defaults(ax, [curve for curve in some if not curve.is_baseline] or some)
        tops = [np.max(line.get_ydata()) for line in ax.lines]
        tops += [area.get_xy()[:, 1].max() for area in ax.patches]  # type: ignore[attr-defined]
        top = max(float(max(tops)), 1e-3)
        ax.set(ylim=(-_BELOW * top, 1.05 * top))

    return draw_panels(curves, draw, look, along="threshold")


def plot_gain(tables: xr.Dataset, look: Look) -> Drawing:
    """Draw cumulative gains: the share of positives found against that of examples looked at."""
    return plot_metric(tables, "recall", "fraction", look, beside=_draw_best_and_chance)


def _draw_best_and_chance(ax: Axes, some: list[Curve]) -> None:
    """Draw what chance finds, and what finds all positives first."""
    draw_chance(ax, [0, 1], [0, 1])
    prevalences = set()
    for curve in [curve for curve in some if not curve.is_baseline] or some:
        tp, fp, fn, tn = (float(curve.data[name].to_numpy()[0, 0]) for name in COUNTS)
        prevalences.add((tp + fn) / (tp + fp + fn + tn))
    for prevalence in sorted(prevalences):
        ends: tuple[list[float], list[float]] = [0, prevalence, 1], [0, 1, 1]
        draw_chance(ax, *ends, label="perfect", linestyle="-", linewidth=0.8)
    ax.set(ylabel="share of positives found", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))


def _draw_defaults(ax: Axes, some: list[Curve]) -> None:
    """Draw what treating all, and treating none, are worth."""
    worth = {tuple(curve.data["treat_all"].to_numpy().tolist()): curve.color for curve in some}
    x = some[0].data["threshold"].to_numpy().tolist()
    for height, hue in worth.items():
        own = {"color": hue} if len(worth) > 1 else {}
        draw_chance(ax, x, [*height], label="treat all", **own)
    draw_chance(ax, x[:: len(x) - 1], [0, 0], label="treat none", linestyle="-", linewidth=0.8)


def _trace(curve: xr.Dataset) -> Path:
    return curve["threshold"].to_numpy(), curve["value"].to_numpy()


def plot_calibration(curves: xr.Dataset, look: Look) -> Drawing:
    """Draw reliability diagrams: shares of positives at the mean scores of bins, with limits."""
    look.check()
    check_baseline(curves, look.baseline)
    dots = {"marker": "o", "markersize": 4, **normalize_kwargs(dict(look.line_kws or {}), Line2D)}

    def draw(ax: Axes, some: list[Curve]) -> None:
        ax.set(xlabel="mean score", ylabel="share of positives")
        draw_chance(ax, [0, 1], [0, 1], label="calibrated")
        for curve in some:
            for run in _runs(curve.data):
                part = curve._replace(data=run)
                if "envelope" in run:
                    low, high = run["envelope"].transpose("side", "bin").to_numpy()
                    ends = _over_bins(run, low), _over_bins(run, high)
                    betas = curves["interval_beta"].to_numpy()
                    draw_envelope(ax, part, ends[0][0], (ends[0][1], ends[1][1]), betas)
                draw_band(ax, part, _trace_bins, look.band_kws, band_label(curves))
            draw_line(ax, curve, _trace_means, dots)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))

    return draw_panels(curves, draw, look, along="bin")


def _runs(curve: xr.Dataset) -> list[xr.Dataset]:
    """Return the parts of a curve that are side by side, without empty bins between them."""
    left, right = curve["bin"].to_numpy(), curve["right"].to_numpy()
    starts = np.flatnonzero(np.append(True, left[1:] != right[:-1]))
    ends = np.append(starts[1:], left.size)
    return [
        curve.isel(bin=slice(start, end))
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]


def _over_bins(curve: xr.Dataset, values: FloatArray) -> Path:
    """Hold values over the width of their bins."""
    edges = np.stack([curve["bin"].to_numpy(), curve["right"].to_numpy()], axis=1)
    return edges.ravel(), np.repeat(values, 2)


def _trace_bins(curve: xr.Dataset) -> Path:
    return _over_bins(curve, curve["value"].to_numpy())


def _trace_means(curve: xr.Dataset) -> Path:
    return curve["mean_score"].to_numpy(), curve["value"].to_numpy()
