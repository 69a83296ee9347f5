"""What a question holds in memory is bounded by its answer, not by the rows or the counts."""

import tracemalloc
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from pu_accessor import labeling
from pu_accessor.inference.tables import latent_bounds
from tests.cases import binormal, put

FRAME = binormal(120, 260, 0.5, seed=9)[0]
FRAME.loc[300:, "label"] = np.where(np.arange(80) % 2, 0, np.nan)


def peak(ask: Callable[[], Any]) -> int:
    """Return the most bytes that are held at a time."""
    tracemalloc.start()
    try:
        ask()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


BANDS = ["exact", "simultaneous"]


@pytest.mark.parametrize("band", BANDS)
@pytest.mark.parametrize("method", ["roc_bounds", "contingency"])
def test_many_betas_take_little_more_than_the_answer(
    method: str, band: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latent_bounds, "_BATCH_SIZE", 1 << 12)
    betas = np.linspace(0.01, 0.5, 80)
    answer: list[xr.Dataset] = []
    ask = getattr(binormal(60, 1500, 0.5, seed=2)[0].pu, method)
    ask(betas, band=band, ranks="all")  # what is imported, and remembered, is not counted
    held = peak(lambda: answer.append(ask(betas, band=band, ranks="all")))
    assert held < 1.2 * answer[0].nbytes


def test_areas_of_many_betas_take_what_those_of_some_do() -> None:
    pu, betas = binormal(60, 1500, 0.5, seed=2)[0].pu, np.linspace(0.01, 0.5, 320)
    some, many = (peak(lambda: pu.assume(selection_odds=2).auroc(x)) for x in (betas[::5], betas))  # noqa: B023
    assert many < 1.5 * some


@pytest.mark.parametrize("band", BANDS)
@pytest.mark.parametrize("ranks", ["breakpoints", "all", [5, 50, 110]])
@pytest.mark.parametrize("said", [{}, {"monotone": True}, {"by": "group"}], ids=str)
def test_tables_do_not_depend_on_how_many_betas_there_are_at_once(
    band: str, ranks: Any, said: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = FRAME.assign(group=np.arange(len(FRAME)) % 3 > 1)
    betas = [0.3, 0.0, 0.2], pd.Interval(0.1, 0.2)
    kinds = ["positives"] if said.get("monotone") else ["positives", "tightest", "both"]

    def ask() -> list[xr.Dataset]:
        how: Any = {"band": band, "ranks": ranks, **said}
        asked = product(("contingency", "pr_bounds"), betas, kinds)
        return [put(frame.pu, name, b, reference=kind, **how) for name, b, kind in asked]

    wanted = ask()
    monkeypatch.setattr(latent_bounds, "_BATCH_SIZE", 1)
    for one, other in zip(ask(), wanted, strict=True):
        xr.testing.assert_identical(one, other)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_pieces_hold_scores_no_more_than_once(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PU_ACCESSOR_MAX_THREADS", "1")
    rows = 3_000_000
    frame = pd.DataFrame({"score": np.arange(rows) % 99991, "label": np.nan}).astype(
        {"score": dtype}
    )
    frame.loc[frame.index[:: rows // 50], "label"] = 1
    pu = pu_accessor.from_chunks([frame])
    held = peak(lambda: pu.roc_bounds(0.0001))
    copied = 8 * rows if dtype == "float32" else 0
    selected = 0 if int(pd.__version__.split(".")[0]) > 2 else 3 * 8 * rows  # pandas 2 copies that
    assert held < copied + selected + 8.5 * rows


def test_a_repr_reads_rows_without_a_copy() -> None:
    rows = 2_000_000
    frame = pd.DataFrame({"score": np.arange(rows, dtype=float), "label": np.nan})
    frame.loc[:10, "label"] = 1
    assert peak(lambda: repr(frame.pu)) < 12 * rows
    assert peak(lambda: frame.pu._repr_html_()) < 12 * rows


def test_a_sample_of_few_says_the_same_of_any_large_number() -> None:
    found = [pu_accessor.beta_from_labels(12, 50, 10**size).iloc[0] for size in (9, 11, 12)]
    for one in found[1:]:
        for name in ("beta", "lower", "upper"):
            assert one[name] == pytest.approx(found[0][name], abs=1e-7)
    assert peak(lambda: pu_accessor.beta_from_labels(12, 50, 10**12)) < 1_000_000
    assert peak(lambda: labeling.labels_needed(0.1, 10**12)) < 1_000_000
