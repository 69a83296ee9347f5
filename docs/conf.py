"""How Sphinx builds the site: ``make docs``. Manuals that cannot be reached are not linked."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.request import urlopen

import pandas as pd
import sphinx_autosummary_accessors
import xarray as xr
from sphinx.application import Sphinx
from sphinx.ext.autosummary import Autosummary
from sphinx_gallery.sorting import FunctionSortKey

import pu_accessor
from pu_accessor.roles_and_assumptions import SUPPORTED_ASSUMPTIONS

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "docs" / "generated" / "examples"
sys.path.insert(0, str(ROOT / "docs"))

from pictures import methods  # noqa: E402

project = html_title = "pu_accessor"
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
exclude_patterns = ["_build", "joss", "generated/assumptions.md"]
templates_path = ["_templates", sphinx_autosummary_accessors.templates_path]
highlight_language = "text"
myst_heading_anchors = 3
toc_object_entries_show_parents = "hide"

# A link to nowhere is a warning, and a warning stops the build.
nitpicky = True
MANUALS = {
    "matplotlib": "https://matplotlib.org/stable/",
    "numpy": "https://numpy.org/doc/stable/",
    "pandas": "https://pandas.pydata.org/docs/",
    "python": "https://docs.python.org/3/",
    "seaborn": "https://seaborn.pydata.org/",
    "sklearn": "https://scikit-learn.org/stable/",
    "xarray": "https://docs.xarray.dev/en/stable/",
}


def is_reached(url: str) -> bool:
    """Return whether a manual has an inventory of its names, and say if not."""
    try:
        with urlopen(f"{url}objects.inv", timeout=5):
            return True
    except OSError as error:
        print(f"{url} is not linked: {error}")
        return False


with ThreadPoolExecutor() as pool:
    REACHED = dict(zip(MANUALS, pool.map(is_reached, MANUALS.values()), strict=True))
intersphinx_mapping = {name: (MANUALS[name], None) for name in MANUALS if REACHED[name]}
missing = "|".join(name for name in MANUALS if not REACHED[name])
nitpick_ignore_regex = [("py:.*", rf"({missing})[.:].*")] if missing else []

# Docstrings say the types; those of ours have a section of api.rst.
autodoc_typehints = "none"
autosummary_generate = True
numpydoc_show_class_members = False
# All but these.
numpydoc_validation_checks = {
    *("all", "ES01", "PR01", "PR02", "PR03", "PR04", "RT03", "RT04", "SA01")
}
numpydoc_validation_exclude = {r"\.PU", r"\.Options"}
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {
    "array_like": ":class:`array_like <numpy.ndarray>`",
    "array-like": ":class:`array-like <numpy.ndarray>`",
    "bool": ":class:`python:bool`",
    "boolean": ":class:`boolean <python:bool>`",
    "iterable": ":class:`iterable <python:collections.abc.Iterable>`",
}
numpydoc_xref_aliases |= {
    name: f":ref:`{name} <type-{name.lower()}>`"
    for name in ("At", "Band", "Beta", "Metric", "Palette", "Ranks", "Target")
}
numpydoc_xref_aliases |= {
    name.rpartition(".")[2]: f":class:`~{name}`"
    for name in (
        *("matplotlib.axes.Axes", "matplotlib.colors.Colormap", "matplotlib.figure.Figure"),
        *("numpy.random.Generator", "pandas.DataFrame", "pandas.Interval", "pandas.Series"),
        *("seaborn.FacetGrid", "xarray.Dataset", "xarray.DataArray"),
    )
}
numpydoc_xref_aliases |= {
    name: f":exc:`{name} <pu_accessor.{name}>`" for name in pu_accessor.__all__ if name[:2] == "PU"
}

plot_basedir = "."
plot_formats = [("png", 144)]
plot_html_show_formats = plot_html_show_source_link = False
sphinx_gallery_conf = {
    "abort_on_example_error": True,
    "backreferences_dir": "generated/examples",
    "capture_repr": (),
    "doc_module": ("pu_accessor", "pandas", "xarray"),
    "download_all_examples": False,
    "examples_dirs": "../gallery",
    "gallery_dirs": "gallery",
    "image_srcset": ["2x"],
    "minigallery_sort_order": FunctionSortKey(methods.place_in_gallery),
    "parallel": 2,
    "remove_config_comments": True,
    "show_signature": False,
    "subsection_order": ["../gallery/practice", "../gallery/paper"],
    "thumbnail_size": (400, 340),  # twice what site.css shows
    "within_subsection_order": FunctionSortKey(methods.place_in_gallery),
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_context = {"default_mode": "auto"}
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = False
html_theme_options = {
    "footer_end": [],
    "footer_start": ["copyright"],
    "header_links_before_dropdown": 7,
    "logo": {"text": project, "image_light": html_favicon, "image_dark": html_favicon},
    "navigation_with_keys": False,
    "show_nav_level": 2,
}

_ACCESSORS = {"pandas.DataFrame.pu": pd.DataFrame.pu, "xarray.Dataset.pu": xr.Dataset.pu}
_NAME = re.compile(r"(?<![`\w:])(?::(?:py:)?obj:)?`([\w.]+)(\([^`]*\))?`(?![`_])")


def finish_docstring(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Link methods and functions, and show a method's call, picture and gallery scripts."""
    owner, _, this = name.rpartition(".")
    accessor = _ACCESSORS.get(owner)

    def link(found: re.Match[str]) -> str:
        method, call = found[1], found[2] or ""
        is_public = method.partition("pu_accessor.")[2] in pu_accessor.__all__
        if is_public or method.rpartition(".")[0] in _ACCESSORS:
            short = method if is_public else method.partition(".")[2]
            return f":py:obj:`{short}{call} <{method}>`"
        known = accessor is not None and hasattr(accessor, method) and method != this
        return f":py:obj:`{method} <{owner}.{method}>`" if known else f"``{method}{call}``"

    lines[:] = [_NAME.sub(link, line) for line in lines]
    if accessor is None:
        return
    short = name.partition(".")[2]
    call = ["", ".. code-block:: python", "", f"   {methods.CALLS[short]}", ""]
    drawn = f""".. plot::
   :alt: What {this} draws

   from pictures.methods import example

   df, beta = example()
   {methods.CALLS[short]}
""".split("\n")
    summary = next(place for place, line in enumerate(lines) if line.strip())
    lines[summary + 1 : summary + 1] = ["", *(drawn if ".plot_" in short else []), *call[1:]]
    lines += ["", f".. index:: ! {this.replace('_', ' ')}", ""]  # what readers search for
    examples = f"pu_accessor.{accessor.__name__}.{this}"  # by which sphinx-gallery knows it
    if (EXAMPLES / f"{examples}.examples").is_file():
        lines += ["", ".. rubric:: In the gallery", "", f".. minigallery:: {examples}", ""]


class ShortSummary(Autosummary):
    """A table of methods that writes ``pu.auroc`` for ``DataFrame.pu.auroc``."""

    def get_items(self, names: list[str]) -> list[tuple[str, str | None, str, str]]:
        """Return a name to show, signature, summary and full name of each entry."""
        items = super().get_items(names)
        return [(shown.removeprefix("DataFrame."), *others) for shown, *others in items]


def write_assumptions(path: Path) -> None:
    """Write the table of sensitivity.md: the assumptions that each analysis accepts."""
    lines = ["| analysis | accepts |", "| --- | --- |"]
    for method, names in SUPPORTED_ASSUMPTIONS.items():
        name = {"at a cutoff": "a metric at a cutoff", "early": "NDCG"}.get(method, f"`{method}`")
        lines.append(f"| {name} | {', '.join(f'`{each}`' for each in names) or 'none'} |")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Write what pages include, and connect what changes docstrings."""
    app.add_directive("autosummary", ShortSummary, override=True)
    write_assumptions(ROOT / "docs" / "generated" / "assumptions.md")
    app.connect("autodoc-process-docstring", finish_docstring, priority=900)
