"""Rows that sources give back, drawn or best, and what their reprs count."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor

# Tied scores of positives and others, and how probably each is labeled.
RNG, TRUTH = np.random.default_rng(3), np.arange(120) % 2 == 0
LABEL = np.where(RNG.random(120) < 0.5, TRUTH.astype(float), np.nan)
FRAME = pd.DataFrame({"score": RNG.normal(3 * TRUTH).round(1), "label": LABEL})
FRAME["propensity"] = RNG.uniform(0.2, 0.9, 120)

OTHER = xr.DataArray(np.zeros((2, 120)), dims=["model", "sample"])

# An array over other dimensions is no column of these samples.
SOURCES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "frame": lambda frame: frame.pu(),
    "arrays": lambda frame: pu_accessor.from_arrays(frame["score"], frame["label"]),
    "lists": lambda frame: pu_accessor.from_arrays([*frame["score"]], [*frame["label"]]),
    "samples": lambda frame: (
        xr.Dataset({name: ("sample", column) for name, column in frame.items()})
        .assign(other=OTHER[:, : len(frame)])
        .pu()
    ),
}


# What they count


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
    if kind == "samples":
        expected["dimensions"] = "sample 120"
    assert counted(SOURCES[kind](FRAME)) == expected
    gaps = FRAME.assign(score=FRAME["score"].where(FRAME.index >= 7))
    there = counted(SOURCES[kind](gaps)(nan_policy="omit"))
    assert there["missing scores"] == "7: dropped" and " in 113 scores" in there["distinct scores"]
    assert counted(SOURCES[kind](FRAME.drop_duplicates("score")))["distinct scores"] == "58"
    text = counted(SOURCES[kind](FRAME.assign(score="high")))
    assert [*text] == ["not ready"] and "must contain real numbers" in text["not ready"]


def test_reprs_of_samples_name_dimensions() -> None:
    label = FRAME["label"].to_numpy()
    ds = xr.Dataset({"score": OTHER, "label": ("sample", label)})
    assert counted(ds.pu()) == {**COUNTS, "dimensions": "sample 120, model 2"}
    folds = xr.Dataset({"score": ("row", label), "label": (("fold", "row"), [label] * 1200)})
    doubled = {name: f"{1200 * int(count):,}" for name, count in COUNTS.items()}
    told = {**doubled, "missing scores": "62: ranked last", "dimensions": "row 120, fold 1,200"}
    assert counted(folds.pu(dim="row", nan_policy="worst")) == told


def test_reprs_of_large_or_lazy_samples_count_nothing() -> None:
    large, few = np.zeros((2, 2**20 + 1)), 2**20
    most = xr.Dataset({"score": ("sample", large[0, :few]), "label": ("sample", large[1, :few])})
    assert counted(most.pu())["distinct scores"] == "1 in 1,048,576 scores (ties share a cutoff)"
    large = large[:, : few // 2 + 1]
    one = xr.Dataset({"score": ("sample", large[0]), "label": ("sample", large[0])})
    for name in ("score", "label"):
        several = one.assign({name: (("fold", "sample"), large)})
        assert counted(several.pu()) == {"dimensions": "sample 524,289, fold 2"}
    pytest.importorskip("dask")
    for name in ("score", "label"):
        lazy = one.assign({name: one[name].chunk(sample=1000)})
        assert counted(lazy.pu()) == {"dimensions": "sample 524,289"}


def test_reprs_of_large_frames_count_labels_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("frames", "column_summary"):
        monkeypatch.setattr(f"pu_accessor.sources.{module}.MAX_ROWS_LOOKED_UP", 120)
    frame = pd.concat([FRAME, FRAME.iloc[:1]], ignore_index=True).assign(site="x")
    few, large = (counted(some.pu(by="site")) for some in (frame.iloc[:120], frame))
    assert few == {**COUNTS, "distinct scores": TIES, "groups": "1: site"}
    assert [*large] == [*COUNTS]


def test_reprs_of_frames_name_models_and_groups() -> None:
    frame = FRAME.assign(other=-FRAME["score"], site=np.arange(120) % 3, day="x")
    told = counted(frame.pu(score=["score", "other"], by=["site", "day"]))
    assert told == {**COUNTS, "models": "2: score, other", "groups": "3: site, day"}
    gaps = frame.assign(score=np.nan, other=frame["other"].where(frame.index > 0))
    missing = counted(gaps.pu(score=["score", "other"]))["missing scores"]
    assert missing == "121: nan_policy='omit' or 'worst'"


def test_reprs_of_chunks_and_of_nothing() -> None:
    assert counted(pu_accessor.from_chunks([FRAME])) == {"columns": "score, label, propensity"}
    empty = counted(FRAME.iloc[:0].pu())
    assert empty == {
        "not ready": "score and label must contain at least one example, but are empty."
    }
    empty = counted(pu_accessor.from_chunks([]))
    assert [*empty] == ["not ready"] and "chunks must" in empty["not ready"]
