"""What keys answer to one question, and the rows that show it."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from pu_accessor.errors import PUValueError
from pu_accessor.inference.diagnostics import About
from pu_accessor.questions.betas import split_key
from pu_accessor.ranking import FloatArray

__all__ = ["Answer", "Answers", "as_rows", "check_names", "tell", "with_skipped"]

Content = TypeVar("Content")


class Answer(NamedTuple, Generic[Content]):
    """What one key answers: its betas, what is to be known of its ranking, and the content."""

    key: Hashable
    betas: FloatArray
    about: About | None
    content: Content


@dataclass(frozen=True)
class Answers(Generic[Content]):
    """What all keys answer.

    Parameters
    ----------
    names : tuple of str
        Names of the key's levels; none for a single ranking.
    own_beta : bool
        Whether each key has a beta of its own.
    each : list of Answer
        In the order of the keys, without those that were left out.
    skipped : dict of str to str
        Those, and why.
    """

    names: tuple[str, ...]
    own_beta: bool
    each: list[Answer[Content]]
    skipped: Mapping[str, str] = field(default_factory=dict)


def as_rows(
    answers: Answers[Any], columns: Sequence[dict[str, Any]], betas: bool = False
) -> pd.DataFrame:
    """Put the answers of all keys below each other."""
    rows = [
        {"beta": answer.betas, **some} if betas else some
        for answer, some in zip(answers.each, columns, strict=True)
    ]
    check_names(answers.names, answers.names, rows[0])
    sizes = [len(next(iter(some.values()))) for some in rows]
    keys = [split_key(answers.names, answer.key) for answer in answers.each]
    levels = {
        name: pd.Index([key[place] for key in keys], tupleize_cols=False).repeat(sizes)
        for place, name in enumerate(answers.names)
    }
    joined = {name: _join([some[name] for some in rows]) for name in rows[0]}
    frame = pd.DataFrame({**levels, **joined})
    about = answers.each[0].about
    if not answers.names and about is not None:
        frame.attrs.update(tell(about))
    return with_skipped(frame, answers)


def with_skipped(frame: pd.DataFrame, answers: Answers[Any]) -> pd.DataFrame:
    """Say in the attributes of a frame which groups were left out, and why."""
    if answers.skipped:
        frame.attrs["skipped"] = dict(answers.skipped)
    return frame


def check_names(names: Sequence[str], written: Iterable[str], columns: Iterable[str]) -> None:
    """Raise if columns of keys would have the names of other columns."""
    others = list(columns)
    if taken := [name for name in written if name in others]:
        raise PUValueError(
            f"by must not be called {', '.join(names)}, as {taken[0]!r} is a column of the result "
            f"({others}). Rename the column first."
        )


def _join(parts: Sequence[Any]) -> Any:
    """Put columns below each other; an Index keeps its dtype."""
    first, *others = parts
    return first.append(others) if isinstance(first, pd.Index) else np.concatenate(parts)


def tell(about: About) -> dict[str, float]:
    """Return the numbers of a ranking that there are, by name."""
    counts = {f"n_{kind}": count for kind, count in about.total._asdict().items()}
    more = {"n_effective": about.n_effective, "beta_limit": about.beta_limit}
    return {**counts, **{name: value for name, value in more.items() if value == value}}
