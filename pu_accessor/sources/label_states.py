"""Read labels in any coding as known positive, known negative or unlabeled."""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pu_accessor.checks import is_number
from pu_accessor.counting.placements import find_steps
from pu_accessor.errors import PUTypeError, PUValueError, brief, shorten
from pu_accessor.ranking import BoolArray, Clusters, CountArray, Counts, FloatArray, IntArray
from pu_accessor.roles_and_assumptions import Terms, Values
from pu_accessor.sources.columns import look_up_values

POSITIVE, NEGATIVE, UNLABELED, UNKNOWN = 1, 0, -1, -2
_WEIGHT_ERROR = 1e-9  # of a ratio of weights that is meant as whole
_FLOAT_DIGITS = 52
_MAX_SQUARED = 2**31  # products of smaller counts are int64
_CODING = (
    ", which stands for no state. Labels are True or 1 (known positive), False or 0 (negative) or "
    "missing (unlabeled)."
)
_SAY = " Say what each value is: df.pu(positive='case', unlabeled='rest')."
_THRESHOLD = " Threshold numbers: df.assign(label=np.where(df[{!r}] >= {}, 1, np.nan)).pu."
_STATES = {"positive": POSITIVE, "negative": NEGATIVE, "unlabeled": UNLABELED}
_USUAL_STATES: Mapping[Any, str] = {1: "positive", 0: "negative"}  # of True and False, too


class Labels(NamedTuple):
    """Known positives and known negatives among rows, and their columns of other roles."""

    positive: BoolArray
    negative: BoolArray
    propensity: FloatArray | None = None  # defined for known positives only
    cluster: IntArray | None = None
    clusters: int = 0  # number of clusters
    # How many rows of a larger sample each row stands for, without a scale until it is ranked.
    weight: CountArray | None = None
    count: CountArray | None = None  # type: ignore[assignment]  # of identical rows

    @property
    def multiplicity(self) -> CountArray | None:
        """The weights or the counts; None: all are 1."""
        return self.count if self.weight is None else self.weight

    @property
    def multiplicities(self) -> CountArray:
        """The weights or the counts, as an array."""
        if self.multiplicity is None:
            return np.broadcast_to(1, self.positive.shape)
        return self.multiplicity

    def take(self, rows: Any) -> Labels:
        """Return the labels of some rows."""
        taken: list[Any] = [v[rows] if isinstance(v, np.ndarray) else v for v in self]
        return Labels(*taken)

    def sizes(self) -> Counts:
        """Return the number of examples of each kind."""
        sizes = self.multiplicities
        positive, negative = (sizes[kind].sum().item() for kind in self[:2])
        return Counts(positive, negative, sizes.sum().item() - positive - negative)

    def rows_to_rank(self, score: FloatArray, *, omits: bool) -> BoolArray | slice:
        """Return the rows with a weight and, if NaN is omitted, with all scores."""
        ranked: BoolArray = self.multiplicities > 0
        if omits:
            ranked &= ~np.logical_or.reduce(np.atleast_2d(np.isnan(score)))
        return slice(None) if ranked.all() else ranked

    def scale_weights(self) -> Labels:
        """Return the labels of a ranking with 1 as its least weight, or none if all are 1."""
        scaled = self if self.weight is None else self._replace(weight=_scale(self.weight))
        if scaled.multiplicity is None or (scaled.multiplicity != 1).any():
            return scaled
        return self._replace(weight=None, count=None)

    def repeat_known(self) -> tuple[Any, Labels]:
        """Return rows that repeat known positives by their counts, and the labels of these."""
        if self.count is None:
            return slice(None), self
        rows = np.repeat(np.arange(self.count.size), np.where(self.positive, self.count, 1))
        repeated = self.take(rows)
        return rows, repeated._replace(count=np.where(repeated.positive, 1, self.count[rows]))

    def cluster_rows(self, score: FloatArray, *, one_per_row: bool = False) -> Clusters:
        """Return the clusters of rows; if there are none, each row is its own."""
        cluster, clusters = self.cluster, self.clusters
        if cluster is None or one_per_row:
            cluster, clusters = np.arange(score.size), score.size
        weight, is_sample = self.multiplicity, self.weight is not None
        return Clusters(score, self.positive, cluster, clusters, find_steps, weight, is_sample)


def _scale(weights: FloatArray) -> CountArray:
    """Scale weights to 1 as the least: int64 if whole, else floats with exact sums."""
    scaled = weights / weights.min(initial=np.inf)
    whole = np.rint(scaled)
    np.copyto(whole, scaled, where=np.abs(scaled - whole) >= _WEIGHT_ERROR * whole)
    total = float(whole.sum())
    if total < _MAX_SQUARED and (whole == np.rint(whole)).all():
        return np.asarray(whole, np.int64)
    # Multiples of this unit have exact sums, so that equal counts are equal.
    unit = 2.0 ** (int(np.frexp(total)[1]) - _FLOAT_DIGITS)
    return np.asarray(np.rint(whole / unit) * unit)


def read_labels(label: pd.Series[Any], roles: Terms, *, whole: bool = True) -> Labels:
    """Read labels; without the `whole` column two values are not ambiguous."""
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
    """Read 1, 0 and missing in a dtype of numbers; None if there is another value or a problem."""
    dtype: Any = label.dtype
    if dtype.kind not in "biuf" or isinstance(dtype, pd.SparseDtype):
        return None
    missing = label.isna().to_numpy()
    if isinstance(dtype, np.dtype):
        values = label.to_numpy()
    else:
        values = label.to_numpy(dtype.numpy_dtype, na_value=dtype.type(0))
    masks = [values == 1, (values == 0) & ~missing, missing]
    counts = [int(np.count_nonzero(mask)) for mask in masks]
    states = [_state(value, claimed) for value in (1, 0, pd.NA)]
    present = [state for state, count in zip(states, counts, strict=True) if count]
    is_ambiguous = not is_clear and sorted(present) == [NEGATIVE, POSITIVE]
    if sum(counts) < label.size or UNKNOWN in present or is_ambiguous:
        return None
    known: Any = [np.zeros(label.size, np.bool_) for _ in range(2)]
    for state, mask in zip(states, masks, strict=True):
        if state in (POSITIVE, NEGATIVE):
            known[state == NEGATIVE] |= mask
    return Labels(*known)


def _read_any(label: pd.Series[Any], claimed: dict[str, list[Any]], is_clear: bool) -> Labels:
    """Read labels of any values."""
    present = ~label.isna().to_numpy()  # mostly few: the others are not looked up
    codes, uniques = look_up_values("label", label.reset_index(drop=True)[present])
    values = [*uniques, *([] if present.all() else [pd.NA])]
    states = [_state(value, claimed) for value in values]
    _check_coding(label, values, states, is_clear)
    of_rows = np.full(label.size, states[-1] if states else 0, np.int8)
    of_rows[present] = np.array(states, np.int8)[codes]
    return Labels(of_rows == POSITIVE, of_rows == NEGATIVE)


def _as_list(state: str, values: Values) -> list[Any]:
    """Return a value or a list of values as a list."""
    if not getattr(values, "ndim", 1):  # of an array, or of a DataArray
        return [np.asarray(values).item()]
    if not isinstance(values, Iterable) or isinstance(values, str | bytes):
        return [values]
    must = f"{state} must be a value of a label or a list of such values, but"
    try:
        listed = list(values)
    except MemoryError as error:
        raise PUTypeError(f"{must} {brief(values)} was passed.") from error
    if odd := [value for value in listed if not isinstance(value, Hashable)]:
        raise PUTypeError(
            f"{must} one of them is a {type(odd[0]).__name__}: {reprlib.repr(odd[0])}. Pass "
            f"{state}=[...] with single values."
        )
    return listed


def _is_in(value: object, values: Iterable[object]) -> bool:
    """Tell whether a value is among others; missing values are equal."""
    if is_missing(value):
        return any(map(is_missing, values))
    return any(not is_missing(other) and bool(value == other) for other in values)


def _state(value: object, claimed: dict[str, list[Any]]) -> int:
    """Return the state of a value: by the caller's coding first, then by the default."""
    for state, values in claimed.items():
        if _is_in(value, values):
            return _STATES[state]
    usual = "unlabeled" if is_missing(value) else _USUAL_STATES.get(value)
    return UNKNOWN if usual is None or usual in claimed else _STATES[usual]


def _check_coding(
    label: pd.Series[Any], values: Sequence[Any], states: Sequence[int], is_clear: bool
) -> None:
    """Raise if labels are ambiguous, or if a value has no state."""
    name, pairs = str(label.name), [*zip(values, states, strict=True)]
    unknown = [value for value, state in pairs if state == UNKNOWN]
    if _is_in(-1, unknown) and all(_is_in(value, (-1, 0, 1, pd.NA)) for value in values):
        raise PUValueError(
            f"label column {name!r} contains -1, which is unlabeled to some and negative to "
            "others. Pass unlabeled=-1 or negative=-1."
        )
    if unknown:
        shown, step = shorten(map(_show, unknown), width=40), _SAY
        if all(is_number(value) for value in unknown):
            step = _THRESHOLD.format(name, _show(sorted(unknown)[len(unknown) // 2]))
        raise PUValueError(f"label column {name!r} contains {shown}{_CODING}{step}")
    if not is_clear and sorted(states) == [NEGATIVE, POSITIVE]:
        first, second = map(_show, values)
        zero = first if states[0] == NEGATIVE else second
        raise PUValueError(
            f"label column {name!r} contains two values, {first} and {second}, and nothing "
            f"missing: is {zero} unlabeled, or a known negative? Pass unlabeled={zero} or "
            f"negative={zero}."
        )


def is_missing(value: Any) -> bool:
    """Tell whether a value is None, NaN or the like."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def _show(value: Any) -> str:
    """Show a label value as a user would type it."""
    if is_missing(value):
        return "None (missing)"
    value = value.item() if isinstance(value, np.generic) else value
    return brief(int(value) if isinstance(value, float) and value.is_integer() else value)
