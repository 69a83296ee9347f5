"""Cutoffs with a guarantee: against slow tables of one side, and what is said of them."""

import math
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pu_accessor
from pu_accessor import PUWarning
from tests.cases import binormal
from tests.support.oracles import coherent_oracle, oracle, reference_oracle
from tests.support.oracles.joint_oracle import deepest
from tests.worlds import fuzzed

pytestmark = pytest.mark.filterwarnings("ignore:No cutoff guarantees a")
BETA = 100 / 330
FRAME, _, TRUTH = binormal(150, 250, 1 / 3, 0, 1.5)
FRAME.loc[380:, "label"] = 0
FRAME = FRAME.round(1)
PU: Any = FRAME.pu


def exact_side(n: int, m: int, level: float) -> oracle.Band:
    """Return the exact lower limits at each cutoff by itself."""
    limit = (1 - oracle.decimal(level)) * math.comb(n + m, n)
    return oracle.band_at(n, m, limit)[0], [m] * (n + 1)


GOALS = [*product(["recall", "precision"], [0.2, 0.6, 0.9, 1.0]), *product(["fpr"], [0.05, 0.6])]


@pytest.mark.parametrize("reference", ["positives", "negatives"])
@fuzzed(2)
@given(seed=st.integers(0, 10**6), decimals=st.sampled_from([1, 6]), goal=st.sampled_from(GOALS))
def test_cutoffs_are_those_of_all_tables(
    reference: str, seed: int, decimals: int, goal: Any
) -> None:
    frame = binormal(20, 32, 0.4, seed, 1.5)[0].round(decimals)
    frame.loc[46:, "label"] = 0
    score = frame["score"].tolist()
    label = [None if np.isnan(one) else bool(one) for one in frame["label"]]
    pu: Any = frame.pu.assume(reference=reference)
    level, rows = 0.8, {}
    for band, rule in (("exact", exact_side), ("simultaneous", oracle.one_sided)):
        plain, _ = reference_oracle.tables(score, label, 0.3, level, rule, reference)
        lower = coherent_oracle.cut_if_joint(band, score, label, plain, reference)["lower"]
        rows[band] = [(row.tp, row.fp, row.fn, row.tn) for row in lower]
    found = pu.cutoff(0.3, level=level, **{goal[0]: goal[1]}).iloc[0]
    of_goal = rows["simultaneous" if goal[0] == "precision" else "exact"]
    assert found["rank"] == deepest(of_goal, *goal) == (frame["score"] >= found["threshold"]).sum()
    assert found["rank"] or np.isnan(found["lower"])
    cost = pu.cutoff(0.3, level=level, cost=(1, 3)).iloc[0]
    every = [fp + 3 * fn for _, fp, fn, _ in rows["simultaneous"]]
    assert cost["upper"] == min(every) and cost["lower"] == 0
    assert cost["rank"] == sum(rows["simultaneous"][every.index(min(every))][:2])


def test_the_band_of_a_list_is_told() -> None:
    for target, band in (("examples", "exact"), ("population", "two samples")):
        found = PU.cutoff(0.2, fpr=0.1, target=target)
        at_rank = PU.metric("fpr", 0.2, at={"rank": found["rank"]})
        assert found["estimate"].tolist() == pytest.approx(at_rank["estimate"].tolist())
        assert found.attrs["band"] == band and "fpr is at most 0.1" in found.attrs["statement"]


@pytest.mark.parametrize(
    ("goal", "value", "best"), [("precision", 0.999, max), ("fpr", 1e-9, min)]
)
def test_goal_out_of_reach_is_answered(goal: str, value: float, best: Any) -> None:
    frame, _, truth = binormal(90, 210, 0.3, 1, 0.8)
    other = np.minimum(np.random.default_rng(1).normal(0.3 * truth), 1)  # many are tied
    frame.loc[299, "score"] = 9  # no list has known positives alone
    pu = frame.assign(b=other).pu(score=["score", "b"])
    with pytest.warns(
        PUWarning, match=f"In 2 of 2 rows: no cutoff guarantees a {goal} of {value}"
    ):
        found = pu.cutoff(0.2, **{goal: value})
    assert (found["rank"] == 0).all() and (found["threshold"] == np.inf).all()
    assert found["lower"].isna().all() and found["attainable"].nunique() == 2
    assert f"of any cutoff is {best(found['attainable']):.4g}." in found.attrs["statement"]
    reached = frame.pu.cutoff(0.2, **{goal: found["attainable"][0]}, models=2).iloc[0]
    side = "lower" if goal == "precision" else "upper"
    assert reached["rank"] > 0 and reached[side] == found["attainable"][0]


def test_level_is_split_over_models_and_not_over_groups() -> None:
    frame: Any = FRAME.assign(a=FRAME["score"], b=-FRAME["score"], site=np.arange(400) % 2)
    both, ranks = frame.pu(score=["a", "b"]), []
    for pu, how in ((both, {}), (PU, {"level": 0.975}), (PU, {"models": 2})):
        ranks.append(pu.cutoff(BETA, recall=0.5, **how)["rank"][0])
    alone = both.cutoff(BETA, recall=0.5, models=1)["rank"][0]
    assert ranks == ranks[:1] * 3 and alone == PU.cutoff(BETA, recall=0.5)["rank"][0] <= ranks[0]
    for score, models in ((["a", "b"], 2), ("a", 1)):
        about = frame.pu(score=score, by="site").cutoff(BETA, recall=0.5).attrs
        assert (about["models"], about["level"]) == (models, 0.95)
        assert "recall is at least 0.5 at each" in about["statement"]


def test_beta_with_its_error_is_each_beta_within_at_what_is_left_of_the_level() -> None:
    beta = pu_accessor.beta_from_labels(60, 200, 330, level=0.98)
    found = PU.cutoff(beta, precision=0.45).iloc[0]
    within = pd.Interval(*beta[["lower", "upper"]].iloc[0])
    same = ["rank", "threshold", "lower", "upper"]
    wanted = PU.cutoff(within, precision=0.45, level=0.97).iloc[0]
    assert found[same].tolist() == wanted[same].tolist()
    betas = PU.contingency(within, ranks=3)["beta"].values
    each = [PU.cutoff(one, precision=0.45, level=0.97)["rank"].item() for one in betas]
    assert found["rank"] == min(each) > 0


def test_what_costs_nothing_is_done() -> None:
    nothing = PU.cutoff(BETA, cost=(1, 0)).iloc[0]
    assert nothing["rank"] == nothing["upper"] == 0 < nothing["attainable"]
    for cost in ([0, 2.5], (0, np.float32(1))):
        enough = PU.cutoff(BETA, cost=cost).iloc[0]
        assert enough["upper"] == enough["attainable"] == 0 < enough["rank"]


def test_lists_on_new_examples_hold_at_each_beta_of_an_interval() -> None:
    drawn = binormal(780, 1420, 200 / 780, 1, 2.0)[0]
    rising = drawn.pu.assume(monotone=True)
    alone = rising.cutoff([0.25, 0.29, 0.33], precision=0.55, target="population")["rank"]
    sure = pu_accessor.beta_from_labels(29, 100, 2000, level=0.98)
    within = rising.cutoff(sure, precision=0.55, target="population").iloc[0]
    assert 0 < within["rank"] <= alone[0] <= alone[1] <= alone[2]
    assert (within["lower"], within["upper"]) == (0.55, 1)
