"""Thumbnails that can be read: of a figure with several panels one, the first.

While a script runs the panel is put aside; when the gallery is there it takes the place of the
small picture of them all.
"""

from html import escape
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from sphinx_gallery.scrapers import matplotlib_scraper
from sphinx_gallery.utils import scale_image

ROOT = Path(__file__).parent
PANELS = ROOT / "generated" / "panels"
SIZE = 400, 280  # of sphinx-gallery's
_LEAST = 0.5  # of the area of the largest one: less is a legend or a strip


def scrape(block: Any, script: dict[str, Any], settings: dict[str, Any]) -> Any:
    """Keep a panel of a figure, and go on as ever.

    Parameters
    ----------
    block, script, settings
        As sphinx-gallery passes them.

    Returns
    -------
    str
        Of the page: the figures.
    """
    path = PANELS / f"{Path(script['src_file']).stem}.png"
    for number in plt.get_fignums():
        panel = _panel(plt.figure(number))
        if panel is not None:
            PANELS.mkdir(parents=True, exist_ok=True)
            plt.figure(number).savefig(path, dpi=150, bbox_inches=panel)
    chart = script["example_globals"].pop("chart", None)  # of Altair
    page = "" if chart is None else _frame(chart.to_html())
    return matplotlib_scraper(block, script, settings) + page


def _frame(page: str) -> str:
    """Return a page within the page."""
    style = "width: 100%; height: 27rem; border: 0"
    frame = f'<iframe title="chart" style="{style}" srcdoc="{escape(page)}"></iframe>'
    return f"\n\n.. raw:: html\n\n    {' '.join(frame.split())}\n\n"


def _panel(figure: Figure) -> Bbox | None:
    """Return where the first panel of several stands, in inches."""
    figure.canvas.draw()
    sizes = {ax: ax.bbox.width * ax.bbox.height for ax in figure.axes if ax.axison}
    panels = [ax for ax, size in sizes.items() if size >= _LEAST * max(sizes.values())]
    if len(panels) < 2:
        return None
    box = panels[0].get_tightbbox()
    return box.transformed(figure.dpi_scale_trans.inverted()).padded(0.05) if box else None


def replace(app: object) -> None:
    """Put the panels in the place of thumbnails.

    Parameters
    ----------
    app : Sphinx
        Not used.
    """
    for panel in sorted(PANELS.glob("*.png")):
        for place in (ROOT / "gallery").rglob(f"sphx_glr_{panel.stem}_thumb.png"):
            scale_image(str(panel), str(place), *SIZE)
