"""Rows that are sampled to label by hand, and that come back with labels."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pu_accessor.checks import MAX_STRATA, check_count, check_share, is_number
from pu_accessor.errors import PUDataError, PUKeyError, PUTypeError, PUValueError, brief
from pu_accessor.inference.hand_labels import Stratum
from pu_accessor.ranking import BoolArray, FloatArray, IntArray
from pu_accessor.roles_and_assumptions import Seed, Terms
from pu_accessor.sources.column_values import read_values
from pu_accessor.sources.columns import find_columns
from pu_accessor.sources.groups import Groups
from pu_accessor.sources.label_states import read_labels

if TYPE_CHECKING:
    from pu_accessor.questions.accessor import Accessor

_COUNTS = ("n", "n_negative", "n_unlabeled")  # of a stratum, the same in each of its rows
_MIN_SHARE = 0.05  # expected shares of positives in strata are this far from 0 and 1


def sample_to_label(
    self: Accessor,
    size: int,
    *,
    strata: Any = None,
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
    expected_beta : float, optional
        A guess of beta: strata, at least one row each, are then drawn so that beta has the
        smallest variance [1]_, [2]_; by default in proportion to their unlabeled rows. A wrong
        guess makes intervals longer, not wrong.
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

    See Also
    --------
    pu_accessor.beta_from_labels : Beta from the labels of these rows.

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
    if not isinstance(random_state, np.random.Generator):
        check_count("random_state", random_state)
    size, thresholds = check_count("size", size), _read_thresholds(strata)
    for name, value in (("below", below), ("above", above)):
        if value is not None and not is_number(value):
            raise PUTypeError(f"{name} must be a score, but {brief(value)} was passed.")
    if expected_beta is not None:
        check_share("expected_beta", expected_beta)
    source, terms, rng = self._source, self._terms, np.random.default_rng(random_state)
    has_strata = any(part is not None for part in (strata, below, above))
    named = [("label", terms.label), *[("score", terms.models[0])] * has_strata]
    named += [("strata", strata)] * (strata is not None and thresholds is None)
    rows = source.rows(terms, named)
    columns, groups = dict(find_columns(rows.frame, named)), rows.groups(terms)
    known = read_labels(columns["label"], terms)
    kinds = known.positive, known.negative, ~(known.positive | known.negative)
    added, attrs = dict[str, Any](), dict[str, Any](label=terms.label)
    if has_strata:
        if taken := [name for name in ("stratum", *_COUNTS) if name in source.names]:
            raise PUValueError(
                f"df must not have columns {taken} with strata, below or above: drawn rows get "
                "columns of these names. Rename or drop them first."
            )
        code, names = _number_strata(columns, kinds[2], terms, thresholds, below, above)
        counts = [np.bincount(code[kind & (code >= 0)], minlength=len(names)) for kind in kinds]
        sizes = _allocate(size, names, counts[0], counts[2], expected_beta)
        parts = [np.flatnonzero(kinds[2] & (code == number)) for number in range(len(names))]
        each = [rng.choice(part, n, replace=False) for part, n in zip(parts, sizes, strict=True)]
        drawn = rng.permutation(np.concatenate(each))
        added["stratum"] = pd.Categorical([names[number] for number in code[drawn]], names)
        added |= {name: count[code[drawn]] for name, count in zip(_COUNTS, counts, strict=True)}
    else:
        drawn = _draw_from_groups(groups, kinds[2], size, rng)
        attrs |= {} if groups.names else {"n_unlabeled": np.count_nonzero(kinds[2])}
    sample: pd.DataFrame = source.take(drawn, **added)
    if isinstance(sample, pd.DataFrame):  # a frame of polars has no attributes
        sample.attrs.update(attrs)
    return sample


def _read_thresholds(strata: Any) -> FloatArray | None:
    """Return ascending thresholds of the score between strata; None if strata are a column."""
    if isinstance(strata, Hashable) and not is_number(strata):
        return None
    values = [*np.atleast_1d(np.asarray(strata, dtype=object))]
    if not all(map(is_number, values)):
        raise PUTypeError(
            "strata must be a threshold of the score, a list of them, or a column, but "
            f"{brief(strata)} was passed. For example strata=[0.2, 0.5]."
        )
    thresholds = np.sort([float(value) for value in values])
    different = {f"{threshold:.12g}" for threshold in thresholds[np.isfinite(thresholds)]}
    if not 1 <= len(different) == thresholds.size < MAX_STRATA:
        raise PUValueError(
            f"strata must contain one to {MAX_STRATA - 1} thresholds, finite and different, "
            f"but {brief(strata)} was passed. For example strata=[0.2, 0.5]."
        )
    return thresholds


def _draw_from_groups(
    groups: Groups, unlabeled: BoolArray, size: int, rng: np.random.Generator
) -> IntArray:
    """Draw unlabeled rows of each group."""
    every = np.arange(unlabeled.size)
    parts = [every[rows][unlabeled[rows]] for rows in groups.rows]
    for key, part in zip(groups.keys, parts, strict=True):
        _check_size(size, 1, part.size, f" in group {key!r}" if groups.names else "")
    return np.concatenate([rng.choice(part, size, replace=False) for part in parts])


def _number_strata(
    columns: dict[str, pd.Series[Any]],
    unlabeled: BoolArray,
    terms: Terms,
    thresholds: FloatArray | None,
    below: float | None,
    above: float | None,
) -> tuple[IntArray, list[Any]]:
    """Return the number of each row's stratum, -1 if it is in none, and the strata's names."""
    values, column = read_values(columns["score"], terms), columns.get("strata")
    eligible = ~(np.isnan(values) & terms.omits)
    if below is not None:
        eligible &= ~(values >= below)  # missing scores rank last
    if above is not None:
        eligible &= values >= above
    if column is None:
        limits = np.empty(0) if thresholds is None else thresholds
        edges = [above, below] if thresholds is None else [None, *thresholds.tolist(), None]
        code = (values[:, np.newaxis] >= limits).sum(axis=1)
        names = [_name_stratum(*ends) for ends in pairwise(edges)]
    else:
        names = _name_values(column, eligible & unlabeled)
        code = pd.Index(names).get_indexer(pd.Index(column))  # -1 for known examples elsewhere
    code[~eligible] = -1
    return code, names


def _name_values(column: pd.Series[Any], eligible: BoolArray) -> list[Any]:
    """Return the values of a column of strata among the rows to draw from."""
    missing = column[column.isna().to_numpy() & eligible].index
    if missing.size:
        raise PUDataError(
            f"strata must cover the unlabeled rows, but column {column.name!r} is missing in "
            f"{missing.size} of {np.count_nonzero(eligible)}, row {missing.tolist()[0]!r} first. "
            "Give these a stratum, too."
        )
    names = [*dict.fromkeys(sorted(column[eligible].tolist(), key=str))]
    if not 2 <= len(names) <= MAX_STRATA:
        raise PUDataError(
            f"strata must have two to {MAX_STRATA} values among unlabeled rows, but column "
            f"{column.name!r} has {len(names)}: {brief(names)}. Join some, or leave it out."
        )
    return names


def _name_stratum(low: float | None, high: float | None) -> str:
    """Name the scores from `low` on and below `high`."""
    ends = [(">=", low), ("<", high)]
    return ", ".join(f"{sign} {float(end):.12g}" for sign, end in ends if end is not None)


def _allocate(
    size: int, names: list[Any], known: IntArray, unlabeled: IntArray, expected_beta: float | None
) -> list[int]:
    """Return how many rows to draw of each stratum, at least one (Wright, 2012)."""
    # T. Wright, The equivalence of Neyman optimum allocation for sampling and equal proportions
    # for apportioning the U.S. House of Representatives, The American Statistician 66 (2012)
    # 217-224: each further label goes where it lowers the variance of the sum of strata most.
    for name, number in zip(names, unlabeled.tolist(), strict=True):
        if not number:
            raise PUDataError(
                "strata, above and below must leave unlabeled rows in each part, but there is "
                f"none in {name!r}. Pass other thresholds, or leave them out."
            )
    where = " of these strata" if len(names) > 1 else " that above and below leave"
    _check_size(size, len(names), int(unlabeled.sum()), where)
    deviation = np.ones(unlabeled.size)  # expected of one label of each stratum
    if expected_beta is not None:
        share = (known + 0.5) / (known.sum() + 0.5 * known.size)
        positive = expected_beta * unlabeled.sum() * share / unlabeled
        positive = positive.clip(_MIN_SHARE, 1 - _MIN_SHARE)
        deviation = np.sqrt(positive * (1 - positive))
    deviation *= unlabeled
    further = np.minimum(unlabeled, size) - 1  # labels after the first
    stratum = np.repeat(np.arange(len(names)), further)
    labels = np.concatenate([np.arange(1, number + 1) for number in further.tolist()])
    gain = deviation[stratum] / np.sqrt(labels * (labels + 1))
    chosen = stratum[np.argsort(-gain, kind="stable")[: size - len(names)]]
    sizes: list[int] = (1 + np.bincount(chosen, minlength=len(names))).tolist()
    return sizes


def _check_size(size: int, least: int, most: int, where: str) -> None:
    """Raise unless the size lies between two numbers of rows."""
    if not least <= size <= most:
        raise PUDataError(
            f"size must lie between {least} and the number of unlabeled rows{where}, {most}, but "
            f"{size} was passed."
        )


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


def found_labels(found: Any) -> Any:
    """Return the labels of rows that were sampled, or labels as they are."""
    if not isinstance(found, pd.DataFrame):
        return found
    label = found.attrs.get("label", "label")
    if label not in found.columns:
        raise PUKeyError(
            f"found must have rows of sample_to_label, but the column of labels, {label!r}, is "
            f"not among {[*found.columns]}. Fill it in: rows.assign({label}=labels)."
        )
    return found[label]


def read_strata(rows: pd.DataFrame) -> dict[Any, Stratum]:
    """Return the counts of each stratum, from the labeled rows of `sample_to_label`."""
    if not isinstance(rows, pd.DataFrame):
        raise PUTypeError(
            "found must be a frame of rows sampled by sample_to_label with strata, below or "
            f"above, with the column of labels filled in, but {brief(rows)} was passed."
        )
    labels = found_labels(rows)
    if missing := [name for name in ("stratum", *_COUNTS) if name not in rows.columns]:
        raise PUKeyError(
            "found must have rows sampled by sample_to_label with strata, below or above, but the "
            f"frame lacks {missing}."
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
    within = {name: (column == name).to_numpy() for name in names}
    return {name: _read_stratum(name, rows[own], labels[own]) for name, own in within.items()}


def _read_stratum(name: Any, part: pd.DataFrame, labels: pd.Series[Any]) -> Stratum:
    """Return the counts of one stratum."""
    if part.empty:
        raise PUDataError(
            f"Each stratum must have labels, but {name!r} has none. Label some of its rows."
        )
    try:
        positive = read_found(labels)
    except (PUDataError, PUValueError) as error:
        raise type(error)(f"stratum {name!r}: {error}") from error
    counts = part[[*_COUNTS]].drop_duplicates()
    if len(counts) > 1:
        raise PUDataError(
            f"All rows of stratum {name!r} must have the same {[*_COUNTS]}, but row "
            f"{counts.index[1]!r} has {counts.iloc[1].tolist()}, and row {counts.index[0]!r} has "
            f"{counts.iloc[0].tolist()}. Pass rows of one sample, each with its stratum."
        )
    n, n_negative, n_unlabeled = map(int, counts.iloc[0])
    if n_unlabeled < len(part):
        raise PUDataError(
            f"Stratum {name!r} must have no more labels than unlabeled rows, but has {len(part)} "
            f"labels and {n_unlabeled} unlabeled rows. Pass rows of one sample."
        )
    return Stratum(int(positive.sum()), len(part), n_unlabeled, n, n_negative)
