"""Draw the lines, bands and marks of all plots, and write their labels."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from enum import StrEnum
from itertools import chain, count
from math import inf
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb, to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from scipy.ndimage import grey_closing

from pu_accessor.plots.options import Options, ground, ink
from pu_accessor.ranking import FloatArray

Path: TypeAlias = tuple[FloatArray, FloatArray]
_running_max = np.maximum.accumulate

_REFERENCES: Mapping[str, str] = {
    "negatives": "from known negatives",
    "tightest": "from the tighter kind",
}
_OTHER_DATA: Mapping[Any, str] = {"population": "future data"}
_TARGETS: Mapping[Any, str] = {**_OTHER_DATA, "examples": "this sample"}
_KINDS_OF_BAND = {name: f"pointwise ({name})" for name in ("binomial", "bootstrap")}
_KINDS_OF_BAND |= {"exact": "pointwise", "dkw": "simultaneous (dkw)"}
MAX_FILLED_BANDS = 6  # more than these overlap too much
_OPACITIES = (1, (0.25, 0.7)), (3, (0.18, 0.7)), (inf, (0.06, 0.45))  # of so many bands, and edges
_MAX_NAME, _MAX_KEY = 60, 40  # characters
_SEPARATOR, BEFORE_AREA = ": ", "  "
_VALLEYS = 200, 140, 100, 70, 50, 35, 25, 18, 12, 8, 5  # into how many parts of an edge they fit
_MIN_SPAN, _MAX_TURNS = 0.005, 5  # share of an axis that can be seen; of an edge without teeth
_RATE_MARGIN, COUNTS_HEIGHT = 0.02, 0.1  # beyond [0, 1], and of the Axes for counts


class Kind(StrEnum):
    """Kinds of artists in the order of the legend; also their group ids in vector files."""

    CURVE = "pu_accessor curve"
    BASELINE = "pu_accessor baseline"
    BAND = "pu_accessor band"
    CHANGE = "pu_accessor change"
    BREAK = "pu_accessor break"
    INFEASIBLE = "pu_accessor infeasible"
    LIMIT = "pu_accessor limit"
    CHANCE = "pu_accessor chance"
    HOLLOW = "pu_accessor hollow"
    SHADE = "pu_accessor shade"
    COUNTS = "pu_accessor counts"


class Curve(NamedTuple):
    """One curve to draw: its key, its vertices, and how it is drawn."""

    where: Mapping[str, Hashable]  # its key along each dimension
    beta: float | None  # none where beta is the x axis
    estimate: Path
    lower: Path
    upper: Path
    extra: dict[str, Any]  # other values that its plot draws or writes
    color: Any = None
    label: str = ""
    style: Mapping[str, Any] = {}  # other properties of its line

    @property
    def is_baseline(self) -> bool:
        """Whether it is that of beta = 0, drawn dashed."""
        return self.style.get("gid") == Kind.BASELINE


def kind_of(artist: Artist) -> Kind | None:
    """Return the kind of an artist, or None if this package did not draw it."""
    kind = str(getattr(artist, "get_gid", str)()).partition(_SEPARATOR)[0]
    return Kind(kind) if kind in {*Kind} else None


def curves_on(ax: Axes) -> list[Line2D]:
    """Return the curves already drawn on some Axes, without baselines."""
    return [line for line in ax.lines if kind_of(line) is Kind.CURVE]


def without_baselines(curves: Sequence[Curve]) -> Sequence[Curve]:
    """Return the curves that are no baselines, or all if there are only baselines."""
    return [curve for curve in curves if not curve.is_baseline] or curves


# Curves


def draw_lines(
    ax: Axes, curves: Sequence[Curve], looks: Options, *, dots: Mapping[str, Any] | None = None
) -> None:
    """Draw estimates as lines or dots, and baselines; no two colours share a label."""
    usual: dict[str, Any] = {"gid": Kind.CURVE, "linewidth": 1.8, "zorder": 3}
    dot = {"marker": "o", "markeredgecolor": ground(ax), "markeredgewidth": 0.75, **(dots or {})}
    naive = {} if dots is None else {"linestyle": "none", "marker": "x"}
    own = ({} if dots is None else dot) | dict(looks["line_kws"] or {})
    for curve in curves:
        style = usual | dict(curve.style) | (naive if curve.is_baseline else own)
        named = {"color": curve.color, "label": _own_label(ax, curve)}
        ax.plot(*known(curve.estimate), **named | style)


def _own_label(ax: Axes, curve: Curve) -> str:
    """Return a label that no curve of another colour has."""
    color = to_hex(curve.color)
    others = {line.get_label() for line in curves_on(ax) if to_hex(line.get_color()) != color}
    numbered = (f"{curve.label} ({number})" for number in count(2))
    return next(label for label in chain([curve.label], numbered) if label not in others)


def draw_bands(
    ax: Axes, curves: Sequence[Curve], label: str, looks: Options, *, is_shared: bool = False
) -> None:
    """Fill between the bounds: of many curves only with band_kws, or if they share one line."""
    drawn = [curve for curve in curves if not curve.is_baseline]
    if not (is_shared or len(drawn) <= MAX_FILLED_BANDS or looks["band_kws"]):
        return
    opacities = next(each for most, each in _OPACITIES if len(drawn) <= most)
    for curve in drawn:
        (x, y), (x_back, y_back) = known(curve.upper), known(curve.lower)
        corners = np.stack([np.append(x, x_back[::-1]), np.append(y, y_back[::-1])], axis=1)
        has_beta = is_shared and not curve.extra.get("interval")
        own = f"{label}, {curve.label}" if has_beta else label
        _fill(ax, corners, own, curve.color, looks, opacities)


def draw_bars(ax: Axes, curve: Curve, label: str, looks: Options, half: float, axis: int) -> None:
    """Draw the interval of each estimate as a bar; only the first is in the legend."""
    limits, across = (curve.lower[1], curve.upper[1]), np.array([-half, half, half, -half])
    for middle, low, high in zip(curve.estimate[axis], *limits, strict=True):
        if np.isfinite(high - low) and not curve.is_baseline:
            corners = np.stack([middle + across, [high, high, low, low]], axis=1)
            _fill(ax, corners[:, :: 1 - 2 * axis], label, curve.color, looks, _OPACITIES[0][1])
            label = f"_{label.lstrip('_')}"


def _fill(
    ax: Axes, corners: FloatArray, label: str, color: Any, looks: Options, opacities: Any
) -> None:
    """Fill an area, with an edge."""
    style = dict(looks["band_kws"] or {})
    face = style.pop("facecolor", None)
    color = style.pop("color", None) or face or color
    is_translucent = to_rgba(color)[3] < 1  # an alpha in band_kws has priority
    usual: dict[str, Any] = {"label": label, "gid": Kind.BAND, "linewidth": 0.6, "zorder": 2}
    usual["facecolor"] = color if is_translucent else (*to_rgb(color), opacities[0])
    usual["edgecolor"] = (*to_rgb(color), opacities[1])
    # add_patch would check each corner, which is slow.
    ax.add_artist(Polygon(corners, **usual | style))
    ax.update_datalim(corners)


def without_teeth(curve: Curve, name: str = "") -> Curve:
    """Return a curve with an outer hull of its band, whose edges have no teeth."""
    # A bound steps back at each known positive. The hull contains the band, and covers as much.
    (x, y), (x_up, y_up) = known(curve.lower), known(curve.upper)
    if name == "roc":
        lower = _running_max(x), -_running_max(-y[::-1])[::-1]
        upper = -_running_max(-x_up[::-1])[::-1], _running_max(y_up)
        return curve._replace(lower=lower, upper=upper)
    edge = _edge_above if name else _fill_valleys
    return curve._replace(lower=(x, -edge(x, -y)), upper=(x_up, edge(x_up, y_up)))


def _fill_valleys(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the edge above a path that adds least area and turns seldom: valleys are filled."""
    edge = _edge_above(x, y)
    for divisor in _VALLEYS:  # from the narrowest
        filled: FloatArray = grey_closing(y, (y.size // divisor | 1,), mode="nearest")
        slopes = np.sign(np.diff(filled))
        if np.count_nonzero(np.diff(slopes[slopes != 0])) <= _MAX_TURNS:
            return min(edge, filled, key=lambda one: float(np.trapezoid(one, x)))
    return edge


def _edge_above(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the edge above a path that adds least area, and that turns only once."""
    edges = [np.minimum(_running_max(y), _running_max(y[::-1])[::-1])]  # it rises, then falls
    for start in range(0, y.size, step := y.size // 50 + 1):  # or it falls, then rises
        turn = start + np.argmin(y[start : start + step])
        edges.append(np.append(_running_max(y[turn::-1])[:0:-1], _running_max(y[turn:])))
    widths = np.diff(x, prepend=x[:1]) + np.diff(x, append=x[-1:])
    return edges[int(np.argmin(edges @ widths))]


def known(path: Path) -> Path:
    """Return the vertices that have a value."""
    x, y = path
    is_known = np.isfinite(x) & np.isfinite(y)
    return (x, y) if is_known.all() else (x[is_known], y[is_known])


def step_corners(x: FloatArray, y: FloatArray) -> Path:
    """Return the corners of a step function."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


# Marks


def draw_chance(ax: Axes, x: Any, y: Any, **style: Any) -> None:
    """Draw a reference line, dotted; by default that of a random ranking."""
    ax.plot(x, y, **{**_reference(ax), **style})


def prevalences(curves: Sequence[Curve]) -> list[tuple[float, dict[str, Any]]]:
    """Return each prevalence of curves, with the colour of its curve if there are several."""
    colors = {curve.extra["prevalence"]: curve.color for curve in without_baselines(curves)}
    known = {share: color for share, color in colors.items() if np.isfinite(share)}
    return [(share, {"color": color} if len(colors) > 1 else {}) for share, color in known.items()]


def draw_diagonal(ax: Axes, label: str = "chance") -> None:
    """Draw the diagonal; many points keep it right on log scales."""
    along = [0.0, *np.geomspace(1e-6, 1, 61).tolist()]
    ax.add_artist(Line2D(along, along, **{**_reference(ax), "label": label}))


def _reference(ax: Axes) -> dict[str, Any]:
    """Return the style of a reference line."""
    style = {"color": ink(ax, 0.6), "label": "chance", "linestyle": ":", "linewidth": 1}
    return {**style, "gid": Kind.CHANCE, "zorder": 1}


def show_rates(ax: Axes, *, along: bool = True, below: float = 0) -> None:
    """Show [0, 1] on the y axis, or on both, while the scale is linear."""
    ax.margins(_RATE_MARGIN)  # else the frame covers the last step
    ax.update_datalim([(0, -below), (1, 1)], updatex=along)
    if ax.get_yscale() == "linear":
        ax.set_ylim(-(below + _RATE_MARGIN), 1 + _RATE_MARGIN, auto=True)
    if along and ax.get_xscale() == "linear":
        ax.set_xlim(-_RATE_MARGIN, 1 + _RATE_MARGIN, auto=True)


def draw_counts(ax: Axes, curves: Sequence[Curve], most: int) -> None:
    """Draw the number of examples in each bin at the foot; curves with equal bins share it."""
    bins = {tuple(curve.extra["left"]) + tuple(curve.extra["examples"]): curve for curve in curves}
    for curve in bins.values():
        x = np.stack([curve.extra["left"], curve.extra["right"]], 1).repeat(2, axis=1)
        heights = COUNTS_HEIGHT * curve.extra["examples"] / most
        y = heights[:, np.newaxis] * np.array([0, 1, 1, 0])
        strip = Polygon(np.stack([x.ravel(), y.ravel()], 1), transform=ax.get_xaxis_transform())
        grey = ink(ax, 0.6)
        strip.set(facecolor="none", edgecolor=grey, linewidth=0.6)
        strip.set(label=f"number of examples\n(at most {most:,})", gid=Kind.COUNTS, zorder=1)
        ax.add_artist(strip)


def draw_cross(ax: Axes, x: Any, y: Any, kind: Kind, label: str, color: Any) -> None:
    """Draw a cross."""
    style: dict[str, Any] = {"color": color, "marker": "X", "markeredgecolor": ground(ax)}
    ax.plot(x, y, label=label, gid=kind, linestyle="none", markersize=8, zorder=4, **style)


def mark_infeasible(ax: Axes, curves: Sequence[Curve]) -> None:
    """Shade where the band of a curve is impossible, with a strip in its colour at the foot."""
    marked = [one for one in curves if "cut" in one.extra and not one.is_baseline]
    marked = [one for one in marked if one.extra["cut"][0].size]
    if len(marked) > MAX_FILLED_BANDS:  # whose bands are not drawn
        return
    bottom = len({patch.get_gid() for patch in ax.patches if kind_of(patch) is Kind.INFEASIBLE})
    for curve in marked:
        x, is_cut = curve.extra["cut"]
        edges = np.flatnonzero(np.diff(is_cut, prepend=False, append=False)).reshape(-1, 2)
        spans = np.concatenate([x[:1], (x[:-1] + x[1:]) / 2, x[-1:]])[edges]
        gid = f"{Kind.INFEASIBLE}{_SEPARATOR}{bottom}"
        style = {"label": "no band: β may be too high", "linewidth": 0, "edgecolor": curve.color}
        for left, right in spans[np.diff(spans, axis=1)[:, 0] > _MIN_SPAN * np.ptp(x)].tolist():
            face, shade = (*to_rgb(curve.color), 0.4), (*to_rgb(curve.color), 0.06)
            ax.axvspan(left, right, facecolor=shade, linewidth=0, zorder=0, gid=Kind.SHADE)
            foot = 0.03 * bottom, 0.03 * (bottom + 1)
            ax.axvspan(left, right, *foot, facecolor=face, zorder=1, gid=gid, **style)
        bottom += len(spans) > 0


# Names


def write_level(attrs: Mapping[Any, Any]) -> str:
    """Write the level, if attributes have one."""
    return f"{100 * attrs['level']:.12g}% " if "level" in attrs else ""


def write_beta(beta: float, interval: Any = None, digits: int = 3) -> str:
    """Write beta, and its interval if it has one."""
    within = f" ({interval[0]:.3g} to {interval[1]:.3g})" if interval else ""
    return f"β = {beta:.{digits}g}{within}"


def intervals_of_beta(curves: Sequence[Curve]) -> set[Any]:
    """Return the intervals of beta of curves, None for numbers other than 0."""
    return {curve.extra.get("interval") for curve in curves if curve.beta != 0}


def band_label(
    attrs: Mapping[Any, Any],
    intervals: Collection[Any] = (),
    references: Any = (),
    what: str = "band",
) -> str:
    """Name a band or intervals: level, kind and assumptions, as far as attributes have them."""
    band = "" if what == "interval" else str(attrs.get("band", ""))
    kind = _KINDS_OF_BAND.get(band, band)
    odds, share = (attrs.get(name) for name in ("selection_odds", "contamination"))
    unlike = None if odds is None else f"odds within {odds:g}"
    wrong = f"contamination up to {100 * share:.3g}%" if share else None
    kinds = {*np.ravel(references).tolist()}
    reference = _REFERENCES.get(kinds.pop()) if len(kinds) == 1 else None
    targets = _TARGETS if what == "interval" else _OTHER_DATA
    target = targets.get(attrs.get("target"))
    shared = next(iter(intervals)) if len(intervals) == 1 else None
    within = f"β from {shared[0]:.3g} to {shared[1]:.3g}" if shared else None
    lines = "".join(f",\n{part}" for part in (unlike, wrong, reference, target, within) if part)
    name = f"{write_level(attrs)}{what}{', ' * bool(kind)}{kind}{lines}"
    return write_name(name, longest=2 * _MAX_NAME)


def write_name(name: object, longest: int = _MAX_NAME) -> str:
    r"""Write a name for a legend, a title or an axis; cut long names in the middle.

    Examples
    --------
    >>> write_name("_gain in $"), write_name("tree"), write_name("a long name", 9)
    (' _gain in \\$', 'tree', 'a l … ame')
    """
    text = cut(str(name), longest).replace("$", r"\$")
    return f" {text}" if text.startswith("_") or not text else text


def write_interval(value: float, lower: float, upper: float) -> str:
    """Write an estimate with its limits, where there are any."""
    limits = f" [{lower:.3f}, {upper:.3f}]" if np.isfinite([lower, upper]).all() else ""
    return f"{value:.3f}{limits}"


def cut(text: str, longest: int) -> str:
    """Shorten a long text to both its ends."""
    half = max((longest - 3) // 2, 2)
    return text if len(text) <= longest else f"{text[:half]} … {text[-half:]}"


def write_key(key: Hashable) -> str:
    """Write a key of a model or group."""
    if isinstance(key, tuple):
        return ", ".join(map(write_key, key))
    if isinstance(key, pd.Timestamp) and key == key.normalize():
        return str(key.date())
    return write_name(key, _MAX_KEY)
