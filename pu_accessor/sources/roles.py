"""What each column means, and how to read it: said once, for all questions."""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final, TypeAlias

import numpy as np

from pu_accessor.checks import check_flag, check_option
from pu_accessor.errors import PUTypeError, PUValueError, brief

Values: TypeAlias = Any  # a value, or a list of values
ColumnNames: TypeAlias = Hashable | list[Any]  # a column, or several
Pool: TypeAlias = bool | str | list[str]
Seed: TypeAlias = int | np.random.Generator


class Kept:
    """Stands for what is bound already, the default at first."""

    def __repr__(self) -> str:
        return "as it is"


KEPT: Final[Any] = Kept()
NAN_POLICIES = ("omit", "raise", "worst")
ON_ERROR = ("raise", "skip")
OTHERS = ("propensity", "cluster", "weight")


@dataclass(frozen=True)
class Roles:
    """The roles of columns, and how to read them.

    Columns are looked up when a question is asked, not before.
    """

    score: ColumnNames = "score"  # or one column for each model; higher is more positive
    label: Hashable = "label"
    by: ColumnNames | None = None  # columns whose values make groups
    propensity: Hashable | None = None  # probabilities with which positives are labeled
    cluster: Hashable | None = None  # whose rows belong together: a patient, a user, a site
    weight: Hashable | None = None  # how many rows each stands for
    positive: Values = None  # what stands for each state in another coding
    negative: Values = None
    unlabeled: Values = None
    nan_policy: str = "raise"  # "worst": ranked last, in one shared cutoff
    on_error: str = "raise"  # "skip": leave out a ranking that has no answer
    progress: bool = False  # whether to show a bar
    pool: Pool = False  # whether, or over which columns of by, groups are pooled
    monotone: bool = False  # whether a higher score never means a smaller share of positives

    def __post_init__(self) -> None:
        check_option("nan_policy", self.nan_policy, NAN_POLICIES)
        check_option("on_error", self.on_error, ON_ERROR)
        check_flag("progress", self.progress)
        check_flag("monotone", self.monotone)
        if self.monotone and self.propensity is not None:
            raise PUValueError(
                "monotone must be False with propensity=..., but True was passed: where labels "
                "depend on more than being positive, known positives need not become rarer down "
                "the ranking. Leave one of the two out.",
                page="monotone",
            )
        for role in ("cluster", "weight"):
            if self.propensity is not None and role in self.others:
                raise PUValueError(
                    f"{role} must be left out with propensity=..., but both were passed: there is "
                    f"no error for a {role} where labels were selected with unequal "
                    "probabilities. Leave one of the two out.",
                    page="clusters",
                )
        if not isinstance(self.pool, bool | str | list):
            raise PUTypeError(
                "pool must be True, False or names of columns in by, but "
                f"{brief(self.pool)} was passed."
            )

    def told(self, arguments: Mapping[str, Any]) -> Roles:
        """Return the roles with those changed that are among the arguments of a call."""
        roles = {name: arguments.get(name, KEPT) for name in ROLE_NAMES}
        return self.update(**{name: role for name, role in roles.items() if role is not KEPT})

    def update(self, **roles: Any) -> Roles:
        """Return the roles with some of them changed."""
        # A list of the caller's may change later.
        kept: dict[str, Any] = {
            name: [*role] if isinstance(role, list) else role for name, role in roles.items()
        }
        return replace(self, **kept)

    @property
    def is_wide(self) -> bool:
        """Whether there is a column of scores for each of several models."""
        return isinstance(self.score, list)

    @property
    def models(self) -> list[Hashable]:
        """Columns of scores, one for each model."""
        models: list[Hashable] = self.score if isinstance(self.score, list) else [self.score]
        if not models or len(set(map(str, models))) < len(models):
            raise PUValueError(
                "score must name one column or a list of different ones, but "
                f"{models!r} was passed."
            )
        return models

    @property
    def keys(self) -> list[Hashable]:
        """Columns whose values make groups."""
        return self.by if isinstance(self.by, list) else [] if self.by is None else [self.by]

    @property
    def others(self) -> dict[str, Hashable]:
        """What is named beside scores and labels."""
        named = {role: getattr(self, role) for role in OTHERS}
        return {role: name for role, name in named.items() if name is not None}

    @property
    def omits(self) -> bool:
        """Whether examples without a score are dropped."""
        return self.nan_policy == "omit"

    def named(self) -> list[tuple[str, Hashable]]:
        """Return the columns that a ranking is made of, each after the argument that names it."""
        scores = [("score", model) for model in self.models]
        return [*scores, ("label", self.label), *self.others.items()]

    def described(self) -> dict[str, str]:
        """Return the roles that are not the default ones, as a reader would type them.

        Examples
        --------
        >>> Roles().update(score="p", label="y", unlabeled=0).described()
        {'score': "'p'", 'label': "'y'", 'unlabeled': '0'}
        """
        roles = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {
            name: repr(role) if isinstance(role, str) else reprlib.repr(role)
            for name, (role, default) in roles.items()
            if type(role) is not type(default) or role != default
        }


ROLE_NAMES = tuple(field.name for field in fields(Roles))
