"""Give curves colours, names and panels, draw them on Axes or a grid, and add one legend."""

import textwrap
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from itertools import product
from math import ceil
from typing import Any, TypeAlias

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba, to_rgba_array
from matplotlib.container import Container
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from seaborn import FacetGrid

from pu_accessor.errors import PUValueError, suggestion
from pu_accessor.plots import drawing, options
from pu_accessor.plots.drawing import Curve, Kind

Drawing: TypeAlias = Axes | FacetGrid
Values: TypeAlias = Mapping[str, Sequence[Hashable]]
Levels: TypeAlias = Mapping[str, Collection[str]]  # of dimensions that stand for several names
Draw: TypeAlias = Callable[[Axes, list[Curve]], None]
Entries: TypeAlias = list[tuple[Artist, str]]

_BASELINE_LABEL = "β = 0 (unlabeled as negative)"
_MAX_BETAS_NAMED = 6  # in a legend
_PANEL_HEIGHT = 3.2  # of a panel, in inches
_LABEL_SHARE = 0.85  # of an axis, for a line of its label; layouts may shorten the axis
_RIGHT, _BELOW = "pu_accessor legend right", "pu_accessor legend below"
_NARROW_FIGURE, _SMALL_AXES = 5, 4  # inches: a legend below the Axes, and in small print
_WIDE_RATIO = 1.6  # width by height: above it the legend is right of the Axes
_MAX_LEGEND_COLUMNS, _ENTRIES_PER_INCH = 4, 3.6  # of a legend below, and right of the Axes
_MAX_LEGEND_SHARE, _LEGEND_PADDING = 0.3, 0.05  # of the Axes: area of a legend, space around it
_LOCATIONS = "best", "upper right", "lower right", "upper left", "lower left", "center right"


def draw_panels(
    curves: Sequence[Curve], draw: Draw, looks: options.Options, levels: Levels
) -> Drawing:
    """Draw each curve in its panel and hue."""
    if looks["baseline"] and not any(curve.beta == 0 for curve in curves):
        betas = list(dict.fromkeys(curve.beta for curve in curves))
        raise PUValueError(
            f"baseline=True needs tables for beta = 0, but there are {betas}. Make them with it: "
            "df.pu.contingency(beta=[0, 0.3])."
        )
    values = _values_along(curves)
    looks = _assign(looks, values, levels)
    before = set(plt.get_fignums())
    try:
        if options.has_panels(looks):
            return _draw_grid(curves, draw, looks, values)
        ax = plt.subplots(layout="constrained")[1] if looks["ax"] is None else looks["ax"]
        colored = _color_curves(ax, curves, looks, values)
        draw(ax, colored)
        has_broken = _break_labels(ax)
        _add_legend([ax], colored, looks, values)
        if has_broken and looks["ax"] is None:  # the layout changes with broken labels
            figure: Any = ax.figure
            figure.get_layout_engine().execute(figure)
        return ax
    except Exception:
        for number in set(plt.get_fignums()) - before:  # of an incomplete plot
            plt.close(number)
        raise


def _values_along(curves: Sequence[Curve]) -> dict[str, list[Hashable]]:
    """Return the values of curves along each dimension, without beta = 0 if there are more."""
    names = curves[0].where
    values = {name: [*dict.fromkeys(curve.where[name] for curve in curves)] for name in names}
    if "beta" in values and len({curve.beta for curve in curves}) > 1:
        values["beta"] = [beta for beta in values["beta"] if beta != 0]
    return values


def _assign(looks: options.Options, values: Values, levels: Levels) -> options.Options:
    """Check that hue, col and row are dimensions; a dimension that is left over becomes hue."""
    named = options.dimensions(looks)
    for name, dim in named.items():
        if dim not in values:
            by = f" For groups of rows, say so before: df.pu(by={dim!r})."
            raise PUValueError(
                f"{name} must be one of the dimensions {list(values)}, but {dim!r} was passed."
                f"{suggestion(dim, values) or by}"
            )
    assigned = asked = {*named.values()}
    for dim, parts in levels.items():  # a level stands for its dimension, and back
        some = asked & {*parts}
        assigned = assigned | ({dim} if some else set())
        assigned = assigned | ({*parts} if dim in asked or not some else set())
    left = [name for name, keys in values.items() if len(keys) > 1 and name not in assigned]
    if len(left) > (looks["hue"] is None):
        free = [name for name in ("hue", "col", "row") if name not in named]
        advice = f"Draw fewer: of {left[-1]} one at a time."
        if len(left) <= len(free):
            written = (f"{name}={dim!r}" for name, dim in zip(free, left, strict=False))
            advice = f"Pass {', '.join(written)}."
        raise PUValueError(
            f"Curves differ in {', '.join(left)}: hue, col and row must tell them apart. {advice}"
        )
    return {**looks, "hue": left[0]} if left else looks


def _draw_grid(
    curves: Sequence[Curve], draw: Draw, looks: options.Options, values: Values
) -> FacetGrid:
    """Draw a grid of panels with one legend."""
    row, col = looks["row"], looks["col"]
    order = {name: values[name] for name in (row, col) if name}
    wrap = not row and len(order[str(col)]) > 4
    with plt.rc_context({"text.parse_math": False}):  # seaborn's first titles may contain $
        grid = FacetGrid(
            pd.DataFrame([{name: curve.where[name] for name in order} for curve in curves]),
            row=row,
            col=col,
            row_order=order.get(str(row)),
            col_order=order.get(str(col)),
            col_wrap=4 if wrap else None,
            height=_PANEL_HEIGHT if looks["height"] is None else float(looks["height"]),
        )
    for text in grid.figure.findobj(Text):
        text.set_parse_math(True)
    axes = [*grid.axes.flat]
    colored = _color_curves(axes[0], curves, looks, values)
    for key, ax in grid.axes_dict.items():
        panel = dict(zip(order, key if len(order) == 2 else (key,), strict=True))
        inside = [curve for curve in colored if _belongs(curve, panel)]
        if inside:
            n_bands = sum(not curve.is_baseline for curve in inside)
            draw(ax, [curve._replace(n_bands=n_bands) for curve in inside])
        ax.set_title(", ".join(_write_panel(name, value) for name, value in panel.items()))
    drawn = next(ax for ax in axes if ax.get_xlabel())
    grid.set_axis_labels(drawn.get_xlabel(), drawn.get_ylabel())  # only on the outer panels
    for ax in axes:
        _break_labels(ax, ax.title)
    grid.figure.set_layout_engine("constrained")
    _add_legend(axes, colored, looks, values)
    grid._legend = next(iter(grid.figure.legends), None)  # for seaborn.move_legend
    return grid


def _write_panel(name: str, value: Any) -> str:
    """Write the title of a panel."""
    if name == "beta":
        return f"β = {value:g}"
    return f"{drawing.write_name(name)} = {drawing.write_key(value)}"


def _belongs(curve: Curve, panel: Mapping[str, Hashable]) -> bool:
    """Whether a curve belongs to a panel; a baseline belongs to those of all betas."""
    return all(
        curve.where[name] == value or (name == "beta" and curve.beta == 0)
        for name, value in panel.items()
    )


def _break_labels(ax: Axes, *titles: Text) -> bool:
    """Break labels and titles that are longer than their axis; return whether a label changed."""
    before, frame = (ax.get_xlabel(), ax.get_ylabel()), ax.get_window_extent()
    along = [(text, frame.width) for text in (*titles, ax.xaxis.label)]
    for label, side in [*along, (ax.yaxis.label, frame.height)]:
        lines, room = label.get_text().split("\n"), _LABEL_SHARE * side
        length = max(label.get_window_extent().size)
        if length > room > 0:
            width = max(8, int(max(map(len, lines)) * room / length))
            label.set_text("\n".join(textwrap.fill(line, width) for line in lines))
    return before != (ax.get_xlabel(), ax.get_ylabel())


# Colours and names of curves


def _color_curves(
    ax: Axes, curves: Sequence[Curve], looks: options.Options, values: Values
) -> list[Curve]:
    """Give each curve a colour and a name, baselines last."""
    hue = looks["hue"]
    keys = values[hue] if hue else [None]
    colors = dict(zip(keys, _colors(ax, looks, keys), strict=True))
    betas = {curve.beta for curve in curves}
    by_model = hue not in (None, "beta") and len(keys) > 1
    naive = [
        curve.beta == 0 and "beta" in curve.where and (len(betas) > 1 or not by_model)
        for curve in curves
    ]
    numbers = [beta for beta in betas if beta is not None]
    digits = next(  # as many as make them different
        d for d in range(3, 18) if len({f"{beta:.{d}g}" for beta in numbers}) == len(numbers)
    )
    colored = []
    for curve, is_baseline in zip(curves, naive, strict=True):
        key = curve.where[hue] if hue else None
        look: dict[str, Any] = {"is_baseline": is_baseline, "by_model": by_model}
        look["color"] = colors[key] if by_model or not is_baseline else options.ink(ax, 0.75)
        look["label"] = _BASELINE_LABEL if is_baseline else _name(curve, looks, digits)
        colored.append(curve._replace(n_bands=naive.count(False), **look))
    return sorted(colored, key=lambda curve: curve.is_baseline)


def _colors(ax: Axes, looks: options.Options, keys: Sequence[Hashable]) -> list[Any]:
    """Return the colour of each key; a colour in line_kws is also that of the band."""
    if (color := (looks["line_kws"] or {}).get("color")) is not None:
        return [color] * len(keys)
    if looks["palette"] is not None:
        return options.read_palette(looks["palette"], keys)
    taken = [line.get_color() for line in drawing.curves_on(ax)]
    return options.next_colors(ax, taken, len(keys), looks["hue"] == "beta" and len(keys) > 1)


def _name(curve: Curve, looks: options.Options, digits: int) -> str:
    """Return the name of a curve: its key, and its beta if it has its own."""
    hue = looks["hue"]
    written = "estimate" if curve.beta is None else f"β = {curve.beta:.{digits}g}"
    if hue in (None, "beta"):
        in_title = hue is None and "beta" in (looks["col"], looks["row"])
        return "estimate" if in_title else written
    has_own_beta = curve.beta is not None and "beta" not in curve.where
    key = drawing.write_key(curve.where[hue])
    return f"{key}, {written}" if has_own_beta else key


def _title(looks: options.Options, values: Values) -> str:
    """Return the title of the legend: the hue, and beta if all curves have the same."""
    if looks["hue"] in (None, "beta"):
        return ""
    betas = values.get("beta", [])
    has_one_beta = len(betas) == 1 and "beta" not in (looks["col"], looks["row"])
    return drawing.write_name(looks["hue"]) + (f" (β = {betas[0]:.3g})" if has_one_beta else "")


# Legends


def _legend_entries(
    axes: Sequence[Axes], without: Collection[str] = (), *, brief: bool = False
) -> Entries:
    """Return each curve, then each other label once, in grey if it has several colours."""
    curves: dict[tuple[str, bytes], Artist] = {}
    shared: dict[tuple[Kind, str], dict[bytes, Artist]] = {}
    for ax in axes:
        for artist, label in zip(*ax.get_legend_handles_labels(), strict=True):
            if (kind := drawing.kind_of(artist)) not in (None, Kind.CURVE):
                shared.setdefault((kind, label), {}).setdefault(_color_of(artist), artist)
            elif label not in without:
                curves.setdefault((label, _color_of(artist)), artist)
    entries = [(artist, label) for (label, _), artist in curves.items()]
    if brief and entries:
        return entries
    for (_, label), hues in sorted(shared.items(), key=lambda item: [*Kind].index(item[0][0])):
        first = next(iter(hues.values()))
        entries.append((first if len(hues) == 1 else _in_grey(first, axes[0]), label))
    return entries


def _color_of(artist: Any) -> bytes:
    """Return the colour of any artist, without its opacity, as a key."""
    first: Any = artist.get_children()[0] if isinstance(artist, Container) else artist
    color = getattr(first, "get_color", None) or first.get_edgecolor
    return to_rgba_array(color())[:, :3].tobytes()


def _in_grey(artist: Any, ax: Axes) -> Any:
    """Return a grey handle for artists of several colours."""
    grey = options.ink(ax, 0.6)
    handle: Any = Line2D([], []) if isinstance(artist, Line2D) else Patch()
    handle.update_from(artist)
    handle.set_gid(artist.get_gid())
    if isinstance(artist, Line2D):
        handle.set_color(grey)
        return handle
    alpha = to_rgba(artist.get_facecolor())[3]
    handle.set(edgecolor=grey, facecolor=options.ink(ax, 0.6 * alpha) if alpha else "none")
    return handle


def _add_legend(
    axes: Sequence[Axes], curves: Sequence[Curve], looks: options.Options, values: Values
) -> None:
    """Add the legend: on the user's Axes, or outside the Axes of a new figure."""
    figure: Any = axes[0].get_figure(root=True)
    outside = _legends_outside(figure)
    before = [*outside, *filter(None, [axes[0].get_legend()])]
    title = _title(looks, values) or (before[0].get_title().get_text() if before else "")
    axes = figure.axes if outside else axes  # one legend for all Axes
    without: set[str] = set()
    labels = [curve.label for curve in curves if not curve.is_baseline]
    if looks["hue"] == "beta" and looks["legend"] != "full" and len(labels) > _MAX_BETAS_NAMED:
        without = {*labels} - {*labels[:: -(-(len(labels) - 1) // (_MAX_BETAS_NAMED - 1))]}
    entries = _legend_entries(axes, without, brief=looks["legend"] == "brief")
    if not entries or not looks["legend"]:
        return
    if looks["ax"] is not None and not outside:
        _on_axes(looks["ax"], entries, title, may_shorten=looks["legend"] == "auto")
        return
    is_narrow = not options.has_panels(looks) and bool(figure.get_figwidth() < _NARROW_FIGURE)
    is_below = outside[0].get_gid() == _BELOW if outside else is_narrow
    legend = _outside(figure, axes[0], entries, title, is_below=is_below)
    if looks["ax"] is None:
        _grow(figure, axes, legend, is_below=is_below)


def shared_legend(figure: Figure, *, title: str = "", brief: bool = False) -> Legend:
    r"""Replace the legends of all Axes of a figure by one outside the Axes.

    It has each entry once, in grey if it is drawn in several colours. The figure keeps its size,
    and gets matplotlib's constrained layout.

    Parameters
    ----------
    figure : Figure
        The figure with the Axes.
    title : str, optional
        Title of the legend; by default that of the first legend of the Axes.
    brief : bool, default False
        Only curves, without bands and reference lines.

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
    >>> figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3))
    >>> ax = pu.plot_roc(0.4, ax=left), pu.plot_pr(0.4, ax=right)
    >>> [text.get_text() for text in shared_legend(figure).get_texts()][:2]
    ['β = 0.4', '95% band, pointwise']
    """
    axes = figure.axes
    entries = _legend_entries(axes, brief=brief)
    if not entries:
        raise PUValueError(
            "figure must have Axes with labels, but there are none. Draw first: "
            "df.pu.plot_roc(0.3, ax=ax)."
        )
    for legend in filter(None, [ax.get_legend() for ax in axes]):
        title = title or legend.get_title().get_text()
        legend.remove()
    figure.set_layout_engine("constrained")
    is_below = bool(figure.get_figwidth() < _WIDE_RATIO * figure.get_figheight())
    return _outside(figure, axes[0], entries, title, is_below=is_below)


def _legends_outside(figure: Any) -> list[Legend]:
    return [legend for legend in figure.legends if legend.get_gid() in (_RIGHT, _BELOW)]


def _on_axes(ax: Axes, entries: Entries, title: str, *, may_shorten: bool) -> None:
    """Put a legend on Axes where it hides no data, or if there is no such place, no curve.

    Without room for all entries it has only curves, and without room for these there is none.
    """
    _ = ax.viewLim  # autoscales the Axes first
    frame = ax.get_window_extent()
    style = _style(ax, title, is_small=frame.width < _SMALL_AXES * ax.figure.dpi)
    curves = [entry for entry in entries if drawing.kind_of(entry[0]) in (None, Kind.CURVE)]
    lines = (Kind.CURVE, Kind.BASELINE)
    for kept, named in product(((*lines, Kind.BAND), lines), filter(None, (entries, curves))):
        legend = ax.legend(*zip(*named, strict=True), loc="best", **style)
        legend.set_in_layout(False)
        room = legend.get_window_extent()
        if not may_shorten:
            return
        if room.width * room.height >= _MAX_LEGEND_SHARE * frame.width * frame.height:
            continue
        for place in _LOCATIONS:
            legend.set_loc(place)  # type: ignore[arg-type]
            box = legend.get_window_extent().padded(_LEGEND_PADDING * frame.width)
            if not _hides(ax, kept, box):
                return
    legend.remove()


def _hides(ax: Axes, kinds: Collection[Kind], box: Any) -> bool:
    """Whether a box covers a line, a dot or an edge of some kinds of artists."""
    drawn: list[Any] = [*ax.lines, *ax.patches]
    for artist in drawn:
        if drawing.kind_of(artist) in kinds:
            path = artist.get_transform().transform_path(artist.get_path())
            is_joined = artist.get_linestyle() != "None"
            crosses = is_joined and path.intersects_bbox(box, filled=False)
            if crosses or box.count_contains(path.vertices):
                return True
    return False


def _outside(figure: Any, ax: Axes, entries: Entries, title: str, *, is_below: bool) -> Legend:
    """Put a legend right of all Axes, or below them."""
    for legend in _legends_outside(figure):
        legend.remove()
    width, height = figure.get_size_inches()
    style = _style(ax, title, is_small=bool(width < _NARROW_FIGURE)) | {"facecolor": "none"}
    loc = "outside lower center" if is_below else "outside right upper"
    rows = max(1, int(_ENTRIES_PER_INCH * height))
    most = _MAX_LEGEND_COLUMNS if is_below else ceil((len(entries) + bool(title)) / rows)
    for columns in range(min(most, len(entries)), 0, -1):
        legend = figure.legend(*zip(*entries, strict=True), loc=loc, ncols=columns, **style)
        if not is_below or columns == 1 or legend.get_window_extent().width < figure.bbox.width:
            break
        legend.remove()
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
    """Enlarge a new figure for its legend, so that the Axes keep their size."""
    width, height = figure.get_size_inches()
    room = legend.get_window_extent()
    if is_below:
        figure.set_figheight(height + room.height / figure.dpi)
        return
    spare = 0.0
    if len(axes) == 1:
        axes[0].set_anchor("W")  # square Axes leave free space
        spare = axes[0].get_position(original=True).width - axes[0].get_position().width
    figure.set_figwidth(width + max(room.width / figure.dpi - spare * width, 0))
