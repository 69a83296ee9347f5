"""Which curve gets which colour and which name."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.cbook import normalize_kwargs
from matplotlib.lines import Line2D

from pu_accessor.plots.artists import Curve, curves_on
from pu_accessor.plots.colors import ink, next_colors, read_palette
from pu_accessor.plots.names import tell_key, write_name
from pu_accessor.plots.options import Look
from pu_accessor.plots.slices import Slice, Values

__all__ = ["color_curves", "too_many", "write_title"]

_NAIVE = "β̂ = 0 (unlabeled as negative)"
_BRIEF = 6  # betas that a legend names where their order says the rest


def color_curves(ax: Axes, slices: Sequence[Slice], look: Look, values: Values) -> list[Curve]:
    """Give each curve a colour and a name, baselines last."""
    hue = look.hue
    keys = values[hue] if hue else [None]
    colors = dict(zip(keys, _colors(ax, look, keys), strict=True))
    betas = {one.beta for one in slices}
    write_beta = _beta_writer(betas)
    by_model = hue not in (None, "beta") and len(keys) > 1
    naive = [
        one.beta == 0 and "beta" in one.where and (len(betas) > 1 or not by_model)
        for one in slices
    ]
    curves = []
    among = naive.count(False)
    for one, is_baseline in zip(slices, naive, strict=True):
        key = one.where[hue] if hue else None
        color = colors[key] if by_model or not is_baseline else ink(ax, 0.75)
        label = _NAIVE if is_baseline else _name(hue, key, one, write_beta)
        curves.append(Curve(one.data, color, label, is_baseline, among, by_model))
    return sorted(curves, key=lambda curve: curve.is_baseline)


def _colors(ax: Axes, look: Look, keys: Sequence[Hashable]) -> list[Any]:
    """Return the colour of each key: what the line is asked to have, the band has as well."""
    asked = normalize_kwargs(dict(look.line_kws or {}), Line2D).get("color")
    if asked is not None:
        return [asked] * len(keys)
    if look.palette is not None:
        return read_palette(look.palette, keys)
    taken = [line.get_color() for line in curves_on(ax)]
    return next_colors(ax, taken, len(keys), look.hue == "beta" and len(keys) > 1)


def too_many(curves: Sequence[Curve], look: Look) -> set[str]:
    """Return the labels that a legend can do without: of many betas it names a few."""
    labels = [curve.label for curve in curves if not curve.is_baseline]
    if look.hue != "beta" or look.legend not in ("auto", "brief") or len(labels) <= _BRIEF:
        return set()
    step = -(-(len(labels) - 1) // (_BRIEF - 1))
    return {*labels} - {*labels[::step]}


def _beta_writer(betas: set[float | None]) -> Callable[[float | None], str]:
    """Return how to write betas, in as many digits as tell them apart."""
    numbers = [beta for beta in betas if beta is not None]
    digits = next(
        d for d in range(3, 18) if len({f"{beta:.{d}g}" for beta in numbers}) == len(numbers)
    )
    return lambda beta: "estimate" if beta is None else f"β̂ = {beta:.{digits}g}"


def _name(
    hue: str | None, key: Hashable, one: Slice, write_beta: Callable[[float | None], str]
) -> str:
    """Return the name of a curve: that of its hue, with a beta of its own where it has one."""
    if hue in (None, "beta"):
        return write_beta(one.beta)
    own = one.beta is not None and "beta" not in one.where
    return f"{tell_key(key)}, {write_beta(one.beta)}" if own else tell_key(key)


def write_title(look: Look, values: Values) -> str:
    """Say what the hues are, and the one beta that all have."""
    if look.hue in (None, "beta"):
        return ""
    betas = values.get("beta", [])
    alone = len(betas) == 1 and "beta" not in (look.col, look.row)
    hue = write_name(look.hue)
    return f"{hue} (β̂ = {betas[0]:.3g})" if alone else hue
