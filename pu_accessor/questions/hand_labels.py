"""Rows that were labeled by hand, as a user passes them."""

from collections.abc import Hashable
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from pu_accessor.checks import MAX_STRATA
from pu_accessor.errors import PUDataError, PUKeyError, PUTypeError, PUValueError, brief
from pu_accessor.inference.prior.stratified import Stratum
from pu_accessor.ranking import BoolArray

COUNTS = ("n", "n_negative", "n_unlabeled")  # of a stratum, the same in each of its rows


class LabeledStratum(NamedTuple):
    """The counts of a stratum."""

    labels: Stratum
    n: int  # known positives
    n_negative: int  # known negatives

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.n + self.n_negative + self.labels.total


def read_found(found: "pd.Series[Any]") -> BoolArray:
    """Return whether each row that was labeled by hand is positive."""
    rows = found.index
    if (repeated := rows.duplicated()).any():
        row = rows[repeated].tolist()[0]
        first, later = found[rows == row].tolist()[:2]
        again = "twice" if first == later else f"{first!r} first and {later!r} later"
        raise PUDataError(
            f"found must label each row once, but row {row!r} is labeled {again}. Keep one of "
            "them: found[~found.index.duplicated()]."
        )
    if (missing := found.isna().to_numpy()).any():
        raise PUDataError(
            f"found must be True or False in each row, but {missing.sum()} of {found.size} are "
            f"missing, row {rows[missing].tolist()[0]!r} first. Label these, too. Leave them out, "
            "found.dropna(), only if they are missing at random."
        )
    if (odd := ~found.isin([True, False]).to_numpy()).any():
        row, value = (values[odd].tolist()[0] for values in (rows, found))
        raise PUValueError(f"found must be True or False, but row {row!r} has {brief(value)}.")
    positive: BoolArray = found.to_numpy(dtype=np.bool_)
    return positive


def label_column(rows: pd.DataFrame) -> Hashable:
    """Return the name of the column of labels of sampled rows."""
    return cast("Hashable", rows.attrs.get("label", "label"))


def read_strata(rows: pd.DataFrame) -> dict[Any, LabeledStratum]:
    """Return the counts of each stratum, from the labeled rows of `sample_to_label`."""
    if not isinstance(rows, pd.DataFrame):
        raise PUTypeError(
            "found must be a frame of rows sampled by sample_to_label with strata, below or "
            f"above, with the column of labels filled in, but {brief(rows)} was passed."
        )
    label = label_column(rows)
    if missing := [name for name in (label, "stratum", *COUNTS) if name not in rows.columns]:
        raise PUKeyError(
            "found must have rows sampled by sample_to_label with strata, below or above, with "
            f"the column of labels filled in, but the frame lacks {missing}."
        )
    column = rows["stratum"]
    if column.isna().any():
        raise PUDataError(
            "found must have the stratum of each row, but row "
            f"{rows.index[column.isna()].tolist()[0]!r} has none. Pass rows as they were sampled."
        )
    names = column.cat.categories if column.dtype == "category" else pd.unique(column)
    if len(names) > MAX_STRATA:
        raise PUDataError(
            f"found must have rows of at most {MAX_STRATA} strata, but there are {len(names)}: "
            f"{brief([*names])}. Pass rows of one sample."
        )
    return {name: _read_stratum(name, rows[(column == name).to_numpy()], label) for name in names}


def _read_stratum(name: Any, part: pd.DataFrame, label: Hashable) -> LabeledStratum:
    """Return the counts of one stratum."""
    if part.empty:
        raise PUDataError(
            f"Each stratum must have labels, but {name!r} has none. Label some of its rows."
        )
    try:
        positive = read_found(part[label])
    except (PUDataError, PUValueError) as error:
        raise type(error)(f"stratum {name!r}: {error}") from error
    each = part[[*COUNTS]].to_numpy(np.float64)
    counts, times = np.unique(each, axis=0, return_counts=True)
    usual = counts[times.argmax()]
    if (other := (each != usual).any(axis=1)).any():
        raise PUDataError(
            f"All rows of stratum {name!r} must have the same {[*COUNTS]}, but row "
            f"{part.index[other].tolist()[0]!r} has {each[other][0].tolist()}, and others have "
            f"{usual.tolist()}. Pass rows of one sample, each with its stratum."
        )
    n, n_negative, n_unlabeled = map(int, usual.tolist())
    if n_unlabeled < len(part):
        raise PUDataError(
            f"Stratum {name!r} must have no more labels than unlabeled rows, but has {len(part)} "
            f"labels and {n_unlabeled} unlabeled rows. Pass rows of one sample."
        )
    return LabeledStratum(Stratum(int(positive.sum()), len(part), n_unlabeled), n, n_negative)
