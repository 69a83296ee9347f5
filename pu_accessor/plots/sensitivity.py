"""An area, or a metric at a rank, against beta, and where the order of models changes."""

from itertools import combinations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from pu_accessor.errors import PUValueError
from pu_accessor.inference.metrics import Metric
from pu_accessor.inference.order import crossings, values_by_beta
from pu_accessor.plots.artists import (
    Curve,
    Path,
    Style,
    band_label,
    check_styles,
    draw_band,
    draw_change,
    draw_infeasible,
    draw_limit,
    draw_line,
)
from pu_accessor.plots.layout import Drawing, Layout, draw_panels
from pu_accessor.ranking import FloatArray

__all__ = ["plot_sensitivity"]


def plot_sensitivity(
    tables: xr.Dataset,
    name: str | Metric,
    *,
    at: int | None = None,
    whole: xr.Dataset | None = None,
    hue: str | None = None,
    col: str | None = None,
    row: str | None = None,
    ax: Axes | None = None,
    line_kws: Style = None,
    band_kws: Style = None,
) -> Drawing:
    """Draw an area, or a metric at a rank, against beta, with its band.

    Where the central estimates of two models swap their order, a cross marks it. The betas at
    which a model's band is impossible are shaded, with a strip in its hue: see
    `pu_accessor.inference.order.infeasible`. A vertical line marks the upper limit on beta that
    the known positives set, where it is within the picture.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn` over (rank, bound, beta) and any other dimensions, for two or
        more betas.
    name : str or callable
        "roc" or "pr" for the area under that curve; or a metric.
    at : int, optional
        The rank of a metric.
    whole : Dataset, optional
        Tables at the breakpoints, to judge at which betas the band is impossible, where `tables`
        hold the one cutoff of a metric.
    hue, col, row, ax, line_kws, band_kws
        As in `plot_roc`.

    Returns
    -------
    matplotlib Axes or seaborn FacetGrid

    Raises
    ------
    PUKeyError, PUValueError, PUTypeError
        As in `plot_roc`, and in `pu_accessor.inference.order.values_by_beta`.
    """
    check_styles(line_kws, band_kws)
    values = values_by_beta(tables, name, at=at, whole=whole)
    if values["beta"].ndim > 1:
        raise PUValueError(
            "plot_sensitivity needs the same betas for all groups, but each has its own. Pass an "
            "array: beta=[0.1, 0.2, 0.3]."
        )
    label = str(values.attrs["long_name"]).replace("_", " ")

    def draw(ax: Axes, some: list[Curve]) -> None:
        for curve in some:
            draw_band(ax, curve, _trace, band_kws, band_label(tables))
            draw_line(ax, curve, _trace, line_kws)
        for one, other in combinations(some, 2):
            draw_change(ax, *_changes(one, other))
        for curve in some:
            draw_infeasible(ax, *_infeasible(curve), curve.color)
            draw_limit(ax, _limit(curve.data), curve.color, _name_limit(tables))
        ax.set(xlabel="β̂ (share of positives among the unlabeled)")
        ax.set(ylabel=label if at is None else f"{label} among the top {at:,}")

    return draw_panels(values, draw, Layout(hue, col, row, ax, "outside"), along="beta")


def _limit(curve: xr.Dataset) -> float:
    """Return the limit on beta that the known positives set; NaN where they set none."""
    own = curve.coords.get("beta_limit", curve.attrs.get("beta_limit", np.nan))
    return float(own)


def _name_limit(tables: xr.Dataset) -> str:
    """Name the limit with its level, as far as the attributes say."""
    level = tables.attrs.get("level")
    return f"{'' if level is None else f'{100 * level:.12g}% '}upper limit on β̂"


def _trace(curve: xr.Dataset) -> Path:
    there = np.isfinite(curve["value"].to_numpy())
    return curve["beta"].to_numpy()[there], curve["value"].to_numpy()[there]


def _changes(one: Curve, other: Curve) -> Path:
    """Return where the estimates of two curves cross, on straight lines between betas."""
    betas = one.data["beta"].to_numpy()
    first, second = (
        curve.data["value"].sel(bound="estimate").to_numpy() for curve in (one, other)
    )
    lead = first - second
    there = np.isfinite(lead)
    x = np.array(crossings(betas[there], lead[there]))
    return x, np.interp(x, betas[there], first[there])


def _infeasible(curve: Curve) -> Path:
    """Return the first and the last infeasible beta, from the middle of the step before it."""
    betas = curve.data["beta"].to_numpy()
    beyond: FloatArray = betas[curve.data["infeasible"].to_numpy()]
    if not beyond.size:
        return beyond, beyond
    before = betas[betas < beyond[0]]
    start = (before[-1] + beyond[0]) / 2 if before.size else beyond[0]
    return np.array([start]), beyond[-1:]
