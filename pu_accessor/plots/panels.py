"""Give curves colours, names and panels, and draw them on Axes or a grid."""

import textwrap
import warnings
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from io import BytesIO
from itertools import cycle, islice
from typing import Any, TypeAlias

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from seaborn import FacetGrid

from pu_accessor.errors import PUValueError
from pu_accessor.plots import drawing, options
from pu_accessor.plots.drawing import Curve, Kind, write_key, write_name
from pu_accessor.plots.legends import add_legend
from pu_accessor.words import suggest

Drawing: TypeAlias = Axes | FacetGrid
Values: TypeAlias = Mapping[str, Sequence[Hashable]]
Draw: TypeAlias = Callable[[Axes, list[Curve]], None]

_BASELINE_LABEL = "β = 0 (unlabeled as negative)"
_NAIVE = {"gid": Kind.BASELINE, "linestyle": "--", "linewidth": 1.3}
_MAX_NAMED, _BEST, _OTHERS_INK = 8, 3, 0.35  # models in colour; of more, the best alone
_OTHER = {"linewidth": 0.9, "zorder": 2.5}
_GREY = 0.02  # range of the channels of a colour that is a grey
_DASHES = "-", (0, (4, 1.5)), (0, (1, 1)), (0, (4, 1, 1, 1)), (0, (8, 2))  # of grey curves
_FIGURE, _SMALL_FIGURE = (7.1, 4.8), (5.6, 4.2)  # inches
_PANEL_HEIGHT = 3.2  # of a panel, in inches
_LABEL_SHARE = 0.85  # of an axis, for a line of its label; layouts may shorten the axis


def draw_panels(curves: Sequence[Curve], draw: Draw, looks: options.Options) -> Drawing:
    """Draw each curve in its panel and hue."""
    if not any(np.isfinite(y).any() for curve in curves for _, y in curve[2:5]):
        raise PUValueError(
            "There is nothing to draw: no estimate and no limit has a value. Try another beta."
        )
    if looks["baseline"] and not any(curve.beta in (0, None) for curve in curves):
        betas = list(dict.fromkeys(curve.beta for curve in curves))
        raise PUValueError(
            f"baseline=True needs tables for beta = 0, but there are {betas}. Make them with it: "
            "df.pu.contingency(beta=[0, 0.3])."
        )
    names = curves[0].where
    values = {name: [*dict.fromkeys(curve.where[name] for curve in curves)] for name in names}
    # The baseline has a key where it is alone; a group without unlabeled rows has no beta.
    if "beta" in values and len({curve.beta for curve in curves} - {None}) > 1:
        values["beta"] = [beta for beta in values["beta"] if beta != 0]
    looks = _assign(looks, curves, values)
    before = set(plt.get_fignums())
    try:
        if looks["col"] is not None:
            return _draw_grid(curves, draw, looks, values)
        ax = _new_axes() if looks["ax"] is None else looks["ax"]
        colored = _color_curves(ax, curves, looks, values)
        draw(ax, colored)
        _break_labels(ax)
        add_legend([ax], colored, looks, _title(curves, looks, values))
        return ax
    except Exception:
        for number in set(plt.get_fignums()) - before:  # of an incomplete plot
            plt.close(number)
        raise


def write_svg(plot: Callable[..., Axes]) -> bytes:
    """Return a plot as a small picture in SVG, without fonts."""
    figure, drawn = Figure(figsize=_SMALL_FIGURE, layout="constrained"), BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The legend was left out")
        ax = plot(ax=figure.subplots())
    if ax.get_legend() is None:
        figure.legend(loc="outside lower center", ncols=2, fontsize="small", frameon=False)
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "pu_accessor"}):
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()


def _new_axes() -> Axes:
    """Return the Axes of a new figure, of our size unless the user has set another."""
    size = mpl.rcParams["figure.figsize"]
    is_usual = size == mpl.rcParamsDefault["figure.figsize"]
    return plt.subplots(layout="constrained", figsize=_FIGURE if is_usual else size)[1]


def _assign(looks: options.Options, curves: Sequence[Curve], values: Values) -> options.Options:
    """Check that hue and col are dimensions; one more that tells curves apart is hue."""
    named = options.dimensions(looks)
    for name, dim in named.items():
        if dim not in values:
            by = f" For groups of rows, say so before: df.pu(by={dim!r})."
            raise PUValueError(
                f"{name} must be one of the dimensions {list(values)}, but {dim!r} was passed."
                f"{suggest(dim, values, places=()) or by}"
            )
    asked = [*named.values()]
    shown = [curve for curve in curves if curve.where.get("beta") in values.get("beta", [None])]

    def number(*names: str) -> int:  # of curves that these tell apart, without baselines
        return len({tuple(curve.where[name] for name in names) for curve in shown})

    left: list[str] = []
    for name in values:  # a group comes before its levels
        if number(*asked, *left, name) > number(*asked, *left):
            left.append(name)
    if not left:
        return looks
    alone = [name for name in values if number(*asked, name) == number(*asked, *left)]
    if alone and looks["hue"] is None:
        return {**looks, "hue": min(alone, key=lambda name: len(values[name]))}
    free = [name for name in ("hue", "col") if name not in named]
    advice = f"Draw fewer: of {left[-1]} one at a time."
    if len(left) <= len(free):
        written = (f"{name}={dim!r}" for name, dim in zip(free, left, strict=False))
        advice = f"Pass {', '.join(written)}."
    raise PUValueError(
        f"Curves differ in {', '.join(left)}: hue and col must tell them apart. {advice}"
    )


def _draw_grid(
    curves: Sequence[Curve], draw: Draw, looks: options.Options, values: Values
) -> FacetGrid:
    """Draw a grid of panels with one legend."""
    col = str(looks["col"])
    with plt.rc_context({"text.parse_math": False}):  # seaborn's first titles may contain $
        grid = FacetGrid(
            pd.DataFrame({col: [curve.where[col] for curve in curves]}),
            col=col,
            col_order=values[col],
            col_wrap=4 if len(values[col]) > 4 else None,
            height=_PANEL_HEIGHT if looks["height"] is None else float(looks["height"]),
        )
    for text in grid.figure.findobj(Text):
        text.set_parse_math(True)
    axes = [*grid.axes.flat]
    colored = _color_curves(axes[0], curves, looks, values)
    for key, ax in grid.axes_dict.items():
        is_beta = col == "beta"  # a baseline belongs to the panels of all betas
        draw(ax, [c for c in colored if c.where[col] == key or (is_beta and c.beta == 0)])
        ax.set_title(f"β = {key:g}" if is_beta else f"{write_name(col)} = {write_key(key)}")
    drawn = next(ax for ax in axes if ax.get_xlabel())
    grid.set_axis_labels(drawn.get_xlabel(), drawn.get_ylabel())  # only on the outer panels
    for ax in axes:
        _break_labels(ax, ax.title)
    grid.figure.set_layout_engine("constrained")
    add_legend(axes, colored, looks, _title(curves, looks, values))
    grid._legend = next(iter(grid.figure.legends), None)  # for seaborn.move_legend
    return grid


def _break_labels(ax: Axes, *titles: Text) -> None:
    """Break labels and titles that are longer than their axis."""
    frame = ax.get_window_extent()
    along = [(text, frame.width) for text in (*titles, ax.xaxis.label)]
    for label, side in [*along, (ax.yaxis.label, frame.height)]:
        lines, room = label.get_text().split("\n"), _LABEL_SHARE * side
        length = max(label.get_window_extent().size)
        if length > room > 0:
            width = max(8, int(max(map(len, lines)) * room / length))
            label.set_text("\n".join(textwrap.fill(line, width) for line in lines))


# Colours and names of curves


def _color_curves(
    ax: Axes, curves: Sequence[Curve], looks: options.Options, values: Values
) -> list[Curve]:
    """Give each curve a colour and a name, baselines last."""
    hue = looks["hue"]
    keys = values[hue] if hue else [None]
    others = _not_among_best(curves, looks, keys)
    named = [key for key in keys if key not in others]
    colors = dict(zip(named, _colors(ax, looks, named), strict=True))
    colors |= dict.fromkeys(others, options.ink(ax, _OTHERS_INK))
    is_chosen = looks["palette"] is not None or "color" in (looks["line_kws"] or {})
    is_grey = not is_chosen and all(np.ptp(to_rgb(one)) < _GREY for one in colors.values())
    styles = islice(cycle(_DASHES if is_grey else "-"), len(drawing.curves_on(ax)), None)
    dashes = {key: {"linestyle": style} for key, style in zip(named, styles, strict=False)}
    betas = {curve.beta for curve in curves}
    by_model = hue not in (None, "beta") and len(keys) > 1
    numbers = [beta for beta in betas if beta is not None]
    digits = next(  # as many as make them different
        d for d in range(3, 18) if len({f"{beta:.{d}g}" for beta in numbers}) == len(numbers)
    )
    intervals = drawing.intervals_of_beta(curves)
    has_own = len(intervals) > 1 or (hue is None and bool(curves[0].extra.get("area")))
    gap = drawing.BEFORE_AREA + "\n" * (hue is None or has_own)  # of one curve, or a long name
    first, last, naive = [], [], []
    for curve in curves:
        key = curve.where[hue] if hue else None
        if curve.beta == 0 and "beta" in curve.where and (len(betas) > 1 or not by_model):
            color = colors[key] if by_model else options.ink(ax, 0.75)
            naive.append(curve._replace(color=color, label=_BASELINE_LABEL, style=_NAIVE))
        elif key in others:
            label = f"{len(others)} others"
            last.append(curve._replace(color=colors[key], label=label, style=_OTHER))
        else:
            area = "" if looks["col"] is not None else curve.extra.get("area", "")
            if area and hue is None:
                area = f"{curve.extra['area_name']} {area}"
            label = _name(curve, looks, digits, has_own) + (area and gap + area)
            first.append(curve._replace(color=colors[key], label=label, style=dashes[key]))
    return [*first, *last, *naive]


def _not_among_best(
    curves: Sequence[Curve], looks: options.Options, keys: Sequence[Hashable]
) -> Collection[Hashable]:
    """Return the keys of many models that are grey: all but the best by the mean height."""
    hue, styled = looks["hue"], looks["palette"] or looks["line_kws"]
    if hue in (None, "beta") or styled or len(keys) <= _MAX_NAMED or "sign" not in curves[0].extra:
        return ()
    best_first = sorted(curves, key=_mean_height, reverse=True)
    return [*dict.fromkeys(curve.where[hue] for curve in best_first)][_BEST:]


def _mean_height(curve: Curve) -> float:
    """Return the mean height of a curve, negative if less is better."""
    x, y = drawing.known(curve.estimate)
    mean = np.trapezoid(y, x) / max(np.ptp(x), 1e-12) if x.size else -np.inf
    return float(curve.extra["sign"] * mean)


def _colors(ax: Axes, looks: options.Options, keys: Sequence[Hashable]) -> list[Any]:
    """Return the colour of each key; a colour in line_kws is also that of the band."""
    if (color := (looks["line_kws"] or {}).get("color")) is not None:
        return [color] * len(keys)
    if looks["palette"] is not None:
        return options.read_palette(looks["palette"], keys)
    taken = [line.get_color() for line in drawing.curves_on(ax)]
    return options.next_colors(ax, taken, len(keys), looks["hue"] == "beta" and len(keys) > 1)


def _name(curve: Curve, looks: options.Options, digits: int, has_own_interval: bool) -> str:
    """Return the name of a curve: its key, and its beta if no other text says it."""
    hue, score = looks["hue"], curve.extra.get("score")
    is_said, name = looks["col"] == "beta", ""
    if hue is None:
        name = write_name(score) if score else ""
    elif hue != "beta":
        is_said, name = "beta" in curve.where, write_key(curve.where[hue])
    interval = curve.extra.get("interval") if has_own_interval else None
    if curve.beta is None or (is_said and not interval):
        return name or "estimate"
    return ", ".join(filter(None, [name, drawing.write_beta(curve.beta, interval, digits)]))


def _title(curves: Sequence[Curve], looks: options.Options, values: Values) -> str:
    """Return the title of the legend: what hues are, what all curves share, and their area."""
    hue, extra, title = looks["hue"], curves[0].extra, ""
    if hue is None:
        return ""
    if hue != "beta":
        betas = values.get("beta", [])
        has_one_beta = len(betas) == 1 and looks["col"] != "beta"
        title = write_name(hue) + (f" (β = {betas[0]:.3g})" if has_one_beta else "")
    elif extra.get("score") is not None and {*values} == {"beta"}:
        title = write_name(extra["score"])
    has_area = any(curve.extra.get("area") for curve in curves) and looks["col"] is None
    return title + has_area * f"{drawing.BEFORE_AREA}{extra.get('area_name')}"
