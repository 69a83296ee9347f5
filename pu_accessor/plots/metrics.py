"""A metric at each cutoff, with its band."""

from functools import partial

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from pu_accessor.errors import PUValueError, check_option
from pu_accessor.inference.envelopes import inner_tables
from pu_accessor.inference.metrics import Metric, metric
from pu_accessor.inference.tables import COUNTS
from pu_accessor.plots.artists import (
    Curve,
    Path,
    Style,
    Trace,
    band_label,
    check_baseline,
    check_styles,
    draw_band,
    draw_envelope,
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
    values = metric(tables, name)
    if np.isnan(values.to_numpy()).all():
        raise PUValueError(f"There is nothing to draw: {values.name} has no value at any cutoff.")
    check_styles(line_kws, band_kws)
    check_baseline(tables, baseline)
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
            draw_band(ax, curve, trace, band_kws, band_label(tables))
            draw_line(ax, curve, trace, line_kws)
        ax.set(xlabel=_AXES[x], ylabel=str(values.name).replace("_", " "))

    inner = [name for name in ("interval_tp", "interval_positives") if name in tables]
    drawn = tables[[*COUNTS, *inner]].assign(value=values.sel(bound=tables["bound"]))
    return draw_panels(drawn, draw, Layout(hue, col, row, ax))


def _envelope(tables: xr.Dataset, name: str | Metric, trace: Trace) -> tuple[FloatArray, Path]:
    """Return where the envelope stands, and the lowest and highest that any bound gets to."""
    inner = inner_tables(tables)
    assert inner is not None
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
    size = tables.sizes.get("rank", 0)
    thinned = tables.attrs.get("ranks", "all") != "all" or size != tables.attrs.get(
        "n_cutoffs", size
    )
    if thinned or "threshold" not in tables.coords:
        raise PUValueError(
            "x='threshold' needs the tables of all cutoffs and their thresholds, but some are "
            "missing. Make them with ranks='all', and select after drawing."
        )


def _trace_ranks(tables: xr.Dataset, name: str | None, share: bool) -> Path:
    """Follow a metric along straight lines of the counts, or from cutoff to cutoff."""
    counts = {key: tables[key].to_numpy().astype(np.float64) for key in COUNTS}
    whole = sum(count[0] for count in counts.values())
    ranks = counts["tp"] + counts["fp"]  # not those of the axis that it shares with other groups
    ranks, first = np.unique(ranks, return_index=True)
    if name is None:
        x, y = ranks, tables["value"].to_numpy()[first].astype(np.float64)
    else:
        x = _between(ranks)
        if name == "precision":  # at rank 0 it is 1 by convention only: drawn, it would be a spike
            x = x[x > 0]
        dense = {key: ("rank", np.interp(x, ranks, count[first])) for key, count in counts.items()}
        y = metric(xr.Dataset(dense), name).to_numpy()
    return _finite(x / whole if share else x, y)


def _between(ranks: FloatArray) -> FloatArray:
    """Add points between cutoffs."""
    more = np.concatenate(
        [np.linspace(ranks[0], ranks[-1], _POINTS), np.geomspace(1, max(ranks[-1], 1), _POINTS)]
    )
    return np.union1d(ranks, more[(more >= ranks[0]) & (more <= ranks[-1])])


def _trace_thresholds(tables: xr.Dataset) -> Path:
    """Hold a metric from each threshold down to the next."""
    threshold = tables["threshold"].to_numpy()[::-1]
    y = tables["value"].to_numpy()[::-1].astype(np.float64)
    there = np.isfinite(threshold)
    threshold, y = threshold[there], y[there]
    return _finite(np.repeat(threshold, 2)[:-1], np.repeat(y, 2)[1:])


def _finite(x: FloatArray, y: FloatArray) -> Path:
    """Leave out where there is no value, as at rank 0 for most ratios."""
    return x[np.isfinite(y)], y[np.isfinite(y)]
