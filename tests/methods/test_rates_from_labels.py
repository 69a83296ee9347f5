"""Precision, recall and false omission rate of a list, from labels by hand."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pu_accessor
from pu_accessor import PUDataError, PUKeyError, PUValueError
from tests.methods.test_beta_from_labels import drawn


def test_rates_are_those_of_exact_limits() -> None:
    rows = drawn((6, 3), (20, 30), (70, 400), known=11).assign(n_negative=2)
    rates = pu_accessor.rates_from_labels(rows, "a").set_index("quantity")
    assert [*rates.index] == ["precision", "recall", "for"]
    assert (rates["target"] == "examples").all() and (rates["level"] == 0.95).all()
    limits = {}
    for name, counts in {"a": (6, 20, 70), "b": (3, 30, 400)}.items():
        for level in (0.95, 0.95**0.5):
            row = pu_accessor.beta_from_labels(*counts, level=level).iloc[0]
            values = row[["beta", "lower", "upper"]].to_numpy(float) * counts[2]
            limits[name, level] = values + 11
    shown = rates[["estimate", "lower", "upper"]]
    assert shown.loc["precision"].tolist() == pytest.approx(limits["a", 0.95] / (11 + 2 + 70))
    assert shown.loc["for"].tolist() == pytest.approx(limits["b", 0.95] / (11 + 2 + 400))
    (a, low, high), (b, low_b, high_b) = (limits[name, 0.95**0.5] for name in "ab")
    recall = [a / (a + b), low / (low + high_b), high / (high + low_b)]
    assert shown.loc["recall"].tolist() == pytest.approx(recall)


def test_recall_covers_in_all_worlds() -> None:
    labeled, total = (5, 6), (12, 20)
    limits = np.array(
        [
            [
                pu_accessor.rates_from_labels(drawn((a, b), labeled, total, 2), "a")[
                    ["lower", "upper"]
                ].to_numpy()[1]
                for b in range(7)
            ]
            for a in range(6)
        ]
    )
    low, high = limits.transpose(2, 0, 1)
    for a in range(13):
        for b in range(21):
            recall = (a + 2) / (a + b + 4)
            held = (low <= recall + 1e-12) & (recall - 1e-12 <= high)
            first = stats.hypergeom.pmf(np.arange(6), 12, a, 5)
            assert first @ held @ stats.hypergeom.pmf(np.arange(7), 20, b, 6) >= 0.95


def test_a_list_may_be_several_strata() -> None:
    rows = drawn((6, 5, 3, 1), (12, 15, 20, 30), (40, 70, 400, 900), known=7)
    rates = pu_accessor.rates_from_labels(rows, ["b", "a"]).set_index("quantity")
    limits = {}
    for strata in ("ab", "cd"):
        for level in (0.95, 0.95**0.5):
            part = rows[rows["stratum"].isin([*strata])]
            row = pu_accessor.beta_from_labels(part, level=level).iloc[0]
            values = row[["beta", "lower", "upper"]].to_numpy(float) * row["n_unlabeled"]
            limits[strata, level] = values + 14
    shown = rates[["estimate", "lower", "upper"]]
    assert shown.loc["precision"].tolist() == pytest.approx(limits["ab", 0.95] / 124)
    assert shown.loc["for"].tolist() == pytest.approx(limits["cd", 0.95] / 1314)
    (a, low, high), (b, low_b, high_b) = (limits[name, 0.95**0.5] for name in ("ab", "cd"))
    recall = [a / (a + b), low / (low + high_b), high / (high + low_b)]
    assert shown.loc["recall"].tolist() == pytest.approx(recall)
    every = pu_accessor.rates_from_labels(rows, [*"abcd"])
    assert every["quantity"].tolist() == ["precision"]


def test_rows_of_the_list_alone_give_precision_alone() -> None:
    rates = pu_accessor.rates_from_labels(drawn((6,), (20,), (70,)), "a", level=0.8)
    assert rates["quantity"].tolist() == ["precision"]
    expected = pu_accessor.beta_from_labels(6, 20, 70, level=0.8)
    assert rates["upper"].item() == expected["upper"].item()


def test_nothing_positive_has_no_recall() -> None:
    rates = pu_accessor.rates_from_labels(drawn((0, 0), (12, 20), (12, 20)), "a")
    recall = rates.set_index("quantity").loc["recall", ["estimate", "lower", "upper"]]
    assert recall.isna().all()


def test_a_list_is_drawn_labeled_and_asked() -> None:
    rng = np.random.default_rng(5)
    truth = np.arange(3000) < 600
    frame = pd.DataFrame({"score": rng.normal(2 * truth), "label": np.where(truth, 1, np.nan)})
    frame.loc[100:, "label"] = np.nan
    rows = frame.pu.sample_to_label(200, strata=1.5, random_state=1)
    rows["label"] = truth[rows.index]
    rates = pu_accessor.rates_from_labels(rows, ">= 1.5").set_index("quantity")
    high = frame["score"] >= 1.5
    goals = {
        "precision": truth[high].mean(),
        "recall": truth[high].sum() / 600,
        "for": truth[~high].mean(),
    }
    for name, goal in goals.items():
        assert rates.loc[name, "lower"] <= goal <= rates.loc[name, "upper"]
        assert rates.loc[name, "estimate"] == pytest.approx(goal, abs=0.1)


@pytest.mark.parametrize(
    ("rows", "listed", "how", "error", "message"),
    [
        (drawn((1, 1), (2, 2), (9, 9)), "c", {}, PUKeyError, r"listed must be .* \['a', 'b'\]"),
        (
            drawn((1, 1), (2, 2), (9, 9)),
            ["a", "c"],
            {},
            PUKeyError,
            "listed must be a stratum, or",
        ),
        (drawn((1, 1), (2, 2), (9, 9)), ["a", "a"], {}, PUKeyError, "that holds each once"),
        (drawn((1, 1), (2, 2), (9, 9)), [], {}, PUKeyError, r"but \[\] was passed"),
        (drawn((1,), (2,), (9,)).assign(label=None), "a", {}, PUDataError, "stratum 'a': found"),
        (drawn((1,), (2,), (9,)), "a", {"level": 2}, PUValueError, "level must"),
        (pd.DataFrame({"label": [True]}), "a", {}, PUKeyError, "lacks"),
    ],
)
def test_lists_that_are_none(
    rows: pd.DataFrame, listed: Any, how: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        pu_accessor.rates_from_labels(rows, listed, **how)
