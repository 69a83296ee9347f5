"""The rows with the best scores, of each group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.sources.groups import Groups
from pu_accessor.sources.scores import read_scores

__all__ = ["take_best"]


def take_best(
    frame: pd.DataFrame, score: pd.Series[Any], groups: Groups | None, sizes: Sequence[int]
) -> pd.DataFrame:
    """Return the rows with the best scores."""
    order = np.argsort(-read_scores(score), kind="stable")  # NaN last
    if groups is None:
        return frame.iloc[order[: sizes[0]]]
    group = np.full(len(frame), -1)
    for number, rows in enumerate(groups.rows):
        group[rows] = number
    group = group[order]
    taken = [order[group == number][:size] for number, size in enumerate(sizes)]
    return frame.iloc[np.concatenate(taken)]
