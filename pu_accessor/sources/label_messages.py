"""Write the message about labels in an unknown coding: what they look like, and what to pass."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf, isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.errors import brief, shorten

POSITIVE, NEGATIVE, UNLABELED, UNKNOWN = 1, 0, -1, -2
_MAX_LISTED = 5  # values in a line
# Words with one meaning, as numbers: NaN for unlabeled.
_WORDS: Mapping[str, float] = {
    word: number
    for number, words in {
        1.0: "+ y yes t true p pos positive case known active relevant",
        0.0: "- n no f false neg negative control inactive irrelevant",
        nan: "? u unl unlabeled unlabelled unknown unjudged na n/a nan null",
    }.items()
    for word in words.split()
}
_CODING = (
    ", which stands for no state. Labels are True or 1 (known positive), False or 0 (negative) or "
    "missing (unlabeled)."
)


@dataclass(frozen=True, eq=False)  # missing values are equal to nothing
class Value:
    """A value of a column of labels."""

    value: Any
    state: int
    frequency: int  # of labels; 0 of missing ones


def is_missing(value: Any) -> bool:
    """Tell whether a value is None, NaN or the like."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def show(value: Any) -> str:
    """Show a label value as a user would type it."""
    if is_missing(value):
        return "None (missing)"
    value = value.item() if isinstance(value, np.generic) else value
    return brief(int(value) if isinstance(value, float) and value.is_integer() else value)


def advise(label: pd.Series[Any], values: Sequence[Value], claimed: Collection[str]) -> str:
    """Return the message about labels without a state; of grades the highest are positive."""
    unknown = [v for v in values if v.state == UNKNOWN]
    shown = shorten((show(v.value) for v in unknown), width=60)
    head = f"label column {str(label.name)!r} contains {shown}"
    categories = label.cat.categories if getattr(label.dtype, "ordered", False) else ()
    ranks = {v: _grade(v.value, list(categories)) for v in values}
    numbers = {
        v: rank
        for v, rank in ranks.items()
        if v.state != UNLABELED and rank is not None and not isnan(rank)
    }
    levels = sorted({*numbers.values()})
    is_closed = len(numbers) < len(values) or any(v.state == NEGATIVE for v in values)
    if levels == [1, 2] and not (is_closed or claimed):  # two classes
        values = unknown = [replace(v, state=UNKNOWN) for v in values]
        ranks = dict.fromkeys(values)
    if any(ranks[v] is None for v in unknown):
        return head + _CODING + _advise_words(label, values, ranks)
    above = [level for level in levels if level > 0]
    is_graded = max([*levels, len(categories)]) > 1
    is_graded &= not all(is_missing(v.value) for v in unknown)
    least = above[not is_closed and 1 < len(above) == len(levels)] if above else inf
    meant = [rank for v, rank in numbers.items() if v.state == POSITIVE]
    if meant and "positive" in claimed:
        least = min(meant) if is_graded else inf
    are_shares = any(level % 1 for level in levels) and min(levels) >= 0 and max(levels) <= 1
    if are_shares or len(levels) > _MAX_LISTED + 1:
        return head + _advise_threshold(label, numbers, 0.5 if are_shares else least, claimed)
    high = [v for v in numbers if numbers[v] >= least and v.state != NEGATIVE]
    high.sort(key=numbers.__getitem__)
    low = [v for v in numbers if v not in high]
    looks = ": these look like grades." if is_graded else _CODING
    return f"{head}{looks} Say what each is, for example {_write(values, high, low, claimed)}."


def _grade(value: Any, categories: Sequence[Any]) -> float | None:
    """Return a label as a number, NaN for unlabeled; None if its meaning is unknown."""
    if is_missing(value) or categories:
        return nan if is_missing(value) else float(categories.index(value))
    word = str(value).strip().lower()
    with suppress(TypeError, ValueError):  # not a number
        return _WORDS[word] if word in _WORDS else nan if float(value) == -1 else float(value)
    return None


def _advise_threshold(
    label: pd.Series[Any], numbers: Mapping[Value, float], least: float, claimed: Collection[str]
) -> str:
    """Return the line that makes labels of probabilities, many grades or measurements."""
    levels, column, end = sorted({*numbers.values()}), f"df[{str(label.name)!r}]", ""
    looks, first = "many grades", str(least)
    if least == 0.5:
        looks, end = "probabilities", " Probabilities as labels are not supported."
    elif any(level % 1 for level in levels):
        looks, end = "measurements", " Write <= where lower is more positive."
        first = f"{np.median(levels):.3g}"
    numeric = f"{column}.astype(float)"
    negative = [f"{numbers[v]:g}" for v in numbers if v.state == NEGATIVE and numbers[v] < least]
    line = f"np.where({numeric} >= {first}, 1, np.nan)"
    if getattr(label.dtype, "ordered", False):
        first = next(show(v.value) for v in numbers if numbers[v] == least)
        line = f"np.where({column} >= {first}, 1, np.nan)"
    elif negative and looks == "many grades" and ("negative" in claimed or label.hasnans):
        kept = f"0 if g in [{', '.join(negative)}] else np.nan"
        line = f"{numeric}.map(lambda g: 1 if g >= {first} else {kept})"
    steps = [f"leave {state} out" for state in claimed if state != "negative"]
    steps += ["pass negative=0"] * ("negative" in claimed)
    then = f"; then {' and '.join(steps)}" if steps else ""
    return (
        f": these look like {looks}. Threshold them first: {column} = {line} makes the others "
        f"unlabeled{then}.{end}"
    )


def _advise_words(
    label: pd.Series[Any], values: Sequence[Value], ranks: Mapping[Value, float | None]
) -> str:
    """Return what to pass for words of unknown meaning, under a condition on it."""
    known = [v for v in values if v.state != UNLABELED and not isnan(ranks[v] or 0)]
    high = [v for v in known if v.state == POSITIVE or (ranks[v] or 0) > 0]
    unclear = [v for v in known if v.state == UNKNOWN and ranks[v] is None]
    low = [v for v in known if v not in high and v not in unclear]
    if high:
        return f" If {_list(unclear)} is unlabeled: {_write(values, high, low)}."
    first, *others = sorted(unclear, key=lambda v: v.frequency)
    if len(others) >= _MAX_LISTED:
        line = f"df.assign(label=df[{str(label.name)!r}] == {show(first.value)}).pu(unlabeled=0)"
        return f" If {show(first.value)} is positive: {line}."
    if others and len(known) < len(values):
        return f" If all are known positives: {_write(values, [first, *others], low)}."
    ways = [(first, [*others, *low]), *([(others[0], [first])] if len(known) == 2 else [])]
    conditions = [
        f"{show(one.value)} is positive: {_write(values, [one], rest, single=True)}"
        for one, rest in ways
        if one in unclear
    ]
    return f" If {'; if '.join(conditions)}."


def _write(
    values: Sequence[Value],
    high: Sequence[Value],
    low: Sequence[Value],
    claimed: Collection[str] = (),
    *,
    single: bool = False,
) -> str:
    """Write keywords that give all values a state; low ones may be negative or unlabeled."""
    unlabeled = [v for v in values if v not in high and v not in low and v.state != NEGATIVE]
    is_open = bool(low) and not unlabeled and "negative" not in claimed
    states = [("positive", high), ("unlabeled" if is_open else "negative", low)]
    keywords = [
        f"{state}={_list(several)}"
        for state, several in [*states, ("unlabeled", unlabeled)]
        if any(v.state == UNKNOWN for v in several) or (is_open and several is low)
    ]
    if is_open and not single:
        keywords[-1] = f"{'and ' * (len(keywords) > 1)}negative={_list(low)} or {keywords[-1]}"
    return ", ".join(keywords)


def _list(values: Iterable[Value]) -> str:
    """Write values as they are typed, a single one without brackets."""
    typed = [show(v.value).removesuffix(" (missing)") for v in values]
    shown = ", ".join([*typed[:_MAX_LISTED], *(["..."] if len(typed) > _MAX_LISTED else [])])
    return shown if len(typed) == 1 else f"[{shown}]"
