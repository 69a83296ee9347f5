"""Groups: each is ranked as its rows alone, whatever its key."""

import sys
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import pu_accessor
from pu_accessor import PUError, PUImportError, PUWarning
from tests.cases import Case, as_frame, binormal, check_place, draw_case, pu
from tests.worlds import attempt, fuzzed

BETAS = [0.4, 0, 1]
SEEDS = {"c": 39, "a": 11, "b": 21, "d": 3}  # of 39, 8, 14 and 33 examples, d mostly tied
# The groups' rows are mixed, and labels of the index repeat.
FRAME = pd.concat([as_frame(draw_case(seed)).assign(model=key) for key, seed in SEEDS.items()])
FRAME = FRAME.sample(frac=1, random_state=0)
ALONE = {key: FRAME[FRAME["model"] == key] for key in sorted(SEEDS)}
SPOILT = FRAME.assign(label=FRAME["label"] & (FRAME["model"] != "b"))  # b: no known positive


def rekeyed(keys: Any) -> pd.DataFrame:
    """Return the frame with other keys for a, b, c, d."""
    places = FRAME["model"].map({"a": 0, "b": 1, "c": 2, "d": 3})
    return FRAME.assign(key=pd.Series(keys).iloc[places].array)


def check_each(
    result: xr.Dataset, alone: Any, method: str = "contingency", beta: Any = BETAS, **how: Any
) -> None:
    """Compare each group with its rows alone, at its last cutoff at or before each rank."""
    dim = next(iter(result.data_vars.values())).dims[0]
    assert list(result.indexes[dim]) == list(alone)
    for position, (key, rows) in enumerate(alone.items()):
        own = getattr(rows.pu, method)(beta[key] if isinstance(beta, dict) else beta, **how)
        check_place(result.isel({dim: position}), own)


@pytest.mark.parametrize("method", ["contingency", "roc_bounds", "pr_bounds"])
def test_several_keys(method: str) -> None:
    frame = FRAME.assign(fold=FRAME.groupby(["model", "label"], dropna=False).cumcount() % 2)
    halves = dict(list(frame.groupby(["model", "fold"])))
    betas = {key: 0.1 * place for place, key in enumerate(halves, start=1)}
    ask = getattr(frame.pu(by=["model", "fold"]), method)
    by = ask(betas)
    check_each(by, halves, method, betas)
    assert by.indexes["group"].names == ["model", "fold"]
    xr.testing.assert_identical(ask(pd.Series(betas)), by)


# Keys

KEYS: list[Any] = [
    *([3, 1, 2, 0], [True, False, True, False], [0.5, -1.0, 2.5, np.inf], ["one"] * 4),
    *(pd.to_datetime(["2024", "2021", "2022", "2023"]), [date(2024, 1, 9 - x) for x in range(4)]),
    *([("x", 1), ("x", 2), ("y", 1), ("z", 3)], [("x",), ("y", 1), ("z", 1, 2), ()]),
    *(pd.array([4, 2, 1, 3], dtype="Int64"), pd.array(["r", "é", "", "s"], dtype="string")),
    *(pd.period_range("2024", periods=4), pd.Categorical([*"xzyx"], [*"zuxy"])),
    *(pd.array(["x", None, "y", None], dtype=kind) for kind in (object, "category", "string")),
]


@pytest.mark.parametrize("keys", KEYS)
def test_keys_of_any_kind(keys: Any) -> None:
    frame = rekeyed(keys)
    tables = frame.pu(by="key").contingency(BETAS, ranks="all")
    chunks = pu_accessor.from_chunks([frame[:30], frame[30:50], frame[50:]])
    found = chunks(by="key").contingency(BETAS, ranks=tables["rank"].values)
    np.testing.assert_array_equal(found["tp"], tables["tp"])
    assert found["key"].identical(tables["key"])
    check_each(tables, dict(list(frame.groupby("key", observed=True))))
    assert tables["tp"].dims == ("key", "rank", "bound", "beta")
    assert tables["key"].values.tolist() == tables.pu.area("auroc")["key"].values.tolist()
    kept = pu(frame.groupby("key", dropna=False, observed=True)).contingency(BETAS, ranks="all")
    missing = frame["key"].isna()
    if missing.any():  # which have a group of their own
        assert pd.isna(kept["key"].values[-1])
        check_each(kept.isel(key=[-1]).assign_coords(key=["?"]), {"?": frame[missing]})


def test_groupbys_of_any_kind() -> None:
    plain = FRAME.pu(by="model").contingency(BETAS, ranks="all")
    by_model, models = FRAME.set_index("model"), FRAME["model"].to_numpy()
    distinct = FRAME.reset_index(drop=True)
    for name, grouped in (
        ("model", FRAME.groupby("model")[["score", "label"]]),
        ("model", FRAME.groupby(["model"])),
        ("model", by_model.groupby(level="model")),
        ("model", by_model.groupby(str)),
        ("model", distinct.drop(columns="model").groupby(distinct["model"])),
        ("model", FRAME.sort_values("model").groupby("model")),  # rows of a group stand together
        ("group", FRAME.groupby(models)),
        ("group", distinct.groupby(distinct["model"].rename(None))),
        ("pu", FRAME.rename(columns={"model": "pu"}).groupby("pu")),
    ):
        found = pu(grouped).contingency(BETAS, ranks="all")
        xr.testing.assert_identical(found, plain.rename(model=name))
    indexed = FRAME.set_index("model", drop=False).pu(by="model")  # ambiguous to pandas
    xr.testing.assert_identical(indexed.contingency(BETAS, ranks="all"), plain)
    pairs = pu(FRAME.groupby([models, models != "c"])).contingency(BETAS, ranks="all")
    assert pairs.indexes["group"].names == ["level_0", "level_1"]
    wide = pu(FRAME.assign(other=0.0).groupby(models))(score=["score", "other"])
    assert wide.contingency(BETAS, ranks="all").indexes["groups"].names == ["group", "model"]
    frame = rekeyed(pd.to_datetime(["2024-01-01", "2024-01-04", "2024-01-05", "2024-01-04"]))
    daily = pu(frame.groupby(pd.Grouper(key="key", freq="D")))
    check_each(daily.contingency(BETAS, ranks="all"), dict(list(frame.groupby("key"))))


FLAGS = dict.fromkeys(["sort", "dropna", "observed", "as_index"], st.booleans())
KINDS = st.sampled_from(["category", "ordered", "object", "int"])


@fuzzed(1)
@given(
    st.integers(0, 2**32), st.lists(KINDS, min_size=1, max_size=2), st.fixed_dictionaries(FLAGS)
)
def test_groups_are_those_of_the_groupby_in_its_order(
    seed: int, kinds: list[str], how: Any
) -> None:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"score": rng.permutation(40), "label": 1})
    names = [f"key {place}" for place, _ in enumerate(kinds)]
    for name, kind in zip(names, kinds, strict=True):
        keys: Any = rng.choice([*"cab", None], 40)
        if kind in ("category", "ordered"):  # some of which do not occur
            keys = pd.Categorical(keys, rng.permutation([*"abcde"]), ordered=kind == "ordered")
        frame[name] = rng.integers(0, 3, 40) if kind == "int" else keys
    best = frame.groupby(names, **how | {"as_index": True})["score"].agg(["size", "max"])
    best, found = best[best["size"] > 0], pu(frame.groupby(names, **how)).contingency(0, ranks=[1])
    assert found["threshold"].values[:, 0].tolist() == best["max"].tolist()
    assert found["n_known_positive"].values.tolist() == best["size"].tolist()
    index = found.indexes[found["n_known_positive"].dims[0]]
    assert [*map(str, index)] == [*map(str, best.index)]


@pytest.mark.parametrize("groups", [2**15, 2**15 + 1])
def test_groups_that_barely_fit_narrow_numbers(groups: int) -> None:
    key = np.random.default_rng(0).permutation(groups)
    frame = pd.DataFrame({"score": key, "label": 1, "key": key})
    assert f"groups           {groups:,}: key" in repr(frame.pu(by="key", negative=0))
    assert repr(frame.groupby(pd.Grouper(key="key")).pu).startswith("<df.groupby(...).pu>")


def test_names_that_look_like_several() -> None:
    frame = FRAME.assign(ab=FRAME["model"].eq("d"), a=1, b=2)
    assert frame.pu(by="ab").auroc(0.3)["ab"].tolist() == [False, True]
    levels = [["y", "k", "s", "s"], ["", "", "svm", "forest"]]
    wide = FRAME[["label", "model", "score"]].assign(forest=-FRAME["score"].round())
    deep = wide.set_axis(pd.MultiIndex.from_arrays(levels), axis=1)
    models = [("s", "svm"), ("s", "forest")]
    both, one = (deep.pu(label=("y", ""), score=score) for score in (models, models[1]))
    parts = dict(zip(models, (wide, wide.assign(score=wide["forest"])), strict=True))
    check_each(both.contingency(BETAS, ranks="all"), parts)
    plain = wide.pu(score="forest", by="model").contingency(BETAS, ranks="all")
    found = one(by=("k", "")).contingency(BETAS, ranks="all")
    np.testing.assert_array_equal(found["tp"].values, plain["tp"].values)


ASKED = ["gap('auroc', {'u': 0.2, 'v': 0.1})", "dominance(0.2)", "auroc(0.2)"]
ASKED += ["metric('f1', 0.2, at=20)", "__call__(score=['score', 't']).compare('auroc', 0.2)"]


@pytest.mark.parametrize("key", ["n", "beta", "difference", "lower", "p_value", "rank", "model_a"])
def test_no_key_is_lost_to_a_column_of_the_result(key: str) -> None:
    frame = binormal(60, 140, 0.5, seed=8)[0]
    frame = frame.assign(**{key: np.where(np.arange(200) % 2, "u", "v")}, t=-frame["score"])
    for call in ASKED:
        found, _ = attempt(partial(eval, f"pu.{call}", {"pu": frame.pu(by=key)}))
        if isinstance(found, PUError):
            assert "must not be called" in str(found)
        else:
            assert {"u", "v"} <= {*found[[c for c in found if c.startswith(key)]].to_numpy().flat}


# Groups without an answer


def test_skipped_groups_are_told_once() -> None:
    worse = SPOILT.assign(label=SPOILT["label"].where(SPOILT["model"] != "d", True))
    words = r"left out \(on_error='skip'\): group model='b': label .*others: group model='d'\. "
    for asked in (worse.pu(by="model"), pu(worse.groupby("model"))):
        with pytest.warns(PUWarning, match=f"^2 of 4 groups are {words}") as caught:
            result = asked(on_error="skip").roc_bounds(0.3)
        assert [told.filename for told in caught] == [__file__]
        lines = [line[:26] for line in result.attrs["skipped"].split("\n")]
        assert lines == ["group model='b': label mus", "group model='d': beta must"]
        check_each(result, {key: ALONE[key] for key in "ac"}, "roc_bounds", 0.3)


CALLS = ["auroc([0.1, 0.2])", "auroc({'a': 0.1, 'b': 0.2, 'c': 0.3, 'd': 0.4})"]
CALLS += ["average_precision(0.1, target='examples')", "cutoff(0.1, recall=0.1)"]
CALLS += ["metric(['recall', 'f1'], 0.1, at={'rank': [5, 8]})", "estimate_beta()"]
CALLS += ["check_assumptions(0.1)", "robustness('auroc', 0.1, over={'selection_odds': [1, 2]})"]


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize("call", CALLS)
def test_groups_without_an_answer_have_rows_of_nan_that_say_why(call: str) -> None:
    """The other rows are those of a frame that leaves them out, and keep their dtypes."""
    found, left = (
        eval(f"pu.{call}", {"pu": SPOILT.pu(by="model", on_error=how)}) for how in ("nan", "skip")
    )
    assert found["model"].drop_duplicates().tolist() == [*"abcd"]
    empty = found["model"] == "b"
    assert empty.sum() == 1 and found["reason"].notna().tolist() == empty.tolist()
    assert found.loc[empty, "reason"].str.startswith("label must mark at least one").all()
    rest = found[~empty].drop(columns="reason").reset_index(drop=True)
    assert {dtype.kind for dtype in rest.dtypes} == {dtype.kind for dtype in left.dtypes}
    pd.testing.assert_frame_equal(rest, left, check_dtype=False)
    asked = ["model", "reason", "metric", "target"]
    assert found.loc[empty].drop(columns=asked, errors="ignore").isna().all(axis=None)
    assert "skipped" not in found.attrs


def test_many_skipped_groups_are_one_line_and_a_table(tmp_path: Path) -> None:
    many = pd.concat([ALONE["c"].assign(site=f"{'s' * 55}{number}") for number in range(82)])
    many["label"] = many["label"].mask(many["site"].str[-1].isin([*"13579"]))
    asked, told = many.pu(by="site", on_error="skip"), "^41 of 82 groups .*' and [34]. more. attr"
    with pytest.warns(PUWarning, match=told) as caught:
        tables, numbers = asked.contingency(0.125, ranks=[3, 8]), asked.auroc(0.2)
    assert max(len(str(one.message)) for one in caught) <= 400
    lines = tables.attrs["skipped"].split("\n")
    assert len(lines) == 41 and all("label must mark at least one" in line for line in lines)
    assert [f"{group}: {why}" for group, why in numbers.attrs["skipped"].items()] == lines
    for engine in ("scipy", "h5netcdf"):
        tables.to_netcdf(tmp_path / f"{engine}.nc", engine=engine)
        with xr.open_dataset(tmp_path / f"{engine}.nc", engine=engine) as found:
            assert found.attrs["skipped"] == tables.attrs["skipped"]


def test_progress(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    plain = FRAME.pu(by="model").auroc(0.3)
    assert capsys.readouterr() == ("", "")
    asked = FRAME.pu(by="model", progress=True)
    assert asked.auroc(0.3).equals(plain) and "4/4" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    for method in ("contingency", "auroc"):
        with pytest.raises(PUImportError, match="progress=True needs the package tqdm"):
            getattr(asked, method)(0.3)


@pytest.mark.parametrize("beta", [[0.0, 0.3], [0.55], [1.0]])
def test_one_pass_tells_of_odd_groups(beta: Any) -> None:
    odd: list[Any] = [
        *([True, True, False, None], [None, None, None, False], [True, True, None]),
        *([True, None, None], [True, None], [True, True, False], [True, True, True]),
        [*[True] * 20, *[None] * 60],  # all of the known ones above the others
        # half of the known ones too far above
        [*[True] * 10, *[None] * 25, *[True] * 10],
        [None, *[True] * 15, *[None] * 60, *[True] * 15],
    ]
    drawn = [Case([*range(len(one), 0, -1)], one, 0) for one in odd] + [*map(draw_case, range(30))]
    frame = pd.concat([as_frame(case).assign(query=place) for place, case in enumerate(drawn)])
    frame["score"], found = frame["score"].where(frame["score"] != 1), []
    for small in (5000, 0):  # in one pass, and one by one
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("pu_accessor.sources.groups._MAX_MEAN_STACKED", small)
            ask = partial(frame.pu(by="query", on_error="skip", nan_policy="worst").auroc, beta)
            found += [attempt(lambda: pd.concat([ask(level=0.9), ask(target="examples")]))]  # noqa: B023
    (once, told), (each, warned) = found
    pd.testing.assert_frame_equal(once, each, rtol=1e-12, atol=1e-12)
    assert told == warned
    for text in ("groups are left out", "only one known positive", "beta exceeds the upper"):
        assert text in " ".join(told)
