"""The README's examples and the gallery run, and print what the README shows."""

import re
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def squeezed(text: str) -> list[list[str]]:
    """Return the words of each line that has any."""
    return [line.split() for line in text.splitlines() if line.strip()]


def test_demo_and_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "gallery" / "plot_main_job.py"))
    printed = capsys.readouterr().out
    assert f"The picture is in {tmp_path.resolve() / 'build' / 'main_job.png'}" in printed
    assert (tmp_path / "build" / "main_job.png").stat().st_size > 10_000

    monkeypatch.chdir(tmp_path / "build")
    names: dict[str, object] = {}
    blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert [kind for kind, _ in blocks].count("text") >= 4
    for kind, text in blocks:
        if kind == "python":
            exec(compile(text, "README.md", "exec"), names)
        else:
            assert squeezed(capsys.readouterr().out) == squeezed(text)
    assert capsys.readouterr().out == ""
    assert plt.get_fignums()


def test_links_of_the_readme_are_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    assert targets
    for target in targets:
        assert (ROOT / target).is_file(), target
