"""Each call of the page of common tasks runs."""

import re
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import pu_accessor
import pu_accessor.sklearn

PAGE = Path(__file__).parents[2] / "docs" / "tasks.md"
LINES = re.findall(r"^\| .+? \| `(.+?)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.fixture(scope="module")
def names() -> dict[str, object]:
    """Return the names that the calls use."""
    rng = np.random.default_rng(0)
    truth = rng.random(1_000) < 0.3
    score = rng.normal(2 * truth)
    known = truth & (rng.random(1_000) < 0.4)
    df = pd.DataFrame({"score": score, "p": expit(2 * score - 3)})
    df["label"], df["y"] = np.where(known, 1, np.nan), known.astype(int)
    df.loc[np.flatnonzero(~truth)[:80], "label"] = 0
    df["svm"], df["forest"] = score, rng.normal(truth)
    df["site"], df["fold"] = rng.choice(["a", "b"], 1_000), rng.integers(0, 5, 1_000)
    df["patient"], df["w"] = rng.integers(0, 300, 1_000), np.where(known, 1, 10)
    df["rows"] = df["w"]
    df["propensity"] = np.where(score > 1, 0.5, 0.3)
    hidden = df["label"].isna()
    found = pd.Series(truth)[hidden].sample(50, random_state=0)
    beta = float(truth[hidden].mean())
    return {"df": df, "beta": beta, "found": found, "pu_accessor": pu_accessor}


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("line", LINES)
def test_the_line_runs(
    line: str, names: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pu_accessor.PUWarning)
        exec(compile(line, "docs/tasks.md", "exec"), dict(names))
    plt.close("all")


def test_there_are_thirty_calls_and_every_method_has_one() -> None:
    assert len(LINES) >= 30 and len({*LINES}) == len(LINES)
    methods = {name for name in dir(pd.DataFrame().pu) if not name.startswith("_")}
    found = {name for line in LINES for name in re.findall(r"\.(\w+)\(", line)}
    elsewhere = {"pr_bounds", "plot_rank_cdf", "plot_calibration", "rank_cdf"}
    assert methods - found <= elsewhere
