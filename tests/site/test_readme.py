"""The README's examples and the gallery run, and print what the README shows."""

import re
import runpy
import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
WRITTEN = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES = [
    str(page.relative_to(ROOT))
    for page in WRITTEN
    if "\n```python\n" in page.read_text(encoding="utf-8")
]


def squeezed(text: str) -> list[list[str]]:
    """Return the words of each line that has any."""
    return [line.split() for line in text.splitlines() if line.strip()]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the first command's script in a folder of its own."""
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        runpy.run_path(str(ROOT / "gallery" / "plot_main_job.py"))
    return folder / "build"


def test_pages_with_examples_are_found_and_the_demo_writes(demo: Path) -> None:
    assert {"README.md", "docs/start.md", "docs/scikit_learn.md"} <= {*PAGES}
    assert (demo / "main_job.png").stat().st_size > 10_000
    assert (demo / "scores.csv").is_file()


def test_the_picture_of_readme_and_paper_is_what_the_demo_draws(demo: Path) -> None:
    pins = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    if f"matplotlib=={matplotlib.__version__}" not in pins:
        pytest.skip("another matplotlib draws other pixels")
    kept = plt.imread(ROOT / "docs" / "images" / "main_job.png")
    assert np.abs(plt.imread(demo / "main_job.png") - kept).mean() < 0.005


NEWCOMERS = (
    "README.md",
    *(f"docs/{name}.md" for name in ("start", "faq", "tasks", "fields", "method")),
)
OPTIONAL = ("dask", "polars", "sklearn", "tqdm")  # a plain install lacks them


@pytest.mark.parametrize("page", PAGES)
def test_examples_print_what_the_page_shows(
    page: str, demo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(demo)
    for package in OPTIONAL if page in NEWCOMERS else ():
        monkeypatch.setitem(sys.modules, package, None)
    names: dict[str, object] = {}
    blocks = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    for kind, text in blocks:
        if kind == "python":
            exec(compile(text, page, "exec"), names)
        else:
            assert squeezed(capsys.readouterr().out) == squeezed(text)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "script", sorted(path.name for path in (ROOT / "gallery").glob("plot_*.py"))
)
def test_gallery(
    script: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "gallery" / script))
    printed = re.findall(r"The picture is in (.*\.png)$", capsys.readouterr().out, re.MULTILINE)
    assert [Path(name).parent for name in printed] == [tmp_path.resolve() / "build"]
    assert Path(printed[0]).stat().st_size > 10_000


def test_readme_begins_with_lines_that_run_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (_, lines), (_, printed), *_ = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    exec(compile(lines, "README.md", "exec"), {})
    assert squeezed(capsys.readouterr().out) == squeezed(printed)
    assert [path.name for path in tmp_path.iterdir()] == ["roc.png"]


def test_links_are_there() -> None:
    found = {
        page.parent / link
        for page in WRITTEN
        for link in re.findall(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)", page.read_text(encoding="utf-8"))
        if "://" not in link
    }
    assert ROOT / "docs" / "models_and_groups.md" in found
    assert [path for path in found if not path.is_file()] == []


def test_pages_are_not_long_and_link_every_measured_file() -> None:
    texts = [page.read_text(encoding="utf-8") for page in WRITTEN]
    measured = sorted(path.name for path in (ROOT / "docs" / "measured").glob("*.csv"))
    assert 3 <= len(measured) <= 12
    assert [name for name in measured if f"(measured/{name})" not in "".join(texts)] == []
    words = [len(text.split()) for text in texts]
    assert max(words) <= 3_000 and sum(words) <= 22_000
    assert len(WRITTEN) - 1 <= 24  # pages besides the README


def paragraphs(text: str) -> list[str]:
    """Return the prose of a page: paragraphs and items of lists, without code and tables."""
    text = re.sub(r"^(```+|~~~+).*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    found = [""]
    for line in map(str.strip, text.splitlines()):
        if not line or line.startswith(("#", "|", "![", ":::", "(", "[^", "<!--")):
            found.append("")
            continue
        if re.match(r"([*-]|\d+\.) ", line):
            found.append("")
        found[-1] += f" {line}"
    found = [re.sub(r"\{[a-z-]+\}`([^`<]*)[^`]*`", r"\1", one) for one in found]
    found = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", one) for one in found]
    return [re.sub(r"`[^`]*`", "Code", one).replace("*", "").strip() for one in found if one]


def test_sentences_are_short() -> None:
    ends = re.compile(r"(?<=[.?!])\s+(?=[A-Z0-9\"'(])")
    sentences = [
        (page.name, sentence)
        for page in WRITTEN
        for paragraph in paragraphs(page.read_text(encoding="utf-8"))
        for sentence in ends.split(paragraph)
        if not sentence.startswith("[")  # references
    ]
    long = [(name, sentence) for name, sentence in sentences if len(sentence.split()) > 25]
    assert len(sentences) > 300
    assert len(long) < 0.05 * len(sentences), long
