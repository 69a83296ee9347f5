"""Which curve comes to which Axes: a Dataset of many dimensions -> Axes or a grid."""

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

from pu_accessor.errors import PUValueError, suggestion
from pu_accessor.plots.artists import Curve, write_panel
from pu_accessor.plots.legends import Entries, add_legend, columns_beside, legend_entries
from pu_accessor.plots.options import Options
from pu_accessor.plots.slices import (
    Slice,
    Values,
    color_curves,
    take_apart,
    values_along,
    without_names,
    write_title,
)

Drawing: TypeAlias = Axes | FacetGrid
Draw: TypeAlias = Callable[[Axes, list[Curve]], None]

_HEIGHT = 3.2  # of a panel, in inches


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
    settled = _settled(dataset, set(named.values()))
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


def _settled(dataset: xr.Dataset, named: set[str]) -> set[str]:
    """Return the names that need no hue any more: levels stand for their index, or it for them."""
    settled = set(named)
    for dim in dataset.dims:
        index = dataset.indexes.get(dim)
        if isinstance(index, pd.MultiIndex):
            levels = {str(name) for name in index.names}
            if levels & named:
                settled.add(str(dim))
            if str(dim) in named or not levels & named:
                settled |= levels
    return settled


def _draw_axes(slices: Sequence[Slice], draw: Draw, options: Options, values: Values) -> Axes:
    """Draw all curves on one Axes."""
    is_ours = options.ax is None
    ax = plt.subplots(layout="constrained")[1] if options.ax is None else options.ax
    curves = color_curves(ax, slices, options, values)
    draw(ax, curves)
    _break_labels(ax)
    if options.legend:
        add_legend(
            ax,
            _entries([ax], curves, options),
            write_title(options, values),
            is_ours=is_ours,
            may_shorten=options.legend == "auto",
        )
    return ax


def _entries(axes: Sequence[Axes], curves: Sequence[Curve], options: Options) -> Entries:
    """Return what a legend names, as it is wanted."""
    return legend_entries(axes, without_names(curves, options), brief=options.legend == "brief")


def _break_labels(ax: Axes) -> None:
    """Break the lines of labels that are longer than their axis, so that none is cut off."""
    figure: Any = ax.get_figure(root=True)
    for _ in range(2):  # again where lines that were broken have left less room
        if figure.get_layout_engine() is not None:
            figure.get_layout_engine().execute(figure)
        ax.apply_aspect()
        frame = ax.get_window_extent()
        for label, room, way in (
            (ax.xaxis.label, frame.width, "width"),
            (ax.yaxis.label, frame.height, "height"),
        ):
            text = label.get_text()
            length = getattr(label.get_window_extent(), way)
            if "\n" not in text and length > room > 0:
                label.set_text(textwrap.fill(text, max(8, int(len(text) * room / length))))


def _draw_grid(slices: Sequence[Slice], draw: Draw, options: Options, values: Values) -> FacetGrid:
    """Draw a grid of panels with one legend."""
    order = {name: values[name] for name in (options.row, options.col) if name}
    grid = _make_grid(slices, options, order)
    colored = color_curves(grid.axes.flat[0], slices, options, values)
    for key, ax in grid.axes_dict.items():
        panel = dict(zip(order, key if len(order) == 2 else (key,), strict=True))
        inside = {id(item.data) for item in slices if _belongs(item, panel)}
        curves = [curve for curve in colored if id(curve.data) in inside]
        if curves:
            among = sum(not curve.is_baseline for curve in curves)
            draw(ax, [curve._replace(among=among) for curve in curves])
        ax.set_title(", ".join(write_panel(name, value) for name, value in panel.items()))
    drawn = next(ax for ax in grid.axes.flat if ax.get_xlabel())
    grid.set_axis_labels(drawn.get_xlabel(), drawn.get_ylabel())  # of the outer panels alone
    if options.legend:
        entries = dict(_entries(list(grid.axes.flat), colored, options))
        title = write_title(options, values)
        height = float(grid.figure.get_figheight())
        columns = columns_beside(len(entries) + bool(title), height)
        grid.add_legend(entries, title=title, ncols=columns)
    grid.tight_layout()
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
            height=_HEIGHT if options.height is None else options.height,
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
