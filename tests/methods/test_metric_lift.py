"""Enrichment factors, which are the lift at a fraction: against the papers' definitions."""

import numpy as np
import pandas as pd
import pytest

from tests.methods.test_bedroc import BETA, FRAME, ranked
from tests.support.oracles import practice_oracle


@pytest.mark.parametrize("fraction", [0.01, 0.1, 0.25, 0.3, 1])
@pytest.mark.parametrize("seed", range(4))
def test_fully_labeled_enrichment_is_that_of_the_paper(seed: int, fraction: float) -> None:
    rng = np.random.default_rng(seed)
    active = rng.random(47) < 0.3
    found = ranked(active).pu(negative=0).metric("lift", 0, at={"fraction": fraction})
    wanted = practice_oracle.enrichment(active.tolist(), fraction)
    numbers = found.loc[0, ["estimate", "lower", "upper"]].tolist()
    assert numbers == pytest.approx([wanted] * 3, abs=1e-12)


@pytest.mark.parametrize("fraction", [0.05, 0.1, 0.5])
def test_enrichment_is_the_lift_at_a_rank(fraction: float) -> None:
    ats: list[dict[str, float]] = [{"fraction": fraction}, {"rank": round(fraction * len(FRAME))}]
    found, lift = (FRAME.pu.metric("lift", [0.1, BETA], at=at) for at in ats)
    pd.testing.assert_frame_equal(found, lift)


def test_a_top_has_no_more_positives_than_places() -> None:
    frame = ranked([1] * 10 + [np.nan] * 90)
    found = frame.pu.metric("lift", 0.2, at={"fraction": [0.05, 0.1, 0.28, 0.5]})
    # 28 positives: in the top are half of the known ones, then all of them.
    wanted = np.array([5 / 28, 10 / 28, 1, 1]) / [0.05, 0.1, 0.28, 0.5]
    assert found["estimate"].to_list() == pytest.approx(wanted)
    assert (found["lower"] <= found["estimate"]).all()
    assert (found["estimate"] <= found["upper"]).all()


def test_a_top_within_ties_lies_between_both_ends() -> None:
    frame = FRAME.assign(score=FRAME["score"].round())
    found = frame.pu.metric("lift", BETA, at={"fraction": 0.2}).iloc[0]
    ranks = frame.pu.contingency(BETA)["rank"].to_numpy()
    around = ranks[ranks <= 60][-1], ranks[ranks > 60][0]
    start, end = (
        frame.pu.metric("recall", BETA, at=int(rank), level=0.975).iloc[0] for rank in around
    )
    part = (60 - around[0]) / (around[1] - around[0])
    for side in ("lower", "upper"):
        assert found[side] == pytest.approx(((1 - part) * start[side] + part * end[side]) / 0.2)
    unlabeled = pd.concat([frame, pd.DataFrame({"score": [9.0] * 20, "label": np.nan})])
    found = unlabeled.pu.metric("lift", BETA, at={"fraction": 10 / 320}).iloc[0]
    assert (found["rank"], found["estimate"], found["lower"]) == (10, 0, 0)
