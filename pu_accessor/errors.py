"""Errors and the warning of this package, and the texts of messages."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import InvalidOperation
from typing import Any
from warnings import warn

_MAX_MESSAGE, _END_OF_MESSAGE = 300, 120  # characters; the end says what to do


class PUError(Exception):
    """Base class of the errors of pu_accessor.

    Each is also the builtin error that a caller expects: ``except ValueError`` works.

    Parameters
    ----------
    *args
        The message.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*(_finish_message(arg) if isinstance(arg, str) else arg for arg in args))


class PUValueError(PUError, ValueError):
    """An argument or a column has a value that is not allowed."""


class PUDataError(PUValueError):
    """The rows do not allow the requested result."""


class PUTypeError(PUError, TypeError):
    """An argument or a column has a type that is not allowed."""


class PUImportError(PUError, ImportError):
    """An optional package is needed and not installed."""


class PUKeyError(PUError, KeyError):
    """A column or variable is missing."""

    def __str__(self) -> str:
        """Return the message itself, where KeyError returns its repr."""
        return str(self.args[0])


class PUWarning(UserWarning):
    """The warning of pu_accessor: filter it to silence only this package."""


def _finish_message(message: str) -> str:
    """Cut the middle out of a long message."""
    if len(message) <= _MAX_MESSAGE:
        return message
    return f"{message[: _MAX_MESSAGE - _END_OF_MESSAGE - 5]} ... {message[-_END_OF_MESSAGE:]}"


def brief(value: object) -> str:
    """Return the repr of a value for a message, shortened in the middle."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:25]}...{text[-25:]}"


def shorten(texts: Iterable[str], between: str = ", ", *, most: int = 5, width: int = 160) -> str:
    """Join the first texts that fit, and count the rest."""
    every = list(texts)
    shown = every[:1]
    for text in every[1:most]:
        if len(between.join([*shown, text])) > width:
            break
        shown.append(text)
    more = len(every) - len(shown)
    return between.join(shown) + (f" and {more} more" if more else "")


@contextmanager
def name_function(named: str, call: str) -> Iterator[None]:
    """Turn what a user's function raises into an error that names it."""
    try:
        yield
    except (PUError, MemoryError):  # a metric may ask this package
        raise
    except Exception as error:
        kind = PUTypeError if isinstance(error, TypeError) else PUValueError
        raise kind(f"{named}, but raised {brief(error)}. Try it: {call}.") from error


@contextmanager
def explain_signaling_nan() -> Iterator[None]:
    """Turn the error of a signaling NaN, which cannot be compared, into one with advice."""
    try:
        yield
    except InvalidOperation as error:
        raise PUValueError(
            "A column has Decimal('sNaN'), which raises in any comparison. Replace it by None: "
            "[None if isinstance(x, Decimal) and x.is_snan() else x for x in column]."
        ) from error


def warn_caller(message: str) -> None:
    """Warn at the line outside this package that called it."""
    package, depth = __name__.partition(".")[0], 1
    while sys._getframe(depth).f_globals.get("__name__", "").partition(".")[0] == package:
        depth += 1
    warn(_finish_message(message), PUWarning, stacklevel=depth + 1)
