"""Lines, bands, envelopes and marks: what all plots are made of."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from enum import StrEnum
from itertools import chain, count
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb, to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon, Rectangle
from matplotlib.patheffects import withStroke

from pu_accessor.inference.metrics import write_label
from pu_accessor.plots.colors import ground, ink
from pu_accessor.plots.options import Options
from pu_accessor.ranking import BoolArray, FloatArray

Path: TypeAlias = tuple[FloatArray, FloatArray]
Trace: TypeAlias = Callable[[xr.Dataset], Path]
Envelope: TypeAlias = Callable[[xr.Dataset], tuple[FloatArray, Path]]  # to x, lowest and highest

_REFERENCES: Mapping[str, str] = {
    "negatives": "from known negatives",
    "tightest": "from the tighter kind",
    "both": "from both kinds",
}
TARGETS: Mapping[str, str] = {"population": "new examples", "examples": "these examples"}
_FEW = 6  # bands whose faces can be told apart where they lie over each other
_LONGEST = 60  # characters of a name
_SEPARATOR = ": "
_NEAR = 0.15  # of a rate, within which one name stands for the marks of several curves


class Kind(StrEnum):
    """Kinds of artists, in the order of a legend; they are group ids, in vector files as well."""

    CURVE = "pu_accessor curve"
    BASELINE = "pu_accessor baseline"
    BAND = "pu_accessor band"
    ENVELOPE = "pu_accessor envelope"
    CHANGE = "pu_accessor change"
    BREAK = "pu_accessor break"
    INFEASIBLE = "pu_accessor infeasible"
    LIMIT = "pu_accessor limit"
    CHANCE = "pu_accessor chance"
    HOLLOW = "pu_accessor hollow"
    SHADE = "pu_accessor shade"
    MARK = "pu_accessor mark"
    REGION = "pu_accessor region"
    CELL = "pu_accessor cell"


class Curve(NamedTuple):
    """One curve to draw."""

    data: xr.Dataset  # over (rank, bound), with `beta` as a scalar coordinate
    color: Any
    label: str
    is_baseline: bool  # of the naive beta of 0
    among: int  # how many bands there are, that may lie over each other
    by_model: bool  # whether hues tell models or groups apart, not betas alone

    @property
    def score(self) -> str | None:
        """The column that ranks, which tells curves of the same label apart."""
        score = self.data.attrs.get("score")
        return score if isinstance(score, str) else None


def kind_of(artist: Artist) -> Kind | None:
    """Return what an artist is, if it is one of ours."""
    kind = str(artist.get_gid()).partition(_SEPARATOR)[0]
    return Kind(kind) if kind in {*Kind} else None


def curves_on(ax: Axes) -> list[Line2D]:
    """Return the curves that are on some Axes already, without baselines."""
    return [line for line in ax.lines if kind_of(line) is Kind.CURVE]


# Curves


def draw_curves(
    ax: Axes,
    curves: Sequence[Curve],
    trace: Trace,
    options: Options,
    dataset: xr.Dataset,
    envelope: Envelope | None = None,
) -> None:
    """Draw the lines of curves on top of their bands, and these on their envelopes."""
    for curve in curves:
        if envelope is not None:
            interval = dataset.get("interval_beta", dataset.attrs.get("beta_interval", []))
            draw_envelope(ax, curve, *envelope(curve.data), np.asarray(interval))
        draw_band(ax, curve, trace, options, band_label(dataset))
        draw_line(ax, curve, trace, options.line)
    if "mark_name" in dataset.coords:
        # At beta = 0 alone the curve is the one that is asked for.
        draw_marks(ax, [curve for curve in curves if not curve.is_baseline] or curves)


def draw_bars(
    ax: Axes, curve: Curve, parts: Sequence[xr.Dataset], trace: Trace, options: Options, label: str
) -> None:
    """Draw an interval's bar for each part of a curve; one stands for all in a legend."""
    for number, part in enumerate(parts):
        name = f"{'_' * (number > 0)}{label}"
        draw_band(ax, curve._replace(data=part, among=1), trace, options, name)


def draw_dots(ax: Axes, curve: Curve, trace: Trace, options: Options) -> None:
    """Draw estimates that no line joins."""
    dots = {"marker": "o", "linestyle": "none", "markersize": 6}
    dots |= {"markeredgecolor": ground(ax), "markeredgewidth": 0.75}
    draw_line(ax, curve, trace, {**dots, **options.line})


def draw_naive(ax: Axes, curve: Curve, trace: Trace) -> None:
    """Draw crosses where unlabeled examples are taken as negative."""
    x, y = trace(curve.data.sel(bound="estimate"))
    style: dict[str, Any] = {"color": curve.color, "marker": "x", "linestyle": "none"}
    ax.plot(x, y, label=curve.label, gid=Kind.BASELINE, zorder=3, **style)


def draw_band(
    ax: Axes, curve: Curve, trace: Trace, options: Options, label: str, *, density: float = 1
) -> None:
    """Fill between the bounds: along the upper one and back along the lower one."""
    if curve.is_baseline:
        return
    upper, lower = (_path(curve, trace, bound) for bound in ("upper", "lower"))
    style = options.band
    face = style.pop("facecolor", None)
    color = style.pop("color", None) or face or curve.color
    is_translucent = to_rgba(color)[3] < 1  # an alpha of the style counts in any case
    opacity = density * _opacity(curve.among)
    properties = {
        "facecolor": color if is_translucent else (*to_rgb(color), opacity),
        "edgecolor": (*to_rgb(color), 0.7),
        "linewidth": 0.6,
        "label": label,
        "gid": Kind.BAND,
        "zorder": 2,
    }
    _add_area(ax, Polygon(_outline(upper, lower), **{**properties, **style}))


def _opacity(among: int) -> float:
    """Return how dense a band is; of many, little more than their edges is left."""
    if among == 1:
        return 0.25
    return 0.18 if among <= _FEW else 0.03


def draw_envelope(ax: Axes, curve: Curve, x: FloatArray, ends: Path, betas: FloatArray) -> None:
    """Hatch what a curve's bounds get to while beta varies; curves may share one."""
    low, high = ends
    outline = _outline((x, high), (x, low))
    drawn = [patch.get_path() for patch in ax.patches if kind_of(patch) is Kind.ENVELOPE]
    corners = [np.asarray(path.vertices)[: len(outline)] for path in drawn]
    if curve.is_baseline or any(np.array_equal(outline, others) for others in corners):
        return
    is_shared = curve.among > 1 and not curve.by_model
    color = ink(ax, 0.6) if is_shared else curve.color
    within = f" for β̂ in [{betas.min():.3g}, {betas.max():.3g}]" if betas.size else ""
    area = Polygon(
        outline,
        facecolor="none",
        edgecolor=(*to_rgb(color), 0.55),
        hatch="////",
        linewidth=0.6,
        gid=Kind.ENVELOPE,
        zorder=1.5,
        label=f"envelope{within}",
    )
    _add_area(ax, area)


def _outline(upper: Path, lower: Path) -> FloatArray:
    """Return the corners of the area between two lines: along one and back along the other."""
    (x, y), (x_back, y_back) = upper, (side[::-1] for side in lower)
    return np.stack([np.append(x, x_back), np.append(y, y_back)], axis=1)


def _add_area(ax: Axes, area: Polygon) -> None:
    """Add a polygon without a look at each of its corners, as add_patch takes: they are known."""
    ax.add_artist(area)
    ax.update_datalim(area.get_xy())


def draw_line(ax: Axes, curve: Curve, trace: Trace, style: Mapping[str, Any]) -> None:
    """Draw the estimate, or the baseline."""
    x, y = _path(curve, trace, "estimate")
    gid = Kind.CURVE if curve.score is None else f"{Kind.CURVE}{_SEPARATOR}{curve.score}"
    properties = {
        "color": curve.color,
        "linewidth": 1.3 if curve.is_baseline else 1.8,
        "linestyle": "--" if curve.is_baseline else "-",
        "label": curve.label if curve.is_baseline else _own_label(ax, curve),
        "gid": Kind.BASELINE if curve.is_baseline else gid,
        "zorder": 3,
    }
    ax.plot(x, y, **{**properties, **({} if curve.is_baseline else style)})


def _own_label(ax: Axes, curve: Curve) -> str:
    """Return a label that no curve of another hue has; both get names if these differ."""
    color = to_hex(curve.color)
    others = [line for line in curves_on(ax) if to_hex(line.get_color()) != color]
    labels = {str(line.get_label()): line for line in others}
    if curve.label not in labels:
        return curve.label
    first = labels[curve.label]
    score = str(first.get_gid()).partition(_SEPARATOR)[2]
    wanted = curve.label
    if curve.score and curve.score != score:
        wanted = f"{write_name(curve.score)}, {curve.label}"
        if score:
            first.set_label(f"{write_name(score)}, {curve.label}")
    numbered = (f"{curve.label} ({number})" for number in count(2))
    return next(label for label in chain([wanted], numbered) if label not in labels)


def band_label(dataset: xr.Dataset) -> str:
    """Name the band, its level and what it is about, as far as the attributes say."""
    attrs = dataset.attrs
    level = f"{100 * attrs['level']:.12g}% " if "level" in attrs else ""
    band = f"{attrs['band']} " if "band" in attrs else ""
    failure = f",\nodds within {attrs['selection_odds']:g}" if "selection_odds" in attrs else ""
    if share := attrs.get("contamination"):
        failure = f",\ncontamination up to {100 * share:.3g}%"
    held: Any = dataset.coords.get("reference")
    references = {*np.ravel(held).tolist()}
    reference = _REFERENCES.get(references.pop()) if len(references) == 1 else None
    about = TARGETS.get(str(attrs.get("target")))
    aside = "".join(f",\n{part}" for part in (reference, about) if part)
    return write_name(f"{level}{band}band{failure}{aside}")


# Vertices


def _path(curve: Curve, trace: Trace, bound: str) -> Path:
    """Return the vertices of one bound of a curve, where it has a value."""
    x, y = trace(curve.data.sel(bound=bound))
    known = np.isfinite(x) & np.isfinite(y)
    return (x, y) if known.all() else (x[known], y[known])


def follow(x: str, y: str) -> Trace:
    """Return how to get from one bound of a curve to x and y."""

    def trace(curve: xr.Dataset) -> Path:
        return curve[x].to_numpy(), curve[y].to_numpy()

    return trace


def hold(x: FloatArray, y: FloatArray) -> Path:
    """Return the corners of a step function, for a line as well as for the edge of a band."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


# Marks


def draw_chance(ax: Axes, x: list[float], y: list[float], **style: Any) -> None:
    """Draw what a ranking by chance does, dotted."""
    properties: dict[str, Any] = {"color": ink(ax, 0.6), "label": "chance", "linestyle": ":"}
    ax.plot(x, y, gid=Kind.CHANCE, **{**properties, "linewidth": 1, "zorder": 1, **style})


def draw_cross(ax: Axes, x: Any, y: Any, kind: Kind, label: str, color: Any) -> None:
    """Mark where something changes or breaks."""
    style: dict[str, Any] = {"color": color, "marker": "X", "markeredgecolor": ground(ax)}
    ax.plot(x, y, label=label, gid=kind, linestyle="none", markersize=8, zorder=4, **style)


def draw_marks(ax: Axes, curves: Sequence[Curve]) -> None:
    """Mark the cutoffs of curves that are asked for, with their value beside the lowest one."""
    marks = []
    for curve in curves:
        x, y, names = (curve.data[f"mark_{part}"].to_numpy() for part in ("x", "y", "name"))
        style: dict[str, Any] = {"color": curve.color, "marker": "o"}
        style |= {"markeredgecolor": ground(ax), "linestyle": "none", "zorder": 4}
        ax.plot(x, y, gid=Kind.MARK, label="_mark", **style)
        draw_regions(ax, curve)
        marks += [*zip(y, x, names, strict=True)]
    halo = [withStroke(linewidth=2, foreground=ground(ax))]
    below = "precision" not in curves[0].data  # where the curve is not going
    beside: dict[str, Any] = {"textcoords": "offset points", "path_effects": halo}
    beside |= {"xytext": (6, -3 if below else 3), "va": "top" if below else "bottom"}
    written: list[tuple[float, float, str]] = []
    for y, x, name in sorted(marks):
        others = [np.subtract((x, y), at) for *at, text in written if text == name]
        if all(np.abs(apart).max() > _NEAR for apart in others):
            ax.annotate(name, (x, y), fontsize="small", color=ink(ax), zorder=4, **beside)
            written.append((x, y, name))


def draw_regions(ax: Axes, curve: Curve) -> None:
    """Frame where the points of marks on new examples can be, where a curve has that."""
    sides: Any = [
        curve.data.get(f"mark_{side}", []) for side in ("left", "bottom", "right", "top")
    ]
    frame: dict[str, Any] = {"edgecolor": curve.color, "fill": False, "zorder": 3.5}
    for left, bottom, right, top in np.transpose(sides).tolist():
        size = right - left, top - bottom
        ax.add_patch(Rectangle((left, bottom), *size, gid=Kind.REGION, **frame))


def draw_limit(ax: Axes, beta: float, color: Any, label: str) -> None:
    """Mark the limit on beta that a model's known positives set, if it is within the picture."""
    if ax.dataLim.x0 <= beta <= ax.dataLim.x1:
        line: dict[str, Any] = {"color": color, "linestyle": "-.", "linewidth": 1.1, "zorder": 2.5}
        top: dict[str, Any] = {"marker": "v", "markevery": [1], "markersize": 7, "clip_on": False}
        ax.axvline(beta, label=label, gid=Kind.LIMIT, **line, **top)


def draw_infeasible(ax: Axes, x: FloatArray, infeasible: BoolArray, color: Any) -> None:
    """Shade where a model's band is impossible; a strip at the foot says whose.

    That is up to half of the way to what is possible, along an ascending `x`.
    """
    edges = np.flatnonzero(np.diff(infeasible.astype(np.int8), prepend=0, append=0)).reshape(-1, 2)
    middles = np.concatenate([x[:1], (x[:-1] + x[1:]) / 2, x[-1:]])
    strips = len({patch.get_gid() for patch in ax.patches if kind_of(patch) is Kind.INFEASIBLE})
    faint = (*to_rgb(color), 0.06)
    strip: dict[str, Any] = {"facecolor": (*to_rgb(color), 0.4), "edgecolor": color}
    for left, right in middles[edges].tolist():
        ax.axvspan(left, right, facecolor=faint, linewidth=0, zorder=0, gid=Kind.SHADE)
        foot = ax.axvspan(left, right, 0.03 * strips, 0.03 * (strips + 1), hatch="///", **strip)
        foot.set(label="bounds cut to one value", linewidth=0, zorder=1)
        foot.set_gid(f"{Kind.INFEASIBLE}{_SEPARATOR}{strips}")


# Names


def write_name(name: object) -> str:
    r"""Write a name for a legend, a title or an axis; of a long one both ends.

    Examples
    --------
    >>> write_name("_gain in $"), write_name("tree")
    (' _gain in \\$', 'tree')
    """
    text = str(name)
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") or not text else text


def write_key(key: Hashable) -> str:
    """Write a key."""
    if isinstance(key, tuple):
        return ", ".join(map(write_key, key))
    if isinstance(key, pd.Timestamp) and key == key.normalize():
        return str(key.date())
    return write_name(key)


def write_panel(name: str, value: Any) -> str:
    """Write the title of a panel."""
    return f"β̂ = {value:g}" if name == "beta" else f"{write_name(name)} = {write_key(value)}"


def write_quantity(name: str) -> str:
    """Write what an axis shows in words.

    Examples
    --------
    >>> write_quantity("npv"), write_quantity("f0.5"), write_quantity("balanced_accuracy")
    ('negative predictive value', 'F0.5', 'balanced accuracy')
    """
    return write_name(write_label(name))
