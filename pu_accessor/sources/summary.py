"""What columns hold, counted for a repr: nothing is sorted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pu_accessor.errors import PUValueError
from pu_accessor.sources.columns import Columns, check_real, read_states
from pu_accessor.sources.roles import Roles

if TYPE_CHECKING:
    import pandas as pd


FEW_ROWS = 1 << 20  # more are not looked up by value: a repr shall come at once
_SHOWN = 20
_MISSING = {
    "raise": "nan_policy='omit' or 'worst'",
    "omit": "dropped",
    "worst": "ranked last",
}


def count_columns(columns: Columns, roles: Roles, ties: bool = True) -> dict[str, str]:
    """Count what columns of scores and labels hold."""
    scores, labels = columns.scores, columns.labels
    if not labels.size:
        raise PUValueError("score and label must hold at least one example, but are empty.")
    for column in scores:
        check_real(column)
    known = read_states(labels, roles)
    positive, negative = (int(np.count_nonzero(kind)) for kind in known[:2])
    counts = {
        "known positives": f"{positive:,}",
        "known negatives": f"{negative:,}",
        "unlabeled": f"{labels.size - positive - negative:,}",
    }
    missing = sum(int(column.isna().sum()) for column in scores)
    if len(scores) > 1:
        counts["models"] = f"{len(scores):,}: {list_columns([column.name for column in scores])}"
    elif ties and labels.size <= FEW_ROWS:
        counts["distinct scores"] = _count_ties(scores[0], scores[0].size - missing)
    if missing:
        counts["missing scores"] = f"{missing:,}: {_MISSING[roles.nan_policy]}"
    return counts


def _count_ties(column: pd.Series[Any], scored: int) -> str:
    """Say how many distinct scores there are, and among how many."""
    distinct = column.nunique()
    ties = "" if distinct == scored else f" in {scored:,} scores (ties share a cutoff)"
    return f"{distinct:,}{ties}"


def list_columns(names: Sequence[object]) -> str:
    r"""Return the first names, for a repr: on one line, whatever they are.

    Examples
    --------
    >>> list_columns(["svm", 7, "two\nlines"])
    "svm, 7, 'two\\nlines'"
    """
    texts = (str(name) for name in names[:_SHOWN])
    more = ", ..." if len(names) > _SHOWN else ""
    return ", ".join(text if text.isprintable() else repr(text) for text in texts) + more
