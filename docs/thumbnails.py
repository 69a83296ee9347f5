"""Thumbnails that are legible at 200 pixels: the first panel of the first figure, in large type.

The panel is saved while a script runs, and replaces the thumbnail when the gallery is built.
"""

from html import escape
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.ticker import AutoLocator, MaxNLocator
from matplotlib.transforms import Bbox
from sphinx_gallery.scrapers import matplotlib_scraper
from sphinx_gallery.utils import scale_image

ROOT = Path(__file__).parent
PANELS = ROOT / "generated" / "panels"
SIZE = 400, 340  # twice what site.css shows
_MIN_SHARE = 0.5  # of the area of the largest panel; smaller Axes are no panels
_LABEL_LENGTH = 28  # characters in a line
_MIN_WIDTH = 2.6  # inches; wider panels get larger labels


def scrape(block: Any, script: dict[str, Any], settings: dict[str, Any]) -> Any:
    """Save a panel of the first figure of a script, and call the scraper of matplotlib.

    Parameters
    ----------
    block, script, settings
        As sphinx-gallery passes them.

    Returns
    -------
    str
        The figures, as text of the page.
    """
    is_first = not len(script["image_path_iterator"])
    figures = [plt.figure(number) for number in plt.get_fignums()]
    chart = script["example_globals"].pop("chart", None)  # of Altair
    page = matplotlib_scraper(block, script, settings)
    if figures and is_first:
        PANELS.mkdir(parents=True, exist_ok=True)
        keep(figures[0], PANELS / f"{Path(script['src_file']).stem}.png")
    return page if chart is None else page + _frame(chart.to_html())


def _frame(page: str) -> str:
    """Return a frame with another page."""
    style = "width: 100%; height: 27rem; border: 0"
    frame = f'<iframe title="chart" style="{style}" srcdoc="{escape(page)}"></iframe>'
    return f"\n\n.. raw:: html\n\n    {' '.join(frame.split())}\n\n"


def keep(figure: Figure, path: Path) -> None:
    """Save only the first panel of a figure, in large type.

    Parameters
    ----------
    figure : Figure
        Its other artists are hidden.
    path : Path
        The file.
    """
    panel = _first_panel(figure)
    for artist in [*figure.axes, *figure.legends, *figure.texts, panel.get_legend()]:
        if artist is not None:
            artist.set_visible(artist is panel)
    _enlarge(panel, max(1.0, panel.bbox.width / figure.dpi / _MIN_WIDTH))
    figure.canvas.draw()
    figure.set_layout_engine("none")
    inches = figure.dpi_scale_trans.inverted()
    box = panel.get_tightbbox().transformed(inches).padded(0.05)
    lowest = max(box.y0, box.y1 - 1.2 * box.width)  # the upper part of a high panel
    figure.savefig(path, dpi=150, bbox_inches=Bbox([[box.x0, lowest], [box.x1, box.y1]]))


def _first_panel(figure: Figure) -> Any:
    figure.canvas.draw()
    sizes = {ax: ax.bbox.width * ax.bbox.height for ax in figure.axes if ax.axison}
    return next(ax for ax, size in sizes.items() if size >= _MIN_SHARE * max(sizes.values()))


def _enlarge(ax: Any, factor: float) -> None:
    """Enlarge labels, and leave out some ticks."""
    ax.tick_params(labelsize=factor * ax.xaxis.label.get_fontsize(), labelbottom=True)
    for place in ("left", "center"):  # the gallery has its own titles
        ax.set_title("", loc=place)
    for label in [ax.xaxis.label, ax.yaxis.label]:
        label.set_fontsize(factor * label.get_fontsize())
        label.set_text(fill(label.get_text(), _LABEL_LENGTH))
    for text in ax.texts:  # among the curves
        text.set_fontsize(factor**0.5 * text.get_fontsize())
    for axis in (ax.xaxis, ax.yaxis):
        if isinstance(axis.get_major_locator(), AutoLocator):
            axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))


def replace(app: object) -> None:
    """Replace thumbnails by panels.

    Parameters
    ----------
    app : Sphinx
        Not used.
    """
    for panel in sorted(PANELS.glob("*.png")):
        for thumbnail in (ROOT / "gallery").rglob(f"sphx_glr_{panel.stem}_thumb.png"):
            scale_image(str(panel), str(thumbnail), *SIZE)
