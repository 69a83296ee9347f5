"""Rows to label by hand are drawn from the unlabeled."""

from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import PUDataError
from tests.methods.test_estimate_beta import BINORMAL
from tests.sources.test_rows import FRAME, SOURCES


def test_rows_to_label_are_drawn_from_the_unlabeled() -> None:
    frame = BINORMAL.assign(site=np.arange(1200) % 3).set_index(np.arange(1200) * 2)
    drawn = frame.pu.sample_to_label(50, random_state=1)
    pd.testing.assert_frame_equal(drawn, frame.loc[drawn.index])
    again = frame.pu.sample_to_label(50, random_state=np.random.default_rng(1))
    pd.testing.assert_frame_equal(drawn, again)
    by = frame.pu(by="site").sample_to_label(5, random_state=1)
    pd.testing.assert_frame_equal(by, frame.groupby("site").pu.sample_to_label(5, random_state=1))
    # Each row is as likely as another.
    free = frame["label"].isna()
    for how in ({}, {"strata": 1.5}):
        rows = [frame.pu.sample_to_label(300, **how, random_state=s).index for s in range(100)]
        times = pd.Series(np.concatenate(rows)).value_counts().reindex(frame.index[free])
        share = 300 / free.sum()
        assert times.mean() == pytest.approx(100 * share)
        assert times.var() == pytest.approx(100 * share * (1 - share), rel=0.2)
    for seed in (2**32 - 1, np.uint8(7)):
        assert len(frame.pu.sample_to_label(np.int8(3), random_state=seed)) == 3


HOWS: list[dict[str, Any]] = [{"strata": 0.5}, {"strata": [0.3, 0.6]}, {"above": 0.2}]


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
    drawn = SOURCES[kind](coded)(unlabeled=-1).sample_to_label(9, random_state=1)
    assert (drawn["label"] < 0).all()
    for seed, how in enumerate([] if kind == "by_model" else HOWS):
        expected = FRAME.pu.sample_to_label(9, **how, random_state=seed)
        found = pu.sample_to_label(9, **how, random_state=seed)
        columns = ["stratum", "n", "n_negative", "n_unlabeled"]
        assert found.index.tolist() == expected.index.tolist()
        assert found[columns].to_numpy().tolist() == expected[columns].to_numpy().tolist()
    if kind == "arrays":
        whole = pu_accessor.from_arrays(**FRAME).sample_to_label(9, random_state=0)
        pd.testing.assert_frame_equal(whole, FRAME.loc[whole.index])


def test_rows_without_a_group_are_not_drawn() -> None:
    site = pd.Series(np.arange(120) % 4).map({0: "a", 1: "b", 2: "c"})
    pu = FRAME.assign(site=site).pu(by="site")
    free = FRAME["label"].isna().groupby(site).sum()
    most = int(free.min())
    found = pu.sample_to_label(most, random_state=0)
    pd.testing.assert_frame_equal(found, pu.sample_to_label(most, random_state=0))
    assert found["site"].value_counts().to_dict() == dict.fromkeys("abc", most)
    assert found["site"].is_monotonic_increasing and found.index.is_unique
    with pytest.raises(PUDataError, match=f"rows in group '{free.idxmin()}', {most}, but"):
        pu.sample_to_label(most + 1, random_state=0)
    frame = FRAME.assign(site=np.where(FRAME["label"].isna(), "a", "b"))
    with pytest.raises(PUDataError, match="rows in group 'b', 0, but 1 was"):
        frame.pu(by="site").sample_to_label(1, random_state=0)


# Of strata

SCORED = BINORMAL.assign(row=range(1200), label=lambda df: df["label"].mask(df.index < 4, False))
FREE = SCORED["label"].isna()


def counts_of(rows: "pd.Series[bool]") -> tuple[int, int, int]:
    """Count known positives, known negatives and unlabeled rows."""
    label = SCORED["label"][rows]
    return int((label == 1).sum()), int((label == 0).sum()), int(label.isna().sum())


def best_shares(size: int, spread: list[float], most: list[int]) -> tuple[int, ...]:
    """Return the numbers of labels of least variance, by going through all of them."""
    ways = product(*(range(1, min(size, number) + 1) for number in most[1:]))
    every = [(size - sum(way), *way) for way in ways if 0 < size - sum(way) <= most[0]]
    return min(every, key=lambda way: sum(s**2 / n for s, n in zip(spread, way, strict=True)))


@pytest.mark.parametrize("strata", [1.5, [1.5, 0.0], pd.Series([2.5, 0.5, 1.5])])
@pytest.mark.parametrize("size", [5, 40])
@pytest.mark.parametrize("beta", [None, 0.02, 0.1, 0.6])
def test_labels_are_shared_as_neyman_did(strata: Any, size: int, beta: float | None) -> None:
    how: Any = {} if beta is None else {"allocate": "neyman", "expected_beta": beta}
    drawn = SCORED.pu.sample_to_label(size, strata=strata, **how, random_state=3)
    thresholds = np.sort(np.atleast_1d(strata))
    again = SCORED.pu.sample_to_label(size, strata=thresholds, **how, random_state=3)
    pd.testing.assert_frame_equal(drawn, again)
    assert drawn["label"].isna().all() and drawn.index.is_unique
    pd.testing.assert_frame_equal(drawn[[*SCORED]], SCORED.loc[drawn.index])
    inner = [f">= {low:g}, < {high:g}" for low, high in pairwise(thresholds)]
    names = [f"< {thresholds[0]:g}", *inner, f">= {thresholds[-1]:g}"]
    edges = pairwise([-np.inf, *thresholds, np.inf])
    parts = [SCORED["score"].between(*ends, inclusive="left") for ends in edges]
    sizes = [counts_of(part) for part in parts]
    known = sum(n for n, _, _ in sizes)
    free = [unlabeled for _, _, unlabeled in sizes]
    spread: list[float] = [*free]  # in proportion
    if beta is not None:
        among = [(n + 0.5) / (known + 0.5 * len(sizes)) for n, _, _ in sizes]
        p = np.clip(beta * sum(free) * np.array(among) / free, 0.05, 0.95)
        spread = [*(np.array(free) * np.sqrt(p * (1 - p)))]
    found = drawn["stratum"].value_counts(sort=False)
    assert tuple(found) == best_shares(size, spread, free) and found.index.tolist() == names
    for name, part, counts in zip(names, parts, sizes, strict=True):
        rows = drawn[drawn["stratum"] == name]
        assert part[rows.index].all()
        told = rows[["n", "n_negative", "n_unlabeled"]].itertuples(index=False, name=None)
        assert {*told} == {counts}


def test_a_stratum_gets_no_more_labels_than_it_has_rows() -> None:
    frame = pd.DataFrame({"score": range(40), "label": [True, *[None] * 39]})
    for size, expected in ((37, [2, 33, 2]), (38, [2, 34, 2]), (39, [2, 35, 2])):
        drawn = frame.pu.sample_to_label(size, strata=[3, 38], random_state=0)
        assert drawn["stratum"].value_counts(sort=False).tolist() == expected
    # A row without a score is of the lowest stratum.
    frame = SCORED.assign(score=SCORED["score"].mask(SCORED.index % 4 == 0))
    drawn = frame.pu(nan_policy="worst").sample_to_label(300, strata=[0, 1], random_state=0)
    assert {*drawn["stratum"][drawn["score"].isna()]} == {"< 0"}


def test_rows_of_a_part_are_drawn_from_it() -> None:
    for how, rows, name in (
        ({"above": 1}, SCORED["score"] >= 1, ">= 1"),
        ({"below": 0.25}, SCORED["score"] < 0.25, "< 0.25"),
        ({"below": 1, "above": 0}, SCORED["score"].between(0, 1, "left"), ">= 0, < 1"),
    ):
        drawn = SCORED.pu.sample_to_label(20, **how, random_state=1)
        assert rows[drawn.index].all() and {*drawn["stratum"]} == {name}
        assert {*drawn["n_unlabeled"]} == {counts_of(rows)[2]}
        every = SCORED.pu.sample_to_label(counts_of(rows)[2], **how, random_state=1)
        assert {*every.index} == {*SCORED.index[rows & FREE]}


def test_a_column_may_tell_up_to_six_strata_apart() -> None:
    frame = SCORED.assign(site=SCORED["row"] % 6)
    drawn = frame.pu.sample_to_label(60, strata="site", random_state=0)
    assert drawn["site"].value_counts().to_dict() == dict.fromkeys(range(6), 10)
    assert (drawn["stratum"].astype(int) == drawn["site"]).all()
    known = (frame["label"] == 1).groupby(frame["site"]).sum()
    assert drawn["n"].tolist() == known[drawn["site"]].tolist()
    frame.loc[frame["label"] == 1, "site"] = 7  # where nothing is unlabeled
    assert not frame.pu.sample_to_label(60, strata="site", random_state=0)["n"].any()


SITES = SCORED.assign(many=SCORED["row"] % 7, one="a")
SITES["some"] = (SCORED["row"] % 4).map({0: "a", 1: "b", 3: "a"})
