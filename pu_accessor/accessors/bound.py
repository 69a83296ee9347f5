"""A source of rankings, and what its columns mean: what all questions are put to."""

from collections.abc import Mapping
from dataclasses import replace
from textwrap import wrap

from pu_accessor.checks import check_ranks
from pu_accessor.questions.request import Request
from pu_accessor.ranking import Keyed, PairedRanks, Ranking, Rankings, Ranks
from pu_accessor.sources.frames import Source
from pu_accessor.sources.roles import Roles

_WIDTH = 80  # of a terminal
# How a source is reached that is no attribute of something.
_ROOTS = {
    "arrays": "pu_accessor.from_arrays(score, label)",
    "chunks": "pu_accessor.from_chunks(chunks)",
}


class Bound:
    """A source of rows with what its columns mean; nothing is read until a question is asked."""

    def __init__(self, source: Source, roles: Roles | None = None) -> None:
        self._source = source
        self._roles = Roles() if roles is None else roles
        # With those of values that the source has without a column; raises if they exclude others.
        self._held = source.held(self._roles)

    def _line(self, more: Mapping[str, str] | None = None) -> str:
        """Write what is bound, and more roles, as it is typed."""
        roles = {**self._roles.described(), **(more or {})}
        written = ", ".join(f"{name}={role}" for name, role in roles.items())
        root = _ROOTS.get(self._source.name, f"{self._source.name}.pu")
        return f"{root}({written})" if written else root

    def _request(self, ranks: Ranks = "breakpoints") -> Request:
        """Return how to ask the source, where it may have such ranks."""
        check_ranks(ranks)
        return Request(
            lambda ranks: _assume(self._source.rank(self._roles, ranks), self._roles),
            lambda on: _assume_pairs(self._source.pair(self._roles, on), self._roles),
            lambda wave, strata: self._source.annotate(self._roles, wave, strata),
            self._roles.on_error,
            self._roles.progress,
            lambda: self._source.template(self._roles),
        )


def _assume(rankings: Rankings, roles: Roles) -> Rankings:
    """Put what is taken for granted of all rankings into each."""
    if not roles.monotone:
        return rankings

    def make(position: int) -> Ranking:
        return rankings.make(position).with_facts(monotone=True)

    return replace(rankings, make=make, together=None)


def _assume_pairs(pairs: Keyed[PairedRanks], roles: Roles) -> Keyed[PairedRanks]:
    """Put what is taken for granted into the rankings of paired rows."""
    if not roles.monotone:
        return pairs

    def make(position: int) -> PairedRanks:
        paired = pairs.make(position)
        rows = paired.rows
        if rows is None:
            return paired

        def rankings() -> list[Ranking]:
            return [ranking.with_facts(monotone=True) for ranking in rows.rankings()]

        return paired._replace(rows=rows._replace(rankings=rankings))

    return replace(pairs, make=make)


def fold(head: str, rows: Mapping[str, str]) -> str:
    """Write a repr in lines that are no longer than a terminal is wide.

    Examples
    --------
    >>> print(fold("<df.pu>", {"unlabeled": "12", "models": "2: svm, forest"}))
    <df.pu>
    unlabeled  12
    models     2: svm, forest
    """
    lines = wrap(head, _WIDTH, subsequent_indent="  ")
    indent = " " * (max(map(len, rows), default=0) + 2)
    for name, text in rows.items():
        first = f"{name:<{len(indent)}}"
        lines += wrap(text, _WIDTH, initial_indent=first, subsequent_indent=indent)
    return "\n".join(lines)
