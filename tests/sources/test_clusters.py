"""Rows that belong together: read from any source, summed by cluster in any pieces."""

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr

import pu_accessor
import pu_accessor.dask
import pu_accessor.polars
from pu_accessor import PUValueError, PUWarning, from_arrays, from_chunks
from pu_accessor.counting import placements
from pu_accessor.counting.row_clusters import RowClusters
from tests.methods.test_report import write
from tests.sources.test_pieces import opening

# Patients of some rows, whose labels and scores belong together.
RNG = np.random.default_rng(1)
PATIENT = RNG.permutation(np.repeat(np.arange(80), RNG.integers(1, 9, 80)))
POSITIVE, SHOWN = (RNG.random(80)[PATIENT] < 0.5 for _ in range(2))
SCORE = np.round(RNG.normal(POSITIVE + RNG.normal(size=80)[PATIENT]), 1)
FRAME = pd.DataFrame({"score": SCORE, "other": RNG.normal(POSITIVE), "patient": PATIENT})
FRAME["holes"] = FRAME["score"].mask(RNG.random(len(FRAME)) < 0.2)
FRAME["label"] = np.where(SHOWN, np.where(POSITIVE, 1, 0), np.nan)
FRAME["fold"] = RNG.integers(0, 2, len(FRAME))
NAMES: Any = FRAME["patient"].map("p{}".format)
LISTS: Any = [[1]] * len(FRAME)
BETA, MODELS, SOME = 0.2, ["score", "other"], {"threshold": 0.5}


def in_chunks(frame: pd.DataFrame, size: int, **roles: Any) -> Any:
    """Bind chunks of some rows."""
    chunks = [frame[start : start + size] for start in range(0, len(frame), size)]
    return from_chunks(chunks, cluster="patient", **roles)


def same(one: pd.DataFrame, other: pd.DataFrame) -> None:
    """Hold that answers are alike."""
    pd.testing.assert_frame_equal(one, other, rtol=1e-12, atol=1e-12)


# Sources


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_curves_are_alike_in_any_order_and_by_any_names(level: float) -> None:
    tied = FRAME.assign(score=FRAME["score"].round())
    expected = tied.pu(cluster="patient").roc_bounds([0.1, BETA], level=level)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        named = tied.assign(patient=rng.permutation(1000)[tied["patient"]])
        frame = named.iloc[rng.permutation(len(tied))]
        for pu in (frame.pu(cluster="patient"), in_chunks(frame, 60)):
            xr.testing.assert_allclose(pu.roc_bounds([0.1, BETA], level=level), expected)


IDS: list[Any] = [
    NAMES,
    NAMES.astype("category").cat.add_categories(["nobody"]),
    FRAME["patient"].astype("Int64"),
    NAMES.astype("string[pyarrow]"),
    FRAME["patient"] * 2**40,
    FRAME["patient"].astype(np.uint64) + 2**63,
    FRAME["patient"] - 2**62 - 2**62,
    FRAME["patient"] / 7,
    pd.Timestamp("2020") + pd.to_timedelta(FRAME["patient"], "D"),
    FRAME["patient"].map(lambda number: number if number % 2 else f"p{number}"),
    pd.Series([*zip(FRAME["patient"], FRAME["patient"], strict=True)]),
]


@pytest.mark.parametrize("ids", IDS, ids=lambda ids: f"{ids.dtype}")
def test_ids_are_of_any_kind(ids: Any) -> None:
    expected, frame = FRAME.pu(cluster="patient").auroc(BETA), FRAME.assign(patient=ids)
    same(frame.pu(cluster="patient").auroc(BETA), expected)
    same(in_chunks(frame, 50).auroc(BETA), expected)
    if not isinstance(ids[0], tuple):
        arrays = from_arrays(FRAME["score"], FRAME["label"], cluster=ids.array)
        same(arrays.auroc(BETA), expected)


INTEGERS = ("int64", "uint64", "Int64", "uint64[pyarrow]")


@pytest.mark.parametrize("dtypes", [INTEGERS, ("int64", "int32", "float64", "category")])
def test_pieces_may_have_other_dtypes(dtypes: tuple[str, ...]) -> None:
    large = 2**60 * (dtypes == INTEGERS)
    whole = FRAME[:360].assign(patient=FRAME["patient"] + large, wave=FRAME["fold"] + large)
    kinds = [{"patient": dtypes[at], "wave": INTEGERS[at]} for at in range(4)]
    parts = [whole[90 * at :][:90].astype(kinds[at]) for at in range(4)]
    pieces, rows = from_chunks(parts), whole.pu
    same(pieces(cluster="patient").auroc(BETA), rows(cluster="patient").auroc(BETA))
    same(pieces.check_assumptions(wave="wave"), rows.check_assumptions(wave="wave"))


@pytest.mark.parametrize("name", ["auroc", "compare"])
def test_rows_of_clusters_are_brought_together_in_one_pass(name: str) -> None:
    pu, opened = opening(FRAME, [100])
    getattr(pu(score=MODELS, by="fold", cluster="patient"), name)(beta=BETA)
    assert len(opened) == 2  # with a look at the columns


def test_pooled_folds_share_their_patients() -> None:
    pooled = FRAME.pu(by="fold", pool=True, cluster="patient")
    apart = FRAME.assign(patient=FRAME["patient"] + 100 * FRAME["fold"])
    for name in ("auroc", "average_precision"):
        cut = getattr(pooled, name)(BETA)
        uncut = getattr(apart.pu(by="fold", pool=True, cluster="patient"), name)(BETA)
        assert cut["estimate"].equals(uncut["estimate"])
        assert cut["standard_error"].item() > 1.05 * uncut["standard_error"].item()


# Sums


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_sums_are_those_of_rows(threads: str, missing: float, monkeypatch: Any) -> None:
    monkeypatch.setenv("PU_ACCESSOR_MAX_THREADS", threads)
    monkeypatch.setattr("pu_accessor.counting.threads._MIN_SCORES_FOR_THREADS", 1)
    monkeypatch.setattr(placements, "_SCORES_AT_ONCE", 7)
    rng = np.random.default_rng(5)
    score = np.round(rng.normal(size=200), 1)
    score[rng.random(200) < missing] = np.nan
    score[:4] = np.inf, -np.inf, 0.0, -0.0
    positive, code = rng.random(200) < 0.3, rng.integers(0, 12, 200)
    values = np.unique(score[~np.isnan(score)])[::-1]
    for threshold in (values, values[::5], *np.array([[0.25], [np.inf], [np.nan]])):
        edges = np.concatenate([[np.inf], threshold, [np.nan]])
        known, rest = rng.normal(size=(2, edges.size - 1))
        worst = np.nan_to_num(edges[1:], nan=-np.inf, posinf=np.inf, neginf=-1e9)
        cost = np.nan_to_num(score, nan=-np.inf, posinf=np.inf, neginf=-1e9)
        step = np.array([np.argmax(worst <= one) for one in cost])
        expected = np.zeros((2, 15))
        np.add.at(expected[0], code[positive], known[step[positive]])
        np.add.at(expected[1], code[~positive], rest[step[~positive]])
        sums = RowClusters(score, positive, code, 15).sums(edges, known, rest)
        np.testing.assert_allclose(sums, expected, atol=1e-12)


# Bad input


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_missing_ids_are_refused(missing: Any) -> None:
    ids = FRAME["patient"].astype(object).where(FRAME.index != 7, missing)
    frame, words = FRAME.assign(patient=ids), f"cluster .*'patient' .* 1 of {len(FRAME)} are miss"
    for pu in (frame.pu(cluster="patient"), in_chunks(frame, 50)):
        with pytest.raises(PUValueError, match=words):
            pu.auroc(BETA)
    assert "1 of" in repr(frame.pu(cluster="patient"))
    with pytest.raises(PUValueError, match=r"cluster .* must have a value in each row"):
        from_arrays(FRAME["score"], FRAME["label"], cluster=ids).auroc(BETA)


def held() -> list[int]:
    """Return the patients that hold a known positive."""
    return [*FRAME.loc[FRAME["label"] == 1, "patient"].unique()]


def with_positives_in(number: int) -> pd.DataFrame:
    """Return rows whose known positives are of some patients alone."""
    kept = FRAME["patient"].isin(held()[:number])
    return FRAME.assign(label=FRAME["label"].where(kept & (FRAME["label"] == 1)))


@pytest.mark.parametrize("number", [4, 9])
def test_few_clusters_are_warned_of_once(number: int) -> None:
    frame = with_positives_in(number)
    for pu in (frame.pu(cluster="patient"), in_chunks(frame, 60)):
        with pytest.warns(PUWarning, match=rf"Fewer than 10 clusters .* \({number}\)") as told:
            pu.auroc(BETA)
        assert len(told) == 1
    groups = pd.concat([frame.assign(site=site) for site in "abc"])
    with pytest.warns(PUWarning, match="site='a': .*; .*site='b'") as told:
        groups.pu(by="site", cluster="patient").auroc(BETA)
    assert len(told) == 1
    with warnings.catch_warnings(action="error"):
        with_positives_in(10).pu(cluster="patient").auroc(BETA)


@pytest.mark.parametrize("name", ["auroc", "average_precision"])
def test_one_cluster_is_refused(name: str) -> None:
    frame = with_positives_in(1)
    for pu in (frame.pu(cluster="patient"), in_chunks(frame, 60)):
        with pytest.raises(pu_accessor.PUDataError, match="known positives in 2 clusters"):
            getattr(pu, name)(BETA)
    both = pd.concat([frame.assign(site="a"), FRAME.assign(site="b")])
    with pytest.warns(PUWarning, match="1 of 2 groups are left out .*site='a'"):
        found = both.pu(by="site", cluster="patient", on_error="skip").auroc(BETA)
    assert found["site"].tolist() == ["b"]


# What is said of them


def test_a_repr_counts_them() -> None:
    clusters = FRAME["patient"].nunique()
    for frame in (FRAME, pl.from_pandas(FRAME)):
        pu: Any = pu_accessor.pu(frame, cluster="patient")
        words = rf"clusters +{clusters} of 1 to 8 rows, {len(held())} with a known positive\n"
        assert re.search(words, repr(pu))
    equal = pd.DataFrame({"score": range(6), "label": [1, None] * 3, "site": [5, 5, 0, 0, 9, 9]})
    assert re.search(r"clusters +3 of 2 rows, 3 with", repr(equal.pu(cluster="site")))
    assert "clusters" not in repr(equal.pu)


def read_report(pu: Any, folder: Path) -> str:
    """Return the text of a report, without its pictures."""
    with warnings.catch_warnings(action="ignore", category=PUWarning):
        text = re.sub(r"<figure>.*?</figure>", "", write(folder, pu, BETA))
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", text)).replace("&#x27;", "'")


@pytest.mark.usefixtures("undrawn")
def test_a_report_names_them_or_asks_where_an_id_repeats(tmp_path: Path) -> None:
    for pu in (FRAME.pu(cluster="patient"), in_chunks(FRAME, 60)):
        text = read_report(pu, tmp_path)
        assert "Rows of different clusters, by 'patient', are independent of each other." in text
        assert "repeats: if its rows" not in text
    text = read_report(FRAME.pu, tmp_path)
    assert text.count("'patient' repeats: if its rows are dependent") == 1


REPEATED: list[Any] = [
    *((FRAME.rename(columns={"patient": name}), name) for name in ("User_id", "ID")),
    (FRAME.rename(columns={"patient": "patient_age"}), None),
    *((FRAME.assign(patient=odd), None) for odd in (range(len(FRAME)), "one", np.nan, LISTS)),
]


@pytest.mark.parametrize(("frame", "asked"), REPEATED)
def test_what_is_called_like_an_id_and_repeats_is_asked_for(frame: Any, asked: str) -> None:
    assert frame.pu._source.repeated(frame.pu._terms) == [asked] * bool(asked)
    if asked:
        pu = pl.from_pandas(frame).pu
        assert pu._source.repeated(pu._terms) == [asked]


def test_an_example_in_each_group_is_no_repetition() -> None:
    rows = FRAME.assign(example_id=range(len(FRAME))).drop(columns="patient")
    both = pd.concat([rows.assign(model="a"), rows.assign(model="b")])
    for roles, asked in (({}, ["example_id"]), ({"by": "model"}, [])):
        pu = both.pu(**roles)
        assert pu._source.repeated(pu._terms) == asked


def test_clusters_of_known_positives_alone_have_no_statistic() -> None:
    with pytest.warns(PUWarning, match="only one known positive, or one other example"):
        found = FRAME.assign(label=1).pu(score=MODELS, cluster="patient").compare()
    assert found["p_value"].isna().all() and (found["sign"] == 0).all()
