"""Shares of positives in bins of scores, against all samples that there are."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.oracles import completion_oracle, oracle, practice_oracle


def draw(seed: int, size: int = 60) -> pd.DataFrame:
    """Draw probabilities, some on edges of bins, and known positives."""
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < 0.5
    score = 1 / (1 + np.exp(-rng.normal(3 * truth - 2)))
    score[: size // 6] = rng.integers(0, 5, size // 6) / 4
    label = np.where(truth & (rng.random(size) < 0.4), 1.0, np.nan)
    label[rng.integers(0, size, 3)] = 0
    label[7] = 1
    return pd.DataFrame({"score": score, "label": label})


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@given(
    band=st.sampled_from(["exact", "simultaneous"]),
    frame=st.integers(0, 10**6).map(draw),
    bins=st.sampled_from([1, 4, 17, [0, 0.1, 0.45, 0.5, 1]]),
    beta=st.sampled_from([0, 0.2, 0.5, 1]),
)
def test_limits_are_those_of_all_samples(
    frame: pd.DataFrame, bins: Any, beta: float, band: str
) -> None:
    found = frame.pu(negative=0).calibration(beta, bins=bins, band=band)
    known, hidden, score = frame["label"] == 1, frame["label"].isna(), frame["score"]
    label = [{1: True, 0: False}.get(one) for one in frame["label"].tolist()]
    n, m = int(known.sum()), oracle.latent_count(beta, label.count(None))
    cuts = {cut.rank: cut for cut in completion_oracle.completed(score.tolist(), label, m)}
    edges = np.arange(bins + 1) / bins if isinstance(bins, int) else np.array(bins)
    positives = [float(cuts[(score >= edge).sum()].tp) for edge in edges[:-1]] + [0.0]
    place = np.clip(np.searchsorted(edges, score, side="right") - 1, 0, edges.size - 2)
    level = 0.95 if band == "exact" else 1 - 0.05 / np.unique(place).size
    assert [*found["left"], found["right"].iloc[-1]] == edges.tolist()
    for here, row in enumerate(found.to_dict("records")):
        inside = place == here
        k, u, size = int(known[inside].sum()), int(hidden[inside].sum()), inside.sum()
        assert (row["examples"], row["known_positive"]) == (size, k)
        numbers = [row[name] for name in ("estimate", "lower", "upper")]
        if not size:
            assert np.isnan([*numbers, row["mean_score"]]).all()
            continue
        ends = practice_oracle.bin_limits(n, m, k, round(level, 6))
        low, high = (max(min(latent, u), m - (int(hidden.sum()) - u)) for latent in ends)
        latent = max(min(positives[here] - positives[here + 1] - k, high), low)
        assert numbers == pytest.approx([(k + one) / size for one in (latent, low, high)])
        assert row["mean_score"] == pytest.approx(score[inside].mean(), rel=1e-9)
