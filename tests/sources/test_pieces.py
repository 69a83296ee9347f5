"""What is of chunks alone: how often they are read, what is kept, and chunks that do not fit."""

import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, repeat
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from pu_accessor import PUError, PUValueError, from_chunks
from tests.sources.test_every_source import FRAME, MODELS, check_alike, cut, rows, shrink
from tests.worlds import attempt, fuzzed

Ask = Callable[[Any], Any]


def opening(frame: pd.DataFrame, places: list[int]) -> tuple[Any, list[int]]:
    """Return chunks, and a list with an item for each time that they have been opened."""
    opened: list[int] = []

    def chunks() -> Iterator[pd.DataFrame]:
        opened.append(len(opened))
        yield from cut(frame, places)

    return from_chunks(chunks), opened


def check_both(ask: Ask, frame: pd.DataFrame, chunks: Any) -> None:
    """Hold that chunks have the frame's answer, or its error in the same words."""
    (found, told), (expected, warned) = (attempt(partial(ask, x)) for x in (chunks, frame.pu))
    assert told == warned
    if isinstance(expected, PUError) or isinstance(found, PUError):
        assert (type(found), str(found)) == (type(expected), str(expected))
    else:
        check_alike(found, expected)


# What chunks may be


def test_integers_beyond_floats_may_have_several_dtypes() -> None:
    large = {name: FRAME[name] + 2**60 for name in ("fold", "patient")}
    parts, kinds = cut(FRAME.assign(**large), [100, 200, 300]), ["int64", "uint64", "Int64"]
    kinds.append("uint64[pyarrow]")
    each = [part.astype(dict.fromkeys(large, to)) for part, to in zip(parts, kinds, strict=True)]
    asked: list[Ask] = [lambda pu: pu(by="fold", cluster="patient").auroc(0.3)]
    asked += [lambda pu: pu.check_assumptions(0.3, strata="fold")]
    for ask in asked:
        check_both(ask, FRAME.assign(**large), from_chunks(each))


def test_keys_that_several_dtypes_tell_apart_are_refused() -> None:
    chunks = from_chunks([FRAME.assign(fold=2**53 + 1), FRAME.assign(fold=1.0)])
    for name in ("auroc", "compare"):
        with pytest.raises(PUValueError, match="by must name columns of one dtype, but keys of"):
            getattr(chunks(by="fold", score=MODELS), name)(beta=0.3)


@pytest.mark.parametrize("kind", [np.asarray, list, pd.Index, pd.array, pd.Series])
def test_pairs_are_frames_of_two_columns(kind: Callable[[Any], Any]) -> None:
    parts = cut(FRAME[["score", "label"]], [90, 300])
    pairs = [(kind(part["score"]), kind(part["label"])) for part in parts]
    lists: Any = [[kind(part["score"]), part["label"].rename("y")] for part in parts]
    for chunks in (pairs, tuple(lists), [pairs[0], *parts[1:]]):
        check_both(lambda pu: pu.roc_bounds(0.3), FRAME, from_chunks(chunks))


# Labels of chunks, which are as a whole: ambiguous, unknown, or neither.
LABELS: list[Any] = [
    *(([[1, 0, 1], [1, None, None]], {}), ([[1, 1], [0, 0]], {}), ([[1, 0], [5, 6]], {})),
    *(([[True, False], [1.0, 0.0]], {}), ([[1, 0], [0, 1]], {"unlabeled": 0})),
    *(([[2, 2], [2, 0]], {"positive": 2}), ([[2, 0, 1], [0, 1], [2, None]], {"positive": [1, 2]})),
    *(
        ([["x", 1], [True, None, "z"], ["y", "x", 1]], {}),
        ([[1, None], ["a", 1], [*"bcdefg"]], {}),
    ),
    ([["y", "n"], ["n", "y"]], {"positive": "y", "unlabeled": "n"}),
    ([[1.0, -1.0, 5.0], [1, 5, None], [np.nan]], {"unlabeled": [-1]}),
]


@pytest.mark.parametrize(("labels", "coding"), LABELS)
def test_labels_of_all_chunks_count(labels: list[list[Any]], coding: dict[str, Any]) -> None:
    parts = [pd.DataFrame({"score": [*range(len(some))], "label": some}) for some in labels]
    whole = pd.concat(parts, ignore_index=True)
    numbers = pd.api.types.is_numeric_dtype(parts[0]["label"].dtype)
    none = parts[0].iloc[:0] if numbers else parts[0].iloc[:0].astype({"label": "float64"})
    for chunks in (parts, [none, *parts], [*parts, none]):
        check_both(lambda pu: pu(**coding).roc_bounds(0.3), whole, from_chunks(chunks))


@pytest.mark.parametrize("dtype", ["bool", "Int64", "object", "string", "category"])
def test_empty_chunks_of_any_dtype(dtype: str) -> None:
    empty = FRAME.iloc[:0].assign(label=pd.Series(dtype=dtype), fold=pd.Series(dtype=dtype))
    chunks = from_chunks([FRAME, empty])
    check_both(lambda pu: pu.check_assumptions(0.3, strata="fold"), FRAME, chunks)


# Chunks that are not the same each time

LAST = pd.DataFrame({"score": np.arange(400)[::-1], "label": FRAME["label"], "key": "a"})
LAST["other"] = FRAME["other"]
OTHERS = {
    "rows are gone": LAST.iloc[:-1],
    "rows came": pd.concat([LAST, LAST.iloc[-1:]]),
    "other scores": LAST.assign(score=LAST["score"] ** 2),
    "labeled scores moved": LAST.assign(score=LAST["score"].where(LAST["label"].isna(), -1)),
    "a group is gone": LAST.assign(key="b"),
    "nothing is left": LAST.iloc[:0],
}
SAME = r"^chunks must contain the same rows each time, but of \d+ scores \d+ came"


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("before", [2, 3])
def test_chunks_that_differ_from_pass_to_pass(
    name: str, before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The columns are looked at, the labels read, all scores counted, then some fetched."""
    shrink(monkeypatch)
    asked: list[Ask] = [lambda pu: pu(by="key").contingency(0.3, ranks=[*range(1, 401)])]
    asked += [lambda pu: pu(by="key", score=MODELS).compare()] if before == 2 else []
    for ask in asked:
        times = chain([LAST] * before, repeat(OTHERS[name]))
        with pytest.raises(PUValueError, match=SAME) as told:
            ask(from_chunks(lambda: cut(next(times), [100, 200])))  # noqa: B023
        assert type(told.value) is PUValueError  # which nobody skips


# Passes and memory


@fuzzed(2)
@given(frame=rows, reference=st.sampled_from(["positives", "negatives", "tightest"]))
def test_bounds_hold_where_few_scores_are_kept(frame: pd.DataFrame, reference: Any) -> None:
    """No narrower than those of one frame, and the same at cutoffs of both."""
    asked: list[Ask] = [lambda pu: pu.assume(reference=reference).roc_bounds([0.1, 0.3])]
    asked += [lambda pu: pu.auroc([0.1, 0.3], target="examples")]
    with pytest.MonkeyPatch.context() as patch:
        shrink(patch)
        found = [attempt(partial(ask, from_chunks(cut(frame, [20, 7]))))[0] for ask in asked]
    exact = [attempt(partial(ask, frame.pu))[0] for ask in asked]
    if not isinstance(exact[0], PUError):
        both = np.intersect1d(found[0]["rank"], exact[0]["rank"])
        assert both.size > frame["label"].notna().sum() / 9
        sides = [one.set_index(rank="rank").sel(rank=both) for one in (found[0], exact[0])]
        bounds = [one[["tpr", "fpr"]].sel(bound=["lower", "upper"]) for one in sides]
        xr.testing.assert_allclose(*(one.reset_coords(drop=True) for one in bounds), atol=1e-12)
    wide, narrow = (one[["lower", "upper"]].to_numpy() * [1, -1] for one in (found[1], exact[1]))
    assert (wide <= narrow + 1e-12).all()


def draw_groups(size: int, groups: int) -> pd.DataFrame:
    """Draw scores of several models without ties, and all kinds of labels in each group."""
    rng = np.random.default_rng(0)
    truth = rng.random(size) < 0.4
    label = np.where(rng.random(size) < 0.25, truth, np.nan)
    scores = {"score": rng.normal(truth / 2), "b": rng.normal(truth)}
    return pd.DataFrame({**scores, "label": label, "key": np.arange(size) % groups})


ALL = ["score", "b"]
PASSES: list[tuple[int, Ask]] = [
    # A look at the columns, the labeled scores, all counts, and the corners of all.
    (4, lambda pu: pu.assume(reference="negatives").roc_bounds([0.1, 0.3])),
    # Where one kind cuts the estimate of the other there are further cutoffs, asked for early.
    (4, lambda pu: pu(score=ALL).assume(reference="tightest").roc_bounds([0.1, 0.3])),
    (4, lambda pu: pu(score=ALL).assume(reference="tightest").contingency(0.3, ranks=[0, 3, 17])),
    (5, lambda pu: pu.metric("tpr", 0.3, at={"threshold": 0.4})),
    (5, lambda pu: pu.metric("tpr", 0.3, at={"fpr": 0.1})),
    (4, lambda pu: pu(score=ALL).auroc([0.1, 0.3])),
    (3, lambda pu: pu(score=ALL).compare("auroc", [0.1, 0.3])),
    (2, lambda pu: pu(cluster="b").auroc(0.3)),
]


@pytest.mark.parametrize("groups", [1, 5])
@pytest.mark.parametrize(("most", "ask"), PASSES)
def test_passes_are_few_for_any_number_of_groups(most: int, ask: Ask, groups: int) -> None:
    frame = draw_groups(2400, groups)
    chunks, opened = opening(frame, [500, 1200, 1201])
    check_both(lambda pu: ask(pu(by="key")), frame, chunks)
    assert len(opened) <= most


@pytest.mark.parametrize("prior", [{"class_prior": 0.3}, {"cluster": "b"}, {"prevalence": 0.3}])
def test_a_message_about_a_wrong_call_reads_nothing(prior: dict[str, Any]) -> None:
    chunks, opened = opening(draw_groups(40, 1), [20])
    with pytest.raises(PUError, match=r"Write pu_accessor\.from_chunks\(chunks\)"):
        chunks.auroc(**prior) if "cluster" not in prior else chunks.auroc(0.1, **prior)
    assert not opened


def test_two_passes_bound_any_curve() -> None:
    frame = draw_groups(20_000, 1)
    few = (np.arange(len(frame)) % 40 == 0) & (frame["score"] > 0.5)
    frame["label"] = frame["label"].where(few)
    chunks, opened = opening(frame, [9_000])
    # The thresholds are between scores that are kept.
    check_both(lambda pu: pu.roc_bounds(0.3).drop_vars("threshold"), frame, chunks)
    check_both(lambda pu: pu.average_precision(0.3), frame, chunks)
    assert len(opened) == (1 + 2) * 2  # with a look at the columns


def test_groups_that_wait_are_answered_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    frame = draw_groups(600, 6)
    frame.loc[frame["key"].isin([1, 4]), "label"] = np.nan  # has no answer
    frame.loc[(frame["key"] == 2) & frame["label"].isna(), "score"] = 0.5  # needs no further look
    chunks, opened = opening(frame, [200])
    asked: Ask = lambda pu: pu(by="key", on_error="skip", progress=True).roc_bounds(0.3)  # noqa: E731
    check_both(asked, frame, chunks)
    assert capsys.readouterr().err.count("6/6") == 2 and len(opened) == 3
    check_both(lambda pu: pu(by="key").roc_bounds(0.3), frame, chunks)
    assert len(opened) == 3 + 3


def test_memory_is_that_of_a_chunk_and_not_of_all() -> None:
    rows, number = 50_000, 20

    def chunks() -> Iterator[pd.DataFrame]:
        for seed in range(number):
            score = np.random.default_rng(seed).random(rows)
            yield pd.DataFrame({"score": score, "label": np.append(1, np.full(rows - 1, np.nan))})

    tracemalloc.start()
    try:
        table = from_chunks(chunks).contingency(0.01, ranks=[rows * number // 2])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert table["threshold"].item() == pytest.approx(0.5, abs=0.002)
    assert table["n_unlabeled"] == rows * number - number
    assert 16 * rows < peak < 6 * 16 * rows  # all rows are 320 * rows
