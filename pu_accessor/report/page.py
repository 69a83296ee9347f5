"""A page of HTML that needs nothing beside itself: no script, no font, no picture elsewhere."""

import base64
import re
from collections.abc import Iterable, Sequence
from html import escape
from io import BytesIO
from math import isinf, isnan
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1c2126; background: #fff; margin: 0 auto;
  max-width: 60rem; padding: 1rem; overflow-wrap: anywhere; }
h1 { line-height: 1.2; } h2 { margin-top: 2.2rem; border-bottom: 1px solid #cfd6dd; }
table { border-collapse: collapse; font-size: .9rem; }
caption { text-align: left; padding: .4rem 0; color: #4a5560; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #e3e8ec; text-align: right;
  white-space: nowrap; overflow-wrap: normal; }
th.text, td.text { text-align: left; } thead th { border-bottom: 2px solid #9aa5af; }
.scroll { overflow-x: auto; margin: .6rem 0; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr));
  gap: 1rem; }
figure { margin: 0; } img { width: 100%; height: auto; } figcaption { color: #4a5560; }
blockquote { margin: 1rem 0; padding: .8rem 1rem; background: #f3f6f8;
  border-left: 4px solid #4c72b0; }
.note { color: #6d4300; background: #fff6e5; padding: .5rem .8rem; }
code { background: #f3f6f8; padding: .1em .3em; }
""".strip()


def page(title: str, body: Iterable[str]) -> str:
    """Return a whole page."""
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            '<head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            # Nothing is loaded, and no script runs, whatever names hold.
            '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
            "img-src data:; style-src 'unsafe-inline'\">",
            f"<title>{_text(title)}</title>",
            f"<style>{_STYLE}</style></head>",
            f"<body><h1>{_text(title)}</h1>",
            *body,
            "</body></html>",
            "",
        ]
    )


def section(title: str, *parts: str) -> str:
    """Return a section: a heading, and parts."""
    name = re.sub(r"\W+", "-", title.lower()).strip("-")
    return "\n".join([f'<section id="{name}"><h2>{_text(title)}</h2>', *parts, "</section>"])


def paragraph(text: str, kind: str = "p") -> str:
    """Return a paragraph.

    Examples
    --------
    >>> paragraph("a < b", "note")
    '<p class="note">a &lt; b</p>'
    """
    shown = _text(text)
    return {
        "note": f'<p class="note">{shown}</p>',
        "blockquote": f"<blockquote>{shown}</blockquote>",
        "code": f"<p><code>{shown}</code></p>",
    }.get(kind, f"<p>{shown}</p>")


def items(texts: Iterable[str]) -> str:
    """Return a list."""
    return "<ul>" + "".join(f"<li>{_text(text)}</li>" for text in texts) + "</ul>"


def table(frame: pd.DataFrame, caption: str) -> str:
    """Return a table that scrolls by itself where it is wider than the screen."""
    texts = [not pd.api.types.is_numeric_dtype(frame[name]) for name in frame]
    head = _cells("th", map(str, frame.columns), texts)
    rows = (
        f"<tr>{_cells('td', map(number, row), texts)}</tr>"
        for row in frame.itertuples(index=False, name=None)
    )
    return (
        f'<div class="scroll"><table><caption>{_text(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def number(value: Any) -> str:
    """Write a value as a reader wants it: three decimals, whole numbers whole.

    Examples
    --------
    >>> [number(value) for value in (0.12345, 12345, float("inf"), "svm", 1e-9)]
    ['0.123', '12,345', '∞', 'svm', '<0.001']
    """
    if isinstance(value, bool) or not hasattr(value, "__float__") or isinstance(value, str):
        return "" if value is None or value is pd.NA else str(value)
    real = float(value)
    if isnan(real):
        return "–"
    if isinf(real):
        return "∞" if real > 0 else "-∞"
    if pd.api.types.is_integer(value):
        return f"{int(value):,}"
    return "<0.001" if 0 < real < 0.0005 else f"{real:.3f}"


def picture(figure: "Figure", caption: str) -> str:
    """Return a figure as a drawing inside the page."""
    import matplotlib as mpl

    drawn = BytesIO()
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "pu_accessor"}):
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    data = base64.b64encode(drawn.getvalue()).decode("ascii")
    shown = _text(caption)
    return (
        f'<figure><img alt="{shown}" src="data:image/svg+xml;base64,{data}">'
        f"<figcaption>{shown}</figcaption></figure>"
    )


def _cells(kind: str, values: Iterable[str], texts: Sequence[bool]) -> str:
    """Return the cells of a row, those of columns of text on the left."""
    return "".join(
        f'<{kind} class="text">{_text(value)}</{kind}>'
        if text
        else f"<{kind}>{_text(value)}</{kind}>"
        for value, text in zip(values, texts, strict=True)
    )


def _text(text: str) -> str:
    """Escape a text: a name may hold anything, also what is no character of HTML."""
    return escape(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]", "�", text))
