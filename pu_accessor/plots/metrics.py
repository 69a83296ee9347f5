"""A metric at each cutoff, with its band."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from pu_accessor.checks import check_option
from pu_accessor.datasets.curves import interval_tables, metric
from pu_accessor.datasets.schema import COUNTS, INTERVAL, axis_of, counts_of, is_on_new, is_whole
from pu_accessor.errors import PUValueError
from pu_accessor.inference.quantities import read_quantity
from pu_accessor.inference.tables.metrics import Metric, evaluate
from pu_accessor.plots.artists import (
    Curve,
    Path,
    Trace,
    draw_curves,
    draw_infeasible,
    hold,
    visible,
    write_quantity,
)
from pu_accessor.plots.layout import Drawing, draw_panels
from pu_accessor.plots.options import Options
from pu_accessor.ranking import FloatArray

# From some tables, their ranks, and ranks between those to values there.
_Between: TypeAlias = Callable[[xr.Dataset, FloatArray, FloatArray], FloatArray]

_BLOCK = 20_000  # cutoffs whose tables at all betas within an interval are held at once
_POINTS = 400  # at which a curve is drawn between cutoffs, more of them at the top
_AXES = {
    "rank": "examples predicted positive",
    "threshold": "threshold (lowest score predicted positive)",
    "fraction": "share of examples predicted positive",
}


def check_plot_metric(name: str | Metric, x: str) -> None:
    """Raise unless there is such a metric, and such an axis."""
    read_quantity(name, None, "tables")
    check_option("x", x, _AXES, {"head": "rank", "score": "threshold", "share": "fraction"})


def plot_metric(tables: xr.Dataset, name: str | Metric, x: str, options: Options) -> Drawing:
    """Draw a metric at each cutoff: the estimate as a line, the area between the bounds filled."""
    check_plot_metric(name, x)
    inner = [key for key in INTERVAL if key in tables]
    if x == "threshold":
        _check_thresholds(tables)
    tables = visible(tables)
    values = metric(tables.drop_vars(inner), name)
    if np.isnan(values.to_numpy()).all():
        raise PUValueError(f"There is nothing to draw: {values.name} has no value at any cutoff.")
    trace = _tracer(name, x, partial(_evaluate_between, name=name))
    envelope = partial(_envelope, name=name, x=x) if inner else None

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel=_AXES[x], ylabel=write_quantity(str(values.name)))
        draw_curves(ax, curves, trace, options, tables, envelope)
        for curve in curves:
            if "clipped" in drawn and not curve.is_baseline:
                _draw_cut(ax, curve, x)

    drawn = tables[[key for key in (*COUNTS, "clipped", *inner) if key in tables]]
    drawn = drawn.assign(value=values.variable)  # without coordinates: there is nothing to align
    return draw_panels(drawn, draw, options)


def _draw_cut(ax: Axes, curve: Curve, x: str) -> None:
    """Shade where both bounds are cut to one value."""
    ends = curve.data.sel(bound=["lower", "upper"])
    same = ends["tp"].isel(bound=0) == ends["tp"].isel(bound=1)
    infeasible = (ends["clipped"].all("bound") & same).to_numpy()
    if not infeasible.any():
        return
    along = ends["threshold"] if x == "threshold" else (ends["tp"] + ends["fp"]).isel(bound=0)
    places = along.to_numpy().astype(np.float64)
    if x == "fraction":
        places /= places[-1]
    known = np.flatnonzero(np.isfinite(places))
    order = known[np.argsort(places[known], kind="stable")]
    draw_infeasible(ax, places[order], infeasible[order], curve.color)


def _envelope(tables: xr.Dataset, name: str | Metric, x: str) -> tuple[FloatArray, Path]:
    """Return where the envelope stands, and the lowest and highest that any bound gets to."""
    axis = axis_of(tables.dims)
    starts = range(0, tables.sizes[axis], _BLOCK)
    blocks = [_inner(tables.isel({axis: slice(start, start + _BLOCK)}), name) for start in starts]
    paths = []
    for side, at_cutoffs in enumerate(np.concatenate(blocks, axis=1)):
        trace = _tracer(name, x, partial(_inner_between, name=name, side=side))
        paths.append(trace(tables.assign(value=(axis, at_cutoffs))))
    (along, low), (_, high) = paths
    known = np.isfinite(low)  # not at rank 0, for most ratios
    return along[known], (low[known], high[known])


def _inner(
    tables: xr.Dataset, name: str | Metric, view: Callable[[FloatArray], FloatArray] = np.asarray
) -> FloatArray:
    """Return the lowest and highest of a metric at betas within the interval, at some cutoffs.

    Before that, counts are seen through `view`, along their first axis, that of the cutoffs.
    """
    inner = interval_tables(tables, kinks=view is np.asarray)
    if inner is None:
        raise PUValueError(
            "An envelope needs an interval of beta: beta_interval=(0.2, 0.4).",
            page="beta#an-interval-and-a-limit",
        )
    values = evaluate(name, *(view(count.to_numpy()) for count in counts_of(inner)))
    values = np.where(np.isfinite(values), values, np.nan)
    ends: FloatArray = np.stack([side.reduce(values, axis=(1, 2)) for side in (np.fmin, np.fmax)])
    return ends


def _inner_between(
    tables: xr.Dataset, ranks: FloatArray, between: FloatArray, name: str | Metric, side: int
) -> FloatArray:
    """Return what bounds get to between cutoffs."""

    def view(counts: FloatArray) -> FloatArray:
        return np.apply_along_axis(lambda count: np.interp(between, ranks, count), 0, counts)

    ends: FloatArray = _inner(tables, name, view)[side]
    return ends


def _check_thresholds(tables: xr.Dataset) -> None:
    """Raise unless the thresholds of all cutoffs are known."""
    every = bool(np.all(tables.coords.get("all_cutoffs", True)))
    if not (every and is_whole(tables) and "threshold" in tables.coords):
        raise PUValueError(
            "x='threshold' needs the tables of all cutoffs and their thresholds, but some are "
            "missing. Make them with ranks='all', and select after drawing."
        )


def _tracer(name: str | Metric, x: str, between: _Between) -> Trace:
    """Return how to follow the values of a metric."""
    if x == "threshold":
        return _trace_thresholds
    # A name is evaluated between cutoffs, too; a function is not asked for what is no table.
    dense = between if isinstance(name, str) else None
    return partial(_trace_ranks, between=dense, share=x == "fraction")


def _trace_ranks(tables: xr.Dataset, between: _Between | None, share: bool) -> Path:
    """Follow a metric along straight lines of the counts, or from cutoff to cutoff."""
    first_bound = tables.isel(bound=0) if "bound" in tables.dims else tables
    counts = [first_bound[key].to_numpy() for key in COUNTS]
    whole = sum(float(count[0]) for count in counts)
    # Not the ranks of the axis that it shares with other groups.
    x = counts[0].astype(np.float64) + counts[1]
    if is_on_new(tables):
        x = tables["rank"].to_numpy().astype(np.float64)
    if not (x[1:] > x[:-1]).all():
        x, first = np.unique(x, return_index=True)
        tables = tables.isel({axis_of(tables.dims): first})
    y = tables["value"].to_numpy().astype(np.float64)
    if between is not None:
        x, y = _fill(tables, x, y, between)
    return x / whole if share else x, y


def _fill(tables: xr.Dataset, ranks: FloatArray, values: FloatArray, between: _Between) -> Path:
    """Add points between cutoffs."""
    more = np.concatenate(
        [np.linspace(ranks[0], ranks[-1], _POINTS), np.geomspace(1, max(ranks[-1], 1), _POINTS)]
    )
    more = np.unique(more[(more >= ranks[0]) & (more <= ranks[-1])])
    nearest = np.searchsorted(ranks, more)
    is_new = ranks[nearest] != more
    more, nearest = more[is_new], nearest[is_new]
    if more.size:
        around = np.union1d(nearest - 1, nearest)
        cutoffs = tables.isel({axis_of(tables.dims): around})
        values = np.insert(values, nearest, between(cutoffs, ranks[around], more))
        ranks = np.insert(ranks, nearest, more)
    return ranks, values


def _evaluate_between(
    tables: xr.Dataset, ranks: FloatArray, between: FloatArray, name: str | Metric
) -> FloatArray:
    """Evaluate a metric where counts run straight from cutoff to cutoff."""
    return evaluate(name, *(np.interp(between, ranks, tables[key].to_numpy()) for key in COUNTS))


def _trace_thresholds(tables: xr.Dataset) -> Path:
    """Hold a metric from each threshold down to the next."""
    threshold = tables["threshold"].to_numpy()
    known = np.isfinite(threshold)
    x, y = hold(threshold[known], tables["value"].to_numpy()[known].astype(np.float64))
    return x[::-1], y[::-1]
