"""Columns of propensities: read for known positives, or refused by name."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from tests.arguments.test_propensity import FRAME, shuffled
from tests.cases import put_of_these


@pytest.mark.parametrize("policy", ["omit", "worst"])
def test_rows_without_a_score(policy: str) -> None:
    gone = np.random.default_rng(0).random(len(FRAME)) < 0.3
    frame = shuffled(FRAME.assign(score=FRAME["score"].mask(gone)))
    there = frame[frame["score"].notna()] if policy == "omit" else frame.fillna({"score": -99.0})
    both = frame.pu(propensity="propensity", nan_policy=policy), there.pu(propensity="propensity")
    for name in ("auroc", "average_precision"):
        pd.testing.assert_frame_equal(*(put_of_these(pu, name, 0.2) for pu in both))
    np.testing.assert_array_equal(*(pu.contingency(0.2, ranks="all")["tp"] for pu in both))


ROWS = FRAME.iloc[:62].assign(extra=1)


@pytest.mark.filterwarnings("ignore:The effective number")
def test_the_smallest_propensity() -> None:
    frame = ROWS.assign(propensity=ROWS["propensity"].mask(ROWS.index == 0, 1e-12))
    tables = frame.pu(propensity="propensity").contingency(0.5, ranks="all")
    assert tables["n_effective"].item() == pytest.approx(1)
    found = frame.pu(propensity="propensity").auroc(0.5, target="examples")
    assert np.isfinite(found[["lower", "estimate", "upper"]]).all(axis=None)


@pytest.mark.parametrize("dtype", ["Float64", "double[pyarrow]", object])
def test_that_of_unlabeled_rows_is_not_read(dtype: Any) -> None:
    expected, column = (
        FRAME.pu(propensity="propensity").contingency(0.3, ranks="all"),
        FRAME["propensity"],
    )
    others = [column.fillna(other) for other in (-7.0, np.inf)]
    for propensity in (*others, column.astype("Float64").astype(dtype)):
        found = (
            FRAME.assign(propensity=propensity)
            .pu(propensity="propensity")
            .contingency(0.3, ranks="all")
        )
        xr.testing.assert_identical(found, expected)
