"""Rows that are sampled to label by hand, and that come back with labels."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pandas as pd

from pu_accessor.checks import MAX_STRATA
from pu_accessor.errors import PUDataError, PUKeyError, PUTypeError, PUValueError, brief
from pu_accessor.inference.prior.stratified import Stratum
from pu_accessor.ranking import BoolArray
from pu_accessor.roles_and_assumptions import Seed
from pu_accessor.sources.rows_to_label import Draw, sample_unlabeled

if TYPE_CHECKING:
    from pu_accessor.questions.accessor import Accessor

COUNTS = ("n", "n_negative", "n_unlabeled")  # of a stratum, the same in each of its rows


def sample_to_label(
    self: Accessor,
    size: int,
    *,
    strata: Any = None,
    allocate: str = "proportional",
    expected_beta: float | None = None,
    below: float | None = None,
    above: float | None = None,
    random_state: Seed,
) -> pd.DataFrame:
    """Sample unlabeled rows at random, to label by hand.

    Parameters
    ----------
    size : int
        Number of rows.
    strata : float, list of float, or hashable, optional
        Up to five thresholds of the score that separate strata, or a column of two to six values.
    allocate : {"proportional", "neyman"}, default "proportional"
        Labels of strata, at least one each: in proportion to their unlabeled rows, or to minimize
        the variance of beta [1]_, [2]_.
    expected_beta : float, optional
        A guess of beta for "neyman". A wrong guess makes intervals longer, not wrong.
    below, above : float, optional
        Sample rows with a score less than `below`, or at least `above`.
    random_state : int or Generator
        Seed of the random numbers.

    Returns
    -------
    DataFrame
        Rows of the frame with their index, in random order. With `strata`, `below` or `above`
        there are further columns: stratum (str), and n, n_negative and n_unlabeled (int64), the
        examples of each kind in that stratum. Fill in the column of labels.

    Raises
    ------
    PUDataError, PUValueError, PUTypeError
        If there are fewer unlabeled rows, none in a stratum, or an argument is not allowed.

    References
    ----------
    .. [1] J. Neyman, Journal of the Royal Statistical Society 97 (1934) 558-625.
    .. [2] T. Wright, The American Statistician 66 (2012) 217-224.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> df.pu.sample_to_label(2, random_state=0)[["site", "score", "label"]].round(3)
          site  score  label
    1695  west  0.324    NaN
    1270  east  0.407    NaN
    >>> rows = df.pu.sample_to_label(2, strata=0.5, random_state=0)
    >>> rows[["score", "label", "stratum", "n", "n_negative", "n_unlabeled"]].round(3)
          score  label stratum    n  n_negative  n_unlabeled
    1701  0.112    NaN   < 0.5   86           0         1507
    1160  0.884    NaN  >= 0.5  116           0          291
    """
    self._read_arguments("sample_to_label", strata=strata, below=below, above=above)
    draw = Draw(size, strata, allocate, expected_beta, below, above, random_state)
    sample: pd.DataFrame = sample_unlabeled(self._source, self._terms, draw)
    return sample


class LabeledStratum(NamedTuple):
    """The counts of a stratum."""

    labels: Stratum
    n: int  # known positives
    n_negative: int  # known negatives

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.n + self.n_negative + self.labels.total


def read_found(found: pd.Series[Any]) -> BoolArray:
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
