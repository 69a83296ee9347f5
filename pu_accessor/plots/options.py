"""Check the options that all plots take, and choose colours that suit the background."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, count, islice
from math import inf
from typing import Any, TypeAlias, TypedDict

import matplotlib as mpl
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.cbook import normalize_kwargs
from matplotlib.colors import Colormap, is_color_like, to_rgb, to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from pu_accessor.checks import check_flag, is_number
from pu_accessor.errors import PUTypeError, PUValueError, brief

Palette: TypeAlias = str | Sequence[Any] | Mapping[Any, Any] | Colormap | None
Style: TypeAlias = Mapping[str, Any] | None
RGB: TypeAlias = tuple[float, float, float]

_PALETTE, _MAX_COLORS = "colorblind", 8  # while the user has no colour cycle
_BETA_MAPS = ("Blues", "Oranges")  # one hue, light to dark; the second for more betas on the Axes
_MAP_RANGES = ((0.45, 1.0), (0.65, 0.15))  # shares that are legible on light and on dark
_MAX_LISTED_COLORS = 32  # of a colormap that is a list, not a scale
_HUE_STEP = 0.618  # of the colour circle: the golden angle
_LIGHTS = (0.5, 0.75, 0.35)
_CONTRAST = 0.1  # in luminance, with the background


class Options(TypedDict, total=False):
    """The options that all plots take. They are checked before any data are read.

    Parameters
    ----------
    hue, col : str, optional
        What colours and panels show: "beta", "model" for a list of scores, or names of `by` or
        dimensions. A dimension that is left over gets the colours.
    ax : Axes, optional
        Where to draw; new if not given.
    line_kws, band_kws : mapping, optional
        Properties of the estimates' Line2D and of the bands' Polygon; a band has its line's
        colour.
    palette : Palette, optional
        As in seaborn: a name, such as "deep" or "viridis", a list of colours, or a mapping from
        keys to colours. By default the next colours of your colour cycle, or for several betas
        one hue from light to dark.
    legend : bool, default True
        Draw a legend: outside the Axes of a new figure; on Axes of yours inside or, where it would
        hide data, below. Of more than six betas it names some.
    height : float, optional
        Height of each panel of a grid, in inches.
    baseline : bool, default False
        Draw the dashed curve of beta = 0, where all unlabeled rows are negative.
    """

    hue: str | None
    col: str | None
    ax: Axes | None
    line_kws: Style
    band_kws: Style
    palette: Palette
    legend: bool
    height: float | None
    baseline: bool


def check_options(looks: Options) -> Options:
    """Return options with defaults filled in, or raise if one is not valid."""
    named: Any = {**dict.fromkeys(Options.__annotations__), "legend": True, "baseline": False}
    named |= looks
    for flag in ("legend", "baseline"):
        check_flag(flag, named[flag])
    empty: Mapping[str, Any] = {"line_kws": (Line2D, [], []), "band_kws": (Polygon, [(0, 0)])}
    for argument, (kind, *vertices) in empty.items():
        style = named[argument]
        try:
            named[argument] = normalize_kwargs(dict(style or {}), kind)
            kind(*vertices, **named[argument])
        except (AttributeError, TypeError, ValueError) as error:
            raise PUTypeError(
                f"{argument} must be a mapping of properties of matplotlib's {kind.__name__}, but "
                f"{style!r} was passed: {error}"
            ) from error
    if named["palette"] is not None:
        read_palette(named["palette"])
    _check_place(named, named["ax"], named["height"])
    return named  # type: ignore[no-any-return]


def dimensions(looks: Options) -> dict[str, str]:
    """Return hue and col, as far as they are given."""
    given = {"hue": looks["hue"], "col": looks["col"]}
    return {name: dim for name, dim in given.items() if dim is not None}


def _check_place(looks: Options, ax: object, height: float | None) -> None:
    """Raise unless hue, col, ax and height fit together."""
    named = dimensions(looks)
    dims = [*named.values()]
    if not all(isinstance(dim, str) for dim in dims) or len({*dims}) < len(dims):
        raise PUValueError(
            f"{' and '.join(named)} must be the name of a dimension, each another, but "
            f"{brief(dims)} was passed. Pass for example hue='model'."
        )
    if not isinstance(ax, Axes | None):
        one = " Pass one of them: ax=axes.flat[0]." if isinstance(ax, np.ndarray) else ""
        raise PUTypeError(
            f"ax must be a matplotlib Axes, but a {type(ax).__name__} was passed.{one}"
        )
    if ax is not None and looks["col"] is not None:
        raise PUValueError(
            "ax must not be passed with col, which makes a figure of its own. Leave one of the "
            "two out; hue works on Axes."
        )
    is_size = height is None or (is_number(height) and 0 < float(height) < inf)
    if not is_size or (height is not None and looks["col"] is None):
        raise PUValueError(
            "height must be a number of inches above 0 for the panels of col, but "
            f"{brief(height)} was passed. Pass height=3 with col='model'; of one plot make the "
            "Axes: ax=plt.subplots(figsize=(4, 3))[1]."
        )


def luminance(color: Any) -> float:
    """Return how light a colour is, from 0 to 1.

    Examples
    --------
    >>> luminance("white"), round(luminance("red"), 2)
    (1.0, 0.3)
    """
    return float(np.round(to_rgb(color) @ np.array([0.299, 0.587, 0.114]), 12))


def ground(ax: Axes) -> RGB:
    """Return the background colour of Axes."""
    figure = ax.get_figure(root=True)
    seen: Any = np.full(3, float(luminance(ax.xaxis.label.get_color()) <= 0.5))  # the paper
    for face in (figure.get_facecolor() if figure else "none", ax.get_facecolor()):
        *color, alpha = to_rgba(face)
        seen = (1 - alpha) * seen + alpha * np.array(color)
    return to_rgb(seen.tolist())


def ink(ax: Axes, strength: float = 1.0) -> RGB:
    """Return black on a light background, white on a dark one, or a grey."""
    below = ground(ax)
    is_dark = luminance(below) < 0.5
    return to_rgb(((1 - strength) * np.array(below) + strength * is_dark).tolist())


def read_palette(palette: Any, keys: Sequence[Hashable] = ()) -> list[Any]:
    """Return the colour of each key in a user's palette, or raise if it has no valid colours."""
    size, colors = len(keys), list[Any]()
    if isinstance(palette, str):
        with suppress(ValueError):  # no palette has that name
            # Short palettes repeat.
            colors = [*dict.fromkeys(sns.color_palette(palette, max(size, 1)))]
    elif isinstance(palette, Colormap):  # a list of colours, or a scale
        is_list = palette.N <= _MAX_LISTED_COLORS
        steps = range(palette.N) if is_list else np.linspace(0, 1, (size or 1) + 2)[1:-1]
        colors = [palette(step) for step in steps]
    elif isinstance(palette, Mapping):
        if lacking := [key for key in keys if key not in palette]:
            raise PUValueError(
                f"palette must have a colour for each key, but {brief(lacking)} is missing among "
                f"{brief([*palette])}. Add it, or pass a list of colours; of a single curve the "
                "colour is line_kws={'color': 'C1'}."
            )
        colors = [palette[key] for key in keys or palette]
    elif isinstance(palette, Collection) and getattr(palette, "ndim", True):  # no 0-d array
        colors = [*palette]
    wrong = [brief(color) for color in colors if not is_color_like(color)]
    if wrong or not colors:
        raise PUValueError(
            "palette must be the name of a palette of seaborn's or of a colormap, or contain "
            f"matplotlib colours, but {[*wrong, brief(palette)][0]} was passed. Pass for example "
            "palette='deep', 'viridis', or ['C0', '#228833']."
        )
    if len(colors) < size:
        raise PUValueError(
            f"palette must have a colour for each of the {size} curves, but it has {len(colors)}. "
            "Pass one of as many as you want: palette='husl', or 'viridis'."
        )
    return colors[:size]


def next_colors(ax: Axes, taken: Sequence[Any], size: int, ordered: bool) -> list[Any]:
    """Return the next colours on some Axes, from the user's colour cycle or the default one."""
    light, used = luminance(ground(ax)), {to_rgb(color) for color in taken}
    if ordered:
        scale = sns.color_palette(_BETA_MAPS[bool(taken)], as_cmap=True)
        return [scale(share) for share in np.linspace(*_MAP_RANGES[light < 0.5], size)]
    cycle = mpl.rcParams["axes.prop_cycle"]
    is_ours = cycle == mpl.rcParamsDefault["axes.prop_cycle"] or "color" not in cycle.keys
    usual = sns.color_palette(_PALETTE)[:_MAX_COLORS] if is_ours else [*cycle.by_key()["color"]]
    seen = (color for color in dict.fromkeys(usual) if abs(luminance(color) - light) > _CONTRAST)
    around = (  # without end; neighbours differ in hue
        sns.husl_palette(1, h=turn * _HUE_STEP % 1, s=0.9, l=_LIGHTS[turn % len(_LIGHTS)])[0]
        for turn in count()
    )
    free = (color for color in chain(seen, around) if to_rgb(color) not in used)
    return [*islice(free, size)]
