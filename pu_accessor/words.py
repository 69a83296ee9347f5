"""One table of words: what a person may type, and the name or the line that it stands for here."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from importlib.resources import files
from types import MappingProxyType
from typing import Any, cast

_MIN_SIMILARITY = 0.76  # of two words; "color" and "col" are below

_WORD = re.compile(r"(\w+[(=]|ds\.|\.|)(.+?)(=?)")  # what is before it, the word, what is after it


def read_rows(name: str) -> list[str]:
    """Return the rows of a text file of the package: indented lines go on, "#" is a comment."""
    lines = files("pu_accessor").joinpath(name).read_text("utf-8").splitlines()
    text = "\n".join(line for line in lines if line and not line.startswith("#"))
    return re.sub(r"\n  (?=/)", "", text).replace("\n  ", " ").split("\n")


def _read_table() -> Iterator[tuple[str, str, str, str]]:
    """Yield the place of each word, the word, the sign after it, and its meaning."""
    for row in read_rows("words.txt"):
        words, sign, meaning = re.split(" ([=>]) ", row, maxsplit=1)
        for word in words.split():
            before, bare, after = cast("re.Match[str]", _WORD.fullmatch(word)).groups()
            yield before or after, bare, sign, meaning


_ROWS = tuple(_read_table())
READ: Mapping[str, str] = {word: name for _, word, sign, name in _ROWS if sign == "="}
LINES: Mapping[str, Mapping[str, str]] = {
    place: {word: line for of, word, _, line in _ROWS if of == place and not line.isidentifier()}
    for place in {place for place, *_ in _ROWS}
}


def nearest(word: object, names: Iterable[object]) -> Any:
    """Return the name that a word is like, or that one of its synonyms is like, or None."""
    meant: dict[str, object] = {}
    for name in (names := [*names]):
        for synonym in (bare for _, bare, _, meaning in _ROWS if meaning == str(name)):
            meant.setdefault(synonym, name)
    meant |= {str(name).lower(): name for name in names}
    found = get_close_matches(str(word).lower(), meant, n=1, cutoff=_MIN_SIMILARITY)
    return meant[found[0]] if found else None


def suggest(
    word: object,
    names: Iterable[object] = (),
    lines: Mapping[str, str] = MappingProxyType({}),
    *,
    places: Sequence[str] = ("",),
) -> str:
    """Return ' Did you mean ...?' for a name, ' Write ...' for a line, of the table too, or ''."""
    lines = {**lines, **{bare: line for of in places for bare, line in LINES.get(of, {}).items()}}
    meant = nearest(word, [*lines, *(names := [*names])])
    if meant in names:
        return f" Did you mean {meant!r}?"
    return "" if meant is None else f" Write {lines[meant]}."
