"""Labels by hand, put to use."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import PUDataError, PUTypeError, PUValueError, labeling


def test_labels_by_hand_are_put_to_use() -> None:
    truth, label = np.arange(600) < 150, pd.Series([1] * 40 + [np.nan] * 560, name="label")
    rows = np.random.default_rng(0).choice(np.arange(40, 600), 100, replace=False)
    found = pd.Series(truth[rows], index=rows)
    added = labeling.add_labels(label, found)
    assert added.name == "label" and added.index.equals(label.index)
    assert added[rows].tolist() == truth[rows].tolist() and (added[:40] == True).all()  # noqa: E712
    row = pu_accessor.beta_from_labels(int(found.sum()), 100, 560, rest=True).iloc[0]
    assert row["n_unlabeled"] == added.isna().sum()
    assert row["lower"] <= truth[added.isna()].mean() <= row["upper"]


@pytest.mark.parametrize(
    ("found", "error", "message"),
    [
        ([True], PUTypeError, "found must be a Series"),
        (pd.Series({0: True}), PUDataError, r"unlabeled, but \[0\] are labeled"),
        (pd.Series({9: True}), PUDataError, r"\[9\] are none"),
        (pd.Series([True, False], index=[1, 1]), PUDataError, "an index repeats"),
        (pd.Series([True, None], index=[1, 2]), PUDataError, "1 of 2 are missing"),
        (pd.Series(["yes"], index=[1]), PUValueError, "'yes'"),
    ],
)
def test_labels_by_hand_that_are_none(found: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        labeling.add_labels(pd.Series([1, None, None]), found)
