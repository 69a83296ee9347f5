"""Check arguments: beta, shares, counts, ranks, options and flags."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import wraps
from inspect import signature
from math import floor, inf
from numbers import Integral, Rational, Real
from sys import float_info
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from pu_accessor.errors import PUTypeError, PUValueError, brief
from pu_accessor.ranking import FloatArray, IntArray, Ranks
from pu_accessor.words import suggest

Interval: TypeAlias = tuple[float, float]
Function = TypeVar("Function", bound=Callable[..., Any])

MAX_STRATA = 6  # from which rows are drawn and labeled by hand
# A beta within so many units in the last place of a decimal with so few digits is that decimal.
# Ratios of counts up to 10**8 stay as they were passed.
_BETA_DIGITS, _BETA_ULPS = 6, 16
_LEVEL_SPAN = "(0, 0.9999999999999]"  # closer to 1 the tail is only rounding
_FLOAT_ERROR = 1e-12  # relative, of a product
_INFINITE_ODDS = 1e100  # no count of examples distinguishes this factor from infinity
MAX_COUNT = 10**12  # limits of far larger counts suffer from rounding
_LARGEST_FLOAT = Fraction(float_info.max)


def as_betas(beta: npt.ArrayLike) -> FloatArray:
    """Check beta and return it as an array."""
    values = as_array(beta)
    if isinstance(beta, tuple) and values.shape == (2,):
        raise PUTypeError(
            f"beta must be a list for two numbers, or a range, but the tuple {brief(beta)} was "
            f"passed. Pass beta=pd.Interval({beta[0]}, {beta[1]}) for all betas between, or "
            f"{brief([*beta])} for two."
        )
    if values.dtype == object and all(map(is_number, values.flat)):
        values = values.astype(np.float64)
    if isinstance(beta, np.ma.MaskedArray) or values.dtype.kind not in "iuf" or values.ndim > 1:
        raise PUTypeError(
            "beta must be a number or a one-dimensional array of numbers, but "
            f"{reprlib.repr(beta)} was passed. It is the fraction of positives among the "
            "unlabeled: beta=0.3, or to estimate it beta=df.pu.estimate_beta()."
        )
    values = np.atleast_1d(values)
    if values.dtype.itemsize < 8:  # float32(0.3) is meant as 0.3, not as 0.30000001192092896
        values = np.array([float(str(value)) for value in values])
    shares = values.astype(np.float64)
    # The 0.30000000000000004 of np.arange(0, 0.5, 0.1) is meant as 0.3, and selected by that.
    rounded = np.array([float(f"{value:.{_BETA_DIGITS}g}") for value in shares.tolist()])
    with np.errstate(invalid="ignore", over="ignore"):  # infinities are refused below
        is_close = np.abs(rounded - shares) <= _BETA_ULPS * np.spacing(np.abs(shares))
    betas = np.where(is_close, rounded, shares)
    outside = betas[~((betas >= 0) & (betas <= 1))]
    if outside.size or not betas.size:
        came = f"{outside.tolist()[:5]} was passed" if outside.size else "nothing was passed"
        raise PUValueError(
            f"beta must lie in [0, 1], but {came}. It is the fraction of positives among the "
            "unlabeled: give a share, not a percentage or a count."
        )
    if np.unique(betas).size < betas.size:
        raise PUValueError(
            f"beta must contain each value once, but {reprlib.repr(betas.tolist())} was passed."
        )
    return betas


def hidden_counts(betas: FloatArray, unlabeled: Any) -> IntArray:
    """Return the number of hidden positives for each beta, at most all unlabeled examples."""
    return np.asarray(np.frompyfunc(_hidden_count, 2, 1)(betas, unlabeled), np.int64)


def _hidden_count(beta: float, unlabeled: float) -> int:
    middle = beta * unlabeled + 0.5
    if abs(middle - round(middle)) > _FLOAT_ERROR * (1 + middle):
        return min(floor(middle), floor(unlabeled))
    # In decimals: 0.145 * 100 is 14.5 and rounds up, but not in floats.
    return min(floor(Fraction(str(beta)) * unlabeled + Fraction(1, 2)), floor(unlabeled))


def check_level(level: float) -> float:
    """Check a probability of coverage."""
    if isinstance(level, Real) and 1 < level < 100:
        percent = f"For {level:g} percent, pass {level / 100:g}."
        raise PUValueError(f"level must lie in {_LEVEL_SPAN}, but {level!r} was passed. {percent}")
    return check_share("level", level, _LEVEL_SPAN)


def check_selection_odds(odds: float) -> float:
    """Check the factor by which the odds of being labeled may differ."""
    if not is_number(odds):
        raise PUTypeError(
            f"selection_odds must be a number of at least 1, but {odds!r} was passed. For "
            "example selection_odds=2."
        )
    if not odds >= 1:
        raise PUValueError(
            f"selection_odds must be 1 (labels at random) or more, up to infinity, but {odds!r} "
            "was passed. It is the factor by which odds of being labeled differ in either "
            "direction: for one half pass 2."
        )
    return float(odds) if odds < _INFINITE_ODDS else inf


def is_number(value: Any, kind: type = Real) -> bool:
    """Tell whether a value is a number within the range of float; True and False are not."""
    if not isinstance(value, kind) or isinstance(value, bool):
        return False
    return not isinstance(value, Rational) or abs(Fraction(value)) <= _LARGEST_FLOAT


def check_share(argument: str, value: Any, span: str = "[0, 1]") -> float:
    """Check a number in a span that is written like "(-1, 1]"."""
    if not is_number(value):
        raise PUTypeError(f"{argument} must be a number in {span}, but {value!r} was passed.")
    low, high = map(float, span[1:-1].split(","))
    excluded = [low] * (span[0] == "(") + [high] * (span[-1] == ")")
    if not low <= value <= high or value in excluded:
        raise PUValueError(f"{argument} must lie in {span}, but {value!r} was passed.")
    return float(value)


def check_count(argument: str, value: Any, least: int = 0) -> int:
    """Check a number of examples and return it as an int, as an int8 overflows."""
    if not is_number(value, Integral):
        raise PUTypeError(f"{argument} must be an integer, but {value!r} was passed.")
    if value < least:
        raise PUValueError(f"{argument} must be at least {least}, but {value!r} was passed.")
    if value > MAX_COUNT:
        raise PUValueError(f"{argument} must be at most 10**12, but {brief(value)} was passed.")
    return int(value)


def as_array(values: Any) -> npt.NDArray[Any]:
    """Return numbers as an array; of two dimensions if no array can be made of them."""
    try:
        array = np.asarray(values)
        with np.errstate(over="ignore"):  # a long float may be beyond all others
            return array.astype(np.float64) if array.dtype.char == "g" else array
    except (TypeError, ValueError, OverflowError, MemoryError):  # ragged, a Dataset, without end
        return np.zeros((1, 1))


def check_ranks(ranks: Ranks) -> None:
    """Raise unless some ranking may have these ranks."""
    if isinstance(ranks, str):
        return check_option("ranks", ranks, ["all", "breakpoints"])
    values = np.atleast_1d(as_array(ranks))
    if values.ndim > 1 or (values.size and not np.issubdtype(values.dtype, np.integer)):
        raise PUTypeError(
            "ranks must be 'all', 'breakpoints', an integer or a one-dimensional array of "
            f"integers, but {ranks!r} was passed. For shares of the examples: "
            "(share * len(df)).astype(int)."
        )
    if np.unique(values).size < max(values.size, 1):
        raise PUValueError(
            f"ranks must contain at least one rank, and each once, but {values.tolist()[:20]} "
            "was passed. Pass np.unique(ranks)."
        )
    return check_ranks_within(values, None)


def check_ranks_within(ranks: Ranks, examples: int | None) -> None:
    """Raise if ranks are below 0, or above the number of examples."""
    if isinstance(ranks, str) or examples == 0:
        return
    values = np.atleast_1d(np.asarray(ranks))
    outside = values[(values < 0) | (False if examples is None else values > examples)]
    if outside.size:
        number = "" if examples is None else f"{examples}, "
        raise PUValueError(
            f"ranks must lie between 0 and {number}the number of examples, but "
            f"{outside.tolist()[:5]} was passed."
        )


def check_option(argument: str, value: object, allowed: Iterable[str]) -> None:
    """Raise unless a value is one of the allowed names."""
    options = sorted(allowed)
    if not isinstance(value, str) or value not in options:
        raise PUValueError(
            f"{argument} must be one of {options}, but {brief(value)} was passed."
            f"{suggest(value, options, places=[f'{argument}='])}"
        )


def check_flag(argument: str, value: object) -> None:
    """Raise unless a value is True or False."""
    if not isinstance(value, bool):
        raise PUTypeError(f"{argument} must be True or False, but {brief(value)} was passed.")


def with_example(example: str) -> Callable[[Function], Function]:
    """Decorate a function to show an example call where arguments do not fit its signature."""

    def wrap(function: Function) -> Function:
        expected = signature(function)

        @wraps(function)
        def checked(*args: Any, **keywords: Any) -> Any:
            try:
                expected.bind(*args, **keywords)
            except TypeError as error:
                unknown = next((word for word in keywords if word not in expected.parameters), "")
                places = [f"{function.__name__}("]
                meant = suggest(unknown, expected.parameters, places=places) if unknown else ""
                step = meant + (f" Write for example {example}." * ("Write" not in meant))
                raise PUTypeError(f"{function.__name__}: {error}.{step}") from None
            return function(*args, **keywords)

        return cast("Function", checked)

    return wrap
