"""Shares of positives in bins of scores, against counted samples and scikit-learn."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pu_accessor import PUValueError
from pu_accessor.inference.estimates.calibration import read_bin_edges
from tests.support.oracles import completion_oracle, practice_oracle

BETA = 0.2


def drawn(seed: int, size: int = 60) -> pd.DataFrame:
    """Draw probabilities of two groups, some on edges of bins, and known positives."""
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < 0.5
    score = 1 / (1 + np.exp(-rng.normal(3 * truth - 2)))
    score[: size // 6] = rng.integers(0, 5, size // 6) / 4
    label = np.where(truth & (rng.random(size) < 0.4), 1.0, np.nan)
    label[rng.integers(0, size, 3)] = 0
    label[7] = 1
    return pd.DataFrame({"site": np.arange(size) % 2, "score": score, "label": label})


@pytest.mark.parametrize("band", ["exact", "simultaneous"])
@pytest.mark.parametrize("bins", [4, [0, 0.1, 0.45, 0.5, 1]])
@pytest.mark.parametrize("seed", range(3))
def test_limits_are_those_of_all_samples(seed: int, bins: Any, band: str) -> None:
    frame = drawn(seed)
    found = frame.pu.calibration(BETA, bins=bins, band=band)
    known, hidden = frame["label"] == 1, frame["label"].isna()
    n, m, score = int(known.sum()), int(np.floor(BETA * hidden.sum() + 0.5)), frame["score"]
    label = [{1: True, 0: False}.get(one) for one in frame["label"].tolist()]
    cuts = {cut.rank: cut for cut in completion_oracle.completed(score.tolist(), label, m)}
    edges = np.linspace(0, 1, 5) if bins == 4 else np.array(bins)
    positives = [float(cuts[(score >= edge).sum()].tp) for edge in edges[:-1]] + [0.0]
    place = np.clip(np.searchsorted(edges, score, side="right") - 1, 0, 3)
    level = 0.95 if band == "exact" else 1 - 0.05 / np.unique(place).size
    assert [*found["left"], found["right"].iloc[-1]] == edges.tolist()
    for here, (_, row) in enumerate(found.iterrows()):
        inside = place == here
        k, u, size = int(known[inside].sum()), int(hidden[inside].sum()), inside.sum()
        assert (row["examples"], row["known_positive"]) == (size, k)
        if not size:
            assert row[["mean_score", "estimate", "lower", "upper"]].isna().all()
            continue
        ends = practice_oracle.bin_limits(n, m, k, round(level, 6))
        low, high = (max(min(latent, u), m - (int(hidden.sum()) - u)) for latent in ends)
        latent = max(min(positives[here] - positives[here + 1] - k, high), low)
        wanted = [(k + one) / size for one in (latent, low, high)]
        assert row[["estimate", "lower", "upper"]].tolist() == pytest.approx(wanted)
        width = edges[here + 1] - edges[here]
        assert row["mean_score"] == pytest.approx(score[inside].mean(), abs=width / 400)


def test_mean_scores_count_each_two_hundredth_of_a_bin() -> None:
    rng, edges = np.random.default_rng(2), np.array([0, 0.1, 0.5, 1])
    place, part = rng.integers(0, 3, 300), rng.integers(0, 200, 300)
    score = edges[place] + np.diff(edges)[place] * (part + 0.5) / 200  # where it is taken to be
    frame = pd.DataFrame({"score": score, "label": np.where(rng.random(300) < 0.3, 1, np.nan)})
    found = frame.pu.calibration(BETA, bins=edges)
    wanted = frame.groupby(place)["score"].mean()
    np.testing.assert_allclose(found["mean_score"], wanted, rtol=1e-12)


def test_bins_from_one_to_a_million() -> None:
    frame = drawn(3)
    whole = frame.pu.calibration(BETA, bins=1)
    pd.testing.assert_frame_equal(whole, frame.pu.calibration(BETA, bins=[0, 1]))
    assert whole[["left", "right", "examples"]].to_numpy().tolist() == [[0, 1, 60]]
    np.testing.assert_array_equal(read_bin_edges(10**6), np.arange(10**6 + 1) / 10**6)
    with pytest.raises(PUValueError, match="bins must be from 1 to 1,000,000, but 1000001"):
        read_bin_edges(10**6 + 1)
