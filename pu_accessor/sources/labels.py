"""Any coding of labels -> three states: known positive, known negative, unlabeled."""

import reprlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from pu_accessor.errors import PUTypeError, PUValueError, brief, shorten
from pu_accessor.ranking import BoolArray, FloatArray

__all__ = ["Labels", "Values", "read_labels"]

Values: TypeAlias = Any  # a value, or a list of values

_POSITIVE, _NEGATIVE, _UNLABELED, _UNKNOWN = 1, 0, -1, -2
_YES = {"1", "+", "y", "yes", "t", "true", "p", "pos", "positive", "case", "known"}
_STATES = {"positive": _POSITIVE, "negative": _NEGATIVE, "unlabeled": _UNLABELED}
# Canonical: True / False / missing. 1 == True and 0 == False, so numbers need no entry.
_CANONICAL: Mapping[str, tuple[Any, ...]] = {
    "positive": (True,),
    "negative": (False,),
    "unlabeled": (pd.NA,),
}


class Labels(NamedTuple):
    """Which examples are known positives and known negatives; the others are unlabeled.

    Parameters
    ----------
    positive, negative : ndarray of bool
        Whether an example is of that kind.
    propensity : ndarray of float64, optional
        Probability with which each positive is labeled. That of others means nothing.
    """

    positive: BoolArray
    negative: BoolArray
    propensity: FloatArray | None = None

    def take(self, rows: Any) -> "Labels":
        """Return the labels of some rows."""
        propensity = None if self.propensity is None else self.propensity[rows]
        return Labels(self.positive[rows], self.negative[rows], propensity)


def read_labels(
    label: "pd.Series[Any]",
    *,
    positive: Values = None,
    negative: Values = None,
    unlabeled: Values = None,
) -> Labels:
    """Read labels of any coding.

    Without keywords True or 1 is positive, False or 0 negative and missing unlabeled, in any
    dtype. A keyword replaces the values of its state and takes its values away from the others.
    """
    given = {"positive": positive, "negative": negative, "unlabeled": unlabeled}
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
        values = label.to_numpy()
        masks = [values == 1, values == 0, values != values]
    else:
        values = label.to_numpy(dtype.numpy_dtype, na_value=dtype.type(0))
        missing = label.isna().to_numpy()
        masks = [values == 1, (values == 0) & ~missing, missing]
    counts = [np.count_nonzero(mask) for mask in masks]
    states = [_state(value, claimed) for value in (1, 0, pd.NA)]
    present = [state for state, count in zip(states, counts, strict=True) if count]
    if sum(counts) < label.size or _UNKNOWN in present or _is_ambiguous(present, claimed):
        return None

    def select(wanted: int) -> BoolArray:
        """Return which labels are in a state."""
        chosen = [mask for mask, state in zip(masks, states, strict=True) if state == wanted]
        return reduce(np.logical_or, chosen or [np.zeros(label.size, np.bool_)])

    return Labels(select(_POSITIVE), select(_NEGATIVE))


def _read_values(label: "pd.Series[Any]", claimed: Mapping[str, list[Any]]) -> Labels:
    """Read labels of any values; those that are missing, mostly nearly all, are not looked up."""
    there = ~label.isna().to_numpy()
    try:
        codes, uniques = pd.factorize(label.reset_index(drop=True)[there])
    except TypeError as error:
        raise PUTypeError(
            f"label column {label.name!r} must hold single values, but {error}."
        ) from error
    present = list(uniques) if there.all() else [*list(uniques), pd.NA]
    states = [_state(value, claimed) for value in present]
    counts = np.bincount(codes)  # of what is there
    _check_coding(str(label.name), present, states, claimed, counts.tolist())
    found = np.full(label.size, states[-1], np.int8)
    found[there] = np.array(states, np.int8)[codes]
    return Labels(found == _POSITIVE, found == _NEGATIVE)


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


def _same(one: object, other: object) -> bool:
    """Compare two label values; missing values are equal, text never equals a number."""
    if _is_missing(one) or _is_missing(other):
        return _is_missing(one) and _is_missing(other)
    return bool(one == other)


def _is_in(value: object, values: Iterable[object]) -> bool:
    return any(_same(value, other) for other in values)


def _state(value: object, claimed: Mapping[str, list[Any]]) -> int:
    """Return the state that a value stands for; what is claimed goes before the canonical."""
    for state, values in claimed.items():
        if _is_in(value, values):
            return _STATES[state]
    for state, canonical in _CANONICAL.items():
        if state not in claimed and _is_in(value, canonical):
            return _STATES[state]
    return _UNKNOWN


def _check_claims(claimed: Mapping[str, list[Any]]) -> None:
    """Raise if a value is claimed by two states."""
    states = list(claimed)
    for index, state in enumerate(states):
        for other in states[index + 1 :]:
            for value in claimed[state]:
                if _is_in(value, claimed[other]):
                    raise PUValueError(
                        f"{state} and {other} must not share a value, but {value!r} was passed "
                        "in both. Name each value once."
                    )


def _check_coding(
    name: str,
    present: Sequence[object],
    states: Sequence[int],
    claimed: Mapping[str, list[Any]],
    counts: Sequence[int],
) -> None:
    """Raise if labels are ambiguous, or of a value that stands for no state."""
    unknown = [v for v, state in zip(present, states, strict=True) if state == _UNKNOWN]
    if _is_in(-1, unknown):
        raise PUValueError(
            f"label column {name!r} holds -1, which is unlabeled to some and negative to others. "
            "Pass unlabeled=-1 or negative=-1."
        )
    if unknown:
        shown = shorten(map(_show, unknown), width=100)
        raise PUValueError(
            f"label column {name!r} holds {shown}, which stands for no state. Labels are "
            "True or 1 (known positive), False or 0 (known negative) or missing (unlabeled). Say "
            f"what others mean, for example {_advise(present, states, counts)}."
        )
    if _is_ambiguous(states, claimed):
        one, other = (_show(value) for value in present)
        zero = _show(present[states.index(_NEGATIVE)])
        raise PUValueError(
            f"label column {name!r} holds two values, {one} and {other}, and nothing missing: is "
            f"{zero} unlabeled, or a known negative? Pass unlabeled={zero} or negative={zero}."
        )


def _advise(present: Sequence[object], states: Sequence[int], counts: Sequence[int]) -> str:
    """Return keywords that give all values a state they may well mean: the rarest positive."""
    unknown = [value for value, state in zip(present, states, strict=True) if state == _UNKNOWN]
    # None stands for no keyword: positive=None would say nothing.
    places = [
        place
        for place, state in enumerate(states)
        if state == _UNKNOWN and not _is_missing(present[place])
    ]
    meant: dict[str, list[object]] = {}
    if _POSITIVE not in states and places:
        rarest = present[min(places, key=lambda place: counts[place])]
        first = next((v for v in unknown if str(v).strip().lower() in _YES), rarest)
        meant["positive"] = [first]
        unknown = [value for value in unknown if value is not first]
    if unknown:
        left = [v for v, s in zip(present, states, strict=True) if s == _UNLABELED]
        rest = "negative" if left and all(map(_is_missing, left)) else "unlabeled"
        there = [v for v, s in zip(present, states, strict=True) if s == _STATES[rest]]
        meant[rest] = [*there, *unknown]
    return ", ".join(f"{state}={_list(values)}" for state, values in meant.items())


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
