"""Tables of any dtype that a file gives back answer as those that were written."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from tests.datasets.questions import QUESTIONS, assert_same, within_interval

RNG = np.random.default_rng(5)
# Few cutoffs of many examples: products of two counts are no int32.
TRUTH = RNG.random(200_000) < 0.4
FRAME = pd.DataFrame(
    {
        "svm": np.round(RNG.normal(TRUTH), 1),
        "forest": np.round(RNG.normal(1.5 * TRUTH), 1),
        "label": np.where(RNG.random(200_000) < 0.3, TRUTH, np.nan),
    }
)
POINTS = FRAME.pu(score=["svm", "forest"]).contingency([0.3, 0.4], ranks="all")
INTERVAL = within_interval(FRAME.pu(score=["svm", "forest"]))
SMALL = FRAME.head(120).pu(score=["svm", "forest"]).contingency([0.3, 0.4], ranks="all")

FEW = ["roc", "mcc", "area pr", "beta_derivatives", "to_frame", "at threshold"]
DTYPES = ["int8", "uint8", "int16", "uint32", "uint64", ">i4", "float16", "float32", ">f8"]


def cast(tables: xr.Dataset, dtype: str) -> xr.Dataset:
    """Return tables with all integers of one dtype."""
    whole = [name for name in tables.variables if tables[name].dtype == np.int64]
    counts = {name: tables[name].astype(dtype) for name in whole if name in tables.data_vars}
    beside = {name: tables[name].astype(dtype) for name in whole if name in tables.coords}
    if dtype == "float16":  # pandas has no such index
        del beside["rank"]
    return tables.assign(counts).assign_coords(beside)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("tables", [POINTS, INTERVAL], ids=["points", "interval"])
def test_no_dtype_overflows(question: str, tables: xr.Dataset) -> None:
    ask = QUESTIONS[question]
    assert_same(ask(cast(tables, "int32")), ask(tables))


@cache
def of_integers(ask: Callable[[xr.Dataset], Any]) -> Any:
    """Return an answer as ever."""
    return ask(SMALL)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_answers_every_question(dtype: str) -> None:
    given = cast(SMALL, dtype)
    for name, ask in QUESTIONS.items():
        # Integers of few bits and floats of few would show first. Pictures ask the same questions.
        if dtype not in ("int8", "float16") and name not in FEW:
            continue
        assert_same(ask(given), of_integers(ask))


def test_answers_have_the_dtypes_of_their_names() -> None:
    given = cast(SMALL, "int16").assign(clipped=SMALL["clipped"].astype("int8"))
    kept = given.pu.at(rank=[5, 50])
    assert {kept[name].dtype for name in ("tp", "fp", "fn", "tn", "rank")} == {np.dtype(np.int64)}
    assert given.pu.metric("f1").dtype == np.float64
    assert_same(given.pu.beta_derivatives(), SMALL.pu.beta_derivatives())
