"""A Dataset of many dimensions -> its curves, with a colour and a name each -> Axes or a grid."""

import textwrap
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import matplotlib.pyplot as plt
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.text import Text
from seaborn import FacetGrid

from pu_accessor.datasets.slices import Slice, settled_names, take_apart, values_along
from pu_accessor.errors import PUValueError, suggestion
from pu_accessor.plots.artists import Curve, curves_on, write_key, write_name, write_panel
from pu_accessor.plots.colors import ink, next_colors, read_palette
from pu_accessor.plots.legends import add_legend
from pu_accessor.plots.options import Options

Drawing: TypeAlias = Axes | FacetGrid
Values: TypeAlias = Mapping[str, Sequence[Hashable]]
Draw: TypeAlias = Callable[[Axes, list[Curve]], None]

_NAIVE = "β̂ = 0 (unlabeled as negative)"
_BRIEF = 6  # betas that a legend names where their order says the rest
_HEIGHT = 3.2  # of a panel, in inches
_LINE = 0.85  # of an axis, for each line of its label: a layout may still make the axis shorter


# Panels


def draw_panels(
    dataset: xr.Dataset, draw: Draw, options: Options, *, along: str | None = None
) -> Drawing:
    """Draw each curve of a Dataset in its panel and hue."""
    _check_baseline(dataset, options)
    slices = take_apart(dataset, along)
    values = values_along(slices)
    options = _assign(dataset, options, values)
    before = set(plt.get_fignums())
    try:
        if options.has_panels:
            return _draw_grid(slices, draw, options, values)
        return _draw_axes(slices, draw, options, values)
    except Exception:
        for number in set(plt.get_fignums()) - before:  # nobody has a use for half a picture
            plt.close(number)
        raise


def _check_baseline(dataset: xr.Dataset, options: Options) -> None:
    """Raise where a baseline is insisted on and there is none."""
    if options.baseline and "beta" in dataset.coords and not (dataset["beta"] == 0).any():
        raise PUValueError(
            f"baseline=True needs tables for beta = 0, but there are {dataset['beta'].values}. "
            "Make them with it: df.pu.contingency(beta=[0, 0.3])."
        )


def _assign(dataset: xr.Dataset, options: Options, values: Values) -> Options:
    """Check that hue, col and row are dimensions, and take the one that is left as hue."""
    named = options.dimensions
    for name, dim in named.items():
        if dim not in values:
            by = f" For groups of rows, say so before: df.pu(by={dim!r})."
            raise PUValueError(
                f"{name} must be one of the dimensions {list(values)}, but {dim!r} was passed."
                f"{suggestion(dim, values) or by}"
            )
    settled = settled_names(dataset, set(named.values()))
    left = [name for name, keys in values.items() if len(keys) > 1 and name not in settled]
    if len(left) > (options.hue is None):
        raise PUValueError(
            f"Curves differ in {', '.join(left)}: hue, col and row must tell them apart. "
            f"{_tell_apart(left, [name for name in ('hue', 'col', 'row') if name not in named])}"
        )
    return replace(options, hue=left[0]) if left else options


def _tell_apart(left: Sequence[str], free: Sequence[str]) -> str:
    """Say which arguments tell all curves apart, or that these are too few."""
    if len(left) > len(free):
        return f"Draw fewer: of {left[-1]} one at a time."
    written = ", ".join(f"{name}={dim!r}" for name, dim in zip(free, left, strict=False))
    return f"Pass {written}."


def _draw_axes(slices: Sequence[Slice], draw: Draw, options: Options, values: Values) -> Axes:
    """Draw all curves on one Axes."""
    ax = plt.subplots(layout="constrained")[1] if options.ax is None else options.ax
    curves = color_curves(ax, slices, options, values)
    draw(ax, curves)
    has_broken = _break_labels(ax)
    add_legend([ax], without_names(curves, options), write_title(options, values), options)
    if has_broken and options.ax is None:  # lower Axes have other ticks, which take other room
        figure: Any = ax.figure
        figure.get_layout_engine().execute(figure)
    return ax


def _break_labels(ax: Axes) -> bool:
    """Break the lines of labels that are longer than their axis, and say whether there are any."""
    before, frame = (ax.get_xlabel(), ax.get_ylabel()), ax.get_window_extent()
    for label, side in ((ax.xaxis.label, frame.width), (ax.yaxis.label, frame.height)):
        lines, room = label.get_text().split("\n"), _LINE * side
        length = max(label.get_window_extent().size)
        if length > room > 0:
            width = max(8, int(max(map(len, lines)) * room / length))
            label.set_text("\n".join(textwrap.fill(line, width) for line in lines))
    return before != (ax.get_xlabel(), ax.get_ylabel())


def _draw_grid(slices: Sequence[Slice], draw: Draw, options: Options, values: Values) -> FacetGrid:
    """Draw a grid of panels of one size, with one legend."""
    order = {name: values[name] for name in (options.row, options.col) if name}
    grid = _make_grid(slices, options, order)
    axes = [*grid.axes.flat]
    colored = color_curves(axes[0], slices, options, values)
    for key, ax in grid.axes_dict.items():
        panel = dict(zip(order, key if len(order) == 2 else (key,), strict=True))
        inside = {id(item.data) for item in slices if _belongs(item, panel)}
        curves = [curve for curve in colored if id(curve.data) in inside]
        if curves:
            among = sum(not curve.is_baseline for curve in curves)
            draw(ax, [curve._replace(among=among) for curve in curves])
        ax.set_title(", ".join(write_panel(name, value) for name, value in panel.items()))
    drawn = next(ax for ax in axes if ax.get_xlabel())
    grid.set_axis_labels(drawn.get_xlabel(), drawn.get_ylabel())  # of the outer panels alone
    for ax in axes:
        _break_labels(ax)
    grid.figure.set_layout_engine("constrained")
    add_legend(axes, without_names(colored, options), write_title(options, values), options)
    grid._legend = next(iter(grid.figure.legends), None)  # where seaborn looks for it
    return grid


def _make_grid(
    slices: Sequence[Slice], options: Options, order: Mapping[str, Sequence[Hashable]]
) -> FacetGrid:
    """Return a grid of empty panels."""
    cells = pd.DataFrame([{name: item.where[name] for name in order} for item in slices])
    wrap = not options.row and len(order[str(options.col)]) > 4
    with plt.rc_context({"text.parse_math": False}):  # it draws titles of its own at first
        grid = FacetGrid(
            cells,
            row=options.row,
            col=options.col,
            row_order=order.get(str(options.row)),
            col_order=order.get(str(options.col)),
            col_wrap=4 if wrap else None,
            height=_HEIGHT if options.height is None else float(options.height),
        )
    for text in grid.figure.findobj(Text):
        text.set_parse_math(True)
    return grid


def _belongs(item: Slice, panel: Mapping[str, Hashable]) -> bool:
    """Whether a curve belongs to a panel; a baseline belongs to those of all betas."""
    return all(
        item.where[name] == value or (name == "beta" and item.beta == 0)
        for name, value in panel.items()
    )


# Curves


def color_curves(
    ax: Axes, slices: Sequence[Slice], options: Options, values: Values
) -> list[Curve]:
    """Give each curve a colour and a name, baselines last."""
    hue = options.hue
    keys = values[hue] if hue else [None]
    colors = dict(zip(keys, _colors(ax, options, keys), strict=True))
    betas = {item.beta for item in slices}
    write_beta = _beta_writer(betas)
    by_model = hue not in (None, "beta") and len(keys) > 1
    naive = [
        item.beta == 0 and "beta" in item.where and (len(betas) > 1 or not by_model)
        for item in slices
    ]
    curves = []
    among = naive.count(False)
    for item, is_baseline in zip(slices, naive, strict=True):
        key = item.where[hue] if hue else None
        color = colors[key] if by_model or not is_baseline else ink(ax, 0.75)
        label = _NAIVE if is_baseline else _name(options, key, item, write_beta)
        curves.append(Curve(item.data, color, label, is_baseline, among, by_model))
    return sorted(curves, key=lambda curve: curve.is_baseline)


def _colors(ax: Axes, options: Options, keys: Sequence[Hashable]) -> list[Any]:
    """Return the colour of each key: what the line is asked to have, the band has as well."""
    if (color := options.line.get("color")) is not None:
        return [color] * len(keys)
    if options.palette is not None:
        return read_palette(options.palette, keys)
    taken = [line.get_color() for line in curves_on(ax)]
    return next_colors(ax, taken, len(keys), options.hue == "beta" and len(keys) > 1)


def without_names(curves: Sequence[Curve], options: Options) -> set[str]:
    """Return the labels that a legend can do without: of many betas it names a few."""
    labels = [curve.label for curve in curves if not curve.is_baseline]
    if options.hue != "beta" or options.legend not in ("auto", "brief") or len(labels) <= _BRIEF:
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
    options: Options, key: Hashable, item: Slice, write_beta: Callable[[float | None], str]
) -> str:
    """Return the name of a curve: that of its hue, with a beta of its own where it has one."""
    if options.hue in (None, "beta"):
        in_title = options.hue is None and "beta" in (options.col, options.row)
        return write_beta(None if in_title else item.beta)
    has_own_beta = item.beta is not None and "beta" not in item.where
    return f"{write_key(key)}, {write_beta(item.beta)}" if has_own_beta else write_key(key)


def write_title(options: Options, values: Values) -> str:
    """Say what the hues are, and the one beta that all have."""
    if options.hue in (None, "beta"):
        return ""
    betas = values.get("beta", [])
    alone = len(betas) == 1 and "beta" not in (options.col, options.row)
    hue = write_name(options.hue)
    return f"{hue} (β̂ = {betas[0]:.3g})" if alone else hue
