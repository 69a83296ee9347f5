"""Plots that practice asks for: decision curves, cumulative gains, reliability diagrams."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from pu_accessor.plots.artists import (
    Curve,
    Path,
    band_label,
    draw_band,
    draw_chance,
    draw_curves,
    draw_envelope,
    draw_line,
    follow,
)
from pu_accessor.plots.layout import Drawing, draw_panels
from pu_accessor.plots.options import Options
from pu_accessor.ranking import FloatArray

_BELOW = 0.2  # how far a decision curve is followed below 0, by the highest point


def plot_net_benefit(benefits: xr.Dataset, options: Options) -> Drawing:
    """Draw decision curves: net benefit with its band, of treating all, and of treating none."""

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel="threshold probability", ylabel="net benefit")
        envelope = _envelope_of_benefits if "envelope" in benefits else None
        draw_curves(ax, curves, follow("threshold", "value"), options, benefits, envelope)
        _draw_defaults(ax, _not_naive(curves))
        tops = [np.max(line.get_ydata()) for line in ax.lines]
        tops += [area.get_xy()[:, 1].max() for area in ax.patches]  # type: ignore[attr-defined]
        top = max(float(max(tops)), 1e-3)
        ax.set(ylim=(-_BELOW * top, 1.05 * top))

    return draw_panels(benefits, draw, options, along="threshold")


def _draw_defaults(ax: Axes, curves: Sequence[Curve]) -> None:
    """Draw what treating all, and treating none, are worth."""
    colors = {tuple(curve.data["treat_all"].to_numpy().tolist()): curve.color for curve in curves}
    x = curves[0].data["threshold"].to_numpy().tolist()
    for treat_all, color in colors.items():
        style = {"color": color} if len(colors) > 1 else {}
        draw_chance(ax, x, [*treat_all], label="treat all", **style)
    draw_chance(ax, x[:: len(x) - 1], [0, 0], label="treat none", linestyle="-", linewidth=0.8)


def plot_gain(gains: xr.Dataset, options: Options) -> Drawing:
    """Draw cumulative gains: the share of positives found against that of examples looked at."""

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel="share of examples predicted positive", ylabel="share of positives found")
        envelope = _envelope_of_gains if "envelope_lower" in gains["bound"] else None
        draw_curves(ax, curves, follow("fraction", "gain"), options, gains, envelope)
        draw_chance(ax, [0, 1], [0, 1])
        prevalences = {float(curve.data["prevalence"]) for curve in _not_naive(curves)}
        for prevalence in sorted(prevalences):
            ends: tuple[list[float], list[float]] = [0, prevalence, 1], [0, 1, 1]
            draw_chance(ax, *ends, label="perfect", linestyle="-", linewidth=0.8)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))

    return draw_panels(gains, draw, options)


def plot_calibration(shares: xr.Dataset, options: Options) -> Drawing:
    """Draw reliability diagrams: shares of positives at the mean scores of bins, with limits."""
    dots = {"marker": "o", "markersize": 4, "markeredgecolor": "white", "markeredgewidth": 0.75}

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel="mean score", ylabel="share of positives")
        draw_chance(ax, [0, 1], [0, 1], label="calibrated")
        for curve in curves:
            for run in _runs(curve.data):
                part = curve._replace(data=run)
                if "envelope" in run:
                    (x, low), (_, high) = (_over_bins(run, side) for side in _sides(run))
                    draw_envelope(ax, part, x, (low, high), shares["interval_beta"].to_numpy())
                draw_band(ax, part, _trace_bins, options, band_label(shares))
            draw_line(ax, curve, follow("mean_score", "value"), {**dots, **options.line})
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))

    return draw_panels(shares, draw, options, along="bin")


def _runs(curve: xr.Dataset) -> list[xr.Dataset]:
    """Return the parts of a curve that are side by side, without empty bins between them."""
    left, right = curve["bin"].to_numpy(), curve["right"].to_numpy()
    starts = np.flatnonzero(np.append(True, left[1:] != right[:-1]))
    ends = np.append(starts[1:], left.size)
    return [
        curve.isel(bin=slice(start, end))
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]


def _not_naive(curves: Sequence[Curve]) -> Sequence[Curve]:
    """Return the curves without baselines, or these where there are no others."""
    return [curve for curve in curves if not curve.is_baseline] or curves


def _sides(curve: xr.Dataset) -> Path:
    """Return the lower and the upper side of an envelope."""
    low, high = curve["envelope"].transpose("side", ...).to_numpy()
    return low, high


def _envelope_of_benefits(curve: xr.Dataset) -> tuple[FloatArray, Path]:
    """Return thresholds, and the sides of the envelope there."""
    return curve["threshold"].to_numpy(), _sides(curve)


def _envelope_of_gains(curve: xr.Dataset) -> tuple[FloatArray, Path]:
    """Return shares of the examples, and the sides of the envelope there."""
    low, high = (curve["gain"].sel(bound=f"envelope_{side}") for side in ("lower", "upper"))
    return curve["fraction"].to_numpy(), (low.to_numpy(), high.to_numpy())


def _trace_bins(curve: xr.Dataset) -> Path:
    return _over_bins(curve, curve["value"].to_numpy())


def _over_bins(curve: xr.Dataset, values: FloatArray) -> Path:
    """Hold values over the width of their bins."""
    edges = np.stack([curve["bin"].to_numpy(), curve["right"].to_numpy()], axis=1)
    return edges.ravel(), np.repeat(values, 2)
