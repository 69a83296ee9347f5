"""Data in chunks: the answers are those for all rows in one frame, the memory is not."""

import re
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.axes import Axes

import pu_accessor
from pu_accessor import PUError, PUTypeError, PUValueError, PUWarning, from_chunks
from pu_accessor.sources import first_pass, pieces
from tests.accessors.test_spellings import show

Ask = Callable[[Any], Any]
Chunks = list[pd.DataFrame]

MODELS = ["score", "other"]


# Tied scores of two models, all kinds of labels, keys with gaps, and propensities.
RNG = np.random.default_rng(1)
TRUTH, SHOWN = RNG.random(400) < 0.5, RNG.random(400) < 0.4
FRAME = pd.DataFrame({"score": RNG.normal(1.2 * TRUTH).round(1)})
FRAME["score"] = FRAME["score"].mask(RNG.random(400) < 0.03, np.inf)
FRAME["score"] = FRAME["score"].mask(RNG.random(400) < 0.03, -np.inf)
FRAME["other"] = RNG.normal(TRUTH).round(3)
FRAME["holes"] = FRAME["score"].mask(RNG.random(400) < 0.1)
FRAME["label"] = np.where(SHOWN, TRUTH, np.nan)
FRAME["said"] = np.where(SHOWN, np.where(TRUTH, "yes", "no"), "?")
FRAME["key"] = pd.Series(RNG.choice(list("cab"), 400)).where(RNG.random(400) > 0.1, None)
FRAME["fold"] = RNG.integers(0, 2, 400)
FRAME["propensity"] = np.where(TRUTH & SHOWN, RNG.uniform(0.5, 1, 400), np.nan)


def quietly(ask: Ask) -> Ask:
    """Return what asks the same, without a warning of what the data say little about."""

    def asked(pu: Any) -> Any:
        with warnings.catch_warnings(action="ignore", category=PUWarning):
            return ask(pu)

    return asked


BY_KEY = {"a": 0.2, "b": 0.5, "c": 0.35}
GAPS: dict[str, Any] = {"score": "holes", "nan_policy": "omit"}
OMIT: dict[str, Any] = {"score": ["holes", "other"], "nan_policy": "omit"}
SAID = {"label": "said", "positive": "yes", "negative": "no", "unlabeled": "?"}

ASKED: dict[str, Ask] = {
    "contingency at ranks by key": lambda pu: pu(by="key").contingency(BY_KEY, ranks=[60, 7]),
    "roc": lambda pu: pu.roc_bounds([0.05, 0.3, 0.9]),
    "roc by keys": lambda pu: pu(by=["key", "fold"]).roc_bounds(0.3, band="dkw"),
    "roc of models by key": lambda pu: pu(score=MODELS, by="key").roc_bounds(0.3),
    "roc worst": lambda pu: pu(score="holes", nan_policy="worst").roc_bounds(0.3),
    "roc from both": lambda pu: pu(by="key").assume(reference="both").roc_bounds(0.3),
    "roc weighted omit": lambda pu: pu(propensity="propensity", **GAPS).roc_bounds(0.3),
    "roc coded": lambda pu: pu(**SAID).roc_bounds(0.3),
    "auroc": lambda pu: pu(by="key").auroc([0.3, 0.1]),
    "auroc weighted": lambda pu: pu(propensity="propensity").auroc(0.3, target="examples"),
    "metric at a threshold": lambda pu: pu.metric("tpr", 0.3, at={"threshold": 0.55}),
    "beta": quietly(lambda pu: pu(unlabeled=[0, None]).estimate_beta()),
    "compare": lambda pu: pu(score=MODELS).compare(),
    "compare sizes by key": lambda pu: pu(score=MODELS, by="key").compare("auroc", [0.3, 0.1]),
    "compare omit": lambda pu: pu(**OMIT).compare("auroc", 0.3),
    "compare unpaired": lambda pu: pu(by="key").gap("auroc", [0.3, 0.1]),
    "plot_roc": lambda pu: pu(score=MODELS).plot_roc({"score": 0.2, "other": 0.4}),
}
# Questions that take every way through data: counts, corners, pairs, models, weights.
WAYS = ["contingency at ranks by key", "roc worst", "roc by keys", "roc weighted omit"]
WAYS += ["roc coded", "roc from both", "metric at a threshold", "beta", "compare omit"]
WAYS += ["compare sizes by key", "compare unpaired", "auroc weighted", "plot_roc"]


def whole_frame(name: str) -> Any:
    """Return the answer of all rows in one frame, with steps as they are."""
    return ASKED[name](FRAME.pu)


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the way of large data with small ones: few scores are kept."""
    monkeypatch.setattr(first_pass, "_MAX_SAMPLED_ROWS", 3)
    monkeypatch.setattr(pieces, "_MAX_SAMPLE_VALUES", 4)


def check_same(one: Any, other: Any) -> None:
    """Compare two answers, attributes and all: Datasets, frames, what Axes show, errors."""
    assert type(one) is type(other)
    if isinstance(one, xr.Dataset):
        xr.testing.assert_identical(one, other)
    elif isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other)
        assert one.attrs == other.attrs
    elif isinstance(one, Axes):
        assert show(one) == show(other)
    else:
        assert one == other and isinstance(one, tuple)


def check_chunks(names: list[str], frame: pd.DataFrame, chunks: Any) -> None:
    """Compare answers of chunks with those of all rows in one frame."""
    pieces = from_chunks(chunks)
    for name in names:
        check_same(ASKED[name](pieces), ASKED[name](frame.pu))


def attempt(ask: Ask, accessor: Any) -> Any:
    """Return the answer, or what was said instead."""
    try:
        return ask(accessor)
    except (PUError, PUWarning) as said:
        return type(said), str(said)


def check_errors(ask: Ask, frame: pd.DataFrame, *others: Any) -> str:
    """Return what is said of a frame, once chunks or other data were found to say the same."""
    with pytest.raises(PUError) as expected:
        ask(frame.pu)
    for data in others:
        pu = from_chunks(data) if isinstance(data, list) else data.pu
        assert attempt(ask, pu) == (expected.type, str(expected.value))
    return str(expected.value)


def check_skips(spoilt: Any, *others: Any) -> None:
    """Hold that accessors that skip groups answer alike, and blame one line in the same words."""
    asked: list[Ask] = [
        lambda pu: pu.auroc(0.3),
        lambda pu: pu.contingency(0.3, ranks="breakpoints"),
        lambda pu: pu.contingency(0.3, ranks=[3, 40]),
    ]
    for ask, other in product(asked, others):
        with pytest.warns(PUWarning, match="1 of 3 groups .* key='b': label must mark") as told:
            check_same(ask(other), ask(spoilt))
        assert len({str(one.message) for one in told}) == 1
        assert {one.filename for one in told} == {__file__}


def cut(frame: pd.DataFrame, places: list[int]) -> Chunks:
    """Cut a frame into chunks, some of them empty."""
    ends = [0, *sorted(place % (len(frame) + 1) for place in places), len(frame)]
    return [frame.iloc[start:end] for start, end in pairwise(ends)]


def joined(*labels: list[Any]) -> tuple[pd.DataFrame, Chunks]:
    """Return the frame of some labels, and chunks that hold them."""
    draw = np.random.default_rng(0).normal
    chunks = [pd.DataFrame({"score": draw(size=len(some)), "label": some}) for some in labels]
    return pd.concat(chunks, ignore_index=True), chunks


# The same as in one frame


@pytest.mark.parametrize("name", ASKED)
def test_chunks_give_what_one_frame_gives(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = whole_frame(name)
    check_same(ASKED[name](from_chunks(cut(FRAME, [50, 51, 120, 300]))), expected)
    if not name.startswith(("plot", "roc", "auroc")):  # whose corners need not be exact
        shrink(monkeypatch)
        check_same(ASKED[name](from_chunks(cut(FRAME, [399, 200, 7]))), expected)


@pytest.mark.parametrize("reference", ["positives", "negatives", "both", "tightest"])
def test_bounds_hold_where_few_scores_are_kept(
    reference: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No narrower than those of one frame, and the same at cutoffs of both."""
    shrink(monkeypatch)
    pieces = from_chunks(cut(FRAME, [399, 200, 7]))
    for untied in (False, True):
        rng = np.random.default_rng(2)
        frame = FRAME.assign(score=FRAME["score"] + rng.normal(size=400)) if untied else FRAME
        pieces = from_chunks(cut(frame, [399, 200, 7])).assume(reference=reference)
        whole = frame.pu.assume(reference=reference)
        table, exact = (pu.roc_bounds([0.1, 0.3]) for pu in (pieces, whole))
        both = np.intersect1d(table["rank"], exact["rank"])
        assert both.size > FRAME["label"].notna().sum() / 4
        rates = [one.set_index(rank="rank").sel(rank=both) for one in (table, exact)]
        sides = [one[["tpr", "fpr"]].sel(bound=["lower", "upper"]) for one in rates]
        xr.testing.assert_allclose(*(one.reset_coords(drop=True) for one in sides), atol=1e-12)
        known = ~np.isnan(table["threshold"].values)
        assert np.isin(table["threshold"].values[known], np.append(frame["score"], np.inf)).all()
        if reference == "positives":
            asked = (pu.auroc([0.1, 0.3], target="examples") for pu in (pieces, whole))
            found, wanted = (one[["lower", "estimate", "upper"]].to_numpy() for one in asked)
            assert (found[:, 0] <= wanted[:, 0] + 1e-12).all()
            assert (found[:, 2] >= wanted[:, 2] - 1e-12).all()
            assert np.allclose(found, wanted, atol=1e-12, rtol=0) >= untied


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint64"])
def test_ranks_of_any_integers(dtype: Any) -> None:
    expected = FRAME.pu.contingency(0.3, ranks=[200, 1, 40])
    for pu in (FRAME.pu, from_chunks(cut(FRAME, [90]))):
        check_same(pu.contingency(0.3, ranks=np.array([200, 1, 40], dtype)), expected)


ANY_KEYS: list[Any] = [
    *([3, 1], [True, False], [0.5, -1.0], [np.inf, -np.inf], pd.array([4, 2], dtype="Int64")),
    pd.to_datetime(["2024", "2021"], utc=True),
    *(pd.Categorical(["x", "y"], ["y", "unseen", "x"], ordered) for ordered in (True, False)),
]


@pytest.mark.parametrize("keys", ANY_KEYS)
def test_keys_of_any_kind(keys: Any) -> None:
    frame = FRAME.assign(key=pd.Series(keys).iloc[FRAME["fold"]].array)
    frame.loc[5:9, "key"] = frame["key"].iloc[0]
    check_chunks(["auroc"], frame, cut(frame, [10, 200]))


def test_keys_whose_dtype_differs() -> None:
    one = pd.DataFrame({"score": [4, 3, 2, 1], "label": [1, None, 1, None], "key": [1, 1, 2, 2]})
    other = pd.DataFrame({"score": [2.5, 3.5, 1.5], "label": np.nan, "key": [2.0, 1.0, None]})
    whole = pd.concat([one, other], ignore_index=True).pu(by="key").roc_bounds(0.3)
    check_same(from_chunks([one, other], by="key").roc_bounds(0.3), whole)
    large = [one.assign(key=2**53 + 1, other=one["score"]), other.assign(other=other["score"])]
    pieces = from_chunks(large, by="key")
    for name in ("auroc", "compare"):
        with pytest.raises(PUValueError, match="by must name columns of one dtype, but keys of"):
            getattr(pieces(score=MODELS), name)(beta=0.3)


def test_pairs_are_frames_of_two_columns() -> None:
    parts = cut(FRAME[["score", "label"]], [90, 300])
    kinds: list[Callable[[Any], Any]] = [np.asarray, list, pd.Index, pd.array, pd.Series]
    pairs = [[(kind(part["score"]), kind(part["label"])) for part in parts] for kind in kinds]
    lists: Any = [[part["score"].rename("x"), part["label"].rename("y")] for part in parts]
    for chunks in (*pairs, tuple(lists), [pairs[0][0], *parts[1:]]):
        check_same(from_chunks(chunks).roc_bounds(0.3), FRAME.pu.roc_bounds(0.3))


SPOILT = FRAME.assign(label=FRAME["label"].where(FRAME["key"] != "b"))
SKIP: dict[str, Any] = {"by": "key", "on_error": "skip"}


def test_skipped_groups_are_told_alike() -> None:
    check_skips(SPOILT.pu(**SKIP), from_chunks(cut(SPOILT, [30, 200]), **SKIP))


# Labels that are ambiguous or not


LABELS: list[Any] = [
    ([[1, 0, 1], [1, None, None]], {}),  # another chunk says that 0 is negative
    ([[1, 1], [0, 0]], {}),  # ambiguous as a whole
    ([[1, 0], [0, 1]], {}),
    ([[True, False], [1.0, 0.0]], {}),
    ([[1, 0], [0, 1]], {"unlabeled": 0}),
    ([["y", "n"], ["n", "y"]], {"positive": "y", "unlabeled": "n"}),
    ([[2, 2], [2, 0]], {"positive": 2}),  # ambiguous as a whole
    ([[1, None], [1, 0]], {"positive": 1, "negative": 1}),
    ([[1, 0, 1], [-1, -1, 1]], {"unlabeled": -1}),
    ([[2, 0, 1], [0, 1], [2, None]], {"positive": [1, 2]}),
    ([[True, False], [True, "?"]], {"unlabeled": "?"}),
]


@pytest.mark.parametrize(("labels", "coding"), LABELS)
def test_labels_of_all_chunks_count(labels: list[list[Any]], coding: dict[str, Any]) -> None:
    whole, chunks = joined(*labels)
    expected = attempt(lambda pu: pu(**coding).roc_bounds(0.3), whole.pu)
    numbers = pd.api.types.is_numeric_dtype(chunks[0]["label"].dtype)
    none = chunks[0].iloc[:0] if numbers else chunks[0].iloc[:0].astype({"label": "float64"})
    for some in (chunks, [none, *chunks], [*chunks, none]):
        check_same(attempt(lambda pu: pu(**coding).roc_bounds(0.3), from_chunks(some)), expected)


@pytest.mark.parametrize("dtype", ["float64", "bool", "Int64", "object", "string", "category"])
def test_empty_chunks_of_any_dtype(dtype: str) -> None:
    empty = FRAME.iloc[:0].assign(label=pd.Series(dtype=dtype), fold=pd.Series(dtype=dtype))
    asks: list[Ask] = [lambda pu: pu.auroc(0.3)]
    asks += [lambda pu: pu.check_assumptions(0.3, strata="fold")]
    for ask in asks:
        check_same(ask(from_chunks([FRAME, empty])), ask(FRAME.pu))


# Errors

# Roles that are wrong in each source alike.
WRONG: list[dict[str, Any]] = [
    *({"score": "none"}, {"label": "lable"}, {"propensity": "odd"}, {"by": "kex"}),
    *({"by": ["key", "kex"]}, {"by": "score"}, {"by": ["key", "key"]}, {"by": []}),
    *({"score": ["score", "none"]}, {"score": "holes"}, {"label": "fold"}, {"score": None}),
    *({"score": ["score", "score"]}, {"by": ("key", "fold")}, {"by": {"key"}}),
    *({"label": "score"}, {"label": ["label"]}, {"label": "said"}),
]
ERRORS: dict[str, Ask] = {
    "score is text": lambda pu: pu(score="said").roc_bounds(0.3),
    "by lists": lambda pu: pu(by=["key", ["fold"]]).auroc(0.3),
    "by a column of lists": lambda pu: pu(by="lists").roc_bounds(0.3),
    "missing scores, compared": lambda pu: pu(score=["score", "holes"]).compare(),
    "labels of lists": lambda pu: pu(label="lists").auroc(0.3),
    "ranks of a word": lambda pu: pu.roc_bounds(0.3, ranks="some"),
    "ranks of floats": lambda pu: pu.roc_bounds(0.3, ranks=[0.5]),
    "ranks twice": lambda pu: pu.roc_bounds(0.3, ranks=[3, 3]),
    "several scores, unpaired": lambda pu: pu(score=MODELS, by="key").gap("auroc", 0.3),
    "ranks too high": lambda pu: pu.roc_bounds(0.3, ranks=401),
    "ranks too high of what is left": lambda pu: pu(**GAPS).roc_bounds(0.3, ranks=399),
    "ranks too high in all groups": lambda pu: pu(by="key").contingency(0.3, ranks=399),
    "beta of other groups": lambda pu: pu(by="key").roc_bounds({"a": 0.3, "d": 0.3}),
    "one group": lambda pu: pu.gap("auroc", 0.3),
    "a group without positives": lambda pu: pu(by="half", on_error="raise").auroc(0.3),
    "no row has a key": lambda pu: pu(by="none").auroc(0.3),
    "no row has keys": lambda pu: pu(by=["none", "fold"]).auroc(0.3),
}


@pytest.mark.parametrize("asked", [*ERRORS, *WRONG], ids=str)
def test_errors_are_those_of_one_frame(asked: Any) -> None:
    half = np.where(FRAME["label"] == 1, 1, np.arange(len(FRAME)) % 2)
    lists: Any = [[0]] * len(FRAME)
    frame = FRAME.assign(lists=lists, half=half, none=None)
    ask = ERRORS[asked] if isinstance(asked, str) else lambda pu: pu(**asked).auroc(0.3)
    check_errors(ask, frame, cut(frame, [0, 9, 9, 300, 400]), cut(frame, [9]))


def test_no_scores_at_all() -> None:
    frame = FRAME.assign(score=np.nan)
    pieces, roles = from_chunks(cut(frame, [100])), {"by": "key", "on_error": "raise"}
    ask = quietly(lambda pu: pu(nan_policy="worst", **roles).roc_bounds(0.3))
    check_same(ask(pieces), ask(frame.pu))
    check_errors(lambda pu: pu(nan_policy="omit", **roles).roc_bounds(0.3), frame, [frame])


def test_what_is_wrong_is_told_of_all_chunks() -> None:
    two = FRAME.assign(label=FRAME["label"].replace(0, 7))
    told = check_errors(lambda pu: pu(score="holes").auroc(0.3), two, [two])
    assert "contains NaN in" in told  # the first of both
    for propensity in (np.nan, 3.0):
        odd = FRAME.assign(propensity=FRAME["propensity"].where(FRAME.index % 3 > 0, propensity))
        told = check_errors(ASKED["auroc weighted"], odd, cut(odd, [20]))
        assert "propensity column 'propensity'" in told


UNKNOWN: list[Any] = [
    ([[1, 5, None], [6, 1, None]], {}, "5, 6"),
    ([["x", 1], [True, None, "z"], ["y", "x", 1]], {}, "'x', 'z', 'y'"),
    ([[1, None], ["a", 1], [*"bcdefg"]], {}, "'a', .*'e' and 2 more"),
    ([[1, 0], [5, 6], [0, 7]], {}, "5, 6, 7"),
    ([[1.0, -1.0, 5.0], [1, 5, None], [np.nan]], {"unlabeled": [-1]}, r"5, None \(missing\)"),
]


@pytest.mark.parametrize(("labels", "roles", "shown"), UNKNOWN)
def test_unknown_labels_of_all_chunks_are_listed(labels: Any, roles: Any, shown: str) -> None:
    whole, chunks = joined(*labels)
    told = check_errors(lambda pu: pu(**roles).auroc(0.3), whole, chunks)
    assert re.search(rf"contains {shown}(, which|: these)", told)


# What chunks may be


def test_a_file_is_opened_anew(tmp_path: Any) -> None:
    path = tmp_path / "scores.csv"
    FRAME.to_csv(path, index=False)
    with pd.read_csv(path, chunksize=90) as reader, pytest.raises(PUTypeError, match="TextFile"):
        from_chunks(reader)

    def chunks() -> Iterator[pd.DataFrame]:
        with pd.read_csv(path, chunksize=90) as reader:
            yield from reader

    with pytest.raises(PUTypeError, match=r"more than once.*lambda: pd\.read_csv"):
        from_chunks(chunks())
    names = ["roc weighted omit", "roc of models by key", "compare sizes by key"]
    check_chunks(names, pd.read_csv(path), chunks)


# Chunks that are not the same each time


def changing(*times: pd.DataFrame) -> Any:
    """Return chunks that hold some frames, one each time they are opened; the last ones stay."""
    left = list(times)
    return from_chunks(lambda: cut(left.pop(0) if len(left) > 1 else left[0], [100, 200]))


LAST = FRAME.assign(score=np.arange(len(FRAME))[::-1], key="a")
OTHERS = {
    "rows are gone": LAST.iloc[:-1],
    "rows came": pd.concat([LAST, LAST.iloc[-1:]]),
    "other scores": LAST.assign(score=LAST["score"] ** 2),
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
    if before == 2:
        asked.append(lambda pu: pu(by="key", score=MODELS).compare())
    for ask in asked:
        with pytest.raises(PUValueError, match=SAME) as told:
            ask(changing(*[LAST] * before, OTHERS[name]))
        assert type(told.value) is PUValueError  # which nobody skips
        nothing = name in ("a group is gone", "nothing is left")
        assert ("scores 0 came" in str(told.value)) == nothing


def test_labeled_scores_that_change() -> None:
    known = LAST["label"].notna()
    with pytest.raises(PUValueError, match=SAME):
        changing(LAST, LAST, LAST.assign(score=LAST["score"].where(~known, -1.0))).auroc(0.3)


# Memory and passes


def draw_groups(size: int, groups: int, seed: int = 0) -> pd.DataFrame:
    """Draw scores of several models without ties, and all kinds of labels in each group."""
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < 0.4
    kinds = np.where(rng.random(size) < 0.25, truth, np.nan)
    scores = {f"model {place}": rng.normal((place + 1) / 2 * truth) for place in range(3)}
    return pd.DataFrame({**scores, "label": kinds, "key": np.arange(size) % groups})


def opening(frame: pd.DataFrame, places: list[int]) -> tuple[Any, list[int]]:
    """Return chunks, and a list with an item for each time that they have been opened."""
    opened: list[int] = []

    def chunks() -> Chunks:
        opened.append(len(opened))
        return cut(frame, places)

    return from_chunks(chunks), opened


ONE, ALL = "model 0", [f"model {place}" for place in range(3)]
PASSES: dict[str, tuple[int, Ask]] = {
    # A look at the columns, the labeled scores, all counts, and the corners of all.
    "roc": (4, lambda pu: pu.roc_bounds(0.3)),
    "negatives": (4, lambda pu: pu.assume(reference="negatives").roc_bounds([0.1, 0.3])),
    # Where one kind cuts the estimate of the other there are further cutoffs, asked for early.
    "both": (4, lambda pu: pu(score=ALL).assume(reference="both").roc_bounds([0.1, 0.3])),
    "tightest": (4, lambda pu: pu(score=ALL).assume(reference="tightest").roc_bounds([0.1, 0.3])),
    "ranks": (4, lambda pu: pu(score=ALL).contingency(0.3, ranks=[0, 3, 9, 17])),
    "both at ranks": (4, lambda pu: pu.assume(reference="both").contingency(0.3, ranks=[3, 17])),
    "at a threshold": (5, lambda pu: pu.metric("tpr", 0.3, at={"threshold": 0.4})),
    "at a rate": (5, lambda pu: pu.metric("tpr", 0.3, at={"fpr": 0.1})),
    "areas": (4, lambda pu: pu(score=ALL).auroc([0.1, 0.3])),
    "compared": (3, lambda pu: pu(score=ALL).compare("auroc", [0.1, 0.3])),
}


GROUPED: list[Any] = [*product(PASSES, [1, 5]), ("both", 20), ("at a rate", 20)]


@pytest.mark.parametrize(("name", "groups"), GROUPED)
def test_passes_are_few_for_any_number_of_groups(name: str, groups: int) -> None:
    most, ask = PASSES[name]
    frame = draw_groups(2400, groups)
    pieces, opened = opening(frame, [500, 1200, 1201])
    keywords = {"score": ONE, "by": "key"} if groups > 1 else {"score": ONE}
    asked = quietly(lambda pu: ask(pu(**keywords)))
    check_same(asked(pieces), asked(frame.pu))
    assert len(opened) <= most


@pytest.mark.parametrize("method", ["auroc", "average_precision", "roc_bounds"])
def test_two_passes_bound_any_curve(method: str) -> None:
    frame = draw_groups(200_000, 1)
    labeled = np.random.default_rng(1).random(len(frame)) < 0.002
    frame["label"] = frame["label"].where(labeled & (frame[ONE] > 0.5))
    pieces, opened = opening(frame, [90_000])
    asked = quietly(lambda pu: getattr(pu(score=ONE), method)([0.1, 0.3]))
    found, expected = asked(pieces), asked(frame.pu)
    if method == "roc_bounds":  # cutoffs between two scores that are kept
        found, expected = (one.drop_vars("threshold") for one in (found, expected))
    check_same(found, expected)
    assert len(opened) == 1 + 2  # with a look at the columns


def test_groups_that_wait_are_answered_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    frame = draw_groups(600, 6).assign(score=lambda rows: rows[ONE])
    frame.loc[frame["key"].isin([1, 4]), "label"] = np.nan  # has no answer
    frame.loc[(frame["key"] == 2) & frame["label"].isna(), "score"] = 0.5  # needs no further look
    pieces, opened = opening(frame, [200])
    for accessor in (frame.pu, pieces):
        with pytest.warns(PUWarning, match="2 of 6 groups .*key=1: .*key=4"):
            accessor(by="key", on_error="skip").roc_bounds(0.3)
    result = quietly(lambda pu: pu(by="key", on_error="skip", progress=True).roc_bounds(0.3))
    assert result(pieces)["key"].values.tolist() == [0, 2, 3, 5]
    assert "6/6" in capsys.readouterr().err
    with pytest.raises(pu_accessor.PUDataError, match=r"^group key=1: "):
        pieces(by="key", on_error="raise").roc_bounds(0.3)
    assert len(opened) == 3 + 3 + 3


def test_memory_is_that_of_a_chunk_and_not_of_all() -> None:
    rows, number = 100_000, 40
    label = np.append(1.0, np.full(rows - 1, np.nan))

    def chunks() -> Iterator[pd.DataFrame]:
        for seed in range(number):
            score = np.random.default_rng(seed).random(rows)
            yield pd.DataFrame({"score": score, "label": label.copy()})

    tracemalloc.start()
    try:
        table = from_chunks(chunks).contingency(0.01, ranks=[rows * number // 2, rows * number])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert table["rank"].values.tolist() == [2_000_000, 4_000_000]
    assert table["threshold"].values[0] == pytest.approx(0.5, abs=0.002)
    assert table["n_unlabeled"] == rows * number - number
    size = 16 * rows
    assert size < peak < 6 * size  # all rows are 40 * size
