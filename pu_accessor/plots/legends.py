"""Where a legend stands: where it covers no data, or beside or below the Axes."""

from collections.abc import Sequence
from math import ceil, floor
from typing import Any, Literal, TypeAlias

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox, ScaledTranslation

from pu_accessor.plots.artist_ids import Kind, kind_of
from pu_accessor.plots.colors import ground
from pu_accessor.plots.legend_handles import Entries

__all__ = ["Place", "columns_beside", "place_legend", "settle"]

Place: TypeAlias = Literal["best", "lower right", "outside"]
Corner: TypeAlias = Literal[
    "upper right",
    "upper left",
    "lower left",
    "lower right",
    "center right",
    "center left",
    "lower center",
    "upper center",
]

_PLACES: tuple[Corner, ...] = (
    "upper right",
    "upper left",
    "lower left",
    "lower right",
    "center right",
    "center left",
    "lower center",
    "upper center",
)
_ENTRIES = 3.6  # of a legend in an inch of height
_WIDE = 5  # inches of a figure that may become wider for a legend beside it
_COLUMNS = 4  # of a legend below Axes, at most
_SMALL = 4  # inches of width of Axes whose legend is in small print
_MOST = 0.68  # of the room of Axes that a legend may take
_GAP = 0.08  # inches around it


def columns_beside(entries: int, height: float) -> int:
    """Return how many columns a legend beside something needs."""
    return max(1, ceil(entries / max(1, floor(_ENTRIES * height))))


def settle(figure: Figure) -> None:
    """Put Axes where the figure's layout has them, so that lengths can be measured."""
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    for ax in figure.axes:
        ax.apply_aspect()


def place_legend(ax: Axes, entries: Entries, title: str, place: Place, *, ours: bool) -> None:
    """Put a legend where it covers no data: in a corner, beside or below."""
    figure = ax.get_figure(root=True)
    if not entries or figure is None:
        return
    if place != "outside":
        legend = _add(ax, entries, title, loc="upper right")
        corner = _free(ax, legend, "upper right" if place == "best" else place)
        if corner is not None:
            legend.set_loc(corner)
            return
    if ours:
        _grow(ax, figure, entries, title)
    else:
        _share(ax, figure, entries, title)


def _add(ax: Axes, entries: Entries, title: str, **place: Any) -> Legend:
    """Add a legend in the colours of its Axes."""
    labels, handles = zip(*entries, strict=True)
    look: dict[str, Any] = {"framealpha": 0.8, "edgecolor": "none", "facecolor": ground(ax)}
    look["labelcolor"] = ax.xaxis.label.get_color()
    width = _cell(ax).width * ax.get_figure(root=True).get_figwidth()  # type: ignore[union-attr]
    if width < _SMALL and mpl.rcParams["legend.fontsize"] == "medium":
        look |= {"fontsize": "small", "title_fontsize": "small"}
    legend: Legend = ax.legend(handles, labels, title=title or None, **look, **place)
    legend.get_title().set_color(ax.xaxis.label.get_color())
    return legend


def _free(ax: Axes, legend: Legend, first: Corner) -> Corner | None:
    """Return the first corner in which a legend covers no data; best none but chance either."""
    size = legend.get_window_extent()
    frame = ax.get_window_extent()
    pad = legend.borderaxespad * float(legend.get_texts()[0].get_fontsize()) * ax.figure.dpi / 72
    if size.width + 2 * pad > frame.width or size.height + 2 * pad > frame.height:
        return None
    curves, chance = _obstacles(ax, legend)
    places = sorted(_PLACES, key=lambda place: place != first)
    boxes = {place: _box(place, size, frame, pad) for place in places}
    free = [place for place in places if not any(_hits(boxes[place], one) for one in curves)]
    clear = [place for place in free if not any(_hits(boxes[place], one) for one in chance)]
    return next(iter([*clear, *free]), None)


def _box(place: str, size: Bbox, frame: Bbox, pad: float) -> Bbox:
    """Return where a legend of some size would be."""
    x, y = (frame.x0 + frame.x1 - size.width) / 2, (frame.y0 + frame.y1 - size.height) / 2
    x = frame.x0 + pad if "left" in place else x
    x = frame.x1 - pad - size.width if "right" in place else x
    y = frame.y0 + pad if "lower" in place else y
    y = frame.y1 - pad - size.height if "upper" in place else y
    return Bbox.from_bounds(x, y, size.width, size.height)


def _obstacles(ax: Axes, legend: Legend) -> tuple[list[Artist], list[Artist]]:
    """Return what a legend must not cover, and what it had better not."""
    seen = [one for one in (*ax.lines, *ax.patches, *ax.texts) if one.get_visible()]
    seen = [one for one in seen if kind_of(one) is not Kind.SHADE]
    chance = [one for one in seen if kind_of(one) is Kind.CHANCE]
    return [one for one in seen if one not in chance], chance


def _hits(box: Bbox, artist: Artist) -> bool:
    """Whether a line runs through a box, or an area or a text has a part in it."""
    if isinstance(artist, Text):
        return bool(artist.get_window_extent().overlaps(box))
    shape: Any = artist
    path = shape.get_transform().transform_path(shape.get_path())
    if isinstance(artist, Line2D) and artist.get_marker() not in ("", "None", None):
        around = box.padded(artist.get_markersize())
        if any(around.contains(*point) for point in path.vertices):
            return True
    if isinstance(artist, Line2D):
        stroked = artist.get_linestyle() not in ("", "None", "none")
        return stroked and bool(path.intersects_bbox(box, filled=False))
    return bool(path.intersects_bbox(box, filled=True))


def _grow(ax: Axes, figure: Figure, entries: Entries, title: str) -> None:
    """Make our figure as much larger as a legend takes: wider, or higher where it is narrow."""
    width, height = figure.get_size_inches()
    beside = bool(width >= _WIDE)
    size = _size(ax, entries, title, columns_beside(len(entries) + bool(title), height))
    if not beside:
        size = _most_columns(ax, entries, title, width)
    legend = _outside(ax, entries, title, size[2], beside=beside)
    larger = (width + size[0], height) if beside else (max(width, size[0]), height + size[1])
    figure.set_size_inches(*larger)
    settle(figure)
    if beside:  # an aspect may leave room that is not needed
        over = legend.get_window_extent().x1 / figure.dpi + _GAP - figure.get_figwidth()
        figure.set_figwidth(max(width, figure.get_figwidth() + over))


def _share(ax: Axes, figure: Figure, entries: Entries, title: str) -> None:
    """Take the room of a legend from the Axes: of their width or of their height."""
    cell = _cell(ax)
    width, height = figure.get_size_inches() * (cell.width, cell.height)
    wide = _size(ax, entries, title, columns_beside(len(entries) + bool(title), height))
    flat = _most_columns(ax, entries, title, width)
    taken = wide[0] / width, flat[1] / height
    named = [entry for entry in entries if kind_of(entry[1]) is Kind.CURVE]
    if min(taken) > _MOST and 0 < len(named) < len(entries):
        _share(ax, figure, named, title)  # too small for more than that
        return
    if min(taken) > _MOST:
        _add(ax, entries, title, loc="best")  # too small for any
        return
    beside = taken[0] <= taken[1]
    size = wide if beside else flat
    _outside(ax, entries, title, size[2], beside=beside)
    if figure.get_layout_engine() is None:
        _shrink(ax, size, beside=beside)


def _cell(ax: Axes) -> Bbox:
    """Return the place of Axes in their figure, as it was before any legend."""
    spec = ax.get_subplotspec()
    figure: Any = ax.get_figure(root=True)
    return ax.get_position(original=True) if spec is None else spec.get_position(figure)


def _most_columns(
    ax: Axes, entries: Entries, title: str, width: float
) -> tuple[float, float, int]:
    """Return the size of a legend of as many columns as a width has room for."""
    most = min(len(entries), _COLUMNS)
    sizes = (_size(ax, entries, title, columns) for columns in range(most, 1, -1))
    fitting = (size for size in sizes if size[0] <= width)
    return next(fitting, None) or _size(ax, entries, title, 1)


def _size(ax: Axes, entries: Entries, title: str, columns: int) -> tuple[float, float, int]:
    """Return the width and the height of a legend in inches, and its columns."""
    extent = _add(ax, entries, title, ncols=columns).get_window_extent()
    dpi = ax.figure.dpi
    return extent.width / dpi + 2 * _GAP, extent.height / dpi + 2 * _GAP, columns


def _outside(ax: Axes, entries: Entries, title: str, columns: int, *, beside: bool) -> Legend:
    """Put a legend right of the Axes, or below their labels."""
    if beside:
        ax.set_anchor("W")  # beside the legend, where an aspect makes the Axes narrower
        return _add(ax, entries, title, ncols=columns, loc="upper left", bbox_to_anchor=(1, 1))
    dpi = ax.figure.dpi
    labels = ax.xaxis.get_tightbbox()
    below = 0.0 if labels is None else (ax.get_window_extent().y0 - labels.y0) / dpi
    figure: Any = ax.get_figure(root=True)
    shift = ScaledTranslation(0, -below, figure.dpi_scale_trans)
    return _add(
        ax,
        entries,
        title,
        ncols=columns,
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        bbox_transform=ax.transAxes + shift,
    )


def _shrink(ax: Axes, size: Sequence[float], *, beside: bool) -> None:
    """Leave room for a legend of some size within the place that Axes have."""
    figure: Any = ax.get_figure(root=True)
    width, height = figure.get_size_inches()
    box = _cell(ax)
    right = size[0] / width if beside else 0
    below = 0 if beside else size[1] / height
    ax.set_position(Bbox.from_extents(box.x0, box.y0 + below, box.x1 - right, box.y1))
    ax.set_in_layout(True)  # another layout may place it anew
