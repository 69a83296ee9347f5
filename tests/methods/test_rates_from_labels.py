"""Precision, recall and false omission rate of a list, from labels by hand."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pu_accessor
from pu_accessor import labeling
from tests.methods.test_beta_from_labels import drawn


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
