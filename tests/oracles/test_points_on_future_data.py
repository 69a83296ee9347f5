"""Metrics at a point of the true curve on future data: against the truth, and what they were."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pu_accessor import PUTypeError
from tests.cases import binormal
from tests.support.oracles import oracle

FRAME = binormal(200, 600, 0.3, seed=5)[0]
NEW: Any = {"target": "population"}


def truth_at(score: Any, truth: Any, goal: dict[str, float]) -> oracle.Table:
    """Return the point of the curve of true labels where recall or fpr is as given."""
    ((kind, value),) = goal.items()
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)
    tp = np.append(0, np.cumsum(truth[order])[last])
    rank = np.append(0, 1 + np.flatnonzero(last))
    p, n = int(truth.sum()), int((~truth).sum())
    met = tp >= value * p if kind == "recall" else rank - tp <= value * n
    place = met.argmax() if kind == "recall" else np.flatnonzero(met)[-1]
    found, head = int(tp[place]), int(rank[place])
    return oracle.Table(head, found, head - found, p - found, n - head + found, False)


@pytest.mark.parametrize("decimals", [9, 0])
def test_limits_hold_the_point_of_the_true_curve(decimals: int) -> None:
    rng, covered = np.random.default_rng(20261127), []
    truth = rng.random(100_000) < 0.3
    score = rng.normal(1.5 * truth).round(decimals)
    for _ in range(12):
        chosen = rng.integers(0, truth.size, 600)
        known = rng.choice(np.flatnonzero(truth[chosen]), 50, replace=False)
        label = np.where(np.isin(np.arange(600), known), 1, np.nan)
        pu = pd.DataFrame({"score": score[chosen], "label": label}).pu
        beta = (truth[chosen].sum() - 50) / 550
        for goal, name in (({"recall": 0.8}, "fpr"), ({"fpr": 0.1}, "recall")):
            (row,) = pu.metric(name, beta, at=goal, **NEW).to_dict("records")
            true = oracle.metric(name, truth_at(score, truth, goal))
            covered.append(row["lower"] - 1e-3 <= true <= row["upper"] + 1e-3)
    assert np.mean(covered) >= 0.9


# Ranks and limits of the Matthews correlation, by goal, decimals of the scores, and beta.
KNOWN: dict[tuple[str, float, int, float], list[float]] = {
    ("recall", 0.4, 9, 0.1): [125, 188, 252, 0.07368, 0.308907],
    ("recall", 0.4, 0, 0.3): [322, 322, 322, 0.070909, 0.501925],
    ("recall", 0.95, 9, 0.3): [556, 646, 798, -0.182121, 0.420634],
    ("recall", 0.95, 0, 0.1): [607, 761, 800, -0.204905, 0.239737],
    ("fpr", 0.07, 9, 0.3): [49, 108, 184, -0.017603, 0.5092],
    ("fpr", 0.07, 0, 0.1): [17, 17, 93, -0.027284, 0.374494],
    ("precision", 0.4, 9, 0.1): [0, 31, 163, 0.0094, 0.311417],
    ("precision", 0.4, 0, 0.3): [0, 607, 607, 0.001226, 0.554908],
}


@pytest.mark.parametrize(("kind", "goal", "decimals", "beta"), KNOWN)
def test_limits_stay_as_they_are(kind: str, goal: float, decimals: int, beta: float) -> None:
    found = FRAME.round(decimals).pu.metric("mcc", beta, at={kind: goal}, **NEW).iloc[0]
    ends = found[["rank_lower", "rank", "rank_upper", "lower", "upper"]].astype(float)
    assert ends.tolist() == pytest.approx(KNOWN[kind, goal, decimals, beta], abs=1e-6)


def test_recall_at_a_threshold_needs_no_beta() -> None:
    found = FRAME.pu.metric(["recall", "fnr"], at={"threshold": 0.5})
    assert "beta" not in found
    known = FRAME.loc[FRAME["label"] == 1, "score"]
    above, n, z2 = int((known >= 0.5).sum()), known.size, 1.959963984540054**2
    half = np.sqrt(z2 * (above * (n - above) / n + z2 / 4)) / (n + z2)
    middle = (above + z2 / 2) / (n + z2)
    wanted = np.array([[above / n, middle - half, middle + half]])
    wanted = np.concatenate([wanted, 1 - wanted[:, [0, 2, 1]]])
    np.testing.assert_allclose(found[["estimate", "lower", "upper"]], wanted)
    with pytest.raises(PUTypeError, match="beta must be passed for 'recall'"):
        FRAME.pu.metric("recall", at={"threshold": 0.5}, target="examples")
