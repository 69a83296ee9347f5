"""AUROC from both kinds of known examples, ``auroc(reference="both")``, against a slow oracle."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import pu_accessor
from pu_accessor import PUDataError, PUValueError
from tests.cases import binormal, put
from tests.support.oracles import checks_oracle as oracle

BETA, (DF, _, TRUTH) = 0.5, binormal(240, 500, 1 / 6, 0, shift=1.2)
DF = DF.assign(truth=TRUTH, site=np.resize([*"ab"], 740))
DF.loc[240:539, "label"] = 0


@pytest.mark.parametrize("beta", [0.0, 0.2, 0.45])
@pytest.mark.parametrize("seed", range(5))
def test_both_statistics_are_averaged_with_least_variance(seed: int, beta: float) -> None:
    rng = np.random.default_rng(seed)
    label: list[bool | None] = [True] * (3 + seed) + [False] * (1 + 2 * seed) + [None] * 25
    good = np.array([1.0 if y is True else 0.2 if y is None else 0.0 for y in label])
    score = np.round(rng.normal(good), 1 + seed % 2)
    frame = pd.DataFrame({"score": score, "label": pd.array(label, "boolean")})
    answer = frame.pu.auroc(beta, reference="both", level=0.9)
    found = answer.iloc[0]
    placed = oracle.place(score.tolist(), label)
    value, error, lower, upper = oracle.auroc_of_both(placed, beta, 0.9)
    assert found["estimate"] == pytest.approx(min(value, 1.0), abs=2e-5)
    assert found["standard_error"] == pytest.approx(error, rel=1e-3)
    if 0 < value < 1:
        assert found[["lower", "upper"]].tolist() == pytest.approx([lower, upper], abs=1e-3)
    assert answer.attrs["reference"] == "both" and answer.attrs["target"] == "population"


def test_where_many_negatives_are_known_it_is_of_these_alone() -> None:
    known, found = DF.dropna(subset="label"), DF.pu.auroc([0.3, 0.7], reference="both")
    against = roc_auc_score(known["label"], known["score"])
    assert found["estimate"].tolist() == pytest.approx([against] * 2)


def test_where_all_is_labeled_there_is_one_statistic() -> None:
    labeled = DF.assign(label=DF["truth"].astype(float)).pu(negative=0)
    one, other = (labeled.auroc(0, reference=kind) for kind in ("both", "positives"))
    assert one.attrs.pop("reference") == "both"
    pd.testing.assert_frame_equal(one, other)


def test_groups_pieces_and_estimates_of_beta() -> None:
    found = DF.pu(by="site").auroc([0.3, BETA], reference="both")
    for site, part in DF.groupby("site"):
        own = part.pu.auroc([0.3, BETA], reference="both")
        rows = found[found["site"] == site].drop(columns="site").reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, own, check_index_type=False)
    pieces = pu_accessor.from_chunks([DF[:300], DF[300:]]).auroc(BETA, reference="both")
    whole = DF.pu.auroc(BETA, reference="both")
    pd.testing.assert_frame_equal(pieces, whole)
    estimate = pu_accessor.beta_from_labels(50, 100, 400)
    fewer = DF[(DF["label"] != 0) | (np.arange(len(DF)) % 40 == 0)]
    point, joint = (fewer.pu.auroc(b, reference="both").iloc[0] for b in (BETA, estimate))
    assert joint["lower"] < point["lower"] and joint["upper"] > point["upper"]


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"target": "examples"}, "'positives' with target='examples', but 'both'"),
        ({"max_fpr": 0.1}, "'positives' with max_fpr=0.1"),
        ({"selection_odds": 2}, "'positives' with selection_odds=2"),
        ({"by": "site", "average": True}, "'positives' with average=True"),
        ({"cluster": "site"}, "'positives' where cluster, weight or pool is bound"),
        ({"by": "site", "pool": True}, "'positives' where cluster, weight or pool is bound"),
        ({"reference": "tightest"}, r"one of \['both', 'positives'\], but 'tightest'"),
    ],
)
def test_bad_input_is_named(how: dict[str, Any], told: str) -> None:
    with pytest.raises(PUValueError, match=f"reference must be {told}") as error:
        put(DF.pu, "auroc", 0.3, **{"reference": "both", **how})
    assert len(str(error.value)) <= 300


def test_propensities_and_no_known_negatives_are_refused() -> None:
    with pytest.raises(PUValueError, match="target must be 'examples' with propensity"):
        DF.assign(p=0.5).pu(propensity="p").auroc(0.3, reference="both")
    with pytest.raises(PUDataError, match="reference needs known negatives"):
        DF[DF["label"] != 0].pu.auroc(0.3, reference="both")


def test_positives_can_hide_among_negatives_that_are_tied_last() -> None:
    rng = np.random.default_rng(0)
    label = np.repeat([1, 0, np.nan], [30, 200, 400])
    score = np.concatenate([rng.normal(4, 1, 30), rng.normal(0, 1, 600)])
    score[30:130] = np.where(rng.random(100) < 0.5, rng.normal(4, 1, 100), score[30:130])
    apart = pd.DataFrame({"score": score, "label": label})
    tied = apart.assign(score=np.maximum(score, 0.5))  # most negatives, and no known positive
    few = tied.assign(score=np.maximum(score, np.sort(score[label != 1])[12]))  # 2% of them
    each = (rows.pu(negative=0).auroc(0.1, reference="both") for rows in (apart, tied, few))
    one, other, third = (found.iloc[0] for found in each)
    assert other["estimate"] == pytest.approx(one["estimate"], abs=0.02)
    assert other["lower"] < one["lower"] - 0.02
    assert third["lower"] == pytest.approx(one["lower"], abs=0.002)
