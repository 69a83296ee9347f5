"""Count what columns contain, for a repr; nothing is sorted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.ranking import BoolArray
from pu_accessor.roles_and_assumptions import Terms
from pu_accessor.sources.column_values import (
    check_not_empty,
    check_real,
    number_clusters,
    read_multiplicity,
)
from pu_accessor.sources.columns import Columns, list_columns
from pu_accessor.sources.label_states import read_labels

MAX_ROWS_LOOKED_UP = 1 << 20  # by value, as a repr must be fast
_MISSING = {
    "raise": "nan_policy='omit' or 'worst'",
    "omit": "dropped",
    "worst": "ranked last",
    "unretrieved": "below any cutoff",
}


def count_columns(columns: Columns, roles: Terms) -> dict[str, str]:
    """Count the examples of each kind, clusters, weights, distinct and missing scores."""
    scores = [column for role, column in columns if role == "score"]
    (_, labels), *others = columns[len(scores) :]
    check_not_empty(labels.size)
    for column in scores:
        check_real(column)
    known = read_labels(labels, roles)
    count = next((read_multiplicity(*pair) for pair in others if pair[0] == "count"), None)
    if count is not None:
        known = known._replace(count=count)
    kinds = ("known positives", "known negatives", "unlabeled")
    counts = {kind: f"{size:,}" for kind, size in zip(kinds, known.sizes(), strict=True)}
    is_small = labels.size <= MAX_ROWS_LOOKED_UP
    for role, column in others:
        if role != "propensity" and is_small:
            counts[f"{role}s"] = _count_other(role, column, known.positive)
    missing = sum(int(column.isna().sum()) for column in scores)
    if len(scores) > 1:
        counts["models"] = f"{len(scores):,}: {list_columns([column.name for column in scores])}"
    elif is_small:
        distinct, scored = scores[0].nunique(), scores[0].size - missing
        of_scores = "" if distinct == scored else f" in {scored:,} scores (ties share a cutoff)"
        counts["distinct scores"] = f"{distinct:,}{of_scores}"
    if missing:
        counts["missing scores"] = f"{missing:,}: {_MISSING[roles.nan_policy]}"
    return counts


def _count_other(role: str, column: pd.Series[Any], positive: BoolArray) -> str:
    """Return the number of clusters, or the range and the sum of weights or counts."""
    if role != "cluster":
        times, form = read_multiplicity(role, column), ",d" if role == "count" else ",g"
        text = f"{times.min():{form}} to {times.max():{form}}, {times.sum():{form}} in all"
        return f"{text}, {times[positive].sum():{form}} of known positives"
    numbers, _ = number_clusters(column)
    rows = np.bincount(numbers)
    low, high = rows[rows > 0].min(), rows.max()
    size = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    known = np.unique(numbers[positive]).size
    return f"{np.count_nonzero(rows):,} of {size} rows, {known:,} with a known positive"
