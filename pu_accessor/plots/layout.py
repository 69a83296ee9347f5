"""Which curve comes to which Axes: a Dataset of many dimensions -> Axes or a grid."""

import textwrap
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import matplotlib.pyplot as plt
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.text import Text
from seaborn import FacetGrid

from pu_accessor.errors import PUValueError, suggestion
from pu_accessor.plots.artists import Curve
from pu_accessor.plots.color_mapping import color_curves, too_many, write_title
from pu_accessor.plots.legend_handles import Entries, legend_entries
from pu_accessor.plots.legends import Place, columns_beside, place_legend, settle
from pu_accessor.plots.line_labels import label_curves
from pu_accessor.plots.names import tell_panel
from pu_accessor.plots.options import Look
from pu_accessor.plots.slices import Slice, Values, take_apart, values_along

__all__ = ["Drawing", "draw_panels"]

Drawing: TypeAlias = Axes | FacetGrid
Draw: TypeAlias = Callable[[Axes, list[Curve]], None]

_HEIGHT = 3.2  # of a panel, in inches
_MANY = 8  # hues whose legend stands beside the Axes


def draw_panels(
    dataset: xr.Dataset,
    draw: Draw,
    look: Look,
    *,
    along: str | None = None,
    legend: Place = "best",
) -> Drawing:
    """Draw each curve of a Dataset in its panel and hue."""
    slices = take_apart(dataset, along)
    values = values_along(slices)
    look = _assign(dataset, look, values)
    before = set(plt.get_fignums())
    try:
        if look.has_panels:
            return _draw_grid(slices, draw, look, values)
        return _draw_axes(slices, draw, look, values, legend)
    except Exception:
        for number in set(plt.get_fignums()) - before:  # nobody has a use for half a picture
            plt.close(number)
        raise


def _assign(dataset: xr.Dataset, look: Look, values: Values) -> Look:
    """Check hue, col and row, and take the one dimension that is left as hue."""
    asked = {name: getattr(look, name) for name in ("hue", "col", "row")}
    named = {name: dim for name, dim in asked.items() if dim is not None}
    _check_named(named, values)
    settled = _settled(dataset, set(named.values()))
    left = [name for name, found in values.items() if len(found) > 1 and name not in settled]
    if len(left) > (look.hue is None):
        raise PUValueError(
            f"Curves differ in {', '.join(left)}: hue, col and row must tell them apart. "
            f"{_tell_apart(left, [name for name in asked if name not in named])}"
        )
    return look._replace(hue=left[0]) if left else look


def _tell_apart(left: Sequence[str], free: Sequence[str]) -> str:
    """Say which arguments tell all curves apart, or that these are too few."""
    if len(left) > len(free):
        return f"Draw fewer: of {left[-1]} one at a time."
    written = ", ".join(f"{name}={dim!r}" for name, dim in zip(free, left, strict=False))
    return f"Pass {written}."


def _check_named(named: Mapping[str, str], values: Values) -> None:
    """Raise unless hue, col and row are dimensions, and different ones."""
    for name, dim in named.items():
        if not isinstance(dim, str) or dim not in values:
            by = f" For groups of rows, say so before: df.pu(by={dim!r})."
            raise PUValueError(
                f"{name} must be one of the dimensions {list(values)}, but {dim!r} was passed."
                f"{suggestion(dim, values) or by}"
            )
    if len(set(named.values())) < len(named):
        raise PUValueError(f"hue, col and row must be different, but {dict(named)} was passed.")


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


def _draw_axes(
    slices: Sequence[Slice], draw: Draw, look: Look, values: Values, place: Place
) -> Axes:
    """Draw all curves on one Axes."""
    ax = plt.subplots(layout="constrained")[1] if look.ax is None else look.ax
    curves = color_curves(ax, slices, look, values)
    draw(ax, curves)
    fit_labels(ax)
    if look.legend == "direct":
        label_curves(ax)
    elif look.legend:
        entries = _entries([ax], curves, look)
        before = ax.get_legend()
        title = write_title(look, values) or (before.get_title().get_text() if before else "")
        many = len(entries) > _MANY + 3  # bands and the like add three
        place_legend(ax, entries, title, "outside" if many else place, ours=look.ax is None)
    return ax


def _entries(axes: Sequence[Axes], curves: Sequence[Curve], look: Look) -> Entries:
    """Return what a legend names, as it is asked for."""
    return legend_entries(axes, too_many(curves, look), brief=look.legend == "brief")


def fit_labels(ax: Axes) -> None:
    """Break the lines of labels that are longer than their axis, so that none is cut off.

    Axes are left where the figure's layout has them.
    """
    figure: Any = ax.get_figure(root=True)
    settle(figure)
    before = ax.get_xlabel(), ax.get_ylabel()
    frame = ax.get_window_extent()
    for label, room, way in (
        (ax.xaxis.label, frame.width, "width"),
        (ax.yaxis.label, frame.height, "height"),
    ):
        text = label.get_text()
        length = getattr(label.get_window_extent(), way)
        if "\n" not in text and length > room > 0:
            label.set_text(textwrap.fill(text, max(8, int(len(text) * room / length))))
    if (ax.get_xlabel(), ax.get_ylabel()) != before:
        settle(figure)


def _draw_grid(slices: Sequence[Slice], draw: Draw, look: Look, values: Values) -> FacetGrid:
    """Draw a grid of panels with one legend."""
    order = {name: values[name] for name in (look.row, look.col) if name}
    cells = pd.DataFrame([{name: one.where[name] for name in order} for one in slices])
    wrap = not look.row and len(values[str(look.col)]) > 4
    with plt.rc_context({"text.parse_math": False}):  # it draws titles of its own at first
        grid = FacetGrid(
            cells,
            row=look.row,
            col=look.col,
            row_order=order.get(str(look.row)),
            col_order=order.get(str(look.col)),
            col_wrap=4 if wrap else None,
            height=_HEIGHT if look.height is None else look.height,
        )
    for text in grid.figure.findobj(Text):
        text.set_parse_math(True)
    colored = color_curves(grid.axes.flat[0], slices, look, values)
    curves = {id(curve.data): curve for curve in colored}
    for key, ax in grid.axes_dict.items():
        wanted = dict(zip(order, key if len(order) == 2 else (key,), strict=True))
        inside = {id(one.data) for one in slices if _belongs(one, wanted)}
        if inside:
            some = [curve for place, curve in curves.items() if place in inside]
            among = sum(not curve.is_baseline for curve in some)
            draw(ax, [curve._replace(among=among) for curve in some])
        ax.set_title(", ".join(tell_panel(name, value) for name, value in wanted.items()))
    drawn = next(ax for ax in grid.axes.flat if ax.get_xlabel())
    grid.set_axis_labels(drawn.get_xlabel(), drawn.get_ylabel())  # of the outer panels alone
    _name_panels(grid, colored, look, write_title(look, values))
    return grid


def _name_panels(grid: FacetGrid, curves: Sequence[Curve], look: Look, title: str) -> None:
    """Add the one legend of a grid, or names in each panel."""
    axes = list(grid.axes.flat)
    if look.legend in ("direct", False):
        grid.tight_layout()
    if look.legend == "direct":
        for ax in axes:
            label_curves(ax)
    elif look.legend:
        entries = dict(_entries(axes, curves, look))
        columns = columns_beside(len(entries) + bool(title), float(grid.figure.get_figheight()))
        grid.add_legend(entries, title=title, ncols=columns)
    grid.tight_layout()


def _belongs(one: Slice, wanted: Mapping[str, Hashable]) -> bool:
    """Whether a curve belongs to a panel; a baseline belongs to those of all betas."""
    return all(
        one.where[name] == value or (name == "beta" and one.beta == 0)
        for name, value in wanted.items()
    )
