"""Labels by hand that stand for all unlabeled rows."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from pu_accessor import PUDataError, labeling

SHIFT, SHARE = 1.2, 0.25


def frame_of(rng: np.random.Generator, size: int = 700) -> tuple[pd.DataFrame, Any]:
    """Return examples whose better positives are known the likelier, and the truth."""
    truth = rng.random(size) < SHARE
    score = rng.normal(SHIFT * truth)
    known = truth & (rng.random(size) < np.clip(0.15 * score, 0, 1))
    return pd.DataFrame({"score": score, "label": np.where(known, 1, np.nan)}), truth


@pytest.mark.parametrize("edges", [[1.0], [0.0, 1.0, 2.0]])
def test_weights_are_unlabeled_rows_for_each_label(edges: list[float]) -> None:
    frame, truth = frame_of(np.random.default_rng(0))
    unlabeled = frame["label"].isna()
    how: Any = {"allocate": "neyman", "expected_beta": 0.2} if len(edges) > 1 else {}
    rows = frame.pu.sample_to_label(90, strata=edges, **how, random_state=1)
    rows["label"] = truth[rows.index]
    weighed = labeling.weigh_labels(frame["label"], rows)
    assert weighed.index.equals(frame.index)
    assert (weighed["weight"][~unlabeled] == 1).all()
    left = unlabeled & ~frame.index.isin(rows.index)
    assert (weighed["weight"][left] == 0).all() and weighed["label"][left].isna().all()
    part = np.searchsorted(edges, frame["score"], "right")
    assert weighed["weight"].groupby(part).sum().tolist() == pytest.approx(np.bincount(part))
    expected = labeling.add_labels(frame["label"], rows["label"])
    pd.testing.assert_series_equal(weighed["label"], expected)
    simple = labeling.weigh_labels(frame["label"], rows["label"])
    assert simple["weight"][rows.index].tolist() == pytest.approx([unlabeled.sum() / 90] * 90)
    few = rows[rows["stratum"] != rows["stratum"].cat.categories[0]]
    with pytest.raises(PUDataError, match=f"must have labels, but '< {edges[0]:g}' has no"):
        labeling.weigh_labels(frame["label"], few)
    few = few.assign(stratum=few["stratum"].astype(str))
    with pytest.raises(PUDataError, match="found must be drawn of strata that cover"):
        labeling.weigh_labels(frame["label"], few)


def test_all_labels_give_the_numbers_of_all_labels() -> None:
    frame, truth = frame_of(np.random.default_rng(1), 300)
    found = pd.Series(truth, index=frame.index)[frame["label"].isna()]
    rows = frame.assign(**labeling.weigh_labels(frame["label"], found))
    weighed = rows.pu(weight="weight", negative=False)  # nothing is unlabeled
    auroc = weighed.auroc(0)["estimate"].item()
    assert auroc == pytest.approx(roc_auc_score(truth, frame["score"]))
    precision = weighed.average_precision(0)["estimate"].item()
    assert precision == pytest.approx(average_precision_score(truth, frame["score"]))


def test_the_error_of_the_prevalence_counts_where_weights_estimate_it() -> None:
    frame, truth = frame_of(np.random.default_rng(3))
    rows = frame.pu.sample_to_label(150, random_state=0)
    found = pd.Series(truth[rows.index], index=rows.index)
    weighed = frame.assign(**labeling.weigh_labels(frame["label"], found)).pu(weight="weight")
    known = frame["label"].notna().sum()
    share = (known + found.sum() * (700 - known) / 150) / 700
    asked: dict[str, Any] = {"at": {"threshold": 1.0}, "target": "population"}
    for metric, how in (("precision", asked), ("average_precision", {})):
        pair = [pu.metric(metric, 0, **how) for pu in (weighed, weighed.assume(prevalence=share))]
        one, other = ((row["upper"] - row["lower"]).item() for row in pair)
        assert one > 1.02 * other
