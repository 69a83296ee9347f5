"""Docstrings say what parameters mean where they stand, and say the same in the same words."""

import re
import runpy
from collections import defaultdict
from inspect import getdoc
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import xarray as xr

import pu_accessor
import pu_accessor.sklearn

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "parameters.py"))
FILES: list[Path] = TOOL["FILES"]
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
ENTRY = re.compile(r"^(\S.*)\n((?:^(?: +.*)?$\n?)*)", re.MULTILINE)


PUBLIC = {name: getattr(pu_accessor, name) for name in pu_accessor.__all__ if name[:2] != "PU"}
PUBLIC["scorer"] = pu_accessor.sklearn.scorer
KINDS: dict[str, Any] = {"df.pu": pd.DataFrame.pu, "ds.pu": xr.Dataset.pu}  # type: ignore[attr-defined]
for root, kind in KINDS.items():
    names = [name for name in dir(kind) if not name.startswith("_")]
    PUBLIC |= {f"{root}.{name}": getattr(kind, name) for name in names}


def sections(name: str) -> dict[str, str]:
    """Return the sections of a docstring."""
    parts = SECTION.split(getdoc(PUBLIC[name]) or "")[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_sources_have_the_shared_words(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert TOOL["written"](source) == source, "run: make format"


def test_what_is_added_stays() -> None:
    source = '''def f(level, *, band):
    """Ask.

    Parameters
    ----------
    level : float, default 0.9
        Something else.

        And more.
    own : int
        Of this one.

    Returns
    -------
    int
    """
'''
    head, tail = source.split("        Something else.\n")
    shared = "        Probability with which the interval covers, in (0, 1).\n"
    assert TOOL["written"](source) == head + shared + tail
    assert TOOL["written"](head + shared + tail) == head + shared + tail


def test_names_of_two_methods_are_shared() -> None:
    words = defaultdict[str, list[tuple[str, str]]](list)
    for name in [name for name in PUBLIC if ".pu." in name]:
        for head, body in ENTRY.findall(sections(name).get("Parameters", "")):
            first = " ".join(body.split("\n\n")[0].split())
            words[head.split(" : ")[0]].append((name, first))
    texts = {" ".join(one.text.split()) for one in TOOL["PARAGRAPHS"]}
    own = {(function, head) for function, heads in TOOL["OWN"].items() for head in heads}
    loose = [
        (name, head)
        for head, said in words.items()
        for name, text in said
        if len(said) > 1 and text not in texts and (name.split(".")[-1], head) not in own
    ]
    assert loose == []
    assert max(len(one.text) for one in TOOL["PARAGRAPHS"]) <= 430


@pytest.mark.parametrize("name", PUBLIC)
def test_nothing_is_said_elsewhere(name: str) -> None:
    assert not re.search(r"^ +As in ", sections(name).get("Parameters", ""), re.MULTILINE)
    assert "See Also" in sections(name)
