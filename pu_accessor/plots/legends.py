"""Draw one legend on the Axes, or outside those of a new figure."""

from collections.abc import Collection, Sequence
from copy import copy
from math import ceil
from typing import Any, TypeAlias

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba, to_rgba_array
from matplotlib.container import Container
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from pu_accessor.errors import PUValueError, warn_caller
from pu_accessor.plots import drawing, options
from pu_accessor.plots.drawing import Curve, Kind

Entries: TypeAlias = list[tuple[Artist, str]]

_MAX_BETAS_NAMED = 6  # in a legend
_RIGHT, _BELOW = "pu_accessor legend right", "pu_accessor legend below"
_NARROW_FIGURE, _SMALL_AXES = 5, 4  # inches: a legend below the Axes, and in small print
_WIDE_RATIO = 1.6  # width by height: above it the legend is right of the Axes
_MAX_LEGEND_COLUMNS = 4  # below the Axes
_MIN_ROWS, _ENTRIES_PER_INCH = 6, 3.6  # right of the Axes
_MAX_LEGEND_SHARE, _LEGEND_PADDING = 0.3, 0.01  # of the Axes: area of a legend, space around it
_MAX_LEGEND_WIDTH, _MAX_HEIGHT_BELOW = 0.45, 0.4  # of a new figure; of Axes of a user
_BESIDE_SQUARE = 0.25  # inches: how much more lies beside square Axes than below
_BAR = 5  # corners of a bar, with the first again
_DATA = Kind.CURVE, Kind.BASELINE, Kind.BAND


def _legend_entries(axes: Sequence[Axes], without: Collection[str] = ()) -> Entries:
    """Return each curve, then each other label once, in grey if it has several colours."""
    found: dict[tuple[int, str], dict[bytes, Artist]] = {}
    for ax in axes:
        for artist, label in zip(*ax.get_legend_handles_labels(), strict=True):
            kind = drawing.kind_of(artist)
            if kind is Kind.CURVE and len(axes) > 1:  # of different curves
                label = label.partition(drawing.BEFORE_AREA)[0]
            if kind not in (None, Kind.CURVE) or label not in without:
                place = [*Kind].index(kind or Kind.CURVE), label
                found.setdefault(place, {}).setdefault(_color_of(artist), artist)
    entries: Entries = []
    for (rank, label), hues in sorted(found.items(), key=lambda item: item[0][0]):
        artists = [*hues.values()]
        if rank and len(artists) > 1:
            artists = [_in_grey(artists[0], axes[0])]
        entries += [(artist, label) for artist in artists]
    return entries


def _color_of(artist: Any) -> bytes:
    """Return the colour of any artist, without its opacity, as a key."""
    first: Any = artist.get_children()[0] if isinstance(artist, Container) else artist
    color = getattr(first, "get_color", None) or first.get_edgecolor
    return to_rgba_array(color())[:, :3].tobytes()


def _in_grey(artist: Any, ax: Axes) -> Any:
    """Return a grey handle for artists of several colours."""
    handle, grey = copy(artist), options.ink(ax, 0.6)
    if isinstance(artist, Line2D):
        handle.set_color(grey)
    else:
        share = 0.6 * to_rgba(artist.get_facecolor())[3]
        handle.set(edgecolor=grey, facecolor=options.ink(ax, share) if share else "none")
    return handle


def add_legend(
    axes: Sequence[Axes], curves: Sequence[Curve], looks: options.Options, title: str
) -> None:
    """Add the legend: on the user's Axes, or outside the Axes of a new figure."""
    figure: Any = axes[0].get_figure(root=True)
    outside = _legends_outside(figure)
    before = [*outside, *filter(None, [axes[0].get_legend()])]
    title = title or (before[0].get_title().get_text() if before else "")
    axes = figure.axes if outside else axes  # one legend for all Axes
    without: set[str] = set()
    labels = [curve.label for curve in curves if not curve.is_baseline]
    if looks["hue"] == "beta" and len(labels) > _MAX_BETAS_NAMED:
        without = {*labels} - {*labels[:: -(-(len(labels) - 1) // (_MAX_BETAS_NAMED - 1))]}
    entries = _legend_entries(axes, without)
    if not entries or not looks["legend"]:
        return
    if looks["ax"] is not None and not outside:
        _on_axes(looks["ax"], entries, title)
        return
    is_below = looks["col"] is None and bool(figure.get_figwidth() < _NARROW_FIGURE)
    is_below = outside[0].get_gid() == _BELOW if outside else is_below
    legend = _outside(figure, axes[0], entries, title, is_below=is_below)
    if looks["ax"] is None:
        _grow(figure, axes, legend, is_below=is_below)


def shared_legend(figure: Figure, *, title: str = "") -> Legend:
    r"""Replace the legends of all Axes of a figure by one outside the Axes.

    It has each entry once, in grey if it is drawn in several colours. The figure keeps its size,
    and gets matplotlib's constrained layout.

    Parameters
    ----------
    figure : Figure
        The figure with the Axes.
    title : str, optional
        Title of the legend; by default that of the first legend of the Axes.

    Returns
    -------
    Legend
        Right of the Axes, or below them if the figure is narrow. To move it:
        ``seaborn.move_legend(figure, "outside lower center")``.

    Raises
    ------
    PUValueError
        If nothing on the figure has a label.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import pu_accessor
    >>> from pu_accessor.plots import shared_legend
    >>> pu = pu_accessor.from_arrays(range(9, 0, -1), [None, 1, 1, None, None, 1, None, 0, None])
    >>> figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
    >>> ax = pu.plot_roc(0.4, ax=left), pu.plot_pr(0.4, ax=right)
    >>> [text.get_text() for text in shared_legend(figure).get_texts()][:2]
    ['score, β = 0.4', '95% band, pointwise']
    """
    axes = figure.axes
    entries = _legend_entries(axes)
    if not entries:
        raise PUValueError(
            "figure must have Axes with labels, but there are none. Draw first: "
            "df.pu.plot_roc(0.3, ax=ax)."
        )
    for legend in filter(None, [ax.get_legend() for ax in axes]):
        title = title or legend.get_title().get_text().partition(drawing.BEFORE_AREA)[0]
        legend.remove()
    figure.set_layout_engine("constrained")
    is_below = bool(figure.get_figwidth() < _WIDE_RATIO * figure.get_figheight())
    return _outside(figure, axes[0], entries, title, is_below=is_below)


def _legends_outside(figure: Any) -> list[Legend]:
    return [legend for legend in figure.legends if legend.get_gid() in (_RIGHT, _BELOW)]


def _on_axes(ax: Axes, entries: Entries, title: str) -> None:
    """Put a legend on Axes where it hides no data or curve, or else below them."""
    _ = ax.viewLim  # autoscales the Axes first
    frame = ax.get_window_extent()
    style = _style(ax, title, is_small=frame.width < _SMALL_AXES * ax.figure.dpi)
    brief = style | {"title": title.partition(drawing.BEFORE_AREA)[0] or None}
    without_areas = [(one, label.partition(drawing.BEFORE_AREA)[0]) for one, label in entries]
    curves = [entry for entry in without_areas if drawing.kind_of(entry[0]) in (None, Kind.CURVE)]

    def fits_inside(named: Entries, style: dict[str, Any], hidden: Collection[Any]) -> bool:
        if not named:
            return False
        legend = ax.legend(*zip(*named, strict=True), loc="best", **style)
        legend.set_in_layout(False)
        box = legend.get_window_extent()
        is_large = box.width * box.height >= _MAX_LEGEND_SHARE * frame.width * frame.height
        is_large |= box.width > frame.width or box.height > frame.height
        near = box.padded(_LEGEND_PADDING * frame.width)
        if not (is_large or _hides(ax, near, hidden)):
            return True
        legend.remove()
        return False

    def fits_below() -> bool:
        outer = ax.get_tightbbox()
        if ax.figure.get_layout_engine() is None or outer is None:  # that makes room below
            return False
        inches, dots = (outer.y0 - frame.y0) / ax.figure.dpi, ax.figure.dpi_scale_trans
        below = ax.transAxes + ScaledTranslation(0, inches, dots)  # also of a lower frame
        placed = style | {"bbox_to_anchor": (0.5, 0), "bbox_transform": below}
        legend = _in_columns(ax, entries, outer.width, loc="upper center", **placed)
        room = legend.get_window_extent()
        if room.width <= outer.width and room.height <= _MAX_HEIGHT_BELOW * frame.height:
            return True
        legend.remove()
        return False

    if not (
        fits_inside(entries, style, (*_DATA, Kind.CHANCE))
        or fits_inside(without_areas, brief, (*_DATA, Kind.CHANCE))
        or fits_inside(without_areas, brief, _DATA)
        or fits_below()
        or fits_inside(curves, brief, _DATA)
    ):
        warn_caller(
            "The legend was left out, as it would hide data. Draw one outside the Axes: "
            "pu_accessor.plots.shared_legend(ax.figure)."
        )


def _in_columns(place: Any, entries: Entries, width: float, **style: Any) -> Legend:
    """Put a legend on Axes or a figure, with as many columns as fit in a width."""
    for columns in range(min(len(entries), _MAX_LEGEND_COLUMNS), 0, -1):
        legend: Legend = place.legend(*zip(*entries, strict=True), ncols=columns, **style)
        if columns == 1 or legend.get_window_extent().width < width:
            break
        legend.remove()
    return legend


def _hides(ax: Axes, box: Any, kinds: Collection[Any]) -> bool:
    """Whether a box covers a line, a dot or a bar of some kinds; it may cover some of a band."""
    drawn: list[Any] = [*ax.lines, *(bar for bar in ax.patches if len(bar.get_path()) == _BAR)]
    for artist in drawn:
        if drawing.kind_of(artist) in kinds:
            path = artist.get_transform().transform_path(artist.get_path())
            crosses = artist.get_linestyle() != "None" and path.intersects_bbox(box, filled=False)
            if crosses or box.count_contains(path.vertices):
                return True
    return False


def _outside(figure: Any, ax: Axes, entries: Entries, title: str, *, is_below: bool) -> Legend:
    """Put a legend right of all Axes, or below them."""
    for legend in _legends_outside(figure):
        legend.remove()
    width, height = figure.get_size_inches()
    style = _style(ax, title, is_small=bool(width < _NARROW_FIGURE)) | {"facecolor": "none"}
    if is_below:
        legend = _in_columns(
            figure, entries, figure.bbox.width, loc="outside lower center", **style
        )
    else:
        rows = max(_MIN_ROWS, int(_ENTRIES_PER_INCH * height))
        columns = ceil((len(entries) + bool(title)) / rows)
        style |= {"loc": "outside right upper", "ncols": columns}
        legend = figure.legend(*zip(*entries, strict=True), **style)
    legend.set_gid(_BELOW if is_below else _RIGHT)
    return legend


def _style(ax: Axes, title: str, *, is_small: bool) -> dict[str, Any]:
    """Return the style of a legend: the colours of the Axes, and small print on small Axes."""
    style = {
        "title": title or None,
        "framealpha": 0.8,
        "edgecolor": "none",
        "facecolor": options.ground(ax),
        "labelcolor": ax.xaxis.label.get_color(),
    }
    if is_small and mpl.rcParams["legend.fontsize"] == "medium":
        style |= {"fontsize": "small", "title_fontsize": "small"}
    return style


def _grow(figure: Figure, axes: Sequence[Axes], legend: Legend, *, is_below: bool) -> None:
    """Enlarge a new figure that is too small for its legend."""
    width, height = figure.get_size_inches()
    room = np.divide(legend.get_window_extent().size, figure.dpi)
    if is_below:
        height += room[1]
    elif len(axes) > 1:  # panels keep their size
        width += room[0]
    else:
        axes[0].set_anchor("NW")
        width, height = np.maximum((width, height), room / (_MAX_LEGEND_WIDTH, 1))
        if axes[0].get_box_aspect():  # square Axes as wide as the legend leaves them
            height = min(height, max(width - room[0] - _BESIDE_SQUARE, room[1]))
    figure.set_size_inches(width, height)
