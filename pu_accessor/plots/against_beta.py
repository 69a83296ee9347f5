"""An area, or a metric at a rank, against beta, and where the order of models changes."""

from itertools import combinations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from pu_accessor.errors import PUValueError
from pu_accessor.inference.comparison.crossings import crossings
from pu_accessor.plots.artists import Curve, band_label, draw_band, draw_line
from pu_accessor.plots.layout import Drawing, draw_panels
from pu_accessor.plots.marks import draw_change, draw_infeasible, draw_limit
from pu_accessor.plots.names import tell_quantity
from pu_accessor.plots.options import Look
from pu_accessor.plots.simplify import Path
from pu_accessor.ranking import FloatArray

__all__ = ["plot_against_beta"]


def plot_against_beta(values: xr.Dataset, look: Look) -> Drawing:
    """Draw an area, or a metric at a rank, against beta, with its band.

    Where the central estimates of two models swap their order, a cross marks it. The betas at
    which a model's band is impossible are shaded, with a strip in its hue. A vertical line marks
    the upper limit on beta that the known positives set, where it is within the picture.
    """
    look.check()
    if values["beta"].ndim > 1:
        raise PUValueError(
            "plot_against_beta needs the same betas for all groups, but each has its own. Pass an "
            "array: beta=[0.1, 0.2, 0.3]."
        )
    at = values.attrs.get("at")
    label = tell_quantity(str(values.attrs["long_name"]))

    def draw(ax: Axes, some: list[Curve]) -> None:
        ax.set(xlabel="β̂ (share of positives among the unlabeled)")
        ax.set(ylabel=label if at is None else f"{label} among the top {at:,}")
        for curve in some:
            draw_band(ax, curve, _trace, look.band_kws, band_label(values))
            draw_line(ax, curve, _trace, look.line_kws)
        for one, other in combinations(some, 2):
            draw_change(ax, *_changes(one, other))
        for curve in some:
            draw_infeasible(ax, *_infeasible(curve), curve.color)
            draw_limit(ax, _limit(curve.data), curve.color, _name_limit(values))

    return draw_panels(values, draw, look, along="beta", legend="outside")


def _limit(curve: xr.Dataset) -> float:
    """Return the limit on beta that the known positives set; NaN where they set none."""
    return float(curve.coords.get("beta_limit", np.nan))


def _name_limit(values: xr.Dataset) -> str:
    """Name the limit with its level, as far as the attributes say."""
    level = values.attrs.get("level")
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
