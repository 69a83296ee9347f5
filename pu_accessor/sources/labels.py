"""Any coding of labels -> three states: known positive, known negative, unlabeled."""

import reprlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import reduce
from itertools import combinations
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from pu_accessor.checks import is_number
from pu_accessor.counting.clusters import RowClusters
from pu_accessor.counting.threads import count_threads, in_threads
from pu_accessor.errors import PUTypeError, PUValueError, brief, shorten
from pu_accessor.ranking import BoolArray, CountArray, Counts, FloatArray, IntArray
from pu_accessor.sources.roles import Roles, Values

_POSITIVE, _NEGATIVE, _UNLABELED, _UNKNOWN = 1, 0, -1, -2
_PIECE = 1 << 17  # labels that are read at once
_YES = {"1", "+", "y", "yes", "t", "true", "p", "pos", "positive", "case", "known"}
_STATES = {"positive": _POSITIVE, "negative": _NEGATIVE, "unlabeled": _UNLABELED}
# Canonical: True / False / missing. 1 == True and 0 == False, so numbers need no entry.
_CANONICAL: Mapping[str, tuple[Any, ...]] = {
    "positive": (True,),
    "negative": (False,),
    "unlabeled": (pd.NA,),
}


class Labels(NamedTuple):
    """Which examples are known positives and known negatives; the others are unlabeled."""

    positive: BoolArray
    negative: BoolArray
    propensity: FloatArray | None = None  # that of examples that are not positive means nothing
    cluster: IntArray | None = None  # the number of each example's cluster
    clusters: int = 0  # numbers that there are
    weight: CountArray | None = None  # how many rows each example stands for

    def take(self, rows: Any) -> "Labels":
        """Return the labels of some rows."""
        taken = {
            name: column[rows]
            for name, column in self._asdict().items()
            if isinstance(column, np.ndarray)
        }
        return self._replace(**taken)

    def sizes(self) -> Counts:
        """Count the examples of each kind, each for as many as it stands for."""
        if self.weight is None:
            positive, negative = (int(np.count_nonzero(kind)) for kind in self[:2])
            total = self.positive.size
        else:
            positive, negative = (self.weight[kind].sum().item() for kind in self[:2])
            total = self.weight.sum().item()
        return Counts(positive, negative, total - positive - negative)

    def ranked(self, score: FloatArray, *, omits: bool) -> BoolArray | None:
        """Return which examples are ranked: with all scores, and a weight; None for all.

        Of several models `score` has a row for each.
        """
        kept: BoolArray | None = None
        if omits:
            kept = ~np.logical_or.reduce(np.atleast_2d(np.isnan(score)))
        if self.weight is None or self.weight.all():
            return kept
        weighed: BoolArray = self.weight > 0
        return weighed if kept is None else weighed & kept

    def without_ones(self, rows: Any = slice(None)) -> "Labels":
        """Return the labels without weights where some rows, all of those that matter, have 1."""
        if self.weight is None or (self.weight[rows] != 1).any():
            return self
        return self._replace(weight=None)

    def with_clusters(self) -> "Labels":
        """Return the labels with a cluster for each row that has a weight, and no other."""
        if self.weight is None or self.cluster is not None:
            return self
        return self._replace(cluster=np.arange(self.weight.size), clusters=self.weight.size)

    def cluster_rows(self, score: FloatArray, *, alone: bool = False) -> RowClusters:
        """Return the clusters of rows with these labels: where there are none, each its own."""
        cluster, clusters = self.cluster, self.clusters
        if cluster is None or alone:
            cluster, clusters = np.arange(score.size), score.size
        return RowClusters(score, self.positive, cluster, clusters, self.weight)


class _Value(NamedTuple):
    """A value of a column of labels."""

    value: Any
    state: int
    frequency: int  # of labels; 0 of missing ones


def read_labels(label: "pd.Series[Any]", roles: Roles) -> Labels:
    """Read labels in their coding.

    By default True or 1 is positive, False or 0 negative and missing unlabeled, in any dtype. A
    role replaces the values of its state and takes its values away from the others.
    """
    given = {state: getattr(roles, state) for state in _STATES}
    claimed = {
        state: _as_list(state, values) for state, values in given.items() if values is not None
    }
    _check_claims(claimed)
    if isinstance(label.dtype, np.dtype) and not label.dtype.isnative:
        label = label.astype(label.dtype.newbyteorder("="))
    states = _read_numbers(label, claimed)
    return _read_values(label, claimed) if states is None else states


def _read_numbers(label: "pd.Series[Any]", claimed: Mapping[str, list[Any]]) -> Labels | None:
    """Read 1, 0 and missing in any dtype of numbers, in a few passes.

    Returns None where anything else is there, or there is anything to complain about.
    """
    dtype: Any = label.dtype
    if dtype.kind not in "biuf" or isinstance(dtype, pd.SparseDtype):
        return None
    if isinstance(dtype, np.dtype):
        masks, counts = _find_values(label.to_numpy(), None)
    else:
        values = label.to_numpy(dtype.numpy_dtype, na_value=dtype.type(0))
        masks, counts = _find_values(values, label.isna().to_numpy())
    states = [_state(value, claimed) for value in (1, 0, pd.NA)]
    present = [state for state, count in zip(states, counts, strict=True) if count]
    if sum(counts) < label.size or _UNKNOWN in present or _is_ambiguous(present, claimed):
        return None

    def select(wanted: int) -> BoolArray:  # in a few passes: np.select takes twice as long
        """Return which labels are in a state."""
        chosen = [mask for mask, state in zip(masks, states, strict=True) if state == wanted]
        return reduce(np.logical_or, chosen or [np.zeros(label.size, np.bool_)])

    return Labels(select(_POSITIVE), select(_NEGATIVE))


def _find_values(
    values: npt.NDArray[Any], missing: BoolArray | None
) -> tuple[list[BoolArray], list[int]]:
    """Find 1, 0 and what is missing, and count each: a piece at a time, while it is in the cache.

    NaN is missing where `missing` is None.
    """
    found = [np.empty(values.size, np.bool_) for _ in range(3)]

    def find(rows: slice) -> list[int]:
        piece, one, zero, gone = (array[rows] for array in (values, *found))
        np.equal(piece, 1, out=one)
        np.equal(piece, 0, out=zero)
        if missing is None:
            np.not_equal(piece, piece, out=gone)
        else:
            gone[:] = missing[rows]
            zero &= ~gone
        return [int(np.count_nonzero(mask)) for mask in (one, zero, gone)]

    pieces = [slice(start, start + _PIECE) for start in range(0, max(values.size, 1), _PIECE)]
    counts = in_threads(find, pieces, count_threads(values.size))
    return found, [sum(each) for each in zip(*counts, strict=True)]


def _read_values(label: "pd.Series[Any]", claimed: Mapping[str, list[Any]]) -> Labels:
    """Read labels of any values; those that are missing, mostly nearly all, are not looked up."""
    present = ~label.isna().to_numpy()
    try:
        codes, uniques = pd.factorize(label.reset_index(drop=True)[present])
    except TypeError as error:
        raise PUTypeError(
            f"label column {label.name!r} must hold single values, but {error}."
        ) from error
    counts = np.bincount(codes, minlength=len(uniques)).tolist()
    values = [_Value(v, _state(v, claimed), n) for v, n in zip(uniques, counts, strict=True)]
    if not present.all():
        values.append(_Value(pd.NA, _state(pd.NA, claimed), 0))
    _check_coding(str(label.name), values, claimed)
    # Those that are missing come last, if any are.
    states = np.full(label.size, values[-1].state if values else 0, np.int8)
    states[present] = np.array([value.state for value in values], np.int8)[codes]
    return Labels(states == _POSITIVE, states == _NEGATIVE)


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


def _is_missing(value: Any) -> bool:
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def _same(value: object, other: object) -> bool:
    """Compare two label values; missing values are equal, text never equals a number."""
    if _is_missing(value) or _is_missing(other):
        return _is_missing(value) and _is_missing(other)
    return bool(value == other)


def _is_in(value: object, values: Iterable[object]) -> bool:
    return any(_same(value, other) for other in values)


def _state(value: object, claimed: Mapping[str, list[Any]]) -> int:
    """Return the state that a value stands for; what is claimed goes before the canonical."""
    canonical = {state: _CANONICAL[state] for state in _CANONICAL if state not in claimed}
    meanings = {**claimed, **canonical}
    states = (_STATES[state] for state, values in meanings.items() if _is_in(value, values))
    return next(states, _UNKNOWN)


def _check_claims(claimed: Mapping[str, list[Any]]) -> None:
    """Raise if a value is claimed by two states."""
    for (state, values), (other, others) in combinations(claimed.items(), 2):
        if shared := [value for value in values if _is_in(value, others)]:
            raise PUValueError(
                f"{state} and {other} must not share a value, but {shared[0]!r} was passed in "
                "both. Name each value once."
            )


def _check_coding(name: str, values: Sequence[_Value], claimed: Mapping[str, list[Any]]) -> None:
    """Raise if labels are ambiguous, or of a value that stands for no state."""
    unknown = [value for value, state, _ in values if state == _UNKNOWN]
    if _is_in(-1, unknown):
        raise PUValueError(
            f"label column {name!r} holds -1, which is unlabeled to some and negative to others. "
            "Pass unlabeled=-1 or negative=-1."
        )
    if unknown:
        shown = shorten(map(_show, unknown), width=100)
        if "positive" not in claimed:
            _refuse_numbers(name, shown, values)
        raise PUValueError(
            f"label column {name!r} holds {shown}, which stands for no state. Labels are "
            "True or 1 (known positive), False or 0 (known negative) or missing (unlabeled). Say "
            f"what others mean, for example {_advise(values)}."
        )
    if _is_ambiguous([state for _, state, _ in values], claimed):
        first, second = (_show(value) for value, _, _ in values)
        zero = first if values[0].state == _NEGATIVE else second
        raise PUValueError(
            f"label column {name!r} holds two values, {first} and {second}, and nothing missing: "
            f"is {zero} unlabeled, or a known negative? Pass unlabeled={zero} or negative={zero}."
        )


def _refuse_numbers(name: str, shown: str, values: Sequence[_Value]) -> None:
    """Raise if labels look like probabilities or grades, of which the highest are positive."""
    numbers = {value: _as_number(value.value) for value in values if not _is_missing(value.value)}
    unknown = [number for value, number in numbers.items() if value.state == _UNKNOWN]
    if not all(0 <= number < inf for number in numbers.values()):
        return
    if any(0 < number < 1 for number in unknown) and max(numbers.values()) <= 1:
        raise PUValueError(
            f"label column {name!r} holds {shown}: these look like probabilities. Threshold them "
            f"first: df[{name!r}] = np.where(df[{name!r}] >= 0.5, 1, np.nan) takes 0.5 and more "
            "as known positive, and the others as unlabeled."
        )
    if not any(number > 1 for number in unknown):
        return
    graded = [_whole(value.value) for value in sorted(numbers, key=lambda v: numbers[v])]
    zero = [graded.pop(0)] if min(numbers.values()) == 0 else []
    also, states = "", {value.state for value in values}
    if zero and _UNLABELED not in states:
        also = f", and negative={zero[0]!r} or unlabeled={zero[0]!r}"
    elif not states & {_UNLABELED, _NEGATIVE} and len(graded) > 1:
        also = f", unlabeled={graded.pop(0)!r}"
    raise PUValueError(
        f"label column {name!r} holds {shown}: these look like grades. Say which of them are "
        f"known positives, for example positive={_list(graded)}{also}."
    )


def _whole(value: object) -> object:
    """Return 3.0 as 3, as grades are typed."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _as_number(value: Any) -> float:
    """Return a label that is a number, or the text of one, as a float; NaN for any other."""
    try:
        return float(value) if is_number(value) or isinstance(value, str) else nan
    except ValueError:
        return nan


def _advise(values: Sequence[_Value]) -> str:
    """Return keywords that give all values a state they may well mean: the rarest positive."""
    by_state = {state: [v for v in values if v.state == state] for state in range(-2, 2)}
    unknown = by_state[_UNKNOWN]
    # None stands for no keyword: positive=None would say nothing.
    named = [value for value in unknown if not _is_missing(value.value)]
    meant: dict[str, list[_Value]] = {}
    if named and not by_state[_POSITIVE]:
        rarest = min(named, key=lambda value: value.frequency)
        first = next((v for v in unknown if str(v.value).strip().lower() in _YES), rarest)
        meant["positive"] = [first]
        unknown = [value for value in unknown if value is not first]
    if unknown:
        left = by_state[_UNLABELED]
        others = "negative" if left and all(_is_missing(v.value) for v in left) else "unlabeled"
        meant[others] = [*by_state[_STATES[others]], *unknown]
    written = {state: _list([v.value for v in several]) for state, several in meant.items()}
    return ", ".join(f"{state}={several}" for state, several in written.items())


def _list(values: Sequence[object]) -> str:
    """Write values as they are typed, one alone without its list."""
    typed = ["None" if _is_missing(value) else _show(value) for value in values[:5]]
    shown = ", ".join([*typed, *(["..."] if len(values) > 5 else [])])
    return shown if len(values) == 1 else f"[{shown}]"


def _is_ambiguous(states: Sequence[int], claimed: Mapping[str, list[Any]]) -> bool:
    """Tell whether there are two values and nothing missing, and nobody says what they mean."""
    two = len(states) == 2 and set(states) == {_POSITIVE, _NEGATIVE}
    return two and "negative" not in claimed


def _show(value: object) -> str:
    """Show a label value as a user would type it."""
    if _is_missing(value):
        return "None (missing)"
    return brief(value.item() if isinstance(value, np.generic) else value)
