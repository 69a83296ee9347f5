"""A metric at each cutoff, with its band."""

from functools import partial

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from pu_accessor.errors import PUValueError, check_option
from pu_accessor.inference.metrics import Metric, metric
from pu_accessor.inference.tables import COUNTS
from pu_accessor.plots.artists import (
    Curve,
    Path,
    Style,
    band_label,
    check_baseline,
    check_styles,
    draw_band,
    draw_line,
)
from pu_accessor.plots.layout import Drawing, Layout, draw_panels
from pu_accessor.ranking import FloatArray

__all__ = ["plot_metric"]

_POINTS = 400  # at which a curve is drawn between cutoffs, more of them at the top
_AXES = {
    "rank": "examples predicted positive",
    "threshold": "threshold (lowest score predicted positive)",
    "fraction": "share of examples predicted positive",
}


def plot_metric(
    tables: xr.Dataset,
    name: str | Metric,
    *,
    x: str = "rank",
    hue: str | None = None,
    col: str | None = None,
    row: str | None = None,
    baseline: bool = False,
    ax: Axes | None = None,
    line_kws: Style = None,
    band_kws: Style = None,
) -> Drawing:
    """Draw a metric at each cutoff: the estimate as a line, the area between the bounds filled.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn` over (rank, bound, beta) and any other dimensions.
    name : str or callable
        As in `pu_accessor.inference.metrics.metric`.
    x : {"rank", "threshold", "fraction"}, default "rank"
        Where a cutoff stands: the number of examples predicted positive, the lowest score among
        them, or their share. Between two ranks the tables run straight; between two thresholds
        nothing changes.
    hue, col, row, baseline, ax, line_kws, band_kws
        As in `plot_roc`.

    Returns
    -------
    matplotlib Axes or seaborn FacetGrid

    Raises
    ------
    PUKeyError, PUValueError, PUTypeError
        As in `plot_roc`; also if `x` is "threshold" and the tables are not those of all cutoffs.
    """
    check_option("x", x, _AXES, {"head": "rank", "score": "threshold", "share": "fraction"})
    label = str(metric(tables.isel(rank=slice(0)) if "rank" in tables.dims else tables, name).name)
    check_styles(line_kws, band_kws)
    check_baseline(tables, baseline)
    if x == "threshold" and tables.attrs.get("ranks") == "breakpoints":
        raise PUValueError(
            "x='threshold' needs the tables of all cutoffs, but these are at breakpoints, between "
            "which thresholds are not known. Make them with ranks='all'."
        )
    trace = partial(_trace_thresholds if x == "threshold" else _trace_ranks, name=name)
    scaled = partial(trace, share=True) if x == "fraction" else trace

    def draw(ax: Axes, some: list[Curve]) -> None:
        for curve in some:
            draw_band(ax, curve, scaled, band_kws, band_label(tables))
            draw_line(ax, curve, scaled, line_kws)
        ax.set(xlabel=_AXES[x], ylabel=label.replace("_", " "))

    return draw_panels(tables, draw, Layout(hue, col, row, ax))


def _trace_ranks(tables: xr.Dataset, name: str | Metric, share: bool = False) -> Path:
    """Follow a metric along straight lines of the counts."""
    counts = {key: tables[key].to_numpy().astype(np.float64) for key in COUNTS}
    whole = sum(count[0] for count in counts.values())
    ranks = counts["tp"] + counts["fp"]  # not those of the axis that it shares with other groups
    between = np.concatenate(
        [np.linspace(ranks[0], ranks[-1], _POINTS), np.geomspace(1, max(ranks[-1], 1), _POINTS)]
    )
    x = np.union1d(ranks, between[(between >= ranks[0]) & (between <= ranks[-1])])
    ranks, first = np.unique(ranks, return_index=True)
    if name == "precision":  # at rank 0 it is 1 by convention only: drawn, it would be a spike
        x = x[x > 0]
    dense = {key: ("rank", np.interp(x, ranks, count[first])) for key, count in counts.items()}
    y = metric(xr.Dataset(dense, attrs=tables.attrs), name).to_numpy()
    return _finite(x / whole if share else x, y)


def _trace_thresholds(tables: xr.Dataset, name: str | Metric) -> Path:
    """Hold a metric from each threshold down to the next."""
    threshold, y = tables["threshold"].to_numpy()[::-1], metric(tables, name).to_numpy()[::-1]
    there = np.isfinite(threshold)
    threshold, y = threshold[there], y[there]
    return _finite(np.repeat(threshold, 2)[:-1], np.repeat(y, 2)[1:])


def _finite(x: FloatArray, y: FloatArray) -> Path:
    """Leave out where there is no value, as at rank 0 for most ratios."""
    return x[np.isfinite(y)], y[np.isfinite(y)]
