"""Our errors and our one warning class: what came, what is allowed, what to do next.

Each error is also the builtin that a caller would expect, so ``except ValueError`` works.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import InvalidOperation
from difflib import get_close_matches
from warnings import warn

__all__ = [
    "PUDataError",
    "PUError",
    "PUImportError",
    "PUKeyError",
    "PUTypeError",
    "PUValueError",
    "PUWarning",
]


class PUError(Exception):
    """Base of everything that pu_accessor raises on purpose."""


class PUValueError(PUError, ValueError):
    """An argument or a column holds a value that is not allowed."""


class PUDataError(PUValueError):
    """What the rows hold leaves a question without an answer, whatever the arguments."""


class PUTypeError(PUError, TypeError):
    """An argument or a column is of a kind that is not allowed."""


class PUImportError(PUError, ImportError):
    """A package that is not required, and not there, is needed for what was asked."""


class PUKeyError(PUError, KeyError):
    """A column or variable is not there."""

    def __str__(self) -> str:
        """Show the message itself; KeyError would show its repr, newlines escaped."""
        return str(self.args[0])


class PUWarning(UserWarning):
    """Base of our warnings: filter it to silence pu_accessor and nothing else."""


def suggestion(
    value: object, allowed: Iterable[object], synonyms: Mapping[str, str] | None = None
) -> str:
    """Return ' Did you mean ...?' for the nearest allowed name, or nothing.

    Parameters
    ----------
    value : object
        What came.
    allowed : iterable of object
        What could have come; names are compared in lower case.
    synonyms : mapping of str to str, optional
        What others call the allowed names.

    Returns
    -------
    str
        Empty, or a sentence with a leading space.
    """
    names = {str(name).lower(): name for name in allowed} | dict(synonyms or {})
    near = get_close_matches(str(value).lower(), names, n=1)
    return f" Did you mean {names[near[0]]!r}?" if near else ""


def check_option(
    argument: str,
    value: object,
    allowed: Iterable[str],
    synonyms: Mapping[str, str] | None = None,
) -> None:
    """Raise unless `value` is one of the allowed names.

    Parameters
    ----------
    argument : str
        The argument's name, for the message.
    value : object
        What came.
    allowed : iterable of str
        The names that may come.
    synonyms : mapping of str to str, optional
        What others call the allowed names, for the message.

    Raises
    ------
    PUValueError
        If it is none of them.
    """
    options = sorted(allowed)
    if not isinstance(value, str) or value not in options:
        raise PUValueError(
            f"{argument} must be one of {options}, but {value!r} was passed."
            f"{suggestion(value, options, synonyms)}"
        )


@contextmanager
def refuse_signals() -> Iterator[None]:
    """Say which value it is that refuses to be compared, wherever it stands.

    Raises
    ------
    PUValueError
        If a signaling NaN is met within.
    """
    try:
        yield
    except InvalidOperation as error:
        raise PUValueError(
            "A column holds Decimal('sNaN'), a number that raises when it is looked at. Put None "
            "in its place: "
            "[None if isinstance(x, Decimal) and x.is_snan() else x for x in column]."
        ) from error


def warn_caller(message: str) -> None:
    """Warn at the line, outside this package, that called into it.

    Parameters
    ----------
    message : str
        What happened, and what to do.
    """
    package, depth = __name__.partition(".")[0], 1
    while sys._getframe(depth).f_globals.get("__name__", "").partition(".")[0] == package:
        depth += 1
    warn(message, PUWarning, stacklevel=depth + 1)
