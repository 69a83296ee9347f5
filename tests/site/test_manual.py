"""README and manual run and print what they show."""

import io
import re
import runpy
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sybil import Example, Sybil
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.markdown import CodeBlockParser

import pu_accessor
import pu_accessor.sklearn

ROOT = Path(__file__).parents[2]
WRITTEN = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES = [page for page in WRITTEN if "\n```python\n" in page.read_text(encoding="utf-8")]
OPTIONAL = ("dask", "polars", "sklearn", "tqdm")  # a plain install lacks them
# Pages that need none of them.
WITHOUT = {"README", "story", "start", "faq", "tasks", "fields", "method"}
LINES = re.findall(
    r"^\| .+? \| `(.+?)` \|",
    (ROOT / "docs" / "tasks.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


def run(example: Example) -> None:
    """Run a block, and keep what it prints."""
    with redirect_stdout(example.namespace.setdefault("printed", io.StringIO())):
        PythonEvaluator()(example)


def compare(example: Example) -> None:
    """Compare what the blocks before printed with a block of text, but for spaces."""
    printed = example.namespace.pop("printed", io.StringIO()).getvalue()
    assert printed.split() == str(example.parsed).split()


MANUAL = Sybil([CodeBlockParser("python", run), CodeBlockParser("text", compare)])


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the script of `make demo` in a folder of its own."""
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        runpy.run_path(str(ROOT / "gallery" / "plot_main_job.py"))
    return folder / "build"


def test_the_picture_of_the_readme_is_what_the_demo_draws(demo: Path) -> None:
    pins = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    if f"matplotlib=={matplotlib.__version__}" not in pins:
        pytest.skip("another matplotlib draws other pixels")
    kept = plt.imread(ROOT / "docs" / "images" / "main_job.png")
    assert np.abs(plt.imread(demo / "main_job.png") - kept).mean() < 0.005


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_print_what_the_page_shows(
    page: Path, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(demo)
    for package in OPTIONAL if page.stem in WITHOUT else ():
        monkeypatch.setitem(sys.modules, package, None)
    document = MANUAL.parse(page)
    for example in document.examples():
        example.evaluate()
    assert document.namespace.get("printed", io.StringIO()).getvalue() == ""


@pytest.fixture(scope="module")
def names() -> dict[str, object]:
    """Return the names that the calls of tasks.md use."""
    rng = np.random.default_rng(0)
    truth = rng.random(1_000) < 0.3
    score, known = rng.normal(2 * truth), truth & (rng.random(1_000) < 0.4)
    df = pd.DataFrame({"score": score, "p": expit(2 * score - 3), "y": known.astype(int)})
    df["label"] = np.where(known, 1, np.nan)
    df.loc[np.flatnonzero(~truth)[:80], "label"] = 0
    df["svm"], df["forest"] = score, rng.normal(truth)
    df["site"], df["fold"] = rng.choice(["a", "b"], 1_000), rng.integers(0, 5, 1_000)
    df["patient"], df["w"] = rng.integers(0, 300, 1_000), np.where(known, 1, 10)
    df["rows"], df["propensity"] = df["w"], np.where(score > 1, 0.5, 0.3)
    hidden = df["label"].isna()
    found = pd.Series(truth)[hidden].sample(50, random_state=0)
    beta = float(truth[hidden].mean())
    return {"df": df, "beta": beta, "found": found, "pu_accessor": pu_accessor}


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("line", LINES)
def test_the_call_of_a_task_runs(
    line: str, names: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pu_accessor.PUWarning)
        exec(compile(line, "docs/tasks.md", "exec"), dict(names))


def test_every_method_has_a_task() -> None:
    methods = {name for name in dir(pd.DataFrame().pu) if not name.startswith("_")}
    found = {name for line in LINES for name in re.findall(r"\.(\w+)\(", line)}
    assert methods - found <= {"pr_bounds", "plot_rank_cdf", "plot_calibration", "rank_cdf"}
