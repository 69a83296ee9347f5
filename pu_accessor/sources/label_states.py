"""Read labels in any coding as known positive, known negative or unlabeled."""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pu_accessor.counting.placements import RowClusters
from pu_accessor.errors import PUTypeError, PUValueError, brief
from pu_accessor.ranking import BoolArray, CountArray, Counts, FloatArray, IntArray
from pu_accessor.roles_and_assumptions import Terms, Values
from pu_accessor.sources.label_messages import (
    NEGATIVE,
    POSITIVE,
    UNKNOWN,
    UNLABELED,
    Value,
    advise,
    is_missing,
    show,
)

_STATES = {"positive": POSITIVE, "negative": NEGATIVE, "unlabeled": UNLABELED}
# 1 == True and 0 == False, so numbers need no entry.
_DEFAULT_CODING: Mapping[str, list[Any]] = {
    "positive": [True],
    "negative": [False],
    "unlabeled": [pd.NA],
}


class Labels(NamedTuple):
    """Known positives and known negatives among rows, and their columns of other roles."""

    positive: BoolArray
    negative: BoolArray
    propensity: FloatArray | None = None  # defined for known positives only
    cluster: IntArray | None = None
    clusters: int = 0  # number of clusters
    weight: CountArray | None = None  # how many rows of a larger sample each row stands for
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

    def drop_unit_weights(self) -> Labels:
        """Return the labels without weights if all of these are 1."""
        if self.multiplicity is None or (self.multiplicity != 1).any():
            return self
        return self._replace(weight=None, count=None)

    def repeat_known(self) -> tuple[Any, Labels]:
        """Return rows that repeat known positives by their counts, and the labels of these."""
        if self.count is None:
            return slice(None), self
        rows = np.repeat(np.arange(self.count.size), np.where(self.positive, self.count, 1))
        repeated = self.take(rows)
        return rows, repeated._replace(count=np.where(repeated.positive, 1, self.count[rows]))

    def cluster_rows(self, score: FloatArray, *, one_per_row: bool = False) -> RowClusters:
        """Return the clusters of rows; if there are none, each row is its own."""
        cluster, clusters = self.cluster, self.clusters
        if cluster is None or one_per_row:
            cluster, clusters = np.arange(score.size), score.size
        is_sample = self.weight is not None
        return RowClusters(score, self.positive, cluster, clusters, self.multiplicity, is_sample)


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
    try:
        codes, uniques = pd.factorize(label.reset_index(drop=True)[present])
    except TypeError as error:
        raise PUTypeError(
            f"label column {label.name!r} must contain single values, but {error}."
        ) from error
    counts = np.bincount(codes, minlength=len(uniques)).tolist()
    values = [Value(v, _state(v, claimed), n) for v, n in zip(uniques, counts, strict=True)]
    if not present.all():
        values.append(Value(pd.NA, _state(pd.NA, claimed), 0))
    _check_coding(label, values, claimed, is_clear)
    states = np.full(label.size, values[-1].state if values else 0, np.int8)
    states[present] = np.array([value.state for value in values], np.int8)[codes]
    return Labels(states == POSITIVE, states == NEGATIVE)


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
    defaults = {state: of for state, of in _DEFAULT_CODING.items() if state not in claimed}
    coding = (claimed | defaults).items()
    return next((_STATES[state] for state, values in coding if _is_in(value, values)), UNKNOWN)


def _check_coding(
    label: pd.Series[Any], values: Sequence[Value], claimed: dict[str, list[Any]], is_clear: bool
) -> None:
    """Raise if labels are ambiguous, or if a value has no state."""
    name, unknown = str(label.name), [v.value for v in values if v.state == UNKNOWN]
    if _is_in(-1, unknown) and all(_is_in(v.value, (-1, 0, 1, pd.NA)) for v in values):
        raise PUValueError(
            f"label column {name!r} contains -1, which is unlabeled to some and negative to "
            "others. Pass unlabeled=-1 or negative=-1."
        )
    if unknown:
        raise PUValueError(advise(label, values, claimed))
    if not is_clear and sorted(v.state for v in values) == [NEGATIVE, POSITIVE]:
        first, second = (show(v.value) for v in values)
        zero = first if values[0].state == NEGATIVE else second
        raise PUValueError(
            f"label column {name!r} contains two values, {first} and {second}, and nothing "
            f"missing: is {zero} unlabeled, or a known negative? Pass unlabeled={zero} or "
            f"negative={zero}."
        )
