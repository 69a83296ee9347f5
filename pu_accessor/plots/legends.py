"""What a legend names, and where it stands: outside in a figure of ours, inside a user's Axes."""

from collections.abc import Collection, Sequence
from math import ceil
from typing import Any, TypeAlias

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pu_accessor.plots.artists import Kind, kind_of
from pu_accessor.plots.colors import ground, ink
from pu_accessor.plots.options import Options

Entries: TypeAlias = list[tuple[str, Artist]]

_LEGEND = "pu_accessor legend"
_NARROW = 5  # inches of a figure that has its legend below, not beside its Axes
_SMALL = 4  # inches of Axes whose legend is in small print
_ENTRIES = 3.6  # of a legend in an inch of height
_MOST = 0.3  # of Axes that a legend may cover before it names curves alone


def legend_entries(
    axes: Sequence[Axes], without: Collection[str] = (), *, brief: bool = False
) -> Entries:
    """Name each curve, then baseline, band and chance once: grey if of several hues."""
    curves: dict[tuple[str, str], Artist] = {}
    shared: dict[tuple[Kind, str], list[Artist]] = {}
    for ax in axes:
        for artist, label in zip(*ax.get_legend_handles_labels(), strict=True):
            kind = kind_of(artist)
            if kind not in (None, Kind.CURVE):
                shared.setdefault((kind, label), []).append(artist)
            elif label not in without:
                curves.setdefault((label, _hue(artist)), artist)
    entries = [(label, artist) for (label, _), artist in curves.items()]
    if brief and entries:
        return entries
    for (_, label), artists in sorted(shared.items(), key=lambda item: [*Kind].index(item[0][0])):
        is_one_hue = len({_hue(artist) for artist in artists}) == 1
        entries.append((label, artists[0] if is_one_hue else _in_grey(artists[0], axes[0])))
    return entries


def _hue(artist: Artist) -> str:
    """Return the colour of a line, or that of a polygon's edge."""
    color: Any = artist.get_color() if isinstance(artist, Line2D) else artist.get_edgecolor()  # type: ignore[attr-defined]
    return to_hex(color)


def _in_grey(artist: Artist, ax: Axes) -> Artist:
    """Return a handle that looks like an artist in no hue."""
    if isinstance(artist, Line2D):
        line = Line2D([], [], gid=artist.get_gid())
        line.update_from(artist)
        line.set_color(ink(ax, 0.6))
        return line
    patch = Patch(gid=artist.get_gid())
    patch.update_from(artist)
    patch.set_edgecolor(ink(ax, 0.6))
    if to_rgba(patch.get_facecolor())[3] > 0:
        patch.set_facecolor(ink(ax, 0.15))
    return patch


def columns_beside(entries: int, height: float) -> int:
    """Return how many columns a legend needs beside something of a height in inches."""
    return max(1, ceil(entries / max(1, int(_ENTRIES * height))))


def add_legend(ax: Axes, entries: Entries, title: str, options: Options) -> None:
    """Put a legend on Axes of a user, or beside or below them in a figure of ours."""
    figure: Any = ax.get_figure(root=True)
    outside = [legend for legend in figure.legends if legend.get_gid() == _LEGEND]
    before = [*outside, *filter(None, [ax.get_legend()])]
    title = title or (before[0].get_title().get_text() if before else "")
    if not entries:
        return
    if options.ax is not None and not outside:
        _on_axes(ax, entries, title, may_shorten=options.legend == "auto")
        return
    for legend in outside:
        legend.remove()
    legend = _outside(figure, ax, entries, title)
    legend.set_gid(_LEGEND)
    if options.ax is None:
        _grow(figure, ax, legend)


def _on_axes(ax: Axes, entries: Entries, title: str, *, may_shorten: bool) -> None:
    """Put a legend where matplotlib finds most room for it on Axes, which stay as they are."""
    frame = ax.get_window_extent()
    style = _style(ax, title, is_small=frame.width < _SMALL * ax.figure.dpi)
    legend = ax.legend(*_handles(entries), loc="best", **style)
    room = legend.get_window_extent()
    curves = [entry for entry in entries if kind_of(entry[1]) in (None, Kind.CURVE)]
    if may_shorten and curves and room.width * room.height > _MOST * frame.width * frame.height:
        legend = ax.legend(*_handles(curves), loc="best", **style)
    legend.set_in_layout(False)


def _outside(figure: Figure, ax: Axes, entries: Entries, title: str) -> Legend:
    """Put a legend right of all Axes, or below them where the figure is narrow."""
    width, height = figure.get_size_inches()
    style = _style(ax, title, is_small=bool(width < _NARROW)) | {"facecolor": "none"}
    if width >= _NARROW:
        columns = columns_beside(len(entries) + bool(title), height)
        return figure.legend(*_handles(entries), loc="outside right upper", ncols=columns, **style)
    for columns in (3, 2, 1):
        legend = figure.legend(
            *_handles(entries), loc="outside lower center", ncols=columns, **style
        )
        if columns == 1 or legend.get_window_extent().width < width * figure.dpi:
            break
        legend.remove()
    return legend


def _handles(entries: Entries) -> tuple[list[Artist], list[str]]:
    return [artist for _, artist in entries], [label for label, _ in entries]


def _style(ax: Axes, title: str, *, is_small: bool) -> dict[str, Any]:
    """Return the colours of Axes for their legend, and small print where there is little room."""
    color = ax.xaxis.label.get_color()
    style = {
        "title": title or None,
        "framealpha": 0.8,
        "edgecolor": "none",
        "facecolor": ground(ax),
        "labelcolor": color,
    }
    if is_small and mpl.rcParams["legend.fontsize"] == "medium":
        style |= {"fontsize": "small", "title_fontsize": "small"}
    return style


def _grow(figure: Figure, ax: Axes, legend: Legend) -> None:
    """Make a figure of ours larger by its legend, so that the Axes keep their size."""
    width, height = figure.get_size_inches()
    room = legend.get_window_extent()
    if width < _NARROW:
        figure.set_figheight(height + room.height / figure.dpi)
        return
    ax.set_anchor("W")  # square Axes leave room beside them
    spare = ax.get_position(original=True).width - ax.get_position().width
    figure.set_figwidth(width + max(room.width / figure.dpi - spare * width, 0))
