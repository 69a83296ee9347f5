"""Colours: those of hues, and of ink on whatever ground Axes have."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import matplotlib as mpl
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, is_color_like, to_rgb, to_rgba

from pu_accessor.errors import PUTypeError, PUValueError, brief
from pu_accessor.ranking import FloatArray

__all__ = ["Palette", "check_palette", "contrast", "ground", "ink", "next_colors", "read_palette"]

Palette: TypeAlias = str | Sequence[Any] | Mapping[Any, Any] | Colormap | None
RGB: TypeAlias = tuple[float, float, float]

_OURS, _MANY = "colorblind", 8  # where no cycle was chosen, and as many of them as stay apart
_SEQUENCES = ("viridis", "flare")  # of betas; another one where there are some already
_FEW = 32  # colours of a map that is a list of them, not a scale
_SEEN, _FAINT = 2.5, 1.25  # contrasts with the ground: to be seen well, not to be seen
_HUES, _LIGHTS = 36, (0.35, 0.5, 0.65, 0.8)


def luminance(color: Any) -> float:
    """Return the relative luminance of a colour [1]_.

    References
    ----------
    .. [1] W3C, *Web Content Accessibility Guidelines 2.2*, 2023.

    Examples
    --------
    >>> luminance("white"), round(luminance("0.5"), 2)
    (1.0, 0.21)
    """
    return float(_linear(np.array(to_rgb(color))) @ [0.2126, 0.7152, 0.0722])


def contrast(one: Any, other: Any) -> float:
    """Return the contrast of two colours, from 1 to 21.

    Examples
    --------
    >>> round(contrast("black", "white"), 9)
    21.0
    """
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def ground(ax: Axes) -> RGB:
    """Return the colour that is seen behind what Axes hold."""
    paper = 0.0 if luminance(ax.xaxis.label.get_color()) > 0.5 else 1.0
    seen: FloatArray = np.full(3, paper)
    figure = ax.get_figure(root=True)
    for face in (figure.get_facecolor() if figure else "none", ax.get_facecolor()):
        *color, alpha = to_rgba(face)
        seen = (1 - alpha) * seen + alpha * np.array(color)
    return to_rgb(seen.tolist())


def ink(ax: Axes, strength: float = 1.0) -> RGB:
    """Return black on a light ground, white on a dark one, or a grey that is nearer to it."""
    below = np.array(ground(ax))
    top = 1.0 if contrast("white", ground(ax)) > contrast("black", ground(ax)) else 0.0
    return to_rgb(((1 - strength) * below + strength * top).tolist())


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
    colors = [*(palette.values() if isinstance(palette, Mapping) else palette)]
    wrong = [color for color in colors if not is_color_like(color)]
    if wrong or not colors:
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
        one = f" For one colour pass a list: palette=[{palette!r}]."
        raise PUValueError(
            f"palette must be the name of a palette of seaborn's or of a colormap, but "
            f"{brief(palette)} was passed. Pass palette='deep', 'viridis', or a list of colours."
            f"{one if is_color_like(palette) else ''}"
        ) from None


def read_palette(palette: Palette, keys: Sequence[Hashable]) -> list[Any]:
    """Return the colour of each key that a user's palette says."""
    if isinstance(palette, Mapping):
        return _colors_of_keys(palette, keys)
    if isinstance(palette, str):
        found = [tuple(color) for color in sns.color_palette(palette, len(keys))]
        known = list(dict.fromkeys(found))
    elif isinstance(palette, Colormap):
        known = found = _sample(palette, len(keys))
    else:
        known = found = [*palette] if palette is not None else []
    if len(known) < len(keys):
        raise PUValueError(
            f"palette must have a colour for each of the {len(keys)} curves, but it has "
            f"{len(known)}. Pass one of as many as you want: palette='husl', or 'viridis'."
        )
    return found[: len(keys)]


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
        return [colors(place) for place in range(min(size, colors.N))]
    return [colors(place) for place in np.linspace(0, 1, size + 2)[1:-1]]


def next_colors(ax: Axes, taken: Sequence[Any], size: int, ordered: bool) -> list[Any]:
    """Return the colours that are next on some Axes."""
    below = ground(ax)
    if ordered:
        scale = sns.color_palette(_SEQUENCES[bool(taken)], as_cmap=True)
        seen = [color for color in scale(np.arange(256)) if contrast(color[:3], below) > 2]
        places = np.linspace(0, len(seen) - 1, size + 2)[1:-1].round().astype(int)
        return [tuple(seen[place]) for place in places]
    used = {to_rgb(color) for color in taken}
    free = [color for color in _cycle() if to_rgb(color) not in used]
    free = [color for color in free if contrast(color, below) > _FAINT][:size]
    return [*free, *_apart(size - len(free), [*taken, *free], below)]


def _cycle() -> list[Any]:
    """Return the user's colours; ours where nobody has chosen any."""
    chosen = mpl.rcParams["axes.prop_cycle"]
    if chosen == mpl.rcParamsDefault["axes.prop_cycle"] or "color" not in chosen.keys:
        return [*sns.color_palette(_OURS)[:_MANY]]
    return list(dict.fromkeys(chosen.by_key()["color"]))


def _apart(size: int, taken: Sequence[Any], below: RGB) -> list[Any]:
    """Choose colours one after the other, each as far as can be from all before."""
    every = [color for light in _LIGHTS for color in sns.husl_palette(_HUES, 0.01, 0.9, light)]
    seen = [color for color in every if contrast(color, below) >= _SEEN]
    if size > len(seen):
        return [*sns.husl_palette(size)]  # nobody tells so many apart
    places = _perceived(seen)
    away = np.full(len(seen), np.inf)
    for one in _perceived([below, *taken]):
        away = np.minimum(away, np.linalg.norm(places - one, axis=1))
    chosen = []
    for _ in range(size):
        best = int(away.argmax())
        chosen.append(seen[best])
        away = np.minimum(away, np.linalg.norm(places - places[best], axis=1))
    return chosen


def _linear(channels: FloatArray) -> FloatArray:
    """Return the light of channels of sRGB."""
    light: FloatArray = np.where(
        channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
    )
    return light


def _perceived(colors: Sequence[Any]) -> FloatArray:
    """Return colours where distances are those that are perceived: Oklab (B. Ottosson, 2020)."""
    cones = _linear(np.array([to_rgb(color) for color in colors])) @ _CONES.T
    places: FloatArray = np.cbrt(cones) @ _OKLAB.T
    return places


_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
