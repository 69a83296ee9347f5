"""Several metrics at several cutoffs, F-beta, and the cutoff of a precision."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from tests.cases import binormal

FRAME, BETA, TRUTH = binormal(200, 600, 0.3, seed=5)


@pytest.mark.parametrize("at", [{"rank": [20, 60]}, {"threshold": np.array([0.5, 1.5])}])
@pytest.mark.parametrize("beta", [0.2, [0.2, 0.1], pd.Interval(0.1, 0.2)], ids=str)
def test_several_are_each_of_them(at: Any, beta: Any) -> None:
    ((kind, values),) = at.items()
    names = ["precision", pu_accessor.fbeta(2)]
    found = FRAME.pu.metric(names, beta, at=at)
    parts = [FRAME.pu.metric(name, beta, at={kind: one}) for name, one in product(names, values)]
    wanted = pd.concat(parts).sort_values("beta", kind="stable", ascending=False)
    pd.testing.assert_frame_equal(found, wanted[[*found.columns]].reset_index(drop=True))
    assert found["metric"].unique().tolist() == ["precision", "f2"]
    assert [*found.columns][:4] == ["metric", "at", "beta", "rank"]
