"""One question put to each group: keys, ragged rank axes, a beta each, and what goes wrong."""

import sys
import warnings
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pu_accessor import PUError, PUImportError, PUValueError, PUWarning
from tests.cases import Case, Labels, as_frame, binormal, check_place, draw_case, pu, put

METHODS = ["contingency", "roc_bounds", "pr_bounds"]
BETAS = [0.4, 0, 1]
MODELS = ["svm", "forest"]
BETA = {"a": 0.1, "b": 0.9, "c": 0.3, "d": 0.5}
SEEDS = {"c": 39, "a": 11, "b": 21, "d": 3}  # of 39, 8, 14 and 33 examples, d mostly tied
# The groups' rows are mixed, and labels of the index repeat.
FRAME = pd.concat([as_frame(draw_case(seed)).assign(model=key) for key, seed in SEEDS.items()])
FRAME = FRAME.sample(frac=1, random_state=0)
ALONE = {key: FRAME[FRAME["model"] == key] for key in sorted(SEEDS)}
WIDE = FRAME.assign(svm=FRAME["score"], forest=-FRAME["score"].round()).drop(columns="score")
FOLD = FRAME.groupby(["model", "label"], dropna=False).cumcount().to_numpy() % 2
SPLIT = FRAME.assign(fold=FOLD)[(FRAME["model"] != "c") | (FOLD == 0)]  # (c, 1) is not there
HALVES = dict(list(SPLIT.groupby(["model", "fold"])))
SPOILT = FRAME.assign(label=FRAME["label"] & (FRAME["model"] != "b"))  # b: no known positive


def rekeyed(keys: Any) -> pd.DataFrame:
    """Return the frame with other keys for a, b, c, d."""
    places = FRAME["model"].map({"a": 0, "b": 1, "c": 2, "d": 3})
    return FRAME.assign(key=pd.Series(keys).iloc[places].array)


def named(name: str) -> Any:
    """Return the accessor of the frame with its keys under another name."""
    return FRAME.rename(columns={"model": name}).pu


def check_each(
    result: xr.Dataset, alone: Any, method: str = "contingency", beta: Any = BETAS, **keywords: Any
) -> None:
    """Compare each group with its rows alone, at its last cutoff at or before each rank."""
    dim = next(iter(result.data_vars.values())).dims[0]
    assert list(result.indexes[dim]) == list(alone)
    for position, (key, rows) in enumerate(alone.items()):
        own = put(rows.pu, method, beta[key] if isinstance(beta, dict) else beta, **keywords)
        check_place(result.isel({dim: position}), own)


# Three spellings


@pytest.mark.parametrize("method", METHODS)
def test_several_keys(method: str) -> None:
    keys = ["model", "fold"]
    by = getattr(SPLIT.pu(by=keys), method)(0.3)
    xr.testing.assert_identical(getattr(pu(SPLIT.groupby(keys)), method)(0.3), by)
    assert by.indexes["group"].names == keys
    check_each(by, HALVES, method, 0.3)
    square = by[next(iter(by.data_vars))].unstack("group")
    assert square.sel(model="c", fold=1).isnull().all()
    betas = {key: 0.1 * place for place, key in enumerate(HALVES, start=1)}
    own = getattr(SPLIT.pu(by=keys), method)(pd.Series(betas))
    check_each(own, HALVES, method, betas)
    xr.testing.assert_identical(own, getattr(SPLIT.pu(by=keys), method)(betas))


# Keys


@pytest.mark.parametrize(
    "keys",
    [
        *([3, 1, 2, 0], [True, False, True, False], [0.5, -1.0, 2.5, np.inf]),
        pd.to_datetime(["2024", "2021", "2022", "2023"]),
        [date(2024, 1, day) for day in (4, 1, 2, 3)],
        *([("x", 1), ("x", 2), ("y", 1), ("z", 3)], [("x",), ("y", 1), ("z", 1, 2), ()]),
        *(pd.array([4, 2, 1, 3], dtype="Int64"), pd.array(["r", "é", "", "s"], dtype="string")),
        *(pd.period_range("2024", periods=4, freq="M"), ["one", "one", "one", "one"]),
        pd.Categorical(["x", "z", "y", "x"], categories=["z", "unseen", "x", "y"]),
    ],
)
def test_keys_of_any_kind(keys: Any) -> None:
    frame = rekeyed(keys)
    tables = frame.pu(by="key").contingency(BETAS, ranks="all")
    order = list(frame.groupby("key", observed=True).size().index)
    at = np.array([order.index(key) for key in frame["key"]])
    check_each(tables, {key: frame[at == place] for place, key in enumerate(order)})
    assert tables["tp"].dims == ("key", "rank", "bound", "beta")
    assert len(tables.pu.to_frame()) == tables["tp"].size
    assert tables["key"].values.tolist() == tables.pu.area("auroc")["key"].values.tolist()


@pytest.mark.parametrize("kind", [object, "category", "string"])
def test_rows_without_a_key(kind: Any) -> None:
    frame = rekeyed(pd.array(["x", None, "y", None], dtype=kind))
    known = dict(list(frame.groupby("key", observed=True)))
    check_each(frame.pu(by="key").contingency(BETAS, ranks="all"), known)
    how: dict[str, Any] = {"dropna": False, "observed": True}
    kept = pu(frame.groupby("key", **how)).contingency(BETAS, ranks="all")
    check_each(kept.isel(key=[0, 1]), known)
    assert pd.isna(kept["key"].values[2])
    check_each(kept.isel(key=[2]).assign_coords(key=["?"]), {"?": frame[frame["key"].isna()]})


def test_groupbys_of_any_kind() -> None:
    plain = FRAME.pu(by="model").contingency(BETAS, ranks="all")
    by_model, models = FRAME.set_index("model"), FRAME["model"].to_numpy()
    distinct = FRAME.reset_index(drop=True)
    together = FRAME.sort_values("model")  # rows of a group stand together
    for name, grouped in (
        ("model", FRAME.groupby("model")[["score", "label"]]),
        ("model", FRAME.groupby(["model"])),
        ("model", by_model.groupby(level="model")),
        ("model", by_model.groupby(str)),
        ("model", distinct.drop(columns="model").groupby(distinct["model"])),
        ("model", together.groupby("model")),
        ("group", FRAME.groupby(models)),
        ("group", distinct.groupby(distinct["model"].rename(None))),
        ("pu", FRAME.rename(columns={"model": "pu"}).groupby("pu")),
    ):
        xr.testing.assert_identical(
            pu(grouped).contingency(BETAS, ranks="all"), plain.rename(model=name)
        )
    xr.testing.assert_identical(by_own("pu", BETAS), plain.rename(model="pu"))
    pairs = pu(FRAME.groupby([models, FOLD > 1])).contingency(BETAS, ranks="all")
    assert pairs.indexes["group"].names == ["level_0", "level_1"]
    frame = rekeyed(pd.to_datetime(["2024-01-01", "2024-01-04", "2024-01-05", "2024-01-04"]))
    daily = pu(frame.groupby(pd.Grouper(key="key", freq="D")))
    tables = daily(on_error="skip").contingency(BETAS, ranks="all")
    check_each(tables, dict(list(frame.groupby("key"))))


# Ragged groups


def test_ranks_may_lie_beyond_small_groups() -> None:
    tables = FRAME.pu(by="model").contingency(BETAS, ranks=[39, 10])
    for key, rows in ALONE.items():
        for asked in (39, 10):
            own = rows.pu.contingency(BETAS, ranks=min(asked, len(rows)))["tp"].isel(rank=0)
            np.testing.assert_array_equal(tables["tp"].sel(model=key, rank=asked), own)
    with pytest.raises(PUValueError, match=r"ranks must lie between 0 and 39, .* \[40\] was"):
        FRAME.pu(by="model").contingency(BETAS, ranks=40)


# A beta for each group


# Errors


def test_columns_of_several_levels() -> None:
    levels = [["y", "k", "s", "s"], ["", "", "svm", "forest"]]
    frame = WIDE.set_axis(pd.MultiIndex.from_arrays(levels), axis=1)
    label, models = ("y", ""), [("s", "svm"), ("s", "forest")]
    parts = {model: frame[[model, label]].set_axis(["score", "label"], axis=1) for model in models}
    check_each(frame.pu(score=models, label=label).contingency(BETAS, ranks="all"), parts)
    one = frame.pu(score=models[1], label=label, by=("k", "")).contingency(BETAS, ranks="all")
    plain = WIDE.pu(score="forest", by="model").contingency(BETAS, ranks="all")
    np.testing.assert_array_equal(one["tp"].values, plain["tp"].values)


@pytest.mark.parametrize("method", METHODS)
def test_skipped_groups_are_told_once(method: str) -> None:
    worse = SPOILT.assign(label=SPOILT["label"].where(SPOILT["model"] != "d", True))
    with pytest.warns(PUWarning, match="2 of 4 groups are left out") as caught:
        result = getattr(worse.pu(by="model", on_error="skip"), method)(0.3)
    (told,) = caught
    message = str(told.message)
    assert told.filename == __file__ and "\n" not in message
    assert "groups are left out (on_error='skip'): group model='b': label must" in message
    assert "The others: group model='d'. " in message
    lines = result.attrs["skipped"].split("\n")
    starts = ["group model='b': label mus", "group model='d': beta must"]
    assert [line[:26] for line in lines] == starts
    check_each(result, {key: ALONE[key] for key in "ac"}, method, 0.3)
    with pytest.warns(PUWarning, match="2 of 4 groups"):
        own = getattr(pu(worse.groupby("model"))(on_error="skip"), method)(BETA)
    check_each(own, {key: ALONE[key] for key in "ac"}, method, BETA)
    with pytest.raises(PUValueError, match="No group has a result: group model='a': label"):
        getattr(FRAME.assign(label=None).pu(by="model", on_error="skip"), method)(0.3)


NUMBERS: dict[str, Callable[[Any], pd.DataFrame]] = {
    "auroc": lambda pu: pu.auroc([0.1, 0.2]),
    "own beta": lambda pu: pu.auroc({"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}),
    "examples": lambda pu: pu.average_precision(0.1, target="examples"),
    "metric": lambda pu: pu.metric(["recall", "f1"], 0.1, at={"rank": [5, 8]}),
    "cutoff": lambda pu: pu.cutoff(0.1, recall=0.1),
    "estimate_beta": lambda pu: pu.estimate_beta(),
    "check_assumptions": lambda pu: pu.check_assumptions(0.1),
    "robustness": lambda pu: pu.robustness("auroc", 0.1, over={"selection_odds": [1, 2]}),
}


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize("name", NUMBERS)
def test_groups_without_an_answer_have_rows_of_nan_that_say_why(name: str) -> None:
    """The other rows are those of a frame that leaves them out, and keep their dtypes."""
    pu, ask = SPOILT.pu(by="model", on_error="nan"), NUMBERS[name]
    found, left = ask(pu), ask(pu(on_error="skip"))
    assert found["model"].drop_duplicates().tolist() == [*"abcd"]
    empty = found["model"] == "b"
    assert found["reason"].notna().tolist() == empty.tolist()
    assert found.loc[empty, "reason"].str.startswith("label must mark at least one").all()
    rest = found[~empty].drop(columns="reason").reset_index(drop=True)
    assert {dtype.kind for dtype in rest.dtypes} == {dtype.kind for dtype in left.dtypes}
    pd.testing.assert_frame_equal(rest, left, check_dtype=False)
    asked = ["model", "reason", "metric", "target"]
    assert found.loc[empty].drop(columns=asked, errors="ignore").isna().all(axis=None)
    assert empty.sum() == 1
    assert "skipped" not in found.attrs


@pytest.mark.parametrize("engine", ["scipy", "h5netcdf"])
def test_many_skipped_groups_are_one_line_and_a_table(engine: Any, tmp_path: Path) -> None:
    place, model = np.arange(820) % 10, np.arange(820) // 10
    score = np.random.default_rng(0).random(820) + (place < 3)
    label = np.where((place > 0) & (place < 3) & (model % 2 == 1), 1, np.nan)
    many = pd.DataFrame({"score": score, "model": model, "label": label})
    asked = many.pu(by="model", on_error="skip")
    with pytest.warns(PUWarning, match="^41 of 82 groups are left out .* and 37 more") as told:
        tables = asked.contingency(0.125, ranks=[3, 8])
    assert len(str(told[0].message)) <= 400 and "\n" not in str(told[0].message)
    lines = tables.attrs["skipped"].split("\n")
    assert len(lines) == 41 and all("label must mark at least one" in line for line in lines)
    tables.to_netcdf(tmp_path / "tables.nc", engine=engine)
    with xr.open_dataset(tmp_path / "tables.nc", engine=engine) as found:
        assert found.attrs["skipped"] == tables.attrs["skipped"]
    with pytest.warns(PUWarning, match="^41 of 82 groups"):
        numbers = asked.auroc(0)
    assert [f"{group}: {why}" for group, why in numbers.attrs["skipped"].items()] == lines
    with pytest.warns(PUWarning, match="^41 of 82 groups"):
        assert len(asked.gap("auroc", 0).attrs["skipped"]) == 41


def test_progress(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    plain = FRAME.pu(by="model").contingency(BETAS, ranks="all")
    assert capsys.readouterr() == ("", "")
    xr.testing.assert_identical(
        FRAME.pu(by="model", progress=True).contingency(BETAS, ranks="all"), plain
    )
    assert "4/4" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    for method in METHODS:
        with pytest.raises(PUImportError, match="progress=True needs the package tqdm"):
            getattr(FRAME.pu(by="model", progress=True), method)(0.3)


# What must not change, and what must last


# What once went wrong


def once(ask: Callable[[], Any], reason: str) -> Any:
    return pytest.param(ask, id=reason)


def by_own(name: str, beta: Any = 0.3) -> xr.Dataset:
    """Return tables of the frame whose keys stand under another name."""
    found: xr.Dataset = named(name)(by=name).contingency(beta, ranks="all")
    return found


def is_plain(tables: xr.Dataset) -> bool:
    return tables.identical(FRAME.pu(by="model").contingency(0.3, ranks="all"))


GROUP = SPLIT.rename(columns={"model": "group"})
INDEXED = FRAME.set_index("model", drop=False)
NAN = rekeyed([1.0, np.nan, 2.0, 3.0]).groupby("key", dropna=False)
UNNAMED = WIDE.groupby(WIDE["model"].to_numpy())


@pytest.mark.parametrize(
    "ask",
    [
        once(
            lambda: GROUP.pu(by=["group", "fold"]).contingency(0.3, ranks="all"),
            "group: level, dimension",
        ),
        once(
            lambda: pu(UNNAMED)(score=MODELS).contingency(0.3, ranks="all"),
            "unnamed: level, dimension",
        ),
        once(
            lambda: is_plain(INDEXED.pu(by="model").contingency(0.3, ranks="all")),
            "ambiguous to pandas",
        ),
        once(lambda: by_own("x", BETA).sel(x="c").pu.to_frame().size, "no index"),
        once(lambda: by_own("place", BETA).pu.to_frame().size, "place"),
        once(lambda: pu(NAN).contingency(NAN.size() / 100, ranks="all"), "no beta of NaN"),
    ],
)
def test_is_answered(ask: Callable[[], Any]) -> None:
    assert ask()


KEYS = ["n", "beta", "difference", "lower", "p_value", "estimate", "rank", "tp", "model_a"]


@pytest.mark.parametrize("key", KEYS)
def test_no_key_is_lost_to_a_column_of_the_result(key: str) -> None:
    frame = binormal(60, 140, 0.5, seed=8)[0]
    frame = frame.assign(**{key: np.where(np.arange(200) % 2, "u", "v")}, t=-frame["score"])
    keyed: Any = frame.pu(by=key)
    asked: list[Callable[[], Any]] = [
        lambda: keyed.gap("auroc", 0.2),
        lambda: keyed.gap("auroc", {"u": 0.2, "v": 0.1}),
        lambda: keyed(score=["score", "t"]).compare("auroc", 0.2),
        lambda: keyed.dominance(0.2),
        lambda: keyed.auroc(0.2),
        lambda: keyed.metric("f1", 0.2, at=20),
    ]
    for ask in asked:
        told, columns = "", {}
        try:
            columns = {column: set(values) for column, values in ask().items()}
        except PUValueError as error:
            told = str(error)
        there = set().union(*(columns.get(c, set()) for c in (key, f"{key}_a", f"{key}_b")))
        assert {"u", "v"} <= there or "must not be called" in told


def many(groups: int, spoilt: int, known: int, name: str = "") -> pd.DataFrame:
    """Return groups of which the first ones have few known positives."""
    frame = binormal(20, 60, 0.2, seed=1)[0].assign(half=1)
    frame["other"] = frame["score"].to_numpy()[::-1]
    few = frame.assign(label=np.where(np.arange(len(frame)) < known, 1.0, np.nan))
    parts = [few if number < spoilt else frame for number in range(groups)]
    return pd.concat([part.assign(site=f"{name}{i}") for i, part in enumerate(parts)])


def test_long_names_of_groups_leave_messages_short() -> None:
    models = many(6, 4, 1, "s" * 55).pu(by="site", score=["score", "other"])
    with pytest.warns(PUWarning, match=r"^In 4 of 6 comparisons [^}]*\} and 3 more\)"):
        models.compare("auroc", 0.2)
    with pytest.warns(PUWarning, match="' and 3 more. attrs"):
        many(6, 5, 0, "s" * 55).pu(by="site", on_error="skip").auroc(0.2)


@pytest.mark.parametrize(("groups", "by"), [(6, "site"), (60, "site"), (60, ["site", "half"])])
def test_many_groups_of_one_column_may_be_clusters(groups: int, by: Any) -> None:
    with pytest.raises(PUError, match="must mark at least one known positive") as told:
        many(groups, 1, 0).pu(by=by).auroc(0.2, target="examples")
    assert ("cluster='site'" in str(told.value)) == (groups == 60 and by == "site")


FEW = 30


def queries(size: int, distinct: int, negative: float, seed: int, groups: int) -> pd.DataFrame:
    """Return groups of rows, shuffled; some groups hold one known positive or none."""
    rng = np.random.default_rng(seed)
    rows = groups * size
    known = rng.random(rows) < 0.15
    label = np.where(known, 1.0, np.nan)
    label[(rng.random(rows) < negative) & ~known] = 0
    score = rng.standard_normal(rows) + known
    score = np.round(score * distinct) if distinct else score
    frame = pd.DataFrame({"score": score, "label": label, "query": np.arange(rows) % groups})
    return frame.iloc[rng.permutation(rows)]


def check_both_ways(
    frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, roles: Any = None, **question: Any
) -> tuple[pd.DataFrame, str]:
    """Ask for AUROC in one pass, and one by one; return it and what was told."""
    found: list[pd.DataFrame] = []
    texts: list[list[str]] = []
    for small in (5000, 0):
        monkeypatch.setattr("pu_accessor.sources.groups._MAX_MEAN_STACKED", small)
        pu = frame.pu(**{"by": "query", "on_error": "skip", **(roles or {})})
        with warnings.catch_warnings(record=True, action="always", category=PUWarning) as told:
            found.append(pu.auroc(**question))
        texts.append(sorted(str(one.message) for one in told))
    once, each = found
    pd.testing.assert_frame_equal(once, each, rtol=1e-12, atol=1e-12)
    assert texts[0] == texts[1]
    return once, " ".join(texts[0])


@pytest.mark.parametrize(
    ("size", "distinct", "negative", "beta"),
    [
        *((60, 0, 0, 0.05), (12, 0, 0, [0, 0.1, 0.4])),
        *((40, 2, 0, 0.05), (40, 1, 0.3, [0, 0.1, 0.4])),
        (40, 0, 0, dict(enumerate(np.linspace(0, 0.6, FEW)))),
    ],
)
def test_one_pass_is_one_by_one(
    size: int, distinct: int, negative: float, beta: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = queries(size, distinct, negative, seed=size, groups=FEW)
    once, _ = check_both_ways(frame, monkeypatch, beta=beta, level=0.9)
    assert once["query"].nunique() > FEW / 2


@pytest.mark.parametrize("beta", [[0.0, 0.3], [0.55], [1.0]])
def test_one_pass_tells_of_odd_groups(beta: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    odd: dict[int, Labels] = {
        **{0: [True, True, False, None], 1: [None, None, None, False], 2: [True, True, None]},
        **{3: [True, None, None], 4: [True, True, False], 7: [True, True, True]},
        8: [*[True] * 20, *[None] * 60],  # all of the known ones above the others
    }
    for key, n, between in ((5, 10, 25), (6, 15, 60)):  # half of the known ones too far above
        odd[key] = [*[None] * (key == 6), *[True] * n, *[None] * between, *[True] * n]
    drawn = {seed: draw_case(seed) for seed in range(FEW)}
    drawn |= {key: Case([*range(len(one), 0, -1)], one, 0) for key, one in odd.items()}
    frame = pd.concat([as_frame(case).assign(query=seed) for seed, case in drawn.items()])
    _, told = check_both_ways(frame, monkeypatch, beta=beta, level=0.9)
    for text in ("groups are left out", "only one known positive", "beta exceeds the upper"):
        assert text in told


@pytest.mark.parametrize(
    "roles",
    [
        *({}, {"score": ["score", "other"]}, {"score": ["other"]}),
        *({"score": "holes", "nan_policy": policy} for policy in ("omit", "worst")),
        {"by": ["query", "fold"], "pool": "fold"},
    ],
    ids=str,
)
def test_one_pass_of_all_roles(roles: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    frame = queries(80, 0, 0.1, seed=4, groups=150)
    frame, rng = frame[frame["query"] < 5], np.random.default_rng(4)
    frame = frame.assign(
        other=rng.normal(size=len(frame)),
        holes=frame["score"].mask(rng.random(len(frame)) < 0.2),
        fold=rng.integers(2, size=len(frame)),
    )
    once, _ = check_both_ways(frame, monkeypatch, {"on_error": "raise", **roles}, beta=[0.02, 0.1])
    assert once["query"].nunique() == 5
