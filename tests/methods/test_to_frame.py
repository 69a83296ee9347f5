"""Tables and curves as long frames."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pu_accessor import PUKeyError
from tests.cases import as_frame, draw_case


def test_to_frame_is_long() -> None:
    tables = as_frame(draw_case(3)).pu.contingency([0, 0.5], ranks="all")
    frame = tables.pu.to_frame()
    assert isinstance(frame.index, pd.RangeIndex)
    assert len(frame) == tables.sizes["rank"] * 3 * 2
    assert frame["tp"].dtype == np.int64
    row = frame[(frame["rank"] == 0) & (frame["bound"] == "upper") & (frame["beta"] == 0.5)]
    assert row["threshold"].tolist() == [np.inf]
    assert row["fp"].tolist() == [0]
    curves = tables.pu.pr_bounds().pu.to_frame()
    assert {"rank", "bound", "beta", "recall", "precision"} <= set(curves.columns)
    with pytest.raises(PUKeyError, match=r"rank or cutoff, but its dimensions are \[\]"):
        xr.Dataset({"a": 1}).pu.to_frame()


def test_repeated_cutoffs_are_left_out_however_cutoffs_stand() -> None:
    frame = as_frame(draw_case(3))
    models = frame.assign(other=1.0 * (frame["score"] > frame["score"].median()))
    pu = models.pu(score=["score", "other"])
    tables = pu.contingency(pd.Interval(0.4, 0.6), ranks="breakpoints")
    assert (tables["rank"].diff("cutoff") == 0).any()  # the shorter one has repeats
    plain = tables.pu.to_frame()
    order = np.random.default_rng(0).permutation(tables.sizes["cutoff"])
    keys = ["model", "rank", "bound", "beta"]
    turned = tables[list(tables.data_vars)[::-1]]
    for other in (tables.reset_coords(), tables.isel(cutoff=order), turned):
        found = other.pu.to_frame()[plain.columns]
        in_order = [each.sort_values(keys, ignore_index=True) for each in (found, plain)]
        pd.testing.assert_frame_equal(*in_order)
