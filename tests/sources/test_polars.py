"""What is of polars alone: dtypes, nulls, group-bys; named columns alone are read, uncopied."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from pu_accessor import PUTypeError, PUValueError
from tests.cases import pu
from tests.sources.test_every_source import FRAME, MODELS, check_alike
from tests.sources.test_pieces import Ask, check_both

pl: Any = pytest.importorskip("polars")

from pu_accessor.polars import PolarsSource, as_pandas  # noqa: E402

ACCESSOR = type(FRAME[:1].pu).__base__
SHUFFLED = FRAME.iloc[np.random.default_rng(3).permutation(len(FRAME))]  # its index plays no role
DATA = {name: [None if x != x else x for x in SHUFFLED[name]] for name in SHUFFLED}
DF: Any = pl.DataFrame(DATA)

# Columns of scores, labels and keys in each dtype: in polars, and as a user has them in pandas.
LABELS = [None if x is None else bool(x) for x in DATA["label"]]
WHOLE = np.floor(SHUFFLED["score"].clip(-4, 4) * 10).astype(int).tolist()
HOLES = [None if i % 11 == 3 else x for i, x in enumerate(WHOLE)]
TEXTS = [None if x is None else ("yes" if x else "no") for x in LABELS]
KEYS = SHUFFLED["fold"].tolist()
PLAIN = [chr(98 - x) for x in KEYS]


def objects(values: Any) -> Any:
    """Return an array of these objects, as pandas holds what has no dtype."""
    return pd.array(list(values), dtype=object)


SCORES: dict[str, tuple[Any, Any]] = {
    "Int8": (pl.Series(WHOLE, dtype=pl.Int8), "int8"),
    "Int64": (pl.Series(HOLES, dtype=pl.Int64), "Int64"),
    "UInt64": (pl.Series([2**63 + (x + 50) * 2**12 for x in WHOLE], dtype=pl.UInt64), "uint64"),
    "Float32": (pl.Series(HOLES, dtype=pl.Float32), "float32"),
    "Decimal": (pl.Series([None if x is None else Decimal(x) / 10 for x in HOLES]), object),
    "Object": (pl.Series(WHOLE, dtype=pl.Object), object),
}
if hasattr(pl, "Int128"):
    SCORES["Int128"] = (pl.Series([2**100 * x for x in WHOLE], dtype=pl.Int128), object)


@pytest.mark.parametrize("kind", SCORES)
def test_scores_of_each_dtype(kind: str) -> None:
    column, dtype = SCORES[kind]
    one = DF.with_columns(column.alias("score"))
    other = SHUFFLED.assign(score=pd.array(column.to_list(), dtype=dtype))
    for policy in ("omit", "worst", "raise"):
        check_both(
            lambda pu, how=policy: pu(nan_policy=how).contingency(0.3, ranks=[3, 50]),
            other,
            one.pu,
        )


CODED = {"positive": "yes", "negative": "no"}
SPOKEN = ["yes", "unseen", "no"]
DECIMALS = [None if x is None else Decimal(x) for x in LABELS]
LABELED: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "Boolean": (pl.Series(LABELS, dtype=pl.Boolean), pd.array(LABELS, dtype="boolean"), {}),
    "full": (
        pl.Series(x is True for x in LABELS),
        [x is True for x in LABELS],
        {"unlabeled": False},
    ),
    "UInt32": (pl.Series(DATA["label"]).cast(pl.UInt32), pd.array(DATA["label"], "UInt32"), {}),
    "Decimal": (pl.Series(DECIMALS), objects(DECIMALS), {}),
    "String": (pl.Series(TEXTS), pd.array(TEXTS), CODED),
    "Categorical": (pl.Series(TEXTS, dtype=pl.Categorical), pd.Categorical(TEXTS), CODED),
    "Enum": (pl.Series(TEXTS, dtype=pl.Enum(SPOKEN)), pd.Categorical(TEXTS, SPOKEN), CODED),
    "NaN": (
        pl.Series([float("nan") if x is None else x for x in DATA["label"]]),
        DATA["label"],
        {},
    ),
}


@pytest.mark.parametrize("kind", LABELED)
def test_labels_of_each_dtype(kind: str) -> None:
    column, array, roles = LABELED[kind]
    one, other = DF.with_columns(column.alias("label")), SHUFFLED.assign(label=array)
    check_both(lambda pu: pu(**roles).roc_bounds(0.3), other, one.pu)
    assert repr(one.pu(**roles)) == repr(other.pu(**roles))


DAYS = [dt.date(2026, 1, 2 - x) for x in KEYS]
TIMES = [dt.datetime(2026, 1, 2 - x, 12) for x in KEYS]
ORDER = ["b", "unseen", "a"]
ZONED = pd.to_datetime(TIMES).tz_localize("Europe/Paris").as_unit("us")
GROUPED: dict[str, tuple[Any, Any]] = {
    "UInt8": (pl.Series(KEYS, dtype=pl.UInt8), np.array(KEYS, np.uint8)),
    "String": (pl.Series(PLAIN), PLAIN),
    "Categorical": (pl.Series(PLAIN, dtype=pl.Categorical), pd.Categorical(PLAIN)),
    "Enum": (pl.Series(PLAIN, dtype=pl.Enum(ORDER)), pd.Categorical(PLAIN, ORDER)),
    "Date": (pl.Series(DAYS), pd.to_datetime(DAYS).astype("datetime64[ms]")),
    "zoned": (pl.Series(TIMES).dt.replace_time_zone("Europe/Paris"), ZONED),
    "Decimal": (pl.Series(map(Decimal, KEYS)), objects(map(Decimal, KEYS))),
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
    check_both(lambda pu: pu(by="key").auroc(0.3), other, one.pu)  # rows without one left out
    check_both(lambda pu: pu(by=["key", "fold"]).auroc(0.3), other, one.pu)
    found, expected = one.group_by("key").pu.auroc(0.3), other.pu(by="key").auroc(0.3)
    last = [other[gone].pu.auroc(0.3)["estimate"].item()] if gaps else []
    assert found["estimate"].tolist() == [*expected["estimate"], *last]
    assert found["key"].isna().tolist() == [False] * len(expected) + [True] * gaps


def test_nan_and_null_are_both_missing() -> None:
    mixed = pl.Series([None, float("nan"), *DF["score"].to_list()[2:]])
    plain = SHUFFLED.reset_index(drop=True)
    plain.loc[[0, 1], "score"] = np.nan
    for policy in ("raise", "omit"):
        ask: Ask = lambda pu, how=policy: pu(nan_policy=how).auroc(0.3)  # noqa: E731
        check_both(ask, plain, DF.with_columns(mixed.alias("score")).pu)
    near = pl.DataFrame({"score": [2**53, 2**53 + 1, None], "label": [True, None, None]})
    with pytest.raises(PUValueError, match="float64 cannot tell apart"):  # nulls make no floats
        near.pu(nan_policy="omit").auroc(0.3)


# Group-bys


def test_groups_stand_as_they_come_where_order_is_maintained() -> None:
    start = DATA["key"].index(None) - 1
    rows, plain = DF[start:], SHUFFLED.iloc[start:]
    keys = rows["key"].unique(maintain_order=True).to_list()
    assert keys[1] is None
    expected = pu(plain.groupby("key", sort=False, dropna=False)).auroc(0.3)
    for dtype in (pl.String, pl.Categorical, pl.Enum(["a", "b", "c"])):
        frame = rows.with_columns(pl.col("key").cast(dtype))
        found = frame.group_by("key", maintain_order=True).pu.auroc(0.3)
        assert [None if pd.isna(key) else key for key in found["key"]] == keys
        assert found.drop(columns="key").equals(expected.drop(columns="key"))
    for _ in range(3):  # polars' own order would change
        assert DF.group_by("key").pu.auroc(0.3)["key"].tolist()[:2] == ["a", "b"]


GROUPINGS: dict[str, tuple[Callable[[], Any], Any]] = {
    "a name": (lambda: DF.group_by("key"), {"key": SHUFFLED["key"]}),
    "names": (lambda: DF.group_by("key", "fold"), SHUFFLED[["key", "fold"]]),
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
    expected = pu(SHUFFLED.assign(**keys).groupby([*keys], dropna=False))
    check_alike(group().pu.auroc(0.3), expected.auroc(0.3))
    if "other" not in keys:
        check_alike(*(one(score=MODELS).compare() for one in (group().pu, expected)))


def test_groupings_that_are_refused() -> None:
    with pytest.raises(PUValueError, match="by must name other columns than score and label"):
        DF.group_by(pl.col("score") > 0).pu.auroc(0.3)
    with pytest.raises(PUTypeError, match=r"lf\.pu\(by='key'\)"):
        DF.lazy().group_by("key").pu  # noqa: B018
    if hasattr(some := DF.group_by("key"), "having"):
        with pytest.raises(PUTypeError, match=r"Filter the rows first: df\.fil"):
            some.having(pl.len() > 3).pu  # noqa: B018


def test_reprs() -> None:
    grouped = DF.group_by("key")
    assert "groups           3: key" in repr(grouped.pu)
    assert repr(grouped.pu(score="other")).startswith("<df.group_by(...).pu(score=")
    assert repr(DF[:, :3].lazy().pu) == "<lf.pu>\ncolumns  score, other, p"


@pytest.mark.parametrize("dtype", [pl.List(pl.Int64), pl.Struct({"a": pl.Int64})], ids=str)
def test_columns_of_lists_and_structs(dtype: Any) -> None:
    value: Any = [1] if isinstance(dtype, pl.List) else {"a": 1}
    frame = DF.with_columns(pl.Series("odd", [value] * len(DF), dtype=dtype))
    for roles in ({"score": "odd"}, {"label": "odd"}, {"by": "odd"}):
        with pytest.raises(PUTypeError):
            frame.pu(**roles).auroc(0.3)
        assert isinstance(repr(frame.pu(**roles)), str)


# What is read, and what is copied

# What is asked, and the columns that are read for it.
READ: list[tuple[Ask, str]] = [
    (
        lambda pu: pu(score=["other", "holes"], nan_policy="omit").roc_bounds(0.3),
        "holes label other",
    ),
    (lambda pu: pu(by="key", cluster="patient").auroc(0.3), "key label patient score"),
    (lambda pu: pu(score=MODELS).compare(), "label other score"),
    (lambda pu: pu.check_assumptions(0.3, strata="key"), "key label score"),
]


@pytest.mark.parametrize(("ask", "names"), READ)
def test_named_columns_alone_are_read_once(ask: Ask, names: str) -> None:
    for frame in (DF, DF.lazy()):
        watched = Mock(wraps=frame)
        check_both(ask, SHUFFLED, ACCESSOR(PolarsSource(watched)))
        (call,) = watched.select.mock_calls
        assert " ".join(sorted(call.args[0])) == names


@pytest.mark.parametrize("dtype", [pl.Float64, pl.Float32, pl.Int64, pl.UInt8], ids=str)
def test_numbers_without_nulls_are_not_copied(dtype: Any) -> None:
    column = pl.Series("score", np.arange(1000) % 100).cast(dtype)
    assert np.shares_memory(as_pandas(column).to_numpy(), column.to_numpy(allow_copy=False))


def test_columns_in_several_chunks() -> None:
    parts = pl.concat([DF[:100], DF[100:317], DF[317:]], rechunk=False)
    assert parts["score"].n_chunks() == 3
    check_both(lambda pu: pu(by="key").roc_bounds(0.3), SHUFFLED, parts.pu)
