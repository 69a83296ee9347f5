"""Faults that were mended: pairs of dask by a key, and propensities where there is no target."""

from collections.abc import Callable
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import pu_accessor
import pu_accessor.dask
from pu_accessor import PUValueError


def draw(size: int) -> pd.DataFrame:
    """Draw two models' scores of the same examples, some of them known positives."""
    rng = np.random.default_rng(7)
    label = np.where(rng.random(size) < 0.4, 1.0, np.nan)
    base = rng.normal(label == 1)
    return pd.DataFrame({"id": np.arange(size), "label": label}).assign(
        svm=base + rng.normal(size=size), forest=base + rng.normal(size=size)
    )


@pytest.mark.parametrize("odds", [1, 2])
@pytest.mark.parametrize("target", ["population", "examples"])
def test_models_of_a_key_in_dask_are_compared_as_in_a_frame(odds: float, target: str) -> None:
    rows = draw(80).melt(["id", "label"], var_name="model", value_name="score")
    ddf = dd.from_pandas(rows, npartitions=3)  # type: ignore[no-untyped-call]
    how = {"on": "id", "selection_odds": odds, "target": target}
    expected = rows.pu(by="model").compare(0.1, **how)
    pd.testing.assert_frame_equal(ddf.pu(by="model").compare(0.1, **how), expected)


@pytest.mark.parametrize(
    ("name", "ask"),
    [
        ("bedroc", lambda pu: pu.bedroc(0.1)),
        ("calibration", lambda pu: pu.calibration(0.1)),
        ("positives_needed", lambda pu: pu_accessor.positives_needed(0.1, pilot=pu, beta=0.1)),
    ],
)
def test_what_has_no_target_advises_none(name: str, ask: Callable[[Any], object]) -> None:
    frame = draw(60).assign(score=lambda rows: rows["svm"].rank(pct=True), propensity=0.5)
    frame["propensity"] += frame["score"] / 3
    with pytest.raises(PUValueError, match=f"{name} was asked for with it") as raised:
        ask(frame.pu(propensity="propensity"))
    assert "target" not in str(raised.value)
    assert "Leave propensity out" in str(raised.value)
