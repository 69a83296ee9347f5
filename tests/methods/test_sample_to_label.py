"""Rows to label by hand are drawn from the unlabeled."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import PUDataError, PUTypeError, PUValueError
from tests.methods.test_estimate_beta import BINORMAL
from tests.sources.test_rows import FRAME, SOURCES


def test_rows_to_label_are_drawn_from_the_unlabeled() -> None:
    frame = BINORMAL.assign(site=np.arange(1200) % 3).set_index(np.arange(1200) * 2)
    drawn = frame.pu.sample_to_label(50, random_state=1)
    assert drawn["label"].isna().all() and drawn.index.is_unique and len(drawn) == 50
    pd.testing.assert_frame_equal(drawn, frame.loc[drawn.index])
    again = frame.pu.sample_to_label(50, random_state=np.random.default_rng(1))
    pd.testing.assert_frame_equal(drawn, again)
    by = frame.pu(by="site").sample_to_label(5, random_state=1)
    assert by["site"].value_counts().to_dict() == {0: 5, 1: 5, 2: 5}
    pd.testing.assert_frame_equal(by, frame.groupby("site").pu.sample_to_label(5, random_state=1))
    chosen = pd.concat(frame.pu.sample_to_label(100, random_state=s) for s in range(100))
    assert chosen["score"].mean() == pytest.approx(
        frame["score"][frame["label"].isna()].mean(), abs=0.05
    )
    for size, error in ((1001, PUDataError), (0, PUDataError), (2.5, PUTypeError)):
        with pytest.raises(error, match="size must"):
            frame.pu.sample_to_label(size, random_state=1)


@pytest.mark.parametrize("kind", SOURCES)
def test_drawn_rows_are_those_of_a_frame(kind: str) -> None:
    pu = SOURCES[kind](FRAME)
    for seed in range(5):
        found = pu.sample_to_label(9, random_state=seed)
        assert len(found) == 9 and found.index.is_unique and found["label"].isna().all()
        columns = ["score", "label"] if kind in ("arrays", "lists") else [*FRAME.columns]
        assert found.columns.tolist() == columns
        rows = FRAME.loc[found.index, columns]
        pd.testing.assert_frame_equal(found, rows, check_names=False)
        expected = FRAME.pu.sample_to_label(9, random_state=seed)
        assert found.index.tolist() == expected.index.tolist()
    free = int(FRAME["label"].isna().sum())
    assert len(pu.sample_to_label(free, random_state=0)) == free
    with pytest.raises(PUDataError, match=f"between 1 and .* unlabeled rows, {free}, but"):
        pu.sample_to_label(free + 1, random_state=0)
    coded = FRAME.assign(label=FRAME["label"].fillna(-1).astype(int))
    assert (
        SOURCES[kind](coded)(unlabeled=-1).sample_to_label(9, random_state=1)["label"] < 0
    ).all()


def test_drawn_arrays_keep_their_propensities() -> None:
    pu = pu_accessor.from_arrays(FRAME["score"], FRAME["label"], propensity=FRAME["propensity"])
    found = pu.sample_to_label(9, random_state=0)
    expected = FRAME.loc[found.index]
    pd.testing.assert_frame_equal(found, expected)


def test_rows_without_a_group_are_not_drawn() -> None:
    site = pd.Series(np.arange(120) % 4).map({0: "a", 1: "b", 2: "c"})
    pu = FRAME.assign(site=site).pu(by="site")
    free = FRAME["label"].isna().groupby(site).sum()
    most = int(free.min())
    found = pu.sample_to_label(most, random_state=0)
    pd.testing.assert_frame_equal(found, pu.sample_to_label(most, random_state=0))
    assert found["site"].value_counts().to_dict() == dict.fromkeys("abc", most)
    assert found["site"].is_monotonic_increasing and found.index.is_unique
    with pytest.raises(PUDataError, match=f"rows, {most} in group '{free.idxmin()}', but"):
        pu.sample_to_label(most + 1, random_state=0)


def test_a_group_without_unlabeled_rows_is_named() -> None:
    frame = FRAME.assign(site=np.where(FRAME["label"].isna(), "a", "b"))
    with pytest.raises(PUDataError, match="rows, 0 in group 'b', but 1 was"):
        frame.pu(by="site").sample_to_label(1, random_state=0)


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"size": True}, PUTypeError, "size must be an integer, but True"),
        ({"size": "3"}, PUTypeError, "size must be an integer, but '3'"),
        ({"size": 0}, PUDataError, "size must lie between 1"),
        ({"random_state": True}, PUTypeError, "random_state must .* but a bool was"),
        ({"random_state": None}, PUTypeError, "random_state must .* but a NoneType was"),
        ({"random_state": -1}, PUValueError, r"random_state must .* but -1 was"),
        ({"random_state": 2**32}, PUValueError, r"random_state must .* but 4294967296 was"),
    ],
)
def test_sizes_and_seeds_that_are_none(how: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        FRAME.pu.sample_to_label(**{"size": 3, "random_state": 0, **how})


@pytest.mark.parametrize("seed", [0, 2**32 - 1, np.uint8(7), np.random.default_rng(1)])
def test_sizes_and_seeds_of_any_integer(seed: Any) -> None:
    assert len(FRAME.pu.sample_to_label(np.int8(3), random_state=seed)) == 3
