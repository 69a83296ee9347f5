"""The paper in docs/joss: references and figures."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "joss"
_, HEAD, BODY = (FOLDER / "paper.md").read_text(encoding="utf-8").split("---\n", 2)
ENTRIES = re.split(r"^@", (FOLDER / "paper.bib").read_text(encoding="utf-8"), flags=re.MULTILINE)
BIB = {entry.partition("{")[2].partition(",")[0]: entry for entry in ENTRIES[1:]}


def test_what_is_cited_is_listed_and_what_is_listed_is_cited() -> None:
    cited = set(re.findall(r"@([a-z]+\d*)\b", BODY))
    assert len(cited) > 10 and cited == {*BIB}
    assert all(re.search(r"^  (doi|url) =", entry, re.M) for entry in BIB.values())


def test_figures_are_there_and_referred_to() -> None:
    figures = re.findall(r"^!\[.*?\\label\{(.+?)\}\]\((.+?)\)", BODY, re.DOTALL | re.MULTILINE)
    assert len(figures) == 2
    for label, path in figures:
        assert f"\\autoref{{{label}}}" in BODY
        assert (FOLDER / path).is_file()
    scripts = re.findall(r"`(gallery/\S+\.py)`", BODY)
    assert scripts and all((ROOT / script).is_file() for script in scripts)
