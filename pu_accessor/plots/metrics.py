"""A metric at each cutoff, with its band."""

from functools import partial

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from pu_accessor.checks import check_option
from pu_accessor.datasets.curves import between_cutoffs, metric
from pu_accessor.datasets.schema import COUNTS, check_thresholds, is_on_new
from pu_accessor.datasets.slices import visible
from pu_accessor.errors import PUValueError
from pu_accessor.inference.metrics import AnyMetric, read_metric
from pu_accessor.plots.artists import (
    Curve,
    Path,
    draw_curves,
    draw_infeasible,
    hold,
    write_quantity,
)
from pu_accessor.plots.layout import Drawing, draw_panels
from pu_accessor.plots.options import Options
from pu_accessor.ranking import FloatArray

_POINTS = 400  # at which a curve is drawn between cutoffs, and as many close to the top
_AXES = {
    "rank": "examples predicted positive",
    "threshold": "threshold (lowest score predicted positive)",
    "fraction": "share of examples predicted positive",
}


def check_plot_metric(name: AnyMetric, x: str) -> None:
    """Raise unless there is such a metric, and such an axis."""
    read_metric(name, None, "tables")
    check_option("x", x, _AXES, {"head": "rank", "score": "threshold", "share": "fraction"})


def plot_metric(tables: xr.Dataset, name: AnyMetric, x: str, options: Options) -> Drawing:
    """Draw a metric at each cutoff: the estimate as a line, the area between the bounds filled."""
    check_plot_metric(name, x)
    inner: list[str] = []
    if x == "threshold":
        check_thresholds(tables)
    tables = visible(tables)
    values = metric(tables.drop_vars(inner), name)
    if np.isnan(values.to_numpy()).all():
        raise PUValueError(f"There is nothing to draw: {values.name} has no value at any cutoff.")
    trace = partial(_trace, name=name, x=x)

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel=_AXES[x], ylabel=write_quantity(str(values.name)))
        draw_curves(ax, curves, trace, options, tables)
        for curve in curves:
            if "clipped" in drawn and not curve.is_baseline:
                _draw_cut(ax, curve, x)

    drawn = tables[[key for key in (*COUNTS, "clipped", *inner) if key in tables]]
    drawn = drawn.assign(value=values.variable)  # without coordinates: there is nothing to align
    return draw_panels(drawn, draw, options)


def _draw_cut(ax: Axes, curve: Curve, x: str) -> None:
    """Shade where both bounds are cut to one value."""
    ends = curve.data.sel(bound=["lower", "upper"])
    same = ends["tp"].max("bound") == ends["tp"].min("bound")
    infeasible = (ends["clipped"].all("bound") & same).to_numpy()
    if not infeasible.any():
        return
    along = ends["threshold"] if x == "threshold" else (ends["tp"] + ends["fp"]).max("bound")
    places = along.to_numpy().astype(np.float64)
    if x == "fraction":
        places /= places[-1]
    known = np.flatnonzero(np.isfinite(places))
    order = known[np.argsort(places[known], kind="stable")]
    draw_infeasible(ax, places[order], infeasible[order], curve.color)


def _trace(tables: xr.Dataset, name: AnyMetric, x: str) -> Path:
    """Follow a metric: held down to the next threshold, or along straight lines of the counts."""
    values = tables["value"].to_numpy().astype(np.float64)
    if x == "threshold":
        return _hold(tables, values)
    counts = [tables[count].to_numpy().astype(np.float64) for count in COUNTS]
    ranks = tables["rank"].to_numpy() if is_on_new(tables) else counts[0] + counts[1]
    own, more = between_cutoffs(tables, _POINTS)
    if isinstance(name, str):
        own = np.union1d(own, more)
        values = read_metric(name, None, "tables")(
            *(np.interp(own, ranks, count) for count in counts)
        )
    else:  # a function is not asked for what is no table
        values = values[np.unique(ranks, return_index=True)[1]]
    return own / _scale(tables, x), values


def _hold(tables: xr.Dataset, values: FloatArray) -> Path:
    """Hold values from each threshold down to the next."""
    threshold = tables["threshold"].to_numpy()
    known = np.isfinite(threshold)
    along, held = hold(threshold[known], values[known])
    return along[::-1], held[::-1]


def _scale(tables: xr.Dataset, x: str) -> float:
    """Return what ranks are divided by: the number of examples, for their share."""
    return sum(float(tables[count][0]) for count in COUNTS) if x == "fraction" else 1.0
