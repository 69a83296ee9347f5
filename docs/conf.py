"""How Sphinx builds the site: ``make docs``. Manuals that cannot be reached are not linked."""

import re
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pandas as pd
import sphinx_autosummary_accessors
import xarray as xr
from sphinx.application import Sphinx
from sphinx_gallery.sorting import FunctionSortKey

import pu_accessor
from pu_accessor.roles_and_assumptions import SUPPORTED_ASSUMPTIONS

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs"))

from pictures import methods  # noqa: E402

project = html_title = "pu_accessor"
author = project_copyright = "The pu_accessor developers"
version = release = pu_accessor.__version__

extensions = [
    "matplotlib.sphinxext.plot_directive",
    "myst_parser",
    "numpydoc",
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


intersphinx_mapping = {name: (url, None) for name, url in MANUALS.items() if is_reached(url)}
unlinked = MANUALS.keys() - intersphinx_mapping
nitpick_ignore_regex = [("(py|std):.*", f"{name}[.:].*") for name in unlinked]

# Docstrings say the types; those of ours have a section of api.rst.
autodoc_typehints = "none"
autosummary_generate = True
autosummary_context = {
    "calls": methods.CALLS,
    "classes": {kind.__name__: kind.pu.__name__ for kind in (pd.DataFrame, xr.Dataset)},
}
numpydoc_show_class_members = False
# All but these.
numpydoc_validation_checks = {
    *("all", "ES01", "PR01", "PR02", "PR03", "PR04", "RT03", "RT04", "SA01")
}
numpydoc_validation_exclude = {r"\.PU", r"\.Options"}
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {
    name: f":ref:`{name} <type-{name.lower()}>`"
    for name in ("At", "Band", "Beta", "Metric", "Palette", "Ranks", "Target")
}
numpydoc_xref_aliases |= {
    name.rpartition(".")[2]: f":obj:`~{name}`"
    for name in (
        *("matplotlib.axes.Axes", "matplotlib.colors.Colormap", "matplotlib.figure.Figure"),
        *("numpy.random.Generator", "pandas.DataFrame", "pandas.Interval", "pandas.Series"),
        *("seaborn.FacetGrid", "xarray.Dataset", "xarray.DataArray"),
        *(f"pu_accessor.{name}" for name in pu_accessor.__all__ if name[:2] == "PU"),
    )
}

_BUILT_IN = "bool", "callable", "float", "int", "list", "str"  # shown so if no manual is linked
numpydoc_xref_aliases |= {name: f":obj:`{name} <python:{name}>`" for name in _BUILT_IN}

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
    "show_nav_level": 2,
}

_ACCESSORS = {"pandas.DataFrame.pu": pd.DataFrame.pu, "xarray.Dataset.pu": xr.Dataset.pu}
_LINKED = {f"{owner}.{name}" for owner, kind in _ACCESSORS.items() for name in dir(kind)}
_LINKED |= {f"pu_accessor.{name}" for name in pu_accessor.__all__}
_NAME = re.compile(r"(?<![`\w:])(?::(?:py:)?obj:)?`([\w.]+)(\([^`]*\))?`(?![`_])")


def link_names(app: Sphinx, what: str, name: str, *others: Any) -> None:
    """Link methods and functions that a docstring names, of which the last argument has lines."""
    owner, lines = name.rpartition(".")[0], others[-1]

    def link(found: re.Match[str]) -> str:
        shown, call = found[1], found[2] or ""
        for full in {shown, f"{owner}.{shown}"} & _LINKED - {name}:
            return f":py:obj:`{shown.removeprefix('pandas.')}{call} <{full}>`"
        return f"``{shown}{call}``"

    lines[:] = [_NAME.sub(link, line) for line in lines]


def setup(app: Sphinx) -> None:
    """Link what docstrings name; write the table of sensitivity.md: what each analysis accepts."""
    app.connect("autodoc-process-docstring", link_names, priority=900)
    lines = ["| analysis | accepts |", "| --- | --- |"]
    for method, names in SUPPORTED_ASSUMPTIONS.items():
        name = {"at a cutoff": "a metric at a cutoff", "early": "NDCG"}.get(method, f"`{method}`")
        lines.append(f"| {name} | {', '.join(f'`{each}`' for each in names) or 'none'} |")
    path = ROOT / "docs" / "generated" / "assumptions.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
