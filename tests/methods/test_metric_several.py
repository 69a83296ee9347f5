"""Several metrics at several cutoffs, F-beta, and the cutoff of a precision."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import fbeta_score

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


def test_groups_keep_what_was_asked() -> None:
    tied = FRAME.assign(score=FRAME["score"].round(1), site=np.arange(len(FRAME)) % 2)
    found = tied.pu(by="site").metric(["tpr", "fdr"], 0.2, at={"rank": (10, 40)})
    assert len(found) == 8 and not found.duplicated(["site", "metric", "at"]).any()
    assert (found["rank"] == found["at"]).all() and found["estimate"].notna().all()
    assert (found["rank"] < found["examples_at_threshold"]).any()
    one, listed = (FRAME.pu.metric(name, 0.2, at=60) for name in ("recall", ["recall"]))
    pd.testing.assert_frame_equal(one, listed)


@pytest.mark.parametrize("weight", [0.5, 1, 2, 3.5])
def test_fbeta_is_that_of_scikit_learn(weight: float) -> None:
    frame = pd.DataFrame({"score": FRAME["score"], "label": TRUTH.astype(float)})
    found = frame.pu(negative=0).metric(pu_accessor.fbeta(weight), 0, at={"threshold": 0.8})
    wanted = fbeta_score(TRUTH, frame["score"] >= 0.8, beta=weight)
    assert found.loc[0, "estimate"] == pytest.approx(wanted, rel=1e-12)
    assert found.loc[0, "metric"] == f"f{weight:g}"


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
