"""Columns by name, and what they hold: scores as float64 without loss, labels, propensities.

Any coding of labels becomes three states: known positive, known negative, unlabeled. For a repr
they are counted, and nothing is sorted.
"""

from __future__ import annotations

import reprlib
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import combinations
from math import inf
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from pu_accessor.checks import is_number
from pu_accessor.counting.row_clusters import RowClusters
from pu_accessor.counting.threads import count_threads, in_threads
from pu_accessor.errors import (
    PUDataError,
    PUKeyError,
    PUTypeError,
    PUValueError,
    brief,
    shorten,
    suggestion,
)
from pu_accessor.ranking import BoolArray, CountArray, Counts, FloatArray, IntArray
from pu_accessor.sources.coding import (
    NEGATIVE,
    POSITIVE,
    UNKNOWN,
    UNLABELED,
    Value,
    advise,
    is_missing,
    show,
)
from pu_accessor.terms import Terms, Values

Column: TypeAlias = npt.ArrayLike | Sequence[Any] | pd.Series | pd.api.extensions.ExtensionArray

_EXACT = 2**53  # integers below are floats, each its own
_NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal", "empty"}
_LEAST = 1e-12  # an example that was labeled with less stands for more than anyone has
_DIGITS = 52  # of a float
_SQUARED = 2**31  # counts below have products that are int64
_HEAVIEST = 1e12  # what a row may stand for
FEW_ROWS = 1 << 20  # more are not looked up by value: a repr shall come at once
_SHOWN = 20
_FROM_TWO = (
    "Of presence and background: pd.concat([pd.DataFrame({'score': presence, 'label': 1}), "
    "pd.DataFrame({'score': background})]).pu."
)
# How users and items become rows.
_FROM_WIDE = (
    "Make it long: pd.DataFrame({'score': np.ravel(score), 'label': np.ravel(label), 'user': "
    "np.repeat(np.arange(len(score)), score.shape[1])}).pu(by='user')."
)
FROM_SPARSE = (
    "Make it long: m = matrix.tocoo(); pd.DataFrame({'user': m.row, 'item': m.col, 'score': "
    "m.data}), and label the pairs."
)
_MISSING = {
    "raise": "nan_policy='omit' or 'worst'",
    "omit": "dropped",
    "worst": "ranked last",
    "unretrieved": "below any cutoff",
}


# The columns that are ranked by, each after its role: those of scores first, then that of labels.
Columns: TypeAlias = "list[tuple[str, pd.Series[Any]]]"


def name_columns(columns: Columns) -> list[dict[str, str]]:
    """Return the names of the columns that each model is ranked by, after their roles."""
    named = [(role, str(column.name)) for role, column in columns]
    return [{**dict(named), role: name} for role, name in named if role == "score"]


def as_series(argument: str, values: Any) -> pd.Series[Any]:
    """Return an array-like as a Series with a name."""
    if isinstance(values, pd.Series):
        return values if values.name is not None else values.rename(argument)
    try:
        shape = np.shape(values)
    except (TypeError, ValueError, MemoryError):  # a Dataset, ragged, without end
        shape = (0, 0)
    if isinstance(values, str) or len(shape) != 1 or isinstance(values, pd.MultiIndex):
        raise PUTypeError(
            f"{argument} must be one-dimensional, but a {type(values).__name__} of "
            f"{len(shape)} dimensions was passed.{_flatten(argument, values, shape)}"
        )
    if not pd.api.types.is_list_like(values):  # a tensor, of which an array can be made
        values = np.asarray(values)
    try:
        return pd.Series(values, name=argument, copy=False)
    except OverflowError:  # before pandas 3 integers beyond float64 have no dtype of their own
        return pd.Series(values, name=argument, dtype=object)


def _flatten(argument: str, values: Any, shape: tuple[int, ...]) -> str:
    """Return the line that makes one dimension of two."""
    steps = {
        0: "",
        1: f" Pass np.ravel({argument}).",
        2: f" Of two classes pass the positive one: np.asarray({argument})[:, 1].",
    }
    if hasattr(values, "tocoo"):
        return f" {FROM_SPARSE}"
    return steps.get(shape[1] if len(shape) == 2 else 0, f" {_FROM_WIDE}")


def pair_arrays(score: Any, label: Any, where: str = "", **others: Any) -> pd.DataFrame:
    """Return array-likes of the same examples as a frame, each a column named by its argument."""
    given = {"score": score, "label": label, **others}
    columns = {role: as_series(role, values).copy(deep=False) for role, values in given.items()}
    size = columns["score"].size
    for role, column in columns.items():
        if column.size != size:
            step = f" {_FROM_TWO}" if role == "label" else ""
            raise PUValueError(
                f"score and {role}{where} must have the same length, but have {size} and "
                f"{column.size}. They are paired by position.{step}"
            )
        column.index = pd.RangeIndex(size)
    return pd.DataFrame(columns, copy=False)


def join_rows(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Put the rows of pieces together, which have the same columns."""
    columns = {}
    for at in range(parts[0].columns.size):
        each = [part.iloc[:, at] for part in parts]
        columns[at] = pd.concat(each, ignore_index=True)
        if columns[at].dtype.kind == "f" and all(part.dtype.kind in "iu" for part in each):
            exact = pd.concat([part.astype(object) for part in each], ignore_index=True)
            columns[at] = exact.infer_objects()
    return pd.DataFrame(columns).set_axis(parts[0].columns, axis=1)


def check_name(
    argument: str,
    name: Hashable,
    names: Collection[Hashable] | pd.Index,
    kind: str,
    index_names: Sequence[Hashable] = (),
) -> None:
    """Raise unless a column or variable of that name is there, and say which are."""
    try:
        is_known = name in names
    except TypeError:
        raise PUTypeError(
            f"{argument} must be the name of a {kind}, but a {type(name).__name__} was passed: "
            f"{brief(name)}. Name the {kind} that holds it: {argument}='{argument}'."
        ) from None
    if is_known:
        return
    if name is not None and name in index_names:
        raise PUKeyError(
            f"{argument} must name a column, but {name!r} is a level of the index. Make it one: "
            "df.reset_index()."
        )
    if isinstance(name, str) and name[:1] == "-" and name[1:] in names:
        raise PUKeyError(
            f"{argument} must name a {kind}, but {name!r} has a sign. Where lower is more "
            f"positive: df.assign(score=-df[{name[1:]!r}]).pu."
        )
    raise PUKeyError(
        f"{argument} must name a {kind}, but there is no {brief(name)} among "
        f"[{shorten(map(brief, names), most=20)}].{suggestion(name, names)} Pass {argument}=... "
        "with the name of yours."
    )


def read_column(frame: pd.DataFrame, argument: str, name: Hashable) -> pd.Series[Any]:
    """Return a column by name, or say which there are."""
    if not isinstance(name, str) or name not in frame.columns:
        check_name(argument, name, frame.columns, "column", frame.index.names)
    column = frame[name]
    if isinstance(column, pd.DataFrame):
        whole = next(full for full in frame.columns if full == name or name in np.atleast_1d(full))
        next_step = (
            f"Pass the whole name, for example {argument}={whole!r}."
            if frame.columns.nlevels > 1
            else "Rename them, or keep one: frame.loc[:, ~frame.columns.duplicated()]."
        )
        raise PUValueError(
            f"{argument} must name one column, but {name!r} stands for {column.shape[1]} columns. "
            f"{next_step}"
        )
    return column if name is not None else column.rename(argument)


def find_columns(frame: pd.DataFrame, named: list[tuple[str, Hashable]]) -> Columns:
    """Return the columns that are named, each after its role, or say which is not there."""
    return [(role, read_column(frame, role, name)) for role, name in named]


def read_values(scores: pd.Series[Any], roles: Terms) -> FloatArray:
    """Read scores, and check that none is missing where none may be."""
    check_not_empty(scores.size)
    values = read_scores(scores)
    if roles.nan_policy == "raise":
        check_missing(str(scores.name), int(np.count_nonzero(np.isnan(values))), values.size)
    return values


def read_columns(columns: Columns, roles: Terms) -> tuple[list[FloatArray], Labels]:
    """Read the scores of each model, and the labels with what else is known of examples."""
    scores = [read_values(column, roles) for role, column in columns if role == "score"]
    (_, label), *others = columns[len(scores) :]
    labels = read_labels(label, roles)
    if others:
        labels = labels._replace(**read_others(others, labels.positive))
    return scores, labels


def read_others(columns: Columns, positive: BoolArray) -> dict[str, Any]:
    """Read the columns beside scores and labels, for `Labels`."""
    read: dict[str, Any] = {}
    for role, column in columns:
        if role == "propensity":
            read[role] = read_propensities(column, positive)
        elif role == "cluster":
            read[role], read["clusters"] = number_clusters(column)
        else:
            read[role] = read_times(role, column)
    return read


def number_clusters(column: pd.Series[Any]) -> tuple[IntArray, int]:
    """Return the number of each example's cluster, and how many numbers there may be."""
    room = 2 * column.size
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu" and column.size:
        least, most = int(column.min()), int(column.max())
        if most - least < room and most < np.iinfo(np.int64).max:
            start = 0 if least >= 0 and most < room else least
            numbers = column.to_numpy().astype(np.int64, copy=False)
            return numbers - start if start else numbers, most + 1 - start
    if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.categories.size < room:
        codes, ids = column.cat.codes.to_numpy(), column.cat.categories
    else:
        try:
            codes, ids = pd.factorize(column)
        except TypeError as error:
            raise PUTypeError(
                f"cluster column {column.name!r} must hold ids that can be looked up, texts or "
                f"numbers, but: {brief(str(error))}. Make one id of each: column.astype(str)."
            ) from error
    numbers = codes.astype(np.int64, copy=False)
    if missing := int(np.count_nonzero(numbers < 0)):
        raise PUValueError(
            f"cluster column {column.name!r} must have a value in each row, but {missing} of "
            f"{column.size} are missing. Drop these rows, or give each an id of its own if it "
            "belongs to no other.",
            page="clusters",
        )
    return numbers, len(ids)


def read_scores(score: pd.Series[Any]) -> FloatArray:
    """Read scores of any real dtype."""
    if score.dtype in (np.float64, np.float32):
        return score.to_numpy().astype(np.float64, copy=False)  # float64 as it is
    check_real(score)
    with np.errstate(over="ignore"):
        try:
            values = score.to_numpy(dtype=np.float64, na_value=np.nan)
        except OverflowError:
            values = np.full(score.size, np.inf)
    # Numbers that differ have to differ as float64.
    present, lossless = values[~np.isnan(values)], is_lossless(score, values)
    if not lossless and np.unique(score.dropna().to_numpy()).size != np.unique(present).size:
        raise PUValueError(
            f"score column {score.name!r} holds {score.dtype} numbers that float64 cannot tell "
            "apart, so that different scores would be tied. Pass their order instead: "
            "column.rank()."
        )
    return values


def check_real(score: pd.Series[Any]) -> None:
    """Raise unless scores are real numbers."""
    if not is_real(score):
        present = [value for value in score if value is pd.NaT or not is_missing(value)]
        odd = next((value for value in present if not is_number(value)), (*present, None)[0])
        raise PUTypeError(
            f"score column {score.name!r} must hold real numbers, but is {score.dtype} (it holds "
            f"{odd!r}). Pass what the model ranks by, a probability or decision "
            "value, as numbers: for example column.astype(float)."
        )


def check_not_empty(size: int) -> None:
    """Raise where there is nothing to rank."""
    if not size:
        raise PUValueError("score and label must hold at least one example, but are empty.")


def check_scored(name: str, size: int) -> None:
    """Raise where no example has a score."""
    if not size:
        raise PUDataError(
            f"score column {name!r} must hold at least one score, but there is none in the rows "
            "to rank."
        )


def check_missing(name: str, missing: int, size: int) -> None:
    """Raise where scores are missing."""
    if missing:
        raise PUValueError(
            f"score column {name!r} holds NaN in {missing} of {size} rows. Pass "
            "nan_policy='worst' to rank these rows last, 'unretrieved' for documents that a "
            "search did not return, or 'omit' to drop them, known positives among them."
        )


def is_lossless(score: pd.Series[Any], values: FloatArray) -> bool:
    """Tell whether each score is the only one that becomes its float64."""
    kinds = pd.api.types
    if kinds.is_integer_dtype(score.dtype):
        return not (np.abs(values) >= _EXACT).any()
    if kinds.is_float_dtype(score.dtype):
        long = score.dtype == np.longdouble
        return not long or not ((score.to_numpy() != values) & ~np.isnan(values)).any()

    def is_only(value: Any, number: float) -> bool:  # of its kind
        if isinstance(value, Decimal):
            return value == Decimal(repr(number))
        return abs(number) < _EXACT if isinstance(value, Integral) else bool(value == number)

    pairs = zip(score, values.tolist(), strict=True)
    return all(is_only(value, number) for value, number in pairs if number == number)


def is_real(score: pd.Series[Any]) -> bool:
    """Tell whether a column holds real numbers; bool does not count."""
    if score.dtype == object:
        return pd.api.types.infer_dtype(score, skipna=True) in _NUMBERS
    kinds = pd.api.types
    return bool(
        kinds.is_numeric_dtype(score.dtype)
        and not kinds.is_bool_dtype(score.dtype)
        and not kinds.is_complex_dtype(score.dtype)
    )


def _read_floats(column: pd.Series[Any], demand: str) -> FloatArray:
    """Read numbers as float64, or say what is demanded."""
    if not is_real(column):
        raise PUTypeError(f"{demand}, but its dtype is {column.dtype}.")
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def read_propensities(column: pd.Series[Any], positive: BoolArray) -> FloatArray:
    """Read the probabilities with which positives are labeled."""
    name = f"propensity column {column.name!r}"
    values = _read_floats(column, f"{name} must hold numbers in (0, 1]")
    known = values[positive]
    if missing := int(np.isnan(known).sum()):
        raise PUValueError(
            f"{name} must have a value for each known positive, but {missing} of {known.size} are "
            "missing. Fill them in, or make these rows unlabeled."
        )
    outside = known[~((known >= _LEAST) & (known <= 1))]
    if outside.size:
        raise PUValueError(
            f"{name} must lie in (0, 1], but {outside.tolist()[:5]} came (the least is "
            f"{_LEAST:g}). It is the probability with which a positive like this is labeled: not "
            "its odds, weight or inverse."
        )
    return values


def read_times(role: str, column: pd.Series[Any]) -> CountArray:
    """Read how many rows each example stands for: of whole numbers as int64, sums are exact."""
    name, is_count = repr(column.name), role == "count"
    values = _read_floats(column, f"{role} column {name} must hold numbers")
    is_whole, most = values == np.rint(values), _EXACT if is_count else _HEAVIEST
    allowed = (values >= 1) & (values <= most) & (is_whole | (not is_count)) | (values == 0)
    outside = values[~allowed]
    total = 0.0 if outside.size else float(values.sum())
    if not 0 < total <= (most if is_count else inf):
        span = "in whole numbers up to 2**53 in all" if is_count else f"1 to {most:g}"
        came = f"{outside.tolist()[:5]} came in {outside.size} of {values.size} rows"
        least = outside.min(initial=inf, where=outside > 0)
        step = f" Divide by the least: df[{name}] / {least:g}." if least < 1 else ""
        step = f" Of a sample: df.pu(weight={name})." if is_count and least < inf else step
        raise PUValueError(
            f"{role} column {name} must say for how many rows each stands, {span}, but "
            f"{came if outside.size else f'their sum is {total:g}'}. A row stands for itself and "
            f"others like it; 0 leaves it out.{step}"
        )
    if is_count or (total < _SQUARED and is_whole.all()):
        return values.astype(np.int64)
    # Multiples of such a unit have exact sums, so that counts are equal where they should be.
    unit = 2.0 ** (int(np.frexp(total)[1]) - _DIGITS)
    exact: FloatArray = np.rint(values / unit) * unit
    return exact


def count_columns(columns: Columns, roles: Terms, ties: bool = True) -> dict[str, str]:
    """Count what columns of scores and labels hold."""
    scores = [column for role, column in columns if role == "score"]
    (_, labels), *others = columns[len(scores) :]
    check_not_empty(labels.size)
    for column in scores:
        check_real(column)
    known = read_labels(labels, roles)
    times = [read_times(role, column) for role, column in others if role == "count"]
    known = known._replace(count=next((own for own in times if own.size == labels.size), None))
    kinds = ("known positives", "known negatives", "unlabeled")
    counts = {kind: f"{size:,}" for kind, size in zip(kinds, known.sizes(), strict=True)}
    for role, column in others:
        if role != "propensity" and labels.size <= FEW_ROWS:
            counts[f"{role}s"] = _count_other(role, column, known.positive)
    missing = sum(int(column.isna().sum()) for column in scores)
    if len(scores) > 1:
        counts["models"] = f"{len(scores):,}: {list_columns([column.name for column in scores])}"
    elif ties and labels.size <= FEW_ROWS:
        distinct, scored = scores[0].nunique(), scores[0].size - missing
        ties_of = "" if distinct == scored else f" in {scored:,} scores (ties share a cutoff)"
        counts["distinct scores"] = f"{distinct:,}{ties_of}"
    if missing:
        counts["missing scores"] = f"{missing:,}: {_MISSING[roles.nan_policy]}"
    return counts


def _count_other(role: str, column: pd.Series[Any], positive: BoolArray) -> str:
    """Say how many clusters there are, or how many rows each stands for, and all together."""
    both = positive.size == column.size  # labels of samples may lie over other dimensions
    if role != "cluster":
        times, form = read_times(role, column), ",d" if role == "count" else ",g"
        text = f"{times.min():{form}} to {times.max():{form}}, {times.sum():{form}} in all"
        return f"{text}, {times[positive].sum():{form}} of known positives" if both else text
    numbers, _ = number_clusters(column)
    rows = np.bincount(numbers)
    least, most = rows[rows > 0].min(), rows.max()
    each = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    text = f"{np.count_nonzero(rows):,} of {each} rows"
    known = np.unique(numbers[positive]).size if both else 0
    return f"{text}, {known:,} with a known positive" if both else text


def list_columns(names: Sequence[object]) -> str:
    r"""Return the first names, for a repr: on one line, whatever they are."""
    texts = (str(name) for name in names[:_SHOWN])
    more = ", ..." if len(names) > _SHOWN else ""
    return ", ".join(text if text.isprintable() else repr(text) for text in texts) + more


_PIECE = 1 << 17  # labels that are read at once
_STATES = {"positive": POSITIVE, "negative": NEGATIVE, "unlabeled": UNLABELED}
# Canonical: True / False / missing. 1 == True and 0 == False, so numbers need no entry.
_CANONICAL: Mapping[str, list[Any]] = {
    "positive": [True],
    "negative": [False],
    "unlabeled": [pd.NA],
}


class Labels(NamedTuple):
    """Which examples are known positives and known negatives; the others are unlabeled."""

    positive: BoolArray
    negative: BoolArray
    propensity: FloatArray | None = None  # that of examples that are not positive means nothing
    cluster: IntArray | None = None  # the number of each example's cluster
    clusters: int = 0  # numbers that there are
    weight: CountArray | None = None  # how many rows of a larger sample each example stands for
    count: CountArray | None = None  # type: ignore[assignment]  # how many identical ones

    @property
    def times(self) -> CountArray | None:
        """How many rows each example stands for; None: one."""
        return self.count if self.weight is None else self.weight

    @property
    def each(self) -> CountArray:
        """How many rows each example stands for, as an array."""
        return np.broadcast_to(1, self.positive.shape) if self.times is None else self.times

    def take(self, rows: Any) -> Labels:
        """Return the labels of some rows."""
        taken: list[Any] = [v[rows] if isinstance(v, np.ndarray) else v for v in self]
        return Labels(*taken)

    def sizes(self) -> Counts:
        """Count the examples of each kind, each for as many as it stands for."""
        positive, negative = (self.each[kind].sum().item() for kind in self[:2])
        return Counts(positive, negative, self.each.sum().item() - positive - negative)

    def ranked(self, score: FloatArray, *, omits: bool) -> BoolArray | slice:
        """Return which examples are ranked: with all scores, and a weight."""
        there: BoolArray = self.each > 0
        if omits:
            there &= ~np.logical_or.reduce(np.atleast_2d(np.isnan(score)))
        return slice(None) if there.all() else there

    def without_ones(self, rows: Any = slice(None)) -> Labels:
        """Return the labels without weights where some rows, all of those that matter, have 1."""
        if self.times is None or (self.times[rows] != 1).any():
            return self
        return self._replace(weight=None, count=None)

    def each_known(self) -> tuple[Any, Labels]:
        """Return rows in which known positives stand for themselves alone, and their labels."""
        if self.count is None:
            return slice(None), self
        rows = np.repeat(np.arange(self.count.size), np.where(self.positive, self.count, 1))
        written = self.take(rows)
        return rows, written._replace(count=np.where(written.positive, 1, self.count[rows]))

    def with_clusters(self) -> Labels:
        """Return the labels with a cluster for each row that has a weight, and no other."""
        if self.weight is None or self.cluster is not None:
            return self
        return self._replace(cluster=np.arange(self.weight.size), clusters=self.weight.size)

    def cluster_rows(self, score: FloatArray, *, one_per_row: bool = False) -> RowClusters:
        """Return the clusters of rows with these labels: where there are none, each its own."""
        cluster, clusters = self.cluster, self.clusters
        if cluster is None or one_per_row:
            cluster, clusters = np.arange(score.size), score.size
        drawn = self.weight is not None
        return RowClusters(score, self.positive, cluster, clusters, self.times, drawn)


def read_labels(label: pd.Series[Any], roles: Terms, *, whole: bool = True) -> Labels:
    """Read labels in their coding."""
    claimed = {
        state: _as_list(state, values)
        for state in _STATES
        if (values := getattr(roles, state)) is not None
    }
    for (state, values), (other, others) in combinations(claimed.items(), 2):
        if shared := [value for value in values if _is_in(value, others)]:
            raise PUValueError(
                f"{state} and {other} must not share a value, but {shared[0]!r} was passed in "
                "both. Name each value once."
            )
    if isinstance(label.dtype, np.dtype) and not label.dtype.isnative:
        label = label.astype(label.dtype.newbyteorder("="))
    is_clear = "negative" in claimed or not whole
    states = _read_numbers(label, claimed, is_clear)
    return _read_any(label, claimed, is_clear) if states is None else states


def _read_numbers(
    label: pd.Series[Any], claimed: dict[str, list[Any]], is_clear: bool
) -> Labels | None:
    """Read 1, 0 and missing in any dtype of numbers: a piece at a time, while it is in the cache."""
    dtype: Any = label.dtype
    if dtype.kind not in "biuf" or isinstance(dtype, pd.SparseDtype):
        return None
    missing = None  # but NaN
    if isinstance(dtype, np.dtype):
        values = label.to_numpy()
    else:
        values = label.to_numpy(dtype.numpy_dtype, na_value=dtype.type(0))
        missing = label.isna().to_numpy()
    masks = np.empty((3, values.size), np.bool_)

    def find(start: int) -> list[int]:
        rows = slice(start, start + _PIECE)
        piece, (one, zero, gone) = values[rows], masks[:, rows]
        np.equal(piece, 1, out=one)
        np.equal(piece, 0, out=zero)
        np.not_equal(piece, piece, out=gone)
        if missing is not None:
            gone[:] = missing[rows]
            zero &= ~gone
        return [int(np.count_nonzero(mask)) for mask in (one, zero, gone)]

    starts = range(0, max(values.size, 1), _PIECE)
    counts = np.sum(in_threads(find, starts, count_threads(values.size)), axis=0)
    states = np.array([POSITIVE, NEGATIVE, UNLABELED])
    if claimed:
        states = np.array([_state(value, claimed) for value in (1, 0, pd.NA)])
    present = states[counts > 0].tolist()
    ambiguous = not is_clear and sorted(present) == [NEGATIVE, POSITIVE]
    if counts.sum() < label.size or UNKNOWN in present or ambiguous:
        return None
    either: Any = [masks[states == state].any(axis=0) for state in (POSITIVE, NEGATIVE)]
    return Labels(*either)


def _read_any(label: pd.Series[Any], claimed: dict[str, list[Any]], is_clear: bool) -> Labels:
    """Read labels of any values; those that are missing, mostly nearly all, are not looked up."""
    present = ~label.isna().to_numpy()
    try:
        codes, uniques = pd.factorize(label.reset_index(drop=True)[present])
    except TypeError as error:
        raise PUTypeError(
            f"label column {label.name!r} must hold single values, but {error}."
        ) from error
    counts = np.bincount(codes, minlength=len(uniques)).tolist()
    values = [Value(v, _state(v, claimed), n) for v, n in zip(uniques, counts, strict=True)]
    if not present.all():
        values.append(Value(pd.NA, _state(pd.NA, claimed), 0))
    _check_coding(label, values, claimed, is_clear)
    # Those that are missing come last, if any are.
    states = np.full(label.size, values[-1].state if values else 0, np.int8)
    states[present] = np.array([value.state for value in values], np.int8)[codes]
    return Labels(states == POSITIVE, states == NEGATIVE)


def _as_list(state: str, values: Values) -> list[Any]:
    """Return a value or a list of values as a list."""
    if not getattr(values, "ndim", 1):  # of an array, or of a DataArray
        return [np.asarray(values).item()]
    if not isinstance(values, Iterable) or isinstance(values, str | bytes):
        return [values]
    try:
        several = list(values)
    except MemoryError as error:
        raise PUTypeError(
            f"{state} must be a value of a label or a list of such values, but {brief(values)} "
            "was passed."
        ) from error
    if odd := [value for value in several if not isinstance(value, Hashable)]:
        raise PUTypeError(
            f"{state} must be a value of a label or a list of such values, but one of them is a "
            f"{type(odd[0]).__name__}: {reprlib.repr(odd[0])}. Pass {state}=[...] with single "
            "values."
        )
    return several


def _is_in(value: object, values: Iterable[object]) -> bool:
    """Look for a label value; missing values are equal, text never equals a number."""
    if is_missing(value):
        return any(map(is_missing, values))
    return any(not is_missing(other) and bool(value == other) for other in values)


def _state(value: object, claimed: dict[str, list[Any]]) -> int:
    """Return the state that a value stands for; what is claimed goes before the canonical."""
    meanings = claimed | {state: of for state, of in _CANONICAL.items() if state not in claimed}
    states = (_STATES[state] for state, values in meanings.items() if _is_in(value, values))
    return next(states, UNKNOWN)


def _check_coding(
    label: pd.Series[Any], values: Sequence[Value], claimed: dict[str, list[Any]], is_clear: bool
) -> None:
    """Raise if labels are ambiguous, or of a value that stands for no state."""
    name, unknown = str(label.name), [v.value for v in values if v.state == UNKNOWN]
    if _is_in(-1, unknown) and all(_is_in(v.value, (-1, 0, 1, pd.NA)) for v in values):
        raise PUValueError(
            f"label column {name!r} holds -1, which is unlabeled to some and negative to others. "
            "Pass unlabeled=-1 or negative=-1."
        )
    if unknown:
        raise PUValueError(advise(label, values, claimed))
    if not is_clear and sorted(v.state for v in values) == [NEGATIVE, POSITIVE]:
        first, second = (show(v.value) for v in values)
        zero = first if values[0].state == NEGATIVE else second
        raise PUValueError(
            f"label column {name!r} holds two values, {first} and {second}, and nothing missing: "
            f"is {zero} unlabeled, or a known negative? Pass unlabeled={zero} or negative={zero}."
        )
