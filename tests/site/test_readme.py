"""The README's examples and the gallery run, and print what the README shows."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "docs/start.md", "docs/labels.md", "docs/beta.md", "docs/bands.md"]
PAGES += ["docs/known_negatives.md", "docs/biased_labels.md", "docs/many_models.md"]
PAGES += ["docs/large_data.md", "docs/paper.md", "docs/from_others.md"]
PAGES += ["docs/population.md", "docs/selection_odds.md"]
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


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


def test_demo(demo: Path) -> None:
    assert (demo / "main_job.png").stat().st_size > 10_000
    assert (demo / "scores.csv").is_file()


@pytest.mark.parametrize("page", PAGES)
def test_examples_print_what_the_page_shows(
    page: str, demo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(demo)
    names: dict[str, object] = {}
    blocks = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    assert [kind for kind, _ in blocks].count("text") >= 4
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
    told = re.findall(r"The picture is in (.*\.png)$", capsys.readouterr().out, re.MULTILINE)
    assert [Path(name).parent for name in told] == [tmp_path.resolve() / "build"]
    assert Path(told[0]).stat().st_size > 10_000


def test_links_are_there() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    found = {
        page.parent / link
        for page in pages
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
        if "://" not in link
    }
    assert ROOT / "docs" / "many_models.md" in found
    assert [path for path in found if not path.is_file()] == []
