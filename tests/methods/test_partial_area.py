"""A part of the area under the ROC curve on new examples: derivatives, coverage, refusals."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from tests.cases import binormal
from tests.support.oracles import population_oracle as oracle

NUMBERS = ["estimate", "standard_error", "lower", "upper"]
BETA = 70 / 440


def draw(seed: int, known: int = 60) -> pd.DataFrame:
    """Draw 500 examples, 130 of them positive."""
    return binormal(130, 370, known / 130, seed, 1.5)[0].assign(site=np.resize(["a", "b"], 500))


@pytest.mark.parametrize(
    ("seed", "digits", "limit"), [(0, 1, 0.033), (1, 1, 0.217), (2, 6, 0.217), (0, 6, 0.83)]
)
def test_all_labeled_its_error_is_of_derivatives(seed: int, digits: int, limit: float) -> None:
    rng, truth = np.random.default_rng(seed), np.arange(60) < 25
    score = np.round(rng.normal(1.3 * truth), digits)
    pu = pd.DataFrame({"score": score, "label": truth}).pu(negative=False)
    row = pu.auroc(0, max_fpr=limit).iloc[0]
    assert row["estimate"] == pytest.approx(roc_auc_score(truth, score, max_fpr=limit))

    def area(of_known: Any, of_rest: Any) -> float:
        weight = np.concatenate([of_known, of_rest])
        return float(roc_auc_score(truth, score, max_fpr=limit, sample_weight=weight))

    pulls = oracle.pulls_on(area, [np.full(25, 1 / 25), np.full(35, 1 / 35)])
    error = math.sqrt(sum(float(np.var(pull, ddof=1)) / pull.size for pull in pulls))
    assert row["standard_error"] == pytest.approx(error, rel=1e-4)
    assert 0 <= row["lower"] < row["estimate"] < row["upper"] <= 1


@pytest.mark.parametrize("seed", [0, 1])
def test_nearly_the_whole_area_has_nearly_the_same_error(seed: int) -> None:
    pu = draw(seed).pu
    whole, same = pu.auroc(BETA), pu.auroc(BETA, max_fpr=1)
    pd.testing.assert_frame_equal(same, whole)
    part = pu.auroc(BETA, max_fpr=1 - 1e-9).loc[0, NUMBERS[:2]].tolist()
    assert part == pytest.approx(whole.loc[0, NUMBERS[:2]].tolist(), rel=1e-6)
    new, these = (
        pu.auroc(BETA, max_fpr=0.2, target=target).iloc[0] for target in ("population", "examples")
    )
    assert new["estimate"] == pytest.approx(these["estimate"])
    assert new["standard_error"] > these["standard_error"]


@pytest.mark.parametrize("limit", [0.05, 0.115, 0.3])
def test_the_error_counts_ranks_below_the_limit_after_known_positives(limit: float) -> None:
    # Blocks of tied scores; where many known ones enter there are fewer false positives after.
    known, size = [0, 12, 3, 12, 2, 1, 0], [30, 14, 16, 13, 60, 90, 77]
    n, positives, negatives, fine = 30, 60, 240, 4000
    blocks = [[1.0] * k + [np.nan] * (s - k) for k, s in zip(known, size, strict=True)]
    score = np.repeat(np.arange(7, 0, -1), size)
    pu = pd.DataFrame({"score": score, "label": np.concatenate(blocks)}).pu
    row = pu.auroc(30 / 270, max_fpr=limit, target="examples").iloc[0]
    rank = np.concatenate([[0], np.cumsum(size)])
    false = rank - positives * np.concatenate([[0], np.cumsum(known)]) / n
    place = np.linspace(0, 300, 300 * fine + 1)
    below = np.interp(place, rank, false) < limit * negatives
    later = below[::-1].cumsum()[::-1] / fine
    means = [later[a * fine : b * fine].mean() for a, b in pairwise(rank)]
    scale = negatives * (2 * limit - limit**2)
    spread = np.std(np.repeat(means, known), ddof=1)
    error = spread / math.sqrt(n) * math.sqrt(1 - n / positives) / scale
    assert row["standard_error"] == pytest.approx(error, rel=1e-3)
