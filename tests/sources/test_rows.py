"""What reprs of sources count."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from tests.sources.test_every_source import MODELS

# Tied scores of positives and others, and how probably each is labeled.
RNG, TRUTH = np.random.default_rng(3), np.arange(120) % 2 == 0
LABEL = np.where(RNG.random(120) < 0.5, TRUTH.astype(float), np.nan)
FRAME = pd.DataFrame({"score": RNG.normal(3 * TRUTH).round(1), "label": LABEL})
FRAME["propensity"] = RNG.uniform(0.2, 0.9, 120)


def in_samples(frame: pd.DataFrame) -> Any:
    """Return the accessor of samples; an array over other dimensions is no column of these."""
    return frame.rename_axis("sample").to_xarray().assign(other=("model", [0, 0])).pu()


SOURCES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "frame": lambda frame: frame.pu(),
    "arrays": lambda frame: pu_accessor.from_arrays(frame["score"], frame["label"]),
    "samples": in_samples,
}
KINDS = {"known positives": 1, "known negatives": 0, "unlabeled": -1}
COUNTS = {name: str((FRAME["label"].fillna(-1) == kind).sum()) for name, kind in KINDS.items()}
TIES = f"{FRAME['score'].nunique()} in 120 scores (ties share a cutoff)"


def counted(pu: Any) -> dict[str, str]:
    """Return what a repr tells, by the names in front; further lines of one start with spaces."""
    text = re.sub(r"\n {4,}", " ", repr(pu))
    told = dict(re.split(r"\s{2,}", line, maxsplit=1) for line in text.splitlines()[1:])
    assert ("other columns" in told) == ("not ready" in told)  # how to name them
    return {name: line for name, line in told.items() if name != "other columns"}


@pytest.mark.parametrize("kind", SOURCES)
def test_reprs_count_labels_and_ties(kind: str) -> None:
    expected = {**COUNTS, "distinct scores": TIES}
    expected |= {"dimensions": "sample 120"} if kind == "samples" else {}
    assert counted(SOURCES[kind](FRAME)) == expected
    gaps = FRAME.assign(score=FRAME["score"].where(FRAME.index >= 7))
    there = counted(SOURCES[kind](gaps)(nan_policy="omit"))
    assert there["missing scores"] == "7: dropped" and " in 113 scores" in there["distinct scores"]
    assert counted(SOURCES[kind](FRAME.drop_duplicates("score")))["distinct scores"] == "58"
    text = counted(SOURCES[kind](FRAME.assign(score="high")))
    assert [*text] == ["not ready"] and "must contain real numbers" in text["not ready"]


def test_reprs_of_samples_name_dimensions_and_count_nothing_large_or_lazy() -> None:
    label = FRAME["label"].to_numpy()
    folds = xr.Dataset({"score": ("row", label), "label": (("fold", "row"), [label] * 1200)})
    many = {name: f"{1200 * int(count):,}" for name, count in COUNTS.items()}
    ties = "2 in 69,600 scores (ties share a cutoff)"
    told = {**many, "distinct scores": ties, "missing scores": "74,400: ranked last"}
    told["dimensions"] = "row 120, fold 1,200"
    assert counted(folds.pu(dim="row", nan_policy="worst")) == told
    large, few = np.zeros((2, 2**20)), 2**19 + 1
    most = xr.Dataset({"score": ("sample", large[0]), "label": ("sample", large[1])})
    assert counted(most.pu())["distinct scores"] == "1 in 1,048,576 scores (ties share a cutoff)"
    one = most.isel(sample=slice(few))
    for name in ("score", "label"):
        several = one.assign({name: (("fold", "sample"), large[:, :few])})
        assert counted(several.pu()) == {"dimensions": "sample 524,289, fold 2"}
        lazy = one.assign({name: one[name].chunk(sample=1000)})
        assert counted(lazy.pu()) == {"dimensions": "sample 524,289"}


def test_reprs_of_frames_name_models_and_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = FRAME.assign(other=-FRAME["score"], site=np.arange(120) % 3, day="x")
    told = counted(frame.pu(score=MODELS, by=["site", "day"]))
    assert told == {**COUNTS, "models": "2: score, other", "groups": "3: site, day"}
    gaps = frame.assign(score=np.nan, other=frame["other"].where(frame.index > 0))
    missing = counted(gaps.pu(score=MODELS))["missing scores"]
    assert missing == "121: nan_policy='omit' or 'worst'"
    # Above so many, labels alone are counted.
    monkeypatch.setattr("pu_accessor.sources.frames.MAX_ROWS_LOOKED_UP", 120)
    large = frame.loc[[*frame.index, 0]].reset_index(drop=True)
    assert counted(frame.pu(by="day")) == {**COUNTS, "distinct scores": TIES, "groups": "1: day"}
    assert [*counted(large.pu(by="day"))] == [*COUNTS]


def test_reprs_of_chunks_weights_and_nothing() -> None:
    assert counted(pu_accessor.from_chunks([FRAME])) == {"columns": "score, label, propensity"}
    weights = FRAME.assign(weight=np.arange(120) / 4 + 1, count=np.arange(120) % 3)
    weight, count = weights.loc[LABEL == 1, ["weight", "count"]].sum()
    told = f"1 to 30.75, 1,905 in all, {weight:,g} of known positives"
    assert counted(weights.pu(weight="weight"))["weights"] == told
    told = f"0 to 2, 120 in all, {count:g} of known positives"
    assert counted(weights.pu(count="count"))["counts"] == told
    empty = "score and label must contain at least one example, but are empty."
    assert counted(FRAME.iloc[:0].pu()) == {"not ready": empty}
    assert "chunks must" in counted(pu_accessor.from_chunks([]))["not ready"]


def test_reprs_say_what_is_bound_and_how_to_bind() -> None:
    frame = FRAME.rename(columns={"score": "<b>"})
    told = " ".join(repr(frame.groupby("label").pu).split())
    assert told.startswith("<df.groupby('label').pu> ") and "df.pu(score=" in told
    assert "no 'score' among ['<b>', 'label', 'propensity']" in told
    assert "&lt;b&gt;" in frame.pu._repr_html_()
    bound = repr(frame.pu(score="<b>", unlabeled=None).assume(monotone=True))
    assert bound.startswith("<df.pu(score='<b>').assume(monotone=True)>\n")
    assert "<pu_accessor.from_chunks(chunks)>" in repr(pu_accessor.from_chunks([FRAME]))
    assert "beta_derivatives" in repr(FRAME.pu.contingency(0.3).pu)
