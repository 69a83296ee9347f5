"""Averages of BEDROC and net benefit over groups: all samples of known positives are drawn."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor  # noqa: F401  the accessor
from pu_accessor import PUDataError, PUValueError, PUWarning
from tests.arguments.test_average import BETAS, GROUPS, draw
from tests.support.oracles import averages_oracle, practice_oracle

ALPHA, ACTS = 5.0, 0.35
NUMBERS = ["estimate", "standard_error", "lower", "upper"]
ASKED: dict[str, dict[str, Any]] = {
    "bedroc": {"alpha": ALPHA},
    "net_benefit": {"thresholds": [ACTS]},
}


def early(score: Sequence[float], truth: Sequence[int]) -> float:
    """Return BEDROC, with tied examples as over all their orders."""
    return practice_oracle.unbiased_bedroc(score, [one == 1 for one in truth], sum(truth), ALPHA)


def worth(score: Sequence[float], truth: Sequence[int]) -> float:
    """Return the net benefit of acting from a tenth of the scores on."""
    acts = np.array(score) / 10 >= ACTS
    true = (acts & (np.array(truth) == 1)).sum()
    return float((true - (acts.sum() - true) * ACTS / (1 - ACTS)) / len(score))


TRUE = {"bedroc": early, "net_benefit": worth}


# A group whose positives are at the bottom.
POOR = [10 - one for one in GROUPS[1][0]], GROUPS[1][1]


def ask(number: int, label: Sequence[Any], name: str, target: str) -> pd.Series:
    """Average over a sample of a group, and another group of which all is known."""
    all_known = [1.0 if one else None for one in POOR[1]]
    parts = [
        pd.DataFrame({"query": "sample", "score": GROUPS[number][0], "label": label}),
        pd.DataFrame({"query": "known", "score": POOR[0], "label": all_known}),
    ]
    df = pd.concat(parts)
    pu = df.assign(score=df["score"] / 10).pu(by="query")
    betas = {"sample": BETAS[f"q{number}"], "known": 0.0}
    row: pd.Series = getattr(pu, name)(betas, **ASKED[name], average=True, target=target).iloc[0]
    return row


@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("name", ASKED)
def test_over_all_samples_the_mean_is_the_truth_and_the_error_that_of_the_mean(
    name: str, number: int, target: str
) -> None:
    score, truth, known = GROUPS[number]
    found = [
        ask(number, label, name, target) for label in averages_oracle.every_label(truth, known)
    ]
    values = np.array([row["estimate"] for row in found])
    both = [TRUE[name](score, truth), TRUE[name](*POOR)]
    assert values.mean() == pytest.approx(np.mean(both), rel=1e-12)
    if known > 1 and target == "examples":
        squares = np.mean([row["standard_error"] ** 2 for row in found])
        assert squares == pytest.approx(values.var(), rel=1e-9)
    apart = [2 * abs(value - both[1]) for value in values]  # of the two groups
    if target == "population":
        errors = [row["standard_error"] for row in found]
        np.testing.assert_allclose(errors, np.array(apart) / 2, rtol=1e-9)


@pytest.mark.parametrize("name", ASKED)
def test_where_all_is_known_the_mean_of_groups_is_the_average(name: str) -> None:
    labels = [[*map(float, truth)] for _, truth, _ in GROUPS]
    parts = [
        pd.DataFrame({"query": place, "score": np.array(score) / 10, "label": label})
        for place, ((score, _, _), label) in enumerate(zip(GROUPS, labels, strict=True))
    ]
    pu = pd.concat(parts).pu(by="query", negative=0.0)
    each = getattr(pu, name)(0.0, **ASKED[name])
    found = getattr(pu, name)(0.0, **ASKED[name], average=True).iloc[0]
    truth = np.mean([TRUE[name](score, truth) for score, truth, _ in GROUPS])
    assert found["estimate"] == pytest.approx(truth, rel=1e-12)
    assert found["estimate"] == pytest.approx(each["estimate"].mean(), rel=1e-12)
    assert (found[NUMBERS[1:]] == [0, found["estimate"], found["estimate"]]).all()


def as_probabilities(df: pd.DataFrame) -> pd.DataFrame:
    """Turn scores into probabilities."""
    return df.assign(score=1 / (1 + np.exp(-df["score"])))


def test_net_benefit_is_that_of_the_metric_at_the_threshold() -> None:
    pu = as_probabilities(draw(1)).pu(by="query")

    def net_benefit(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return (tp - fp * 0.6 / 0.4) / (tp + fp + fn + tn)

    for target in ("examples", "population"):
        found = pu.net_benefit(0.1, thresholds=[0.5, 0.6], average=True, target=target)
        same = pu.metric(net_benefit, 0.1, at={"threshold": 0.6}, average=True, target=target)
        assert found["threshold"].tolist() == [0.5, 0.6]
        pd.testing.assert_frame_equal(
            found.loc[[1], NUMBERS], same[NUMBERS].set_axis([1]), rtol=1e-12
        )


@pytest.mark.parametrize("name", ASKED)
def test_clusters_of_one_group_each_change_no_number_and_shared_ones_do(name: str) -> None:
    df = as_probabilities(draw(2))
    df["patient"] = np.arange(len(df)) * 7 % 23
    df["own"] = df["patient"] + 100 * df["query"]
    how = {**ASKED[name], "average": True, "target": "population"}
    plain, own, shared = (
        getattr(df.pu(by="query", cluster=cluster), name)(0.1, **how)
        for cluster in (None, "own", "patient")
    )
    pd.testing.assert_frame_equal(plain, own)
    assert shared["estimate"].item() == plain["estimate"].item()
    assert shared["standard_error"].item() >= plain["standard_error"].item()
    assert "several groups" in shared.attrs["clusters"]


@pytest.mark.parametrize(
    ("name", "how", "error", "says"),
    [
        ("net_benefit", {"band": "dkw"}, PUValueError, "band must be left out with average=True"),
        ("bedroc", {"beta_interval": (0, 0.2)}, PUValueError, "beta_interval must be left out"),
        ("bedroc", {"average": "site"}, PUValueError, "average must be True, or name some of"),
        ("bedroc", {"alpha": 0}, PUValueError, "alpha must be"),
        ("net_benefit", {"thresholds": [1.5]}, PUValueError, "thresholds must be"),
    ],
)
def test_what_cannot_be_averaged_says_so(
    name: str, how: dict[str, Any], error: type[Exception], says: str
) -> None:
    pu = as_probabilities(draw(3)).pu(by="query")
    with pytest.raises(error, match=says):
        getattr(pu, name)(0.1, **{"average": True, **how})


def test_groups_that_say_nothing_raise() -> None:
    df = draw(4)
    with pytest.raises(PUDataError, match="scores that are probabilities"):
        df.pu(by="query").net_benefit(0.1, average=True)
    df.loc[df["query"] == 3, "label"] = np.nan
    with pytest.raises(PUDataError, match="An average needs a known positive in each group"):
        df.pu(by="query").bedroc(0.1, average=True)
    with pytest.warns(PUWarning, match="1 of 30 groups are left out"):
        found = df.pu(by="query", on_error="skip").bedroc(0.1, average=True)
    assert found["n_groups"].item() == 29


def test_lift_at_a_share_rounds_up_in_each_group() -> None:
    df = draw(5).assign(label=lambda df: df["truth"].astype(float))
    found = df.pu(by="query", negative=0.0).metric(
        "lift", 0.0, at={"fraction": 0.13}, average=True
    )
    ranked = df.sort_values("score", ascending=False)
    hits = ranked.groupby("query").head(3)["truth"].sum()  # 2.6 of 20 rows, rounded up
    assert found["estimate"].item() == pytest.approx(hits / 30 / 3 / (4 / 20), rel=1e-12)
