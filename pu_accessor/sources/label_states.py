"""Read labels in any coding as known positive, known negative or unlabeled."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from math import inf, isnan, nan
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pu_accessor.counting.placements import find_steps
from pu_accessor.errors import PUTypeError, PUValueError, brief, shorten
from pu_accessor.ranking import BoolArray, Clusters, CountArray, Counts, FloatArray, IntArray
from pu_accessor.roles_and_assumptions import Terms, Values
from pu_accessor.sources.columns import look_up_values

POSITIVE, NEGATIVE, UNLABELED, UNKNOWN = 1, 0, -1, -2
_MAX_LISTED = 5  # values in a line
_WEIGHT_ERROR = 1e-9  # of a ratio of weights that is meant as whole
_FLOAT_DIGITS = 52
_MAX_SQUARED = 2**31  # products of smaller counts are int64
# Words with one meaning, as numbers: NaN for unlabeled.
_WORDS: Mapping[str, float] = {
    word: number
    for number, words in {
        1.0: "+ y yes t true p pos positive case known active relevant pathogenic",
        0.0: "- n no f false neg negative control inactive irrelevant benign",
        nan: "? u unl unlabeled unlabelled unknown unjudged na n/a nan null vus",
    }.items()
    for word in words.split()
}
_CODING = (
    ", which stands for no state. Labels are True or 1 (known positive), False or 0 (negative) or "
    "missing (unlabeled)."
)
_SAY = " Say what each is, for example {states}."
_THRESHOLD = " Threshold them first: {line}{then}."
_ADVICE: Mapping[str, str] = {  # by what labels look like
    "": _CODING + _SAY,
    "grades": ": these look like grades." + _SAY,
    "many grades": ": these look like many grades." + _THRESHOLD,
    "measurements": (
        f": these look like measurements.{_THRESHOLD} Write <= where lower is more positive."
    ),
    "probabilities": (
        f": these look like probabilities.{_THRESHOLD} Probabilities as labels are not supported."
    ),
}
_STATES = {"positive": POSITIVE, "negative": NEGATIVE, "unlabeled": UNLABELED}
_USUAL_STATES: Mapping[Any, str] = {1: "positive", 0: "negative"}  # of True and False, too


@dataclass(frozen=True, eq=False)  # missing values are equal to nothing
class _Value:
    """A value of a column of labels."""

    value: Any
    state: int
    frequency: int  # of labels; 0 of missing ones


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
    counts = np.bincount(codes, minlength=len(uniques)).tolist()
    values = [_Value(v, _state(v, claimed), n) for v, n in zip(uniques, counts, strict=True)]
    if not present.all():
        values.append(_Value(pd.NA, _state(pd.NA, claimed), 0))
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
    for state, values in claimed.items():
        if _is_in(value, values):
            return _STATES[state]
    usual = "unlabeled" if is_missing(value) else _USUAL_STATES.get(value)
    return UNKNOWN if usual is None or usual in claimed else _STATES[usual]


def _check_coding(
    label: pd.Series[Any], values: Sequence[_Value], claimed: dict[str, list[Any]], is_clear: bool
) -> None:
    """Raise if labels are ambiguous, or if a value has no state."""
    name, unknown = str(label.name), [v.value for v in values if v.state == UNKNOWN]
    if _is_in(-1, unknown) and all(_is_in(v.value, (-1, 0, 1, pd.NA)) for v in values):
        raise PUValueError(
            f"label column {name!r} contains -1, which is unlabeled to some and negative to "
            "others. Pass unlabeled=-1 or negative=-1."
        )
    if unknown:
        raise PUValueError(_advise(label, values, claimed))
    if not is_clear and sorted(v.state for v in values) == [NEGATIVE, POSITIVE]:
        first, second = (_show(v.value) for v in values)
        zero = first if values[0].state == NEGATIVE else second
        raise PUValueError(
            f"label column {name!r} contains two values, {first} and {second}, and nothing "
            f"missing: is {zero} unlabeled, or a known negative? Pass unlabeled={zero} or "
            f"negative={zero}."
        )


# The message about labels in an unknown coding: what they look like, and what to pass


def is_missing(value: Any) -> bool:
    """Tell whether a value is None, NaN or the like."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def _show(value: Any) -> str:
    """Show a label value as a user would type it."""
    if is_missing(value):
        return "None (missing)"
    if isinstance(value, pd.Timestamp | pd.Timedelta | pd.Period):
        return f"pd.{value!r}".replace(" 00:00:00", "")
    value = value.item() if isinstance(value, np.generic) else value
    return brief(int(value) if isinstance(value, float) and value.is_integer() else value)


def _advise(label: pd.Series[Any], values: Sequence[_Value], claimed: Collection[str]) -> str:
    """Return the message about labels without a state: what they look like, and what to pass."""
    unknown = [v for v in values if v.state == UNKNOWN]
    shown = shorten((_show(v.value) for v in unknown), width=60)
    head = f"label column {str(label.name)!r} contains {shown}"
    order = [*label.cat.categories] if getattr(label.dtype, "ordered", False) else []
    meant = {v: nan if v.state == UNLABELED else _as_number(v.value, order) for v in values}
    if any(meant[v] is None for v in unknown):
        return f"{head}{_CODING}{_advise_words(label, meant, claimed)}"
    numbers = {v: n for v, n in meant.items() if n is not None and not isnan(n)}
    levels = sorted({*numbers.values()})
    is_graded = max([*levels, len(order)]) > 1 and not all(is_missing(v.value) for v in unknown)
    least = _least_positive(values, numbers, is_graded=is_graded, claims="positive" in claimed)
    looks = "grades" if is_graded else ""
    if any(level % 1 for level in levels) and min(levels) >= 0 and max(levels) <= 1:
        looks, least = "probabilities", 0.5
    elif len(levels) > _MAX_LISTED + 1:
        looks = "measurements" if any(level % 1 for level in levels) else "many grades"
    high = [v for v in numbers if numbers[v] >= least and v.state != NEGATIVE]
    high.sort(key=numbers.__getitem__)
    column = f"df[{str(label.name)!r}]"
    first = _show(high[0].value) if order and high else f"{least:g}"
    first = f"{np.median(levels):.3g}" if looks == "measurements" else first
    column_of_numbers = column if order else f"{column}.astype(float)"
    rest, steps = "np.nan", [f"leave {state} out" for state in claimed]
    negative = [f"{n:g}" for v, n in numbers.items() if v.state == NEGATIVE and n < least]
    is_judged = "negative" in claimed or len(numbers) < len(values)  # not all rows are
    if looks == "many grades" and is_judged and negative:  # which stay known
        rest = f"np.where({column_of_numbers}.isin([{', '.join(negative)}]), 0, np.nan)"
        steps = [step for step in steps if "negative" not in step] + ["pass negative=0"]
    advice = _ADVICE[looks].format(
        states=_write(values, high, [v for v in numbers if v not in high], claimed),
        line=f"{column} = np.where({column_of_numbers} >= {first}, 1, {rest}) makes the others "
        "unlabeled",
        then=f"; then {' and '.join(steps)}" if steps else "",
    )
    return head + advice


def _as_number(value: Any, order: Sequence[Any]) -> float | None:
    """Return a label as a number, NaN for unlabeled; None if its meaning is unknown."""
    if is_missing(value) or order:
        return nan if is_missing(value) else float(order.index(value))
    word = re.sub("^likely[ _]", "", str(value).strip().lower())
    with suppress(TypeError, ValueError):  # not a number
        return _WORDS[word] if word in _WORDS else nan if float(value) == -1 else float(value)
    return None


def _least_positive(
    values: Sequence[_Value], numbers: Mapping[_Value, float], *, is_graded: bool, claims: bool
) -> float:
    """Return the lowest grade that may be positive; a user may have said which are."""
    if claims and (positive := [n for v, n in numbers.items() if v.state == POSITIVE]):
        return min(positive) if is_graded else inf
    levels = sorted({*numbers.values()})
    above = [level for level in levels if level > 0]
    is_closed = len(numbers) < len(values) or any(v.state == NEGATIVE for v in values)
    return above[not is_closed and 1 < len(above) == len(levels)] if above else inf


def _advise_words(
    label: pd.Series[Any], meant: Mapping[_Value, float | None], claimed: Collection[str]
) -> str:
    """Return what to pass for words of unknown meaning, under a condition on it."""
    words = [v for v in meant if v.state == UNKNOWN and meant[v] is None]
    high = [v for v in meant if v.state == POSITIVE or (meant[v] or 0) > 0]
    low = [v for v in meant if meant[v] == 0 and v not in high]
    state, chosen = "unlabeled", words
    if not high:  # all are positive where others are unlabeled, else the rarest
        has_unlabeled = any(isnan(meant[v] or 0) for v in meant)
        chosen = words if has_unlabeled else [min(words, key=lambda v: v.frequency)]
        low = low or [v for v in words if v not in chosen]
        state, high = "positive", chosen
    write = _write([*meant], high, low, claimed)
    if len(words) > _MAX_LISTED:
        others = (v for v in meant if v not in high)
        test = ".notna()" if all(is_missing(v.value) for v in others) else f" == {_list(high[:1])}"
        write = f"df.assign(label=df[{str(label.name)!r}]{test}).pu(unlabeled=0)"
    return f" If {_list(chosen)} is {state}: {write}."


def _write(
    values: Sequence[_Value],
    high: Sequence[_Value],
    low: Sequence[_Value],
    claimed: Collection[str],
) -> str:
    """Write keywords that give all values a state; low ones may be negative or unlabeled."""
    unlabeled = [v for v in values if v not in high and v not in low and v.state != NEGATIVE]
    is_open = bool(low) and not unlabeled and "negative" not in claimed
    keywords = [
        f"{state}={_list(several)}"
        for state, several in (("positive", high), ("negative", low), ("unlabeled", unlabeled))
        if any(v.state == UNKNOWN for v in several) or (is_open and several is low)
    ]
    if is_open:
        keywords[-1] = f"{'and ' * (len(keywords) > 1)}{keywords[-1]} or unlabeled={_list(low)}"
    return ", ".join(keywords)


def _list(values: Iterable[_Value]) -> str:
    """Write values as they are typed, a single one without brackets."""
    typed = [_show(v.value).removesuffix(" (missing)") for v in values]
    shown = ", ".join([*typed[:_MAX_LISTED], *(["..."] if len(typed) > _MAX_LISTED else [])])
    return shown if len(typed) == 1 else f"[{shown}]"
