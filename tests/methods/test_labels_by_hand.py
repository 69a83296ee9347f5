"""Labels that a person adds: weighed, counted as rates of a list, and put into the example."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

import pu_accessor
import pu_accessor.labeling
from pu_accessor import PUDataError, labeling
from tests.methods.test_beta_from_labels import drawn
from tests.support import example

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
    with pytest.raises(PUDataError, match="found must have strata that cover"):
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


def test_labels_by_hand_are_put_to_use() -> None:
    truth, label = np.arange(600) < 150, pd.Series([1] * 40 + [np.nan] * 560, name="label")
    rows = np.random.default_rng(0).choice(np.arange(40, 600), 100, replace=False)
    found = pd.Series(truth[rows], index=rows)
    added = pu_accessor.labeling.add_labels(label, found)
    assert added.name == "label" and added.index.equals(label.index)
    assert added[rows].tolist() == truth[rows].tolist() and (added[:40] == True).all()  # noqa: E712
    row = pu_accessor.beta_from_labels(int(found.sum()), 100, 560, rest=True).iloc[0]
    assert row["n_unlabeled"] == added.isna().sum()
    assert row["lower"] <= truth[added.isna()].mean() <= row["upper"]


@pytest.mark.parametrize(
    ("rows", "listed"),
    [
        (drawn((6, 3), (20, 30), (70, 400), known=11).assign(n_negative=2), "a"),
        (drawn((6, 5, 3, 1), (12, 15, 20, 30), (40, 70, 400, 900), known=7), ["b", "a"]),
    ],
)
def test_rates_are_those_of_exact_limits(rows: pd.DataFrame, listed: Any) -> None:
    rates = labeling.rates_from_labels(rows, listed).set_index("metric")
    assert [*rates.index] == ["precision", "recall", "for"]
    assert (rates["target"] == "examples").all() and (rates["level"] == 0.95).all()
    strata = rows.drop_duplicates("stratum").set_index("stratum")
    shown, wide = rates[["estimate", "lower", "upper"]], []
    on_list = rows["stratum"].isin([*listed])
    for name, some in (("precision", on_list), ("for", ~on_list)):
        of_these = strata.loc[rows["stratum"][some].unique()]
        unlabeled, known = of_these["n_unlabeled"].sum(), of_these["n"].sum()
        for level in (0.95, 0.95**0.5):
            beta = pu_accessor.beta_from_labels(rows[some], level=level).iloc[0]
            found = beta[["beta", "lower", "upper"]].to_numpy(float) * unlabeled + known
            if level == 0.95:
                size = unlabeled + known + of_these["n_negative"].sum()
                assert shown.loc[name].tolist() == pytest.approx(found / size)
        wide.append(found)
    (a, low, high), (b, low_b, high_b) = wide
    recall = [a / (a + b), low / (low + high_b), high / (high + low_b)]
    assert shown.loc["recall"].tolist() == pytest.approx(recall)


def test_recall_covers_in_all_worlds() -> None:
    def limits(a: int, b: int) -> list[float]:
        rows = labeling.rates_from_labels(drawn((a, b), (5, 6), (12, 20), 2), "a")
        return rows[["lower", "upper"]].iloc[1].tolist()

    low, high = np.array([[limits(a, b) for b in range(7)] for a in range(6)]).transpose(2, 0, 1)
    for a, b in product(range(13), range(21)):
        recall = (a + 2) / (a + b + 4)
        held = (low <= recall + 1e-12) & (recall - 1e-12 <= high)
        first = stats.hypergeom.pmf(np.arange(6), 12, a, 5)
        assert first @ held @ stats.hypergeom.pmf(np.arange(7), 20, b, 6) >= 0.95


def test_rows_of_the_list_alone_give_precision_alone() -> None:
    rates = labeling.rates_from_labels(drawn((6,), (20,), (70,)), "a", level=0.8)
    assert rates["metric"].tolist() == ["precision"]
    expected = pu_accessor.beta_from_labels(6, 20, 70, level=0.8)
    assert rates["upper"].item() == expected["upper"].item()
    every = labeling.rates_from_labels(TWO, ["a", "b"])
    assert every["metric"].tolist() == ["precision"]
    none = labeling.rates_from_labels(drawn((0, 0), (12, 20), (12, 20)), "a")
    assert none.set_index("metric").loc["recall", ["estimate", "lower", "upper"]].isna().all()


def test_a_list_is_drawn_labeled_and_asked() -> None:
    truth = np.arange(3000) < 600
    score = np.random.default_rng(5).normal(2 * truth)
    frame = pd.DataFrame({"score": score, "label": np.where(np.arange(3000) < 100, 1, np.nan)})
    rows = frame.pu.sample_to_label(200, strata=1.5, random_state=1)
    rows["label"] = truth[rows.index]
    rates = labeling.rates_from_labels(rows, ">= 1.5").set_index("metric")
    high = frame["score"] >= 1.5
    goals = [truth[high].mean(), truth[high].sum() / 600, truth[~high].mean()]
    for name, goal in zip(("precision", "recall", "for"), goals, strict=True):
        assert rates.loc[name, "lower"] <= goal <= rates.loc[name, "upper"]
        assert rates.loc[name, "estimate"] == pytest.approx(goal, abs=0.1)


TWO = drawn((1, 1), (2, 2), (9, 9))


def test_columns() -> None:
    df = pu_accessor.load_example()
    assert [*df] == ["site", "score", "old_score", "label", "truth"]
    assert len(df) == 2_000 and {*df["site"]} == {"east", "west"}
    assert df["truth"].dtype == bool
    assert df[["score", "old_score"]].stack().between(0, 1, inclusive="neither").all()
    known = df["label"].eq(1)
    assert df["truth"][known].all() and df["label"][~known].isna().all()
    assert 0 < known.sum() < df["truth"].sum()
    df["score"] = 0  # each call returns rows of its own
    assert pu_accessor.load_example()["score"].nunique() > 1_900


def test_the_script_draws_these_rows() -> None:
    drawn = example.draw()
    pd.testing.assert_frame_equal(pu_accessor.load_example(), drawn, rtol=0, atol=2e-6)
    assert Path(pu_accessor.__file__).parent / "example.csv" == example.PATH
    scores = drawn[["score", "old_score"]].to_numpy()
    assert np.array_equal(scores, scores.round(6))
