"""Several metrics at several cutoffs, F-beta, and the cutoff of a precision."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import PUDataError
from tests.cases import as_frame, binormal, draw_case, estimates_of
from tests.support.oracles import oracle

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


@pytest.mark.parametrize("seed", range(7))
def test_the_last_cutoff_with_a_precision(seed: int) -> None:
    case = draw_case(seed)
    ask, found = as_frame(case).pu.metric, estimates_of(as_frame(case), case.beta)
    for wanted in (0.05, 0.3, 1 / 3, 0.5, 2 / 3, 0.8, 1.0):
        there = [table.rank for table in found if oracle.metric("precision", table) >= wanted]
        if not there:
            with pytest.raises(PUDataError, match="is reached by no cutoff"):
                ask("recall", case.beta, at={"precision": wanted})
            continue
        got = ask("recall", case.beta, at={"precision": wanted})
        assert got.loc[0, "rank"] == there[-1] and got.attrs["band"] == "simultaneous"
        at_rank = ask("recall", case.beta, at=there[-1], band="simultaneous")
        assert (at_rank.pop("examples_at_threshold") == there[-1]).all()
        pd.testing.assert_frame_equal(got.drop(columns="at"), at_rank.drop(columns="at"))
