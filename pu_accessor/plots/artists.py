"""Lines, bands and legends: what all plots are made of."""

from collections.abc import Callable, Mapping, Sequence
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
from matplotlib.patches import Patch, Polygon

from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.plots.names import write_name
from pu_accessor.plots.thin import Path, thin
from pu_accessor.ranking import BoolArray, FloatArray

__all__ = [
    "Curve",
    "Path",
    "Style",
    "Trace",
    "band_label",
    "check_baseline",
    "check_styles",
    "count_curves",
    "draw_band",
    "draw_chance",
    "draw_change",
    "draw_envelope",
    "draw_infeasible",
    "draw_limit",
    "draw_line",
    "hold",
    "kept",
    "legend_entries",
]

Style: TypeAlias = Mapping[str, Any] | None
Trace: TypeAlias = Callable[[xr.Dataset], Path]

# What an artist of ours is, to find it again on Axes that are drawn on twice.
_CURVE, _BASELINE = "pu_accessor curve", "pu_accessor baseline"
_BAND, _CHANCE = "pu_accessor band", "pu_accessor chance"
_ENVELOPE, _LIMIT = "pu_accessor envelope", "pu_accessor limit"
_CHANGE, _BEYOND = "pu_accessor change", "pu_accessor beyond"
_BREAK = "pu_accessor break"
# What stands in a legend for several of them that differ in hue; also the order of these kinds.
_GREY: Mapping[str, Callable[[], Artist]] = MappingProxyType(
    {
        _BASELINE: lambda: Line2D([], [], color="0.4", linestyle="--", linewidth=1.3),
        _BAND: lambda: Patch(facecolor="0.85", edgecolor="0.4", linewidth=0.6),
        _ENVELOPE: lambda: Patch(facecolor="none", edgecolor="0.4", hatch="////", linewidth=0.6),
        _CHANGE: lambda: Line2D([], [], color="black", marker="X", linestyle="none"),
        _BREAK: lambda: Line2D([], [], color="0.4", marker="X", linestyle="none"),
        _BEYOND: lambda: Patch(facecolor="0.85", edgecolor="0.4", hatch="///", linewidth=0),
        _LIMIT: lambda: Line2D([], [], color="0.4", marker="v", linestyle="-.", linewidth=1.1),
        _CHANCE: lambda: Line2D([], [], color="0.4", linestyle=":", linewidth=1),
    }
)


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
    among_several : bool
        Whether other bands may lie over its own.
    by_model : bool
        Whether hues tell models apart, or anything else that ranks differently, not betas alone.
    """

    data: xr.Dataset
    color: Any
    label: str
    is_baseline: bool
    among_several: bool
    by_model: bool


def check_styles(line_kws: Style, band_kws: Style) -> None:
    """Raise unless artists take these properties: before a figure is made.

    Parameters
    ----------
    line_kws, band_kws : mapping, optional
        Properties of a Line2D and of a Polygon.

    Raises
    ------
    PUTypeError
        If they are something else.
    """
    _check_style("line_kws", line_kws, Line2D, [], [])
    _check_style("band_kws", band_kws, Polygon, np.zeros((1, 2)))


def check_baseline(tables: xr.Dataset, baseline: bool) -> None:
    """Raise where a baseline is insisted on and there is none.

    Parameters
    ----------
    tables : Dataset
        With tables for some betas.
    baseline : bool
        Whether one of them must be 0.

    Raises
    ------
    PUValueError
        If it must, and is not.
    """
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


def draw_chance(ax: Axes, x: list[float], y: list[float], **style: Any) -> None:
    """Draw what a ranking by chance does, dotted.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    x, y : list of float
        Corners of the line.
    **style
        Properties of the Line2D.
    """
    ours = {"color": "0.4", "label": "chance", "linestyle": ":", "linewidth": 1, "zorder": 1}
    ax.plot(x, y, gid=_CHANCE, **{**ours, **style})


def draw_band(ax: Axes, curve: Curve, trace: Trace, style: Style, label: str) -> None:
    """Fill between the bounds: along the upper one and back along the lower one.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    curve : Curve
        Nothing is drawn for a baseline: there nothing is latent, so there is nothing to bound.
    trace : callable
        From one bound of the curve to x and y.
    style : mapping, optional
        Properties of the Polygon.
    label : str
        For the legend.
    """
    if curve.is_baseline:
        return
    up, down = (thin(*trace(curve.data.sel(bound=bound))) for bound in ("upper", "lower"))
    corners = _there_and_back(up, down)
    asked = normalize_kwargs(dict(style or {}), Polygon)
    face = asked.pop("facecolor", None)
    color = asked.pop("color", None) or face or curve.color
    opaque = "alpha" in asked or to_rgba(color)[3] < 1
    properties = {
        "facecolor": color if opaque else (*to_rgb(color), 0.18 if curve.among_several else 0.25),
        "edgecolor": (*to_rgb(color), 0.7),
        "linewidth": 0.6,
        "label": label,
        "gid": _BAND,
        "zorder": 2,
    }
    _add_area(ax, Polygon(corners, **{**properties, **asked}))


def draw_envelope(ax: Axes, curve: Curve, x: FloatArray, ends: Path, betas: FloatArray) -> None:
    """Hatch what a curve's bounds get to while beta varies.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    curve : Curve
        Nothing is drawn for a baseline, and nothing twice: it is the same for all betas.
    x : ndarray of float64, shape (points,)
        Where the envelope stands.
    ends : tuple of ndarray of float64, shape (points,)
        The lowest and the highest.
    betas : ndarray of float64, shape (inner betas,)
        From one end of the interval to the other.
    """
    low, high = ends
    corners = _there_and_back(thin(x, high), thin(x, low))
    drawn = (patch.get_xy() for patch in ax.patches if patch.get_gid() == _ENVELOPE)  # type: ignore[attr-defined]
    if curve.is_baseline or any(np.array_equal(other[: len(corners)], corners) for other in drawn):
        return
    hue = "0.4" if curve.among_several and not curve.by_model else curve.color
    low_beta, high_beta = (f"{end:.3g}" for end in (betas.min(), betas.max()))
    look: dict[str, Any] = {"facecolor": "none", "edgecolor": (*to_rgb(hue), 0.55)}
    label = f"envelope for β̂ in [{low_beta}, {high_beta}]"
    look |= {"hatch": "////", "linewidth": 0.6, "gid": _ENVELOPE, "zorder": 1.5, "label": label}
    _add_area(ax, Polygon(corners, **look))


def _there_and_back(there: Path, back: Path) -> FloatArray:
    """Return the corners of the area between two lines: along one and back along the other."""
    sides = zip(there, back, strict=True)
    return np.stack([np.append(one, other[::-1]) for one, other in sides], axis=1)


def _add_area(ax: Axes, area: Polygon) -> None:
    """Add a polygon without a look at each of its corners, as add_patch takes: they are known."""
    ax.add_artist(area)
    ax.update_datalim(area.get_xy())


def draw_limit(ax: Axes, beta: float, color: Any, label: str) -> None:
    """Mark the limit on beta that a model's known positives set, if it is within the picture.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw; its x axis is beta.
    beta : float
        The limit.
    color : matplotlib color
        The model's hue.
    label : str
        For the legend.
    """
    if ax.dataLim.x0 <= beta <= ax.dataLim.x1:
        look: dict[str, Any] = {"color": color, "linestyle": "-.", "linewidth": 1.1, "zorder": 2.5}
        top: dict[str, Any] = {"marker": "v", "markevery": [1], "markersize": 7, "clip_on": False}
        ax.axvline(beta, label=label, gid=_LIMIT, **look, **top)


def hold(x: FloatArray, y: FloatArray) -> Path:
    """Return the corners of a step function, for a line as well as for the edge of a band.

    Parameters
    ----------
    x, y : ndarray of float64, shape (points,)
        Each value is held until the next one.

    Returns
    -------
    x, y : ndarray of float64, shape (2 * points - 1,)
    """
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def kept(there: BoolArray) -> slice | BoolArray:
    """Return what selects the places that are true, without a copy where they are side by side.

    Parameters
    ----------
    there : ndarray of bool, shape (points,)
        Which points there are.

    Returns
    -------
    slice or ndarray of bool
    """
    count = int(np.count_nonzero(there))
    start = int(there.argmax()) if count else 0
    return slice(start, start + count) if there[start : start + count].all() else there


def draw_line(ax: Axes, curve: Curve, trace: Trace, style: Style) -> None:
    """Draw the estimate, or the baseline.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    curve : Curve
        Its colour and label are used.
    trace : callable
        From one bound of the curve to x and y.
    style : mapping, optional
        Properties of the Line2D, not used for a baseline.
    """
    x, y = thin(*trace(curve.data.sel(bound="estimate")))
    properties = {
        "color": curve.color,
        "linewidth": 1.3 if curve.is_baseline else 1.8,
        "linestyle": "--" if curve.is_baseline else "-",
        "label": curve.label,
        "gid": _BASELINE if curve.is_baseline else _CURVE,
        "zorder": 3,
    }
    asked = {} if curve.is_baseline else normalize_kwargs(dict(style or {}), Line2D)
    sns.lineplot(
        x=x, y=y, estimator=None, sort=False, ax=ax, legend=False, **{**properties, **asked}
    )


def draw_change(ax: Axes, x: FloatArray, y: FloatArray) -> None:
    """Mark where two models swap their order.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    x, y : ndarray of float64, shape (changes,)
        Where.
    """
    if x.size:
        look: dict[str, Any] = {"color": "black", "marker": "X", "markeredgecolor": "white"}
        place: dict[str, Any] = {"linestyle": "none", "markersize": 8, "zorder": 4}
        ax.plot(x, y, label="order changes", gid=_CHANGE, **look, **place)


def draw_break(ax: Axes, odds: float, above: float, color: Any) -> None:
    """Mark the factor at which a conclusion breaks, where it is within the picture.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw; curves are there already.
    odds : float
        The factor; infinite or NaN for none.
    above : float
        The value that is no longer exceeded.
    color : matplotlib color
        The hue of the curve.
    """
    if np.isfinite(odds) and odds <= ax.dataLim.x1:
        look: dict[str, Any] = {"color": color, "marker": "X", "markeredgecolor": "white"}
        place: dict[str, Any] = {"linestyle": "none", "markersize": 9, "zorder": 4}
        ax.plot([odds], [above], label="conclusion breaks", gid=_BREAK, **look, **place)
        style: dict[str, Any] = {
            "textcoords": "offset points",
            "ha": "center",
            "fontsize": "small",
        }
        ax.annotate(f"{odds:.3g}", (odds, above), (0, 7), color=color, **style)


def draw_infeasible(ax: Axes, start: FloatArray, end: FloatArray, color: Any) -> None:
    """Shade the betas at which a model's band is impossible; a strip at the foot says whose.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    start, end : ndarray of float64, shape (1,) or (0,)
        From where to where, if anywhere.
    color : matplotlib color
        The model's hue.
    """
    strips = sum(patch.get_gid() == _BEYOND for patch in ax.patches)
    for left, right in zip(start.tolist(), end.tolist(), strict=True):
        ax.axvspan(left, right, facecolor=(*to_rgb(color), 0.06), linewidth=0, zorder=0)
        strip: dict[str, Any] = {"facecolor": (*to_rgb(color), 0.4), "edgecolor": color}
        foot = ax.axvspan(left, right, 0.03 * strips, 0.03 * (strips + 1), hatch="///", **strip)
        foot.set(label="β̂ too high for the band", gid=_BEYOND, linewidth=0, zorder=1)


def count_curves(ax: Axes) -> int:
    """Count the curves that are on some Axes already, without baselines.

    Parameters
    ----------
    ax : matplotlib Axes
        That may have been drawn on before.

    Returns
    -------
    int
    """
    return sum(line.get_gid() == _CURVE for line in ax.lines)


def band_label(dataset: xr.Dataset) -> str:
    """Name the band, its level and what it is about, as far as the attributes say.

    Parameters
    ----------
    dataset : Dataset
        Tables or curves.

    Returns
    -------
    str
        Such as "95% exact band", and in a second line "these examples": legends stay narrow.
    """
    level, band = dataset.attrs.get("level"), dataset.attrs.get("band")
    percent = "" if level is None else f"{100 * level:.12g}% "
    about = ",\nthese examples" if dataset.attrs.get("target") == "examples" else ""
    odds = dataset.attrs.get("selection_odds")
    within = "" if odds is None else f",\nodds within {odds:g}"
    return write_name(f"{percent}{'' if band is None else f'{band} '}band{within}{about}")


def legend_entries(axes: Sequence[Axes]) -> list[tuple[str, Artist]]:
    """Name each curve, then each kind of baseline, band and chance once: grey if of several hues.

    Parameters
    ----------
    axes : sequence of Axes
        That share a legend.

    Returns
    -------
    list of (str, Artist)
        Labels and what stands for them.
    """
    curves: dict[tuple[str, str], Artist] = {}
    shared: dict[str, list[Artist]] = {}
    for ax in axes:
        for artist, label in zip(*ax.get_legend_handles_labels(), strict=True):
            if artist.get_gid() in _GREY:
                shared.setdefault(label, []).append(artist)
            else:
                curves.setdefault((label, _hue(artist)), artist)
    entries = [(label, artist) for (label, _), artist in curves.items()]
    for kind, grey in _GREY.items():
        for label, artists in shared.items():
            if artists[0].get_gid() == kind:
                alike = len({_hue(artist) for artist in artists}) == 1
                entries.append((label, artists[0] if alike else grey()))
    return entries


def _hue(artist: Artist) -> str:
    """Return the colour of a line, or that of a polygon's edge."""
    color = artist.get_color() if isinstance(artist, Line2D) else artist.get_edgecolor()  # type: ignore[attr-defined]
    return to_hex(color)
