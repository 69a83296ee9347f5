"""Colours: those of hues, and of ink on whatever ground Axes have."""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from itertools import count, islice
from typing import Any, TypeAlias

import matplotlib as mpl
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, is_color_like, to_rgb, to_rgba

from pu_accessor.errors import PUTypeError, PUValueError, brief
from pu_accessor.ranking import FloatArray

Palette: TypeAlias = str | Sequence[Any] | Mapping[Any, Any] | Colormap | None
RGB: TypeAlias = tuple[float, float, float]

_OURS, _MANY = "colorblind", 8  # where no cycle was chosen, and as many of them as stay apart
_SEQUENCES = ("viridis", "flare")  # of betas; another one where there are some already
_SEEN = ((0.02, 0.78), (0.3, 0.98))  # parts of these that stand out on light and on dark grounds
_FEW = 32  # colours of a map that is a list of them, not a scale
_TURN = 0.618  # of the circle of hues from one colour to the next: the golden angle
_LIGHTS = (0.5, 0.75, 0.35)
_FAINT = 0.1  # difference from the ground of a colour that nobody sees


def luminance(color: Any) -> float:
    """Return how light a colour is, from 0 to 1.

    Examples
    --------
    >>> luminance("white"), round(luminance("red"), 2)
    (1.0, 0.3)
    """
    return float(np.round(to_rgb(color) @ np.array([0.299, 0.587, 0.114]), 12))


def ground(ax: Axes) -> RGB:
    """Return the colour that is seen behind what Axes hold."""
    paper = 0.0 if luminance(ax.xaxis.label.get_color()) > 0.5 else 1.0
    seen: FloatArray = np.full(3, paper)
    figure = ax.get_figure(root=True)
    for face in (figure.get_facecolor() if figure else "none", ax.get_facecolor()):
        *color, alpha = to_rgba(face)
        seen = (1 - alpha) * seen + alpha * np.array(color)
    return to_rgb(seen.tolist())


def is_dark(ax: Axes) -> bool:
    """Whether white stands out more than black on the ground of Axes."""
    return luminance(ground(ax)) < 0.5


def ink(ax: Axes, strength: float = 1.0) -> RGB:
    """Return black on a light ground, white on a dark one, or a grey that is nearer to it."""
    below = np.array(ground(ax))
    return to_rgb(((1 - strength) * below + strength * is_dark(ax)).tolist())


def check_palette(palette: object) -> None:
    """Raise unless there are such colours: before a figure is made."""
    if palette is None or isinstance(palette, Colormap):
        return
    if isinstance(palette, str):
        _check_name(palette)
        return
    # A generator would be used up here; an array of no dimensions cannot be gone through.
    if not isinstance(palette, Collection) or not getattr(palette, "ndim", 1):
        raise PUTypeError(
            f"palette must be a name, a list or mapping of colours, or a Colormap, but a "
            f"{type(palette).__name__} was passed. Pass palette='deep', for example."
        )
    colors = palette.values() if isinstance(palette, Mapping) else palette
    wrong = [*islice((color for color in colors if not is_color_like(color)), 1)]
    if wrong or not len(colors):
        what = brief(wrong[0]) if wrong else "nothing"
        raise PUValueError(
            f"palette must hold colours of matplotlib's, but {what} was passed. Pass for example "
            "palette=['C0', 'crimson', '#228833']."
        )


def _check_name(palette: str) -> None:
    """Raise unless seaborn knows the name."""
    try:
        sns.color_palette(palette, 1)
    except ValueError:
        one_color = f" For one colour pass a list: palette=[{palette!r}]."
        raise PUValueError(
            f"palette must be the name of a palette of seaborn's or of a colormap, but "
            f"{brief(palette)} was passed. Pass palette='deep', 'viridis', or a list of colours."
            f"{one_color if is_color_like(palette) else ''}"
        ) from None


def read_palette(palette: Palette, keys: Sequence[Hashable]) -> list[Any]:
    """Return the colour of each key that a user's palette says."""
    if isinstance(palette, Mapping):
        return _colors_of_keys(palette, keys)
    if isinstance(palette, str):
        drawn = [tuple(color) for color in sns.color_palette(palette, len(keys))]
        distinct = list(dict.fromkeys(drawn))
    elif isinstance(palette, Colormap):
        distinct = drawn = _sample(palette, len(keys))
    else:
        distinct = drawn = [*palette] if palette is not None else []
    if len(distinct) < len(keys):
        raise PUValueError(
            f"palette must have a colour for each of the {len(keys)} curves, but it has "
            f"{len(distinct)}. Pass one of as many as you want: palette='husl', or 'viridis'."
        )
    return drawn[: len(keys)]


def _colors_of_keys(palette: Mapping[Any, Any], keys: Sequence[Hashable]) -> list[Any]:
    """Look up the colour of each key."""
    lacking = [key for key in keys if key not in palette]
    if lacking and keys[0] is None:
        raise PUValueError(
            "palette must not be a mapping where there is one curve: its colour is "
            "line_kws={'color': 'C1'}."
        )
    if lacking:
        raise PUValueError(
            f"palette must have a colour for each key, but {brief(lacking)} is missing among "
            f"{brief([*palette])}. Add it, or pass a list of colours."
        )
    return [palette[key] for key in keys]


def _sample(colors: Colormap, size: int) -> list[Any]:
    """Take colours of a map: from a list the first ones, from a scale equal steps."""
    if colors.N <= _FEW:
        return [colors(index) for index in range(min(size, colors.N))]
    return [colors(share) for share in np.linspace(0, 1, size + 2)[1:-1]]


def next_colors(ax: Axes, taken: Sequence[Any], size: int, ordered: bool) -> list[Any]:
    """Return the colours that are next on some Axes."""
    if ordered:
        scale = sns.color_palette(_SEQUENCES[bool(taken)], as_cmap=True)
        first, last = _SEEN[is_dark(ax)]
        return [scale(share) for share in np.linspace(first, last, size)]
    used = {to_rgb(color) for color in taken}
    light = luminance(ground(ax))
    free = [
        color
        for color in _cycle()
        if to_rgb(color) not in used and abs(luminance(color) - light) > _FAINT
    ]
    more = (color for color in _around_the_circle() if to_rgb(color) not in used)
    return [*free[:size], *islice(more, max(size - len(free), 0))]


def _cycle() -> list[Any]:
    """Return the user's colours; ours where nobody has chosen any."""
    chosen = mpl.rcParams["axes.prop_cycle"]
    if chosen == mpl.rcParamsDefault["axes.prop_cycle"] or "color" not in chosen.keys:
        return [*sns.color_palette(_OURS)[:_MANY]]
    return list(dict.fromkeys(chosen.by_key()["color"]))


def _around_the_circle() -> Iterator[RGB]:
    """Yield colours without end, each far in hue from those just before it."""
    for turn in count():
        light = _LIGHTS[turn % len(_LIGHTS)]
        yield from sns.husl_palette(1, h=turn * _TURN % 1, s=0.9, l=light)
