"""What is of polars alone: dtypes, nulls, group-bys; named columns alone are read, uncopied."""

import datetime as dt
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

ACCESSOR: Any = type(FRAME.pu).__base__
PLAIN = FRAME.iloc[np.random.default_rng(3).permutation(len(FRAME))]  # its index plays no role
DATA = {name: [None if x != x else x for x in PLAIN[name]] for name in PLAIN}
DF: Any = pl.DataFrame(DATA)
DF = pl.concat([DF[:100], DF[100:317], DF[317:]], rechunk=False)

# Columns of scores, labels and keys in dtypes that pandas has not, and as a user has them there.
WHOLE = np.floor(PLAIN["score"].clip(-4, 4) * 10).astype(int).tolist()
TENTHS = [None if i % 11 == 3 else Decimal(x) / 10 for i, x in enumerate(WHOLE)]
TEXTS = PLAIN["said"].tolist()
TIMES = [dt.datetime(2026, 1, 2 - x, 12) for x in PLAIN["fold"]]
ZONED = pd.to_datetime(TIMES).tz_localize("Europe/Paris").as_unit("us")
ORDER = ["no", "unseen", "?", "yes"]
LARGE = [2**63 + (x + 50) * 2**12 for x in WHOLE]
MARKS = [None if x == "?" else Decimal(x == "yes") for x in TEXTS]


def objects(values: Any) -> Any:
    """Return values as pandas holds what has no dtype."""
    return pd.array([*values], dtype=object)


DTYPES: dict[str, tuple[str, Any, Any]] = {
    "UInt64": ("score", pl.Series(LARGE, dtype=pl.UInt64), objects(LARGE)),
    "Decimal": ("score", pl.Series(TENTHS), objects(TENTHS)),
    "Object": ("score", pl.Series(WHOLE, dtype=pl.Object), objects(WHOLE)),
    "labels": ("label", pl.Series(MARKS), objects(MARKS)),
    "Categorical": ("key", pl.Series(TEXTS, dtype=pl.Categorical), pd.Categorical(TEXTS)),
    "Enum": ("key", pl.Series(TEXTS, dtype=pl.Enum(ORDER)), pd.Categorical(TEXTS, ORDER)),
    "zoned": ("key", pl.Series(TIMES).dt.replace_time_zone("Europe/Paris"), ZONED),
    "days": ("key", pl.Series(TIMES).dt.date(), pd.to_datetime(TIMES).normalize().as_unit("ms")),
}


if hasattr(pl, "Int128"):
    HUGE = [2**100 * x for x in WHOLE]
    DTYPES["Int128"] = ("score", pl.Series(HUGE, dtype=pl.Int128), objects(HUGE))


@pytest.mark.parametrize("kind", DTYPES)
def test_columns_of_each_dtype(kind: str) -> None:
    name, column, array = DTYPES[kind]
    one, other = DF.with_columns(column.alias(name)), PLAIN.assign(**{name: array})
    for policy in ("omit", "worst", "raise"):
        roles: dict[str, Any] = {"nan_policy": policy, "by": ["key", "fold"]}
        check_both(lambda pu: pu(**roles).auroc(0.3), other, one.pu)  # noqa: B023
    assert repr(one.pu(nan_policy="omit")) == repr(other.pu(nan_policy="omit"))


def test_nulls_make_no_floats_of_integers() -> None:
    near = pl.DataFrame({"score": [2**53, 2**53 + 1, None], "label": [True, None, None]})
    with pytest.raises(PUValueError, match="float64 cannot tell apart"):
        near.pu(nan_policy="omit").auroc(0.3)


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum(["a", "b", "c"])])
def test_groups_stand_as_they_come_where_order_is_maintained(dtype: Any) -> None:
    start = DATA["key"].index(None) - 1
    rows = DF[start:].with_columns(pl.col("key").cast(dtype))
    expected = pu(PLAIN[start:].groupby("key", sort=False, dropna=False)).auroc(0.3)
    found = rows.group_by("key", maintain_order=True).pu.auroc(0.3)
    check_alike(found.astype({"key": object}), expected.astype({"key": object}))


GROUPINGS: dict[str, tuple[Any, Any]] = {
    "names": (DF.group_by("key", "fold"), PLAIN[["key", "fold"]]),
    "in a list": (DF.group_by(["fold", pl.col("key")]), PLAIN[["fold", "key"]]),
    "an expression": (DF.group_by(pl.col("other") > 0), {"other": PLAIN["other"] > 0}),
    "named": (DF.group_by(site="key"), {"site": PLAIN["key"]}),
    "one group": (DF.group_by(pl.lit(1)), {"literal": 1}),
    "a series": (DF.group_by(pl.Series("new", WHOLE) % 2), {"new": np.mod(WHOLE, 2)}),
}


@pytest.mark.parametrize("kind", GROUPINGS)
def test_groups_of_expressions(kind: str) -> None:
    group, keys = GROUPINGS[kind]
    expected = pu(PLAIN.assign(**keys).groupby([*keys], dropna=False))
    check_alike(group.pu.auroc(0.3), expected.auroc(0.3))
    if "other" not in keys:
        check_alike(*(one(score=MODELS).compare() for one in (group.pu, expected)))


def test_reprs_and_what_is_refused() -> None:
    grouped = DF.group_by("key")
    assert "groups           3: key" in repr(grouped.pu)
    assert repr(grouped.pu(score="other")).startswith("<df.group_by(...).pu(score=")
    assert repr(DF[:, :3].lazy().pu) == "<lf.pu>\ncolumns  score, other, p"
    if hasattr(grouped, "having"):
        with pytest.raises(PUTypeError, match=r"Filter the rows first: df\.fil"):
            grouped.having(pl.len() > 3).pu  # noqa: B018
    frame = DF.with_columns(pl.Series("odd", [[1]] * len(DF)))
    for role in ("score", "label", "by"):
        with pytest.raises(PUTypeError):
            frame.pu(**{role: "odd"}).auroc(0.3)
        assert isinstance(repr(frame.pu(**{role: "odd"})), str)


def test_rows_to_label_are_those_of_pandas() -> None:
    found, expected = (data.pu.sample_to_label(9, random_state=0) for data in (DF, PLAIN))
    np.testing.assert_array_equal(found["other"].to_numpy(), expected["other"])


READ: list[tuple[Ask, str]] = [
    (lambda pu: pu(score=["other", "p"], nan_policy="omit").roc_bounds(0.3), "label other p"),
    (lambda pu: pu(by="key", cluster="patient").auroc(0.3), "key label patient score"),
    (lambda pu: pu.check_assumptions(0.3, strata="key"), "key label score"),
]


@pytest.mark.parametrize(("ask", "names"), READ)
def test_named_columns_alone_are_read_once(ask: Ask, names: str) -> None:
    for frame in (DF, DF.lazy()):
        watched = Mock(wraps=frame)
        check_both(ask, PLAIN, ACCESSOR(PolarsSource(watched)))
        (call,) = watched.select.mock_calls
        assert " ".join(sorted(call.args[0])) == names


@pytest.mark.parametrize("dtype", [pl.Float64, pl.Float32, pl.Int64, pl.UInt8], ids=str)
def test_numbers_without_nulls_are_not_copied(dtype: Any) -> None:
    column = pl.Series("score", np.arange(1000) % 100).cast(dtype)
    assert np.shares_memory(as_pandas(column).to_numpy(), column.to_numpy(allow_copy=False))
