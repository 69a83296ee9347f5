"""Read `at`: a rank, a threshold, a rate or a maximum."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isnan
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np

from pu_accessor.checks import MAX_COUNT, as_array, check_option, check_share, is_number
from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.words import READ

At: TypeAlias = int | str | Mapping[str, float] | Mapping[str, Sequence[float]]

OPTIMIZED = ("maximum", "youden")
FIXED = ("rank", "threshold", "fraction")  # independent of beta
RATES = ("fpr", "recall", "precision")  # a given rate is a point of the true curve
_KINDS = (*FIXED, *RATES)
_FLOAT_ERROR = Fraction(1, 10**12)


@dataclass(frozen=True)
class Cutoff:
    """A cutoff as `at` gives it."""

    kind: str  # one of _KINDS or OPTIMIZED; metrics also have "first" and "positives"
    value: float = 0.0  # 0 where the kind needs none


def read_cutoffs(at: At) -> list[Cutoff]:
    """Check `at`, and return its cutoff, or several of a kind."""
    if isinstance(at, str):
        check_option("at", at, OPTIMIZED)
        return [Cutoff(at)]
    if isinstance(at, Integral) and not isinstance(at, bool):
        return [_read_value("rank", int(at))]
    if isinstance(at, Real) and is_number(at):
        number = float(at)
        share = f"at={{'fraction': {number}}} for a share of the examples, {{'fpr': {number}}} "
        share += "for a false positive rate, or "
        rank = f"at={number:.0f}, or " if number > 1 and number.is_integer() else ""
        raise PUTypeError(
            f"at must be an integer where it is a rank, but {number} was passed. Pass {rank}"
            f"{share if 0 <= number <= 1 else ''}at={{'threshold': {number}}} for a score."
        )
    if isinstance(at, list | tuple):
        raise PUTypeError(
            f"at must say what its numbers are, but {at!r} was passed. Pass at={{'rank': {at!r}}},"
            " or 'fraction' or 'threshold' in place of 'rank'."
        )
    if not isinstance(at, Mapping) or len(at) != 1:
        raise PUTypeError(
            f"at must be a rank, one of {sorted(OPTIMIZED)}, or a mapping of one of "
            f"{sorted(_KINDS)} to a number, but {at!r} was passed. For example at=100 or "
            "at={'fpr': 0.05}."
        )
    ((kind, value),) = at.items()
    kind = READ.get(kind, kind) if isinstance(kind, str) else kind
    check_option("at", kind, _KINDS)
    numbers = as_array(value)
    each: list[Any] = np.atleast_1d(numbers).tolist() if numbers.ndim < 2 else [value]
    cutoffs = [_read_value(kind, number) for number in each]
    if len({cutoff.value for cutoff in cutoffs}) < max(len(cutoffs), 1):
        raise PUValueError(
            f"at must have at least one number, and each once, but {at!r} was passed."
        )
    return cutoffs


def _read_value(kind: str, value: float) -> Cutoff:
    """Check the value of a cutoff, without a ranking."""
    if not is_number(value):
        raise PUTypeError(f"at must map {kind!r} to a number, but {value!r} was passed.")
    if kind == "rank":
        if not (0 <= value <= MAX_COUNT and value % 1 == 0):
            raise rank_error("the number of examples", value)
        return Cutoff(kind, int(value))
    if kind == "threshold":
        if isnan(value):
            raise PUValueError("at must map 'threshold' to a number, but NaN was passed.")
    else:
        check_share(f"at={{{kind!r}: ...}}", value)
    return Cutoff(kind, float(value))


def rank_of_fraction(fraction: float, examples: float) -> int:
    """Return the fewest examples that are at least a fraction of them.

    Enrichment factors are rounded up, too, and no fraction above 0 is without examples. Errors of
    floats do not add an example: 0.1 + 0.2 is 0.3.
    """
    return ceil(Fraction(str(fraction)) * (1 - _FLOAT_ERROR) * Fraction(examples))


def rank_error(most: str, value: float) -> PUValueError:
    """Return the error that `at` is not a rank of the ranking."""
    return PUValueError(
        f"at must be a rank from 0 to {most}, but {value!r} was passed. For a share of the "
        "examples, pass at={'fraction': 0.1}; where a search returned fewer, ask "
        "df.pu(nan_policy='unretrieved')."
    )
