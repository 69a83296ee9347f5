"""Polars frames: the answers are those of pandas, of the columns that are named, uncopied."""

import datetime as dt
import gc
import subprocess
import sys
import weakref
from collections.abc import Callable
from decimal import Decimal
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pu_accessor import PUError, PUKeyError, PUTypeError, PUValueError, PUWarning
from tests.cases import put
from tests.datasets.questions import QUESTIONS, assert_same
from tests.sources.test_pieces import ASKED, FRAME, MODELS, Ask, check_same

pl: Any = pytest.importorskip("polars")

from pu_accessor.accessors.accessor import Accessor  # noqa: E402
from pu_accessor.polars import PolarsSource, as_pandas  # noqa: E402
from pu_accessor.sources.columns import read_scores  # noqa: E402

ROWS = np.random.default_rng(3).permutation(len(FRAME))
SHUFFLED = FRAME.iloc[ROWS]  # its index plays no role
DATA = {name: [None if x != x else x for x in SHUFFLED[name]] for name in SHUFFLED}
DF: Any = pl.DataFrame(DATA)


def pu(thing: Any) -> Any:
    """Return the accessor of a groupby, of which stubs do not know."""
    return thing.pu


# The same as in pandas


@pytest.mark.parametrize("name", ASKED)
def test_a_polars_frame_gives_what_pandas_gives(name: str) -> None:
    check_same(ASKED[name](DF.pu), ASKED[name](SHUFFLED.pu))


def test_all_cutoffs() -> None:
    xr.testing.assert_identical(DF.pu.contingency(0.3), SHUFFLED.pu.contingency(0.3))


# Columns of scores, labels and keys in each dtype: in polars, and as a user has them in pandas.
STRIPES = SHUFFLED["label"].map({1.0: True, 0.0: False}).tolist()
LABELS = [None if x != x else bool(x) for x in STRIPES]
WHOLE = np.floor(SHUFFLED["score"].clip(-4, 4) * 10).astype(int).tolist()
HOLES = [None if i % 11 == 3 else x for i, x in enumerate(WHOLE)]
TEXTS = [None if x is None else ("yes" if x else "no") for x in LABELS]
KEYS = SHUFFLED["fold"].tolist()

INTEGERS = ["Int8", "Int16", "Int32", "Int64"]
SCORES: dict[str, tuple[Any, Any]] = {
    **{kind: (pl.Series(WHOLE, dtype=getattr(pl, kind)), kind.lower()) for kind in INTEGERS},
    **{f"{kind} null": (pl.Series(HOLES, dtype=getattr(pl, kind)), kind) for kind in INTEGERS},
    "UInt64": (pl.Series([2**63 + (x + 50) * 2**12 for x in WHOLE], dtype=pl.UInt64), "uint64"),
    "Float32": (pl.Series(WHOLE, dtype=pl.Float32), "float32"),
    "Float32 null": (pl.Series(HOLES, dtype=pl.Float32), "float32"),
    "Float64": (pl.Series(WHOLE, dtype=pl.Float64), "float64"),
    "Float64 null": (pl.Series(HOLES, dtype=pl.Float64), "float64"),
    "Decimal": (pl.Series([Decimal(x) / 10 for x in WHOLE]), object),
    "Decimal null": (
        pl.Series([None if x is None else Decimal(x) / 10 for x in HOLES]),
        object,
    ),
    "Object": (pl.Series(WHOLE, dtype=pl.Object), object),
}
if hasattr(pl, "Int128"):
    SCORES["Int128"] = (pl.Series([2**100 * x for x in WHOLE], dtype=pl.Int128), object)


@pytest.mark.parametrize("kind", SCORES)
def test_scores_of_each_dtype(kind: str) -> None:
    column, dtype = SCORES[kind]
    one = DF.with_columns(column.alias("score"))
    other = SHUFFLED.assign(score=pd.array(column.to_list(), dtype=dtype))
    policy = {"nan_policy": "omit"} if "null" in kind else {}
    check_same(one.pu(**policy).roc_bounds(0.3), other.pu(**policy).roc_bounds(0.3))
    check_same(
        one.pu(**policy).contingency(0.3, ranks="all"),
        other.pu(**policy).contingency(0.3, ranks="all"),
    )
    if policy:
        with pytest.raises(PUValueError, match=r"holds NaN in 37 of 400 rows"):
            one.pu.auroc(0.3)
        policy = {"nan_policy": "worst"}
        check_same(one.pu(**policy).auroc(0.3), other.pu(**policy).auroc(0.3))


NUMBERS = [None if x is None else int(x) for x in LABELS]
CODED = {"positive": "yes", "negative": "no"}
LABELED: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "Boolean": (pl.Series(LABELS, dtype=pl.Boolean), pd.array(LABELS, dtype="boolean"), {}),
    "Boolean full": (
        pl.Series([x is True for x in LABELS]),
        np.array([x is True for x in LABELS]),
        {"unlabeled": False},
    ),
    "Int8": (pl.Series(NUMBERS, dtype=pl.Int8), pd.array(NUMBERS, dtype="Int8"), {}),
    "UInt32": (pl.Series(NUMBERS, dtype=pl.UInt32), pd.array(NUMBERS, dtype="UInt32"), {}),
    "Float32": (pl.Series(NUMBERS, dtype=pl.Float32), pd.array(NUMBERS, dtype="Float32"), {}),
    "Float64": (pl.Series(NUMBERS, dtype=pl.Float64), SHUFFLED["label"].array, {}),
    "Decimal": (
        pl.Series([None if x is None else Decimal(x) for x in NUMBERS]),
        pd.array([None if x is None else Decimal(x) for x in NUMBERS], dtype=object),
        {},
    ),
    "Object": (pl.Series(LABELS, dtype=pl.Object), pd.array(LABELS, dtype=object), {}),
    "String": (pl.Series(TEXTS), pd.array(TEXTS), CODED),
    "Categorical": (pl.Series(TEXTS, dtype=pl.Categorical), pd.Categorical(TEXTS), CODED),
    "Enum": (
        pl.Series(TEXTS, dtype=pl.Enum(["yes", "unseen", "no"])),
        pd.Categorical(TEXTS, ["yes", "unseen", "no"]),
        CODED,
    ),
}


@pytest.mark.parametrize("kind", LABELED)
def test_labels_of_each_dtype(kind: str) -> None:
    column, array, roles = LABELED[kind]
    one, other = DF.with_columns(column.alias("label")), SHUFFLED.assign(label=array)
    check_same(one.pu(**roles).roc_bounds(0.3), other.pu(**roles).roc_bounds(0.3))
    assert repr(one.pu(**roles)) == repr(other.pu(**roles))


DAYS = [dt.date(2026, 1, 2 - x) for x in KEYS]
TIMES = [dt.datetime(2026, 1, 2 - x, 12) for x in KEYS]
PLAIN = [chr(98 - x) for x in KEYS]
SPANS = [dt.timedelta(hours=1 - x) for x in KEYS]
GROUPED: dict[str, tuple[Any, Any]] = {
    "Int64": (pl.Series(KEYS), KEYS),
    "UInt8": (pl.Series(KEYS, dtype=pl.UInt8), np.array(KEYS, np.uint8)),
    "Boolean": (pl.Series([x > 0 for x in KEYS]), [x > 0 for x in KEYS]),
    "Float32": (pl.Series(KEYS, dtype=pl.Float32), np.array(KEYS, np.float32)),
    "String": (pl.Series(PLAIN), PLAIN),
    "Categorical": (pl.Series(PLAIN, dtype=pl.Categorical), pd.Categorical(PLAIN)),
    "Enum": (
        pl.Series(PLAIN, dtype=pl.Enum(["b", "unseen", "a"])),
        pd.Categorical(PLAIN, ["b", "unseen", "a"]),
    ),
    "Date": (pl.Series(DAYS), pd.to_datetime(DAYS).astype("datetime64[s]")),
    "Datetime": (pl.Series(TIMES), pd.to_datetime(TIMES).astype("datetime64[us]")),
    "zoned": (
        pl.Series(TIMES).dt.replace_time_zone("Europe/Paris"),
        pd.to_datetime(TIMES).tz_localize("Europe/Paris").astype("datetime64[us, Europe/Paris]"),
    ),
    "Duration": (pl.Series(SPANS), pd.to_timedelta(SPANS).astype("timedelta64[us]")),
    "Time": (
        pl.Series([time.time() for time in TIMES]),
        pd.array([time.time() for time in TIMES], dtype=object),
    ),
    "Decimal": (
        pl.Series([Decimal(x) for x in KEYS]),
        pd.array([Decimal(x) for x in KEYS], dtype=object),
    ),
    "Binary": (
        pl.Series([text.encode() for text in PLAIN]),
        pd.array([text.encode() for text in PLAIN], dtype=object),
    ),
}


@pytest.mark.parametrize("kind", GROUPED)
def test_keys_of_each_dtype(kind: str) -> None:
    column, array = GROUPED[kind]
    one, other = DF.with_columns(column.alias("key")), SHUFFLED.assign(key=array)
    expected = other.pu(by="key").auroc(0.3)
    check_same(one.pu(by="key").auroc(0.3), expected)
    check_same(one.group_by("key").pu.auroc(0.3), expected)
    check_same(one.pu(by=["key", "fold"]).auroc(0.3), other.pu(by=["key", "fold"]).auroc(0.3))


@pytest.mark.parametrize("kind", [kind for kind in GROUPED if kind != "Binary"])
def test_keys_of_each_dtype_with_nulls(kind: str) -> None:
    column, array = GROUPED[kind]
    gone = np.arange(len(KEYS)) % 7 == 2
    one = DF.with_columns(pl.when(pl.Series(~gone)).then(column).alias("key"))
    whole = kind if "Int" in kind else pd.Series(array).dtype
    keys = pd.Series(array, SHUFFLED.index).astype(cast("Any", whole)).mask(gone)
    other = SHUFFLED.assign(key=keys)
    expected = other.pu(by="key").auroc(0.3)
    check_same(one.pu(by="key").auroc(0.3), expected)  # as in pandas: rows without one left out
    found = one.group_by("key").pu.auroc(0.3)
    assert len(found) == len(expected) + 1 and pd.isna(found["key"].iloc[-1])
    assert found["estimate"].tolist()[:-1] == expected["estimate"].tolist()
    assert found["estimate"].iloc[-1] == other[gone].pu.auroc(0.3)["estimate"].item()


TABLED: list[Any] = [pl.Float64, pl.Float32, pl.Int64, pl.Decimal(10, 2)]


@pytest.mark.parametrize("question", QUESTIONS)
def test_tables_of_each_dtype_answer_every_question(question: str) -> None:
    models = ["score", "other"]
    whole = {name: np.floor(SHUFFLED[name].clip(-4, 4) * 10) for name in models}
    plain = SHUFFLED.assign(**whole)[["label", *models]].pu(score=models)
    expected = QUESTIONS[question](plain.contingency([0.3, 0.4]))
    for dtype in TABLED if question in ("roc", "to_frame") else TABLED[1:2]:
        columns = [pl.Series(name, whole[name].to_numpy()).cast(dtype) for name in models]
        tables = DF.with_columns(columns).pu(score=models).contingency([0.3, 0.4])
        assert_same(QUESTIONS[question](tables), expected)


# Nulls


def test_what_is_null_is_missing_in_each_dtype() -> None:
    for column, _ in [*SCORES.values(), *GROUPED.values()]:
        found = as_pandas(column)
        nulls = column.is_null().to_list()
        assert found.isna().tolist() == nulls
        present = column.drop_nulls().to_list()
        if column.dtype == pl.Date:  # that of pandas is a time
            present = [pd.Timestamp(day) for day in present]
        assert found.dropna().tolist() == present


def test_nan_and_null_are_both_missing() -> None:
    scores = DF["score"].to_list()
    mixed = pl.Series([None, float("nan"), *scores[2:]])
    one, plain = DF.with_columns(mixed.alias("score")), SHUFFLED.reset_index(drop=True)
    plain.loc[[0, 1], "score"] = np.nan
    with pytest.raises(PUValueError, match="holds NaN in 2 of 400 rows"):
        one.pu.auroc(0.3)
    check_same(one.pu(nan_policy="omit").auroc(0.3), plain.pu(nan_policy="omit").auroc(0.3))
    labels = pl.Series([float("nan") if x is None else x for x in DATA["label"]])
    check_same(DF.with_columns(labels.alias("label")).pu.auroc(0.3), SHUFFLED.pu.auroc(0.3))


def test_an_empty_frame_and_a_column_of_nulls() -> None:
    for rows in (DF.clear(), DF.clear().with_columns(score=pl.lit(None))):
        with pytest.raises(PUValueError, match="must hold at least one example, but are empty"):
            rows.pu.auroc(0.3)
    with pytest.raises(PUValueError, match="must mark at least one known positive"):
        DF.with_columns(label=pl.lit(None)).pu.auroc(0.3)


# Group-bys


def test_groups_stand_as_they_come_where_order_is_maintained() -> None:
    start = DATA["key"].index(None) - 1
    rows, plain = DF[start:], SHUFFLED.iloc[start:]
    keys = rows["key"].unique(maintain_order=True).to_list()
    assert keys[1] is None and sorted(keys[:1] + keys[2:]) != keys[:1] + keys[2:]
    for dtype in (pl.String, pl.Categorical, pl.Enum(["a", "b", "c"])):
        frame = rows.with_columns(pl.col("key").cast(dtype))
        found = frame.group_by("key", maintain_order=True).pu.auroc(0.3)
        assert [None if pd.isna(key) else key for key in found["key"]] == keys
        expected = pu(plain.groupby("key", sort=False, dropna=False)).auroc(0.3)
        pd.testing.assert_frame_equal(found.drop(columns="key"), expected.drop(columns="key"))
    for _ in range(3):  # polars' own order would change
        assert DF.group_by("key").pu.auroc(0.3)["key"].tolist()[:3] == ["a", "b", "c"]


@pytest.mark.parametrize("by", [["key"], ["key", "fold"], [["key", "fold"]]])
def test_group_bys(by: Any) -> None:
    names = [name for one in by for name in (one if isinstance(one, list) else [one])]
    plain = SHUFFLED.groupby(names if len(names) > 1 else names[0], dropna=False)
    asked: list[Ask] = [
        lambda pu: pu.contingency(0.3, ranks=[3, 20]),
        lambda pu: pu(score=MODELS).roc_bounds(0.3),
        lambda pu: pu(score=MODELS).compare(),
    ]
    for ask in asked:
        check_same(ask(DF.group_by(*by).pu), ask(pu(plain)))


Group = Callable[[Any], Any]
EXPRESSIONS: list[Group] = [
    lambda df: df.group_by(pl.col("key")),
    lambda df: df.group_by("fold", pl.col("score") > 0),
    lambda df: df.group_by(["fold", pl.col("key")]),
    lambda df: df.group_by(site="key"),
    lambda df: df.group_by(pl.Series(KEYS)),
]


@pytest.mark.parametrize("group", EXPRESSIONS)
def test_group_bys_of_expressions_are_refused(group: Any) -> None:
    with pytest.raises(PUTypeError, match=r"Make it a column first: df\.with_columns\(key="):
        group(DF).pu  # noqa: B018


def test_group_bys_that_leave_groups_out_are_refused() -> None:
    grouped = DF.group_by("key")
    if not hasattr(grouped, "having"):
        pytest.skip("this polars has no having")
    with pytest.raises(PUTypeError, match=r"Filter the rows first: df\.filter"):
        grouped.having(pl.len() > 3).pu  # noqa: B018


def test_by_is_not_passed_on_a_group_by() -> None:
    with pytest.raises(
        PUValueError, match=r"all keys at once: df\.group_by\(\['site', 'model'\]\)\.pu"
    ):
        DF.group_by("key").pu(by="fold").auroc(0.3)
    assert "groups           4: key" in repr(DF.group_by("key").pu)
    assert repr(DF.group_by("key").pu(score="other")).startswith("<df.group_by(...).pu(score=")


# Samples, and models in rows


@pytest.mark.parametrize("by", [None, "fold"])
def test_rows_to_label_are_polars_rows_and_those_of_pandas(by: Any) -> None:
    found = DF.pu(by=by).sample_to_label(5, random_state=1)
    assert isinstance(found, pl.DataFrame) and found.columns == DF.columns
    expected = SHUFFLED.pu(by=by).sample_to_label(5, random_state=1)
    assert found["score"].to_list() == expected["score"].tolist()
    assert found["label"].null_count() == len(found)
    if by:
        grouped = DF.group_by(by).pu.sample_to_label(5, random_state=1)
        assert grouped.equals(found)


@pytest.mark.parametrize("by", [None, "fold"])
def test_the_list_above_a_cutoff_has_polars_rows_and_those_of_pandas(by: Any) -> None:
    found = DF.pu(by=by).select(0.3, precision=0.3)
    assert isinstance(found, pl.DataFrame) and found.columns == DF.columns and len(found)
    expected = SHUFFLED.pu(by=by).select(0.3, precision=0.3)
    assert found["score"].to_list() == expected["score"].tolist()


def test_models_in_rows() -> None:
    wide = SHUFFLED.reset_index(names="id")[["id", "label", *MODELS]]
    long = wide.melt(["id", "label"], MODELS, "model", "points").sample(frac=1, random_state=0)
    rows = pl.DataFrame({name: [None if x != x else x for x in long[name]] for name in long})
    expected = long.pu(by="model", score="points").compare(0.3, on="id")
    check_same(rows.pu(by="model", score="points").compare(0.3, on="id"), expected)
    check_same(rows.group_by("model").pu(score="points").compare(0.3, on="id"), expected)
    both = rows.with_columns(half=pl.col("id") % 2)
    check_same(both.pu(by="model", score="points").compare(0.3, on=["id", "half"]), expected)
    with pytest.raises(PUKeyError, match="on must name a column, but there is no 'ids' among"):
        rows.pu(by="model", score="points").compare(on="ids")


# Errors and warnings


@pytest.mark.parametrize(
    "keywords",
    [
        *({"score": "none"}, {"label": "lable"}, {"propensity": "odd"}, {"by": "kex"}),
        *({"by": ["key", "kex"]}, {"by": "score"}, {"by": ["key", "key"]}, {"by": []}),
        *({"score": ["score", "none"]}, {"score": "holes"}, {"label": "fold"}),
        *({"score": []}, {"score": ["score", "score"]}, {"by": ("key", "fold")}, {"by": {"key"}}),
        *({"label": "score"}, {"nan_policy": "drop"}, {"label": ["label"]}, {"level": 95}),
        *({"score": 7}, {"score": None}, {"label": np.ones(3)}, {"label": "said"}),
    ],
    ids=str,
)
def test_errors_are_those_of_pandas(keywords: dict[str, Any]) -> None:
    plain = SHUFFLED.reset_index(drop=True)
    with pytest.raises((PUKeyError, PUValueError, PUTypeError)) as expected:
        put(plain.pu, "auroc", 0.3, **keywords)
    with pytest.raises(type(expected.value)) as told:
        put(DF.pu, "auroc", 0.3, **keywords)
    assert str(told.value) == str(expected.value)


def test_a_missing_column_names_those_of_the_frame() -> None:
    with pytest.raises(PUKeyError, match=r"no 'scor' among \['score', 'other', 'holes', 'label'"):
        DF.pu(score="scor").auroc(0.3)
    assert "there is no 'scor' among" in repr(DF.pu(score="scor"))
    with pytest.raises(PUKeyError, match="by must name a column, but there is no 'kex'"):
        DF.group_by("kex").pu.auroc(0.3)


@pytest.mark.parametrize("odd", [pl.col("score"), DF["score"]], ids=["expression", "series"])
def test_columns_are_named(odd: Any) -> None:
    with pytest.raises(PUTypeError, match=r"but a (Expr|Series) was passed: .*score='score'"):
        DF.pu(score=odd).auroc(0.3)


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum(["yes", "no"])], ids=str)
def test_labels_of_text_say_what_to_write(dtype: Any) -> None:
    frame = DF.with_columns(pl.Series("label", TEXTS, dtype=dtype))
    with pytest.raises(PUValueError, match=r"positive='yes', negative='no'\.") as told:
        frame.pu.auroc(0.3)
    roles = str(told.value).rpartition("for example ")[2].removesuffix(".")
    check_same(eval(f"df.pu({roles})", {"df": frame}).auroc(0.3), SHUFFLED.pu.auroc(0.3))


@pytest.mark.parametrize("dtype", [pl.List(pl.Int64), pl.Struct({"a": pl.Int64})], ids=str)
def test_columns_of_lists_and_structs(dtype: Any) -> None:
    value: Any = [1] if isinstance(dtype, pl.List) else {"a": 1}
    frame = DF.with_columns(pl.Series("odd", [value] * len(DF), dtype=dtype))
    for roles in ({"score": "odd"}, {"label": "odd"}, {"by": "odd"}):
        with pytest.raises(PUTypeError):
            frame.pu(**roles).auroc(0.3)
        assert isinstance(repr(frame.pu(**roles)), str)


def test_what_is_lazy_is_collected_first() -> None:
    lazy = DF.lazy()
    with pytest.raises(PUTypeError, match=r"a LazyFrame is a plan .*: lf\.collect\(\)\.pu"):
        lazy.pu  # noqa: B018
    with pytest.raises(PUTypeError, match=r"LazyGroupBy .*: lf\.collect\(\)\.group_by\('key'\)"):
        lazy.group_by("key").pu  # noqa: B018


def test_skipped_groups_are_told_alike() -> None:
    spoilt = SHUFFLED.assign(label=SHUFFLED["label"].where(SHUFFLED["key"] != "b"))
    frame = DF.with_columns(label=pl.when(pl.col("key").ne_missing("b")).then(pl.col("label")))
    with pytest.warns(PUWarning, match="1 of 3 groups") as expected:
        one = spoilt.pu(by="key", on_error="skip").roc_bounds(0.3)
    with pytest.warns(PUWarning, match="1 of 3 groups") as told:
        other = frame.pu(by="key", on_error="skip").roc_bounds(0.3)
    assert str(told[0].message) == str(expected[0].message)
    assert told[0].filename == __file__
    check_same(other, one)


# What is read, and what is copied


def test_models_are_paired_with_propensities() -> None:
    roles: dict[str, Any] = {"score": MODELS, "propensity": "propensity", "nan_policy": "omit"}
    for by in ({}, {"by": "key"}):
        asked = [frame.pu(**roles, **by).compare(0.3) for frame in (DF, SHUFFLED)]
        check_same(*asked)


class Watched:
    """A frame that notes which of its columns are read."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self.columns = frame.columns
        self.read: list[str] = []

    def get_column(self, name: str) -> Any:
        self.read.append(name)
        return self.frame.get_column(name)


ROLES: list[tuple[dict[str, Any], set[str]]] = [
    ({}, {"score", "label"}),
    ({"score": ["other", "holes"], "nan_policy": "omit"}, {"other", "holes", "label"}),
    ({"by": "key", "propensity": "propensity"}, {"score", "label", "key", "propensity"}),
]


@pytest.mark.parametrize(("roles", "names"), ROLES)
def test_columns_that_are_not_named_are_not_read(roles: dict[str, Any], names: set[str]) -> None:
    watched: Any = Watched(DF)
    accessor = Accessor(PolarsSource(watched))
    accessor(**roles).roc_bounds(0.3)
    assert sorted(watched.read) == sorted(names)


@pytest.mark.parametrize("dtype", [pl.Float64, pl.Float32, pl.Int64, pl.UInt8], ids=str)
def test_numbers_without_nulls_are_not_copied(dtype: Any) -> None:
    column = pl.Series("score", np.arange(1000) % 100).cast(dtype)
    found = as_pandas(column)
    assert np.shares_memory(found.to_numpy(), column.to_numpy(allow_copy=False))
    if dtype == pl.Float64:
        assert np.shares_memory(read_scores(found), column.to_numpy(allow_copy=False))
        framed = pd.DataFrame({"score": found}, copy=False)["score"]
        assert np.shares_memory(read_scores(framed), column.to_numpy(allow_copy=False))


def test_the_frame_is_not_changed_and_not_kept() -> None:
    frame = DF.clone()
    asked = [ask(frame.pu) for name, ask in ASKED.items() if not name.startswith("plot")]
    assert asked and frame.equals(DF)
    gone = weakref.ref(frame)
    gc.disable()
    try:
        del frame
        assert gone() is None
    finally:
        gc.enable()


def test_columns_in_several_chunks() -> None:
    parts = pl.concat([DF[:100], DF[100:317], DF[317:]], rechunk=False)
    assert parts["score"].n_chunks() == 3
    check_same(parts.pu(by="key").roc_bounds(0.3), SHUFFLED.pu(by="key").roc_bounds(0.3))


# Imports

IMPORTS = """
import sys
sys.modules["pyarrow"] = None
import pu_accessor
print("polars" in sys.modules)
sys.modules["polars"] = None
try:
    import pu_accessor.polars
except pu_accessor.PUImportError as error:
    print(isinstance(error, ImportError), error)
del sys.modules["polars"]
import polars as pl
print(hasattr(pl.DataFrame, "pu"))
try:
    pu_accessor.pu(pl.DataFrame())
except pu_accessor.PUTypeError as error:
    print(error)
import importlib
import pu_accessor.polars
importlib.reload(pu_accessor.polars)
print(pl.__name__, pu_accessor.polars.__name__)
df = pl.DataFrame({
    "score": range(9, 0, -1), "label": [None, True, True, None, None, True, *[None] * 3],
    "key": ["a", "b"] * 4 + [None],
})
df = df.with_columns(kind=pl.col("key").cast(pl.Enum(["b", "a"])))
same = df.to_dict(as_series=False)
import pandas as pd
pandas = pd.DataFrame({**same, "label": pd.array(same["label"], "boolean")})
print(df.pu.roc_bounds(0.5).identical(pandas.pu.roc_bounds(0.5)))
print(df.pu(by="key").roc_bounds(0.5).identical(pandas.pu(by="key").roc_bounds(0.5)))
print(df.pu(by="kind").roc_bounds(0.5)["kind"].values.tolist())
print(df.pu.sample_to_label(1, random_state=0).shape)
"""


def test_imports_without_polars_without_pyarrow_and_twice() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", IMPORTS], capture_output=True, text=True, check=False
    )
    assert not run.stderr
    loaded, refused, registered, missing, names, *same = run.stdout.splitlines()
    assert (loaded, registered, names) == ("False", "False", "polars pu_accessor.polars")
    assert same == ["True", "True", "['b', 'a']", "(1, 4)"]
    assert "Import pu_accessor.polars first" in missing
    assert refused.startswith("True pu_accessor.polars needs polars")
    assert "pip install 'pu_accessor[polars]'" in refused


def test_errors_are_ours() -> None:
    with pytest.raises(PUError):
        cast("Any", DF).pu(label="propensity").auroc(0.3)
