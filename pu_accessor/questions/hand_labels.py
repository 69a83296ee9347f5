"""Rows that were labeled by hand, as a user passes them: what each is, and what strata hold."""

from collections.abc import Hashable
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from pu_accessor.checks import MAX_STRATA
from pu_accessor.errors import PUDataError, PUKeyError, PUTypeError, PUValueError, brief
from pu_accessor.inference.prior.stratified import Stratum
from pu_accessor.ranking import BoolArray

COUNTS = ("n", "n_negative", "n_unlabeled")  # of a stratum, which each of its rows says


class Labeled(NamedTuple):
    """What is known of a stratum."""

    found: Stratum
    n: int  # known positives
    n_negative: int  # known negatives

    @property
    def rows(self) -> int:
        """How many rows the stratum has."""
        return self.n + self.n_negative + self.found.total


def read_found(found: "pd.Series[Any]") -> BoolArray:
    """Read what rows that were labeled by hand are, each labeled once."""
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
            f"found must say True or False of each row, but {missing.sum()} of {found.size} are "
            f"missing, row {rows[missing].tolist()[0]!r} first. Label these, too; leave them out, "
            "found.dropna(), only if what they are has nothing to do with it."
        )
    if (odd := ~found.isin([True, False]).to_numpy()).any():
        row, value = (values[odd].tolist()[0] for values in (rows, found))
        raise PUValueError(f"found must be True or False, but row {row!r} holds {brief(value)}.")
    positive: BoolArray = found.to_numpy(dtype=np.bool_)
    return positive


def label_column(rows: pd.DataFrame) -> Hashable:
    """Return the column of labels of drawn rows."""
    return cast("Hashable", rows.attrs.get("label", "label"))


def read_strata(rows: pd.DataFrame) -> dict[Any, Labeled]:
    """Read drawn rows with their labels: of each stratum what was found, and what it holds.

    Rows are those of `sample_to_label`, with their column of labels filled in.
    """
    if not isinstance(rows, pd.DataFrame):
        raise PUTypeError(
            "found must be a frame of rows as sample_to_label draws them with strata, below or "
            f"above, with their column of labels filled in, but {brief(rows)} was passed."
        )
    label = label_column(rows)
    if missing := [name for name in (label, "stratum", *COUNTS) if name not in rows.columns]:
        raise PUKeyError(
            "found must have rows as sample_to_label draws them with strata, below or above, with "
            f"their column of labels filled in, but the frame lacks {missing}."
        )
    column = rows["stratum"]
    if column.isna().any():
        raise PUDataError(
            "found must say of each row which stratum it was drawn of, but row "
            f"{rows.index[column.isna()].tolist()[0]!r} has none. Pass rows as they were drawn."
        )
    names = column.cat.categories if column.dtype == "category" else pd.unique(column)
    if len(names) > MAX_STRATA:
        raise PUDataError(
            f"found must hold rows of at most {MAX_STRATA} strata, but there are {len(names)}: "
            f"{brief([*names])}. Pass rows of one draw."
        )
    return {name: _read_stratum(name, rows[(column == name).to_numpy()], label) for name in names}


def _read_stratum(name: Any, part: pd.DataFrame, label: Hashable) -> Labeled:
    """Return what was found in a stratum, and its counts."""
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
            f"All rows of stratum {name!r} must say the same {[*COUNTS]} of it, but row "
            f"{part.index[other].tolist()[0]!r} says {each[other][0].tolist()}, and others say "
            f"{usual.tolist()}. Pass rows of one draw, each with the stratum it was drawn of."
        )
    n, n_negative, n_unlabeled = map(int, usual.tolist())
    if n_unlabeled < len(part):
        raise PUDataError(
            f"Stratum {name!r} must have no more labels than unlabeled rows, but {len(part)} rows "
            f"of {n_unlabeled} came. Pass rows of one draw."
        )
    return Labeled(Stratum(int(positive.sum()), len(part), n_unlabeled), n, n_negative)
