"""What a legend names, and where it stands: within a user's Axes, or beside those of ours."""

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

from pu_accessor.errors import PUValueError
from pu_accessor.plots.artists import Kind, kind_of
from pu_accessor.plots.colors import ground, ink
from pu_accessor.plots.options import Options

Entries: TypeAlias = list[tuple[str, Artist]]

_BESIDE, _BELOW = "pu_accessor legend beside", "pu_accessor legend below"
_NARROW = 5  # inches of a figure that has its legend below, not beside its Axes
_WIDE = 1.6  # widths by heights from which on a figure of a user has room beside its Axes
_COLUMNS = 4  # of a legend below Axes, at most
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
    alpha = to_rgba(patch.get_facecolor())[3]
    patch.set_facecolor(ink(ax, 0.6 * alpha) if alpha else "none")
    return patch


def add_legend(
    axes: Sequence[Axes], without: Collection[str], title: str, options: Options
) -> None:
    """Put a legend that is wanted within Axes of a user, or beside those of ours."""
    figure: Any = axes[0].get_figure(root=True)
    outside = _legends_outside(figure)
    before = [*outside, *filter(None, [axes[0].get_legend()])]
    title = title or (before[0].get_title().get_text() if before else "")
    axes = figure.axes if outside else axes  # it names what is in all of them
    entries = legend_entries(axes, without, brief=options.legend == "brief")
    if not entries or not options.legend:
        return
    if options.ax is not None and not outside:
        _on_axes(options.ax, entries, title, may_shorten=options.legend == "auto")
        return
    is_narrow = not options.has_panels and bool(figure.get_figwidth() < _NARROW)
    is_below = outside[0].get_gid() == _BELOW if outside else is_narrow
    legend = _outside(figure, axes[0], entries, title, is_below=is_below)
    if options.ax is None:
        _grow(figure, axes, legend, is_below=is_below)


def shared_legend(figure: Figure, *, title: str = "", brief: bool = False) -> Legend:
    r"""Put one legend for all Axes beside them on a figure of yours, in place of theirs.

    It names each curve, baseline, band and chance once, in grey what comes in several hues. The
    figure keeps its size, and gets matplotlib's constrained layout, by which the Axes make room
    in equal parts.

    Parameters
    ----------
    figure : Figure
        That of the Axes that were drawn on.
    title : str, optional
        Above the names; by default that of the first legend of the Axes.
    brief : bool, default False
        Name curves alone.

    Returns
    -------
    Legend
        Right of the Axes, or below them where the figure is narrow. Another place is
        ``seaborn.move_legend(figure, "outside lower center")``.

    Raises
    ------
    PUValueError
        If nothing on the figure has a name.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import pu_accessor
    >>> from pu_accessor.plots import shared_legend
    >>> pu = pu_accessor.from_arrays(range(9, 0, -1), [None, 1, 1, None, None, 1, None, 0, None])
    >>> figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3))
    >>> ax = pu.plot_roc(0.4, ax=left), pu.plot_gain(0.4, ax=right)
    >>> [text.get_text() for text in shared_legend(figure).get_texts()][:2]
    ['β̂ = 0.4', '95% exact band,\nthese examples']
    """
    axes = figure.axes
    entries = legend_entries(axes, brief=brief)
    if not entries:
        raise PUValueError(
            "figure must hold Axes on which something has a name, but there is none. Draw first: "
            "df.pu.plot_roc(0.3, ax=ax)."
        )
    for legend in filter(None, [ax.get_legend() for ax in axes]):
        title = title or legend.get_title().get_text()
        legend.remove()
    figure.set_layout_engine("constrained")
    is_below = bool(figure.get_figwidth() < _WIDE * figure.get_figheight())
    return _outside(figure, axes[0], entries, title, is_below=is_below)


def _legends_outside(figure: Any) -> list[Legend]:
    return [legend for legend in figure.legends if legend.get_gid() in (_BESIDE, _BELOW)]


def _on_axes(ax: Axes, entries: Entries, title: str, *, may_shorten: bool) -> None:
    """Put a legend where matplotlib finds most room for it on Axes; none that is larger."""
    frame = ax.get_window_extent()
    style = _style(ax, title, is_small=frame.width < _SMALL * ax.figure.dpi)
    curves = [entry for entry in entries if kind_of(entry[1]) in (None, Kind.CURVE)]
    for named in (entries, curves):
        legend = ax.legend(*_handles(named), loc="best", **style)
        legend.set_in_layout(False)
        room = legend.get_window_extent()
        if not may_shorten or room.width * room.height < _MOST * frame.width * frame.height:
            return
    if room.width > frame.width or room.height > frame.height:
        legend.remove()


def _outside(figure: Any, ax: Axes, entries: Entries, title: str, *, is_below: bool) -> Legend:
    """Put a legend right of all Axes, or below them where the figure is narrow."""
    for legend in _legends_outside(figure):
        legend.remove()
    width, height = figure.get_size_inches()
    style = _style(ax, title, is_small=bool(width < _NARROW)) | {"facecolor": "none"}
    loc = "outside lower center" if is_below else "outside right upper"
    rows = max(1, int(_ENTRIES * height))
    most = _COLUMNS if is_below else ceil((len(entries) + bool(title)) / rows)
    for columns in range(min(most, len(entries)), 0, -1):
        legend = figure.legend(*_handles(entries), loc=loc, ncols=columns, **style)
        if not is_below or columns == 1 or legend.get_window_extent().width < figure.bbox.width:
            break
        legend.remove()
    legend.set_gid(_BELOW if is_below else _BESIDE)
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


def _grow(figure: Figure, axes: Sequence[Axes], legend: Legend, *, is_below: bool) -> None:
    """Make a figure of ours larger by its legend, so that the Axes keep their size."""
    width, height = figure.get_size_inches()
    room = legend.get_window_extent()
    if is_below:
        figure.set_figheight(height + room.height / figure.dpi)
        return
    spare = 0.0
    if len(axes) == 1:
        axes[0].set_anchor("W")  # square Axes leave room beside them
        spare = axes[0].get_position(original=True).width - axes[0].get_position().width
    figure.set_figwidth(width + max(room.width / figure.dpi - spare * width, 0))
