"""Faults that were mended: pairs of dask by a key."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import pu_accessor.dask  # noqa: F401  the accessor


@pytest.mark.parametrize("odds", [1, 2])
@pytest.mark.parametrize("target", ["population", "examples"])
def test_models_of_a_key_in_dask_are_compared_as_in_a_frame(odds: float, target: str) -> None:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({"id": np.arange(60), "label": np.where(rng.random(60) < 0.4, 1, np.nan)})
    base = rng.normal(frame["label"] == 1)
    frame = frame.assign(svm=base + rng.normal(size=60), forest=base + rng.normal(size=60))
    rows = frame.melt(["id", "label"], var_name="model", value_name="score")
    ddf = dd.from_pandas(rows, npartitions=3)  # type: ignore[no-untyped-call]
    how = {"on": "id", "selection_odds": odds, "target": target}
    expected = rows.pu(by="model").compare(0.1, **how)
    pd.testing.assert_frame_equal(ddf.pu(by="model").compare(0.1, **how), expected)
