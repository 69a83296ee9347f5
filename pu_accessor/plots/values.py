"""Numbers with their intervals: against beta, against selection odds, and one below the other."""

from itertools import combinations
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from pu_accessor.datasets.slices import PLACE
from pu_accessor.datasets.values import order_changes
from pu_accessor.errors import PUValueError
from pu_accessor.plots import artists
from pu_accessor.plots.artists import TARGETS, Curve, Kind, Path, Trace
from pu_accessor.plots.colors import ink
from pu_accessor.plots.layout import Drawing, draw_panels
from pu_accessor.plots.options import Options
from pu_accessor.ranking import FloatArray

_EMPTY = 0.5  # of the heights of bands, that a picture may have below them
_APART = 0.12  # of the axis, for labels of ticks
_SHARE = 0.8  # of the height of a row of a forest, for all its hues
_THICK, _THIN = 0.06, 0.28  # half of an interval's bar, at most: in inches, and of its hue's part
_ROW = 0.24  # inches that a row takes, and ...
_HUE = 0.1  # ... each further hue in it
_EDGES = 1.2  # inches for labels above and below
# How labels may fail, and what stands along the axis then.
_FAILURES = {
    "selection_odds": "factor by which odds of being labeled differ, at most",
    "contamination": "share of the known positives that is negative, at most",
}


# Against beta


def plot_against_beta(values: xr.Dataset, options: Options) -> Drawing:
    """Draw an area, or a metric at a rank, against beta, with its band.

    Where the estimates of two models swap their order, a cross marks it. The betas at
    which a model's band is impossible are shaded, with a strip in its hue. A vertical line marks
    the upper limit on beta that the known positives set, where it is within the picture.
    """
    if values["beta"].ndim > 1:
        raise PUValueError(
            "plot_against_beta needs the same betas for all groups, but each has its own. Pass an "
            "array: beta=[0.1, 0.2, 0.3]."
        )
    at, level = values.attrs.get("at"), values.attrs.get("level")
    ylabel = artists.write_quantity(str(values.attrs["long_name"]))
    ylabel = ylabel if at is None else f"{ylabel} among the top {at:,}"
    limit_label = f"{'' if level is None else f'{100 * level:.12g}% '}upper limit on β̂"

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel="β̂ (share of positives among the unlabeled)", ylabel=ylabel)
        artists.draw_curves(ax, curves, artists.follow("beta", "value"), options, values)
        for first, second in combinations(curves, 2):
            x, y = order_changes(first.data, second.data)
            if x.size:
                artists.draw_cross(ax, x, y, Kind.CHANGE, "order changes", ink(ax))
        for curve in curves:
            betas = curve.data["beta"].to_numpy()
            artists.draw_infeasible(ax, betas, curve.data["infeasible"].to_numpy(), curve.color)
            limit = float(curve.data.coords.get("beta_limit", np.nan))
            artists.draw_limit(ax, limit, curve.color, limit_label)

    return draw_panels(values, draw, options, along="beta")


# Against selection odds


def plot_robustness(values: xr.Dataset, options: Options) -> Drawing:
    """Draw a number against how far labels may fail: by a factor of the odds, or a share of them.

    The inner band has what the estimate can be, the outer one its interval. A cross marks from
    where on the conclusion does not always hold.
    """
    above = float(values.attrs["above"])
    interval = f"{100 * values.attrs['level']:.12g}% interval"
    label = artists.band_label(values) if "band" in values.attrs else interval
    along = next(name for name in _FAILURES if name in values.dims)
    steps = values[along].to_numpy()
    value, reached = artists.follow(along, "value"), artists.follow(along, "range")

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel=_FAILURES[along])
        ax.set(ylabel=artists.write_quantity(str(values.attrs["long_name"])))
        for curve in curves:
            artists.draw_band(ax, curve, value, options, label)
            if "range" in values:
                artists.draw_band(ax, curve, reached, options, "range of the estimate", density=2)
            artists.draw_line(ax, curve, value, options.line)
        low, high = ax.dataLim.intervaly
        if low - above < _EMPTY * (high - low):
            artists.draw_chance(ax, [steps[0], steps[-1]], [above, above], label=f"{above:g}")
        else:
            holds = f"above {above:g} throughout"
            ax.annotate(holds, (0.03, 0.03), xycoords="axes fraction", fontsize="small")
        for curve in curves:
            _draw_break(ax, float(curve.data["breaking_point"]), above, curve.color)
        if along == "contamination":
            return
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(FixedLocator(_ticks(steps)))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:.3g}"))
        ax.xaxis.set_minor_locator(NullLocator())

    return draw_panels(values, draw, options, along=along)


def _draw_break(ax: Axes, odds: float, above: float, color: Any) -> None:
    """Mark the factor at which a conclusion breaks, where it is within the picture."""
    if np.isfinite(odds) and odds <= ax.dataLim.x1:
        artists.draw_cross(ax, [odds], [above], Kind.BREAK, "conclusion breaks", color)
        style: dict[str, Any] = {"color": color, "ha": "center", "fontsize": "small"}
        ax.annotate(f"{odds:.3g}", (odds, above), (0, 7), textcoords="offset points", **style)


def _ticks(odds: FloatArray) -> list[float]:
    """Return factors from the highest down that stand apart on a logarithmic axis."""
    ticks = [float(odds[-1])]
    least = (odds[-1] / odds[0]) ** _APART
    for factor in odds[::-1].tolist():
        if ticks[-1] / factor >= least:
            ticks.append(factor)
    return ticks[::-1]


# One below the other


def plot_forest(values: xr.Dataset, number: tuple[str, str], options: Options) -> Drawing:
    """Draw numbers as dots and their intervals as bars, a row below the other for each model."""
    names = _write_names(values)
    about = TARGETS[values.attrs["target"]]
    interval = f"{100 * values.attrs['level']:.12g}% interval,\n{about}"

    def draw(ax: Axes, curves: list[Curve]) -> None:
        _draw_rows(ax, curves, names, interval, options)
        ax.set(xlabel=artists.write_quantity(number[0]) + number[1])
        for curve in curves:
            if curve.is_baseline:
                artists.draw_naive(ax, curve, _dots(0))
        if number[0] == "AUROC":
            artists.draw_chance(ax, [0.5, 0.5], [-0.5, len(names) - 0.5])

    return draw_panels(values, draw, options, along=PLACE)


def plot_strata(shares: xr.Dataset, options: Options) -> Drawing:
    """Draw the known share of strata as dots, and what random labels leave of it as bars."""
    names = [artists.write_key(name) for name in shares["name"].to_numpy().tolist()]
    interval = f"left by random labels\n({100 * shares.attrs['level']:.12g}%, all strata)"

    def draw(ax: Axes, curves: list[Curve]) -> None:
        _draw_rows(ax, curves, names, interval, options)
        ax.set(xlabel="known positives, as a share of rows that may be positive")
        caps = {float(curve.data["cap"]): curve.color for curve in curves}
        for cap, color in caps.items():
            style = {"color": color} if len(caps) > 1 else {}
            ends, label = [-0.5, len(names) - 0.5], "known share of\nall positives"
            artists.draw_chance(ax, [cap, cap], ends, label=label, **style)

    return draw_panels(shares, draw, options, along=PLACE)


def _draw_rows(
    ax: Axes, curves: list[Curve], names: list[str], interval: str, options: Options
) -> None:
    """Draw dots and bars, a row below the other for each name."""
    hues = [curve for curve in curves if not curve.is_baseline]
    step = _SHARE / max(len(hues), 1)
    if options.ax is None and not options.has_panels:
        _make_room(ax, len(names), len(hues))
    inches = ax.get_window_extent().height / ax.figure.dpi
    half = min(_THIN * step, _THICK * len(names) / inches)
    for index, curve in enumerate(hues):
        shift = (index - (len(hues) - 1) / 2) * step
        rows = [curve.data.isel({PLACE: [row]}) for row in range(curve.data.sizes[PLACE])]
        artists.draw_bars(ax, curve, rows, _side_of_bar(shift, half), options, interval)
        artists.draw_dots(ax, curve, _dots(shift), options)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_ylabel("")
    ax.tick_params(axis="y", length=0)


def _write_names(values: xr.Dataset) -> list[str]:
    """Write the key of each row, and its beta where it has one of its own."""
    names = [artists.write_key(name) for name in values["name"].to_numpy().tolist()]
    if values["beta"].dims != (PLACE,):
        return names
    betas = values["beta"].to_numpy().tolist()
    return [f"{name}\nβ̂ = {beta:.3g}" for name, beta in zip(names, betas, strict=True)]


def _side_of_bar(shift: float, half: float) -> Trace:
    """Return how to get from a bound of one row to a side of its bar."""

    def trace(row: xr.Dataset) -> Path:
        y = row[PLACE].to_numpy() + shift
        return np.repeat(row["value"].to_numpy(), 2), np.concatenate([y - half, y + half])

    return trace


def _dots(shift: float) -> Trace:
    """Return how to get from a bound to its rows."""

    def trace(curve: xr.Dataset) -> Path:
        return curve["value"].to_numpy(), curve[PLACE].to_numpy() + shift

    return trace


def _make_room(ax: Axes, rows: int, hues: int) -> None:
    """Make our figure higher where there are many rows."""
    figure: Any = ax.get_figure(root=True)
    needed = rows * (_ROW + _HUE * (hues - 1)) + _EDGES
    figure.set_figheight(max(figure.get_figheight(), needed))
