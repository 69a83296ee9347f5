"""How a picture looks: the keywords that mean the same in all plots."""

from typing import NamedTuple

from matplotlib.axes import Axes

from pu_accessor.checks import check_option
from pu_accessor.errors import PUTypeError, PUValueError, brief
from pu_accessor.plots.artists import Style, check_styles
from pu_accessor.plots.colors import Palette, check_palette

__all__ = ["LEGENDS", "Look"]

LEGENDS = ("auto", "brief", "full", "direct")


class Look(NamedTuple):
    """How a picture looks: the same for all plots.

    Parameters
    ----------
    hue, col, row : str, optional
        The dimensions (or levels of a MultiIndex) that colours, columns and rows of panels tell
        apart.
    baseline : bool
        Whether to insist on the curve of beta = 0.
    ax : matplotlib Axes, optional
        Where to draw; new if not given.
    line_kws, band_kws : mapping, optional
        Properties of the estimates' Line2D and of the bands' Polygon.
    palette : str, sequence or mapping of colors, or Colormap, optional
        What hues are drawn in.
    legend : {"auto", "brief", "full", "direct"} or False
        What is named, and where.
    height : float, optional
        Of each panel of a grid, in inches.
    """

    hue: str | None = None
    col: str | None = None
    row: str | None = None
    baseline: bool = False
    ax: Axes | None = None
    line_kws: Style = None
    band_kws: Style = None
    palette: Palette = None
    legend: str | bool = "auto"
    height: float | None = None

    @property
    def has_panels(self) -> bool:
        """Whether there are columns or rows, whatever they are."""
        return self.col is not None or self.row is not None

    def check(self) -> None:
        """Raise unless a picture can look like this: before a figure is made."""
        check_styles(self.line_kws, self.band_kws)
        check_palette(self.palette)
        if self.legend is not False:
            _check_legend(self.legend)
        _check_ax(self)
        _check_height(self)


def _check_legend(legend: object) -> None:
    """Raise unless there is such a legend."""
    meant = {"none": "False", "outside": "auto", "best": "auto", "end": "direct", "ends": "direct"}
    try:
        check_option("legend", legend, LEGENDS, meant)
    except PUValueError as error:
        raise PUValueError(f"{error} Pass False for none at all.") from None


def _check_ax(look: Look) -> None:
    """Raise unless there is one place to draw."""
    if not isinstance(look.ax, Axes | None):
        raise PUTypeError(
            f"ax must be a matplotlib Axes, but a {type(look.ax).__name__} was passed."
        )
    if look.ax is not None and look.has_panels:
        raise PUValueError(
            "ax must not be passed with col or row, which make a figure of their own. Leave it "
            "out, or leave these out: hue alone draws on it."
        )


def _check_height(look: Look) -> None:
    """Raise unless panels can be as high as this."""
    if look.height is None:
        return
    if isinstance(look.height, bool) or not isinstance(look.height, int | float):
        raise PUTypeError(
            f"height must be a number of inches, but {brief(look.height)} was passed. Pass "
            "height=3."
        )
    if not 0 < look.height < float("inf"):
        raise PUValueError(
            f"height must be above 0, in inches, but {look.height} was passed. Pass height=3."
        )
    if look.ax is not None:
        raise PUValueError(
            "height must not be passed with ax, which has its own. Make that as high as you want: "
            f"ax=plt.subplots(figsize=({1.3 * look.height:.3g}, {look.height:g}))[1]."
        )
    if not look.has_panels:
        raise PUValueError(
            "height is that of the panels of a grid, but there is neither col nor row. Make the "
            f"Axes first: ax=plt.subplots(figsize=({1.3 * look.height:.3g}, {look.height:g}))[1]."
        )
