"""What each ranking answers, and the rows that show it."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from pu_accessor.errors import PUValueError
from pu_accessor.inference.diagnostics import About
from pu_accessor.inference.settings import BetaRange, Settings
from pu_accessor.questions.betas import Betas, split_key

Content = TypeVar("Content")

# By name, in the order of the frame: arrays that broadcast against each other, whose rows are
# those of the common shape; numbers and texts stand in every row. An Index has all rows itself.
Columns: TypeAlias = Mapping[str, Any]


class Result(NamedTuple, Generic[Content]):
    """What one ranking answers: its betas, what is to be known of it, and the content."""

    key: Hashable
    beta: BetaRange
    about: About | None
    content: Content


@dataclass(frozen=True)
class Results(Generic[Content]):
    """What all rankings answer.

    Parameters
    ----------
    names : tuple of str
        Names of the key's levels; none for a single ranking.
    each : list of Result
        In the order of the keys, without those that were left out.
    betas : Betas, optional
        With which rankings were asked; none for a question without beta.
    settings : Settings
        With which they were asked.
    skipped : dict of str to str
        Those that were left out, and why.
    """

    names: tuple[str, ...]
    each: list[Result[Content]]
    betas: Betas | None
    settings: Settings
    skipped: Mapping[str, str] = field(default_factory=dict)

    @property
    def own_beta(self) -> bool:
        """Whether each ranking has a beta of its own."""
        return self.betas is not None and self.betas.shared is None


def as_rows(
    results: Results[Content],
    columns: Callable[[Content, BetaRange], Columns],
    *,
    beta_interval: bool = True,
) -> pd.DataFrame:
    """Put the columns of all rankings below each other, those of their keys first.

    An estimate of beta adds its interval, and how its error counts, unless left out.
    """
    parts = []
    for _, beta, _, content in results.each:
        part = columns(content, beta)
        if beta_interval and beta.is_estimate and results.betas is not None:
            interval = {"beta_lower": beta.lower, "beta_upper": beta.upper}
            part = {**part, **interval, "joint": results.betas.joint}
        parts.append(_broadcast(part))
    check_names(results.names, results.names, parts[0])
    sizes = [len(next(iter(part.values()))) for part in parts]
    keys = [split_key(results.names, each.key) for each in results.each]
    levels = {
        name: pd.Index([key[level] for key in keys], tupleize_cols=False).repeat(sizes)
        for level, name in enumerate(results.names)
    }
    below = {name: _concatenate([part[name] for part in parts]) for name in parts[0]}
    frame = pd.DataFrame({**levels, **below})
    about = results.each[0].about
    if not results.names and about is not None:
        frame.attrs.update(describe(about))
    if results.skipped:
        frame.attrs["skipped"] = dict(results.skipped)
    return frame


def _broadcast(columns: Columns) -> dict[str, Any]:
    """Return columns of one length."""
    arrays = {
        name: column if isinstance(column, pd.Index) else np.asarray(column)
        for name, column in columns.items()
    }
    shape = np.broadcast_shapes(
        *(array.shape for array in arrays.values() if not isinstance(array, pd.Index))
    )
    return {
        name: array if isinstance(array, pd.Index) else np.broadcast_to(array, shape).ravel()
        for name, array in arrays.items()
    }


def _concatenate(parts: Sequence[Any]) -> Any:
    """Put columns below each other; an Index keeps its dtype."""
    first, *others = parts
    return first.append(others) if isinstance(first, pd.Index) else np.concatenate(parts)


def settings_columns(settings: Settings) -> dict[str, float]:
    """Return the columns of the level, and of the odds where labels are not taken as random."""
    odds = settings.selection_odds
    return {"level": settings.level} | ({} if odds == 1 else {"selection_odds": odds})


def check_names(names: Sequence[str], written: Iterable[str], columns: Iterable[str]) -> None:
    """Raise if columns of keys would have the names of other columns."""
    others = list(columns)
    if taken := [name for name in written if name in others]:
        raise PUValueError(
            f"by must not be called {', '.join(names)}, as {taken[0]!r} is a column of the result "
            f"({others}). Rename the column first."
        )


def describe(about: About) -> dict[str, float]:
    """Return the numbers of a ranking that there are, by name."""
    counts = {f"n_{kind}": count for kind, count in about.total._asdict().items()}
    more = {"n_effective": about.n_effective, "beta_limit": about.beta_limit}
    return {**counts, **{name: value for name, value in more.items() if value == value}}
