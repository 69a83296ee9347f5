"""Enrichment factors, which are the lift at a fraction: against the papers' definitions."""

import numpy as np
import pandas as pd
import pytest

from tests.methods.test_bedroc import BETA, FRAME, ranked
from tests.support.oracles import completion_oracle, oracle, practice_oracle


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
def test_enrichment_has_the_limits_of_the_exact_band(fraction: float) -> None:
    found = FRAME.pu.metric("lift", [0.1, BETA], at={"fraction": fraction})
    lift = FRAME.pu.metric("lift", [0.1, BETA], at={"rank": round(fraction * len(FRAME))})
    assert found["rank"].tolist() == lift["rank"].tolist()
    np.testing.assert_allclose(found[["lower", "upper"]], lift[["lower", "upper"]], rtol=1e-12)
    wanted = [true_share(beta, round(fraction * len(FRAME))) / fraction for beta in (0.1, BETA)]
    assert found["estimate"].tolist() == pytest.approx(wanted, rel=1e-12)


def true_share(beta: float, rank: int) -> float:
    """Return the estimated share of positives above a rank, by the oracle."""
    labels = [None if np.isnan(one) else True for one in FRAME["label"]]
    m = oracle.latent_count(beta, labels.count(None))
    tables = completion_oracle.estimates(FRAME["score"].tolist(), labels, m)
    return next(float(t.tp) / (t.tp + t.fn) for t in tables if t.rank == rank)


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
