"""A metric at each cutoff, with its band."""

from functools import partial

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from pu_accessor.errors import PUValueError, check_option
from pu_accessor.inference.tables.rates import Metric, check_metric, evaluate
from pu_accessor.plots.artists import (
    Curve,
    Path,
    Trace,
    band_label,
    check_baseline,
    draw_band,
    draw_envelope,
    draw_line,
    hold,
)
from pu_accessor.plots.layout import Drawing, Look, draw_panels
from pu_accessor.ranking import FloatArray
from pu_accessor.results.curves import metric
from pu_accessor.results.inner import inner_tables
from pu_accessor.results.schema import COUNTS, is_whole

__all__ = ["check_plot_metric", "plot_metric"]

_POINTS = 400  # at which a curve is drawn between cutoffs, more of them at the top
_AXES = {
    "rank": "examples predicted positive",
    "threshold": "threshold (lowest score predicted positive)",
    "fraction": "share of examples predicted positive",
}


def check_plot_metric(name: str | Metric, x: str) -> None:
    """Raise unless there is such a metric, and such an axis.

    Parameters
    ----------
    name : str or callable
        A metric.
    x : {"rank", "threshold", "fraction"}
        Where a cutoff stands.

    Raises
    ------
    PUValueError
        If there is not.
    """
    check_metric(name)
    check_option("x", x, _AXES, {"head": "rank", "score": "threshold", "share": "fraction"})


def plot_metric(tables: xr.Dataset, name: str | Metric, x: str, look: Look) -> Drawing:
    """Draw a metric at each cutoff: the estimate as a line, the area between the bounds filled.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn` over cutoffs, bound, beta and any other dimensions.
    name : str or callable
        As in `pu_accessor.results.curves.metric`.
    x : {"rank", "threshold", "fraction"}
        Where a cutoff stands: the number of examples predicted positive, the lowest score among
        them, or their share. Between two ranks the tables run straight; between two thresholds
        nothing changes.
    look : Look
        What hues and panels tell apart, and properties of artists.

    Returns
    -------
    matplotlib Axes or seaborn FacetGrid

    Raises
    ------
    PUKeyError, PUValueError, PUTypeError
        As in `plot_roc`; also if `x` is "threshold" and the tables are not those of all cutoffs.
    """
    check_plot_metric(name, x)
    values = metric(tables, name)
    if np.isnan(values.to_numpy()).all():
        raise PUValueError(f"There is nothing to draw: {values.name} has no value at any cutoff.")
    look.check()
    check_baseline(tables, look.baseline)
    if x == "threshold":
        _check_thresholds(tables)
    # A name is evaluated between cutoffs, too; a function is not asked for what is no table.
    dense = name if isinstance(name, str) and x != "threshold" else None
    ranks = partial(_trace_ranks, name=dense, share=x == "fraction")
    trace = _trace_thresholds if x == "threshold" else ranks

    def draw(ax: Axes, some: list[Curve]) -> None:
        for curve in some:
            if "interval_tp" in curve.data:
                interval = curve.data.attrs["beta_interval"]
                draw_envelope(ax, curve, *_envelope(curve.data, name, trace), interval)
            draw_band(ax, curve, trace, look.band_kws, band_label(tables))
            draw_line(ax, curve, trace, look.line_kws)
        ax.set(xlabel=_AXES[x], ylabel=str(values.name).replace("_", " "))

    inner = [name for name in ("interval_tp", "interval_positives") if name in tables]
    drawn = tables[[*COUNTS, *inner]]
    value = values.sel(bound=tables["bound"]).transpose(*tables["tp"].dims)
    drawn = drawn.assign(value=value.variable)  # without coordinates: there is nothing to align
    return draw_panels(drawn, draw, look)


def _envelope(tables: xr.Dataset, name: str | Metric, trace: Trace) -> tuple[FloatArray, Path]:
    """Return where the envelope stands, and the lowest and highest that any bound gets to."""
    inner = inner_tables(tables)
    if inner is None:
        raise PUValueError("An envelope needs an interval of beta: beta_interval=(0.2, 0.4).")
    inner = inner.assign(value=metric(inner, name))
    if "threshold" in tables.coords:
        inner = inner.assign_coords(threshold=tables["threshold"].variable)
    paths = [
        trace(inner.isel(bound=bound, beta=beta))
        for bound in range(inner.sizes["bound"])
        for beta in range(inner.sizes["beta"])
    ]
    x = max((x for x, _ in paths), key=len)  # a beta without any value has no path
    every = [y for _, y in paths if y.size == x.size]
    return x, (np.min(every, axis=0), np.max(every, axis=0))


def _check_thresholds(tables: xr.Dataset) -> None:
    """Raise unless the thresholds of all cutoffs are known."""
    every = bool(np.all(tables.coords.get("all_cutoffs", True)))
    if not (every and is_whole(tables) and "threshold" in tables.coords):
        raise PUValueError(
            "x='threshold' needs the tables of all cutoffs and their thresholds, but some are "
            "missing. Make them with ranks='all', and select after drawing."
        )


def _trace_ranks(tables: xr.Dataset, name: str | None, share: bool) -> Path:
    """Follow a metric along straight lines of the counts, or from cutoff to cutoff."""
    counts = [tables[key].to_numpy().astype(np.float64) for key in COUNTS]
    whole = sum(count[0] for count in counts)
    ranks = counts[0] + counts[1]  # not those of the axis that it shares with other groups
    ranks, first = np.unique(ranks, return_index=True)
    if name is None:
        x, y = ranks, tables["value"].to_numpy()[first].astype(np.float64)
    else:
        x = _between(ranks)
        if name == "precision":  # at rank 0 it is 1 by convention only: drawn, it would be a spike
            x = x[x > 0]
        y = evaluate(name, *(np.interp(x, ranks, count[first]) for count in counts))
    return _finite(x / whole if share else x, y)


def _between(ranks: FloatArray) -> FloatArray:
    """Add points between cutoffs."""
    more = np.concatenate(
        [np.linspace(ranks[0], ranks[-1], _POINTS), np.geomspace(1, max(ranks[-1], 1), _POINTS)]
    )
    return np.union1d(ranks, more[(more >= ranks[0]) & (more <= ranks[-1])])


def _trace_thresholds(tables: xr.Dataset) -> Path:
    """Hold a metric from each threshold down to the next."""
    threshold = tables["threshold"].to_numpy()
    there = np.isfinite(threshold)
    x, y = hold(threshold[there], tables["value"].to_numpy()[there].astype(np.float64))
    return _finite(x[::-1], y[::-1])


def _finite(x: FloatArray, y: FloatArray) -> Path:
    """Leave out where there is no value, as at rank 0 for most ratios."""
    return x[np.isfinite(y)], y[np.isfinite(y)]
