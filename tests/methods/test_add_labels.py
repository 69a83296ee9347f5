"""Labels by hand, put to use."""

import numpy as np
import pandas as pd

import pu_accessor
import pu_accessor.labeling


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
