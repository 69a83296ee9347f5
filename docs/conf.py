"""How Sphinx builds the site: ``make docs``. Nothing here needs a network."""

import re
import sys
from pathlib import Path

import pandas as pd
import sphinx_autosummary_accessors
import xarray as xr
from sphinx.application import Sphinx
from sphinx.ext.autosummary import Autosummary

import pu_accessor
from pu_accessor.roles_and_assumptions import SUPPORTED_ASSUMPTIONS

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "docs" / "generated" / "examples"
PICTURES = ROOT / "docs" / "generated" / "pictures"
sys.path.insert(0, str(ROOT / "docs"))

import elsewhere  # noqa: E402
import thumbnails  # noqa: E402
from pictures import methods  # noqa: E402

project = "pu_accessor"
author = project_copyright = "The pu_accessor developers"
version = release = pu_accessor.__version__

extensions = [
    "matplotlib.sphinxext.plot_directive",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_autosummary_accessors",
    "sphinx_gallery.gen_gallery",
]
# The paper is compiled by its journal, and the tables of terms are parts of a page.
exclude_patterns = ["_build", "joss", "generated/terms"]
templates_path = ["_templates", sphinx_autosummary_accessors.templates_path]
nitpicky = True
highlight_language = "text"

intersphinx_mapping = elsewhere.write_inventories(ROOT / "docs" / "generated" / "inventories")

# Docstrings say the types; those of ours have a section of api.rst.
autodoc_typehints = "none"
TYPES = {
    name: f":ref:`{name} <type-{name.lower()}>`"
    for name in ("At", "Band", "Beta", "Metric", "Palette", "Ranks", "Target")
}
TYPES |= {name: f":class:`~{full}`" for name, full in elsewhere.SHORT.items()}
TYPES |= {
    name: f":exc:`{name} <pu_accessor.{name}>`" for name in pu_accessor.__all__ if name[:2] == "PU"
}
autosummary_generate = True
numpydoc_show_class_members = False
myst_heading_anchors = 3
toc_object_entries_show_parents = "hide"

# Scripts and blocks that only draw a picture.
plot_basedir = "."
plot_formats = [("png", 144)]
plot_html_show_formats = False
plot_html_show_source_link = False

sphinx_gallery_conf = {
    "abort_on_example_error": True,
    "backreferences_dir": "generated/examples",
    "capture_repr": (),
    "doc_module": ("pu_accessor", "pandas", "xarray"),
    "download_all_examples": False,
    "examples_dirs": "../gallery",
    "filename_pattern": r"plot_",
    "gallery_dirs": "gallery",
    "image_scrapers": ("thumbnails.scrape",),
    "image_srcset": ["2x"],
    "parallel": 2,
    "remove_config_comments": True,
    "show_signature": False,
    "thumbnail_size": thumbnails.SIZE,
    "subsection_order": ["../gallery/practice", "../gallery/paper"],
    "within_subsection_order": "order.Order",
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = project
html_context = {"default_mode": "auto"}
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "footer_end": [],
    "footer_start": ["copyright"],
    "header_links_before_dropdown": 6,
    "logo": {
        "text": project,
        "image_light": "_static/favicon.svg",
        "image_dark": "_static/favicon.svg",
    },
    "navigation_with_keys": False,
    "show_nav_level": 2,
}

_ACCESSORS = {"pandas.DataFrame.pu": pd.DataFrame.pu, "xarray.Dataset.pu": xr.Dataset.pu}
_NAME = re.compile(r"(?<![`\w:])(?::(?:py:)?obj:)?`([\w.]+)(\([^`]*\))?`(?![`_])")
_IMAGE = re.compile(r"^\.\. image-sg:: .*\n(?: {3}\S.*\n)+", re.MULTILINE)
_CODE = ".. GENERATED FROM PYTHON SOURCE LINES"
_HEAD = re.compile(r" {4}[^\s`]+[^`]*")  # of a parameter, of what is returned or raised
_TYPE = re.compile(rf"\b({'|'.join(TYPES)})\b")


def link_methods(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Make what a docstring speaks of links: methods, functions and types."""
    owner, _, this = name.rpartition(".")
    accessor = _ACCESSORS.get(owner)

    def link(found: re.Match[str]) -> str:
        method, call = found[1], found[2] or ""
        there = method.removeprefix("pu_accessor.")
        if there != method and there in pu_accessor.__all__:
            return f":py:obj:`{method}{call} <{method}>`"
        if method.rpartition(".")[0] in _ACCESSORS:
            short = method.partition(".")[2]
            return f":py:obj:`{short} <{method}>`"
        known = accessor is not None and hasattr(accessor, method) and method != this
        return f":py:obj:`{method} <{owner}.{method}>`" if known else f"``{method}{call}``"

    lines[:] = [
        _TYPE.sub(lambda found: TYPES[found[0]], line)
        if _HEAD.fullmatch(line)
        else _NAME.sub(link, line)
        for line in lines
    ]


def add_pictures(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Put a method's picture and call below its first line, and its gallery scripts at the end."""
    owner, _, this = name.rpartition(".")
    accessor = _ACCESSORS.get(owner)
    if accessor is None:
        return
    short = name.partition(".")[2]
    opening = [""]
    if methods.draws(short):
        picture = f"/generated/pictures/{short}.png"
        opening += [f".. image:: {picture}", f"   :alt: What {this} draws", ""]
    opening += [".. code-block:: python", "", f"   {methods.CALLS[short]}", ""]
    summary = next(place for place, line in enumerate(lines) if line.strip())
    lines[summary + 1 : summary + 1] = opening
    examples = f"pu_accessor.{accessor.__name__}.{this}"  # by which sphinx-gallery knows it
    if (EXAMPLES / f"{examples}.examples").is_file():
        lines += ["", ".. rubric:: In the gallery", "", f".. minigallery:: {examples}", ""]


class ShortSummary(Autosummary):
    """A table of methods that writes ``pu.auroc`` for ``DataFrame.pu.auroc``."""

    def get_items(self, names: list[str]) -> list[tuple[str, str | None, str, str]]:
        """Return a name to show, signature, summary and full name of each entry."""
        items = super().get_items(names)
        return [(shown.removeprefix("DataFrame."), *others) for shown, *others in items]


def arrange(app: Sphinx, name: str, source: list[str]) -> None:
    """Put a script's picture above its code; leave out where it was built, which scripts print."""
    text = source[0].replace(f"{ROOT}/", "")
    found = _IMAGE.search(text) if name.startswith("gallery/") else None
    if found:
        text = text[: found.start()] + text[found.end() :]
        text = text.replace(_CODE, f"{found[0]}\n\n{_CODE}", 1)
    source[0] = text


def write_assumptions(folder: Path) -> None:
    """Write the table of sensitivity.md: the assumptions that each analysis accepts."""
    rows = [("analysis", "accepts"), ("---", "---")]
    for method, names in SUPPORTED_ASSUMPTIONS.items():
        name = {"at a cutoff": "a metric at a cutoff", "early": "NDCG"}.get(method, f"`{method}`")
        rows.append((name, ", ".join(f"`{each}`" for each in names) or "none"))
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"| {first} | {second} |\n" for first, second in rows]
    (folder / "assumptions.md").write_text("".join(lines), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Connect what changes pages on their way."""
    app.add_directive("autosummary", ShortSummary, override=True)
    write_assumptions(ROOT / "docs" / "generated" / "terms")
    methods.draw(PICTURES)
    app.connect("autodoc-process-docstring", link_methods, priority=900)
    app.connect("autodoc-process-docstring", add_pictures, priority=901)
    app.connect("source-read", arrange)
    app.connect("builder-inited", thumbnails.replace, priority=900)
