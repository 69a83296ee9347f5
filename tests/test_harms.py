"""What harmed users once: wrong advice, silent changes, answers that are missing."""

import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import PUValueError

TWELVE = pd.DataFrame(
    {"score": np.arange(12, 0, -1.0), "label": [1, None, 1, 1, None, None, 1] + [None] * 5}
)


# ---------------------------------------------------------------------------------------------
# Answers that were missing


def biased(seed: int, size: int = 700) -> tuple[pd.DataFrame, float]:
    """Draw scores of which the higher positives are labeled more often, and their beta."""
    rng = np.random.default_rng(seed)
    positive = np.arange(size) < 0.3 * size
    score = np.where(positive, rng.beta(5, 2, size), rng.beta(2, 5, size))
    high = score > np.median(score[positive])
    known = positive & (rng.random(size) < np.where(high, 0.36, 0.11))
    frame = pd.DataFrame({"score": score, "label": np.where(known, 1.0, np.nan)})
    return frame, float(positive[~known].mean())


@pytest.mark.filterwarnings("ignore:In .* a limit is the estimate itself")
@pytest.mark.parametrize("odds", [1.2, 5, np.inf])
@pytest.mark.parametrize("method", ["auroc", "average_precision"])
def test_nothing_rules_beta_out_within_odds(method: str, odds: float) -> None:
    missing = 0
    for seed in range(6):
        frame, beta = biased(seed)
        missing += getattr(frame.pu, method)(beta)["lower"].isna().item()
        row = getattr(frame.pu.assume(selection_odds=odds), method)(beta).iloc[0]
        assert row["lower"] <= row["estimate"] <= row["upper"]
    assert missing  # where labels are taken to be random


# ---------------------------------------------------------------------------------------------
# What a number is about


def test_the_target_is_never_another_one_in_silence() -> None:
    cutoff = {"threshold": 6.0}
    within = TWELVE.pu.assume(selection_odds=1.0001)
    plain, near = (pu.metric("precision", 0.2, at=cutoff) for pu in (TWELVE.pu, within))
    assert plain.attrs["target"] == near.attrs["target"] == "population"
    numbers = ["estimate", "lower", "upper"]  # as much as is assumed, as wide is the interval
    np.testing.assert_allclose(near[numbers], plain[numbers], atol=0.01)
    ask = partial(TWELVE.pu.metric, "precision", 0.2, at=cutoff, band="dkw")
    with pytest.raises(PUValueError, match=r"Pass target='examples'\."):
        ask()
    assert ask(target="examples").attrs["target"] == "examples"


# ---------------------------------------------------------------------------------------------
# Pictures


# ---------------------------------------------------------------------------------------------
# Names of the package


def test_the_scorer_is_there_without_another_import() -> None:
    lines = "import sys, pu_accessor", "print('pu_accessor.sklearn' in sys.modules)"
    code = "; ".join([*lines, "print(pu_accessor.sklearn.scorer('auroc', unlabeled=0).unlabeled)"])
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "0"]


def test_dir_lists_public_names_alone() -> None:
    listed = {*dir(pu_accessor)}
    assert listed == {*pu_accessor.__all__, "labeling", "sklearn", "__version__"}
    assert all(hasattr(pu_accessor, name) for name in listed)


# ---------------------------------------------------------------------------------------------
# The manual

DOCS = Path(__file__).parents[1] / "docs"


def test_documents_that_were_not_retrieved_are_not_found() -> None:
    run = pd.DataFrame({"doc_id": range(20), "score": np.arange(20, 0, -1.0)})
    qrels = pd.DataFrame({"doc_id": [0, 1, 100, 101], "label": 1})
    merged = run.merge(qrels, how="outer")
    recall = merged.pu(nan_policy="worst").metric("recall", 0, at=10)
    assert recall["estimate"].item() == 0.5


def test_the_tutorial_needs_what_is_installed_with_the_package() -> None:
    page = (DOCS / "start.md").read_text(encoding="utf-8")
    imports = re.findall(r"^(?:import|from) (\w+)", page, re.MULTILINE)
    assert {*imports} <= {"matplotlib", "numpy", "pandas", "pu_accessor", "xarray"}
