"""Metrics at a point of the true curve on future data: what they were, and Wilson's interval."""

import numpy as np
import pytest

from tests.cases import binormal

FRAME = binormal(200, 600, 0.3, seed=5)[0]


# Ranks and limits of the Matthews correlation, by goal, decimals of the scores, and beta.
KNOWN: dict[tuple[str, float, int, float], list[float]] = {
    ("recall", 0.4, 9, 0.1): [125, 188, 252, 0.07368, 0.308907],
    ("recall", 0.4, 0, 0.3): [322, 322, 322, 0.070909, 0.501925],
    ("recall", 0.95, 2, 0.3): [540, 640, 798, -0.182121, 0.442932],
    ("recall", 0.95, 0, 0.1): [607, 761, 800, -0.204905, 0.239737],
    ("fpr", 0.07, 9, 0.3): [49, 108, 184, -0.017603, 0.5092],
    ("fpr", 0.07, 2, 0.3): [44, 108, 206, -0.035422, 0.566623],
    ("fpr", 0.07, 0, 0.1): [17, 17, 93, -0.027284, 0.374494],
    ("precision", 0.4, 9, 0.1): [0, 31, 163, 0.0094, 0.311417],
    ("precision", 0.4, 0, 0.3): [0, 607, 607, 0.001226, 0.554908],
    ("precision", 0.4, 0, 0.36): [0, 607, 607, 0.000948, 0.552282],  # with known negatives
}


@pytest.mark.parametrize(("kind", "goal", "decimals", "beta"), KNOWN)
def test_limits_stay_as_they_are(kind: str, goal: float, decimals: int, beta: float) -> None:
    label = FRAME["label"].mask(FRAME.index >= (700 if beta == 0.36 else 800), 0)
    pu = FRAME.round(decimals).assign(label=label).pu(negative=0)
    found = pu.metric("mcc", beta, at={kind: goal}, target="population")
    ends = found[["rank_lower", "rank", "rank_upper", "lower", "upper"]].to_numpy(float)
    assert ends[0] == pytest.approx(KNOWN[kind, goal, decimals, beta], abs=1e-6)


def test_recall_at_a_threshold_needs_no_beta() -> None:
    found = FRAME.pu.metric(["recall", "fnr"], at={"threshold": 0.5})
    known = FRAME.loc[FRAME["label"] == 1, "score"]
    above, n, z2 = int((known >= 0.5).sum()), known.size, 1.959963984540054**2
    half = np.sqrt(z2 * (above * (n - above) / n + z2 / 4)) / (n + z2)
    middle = (above + z2 / 2) / (n + z2)
    wanted = np.array([[above / n, middle - half, middle + half]])
    wanted = np.concatenate([wanted, 1 - wanted[:, [0, 2, 1]]])
    np.testing.assert_allclose(found[["estimate", "lower", "upper"]], wanted)
