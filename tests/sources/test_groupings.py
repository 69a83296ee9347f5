"""A groupby's groups are those of its keys, whatever its options: on each pandas we allow."""

import re
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pu_accessor import PUTypeError
from pu_accessor.sources.groups import group_frame, number_groups, read_groups


def draw_keys(kind: str, rng: np.random.Generator, size: int) -> Any:
    """Draw a column of keys, some missing, with categories that do not occur."""
    letters = rng.choice(list("cab"), size).astype(object)
    letters[rng.random(size) < 0.15] = None
    if kind in ("category", "ordered"):
        order = list(rng.permutation(list("abcde")))
        return pd.Categorical(letters, categories=order, ordered=kind == "ordered")
    return rng.integers(0, 3, size) if kind == "int" else letters


KINDS = [("category", "object"), ("object", "ordered"), ("ordered", "int"), ("category", None)]


@pytest.mark.parametrize(("first", "second"), KINDS)
def test_rows_have_the_key_of_their_group(first: str, second: str | None) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": draw_keys(first, rng, 40)})
    if second:
        frame["b"] = draw_keys(second, rng, 40)
    names = list(frame.columns)
    for sort, dropna, observed, as_index in product([True, False], repeat=4):
        how: Any = {"sort": sort, "dropna": dropna, "observed": observed, "as_index": as_index}
        groups = read_groups(frame.groupby(names if second else "a", **how))
        expected = frame.dropna() if dropna else frame
        seen = 0
        for key, rows in zip(groups.keys, groups.rows, strict=True):
            some = frame.iloc[rows]
            seen += len(some)
            parts: Any = key if second else (key,)
            for name, part in zip(names, parts, strict=True):
                column = some[name]
                assert column.isna().all() if pd.isna(part) else (column == part).all()
        assert seen == len(expected)
        assert len(groups.keys) == len(expected.drop_duplicates())


@pytest.mark.parametrize("groups", [2**15, 2**15 + 1])
def test_groups_that_barely_fit_narrow_numbers(groups: int) -> None:
    key = np.random.default_rng(0).permutation(groups)
    numbers = number_groups(pd.DataFrame({"key": key}).groupby("key"))
    np.testing.assert_array_equal(numbers + 1, key + 1)  # as they are counted


def test_keys_whose_names_look_like_several() -> None:
    frame = pd.DataFrame({"a": [1, 1], "b": [2, 3], "ab": [5, 4]})
    assert group_frame(frame, "ab").keys == (4, 5)
    levels = frame.set_axis(pd.MultiIndex.from_tuples([("a", "b"), ("b", "a"), ("b", "")]), axis=1)
    assert group_frame(levels, ("b", "a")).keys == (2, 3)
    for by in (("a", "b"), ("b", "ab", "a")):
        with pytest.raises(PUTypeError, match=rf"pass by={re.escape(repr(list(by)))}"):
            group_frame(frame, by)


def test_an_answer_of_two_categoricals_unsorted() -> None:
    rng = np.random.default_rng(2)
    label = np.where(rng.random(300) < 0.3, 1, np.nan)
    frame = pd.DataFrame({"score": rng.normal(size=300), "label": label})
    frame["a"] = pd.Categorical(rng.choice(list("xyz"), 300), categories=list("wzyx"))
    frame["b"] = pd.Categorical(rng.choice(list("pq"), 300), categories=list("qrp"))
    grouped = frame.groupby(["a", "b"], sort=False, observed=False)
    found = grouped.pu.auroc(0.2)
    keys = [*found[["a", "b"]].itertuples(index=False, name=None)]
    sizes = grouped.size()
    assert keys == sizes.index[sizes > 0].tolist()
    for row in found.itertuples():
        alone = frame[(frame["a"] == row.a) & (frame["b"] == row.b)].pu.auroc(0.2)
        assert row.estimate == pytest.approx(alone["estimate"].item(), rel=1e-12)
