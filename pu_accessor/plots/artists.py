"""Lines and bands: what all plots are made of."""

from collections.abc import Callable, Mapping
from itertools import chain, count
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import seaborn as sns
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cbook import normalize_kwargs
from matplotlib.colors import to_hex, to_rgb, to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.plots.artist_ids import Kind, kind_of, name_of, tag
from pu_accessor.plots.colors import ink
from pu_accessor.plots.names import write_name
from pu_accessor.plots.simplify import Path, thin
from pu_accessor.ranking import BoolArray, FloatArray

__all__ = [
    "Curve",
    "Path",
    "Style",
    "Trace",
    "band_label",
    "check_baseline",
    "check_styles",
    "curves_on",
    "draw_band",
    "draw_envelope",
    "draw_line",
    "hold",
    "kept",
]

Style: TypeAlias = Mapping[str, Any] | None
Trace: TypeAlias = Callable[[xr.Dataset], Path]

_REFERENCES: Mapping[str, str] = MappingProxyType(
    {
        "negatives": "from known negatives",
        "tightest": "from the tighter kind",
        "both": "from both kinds",
    }
)
_FEW = 6  # bands whose faces can be told apart where they lie over each other


class Curve(NamedTuple):
    """One curve to draw.

    Parameters
    ----------
    data : Dataset
        Over (rank, bound), with `beta` as a scalar coordinate.
    color : matplotlib color
        Its hue.
    label : str
        Its name.
    is_baseline : bool
        Whether it is that of the naive beta of 0.
    among : int
        How many bands there are, that may lie over each other.
    by_model : bool
        Whether hues tell models apart, or anything else that ranks differently, not betas alone.
    """

    data: xr.Dataset
    color: Any
    label: str
    is_baseline: bool
    among: int
    by_model: bool

    @property
    def name(self) -> str | None:
        """What is ranked by, to tell the curve apart from others of the same label."""
        name = self.data.attrs.get("score")
        return name if isinstance(name, str) else None


def check_styles(line_kws: Style, band_kws: Style) -> None:
    """Raise unless artists take these properties: before a figure is made."""
    _check_style("line_kws", line_kws, Line2D, [], [])
    _check_style("band_kws", band_kws, Polygon, np.zeros((1, 2)))


def check_baseline(tables: xr.Dataset, baseline: bool) -> None:
    """Raise where a baseline is insisted on and there is none."""
    if baseline and "beta" in tables.coords and not (tables["beta"] == 0).any():
        raise PUValueError(
            f"baseline=True needs tables for beta = 0, but there are {tables['beta'].values}. "
            "Make them with it: df.pu.contingency(beta=[0, 0.3])."
        )


def _check_style(argument: str, style: Style, kind: type[Artist], *empty: Any) -> None:
    """Raise unless an artist takes these properties."""
    try:
        kind(*empty, **normalize_kwargs(dict(style or {}), kind))
    except (AttributeError, TypeError, ValueError) as error:
        raise PUTypeError(
            f"{argument} must be a mapping of properties of matplotlib's {kind.__name__}, but "
            f"{style!r} was passed: {error}"
        ) from error


def draw_band(ax: Axes, curve: Curve, trace: Trace, style: Style, label: str) -> None:
    """Fill between the bounds: along the upper one and back along the lower one."""
    if curve.is_baseline:
        return
    up, down = (thin(*trace(curve.data.sel(bound=bound))) for bound in ("upper", "lower"))
    corners = _there_and_back(up, down)
    asked = normalize_kwargs(dict(style or {}), Polygon)
    face = asked.pop("facecolor", None)
    color = asked.pop("color", None) or face or curve.color
    opaque = "alpha" in asked or to_rgba(color)[3] < 1
    properties = {
        "facecolor": color if opaque else (*to_rgb(color), _opacity(curve.among)),
        "edgecolor": (*to_rgb(color), 0.7),
        "linewidth": 0.6,
        "label": label,
        "gid": Kind.BAND,
        "zorder": 2,
    }
    _add_area(ax, Polygon(corners, **{**properties, **asked}))


def _opacity(among: int) -> float:
    """Return how dense a band is; of many, little more than their edges is left."""
    if among == 1:
        return 0.25
    return 0.18 if among <= _FEW else 0.03


def draw_envelope(ax: Axes, curve: Curve, x: FloatArray, ends: Path, betas: FloatArray) -> None:
    """Hatch what a curve's bounds get to while beta varies."""
    low, high = ends
    corners = _there_and_back(thin(x, high), thin(x, low))
    drawn = (patch.get_xy() for patch in ax.patches if patch.get_gid() == Kind.ENVELOPE)  # type: ignore[attr-defined]
    if curve.is_baseline or any(np.array_equal(other[: len(corners)], corners) for other in drawn):
        return
    hue = ink(ax, 0.6) if curve.among > 1 and not curve.by_model else curve.color
    low_beta, high_beta = (f"{end:.3g}" for end in (betas.min(), betas.max()))
    look: dict[str, Any] = {"facecolor": "none", "edgecolor": (*to_rgb(hue), 0.55)}
    label = f"envelope for β̂ in [{low_beta}, {high_beta}]"
    look |= {
        "hatch": "////",
        "linewidth": 0.6,
        "gid": Kind.ENVELOPE,
        "zorder": 1.5,
        "label": label,
    }
    _add_area(ax, Polygon(corners, **look))


def _there_and_back(there: Path, back: Path) -> FloatArray:
    """Return the corners of the area between two lines: along one and back along the other."""
    sides = zip(there, back, strict=True)
    return np.stack([np.append(one, other[::-1]) for one, other in sides], axis=1)


def _add_area(ax: Axes, area: Polygon) -> None:
    """Add a polygon without a look at each of its corners, as add_patch takes: they are known."""
    ax.add_artist(area)
    ax.update_datalim(area.get_xy())


def hold(x: FloatArray, y: FloatArray) -> Path:
    """Return the corners of a step function, for a line as well as for the edge of a band."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def kept(there: BoolArray) -> slice | BoolArray:
    """Return what selects the places that are true, without a copy where they are side by side."""
    count = int(np.count_nonzero(there))
    start = int(there.argmax()) if count else 0
    return slice(start, start + count) if there[start : start + count].all() else there


def draw_line(ax: Axes, curve: Curve, trace: Trace, style: Style) -> None:
    """Draw the estimate, or the baseline."""
    x, y = thin(*trace(curve.data.sel(bound="estimate")))
    properties = {
        "color": curve.color,
        "linewidth": 1.3 if curve.is_baseline else 1.8,
        "linestyle": "--" if curve.is_baseline else "-",
        "label": curve.label if curve.is_baseline else _own_label(ax, curve),
        "gid": Kind.BASELINE if curve.is_baseline else tag(Kind.CURVE, curve.name),
        "zorder": 3,
    }
    asked = {} if curve.is_baseline else normalize_kwargs(dict(style or {}), Line2D)
    sns.lineplot(
        x=x, y=y, estimator=None, sort=False, ax=ax, legend=False, **{**properties, **asked}
    )


def _own_label(ax: Axes, curve: Curve) -> str:
    """Return a label that no curve of another hue has; both get names if these differ."""
    color = to_hex(curve.color)
    others = [line for line in curves_on(ax) if to_hex(line.get_color()) != color]
    labels = {str(line.get_label()): line for line in others}
    if curve.label not in labels:
        return curve.label
    first = labels[curve.label]
    before = name_of(first)
    if curve.name and before and curve.name != before:
        first.set_label(_told(before, curve.label))
    named = _told(curve.name, curve.label) if curve.name and curve.name != before else curve.label
    numbered = (f"{curve.label} ({number})" for number in count(2))
    return next(label for label in chain([named], numbered) if label not in labels)


def _told(name: str, label: str) -> str:
    """Put a name before a label."""
    return f"{write_name(name)}, {label}"


def curves_on(ax: Axes) -> list[Line2D]:
    """Return the curves that are on some Axes already, without baselines."""
    return [line for line in ax.lines if kind_of(line) is Kind.CURVE]


def band_label(dataset: xr.Dataset) -> str:
    """Name the band, its level and what it is about, as far as the attributes say."""
    level, band = dataset.attrs.get("level"), dataset.attrs.get("band")
    percent = "" if level is None else f"{100 * level:.12g}% "
    about = ",\nthese examples" if dataset.attrs.get("target") == "examples" else ""
    odds = dataset.attrs.get("selection_odds")
    within = "" if odds is None else f",\nodds within {odds:g}"
    return write_name(
        f"{percent}{'' if band is None else f'{band} '}band{within}{_reference(dataset)}{about}"
    )


def _reference(dataset: xr.Dataset) -> str:
    """Say what a band starts from, unless that is the known positives."""
    references = {*np.ravel(dataset.coords.get("reference", "positives")).tolist()}
    told = _REFERENCES.get(references.pop()) if len(references) == 1 else None
    return f",\n{told}" if told else ""
