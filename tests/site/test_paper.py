"""The paper in docs/joss: its references, figures and numbers, and what the journal asks for."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "joss"
_, HEAD, BODY = (FOLDER / "paper.md").read_text(encoding="utf-8").split("---\n", 2)
ENTRIES = re.split(r"^@", (FOLDER / "paper.bib").read_text(encoding="utf-8"), flags=re.MULTILINE)
BIB = {entry.partition("{")[2].partition(",")[0]: entry for entry in ENTRIES[1:]}
SECTIONS = """Summary, Statement of need, State of the field, Software design,
Research impact statement, AI usage disclosure, Acknowledgements, References"""


def test_what_is_cited_is_listed_and_what_is_listed_is_cited() -> None:
    cited = set(re.findall(r"@([a-z]+\d*)\b", BODY))
    assert len(cited) > 10 and cited == {*BIB}
    found = {key for key, entry in BIB.items() if re.search(r"^  (doi|url) =", entry, re.M)}
    assert found == {*BIB}


def test_figures_are_there_and_referred_to() -> None:
    figures = re.findall(r"^!\[.*?\\label\{(.+?)\}\]\((.+?)\)", BODY, re.DOTALL | re.MULTILINE)
    assert len(figures) == 2
    for label, path in figures:
        assert f"\\autoref{{{label}}}" in BODY
        assert min(plt.imread(FOLDER / path).shape[:2]) > 400
    scripts = re.findall(r"`(gallery/\S+\.py)`", BODY)
    assert scripts and all((ROOT / script).is_file() for script in scripts)


def test_the_journal_finds_what_it_asks_for() -> None:
    assert re.findall(r"^# (.+)$", BODY, re.MULTILINE) == re.split(r",\s", SECTIONS)
    assert 750 <= len(BODY.split()) <= 1_750
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8").partition("references:")[0]
    names = re.findall(r"^  - name: (.+)$", HEAD.partition("affiliations:")[0], re.MULTILINE)
    assert names and all(f"  - name: {name}\n" in citation for name in names)


def test_numbers_of_cells_are_those_that_were_measured() -> None:
    promises = pd.read_csv(ROOT / "docs" / "measured" / "promises.csv")
    fresh = promises.loc[~promises["chosen on"], "cells"].sum()
    text = " ".join(BODY.split())
    assert f"simulated on {promises['cells'].sum():,} cells" in text
    assert f"{fresh} of these cells were not looked at" in text
    assert f"{promises['below'].sum()} cells cover less than promised" in text
