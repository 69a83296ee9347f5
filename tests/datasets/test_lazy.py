"""Tables in chunks answer as those in memory, and stay lazy where an answer is as large."""

from typing import Any

import pytest
import xarray as xr

from tests.cases import binormal
from tests.datasets.questions import QUESTIONS, within_interval

dask = pytest.importorskip("dask")

FRAME = binormal(50, 130, 0.4, seed=4)[0].assign(forest=lambda df: df["score"] - df.index % 3)
PU = FRAME.rename(columns={"score": "svm"}).pu(score=["svm", "forest"])
TABLES = {
    "points": PU.contingency([0.1, 0.2], ranks="all"),
    "own cutoffs": PU.contingency([0.1, 0.2], ranks="breakpoints"),
    "interval": within_interval(PU),
}
LAZY = ["roc", "pr", "f1", "mcc", "area roc", "area pr", "area of a part", "beta_derivatives"]


def chunked(tables: xr.Dataset, size: int = 61) -> xr.Dataset:
    """Return tables in chunks along the cutoffs, coordinates as well: as open_zarr does."""
    axis = "cutoff" if "cutoff" in tables.dims else "rank"
    parts = tables.chunk({axis: size})
    aside = {n: c.chunk() for n, c in tables.coords.items() if n not in tables.indexes}
    return parts.assign_coords(aside)


def refuse(*_: Any, **__: Any) -> None:
    """Stand for a scheduler that must not be called."""
    raise AssertionError("something was computed")


@pytest.mark.parametrize("question", LAZY)
def test_answers_of_tables_in_chunks_are_lazy(question: str) -> None:
    answer = QUESTIONS[question](chunked(TABLES["points"]))
    variables = [answer] if isinstance(answer, xr.DataArray) else answer.data_vars.values()
    assert all(variable.chunks is not None for variable in variables)
    assert all(coord.chunks is None for coord in answer.coords.values())


@pytest.mark.parametrize("question", ["roc", "pr", "f1", "mcc"])
def test_nothing_is_read_for_a_rate(question: str) -> None:
    tables = TABLES["points"].chunk({"rank": 37})
    tables = tables.assign_coords({n: c.compute() for n, c in tables.coords.items()})
    with dask.config.set(scheduler=refuse):
        QUESTIONS[question](tables)
