"""Labels that were made by hand -> what they hold by stratum, and what rates they give."""

from collections.abc import Hashable
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from pu_accessor.checks import MOST_STRATA, check_level
from pu_accessor.errors import PUDataError, PUKeyError, PUTypeError, PUValueError, brief
from pu_accessor.inference.prior.stratified import Stratum, sum_limits
from pu_accessor.ranking import BoolArray, FloatArray

COUNTS = ("n", "n_negative", "n_unlabeled")  # of a stratum, which each of its rows says


def read_found(found: "pd.Series[Any]") -> BoolArray:
    """Read what rows that were labeled by hand are, each labeled once."""
    _check_rows(found)
    labels = found.isin([True, False]).to_numpy()
    if not labels.all():
        row, value = (values[~labels].tolist()[0] for values in (found.index, found))
        raise PUValueError(f"found must be True or False, but row {row!r} holds {brief(value)}.")
    positive: BoolArray = found.to_numpy(dtype=np.bool_)
    return positive


def _check_rows(found: "pd.Series[Any]") -> None:
    """Raise if a row is there twice, or has no label."""
    repeated = found.index.duplicated()
    if repeated.any():
        row = found.index[repeated].tolist()[0]
        first, later = found[found.index == row].tolist()[:2]
        again = "twice" if first == later else f"{first!r} first and {later!r} later"
        raise PUDataError(
            f"found must label each row once, but row {row!r} is labeled {again}. Keep one of "
            "them: found[~found.index.duplicated()]."
        )
    missing = found.isna().to_numpy()
    if missing.any():
        row = found.index[missing].tolist()[0]
        raise PUDataError(
            f"found must say True or False of each row, but {missing.sum()} of {found.size} are "
            f"missing, row {row!r} first. Label these, too; leave them out, found.dropna(), only "
            "if what they are has nothing to do with it."
        )


def label_column(rows: pd.DataFrame) -> Hashable:
    """Return the column of labels of drawn rows."""
    return cast("Hashable", rows.attrs.get("label", "label"))


def drawn_labels(rows: pd.DataFrame) -> "pd.Series[Any]":
    """Return the labels of drawn rows."""
    label = label_column(rows)
    if label not in rows.columns:
        raise PUKeyError(
            f"found must have rows as sample_to_label draws them, but column {label!r} of their "
            f"labels is not among {[*rows.columns]}."
        )
    return rows[label]


class Labeled(NamedTuple):
    """What is known of a stratum."""

    found: Stratum
    n: int  # known positives
    n_negative: int  # known negatives

    @property
    def rows(self) -> int:
        """How many rows the stratum has."""
        return self.n + self.n_negative + self.found.total


def _positives(parts: list[Labeled], level: float) -> FloatArray:
    """Return the expected, the fewest and the most positives of strata, with those known."""
    found = [part.found for part in parts]
    expected = sum(stratum.expected for stratum in found)
    return sum(part.n for part in parts) + np.array([expected, *sum_limits(found, level)])


def _shares(parts: list[Labeled], level: float) -> FloatArray:
    """Return the share of positives in strata with its limits."""
    return _positives(parts, level) / sum(part.rows for part in parts)


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
    if len(names) > MOST_STRATA:
        raise PUDataError(
            f"found must hold rows of at most {MOST_STRATA} strata, but there are {len(names)}: "
            f"{brief([*names])}. Pass rows of one draw."
        )
    read = {}
    for name in names:
        part = rows[(column == name).to_numpy()]
        if part.empty:
            raise PUDataError(
                f"Each stratum must have labels, but {name!r} has none. Label some of its rows."
            )
        try:
            positive = read_found(part[label])
        except (PUDataError, PUValueError) as error:
            raise type(error)(f"stratum {name!r}: {error}") from error
        read[name] = _read_stratum(name, positive, part)
    return read


def _read_stratum(name: Any, positive: BoolArray, part: pd.DataFrame) -> Labeled:
    """Return what was found in a stratum, and its counts."""
    each = part[[*COUNTS]].to_numpy(np.float64)
    counts, times = np.unique(each, axis=0, return_counts=True)
    usual = counts[times.argmax()]
    other = (each != usual).any(axis=1)
    if other.any():
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


def rates_from_labels(
    found: pd.DataFrame, listed: Hashable | list[Any], *, level: float = 0.95
) -> pd.DataFrame:
    """Return precision, recall and false omission rate of a list, from labels made by hand.

    The list is a stratum or several: the rows at or above a threshold, for example. Nothing is
    taken for granted of scores, of beta, or of how known positives were found.

    Parameters
    ----------
    found : DataFrame
        Rows that `sample_to_label` drew of the list, or of it and the rest, with their column of
        labels filled in.
    listed : hashable, or list of them
        The stratum that is the list, such as ">= 0.5", or a list of the strata that make it up:
        [">= 0.9", ">= 0.5, < 0.9"].
    level : float, default 0.95
        Probability with which each interval covers, in (0, 1).

    Returns
    -------
    DataFrame
        A row for "precision"; where the rest is labeled, too, for "recall" and "for", the share of
        positives in the rest: quantity, estimate, lower, upper, level, target. All are of these
        examples, known ones included. Recall is NaN where no positive turned up and none is known.

    Raises
    ------
    PUDataError
        If a stratum has no labels, or a row is labeled twice or not at all.
    PUKeyError
        If there is no such stratum, or a column is missing.
    PUValueError, PUTypeError
        If an argument has a value that is not allowed.

    See Also
    --------
    pu_accessor.beta_from_labels : Beta from the same labels; of the rest alone that is elusion.
    pu_accessor.weigh_labels : Rates on new examples, and all other numbers.

    Notes
    -----
    The positives M among the unlabeled rows of a stratum have exact hypergeometric limits, and
    those of several strata the limits of `pu_accessor.beta_from_labels`. Precision is (n + M)/(n +
    n_negative + n_unlabeled) at these limits of M. The recall's are those of the list and of the
    rest at the square root of `level`, so that it covers with a probability of `level` or more.

    Examples
    --------
    >>> import pu_accessor
    >>> rows = pd.DataFrame({"stratum": [">= 0.5"] * 40 + ["< 0.5"] * 60, "n_negative": 0})
    >>> rows["n"] = [30] * 40 + [10] * 60
    >>> rows["n_unlabeled"] = [170] * 40 + [790] * 60
    >>> rows["label"] = [True] * 20 + [False] * 79 + [True]
    >>> rates = pu_accessor.rates_from_labels(rows, ">= 0.5")
    >>> rates.round(3)
        quantity  estimate  lower  upper  level    target
    0  precision     0.575  0.455  0.695   0.95  examples
    1     recall     0.832  0.503  0.928   0.95  examples
    2        for     0.029  0.014  0.098   0.95  examples
    """
    level = check_level(level)
    strata = read_strata(found)
    names = [*listed] if isinstance(listed, list) else [listed]
    known = all(isinstance(name, Hashable) and name in strata for name in names)
    if not names or not known or len({*names}) < len(names):
        raise PUKeyError(
            "listed must be a stratum, or a list of strata that holds each once, but "
            f"{brief(listed)} was passed, and there are {[*strata]}."
        )
    of_list = [strata.pop(name) for name in names]
    rates = {"precision": _shares(of_list, level)}
    if rest := [*strata.values()]:
        listed_positives, others = (_positives(part, level**0.5) for part in (of_list, rest))
        with np.errstate(invalid="ignore"):
            rates["recall"] = listed_positives / (listed_positives + others[[0, 2, 1]])
        rates["for"] = _shares(rest, level)
    columns = ["estimate", "lower", "upper"]
    rows = [
        {"quantity": name, **dict(zip(columns, rate, strict=True))} for name, rate in rates.items()
    ]
    return pd.DataFrame(rows).assign(level=level, target="examples")


def row_weights(found: "pd.Series[Any] | pd.DataFrame", n_unlabeled: int) -> FloatArray:
    """Return how many unlabeled rows each labeled one stands for."""
    if not len(found):
        raise PUValueError(
            "found must hold the label of one row or more, but is empty. Label some of the rows "
            "that df.pu.sample_to_label() draws."
        )
    if not isinstance(found, pd.DataFrame) or "stratum" not in found.columns:
        return np.full(len(found), n_unlabeled / len(found))
    strata = {name: part.found for name, part in read_strata(found).items()}
    covered = {name: stratum.total for name, stratum in strata.items()}
    if sum(covered.values()) != n_unlabeled:
        raise PUDataError(
            f"found must be drawn of strata that cover the unlabeled rows, {n_unlabeled}, but "
            f"its strata hold {covered}. Draw rows without below or above, of the same frame."
        )
    weights = {name: stratum.weight for name, stratum in strata.items()}
    return found["stratum"].map(weights).to_numpy(np.float64)


def check_series(name: str, column: object) -> None:
    """Raise unless it is a Series."""
    if not isinstance(column, pd.Series):
        raise PUTypeError(f"{name} must be a Series, but a {type(column).__name__} was passed.")
