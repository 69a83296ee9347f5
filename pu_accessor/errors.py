"""Our errors and our one warning class: what came, what is allowed, what to do next.

Each error is also the builtin that a caller would expect, so ``except ValueError`` works.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import InvalidOperation
from difflib import get_close_matches
from typing import Any
from warnings import warn

__all__ = [
    "PUDataError",
    "PUError",
    "PUImportError",
    "PUKeyError",
    "PUTypeError",
    "PUValueError",
    "PUWarning",
    "brief",
    "refuse_signals",
    "shorten",
    "suggestion",
    "warn_caller",
]


_ALIKE = 0.76  # "color" and "col" are not


_LONGEST, _END = 400, 150  # of a message, and of its end, which says what to do

# Where the manual is, and the page of each concept: messages end with the first whose words they
# have. There ^ is the start of a message, after the name of a group.
_MANUAL = "docs/{}.md{}"
_PAGES = (
    ("propensit", "biased_labels"),
    ("effective number", "biased_labels#effective-n"),
    ("selection_odds", "selection_odds"),
    ("^reference|negatives that are a random sample", "known_negatives"),
    ("frame of|is a frame|one level|higher level than|estimate for", "joint"),
    ("rank the same rows", "many_models#which-model-is-better"),
    ("^beta_interval|Envelopes? need", "beta#an-interval-and-a-limit"),
    ("limit that the known|beta is too high|needs negatives", "beta#too-high"),
    ("random sample|nothing about beta", "beta#when-not-to-believe-it"),
    ("guarantee|at all cutoffs jointly", "cutoffs"),
    (r"\bpool(ed)?\b", "cross_validation#one-answer-for-all-folds"),
    ("^band must (have|hold|lie)|pair of bounds by rank", "bands#bounds-of-your-own"),
    (r"^band \S+ must (return|stay|not|have)", "bands#a-band-of-your-own"),
    ("^band must", "bands"),
    ("chunks must|of the chunks", "large_data#chunks"),
    ("^ranks must", "large_data#cutoffs-that-suffice"),
    ("^beta must .*(key|group)", "many_models#a-beta-for-each-group"),
    ("^beta must|^beta is", "beta"),
    ("^label (column|must)", "labels"),
    ("^target must|new examples", "population"),
    (r"^at(=\{.*\})? (must|needs|is reached)", "tables#numbers-with-intervals"),
    ("^thresholds must|are probabilities", "practice#net-benefit"),
    ("^bins must", "practice#calibration"),
    ("^(alpha|fraction) must", "practice#early-recognition"),
    ("^pilot must|^width cannot", "planning"),
    ("two or more models|fewer than two", "many_models#which-model-is-better"),
    ("Whole curves|The Dataset must hold", "results"),
)
_GROUPS = "^(?:[^:]{1,60}: ){0,2}"
_FOUND = tuple((re.compile(words.replace("^", _GROUPS)), page) for words, page in _PAGES)
_ADDRESS = re.compile(r" See docs/\w+\.md[\w#-]*\.")


class PUError(Exception):
    """Base of everything that pu_accessor raises on purpose."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*(_fit(arg) if isinstance(arg, str) else arg for arg in args))


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


def _fit(message: str) -> str:
    """Say where the manual has more; leave out the middle of what is longer than anyone reads."""
    known = _ADDRESS.search(message)  # of an error within this one
    text = _ADDRESS.sub("", message)
    page = next((page for words, page in _FOUND if words.search(text)), None)
    address = known[0] if known else _address(page)
    most = _LONGEST - len(address)
    if len(text) > most:
        text = f"{text[: most - _END - 5]} ... {text[-_END:]}"
    return text + address


def _address(page: str | None) -> str:
    """Return a sentence that says where a page is."""
    if page is None:
        return ""
    name, mark, place = page.partition("#")
    return f" See {_MANUAL.format(name, mark + place)}."


def brief(value: object) -> str:
    """Write a value for a message, without its middle where it is long.

    Examples
    --------
    >>> brief("site"), brief("x" * 100)
    ("'site'", "'xxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxx'")
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:25]}...{text[-25:]}"


def shorten(texts: Iterable[str], between: str = ", ", *, most: int = 5, width: int = 160) -> str:
    """Join the first of some texts, as many as fit, and say how many more there are.

    Examples
    --------
    >>> shorten("abcdefgh"), shorten("ab")
    ('a, b, c, d, e and 3 more', 'a, b')
    """
    every = list(texts)
    kept = every[:1]
    for text in every[1:most]:
        if len(between.join([*kept, text])) > width:
            break
        kept.append(text)
    more = len(every) - len(kept)
    return between.join(kept) + (f" and {more} more" if more else "")


def suggestion(
    value: object, allowed: Iterable[object], synonyms: Mapping[str, str] | None = None
) -> str:
    """Return ' Did you mean ...?' for an allowed name that is near, or nothing.

    One letter in five may differ: a name that is less alike is another one, and misleads.

    Examples
    --------
    >>> suggestion("Recal", ["recall", "fpr"])
    " Did you mean 'recall'?"
    >>> suggestion("fdr", ["recall", "fpr"])
    ''
    """
    names = {str(name).lower(): name for name in allowed}
    meant = {**names, **(synonyms or {})}
    near = get_close_matches(str(value).lower(), meant, n=1, cutoff=_ALIKE)
    if not near:
        return ""
    found = meant[near[0]]
    return f" Did you mean {found!r}?" if found in names.values() else f" {found}"


@contextmanager
def refuse_signals() -> Iterator[None]:
    """Say which value it is that refuses to be compared, wherever it stands."""
    try:
        yield
    except InvalidOperation as error:
        raise PUValueError(
            "A column holds Decimal('sNaN'), a number that raises when it is looked at. Put None "
            "in its place: "
            "[None if isinstance(x, Decimal) and x.is_snan() else x for x in column]."
        ) from error


def warn_caller(message: str) -> None:
    """Warn at the line, outside this package, that called into it."""
    package, depth = __name__.partition(".")[0], 1
    while sys._getframe(depth).f_globals.get("__name__", "").partition(".")[0] == package:
        depth += 1
    warn(_fit(message), PUWarning, stacklevel=depth + 1)
