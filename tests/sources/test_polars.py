"""Polars frames: the answers are those of pandas, of the columns that are named, uncopied."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from pu_accessor import PUKeyError, PUTypeError, PUValueError
from tests.cases import pu
from tests.sources import test_pieces as chunks
from tests.sources.test_pieces import FRAME, MODELS, check_same

pl: Any = pytest.importorskip("polars")

from pu_accessor.polars import PolarsSource, as_pandas  # noqa: E402
from pu_accessor.questions.accessor import Accessor  # noqa: E402
from pu_accessor.sources.column_values import read_scores  # noqa: E402

SHUFFLED = FRAME.iloc[np.random.default_rng(3).permutation(len(FRAME))]  # its index plays no role
DATA = {name: [None if x != x else x for x in SHUFFLED[name]] for name in SHUFFLED}
DF: Any = pl.DataFrame(DATA)


# Columns of scores, labels and keys in each dtype: in polars, and as a user has them in pandas.
STRIPES = SHUFFLED["label"].map({1.0: True, 0.0: False}).tolist()
LABELS = [None if x != x else bool(x) for x in STRIPES]
WHOLE = np.floor(SHUFFLED["score"].clip(-4, 4) * 10).astype(int).tolist()
HOLES = [None if i % 11 == 3 else x for i, x in enumerate(WHOLE)]
TEXTS = [None if x is None else ("yes" if x else "no") for x in LABELS]
KEYS = SHUFFLED["fold"].tolist()

INTEGERS = ["Int8", "Int64"]


def objects(values: Any) -> Any:
    """Return an array of these objects, as pandas holds what has no dtype."""
    return pd.array(list(values), dtype=object)


SCORES: dict[str, tuple[Any, Any]] = {
    **{kind: (pl.Series(WHOLE, dtype=getattr(pl, kind)), kind.lower()) for kind in INTEGERS},
    **{f"{kind} null": (pl.Series(HOLES, dtype=getattr(pl, kind)), kind) for kind in INTEGERS},
    "UInt64": (pl.Series([2**63 + (x + 50) * 2**12 for x in WHOLE], dtype=pl.UInt64), "uint64"),
    "Float32": (pl.Series(WHOLE, dtype=pl.Float32), "float32"),
    "Float64 null": (pl.Series(HOLES, dtype=pl.Float64), "float64"),
    "Decimal null": (pl.Series([None if x is None else Decimal(x) / 10 for x in HOLES]), object),
    "Object": (pl.Series(WHOLE, dtype=pl.Object), object),
}
if hasattr(pl, "Int128"):
    SCORES["Int128"] = (pl.Series([2**100 * x for x in WHOLE], dtype=pl.Int128), object)


@pytest.mark.parametrize("kind", SCORES)
def test_scores_of_each_dtype(kind: str) -> None:
    column, dtype = SCORES[kind]
    one = DF.with_columns(column.alias("score"))
    other = SHUFFLED.assign(score=pd.array(column.to_list(), dtype=dtype))
    for policy in ("omit", "worst") if "null" in kind else ("raise",):
        asked = [pu(nan_policy=policy).contingency(0.3, ranks="all") for pu in (one.pu, other.pu)]
        check_same(*asked)
    if "null" in kind:
        with pytest.raises(PUValueError, match=r"contains NaN in 37 of 400 rows"):
            one.pu.auroc(0.3)


NUMBERS = [None if x is None else int(x) for x in LABELS]
DECIMALS = [None if x is None else Decimal(x) for x in NUMBERS]
CODED = {"positive": "yes", "negative": "no"}
KNOWN = [x is True for x in LABELS]
SPOKEN = ["yes", "unseen", "no"]
LABELED: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "Boolean": (pl.Series(LABELS, dtype=pl.Boolean), pd.array(LABELS, dtype="boolean"), {}),
    "full": (pl.Series(KNOWN), np.array(KNOWN), {"unlabeled": False}),
    "UInt32": (pl.Series(NUMBERS, dtype=pl.UInt32), pd.array(NUMBERS, dtype="UInt32"), {}),
    "Decimal": (pl.Series(DECIMALS), objects(DECIMALS), {}),
    "String": (pl.Series(TEXTS), pd.array(TEXTS), CODED),
    "Categorical": (pl.Series(TEXTS, dtype=pl.Categorical), pd.Categorical(TEXTS), CODED),
    "Enum": (pl.Series(TEXTS, dtype=pl.Enum(SPOKEN)), pd.Categorical(TEXTS, SPOKEN), CODED),
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
HOURS = [time.time() for time in TIMES]
BYTES = [text.encode() for text in PLAIN]
ORDER = ["b", "unseen", "a"]
ZONED = pd.to_datetime(TIMES).tz_localize("Europe/Paris").as_unit("us")
GROUPED: dict[str, tuple[Any, Any]] = {
    "UInt8": (pl.Series(KEYS, dtype=pl.UInt8), np.array(KEYS, np.uint8)),
    "String": (pl.Series(PLAIN), PLAIN),
    "Categorical": (pl.Series(PLAIN, dtype=pl.Categorical), pd.Categorical(PLAIN)),
    "Enum": (pl.Series(PLAIN, dtype=pl.Enum(ORDER)), pd.Categorical(PLAIN, ORDER)),
    "Date": (pl.Series(DAYS), pd.to_datetime(DAYS).astype("datetime64[ms]")),
    "zoned": (pl.Series(TIMES).dt.replace_time_zone("Europe/Paris"), ZONED),
    "Duration": (pl.Series(SPANS), pd.to_timedelta(SPANS).astype("timedelta64[us]")),
    "Time": (pl.Series(HOURS), objects(HOURS)),
    "Decimal": (pl.Series(map(Decimal, KEYS)), objects(map(Decimal, KEYS))),
    "Binary": (pl.Series(BYTES), objects(BYTES)),
}


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("kind", GROUPED)
def test_keys_of_each_dtype(kind: str, gaps: bool) -> None:
    column, array = GROUPED[kind]
    gone = (np.arange(len(KEYS)) % 7 == 2) & gaps
    one = DF.with_columns(pl.when(pl.Series(~gone)).then(column).alias("key"))
    keys = pd.Series(array, SHUFFLED.index)
    whole: Any = kind if "Int" in kind and gaps else keys.dtype
    other = SHUFFLED.assign(key=keys.astype(whole).mask(gone) if gaps else keys)
    expected = other.pu(by="key").auroc(0.3)
    check_same(one.pu(by="key").auroc(0.3), expected)  # as in pandas: rows without one left out
    found = one.group_by("key").pu.auroc(0.3)
    if not gaps:
        check_same(found, expected)
        check_same(one.pu(by=["key", "fold"]).auroc(0.3), other.pu(by=["key", "fold"]).auroc(0.3))
        return
    assert len(found) == len(expected) + 1 and pd.isna(found["key"].iloc[-1])
    estimates = [*expected["estimate"], *other[gone].pu.auroc(0.3)["estimate"]]
    assert found["estimate"].tolist() == estimates


# Nulls


def test_nan_and_null_are_both_missing() -> None:
    scores = DF["score"].to_list()
    mixed = pl.Series([None, float("nan"), *scores[2:]])
    one, plain = DF.with_columns(mixed.alias("score")), SHUFFLED.reset_index(drop=True)
    plain.loc[[0, 1], "score"] = np.nan
    with pytest.raises(PUValueError, match="contains NaN in 2 of 400 rows"):
        one.pu.auroc(0.3)
    check_same(one.pu(nan_policy="omit").auroc(0.3), plain.pu(nan_policy="omit").auroc(0.3))
    near = pl.DataFrame({"score": [2**53, 2**53 + 1, None], "label": [True, None, None]})
    with pytest.raises(PUValueError, match="float64 cannot tell apart"):  # nulls make no floats
        near.pu(nan_policy="omit").auroc(0.3)
    labels = pl.Series([float("nan") if x is None else x for x in DATA["label"]])
    check_same(DF.with_columns(labels.alias("label")).pu.auroc(0.3), SHUFFLED.pu.auroc(0.3))


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
    names = by[0] if len(by) == 1 else by
    groups = pu(SHUFFLED.groupby(names, dropna=False)), DF.group_by(*by).pu
    check_same(*(one.contingency(0.3, ranks=[3, 20]) for one in groups))
    check_same(*(one(score=MODELS).roc_bounds(0.3) for one in groups))
    check_same(*(one(score=MODELS).compare() for one in groups))


GROUPINGS: dict[str, tuple[Callable[[], Any], Any]] = {
    "a column": (lambda: DF.group_by(pl.col("key")), {"key": SHUFFLED["key"]}),
    "in a list": (lambda: DF.group_by(["fold", pl.col("key")]), SHUFFLED[["fold", "key"]]),
    "an expression": (lambda: DF.group_by(pl.col("other") > 0), {"other": SHUFFLED["other"] > 0}),
    "named": (lambda: DF.group_by(site="key"), {"site": SHUFFLED["key"]}),
    "one group": (lambda: DF.group_by(pl.lit(1)), {"literal": 1}),
    "a series": (lambda: DF.group_by(pl.Series("new", KEYS)), {"new": KEYS}),
}


@pytest.mark.parametrize("kind", GROUPINGS)
def test_groups_of_expressions(kind: str) -> None:
    group, keys = GROUPINGS[kind]
    expected = SHUFFLED.assign(**keys).groupby([*keys], dropna=False)
    check_same(group().pu.auroc(0.3), pu(expected).auroc(0.3))


def test_groupings_that_are_refused() -> None:
    with pytest.raises(PUValueError, match="by must name other columns than score and label"):
        DF.group_by(pl.col("score") > 0).pu.auroc(0.3)
    with pytest.raises(PUTypeError, match=r"lf\.pu\(by='key'\)"):
        DF.lazy().group_by("key").pu  # noqa: B018
    some = DF.group_by("key")
    if hasattr(some, "having"):
        with pytest.raises(PUTypeError, match=r"Filter the rows first: df\.fil"):
            some.having(pl.len() > 3).pu  # noqa: B018


def test_a_repr_of_a_group_by_counts_groups() -> None:
    grouped = DF.group_by("key")
    assert "groups           4: key" in repr(grouped.pu)
    assert repr(grouped.pu(score="other")).startswith("<df.group_by(...).pu(score=")


# Samples, and models in rows


# Errors and warnings


@pytest.mark.parametrize("roles", [*chunks.WRONG, {"label": np.ones(3)}], ids=str)
def test_errors_are_those_of_pandas(roles: dict[str, Any]) -> None:
    plain = SHUFFLED.reset_index(drop=True)
    chunks.check_errors(lambda pu: pu(**roles).auroc(0.3), plain, DF)


@pytest.mark.parametrize("dtype", [pl.List(pl.Int64), pl.Struct({"a": pl.Int64})], ids=str)
def test_columns_of_lists_and_structs(dtype: Any) -> None:
    value: Any = [1] if isinstance(dtype, pl.List) else {"a": 1}
    frame = DF.with_columns(pl.Series("odd", [value] * len(DF), dtype=dtype))
    for roles in ({"score": "odd"}, {"label": "odd"}, {"by": "odd"}):
        with pytest.raises(PUTypeError):
            frame.pu(**roles).auroc(0.3)
        assert isinstance(repr(frame.pu(**roles)), str)


# What is read, and what is copied


def test_columns_that_are_not_named_are_not_read() -> None:
    for roles in (
        {"score": ["other", "holes"], "label": "label", "nan_policy": "omit"},
        {"score": "score", "label": "label", "by": "key", "propensity": "propensity"},
    ):
        watched = Mock(wraps=DF)
        Accessor(PolarsSource(watched))(**roles).roc_bounds(0.3)
        names = np.hstack([name for role, name in roles.items() if role != "nan_policy"])
        (call,) = watched.select.mock_calls
        assert sorted(call.args[0]) == sorted(names)


QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "curve of groups": lambda pu: pu(by="key", propensity="propensity").roc_bounds(0.3),
    "models": lambda pu: pu(score=MODELS).compare(),
    "strata": lambda pu: pu.check_assumptions(0.3, strata="key"),
    "gap": lambda pu: pu(by="fold").gap("auroc", 0.3),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_plan_is_carried_out_once_with_the_columns_that_are_named(name: str) -> None:
    watched = Mock(wraps=DF.lazy())
    found = QUESTIONS[name](Accessor(PolarsSource(watched)))
    check_same(found, QUESTIONS[name](DF.pu))
    check_same(found, QUESTIONS[name](DF.lazy().pu))
    (call,) = watched.select.mock_calls
    assert len(call.args[0]) < DF.width and not watched.collect.mock_calls


def test_what_a_plan_does_not_answer() -> None:
    assert repr(DF.lazy().pu) == f"<lf.pu>\ncolumns  {', '.join(DF.columns)}"
    with pytest.raises(PUValueError, match=r"Collect it first: lf\.collect\(\)\.pu\.sample_to"):
        DF.lazy().pu.sample_to_label(5, random_state=0)
    with pytest.raises(PUKeyError, match="score must name a column, but there is no 'svm'"):
        DF.lazy().pu(score="svm").auroc(0.3)


@pytest.mark.parametrize("dtype", [pl.Float64, pl.Float32, pl.Int64, pl.UInt8], ids=str)
def test_numbers_without_nulls_are_not_copied(dtype: Any) -> None:
    column = pl.Series("score", np.arange(1000) % 100).cast(dtype)
    found = as_pandas(column)
    assert np.shares_memory(found.to_numpy(), column.to_numpy(allow_copy=False))
    if dtype == pl.Float64:
        assert np.shares_memory(read_scores(found), column.to_numpy(allow_copy=False))
        framed = pd.DataFrame({"score": found}, copy=False)["score"]
        assert np.shares_memory(read_scores(framed), column.to_numpy(allow_copy=False))


def test_columns_in_several_chunks() -> None:
    parts = pl.concat([DF[:100], DF[100:317], DF[317:]], rechunk=False)
    assert parts["score"].n_chunks() == 3
    check_same(parts.pu(by="key").roc_bounds(0.3), SHUFFLED.pu(by="key").roc_bounds(0.3))
