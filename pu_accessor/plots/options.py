"""How a plot looks: the keywords that mean the same in all plots, checked before anything else."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, TypeAlias

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cbook import normalize_kwargs
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from pu_accessor.checks import check_option, is_number
from pu_accessor.errors import PUTypeError, PUValueError, brief
from pu_accessor.plots.colors import Palette, check_palette

Style: TypeAlias = Mapping[str, Any] | None

LEGENDS = ("auto", "brief", "full")
_OTHER_LEGENDS = {
    **dict.fromkeys(["none", "no"], "Pass legend=False."),
    **dict.fromkeys(["outside", "best"], "auto"),
    "direct": "Names are no longer written at the ends of curves: pass 'brief', or ax.annotate.",
}


@dataclass(frozen=True)
class Options:
    """How a plot looks: the keywords that all plots take.

    An option that cannot be followed raises before a row is read.

    Parameters
    ----------
    hue, col, row : str, optional
        What colours, columns and rows of panels tell apart: "beta", "model" for a list of scores,
        or names of `by` or dimensions. Where one is left, it gets the hues.
    ax : Axes, optional
        Where to draw; new if not given.
    line_kws, band_kws : mapping, optional
        Properties of the estimates' Line2D and of the bands' Polygon; a band has its line's
        colour.
    palette : Palette, optional
        Colours of the hues, as in seaborn: a name, such as "deep" or "viridis", colours in order,
        or that of each key. By default the next ones of your colour cycle that are not on the
        Axes.
    legend : {"auto", "brief", "full"} or False, default "auto"
        What is named: beside a figure of ours, or within Axes of yours. "auto" leaves out some of
        more than six betas, "full" none; "brief" names curves alone; False nothing.
    height : float, optional
        Height of each panel of a grid, in inches.
    baseline : bool, default False
        Insist on the dashed curve of beta = 0, which takes the unlabeled as negative.

    Raises
    ------
    PUTypeError, PUValueError
        If an option cannot be followed. By each plot also if a dimension has no hue, column or
        row.
    """

    hue: str | None = None
    col: str | None = None
    row: str | None = None
    ax: Axes | None = None
    line_kws: Style = None
    band_kws: Style = None
    palette: Palette = None
    legend: str | bool = "auto"
    height: float | None = None
    baseline: bool = False

    def __post_init__(self) -> None:
        _check_artist("line_kws", self.line_kws, Line2D, [], [])
        _check_artist("band_kws", self.band_kws, Polygon, np.zeros((1, 2)))
        check_palette(self.palette)
        _check_legend(self.legend)
        _check_dimensions(self.dimensions)
        _check_ax(self)
        _check_height(self)

    @property
    def dimensions(self) -> dict[str, str]:
        """Those of hue, col and row that are given."""
        given = {"hue": self.hue, "col": self.col, "row": self.row}
        return {name: dim for name, dim in given.items() if dim is not None}

    @property
    def has_panels(self) -> bool:
        """Whether there are columns or rows."""
        return self.col is not None or self.row is not None

    @property
    def line(self) -> dict[str, Any]:
        """The properties of lines, under their full names."""
        return normalize_kwargs(dict(self.line_kws or {}), Line2D)

    @property
    def band(self) -> dict[str, Any]:
        """The properties of bands, under their full names."""
        return normalize_kwargs(dict(self.band_kws or {}), Polygon)


def _check_artist(argument: str, style: Style, kind: type[Artist], *empty: Any) -> None:
    """Raise unless an artist takes these properties."""
    try:
        kind(*empty, **normalize_kwargs(dict(style or {}), kind))
    except (AttributeError, TypeError, ValueError) as error:
        raise PUTypeError(
            f"{argument} must be a mapping of properties of matplotlib's {kind.__name__}, but "
            f"{style!r} was passed: {error}"
        ) from error


def _check_legend(legend: object) -> None:
    """Raise unless there is such a legend."""
    if legend is False:
        return
    try:
        check_option("legend", legend, LEGENDS, _OTHER_LEGENDS)
    except PUValueError as error:
        raise PUValueError(f"{error} Pass False for none at all.") from None


def _check_dimensions(dimensions: Mapping[str, object]) -> None:
    """Raise unless hue, col and row are names, and different ones."""
    for name, dim in dimensions.items():
        if not isinstance(dim, str):
            raise PUValueError(
                f"{name} must be the name of one of the dimensions, but {brief(dim)} was passed. "
                f"Pass for example {name}='model'."
            )
    if len({*dimensions.values()}) < len(dimensions):
        raise PUValueError(f"hue, col and row must be different, but {dimensions} was passed.")


def _check_ax(options: Options) -> None:
    """Raise unless there is one place to draw."""
    if not isinstance(options.ax, Axes | None):
        raise PUTypeError(
            f"ax must be a matplotlib Axes, but a {type(options.ax).__name__} was passed."
        )
    if options.ax is not None and options.has_panels:
        raise PUValueError(
            "ax must not be passed with col or row, which make a figure of their own. Leave it "
            "out, or leave these out: hue alone draws on it."
        )


def _check_height(options: Options) -> None:
    """Raise unless panels can be as high as this."""
    height = options.height
    if height is None:
        return
    if not is_number(height) or not 0 < float(height) < inf:
        raise PUValueError(
            f"height must be a number of inches above 0, but {brief(height)} was passed. Pass "
            "height=3."
        )
    if not options.has_panels:
        inches = float(height)
        raise PUValueError(
            "height is that of the panels of a grid, but there is neither col nor row. Make the "
            f"Axes first: ax=plt.subplots(figsize=({1.3 * inches:.3g}, {inches:g}))[1]."
        )
