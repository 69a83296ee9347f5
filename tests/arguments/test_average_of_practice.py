"""Averages over groups: all samples of known positives are drawn; those of practice."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pu_accessor import bedroc
from tests.arguments.test_average import AREAS, draw
from tests.cases import put
from tests.support.oracles import averages_oracle, practice_oracle

ALPHA, ACTS = 5.0, 0.35
NUMBERS = ["estimate", "standard_error", "lower", "upper"]
ASKED: dict[str, dict[str, Any]] = {
    "bedroc": {"metric": bedroc(alpha=ALPHA)},
    "net_benefit": {"metric": "net_benefit", "at": {"threshold": ACTS}},
    "auroc": {"metric": "auroc"},
    "average_precision": {"metric": "average_precision"},
    "metric": {"metric": "precision", "at": 4},
}
PRACTICE = [*ASKED][:2]
# Scores, the truth, and how many positives are known; hidden ones differ between groups.
GROUPS: list[tuple[list[float], list[int], int]] = [
    ([9.0, 8, 7, 6, 5, 4, 3, 2], [1, 0, 1, 0, 0, 1, 0, 0], 1),
    ([5.0, 5, 4, 3, 3, 2, 1, 1, 0], [1, 0, 1, 1, 0, 0, 1, 0, 0], 2),
    ([1.0, 2, 3, 4, 5, 6], [1, 0, 1, 0, 0, 0], 1),
    ([0.5, 0.5, 0.4, 0.4, 0.1, 0.1, 0.0], [0, 1, 1, 0, 1, 0, 0], 3),
]
# A group whose positives are at the bottom.
POOR = [10 - one for one in GROUPS[1][0]], GROUPS[1][1]


def early(score: Sequence[float], truth: Sequence[int]) -> float:
    """Return BEDROC, with tied examples as over all their orders."""
    return practice_oracle.unbiased_bedroc(score, [one == 1 for one in truth], sum(truth), ALPHA)


def worth(score: Sequence[float], truth: Sequence[int]) -> float:
    """Return the net benefit of acting from a tenth of the scores on."""
    acts = np.array(score) / 10 >= ACTS
    true = (acts & (np.array(truth) == 1)).sum()
    return float((true - (acts.sum() - true) * ACTS / (1 - ACTS)) / len(score))


TRUE: dict[str, Callable[[list[float], list[int]], float]] = {
    "bedroc": early,
    "net_benefit": worth,
    "auroc": averages_oracle.true_auroc,
    "average_precision": averages_oracle.true_average_precision,
    "metric": lambda score, truth: averages_oracle.true_precision(score, truth, 4),
}


def ask(number: int, label: Sequence[Any], name: str, target: str) -> pd.Series:
    """Average over a sample of a group, and another group of which all is known."""
    score, truth, known = GROUPS[number]
    all_known = [1.0 if one else None for one in POOR[1]]
    sample = pd.DataFrame({"query": "sample", "score": score, "label": label})
    other = pd.DataFrame({"query": "known", "score": POOR[0], "label": all_known})
    df = pd.concat([sample, other])
    pu = df.assign(score=df["score"] / 10).pu(by="query")
    betas = {"sample": (sum(truth) - known) / (len(truth) - known), "known": 0.0}
    how = {**ASKED[name], "beta": betas, "average": True, "target": target}
    row: pd.Series = put(pu, "metric", **how).iloc[0]
    return row


@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("name", ASKED)
def test_over_all_samples_means_and_errors_are_true(name: str, number: int, target: str) -> None:
    score, truth, known = GROUPS[number]
    if (name, known) == ("average_precision", 1) or (name == "metric" and number % 2):
        return  # which needs two known positives, or no ties at the cutoff
    labels = averages_oracle.every_label(truth, known)
    found = pd.DataFrame([ask(number, label, name, target) for label in labels])
    values, poor = found["estimate"], TRUE[name](*POOR)
    assert values.mean() == pytest.approx((TRUE[name](score, truth) + poor) / 2, rel=1e-12)
    square = (found["standard_error"] ** 2).mean()
    if target == "population":
        expected = abs(values - poor).clip(upper=0.5)
        np.testing.assert_allclose(found["standard_error"], expected, rtol=1e-9)
    elif known > 1 and name != "average_precision":
        assert square == pytest.approx(values.var(ddof=0), rel=1e-9)
    elif name in AREAS:  # it is no less
        assert square >= values.var(ddof=0) * (1 - 1e-9)


def as_probabilities(df: pd.DataFrame) -> pd.DataFrame:
    """Turn scores into probabilities."""
    return df.assign(score=1 / (1 + np.exp(-df["score"])))


@pytest.mark.parametrize("target", ["population", "examples"])
def test_net_benefit_is_that_of_the_metric_at_the_threshold(target: str) -> None:
    pu: Any = as_probabilities(draw(1)).pu(by="query")
    how = {"average": True, "target": target}
    found = put(pu, "metric", "net_benefit", 0.1, at={"threshold": [0.5, 0.6]}, **how)

    def worth_at(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return (tp - fp * 0.6 / 0.4) / (tp + fp + fn + tn)

    same = put(pu, "metric", worth_at, 0.1, at={"threshold": 0.6}, **how)[NUMBERS].set_axis([1])
    assert found["at"].tolist() == [0.5, 0.6]
    pd.testing.assert_frame_equal(found.loc[[1], NUMBERS], same, rtol=1e-12)


@pytest.mark.parametrize("name", PRACTICE)
def test_clusters_of_one_group_each_change_no_number_and_shared_ones_do(name: str) -> None:
    df = as_probabilities(draw(2))
    df["patient"] = np.arange(len(df)) * 7 % 23
    df["own"] = df["patient"] + 100 * df["query"]
    how = {**ASKED[name], "average": True, "target": "population"}
    each = [df.pu(by="query", cluster=cluster) for cluster in (None, "own", "patient")]
    plain, own, shared = (put(pu, "metric", beta=0.1, **how) for pu in each)
    pd.testing.assert_frame_equal(plain, own)
    assert shared["estimate"].item() == plain["estimate"].item()
    assert shared["standard_error"].item() >= plain["standard_error"].item()
    assert "several groups" in shared.attrs["clusters"]


def test_lift_at_a_share_rounds_up_in_each_group() -> None:
    df = draw(5).assign(label=lambda df: df["truth"].astype(float))
    pu = df.pu(by="query", negative=0.0)
    found = pu(average=True).metric("lift", 0.0, at={"fraction": 0.13}, target="population")
    ranked = df.sort_values("score", ascending=False)
    hits = ranked.groupby("query").head(3)["truth"].sum()  # 2.6 of 20 rows, rounded up
    assert found["estimate"].item() == pytest.approx(hits / 30 / 3 / (4 / 20), rel=1e-12)
